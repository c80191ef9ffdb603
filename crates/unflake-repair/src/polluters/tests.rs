//! What is proposed for one polluter, as text.

use super::*;
use crate::testing::{Case, TEST, case};

const JUPITER: &str =
    "package p;\n\nimport org.junit.jupiter.api.Test;\n\nclass ATest {\n  @Test\n  void a() {}\n}\n";
const JUNIT_4: &str = "package p;\n\nimport org.junit.After;\nimport org.junit.Test;\n\npublic class ATest {\n  \
                       @After\n  public void tearDown() {\n    stop();\n  }\n\n  @Test\n  public void a() {}\n}\n";
const JUNIT_3: &str = "package p;\n\nimport junit.framework.TestCase;\n\npublic class ATest extends TestCase {\n  public void testA() {}\n}\n";
const TEST_NG: &str = "package p;\n\nimport org.testng.annotations.Test;\n\npublic class ATest {\n  private int size;\n\n  \
                       @Test\n  public void a() {}\n}\n";

/// What a finding says.
#[derive(Clone, Copy)]
struct Said {
    state: StateKind,
    held_by: &'static str,
    path: &'static str,
    old: Option<&'static str>,
    by_class: bool,
}

const LOCALE: Said = Said {
    state: StateKind::Locale,
    held_by: "Locale.getDefault()",
    path: "Locale.getDefault()",
    old: Some("en"),
    by_class: false,
};

fn property(old: Option<&'static str>, by_class: bool) -> Said {
    Said {
        state: StateKind::Property,
        held_by: "shop.mode",
        path: "System.getProperty(\"shop.mode\")",
        old,
        by_class,
    }
}

fn heap(held_by: &'static str, path: &'static str, old: Option<&'static str>) -> Said {
    Said {
        state: StateKind::Heap,
        held_by,
        path,
        old,
        by_class: false,
    }
}

fn with_candidates<R>(case: &Case, said: Said, look: impl Fn(Vec<Candidate>) -> R) -> R {
    let victims = ["p.BTest#b".to_owned()];
    let cleaners = ["p.CTest#c".to_owned()];
    look(polluter_candidates(&Polluted {
        test: if said.by_class { "p.ATest" } else { "p.ATest#a" },
        by_class: said.by_class,
        state: said.state,
        held_by: said.held_by,
        path: said.path,
        old: said.old,
        victims: &victims,
        cleaners: &cleaners,
        sources: case,
    }))
}

/// The changed lines of the first candidate; empty: there is none.
fn first(case: &Case, said: Said) -> String {
    with_candidates(case, said, |all| {
        all.first()
            .map_or_else(String::new, |candidate| case.changes(candidate))
    })
}

/// The sentences of all candidates.
fn sentences(case: &Case, said: Said) -> Vec<String> {
    with_candidates(case, said, |all| {
        all.iter()
            .map(|candidate| {
                case.changes(candidate);
                format!("{}: {}", candidate.strategy, candidate.why)
            })
            .collect()
    })
}

