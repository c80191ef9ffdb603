import java.lang.reflect.Method;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.ObjectOutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Every road to the same order (N2): left natural it is the JDK's, counted once; reversed it is exactly its reverse, again
 * by one choice; random it has the same elements, and the same again for the same seed.
 */
public final class Roads {
    private static int roads;

    public static void main(String[] args) throws Exception {
        map("HashMap", new HashMap<>());
        map("WeakHashMap", new WeakHashMap<>());
        map("IdentityHashMap", new IdentityHashMap<>());
        map("Hashtable", new Hashtable<>());
        map("ConcurrentHashMap", new ConcurrentHashMap<>());
        collidingMap();
        properties();
        enumerations();
        bulk();
        set("HashSet", new HashSet<>(words()));
        Set<String> keys = ConcurrentHashMap.newKeySet();
        keys.addAll(words());
        set("newKeySet", keys);
        serialized();
        queues();
        immutable();
        directories();
        Check.that(roads > 150, "only " + roads + " roads");
        Check.ok("roads " + roads);
    }

    static List<String> words() {
        return Arrays.asList("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta");
    }

    static void road(String name, Check.Op op) {
        roads++;
        Check.natural(op);
        List<?> natural = new ArrayList<>(Check.natural(op));
        Check.that(natural.size() > 1, name + " has nothing to rearrange: " + natural);
        List<?> counted = Check.varied(Check.FULL, Check.NATURAL, 0, op);
        Check.same(natural, counted, name + " natural");
        Check.same(1L, Unflake.counted(), name + " choices when natural");
        List<?> reversed = Check.varied(Check.FULL, Check.REVERSE, 0, op);
        Check.same(Check.reversed(start(natural)), reversed, name + " reversed");
        Check.same(1L, Unflake.counted(), name + " choices when reversed");
        for (int level = Check.ONE; level <= Check.FULL; level++) {
            boolean differs = false;
            for (long seed = 1; seed <= 12; seed++) {
                List<?> random = Check.varied(level, Check.RANDOM, seed, op);
                Check.same(count(natural), count(random), name + " elements");
                Check.same(random, Check.varied(level, Check.RANDOM, seed, op), name + " again with seed " + seed);
                differs |= !random.equals(natural);
            }
            Check.that(differs, name + " never differs at level " + level);
        }
    }

    /** What varies starts from the natural order; of methods, whose order differs from JVM to JVM, from their names'. */
    private static List<?> start(List<?> natural) {
        if (!(natural.get(0) instanceof Method)) {
            return natural;
        }
        List<Object> sorted = new ArrayList<Object>(natural);
        sorted.sort((a, b) -> text((Method) a).compareTo(text((Method) b)));
        return sorted;
    }

    private static String text(Method method) {
        StringBuilder text = new StringBuilder(method.getDeclaringClass().getName()).append('.').append(method.getName());
        for (Class<?> parameter : method.getParameterTypes()) {
            text.append(',').append(parameter.getName());
        }
        return text.append(':').append(method.getReturnType().getName()).toString();
    }

    static Map<String, Integer> count(List<?> list) {
        Map<String, Integer> count = new TreeMap<>();
        for (Object each : list) {
            count.merge(String.valueOf(each), 1, Integer::sum);
        }
        return count;
    }

    static void view(String name, Collection<?> view) {
        road(name + ".iterator", () -> {
            List<Object> list = new ArrayList<>();
            for (Iterator<?> i = view.iterator(); i.hasNext();) {
                list.add(text(i.next()));
            }
            return list;
        });
        road(name + ".forEach", () -> {
            List<Object> list = new ArrayList<>();
            view.forEach(e -> list.add(text(e)));
            return list;
        });
        road(name + ".forEachRemaining", () -> {
            List<Object> list = new ArrayList<>();
            view.iterator().forEachRemaining(e -> list.add(text(e)));
            return list;
        });
        road(name + ".stream", () -> view.stream().map(Roads::text).collect(Collectors.toList()));
        road(name + ".stream.iterator", () -> {
            List<Object> list = new ArrayList<>();
            view.stream().iterator().forEachRemaining(e -> list.add(text(e)));
            return list;
        });
        parallel(name, view);
        road(name + ".spliterator.tryAdvance", () -> {
            List<Object> list = new ArrayList<>();
            Spliterator<?> s = view.spliterator();
            while (s.tryAdvance(e -> list.add(text(e)))) {
            }
            return list;
        });
        road(name + ".toArray", () -> texts(view.toArray()));
        road(name + ".toArray(T[])", () -> texts(view.toArray(new Object[0])));
        road(name + ".toArray(long T[])", () -> {
            Object[] all = view.toArray(new Object[view.size() + 2]);
            Check.that(all[view.size()] == null, name + " is not ended");
            return texts(Arrays.copyOf(all, view.size()));
        });
        // `Properties.entrySet` has no text of its own before Java 17.
        if (view.toString().startsWith("[")) {
            road(name + ".toString", () -> split(view.toString()));
        }
        road(name + " copied", () -> texts(new ArrayList<>(view).toArray()));
        road(name + ".addAll", () -> {
            List<Object> list = new LinkedList<>();
            list.addAll(view);
            return texts(list.toArray());
        });
        road(name + " unmodifiable", () -> {
            List<Object> list = new ArrayList<>();
            for (Object e : Collections.unmodifiableCollection(view)) {
                list.add(text(e));
            }
            return list;
        });
    }

