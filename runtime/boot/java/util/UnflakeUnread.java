package java.util;

/** Stands for every object that a root reaches and that is not read, where only a sample is ({@link UnflakeHeap}). */
final class UnflakeUnread {
    static final UnflakeUnread ONE = new UnflakeUnread();

    private UnflakeUnread() {}
}
