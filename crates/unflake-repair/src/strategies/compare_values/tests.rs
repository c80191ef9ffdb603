use super::propose;
use crate::testing::{Case, case};

const FOUR: &str = "import static org.junit.Assert.*;";

fn failing(java: u32, imports: &str, statements: &str) -> Case {
    let test = format!(
        "import java.util.*;\n{imports}\n\nclass ATest {{\n  Map<String, Integer> m() {{ return null; }}\n  \
         void a(Set<String> s, List<String> l, String[] t, int[] n, List<Foo> foos) {{\n{statements}\n  }}\n}}\n"
    );
    case(&test).orders(&["x", "y"], &["y", "x"]).java(java, &[])
}

/// The changes of the only candidate, imports left out.
fn check(java: u32, imports: &str, statements: &str, expected: &str) {
    failing(java, imports, statements).check(propose, &[expected]);
}

fn refused(java: u32, imports: &str, statements: &str) {
    failing(java, imports, statements).check(propose, &[]);
}

#[test]
fn the_map_that_a_text_shows_is_compared() {
    let one = |old: &str, new: &str| {
        check(
            17,
            FOUR,
            &format!("    {old}/*fails*/"),
            &format!("-{old}\n+{new}"),
        )
    };
    one(
        "assertEquals(\"{x=1, y=2}\", m().toString());",
        "assertEquals(Map.of(\"x\", 1, \"y\", 2), m());",
    );
    one(
        "assertEquals(\"m\", \"{x=1, \" + \"y=2}\", String.valueOf(m()));",
        "assertEquals(\"m\", Map.of(\"x\", 1, \"y\", 2), m());",
    );
    one(
        "assertEquals(\"[x, y]\", \"\" + s);",
        "assertEquals(Set.of(\"x\", \"y\"), s);",
    );
    one(
        "assertThat(m()).hasToString(\"{x=1, y=2}\");",
        "assertThat(m()).isEqualTo(Map.of(\"x\", 1, \"y\", 2));",
    );
    one(
        "assertThat(s.toString(), is(\"[x, y]\"));",
        "assertThat(s, is(Set.of(\"x\", \"y\")));",
    );
    one(
        "assertEquals(s.toString(), m().keySet().toString());",
        "assertEquals(s, m().keySet());",
    );
    check(
        17,
        FOUR,
        "    String e = \"[x, y]\";\n    assertEquals(e, s.toString());/*fails*/",
        "-String e = \"[x, y]\";\n-assertEquals(e, s.toString());\n\
         +Set<String> e = Set.of(\"x\", \"y\");\n+assertEquals(e, s);",
    );
}

#[test]
fn members_of_a_class_are_compared_as_sets() {
    let imports = format!("{FOUR}\nimport java.lang.reflect.Field;");
    let check = |statements: &str, expected: &str| {
        failing(8, &imports, statements)
            .api("Class.getDeclaredFields")
            .check(propose, &[expected]);
    };
    check(
        "    List<Field> e = Arrays.asList(Number.class.getDeclaredFields());\n    assertEquals(e, all());/*fails*/",
        "-assertEquals(e, all());\n+assertEquals(new HashSet<>(e), new HashSet<>(all()));",
    );
    check(
        "    Field[] e = Number.class.getDeclaredFields();\n    assertArrayEquals(e, all());/*fails*/",
        "-assertArrayEquals(e, all());\n\
         +assertEquals(new HashSet<>(Arrays.asList(e)), new HashSet<>(Arrays.asList(all())));",
    );
    check(
        "    assertEquals(\"m\", Arrays.asList(A.class.getDeclaredFields()), all());/*fails*/",
        "-assertEquals(\"m\", Arrays.asList(A.class.getDeclaredFields()), all());\n\
         +assertEquals(\"m\", new HashSet<>(Arrays.asList(A.class.getDeclaredFields())), new HashSet<>(all()));",
    );
    // Of the methods of a class the fields know nothing.
    let other = failing(
        8,
        &imports,
        "    Field[] e = e();\n    assertArrayEquals(e, all());/*fails*/",
    );
    other.api("Class.getMethods").check(propose, &[]);
}

