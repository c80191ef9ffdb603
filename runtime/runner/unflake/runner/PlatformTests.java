package unflake.runner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UnflakeStableNames;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests of any class with the JUnit Platform. */
final class PlatformTests extends FrameworkTests {
    /** Looking for engines and listeners takes longer than a small test does. */
    private Launcher launcher;
    /** Making a request looks for a file of settings all over the class path; a test that is repeated needs it once. */
    private LauncherDiscoveryRequest last;
    private List<String> lastWanted;

    PlatformTests() {}

    @Override
    boolean takesTogether(Test one, Test next) {
        boolean isNumbered = UnflakeStableNames.isNumbered(one.id);
        return isNumbered == UnflakeStableNames.isNumbered(next.id) && (!isNumbered || one.root.equals(next.root));
    }

    @Override
    void run(List<Test> tests) {
        if (UnflakeStableNames.isNumbered(tests.get(0).id)) {
            runNumbered(tests);
            return;
        }
        List<String> wanted = ids(tests);
        if (!wanted.equals(lastWanted)) {
            last = builder(wanted).build();
            lastWanted = wanted;
        }
        launcher().execute(last, new TestExecutionListener[0]);
    }

    /**
     * Runs tests in this order; none is named twice, and those of a class stand together. Engines take the order of the
     * selectors unless the class says otherwise, and a plan shows what they are about to do: as one execution if that
     * is what was asked for, else class by class, else in stretches that the class's own order allows.
     */
    @Override
    void runExactly(List<Test> tests) {
        if (UnflakeStableNames.isNumbered(tests.get(0).id)) {
            runNumbered(tests);
            return;
        }
        List<Test> left = tests;
        while (!left.isEmpty()) {
            LauncherDiscoveryRequest request =
                builder(ids(left))
                    // What the project's own settings say about order does not count here.
                    .configurationParameter("junit.jupiter.testmethod.order.default", "")
                    .configurationParameter("junit.jupiter.testclass.order.default", "")
                    .build();
            TestPlan plan = launcher().discover(request);
            int inOrder = ExactOrder.inOrder(left, positions(left, plan));
            if (inOrder == left.size()) {
                execute(plan, request);
                return;
            }
            int ofFirstClass = 1;
            while (ofFirstClass < left.size() && left.get(ofFirstClass).root.equals(left.get(0).root)) {
                ofFirstClass++;
            }
            int next = ofFirstClass < left.size() ? ofFirstClass : inOrder;
            runExactly(left.subList(0, next));
            left = left.subList(next, left.size());
        }
    }

    private void execute(TestPlan plan, LauncherDiscoveryRequest request) {
        try {
            launcher().execute(plan, new TestExecutionListener[0]);
        } catch (NoSuchMethodError before14) {
            launcher().execute(request, new TestExecutionListener[0]);
        }
    }

    /**
     * Tests whose own ids are others in each JVM. The whole class is looked for once, since its ids are made anew each
     * time, and the others are left out. They run in the class's own order.
     */
    private void runNumbered(List<Test> tests) {
        String root = tests.get(0).root;
        List<DiscoverySelector> selectors = new ArrayList<DiscoverySelector>();
        selectors.add(DiscoverySelectors.selectClass(root));
        launcher()
            .execute(
                request(selectors, ids(tests)).filters(new Only(root, ids(tests))).build(),
                new TestExecutionListener[0]);
    }

    private static final class Only implements PostDiscoveryFilter {
        private final String root;
        private final Set<String> wanted;

        Only(String root, List<String> wanted) {
            this.root = root;
            this.wanted = new HashSet<String>(wanted);
            UnflakeStableNames.forget(root);
        }

        @Override
        public FilterResult apply(TestDescriptor descriptor) {
            String id = UnflakeStableNames.of(root, String.valueOf(descriptor.getUniqueId()));
            return FilterResult.includedIf(wanted.contains(id));
        }
    }

    private static List<String> ids(List<Test> tests) {
        List<String> ids = new ArrayList<String>();
        for (Test test : tests) {
            ids.add(test.id);
        }
        return ids;
    }

    private static LauncherDiscoveryRequestBuilder builder(List<String> wanted) {
        List<DiscoverySelector> selectors = new ArrayList<DiscoverySelector>();
        for (String id : wanted) {
            selectors.add(DiscoverySelectors.selectUniqueId(id));
        }
        return request(selectors, wanted);
    }

    private static LauncherDiscoveryRequestBuilder request(List<DiscoverySelector> selectors, List<String> wanted) {
        return LauncherDiscoveryRequestBuilder.request()
            .selectors(selectors)
            // An engine without a test may still search the whole class path for its settings, each time.
            .filters(EngineFilter.includeEngines(new ArrayList<String>(engines(wanted))))
            // Choices are numbered per test: two at a time would not repeat.
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .configurationParameter("junit.vintage.execution.parallel.enabled", "false");
    }

    /** {@code [engine:junit-jupiter]/[class:shop.CartTest]} is of {@code junit-jupiter}. */
    private static Set<String> engines(List<String> ids) {
        Set<String> engines = new HashSet<String>();
        for (String id : ids) {
            engines.add(UniqueId.parse(id.substring(0, id.indexOf(']') + 1)).getEngineId().get());
        }
        return engines;
    }

    /**
     * From 1.8 on a launcher that was not got from a session opens one for each request, and looks for engines and
     * listeners each time. Before, there are no sessions.
     */
    private Launcher launcher() {
        if (launcher != null) {
            return launcher;
        }
        try {
            LauncherSession session = LauncherFactory.openSession();
            Main.session = session;
            launcher = session.getLauncher();
        } catch (NoSuchMethodError before18) {
            launcher = LauncherFactory.create();
        }
        return launcher;
    }

    /**
     * The place of each test in a plan. Parameter sets and dynamic tests come to be later, in the order of their
     * numbers.
     */
    private static Map<String, Integer> positions(List<Test> tests, TestPlan plan) {
        Map<String, Integer> planned = new HashMap<String, Integer>();
        List<TestIdentifier> todo = new ArrayList<TestIdentifier>(plan.getRoots());
        while (!todo.isEmpty()) {
            TestIdentifier next = todo.remove(0);
            planned.put(next.getUniqueId(), planned.size());
            todo.addAll(0, plan.getChildren(next));
        }
        Map<String, Integer> positions = new HashMap<String, Integer>();
        for (Test test : tests) {
            String known = test.id;
            while (!planned.containsKey(known) && known.lastIndexOf("/[") > 0) {
                known = known.substring(0, known.lastIndexOf("/["));
            }
            Integer position = planned.get(known);
            if (position != null) {
                // So many numbers for each place of the plan that those below it fit in between.
                int number = Math.min(number(test.id.substring(known.length())), BELOW - 1);
                positions.put(test.id, position * BELOW + number);
            }
        }
        return positions;
    }

    private static final int BELOW = 10000;

    /** {@code /[test-template-invocation:#12]} is 12; of nested ones the outermost decides. */
    private static int number(String rest) {
        int number = 0;
        int start = rest.indexOf('#') + 1;
        for (int i = start; start > 0 && i < rest.length() && Character.isDigit(rest.charAt(i)); i++) {
            number = Math.min(10 * number + rest.charAt(i) - '0', BELOW);
        }
        return number;
    }
}
