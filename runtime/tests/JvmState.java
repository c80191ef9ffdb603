import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.security.Provider;
import java.security.Security;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/** Captures of the JVM's own state: what changes shows, what is put back does not, and looking changes nothing. */
public final class JvmState {
    static final ThreadLocal<Object> LOCAL = new ThreadLocal<>();

    public static void main(String[] args) throws Exception {
        untouched();
        Check.that(UnflakeJvmState.capture() == null, "nothing happened since the last capture");
        properties();
        localeAndZone();
        streams();
        handler();
        threads();
        threadLocals();
        hooks();
        providers();
        logging();
        network();
        beans();
        environment();
        hostile();
        Check.ok("state of the JVM");
        if (args.length > 0) {
            cost();
        }
    }

    interface Step {
        void run() throws Exception;
    }

    static Map<String, List<String>> state = new TreeMap<>();

    /** Values by kind and name, from the last capture that differed. */
    static Map<String, List<String>> state() {
        String[] captured = UnflakeJvmState.capture();
        if (captured != null) {
            state = new TreeMap<>();
            for (int i = 0; i < captured.length; i += 3) {
                Check.that(!captured[i].equals("failed"), captured[i + 1] + " could not be read");
                state.computeIfAbsent(captured[i] + " " + captured[i + 1], key -> new ArrayList<>())
                    .add(captured[i + 2]);
            }
            state.values().forEach(Collections::sort);
        }
        return state;
    }

    /** Does, undoes; both show as they should. */
    static void check(String key, Step act, String expected, Step undo) throws Exception {
        Map<String, List<String>> before = state();
        act.run();
        Map<String, List<String>> during = state();
        List<String> came = new ArrayList<>(during.getOrDefault(key, Collections.emptyList()));
        for (String old : before.getOrDefault(key, Collections.emptyList())) {
            came.remove(old);
        }
        Check.that(came.size() == 1 && came.get(0).matches(expected), key + ": " + came);
        undo.run();
        Map<String, List<String>> after = new TreeMap<>(state());
        Map<String, List<String>> wrong = new TreeMap<>(before);
        wrong.entrySet().removeIf(entry -> entry.getValue().equals(after.remove(entry.getKey())));
        Check.that(wrong.isEmpty() && after.isEmpty(), key + " undone: was " + wrong + ", is " + after);
    }

    /** Nothing that sleeps is woken by a look, on a JVM that has done nothing yet. */
    static void untouched() throws Exception {
        Map<String, List<String>> first = state();
        for (String key : first.keySet()) {
            String kind = key.substring(0, key.indexOf(' '));
            Check.that(!kind.equals("bean") && !kind.startsWith("log-"), "woke " + key);
        }
        Check.that(first.containsKey("property java.version"), "properties");
        Locale.getDefault();
        Check.that(state().containsKey("locale default"), "locale");
        Check.same(Arrays.asList(System.getProperty("user.dir")), first.get("property user.dir"), "user.dir");
    }

    static void properties() throws Exception {
        check("property unflake.test", () -> System.setProperty("unflake.test", "1"), "1",
            () -> System.clearProperty("unflake.test"));
        check("property unflake.object", () -> System.getProperties().put("unflake.object", new Loud()),
            "JvmState\\$Loud", () -> System.getProperties().remove("unflake.object"));
        Properties old = System.getProperties();
        check("property unflake.default", () -> {
            Properties defaults = new Properties(old);
            Properties copy = new Properties(defaults);
            defaults.setProperty("unflake.default", "2");
            copy.setProperty("user.dir", System.getProperty("user.dir"));
            System.setProperties(copy);
        }, "2", () -> System.setProperties(old));
        // The same content in another object.
        Map<String, List<String>> before = state();
        Properties copy = new Properties();
        copy.putAll(old);
        System.setProperties(copy);
        Check.same(before, state(), "copied properties");
        System.setProperties(old);
    }

    static void localeAndZone() throws Exception {
        Locale locale = Locale.getDefault();
        Locale.getDefault(Locale.Category.FORMAT);
        Locale.getDefault(Locale.Category.DISPLAY);
        check("locale default", () -> Locale.setDefault(new Locale("tr", "TR")), "tr_TR", () -> Locale.setDefault(locale));
        check("locale format", () -> Locale.setDefault(Locale.Category.FORMAT, Locale.CHINA), "zh_CN",
            () -> Locale.setDefault(Locale.Category.FORMAT, locale));
        TimeZone zone = TimeZone.getDefault();
        check("timezone default", () -> TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo")), "Asia/Tokyo",
            () -> TimeZone.setDefault(zone));
        check("timezone default", () -> TimeZone.setDefault(new SimpleTimeZone(7, "odd")),
            "odd, java.util.SimpleTimeZone", () -> TimeZone.setDefault(zone));
    }

