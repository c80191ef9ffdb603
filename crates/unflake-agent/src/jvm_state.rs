//! State of the JVM beside the heap (P10): what two captures of `java.util.UnflakeJvmState` say of what ran between
//! them. Plain data in, plain data out.
//!
//! The JDK computes some of this state on first use, which is nobody's pollution; each kind says below how that is told
//! from a test's doing. Texts that differ from run to run (numbers of threads, lambdas, proxies) do so in `path`, `old`
//! and `new`, but not in `root`, by which findings are recognised.

use std::collections::{BTreeMap, BTreeSet};
use unflake_heap::Root;
use unflake_protocol::{
    CapturedKind, ChangeForm, FieldName, JvmState, LocaleCategory, Shown, StateChange, StateKind, Step,
    ThreadName, What,
};

/// Kind, name and value, as captured.
pub(crate) type Captured = (CapturedKind, String, String);

/// The longest value shown.
const LONGEST: usize = 200;

/// `String[]` of `UnflakeJvmState.capture` as triples; their kinds are of the table from which Java has them.
pub(crate) fn triples(texts: Vec<Option<String>>) -> Vec<Captured> {
    let mut texts = texts.into_iter().map(Option::unwrap_or_default);
    let mut captured = Vec::new();
    while let (Some(kind), Some(name), Some(value)) = (texts.next(), texts.next(), texts.next()) {
        if let Some(kind) = CapturedKind::from_name(&kind) {
            captured.push((kind, name, value));
        }
    }
    captured
}

/// With the environment as the process has it, which is asked for only if the JVM has not looked at it yet.
pub(crate) fn with_environment<I: Iterator<Item = (String, String)>>(
    mut captured: Vec<Captured>,
    environment: impl FnOnce() -> I,
) -> Vec<Captured> {
    const KIND: CapturedKind = CapturedKind::Environment;
    let is_seen = |(kind, name, _): &Captured| *kind == CapturedKind::Seen && name == KIND.name();
    if !captured.iter().any(is_seen) {
        captured.push((CapturedKind::Seen, KIND.name().to_owned(), String::new()));
        captured.extend(environment().map(|(name, value)| (KIND, name, value)));
    }
    captured
}

/// What is in `after` and was not in `before`, and the other way round, by kind and name.
pub(crate) fn differences(before: &[Captured], after: &[Captured]) -> Vec<StateChange> {
    let (before, after) = (Capture::new(before), Capture::new(after));
    let mut changes = Vec::new();
    let kinds: BTreeSet<CapturedKind> = before.kinds.keys().chain(after.kinds.keys()).copied().collect();
    for kind in kinds {
        let is_lost = |capture: &Capture<'_>| capture.names(CapturedKind::Failed).contains_key(kind.name());
        if !is_lost(&before) && !is_lost(&after) {
            compare(kind, &before, &after, &mut changes);
        }
    }
    changes.sort_by(|a, b| (a.kind, &a.root, &a.path, &a.new).cmp(&(b.kind, &b.root, &b.path, &b.new)));
    changes.dedup_by(|next, first| {
        let is_same = next.kind == StateKind::Property && next.root == first.root;
        first.more += u32::from(is_same);
        is_same
    });
    changes
}

/// The values of a name, sorted: where there can be several, their order means nothing.
type Names<'a> = BTreeMap<&'a str, Vec<&'a str>>;

struct Capture<'a> {
    kinds: BTreeMap<CapturedKind, Names<'a>>,
}

impl<'a> Capture<'a> {
    fn new(captured: &'a [Captured]) -> Capture<'a> {
        let mut kinds: BTreeMap<CapturedKind, Names<'_>> = BTreeMap::new();
        for (kind, name, value) in captured {
            let names = kinds.entry(*kind).or_default();
            names.entry(name).or_default().push(value);
        }
        for (kind, names) in &mut kinds {
            for values in names.values_mut() {
                if has_one_value(*kind) {
                    // Properties come before their defaults.
                    values.truncate(1);
                }
                values.sort_unstable();
            }
        }
        Capture { kinds }
    }

    fn names(&self, kind: CapturedKind) -> &Names<'a> {
        const NONE: &Names<'static> = &Names::new();
        self.kinds.get(&kind).unwrap_or(NONE)
    }

    fn value(&self, kind: CapturedKind, name: &str) -> Option<&'a str> {
        self.names(kind).get(name)?.first().copied()
    }

    fn is_seen(&self, kind: CapturedKind) -> bool {
        self.names(CapturedKind::Seen).contains_key(kind.name())
    }
}

fn has_one_value(kind: CapturedKind) -> bool {
    !matches!(
        kind,
        CapturedKind::Thread
            | CapturedKind::ShutdownHook
            | CapturedKind::ThreadLocal
            | CapturedKind::LogHandler
    )
}

