package java.util;

import java.security.CodeSource;

/** The recipe: what only Java sees of how this JVM was started. */
final class UnflakeRecipe {
    private UnflakeRecipe() {}

    /**
     * Tells the system properties, and where the framework's launcher was loaded from; {@code speaker} has its loader.
     */
    static void send(UnflakeFramework framework, Object speaker) {
        ArrayList<String> fields = new ArrayList<String>();
        long properties = 0;
        try {
            Properties all = System.getProperties();
            Object[] keys = all.stringPropertyNames().toArray();
            for (int i = 0; i < keys.length; i++) {
                String value = all.getProperty((String) keys[i]);
                if (value != null) {
                    fields.add((String) keys[i]);
                    fields.add(value);
                    properties++;
                }
            }
        } catch (Throwable problem) {
            UnflakeEvents.bug(problem);
        }
        String[] launcher = framework.launcherClasses();
        for (int i = 0; i < launcher.length; i++) {
            try {
                Class<?> type = Class.forName(launcher[i], false, speaker.getClass().getClassLoader());
                CodeSource source = type.getProtectionDomain().getCodeSource();
                if (source != null && source.getLocation() != null) {
                    fields.add(source.getLocation().toString());
                }
            } catch (Throwable absent) {
                // Not every engine is there.
                continue;
            }
        }
        UnflakeNative.event(UnflakeCodes.EVENT_RECIPE, fields.toArray(new String[0]), new long[] {properties});
    }
}
