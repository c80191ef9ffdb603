package unflake.runner;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.RunNotifier;

/** Runs tests of one class with JUnit 4, which runs JUnit 3 tests too. */
final class JUnit4Tests {
    private JUnit4Tests() {}

    static void run(List<Test> tests) throws ClassNotFoundException {
        Set<String> wanted = new HashSet<String>();
        for (Test test : tests) {
            wanted.add(test.id);
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Class<?> root = Class.forName(tests.get(0).root, false, loader);
        Request.aClass(root).filterWith(new Only(wanted)).getRunner().run(new RunNotifier());
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
