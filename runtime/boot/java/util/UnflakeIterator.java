package java.util;

/**
 * Iterates a copy of a collection's elements. Removes from a {@code PriorityQueue}, whose iterators are fail-fast;
 * immutable collections refuse.
 */
final class UnflakeIterator implements Iterator<Object> {
    private final Object[] elements;
    /** Null if nothing can be removed and nothing can change. */
    private final PriorityQueue<?> queue;
    private int at;
    private boolean removable;
    private int expected;

    UnflakeIterator(Object[] elements, PriorityQueue<?> queue) {
        this.elements = elements;
        this.queue = queue;
        this.expected = queue == null ? 0 : queue.modCount;
    }

    @Override
    public boolean hasNext() {
        return at < elements.length;
    }

    @Override
    public Object next() {
        check();
        if (at >= elements.length) {
            throw new NoSuchElementException();
        }
        removable = true;
        return elements[at++];
    }

    @Override
    public void remove() {
        if (queue == null) {
            throw new UnsupportedOperationException();
        }
        check();
        if (!removable) {
            throw new IllegalStateException();
        }
        removable = false;
        UnflakeThread own = Unflake.thread();
        own.busy++;
        Iterator<?> natural;
        try {
            natural = queue.iterator();
        } finally {
            own.busy--;
        }
        Object element = elements[at - 1];
        while (natural.hasNext()) {
            if (natural.next() == element) {
                natural.remove();
                break;
            }
        }
        expected = queue.modCount;
    }

    private void check() {
        if (queue != null && queue.modCount != expected) {
            throw new ConcurrentModificationException();
        }
    }
}
