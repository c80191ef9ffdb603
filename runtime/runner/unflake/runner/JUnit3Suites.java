package unflake.runner;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.runner.Runner;

/**
 * Cuts suites of JUnit 3 down to some tests. JUnit's own filter looks at the first level of a suite only, and keeps
 * whole suites below it: one test of a large suite would bring hundreds along.
 */
final class JUnit3Suites {
    private static final String RUNNER = "org.junit.internal.runners.JUnit38ClassRunner";

    private JUnit3Suites() {}

    /** The whole test of a runner; {@code null}: it is none of JUnit 3, or of a version that does not tell. */
    static Test testOf(Runner runner) {
        try {
            Method method = method(runner, "getTest");
            return method == null ? null : (Test) method.invoke(runner);
        } catch (IllegalAccessException notThisVersion) {
            return null;
        } catch (InvocationTargetException notThisVersion) {
            return null;
        }
    }

    /** Lets a runner run this part of its test; false if it cannot be done. */
    static boolean set(Runner runner, Test part) {
        try {
            Method method = method(runner, "setTest", Test.class);
            if (method == null) {
                return false;
            }
            method.invoke(runner, part);
            return true;
        } catch (IllegalAccessException notThisVersion) {
            return false;
        } catch (InvocationTargetException notThisVersion) {
            return false;
        }
    }

    private static Method method(Runner runner, String name, Class<?>... parameters) {
        for (Class<?> type = runner.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(RUNNER)) {
                try {
                    Method method = type.getDeclaredMethod(name, parameters);
                    method.setAccessible(true);
                    return method;
                } catch (NoSuchMethodException notThisVersion) {
                    return null;
                }
            }
        }
        return null;
    }

    /** The part of a test that has these names; {@code null}: nothing of it. What cannot be cut stays whole. */
    static Test part(Test test, Set<String> wanted) {
        if (test instanceof TestCase) {
            String name = ((TestCase) test).getName() + "(" + test.getClass().getName() + ")";
            return wanted.contains(name) ? test : null;
        }
        if (test.getClass() != TestSuite.class) {
            return test;
        }
        TestSuite whole = (TestSuite) test;
        TestSuite part = new TestSuite(whole.getName());
        for (Enumeration<Test> tests = whole.tests(); tests.hasMoreElements();) {
            Test some = part(tests.nextElement(), wanted);
            if (some != null) {
                part.addTest(some);
            }
        }
        return part.testCount() == 0 ? null : part;
    }

    /** The same part, its tests in the order of their ranks; a suite stands where its first test does. */
    static Test sorted(Test test, Map<String, Integer> ranks) {
        Test part = part(test, ranks.keySet());
        return part == null ? null : sortedPart(part, ranks);
    }

    private static Test sortedPart(Test part, Map<String, Integer> ranks) {
        if (part.getClass() != TestSuite.class) {
            return part;
        }
        List<Test> members = new ArrayList<Test>();
        for (Enumeration<Test> tests = ((TestSuite) part).tests(); tests.hasMoreElements();) {
            Test member = sortedPart(tests.nextElement(), ranks);
            int place = members.size();
            while (place > 0 && rank(members.get(place - 1), ranks) > rank(member, ranks)) {
                place--;
            }
            members.add(place, member);
        }
        TestSuite sorted = new TestSuite(((TestSuite) part).getName());
        for (Test member : members) {
            sorted.addTest(member);
        }
        return sorted;
    }

    private static int rank(Test test, Map<String, Integer> ranks) {
        if (test instanceof TestCase) {
            Integer rank = ranks.get(((TestCase) test).getName() + "(" + test.getClass().getName() + ")");
            return rank == null ? Integer.MAX_VALUE : rank;
        }
        int least = Integer.MAX_VALUE;
        if (test.getClass() == TestSuite.class) {
            for (Enumeration<Test> tests = ((TestSuite) test).tests(); tests.hasMoreElements();) {
                least = Math.min(least, rank(tests.nextElement(), ranks));
            }
        }
        return least;
    }
}
