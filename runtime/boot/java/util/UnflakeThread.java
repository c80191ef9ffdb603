package java.util;

/**
 * What one thread did in the scope that is open: its number, how many choices it made and of which models. Only its own
 * thread writes to it, so counting needs no lock.
 */
final class UnflakeThread {
    /** Models that can be told apart; the last one stands for all that come after it. */
    static final int MODELS = 1024;

    /** The thread itself for the one that entered the scope, else null. */
    final Thread thread;
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
    final long[] models = new long[MODELS / 64];
    /** A queue whose comparator was asked for last: perhaps by one that copies it, and copies its array next. */
    Object copied;
    /** Above 0 while the runtime looks at natural orders itself: nothing is a choice then. */
    int busy;

    UnflakeThread(Thread thread) {
        this.thread = thread;
    }

    void begin(int serial, long seed, long scope, int number) {
        this.serial = serial;
        objectBase = Unflake.mix(scope + number * 0x9e3779b97f4a7c15L);
        base = Unflake.mix(objectBase ^ Unflake.mix(seed + 1));
        place = UnflakeScript.place(serial, number);
        calls = 0;
        projectCalls = 0;
        objects = 0;
        for (int i = 0; i < models.length; i++) {
            models[i] = 0;
        }
    }

    void mark(int model) {
        int bit = model < MODELS ? model : MODELS - 1;
        models[bit >>> 6] |= 1L << bit;
    }
}
