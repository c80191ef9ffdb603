package java.util;

/**
 * Containers and tests of any framework, from when they start until they end: opens and closes their scopes and tells
 * the program.
 *
 * <p>Several frameworks may report the same test: the JUnit Platform runs JUnit 4 tests through its vintage engine, and
 * JUnit 4 runs JUnit 3 tests. The outermost one counts: once a framework of a higher rank has spoken in this JVM, lower
 * ones are not listened to. A test that runs tests itself (tests of test frameworks do) stays one test: while it is
 * open on a thread, whatever else starts on that thread is passed over.
 *
 * <p>What returns a boolean says what a listener has to return: see {@link UnflakeListener#handle}.
 */
final class UnflakeTests {
    /** The highest rank that has spoken. */
    private static int rank = -1;

    private static boolean recipeSent;

    private static Test tests;
    private static Root roots;

    private UnflakeTests() {}

    private static final class Test {
        final UnflakeFramework framework;
        final Object key;
        final String[] names;
        final Thread thread = Thread.currentThread();
        final Root root;
        UnflakeScopes.Choices choices;
        long since;
        int nested;
        int outcome = UnflakeCodes.OUTCOME_PASSED;
        String[] failure;
        Test next;

        Test(UnflakeFramework framework, Object key, String[] names, Root root, Test next) {
            this.framework = framework;
            this.key = key;
            this.names = names;
            this.root = root;
            this.next = next;
        }

        boolean is(UnflakeFramework framework, Object key) {
            return this.framework == framework && framework.isSame(this.key, key);
        }
    }

    private static final class Root {
        final Object key;
        final String name;
        final Thread thread = Thread.currentThread();
        final UnflakeScopes.Choices choices = new UnflakeScopes.Choices();
        String[] failure;
        Root next;

        Root(Object key, String name, Root next) {
            this.key = key;
            this.name = name;
            this.next = next;
        }
    }

    /** Nothing runs now: frameworks are ranked anew, and what an earlier run has left open is forgotten. */
    static void reset() {
        rank = -1;
        tests = null;
        roots = null;
    }

    // ---- Who is listened to.

    static boolean listens(UnflakeFramework framework) {
        return framework.rank >= rank;
    }

    /** Called with the first object of the framework that speaks, which shows where it was loaded from. */
    static void raise(UnflakeFramework framework, Object speaker) {
        synchronized (UnflakeScopes.LOCK) {
            if (framework.rank > rank) {
                rank = framework.rank;
            }
            if (recipeSent || !Unflake.learning) {
                return;
            }
            recipeSent = true;
        }
        UnflakeRecipe.send(framework, speaker);
    }

    // ---- Containers.

    /** Whether a container with this key is open; {@code null}: one that was opened on this thread. */
    static boolean isContainerOpen(Object key) {
        return openRoot(key, null) != null;
    }

    /** The root that is open on this thread, for frameworks whose tests do not name theirs. */
    static String rootName() {
        Root root = openRoot(null, null);
        return root == null ? "" : root.name;
    }

    /** What was started to run that root; {@code null}: none is open on this thread. */
    static Object rootKey() {
        Root root = openRoot(null, null);
        return root == null ? null : root.key;
    }

    private static Root openRoot(Object key, String name) {
        Thread thread = Thread.currentThread();
        synchronized (UnflakeScopes.LOCK) {
            for (Root root = roots; root != null; root = root.next) {
                if (key != null ? root.key == key : name != null ? root.name.equals(name) : root.thread == thread) {
                    return root;
                }
            }
            return null;
        }
    }

    static boolean containerStarted(Object key, String name) {
        UnflakeNative.event(UnflakeCodes.EVENT_CONTAINER_STARTED, new String[] {name}, UnflakeEvents.NO_NUMBERS);
        synchronized (UnflakeScopes.LOCK) {
            roots = new Root(key, name, roots);
            UnflakeScopes.open(roots.choices, name);
        }
        return true;
    }

