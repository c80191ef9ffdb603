//! Which processes there are, and which JDKs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The command lines of processes that name this path.
pub(crate) fn alive(mark: &Path) -> Vec<String> {
    let mark = mark.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let command_lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    command_lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(mark))
        .collect()
}

/// Waits until this many processes name the path.
pub(crate) fn wait_for(mark: &Path, count: usize) {
    let start = Instant::now();
    while alive(mark).len() < count {
        assert!(start.elapsed() < Duration::from_secs(120), "{:?}", alive(mark));
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn ends_within(mark: &Path, limit: Duration) -> bool {
    let start = Instant::now();
    while !alive(mark).is_empty() {
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// The homes of the JDKs that everything must work on. One that is missing fails the test.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let jdks = xtask::jdks::require_all(&[]).unwrap_or_else(|missing| panic!("{missing}"));
    jdks.into_iter().map(|jdk| jdk.home).collect()
}
