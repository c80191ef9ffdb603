package java.util;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Exceptions as texts, where each stands is in {@link UnflakeCodes} from {@code FAILURE_KIND} on. They are the user's:
 * their methods may throw.
 */
final class UnflakeFailures {
    private static final int LONGEST_MESSAGE = 10000;
    private static final int LONGEST_TRACE = 100;

    private UnflakeFailures() {}

    static String[] failure(Object exception) {
        String[] texts = new String[UnflakeCodes.FAILURE_COUNT];
        if (exception == null) {
            texts[UnflakeCodes.FAILURE_KIND] = "";
            texts[UnflakeCodes.FAILURE_MESSAGE] = "";
            texts[UnflakeCodes.FAILURE_TRACE] = "";
            return texts;
        }
        Throwable thrown = (Throwable) exception;
        String message = message(thrown);
        texts[UnflakeCodes.FAILURE_KIND] = thrown.getClass().getName();
        texts[UnflakeCodes.FAILURE_MESSAGE] = cut(message);
        texts[UnflakeCodes.FAILURE_TRACE] = firstLines(trace(thrown, message));
        texts[UnflakeCodes.FAILURE_EXPECTED] = compared(thrown, "getExpected");
        texts[UnflakeCodes.FAILURE_ACTUAL] = compared(thrown, "getActual");
        return texts;
    }

    private static String message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? "" : message;
        } catch (Throwable problem) {
            return "(its message cannot be read: ".concat(problem.getClass().getName()).concat(")");
        }
    }

    private static String trace(Throwable thrown, String message) {
        try {
            StringWriter text = new StringWriter();
            PrintWriter writer = new PrintWriter(text);
            thrown.printStackTrace(writer);
            writer.flush();
            return withoutMessage(text.toString(), message);
        } catch (Throwable problem) {
            return "(its stack trace cannot be read: ".concat(problem.getClass().getName()).concat(")");
        }
    }

    private static String firstLines(String trace) {
        int end = 0;
        for (int line = 0; line < LONGEST_TRACE && end >= 0; line++) {
            end = trace.indexOf('\n', end == 0 ? 0 : end + 1);
        }
        return end < 0 ? trace : trace.substring(0, end + 1);
    }

    /** A message of many lines leaves no room for those of the stack. */
    private static String withoutMessage(String trace, String message) {
        int end = message.indexOf('\n');
        int start = end < 0 ? -1 : trace.indexOf(message);
        return start < 0 ? trace : trace.substring(0, start + end).concat(trace.substring(start + message.length()));
    }

    /** What a failed assertion says of the values it compared; {@code null}: it does not. */
    private static String compared(Throwable thrown, String which) {
        if (!comparesValues(thrown)) {
            return null;
        }
        try {
            Object value = UnflakeReflection.call(thrown, which);
            if (value == null) {
                return null;
            }
            // JUnit 5 wraps values and keeps their text.
            Object text = value instanceof String ? value : UnflakeReflection.call(value, "getStringRepresentation");
            return cut(String.valueOf(text));
        } catch (Throwable itDoesNot) {
            return null;
        }
    }

    /** Libraries have subclasses of their own: Truth of JUnit 4's failure, AssertJ of that of opentest4j. */
    private static boolean comparesValues(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            String name = type.getName();
            if (name.endsWith("ComparisonFailure") || name.endsWith("AssertionFailedError")) {
                return true;
            }
        }
        return false;
    }

    static String cut(String text) {
        return text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE);
    }

    /** An object of the user's as text; its class if that throws. */
    static String guardedText(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable problem) {
            return object.getClass().getName();
        }
    }
}
