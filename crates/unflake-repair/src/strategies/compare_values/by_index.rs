//! `assertEquals("x", list.get(0)); assertEquals("y", list.get(1));`: one comparison of the whole list, sorted.

use super::lists::SortedSide;
use crate::assertion::{Comparison, Style};
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::elements::in_natural_order;
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, arguments, descendants, named_children};
use crate::rewrite::{CanRepeat, Rewrite, put};
use crate::types::{Shape, type_of};
use tree_sitter::Node;

pub(super) fn candidates(clues: &Clues<'_>) -> Vec<Candidate> {
    let Some(place) = clues.assertion() else {
        return Vec::new();
    };
    let Some(file) = clues.sources.file(&place.file) else {
        return Vec::new();
    };
    let failed = Comparison::on_line(&file, place.line);
    let found = failed.into_iter().filter_map(|comparison| {
        let picked = PickedElement::of(&file, comparison)?;
        whole(clues, &file, picked)
    });
    found.collect()
}

/// A comparison of one element of a list or of an array, or of what it gives.
#[derive(Clone, Copy)]
struct PickedElement<'f> {
    comparison: Comparison<'f>,
    /// `list` in `list.get(0).name()`.
    list: Node<'f>,
    index: usize,
    /// `list.get(0)` in it.
    element: Node<'f>,
}

impl<'f> PickedElement<'f> {
    fn of(file: &'f JavaFile, comparison: Comparison<'f>) -> Option<PickedElement<'f>> {
        let is_plain = matches!(
            comparison.style,
            Style::MessageFirst | Style::MessageLast | Style::ActualFirst
        );
        if !is_plain || comparison.name(file) != "assertEquals" || comparison.message.is_some() {
            return None;
        }
        let below = std::iter::successors(Some(comparison.actual), |node| node.child_by_field_name("object"));
        below
            .filter_map(|node| element_of(file, node))
            .next()
            .map(|(list, index, element)| PickedElement {
                comparison,
                list,
                index,
                element,
            })
    }

    /// What is asked of the element: `.name()`.
    fn asked(&self, file: &'f JavaFile) -> &'f str {
        &file.text()[self.element.end_byte()..self.comparison.actual.end_byte()]
    }
}

/// List, index and the element itself.
fn element_of<'f>(file: &'f JavaFile, node: Node<'f>) -> Option<(Node<'f>, usize, Node<'f>)> {
    let (list, index) = match node.kind() {
        "array_access" => (
            node.child_by_field_name("array")?,
            node.child_by_field_name("index")?,
        ),
        "method_invocation" if file.field(node, "name") == "get" => {
            let [index] = arguments(node)[..] else {
                return None;
            };
            (node.child_by_field_name("object")?, index)
        }
        _ => return None,
    };
    Some((list, file.of(index).parse().ok()?, node))
}

fn whole(clues: &Clues<'_>, file: &JavaFile, failed: PickedElement<'_>) -> Option<Candidate> {
    let group = group(file, failed)?;
    let sources: Vec<&str> = group.iter().map(|one| file.of(one.comparison.call)).collect();
    if !clues.choice_made_the_order(&sources.join("\n")) {
        return None;
    }
    let shape = type_of(clues.sources, file, failed.list).map(|of| of.shape());
    let is_array = match (failed.element.kind(), shape) {
        ("array_access", Some(Shape::PrimitiveArray)) => return None,
        ("array_access", _) => true,
        (_, Some(Shape::List) | None) => false,
        _ => return None,
    };
    let (first, last) = (group.first()?.comparison, group.last()?.comparison);
    let codes: Vec<&str> = group.iter().map(|one| file.of(one.comparison.expected)).collect();
    let constants = in_natural_order(&codes)?;
    let mut imports: Vec<Import> = Vec::new();
    let factory = if clues.libraries.java >= 9 && file.imported("Arrays").is_none() {
        let (list, import) = file.using("java.util.List");
        imports.extend(import);
        format!("{list}.of")
    } else {
        let (arrays, import) = file.using("java.util.Arrays");
        imports.extend(import);
        format!("{arrays}.asList")
    };
    let sorted = SortedSide {
        java: clues.libraries.java,
        file,
    };
    let asked = failed.asked(file);
    let (end, more) = sorted.end();
    imports.extend(more);
    let start = if is_array {
        let (arrays, import) = file.using("java.util.Arrays");
        imports.extend(import);
        format!("{arrays}.stream(")
    } else {
        String::new()
    };
    let of_element = match asked {
        "" => String::new(),
        asked => format!(".map(e -> e{asked})"),
    };
    let rest = file.statement_of(first.call)?.end_byte()..file.statement_of(last.call)?.end_byte();
    let statement = file.statement_of(first.call)?.start_byte()..rest.end;
    // A comment between them would go with them.
    let gaps = &file.text()[rest.clone()];
    if gaps.contains("//") || gaps.contains("/*") {
        return None;
    }
    let rewrite = Rewrite {
        why: "compare all elements at once and sorted, since their order is not specified".to_owned(),
        expected: format!("{factory}({})", constants.join(", ")),
        actual: file.of(failed.list).to_owned(),
        can_repeat: CanRepeat::Both,
        edits: Box::new(move |expected, actual| {
            let stream = if is_array {
                format!("{start}{actual})")
            } else {
                format!("{actual}.stream()")
            };
            let actual = format!("{stream}{of_element}.sorted(){end}");
            let edits = put(file, Edits::new(), first.expected, expected);
            let edits = put(file, edits, first.actual, &actual);
            let edits = edits.replace(rest.clone(), "");
            file.with_imports(edits, imports.clone())
        }),
    };
    Some(rewrite.candidate(file, statement))
}

/// The consecutive statements that compare all elements from the first on, in the same way.
fn group<'f>(file: &'f JavaFile, failed: PickedElement<'f>) -> Option<Vec<PickedElement<'f>>> {
    let statement = file.statement_of(failed.comparison.call)?;
    let block = statement.parent().filter(|parent| parent.kind() == "block")?;
    let picked = |statement: Node<'f>| {
        let call = *named_children(statement).first()?;
        let is_alone = statement.kind() == "expression_statement" && call.kind() == "method_invocation";
        let comparison = Comparison::of(file, call).filter(|_| is_alone)?;
        PickedElement::of(file, comparison)
            .filter(|one| file.of(one.list) == file.of(failed.list) && one.asked(file) == failed.asked(file))
    };
    let statements = named_children(block);
    let at = statements.iter().position(|one| *one == statement)?;
    let n_before = statements[..at]
        .iter()
        .rev()
        .map_while(|one| picked(*one))
        .count();
    let group: Vec<PickedElement<'f>> = statements[at - n_before..]
        .iter()
        .map_while(|one| picked(*one))
        .collect();
    let mut indices: Vec<usize> = group.iter().map(|one| one.index).collect();
    indices.sort_unstable();
    let is_whole = group.len() > 1 && indices.iter().copied().eq(0..group.len());
    // What else is asked of single elements belongs to them: two lists would lose what belongs together.
    let method = ancestors(block).find(|above| above.kind() == "method_declaration")?;
    let n_picks = descendants(method)
        .filter_map(|node| element_of(file, node))
        .filter(|(list, _, _)| file.of(*list) == file.of(failed.list))
        .count();
    (is_whole && n_picks == group.len()).then_some(group)
}
