package org.junit.platform.launcher;

/** Signatures only, to compile against; the project under test brings the real class. */
public interface Launcher {
    TestPlan discover(LauncherDiscoveryRequest request);

    void execute(TestPlan plan, TestExecutionListener... listeners);

    void execute(LauncherDiscoveryRequest request, TestExecutionListener... listeners);
}
