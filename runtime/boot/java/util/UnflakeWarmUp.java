package java.util;

/** Loads and initialises all of the runtime, so that nothing of it happens inside of a choice. */
final class UnflakeWarmUp {
    private UnflakeWarmUp() {
    }

    static void run() {
    }
}
