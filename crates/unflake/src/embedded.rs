//! The agent and the test runner that this program carries inside itself.
//!
//! They are unpacked into a folder whose name is the hash of their bytes, so that two versions never meet. What lies
//! there already is not trusted: it is compared byte for byte and replaced if it differs.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use unflake_check::{Problem, problem};

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The unpacked files.
#[derive(Clone, Debug)]
pub(crate) struct Unpacked {
    /// The agent's library.
    pub(crate) agent: PathBuf,
    /// The folder with the test runner's classes.
    pub(crate) runner: PathBuf,
}

/// Unpacks the agent's library under `base` and gives its path.
pub(crate) fn agent(base: &Path) -> Result<PathBuf, Problem> {
    unpack(base).map(|unpacked| unpacked.agent)
}

/// Unpacks everything under `base`, the program's folder in the user's cache directory.
pub(crate) fn unpack(base: &Path) -> Result<Unpacked, Problem> {
    let folder = base.join("tools").join(hash());
    let write = || -> io::Result<Unpacked> {
        let agent = folder.join("libunflake_agent.so");
        place(&agent, AGENT)?;
        let runner = folder.join("runner");
        for (name, bytes) in RUNNER {
            place(&runner.join(name), bytes)?;
        }
        Ok(Unpacked { agent, runner })
    };
    write().map_err(|error| {
        problem!(CannotWork, "cannot unpack the agent into `{}`", folder.display())
            .cause(error)
            .hint("name a directory that can be written to with `--store DIR` or `UNFLAKE_STORE`")
    })
}

fn hash() -> String {
    let mut hasher = blake3::Hasher::new();
    for bytes in std::iter::once(AGENT).chain(RUNNER.iter().map(|(_, bytes)| *bytes)) {
        hasher.update(bytes);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Makes sure that `file` has these bytes and that only its owner can change it.
fn place(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    let is_plain = fs::symlink_metadata(file)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o777 == 0o700);
    if is_plain && fs::read(file)? == bytes {
        return Ok(());
    }
    // Another unflake may be doing the same: each writes a file of its own, and renaming is atomic.
    let temporary = folder.join(format!(
        ".{}.{}",
        file.file_name().unwrap_or_default().display(),
        std::process::id()
    ));
    let mut open = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o700)
        .open(&temporary)?;
    open.write_all(bytes)?;
    drop(open);
    fs::set_permissions(&temporary, Permissions::from_mode(0o700))?;
    fs::rename(&temporary, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runner finds the class that starts a framework's tests by the framework's name on the wire.
    #[test]
    fn the_runner_can_start_every_framework() {
        for framework in unflake_protocol::Framework::ALL {
            let class = format!("unflake/runner/{}Tests.class", framework.wire_name());
            assert!(RUNNER.iter().any(|(name, _)| *name == class), "no {class}");
        }
    }

    #[test]
    fn what_lies_there_already_is_not_trusted() {
        let base = tempfile::tempdir().unwrap();
        let first = unpack(base.path()).unwrap();
        fs::write(&first.agent, b"something else").unwrap();
        let class = first.runner.join("unflake/runner/Main.class");
        fs::remove_file(&class).unwrap();
        std::os::unix::fs::symlink("/dev/null", &class).unwrap();
        let second = unpack(base.path()).unwrap();
        assert_eq!(first.agent, second.agent);
        assert_eq!(fs::read(&second.agent).unwrap(), AGENT);
        assert!(fs::symlink_metadata(&class).unwrap().is_file());
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&second.agent), mode(second.agent.parent().unwrap())),
            (0o700, 0o700)
        );
    }
}
