import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What methods do with fields. The comments say what is expected of each. */
class Uses {
    static Uses instance;
    static volatile String banner;
    static String current;
    static int calls;
    static long total;
    static byte small;
    static int limit;
    long size;
    Uses next;
    static final Map<String, String> memo = new HashMap<>();
    static final Map<String, String> registry = new ConcurrentHashMap<>();
    static final Map<String, List<String>> lists = new HashMap<>();
    static final Map<Object, Object[]> arrays = new HashMap<>();
    static volatile Map<Object, Object> copied = new HashMap<>();
    static Object[] slots = new Object[4];
    static final Map<String, int[]> counters = new HashMap<>();
    static final Map<String, Boolean> flags = new HashMap<>();

    Uses() {}

    Uses(String name) {
        current = name;
    }

    static Uses lazy() {
        if (instance == null) {
            instance = new Uses();
        }
        return instance;
    }

    static Uses lazyOfParameter(String name) {
        return instance != null ? instance : (instance = new Uses(name));
    }

    static String lazyByVariable() {
        String found = banner;
        if (found == null) {
            synchronized (Uses.class) {
                found = banner;
                if (found == null) {
                    banner = found = String.valueOf(7);
                }
            }
        }
        return found;
    }

    static void set(String to) {
        current = to;
    }

    static void reset() {
        current = null;
    }

    static void count(int by) {
        calls++;
        small++;
        total += 5L;
        total += by;
        total -= by;
        calls--;
        calls -= -1;
        limit = 1000;
    }

    long lazySize() {
        if (size == -1L) {
            size = memo.hashCode() * 3L;
        }
        return size;
    }

    static String remember(String key) {
        String known = memo.get(key);
        if (known == null) {
            known = key.trim();
            memo.put(key, known);
        }
        return known;
    }

    static void register(String key, String value) {
        registry.put(key, value);
    }

    static String intern(String text) {
        String known = registry.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    static void listen(String to, String who) {
        lists.computeIfAbsent(to, any -> new ArrayList<>()).add(who);
    }

    static Object fill(Object key, int at) {
        Object[] made = arrays.get(key);
        if (made == null) {
            made = new Object[7];
            arrays.put(key, made);
        }
        made[at] = key.toString();
        return made;
    }

    static void copyAndAdd(Object key) {
        Map<Object, Object> copy = new HashMap<>(copied);
        copy.put(key, new ArrayList<>(Collections.singleton(key)));
        copied = Collections.unmodifiableMap(copy);
    }

    static void cloneAndSet(Object value) {
        Object[] clone = slots.clone();
        clone[0] = value;
        slots = clone;
    }

    static int next(String name) {
        int[] count = counters.get(name);
        if (count == null) {
            count = new int[1];
            counters.put(name, count);
        }
        return ++count[0];
    }

    static Boolean flag(String name, boolean on) {
        return flags.put(name, on);
    }

    static Object[] showCopy() {
        return Arrays.copyOf(slots, 2);
    }

    static Object show(boolean all) {
        return all ? memo : "nothing";
    }

    long scratch(boolean twice) {
        if (twice) {
            size = 2;
            next = this;
        } else {
            size = 1;
        }
        return size + next.size;
    }

    void stamp() {
        long now = System.currentTimeMillis();
        if (now > total) {
            total = now;
        }
        size = now + 1000;
    }

    void keep(Uses other) {
        next = instance;
        System.out.println(memo);
        Object[] kept = {registry};
        switch (calls) {
            case 1:
                other.next = null;
                break;
            case 700:
                other.next = this;
                break;
            default:
                other.next = other;
        }
    }

    private static final Map<String, String> hidden = new HashMap<>();

    static class Inner {
        String look(String key) {
            return hidden.get(key);
        }
    }
}
