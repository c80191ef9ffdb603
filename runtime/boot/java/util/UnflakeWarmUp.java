package java.util;

/**
 * Uses what the JDK initialises on first use (accessors of fields, above all), so that it does not happen inside of a
 * choice, where it could be a choice itself or draw identity hashes that the test would have drawn.
 */
final class UnflakeWarmUp {
    private UnflakeWarmUp() {
    }

    static void run() {
        UnflakeFields.warmUp();
        UnflakeValues.warmUp();
        Unflake.thread();
        UnflakeHashIterator.of(new HashMap<Object, Object>(), Unflake.REVERSE_PLAN, UnflakeHashIterator.KEYS);
        UnflakeOrder.apply(new Object[2], 0, 2, Unflake.GOLDEN);
    }
}
