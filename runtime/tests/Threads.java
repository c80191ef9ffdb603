import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.*;

/**
 * A seed fixes the choices of threads too (N6): they are numbered by who made them, so it does not matter which of them
 * chooses first.
 */
public final class Threads {
    private static final int COUNT = 4;

    public static void main(String[] args) throws Exception {
        turns("threads", Threads::threads);
        turns("threads of threads", Threads::nested);
        turns("a pool", Threads::pool);
        Maker virtual = virtual();
        if (virtual != null) {
            turns("virtual threads", turns -> run(turns, virtual));
        }
        older();
        asynchronous();
        raced();
        shared();
        Check.ok("threads");
    }

    interface Race {
        /** What each of {@link #COUNT} parties has seen, if they take their turns like this. */
        List<?> run(int[] turns) throws Exception;
    }

    interface Maker {
        Thread make(Runnable task) throws Exception;
    }

    /** Whoever comes first, each party sees the same; and not all of them see the same. */
    static void turns(String what, Race race) {
        int[][] orders = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
        Check.natural(() -> race.run(orders[0]));
        for (int level : new int[] {Check.ID, Check.FULL}) {
            for (int seed = 0; seed < 5; seed++) {
                List<?> first = Check.varied(level, Check.RANDOM, seed, () -> race.run(orders[0]));
                Check.that(new HashSet<Object>(first).size() > 1, what + " have choices of their own");
                for (int[] turns : orders) {
                    List<?> seen = Check.varied(level, Check.RANDOM, seed, () -> race.run(turns));
                    Check.same(first, seen, what + " at level " + level + " in order " + Arrays.toString(turns));
                }
            }
        }
    }

    static List<String> look() {
        List<String> seen = Levels.list(Levels.words());
        seen.addAll(Levels.list(Levels.words()));
        return seen;
    }

    static List<?> threads(int[] turns) throws Exception {
        return run(turns, Thread::new);
    }

    /** All are made in one order and take their turns in another. */
    static List<?> run(int[] turns, Maker maker) throws Exception {
        Object[] seen = new Object[COUNT];
        Thread[] threads = new Thread[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int party = i;
            threads[i] = maker.make(() -> seen[party] = look());
        }
        for (int turn : turns) {
            threads[turn].start();
            threads[turn].join();
        }
        return Arrays.asList(seen);
    }

    static List<?> nested(int[] turns) throws Exception {
        Object[] seen = new Object[COUNT];
        Thread[] threads = new Thread[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int party = i;
            threads[i] = new Thread(() -> seen[party] = Check.run(() -> run(turns, Thread::new)));
        }
        for (int turn : turns) {
            threads[turn].start();
            threads[turn].join();
        }
        return Arrays.asList(seen);
    }

    /** The tasks wait for their turns in the workers of a pool. */
    static List<?> pool(int[] turns) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(COUNT);
        try {
            List<Semaphore> gates = new ArrayList<>();
            List<Future<List<String>>> tasks = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                Semaphore gate = new Semaphore(0);
                gates.add(gate);
                tasks.add(pool.submit(() -> {
                    gate.acquire();
                    return look();
                }));
            }
            Object[] seen = new Object[COUNT];
            for (int turn : turns) {
                gates.get(turn).release();
                seen[turn] = tasks.get(turn).get();
            }
            return Arrays.asList(seen);
        } finally {
            pool.shutdown();
        }
    }

    /** {@code Thread.ofVirtual()::unstarted}; null before Java 21. */
    static Maker virtual() throws Exception {
        Object builder;
        try {
            builder = Thread.class.getMethod("ofVirtual").invoke(null);
        } catch (NoSuchMethodException old) {
            return null;
        }
        Method unstarted = Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class);
        return task -> (Thread) unstarted.invoke(builder, task);
    }

    /** A thread from before the scope chooses as well, first or last: the others do not notice. */
    static void older() throws Exception {
        ExecutorService older = Executors.newSingleThreadExecutor();
        try {
            older.submit(Threads::look).get();
            Object[] seen = new Object[2];
            for (int run = 0; run < 2; run++) {
                boolean first = run == 0;
                seen[run] = Check.varied(Check.FULL, Check.RANDOM, 3, () -> {
                    Object before = first ? older.submit(Threads::look).get() : null;
                    List<?> parties = threads(new int[] {0, 1, 2, 3});
                    Object after = first ? before : older.submit(Threads::look).get();
                    return Arrays.asList(parties, after);
                });
            }
            Check.same(seen[0], seen[1], "an older thread");
        } finally {
            older.shutdown();
        }
    }

    /** Tasks that are waited for one by one choose alike in every run, whichever worker of the pool has them. */
    static void asynchronous() {
        Check.Op op = () -> Collections.singletonList(CompletableFuture.supplyAsync(Threads::look).get());
        Check.natural(op);
        List<?> first = Check.varied(Check.FULL, Check.RANDOM, 3, op);
        for (int run = 0; run < 20; run++) {
            Check.same(first, Check.varied(Check.FULL, Check.RANDOM, 3, op), "a task of the common pool");
        }
    }

    /** All at once. */
    static void raced() {
        Check.Op op = () -> all(Threads::look);
        // What the JDK does once, such as linking a lambda, it does for whoever comes first.
        Check.natural(op);
        List<?> first = Check.varied(Check.FULL, Check.RANDOM, 11, op);
        for (int run = 0; run < 50; run++) {
            Check.same(first, Check.varied(Check.FULL, Check.RANDOM, 11, op), "raced");
            Check.same(2L * COUNT, Unflake.counted(), "choices of all threads");
        }
    }

    /** An unchanged object is one object, whoever looks at it first (N5). */
    static void shared() {
        for (int run = 0; run < 200; run++) {
            List<?> seen = Check.varied(Check.ID, Check.RANDOM, run, () -> {
                Set<String> one = Levels.words();
                return all(() -> Levels.list(one));
            });
            Check.same(1, new HashSet<Object>(seen).size(), "orders of one set");
        }
    }

    static List<?> all(Callable<List<String>> look) throws Exception {
        Object[] seen = new Object[COUNT];
        Thread[] threads = new Thread[COUNT];
        CyclicBarrier start = new CyclicBarrier(COUNT);
        for (int i = 0; i < COUNT; i++) {
            int party = i;
            threads[i] = new Thread(() -> seen[party] = Check.run(() -> {
                start.await();
                return look.call();
            }));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return Arrays.asList(seen);
    }
}
