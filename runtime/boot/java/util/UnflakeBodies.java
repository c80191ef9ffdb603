package java.util;

/**
 * Code of tests that is looked at on its own while shared state is watched: what stands between set-up and tear-down,
 * and the static initialisers of test classes.
 */
public final class UnflakeBodies extends UnflakeListener {
    private static final int STARTED = 0;
    private static final int FINISHED = 1;
    private static final int TEST_CLASS_READY = 2;

    private static final UnflakeBodies LISTENER = new UnflakeBodies();

    private UnflakeBodies() {}

    public static void started() {
        if (UnflakeHeap.watching) {
            LISTENER.hear(STARTED, null, null);
        }
    }

    /** Not called for a body that throws. */
    public static void finished() {
        if (UnflakeHeap.watching) {
            LISTENER.hear(FINISHED, null, null);
        }
    }

    /** The static initialiser of a test class is through: what it has done elsewhere is the doing of the class. */
    public static void testClassReady(String name) {
        if (UnflakeHeap.watching) {
            LISTENER.hear(TEST_CLASS_READY, name, null);
        }
    }

    @Override
    boolean handle(int what, Object name, Object nothing) {
        String[] test = UnflakeTests.openNames();
        switch (what) {
            case STARTED:
                if (test != null) {
                    UnflakeHeap.bodyStarts(test);
                }
                return false;
            case FINISHED:
                if (test != null) {
                    UnflakeHeap.bodyEnds(test);
                }
                return false;
            case TEST_CLASS_READY:
                UnflakeHeap.testClassReady((String) name);
                return false;
            default:
                throw unknown(what);
        }
    }
}
