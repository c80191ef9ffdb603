use super::sites::{Sites, modules};
use super::table;
use std::collections::BTreeSet;

/// `S` stands for the path of the switch.
fn rewritten(body: &str, dropped: &[usize]) -> (Vec<String>, String) {
    let text = format!("fn f() {{ {body} }}");
    let dropped: BTreeSet<usize> = dropped.iter().copied().collect();
    let sites = Sites::read("a.rs", &text, 0, &dropped).unwrap();
    let edited = sites.edits.apply(&text).text.replace("crate::switched::", "S::");
    let mutants = sites
        .mutants
        .iter()
        .map(|mutant| format!("{} → {}", mutant.old, mutant.new));
    let inside = edited["fn f() { ".len()..edited.len() - 2].to_owned();
    (mutants.collect(), inside)
}

fn check(body: &str, mutants: &[&str], edited: &str) {
    let found = rewritten(body, &[]);
    assert_eq!(
        found,
        (
            mutants.iter().map(|mutant| (*mutant).to_owned()).collect(),
            edited.to_owned()
        ),
        "{body}"
    );
}

#[test]
fn conditions_are_negated_in_their_parts() {
    check("if a {}", &["a → !(a)"], "if (S::on(0) != (a)) {}");
    check(
        "if !a && b {}",
        &["!a && b → !a || b", "a → !(a)", "b → !(b)"],
        "if (S::on(0) != ((S::on(0) != (!(S::on(1) != (a)))) && (S::on(0) != ((S::on(2) != (b)))))) {}",
    );
    check(
        "if let Some(x) = y && z {}",
        &["let Some(x) = y → false", "z → !(z)"],
        "if !S::on(0) && let Some(x) = y && (S::on(1) != (z)) {}",
    );
}

#[test]
fn comparisons_are_negated_and_shifted() {
    check(
        "g(a < b)",
        &["a < b → !(a < b)", "a < b → a … b (lt turned around)"],
        "g((S::on(0) != (S::lt(1, &(a), &(b)))))",
    );
    check("g(a == b)", &["a == b → !(a == b)"], "g((S::on(0) != (a == b)))");
}

#[test]
fn numbers_and_operators_are_changed() {
    check(
        "g(a + 1)",
        &["a + 1 → a … 1 (add turned around)", "1 → 1 + 1"],
        "g(S::add(0, (a), (S::int(1, 1))))",
    );
    check("g(-1)", &[], "g(-1)");
    check("g([0; 4])", &["0 → 0 + 1"], "g([S::int(0, 0); 4])");
}

#[test]
fn what_closures_say_is_negated_and_any_becomes_all() {
    check(
        "a.any(|x| x.y)",
        &[
            "a.any(|x| x.y) → !(a.any(|x| x.y))",
            "a.any(|x| x.y) → a.all(…)",
            "x.y → !(x.y)",
        ],
        "(S::on(0) != ((S::on(1) != (a.any(|x| (S::on(1) != ((S::on(2) != (x.y)))))))))",
    );
    check(
        "a.filter(is_it)",
        &["is_it → not is_it"],
        "a.filter(|item| S::on(0) != (is_it)(item))",
    );
}

#[test]
fn the_least_becomes_the_greatest() {
    check(
        "a.min(b)",
        &["a.min(b) → a.min(b) turned around"],
        "S::min(0, a, b)",
    );
    check(
        "a.iter().max()",
        &["a.iter().max() → a.iter().max() turned around"],
        "S::greatest(0, (a.iter()))",
    );
    check(
        "a.first()",
        &["a.first() → a.first() turned around"],
        "S::first(0, &(a))",
    );
    check(
        "a.cmp(&b)",
        &["a.cmp(&b) → (a.cmp(&b)).reverse()"],
        "S::cmp(0, a.cmp(&b))",
    );
}

#[test]
fn values_are_left_out() {
    check("Some(a)", &["Some(a) → None"], "Some(a).filter(|_| !S::on(0))");
    check(
        "a.chain(b)",
        &["b → nothing"],
        "a.chain((b).into_iter().filter(|_| !S::on(0)))",
    );
    check("a.or(b)", &["b → None"], "a.or((b).filter(|_| !S::on(0)))");
}

#[test]
fn statements_are_left_out_if_they_only_do_something() {
    check(
        "a.push(b);",
        &["a.push(b); → (nothing)"],
        "if !S::on(0) { a.push(b); }",
    );
    check("a += b;", &["a += b; → (nothing)"], "if !S::on(0) { a += b; }");
    check("let a = b;", &[], "let a = b;");
}

#[test]
fn arms_fall_to_the_default_or_give_the_value_of_the_next() {
    check(
        "match a { B => c(), _ => d() }",
        &["B → B as `_`"],
        "match a { B if !S::on(0) => c(), _ => d() }",
    );
    check(
        "match a { B => X::C, D => X::E }",
        &["X::C → X::E", "X::E → X::C"],
        "match a { B => { if S::on(0) { X::E } else { X::C } }, D => { if S::on(1) { X::C } else { X::E } } }",
    );
    check(
        "matches!(a, B | C)",
        &[
            "matches!(a, B | C) → !(matches!(a, B | C))",
            "matches!(a, B | C) → matches without B",
            "matches!(a, B | C) → matches without C",
        ],
        "(S::on(0) != (((matches!(a, B | C) && !(S::on(2) && matches!(a, C))) && !(S::on(1) && matches!(a, B)))))",
    );
}

#[test]
fn what_is_shown_while_it_works_decides_nothing() {
    check(
        "check.progress.phase(a, b + 1);",
        &[],
        "check.progress.phase(a, b + 1);",
    );
    check("g(|| progress.step())", &[], "g(|| progress.step())");
}

#[test]
fn constants_and_tests_are_left_alone() {
    for item in [
        "const A: usize = 1 + 2;",
        "static A: bool = true;",
        "const fn f() -> bool { true }",
        "#[cfg(test)] mod tests { fn f() -> bool { true } }",
        "#[cfg(test)] fn f() -> bool { true }",
        "enum A { B = 1 }",
    ] {
        let none = BTreeSet::new();
        assert_eq!(Sites::read("a.rs", item, 0, &none).unwrap().mutants, [], "{item}");
    }
}

#[test]
fn a_dropped_mutant_keeps_its_number_and_is_not_written() {
    let (mutants, edited) = rewritten("g(a < b)", &[0]);
    assert_eq!((mutants.len(), edited.as_str()), (2, "g(S::lt(1, &(a), &(b)))"));
}

#[test]
fn modules_for_tests_are_not_read() {
    let text = "mod a;\npub mod b;\n#[cfg(test)]\nmod tests;\nmod c { }\n";
    assert_eq!(modules(text).unwrap(), ["a", "b"]);
}

#[test]
fn survivors_are_read_back() {
    let text =
        "  50.0 %     1 of     2  src/a.rs\n\nsrc/a.rs:1:2: a → b\nsrc/a.rs:1:3: c → d (not reached)\n";
    assert_eq!(table::names(text), ["src/a.rs:1:2: a → b", "src/a.rs:1:3: c → d"]);
}
