package java.util;

/**
 * The window and the scope that is open in it: a test, or what a container does outside of its tests. Also identity
 * hashes as far as scopes have to do with them: some are dropped when a test starts, and while learning it is known
 * which scope drew any.
 */
final class UnflakeScopes {
    /** Guards the open scope, and with it what is open in {@link UnflakeTests}: both change together. */
    static final Object LOCK = new Object();

    /** How many hashes show the state of a thread's generator. */
    private static final int SAMPLE = 8;

    /** Tests start with a hash that is a multiple of this. */
    private static final int ROUND_HASHES = 256;

    /** Identity hashes drawn and dropped when a test starts, so that those the test sees are others. */
    private static int extraHashes;

    /** The names of the scopes whose choices vary; empty: all. */
    private static String[] varied = {};

    /** What the open scope's choices are counted for; {@code null}: the window is closed. */
    private static Choices current;

    /** The thread that entered the open scope. */
    private static Thread entered;

    /** The name of a test whose scope was entered before its framework said that it starts; else {@code null}. */
    private static String pending;

    private UnflakeScopes() {}

    /** What was chosen in a test, or in a container outside of its tests: summed over its scopes. */
    static final class Choices {
        long count;
        boolean byProject;
        long[] models = UnflakeEvents.NO_NUMBERS;
        int hashes = UnflakeCodes.HASHES_NONE;

        void add() {
            count += Unflake.counted();
            byProject |= Unflake.chosenByProject();
            long[] used = Unflake.usedModels();
            if (models.length < used.length) {
                long[] longer = new long[used.length];
                System.arraycopy(models, 0, longer, 0, models.length);
                models = longer;
            }
            for (int i = 0; i < used.length; i++) {
                models[i] |= used[i];
            }
        }

        /** What {@link UnflakeNative#hashes} has answered while this scope was open. */
        void drew(int others) {
            int seen = others < 0 ? UnflakeCodes.HASHES_UNKNOWN
                : others == 0 ? UnflakeCodes.HASHES_NONE : UnflakeCodes.HASHES_SOME;
            hashes = hashes == UnflakeCodes.HASHES_SOME || seen == UnflakeCodes.HASHES_NONE ? hashes : seen;
        }

        long[] numbers(int outcome, long nanos) {
            long[] numbers = new long[UnflakeCodes.SCOPE_COUNT + models.length];
            numbers[UnflakeCodes.SCOPE_CHOICES] = count;
            numbers[UnflakeCodes.SCOPE_BY_PROJECT] = byProject ? 1 : 0;
            numbers[UnflakeCodes.SCOPE_HASHES] = hashes;
            numbers[UnflakeCodes.SCOPE_NANOS] = nanos;
            numbers[UnflakeCodes.SCOPE_OUTCOME] = outcome;
            System.arraycopy(models, 0, numbers, UnflakeCodes.SCOPE_COUNT, models.length);
            return numbers;
        }
    }

    // ---- The window.

    /**
     * Closes the window while a listener works, without ending the scope. Identity hashes that the scope has drawn are
     * counted here, before we draw any ourselves.
     */
    static boolean pause() {
        boolean open = Unflake.open;
        Unflake.open = false;
        if (open && Unflake.learning && entered == Thread.currentThread()) {
            Choices choices = current;
            if (choices != null) {
                choices.drew(UnflakeNative.hashes(new int[] {new Object().hashCode()}));
            }
        }
        return open;
    }

    static void resume(boolean open) {
        if (open) {
            follow();
            Unflake.open = true;
        }
    }

    /** Opens the window again if a scope is open. */
    static void resumeIfAny() {
        resume(isAny());
    }

    static boolean isAny() {
        return current != null;
    }

    /** From here on, hashes drawn on this thread are not ours: they must be the framework's or the test's. */
    private static void follow() {
        if (!Unflake.learning || entered != Thread.currentThread()) {
            return;
        }
        if (UnflakeNative.hashes(new int[] {new Object().hashCode()}) == UnflakeCodes.DRAWN_UNSEEN) {
            int[] drawn = new int[SAMPLE];
            for (int i = 0; i < SAMPLE; i++) {
                drawn[i] = new Object().hashCode();
            }
            UnflakeNative.hashes(drawn);
        }
    }

    // ---- The open scope. Nothing may be done after one was opened but to return to the framework.

    /** Closes what an earlier run has left open. */
    static void reset(int extra, String[] only) {
        extraHashes = extra;
        varied = only;
        current = null;
        pending = null;
        Unflake.leave();
    }

    static void openProgram() {
        current = new Choices();
        alignHashes();
        dropHashes();
        Unflake.enter(key("program"));
    }

    /** Ends the open scope, if there is one. */
    static void close() {
        synchronized (LOCK) {
            pending = null;
            Unflake.leave();
            if (current != null) {
                current.add();
                current = null;
            }
        }
    }

    /** Ends the open scope if its choices are these. */
    static void close(Choices choices) {
        synchronized (LOCK) {
            if (current == choices) {
                close();
            }
        }
    }

    static void open(Choices choices, String name) {
        synchronized (LOCK) {
            open(choices, name, false);
        }
    }

    /** Opens this scope if none is open. */
    static void openIfNone(Choices choices, String name) {
        synchronized (LOCK) {
            if (current == null) {
                open(choices, name, false);
            }
        }
    }

    /** The scope of a test begins before its framework says that it starts. */
    static void openEarly(String name) {
        synchronized (LOCK) {
            close();
            pending = name;
            open(new Choices(), name, true);
        }
    }

    /** Ends the scope before a test of this name, unless it is its own; the choices to {@link #start} it with. */
    static Choices starting(String name) {
        synchronized (LOCK) {
            boolean begun = name.equals(pending) && current != null;
            if (begun) {
                pending = null;
                return current;
            }
            close();
            return new Choices();
        }
    }

    /** Opens the scope of a test, or goes on with it if it was opened early. */
    static void start(Choices choices, String name) {
        synchronized (LOCK) {
            if (current == choices) {
                resume(true);
            } else {
                open(choices, name, true);
            }
        }
    }

    private static void open(Choices choices, String name, boolean isTest) {
        current = choices;
        entered = Thread.currentThread();
        if (!Unflake.learning) {
            choices.hashes = UnflakeCodes.HASHES_UNKNOWN;
        }
        boolean varies = varies(name);
        if (isTest) {
            alignHashes();
        }
        if (isTest && varies) {
            dropHashes();
        }
        follow();
        Unflake.enter(key(name), varies);
    }

    private static boolean varies(String name) {
        for (String one : varied) {
            if (one.equals(name)) {
                return true;
            }
        }
        return varied.length == 0;
    }

    private static void dropHashes() {
        for (int i = 0; i < extraHashes; i++) {
            new Object().hashCode();
        }
    }

    /**
     * Test JVMs of ours number their hashes with one counter for all threads. How far it is when a test starts depends
     * on threads of the JVM and of earlier tests, so the next round number is waited for: one seed, one order (N6).
     */
    private static void alignHashes() {
        if (Unflake.learning) {
            return;
        }
        int last = new Object().hashCode();
        int next = new Object().hashCode();
        // Other threads may draw as well. Any other generator than a counter cannot be brought to a known state.
        while (next > last && next - last < ROUND_HASHES && next % ROUND_HASHES != 0) {
            last = next;
            next = new Object().hashCode();
        }
    }

    /** FNV-1a over the name's characters. */
    private static long key(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
