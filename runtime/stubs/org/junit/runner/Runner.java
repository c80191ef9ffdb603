package org.junit.runner;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class Runner {
    public abstract Description getDescription();
    public abstract void run(org.junit.runner.notification.RunNotifier notifier);
}
