//! The runtime's classes: embedded, defined in the boot loader, switched on.

use crate::ffi::{Global, Jni, Value};
use unflake_protocol::codes::{FormCode, PLAN_FIRST_GIVEN, PLAN_NATURAL, PLAN_VARIED, SharedCode};
use unflake_protocol::{Form, Level, Order, Others, Record, Script, Strategy, UserModelKind, Watch};

include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

/// The class that edits of JDK methods call.
pub(crate) const UNFLAKE: &str = "java/util/Unflake";

/// The class that the agent sets up before tests run.
const EVENTS: &str = "java/util/UnflakeEvents";

/// The class that test classes tell when they are ready.
pub(crate) const BODIES: &str = "java/util/UnflakeBodies";

/// The class that static initialisers tell of themselves.
pub(crate) const INITIALISERS: &str = "java/util/UnflakeInitialisers";

/// The class that says what single choices do.
const SCRIPT: &str = "java/util/UnflakeScript";

/// The class that writes down the heap.
const HEAP: &str = "java/util/UnflakeHeap";

/// The class with the salt of `Set.of` and `Map.of`; its inner classes read it.
pub(crate) const SALTED: &str = "java/util/ImmutableCollections";

/// The runtime, defined and initialised.
pub(crate) struct Runtime {
    unflake: Global,
    events: Global,
    script: Global,
    heap: Global,
}

impl Runtime {
    /// Defines all classes and initialises them, so that none does so inside of the window. The error names the class.
    pub(crate) fn define(jni: Jni<'_>, feature: u8) -> Result<Runtime, String> {
        for (name, bytes) in CLASSES {
            let bytes = if feature >= 9 {
                internal_unsafe(bytes, feature)
            } else {
                bytes.to_vec()
            };
            let class = jni
                .define_boot_class(name, &bytes)
                .ok_or_else(|| format!("cannot define {name}"))?;
            jni.delete_local(class);
        }
        let java_class = jni.find_class("java/lang/Class").ok_or("no java/lang/Class")?;
        for (name, _) in CLASSES {
            let dotted = jni
                .string(&name.replace('/', "."))
                .ok_or("no memory for a string")?;
            let arguments = [
                Value::Object(dotted),
                Value::Bool(true),
                Value::Object(jni.null()),
            ];
            let descriptor = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
            let class = jni
                .call_static_object(java_class, "forName", descriptor, &arguments)
                .ok_or_else(|| format!("cannot initialise {name}"))?;
            jni.delete_local(class);
            jni.delete_local(dotted);
        }
        let find = |name: &str| {
            let class = jni
                .find_class(name)
                .ok_or_else(|| format!("cannot find {name}"))?;
            jni.global(class).ok_or_else(|| format!("cannot keep {name}"))
        };
        let runtime = Runtime {
            unflake: find(UNFLAKE)?,
            events: find(EVENTS)?,
            script: find(SCRIPT)?,
            heap: find(HEAP)?,
        };
        for (class, name) in [(runtime.unflake, UNFLAKE), (runtime.events, EVENTS)] {
            if !jni.call_static_void(class.object(), "init", "()V", &[]) {
                return Err(format!("{name}.init failed"));
            }
        }
        Ok(runtime)
    }

    /// How choices vary from now on; `None`: they are counted and left as they are. `only`: in which scopes; empty: in
    /// all.
    pub(crate) fn configure(
        &self,
        jni: Jni<'_>,
        strategy: Option<Strategy>,
        vary_hashes: bool,
        only: &[String],
    ) {
        let level = strategy.map_or(Level::One, |strategy| strategy.level);
        let form = strategy.map(|strategy| strategy.form);
        let seed = match form {
            Some(Form::Random(seed)) => seed.0.cast_signed(),
            Some(Form::Reverse | Form::Odd | Form::Pairs) | None => 0,
        };
        let arguments = [
            Value::Int(level.code()),
            Value::Int(FormCode::of(form).code()),
            Value::Long(seed),
        ];
        jni.call_static_void(self.unflake.object(), "configure", "(IIJ)V", &arguments);
        let extra = if vary_hashes { extra_hashes(strategy) } else { 0 };
        if let Some(only) = jni.string_array(only) {
            let arguments = [Value::Int(extra), Value::Object(only)];
            jni.call_static_void(
                self.events.object(),
                "configure",
                "(I[Ljava/lang/String;)V",
                &arguments,
            );
            jni.delete_local(only);
        }
    }

