//! Random suites without JVMs, for tests: a few tests in a few classes that read and write a few cells of shared state.
//!
//! Everything that the search must cope with is in them: polluters, victims, cleaners, brittle tests, tests that are
//! their own victims, tests that fail before they write, class set-ups that reset cells, builds in two JVMs. In sparse
//! suites few tests do any of that, and some write only when they are the first of their JVM.

use super::launch_tests::{ClassIx, LaunchTests};
use super::orders::{Orders, TestOrder};
use super::simulated::failure;
use super::suspicions::{ChangeSeen, HeldBy, Suspicion, Turn, suspicions};
use crate::{TestIx, Verdict};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use unflake_protocol::Seed;

const CELLS: usize = 3;
const VALUES: u64 = 3;

/// The shared state of one JVM.
type State = [u64; CELLS];
/// A JVM that runs tests.
#[derive(Clone, Copy, Debug, Default)]
struct Jvm {
    state: State,
    /// Of the test that ran last.
    class: Option<ClassIx>,
}

/// A cell and a value.
type Value = (usize, u64);

/// Numbers that follow from a seed.
pub(super) struct Draw {
    seed: Seed,
    count: u64,
}

impl Draw {
    pub(super) fn new(number: u64) -> Draw {
        Draw {
            seed: Seed(number).derive(0),
            count: 0,
        }
    }

    /// From 0 up to, and without, `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.count += 1;
        self.seed.derive(self.count).0 % end
    }

    fn is_one_of(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn value(&mut self) -> Value {
        (self.below(CELLS as u64) as usize, self.below(VALUES))
    }

    /// At most `most` of them.
    fn values(&mut self, most: u64) -> Vec<Value> {
        (0..self.below(most + 1)).map(|_| self.value()).collect()
    }

    /// A value that no cell has at first: most tests pass alone.
    fn later_value(&mut self) -> Value {
        match self.is_one_of(8) {
            true => self.value(),
            false => (self.below(CELLS as u64) as usize, 1 + self.below(VALUES - 1)),
        }
    }
}

#[derive(Clone, Debug)]
struct Behaviour {
    /// It fails if one of these cells has this value.
    fails_at: Vec<Value>,
    /// It fails unless this cell has this value.
    needs: Option<Value>,
    writes: Vec<Value>,
    /// It writes even if it fails: its assertions come last, or a tear-down writes.
    writes_anyway: bool,
    /// It writes only as the first test of its JVM.
    writes_only_first: bool,
}

/// How many tests read and write shared state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Density {
    Dense,
    Sparse,
}

impl Behaviour {
    fn dense(draw: &mut Draw) -> Behaviour {
        let n_bad = draw.below(3);
        Behaviour {
            fails_at: (0..n_bad).map(|_| draw.later_value()).collect(),
            needs: draw.is_one_of(8).then(|| draw.value()),
            writes: draw.values(2),
            writes_anyway: draw.is_one_of(2),
            writes_only_first: false,
        }
    }

    fn sparse(draw: &mut Draw) -> Behaviour {
        let n_bad = u64::from(draw.is_one_of(3));
        let most = if draw.is_one_of(3) { 2 } else { 0 };
        Behaviour {
            fails_at: (0..n_bad).map(|_| draw.later_value()).collect(),
            needs: draw.is_one_of(30).then(|| draw.value()),
            writes: draw.values(most),
            writes_anyway: draw.is_one_of(2),
            writes_only_first: draw.is_one_of(4),
        }
    }
}

/// A suite in which everything repeats.
#[derive(Debug)]
pub(super) struct Random {
    tests: Vec<Behaviour>,
    classes: Vec<ClassIx>,
    /// By class: what its set-up writes before its first test, and again whenever the class starts anew.
    set_ups: Vec<Vec<Value>>,
    held_by: Vec<HeldBy>,
    /// The first test that the build ran in its second JVM.
    second_jvm: usize,
    /// The check has run some tests alone that passed in the build.
    has_seen_alone: bool,
    jvms: Cell<usize>,
    most: Cell<usize>,
    /// Somebody wanted more.
    is_cut: Cell<bool>,
}

