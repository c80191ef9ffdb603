package org.junit.runner;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class Request {
    public static native Request aClass(Class<?> clazz);
    public native Request filterWith(org.junit.runner.manipulation.Filter filter);
    public native Request sortWith(java.util.Comparator<Description> comparator);
    public abstract Runner getRunner();
}
