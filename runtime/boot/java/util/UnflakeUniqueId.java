package java.util;

/** The unique ids of the JUnit Platform: {@code [engine:x]/[class:y]/[method:z()]}. */
final class UnflakeUniqueId {
    private UnflakeUniqueId() {}

    /** {@code [engine:x]/[class:y]} as {@code engine:x}, {@code class:y}; brackets inside of a segment are encoded. */
    static String[] segments(String id) {
        int count = 0;
        for (int i = 0; i < id.length(); i++) {
            count += id.charAt(i) == '[' ? 1 : 0;
        }
        String[] segments = new String[count == 0 ? 1 : count];
        segments[0] = id;
        int from = 0;
        for (int i = 0; i < count; i++) {
            int start = id.indexOf('[', from);
            int end = id.indexOf(']', start);
            segments[i] = id.substring(start + 1, end < 0 ? id.length() : end);
            from = end < 0 ? id.length() : end;
        }
        return segments;
    }

    /** The number of the first segment that is not an engine: the class, runner or suite that the build started. */
    static int root(String[] segments) {
        for (int i = 0; i < segments.length; i++) {
            if (!segments[i].startsWith("engine:")) {
                return i;
            }
        }
        // An engine's own descriptor has no root; no segment has this number.
        return segments.length == 1 ? 1 : segments.length - 1;
    }

    /**
     * Parameter sets, repetitions and dynamic tests from the root on: {@code [2][1]}; {@code null} if there are none.
     */
    static String invocation(String[] segments) {
        String invocation = null;
        for (int i = root(segments); i < segments.length; i++) {
            String value = value(segments[i]);
            if (value.startsWith("#")) {
                String one = "[".concat(value.substring(1)).concat("]");
                invocation = invocation == null ? one : invocation.concat(one);
            }
        }
        return invocation;
    }

    /** What stands behind the colon, decoded. */
    static String value(String segment) {
        String text = segment.substring(segment.indexOf(':') + 1);
        if (text.indexOf('%') < 0) {
            return text;
        }
        StringBuilder decoded = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            int high = i + 2 < text.length() && text.charAt(i) == '%' ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
            if (low < 0) {
                decoded.append(text.charAt(i));
            } else {
                decoded.append((char) (high * 16 + low));
                i += 2;
            }
        }
        return decoded.toString();
    }
}