fn compare(kind: CapturedKind, before: &Capture<'_>, after: &Capture<'_>, changes: &mut Vec<StateChange>) {
    match kind {
        CapturedKind::Seen | CapturedKind::Failed => {}
        CapturedKind::Thread | CapturedKind::ShutdownHook | CapturedKind::ThreadLocal => {
            several(kind, before, after, changes)
        }
        CapturedKind::LogHandler => log_handlers(before, after, changes),
        CapturedKind::Provider => providers(before, after, changes),
        // What was there before the class was initialised is not known.
        CapturedKind::Environment | CapturedKind::SecurityProperty
            if !before.is_seen(kind) || !after.is_seen(kind) => {}
        _ => {
            let names: BTreeSet<&str> = before
                .names(kind)
                .keys()
                .chain(after.names(kind).keys())
                .copied()
                .collect();
            for name in names {
                let (old, new) = (before.value(kind, name), after.value(kind, name));
                if old != new && !is_the_jdks_own_doing(kind, name, before, after) {
                    changes.extend(change(kind, name, old, new));
                }
            }
        }
    }
}

/// Whether a value may come from its computation on first use.
fn is_the_jdks_own_doing(kind: CapturedKind, name: &str, before: &Capture<'_>, after: &Capture<'_>) -> bool {
    let (old, new) = (before.value(kind, name), after.value(kind, name));
    match (kind, name) {
        // Asked for the first time, the zone is computed and written down as a property; `setDefault` does not do that.
        (CapturedKind::Timezone, _) => {
            old.is_none() && new == after.value(CapturedKind::Property, "user.timezone")
        }
        (CapturedKind::Property, "user.timezone") => {
            old.is_none_or(str::is_empty)
                && before.value(CapturedKind::Timezone, "default").is_none()
                && after.value(CapturedKind::Timezone, "default") == new
        }
        (CapturedKind::Locale, "default") => {
            old.is_none() && new.is_some_and(|new| is_as_started(new, "", after))
        }
        // The two others follow the first one, both when it is set and when they are asked for.
        (CapturedKind::Locale, category) => {
            let default = after.value(CapturedKind::Locale, "default");
            (new == default && (old.is_none() || old == before.value(CapturedKind::Locale, "default")))
                || (old.is_none() && new.is_some_and(|new| is_as_started(new, category, after)))
        }
        // A logger that is gone was collected. One without a level is as if there were none.
        (CapturedKind::LogLevel, "") => old.is_none() && new == Some("INFO"),
        (CapturedKind::LogLevel, _) => new.is_none() || (old.is_none() && new == Some("")),
        (CapturedKind::NetDefault, "ProxySelector") => {
            old.is_none() && new.is_some_and(|new| new.starts_with("sun.net.spi.DefaultProxySelector"))
        }
        _ => false,
    }
}

/// Whether a locale is the one that the JVM was started with, in a category or in general.
fn is_as_started(locale: &str, category: &str, capture: &Capture<'_>) -> bool {
    let property = |name: &str| {
        let special = capture.value(CapturedKind::Property, &format!("{name}.{category}"));
        special
            .or(capture.value(CapturedKind::Property, name))
            .unwrap_or_default()
    };
    let mut parts = locale.split('_');
    parts.next().unwrap_or_default() == property("user.language")
        && parts.next().unwrap_or_default() == property("user.country")
}

/// Kinds of which a name can have several values: those that came, and those that went.
fn several(kind: CapturedKind, before: &Capture<'_>, after: &Capture<'_>, changes: &mut Vec<StateChange>) {
    const NOTHING: &Vec<&str> = &Vec::new();
    let (before, after) = (before.names(kind), after.names(kind));
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    for name in names {
        let (old, new) = (
            before.get(name).unwrap_or(NOTHING),
            after.get(name).unwrap_or(NOTHING),
        );
        let mut gone = without(old, new).into_iter();
        let came = without(new, old);
        if kind == CapturedKind::ThreadLocal {
            // Which value belonged to which variable is not known; equally many came and went if one was set.
            let mut came = came.into_iter();
            loop {
                match (gone.next(), came.next()) {
                    (None, None) => break,
                    (old, new) => changes.extend(change(kind, name, old, new)),
                }
            }
            continue;
        }
        changes.extend(
            came.into_iter()
                .filter_map(|new| change(kind, name, None, Some(new))),
        );
        // A thread that has ended was somebody else's, and it is better so.
        if kind != CapturedKind::Thread {
            changes.extend(gone.filter_map(|old| change(kind, name, Some(old), None)));
        }
    }
}

