//! Failed comparisons of two texts: what the texts said, and both sides written anew.

use crate::assertion::{Comparison, Style, subject, with_failed};
use crate::candidate::{Mutant, Mutation};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::{JavaFile, ancestors, arguments};
use crate::literal::{quoted, text_of};
use tree_sitter::Node;

/// A comparison and its texts when it failed.
#[derive(Clone, Debug)]
pub(crate) struct TextComparison<'f> {
    pub(crate) file: &'f JavaFile,
    pub(crate) comparison: Comparison<'f>,
    pub(crate) expected: String,
    /// Not every assertion tells it.
    pub(crate) actual: Option<String>,
}

/// Java that stands on the sides of a comparison instead of what is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) expected: Option<String>,
    pub(crate) actual: Option<String>,
}

/// Code around a value: `parse(` and `)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Around {
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Around {
    pub(crate) fn new(before: impl Into<String>, after: impl Into<String>) -> Around {
        Around {
            before: before.into(),
            after: after.into(),
        }
    }

    pub(crate) fn of(&self, value: &str) -> String {
        format!("{}{value}{}", self.before, self.after)
    }
}

/// What may stand between `assertThat(x)` and `isEqualTo(y)` whatever the type of `x`.
const OF_ANY_TYPE: [&str; 5] = [
    "as",
    "describedAs",
    "withFailMessage",
    "overridingErrorMessage",
    "isNotNull",
];

/// All that a strategy makes of the comparisons of texts that may have failed.
pub(crate) fn with_failed_texts<R>(
    clues: &Clues<'_>,
    look: impl Fn(&TextComparison<'_>) -> Vec<R>,
) -> Vec<R> {
    let found = with_failed(clues, |file, comparison| {
        TextComparison::of(clues, file, comparison).map_or_else(Vec::new, |texts| look(&texts))
    });
    if !found.is_empty() {
        return found;
    }
    let Some(place) = clues.assertion() else {
        return found;
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return found;
    };
    let calls = file.on_line("method_invocation", place.line);
    calls
        .filter_map(|call| of_equals(&file, call))
        .filter_map(|comparison| TextComparison::of(clues, &file, comparison))
        .flat_map(|texts| look(&texts))
        .collect()
}

/// `assertTrue(a.equals(b))`.
fn of_equals<'f>(file: &'f JavaFile, call: Node<'f>) -> Option<Comparison<'f>> {
    let condition = *arguments(call)
        .iter()
        .find(|argument| file.field(**argument, "name") == "equals")?;
    let receiver = condition.child_by_field_name("object")?;
    let [argument] = arguments(condition)[..] else {
        return None;
    };
    let (expected, actual) = if known_text(file, argument).is_some() {
        (argument, receiver)
    } else {
        (receiver, argument)
    };
    (file.field(call, "name") == "assertTrue").then_some(Comparison {
        call,
        style: Style::MessageFirst,
        expected,
        actual,
        message: arguments(call).into_iter().find(|other| *other != condition),
    })
}

/// The text of a constant expression, or of a variable that is declared with one.
pub(crate) fn known_text(file: &JavaFile, node: Node<'_>) -> Option<String> {
    text_of(file, node).or_else(|| {
        if node.kind() != "identifier" {
            return None;
        }
        let declaration = file.declaration(file.of(node), node)?;
        text_of(file, declaration.child_by_field_name("value")?)
    })
}

impl<'f> TextComparison<'f> {
    fn of(clues: &Clues<'_>, file: &'f JavaFile, comparison: Comparison<'f>) -> Option<TextComparison<'f>> {
        let written = text_of(file, comparison.expected);
        let told = clues.failing.expected.clone();
        if told.is_some() && written.is_some() && told != written {
            // Another comparison of the same line.
            return None;
        }
        let expected = told.or_else(|| known_text(file, comparison.expected))?;
        let texts = TextComparison {
            file,
            comparison,
            expected,
            actual: clues.failing.actual.clone(),
        };
        texts.can_change_type().then_some(texts)
    }

    /// Whether both sides may become values of another type.
    fn can_change_type(&self) -> bool {
        let Comparison {
            call,
            expected,
            actual,
            ..
        } = self.comparison;
        let is_text = |side: Node<'_>| {
            let is_name = side.kind() == "identifier";
            let declared = is_name
                .then(|| self.file.declared_type(self.file.of(side), side))
                .flatten();
            declared.is_none_or(|class| {
                matches!(class, "String" | "CharSequence" | "Object" | "java.lang.String")
            })
        };
        let is_actual_text = self.asks_for_text() || is_text(actual);
        is_text(expected)
            && is_actual_text
            && (self.comparison.style != Style::Fluent || self.has_plain_chain(call))
    }

    fn has_plain_chain(&self, call: Node<'_>) -> bool {
        let Some(subject) = subject(self.file, call) else {
            return false;
        };
        let is_last = call.parent().is_none_or(|parent| {
            parent.kind() != "method_invocation" || parent.child_by_field_name("object") != Some(call)
        });
        let mut between = ancestors(subject).take_while(|above| *above != call);
        is_last && between.all(|above| OF_ANY_TYPE.contains(&self.file.field(above, "name")))
    }

    /// `assertThat(x).hasToString(y)`: it is the text of the actual value that is compared.
    fn asks_for_text(&self) -> bool {
        self.comparison.name(self.file) == "hasToString"
    }

    /// The sides as Java, as they are or as `sides` has them.
    pub(crate) fn written(&self, sides: &Sides) -> (String, String) {
        let side = |instead: &Option<String>, node: Node<'_>, suffix: &str| {
            instead
                .clone()
                .unwrap_or_else(|| format!("{}{suffix}", self.file.of(node)))
        };
        let suffix = if self.asks_for_text() { ".toString()" } else { "" };
        (
            side(&sides.expected, self.comparison.expected, ""),
            side(&sides.actual, self.comparison.actual, suffix),
        )
    }

    /// The same assertion with code around both sides. Only what is new is inserted; the second side goes to a line of
    /// its own if the line grows longer than the file has them.
    pub(crate) fn wrapped(&self, around: &Around, sides: &Sides) -> Edits {
        let (expected, actual) = (self.comparison.expected, self.comparison.actual);
        let suffix = if self.asks_for_text() { ".toString()" } else { "" };
        let wrap = |edits: Edits, node: Node<'_>, instead: &Option<String>, suffix: &str| match instead {
            Some(value) => edits.replace(node.byte_range(), around.of(value)),
            None => edits
                .insert(node.start_byte(), around.before.clone())
                .insert(node.end_byte(), format!("{suffix}{}", around.after)),
        };
        let edits = wrap(Edits::new(), expected, &sides.expected, "");
        let edits = wrap(edits, actual, &sides.actual, suffix);
        let edits = match self.comparison.call.child_by_field_name("name") {
            Some(name) if self.asks_for_text() => edits.replace(name.byte_range(), "isEqualTo"),
            _ => edits,
        };
        let grown = 2 * (around.before.len() + around.after.len());
        self.broken(edits, grown)
    }

    /// Breaks the line between the sides if it gets too long.
    fn broken(&self, edits: Edits, grown: usize) -> Edits {
        let call = self.comparison.call;
        let text = self.file.text();
        let start = text[..call.start_byte()]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let end = text[call.end_byte()..]
            .find('\n')
            .map_or(text.len(), |newline| call.end_byte() + newline);
        let line = text[start..end].trim_end();
        if line.contains('\n') || line.chars().count() + grown <= self.file.longest_line() {
            return edits;
        }
        let deeper = format!(
            "{}{}{}",
            self.file.line_end(),
            self.file.indentation(call),
            self.file.indent_unit().repeat(2)
        );
        let first = self
            .comparison
            .expected
            .end_byte()
            .min(self.comparison.actual.end_byte());
        let second = self
            .comparison
            .expected
            .start_byte()
            .max(self.comparison.actual.start_byte());
        let gap = &text[first..second];
        match self.comparison.style {
            Style::Fluent => match call.child_by_field_name("name") {
                Some(name) => edits.insert(name.start_byte() - 1, deeper),
                None => edits,
            },
            _ => match gap.find(", ") {
                Some(comma) => edits.replace(first + comma + 1..first + comma + 2, deeper),
                None => edits,
            },
        }
    }

    /// The range of `assertEquals`, `Assert.assertEquals` or the like.
    pub(crate) fn callee(&self) -> Option<std::ops::Range<usize>> {
        let list = self.comparison.call.child_by_field_name("arguments")?;
        Some(self.comparison.call.start_byte()..list.start_byte())
    }
}

