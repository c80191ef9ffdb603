use super::propose;
use crate::testing::{Case, case};

const IMPORTS: &str =
    "package p;\nimport java.lang.annotation.Annotation;\nimport java.lang.reflect.*;\nimport java.util.*;\n";

fn in_test(api: &str, natural: &[&str], code: &str) -> Case {
    let source =
        format!("{IMPORTS}class ATest {{\n  @Test\n  void a() throws Exception {{\n{code}\n  }}\n}}\n");
    case(&source).api(api).orders(natural, &[])
}

fn check(api: &str, natural: &[&str], code: &str, expected: &str) {
    let expected: &[&str] = if expected.is_empty() { &[] } else { &[expected] };
    in_test(api, natural, code).check(propose, expected);
}

#[test]
fn methods_are_picked_by_name_and_parameters() {
    let natural = ["T.onText(String, int[])", "T.close()"];
    check(
        "Class.getDeclaredMethods",
        &natural,
        "    Method m = T.class.getDeclaredMethods()[0];/*calls*/",
        "-Method m = T.class.getDeclaredMethods()[0];\n\
         +Method m = T.class.getDeclaredMethod(\"onText\", String.class, int[].class);",
    );
    check(
        "Class.getMethods",
        &["public void p.T.on(java.lang.String,java.util.Map)"],
        "    use(T.class.getMethods()[0]);/*calls*/",
        "-use(T.class.getMethods()[0]);\n+use(T.class.getMethod(\"on\", java.lang.String.class, Map.class));"
            .replace("java.lang.String", "String")
            .as_str(),
    );
    check(
        "Class.getMethods",
        &["T.on(Unknown)"],
        "    use(T.class.getMethods()[0]);/*calls*/",
        "",
    );
    check(
        "Class.getDeclaredMethods",
        &["T.lambda$a$0()"],
        "    use(T.class.getDeclaredMethods()[0]);/*calls*/",
        "",
    );
    check(
        "Class.getDeclaredMethods",
        &natural,
        "    use(T.class.getDeclaredMethods()[i]);/*calls*/",
        "",
    );
    check(
        "Class.getDeclaredMethods",
        &natural,
        "    use(T.class.getDeclaredMethods()[7]);/*calls*/",
        "",
    );
    check(
        "Class.getDeclaredMethods",
        &natural,
        "    assertEquals(\"onText\", T.class.getDeclaredMethods()[0].getName());/*calls*/",
        "",
    );
}

#[test]
fn fields_and_constructors_too() {
    check(
        "Class.getDeclaredFields",
        &["ATest$T.x", "ATest$T.y"],
        "    Field[] all = T.class.getDeclaredFields();/*calls*/\n    use(all[1], all[0]);",
        "-Field[] all = T.class.getDeclaredFields();\n-use(all[1], all[0]);\n\
         +use(T.class.getDeclaredField(\"y\"), T.class.getDeclaredField(\"x\"));",
    );
    check(
        "Class.getDeclaredFields",
        &["ATest$T.x", "ATest$T.y"],
        "    Field[] all = T.class.getDeclaredFields();/*calls*/\n    use(all[1], all.length);",
        "-use(all[1], all.length);\n+use(T.class.getDeclaredField(\"y\"), all.length);",
    );
    check(
        "Class.getConstructors",
        &["T.p.T(Object)", "T.p.T()"],
        "    Constructor<?> c = T.class.getConstructors()[0];/*calls*/",
        "-Constructor<?> c = T.class.getConstructors()[0];\n\
         +Constructor<?> c = T.class.getConstructor(Object.class);",
    );
    check(
        "Class.getConstructors",
        &["ATest$T.p.ATest$T()"],
        "    Constructor<?> c = T.class.getConstructors()[0];/*calls*/",
        "-Constructor<?> c = T.class.getConstructors()[0];\n+Constructor<?> c = T.class.getConstructor();",
    );
    check(
        "Class.getDeclaredClasses",
        &["class p.ATest$T$A"],
        "    Class<?> c = T.class.getDeclaredClasses()[0];/*calls*/",
        "-Class<?> c = T.class.getDeclaredClasses()[0];\n+Class<?> c = T.A.class;",
    );
    check(
        "Class.getDeclaredConstructors",
        &["T.p.T()"],
        "    all = T.class.getDeclaredConstructors();/*calls*/",
        "",
    );
}

