package org.junit.platform.launcher.core;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class LauncherFactory {
    public static native org.junit.platform.launcher.Launcher create();
    public static native org.junit.platform.launcher.LauncherSession openSession();
}
