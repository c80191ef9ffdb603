package java.util;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * State of the JVM that tests share and that is no static field of the project (P10), as triples of kind, name and
 * value. What the triples mean, and which differences between two captures count, is the agent's affair ({@code
 * jvm_state.rs}).
 *
 * <p>Looking must not change anything: classes that are not initialised yet have no state, so they are not read (for
 * those the agent says whether they are loaded at all), fields are read where they lie ({@link UnflakeSlot}) rather
 * than by getters, which ask security managers or compute what is missing, and of objects of the project only the class
 * is taken. A capture runs after every test, so unchanged texts are the same objects as last time, and a capture that
 * is equal to the last one is not handed over.
 */
public final class UnflakeJvmState {
    private static final String LOG_MANAGER = "java.util.logging.LogManager";
    private static final String MANAGEMENT = "java.lang.management.ManagementFactory";
    private static final String PROVIDERS = "sun.security.jca.Providers";
    private static final String SECURITY = "java.security.Security";
    private static final String HOOKS = "java.lang.ApplicationShutdownHooks";
    private static final String ENVIRONMENT = "java.lang.ProcessEnvironment";
    private static final String URL = "java.net.URL";
    private static final String EXIT_FILES = "java.io.DeleteOnExitHook";

    /** Classes that need not be loaded; the agent watches for them. */
    private static final String[] LATE = {
        LOG_MANAGER, MANAGEMENT, PROVIDERS, SECURITY, HOOKS, ENVIRONMENT, URL, EXIT_FILES,
        "java.net.ProxySelector", "java.net.CookieHandler", "java.net.ResponseCache", "java.net.Authenticator",
    };

    /** Which of them are loaded, a bit each. */
    static long loaded;

    private static final int ALWAYS = -1;

    private static final UnflakeSlot PROPERTIES = new UnflakeSlot("java.lang.System", "props", ALWAYS);
    /** Since Java 9. */
    private static final UnflakeSlot PROPERTIES_MAP = new UnflakeSlot("java.util.Properties", "map", ALWAYS);
    private static final UnflakeSlot TABLE = new UnflakeSlot("java.util.Hashtable", "table", ALWAYS);
    private static final UnflakeSlot TABLE_NEXT = new UnflakeSlot("java.util.Hashtable$Entry", "next", ALWAYS);

    private static final String[] LOCALE_NAMES = {"default", "display", "format"};
    private static final UnflakeSlot[] LOCALES = {
        new UnflakeSlot("java.util.Locale", "defaultLocale", ALWAYS),
        new UnflakeSlot("java.util.Locale", "defaultDisplayLocale", ALWAYS),
        new UnflakeSlot("java.util.Locale", "defaultFormatLocale", ALWAYS),
    };
    private static final UnflakeSlot ZONE = new UnflakeSlot("java.util.TimeZone", "defaultTimeZone", ALWAYS);
    private static final UnflakeSlot ZONE_ID = new UnflakeSlot("java.util.TimeZone", "ID", ALWAYS);

    private static final UnflakeSlot THREAD_LOCALS = new UnflakeSlot("java.lang.Thread", "threadLocals", ALWAYS);
    private static final UnflakeSlot LOCALS_TABLE =
        new UnflakeSlot("java.lang.ThreadLocal$ThreadLocalMap", "table", ALWAYS);
    private static final UnflakeSlot LOCALS_VALUE =
        new UnflakeSlot("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value", ALWAYS);
    private static final UnflakeSlot SHUTDOWN = late(HOOKS, "hooks");
    private static final UnflakeSlot FILES_UNTIL_EXIT = late(EXIT_FILES, "files");
    private static final UnflakeSlot SET_MAP = new UnflakeSlot("java.util.HashSet", "map", ALWAYS);
    /** What a plain thread runs; since Java 19 it is kept aside. */
    private static final UnflakeSlot TARGET = new UnflakeSlot("java.lang.Thread", "target", ALWAYS);
    private static final UnflakeSlot HOLDER = new UnflakeSlot("java.lang.Thread", "holder", ALWAYS);
    private static final UnflakeSlot TASK = new UnflakeSlot("java.lang.Thread$FieldHolder", "task", ALWAYS);

