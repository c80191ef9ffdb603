package org.junit.platform.launcher;

import java.util.Set;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class TestPlan {
    public abstract Set<TestIdentifier> getRoots();

    public abstract Set<TestIdentifier> getChildren(TestIdentifier parent);
}
