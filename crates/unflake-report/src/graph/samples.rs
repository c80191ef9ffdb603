//! Small and large state spaces for tests.

use unflake_findings::{Edge, FailureKind, Figures, Node, NodeKind, SCHEMA_VERSION, StateSpace};
use unflake_protocol::TestId;

pub(crate) struct Builder {
    nodes: Vec<NodeKind>,
    edges: Vec<Edge>,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        Builder {
            nodes: vec![NodeKind::Start],
            edges: Vec::new(),
        }
    }

    pub(crate) fn node(&mut self, kind: NodeKind) -> usize {
        self.nodes.push(kind);
        self.nodes.len() - 1
    }

    pub(crate) fn choice(&mut self, api: &str, line: u32, names: &[&str]) -> usize {
        self.node(NodeKind::Choice {
            api: api.to_owned(),
            elements: names.len() as u32,
            call: Some(format!("shop.Cart.write(Cart.java:{line})")),
            natural: names.iter().map(|name| (*name).to_owned()).collect(),
            merge: false,
            critical: false,
            sampled: false,
        })
    }

    pub(crate) fn failed(&mut self, message: &str) -> usize {
        self.node(NodeKind::Failed {
            exception: "org.opentest4j.AssertionFailedError".to_owned(),
            message: message.to_owned(),
        })
    }

    pub(crate) fn edge(&mut self, from: usize, to: usize, order: &[u32]) {
        let order = order.to_vec();
        self.edges.push(Edge { from, to, order });
    }

    /// Computes what follows from the graph: probabilities, marks, figures, failures.
    pub(crate) fn build(self) -> StateSpace {
        let n = self.nodes.len();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut coming = vec![0; n];
        for edge in &self.edges {
            out[edge.from].push(edge.to);
            coming[edge.to] += 1;
        }
        let mut p = vec![0.0; n];
        for node in (0..n).rev() {
            p[node] = match (&self.nodes[node], out[node].len()) {
                (NodeKind::Failed { .. }, _) => 1.0,
                (_, 0) => 0.0,
                (_, orders) => out[node].iter().map(|to| p[*to]).sum::<f64>() / orders as f64,
            };
        }
        let mut reached = vec![0.0; n];
        reached[0] = 1.0;
        let mut nodes: Vec<Node> = Vec::new();
        for (node, mut kind) in self.nodes.into_iter().enumerate() {
            for to in &out[node] {
                reached[*to] += reached[node] / out[node].len() as f64;
            }
            if let NodeKind::Choice { merge, critical, .. } = &mut kind {
                *merge |= coming[node] > 1;
                let decided = out[node].iter().any(|to| p[*to] == 0.0 || p[*to] == 1.0);
                *critical |= decided && p[node] > 0.0 && p[node] < 1.0;
            }
            nodes.push(Node {
                kind,
                failure_probability: p[node],
            });
        }
        let count = |is: fn(&NodeKind) -> bool| nodes.iter().filter(|node| is(&node.kind)).count();
        let figures = Figures {
            nodes: n,
            edges: self.edges.len(),
            failing_leaves: count(|kind| matches!(kind, NodeKind::Failed { .. })),
            merge_nodes: count(|kind| matches!(kind, NodeKind::Choice { merge: true, .. })),
            critical_choices: count(|kind| matches!(kind, NodeKind::Choice { critical: true, .. })),
            failure_probability: p[0],
            interval: None,
        };
        let failures = nodes
            .iter()
            .zip(&reached)
            .filter_map(|(node, reached)| match &node.kind {
                NodeKind::Failed { exception, message } => Some(FailureKind {
                    exception: exception.clone(),
                    message: message.clone(),
                    line: Some("shop.CartTest.writesJson(CartTest.java:21)".to_owned()),
                    probability: *reached,
                    executions: 1,
                }),
                _ => None,
            });
        let mut failures: Vec<FailureKind> = failures.collect();
        failures.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        StateSpace {
            schema_version: SCHEMA_VERSION,
            test: TestId {
                module: ".".to_owned(),
                root: "shop.CartTest".to_owned(),
                test: "shop.CartTest#writesJson".to_owned(),
                invocation: None,
            },
            figures,
            complete: true,
            notes: Vec::new(),
            executions: 8,
            time: 3.42,
            nodes,
            edges: self.edges,
            failures,
        }
    }
}

/// The thesis's example: the second choice follows both orders of the first.
pub(crate) fn figure_2_12() -> StateSpace {
    let mut b = Builder::new();
    let a = b.choice("HashMap.keySet", 12, &["apple", "pear"]);
    let second = b.choice("HashSet.iterator", 14, &["plum", "quince"]);
    let left = b.choice("File.list", 21, &["may.pdf", "june.pdf"]);
    let right = b.choice("File.list", 21, &["may.pdf", "june.pdf"]);
    let passed = b.node(NodeKind::Passed);
    let first = b.failed("expected: <[plum, quince]> but was: <[quince, plum]>");
    let other = b.failed("expected: <2> but was: <1>");
    b.edge(0, a, &[]);
    for order in [[0, 1], [1, 0]] {
        b.edge(a, second, &order);
    }
    b.edge(second, left, &[0, 1]);
    b.edge(second, right, &[1, 0]);
    b.edge(left, passed, &[0, 1]);
    b.edge(left, first, &[1, 0]);
    b.edge(right, other, &[0, 1]);
    b.edge(right, passed, &[1, 0]);
    b.build()
}

