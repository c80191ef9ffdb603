package java.util;

/**
 * Everything the runtime asks of the agent. The agent's library exports these functions by name; they are never
 * registered, since Java 17 and later answer a registration on a class of {@code java.base} with a warning on standard
 * output, which build tools use as their channel.
 */
public final class UnflakeNative {
    private UnflakeNative() {}

    /** The number given to an object by {@link #setNumber}; 0 if it has none. */
    public static native long number(Object object);

    public static native void setNumber(Object object, long number);

    /** Whether objects of this class have another hash code than {@code Object} gives them. */
    static native boolean hasOwnHashCode(Class<?> type);

    /**
     * Which of these JDK classes are loaded, a bit each; loads none. The first call's names stand for all later calls.
     */
    static native long loaded(String[] names);

    /** All live threads. */
    static native Object[] threads();

    /**
     * Whether the innermost caller that is neither the JDK nor an assertion is the project's own code or a library's.
     */
    public static native boolean callerIsProject();

    /** Whether the caller's filters (and "this order is meant") let this choice vary. */
    public static native boolean callerAllowed();

    /** Tells the program something; {@link UnflakeCodes} has the kinds. */
    static native void event(int kind, String[] fields, long[] numbers);

    /**
     * Where the current thread's generator of identity hashes stands, told by hashes just drawn from it.
     *
     * @return how many others were drawn since the last call on this thread; {@link UnflakeCodes#DRAWN_UNSEEN}: this
     *     thread was not seen yet, draw some more; {@link UnflakeCodes#DRAWN_UNKNOWN}: this JVM's generator cannot be
     *     followed
     */
    static native int hashes(int[] drawn);

    /**
     * How objects of a class are read.
     *
     * @param about filled from {@code SHAPE_ID} on in {@link UnflakeCodes}
     * @return sources, then fields; an array of two stands for a field of the object in a field
     */
    static native Object[] shape(Class<?> type, int[] about);

    /**
     * The static fields of a class that are roots.
     *
     * @param first filled with the number of the first; the others follow
     */
    static native Object[] statics(Class<?> type, int[] first);

    /** The number of a root that is an object. */
    static native int sharedRoot(String name);

    /** Classes that were loaded since the last call, and whose static fields may be roots. */
    static native Object[] newClasses();

    /** Hands over a part of a state of the heap. */
    static native void walkedPart(long address, long bytes);

    /** What was handed over from this byte on does not count. */
    static native void rewind(long to);

    /**
     * Hands over the last part of a state of the heap, and one of the JVM (null: as it was); whether the heap differs
     * from the last one.
     *
     * @param by whose code ran before, from {@code AUTHOR_CLASS} on in {@link UnflakeCodes}
     * @param names the names of that class or test
     * @param again whether nothing ran since the last state, which differed
     * @param nanos how long it took to write the heap's
     * @param held the memory that the walker has for itself
     * @param whileWalked what it had beside that while it walked
     */
    static native boolean walked(
        long address, long bytes, int by, String[] names, boolean again, String[] jvm, long nanos, long held,
        long whileWalked);

    /** From here on it is watched what happens to files. */
    static native void watchFiles();

    /** A root is looked at no more: reading it ended with this exception. */
    static native void refused(int root, String problem);

    /** A root reaches so many objects that only a sample of them is read from now on. */
    static native void sampled(int root);

    /**
     * A class could not be initialised before the first test.
     *
     * @param problem from {@code LOAD_THROWS} on in {@link UnflakeCodes}
     * @param detail the exception, if there is one
     */
    static native void notLoaded(String name, int problem, String detail);

    /**
     * A walk ended with this exception: what was done before it is not known.
     *
     * @param by whose code ran before, and {@code names} their names, as for {@link #walked}
     */
    static native void walkFailed(int by, String[] names, String problem);

    /** For the test runner: waits for a command; {@code null} when the JVM is to end. */
    public static native String[] nextCommand();

    /** For the test runner: the tests of the last command are through. */
    public static native void runFinished();
}
