use super::propose;
use crate::testing::{Case, case};

const ASSERTJ: &str = "import static org.assertj.core.api.Assertions.*;";
const TRUTH: &str = "import static com.google.common.truth.Truth.assertThat;";
const HAMCREST: &str = "import static org.hamcrest.Matchers.*;";
const NEW: &str = "/r/assertj-core-3.24.2.jar";

fn failing(imports: &str, jar: &str, statement: &str) -> Case {
    let test = format!(
        "import java.util.*;\n{imports}\n\nclass ATest {{\n  void a(Map<String, Integer> m, Set<String> s, \
         List<String> l, List<Foo> foos, Map<String, Integer> e) {{\n    {statement}/*fails*/\n  }}\n}}\n"
    );
    case(&test)
        .orders(&["x=1", "y=2"], &["y=2", "x=1"])
        .java(8, &[jar])
}

fn check(imports: &str, jar: &str, old: &str, new: &str) {
    failing(imports, jar, old).check(propose, &[&format!("-{old}\n+{new}")]);
}

fn refused(imports: &str, jar: &str, statement: &str) {
    failing(imports, jar, statement).check(propose, &[]);
}

#[test]
fn assertj_has_a_word_for_any_order() {
    let one = |old: &str, new: &str| check(ASSERTJ, NEW, old, new);
    one(
        "assertThat(s).as(\"m\").containsExactly(\"p\", \"q\");",
        "assertThat(s).as(\"m\").containsExactlyInAnyOrder(\"p\", \"q\");",
    );
    one(
        "assertThat(foos).extracting(Foo::name).containsExactly(\"x\", \"y\");",
        "assertThat(foos).extracting(Foo::name).containsExactlyInAnyOrder(\"x\", \"y\");",
    );
    one(
        "assertThat(s).containsExactlyElementsOf(l);",
        "assertThat(s).containsExactlyInAnyOrderElementsOf(l);",
    );
    one(
        "assertThat(m).containsExactly(entry(\"x\", 1), entry(\"y\", 2));",
        "assertThat(m).containsOnly(entry(\"x\", 1), entry(\"y\", 2));",
    );
    one(
        "assertThat(m).containsExactlyEntriesOf(e);",
        "assertThat(m).containsExactlyInAnyOrderEntriesOf(e);",
    );
    one(
        "assertThat(l).isEqualTo(Arrays.asList(\"x\", \"y\"));",
        "assertThat(l).containsExactlyInAnyOrder(\"x\", \"y\");",
    );
    one(
        "assertThat(l).isEqualTo(made(\"x\", \"y\"));",
        "assertThat(l).containsExactlyInAnyOrderElementsOf(made(\"x\", \"y\"));",
    );
}

#[test]
fn an_old_assertj_has_fewer_words() {
    let exactly = "assertThat(s).containsExactly(\"x\", \"y\");";
    let any_order = "assertThat(s).containsExactlyInAnyOrder(\"x\", \"y\");";
    let only = "assertThat(s).hasSize(2).containsOnly(\"x\", \"y\");";
    check(ASSERTJ, "/r/assertj-core-2.6.0.jar", exactly, any_order);
    check(ASSERTJ, "/r/assertj-core-3.6.0.jar", exactly, any_order);
    check(ASSERTJ, "/r/assertj-core-2.5.0.jar", exactly, only);
    check(ASSERTJ, "/r/assertj-core-3.5.2.jar", exactly, only);
    failing(ASSERTJ, "/r/assertj-core-1.7.1.jar", exactly).check_mutants(
        propose,
        &[
            "one expected element dropped: +assertThat(s).hasSize(1).containsOnly(\"y\");",
            "one expected element changed: +assertThat(s).hasSize(2).containsOnly(\"x~\", \"y\");",
            "one expected element doubled: +assertThat(s).hasSize(3).containsOnly(\"x\", \"x\", \"y\");",
        ],
    );
    // Two of them may be equal, or one twice the same.
    refused(
        ASSERTJ,
        "/r/assertj-core-1.7.1.jar",
        "assertThat(s).containsExactly(x, y);",
    );
    refused(
        ASSERTJ,
        "/r/assertj-core-1.7.1.jar",
        "assertThat(l).containsExactly(\"x\", \"x\", \"y\");",
    );
    refused(
        ASSERTJ,
        "/r/assertj-core-3.8.0.jar",
        "assertThat(s).containsExactlyElementsOf(l);",
    );
    check(
        ASSERTJ,
        "/r/assertj-core-3.12.0.jar",
        "assertThat(m).containsExactlyEntriesOf(e);",
        "assertThat(m).isEqualTo(e);",
    );
}

