//! What the project's classes do with each of their fields: the evidence that marks of harmless changes rest on (P9).

use crate::class_uses::{ClassUses, DeclaredField};
use crate::field::{Entry, Field};
use std::collections::{BTreeMap, BTreeSet};
use unflake_bytecode::{Call, FieldUse, How};
use unflake_protocol::{FieldName, dotted};

/// All classes of a project, and some of its libraries': those with fields that changed.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub(crate) classes: BTreeMap<String, Class>,
    pub(crate) methods: Vec<KnownMethod>,
    pub(crate) texts: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) parent: Option<String>,
    pub(crate) has_tests: bool,
    pub(crate) is_library: bool,
    pub(crate) makes_empty_thread_local: bool,
    pub(crate) fields: BTreeMap<String, KnownField>,
}

#[derive(Clone, Debug)]
pub(crate) struct KnownField {
    pub(crate) declared: DeclaredField,
    /// By method.
    pub(crate) uses: BTreeMap<usize, Vec<How<'static>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct KnownMethod {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) is_private: bool,
    pub(crate) is_public: bool,
    pub(crate) is_set_up: bool,
    pub(crate) asks_loader: bool,
    pub(crate) callers: BTreeSet<usize>,
}

/// What a method does with fields, and what it calls.
type Body = (Vec<FieldUse<'static>>, Vec<Call<'static>>);

impl KnownMethod {
    fn as_member(&self) -> FieldName {
        FieldName {
            class: self.class.clone(),
            name: self.name.clone(),
        }
    }
}

/// The field that is used, or the method by which an inner class reads it.
fn member(used: &FieldUse<'_>) -> FieldName {
    FieldName {
        class: dotted(&used.class),
        name: used.name.to_string(),
    }
}

impl Evidence {
    /// Of classes with the same name the first counts, as on the class path.
    pub fn new(classes: impl IntoIterator<Item = ClassUses>) -> Self {
        let mut all = Self::default();
        let mut bodies = Vec::new();
        for class in classes {
            if all.classes.contains_key(&class.name) {
                continue;
            }
            let fields = class.fields.into_iter().map(|declared| {
                let uses = BTreeMap::new();
                (declared.name.clone(), KnownField { declared, uses })
            });
            let known = Class {
                parent: class.parent,
                has_tests: class.has_tests,
                is_library: class.is_library,
                makes_empty_thread_local: class.makes_empty_thread_local,
                fields: fields.collect(),
            };
            all.classes.insert(class.name.clone(), known);
            all.texts.extend(class.texts);
            for method in class.methods {
                all.methods.push(KnownMethod {
                    class: class.name.clone(),
                    name: method.name,
                    descriptor: method.descriptor,
                    is_private: method.is_private,
                    is_public: method.is_public,
                    is_set_up: method.is_set_up,
                    asks_loader: method.asks_loader,
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
        self.classes.get(class).is_some_and(|class| !class.is_library)
    }

    /// Uses go to the fields they are of, calls to the methods they are of.
    fn link(&mut self, bodies: Vec<Body>) {
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
            if accessors.contains_key(&self.methods[number].as_member()) {
                continue;
            }
            for used in uses {
                let named = member(&used);
                let FieldName { class, name } = accessors.get(&named).unwrap_or(&named);
                let Some(class) = self.declaring(class, name).map(str::to_owned) else {
                    continue;
                };
                let class = self.classes.get_mut(&class);
                if let Some(field) = class.and_then(|class| class.fields.get_mut(name)) {
                    field.uses.entry(number).or_default().push(used.how);
                }
            }
            for call in calls {
                let key = [
                    dotted(&call.class),
                    call.name.into_owned(),
                    call.descriptor.into_owned(),
                ];
                if let Some(callee) = numbers.get(&key) {
                    self.methods[*callee].callers.insert(number);
                }
            }
        }
    }

    /// Methods by which inner classes read a private field, and that field.
    fn accessors(&self, bodies: &[Body]) -> BTreeMap<FieldName, FieldName> {
        let mut accessors = BTreeMap::new();
        for (method, (uses, _)) in self.methods.iter().zip(bodies) {
            if let [read, shown] = &uses[..]
                && is_accessor(&method.name)
                && read.how == How::Read
                && shown.how.is_handed_on()
            {
                accessors.insert(method.as_member(), member(read));
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

    /// Whether a class inherits from one of these.
    pub(crate) fn inherits(&self, class: &str, from: &[&str]) -> bool {
        let mut name = class;
        for _ in 0..100 {
            let Some(parent) = self.classes.get(name).and_then(|class| class.parent.as_deref()) else {
                return false;
            };
            if from.contains(&parent) {
                return true;
            }
            name = parent;
        }
        false
    }

    /// Whether a class of the project inherits from another.
    pub fn is_above(&self, class: &str, heir: &str) -> bool {
        self.has_class(class) && self.inherits(heir, &[class])
    }

    /// `None`: not the project's.
    pub(crate) fn field(&self, FieldName { class, name }: &FieldName) -> Option<Field<'_>> {
        let class = self.declaring(class, name)?;
        let known = self.classes.get(class)?.fields.get(name)?;
        Some(Field {
            all: self,
            class,
            known,
        })
    }

    /// Whether other classes than the field's own, and those inside of it, use a field. `None`: not the project's.
    pub fn is_used_elsewhere(&self, field: &FieldName) -> Option<bool> {
        let outer = |class: &str| class.split('$').next().unwrap_or_default().to_owned();
        let field = self.field(field)?;
        let own = outer(field.class);
        let mut users = field.known.uses.keys();
        Some(users.any(|method| outer(&self.methods[*method].class) != own))
    }

    /// Whether objects of this class (or what they inherit) can be given something that they keep, by others than the
    /// method that makes them.
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

/// By which the compilers before Java 11 let an inner class read a private field.
fn is_accessor(method: &str) -> bool {
    method.starts_with("access$")
}
