package org.junit.platform.launcher;

import java.util.List;
import org.junit.platform.engine.Filter;
import org.junit.platform.engine.TestEngine;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class EngineFilter implements Filter<TestEngine> {
    public static native EngineFilter includeEngines(List<String> ids);
}