#[test]
fn truth_checks_the_order_only_if_asked() {
    let one = |old: &str, new: &str| check(TRUTH, "", old, new);
    one(
        "assertThat(l).containsExactly(\"x\", \"y\").inOrder();",
        "assertThat(l).containsExactly(\"x\", \"y\");",
    );
    one(
        "assertThat(m).containsExactlyEntriesIn(e).inOrder();",
        "assertThat(m).containsExactlyEntriesIn(e);",
    );
    one(
        "assertThat(l).isEqualTo(Arrays.asList(\"x\", \"y\"));",
        "assertThat(l).containsExactlyElementsIn(Arrays.asList(\"x\", \"y\"));",
    );
    refused(
        TRUTH,
        "",
        "assertThat(l).containsExactly(\"p\", \"q\").inOrder();",
    );
    refused(
        TRUTH,
        "",
        "assertThat(l).containsAtLeast(\"x\", \"y\").inOrder();",
    );
    refused(TRUTH, "", "assertThat(l).containsExactly(\"x\", \"y\");");
    // Keys and values in turn.
    refused(
        TRUTH,
        "",
        "assertThat(m).containsExactly(\"x\", 1, \"y\", 2).inOrder();",
    );
}

#[test]
fn hamcrest_has_a_word_for_any_order() {
    let one = |old: &str, new: &str| check(HAMCREST, "/r/hamcrest-2.2.jar", old, new);
    one(
        "assertThat(l, contains(\"x\", \"y\"));",
        "assertThat(l, containsInAnyOrder(\"x\", \"y\"));",
    );
    one(
        "assertThat(\"m\", t, is(arrayContaining(\"x\", \"y\")));",
        "assertThat(\"m\", t, is(arrayContainingInAnyOrder(\"x\", \"y\")));",
    );
    one(
        "assertThat(l, is(Arrays.asList(\"x\", \"y\")));",
        "assertThat(l, containsInAnyOrder(\"x\", \"y\"));",
    );
    one(
        "mvc.andExpect(jsonPath(\"$.a\", Matchers.contains(\"x\", \"y\")));",
        "mvc.andExpect(jsonPath(\"$.a\", Matchers.containsInAnyOrder(\"x\", \"y\")));",
    );
    failing(
        "import static org.hamcrest.Matchers.contains;",
        "",
        "assertThat(l, contains(\"x\", \"y\"));",
    )
    .check(
        propose,
        &[
            "-import static org.hamcrest.Matchers.contains;\n+import static org.hamcrest.Matchers.containsInAnyOrder;\n\
             -assertThat(l, contains(\"x\", \"y\"));\n+assertThat(l, containsInAnyOrder(\"x\", \"y\"));",
        ],
    );
}

#[test]
fn matchers_of_something_else_stay() {
    refused(ASSERTJ, NEW, "assertThat(l).containsExactly(\"p\", \"q\");");
    refused(ASSERTJ, NEW, "assertThat(l).containsExactly();");
    refused(ASSERTJ, NEW, "assertThat(l).contains(\"x\", \"y\");");
    refused(ASSERTJ, NEW, "assertThat(m).isEqualTo(e);");
    refused(ASSERTJ, NEW, "assertThat(\"x\").isEqualTo(\"y\");");
    refused(
        HAMCREST,
        "/r/hamcrest-2.2.jar",
        "assertThat(l, contains(\"p\", \"q\"));",
    );
    refused(
        HAMCREST,
        "/r/hamcrest-2.2.jar",
        "assertTrue(\"x y\".contains(\"x\"));",
    );
    refused(
        HAMCREST,
        "/r/hamcrest-2.2.jar",
        "assertThat(l, is(made(\"x\", \"y\")));",
    );
    // The core alone has no such matcher.
    refused(
        HAMCREST,
        "/r/hamcrest-core-1.3.jar",
        "assertThat(l, is(Arrays.asList(\"x\", \"y\")));",
    );
}

#[test]
fn mutants_drop_change_and_double() {
    let case = failing(ASSERTJ, NEW, "assertThat(l).containsExactly(x, y);");
    let [candidate] = &case.candidates(propose)[..] else {
        panic!("there is not exactly one candidate");
    };
    let shown: Vec<String> = candidate
        .mutants
        .iter()
        .map(|mutant| {
            let text = mutant.edits.apply(case.test().text());
            let line = text.lines().find(|line| line.contains("assertThat(")).unwrap();
            format!("{}: {}", mutant.mutation.name(), line.trim())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "one expected element dropped: assertThat(l).containsExactlyInAnyOrder(y);",
            "one expected element changed: assertThat(l).containsExactlyInAnyOrder(y, y);",
            "one expected element doubled: assertThat(l).containsExactlyInAnyOrder(x, x, y);",
            "one actual element dropped: assertThat(unflakeSpoilt(l)).containsExactlyInAnyOrder(x, y);",
            "one actual element doubled: assertThat(unflakeSpoilt(l)).containsExactlyInAnyOrder(x, y);",
        ]
    );
}
