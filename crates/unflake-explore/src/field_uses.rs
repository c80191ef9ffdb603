//! What the project's classes do with each of their fields: the evidence that marks of harmless changes rest on (P9).
//!
//! Private methods count as part of those that call them, since nobody else can. What remains are the ways by which code
//! outside of a class can reach a field; each of them is an [`Entry`].

use std::collections::{BTreeMap, BTreeSet};
use unflake_protocol::{FieldName, Step};

/// A class as its class file has it. Names are `package.Class`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassUses {
    pub name: String,
    pub parent: Option<String>,
    pub has_tests: bool,
    /// It makes a `ThreadLocal` of no class of its own and without an initial value.
    pub makes_empty_thread_local: bool,
    pub fields: Vec<DeclaredField>,
    pub methods: Vec<MethodUses>,
    /// String constants: reflection finds fields by them.
    pub texts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredField {
    pub name: String,
    pub descriptor: String,
    pub is_private: bool,
    pub is_public: bool,
    pub is_static: bool,
    /// Frameworks find it.
    pub is_annotated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodUses {
    pub name: String,
    pub descriptor: String,
    /// Private, or made by the compiler.
    pub is_private: bool,
    /// A test framework calls it before each test of its class.
    pub is_set_up: bool,
    pub uses: Vec<FieldUse>,
    /// Class, name and descriptor.
    pub calls: Vec<[String; 3]>,
}

/// Something that is done with a field; the class may be one below that which declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldUse {
    pub class: String,
    pub field: String,
    pub how: Use,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    Read,
    /// Read where the method has set it before: not what was left there.
    ReadBack,
    /// Compared with null or a constant.
    Tested,
    Written(Stored),
    /// A method of the object in it is called.
    Called {
        method: String,
        /// The last argument.
        stored: Stored,
        /// Nobody looks at what it returns.
        dropped: bool,
    },
    /// A method of what such a call gave is called; `[]=` stores into an array there.
    CalledBelow {
        method: String,
        stored: Stored,
    },
    /// What such a call gave is returned.
    ReturnedBelow,
    /// Its value is returned, passed on or kept elsewhere.
    HandedOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Null,
    Constant,
    /// The old value and a positive constant.
    Increased,
    /// The old value and something that is no constant.
    Added,
    /// A parameter.
    Given,
    MadeOfGiven,
    /// Made of parameters that are nothing but values: texts, numbers, classes.
    MadeOfValues,
    /// An object that the method has made, of nothing that was given.
    New,
    Other,
}

impl Stored {
    /// Another caller may have stored something else.
    pub(crate) fn is_of_caller(self) -> bool {
        matches!(self, Self::Given | Self::MadeOfGiven | Self::MadeOfValues)
    }
}

/// All classes of a project.
#[derive(Clone, Debug, Default)]
pub struct FieldUses {
    classes: BTreeMap<String, Class>,
    methods: Vec<Method>,
    texts: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
struct Class {
    parent: Option<String>,
    has_tests: bool,
    makes_empty_thread_local: bool,
    fields: BTreeMap<String, KnownField>,
}

#[derive(Clone, Debug)]
struct KnownField {
    declared: DeclaredField,
    /// By method.
    uses: BTreeMap<usize, Vec<Use>>,
}

#[derive(Clone, Debug)]
struct Method {
    class: String,
    name: String,
    descriptor: String,
    is_private: bool,
    is_set_up: bool,
    callers: BTreeSet<usize>,
}

impl Method {
    fn key(&self) -> (String, String) {
        (self.class.clone(), self.name.clone())
    }
}

/// A field and all that is done with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'u> {
    all: &'u FieldUses,
    class: &'u str,
    known: &'u KnownField,
}

/// A method, with what it does with one field; one that code outside can call with what its private helpers do.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'u> {
    number: usize,
    method: &'u Method,
    pub(crate) uses: Vec<&'u Use>,
    pub(crate) is_initialiser: bool,
}

/// A set-up that sets a field.
pub(crate) struct SetUp {
    pub(crate) label: String,
    pub(crate) is_lazy: bool,
}

