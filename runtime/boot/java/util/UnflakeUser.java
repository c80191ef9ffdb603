package java.util;

import java.lang.reflect.Array;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Models that users describe (N9). Results are copied: what belongs to the user's objects is never rearranged. What has
 * an order of its own by its type (sorted sets and maps) stays as it is.
 */
final class UnflakeUser {
    private UnflakeUser() {
    }

    static Object permuted(Object natural, Object owner, int model) {
        UnflakeThread own = Unflake.thread();
        if (natural == null || own.busy > 0 || natural instanceof SortedSet || natural instanceof SortedMap) {
            return natural;
        }
        if (natural instanceof Stream) {
            return stream((Stream<?>) natural, owner, model);
        }
        own.busy++;
        Object[] elements;
        try {
            elements = elements(natural);
        } finally {
            own.busy--;
        }
        if (elements == null) {
            return natural;
        }
        if (elements.length > 1) {
            long plan = UnflakeKeys.plan(own, model, new UnflakeReceiver(owner), elements, 0, elements.length);
            if (plan != Unflake.NATURAL_PLAN) {
                UnflakeOrder.apply(elements, 0, elements.length, plan);
                return like(natural, elements);
            }
        }
        // Iterators are used up by now.
        return natural instanceof Iterator || natural instanceof Enumeration ? like(natural, elements) : natural;
    }

    /** One element more, the last one again. */
    static Object extended(Object natural, Object owner, int model) {
        UnflakeThread own = Unflake.thread();
        if (natural == null || own.busy > 0 || !(natural.getClass().isArray() || natural instanceof List)) {
            return natural;
        }
        own.busy++;
        Object[] elements;
        try {
            elements = elements(natural);
        } finally {
            own.busy--;
        }
        if (elements.length == 0) {
            return natural;
        }
        long plan = UnflakeKeys.plan(own, model, new UnflakeReceiver(owner), elements, 0, elements.length);
        if (UnflakeOrder.pick(0, 2, plan) == 0) {
            return natural;
        }
        Object[] more = Arrays.copyOf(elements, elements.length + 1);
        more[elements.length] = elements[elements.length - 1];
        return like(natural, more);
    }

    private static final String[] OTHERWISE = {"as it is", "another value"};

    static long random(long natural, Object owner, int model) {
        long plan = plan(natural, owner, model, UnflakeScript.OPEN, 0, OTHERWISE);
        if (Unflake.isGiven(plan)) {
            return UnflakeOrder.pick(0, 2, plan) == 0 ? natural : ~natural;
        }
        return plan == Unflake.NATURAL_PLAN ? natural : plan == Unflake.REVERSE_PLAN ? ~natural : Unflake.mix(plan);
    }

    static String oneOf(String natural, Object owner, int model) {
        String[] values = model < Unflake.userValues.length ? Unflake.userValues[model] : null;
        if (values == null || values.length == 0) {
            return natural;
        }
        int at = 0;
        for (int i = 0; i < values.length; i++) {
            if (values[i].equals(natural)) {
                at = i;
            }
        }
        long plan = plan(natural == null ? 0 : natural.hashCode(), owner, model, UnflakeScript.PICKS, at, values);
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        return values[UnflakeOrder.pick(at, values.length, plan)];
    }

    /** A boxed number or text; what is neither stays. */
    static Object oneOf(Object natural, Object owner, int model) {
        if (natural instanceof CharSequence) {
            return oneOf(natural.toString(), owner, model);
        }
        if (!(natural instanceof Number)) {
            return natural;
        }
        String value = oneOf(natural.toString(), owner, model);
        try {
            if (natural instanceof Integer) {
                return Integer.valueOf(value);
            }
            if (natural instanceof Long) {
                return Long.valueOf(value);
            }
            if (natural instanceof Short) {
                return Short.valueOf(value);
            }
            if (natural instanceof Byte) {
                return Byte.valueOf(value);
            }
            if (natural instanceof Double) {
                return Double.valueOf(value);
            }
            if (natural instanceof Float) {
                return Float.valueOf(value);
            }
        } catch (NumberFormatException notOfThisType) {
            return natural;
        }
        return natural;
    }

    /** Anything as near as the model says: guided forms take the far ends. */
    static double near(double natural, Object owner, int model) {
        double width = model < Unflake.userTolerances.length ? Unflake.userTolerances[model] : 0;
        if (width == 0 || natural != natural || natural - natural != 0) {
            return natural;
        }
        long plan = plan(Double.doubleToLongBits(natural), owner, model, UnflakeScript.OPEN, 0, OTHERWISE);
        if (plan == Unflake.NATURAL_PLAN) {
            return natural;
        }
        if (Unflake.isGiven(plan)) {
            return UnflakeOrder.pick(0, 2, plan) == 0 ? natural : natural + width;
        }
        if (plan == Unflake.REVERSE_PLAN) {
            return natural + width;
        }
        double unit = (Unflake.mix(plan) >>> 11) * 0x1.0p-53;
        return natural + width * (2 * unit - 1);
    }

