//! R6, ReAssert: a repair made an order the same in every run, and a test's expected literal still has the old one.
//!
//! The literal is renewed from what the assertion got, only if that says the same in another order. It may stand in the
//! comparison, in a variable or a constant that nothing else needs, or at the call of the test's own checking method. Its
//! lines, its pieces and how they are written stay as well as they can.

use crate::assertion::Comparison;
use crate::clues::{Failing, Sources};
use crate::edit::Edits;
use crate::java::{CALLABLES, JavaFile, ancestors, arguments, descendants, lines, named_children};
use crate::literal::{quoted, text_of};
use crate::same_parts::have_same_parts;
use std::rc::Rc;
use tree_sitter::Node;
use unflake_findings::SourcePlace;

/// The file with the literal, and the edits that renew it. An error is the reason why it is not renewed: lower case, no
/// full stop.
pub fn renewed(failing: &Failing, sources: &dyn Sources) -> Result<(String, Edits), String> {
    let told = Told::by(failing).ok_or("the failure does not tell the whole values that were compared")?;
    let first = failing
        .frames
        .iter()
        .position(|frame| sources.is_test(&frame.file))
        .ok_or("no line of test code is on the stack")?;
    let renewing = Renewing {
        failing,
        sources,
        told: &told,
    };
    renewing.at(first)
}

/// The values that were compared, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    expected: Option<String>,
    actual: String,
}

impl Told {
    fn by(failing: &Failing) -> Option<Told> {
        if let Some(actual) = &failing.actual {
            return Some(Told {
                expected: failing.expected.clone(),
                actual: actual.clone(),
            });
        }
        in_message(&failing.message)
    }

    /// Both with a replacement undone. `None`: it cannot be undone.
    fn before_replacing(&self, old: &str, new: &str) -> Option<Told> {
        let undone = |text: &String| {
            let before = text.replace(new, old);
            (before.replace(old, new) == *text).then_some(before)
        };
        let expected = match &self.expected {
            Some(expected) => Some(undone(expected)?),
            None => None,
        };
        Some(Told {
            expected,
            actual: undone(&self.actual)?,
        })
    }
}

/// Of Hamcrest, AssertJ and TestNG, whose exceptions have no values of their own.
fn in_message(message: &str) -> Option<Told> {
    let message = message.trim_end();
    let between = |opening: &str, middle: &str, closing: &str| {
        let (_, rest) = message.split_once(opening)?;
        let (expected, actual) = rest.split_once(middle)?;
        let actual = actual.strip_suffix(closing)?;
        Some(Told {
            expected: Some(expected.trim_end().to_owned()),
            actual: actual.to_owned(),
        })
    };
    let quoted = between("Expected: is \"", "\"\n     but: was \"", "\"")
        .or_else(|| between("Expected: \"", "\"\n     but: was \"", "\""));
    // Hamcrest writes a text as Java would.
    if let Some(told) = quoted {
        let plain = |text: &str| {
            let text = text.replace("\\\"", "\"").replace("\\n", "\n");
            text.replace("\\t", "\t").replace("\\r", "\r")
        };
        return Some(Told {
            expected: told.expected.as_deref().map(plain),
            actual: plain(&told.actual),
        });
    }
    between("expected: \"", "\"\n but was: \"", "\"")
        .or_else(|| between("expected [", "] but found [", "]"))
        .or_else(|| between("Expected: is <", ">\n     but: was <", ">"))
}

struct Renewing<'a> {
    failing: &'a Failing,
    sources: &'a dyn Sources,
    told: &'a Told,
}

type Renewed = Result<(String, Edits), String>;

