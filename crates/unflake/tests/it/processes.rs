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

/// JDKs for tests that must hold on all of them: those below `UNFLAKE_JDK_DIR`, or the one that the build uses.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let folder = std::env::var_os("UNFLAKE_JDK_DIR").map(PathBuf::from);
    let entries = folder
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap().flatten());
    let mut jdks: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|home| home.join("bin/javac").is_file())
        .collect();
    jdks.sort();
    if jdks.is_empty() {
        let output = unflake_runner::command(crate::fixture::jdk_tool("java"), Path::new("/"))
            .args(["-XshowSettings:properties", "-version"])
            .output();
        let said = String::from_utf8(output.unwrap().stderr).unwrap();
        let home = said
            .lines()
            .find_map(|line| line.trim().strip_prefix("java.home = "));
        let home = PathBuf::from(home.unwrap());
        // Java 8 means its JRE.
        let jdk = home
            .parent()
            .filter(|_| home.ends_with("jre"))
            .map(Path::to_owned);
        jdks.push(jdk.unwrap_or(home));
    }
    jdks
}
