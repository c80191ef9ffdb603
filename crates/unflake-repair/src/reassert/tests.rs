use super::in_message;
use crate::testing::case;

const IMPORTS: &str = "import static org.junit.Assert.*;\n";

/// Members of a test class, the values that were compared, and the changed lines or the reason.
fn check(members: &str, expected: &str, actual: &str, outcome: Result<&str, &str>) {
    let case = case(&format!("{IMPORTS}class ATest {{\n{members}\n}}\n")).compared(expected, actual);
    let renewed = case.renewed();
    assert_eq!(renewed.as_deref().map_err(String::as_str), outcome, "{members}");
}

/// The same for one comparison in a test.
fn check_value(value: &str, expected: &str, actual: &str, outcome: Result<&str, &str>) {
    let members = format!("  void a() {{\n    assertEquals({value}, x);/*fails*/\n  }}");
    let outcome = outcome.map(|new| {
        let is_one_line = !value.contains('\n');
        if is_one_line {
            format!("-assertEquals({value}, x);\n+assertEquals({new}, x);")
        } else {
            new.to_owned()
        }
    });
    check(&members, expected, actual, outcome.as_deref().map_err(|why| *why));
}

const OTHER_PARTS: &str = "the actual value has other parts, not the same in another order";

#[test]
fn a_literal_gets_the_actual_order() {
    check_value("\"P[a=1,b=2]\"", "P[a=1,b=2]", "P[b=2,a=1]", Ok("\"P[b=2,a=1]\""));
    check_value(
        r#""{\"a\":1,\"b\":\"\u00e4\"}""#,
        "{\"a\":1,\"b\":\"ä\"}",
        "{\"b\":\"ä\",\"a\":1}",
        Ok(r#""{\"b\":\"\u00e4\",\"a\":1}""#),
    );
    check_value("\"a,ä\"", "a,ä", "ä,a", Ok("\"ä,a\""));
    check_value(
        "\"{'a':1,'b':2}\".replace('\\'', '\"')",
        "{\"a\":1,\"b\":2}",
        "{\"b\":2,\"a\":1}",
        Ok("\"{'b':2,'a':1}\".replace('\\'', '\"')"),
    );
}

#[test]
fn another_value_is_never_accepted() {
    check_value("\"P[a=1,b=2]\"", "P[a=1,b=2]", "P[b=1,a=2]", Err(OTHER_PARTS));
    check_value("\"a,b\"", "a,b", "b,a,c", Err(OTHER_PARTS));
    check_value(
        "\"a,b\"",
        "a,c",
        "c,a",
        Err("the failure compared another text than this literal"),
    );
    check_value("f()", "a,b", "b,a", Err("the expected value `f()` is no literal"));
}

#[test]
fn pieces_stay_as_they_are_written() {
    check_value(
        "\"a,\" +\n        \"b,\" +\n        \"c\"",
        "a,b,c",
        "b,a,c",
        Ok("-assertEquals(\"a,\" +\n-\"b,\" +\n+assertEquals(\"b,\" +\n+\"a,\" +"),
    );
    // The last one has no comma.
    check_value(
        "\"a,\\n\" +\n        \"b\\n\"",
        "a,\nb\n",
        "b,\na\n",
        Ok("-assertEquals(\"a,\\n\" +\n-\"b\\n\", x);\n+assertEquals(\"b,\\n\" +\n+\"a\\n\", x);"),
    );
    check_value(
        "\"a=\" + A + \",b=\" + B",
        "a=1,b=2",
        "b=2,a=1",
        Err("the expected text is joined of parts that are no literals"),
    );
    check_value(
        "\"a\" + NL + \"b\" + NL",
        "a\nb\n",
        "b\na\n",
        Ok("\"b\" + NL + \"a\" + NL"),
    );
    check_value(
        "f() + g()",
        "a\nb\n",
        "b\na\n",
        Err("the expected text is joined of parts that are no literals"),
    );
}

#[test]
fn literals_between_computed_parts_are_renewed() {
    check_value(
        "f() + \"[a=1,b=2]\"",
        "F@1f[a=1,b=2]",
        "F@1f[b=2,a=1]",
        Ok("f() + \"[b=2,a=1]\""),
    );
    check_value(
        "\"{x,y}\" + NL + \"{a,b}\"",
        "{x,y}\n{a,b}",
        "{x,y}\n{b,a}",
        Ok("\"{x,y}\" + NL + \"{b,a}\""),
    );
    // What is computed has another value now.
    check_value(
        "f() + \"[a,b]\"",
        "c[a,b]",
        "a[c,b]",
        Err("the expected text is joined of parts that are no literals"),
    );
}

#[test]
fn text_blocks_keep_their_indentation() {
    check_value(
        "\"\"\"\n        a\n          b\n        \"\"\"",
        "a\n  b\n",
        "  b\na\n",
        Ok("+b\n-b"),
    );
    check_value(
        "\"\"\"\n        a\n        b \\\n        \"\"\"",
        "a\nb ",
        "b \na",
        Err("the text block has signs that it cannot be renewed with"),
    );
}

#[test]
fn elements_change_their_places() {
    check_value(
        "Arrays.asList(\"a\", \"b\")",
        "[a, b]",
        "[b, a]",
        Ok("Arrays.asList(\"b\", \"a\")"),
    );
    check_value("List.of(A, B)", "[x, y]", "[y, x]", Ok("List.of(B, A)"));
    check_value(
        "new int[] {1, 2, 1}",
        "[1, 2, 1]",
        "[2, 1, 1]",
        Ok("new int[] {2, 1, 1}"),
    );
    check_value(
        "Arrays.asList(\"a\", \"b\")",
        "[a, b]",
        "[b, b]",
        Err("the actual elements are other ones, not the same in another order"),
    );
    check_value(
        "Arrays.asList(\"a\", \"b\")",
        "a",
        "b",
        Err("the failure does not tell all elements"),
    );
    check(
        "  void a() {\n    assertThat(x).containsExactly(\"a\", \"b\");/*fails*/\n  }",
        "[\"a\", \"b\"]",
        "[\"b\", \"a\"]",
        Ok("-assertThat(x).containsExactly(\"a\", \"b\");\n+assertThat(x).containsExactly(\"b\", \"a\");"),
    );
}

#[test]
fn variables_and_constants_of_one_test_are_renewed() {
    check(
        "  void a() {\n    String e = \"a,b\";\n    assertEquals(e, x);/*fails*/\n  }",
        "a,b",
        "b,a",
        Ok("-String e = \"a,b\";\n+String e = \"b,a\";"),
    );
    check(
        "  static final String E = \"a,b\";\n  void a() {\n    assertEquals(E, x);/*fails*/\n  }",
        "a,b",
        "b,a",
        Ok("-static final String E = \"a,b\";\n+static final String E = \"b,a\";"),
    );
    check(
        "  static final String E = \"a,b\";\n  void b() { use(E); }\n  void a() {\n    assertEquals(E, x);/*fails*/\n  }",
        "a,b",
        "b,a",
        Err("other tests use `E` as well"),
    );
    check(
        "  void a() {\n    String e = \"a,\";\n    e += \"b\";\n    assertEquals(e, x);/*fails*/\n  }",
        "a,b",
        "b,a",
        Err("`e` gets its value in several places"),
    );
}

#[test]
fn the_caller_of_a_checking_method_has_the_literal() {
    check(
        "  void check(int n, String e) {\n    assertEquals(e, x);/*fails*/\n  }\n  void a() {\n    \
         check(1, \"a,b\");/*fails*/\n  }",
        "a,b",
        "b,a",
        Ok("-check(1, \"a,b\");\n+check(1, \"b,a\");"),
    );
    check(
        "  void check(String e) {\n    assertEquals(e, x);/*fails*/\n  }\n  void a() {}",
        "a,b",
        "b,a",
        Err("the expected value comes from outside of the project"),
    );
    check(
        "  void a() {\n    assertSame(\"a,b\", x);/*fails*/\n  }",
        "a,b",
        "b,a",
        Ok("-assertSame(\"a,b\", x);\n+assertSame(\"b,a\", x);"),
    );
}

#[test]
fn messages_without_values_tell_them() {
    let told = |message: &str| in_message(message).map(|told| (told.expected.unwrap(), told.actual));
    let pair = |expected: &str, actual: &str| Some((expected.to_owned(), actual.to_owned()));
    assert_eq!(
        told("\nExpected: is \"{\\\"a\\\":1}\"\n     but: was \"b\\n\""),
        pair("{\"a\":1}", "b\n")
    );
    assert_eq!(told("expected [a] but found [b]"), pair("a", "b"));
    assert_eq!(told("\nexpected: \"a\"\n but was: \"b\""), pair("a", "b"));
    assert_eq!(told("boom"), None);
}
