package java.util;

/**
 * Each thread's own numbers. A thread that is made gets them from the one that makes it: the JDK calls
 * {@link #childValue} there, inside of the constructor of {@code Thread}. It does not for threads that are made without
 * inherited values, such as the workers of the common pool since Java 19; they count as unknown.
 */
final class UnflakeThreads extends InheritableThreadLocal<UnflakeThread> {
    @Override
    protected UnflakeThread childValue(UnflakeThread parent) {
        return parent == null ? null : parent.makes();
    }
}
