package java.util;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.text.DateFormatSymbols;
import java.util.concurrent.ConcurrentHashMap;

/** Fields of the JDK that Java does not let even this package see. All are looked up before the window opens. */
final class UnflakeFields {
    private static final Field TABLE_COUNT = field(Hashtable.class, "modCount");
    private static final Field TABLE = field(Hashtable.class, "table");
    private static final Field TABLE_NEXT = field(named("java.util.Hashtable$Entry"), "next");
    private static final Field VIEW_MAP = field(named("java.util.concurrent.ConcurrentHashMap$CollectionView"), "map");
    private static final Field ZONES_SET = field(DateFormatSymbols.class, "isZoneStringsSet");
    private static final Class<?> SEGMENT = named("java.util.concurrent.ConcurrentHashMap$Segment");

    private UnflakeFields() {
    }

    static int modCount(Hashtable<?, ?> table) {
        try {
            return TABLE_COUNT == null ? 0 : TABLE_COUNT.getInt(table);
        } catch (IllegalAccessException never) {
            return 0;
        }
    }

    /** The length of a table's array, which is serialized with it. */
    static int capacity(Hashtable<?, ?> table) {
        try {
            return ((Object[]) TABLE.get(table)).length;
        } catch (IllegalAccessException never) {
            return table.size();
        }
    }

    /** The entries of a table: its iterators begin at the end of its array, its loops at the start. */
    static Map.Entry<?, ?>[] entries(Hashtable<?, ?> table, boolean fromEnd) {
        try {
            Object[] bins = (Object[]) TABLE.get(table);
            Map.Entry<?, ?>[] all = new Map.Entry<?, ?>[16];
            int n = 0;
            for (int i = 0; i < bins.length; i++) {
                Object bin = bins[fromEnd ? bins.length - 1 - i : i];
                for (Object entry = bin; entry != null; entry = TABLE_NEXT.get(entry)) {
                    if (n == all.length) {
                        all = Arrays.copyOf(all, 2 * n);
                    }
                    all[n++] = (Map.Entry<?, ?>) entry;
                }
            }
            return Arrays.copyOf(all, n);
        } catch (IllegalAccessException never) {
            throw new IllegalStateException(never);
        }
    }

    /** The map under a view of a {@code ConcurrentHashMap}. */
    static Map<?, ?> map(Collection<?> view) {
        if (view instanceof ConcurrentHashMap.KeySetView) {
            return ((ConcurrentHashMap.KeySetView<?, ?>) view).getMap();
        }
        try {
            return (Map<?, ?>) VIEW_MAP.get(view);
        } catch (IllegalAccessException never) {
            throw new IllegalStateException(never);
        }
    }

    static boolean hasOwnZones(DateFormatSymbols symbols) {
        try {
            return ZONES_SET == null || ZONES_SET.getBoolean(symbols);
        } catch (IllegalAccessException never) {
            return true;
        }
    }

    /** What a {@code ConcurrentHashMap} is serialized with for the sake of Java 7. */
    static Object[] segments() {
        try {
            Constructor<?> constructor = SEGMENT.getDeclaredConstructor(float.class);
            constructor.setAccessible(true);
            Object[] segments = (Object[]) Array.newInstance(SEGMENT, 16);
            for (int i = 0; i < segments.length; i++) {
                segments[i] = constructor.newInstance(0.75f);
            }
            return segments;
        } catch (ReflectiveOperationException never) {
            throw new IllegalStateException(never);
        }
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException absent) {
            return null;
        }
    }

    private static Field field(Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (Exception absent) {
            return null;
        }
    }
}
