//! Lists and arrays whose order nobody promised: compared as sets if they were made of one, else with all their
//! elements, as often as they occur.

use crate::assertion::{Comparison, Style};
use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::elements::{copied, fresh_name, in_natural_order, listed};
use crate::imports::Import;
use crate::java::{JavaFile, ancestors, lines, named_children};
use crate::members::Members;
use crate::rewrite::{CanRepeat, Rewrite, put, receiver, renamed};
use crate::types::{JavaType, Shape, type_of};
use crate::value_text::Code;
use tree_sitter::Node;

/// The longest line that is not broken.
const LONGEST: usize = 110;

pub(super) fn candidates(clues: &Clues<'_>, file: &JavaFile, comparison: Comparison<'_>) -> Vec<Candidate> {
    // The matchers have words of their own for this.
    if matches!(comparison.style, Style::Fluent | Style::Matcher) {
        return Vec::new();
    }
    let cx = ComparedLists {
        clues,
        file,
        comparison,
    };
    if let Some(found) = cx.as_sets().or_else(|| cx.as_sets_of_members()) {
        return vec![found];
    }
    if !clues.choice_made_the_order(&cx.source()) {
        return Vec::new();
    }
    match cx.shape() {
        Some(Shape::Array | Shape::PrimitiveArray) => cx.as_sorted_arrays().into_iter().collect(),
        Some(Shape::List | Shape::Collection) => cx.as_bags(),
        _ => Vec::new(),
    }
}

/// A comparison of two lists or arrays.
struct ComparedLists<'a, 'f> {
    clues: &'a Clues<'a>,
    file: &'f JavaFile,
    comparison: Comparison<'f>,
}

