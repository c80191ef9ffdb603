package java.util;

import static java.util.UnflakeWords.ensure;
import static java.util.UnflakeWords.put;
import static java.util.UnflakeWords.putLater;
import static java.util.UnflakeWords.putNow;
import static java.util.UnflakeWords.putReference;
import static java.util.UnflakeWords.putReferenceAnyway;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentSkipListMap;
import sun.misc.Unsafe;

/**
 * Writes single objects: how those of a class are read is decided once per class by the agent ({@link
 * UnflakeNative#shape}). No method of the project's is called: fields are read where they lie.
 */
final class UnflakeContents {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    // Kinds of values; the agent uses the letters of descriptors.
    private static final int REFERENCE = 0;
    private static final int INT = 1;
    private static final int LONG = 2;
    private static final int BYTE = 3;
    private static final int SHORT = 4;
    private static final int CHAR = 5;

    /** Texts up to this length are kept whole. */
    private static final int WHOLE_TEXT = UnflakeCodes.TEXT_WHOLE;
    private static final int KEPT_TEXT = UnflakeCodes.TEXT_KEPT;
    private static final int WHOLE_NUMBERS = UnflakeCodes.NUMBERS_WHOLE;

    private UnflakeContents() {}

    /** The most entries of a collection that are written. */
    static int most;

    /** Whether a collection has more. */
    static boolean tooMany;

    /** Whether of larger collections the first entries are read, and how many there are. */
    static boolean sampling;

    /** So far entries are counted that are not read. */
    private static final int COUNTED = 1 << 15;

    /** Whether nothing reachable from the value of a final field can ever change. */
    static boolean isImmutable(Object value) {
        if (value == null) {
            return true;
        }
        Shape shape = SHAPES.get(value.getClass());
        return shape.isValue || shape.reader == UnflakeCodes.READER_OPAQUE;
    }

    /** How the objects of a class are read. */
    private static final class Shape {
        final int id;
        final int reader;
        final boolean isValue;
        /** What the contents are read from. */
        final long[] sources;
        final long[] offsets;
        /** Where the object lies whose field is read, if it is not the object itself; else -1. */
        final long[] via;
        final int[] kinds;

        Shape(int[] about, Object[] fields) {
            id = about[UnflakeCodes.SHAPE_ID];
            reader = about[UnflakeCodes.SHAPE_READER];
            isValue = about[UnflakeCodes.SHAPE_IS_VALUE] != 0;
            sources = new long[about[UnflakeCodes.SHAPE_SOURCES]];
            for (int i = 0; i < sources.length; i++) {
                sources[i] = UNSAFE.objectFieldOffset((Field) fields[i]);
            }
            int count = fields.length - sources.length;
            offsets = new long[count];
            via = new long[count];
            kinds = new int[count];
            for (int i = 0; i < count; i++) {
                Object field = fields[sources.length + i];
                via[i] = -1;
                if (field instanceof Object[]) {
                    via[i] = UNSAFE.objectFieldOffset((Field) ((Object[]) field)[0]);
                    field = ((Object[]) field)[1];
                }
                offsets[i] = UNSAFE.objectFieldOffset((Field) field);
                kinds[i] = kind(((Field) field).getType());
            }
        }
    }

