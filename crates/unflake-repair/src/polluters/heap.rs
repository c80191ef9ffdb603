//! State below static fields: put back through the holder's own API, or directly where the field can be reached.

use super::hooks::{hooks_of, is_public};
use super::members::{assignments, calls, field, is, methods, parameters, returned, type_in};
use super::resets::{Reset, SAVED, Saved, camel};
use super::{Polluted, class_of};
use crate::imports::Import;
use crate::java::JavaFile;
use crate::types::{JavaType, Shape};
use std::collections::BTreeSet;
use std::rc::Rc;
use tree_sitter::Node;

/// Words in the names of methods that put something back.
const RESETTING: [&str; 14] = [
    "reset",
    "clear",
    "clean",
    "restore",
    "remove",
    "init",
    "default",
    "forget",
    "unregister",
    "shutdown",
    "close",
    "destroy",
    "dispose",
    "empty",
];

/// How far below its root a change is, as far as it can be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below<'p> {
    /// The field itself.
    Nothing,
    /// `["poison"]`, `[0]`.
    Element(&'p str),
    /// Something further in.
    Deeper,
}

/// Who owns a field: a class, or an object that can be reached.
struct FieldOwner<'f> {
    /// The expression before the dot; empty in the class itself.
    prefix: String,
    imports: Vec<Import>,
    file: &'f JavaFile,
    class: Node<'f>,
    /// The name of the class, for methods and sentences.
    name: String,
    is_static: bool,
    field: &'f str,
    below: Below<'f>,
    reach: Reach,
}

/// What code of the tests can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Public members.
    Public,
    /// All but private ones.
    Package,
    /// Everything: it is the same file.
    File,
}

impl Reach {
    fn allows(self, file: &JavaFile, member: Node<'_>) -> bool {
        match self {
            Reach::File => true,
            Reach::Package => !is(file, member, "private"),
            Reach::Public => is(file, member, "public"),
        }
    }
}

pub(super) fn resets(polluted: &Polluted<'_>, from: &JavaFile, test_class: &str) -> Vec<Reset> {
    found(polluted, from, test_class).unwrap_or_default()
}

fn found(polluted: &Polluted<'_>, from: &JavaFile, test_class: &str) -> Option<Vec<Reset>> {
    let (class, root) = polluted.held_by.rsplit_once('.')?;
    let file = polluted.sources.of_class(class)?;
    let holder = type_in(&file, class)?;
    let reach = reach(&file, holder, from)?;
    let (prefix, imports) = if class == test_class {
        (String::new(), Vec::new())
    } else {
        named_from(from, class, &file)
    };
    let steps = after_root(polluted.path, root)?;
    let owner = FieldOwner {
        prefix,
        imports,
        file: &file,
        class: holder,
        name: super::simple(class).rsplit('.').next()?.to_owned(),
        is_static: true,
        field: root,
        below: below(steps),
        reach,
    };
    let hints = hints(polluted, &owner.name);
    let mut all = owner.resets(polluted.old, &hints);
    if let Some((inner, rest)) = inner(steps) {
        all.extend(of_object(polluted, &owner, inner, rest, from).unwrap_or_default());
    }
    Some(all)
}

/// The change is inside of an object that a static field holds, and that can be reached.
fn of_object(
    polluted: &Polluted<'_>,
    root: &FieldOwner<'_>,
    inner: &str,
    rest: &str,
    from: &JavaFile,
) -> Option<Vec<Reset>> {
    let (declaration, _) = field(root.file, root.class, root.field)?;
    let written = root.file.field(declaration, "type");
    let of_type = JavaType::read(written)?;
    let is_itself = root.file.field(root.class, "name") == of_type.name;
    let other: Option<Rc<JavaFile>> = if is_itself {
        None
    } else {
        polluted.sources.of_class(&root.full_name(&of_type.name))
    };
    let file = other.as_deref().unwrap_or(root.file);
    let class = if is_itself {
        root.class
    } else {
        type_in(file, &of_type.name)?
    };
    let owner = FieldOwner {
        prefix: root.expression(declaration)?,
        imports: root.imports.clone(),
        file,
        class,
        name: of_type.name.clone(),
        is_static: false,
        field: inner,
        below: below(rest),
        reach: reach(file, class, from)?,
    };
    Some(owner.resets(polluted.old, &hints(polluted, &owner.name)))
}

