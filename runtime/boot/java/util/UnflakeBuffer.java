package java.util;

import java.util.function.Consumer;

/** Collects elements. */
final class UnflakeBuffer implements Consumer<Object> {
    private Object[] elements = new Object[16];
    private int n;

    @Override
    public void accept(Object element) {
        if (n == elements.length) {
            elements = Arrays.copyOf(elements, 2 * n);
        }
        elements[n++] = element;
    }

    Object[] toArray() {
        return n == elements.length ? elements : Arrays.copyOf(elements, n);
    }
}
