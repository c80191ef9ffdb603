import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.text.DateFormatSymbols;
import java.util.*;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Arrays that the JDK returns, and models of users, whose helpers are called as an edit calls them. */
public final class Results {
    private static final int USERS = 900;
    private static final Object OWNER = new Object();

    public static void main(String[] args) throws Exception {
        reflection();
        annotations();
        zones();
        permuted();
        scalars();
        Check.ok("results");
    }

    static class Fields {
        int a;
        int b;
        int c;
        int d;

        void thrown(@First @Second @Third int p) throws java.io.IOException, InterruptedException, CloneNotSupportedException {
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface First {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Second {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Third {
    }

    static void reflection() throws Exception {
        Method thrown = Fields.class.getDeclaredMethod("thrown", int.class);
        Roads.road("getDeclaredFields", () -> Arrays.asList(Fields.class.getDeclaredFields()));
        Roads.road("getMethods", () -> Arrays.asList(Object.class.getMethods()));
        Roads.road("getExceptionTypes", () -> Arrays.asList(thrown.getExceptionTypes()));
        Roads.road("getParameterAnnotations", () -> Arrays.asList(thrown.getParameterAnnotations()[0]));
        Check.Op annotated = () -> {
            List<Object> types = new ArrayList<>();
            for (java.lang.reflect.AnnotatedType each : thrown.getAnnotatedExceptionTypes()) {
                types.add(each.getType());
            }
            return types;
        };
        Check.same(Check.natural(annotated), Check.varied(Check.FULL, Check.REVERSE, 0, annotated), "in order");
        // Meanwhile other threads choose, and so does this one afterwards.
        List<?> reversed = Check.reversed(Check.natural(() -> Levels.list(Levels.words())));
        Check.varied(Check.FULL, Check.REVERSE, 0, () -> {
            Thread asking = new Thread(() -> {
                for (int i = 0; i < 2000; i++) {
                    thrown.getAnnotatedExceptionTypes();
                }
            });
            asking.start();
            for (boolean more = true; more;) {
                more = asking.isAlive();
                Check.same(reversed, Levels.list(Levels.words()), "beside one that asks for exceptions");
            }
            thrown.getAnnotatedExceptionTypes();
            Check.same(reversed, Levels.list(Levels.words()), "after the exceptions");
            return null;
        });
        // The array is the caller's.
        Check.varied(Check.ONE, Check.REVERSE, 0, () -> {
            Fields.class.getDeclaredFields()[0] = null;
            Check.that(Fields.class.getDeclaredFields()[0] != null, "a copy");
            return null;
        });
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Tags.class)
    @interface Tag {
        int value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Tags {
        Tag[] value();
    }

    static class Tagged {
        @Tag(1)
        @Tags({@Tag(2), @Tag(3)})
        int beside;
        @Tags({@Tag(2), @Tag(3)})
        int contained;
    }

    static List<Integer> tags(String field) throws Exception {
        List<Integer> tags = new ArrayList<>();
        for (Tag tag : Tagged.class.getDeclaredField(field).getAnnotationsByType(Tag.class)) {
            tags.add(tag.value());
        }
        return tags;
    }

    static void annotations() {
        Check.same(Arrays.asList(1, 2, 3), Check.natural(() -> tags("beside")), "natural");
        Check.same(Arrays.asList(2, 3, 1), Check.varied(Check.FULL, Check.REVERSE, 0, () -> tags("beside")), "beside");
        Check.same(Arrays.asList(2, 3), Check.varied(Check.FULL, Check.REVERSE, 0, () -> tags("contained")), "alone");
    }

    static void zones() {
        DateFormatSymbols symbols = new DateFormatSymbols(Locale.ENGLISH);
        String[][] natural = symbols.getZoneStrings();
        Check.varied(Check.FULL, Check.REVERSE, 0, () -> {
            String[][] varied = symbols.getZoneStrings();
            Check.same(natural.length, varied.length, "zones");
            Check.that(varied[0].length > natural[0].length, "longer rows");
            Check.same(natural[natural.length - 1][0], varied[0][0], "rows in another order");
            symbols.setZoneStrings(natural);
            Check.that(Arrays.deepEquals(natural, symbols.getZoneStrings()), "what was set stays");
            return null;
        });
    }

    static void permuted() {
        List<String> words = Roads.words();
        Map<String, Integer> map = new LinkedHashMap<>();
        for (String word : words) {
            map.put(word, word.length());
        }
        Roads.road("user array", () -> Arrays.asList((Object[]) Unflake.userPermute(words.toArray(), OWNER, USERS)));
        Roads.road("user int[]", () -> {
            List<Object> list = new ArrayList<>();
            for (int each : (int[]) Unflake.userPermute(new int[] {1, 2, 3, 4, 5}, OWNER, USERS)) {
                list.add(each);
            }
            return list;
        });
        Roads.road("user List", () -> (List<?>) Unflake.userPermute(words, OWNER, USERS));
        Roads.road("user Set", () -> new ArrayList<>((Set<?>) Unflake.userPermute(new LinkedHashSet<>(words), OWNER, USERS)));
        Roads.road("user Map", () -> new ArrayList<>(((Map<?, ?>) Unflake.userPermute(map, OWNER, USERS)).keySet()));
        Roads.road("user Iterator", () -> {
            List<Object> list = new ArrayList<>();
            ((Iterator<?>) Unflake.userPermute(words.iterator(), OWNER, USERS)).forEachRemaining(list::add);
            return list;
        });
        Roads.road("user Stream",
            () -> ((Stream<?>) Unflake.userPermute(words.stream(), OWNER, USERS)).collect(Collectors.toList()));
        Check.varied(Check.FULL, Check.REVERSE, 0, () -> {
            boolean[] closed = {false};
            ((Stream<?>) Unflake.userPermute(words.stream().onClose(() -> closed[0] = true), OWNER, USERS)).close();
            Check.that(closed[0], "closing goes through");
            Set<String> sorted = new TreeSet<>(words);
            Check.that(Unflake.userPermute(sorted, OWNER, USERS) == sorted, "a sorted set stays");
            List<?> fixed = (List<?>) Unflake.userPermute(Collections.unmodifiableList(words), OWNER, USERS);
            Check.fails(UnsupportedOperationException.class, () -> FailFast.each(() -> fixed.remove(0)), "fixed");
            Check.same(9, ((List<?>) Unflake.userExtend(words, OWNER, USERS)).size(), "extended list");
            Check.same(4, ((int[]) Unflake.userExtend(new int[3], OWNER, USERS)).length, "extended array");
            Check.that(Unflake.userPermute(null, OWNER, USERS) == null, "null stays");
            return null;
        });
    }

    static void scalars() {
        Unflake.setUserValues(USERS, new String[] {"1", "2", "3"});
        Unflake.setUserTolerance(USERS, 0.5);
        Set<Object> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            Check.varied(Check.FULL, Check.RANDOM, seed, () -> {
                seen.add(Unflake.userOneOf(1, OWNER, USERS));
                Check.that(Arrays.asList("1", "2", "3").contains(Unflake.userOneOf((Object) "1", OWNER, USERS)), "text");
                double near = Unflake.userNear(10.0, OWNER, USERS);
                Check.that(near != 10.0 && Math.abs(near - 10) <= 0.5, "near");
                return null;
            });
        }
        Check.same(new HashSet<Object>(Arrays.asList(1, 2, 3)), seen, "one of");
        Check.varied(Check.ONE, Check.REVERSE, 0, () -> {
            Check.that(Unflake.userRandom(5, OWNER, USERS) != 5 && Unflake.userRandom(5L, OWNER, USERS) != 5, "any value");
            Check.that(Double.isNaN(Unflake.userNear(Double.NaN, OWNER, USERS)), "not a number stays");
            return null;
        });
        Unflake.leave();
        Check.same(5, Unflake.userRandom(5, OWNER, USERS), "window closed");
    }
}
