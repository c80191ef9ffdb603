//! What tests do to the file system (P7): which files below the watched directories were created, changed by content or
//! deleted since the last question, and nothing about files whose bytes are what they were.
//!
//! The idea: what is there before the first test is listed and hashed once, in the background; afterwards only those
//! files are looked at that the kernel names (inotify), when somebody asks. So a question costs what the test has
//! touched, not what lies there, and what a test did and undid is never seen at all. Where the kernel cannot help (its
//! queue has overflowed, its number of watches is used up) directories are compared with the listing instead.
//!
//! This crate lives in the test JVM: it writes nothing, opens regular files only, and every failure is a [`Problem`] or
//! a file that is not looked at. It does not judge, and it knows no test. Known limits: writing through a memory map
//! that was made by an earlier test tells the kernel nothing; files above 64 MiB and unreadable ones are compared by
//! size and time.

mod difference;
mod hasher;
mod listing;
mod look;
mod notify;
mod problem;
mod watcher;

pub use difference::{FileChange, FileDifference};
pub use problem::Problem;
pub use watcher::Watcher;
