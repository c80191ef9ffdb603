//! Random executions: alone for comparison, and beside a search.

use super::Target;
use super::result::sort;
use super::runs::Exploration;
use crate::drive::scripts::Subject;
use crate::problem::Problem;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;
use unflake_explore::{End, end_of, random_rounds, wilson};
use unflake_findings::{Edge, FailureKind, Figures, Node, NodeKind, SCHEMA_VERSION, StateSpace};
use unflake_protocol::{Record, Seed};

/// Random executions beside a search.
const DRAWN: u32 = 200;

/// What random executions ended in, and how often; `None`: passed.
type EndCounts = BTreeMap<Option<End>, u64>;

/// What random executions beside a search have added to it.
pub(super) struct DrawnRuns {
    seed: Seed,
    executions: u64,
    failed: u64,
    /// Ways to fail that the search had not come to.
    more: usize,
}

impl DrawnRuns {
    /// How likely the test is to fail, with the interval, as far as these executions can tell.
    pub(super) fn chance(&self) -> Option<(f64, (f64, f64))> {
        let share = self.failed as f64 / self.executions as f64;
        (self.executions > 0).then(|| (share, wilson(self.failed, self.executions)))
    }

    /// What to say about them. A search that tried everything needs no word about executions that found the same.
    pub(super) fn note(&self, is_whole: bool) -> Option<String> {
        let found = match self.more {
            0 if is_whole => return None,
            0 => "no other way to fail".to_owned(),
            1 => "1 more way to fail; it is not in the graph".to_owned(),
            more => format!("{more} more ways to fail; they are not in the graph"),
        };
        Some(format!(
            "{} random executions beside the search (seed {}) found {found}",
            self.executions, self.seed
        ))
    }
}

impl Exploration<'_> {
    /// What random executions end in: to the test they do what the random rounds of `check` do under the same seed, one
    /// after the other, until time is up.
    fn draw(&self, count: u32, is_warm: bool, until: Option<Instant>) -> Result<EndCounts, Problem> {
        self.progress.phase("drawing", u64::from(count));
        let mut worker = None;
        let mut ends = EndCounts::new();
        for strategy in random_rounds(self.seed).take(count as usize) {
            if (self.cancel)() || until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            let drawn = Exploration {
                subject: Subject {
                    strategy: Some(strategy),
                    ..self.subject
                },
                spare: Mutex::new(None),
                ..*self
            };
            match drawn.execute(&mut worker, None, &Record::default(), is_warm)? {
                Some(probed) => *ends.entry(end_of(&probed.verdict)).or_default() += 1,
                None => break,
            }
            self.progress.step();
        }
        Ok(ends)
    }

    /// Random executions alone, for comparison: a start and the different ends.
    pub(super) fn random(&self, count: u32, target: &Target) -> Result<StateSpace, Problem> {
        let is_warm = self.first_run(target)?.is_like_others;
        let until = self.settings.budget.map(|budget| self.started + budget);
        let ends = self.draw(count, is_warm, until)?;
        let executions: u64 = ends.values().sum();
        let share = |count: u64| count as f64 / executions.max(1) as f64;
        let failed: u64 = ends
            .iter()
            .filter(|(end, _)| end.is_some())
            .map(|(_, count)| count)
            .sum();
        let mut nodes = vec![Node {
            kind: NodeKind::Start,
            failure_probability: share(failed),
        }];
        let mut failures = Vec::new();
        for (end, count) in ends {
            let (kind, failure_probability) = match end {
                None => (NodeKind::Passed, 0.0),
                Some(End {
                    exception,
                    message,
                    line,
                }) => {
                    failures.push(FailureKind {
                        exception: exception.clone(),
                        message: message.clone(),
                        line,
                        probability: share(count),
                        executions: count,
                    });
                    (NodeKind::Failed { exception, message }, 1.0)
                }
            };
            nodes.push(Node {
                kind,
                failure_probability,
            });
        }
        sort(&mut failures);
        Ok(StateSpace {
            schema_version: SCHEMA_VERSION,
            test: target.id.clone(),
            figures: Figures {
                nodes: nodes.len(),
                edges: nodes.len() - 1,
                failing_leaves: failures.len(),
                merge_nodes: 0,
                critical_choices: 0,
                failure_probability: share(failed),
                interval: Some(wilson(failed, executions)),
            },
            complete: false,
            notes: vec![format!(
                "sampled at random with seed {}, not explored: other behaviours may exist",
                self.seed
            )],
            executions,
            time: self.started.elapsed().as_secs_f64(),
            edges: (1..nodes.len())
                .map(|to| Edge {
                    from: 0,
                    to,
                    order: Vec::new(),
                })
                .collect(),
            nodes,
            failures,
        })
    }

    /// Random executions, where going through all behaviours is not possible.
    pub(super) fn instead(&self, target: &Target) -> Result<StateSpace, Problem> {
        let mut space = self.random(DRAWN, target)?;
        space.notes.insert(
            0,
            "several of its threads make choices and interleave differently each time, so its behaviours cannot be enumerated"
                .to_owned(),
        );
        Ok(space)
    }

    /// Adds the ways to fail that random executions come to and the search has not: it may not have tried everything,
    /// and leaves natural what the test framework chooses and what is chosen once per JVM. So an exploration never
    /// shows less than [`DRAWN`] random rounds with its seed. More of them add little: where the message prints the
    /// order of nine elements, the next 200 still found new ones after 8,000.
    pub(super) fn further(&self, failures: &mut Vec<FailureKind>, is_warm: bool) -> Option<DrawnRuns> {
        let until = self.settings.budget.map(|budget| Instant::now() + budget / 4);
        let ends = self.draw(DRAWN, is_warm, until).ok()?;
        let executions: u64 = ends.values().sum();
        let (mut more, mut failed) = (0, 0);
        for (end, count) in ends {
            let Some(end) = end else { continue };
            failed += count;
            let is_known = |kind: &FailureKind| kind.message == end.message && kind.line == end.line;
            if !failures.iter().any(is_known) {
                more += 1;
                failures.push(FailureKind {
                    exception: end.exception,
                    message: end.message,
                    line: end.line,
                    probability: count as f64 / executions as f64,
                    executions: count,
                });
            }
        }
        sort(failures);
        Some(DrawnRuns {
            seed: self.seed,
            executions,
            failed,
            more,
        })
    }
}
