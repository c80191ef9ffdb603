package java.util;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.text.DateFormatSymbols;
import java.util.concurrent.ConcurrentHashMap;
import sun.misc.Unsafe;

/**
 * Fields of the JDK that Java does not let even this package see. Numbers are read by {@code Unsafe} (whose name the
 * agent changes to that of the JDK's own since Java 9). Objects are not, since the method for it has another name in
 * every other Java: they are read by reflection. That is cheap up to Java 17; later the first read costs milliseconds,
 * so it is left to whoever needs it, and is no choice.
 */
final class UnflakeFields {
    private static final Unsafe UNSAFE = unsafe();
    private static final Field TABLE_COUNT = field(Hashtable.class, "modCount");
    private static final long TABLE_COUNT_AT = offset(TABLE_COUNT);
    private static final Field TABLE = field(Hashtable.class, "table");
    private static final Field TABLE_NEXT = field(named("java.util.Hashtable$Entry"), "next");
    private static final Field VIEW_MAP = field(named("java.util.concurrent.ConcurrentHashMap$CollectionView"), "map");
    private static final Field ZONES_SET = field(DateFormatSymbols.class, "isZoneStringsSet");
    private static final long ZONES_SET_AT = offset(ZONES_SET);
    private static final Class<?> SEGMENT = named("java.util.concurrent.ConcurrentHashMap$Segment");

    private UnflakeFields() {
    }

    /** Uses each field once if that is cheap. */
    static void warmUp() {
        if (named("jdk.internal.reflect.MethodHandleAccessorFactory") != null) {
            return;
        }
        Hashtable<Object, Object> table = new Hashtable<Object, Object>();
        table.put("", "");
        modCount(table);
        entries(table, true);
        map(new ConcurrentHashMap<Object, Object>().values());
    }

    static int modCount(Hashtable<?, ?> table) {
        if (UNSAFE != null) {
            return UNSAFE.getInt(table, TABLE_COUNT_AT);
        }
        try {
            return TABLE_COUNT.getInt(table);
        } catch (IllegalAccessException never) {
            return 0;
        }
    }

    /** The length of a table's array, which is serialized with it. */
    static int capacity(Hashtable<?, ?> table) {
        return ((Object[]) get(TABLE, table)).length;
    }

    /** The entries of a table: its iterators begin at the end of its array, its loops at the start. */
    static Map.Entry<?, ?>[] entries(Hashtable<?, ?> table, boolean fromEnd) {
        Object[] bins = (Object[]) get(TABLE, table);
        Map.Entry<?, ?>[] all = new Map.Entry<?, ?>[16];
        int n = 0;
        for (int i = 0; i < bins.length; i++) {
            Object bin = bins[fromEnd ? bins.length - 1 - i : i];
            for (Object entry = bin; entry != null; entry = get(TABLE_NEXT, entry)) {
                if (n == all.length) {
                    all = Arrays.copyOf(all, 2 * n);
                }
                all[n++] = (Map.Entry<?, ?>) entry;
            }
        }
        return Arrays.copyOf(all, n);
    }

    /** The map under a view of a {@code ConcurrentHashMap}. */
    static Map<?, ?> map(Collection<?> view) {
        if (view instanceof ConcurrentHashMap.KeySetView) {
            return ((ConcurrentHashMap.KeySetView<?, ?>) view).getMap();
        }
        return (Map<?, ?>) get(VIEW_MAP, view);
    }

    static boolean hasOwnZones(DateFormatSymbols symbols) {
        if (ZONES_SET == null) {
            return true;
        }
        return UNSAFE != null ? UNSAFE.getBoolean(symbols, ZONES_SET_AT) : (Boolean) get(ZONES_SET, symbols);
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

    private static Object get(Field field, Object of) {
        UnflakeThread own = Unflake.thread();
        own.busy++;
        try {
            return field.get(of);
        } catch (IllegalAccessException never) {
            throw new IllegalStateException(never);
        } finally {
            own.busy--;
        }
    }

    private static Unsafe unsafe() {
        try {
            return Unsafe.getUnsafe();
        } catch (Throwable absent) {
            return null;
        }
    }

    private static long offset(Field field) {
        return UNSAFE == null || field == null ? 0 : UNSAFE.objectFieldOffset(field);
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