impl FieldUses {
    pub fn new(classes: impl IntoIterator<Item = ClassUses>) -> Self {
        let mut all = Self::default();
        let mut bodies = Vec::new();
        for class in classes {
            if all.classes.contains_key(&class.name) {
                // The class path takes the first.
                continue;
            }
            let fields = class.fields.into_iter().map(|declared| {
                let uses = BTreeMap::new();
                (declared.name.clone(), KnownField { declared, uses })
            });
            let known = Class {
                parent: class.parent,
                has_tests: class.has_tests,
                makes_empty_thread_local: class.makes_empty_thread_local,
                fields: fields.collect(),
            };
            all.classes.insert(class.name.clone(), known);
            all.texts.extend(class.texts);
            for method in class.methods {
                all.methods.push(Method {
                    class: class.name.clone(),
                    name: method.name,
                    descriptor: method.descriptor,
                    is_private: method.is_private,
                    is_set_up: method.is_set_up,
                    callers: BTreeSet::new(),
                });
                bodies.push((method.uses, method.calls));
            }
        }
        all.link(bodies);
        all
    }

    /// Whether it is one of the project's own; its name with `$` before the names of inner classes.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// Uses go to the fields they are of, calls to the methods they are of.
    fn link(&mut self, bodies: Vec<(Vec<FieldUse>, Vec<[String; 3]>)>) {
        let numbers: BTreeMap<[String; 3], usize> = self
            .methods
            .iter()
            .enumerate()
            .map(|(number, method)| {
                let key = [&method.class, &method.name, &method.descriptor].map(Clone::clone);
                (key, number)
            })
            .collect();
        let accessors = self.accessors(&bodies);
        for (number, (uses, calls)) in bodies.into_iter().enumerate() {
            let method = &self.methods[number];
            if is_accessor(&method.name) && accessors.contains_key(&method.key()) {
                continue;
            }
            for mut used in uses {
                if is_accessor(&used.field)
                    && let Some((class, field)) = accessors.get(&(used.class.clone(), used.field.clone()))
                {
                    (used.class, used.field) = (class.clone(), field.clone());
                }
                let Some(class) = self.declaring(&used.class, &used.field).map(str::to_owned) else {
                    continue;
                };
                let class = self.classes.get_mut(&class);
                if let Some(field) = class.and_then(|class| class.fields.get_mut(&used.field)) {
                    field.uses.entry(number).or_default().push(used.how);
                }
            }
            for call in calls {
                if let Some(callee) = numbers.get(&call) {
                    self.methods[*callee].callers.insert(number);
                }
            }
        }
    }

    /// Methods by which inner classes read a private field, with class and name, and these of the field.
    fn accessors(
        &self,
        bodies: &[(Vec<FieldUse>, Vec<[String; 3]>)],
    ) -> BTreeMap<(String, String), (String, String)> {
        let mut accessors = BTreeMap::new();
        for (method, (uses, _)) in self.methods.iter().zip(bodies) {
            if let [read, shown] = &uses[..]
                && is_accessor(&method.name)
                && (&read.how, &shown.how) == (&Use::Read, &Use::HandedOn)
            {
                accessors.insert(method.key(), (read.class.clone(), read.field.clone()));
            }
        }
        accessors
    }

    /// The class that declares a field which is reached through this one.
    fn declaring<'u>(&'u self, class: &str, field: &str) -> Option<&'u str> {
        let mut name = class;
        // No class is its own parent, but a class file may say so.
        for _ in 0..100 {
            let (name_here, known) = self.classes.get_key_value(name)?;
            if known.fields.contains_key(field) {
                return Some(name_here);
            }
            name = known.parent.as_deref()?;
        }
        None
    }

    /// The field of a step; `None`: not the project's.
    pub(crate) fn field(&self, step: &Step) -> Option<Field<'_>> {
        let FieldName { class, name } = step.field()?;
        let class = self.declaring(class, name)?;
        let known = self.classes.get(class)?.fields.get(name)?;
        Some(Field {
            all: self,
            class,
            known,
        })
    }

    /// Whether objects of this class (or what they inherit) can be given something that they keep, by others than the method that
    /// makes them.
    pub(crate) fn is_settable(&self, class: &str, maker: Option<&Entry<'_>>) -> bool {
        let mut next = self.classes.get_key_value(class);
        for _ in 0..100 {
            let Some((name, known)) = next else { return false };
            let settable = known.fields.values().any(|known| {
                let field = Field {
                    all: self,
                    class: name,
                    known,
                };
                !known.declared.is_static && field.is_given(maker)
            });
            if settable {
                return true;
            }
            let parent = known.parent.as_deref();
            next = parent.and_then(|parent| self.classes.get_key_value(parent));
        }
        false
    }
}

