import java.io.Serializable;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;

/** What a permutation depends on at each level (N5), and that a seed fixes it (N6). */
public final class Levels {
    public static void main(String[] args) throws Exception {
        table();
        numbering();
        threads();
        guided();
        hostileHashCodes();
        views();
        ties();
        levelsOfTies();
        levelsOfQueues();
        levelsOfMaps();
        levelsOfUsersModels();
        searches();
        copies();
        Check.ok("levels");
    }

    static Set<String> set(String... words) {
        return new HashSet<>(Arrays.asList(words));
    }

    static Set<String> words() {
        return new HashSet<>(Roads.words());
    }

    /** Whether some seed gives two orders for which {@code op} returns two different lists. */
    static boolean differs(int level, Check.Op op) {
        Check.natural(op);
        for (int seed = 0; seed < 40; seed++) {
            List<?> two = Check.varied(level, Check.RANDOM, seed, op);
            if (!two.get(0).equals(two.get(1))) {
                return true;
            }
        }
        return false;
    }

    static boolean[] levels(Check.Op op) {
        boolean[] can = new boolean[4];
        for (int level = Check.ONE; level <= Check.FULL; level++) {
            can[level] = differs(level, op);
        }
        return can;
    }

    static void expect(String what, boolean one, boolean eq, boolean id, boolean full, Check.Op op) {
        Check.same(Arrays.toString(new boolean[] {one, eq, id, full}), Arrays.toString(levels(op)), what);
    }

    static List<String> list(Collection<String> all) {
        return new ArrayList<>(all);
    }

    /** Thesis, table 2.2, in the words of figure 2.2. */
    static void table() {
        List<String> natural = new ArrayList<>();
        Unflake.leave();
        natural.addAll(words());
        expect("natural order", true, true, true, true, () -> Arrays.asList(natural, list(words())));
        expect("the same twice", false, false, false, true, () -> {
            Set<String> set = words();
            return Arrays.asList(list(set), list(set));
        });
        expect("the same after a look", false, false, false, true, () -> {
            Set<String> set = words();
            List<String> before = list(set);
            set.contains("alpha");
            set.size();
            return Arrays.asList(before, list(set));
        });
        expect("after there and back", false, false, true, true, () -> {
            Set<String> set = words();
            List<String> before = list(set);
            set.add("more");
            set.remove("more");
            return Arrays.asList(before, list(set));
        });
        expect("made in the same way", false, false, true, true, () -> Arrays.asList(list(words()), list(words())));
        expect("others in the same way", false, true, true, true, () -> {
            // The same places in the table, other elements: by natural order they correspond.
            Set<Integer> small = new HashSet<>(Arrays.asList(1, 2, 3, 4, 5, 6));
            Set<Integer> large = new HashSet<>(Arrays.asList(1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20));
            List<Integer> first = new ArrayList<>(small);
            List<Integer> second = new ArrayList<>();
            for (Integer each : large) {
                second.add(each >> 20);
            }
            return Arrays.asList(permutation(first), permutation(second, large));
        });
    }

    static List<Integer> permutation(List<Integer> seen) {
        List<Integer> natural = new ArrayList<>(new TreeSet<>(seen));
        List<Integer> places = new ArrayList<>();
        for (Integer each : seen) {
            places.add(natural.indexOf(each));
        }
        return places;
    }

    /** The same, but the natural order is the table's. */
    static List<Integer> permutation(List<Integer> seen, Set<Integer> set) {
        boolean open = Unflake.open;
        Unflake.open = false;
        List<Integer> natural = new ArrayList<>();
        for (Integer each : set) {
            natural.add(each >> 20);
        }
        Unflake.open = open;
        List<Integer> places = new ArrayList<>();
        for (Integer each : seen) {
            places.add(natural.indexOf(each));
        }
        return places;
    }

