//! Captures as lines of text: `kind | name | value`.

use super::*;

fn captured(text: &str) -> Vec<Captured> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let mut parts = line.splitn(3, '|').map(|part| part.trim().to_owned());
            let mut next = || parts.next().unwrap_or_default();
            (CapturedKind::from_name(&next()).unwrap(), next(), next())
        })
        .collect()
}

/// `path: old -> new (form)`.
#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    let lines: Vec<String> = differences(&captured(before), &captured(after))
        .into_iter()
        .map(|change| {
            let text = |value: Option<Shown>| value.map_or_else(|| "-".into(), |value| value.text);
            format!(
                "{}: {} -> {} ({:?})",
                change.path,
                text(change.old),
                text(change.new),
                change.form
            )
        })
        .collect();
    assert_eq!(lines, expected);
}

fn root(kind: CapturedKind, name: &str, value: &str) -> String {
    change(kind, name, None, Some(value)).unwrap().root
}

#[test]
fn properties_are_set_changed_and_removed() {
    check(
        "property|a|1
         property|b|x
         property|c|x
         property|same|s",
        "property|a|2
         property|b|y
         property|d|x
         property|same|s",
        &[
            "System.getProperty(\"a\"): 1 -> 2 (Increased)",
            "System.getProperty(\"b\"): x -> y (Replaced)",
            "System.getProperty(\"c\"): x -> - (Removed)",
            "System.getProperty(\"d\"): - -> x (FirstSet)",
        ],
    );
    assert_eq!(root(CapturedKind::Property, "a.b", "1"), "a.b");
    assert_eq!(
        root(CapturedKind::SecurityProperty, "a.b", "1"),
        "Security.getProperty(\"a.b\")"
    );
}

#[test]
fn a_property_comes_before_its_default() {
    check("property|a|own\nproperty|a|default", "property|a|own", &[]);
}

#[test]
fn the_order_of_a_capture_means_nothing() {
    let one = "thread|T|a\nthread|T|b\nproperty|a|1\nproperty|b|1";
    let other = "property|b|1\nthread|T|b\nproperty|a|1\nthread|T|a";
    check(one, other, &[]);
}

#[test]
fn a_locale_is_one_change_unless_its_categories_differ() {
    let english = "locale|default|en_US\nlocale|display|en_US\nlocale|format|en_US";
    let german = "locale|default|de_DE\nlocale|display|de_DE\nlocale|format|de_DE";
    check(
        english,
        german,
        &["Locale.getDefault(): en_US -> de_DE (Replaced)"],
    );
    check("locale|default|en_US", english, &[]);
    // Not asked for before.
    let started = "property|user.language|en\nproperty|user.country|US\nproperty|user.language.format|fr";
    check(started, &format!("{started}\n{english}"), &[]);
    check(
        started,
        &format!("{started}\nlocale|default|en_US\nlocale|format|fr_US"),
        &[],
    );
    check(
        started,
        &format!("{started}\n{german}"),
        &["Locale.getDefault(): - -> de_DE (FirstSet)"],
    );
    check(
        english,
        "locale|default|en_US\nlocale|display|en_US\nlocale|format|de_DE",
        &["Locale.getDefault(Locale.Category.FORMAT): en_US -> de_DE (Replaced)"],
    );
}

#[test]
fn a_zone_asked_for_the_first_time_is_no_change() {
    check(
        "property|user.timezone|",
        "property|user.timezone|UTC\ntimezone|default|UTC",
        &[],
    );
    check("", "property|user.timezone|UTC\ntimezone|default|UTC", &[]);
    check(
        "property|user.timezone|",
        "property|user.timezone|\ntimezone|default|Asia/Tokyo",
        &["TimeZone.getDefault(): - -> Asia/Tokyo (FirstSet)"],
    );
    check(
        "timezone|default|UTC",
        "timezone|default|Asia/Tokyo",
        &["TimeZone.getDefault(): UTC -> Asia/Tokyo (Replaced)"],
    );
}

