//! Models of users (N9): named in the configuration, or by an annotation `Underdetermined` on a method; and the
//! annotation `OrderIsMeant` (N8). Annotations count by their simple name, so that nobody needs a library of ours.

use crate::ffi::Jni;
use crate::plan::{self, Planned};
use crate::runtime::Runtime;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use unflake_bytecode::{Annotation, Arg, ClassFile, Value};
use unflake_models::MODELS;
use unflake_protocol::{UserModel, UserModelKind};

const UNDERDETERMINED: &str = "Underdetermined";
const ORDER_IS_MEANT: &str = "OrderIsMeant";

pub(crate) struct UserModels {
    /// In the order of their indices, which follow those of the table. Annotated methods come behind the configured
    /// ones, as their classes are loaded.
    models: Mutex<Vec<UserModel>>,
    /// Classes of the configured ones: binary names with slashes.
    classes: BTreeSet<String>,
}

impl UserModels {
    pub(crate) fn new(models: Vec<UserModel>) -> UserModels {
        let class = |model: &UserModel| Some(model.method.rsplit_once('.')?.0.replace('.', "/"));
        UserModels {
            classes: models.iter().filter_map(class).collect(),
            models: Mutex::new(models),
        }
    }

    /// The name of the model whose index is this many behind the table's.
    pub(crate) fn name(&self, index: usize) -> Option<String> {
        self.lock().get(index).map(|model| model.method.clone())
    }

    pub(crate) fn names_class(&self, class: &str) -> bool {
        self.classes.contains(class)
    }

    /// A cheap look at the bytes: names of annotations stand in a class file as they are.
    pub(crate) fn may_be_in(&self, class: &str, bytes: &[u8]) -> bool {
        self.names_class(class) || contains(bytes, UNDERDETERMINED) || contains(bytes, ORDER_IS_MEANT)
    }

    pub(crate) fn prepare_runtime(&self, runtime: &Runtime, jni: Jni<'_>) {
        for (index, model) in self.lock().iter().enumerate() {
            runtime.set_user_model(jni, MODELS.len() + index, &model.kind);
        }
    }

    /// The edits of this class's methods; and those that a model names but cannot vary, with the reason.
    pub(crate) fn edits(
        &self,
        runtime: &Runtime,
        jni: Jni<'_>,
        class: &ClassFile<'_>,
        name: &str,
    ) -> (Vec<Planned>, Vec<(String, String)>) {
        let dotted = name.replace('/', ".");
        let (mut edits, mut not_applied) = (Vec::new(), Vec::new());
        for method in class.methods() {
            let full = format!("{dotted}.{}", method.name());
            let annotated = method.annotations().iter().find_map(annotated_kind);
            let Some((index, kind)) = self.index(runtime, jni, &full, annotated) else {
                continue;
            };
            let descriptor = method.descriptor();
            match helper(&kind, returns(&descriptor)) {
                _ if !method.has_code() => not_applied.push((full, "it has no body to edit".to_owned())),
                Some(helper) => {
                    let owner = if method.is_static() {
                        Arg::Str(dotted.clone())
                    } else {
                        Arg::This
                    };
                    edits.push(plan::wrap(&method.name(), &descriptor, owner, helper, index));
                }
                None => {
                    let reason = format!("a result of type {} cannot vary like that", returns(&descriptor));
                    not_applied.push((full, reason));
                }
            }
        }
        (edits, not_applied)
    }

