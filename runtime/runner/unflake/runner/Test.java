package unflake.runner;

/** One test to run: what the framework needs to find it again. */
final class Test {
    final FrameworkTests framework;
    final String root;
    final String id;

    Test(String framework, String root, String id) {
        this.framework = FrameworkTests.of(framework);
        this.root = root;
        this.id = id;
    }

    boolean runsWith(Test next) {
        return framework == next.framework && framework.takesTogether(this, next);
    }
}
