package org.junit.platform.engine.discovery;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class ClassSelector implements org.junit.platform.engine.DiscoverySelector {}