    /// The index of the model of this method; a new one if only an annotation speaks of it.
    fn index(
        &self,
        runtime: &Runtime,
        jni: Jni<'_>,
        method: &str,
        annotated: Option<UserModelKind>,
    ) -> Option<(usize, UserModelKind)> {
        let mut models = self.lock();
        if let Some(index) = models.iter().position(|model| model.method == method) {
            return Some((MODELS.len() + index, models[index].kind.clone()));
        }
        let kind = annotated?;
        models.push(UserModel {
            method: method.to_owned(),
            kind: kind.clone(),
        });
        let index = MODELS.len() + models.len() - 1;
        runtime.set_user_model(jni, index, &kind);
        Some((index, kind))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<UserModel>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Classes and methods of this class whose orders are meant.
pub(crate) fn meant_orders(class: &ClassFile<'_>, name: &str) -> Vec<String> {
    let is_meant =
        |annotations: Vec<Annotation>| annotations.iter().any(|a| a.simple_name() == ORDER_IS_MEANT);
    let dotted = name.replace('/', ".");
    let methods = class.methods().filter(|method| is_meant(method.annotations()));
    let mut meant: Vec<String> = methods
        .map(|method| format!("{dotted}.{}", method.name()))
        .collect();
    if is_meant(class.annotations()) {
        meant.push(dotted);
    }
    meant
}

/// The kind that an annotation gives: `@Underdetermined(kind = "one-of", values = {"a", "b"})`; permute if it says
/// nothing.
fn annotated_kind(annotation: &Annotation) -> Option<UserModelKind> {
    if annotation.simple_name() != UNDERDETERMINED {
        return None;
    }
    let kind = match annotation.elements.get("kind") {
        Some(Value::Str(kind)) => kind.to_ascii_lowercase().replace('_', "-"),
        _ => "permute".to_owned(),
    };
    Some(
        match (
            kind.as_str(),
            annotation.elements.get("values"),
            annotation.elements.get("tolerance"),
        ) {
            ("extend", ..) => UserModelKind::Extend,
            ("random", ..) => UserModelKind::Random,
            ("one-of", Some(Value::Strs(values)), _) => UserModelKind::OneOf(values.clone()),
            ("tolerance", _, Some(Value::Float(width))) => UserModelKind::Tolerance(*width),
            _ => UserModelKind::Permute,
        },
    )
}

fn returns(descriptor: &str) -> &str {
    descriptor.rsplit(')').next().unwrap_or_default()
}

/// Results that can be handed out as another object of the same type. A method that promises a certain class of list or
/// set cannot be varied: what the runtime makes is not of that class.
const PERMUTABLE: &[&str] = &[
    "Ljava/lang/Object;",
    "Ljava/lang/Iterable;",
    "Ljava/util/Collection;",
    "Ljava/util/List;",
    "Ljava/util/Set;",
    "Ljava/util/Map;",
    "Ljava/util/Iterator;",
    "Ljava/util/Enumeration;",
    "Ljava/util/stream/Stream;",
];

/// The helper for a kind and a type; `None` if the kind has no meaning there.
fn helper(kind: &UserModelKind, returns: &str) -> Option<&'static str> {
    let is_array = returns.starts_with('[');
    Some(match (kind, returns) {
        (UserModelKind::Permute, _) if is_array || PERMUTABLE.contains(&returns) => {
            "userPermute(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;"
        }
        (UserModelKind::Extend, _) if is_array || returns == "Ljava/util/List;" => {
            "userExtend(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;"
        }
        (UserModelKind::Random, "I") => "userRandom(ILjava/lang/Object;I)I",
        (UserModelKind::Random, "J") => "userRandom(JLjava/lang/Object;I)J",
        (UserModelKind::OneOf(_), "I") => "userOneOf(ILjava/lang/Object;I)I",
        (UserModelKind::OneOf(_), "J") => "userOneOf(JLjava/lang/Object;I)J",
        (UserModelKind::OneOf(_), "D") => "userOneOf(DLjava/lang/Object;I)D",
        (UserModelKind::OneOf(_), "F") => "userOneOf(FLjava/lang/Object;I)F",
        (UserModelKind::OneOf(_), "Ljava/lang/String;") => {
            "userOneOf(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;"
        }
        (UserModelKind::Tolerance(_), "D") => "userNear(DLjava/lang/Object;I)D",
        (UserModelKind::Tolerance(_), "F") => "userNear(FLjava/lang/Object;I)F",
        _ => return None,
    })
}

fn contains(bytes: &[u8], text: &str) -> bool {
    let text = text.as_bytes();
    let (first, rest) = (text[0], &text[1..]);
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|&byte| byte == first) {
        from += at + 1;
        if bytes[from..].starts_with(rest) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn text_is_found_in_bytes() {
        assert!(contains(b"xxUnUnderdetermined;", UNDERDETERMINED));
        assert!(!contains(b"Underdetermine", UNDERDETERMINED));
    }

    #[test]
    fn every_helper_exists_in_the_runtime() {
        let one_of = UserModelKind::OneOf(Vec::new());
        let kinds = [
            UserModelKind::Permute,
            UserModelKind::Extend,
            UserModelKind::Random,
            one_of,
            UserModelKind::Tolerance(1.0),
        ];
        let types = ["[I", "Ljava/util/List;", "I", "J", "D", "F", "Ljava/lang/String;"];
        let there = plan::runtime_helpers();
        let used: Vec<&str> = kinds
            .iter()
            .flat_map(|kind| types.iter().filter_map(|ty| helper(kind, ty)))
            .collect();
        assert_eq!(used.len(), 13, "{used:?}");
        for helper in used {
            assert!(there.contains(helper), "{helper}");
        }
    }

    #[test]
    fn a_certain_class_of_list_cannot_be_permuted() {
        assert_eq!(helper(&UserModelKind::Permute, "Ljava/util/ArrayList;"), None);
        assert_eq!(helper(&UserModelKind::Random, "V"), None);
    }

    fn kind(type_name: &str, elements: &[(&str, Value)]) -> Option<UserModelKind> {
        let elements: BTreeMap<String, Value> = elements
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        annotated_kind(&Annotation {
            descriptor: format!("L{type_name};"),
            elements,
        })
    }

    #[test]
    fn annotations_count_by_simple_name() {
        assert_eq!(kind("a/b/Underdetermined", &[]), Some(UserModelKind::Permute));
        assert_eq!(kind("a/B$Underdetermined", &[]), Some(UserModelKind::Permute));
        assert_eq!(kind("a/b/Deprecated", &[]), None);
        let values = Value::Strs(vec!["x".to_owned(), "y".to_owned()]);
        assert_eq!(
            kind(
                "Underdetermined",
                &[("kind", Value::Str("ONE_OF".to_owned())), ("values", values)]
            ),
            Some(UserModelKind::OneOf(vec!["x".to_owned(), "y".to_owned()]))
        );
    }
}
