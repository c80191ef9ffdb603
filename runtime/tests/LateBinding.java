import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Spliterators bind when they are first used, report what the JDK's own report, and split into parts that add up. */
public final class LateBinding {
    public static void main(String[] args) {
        List<Collection<String>> all = new ArrayList<>();
        for (Map<String, String> map : Arrays.<Map<String, String>>asList(new HashMap<>(), new WeakHashMap<>(),
            new IdentityHashMap<>(), new Hashtable<>(), new ConcurrentHashMap<>())) {
            for (String word : Roads.words()) {
                map.put(word, word.intern());
            }
            all.add(map.keySet());
            all.add(map.values());
        }
        all.add(new HashSet<>(Roads.words()));
        all.add(new PriorityQueue<>(Roads.words()));
        all.add(new PriorityBlockingQueue<>(Roads.words()));
        for (Collection<String> each : all) {
            reports(each);
            splits(each);
        }
        binds(new HashSet<>(Roads.words()));
        binds(new PriorityQueue<>(Roads.words()));
        linked();
        Check.ok("late binding");
    }

    static void reports(Collection<String> all) {
        String name = all.getClass().getName();
        Unflake.leave();
        int characteristics = all.spliterator().characteristics();
        long size = all.spliterator().estimateSize();
        Spliterator<String> halved = all.spliterator();
        Spliterator<String> half = halved.trySplit();
        int afterSplit = halved.characteristics();
        for (int form : new int[] {Check.NATURAL, Check.REVERSE, Check.RANDOM}) {
            Check.varied(Check.FULL, form, 1, () -> {
                Spliterator<String> varied = all.spliterator();
                Check.same(characteristics, varied.characteristics(), name + " characteristics");
                Check.same(size, varied.estimateSize(), name + " size");
                Check.that(varied.tryAdvance(e -> { }), name + " has one");
                Check.same(characteristics, varied.characteristics(), name + " characteristics after the first");
                if ((characteristics & Spliterator.SORTED) == 0) {
                    Check.fails(IllegalStateException.class,
                        () -> Collections.singletonList(varied.getComparator()), name + " is not sorted");
                }
                Spliterator<String> other = all.spliterator();
                if (other.trySplit() != null && half != null) {
                    Check.same(afterSplit, other.characteristics(), name + " characteristics after a split");
                }
                Check.same(0L, all.isEmpty() ? 1L : 0L, name);
                return null;
            });
        }
    }

    static void splits(Collection<String> all) {
        String name = all.getClass().getName();
        for (long seed = 0; seed < 5; seed++) {
            Check.varied(Check.FULL, Check.RANDOM, seed, () -> {
                List<String> parts = new ArrayList<>();
                collect(all.spliterator(), parts);
                Collections.sort(parts);
                List<String> sorted = new ArrayList<>(Roads.words());
                Collections.sort(sorted);
                Check.same(sorted, parts, name + " parts");
                return null;
            });
        }
    }

    static void collect(Spliterator<String> from, List<String> to) {
        Spliterator<String> part = from.trySplit();
        if (part != null) {
            collect(part, to);
            collect(from, to);
        } else {
            from.forEachRemaining(to::add);
        }
    }

    static void binds(Collection<String> all) {
        for (int form : new int[] {Check.NATURAL, Check.REVERSE, Check.RANDOM}) {
            Check.varied(Check.FULL, form, 1, () -> {
                Spliterator<String> before = all.spliterator();
                Stream<String> stream = all.stream();
                all.add("added");
                List<String> seen = new ArrayList<>();
                before.forEachRemaining(seen::add);
                Check.that(seen.contains("added"), "spliterator is late");
                Check.that(stream.collect(Collectors.toList()).contains("added"), "stream is late");
                all.remove("added");
                return null;
            });
        }
    }

    /** What has an order keeps it. */
    static void linked() {
        Set<String> set = new LinkedHashSet<>(Roads.words());
        Map<String, String> map = new LinkedHashMap<>();
        Set<String> sorted = new TreeSet<>(Roads.words());
        for (String word : Roads.words()) {
            map.put(word, word);
        }
        List<String> order = new ArrayList<>(sorted);
        Check.Op op = () -> {
            Check.same(Roads.words(), new ArrayList<>(set), "LinkedHashSet");
            Check.same(Roads.words(), Arrays.asList(set.toArray(new String[0])), "LinkedHashSet.toArray");
            Check.same(Roads.words(), set.stream().collect(Collectors.toList()), "LinkedHashSet.stream");
            Check.same(Roads.words(), new ArrayList<>(map.keySet()), "LinkedHashMap.keySet");
            Check.same(Roads.words(), new ArrayList<>(map.values()), "LinkedHashMap.values");
            Check.same(Roads.words(), Arrays.asList(map.values().toArray()), "LinkedHashMap.values.toArray");
            List<String> keys = new ArrayList<>();
            map.forEach((k, v) -> keys.add(k));
            map.keySet().forEach(keys::add);
            Check.same(Roads.words(), keys.subList(0, 8), "LinkedHashMap.forEach");
            Check.same(Roads.words(), keys.subList(8, 16), "LinkedHashMap.keySet.forEach");
            Check.same(order, new ArrayList<>(sorted), "TreeSet");
            return null;
        };
        Check.natural(op);
        Check.varied(Check.FULL, Check.REVERSE, 1, op);
        Check.same(0L, Unflake.counted(), "choices");
    }
}
