//! What came of an exploration: the state space, with what is to be seen of its choices.

use super::Target;
use super::runs::{Exploration, Explored};
use crate::places::OwnCode;
use crate::vary::cause::api;
use std::collections::BTreeMap;
use std::path::Path;
use unflake_explore::{Graph, Verdict, Vertex, VertexKind};
use unflake_findings::{Edge, FailureKind, Figures, Node, NodeKind, SCHEMA_VERSION, StateSpace};
use unflake_protocol::{Evidence, Record, Script};

/// Choices of the picture for which the line and the elements are looked up.
const SHOWN: usize = 100;

/// Different failures that are repeated in a fresh JVM.
const CONFIRMED: usize = 20;

impl Exploration<'_> {
    pub(super) fn state_space(&self, explored: Explored, target: &Target, project: &Path) -> StateSpace {
        let Explored {
            search,
            is_warm,
            mut notes,
        } = explored;
        let graph = Graph::of(&search);
        let evidence = self.evidence(&graph, is_warm);
        notes.extend(self.unrepeated(&graph, is_warm));
        let complete = search.is_complete();
        if !complete && search.untried() > 0 {
            let untried = search.untried();
            let more = if self.settings.first && search.failures > 0 {
                "it ended at the first failure".to_owned()
            } else if (self.cancel)() {
                "it was interrupted; the same command continues".to_owned()
            } else if self.is_over() {
                "time ran out; the same command continues".to_owned()
            } else {
                format!(
                    "the limit is {} executions; `--runs` raises it",
                    self.settings.runs
                )
            };
            notes.push(format!("{untried} known alternatives were not tried: {more}"));
        }
        let sampled = graph
            .vertices
            .iter()
            .filter(|vertex| matches!(vertex.what, VertexKind::Choice { is_sampled: true, .. }))
            .count();
        if sampled > 0 {
            notes.push(format!(
                "of each choice of more than {1} elements ({sampled} in the graph) only {0} orders were tried; `--elements` raises the limit",
                self.settings.samples, self.settings.elements
            ));
        }
        let mut failures = failures(&graph);
        let is_whole = complete && sampled == 0;
        let goes_on = !self.settings.first && self.subject.strategy.is_none() && !(self.cancel)();
        let mut failure_probability = graph.chance.mean;
        let mut interval = (!graph.chance.is_exact()).then(|| graph.chance.interval());
        if goes_on && (is_warm || !is_whole) {
            let drawn = self.further(&mut failures, is_warm);
            notes.extend(drawn.as_ref().and_then(|drawn| drawn.note(is_whole)));
            // A search that was not finished knows one corner well and nothing of the rest.
            if let (Some((from, to)), Some((share, around))) =
                (interval, drawn.and_then(|drawn| drawn.chance()))
                && around.1 - around.0 < to - from
            {
                (failure_probability, interval) = (share, Some(around));
                notes.push("the probability of failure is estimated from the random executions".to_owned());
            }
        }
        let figures = graph.figures();
        let mut places = OwnCode::new(project, &target.launch);
        let mut node = |(index, vertex): (usize, &Vertex)| Node {
            kind: node_kind(vertex, evidence.get(&index), &mut places),
            failure_probability: vertex.chance.mean,
        };
        StateSpace {
            schema_version: SCHEMA_VERSION,
            test: target.id.clone(),
            figures: Figures {
                nodes: figures.nodes,
                edges: figures.edges,
                failing_leaves: figures.failing_leaves,
                merge_nodes: figures.merge_nodes,
                critical_choices: figures.critical_choices,
                failure_probability,
                interval,
            },
            complete,
            notes,
            executions: search.executions,
            time: self.started.elapsed().as_secs_f64(),
            nodes: graph.vertices.iter().enumerate().map(&mut node).collect(),
            edges: graph
                .edges
                .iter()
                .map(|edge| Edge {
                    from: edge.from,
                    to: edge.to,
                    order: edge.order.clone(),
                })
                .collect(),
            failures,
        }
    }

    /// What is to be seen of the choices of the graph, critical ones first.
    fn evidence(&self, graph: &Graph, is_warm: bool) -> BTreeMap<usize, Evidence> {
        let mut wanted: Vec<(bool, usize)> = (graph.vertices.iter().enumerate())
            .filter_map(|(index, vertex)| match &vertex.what {
                VertexKind::Choice { is_critical, .. } => Some((!is_critical, index)),
                _ => None,
            })
            .collect();
        wanted.sort_unstable();
        wanted.truncate(if is_warm { SHOWN } else { SHOWN / 20 });
        let mut worker = None;
        let mut found = BTreeMap::new();
        for (_, index) in wanted {
            let VertexKind::Choice { way, id, .. } = &graph.vertices[index].what else {
                continue;
            };
            if (self.cancel)() {
                break;
            }
            let record = Record {
                evidence: vec![*id],
                ..Record::default()
            };
            let script = self.script(way);
            if let Ok(Some(probed)) = self.execute(&mut worker, Some(&script), &record, is_warm) {
                found.extend(
                    probed
                        .evidence
                        .into_iter()
                        .next()
                        .map(|evidence| (index, evidence)),
                );
            }
        }
        found
    }

    fn script(&self, way: &[(unflake_protocol::ChoiceId, unflake_protocol::Order)]) -> Script {
        let mut entries: Vec<_> = way.iter().map(|(id, order)| (*id, *id, order.clone())).collect();
        entries.sort_by_key(|(id, ..)| *id);
        Script {
            others: self.others(),
            entries,
        }
    }

    /// Repeats different failures in a JVM that has seen none of them; a sentence if one does not fail there.
    fn unrepeated(&self, graph: &Graph, is_warm: bool) -> Option<String> {
        if !is_warm {
            return None;
        }
        let mut fresh = None;
        let mut tried = 0;
        let mut passed = 0;
        for (index, vertex) in graph.vertices.iter().enumerate() {
            if !matches!(vertex.what, VertexKind::Failed { .. }) || tried >= CONFIRMED || (self.cancel)() {
                continue;
            }
            let Some(edge) = graph.edges.iter().find(|edge| edge.to == index) else {
                continue;
            };
            let VertexKind::Choice { way, id, .. } = &graph.vertices[edge.from].what else {
                continue;
            };
            let mut way = way.clone();
            way.push((*id, unflake_protocol::Order::Given(edge.order.clone())));
            tried += 1;
            let again = self.execute(&mut fresh, Some(&self.script(&way)), &Record::default(), true);
            if let Ok(Some(probed)) = again
                && probed.verdict == Verdict::Passed
            {
                passed += 1;
            }
        }
        (passed > 0).then(|| {
            format!("{passed} of {tried} failures did not repeat in a fresh JVM: treat them as flaky")
        })
    }
}