#[test]
fn streams_and_handlers_are_told_by_class_or_as_another() {
    check(
        "stream|out|java.io.PrintStream #1\nstream|err|java.io.PrintStream #2",
        "stream|out|java.io.PrintStream #3\nstream|err|a.Tee #4\nexception-handler|default|a.H #5",
        &[
            "System.err: java.io.PrintStream -> a.Tee (Replaced)",
            "System.out: java.io.PrintStream -> another java.io.PrintStream (Replaced)",
            "Thread.getDefaultUncaughtExceptionHandler(): - -> a.H (FirstSet)",
        ],
    );
}

#[test]
fn threads_that_came_count_and_those_that_ended_do_not() {
    check(
        "thread|java.lang.Thread|main\nthread|java.lang.Thread|old",
        "thread|java.lang.Thread|main\nthread|java.lang.Thread|pool-3-thread-1\nthread|a.Worker|w",
        &[
            "Thread[\"pool-3-thread-1\"]: - -> alive (Grown)",
            "a.Worker[\"w\"]: - -> alive (Grown)",
        ],
    );
    assert_eq!(
        root(CapturedKind::Thread, "java.lang.Thread", "pool-3-thread-1"),
        "Thread[\"pool-*-thread-*\"]"
    );
}

#[test]
fn a_hook_is_added_and_removed() {
    check(
        "shutdown-hook|java.lang.Thread|Thread-1",
        "shutdown-hook|a.Hook|Thread-2",
        &[
            "Runtime.getRuntime().addShutdownHook(Thread[\"Thread-1\"]): registered -> - (Removed)",
            "Runtime.getRuntime().addShutdownHook(a.Hook[\"Thread-2\"]): - -> registered (Grown)",
        ],
    );
}

#[test]
fn thread_locals_are_set_changed_and_removed() {
    check(
        "thread-local|java.lang.ThreadLocal|java.lang.Integer 1
         thread-local|a.Holder$1|a.Context
         thread-local|field a.b.Session.user|\"x\"
         thread-local|java.lang.ThreadLocal|java.lang.String \"same\"",
        "thread-local|java.lang.ThreadLocal|java.lang.Integer 2
         thread-local|java.lang.ThreadLocal|java.lang.String \"same\"
         thread-local|java.lang.ThreadLocal$SuppliedThreadLocal|java.util.ArrayList of size 1",
        &[
            "Session.user.get(): \"x\" -> - (Removed)",
            "ThreadLocal<java.lang.Integer>: java.lang.Integer 1 -> java.lang.Integer 2 (Increased)",
            "ThreadLocal<java.util.ArrayList>: - -> java.util.ArrayList of size 1 (FirstSet)",
            "a.Holder$1: a.Context -> - (Removed)",
        ],
    );
}

#[test]
fn a_provider_that_comes_first_is_one_change() {
    let before = "seen|provider|\nprovider|SUN|1\nprovider|SunJCE|2";
    check(
        before,
        "seen|provider|\nprovider|BC|1 org.bc.Provider\nprovider|SUN|2\nprovider|SunJCE|3",
        &["Security.getProvider(\"BC\"): - -> org.bc.Provider (Grown)"],
    );
    check(
        before,
        "seen|provider|\nprovider|SunJCE|1\nprovider|SUN|2",
        &["Security.getProviders(): SUN, SunJCE -> SunJCE, SUN (Replaced)"],
    );
    check(
        before,
        "seen|provider|\nprovider|SUN|1",
        &["Security.getProvider(\"SunJCE\"): SunJCE -> - (Removed)"],
    );
    // Used for the first time: the JDK's are as configured, a foreign one is not.
    check("", before, &[]);
    check(
        "",
        "seen|provider|\nprovider|SUN|1\nprovider|BC|2 org.bc.Provider",
        &["Security.getProvider(\"BC\"): - -> org.bc.Provider (Grown)"],
    );
}

