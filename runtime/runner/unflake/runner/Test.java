package unflake.runner;

/** One test to run: what the framework needs to find it again. */
final class Test {
    final String framework;
    final String root;
    final String id;

    Test(String framework, String root, String id) {
        this.framework = framework;
        this.root = root;
        this.id = id;
    }

    boolean isPlatform() {
        return framework.equals("Platform");
    }

    /** The platform takes tests of several classes at once; JUnit 4 runs one class after the other. */
    boolean runsWith(Test next) {
        return isPlatform() ? next.isPlatform() : !next.isPlatform() && root.equals(next.root);
    }
}
