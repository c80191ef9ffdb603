package org.junit.platform.engine;

import java.util.Optional;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class UniqueId {
    public static native UniqueId parse(String id);
    public abstract Optional<String> getEngineId();
}
