//! R5 for mocks: a JSON text that `verify(mock).save(json)` expects as an argument is compared as a tree, by a matcher.
//! The other arguments become matchers too, since Mockito wants all or none.

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, arguments};
use crate::json::Json;
use crate::json_libraries::{TreeCompare, TreeReader, tree_compares};
use crate::strategies::json_tree::{mistakes, unchecked};
use crate::text_comparison::{Sides, known_text, mutants};
use tree_sitter::Node;

/// More are not tried.
const MOST: usize = 2;
const MATCHERS: &str = "org.mockito.ArgumentMatchers";

pub(super) fn propose(clues: &Clues<'_>) -> Vec<Candidate> {
    let has_lambdas = clues.libraries.java >= 8 && clues.libraries.has_at_least("mockito-core", (2, 1));
    let Some(place) = clues.assertion().filter(|_| has_lambdas) else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let verified = file.on_line("method_invocation", place.line).filter(|call| {
        let object = call.child_by_field_name("object");
        object.is_some_and(|object| file.field(object, "name") == "verify")
    });
    let found = verified.flat_map(|call| of_call(clues, &file, call));
    found.take(MOST).collect()
}

/// A text among the arguments of a verified call.
struct Argument<'f> {
    file: &'f JavaFile,
    call: Node<'f>,
    /// The argument, with the matcher around it if there is one.
    whole: Node<'f>,
    /// The text itself.
    text: Node<'f>,
    json: Json,
    says: String,
}

fn of_call(clues: &Clues<'_>, file: &JavaFile, call: Node<'_>) -> Vec<Candidate> {
    let found: Vec<Argument<'_>> = arguments(call)
        .into_iter()
        .filter_map(|whole| {
            let text = match arguments(whole)[..] {
                [inner] if file.field(whole, "name") == "eq" => inner,
                _ => whole,
            };
            let says = known_text(file, text)?;
            let json = Json::parse(&says).filter(Json::has_order)?;
            Some(Argument {
                file,
                call,
                whole,
                text,
                json,
                says,
            })
        })
        .collect();
    let [argument] = &found[..] else {
        return Vec::new();
    };
    let compares = tree_compares(clues, file, call, argument.json.is_array());
    compares
        .iter()
        .filter_map(|compare| match compare {
            TreeCompare::Read(reader) => argument.matched(reader),
            TreeCompare::Assert(_) => None,
        })
        .collect()
}

impl Argument<'_> {
    fn matched(&self, reader: &TreeReader) -> Option<Candidate> {
        // A variable for the reader would have to be declared before the lambda.
        if reader.throws.is_none() && reader.here.needs.is_some() {
            return None;
        }
        let read = unchecked(self.file, self.call, reader)?;
        let others = self.others_as_matchers();
        let uses_eq = others.iter().next().is_some();
        let rewritten = |sides: &Sides| {
            let expected = sides.expected.as_deref().unwrap_or(self.file.of(self.text));
            let actual = sides.actual.as_deref().unwrap_or("actual");
            let (expected, actual) = (read.around.of(expected), read.around.of(actual));
            let matcher = format!("argThat(actual -> {expected}.equals({actual}))");
            let mut edits = others.clone().replace(self.whole.byte_range(), matcher);
            if let Some(method) = &read.method {
                edits = edits.insert(method.at, method.text.clone());
            }
            let used = ["argThat"].into_iter().chain(uses_eq.then_some("eq"));
            let matchers = used.filter_map(|name| self.import(name));
            self.file
                .with_imports(edits, read.imports.iter().cloned().chain(matchers))
        };
        let mistakes = mistakes(&self.json, &self.says);
        let is_sure = mistakes[..2].iter().all(|(_, text)| text.is_some());
        let statement = self.file.statement_of(self.call).unwrap_or(self.call);
        is_sure.then(|| {
            Candidate::of_assertion(
                format!(
                    "compare the JSON argument as a tree with {}, since members of a JSON object have no order",
                    reader.library
                ),
                &self.file.path,
                statement.byte_range(),
                rewritten(&Sides::default()),
                mutants(mistakes, rewritten),
            )
        })
    }

    /// `eq(…)` around the arguments that are no matchers, unless all are.
    fn others_as_matchers(&self) -> Edits {
        if self.whole != self.text {
            return Edits::new();
        }
        let others = arguments(self.call)
            .into_iter()
            .filter(|other| *other != self.whole);
        others.fold(Edits::new(), |edits, other| {
            edits
                .insert(other.start_byte(), "eq(")
                .insert(other.end_byte(), ")")
        })
    }

    /// `Mockito` has the methods of `ArgumentMatchers` too.
    fn import(&self, method: &str) -> Option<Import> {
        let holders = self.file.static_holders(method);
        let is_there = holders.iter().any(|holder| holder.starts_with("org.mockito."));
        (!is_there).then(|| Import::Static(format!("{MATCHERS}.{method}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, case};

    const JARS: [&str; 2] = ["/r/gson-2.10.1.jar", "/r/mockito-core-4.11.0.jar"];

    fn verified(statement: &str) -> Case {
        case(&format!(
            "import static org.mockito.Mockito.*;\nimport com.google.gson.*;\nclass ATest {{\n  @Test\n  void a() {{\n    \
             String json = \"{{\\\"a\\\":1,\\\"b\\\":2}}\";\n    {statement}/*fails*/\n  }}\n}}\n"
        ))
        .java(8, &JARS)
    }

    #[test]
    fn the_argument_is_matched_as_a_tree() {
        let matcher =
            "argThat(actual -> JsonParser.parseString(json).equals(JsonParser.parseString(actual)))";
        let check = |old: &str, new: &str| {
            let new = new.replace("MATCHER", matcher);
            verified(old).check(propose, &[&format!("-{old}\n+{new}")]);
        };
        check("verify(dao).save(json);", "verify(dao).save(MATCHER);");
        check(
            "verify(dao, times(2)).save(1, json);",
            "verify(dao, times(2)).save(eq(1), MATCHER);",
        );
        check(
            "verify(dao).save(anyInt(), eq(json));",
            "verify(dao).save(anyInt(), MATCHER);",
        );
        let mutants = &verified("verify(dao).save(json);").candidates(propose)[0].mutants;
        assert_eq!(mutants.len(), 2);
    }

    #[test]
    fn what_cannot_be_matched_stays() {
        verified("verify(dao).save(text());").check(propose, &[]);
        verified("verify(dao).save(json, json);").check(propose, &[]);
        verified("dao.save(json);").check(propose, &[]);
        verified("verify(dao).save(json);")
            .java(7, &JARS)
            .check(propose, &[]);
        verified("verify(dao).save(json);")
            .java(8, &["/r/mockito-core-1.10.19.jar"])
            .check(propose, &[]);
    }
}
