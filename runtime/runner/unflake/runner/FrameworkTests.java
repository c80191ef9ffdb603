package unflake.runner;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How tests of one framework are started. A framework's class here is called as the framework is on the wire, and
 * {@code Tests}; it is loaded when its first test comes, since what it uses is there only in projects that use the
 * framework.
 */
abstract class FrameworkTests {
    private static final Map<String, FrameworkTests> KNOWN = new HashMap<String, FrameworkTests>();

    /** What starts tests of a framework in this JVM. */
    static FrameworkTests of(String framework) {
        FrameworkTests known = KNOWN.get(framework);
        if (known == null) {
            try {
                Class<?> type = Class.forName("unflake.runner." + framework + "Tests");
                known = ((FrameworkTests) type.getDeclaredConstructor().newInstance()).here();
            } catch (Throwable problem) {
                known = new NotHere(problem);
            }
            KNOWN.put(framework, known);
        }
        return known;
    }

    /** Another framework may be there that starts these tests better. */
    FrameworkTests here() {
        return this;
    }

    /** Whether one call can run both. */
    abstract boolean takesTogether(Test one, Test next);

    abstract void run(List<Test> tests) throws Throwable;

    /** Runs tests in this order; none is named twice, and those of a class stand together. */
    abstract void runExactly(List<Test> tests) throws Throwable;

    /** A framework that cannot be used: that costs its own tests only, and each time says why. */
    private static final class NotHere extends FrameworkTests {
        private final Throwable problem;

        NotHere(Throwable problem) {
            this.problem = problem;
        }

        @Override
        boolean takesTogether(Test one, Test next) {
            return true;
        }

        @Override
        void run(List<Test> tests) throws Throwable {
            throw problem;
        }

        @Override
        void runExactly(List<Test> tests) throws Throwable {
            throw problem;
        }
    }
}
