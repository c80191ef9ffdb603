//! R5: two JSON texts that say the same in another order are compared as trees, by a library that is there already. The
//! order of array elements still counts, unless it is what differed and a library compares arrays as bags.
//!
//! A class with several such comparisons gets one method for them.

use crate::assertion::{Comparison, Style, subject};
use crate::candidate::{Candidate, Mutation};
use crate::class_members::NewMethod;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::JavaFile;
use crate::json::{Arrays, Json};
use crate::json_libraries::{TreeAssertion, TreeCompare, TreeReader, tree_compares};
use crate::text_comparison::{Around, Sides, TextComparison, known_text, mutants, with_failed_texts};
use crate::throws::{CheckedException, Throws};
use tree_sitter::Node;
use unflake_findings::Safety;

/// More are not tried.
const MOST: usize = 3;
/// From so many comparisons on a class has a method for them.
const REPEATED: usize = 3;
const HELPER: &str = "assertJsonEquals";

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let mut found = with_failed_texts(clues, |texts| of_texts(clues, texts));
    found.truncate(MOST);
    found
}

/// The same with JSONAssert where no library is there that compares JSON.
pub(super) fn propose_with_new_library(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(added) = &clues.libraries.added else {
        return Vec::new();
    };
    let mut found = with_failed_texts(clues, |texts| {
        let work = TreeWork::of(texts).filter(|work| work.compares(clues).is_empty());
        let candidate = work.and_then(|work| work.asserting(TreeAssertion::Skyscreamer { is_checked: true }));
        candidate.into_iter().collect()
    });
    found.truncate(1);
    for candidate in &mut found {
        candidate.safety = Safety::Dependency;
        candidate.why.push_str("; the library is added to the tests");
        candidate.edits.insert(added.file.clone(), added.edits.clone());
    }
    found
}

fn of_texts(clues: &Clues<'_>, texts: &TextComparison<'_>) -> Vec<Candidate> {
    let Some(work) = TreeWork::of(texts) else {
        return Vec::new();
    };
    let is_strict = Json::parse(&texts.expected).is_some();
    work.compares(clues)
        .into_iter()
        .filter(|compare| is_strict || compare.reads_single_quotes())
        .flat_map(|compare| work.candidates(compare))
        .collect()
}

/// A way to read that throws nothing checked.
pub(super) struct Unchecked {
    pub(super) around: Around,
    pub(super) imports: Vec<Import>,
    /// What it needs in the class.
    pub(super) method: Option<NewMethod>,
}

/// The reader itself if it throws nothing checked, or else by a method of the class around a node.
pub(super) fn unchecked(file: &JavaFile, node: Node<'_>, reader: &TreeReader) -> Option<Unchecked> {
    let Some(checked) = reader.throws else {
        return Some(Unchecked {
            around: reader.here.around.clone(),
            imports: reader.here.imports.clone(),
            method: None,
        });
    };
    let (tree, tree_import) = file.using(reader.tree?);
    let (exception, exception_import) = file.using(checked.class);
    let (unchecked, unchecked_import) = file.using("java.io.UncheckedIOException");
    let name = ["tree", "jsonTree"]
        .into_iter()
        .find(|name| !file.has_method(name))?;
    let read = &reader.once_in_static;
    let lines = [
        format!("private static {tree} {name}(String json) {{"),
        ">try {".to_owned(),
        format!(">>return {};", read.around.of("json")),
        format!(">}} catch ({exception} e) {{"),
        format!(">>throw new {unchecked}(e);"),
        ">}".to_owned(),
        "}".to_owned(),
    ];
    let imports = read.imports.iter().cloned().chain(tree_import);
    Some(Unchecked {
        around: Around::new(format!("{name}("), ")"),
        imports: imports.chain(exception_import).chain(unchecked_import).collect(),
        method: Some(file.with_method(node, &lines)?),
    })
}

