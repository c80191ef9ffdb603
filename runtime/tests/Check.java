import java.util.ArrayList;
import java.util.List;
import java.util.Unflake;

/** What the tests of the runtime share: operations that give a sequence, with the window closed or open. */
final class Check {
    static final int ONE = 0;
    static final int EQ = 1;
    static final int ID = 2;
    static final int FULL = 3;
    static final int NATURAL = 0;
    static final int REVERSE = 1;
    static final int ODD = 2;
    static final int PAIRS = 3;
    static final int RANDOM = 4;

    private Check() {
    }

    interface Op {
        List<?> run() throws Exception;
    }

    /** The order that the JDK gives. */
    static List<?> natural(Op op) {
        Unflake.leave();
        return run(op);
    }

    static List<?> varied(int level, int form, long seed, Op op) {
        Unflake.leave();
        Unflake.configure(level, form, seed);
        Unflake.enter(42);
        try {
            return run(op);
        } finally {
            Unflake.leave();
        }
    }

    static List<?> run(Op op) {
        try {
            return op.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static List<Object> reversed(List<?> list) {
        List<Object> reversed = new ArrayList<>();
        for (int i = list.size() - 1; i >= 0; i--) {
            reversed.add(list.get(i));
        }
        return reversed;
    }

    static void same(Object expected, Object actual, String what) {
        if (expected == null ? actual != null : !expected.equals(actual)) {
            throw new AssertionError(what + ": expected " + expected + ", got " + actual);
        }
    }

    static void that(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static void fails(Class<? extends Throwable> with, Op op, String what) {
        try {
            op.run();
        } catch (Throwable thrown) {
            that(with.isInstance(thrown), what + ": expected " + with.getName() + ", got " + thrown);
            return;
        }
        throw new AssertionError(what + ": expected " + with.getName());
    }

    static void ok(String name) {
        System.out.println("ok " + name);
    }
}
