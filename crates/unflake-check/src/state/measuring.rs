//! What capture costs: the same tests in the same JVMs, with and without it, one after the other.

use super::changes::{Changes, Jobs, run};
use super::eager::with_classes;
use super::{Check, startable, watching};
use crate::options::Eager;
use crate::options::Measure;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Instant;
use unflake_explore::TestIx;

/// Runs the tests in each of the ways that were asked for, as often as was asked for, and writes one JSON object per
/// run in a line of its own.
pub(crate) fn measure(check: &Check<'_>) -> String {
    let suite = &check.session.suite;
    let passed: Vec<TestIx> = check
        .selected
        .iter()
        .copied()
        .filter(|test| suite[*test].has_passed())
        .collect();
    let tests = startable(check, &passed);
    let options = check.options;
    let mut lines = String::new();
    for time in 1..=options.measure_times {
        for capture in &options.measure {
            let name = capture.name();
            let phase = format!("measuring {name}, {time} of {}", options.measure_times);
            check.progress.phase(&phase, tests.len() as u64);
            let clock = Instant::now();
            let changes = captured(check, &tests, *capture);
            let not_watched = changes.not_watched.iter();
            let not_watched: BTreeMap<&String, &String> =
                not_watched.map(|(what, why)| (what, &why.reason)).collect();
            let line = json!({
                "capture": name,
                "tests": tests.len(),
                "seconds": clock.elapsed().as_secs_f64(),
                "changing": changes.by_test.len(),
                "not_watched": not_watched,
                "jvms": changes.measured,
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    lines
}

fn captured(check: &Check<'_>, tests: &[TestIx], capture: Measure) -> Changes {
    let mut watch = watching::watch(check);
    match capture {
        Measure::None => run(check, tests, None, Jobs::All),
        Measure::Whole => {
            watch.initial = true;
            run(check, tests, Some(watch), Jobs::All)
        }
        Measure::Files => {
            // No name of a field matches this.
            watch.roots.include = vec!["-".to_owned()];
            run(check, tests, Some(watch), Jobs::All)
        }
        Measure::Eager => {
            let watch = with_classes(check, tests, &watch, Eager::Suite);
            run(check, tests, Some(watch), Jobs::All)
        }
        Measure::AllRoots => {
            watch.roots.all = true;
            run(check, tests, Some(watch), Jobs::All)
        }
    }
}