#[test]
fn java_8_has_no_factories() {
    check(
        8,
        FOUR,
        "    assertEquals(\"{x=1, y=2}\", m().toString());/*fails*/",
        "-assertEquals(\"{x=1, y=2}\", m().toString());\n+Map<String, Integer> expected = new HashMap<>();\n\
         +expected.put(\"x\", 1);\n+expected.put(\"y\", 2);\n+assertEquals(expected, m());",
    );
    check(
        8,
        FOUR,
        "    assertEquals(\"[x, y]\", s.toString());/*fails*/",
        "-assertEquals(\"[x, y]\", s.toString());\n\
         +assertEquals(new HashSet<>(Arrays.asList(\"x\", \"y\")), s);",
    );
}

#[test]
fn lists_that_a_text_shows_are_sorted() {
    check(
        17,
        FOUR,
        "    assertEquals(\"[2, 1]\", m().values().toString());/*fails*/",
        "-assertEquals(\"[2, 1]\", m().values().toString());\n\
         +assertEquals(List.of(1, 2), m().values().stream().sorted().toList());",
    );
    check(
        17,
        FOUR,
        "    assertEquals(\"[y, x]\", Arrays.toString(t));/*fails*/",
        "-assertEquals(\"[y, x]\", Arrays.toString(t));\n\
         +assertEquals(List.of(\"x\", \"y\"), Arrays.stream(t).sorted().toList());",
    );
}

#[test]
fn fluent_assertions_need_no_sorting() {
    let one = |imports: &str, old: &str, new: &str| {
        check(
            17,
            imports,
            &format!("    {old}/*fails*/"),
            &format!("-{old}\n+{new}"),
        );
    };
    one(
        "import static org.assertj.core.api.Assertions.*;",
        "assertThat(l.toString()).isEqualTo(\"[y, x]\");",
        "assertThat(l).containsExactlyInAnyOrderElementsOf(List.of(\"x\", \"y\"));",
    );
    one(
        "import static com.google.common.truth.Truth.*;",
        "assertThat(m().values().toString()).isEqualTo(\"[1, 2]\");",
        "assertThat(m().values()).containsExactlyElementsIn(List.of(1, 2));",
    );
    failing(17, "", "    assertThat(l).hasToString(\"[y, x]\");/*fails*/")
        .java(17, &["/r/assertj-core-3.8.0.jar"])
        .check(propose, &[]);
    failing(7, FOUR, "    assertEquals(\"[x, y]\", s.toString());/*fails*/").check(propose, &[]);
}

#[test]
fn texts_of_something_else_stay() {
    let one = |statement: &str| refused(17, FOUR, &format!("    {statement}/*fails*/"));
    one("assertEquals(\"{x=1, y}\", m().toString());");
    one("assertEquals(\"Foo[x, y]\", foos.get(0).toString());");
    one("assertEquals(text, m().toString());");
    one("assertEquals(\"{x=1}\", m().toString().trim());");
    // The variable is used for more.
    refused(
        17,
        FOUR,
        "    String e = \"[x, y]\";\n    use(e);\n    assertEquals(e, s.toString());/*fails*/",
    );
    // The order of the list does not come from the choice.
    one("assertEquals(\"[p, q]\", l.toString());");
    // Both are lists, whose equality has an order.
    one("assertEquals(l.toString(), foos.toString());");
}

