package org.junit.platform.launcher;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class TestIdentifier {
    public abstract String getUniqueId();
}
