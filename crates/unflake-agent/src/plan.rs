//! Which classes are edited and how: the roads of the models that are switched on, the frameworks' boundaries, and the
//! models of users. A plan knows no JVM; applying it is a pure function of the class's bytes, so that an edit comes out
//! right also when another agent has edited the class first, or makes the JVM ask again.

use crate::boundaries;
use crate::runtime::{BODIES, CLASSES, INITIALISERS, UNFLAKE};
use std::collections::{BTreeSet, HashMap};
use unflake_bytecode::{Arg, Change, ClassError, ClassFile, Gate, Helper, MethodEdit, StaticField};
use unflake_models::{Arg as ModelArg, Edit, MODELS, Road};
use unflake_protocol::Frameworks;

/// One edit, and how to speak of it.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    edit: MethodEdit,
    /// A model's method must be there, since the table says so for this Java; a framework's need not.
    required: bool,
}

/// Edits by class: binary name with slashes.
#[derive(Debug, Default)]
pub(crate) struct Plan(HashMap<String, Vec<Planned>>);

impl Plan {
    /// The roads of these models on this Java, and all boundaries. A call of a helper that the runtime does not have
    /// would throw inside of the JDK: such a road is left out and returned.
    pub(crate) fn new(
        feature: u8,
        models: &BTreeSet<&str>,
        frameworks: &Frameworks<'_>,
    ) -> (Plan, Vec<&'static Road>) {
        let mut plan = Plan::default();
        let helpers = runtime_helpers();
        let mut without_helper = Vec::new();
        for (index, model, road) in unflake_models::roads_for(feature) {
            if models.contains(model.name) && !helpers.contains(road.edit.helper()) {
                without_helper.push(road);
            } else if models.contains(model.name) {
                let edit = MethodEdit {
                    method: road.method.to_owned(),
                    descriptor: road.descriptor.to_owned(),
                    change: change(&road.edit, index),
                };
                plan.0
                    .entry(road.class.to_owned())
                    .or_default()
                    .push(Planned { edit, required: true });
            }
        }
        for (class, edit) in boundaries::edits(frameworks) {
            plan.0.entry(class.to_owned()).or_default().push(Planned {
                edit,
                required: false,
            });
        }
        (plan, without_helper)
    }

    pub(crate) fn of(&self, class: &str) -> &[Planned] {
        self.0.get(class).map_or(&[], Vec::as_slice)
    }
}

/// Tells when this class's static initialiser starts and ends.
pub(crate) fn watch_initialiser(class: &str) -> [Planned; 2] {
    let name = class.replace('/', ".");
    let planned = |change: fn(Helper, Vec<Arg>) -> Change, calls: &str| {
        let helper = Helper {
            class: INITIALISERS.to_owned(),
            name: calls.to_owned(),
            descriptor: "(Ljava/lang/String;)V".to_owned(),
        };
        let edit = MethodEdit {
            method: "<clinit>".to_owned(),
            descriptor: "()V".to_owned(),
            change: change(helper, vec![Arg::Str(name.clone())]),
        };
        Planned {
            edit,
            required: false,
        }
    };
    [
        planned(|helper, args| Change::AtEntry { helper, args }, "started"),
        planned(|helper, args| Change::BeforeReturns { helper, args }, "finished"),
    ]
}

/// Tells that a test class's static initialiser is through.
pub(crate) fn watch_test_class(class: &str) -> Planned {
    let helper = Helper {
        class: BODIES.to_owned(),
        name: "testClassReady".to_owned(),
        descriptor: "(Ljava/lang/String;)V".to_owned(),
    };
    let edit = MethodEdit {
        method: "<clinit>".to_owned(),
        descriptor: "()V".to_owned(),
        change: Change::BeforeReturns {
            helper,
            args: vec![Arg::Str(class.replace('/', "."))],
        },
    };
    Planned {
        edit,
        required: false,
    }
}

/// Classes whose objects make choices: where one was made is worth knowing.
const COLLECTIONS: [&str; 11] = [
    "java/util/HashMap",
    "java/util/Hashtable",
    "java/util/IdentityHashMap",
    "java/util/WeakHashMap",
    "java/util/PriorityQueue",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/PriorityBlockingQueue",
    "java/util/ImmutableCollections$Set12",
    "java/util/ImmutableCollections$SetN",
    "java/util/ImmutableCollections$Map1",
    "java/util/ImmutableCollections$MapN",
];

pub(crate) fn is_collection(class: &str) -> bool {
    COLLECTIONS.contains(&class)
}

/// Tells of every object of this class that was made.
pub(crate) fn watch_constructors(class: &ClassFile<'_>) -> Vec<Planned> {
    let constructors = class.methods().filter(|method| method.name() == "<init>");
    let planned = |method: unflake_bytecode::Method<'_>| {
        let change = Change::BeforeReturns {
            helper: unflake_helper("made(Ljava/lang/Object;)V"),
            args: vec![Arg::This],
        };
        let edit = MethodEdit {
            method: method.name().into_owned(),
            descriptor: method.descriptor().into_owned(),
            change,
        };
        Planned {
            edit,
            required: false,
        }
    };
    constructors.map(planned).collect()
}

/// What a user's model does to one method: `return r;` becomes `return helper(r, owner, model);`. The owner is the
/// object of which the method is called, or the name of its class if it is static.
pub(crate) fn wrap(method: &str, descriptor: &str, owner: Arg, helper: &str, model: usize) -> Planned {
    let change = Change::WrapReturns {
        helper: unflake_helper(helper),
        args: vec![owner, model_index(model)],
    };
    let edit = MethodEdit {
        method: method.to_owned(),
        descriptor: descriptor.to_owned(),
        change,
    };
    Planned { edit, required: true }
}

