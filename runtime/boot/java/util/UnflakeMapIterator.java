package java.util;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Iterates keys, values or entries of a {@code WeakHashMap}, {@code IdentityHashMap}, {@code Hashtable} or
 * {@code ConcurrentHashMap} in an order of our own. Fail-fast if the map's own iterators are. Keys are held, so those
 * of a {@code WeakHashMap} stay; entries are the map's own, but for {@code IdentityHashMap}, whose own ones know their
 * place in the table and lose it when something is removed.
 */
final class UnflakeMapIterator implements Iterator<Object>, Enumeration<Object> {
    static final int KEYS = UnflakeHashIterator.KEYS;
    static final int VALUES = UnflakeHashIterator.VALUES;
    static final int ENTRIES = UnflakeHashIterator.ENTRIES;

    private final Map<?, ?> map;
    private final int kind;
    private final Object[] keys;
    /** Null for an {@code IdentityHashMap}. */
    private final Object[] entries;
    /** An enumeration of a {@code Hashtable}: neither fail-fast nor able to remove. */
    private final boolean enumeration;
    private int at;
    private int last = -1;
    private int expected;

    private UnflakeMapIterator(Map<?, ?> map, int kind, Object[] keys, Object[] entries, boolean enumeration) {
        this.map = map;
        this.kind = kind;
        this.keys = keys;
        this.entries = entries;
        this.enumeration = enumeration;
        this.expected = UnflakeKeys.modCount(map);
    }

    /** A varied iterator over {@code map}; null if the natural one will do. */
    static UnflakeMapIterator of(Map<?, ?> map, int kind, boolean enumeration, int model) {
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0) {
            return null;
        }
        Object[] keys;
        Object[] entries = null;
        if (map instanceof IdentityHashMap) {
            keys = identityKeys((IdentityHashMap<?, ?>) map);
        } else {
            entries = entries(own, map);
            keys = entries == null ? null : keys(entries);
        }
        if (keys == null || keys.length < 2) {
            return null;
        }
        long plan = UnflakeKeys.plan(own, model, map, keys, 0, keys.length);
        if (plan == Unflake.NATURAL_PLAN) {
            return null;
        }
        UnflakeOrder.apply(keys, 0, keys.length, plan);
        if (entries != null) {
            UnflakeOrder.apply(entries, 0, entries.length, plan);
        }
        return new UnflakeMapIterator(map, kind, keys, entries, enumeration && map instanceof Hashtable);
    }

    /** The map's entries in natural order; null if it cannot be asked. */
    private static Object[] entries(UnflakeThread own, Map<?, ?> map) {
        if (map instanceof Hashtable) {
            return UnflakeFields.entries((Hashtable<?, ?>) map, true);
        }
        own.busy++;
        try {
            UnflakeBuffer all = new UnflakeBuffer();
            for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
                all.accept(i.next());
            }
            return all.toArray();
        } catch (RuntimeException overridden) {
            return null;
        } finally {
            own.busy--;
        }
    }

    private static Object[] keys(Object[] entries) {
        Object[] keys = new Object[entries.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = ((Map.Entry<?, ?>) entries[i]).getKey();
        }
        return keys;
    }

    static Object[] identityKeys(IdentityHashMap<?, ?> map) {
        Object[] table = map.table;
        UnflakeBuffer all = new UnflakeBuffer();
        for (int i = 0; i < table.length; i += 2) {
            if (table[i] != null) {
                all.accept(table[i] == IdentityHashMap.NULL_KEY ? null : table[i]);
            }
        }
        return all.toArray();
    }

    @Override
    public boolean hasNext() {
        return at < keys.length;
    }

    @Override
    public Object next() {
        check();
        int i = at;
        if (i >= keys.length) {
            throw new NoSuchElementException();
        }
        at = i + 1;
        last = i;
        if (kind == KEYS) {
            return keys[i];
        }
        if (entries == null) {
            return kind == VALUES ? map.get(keys[i]) : new UnflakeIdentityEntry((IdentityHashMap<?, ?>) map, keys[i]);
        }
        return kind == VALUES ? ((Map.Entry<?, ?>) entries[i]).getValue() : entries[i];
    }

    @Override
    public void remove() {
        if (enumeration) {
            throw new UnsupportedOperationException();
        }
        if (last < 0) {
            throw new IllegalStateException();
        }
        check();
        Object key = keys[last];
        last = -1;
        if (removesByKey(map.getClass())) {
            map.remove(key);
        } else {
            removeNaturally(key);
        }
        expected = UnflakeKeys.modCount(map);
    }

    /** Whether {@code remove} of the map does to it what its own iterators do: nobody has overridden it. */
    private static boolean removesByKey(Class<?> of) {
        return of == IdentityHashMap.class || of == ConcurrentHashMap.class || WeakHashMap.class.isAssignableFrom(of);
    }

    /** Also for a {@code Hashtable}, whose own iterators find keys that have changed their hash. */
    private void removeNaturally(Object key) {
        UnflakeThread own = Unflake.thread();
        if (map.getClass() == Hashtable.class) {
            int size = map.size();
            map.remove(key);
            if (map.size() < size) {
                return;
            }
        }
        own.busy++;
        try {
            for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
                if (((Map.Entry<?, ?>) i.next()).getKey() == key) {
                    i.remove();
                    return;
                }
            }
        } finally {
            own.busy--;
        }
        if (UnflakeKeys.counts(map)) {
            throw new ConcurrentModificationException();
        }
    }

    private void check() {
        if (!enumeration && UnflakeKeys.modCount(map) != expected) {
            throw new ConcurrentModificationException();
        }
    }

    @Override
    public boolean hasMoreElements() {
        return hasNext();
    }

    @Override
    public Object nextElement() {
        return next();
    }
}
