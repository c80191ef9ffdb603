use super::*;
use crate::libraries::Added;
use crate::testing::{Case, case};

const ONE: &str = r#"{"a":1,"b":[2,3]}"#;
const TWO: &str = r#"{"b":[2,3],"a":1}"#;
const GSON: [&str; 1] = ["/r/gson-2.10.1.jar"];
const JACKSON: [&str; 1] = ["/r/jackson-databind-2.16.0.jar"];

fn test_with(imports: &str, members: &str) -> Case {
    case(&format!(
        "package p;\n\n{imports}\nclass ATest {{\n{members}\n}}\n"
    ))
    .compared(ONE, TWO)
}

fn statement(imports: &str, statement: &str) -> Case {
    test_with(
        imports,
        &format!("  @Test\n  public void a() {{\n    {statement}/*fails*/\n  }}"),
    )
}

#[test]
fn a_library_is_added_only_where_none_is_there_and_it_is_allowed() {
    let equal = "assertEquals(json, body());";
    let added = || Added {
        file: "pom.xml".to_owned(),
        edits: Edits::new().insert(0, "x"),
    };
    statement("", equal)
        .java(8, &[])
        .check(propose_with_new_library, &[]);
    statement("", equal)
        .java(8, &GSON)
        .may_add(added())
        .check(propose_with_new_library, &[]);
    let case = statement("", equal).java(8, &[]).may_add(added());
    let [candidate] = &case.candidates(propose_with_new_library)[..] else {
        panic!("there is one candidate");
    };
    assert_eq!(candidate.safety, Safety::Dependency);
    assert_eq!(candidate.edits["pom.xml"], added().edits);
    let test = candidate.edits[crate::testing::TEST].apply(case.test().text());
    assert!(
        test.contains("JSONAssert.assertEquals(json, body(), true);"),
        "{test}"
    );
    assert!(test.contains("public void a() throws Exception {"), "{test}");
    assert!(candidate.mutants.len() >= 2);
    let fluent = statement("", "assertThat(body()).isEqualTo(json);").may_add(added());
    let test = &fluent.candidates(propose_with_new_library)[0].edits[crate::testing::TEST];
    let test = test.apply(fluent.test().text());
    assert!(
        test.contains("JSONAssert.assertEquals(json, body(), true);"),
        "{test}"
    );
    statement("", equal)
        .compared("a", "b")
        .may_add(added())
        .check(propose_with_new_library, &[]);
}

#[test]
fn the_trees_are_compared_by_what_the_file_uses() {
    let equal = "assertEquals(json, body());";
    statement("import com.google.gson.JsonParser;\n", equal).java(8, &GSON).check(
        propose,
        &["-assertEquals(json, body());\n+assertEquals(JsonParser.parseString(json), JsonParser.parseString(body()));"],
    );
    statement("", equal).java(8, &["/r/gson-2.8.5.jar"]).check(
        propose,
        &[
            "+import com.google.gson.JsonParser;\n+\n-assertEquals(json, body());\n\
           +assertEquals(new JsonParser().parse(json), new JsonParser().parse(body()));",
        ],
    );
    statement("import org.json.JSONObject;\n", equal)
        .java(8, &["/r/json-20231013.jar"])
        .check(
            propose,
            &["-assertEquals(json, body());\n\
           +assertEquals(new JSONObject(json).toMap(), new JSONObject(body()).toMap());"],
        );
    statement("import com.alibaba.fastjson.JSON;\n", equal)
        .java(8, &["/r/fastjson-1.2.83.jar"])
        .check(
            propose,
            &["-assertEquals(json, body());\n+assertEquals(JSON.parse(json), JSON.parse(body()));"],
        );
    statement("", equal).java(8, &[]).check(propose, &[]);
    statement("import org.json.JSONObject;\n", equal)
        .java(8, &["/r/json-20140107.jar"])
        .check(propose, &[]);
}

#[test]
fn a_library_that_compares_comes_before_one_that_reads() {
    let jars = [
        "/r/gson-2.10.1.jar",
        "/r/jsonassert-1.5.1.jar",
        "/r/json-20231013.jar",
    ];
    let first = |imports: &str| {
        let case = statement(imports, "assertEquals(json, body());").java(8, &jars);
        let candidate = case.candidates(propose).remove(0);
        candidate.why.split("with ").nth(1).unwrap_or_default()[..4].to_owned()
    };
    assert_eq!(first(""), "JSON");
    assert_eq!(first("import com.google.gson.JsonParser;\n"), "Gson");
}