impl Renewing<'_> {
    fn frame(&self, frame: usize) -> Result<(Rc<JavaFile>, &SourcePlace), String> {
        let place = self
            .failing
            .frames
            .get(frame)
            .ok_or("the expected value comes from outside of the project")?;
        let file = self
            .sources
            .file(&place.file)
            .ok_or_else(|| format!("`{}` cannot be read", place.file))?;
        Ok((file, place))
    }

    /// The comparison on the line of a frame.
    fn at(&self, frame: usize) -> Renewed {
        let (file, place) = self.frame(frame)?;
        let mut reason = None;
        let compared = Comparison::on_line(&file, place.line)
            .into_iter()
            .map(|comparison| comparison.expected);
        let by_text = self.told_on(&file, place.line);
        for expected in compared.chain(in_order(&file, place.line)).chain(by_text) {
            match self.value(&file, frame, expected, self.told) {
                Ok(renewed) => return Ok(renewed),
                // The first is the most likely one.
                Err(why) => reason = reason.or(Some(why)),
            }
        }
        let reason =
            reason.unwrap_or("no comparison with an expected value is on the line that failed".to_owned());
        Err(reason)
    }

    /// Texts on the line that are the expected one, whichever assertion it is.
    fn told_on<'f>(&self, file: &'f JavaFile, line: u32) -> Vec<Node<'f>> {
        let is_it = |node: &Node<'f>| {
            lines(*node).contains(&line)
                && text_of(file, *node).is_some_and(|text| Some(text) == self.told.expected)
        };
        file.nodes().filter(is_it).take(1).collect()
    }

    /// `frame`: whose line the expression stands in.
    fn value(&self, file: &JavaFile, frame: usize, node: Node<'_>, told: &Told) -> Renewed {
        let here = |edits: Edits| (file.path.clone(), edits);
        if let Some(elements) = elements(file, node) {
            return elements_renewed(file, &elements, told).map(here);
        }
        match node.kind() {
            "identifier" => self.variable(file, frame, node, told),
            "parenthesized_expression" | "cast_expression" => {
                let inner = named_children(node).into_iter().next_back();
                self.value(file, frame, inner.ok_or("there is no value")?, told)
            }
            "string_literal" | "binary_expression" => text_renewed(file, node, told).map(here),
            "method_invocation" if file.field(node, "name") == "replace" => {
                let object = node.child_by_field_name("object");
                let undone = match arguments(node)[..] {
                    [old, new] => sign(file, old)
                        .zip(sign(file, new))
                        .and_then(|(old, new)| told.before_replacing(&old, &new)),
                    _ => None,
                };
                let (object, undone) = object.zip(undone).ok_or("the expected value is computed")?;
                self.value(file, frame, object, &undone)
            }
            _ => Err(format!(
                "the expected value `{}` is no literal",
                short(file.of(node))
            )),
        }
    }

    fn variable(&self, file: &JavaFile, frame: usize, name: Node<'_>, told: &Told) -> Renewed {
        let text = file.of(name);
        let declaration = file
            .declaration(text, name)
            .ok_or_else(|| format!("`{text}` is not declared in this file"))?;
        match declaration.kind() {
            "variable_declarator" => {
                let is_field = declaration
                    .parent()
                    .is_some_and(|up| up.kind() == "field_declaration");
                if is_field && !self.is_of_this_test_only(file, declaration) {
                    return Err(format!("other tests use `{text}` as well"));
                }
                let value = only_value(file, declaration)?;
                self.value(file, frame, value, told)
            }
            "formal_parameter" => self.argument(file, frame, declaration, told),
            _ => Err(format!("`{text}` has no value that is written here")),
        }
    }

    fn is_of_this_test_only(&self, file: &JavaFile, declaration: Node<'_>) -> bool {
        let name = file.field(declaration, "name");
        let method = self.failing.test.rsplit('#').next().unwrap_or_default();
        let method = method.split(['(', '[']).next().unwrap_or_default();
        let is_inside = |node: Node<'_>| {
            let around = ancestors(node).filter(|above| CALLABLES.contains(&above.kind()));
            around
                .last()
                .is_some_and(|outer| file.field(outer, "name") == method)
        };
        let mut uses = file
            .nodes()
            .filter(|node| node.kind() == "identifier" && file.of(*node) == name)
            .filter(|node| node.parent() != Some(declaration));
        uses.all(is_inside)
    }

    /// What the caller gives for a parameter.
    fn argument(&self, file: &JavaFile, frame: usize, parameter: Node<'_>, told: &Told) -> Renewed {
        let list = parameter.parent();
        let method = list
            .and_then(|list| list.parent())
            .filter(|method| method.kind() == "method_declaration")
            .ok_or("the expected value is a parameter of a lambda or a constructor")?;
        let index = list
            .map(named_children)
            .and_then(|all| all.iter().position(|other| *other == parameter))
            .ok_or("the expected value is an unknown parameter")?;
        let name = file.field(method, "name");
        let (calling, place) = self.frame(frame + 1)?;
        let call = calling
            .on_line("method_invocation", place.line)
            .find(|call| calling.field(*call, "name") == name)
            .ok_or_else(|| format!("`{name}` is not called where the stack says so"))?;
        let arguments = arguments(call);
        let value = arguments
            .get(index)
            .ok_or_else(|| format!("the call of `{name}` has too few arguments"))?;
        self.value(&calling, frame + 1, *value, told)
    }
}

