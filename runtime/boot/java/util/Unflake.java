package java.util;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.text.DateFormatSymbols;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.Predicate;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * What edits of JDK methods call. The window (when choices vary), level, form and seed, scopes and the numbering of
 * choices are here; how a result is rearranged is in the classes beside it. The last parameter of each helper is the
 * index of the model that the edit belongs to.
 *
 * <p>The runtime lives inside the methods it changes: a lambda, an assertion or a {@code HashMap} of its own would make
 * a choice inside of a choice. So there are none.
 */
public final class Unflake {
    static final int ONE = UnflakeCodes.LEVEL_ONE;
    static final int EQ = UnflakeCodes.LEVEL_EQ;
    static final int ID = UnflakeCodes.LEVEL_ID;
    static final int FULL = UnflakeCodes.LEVEL_FULL;

    static final int NATURAL = UnflakeCodes.FORM_NATURAL;
    static final int REVERSE = UnflakeCodes.FORM_REVERSE;
    static final int ODD = UnflakeCodes.FORM_ODD;
    static final int PAIRS = UnflakeCodes.FORM_PAIRS;
    static final int RANDOM = UnflakeCodes.FORM_RANDOM;

    /** Plans: what is done to one sequence of elements. Every other value is the start of a random permutation. */
    static final long NATURAL_PLAN = UnflakeCodes.PLAN_NATURAL;
    static final long REVERSE_PLAN = 1;
    /** Orders that a script gives come from here on; see {@link UnflakeScript}. */
    static final long FIRST_GIVEN = UnflakeCodes.PLAN_FIRST_GIVEN;
    private static final int GIVEN_BITS = 20;

    /** A linear congruential step (Knuth's MMIX constants); only its high half is used. */
    static final long STEP = 6364136223846793005L;
    static final long STEP_ADD = 1442695040888963407L;
    static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** Whether the window is open. Plain on purpose: edited methods read it all the time. */
    public static boolean open;
    /** Whether to find out if choices are made for the project's sake. */
    public static boolean learning;
    /** Whether callers are filtered. */
    public static boolean filtered;
    /** Whether a script says what single choices do. */
    static boolean scripted;
    /** Values of user models of the kind "one of", by model. */
    static String[][] userValues = new String[0][];
    /** Widths of user models of the kind "tolerance", by model. */
    static double[] userTolerances = new double[0];

    /** Whether choices of the open scope may have other answers than the natural ones. */
    static boolean varying;

    static int level;
    static int form;
    static long seed;

    /** Counts scopes, so that a thread sees that its numbers belong to an older one. */
    static int serial;

    private static long scope;
    private static boolean chosenByProject;
    /** The thread that entered the scope: found without a look into a thread local. */
    private static UnflakeThread entered = UnflakeThread.unknown();
    private static final UnflakeThreads THREADS = new UnflakeThreads();
    private static final Object LOCK = new Object();
    /** Everyone who made a choice in this scope, the one that entered first. */
    private static UnflakeThread[] threads = new UnflakeThread[8];
    private static int threadCount;
    /** Those among them of which it is not known who made them. */
    private static int unknownCount;

    private Unflake() {
    }

    // ---- the window and its scopes

    /** Touches all that would otherwise be initialised inside of the window. */
    public static void init() {
        UnflakeWarmUp.run();
    }

    /** How choices vary from now on: see {@link #ONE} and {@link #NATURAL} and those after them. */
    public static void configure(int newLevel, int newForm, long newSeed) {
        level = newLevel;
        form = newForm;
        seed = newSeed;
        UnflakeOrder.reset();
    }

    /** A scope begins on this thread and the window opens. {@code name} is a hash of the scope's name. */
    public static void enter(long name) {
        enter(name, true);
    }

    /** The same for a scope whose choices all stay natural if it is not {@code varied}. */
    static void enter(long name, boolean varied) {
        UnflakeThread own;
        synchronized (LOCK) {
            serial++;
            own = UnflakeThread.entering(serial);
            scope = mix(name);
            chosenByProject = false;
            Arrays.fill(threads, null);
            threads[0] = own;
            threadCount = 1;
            unknownCount = 0;
            own.begin(serial, seed, scope);
            THREADS.set(own);
            entered = own;
            varying = varied && (form != NATURAL || scripted);
        }
        open = true;
    }

