package java.util;

/**
 * What the runtime tells the program through the agent, and what the agent sets before tests run. What is told, and in
 * which order its texts and numbers stand, is in {@link UnflakeCodes}.
 */
final class UnflakeEvents {
    static final long[] NO_NUMBERS = new long[0];

    private UnflakeEvents() {}

    // ---- Called by the agent.

    static void init() {
        // Nothing of this may happen for the first time with the window open. Natives above all: the JDK iterates over
        // its libraries to find one, which is a choice, which asks a native.
        UnflakeReflection.warmUp();
        Object object = new Object();
        UnflakeNative.setNumber(object, UnflakeNative.number(object) + 1);
        UnflakeNative.callerIsProject();
        UnflakeNative.callerAllowed();
        UnflakeNative.event(UnflakeCodes.EVENT_WARM_UP, new String[0], NO_NUMBERS);
        UnflakeNative.hashes(new int[0]);
    }

    /**
     * The number of hashes to drop at each start, and the scopes whose choices vary (empty: all). Nothing runs now:
     * frameworks are ranked anew, for a worker may run several, and what an earlier run has left open is closed.
     */
    static void configure(int extraHashes, String[] only) {
        synchronized (UnflakeScopes.LOCK) {
            UnflakeTests.reset();
            UnflakeScopes.reset(extraHashes, only);
        }
    }

    /** The whole program is one scope. */
    static void program() {
        UnflakeScopes.openProgram();
    }

    // ---- Told to the program.

    /** The choices of a run, as {@link UnflakeScript} logs them. */
    static void choices(long[] log) {
        UnflakeNative.event(UnflakeCodes.EVENT_CHOICES, new String[0], log);
    }

    /**
     * What is to be seen of one choice.
     *
     * @param numbers from {@code EVIDENCE_PLACE} on; the lengths of the lists are filled in
     * @param owner the collection's class
     * @param lists texts, from {@code EVIDENCE_NATURAL} on
     */
    static void evidence(long[] numbers, String owner, Object[][] lists, int[] order) {
        long[] all = Arrays.copyOf(numbers, numbers.length + order.length);
        for (int i = 0; i < order.length; i++) {
            all[numbers.length + i] = order[i];
        }
        int count = 1;
        for (int i = 0; i < lists.length; i++) {
            all[UnflakeCodes.EVIDENCE_NATURAL + i] = lists[i].length;
            count += lists[i].length;
        }
        String[] fields = new String[count];
        fields[0] = owner;
        int at = 1;
        for (Object[] list : lists) {
            for (Object text : list) {
                fields[at++] = (String) text;
            }
        }
        UnflakeNative.event(UnflakeCodes.EVENT_EVIDENCE, fields, all);
    }

    /** Something of ours went wrong. */
    static void bug(Throwable problem) {
        try {
            String trace = UnflakeFailures.failure(problem)[UnflakeCodes.FAILURE_TRACE];
            UnflakeNative.event(UnflakeCodes.EVENT_BUG, new String[] {trace}, NO_NUMBERS);
        } catch (Throwable worse) {
            // Nothing is left to say it with; the test goes on as if we were not there.
            return;
        }
    }
}
