package java.util;

/**
 * Rearranges arrays by a plan: the same plan and size give the same rearrangement everywhere in the runtime.
 *
 * <p>A random plan for many elements is the start of a Fisher-Yates shuffle from the inside out: the i-th element
 * changes places with one of those before it, or stays. For a few elements the shuffle would take longer than all the
 * rest, so there a plan picks one of {@link #DRAWN} rearrangements that are drawn from the seed once.
 */
final class UnflakeOrder {
    /** So many places fit into a {@code long} with four bits for each. */
    static final int FEW = 16;
    /** Rearrangements for each number of elements up to {@link #FEW}. */
    private static final int DRAWN = 64;

    /** By number of elements, then by the plan's highest bits; 0: not drawn yet. */
    private static long[][] drawn = new long[FEW + 1][DRAWN];

    private UnflakeOrder() {
    }

    /** Another seed: other rearrangements. */
    static void reset() {
        drawn = new long[FEW + 1][DRAWN];
    }

    /**
     * For a random plan and a few elements (two at least): the place of the element that comes i-th, in the i-th group
     * of four bits. Never 0.
     */
    static long digits(int size, long plan) {
        if (Unflake.isGiven(plan)) {
            int[] given = UnflakeScript.given(plan);
            long order = 0;
            for (int i = size - 1; i >= 0; i--) {
                order = order << 4 | given[i];
            }
            return order;
        }
        int which = (int) (plan >>> 58);
        long[] row = drawn[size];
        long order = row[which];
        if (order == 0) {
            // Two threads may draw the same one at the same time, and draw the same.
            order = draw(size, Unflake.mix(Unflake.seed * Unflake.GOLDEN + which));
            row[which] = order;
        }
        return order;
    }

    private static long draw(int size, long start) {
        long random = start;
        long order = 0;
        for (int n = 1; n < size; n++) {
            random = random * Unflake.STEP + Unflake.STEP_ADD;
            int j = (int) ((random >>> 32) * (n + 1) >>> 32) << 2;
            long moved = order >>> j & 15;
            // The digit at j goes to the end and becomes n.
            order |= moved << (n << 2);
            order ^= (moved ^ n) << j;
        }
        return order;
    }

    /** Rearranges {@code array[from..to)} in place. */
    static void apply(Object[] array, int from, int to, long plan) {
        if (plan == Unflake.NATURAL_PLAN || to - from < 2) {
            return;
        }
        if (plan == Unflake.REVERSE_PLAN) {
            for (int i = from, j = to - 1; i < j; i++, j--) {
                Object kept = array[i];
                array[i] = array[j];
                array[j] = kept;
            }
            return;
        }
        if (Unflake.isGiven(plan)) {
            int[] given = UnflakeScript.given(plan);
            Object[] natural = Arrays.copyOfRange(array, from, to);
            for (int i = from; i < to; i++) {
                array[i] = natural[given[i - from]];
            }
            return;
        }
        if (to - from <= FEW) {
            long order = digits(to - from, plan);
            Object[] natural = Arrays.copyOfRange(array, from, to);
            for (int i = from; i < to; i++, order >>>= 4) {
                array[i] = natural[(int) order & 15];
            }
            return;
        }
        long random = plan;
        for (int n = 0; from + n < to; n++) {
            random = random * Unflake.STEP + Unflake.STEP_ADD;
            int j = from + (int) ((random >>> 32) * (n + 1) >>> 32);
            Object kept = array[from + n];
            array[from + n] = array[j];
            array[j] = kept;
        }
    }

    /** The same for numbers. */
    static void apply(int[] array, long plan) {
        Object[] boxed = new Object[array.length];
        for (int i = 0; i < array.length; i++) {
            boxed[i] = array[i];
        }
        apply(boxed, 0, boxed.length, plan);
        for (int i = 0; i < array.length; i++) {
            array[i] = (Integer) boxed[i];
        }
    }

    /** One of {@code 0..n-1} for a choice that picks instead of rearranging; {@code natural} is what the JDK picks. */
    static int pick(int natural, int n, long plan) {
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        if (Unflake.isGiven(plan)) {
            return UnflakeScript.given(plan)[0];
        }
        if (plan == Unflake.REVERSE_PLAN) {
            // The far end of the run: for two of them, always the other one.
            return 2 * natural >= n ? 0 : n - 1;
        }
        return (int) ((Unflake.mix(plan) >>> 32) * n >>> 32);
    }
}
