package java.util;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.text.DateFormatSymbols;

/** Arrays that methods return: what the caller gets is a copy if it is not the caller's already. */
final class UnflakeArrays {
    private UnflakeArrays() {
    }

    /** A copy whose elements from {@code fixed} on are in an order of our own; the array itself if that is natural. */
    static Object[] permuted(Object[] natural, Object owner, int fixed, int model) {
        if (natural == null || natural.length - fixed < 2) {
            return natural;
        }
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0) {
            return natural;
        }
        int n = natural.length - fixed;
        Object[] start = natural;
        if (Unflake.varying && natural[fixed] instanceof Executable) {
            start = natural.clone();
            sort(start, fixed);
        }
        long plan = UnflakeKeys.plan(own, model, owner, start, fixed, n);
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        Object[] copy = start == natural ? natural.clone() : start;
        UnflakeOrder.apply(copy, fixed, copy.length, plan);
        return copy;
    }

    /**
     * The natural order of methods and constructors differs from one JVM to the next, so whatever varies must start from
     * another one, and show it: by their full text.
     */
    private static void sort(Object[] members, int from) {
        String[] texts = new String[members.length];
        for (int i = from; i < members.length; i++) {
            Object member = members[i];
            String text = text((Executable) member);
            int place = i;
            while (place > from && texts[place - 1].compareTo(text) > 0) {
                texts[place] = texts[place - 1];
                members[place] = members[place - 1];
                place--;
            }
            texts[place] = text;
            members[place] = member;
        }
    }

    private static String text(Executable member) {
        StringBuilder text = new StringBuilder(member.getDeclaringClass().getName());
        text.append('.').append(member.getName());
        for (Class<?> parameter : member.getParameterTypes()) {
            text.append(',').append(parameter.getName());
        }
        if (member instanceof Method) {
            text.append(':').append(((Method) member).getReturnType().getName());
        }
        return text.toString();
    }

    /** The outer order is fixed; each inner array is a choice of its own. */
    static Object[][] inner(Object[][] natural, Object owner, int model) {
        Object[][] result = natural;
        for (int i = 0; natural != null && i < natural.length; i++) {
            Object[] permuted = permuted(natural[i], owner, 0, model);
            if (permuted != natural[i]) {
                if (result == natural) {
                    result = natural.clone();
                }
                result[i] = permuted;
            }
        }
        return result;
    }

    /** {@code owner}'s elements stand at the front of the array, which is new or the caller's. */
    static Object[] filled(Object[] natural, Object owner, int model) {
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0 || owner instanceof LinkedHashMap) {
            return natural;
        }
        if (own.copied == owner) {
            // A queue is being copied: its array must stay the heap it is.
            own.copied = null;
            return natural;
        }
        if (owner instanceof HashMap) {
            HashMap<?, ?> map = (HashMap<?, ?>) owner;
            int n = Math.min(map.size, natural.length);
            if (n > 1) {
                UnflakeOrder.apply(natural, 0, n, Unflake.hashPlan(own, map, model));
            }
            return natural;
        }
        int size = owner instanceof Map ? ((Map<?, ?>) owner).size() : ((Collection<?>) owner).size();
        int n = Math.min(size, natural.length);
        if (n > 1) {
            UnflakeOrder.apply(natural, 0, n, UnflakeKeys.plan(own, model, owner, natural, 0, n));
        }
        return natural;
    }

    /**
     * An annotation beside a container of its own kind comes before all of the container's or after them; their own
     * order is fixed.
     */
    static Object[] annotationsByType(Object[] natural, Object element, Class<?> type, int model) {
        if (natural == null || natural.length < 2) {
            return natural;
        }
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0) {
            return natural;
        }
        Object single;
        own.busy++;
        try {
            single = ((AnnotatedElement) element).getAnnotation(type.asSubclass(Annotation.class));
        } catch (RuntimeException theirs) {
            return natural;
        } finally {
            own.busy--;
        }
        int last = natural.length - 1;
        boolean first = natural[0] == single;
        if (single == null || !first && natural[last] != single) {
            return natural;
        }
        long plan = UnflakeKeys.plan(own, model, element, natural, 0, 2);
        if (UnflakeOrder.pick(0, 2, plan) == 0) {
            return natural;
        }
        Object[] copy = natural.clone();
        System.arraycopy(natural, first ? 1 : 0, copy, first ? 0 : 1, last);
        copy[first ? last : 0] = single;
        return copy;
    }

    /** Rows in any order, and each of them longer: by names that are there already. */
    static String[][] zoneStrings(String[][] natural, DateFormatSymbols symbols, int model) {
        if (natural == null || natural.length == 0) {
            return natural;
        }
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0 || UnflakeFields.hasOwnZones(symbols)) {
            return natural;
        }
        long plan = UnflakeKeys.plan(own, model, null, natural, 0, natural.length);
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        int more = 1 + (int) ((Unflake.mix(plan) >>> 32) * 3 >>> 32);
        String[][] rows = new String[natural.length][];
        for (int i = 0; i < rows.length; i++) {
            String[] row = natural[i];
            rows[i] = Arrays.copyOf(row, row.length + more);
            for (int k = row.length; k < rows[i].length; k++) {
                rows[i][k] = row[row.length - 1];
            }
        }
        UnflakeOrder.apply(rows, 0, rows.length, plan);
        return rows;
    }
}
