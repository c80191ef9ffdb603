//! Names of files that are the same in every run: not by where our own directories happen to be.

use std::fs;
use std::path::{Path, PathBuf};
use unflake_protocol::{StateChange, StateKind};
use unflake_runner::OwnDirectory;

/// What files are called in findings.
pub(super) struct FileNames {
    scratch: PathBuf,
    project: PathBuf,
}

impl FileNames {
    pub(super) fn new(scratch: &Path, project: &Path) -> FileNames {
        let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        FileNames {
            project: canonical(project),
            scratch: canonical(scratch),
        }
    }

    pub(super) fn named(&self, change: StateChange) -> StateChange {
        if change.kind != StateKind::File {
            return change;
        }
        let path = Path::new(&change.root);
        let own = path.strip_prefix(&self.scratch).ok().and_then(OwnDirectory::of);
        let name = if let Some((own, below)) = own {
            let directory = match own {
                OwnDirectory::Home => "user.home",
                OwnDirectory::Temporary => "java.io.tmpdir",
            };
            format!("${{{directory}}}/{}", below.display())
        } else if let Ok(below) = path.strip_prefix(&self.project) {
            below.display().to_string()
        } else {
            change.root.clone()
        };
        StateChange {
            root: without_numbers(&name),
            path: name,
            ..change
        }
    }
}

/// Names that are made up anew each time have long numbers in them.
fn without_numbers(name: &str) -> String {
    const LONG: usize = 6;
    let mut text = String::new();
    let mut digits = String::new();
    for c in name.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        text.push_str(if digits.len() < LONG { &digits } else { "*" });
        digits.clear();
        text.push(c);
    }
    text.pop();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_made_up_and_short_ones_are_not() {
        assert_eq!(without_numbers("tmp/junit1234567890.tmp"), "tmp/junit*.tmp");
        assert_eq!(without_numbers("report-2024.txt"), "report-2024.txt");
        assert_eq!(without_numbers("a123456"), "a*");
    }

    #[test]
    fn files_are_named_by_what_they_lie_in() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (scratch, project) = (root.join("scratch"), root.join("project"));
        fs::create_dir_all(&scratch).unwrap();
        fs::create_dir_all(&project).unwrap();
        let names = FileNames::new(&scratch, &project);
        let named = |path: &Path| {
            let change = crate::simulated::change(&format!("file:{}", path.display()));
            let named = names.named(change);
            (named.root, named.path)
        };
        let same = |name: &str| (name.to_owned(), name.to_owned());
        assert_eq!(
            named(&scratch.join("worker-7/home/.rc")),
            same("${user.home}/.rc")
        );
        assert_eq!(
            named(&scratch.join("worker-7/tmp/x/y")),
            same("${java.io.tmpdir}/x/y")
        );
        assert_eq!(named(&project.join("out/a.txt")), same("out/a.txt"));
        assert_eq!(named(Path::new("/var/a.txt")), same("/var/a.txt"));
        // Two runs make up two names: what is compared is the same, what is shown is what was seen.
        let (compared, shown) = named(&scratch.join("worker-7/tmp/junit1234567"));
        assert_eq!(
            (compared.as_str(), shown.as_str()),
            ("${java.io.tmpdir}/junit*", "${java.io.tmpdir}/junit1234567")
        );
        let heap = crate::simulated::change("S.n");
        assert_eq!(names.named(heap.clone()), heap);
    }
}