    private static final UnflakeSlot PROVIDER_LIST = late(PROVIDERS, "providerList");
    private static final UnflakeSlot CONFIGS = part("sun.security.jca.ProviderList", "configs", PROVIDERS);
    private static final UnflakeSlot CONFIG_NAME = part("sun.security.jca.ProviderConfig", "provName", PROVIDERS);
    /** Up to Java 8. */
    private static final UnflakeSlot CONFIG_CLASS = part("sun.security.jca.ProviderConfig", "className", PROVIDERS);
    private static final UnflakeSlot CONFIG_PROVIDER = part("sun.security.jca.ProviderConfig", "provider", PROVIDERS);
    private static final UnflakeSlot PROVIDER_NAME = part("java.security.Provider", "name", PROVIDERS);
    private static final UnflakeSlot SECURITY_PROPERTIES = late(SECURITY, "props");

    private static final UnflakeSlot MANAGER = late(LOG_MANAGER, "manager");
    private static final UnflakeSlot LOG_CONTEXT = late(LOG_MANAGER, "userContext");
    private static final UnflakeSlot LOGGERS =
        part("java.util.logging.LogManager$LoggerContext", "namedLoggers", LOG_MANAGER);
    /** Since Java 9 a logger keeps its settings in an object of their own. */
    private static final UnflakeSlot LOGGER_CONFIG = part("java.util.logging.Logger", "config", LOG_MANAGER);
    private static final UnflakeSlot CONFIG_LEVEL =
        part("java.util.logging.Logger$ConfigurationData", "levelObject", LOG_MANAGER);
    private static final UnflakeSlot CONFIG_HANDLERS =
        part("java.util.logging.Logger$ConfigurationData", "handlers", LOG_MANAGER);
    private static final UnflakeSlot LOGGER_LEVEL = part("java.util.logging.Logger", "levelObject", LOG_MANAGER);
    private static final UnflakeSlot LOGGER_HANDLERS = part("java.util.logging.Logger", "handlers", LOG_MANAGER);
    private static final UnflakeSlot LEVEL_NAME = part("java.util.logging.Level", "name", LOG_MANAGER);

    private static final UnflakeSlot URL_FACTORY = late(URL, "factory");
    private static final UnflakeSlot URL_HANDLERS = late(URL, "handlers");
    private static final String[] DEFAULT_NAMES = {"ProxySelector", "CookieHandler", "ResponseCache", "Authenticator"};
    private static final UnflakeSlot[] DEFAULTS = {
        late("java.net.ProxySelector", "theProxySelector"), late("java.net.CookieHandler", "cookieHandler"),
        late("java.net.ResponseCache", "theResponseCache"), late("java.net.Authenticator", "theAuthenticator"),
    };

    private static final UnflakeSlot BEAN_SERVER = late(MANAGEMENT, "platformMBeanServer");
    private static final String BEAN_SERVER_CLASS = "com.sun.jmx.mbeanserver.JmxMBeanServer";
    private static final UnflakeSlot BEAN_INTERCEPTOR = part(BEAN_SERVER_CLASS, "mbsInterceptor", MANAGEMENT);
    private static final String INTERCEPTOR_CLASS = "com.sun.jmx.interceptor.DefaultMBeanServerInterceptor";
    private static final UnflakeSlot BEAN_REPOSITORY = part(INTERCEPTOR_CLASS, "repository", MANAGEMENT);
    private static final UnflakeSlot BEAN_DOMAINS =
        part("com.sun.jmx.mbeanserver.Repository", "domainTb", MANAGEMENT);
    /** What the JDK registers by itself. */
    private static final String[] OWN_DOMAINS = {
        "JMImplementation", "java.lang", "java.nio", "java.util.logging", "com.sun.management", "jdk.management",
        "jdk.management.jfr",
    };

    private static final UnflakeSlot VARIABLES = late(ENVIRONMENT, "theEnvironment");
    private static final UnflakeSlot VARIABLES_SHOWN = late(ENVIRONMENT, "theUnmodifiableEnvironment");
    private static final UnflakeSlot VARIABLE_TEXT =
        part("java.lang.ProcessEnvironment$ExternalData", "str", ENVIRONMENT);

