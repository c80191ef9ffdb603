//! The examples of the DexFix paper (sections III and IV-B), each with the repair that the paper shows. Where ours is
//! another one, the case says why.

use super::candidates;
use crate::testing::{Case, case};

/// What a strategy does, as changed lines: its first candidate.
fn by(case: &Case, strategy: &str) -> String {
    let all = case.candidates(candidates);
    let one = all.iter().find(|candidate| candidate.strategy == strategy);
    let names: Vec<&str> = all.iter().map(|candidate| candidate.strategy).collect();
    case.changes(one.unwrap_or_else(|| panic!("`{strategy}` is not among {names:?}")))
}

/// III-A, Apache Hadoop: fields are sorted in main code, in a variable of their own, before the loop over them.
#[test]
fn a_simple_fix_in_main_code() {
    let main = "package p;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

public class Main {
  public static List<Field> getDeclaredFieldsIncludingInherited(Class<?> clazz) {
    List<Field> fields = new ArrayList<Field>();
    while (clazz != null) {
      for (Field field : clazz.getDeclaredFields()) {/*calls*/
        fields.add(field);
      }
      clazz = clazz.getSuperclass();
    }
    return fields;
  }
}
";
    let hadoop = |java: u32| {
        let case = case("class ATest {}\n").main(main).api("Class.getDeclaredFields");
        by(&case.java(java, &[]), "sort-members")
    };
    // The paper's comparator is a class of its own; where Java has method references, they are shorter.
    assert_eq!(
        hadoop(7),
        "+import java.util.Arrays;
+import java.util.Comparator;
-for (Field field : clazz.getDeclaredFields()) {
+Field[] sortedFields = clazz.getDeclaredFields();
+Arrays.sort(sortedFields, new Comparator<Field>() {
+@Override
+public int compare(Field a, Field b) {
+return a.getName().compareTo(b.getName());
+}
+});
+for (Field field : sortedFields) {"
    );
    assert_eq!(
        hadoop(8),
        "+import java.util.Arrays;
+import java.util.Comparator;
-for (Field field : clazz.getDeclaredFields()) {
+Field[] sortedFields = clazz.getDeclaredFields();
+Arrays.sort(sortedFields, Comparator.comparing(Field::getName));
+for (Field field : sortedFields) {"
    );
}

/// IV-B: where the call is all of a statement, what it gives is sorted after it.
#[test]
fn fields_that_have_a_variable_already() {
    let code = "import java.lang.reflect.Field;\nimport java.util.Arrays;\nimport java.util.Comparator;\n\
                class ATest {\n  Field[] fields;\n  void a() {\n    fields = clazz.getDeclaredFields();/*calls*/\n  }\n}\n";
    let case = case(code).api("Class.getDeclaredFields");
    assert_eq!(
        by(&case, "sort-members"),
        "+Arrays.sort(fields, Comparator.comparing(Field::getName));"
    );
}

/// III-B, Quarkus: three sets, two of them in main code, become linked ones, one after the other. That all three are
/// found is a matter of the search; here is each of its steps.
#[test]
fn several_changes_with_the_same_strategy() {
    let main = "package p;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

public class Main {
    private final Set<String> defaultFlags;

    public Main(Set<String> defaultFlags, Collection<String> userFlags) {
        this.defaultFlags = defaultFlags == null ? new HashSet<>() : new HashSet<>(defaultFlags);/*1*/
    }

    public void setDefaultFlags(Set<String> flags) {
        Set<String> all = new HashSet<>(flags);/*2*/
    }
}
";
    let test = "package p;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

class ATest {
    private Set<String> setOf(String... flags) {
        return new HashSet<>(Arrays.asList(flags));/*3*/
    }
}
";
    let repaired = |number: u32| {
        let mark = |text: &str| {
            let marked = text.replace(&format!("/*{number}*/"), "/*makes*/");
            (1..4).fold(marked, |text, other| text.replace(&format!("/*{other}*/"), ""))
        };
        by(&case(&mark(test)).main(&mark(main)), "linked-hash")
    };
    let import = "-import java.util.HashSet;\n+import java.util.LinkedHashSet;";
    let both = "+import java.util.LinkedHashSet;";
    assert_eq!(
        repaired(1),
        format!(
            "{both}
-this.defaultFlags = defaultFlags == null ? new HashSet<>() : new HashSet<>(defaultFlags);
+this.defaultFlags = defaultFlags == null ? new LinkedHashSet<>() : new LinkedHashSet<>(defaultFlags);"
        )
    );
    assert_eq!(
        repaired(2),
        format!(
            "{both}\n-Set<String> all = new HashSet<>(flags);\n+Set<String> all = new LinkedHashSet<>(flags);"
        )
    );
    assert_eq!(
        repaired(3),
        format!(
            "{import}\n-return new HashSet<>(Arrays.asList(flags));\n\
             +return new LinkedHashSet<>(Arrays.asList(flags));"
        )
    );
}

/// III-C, fastjson: the map is linked, and the expected text, which has another order then, is renewed.
#[test]
fn several_changes_with_different_strategies() {
    let test = "import java.util.HashMap;
import org.junit.Assert;

class ATest {
    public void test_dupType2() {
        HashMap<String, Object> obj = new HashMap<>();/*makes*/
        obj.put(\"id\", 1001);
        obj.put(\"@type\", \"X\");
        String text1 = toJSONString(obj);
        Assert.assertEquals(\"{\\\"@type\\\":\\\"X\\\",\\\"id\\\":1001}\", text1);/*fails*/
    }
}
";
    assert_eq!(
        by(&case(test), "linked-hash"),
        "+import java.util.LinkedHashMap;
-HashMap<String, Object> obj = new HashMap<>();
+HashMap<String, Object> obj = new LinkedHashMap<>();"
    );
    let case = case(&test.replace("new HashMap<>", "new LinkedHashMap<>"))
        .compared("{\"@type\":\"X\",\"id\":1001}", "{\"id\":1001,\"@type\":\"X\"}");
    assert_eq!(
        case.renewed().unwrap(),
        "-Assert.assertEquals(\"{\\\"@type\\\":\\\"X\\\",\\\"id\\\":1001}\", text1);
+Assert.assertEquals(\"{\\\"id\\\":1001,\\\"@type\\\":\\\"X\\\"}\", text1);"
    );
}

/// III-D, Graylog: the cause lies in a library, and the assertion no longer asks for an order.
#[test]
fn a_collection_is_compared_in_any_order() {
    let graylog = |assertion: &str| {
        let test = format!(
            "import static org.assertj.core.api.Assertions.assertThat;\nimport java.util.*;\n\
             class ATest {{\n  void upgrade(Set<String> set, Map<String, Integer> map) {{\n    \
             {assertion};/*fails*/\n  }}\n}}\n"
        );
        let case = case(&test).java(
            8,
            &["/m2/org/assertj/assertj-core/3.24.2/assertj-core-3.24.2.jar"],
        );
        by(&case, "any-order-matcher")
    };
    assert_eq!(
        graylog("assertThat(set).containsExactly(\"a\", \"b\")"),
        "-assertThat(set).containsExactly(\"a\", \"b\");\n+assertThat(set).containsExactlyInAnyOrder(\"a\", \"b\");"
    );
    // IV-B: keys of a map occur once, so `containsOnly` asks for as much.
    assert_eq!(
        graylog("assertThat(map).containsExactly(entry(\"a\", 1), entry(\"b\", 2))"),
        "-assertThat(map).containsExactly(entry(\"a\", 1), entry(\"b\", 2));\n\
         +assertThat(map).containsOnly(entry(\"a\", 1), entry(\"b\", 2));"
    );
}

/// III-E, Nutz: JSON is compared as JSON. The paper catches the exception of JSONAssert and adds the library; ours
/// declares the exception, is strict about elements that are too many, and takes a library that is there.
#[test]
fn json_is_compared_as_json() {
    let test = "import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class ATest {
    @Test
    public void test_enum() {
        String expected = \"{\\\"name\\\":\\\"t\\\",\\\"index\\\":1}\";
        assertEquals(expected, Json.toJson(TT.T));/*fails*/
    }
}
";
    let nutz = |jar: &str| {
        case(test)
            .api("Class.getDeclaredFields")
            .compared("{\"name\":\"t\",\"index\":1}", "{\"index\":1,\"name\":\"t\"}")
            .java(8, &[jar])
    };
    let jsonassert = "/m2/org/skyscreamer/jsonassert/1.5.1/jsonassert-1.5.1.jar";
    assert_eq!(
        by(&nutz(jsonassert), "json-tree"),
        "-import static org.junit.Assert.assertEquals;
+import org.skyscreamer.jsonassert.JSONAssert;
-public void test_enum() {
+public void test_enum() throws Exception {
-assertEquals(expected, Json.toJson(TT.T));
+JSONAssert.assertEquals(expected, Json.toJson(TT.T), true);"
    );
    // Without a library nothing is added.
    let without = nutz("/m2/junit/junit/4.13/junit-4.13.jar").candidates(candidates);
    assert!(without.iter().all(|candidate| candidate.strategy != "json-tree"));
}

/// IV-B: with AssertJ, the object of the assertion becomes one of JsonUnit.
#[test]
fn json_is_compared_by_a_fluent_assertion() {
    let test = "import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

class ATest {
    void a(String actual, String expected) {
        assertThat(actual).isEqualTo(expected);/*fails*/
    }
}
";
    let case = case(test)
        .api("Class.getDeclaredFields")
        .compared("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}")
        .java(
            8,
            &[
                "/m2/net/javacrumbs/json-unit/json-unit-assertj/2.38.0/json-unit-assertj-2.38.0.jar",
                "/m2/org/assertj/assertj-core/3.24.2/assertj-core-3.24.2.jar",
            ],
        );
    assert_eq!(
        by(&case, "json-tree"),
        "-import static org.assertj.core.api.Assertions.assertThat;
-assertThat(actual).isEqualTo(expected);
+assertThatJson(actual).isEqualTo(expected);"
    );
}