#[test]
fn log_levels_of_loggers_that_live() {
    check(
        "log-level|a|\nlog-level|b|FINE\nlog-level|gone|INFO\nlog-level||INFO",
        "log-level|a|OFF\nlog-level|b|\nlog-level|new|\nlog-level|loud|ALL\nlog-level||WARNING",
        &[
            "Logger.getLogger(\"\").getLevel(): INFO -> WARNING (Replaced)",
            "Logger.getLogger(\"a\").getLevel(): null -> OFF (Replaced)",
            "Logger.getLogger(\"b\").getLevel(): FINE -> null (Replaced)",
            "Logger.getLogger(\"loud\").getLevel(): - -> ALL (FirstSet)",
        ],
    );
    check("", "log-level||INFO\nlog-level|a|", &[]);
    check("", "log-handler||java.util.logging.ConsoleHandler", &[]);
    check(
        "log-handler||java.util.logging.ConsoleHandler",
        "log-handler||java.util.logging.ConsoleHandler\nlog-handler||a.H",
        &[
            "Logger.getLogger(\"\").getHandlers(): java.util.logging.ConsoleHandler -> a.H, java.util.logging.ConsoleHandler (Replaced)",
        ],
    );
}

#[test]
fn handlers_and_defaults_of_the_network() {
    check(
        "",
        "url-handler||a.F #1
         url-handler|http|sun.net.www.protocol.http.Handler
         net-default|ProxySelector|sun.net.spi.DefaultProxySelector #2
         net-default|CookieHandler|java.net.CookieManager #3",
        &[
            "CookieHandler.getDefault(): - -> java.net.CookieManager (FirstSet)",
            "URL.factory: - -> a.F (FirstSet)",
            "URL.handlers[\"http\"]: - -> sun.net.www.protocol.http.Handler (FirstSet)",
        ],
    );
}

#[test]
fn beans_are_registered_and_removed() {
    check(
        "bean|a:type=X|registered",
        "bean|a:type=Y|registered",
        &[
            "ManagementFactory.getPlatformMBeanServer()[\"a:type=X\"]: registered -> - (Removed)",
            "ManagementFactory.getPlatformMBeanServer()[\"a:type=Y\"]: - -> registered (Grown)",
        ],
    );
}

#[test]
fn the_environment_is_compared_with_the_process_when_first_seen() {
    let after = "seen|environment|\nenvironment|HOME|/h\nenvironment|X|1";
    check("", after, &[]);
    let home = [("HOME".to_owned(), "/h".to_owned())];
    let before = with_environment(Vec::new(), || home.clone().into_iter());
    let changes = differences(&before, &captured(after));
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].path, "System.getenv(\"X\")");
    assert_eq!(with_environment(before.clone(), || home.into_iter()), before);
    // Not looked at yet: nothing has changed.
    assert_eq!(differences(&before, &[]), []);
}

#[test]
fn what_could_not_be_read_is_not_compared() {
    check("thread|T|a\nproperty|a|1", "failed|property|\nthread|T|a", &[]);
    check("failed|property|", "property|a|1", &[]);
}

#[test]
fn roots_do_not_differ_from_run_to_run() {
    assert_eq!(
        root(CapturedKind::ThreadLocal, "a.B$$Lambda$14/0x0000000800c3", "x"),
        "a.B$$Lambda"
    );
    assert_eq!(
        root(CapturedKind::ThreadLocal, "a.B$$Lambda/0x00007f.1a+4", "x"),
        "a.B$$Lambda"
    );
    assert_eq!(root(CapturedKind::Thread, "a.W", "w-12-3"), "a.W[\"w-*-*\"]");
    assert_eq!(root(CapturedKind::Property, "log4j2", "x"), "log4j2");
    assert_eq!(root(CapturedKind::Environment, "A1", "x"), "A1");
}

#[test]
fn long_values_are_cut() {
    let long = "x".repeat(300);
    let change = change(CapturedKind::Property, "a", None, Some(&long)).unwrap();
    assert_eq!(change.new.unwrap().text.chars().count(), LONGEST + 1);
}

#[test]
fn texts_come_in_threes() {
    let texts = ["bean", "b", "c", "bean"]
        .map(|text| Some(text.to_owned()))
        .to_vec();
    assert_eq!(triples(texts), [(CapturedKind::Bean, "b".into(), "c".into())]);
}

#[test]
fn a_copy_of_the_environment_is_one_change() {
    check(
        "property|user.dir|a",
        "property|user.dir|a\nproperty|env.HOME|/root\nproperty|env.PATH|/bin",
        &["System.getProperty(\"env.HOME\"): - -> /root (FirstSet)"],
    );
}