    // Kinds. Those that are not a kind of state in the agent's protocol belong to one.
    private static final String PROPERTY = UnflakeCodes.CAPTURED_PROPERTY;
    private static final String SECURITY_PROPERTY = UnflakeCodes.CAPTURED_SECURITY_PROPERTY;
    private static final String LOCALE = UnflakeCodes.CAPTURED_LOCALE;
    private static final String TIMEZONE = UnflakeCodes.CAPTURED_TIMEZONE;
    private static final String STREAM = UnflakeCodes.CAPTURED_STREAM;
    private static final String EXCEPTION_HANDLER = UnflakeCodes.CAPTURED_EXCEPTION_HANDLER;
    private static final String SHUTDOWN_HOOK = UnflakeCodes.CAPTURED_SHUTDOWN_HOOK;
    private static final String THREAD = UnflakeCodes.CAPTURED_THREAD;
    private static final String THREAD_LOCAL = UnflakeCodes.CAPTURED_THREAD_LOCAL;
    private static final String PROVIDER = UnflakeCodes.CAPTURED_PROVIDER;
    private static final String LOG_LEVEL = UnflakeCodes.CAPTURED_LOG_LEVEL;
    private static final String LOG_HANDLER = UnflakeCodes.CAPTURED_LOG_HANDLER;
    private static final String URL_HANDLER = UnflakeCodes.CAPTURED_URL_HANDLER;
    private static final String NET_DEFAULT = UnflakeCodes.CAPTURED_NET_DEFAULT;
    private static final String BEAN = UnflakeCodes.CAPTURED_BEAN;
    private static final String VARIABLE = UnflakeCodes.CAPTURED_ENVIRONMENT;
    private static final String FILE_UNTIL_EXIT = UnflakeCodes.CAPTURED_FILE_UNTIL_EXIT;
    private static final String SEEN = UnflakeCodes.CAPTURED_SEEN;
    private static final String FAILED = UnflakeCodes.CAPTURED_FAILED;

    private static final String[] ALL = {
        PROPERTY, LOCALE, TIMEZONE, STREAM, EXCEPTION_HANDLER, SHUTDOWN_HOOK, THREAD, THREAD_LOCAL, PROVIDER,
        SECURITY_PROPERTY, LOG_LEVEL, URL_HANDLER, NET_DEFAULT, BEAN, VARIABLE, FILE_UNTIL_EXIT,
    };

    private static final int LONGEST_TEXT = 200;
    private static final int DEEPEST_DEFAULTS = 8;

    private static String[] found = new String[1024];
    private static int size;
    private static String[] last = new String[0];

    private UnflakeJvmState() {
    }

    /**
     * Triples of kind, name and value, in no particular order; {@code null}: they are those of the last call. The
     * thread-locals are those of the calling thread.
     */
    public static synchronized String[] capture() {
        UnflakeThread own = Unflake.thread();
        own.busy++;
        try {
            size = 0;
            loaded = UnflakeNative.loaded(LATE);
            for (int i = 0; i < ALL.length; i++) {
                int start = size;
                try {
                    one(ALL[i]);
                } catch (Throwable problem) {
                    // Another thread may be changing it at this moment.
                    size = start;
                    add(FAILED, ALL[i], "");
                }
            }
            if (size == last.length && isLast()) {
                return null;
            }
            last = Arrays.copyOf(found, size);
            return last;
        } catch (Throwable problem) {
            return null;
        } finally {
            own.busy--;
        }
    }

    private static boolean isLast() {
        for (int i = 0; i < size; i++) {
            if (found[i] != last[i] && !found[i].equals(last[i])) {
                return false;
            }
        }
        return true;
    }

    private static void one(String kind) {
        if (kind == PROPERTY) {
            properties(kind, (Properties) PROPERTIES.get());
        } else if (kind == LOCALE) {
            locales();
        } else if (kind == TIMEZONE) {
            zone();
        } else if (kind == STREAM) {
            add(kind, "in", identity(System.in));
            add(kind, "out", identity(System.out));
            add(kind, "err", identity(System.err));
        } else if (kind == EXCEPTION_HANDLER) {
            Object handler = Thread.getDefaultUncaughtExceptionHandler();
            if (handler != null) {
                add(kind, "default", identity(handler));
            }
        } else if (kind == SHUTDOWN_HOOK) {
            hooks();
        } else if (kind == THREAD) {
            threads();
        } else if (kind == THREAD_LOCAL) {
            threadLocals();
        } else if (kind == PROVIDER) {
            providers();
        } else if (kind == SECURITY_PROPERTY) {
            Object properties = SECURITY_PROPERTIES.get();
            if (properties != null) {
                add(SEEN, kind, "");
                properties(kind, (Properties) properties);
            }
        } else if (kind == LOG_LEVEL) {
            loggers();
        } else if (kind == URL_HANDLER) {
            urls();
        } else if (kind == NET_DEFAULT) {
            for (int i = 0; i < DEFAULTS.length; i++) {
                Object value = DEFAULTS[i].get();
                if (value != null) {
                    add(kind, DEFAULT_NAMES[i], identity(value));
                }
            }
        } else if (kind == BEAN) {
            beans();
        } else if (kind == VARIABLE) {
            environment();
        } else if (kind == FILE_UNTIL_EXIT) {
            filesUntilExit();
        }
    }