    static void streams() throws Exception {
        PrintStream out = System.out;
        PrintStream err = System.err;
        InputStream in = System.in;
        PrintStream other = new PrintStream(new ByteArrayOutputStream());
        check("stream out", () -> System.setOut(other), "java.io.PrintStream #\\d+", () -> System.setOut(out));
        check("stream err", () -> System.setErr(other), "java.io.PrintStream #\\d+", () -> System.setErr(err));
        check("stream in", () -> System.setIn(new ByteArrayInputStream(new byte[0])),
            "java.io.ByteArrayInputStream #\\d+", () -> System.setIn(in));
        for (int i = 0; i < 100; i++) {
            check("stream out", () -> System.setOut(new PrintStream(new ByteArrayOutputStream())),
                "java.io.PrintStream #\\d+", () -> System.setOut(out));
        }
    }

    static void handler() throws Exception {
        check("exception-handler default", () -> Thread.setDefaultUncaughtExceptionHandler(new Loud()),
            "JvmState\\$Loud #\\d+", () -> Thread.setDefaultUncaughtExceptionHandler(null));
    }

    static void threads() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread left = new Thread(() -> await(end), "left running");
        check("thread java.lang.Thread", left::start, "left running", () -> {
            end.countDown();
            left.join();
        });
        Map<String, List<String>> quiet = state();
        Thread ending = new Thread(() -> {
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        ending.start();
        Check.same(quiet, state(), "a thread in its last moments");
        CountDownLatch many = new CountDownLatch(1);
        Thread[] workers = new Thread[100];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(() -> await(many));
            workers[i].start();
        }
        Check.that(state().get("thread java.lang.Thread").size() >= 100, "a hundred threads");
        many.countDown();
        for (Thread worker : workers) {
            worker.join();
        }
        CountDownLatch later = new CountDownLatch(1);
        Thread daemon = new Thread(() -> await(later));
        daemon.setDaemon(true);
        Map<String, List<String>> before = state();
        daemon.start();
        Check.same(before, state(), "a daemon");
        later.countDown();
        daemon.join();
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void threadLocals() throws Exception {
        String plain = "thread-local java.lang.ThreadLocal";
        check(plain, () -> LOCAL.set("text"), "java.lang.String \"text\"", LOCAL::remove);
        check(plain, () -> LOCAL.set(7), "java.lang.Integer 7", LOCAL::remove);
        check(plain, () -> LOCAL.set(Level.class), "java.lang.Class", LOCAL::remove);
        check(plain, () -> LOCAL.set(new ArrayList<>(Arrays.asList(1, 2))), "java.util.ArrayList of size 2", LOCAL::remove);
        check(plain, () -> LOCAL.set(new Loud()), "JvmState\\$Loud", LOCAL::remove);
        check(plain, () -> LOCAL.set(Thread.State.NEW), "java.lang.Thread\\$State NEW", LOCAL::remove);
        ThreadLocal<Object> supplied = ThreadLocal.withInitial(() -> 'c');
        check("thread-local java.lang.ThreadLocal$SuppliedThreadLocal", supplied::get, "java.lang.Character c",
            supplied::remove);
        ThreadLocal<Object> own = new ThreadLocal<Object>() {
        };
        check("thread-local " + own.getClass().getName(), () -> own.set(8L), "java.lang.Long 8", own::remove);
    }

    static void hooks() throws Exception {
        Thread hook = new Thread("my hook");
        check("shutdown-hook java.lang.Thread", () -> Runtime.getRuntime().addShutdownHook(hook), "my hook",
            () -> Runtime.getRuntime().removeShutdownHook(hook));
    }

    static final class OwnProvider extends Provider {
        @SuppressWarnings("deprecation")
        OwnProvider() {
            super("Own", 1.0, "for tests");
        }
    }

    static void providers() throws Exception {
        Security.getProviders();
        check("provider Own",
            () -> Security.insertProviderAt(new OwnProvider(), 1), "1 JvmState\\$OwnProvider",
            () -> Security.removeProvider("Own"));
        // There is no way to remove one.
        Security.setProperty("unflake.test", "old");
        check("security-property unflake.test", () -> Security.setProperty("unflake.test", "new"), "new",
            () -> Security.setProperty("unflake.test", "old"));
    }

    static boolean isOld() {
        return System.getProperty("java.specification.version").startsWith("1.");
    }

    /** The JDK forgets a logger that nobody holds. */
    static Logger held;

    static void logging() throws Exception {
        Logger logger = Logger.getLogger("a.b");
        held = logger;
        Handler handler = new ConsoleHandler();
        Logger root = Logger.getLogger("");
        root.getHandlers();
        check("log-level a.b", () -> logger.setLevel(Level.FINE), "FINE", () -> logger.setLevel(null));
        check("log-level ", () -> root.setLevel(Level.OFF), "OFF", () -> root.setLevel(Level.INFO));
        check("log-handler ", () -> root.addHandler(handler), ".*ConsoleHandler", () -> root.removeHandler(handler));
    }

    static void network() throws Exception {
        check("net-default CookieHandler", () -> CookieHandler.setDefault(new CookieManager()),
            "java.net.CookieManager #\\d+", () -> CookieHandler.setDefault(null));
        Map<String, List<String>> before = state();
        URL.setURLStreamHandlerFactory(protocol -> protocol.equals("own") ? new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                throw new AssertionError("never");
            }
        } : null);
        new URL("own:x");
        Map<String, List<String>> after = state();
        Check.that(!before.containsKey("url-handler ") && after.containsKey("url-handler "), "factory");
        Check.that(after.get("url-handler own").get(0).startsWith("JvmState$"), "handler");
    }

    public interface BeanMBean {
    }

    public static final class Bean implements BeanMBean {
    }

    static void beans() throws Exception {
        if (isOld()) {
            // Java 8's own beans do what -Xcheck:jni complains of.
            Field field = ManagementFactory.class.getDeclaredField("platformMBeanServer");
            field.setAccessible(true);
            field.set(null, MBeanServerFactory.newMBeanServer());
        }
        ManagementFactory.getPlatformMBeanServer();
        Map<String, List<String>> after = new TreeMap<>(state());
        after.keySet().removeIf(key -> !key.startsWith("bean "));
        Check.same(Collections.emptyMap(), after, "the JDK's own beans");
        ObjectName name = new ObjectName("own:type=Test,name=a");
        check("bean own:name=a,type=Test", () -> ManagementFactory.getPlatformMBeanServer().registerMBean(new Bean(), name),
            "registered", () -> ManagementFactory.getPlatformMBeanServer().unregisterMBean(name));
    }

    /** As tests do it: by force, through the map that cannot be modified. Later Javas must be opened for that. */
    @SuppressWarnings("unchecked")
    static void environment() throws Exception {
        Map<String, String> shown = System.getenv();
        Check.that(state().containsKey("seen environment"), "environment");
        Check.same(shown.size(), (int) state().keySet().stream().filter(key -> key.startsWith("environment ")).count(),
            "variables");
        Map<String, String> real;
        try {
            Field field = shown.getClass().getDeclaredField("m");
            field.setAccessible(true);
            real = (Map<String, String>) field.get(shown);
        } catch (RuntimeException closed) {
            return;
        }
        check("environment UNFLAKE_TEST", () -> real.put("UNFLAKE_TEST", "1"), "1", () -> real.remove("UNFLAKE_TEST"));
    }

    /** Nothing of it may be called. */
    static final class Loud implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread thread, Throwable problem) {
            throw new AssertionError("called");
        }

        @Override
        public String toString() {
            throw new AssertionError("called");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("called");
        }

        @Override
        public boolean equals(Object other) {
            throw new AssertionError("called");
        }
    }

    /** Properties that are a class of the project, and that another thread changes all the time. */
    static void hostile() throws Exception {
        Properties old = System.getProperties();
        Properties loud = new Properties() {
            @Override
            public synchronized Object get(Object key) {
                return super.get(key);
            }

            @Override
            public Set<Map.Entry<Object, Object>> entrySet() {
                throw new AssertionError("called");
            }
        };
        old.forEach(loud::put);
        System.setProperties(loud);
        boolean[] end = {false};
        Thread writer = new Thread(() -> {
            for (int i = 0; !end[0]; i++) {
                loud.put("hostile" + i % 1000, "x");
                loud.remove("hostile" + (i + 500) % 1000);
            }
        });
        writer.setDaemon(true);
        writer.start();
        for (int i = 0; i < 1000; i++) {
            String[] captured = UnflakeJvmState.capture();
            Check.that(captured == null || captured.length > 100, "capture");
        }
        end[0] = true;
        writer.join(10000);
        System.setProperties(old);
    }

    /** By hand: with an argument. */
    static void cost() {
        for (int round = 0; round < 10; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < 2000; i++) {
                UnflakeJvmState.capture();
            }
            System.out.println((System.nanoTime() - start) / 2000 / 1000.0 + " us unchanged");
            start = System.nanoTime();
            for (int i = 0; i < 2000; i++) {
                System.setProperty("unflake.cost", Integer.toString(i));
                UnflakeJvmState.capture();
            }
            System.out.println((System.nanoTime() - start) / 2000 / 1000.0 + " us with a changed property");
        }
    }
}
