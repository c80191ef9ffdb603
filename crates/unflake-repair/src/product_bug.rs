//! Main code that picks one of several by chance: the first or the last of a loop over what has no order. A
//! test that notices this is right, so it is told as a bug of the program and not repaired.
//!
//! It is only told where the code itself shows that several elements can be meant: a pick without any
//! condition, the greatest of values that may be equal, or a condition that more than one element fulfils by
//! its nature. A search by a key finds the same element in every order.

use crate::clues::Clues;
use crate::java::{JavaFile, ancestors, arguments, descendants, lines, named_children};
use crate::members::Members;
use crate::near::{is_statement, near};
use tree_sitter::Node;

/// What is wrong, in one sentence: lower case, no full stop.
pub fn product_bug(clues: &Clues<'_>) -> Option<String> {
    let place = clues.choice.call.as_ref()?;
    if clues.sources.is_test(&place.file) {
        return None;
    }
    let file = clues.sources.file(&place.file)?;
    let names_tie = matches!(
        Members::of_choice(clues.choice),
        Some(Members::Methods | Members::Constructors)
    );
    let loops = file.on_line("enhanced_for_statement", place.line);
    let in_loop = loops
        .filter(|each| head_is_on(*each, place.line))
        .find_map(|each| Loop::of(&file, each)?.picked(names_tie));
    let picked = in_loop.or_else(|| {
        near(&file, place.line, |node| {
            is_first(&file, node).then_some(WhichOne::First)
        })
        .into_iter()
        .next()
    })?;
    let method: Vec<&str> = place.method.rsplit('.').take(2).collect();
    let method = method.into_iter().rev().collect::<Vec<_>>().join(".");
    Some(format!(
        "`{method}` takes {} of `{}`, whose order is not specified, so what it answers depends on chance: this looks \
         like a bug of the program and not of the test",
        picked.words(),
        clues.choice.api
    ))
}

/// Which one is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WhichOne {
    First,
    FirstMatch,
    Last,
    LastMatch,
    /// Of equal ones, whichever comes first or last.
    Extreme,
}

impl WhichOne {
    fn words(self) -> &'static str {
        match self {
            WhichOne::First => "whichever element comes first",
            WhichOne::FirstMatch => "whichever match comes first",
            WhichOne::Last => "whichever element comes last",
            WhichOne::LastMatch => "whichever match comes last",
            WhichOne::Extreme => "one of several equal elements",
        }
    }
}

fn head_is_on(each: Node<'_>, line: u32) -> bool {
    let value = each.child_by_field_name("value");
    let starts = lines(each).start() == &line;
    starts || value.is_some_and(|value| lines(value).contains(&line))
}

/// `for (X x : all) { … }`
struct Loop<'f> {
    file: &'f JavaFile,
    variable: &'f str,
    body: Node<'f>,
}

impl<'f> Loop<'f> {
    fn of(file: &'f JavaFile, each: Node<'f>) -> Option<Loop<'f>> {
        Some(Loop {
            file,
            variable: file.field(each, "name"),
            body: each.child_by_field_name("body")?,
        })
    }

    fn picked(&self, names_tie: bool) -> Option<WhichOne> {
        let statements = descendants(self.body).filter(|node| is_statement(*node));
        statements
            .into_iter()
            .find_map(|statement| match statement.kind() {
                "return_statement" => {
                    let value = named_children(statement).into_iter().next()?;
                    self.mentions(value, self.variable).then_some(())?;
                    self.judged(statement, None, true, names_tie)
                }
                "expression_statement" => {
                    let assignment = named_children(statement).into_iter().next()?;
                    let (left, right) = self.assigned(assignment)?;
                    let is_pick = self.mentions(right, self.variable) && !self.mentions(right, left);
                    is_pick.then_some(())?;
                    let next = statement.next_named_sibling();
                    let is_first = next.is_some_and(|next| next.kind() == "break_statement");
                    self.judged(statement, Some(left), is_first, names_tie)
                }
                _ => None,
            })
    }

    /// A variable from outside of the loop, and what it is set to.
    fn assigned(&self, assignment: Node<'f>) -> Option<(&'f str, Node<'f>)> {
        let left = assignment.child_by_field_name("left")?;
        let is_plain = assignment.kind() == "assignment_expression"
            && self.file.field(assignment, "operator") == "="
            && matches!(left.kind(), "identifier" | "field_access");
        let name = self.file.of(left);
        let declared = self.file.declaration(name, self.body);
        let is_outside = declared.is_none_or(|found| !self.body.byte_range().contains(&found.start_byte()));
        let right = assignment.child_by_field_name("right")?;
        (is_plain && is_outside).then_some((name, right))
    }

    /// What the conditions around a pick say.
    fn judged(
        &self,
        pick: Node<'f>,
        kept: Option<&str>,
        is_first: bool,
        names_tie: bool,
    ) -> Option<WhichOne> {
        let inner = ancestors(pick).take_while(|above| pick != self.body && *above != self.body);
        let mut conditions = Vec::new();
        for above in inner {
            match above.kind() {
                "if_statement" => conditions.push(above.child_by_field_name("condition")?),
                "block" => {}
                // A loop in the loop, a lambda or a `try` may mean anything.
                _ => return None,
            }
        }
        let is_alone =
            self.body.kind() != "block" || named_children(self.body).len() <= 1 + usize::from(is_first);
        if conditions.is_empty() {
            let picked = if is_first { WhichOne::First } else { WhichOne::Last };
            return is_alone.then_some(picked);
        }
        let is_extreme = |condition: &Node<'f>| {
            let compares = descendants(*condition).any(|node| {
                matches!(self.file.field(node, "operator"), "<" | ">" | "<=" | ">=")
                    && self.mentions(node, self.variable)
                    && kept.is_some_and(|kept| self.mentions(node, kept))
            });
            compares && !is_first
        };
        if conditions.iter().any(is_extreme) {
            return Some(WhichOne::Extreme);
        }
        let several = |condition: &Node<'f>| self.can_hold_for_several(*condition, names_tie);
        let picked = if is_first {
            WhichOne::FirstMatch
        } else {
            WhichOne::LastMatch
        };
        conditions.iter().all(several).then_some(picked)
    }

    /// Whether a condition is one of those that more than one element fulfils.
    fn can_hold_for_several(&self, condition: Node<'f>, names_tie: bool) -> bool {
        let calls: Vec<Node<'f>> = descendants(condition)
            .filter(|node| node.kind() == "method_invocation" && self.mentions(*node, self.variable))
            .collect();
        let is_loose = calls.iter().any(|call| {
            matches!(
                self.file.field(*call, "name"),
                "isAssignableFrom" | "isInstance" | "matches" | "startsWith" | "endsWith"
            )
        });
        // Overloaded methods have one name.
        let by_name = names_tie
            && calls
                .iter()
                .any(|call| self.file.field(*call, "name") == "getName")
            && !calls
                .iter()
                .any(|call| self.file.field(*call, "name").starts_with("getParameter"));
        is_loose || by_name
    }

    fn mentions(&self, node: Node<'_>, name: &str) -> bool {
        descendants(node)
            .any(|inner| matches!(inner.kind(), "identifier" | "field_access") && self.file.of(inner) == name)
    }
}

