import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** What the edits call. Everything leaves a word in the log. */
public class Helpers {
    public static boolean gate;

    public static boolean isOpen() {
        return gate;
    }
    private static final List<String> LOG = new ArrayList<>();

    public static void log(String s) {
        LOG.add(s);
    }

    static String take() {
        String s = LOG.toString();
        LOG.clear();
        return s;
    }

    public static void enter(String method) { log("enter " + method); }
    public static void enterThis(Object self, String method) { log("enter " + method + " of " + self); }
    public static void leave(String method) { log("leave " + method); }
    public static void leaveThis(Object self, int n) { log("leave " + self + " " + n); }

    public static int wrapInt(int v, String method) { log("wrap " + method); return v ^ 1; }
    public static long wrapLong(long v, String method) { log("wrap " + method); return v + 1000; }
    public static float wrapFloat(float v, String method) { log("wrap " + method); return v + 1000; }
    public static double wrapDouble(double v, String method) { log("wrap " + method); return v + 1000; }
    public static Object wrapObject(Object v, String method) { log("wrap " + method + " " + show(v)); return v; }
    public static Iterator<?> wrapIterator(Iterator<?> v, List<?> list, int model) {
        log("wrap " + list + " " + model);
        return Arrays.asList("w", "x").iterator();
    }

    public static int insteadInt(String method) { log("instead " + method); return 1; }
    public static long insteadLong(String method) { log("instead " + method); return 2; }
    public static float insteadFloat(String method) { log("instead " + method); return 3; }
    public static double insteadDouble(String method) { log("instead " + method); return 4; }
    public static Object insteadObject(String method) { log("instead " + method); return null; }
    public static void insteadVoid(String method) { log("instead " + method); }

    public static void params(Object self, long a, double b, int c, String d, float e, boolean f, int big, int small) {
        log("params " + self + " " + a + " " + b + " " + c + " " + d + " " + e + " " + f + " " + big + " " + small);
    }

    public static int compared(int result, int model) {
        log("compared " + result);
        if (model == 13) {
            throw new IllegalStateException("thirteen");
        }
        return -result;
    }

    public static Object outer(Object result, Object outer, Object self) {
        log("outer " + (outer instanceof Subjects.Inner ? "inner" : outer) + " " + (self != outer));
        return result;
    }

    static String show(Object o) {
        if (o instanceof Object[]) {
            return Arrays.toString((Object[]) o);
        }
        if (o instanceof int[]) {
            return Arrays.toString((int[]) o);
        }
        if (o instanceof Iterator) {
            return "iterator";
        }
        return String.valueOf(o);
    }
}