impl<'u> Field<'u> {
    /// `Class.field`
    pub(crate) fn label(&self) -> String {
        format!("{}.{}", short(self.class), self.known.declared.name)
    }

    pub(crate) fn name(&self) -> &'u str {
        &self.known.declared.name
    }

    pub(crate) fn descriptor(&self) -> &'u str {
        &self.known.declared.descriptor
    }

    pub(crate) fn is_private(&self) -> bool {
        self.known.declared.is_private
    }

    /// Code that can reach the other field cannot reach this one: neither is public, and they are of different packages.
    pub(crate) fn is_out_of_reach_from(&self, other: &Field<'_>) -> bool {
        let package = |class: &str| class.rsplit_once('.').map(|(package, _)| package.to_owned());
        let is_public = [self, other].iter().any(|field| field.known.declared.is_public);
        !is_public && package(self.class) != package(other.class)
    }

    /// A thread-local in which whoever asks first finds something: its class makes none that is empty.
    pub(crate) fn has_initial_value(&self) -> bool {
        let class = self.all.classes.get(self.class);
        class.is_some_and(|class| !class.makes_empty_thread_local)
    }

    /// The class without its package.
    pub(crate) fn class(&self) -> String {
        short(self.class)
    }

    /// The field belongs to a class with tests, or to one inside of it.
    pub(crate) fn is_of_tests(&self) -> bool {
        let outer = self.class.split('$').next().unwrap_or_default();
        [self.class, outer].into_iter().any(|class| {
            let mut next = self.all.classes.get(class);
            for _ in 0..100 {
                let Some(class) = next else { return false };
                if class.has_tests {
                    return true;
                }
                next = class
                    .parent
                    .as_ref()
                    .and_then(|parent| self.all.classes.get(parent));
            }
            false
        })
    }

    /// The set-up of the field's class that sets it or empties what it holds, and whether it looks first at what is there.
    pub(crate) fn set_up(&self) -> Option<SetUp> {
        let entries = self.entries().into_iter();
        let mut set_ups = entries.filter(|entry| {
            let sets = |used: &Use| match used {
                Use::Written(stored) => *stored != Stored::Null,
                Use::Called { method, .. } => EMPTIES.contains(&method.as_str()),
                _ => false,
            };
            entry.method.is_set_up && entry.method.class == self.class && entry.has(sets)
        });
        set_ups.next().map(|entry| SetUp {
            label: entry.label(),
            is_lazy: entry.has(|used| *used == Use::Tested),
        })
    }

    /// Whether something may find the field by its name or by an annotation.
    pub(crate) fn is_reflected(&self) -> bool {
        self.known.declared.is_annotated || self.all.texts.contains(&self.known.declared.name)
    }

    pub(crate) fn is_read(&self) -> bool {
        self.uses().any(|used| matches!(used, Use::Read | Use::ReadBack))
    }

    pub(crate) fn is_written(&self) -> bool {
        self.uses().any(|used| matches!(used, Use::Written(_)))
    }

    pub(crate) fn uses(&self) -> impl Iterator<Item = &'u Use> {
        self.known.uses.values().flatten()
    }

    /// The ways to the field, those of initialisers too.
    pub(crate) fn entries(&self) -> Vec<Entry<'u>> {
        let mut found: BTreeMap<usize, Vec<&'u Use>> = BTreeMap::new();
        for (method, uses) in &self.known.uses {
            for entry in self.entries_of(*method) {
                found.entry(entry).or_default().extend(uses);
            }
        }
        let entries = found.into_iter();
        entries.map(|(number, uses)| self.entry(number, uses)).collect()
    }

    /// The ways to the field once it was initialised.
    pub(crate) fn later_entries(&self) -> Vec<Entry<'u>> {
        let entries = self.entries().into_iter();
        entries.filter(|entry| !entry.is_initialiser).collect()
    }

    /// The methods that use the field themselves, without initialisers.
    pub(crate) fn users(&self) -> Vec<Entry<'u>> {
        let users = self.known.uses.iter();
        users
            .map(|(number, uses)| self.entry(*number, uses.iter().collect()))
            .filter(|user| !user.is_initialiser)
            .collect()
    }

    fn entry(&self, number: usize, uses: Vec<&'u Use>) -> Entry<'u> {
        let method = &self.all.methods[number];
        Entry {
            number,
            method,
            uses,
            is_initialiser: self.is_initialiser(method),
        }
    }

    fn is_initialiser(&self, method: &Method) -> bool {
        if self.known.declared.is_static {
            method.name == "<clinit>" && method.class == self.class
        } else {
            method.name == "<init>"
        }
    }

    /// The methods that code outside can call and that run this one, by way of private ones only; and initialisers.
    fn entries_of(&self, method: usize) -> BTreeSet<usize> {
        let (mut seen, mut entries) = (BTreeSet::new(), BTreeSet::new());
        let mut todo = vec![method];
        while let Some(number) = todo.pop() {
            if !seen.insert(number) {
                continue;
            }
            let method = &self.all.methods[number];
            if method.is_private && !method.callers.is_empty() && !self.is_initialiser(method) {
                todo.extend(&method.callers);
            } else {
                entries.insert(number);
            }
        }
        entries
    }

    /// Whether somebody outside can set it, or put something of theirs into what it holds; but for one method and those that only it
    /// calls.
    fn is_given(&self, but_by: Option<&Entry<'_>>) -> bool {
        let given = |used: &Use| match used {
            Use::Written(stored) => stored.is_of_caller() || *stored == Stored::Constant,
            Use::Called { method, stored, .. } => FILLS.contains(&method.as_str()) && stored.is_of_caller(),
            _ => false,
        };
        let is_of = |number: usize, maker: &Entry<'_>| {
            let method = &self.all.methods[number];
            number == maker.number
                || method.is_private
                    && !method.callers.is_empty()
                    && method.callers.iter().all(|caller| *caller == maker.number)
        };
        let uses = self.known.uses.iter();
        let mut givers = uses.filter(|(number, uses)| {
            !but_by.is_some_and(|maker| is_of(**number, maker)) && uses.iter().any(given)
        });
        givers.any(|(number, _)| {
            let entries = self.entries_of(*number).into_iter();
            entries
                .map(|entry| self.entry(entry, Vec::new()))
                .any(|entry| !entry.is_initialiser)
        })
    }
}

