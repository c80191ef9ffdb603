//! Processes that a suite has started, by a name that only they know; each is ended by its number.

use crate::process::Program;
use crate::{Failure, Outcome};
use std::fs;

/// A process, with its arguments.
pub(super) struct Process {
    id: u32,
    arguments: Vec<String>,
}

/// All that have this among their arguments or in their environment, the oldest first. A test JVM of the build gets
/// the agent by its environment only.
pub(super) fn knowing(name: &str) -> Outcome<Vec<Process>> {
    let all = fs::read_dir("/proc").map_err(|e| Failure::new(format!("cannot list processes: {e}")))?;
    let mut found = Vec::new();
    for entry in all.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // One that has ended meanwhile, or is another user's, cannot be read and is none of ours.
        let read = |what| fs::read(entry.path().join(what)).unwrap_or_default();
        let (arguments, environment) = (text(&read("cmdline")), text(&read("environ")));
        if arguments.contains(name) || environment.contains(name) {
            let arguments = arguments.split('\0').map(str::to_owned).collect();
            found.push(Process { id, arguments });
        }
    }
    found.sort_by_key(|process| process.id);
    Ok(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Process {
    /// Whether it runs this program.
    pub(super) fn is(&self, program: &str) -> bool {
        let path = self.argument(0);
        path == program || path.ends_with(&format!("/{program}"))
    }

    pub(super) fn argument(&self, n: usize) -> &str {
        self.arguments.get(n).map_or("", String::as_str)
    }

    pub(super) fn has(&self, part: &str) -> bool {
        self.arguments.iter().any(|argument| argument.contains(part))
    }

    /// It may have ended by itself; then there is nobody to tell.
    pub(super) fn signal(&self, signal: &str) -> Outcome<()> {
        let id = self.id.to_string();
        Program::new("kill").args([&format!("-{signal}"), &id]).run()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_by_what_only_it_knows_and_ended() {
        let name = format!("UNFLAKE_TEST_OF_{}", std::process::id());
        let waiting = std::thread::spawn({
            let name = name.clone();
            move || Program::new("sleep").arg("60").env(&name, "").run()
        });
        let found = loop {
            let found = knowing(&name).unwrap();
            // Between fork and exec it still is what started it.
            if found.iter().any(|process| process.is("sleep")) {
                break found;
            }
            std::thread::yield_now();
        };
        assert_eq!((found.len(), found[0].argument(1)), (1, "60"));
        assert!(found[0].has("6") && !found[0].is("eep"));
        found[0].signal("KILL").unwrap();
        assert!(!waiting.join().unwrap().unwrap().status.success());
        assert!(knowing(&name).unwrap().is_empty());
    }
}