    // ---- Properties, locale, zone.

    private static void properties(String kind, Properties properties) {
        for (int depth = 0; properties != null && depth < DEEPEST_DEFAULTS; depth++) {
            Object map = PROPERTIES_MAP.of(properties);
            if (map instanceof ConcurrentHashMap) {
                Iterator<? extends Map.Entry<?, ?>> entries = ((ConcurrentHashMap<?, ?>) map).entrySet().iterator();
                while (entries.hasNext()) {
                    property(kind, entries.next());
                }
            } else {
                Object[] bins = (Object[]) TABLE.of(properties);
                for (int i = 0; i < bins.length; i++) {
                    for (Object entry = bins[i]; entry != null; entry = TABLE_NEXT.of(entry)) {
                        property(kind, (Map.Entry<?, ?>) entry);
                    }
                }
            }
            properties = properties.defaults;
        }
    }

    private static void property(String kind, Map.Entry<?, ?> entry) {
        add(kind, plain(entry.getKey()), plain(entry.getValue()));
    }

    /** A string itself, of all else the class. */
    private static String plain(Object value) {
        return value instanceof String ? (String) value : value == null ? "null" : value.getClass().getName();
    }

    private static final Locale[] SEEN_LOCALES = new Locale[LOCALES.length];
    private static final String[] LOCALE_TEXTS = new String[LOCALES.length];

    private static void locales() {
        for (int i = 0; i < LOCALES.length; i++) {
            Locale locale = (Locale) LOCALES[i].get();
            if (locale != null) {
                if (locale != SEEN_LOCALES[i]) {
                    LOCALE_TEXTS[i] = locale.toString();
                    SEEN_LOCALES[i] = locale;
                }
                add(LOCALE, LOCALE_NAMES[i], LOCALE_TEXTS[i]);
            }
        }
    }

    private static void zone() {
        Object zone = ZONE.get();
        if (zone != null) {
            Object id = ZONE_ID.of(zone);
            String name = id == null ? "null" : (String) id;
            String type = zone.getClass().getName();
            add(TIMEZONE, "default", type.startsWith("sun.util.") ? name : name.concat(", ").concat(type));
        }
    }

    // ---- Threads.

    private static void hooks() {
        Object hooks = SHUTDOWN.get();
        if (hooks instanceof IdentityHashMap) {
            Object[] table = ((IdentityHashMap<?, ?>) hooks).table;
            for (int i = 0; i < table.length; i += 2) {
                if (table[i] instanceof Thread) {
                    hook((Thread) table[i]);
                }
            }
        }
    }

    /** By the class of what it runs, if that is not its own; a lambda is its class's. */
    private static void hook(Thread hook) {
        Object target = TARGET.of(hook);
        if (target == null) {
            target = TASK.of(HOLDER.of(hook));
        }
        String name = hook.getName();
        Class<?> type = hook.getClass() == Thread.class && target != null ? target.getClass() : hook.getClass();
        String of = type.getName();
        int lambda = of.indexOf("$$Lambda");
        add(SHUTDOWN_HOOK, lambda < 0 ? of : of.substring(0, lambda), name == null ? "null" : name);
    }