impl Random {
    pub(super) fn new(number: u64, density: Density) -> Random {
        let draw = &mut Draw::new(number);
        let count = 2 + draw.below(11) as usize;
        let n_classes = 1 + draw.below(4);
        let mut classes: Vec<ClassIx> = (0..count)
            .map(|_| ClassIx(draw.below(n_classes) as usize))
            .collect();
        classes.sort_unstable();
        let mut set_ups = Vec::new();
        for _ in 0..n_classes {
            let most = if draw.is_one_of(3) { 2 } else { 0 };
            set_ups.push(draw.values(most));
        }
        let mut tests = Vec::new();
        for _ in 0..count {
            tests.push(match density {
                Density::Dense => Behaviour::dense(draw),
                Density::Sparse => Behaviour::sparse(draw),
            });
        }
        let held_by = (0..CELLS).map(|cell| match draw.below(6) {
            0 => HeldBy::Jvm,
            1 => HeldBy::File,
            _ => HeldBy::Class(format!("C{cell}")),
        });
        Random {
            tests,
            classes,
            set_ups,
            held_by: held_by.collect(),
            second_jvm: if draw.is_one_of(3) {
                draw.below(count as u64) as usize
            } else {
                count
            },
            has_seen_alone: draw.is_one_of(2),
            jvms: Cell::new(0),
            most: Cell::new(usize::MAX),
            is_cut: Cell::new(false),
        }
    }

    pub(super) fn jvms(&self) -> usize {
        self.jvms.get()
    }

    /// From now on so many JVMs.
    pub(super) fn allow(&self, most: usize) {
        self.jvms.set(0);
        self.most.set(most);
        self.is_cut.set(false);
    }

