//! What the agent does for `java.util.UnflakeHeap`: says which classes are roots and how objects are read, takes the
//! states that are walked, and tells what differs.

use crate::asked::Asked;
use crate::ffi::{FieldId, Jni, Jvmti, Object, Weak};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use unflake_heap::abstraction::{
    LOGGING, NAMED_FIELDS, NOTHING, Read, Rule, is_jdk, is_logging, is_transparent, rule_of,
};
use unflake_heap::{
    Arrived, Compared, Difference, Field, Incoming, Packed, Root, Shape, Shapes, View, counts, differences,
    new_roots,
};
use unflake_protocol::codes::{ContentReader, ShapeNumber, SharedCode};
use unflake_protocol::{Author, Compare, Further, HeapMeasured, StateChange, StateKind, ToProgram, Watch};

const STATIC: i32 = 0x8;
const FINAL: i32 = 0x10;
const TRANSIENT: i32 = 0x80;
const SYNTHETIC: i32 = 0x1000;

pub(crate) struct Heap {
    jvmti: Jvmti,
    watch: Watch,
    asked: Asked,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    shapes: Shapes,
    last: Packed,
    /// The state that is being walked.
    incoming: Incoming,
    fresh: Vec<Weak>,
    /// Classes whose tests were asked for.
    test_classes: BTreeSet<String>,
    /// What the walk before showed, until the walk after it confirms that nothing moves by itself.
    pending: Vec<Difference>,
    /// Roots that are given up: they change while nobody runs, or cannot be read.
    restless: Vec<u32>,
    measured: HeapMeasured,
}

/// A state that differs is walked a second time at once: what differs then as well changes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalkTurn {
    First,
    Again,
}

/// The end of a walk.
pub(crate) struct Walked<'a> {
    /// The last part of the state.
    pub(crate) part: &'a [u8],
    pub(crate) turn: WalkTurn,
    pub(crate) nanos: u64,
    /// What the walker has for itself from one walk to the next, in bytes.
    pub(crate) held: u64,
    /// What it had beside that while it walked.
    pub(crate) while_walked: u64,
}

/// How the walker reads a class, beside the shape: which fields it has to know.
struct Plan<'a> {
    reader: ContentReader,
    sources: Vec<FieldOf<'a>>,
    fields: Vec<FieldOf<'a>>,
}

/// A field, and the class that declares it.
#[derive(Clone, Debug)]
struct FieldOf<'a> {
    class: Object,
    id: FieldId,
    name: String,
    descriptor: String,
    modifiers: i32,
    /// The field of the object that has this one.
    via: Option<Box<FieldOf<'a>>>,
    _call: std::marker::PhantomData<&'a ()>,
}

impl Heap {
    /// The error names the pattern that is none.
    pub(crate) fn new(jvmti: Jvmti, watch: Watch) -> Result<Heap, String> {
        Ok(Heap {
            jvmti,
            asked: Asked::new(&watch)?,
            watch,
            known: Mutex::default(),
        })
    }

    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Which settings were of use since the last call, or cannot be.
    pub(crate) fn news(&self) -> Vec<ToProgram> {
        self.asked.news()
    }

    /// These tests run next.
    pub(crate) fn tests(&self, roots: impl Iterator<Item = String>) {
        self.lock().test_classes.extend(roots);
    }