/// What follows the root in a path: `Registry.PRICES["apple"]` has `["apple"]`.
fn after_root<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let name = format!(".{root}");
    let at = path.find(&name)? + name.len();
    let rest = &path[at..];
    let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
    rest.chars().next().is_none_or(is_end).then_some(rest)
}

fn below(steps: &str) -> Below<'_> {
    if steps.is_empty() {
        return Below::Nothing;
    }
    match steps.strip_prefix('[').and_then(|steps| steps.strip_suffix(']')) {
        Some(key) if !key.contains([']', '[']) => Below::Element(key),
        _ => Below::Deeper,
    }
}

/// A field of the object that the root holds, and what follows it.
fn inner(steps: &str) -> Option<(&str, &str)> {
    let steps = steps.strip_prefix('.')?;
    let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != '$';
    let end = steps.find(is_end).unwrap_or(steps.len());
    (end > 0).then(|| steps.split_at(end))
}

/// What code in one file can use of a class in another. `None`: not even its name.
fn reach(file: &JavaFile, class: Node<'_>, from: &JavaFile) -> Option<Reach> {
    if file.path == from.path {
        Some(Reach::File)
    } else if file.package() == from.package() {
        (!is(file, class, "private")).then_some(Reach::Package)
    } else {
        is_public(file, class).then_some(Reach::Public)
    }
}

/// How a file names a class, nested ones with a dot.
fn named_from(from: &JavaFile, class: &str, file: &JavaFile) -> (String, Vec<Import>) {
    let outer = class.split('$').next().unwrap_or(class);
    let inner = &class[outer.len()..].replace('$', ".");
    if file.path == from.path {
        return (super::simple(class), Vec::new());
    }
    let (name, import) = from.using(outer);
    (format!("{name}{inner}"), import.into_iter().collect())
}

/// Methods without arguments that cleaners, and the code around tests, call on a class.
fn hints(polluted: &Polluted<'_>, class: &str) -> BTreeSet<String> {
    let tests = polluted
        .cleaners
        .iter()
        .chain(polluted.victims)
        .map(String::as_str);
    let mut found = BTreeSet::new();
    for test in tests.chain([polluted.test]) {
        let Some(file) = polluted.sources.of_class(class_of(test)) else {
            continue;
        };
        let Some(declaration) = type_in(&file, class_of(test)) else {
            continue;
        };
        let is_cleaner = polluted.cleaners.iter().any(|cleaner| cleaner == test);
        let name = test.split('#').nth(1).unwrap_or_default();
        let own = methods(declaration).filter(|method| is_cleaner && file.field(*method, "name") == name);
        let around = hooks_of(&file, declaration);
        for method in own.chain(around) {
            let of_class = calls(&file, method).into_iter().filter(|(object, _, arguments)| {
                object.split('.').any(|part| part == class) && *arguments == "()"
            });
            found.extend(of_class.map(|(_, name, _)| name.to_owned()));
        }
    }
    found
}

impl<'f> FieldOwner<'f> {
    /// A class that the owner's file names.
    fn full_name(&self, simple: &str) -> String {
        match self.file.imported(simple) {
            Some(full) => full.to_owned(),
            None if self.file.package().is_empty() => simple.to_owned(),
            None => format!("{}.{simple}", self.file.package()),
        }
    }

    fn member(&self, text: &str) -> String {
        if self.prefix.is_empty() {
            text.to_owned()
        } else {
            format!("{}.{text}", self.prefix)
        }
    }

    /// Methods that can be called here and belong to the class or to its objects, as the field does.
    fn usable(&self) -> impl Iterator<Item = Node<'f>> + '_ {
        methods(self.class).filter(|method| {
            let is_same_kind = is(self.file, *method, "static") == self.is_static;
            is_same_kind && self.reach.allows(self.file, *method)
        })
    }

    /// Whether an expression inside of the class is the field.
    fn is_field(&self, expression: &str) -> bool {
        let name = expression
            .strip_prefix("this.")
            .or_else(|| expression.strip_prefix(&format!("{}.", self.name)));
        name.unwrap_or(expression) == self.field
    }