    /// Looks at the heap between tests from now on.
    pub(crate) fn watch_heap(&self, jni: Jni<'_>, watch: &Watch) {
        let most = i32::try_from(watch.most_objects).unwrap_or(i32::MAX);
        if let Some(eager) = jni.string_array(&watch.eager) {
            let points = Value::Int(watch.points.code());
            let arguments = [Value::Int(most), points, Value::Object(eager)];
            jni.call_static_void(
                self.heap.object(),
                "watch",
                "(II[Ljava/lang/String;)V",
                &arguments,
            );
            jni.delete_local(eager);
        }
    }

    /// What single choices of the next run do, and what it tells of them.
    pub(crate) fn set_script(
        &self,
        jni: Jni<'_>,
        strategy: Option<Strategy>,
        script: Option<Script>,
        record: &Record,
    ) {
        let text = match script {
            None if *record == Record::default() => String::new(),
            script => script_text(&script.unwrap_or(Script::VARIED), strategy.is_some(), record),
        };
        if let Some(text) = jni.string(&text) {
            let arguments = [Value::Object(text)];
            jni.call_static_void(
                self.script.object(),
                "configure",
                "(Ljava/lang/String;)V",
                &arguments,
            );
            jni.delete_local(text);
        }
    }

    /// The run is over: it tells what it recorded.
    pub(crate) fn finish_script(&self, jni: Jni<'_>) {
        jni.call_static_void(self.script.object(), "finish", "()V", &[]);
    }

    /// Whether callers are looked at on every choice.
    pub(crate) fn set_filtered(&self, jni: Jni<'_>) {
        jni.set_static(self.unflake.object(), "filtered", Value::Bool(true));
    }

    pub(crate) fn set_learning(&self, jni: Jni<'_>) {
        jni.set_static(self.unflake.object(), "learning", Value::Bool(true));
    }

    /// The values or the width of a user's model.
    pub(crate) fn set_user_model(&self, jni: Jni<'_>, index: usize, kind: &UserModelKind) {
        let index = Value::Int(i32::try_from(index).expect("fewer models than an int can count"));
        let unflake = self.unflake.object();
        match kind {
            UserModelKind::OneOf(values) => {
                if let Some(values) = jni.string_array(values) {
                    let arguments = [index, Value::Object(values)];
                    jni.call_static_void(unflake, "setUserValues", "(I[Ljava/lang/String;)V", &arguments);
                    jni.delete_local(values);
                }
            }
            UserModelKind::Tolerance(width) => {
                jni.call_static_void(
                    unflake,
                    "setUserTolerance",
                    "(ID)V",
                    &[index, Value::Double(*width)],
                );
            }
            UserModelKind::Permute | UserModelKind::Extend | UserModelKind::Random => {}
        }
    }

    /// Opens the window for the rest of the JVM's life.
    pub(crate) fn open_for_good(&self, jni: Jni<'_>) {
        jni.call_static_void(self.events.object(), "program", "()V", &[]);
    }
}

/// A script as `java.util.UnflakeScript.configure` reads it.
fn script_text(script: &Script, is_varied: bool, record: &Record) -> String {
    // Without a strategy there is nothing to vary by.
    let varied = if is_varied { PLAN_VARIED } else { PLAN_NATURAL };
    let mut given = Vec::new();
    let mut numbers = vec![
        match script.others {
            Others::Natural => PLAN_NATURAL,
            Others::Varied => varied,
        },
        length(&script.entries),
    ];
    for (from, to, order) in &script.entries {
        let plan = match order {
            Order::Natural => PLAN_NATURAL,
            Order::Varied => varied,
            Order::Given(order) => {
                given.push(order);
                PLAN_FIRST_GIVEN + length(&given) - 1
            }
        };
        numbers.extend([from.0.cast_signed(), to.0.cast_signed(), plan]);
    }
    numbers.push(length(&given));
    for order in given {
        numbers.push(length(order));
        numbers.extend(order.iter().map(|place| i64::from(*place)));
    }
    numbers.extend([i64::from(record.choices), length(&record.evidence)]);
    numbers.extend(record.evidence.iter().map(|id| id.0.cast_signed()));
    numbers.extend([i64::from(record.allocations), i64::from(record.stop)]);
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}

fn length<T>(list: &[T]) -> i64 {
    i64::try_from(list.len()).expect("a list in memory is shorter than an i64 can say")
}

/// How many identity hashes are drawn and dropped before a test, so that the test's own are others (N1, N6).
fn extra_hashes(strategy: Option<Strategy>) -> i32 {
    match strategy.map(|strategy| strategy.form) {
        None => 0,
        Some(Form::Reverse | Form::Odd | Form::Pairs) => 1,
        // Any number will do that differs from seed to seed.
        Some(Form::Random(seed)) => 1 + (seed.derive(0x1de7).0 % 13) as i32,
    }
}

