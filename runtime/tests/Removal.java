import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.PriorityBlockingQueue;

/** {@code Iterator.remove} removes what was returned last, once, and nothing else. */
public final class Removal {
    public static void main(String[] args) {
        for (int form : new int[] {Check.NATURAL, Check.REVERSE, Check.RANDOM}) {
            for (int level = Check.ONE; level <= Check.FULL; level++) {
                all(level, form);
            }
        }
        Check.ok("removal");
    }

    static void all(int level, int form) {
        Check.varied(level, form, 11, () -> {
            map(new HashMap<>());
            map(new WeakHashMap<>());
            map(new IdentityHashMap<>());
            map(new Hashtable<>());
            map(new ConcurrentHashMap<>());
            map(new Hashtable<String, String>() {
                @Override
                public synchronized String remove(Object key) {
                    throw new AssertionError("iterators do not call it");
                }
            });
            collection(new HashSet<>(Roads.words()));
            collection(new PriorityQueue<>(Roads.words()));
            collection(new PriorityBlockingQueue<>(Roads.words()));
            DelayQueue<Roads.Late> late = new DelayQueue<>();
            for (String word : Roads.words()) {
                late.add(new Roads.Late(word));
            }
            collection(late);
            twins();
            changedKeys();
            trees();
            return null;
        });
    }

    static void map(Map<String, String> map) {
        for (String word : Roads.words()) {
            map.put(word, word + "!");
        }
        String name = map.getClass().getName();
        Iterator<String> keys = map.keySet().iterator();
        Check.fails(IllegalStateException.class, () -> FailFast.each(keys::remove), name + " before next");
        String key = keys.next();
        keys.remove();
        Check.that(!map.containsKey(key) && map.size() == 7, name + " key is gone");
        Check.fails(IllegalStateException.class, () -> FailFast.each(keys::remove), name + " twice");
        keys.next();
        keys.next();
        keys.remove();
        Iterator<String> values = map.values().iterator();
        String value = values.next();
        values.remove();
        Check.that(!map.containsValue(value) && map.size() == 5, name + " value is gone");
        Iterator<Map.Entry<String, String>> entries = map.entrySet().iterator();
        String entryKey = entries.next().getKey();
        entries.remove();
        Check.that(!map.containsKey(entryKey) && map.size() == 4, name + " entry is gone");
        Set<String> seen = new TreeSet<>();
        while (entries.hasNext()) {
            Map.Entry<String, String> entry = entries.next();
            Check.same(entry.getKey() + "!", entry.getValue(), name + " entries stay whole");
            seen.add(entry.getKey());
            if (seen.size() % 2 == 0) {
                entries.remove();
            }
        }
        Check.same(4, seen.size(), name + " all others were seen");
        Check.same(2, map.size(), name + " half is left");
        map.keySet().removeIf(k -> true);
        Check.that(map.isEmpty(), name + " is empty");
    }

    static void collection(Collection<?> all) {
        String name = all.getClass().getName();
        Iterator<?> i = all.iterator();
        Object first = i.next();
        i.remove();
        Check.that(!all.contains(first) && all.size() == 7, name + " first is gone");
        Check.fails(IllegalStateException.class, () -> FailFast.each(i::remove), name + " twice");
        int n = 0;
        while (i.hasNext()) {
            Object next = i.next();
            Check.that(all.contains(next), name + " still has the next");
            if (n++ % 2 == 0) {
                i.remove();
            }
        }
        Check.same(7, n, name + " all others were seen");
        Check.same(3, all.size(), name + " three are left");
        if (all instanceof Queue) {
            String last = "";
            for (int k = 0; k < 3; k++) {
                String next = String.valueOf(((Queue<?>) all).poll());
                Check.that(last.compareTo(next) <= 0, name + " is still a heap");
                last = next;
            }
        }
    }

    /** Equal elements of a queue, equal values of a map. */
    static void twins() {
        PriorityQueue<Integer> queue = new PriorityQueue<>(Arrays.asList(1, 1, 1, 2, 2));
        Iterator<Integer> i = queue.iterator();
        i.next();
        i.remove();
        i.next();
        i.remove();
        int n = 0;
        while (i.hasNext()) {
            i.next();
            n++;
        }
        Check.same(3, n, "twins in a queue");
        Check.same(3, queue.size(), "twins in a queue");
        ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
        map.put("a", 1);
        map.put("b", 1);
        map.put("c", 2);
        map.values().removeIf(v -> v == 1);
        Check.same(Collections.singletonMap("c", 2), map, "twins in a map");
    }

    static final class Changing {
        int hash;

        Changing(int hash) {
            this.hash = hash;
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** Keys whose hash has changed are still removed by iterators of maps that keep it; Java 8's HashMap does not. */
    static void changedKeys() {
        boolean eight = System.getProperty("java.specification.version").equals("1.8");
        List<Map<Changing, String>> maps = Arrays.asList(eight ? new Hashtable<>() : new HashMap<>(), new Hashtable<>());
        for (Map<Changing, String> map : maps) {
            for (int i = 0; i < 5; i++) {
                map.put(new Changing(i), "");
            }
            for (Changing key : map.keySet()) {
                key.hash += 1000;
            }
            Iterator<Changing> i = map.keySet().iterator();
            while (i.hasNext()) {
                i.next();
                i.remove();
            }
            Check.same(0, map.size(), map.getClass() + " with changed keys");
        }
    }

    /** A bin that is a tree shrinks while it is iterated; entries that come later are still the map's own. */
    static void trees() {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < 32; i++) {
            StringBuilder key = new StringBuilder();
            for (int bit = 0; bit < 5; bit++) {
                key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            map.put(key.toString(), "");
        }
        for (int i = 0; i < 64; i++) {
            map.put("k" + i, "");
        }
        int n = 0;
        for (Iterator<Map.Entry<String, String>> i = map.entrySet().iterator(); i.hasNext(); n++) {
            Map.Entry<String, String> entry = i.next();
            if (n % 4 != 0) {
                i.remove();
            } else {
                entry.setValue("set");
                Check.same("set", map.get(entry.getKey()), "entry after removals");
            }
        }
        Check.same(24, map.size(), "a quarter is left");
    }
}