    /// An expression for what the field holds: the field itself, or a method that returns it.
    fn expression(&self, declaration: Node<'f>) -> Option<String> {
        if self.reach.allows(self.file, declaration) {
            return Some(self.member(self.field));
        }
        let getter = self.getter().or_else(|| {
            // A singleton that is made when it is first asked for.
            let written = self.file.field(declaration, "type");
            let mut all = self.usable();
            all.find(|method| {
                self.file.field(*method, "type") == written && parameters(self.file, *method).is_empty()
            })
        })?;
        Some(self.member(&format!("{}()", self.file.field(getter, "name"))))
    }

    fn getter(&self) -> Option<Node<'f>> {
        let is_getter = |method: &Node<'f>| {
            parameters(self.file, *method).is_empty()
                && returned(self.file, *method).is_some_and(|value| self.is_field(value))
        };
        self.usable().find(is_getter)
    }

    /// Assigns its only parameter to the field.
    fn setter(&self) -> Option<Node<'f>> {
        let sets = |method: &Node<'f>| {
            let names = parameters(self.file, *method);
            let [parameter] = &names[..] else {
                return false;
            };
            let body = method.child_by_field_name("body");
            let assigned = body.map(|body| assignments(self.file, body)).unwrap_or_default();
            assigned.iter().any(|(left, right)| {
                let is_own = *left != *parameter || left.contains('.');
                self.is_field(left) && is_own && right == parameter
            })
        };
        self.usable().find(sets)
    }

    fn resets(&self, old: Option<&str>, hints: &BTreeSet<String>) -> Vec<Reset> {
        let mut all = self.by_methods(hints);
        let declared = field(self.file, self.class, self.field);
        if let (Below::Element(key), None) = (self.below, old) {
            all.extend(self.by_removal(key));
        }
        if let Some((declaration, declarator)) = declared {
            match self.below {
                Below::Nothing => all.extend(self.by_assignment(declaration, declarator, old)),
                Below::Element(key) => all.extend(self.of_collection(declaration, declarator, key, old)),
                Below::Deeper => {}
            }
        }
        all
    }

    /// Methods of the class that are there to put it back: those that other tests call first.
    fn by_methods(&self, hints: &BTreeSet<String>) -> Vec<Reset> {
        let resets = |method: &Node<'f>| {
            let name = self.file.field(*method, "name");
            let small = name.to_lowercase();
            let is_named = RESETTING.iter().any(|word| small.contains(word));
            let is_void = self.file.field(*method, "type") == "void";
            parameters(self.file, *method).is_empty()
                && (hints.contains(name) || is_void && (is_named || self.touches(*method)))
        };
        let mut found: Vec<Node<'f>> = self.usable().filter(resets).collect();
        found.sort_by_key(|method| {
            let name = self.file.field(*method, "name").to_lowercase();
            let place = RESETTING.iter().position(|word| name.contains(word));
            let is_hint = hints.contains(self.file.field(*method, "name"));
            (!is_hint, !self.touches(*method), place.unwrap_or(RESETTING.len()))
        });
        let reset = |method: Node<'f>| {
            let call = self.member(&format!("{}()", self.file.field(method, "name")));
            self.reset(
                format!("reset{}", self.name),
                format!("call `{call}`"),
                vec![call],
            )
        };
        found.into_iter().map(reset).collect()
    }

    /// Whether a method clears the field or assigns to it.
    fn touches(&self, method: Node<'f>) -> bool {
        let Some(body) = method.child_by_field_name("body") else {
            return false;
        };
        let assigns = |(left, _): &(&str, &str)| self.is_field(left);
        let clears = |(object, name, _): &(&str, &str, &str)| self.is_field(object) && *name == "clear";
        assignments(self.file, body).iter().any(assigns) || calls(self.file, body).iter().any(clears)
    }

    /// A method that takes one element out again.
    fn by_removal(&self, key: &str) -> Option<Reset> {
        let removes = |method: &Node<'f>| {
            let names = parameters(self.file, *method);
            let ([parameter], Some(body)) = (&names[..], method.child_by_field_name("body")) else {
                return false;
            };
            let arguments = format!("({parameter})");
            let mut calls = calls(self.file, body).into_iter();
            calls.any(|(object, name, given)| self.is_field(object) && name == "remove" && given == arguments)
        };
        let method = is_literal(key).then(|| self.usable().find(removes))??;
        let call = self.member(&format!("{}({key})", self.file.field(method, "name")));
        let why = format!("call `{call}`");
        Some(self.reset(format!("reset{}", self.name), why, vec![call]))
    }

    fn by_assignment(&self, declaration: Node<'f>, declarator: Node<'f>, old: Option<&str>) -> Vec<Reset> {
        let can_write = self.reach.allows(self.file, declaration) && !is(self.file, declaration, "final");
        let setter = self.setter();
        let set = |value: &str| match setter {
            _ if can_write => Some(format!("{} = {value}", self.member(self.field))),
            Some(setter) => {
                let name = self.file.field(setter, "name");
                Some(self.member(&format!("{name}({value})")))
            }
            None => None,
        };
        let what = camel(self.field);
        let literal = old.filter(|old| is_literal(old)).and_then(|old| {
            let statement = set(old)?;
            let why = format!("set `{}` back to `{old}`", self.shown());
            Some(self.reset(format!("reset{what}"), why, vec![statement]))
        });
        let saved = self.saved(declaration, &what, can_write, set(SAVED));
        // What a field is without an initialiser needs not be kept; anything else would be written down twice.
        let is_default = declarator.child_by_field_name("value").is_none()
            && matches!(old, Some("false" | "0" | "null" | "0.0"));
        let mut all: Vec<Reset> = saved.into_iter().chain(literal).collect();
        if is_default {
            all.reverse();
        }
        all
    }

    fn saved(
        &self,
        declaration: Node<'f>,
        what: &str,
        can_read: bool,
        statement: Option<String>,
    ) -> Option<Reset> {
        let value = if can_read {
            self.member(self.field)
        } else {
            let getter = self.getter()?;
            self.member(&format!("{}()", self.file.field(getter, "name")))
        };
        let written = self.file.field(declaration, "type");
        let why = format!("put `{}` back", self.shown());
        let mut reset = self.reset(format!("restore{what}"), why, vec![statement?]);
        reset.saved = Some(Saved {
            written_type: written.to_owned(),
            name: what.to_owned(),
            value,
        });
        reset.imports.extend(self.imports_of(written));
        Some(reset)
    }

    /// For a sentence.
    fn shown(&self) -> String {
        format!("{}.{}", self.name, self.field)
    }

    /// Elements of a collection that can be reached.
    fn of_collection(
        &self,
        declaration: Node<'f>,
        declarator: Node<'f>,
        key: &str,
        old: Option<&str>,
    ) -> Vec<Reset> {
        let written = self.file.field(declaration, "type");
        let (Some(expression), Some(of)) = (self.collection(declaration), JavaType::read(written)) else {
            return Vec::new();
        };
        let what = camel(self.field);
        let shown = self.shown();
        let clear = || {
            let why = format!("clear `{shown}`");
            self.reset(format!("clear{what}"), why, vec![format!("{expression}.clear()")])
        };
        let remove = || {
            let why = format!("remove `{key}` from `{shown}`");
            let statement = format!("{expression}.remove({key})");
            self.reset(format!("restore{what}"), why, vec![statement])
        };
        let is_map = matches!(of.shape(), Shape::Map) || of.name.ends_with("Map");
        let is_array = of.dimensions > 0;
        let is_new = old.is_none();
        let was_empty = is_new && (key == "0" || self.begins_empty(declarator));
        let mut all = Vec::new();
        if was_empty && !is_array {
            all.push(clear());
        }
        if is_new && is_map && is_literal(key) {
            all.push(remove());
        }
        if let (true, true, Some(old)) = (is_map, is_literal(key), old.filter(|old| is_literal(old))) {
            let why = format!("put `{old}` back into `{shown}`");
            let statement = format!("{expression}.put({key}, {old})");
            all.push(self.reset(format!("restore{what}"), why, vec![statement]));
        }
        if let (true, Ok(_), Some(old)) = (is_array, key.parse::<usize>(), old.filter(|old| is_literal(old)))
        {
            let why = format!("put `{old}` back into `{shown}`");
            let statement = format!("{expression}[{key}] = {old}");
            all.push(self.reset(format!("restore{what}"), why, vec![statement]));
        }
        all.extend(self.copied(written, &of, &expression, &what));
        all
    }

    /// What has to be changed is the collection itself, so a getter that copies it is of no use.
    fn collection(&self, declaration: Node<'f>) -> Option<String> {
        if self.reach.allows(self.file, declaration) {
            return Some(self.member(self.field));
        }
        let getter = self.getter()?;
        Some(self.member(&format!("{}()", self.file.field(getter, "name"))))
    }

    /// It is made without elements, and no initialiser of the class fills it.
    fn begins_empty(&self, declarator: Node<'f>) -> bool {
        let Some(value) = declarator.child_by_field_name("value") else {
            return false;
        };
        let is_empty = value.kind() == "object_creation_expression"
            && self.file.field(value, "arguments") == "()"
            && !self.file.of(value).contains('{');
        let initialisers = super::members::members(self.class)
            .into_iter()
            .filter(|member| member.kind() == "static_initializer" || member.kind() == "block");
        let fills = |block: Node<'f>| {
            let mut calls = calls(self.file, block).into_iter();
            calls.any(|(object, ..)| self.is_field(object))
        };
        is_empty && !initialisers.into_iter().any(fills)
    }

    /// All elements as they were, whatever the test did to them.
    fn copied(&self, written: &str, of: &JavaType, expression: &str, what: &str) -> Option<Reset> {
        let (class, add) = match of.shape() {
            Shape::Map => ("HashMap", "putAll"),
            Shape::Set => ("HashSet", "addAll"),
            Shape::List | Shape::Collection => ("ArrayList", "addAll"),
            Shape::Array | Shape::PrimitiveArray | Shape::Other => return None,
        };
        let statements = vec![
            format!("{expression}.clear()"),
            format!("{expression}.{add}({SAVED})"),
        ];
        let why = format!("put the elements of `{}` back", self.shown());
        let mut reset = self.reset(format!("restore{what}"), why, statements);
        reset.saved = Some(Saved {
            written_type: written.to_owned(),
            name: what.to_owned(),
            value: format!("new {class}<>({expression})"),
        });
        reset.imports.push(Import::class(&format!("java.util.{class}")));
        reset.imports.extend(self.imports_of(written));
        Some(reset)
    }

    /// The classes that a type names, as the owner's file knows them.
    fn imports_of(&self, written: &str) -> Vec<Import> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let names = written.split(|c: char| !is_name(c));
        let classes =
            names.filter(|name| !name.contains('.') && name.chars().next().is_some_and(char::is_uppercase));
        let full = classes.filter_map(|name| match self.file.imported(name) {
            Some(full) => Some(Import::class(full)),
            // A class of `java.lang`, or of the holder's own package.
            None if IN_JAVA_LANG.contains(&name) => None,
            None => Some(Import::class(&self.full_name(name))),
        });
        full.collect()
    }

    fn reset(&self, method: String, why: String, statements: Vec<String>) -> Reset {
        Reset {
            saved: None,
            statements,
            imports: self.imports.clone(),
            method,
            why,
        }
    }
}

const IN_JAVA_LANG: [&str; 16] = [
    "String",
    "Integer",
    "Long",
    "Short",
    "Byte",
    "Character",
    "Boolean",
    "Double",
    "Float",
    "Object",
    "Class",
    "Number",
    "Runnable",
    "Thread",
    "Iterable",
    "Comparable",
];

/// A value as the finding shows it that is Java as well: a number, a boolean, null, a text without escapes.
fn is_literal(value: &str) -> bool {
    let is_text = value.len() >= 2
        && value.starts_with('"')
        && value.ends_with('"')
        && value[1..value.len() - 1]
            .chars()
            .all(|c| (' '..='~').contains(&c) && c != '"' && c != '\\');
    let is_number = value.strip_prefix('-').unwrap_or(value).parse::<i32>().is_ok();
    let is_fraction = value.contains('.') && value.parse::<f64>().is_ok_and(f64::is_finite);
    is_text || is_number || is_fraction || matches!(value, "true" | "false" | "null")
}
