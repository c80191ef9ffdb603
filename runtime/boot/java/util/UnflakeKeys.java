package java.util;

import java.io.File;
import java.lang.reflect.Member;

/**
 * What a permutation depends on below level FULL (N5): values for EQ, numbers of objects and modification counts for
 * ID. Identity hashes are never drawn for it: that would shift all that come after.
 */
final class UnflakeKeys {
    private UnflakeKeys() {
    }

    /** The plan for a choice among {@code n} elements of {@code owner} (null: nobody's), counted from {@code from}. */
    static long plan(UnflakeThread own, int model, Object owner, Object[] elements, int from, int n) {
        if (Unflake.scripted) {
            return UnflakeScript.plan(own, model, owner, elements, from, n);
        }
        return Unflake.choose(own, model) ? varied(own, owner, elements, from, n) : Unflake.NATURAL_PLAN;
    }

    static long varied(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        int how = Unflake.level;
        if (how == Unflake.FULL) {
            return Unflake.planOfCall(own);
        }
        if (Unflake.form == Unflake.REVERSE) {
            return Unflake.REVERSE_PLAN;
        }
        long key = n;
        if (how == Unflake.EQ) {
            key = Unflake.mix(key) + value(own, owner, elements, from, n);
        } else if (how == Unflake.ID) {
            key = Unflake.mix(key) + identity(own, owner, elements, from, n);
        }
        return Unflake.planOf(Unflake.mix(key));
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

    /** Whether {@code owner} has a modification count that can be read. */
    static boolean counts(Object owner) {
        return owner instanceof HashMap || owner instanceof WeakHashMap || owner instanceof IdentityHashMap
            || owner instanceof PriorityQueue || owner instanceof Hashtable;
    }

    /** The modification count of {@code owner}; always 0 if it has none. */
    static int modCount(Object owner) {
        if (owner instanceof HashMap) {
            return ((HashMap<?, ?>) owner).modCount;
        }
        if (owner instanceof Hashtable) {
            return UnflakeFields.modCount((Hashtable<?, ?>) owner);
        }
        if (owner instanceof WeakHashMap) {
            return ((WeakHashMap<?, ?>) owner).modCount;
        }
        if (owner instanceof IdentityHashMap) {
            return ((IdentityHashMap<?, ?>) owner).modCount;
        }
        if (owner instanceof PriorityQueue) {
            return ((PriorityQueue<?>) owner).modCount;
        }
        return 0;
    }

    /** The value of a {@code HashMap} at level EQ: its keys' hashes, which it has stored, in no order. */
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

    /**
     * The value of what is rearranged: of a map its keys', of a collection its elements', of anything else its own. The
     * user's {@code hashCode} may do anything; if it does not answer, the object counts instead of its value.
     */
    private static long value(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        if (owner instanceof HashMap) {
            return hashes((HashMap<?, ?>) owner);
        }
        own.busy++;
        try {
            if (owner instanceof Map) {
                long sum = 0;
                for (Iterator<?> i = ((Map<?, ?>) owner).keySet().iterator(); i.hasNext();) {
                    Object key = i.next();
                    sum += key == null ? 1 : Unflake.mix(key.hashCode());
                }
                return sum;
            }
            if (owner instanceof Collection || owner instanceof File || owner == null) {
                long sum = 0;
                for (int i = from; i < from + n; i++) {
                    Object element = elements[i];
                    // A directory's value is what is in it: its own name is often another one in each run. Nobody's
                    // array is one that a static method made anew.
                    boolean collected = owner instanceof Collection;
                    sum += element == null ? 1 : Unflake.mix(collected ? element.hashCode() : text(element));
                }
                return sum;
            }
            if (owner instanceof Class || owner instanceof Member) {
                return Unflake.mix(text(owner));
            }
            return Unflake.mix(owner.hashCode());
        } catch (Throwable theirs) {
            return identity(own, owner, elements, from, n);
        } finally {
            own.busy--;
        }
    }

    private static long identity(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        long number = number(own, owner);
        if (counts(owner)) {
            return number + modCount(owner) * Unflake.GOLDEN;
        }
        return number + (owner instanceof Map ? sequence(own, (Map<?, ?>) owner) : sequence(elements, from, n));
    }

    /** What stands for the modification count of a map that has none: its keys, hashed already, one after the other. */
    private static long sequence(UnflakeThread own, Map<?, ?> map) {
        long sum = 0;
        own.busy++;
        try {
            for (Iterator<?> i = map.keySet().iterator(); i.hasNext();) {
                Object key = i.next();
                sum = sum * 31 + (key == null ? 0 : key.hashCode());
            }
        } catch (Throwable theirs) {
            sum++;
        } finally {
            own.busy--;
        }
        return Unflake.mix(sum);
    }

    private static long sequence(Object[] elements, int from, int n) {
        long sum = 0;
        for (int i = from; i < from + n; i++) {
            sum = sum * 31 + text(elements[i]);
        }
        return Unflake.mix(sum);
    }

    /** A hash of what is known to have a value without asking the user's code; 0 for the rest. */
    private static int text(Object object) {
        if (object instanceof String || object instanceof Integer || object instanceof Long
            || object instanceof Locale) {
            return object.hashCode();
        }
        if (object instanceof File) {
            return ((File) object).getName().hashCode();
        }
        if (object instanceof Class) {
            return ((Class<?>) object).getName().hashCode();
        }
        if (object instanceof Member) {
            return object.toString().hashCode();
        }
        if (object instanceof Enum) {
            return ((Enum<?>) object).name().hashCode();
        }
        return 0;
    }
}
