package org.junit.runner;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class Description {
    public abstract boolean isTest();
    public abstract String getDisplayName();
    public abstract java.util.ArrayList<Description> getChildren();
}
