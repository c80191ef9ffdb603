//! State that belongs to the JVM, the JDK or libraries: hooks, thread-locals, fields of JDK classes.

use crate::case::Case;
use crate::field::{Entry, labels};
use crate::methods::is_telling;
use unflake_bytecode::How;
use unflake_findings::Mark;
use unflake_protocol::{ChangeForm, JvmState, Step, What};

const JDK: [&str; 5] = ["java.", "javax.", "sun.", "com.sun.", "jdk."];

pub(super) fn is_jdk(class: &str) -> bool {
    JDK.iter().any(|package| class.starts_with(package))
}

/// A field of the JDK, which keeps it for itself.
pub(super) fn inside_jdk(case: &Case<'_>) -> Option<Mark> {
    let class = &case.root()?.class;
    let is_jdk = class.starts_with("java.") || class.starts_with("javax.");
    is_jdk.then_some(Mark::InsideJdk)
}

pub(super) fn jdk_hook(case: &Case<'_>) -> Option<Mark> {
    let class = hook(case)?;
    is_jdk(class).then(|| Mark::JdkHook {
        class: class.to_owned(),
    })
}

/// A file that goes when the JVM ends; as long as it is there, nobody finds it by its name.
pub(super) fn until_exit(case: &Case<'_>) -> Option<Mark> {
    let is_one =
        case.form == ChangeForm::FirstSet && case.new == Some(&What::UntilExit) && case.has_chance_name();
    is_one.then_some(Mark::UntilExit)
}

/// The class of a hook that says whose it is: anybody's code may run in a plain thread.
fn hook<'a>(case: &Case<'a>) -> Option<&'a str> {
    match case.steps {
        [Step::Jvm(JvmState::ShutdownHook(hook))] if hook.class != "java.lang.Thread" => Some(&hook.class),
        _ => None,
    }
}

/// A thread-local whose own code makes what it holds, and that nothing sets: every caller finds the same. If others
/// than its class can reach it, there is something to be found the first time too. What is put into it stays there,
/// unless its name says that it is emptied first.
pub(super) fn thread_local_default(case: &Case<'_>) -> Option<Mark> {
    const EMPTIED_FIRST: [&str; 2] = ["buffer", "cache"];
    let field = case.evidence.field(case.root()?)?;
    let name = field.name().to_ascii_lowercase();
    let is_buffer = EMPTIED_FIRST.iter().any(|word| name.contains(word));
    let fits = |used: &How<'_>| match used {
        How::Read | How::ReadBack | How::ReturnedBelow => true,
        How::Called { method, .. } => method == "get" || method == "remove",
        How::CalledBelow { method, .. } => is_buffer || !is_telling(method),
        How::Written(_) | How::Tested | How::ComparedWithTime => false,
        How::Returned | How::Passed { .. } | How::Kept => false,
    };
    let entries = field.later_entries();
    let others: Vec<&Entry<'_>> = entries.iter().collect();
    // A caller that gets it can put something into it.
    let hands_out = others
        .iter()
        .any(|entry| entry.has(|used| *used == How::ReturnedBelow));
    let class = case.new.and_then(|new| new.class()).unwrap_or_default();
    let can_be_told = class.starts_with("java.util.") || case.evidence.is_settable(class, None);
    let is_one = case.old.is_none()
        && !(hands_out && can_be_told)
        && (field.is_private() || field.has_initial_value())
        && !others.is_empty()
        && others.iter().all(|entry| !entry.has(|used| !fits(used)));
    is_one.then(|| Mark::ThreadLocalDefault {
        field: field.label(),
        methods: labels(&others),
    })
}
