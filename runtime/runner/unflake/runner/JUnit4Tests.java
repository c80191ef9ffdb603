package unflake.runner;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UnflakeStableNames;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.RunNotifier;

/** Runs tests of one class with JUnit 4, which runs JUnit 3 tests too. */
final class JUnit4Tests extends FrameworkTests {
    private Runner last;
    private String lastRoot;
    private Set<String> lastWanted;
    /** All tests of a class of JUnit 3: making a large suite takes longer than running one test of it. */
    private junit.framework.Test whole;

    JUnit4Tests() {}

    @Override
    boolean takesTogether(Test one, Test next) {
        return one.root.equals(next.root);
    }

    @Override
    void run(List<Test> tests) throws ClassNotFoundException {
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

    private Runner runner(String root, Set<String> wanted) throws ClassNotFoundException {
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
        return request.filterWith(new Only(root, wanted)).getRunner();
    }

    /**
     * Runs tests of one class in this order; none is named twice. As one run of the class if its runner lets itself be
     * sorted, else as few as are needed. Nothing is kept from one run to the next: runners hold instances of tests and
     * parameters.
     */
    @Override
    void runExactly(List<Test> tests) throws ClassNotFoundException {
        List<Test> left = tests;
        while (!left.isEmpty()) {
            Runner runner = sorted(left);
            int inOrder = ExactOrder.inOrder(left, positions(left.get(0).root, runner));
            if (inOrder < left.size()) {
                runner = sorted(left.subList(0, inOrder));
            }
            runner.run(new RunNotifier());
            left = left.subList(inOrder, left.size());
        }
    }

    private static Runner sorted(List<Test> tests) throws ClassNotFoundException {
        final Map<String, Integer> ranks = new HashMap<String, Integer>();
        for (Test test : tests) {
            ranks.put(test.id, ranks.size());
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        String root = tests.get(0).root;
        Request request = Request.aClass(Class.forName(root, false, loader));
        Runner runner = request.getRunner();
        junit.framework.Test suite = JUnit3Suites.testOf(runner);
        if (suite != null) {
            junit.framework.Test part = JUnit3Suites.sorted(suite, ranks);
            if (part != null && JUnit3Suites.set(runner, part)) {
                return runner;
            }
        }
        return request.filterWith(new Only(root, ranks.keySet())).sortWith(new ByRank(root, ranks)).getRunner();
    }

    /** The place of each test in what a runner is about to do. */
    private static Map<String, Integer> positions(String root, Runner runner) {
        Map<String, Integer> positions = new HashMap<String, Integer>();
        List<Description> todo = new ArrayList<Description>();
        todo.add(runner.getDescription());
        while (!todo.isEmpty()) {
            Description next = todo.remove(0);
            if (next.isTest()) {
                String name = UnflakeStableNames.of(root, next.getDisplayName());
                if (!positions.containsKey(name)) {
                    positions.put(name, positions.size());
                }
            } else {
                todo.addAll(0, next.getChildren());
            }
        }
        return positions;
    }

    /** Suites and parameter sets stand where their first test does. */
    private static final class ByRank implements Comparator<Description> {
        private final String root;
        private final Map<String, Integer> ranks;

        ByRank(String root, Map<String, Integer> ranks) {
            this.root = root;
            this.ranks = ranks;
        }

        @Override
        public int compare(Description one, Description other) {
            int first = rank(one);
            int second = rank(other);
            return first < second ? -1 : first == second ? 0 : 1;
        }

        private int rank(Description description) {
            if (description.isTest()) {
                Integer rank = ranks.get(UnflakeStableNames.of(root, description.getDisplayName()));
                return rank == null ? Integer.MAX_VALUE : rank;
            }
            int least = Integer.MAX_VALUE;
            for (Description child : description.getChildren()) {
                least = Math.min(least, rank(child));
            }
            return least;
        }
    }

    private static final class Only extends Filter {
        private final String root;
        private final Set<String> wanted;

        /** For a runner that is made anew. It asks for everything that it has, in its order. */
        Only(String root, Set<String> wanted) {
            this.root = root;
            this.wanted = wanted;
            UnflakeStableNames.forget(root);
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                return wanted.contains(UnflakeStableNames.of(root, description.getDisplayName()));
            }
            // All of them, so that none is left out when names are numbered.
            boolean runs = false;
            for (Description child : description.getChildren()) {
                runs |= shouldRun(child);
            }
            return runs;
        }

        @Override
        public String describe() {
            return "the tests that unflake asked for";
        }
    }
}