fn node_kind(vertex: &Vertex, evidence: Option<&Evidence>, places: &mut OwnCode) -> NodeKind {
    match &vertex.what {
        VertexKind::Start => NodeKind::Start,
        VertexKind::Passed => NodeKind::Passed,
        VertexKind::Unexplored => NodeKind::Unexplored,
        VertexKind::Failed {
            exception, message, ..
        } => NodeKind::Failed {
            exception: exception.clone(),
            message: message.clone(),
        },
        VertexKind::Choice {
            model,
            size,
            is_critical,
            is_sampled,
            ..
        } => NodeKind::Choice {
            api: evidence.map_or_else(|| model.clone(), api),
            elements: *size,
            call: evidence.and_then(|evidence| {
                let place = places.place(&evidence.stack)?;
                let file = place.file.rsplit('/').next().unwrap_or_default();
                let (class, method) = place.method.rsplit_once('.')?;
                let class = class.rsplit('.').next().unwrap_or_default();
                Some(format!("{class}.{method}({file}:{})", place.line))
            }),
            natural: evidence
                .map(|evidence| evidence.natural.clone())
                .unwrap_or_default(),
            merge: vertex.entries > 1,
            critical: *is_critical,
            sampled: *is_sampled,
        },
    }
}

/// The different ways to fail, the most likely first.
fn failures(graph: &Graph) -> Vec<FailureKind> {
    let mut kinds: Vec<FailureKind> = (graph.failure_shares().into_iter())
        .filter_map(|(index, probability)| match &graph.vertices[index].what {
            VertexKind::Failed {
                exception,
                message,
                line,
            } => Some(FailureKind {
                exception: exception.clone(),
                message: message.clone(),
                line: line.clone(),
                probability,
                executions: graph.vertices[index].merged,
            }),
            _ => None,
        })
        .collect();
    sort(&mut kinds);
    kinds
}

pub(super) fn sort(kinds: &mut [FailureKind]) {
    kinds.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| a.message.cmp(&b.message))
    });
}