/// A sign or a text.
fn sign(file: &JavaFile, node: Node<'_>) -> Option<String> {
    if node.kind() != "character_literal" {
        return text_of(file, node);
    }
    let inner = file.of(node).strip_prefix('\'')?.strip_suffix('\'')?;
    Some(match inner {
        "\\'" => "'".to_owned(),
        "\\n" => "\n".to_owned(),
        "\\\\" => "\\".to_owned(),
        "\\\"" => "\"".to_owned(),
        one if one.chars().count() == 1 => one.to_owned(),
        _ => return None,
    })
}

/// The first line of an expression.
fn short(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The value of a variable that gets one only once.
fn only_value<'f>(file: &'f JavaFile, declarator: Node<'f>) -> Result<Node<'f>, String> {
    let name = file.field(declarator, "name");
    let around = ancestors(declarator).nth(1).unwrap_or(declarator);
    let assigned: Vec<Node<'f>> = descendants(around)
        .filter(|node| node.kind() == "assignment_expression")
        .filter(|node| {
            let left = file.field(*node, "left");
            left.strip_prefix("this.").unwrap_or(left) == name
        })
        .collect();
    let value = declarator.child_by_field_name("value");
    match (value, &assigned[..]) {
        (Some(value), []) => Ok(value),
        (None, [only]) if file.field(*only, "operator") == "=" => only
            .child_by_field_name("right")
            .ok_or_else(|| format!("`{name}` has no value")),
        _ => Err(format!("`{name}` gets its value in several places")),
    }
}

/// Calls whose arguments are the expected elements in their order: `containsExactly("a", "b")`.
fn in_order(file: &JavaFile, line: u32) -> Vec<Node<'_>> {
    let is_one = |call: &Node<'_>| {
        matches!(
            file.field(*call, "name"),
            "containsExactly" | "contains" | "arrayContaining" | "containsSequence"
        )
    };
    file.on_line("method_invocation", line).filter(is_one).collect()
}