impl JavaFile {
    /// How long lines may get: as the longest one that is there, within what most projects allow.
    pub(crate) fn longest_line(&self) -> usize {
        let lines = self.text().lines().filter(|line| !line.starts_with("import "));
        lines
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0)
            .clamp(100, 120)
    }
}

/// The variants in which one side says something else.
pub(crate) fn mutants(
    mistakes: impl IntoIterator<Item = (Mutation, Option<String>)>,
    rewritten: impl Fn(&Sides) -> Edits,
) -> Vec<Mutant> {
    let known = mistakes
        .into_iter()
        .filter_map(|(mutation, text)| Some((mutation, text?)));
    known
        .map(|(mutation, text)| {
            let literal = Some(constant(&text));
            let sides = match mutation {
                Mutation::ActualDropped | Mutation::ActualDoubled => Sides {
                    expected: None,
                    actual: literal,
                },
                _ => Sides {
                    expected: literal,
                    actual: None,
                },
            };
            Mutant {
                mutation,
                edits: rewritten(&sides),
            }
        })
        .collect()
}

/// A class file holds no constant of more than 65,535 bytes.
const LONGEST_CONSTANT: usize = 20_000;

/// A text of any length as an expression.
fn constant(text: &str) -> String {
    if text.len() <= LONGEST_CONSTANT {
        return quoted(text);
    }
    let chars: Vec<char> = text.chars().collect();
    let pieces = chars.chunks(LONGEST_CONSTANT / 2);
    let pieces: Vec<String> = pieces
        .map(|piece| quoted(&piece.iter().collect::<String>()))
        .collect();
    format!("String.join(\"\", {})", pieces.join(", "))
}
