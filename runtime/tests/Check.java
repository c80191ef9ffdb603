import java.util.ArrayList;
import java.util.List;
import java.util.Unflake;
import java.util.UnflakeCodes;

/** What the tests of the runtime share: operations that give a sequence, with the window closed or open. */
final class Check {
    static final int ONE = UnflakeCodes.LEVEL_ONE;
    static final int EQ = UnflakeCodes.LEVEL_EQ;
    static final int ID = UnflakeCodes.LEVEL_ID;
    static final int FULL = UnflakeCodes.LEVEL_FULL;
    static final int NATURAL = UnflakeCodes.FORM_NATURAL;
    static final int REVERSE = UnflakeCodes.FORM_REVERSE;
    static final int ODD = UnflakeCodes.FORM_ODD;
    static final int PAIRS = UnflakeCodes.FORM_PAIRS;
    static final int RANDOM = UnflakeCodes.FORM_RANDOM;

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
