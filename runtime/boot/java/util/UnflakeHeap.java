package java.util;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Which objects tests share, and when they are walked: from roots to the words that go to the agent, part by part,
 * which compares them with what it was given before (crate {@code unflake-heap} says what the words mean and how they
 * are packed). {@link UnflakeContents} writes single objects, {@link UnflakeWords} numbers and packs them.
 *
 * <p>The walk is on the thread of the test, between tests.
 */
final class UnflakeHeap {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    /** Of a root that reaches more objects only a sample is read. */
    private static int most;
    /** The objects of a sample, and the entries that are read of one collection: what is nearest to the root. */
    private static final int SAMPLE = 500;
    private static final int SAMPLE_ENTRIES = 200;

    /** Whether this JVM looks at its heap at all. */
    static boolean watching;

    private static RootClass[] classes = new RootClass[64];
    private static int known;
    /** Classes that were loaded and not yet initialised. */
    private static Object[] waiting = new Object[64];
    private static int waits;
    /** Objects that are roots by themselves: test instances that several tests share. */
    private static Shared shared;

    private UnflakeHeap() {}

    /** Called by the agent before the first test. */
    static void watch(int mostObjects, int capturePoints, String[] eagerClasses) {
        most = mostObjects;
        points = capturePoints;
        eager = eagerClasses;
        UnflakeWords.allocate();
        threads = Thread.activeCount();
        watching = true;
    }

    /** A class's static fields. The class may be unloaded; then its roots are gone. */
    private static final class RootClass {
        final WeakReference<Class<?>> type;
        final long[] offsets;
        final int[] kinds;
        final int[] ids;
        final boolean[] sampled;

        RootClass(Class<?> type, long[] offsets, int[] kinds, int[] ids) {
            this.sampled = new boolean[offsets.length];
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
        boolean sampled;
        final Shared next;

        Shared(Object object, int id, Shared next) {
            this.object = object;
            this.id = id;
            this.next = next;
        }
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
            kinds[count] = UnflakeContents.kind(field.getType());
            ids[count] = first[0] + i;
            if (ThreadLocal.class.isAssignableFrom(field.getType())) {
                addThreadLocal(type, offsets[count], ids[count]);
            }
            if ((field.getModifiers() & 16) != 0
                && UnflakeContents.isImmutable(UNSAFE.getObject(type, offsets[count]))) {
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

    // ---- The walk.

    /** Classes to initialise before the first test; {@code null}: it is done. */
    private static String[] eager;

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
                String[] names = eager;
                eager = null;
                UnflakeLoading.load(names);
                UnflakeNative.watchFiles();
            }
            if (points == UnflakeCodes.POINTS_WHOLE_TEST) {
                walk(UnflakeCodes.AUTHOR_CLASS, new String[] {root});
            }
            fresh = true;
        }
    }

    static void testClassReady(String name) {
        if (points == UnflakeCodes.POINTS_WHOLE_TEST) {
            walk(UnflakeCodes.AUTHOR_CLASS, new String[] {name});
        }
    }

    /** Between set-up and the test's own code. */
    static void bodyStarts(String[] names) {
        if (watching && points == UnflakeCodes.POINTS_BODY) {
            walk(UnflakeCodes.AUTHOR_NOBODY, names);
        } else if (watching && points == UnflakeCodes.POINTS_SET_UPS) {
            if (previous == null) {
                walk(UnflakeCodes.AUTHOR_NOBODY, names);
            } else {
                walk(UnflakeCodes.AUTHOR_TEST, previous);
            }
            previous = names;
        }
    }

    /** Between the test's own code and tear-down. */
    static void bodyEnds(String[] names) {
        if (watching && points == UnflakeCodes.POINTS_BODY) {
            walk(UnflakeCodes.AUTHOR_TEST, names);
        }
    }

    /** After a test. */
    static void testEnds(String[] names) {
        if (watching && points == UnflakeCodes.POINTS_WHOLE_TEST) {
            walk(UnflakeCodes.AUTHOR_TEST, names);
            fresh = lost == null;
        }
    }

    static void classEnds(String root) {
        if (watching) {
            if (points == UnflakeCodes.POINTS_WHOLE_TEST) {
                walk(UnflakeCodes.AUTHOR_CLASS, new String[] {root});
            }
            unshare();
            // What the set-up of another class does is not the doing of this one's last test.
            previous = null;
            fresh = false;
        }
    }

    /** Which pairs of capture points are compared. */
    private static int points;

    /** The last test whose set-up was through. */
    private static String[] previous;