    /** Choices are numbered per scope: what happened before it does not matter. */
    static void numbering() {
        Check.Op op = () -> Arrays.asList(list(words()), list(words()), list(words()));
        List<?> first = Check.varied(Check.FULL, Check.RANDOM, 9, op);
        Check.varied(Check.FULL, Check.RANDOM, 1, () -> {
            for (int i = 0; i < 10; i++) {
                list(words());
            }
            return null;
        });
        Check.same(10L, Unflake.counted(), "choices");
        Check.same(first, Check.varied(Check.FULL, Check.RANDOM, 9, op), "the same scope again");
        Check.same(3L, Unflake.counted(), "choices");
        Unflake.enter(43);
        List<?> other = Check.run(op);
        Unflake.leave();
        Check.that(!first.equals(other), "another scope");
        Check.same(first, Check.varied(Check.ID, Check.RANDOM, 9, op).size() == 3 ? first : null, "ID");
        List<?> id = Check.varied(Check.ID, Check.RANDOM, 9, op);
        Check.same(id, Check.varied(Check.ID, Check.RANDOM, 9, op), "numbers of objects repeat");
        Check.varied(Check.FULL, Check.RANDOM, 1, () -> {
            list(Collections.singleton("alone"));
            list(new HashSet<>());
            list(set("alone"));
            return null;
        });
        Check.same(0L, Unflake.counted(), "fewer than two are no choice");
        boolean none = true;
        for (long bits : Unflake.usedModels()) {
            none &= bits == 0;
        }
        Check.that(none, "no model was used");
        Check.varied(Check.FULL, Check.RANDOM, 1, () -> list(words()));
        int models = 0;
        for (long bits : Unflake.usedModels()) {
            models += Long.bitCount(bits);
        }
        Check.same(1, models, "models used");
    }

