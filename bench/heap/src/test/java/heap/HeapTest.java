package heap;

import java.lang.reflect.Field;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;

/** Tests that do next to nothing while static fields hold as many references as the properties say. */
class HeapTest {
    private static final String SHAPE = System.getProperty("heap.shape", "links");
    private static final int REFERENCES = Integer.getInteger("heap.references", 10_000);
    /** Whether each test changes one object, the last of the last field. */
    private static final boolean CHANGING = Boolean.getBoolean("heap.changing");
    private static final int PER_FIELD = 10_000;

    private static Graph.Node changed;

    @BeforeAll
    static void fill() throws ReflectiveOperationException {
        for (int i = 0; i < REFERENCES / PER_FIELD; i++) {
            Field field = Fields.class.getDeclaredField("f" + i);
            field.set(null, Graph.of(SHAPE, PER_FIELD));
        }
        Field last = Fields.class.getDeclaredField("f" + (REFERENCES / PER_FIELD - 1));
        if (CHANGING) {
            changed = (Graph.Node) last.get(null);
            while (changed.next != null) {
                changed = changed.next;
            }
        }
    }

    @RepeatedTest(20)
    void test() {
        if (CHANGING) {
            changed.value++;
        }
    }
}
