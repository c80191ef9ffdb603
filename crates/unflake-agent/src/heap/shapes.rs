//! How objects of a class are read: decided once per class, from the settings and the table of `unflake-heap`.

use super::Heap;
use super::fields::{FieldOf, STATIC, TRANSIENT, kind};
use crate::ffi::{Jni, Object};
use unflake_heap::abstraction::{
    LOGGING, NAMED_FIELDS, NOTHING, Read, Rule, is_jdk, is_logging, is_transparent, rule_of,
};
use unflake_heap::{Field, Shape, View};
use unflake_protocol::Compare;
use unflake_protocol::codes::{ContentReader, ShapeNumber, SharedCode};

/// Stands for what a sample leaves out; people see it as `unread`.
const UNREAD: &str = "java.util.UnflakeUnread";

/// How the walker reads a class, beside the shape: which fields it has to know.
struct ReadPlan<'a> {
    reader: ContentReader,
    sources: Vec<FieldOf<'a>>,
    fields: Vec<FieldOf<'a>>,
}

impl Heap {
    /// How objects of a class are read: fills `about`, returns the fields.
    pub(crate) fn shape(&self, jni: Jni<'_>, class: Object, about: Object) -> Option<Object> {
        let name = self.jvmti.signature(class)?;
        let (shape, plan) = match name.strip_prefix('[') {
            Some(element) => array_shape(&name, element),
            None => self.object_shape(jni, class, &class_of(&name)),
        };
        let is_value = shape.is_value;
        let reflect = |field: &FieldOf<'_>| {
            let own = jni.reflected(field.class, field.id, false)?;
            match &field.via {
                Some(outer) => {
                    let outer = jni.reflected(outer.class, outer.id, false)?;
                    jni.object_array(&[outer, own])
                }
                None => Some(own),
            }
        };
        let sources: Vec<Object> = plan.sources.iter().filter_map(reflect).collect();
        let (mut shape, mut reader) = (shape, plan.reader);
        let mut fields = Vec::new();
        let mut kept = Vec::new();
        for (field, described) in plan.fields.iter().zip(std::mem::take(&mut shape.fields)) {
            if let Some(reflected) = reflect(field) {
                fields.push(reflected);
                kept.push(described);
            }
        }
        shape.fields = kept;
        if sources.len() != plan.sources.len() {
            self.is_unknown(&shape.class);
            shape.view = View::Fields;
            reader = reader_of(Read::All);
        }
        let sources_count = if sources.len() == plan.sources.len() {
            sources.len()
        } else {
            0
        };
        let all: Vec<Object> = sources.into_iter().take(sources_count).chain(fields).collect();
        let id = self.lock().states.shapes.add(shape);
        let mut numbers = [0; ShapeNumber::ALL.len()];
        numbers[ShapeNumber::Id.index()] = i32::try_from(id.0).ok()?;
        numbers[ShapeNumber::Reader.index()] = reader.code();
        numbers[ShapeNumber::Sources.index()] = i32::try_from(sources_count).ok()?;
        numbers[ShapeNumber::IsValue.index()] = i32::from(is_value);
        jni.set_ints(about, &numbers);
        jni.object_array(&all)
    }

    fn object_shape<'a>(&self, jni: Jni<'a>, class: Object, name: &str) -> (Shape, ReadPlan<'a>) {
        let mut chain = vec![(class, name.to_owned())];
        let mut next = jni.superclass(class);
        while let Some(above) = next {
            let name = self.jvmti.class_name(above).unwrap_or_default().replace('/', ".");
            chain.push((above, name));
            next = jni.superclass(above);
        }
        let is_enum = chain.iter().any(|(_, name)| name == "java.lang.Enum");
        let mut fields: Vec<FieldOf<'a>> = Vec::new();
        let mut found: Option<(&'static Rule, Vec<FieldOf<'a>>, Vec<FieldOf<'a>>)> = None;
        let mut unknown = None;
        for (place, (above, above_name)) in chain.iter().enumerate() {
            if let Some(asked) = self.compared(&chain[place..]) {
                found = Some(asked);
                break;
            }
            // Loggers keep their own books; who asks for all roots wants to see them.
            if is_logging(above_name) && !self.watch.roots.all {
                found = Some((&LOGGING, Vec::new(), Vec::new()));
                break;
            }
            if let Some(rule) = rule_of(above_name).filter(|rule| rule.read != Read::All) {
                if let Some((sources, named)) = self.resolve(jni, &chain[place..], rule.read) {
                    found = Some((rule, sources, named));
                    break;
                }
                unknown = Some(above_name);
            }
            fields.extend(self.own_fields(*above, above_name));
        }
        // Where fields came with a later JDK, the rule of a class above holds: `Properties` was a plain `Hashtable`.
        if let Some(unknown) = unknown.filter(|_| found.is_none()) {
            self.is_unknown(unknown);
        }
        let (rule, sources, named) = match found {
            Some((rule, sources, named)) => (Some(rule), sources, named),
            None => (None, Vec::new(), Vec::new()),
        };
        let read = rule.map_or(Read::All, |rule| rule.read);
        if read == Read::Opaque {
            fields.clear();
        }
        let fields: Vec<FieldOf<'a>> = named.into_iter().chain(fields).collect();
        let shape = Shape {
            view: view(read, &sources),
            is_value: rule.is_some_and(|rule| {
                rule.is_value && (rule.class == name || read == Read::Opaque || !fields.is_empty())
            }),
            is_transparent: is_transparent(name),
            is_enum,
            fields: fields
                .iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    kind: kind(&field.descriptor),
                })
                .collect(),
            class: match name {
                UNREAD => "unread".to_owned(),
                name => name.to_owned(),
            },
        };
        let plan = ReadPlan {
            reader: reader_of(read),
            sources,
            fields,
        };
        (shape, plan)
    }

    /// The instance fields that one class declares and that count.
    fn own_fields<'a>(&self, class: Object, name: &str) -> Vec<FieldOf<'a>> {
        let counts = |field: &FieldOf<'_>| {
            field.modifiers & STATIC == 0
                && !(is_jdk(name) && field.modifiers & TRANSIENT != 0)
                && !self.asked.is_excluded(&format!("{name}.{}", field.name))
        };
        self.fields(class).filter(counts).collect()
    }

    /// How the settings say that the first class of a chain is read: as a rule, without sources, with the fields that
    /// count.
    fn compared<'a>(
        &self,
        chain: &[(Object, String)],
    ) -> Option<(&'static Rule, Vec<FieldOf<'a>>, Vec<FieldOf<'a>>)> {
        let (_, class) = chain.first()?;
        let names = match self.asked.compare(class)? {
            Compare::Nothing => {
                self.asked.abstraction_used(class);
                return Some((&NOTHING, Vec::new(), Vec::new()));
            }
            Compare::Fields(names) => names,
        };
        let all = chain.iter().flat_map(|(class, _)| self.fields(*class));
        let all: Vec<FieldOf<'a>> = all.filter(|field| field.modifiers & STATIC == 0).collect();
        let mut named = Vec::new();
        for name in names {
            let Some(field) = all.iter().find(|field| field.name == *name) else {
                let known: Vec<String> = all.iter().map(|field| format!("`{}`", field.name)).collect();
                let known = match known.as_slice() {
                    [] => "it has none".to_owned(),
                    several => format!("it has {}", several.join(", ")),
                };
                self.asked
                    .abstraction_unusable(class, format!("it has no field `{name}`; {known}"));
                return None;
            };
            named.push(field.clone());
        }
        self.asked.abstraction_used(class);
        Some((&NAMED_FIELDS, Vec::new(), named))
    }

    /// The fields that a rule names: sources, and fields that are read as they are. `None`: this JDK does not have
    /// them.
    fn resolve<'a>(
        &self,
        jni: Jni<'a>,
        chain: &[(Object, String)],
        read: Read,
    ) -> Option<(Vec<FieldOf<'a>>, Vec<FieldOf<'a>>)> {
        let declared = |class: Object, name: &str| {
            self.fields(class)
                .find(|field| field.name == name && field.modifiers & STATIC == 0)
        };
        let here = |name: &str| chain.iter().find_map(|(class, _)| declared(*class, name));
        let one = |name: &str| -> Option<FieldOf<'a>> {
            name.split('|').find_map(|name| match name.rsplit_once('.') {
                Some((class, field)) => declared(jni.find_class(&class.replace('.', "/"))?, field),
                None => here(name),
            })
        };
        let sources = |names: &[&str]| names.iter().map(|name| one(name)).collect::<Option<Vec<_>>>();
        const NODE: &str = "java.util.concurrent.ConcurrentHashMap$Node";
        let sources = match read {
            Read::Fields(names) => {
                let named = |name: &&str| match name.split_once('/') {
                    Some((outer, inner)) => {
                        let outer = here(outer)?;
                        let class = class_of(&outer.descriptor).replace('.', "/");
                        let mut inner = declared(jni.find_class(&class)?, inner)?;
                        inner.via = Some(Box::new(outer));
                        Some(inner)
                    }
                    None => here(name),
                };
                // Some are not in every JDK; the first must be.
                let found: Vec<FieldOf<'a>> = names.iter().filter_map(named).collect();
                let first = names.first().map(|name| name.rsplit('/').next().unwrap_or(name));
                return (found.first().map(|field| field.name.as_str()) == first)
                    .then_some((Vec::new(), found));
            }
            Read::Slice(array, size) => sources(&[array, size])?,
            Read::Ring(array, head, end) | Read::RingCount(array, head, end) => sources(&[array, head, end])?,
            Read::Chain(first, item, next) => sources(&[first, item, next])?,
            Read::TwoWayChain(near, item, next, before) => sources(&[near, item, next, before])?,
            Read::WeakTable(table, value, next) => sources(&[table, value, next])?,
            Read::Bag(array, Some(size)) => sources(&[array, size])?,
            Read::Bag(array, None) | Read::Pairs(array) => sources(&[array])?,
            Read::Table(table, key, value, next) => sources(&[table, key, value, next])?,
            Read::Concurrent => {
                let node = |field: &str| one(&format!("{NODE}.{field}"));
                let tree = one("java.util.concurrent.ConcurrentHashMap$TreeBin.first")?;
                vec![
                    here("table")?,
                    node("key")?,
                    node("val")?,
                    node("next")?,
                    node("hash")?,
                    tree,
                ]
            }
            Read::TreeMap => sources(&["root"])?,
            Read::Opaque
            | Read::All
            | Read::Text
            | Read::Name
            | Read::HashMap
            | Read::LinkedHashMap
            | Read::SkipList => Vec::new(),
        };
        Some((sources, Vec::new()))
    }
}

