package java.util;

/** Rearranges arrays by a plan: the same plan and size give the same rearrangement everywhere in the runtime. */
final class UnflakeOrder {
    private UnflakeOrder() {
    }

    /** Rearranges {@code array[from..to)} in place. */
    static void apply(Object[] array, int from, int to, long plan) {
        if (plan == Unflake.NATURAL_PLAN) {
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
        if (plan == Unflake.NATURAL_PLAN) {
            return;
        }
        if (plan == Unflake.REVERSE_PLAN) {
            for (int i = 0, j = array.length - 1; i < j; i++, j--) {
                int kept = array[i];
                array[i] = array[j];
                array[j] = kept;
            }
            return;
        }
        long random = plan;
        for (int n = 0; n < array.length; n++) {
            random = random * Unflake.STEP + Unflake.STEP_ADD;
            int j = (int) ((random >>> 32) * (n + 1) >>> 32);
            int kept = array[n];
            array[n] = array[j];
            array[j] = kept;
        }
    }

    /** One of {@code 0..n-1} for a choice that picks instead of rearranging; {@code natural} is what the JDK picks. */
    static int pick(int natural, int n, long plan) {
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        if (plan == Unflake.REVERSE_PLAN) {
            // The far end of the run: for two of them, always the other one.
            return 2 * natural >= n ? 0 : n - 1;
        }
        return (int) ((Unflake.mix(plan) >>> 32) * n >>> 32);
    }
}
