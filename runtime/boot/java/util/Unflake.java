package java.util;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * What edits of JDK methods call. The window (when choices vary), level, form and seed, scopes and the numbering of
 * choices are here; how a result is rearranged is in the classes beside it. The last parameter of each helper is the
 * index of the model that the edit belongs to.
 *
 * <p>The runtime lives inside the methods it changes: a lambda, an assertion or a {@code HashMap} of its own would make a
 * choice inside of a choice. So there are none.
 */
public final class Unflake {
    static final int ONE = 0;
    static final int EQ = 1;
    static final int ID = 2;
    static final int FULL = 3;

    static final int NATURAL = 0;
    static final int REVERSE = 1;
    static final int ODD = 2;
    static final int EVEN = 3;
    static final int RANDOM = 4;

    /** Plans: what is done to one sequence of elements. Every other value is the start of a random permutation. */
    static final long NATURAL_PLAN = 0;
    static final long REVERSE_PLAN = 1;

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
    /** Values of user models of the kind "one of", by model. */
    public static String[][] userValues = new String[0][];
    /** Widths of user models of the kind "tolerance", by model. */
    public static double[] userTolerances = new double[0];

    static int level;
    static int form;
    static long seed;

    /** Counts scopes, so that a thread sees that its numbers belong to an older one. */
    static int serial;

    private static long scope;
    private static boolean chosenByProject;
    /** The thread that entered the scope: found without a look into a thread local. */
    private static UnflakeThread entered = new UnflakeThread(null);
    private static final ThreadLocal<UnflakeThread> OTHERS = new ThreadLocal<UnflakeThread>();
    private static final Object LOCK = new Object();
    /** Everyone who made a choice in this scope, the one that entered first. */
    private static UnflakeThread[] threads = new UnflakeThread[8];
    private static int threadCount;

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
    }

    /** A scope begins on this thread and the window opens. {@code name} is a hash of the scope's name. */
    public static void enter(long name) {
        UnflakeThread own = new UnflakeThread(Thread.currentThread());
        synchronized (LOCK) {
            serial++;
            scope = mix(name);
            chosenByProject = false;
            Arrays.fill(threads, null);
            threads[0] = own;
            threadCount = 1;
            own.begin(serial, seed, scope, 0);
            entered = own;
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
        UnflakeThread own = OTHERS.get();
        if (own == null) {
            own = new UnflakeThread(null);
            OTHERS.set(own);
        }
        if (own.serial != serial) {
            synchronized (LOCK) {
                if (threadCount == threads.length) {
                    threads = Arrays.copyOf(threads, 2 * threadCount);
                }
                own.begin(serial, seed, scope, threadCount);
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
        return form != NATURAL;
    }

    private static boolean chooseFor(int model) {
        if (learning && !chosenByProject && UnflakeNative.callerIsProject()) {
            chosenByProject = true;
        }
        return form != NATURAL && (!filtered || UnflakeNative.callerAllowed());
    }

    /** The plan for a choice whose key, mixed and without the seed, is {@code key}. */
    static long planOf(long key) {
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        if (form == RANDOM) {
            return random(mix(key ^ seed * GOLDEN));
        }
        return (key & 1) == (form == ODD ? 1 : 0) ? REVERSE_PLAN : NATURAL_PLAN;
    }

    /**
     * The plan for the choice that was counted last, by its number alone. Guided forms follow the Thue-Morse sequence:
     * strict alternation would give the first call and the third the same order.
     */
    static long planOfCall(UnflakeThread own) {
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        long call = own.calls - 1;
        if (form == RANDOM) {
            return random(mix(own.base + call * GOLDEN));
        }
        return (Long.bitCount(call) & 1) == (form == ODD ? 1 : 0) ? REVERSE_PLAN : NATURAL_PLAN;
    }

    private static long random(long plan) {
        return plan == NATURAL_PLAN || plan == REVERSE_PLAN ? GOLDEN : plan;
    }

    /** The plan for one traversal of {@code map}, which must hold two elements at least. */
    static long hashPlan(UnflakeThread own, HashMap<?, ?> map, int model) {
        if (!choose(own, model)) {
            return NATURAL_PLAN;
        }
        int how = level;
        if (how == FULL) {
            return planOfCall(own);
        }
        if (form == REVERSE) {
            return REVERSE_PLAN;
        }
        long key = map.size;
        if (how == EQ) {
            key = mix(key) + UnflakeKeys.hashes(map);
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

    // ---- HashMap, HashSet

    public static Iterator<?> hashKeys(HashMap<?, ?> map, int model) {
        HashMap.Node<?, ?>[] nodes = hashNodes(map, model);
        return nodes == null ? map.new KeyIterator() : new UnflakeHashIterator(map, nodes, UnflakeHashIterator.KEYS);
    }

    public static Iterator<?> hashValues(HashMap<?, ?> map, int model) {
        HashMap.Node<?, ?>[] nodes = hashNodes(map, model);
        return nodes == null ? map.new ValueIterator() : new UnflakeHashIterator(map, nodes, UnflakeHashIterator.VALUES);
    }

    public static Iterator<?> hashEntries(HashMap<?, ?> map, int model) {
        HashMap.Node<?, ?>[] nodes = hashNodes(map, model);
        return nodes == null ? map.new EntryIterator() : new UnflakeHashIterator(map, nodes, UnflakeHashIterator.ENTRIES);
    }

    /** The map's nodes in an order that is not the natural one, or null. */
    private static HashMap.Node<?, ?>[] hashNodes(HashMap<?, ?> map, int model) {
        if (map.size < 2) {
            return null;
        }
        UnflakeThread own = thread();
        if (own.busy > 0) {
            return null;
        }
        long plan = hashPlan(own, map, model);
        return plan == NATURAL_PLAN ? null : UnflakeHashIterator.nodes(map, plan);
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

    public static void hashReplaceAll(HashMap<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        UnflakeHashLoops.replaceAll(map, function, model);
    }

    /** {@code HashMap.internalWriteEntries}. */
    public static void hashWrite(HashMap<?, ?> map, ObjectOutputStream out, int model) throws IOException {
        UnflakeHashLoops.write(map, out, model);
    }

    /** {@code keysToArray} and {@code valuesToArray}: the first of {@code natural}'s elements are the map's. */
    public static Object[] hashArray(Object[] natural, HashMap<?, ?> map, int model) {
        if (open && map.size > 1) {
            UnflakeHashLoops.array(natural, map, model);
        }
        return natural;
    }
}