/// The elements of one sorted list that are not in the other, as often as they are there more often.
fn without<'a>(these: &[&'a str], those: &[&'a str]) -> Vec<&'a str> {
    let mut those = those.to_vec();
    let mut left = Vec::new();
    for this in these {
        match those.iter().position(|that| that == this) {
            Some(at) => {
                those.remove(at);
            }
            None => left.push(*this),
        }
    }
    left
}

fn log_handlers(before: &Capture<'_>, after: &Capture<'_>, changes: &mut Vec<StateChange>) {
    const KIND: CapturedKind = CapturedKind::LogHandler;
    let joined = |capture: &Capture<'_>| {
        let handlers = capture.names(KIND).get("")?;
        Some(handlers.join(", "))
    };
    let (old, new) = (joined(before), joined(after));
    // The configured handlers are made when the first one is needed.
    let are_configured = |handlers: &str| {
        handlers
            .split(", ")
            .all(|handler| handler.starts_with("java.util.logging."))
    };
    if old == new || (old.is_none() && new.as_deref().is_some_and(are_configured)) {
        return;
    }
    changes.extend(change(KIND, "", old.as_deref(), new.as_deref()));
}

/// One that comes first moves all others: that is one change, not a dozen.
fn providers(before: &Capture<'_>, after: &Capture<'_>, changes: &mut Vec<StateChange>) {
    const KIND: CapturedKind = CapturedKind::Provider;
    if !after.is_seen(KIND) {
        return;
    }
    let (old, new) = (before.names(KIND), after.names(KIND));
    let class = |value: &str| value.split_once(' ').map(|(_, class)| class.to_owned());
    let n_changes = changes.len();
    for (name, value) in new {
        let class = value.first().and_then(|value| class(value));
        // Before the list was made it was as configured, which no provider of the project is.
        let is_new = if before.is_seen(KIND) {
            !old.contains_key(name)
        } else {
            class.is_some()
        };
        if is_new {
            changes.extend(change(KIND, name, None, Some(class.as_deref().unwrap_or(name))));
        }
    }
    for (name, value) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let class = value.first().and_then(|value| class(value));
        changes.extend(change(KIND, name, Some(class.as_deref().unwrap_or(name)), None));
    }
    if before.is_seen(KIND) && changes.len() == n_changes {
        let (old, new) = (order(old), order(new));
        if old != new {
            changes.extend(change(KIND, "", Some(&old.join(", ")), Some(&new.join(", "))));
        }
    }
}

fn order<'a>(providers: &Names<'a>) -> Vec<&'a str> {
    let place = |value: &str| {
        value
            .split(' ')
            .next()
            .and_then(|place| place.parse::<usize>().ok())
    };
    let mut places: Vec<(Option<usize>, &str)> = providers
        .iter()
        .map(|(name, value)| (value.first().and_then(|value| place(value)), *name))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, name)| name).collect()
}

/// A change as it is reported; `None` for a kind that is no state of the JVM.
fn change(kind: CapturedKind, name: &str, old: Option<&str>, new: Option<&str>) -> Option<StateChange> {
    let field = name
        .strip_prefix(FIELD)
        .filter(|_| kind == CapturedKind::ThreadLocal);
    let (step, path) = match field.and_then(FieldName::parse) {
        Some(field) => {
            let name = field.to_string();
            let path = format!("{}.get()", Root { name, kind: b'L' }.short());
            (Step::Field(field), path)
        }
        None => {
            let state = state(kind, name, new.or(old).unwrap_or_default())?;
            let path = state.to_string();
            (Step::Jvm(state), path)
        }
    };
    let root = match &step {
        // A property or field that holds a copy of the environment holds all of it.
        Step::Jvm(JvmState::Property(name)) if name.starts_with("env.") => "env.*".to_owned(),
        Step::Jvm(JvmState::Property(name) | JvmState::Environment(name)) => name.clone(),
        Step::Jvm(_) | Step::Field(_) | Step::Element => stable(&path),
    };
    let kind = match &step {
        Step::Jvm(state) => state.kind(),
        Step::Field(_) | Step::Element => StateKind::ThreadLocal,
    };
    let (old, new) = without_numbers(kind, old.map(str::to_owned), new.map(str::to_owned));
    Some(StateChange {
        kind,
        root,
        form: form(kind, old.as_deref(), new.as_deref()),
        path,
        old: old.as_deref().map(|text| shown(kind, text)),
        new: new.as_deref().map(|text| shown(kind, text)),
        steps: vec![step],
        slot: None,
        also: Vec::new(),
        more: 0,
        around: Vec::new(),
    })
}