#[test]
fn single_quotes_are_read_by_some_libraries() {
    let case = statement("", "assertEquals(json, body());").compared("{'a':1,'b':2}", "{'b':2,'a':1}");
    case.java(8, &GSON).check(
        propose,
        &[
            "+import com.google.gson.JsonParser;\n+\n-assertEquals(json, body());\n\
             +assertEquals(JsonParser.parseString(json), JsonParser.parseString(body()));",
        ],
    );
    let case = statement("", "assertEquals(json, body());").compared("{'a':1,'b':2}", "{'b':2,'a':1}");
    case.java(8, &JACKSON).check(propose, &[]);
}

#[test]
fn a_mapper_that_is_there_reads() {
    let imports = "import com.fasterxml.jackson.databind.ObjectMapper;\n";
    test_with(
        imports,
        "  ObjectMapper m;\n  @Test\n  public void a() throws IOException {\n    assertEquals(json, body);/*fails*/\n  }",
    )
    .java(8, &JACKSON)
    .check(propose, &["-assertEquals(json, body);\n+assertEquals(m.readTree(json), m.readTree(body));"]);
    test_with(
        imports,
        "  ObjectMapper m;\n  @Test\n  public void a() {\n    assertEquals(json, body);/*fails*/\n  }",
    )
    .java(8, &JACKSON)
    .check(
        propose,
        &["-public void a() {\n-assertEquals(json, body);\n\
           +public void a() throws Exception {\n+assertEquals(m.readTree(json), m.readTree(body));"],
    );
    statement(imports, "assertEquals(json, body);")
        .java(8, &JACKSON)
        .check(
            propose,
            &["-public void a() {\n-assertEquals(json, body);\n\
           +public void a() throws Exception {\n+ObjectMapper mapper = new ObjectMapper();\n\
           +assertEquals(mapper.readTree(json), mapper.readTree(body));"],
        );
    statement("", "assertEquals(json, objectMapper.writeValueAsString(x));").java(8, &JACKSON).check(
        propose,
        &["-public void a() {\n-assertEquals(json, objectMapper.writeValueAsString(x));\n\
           +public void a() throws Exception {\n\
           +assertEquals(objectMapper.readTree(json),\n+objectMapper.readTree(objectMapper.writeValueAsString(x)));"],
    );
}

#[test]
fn what_cannot_throw_reads_by_a_method_that_does_not() {
    test_with(
        "import com.fasterxml.jackson.databind.ObjectMapper;\n",
        "  static final ObjectMapper MAPPER = new ObjectMapper();\n\n  void same(String e, String a) {\n    \
         assertEquals(e, a);/*fails*/\n  }",
    )
    .java(8, &JACKSON)
    .check(
        propose,
        &["+import com.fasterxml.jackson.databind.JsonNode;\n+import java.io.IOException;\n\
           +import java.io.UncheckedIOException;\n-assertEquals(e, a);\n+assertEquals(tree(e), tree(a));\n+}\n+\n\
           +private static JsonNode tree(String json) {\n+try {\n+return MAPPER.readTree(json);\n\
           +} catch (IOException e) {\n+throw new UncheckedIOException(e);\n+}"],
    );
}

#[test]
fn every_framework_keeps_its_form() {
    let gson = "import com.google.gson.*;\n";
    let check = |imports: &str, old: &str, new: &str| {
        let imports = format!("{gson}{imports}");
        statement(&imports, old)
            .java(8, &GSON)
            .check(propose, &[&format!("-{old}\n+{new}")]);
    };
    check(
        "",
        "assertEquals(\"text\", json, body);",
        "assertEquals(\"text\", JsonParser.parseString(json), JsonParser.parseString(body));",
    );
    check(
        "import static org.testng.Assert.assertEquals;\n",
        "assertEquals(body, json);",
        "assertEquals(JsonParser.parseString(body), JsonParser.parseString(json));",
    );
    check(
        "",
        "assertThat(body).as(\"x\").isEqualTo(json);",
        "assertThat(JsonParser.parseString(body)).as(\"x\").isEqualTo(JsonParser.parseString(json));",
    );
    check(
        "",
        "assertThat(body).hasToString(json);",
        "assertThat(JsonParser.parseString(body.toString())).isEqualTo(JsonParser.parseString(json));",
    );
    check(
        "",
        "assertWithMessage(m).that(body).isEqualTo(json);",
        "assertWithMessage(m).that(JsonParser.parseString(body)).isEqualTo(JsonParser.parseString(json));",
    );
    check(
        "",
        "assertThat(body, is(equalTo(json)));",
        "assertThat(JsonParser.parseString(body), is(equalTo(JsonParser.parseString(json))));",
    );
    check(
        "",
        "assertTrue(json.equals(body));",
        "assertTrue(JsonParser.parseString(json).equals(JsonParser.parseString(body)));",
    );
    for stays in [
        "assertThat(body).startsWith(\"{\").isEqualTo(json);",
        "assertThat(body).isEqualTo(json).hasSize(9);",
        "assertFalse(json.equals(body));",
        "assertNotEquals(json, body);",
    ] {
        statement(gson, stays).java(8, &GSON).check(propose, &[]);
    }
    let typed = "List<String> body = body(); assertEquals(json, body);";
    statement(gson, typed).java(8, &GSON).check(propose, &[]);
}

