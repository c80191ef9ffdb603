package java.util;

import java.lang.reflect.Method;

/** Calls on objects of test frameworks. The methods looked for have one overload of their number of parameters each. */
final class UnflakeReflection {
    private static final ClassValue<HashMap<String, Method>> METHODS = new ClassValue<HashMap<String, Method>>() {
        @Override
        protected HashMap<String, Method> computeValue(Class<?> type) {
            return new HashMap<String, Method>();
        }
    };

    private UnflakeReflection() {}

    static void warmUp() {
        METHODS.get(Object.class);
    }

    static Object call(Object on, String name, Object... arguments) {
        Method method = method(on.getClass(), name, arguments.length);
        if (method == null) {
            throw new IllegalArgumentException(on.getClass().getName().concat(" has no method ").concat(name));
        }
        return invoke(method, on, arguments);
    }

    static Object invoke(Method method, Object on, Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (RuntimeException problem) {
            throw problem;
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** The method of this name that a call on the class would reach, whatever its access; {@code null} if none. */
    static Method method(Class<?> type, String name, int parameters) {
        HashMap<String, Method> known = METHODS.get(type);
        synchronized (known) {
            Method method = known.get(name);
            if (method == null && !known.containsKey(name)) {
                method = find(type, name, parameters);
                if (method != null) {
                    method.setAccessible(true);
                }
                known.put(name, method);
            }
            return method;
        }
    }

    private static Method find(Class<?> type, String name, int parameters) {
        Method bridge = null;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Method[] declared = c.getDeclaredMethods();
            for (int i = 0; i < declared.length; i++) {
                if (declared[i].getName().equals(name) && declared[i].getParameterTypes().length == parameters) {
                    if (!declared[i].isBridge()) {
                        return declared[i];
                    }
                    bridge = declared[i];
                }
            }
        }
        if (bridge != null) {
            return bridge;
        }
        // A default method of an interface.
        Method[] inherited = type.getMethods();
        for (int i = 0; i < inherited.length; i++) {
            if (inherited[i].getName().equals(name) && inherited[i].getParameterTypes().length == parameters) {
                return inherited[i];
            }
        }
        return null;
    }
}