    /** The window closes; what was counted stays to be asked for. */
    public static void leave() {
        open = false;
    }

    /** Choices since {@link #enter}. */
    public static long counted() {
        long sum = 0;
        synchronized (LOCK) {
            for (int i = 0; i < threadCount; i++) {
                sum += threads[i].calls;
            }
        }
        return sum;
    }

    /** The models that chose since {@link #enter}, as a bit set. */
    public static long[] usedModels() {
        long[] all = new long[UnflakeThread.MODELS / 64];
        synchronized (LOCK) {
            for (int i = 0; i < threadCount; i++) {
                for (int k = 0; k < all.length; k++) {
                    all[k] |= threads[i].models[k];
                }
            }
        }
        return all;
    }

    /** Whether at least one choice was made for the project's sake; known only while {@link #learning}. */
    public static boolean chosenByProject() {
        return chosenByProject;
    }

    /** The numbers of the current thread. */
    static UnflakeThread thread() {
        UnflakeThread own = entered;
        if (own.thread == Thread.currentThread()) {
            return own;
        }
        return other();
    }

    private static UnflakeThread other() {
        UnflakeThread own = THREADS.get();
        if (own == null) {
            own = UnflakeThread.unknown();
            THREADS.set(own);
        }
        if (own.serial != serial) {
            synchronized (LOCK) {
                if (threadCount == threads.length) {
                    threads = Arrays.copyOf(threads, 2 * threadCount);
                }
                if (own.isKnown(serial)) {
                    own.begin(serial, seed, scope);
                } else {
                    own.beginUnknown(serial, seed, scope, ++unknownCount);
                }
                threads[threadCount++] = own;
            }
        }
        return own;
    }

    // ---- choices

    /** Counts a choice; false if it is to stay natural. Call it only if there are at least two allowed results. */
    static boolean choose(UnflakeThread own, int model) {
        own.calls++;
        own.mark(model);
        if (learning | filtered) {
            return chooseFor(model);
        }
        return varying;
    }

    private static boolean chooseFor(int model) {
        if (learning && (!chosenByProject || UnflakeInitialisers.isAny()) && UnflakeNative.callerIsProject()) {
            chosenByProject = true;
            thread().projectCalls++;
        }
        return varying && (!filtered || UnflakeNative.callerAllowed());
    }

    /** The plan for a choice whose key, mixed and without the seed, is {@code key}. */
    static long planOf(long key) {
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        if (form == RANDOM) {
            return random(mix(key ^ seed * GOLDEN));
        }
        return guided(key);
    }

    /**
     * Reversed or natural, by one bit of a key. Two calls of which the first bit is the same (the first and the third)
     * get the same order under ODD and, if they are neighbours but for one call, another one under PAIRS.
     */
    private static long guided(long key) {
        return (form == ODD ? key & 1 : key & 2) != 0 ? REVERSE_PLAN : NATURAL_PLAN;
    }

    /** The plan for the choice that was counted last, by its number alone. */
    static long planOfCall(UnflakeThread own) {
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        long call = own.calls - 1;
        if (form == RANDOM) {
            return random(mix(own.base + call * GOLDEN));
        }
        return guided(call);
    }

    private static long random(long plan) {
        return plan >>> GIVEN_BITS + 1 == 0 ? GOLDEN : plan;
    }

    static boolean isGiven(long plan) {
        return plan - FIRST_GIVEN >>> GIVEN_BITS == 0;
    }

    /** The plan for one traversal of {@code map}, which must hold two elements at least. */
    static long hashPlan(UnflakeThread own, HashMap<?, ?> map, int model) {
        if (scripted) {
            return UnflakeScript.plan(own, model, map, null, 0, map.size);
        }
        return choose(own, model) ? variedHashPlan(own, map) : NATURAL_PLAN;
    }

    static long variedHashPlan(UnflakeThread own, HashMap<?, ?> map) {
        int how = level;
        if (how == FULL) {
            return planOfCall(own);
        }
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        long key = map.size;
        if (how == EQ) {
            key = mix(key) + UnflakeKeys.value(own, map);
        } else if (how == ID) {
            key = mix(key + map.modCount * GOLDEN) + UnflakeKeys.number(own, map);
        }
        return planOf(mix(key));
    }

