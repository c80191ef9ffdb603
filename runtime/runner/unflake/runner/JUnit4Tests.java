package unflake.runner;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.RunNotifier;

/** Runs tests of one class with JUnit 4, which runs JUnit 3 tests too. */
final class JUnit4Tests {
    private static Runner last;
    private static String lastRoot;
    private static Set<String> lastWanted;
    /** All tests of a class of JUnit 3: making a large suite takes longer than running one test of it. */
    private static junit.framework.Test whole;

    private JUnit4Tests() {}

    static void run(List<Test> tests) throws ClassNotFoundException {
        Set<String> wanted = new HashSet<String>();
        for (Test test : tests) {
            wanted.add(test.id);
        }
        String root = tests.get(0).root;
        // A test that is repeated in a warm JVM is found once.
        if (last == null || !lastRoot.equals(root) || !lastWanted.equals(wanted)) {
            last = runner(root, wanted);
            lastRoot = root;
            lastWanted = wanted;
        }
        last.run(new RunNotifier());
    }

    private static Runner runner(String root, Set<String> wanted) throws ClassNotFoundException {
        if (whole != null && root.equals(lastRoot)) {
            junit.framework.Test part = JUnit3Suites.part(whole, wanted);
            if (part != null && JUnit3Suites.set(last, part)) {
                return last;
            }
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Request request = Request.aClass(Class.forName(root, false, loader));
        Runner runner = request.getRunner();
        whole = JUnit3Suites.testOf(runner);
        if (whole != null) {
            junit.framework.Test part = JUnit3Suites.part(whole, wanted);
            if (part != null && JUnit3Suites.set(runner, part)) {
                return runner;
            }
            whole = null;
        }
        return request.filterWith(new Only(wanted)).getRunner();
    }

    private static final class Only extends Filter {
        private final Set<String> wanted;

        Only(Set<String> wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                return wanted.contains(description.getDisplayName());
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "the tests that unflake asked for";
        }
    }
}
