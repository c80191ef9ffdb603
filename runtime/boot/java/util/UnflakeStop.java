package java.util;

/** Thrown and caught at a choice, for a debugger that was told to wake up then (`unflake replay --jdwp --stop`). */
final class UnflakeStop extends Exception {
    private static final long serialVersionUID = 1;
}