    /** The finaliser of SplitMix64: every bit of the input changes about half of the result's. */
    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** A collection was made. */
    public static void made(Object collection) {
        if (UnflakeScript.allocations) {
            UnflakeScript.made(collection);
        }
    }

    // ---- HashMap, HashSet

    public static Iterator<?> hashKeys(HashMap<?, ?> map, int model) {
        long plan = hashPlan(map, model);
        return plan == NATURAL_PLAN ? map.new KeyIterator()
            : UnflakeHashIterator.of(map, plan, UnflakeHashIterator.KEYS);
    }

    public static Iterator<?> hashValues(HashMap<?, ?> map, int model) {
        long plan = hashPlan(map, model);
        return plan == NATURAL_PLAN ? map.new ValueIterator()
            : UnflakeHashIterator.of(map, plan, UnflakeHashIterator.VALUES);
    }

    public static Iterator<?> hashEntries(HashMap<?, ?> map, int model) {
        long plan = hashPlan(map, model);
        return plan == NATURAL_PLAN ? map.new EntryIterator()
            : UnflakeHashIterator.of(map, plan, UnflakeHashIterator.ENTRIES);
    }

    /** The plan for one traversal of {@code map}; no choice if there is nothing to choose. */
    static long hashPlan(HashMap<?, ?> map, int model) {
        if (map.size < 2) {
            return NATURAL_PLAN;
        }
        UnflakeThread own = thread();
        return own.busy > 0 ? NATURAL_PLAN : hashPlan(own, map, model);
    }

    public static void hashForEachKey(HashMap<?, ?> map, Consumer<Object> action, int model) {
        UnflakeHashLoops.forEach(map, action, UnflakeHashIterator.KEYS, model);
    }

    public static void hashForEachValue(HashMap<?, ?> map, Consumer<Object> action, int model) {
        UnflakeHashLoops.forEach(map, action, UnflakeHashIterator.VALUES, model);
    }

    public static void hashForEachEntry(HashMap<?, ?> map, Consumer<Object> action, int model) {
        UnflakeHashLoops.forEach(map, action, UnflakeHashIterator.ENTRIES, model);
    }

    public static void hashForEach(HashMap<Object, Object> map, BiConsumer<Object, Object> action, int model) {
        UnflakeHashLoops.forEach(map, action, model);
    }

    public static void hashReplaceAll(
            HashMap<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        UnflakeHashLoops.replaceAll(map, function, model);
    }

    /** {@code HashMap.internalWriteEntries}. */
    public static void hashWrite(HashMap<?, ?> map, ObjectOutputStream out, int model) throws IOException {
        UnflakeHashLoops.write(map, out, model);
    }

    // ---- other maps

    public static Iterator<?> mapKeys(Iterator<?> natural, Map<?, ?> map, int model) {
        return mapIterator(natural, map, UnflakeMapIterator.KEYS, model);
    }

    public static Iterator<?> mapValues(Iterator<?> natural, Map<?, ?> map, int model) {
        return mapIterator(natural, map, UnflakeMapIterator.VALUES, model);
    }

    public static Iterator<?> mapEntries(Iterator<?> natural, Map<?, ?> map, int model) {
        return mapIterator(natural, map, UnflakeMapIterator.ENTRIES, model);
    }

    /** The same for views of a {@code ConcurrentHashMap}. */
    public static Iterator<?> viewKeys(Iterator<?> natural, Collection<?> view, int model) {
        return open ? mapIterator(natural, UnflakeFields.map(view), UnflakeMapIterator.KEYS, model) : natural;
    }

    public static Iterator<?> viewValues(Iterator<?> natural, Collection<?> view, int model) {
        return open ? mapIterator(natural, UnflakeFields.map(view), UnflakeMapIterator.VALUES, model) : natural;
    }

    public static Iterator<?> viewEntries(Iterator<?> natural, Collection<?> view, int model) {
        return open ? mapIterator(natural, UnflakeFields.map(view), UnflakeMapIterator.ENTRIES, model) : natural;
    }

