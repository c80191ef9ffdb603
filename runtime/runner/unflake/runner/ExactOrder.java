package unflake.runner;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs tests in exactly the order in which they are named; a test that is named twice runs twice.
 *
 * <p>Tests of one class that are named one after the other are one run of that class, with its set-up once, as far as
 * the framework lets itself be told the order. Where it does not (a class that fixes its own), they become several
 * runs. Whoever asked sees from the events what really happened.
 */
final class ExactOrder {
    private ExactOrder() {}

    static void run(List<Test> tests) {
        int start = 0;
        while (start < tests.size()) {
            int end = end(tests, start);
            runStretch(new ArrayList<Test>(tests.subList(start, end)));
            start = end;
        }
    }

    /**
     * Where a stretch ends that a framework can be given as a whole: before a test or a class that was there already.
     */
    private static int end(List<Test> tests, int start) {
        Set<String> ids = new HashSet<String>();
        Set<String> roots = new HashSet<String>();
        int end = start;
        while (end < tests.size()) {
            Test next = tests.get(end);
            boolean fits = end == start || tests.get(end - 1).runsWith(next);
            boolean sameClass = end > start && tests.get(end - 1).root.equals(next.root);
            if (!fits || !ids.add(next.id) || (!sameClass && !roots.add(next.root))) {
                return end;
            }
            end++;
        }
        return end;
    }

    private static void runStretch(List<Test> stretch) {
        try {
            stretch.get(0).framework.runExactly(stretch);
        } catch (Throwable problem) {
            problem.printStackTrace();
        }
    }

    /**
     * How many of the tests, from the first on, have rising positions. At least one; what has no position is not in the
     * way.
     */
    static int inOrder(List<Test> tests, Map<String, Integer> positions) {
        int last = -1;
        for (int i = 0; i < tests.size(); i++) {
            Integer position = positions.get(tests.get(i).id);
            if (position != null) {
                if (position < last) {
                    return i;
                }
                last = position;
            }
        }
        return tests.size();
    }
}