    private static void threads() {
        Thread current = Thread.currentThread();
        Object[] threads = UnflakeNative.threads();
        long until = System.nanoTime() + (inVain < PATIENCE ? LAST_MOMENTS : LAST_MOMENTS / 10);
        long[] ids = new long[threads.length];
        int alive = 0;
        boolean inVainNow = false;
        for (int i = 0; i < threads.length; i++) {
            Thread thread = (Thread) threads[i];
            if (thread == current || thread.isDaemon()) {
                continue;
            }
            boolean isNew = !isKnown(thread.getId());
            if (isNew) {
                inVainNow |= !hasSettled(thread, until);
            }
            if (thread.isAlive()) {
                ids[alive++] = thread.getId();
                String name = thread.getName();
                add(THREAD, thread.getClass().getName(), name == null ? "null" : name);
            }
        }
        inVain += inVainNow ? 1 : 0;
        knownThreads = Arrays.copyOf(ids, alive);
    }

    /** A thread whose work is done, and waited for, may take so long to be gone, in nanoseconds. */
    private static final long LAST_MOMENTS = 30_000_000;
    /** After so many captures in vain the wait is short: where tests leave threads behind it is not worth the time. */
    private static final int PATIENCE = 20;
    /** So often seen waiting, a millisecond apart, it was not woken just now. */
    private static final int SETTLED = 3;
    private static int inVain;
    private static long[] knownThreads = {};

    private static boolean isKnown(long id) {
        for (int i = 0; i < knownThreads.length; i++) {
            if (knownThreads[i] == id) {
                return true;
            }
        }
        return false;
    }

