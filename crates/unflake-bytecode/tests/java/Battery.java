import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.concurrent.Callable;

/** Calls every subject and tells what came back and what the helpers saw. */
public class Battery {
    private static final StringBuilder OUT = new StringBuilder();

    private static void call(String what, Callable<?> call) {
        String result;
        try {
            result = Helpers.show(call.call());
        } catch (Exception e) {
            result = e.toString();
        }
        OUT.append(what).append(" = ").append(result).append(' ').append(Helpers.take()).append('\n');
    }

    public static String run(boolean open) {
        Subjects s = new Subjects("s", 3);
        Subjects t = new Subjects("t", -1);
        OUT.append("constructors = ").append(Helpers.take()).append('\n');
        Subjects.Inner inner = s.new Inner(5);
        Subjects.Inner.Innermost innermost = inner.new Innermost();
        Helpers.take();
        Helpers.gate = open;
        Comparator<String> throwing = (a, b) -> { if (a.equals("b")) throw new RuntimeException("b"); return -7; };
        call("loopAtStart", () -> Subjects.loopAtStart(5));
        call("whileAtStart", () -> Subjects.whileAtStart(5));
        call("endless", () -> Subjects.endless(3));
        call("nothing", () -> { Subjects.nothing(); return "void"; });
        call("voidLoop", () -> { int[] a = {1, 2, 3}; Subjects.voidLoop(a); return a; });
        call("voidLoop early", () -> { int[] a = {1, -2, 3}; Subjects.voidLoop(a); return a; });
        call("switches 1", () -> Subjects.switches(1, 0));
        call("switches 2 -1000", () -> Subjects.switches(2, -1000));
        call("switches 2 100000", () -> Subjects.switches(2, 100000));
        call("switches 2 7", () -> Subjects.switches(2, 7));
        call("switches 3 0", () -> Subjects.switches(3, 0));
        call("switches 3 2", () -> Subjects.switches(3, 2));
        call("switches 4", () -> Subjects.switches(4, 0));
        call("stringSwitch BB", () -> Subjects.stringSwitch("BB"));
        call("stringSwitch c", () -> Subjects.stringSwitch("c"));
        call("stringSwitch d", () -> Subjects.stringSwitch("d"));
        call("tryFinally 1", () -> Subjects.tryFinally("1"));
        call("tryFinally 2", () -> Subjects.tryFinally("2"));
        call("tryFinally x", () -> Subjects.tryFinally("x"));
        call("locked 1", () -> s.locked(s, 1));
        call("locked 9", () -> s.locked(s, 9));
        call("synchronizedName", () -> s.synchronizedName());
        call("returnsBoolean", () -> Subjects.returnsBoolean(4));
        call("returnsByte", () -> Subjects.returnsByte((byte) -3));
        call("returnsChar", () -> Subjects.returnsChar('x'));
        call("returnsShort", () -> Subjects.returnsShort((short) 300));
        call("returnsLong", () -> Subjects.returnsLong(0));
        call("returnsFloat", () -> Subjects.returnsFloat(1.5f));
        call("returnsDouble", () -> Subjects.returnsDouble(0, 2.5));
        call("returnsArray", () -> Subjects.returnsArray("a", "b"));
        call("returnsInts", () -> Subjects.returnsInts(2));
        call("returnsObject self", () -> s.returnsObject(true));
        call("returnsObject", () -> s.returnsObject(false));
        call("returnsIterator", () -> { Iterator<String> i = Subjects.returnsIterator(Arrays.asList("a")); return i == null ? i : i.next(); });
        call("returnsIterator null", () -> Subjects.returnsIterator(null));
        call("wide", () -> s.wide(1L << 40, 2.5, 3, "d", 4.5f, true));
        call("pending", () -> Subjects.pending(true, false));
        call("pending not", () -> Subjects.pending(false, true));
        call("lambdas", () -> Subjects.lambdas(3));
        call("compares", () -> Subjects.compares(Comparator.naturalOrder(), "a", "c"));
        call("compares throwing", () -> Subjects.compares(throwing, "a", "b"));
        call("tailCall", () -> Subjects.tailCall("a", "c"));
        call("typeAnnotations", () -> Subjects.typeAnnotations("text"));
        call("typeAnnotations other", () -> Subjects.typeAnnotations(1));
        call("farFrames", () -> Subjects.farFrames(3));
        call("farFrames low", () -> Subjects.farFrames(0));
        call("farHandler", () -> Subjects.farHandler(0));
        call("farHandler zero", () -> Subjects.farHandler(-2));
        call("inner", () -> inner.inner(3));
        call("innermost", () -> innermost.innermost());
        call("toString", () -> t.toString());
        Helpers.gate = false;
        return ascii(OUT.toString());
    }

    /** What the console's encoding cannot change. */
    private static String ascii(String s) {
        StringBuilder out = new StringBuilder();
        for (char c : s.toCharArray()) {
            out.append(c == '\n' || c >= ' ' && c < 127 ? String.valueOf(c) : String.format("{%x}", (int) c));
        }
        return out.toString();
    }
}
