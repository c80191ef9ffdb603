//! Edited sources, compiled into a directory that comes first on the class path: no build tool runs (R1).

#[cfg(test)]
pub(crate) mod tests;

use super::Texts;
use super::sources::{Encoding, ProjectSources, is_build_file};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use unflake_runner::{CompileError, Compiler, Launch};

/// A compiler that is ready for files: a real one, or one of our own tests.
pub(crate) trait Compiles {
    /// What is wrong with these files; empty: they are compiled.
    fn compile(&mut self, options: &[String], files: &[PathBuf]) -> io::Result<Vec<CompileError>>;
}

impl Compiles for Compiler {
    fn compile(&mut self, options: &[String], files: &[PathBuf]) -> io::Result<Vec<CompileError>> {
        Compiler::compile(self, options, files)
    }
}

/// Starts the compiler of a JDK.
pub(crate) type StartCompiler<'a> = dyn Fn(&Path) -> io::Result<Box<dyn Compiles>> + 'a;

/// Compiles edited sources for the launches of a suite.
pub(crate) struct Overlays<'a> {
    sources: &'a ProjectSources,
    launches: &'a [Launch],
    /// Where overlays go.
    folder: PathBuf,
    start: &'a StartCompiler<'a>,
    /// By JDK.
    compilers: BTreeMap<PathBuf, Box<dyn Compiles>>,
    /// Annotation processors run although the compiler would not run them by itself.
    processing: bool,
    /// Jars of a library that edited build files add.
    added: Vec<PathBuf>,
    count: u32,
}

/// A class of the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Built {
    /// Where its package begins.
    pub(crate) directory: PathBuf,
    /// `p/A`.
    pub(crate) name: String,
}

/// A source as it was written for the compiler, and its path from the project's root.
type Copied = (PathBuf, String);

/// Why edited sources give no classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotCompiled {
    /// By the path of each file that has errors, from the project's root: the first of them.
    Errors(BTreeMap<String, String>),
    /// The compiler itself is the problem.
    Broken(String),
}

