package org.junit.platform.engine.discovery;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class DiscoverySelectors {
    public static native UniqueIdSelector selectUniqueId(String uniqueId);
    public static native ClassSelector selectClass(String name);
}
