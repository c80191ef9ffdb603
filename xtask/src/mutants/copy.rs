//! The copy of the workspace in which mutants live, and its build. Only files that change are written, so that cargo
//! builds little.

use super::edits::Edited;
use super::mutant::Mutant;
use super::sites::{Sites, modules};
use super::switch;
use crate::process::{Program, last_lines};
use crate::{Failure, Outcome, root, say, target};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A crate whose copy has been built with all mutants that compile.
pub(super) struct Built {
    pub(super) mutants: Vec<Mutant>,
    /// How many did not compile.
    pub(super) dropped: usize,
    pub(super) programs: Vec<PathBuf>,
    /// Where its tests run.
    pub(super) folder: PathBuf,
}

/// Builds are repeated without the mutants that the compiler names; more often than this is a mistake of ours.
const MOST_BUILDS: usize = 25;

/// So many builds drop as little as possible.
const PATIENT_BUILDS: usize = 2;

/// Everything that is written goes below this folder.
pub(super) fn folder() -> PathBuf {
    target().join("mutants")
}

/// The sources of a crate that are no tests, by path from the crate's folder.
pub(super) fn sources(name: &str) -> Outcome<BTreeMap<String, String>> {
    let folder = root().join("crates").join(name);
    let mut found = BTreeMap::new();
    let mut todo = vec![PathBuf::from("src/lib.rs")];
    while let Some(file) = todo.pop() {
        let path = folder.join(&file);
        let text = fs::read_to_string(&path).map_err(|e| Failure::io("cannot read", &path, &e))?;
        let is_root = file.ends_with("lib.rs") || file.ends_with("mod.rs");
        let below = if is_root {
            file.with_file_name("")
        } else {
            file.with_extension("")
        };
        for module in modules(&text).map_err(|e| syntax(&path, &e))? {
            let flat = below.join(format!("{module}.rs"));
            let nested = below.join(&module).join("mod.rs");
            todo.push(if folder.join(&flat).is_file() {
                flat
            } else {
                nested
            });
        }
        found.insert(file.display().to_string(), text);
    }
    Ok(found)
}

/// Builds the copy, again and again without the mutants that do not compile.
pub(super) fn build(name: &str) -> Outcome<Built> {
    let sources = sources(name)?;
    let known = folder().join(format!("{name}.dropped"));
    let mut dropped = known_to_fail(&known, &switched(name, &sources, &BTreeSet::new())?.0);
    for build in 0..MOST_BUILDS {
        let (mutants, files) = switched(name, &sources, &dropped)?;
        write(&files)?;
        say(format!(
            "building {name} with {} mutants",
            mutants.len() - dropped.len()
        ));
        match cargo(name)? {
            Ok(programs) => {
                let mutants: Vec<Mutant> = mutants
                    .into_iter()
                    .filter(|mutant| !dropped.contains(&mutant.number))
                    .collect();
                let folder = copy().join("crates").join(name);
                return Ok(Built {
                    mutants,
                    dropped: dropped.len(),
                    programs,
                    folder,
                });
            }
            Err(errors) => {
                let before = dropped.len();
                for message in &errors.0 {
                    let places = message.originals(name, &files);
                    let mut guilty: Vec<usize> = places
                        .iter()
                        .flat_map(|place| around(&mutants, &dropped, place, build >= PATIENT_BUILDS))
                        .collect();
                    if guilty.is_empty() {
                        guilty = between(&mutants, &dropped, &places);
                    }
                    dropped.extend(guilty);
                }
                let failing = mutants.iter().filter(|mutant| dropped.contains(&mutant.number));
                let failing: Vec<String> = failing.map(Mutant::name).collect();
                fs::write(&known, failing.join("\n")).map_err(|e| Failure::io("cannot write", &known, &e))?;
                if dropped.len() == before {
                    return Err(Failure::new(format!(
                        "the copy does not compile:\n{}",
                        errors.text()
                    )));
                }
            }
        }
    }
    Err(Failure::new(format!(
        "{MOST_BUILDS} builds were not enough to drop what does not compile"
    )))
}

