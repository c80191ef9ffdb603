//! `unflake demo`: writes a small project with implementation-dependent tests, and checks it.

use crate::args::DemoArgs;
use crate::exit::ExitCode;
use crate::settings::{Screen, Settings};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use unflake_check::SeedSetting;
use unflake_check::{Problem, problem};

macro_rules! demo_file {
    ($path:literal) => {
        (
            $path,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/demo/",
                $path
            )),
        )
    };
}
/// The project, as it lies in `fixtures/demo`.
const FILES: &[(&str, &str)] = &[
    demo_file!("pom.xml"),
    demo_file!("src/main/java/shop/Cart.java"),
    demo_file!("src/main/java/shop/Describe.java"),
    demo_file!("src/main/java/shop/Folder.java"),
    demo_file!("src/test/java/shop/CartTest.java"),
    demo_file!("src/test/java/shop/DescribeTest.java"),
    demo_file!("src/test/java/shop/FolderTest.java"),
];

pub(crate) fn run(args: DemoArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let directory = match args.directory {
        Some(directory) => directory,
        None => fresh_directory()?,
    };
    write_project(&directory)?;
    if !screen.quiet {
        // On standard error, like all talk; a reader who is gone does not matter.
        let _ = writeln!(
            anstream::stderr(),
            "the demo project is in `{}`",
            directory.display()
        );
    }
    if args.write_only {
        return Ok(ExitCode::Clean);
    }
    match super::check::run(&settings(&directory, args.seed, screen)?)? {
        ExitCode::Findings => Ok(ExitCode::Clean),
        ExitCode::Clean => Err(
            problem!(Bug, "the demo's implementation-dependent tests were not found").hint(format!(
                "report this, with the output of `unflake doctor -C {}`",
                directory.display()
            )),
        ),
        other => Ok(other),
    }
}

/// What `unflake check -C DIRECTORY` would take.
fn settings(directory: &Path, seed: Option<SeedSetting>, screen: Screen) -> Result<Settings, Problem> {
    // The demo writes into an empty directory only, so what can be repeated is the check.
    let mut settings = Settings::of_check(directory, screen)?;
    if let Some(seed) = seed {
        settings.options.vary.seed = seed;
    }
    Ok(settings)
}

fn write_project(directory: &Path) -> Result<(), Problem> {
    let cannot = |path: &Path, error: io::Error| {
        problem!(
            CannotWork,
            "cannot write the demo project to `{}`",
            path.display()
        )
        .cause(error)
        .hint("name another directory: `unflake demo DIR`")
    };
    fs::create_dir_all(directory).map_err(|error| cannot(directory, error))?;
    let is_empty = fs::read_dir(directory)
        .map_err(|error| cannot(directory, error))?
        .next()
        .is_none();
    if !is_empty {
        return Err(problem!(Usage, "`{}` is not empty", directory.display())
            .hint("name a new directory; unflake does not overwrite your files"));
    }
    for (name, contents) in FILES {
        let path = directory.join(name);
        let parent = path.parent().unwrap_or(directory);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, contents))
            .map_err(|error| cannot(&path, error))?;
    }
    Ok(())
}

/// A new directory that stays, since the user may want to look at the project.
fn fresh_directory() -> Result<PathBuf, Problem> {
    let made = tempfile::Builder::new().prefix("unflake-demo-").tempdir();
    made.map(tempfile::TempDir::keep).map_err(|error| {
        problem!(
            CannotWork,
            "cannot create a temporary directory in `{}`",
            std::env::temp_dir().display()
        )
        .cause(error)
        .hint("name a directory: `unflake demo DIR`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_demo_is_embedded() {
        fn names(directory: &Path, root: &Path, into: &mut Vec<String>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                    names(&path, root, into);
                } else if path.is_file() && path.file_name().is_some_and(|name| name != "expected.toml") {
                    into.push(path.strip_prefix(root).unwrap().display().to_string());
                }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo");
        let mut there = Vec::new();
        names(&root, &root, &mut there);
        there.sort();
        let embedded: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert_eq!(embedded, there);
    }

    #[test]
    fn nothing_of_the_users_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        write_project(directory.path()).unwrap();
        fs::write(directory.path().join("pom.xml"), "mine").unwrap();
        let problem = write_project(directory.path()).unwrap_err();
        assert_eq!(ExitCode::from(problem.kind), ExitCode::Usage);
        assert_eq!(
            fs::read_to_string(directory.path().join("pom.xml")).unwrap(),
            "mine"
        );
    }
}
