//! Assertions that other test classes inherit. One class has no order, another one may have: so the assertion stays as it
//! is for all but the class whose test fails, which says by a method that it has none.

use crate::candidate::{Candidate, Mutant};
use crate::clues::Clues;
use crate::edit::Edits;
use crate::java::{JavaFile, ancestors, named_children};
use std::ops::Range;
use tree_sitter::Node;
use unflake_findings::Safety;

/// The method by which a test class says whether it has an order.
const HOOK: &str = "hasDefinedOrder";

/// Strategies after which an assertion does not see an order any more.
const LOSE_ORDER: [&str; 5] = [
    "compare-values",
    "any-order-matcher",
    "joined-text",
    "sort-both",
    "accepted-values",
];

/// A candidate that takes no order from those who have one. Where that cannot be written, it is a suggestion.
pub(crate) fn sparing_others(clues: &Clues<'_>, candidate: Candidate) -> Candidate {
    let Some((path, statement)) = &candidate.assertion else {
        return candidate;
    };
    let Some(file) = clues.sources.file(path) else {
        return candidate;
    };
    let is_inherited = LOSE_ORDER.contains(&candidate.strategy);
    let Some(base) = Base::of(&file, statement.clone()).filter(|_| is_inherited) else {
        return candidate;
    };
    if let Some(spared) = base.spared(clues, &candidate) {
        return spared;
    }
    Candidate {
        safety: Safety::Suggestion,
        why: format!(
            "{}; other tests inherit this assertion, and may have an order",
            candidate.why
        ),
        ..candidate
    }
}

/// An assertion in an abstract class.
struct Base<'f> {
    file: &'f JavaFile,
    statement: Node<'f>,
}

impl<'f> Base<'f> {
    fn of(file: &'f JavaFile, statement: Range<usize>) -> Option<Base<'f>> {
        let node = file.nodes().find(|node| node.byte_range() == statement)?;
        let class = ancestors(node).find(|above| above.kind() == "class_declaration")?;
        let is_base = file.has_modifier(class, "abstract") && class.parent() == Some(file.root());
        is_base.then_some(Base {
            file,
            statement: node,
        })
    }

    fn spared(&self, clues: &Clues<'_>, candidate: &Candidate) -> Option<Candidate> {
        let whole = self.statement.kind() == "expression_statement"
            && self.statement.parent().is_some_and(|up| up.kind() == "block");
        let class = clues.failing.test.split('#').next().filter(|_| whole)?;
        let own = clues.sources.of_class(class)?;
        let heir = concrete(&own, class)?;
        if own.path == self.file.path || candidate.edits.len() != 1 {
            return None;
        }
        let mut edits = candidate.edits.clone();
        let of_file = edits.get_mut(&self.file.path)?;
        *of_file = self.branched(of_file)?;
        if !own.declares(heir, HOOK) {
            let lines = [
                "@Override".to_owned(),
                format!("protected boolean {HOOK}() {{"),
                ">return false;".to_owned(),
                "}".to_owned(),
            ];
            let method = own.with_method_in(heir, &lines)?;
            edits.insert(own.path.clone(), Edits::new().insert(method.at, method.text));
        }
        let mutants = candidate.mutants.iter().map(|mutant| {
            Some(Mutant {
                mutation: mutant.mutation,
                edits: self.branched(&mutant.edits)?,
            })
        });
        Some(Candidate {
            why: format!(
                "{}; only where a test fails, others that inherit the assertion keep it",
                candidate.why
            ),
            edits,
            mutants: mutants.collect::<Option<Vec<Mutant>>>()?,
            ..candidate.clone()
        })
    }

    /// The edits, with the old statement for whoever has an order.
    fn branched(&self, edits: &Edits) -> Option<Edits> {
        let range = self.statement.byte_range();
        let is_inside = |start: usize, end: usize| start >= range.start && end <= range.end;
        let (mut inner, mut outer) = (Edits::new(), Edits::new());
        for edit in edits.iter() {
            // An insertion right before the statement is a statement of its own, which both need.
            let is_before = edit.start == edit.end && edit.end == range.start;
            if is_inside(edit.start, edit.end) && !is_before {
                let moved = edit.start - range.start..edit.end - range.start;
                inner = inner.replace(moved, edit.text.clone());
            } else {
                outer = outer.replace(edit.start..edit.end, edit.text.clone());
            }
        }
        let old = self.file.of(self.statement);
        let new = inner.apply(old);
        let (end, unit) = (self.file.line_end(), self.file.indent_unit());
        let start = format!("{end}{}", self.file.indentation(self.statement));
        let deeper = |text: &str| format!("{start}{unit}{}", text.replace(end, &format!("{end}{unit}")));
        let both = format!(
            "if ({HOOK}()) {{{}{start}}} else {{{}{start}}}",
            deeper(old),
            deeper(&new)
        );
        let edits = outer.replace(range, both);
        if self.file.has_method(HOOK) {
            return Some(edits);
        }
        let lines = [
            "/**".to_owned(),
            " * Whether elements always come in the same order. Tests of what promises no order override this."
                .to_owned(),
            " */".to_owned(),
            format!("protected boolean {HOOK}() {{"),
            ">return true;".to_owned(),
            "}".to_owned(),
        ];
        let method = self.file.with_method(self.statement, &lines)?;
        Some(edits.insert(method.at, method.text))
    }
}

/// The class of a test, if it is not there to be inherited from. `p.A$B` stands in `A`.
fn concrete<'f>(file: &'f JavaFile, class: &str) -> Option<Node<'f>> {
    let mut among = file.root();
    let mut found = None;
    for name in class.rsplit('.').next()?.split('$') {
        let classes = named_children(among).into_iter();
        let class = classes
            .filter(|node| node.kind() == "class_declaration")
            .find(|node| file.field(*node, "name") == name)?;
        among = class.child_by_field_name("body")?;
        found = Some(class);
    }
    found.filter(|class| !file.has_modifier(*class, "abstract"))
}