    /** In which order the parts of a parallel stream come together is up to how the source splits. */
    static void parallel(String name, Collection<?> view) {
        Check.Op op = () -> view.parallelStream().map(Roads::text).collect(Collectors.toList());
        List<?> natural = Check.natural(op);
        Check.same(natural, Check.varied(Check.FULL, Check.NATURAL, 0, op), name + ".parallelStream natural");
        Check.same(1L, Unflake.counted(), name + ".parallelStream choices");
        boolean differs = false;
        for (long seed = 1; seed <= 12; seed++) {
            List<?> random = Check.varied(Check.FULL, Check.RANDOM, seed, op);
            Check.same(count(natural), count(random), name + ".parallelStream elements");
            Check.same(1L, Unflake.counted(), name + ".parallelStream choices");
            differs |= !natural.equals(random);
        }
        Check.that(differs, name + ".parallelStream never differs");
    }

    static String text(Object o) {
        return String.valueOf(o);
    }

    static List<String> texts(Object[] all) {
        List<String> list = new ArrayList<>();
        for (Object each : all) {
            list.add(text(each));
        }
        return list;
    }

    /** The elements of a collection's or map's text. */
    static List<String> split(String text) {
        return Arrays.asList(text.substring(1, text.length() - 1).split(", "));
    }

    static void map(String name, Map<String, String> map) {
        for (String word : words()) {
            map.put(word, word + "!");
        }
        mapRoads(name, map);
    }

    static void mapRoads(String name, Map<String, String> map) {
        view(name + ".keySet", map.keySet());
        view(name + ".values", map.values());
        view(name + ".entrySet", map.entrySet());
        road(name + ".forEach", () -> {
            List<Object> list = new ArrayList<>();
            map.forEach((k, v) -> list.add(k + "=" + v));
            return list;
        });
        road(name + ".replaceAll", () -> {
            List<Object> list = new ArrayList<>();
            map.replaceAll((k, v) -> {
                list.add(k + "=" + v);
                return v;
            });
            return list;
        });
        road(name + ".toString", () -> split(map.toString()));
        road(name + " copied", () -> split(new LinkedHashMap<>(map).toString()));
        road(name + ".putAll", () -> {
            Map<String, String> copy = new LinkedHashMap<>();
            copy.putAll(map);
            return split(copy.toString());
        });
        road(name + ".removeIf", () -> {
            List<Object> list = new ArrayList<>();
            map.entrySet().removeIf(e -> !list.add(text(e)));
            return list;
        });
        road(name + ".values.removeIf", () -> {
            List<Object> list = new ArrayList<>();
            map.values().removeIf(e -> !list.add(text(e)));
            return list;
        });
        road(name + ".keySet.removeIf", () -> {
            List<Object> list = new ArrayList<>();
            map.keySet().removeIf(e -> !list.add(text(e)));
            return list;
        });
    }

    /** Bins that have become trees, and keys that share a bin. */
    static void collidingMap() {
        Map<String, String> map = new HashMap<>();
        for (String first : new String[] {"Aa", "BB"}) {
            for (String second : new String[] {"Aa", "BB"}) {
                for (String third : new String[] {"Aa", "BB"}) {
                    for (String fourth : new String[] {"Aa", "BB"}) {
                        map.put(first + second + third + fourth, "v");
                    }
                }
            }
        }
        for (int i = 0; i < 80; i++) {
            map.put("k" + i, "w");
        }
        mapRoads("HashMap with trees", map);
    }

    static void set(String name, Set<String> set) {
        view(name, set);
        road(name + ".removeIf", () -> {
            List<Object> list = new ArrayList<>();
            set.removeIf(e -> !list.add(e));
            return list;
        });
    }

    static void properties() {
        Properties properties = new Properties();
        for (String word : words()) {
            properties.setProperty(word, word + "!");
        }
        view("Properties.keySet", properties.keySet());
        view("Properties.values", properties.values());
        view("Properties.entrySet", properties.entrySet());
        road("Properties.toString", () -> split(properties.toString()));
        road("Properties.keys", () -> list(properties.keys()));
        road("Properties.elements", () -> list(properties.elements()));
    }

