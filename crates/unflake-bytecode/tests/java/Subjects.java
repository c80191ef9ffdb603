import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/** Method bodies of every shape that an edit has to live with. Each public method is edited and called. */
@Subjects.Marked(text = "class", number = 7, list = {"a", "b"}, big = 1L << 40, half = 0.5, yes = true, type = String.class)
public class Subjects {
    @Retention(RetentionPolicy.CLASS)
    public @interface Marked {
        String text() default "";
        int number() default 0;
        String[] list() default {};
        long big() default 0;
        double half() default 0;
        boolean yes() default false;
        Class<?> type() default Object.class;
        Use[] uses() default {};
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    public @interface Use {
        String value() default "";
    }

    private final String name;
    private final int size;

    public Subjects(String name, int size) {
        this.name = name;
        if (size < 0) {
            this.size = 0;
            return;
        }
        this.size = size;
    }

    /** The loop jumps back to the first instruction. */
    public static int loopAtStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    public static int whileAtStart(int n) {
        while (n > 0) {
            n -= 2;
        }
        return n;
    }

    /** Never leaves by a return. */
    public static int endless(int n) {
        for (;;) {
            if (n-- == 0) {
                throw new IllegalStateException("done");
            }
        }
    }

    public static void nothing() {
    }

    public static void voidLoop(int[] counts) {
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] < 0) {
                return;
            }
            counts[i]++;
        }
    }

    /** Dense, sparse and nested, so that the padding moves. */
    public static String switches(int a, int b) {
        switch (a) {
            case 1:
                return "one";
            case 2:
                switch (b) {
                    case -1000:
                        return "two low";
                    case 5:
                        return "two five";
                    case 100000:
                        return "two high";
                    default:
                        break;
                }
                return "two";
            case 3: {
                String s = "three";
                switch (b) {
                    case 0: s += " zero";
                    case 1: s += " small";
                        break;
                    case 2: s += " two";
                }
                return s;
            }
            default:
                return "many";
        }
    }

    public static int stringSwitch(String s) {
        switch (s) {
            case "Aa":
            case "BB":
                return 1;
            case "c":
                return 2;
            default:
                return 0;
        }
    }

    public static int tryFinally(String s) {
        int n = 0;
        try {
            n = Integer.parseInt(s);
            if (n == 1) {
                return n;
            }
        } catch (NumberFormatException e) {
            n = -1;
            return n;
        } finally {
            Helpers.log("finally " + n);
        }
        return n * 10;
    }

    public int locked(Object lock, int n) {
        synchronized (lock) {
            if (n > size) {
                return n;
            }
        }
        return size;
    }

    public synchronized String synchronizedName() {
        return name;
    }

    public static boolean returnsBoolean(int n) {
        return n > 3;
    }

    public static byte returnsByte(byte b) {
        return b;
    }

    public static char returnsChar(char c) {
        return c;
    }

    public static short returnsShort(short s) {
        return s;
    }

    public static long returnsLong(long n) {
        return n == 0 ? 1L : n;
    }

    public static float returnsFloat(float f) {
        return f;
    }

    public static double returnsDouble(int n, double d) {
        return n > 0 ? d : -d;
    }

    public static String[] returnsArray(String... texts) {
        return texts;
    }

    public static int[] returnsInts(int n) {
        return n < 0 ? null : new int[n];
    }

    public Object returnsObject(boolean self) {
        return self ? this : name;
    }

    public static Iterator<String> returnsIterator(List<String> list) {
        if (list == null) {
            return Collections.<String>emptyList().iterator();
        }
        return list.iterator();
    }

    /** Slots of two between slots of one. */
    public String wide(long a, double b, int c, String d, float e, boolean f) {
        long sum = a + (long) b + c;
        return d + sum + e + f + name;
    }

    /** Objects whose constructors have not run yet lie on the stack where frames are. */
    public static String pending(boolean a, boolean b) {
        return new StringBuilder(a ? "yes" : "no").append(new String(b ? "x" : new String(a ? "y" : "z"))).toString();
    }

    public static List<Integer> lambdas(int n) {
        Supplier<List<Integer>> fresh = ArrayList::new;
        List<Integer> list = fresh.get();
        for (int i = 0; i < n; i++) {
            int k = i;
            Supplier<Integer> s = () -> k * n;
            list.add(s.get());
        }
        return list;
    }

    public static int compares(Comparator<String> c, String a, String b) {
        int n = 0;
        if (c.compare(a, b) < 0) {
            n = 1;
        }
        try {
            n += 10 * c.compare(b, a);
        } catch (RuntimeException e) {
            n = 99;
        }
        if (n == 1234) {
            // Jumped over: the call falls into its own instruction behind it.
            return a.compareTo(b);
        }
        return n + (n > 50 ? c.compare(a, a) : 0);
    }

    public static int tailCall(String a, String b) {
        return a.compareTo(b);
    }

    @SuppressWarnings("unchecked")
    public static Object typeAnnotations(Object o) {
        @Use("variable") String s = o instanceof @Use("instanceof") String ? (@Use("cast") String) o : "other";
        List<@Use("argument") String> list = new @Use("new") ArrayList<@Use("inner") String>();
        list.add(s);
        Supplier<List<String>> supplier = @Use("reference") ArrayList<String>::new;
        try {
            list.addAll(supplier.get());
        } catch (@Use("catch") RuntimeException e) {
            return e;
        }
        return list;
    }

    @Marked(text = "method", uses = {@Use("deep"), @Use})
    @Deprecated
    public static int farFrames(int n) {
        if (n == 0) {
            n++;
        }
        // Just below 64 bytes between the frames, with a return between them: the short form does not last.
        if (n > 2) {
            n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n;
            n++;
            n++;
            n++;
            return n;
        }
        return n;
    }

    /** The same, but the second frame has the exception on its stack. */
    public static int farHandler(int n) {
        try {
            if (n == 0) {
                n++;
            }
            n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n; n += n * n + n;
            n = 100 / n;
            n++;
            n++;
            return n;
        } catch (ArithmeticException e) {
            return -1;
        }
    }

    public class Inner {
        private int n;

        public Inner(int n) {
            this.n = n;
        }

        public String inner(int times) {
            while (times-- > 0) {
                n++;
            }
            return name + n;
        }

        public class Innermost {
            public String innermost() {
                return name + n;
            }
        }
    }

    @Override
    public String toString() {
        return "Subjects " + name + " " + size;
    }
}