/// The elements of a list or an array that is written here.
fn elements<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<Vec<Node<'f>>> {
    match node.kind() {
        "array_initializer" => Some(named_children(node)),
        "array_creation_expression" => node.child_by_field_name("value").map(named_children),
        "object_creation_expression" => match arguments(node)[..] {
            [only] => elements(file, only),
            _ => None,
        },
        "method_invocation" => {
            let makes = matches!(
                file.field(node, "name"),
                "asList"
                    | "of"
                    | "newArrayList"
                    | "list"
                    | "containsExactly"
                    | "contains"
                    | "arrayContaining"
                    | "containsSequence"
            );
            match &arguments(node)[..] {
                [only] if makes => elements(file, *only),
                all if makes && all.len() > 1 => Some(all.to_vec()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The elements that are there, each where the actual value has it.
fn elements_renewed(file: &JavaFile, elements: &[Node<'_>], told: &Told) -> Result<Edits, String> {
    let not_told = || "the failure does not tell all elements".to_owned();
    let n = elements.len();
    let actual = listed(&told.actual)
        .filter(|parts| parts.len() == n)
        .ok_or_else(not_told)?;
    let expected = told
        .expected
        .as_deref()
        .and_then(listed)
        .filter(|parts| parts.len() == n);
    let mut texts = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        let written = element_text(file, *element);
        let shown = expected.as_ref().map(|parts| parts[index].to_owned());
        match (written, shown) {
            (Some(written), Some(shown)) if plain(&shown) != written => {
                return Err("the failure compared other elements than these".to_owned());
            }
            (Some(written), _) => texts.push(written),
            (None, Some(shown)) => texts.push(plain(&shown).to_owned()),
            (None, None) => return Err(not_told()),
        }
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut edits = Edits::new();
    for (place, part) in actual.iter().enumerate() {
        // An element that can stay stays, also among equal ones.
        let is_it = |index: &usize| texts[*index] == plain(part);
        let at = left
            .iter()
            .position(|index| *index == place && is_it(index))
            .or_else(|| left.iter().position(is_it))
            .ok_or("the actual elements are other ones, not the same in another order")?;
        let index = left.remove(at);
        if file.of(elements[index]) != file.of(elements[place]) {
            edits = edits.replace(elements[place].byte_range(), file.of(elements[index]));
        }
    }
    changed(edits)
}

fn changed(edits: Edits) -> Result<Edits, String> {
    if edits.is_empty() {
        return Err("the expected value has the actual order already".to_owned());
    }
    Ok(edits)
}

/// An element as its `toString` shows it, where that is known without running.
fn element_text(file: &JavaFile, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "decimal_integer_literal" | "true" | "false" => Some(file.of(node).to_owned()),
        _ => text_of(file, node).or_else(|| sign(file, node)),
    }
}

/// AssertJ shows texts in quotes.
fn plain(part: &str) -> &str {
    let inner = part.strip_prefix('"').and_then(|part| part.strip_suffix('"'));
    inner.unwrap_or(part)
}

/// The parts of `[a, b]`.
fn listed(text: &str) -> Option<Vec<&str>> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inner[start..].trim());
    Some(parts)
}

/// One of the texts that `+` joins.
struct Piece<'f> {
    node: Node<'f>,
    text: String,
    is_literal: bool,
}

fn text_renewed(file: &JavaFile, node: Node<'_>, told: &Told) -> Result<Edits, String> {
    let pieces = pieces(file, node, told)?;
    let old: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    if told.expected.as_ref().is_some_and(|expected| *expected != old) {
        return Err("the failure compared another text than this literal".to_owned());
    }
    if old == told.actual {
        return Err("the expected value has the actual order already".to_owned());
    }
    if !have_same_parts(&old, &told.actual) {
        return Err("the actual value has other parts, not the same in another order".to_owned());
    }
    if let Some(order) = rearranged(&pieces, &told.actual) {
        let moves = pieces.iter().zip(order);
        let edits = moves.fold(Edits::new(), |edits, (piece, index)| {
            let (old, new) = (file.of(piece.node), file.of(pieces[index].node));
            if old == new {
                edits
            } else {
                edits.replace(piece.node.byte_range(), new)
            }
        });
        return changed(edits);
    }
    if pieces.iter().any(|piece| !piece.is_literal) {
        return Err("the expected text is joined of parts that are no literals".to_owned());
    }
    let mut edits = Edits::new();
    for (piece, new) in pieces.iter().zip(split(&pieces, &told.actual)) {
        if piece.text != new {
            edits = edits.replace(piece.node.byte_range(), written_like(file, piece.node, new)?);
        }
    }
    changed(edits)
}

/// The operands of `+`, each with its text. What is no literal has the text that the others leave of the expected one.
fn pieces<'f>(file: &'f JavaFile, node: Node<'f>, told: &Told) -> Result<Vec<Piece<'f>>, String> {
    let mut operands = Vec::new();
    flatten(file, node, &mut operands);
    let texts: Vec<Option<String>> = operands.iter().map(|operand| text_of(file, *operand)).collect();
    let unknown = || "the expected text is joined of parts that are no literals".to_owned();
    let mut rest = match (&told.expected, texts.iter().all(Option::is_some)) {
        (Some(expected), false) => expected.as_str(),
        (None, false) => return Err(unknown()),
        _ => "",
    };
    let is_known = texts.iter().all(Option::is_some);
    let mut pieces = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let text = match &texts[index] {
            Some(text) => text.clone(),
            None => {
                let end = match texts.get(index + 1) {
                    None => rest.len(),
                    Some(Some(next)) if !next.is_empty() => rest.find(next.as_str()).ok_or_else(unknown)?,
                    Some(_) => return Err(unknown()),
                };
                rest[..end].to_owned()
            }
        };
        if !is_known {
            rest = rest.strip_prefix(text.as_str()).ok_or_else(unknown)?;
        }
        pieces.push(Piece {
            node: *operand,
            text,
            is_literal: texts[index].is_some(),
        });
    }
    Ok(pieces)
}

fn flatten<'f>(file: &JavaFile, node: Node<'f>, operands: &mut Vec<Node<'f>>) {
    let sides = node
        .child_by_field_name("left")
        .zip(node.child_by_field_name("right"));
    match sides {
        Some((left, right)) if node.kind() == "binary_expression" && file.field(node, "operator") == "+" => {
            flatten(file, left, operands);
            flatten(file, right, operands);
        }
        _ => operands.push(node),
    }
}

