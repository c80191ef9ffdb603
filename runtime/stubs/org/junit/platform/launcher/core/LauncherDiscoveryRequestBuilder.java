package org.junit.platform.launcher.core;

import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.Filter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class LauncherDiscoveryRequestBuilder {
    public static native LauncherDiscoveryRequestBuilder request();
    public abstract LauncherDiscoveryRequestBuilder selectors(List<? extends DiscoverySelector> selectors);
    public abstract LauncherDiscoveryRequestBuilder filters(Filter<?>... filters);
    public abstract LauncherDiscoveryRequestBuilder configurationParameter(String key, String value);
    public abstract LauncherDiscoveryRequest build();
}
