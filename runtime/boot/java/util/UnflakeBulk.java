package java.util;

import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * The bulk operations of {@code ConcurrentHashMap}, done over the iterator of a view (of keys, values or entries) or
 * over both sides of the entries.
 */
final class UnflakeBulk {
    private UnflakeBulk() {
    }

    private static void check(Object function) {
        if (function == null) {
            throw new NullPointerException();
        }
    }

    // ---- over a view

    static void forEach(Collection<?> view, Function<Object, Object> transformer, Consumer<Object> action) {
        check(transformer);
        check(action);
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            Object transformed = transformer.apply(i.next());
            if (transformed != null) {
                action.accept(transformed);
            }
        }
    }

    static Object search(Collection<?> view, Function<Object, Object> function) {
        check(function);
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            Object found = function.apply(i.next());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    static Object reduce(Collection<?> view, BiFunction<Object, Object, Object> reducer) {
        check(reducer);
        Object result = null;
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            Object element = i.next();
            result = result == null ? element : reducer.apply(result, element);
        }
        return result;
    }

    static Object reduce(
            Collection<?> view, Function<Object, Object> transformer, BiFunction<Object, Object, Object> reducer) {
        check(transformer);
        check(reducer);
        Object result = null;
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            Object transformed = transformer.apply(i.next());
            if (transformed != null) {
                result = result == null ? transformed : reducer.apply(result, transformed);
            }
        }
        return result;
    }

    static double reduce(
            Collection<?> view, ToDoubleFunction<Object> transformer, double basis, DoubleBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        double result = basis;
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            result = reducer.applyAsDouble(result, transformer.applyAsDouble(i.next()));
        }
        return result;
    }

    static long reduce(Collection<?> view, ToLongFunction<Object> transformer, long basis, LongBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        long result = basis;
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            result = reducer.applyAsLong(result, transformer.applyAsLong(i.next()));
        }
        return result;
    }

    static int reduce(Collection<?> view, ToIntFunction<Object> transformer, int basis, IntBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        int result = basis;
        for (Iterator<?> i = view.iterator(); i.hasNext();) {
            result = reducer.applyAsInt(result, transformer.applyAsInt(i.next()));
        }
        return result;
    }

    // ---- over keys with their values

    static void forEach(Map<?, ?> map, BiFunction<Object, Object, Object> transformer, Consumer<Object> action) {
        check(transformer);
        check(action);
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            Object transformed = transformer.apply(entry.getKey(), entry.getValue());
            if (transformed != null) {
                action.accept(transformed);
            }
        }
    }

    static Object search(Map<?, ?> map, BiFunction<Object, Object, Object> function) {
        check(function);
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            Object found = function.apply(entry.getKey(), entry.getValue());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    static Object reduce(
            Map<?, ?> map, BiFunction<Object, Object, Object> transformer, BiFunction<Object, Object, Object> reducer) {
        check(transformer);
        check(reducer);
        Object result = null;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            Object transformed = transformer.apply(entry.getKey(), entry.getValue());
            if (transformed != null) {
                result = result == null ? transformed : reducer.apply(result, transformed);
            }
        }
        return result;
    }

    static double reduce(
            Map<?, ?> map, ToDoubleBiFunction<Object, Object> transformer, double basis, DoubleBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        double result = basis;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            result = reducer.applyAsDouble(result, transformer.applyAsDouble(entry.getKey(), entry.getValue()));
        }
        return result;
    }

    static long reduce(
            Map<?, ?> map, ToLongBiFunction<Object, Object> transformer, long basis, LongBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        long result = basis;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            result = reducer.applyAsLong(result, transformer.applyAsLong(entry.getKey(), entry.getValue()));
        }
        return result;
    }

    static int reduce(
            Map<?, ?> map, ToIntBiFunction<Object, Object> transformer, int basis, IntBinaryOperator reducer) {
        check(transformer);
        check(reducer);
        int result = basis;
        for (Iterator<?> i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) i.next();
            result = reducer.applyAsInt(result, transformer.applyAsInt(entry.getKey(), entry.getValue()));
        }
        return result;
    }
}
