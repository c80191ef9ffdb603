package java.util;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.concurrent.ConcurrentSkipListMap;
import sun.misc.Unsafe;

/**
 * Writes the heap that tests share as words, root by root, and hands them to the agent part by part, which compares them
 * with what it was given before (crate {@code unflake-heap} says what the words mean and how they are packed).
 *
 * <p>Objects are numbered in the order in which they are reached. Which ones were reached is known by their identity hash:
 * that leaves a hash in an object's header, as any {@link IdentityHashMap} does, and nothing else. No method of the
 * project's is called: fields are read where they lie. The walk is on the thread of the test, between tests.
 *
 * <p>How objects of a class are read is decided once per class by the agent ({@link UnflakeNative#shape}).
 */
final class UnflakeHeap {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    // How contents are read; the agent knows the same numbers.
    private static final int OPAQUE = 0;
    private static final int FIELDS = 1;
    private static final int TEXT = 2;
    private static final int NAME = 3;
    private static final int SLICE = 4;
    private static final int RING = 5;
    private static final int RING_COUNT = 6;
    private static final int CHAIN = 7;
    private static final int BAG = 8;
    private static final int PAIRS = 9;
    private static final int HASH_MAP = 10;
    private static final int LINKED_MAP = 11;
    private static final int TREE_MAP = 12;
    private static final int TABLE = 13;
    private static final int CONCURRENT = 14;
    private static final int SKIP_LIST = 15;
    private static final int OBJECTS = 16;
    private static final int NUMBERS = 17;

    // Kinds of values; the agent uses the letters of descriptors.
    private static final int REFERENCE = 0;
    private static final int INT = 1;
    private static final int LONG = 2;
    private static final int BYTE = 3;
    private static final int SHORT = 4;
    private static final int CHAR = 5;

    /** Texts up to this length are kept whole. */
    private static final int WHOLE_TEXT = 40;
    private static final int KEPT_TEXT = 24;
    private static final int WHOLE_NUMBERS = 1024;

    /** Whether this JVM looks at its heap at all. */
    static boolean watching;

    /** The most objects that one root may reach. */
    private static int most;

    private static RootClass[] classes = new RootClass[64];
    private static int known;
    /** Classes that were loaded and not yet initialised. */
    private static Object[] waiting = new Object[64];
    private static int waits;
    /** Objects that are roots by themselves: test instances that several tests share. */
    private static Shared shared;

    /** Objects that were reached, in rows: a larger array would have to be copied, and the old one lies around. */
    private static Object[][] queue = new Object[16][];
    private static int queued;
    private static final int ROW = 1 << 12;
    /** The numbers of objects, found by their hashes, outside of the heap that it is about. */
    private static long table;
    private static int places;

    /** Where the current part is written. */
    private static long memory;
    private static long room;
    private static long at;
    /** Bytes that were handed over. */
    private static long before;
    private static final int PART = 1 << 12;

    private UnflakeHeap() {}

    /** Called by the agent before the first test. */
    static void watch(int mostObjects, int capturePoints, String[] eagerClasses) {
        most = mostObjects;
        points = capturePoints;
        eager = eagerClasses;
        room = 2 * PART;
        memory = UNSAFE.allocateMemory(room);
        threads = Thread.activeCount();
        places = ROW;
        table = UNSAFE.allocateMemory(4L * places);
        UNSAFE.setMemory(table, 4L * places, (byte) 0);
        watching = true;
    }

    /** A class's static fields. The class may be unloaded; then its roots are gone. */
    private static final class RootClass {
        final WeakReference<Class<?>> type;
        final long[] offsets;
        final int[] kinds;
        final int[] ids;

        RootClass(Class<?> type, long[] offsets, int[] kinds, int[] ids) {
            this.type = new WeakReference<Class<?>>(type);
            this.offsets = offsets;
            this.kinds = kinds;
            this.ids = ids;
        }
    }

    private static final class Shared {
        final Object object;
        /** -1: it is looked at no more. */
        int id;
        final Shared next;