    private static Iterator<?> mapIterator(Iterator<?> natural, Map<?, ?> map, int kind, int model) {
        if (!open) {
            return natural;
        }
        Iterator<?> varied = UnflakeMapIterator.of(map, kind, false, model);
        return varied == null ? natural : varied;
    }

    public static Enumeration<?> keys(Enumeration<?> natural, Map<?, ?> map, int model) {
        return enumeration(natural, map, UnflakeMapIterator.KEYS, model);
    }

    public static Enumeration<?> elements(Enumeration<?> natural, Map<?, ?> map, int model) {
        return enumeration(natural, map, UnflakeMapIterator.VALUES, model);
    }

    private static Enumeration<?> enumeration(Enumeration<?> natural, Map<?, ?> map, int kind, int model) {
        if (!open) {
            return natural;
        }
        Enumeration<?> varied = UnflakeMapIterator.of(map, kind, true, model);
        return varied == null ? natural : varied;
    }

    public static void mapForEach(Map<?, ?> map, BiConsumer<Object, Object> action, int model) {
        UnflakeMapLoops.forEach(map, action, model);
    }

    public static void mapReplaceAll(Map<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        UnflakeMapLoops.replaceAll(map, function, model);
    }

    public static void concurrentReplaceAll(
            ConcurrentHashMap<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        UnflakeMapLoops.replaceAll(map, function);
    }

    public static boolean valuesRemoveIf(Collection<?> view, Predicate<Object> filter, int model) {
        return UnflakeMapLoops.removeValuesIf(UnflakeFields.map(view), filter);
    }

    public static boolean entriesRemoveIf(Collection<?> view, Predicate<Object> filter, int model) {
        return UnflakeMapLoops.removeEntriesIf(UnflakeFields.map(view), filter);
    }

    public static void identityWrite(IdentityHashMap<?, ?> map, ObjectOutputStream out, int model) throws IOException {
        UnflakeMapLoops.write(map, out, model);
    }

    public static void tableWrite(Hashtable<?, ?> table, ObjectOutputStream out, int model) throws IOException {
        UnflakeMapLoops.write(table, out, model);
    }

    public static void concurrentWrite(ConcurrentHashMap<?, ?> map, ObjectOutputStream out, int model)
            throws IOException {
        UnflakeMapLoops.write(map, out);
    }

    public static String mapToString(Map<?, ?> map, int model) {
        return UnflakeMapLoops.text(map);
    }

    public static String collectionToString(Collection<?> all, int model) {
        return UnflakeMapLoops.text(all);
    }

    // ---- any collection

    /** {@code forEach} of what does not use its own iterator for it. */
    public static void forEach(Iterable<?> all, Consumer<Object> action, int model) {
        UnflakeMapLoops.forEach(all, action, model);
    }

    public static Spliterator<?> spliterator(Spliterator<?> natural, Object owner, int model) {
        if (!open) {
            return natural;
        }
        Object of = owner;
        if (natural instanceof HashMap.HashMapSpliterator) {
            of = ((HashMap.HashMapSpliterator<?, ?>) natural).map;
            if (of instanceof LinkedHashMap) {
                return natural;
            }
        } else if (owner instanceof Collection && !(owner instanceof AbstractCollection)) {
            of = UnflakeFields.map((Collection<?>) owner);
        }
        return thread().busy > 0 ? natural : new UnflakeSpliterator(natural, of, model);
    }

    /** An array that begins with the elements of {@code owner}; rearranged where it is. */
    public static Object[] filled(Object[] natural, Object owner, int model) {
        return open ? UnflakeArrays.filled(natural, owner, model) : natural;
    }

    public static Iterator<?> queue(Iterator<?> natural, PriorityQueue<?> queue, int model) {
        return open ? snapshot(natural, queue, queue, model) : natural;
    }

    /** Of {@code Set.of} and {@code Map.of}. */
    public static Iterator<?> immutable(Iterator<?> natural, Object owner, int model) {
        return open ? snapshot(natural, owner, null, model) : natural;
    }