impl<'a> Overlays<'a> {
    pub(crate) fn new(
        sources: &'a ProjectSources,
        launches: &'a [Launch],
        folder: PathBuf,
        start: &'a StartCompiler<'a>,
    ) -> Overlays<'a> {
        Overlays {
            sources,
            launches,
            folder,
            start,
            compilers: BTreeMap::new(),
            processing: false,
            added: Vec::new(),
            count: 0,
        }
    }

    /// Launches whose JVMs see these texts instead of the sources on disk.
    pub(crate) fn compile(&mut self, texts: &Texts) -> Result<Vec<Launch>, NotCompiled> {
        let classes = self.classes(texts)?;
        let added = self.added_by(texts);
        Ok(self
            .launches
            .iter()
            .map(|launch| in_front(&with_jars(launch, added), &classes))
            .collect())
    }

    /// Whoever edits a build file from now on adds these jars.
    pub(crate) fn add(&mut self, jars: Vec<PathBuf>) {
        self.added = jars;
    }

    fn added_by(&self, texts: &Texts) -> &[PathBuf] {
        let has_build_file = texts.keys().any(|path| is_build_file(path));
        if has_build_file { &self.added } else { &[] }
    }

    /// Whether annotation processors are to run where the compiler has to be told so. False: no compiler has.
    pub(crate) fn process_annotations(&mut self, processing: bool) -> bool {
        self.processing = processing;
        let mut homes = self.launches.iter().filter_map(jdk_of);
        homes.any(|home| wants_to_be_told(&home))
    }

    /// The class of a source, in the first launch that has it.
    pub(crate) fn class_of(&self, path: &str) -> Option<Built> {
        self.launches.iter().find_map(|launch| built(launch, path))
    }

    /// The folder with the classes of these texts.
    pub(crate) fn classes(&mut self, texts: &Texts) -> Result<PathBuf, NotCompiled> {
        self.count += 1;
        let folder = self.folder.join(format!("overlay-{}", self.count));
        let broken = |error: io::Error| NotCompiled::Broken(format!("cannot write an overlay: {error}"));
        let mut files: BTreeMap<(Option<usize>, Encoding), Vec<Copied>> = BTreeMap::new();
        for (path, text) in texts.iter().filter(|(path, _)| !is_build_file(path)) {
            let encoding = self
                .sources
                .original(path)
                .map_or(Encoding::Utf8, |original| original.encoding);
            // By the class path of the first launch that has the class: test and main code of one module have the same.
            let launch = self
                .launches
                .iter()
                .position(|launch| class_file(launch, path).is_some());
            let file = folder.join("sources").join(path);
            fs::create_dir_all(file.parent().unwrap_or(&folder)).map_err(broken)?;
            fs::write(&file, encoding.encode(text)).map_err(broken)?;
            files
                .entry((launch, encoding))
                .or_default()
                .push((file, path.clone()));
        }
        let classes = folder.join("classes");
        fs::create_dir_all(&classes).map_err(broken)?;
        let mut errors = BTreeMap::new();
        for ((launch, encoding), files) in files {
            let Some(launch) = launch else {
                let none = files
                    .into_iter()
                    .map(|(_, path)| (path, "its class is not on the class path".to_owned()));
                errors.extend(none);
                continue;
            };
            let launch = with_jars(&self.launches[launch], self.added_by(texts));
            self.compile_for(&launch, encoding, &files, &classes, &mut errors)?;
        }
        if !errors.is_empty() {
            return Err(NotCompiled::Errors(errors));
        }
        Ok(classes)
    }

    fn compile_for(
        &mut self,
        launch: &Launch,
        encoding: Encoding,
        files: &[Copied],
        classes: &Path,
        errors: &mut BTreeMap<String, String>,
    ) -> Result<(), NotCompiled> {
        let home = jdk_of(launch).ok_or_else(|| {
            NotCompiled::Broken(format!("there is no compiler beside `{}`", launch.java.display()))
        })?;
        let compiled = files.iter().filter_map(|(_, path)| class_file(launch, path));
        let compiled: Vec<Vec<u8>> = compiled.filter_map(|file| fs::read(file).ok()).collect();
        let mut options = options(launch, encoding, &compiled, classes);
        if self.processing && wants_to_be_told(&home) {
            options.push("-proc:full".to_owned());
        }
        let broken = |error: io::Error| {
            NotCompiled::Broken(format!("the compiler of `{}` failed: {error}", home.display()))
        };
        if !self.compilers.contains_key(&home) {
            let compiler = (self.start)(&home).map_err(broken)?;
            self.compilers.insert(home.clone(), compiler);
        }
        let compiler = self.compilers.get_mut(&home).expect("it was just put there");
        let paths: Vec<PathBuf> = files.iter().map(|(file, _)| file.clone()).collect();
        let said = match compiler.compile(&options, &paths) {
            Ok(said) => said,
            Err(error) => {
                // It may have died of one request; the next one gets another.
                self.compilers.remove(&home);
                return Err(broken(error));
            }
        };
        for error in said {
            let path = files
                .iter()
                .find(|(file, _)| *file == error.file)
                .map(|(_, path)| path.clone());
            let Some(path) = path else {
                return Err(NotCompiled::Broken(first_line(&error)));
            };
            errors.entry(path).or_insert_with(|| first_line(&error));
        }
        Ok(())
    }
}

fn first_line(error: &CompileError) -> String {
    let line = error.message.lines().next().unwrap_or_default();
    match error.line {
        0 => line.to_owned(),
        number => format!("line {number}: {line}"),
    }
}

/// The level of Java that a class was compiled for, by its class file: 8, 17.
pub(crate) fn java_level(class: &[u8]) -> Option<u32> {
    let major = u32::from(*class.get(6)?) << 8 | u32::from(*class.get(7)?);
    major.checked_sub(44)
}

/// The class file of a source's class of the same name, on the class path of a launch.
pub(crate) fn class_file(launch: &Launch, path: &str) -> Option<PathBuf> {
    let built = built(launch, path)?;
    Some(built.directory.join(built.name + ".class"))
}

fn built(launch: &Launch, path: &str) -> Option<Built> {
    let source = path.strip_suffix(".java")?;
    directories(launch).into_iter().find_map(|directory| {
        // `src/test/java/p/A`: the package is not known, so the longest name that exists counts.
        let mut rest = source;
        loop {
            if directory.join(format!("{rest}.class")).is_file() {
                return Some(Built {
                    name: rest.to_owned(),
                    directory,
                });
            }
            rest = rest.split_once('/')?.1;
        }
    })
}

