package unflake.runner;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests of any class with the JUnit Platform. */
final class PlatformTests {
    /** Looking for engines and listeners takes longer than a small test does. */
    private static Launcher launcher;

    private PlatformTests() {}

    static void run(List<Test> tests) {
        List<DiscoverySelector> selectors = new ArrayList<DiscoverySelector>();
        for (Test test : tests) {
            selectors.add(DiscoverySelectors.selectUniqueId(test.id));
        }
        if (launcher == null) {
            launcher = LauncherFactory.create();
        }
        launcher.execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                // Choices are numbered per test: two at a time would not repeat.
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .configurationParameter("junit.vintage.execution.parallel.enabled", "false")
                .build(),
            new TestExecutionListener[0]);
    }
}
