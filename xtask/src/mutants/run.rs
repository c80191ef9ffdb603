//! One mutant against the tests that reach it.

use super::mutant::Mutant;
use super::switch;
use super::tests_of::Test;
use crate::{Failure, Outcome};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// By this test.
    Killed(String),
    /// The tests did not end, or the process died.
    Ended,
    /// All tests that reach it passed.
    Survived,
    Unreached,
}

impl Fate {
    pub(super) fn is_killed(&self) -> bool {
        matches!(self, Fate::Killed(_) | Fate::Ended)
    }
}

/// A test that takes longer runs only where no quicker one fails.
const QUICK_SECONDS: f64 = 0.5;

/// Runs the tests that reach a mutant, quick ones first, until one fails.
pub(super) fn fate(mutant: &Mutant, tests: &[Test], folder: &Path, scratch: &Path) -> Outcome<Fate> {
    let reaching: Vec<&Test> = tests
        .iter()
        .filter(|test| test.reached.contains(&mutant.number))
        .collect();
    if reaching.is_empty() {
        return Ok(Fate::Unreached);
    }
    let (quick, slow): (Vec<&Test>, Vec<&Test>) = reaching
        .into_iter()
        .partition(|test| test.seconds <= QUICK_SECONDS);
    let slow = slow.iter().map(std::slice::from_ref);
    for tests in std::iter::once(quick.as_slice()).chain(slow) {
        let mut programs: Vec<&PathBuf> = tests.iter().map(|test| &test.program).collect();
        programs.dedup();
        for program in programs {
            let tests: Vec<&Test> = tests
                .iter()
                .filter(|test| test.program == *program)
                .copied()
                .collect();
            let fate = run(mutant.number, program, &tests, folder, scratch)?;
            if fate.is_killed() {
                return Ok(fate);
            }
        }
    }
    Ok(Fate::Survived)
}

/// The tests get five times the processor's time that they took before, since a mutant may not end; and far more time
/// of the clock, since other processes may run beside them.
fn run(number: usize, program: &Path, tests: &[&Test], folder: &Path, scratch: &Path) -> Outcome<Fate> {
    let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
    let limit = 2 + (5.0 * seconds) as u64;
    #[expect(clippy::disallowed_methods, reason = "a tool for us, not a test JVM")]
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -t $0 && exec \"$@\"", &limit.to_string()])
        .arg(program)
        .args(["--test-threads=1", "--exact"])
        .args(tests.iter().map(|test| &test.name))
        .current_dir(folder)
        .env(switch::ACTIVE, number.to_string())
        .env(switch::SECONDS, (20 + 5 * limit).to_string())
        .env("TMPDIR", scratch)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|e| Failure::io("cannot start", program, &e))?;
    let mut fate = Fate::Ended;
    let lines = BufReader::new(child.stdout.take().expect("it was piped")).lines();
    for line in lines.map_while(Result::ok) {
        if line.starts_with("test result: ok") {
            fate = Fate::Survived;
            break;
        }
        if let Some(test) = line.strip_suffix("... FAILED") {
            fate = Fate::Killed(test.trim_start_matches("test ").trim().to_owned());
            child.kill().ok();
            break;
        }
    }
    child
        .wait()
        .map_err(|e| Failure::io("cannot wait for", program, &e))?;
    Ok(fate)
}
