package java.util;

/**
 * Names of tests in which an identity hash stands: {@code adds[java.lang.Object@1a2b3c4d]}, as JUnit 4 names a set of
 * parameters that has no text of its own. The hash is another one in each JVM, so that nobody could ask for the test
 * again. Instead of it stands a number, by the order in which the hashes first occur among all tests of the class that
 * was started: {@code adds[java.lang.Object@#1]}.
 *
 * <p>Whoever knows all tests of a class asks for their names in that order first.
 */
public final class UnflakeStableNames {
    /** Of an identity hash; small ones have fewer, as those have that unflake hands out. */
    private static final int MOST_DIGITS = 8;
    /** What goes on behind a hash is none: {@code me@cafe.org}. */
    private static final String GOES_ON = ".-_@";
    /** A lambda's class has a number or an address in its name. */
    private static final String LAMBDA = "$$Lambda";

    /** By root: the number of each hash. */
    private static final HashMap<String, HashMap<String, Integer>> NUMBERS =
        new HashMap<String, HashMap<String, Integer>>();

    private UnflakeStableNames() {}

    /** Whether the name is the same in every JVM, as far as one can see. */
    public static boolean isStable(String name) {
        return nextHash(name, 0) < 0;
    }

    /** Whether this is a name with a number in it. */
    public static boolean isNumbered(String name) {
        int at = name.indexOf("@#");
        return at > 0 && at + 2 < name.length() && Character.isDigit(name.charAt(at + 2));
    }

    /** The tests of a class are made anew. */
    public static void forget(String root) {
        synchronized (NUMBERS) {
            NUMBERS.remove(root);
        }
    }

    /** Whether all hashes of a name were seen before. */
    static boolean knows(String root, String name) {
        synchronized (NUMBERS) {
            HashMap<String, Integer> numbers = NUMBERS.get(root);
            for (int at = nextHash(name, 0); at >= 0; at = nextHash(name, at + 1)) {
                if (numbers == null || !numbers.containsKey(name.substring(at, end(name, at)))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The name with numbers instead of hashes. */
    public static String of(String root, String name) {
        int at = nextHash(name, 0);
        if (at < 0) {
            return name;
        }
        StringBuilder stable = new StringBuilder();
        int done = 0;
        synchronized (NUMBERS) {
            HashMap<String, Integer> numbers = NUMBERS.get(root);
            if (numbers == null) {
                numbers = new HashMap<String, Integer>();
                NUMBERS.put(root, numbers);
            }
            for (; at >= 0; at = nextHash(name, at + 1)) {
                String hash = name.substring(at, end(name, at));
                Integer number = numbers.get(hash);
                if (number == null) {
                    number = numbers.size() + 1;
                    numbers.put(hash, number);
                }
                int lambda = name.lastIndexOf(LAMBDA, at);
                boolean isLambda = lambda >= done && name.lastIndexOf(' ', at) < lambda;
                stable.append(name, done, isLambda ? lambda + LAMBDA.length() : at).append("@#").append(number);
                done = end(name, at);
            }
        }
        return stable.append(name, done, name.length()).toString();
    }

    /** Where the next hash begins, with its {@code @}; -1: there is none. */
    private static int nextHash(String name, int from) {
        for (int at = name.indexOf('@', from); at >= 0; at = name.indexOf('@', at + 1)) {
            int end = end(name, at);
            int digits = end - at - 1;
            if (digits > 0 && digits <= MOST_DIGITS && isEndOfClass(name, at - 1) && isEndOfHash(name, end)) {
                return at;
            }
        }
        return -1;
    }

    /** The name of an array's class ends with a semicolon. */
    private static boolean isEndOfClass(String name, int at) {
        return at >= 0 && (Character.isJavaIdentifierPart(name.charAt(at)) || name.charAt(at) == ';');
    }

    private static boolean isEndOfHash(String name, int end) {
        if (end == name.length()) {
            return true;
        }
        char next = name.charAt(end);
        return !Character.isLetterOrDigit(next) && GOES_ON.indexOf(next) < 0;
    }

    private static int end(String name, int at) {
        int end = at + 1;
        while (end < name.length() && isHex(name.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isHex(char letter) {
        return letter >= '0' && letter <= '9' || letter >= 'a' && letter <= 'f';
    }
}