        Shared(Object object, int id, Shared next) {
            this.object = object;
            this.id = id;
            this.next = next;
        }
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
            id = about[0];
            reader = about[1];
            isValue = about[3] != 0;
            sources = new long[about[2]];
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
            int[] about = new int[4];
            Object[] fields = UnflakeNative.shape(type, about);
            return new Shape(about, fields);
        }
    };

    private static int kind(Class<?> type) {
        return !type.isPrimitive() ? REFERENCE
            : type == long.class || type == double.class ? LONG
            : type == byte.class || type == boolean.class ? BYTE
            : type == short.class ? SHORT
            : type == char.class ? CHAR
            : INT;
    }

    // ---- Roots.

    /** An object that several tests share. */
    static void share(Object object, String name) {
        for (Shared s = shared; s != null; s = s.next) {
            if (s.object == object) {
                return;
            }
        }
        shared = new Shared(object, UnflakeNative.sharedRoot(name), shared);
    }

    /** The tests that shared objects are through. */
    static void unshare() {
        shared = null;
    }

    private static void takeNewClasses() {
        Object[] fresh = UnflakeNative.newClasses();
        for (int i = 0; i < fresh.length; i++) {
            if (waits == waiting.length) {
                waiting = Arrays.copyOf(waiting, 2 * waits);
            }
            waiting[waits++] = new WeakReference<Class<?>>((Class<?>) fresh[i]);
        }
        int left = 0;
        for (int i = 0; i < waits; i++) {
            Class<?> type = (Class<?>) ((WeakReference<?>) waiting[i]).get();
            if (type == null) {
                continue;
            }
            if (UNSAFE.shouldBeInitialized(type)) {
                waiting[left++] = waiting[i];
            } else {
                add(type);
            }
        }
        for (int i = left; i < waits; i++) {
            waiting[i] = null;
        }
        waits = left;
    }

    private static void add(Class<?> type) {
        int[] first = new int[1];
        Object[] fields = UnflakeNative.statics(type, first);
        int count = 0;
        long[] offsets = new long[fields.length];
        int[] kinds = new int[fields.length];
        int[] ids = new int[fields.length];
        for (int i = 0; i < fields.length; i++) {
            if (fields[i] == null) {
                continue;
            }
            Field field = (Field) fields[i];
            offsets[count] = UNSAFE.staticFieldOffset(field);
            kinds[count] = kind(field.getType());
            ids[count] = first[0] + i;
            if (ThreadLocal.class.isAssignableFrom(field.getType())) {
                addThreadLocal(type, offsets[count], ids[count]);
            }
            if ((field.getModifiers() & 16) != 0 && isImmutable(UNSAFE.getObject(type, offsets[count]))) {
                continue;
            }
            count++;
        }
        if (count == 0) {
            return;
        }
        if (known == classes.length) {
            classes = Arrays.copyOf(classes, 2 * known);
        }
        classes[known++] = new RootClass(type, Arrays.copyOf(offsets, count), kinds, ids);
    }

    /** The static field that holds this thread-local; -1: none that is a root. */
    static int rootOf(Object threadLocal) {
        for (int i = 0; i < threadLocals; i++) {
            Class<?> type = (Class<?>) ((WeakReference<?>) threadLocalTypes[i]).get();
            if (type != null && UNSAFE.getObject(type, threadLocalOffsets[i]) == threadLocal) {
                return threadLocalIds[i];
            }
        }
        return -1;
    }

    private static Object[] threadLocalTypes = new Object[8];
    private static long[] threadLocalOffsets = new long[8];
    private static int[] threadLocalIds = new int[8];
    private static int threadLocals;

    private static void addThreadLocal(Class<?> type, long offset, int id) {
        if (threadLocals == threadLocalIds.length) {
            threadLocalTypes = Arrays.copyOf(threadLocalTypes, 2 * threadLocals);
            threadLocalOffsets = Arrays.copyOf(threadLocalOffsets, 2 * threadLocals);
            threadLocalIds = Arrays.copyOf(threadLocalIds, 2 * threadLocals);
        }
        threadLocalTypes[threadLocals] = new WeakReference<Class<?>>(type);
        threadLocalOffsets[threadLocals] = offset;
        threadLocalIds[threadLocals++] = id;
    }

    /** Whether nothing reachable from the value of a final field can ever change. */
    private static boolean isImmutable(Object value) {
        if (value == null) {
            return true;
        }
        Shape shape = SHAPES.get(value.getClass());
        return shape.isValue || shape.reader == OPAQUE;
    }

    // ---- The walk.

    /** Classes to initialise before the first test; {@code null}: it is done. */
    private static String[] eager;

    private static void loadEagerly() {
        String[] names = eager;
        eager = null;
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        for (int i = 0; i < names.length; i++) {
            try {
                Class.forName(names[i], true, loader);
            } catch (Throwable problem) {
                // It is given up for this class: another loader has it, or it cannot be used without set-up.
                UnflakeNative.notLoaded(names[i], problem.getClass().getName());
            }
        }
    }

    /** Whether the last walk was after a test, and no code of the class's own has run since. */
    private static boolean fresh;

    /** Set-up or tear-down of a class may run from here on. */
    static void classLevel() {
        fresh = false;
    }

    /** Before a test: what has changed since the last walk is the doing of its class. */
    static void testStarts(String root) {
        if (watching && !fresh) {
            if (eager != null) {
                loadEagerly();
                UnflakeNative.watchFiles();
            }
            if (points == WHOLE_TEST) {
                walk(CLASS, new String[] {root});
            }
            fresh = true;
        }
    }

    static void testClassReady(String name) {
        if (points == WHOLE_TEST) {
            walk(CLASS, new String[] {name});
        }
    }

    /** Between set-up and the test's own code. */
    static void bodyStarts(String[] names) {
        if (watching && points == BODY) {
            walk(NOBODY, names);
        } else if (watching && points == SET_UPS) {
            walk(previous == null ? NOBODY : TEST, previous == null ? names : previous);
            previous = names;
        }
    }

    /** Between the test's own code and tear-down. */
    static void bodyEnds(String[] names) {
        if (watching && points == BODY) {
            walk(TEST, names);
        }
    }

    /** After a test. */
    static void testEnds(String[] names) {
        if (watching && points == WHOLE_TEST) {
            walk(TEST, names);
            fresh = true;
        }
    }

    static void classEnds(String root) {
        if (watching) {
            if (points == WHOLE_TEST) {
                walk(CLASS, new String[] {root});
            }
            unshare();
            // What the set-up of another class does is not the doing of this one's last test.
            previous = null;
            fresh = false;
        }
    }

    private static final int CLASS = 0;
    private static final int TEST = 1;
    /** Differences up to here do not count. */
    private static final int NOBODY = 2;

    // Which pairs of capture points are compared.
    private static final int WHOLE_TEST = 0;
    private static final int BODY = 1;
    private static final int SET_UPS = 2;

    private static int points;

    /** The last test whose set-up was through. */
    private static String[] previous;

    /** Writes the whole state; {@code by} and {@code names} say for the agent whose doing the differences are. */
    private static void walk(int by, String[] names) {
        long nanos = write();
        String[] jvm = UnflakeJvmState.capture();
        if (UnflakeNative.walked(memory, at, by, names, jvm, nanos, held())) {
            // What differs again at once is somebody else's doing: a thread that goes on by itself.
            letOthersRun();
            nanos = write();
            UnflakeNative.walked(memory, at, by + AGAIN, names, null, nanos, held());
        }
        forget();
    }

    /** How many bytes are in use here. */
    private static long held() {
        int rows = 0;
        while (rows < queue.length && queue[rows] != null) {
            rows++;
        }
        return room + 4L * places + (long) UNSAFE.arrayIndexScale(Object[].class) * ROW * rows;
    }

    private static final int AGAIN = 16;

    /** How many threads there were before the first test. */
    private static int threads;

    /** A thread that goes on may have no processor just now. */
    private static void letOthersRun() {
        if (Thread.activeCount() <= threads) {
            return;
        }
        try {
            Thread.sleep(5);
        } catch (InterruptedException forTheTest) {
            Thread.currentThread().interrupt();
        }
    }

    /** How long it took is returned. */
    private static long write() {
        long began = System.nanoTime();
        forget();
        takeNewClasses();
        at = 0;
        before = 0;
        UnflakeNative.rewind(0);
        int alive = 0;
        for (int c = 0; c < known; c++) {
            RootClass root = classes[c];
            Class<?> type = root.type.get();
            if (type == null) {
                continue;
            }
            classes[alive++] = root;
            for (int i = 0; i < root.offsets.length; i++) {
                if (root.ids[i] >= 0) {
                    long start = before + at;
                    int first = queued;
                    ensure(4);
                    put(0);
                    put(root.ids[i]);
                    putValue(type, root.offsets[i], root.kinds[i]);
                    root.ids[i] = writeReached(root.ids[i], start, first);
                }
            }
        }
        Arrays.fill(classes, alive, known, null);
        known = alive;
        // Last, since they come and go.
        for (Shared s = shared; s != null; s = s.next) {
            if (s.id >= 0) {
                long start = before + at;
                int first = queued;
                ensure(3);
                put(0);
                put(s.id);
                putReference(s.object);
                s.id = writeReached(s.id, start, first);
            }
        }
        return System.nanoTime() - began;
    }

    /** Whether a collection has more entries than a root may reach objects. */
    private static boolean tooMany;

    /**
     * Writes what a root reaches and no root before it: the objects from the number {@code first} on.
     *
     * @param start where the root itself was written
     * @return the root; -1: it cannot be looked at, and nothing of it was written
     */
    private static int writeReached(int root, long start, int first) {
        String problem = null;
        tooMany = false;
        try {
            for (int next = first; next < queued && !tooMany; next++) {
                writeObject(reached(next));
                tooMany |= queued - first > most;
            }
        } catch (RuntimeException changing) {
            // A collection contradicts itself only while another thread is at it.
            problem = changing.getClass().getName();
        }
        if (problem == null && !tooMany) {
            return root;
        }
        UnflakeNative.refused(root, problem);
        rewind(start);
        unnumber(first);
        return -1;
    }

    /** Most objects are of the same class as the one before. */
    private static Class<?> lastType;
    private static Shape lastShape;

    private static void writeObject(Object object) {
        if (at >= PART) {
            handOver();
        }
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
            case TEXT:
                putText((CharSequence) object);
                break;
            case NAME:
                putText(((Class<?>) object).getName());
                break;
            case SLICE: {
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
            case RING: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                int from = UNSAFE.getInt(object, sources[1]);
                int to = UNSAFE.getInt(object, sources[2]);
                putRing(elements, from, from <= to ? to - from : elements.length - from + to);
                break;
            }
            case RING_COUNT: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                putRing(elements, UNSAFE.getInt(object, sources[1]), UNSAFE.getInt(object, sources[2]));
                break;
            }
            case CHAIN:
                putChain(object, sources);
                break;
            case BAG: {
                Object[] elements = (Object[]) UNSAFE.getObject(object, sources[0]);
                int size = sources.length > 1 ? UNSAFE.getInt(object, sources[1]) : elements.length;
                putPresent(elements, Math.min(size, elements.length));
                break;
            }
            case PAIRS:
                putPairs((Object[]) UNSAFE.getObject(object, sources[0]));
                break;
            case HASH_MAP:
                putHashMap((HashMap<?, ?>) object);
                break;
            case LINKED_MAP:
                putLinkedMap((LinkedHashMap<?, ?>) object);
                break;
            case TREE_MAP:
                putTreeMap((TreeMap<?, ?>) object);
                break;
            case TABLE:
                putTable((Object[]) UNSAFE.getObject(object, sources[0]), sources);
                break;
            case CONCURRENT:
                putConcurrent((Object[]) UNSAFE.getObject(object, sources[0]), sources);
                break;
            case SKIP_LIST:
                putSkipList((ConcurrentSkipListMap<?, ?>) object);
                break;
            case OBJECTS:
                putElements((Object[]) object, ((Object[]) object).length);
                break;
            case NUMBERS:
                putNumbers(object, Integer.MAX_VALUE);
                break;
            case OPAQUE:
            case FIELDS:
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

    // ---- Contents. Loops over links end at a number that no sound collection has: another thread may be changing them.

    private static void putElements(Object[] elements, int size) {
        ensure(2);
        put(size);
        for (int i = 0; i < size; i++) {
            ensure(1);
            putReference(elements[i]);
        }
    }

    private static void putRing(Object[] elements, int from, int size) {
        int count = Math.max(0, Math.min(size, elements.length));
        ensure(2);
        put(count);
        for (int i = 0; i < count; i++) {
            ensure(1);
            putReference(elements[(from + i) % elements.length]);
        }
    }

    private static void putPresent(Object[] elements, int size) {
        long start = putLater();
        int count = 0;
        for (int i = 0; i < size; i++) {
            if (elements[i] != null) {
                ensure(1);
                putReference(elements[i]);
                count++;
            }
        }
        putNow(start, count);
    }

    /** Says how many there are; as many as a loop may have are too many for the root. */
    private static void endLoop(long start, int count, int steps) {
        putNow(start, count);
        tooMany |= steps >= most;
    }

    private static void putChain(Object list, long[] sources) {
        long start = putLater();
        int count = 0;
        Object node = UNSAFE.getObject(list, sources[0]);
        int steps = 0;
        for (; node != null && steps < most; steps++) {
            Object item = UNSAFE.getObject(node, sources[1]);
            if (item != null) {
                ensure(2);
                putReference(item);
                count++;
            }
            Object next = UNSAFE.getObject(node, sources[2]);
            node = next == node ? null : next;
        }
        endLoop(start, count, steps);
    }

    private static void putPairs(Object[] pairs) {
        long start = putLater();
        int count = 0;
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            if (pairs[i] != null) {
                putEntry(pairs[i], pairs[i + 1]);
                count++;
            }
        }
        putNow(start, count);
    }

    private static void putHashMap(HashMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        HashMap.Node<?, ?>[] bins = map.table;
        for (int i = 0; bins != null && i < bins.length; i++) {
            for (HashMap.Node<?, ?> node = bins[i]; node != null && count < most; node = node.next) {
                putEntry(node.key, node.value);
                count++;
            }
        }
        endLoop(start, count, count);
    }

    private static void putLinkedMap(LinkedHashMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        for (LinkedHashMap.Entry<?, ?> entry = map.head; entry != null && count < most; entry = entry.after) {
            putEntry(entry.key, entry.value);
            count++;
        }
        endLoop(start, count, count);
    }

    private static <K, V> void putTreeMap(TreeMap<K, V> map) {
        long start = putLater();
        int count = 0;
        TreeMap.Entry<K, V> entry = map.getFirstEntry();
        while (entry != null && count < most) {
            putEntry(entry.key, entry.value);
            count++;
            entry = TreeMap.successor(entry);
        }
        endLoop(start, count, count);
    }

    private static void putTable(Object[] bins, long[] sources) {
        long start = putLater();
        int count = 0;
        for (int i = 0; bins != null && i < bins.length; i++) {
            Object entry = bins[i];
            while (entry != null && count < most) {
                putEntry(UNSAFE.getObject(entry, sources[1]), UNSAFE.getObject(entry, sources[2]));
                count++;
                entry = UNSAFE.getObject(entry, sources[3]);
            }
        }
        endLoop(start, count, count);
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
            while (node != null && count < most) {
                putEntry(UNSAFE.getObject(node, sources[1]), UNSAFE.getObject(node, sources[2]));
                count++;
                node = UNSAFE.getObject(node, sources[3]);
            }
        }
        endLoop(start, count, count);
    }

    private static void putSkipList(ConcurrentSkipListMap<?, ?> map) {
        long start = putLater();
        int count = 0;
        Map.Entry<?, ?> entry = map.firstEntry();
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entry != null && entries.hasNext() && count < most) {
            Map.Entry<?, ?> next = entries.next();
            putEntry(next.getKey(), next.getValue());
            count++;
        }
        endLoop(start, count, count);
    }

    private static void putEntry(Object key, Object value) {
        ensure(2);
        putReference(key);
        putReference(value);
    }

    private static void putText(CharSequence text) {
        int length = text.length();
        ensure(4 + WHOLE_TEXT);
        put(length);
        int kept = length <= WHOLE_TEXT ? length : KEPT_TEXT;
        for (int i = 0; i < kept; i += 2) {
            put(text.charAt(i) | (i + 1 < kept ? text.charAt(i + 1) << 16 : 0));
        }
        if (length > WHOLE_TEXT) {
            // A string keeps its hash, so that a long one is read once and not after each test.
            put(text instanceof String ? text.hashCode() : hash(text));
            put(text.charAt(length - 1) | text.charAt(length / 2) << 16);
        }
    }

    private static int hash(CharSequence text) {
        int hash = 0;
        for (int i = 0; i < text.length(); i++) {
            hash = 31 * hash + text.charAt(i);
        }
        return hash;
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

    private static void putValue(Object of, long offset, int kind) {
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

    // ---- Memory and numbers.

    /** Seven bits to a byte, one more than the word: 0 stands for the next new object. */
    private static void put(int word) {
        long left = (word & 0xffffffffL) + 1;
        long place = memory + at;
        while (left >= 0x80) {
            UNSAFE.putByte(place++, (byte) (left | 0x80));
            left >>>= 7;
        }
        UNSAFE.putByte(place++, (byte) left);
        at = place - memory;
    }

    private static void putReference(Object object) {
        int known = queued;
        int number = number(object);
        if (queued == known) {
            put(number);
        } else {
            UNSAFE.putByte(memory + at++, (byte) 0);
        }
    }

    private static final int LONGEST = 5;

    /** Leaves room for a word that is not known yet; where it is. */
    private static long putLater() {
        long place = at;
        at += LONGEST;
        return place;
    }

    private static void putNow(long place, int word) {
        long left = (word & 0xffffffffL) + 1;
        for (int i = 0; i < LONGEST; i++) {
            UNSAFE.putByte(memory + place + i, (byte) (i + 1 < LONGEST ? left | 0x80 : left));
            left >>>= 7;
        }
    }

    private static void ensure(long words) {
        long end = at + LONGEST * (words + 8);
        if (end > room) {
            room = Math.max(2 * room, end);
            memory = UNSAFE.reallocateMemory(memory, room);
        }
    }

    /** Never in the middle of an object. */
    private static void handOver() {
        UnflakeNative.walkedPart(memory, at);
        before += at;
        at = 0;
    }

    private static void rewind(long to) {
        if (to < before) {
            UnflakeNative.rewind(to);
            before = to;
        }
        at = to - before;
    }

    private static Object reached(int index) {
        return queue[index >>> 12][index & ROW - 1];
    }

    /** The number of an object; a new one is put at the end of the queue. */
    private static int number(Object object) {
        if (object == null) {
            return 0;
        }
        int hash = System.identityHashCode(object);
        int place = hash % places;
        int number = UNSAFE.getInt(table + 4L * place);
        if (number != 0) {
            if (reached(number - 1) == object) {
                return number;
            }
            place = second(hash);
            for (number = UNSAFE.getInt(table + 4L * place); number != 0; number = UNSAFE.getInt(table + 4L * place)) {
                if (reached(number - 1) == object) {
                    return number;
                }
                place = place + 1 == places ? 0 : place + 1;
            }
        }
        int row = queued >>> 12;
        if (row == queue.length) {
            queue = Arrays.copyOf(queue, 2 * row);
        }
        if (queue[row] == null) {
            queue[row] = new Object[ROW];
        }
        queue[row][queued++ & ROW - 1] = object;
        UNSAFE.putInt(table + 4L * place, queued);
        if (queued > places / 5 * 4) {
            rehash(places + (places >> 2));
        }
        return queued;
    }

    /**
     * Where an object goes whose first place is taken. The first is by the hash as it is: hashes come from a counter, so
     * objects that are reached one after the other have places one after the other.
     */
    private static int second(int hash) {
        int mixed = hash * 0x9e3779b9;
        return (int) (((mixed ^ mixed >>> 15) & 0xffffffffL) * places >>> 32);
    }

    private static void rehash(int size) {
        table = UNSAFE.reallocateMemory(table, 4L * size);
        places = size;
        UNSAFE.setMemory(table, 4L * size, (byte) 0);
        for (int i = 0; i < queued; i++) {
            int hash = System.identityHashCode(reached(i));
            int place = hash % size;
            if (UNSAFE.getInt(table + 4L * place) != 0) {
                place = second(hash);
                while (UNSAFE.getInt(table + 4L * place) != 0) {
                    place = place + 1 == size ? 0 : place + 1;
                }
            }
            UNSAFE.putInt(table + 4L * place, i + 1);
        }
    }

    /** Takes back the numbers from this many objects on. */
    private static void unnumber(int count) {
        for (int i = count; i < queued; i++) {
            queue[i >>> 12][i & ROW - 1] = null;
        }
        queued = count;
        rehash(places);
    }

    /** Keeps nothing alive between tests. */
    private static void forget() {
        lastType = null;
        lastShape = null;
        if (queued == 0) {
            return;
        }
        for (int row = 0; row <= queued - 1 >>> 12; row++) {
            Arrays.fill(queue[row], null);
        }
        UNSAFE.setMemory(table, 4L * places, (byte) 0);
        queued = 0;
    }
}
