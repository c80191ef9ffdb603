import java.util.UnflakeStableNames;

/** Names with identity hashes in them are numbered, and others are left as they are. */
public final class StableNames {
    public static void main(String[] args) {
        stable("adds(a.B)");
        stable("adds[me@cafe.org](a.B)");
        stable("adds[me@cafe_1](a.B)");
        stable("adds[@5e316c74](a.B)");
        stable("adds[a.B@5e316c740](a.B)");
        stable("adds[a.B@xyz](a.B)");
        numbered("adds[a.B@5e316c74](a.B)", "adds[a.B@#1](a.B)");
        numbered("adds[a.B@2b2](a.B)", "adds[a.B@#2](a.B)");
        numbered("takes[a.B@5e316c74, [Ljava.lang.String;@1](a.B)", "takes[a.B@#1, [Ljava.lang.String;@#3](a.B)");
        numbered("[test:a.B@5e316c74%5D]", "[test:a.B@#1%5D]");
        numbered("runs[x a.B$$Lambda$14/0x0000000800c03000@7](a.B)", "runs[x a.B$$Lambda@#4](a.B)");
        // Each class has its own numbers, until its tests are made anew.
        same("b[a.B@#1]", UnflakeStableNames.of("Other", "b[a.B@7]"));
        UnflakeStableNames.forget("Root");
        numbered("runs[a.B@7](a.B)", "runs[a.B@#1](a.B)");
        Check.ok("stable names");
    }

    static void stable(String name) {
        if (!UnflakeStableNames.isStable(name) || UnflakeStableNames.isNumbered(name)) {
            throw new AssertionError(name);
        }
        same(name, UnflakeStableNames.of("Root", name));
    }

    static void numbered(String name, String expected) {
        String found = UnflakeStableNames.of("Root", name);
        same(expected, found);
        if (UnflakeStableNames.isStable(name) || !UnflakeStableNames.isStable(found)
            || !UnflakeStableNames.isNumbered(found)) {
            throw new AssertionError(name);
        }
    }

    static void same(String expected, String found) {
        if (!expected.equals(found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }
}
