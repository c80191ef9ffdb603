package java.util;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Operations of {@code HashMap} that walk its table without an iterator, done in the order that its iterators have.
 * A map that is changed by what the caller does fails at once, also at the last element.
 */
final class UnflakeHashLoops {
    private UnflakeHashLoops() {
    }

    static void forEach(HashMap<?, ?> map, Consumer<Object> action, int kind, int model) {
        if (action == null) {
            throw new NullPointerException();
        }
        int expected = map.modCount;
        HashMap.Node<?, ?>[] nodes = nodes(map, model);
        for (HashMap.Node<?, ?> node : nodes) {
            check(node);
            action.accept(kind == UnflakeHashIterator.KEYS ? node.key
                : kind == UnflakeHashIterator.VALUES ? node.value : node);
            check(map, expected);
        }
    }

    static void forEach(HashMap<Object, Object> map, BiConsumer<Object, Object> action, int model) {
        if (action == null) {
            throw new NullPointerException();
        }
        int expected = map.modCount;
        for (HashMap.Node<?, ?> node : nodes(map, model)) {
            check(node);
            action.accept(node.key, node.value);
            check(map, expected);
        }
    }

    @SuppressWarnings("unchecked")
    static void replaceAll(HashMap<Object, Object> map, BiFunction<Object, Object, Object> function, int model) {
        if (function == null) {
            throw new NullPointerException();
        }
        int expected = map.modCount;
        for (HashMap.Node<?, ?> node : nodes(map, model)) {
            check(node);
            ((HashMap.Node<Object, Object>) node).value = function.apply(node.key, node.value);
            check(map, expected);
        }
    }

    static void write(HashMap<?, ?> map, ObjectOutputStream out, int model) throws IOException {
        for (HashMap.Node<?, ?> node : nodes(map, model)) {
            check(node);
            out.writeObject(node.key);
            out.writeObject(node.value);
        }
    }

    private static HashMap.Node<?, ?>[] nodes(HashMap<?, ?> map, int model) {
        return UnflakeHashIterator.nodes(map, Unflake.hashPlan(map, model));
    }

    private static void check(HashMap<?, ?> map, int expected) {
        if (map.modCount != expected) {
            throw new ConcurrentModificationException();
        }
    }

    /** There is a hole where another thread took a node away while they were collected. */
    private static void check(HashMap.Node<?, ?> node) {
        if (node == null) {
            throw new ConcurrentModificationException();
        }
    }
}
