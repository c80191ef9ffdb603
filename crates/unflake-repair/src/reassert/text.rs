//! Expected texts: one literal, a text block, or several pieces that `+` joins.

use super::{Told, changed};
use crate::edit::Edits;
use crate::java::JavaFile;
use crate::literal::{quoted, text_of};
use crate::same_parts::have_same_parts;
use tree_sitter::Node;

/// One of the texts that `+` joins.
struct Piece<'f> {
    node: Node<'f>,
    text: String,
    is_literal: bool,
}

pub(super) fn text_renewed(file: &JavaFile, node: Node<'_>, told: &Told) -> Result<Edits, String> {
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
    let new = around_fixed(&pieces, &told.actual)
        .ok_or("the expected text is joined of parts that are no literals")?;
    let mut edits = Edits::new();
    for (piece, new) in pieces.iter().filter(|piece| piece.is_literal).zip(new) {
        if piece.text != new {
            edits = edits.replace(piece.node.byte_range(), written_like(file, piece.node, new)?);
        }
    }
    changed(edits)
}

/// The new texts of the literals, if all else stays where it is, and the literals between have the same parts.
fn around_fixed<'t>(pieces: &[Piece<'_>], text: &'t str) -> Option<Vec<&'t str>> {
    let mut new = Vec::new();
    let mut rest = text;
    for run in pieces.chunk_by(|a, b| a.is_literal == b.is_literal) {
        let old: String = run.iter().map(|piece| piece.text.as_str()).collect();
        let (there, behind) = rest.split_at_checked(old.len())?;
        rest = behind;
        let is_literal = run[0].is_literal;
        if there != old && !(is_literal && have_same_parts(&old, there)) {
            return None;
        }
        if is_literal {
            new.extend(split(run, there));
        }
    }
    rest.is_empty().then_some(new)
}

/// The operands of `+`, each with its text. What is no literal has the text that the others leave of the
/// expected one.
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
pub(super) fn written_like(file: &JavaFile, node: Node<'_>, text: &str) -> Result<String, String> {
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
