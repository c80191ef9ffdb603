package java.util;

/** JUnit 3, which knows tests and no containers. */
public final class UnflakeJUnit3 extends UnflakeFramework {
    private static final int STARTED = 0;
    private static final int FAILED = 1;
    private static final int FINISHED = 2;

    private static final UnflakeJUnit3 LISTENER = new UnflakeJUnit3();

    private UnflakeJUnit3() {
        super(UnflakeCodes.FRAMEWORK_JUNIT3, UnflakeCodes.FRAMEWORK_JUNIT3_NAME);
    }

    public static void started(Object test) {
        LISTENER.hear(STARTED, test, null);
    }

    public static void failed(Object test, Object exception) {
        LISTENER.hear(FAILED, test, exception);
    }

    public static void finished(Object test) {
        LISTENER.hear(FINISHED, test, null);
    }

    @Override
    boolean handle(int what, Object test, Object exception) {
        switch (what) {
            case STARTED:
                return UnflakeTests.started(this, test, test);
            case FAILED:
                UnflakeTests.failed(this, test, exception, UnflakeCodes.OUTCOME_FAILED);
                return false;
            case FINISHED:
                return UnflakeTests.finished(this, test);
            default:
                throw unknown(what);
        }
    }

    @Override
    String[] names(Object test) {
        String type = test.getClass().getName();
        Object method;
        try {
            method = UnflakeReflection.call(test, "getName");
        } catch (Throwable none) {
            // Not a TestCase; some tests are only runnable.
            method = null;
        }
        String name = method == null ? UnflakeFailures.guardedText(test) : String.valueOf(method);
        String[] names = UnflakeNames.of(this, type, name.concat("(").concat(type).concat(")"));
        UnflakeNames.setMethod(names, type, name);
        return names;
    }
}