/// `all.iterator().next()`, `c.getConstructors()[0]`.
fn is_first(file: &JavaFile, node: Node<'_>) -> bool {
    match node.kind() {
        "method_invocation" => {
            let object = node.child_by_field_name("object");
            file.field(node, "name") == "next"
                && arguments(node).is_empty()
                && object.is_some_and(|object| file.field(object, "name") == "iterator")
        }
        "array_access" => {
            let array = node.child_by_field_name("array");
            file.field(node, "index") == "0"
                && array.is_some_and(|array| {
                    matches!(
                        Members::of(file.field(array, "name")),
                        Some(Members::Methods | Members::Constructors | Members::Fields)
                    )
                })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

    fn check_of(api: &str, code: &str, expected: Option<&str>) {
        let main = format!("class Main {{\n  X a() {{\n    X best = null;\n{code}\n  }}\n}}\n");
        let told = case("class ATest {}\n")
            .main(&main)
            .api(api)
            .with_clues(product_bug);
        let expected = expected.map(|words| {
            format!(
                "`ATest.a` takes {words} of `{api}`, whose order is not specified, so what it answers depends on \
                 chance: this looks like a bug of the program and not of the test"
            )
        });
        assert_eq!(told, expected, "{code}");
    }

    fn check(code: &str, expected: Option<&str>) {
        check_of("HashMap.values", code, expected);
    }

    #[test]
    fn a_pick_by_chance_is_a_bug() {
        check(
            "for (X x : m.values()) best = x;/*calls*/",
            Some("whichever element comes last"),
        );
        check(
            "for (X x : m.values()) {/*calls*/\n  return x;\n}",
            Some("whichever element comes first"),
        );
        check(
            "for (X x : m.values()) {/*calls*/\n  if (best == null || x.n() > best.n()) best = x;\n}",
            Some("one of several equal elements"),
        );
        check(
            "for (X x : m.values()) {/*calls*/\n  if (x.type().isAssignableFrom(t)) {\n    return x;\n  }\n}",
            Some("whichever match comes first"),
        );
        check(
            "return m.values().iterator().next();/*calls*/",
            Some("whichever element comes first"),
        );
        check_of(
            "Class.getMethods",
            "for (Method m : c.getMethods()) {/*calls*/\n  if (m.getName().equals(n)) return m;\n}",
            Some("whichever match comes first"),
        );
        check_of(
            "Class.getConstructors",
            "return c.getConstructors()[0];/*calls*/",
            Some("whichever element comes first"),
        );
    }

    #[test]
    fn a_search_by_key_or_an_output_is_none() {
        check("for (X x : m.values()) out.add(x);/*calls*/", None);
        check("for (X x : m.values()) sum = sum + x.n();/*calls*/", None);
        check(
            "for (X x : m.values()) {/*calls*/\n  if (x.id().equals(id)) return x;\n}",
            None,
        );
        check(
            "for (X x : m.values()) {/*calls*/\n  best = x;\n  out.add(x);\n}",
            None,
        );
        check("for (X x : m.values()) {/*calls*/\n  X y;\n  y = x;\n}", None);
        check_of(
            "Class.getDeclaredFields",
            "for (Field f : c.getDeclaredFields()) {/*calls*/\n  if (f.getName().equals(n)) return f;\n}",
            None,
        );
        check_of(
            "Class.getMethods",
            "for (Method m : c.getMethods()) {/*calls*/\n  if (m.getName().equals(n) && m.getParameterCount() == 0) \
             return m;\n}",
            None,
        );
    }

    #[test]
    fn test_code_has_no_product_bugs() {
        let test = "class ATest {\n  void a() {\n    for (X x : m.values()) best = x;/*calls*/\n  }\n}\n";
        assert_eq!(case(test).with_clues(product_bug), None);
    }
}
