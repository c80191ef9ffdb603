package java.util;

/**
 * A test framework: how its tests are named, and where it differs from others. A framework is a class that extends this
 * one and a row of the table in crate {@code unflake-protocol}, which says what is edited to call it.
 *
 * <p>Framework objects are looked at by reflection ({@link UnflakeReflection}), since they live in the project's class
 * loaders.
 */
abstract class UnflakeFramework extends UnflakeListener {
    private static final String[] NONE = new String[0];

    /** A framework of a higher rank runs tests of the lower ones; see {@link UnflakeTests}. */
    final int rank;
    final String wireName;

    UnflakeFramework(int rank, String wireName) {
        this.rank = rank;
        this.wireName = wireName;
    }

    /** The names of a test, as {@link UnflakeNames} makes them. */
    abstract String[] names(Object test);

    /** Whether the framework means the same test by two of its objects. */
    boolean isSame(Object test, Object other) {
        return test == other;
    }

    /** Something failed, and it was none of the open tests. */
    void failedOutside(int outcome, String[] failure) {}

    /** Classes in whose jars the framework's launcher is, if build tools bring their own. */
    String[] launcherClasses() {
        return NONE;
    }
}
