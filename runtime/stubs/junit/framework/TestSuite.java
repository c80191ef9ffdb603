package junit.framework;

import java.util.Enumeration;

/** Signatures only, to compile against; the project under test brings the real class. */
public class TestSuite implements Test {
    public TestSuite(String name) {}

    public TestSuite(Class<?> type) {}

    @Override
    public native void run(TestResult result);

    public native String getName();

    public native void addTest(Test test);

    public native int testCount();

    public native Enumeration<Test> tests();
}
