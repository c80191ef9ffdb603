//! Names of files that are the same in every run: not by where our own directories happen to be.

use std::fs;
use std::path::{Path, PathBuf};
use unflake_protocol::{StateChange, StateKind};

/// What files are called in findings.
pub(super) struct FileNames {
    scratch: PathBuf,
    project: PathBuf,
    /// Where tests think that the user is at home.
    pub(super) home: PathBuf,
}

impl FileNames {
    pub(super) fn new(scratch: &Path, project: &Path, number: u32) -> FileNames {
        let canonical = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let scratch = canonical(scratch);
        let home = scratch.join(format!("home-{number}"));
        // Without it, nothing in it is seen; tests that need one make it.
        let _ = fs::create_dir_all(&home);
        FileNames {
            project: canonical(project),
            scratch,
            home,
        }
    }

    pub(super) fn named(&self, change: StateChange) -> StateChange {
        if change.kind != StateKind::File {
            return change;
        }
        let path = Path::new(&change.root);
        let name = if let Ok(below) = path.strip_prefix(&self.home) {
            format!("${{user.home}}/{}", below.display())
        } else if let Ok(below) = path.strip_prefix(&self.scratch) {
            // `worker-7/tmp/…`
            let below: PathBuf = below.components().skip(2).collect();
            format!("${{java.io.tmpdir}}/{}", below.display())
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
}