    private static Iterator<?> snapshot(Iterator<?> natural, Object owner, PriorityQueue<?> queue, int model) {
        int size = owner instanceof Map ? ((Map<?, ?>) owner).size() : ((Collection<?>) owner).size();
        if (size < 2) {
            return natural;
        }
        UnflakeThread own = thread();
        if (own.busy > 0) {
            return natural;
        }
        UnflakeBuffer all = new UnflakeBuffer();
        while (natural.hasNext()) {
            all.accept(natural.next());
        }
        Object[] elements = all.toArray();
        UnflakeOrder.apply(elements, 0, elements.length,
            UnflakeKeys.plan(own, model, owner, elements, 0, elements.length));
        return new UnflakeIterator(elements, queue);
    }

    /** A queue was asked for its comparator; see {@link UnflakeThread#copied}. */
    public static Comparator<?> comparator(Comparator<?> natural, Object queue, int model) {
        if (open) {
            thread().copied = queue;
        }
        return natural;
    }

    /**
     * Two equal elements meet on the way up in a heap: the one that comes may pass.
     *
     * @param place where the one that comes would be if it did not
     * @param heap a queue or its array
     */
    public static int tieUp(int compared, int place, Object element, Object heap, int model) {
        return compared == 0 && open && UnflakeTies.isBroken(place, element, heap, model) ? -1 : compared;
    }

    /** Two equal elements meet on the way down: the other one may be taken, or passed. */
    public static int tieDown(int compared, int place, Object element, Object heap, int model) {
        return compared == 0 && open && UnflakeTies.isBroken(place, element, heap, model) ? 1 : compared;
    }

    public static Iterator<?> directory(Iterator<?> natural, Object owner, int model) {
        return open ? new UnflakeDirectoryIterator(natural, model) : natural;
    }

    // ---- arrays

    public static Object[] array(Object[] natural, Object owner, int model) {
        return open ? UnflakeArrays.permuted(natural, owner, 0, model) : natural;
    }

    public static Object[] staticArray(Object[] natural, int model) {
        return open ? UnflakeArrays.permuted(natural, null, 0, model) : natural;
    }

    /** The first element stays. */
    public static Object[] arrayAfterFirst(Object[] natural, Object owner, int model) {
        return open ? UnflakeArrays.permuted(natural, owner, 1, model) : natural;
    }

    /** The inner arrays are rearranged, the outer one is not. */
    public static Object[][] inner(Object[][] natural, Object owner, int model) {
        return open ? UnflakeArrays.inner(natural, owner, model) : natural;
    }

    public static Object[] annotationsByType(Object[] natural, Object element, Class<?> type, int model) {
        return open ? UnflakeArrays.annotationsByType(natural, element, type, model) : natural;
    }

    /** In declaration order, yet made from exceptions that are not: what the original asks for is no choice. */
    public static AnnotatedType[] annotatedExceptionTypes(Executable executable, int model) {
        UnflakeThread own = thread();
        own.busy++;
        try {
            return executable.getAnnotatedExceptionTypes();
        } finally {
            own.busy--;
        }
    }

    /** Whether what the current thread asks for can be a choice: not while a helper calls the original. */
    public static boolean isOpenHere() {
        return open && thread().busy == 0;
    }

    public static String[][] zoneStrings(String[][] natural, DateFormatSymbols symbols, int model) {
        return open ? UnflakeArrays.zoneStrings(natural, symbols, model) : natural;
    }

    // ---- binary searches