    /// Whether more JVMs were asked for than there were.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = TestIx> + use<> {
        TestIx::all(self.tests.len())
    }

    /// Whether each test of an order passes, and the states before and after it, set-ups left out.
    fn steps(&self, order: &[TestIx]) -> Vec<(bool, State, State)> {
        let mut jvm = Jvm::default();
        order.iter().map(|test| self.step(&mut jvm, *test)).collect()
    }

    fn step(&self, jvm: &mut Jvm, test: TestIx) -> (bool, State, State) {
        let class = self.classes[test.0];
        let is_first = jvm.class.is_none();
        if jvm.class.replace(class) != Some(class) {
            write(&mut jvm.state, &self.set_ups[class.0]);
        }
        let before = jvm.state;
        let behaviour = &self.tests[test.0];
        let has = |(cell, value): &Value| before[*cell] == *value;
        let passes = !behaviour.fails_at.iter().any(has) && behaviour.needs.iter().all(has);
        let is_on_time = is_first || !behaviour.writes_only_first;
        if is_on_time && (passes || behaviour.writes_anyway) {
            write(&mut jvm.state, &behaviour.writes);
        }
        (passes, before, jvm.state)
    }

    fn last_passes(&self, mut jvm: Jvm, order: &[TestIx]) -> bool {
        let steps = order.iter().map(|test| self.step(&mut jvm, *test).0);
        steps.last().unwrap_or(true)
    }

    /// Whether the last test of an order passes.
    pub(super) fn passes(&self, order: &[TestIx]) -> bool {
        self.last_passes(Jvm::default(), order)
    }

    /// Whether `victim` fails right behind `polluter` whatever ran before that.
    pub(super) fn always_harms(&self, polluter: TestIx, victim: TestIx) -> bool {
        let values = || 0..VALUES;
        let all = values().flat_map(|a| values().flat_map(move |b| values().map(move |c| [a, b, c])));
        let class = self.classes[polluter.0];
        let mut starts = all.flat_map(|state| [None, Some(class)].map(|class| Jvm { state, class }));
        starts.all(|jvm| !self.last_passes(jvm, &[polluter, victim]))
    }

    fn build(&self) -> [TestOrder; 2] {
        let (first, second) = self.all().partition(|test| test.0 < self.second_jvm);
        [first, second]
    }

    /// What the engine would say of it after the build.
    pub(super) fn launch_tests(&self) -> LaunchTests {
        let mut passed = BTreeSet::new();
        for order in self.build() {
            let steps = self.steps(&order);
            let passing = order.into_iter().zip(steps).filter(|(_, (passes, ..))| *passes);
            passed.extend(passing.map(|(test, _)| test));
        }
        let is_opposite = |test: &TestIx| match passed.contains(test) {
            true => self.has_seen_alone && !self.passes(&[*test]),
            false => self.passes(&[*test]),
        };
        let sees = |test: &TestIx, cell: usize| {
            let behaviour = &self.tests[test.0];
            let all = behaviour
                .fails_at
                .iter()
                .chain(&behaviour.needs)
                .chain(&behaviour.writes);
            let set_up = &self.set_ups[self.classes[test.0].0];
            all.chain(set_up).any(|(other, _)| *other == cell)
        };
        let seeing = (0..CELLS).map(|cell| {
            let seeing = self.all().filter(|test| sees(test, cell));
            (format!("C{cell}"), seeing.collect())
        });
        LaunchTests {
            tests: self.all().collect(),
            classes: self.classes.clone(),
            build_jvms: self
                .all()
                .map(|test| Some(usize::from(test.0 >= self.second_jvm)))
                .collect(),
            opposite_alone: self.all().filter(is_opposite).collect(),
            known_victims: BTreeSet::new(),
            seeing: seeing.collect::<BTreeMap<String, BTreeSet<TestIx>>>(),
            passed,
        }
    }

    /// What was seen to change while the build's order ran.
    pub(super) fn suspicions(&self) -> Vec<Suspicion> {
        const STATES: [&str; CELLS] = ["C0.f", "C1.f", "C2.f"];
        let mut changes = Vec::new();
        for order in self.build() {
            for (test, (_, before, after)) in order.iter().zip(self.steps(&order)) {
                for cell in (0..CELLS).filter(|cell| before[*cell] != after[*cell]) {
                    changes.push(ChangeSeen {
                        state: STATES[cell],
                        way: after[cell],
                        test: *test,
                        is_of_class: false,
                        held_by: self.held_by[cell].clone(),
                        turn: Some(Turn::Early),
                    });
                }
            }
        }
        suspicions(&changes)
            .into_iter()
            .map(|(_, suspicion)| suspicion)
            .collect()
    }

    fn run(&self, order: &TestOrder, most: usize) -> Option<Vec<Verdict>> {
        if self.jvms.get() >= most {
            self.is_cut.set(true);
            return None;
        }
        self.jvms.set(self.jvms.get() + 1);
        let verdict = |(passes, ..): (bool, State, State)| match passes {
            true => Verdict::Passed,
            false => Verdict::Failed(failure()),
        };
        Some(self.steps(order).into_iter().map(verdict).collect())
    }
}

fn write(state: &mut State, values: &[Value]) {
    for (cell, value) in values {
        state[*cell] = *value;
    }
}

impl Orders for Random {
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        orders
            .iter()
            .map(|order| self.run(order, self.most.get()))
            .collect()
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        let left = self.most.get().saturating_sub(self.jvms.get());
        Box::new(Searching {
            suite: self,
            most: self.jvms.get().saturating_add(left / 10 * 7),
        })
    }
}

/// A suite that ends earlier.
struct Searching<'a> {
    suite: &'a Random,
    most: usize,
}

impl Orders for Searching<'_> {
    fn run_all(&self, orders: &[TestOrder]) -> Vec<Option<Vec<Verdict>>> {
        orders
            .iter()
            .map(|order| self.suite.run(order, self.most))
            .collect()
    }

    fn searching(&self) -> Box<dyn Orders + '_> {
        Box::new(Searching { ..*self })
    }
}