#[test]
fn assertions_of_libraries_for_json() {
    let imports = "import org.skyscreamer.jsonassert.JSONAssert;\n";
    let jars = ["/r/jsonassert-1.5.1.jar", "/r/json-20231013.jar"];
    let only_first = |case: Case, expected: &str| {
        let first = case.java(8, &jars);
        let shown = first.candidates(propose).len();
        assert!(shown > 0);
        first.check(|clues| propose(clues).into_iter().take(1).collect(), &[expected]);
    };
    only_first(
        statement(imports, "assertEquals(json, body);"),
        "-assertEquals(json, body);\n+JSONAssert.assertEquals(json, body, true);",
    );
    only_first(
        statement(imports, "assertThat(body).isEqualTo(json);"),
        "-assertThat(body).isEqualTo(json);\n+JSONAssert.assertEquals(json, body, true);",
    );
    only_first(
        statement(imports, "assertEquals(json, body);").compared("[1,2]", "[2,1]"),
        "+import org.skyscreamer.jsonassert.JSONCompareMode;\n-assertEquals(json, body);\n\
         +JSONAssert.assertEquals(json, body, JSONCompareMode.NON_EXTENSIBLE);",
    );
    statement(imports, "assertEquals(json, body);")
        .java(8, &["/r/android-json-0.0.jar"])
        .check(
            propose,
            &["-public void a() {\n-assertEquals(json, body);\n\
           +public void a() throws Exception {\n+JSONAssert.assertEquals(json, body, true);"],
        );
    let unit = "import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;\n";
    statement(unit, "assertThat(body).isEqualTo(json);")
        .java(8, &[])
        .check(
            propose,
            &["-assertThat(body).isEqualTo(json);\n+assertThatJson(body).isEqualTo(json);"],
        );
    statement(unit, "assertEquals(json, body);")
        .compared("[1,2]", "[2,1]")
        .java(8, &[])
        .check(
            propose,
            &[
                "+import net.javacrumbs.jsonunit.core.Option;\n+\n-assertEquals(json, body);\n\
           +assertThatJson(body).when(Option.IGNORING_ARRAY_ORDER).isEqualTo(json);",
            ],
        );
}

