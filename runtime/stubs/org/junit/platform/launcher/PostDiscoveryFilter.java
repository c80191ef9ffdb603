package org.junit.platform.launcher;

import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestDescriptor;

/** Signatures only, to compile against; the project under test brings the real class. */
public interface PostDiscoveryFilter extends Filter<TestDescriptor> {}