/// Code after an array of two fields.
fn after_fields(code: &str, expected: &str) {
    check(
        "Class.getDeclaredFields",
        &["ATest$T.x", "ATest$T.y"],
        &format!("    Field[] all = T.class.getDeclaredFields();/*calls*/\n{code}"),
        expected,
    );
}

#[test]
fn nothing_that_was_for_the_array_alone_stays() {
    after_fields(
        "    assertTrue(all.length >= 1);\n    use(all[0]);",
        "-Field[] all = T.class.getDeclaredFields();\n-assertTrue(all.length >= 1);\n-use(all[0]);\n\
         +use(T.class.getDeclaredField(\"x\"));",
    );
    after_fields(
        "    assertNotNull(all);\n    assertTrue(\"few\", all.length > 1);\n    use(all[0]);",
        "-Field[] all = T.class.getDeclaredFields();\n-assertNotNull(all);\n-assertTrue(\"few\", all.length > 1);\n\
         -use(all[0]);\n+use(T.class.getDeclaredField(\"x\"));",
    );
    // How many there are exactly is another question.
    after_fields(
        "    assertTrue(all.length == 2);\n    use(all[0]);",
        "-use(all[0]);\n+use(T.class.getDeclaredField(\"x\"));",
    );
}

#[test]
fn a_member_that_is_picked_twice_or_in_a_long_line_gets_a_variable() {
    let declared = "-Field[] all = T.class.getDeclaredFields();\n";
    after_fields(
        "    use(all[1], all[0], all[1]);",
        &format!(
            "{declared}-use(all[1], all[0], all[1]);\n+Field yField = T.class.getDeclaredField(\"y\");\n\
             +Field xField = T.class.getDeclaredField(\"x\");\n+use(yField, xField, yField);"
        ),
    );
    let long = format!("use({}, all[0]);", "a".repeat(90));
    let short = long.replace("all[0]", "xField");
    after_fields(
        &format!("    {long}"),
        &format!("{declared}-{long}\n+Field xField = T.class.getDeclaredField(\"x\");\n+{short}"),
    );
    after_fields(
        "    use(all[0], all[0], all);",
        "-use(all[0], all[0], all);\n+Field xField = T.class.getDeclaredField(\"x\");\n+use(xField, xField, all);",
    );
    // The name is taken.
    after_fields(
        "    int xField = 1;\n    use(all[0], all[0], all);",
        "-use(all[0], all[0], all);\n\
         +use(T.class.getDeclaredField(\"x\"), T.class.getDeclaredField(\"x\"), all);",
    );
}

#[test]
fn what_the_program_is_given_may_be_asked_for_its_name() {
    let code = |assertion: &str| {
        format!(
            "    Field[] all = T.class.getDeclaredFields();/*calls*/\n    Config c = Config.of(all[0]);\n    {assertion}"
        )
    };
    check(
        "Class.getDeclaredFields",
        &["ATest$T.x", "ATest$T.y"],
        &code("assertEquals(all[0].getName(), c.name());"),
        "-Field[] all = T.class.getDeclaredFields();\n-Config c = Config.of(all[0]);\n\
         -assertEquals(all[0].getName(), c.name());\n+Field xField = T.class.getDeclaredField(\"x\");\n\
         +Config c = Config.of(xField);\n+assertEquals(xField.getName(), c.name());",
    );
    // The order itself is what these check.
    for assertion in [
        "assertEquals(\"x\", all[0].getName());",
        "assertEquals(c.name(), all[1].getName());",
    ] {
        check(
            "Class.getDeclaredFields",
            &["ATest$T.x", "ATest$T.y"],
            &code(assertion),
            "",
        );
    }
}

