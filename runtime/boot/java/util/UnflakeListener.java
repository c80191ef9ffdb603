package java.util;

/**
 * The one shape of everything that edits of test frameworks call: the window is closed while a listener works, nothing
 * that goes wrong in it reaches the framework, and afterwards the window is as it was.
 *
 * <p>An entry point is a public static method that calls {@link #hear} with its own number and what the edit gave it.
 */
abstract class UnflakeListener {
    /**
     * Does what an entry point is for, with the window closed.
     *
     * @param what the entry point's number
     * @return true: a scope was opened, or closed for good, and nothing may be done but to return to the framework;
     *     false: the scope goes on
     */
    abstract boolean handle(int what, Object first, Object second);

    final void hear(int what, Object first, Object second) {
        boolean open = UnflakeScopes.pause();
        try {
            if (handle(what, first, second)) {
                return;
            }
        } catch (Throwable problem) {
            UnflakeEvents.bug(problem);
            open &= UnflakeScopes.isAny();
        }
        UnflakeScopes.resume(open);
    }

    /** A number that is no entry point's. */
    static IllegalArgumentException unknown(int what) {
        return new IllegalArgumentException("no entry point ".concat(String.valueOf(what)));
    }
}
