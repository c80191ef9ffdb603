//! One method for all test classes of a project that has a class for such methods, instead of one in each of them.

use super::{HELPER, TreeWork};
use crate::assertion::{Style, subject};
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, named_children};
use crate::json_libraries::{TreeCompare, TreeReader, tree_compares};
use tree_sitter::Node;

impl TreeWork<'_> {
    /// Compares trees, and before it what `first` says, in a method of a class that has assertions for all tests.
    pub(super) fn by_shared_method(
        &self,
        clues: &Clues<'_>,
        reader: &TreeReader,
        first: &str,
    ) -> Option<Candidate> {
        let own = self.file();
        let holders = clues.sources.assertion_holders(&own.path).into_iter();
        let (holder, name) = holders
            .filter(|holder| holder.path != own.path)
            .find_map(|holder| Some((holder.clone(), with_assertions(&holder)?.1)))?;
        let (class, _) = with_assertions(&holder)?;
        let same = |compare: &TreeCompare| matches!(compare, TreeCompare::Read(there) if there.library == reader.library);
        let there = tree_compares(clues, &holder, class, self.expected.is_array());
        let Some(TreeCompare::Read(there)) = there.into_iter().find(same) else {
            return None;
        };
        if there.throws.is_some() {
            return None;
        }
        let read = &there.in_static;
        let mut lines = vec![
            "/** Asserts that two JSON texts are the same but for the order of members. */".to_owned(),
            format!("public static void {HELPER}(String expected, String actual) {{"),
        ];
        lines.extend(read.needs.map(|needs| format!(">{needs}")));
        lines.push(format!(">{first};"));
        lines.push(format!(">{};", self.statement_of_helper(&read.around)?));
        lines.push("}".to_owned());
        let added = if holder.has_method(HELPER) {
            // An earlier repair may have added it.
            holder.has_lines(&lines).then_some(Edits::new())?
        } else {
            let method = holder.with_method(class, &lines)?;
            let imports = read.imports.iter().cloned().chain(self.assertion_for(&holder)?);
            holder.with_imports(Edits::new().insert(method.at, method.text), imports)
        };
        let (called, import) = own.using(&name);
        let callee = format!("{called}.{HELPER}");
        let parts = super::VariantParts {
            imports: import.into_iter().collect(),
            ..super::VariantParts::default()
        };
        let mut candidate = self.candidate(reader.library, parts, |sides| self.called(&callee, "", sides))?;
        if !added.is_empty() {
            candidate.edits.insert(holder.path.clone(), added);
        }
        Some(candidate)
    }

    /// What the assertion of this file needs in another one to be written in the same way.
    fn assertion_for(&self, there: &JavaFile) -> Option<Option<Import>> {
        let (own, call) = (self.file(), self.texts.comparison.call);
        let first = match self.texts.comparison.style {
            Style::Fluent => subject(own, call)?,
            _ => call,
        };
        let name = own.field(first, "name");
        match first.child_by_field_name("object") {
            Some(object) => {
                let (text, import) = there.using(own.imported(own.of(object))?);
                (text == own.of(object)).then_some(import)
            }
            None => {
                let holder = *own.static_holders(name).first()?;
                Some(Some(Import::Static(format!("{holder}.{name}"))))
            }
        }
    }
}

/// The body of a public class with assertions in public static methods, and its full name.
fn with_assertions(file: &JavaFile) -> Option<(Node<'_>, String)> {
    let types = named_children(file.root()).into_iter();
    let class = types
        .filter(|node| node.kind() == "class_declaration")
        .find(|node| file.has_modifier(*node, "public"))?;
    let body = class.child_by_field_name("body")?;
    let is_assertion = |member: &Node<'_>| {
        member.kind() == "method_declaration"
            && file.has_modifier(*member, "public")
            && file.has_modifier(*member, "static")
            && file.field(*member, "name").starts_with("assert")
    };
    let has_one = named_children(body).iter().any(is_assertion);
    let name = format!("{}.{}", file.package(), file.field(class, "name"));
    has_one.then_some((body, name))
}
