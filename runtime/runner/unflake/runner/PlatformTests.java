package unflake.runner;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs tests of any class with the JUnit Platform. */
final class PlatformTests {
    /** Looking for engines and listeners takes longer than a small test does. */
    private static Launcher launcher;
    /** Making a request looks for a file of settings all over the class path; a test that is repeated needs it once. */
    private static LauncherDiscoveryRequest last;
    private static List<String> lastWanted;

    private PlatformTests() {}

    static void run(List<Test> tests) {
        List<String> wanted = new ArrayList<String>();
        for (Test test : tests) {
            wanted.add(test.id);
        }
        if (!wanted.equals(lastWanted)) {
            last = request(wanted);
            lastWanted = wanted;
        }
        if (launcher == null) {
            launcher = launcher();
        }
        launcher.execute(last, new TestExecutionListener[0]);
    }

    private static LauncherDiscoveryRequest request(List<String> wanted) {
        List<DiscoverySelector> selectors = new ArrayList<DiscoverySelector>();
        for (String id : wanted) {
            selectors.add(DiscoverySelectors.selectUniqueId(id));
        }
        return LauncherDiscoveryRequestBuilder.request()
            .selectors(selectors)
            // Choices are numbered per test: two at a time would not repeat.
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .configurationParameter("junit.vintage.execution.parallel.enabled", "false")
            .build();
    }

    /**
     * From 1.8 on a launcher that was not got from a session opens one for each request, and looks for engines and
     * listeners each time. Before, there are no sessions.
     */
    private static Launcher launcher() {
        try {
            LauncherSession session = LauncherFactory.openSession();
            Main.session = session;
            return session.getLauncher();
        } catch (NoSuchMethodError before18) {
            return LauncherFactory.create();
        }
    }
}
