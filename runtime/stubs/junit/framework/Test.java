package junit.framework;

/** Signatures only, to compile against; the project under test brings the real class. */
public interface Test {
    void run(TestResult result);
}