/// An order of the pieces that gives a text, if there is one.
fn rearranged(pieces: &[Piece<'_>], text: &str) -> Option<Vec<usize>> {
    /// Pieces that are tried before it is given up.
    const PATIENCE: usize = 20_000;
    fn search(pieces: &[Piece<'_>], rest: &str, order: &mut Vec<usize>, patience: &mut usize) -> bool {
        let place = order.len();
        if place == pieces.len() {
            return rest.is_empty();
        }
        // What can stay stays.
        for index in std::iter::once(place).chain(0..pieces.len()) {
            *patience = patience.saturating_sub(1);
            if *patience == 0 {
                return false;
            }
            if order.contains(&index) {
                continue;
            }
            if let Some(rest) = rest.strip_prefix(pieces[index].text.as_str()) {
                order.push(index);
                if search(pieces, rest, order, patience) {
                    return true;
                }
                order.pop();
            }
        }
        false
    }
    let mut order = Vec::new();
    let found = search(pieces, text, &mut order, &mut PATIENCE.clone());
    // With two values in front, `+` would add them.
    let is_text = pieces.len() == 1 || order.iter().take(2).any(|index| pieces[*index].is_literal);
    (found && is_text).then_some(order)
}

/// A text in as many parts as there are pieces, cut behind the same signs as they are.
fn split<'t>(pieces: &[Piece<'_>], text: &'t str) -> Vec<&'t str> {
    let mut cuts = Vec::new();
    let mut before = String::new();
    for piece in &pieces[..pieces.len() - 1] {
        before.push_str(&piece.text);
        let by_sign = before
            .chars()
            .next_back()
            .filter(|c| !c.is_alphanumeric())
            .and_then(|sign| {
                let count = before.matches(sign).count();
                let (at, found) = text.match_indices(sign).nth(count - 1)?;
                Some(at + found.len())
            });
        let by_length = text
            .char_indices()
            .map(|(at, _)| at)
            .nth(before.chars().count())
            .unwrap_or(text.len());
        let least = cuts.last().copied().unwrap_or(0);
        let cut = by_sign.filter(|cut| *cut > least).unwrap_or(by_length.max(least));
        cuts.push(cut);
    }
    cuts.push(text.len());
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    starts.zip(&cuts).map(|(start, end)| &text[start..*end]).collect()
}

/// A literal as another one is written: with the same quotes, and letters as they are in the file.
fn written_like(file: &JavaFile, node: Node<'_>, text: &str) -> Result<String, String> {
    let old = file.of(node);
    if !old.starts_with('"') {
        return Ok(quoted(text));
    }
    match old.strip_prefix("\"\"\"") {
        Some(block) => block_like(block, text, file.line_end()),
        None => {
            let sign = |c: char| {
                if !c.is_ascii() && file.text().contains(c) {
                    return c.to_string();
                }
                let literal = quoted(&c.to_string());
                literal[1..literal.len() - 1].to_owned()
            };
            Ok(format!("\"{}\"", text.chars().map(sign).collect::<String>()))
        }
    }
}

/// A text block with the indentation and the closing quotes of another one.
fn block_like(block: &str, text: &str, end: &str) -> Result<String, String> {
    let odd = || "the text block has signs that it cannot be renewed with".to_owned();
    let content = block.split_once('\n').ok_or_else(odd)?.1;
    let content = content.strip_suffix("\"\"\"").ok_or_else(odd)?;
    let last = content.rsplit('\n').next().unwrap_or_default();
    let ends_below = last.trim().is_empty();
    let indents = content.lines().filter(|line| !line.trim().is_empty());
    let indents = indents.map(|line| &line[..line.len() - line.trim_start().len()]);
    let closing = ends_below.then_some(last);
    let indent = indents
        .chain(closing)
        .min_by_key(|indent| indent.len())
        .unwrap_or_default();
    let is_odd =
        |line: &str| line.ends_with([' ', '\t']) || line.contains(['\\', '\r']) || line.contains("\"\"\"");
    if text.ends_with('\n') != ends_below || text.lines().any(is_odd) || content.contains('\\') {
        return Err(odd());
    }
    let lines = text.lines().map(|line| {
        let indent = if line.is_empty() { "" } else { indent };
        format!("{indent}{line}")
    });
    let body = lines.collect::<Vec<_>>().join(end);
    let closing = closing
        .map(|closing| format!("{end}{closing}"))
        .unwrap_or_default();
    Ok(format!("\"\"\"{end}{body}{closing}\"\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
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
            Ok(
                "-assertThat(x).containsExactly(\"a\", \"b\");\n+assertThat(x).containsExactly(\"b\", \"a\");",
            ),
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
}
