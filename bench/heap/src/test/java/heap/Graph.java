package heap;

import java.util.HashMap;
import java.util.Map;

/** What a static field holds: so many references, to an object each. */
final class Graph {
    private Graph() {}

    static final class Node {
        Node next;
        int value;

        Node(int value) {
            this.value = value;
        }
    }

    static Object of(String shape, int references) {
        switch (shape) {
            case "links":
                return links(references);
            case "arrays":
                return array(references - 1);
            case "maps":
                return map((references - 1) / 2);
            default:
                throw new IllegalArgumentException(shape);
        }
    }

    /** An object far behind in what a field holds. */
    static Node last(Object graph) {
        if (graph instanceof Object[]) {
            Object[] array = (Object[]) graph;
            return (Node) array[array.length - 1];
        }
        if (graph instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) graph;
            return (Node) map.get(1_000_000 + map.size() - 1);
        }
        Node last = (Node) graph;
        while (last.next != null) {
            last = last.next;
        }
        return last;
    }

    private static Node links(int count) {
        Node first = new Node(0);
        Node last = first;
        for (int i = 1; i < count; i++) {
            last.next = new Node(i);
            last = last.next;
        }
        return first;
    }

    private static Object[] array(int count) {
        Object[] array = new Object[count];
        for (int i = 0; i < count; i++) {
            array[i] = new Node(i);
        }
        return array;
    }

    private static Map<Object, Object> map(int count) {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < count; i++) {
            map.put(1_000_000 + i, new Node(i));
        }
        return map;
    }
}
