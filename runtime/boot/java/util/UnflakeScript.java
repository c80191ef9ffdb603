package java.util;

import java.io.File;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.nio.file.Path;

/**
 * Runs in which single choices are told what to do: left natural, varied as the strategy says, or given an order. Also
 * keeps a log of the choices of such a run, and for some of them what a person wants to see.
 *
 * <p>A choice's place in the run is one number: 24 bits for the scope (counted from the start of the run), 12 for the
 * thread that chose in it, 28 for the number of the call on that thread.
 */
public final class UnflakeScript {
    private static final int SCOPE = UnflakeCodes.PLACE_SCOPE_SHIFT;
    private static final int THREAD = UnflakeCodes.PLACE_THREAD_SHIFT;

    /** What an entry says of its choices: this, {@link Unflake#NATURAL_PLAN}, or a given order's plan. */
    private static final long VARIED = UnflakeCodes.PLAN_VARIED;

    /** What is done in a choice: elements rearranged, one of some answers picked, or an answer out of too many. */
    static final int REARRANGES = UnflakeCodes.KIND_REARRANGES;
    static final int PICKS = UnflakeCodes.KIND_PICKS;
    static final int OPEN = UnflakeCodes.KIND_OPEN;

    private static final int NOTHING = 0;

    /** So many numbers for each choice in the log. */
    static final int FIELDS = UnflakeCodes.LOG_COUNT;
    private static final long PROJECT = 1L << UnflakeCodes.LOG_PROJECT_SHIFT;

    /** A rank is told for orders of no more elements than this: 12! fits into 32 bits. */
    private static final int RANKED = 12;

    private static final int SHOWN = 50;
    private static final int MOVED = 6;
    private static final int TOLD = 4096;
    private static final int LONGEST = 200;
    private static final int DEEPEST = 300;

    /** Sorted ranges without overlap: from, to (inclusive), plan. */
    private static long[] entries = new long[0];
    private static long others = VARIED;
    /** Orders that entries give, by their plan. */
    private static int[][] given = new int[0][];
    private static boolean logging;
    /** Places of which evidence is wanted, sorted. */
    private static long[] wanted = new long[0];

    private static boolean stopping;

    private static long[] log = new long[64 * FIELDS];
    private static int logged;
    /** {@link Unflake#serial} at the start of the run. */
    private static int first;

    /** Objects and where they were made, while {@link #allocations} is on: each object at 2i, its stack at 2i + 1. */
    public static boolean allocations;
    private static Object[] made = new Object[0];
    private static int madeCount;

    private UnflakeScript() {
    }

    /**
     * The script of the next run as numbers with blanks between: what others do, how many entries and their three
     * numbers, how many given orders and for each its length and its elements, whether to log, how many places of which
     * evidence is wanted and these, whether allocations are to be kept, whether a debugger is to stop there. Empty: no
     * script.
     */
    public static void configure(String script) {
        StringTokenizer words = new StringTokenizer(script);
        Unflake.scripted = words.hasMoreTokens();
        others = next(words);
        entries = nextAll(words, 3);
        given = new int[(int) next(words)][];
        for (int i = 0; i < given.length; i++) {
            long[] order = nextAll(words, 1);
            given[i] = new int[order.length];
            for (int k = 0; k < order.length; k++) {
                given[i][k] = (int) order[k];
            }
        }
        logging = next(words) != NOTHING;
        wanted = nextAll(words, 1);
        allocations = next(words) != NOTHING;
        stopping = next(words) != NOTHING;
        made = allocations ? new Object[1024] : new Object[0];
        madeCount = 0;
        logged = 0;
        first = Unflake.serial + 1;
    }

    private static long next(StringTokenizer words) {
        return words.hasMoreTokens() ? Long.parseLong(words.nextToken()) : 0;
    }

    private static long[] nextAll(StringTokenizer words, int width) {
        long[] all = new long[(int) next(words) * width];
        for (int i = 0; i < all.length; i++) {
            all[i] = next(words);
        }
        return all;
    }

    /** Where a thread's choices of a scope begin. */
    static long place(int serial, int thread) {
        return (long) (serial - first) << SCOPE | (long) (thread & 0xfff) << THREAD;
    }

    /** The order that a plan gives; null if the plan is none of a script's. */
    static int[] given(long plan) {
        return given[(int) (plan - Unflake.FIRST_GIVEN)];
    }

    static long plan(UnflakeThread own, int model, Object owner, Object[] elements, int from, int n) {
        long place = own.place + own.calls;
        long plan = planned(own, model, place, n);
        if (Unflake.form != Unflake.NATURAL) {
            // Also for a choice that is switched off: its object gets its number, so that the others keep theirs.
            long varied = owner instanceof HashMap && elements == null
                ? Unflake.variedHashPlan(own, (HashMap<?, ?>) owner)
                : UnflakeKeys.varied(own, owner, elements, from, n);
            plan = plan == VARIED ? varied : plan;
        }
        if (logging && Unflake.varying) {
            long rank = plan == Unflake.NATURAL_PLAN ? 0 : n <= RANKED ? rank(order(plan, n)) : -1;
            log(place, model, REARRANGES, n, rank);
        }
        if (isWanted(place)) {
            long[] numbers = numbers(place, model, REARRANGES, n, 0);
            show(own, numbers, owner, texts(own, owner, elements, from, n), order(plan, n));
        }
        return plan;
    }