/// One choice of four elements, of whose orders only the natural one passes.
pub(crate) fn figure_2_8() -> StateSpace {
    let mut b = Builder::new();
    let names = ["name", "street", "city", "country"];
    let choice = b.choice("Class.getDeclaredFields", 30, &names);
    b.edge(0, choice, &[]);
    for (index, order) in permutations(4).iter().enumerate() {
        let to = match index {
            0 => b.node(NodeKind::Passed),
            _ => {
                let shown: Vec<&str> = order.iter().map(|place| names[*place as usize]).collect();
                b.failed(&format!("expected: <{names:?}> but was: <{shown:?}>"))
            }
        };
        b.edge(choice, to, order);
    }
    b.build()
}

/// A tree of choices, whose last ones fail for one order; all passes are one node.
pub(crate) fn tree(depth: u32, elements: u32) -> StateSpace {
    let names = ["a", "b", "c", "d", "e"];
    let orders = permutations(elements);
    let mut b = Builder::new();
    let top = b.choice("HashMap.keySet", 1, &names[..elements as usize]);
    b.edge(0, top, &[]);
    let mut level = vec![top];
    for deep in 1..depth {
        let mut next = Vec::new();
        for node in level {
            for order in &orders {
                let to = b.choice("HashSet.iterator", deep + 1, &names[..elements as usize]);
                b.edge(node, to, order);
                next.push(to);
            }
        }
        level = next;
    }
    let passed = b.node(NodeKind::Passed);
    for node in level {
        for (index, order) in orders.iter().enumerate() {
            let failed = index + 1 == orders.len();
            let to = if failed {
                b.failed(&format!("after {node}"))
            } else {
                passed
            };
            b.edge(node, to, order);
        }
    }
    b.build()
}

/// Any graph: choices of two to four elements that merge now and then, the largest sampled; passes, failures,
/// unexplored ones.
pub(crate) fn random(choices: usize, seed: u64) -> StateSpace {
    let mut state = seed;
    let mut random = move |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let apis = [
        "HashMap.keySet",
        "HashSet.iterator",
        "File.list",
        "Class.getDeclaredFields",
    ];
    let names = ["apple", "pear", "plum", "quince"];
    let mut b = Builder::new();
    let first = b.choice(apis[0], 10, &names[..2]);
    b.edge(0, first, &[]);
    let mut level = vec![first];
    // Edges to ends, which come behind all choices.
    let mut ending: Vec<(usize, Vec<u32>)> = Vec::new();
    for line in 11.. {
        let mut next = Vec::new();
        for node in level {
            let NodeKind::Choice { elements, .. } = b.nodes[node] else {
                continue;
            };
            for order in permutations(elements) {
                let full = b.nodes.len() > choices;
                match (random(10), next.last()) {
                    (0..4, _) if next.len() > 4 => ending.push((node, order)),
                    (4..6, Some(last)) => b.edge(node, *last, &order),
                    _ if full => ending.push((node, order)),
                    _ => {
                        let elements = 2 + random(8) / 6 + random(20) / 19;
                        let to = b.choice(apis[random(4)], line, &names[..elements]);
                        b.edge(node, to, &order);
                        next.push(to);
                    }
                }
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    let passed = b.node(NodeKind::Passed);
    let unexplored = b.node(NodeKind::Unexplored);
    let failed: Vec<usize> = (0..6)
        .map(|n| b.failed(&format!("expected: <{n}> but was: <{}>", n + 1)))
        .collect();
    for (node, order) in ending {
        let to = match random(16) {
            0..9 => passed,
            15 => unexplored,
            _ => failed[random(6)],
        };
        b.edge(node, to, &order);
    }
    let mut space = b.build();
    for node in &mut space.nodes {
        if let NodeKind::Choice {
            elements: 4..,
            sampled,
            ..
        } = &mut node.kind
        {
            *sampled = true;
        }
    }
    space
}

/// All of them, the natural order first.
pub(crate) fn permutations(n: u32) -> Vec<Vec<u32>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..n {
        for rest in permutations(n - 1) {
            let rest = rest
                .iter()
                .map(|place| if *place >= first { place + 1 } else { *place });
            all.push(std::iter::once(first).chain(rest).collect());
        }
    }
    all
}

/// Everything that should not be shown as it is, everywhere where a test can put it.
pub(crate) fn hostile() -> StateSpace {
    let nasty = "</script><script>alert(1)</script><!-- ]]> \"'`&amp;\\N\\\"\0\u{1b}[31m\u{202e}\u{2028}\r\nnext\tline";
    let mut b = Builder::new();
    let choice = b.choice(nasty, 1, &[nasty, "", "  ", "plain"]);
    let passed = b.node(NodeKind::Passed);
    let failed = b.failed(nasty);
    let endless = b.failed(&"<b>x".repeat(100_000));
    b.edge(0, choice, &[]);
    b.edge(choice, passed, &[0, 1, 2, 3]);
    b.edge(choice, failed, &[3, 2, 1, 0]);
    b.edge(choice, endless, &[9, 9]);
    let mut space = b.build();
    space.test.test = format!("shop.CartTest#{nasty}");
    space.complete = false;
    space.notes = vec![nasty.to_owned()];
    space
}
