package java.util;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.security.CodeSource;

/**
 * What edits of test frameworks call: containers and tests that start and end. Opens and closes the window, names the
 * scopes, and tells the program.
 *
 * <p>Several frameworks may report the same test: the JUnit Platform runs JUnit 4 tests through its vintage engine, and
 * JUnit 4 runs JUnit 3 tests. The outermost one counts: once a framework of a higher rank has spoken in this JVM, lower
 * ones are not listened to. A test that runs tests itself (tests of test frameworks do) stays one test: while it is open
 * on a thread, whatever else starts on that thread is passed over.
 *
 * <p>Framework objects are looked at by reflection, since they live in the project's class loaders. Nothing here may
 * throw into the framework: every entry point ends in {@link #bug}.
 */
public final class UnflakeEvents {
    private static final int CONTAINER_STARTED = 1;
    private static final int CONTAINER_FINISHED = 2;
    private static final int TEST_STARTED = 3;
    private static final int TEST_FINISHED = 4;
    private static final int INITIALISER_CHOSE = 5;
    private static final int RECIPE = 6;
    private static final int BUG = 7;
    private static final int CHOICES = 8;
    private static final int EVIDENCE = 9;

    private static final int JUNIT3 = 0;
    private static final int JUNIT4 = 1;
    private static final int PLATFORM = 2;

    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int SKIPPED = 2;

    private static final int NO_HASHES = 0;
    private static final int SOME_HASHES = 1;
    private static final int UNKNOWN_HASHES = 2;

    /** How many hashes show the state of a thread's generator. */
    static final int SAMPLE = 8;

    private static final int LONGEST_MESSAGE = 10000;
    private static final int LONGEST_TRACE = 100;

    /** The highest rank that has spoken. */
    private static int rank = -1;

    private static boolean recipeSent;

    /** Identity hashes drawn and dropped when a test starts, so that those the test sees are others. */
    private static int extraHashes;

    private static Test tests;
    private static Root roots;

    /** What the open scope's choices are counted for; {@code null}: the window is closed. */
    private static Choices current;

    /** The thread that entered the open scope. */
    private static Thread entered;

    /** The name of a test whose scope was entered before its framework said that it starts; else {@code null}. */
    private static String pending;

    private static Initialiser initialisers;

    private UnflakeEvents() {}

    // ---- Called by the agent.

    static void init() {
        // Nothing of this may happen for the first time with the window open. Natives above all: the JDK iterates over
        // its libraries to find one, which is a choice, which asks a native.
        METHODS.get(Object.class);
        Object object = new Object();
        UnflakeNative.setNumber(object, UnflakeNative.number(object) + 1);
        UnflakeNative.callerIsProject();
        UnflakeNative.callerAllowed();
        UnflakeNative.event(0, new String[0], NOTHING);
        UnflakeNative.hashes(new int[0]);
    }

    /**
     * The number of hashes to drop at each start. Nothing runs now: frameworks are ranked anew, for a worker may run
     * several, and what an earlier run has left open is closed.
     */
    static void configure(int extra) {
        synchronized (UnflakeEvents.class) {
            extraHashes = extra;
            rank = -1;
            tests = null;
            roots = null;
            current = null;
            pending = null;
            Unflake.leave();
        }
    }

    /** The whole program is one scope. */
    static void program() {
        current = new Choices();
        dropHashes();
        Unflake.enter(key("program"));
    }

    // ---- JUnit 3.

    public static void junit3Started(Object test) {
        boolean open = pause();
        try {
            started(JUNIT3, test, null, open);
        } catch (Throwable problem) {
            bug(problem);
        }
    }