    /** Whether answers will be shown: then it pays to say which there are. */
    static boolean isShowing() {
        return wanted.length > 0;
    }

    /**
     * The same for one of {@code n} answers; {@code varied} is the strategy's plan for it. {@code answers} says what
     * they are; it may be null unless {@link #isShowing}.
     */
    static long pick(
            UnflakeThread own, int model, int kind, int natural, int n, Object owner, long varied, String[] answers) {
        long place = own.place + own.calls - 1;
        long plan = planned(place, 1);
        if (plan == VARIED) {
            plan = varied;
        }
        int picked = UnflakeOrder.pick(natural, n, plan);
        if (logging) {
            log(place, model, kind, n, picked);
        }
        if (isWanted(place)) {
            String[] texts = new String[n];
            for (int i = 0; i < n; i++) {
                texts[i] = cut(answers[i]);
            }
            show(own, numbers(place, model, kind, n, natural), owner, texts, new int[] {picked});
        }
        return plan;
    }

    /** Counts a choice; what the script says of it. */
    private static long planned(UnflakeThread own, int model, long place, int n) {
        // False for what a filter of the user's keeps natural.
        return Unflake.choose(own, model) ? planned(place, n) : Unflake.NATURAL_PLAN;
    }

    private static long planned(long place, int n) {
        int low = 0;
        int high = entries.length / 3 - 1;
        long plan = others;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (entries[3 * middle + 1] < place) {
                low = middle + 1;
            } else if (entries[3 * middle] > place) {
                high = middle - 1;
            } else {
                plan = entries[3 * middle + 2];
                break;
            }
        }
        // An order for another number of elements: the run has gone another way than the script's.
        return Unflake.isGiven(plan) && given(plan).length != n ? Unflake.NATURAL_PLAN : plan;
    }

    // ---- the log

    private static void log(long place, int model, int kind, int outcomes, long rank) {
        log(place, model, kind, outcomes, rank, UnflakeNative.callerIsProject());
    }

    private static synchronized void log(
            long place, int model, int kind, int outcomes, long rank, boolean isProject) {
        if (logged + FIELDS > log.length) {
            log = Arrays.copyOf(log, 2 * log.length);
        }
        log[logged + UnflakeCodes.LOG_PLACE] = place;
        log[logged + UnflakeCodes.LOG_MODEL] =
            (isProject ? PROJECT : 0) | (long) kind << UnflakeCodes.LOG_KIND_SHIFT | model;
        log[logged + UnflakeCodes.LOG_SIZE] = outcomes;
        log[logged + UnflakeCodes.LOG_RANK] = rank;
        logged += FIELDS;
    }

    /** Tells the program what the run that is over chose. */
    public static synchronized void finish() {
        if (logging) {
            UnflakeEvents.choices(Arrays.copyOf(log, logged));
        }
        logged = 0;
        made = new Object[0];
        madeCount = 0;
        allocations = false;
    }

    /** The places in natural order of the elements in the order of a plan. */
    private static int[] order(long plan, int n) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        UnflakeOrder.apply(order, plan);
        return order;
    }

    /** The number of an order among all orders of its elements, sorted. */
    private static long rank(int[] order) {
        long rank = 0;
        for (int i = 0; i < order.length; i++) {
            int smaller = 0;
            for (int k = i + 1; k < order.length; k++) {
                if (order[k] < order[i]) {
                    smaller++;
                }
            }
            rank = rank * (order.length - i) + smaller;
        }
        return rank;
    }

    // ---- evidence

    private static boolean isWanted(long place) {
        return wanted.length > 0 && Arrays.binarySearch(wanted, place) >= 0;
    }

    private static long[] numbers(long place, int model, int kind, int size, int naturalAnswer) {
        long[] numbers = new long[UnflakeCodes.EVIDENCE_COUNT];
        numbers[UnflakeCodes.EVIDENCE_PLACE] = place;
        numbers[UnflakeCodes.EVIDENCE_MODEL] = model;
        numbers[UnflakeCodes.EVIDENCE_KIND] = kind;
        numbers[UnflakeCodes.EVIDENCE_SIZE] = size;
        numbers[UnflakeCodes.EVIDENCE_NATURAL_ANSWER] = naturalAnswer;
        return numbers;
    }

    private static void show(UnflakeThread own, long[] numbers, Object owner, String[] natural, int[] order) {
        if (stopping) {
            stop();
        }
        own.busy++;
        try {
            UnflakeBuffer moved = new UnflakeBuffer();
            int movedCount = 0;
            String[] failing = new String[Math.min(order.length, SHOWN)];
            for (int i = 0; i < order.length; i++) {
                String text = order[i] < natural.length ? natural[order[i]] : "…";
                if (i < failing.length) {
                    failing[i] = text;
                }
                if (numbers[UnflakeCodes.EVIDENCE_KIND] == REARRANGES && order[i] != i && movedCount++ <= MOVED) {
                    moved.accept(text);
                }
            }
            Object[] few = movedCount <= MOVED ? moved.toArray() : new Object[0];
            Object[][] lists = new Object[UnflakeCodes.EVIDENCE_COUNT - UnflakeCodes.EVIDENCE_NATURAL][];
            lists[0] = natural.length <= SHOWN ? natural : Arrays.copyOf(natural, SHOWN);
            lists[UnflakeCodes.EVIDENCE_FAILING - UnflakeCodes.EVIDENCE_NATURAL] = failing;
            lists[UnflakeCodes.EVIDENCE_MOVED - UnflakeCodes.EVIDENCE_NATURAL] = few;
            lists[UnflakeCodes.EVIDENCE_STACK - UnflakeCodes.EVIDENCE_NATURAL] = frames(new Throwable());
            lists[UnflakeCodes.EVIDENCE_ALLOCATION - UnflakeCodes.EVIDENCE_NATURAL] = frames(madeAt(owner));
            boolean isOwned = owner != null && !(owner instanceof UnflakeReceiver);
            UnflakeEvents.evidence(numbers, isOwned ? owner.getClass().getName() : null, lists,
                order.length <= TOLD ? order : new int[0]);
        } finally {
            own.busy--;
        }
    }

    /** A debugger that waits for this exception stops here: the frames below are the choice's. */
    private static void stop() {
        try {
            throw new UnflakeStop();
        } catch (UnflakeStop seen) {
            return;
        }
    }

    private static String[] texts(UnflakeThread own, Object owner, Object[] elements, int from, int n) {
        own.busy++;
        try {
            Object[] all = elements;
            int start = from;
            if (all == null && owner instanceof HashMap) {
                all = UnflakeHashIterator.nodes((HashMap<?, ?>) owner, Unflake.NATURAL_PLAN);
                start = 0;
            }
            String[] texts = new String[all == null ? 0 : Math.min(n, all.length - start)];
            for (int i = 0; i < texts.length; i++) {
                texts[i] = text(all[start + i]);
            }
            return texts;
        } finally {
            own.busy--;
        }
    }

    /** An element as text. What belongs to the user may throw, recurse or be endless. */
    static String text(Object element) {
        try {
            if (element instanceof Map.Entry) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) element;
                Object value = entry.getValue();
                String key = text(entry.getKey());
                // The value that stands behind each element of a HashSet.
                return value != null && value.getClass() == Object.class ? key
                    : cut(key.concat("=").concat(text(value)));
            }
            if (element instanceof Member) {
                Member member = (Member) element;
                String type = member.getDeclaringClass().getName();
                return cut(type.substring(type.lastIndexOf('.') + 1).concat(".").concat(member.getName())
                    .concat(member instanceof Field ? "" : parameters((Executable) member)));
            }
            if (element instanceof File) {
                // Its directory is often another one in each run.
                return cut(((File) element).getName());
            }
            if (element instanceof Path && ((Path) element).getFileName() != null) {
                return cut(((Path) element).getFileName().toString());
            }
            return cut(String.valueOf(element));
        } catch (Throwable theirs) {
            return "(".concat(element.getClass().getName()).concat(": toString throws ")
                .concat(theirs.getClass().getName()).concat(")");
        }
    }

    private static String parameters(Executable member) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> parameter : member.getParameterTypes()) {
            text.append(text.length() == 1 ? "" : ", ").append(parameter.getSimpleName());
        }
        return text.append(')').toString();
    }

    private static String cut(String text) {
        return text == null ? "null" : text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1).concat("…");
    }

    /** A stack without our own frames: class, method, file and line with tabs between. */
    private static String[] frames(Throwable at) {
        if (at == null) {
            return new String[0];
        }
        StackTraceElement[] stack = at.getStackTrace();
        int start = 0;
        while (start < stack.length && stack[start].getClassName().startsWith("java.util.Unflake")) {
            start++;
        }
        String[] frames = new String[Math.min(stack.length - start, DEEPEST)];
        for (int i = 0; i < frames.length; i++) {
            StackTraceElement frame = stack[start + i];
            frames[i] = frame.getClassName().concat("\t").concat(frame.getMethodName()).concat("\t")
                .concat(String.valueOf(frame.getFileName())).concat("\t").concat(String.valueOf(frame.getLineNumber()));
        }
        return frames;
    }

    // ---- where collections are made

    /** Called at the end of constructors while allocations are kept. */
    static void made(Object object) {
        Throwable at = new Throwable();
        synchronized (UnflakeScript.class) {
            if (madeCount + 2 > made.length) {
                made = Arrays.copyOf(made, 2 * made.length + 2);
            }
            made[madeCount] = object;
            made[madeCount + 1] = at;
            madeCount += 2;
        }
    }

    private static synchronized Throwable madeAt(Object object) {
        for (int i = madeCount - 2; i >= 0 && object != null; i -= 2) {
            if (made[i] == object) {
                return (Throwable) made[i + 1];
            }
        }
        return null;
    }
}
