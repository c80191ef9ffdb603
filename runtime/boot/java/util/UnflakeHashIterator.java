package java.util;

/**
 * Iterates the nodes of a {@code HashMap} in an order of our own; fail-fast and with {@code remove}, like the original.
 * The nodes are collected by walking the table, which costs less than the original iterator does. A few of them are
 * left as they come and read in the order of {@link UnflakeOrder#digits}.
 */
final class UnflakeHashIterator implements Iterator<Object> {
    static final int KEYS = 0;
    static final int VALUES = 1;
    static final int ENTRIES = 2;

    private final HashMap<?, ?> map;
    private final HashMap.Node<?, ?>[] nodes;
    private final int kind;
    /** The place of the node that is returned as the i-th, in the i-th group of four bits; 0: they are in order. */
    private final long order;
    private int at;
    private int expected;
    private HashMap.Node<?, ?> last;

    private UnflakeHashIterator(HashMap<?, ?> map, HashMap.Node<?, ?>[] nodes, long order, int kind) {
        this.map = map;
        this.nodes = nodes;
        this.order = order;
        this.kind = kind;
        this.expected = map.modCount;
    }

    /** An iterator over two nodes at least, by a plan that is not the natural one. */
    static UnflakeHashIterator of(HashMap<?, ?> map, long plan, int kind) {
        int size = map.size;
        if (size <= UnflakeOrder.FEW && plan != Unflake.REVERSE_PLAN) {
            return new UnflakeHashIterator(map, inOrder(map, size), UnflakeOrder.digits(size, plan), kind);
        }
        return new UnflakeHashIterator(map, nodes(map, plan), 0, kind);
    }

    @Override
    public boolean hasNext() {
        return at < nodes.length;
    }

    @Override
    public Object next() {
        if (map.modCount != expected) {
            throw new ConcurrentModificationException();
        }
        int i = at;
        HashMap.Node<?, ?>[] all = nodes;
        if (i >= all.length) {
            throw new NoSuchElementException();
        }
        HashMap.Node<?, ?> node = all[order == 0 ? i : (int) (order >>> (i << 2)) & 15];
        if (node == null) {
            throw new ConcurrentModificationException();
        }
        at = i + 1;
        last = node;
        int what = kind;
        return what == KEYS ? node.key : what == VALUES ? node.value : node;
    }

    @Override
    public void remove() {
        HashMap.Node<?, ?> node = last;
        if (node == null) {
            throw new IllegalStateException();
        }
        if (map.modCount != expected) {
            throw new ConcurrentModificationException();
        }
        last = null;
        // By hash and key, without moving other nodes: entries that are still to come stay the map's own.
        map.removeNode(node.hash, node.key, null, false, false);
        expected = map.modCount;
    }

    /**
     * The nodes of {@code map} in the order of {@code plan}. There are nulls among them only if another thread changes
     * the map meanwhile.
     */
    static HashMap.Node<?, ?>[] nodes(HashMap<?, ?> map, long plan) {
        int size = map.size;
        if (plan == Unflake.NATURAL_PLAN || size <= UnflakeOrder.FEW && plan != Unflake.REVERSE_PLAN
                || Unflake.isGiven(plan)) {
            HashMap.Node<?, ?>[] nodes = inOrder(map, size);
            UnflakeOrder.apply(nodes, 0, size, plan);
            return nodes;
        }
        HashMap.Node<?, ?>[] nodes = new HashMap.Node<?, ?>[size];
        HashMap.Node<?, ?>[] table = map.table;
        if (table == null) {
            return nodes;
        }
        if (plan == Unflake.REVERSE_PLAN) {
            int n = size;
            for (HashMap.Node<?, ?> bin : table) {
                for (HashMap.Node<?, ?> node = bin; node != null && n > 0; node = node.next) {
                    nodes[--n] = node;
                }
            }
        } else {
            // As UnflakeOrder does it, while they are collected.
            long random = plan;
            int n = 0;
            for (HashMap.Node<?, ?> bin : table) {
                for (HashMap.Node<?, ?> node = bin; node != null && n < size; node = node.next) {
                    random = random * Unflake.STEP + Unflake.STEP_ADD;
                    int j = (int) ((random >>> 32) * (n + 1) >>> 32);
                    nodes[n++] = nodes[j];
                    nodes[j] = node;
                }
            }
        }
        return nodes;
    }

    private static HashMap.Node<?, ?>[] inOrder(HashMap<?, ?> map, int size) {
        HashMap.Node<?, ?>[] nodes = new HashMap.Node<?, ?>[size];
        HashMap.Node<?, ?>[] table = map.table;
        if (table != null) {
            int n = 0;
            for (HashMap.Node<?, ?> bin : table) {
                for (HashMap.Node<?, ?> node = bin; node != null && n < size; node = node.next) {
                    nodes[n++] = node;
                }
            }
        }
        return nodes;
    }
}
