use crate::text::samples::*;
use crate::text::tests::{document, plain, test, without_colour};
use unflake_findings::{FileChange, Finding, Proof, Severity, Suffering};
use unflake_protocol::StateKind;

/// The report without the lines about the whole run, with ids that one can read.
fn shown(findings: Vec<Finding>, verbose: bool) -> String {
    let ids: Vec<String> = findings.iter().map(|finding| finding.id.to_string()).collect();
    let mut document = document(findings);
    document.sort();
    let mut text = plain(&document, verbose);
    for (n, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("ID-{n}"));
    }
    text[..text.find("9 of 14 tests").unwrap()].to_owned()
}

fn heap(name: &str, held_by: &str, change: &str) -> Finding {
    polluter(name, StateKind::Heap, held_by, change)
}

#[test]
fn a_polluter_shows_what_it_changes_and_who_suffers() {
    let mut one = proved(
        heap(
            "a.PTest#p",
            "a.Effects.ALL",
            r#"Effects.ALL["poison"].duration: 3 → 7"#,
        ),
        &[
            ("a.VTest#v", "expected: <3> but was: <7>"),
            ("a.VTest#w", ""),
            ("a.VTest#x", "first\nsecond"),
            ("a.VTest#y", "no"),
        ],
    );
    pollution(&mut one).more = 2;
    assert_eq!(
        shown(vec![one], false),
        "\
error a.Effects.ALL is left changed by a.PTest#p; 4 tests fail because of it
    change   Effects.ALL[\"poison\"].duration: 3 → 7
             and 2 more changes below a.Effects.ALL
    victims  makes 4 tests fail that pass without it:
             ✗ a.VTest#v  expected: <3> but was: <7>
             ✗ a.VTest#w
             ✗ a.VTest#x  first second
             … and 1 more; `-v` lists them
    rule     UF203; `unflake explain UF203` says how to repair it
    repeat   unflake replay ID-0

1 polluter: 1 error
"
    );
}

#[test]
fn many_tests_of_one_root_are_one_block() {
    let register = |n: usize| {
        heap(
            &format!("a.PTest#p{n:02}"),
            "a.Effects.ALL",
            &format!("Effects.ALL[\"{n}\"]: - → Effect@{n}"),
        )
    };
    let mut findings: Vec<Finding> = (0..28).map(register).collect();
    findings[20] = proved(register(20), &[("a.VTest#v", "no")]);
    findings.push(heap(
        "a.PTest",
        "a.Effects.ALL",
        "Effects.ALL[\"c\"].name: \"x\" → \"y\"",
    ));
    findings.push(harmless(
        heap("a.QTest#q", "a.Effects.ALL", "Effects.ALL.hits: 1 → 2"),
        "a counter",
    ));
    let text = shown(findings.clone(), false);
    assert_eq!(
        text,
        "\
error a.Effects.ALL is left changed by 28 tests and 1 class; 1 test fails because of it
    test     a.PTest#p20
    change   Effects.ALL[\"20\"]: nothing → Effect@20
    victims  makes 1 test fail that passes without it:
             ✗ a.VTest#v  no
    rule     UF202; `unflake explain UF202` says how to repair it
    repeat   unflake replay ID-20
    others   ID-0  a.PTest#p00  [\"0\"]: nothing → Effect@0
             ID-1  a.PTest#p01  [\"1\"]: nothing → Effect@1
             ID-2  a.PTest#p02  [\"2\"]: nothing → Effect@2
             ID-3  a.PTest#p03  [\"3\"]: nothing → Effect@3
             … and 24 more; `-v` lists them
    also     1 change that looks harmless (`-v` shows it)

30 polluters: 1 error, 28 warnings, 1 note
"
    );
    let all = shown(findings, true);
    assert_eq!(all.matches("    repeat   ").count(), 30);
    assert!(
        all.contains("    class    class-level code of a.PTest\n"),
        "{all}"
    );
    assert!(all.contains("    harmless probably: a counter\n"), "{all}");
}

#[test]
fn the_worst_root_comes_first_then_own_fields_and_short_paths() {
    let heading = |line: &&str| line.starts_with("error ") || line.starts_with("warning ");
    let findings = vec![
        heap("com.shop.ATest#a", "org.lib.Log.out", "Log.out: 1 → 2"),
        polluter(
            "com.shop.ATest#a",
            StateKind::Property,
            "shop.mode",
            "shop.mode: - → 2",
        ),
        heap("com.shop.ATest#a", "com.shop.util.Deep.a", "Deep.a.b.c: 1 → 2"),
        heap("com.shop.ATest#a", "com.shop.util.Flat.z", "Flat.z: 1 → 2"),
        proved(
            heap("com.shop.ATest#a", "org.lib.Bad.x", "Bad.x: 1 → 2"),
            &[("a.B#c", "")],
        ),
    ];
    let text = shown(findings, false);
    let order: Vec<&str> = text
        .lines()
        .filter(heading)
        .map(|line| line.split(" is left").next().unwrap())
        .collect();
    assert_eq!(
        order,
        [
            "error org.lib.Bad.x",
            "warning com.shop.util.Flat.z",
            "warning com.shop.util.Deep.a",
            "warning system property shop.mode",
            "warning org.lib.Log.out",
        ]
    );
}

#[test]
fn what_looks_harmless_is_folded_with_its_reason() {
    let cache = |name: &str| harmless(heap(name, "a.Cache.memo", "Cache.memo[1]: - → 2"), "a memo map");
    let text = shown(vec![cache("a.ATest#a"), cache("a.ATest#b")], false);
    assert_eq!(
        text,
        "\
2 changes that look harmless (`-v` shows the tests)
    a.Cache.memo: 2 tests (a memo map)

2 polluters: 2 notes
"
    );
    let text = shown(vec![cache("a.ATest#a")], true);
    assert!(
        text.starts_with(
            "note a.Cache.memo is left changed by a.ATest#a\n    change   Cache.memo[1]: nothing → 2\n    \
             harmless probably: a memo map\n"
        ),
        "{text}"
    );
}

#[test]
fn a_victim_says_more_than_the_harmless_mark() {
    let one = harmless(
        proved(heap("a.A#a", "a.C.c", "C.c: 1 → 2"), &[("a.B#b", "no")]),
        "a counter",
    );
    assert_eq!(one.severity, Severity::Error);
    let text = shown(vec![one], false);
    assert!(text.starts_with("error a.C.c "), "{text}");
    assert!(
        text.contains("    harmless it looked so (a counter), but tests fail because of it\n"),
        "{text}"
    );
}

#[test]
fn it_is_said_what_was_proved() {
    let said = |proof: Proof| {
        let mut one = heap("a.A#a", "a.C.c", "C.c: 1 → 2");
        pollution(&mut one).proof = proof;
        let text = shown(vec![one], false);
        let line = text.lines().find_map(|line| line.strip_prefix("    proof    "));
        line.unwrap_or_default().to_owned()
    };
    assert!(said(Proof::NotRun).starts_with("not tried"));
    assert!(said(Proof::NoVictim).ends_with("and passed"));
    assert!(said(Proof::Partial).contains("time ran out"));
}

#[test]
fn files_are_listed_with_what_became_of_them() {
    let mut one = file_polluter("a.A#a", "target/test-classes/x.properties", FileChange::Changed);
    let pollution = file_pollution(&mut one);
    pollution.more = (0..5).map(|n| format!("target/{n}.tmp")).collect();
    pollution.proof = Proof::Proved;
    pollution.victims = vec![Suffering {
        test: test("a.V#v"),
        message: "no".to_owned(),
    }];
    one.severity = Severity::Error;
    let deleted = file_polluter("a.A#b", "data.csv", FileChange::Deleted);
    assert_eq!(
        shown(vec![one, deleted], false),
        "\
error target/test-classes/x.properties is left changed by a.A#a; 1 test fails because of it
    file     target/test-classes/x.properties (changed)
             target/0.tmp
             target/1.tmp
             target/2.tmp
             … and 2 more; `-v` lists them
    victims  makes 1 test fail that passes without it:
             ✗ a.V#v  no
    rule     UF302; `unflake explain UF302` says how to repair it
    repeat   unflake replay ID-0

warning data.csv is deleted by a.A#b
    file     data.csv (deleted)
    proof    not tried: other tests were not run after it
    rule     UF303; `unflake explain UF303` says how to repair it
    repeat   unflake replay ID-1

2 file polluters: 1 error, 1 warning
"
    );
}

#[test]
fn what_is_around_it_stands_in_columns() {
    let mut one = heap("a.A#a", "a.C.c", "C.c.d: 1 → 2");
    pollution(&mut one).graph = triples(&[
        "C#1 list ArrayList#2",
        "- C#1 d 1",
        "+ C#1 d 2",
        "+ ArrayList#2 [10] ä",
    ]);
    let text = shown(vec![one.clone()], false);
    assert!(
        text.contains(
            "    graph      C#1          list  ArrayList#2
             - C#1          d     1
             + C#1          d     2
             + ArrayList#2  [10]  ä
"
        ),
        "{text}"
    );
    pollution(&mut one).graph = triples(&["A b c"; 45]);
    assert!(shown(vec![one.clone()], false).contains("… and 5 triples more; `-v` lists them\n"));
    let id = one.id.clone();
    let mut document = document(vec![one]);
    document.run.pictures = Some("/tmp/a b/pictures.html".to_owned());
    let picture = format!("    picture  file:///tmp/a%20b/pictures.html#{id}\n");
    assert!(plain(&document, false).contains(&picture));
}

#[test]
fn everything_from_the_test_is_harmless_on_a_terminal() {
    let mut one = proved(
        heap("a.A#\u{1b}[2J", "a.\u{1b}C.c", "C.\u{1b}c: \u{1b} → 2"),
        &[("a.\u{1b}B#b", "\u{1b}[31m")],
    );
    pollution(&mut one).graph = triples(&["\u{1b} b \u{202e}"]);
    pollution(&mut one).benign.why = "\u{1b}".to_owned();
    pollution(&mut one).benign.is = true;
    let text = crate::text::text(&document(vec![one]), true, &|_| None);
    let plain = without_colour(&text);
    assert!(
        !plain.contains(['\u{1b}', '\u{202e}']) && plain.contains('\u{fffd}'),
        "{plain}"
    );
}

#[test]
fn a_whole_project_is_told_the_worst_first() {
    let mut document = document(shop());
    document.sort();
    let text = plain(&document, false);
    let blocks: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.is_empty())
        .collect();
    assert_eq!(
        blocks[..8],
        [
            "error com.shop.Effects.INSTANCE is left changed by 8 tests; 5 tests fail because of it",
            "error 2 tests fail after com.shop.EffectsTest#registersPoison and pass without it",
            "error com.shop.OrderTest#stores passes only after com.shop.DatabaseTest#connects",
            "warning com.shop.Database.url is left changed by class-level code of com.shop.OrderTest",
            "warning system property shop.mode is left changed by com.shop.ModeTest#test",
            "warning default locale Locale.getDefault() is left changed by com.shop.PriceTest#german",
            "warning target/export.csv is left behind by com.shop.ExportTest#writes",
            "1 change that looks harmless (`-v` shows the tests)",
        ]
    );
    assert!(
        text.contains(
            "\n15 polluters, 1 file polluter, 2 victims, 1 brittle test: 5 errors, 10 warnings, 4 notes\n"
        ),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

/// Writes the report, with colours, and the page where one can look at them:
/// `UNFLAKE_PAGES=DIR cargo test -p unflake-report`.
#[test]
fn pollution_to_look_at() {
    let Some(directory) = std::env::var_os("UNFLAKE_PAGES").map(std::path::PathBuf::from) else {
        return;
    };
    let mut document = document(shop());
    document.sort();
    for (file, verbose) in [("pollution.ansi", false), ("pollution-verbose.ansi", true)] {
        let text = crate::text::text(&document, verbose, &|_| None);
        std::fs::write(directory.join(file), text).unwrap();
    }
    let page = crate::pollution_page(&shop()).unwrap_or_default();
    std::fs::write(directory.join("pollution.html"), page).unwrap();
}