/// A class after its edits.
#[derive(Debug, Default)]
pub(crate) struct Edited {
    /// `None`: it stays as it is.
    pub(crate) bytes: Option<Vec<u8>>,
    /// Methods that could not be edited, and why.
    pub(crate) not_applied: Vec<(String, String)>,
}

/// Edits a class. What cannot be done is left out and told; the rest is done.
pub(crate) fn apply(class: &ClassFile<'_>, planned: &[Planned]) -> Edited {
    let has = |edit: &MethodEdit| {
        class.methods().any(|method| {
            method.has_code() && method.name() == edit.method && method.descriptor() == edit.descriptor
        })
    };
    let wanted = planned
        .iter()
        .filter(|planned| planned.required || has(&planned.edit));
    let mut edits: Vec<MethodEdit> = wanted.map(|planned| planned.edit.clone()).collect();
    let mut edited = Edited::default();
    while !edits.is_empty() {
        match class.edit(&edits) {
            Ok(bytes) => {
                edited.bytes = Some(bytes);
                return edited;
            }
            Err(ClassError::Method {
                method,
                descriptor,
                why,
                ..
            }) => {
                let name = format!("{}.{method}", class.name().replace('/', "."));
                edited
                    .not_applied
                    .push((name, format!("{method}{descriptor}: {why}")));
                let before = edits.len();
                edits.retain(|edit| edit.method != method || edit.descriptor != descriptor);
                if edits.len() == before {
                    break;
                }
            }
            Err(other) => {
                let name = class.name().replace('/', ".");
                edited.not_applied.extend(
                    edits
                        .iter()
                        .map(|edit| (format!("{name}.{}", edit.method), other.to_string())),
                );
                break;
            }
        }
    }
    edited
}

fn change(edit: &Edit, model: usize) -> Change {
    let given = |args: &[ModelArg]| {
        let args = args.iter().map(|arg| match arg {
            ModelArg::This => Arg::This,
            ModelArg::Outer => Arg::Outer,
            ModelArg::Param(index) => Arg::Param(*index),
        });
        args.chain([model_index(model)]).collect::<Vec<Arg>>()
    };
    match edit {
        Edit::Wrap { helper, args } => Change::WrapReturns {
            helper: unflake_helper(helper),
            args: given(args),
        },
        Edit::Instead { helper, args } => Change::InsteadWhen {
            gate: Gate::Field(StaticField {
                class: UNFLAKE.to_owned(),
                name: "open".to_owned(),
            }),
            helper: unflake_helper(helper),
            args: given(args),
        },
        Edit::Around { helper, args } => Change::InsteadWhen {
            gate: Gate::Method(unflake_helper(OPEN_HERE)),
            helper: unflake_helper(helper),
            args: given(args),
        },
        Edit::AfterCalls {
            callees,
            helper,
            args,
        } => Change::AfterCalls {
            callees: callees.iter().map(|callee| (*callee).to_owned()).collect(),
            helper: unflake_helper(helper),
            args: given(args),
        },
    }
}

/// Whether the window is open and the current thread is in no helper of [`Edit::Around`].
const OPEN_HERE: &str = "isOpenHere()Z";

fn model_index(model: usize) -> Arg {
    Arg::Int(i32::try_from(model).expect("fewer models than an int can count"))
}

/// `name(descriptor)` as a method of the runtime.
fn unflake_helper(text: &str) -> Helper {
    let (name, descriptor) = text.split_at(text.find('(').unwrap_or(text.len()));
    Helper {
        class: UNFLAKE.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    }
}

/// The methods of the runtime class that edits call: name and descriptor.
pub(crate) fn runtime_helpers() -> BTreeSet<String> {
    let unflake = CLASSES.iter().find(|(name, _)| *name == UNFLAKE);
    let class = unflake.and_then(|(_, bytes)| ClassFile::parse(bytes).ok());
    let name = |method: unflake_bytecode::Method<'_>| format!("{}{}", method.name(), method.descriptor());
    class
        .map(|class| class.methods().map(name).collect())
        .unwrap_or_default()
}

/// The names of all models, for a JVM that nobody configures.
pub(crate) fn all_models() -> Vec<String> {
    MODELS.iter().map(|model| model.name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::FRAMEWORKS;

    /// Every helper that a model names must be there with that descriptor: a misspelt one would only show when the
    /// edited method runs.
    #[test]
    fn every_helper_exists_in_the_runtime() {
        let there = runtime_helpers();
        let roads = MODELS.iter().flat_map(|model| model.roads);
        let missing: BTreeSet<&str> = roads
            .map(|road| road.edit.helper())
            .chain([OPEN_HERE])
            .filter(|helper| !there.contains(*helper))
            .collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn every_boundary_calls_a_method_that_exists() {
        let there: BTreeSet<String> = CLASSES
            .iter()
            .flat_map(|(name, bytes)| {
                let class = ClassFile::parse(bytes).unwrap();
                let full = |method: unflake_bytecode::Method<'_>| {
                    format!("{name}.{}{}", method.name(), method.descriptor())
                };
                class.methods().map(full).collect::<Vec<_>>()
            })
            .collect();
        let initialisers = watch_initialiser("a/B").map(|planned| planned.edit);
        let test_class = [watch_test_class("a/B").edit];
        for edit in boundaries::edits(&FRAMEWORKS)
            .map(|(_, edit)| edit)
            .chain(initialisers)
            .chain(test_class)
        {
            let (Change::AtEntry { helper, .. } | Change::BeforeReturns { helper, .. }) = edit.change else {
                panic!("{edit:?}");
            };
            assert!(
                there.contains(&format!("{}.{}{}", helper.class, helper.name, helper.descriptor)),
                "{helper:?}"
            );
        }
    }
}
