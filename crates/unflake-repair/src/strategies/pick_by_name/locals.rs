//! What becomes of the array that members were picked from: variables of their own, and no checks that only
//! guarded the picks.

use super::members::{MemberPick, NamedPick};
use crate::java::{JavaFile, arguments};
use crate::near::fresh_name;
use std::ops::Range;
use tree_sitter::Node;

/// The longest line, with tabs as four spaces, that a call by name may make.
const WIDEST: usize = 120;

/// A variable for one member.
pub(super) struct Local {
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) declaration: String,
}

/// A variable for each member, where calls would be repeated or lines would become too long. `declaration`: that of the
/// array.
pub(super) fn locals<'f>(
    file: &'f JavaFile,
    declaration: Node<'f>,
    named: &[(MemberPick<'f>, NamedPick)],
) -> Option<Vec<Local>> {
    let mut indices: Vec<usize> = named.iter().map(|(pick, _)| pick.index).collect();
    indices.sort_unstable();
    let is_repeated = indices.windows(2).any(|two| two[0] == two[1]);
    if !is_repeated
        && !named
            .iter()
            .any(|(pick, named)| is_wide(file, pick.node, &named.text))
    {
        return None;
    }
    let declared = file.field(declaration, "type");
    let element = declared
        .strip_suffix("[]")
        .filter(|element| !element.ends_with(']'))?;
    let kind = element.split('<').next()?.rsplit('.').next()?;
    let mut locals: Vec<Local> = Vec::new();
    for (pick, named) in named {
        if locals.iter().any(|local| local.index == pick.index) {
            continue;
        }
        let name = variable(&named.name, kind)?;
        let is_free = fresh_name(file, declaration, &[&name]).is_some();
        if !is_free || locals.iter().any(|local| local.name == name) {
            return None;
        }
        locals.push(Local {
            index: pick.index,
            declaration: format!("{element} {name} = {};", named.text),
            name,
        });
    }
    Some(locals)
}

/// `idField` for `id`, a `Field`.
fn variable(member: &str, kind: &str) -> Option<String> {
    let is_plain = member.starts_with(|c: char| c.is_lowercase()) && matches!(kind, "Field" | "Method");
    is_plain.then(|| format!("{member}{kind}"))
}

/// Whether the line of a node is too long with a text in its place.
fn is_wide(file: &JavaFile, node: Node<'_>, text: &str) -> bool {
    let all = file.text();
    let start = file.line_start(node);
    let end = all[node.end_byte()..]
        .find('\n')
        .map_or(all.len(), |newline| node.end_byte() + newline);
    let width = |text: &str| text.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum::<usize>();
    let line = width(all[start..end].trim_end());
    line + width(text) - width(file.of(node)) > WIDEST
}

/// `assertTrue(all.length >= 1);` or `assertNotNull(all);`: what only guards the picks. How many there are exactly is
/// another question.
pub(super) fn guard<'f>(file: &'f JavaFile, array: Node<'f>) -> Option<Node<'f>> {
    let access = array.parent().filter(|up| file.field(*up, "field") == "length");
    let compared = access.and_then(|access| {
        let compared = access.parent().filter(|up| up.kind() == "binary_expression")?;
        let is_number = file.field(compared, "right").parse::<usize>().is_ok();
        let is_least = matches!(file.field(compared, "operator"), ">=" | ">");
        (is_number && is_least).then_some(compared)
    });
    let (condition, name) = match compared {
        Some(compared) => (compared, "assertTrue"),
        None => (array, "assertNotNull"),
    };
    let call = condition
        .parent()?
        .parent()
        .filter(|call| call.kind() == "method_invocation")?;
    let is_assertion = file.field(call, "name") == name && arguments(call).last() == Some(&condition);
    let statement = call.parent().filter(|up| up.kind() == "expression_statement")?;
    (is_assertion && whole_lines(file, statement).is_some()).then_some(statement)
}

/// The lines of a statement that stands on them alone.
pub(super) fn whole_lines(file: &JavaFile, statement: Node<'_>) -> Option<Range<usize>> {
    let text = file.text();
    let start = file.line_start(statement);
    let end = statement.end_byte() + text[statement.end_byte()..].find('\n')? + 1;
    let is_alone = text[start..statement.start_byte()].trim().is_empty()
        && text[statement.end_byte()..end].trim().is_empty();
    is_alone.then_some(start..end)
}
