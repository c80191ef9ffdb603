package java.util;

/**
 * Static initialisers, while learning. One has chosen if its thread made choices between its start and its end; the
 * program is told of those. The window stays open here.
 */
public final class UnflakeInitialisers {
    private static final Object LOCK = new Object();

    /** The innermost of a thread first. */
    private static Running running;

    private UnflakeInitialisers() {}

    private static final class Running {
        final String name;
        final Thread thread;
        final long choices = choices();
        Running next;

        Running(String name, Thread thread, Running next) {
            this.name = name;
            this.thread = thread;
            this.next = next;
        }
    }

    public static void started(String name) {
        synchronized (LOCK) {
            running = new Running(name, Thread.currentThread(), running);
        }
    }

    public static void finished(String name) {
        Thread thread = Thread.currentThread();
        synchronized (LOCK) {
            // One that threw has not said so: it is dropped together with the one around it.
            Running last = running;
            while (last != null && !(last.thread == thread && last.name.equals(name))) {
                last = last.next;
            }
            if (last != null) {
                drop(thread, last);
                if (last.choices != choices()) {
                    UnflakeNative.event(
                        UnflakeCodes.EVENT_INITIALISER_CHOSE, new String[] {name}, UnflakeEvents.NO_NUMBERS);
                }
            }
        }
    }

    /** Whether an initialiser is running on any thread. */
    static boolean isAny() {
        return running != null;
    }

    /** Forgets what this thread started: a test begins, so all of it has thrown. */
    static void dropAll() {
        synchronized (LOCK) {
            drop(Thread.currentThread(), null);
        }
    }

    /**
     * Choices that the project made on this thread in the open scope. Asked only with the window open: asking gives the
     * thread a number.
     */
    static long choices() {
        return Unflake.open ? Unflake.thread().projectCalls : 0;
    }

    /** Removes what this thread started, up to and including {@code last}; all of it if {@code null}. */
    private static void drop(Thread thread, Running last) {
        Running kept = null;
        Running end = null;
        boolean through = false;
        for (Running i = running; i != null; i = i.next) {
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
        running = kept;
    }
}