impl Entry<'_> {
    /// `Class.method`
    pub(crate) fn label(&self) -> String {
        format!("{}.{}", short(&self.method.class), self.method.name)
    }

    /// Whether a parameter is of this type.
    pub(crate) fn takes(&self, descriptor: &str) -> bool {
        let parameters = self.method.descriptor.split(')').next();
        parameters.is_some_and(|parameters| parameters.contains(descriptor))
    }

    /// Returns what a call on the field's value gave to code outside.
    pub(crate) fn hands_out_what_is_below(&self) -> bool {
        !self.method.is_private && self.has(|used| *used == Use::ReturnedBelow)
    }

    pub(crate) fn returns(&self, descriptor: &str) -> bool {
        self.method.descriptor.ends_with(&format!("){descriptor}"))
    }

    pub(crate) fn returns_nothing(&self) -> bool {
        self.returns("V")
    }

    /// Whether it calls the other itself.
    pub(crate) fn calls(&self, other: &Self) -> bool {
        let callers = &other.method.callers;
        callers.contains(&self.number)
    }

    pub(crate) fn has(&self, test: impl Fn(&Use) -> bool) -> bool {
        self.uses.iter().any(|used| test(used))
    }

    pub(crate) fn has_call(&self, names: &[&str]) -> bool {
        self.has(|used| matches!(used, Use::Called { method, .. } if names.contains(&method.as_str())))
    }
}

/// Methods after which an object is as it was made.
const EMPTIES: [&str; 4] = ["clear", "reset", "setLength", "removeAllElements"];

/// Methods that put something into a collection.
pub(crate) const FILLS: [&str; 19] = [
    "put",
    "putIfAbsent",
    "putAll",
    "computeIfAbsent",
    "compute",
    "merge",
    "add",
    "addAll",
    "addFirst",
    "addLast",
    "addElement",
    "push",
    "offer",
    "offerFirst",
    "offerLast",
    "set",
    "append",
    "setProperty",
    "compareAndSet",
];

/// By which the compilers before Java 11 let an inner class read a private field.
fn is_accessor(method: &str) -> bool {
    method.starts_with("access$")
}

fn short(class: &str) -> String {
    let name = class.rsplit('.').next().unwrap_or(class);
    name.replace('$', ".")
}