    private static long plan(long value, Object owner, int model, int kind, int natural, String[] answers) {
        UnflakeThread own = Unflake.thread();
        if (own.busy > 0 || !Unflake.choose(own, model)) {
            return Unflake.NATURAL_PLAN;
        }
        long plan = plan(own, value, owner);
        return Unflake.scripted
            ? UnflakeScript.pick(own, model, kind, natural, answers.length, null, plan, answers) : plan;
    }

    private static long plan(UnflakeThread own, long value, Object owner) {
        int how = Unflake.level;
        if (how == Unflake.FULL) {
            return Unflake.planOfCall(own);
        }
        if (Unflake.form == Unflake.REVERSE) {
            return Unflake.REVERSE_PLAN;
        }
        long key = Unflake.mix(2);
        if (how != Unflake.ONE) {
            key = Unflake.mix(key + value);
        }
        if (how == Unflake.ID) {
            key = Unflake.mix(key + UnflakeKeys.known(own, owner));
        }
        return Unflake.planOf(key);
    }

    private static Object stream(Stream<?> natural, Object owner, int model) {
        Spliterator<?> varied = new UnflakeSpliterator(natural.spliterator(), new UnflakeReceiver(owner), model);
        return StreamSupport.stream(varied, natural.isParallel()).onClose(new UnflakeClose(natural));
    }

    /** The elements in natural order; null if this is nothing that has any. */
    private static Object[] elements(Object natural) {
        if (natural instanceof Object[]) {
            return Arrays.copyOf((Object[]) natural, ((Object[]) natural).length, Object[].class);
        }
        if (natural.getClass().isArray()) {
            Object[] boxed = new Object[Array.getLength(natural)];
            for (int i = 0; i < boxed.length; i++) {
                boxed[i] = Array.get(natural, i);
            }
            return boxed;
        }
        UnflakeBuffer all = new UnflakeBuffer();
        if (natural instanceof Enumeration && !(natural instanceof Iterator)) {
            for (Enumeration<?> i = (Enumeration<?>) natural; i.hasMoreElements();) {
                all.accept(i.nextElement());
            }
            return all.toArray();
        }
        Iterator<?> from = natural instanceof Map ? ((Map<?, ?>) natural).entrySet().iterator()
            : natural instanceof Iterable ? ((Iterable<?>) natural).iterator()
            : natural instanceof Iterator ? (Iterator<?>) natural
            : null;
        if (from == null) {
            return null;
        }
        while (from.hasNext()) {
            all.accept(from.next());
        }
        return all.toArray();
    }

    /** The elements as something of the natural result's kind, which refuses changes if that one did. */
    private static Object like(Object natural, Object[] elements) {
        if (natural.getClass().isArray()) {
            Object copy = Array.newInstance(natural.getClass().getComponentType(), elements.length);
            for (int i = 0; i < elements.length; i++) {
                Array.set(copy, i, elements[i]);
            }
            return copy;
        }
        boolean fixed = refusesChanges(natural.getClass().getName());
        if (natural instanceof Map) {
            Map<Object, Object> copy = new LinkedHashMap<Object, Object>();
            for (Object each : elements) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
                copy.put(entry.getKey(), entry.getValue());
            }
            return fixed ? Collections.unmodifiableMap(copy) : copy;
        }
        if (natural instanceof Set) {
            Set<Object> copy = new LinkedHashSet<Object>();
            for (Object each : elements) {
                copy.add(each);
            }
            return fixed ? Collections.unmodifiableSet(copy) : copy;
        }
        List<Object> copy = new ArrayList<Object>(elements.length);
        for (Object each : elements) {
            copy.add(each);
        }
        if (natural instanceof Iterator) {
            return natural instanceof Enumeration ? Collections.enumeration(copy) : copy.iterator();
        }
        if (natural instanceof Enumeration) {
            return Collections.enumeration(copy);
        }
        return fixed ? Collections.unmodifiableList(copy) : copy;
    }

    private static boolean refusesChanges(String type) {
        return type.startsWith("java.util.Collections$Unmodifiable")
            || type.startsWith("java.util.ImmutableCollections")
            || type.startsWith("com.google.common.collect.") && type.contains("Immutable");
    }
}