    /** Writes the whole state; {@code by} and {@code names} say for the agent whose doing the differences are. */
    private static void walk(int by, String[] names) {
        if (lost != null) {
            // The last walk has failed, so nobody knows whose doing the differences from the one before it are.
            UnflakeNative.walkFailed(by, names, lost);
            by = UnflakeCodes.AUTHOR_NOBODY;
        }
        try {
            long nanos = write();
            String[] jvm = UnflakeJvmState.capture();
            if (UnflakeWords.end(by, names, false, jvm, nanos)) {
                // What differs again at once is somebody else's doing: a thread that goes on by itself.
                letOthersRun();
                nanos = write();
                UnflakeWords.end(by, names, true, null, nanos);
            }
            lost = null;
        } catch (Throwable problem) {
            // No test is to see it: no memory is left, or it is a bug of ours.
            lost = problem.getClass().getName();
            UnflakeNative.walkFailed(by, names, lost);
        }
        forget();
    }

    /** The exception with which the last walk ended. */
    private static String lost;

    /** Keeps nothing alive between tests. */
    private static void forget() {
        UnflakeContents.forget();
        UnflakeWords.forget();
    }

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
        UnflakeWords.begin();
        int alive = 0;
        for (int c = 0; c < known; c++) {
            RootClass root = classes[c];
            Class<?> type = root.type.get();
            if (type == null) {
                continue;
            }
            classes[alive++] = root;
            for (int i = 0; i < root.offsets.length; i++) {
                if (root.ids[i] >= 0 && !writeStatic(root, type, i)) {
                    root.sampled[i] = true;
                    UnflakeNative.sampled(root.ids[i]);
                    writeStatic(root, type, i);
                }
            }
        }
        Arrays.fill(classes, alive, known, null);
        known = alive;
        // Last, since they come and go.
        for (Shared s = shared; s != null; s = s.next) {
            if (s.id >= 0 && !writeShared(s)) {
                s.sampled = true;
                UnflakeNative.sampled(s.id);
                writeShared(s);
            }
        }
        return System.nanoTime() - began;
    }

    /** False: it reaches too many objects, and nothing of it was written. */
    private static boolean writeStatic(RootClass root, Class<?> type, int i) {
        long start = UnflakeWords.position();
        int first = beginRoot(root.sampled[i]);
        UnflakeWords.ensure(4);
        UnflakeWords.put(0);
        UnflakeWords.put(root.ids[i]);
        UnflakeContents.putValue(type, root.offsets[i], root.kinds[i]);
        String problem = writeReached(first);
        if (problem != null) {
            UnflakeNative.refused(root.ids[i], problem);
            root.ids[i] = -1;
        }
        return endRoot(start, first, problem);
    }

    private static boolean writeShared(Shared root) {
        long start = UnflakeWords.position();
        int first = beginRoot(root.sampled);
        UnflakeWords.ensure(3);
        UnflakeWords.put(0);
        UnflakeWords.put(root.id);
        UnflakeWords.putReference(root.object);
        String problem = writeReached(first);
        if (problem != null) {
            UnflakeNative.refused(root.id, problem);
            root.id = -1;
        }
        return endRoot(start, first, problem);
    }

    /** The number of objects that were reached before. */
    private static int beginRoot(boolean sampled) {
        int first = UnflakeWords.queued;
        UnflakeContents.sampling = sampled;
        UnflakeContents.most = sampled ? Math.min(SAMPLE_ENTRIES, most) : most;
        UnflakeContents.tooMany = false;
        UnflakeWords.limit = sampled ? first + Math.min(SAMPLE, most) : Integer.MAX_VALUE;
        return first;
    }

    /** Takes back what was written of a root that cannot be read, or reaches too much. */
    private static boolean endRoot(long start, int first, String problem) {
        UnflakeWords.limit = Integer.MAX_VALUE;
        boolean tooMany = UnflakeContents.tooMany;
        if (problem != null || tooMany) {
            UnflakeWords.rewind(start);
            UnflakeWords.unnumber(first);
        }
        return problem != null || !tooMany;
    }

    /**
     * Writes what a root reaches and no root before it: the objects from the number {@code first} on.
     *
     * @return the exception, if the root cannot be read
     */
    private static String writeReached(int first) {
        try {
            for (int next = first; next < UnflakeWords.queued && !UnflakeContents.tooMany; next++) {
                UnflakeContents.writeObject(UnflakeWords.reached(next));
                UnflakeContents.tooMany |= !UnflakeContents.sampling && UnflakeWords.queued - first > most;
            }
            return null;
        } catch (RuntimeException changing) {
            // A collection contradicts itself only while another thread is at it.
            return changing.getClass().getName();
        } catch (LinkageError unknown) {
            // This JDK's collections have other fields than those that we were compiled with.
            return unknown.getClass().getName();
        }
    }
}
