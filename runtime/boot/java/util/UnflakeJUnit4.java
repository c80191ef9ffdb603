package java.util;

import java.lang.reflect.Method;

/**
 * JUnit 4. A container is a runner with a class of its own. A test's description is made anew whenever it is needed,
 * and says nothing of the runner: a test belongs to the runner that is open on its thread.
 */
public final class UnflakeJUnit4 extends UnflakeFramework {
    private static final int RUNNER_STARTED = 0;
    private static final int RUNNER_FINISHED = 1;
    private static final int STARTING = 2;
    private static final int STARTED = 3;
    private static final int FINISHED = 4;
    private static final int FAILED = 5;
    private static final int ASSUMPTION_FAILED = 6;
    private static final int IGNORED = 7;

    private static final UnflakeJUnit4 LISTENER = new UnflakeJUnit4();

    /** The classes whose {@code suite()} a runner runs. */
    private static final WeakHashMap<Object, Class<?>> SUITE_RUNNERS = new WeakHashMap<Object, Class<?>>();

    private UnflakeJUnit4() {
        super(UnflakeCodes.FRAMEWORK_JUNIT4, UnflakeCodes.FRAMEWORK_JUNIT4_NAME);
    }

    public static void runnerStarted(Object runner) {
        LISTENER.hear(RUNNER_STARTED, runner, null);
    }

    public static void runnerFinished(Object runner) {
        LISTENER.hear(RUNNER_FINISHED, runner, null);
    }

    /** Before JUnit 4.13 the test's instance is made before the test is said to start: its scope begins here. */
    public static void starting(Object runner, Object method) {
        LISTENER.hear(STARTING, runner, method);
    }

    public static void started(Object description) {
        LISTENER.hear(STARTED, description, null);
    }

    public static void finished(Object description) {
        LISTENER.hear(FINISHED, description, null);
    }

    public static void failed(Object failure) {
        LISTENER.hear(FAILED, failure, null);
    }

    public static void assumptionFailed(Object failure) {
        LISTENER.hear(ASSUMPTION_FAILED, failure, null);
    }

    public static void ignored(Object description) {
        LISTENER.hear(IGNORED, description, null);
    }

    /** JUnit 3's {@code suite()} methods: the runner does not keep the class, and the suite may have any name. */
    public static void suiteMade(Object runner, Object type) {
        synchronized (SUITE_RUNNERS) {
            SUITE_RUNNERS.put(runner, (Class<?>) type);
        }
    }

    @Override
    boolean handle(int what, Object first, Object second) {
        switch (what) {
            case RUNNER_STARTED:
                return runnerStarts(first);
            case RUNNER_FINISHED:
                UnflakeHeap.classLevel();
                return UnflakeTests.containerFinished(first);
            case STARTING:
                return testIsMade(first, second);
            case STARTED:
                return UnflakeTests.started(this, first, first);
            case FINISHED:
                return UnflakeTests.finished(this, first);
            case FAILED:
                fails(first, UnflakeCodes.OUTCOME_FAILED);
                return false;
            case ASSUMPTION_FAILED:
                fails(first, UnflakeCodes.OUTCOME_SKIPPED);
                return false;
            case IGNORED:
                isIgnored(first);
                return false;
            default:
                throw unknown(what);
        }
    }

    /** A runner without a class of its own is how JUnit joins several classes, and no container. */
    private boolean runnerStarts(Object runner) {
        UnflakeHeap.classLevel();
        String name = UnflakeTests.listens(this) && !UnflakeTests.isTestOpen() ? runnerClass(runner) : null;
        if (name == null) {
            return false;
        }
        UnflakeTests.raise(this, runner);
        if (UnflakeTests.isContainerOpen(null)) {
            // A runner inside of a runner: the outermost is the one that the build started.
            UnflakeScopes.resumeIfAny();
            return true;
        }
        return UnflakeTests.containerStarted(runner, name);
    }

    private boolean testIsMade(Object runner, Object method) {
        if (UnflakeTests.isTestOpen()) {
            return false;
        }
        String[] names = names(UnflakeReflection.call(runner, "describeChild", method), "");
        if (!UnflakeNames.isTest(names)) {
            return false;
        }
        UnflakeHeap.testStarts(UnflakeTests.rootName());
        UnflakeScopes.openEarly(UnflakeNames.scope(names));
        return true;
    }

    private void fails(Object failure, int outcome) {
        Object description = UnflakeReflection.call(failure, "getDescription");
        UnflakeTests.failed(this, description, UnflakeReflection.call(failure, "getException"), outcome);
    }

    private void isIgnored(Object description) {
        if (!UnflakeTests.listens(this) || UnflakeTests.isTestOpen()) {
            return;
        }
        UnflakeTests.raise(this, description);
        String[] names = names(description);
        if (UnflakeNames.isTest(names)) {
            UnflakeTests.skipped(names, "ignored");
        }
    }

    /** Set-up and tear-down of a class fail with the description of the class. */
    @Override
    void failedOutside(int outcome, String[] failure) {
        if (outcome == UnflakeCodes.OUTCOME_FAILED) {
            UnflakeTests.containerFailed(UnflakeTests.rootName(), failure);
        }
    }

    @Override
    boolean isSame(Object description, Object other) {
        return description == other || description.equals(other);
    }

    @Override
    String[] names(Object description) {
        return names(description, UnflakeTests.rootName());
    }

    /** The display name is {@code method(package.Class)}; a container's is anything else. */
    private String[] names(Object description, String root) {
        String id = stableName(String.valueOf(UnflakeReflection.call(description, "getDisplayName")));
        int at = id.lastIndexOf('(');
        boolean isTest = at > 0 && id.endsWith(")");
        String type = isTest ? id.substring(at + 1, id.length() - 1) : id;
        String[] names = UnflakeNames.of(this, root.isEmpty() ? type : root, id);
        if (isTest) {
            UnflakeNames.setMethod(names, type, id.substring(0, at));
        } else {
            UnflakeNames.setContainer(names, type);
        }
        return names;
    }

    /** Without hashes: they are numbered by their order in the runner that is open, unless they are known already. */
    private static String stableName(String name) {
        if (UnflakeStableNames.isStable(name)) {
            return name;
        }
        String root = UnflakeTests.rootName();
        Object runner = UnflakeTests.rootKey();
        if (runner != null && !UnflakeStableNames.knows(root, name)) {
            UnflakeStableNames.forget(root);
            number(root, UnflakeReflection.call(runner, "getDescription"));
        }
        return UnflakeStableNames.of(root, name);
    }

    private static void number(String root, Object description) {
        Object[] below = ((Collection<?>) UnflakeReflection.call(description, "getChildren")).toArray();
        if (below.length == 0) {
            UnflakeStableNames.of(root, String.valueOf(UnflakeReflection.call(description, "getDisplayName")));
        }
        for (int i = 0; i < below.length; i++) {
            number(root, below[i]);
        }
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
        Method getTestClass = UnflakeReflection.method(runner.getClass(), "getTestClass", 0);
        if (getTestClass != null) {
            Object testClass = UnflakeReflection.invoke(getTestClass, runner);
            Object type = testClass == null || testClass instanceof Class ? testClass
                : UnflakeReflection.call(testClass, "getJavaClass");
            return type == null ? null : ((Class<?>) type).getName();
        }
        Object description = UnflakeReflection.call(runner, "getDescription");
        String name = String.valueOf(UnflakeReflection.call(description, "getDisplayName"));
        return name.isEmpty() || name.equals("null") ? null : name;
    }
}
