package org.junit.platform.engine;

/** Signatures only, to compile against; the project under test brings the real class. */
public interface TestEngine {}