    /** Waits until a thread has ended, or waits for somebody to wake it, which nobody may do; false: for too long. */
    private static boolean hasSettled(Thread thread, long until) {
        int waiting = 0;
        while (thread.isAlive() && waiting < SETTLED) {
            if (System.nanoTime() - until >= 0) {
                return false;
            }
            waiting = thread.getState() == Thread.State.WAITING ? waiting + 1 : 0;
            try {
                Thread.sleep(1);
            } catch (InterruptedException forTheTest) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private static void threadLocals() {
        Object map = THREAD_LOCALS.of(Thread.currentThread());
        Object[] table = (Object[]) LOCALS_TABLE.of(map);
        for (int i = 0; table != null && i < table.length; i++) {
            Object key = table[i] == null ? null : ((Reference<?>) table[i]).get();
            Object value = key == null ? null : LOCALS_VALUE.of(table[i]);
            if (key == null || value == null) {
                // One that was only asked for holds null, as one that was not.
                continue;
            }
            if (UnflakeHeap.watching) {
                // Test frameworks and libraries have their own; what a test can find again hangs on a root.
                int root = UnflakeHeap.rootOf(key);
                if (root >= 0) {
                    add(THREAD_LOCAL, "root ".concat(Integer.toString(root)), text(value));
                }
            } else if (!isOfTheJdk(key.getClass(), value)) {
                add(THREAD_LOCAL, key.getClass().getName(), text(value));
            }
        }
    }

    /** The JDK's thread-locals are of classes of their own, or hold what only it knows. */
    private static boolean isOfTheJdk(Class<?> key, Object value) {
        String type = key.getName();
        if (key.getClassLoader() == null && key != ThreadLocal.class && key != InheritableThreadLocal.class
            && !type.equals("java.lang.ThreadLocal$SuppliedThreadLocal")) {
            return true;
        }
        if (value == null || key.getClassLoader() != null) {
            return false;
        }
        Class<?> of = value.getClass();
        String name = of.getName();
        return of.getClassLoader() == null && (value instanceof Reference || name.startsWith("sun.")
            || name.startsWith("jdk.") || name.startsWith("com.sun.") || name.startsWith("java.util.Unflake"));
    }

    /** The class of a value and, if no code of the project is needed for it, what it says. */
    private static String text(Object value) {
        if (value == null) {
            return "null";
        }
        Class<?> type = value.getClass();
        String name = type.getName();
        String text;
        if (type == String.class) {
            text = "\"".concat((String) value).concat("\"");
        } else if (type == Integer.class || type == Long.class || type == Boolean.class || type == Double.class
            || type == Character.class || type == Short.class || type == Byte.class || type == Float.class) {
            text = value.toString();
        } else if (value instanceof Enum) {
            text = ((Enum<?>) value).name();
        } else if (type == ArrayList.class || type == LinkedList.class || type == ArrayDeque.class
            || type == HashSet.class || type == Stack.class || type == Vector.class) {
            text = sized(((Collection<?>) value).size());
        } else if (type == HashMap.class || type == LinkedHashMap.class || type == TreeMap.class) {
            text = sized(((Map<?, ?>) value).size());
        } else {
            return name;
        }
        return name.concat(" ").concat(text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT));
    }

    private static String sized(int size) {
        return "of size ".concat(Integer.toString(size));
    }

    // ---- Security.

    private static void providers() {
        Object list = PROVIDER_LIST.get();
        Object[] configs = (Object[]) CONFIGS.of(list);
        if (configs == null) {
            return;
        }
        add(SEEN, PROVIDER, "");
        for (int i = 0; i < configs.length; i++) {
            Object provider = CONFIG_PROVIDER.of(configs[i]);
            String type = provider == null ? "" : provider.getClass().getName();
            boolean known = provider == null || type.startsWith("sun.") || type.startsWith("com.sun.")
                || type.startsWith("jdk.") || type.startsWith("org.jcp.") || type.startsWith("apple.");
            Object name = CONFIG_NAME.of(configs[i]);
            if (name == null) {
                name = known ? CONFIG_CLASS.of(configs[i]) : PROVIDER_NAME.of(provider);
            }
            String place = Integer.toString(i + 1);
            // Whether the JDK has made one of its own yet is not to be seen.
            add(PROVIDER, plain(name), known ? place : place.concat(" ").concat(type));
        }
    }

    // ---- Logging.

    private static void loggers() {
        Object loggers = LOGGERS.of(LOG_CONTEXT.of(MANAGER.get()));
        if (loggers instanceof ConcurrentHashMap) {
            Iterator<? extends Map.Entry<?, ?>> entries = ((ConcurrentHashMap<?, ?>) loggers).entrySet().iterator();
            while (entries.hasNext()) {
                logger(entries.next());
            }
        } else if (loggers instanceof Hashtable) {
            Object[] bins = (Object[]) TABLE.of(loggers);
            for (int i = 0; i < bins.length; i++) {
                for (Object entry = bins[i]; entry != null; entry = TABLE_NEXT.of(entry)) {
                    logger((Map.Entry<?, ?>) entry);
                }
            }
        }
    }

    private static void logger(Map.Entry<?, ?> entry) {
        Object logger = ((Reference<?>) entry.getValue()).get();
        if (logger == null) {
            return;
        }
        Object config = LOGGER_CONFIG.of(logger);
        Object level = config == null ? LOGGER_LEVEL.of(logger) : CONFIG_LEVEL.of(config);
        String name = plain(entry.getKey());
        // One that is not there any more was collected; one without a level still is.
        add(LOG_LEVEL, name, level == null ? "" : plain(LEVEL_NAME.of(level)));
        Object handlers = config == null ? LOGGER_HANDLERS.of(logger) : CONFIG_HANDLERS.of(config);
        if (name.isEmpty() && handlers instanceof CopyOnWriteArrayList) {
            Object[] all = ((CopyOnWriteArrayList<?>) handlers).toArray();
            for (int i = 0; i < all.length; i++) {
                add(LOG_HANDLER, name, all[i].getClass().getName());
            }
        }
    }

    // ---- The network, beans, the environment.

    private static void urls() {
        Object factory = URL_FACTORY.get();
        if (factory != null) {
            add(URL_HANDLER, "", identity(factory));
        }
        Object handlers = URL_HANDLERS.get();
        if (handlers instanceof Hashtable) {
            Object[] bins = (Object[]) TABLE.of(handlers);
            for (int i = 0; i < bins.length; i++) {
                for (Object entry = bins[i]; entry != null; entry = TABLE_NEXT.of(entry)) {
                    Map.Entry<?, ?> handler = (Map.Entry<?, ?>) entry;
                    add(URL_HANDLER, plain(handler.getKey()), handler.getValue().getClass().getName());
                }
            }
        }
    }

    private static void beans() {
        Object server = BEAN_SERVER.get();
        if (server == null || !server.getClass().getName().equals(BEAN_SERVER_CLASS)) {
            return;
        }
        Object interceptor = BEAN_INTERCEPTOR.of(server);
        if (interceptor == null || !interceptor.getClass().getName().equals(INTERCEPTOR_CLASS)) {
            return;
        }
        Object domains = BEAN_DOMAINS.of(BEAN_REPOSITORY.of(interceptor));
        HashMap.Node<?, ?>[] table = domains instanceof HashMap ? ((HashMap<?, ?>) domains).table : null;
        for (int i = 0; table != null && i < table.length; i++) {
            for (HashMap.Node<?, ?> domain = table[i]; domain != null; domain = domain.next) {
                if (!isOwn((String) domain.key) && domain.value instanceof HashMap) {
                    beans((String) domain.key, ((HashMap<?, ?>) domain.value).table);
                }
            }
        }
    }

    private static void beans(String domain, HashMap.Node<?, ?>[] table) {
        for (int i = 0; table != null && i < table.length; i++) {
            for (HashMap.Node<?, ?> bean = table[i]; bean != null; bean = bean.next) {
                add(BEAN, domain.concat(":").concat((String) bean.key), "registered");
            }
        }
    }

    private static boolean isOwn(String domain) {
        for (int i = 0; i < OWN_DOMAINS.length; i++) {
            if (OWN_DOMAINS[i].equals(domain)) {
                return true;
            }
        }
        return false;
    }

    private static void environment() {
        Object map = VARIABLES.get();
        if (!(map instanceof HashMap)) {
            return;
        }
        add(SEEN, VARIABLE, "");
        variables(((HashMap<?, ?>) map).table, true);
        // Some put a map of their own in its place by force.
        Object shown = VARIABLES_SHOWN.get();
        if (shown != null && shown.getClass() == HashMap.class) {
            variables(((HashMap<?, ?>) shown).table, false);
        }
    }

    private static void variables(HashMap.Node<?, ?>[] table, boolean wrapped) {
        for (int i = 0; table != null && i < table.length; i++) {
            for (HashMap.Node<?, ?> variable = table[i]; variable != null; variable = variable.next) {
                add(VARIABLE, plain(wrapped ? VARIABLE_TEXT.of(variable.key) : variable.key),
                    plain(wrapped ? VARIABLE_TEXT.of(variable.value) : variable.value));
            }
        }
    }

    /** Files that are deleted when the JVM ends. */
    private static void filesUntilExit() {
        Object files = FILES_UNTIL_EXIT.get();
        Object map = files instanceof HashSet ? SET_MAP.of(files) : null;
        HashMap.Node<?, ?>[] table = map instanceof HashMap ? ((HashMap<?, ?>) map).table : null;
        for (int i = 0; table != null && i < table.length; i++) {
            for (HashMap.Node<?, ?> file = table[i]; file != null; file = file.next) {
                add(FILE_UNTIL_EXIT, plain(file.key), "");
            }
        }
    }

    // ---- Identities: objects that were seen, numbered as they came. Not by hashes, each of which would shift the
    // next.

    private static WeakReference<?>[] objects = new WeakReference<?>[16];
    private static String[] texts = new String[16];
    private static int objectCount;
    private static int nextNumber = 1;

    /** The object's class and which object of those seen it is. */
    private static String identity(Object object) {
        if (object == null) {
            return "null";
        }
        for (int i = objectCount - 1; i >= 0; i--) {
            if (objects[i].get() == object) {
                return texts[i];
            }
        }
        if (objectCount == objects.length) {
            makeRoom();
        }
        String text = object.getClass().getName().concat(" #").concat(Integer.toString(nextNumber++));
        objects[objectCount] = new WeakReference<Object>(object);
        texts[objectCount++] = text;
        return text;
    }

    private static void makeRoom() {
        int kept = 0;
        for (int i = 0; i < objectCount; i++) {
            if (objects[i].get() != null) {
                objects[kept] = objects[i];
                texts[kept++] = texts[i];
            }
        }
        if (kept > objects.length / 2) {
            objects = Arrays.copyOf(objects, 2 * objects.length);
            texts = Arrays.copyOf(texts, 2 * texts.length);
        }
        objectCount = kept;
    }

    private static void add(String kind, String name, String value) {
        if (size + 3 > found.length) {
            found = Arrays.copyOf(found, 2 * found.length);
        }
        found[size++] = kind;
        found[size++] = name;
        found[size++] = value;
    }

    private static UnflakeSlot late(String type, String name) {
        return part(type, name, type);
    }

    /** A field of a class that is used by another one, which need not be loaded. */
    private static UnflakeSlot part(String type, String name, String of) {
        for (int i = 0; i < LATE.length; i++) {
            if (LATE[i].equals(of)) {
                return new UnflakeSlot(type, name, i);
            }
        }
        throw new IllegalArgumentException(of);
    }
}
