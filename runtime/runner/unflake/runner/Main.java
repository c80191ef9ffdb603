package unflake.runner;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UnflakeCodes;
import java.util.UnflakeNative;

/**
 * Runs the tests that unflake names, in the order it names them, until it says that there are no more.
 *
 * <p>Nothing is reported here: the agent has edited the test frameworks and sees each test begin and end, as it does
 * under any other runner.
 */
public final class Main {
    /** To be closed after the last test; {@code null}: nothing is. */
    static AutoCloseable session;
    /** Set for a JVM whose tests must run in exactly the order in which they are named. */
    private static final String EXACT = "unflake.exact";

    private Main() {}

    /** The only argument is the file with the system properties that the build's own test JVM had. */
    public static void main(String[] arguments) throws IOException {
        boolean exact = Boolean.getBoolean(EXACT);
        System.clearProperty(EXACT);
        restoreProperties(arguments[0]);
        for (String[] command = UnflakeNative.nextCommand(); command != null; command = UnflakeNative.nextCommand()) {
            if (command[0].equals(UnflakeCodes.LOST)) {
                System.exit(UnflakeCodes.LOST_STATUS);
            }
            List<Test> tests = tests(command);
            if (exact) {
                ExactOrder.run(tests);
            } else {
                run(tests);
            }
            UnflakeNative.runFinished();
        }
        closeSession();
        System.exit(0);
    }

    /** Its listeners are the project's: what they throw is not for us to judge. */
    private static void closeSession() {
        try {
            if (session != null) {
                session.close();
            }
        } catch (Throwable problem) {
            problem.printStackTrace();
        }
    }

    /** The file is a sequence of keys and values, each a length of four bytes and that many bytes of UTF-8. */
    private static void restoreProperties(String file) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)));
        try {
            while (true) {
                String key;
                try {
                    key = text(in);
                } catch (EOFException end) {
                    return;
                }
                System.setProperty(key, text(in));
            }
        } finally {
            in.close();
        }
    }

    private static String text(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A command is {@code run} and then, per test, framework, root class and id. */
    private static List<Test> tests(String[] command) {
        List<Test> tests = new ArrayList<Test>();
        for (int i = 1; i + 2 < command.length; i += 3) {
            tests.add(new Test(command[i], command[i + 1], command[i + 2]));
        }
        return tests;
    }

    private static void run(List<Test> tests) {
        List<Test> batch = new ArrayList<Test>();
        for (Test test : tests) {
            if (!batch.isEmpty() && !batch.get(0).runsWith(test)) {
                runBatch(batch);
                batch.clear();
            }
            batch.add(test);
        }
        if (!batch.isEmpty()) {
            runBatch(batch);
        }
    }

    /** A class that cannot be loaded costs its own tests only: they are then missing from what the agent reports. */
    private static void runBatch(List<Test> batch) {
        try {
            batch.get(0).framework.run(batch);
        } catch (Throwable problem) {
            problem.printStackTrace();
        }
    }
}
