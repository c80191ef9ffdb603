package java.util;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Operations of maps and queues that walk their tables without an iterator, done in an order of our own. Left natural
 * they have the order that the original has, which is not always the one of its iterators: {@code WeakHashMap} and
 * {@code Hashtable} iterate from the end of their table and loop from its start.
 */
final class UnflakeMapLoops {
    private UnflakeMapLoops() {
    }

    static void forEach(Map<?, ?> map, BiConsumer<Object, Object> action, int model) {
        if (action == null) {
            throw new NullPointerException();
        }
        if (map instanceof IdentityHashMap) {
            IdentityHashMap<?, ?> identity = (IdentityHashMap<?, ?>) map;
            int expected = identity.modCount;
            Object[] table = identity.table;
            for (int i : places(identity, model)) {
                action.accept(key(table, i), table[i + 1]);
                check(map, expected);
            }
            return;
        }
        if (map instanceof ConcurrentHashMap) {
            for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
                action.accept(entry.getKey(), entry.getValue());
            }
            return;
        }
        int expected = UnflakeKeys.modCount(map);
        for (Object each : entries(map, model)) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
            action.accept(entry.getKey(), entry.getValue());
            check(map, expected);
        }
    }

    @SuppressWarnings("unchecked")
    static void replaceAll(Map<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        if (function == null) {
            throw new NullPointerException();
        }
        int expected = UnflakeKeys.modCount(map);
        if (map instanceof IdentityHashMap) {
            IdentityHashMap<?, ?> identity = (IdentityHashMap<?, ?>) map;
            Object[] table = identity.table;
            for (int i : places(identity, model)) {
                table[i + 1] = function.apply(key(table, i), table[i + 1]);
                check(map, expected);
            }
            return;
        }
        for (Object each : entries(map, model)) {
            Map.Entry<Object, Object> entry = (Map.Entry<Object, Object>) each;
            Object value = function.apply(entry.getKey(), entry.getValue());
            if (map instanceof WeakHashMap) {
                // Its spliterator hands out copies of its entries.
                check(map, expected);
                map.put(entry.getKey(), value);
            } else {
                entry.setValue(value);
                check(map, expected);
            }
        }
    }

    static void replaceAll(ConcurrentHashMap<Object, Object> map, BiFunction<Object, Object, Object> function) {
        if (function == null) {
            throw new NullPointerException();
        }
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            Object key = entry.getKey();
            Object old = entry.getValue();
            do {
                Object value = function.apply(key, old);
                if (value == null) {
                    throw new NullPointerException();
                }
                if (map.replace(key, old, value)) {
                    break;
                }
                old = map.get(key);
            } while (old != null);
        }
    }

    static boolean removeValuesIf(Map<?, ?> map, Predicate<Object> filter) {
        if (filter == null) {
            throw new NullPointerException();
        }
        boolean removed = false;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            Object value = entry.getValue();
            removed |= filter.test(value) && map.remove(entry.getKey(), value);
        }
        return removed;
    }

    static boolean removeEntriesIf(Map<?, ?> map, Predicate<Object> filter) {
        if (filter == null) {
            throw new NullPointerException();
        }
        boolean removed = false;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> live = (Map.Entry<?, ?>) i.next();
            Map.Entry<?, ?> entry = new AbstractMap.SimpleImmutableEntry<Object, Object>(live);
            removed |= filter.test(entry) && map.remove(entry.getKey(), entry.getValue());
        }
        return removed;
    }

    static void write(IdentityHashMap<?, ?> map, ObjectOutputStream out, int model) throws IOException {
        out.defaultWriteObject();
        int[] places = places(map, model);
        Object[] table = map.table;
        out.writeInt(places.length);
        for (int i : places) {
            out.writeObject(key(table, i));
            out.writeObject(table[i + 1]);
        }
    }

    static void write(Hashtable<?, ?> table, ObjectOutputStream out, int model) throws IOException {
        Object[] entries;
        synchronized (table) {
            out.defaultWriteObject();
            out.writeInt(UnflakeFields.capacity(table));
            entries = UnflakeFields.entries(table, false);
            out.writeInt(entries.length);
            // The original puts them on a stack first.
            UnflakeOrder.apply(entries, 0, entries.length, Unflake.REVERSE_PLAN);
            UnflakeOrder.apply(entries, 0, entries.length, plan(table, entries, model));
        }
        for (Object each : entries) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
            out.writeObject(entry.getKey());
            out.writeObject(entry.getValue());
        }
    }

    static void write(ConcurrentHashMap<?, ?> map, ObjectOutputStream out) throws IOException {
        UnflakeThread own = Unflake.thread();
        Object[] segments;
        own.busy++;
        try {
            segments = UnflakeFields.segments();
        } finally {
            own.busy--;
        }
        ObjectOutputStream.PutField fields = out.putFields();
        fields.put("segments", segments);
        fields.put("segmentShift", 28);
        fields.put("segmentMask", 15);
        out.writeFields();
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            out.writeObject(entry.getKey());
            out.writeObject(entry.getValue());
        }
        out.writeObject(null);
        out.writeObject(null);
    }

    static String text(Map<?, ?> map) {
        StringBuilder text = new StringBuilder().append('{');
        boolean first = true;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext(); first = false) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            if (!first) {
                text.append(',').append(' ');
            }
            Object key = entry.getKey();
            Object value = entry.getValue();
            text.append(key == map ? "(this Map)" : key).append('=').append(value == map ? "(this Map)" : value);
        }
        return text.append('}').toString();
    }

    static String text(Collection<?> all) {
        StringBuilder text = new StringBuilder().append('[');
        boolean first = true;
        for (Object element : all.toArray()) {
            if (!first) {
                text.append(',').append(' ');
            }
            text.append(element == all ? "(this Collection)" : element);
            first = false;
        }
        return text.append(']').toString();
    }

    static void forEach(Iterable<?> all, Consumer<Object> action, int model) {
        if (action == null) {
            throw new NullPointerException();
        }
        if (all instanceof PriorityQueue) {
            PriorityQueue<?> queue = (PriorityQueue<?>) all;
            int expected = queue.modCount;
            for (Object element : elements(queue, model)) {
                action.accept(element);
                check(queue, expected);
            }
            return;
        }
        for (Iterator<?> i = all.iterator(); i.hasNext();) {
            action.accept(i.next());
        }
    }

    private static Object[] elements(PriorityQueue<?> queue, int model) {
        Object[] elements = Arrays.copyOf(queue.queue, Math.min(queue.size(), queue.queue.length), Object[].class);
        UnflakeOrder.apply(elements, 0, elements.length, plan(queue, elements, model));
        return elements;
    }

    /** Where the keys of a map are in its table. */
    private static int[] places(IdentityHashMap<?, ?> map, int model) {
        Object[] table = map.table;
        int[] places = new int[table.length / 2];
        int n = 0;
        for (int i = 0; i < table.length; i += 2) {
            if (table[i] != null) {
                places[n++] = i;
            }
        }
        places = Arrays.copyOf(places, n);
        long plan = Unflake.NATURAL_PLAN;
        if (n > 1) {
            UnflakeThread own = Unflake.thread();
            if (own.busy == 0) {
                plan = UnflakeKeys.plan(own, model, map, null, 0, n);
            }
        }
        UnflakeOrder.apply(places, plan);
        return places;
    }

    private static Object key(Object[] table, int i) {
        Object key = table[i];
        return key == IdentityHashMap.NULL_KEY ? null : key;
    }

    private static Object[] entries(Map<?, ?> map, int model) {
        Object[] entries;
        if (map instanceof Hashtable) {
            entries = UnflakeFields.entries((Hashtable<?, ?>) map, false);
        } else {
            UnflakeThread own = Unflake.thread();
            UnflakeBuffer all = new UnflakeBuffer();
            own.busy++;
            try {
                map.entrySet().spliterator().forEachRemaining(all);
            } finally {
                own.busy--;
            }
            entries = all.toArray();
        }
        UnflakeOrder.apply(entries, 0, entries.length, plan(map, entries, model));
        return entries;
    }

    private static long plan(Object owner, Object[] elements, int model) {
        if (elements.length < 2) {
            return Unflake.NATURAL_PLAN;
        }
        UnflakeThread own = Unflake.thread();
        return own.busy > 0
            ? Unflake.NATURAL_PLAN
            : UnflakeKeys.plan(own, model, owner, elements, 0, elements.length);
    }

    private static void check(Object owner, int expected) {
        if (UnflakeKeys.modCount(owner) != expected) {
            throw new ConcurrentModificationException();
        }
    }
}
