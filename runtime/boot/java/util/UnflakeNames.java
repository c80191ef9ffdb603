package java.util;

/**
 * The names of a test: where each stands is in {@link UnflakeCodes}, from {@code NAME_FRAMEWORK} on. Behind those that
 * the program is told stands the name of the test's scope, which a container has not.
 */
final class UnflakeNames {
    private static final int SCOPE = UnflakeCodes.NAME_COUNT;

    private UnflakeNames() {}

    static String[] of(UnflakeFramework framework, String root, String id) {
        String[] names = new String[UnflakeCodes.NAME_COUNT + 1];
        names[UnflakeCodes.NAME_FRAMEWORK] = framework.wireName;
        names[UnflakeCodes.NAME_ROOT] = root;
        names[UnflakeCodes.NAME_ID] = id;
        return names;
    }

    static void setTest(String[] names, String type, String method, String invocation) {
        names[UnflakeCodes.NAME_CLASS] = type;
        names[UnflakeCodes.NAME_METHOD] = method;
        names[UnflakeCodes.NAME_INVOCATION] = invocation;
        String name = type.concat("#").concat(method);
        names[SCOPE] = invocation == null ? name : name.concat(invocation);
    }

    /** A parameter set is a suffix: {@code adds[0]}. */
    static void setMethod(String[] names, String type, String method) {
        int at = method.endsWith("]") ? method.indexOf('[') : -1;
        if (at > 0) {
            setTest(names, type, method.substring(0, at), method.substring(at));
        } else {
            setTest(names, type, method, null);
        }
    }

    static void setContainer(String[] names, String type) {
        names[UnflakeCodes.NAME_CLASS] = type;
        names[UnflakeCodes.NAME_METHOD] = "";
    }

    static boolean isTest(String[] names) {
        return names[SCOPE] != null;
    }

    /** What the scope is called in which this runs. */
    static String scope(String[] names) {
        return isTest(names) ? names[SCOPE] : names[UnflakeCodes.NAME_ID];
    }
}
