package java.util;

/** An entry of an {@code IdentityHashMap}, found by its key. */
final class UnflakeIdentityEntry implements Map.Entry<Object, Object> {
    private final IdentityHashMap<Object, Object> map;
    private final Object key;

    @SuppressWarnings("unchecked")
    UnflakeIdentityEntry(IdentityHashMap<?, ?> map, Object key) {
        this.map = (IdentityHashMap<Object, Object>) map;
        this.key = key;
    }

    @Override
    public Object getKey() {
        check();
        return key;
    }

    @Override
    public Object getValue() {
        check();
        return map.get(key);
    }

    @Override
    public Object setValue(Object value) {
        check();
        return map.put(key, value);
    }

    @Override
    public int hashCode() {
        return map.containsKey(key)
            ? System.identityHashCode(key) ^ System.identityHashCode(map.get(key))
            : super.hashCode();
    }

    @Override
    public boolean equals(Object other) {
        if (this == other || !(other instanceof Map.Entry) || !map.containsKey(key)) {
            return this == other;
        }
        Map.Entry<?, ?> entry = (Map.Entry<?, ?>) other;
        return entry.getKey() == key && entry.getValue() == map.get(key);
    }

    @Override
    public String toString() {
        if (!map.containsKey(key)) {
            return super.toString();
        }
        return new StringBuilder().append(key).append('=').append(map.get(key)).toString();
    }

    private void check() {
        if (!map.containsKey(key)) {
            throw new IllegalStateException("Entry was removed");
        }
    }
}
