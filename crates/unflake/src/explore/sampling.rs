//! Random executions: alone for comparison, and beside a search that could not try everything.

use super::Target;
use super::result::sort;
use super::runs::Exploration;
use crate::problem::Problem;
use crate::scripted::Subject;
use std::collections::BTreeMap;
use std::sync::Mutex;
use unflake_explore::{End, end_of, wilson};
use unflake_findings::{Edge, FailureKind, Figures, Node, NodeKind, SCHEMA_VERSION, StateSpace};
use unflake_protocol::{Form, Level, Record, Strategy};

/// Random executions beside a search that could not try everything.
const DRAWN: u32 = 200;

impl Exploration<'_> {
    /// What random executions end in, each with a seed of its own, and how often.
    fn draw(&self, count: u32) -> Result<BTreeMap<Option<End>, u64>, Problem> {
        self.progress.phase("drawing", u64::from(count));
        let mut worker = None;
        let mut ends = BTreeMap::new();
        for number in 0..count {
            if (self.cancel)() {
                break;
            }
            let drawn = Exploration {
                subject: Subject {
                    strategy: Some(Strategy {
                        level: Level::Full,
                        form: Form::Random(self.settings.seed.derive(u64::from(number))),
                    }),
                    ..self.subject
                },
                settings: self.settings,
                jvms: self.jvms,
                progress: self.progress,
                started: self.started,
                cancel: self.cancel,
                spare: Mutex::new(None),
            };
            match drawn.execute(&mut worker, None, &Record::default(), true)? {
                Some(probed) => *ends.entry(end_of(&probed.verdict)).or_default() += 1,
                None => break,
            }
            self.progress.step();
        }
        Ok(ends)
    }

    /// Random executions alone, for comparison: a start and the different ends.
    pub(super) fn random(&self, count: u32, target: &Target) -> Result<StateSpace, Problem> {
        let ends = self.draw(count)?;
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
                "drawn at random from seed {}, not explored: what was not drawn is not known",
                self.settings.seed
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

    /// Where not everything could be tried, some behaviours from all over the space: ways to fail that the search has not
    /// come to.
    pub(super) fn further(&self, failures: &mut Vec<FailureKind>) -> Option<String> {
        let ends = self.draw(DRAWN).ok()?;
        let all: u64 = ends.values().sum();
        let mut more = 0;
        for (end, count) in ends {
            let Some(end) = end else { continue };
            let is_known = |kind: &FailureKind| kind.message == end.message && kind.line == end.line;
            if !failures.iter().any(is_known) {
                more += 1;
                failures.push(FailureKind {
                    exception: end.exception,
                    message: end.message,
                    line: end.line,
                    probability: count as f64 / all as f64,
                    executions: count,
                });
            }
        }
        sort(failures);
        (more > 0).then(|| {
            format!("{all} random executions beside the search found {more} more ways to fail; they are not in the graph")
        })
    }
}