/// Texts with one mistake each. When nothing is varied the actual text is the expected one.
pub(super) fn mistakes(json: &Json, text: &str) -> [(Mutation, Option<String>); 5] {
    [
        (Mutation::ExpectedDropped, json.dropped(text)),
        (Mutation::ExpectedChanged, json.changed(text)),
        (Mutation::ExpectedDoubled, json.with_element_doubled(text)),
        (Mutation::ActualDropped, json.with_element_dropped(text)),
        (Mutation::ActualDoubled, json.with_element_doubled(text)),
    ]
}

/// One failed comparison.
struct TreeWork<'w> {
    texts: &'w TextComparison<'w>,
    expected: Json,
    arrays: Arrays,
}

/// What one variant of a repair is made of, besides the sides of its comparison.
#[derive(Default)]
struct VariantParts {
    throws: Throws,
    imports: Vec<Import>,
    /// A statement before the comparison.
    before: Option<String>,
    method: Option<NewMethod>,
}

impl<'w> TreeWork<'w> {
    /// `None`: these are no JSON texts that say the same.
    fn of(texts: &'w TextComparison<'w>) -> Option<TreeWork<'w>> {
        let expected = Json::parse_leniently(&texts.expected)?;
        let arrays = match texts.actual.as_deref().map(Json::parse_leniently) {
            None if expected.has_order() => Arrays::InOrder,
            Some(Some(actual)) if expected.says_the_same(&actual, Arrays::InOrder) => Arrays::InOrder,
            Some(Some(actual)) if expected.says_the_same(&actual, Arrays::InAnyOrder) => Arrays::InAnyOrder,
            _ => return None,
        };
        Some(TreeWork {
            texts,
            expected,
            arrays,
        })
    }

    fn compares(&self, clues: &Clues<'_>) -> Vec<TreeCompare> {
        let call = self.texts.comparison.call;
        tree_compares(clues, self.texts.file, call, self.expected.is_array())
    }

    fn candidates(&self, compare: TreeCompare) -> Vec<Candidate> {
        match compare {
            TreeCompare::Assert(assertion) => self.asserting(assertion).into_iter().collect(),
            TreeCompare::Read(_) if self.arrays == Arrays::InAnyOrder => Vec::new(),
            TreeCompare::Read(reader) => {
                let helper = self.by_helper(&reader);
                let inline = self.inline(&reader).or_else(|| self.by_unchecked_reader(&reader));
                helper.into_iter().chain(inline).collect()
            }
        }
    }

    fn file(&self) -> &JavaFile {
        self.texts.file
    }

    /// What is needed so that an exception may leave the comparison.
    fn throws(&self, checked: Option<CheckedException>) -> Option<Throws> {
        match checked {
            Some(checked) => self.file().letting_through(self.texts.comparison.call, checked),
            None => Some(Throws::default()),
        }
    }

    fn inline(&self, reader: &TreeReader) -> Option<Candidate> {
        let parts = VariantParts {
            throws: self.throws(reader.throws)?,
            imports: reader.here.imports.clone(),
            before: reader.here.needs.map(str::to_owned),
            method: None,
        };
        let sides = |sides: &Sides| self.texts.wrapped(&reader.here.around, sides);
        self.candidate(reader.library, parts, sides)
    }

    /// The reader throws what cannot leave from here: a method turns it into what can.
    fn by_unchecked_reader(&self, reader: &TreeReader) -> Option<Candidate> {
        let unchecked = unchecked(self.file(), self.texts.comparison.call, reader)?;
        let parts = VariantParts {
            imports: unchecked.imports,
            method: unchecked.method,
            ..VariantParts::default()
        };
        let sides = |sides: &Sides| self.texts.wrapped(&unchecked.around, sides);
        self.candidate(reader.library, parts, sides)
    }

    /// A method that compares, for all comparisons of the class.
    fn by_helper(&self, reader: &TreeReader) -> Option<Candidate> {
        if self.comparisons_like_this() < REPEATED || self.file().has_method(HELPER) {
            return None;
        }
        let read = &reader.in_static;
        let statement = self.statement_of_helper(&read.around)?;
        let (throws, exception) = match reader.throws {
            Some(checked) => {
                let (name, import) = self.file().using(checked.class);
                (format!(" throws {name}"), import)
            }
            None => (String::new(), None),
        };
        let mut lines = vec![format!(
            "private static void {HELPER}(String expected, String actual){throws} {{"
        )];
        lines.extend(read.needs.map(|needs| format!(">{needs}")));
        lines.extend([format!(">{statement};"), "}".to_owned()]);
        let parts = VariantParts {
            throws: self.throws(reader.throws)?,
            imports: read.imports.iter().cloned().chain(exception).collect(),
            before: None,
            method: Some(self.file().with_method(self.texts.comparison.call, &lines)?),
        };
        self.candidate(reader.library, parts, |sides| self.called(HELPER, "", sides))
    }

    /// Comparisons of the file whose expected text is JSON that has an order, this one among them.
    fn comparisons_like_this(&self) -> usize {
        let calls = self
            .file()
            .nodes()
            .filter(|node| node.kind() == "method_invocation");
        let others = calls
            .filter(|call| *call != self.texts.comparison.call)
            .filter_map(|call| Comparison::of(self.file(), call))
            .filter_map(|comparison| known_text(self.file(), comparison.expected))
            .filter(|text| Json::parse(text).is_some_and(|json| json.has_order()));
        others.count() + 1
    }

    /// The comparison as it is, of the trees of two parameters.
    fn statement_of_helper(&self, around: &Around) -> Option<String> {
        let Comparison {
            call,
            expected,
            actual,
            message,
            style,
        } = self.texts.comparison;
        let has_message =
            message.is_some() || style == Style::Fluent && subject(self.file(), call)?.parent() != Some(call);
        if has_message || self.texts.comparison.name(self.file()) == "hasToString" {
            return None;
        }
        let mut sides = [(expected, "expected"), (actual, "actual")];
        sides.sort_by_key(|(node, _)| node.start_byte());
        let mut statement = String::new();
        let mut at = call.start_byte();
        for (node, name) in sides {
            statement.push_str(&self.file().text()[at..node.start_byte()]);
            statement.push_str(&around.of(name));
            at = node.end_byte();
        }
        statement.push_str(&self.file().text()[at..call.end_byte()]);
        let in_one_line: Vec<&str> = statement.lines().map(str::trim).collect();
        // A break after a comma was a space.
        Some(
            in_one_line
                .join(" ")
                .replace("( ", "(")
                .replace(" )", ")")
                .replace(" .", "."),
        )
    }

    fn asserting(&self, assertion: TreeAssertion) -> Option<Candidate> {
        let (file, message) = (self.file(), self.texts.comparison.message);
        let is_bag = self.arrays == Arrays::InAnyOrder;
        match assertion {
            TreeAssertion::Skyscreamer { is_checked } => {
                let (class, import) = file.using("org.skyscreamer.jsonassert.JSONAssert");
                let (mode, mode_import) = if is_bag {
                    let (mode, import) = file.using("org.skyscreamer.jsonassert.JSONCompareMode");
                    (format!(", {mode}.NON_EXTENSIBLE"), import)
                } else {
                    (", true".to_owned(), None)
                };
                let checked = is_checked.then_some(CheckedException {
                    class: "org.json.JSONException",
                    fits: &["JSONException", "Exception", "Throwable"],
                });
                let parts = VariantParts {
                    throws: self.throws(checked)?,
                    imports: import.into_iter().chain(mode_import).collect(),
                    ..VariantParts::default()
                };
                let callee = format!("{class}.assertEquals");
                self.candidate("JSONAssert", parts, |sides| self.called(&callee, &mode, sides))
            }
            TreeAssertion::JsonUnit { holder } if message.is_none() => {
                let (when, option_import) = if is_bag {
                    let (option, import) = file.using("net.javacrumbs.jsonunit.core.Option");
                    (format!(".when({option}.IGNORING_ARRAY_ORDER)"), import)
                } else {
                    (String::new(), None)
                };
                let import = Import::Static(format!("{holder}.assertThatJson"));
                let parts = VariantParts {
                    imports: option_import.into_iter().chain([import]).collect(),
                    ..VariantParts::default()
                };
                self.candidate("JsonUnit", parts, |sides| {
                    let (expected, actual) = self.texts.written(sides);
                    self.replaced(format!("assertThatJson({actual}){when}.isEqualTo({expected})"))
                })
            }
            TreeAssertion::JsonUnitEquals if message.is_none() && !is_bag => {
                let holder = "net.javacrumbs.jsonunit.JsonAssert.assertJsonEquals";
                let parts = VariantParts {
                    imports: vec![Import::Static(holder.to_owned())],
                    ..VariantParts::default()
                };
                self.candidate("JsonUnit", parts, |sides| {
                    self.called("assertJsonEquals", "", sides)
                })
            }
            _ => None,
        }
    }

    fn replaced(&self, call: String) -> Edits {
        Edits::new().replace(self.texts.comparison.call.byte_range(), call)
    }

    /// A call with the expected value first, as JUnit 4 has it: only its name is new then.
    fn called(&self, callee: &str, last: &str, sides: &Sides) -> Edits {
        let Comparison {
            call,
            style,
            message,
            expected,
            actual,
        } = self.texts.comparison;
        let is_in_order = style == Style::MessageFirst || style == Style::MessageLast && message.is_none();
        let name = self.texts.comparison.name(self.file());
        match self.texts.callee() {
            Some(range) if is_in_order && name == "assertEquals" => {
                let mut edits = Edits::new().replace(range, callee);
                for (node, side) in [(expected, &sides.expected), (actual, &sides.actual)] {
                    if let Some(side) = side {
                        edits = edits.replace(node.byte_range(), side.clone());
                    }
                }
                if last.is_empty() {
                    edits
                } else {
                    edits.insert(call.end_byte() - 1, last)
                }
            }
            _ => {
                let (expected, actual) = self.texts.written(sides);
                let message =
                    message.map_or(String::new(), |message| format!("{}, ", self.file().of(message)));
                self.replaced(format!("{callee}({message}{expected}, {actual}{last})"))
            }
        }
    }

    fn candidate(
        &self,
        library: &str,
        parts: VariantParts,
        compared: impl Fn(&Sides) -> Edits,
    ) -> Option<Candidate> {
        let file = self.file();
        let call = self.texts.comparison.call;
        let rewritten = |sides: &Sides| {
            let mut edits = compared(sides);
            if let (Some(before), Some(statement)) = (&parts.before, file.statement_of(call)) {
                let line = format!("{before}{}{}", file.line_end(), file.indentation(statement));
                edits = edits.insert(statement.start_byte(), line);
            }
            for (at, text) in &parts.throws.insertions {
                edits = edits.insert(*at, text.clone());
            }
            if let Some(method) = &parts.method {
                edits = edits.insert(method.at, method.text.clone());
            }
            file.with_imports(edits, parts.imports.iter().chain(&parts.throws.imports).cloned())
        };
        let mistakes = mistakes(&self.expected, &self.texts.expected);
        let is_sure = mistakes[..2].iter().all(|(_, text)| text.is_some());
        let elements = match self.arrays {
            Arrays::InOrder => "members of a JSON object",
            Arrays::InAnyOrder => "these JSON elements",
        };
        is_sure.then(|| {
            Candidate::of_assertion(
                format!("compare the JSON texts as trees with {library}, since {elements} have no order"),
                &file.path,
                self.texts.comparison.statement(file),
                rewritten(&Sides::default()),
                mutants(mistakes, rewritten),
            )
        })
    }
}

#[cfg(test)]
mod tests {
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
}
