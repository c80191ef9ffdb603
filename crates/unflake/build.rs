//! Builds what the program carries inside of itself: the agent's library and the test runner's classes.
//!
//! The agent is a library for another process, so cargo does not build it as a dependency of the program. It is built
//! here, by another cargo in a target directory of its own (the outer one holds the lock of its own).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};
use unflake_javac::Javac;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join("../..")
        .canonicalize()?;
    let agent = build_agent(&workspace, &out)?;
    let runner = build_runner(&workspace, &out)?;
    let mut table = String::new();
    writeln!(
        table,
        "/// The agent's library.\npub(crate) const AGENT: &[u8] = include_bytes!({agent:?});"
    )?;
    writeln!(
        table,
        "/// The test runner's classes, by file name.\npub(crate) const RUNNER: &[(&str, &[u8])] = &["
    )?;
    for (name, file) in runner {
        writeln!(
            table,
            "    ({:?}, include_bytes!({file:?})),",
            format!("{name}.class")
        )?;
    }
    writeln!(table, "];")?;
    fs::write(out.join("embedded.rs"), table)?;
    Ok(())
}

fn build_agent(workspace: &Path, out: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    for part in [
        "crates/unflake-agent",
        "crates/unflake-bytecode",
        "crates/unflake-files",
        "crates/unflake-heap",
        "crates/unflake-models",
        "crates/unflake-protocol",
        "runtime/boot",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={}", workspace.join(part).display());
    }
    let (host, target) = (env::var("HOST")?, env::var("TARGET")?);
    let target_dir = out.join("agent");
    #[expect(clippy::disallowed_methods, reason = "a build script, not the program")]
    let mut cargo = std::process::Command::new(env::var("CARGO")?);
    cargo
        .args([
            "build",
            "--release",
            "--locked",
            "--package",
            "unflake-agent",
            "--manifest-path",
        ])
        .arg(workspace.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target_dir)
        // Meant for the outer cargo's own calls of the compiler.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_BUILD_TARGET");
    // Tests ask the agent for faults; users cannot.
    if env::var("PROFILE")? == "debug" || env::var_os("CARGO_FEATURE_FAULTS").is_some() {
        cargo.args(["--features", "faults"]);
    }
    let mut built = target_dir.clone();
    if host != target {
        cargo.args(["--target", &target]);
        built.push(&target);
    }
    let done = cargo.output()?;
    if !done.status.success() {
        return Err(format!(
            "the agent does not build:\n{}",
            String::from_utf8_lossy(&done.stderr)
        )
        .into());
    }
    Ok(built.join("release/libunflake_agent.so"))
}

fn build_runner(workspace: &Path, out: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn std::error::Error>> {
    let runtime = workspace.join("runtime");
    let boot = out.join("boot");
    unflake_javac::compile_boot(&runtime.join("boot"), &boot)?;
    let classes = Javac {
        sources: &runtime.join("runner"),
        generated: None,
        class_path: Some(&boot),
        signatures: Some(&runtime.join("stubs")),
        output: &out.join("runner"),
    };
    Ok(classes.compile()?)
}
