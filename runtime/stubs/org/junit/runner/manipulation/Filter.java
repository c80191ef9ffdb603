package org.junit.runner.manipulation;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class Filter {
    public abstract boolean shouldRun(org.junit.runner.Description description);
    public abstract String describe();
}