    public static int found(int found, long[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, long[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, int[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, int[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, short[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, short[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, char[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, char[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, byte[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, byte[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, double[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, double[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, float[] array, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, model) : found;
    }

    public static int found(int found, float[] array, int from, int to, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, model) : found;
    }

    public static int found(int found, Object[] array, Object key, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, key, null, model) : found;
    }

    public static int found(int found, Object[] array, int from, int to, Object key, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, key, null, model) : found;
    }

    public static int found(int found, Object[] array, Object key, Comparator<Object> by, int model) {
        return open ? UnflakeSearch.found(found, array, 0, array.length, key, by, model) : found;
    }

    public static int found(int found, Object[] array, int from, int to, Object key, Comparator<Object> by, int model) {
        return open ? UnflakeSearch.found(found, array, from, to, key, by, model) : found;
    }

    public static int found(int found, List<?> list, Object key, int model) {
        return open ? UnflakeSearch.found(found, list, key, null, model) : found;
    }

    public static int found(int found, List<?> list, Object key, Comparator<Object> by, int model) {
        // Without a comparator the JDK has called the search above, and the choice is made.
        return open && by != null ? UnflakeSearch.found(found, list, key, by, model) : found;
    }

    // ---- bulk operations of ConcurrentHashMap

    public static void forEach(
            Map<?, ?> map, BiFunction<Object, Object, Object> transformer, Consumer<Object> action, int model) {
        UnflakeBulk.forEach(map, transformer, action);
    }

    public static Object search(Map<?, ?> map, BiFunction<Object, Object, Object> function, int model) {
        return UnflakeBulk.search(map, function);
    }

    public static Object reduce(
            Map<?, ?> map, BiFunction<Object, Object, Object> transformer, BiFunction<Object, Object, Object> reducer,
            int model) {
        return UnflakeBulk.reduce(map, transformer, reducer);
    }

    public static double reduceToDouble(
            Map<?, ?> map, ToDoubleBiFunction<Object, Object> transformer, double basis, DoubleBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map, transformer, basis, reducer);
    }

    public static long reduceToLong(
            Map<?, ?> map, ToLongBiFunction<Object, Object> transformer, long basis, LongBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map, transformer, basis, reducer);
    }

    public static int reduceToInt(
            Map<?, ?> map, ToIntBiFunction<Object, Object> transformer, int basis, IntBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map, transformer, basis, reducer);
    }

    public static void forEachKey(Map<?, ?> map, Consumer<Object> action, int model) {
        UnflakeMapLoops.forEach(map.keySet(), action, model);
    }

    public static void forEachKey(
            Map<?, ?> map, Function<Object, Object> transformer, Consumer<Object> action, int model) {
        UnflakeBulk.forEach(map.keySet(), transformer, action);
    }

    public static Object searchKeys(Map<?, ?> map, Function<Object, Object> function, int model) {
        return UnflakeBulk.search(map.keySet(), function);
    }

    public static Object reduceKeys(Map<?, ?> map, BiFunction<Object, Object, Object> reducer, int model) {
        return UnflakeBulk.reduce(map.keySet(), reducer);
    }

    public static Object reduceKeys(
            Map<?, ?> map, Function<Object, Object> transformer, BiFunction<Object, Object, Object> reducer,
            int model) {
        return UnflakeBulk.reduce(map.keySet(), transformer, reducer);
    }

    public static double reduceKeysToDouble(
            Map<?, ?> map, ToDoubleFunction<Object> transformer, double basis, DoubleBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map.keySet(), transformer, basis, reducer);
    }

    public static long reduceKeysToLong(
            Map<?, ?> map, ToLongFunction<Object> transformer, long basis, LongBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.keySet(), transformer, basis, reducer);
    }

    public static int reduceKeysToInt(
            Map<?, ?> map, ToIntFunction<Object> transformer, int basis, IntBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.keySet(), transformer, basis, reducer);
    }

    public static void forEachValue(Map<?, ?> map, Consumer<Object> action, int model) {
        UnflakeMapLoops.forEach(map.values(), action, model);
    }

    public static void forEachValue(
            Map<?, ?> map, Function<Object, Object> transformer, Consumer<Object> action, int model) {
        UnflakeBulk.forEach(map.values(), transformer, action);
    }

    public static Object searchValues(Map<?, ?> map, Function<Object, Object> function, int model) {
        return UnflakeBulk.search(map.values(), function);
    }

    public static Object reduceValues(Map<?, ?> map, BiFunction<Object, Object, Object> reducer, int model) {
        return UnflakeBulk.reduce(map.values(), reducer);
    }

    public static Object reduceValues(
            Map<?, ?> map, Function<Object, Object> transformer, BiFunction<Object, Object, Object> reducer,
            int model) {
        return UnflakeBulk.reduce(map.values(), transformer, reducer);
    }

    public static double reduceValuesToDouble(
            Map<?, ?> map, ToDoubleFunction<Object> transformer, double basis, DoubleBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map.values(), transformer, basis, reducer);
    }

    public static long reduceValuesToLong(
            Map<?, ?> map, ToLongFunction<Object> transformer, long basis, LongBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.values(), transformer, basis, reducer);
    }

