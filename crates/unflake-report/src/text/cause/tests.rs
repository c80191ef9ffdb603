use super::super::tests::{document, finding, without_colour};
use super::super::text;
use super::*;
use unflake_findings::Details;
use unflake_protocol::Level;

const SOURCE: &str = "\
package a;

class OrderTest {
    @Test
    void lists() {
        Map<String, Integer> map = new HashMap<>();
        map.put(\"a\", 1);
\tfor (Entry<String, Integer> e : map.entrySet()) {
\t\ttext.append(e);
        }

    }
}
";

fn place(file: &str, line: u32) -> SourcePlace {
    SourcePlace {
        file: file.to_owned(),
        line,
        method: "a.OrderTest.lists".to_owned(),
    }
}

fn frame(method: &str, file: Option<&str>, own: bool) -> Frame {
    Frame {
        method: method.to_owned(),
        file: file.map(str::to_owned),
        line: file.map(|_| 8),
        own,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn choice() -> Choice {
    Choice {
        number: 3,
        api: "HashMap.entrySet".to_owned(),
        javadoc: "This class makes no guarantees as to the order of the map.".to_owned(),
        call: Some(place("src/test/java/a/OrderTest.java", 8)),
        allocation: Some(place("src/test/java/a/OrderTest.java", 6)),
        stack: vec![
            frame("java.util.HashMap.entrySet", Some("HashMap.java"), false),
            frame("a.OrderTest.lists", Some("OrderTest.java"), true),
            frame("jdk.internal.reflect.Invoke.invoke", None, false),
            frame("org.junit.Runner.run", Some("Runner.java"), false),
        ],
        allocation_stack: vec![frame("a.OrderTest.lists", Some("OrderTest.java"), true)],
        owner: Some("java.util.HashMap".to_owned()),
        elements: 3,
        natural: words("a=1 b=2 c=3"),
        failing: words("b=2 a=1 c=3"),
        moved: Vec::new(),
    }
}

fn found(choices: Vec<Choice>) -> Cause {
    Cause {
        status: CauseStatus::Found,
        choices,
        ..Cause::default()
    }
}

/// All of the report, with this cause and this source of every file.
fn coloured(cause: Cause, source: Option<&str>, verbose: bool) -> String {
    let mut finding = finding("a.OrderTest#lists", Level::One, "MESSAGE");
    let Details::ImplementationDependent { cause: place, .. } = &mut finding.details else {
        unreachable!("made so above");
    };
    *place = cause;
    text(&document(vec![finding]), verbose, &|_| source.map(str::to_owned))
}

/// What stands between the message and the level.
fn shown(cause: Cause, source: Option<&str>, verbose: bool) -> String {
    let text = without_colour(&coloured(cause, source, verbose));
    let (_, after) = text.split_once("MESSAGE\n").unwrap();
    after.split_once("    level ").unwrap().0.to_owned()
}

#[track_caller]
fn check(cause: Cause, source: Option<&str>, expect: &str) {
    let found = shown(cause, source, false);
    assert!(found == expect, "--- expected\n{expect}--- found\n{found}---");
}

/// The lines of the two orders.
fn orders(choice: Choice) -> String {
    let text = shown(found(vec![choice]), None, false);
    let lines = text
        .lines()
        .filter(|line| line.starts_with("    natural") || line.starts_with("    failing"));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

/// The lines with source on them, and with marks under it.
fn snippet(line: u32, source: &str) -> String {
    let choice = Choice {
        call: Some(place("A.java", line)),
        allocation: Some(place("A.java", line)),
        ..choice()
    };
    let text = shown(found(vec![choice]), Some(source), false);
    let lines = text.lines().filter(|line| line.contains(" |"));
    lines
        .map(|line| format!("{}\n", line.strip_prefix("    ").unwrap()))
        .collect()
}

#[test]
fn a_cause_is_shown_as_a_compiler_shows_an_error() {
    let mut cause = found(vec![choice()]);
    cause.expected = Some("{a=1, b=2, c=3}".to_owned());
    cause.actual = Some("{b=2, a=1, c=3}\nsecond line".to_owned());
    check(
        cause,
        Some(SOURCE),
        "    cause    HashMap.entrySet: “This class makes no guarantees as to the order of the map.”
     --> src/test/java/a/OrderTest.java:8
      |
    7 |         map.put(\"a\", 1);
    8 |     for (Entry<String, Integer> e : map.entrySet()) {
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ HashMap.entrySet iterates here
    9 |         text.append(e);
      |
     --> src/test/java/a/OrderTest.java:6
      |
    5 |     void lists() {
    6 |         Map<String, Integer> map = new HashMap<>();
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ the map is created here
    7 |         map.put(\"a\", 1);
      |
    natural  {a=1, b=2, c=3}
    failing  {b=2, a=1, c=3}
    expected {a=1, b=2, c=3}
    actual   {b=2, a=1, c=3}
             second line
",
    );
}

#[test]
fn several_calls_are_numbered() {
    let second = Choice {
        api: "Class.getDeclaredFields".to_owned(),
        javadoc: String::new(),
        owner: None,
        allocation: None,
        allocation_stack: Vec::new(),
        natural: words("x y"),
        failing: words("y x"),
        elements: 2,
        ..choice()
    };
    check(
        found(vec![choice(), second]),
        None,
        "    cause    fails only if all of these 2 calls vary
    1.       HashMap.entrySet: “This class makes no guarantees as to the order of the map.”
      --> src/test/java/a/OrderTest.java:8
       = HashMap.entrySet iterates here, in a.OrderTest.lists
      --> src/test/java/a/OrderTest.java:6
       = the map is created here, in a.OrderTest.lists
    natural  {a=1, b=2, c=3}
    failing  {b=2, a=1, c=3}
    2.       Class.getDeclaredFields
      --> src/test/java/a/OrderTest.java:8
       = Class.getDeclaredFields is called here, in a.OrderTest.lists
    natural  [x, y]
    failing  [y, x]
",
    );
}

#[test]
fn where_no_line_is_the_projects_the_stack_is_shown() {
    let choice = Choice {
        call: None,
        allocation: None,
        ..choice()
    };
    check(
        found(vec![choice]),
        Some(SOURCE),
        "    cause    HashMap.entrySet: “This class makes no guarantees as to the order of the map.”
      HashMap.entrySet iterates here:
        at java.util.HashMap.entrySet (HashMap.java:8)
      > at a.OrderTest.lists (OrderTest.java:8)
        at jdk.internal.reflect.Invoke.invoke (unknown source)
        1 frame more; `-v` shows them
      the map is created here:
      > at a.OrderTest.lists (OrderTest.java:8)
    natural  {a=1, b=2, c=3}
    failing  {b=2, a=1, c=3}
",
    );
}

#[test]
fn verbose_shows_whole_stacks_and_marks_the_projects_own() {
    let text = shown(found(vec![choice()]), Some(SOURCE), true);
    let stacks: Vec<&str> = text.lines().filter(|line| line.contains(" at ")).collect();
    assert_eq!(
        stacks,
        [
            "        at java.util.HashMap.entrySet (HashMap.java:8)",
            "      > at a.OrderTest.lists (OrderTest.java:8)",
            "        at jdk.internal.reflect.Invoke.invoke (unknown source)",
            "        at org.junit.Runner.run (Runner.java:8)",
            "      > at a.OrderTest.lists (OrderTest.java:8)",
        ]
    );
}

#[test]
fn what_was_made_on_the_same_line_is_not_shown_twice() {
    let choice = Choice {
        allocation: choice().call,
        ..choice()
    };
    let of = |verbose| shown(found(vec![choice.clone()]), Some(SOURCE), verbose);
    assert_eq!(of(false).matches("-->").count(), 1);
    assert!(!of(false).contains("is made here"));
    assert_eq!(of(true).matches("-->").count(), 1);
    assert!(of(true).contains("      the map is created here:\n      > at a.OrderTest.lists"));
}

#[test]
fn a_cause_that_was_not_found_says_why() {
    let not_found = |reason: Option<&str>| Cause {
        status: CauseStatus::NotFound,
        reason: reason.map(str::to_owned),
        ..Cause::default()
    };
    check(Cause::default(), None, "");
    check(not_found(None), None, "    cause    not found\n");
    check(
        not_found(Some("it passes alone\nwith\u{1b}[2J all choices")),
        None,
        "    cause    not found: it passes alone with\u{fffd}[2J all choices\n",
    );
    check(
        found(Vec::new()),
        None,
        "    cause    found, but no call was recorded\n",
    );
}

#[test]
fn the_mark_stands_under_the_text() {
    let check = |line: u32, source: &str, expect: &str| {
        let found = snippet(line, source);
        assert!(found == expect, "--- expected\n{expect}--- found\n{found}---");
    };
    check(
        1,
        "one();",
        "  |\n1 | one();\n  | ^^^^^^ HashMap.entrySet iterates here\n  |\n",
    );
    // The gutter is as wide as the widest number.
    check(
        9,
        "\n\n\n\n\n\n\n\r\n\ttab(\t1);  \r\n",
        "  |\n8 |\n9 |     tab(    1);\n  |     ^^^^^^^^^^^ HashMap.entrySet iterates here\n  |\n",
    );
    check(
        9,
        "\n\n\n\n\n\n\n\na();\n}\n",
        "   |\n 8 |\n 9 | a();\n   | ^^^^ HashMap.entrySet iterates here\n10 | }\n   |\n",
    );
    // Letters of two columns, of one, and of none.
    check(
        1,
        "  s = \"日本é\u{301}\";",
        "  |\n1 |   s = \"日本é\u{301}\";\n  |   ^^^^^^^^^^^^ HashMap.entrySet iterates here\n  |\n",
    );
    // What would move the cursor or turn the direction does not.
    check(
        1,
        "a\u{1b}[31m \u{202e}b\u{9b}",
        "  |\n1 | a\u{fffd}[31m \u{fffd}b\u{fffd}\n  | ^^^^^^^^^^ HashMap.entrySet iterates here\n  |\n",
    );
    // Deep inside only what is beyond the common margin counts.
    let deep = format!("{0}one {{\n{0}  two();\n{0}}}", " ".repeat(200));
    let margin = " ".repeat(INDENTATION);
    check(
        2,
        &deep,
        &format!(
            "  |\n1 | {margin}one {{\n2 | {margin}  two();\n  | {margin}  ^^^^^^ HashMap.entrySet iterates here\n3 | {margin}}}\n  |\n"
        ),
    );
}

#[test]
fn endless_lines_are_cut() {
    let long = format!("    call(\"{}\");", "ü".repeat(1000));
    let text = snippet(2, &format!("{long}\n{long}\n{}far();", " ".repeat(300)));
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[1].ends_with("üü…") && lines[1].chars().count() == SOURCE_WIDTH + "1 | ".len(),
        "{text}"
    );
    assert_eq!(lines[3].matches('^').count(), SOURCE_WIDTH - 4, "{text}");
    assert!(
        lines.iter().all(|line| line.chars().count() < 2 * SOURCE_WIDTH),
        "{text}"
    );
    // A line that begins beyond the edge is not marked beyond it.
    let text = snippet(2, &format!("near();\n{}far();", " ".repeat(300)));
    assert!(
        text.lines().all(|line| line.chars().count() < 2 * SOURCE_WIDTH),
        "{text}"
    );
}

#[test]
fn a_source_that_is_not_the_one_that_ran_gives_no_context() {
    for (source, line) in [
        ("", 1),
        ("one();\n", 2),
        ("one();\n   \n", 2),
        ("one();", 0),
        ("one();", u32::MAX),
    ] {
        assert_eq!(snippet(line, source), "", "{source:?} {line}");
    }
}

#[test]
fn orders_are_shortened_around_what_differs() {
    let order = |natural: &str, failing: &str, elements: u32| {
        orders(Choice {
            natural: words(natural),
            failing: words(failing),
            elements,
            ..choice()
        })
    };
    assert_eq!(order("", "", 0), "");
    assert_eq!(
        order("", "", 12),
        "natural  {… 12 elements}\nfailing  {… 12 elements}\n"
    );
    assert_eq!(
        order("a b", "b a", 9),
        "natural  {a, b, … 7 more}\nfailing  {b, a, … 7 more}\n"
    );
    assert_eq!(order("17", "23", 1), "natural  17\nfailing  23\n");
    assert_eq!(
        order("17", "23", 3),
        "natural  17, one of 3 that are allowed\nfailing  23\n"
    );
    let class = "TypesOfManyAndVariousKindsTest$ClassWithALongName";
    assert_eq!(
        order(
            &format!("{class}.bag {class}.value"),
            &format!("{class}.value {class}.bag"),
            2
        ),
        "natural  {…bag, …value}\nfailing  {…value, …bag}\n"
    );
    let numbers: Vec<String> = (100..160).map(|n| n.to_string()).collect();
    let mut swapped = numbers.clone();
    swapped.swap(30, 33);
    assert_eq!(
        order(&numbers.join(" "), &swapped.join(" "), 60),
        "natural  {… 29 before, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, … 11 more}\n\
         failing  {… 29 before, 129, 133, 131, 132, 130, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, … 11 more}\n"
    );
    // Long elements, the third of which is the first that differs.
    let paths: Vec<String> = (0..9).map(|n| format!("/{n}{}", "x".repeat(40))).collect();
    let mut swapped = paths.clone();
    swapped.swap(2, 8);
    let text = order(&paths.join(" "), &swapped.join(" "), 9);
    let [natural, failing] = text.lines().collect::<Vec<_>>()[..] else {
        panic!("{text}")
    };
    assert!(natural.starts_with("natural  {… 2 before, /2xx"), "{text}");
    assert!(failing.starts_with("failing  {… 2 before, /8xx"), "{text}");
    // Elements of any length and contents.
    let text = orders(Choice {
        natural: vec!["x".repeat(500), "\u{1b}[31mred\n".to_owned(), String::new()],
        failing: vec![String::new(), "\u{1b}[31mred\n".to_owned(), "x".repeat(500)],
        ..choice()
    });
    let cut = format!("{}…", "x".repeat(ELEMENT_WIDTH - 1));
    assert_eq!(
        text,
        format!(
            "natural  {{{cut}, \u{fffd}[31mred\u{fffd}, \"\"}}\nfailing  {{\"\", \u{fffd}[31mred\u{fffd}, {cut}}}\n"
        )
    );
}

#[test]
fn lists_are_written_as_lists() {
    let text = orders(Choice {
        api: "File.list".to_owned(),
        ..choice()
    });
    assert_eq!(text, "natural  [a=1, b=2, c=3]\nfailing  [b=2, a=1, c=3]\n");
}

#[test]
fn moved_elements_stand_out() {
    let highlighted = |moved: &str| {
        let choice = Choice {
            moved: words(moved),
            ..choice()
        };
        let text = coloured(found(vec![choice]), None, false);
        let line = text
            .lines()
            .find(|line| line.contains("failing"))
            .unwrap()
            .to_owned();
        let style = MOVED.render().to_string();
        let parts = line
            .split(&style)
            .skip(1)
            .map(|part| part.split('\u{1b}').next().unwrap().to_owned());
        parts.collect::<Vec<_>>()
    };
    assert_eq!(highlighted(""), ["b=2", "a=1"]);
    assert_eq!(highlighted("c=3"), ["c=3"]);
}

#[test]
fn words_fit_the_api() {
    let label = |api: &str, owner: Option<&str>| {
        let choice = Choice {
            api: api.to_owned(),
            owner: owner.map(str::to_owned),
            ..choice()
        };
        (format!("{} {}", api, verb(api)), thing(&choice))
    };
    let check = |api: &str, owner: Option<&str>, verb: &str, thing: &str| {
        assert_eq!(
            label(api, owner),
            (format!("{api} {verb}"), thing),
            "{api} {owner:?}"
        );
    };
    check(
        "HashMap.keySet",
        Some("java.util.HashMap$KeySet"),
        "iterates",
        "map",
    );
    check("HashSet.iterator", Some("java.util.HashSet"), "iterates", "set");
    check("HashMap.keySet", Some("com.example.MySet"), "iterates", "set");
    check(
        "Set.of",
        Some("java.util.ImmutableCollections$SetN"),
        "iterates",
        "set",
    );
    check("Hashtable.keys", None, "iterates", "map");
    check("PriorityQueue.iterator", None, "iterates", "queue");
    check("PriorityQueue.poll", None, "picks", "queue");
    check("Class.getMethods", None, "is called", "object");
    check("Object.hashCode", None, "is drawn", "object");
    check("com.example.Dao.findAll", None, "is called", "object");
}