#[cfg(test)]
mod tests {
    use crate::strategies::candidates;
    use crate::testing::{Case, case};
    use unflake_findings::Safety;

    const BASE: &str = "package p;\n\nimport static org.junit.Assert.*;\nimport java.util.*;\n\n\
                        public abstract class ABase {\n  abstract Set<String> set();\n\n  @Test\n  \
                        public void a() {\n    assertEquals(\"[x, y]\", set().toString());/*fails*/\n  }\n}\n";

    fn inherited(test: &str, base: &str) -> Case {
        case(test)
            .file("src/test/java/p/ABase.java", base)
            .java(17, &[])
            .compared("[x, y]", "[y, x]")
            .orders(&["x", "y"], &["y", "x"])
    }

    #[test]
    fn whoever_inherits_an_assertion_keeps_its_order() {
        let case = inherited("package p;\n\nclass ATest extends ABase {\n}\n", BASE);
        let found = &case.with_clues(candidates)[0];
        assert_eq!((found.strategy, found.safety), ("compare-values", Safety::Test));
        assert!(found.why.contains("only where a test fails"), "{}", found.why);
        assert_eq!(
            case.changes(found),
            "-assertEquals(\"[x, y]\", set().toString());\n+if (hasDefinedOrder()) {\n\
             +assertEquals(\"[x, y]\", set().toString());\n+} else {\n\
             +assertEquals(Set.of(\"x\", \"y\"), set());\n+}\n+}\n+\n+/**\n\
             +* Whether elements always come in the same order. Tests of what promises no order override this.\n\
             +*/\n+protected boolean hasDefinedOrder() {\n+return true;\n\
             +@Override\n+protected boolean hasDefinedOrder() {\n+return false;\n+}"
        );
        assert!(!found.mutants.is_empty());
    }

    #[test]
    fn a_class_in_a_class_says_so_for_itself() {
        let test = "package p;\n\nabstract class ATest {\n  class Keys extends ABase {\n  }\n\n  class Values extends ABase {\n    \
                    protected boolean hasDefinedOrder() {\n      return false;\n    }\n  }\n}\n";
        for (class, says_so) in [("p.ATest$Keys", false), ("p.ATest$Values", true)] {
            let case = inherited(test, BASE).of_test(&format!("{class}#a"));
            let found = &case.with_clues(candidates)[0];
            assert_eq!(found.safety, Safety::Test, "{class}");
            assert_eq!(!case.changes(found).contains("+@Override\n"), says_so, "{class}");
        }
    }

    #[test]
    fn without_a_class_of_its_own_it_is_a_suggestion() {
        for test in [
            "package p;\n\nabstract class ATest extends ABase {\n}\n",
            "package p;\n\nclass OtherTest extends ABase {\n}\n",
        ] {
            let found = &inherited(test, BASE).with_clues(candidates)[0];
            assert_eq!(found.safety, Safety::Suggestion, "{test}");
        }
    }

    #[test]
    fn what_nobody_inherits_is_repaired_in_place() {
        let base = BASE.replace("public abstract", "public");
        let found =
            &inherited("package p;\n\nclass ATest extends ABase {\n}\n", &base).with_clues(candidates)[0];
        assert_eq!(found.safety, Safety::Test);
        assert!(!found.why.contains("only where"), "{}", found.why);
    }
}
