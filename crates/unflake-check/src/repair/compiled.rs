//! Whether a source is the one that a class was compiled from.
//!
//! Times of files say little: a checkout writes all sources anew, and a restored cache all classes. So the source is
//! compiled as it is, and what comes out is compared with the class of the build. Bytes may differ although the source
//! is the same, since the build may use another compiler or other options. What counts is what repairs rely on: the
//! same members, on the same lines, with the same texts. Anything else may differ: a repair is proved with the
//! source as it is.

#[cfg(test)]
mod tests;

use super::overlay::{NotCompiled, Overlays};
use super::{Texts, sources::ProjectSources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use unflake_bytecode::ClassFile;

const SYNTHETIC: u16 = 0x1000;

/// What compiling a source as it is shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Compiled {
    /// It is the source of its class.
    Same,
    /// It is not; what differs.
    Different(String),
    /// It cannot be compiled alone; why.
    Not(String),
}

/// Compiles sources as they are, and compares them with the classes that ran.
pub(crate) fn compare(
    files: &BTreeSet<String>,
    sources: &ProjectSources,
    overlays: &mut Overlays<'_>,
) -> BTreeMap<String, Compiled> {
    let first = compiled(files, sources, overlays);
    let is_same = |compiled: &Compiled| *compiled == Compiled::Same;
    if first.values().all(is_same) || !overlays.process_annotations(true) {
        return first;
    }
    // From Java 23 on a compiler runs annotation processors only if it is told so, as the build may have done.
    let second = compiled(files, sources, overlays);
    let count = |compiled: &BTreeMap<String, Compiled>| compiled.values().filter(|one| is_same(one)).count();
    if count(&second) > count(&first) {
        return second;
    }
    overlays.process_annotations(false);
    first
}

fn compiled(
    files: &BTreeSet<String>,
    sources: &ProjectSources,
    overlays: &mut Overlays<'_>,
) -> BTreeMap<String, Compiled> {
    let text = |path: &String| Some((path.clone(), sources.original(path)?.text.to_string()));
    let mut left: Texts = files.iter().filter_map(text).collect();
    let mut found = BTreeMap::new();
    while !left.is_empty() {
        match overlays.classes(&left) {
            Ok(classes) => {
                for path in left.keys() {
                    let same = match overlays.class_of(path) {
                        Some(built) => of_source(&built.directory, &built.name, &classes),
                        None => Compiled::Not("its class is not on the class path".to_owned()),
                    };
                    found.insert(path.clone(), same);
                }
                break;
            }
            // One error keeps a compiler from writing any class.
            Err(NotCompiled::Errors(errors)) => {
                for (path, why) in errors {
                    left.remove(&path);
                    found.insert(path, Compiled::Not(why));
                }
            }
            Err(NotCompiled::Broken(why)) => {
                let all = std::mem::take(&mut left).into_keys();
                found.extend(all.map(|path| (path, Compiled::Not(why.clone()))));
            }
        }
    }
    found
}

/// Compares a class and those nested in it. `name`: `p/A`, without its end.
fn of_source(built: &Path, name: &str, ours: &Path) -> Compiled {
    let (theirs, ours) = (family(built, name), family(ours, name));
    let names: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    for name in names {
        let differs = match (theirs.get(name), ours.get(name)) {
            (Some(theirs), Some(ours)) if theirs == ours => None,
            (Some(theirs), Some(ours)) => difference(theirs, ours),
            (Some(one), None) | (None, Some(one)) => (!is_synthetic(one)).then(|| class(name)),
            (None, None) => None,
        };
        if let Some(what) = differs {
            return Compiled::Different(what);
        }
    }
    Compiled::Same
}

/// The bytes of a class and of all that are nested in it, by the names of their files.
fn family(directory: &Path, name: &str) -> BTreeMap<String, Vec<u8>> {
    let path = directory.join(name);
    let (Some(folder), Some(simple)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return BTreeMap::new();
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = BTreeMap::new();
    for file in files.map(|entry| entry.path()) {
        let stem = class_name(&file).unwrap_or_default();
        let is_nested = || {
            stem.strip_prefix(simple)
                .is_some_and(|rest| rest.starts_with('$'))
        };
        if stem == simple || is_nested() {
            found.insert(stem, fs::read(&file).unwrap_or_default());
        }
    }
    found
}

fn class_name(file: &Path) -> Option<String> {
    Some(file.file_name()?.to_str()?.strip_suffix(".class")?.to_owned())
}

fn class(name: &str) -> String {
    format!("the class `{name}`")
}

fn is_synthetic(bytes: &[u8]) -> bool {
    ClassFile::parse(bytes).is_ok_and(|class| class.access() & SYNTHETIC != 0)
}

/// What differs between two classes of one name; `None`: nothing that matters.
fn difference(theirs: &[u8], ours: &[u8]) -> Option<String> {
    let (Ok(theirs), Ok(ours)) = (ClassFile::parse(theirs), ClassFile::parse(ours)) else {
        return Some("a class that cannot be read".to_owned());
    };
    if theirs.access() & ours.access() & SYNTHETIC != 0 {
        return None;
    }
    let name = theirs.name().rsplit('/').next().unwrap_or_default().to_owned();
    let (there, here) = (members(&theirs), members(&ours));
    let all: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
    let differs = |member: &&&String| match (there.get(**member), here.get(**member)) {
        // A class without numbers of lines tells nothing about them.
        (Some(there), Some(here)) => there.is_some() && here.is_some() && there != here,
        _ => true,
    };
    if let Some(member) = all.iter().find(differs) {
        let short = member.split('(').next().unwrap_or(member);
        return Some(format!("`{name}.{short}`"));
    }
    let texts = |class: &ClassFile<'_>| -> BTreeSet<String> { class.strings().map(Into::into).collect() };
    let (there, here) = (texts(&theirs), texts(&ours));
    // From Java 9 on a sum of texts is one constant with marks in it; before, and on request, its parts are constants.
    let has_sums = |texts: &BTreeSet<String>| texts.iter().any(|text| text.contains('\u{1}'));
    if has_sums(&there) != has_sums(&here) {
        return None;
    }
    let other = there.symmetric_difference(&here).next()?;
    Some(format!("the text {other:?} in `{name}`"))
}

/// Fields and methods that somebody wrote, with the lines of the latter. Compilers add others as they like.
fn members(class: &ClassFile<'_>) -> BTreeMap<String, Option<(u16, u16)>> {
    let fields = class.fields().filter(|field| field.access() & SYNTHETIC == 0);
    let fields = fields.map(|field| (format!("{} {}", field.name(), field.descriptor()), None));
    let methods = class.methods().filter(|method| method.access() & SYNTHETIC == 0);
    let methods = methods.map(|method| {
        let lines = method.lines().ok().flatten();
        (format!("{}{}", method.name(), method.descriptor()), lines)
    });
    fields.chain(methods).collect()
}