    static List<Object> list(Enumeration<?> e) {
        List<Object> list = new ArrayList<>();
        while (e.hasMoreElements()) {
            list.add(e.nextElement());
        }
        return list;
    }

    static void enumerations() {
        Hashtable<String, String> table = new Hashtable<>();
        ConcurrentHashMap<String, String> concurrent = new ConcurrentHashMap<>();
        for (String word : words()) {
            table.put(word, word + "!");
            concurrent.put(word, word + "!");
        }
        road("Hashtable.keys", () -> list(table.keys()));
        road("Hashtable.elements", () -> list(table.elements()));
        road("ConcurrentHashMap.keys", () -> list(concurrent.keys()));
        road("ConcurrentHashMap.elements", () -> list(concurrent.elements()));
        Check.varied(Check.FULL, Check.REVERSE, 0, () -> {
            Check.that(concurrent.keys() instanceof Iterator, "keys() is an iterator too");
            Check.that(table.elements() instanceof Iterator, "elements() is an iterator too");
            return null;
        });
    }

    static void bulk() {
        ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();
        for (String word : words()) {
            map.put(word, word + "!");
        }
        long alone = Long.MAX_VALUE;
        road("forEach(BiConsumer)", () -> {
            List<Object> list = new ArrayList<>();
            map.forEach(alone, (k, v) -> list.add(k + v));
            return list;
        });
        road("forEach(BiFunction, Consumer)", () -> {
            List<Object> list = new ArrayList<>();
            map.forEach(alone, (k, v) -> k + v, list::add);
            return list;
        });
        road("search", () -> {
            List<Object> list = new ArrayList<>();
            map.search(alone, (k, v) -> list.add(k + v) ? null : k);
            return list;
        });
        road("reduce", () -> split("[" + map.reduce(alone, (k, v) -> k + v, (a, b) -> a + ", " + b) + "]"));
        road("reduceToLong", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceToLong(alone, (k, v) -> list.add(k + v) ? 1 : 0, 0, Long::sum);
            return list;
        });
        road("reduceToInt", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceToInt(alone, (k, v) -> list.add(k + v) ? 1 : 0, 0, Integer::sum);
            return list;
        });
        road("reduceToDouble", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceToDouble(alone, (k, v) -> list.add(k + v) ? 1 : 0, 0, Double::sum);
            return list;
        });
        road("forEachKey", () -> {
            List<Object> list = new ArrayList<>();
            map.forEachKey(alone, list::add);
            return list;
        });
        road("forEachKey mapped", () -> {
            List<Object> list = new ArrayList<>();
            map.forEachKey(alone, k -> k + "?", list::add);
            return list;
        });
        road("searchKeys", () -> {
            List<Object> list = new ArrayList<>();
            map.searchKeys(alone, k -> list.add(k) ? null : k);
            return list;
        });
        road("reduceKeys", () -> split("[" + map.reduceKeys(alone, (a, b) -> a + ", " + b) + "]"));
        road("reduceKeys mapped", () -> split("[" + map.reduceKeys(alone, k -> k + "?", (a, b) -> a + ", " + b) + "]"));
        road("reduceKeysToLong", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceKeysToLong(alone, k -> list.add(k) ? 1 : 0, 0, Long::sum);
            return list;
        });
        road("forEachValue", () -> {
            List<Object> list = new ArrayList<>();
            map.forEachValue(alone, list::add);
            return list;
        });
        road("searchValues", () -> {
            List<Object> list = new ArrayList<>();
            map.searchValues(alone, v -> list.add(v) ? null : v);
            return list;
        });
        road("reduceValues", () -> split("[" + map.reduceValues(alone, (a, b) -> a + ", " + b) + "]"));
        road("reduceValuesToInt", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceValuesToInt(alone, v -> list.add(v) ? 1 : 0, 0, Integer::sum);
            return list;
        });
        road("forEachEntry", () -> {
            List<Object> list = new ArrayList<>();
            map.forEachEntry(alone, e -> list.add(text(e)));
            return list;
        });
        road("searchEntries", () -> {
            List<Object> list = new ArrayList<>();
            map.searchEntries(alone, e -> list.add(text(e)) ? null : e);
            return list;
        });
        road("reduceEntries", () -> split("[" + map.reduceEntries(alone, e -> text(e), (a, b) -> a + ", " + b) + "]"));
        road("reduceEntries without a function", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceEntries(alone, (a, b) -> {
                if (list.isEmpty()) {
                    list.add(text(a));
                }
                list.add(text(b));
                return b;
            });
            return list;
        });
        road("reduceEntriesToDouble", () -> {
            List<Object> list = new ArrayList<>();
            map.reduceEntriesToDouble(alone, e -> list.add(text(e)) ? 1 : 0, 0, Double::sum);
            return list;
        });
    }

    /** Says when it is written. */
    static final class Written implements java.io.Serializable {
        private static final long serialVersionUID = 1;
        static final List<String> LOG = new ArrayList<>();
        final String name;

        Written(String name) {
            this.name = name;
        }

        private void writeObject(ObjectOutputStream out) throws java.io.IOException {
            LOG.add(name);
            out.defaultWriteObject();
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Written && ((Written) other).name.equals(name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static void serialized() throws Exception {
        Map<Written, String> hash = new HashMap<>();
        Map<Written, String> identity = new IdentityHashMap<>();
        Map<Written, String> table = new Hashtable<>();
        Map<Written, String> concurrent = new ConcurrentHashMap<>();
        Set<Written> set = new HashSet<>();
        Properties properties = new Properties();
        for (String word : words()) {
            Written key = new Written(word);
            hash.put(key, word);
            identity.put(key, word);
            table.put(key, word);
            concurrent.put(key, word);
            set.add(key);
            properties.put(key, word);
        }
        for (Object each : new Object[] {hash, identity, table, concurrent, set, properties}) {
            String name = each.getClass().getSimpleName();
            road(name + " serialized", () -> {
                Written.LOG.clear();
                write(each);
                return new ArrayList<>(Written.LOG);
            });
            Check.varied(Check.FULL, Check.RANDOM, 5, () -> {
                Object again = new java.io.ObjectInputStream(new ByteArrayInputStream(write(each))).readObject();
                Check.same(each.getClass(), again.getClass(), name + " read again");
                if (!(each instanceof IdentityHashMap)) {
                    Check.same(each, again, name + " read again");
                } else {
                    Check.same(8, ((Map<?, ?>) again).size(), name + " read again");
                }
                return null;
            });
        }
    }

    static byte[] write(Object object) throws java.io.IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        out.writeObject(object);
        out.close();
        return bytes.toByteArray();
    }

    static final class Late implements Delayed {
        final String name;

        Late(String name) {
            this.name = name;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(-name.charAt(0), TimeUnit.SECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return name.compareTo(((Late) other).name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static void queues() {
        view("PriorityQueue", new PriorityQueue<>(words()));
        view("PriorityBlockingQueue", new PriorityBlockingQueue<>(words()));
        DelayQueue<Late> late = new DelayQueue<>();
        for (String word : words()) {
            late.add(new Late(word));
        }
        view("DelayQueue", late);
    }

    @SuppressWarnings("unchecked")
    static void immutable() throws Exception {
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            return;
        }
        Object[] two = {"one", "two"};
        view("Set.of 2", (Set<Object>) Set.class.getMethod("of", Object[].class).invoke(null, (Object) two));
        view("Set.of", (Set<Object>) Set.class.getMethod("of", Object[].class).invoke(null, (Object) words().toArray()));
        Map.Entry<?, ?>[] entries = new Map.Entry<?, ?>[8];
        for (int i = 0; i < 8; i++) {
            entries[i] = new AbstractMap.SimpleEntry<>(words().get(i), words().get(i) + "!");
        }
        Map<Object, Object> map =
            (Map<Object, Object>) Map.class.getMethod("ofEntries", Map.Entry[].class).invoke(null, (Object) entries);
        view("Map.of.keySet", map.keySet());
        view("Map.of.values", map.values());
        view("Map.of.entrySet", map.entrySet());
        road("Map.of.toString", () -> split(map.toString()));
        road("Map.of.forEach", () -> {
            List<Object> list = new ArrayList<>();
            map.forEach((k, v) -> list.add(k + "=" + v));
            return list;
        });
    }

    static void directories() throws Exception {
        Path folder = Files.createTempDirectory("roads");
        for (String word : words()) {
            Files.createFile(folder.resolve(word));
        }
        try {
            road("newDirectoryStream", () -> {
                List<Object> list = new ArrayList<>();
                try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
                    for (Path each : stream) {
                        list.add(each.toString());
                    }
                }
                return list;
            });
            road("Files.list", () -> {
                try (java.util.stream.Stream<Path> stream = Files.list(folder)) {
                    return stream.map(Path::toString).collect(Collectors.toList());
                }
            });
            road("File.list", () -> texts(folder.toFile().list()));
            road("File.listFiles", () -> texts(folder.toFile().listFiles()));
        } finally {
            for (File each : folder.toFile().listFiles()) {
                each.delete();
            }
            folder.toFile().delete();
        }
    }
}
