package java.util;

/**
 * Initialises classes before the first test. A static initialiser is somebody else's code: it may throw, take its time,
 * or wait for something that only a test's set-up does. So it runs on a thread of its own, and a class that is not
 * through in time is given up; the others follow on another thread. What was given up may still come to its end: who
 * uses the class meanwhile waits for it, as Java wants it.
 */
final class UnflakeLoading extends Thread {
    /** What one class may take. */
    private static final long LIMIT = 3_000_000_000L;
    /** What all of them may take: behind the program's patience with a set-up there is no test any more. */
    private static final long LIMIT_OF_ALL = 20_000_000_000L;
    private static final int TURN = 50;

    private final String[] names;
    private final ClassLoader loader;
    /** The class that is being initialised. */
    private volatile int at;
    private volatile boolean isGivenUp;

    private UnflakeLoading(String[] names, int first, ClassLoader loader) {
        super("unflake-loading");
        this.names = names;
        this.loader = loader;
        this.at = first;
        setDaemon(true);
        setContextClassLoader(loader);
    }

    static void load(String[] names) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        long began = System.nanoTime();
        int next = 0;
        while (next < names.length && System.nanoTime() - began < LIMIT_OF_ALL) {
            UnflakeLoading thread = new UnflakeLoading(names, next, loader);
            thread.start();
            next = thread.await(began);
        }
        for (; next < names.length; next++) {
            UnflakeNative.notLoaded(names[next], UnflakeCodes.LOAD_NO_TIME, "");
        }
    }

    @Override
    public void run() {
        for (int i = at; i < names.length && !isGivenUp; i++) {
            at = i;
            try {
                Class.forName(names[i], true, loader);
            } catch (Throwable problem) {
                // It is given up for this class: another loader has it, or it cannot be used without set-up.
                UnflakeNative.notLoaded(names[i], UnflakeCodes.LOAD_THROWS, problem.getClass().getName());
            }
        }
    }

    /** Waits until this thread is through or stays with one class for too long; the first class that is left. */
    private int await(long began) {
        boolean isInterrupted = false;
        int seen = at;
        int left = names.length;
        long since = System.nanoTime();
        while (true) {
            try {
                join(TURN);
            } catch (InterruptedException forTheTest) {
                isInterrupted = true;
            }
            if (!isAlive()) {
                break;
            }
            long now = System.nanoTime();
            int current = at;
            if (current != seen) {
                seen = current;
                since = now;
            }
            if (now - since > LIMIT || now - began > LIMIT_OF_ALL) {
                isGivenUp = true;
                UnflakeNative.notLoaded(names[seen], UnflakeCodes.LOAD_BLOCKS, "");
                left = seen + 1;
                break;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return left;
    }
}
