package java.util;

/**
 * The JUnit Platform with any engine. Everything is a descriptor with a unique id, a path of segments, from which names
 * are read: {@link UnflakeUniqueId}.
 */
public final class UnflakePlatform extends UnflakeFramework {
    private static final int STARTED = 0;
    private static final int FINISHED = 1;
    private static final int SKIPPED = 2;
    private static final int INSTANCE_MADE = 3;

    private static final UnflakePlatform LISTENER = new UnflakePlatform();

    private static final String[] LAUNCHER = {
        "org.junit.platform.launcher.Launcher",
        "org.junit.platform.engine.TestEngine",
        "org.junit.platform.commons.JUnitException",
        "org.opentest4j.AssertionFailedError",
        "org.junit.jupiter.engine.JupiterTestEngine",
        "org.junit.vintage.engine.VintageTestEngine",
    };

    private UnflakePlatform() {
        super(UnflakeCodes.FRAMEWORK_PLATFORM, UnflakeCodes.FRAMEWORK_PLATFORM_NAME);
    }

    public static void started(Object adapter, Object descriptor) {
        LISTENER.hear(STARTED, adapter, descriptor);
    }

    public static void finished(Object descriptor, Object result) {
        LISTENER.hear(FINISHED, descriptor, result);
    }

    public static void skipped(Object descriptor, Object reason) {
        LISTENER.hear(SKIPPED, descriptor, reason);
    }

    /** Jupiter keeps an instance of a test class; one that is made before the test starts is shared by several. */
    public static void instanceMade(Object instance) {
        if (UnflakeHeap.watching) {
            LISTENER.hear(INSTANCE_MADE, instance, null);
        }
    }

    @Override
    boolean handle(int what, Object first, Object second) {
        switch (what) {
            case STARTED:
                return starts(first, second);
            case FINISHED:
                return finishes(first, second);
            case SKIPPED:
                isSkipped(first, String.valueOf(second));
                return false;
            case INSTANCE_MADE:
                isMade(first);
                return false;
            default:
                throw unknown(what);
        }
    }

    private boolean starts(Object adapter, Object descriptor) {
        if (isTest(descriptor)) {
            return UnflakeTests.started(this, descriptor, adapter);
        }
        if (UnflakeTests.isTestOpen()) {
            return false;
        }
        UnflakeHeap.classLevel();
        UnflakeTests.raise(this, adapter);
        String[] segments = UnflakeUniqueId.segments(uniqueId(descriptor));
        if (UnflakeUniqueId.root(segments) != segments.length - 1 || UnflakeTests.isContainerOpen(descriptor)) {
            return false;
        }
        UnflakeScopes.close();
        return UnflakeTests.containerStarted(descriptor, UnflakeUniqueId.value(segments[segments.length - 1]));
    }

    private boolean finishes(Object descriptor, Object result) {
        String status = String.valueOf(UnflakeReflection.call(result, "getStatus"));
        Object exception = orNull(UnflakeReflection.call(result, "getThrowable"));
        if (isTest(descriptor)) {
            if (!status.equals("SUCCESSFUL")) {
                int outcome = status.equals("ABORTED") ? UnflakeCodes.OUTCOME_SKIPPED : UnflakeCodes.OUTCOME_FAILED;
                UnflakeTests.failed(this, descriptor, exception, outcome);
            }
            return UnflakeTests.finished(this, descriptor);
        }
        if (UnflakeTests.isTestOpen()) {
            return false;
        }
        UnflakeHeap.classLevel();
        if (status.equals("FAILED")) {
            String[] segments = UnflakeUniqueId.segments(uniqueId(descriptor));
            String root = UnflakeUniqueId.value(segments[UnflakeUniqueId.root(segments)]);
            UnflakeTests.containerFailed(root, UnflakeFailures.failure(exception));
        }
        return UnflakeTests.containerFinished(descriptor);
    }

    /** Of a container that is skipped, its tests are told apart: nothing else is ever heard of them. */
    private void isSkipped(Object descriptor, String reason) {
        if (UnflakeTests.isTestOpen()) {
            return;
        }
        UnflakeTests.raise(this, descriptor);
        if (isTest(descriptor)) {
            UnflakeTests.skipped(names(descriptor), reason);
            return;
        }
        Object[] below = ((Collection<?>) UnflakeReflection.call(descriptor, "getDescendants")).toArray();
        for (int i = 0; i < below.length; i++) {
            if (isTest(below[i])) {
                UnflakeTests.skipped(names(below[i]), reason);
            }
        }
    }

