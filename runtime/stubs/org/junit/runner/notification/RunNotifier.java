package org.junit.runner.notification;

/** Signatures only, to compile against; the project under test brings the real class. */
public class RunNotifier {}