#[test]
fn parameters_are_found_where_the_member_is_declared() {
    let code = "    use(Main.class.getMethods()[0]);/*calls*/";
    let expected = "-use(Main.class.getMethods()[0]);\n";
    in_test("Class.getMethods", &["Main.on(Request)"], code)
        .main("package p;\nimport q.Request;\nclass Main {}\n")
        .check(
            propose,
            &[&format!(
                "+import q.Request;\n{expected}+use(Main.class.getMethod(\"on\", Request.class));"
            )],
        );
    in_test("Class.getMethods", &["Main.on(Kind)"], code)
        .main("package p;\nclass Main { enum Kind { A } }\n")
        .check(
            propose,
            &[&format!(
                "+import p.Main.Kind;\n{expected}+use(Main.class.getMethod(\"on\", Kind.class));"
            )],
        );
    in_test("Class.getMethods", &["Main.on(Kind)"], code).check(propose, &[]);
}

#[test]
fn annotations_are_picked_by_type() {
    let natural = ["@p.Mark(value=1)", "@p.ATest$Other()"];
    check(
        "Method.getDeclaredAnnotations",
        &natural,
        "    Mark mark = (Mark) m.getAnnotations()[0];/*calls*/",
        "-Mark mark = (Mark) m.getAnnotations()[0];\n+Mark mark = m.getAnnotation(Mark.class);",
    );
    check(
        "Method.getDeclaredAnnotations",
        &natural,
        "    Annotation[] all = m.getAnnotations();/*calls*/\n    assertEquals(1, ((Mark) all[0]).value());",
        "-Annotation[] all = m.getAnnotations();\n-assertEquals(1, ((Mark) all[0]).value());\n\
         +assertEquals(1, m.getAnnotation(Mark.class).value());",
    );
    check(
        "Method.getParameterAnnotations",
        &natural,
        "    Annotation q = m.getParameterAnnotations()[2][0];/*calls*/",
        "-Annotation q = m.getParameterAnnotations()[2][0];\n\
         +Annotation q = m.getParameters()[2].getAnnotation(Mark.class);",
    );
    check(
        "Method.getParameterAnnotations",
        &natural,
        "    Annotation[][] all = m.getParameterAnnotations();/*calls*/\n    use(all[0][1], all[1][0]);",
        "",
    );
    check(
        "Method.getDeclaredAnnotations",
        &natural,
        "    assertEquals(Mark.class, m.getAnnotations()[0].annotationType());/*calls*/",
        "",
    );
}

#[test]
fn checked_exceptions_can_be_thrown() {
    let pick = "use(T.class.getDeclaredFields()[0]);/*calls*/";
    let named = "use(T.class.getDeclaredField(\"x\"));";
    let check = |method: &str, expected: &[&str]| {
        let source = format!("package p;\nclass ATest {{\n{method}\n}}\n").replace("PICK", pick);
        let expected: Vec<String> = expected.iter().map(|text| text.replace("NAMED", named)).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        case(&source)
            .api("Class.getDeclaredFields")
            .orders(&["T.x", "T.y"], &[])
            .check(propose, &expected);
    };
    let plain = "use(T.class.getDeclaredFields()[0]);";
    check(
        "  @Test\n  void a() {\n    PICK\n  }",
        &[&format!(
            "-void a() {{\n-{plain}\n+void a() throws NoSuchFieldException {{\n+NAMED"
        )],
    );
    check(
        "  public void testA() throws IOException {\n    PICK\n  }",
        &[&format!(
            "-public void testA() throws IOException {{\n-{plain}\n\
             +public void testA() throws IOException, NoSuchFieldException {{\n+NAMED"
        )],
    );
    check(
        "  void helper() {\n    try {\n    PICK\n    } catch (ReflectiveOperationException e) {}\n  }",
        &[&format!("-{plain}\n+NAMED")],
    );
    check("  void helper() {\n    PICK\n  }", &[]);
    check(
        "  @Test\n  void a() {\n    run(() -> {\n      PICK\n    });\n  }",
        &[],
    );
}