    public static int reduceValuesToInt(
            Map<?, ?> map, ToIntFunction<Object> transformer, int basis, IntBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.values(), transformer, basis, reducer);
    }

    public static void forEachEntry(Map<?, ?> map, Consumer<Object> action, int model) {
        UnflakeMapLoops.forEach(map.entrySet(), action, model);
    }

    public static void forEachEntry(
            Map<?, ?> map, Function<Object, Object> transformer, Consumer<Object> action, int model) {
        UnflakeBulk.forEach(map.entrySet(), transformer, action);
    }

    public static Object searchEntries(Map<?, ?> map, Function<Object, Object> function, int model) {
        return UnflakeBulk.search(map.entrySet(), function);
    }

    public static Map.Entry<?, ?> reduceEntries(Map<?, ?> map, BiFunction<Object, Object, Object> reducer, int model) {
        return (Map.Entry<?, ?>) UnflakeBulk.reduce(map.entrySet(), reducer);
    }

    public static Object reduceEntries(
            Map<?, ?> map, Function<Object, Object> transformer, BiFunction<Object, Object, Object> reducer,
            int model) {
        return UnflakeBulk.reduce(map.entrySet(), transformer, reducer);
    }

    public static double reduceEntriesToDouble(
            Map<?, ?> map, ToDoubleFunction<Object> transformer, double basis, DoubleBinaryOperator reducer,
            int model) {
        return UnflakeBulk.reduce(map.entrySet(), transformer, basis, reducer);
    }

    public static long reduceEntriesToLong(
            Map<?, ?> map, ToLongFunction<Object> transformer, long basis, LongBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.entrySet(), transformer, basis, reducer);
    }

    public static int reduceEntriesToInt(
            Map<?, ?> map, ToIntFunction<Object> transformer, int basis, IntBinaryOperator reducer, int model) {
        return UnflakeBulk.reduce(map.entrySet(), transformer, basis, reducer);
    }

    // ---- models of users; what they return goes through these, with the object that they belong to or, of a static
    // method, the name of its class

    /** Arrays, and the interfaces of lists, sets, collections, maps, iterators, enumerations and streams. */
    public static Object userPermute(Object natural, Object owner, int model) {
        return open ? UnflakeUser.permuted(natural, owner, model) : natural;
    }

    /** Arrays and lists. */
    public static Object userExtend(Object natural, Object owner, int model) {
        return open ? UnflakeUser.extended(natural, owner, model) : natural;
    }

    public static int userRandom(int natural, Object owner, int model) {
        return open ? (int) UnflakeUser.random(natural, owner, model) : natural;
    }

    public static long userRandom(long natural, Object owner, int model) {
        return open ? UnflakeUser.random(natural, owner, model) : natural;
    }

    public static Object userOneOf(Object natural, Object owner, int model) {
        return open ? UnflakeUser.oneOf(natural, owner, model) : natural;
    }

    public static int userOneOf(int natural, Object owner, int model) {
        return open ? (Integer) UnflakeUser.oneOf((Object) natural, owner, model) : natural;
    }

    public static long userOneOf(long natural, Object owner, int model) {
        return open ? (Long) UnflakeUser.oneOf((Object) natural, owner, model) : natural;
    }

    public static double userOneOf(double natural, Object owner, int model) {
        return open ? (Double) UnflakeUser.oneOf((Object) natural, owner, model) : natural;
    }

    public static float userOneOf(float natural, Object owner, int model) {
        return open ? (Float) UnflakeUser.oneOf((Object) natural, owner, model) : natural;
    }

    public static double userNear(double natural, Object owner, int model) {
        return open ? UnflakeUser.near(natural, owner, model) : natural;
    }

    public static float userNear(float natural, Object owner, int model) {
        return open ? (float) UnflakeUser.near(natural, owner, model) : natural;
    }

    /** The values of a model of the kind "one of". */
    public static void setUserValues(int model, String[] values) {
        synchronized (LOCK) {
            String[][] all = Arrays.copyOf(userValues, Math.max(userValues.length, model + 1));
            all[model] = values;
            userValues = all;
        }
    }

    /** The width of a model of the kind "tolerance". */
    public static void setUserTolerance(int model, double width) {
        synchronized (LOCK) {
            double[] all = Arrays.copyOf(userTolerances, Math.max(userTolerances.length, model + 1));
            all[model] = width;
            userTolerances = all;
        }
    }
}