/// The mutants that did not compile in an earlier run.
fn known_to_fail(list: &Path, mutants: &[Mutant]) -> BTreeSet<usize> {
    let list = fs::read_to_string(list).unwrap_or_default();
    let names: BTreeSet<&str> = list.lines().collect();
    let failing = mutants
        .iter()
        .filter(|mutant| names.contains(mutant.name().as_str()));
    failing.map(|mutant| mutant.number).collect()
}

/// A place of a source file.
type Spot = (String, Range<usize>);

/// The innermost mutants around a place that the compiler complains about; all of them if that was not enough.
fn around(mutants: &[Mutant], dropped: &BTreeSet<usize>, (file, place): &Spot, all: bool) -> Vec<usize> {
    let is_around = |mutant: &&Mutant| {
        let range = &mutant.range;
        mutant.file == *file
            && !dropped.contains(&mutant.number)
            && range.start <= place.start
            && place.end <= range.end
    };
    let around: Vec<&Mutant> = mutants.iter().filter(is_around).collect();
    let least = around.iter().map(|mutant| mutant.range.len()).min();
    let guilty = around
        .iter()
        .filter(|mutant| all || Some(mutant.range.len()) == least);
    guilty.map(|mutant| mutant.number).collect()
}

/// The mutants between the places of one error: a `continue` that is left out lets a borrow last too long.
fn between(mutants: &[Mutant], dropped: &BTreeSet<usize>, places: &[Spot]) -> Vec<usize> {
    let Some((file, _)) = places.first() else {
        return Vec::new();
    };
    let places = || {
        places
            .iter()
            .filter(|(other, _)| other == file)
            .map(|(_, range)| range)
    };
    let start = places().map(|range| range.start).min().unwrap_or(0);
    let end = places().map(|range| range.end).max().unwrap_or(0);
    let is_between = |mutant: &&Mutant| {
        mutant.file == *file
            && !dropped.contains(&mutant.number)
            && start <= mutant.range.start
            && mutant.range.end <= end
    };
    let between: Vec<&Mutant> = mutants.iter().filter(is_between).collect();
    let left_out = between.iter().filter(|mutant| mutant.is_left_out());
    let left_out: Vec<usize> = left_out.map(|mutant| mutant.number).collect();
    match left_out.is_empty() {
        true => between.iter().map(|mutant| mutant.number).collect(),
        false => left_out,
    }
}

/// A file of the copy.
enum Written {
    AsItIs,
    Text(String),
    Edited(Edited),
}

/// The workspace's files by path, those of the crate with its mutants.
fn switched(
    name: &str,
    sources: &BTreeMap<String, String>,
    dropped: &BTreeSet<usize>,
) -> Outcome<(Vec<Mutant>, BTreeMap<String, Written>)> {
    let list = Program::new("git")
        .dir(&root())
        .args(["ls-files", "-z", "-co", "--exclude-standard"]);
    let list = list.succeed()?.output;
    let paths = list
        .split_terminator('\0')
        .filter(|path| root().join(path).is_file());
    let mut files: BTreeMap<String, Written> = paths.map(|path| (path.to_owned(), Written::AsItIs)).collect();
    let mut mutants = Vec::new();
    for (file, text) in sources {
        let sites =
            Sites::read(file, text, mutants.len(), dropped).map_err(|e| syntax(Path::new(file), &e))?;
        let edited = sites.edits.apply(text);
        mutants.extend(sites.mutants);
        files.insert(format!("crates/{name}/{file}"), Written::Edited(edited));
    }
    let module = format!("crates/{name}/src/{}.rs", switch::MODULE);
    files.insert(module, Written::Text(switch::text(mutants.len())));
    if let Some(Written::Edited(library)) = files.get_mut(&format!("crates/{name}/src/lib.rs")) {
        library.text.push_str(&format!("\nmod {};\n", switch::MODULE));
    }
    Ok((mutants, files))
}

