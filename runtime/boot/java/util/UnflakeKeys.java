package java.util;

import java.io.File;
import java.lang.reflect.Member;

/**
 * What a permutation depends on below level FULL (N5): values for EQ, numbers of objects for ID. Identity hashes are
 * never used for it: drawing one would shift all that come after it.
 */
final class UnflakeKeys {
    private UnflakeKeys() {
    }

    /** The number of an object, given at its first choice; 0 for null. */
    static long number(UnflakeThread own, Object object) {
        if (object == null) {
            return 0;
        }
        long number = UnflakeNative.number(object);
        if (number == 0) {
            number = Unflake.mix(own.objectBase + ++own.objects * Unflake.GOLDEN) | 1;
            UnflakeNative.setNumber(object, number);
        }
        return number;
    }

    /** The value of a map at level EQ: its keys' hashes, which it has stored, in no order. */
    static long hashes(HashMap<?, ?> map) {
        long sum = 0;
        HashMap.Node<?, ?>[] table = map.table;
        if (table != null) {
            int left = map.size;
            for (HashMap.Node<?, ?> bin : table) {
                for (HashMap.Node<?, ?> node = bin; node != null && left > 0; node = node.next, left--) {
                    sum += Unflake.mix(node.hash);
                }
            }
        }
        return sum;
    }
}
