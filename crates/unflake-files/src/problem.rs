//! What cannot be watched, and why.

use rustix::io::Errno;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Something about a directory that is watched less well than was asked, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub directory: PathBuf,
    /// Lower case, without a full stop.
    pub message: String,
    /// What can be done about it; empty: nothing.
    pub hint: String,
}

impl Problem {
    pub(crate) fn no_more_watches(directory: &Path) -> Problem {
        let limit = setting("max_user_watches");
        Problem {
            directory: directory.to_owned(),
            message: format!(
                "the kernel's limit of {limit} watches is reached; `{}` and further directories are scanned after each test instead",
                directory.display()
            ),
            hint: "raise it with `sysctl fs.inotify.max_user_watches=1048576`, or watch fewer directories"
                .into(),
        }
    }

    pub(crate) fn no_notification(directory: &Path, error: Errno) -> Problem {
        let (message, hint) = match error {
            Errno::MFILE | Errno::NFILE => (
                format!(
                    "the kernel gives no further inotify instance (its limit is {}); directories are scanned after each test instead",
                    setting("max_user_instances")
                ),
                "raise it with `sysctl fs.inotify.max_user_instances=1024`",
            ),
            _ => (
                format!(
                    "inotify does not work here ({error}); directories are scanned after each test instead"
                ),
                "",
            ),
        };
        Problem {
            directory: directory.to_owned(),
            message,
            hint: hint.into(),
        }
    }

    pub(crate) fn unreadable(directory: &Path, error: impl fmt::Display) -> Problem {
        Problem {
            directory: directory.to_owned(),
            message: format!(
                "`{}` cannot be read ({error}); what tests do there is not seen",
                directory.display()
            ),
            hint: String::new(),
        }
    }

    pub(crate) fn too_many_files(directory: &Path, most: usize) -> Problem {
        Problem {
            directory: directory.to_owned(),
            message: format!(
                "there are more than {most} files; `{}` and further directories are not watched",
                directory.display()
            ),
            hint: "watch fewer directories, or leave out large ones".into(),
        }
    }

    pub(crate) fn too_many_to_scan(directory: &Path, most: usize) -> Problem {
        Problem {
            directory: directory.to_owned(),
            message: format!(
                "more than {most} files would be scanned after each test; `{}` and further directories are not watched",
                directory.display()
            ),
            hint: "raise the kernel's limit with `sysctl fs.inotify.max_user_watches=1048576`, or watch fewer directories".into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A limit of inotify as this kernel has it.
pub(crate) fn setting(name: &str) -> String {
    let path = Path::new("/proc/sys/fs/inotify").join(name);
    fs::read_to_string(path).map_or_else(|_| "unknown size".into(), |text| text.trim().to_owned())
}
