package java.util;

/**
 * What an object counts for at level EQ: equal objects count for the same (N5). Identity hashes are not drawn for it,
 * since that would shift all that come after (N6), and none is part of it, since they differ from one JVM to the next:
 * what has no {@code hashCode} of its own counts by the name of its class, and collections of the JDK by their elements.
 *
 * <p>This calls the user's {@code hashCode}, which may do anything: callers catch what it throws.
 */
final class UnflakeValues {
    /** Collections inside of collections down to here; what is deeper counts by its class. */
    private static final int DEEPEST = 3;
    /** A collection inside of another one with more elements than this counts by its size. */
    private static final int MOST = 1000;

    private static final ClassValue<Boolean> HASHED = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return UnflakeNative.hasOwnHashCode(type);
        }
    };

    private UnflakeValues() {
    }

    static void warmUp() {
        HASHED.get(Object.class);
    }

    static long of(Object object) {
        return of(object, DEEPEST);
    }

    /** The value of a map: of its keys, by the hashes that it has stored, and of what they are mapped to. */
    static long of(HashMap<?, ?> map) {
        long sum = 0;
        HashMap.Node<?, ?>[] table = map.table;
        if (table == null) {
            return 0;
        }
        int left = map.size;
        for (HashMap.Node<?, ?> bin : table) {
            for (HashMap.Node<?, ?> node = bin; node != null && left > 0; node = node.next, left--) {
                long key = isHashed(node.key) ? Unflake.mix(node.hash) : of(node.key);
                Object value = node.value;
                // What stands behind each element of a HashSet is an Object.
                sum += value == null || value.getClass() == Object.class ? key : pair(key, of(value));
            }
        }
        return sum;
    }

    private static long pair(long key, long value) {
        return Unflake.mix(key * 31 + value);
    }

    private static long of(Object object, int depth) {
        if (object == null) {
            return 1;
        }
        if (object instanceof String) {
            return Unflake.mix(object.hashCode());
        }
        if (object instanceof Enum) {
            return Unflake.mix(((Enum<?>) object).name().hashCode());
        }
        if (object instanceof Class) {
            return Unflake.mix(((Class<?>) object).getName().hashCode());
        }
        Class<?> type = object.getClass();
        if (depth > 0 && isContainer(object, type)) {
            return contents(object, depth - 1);
        }
        return Unflake.mix(!isContainer(object, type) && HASHED.get(type) ? object.hashCode() : name(type));
    }

    /** Whether the hash of {@code object} stands for its value: it has one, and it is no identity hash. */
    private static boolean isHashed(Object object) {
        if (object == null || object instanceof String) {
            return true;
        }
        Class<?> type = object.getClass();
        return !(object instanceof Enum) && type != Class.class && !isContainer(object, type) && HASHED.get(type);
    }

    /** Lists, sets, maps and entries of the JDK: their hashes are made of their elements', which may be identity's. */
    private static boolean isContainer(Object object, Class<?> type) {
        return (object instanceof List || object instanceof Set || object instanceof Map
            || object instanceof Map.Entry) && type.getClassLoader() == null;
    }

    private static long contents(Object object, int depth) {
        if (object instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) object;
            return pair(of(entry.getKey(), depth), of(entry.getValue(), depth));
        }
        Collection<?> all = object instanceof Map ? ((Map<?, ?>) object).entrySet() : (Collection<?>) object;
        long sum = all.size();
        if (sum > MOST) {
            return sum;
        }
        boolean ordered = object instanceof List;
        for (Iterator<?> i = all.iterator(); i.hasNext();) {
            Object each = i.next();
            // Entries are part of the map, not one level deeper.
            long value = each instanceof Map.Entry && object instanceof Map ? contents(each, depth) : of(each, depth);
            sum = ordered ? sum * 31 + value : sum + value;
        }
        return Unflake.mix(sum);
    }

    /** The names of classes that are made at run time end with numbers: they count up to there. */
    private static int name(Class<?> type) {
        String name = type.getName();
        int end = name.indexOf("$$");
        if (end < 0) {
            end = name.indexOf("$Proxy");
        }
        return (end < 0 ? name : name.substring(0, end)).hashCode();
    }
}