    private static final ClassValue<Shape> SHAPES = new ClassValue<Shape>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            int[] about = new int[UnflakeCodes.SHAPE_COUNT];
            Object[] fields = UnflakeNative.shape(type, about);
            return new Shape(about, fields);
        }
    };

    static int kind(Class<?> type) {
        return !type.isPrimitive() ? REFERENCE
            : type == long.class || type == double.class ? LONG
            : type == byte.class || type == boolean.class ? BYTE
            : type == short.class ? SHORT
            : type == char.class ? CHAR
            : INT;
    }

    /** Most objects are of the same class as the one before. */
    private static Class<?> lastType;
    private static Shape lastShape;

    /** Keeps nothing alive between tests. */
    static void forget() {
        lastType = null;
        lastShape = null;
    }

    static void writeObject(Object object) {
        UnflakeWords.handOverIfFull();
        Class<?> type = object.getClass();
        if (type != lastType) {
            lastType = type;
            lastShape = SHAPES.get(type);
        }
        Shape shape = lastShape;
        ensure(8);
        put(shape.id);
        long[] sources = shape.sources;
        switch (shape.reader) {
            case UnflakeCodes.READER_TEXT:
                putText(object instanceof String ? (String) object : built(object), false);
                break;
            case UnflakeCodes.READER_NAME:
                putText(((Class<?>) object).getName(), true);
                break;
            case UnflakeCodes.READER_SLICE: {
                Object array = UNSAFE.getObject(object, sources[0]);
                int size = UNSAFE.getInt(object, sources[1]);
                if (array instanceof Object[]) {
                    Object[] elements = (Object[]) array;
                    putElements(elements, Math.min(size, elements.length));
                } else {
                    putNumbers(array, size);
                }
                break;
            }
            case UnflakeCodes.READER_RING: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                int from = UNSAFE.getInt(object, sources[1]);
                int to = UNSAFE.getInt(object, sources[2]);
                putRing(elements, from, from <= to ? to - from : elements.length - from + to);
                break;
            }
            case UnflakeCodes.READER_RING_COUNT: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                putRing(elements, UNSAFE.getInt(object, sources[1]), UNSAFE.getInt(object, sources[2]));
                break;
            }
            case UnflakeCodes.READER_CHAIN:
                putChain(object, sources);
                break;
            case UnflakeCodes.READER_BAG: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                int size = sources.length > 1 ? UNSAFE.getInt(object, sources[1]) : elements.length;
                putPresent(elements, Math.min(size, elements.length));
                break;
            }
            case UnflakeCodes.READER_PAIRS:
                putPairs((Object[]) UNSAFE.getObject(object, sources[0]));
                break;
            case UnflakeCodes.READER_HASH_MAP:
                putHashMap((HashMap<?, ?>) object);
                break;
            case UnflakeCodes.READER_LINKED_MAP:
                putLinkedMap((LinkedHashMap<?, ?>) object);
                break;
            case UnflakeCodes.READER_TREE_MAP:
                putTreeMap((TreeMap.Entry<?, ?>) UNSAFE.getObject(object, sources[0]));
                break;
            case UnflakeCodes.READER_TABLE:
                putTable((Object[]) UNSAFE.getObject(object, sources[0]), sources);
                break;
            case UnflakeCodes.READER_WEAK_TABLE:
                putWeakTable((Object[]) UNSAFE.getObject(object, sources[0]), sources);
                break;
            case UnflakeCodes.READER_CONCURRENT:
                putConcurrent((Object[]) UNSAFE.getObject(object, sources[0]), sources);
                break;
            case UnflakeCodes.READER_SKIP_LIST:
                putSkipList((ConcurrentSkipListMap<?, ?>) object);
                break;
            case UnflakeCodes.READER_OBJECTS:
                putElements((Object[]) object, ((Object[]) object).length);
                break;
            case UnflakeCodes.READER_NUMBERS:
                putNumbers(object, Integer.MAX_VALUE);
                break;
            case UnflakeCodes.READER_OPAQUE:
            case UnflakeCodes.READER_FIELDS:
            default:
                break;
        }
        long[] offsets = shape.offsets;
        if (offsets.length == 0) {
            return;
        }
        ensure(2L * offsets.length);
        for (int i = 0; i < offsets.length; i++) {
            Object holder = shape.via[i] < 0 ? object : UNSAFE.getObject(object, shape.via[i]);
            if (holder == null) {
                put(0);
                if (shape.kinds[i] == LONG) {
                    put(0);
                }
            } else {
                putValue(holder, offsets[i], shape.kinds[i]);
            }
        }
    }

    // ---- Contents. Loops over links end at a number that no sound collection has: another thread may be changing
    // them.

    private static void putElements(Object[] elements, int size) {
        putRing(elements, 0, size);
    }

    private static void putRing(Object[] elements, int from, int size) {
        int count = Math.max(0, Math.min(size, elements.length));
        int written = isWhole(count) ? count : most;
        ensure(2);
        put(written == count ? count : most + 1);
        for (int i = 0; i < written; i++) {
            ensure(1);
            int place = from + i;
            putReference(elements[place < elements.length ? place : place - elements.length]);
        }
        if (written != count) {
            ensure(1);
            putReferenceAnyway(Integer.valueOf(count));
        }
    }

    private static void putPresent(Object[] elements, int size) {
        long start = putLater();
        int count = 0;
        for (int i = 0; i < size; i++) {
            if (elements[i] != null) {
                if (isWhole(count + 1)) {
                    ensure(1);
                    putReference(elements[i]);
                }
                count++;
            }
        }
        endElements(start, count);
    }

    /** Whether all of so many entries are written. */
    private static boolean isWhole(int count) {
        return !sampling || count <= most;
    }

    /** So many steps a loop over links may take. */
    private static int bound() {
        return sampling ? COUNTED : most;
    }

    /** Says how many elements there are: in front of them, and behind those that are written if that is not all. */
    private static void endElements(long start, int count) {
        if (isWhole(count)) {
            putNow(start, count);
        } else {
            ensure(1);
            putReferenceAnyway(Integer.valueOf(count));
            putNow(start, most + 1);
        }
    }

    /** The same for entries of a map. */
    private static void endEntries(long start, int count) {
        if (isWhole(count)) {
            putNow(start, count);
        } else {
            ensure(2);
            putReferenceAnyway(UnflakeUnread.ONE);
            putReferenceAnyway(Integer.valueOf(count));
            putNow(start, most + 1);
        }
    }

    /** As many steps as a loop may have are too many for the root. */
    private static void endLoop(int steps) {
        tooMany |= !sampling && steps >= most;
    }

    private static void putChain(Object list, long[] sources) {
        long start = putLater();
        int count = 0;
        Object node = UNSAFE.getObject(list, sources[0]);
        int steps = 0;
        if (sources.length > 3) {
            // A node that was taken out has itself before it.
            Object before = UNSAFE.getObject(node, sources[3]);
            for (; before != null && before != node && steps < bound(); steps++) {
                node = before;
                before = UNSAFE.getObject(node, sources[3]);
            }
        }
        for (; node != null && steps < bound(); steps++) {
            Object item = UNSAFE.getObject(node, sources[1]);
            // An element that was taken is not there, or is the node itself.
            if (item != null && item != node) {
                count++;
                if (isWhole(count)) {
                    ensure(2);
                    putReference(item);
                }
            }
            Object next = UNSAFE.getObject(node, sources[2]);
            node = next == node ? null : next;
        }
        endElements(start, count);
        endLoop(steps);
    }

    private static void putPairs(Object[] pairs) {
        long start = putLater();
        int count = 0;
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            if (pairs[i] != null) {
                putEntry(++count, pairs[i], pairs[i + 1]);
            }
        }
        endEntries(start, count);
    }

    private static void putHashMap(HashMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        HashMap.Node<?, ?>[] bins = map.table;
        for (int i = 0; bins != null && i < bins.length; i++) {
            for (HashMap.Node<?, ?> node = bins[i]; node != null && count < most; node = node.next) {
                putEntry(++count, node.key, node.value);
            }
        }
        endEntries(start, sampling && count == most ? Math.max(count, map.size) : count);
        endLoop(count);
    }

    private static void putLinkedMap(LinkedHashMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        for (LinkedHashMap.Entry<?, ?> entry = map.head; entry != null && count < most; entry = entry.after) {
            putEntry(++count, entry.key, entry.value);
        }
        endEntries(start, sampling && count == most ? Math.max(count, map.size) : count);
        endLoop(count);
    }

    private static void putTreeMap(TreeMap.Entry<?, ?> root) {
        long start = putLater();
        int count = 0;
        // As `TreeMap` does it, but for the steps: links that another thread is changing may lead round in circles.
        int steps = 0;
        int bound = 2 * bound();
        TreeMap.Entry<?, ?> entry = root;
        while (entry != null && entry.left != null && steps < bound) {
            entry = entry.left;
            steps++;
        }
        while (entry != null && steps < bound) {
            putEntry(++count, entry.key, entry.value);
            TreeMap.Entry<?, ?> next = entry.right;
            if (next != null) {
                while (next.left != null && steps < bound) {
                    next = next.left;
                    steps++;
                }
            } else {
                next = entry.parent;
                while (next != null && entry == next.right && steps < bound) {
                    entry = next;
                    next = next.parent;
                    steps++;
                }
            }
            entry = next;
            steps++;
        }
        endEntries(start, count);
        endLoop(steps / 2);
    }

    private static void putTable(Object[] bins, long[] sources) {
        long start = putLater();
        int count = 0;
        for (int i = 0; bins != null && i < bins.length; i++) {
            Object entry = bins[i];
            while (entry != null && count < bound()) {
                putEntry(++count, UNSAFE.getObject(entry, sources[1]), UNSAFE.getObject(entry, sources[2]));
                entry = UNSAFE.getObject(entry, sources[3]);
            }
        }
        endEntries(start, count);
        endLoop(count);
    }

    /** What {@code WeakHashMap} has for a key that is null. */
    private static final UnflakeSlot NULL_KEY = new UnflakeSlot("java.util.WeakHashMap", "NULL_KEY", -1);

    /**
     * Sources: table, value, next. A key that only the collector decides about is no state: the entry may go at any
     * moment, and after a test that made the key for itself it does.
     */
    private static void putWeakTable(Object[] bins, long[] sources) {
        long start = putLater();
        int count = 0;
        int steps = 0;
        for (int i = 0; bins != null && i < bins.length; i++) {
            Object next;
            for (Object entry = bins[i]; entry != null && steps < bound(); entry = next) {
                next = UNSAFE.getObject(entry, sources[2]);
                steps++;
                Object key = ((Reference<?>) entry).get();
                boolean isNull = key != null && key == NULL_KEY.get();
                if (isNull || key instanceof Class || key instanceof Enum || key instanceof String
                    || UnflakeWords.isReached(key)) {
                    putEntry(++count, isNull ? null : key, UNSAFE.getObject(entry, sources[1]));
                }
            }
        }
        endEntries(start, count);
        endLoop(steps);
    }

    /** Sources: table, key, value, next, hash, a tree's first, the next table of a bin that has moved. */
    private static void putConcurrent(Object[] bins, long[] sources) {
        long start = putLater();
        int count = 0;
        for (int i = 0; bins != null && i < bins.length; i++) {
            Object node = bins[i];
            if (node != null && UNSAFE.getInt(node, sources[4]) < 0) {
                String type = node.getClass().getName();
                if (type.endsWith("$TreeBin")) {
                    node = UNSAFE.getObject(node, sources[5]);
                } else {
                    // It is being resized, or an entry is being computed: only another thread can be at that.
                    node = null;
                }
            }
            while (node != null && count < bound()) {
                putEntry(++count, UNSAFE.getObject(node, sources[1]), UNSAFE.getObject(node, sources[2]));
                node = UNSAFE.getObject(node, sources[3]);
            }
        }
        endEntries(start, count);
        endLoop(count);
    }

    private static void putSkipList(ConcurrentSkipListMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        Map.Entry<?, ?> entry = map.firstEntry();
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entry != null && entries.hasNext() && count < bound()) {
            Map.Entry<?, ?> next = entries.next();
            putEntry(++count, next.getKey(), next.getValue());
        }
        endEntries(start, count);
        endLoop(count);
    }

    /** The entry with this number, beginning with 1. */
    private static void putEntry(int number, Object key, Object value) {
        if (isWhole(number)) {
            ensure(2);
            putReference(key);
            putReference(value);
        }
    }

    private static final Class<?> BUILDER = StringBuilder.class.getSuperclass();
    private static final long BUILT = offset("value");
    private static final long BUILT_COUNT = offset("count");
    /** Since Java 9 the characters are bytes, one or two for each; -1 before. */
    private static final long BUILT_CODER = offset("coder");

    /** Which of the two bytes of a character is the lower one. */
    private static final int LOW = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 1;

    private static long offset(String field) {
        try {
            return UNSAFE.objectFieldOffset(BUILDER.getDeclaredField(field));
        } catch (NoSuchFieldException absent) {
            return -1;
        }
    }

    /**
     * What a {@code StringBuilder} or {@code StringBuffer} holds, read where it lies: the methods of the second wait
     * for whoever holds its lock, perhaps for ever.
     */
    private static String built(Object builder) {
        Object array = UNSAFE.getObject(builder, BUILT);
        int count = UNSAFE.getInt(builder, BUILT_COUNT);
        if (array instanceof char[]) {
            char[] characters = (char[]) array;
            return new String(characters, 0, Math.min(count, characters.length));
        }
        byte[] bytes = (byte[]) array;
        boolean isLatin = UNSAFE.getByte(builder, BUILT_CODER) == 0;
        char[] characters = new char[Math.min(count, isLatin ? bytes.length : bytes.length / 2)];
        for (int i = 0; i < characters.length; i++) {
            characters[i] = isLatin
                ? (char) (bytes[i] & 0xff)
                : (char) ((bytes[2 * i + LOW] & 0xff) | bytes[2 * i + 1 - LOW] << 8);
        }
        return new String(characters);
    }

    /** Of a long text the begin is kept, or the end. */
    private static void putText(String text, boolean end) {
        int length = text.length();
        ensure(4 + WHOLE_TEXT);
        put(length);
        int kept = length <= WHOLE_TEXT ? length : KEPT_TEXT;
        int from = end ? length - kept : 0;
        for (int i = 0; i < kept; i += 2) {
            put(text.charAt(from + i) | (i + 1 < kept ? text.charAt(from + i + 1) << 16 : 0));
        }
        if (length > WHOLE_TEXT) {
            // A string keeps its hash, so that a long one is read once and not after each test.
            put(text.hashCode());
            put(text.charAt(length - 1) | text.charAt(length / 2) << 16);
        }
    }

    private static void putNumbers(Object array, int atMost) {
        if (array == null) {
            put(0);
            return;
        }
        int count = Math.min(atMost, java.lang.reflect.Array.getLength(array));
        int width = width(array);
        long bytes = (long) count * width;
        ensure(4 + Math.min(bytes, WHOLE_NUMBERS) / 4);
        put(count);
        if (bytes > WHOLE_NUMBERS) {
            long hash = 0xcbf29ce484222325L;
            for (int i = 0; i < count; i++) {
                hash = (hash ^ element(array, i)) * 0x100000001b3L;
                hash ^= hash >>> 29;
            }
            put((int) hash);
            put((int) (hash >>> 32));
        } else if (width == 8) {
            for (int i = 0; i < count; i++) {
                long element = element(array, i);
                put((int) element);
                put((int) (element >>> 32));
            }
        } else {
            int perWord = 4 / width;
            long mask = width == 4 ? 0xffffffffL : (1L << (8 * width)) - 1;
            for (int i = 0; i < count; i += perWord) {
                long word = 0;
                for (int j = 0; j < perWord && i + j < count; j++) {
                    word |= (element(array, i + j) & mask) << (8 * width * j);
                }
                put((int) word);
            }
        }
    }

    private static int width(Object array) {
        return array instanceof byte[] || array instanceof boolean[] ? 1
            : array instanceof char[] || array instanceof short[] ? 2
            : array instanceof long[] || array instanceof double[] ? 8
            : 4;
    }

    /** The bits of a number in an array. */
    private static long element(Object array, int i) {
        return array instanceof byte[] ? ((byte[]) array)[i]
            : array instanceof char[] ? ((char[]) array)[i]
            : array instanceof int[] ? ((int[]) array)[i]
            : array instanceof long[] ? ((long[]) array)[i]
            : array instanceof double[] ? Double.doubleToRawLongBits(((double[]) array)[i])
            : array instanceof boolean[] ? (((boolean[]) array)[i] ? 1 : 0)
            : array instanceof short[] ? ((short[]) array)[i]
            : Float.floatToRawIntBits(((float[]) array)[i]);
    }

    static void putValue(Object of, long offset, int kind) {
        switch (kind) {
            case REFERENCE:
                putReference(UNSAFE.getObject(of, offset));
                break;
            case LONG: {
                long value = UNSAFE.getLong(of, offset);
                put((int) value);
                put((int) (value >>> 32));
                break;
            }
            case BYTE:
                put(UNSAFE.getByte(of, offset));
                break;
            case SHORT:
                put(UNSAFE.getShort(of, offset));
                break;
            case CHAR:
                put(UNSAFE.getChar(of, offset));
                break;
            case INT:
            default:
                put(UNSAFE.getInt(of, offset));
                break;
        }
    }
}