#[test]
fn only_texts_that_say_the_same_are_compared_as_trees() {
    let check = |expected: &str, actual: &str, count: usize| {
        let case = statement("", "assertEquals(json, body);")
            .compared(expected, actual)
            .java(8, &GSON);
        assert_eq!(case.candidates(propose).len(), count, "{expected} {actual}");
    };
    check(ONE, TWO, 1);
    check(ONE, r#"{"b":[2,3],"a":2}"#, 0);
    check(ONE, "{b=[2,3], a=1}", 0);
    check("[1,2]", "[2,1]", 0);
    check("{a=1}", "{a=1}", 0);
}

#[test]
fn one_mistake_is_seen() {
    let gson = "import com.google.gson.JsonParser;\n";
    statement(gson, "assertEquals(json, body);").java(8, &GSON).check_mutants(
        propose,
        &[
            r#"one expected element dropped: +assertEquals(JsonParser.parseString("{\"b\":[2,3]}"), JsonParser.parseString(body));"#,
            r#"one expected element changed: +assertEquals(JsonParser.parseString("{\"a\":7,\"b\":[2,3]}"), JsonParser.parseString(body));"#,
            r#"one expected element doubled: +assertEquals(JsonParser.parseString("{\"a\":1,\"b\":[2,2,3]}"), JsonParser.parseString(body));"#,
            r#"one actual element dropped: +assertEquals(JsonParser.parseString(json), JsonParser.parseString("{\"a\":1,\"b\":[3]}"));"#,
            r#"one actual element doubled: +assertEquals(JsonParser.parseString(json), JsonParser.parseString("{\"a\":1,\"b\":[2,2,3]}"));"#,
        ],
    );
}

#[test]
fn a_class_that_repeats_it_gets_a_method() {
    let members = r#"  @Test
  public void a() {
    assertEquals("{\"a\":1,\"b\":[2,3]}", one());/*fails*/
  }

  @Test
  public void b() {
    assertEquals("{\"a\":1,\"b\":2}", two());
    String three = "{\"a\":1,\"b\":3}";
    assertEquals(three, three());
  }"#;
    test_with("import com.google.gson.JsonParser;\n", members).java(8, &GSON).check(
        propose,
        &[
            "-assertEquals(\"{\\\"a\\\":1,\\\"b\\\":[2,3]}\", one());\n\
             +assertJsonEquals(\"{\\\"a\\\":1,\\\"b\\\":[2,3]}\", one());\n+\n\
             +private static void assertJsonEquals(String expected, String actual) {\n\
             +assertEquals(JsonParser.parseString(expected), JsonParser.parseString(actual));\n+}",
            "-assertEquals(\"{\\\"a\\\":1,\\\"b\\\":[2,3]}\", one());\n\
             +assertEquals(JsonParser.parseString(\"{\\\"a\\\":1,\\\"b\\\":[2,3]}\"), JsonParser.parseString(one()));",
        ],
    );
}

#[test]
fn a_line_that_gets_long_is_broken() {
    let long = "assertEquals(theExpectedTextOfTheAnswer, client.request(address).send().body().text());";
    statement("import com.google.gson.JsonParser;\n", long)
        .java(8, &GSON)
        .check(
            propose,
            &[&format!(
                "-{long}\n+assertEquals(JsonParser.parseString(theExpectedTextOfTheAnswer),\n\
             +JsonParser.parseString(client.request(address).send().body().text()));"
            )],
        );
}

#[test]
fn a_library_for_json_keeps_what_is_not_order() {
    let own = |imports: &str, old: &str| {
        statement(imports, old).java(8, &[]).file(
            "src/main/java/com/google/gson/Gson.java",
            "package com.google.gson;\nclass Gson {}\n",
        )
    };
    let imports = "import com.google.gson.JsonParser;\nimport com.google.gson.Gson;\n";
    own(imports, "assertEquals(json, body());").check(
        propose,
        &[
            "-assertEquals(json, body());\n+assertJsonEquals(json, body());\n+}\n+\n\
           +private static void assertJsonEquals(String expected, String actual) {\n\
           +// Only the order of members is free.\n+assertEquals(expected.length(), actual.length());\n\
           +assertEquals(JsonParser.parseString(expected), JsonParser.parseString(actual));",
        ],
    );
    own(imports, "assertThat(body).isEqualTo(json);").check(
        propose,
        &[
            "-assertThat(body).isEqualTo(json);\n+assertJsonEquals(json, body);\n+}\n+\n\
           +private static void assertJsonEquals(String expected, String actual) {\n\
           +// Only the order of members is free.\n+assertThat(actual).hasLength(expected.length());\n\
           +assertThat(JsonParser.parseString(actual)).isEqualTo(JsonParser.parseString(expected));",
        ],
    );
    own(imports, "assertThat(body, is(json));").check(propose, &[]);
    let there = test_with(
        imports,
        "  @Test\n  public void a() {\n    assertEquals(json, body());/*fails*/\n  }\n\n  \
         private static void assertJsonEquals(String expected, String actual) {\n    \
         // Only the order of members is free.\n    assertEquals(expected.length(), actual.length());\n    \
         assertEquals(JsonParser.parseString(expected), JsonParser.parseString(actual));\n  }",
    );
    there
        .java(8, &[])
        .file(
            "src/main/java/com/google/gson/Gson.java",
            "package com.google.gson;\nclass Gson {}\n",
        )
        .check(
            propose,
            &["-assertEquals(json, body());\n+assertJsonEquals(json, body());"],
        );
}

#[test]
fn a_class_with_assertions_for_all_tests_gets_the_method() {
    let imports =
        "import static com.google.common.truth.Truth.assertThat;\nimport com.google.gson.JsonParser;\n";
    let case = |asserts: &str| {
        statement(imports, "assertThat(body).isEqualTo(json);")
            .java(8, &[])
            .file(
                "src/main/java/com/google/gson/Gson.java",
                "package com.google.gson;\nclass Gson {}\n",
            )
            .file("src/test/java/q/MoreAsserts.java", asserts)
            .java(8, &GSON)
    };
    let there = "package q;\n\nimport java.util.List;\n\npublic final class MoreAsserts {\n  \
                 public static void assertEmpty(List<?> l) {}\n}\n";
    case(there).check(
        propose,
        &[
            "+import q.MoreAsserts;\n-assertThat(body).isEqualTo(json);\n+MoreAsserts.assertJsonEquals(json, body);\n\
           +import static com.google.common.truth.Truth.assertThat;\n+\n+import com.google.gson.JsonParser;\n+\n\
           +/** Asserts that two JSON texts are the same but for the order of members. */\n\
           +public static void assertJsonEquals(String expected, String actual) {\n\
           +assertThat(actual).hasLength(expected.length());\n\
           +assertThat(JsonParser.parseString(actual)).isEqualTo(JsonParser.parseString(expected));\n+}",
        ],
    );
    let private = case(&there.replace("public static", "static"));
    let changes = private.changes(&private.candidates(propose)[0]);
    assert!(
        changes.contains("+private static void assertJsonEquals"),
        "{changes}"
    );
}