    static boolean containerFinished(Object key) {
        Root root = openRoot(key, null);
        if (root == null) {
            return false;
        }
        synchronized (UnflakeScopes.LOCK) {
            UnflakeScopes.close();
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
        String[] texts = {root.name};
        int outcome = UnflakeCodes.OUTCOME_PASSED;
        if (root.failure != null) {
            // What an assertion compared is told of tests only.
            texts = Arrays.copyOf(texts, 1 + UnflakeCodes.FAILURE_EXPECTED);
            System.arraycopy(root.failure, 0, texts, 1, UnflakeCodes.FAILURE_EXPECTED);
            outcome = UnflakeCodes.OUTCOME_FAILED;
        }
        UnflakeNative.event(UnflakeCodes.EVENT_CONTAINER_FINISHED, texts, root.choices.numbers(outcome, 0));
        return true;
    }

    static void containerFailed(String name, String[] failure) {
        Root root = openRoot(null, name);
        if (root != null && root.failure == null) {
            root.failure = failure;
        }
    }

    // ---- Tests.

    /** Whether a test is open on this thread. */
    static boolean isTestOpen() {
        return openTest() != null;
    }

    /** The names of the test that is open on this thread; {@code null}: none is. */
    static String[] openNames() {
        Test test = openTest();
        return test == null ? null : test.names;
    }

    private static Test openTest() {
        Thread thread = Thread.currentThread();
        synchronized (UnflakeScopes.LOCK) {
            for (Test test = tests; test != null; test = test.next) {
                if (test.thread == thread) {
                    return test;
                }
            }
            return null;
        }
    }

    static boolean started(UnflakeFramework framework, Object key, Object speaker) {
        Test outer = openTest();
        if (outer != null || !listens(framework)) {
            if (outer != null && outer.is(framework, key)) {
                outer.nested++;
            }
            return false;
        }
        raise(framework, speaker);
        String[] names = framework.names(key);
        UnflakeHeap.testStarts(names[UnflakeCodes.NAME_ROOT]);
        UnflakeNative.event(UnflakeCodes.EVENT_TEST_STARTED, names, UnflakeEvents.NO_NUMBERS);
        UnflakeInitialisers.dropAll();
        String name = UnflakeNames.scope(names);
        synchronized (UnflakeScopes.LOCK) {
            tests = new Test(framework, key, names, openRoot(null, names[UnflakeCodes.NAME_ROOT]), tests);
            tests.choices = UnflakeScopes.starting(name);
            tests.since = System.nanoTime();
            UnflakeScopes.start(tests.choices, name);
        }
        return true;
    }

    static void failed(UnflakeFramework framework, Object key, Object exception, int outcome) {
        if (!listens(framework)) {
            return;
        }
        Test test = find(framework, key);
        if (test == null && isTestOpen()) {
            return;
        }
        String[] failure = UnflakeFailures.failure(exception);
        if (test == null) {
            framework.failedOutside(outcome, failure);
            return;
        }
        // A failure after a failed assumption (in tear-down) counts; of several failures the first.
        boolean counts = test.outcome == UnflakeCodes.OUTCOME_PASSED
            || test.outcome == UnflakeCodes.OUTCOME_SKIPPED && outcome == UnflakeCodes.OUTCOME_FAILED;
        if (test.nested == 0 && counts) {
            test.outcome = outcome;
            test.failure = failure;
        }
    }

    static boolean finished(UnflakeFramework framework, Object key) {
        Test test = find(framework, key);
        if (test == null || test.nested > 0) {
            if (test != null) {
                test.nested--;
            }
            return false;
        }
        long nanos = System.nanoTime() - test.since;
        synchronized (UnflakeScopes.LOCK) {
            UnflakeScopes.close(test.choices);
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
        String[] texts = withRoomForFailure(test.names);
        if (test.failure != null) {
            System.arraycopy(test.failure, 0, texts, UnflakeCodes.NAME_COUNT, UnflakeCodes.FAILURE_COUNT);
        }
        // A test that finished was watched to its end, or the JVM ended with it.
        UnflakeHeap.testEnds(test.names);
        UnflakeNative.event(UnflakeCodes.EVENT_TEST_FINISHED, texts, test.choices.numbers(test.outcome, nanos));
        if (test.root != null) {
            UnflakeScopes.openIfNone(test.root.choices, "after ".concat(UnflakeNames.scope(test.names)));
        }
        UnflakeScopes.resumeIfAny();
        return true;
    }

    /** A test that is not run. */
    static void skipped(String[] names, String reason) {
        String[] texts = withRoomForFailure(names);
        texts[UnflakeCodes.NAME_COUNT + UnflakeCodes.FAILURE_MESSAGE] = UnflakeFailures.cut(reason);
        long[] numbers = new UnflakeScopes.Choices().numbers(UnflakeCodes.OUTCOME_SKIPPED, 0);
        UnflakeNative.event(UnflakeCodes.EVENT_TEST_FINISHED, texts, numbers);
    }

    private static String[] withRoomForFailure(String[] names) {
        String[] texts = new String[UnflakeCodes.NAME_COUNT + UnflakeCodes.FAILURE_COUNT];
        System.arraycopy(names, 0, texts, 0, UnflakeCodes.NAME_COUNT);
        return texts;
    }

    /** The open test that this is, on this thread or else on any. */
    private static Test find(UnflakeFramework framework, Object key) {
        Thread thread = Thread.currentThread();
        synchronized (UnflakeScopes.LOCK) {
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
}
