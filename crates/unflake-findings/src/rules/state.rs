//! What the rules about state and orders mean, why each is dangerous, and how to repair what they find by hand.

/// One rule, or (where it ends in 00) a whole family.
pub struct StateRule {
    pub rule: &'static str,
    pub name: &'static str,
    /// What was seen.
    pub meaning: &'static str,
    /// What it does to other tests.
    pub danger: &'static str,
    /// How to write it instead.
    pub repair: &'static str,
    pub examples: &'static [Example],
}

/// A piece of Java under its heading.
pub struct Example {
    pub heading: &'static str,
    pub java: &'static str,
}

/// The rule of this name, in upper or lower case.
pub fn state_rule(rule: &str) -> Option<&'static StateRule> {
    STATE_RULES.iter().find(|one| one.rule.eq_ignore_ascii_case(rule))
}

/// All of them, in the order of their names.
pub static STATE_RULES: &[StateRule] = &[
    StateRule {
        rule: "UF200",
        name: "the heap is left changed",
        meaning: "After the test, something that static fields lead to is not as it was before. Objects that were replaced by \
                  equal ones do not count, nor does what a class's own initialiser writes.",
        danger: "All tests of a JVM share the heap: which of them pass then depends on which ran before.",
        repair: "Put back in the tear-down what the test changes, or let the code take what it needs as an argument, so that \
                 nothing has to be shared.",
        examples: &[],
    },
    StateRule {
        rule: "UF201",
        name: "a static field has another value",
        meaning: "The test, or code that it calls, assigned a static field and did not assign the old value again.",
        danger: "Every later test that reads the field sees the value of this one. Run alone, or in another order, it sees the \
                 initial one.",
        repair: "Keep the old value in the set-up and assign it in the tear-down, which runs also when the test fails.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private Clock before;

@BeforeEach void keepClock() { before = Shop.clock; }
@AfterEach void restoreClock() { Shop.clock = before; }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"private Clock before;

@Before public void keepClock() { before = Shop.clock; }
@After public void restoreClock() { Shop.clock = before; }"#,
            },
        ],
    },
    StateRule {
        rule: "UF202",
        name: "a collection behind a static field is changed",
        meaning: "Elements or entries of a collection, map or array that a static field leads to were added, removed or replaced.",
        danger: "Later tests find elements that they did not put there, or miss some: counts, registrations and look-ups by name \
                 go wrong.",
        repair: "Remove in the tear-down what the test added; better, let each test have a collection of its own.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@AfterEach void unregister() {
    Registry.INSTANCE.remove("poison");
}"#,
            },
            Example {
                heading: "JUnit 4, where the test cannot know what was added",
                java: r#"private Map<String, Effect> before;

@Before public void keep() { before = new HashMap<>(Registry.byName()); }
@After public void restore() {
    Registry.byName().clear();
    Registry.byName().putAll(before);
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF203",
        name: "an object behind a static field is changed",
        meaning: "A field of an object that a static field leads to, such as a singleton or an entry of a registry, has another \
                  value after the test.",
        danger: "The object looks like the same one to every later test, and behaves differently.",
        repair: "Restore the object in the tear-down, or give the test an object of its own instead of the shared one.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@AfterEach void restore() {
    Settings.instance().setTimeout(Settings.DEFAULT_TIMEOUT);
}"#,
            },
            Example {
                heading: "JUnit 4, without the singleton",
                java: r#"Settings settings = new Settings();            // not Settings.instance()
settings.setTimeout(5);
new Client(settings).connect();"#,
            },
        ],
    },
    StateRule {
        rule: "UF204",
        name: "the shared test instance is changed",
        meaning: "The framework makes one test instance for several tests (`@TestInstance(PER_CLASS)`, the outer instances of \
                  `@Nested` classes, TestNG), and a test left a field of it changed.",
        danger: "The tests of the class no longer start from the same state: moving, adding or skipping one breaks others.",
        repair: "Give the fields their values in the set-up of each test, or let the framework make an instance per test.",
        examples: &[
            Example {
                heading: "JUnit 5, one instance for all tests",
                java: r#"private List<Order> orders;

@BeforeEach void startEmpty() { orders = new ArrayList<>(); }"#,
            },
            Example {
                heading: "JUnit 5, or an instance for each",
                java: r#"@TestInstance(TestInstance.Lifecycle.PER_METHOD)   // the default
class OrderTest { private final List<Order> orders = new ArrayList<>(); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF205",
        name: "captured when a class was initialised",
        meaning: "A static initialiser read something that a test had set at that moment (a time zone, a property, a stream) and \
                  keeps it. The test may have put its own change back: the copy stays.",
        danger: "Which value is kept depends on which test loads the class first, so failures come and go with the order of tests \
                 and cannot be seen by comparing before and after.",
        repair: "Read the value when it is needed instead of once; or set it before the first test, for all tests alike.",
        examples: &[
            Example {
                heading: "Before",
                java: r#"static final DateFormat FORMAT = new SimpleDateFormat("HH:mm");   // today's zone, for good"#,
            },
            Example {
                heading: "After",
                java: r#"static DateFormat format() {
    return new SimpleDateFormat("HH:mm");
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF300",
        name: "files are left changed",
        meaning: "After the test, files below the working directory, the temporary directory or one that `unflake.toml` names are \
                  not as they were before. A file that was written anew with the same bytes does not count.",
        danger: "Files outlive the JVM: they disturb later tests, the next run, and other builds on the same machine.",
        repair: "Write into a temporary directory that the framework removes.",
        examples: &[],
    },
    StateRule {
        rule: "UF301",
        name: "a file is left behind",
        meaning: "The test creates a file or directory and does not remove it.",
        danger: "A test that lists the directory, or creates the same file, fails the next time. Temporary directories fill up.",
        repair: "Let the framework make the directory and remove it. `File.deleteOnExit` is too late: it works when the JVM ends.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@Test void exports(@TempDir Path directory) {
    export(directory.resolve("report.csv"));
}"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@Rule public TemporaryFolder folder = new TemporaryFolder();

@Test public void exports() throws IOException {
    export(folder.newFile("report.csv"));
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF302",
        name: "a file is changed",
        meaning: "The test changes a file that was there before, often a resource below `target/test-classes`.",
        danger: "Later tests read other contents than the ones under version control, until the next clean build.",
        repair: "Copy the file into a temporary directory and change the copy.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@Test void updates(@TempDir Path directory) throws IOException {
    Path copy = Files.copy(resource("shop.properties"), directory.resolve("shop.properties"));
    update(copy);
}"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@Rule public TemporaryFolder folder = new TemporaryFolder();

@Test public void updates() throws IOException {
    Path directory = folder.getRoot().toPath();
    update(Files.copy(resource("shop.properties"), directory.resolve("shop.properties")));
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF303",
        name: "a file is deleted",
        meaning: "The test deletes a file or directory that was there before.",
        danger: "Tests that need it pass before this one and fail after it; run twice, this one may fail itself.",
        repair: "Delete a copy in a temporary directory, or create in the set-up what the test is going to delete.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@Test void removes(@TempDir Path directory) throws IOException {
    Path old = Files.createFile(directory.resolve("old.log"));
    cleaner.run(directory);
    assertFalse(Files.exists(old));
}"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@Rule public TemporaryFolder folder = new TemporaryFolder();

@Test public void removes() throws IOException {
    File old = folder.newFile("old.log");
    cleaner.run(folder.getRoot());
    assertFalse(old.exists());
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF400",
        name: "state of the JVM is left changed",
        meaning: "After the test, something that the whole JVM has once is not as it was before: properties, locale, streams, \
                  threads, handlers.",
        danger: "It reaches every later test in the JVM, also those that never heard of the code under test.",
        repair: "Keep the old value before the test and set it again in the tear-down.",
        examples: &[],
    },
    StateRule {
        rule: "UF401",
        name: "a system property is changed",
        meaning: "The test sets or removes a system property and does not put it back.",
        danger: "Every later test runs with it, and so does every library that reads it for the first time.",
        repair: "Keep the old value and set it again; a property that was not there is removed, not set to an empty text.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private final String before = System.getProperty("shop.mode");

@AfterEach void restore() {
    if (before == null) System.clearProperty("shop.mode");
    else System.setProperty("shop.mode", before);
}"#,
            },
            Example {
                heading: "JUnit 4, all properties at once",
                java: r#"private final Properties before = (Properties) System.getProperties().clone();

@After public void restore() { System.setProperties(before); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF402",
        name: "the default locale or time zone is changed",
        meaning: "The test sets the default locale or time zone and does not set the old one again.",
        danger: "Formats, parsing and upper case of all later tests follow it; classes that are loaded meanwhile keep it for good.",
        repair: "Pass locale and zone as arguments; where the default itself is tested, restore it.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private final Locale locale = Locale.getDefault();
private final TimeZone zone = TimeZone.getDefault();

@AfterEach void restore() { Locale.setDefault(locale); TimeZone.setDefault(zone); }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"private final TimeZone zone = TimeZone.getDefault();

@After public void restore() { TimeZone.setDefault(zone); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF403",
        name: "a standard stream is replaced",
        meaning: "The test replaces `System.out`, `System.err` or `System.in` and leaves its own stream there.",
        danger: "What later tests print is lost or lands in this test's buffer; a logging library that starts meanwhile keeps it.",
        repair: "Set the old stream again in the tear-down, or let the code under test take a stream as an argument.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private final PrintStream out = System.out;

@AfterEach void restore() { System.setOut(out); }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"private final PrintStream out = System.out;

@After public void restore() { System.setOut(out); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF404",
        name: "a thread goes on running",
        meaning: "The test starts a thread, directly or through an executor, a timer or a server, and it is alive after the test.",
        danger: "It goes on to change state while other tests run, holds ports and files, and may keep the JVM from ending.",
        repair: "Close what started the thread, and wait until it has ended.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private final ExecutorService pool = Executors.newFixedThreadPool(2);

@AfterEach void stop() throws InterruptedException {
    pool.shutdownNow();
    assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
}"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@After public void stop() throws Exception {
    server.close();
    server.join();
}"#,
            },
        ],
    },
    StateRule {
        rule: "UF405",
        name: "a thread-local of the test thread is changed",
        meaning: "The test, or code that it calls, sets a `ThreadLocal` and does not remove the value.",
        danger: "The framework runs the next test on the same thread: it sees this one's user, transaction or context.",
        repair: "Remove the value in the tear-down, or set it in `try` and remove it in `finally`.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@AfterEach void forget() { CurrentUser.HOLDER.remove(); }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@After public void forget() { CurrentUser.HOLDER.remove(); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF406",
        name: "something is left registered with the JVM",
        meaning: "A security provider, an uncaught-exception handler, a shutdown hook, a URL stream handler or a JMX bean was \
                  registered, replaced or removed, and that was not undone.",
        danger: "Registering the same again fails or is ignored, and what is registered keeps the test's objects alive.",
        repair: "Undo it in the tear-down. A factory of URL stream handlers can be set once per JVM: set it for all tests, or \
                 pass a handler to the constructor of `URL`.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@AfterEach void unregister() throws JMException {
    ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    Security.removeProvider("Shop");
}"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"private final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();

@After public void restore() { Thread.setDefaultUncaughtExceptionHandler(before); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF407",
        name: "the level of a logger is changed",
        meaning: "The test sets the level of a `java.util.logging.Logger` and does not put it back.",
        danger: "Later tests that look at what was logged find too much or too little.",
        repair: "Keep the old level, which may be null, and set it again.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"private static final Logger LOGGER = Logger.getLogger("shop");
private final Level before = LOGGER.getLevel();

@AfterEach void restore() { LOGGER.setLevel(before); }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"private static final Logger LOGGER = Logger.getLogger("shop");
private final Level before = LOGGER.getLevel();

@After public void restore() { LOGGER.setLevel(before); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF408",
        name: "the environment is changed",
        meaning: "The test changes environment variables of the running JVM, which only reflection or a library that uses it can do.",
        danger: "Later tests, and every process that they start, see the changed variables; newer JDKs forbid the trick.",
        repair: "Let the code read its settings through an interface that a test can replace; for child processes set the \
                 environment of the `ProcessBuilder`.",
        examples: &[
            Example {
                heading: "Before",
                java: r#"setEnvironmentByReflection("SHOP_HOME", "/tmp/shop");
assertEquals("/tmp/shop", new Shop().home());"#,
            },
            Example {
                heading: "After",
                java: r#"Map<String, String> environment = Map.of("SHOP_HOME", "/tmp/shop");
assertEquals("/tmp/shop", new Shop(environment::get).home());"#,
            },
        ],
    },
    StateRule {
        rule: "UF500",
        name: "the result depends on the order of tests",
        meaning: "The test passes in one order of the same tests and fails in another. Each order was run several times.",
        danger: "A renamed class, a new test, another JDK or a parallel build changes the order.",
        repair: "Make the test set up everything it needs, and clean up everything it changes.",
        examples: &[],
    },
    StateRule {
        rule: "UF501",
        name: "victim: fails after another test",
        meaning: "The test fails after the polluter that the report names, and passes without it: eight times of eight each, once \
                  with nothing but the two in the JVM.",
        danger: "It fails as soon as the polluter happens to run first, and its message points at code that is not to blame.",
        repair: "Repair the polluter if you can: it may have other victims. Otherwise let this test set the state that it needs. \
                 What the report calls cleaners shows how others reset it.",
        examples: &[
            Example {
                heading: "JUnit 5, in the polluter",
                java: r#"@AfterEach void reset() { Registry.INSTANCE.clear(); }"#,
            },
            Example {
                heading: "JUnit 4, in the victim",
                java: r#"@Before public void startFromKnownState() { Registry.INSTANCE.clear(); }"#,
            },
        ],
    },
    StateRule {
        rule: "UF502",
        name: "brittle: passes only after another test",
        meaning: "The test fails alone and passes after the setter that the report names.",
        danger: "It cannot be run alone or debugged, and fails as soon as the other test is moved, renamed or skipped.",
        repair: "Do in this test's set-up what the other one happens to do for it.",
        examples: &[
            Example {
                heading: "JUnit 5",
                java: r#"@BeforeEach void configure() { Shop.configure(defaults()); }"#,
            },
            Example {
                heading: "JUnit 4",
                java: r#"@Before public void configure() { Shop.configure(defaults()); }"#,
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_explained_and_shows_a_repair() {
        assert!(STATE_RULES.is_sorted_by(|a, b| a.rule < b.rule));
        for one in STATE_RULES {
            for text in [one.name, one.meaning, one.danger, one.repair] {
                assert!(!text.is_empty() && !text.contains("  "), "{}: {text}", one.rule);
            }
            let is_family = one.rule.ends_with("00");
            assert_eq!(one.examples.is_empty(), is_family, "{}", one.rule);
            for example in one.examples {
                assert!(example.java.lines().all(|line| line.len() <= 100), "{}", one.rule);
                assert!(example.java.lines().count() <= 9, "{} is not short", one.rule);
            }
        }
    }

    #[test]
    fn rules_are_found_in_any_case() {
        assert_eq!(state_rule("uf201").map(|one| one.rule), Some("UF201"));
        assert!(state_rule("UF101").is_none());
    }
}