    static void threads() throws Exception {
        Check.Op op = () -> {
            List<List<String>> seen = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 3; i++) {
                Thread thread = new Thread(() -> {
                    seen.add(list(words()));
                    seen.add(list(words()));
                });
                thread.start();
                thread.join();
            }
            seen.add(list(words()));
            return seen;
        };
        Check.natural(op);
        List<List<?>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            runs.add(Check.varied(Check.FULL, Check.RANDOM, 5, op));
            Check.same(7L, Unflake.counted(), "choices on threads");
        }
        Check.same(runs.get(0), runs.get(1), "threads");
        Check.that(!runs.get(0).get(0).equals(runs.get(0).get(2)), "threads differ from each other");
    }

    static void guided() {
        List<?> natural = Check.natural(() -> list(words()));
        List<?> reversed = Check.reversed(natural);
        Check.Op op = () -> {
            List<Object> seen = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                seen.add(list(words()).equals(natural) ? 0 : 1);
            }
            return seen;
        };
        Check.natural(op);
        Check.same(Arrays.asList(0, 1, 0, 1, 0, 1, 0, 1), Check.varied(Check.FULL, Check.ODD, 0, op), "odd");
        Check.same(Arrays.asList(0, 0, 1, 1, 0, 0, 1, 1), Check.varied(Check.FULL, Check.PAIRS, 0, op), "pairs");
        for (int level = Check.ONE; level <= Check.ID; level++) {
            for (int form : new int[] {Check.ODD, Check.PAIRS}) {
                List<?> guided = Check.varied(level, form, 0, () -> list(words()));
                Check.that(guided.equals(natural) || guided.equals(reversed), "natural or reversed at level " + level);
            }
        }
    }

    static final class Hostile implements Serializable {
        static boolean armed;
        final int hash;
        final Set<Hostile> others;

        Hostile(int hash, Set<Hostile> others) {
            this.hash = hash;
            this.others = others;
        }

        @Override
        public int hashCode() {
            if (armed && others == null) {
                throw new IllegalStateException("no");
            }
            return armed ? others.hashCode() + hash : hash;
        }
    }

    /** EQ asks the user's hashCode, which may throw, recurse for ever or iterate. */
    static void hostileHashCodes() {
        Check.varied(Check.EQ, Check.RANDOM, 3, () -> {
            PriorityQueue<Hostile> throwing = new PriorityQueue<>((a, b) -> a.hash - b.hash);
            Set<Hostile> all = new HashSet<>();
            PriorityQueue<Hostile> recursing = new PriorityQueue<>((a, b) -> a.hash - b.hash);
            for (int i = 0; i < 5; i++) {
                throwing.add(new Hostile(i, null));
                Hostile each = new Hostile(i, all);
                all.add(each);
                recursing.add(each);
            }
            Hostile.armed = true;
            try {
                for (PriorityQueue<Hostile> queue : Arrays.asList(throwing, recursing)) {
                    List<Hostile> first = new ArrayList<>(queue);
                    Check.same(5, first.size(), "elements");
                    Check.same(first, new ArrayList<>(queue), "falls back to the object");
                }
            } finally {
                Hostile.armed = false;
            }
            return null;
        });
    }

    /** Keys, values and entries of an unchanged map correspond below FULL; views keep their identity. */
    static void views() {
        for (Map<String, String> map : Arrays.<Map<String, String>>asList(new HashMap<>(), new WeakHashMap<>(),
            new IdentityHashMap<>(), new Hashtable<>(), new ConcurrentHashMap<>())) {
            for (String word : Roads.words()) {
                map.put(word, word);
            }
            String name = map.getClass().getName();
            Set<String> before = map.keySet();
            for (int level = Check.ONE; level < Check.FULL; level++) {
                Check.varied(level, Check.RANDOM, 7, () -> {
                    List<String> keys = list(map.keySet());
                    Check.same(keys, list(map.values()), name + " keys and values");
                    List<String> entries = new ArrayList<>();
                    for (Map.Entry<String, String> entry : map.entrySet()) {
                        entries.add(entry.getKey());
                    }
                    Check.same(keys, entries, name + " keys and entries");
                    Check.that(map.keySet() == before, name + " keeps its views");
                    return null;
                });
            }
        }
    }

    static final class Job implements Comparable<Job> {
        final int priority;
        final int number;

        Job(int priority, int number) {
            this.priority = priority;
            this.number = number;
        }

        @Override
        public int compareTo(Job other) {
            return Integer.compare(priority, other.priority);
        }
    }

    /** Equal elements of a heap come in any order, others in theirs. */
    static void ties() {
        for (boolean by : new boolean[] {false, true}) {
            Check.Op op = () -> {
                Queue<Job> queue = by ? new PriorityQueue<>((a, b) -> a.compareTo(b)) : new PriorityQueue<>();
                for (int i = 0; i < 30; i++) {
                    queue.add(new Job(i % 3, i));
                }
                List<Object> order = new ArrayList<>();
                int last = 0;
                while (!queue.isEmpty()) {
                    Job job = queue.poll();
                    Check.that(job.priority >= last, "a heap");
                    last = job.priority;
                    order.add(job.number);
                }
                return order;
            };
            List<?> natural = Check.natural(op);
            Check.same(natural, Check.varied(Check.FULL, Check.NATURAL, 0, op), "ties left natural");
            Check.that(!natural.equals(Check.varied(Check.ONE, Check.REVERSE, 0, op)), "ties reversed");
            Check.that(!natural.equals(Check.varied(Check.FULL, Check.RANDOM, 4, op)), "ties at random");
            Check.same(30, new HashSet<>(Check.varied(Check.FULL, Check.RANDOM, 4, op)).size(), "all of them");
        }
    }

    /** A job with a value: equal ones have the same number. */
    static final class Order implements Comparable<Order> {
        final int number;

        Order(int number) {
            this.number = number;
        }

        @Override
        public int compareTo(Order other) {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Order && ((Order) other).number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    static List<Order> orders(int from) {
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            orders.add(new Order(from + i));
        }
        return orders;
    }

    static List<Job> jobs() {
        List<Job> jobs = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            jobs.add(new Job(0, i));
        }
        return jobs;
    }

    /** The places in {@code all} of what the queue gives, one after the other. */
    static <T> List<Integer> polled(Queue<T> queue, List<T> all) {
        for (T each : all) {
            queue.add(each);
        }
        List<Integer> places = new ArrayList<>();
        while (!queue.isEmpty()) {
            T each = queue.poll();
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i) == each) {
                    places.add(i);
                }
            }
        }
        return places;
    }

    interface Queues {
        <T extends Comparable<? super T>> Queue<T> make();
    }

    static void levelsOfTies() {
        levelsOfTies("PriorityQueue", new Queues() {
            @Override
            public <T extends Comparable<? super T>> Queue<T> make() {
                return new PriorityQueue<>();
            }
        });
        levelsOfTies("PriorityQueue by a comparator", new Queues() {
            @Override
            public <T extends Comparable<? super T>> Queue<T> make() {
                return new PriorityQueue<>((a, b) -> 0);
            }
        });
        levelsOfTies("PriorityBlockingQueue", new Queues() {
            @Override
            public <T extends Comparable<? super T>> Queue<T> make() {
                return new PriorityBlockingQueue<>();
            }
        });
        levelsOfTies("PriorityBlockingQueue by a comparator", new Queues() {
            @Override
            public <T extends Comparable<? super T>> Queue<T> make() {
                return new PriorityBlockingQueue<>(4, (a, b) -> 0);
            }
        });
    }

    static void levelsOfTies(String name, Queues queues) {
        List<Order> some = orders(0);
        List<?> natural = Check.natural(() -> polled(queues.<Order>make(), some));
        expect(name + ": natural order", true, true, true, true,
            () -> Arrays.asList(natural, polled(queues.<Order>make(), some)));
        expect(name + ": the same elements again", false, false, true, true,
            () -> Arrays.asList(polled(queues.<Order>make(), some), polled(queues.<Order>make(), some)));
        expect(name + ": equal elements", false, false, true, true,
            () -> Arrays.asList(polled(queues.<Order>make(), some), polled(queues.<Order>make(), orders(0))));
        expect(name + ": other elements", false, true, true, true,
            () -> Arrays.asList(polled(queues.<Order>make(), some), polled(queues.<Order>make(), orders(100))));
        expect(name + ": one queue again", false, false, true, true, () -> {
            Queue<Order> queue = queues.make();
            return Arrays.asList(polled(queue, some), polled(queue, some));
        });
        expect(name + ": elements without a value", false, false, true, true,
            () -> Arrays.asList(polled(queues.<Job>make(), jobs()), polled(queues.<Job>make(), jobs())));
    }

    /** The places in natural order of the elements of an array that the window's order has. */
    static List<Integer> places(Collection<?> all) {
        Object[] seen = all.toArray();
        boolean open = Unflake.open;
        Unflake.open = false;
        List<Object> natural = Arrays.asList(all.toArray());
        Unflake.open = open;
        return places(seen, natural);
    }

    static List<Integer> places(Object[] seen, List<?> natural) {
        List<Integer> places = new ArrayList<>();
        for (Object each : seen) {
            for (int i = 0; i < natural.size(); i++) {
                if (natural.get(i) == each) {
                    places.add(i);
                }
            }
        }
        return places;
    }

    /** Queues without a modification count: what they hold stands for it, whatever it is. */
    static void levelsOfQueues() {
        Comparator<Object> none = (a, b) -> 0;
        expect("a queue twice", false, false, false, true, () -> {
            Queue<Object> queue = new PriorityBlockingQueue<>(4, none);
            queue.addAll(jobs());
            return Arrays.asList(places(queue), places(queue));
        });
        expect("a queue with another element of a user's type", false, false, true, true, () -> {
            Queue<Object> queue = new PriorityBlockingQueue<>(4, none);
            queue.addAll(jobs());
            List<Integer> before = places(queue);
            queue.poll();
            queue.add(new Job(0, 100));
            return Arrays.asList(before, places(queue));
        });
        expect("a queue with another value", false, true, true, true, () -> {
            Queue<Object> queue = new PriorityBlockingQueue<>(4, none);
            queue.addAll(orders(0));
            List<Integer> before = places(queue);
            queue.poll();
            queue.add(new Order(100));
            return Arrays.asList(before, places(queue));
        });
        expect("equal queues", false, false, true, true, () -> {
            Queue<Object> one = new PriorityBlockingQueue<>(orders(0));
            Queue<Object> two = new PriorityBlockingQueue<>(orders(0));
            return Arrays.asList(places(one), places(two));
        });
    }

    interface Maps {
        Map<String, Object> make();
    }

    /** The keys of a map in which each has such a value. */
    static List<String> keys(Maps maps, Object value) {
        Map<String, Object> map = maps.make();
        for (String word : Roads.words()) {
            map.put(word, value);
        }
        return list(map.keySet());
    }

    /** The value of a map is what its keys are mapped to, too. */
    static void levelsOfMaps() {
        for (Maps maps : Arrays.<Maps>asList(HashMap::new, WeakHashMap::new, Hashtable::new, ConcurrentHashMap::new,
            IdentityHashMap::new)) {
            String name = maps.make().getClass().getName();
            expect(name + " with equal values", false, false, true, true,
                () -> Arrays.asList(keys(maps, orders(1)), keys(maps, orders(1))));
            expect(name + " with other values", false, true, true, true,
                () -> Arrays.asList(keys(maps, new Order(1)), keys(maps, new Order(2))));
            expect(name + " with other lists as values", false, true, true, true,
                () -> Arrays.asList(keys(maps, orders(1)), keys(maps, orders(2))));
            expect(name + " with values that have no value", false, false, true, true,
                () -> Arrays.asList(keys(maps, jobs()), keys(maps, jobs())));
        }
    }

    /** What a user's model returned, by the places of its elements. */
    static List<Integer> given(List<?> natural, Object owner) {
        return places(((List<?>) Unflake.userPermute(natural, owner, USERS)).toArray(), natural);
    }

    private static final int USERS = 1000;

    static void levelsOfUsersModels() {
        expect("the same again", false, false, false, true, () -> {
            Object owner = new Object();
            List<Job> jobs = jobs();
            return Arrays.asList(given(jobs, owner), given(jobs, owner));
        });
        expect("of a static method", false, false, false, true, () -> {
            List<Job> jobs = jobs();
            return Arrays.asList(given(jobs, "Levels"), given(jobs, "Levels"));
        });
        expect("of another object", false, false, true, true, () -> {
            List<Order> orders = orders(0);
            return Arrays.asList(given(orders, new Object()), given(orders, new Object()));
        });
        expect("equal elements", false, false, true, true, () -> {
            Object owner = new Object();
            return Arrays.asList(given(orders(0), owner), given(orders(0), owner));
        });
        expect("other elements", false, true, true, true, () -> {
            Object owner = new Object();
            return Arrays.asList(given(orders(0), owner), given(orders(100), owner));
        });
        expect("other elements without a value", false, false, true, true, () -> {
            Object owner = new Object();
            return Arrays.asList(given(jobs(), owner), given(jobs(), owner));
        });
        expect("a number again", false, false, false, true, () -> {
            Object owner = new Object();
            return Arrays.asList(Unflake.userRandom(5, owner, USERS), Unflake.userRandom(5, owner, USERS));
        });
        expect("a number of another object", false, false, true, true, () -> Arrays.asList(
            Unflake.userRandom(5, new Object(), USERS), Unflake.userRandom(5, new Object(), USERS)));
        expect("another number", false, true, true, true, () -> {
            Object owner = new Object();
            return Arrays.asList(Unflake.userRandom(5, owner, USERS), Unflake.userRandom(6, owner, USERS));
        });
    }

    static void searches() {
        int[] ints = {1, 2, 2, 2, 2, 2, 3};
        Integer[] boxed = {1, 2, 2, 2, 2, 2, 3};
        double[] doubles = {-0.0, 0.0, 0.0, 1.0};
        List<Integer> list = Arrays.asList(boxed);
        Comparator<Integer> by = Comparator.naturalOrder();
        Check.Op op = () -> Arrays.asList(Arrays.binarySearch(ints, 2), Arrays.binarySearch(ints, 2, 5, 2),
            Arrays.binarySearch(boxed, 2), Arrays.binarySearch(boxed, 2, by), Arrays.binarySearch(boxed, 0, 4, 2),
            Collections.binarySearch(list, 2), Collections.binarySearch(list, 2, by),
            Collections.binarySearch(list, 2, null), Arrays.binarySearch(doubles, 0.0), Arrays.binarySearch(ints, 9));
        List<?> natural = Check.natural(op);
        Check.same(natural, Check.varied(Check.FULL, Check.NATURAL, 0, op), "searches left natural");
        Check.same(9L, Unflake.counted(), "searches that are choices");
        Set<Object> found = new HashSet<>();
        for (int seed = 0; seed < 60; seed++) {
            List<?> seen = Check.varied(Check.FULL, Check.RANDOM, seed, op);
            for (int i = 0; i < 8; i++) {
                Check.same(2, boxed[(Integer) seen.get(i)], "found an equal one");
            }
            Check.that((Integer) seen.get(1) >= 2 && (Integer) seen.get(1) < 5, "inside of the range");
            Check.that((Integer) seen.get(8) >= 1, "-0.0 is not 0.0");
            Check.that((Integer) seen.get(9) < 0, "not found");
            found.add(seen.get(0));
        }
        Check.same(5, found.size(), "any of the equal ones");
        List<?> reversed = Check.varied(Check.ONE, Check.REVERSE, 0, op);
        for (int i = 0; i < 9; i++) {
            Check.that(!reversed.get(i).equals(natural.get(i)), "search " + i + " finds another one");
        }
    }

    /** A queue made from another one is a heap. */
    static void copies() {
        for (int seed = 0; seed < 20; seed++) {
            Check.varied(Check.FULL, Check.RANDOM, seed, () -> {
                PriorityQueue<String> queue = new PriorityQueue<>(Roads.words());
                PriorityBlockingQueue<String> blocking =
                    new PriorityBlockingQueue<>(Roads.words());
                for (Queue<String> copy : Arrays.asList(new PriorityQueue<>(queue),
                    new PriorityQueue<>((Collection<String>) queue), new PriorityQueue<>(blocking),
                    new PriorityBlockingQueue<>(blocking),
                    new PriorityBlockingQueue<>(queue))) {
                    List<String> sorted = new ArrayList<>();
                    while (!copy.isEmpty()) {
                        sorted.add(copy.poll());
                    }
                    Check.same(new ArrayList<>(new TreeSet<>(Roads.words())), sorted, "polled");
                }
                return null;
            });
        }
    }
}