/// Which state a captured line is about.
fn state(kind: CapturedKind, name: &str, value: &str) -> Option<JvmState> {
    let name = name.to_owned();
    // The class is the name of the line, and the thread's own name its value.
    let thread = |class: String| ThreadName {
        class,
        name: value.to_owned(),
    };
    Some(match kind {
        CapturedKind::Property => JvmState::Property(name),
        CapturedKind::SecurityProperty => JvmState::SecurityProperty(name),
        CapturedKind::Locale if name == "default" => JvmState::Locale(LocaleCategory::Default),
        CapturedKind::Locale => JvmState::Locale(LocaleCategory::Of(name)),
        CapturedKind::Timezone => JvmState::Timezone,
        CapturedKind::Stream => JvmState::Stream(name),
        CapturedKind::ExceptionHandler => JvmState::ExceptionHandler,
        CapturedKind::ShutdownHook => JvmState::ShutdownHook(thread(name)),
        CapturedKind::Thread => JvmState::Thread(thread(name)),
        CapturedKind::ThreadLocal => JvmState::ThreadLocal {
            class: name,
            of: value.split(' ').next().unwrap_or_default().to_owned(),
        },
        CapturedKind::Provider if name.is_empty() => JvmState::Providers,
        CapturedKind::Provider => JvmState::Provider(name),
        CapturedKind::LogLevel => JvmState::LogLevel(name),
        CapturedKind::LogHandler => JvmState::LogHandlers(name),
        CapturedKind::UrlHandler if name.is_empty() => JvmState::UrlFactory,
        CapturedKind::UrlHandler => JvmState::UrlHandler(name),
        CapturedKind::NetDefault => JvmState::NetDefault(name),
        CapturedKind::Bean => JvmState::Bean(name),
        CapturedKind::Environment => JvmState::Environment(name),
        CapturedKind::FileUntilExit | CapturedKind::Seen | CapturedKind::Failed => return None,
    })
}

/// What the name of a thread-local begins with if the static field that holds it is known, which follows.
pub(crate) const FIELD: &str = "field ";

/// Objects are numbered as they were seen, which is worth showing only where the class does not tell them apart.
fn without_numbers(
    kind: StateKind,
    old: Option<String>,
    new: Option<String>,
) -> (Option<String>, Option<String>) {
    if !matches!(
        kind,
        StateKind::Stream | StateKind::ExceptionHandler | StateKind::UrlHandler
    ) {
        return (old, new);
    }
    let class = |text: &String| text.split(" #").next().unwrap_or_default().to_owned();
    match (&old, &new) {
        (Some(old), Some(new)) if class(old) == class(new) => {
            (Some(class(old)), Some(format!("another {}", class(new))))
        }
        _ => (old.as_ref().map(class), new.as_ref().map(class)),
    }
}

fn form(kind: StateKind, old: Option<&str>, new: Option<&str>) -> ChangeForm {
    let number = |text: Option<&str>| text?.rsplit(' ').next()?.parse::<i64>().ok();
    match (old, new) {
        (None, _) => match kind {
            StateKind::Thread | StateKind::ShutdownHook | StateKind::Provider | StateKind::Bean => {
                ChangeForm::Grown
            }
            _ => ChangeForm::FirstSet,
        },
        (Some(_), None) => ChangeForm::Removed,
        _ if number(old).zip(number(new)).is_some_and(|(old, new)| old < new) => ChangeForm::Increased,
        _ => ChangeForm::Replaced,
    }
}

/// A text without what differs from run to run: numbers of threads, of lambdas, proxies and mocks.
fn stable(text: &str) -> String {
    const NUMBERED: [&str; 6] = [
        "$$Lambda",
        "$Proxy",
        "$MockitoMock$",
        "$$EnhancerBy",
        "$ByteBuddy$",
        "Thread",
    ];
    if !NUMBERED.iter().any(|word| text.contains(word)) && !text.contains("[\"") {
        return text.to_owned();
    }
    let mut out = String::new();
    // From a lambda's name on to its end, from others their digits.
    for (i, part) in text.split("$$Lambda").enumerate() {
        let part = if i == 0 {
            part
        } else {
            out.push_str("$$Lambda");
            part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "/$.+".contains(c))
        };
        let mut in_digits = false;
        for c in part.chars() {
            if !c.is_ascii_digit() {
                out.push(c);
            } else if !in_digits {
                out.push('*');
            }
            in_digits = c.is_ascii_digit();
        }
    }
    out
}

/// A captured value: what it is, and its text, shortened.
fn shown(kind: StateKind, text: &str) -> Shown {
    match kind {
        // The path has the name.
        StateKind::Thread => return Shown::new(What::Alive, "alive"),
        StateKind::ShutdownHook => return Shown::new(What::Registered, "registered"),
        StateKind::LogLevel if text.is_empty() => return Shown::null(),
        _ => {}
    }
    let what = match kind {
        // A text in quotes, or the class of an object and perhaps what is in it.
        StateKind::ThreadLocal if !text.starts_with('"') => What::Object {
            class: text.split(' ').next().unwrap_or_default().to_owned(),
        },
        _ => What::Text,
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Shown::new(what, format!("{}…", &text[..end])),
        None => Shown::new(what, text),
    }
}

#[cfg(test)]
mod tests;
