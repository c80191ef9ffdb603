package heap;

import java.lang.reflect.Field;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

/** Tests that do next to nothing while static fields hold as many references as the properties say. */
class HeapTest {
    private static final String SHAPE = System.getProperty("heap.shape", "links");
    private static final int REFERENCES = Integer.getInteger("heap.references", 10_000);
    /** Whether each test changes an object far behind in the last field, adds one near the beginning of the first, or does nothing. */
    private static final String CHANGE = System.getProperty("heap.change", "none");
    private static final int PER_FIELD = 10_000;

    private static Graph.Node changed;

    @BeforeAll
    static void fill() throws ReflectiveOperationException {
        for (int i = 0; i < REFERENCES / PER_FIELD; i++) {
            Field field = Fields.class.getDeclaredField("f" + i);
            field.set(null, Graph.of(SHAPE, PER_FIELD));
        }
        Field last = Fields.class.getDeclaredField("f" + (REFERENCES / PER_FIELD - 1));
        if (CHANGE.equals("changed")) {
            changed = Graph.last(last.get(null));
        }
    }

    @RepeatedTest(20)
    void test() {
        if (CHANGE.equals("changed")) {
            changed.value++;
        } else if (CHANGE.equals("added")) {
            Graph.Node first = (Graph.Node) Fields.f0;
            Graph.Node added = new Graph.Node(7);
            added.next = first.next;
            first.next = added;
        }
    }
}