#[test]
fn lists_and_arrays_of_a_set_are_compared_as_sets() {
    let one = |java: u32, old: &str, new: &str| {
        check(
            java,
            FOUR,
            &format!("    {old}/*fails*/"),
            &format!("-{old}\n+{new}"),
        );
    };
    one(
        17,
        "assertEquals(List.of(\"x\", \"y\"), new ArrayList<>(s));",
        "assertEquals(Set.of(\"x\", \"y\"), s);",
    );
    one(
        17,
        "assertEquals(Arrays.asList(\"x\", \"y\"), s.stream().toList());",
        "assertEquals(new HashSet<>(Arrays.asList(\"x\", \"y\")), s);",
    );
    one(
        8,
        "assertArrayEquals(new String[] {\"x\", \"y\"}, s.toArray());",
        "assertEquals(new HashSet<>(Arrays.asList(\"x\", \"y\")), s);",
    );
    one(
        17,
        "assertArrayEquals(t, m().keySet().toArray(new String[0]));",
        "assertEquals(new HashSet<>(Arrays.asList(t)), m().keySet());",
    );
    one(
        17,
        "assertEquals(l, new ArrayList<>(m().keySet()));",
        "assertEquals(new HashSet<>(l), m().keySet());",
    );
    check(
        8,
        "import static org.junit.Assert.assertArrayEquals;",
        "    assertArrayEquals(t, s.toArray());/*fails*/",
        "-import static org.junit.Assert.assertArrayEquals;\n+import static org.junit.Assert.assertEquals;\n\
         -assertArrayEquals(t, s.toArray());\n+assertEquals(new HashSet<>(Arrays.asList(t)), s);",
    );
}

#[test]
fn other_lists_and_arrays_are_compared_sorted() {
    let one = |old: &str, new: &str| {
        check(
            17,
            FOUR,
            &format!("    {old}/*fails*/"),
            &format!("-{old}\n+{new}"),
        )
    };
    one(
        "assertEquals(Arrays.asList(\"y\", \"x\"), l);",
        "assertEquals(Arrays.asList(\"x\", \"y\"), l.stream().sorted().toList());",
    );
    one(
        "assertEquals(made(\"x\", \"y\"), l);",
        "assertEquals(made(\"x\", \"y\").stream().sorted().toList(), l.stream().sorted().toList());",
    );
    one(
        "assertArrayEquals(new String[] {\"x\", \"y\"}, t);",
        "assertArrayEquals(new String[] {\"x\", \"y\"}, Arrays.stream(t).sorted().toArray());",
    );
    one(
        "assertLinesMatch(List.of(\"y\", \"x\"), l);",
        "assertLinesMatch(List.of(\"x\", \"y\"), l.stream().sorted().toList());",
    );
}

#[test]
fn elements_without_an_order_are_counted() {
    check(
        17,
        FOUR,
        "    assertEquals(made(\"x\", \"y\"), foos);/*fails*/",
        "+import java.util.function.Function;\n+import java.util.stream.Collectors;\n\
         -assertEquals(made(\"x\", \"y\"), foos);\n+assertEquals(counts(made(\"x\", \"y\")), counts(foos));\n+}\n+\n\
         +private static <T> Map<T, Long> counts(Collection<T> values) {\n\
         +return values.stream().collect(Collectors.toMap(Function.identity(), value -> 1L, Long::sum));",
    );
    check(
        17,
        "import com.google.common.collect.ImmutableList;",
        "    assertEquals(ImmutableList.of(x, y), foos);/*fails*/",
        "+import com.google.common.collect.ImmutableMultiset;\n-assertEquals(ImmutableList.of(x, y), foos);\n\
         +assertEquals(ImmutableMultiset.copyOf(ImmutableList.of(x, y)), ImmutableMultiset.copyOf(foos));",
    );
}

#[test]
fn a_method_that_counts_is_added_once() {
    let imports = format!("{FOUR}\nimport java.util.function.Function;\nimport java.util.stream.Collectors;");
    let counting = "    private static <T> Map<T, Long> counts(Collection<T> values) {\n        \
                    return values.stream().collect(Collectors.toMap(Function.identity(), value -> 1L, Long::sum));\n    }";
    let fails = "    assertEquals(made(\"x\", \"y\"), foos);/*fails*/";
    check(
        17,
        &imports,
        &format!("{fails}\n    }}\n\n{counting}\n\n    void more() {{"),
        "-assertEquals(made(\"x\", \"y\"), foos);\n+assertEquals(counts(made(\"x\", \"y\")), counts(foos));",
    );
}

