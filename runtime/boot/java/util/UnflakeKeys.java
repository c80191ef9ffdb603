package java.util;

import java.io.File;
import java.lang.reflect.Member;

/**
 * What a permutation depends on below level FULL (N5): values for EQ, which {@link UnflakeValues} gives, numbers of
 * objects and modification counts for ID. No identity hash is part of either.
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
        return number == 0 ? newNumber(own, object) : number;
    }

    /** Threads that race for the first choice of an object must see one number. */
    private static synchronized long newNumber(UnflakeThread own, Object object) {
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

    /** The value of a {@code HashMap} at level EQ. */
    static long value(UnflakeThread own, HashMap<?, ?> map) {
        own.busy++;
        try {
            return UnflakeValues.of(map);
        } catch (Throwable theirs) {
            return identity(own, map, null, 0, 0);
        } finally {
            own.busy--;
        }
    }

    /**
     * The value of what is rearranged: of a map its keys' and values', of a collection and of what a user's model
     * returns its elements', of anything else its own. The user's {@code hashCode} may do anything; if it does not
     * answer, the object counts instead of its value.
     */
    private static long value(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        if (owner instanceof HashMap) {
            return value(own, (HashMap<?, ?>) owner);
        }
        own.busy++;
        try {
            if (owner instanceof Map) {
                long sum = 0;
                for (Iterator<?> i = ((Map<?, ?>) owner).entrySet().iterator(); i.hasNext();) {
                    Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
                    sum += Unflake.mix(UnflakeValues.of(entry.getKey()) * 31 + UnflakeValues.of(entry.getValue()));
                }
                return sum;
            }
            if (owner instanceof Collection || owner instanceof UnflakeReceiver) {
                long sum = 0;
                for (int i = from; i < from + n; i++) {
                    sum += UnflakeValues.of(elements[i]);
                }
                return sum;
            }
            if (owner instanceof File || owner == null) {
                // A directory's value is what is in it: its own name is often another one in each run. Nobody's array
                // is one that a static method made anew.
                long sum = 0;
                for (int i = from; i < from + n; i++) {
                    sum += elements[i] == null ? 1 : Unflake.mix(text(elements[i]));
                }
                return sum;
            }
            if (owner instanceof Class || owner instanceof Member) {
                return Unflake.mix(text(owner));
            }
            return UnflakeValues.of(owner);
        } catch (Throwable theirs) {
            return identity(own, owner, elements, from, n);
        } finally {
            own.busy--;
        }
    }

    private static long identity(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        if (owner instanceof UnflakeReceiver) {
            return known(own, ((UnflakeReceiver) owner).object) + sequence(own, elements, from, n);
        }
        long number = number(own, owner);
        if (counts(owner)) {
            return number + modCount(owner) * Unflake.GOLDEN;
        }
        if (owner instanceof Map) {
            return number + sequence(own, (Map<?, ?>) owner);
        }
        return number + (owner instanceof Collection ? sequence(own, elements, from, n) : texts(elements, from, n));
    }

    /** What stands for the modification count of a map that has none: its keys, one after the other. */
    private static long sequence(UnflakeThread own, Map<?, ?> map) {
        long sum = 0;
        own.busy++;
        try {
            for (Iterator<?> i = map.keySet().iterator(); i.hasNext();) {
                sum = sum * 31 + known(own, i.next());
            }
        } catch (RuntimeException theirs) {
            sum++;
        } finally {
            own.busy--;
        }
        return Unflake.mix(sum);
    }

    /** The same for elements that a collection, or a user's object, holds. */
    private static long sequence(UnflakeThread own, Object[] elements, int from, int n) {
        long sum = 0;
        for (int i = from; i < from + n; i++) {
            sum = sum * 31 + known(own, elements[i]);
        }
        return Unflake.mix(sum);
    }

    /** The same for arrays that are made anew for each caller, and so are many of their elements. */
    private static long texts(Object[] elements, int from, int n) {
        long sum = 0;
        for (int i = from; i < from + n; i++) {
            sum = sum * 31 + text(elements[i]);
        }
        return Unflake.mix(sum);
    }

    /** What an object is known by without asking the user's code: its text, else its number. */
    static long known(UnflakeThread own, Object object) {
        return object == null || hasText(object) ? text(object) : number(own, object);
    }

    private static boolean hasText(Object object) {
        return object instanceof String || isNumber(object) || object instanceof Locale || object instanceof File
            || object instanceof Class || object instanceof Member || object instanceof Enum;
    }

    private static boolean isNumber(Object object) {
        return object instanceof Integer || object instanceof Long || object instanceof Double
            || object instanceof Character || object instanceof Boolean || object instanceof Float
            || object instanceof Short || object instanceof Byte || object instanceof UUID;
    }

    /** A hash of what is known to have a value without asking the user's code; 0 for the rest. */
    private static int text(Object object) {
        if (object instanceof String || isNumber(object) || object instanceof Locale) {
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
