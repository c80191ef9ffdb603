//! Code that a test framework runs around tests: the set-up and tear-down that a class has, or new ones in its style.

use super::members::{has_annotation, is, members, methods, modifiers, type_in};
use super::resets::{Reset, SAVED};
use crate::edit::Edits;
use crate::imports::Import;
use crate::java::{JavaFile, lines, named_children};
use tree_sitter::Node;

/// When a statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    BeforeEach,
    AfterEach,
    AfterAll,
}

impl Moment {
    pub(super) fn name(self) -> &'static str {
        match self {
            Moment::BeforeEach => "before each test",
            Moment::AfterEach => "after each test",
            Moment::AfterAll => "after all tests",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HookStyle {
    /// Methods are found by their names.
    Named,
    JUnit4,
    Jupiter,
    TestNg,
}

impl HookStyle {
    /// By what the file imports and what the class extends.
    fn of(file: &JavaFile, class: Node<'_>) -> Option<HookStyle> {
        let imports = |package: &str| {
            let declarations = named_children(file.root()).into_iter();
            let mut all = declarations.filter(|node| node.kind() == "import_declaration");
            all.any(|node| file.of(node).contains(package))
        };
        if imports("org.junit.jupiter.") {
            Some(HookStyle::Jupiter)
        } else if imports("org.testng.") {
            Some(HookStyle::TestNg)
        } else if imports("org.junit.") {
            Some(HookStyle::JUnit4)
        } else if file.field(class, "superclass").ends_with("TestCase") {
            Some(HookStyle::Named)
        } else {
            None
        }
    }

    /// The annotation of a method that runs then, with its package. `None`: there is none.
    fn annotation(self, moment: Moment) -> Option<&'static str> {
        match (self, moment) {
            (HookStyle::Named, _) => None,
            (HookStyle::JUnit4, Moment::BeforeEach) => Some("org.junit.Before"),
            (HookStyle::JUnit4, Moment::AfterEach) => Some("org.junit.After"),
            (HookStyle::JUnit4, Moment::AfterAll) => Some("org.junit.AfterClass"),
            (HookStyle::Jupiter, Moment::BeforeEach) => Some("org.junit.jupiter.api.BeforeEach"),
            (HookStyle::Jupiter, Moment::AfterEach) => Some("org.junit.jupiter.api.AfterEach"),
            (HookStyle::Jupiter, Moment::AfterAll) => Some("org.junit.jupiter.api.AfterAll"),
            (HookStyle::TestNg, Moment::BeforeEach) => Some("org.testng.annotations.BeforeMethod"),
            (HookStyle::TestNg, Moment::AfterEach) => Some("org.testng.annotations.AfterMethod"),
            (HookStyle::TestNg, Moment::AfterAll) => Some("org.testng.annotations.AfterClass"),
        }
    }
}

/// JUnit 3 has these names.
fn named(moment: Moment) -> Option<&'static str> {
    match moment {
        Moment::BeforeEach => Some("setUp"),
        Moment::AfterEach => Some("tearDown"),
        Moment::AfterAll => None,
    }
}

/// The set-up and tear-down methods of a class of tests.
pub(super) struct Hooks<'f> {
    file: &'f JavaFile,
    class: Node<'f>,
    style: HookStyle,
}

const SET_UPS: [&str; 6] = [
    "Before",
    "BeforeEach",
    "BeforeMethod",
    "BeforeClass",
    "BeforeAll",
    "BeforeTest",
];
const TEAR_DOWNS: [&str; 6] = [
    "After",
    "AfterEach",
    "AfterMethod",
    "AfterClass",
    "AfterAll",
    "AfterTest",
];

/// Whether a method runs around tests, whatever the framework.
pub(super) fn is_hook(file: &JavaFile, method: Node<'_>) -> bool {
    has_annotation(file, method, &SET_UPS)
        || has_annotation(file, method, &TEAR_DOWNS)
        || matches!(file.field(method, "name"), "setUp" | "tearDown")
}

