//! R5: two JSON texts that say the same in another order are compared as trees, by a library that is there already. The
//! order of array elements still counts, unless it is what differed and a library compares arrays as bags.
//!
//! A class with several such comparisons gets one method for them.

mod shared;
#[cfg(test)]
mod tests;

use crate::assertion::{Comparison, Style, subject};
use crate::candidate::{Candidate, Mutation};
use crate::class_members::NewMethod;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, inside_arguments};
use crate::json::{Arrays, Json};
use crate::json_libraries::{TreeAssertion, TreeCompare, TreeReader, is_json_library, tree_compares};
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
    let compares = work.compares(clues).into_iter();
    let compares = compares.filter(|compare| is_strict || compare.reads_single_quotes());
    if is_json_library(clues) {
        return compares
            .filter_map(|compare| work.strictly(clues, &compare))
            .collect();
    }
    compares.flat_map(|compare| work.candidates(compare)).collect()
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
        if self.comparisons_like_this() < REPEATED {
            return None;
        }
        self.by_method(reader, &[])
    }

    /// In the tests of a library for JSON, the text itself is tested: its white space, how numbers are written, members
    /// that occur twice. So the texts must also be equally long.
    fn strictly(&self, clues: &Clues<'_>, compare: &TreeCompare) -> Option<Candidate> {
        let TreeCompare::Read(reader) = compare else {
            return None;
        };
        if self.arrays == Arrays::InAnyOrder {
            return None;
        }
        let plain = Around::new("", ".length()");
        let length = match self.texts.comparison.style {
            Style::Fluent => {
                let subject = subject(self.file(), self.texts.comparison.call)?;
                let inside = inside_arguments(subject)?;
                let assert_that = &self.file().text()[subject.start_byte()..inside.start];
                format!("{assert_that}actual).hasLength(expected.length())")
            }
            Style::Matcher => return None,
            Style::MessageFirst | Style::MessageLast | Style::ActualFirst => {
                self.statement_of_helper(&plain)?
            }
        };
        self.by_shared_method(clues, reader, &length).or_else(|| {
            let comment = "// Only the order of members is free.".to_owned();
            self.by_method(reader, &[comment, format!("{length};")])
        })
    }

    /// Calls a method of the class that compares trees, after these statements.
    fn by_method(&self, reader: &TreeReader, first: &[String]) -> Option<Candidate> {
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
        lines.extend(first.iter().map(|line| format!(">{line}")));
        lines.extend([format!(">{statement};"), "}".to_owned()]);
        let mut parts = VariantParts {
            throws: self.throws(reader.throws)?,
            ..VariantParts::default()
        };
        // An earlier repair may have added it.
        if self.file().has_method(HELPER) {
            self.file().has_lines(&lines).then_some(())?;
        } else {
            parts.imports = read.imports.iter().cloned().chain(exception).collect();
            parts.method = Some(self.file().with_method(self.texts.comparison.call, &lines)?);
        }
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