#[test]
fn lists_that_the_choice_did_not_order_stay() {
    let one = |statement: &str| refused(17, FOUR, &format!("    {statement}/*fails*/"));
    one("assertEquals(Arrays.asList(\"p\", \"q\"), l);");
    one("assertArrayEquals(new int[] {1, 2}, n);");
    one("assertEquals(\"x\", \"y\");");
    one("assertEquals(7, l.size());");
    // What both texts are made of is the same: only the order can differ.
    failing(17, FOUR, "    assertEquals(made(), l);/*fails*/")
        .compared("[p, q]", "[q, p]")
        .check(
            propose,
            &["-assertEquals(made(), l);\n\
               +assertEquals(made().stream().sorted().toList(), l.stream().sorted().toList());"],
        );
    failing(17, FOUR, "    assertEquals(made(), l);/*fails*/")
        .compared("[p, q]", "[q, r]")
        .check(propose, &[]);
}

#[test]
fn elements_that_are_compared_one_by_one_are_compared_at_once() {
    check(
        17,
        FOUR,
        "    assertEquals(2, l.size());\n    assertEquals(\"y\", l.get(0));/*fails*/\n    \
         assertEquals(\"x\", l.get(1));",
        "-assertEquals(\"y\", l.get(0));\n-assertEquals(\"x\", l.get(1));\n\
         +assertEquals(List.of(\"x\", \"y\"), l.stream().sorted().toList());",
    );
    check(
        17,
        FOUR,
        "    assertEquals(\"x\", foos.get(0).name());\n    assertEquals(\"y\", foos.get(1).name());/*fails*/",
        "-assertEquals(\"x\", foos.get(0).name());\n-assertEquals(\"y\", foos.get(1).name());\n\
         +assertEquals(List.of(\"x\", \"y\"), foos.stream().map(e -> e.name()).sorted().toList());",
    );
}

#[test]
fn elements_that_belong_together_stay_together() {
    let refused = |statements: &str| refused(17, FOUR, statements);
    // The first element is not compared.
    refused("    assertEquals(\"x\", l.get(1));/*fails*/\n    assertEquals(\"y\", l.get(2));");
    // Two things are asked of each.
    refused(
        "    assertEquals(\"x\", foos.get(0).name());/*fails*/\n    assertEquals(\"y\", foos.get(1).name());\n    \
         assertEquals(1, foos.get(0).size());\n    assertEquals(2, foos.get(1).size());",
    );
    // Something stands between them.
    refused(
        "    assertEquals(\"x\", l.get(0));/*fails*/\n    l.clear();\n    assertEquals(\"y\", l.get(1));",
    );
    // A comment would be lost.
    refused(
        "    assertEquals(\"x\", l.get(0));/*fails*/\n    // Then y.\n    assertEquals(\"y\", l.get(1));",
    );
    // A map has keys, not places.
    refused("    assertEquals(\"x\", m().get(0));/*fails*/\n    assertEquals(\"y\", m().get(1));");
}

#[test]
fn mutants_spoil_one_side() {
    let with_method = failing(17, FOUR, "    assertEquals(List.of(\"x\", \"y\"), l);/*fails*/");
    let [candidate] = &with_method.candidates(propose)[..] else {
        panic!("there is not exactly one candidate");
    };
    let shown: Vec<String> = candidate
        .mutants
        .iter()
        .map(|mutant| {
            let text = mutant.edits.apply(with_method.test().text());
            let line = text.lines().find(|line| line.contains("assertEquals(")).unwrap();
            format!("{}: {}", mutant.mutation.name(), line.trim())
        })
        .collect();
    let sorted = "stream().sorted().toList()";
    let expected = |what: &str| {
        format!(
            "one expected element {what}: assertEquals(unflakeSpoilt(List.of(\"x\", \"y\")), l.{sorted});"
        )
    };
    let actual = |what: &str| {
        format!("one actual element {what}: assertEquals(List.of(\"x\", \"y\"), unflakeSpoilt(l).{sorted});")
    };
    assert_eq!(
        shown,
        [
            expected("dropped"),
            expected("changed"),
            expected("doubled"),
            actual("dropped"),
            actual("doubled"),
        ]
    );
}
