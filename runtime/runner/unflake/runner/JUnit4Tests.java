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

    private JUnit4Tests() {}

    static void run(List<Test> tests) throws ClassNotFoundException {
        Set<String> wanted = new HashSet<String>();
        for (Test test : tests) {
            wanted.add(test.id);
        }
        String root = tests.get(0).root;
        // A test that is repeated in a warm JVM is found once: building a large suite takes longer than running one test.
        if (last == null || !lastRoot.equals(root) || !lastWanted.equals(wanted)) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            last = Request.aClass(Class.forName(root, false, loader)).filterWith(new Only(wanted)).getRunner();
            lastRoot = root;
            lastWanted = wanted;
        }
        last.run(new RunNotifier());
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