fn copy() -> PathBuf {
    folder().join("workspace")
}

/// Makes the copy have these files and no others.
fn write(files: &BTreeMap<String, Written>) -> Outcome<()> {
    let copy = copy();
    for (path, file) in files {
        let bytes = match file {
            Written::AsItIs => {
                let path = root().join(path);
                fs::read(&path).map_err(|e| Failure::io("cannot read", &path, &e))?
            }
            Written::Text(text) => text.clone().into_bytes(),
            Written::Edited(edited) => edited.text.clone().into_bytes(),
        };
        let path = copy.join(path);
        if fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        let parent = path.parent().unwrap_or(&copy);
        fs::create_dir_all(parent).map_err(|e| Failure::io("cannot create", parent, &e))?;
        fs::write(&path, bytes).map_err(|e| Failure::io("cannot write", &path, &e))?;
    }
    let mut todo = vec![copy.clone()];
    while let Some(folder) = todo.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| Failure::io("cannot read", &folder, &e))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(&copy).unwrap_or(&path).display().to_string();
            if path.is_dir() {
                todo.push(path);
            } else if !files.contains_key(&name) && name != "Cargo.lock" {
                fs::remove_file(&path).map_err(|e| Failure::io("cannot remove", &path, &e))?;
            }
        }
    }
    Ok(())
}

/// What cargo says, as far as it is needed.
#[derive(Deserialize)]
struct Said {
    message: Option<Message>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    spans: Vec<Place>,
    children: Vec<Message>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Place {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Place,
}

impl Message {
    /// All places that it names, in the crate's sources, and where the macros are called in which these are: the cause
    /// of a borrow that lasts too long is not the place of the error.
    fn originals(&self, name: &str, files: &BTreeMap<String, Written>) -> Vec<Spot> {
        let mut places = Vec::new();
        let mut todo = vec![self];
        while let Some(message) = todo.pop() {
            todo.extend(&message.children);
            for place in &message.spans {
                let mut next = Some(place);
                while let Some(place) = next {
                    next = place.expansion.as_ref().map(|expansion| &expansion.span);
                    if let Some(Written::Edited(edited)) = files.get(&place.file_name)
                        && let Some(file) = place.file_name.strip_prefix(&format!("crates/{name}/"))
                    {
                        let range = edited.original(place.byte_start)..edited.original(place.byte_end);
                        places.push((file.to_owned(), range));
                    }
                }
            }
        }
        places
    }
}

/// What the compiler complains about.
struct Errors(Vec<Message>);

impl Errors {
    fn text(&self) -> String {
        self.0
            .iter()
            .filter_map(|message| message.rendered.clone())
            .collect()
    }
}

/// Builds the tests of a crate: the programs, or what does not compile.
fn cargo(name: &str) -> Outcome<Result<Vec<PathBuf>, Errors>> {
    let ended = Program::new("cargo")
        .dir(&copy())
        // Cargo gives crates of the copy the same names as ours, so they must not share a folder.
        .env("CARGO_TARGET_DIR", folder().join("target"))
        .args(["test", "--tests", "--no-run", "--message-format=json", "-p", name])
        .run()?;
    let said: Vec<Said> = ended
        .output
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if ended.status.success() {
        return Ok(Ok(said.into_iter().filter_map(|said| said.executable).collect()));
    }
    let messages = said.into_iter().filter_map(|said| said.message);
    let errors: Vec<Message> = messages.filter(|message| message.level == "error").collect();
    match errors.is_empty() {
        true => Err(Failure::new(format!(
            "cargo failed:\n{}",
            last_lines(&ended.output, 25)
        ))),
        false => Ok(Err(Errors(errors))),
    }
}

fn syntax(path: &Path, error: &syn::Error) -> Failure {
    Failure::new(format!("cannot parse `{}`: {error}", path.display()))
}
