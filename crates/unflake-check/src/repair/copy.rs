//! The project's own build on a patched copy: checkers of style, `-Werror` and formatters have a say too (R8).

#[cfg(test)]
mod tests;

use crate::check::Surroundings;
use crate::drive::patience::Patience;
use crate::session::Session;
use crate::vary::rebuild::outcomes;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use unflake_project::{Build, BuildError, BuildRequest};
use unflake_protocol::{Configuration, Outcome, Role};

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

impl Workplace<'_> {
    /// Runs the project's tests with its own build, on a copy with these files: old and new bytes by path. An error says
    /// what the build does not like.
    pub(crate) fn build(
        &self,
        files: &BTreeMap<String, (Vec<u8>, Vec<u8>)>,
        session: &Session,
    ) -> Result<(), String> {
        let copy = session.scratch().join("copy");
        let cannot = |error: io::Error| format!("the project cannot be copied to run its build: {error}");
        let whole = whole_build(session);
        copy_tree(&whole, &copy).map_err(cannot)?;
        let project = copy.join(session.project.strip_prefix(&whole).unwrap_or(Path::new("")));
        for (path, (_, new)) in files {
            fs::write(project.join(path), new).map_err(cannot)?;
        }
        let build = Build::find(&project, self.path).map_err(|error| error.to_string())?;
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
        let run = request.run(|_| {}).map_err(|error| refused(&error))?;
        let failed = outcomes(run).into_iter().find(|(handle, outcome)| {
            let is_test = |test: &&crate::suite::KnownTest| test.handle == *handle;
            let known = session.suite.tests.iter().find(is_test);
            matches!(outcome, Outcome::Failed(_)) && known.is_some_and(crate::suite::KnownTest::has_passed)
        });
        match failed {
            Some((handle, _)) => Err(format!(
                "in the project's build with the patches, `{}` fails",
                handle.id
            )),
            None => Ok(()),
        }
    }
}

/// What a build does not like, in its own words.
fn refused(error: &BuildError) -> String {
    const LONGEST: usize = 300;
    let said = match error {
        BuildError::Failed { output, .. } => output.split_whitespace().collect::<Vec<_>>().join(" "),
        error => error.to_string(),
    };
    let said: String = said.chars().take(LONGEST).collect();
    format!("the project's build refuses the patches: {said}")
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