impl<'f> Hooks<'f> {
    /// `None`: the class is not in the file, or what runs its tests is not known.
    pub(super) fn of(file: &'f JavaFile, class: &str) -> Option<Hooks<'f>> {
        let class = type_in(file, class)?;
        let style = HookStyle::of(file, class)?;
        (class.kind() == "class_declaration").then_some(Hooks { file, class, style })
    }

    /// The edits that make a reset run then. `None`: the framework or the layout of the class has no place for it.
    pub(super) fn place(&self, moment: Moment, reset: &Reset) -> Option<Edits> {
        let is_static = moment == Moment::AfterAll;
        let field = reset.saved.as_ref().map(|saved| saved.field(is_static));
        if field.as_deref().is_some_and(|name| self.has_member(name)) {
            return None;
        }
        let name = field.as_deref().unwrap_or_default();
        let statements = reset.statements.iter();
        let statements: Vec<String> = statements
            .map(|statement| format!("{};", statement.replace(SAVED, name)))
            .collect();
        let mut imports = reset.imports.clone();
        let mut edits = Vec::new();
        if let Some(saved) = &reset.saved {
            let modifiers = if is_static {
                "private static final"
            } else {
                "private final"
            };
            let line = format!("{modifiers} {} {name} = {};", saved.written_type, saved.value);
            edits.push(self.with_field(&line)?);
        }
        match self.existing(moment) {
            Some(method) => edits.push(self.into(method, moment, &statements)?),
            None => edits.push(self.new_method(moment, reset, &statements, &mut imports)?),
        }
        // A field and a method at the same place are one insertion, with an empty line between them.
        let mut all = Edits::new();
        match &edits[..] {
            [(at, field), (other, method)] if at == other => {
                let end = self.file.line_end();
                let field = field.trim_end_matches(['\r', '\n']);
                let method = method.trim_start_matches(['\r', '\n']);
                all = all.insert(*at, format!("{field}{end}{end}{method}"));
            }
            _ => {
                for (at, text) in edits {
                    all = all.insert(at, text);
                }
            }
        }
        Some(self.file.with_imports(all, imports))
    }

    fn has_member(&self, name: &str) -> bool {
        let identifiers = self.file.nodes().filter(|node| node.kind() == "identifier");
        identifiers.into_iter().any(|node| self.file.of(node) == name)
    }

    /// The method of the class that runs then; the last one of several.
    fn existing(&self, moment: Moment) -> Option<Node<'f>> {
        let is_it = |method: &Node<'f>| match self.style.annotation(moment) {
            Some(annotation) => {
                let simple = annotation.rsplit('.').next().unwrap_or(annotation);
                has_annotation(self.file, *method, &[simple])
            }
            None => Some(self.file.field(*method, "name")) == named(moment),
        };
        methods(self.class)
            .filter(|method| is_it(method) && method.child_by_field_name("body").is_some())
            .last()
    }

    /// Statements at the end of a tear-down, or at the start of a set-up; what is inherited stays outermost.
    fn into(&self, method: Node<'f>, moment: Moment, statements: &[String]) -> Option<(usize, String)> {
        let body = method.child_by_field_name("body")?;
        let there = named_children(body);
        let is_inherited = |statement: &&Node<'f>| {
            let text = self.file.of(**statement);
            text.starts_with("super.setUp") || text.starts_with("super.tearDown")
        };
        let (end, indent) = (self.file.line_end(), self.inner_indent(method));
        let at_start_of = |node: Node<'f>| {
            let text = statements.iter().map(|one| format!("{indent}{one}{end}"));
            Some((self.line_start(node)?, text.collect()))
        };
        let after = |byte: usize| {
            let text = statements.iter().map(|one| format!("{end}{indent}{one}"));
            (byte, text.collect::<String>())
        };
        let Some((first, last)) = there.first().zip(there.last()) else {
            let close = format!("{end}{}", self.file.indentation(method));
            let (at, text) = after(body.start_byte() + 1);
            let is_flat = lines(body).count() == 1;
            return Some((at, if is_flat { text + &close } else { text }));
        };
        let found = match moment {
            Moment::BeforeEach => match there.iter().find(is_inherited) {
                Some(inherited) => after(inherited.end_byte()),
                None => return at_start_of(*first),
            },
            Moment::AfterEach | Moment::AfterAll => match there.iter().find(is_inherited) {
                Some(inherited) => return at_start_of(*inherited),
                None => after(last.end_byte()),
            },
        };
        Some(found)
    }

    fn new_method(
        &self,
        moment: Moment,
        reset: &Reset,
        statements: &[String],
        imports: &mut Vec<Import>,
    ) -> Option<(usize, String)> {
        let unit = self.file.indent_unit();
        let mut method: Vec<String> = Vec::new();
        let inherited = match self.style.annotation(moment) {
            Some(annotation) => {
                let (annotation, import) = self.file.using(annotation);
                imports.extend(import);
                method.push(format!("@{annotation}"));
                let is_static = moment == Moment::AfterAll && self.style != HookStyle::TestNg;
                let is_static = if is_static { "static " } else { "" };
                let name = self.free_name(&reset.method)?;
                method.push(format!("{}{is_static}void {name}() {{", self.visibility()));
                None
            }
            None => {
                let name = named(moment)?;
                method.push("@Override".to_owned());
                method.push(format!("protected void {name}() throws Exception {{"));
                Some(format!("{unit}super.{name}();"))
            }
        };
        let statements = statements.iter().map(|statement| format!("{unit}{statement}"));
        if moment == Moment::BeforeEach {
            method.extend(inherited);
            method.extend(statements);
        } else {
            method.extend(statements);
            method.extend(inherited);
        }
        method.push("}".to_owned());
        self.with_method(&method)
    }

    /// As the class has its test methods: Jupiter does not ask for `public`.
    fn visibility(&self) -> &'static str {
        let is_public = |method: Node<'f>| is(self.file, method, "public");
        if self.style == HookStyle::Jupiter && !methods(self.class).any(is_public) {
            ""
        } else {
            "public "
        }
    }

    fn free_name(&self, wanted: &str) -> Option<String> {
        let names = [
            wanted.to_owned(),
            format!("{wanted}AfterTests"),
            "cleanUp".to_owned(),
        ];
        names.into_iter().find(|name| !self.file.has_method(name))
    }

    /// Where members of the class begin.
    fn indent(&self) -> String {
        format!("{}{}", self.file.indentation(self.class), self.file.indent_unit())
    }

    fn inner_indent(&self, method: Node<'f>) -> String {
        format!("{}{}", self.file.indentation(method), self.file.indent_unit())
    }

    /// A line among the fields of the class, else before everything else.
    fn with_field(&self, line: &str) -> Option<(usize, String)> {
        let (end, indent) = (self.file.line_end(), self.indent());
        let text = format!("{indent}{line}{end}");
        let all = members(self.class);
        let fields = all
            .iter()
            .take_while(|member| member.kind() == "field_declaration");
        match (fields.last(), all.first()) {
            (Some(field), _) => Some((self.line_after(*field)?, text)),
            (None, Some(first)) => Some((self.place_before(*first)?, format!("{text}{end}"))),
            (None, None) => None,
        }
    }

    /// A method after the set-up methods, else before the first one.
    fn with_method(&self, method: &[String]) -> Option<(usize, String)> {
        let (end, indent) = (self.file.line_end(), self.indent());
        let text: String = method.iter().map(|line| format!("{indent}{line}{end}")).collect();
        let set_up = methods(self.class).filter(|method| {
            has_annotation(self.file, *method, &SET_UPS) || self.file.field(*method, "name") == "setUp"
        });
        if let Some(set_up) = set_up.last() {
            return Some((self.line_after(set_up)?, format!("{end}{text}")));
        }
        if let Some(first) = methods(self.class).next() {
            let at = self.place_before(first)?;
            let above = self.file.text()[..at].trim_end_matches([' ', '\t']);
            let is_apart = above.ends_with(&end.repeat(2)) || above.trim_end().ends_with('{');
            let gap = if is_apart { "" } else { end };
            return Some((at, format!("{gap}{text}{end}")));
        }
        let last = members(self.class).into_iter().last()?;
        Some((self.line_after(last)?, format!("{end}{text}")))
    }

    /// The start of a member's first line, comments above it included.
    fn place_before(&self, member: Node<'f>) -> Option<usize> {
        let mut first = member;
        while let Some(above) = first.prev_named_sibling() {
            let is_close = above.end_position().row + 1 >= first.start_position().row;
            if !above.is_extra() || !is_close || self.line_start(above).is_none() {
                break;
            }
            first = above;
        }
        self.line_start(first)
    }

    /// `None`: something else stands before the node on its line.
    fn line_start(&self, node: Node<'f>) -> Option<usize> {
        let text = &self.file.text()[..node.start_byte()];
        let start = text.rfind('\n').map_or(0, |newline| newline + 1);
        text[start..].trim().is_empty().then_some(start)
    }

    /// `None`: more code follows on the node's last line.
    fn line_after(&self, node: Node<'f>) -> Option<usize> {
        let rest = &self.file.text()[node.end_byte()..];
        let newline = rest.find('\n')?;
        let is_free = rest[..newline].trim().is_empty() || rest[..newline].trim().starts_with("//");
        is_free.then_some(node.end_byte() + newline + 1)
    }
}

/// Methods that run around the tests of a class.
pub(super) fn hooks_of<'f>(file: &'f JavaFile, class: Node<'f>) -> Vec<Node<'f>> {
    methods(class).filter(|method| is_hook(file, *method)).collect()
}

/// Whether a class can be named from other packages.
pub(super) fn is_public(file: &JavaFile, declaration: Node<'_>) -> bool {
    modifiers(file, declaration)
        .split_whitespace()
        .any(|word| word == "public")
}
