package java.util;

import java.util.concurrent.ForkJoinWorkerThread;

/**
 * What one thread did in the scope that is open: its number, how many choices it made and of which models. Only its own
 * thread writes to it, so counting needs no lock.
 *
 * <p>A thread has its number from the one that made it: the n-th that the scope's own thread makes is n, and the n-th
 * of another has a hash of that one's number and n. So threads that race for the first choice choose alike in every
 * run. Who makes workers of a fork/join pool, and when, is chance; threads that are older than the scope were made by
 * somebody that it does not know. Both count in the order of their first choices, which is the same in every run if
 * they work one after the other.
 */
final class UnflakeThread {
    /** Models that can be told apart; the last one stands for all that come after it. */
    static final int MODELS = 1024;

    /** Places in a script have 12 bits for the thread. Up to here they are numbers of threads that are known. */
    private static final int KNOWN_PLACES = 1 << 10;
    /** From here on there are places for threads with a hash as their number; those between are for unknown ones. */
    private static final int HASHED_PLACES = 1 << 11;

    private static final int NO_SCOPE = -1;
    private static final long[] NO_MODELS = new long[MODELS / 64];

    /** The thread itself for the one that entered the scope, else null. */
    final Thread thread;
    /** The scope in which it was made, as {@link Unflake#serial} was then; for the one that entered a scope, that. */
    private final int scope;
    /** Its number in that scope. */
    private final long number;
    /** Threads that it has made in that scope. */
    private int made;
    /** Which scope the numbers below belong to: {@link Unflake#serial} when they were last reset. */
    int serial;
    /** What keys at level FULL start from: seed, scope, number of the thread. */
    long base;
    /** What numbers of objects start from: scope and number of the thread, not the seed. */
    long objectBase;
    /** The place of its first choice in a script. */
    long place;
    /** Choices so far. */
    long calls;
    /** While learning: those that the project made, counted until one is known and whenever an initialiser runs. */
    long projectCalls;
    /** Objects numbered so far. */
    long objects;
    /** Bit set of the models that chose. */
    long[] models = NO_MODELS;
    /** A queue whose comparator was asked for last: perhaps by one that copies it, and copies its array next. */
    Object copied;
    /** Above 0 while the runtime looks at natural orders itself: nothing is a choice then. */
    int busy;

    private UnflakeThread(Thread thread, int scope, long number) {
        this.thread = thread;
        this.scope = scope;
        this.number = number;
    }

    /** The current thread, which enters a scope. */
    static UnflakeThread entering(int scope) {
        return new UnflakeThread(Thread.currentThread(), scope, 0);
    }

    /** A thread of which it is not known who made it. */
    static UnflakeThread unknown() {
        return new UnflakeThread(null, NO_SCOPE, 0);
    }

    /** What a thread starts with that this one, the current thread, makes; null if that one is to count as unknown. */
    UnflakeThread makes() {
        if (!isKnown(Unflake.serial)) {
            return null;
        }
        made++;
        return new UnflakeThread(null, scope, number == 0 ? made : Unflake.mix(number + made * Unflake.GOLDEN));
    }

    /** Whether this, the current thread, has a number from the one that made it. */
    boolean isKnown(int scope) {
        return this.scope == scope && (thread != null || !(Thread.currentThread() instanceof ForkJoinWorkerThread));
    }

    /** A scope begins for the thread that entered it, or for one that is known there. */
    void begin(int serial, long seed, long scope) {
        boolean small = number >>> 32 == 0 && number < KNOWN_PLACES;
        begin(serial, seed, scope, number, small ? (int) number : HASHED_PLACES | (int) (number >>> 53));
    }

    /** The same for the n-th of the others. Its choices are those of the n-th thread that the scope's own one makes. */
    void beginUnknown(int serial, long seed, long scope, int n) {
        begin(serial, seed, scope, n, KNOWN_PLACES | n & KNOWN_PLACES - 1);
    }

    private void begin(int serial, long seed, long scope, long number, int place) {
        this.serial = serial;
        objectBase = Unflake.mix(scope + number * 0x9e3779b97f4a7c15L);
        base = Unflake.mix(objectBase ^ Unflake.mix(seed + 1));
        this.place = UnflakeScript.place(serial, place);
        calls = 0;
        projectCalls = 0;
        objects = 0;
        models = new long[MODELS / 64];
    }

    void mark(int model) {
        int bit = model < MODELS ? model : MODELS - 1;
        models[bit >>> 6] |= 1L << bit;
    }
}