    private static void isMade(Object instance) {
        if (instance != null && !UnflakeTests.isTestOpen() && !isForOneTest()) {
            UnflakeHeap.share(instance, instance.getClass().getName().concat(".this"));
        }
    }

    /** Jupiter makes the instance for a single test while it prepares that test. */
    private static boolean isForOneTest() {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        for (int i = 0; i < frames.length; i++) {
            if (frames[i].getMethodName().equals("prepare")
                && frames[i].getClassName().endsWith("TestMethodTestDescriptor")) {
                return true;
            }
        }
        return false;
    }

    @Override
    String[] launcherClasses() {
        return LAUNCHER;
    }

    @Override
    String[] names(Object descriptor) {
        String id = stableId(descriptor);
        String[] segments = UnflakeUniqueId.segments(id);
        String root = UnflakeUniqueId.value(segments[UnflakeUniqueId.root(segments)]);
        String[] names = UnflakeNames.of(this, root, id);
        if (segments[0].equals("engine:junit-vintage")) {
            // JUnit 4's own name for it is in the last segment: so both frameworks give the scope one name.
            String last = UnflakeUniqueId.value(segments[segments.length - 1]);
            int at = last.lastIndexOf('(');
            if (at > 0 && last.indexOf(')', at) > 0) {
                UnflakeNames.setMethod(names, last.substring(at + 1, last.indexOf(')', at)), last.substring(0, at));
                return names;
            }
        }
        String invocation = UnflakeUniqueId.invocation(segments);
        Object source = methodSource(descriptor);
        if (source == null) {
            String display = String.valueOf(UnflakeReflection.call(descriptor, "getDisplayName"));
            UnflakeNames.setTest(names, root, display, invocation);
        } else {
            String type = String.valueOf(UnflakeReflection.call(source, "getClassName"));
            String method = String.valueOf(UnflakeReflection.call(source, "getMethodName"));
            UnflakeNames.setTest(names, type, method, invocation);
        }
        return names;
    }

    /** JUnit 4's names are part of its ids here. Hashes are numbered by their order among the tests of the root. */
    private static String stableId(Object descriptor) {
        String id = uniqueId(descriptor);
        if (UnflakeStableNames.isStable(id)) {
            return id;
        }
        String[] segments = UnflakeUniqueId.segments(id);
        int at = UnflakeUniqueId.root(segments);
        String root = UnflakeUniqueId.value(segments[at]);
        if (!UnflakeStableNames.knows(root, id)) {
            UnflakeStableNames.forget(root);
            Object top = descriptor;
            for (int i = segments.length - 1; i > at; i--) {
                top = orNull(UnflakeReflection.call(top, "getParent"));
            }
            Object[] below = ((Collection<?>) UnflakeReflection.call(top, "getDescendants")).toArray();
            for (int i = 0; i < below.length; i++) {
                if (isTest(below[i])) {
                    UnflakeStableNames.of(root, uniqueId(below[i]));
                }
            }
        }
        return UnflakeStableNames.of(root, id);
    }

    /** A dynamic test says of which method it is only through the factory above it. */
    private static Object methodSource(Object descriptor) {
        for (Object d = descriptor; d != null; d = orNull(UnflakeReflection.call(d, "getParent"))) {
            Object source = orNull(UnflakeReflection.call(d, "getSource"));
            if (source != null && source.getClass().getSimpleName().equals("MethodSource")) {
                return source;
            }
        }
        return null;
    }

    private static boolean isTest(Object descriptor) {
        return Boolean.TRUE.equals(UnflakeReflection.call(descriptor, "isTest"));
    }

    private static String uniqueId(Object descriptor) {
        return String.valueOf(UnflakeReflection.call(descriptor, "getUniqueId"));
    }

    /** What is in an {@code Optional}. */
    private static Object orNull(Object optional) {
        return UnflakeReflection.call(optional, "orElse", (Object) null);
    }
}
