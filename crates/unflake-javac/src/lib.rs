//! Compiles the Java runtime in build scripts, together with the source that is written from Rust's tables.
//!
//! Java 8 class files, so that they load everywhere; `-source 8` rather than `--release 8`, whose signature file hides
//! the package-private members of `java.util` that the runtime uses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Compiles `runtime/boot`, with the numbers that it shares with the agent ([`unflake_protocol::codes`]).
pub fn compile_boot(sources: &Path, output: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let written = output.with_extension("generated");
    let package = written.join("java/util");
    let codes = package.join("UnflakeCodes.java");
    fs::create_dir_all(&package)
        .and_then(|()| fs::write(&codes, unflake_protocol::codes::java_source()))
        .map_err(|e| format!("cannot write {}: {e}", codes.display()))?;
    let javac = Javac {
        sources,
        generated: Some(&written),
        class_path: None,
        signatures: None,
        output,
    };
    javac.compile()
}

/// One call of `javac`.
#[derive(Debug)]
pub struct Javac<'a> {
    /// All `.java` files below are compiled.
    pub sources: &'a Path,
    /// So are those here, which a build script has written.
    pub generated: Option<&'a Path>,
    /// Compiled classes that the sources use.
    pub class_path: Option<&'a Path>,
    /// Sources that the sources use and that are not compiled.
    pub signatures: Option<&'a Path>,
    pub output: &'a Path,
}

impl Javac<'_> {
    /// Compiles and returns the classes: binary name with slashes and file, sorted by name. Cargo is told what it
    /// depends on. The error is a message for whoever builds unflake.
    pub fn compile(&self) -> Result<Vec<(String, PathBuf)>, String> {
        println_rerun(self.sources);
        self.signatures.inspect(|signatures| println_rerun(signatures));
        if self.output.exists() {
            fs::remove_dir_all(self.output)
                .map_err(|e| format!("cannot empty {}: {e}", self.output.display()))?;
        }
        fs::create_dir_all(self.output).map_err(|e| format!("cannot make {}: {e}", self.output.display()))?;
        let mut arguments: Vec<OsString> = Vec::new();
        for fixed in [
            "-source",
            "8",
            "-target",
            "8",
            "-nowarn",
            "-Xlint:-options",
            "-g:source,lines",
            "-encoding",
            "UTF-8",
        ] {
            arguments.push(fixed.into());
        }
        arguments.extend(["-d".into(), self.output.into()]);
        if let Some(class_path) = self.class_path {
            arguments.extend(["-cp".into(), class_path.into()]);
        }
        if let Some(signatures) = self.signatures {
            arguments.extend(["-sourcepath".into(), signatures.into(), "-implicit:none".into()]);
        }
        for folder in [Some(self.sources), self.generated].into_iter().flatten() {
            arguments.extend(files(folder, "java").into_iter().map(OsString::from));
        }
        let javac = find()?;
        #[expect(clippy::disallowed_methods, reason = "a build script, not the program")]
        let done = std::process::Command::new(&javac)
            .args(&arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .output()
            .map_err(|e| format!("cannot start {}: {e}", javac.display()))?;
        if !done.status.success() {
            return Err(format!(
                "{} failed:\n{}",
                javac.display(),
                String::from_utf8_lossy(&done.stderr)
            ));
        }
        let name = |file: &Path| {
            let below = file.strip_prefix(self.output).unwrap_or(file).with_extension("");
            below.display().to_string()
        };
        Ok(files(self.output, "class")
            .into_iter()
            .map(|file| (name(&file), file))
            .collect())
    }
}

/// `javac` of JAVA_HOME, else of the PATH.
fn find() -> Result<PathBuf, String> {
    println_env("JAVA_HOME");
    let home = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let path = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect::<Vec<_>>())
        .unwrap_or_default();
    home.into_iter()
        .chain(path)
        .map(|folder| folder.join("javac"))
        .find(|javac| javac.is_file())
        .ok_or_else(|| {
            "no `javac`: unflake's Java runtime needs a JDK to be built; set JAVA_HOME or put one on the PATH"
                .to_owned()
        })
}

fn files(below: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![below.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
fn println_rerun(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

#[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
fn println_env(name: &str) {
    println!("cargo::rerun-if-env-changed={name}");
}