#[test]
fn main_code_does_not_know_the_name() {
    case("class ATest {}\n")
        .main("class Main {\n  void a() throws Exception {\n    use(T.class.getFields()[0]);/*calls*/\n  }\n}\n")
        .api("Class.getFields")
        .orders(&["T.x", "T.y"], &[])
        .check(propose, &[]);
}

#[test]
fn values_are_picked_by_their_key() {
    let natural = ["a=1", "b=2"];
    check(
        "HashMap.values",
        &natural,
        "    Map<String, Integer> m = f();\n    int x = m.values().iterator().next();/*calls*/",
        "-int x = m.values().iterator().next();\n+int x = m.get(\"a\");",
    );
    check(
        "HashMap.entrySet",
        &natural,
        "    x.put(\"a\", 1);\n    int x = all().entrySet().iterator().next().getValue();/*calls*/",
        "-int x = all().entrySet().iterator().next().getValue();\n+int x = all().get(\"a\");",
    );
    check(
        "HashMap.keySet",
        &["7=1", "8=2"],
        "    Map<Long, Integer> m = f();\n    int x = m.get(m.keySet().iterator().next());/*calls*/",
        "-int x = m.get(m.keySet().iterator().next());\n+int x = m.get(7L);",
    );
    check(
        "HashMap.values",
        &natural,
        "    int x = all().values().iterator().next();/*calls*/",
        "",
    );
    check(
        "HashMap.keySet",
        &natural,
        "    Map<String, Integer> m = f();\n    String x = m.keySet().iterator().next();/*calls*/",
        "",
    );
    check(
        "HashMap.values",
        &["p.Key@1=1", "p.Key@2=2"],
        "    Map<Key, Integer> m = f();\n    int x = m.values().iterator().next();/*calls*/",
        "",
    );
    check(
        "HashMap.values",
        &["A=1", "B=2"],
        "    enum Key { A, B }\n    Map<Key, Integer> m = f();\n    int x = m.values().iterator().next();/*calls*/",
        "-int x = m.values().iterator().next();\n+int x = m.get(Key.A);",
    );
}

#[test]
fn elements_are_picked_by_what_is_asserted_of_them() {
    check(
        "HashSet.iterator",
        &[],
        "    X x = all.get(0);\n    X y = all.get(1);\n    assertEquals(\"a\", x.getName());/*fails*/\n    \
         assertEquals(1, x.getSize());\n    assertEquals(\"b\", y.getName());\n    assertEquals(2, y.getSize());",
        "-X x = all.get(0);\n-X y = all.get(1);\n\
         +X x = all.stream().filter(each -> \"a\".equals(each.getName())).findFirst().get();\n\
         +X y = all.stream().filter(each -> \"b\".equals(each.getName())).findFirst().get();",
    );
    check(
        "HashSet.iterator",
        &[],
        "    X x = set().iterator().next();\n    assertEquals(3, x.id());/*fails*/\n    assertEquals(1, x.getSize());",
        "-X x = set().iterator().next();\n+X x = set().stream().filter(each -> each.id() == 3).findFirst().get();",
    );
    // Nothing else is asserted.
    check(
        "HashSet.iterator",
        &[],
        "    X x = all.get(0);\n    assertEquals(\"a\", x.getName());/*fails*/",
        "",
    );
    // The same name twice.
    check(
        "HashSet.iterator",
        &[],
        "    X x = all.get(0);\n    X y = all.get(1);\n    assertEquals(\"a\", x.getName());/*fails*/\n    \
         assertEquals(1, x.getSize());\n    assertEquals(\"a\", y.getName());\n    assertEquals(2, y.getSize());",
        "",
    );
    check(
        "HashSet.iterator",
        &[],
        "    Map<Integer, X> all = f();\n    X x = all.get(0);\n    assertEquals(\"a\", x.getName());/*fails*/\n    \
         assertEquals(1, x.getSize());",
        "",
    );
}