impl<'f> ComparedLists<'_, 'f> {
    fn type_of(&self, node: Node<'f>) -> Option<JavaType> {
        type_of(self.clues.sources, self.file, node)
    }

    /// The comparison, and what the expected value is declared as.
    fn source(&self) -> String {
        let (file, expected) = (self.file, self.comparison.expected);
        let declared = file.declaration(file.of(expected), expected);
        let declared = declared.map_or("", |declared| file.of(declared));
        format!("{}\n{declared}", &file.text()[self.comparison.statement(file)])
    }

    /// What is compared, by the types or by the name of the assertion.
    fn shape(&self) -> Option<Shape> {
        let sides = [self.comparison.actual, self.comparison.expected];
        let known = sides.iter().find_map(|side| self.type_of(*side));
        match (known.map(|of| of.shape()), self.comparison.name(self.file)) {
            (Some(shape), _) => Some(shape),
            (None, "assertArrayEquals") => Some(Shape::Array),
            (None, "assertIterableEquals" | "assertLinesMatch") => Some(Shape::List),
            (None, _) => None,
        }
    }

    /// The type of the elements, where either side tells it.
    fn element(&self) -> Option<JavaType> {
        let sides = [self.comparison.actual, self.comparison.expected];
        sides.iter().find_map(|side| self.type_of(*side)?.element())
    }

    /// The set that a list or an array is a copy of.
    fn set_behind(&self, node: Node<'f>) -> Option<Node<'f>> {
        let set = copied(self.file, node)?;
        let is_set = match self.type_of(set) {
            Some(of) => of.shape() == Shape::Set,
            None => matches!(self.file.field(set, "name"), "keySet" | "entrySet"),
        };
        is_set.then_some(set)
    }

    /// `assertEquals(List.of("x", "y"), new ArrayList<>(set))`
    fn as_sets(&self) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        let set = self.set_behind(comparison.actual)?;
        let Code { text, imports } = self.expected_set()?;
        let rewrite = Rewrite {
            why: "compare the sets, since the order of a set is not specified".to_owned(),
            expected: text,
            actual: file.of(set).to_owned(),
            can_repeat: CanRepeat::Neither,
            edits: Box::new(move |expected, actual| {
                let edits = put(file, Edits::new(), comparison.expected, expected);
                let edits = put(file, edits, comparison.actual, actual);
                let edits = renamed(file, edits, comparison.call, "assertEquals");
                file.with_imports(edits, imports.clone())
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    /// `assertEquals(fields, getAllFields(X.class))`: a class has each of its members once.
    fn as_sets_of_members(&self) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        let (class, _) = Members::of_choice(self.clues.choice)?.class();
        let element = self.element()?;
        let is_member = class.starts_with("java.lang.reflect.")
            && element.dimensions == 0
            && class.rsplit('.').next() == Some(&*element.name);
        let is_array = |node| match self.type_of(node).map(|of| of.shape()) {
            Some(shape) => shape == Shape::Array,
            None => comparison.name(file) == "assertArrayEquals",
        };
        let (set, of_set) = file.using("java.util.HashSet");
        let (arrays, of_arrays) = file.using("java.util.Arrays");
        let are_arrays = [comparison.expected, comparison.actual].map(is_array);
        let imports = of_set.into_iter();
        let of_arrays = of_arrays.filter(|_| are_arrays.contains(&true));
        let imports: Vec<Import> = imports.chain(of_arrays).collect();
        let in_set = move |is_array: bool, code: &str| match is_array {
            true => format!("new {set}<>({arrays}.asList({code}))"),
            false => format!("new {set}<>({code})"),
        };
        let rewrite = Rewrite {
            why: "compare the members as sets, since a class gives them in no particular order".to_owned(),
            expected: file.of(comparison.expected).to_owned(),
            actual: file.of(comparison.actual).to_owned(),
            can_repeat: CanRepeat::Neither,
            edits: Box::new(move |expected, actual| {
                let expected = in_set(are_arrays[0], expected);
                let actual = in_set(are_arrays[1], actual);
                let edits = both_put(file, comparison, &expected, &actual);
                let edits = renamed(file, edits, comparison.call, "assertEquals");
                file.with_imports(edits, imports.clone())
            }),
        };
        is_member.then(|| rewrite.candidate(file, comparison.statement(file)))
    }

    fn expected_set(&self) -> Option<Code> {
        let (file, expected) = (self.file, self.comparison.expected);
        if let Some(set) = self.set_behind(expected) {
            return Some(Code {
                text: file.of(set).to_owned(),
                imports: Vec::new(),
            });
        }
        let mut imports = Vec::new();
        let mut name = |full: &str| {
            let (text, import) = file.using(full);
            imports.extend(import);
            text
        };
        let of = self.type_of(expected);
        let is_array = of.as_ref().is_some_and(|of| of.dimensions > 0)
            || of.is_none() && self.comparison.name(file) == "assertArrayEquals";
        if is_array && of.is_some_and(|of| of.shape() == Shape::PrimitiveArray) {
            return None;
        }
        let elements = listed(file, expected);
        let are_distinct = elements
            .as_ref()
            .is_some_and(|all| are_distinct_literals(file, all));
        let inside = elements.as_deref().and_then(|all| between(file, all));
        let text = match inside {
            // `Set.of` refuses what occurs twice.
            Some(inside) if are_distinct && self.prefers_factories() => {
                format!("{}.of({inside})", name("java.util.Set"))
            }
            Some(inside) if is_array => format!(
                "new {}<>({}.asList({inside}))",
                name("java.util.HashSet"),
                name("java.util.Arrays")
            ),
            _ if is_array => format!(
                "new {}<>({}.asList({}))",
                name("java.util.HashSet"),
                name("java.util.Arrays"),
                file.of(expected)
            ),
            _ => format!("new {}<>({})", name("java.util.HashSet"), file.of(expected)),
        };
        Some(Code { text, imports })
    }

    /// `Set.of` rather than `new HashSet<>(Arrays.asList(…))`.
    fn prefers_factories(&self) -> bool {
        self.clues.libraries.java >= 9 && !self.file.of(self.comparison.expected).contains("asList(")
    }

    /// Both sorted, or counted where there may be no order.
    fn as_bags(&self) -> Vec<Candidate> {
        let element = self.element();
        let mut found = Vec::new();
        if element.as_ref().is_none_or(JavaType::is_comparable) {
            found.extend(self.as_sorted_lists());
        }
        if !element.is_some_and(|of| of.is_comparable())
            && self.comparison.name(self.file) != "assertLinesMatch"
        {
            found.extend(self.as_counts());
        }
        found
    }

    /// The constants that are expected, in their natural order.
    fn expected_in_order(&self) -> Option<String> {
        let (file, expected) = (self.file, self.comparison.expected);
        let elements = listed(file, expected)?;
        let codes: Vec<&str> = elements.iter().map(|element| file.of(*element)).collect();
        let ordered = in_natural_order(&codes)?;
        if ordered == codes {
            return Some(file.of(expected).to_owned());
        }
        let (first, last) = (elements.first()?, elements.last()?);
        // Elements over several lines have a layout that we would lose.
        if lines(*first) != lines(*last) {
            return None;
        }
        let before = &file.text()[expected.start_byte()..first.start_byte()];
        let after = &file.text()[last.end_byte()..expected.end_byte()];
        Some(format!("{before}{}{after}", ordered.join(", ")))
    }

    fn as_sorted_lists(&self) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        let sorted = SortedSide {
            java: self.clues.libraries.java,
            file,
        };
        let constants = self.expected_in_order();
        let is_sorted = constants.is_some();
        let rewrite = Rewrite {
            why: sorted_why(is_sorted),
            expected: constants.unwrap_or_else(|| receiver(file, comparison.expected)),
            actual: receiver(file, comparison.actual),
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let (actual, imports) = sorted.list(actual);
                let expected = if is_sorted {
                    expected.to_owned()
                } else {
                    sorted.list(expected).0
                };
                let edits = both_put(file, comparison, &expected, &actual);
                file.with_imports(edits, imports)
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    /// `assertArrayEquals(new int[] {1, 2}, array)`
    fn as_sorted_arrays(&self) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        // JUnit's `assertEquals` compares arrays by identity, TestNG's by their elements.
        if comparison.name(file) != "assertArrayEquals" && comparison.style != Style::ActualFirst {
            return None;
        }
        let element = self.element();
        if element.is_some_and(|of| {
            !of.is_comparable() || matches!(of.name.as_str(), "byte" | "short" | "char" | "float" | "boolean")
        }) {
            return None;
        }
        let constants = self.expected_in_order();
        let is_sorted = constants.is_some();
        let (arrays, import) = file.using("java.util.Arrays");
        let sorted = move |array: &str| format!("{arrays}.stream({array}).sorted().toArray()");
        let rewrite = Rewrite {
            why: sorted_why(is_sorted),
            expected: constants.unwrap_or_else(|| file.of(comparison.expected).to_owned()),
            actual: file.of(comparison.actual).to_owned(),
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let expected = if is_sorted {
                    expected.to_owned()
                } else {
                    sorted(expected)
                };
                let edits = both_put(file, comparison, &expected, &sorted(actual));
                file.with_imports(edits, import.clone())
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    /// How often each element occurs, by a method that is added to the class.
    fn as_counts(&self) -> Option<Candidate> {
        let (file, comparison) = (self.file, self.comparison);
        if file.imported("ImmutableList").is_some() || file.imported("ImmutableSet").is_some() {
            return Some(self.as_guava_bags());
        }
        let class = ancestors(comparison.call)
            .filter(|above| above.kind() == "class_declaration")
            .last()?;
        let body = class.child_by_field_name("body")?;
        let method = |name: &str| counting_method(file, class, name);
        // An earlier repair may have added it.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_class = words(file.of(body));
        let is_there = |name: &&&str| of_class.contains(&words(&method(name).0));
        let there = COUNTING.iter().find(is_there).map(|name| (*name).to_owned());
        let is_new = there.is_none();
        let counts = there.or_else(|| fresh_name(file, class, &COUNTING))?;
        let (helper, imports) = method(&counts);
        let last = named_children(body).into_iter().next_back()?;
        let rewrite = Rewrite {
            why: "compare how often each element occurs, since the order is not specified".to_owned(),
            expected: file.of(comparison.expected).to_owned(),
            actual: file.of(comparison.actual).to_owned(),
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let count = |list: &str| format!("{counts}({list})");
                let edits = both_put(file, comparison, &count(expected), &count(actual));
                let edits = renamed(file, edits, comparison.call, "assertEquals");
                if !is_new {
                    return edits;
                }
                let edits = edits.insert(last.end_byte(), helper.clone());
                file.with_imports(edits, imports.clone())
            }),
        };
        Some(rewrite.candidate(file, comparison.statement(file)))
    }

    fn as_guava_bags(&self) -> Candidate {
        let (file, comparison) = (self.file, self.comparison);
        let (multiset, import) = file.using("com.google.common.collect.ImmutableMultiset");
        let rewrite = Rewrite {
            why: "compare how often each element occurs, since the order is not specified".to_owned(),
            expected: file.of(comparison.expected).to_owned(),
            actual: file.of(comparison.actual).to_owned(),
            can_repeat: CanRepeat::Both,
            edits: Box::new(move |expected, actual| {
                let bag = |list: &str| format!("{multiset}.copyOf({list})");
                let edits = both_put(file, comparison, &bag(expected), &bag(actual));
                let edits = renamed(file, edits, comparison.call, "assertEquals");
                file.with_imports(edits, import.clone())
            }),
        };
        rewrite.candidate(file, comparison.statement(file))
    }
}

/// Names of the method that counts elements.
const COUNTING: [&str; 3] = ["counts", "countsOf", "occurrences"];

fn sorted_why(is_sorted: bool) -> String {
    if is_sorted {
        "sort what is compared with the expected elements in their natural order, since its order is not specified"
            .to_owned()
    } else {
        "sort both sides, since the order is not specified".to_owned()
    }
}

fn counting_method(file: &JavaFile, class: Node<'_>, name: &str) -> (String, Vec<Import>) {
    let mut imports = Vec::new();
    let mut using = |full: &str| {
        let (text, import) = file.using(full);
        imports.extend(import);
        text
    };
    let (map, collection) = (using("java.util.Map"), using("java.util.Collection"));
    let (collectors, function) = (
        using("java.util.stream.Collectors"),
        using("java.util.function.Function"),
    );
    let end = file.line_end();
    let outer = format!("{}{}", file.indentation(class), file.indent_unit());
    let inner = format!("{outer}{}", file.indent_unit());
    // `groupingBy` refuses null, which a list may hold.
    let text = format!(
        "{end}{end}{outer}private static <T> {map}<T, Long> {name}({collection}<T> values) {{{end}{inner}\
         return values.stream().collect({collectors}.toMap({function}.identity(), value -> 1L, Long::sum));\
         {end}{outer}}}"
    );
    (text, imports)
}

/// Puts both sides, with a line break between them where the line gets long.
fn both_put(file: &JavaFile, comparison: Comparison<'_>, expected: &str, actual: &str) -> Edits {
    let edits = put(file, Edits::new(), comparison.expected, expected);
    let edits = put(file, edits, comparison.actual, actual);
    let sides = [comparison.expected, comparison.actual];
    let [first, second] = match sides[0].start_byte() < sides[1].start_byte() {
        true => sides,
        false => [sides[1], sides[0]],
    };
    let gap = first.end_byte()..second.start_byte();
    let row = first.start_position().row;
    let is_one_line = row == second.end_position().row && file.text()[gap.clone()].trim() == ",";
    let old: usize = sides.iter().map(|side| file.of(*side).len()).sum();
    let line = file.text().lines().nth(row).map_or(0, str::len);
    if !is_one_line || line + expected.len() + actual.len() - old <= LONGEST {
        return edits;
    }
    let (indentation, unit) = (file.indentation(comparison.call), file.indent_unit());
    let broken = format!(",{}{indentation}{unit}{unit}", file.line_end());
    edits.replace(gap, broken)
}

/// The elements as they are written, commas included.
fn between<'f>(file: &'f JavaFile, elements: &[Node<'f>]) -> Option<&'f str> {
    let (first, last) = (elements.first()?, elements.last()?);
    Some(&file.text()[first.start_byte()..last.end_byte()])
}

fn are_distinct_literals(file: &JavaFile, elements: &[Node<'_>]) -> bool {
    let codes: Vec<&str> = elements.iter().map(|element| file.of(*element)).collect();
    let is_literal =
        |element: &Node<'_>| element.kind().ends_with("_literal") && element.kind() != "null_literal";
    elements.iter().all(is_literal) && (1..codes.len()).all(|at| !codes[..at].contains(&codes[at]))
}

/// How a sorted copy is written.
#[derive(Clone, Copy)]
pub(super) struct SortedSide<'f> {
    pub(super) java: u32,
    pub(super) file: &'f JavaFile,
}

impl SortedSide<'_> {
    pub(super) fn list(self, collection: &str) -> (String, Vec<Import>) {
        let (end, imports) = self.end();
        (format!("{collection}.stream().sorted(){end}"), imports)
    }

    pub(super) fn list_of_array(self, array: &str) -> (String, Vec<Import>) {
        let (arrays, import) = self.file.using("java.util.Arrays");
        let (end, mut imports) = self.end();
        imports.extend(import);
        (format!("{arrays}.stream({array}).sorted(){end}"), imports)
    }

    pub(super) fn end(self) -> (String, Vec<Import>) {
        if self.java >= 16 {
            return (".toList()".to_owned(), Vec::new());
        }
        let (collectors, import) = self.file.using("java.util.stream.Collectors");
        (
            format!(".collect({collectors}.toList())"),
            import.into_iter().collect(),
        )
    }
}