/// `Set.of` and `Map.of` iterate by a salt that is drawn per JVM: without a fixed one no order would repeat (N6). It is
/// read only while iterating, so it may change now, if code compiled with the old one is dropped. Java 9 to 11 have one
/// `int`, later ones a `long` and a direction.
pub(crate) fn pin_salt(jni: Jni<'_>, feature: u8) {
    if feature < 9 {
        return;
    }
    if let Some(class) = jni.find_class(SALTED) {
        const SALT: i32 = 0x2545_f491;
        if jni.set_static(class, "SALT32L", Value::Long(i64::from(SALT))) {
            jni.set_static(class, "REVERSE", Value::Bool(false));
        } else {
            jni.set_static(class, "SALT", Value::Int(SALT));
        }
        jni.delete_local(class);
    }
}

/// The runtime is written against Java 8's `sun.misc.Unsafe`; since Java 9 the JDK's own is another class with the same
/// methods, while the old one warns. Only the constants that name it change, and their lengths.
/// One of its methods has another name since Java 12.
fn internal_unsafe(class: &[u8], feature: u8) -> Vec<u8> {
    const OLD: &[u8] = b"sun/misc/Unsafe";
    const NEW: &[u8] = b"jdk/internal/misc/Unsafe";
    const GET: (&[u8], &[u8]) = (b"getObject", b"getReference");
    let position = |from: &[u8]| from.windows(OLD.len()).position(|window| window == OLD);
    if position(class).is_none() {
        return class.to_vec();
    }
    let u2 = |at: usize| usize::from(u16::from_be_bytes([class[at], class[at + 1]]));
    let mut out = class[..10].to_vec();
    let (mut at, mut index) = (10, 1);
    while index < u2(8) {
        let size = match class[at] {
            1 => 3 + u2(at + 1),
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            5 | 6 => 9,
            _ => 5,
        };
        // Longs and doubles take two indices.
        index += if size == 9 { 2 } else { 1 };
        let mut text = &class[at + 3..at + size];
        if class[at] == 1 && text == GET.0 && feature >= 12 {
            out.push(1);
            out.extend_from_slice(&[0, GET.1.len() as u8]);
            out.extend_from_slice(GET.1);
        } else if class[at] == 1 && position(text).is_some() {
            let mut renamed = Vec::new();
            while let Some(found) = position(text) {
                renamed.extend_from_slice(&text[..found]);
                renamed.extend_from_slice(NEW);
                text = &text[found + OLD.len()..];
            }
            renamed.extend_from_slice(text);
            out.push(1);
            out.extend_from_slice(
                &u16::try_from(renamed.len())
                    .expect("a short descriptor")
                    .to_be_bytes(),
            );
            out.extend_from_slice(&renamed);
        } else {
            out.extend_from_slice(&class[at..at + size]);
        }
        at += size;
    }
    out.extend_from_slice(&class[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_bytecode::ClassFile;
    use unflake_protocol::Seed;

    #[test]
    fn classes_come_behind_what_they_extend() {
        let mut defined = Vec::new();
        for (name, bytes) in CLASSES {
            let class = ClassFile::parse(bytes).unwrap();
            for above in class.super_name().into_iter().chain(class.interfaces()) {
                let ours = CLASSES.iter().any(|(name, _)| *name == above);
                assert!(!ours || defined.contains(&above.into_owned()), "{name}");
            }
            defined.push((*name).to_owned());
        }
        assert!(defined.iter().any(|name| name == UNFLAKE));
    }

    #[test]
    fn renaming_keeps_the_class_readable() {
        for (name, bytes) in CLASSES {
            let renamed = internal_unsafe(bytes, 17);
            let class = ClassFile::parse(&renamed).unwrap();
            assert_eq!(class.name(), *name);
            assert!(
                !class
                    .class_references()
                    .iter()
                    .any(|class| class == "sun/misc/Unsafe")
            );
        }
    }

    #[test]
    fn every_variation_draws_some_hashes_and_no_other_does() {
        assert_eq!(extra_hashes(None), 0);
        let drawn = |form| {
            extra_hashes(Some(Strategy {
                level: Level::Full,
                form,
            }))
        };
        assert_eq!(drawn(Form::Reverse), 1);
        let counts: Vec<i32> = (0..50).map(|seed| drawn(Form::Random(Seed(seed)))).collect();
        assert!(counts.iter().all(|count| (1..=13).contains(count)));
        assert!(counts.iter().any(|count| *count != counts[0]));
    }
}