fn array_shape<'a>(name: &str, element: &str) -> (Shape, ReadPlan<'a>) {
    let is_objects = element.starts_with(['L', '[']);
    let shape = Shape {
        class: name.replace('/', "."),
        view: if is_objects {
            View::Sequence
        } else {
            View::Numbers(element.as_bytes()[0])
        },
        is_value: false,
        is_transparent: false,
        is_enum: false,
        fields: Vec::new(),
    };
    let plan = ReadPlan {
        reader: if is_objects {
            ContentReader::Objects
        } else {
            ContentReader::Numbers
        },
        sources: Vec::new(),
        fields: Vec::new(),
    };
    (shape, plan)
}

/// What the walker is told about a rule.
fn reader_of(read: Read) -> ContentReader {
    match read {
        Read::Opaque => ContentReader::Opaque,
        Read::Fields(_) | Read::All => ContentReader::Fields,
        Read::Text => ContentReader::Text,
        Read::Name => ContentReader::Name,
        Read::Slice(..) => ContentReader::Slice,
        Read::Ring(..) => ContentReader::Ring,
        Read::RingCount(..) => ContentReader::RingCount,
        Read::Chain(..) | Read::TwoWayChain(..) => ContentReader::Chain,
        Read::WeakTable(..) => ContentReader::WeakTable,
        Read::Bag(..) => ContentReader::Bag,
        Read::Pairs(_) => ContentReader::Pairs,
        Read::HashMap => ContentReader::HashMap,
        Read::LinkedHashMap => ContentReader::LinkedMap,
        Read::TreeMap => ContentReader::TreeMap,
        Read::Table(..) => ContentReader::Table,
        Read::Concurrent => ContentReader::Concurrent,
        Read::SkipList => ContentReader::SkipList,
    }
}

