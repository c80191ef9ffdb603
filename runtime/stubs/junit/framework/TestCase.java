package junit.framework;

/** Signatures only, to compile against; the project under test brings the real class. */
public abstract class TestCase implements Test {
    public native String getName();

    @Override
    public native void run(TestResult result);
}