    /// By its name with slashes.
    pub(crate) fn is_test_class(&self, class: &str) -> bool {
        self.lock().test_classes.contains(&class.replace('/', "."))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A class was loaded: are its static fields roots?
    pub(crate) fn class_prepared(&self, jni: Jni<'_>, class: Object) {
        let Some(name) = self.jvmti.class_name(class) else {
            return;
        };
        if self.is_root_class(&name.replace('/', "."))
            && let Some(weak) = jni.weak(class)
        {
            self.lock().fresh.push(weak);
        }
    }

    fn is_root_class(&self, class: &str) -> bool {
        if class.starts_with("java.util.Unflake") || class.starts_with("unflake.runner.") {
            return false;
        }
        let roots = &self.watch.roots;
        if self.looks_everywhere() {
            let inside = [
                "sun.",
                "jdk.",
                "com.sun.",
                "java.lang.",
                "java.nio.",
                "java.security.",
            ];
            let is_inside = inside.iter().any(|start| class.starts_with(start));
            return !is_inside
                && rule_of(class).is_none_or(|rule| is_jdk(class) || rule.read != Read::Opaque);
        }
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        roots.packages.iter().any(|own| own == package)
    }

    /// Not in the project's own packages only.
    fn looks_everywhere(&self) -> bool {
        self.watch.roots.all || !self.watch.roots.include.is_empty()
    }

    /// Then also classes that were there before us.
    pub(crate) fn take_loaded(&self, jni: Jni<'_>) {
        if !self.looks_everywhere() {
            return;
        }
        jni.with_references(1 << 16, || {
            for class in self.jvmti.loaded_classes().unwrap_or_default() {
                self.class_prepared(jni, class);
            }
        });
    }

    pub(crate) fn new_classes(&self, jni: Jni<'_>) -> Option<Object> {
        let fresh = std::mem::take(&mut self.lock().fresh);
        let classes: Vec<Object> = fresh.into_iter().filter_map(|weak| jni.strong(weak)).collect();
        jni.object_array(&classes)
    }

    /// The static fields of a class that may be roots; null for those that are not.
    pub(crate) fn statics(&self, jni: Jni<'_>, class: Object, first: Object) -> Option<Object> {
        let name = self.jvmti.class_name(class)?.replace('/', ".");
        let mut roots = Vec::new();
        for field in self.fields(class) {
            let full = format!("{name}.{}", field.name);
            let is_constant = field.modifiers & FINAL != 0 && !is_reference(&field.descriptor);
            if field.modifiers & STATIC == 0
                || field.modifiers & SYNTHETIC != 0
                || field.name.starts_with('$')
                || is_constant
                || !self.asked.is_root(&full)
            {
                continue;
            }
            // Its type may be missing; then it holds nothing but null.
            let Some(reflected) = jni.reflected(field.class, field.id, true) else {
                continue;
            };
            roots.push((reflected, full, kind(&field.descriptor)));
        }
        let mut known = self.lock();
        let mut number = None;
        let mut objects = Vec::new();
        for (reflected, name, kind) in roots {
            let id = known.shapes.add_root(Root { name, kind });
            number.get_or_insert(id);
            objects.push(reflected);
        }
        drop(known);
        jni.set_ints(first, &[i32::try_from(number.unwrap_or(0)).ok()?]);
        jni.object_array(&objects)
    }

    pub(crate) fn shared_root(&self, name: String) -> i32 {
        let id = self.lock().shapes.add_root(Root { name, kind: b'L' });
        i32::try_from(id).unwrap_or(i32::MAX)
    }

    /// How objects of a class are read: fills `about`, returns the fields.
    pub(crate) fn shape(&self, jni: Jni<'_>, class: Object, about: Object) -> Option<Object> {
        let name = self.jvmti.signature(class)?;
        let (shape, plan) = match name.strip_prefix('[') {
            Some(element) => array_shape(&name, element),
            None => self.object_shape(jni, class, &dotted(&name)),
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
            // This JDK keeps it differently from all that we know.
            shape.view = View::Fields;
            reader = reader_of(Read::All);
        }
        let sources_count = if sources.len() == plan.sources.len() {
            sources.len()
        } else {
            0
        };
        let all: Vec<Object> = sources.into_iter().take(sources_count).chain(fields).collect();
        let id = self.lock().shapes.add(shape);
        let mut numbers = [0; ShapeNumber::ALL.len()];
        numbers[ShapeNumber::Id.index()] = i32::try_from(id.0).ok()?;
        numbers[ShapeNumber::Reader.index()] = reader.code();
        numbers[ShapeNumber::Sources.index()] = i32::try_from(sources_count).ok()?;
        numbers[ShapeNumber::IsValue.index()] = i32::from(is_value);
        jni.set_ints(about, &numbers);
        jni.object_array(&all)
    }

    fn object_shape<'a>(&self, jni: Jni<'a>, class: Object, name: &str) -> (Shape, Plan<'a>) {
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
            if let Some(rule) = rule_of(above_name).filter(|rule| rule.read != Read::All)
                && let Some((sources, named)) = self.resolve(jni, &chain[place..], rule.read)
            {
                found = Some((rule, sources, named));
                break;
            }
            fields.extend(self.own_fields(*above, above_name));
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
            class: name.to_owned(),
        };
        let plan = Plan {
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

    /// How the settings say that the first class of a chain is read: as a rule, without sources, with the fields that count.
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

    /// The fields that a rule names: sources, and fields that are read as they are. `None`: this JDK does not have them.
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
            match name.rsplit_once('.') {
                Some((class, field)) => declared(jni.find_class(&class.replace('.', "/"))?, field),
                None => here(name),
            }
        };
        let sources = |names: &[&str]| names.iter().map(|name| one(name)).collect::<Option<Vec<_>>>();
        const NODE: &str = "java.util.concurrent.ConcurrentHashMap$Node";
        let sources = match read {
            Read::Fields(names) => {
                let named = |name: &&str| match name.split_once('/') {
                    Some((outer, inner)) => {
                        let outer = here(outer)?;
                        let class = dotted(&outer.descriptor).replace('.', "/");
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
            Read::Opaque
            | Read::All
            | Read::Text
            | Read::Name
            | Read::HashMap
            | Read::LinkedHashMap
            | Read::TreeMap
            | Read::SkipList => Vec::new(),
        };
        Some((sources, Vec::new()))
    }

    /// What one class declares.
    fn fields<'a>(&self, class: Object) -> impl Iterator<Item = FieldOf<'a>> {
        let ids = self.jvmti.fields(class).into_iter();
        ids.filter_map(move |id| self.field(class, id))
    }

    fn field<'a>(&self, class: Object, id: FieldId) -> Option<FieldOf<'a>> {
        let (name, descriptor) = self.jvmti.field_name(class, id)?;
        Some(FieldOf {
            class,
            id,
            name,
            descriptor,
            modifiers: self.jvmti.field_modifiers(class, id),
            via: None,
            _call: std::marker::PhantomData,
        })
    }

    /// The walk begins again from this place on.
    pub(crate) fn rewind(&self, to: usize) {
        self.lock().incoming.rewind(to);
    }

    /// Takes a part of a state.
    pub(crate) fn walked_part(&self, part: &[u8]) {
        let mut known = self.lock();
        let known = &mut *known;
        known.incoming.add(&known.last, part);
    }

    /// Takes the end of a state. Whether it differs from the last; what to tell, once that is sure.
    pub(crate) fn walked(&self, walked: &Walked<'_>, by: Option<&Author>) -> (bool, Vec<ToProgram>) {
        let start = Instant::now();
        let mut known = self.lock();
        let known = &mut *known;
        let length = known.last.len();
        known.incoming.add(&known.last, walked.part);
        let arrived = std::mem::take(&mut known.incoming).arrived(&known.last);
        let (Arrived::Same(state) | Arrived::Grown(state) | Arrived::Other(state)) = &arrived;
        let states = known.last.memory() + state.own_memory();
        let (result, while_compared) = self.compare(known, arrived, walked.turn, by);
        let nanos = walked.nanos + u64::try_from(start.elapsed().as_nanos()).unwrap_or(0);
        let is_first = length != known.last.len();
        let held = walked.held + known.last.memory();
        let measured = &mut known.measured;
        measured.walks += 1;
        measured.nanos += nanos;
        if is_first || nanos < measured.fastest_nanos {
            measured.fastest_nanos = nanos;
        }
        measured.held = held;
        let most = walked.held + states + walked.while_walked.max(while_compared);
        measured.most_held = measured.most_held.max(most);
        result
    }

    /// What was needed so far.
    pub(crate) fn measured(&self) -> HeapMeasured {
        let known = self.lock();
        let mut measured = known.measured.clone();
        measured.roots = known.shapes.roots();
        if let Ok(counts) = counts(&known.shapes, &known.last) {
            measured.objects = counts.objects;
            measured.references = counts.references;
        }
        measured
    }

    /// What to answer, and how much memory was needed for it beside the two states.
    fn compare(
        &self,
        known: &mut Known,
        arrived: Arrived,
        turn: WalkTurn,
        by: Option<&Author>,
    ) -> ((bool, Vec<ToProgram>), u64) {
        let is_again = turn == WalkTurn::Again;
        let mut told = Vec::new();
        let (state, is_same, is_other) = match arrived {
            Arrived::Same(state) => (state, true, false),
            Arrived::Grown(state) => (state, false, false),
            Arrived::Other(state) => (state, false, true),
        };
        let last = std::mem::replace(&mut known.last, state);
        if is_same || !is_other && !self.watch.initial {
            let pending = std::mem::take(&mut known.pending);
            if is_again {
                told = changed(known, pending, by);
            }
            return ((false, told), 0);
        }
        if self.watch.initial
            && let (Some(by), Ok(fresh)) = (by, new_roots(&known.shapes, &last, &known.last))
        {
            told.extend(fresh.into_iter().map(|(root, leaves)| ToProgram::Initialised {
                by: by.clone(),
                root,
                leaves,
            }));
        }
        let found = if is_other {
            differences(&known.shapes, &last, &known.last, self.watch.around)
        } else {
            Ok(Compared::default())
        };
        let Compared {
            differences: found,
            memory,
        } = match found {
            Ok(compared) => compared,
            Err(malformed) => {
                let message = malformed.to_string();
                return ((false, vec![ToProgram::Bug { message }]), 0);
            }
        };
        if !is_again {
            let differs = !found.is_empty();
            known.pending = found;
            return ((differs, told), memory);
        }
        for difference in &found {
            if !known.restless.contains(&difference.root) {
                known.restless.push(difference.root);
                told.push(ToProgram::NotWatched {
                    what: root_name(&known.shapes, difference.root),
                    reason: "a thread goes on changing it while no test runs".to_owned(),
                });
            }
        }
        let pending = std::mem::take(&mut known.pending);
        told.extend(changed(known, pending, by));
        ((false, told), memory)
    }

    /// `package.Class.field`
    pub(crate) fn name_of_root(&self, root: u32) -> String {
        root_name(&self.lock().shapes, root)
    }

    /// Without a problem it is too large.
    pub(crate) fn refused(&self, root: i32, problem: Option<String>) -> ToProgram {
        let most = self.watch.most_objects;
        let root = u32::try_from(root).unwrap_or(0);
        let mut known = self.lock();
        // What the walk before showed of it counts as little: it may be the same thread's doing.
        known.restless.push(root);
        ToProgram::NotWatched {
            what: root_name(&known.shapes, root),
            reason: match problem {
                None => format!(
                    "it reaches more than {most} objects; `most_objects` in `[pollution]` of unflake.toml sets the limit"
                ),
                Some(problem) => {
                    format!("a thread changes it while no test runs, so that it cannot be read ({problem})")
                }
            },
        }
    }
}

/// How many static fields a class declares.
pub(crate) fn count_statics(jvmti: Jvmti, class: Object) -> u64 {
    let is_static = |field: &FieldId| jvmti.field_modifiers(class, *field) & STATIC != 0;
    jvmti.fields(class).into_iter().filter(is_static).count() as u64
}

/// The message about what was changed, one change per root: the one with the shortest path.
fn changed(known: &Known, found: Vec<Difference>, by: Option<&Author>) -> Vec<ToProgram> {
    let mut changes: Vec<StateChange> = Vec::new();
    for difference in found {
        if known.restless.contains(&difference.root) {
            continue;
        }
        let root = root_name(&known.shapes, difference.root);
        match changes.iter_mut().find(|change| change.root == root) {
            Some(change) => change.add(Further {
                steps: difference.steps,
                form: difference.form,
            }),
            None => changes.push(StateChange {
                kind: StateKind::Heap,
                root,
                path: difference.path,
                old: difference.old,
                new: difference.new,
                form: difference.form,
                steps: difference.steps,
                slot: Some(difference.slot),
                more: 0,
                also: Vec::new(),
                around: difference.around,
            }),
        }
    }
    match by {
        Some(by) if !changes.is_empty() => vec![ToProgram::Changed {
            by: by.clone(),
            changes,
        }],
        Some(_) | None => Vec::new(),
    }
}

fn root_name(shapes: &Shapes, root: u32) -> String {
    shapes
        .root(root)
        .map(|root| root.name.clone())
        .unwrap_or_default()
}

fn array_shape<'a>(name: &str, element: &str) -> (Shape, Plan<'a>) {
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
    let plan = Plan {
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
        Read::Chain(..) => ContentReader::Chain,
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
        Read::Ring(..) | Read::RingCount(..) | Read::Chain(..) => View::Sequence,
        Read::Bag(..) => View::Bag,
        Read::Pairs(_) | Read::HashMap | Read::Table(..) | Read::Concurrent => View::UnorderedMap,
        Read::LinkedHashMap | Read::TreeMap | Read::SkipList => View::OrderedMap,
    }
}

fn is_reference(descriptor: &str) -> bool {
    descriptor.starts_with(['L', '['])
}

fn kind(descriptor: &str) -> u8 {
    if is_reference(descriptor) {
        b'L'
    } else {
        descriptor.bytes().next().unwrap_or(b'I')
    }
}

/// `Lpackage/Class;` as `package.Class`.
fn dotted(descriptor: &str) -> String {
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
        assert_eq!(dotted("Ljava/util/Calendar;"), "java.util.Calendar");
        assert_eq!((kind("[I"), kind("Lx/Y;"), kind("J")), (b'L', b'L', b'J'));
    }
}
