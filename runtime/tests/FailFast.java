import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

/** Traversals that fail fast go on doing so, and those that never do go on not doing so (N4). */
public final class FailFast {
    public static void main(String[] args) {
        for (int form : new int[] {Check.NATURAL, Check.REVERSE, Check.RANDOM}) {
            map("HashMap", form, HashMap::new);
            map("WeakHashMap", form, WeakHashMap::new);
            map("IdentityHashMap", form, IdentityHashMap::new);
            map("Hashtable", form, Hashtable::new);
            queue(form);
            concurrent(form);
            nulls(form);
        }
        Check.ok("fail-fast");
    }

    interface Make {
        Map<String, String> make();
    }

    static Map<String, String> filled(Make make) {
        Map<String, String> map = make.make();
        for (String word : Roads.words()) {
            map.put(word, word + "!");
        }
        return map;
    }

    static void cme(int form, Check.Op op, String what) {
        Check.varied(Check.FULL, form, 3, () -> {
            Check.fails(ConcurrentModificationException.class, op, what);
            return null;
        });
    }

    static void map(String name, int form, Make make) {
        cme(form, () -> {
            Map<String, String> map = filled(make);
            Iterator<?> i = map.keySet().iterator();
            i.next();
            map.put("more", "");
            i.next();
            return null;
        }, name + ".keySet put");
        cme(form, () -> {
            Map<String, String> map = filled(make);
            for (Iterator<?> i = map.values().iterator(); i.hasNext(); i.next()) {
                map.remove("beta");
                map.remove("alpha");
            }
            return null;
        }, name + ".values remove");
        cme(form, () -> {
            Map<String, String> map = filled(make);
            Iterator<?> i = map.entrySet().iterator();
            i.next();
            map.put("more", "");
            i.remove();
            return null;
        }, name + ".entrySet iterator's remove");
        cme(form, () -> {
            Map<String, String> map = filled(make);
            map.forEach((k, v) -> map.put("more", ""));
            return null;
        }, name + ".forEach");
        cme(form, () -> {
            Map<String, String> map = filled(make);
            int[] n = {0};
            map.forEach((k, v) -> {
                if (++n[0] == 8) {
                    map.put("more", "");
                }
            });
            return null;
        }, name + ".forEach at the last");
        cme(form, () -> {
            Map<String, String> map = filled(make);
            map.replaceAll((k, v) -> {
                map.put("more", "");
                return v;
            });
            return null;
        }, name + ".replaceAll");
        if (!name.equals("Hashtable")) {
            cme(form, () -> {
                Map<String, String> map = filled(make);
                map.keySet().stream().forEach(k -> map.put("more", ""));
                return null;
            }, name + ".keySet.stream");
            cme(form, () -> {
                Map<String, String> map = filled(make);
                Spliterator<?> s = map.entrySet().spliterator();
                s.tryAdvance(e -> { });
                map.put("more", "");
                s.tryAdvance(e -> { });
                return null;
            }, name + ".entrySet.spliterator");
        }
        // Setting the value of a key that is there is no modification.
        Check.varied(Check.FULL, form, 3, () -> {
            Map<String, String> map = filled(make);
            for (Map.Entry<String, String> e : map.entrySet()) {
                map.put(e.getKey(), "new");
                Check.same("new", e.getValue(), name + " entry is live");
                e.setValue("newer");
                Check.same("newer", map.get(e.getKey()), name + " entry writes through");
            }
            Iterator<String> values = map.values().iterator();
            map.replaceAll((k, v) -> "newest");
            while (values.hasNext()) {
                Check.same("newest", values.next(), name + " values are live");
            }
            return null;
        });
        // After the last element there is nothing to fail any more.
        Check.varied(Check.FULL, form, 3, () -> {
            Map<String, String> map = filled(make);
            Iterator<?> i = map.keySet().iterator();
            for (int n = 0; n < 8; n++) {
                i.next();
            }
            Check.that(!i.hasNext(), name + " has eight");
            Check.fails(NoSuchElementException.class, () -> Collections.singletonList(i.next()), name + " at the end");
            map.put("more", "");
            return null;
        });
    }

    static void queue(int form) {
        cme(form, () -> {
            PriorityQueue<String> queue = new PriorityQueue<>(Roads.words());
            for (String each : queue) {
                queue.add("more");
            }
            return null;
        }, "PriorityQueue");
        cme(form, () -> {
            PriorityQueue<String> queue = new PriorityQueue<>(Roads.words());
            queue.spliterator().forEachRemaining(e -> queue.add("more"));
            return null;
        }, "PriorityQueue.spliterator");
    }

    static void concurrent(int form) {
        Check.varied(Check.FULL, form, 3, () -> {
            Map<String, String> map = filled(ConcurrentHashMap::new);
            for (String key : map.keySet()) {
                map.put(key + "2", "");
                map.remove(key);
                if (map.size() > 100) {
                    break;
                }
            }
            map.forEach((k, v) -> map.remove(k));
            Check.that(map.isEmpty(), "all removed");
            Map<String, String> other = filled(ConcurrentHashMap::new);
            other.keySet().stream().forEach(other::remove);
            Check.that(other.isEmpty(), "all removed by the stream");
            return null;
        });
    }

    static void nulls(int form) {
        Map<?, ?>[] maps = {filled(HashMap::new), filled(WeakHashMap::new), filled(IdentityHashMap::new),
            filled(Hashtable::new), filled(ConcurrentHashMap::new), new HashMap<>(), new Hashtable<>()};
        Check.varied(Check.FULL, form, 3, () -> {
            for (Map<?, ?> map : maps) {
                String name = map.getClass().getName();
                Check.fails(NullPointerException.class, () -> each(() -> map.forEach(null)), name);
                Check.fails(NullPointerException.class, () -> each(() -> map.replaceAll(null)), name);
                Check.fails(NullPointerException.class, () -> each(() -> map.keySet().forEach(null)), name);
                Check.fails(NullPointerException.class, () -> each(() -> map.values().forEach(null)), name);
                Check.fails(NullPointerException.class, () -> each(() -> map.entrySet().spliterator().tryAdvance(null)),
                    name);
            }
            Map<String, String> concurrent = filled(ConcurrentHashMap::new);
            Check.fails(NullPointerException.class, () -> each(() -> concurrent.replaceAll((k, v) -> null)), "null");
            Map<String, String> table = filled(Hashtable::new);
            Check.fails(NullPointerException.class, () -> each(() -> table.replaceAll((k, v) -> null)), "null");
            return null;
        });
    }

    static List<?> each(Runnable run) {
        run.run();
        return null;
    }
}
