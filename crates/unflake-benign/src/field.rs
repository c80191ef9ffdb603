//! One field of the project, and the ways by which code reaches it.
//!
//! Private methods count as part of those that call them, since nobody else can. What remains are the ways by which
//! code outside of a class can reach a field; each of them is an [`Entry`].

use crate::evidence::{Evidence, KnownField, KnownMethod};
use crate::methods::{Does, does, is_telling};
use std::collections::{BTreeMap, BTreeSet};
use unflake_bytecode::{How, Stored};

/// A field and all that is done with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'u> {
    pub(crate) all: &'u Evidence,
    pub(crate) class: &'u str,
    pub(crate) known: &'u KnownField,
}

/// A method, with what it does with one field; one that code outside can call with what its private helpers do.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'u> {
    number: usize,
    method: &'u KnownMethod,
    pub(crate) uses: Vec<&'u How<'static>>,
    pub(crate) is_initialiser: bool,
}

/// A set-up that sets a field.
pub(crate) struct SetUp {
    pub(crate) label: String,
    pub(crate) is_lazy: bool,
}

impl<'u> Field<'u> {
    /// `Class.field`
    pub(crate) fn label(&self) -> String {
        format!("{}.{}", short(self.class), self.known.declared.name)
    }

    /// Of a library's class.
    pub(crate) fn is_library(&self) -> bool {
        self.all
            .classes
            .get(self.class)
            .is_some_and(|class| class.is_library)
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

    /// Code that can reach the other field cannot reach this one: neither is public, and they are of different
    /// packages.
    pub(crate) fn is_out_of_reach_from(&self, other: &Field<'_>) -> bool {
        let package = |class: &str| class.rsplit_once('.').map(|(package, _)| package.to_owned());
        let is_public = [self, other].iter().any(|field| field.known.declared.is_public);
        !is_public && package(self.class) != package(other.class)
    }

    /// A thread-local that creates its value for the first caller, so no caller finds it empty.
    pub(crate) fn has_initial_value(&self) -> bool {
        let class = self.all.classes.get(self.class);
        class.is_some_and(|class| !class.makes_empty_thread_local)
    }

    /// Whether the name of the field or of its class has this word in it.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        let names = [self.name(), &short(self.class)].map(str::to_ascii_lowercase);
        names.iter().any(|name| name.contains(word))
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

    /// The set-up of the field's class that sets it or empties what it holds, and whether it looks first at what is
    /// there.
    pub(crate) fn set_up(&self) -> Option<SetUp> {
        let entries = self.entries().into_iter();
        let mut set_ups = entries.filter(|entry| {
            let sets = |used: &How<'_>| match used {
                How::Written(stored) => *stored != Stored::Null,
                How::Called { method, .. } => does(method, &[Does::Empties]),
                _ => false,
            };
            entry.method.is_set_up && entry.method.class == self.class && entry.has(sets)
        });
        set_ups.next().map(|entry| SetUp {
            label: entry.label(),
            is_lazy: entry.has(|used| *used == How::Tested),
        })
    }

    /// All fields of its class.
    pub(crate) fn all_of_class(&self) -> impl Iterator<Item = Field<'u>> {
        let Field { all, class, .. } = *self;
        let fields = all
            .classes
            .get(class)
            .into_iter()
            .flat_map(|class| class.fields.values());
        fields.map(move |known| Field { all, class, known })
    }

    /// Whether something may find the field by its name or by an annotation.
    pub(crate) fn is_reflected(&self) -> bool {
        self.known.declared.is_annotated || self.all.texts.contains(&self.known.declared.name)
    }

    pub(crate) fn uses(&self) -> impl Iterator<Item = &'u How<'static>> {
        self.known.uses.values().flatten()
    }

    /// The ways to the field, those of initialisers too.
    pub(crate) fn entries(&self) -> Vec<Entry<'u>> {
        let mut found: BTreeMap<usize, Vec<&'u How<'static>>> = BTreeMap::new();
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

    fn entry(&self, number: usize, uses: Vec<&'u How<'static>>) -> Entry<'u> {
        let method = &self.all.methods[number];
        Entry {
            number,
            method,
            uses,
            is_initialiser: self.is_initialiser(method),
        }
    }

    fn is_initialiser(&self, method: &KnownMethod) -> bool {
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

    /// Whether somebody outside can set it, or put something of theirs into what it holds; but for one method and
    /// those that only it calls.
    pub(crate) fn is_given(&self, but_by: Option<&Entry<'_>>) -> bool {
        let given = |used: &How<'_>| match used {
            How::Written(stored) => stored.is_of_caller() || *stored == Stored::Constant,
            How::Called { method, stored, .. } => does(method, &[Does::Fills]) && stored.is_of_caller(),
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
        !self.method.is_private && self.has(|used| *used == How::ReturnedBelow)
    }

    pub(crate) fn returns(&self, descriptor: &str) -> bool {
        self.method.descriptor.ends_with(&format!("){descriptor}"))
    }

    pub(crate) fn returns_nothing(&self) -> bool {
        self.returns("V")
    }

    pub(crate) fn is_same_method(&self, other: &Self) -> bool {
        self.number == other.number
    }

    pub(crate) fn is_public(&self) -> bool {
        self.method.is_public
    }

    /// Whether it takes no parameters.
    pub(crate) fn takes_nothing(&self) -> bool {
        self.method.descriptor.starts_with("()")
    }

    /// Whether it, or a method near by that it calls, asks a class for its loader.
    pub(crate) fn asks_loader(&self, evidence: &Evidence) -> bool {
        let mut called = evidence
            .methods
            .iter()
            .filter(|method| method.callers.contains(&self.number));
        self.method.asks_loader || called.any(|method| method.asks_loader)
    }

    /// Whether it calls the other itself.
    pub(crate) fn calls(&self, other: &Self) -> bool {
        let callers = &other.method.callers;
        callers.contains(&self.number)
    }

    pub(crate) fn has(&self, test: impl Fn(&How<'_>) -> bool) -> bool {
        self.uses.iter().any(|used| test(used))
    }

    /// Whether it calls a method of the field's object that does one of these things.
    pub(crate) fn has_call(&self, any: &[Does]) -> bool {
        self.has(|used| matches!(used, How::Called { method, .. } if does(method, any)))
    }

    /// The object in the field is asked for nothing else than these things.
    pub(crate) fn calls_only(&self, these: &[Does]) -> bool {
        !self.has(|used| match used {
            How::Called { method, .. } => !does(method, these),
            other => *other != How::Tested && !only_looks(other),
        })
    }
}

/// Nothing changes by it.
fn only_looks(used: &How<'_>) -> bool {
    match used {
        How::Read | How::ReadBack | How::ReturnedBelow => true,
        How::CalledBelow { method, .. } => !is_telling(method),
        _ => false,
    }
}

/// The methods by name, each once.
pub(crate) fn labels(entries: &[&Entry<'_>]) -> Vec<String> {
    let mut names: Vec<String> = entries.iter().map(|entry| entry.label()).collect();
    names.sort();
    names.dedup();
    names
}

fn short(class: &str) -> String {
    let name = class.rsplit('.').next().unwrap_or(class);
    name.replace('$', ".")
}