/// Directories with classes: on the class path, on the module path, and patches of modules.
fn directories(launch: &Launch) -> Vec<PathBuf> {
    let in_options = paths_of_modules(launch);
    let all = launch
        .class_path
        .iter()
        .cloned()
        .chain(in_options)
        .map(PathBuf::from);
    all.filter(|path| path.is_dir()).collect()
}

/// What module options name: the module path and patches.
fn paths_of_modules(launch: &Launch) -> Vec<String> {
    let values = launch
        .options
        .windows(2)
        .filter_map(|pair| match pair[0].as_str() {
            "--module-path" | "-p" => Some(pair[1].as_str()),
            "--patch-module" => pair[1].split_once('=').map(|(_, paths)| paths),
            _ => None,
        });
    let joined = launch.options.iter().filter_map(|option| {
        option.strip_prefix("--module-path=").or_else(|| {
            option
                .strip_prefix("--patch-module=")
                .and_then(|patch| Some(patch.split_once('=')?.1))
        })
    });
    let paths = values.chain(joined).flat_map(|paths| paths.split(':'));
    paths.map(str::to_owned).collect()
}

/// How the build compiled these classes, as far as they show it.
fn options(launch: &Launch, encoding: Encoding, compiled: &[Vec<u8>], classes: &Path) -> Vec<String> {
    let mut path = launch.class_path.clone();
    path.extend(paths_of_modules(launch));
    let mut options: Vec<String> = ["-g", "-nowarn", "-implicit:none", "-encoding", encoding.name()]
        .map(str::to_owned)
        .into();
    let mut add = |name: &str, value: String| options.extend([name.to_owned(), value]);
    add("-d", classes.display().to_string());
    add("-cp", path.join(":"));
    if let Some(level) = compiled.iter().filter_map(|class| java_level(class)).max() {
        // Java 8 calls itself 1.8; every compiler understands that, and only that of old ones.
        let name = if level <= 8 {
            format!("1.{level}")
        } else {
            level.to_string()
        };
        add("-source", name.clone());
        add("-target", name);
    }
    let has = |attribute: &[u8]| {
        let in_class = |class: &Vec<u8>| class.windows(attribute.len()).any(|window| window == attribute);
        compiled.iter().any(in_class)
    };
    if has(b"MethodParameters") {
        options.push("-parameters".to_owned());
    }
    options
}

/// The same launch with more libraries, behind those that are there.
fn with_jars(launch: &Launch, jars: &[PathBuf]) -> Launch {
    let mut launch = launch.clone();
    let more = jars.iter().map(|jar| jar.display().to_string());
    launch.class_path.extend(more);
    launch
}

/// The same launch with a directory of classes before all others, also inside of patched modules.
fn in_front(launch: &Launch, classes: &Path) -> Launch {
    let mut launch = launch.clone();
    let shown = classes.display().to_string();
    let patched = |patch: &str| match patch.split_once('=') {
        Some((module, paths)) => format!("{module}={shown}:{paths}"),
        None => patch.to_owned(),
    };
    for at in 0..launch.options.len() {
        if launch.options[at] == "--patch-module" && at + 1 < launch.options.len() {
            launch.options[at + 1] = patched(&launch.options[at + 1]);
        } else if let Some(patch) = launch.options[at].strip_prefix("--patch-module=") {
            launch.options[at] = format!("--patch-module={}", patched(patch));
        }
    }
    launch.class_path.insert(0, shown);
    launch
}

/// Whether the compiler of a JDK runs annotation processors only on request, as all do from Java 23 on.
fn wants_to_be_told(home: &Path) -> bool {
    const FIRST: u32 = 23;
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    let version = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
    let digits = version.map(|version| {
        version
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default()
    });
    digits
        .and_then(|digits| digits.parse().ok())
        .is_some_and(|version: u32| version >= FIRST)
}

/// The JDK of a launch: a Java 8 may run from the `jre` inside of it.
fn jdk_of(launch: &Launch) -> Option<PathBuf> {
    let home = launch.java.parent()?.parent()?;
    let homes = [Some(home), home.parent()];
    homes
        .into_iter()
        .flatten()
        .find(|home| home.join("bin/javac").is_file())
        .map(Path::to_owned)
}
