//! The project's sources, for reports that show lines of them.
//!
//! A report is about what ran, so a file that was changed since is as good as none. Nothing outside of the project is
//! read, whatever a stored run says.

use std::fs;
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

/// Sources are small; what is larger is something else.
const LARGEST: u64 = 8 << 20;

/// The text of a file, by its path from the project's root. `None`: it is not there, lies outside, or was changed after
/// the run began (`started`, in seconds since 1970).
pub(crate) fn read(project: &Path, file: &str, started: u64) -> Option<String> {
    let file = Path::new(file);
    if !file
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return None;
    }
    let project = fs::canonicalize(project).ok()?;
    // Links are followed as far as they stay inside.
    let path = fs::canonicalize(project.join(file)).ok()?;
    let about = fs::metadata(&path).ok()?;
    let is_source = path.starts_with(&project) && about.is_file() && about.len() <= LARGEST;
    // Times of files may be cut to whole seconds, and so is the run's.
    let limit = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(started.saturating_add(1)));
    let modified = about.modified().ok()?;
    if !is_source || limit.is_some_and(|limit| modified >= limit) {
        return None;
    }
    let bytes = fs::read(&path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const LATER: u64 = 10_000_000_000;

    #[test]
    fn only_what_lies_in_the_project_is_read() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(project.join("src/A.java"), b"caf\xe9").unwrap();
        fs::write(root.path().join("secret"), "x").unwrap();
        symlink("../secret", project.join("link")).unwrap();
        symlink("A.java", project.join("src/B.java")).unwrap();
        let read = |file: &str| read(&project, file, LATER);
        assert_eq!(read("src/A.java").as_deref(), Some("caf\u{fffd}"));
        assert_eq!(read("./src/B.java").as_deref(), Some("caf\u{fffd}"));
        let outside = root.path().join("secret");
        for file in [
            "../secret",
            "src/../../secret",
            "link",
            "src",
            "none",
            "",
            "a\0b",
            outside.to_str().unwrap(),
        ] {
            assert_eq!(read(file), None, "{file}");
        }
    }

    #[test]
    fn what_was_changed_since_is_not_shown() {
        let project = tempfile::tempdir().unwrap();
        let file = project.path().join("A.java");
        fs::write(&file, "x").unwrap();
        let modified = |seconds: u64| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 500);
            fs::File::options()
                .write(true)
                .open(&file)
                .unwrap()
                .set_modified(time)
                .unwrap();
        };
        modified(1000);
        assert!(read(project.path(), "A.java", 1000).is_some());
        assert!(read(project.path(), "A.java", 999).is_none());
        assert!(read(project.path(), "A.java", u64::MAX).is_some());
    }
}
