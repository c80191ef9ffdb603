package unflake.runner;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UnflakeCodes;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs tests of one class with JUnit 3 alone, where there is no JUnit 4 that could do it. */
final class JUnit3Tests extends FrameworkTests {
    private String lastRoot;
    private junit.framework.Test whole;

    JUnit3Tests() {}

    @Override
    FrameworkTests here() {
        try {
            Class.forName("org.junit.runner.Request", false, Thread.currentThread().getContextClassLoader());
            return of(UnflakeCodes.FRAMEWORK_JUNIT4_NAME);
        } catch (ClassNotFoundException absent) {
            return this;
        }
    }

    @Override
    boolean takesTogether(Test one, Test next) {
        return one.root.equals(next.root);
    }

    @Override
    void run(List<Test> tests) throws Exception {
        Set<String> wanted = new HashSet<String>();
        for (Test test : tests) {
            wanted.add(test.id);
        }
        String root = tests.get(0).root;
        if (!root.equals(lastRoot)) {
            whole = suite(root);
            lastRoot = root;
        }
        run(whole, wanted);
    }

    /**
     * A class has no set-up of its own here, so that each test can be a run by itself. Nothing is kept from one run to
     * the next: a suite holds instances of tests.
     */
    @Override
    void runExactly(List<Test> tests) throws Exception {
        for (Test test : tests) {
            run(suite(test.root), Collections.singleton(test.id));
        }
    }

    private static void run(junit.framework.Test suite, Set<String> wanted) {
        junit.framework.Test part = JUnit3Suites.part(suite, wanted);
        if (part != null) {
            part.run(new TestResult());
        }
    }

    /** As JUnit's own runner finds it: what the class says, or its methods. */
    private static junit.framework.Test suite(String root) throws Exception {
        Class<?> type = Class.forName(root, true, Thread.currentThread().getContextClassLoader());
        Method suite;
        try {
            suite = type.getMethod("suite");
        } catch (NoSuchMethodException methods) {
            return new TestSuite(type);
        }
        return (junit.framework.Test) suite.invoke(null);
    }
}