/// The statements that the first candidate adds.
fn statement(main: &str, said: Said) -> String {
    let case = case(JUNIT_4).file("src/main/java/p/Shop.java", main);
    let changed = first(&case, said);
    let added = changed.lines().filter_map(|line| line.strip_prefix('+'));
    added
        .filter(|line| !line.starts_with("import "))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_value_that_is_kept_is_put_back_after_each_test() {
    assert_eq!(
        first(&case(JUPITER), LOCALE),
        "+import java.util.Locale;\n+import org.junit.jupiter.api.AfterEach;\n\
         +private final Locale savedLocale = Locale.getDefault();\n+\n+@AfterEach\n+void restoreLocale() {\n\
         +Locale.setDefault(savedLocale);\n+}\n+"
    );
    assert_eq!(
        first(&case(JUNIT_4), LOCALE),
        "+import java.util.Locale;\n+private final Locale savedLocale = Locale.getDefault();\n+\n\
         +Locale.setDefault(savedLocale);"
    );
    assert_eq!(
        first(&case(TEST_NG), LOCALE),
        "+import java.util.Locale;\n+import org.testng.annotations.AfterMethod;\n\
         +private final Locale savedLocale = Locale.getDefault();\n+\n+@AfterMethod\n+public void restoreLocale() {\n\
         +Locale.setDefault(savedLocale);\n+}"
    );
}

#[test]
fn junit_3_gets_a_tear_down_that_calls_the_inherited_one() {
    assert_eq!(
        first(&case(JUNIT_3), property(None, false)),
        "+@Override\n+protected void tearDown() throws Exception {\n+System.clearProperty(\"shop.mode\");\n\
         +super.tearDown();\n+}\n+"
    );
    let has_one = JUNIT_3.replace(
        "  public void testA",
        "  protected void tearDown() throws Exception {\n    super.tearDown();\n  }\n\n  public void testA",
    );
    assert_eq!(
        first(&case(&has_one), property(None, false)),
        "+System.clearProperty(\"shop.mode\");"
    );
    // There is nothing that runs once for the class.
    assert_eq!(first(&case(JUNIT_3), property(None, true)), "");
}

#[test]
fn what_the_class_changed_is_put_back_after_all_of_its_tests() {
    assert_eq!(
        first(&case(JUPITER), property(Some("x"), true)),
        "+import org.junit.jupiter.api.AfterAll;\n\
         +private static final String SAVED_SHOP_MODE = System.getProperty(\"shop.mode\");\n+\n+@AfterAll\n\
         +static void restoreShopMode() {\n+System.setProperty(\"shop.mode\", SAVED_SHOP_MODE);\n+}\n+"
    );
}

#[test]
fn what_tests_of_one_class_share_may_be_put_back_after_all_of_them() {
    assert_eq!(
        sentences(&case(JUPITER), property(None, false)),
        [
            "clean-up: clear the property `shop.mode` after each test of `ATest`",
            "clean-up: clear the property `shop.mode` after all tests of `ATest`",
        ]
    );
}

#[test]
fn the_holder_s_own_methods_come_first() {
    let shop = "package p;\npublic class Shop {\n  private static int size;\n  public static void open() { size = 1; }\n  \
                public static void reset() { size = 0; }\n  public static void clearLog() {}\n}\n";
    let said = heap("p.Shop.size", "Shop.size", Some("0"));
    assert_eq!(statement(shop, said), "Shop.reset();");
    let case = case(JUPITER).file("src/main/java/p/Shop.java", shop).file(
        "src/test/java/p/CTest.java",
        "package p;\nclass CTest {\n  void c() {\n    Shop.clearLog();\n  }\n}\n",
    );
    let all = sentences(&case, said);
    assert_eq!(
        all[..3],
        [
            "clean-up: call `Shop.clearLog()` after each test of `ATest`",
            "clean-up: call `Shop.reset()` after each test of `ATest`",
            "clean-up: call `Shop.open()` after each test of `ATest`",
        ]
    );
}

#[test]
fn fields_are_set_as_they_were() {
    let shop = |members: &str| format!("package p;\npublic class Shop {{\n{members}\n}}\n");
    let check = |members: &str, old, expected: &str| {
        assert_eq!(
            statement(&shop(members), heap("p.Shop.size", "Shop.size", Some(old))),
            expected
        );
    };
    check("  static int size;", "0", "Shop.size = 0;");
    check(
        "  static int size = 7;",
        "7",
        "private final int savedSize = Shop.size;  Shop.size = savedSize;",
    );
    check(
        "  private static int size = 7;\n  static int size() { return size; }\n  static void size(int n) { size = n; }",
        "7",
        "private final int savedSize = Shop.size();  Shop.size(savedSize);",
    );
    check(
        "  private static int size = 7;\n  static void set(int size) { Shop.size = size; }",
        "7",
        "Shop.set(7);",
    );
    // The setter changes its own parameter only, so the field cannot be reached at all.
    check(
        "  private static int size = 7;\n  static void set(int size) { size = size; }",
        "7",
        "",
    );
    check("  private static int size;", "0", "");
    check("  static final int size = f();", "0", "");
}

#[test]
fn collections_lose_what_was_added() {
    let shop =
        |members: &str| format!("package p;\nimport java.util.*;\npublic class Shop {{\n{members}\n}}\n");
    let check = |members: &str, path, old, expected: &str| {
        assert_eq!(statement(&shop(members), heap("p.Shop.all", path, old)), expected);
    };
    let list = "  static final List<String> all = new ArrayList<>();";
    check(list, "Shop.all[0]", None, "Shop.all.clear();");
    let map = "  static final Map<String, String> all = new HashMap<>();";
    check(map, "Shop.all[\"k\"]", None, "Shop.all.clear();");
    let filled = format!("{map}\n  static {{ all.put(\"a\", \"b\"); }}");
    check(&filled, "Shop.all[\"k\"]", None, "Shop.all.remove(\"k\");");
    check(
        &filled,
        "Shop.all[\"a\"]",
        Some("\"b\""),
        "Shop.all.put(\"a\", \"b\");",
    );
    check(
        "  private static final Map<String, String> all = make();\n  \
         static void forget(String key) { all.remove(key); }",
        "Shop.all[\"k\"]",
        None,
        "Shop.forget(\"k\");",
    );
    check(
        "  static final List<String> all = make();",
        "Shop.all[3]",
        None,
        "private final List<String> savedAll = new ArrayList<>(Shop.all);  Shop.all.clear(); Shop.all.addAll(savedAll);",
    );
}

#[test]
fn the_only_object_of_a_class_is_reached_as_the_code_reaches_it() {
    let shop = "package p;\npublic class Shop {\n  private static Shop only;\n  private boolean open;\n  \
                public static Shop get() { if (only == null) only = new Shop(); return only; }\n  \
                public boolean isOpen() { return open; }\n  \
                public void setOpen(boolean open) { this.open = open; }\n}\n";
    let said = heap("p.Shop.only", "Shop.only.open", Some("false"));
    assert_eq!(statement(shop, said), "Shop.get().setOpen(false);");
}

#[test]
fn another_package_sees_only_what_is_public() {
    let shop = "package q;\npublic class Shop {\n  static int size;\n}\n";
    let here = |text: &str| case(JUPITER).file("src/main/java/q/Shop.java", text);
    let said = heap("q.Shop.size", "Shop.size", Some("0"));
    assert_eq!(first(&here(shop), said), "");
    let changed = first(&here(&shop.replace("static", "public static")), said);
    assert!(changed.contains("+import q.Shop;"), "{changed}");
    assert!(changed.contains("+Shop.size = 0;"), "{changed}");
}

#[test]
fn a_field_of_the_test_itself_needs_no_class() {
    let test = JUPITER.replace("class ATest {\n", "class ATest {\n  private static int size;\n\n");
    let changed = first(&case(&test), heap("p.ATest.size", "ATest.size", Some("0")));
    assert!(changed.contains("+size = 0;"), "{changed}");
}

#[test]
fn where_the_polluter_cannot_be_edited_the_victim_resets() {
    let victim = JUPITER.replace("ATest", "BTest");
    let said = property(None, false);
    let kotlin = "package p\n";
    assert!(JavaFile::parse(TEST, kotlin).is_err());
    // The polluter has no Java source at all.
    let only_victim = case(&victim.replace("BTest", "Other"))
        .file(TEST, "package p;\nclass Other {}\n")
        .file("src/test/java/p/BTest.java", &victim);
    assert_eq!(
        sentences(&only_victim, said),
        ["reset-before: clear the property `shop.mode` before each test of `BTest`"]
    );
    // What was there before is not known in the victim.
    assert!(sentences(&only_victim, LOCALE).is_empty());
}

#[test]
fn what_nobody_can_put_back_is_left_alone() {
    for state in [
        StateKind::Thread,
        StateKind::Environment,
        StateKind::ShutdownHook,
        StateKind::Bean,
    ] {
        let said = Said {
            state,
            path: "x",
            ..LOCALE
        };
        assert!(sentences(&case(JUPITER), said).is_empty());
    }
    // Nothing says what runs these tests.
    let unknown = case("package p;\nclass ATest {\n  void a() {}\n}\n");
    assert!(sentences(&unknown, LOCALE).is_empty());
}