    public static void junit3Failed(Object test, Object exception) {
        boolean open = pause();
        try {
            failed(JUNIT3, test, exception, FAILED);
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void junit3Finished(Object test) {
        boolean open = pause();
        try {
            finished(JUNIT3, test, open);
        } catch (Throwable problem) {
            bug(problem);
        }
    }

    // ---- JUnit 4.

    /** A runner starts. One without a class of its own is how JUnit joins several classes, and no container. */
    public static void junit4RunnerStarted(Object runner) {
        boolean open = pause();
        UnflakeHeap.classLevel();
        try {
            String name = listens(JUNIT4) && openOn(Thread.currentThread()) == null ? runnerClass(runner) : null;
            if (name != null) {
                containerStarted(JUNIT4, runner, name, runner);
                return;
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void junit4RunnerFinished(Object runner) {
        boolean open = pause();
        UnflakeHeap.classLevel();
        try {
            if (containerFinished(runner)) {
                return;
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    /** Before JUnit 4.13 the test's instance is made before the test is said to start: its scope begins here. */
    public static void junit4Starting(Object runner, Object method) {
        boolean open = pause();
        try {
            if (openOn(Thread.currentThread()) == null) {
                Object description = call(runner, "describeChild", method);
                String name = junit4Names(description, "")[NAME_OF_SCOPE];
                if (name != null) {
                    UnflakeHeap.testStarts(rootName());
                    synchronized (UnflakeEvents.class) {
                        close();
                        pending = name;
                        open(new Choices(), name, true);
                    }
                    return;
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void junit4Started(Object description) {
        boolean open = pause();
        try {
            started(JUNIT4, description, null, open);
        } catch (Throwable problem) {
            bug(problem);
        }
    }

    public static void junit4Finished(Object description) {
        boolean open = pause();
        try {
            finished(JUNIT4, description, open);
        } catch (Throwable problem) {
            bug(problem);
        }
    }

    public static void junit4Failed(Object failure) {
        boolean open = pause();
        try {
            failed(JUNIT4, call(failure, "getDescription"), call(failure, "getException"), FAILED);
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void junit4AssumptionFailed(Object failure) {
        boolean open = pause();
        try {
            failed(JUNIT4, call(failure, "getDescription"), call(failure, "getException"), SKIPPED);
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void junit4Ignored(Object description) {
        boolean open = pause();
        try {
            if (listens(JUNIT4) && openOn(Thread.currentThread()) == null) {
                raise(JUNIT4, description);
                String[] names = junit4Names(description, rootName());
                if (names[NAME_OF_SCOPE] != null) {
                    skipped(names, "ignored");
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    // ---- The JUnit Platform.

    public static void platformStarted(Object adapter, Object descriptor) {
        boolean open = pause();
        try {
            if (isTest(descriptor)) {
                started(PLATFORM, descriptor, adapter, open);
                return;
            }
            if (openOn(Thread.currentThread()) == null) {
                UnflakeHeap.classLevel();
                raise(PLATFORM, adapter);
                String[] segments = segments(uniqueId(descriptor));
                if (rootSegment(segments) == segments.length - 1 && openRoot(descriptor, null) == null) {
                    synchronized (UnflakeEvents.class) {
                        close();
                    }
                    containerStarted(PLATFORM, descriptor, value(segments[segments.length - 1]), adapter);
                    return;
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    public static void platformFinished(Object descriptor, Object result) {
        boolean open = pause();
        try {
            String status = String.valueOf(call(result, "getStatus"));
            Object exception = call(call(result, "getThrowable"), "orElse", (Object) null);
            if (isTest(descriptor)) {
                if (!status.equals("SUCCESSFUL")) {
                    failed(PLATFORM, descriptor, exception, status.equals("ABORTED") ? SKIPPED : FAILED);
                }
                finished(PLATFORM, descriptor, open);
                return;
            }
            if (openOn(Thread.currentThread()) == null) {
                UnflakeHeap.classLevel();
                if (status.equals("FAILED")) {
                    containerFailed(rootOf(descriptor), failure(exception));
                }
                if (containerFinished(descriptor)) {
                    return;
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    /** Of a container that is skipped, its tests are told apart: nothing else is ever heard of them. */
    public static void platformSkipped(Object descriptor, Object reason) {
        boolean open = pause();
        try {
            if (openOn(Thread.currentThread()) == null) {
                raise(PLATFORM, descriptor);
                if (isTest(descriptor)) {
                    skipped(platformNames(descriptor), String.valueOf(reason));
                } else {
                    Object[] below = ((Collection<?>) call(descriptor, "getDescendants")).toArray();
                    for (int i = 0; i < below.length; i++) {
                        if (isTest(below[i])) {
                            skipped(platformNames(below[i]), String.valueOf(reason));
                        }
                    }
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    // ---- The test's own code, between set-up and tear-down. One that throws does not say that it ends.

    public static void bodyStarted() {
        body(true);
    }

    public static void bodyFinished() {
        body(false);
    }

    private static void body(boolean starts) {
        if (!UnflakeHeap.watching) {
            return;
        }
        boolean open = pause();
        try {
            Test test = openOn(Thread.currentThread());
            if (test != null && starts) {
                UnflakeHeap.bodyStarts(test.names);
            } else if (test != null) {
                UnflakeHeap.bodyEnds(test.names);
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    /** Jupiter keeps an instance of a test class; one that is made before the test starts is shared by several. */
    public static void instanceMade(Object instance) {
        if (!UnflakeHeap.watching) {
            return;
        }
        boolean open = pause();
        try {
            if (instance != null && openOn(Thread.currentThread()) == null && !isForOneTest()) {
                UnflakeHeap.share(instance, instance.getClass().getName().concat(".this"));
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    /** Jupiter makes the instance for a single test while it prepares that test. */
    private static boolean isForOneTest() {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        for (int i = 0; i < frames.length; i++) {
            if (frames[i].getMethodName().equals("prepare") && frames[i].getClassName().endsWith("TestMethodTestDescriptor")) {
                return true;
            }
        }
        return false;
    }

    /** The static initialiser of a test class is through: what it has done elsewhere is the doing of the class. */
    public static void testClassReady(String name) {
        if (!UnflakeHeap.watching) {
            return;
        }
        boolean open = pause();
        try {
            UnflakeHeap.testClassReady(name);
        } catch (Throwable problem) {
            bug(problem);
        }
        resume(open);
    }

    // ---- Static initialisers, while learning. One has chosen if its thread made choices between its start and its end.

    public static void initStarted(String name) {
        synchronized (INITIALISERS) {
            initialisers = new Initialiser(name, Thread.currentThread(), initialisers);
        }
    }

    public static void initFinished(String name) {
        Thread thread = Thread.currentThread();
        synchronized (INITIALISERS) {
            // One that threw has not said so: it is dropped together with the one around it.
            Initialiser last = initialisers;
            while (last != null && !(last.thread == thread && last.name.equals(name))) {
                last = last.next;
            }
            if (last != null) {
                drop(thread, last);
                if (last.choices != choices()) {
                    UnflakeNative.event(INITIALISER_CHOSE, new String[] {name}, NOTHING);
                }
            }
        }
    }

    /**
     * Choices that the project made on this thread in the open scope. Asked only with the window open: asking gives the
     * thread a number.
     */
    private static long choices() {
        return Unflake.open ? Unflake.thread().projectCalls : 0;
    }

    /** Whether an initialiser is running on any thread. */
    static boolean initialising() {
        return initialisers != null;
    }

    /** Removes what this thread started, up to and including {@code last}; all of it if {@code null}. */
    private static void drop(Thread thread, Initialiser last) {
        Initialiser kept = null;
        Initialiser end = null;
        boolean through = false;
        for (Initialiser i = initialisers; i != null; i = i.next) {
            if (i.thread != thread || through) {
                if (end == null) {
                    kept = i;
                } else {
                    end.next = i;
                }
                end = i;
            }
            through |= i == last;
        }
        if (end != null) {
            end.next = null;
        }
        initialisers = kept;
    }

    private static final Object INITIALISERS = new Object();

    private static final class Initialiser {
        final String name;
        final Thread thread;
        final long choices = choices();
        Initialiser next;

        Initialiser(String name, Thread thread, Initialiser next) {
            this.name = name;
            this.thread = thread;
            this.next = next;
        }
    }

    // ---- Scopes.

    /** What was chosen in a test, or in a container outside of its tests: summed over its scopes. */
    private static final class Choices {
        long count;
        boolean byProject;
        long[] models = NOTHING;
        int hashes = NO_HASHES;

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
            int seen = others < 0 ? UNKNOWN_HASHES : others == 0 ? NO_HASHES : SOME_HASHES;
            hashes = hashes == SOME_HASHES || seen == NO_HASHES ? hashes : seen;
        }

        long[] numbers(long more) {
            long[] numbers = new long[4 + models.length];
            numbers[0] = count;
            numbers[1] = byProject ? 1 : 0;
            numbers[2] = hashes;
            numbers[3] = more;
            System.arraycopy(models, 0, numbers, 4, models.length);
            return numbers;
        }
    }

    private static final class Test {
        final int framework;
        final Object key;
        final String[] names;
        final Thread thread;
        final Root root;
        Choices choices;
        long since;
        int nested;
        int outcome = PASSED;
        String[] failure;
        Test next;

        Test(int framework, Object key, String[] names, Root root, Test next) {
            this.framework = framework;
            this.key = key;
            this.names = names;
            this.thread = Thread.currentThread();
            this.root = root;
            this.next = next;
        }

        boolean is(int framework, Object key) {
            // JUnit 4 makes descriptions as it needs them; other frameworks' objects stay, and their equals is the user's.
            return this.framework == framework && (this.key == key || framework == JUNIT4 && this.key.equals(key));
        }
    }

    private static final class Root {
        final Object key;
        final String name;
        final Thread thread = Thread.currentThread();
        final Choices choices = new Choices();
        String[] failure;
        Root next;

        Root(Object key, String name, Root next) {
            this.key = key;
            this.name = name;
            this.next = next;
        }
    }

    private static final long[] NOTHING = new long[0];

    /**
     * Closes the window while this class works, without ending the scope. Identity hashes that the scope has drawn are
     * counted here, before we draw any ourselves.
     */
    private static boolean pause() {
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

    private static void resume(boolean open) {
        if (open) {
            follow();
            Unflake.open = true;
        }
    }

    /** From here on, hashes drawn on this thread are not ours: they must be the framework's or the test's. */
    private static void follow() {
        if (!Unflake.learning || entered != Thread.currentThread()) {
            return;
        }
        if (UnflakeNative.hashes(new int[] {new Object().hashCode()}) == -1) {
            int[] drawn = new int[SAMPLE];
            for (int i = 0; i < SAMPLE; i++) {
                drawn[i] = new Object().hashCode();
            }
            UnflakeNative.hashes(drawn);
        }
    }

    /** Ends the open scope, if there is one. */
    private static void close() {
        pending = null;
        Unflake.leave();
        if (current != null) {
            current.add();
            current = null;
        }
    }

    /** Begins a scope. Nothing may be done after it but to return to the framework. */
    private static void open(Choices choices, String name, boolean isTest) {
        current = choices;
        entered = Thread.currentThread();
        if (!Unflake.learning) {
            choices.hashes = UNKNOWN_HASHES;
        }
        if (isTest) {
            dropHashes();
        }
        follow();
        Unflake.enter(key(name));
    }

    private static void dropHashes() {
        for (int i = 0; i < extraHashes; i++) {
            new Object().hashCode();
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

    // ---- Containers and tests of any framework.

    private static boolean listens(int framework) {
        return framework >= rank;
    }

    /** Called with the first object of the framework that speaks, which shows where it was loaded from. */
    private static void raise(int framework, Object speaker) {
        synchronized (UnflakeEvents.class) {
            if (framework > rank) {
                rank = framework;
            }
            if (recipeSent || !Unflake.learning) {
                return;
            }
            recipeSent = true;
        }
        sendRecipe(framework, speaker);
    }

    private static Test openOn(Thread thread) {
        synchronized (UnflakeEvents.class) {
            for (Test test = tests; test != null; test = test.next) {
                if (test.thread == thread) {
                    return test;
                }
            }
            return null;
        }
    }

    private static Root openRoot(Object key, String name) {
        synchronized (UnflakeEvents.class) {
            for (Root root = roots; root != null; root = root.next) {
                if (key != null ? root.key == key : name != null ? root.name.equals(name) : root.thread == Thread.currentThread()) {
                    return root;
                }
            }
            return null;
        }
    }

    /** The root that is open on this thread, for frameworks whose tests do not name theirs. */
    private static String rootName() {
        Root root = openRoot(null, null);
        return root == null ? "" : root.name;
    }

    private static void containerStarted(int framework, Object key, String name, Object speaker) {
        raise(framework, speaker);
        if (framework != PLATFORM && openRoot(null, null) != null) {
            // A runner inside of a runner: the outermost is the one that the build started.
            resume(current != null);
            return;
        }
        UnflakeNative.event(CONTAINER_STARTED, new String[] {name}, NOTHING);
        synchronized (UnflakeEvents.class) {
            roots = new Root(key, name, roots);
            open(roots.choices, name, false);
        }
    }

    private static boolean containerFinished(Object key) {
        Root root = openRoot(key, null);
        if (root == null) {
            return false;
        }
        synchronized (UnflakeEvents.class) {
            close();
            if (roots == root) {
                roots = root.next;
            } else {
                for (Root r = roots; r != null; r = r.next) {
                    if (r.next == root) {
                        r.next = root.next;
                    }
                }
            }
        }
        UnflakeHeap.classEnds(root.name);
        String[] failure = root.failure;
        UnflakeNative.event(
            CONTAINER_FINISHED,
            failure == null
                ? new String[] {root.name}
                : new String[] {root.name, failure[0], failure[1], failure[2]},
            root.choices.numbers(0));
        return true;
    }

    private static void containerFailed(String name, String[] failure) {
        Root root = openRoot(null, name);
        if (root != null && root.failure == null) {
            root.failure = failure;
        }
    }

    private static void started(int framework, Object key, Object speaker, boolean open) {
        Test outer = openOn(Thread.currentThread());
        if (outer != null || !listens(framework)) {
            if (outer != null && outer.is(framework, key)) {
                outer.nested++;
            }
            resume(open);
            return;
        }
        raise(framework, speaker == null ? key : speaker);
        String[] names = framework == PLATFORM ? platformNames(key)
            : framework == JUNIT4 ? junit4Names(key, rootName())
            : junit3Names(key);
        UnflakeHeap.testStarts(names[ROOT]);
        UnflakeNative.event(TEST_STARTED, names, NOTHING);
        synchronized (INITIALISERS) {
            drop(Thread.currentThread(), null);
        }
        String name = names[NAME_OF_SCOPE] == null ? names[ID] : names[NAME_OF_SCOPE];
        synchronized (UnflakeEvents.class) {
            tests = new Test(framework, key, names, openRoot(null, names[ROOT]), tests);
            boolean begun = name.equals(pending) && current != null;
            if (!begun) {
                close();
            }
            pending = null;
            tests.choices = begun ? current : new Choices();
            tests.since = System.nanoTime();
            if (begun) {
                resume(true);
            } else {
                open(tests.choices, name, true);
            }
        }
    }

    private static void failed(int framework, Object key, Object exception, int outcome) {
        if (!listens(framework)) {
            return;
        }
        Test test = find(framework, key);
        if (test == null && openOn(Thread.currentThread()) != null) {
            return;
        }
        String[] failure = failure(exception);
        if (test != null) {
            // A failure after a failed assumption (in tear-down) counts; of several failures the first.
            if (test.nested == 0 && (test.outcome == PASSED || test.outcome == SKIPPED && outcome == FAILED)) {
                test.outcome = outcome;
                test.failure = failure;
            }
        } else if (framework == JUNIT4 && outcome == FAILED) {
            containerFailed(rootName(), failure);
        }
    }

    private static void finished(int framework, Object key, boolean open) {
        Test test = find(framework, key);
        if (test == null || test.nested > 0) {
            if (test != null) {
                test.nested--;
            }
            resume(open);
            return;
        }
        long nanos = System.nanoTime() - test.since;
        synchronized (UnflakeEvents.class) {
            if (current == test.choices) {
                close();
            }
            if (tests == test) {
                tests = test.next;
            } else {
                for (Test t = tests; t != null; t = t.next) {
                    if (t.next == test) {
                        t.next = test.next;
                    }
                }
            }
        }
        String[] fields = new String[NAMES + 6];
        System.arraycopy(test.names, 0, fields, 0, NAMES);
        fields[NAMES] = test.outcome == PASSED ? "passed" : test.outcome == FAILED ? "failed" : "skipped";
        if (test.failure != null) {
            System.arraycopy(test.failure, 0, fields, NAMES + 1, 5);
        }
        UnflakeNative.event(TEST_FINISHED, fields, test.choices.numbers(nanos));
        UnflakeHeap.testEnds(test.names);
        if (test.root != null) {
            String name = test.names[NAME_OF_SCOPE] == null ? test.names[ID] : test.names[NAME_OF_SCOPE];
            synchronized (UnflakeEvents.class) {
                if (current == null) {
                    open(test.root.choices, "after ".concat(name), false);
                }
            }
        }
        resume(current != null);
    }

    /** The open test that this is, on this thread or else on any. */
    private static Test find(int framework, Object key) {
        Thread thread = Thread.currentThread();
        synchronized (UnflakeEvents.class) {
            Test other = null;
            for (Test test = tests; test != null; test = test.next) {
                if (test.is(framework, key)) {
                    if (test.thread == thread) {
                        return test;
                    }
                    other = test;
                }
            }
            return other;
        }
    }

    private static void skipped(String[] names, String reason) {
        String[] fields = new String[NAMES + 6];
        System.arraycopy(names, 0, fields, 0, NAMES);
        fields[NAMES] = "skipped";
        fields[NAMES + 2] = cut(reason);
        UnflakeNative.event(TEST_FINISHED, fields, new Choices().numbers(0));
    }

    // ---- Names. A test's are: framework, root, id, class, method, invocation; then the name of its scope.

    private static final int FRAMEWORK = 0;
    private static final int ROOT = 1;
    private static final int ID = 2;
    private static final int CLASS = 3;
    private static final int METHOD = 4;
    private static final int INVOCATION = 5;
    private static final int NAME_OF_SCOPE = 6;
    private static final int NAMES = 6;

    private static String[] names(String framework, String root, String id) {
        String[] names = new String[NAMES + 1];
        names[FRAMEWORK] = framework;
        names[ROOT] = root;
        names[ID] = id;
        return names;
    }

    private static void name(String[] names, String type, String method, String invocation) {
        names[CLASS] = type;
        names[METHOD] = method;
        names[INVOCATION] = invocation;
        String name = type.concat("#").concat(method);
        names[NAME_OF_SCOPE] = invocation == null ? name : name.concat(invocation);
    }

    private static String[] junit3Names(Object test) {
        String type = test.getClass().getName();
        Object method;
        try {
            method = call(test, "getName");
        } catch (Throwable none) {
            // Not a TestCase; some tests are only runnable.
            method = null;
        }
        String name = method == null ? guardedText(test) : String.valueOf(method);
        String[] names = names("JUnit3", type, name.concat("(").concat(type).concat(")"));
        splitMethod(names, type, name);
        return names;
    }

    /** The display name is {@code method(package.Class)}; a container's is anything else, and has no scope's name. */
    private static String[] junit4Names(Object description, String root) {
        String id = String.valueOf(call(description, "getDisplayName"));
        int at = id.lastIndexOf('(');
        boolean isTest = at > 0 && id.endsWith(")");
        String type = isTest ? id.substring(at + 1, id.length() - 1) : id;
        String[] names = names("JUnit4", root.isEmpty() ? type : root, id);
        if (isTest) {
            splitMethod(names, type, id.substring(0, at));
        } else {
            names[CLASS] = type;
            names[METHOD] = "";
        }
        return names;
    }

    /** A parameter set is a suffix: {@code adds[0]}. */
    private static void splitMethod(String[] names, String type, String method) {
        int at = method.endsWith("]") ? method.indexOf('[') : -1;
        if (at > 0) {
            name(names, type, method.substring(0, at), method.substring(at));
        } else {
            name(names, type, method, null);
        }
    }

    private static String[] platformNames(Object descriptor) {
        String id = uniqueId(descriptor);
        String[] segments = segments(id);
        String root = value(segments[rootSegment(segments)]);
        String[] names = names("Platform", root, id);
        if (segments[0].equals("engine:junit-vintage")) {
            // JUnit 4's own name for it is in the last segment: so both frameworks give the scope one name.
            String last = value(segments[segments.length - 1]);
            int at = last.lastIndexOf('(');
            if (at > 0 && last.indexOf(')', at) > 0) {
                splitMethod(names, last.substring(at + 1, last.indexOf(')', at)), last.substring(0, at));
                return names;
            }
        }
        String invocation = null;
        for (int i = rootSegment(segments); i < segments.length; i++) {
            String value = value(segments[i]);
            if (value.startsWith("#")) {
                String one = "[".concat(value.substring(1)).concat("]");
                invocation = invocation == null ? one : invocation.concat(one);
            }
        }
        Object source = methodSource(descriptor);
        if (source == null) {
            String display = String.valueOf(call(descriptor, "getDisplayName"));
            name(names, root, display, invocation);
        } else {
            String type = String.valueOf(call(source, "getClassName"));
            name(names, type, String.valueOf(call(source, "getMethodName")), invocation);
        }
        return names;
    }

    /** A dynamic test says of which method it is only through the factory above it. */
    private static Object methodSource(Object descriptor) {
        for (Object d = descriptor; d != null; d = call(call(d, "getParent"), "orElse", (Object) null)) {
            Object source = call(call(d, "getSource"), "orElse", (Object) null);
            if (source != null && source.getClass().getSimpleName().equals("MethodSource")) {
                return source;
            }
        }
        return null;
    }

    private static boolean isTest(Object descriptor) {
        return Boolean.TRUE.equals(call(descriptor, "isTest"));
    }

    private static String uniqueId(Object descriptor) {
        return String.valueOf(call(descriptor, "getUniqueId"));
    }

    private static String rootOf(Object descriptor) {
        String[] segments = segments(uniqueId(descriptor));
        return value(segments[rootSegment(segments)]);
    }

    /** {@code [engine:x]/[class:y]} as {@code engine:x}, {@code class:y}; brackets inside of a segment are encoded. */
    private static String[] segments(String id) {
        int count = 0;
        for (int i = 0; i < id.length(); i++) {
            count += id.charAt(i) == '[' ? 1 : 0;
        }
        String[] segments = new String[count == 0 ? 1 : count];
        segments[0] = id;
        int from = 0;
        for (int i = 0; i < count; i++) {
            int start = id.indexOf('[', from);
            int end = id.indexOf(']', start);
            segments[i] = id.substring(start + 1, end < 0 ? id.length() : end);
            from = end < 0 ? id.length() : end;
        }
        return segments;
    }

    /** The first segment that is not an engine: the class, runner or suite that the build started. */
    private static int rootSegment(String[] segments) {
        for (int i = 0; i < segments.length; i++) {
            if (!segments[i].startsWith("engine:")) {
                return i;
            }
        }
        // An engine's own descriptor has no root; no segment has this number.
        return segments.length == 1 ? 1 : segments.length - 1;
    }

    private static String value(String segment) {
        String text = segment.substring(segment.indexOf(':') + 1);
        if (text.indexOf('%') < 0) {
            return text;
        }
        StringBuilder decoded = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            int high = i + 2 < text.length() && text.charAt(i) == '%' ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
            if (low < 0) {
                decoded.append(text.charAt(i));
            } else {
                decoded.append((char) (high * 16 + low));
                i += 2;
            }
        }
        return decoded.toString();
    }

    /** The class a runner was made for; {@code null} if it has none. */
    private static String runnerClass(Object runner) {
        String made;
        synchronized (SUITE_RUNNERS) {
            // Looking a runner up draws an identity hash: not if there are none.
            Class<?> type = SUITE_RUNNERS.isEmpty() ? null : SUITE_RUNNERS.get(runner);
            made = type == null ? null : type.getName();
        }
        if (made != null) {
            return made;
        }
        Method getTestClass = method(runner.getClass(), "getTestClass", 0);
        if (getTestClass != null) {
            Object testClass = invoke(getTestClass, runner);
            Object type = testClass instanceof Class ? testClass : testClass == null ? null : call(testClass, "getJavaClass");
            return type == null ? null : ((Class<?>) type).getName();
        }
        String name = String.valueOf(call(call(runner, "getDescription"), "getDisplayName"));
        return name.isEmpty() || name.equals("null") ? null : name;
    }

    /** JUnit 3's {@code suite()} methods: the runner does not keep the class, and the suite may have any name. */
    public static void suiteMade(Object runner, Object type) {
        synchronized (SUITE_RUNNERS) {
            SUITE_RUNNERS.put(runner, (Class<?>) type);
        }
    }

    private static final WeakHashMap<Object, Class<?>> SUITE_RUNNERS = new WeakHashMap<Object, Class<?>>();

    // ---- Failures.

    private static String[] failure(Object exception) {
        if (exception == null) {
            return new String[] {"", "", "", null, null};
        }
        Throwable thrown = (Throwable) exception;
        String message;
        try {
            message = thrown.getMessage();
            message = message == null ? "" : message;
        } catch (Throwable problem) {
            message = "(its message cannot be read: ".concat(problem.getClass().getName()).concat(")");
        }
        String trace;
        try {
            StringWriter text = new StringWriter();
            PrintWriter writer = new PrintWriter(text);
            thrown.printStackTrace(writer);
            writer.flush();
            trace = withoutMessage(text.toString(), message);
        } catch (Throwable problem) {
            trace = "(its stack trace cannot be read: ".concat(problem.getClass().getName()).concat(")");
        }
        int end = 0;
        for (int line = 0; line < LONGEST_TRACE && end >= 0; line++) {
            end = trace.indexOf('\n', end == 0 ? 0 : end + 1);
        }
        return new String[] {thrown.getClass().getName(), cut(message), end < 0 ? trace : trace.substring(0, end + 1),
            compared(thrown, "getExpected"), compared(thrown, "getActual")};
    }

    /** A message of many lines leaves no room for those of the stack. */
    private static String withoutMessage(String trace, String message) {
        int end = message.indexOf('\n');
        int start = end < 0 ? -1 : trace.indexOf(message);
        return start < 0 ? trace : trace.substring(0, start + end).concat(trace.substring(start + message.length()));
    }

    /** What a failed assertion says of the values it compared; {@code null}: it does not. */
    private static String compared(Throwable thrown, String which) {
        String type = thrown.getClass().getName();
        if (!type.endsWith("ComparisonFailure") && !type.endsWith("AssertionFailedError")) {
            return null;
        }
        try {
            Object value = call(thrown, which);
            // JUnit 5 wraps values and keeps their text.
            return value == null ? null
                : cut(String.valueOf(value instanceof String ? value : call(value, "getStringRepresentation")));
        } catch (Throwable itDoesNot) {
            return null;
        }
    }

    /** The choices of a run, as {@link UnflakeScript} logs them. */
    static void choices(long[] log) {
        UnflakeNative.event(CHOICES, new String[0], log);
    }

    /** What is to be seen of one choice: numbers, the collection's class, lists of texts, the order. */
    static void evidence(long[] numbers, String owner, Object[][] lists, int[] order) {
        long[] all = Arrays.copyOf(numbers, numbers.length + lists.length + order.length);
        for (int i = 0; i < order.length; i++) {
            all[numbers.length + lists.length + i] = order[i];
        }
        int count = 1;
        for (int i = 0; i < lists.length; i++) {
            all[numbers.length + i] = lists[i].length;
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
        UnflakeNative.event(EVIDENCE, fields, all);
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE);
    }

    private static String guardedText(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable problem) {
            return object.getClass().getName();
        }
    }

    // ---- The recipe: what only Java sees of how this JVM was started.

    private static final String[] LAUNCHER = {
        "org.junit.platform.launcher.Launcher",
        "org.junit.platform.engine.TestEngine",
        "org.junit.platform.commons.JUnitException",
        "org.opentest4j.AssertionFailedError",
        "org.junit.jupiter.engine.JupiterTestEngine",
        "org.junit.vintage.engine.VintageTestEngine",
    };

    private static void sendRecipe(int framework, Object speaker) {
        ArrayList<String> fields = new ArrayList<String>();
        long properties = 0;
        try {
            Properties all = System.getProperties();
            Object[] keys = all.stringPropertyNames().toArray();
            for (int i = 0; i < keys.length; i++) {
                String value = all.getProperty((String) keys[i]);
                if (value != null) {
                    fields.add((String) keys[i]);
                    fields.add(value);
                    properties++;
                }
            }
        } catch (Throwable problem) {
            bug(problem);
        }
        for (int i = 0; framework == PLATFORM && i < LAUNCHER.length; i++) {
            try {
                Class<?> type = Class.forName(LAUNCHER[i], false, speaker.getClass().getClassLoader());
                CodeSource source = type.getProtectionDomain().getCodeSource();
                if (source != null && source.getLocation() != null) {
                    fields.add(source.getLocation().toString());
                }
            } catch (Throwable absent) {
                // Not every engine is there.
                continue;
            }
        }
        UnflakeNative.event(RECIPE, fields.toArray(new String[0]), new long[] {properties});
    }

    // ---- Reflection. The methods looked for have one overload of their number of parameters each.

    private static final ClassValue<HashMap<String, Method>> METHODS = new ClassValue<HashMap<String, Method>>() {
        @Override
        protected HashMap<String, Method> computeValue(Class<?> type) {
            return new HashMap<String, Method>();
        }
    };

    private static Object call(Object on, String name, Object... arguments) {
        Method method = method(on.getClass(), name, arguments.length);
        if (method == null) {
            throw new IllegalArgumentException(on.getClass().getName().concat(" has no method ").concat(name));
        }
        return invoke(method, on, arguments);
    }

    private static Object invoke(Method method, Object on, Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (RuntimeException problem) {
            throw problem;
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** The method of this name that a call on the class would reach, whatever its access; {@code null} if none. */
    private static Method method(Class<?> type, String name, int parameters) {
        HashMap<String, Method> known = METHODS.get(type);
        synchronized (known) {
            Method method = known.get(name);
            if (method == null && !known.containsKey(name)) {
                method = find(type, name, parameters);
                if (method != null) {
                    method.setAccessible(true);
                }
                known.put(name, method);
            }
            return method;
        }
    }

    private static Method find(Class<?> type, String name, int parameters) {
        Method bridge = null;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Method[] declared = c.getDeclaredMethods();
            for (int i = 0; i < declared.length; i++) {
                if (declared[i].getName().equals(name) && declared[i].getParameterTypes().length == parameters) {
                    if (!declared[i].isBridge()) {
                        return declared[i];
                    }
                    bridge = declared[i];
                }
            }
        }
        if (bridge != null) {
            return bridge;
        }
        // A default method of an interface.
        Method[] inherited = type.getMethods();
        for (int i = 0; i < inherited.length; i++) {
            if (inherited[i].getName().equals(name) && inherited[i].getParameterTypes().length == parameters) {
                return inherited[i];
            }
        }
        return null;
    }

    // ---- Bugs.

    private static void bug(Throwable problem) {
        try {
            String[] failure = failure(problem);
            UnflakeNative.event(BUG, new String[] {failure[2]}, NOTHING);
        } catch (Throwable worse) {
            // Nothing is left to say it with; the test goes on as if we were not there.
            return;
        }
    }
}