fn view(read: Read, sources: &[FieldOf<'_>]) -> View {
    match read {
        Read::Opaque => View::Opaque,
        Read::Fields(_) | Read::All => View::Fields,
        Read::Text | Read::Name => View::Text,
        Read::Slice(..) => match sources.first().map(|array| array.descriptor.as_bytes()) {
            Some([b'[', number]) => View::Numbers(*number),
            _ => View::Sequence,
        },
        Read::Ring(..) | Read::RingCount(..) | Read::Chain(..) | Read::TwoWayChain(..) => View::Sequence,
        Read::Bag(..) => View::Bag,
        Read::Pairs(_) | Read::HashMap | Read::Table(..) | Read::WeakTable(..) | Read::Concurrent => {
            View::UnorderedMap
        }
        Read::LinkedHashMap | Read::TreeMap | Read::SkipList => View::OrderedMap,
    }
}

/// `Lpackage/Class;` as `package.Class`.
fn class_of(descriptor: &str) -> String {
    let name = descriptor
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'));
    name.unwrap_or(descriptor).replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_by_their_descriptors() {
        assert_eq!(class_of("Ljava/util/Calendar;"), "java.util.Calendar");
    }

    #[test]
    fn arrays_of_objects_are_sequences() {
        for (name, view, reader) in [
            ("[Ljava/lang/String;", View::Sequence, ContentReader::Objects),
            ("[[I", View::Sequence, ContentReader::Objects),
            ("[I", View::Numbers(b'I'), ContentReader::Numbers),
        ] {
            let (shape, plan) = array_shape(name, &name[1..]);
            assert_eq!((shape.view, plan.reader), (view, reader), "{name}");
        }
    }
}
