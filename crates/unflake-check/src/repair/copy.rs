//! The project's own build on a patched copy: checkers of style, `-Werror` and formatters have a say too (R8).

#[cfg(test)]
mod tests;

use crate::check::Surroundings;
use crate::drive::patience::Patience;
use crate::session::Session;
use crate::suite::KnownTest;
use crate::vary::rebuild::outcomes;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use unflake_project::{Build, BuildError, BuildRequest};
use unflake_protocol::{Configuration, Handle, Outcome, Role};

/// What `fix` needs of the program around it.
#[derive(Debug)]
pub struct Workplace<'a> {
    pub surroundings: &'a Surroundings,
    /// The classes of our own runner.
    pub runner: &'a Path,
    /// `None`: the project's build does not run.
    pub java_home: Option<&'a Path>,
    /// Where programs are looked for.
    pub path: Option<&'a std::ffi::OsStr>,
}

/// What a build on a patched copy shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Built {
    Accepted,
    /// It fails without any patch, too, in this way: so it says nothing about them.
    FailsAnyway(String),
}

/// What the project's build does not like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// For the user.
    pub(crate) why: String,
    /// All that the build said, and the classes of tests that fail.
    said: String,
}

impl Refused {
    pub(super) fn new(why: String) -> Refused {
        Refused {
            said: why.clone(),
            why,
        }
    }

    /// Whether the build speaks of this file.
    pub(crate) fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let class = name.strip_suffix(".java").unwrap_or(name);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = self.said.split(|c| !is_word(c));
        words.any(|word| word == class)
    }
}

impl Workplace<'_> {
    /// Runs the project's tests with its own build, on a copy with these files: old and new bytes by path. An error says
    /// what the build does not like.
    pub(crate) fn build(
        &self,
        files: &BTreeMap<String, (Vec<u8>, Vec<u8>)>,
        session: &Session,
    ) -> Result<Built, Refused> {
        match self.built(files, session)? {
            Ok(()) => Ok(Built::Accepted),
            Err(refused) if files.is_empty() || self.surroundings.cancel.is_cancelled() => Err(refused),
            Err(refused) => match self.built(&BTreeMap::new(), session)? {
                Ok(()) => Err(refused),
                Err(without) => Ok(Built::FailsAnyway(without.why)),
            },
        }
    }

    /// The outer error: there is no copy to build.
    fn built(
        &self,
        files: &BTreeMap<String, (Vec<u8>, Vec<u8>)>,
        session: &Session,
    ) -> Result<Result<(), Refused>, Refused> {
        let copy = session.scratch().join("copy");
        let cannot = |error: io::Error| {
            Refused::new(format!("the project cannot be copied to run its build: {error}"))
        };
        let whole = whole_build(session);
        copy_tree(&whole, &copy).map_err(cannot)?;
        let project = copy.join(session.project.strip_prefix(&whole).unwrap_or(Path::new("")));
        for (path, (_, new)) in files {
            fs::write(project.join(path), new).map_err(cannot)?;
        }
        let build = Build::find(&project, self.path).map_err(|error| Refused::new(error.to_string()))?;
        let scratch = session.scratch().join("b");
        fs::create_dir_all(&scratch).map_err(cannot)?;
        let configuration = Configuration {
            role: Role::Build,
            strategy: None,
            learn: false,
            ..session.configuration.clone()
        };
        let request = BuildRequest {
            build: &build,
            agent: &self.surroundings.agent,
            configuration: &configuration,
            arguments: &session.build_arguments,
            java_home: self.java_home,
            scratch: &scratch,
            until: None,
            silence: Patience::learning(None),
            children: &self.surroundings.children,
            cancel: &self.surroundings.cancel,
        };
        let run = match request.run(|_| {}) {
            Ok(run) => run,
            Err(error) => return Ok(Err(refused(&error))),
        };
        let has_passed = |handle: &Handle| {
            let known = session.suite.tests.iter().find(|test| test.handle == *handle);
            known.is_some_and(KnownTest::has_passed)
        };
        let mut failed = outcomes(run).into_iter().filter_map(|(handle, outcome)| {
            (matches!(outcome, Outcome::Failed(_)) && has_passed(&handle)).then_some(handle)
        });
        Ok(match failed.next() {
            None => Ok(()),
            Some(first) => Err(Refused {
                why: format!("in the project's build with the patches, `{}` fails", first.id),
                said: std::iter::once(first)
                    .chain(failed)
                    .map(|handle| handle.root + "\n")
                    .collect(),
            }),
        })
    }
}

/// What a build does not like, in its own words.
fn refused(error: &BuildError) -> Refused {
    const LONGEST: usize = 300;
    let said = match error {
        BuildError::Failed { output, .. } => output.split_whitespace().collect::<Vec<_>>().join(" "),
        error => error.to_string(),
    };
    let first: String = said.chars().take(LONGEST).collect();
    Refused {
        why: format!("the project's build refuses the patches: {first}"),
        said,
    }
}

/// The project, or what it is a module of: its build file may need those above.
fn whole_build(session: &Session) -> PathBuf {
    let files = session.suite.launches().next();
    let files = files.map_or(&[][..], |launch| session.suite.tool(launch).facts().build_files);
    let has_build = |folder: &Path| files.iter().any(|file| folder.join(file).is_file());
    let above = session.project.ancestors().take_while(|folder| has_build(folder));
    above.last().unwrap_or(&session.project).to_owned()
}

/// Copies a tree, without what belongs to version control.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if entry.file_name() != ".git" {
                copy_tree(&source, &target)?;
            }
        } else if kind.is_symlink() {
            let link = fs::read_link(&source)?;
            std::os::unix::fs::symlink(link, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
            // A compiler that goes by times must not take the copied classes for older than their sources.
            if let Ok(modified) = fs::metadata(&source).and_then(|data| data.modified()) {
                fs::File::open(&target)?.set_modified(modified)?;
            }
        }
    }
    Ok(())
}
