//! The proof of pollution (P11): which tests fail after a polluter, found by running them, and the findings that come of it.

use super::Check;
use super::blame::Blame;
use super::order::{Shuffled, run_to_the_end, say_unproved, suspects_of_build};
use super::order_findings::{add_brittle, add_victim};
use super::outcome::Outcomes;
use super::progress::Progress;
use super::suite::{Baseline, Suite};
use crate::orders::{LaunchOrders, tools};
use crate::values::SeedSetting;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{
    Care, Cleaning, OrderSuspect, Orders as _, PolluterTrial, ProvedBrittle, ProvedVictim, SortedOut, Tried,
    Verdict, cleaners, failing_alone, reaching, sort_out, victims_of, victims_of_chain,
};
use unflake_findings::{NoteKind, Proof, Suffering};
use unflake_protocol::{Handle, Outcome, Seed};

/// How long it may take by default, in learning runs, and at least.
const DEFAULT_BUDGET: f64 = 6.0;
const SHORTEST: Duration = Duration::from_secs(22);
/// The part of what is left of it in which new victims are searched for; the rest is for the proof of what was found.
const SEARCH: f64 = 0.7;
/// Cleaners that a finding names.
const CLEANERS: usize = 3;
/// Tests among which they are looked for.
const CLEANER_CANDIDATES: usize = 300;
/// Polluters that are tried before what was found is proved.
const TOGETHER: usize = 4;
/// A class with more tests than this does not have all of them tried because one of them pollutes.
const SIBLINGS: usize = 20;

/// A test that was seen to change shared state.
#[derive(Clone, Debug)]
pub(crate) struct Polluting {
    /// Index into the suite.
    pub(crate) test: usize,
    /// The class that holds the state, with dots: tests whose classes can reach it are tried first. `None`: every test may see it.
    pub(crate) held_by: Option<String>,
    /// What it changes, for the victims' findings.
    pub(crate) path: String,
    /// Tests that change the same state, this one among them: they may put it right again.
    pub(crate) others: Vec<usize>,
    /// It stands for all that do the same to the same state: the others are tried on its victims and on their own classes.
    pub(crate) is_typical: bool,
    /// It is the first of its state.
    pub(crate) is_first: bool,
    /// The state is a file.
    pub(crate) is_file: bool,
}

/// What came of one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proven {
    pub(crate) proof: Proof,
    pub(crate) victims: Vec<Suffering>,
}

/// Tries each polluter, in the order in which they are given, on the tests that may see what it changes and then on all others;
/// adds a finding for each victim. One result for each polluter.
pub(crate) fn run(check: &Check<'_>, polluting: &[Polluting], outcomes: &mut Outcomes) -> Vec<Proven> {
    let mut proven = vec![Proven::default(); polluting.len()];
    if !check.settings.proof {
        return proven;
    }
    let suite = &check.learned.suite;
    let handles: Vec<Handle> = suite.tests.iter().map(|test| test.handle.clone()).collect();
    let tools = tools(check.bench.tools);
    let (clock, budget) = (Instant::now(), budget(check));
    for launch in 0..suite.launches.len() {
        let here: Vec<usize> = (0..polluting.len())
            .filter(|index| suite.tests[polluting[*index].test].launch == Some(launch))
            .collect();
        let tests = tests_of(check, launch);
        let is_wanted = !here.is_empty() || !suspects_of_build(suite, &tests, outcomes).is_empty();
        if tests.is_empty() || !is_wanted {
            continue;
        }
        check.progress.phase("victims", 0);
        check.progress.note(&format!("of {} polluters", here.len()));
        let orders = LaunchOrders {
            launch: &suite.launches[launch],
            handles: &handles,
            tools: &tools,
            next: check.bench.workers,
            jobs: check.bench.jobs,
            silence: silence(check, &tests),
            deadline: budget.map(|budget| clock + budget),
        };
        let place = Place {
            suite,
            orders: &orders,
            tests: &tests,
            progress: check.progress,
        };
        place.prove(polluting, &here, &mut proven, outcomes);
    }
    proven
}

/// `None`: the result must not depend on the clock.
fn budget(check: &Check<'_>) -> Option<Duration> {
    match (check.settings.budget, check.settings.vary.seed) {
        (Some(budget), _) => Some(budget),
        (None, SeedSetting::Fixed(_) | SeedSetting::Last) => None,
        (None, SeedSetting::Fresh) => Some(check.learned.time.mul_f64(DEFAULT_BUDGET).max(SHORTEST)),
    }
}

/// Tests of this launch that ran in the build; those that failed there may still pollute.
pub(super) fn tests_of(check: &Check<'_>, launch: usize) -> Vec<usize> {
    let suite = &check.learned.suite;
    let runs = |test: &usize| {
        let known = &suite.tests[*test];
        known.launch == Some(launch)
            && matches!(
                known.baseline,
                Baseline::Finished(Outcome::Passed | Outcome::Failed(_))
            )
    };
    check.learned.selected.iter().copied().filter(runs).collect()
}

pub(super) fn silence(check: &Check<'_>, tests: &[usize]) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    let times = tests.iter().map(|test| check.learned.suite.tests[*test].time);
    check
        .settings
        .timeout
        .unwrap_or_else(|| LEAST.max(times.max().unwrap_or_default() * 10))
}

/// The tests of one launch, and what runs them.
pub(super) struct Place<'a> {
    pub(super) suite: &'a Suite,
    pub(super) orders: &'a LaunchOrders<'a>,
    /// Those that ran in the build.
    pub(super) tests: &'a [usize],
    pub(super) progress: &'a Progress,
}

/// What came of several trials.
#[derive(Debug, Default)]
struct Results {
    /// All victims, also those that were known before.
    known: BTreeSet<usize>,
    victims: BTreeMap<usize, Polluted>,
    /// By polluter.
    of: BTreeMap<usize, BTreeSet<usize>>,
    /// Polluters for which the time was up.
    partial: BTreeSet<usize>,
}

impl Results {
    fn add(&mut self, trials: &[PolluterTrial], tried: Tried) {
        for main in tried.victims {
            self.known.insert(main.victim);
            self.victims.insert(main.victim, Polluted::new(main));
        }
        for ((trial, of), is_partial) in trials.iter().zip(tried.of).zip(tried.is_partial) {
            self.of.entry(trial.polluter).or_default().extend(of);
            if is_partial {
                self.partial.insert(trial.polluter);
            }
        }
    }

    /// The victims of these polluters.
    fn of_any(&self, polluters: &BTreeSet<usize>) -> BTreeSet<usize> {
        let of = self
            .of
            .iter()
            .filter(|(polluter, _)| polluters.contains(polluter));
        of.flat_map(|(_, victims)| victims.iter().copied()).collect()
    }
}

/// The polluters of one launch, each test once, whatever it pollutes.
struct Polluters<'p> {
    by_test: BTreeMap<usize, Vec<&'p Polluting>>,
    /// As they are to be tried.
    in_order: Vec<usize>,
}

impl<'p> Polluters<'p> {
    fn new(all: impl Iterator<Item = &'p Polluting>) -> Polluters<'p> {
        let mut polluters = Polluters {
            by_test: BTreeMap::new(),
            in_order: Vec::new(),
        };
        for one in all {
            if !polluters.by_test.contains_key(&one.test) {
                polluters.in_order.push(one.test);
            }
            polluters.by_test.entry(one.test).or_default().push(one);
        }
        polluters
    }

    fn is_typical(&self, test: usize) -> bool {
        self.by_test[&test].iter().any(|one| one.is_typical)
    }

    fn is_first(&self, test: usize) -> bool {
        self.by_test[&test].iter().any(|one| one.is_first)
    }

    fn typical(&self) -> Vec<usize> {
        let tests = self.in_order.iter().copied();
        tests.filter(|test| self.is_typical(*test)).collect()
    }

    /// Tests that change something of what this one changes.
    fn changing(&self, test: usize) -> BTreeSet<usize> {
        let of = self.by_test[&test].iter();
        of.flat_map(|one| one.others.iter().copied()).collect()
    }

    fn trial(&self, polluter: usize, candidates: Vec<usize>) -> PolluterTrial {
        PolluterTrial {
            polluter,
            candidates,
            changing: self.changing(polluter),
            polluting: self.by_test.keys().copied().collect(),
        }
    }
}

/// A victim with all of its polluters.
#[derive(Clone, Debug)]
pub(super) struct Polluted {
    pub(super) main: ProvedVictim,
    /// All that were proved, each enough alone; not those of a longer order.
    pub(super) polluters: BTreeSet<usize>,
}

impl Polluted {
    fn new(main: ProvedVictim) -> Polluted {
        Polluted {
            main,
            polluters: BTreeSet::new(),
        }
    }
}

impl<'a> Place<'a> {
    /// What runs tests as long as some time is left to prove what is found.
    fn search(&self) -> LaunchOrders<'a> {
        let now = Instant::now();
        let deadline = self.orders.deadline;
        LaunchOrders {
            deadline: deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(SEARCH)),
            ..*self.orders
        }
    }

    fn prove(&self, polluting: &[Polluting], here: &[usize], proven: &mut [Proven], outcomes: &mut Outcomes) {
        let polluters = Polluters::new(here.iter().map(|index| &polluting[*index]));
        let mut results = self.victims_of_all(&polluters, outcomes);
        for (test, of) in &results.of {
            for victim in of {
                match results.victims.get_mut(victim) {
                    Some(polluted) => {
                        polluted.polluters.insert(*test);
                    }
                    None => outcomes.add_polluter(&self.suite.tests[*victim].id, &self.suite.tests[*test].id),
                }
            }
        }
        let blame: BTreeMap<usize, Blame<'_>> = polluters
            .by_test
            .iter()
            .map(|(test, states)| {
                let of = results.of.get(test).cloned().unwrap_or_default();
                let seeing = |state: &Polluting| self.reaching(&[state], &of);
                (*test, Blame::new(states, &of, seeing))
            })
            .collect();
        let state = |polluter: usize, victim: usize| {
            let state = blame.get(&polluter)?.state_for(victim)?;
            Some(state.path.clone())
        };
        let victims: Vec<Polluted> = results.victims.into_values().collect();
        let of_state = |test: usize| {
            let is_one = polluters.by_test.contains_key(&test);
            is_one.then(|| polluters.changing(test))
        };
        self.add_victims(&victims, &state, &of_state, outcomes);
        for &index in here {
            let one = &polluting[index];
            // What it said after another polluter may not be what it says after this one.
            let suffering = blame[&one.test].victims_of(one).map(|victim| {
                let id = &self.suite.tests[*victim].id;
                let message = outcomes.victim_message(id, &self.suite.tests[one.test].id);
                Suffering {
                    test: id.clone(),
                    message: message.unwrap_or_default(),
                }
            });
            proven[index].victims = suffering.collect();
            let has_others = results.of.get(&one.test).is_some_and(|of| !of.is_empty());
            // Those that fail because of another state may hide what this one does, unless they cannot see it.
            let is_clear = one.held_by.is_some() || !has_others;
            let is_tried = polluters.is_typical(one.test) && is_clear;
            proven[index].proof = if results.partial.contains(&one.test) {
                Proof::Partial
            } else if !proven[index].victims.is_empty() {
                Proof::Proved
            } else if is_tried {
                Proof::NoVictim
            } else {
                Proof::NotRun
            };
        }
    }

    /// The search, from what costs little and finds much to what costs much, as long as there is time.
    fn victims_of_all(&self, polluters: &Polluters<'_>, outcomes: &mut Outcomes) -> Results {
        let typical = polluters.typical();
        let mut results = Results {
            known: self.known_victims(outcomes),
            ..Results::default()
        };
        // Few, and most victims are among them.
        let suspects = self.suspects(&results.known, outcomes);
        // Those of the polluter's own class are tried with all of that class, below.
        let likely = |known: &BTreeSet<usize>| -> Vec<PolluterTrial> {
            let of = |test: &usize| {
                let suspects = suspects.keys().copied().filter(|test| !known.contains(test));
                let elsewhere = suspects.filter(|other| self.root(*other) != self.root(*test));
                polluters.trial(*test, elsewhere.collect())
            };
            let trials = typical.iter().map(of);
            trials.filter(|trial| !trial.candidates.is_empty()).collect()
        };
        let is_first = |trial: &&PolluterTrial| polluters.is_first(trial.polluter);
        let first = likely(&results.known);
        let first: Vec<PolluterTrial> = first.iter().filter(is_first).cloned().collect();
        self.stage(&mut results, &first, Care::Behind);
        for part in likely(&results.known).chunks(TOGETHER) {
            self.stage(&mut results, part, Care::Each);
        }
        // A class's set-up may clear what comes from outside; then only its own tests can do harm to each other.
        let own: Vec<PolluterTrial> = self
            .classes_in_turn(&polluters.in_order)
            .iter()
            .map(|test| {
                let seeing = self.seeing(&polluters.by_test[test], &suspects).into_iter();
                let is_open = |other: &usize| {
                    self.root(*other) == self.root(*test) && other != test && !results.known.contains(other)
                };
                polluters.trial(*test, seeing.filter(is_open).collect())
            })
            .filter(|trial| !trial.candidates.is_empty())
            .collect();
        self.stage(&mut results, &own, Care::Packed);
        let near: Vec<PolluterTrial> = typical
            .iter()
            .map(|test| polluters.trial(*test, self.seeing(&polluters.by_test[test], &suspects)))
            .collect();
        let first: Vec<PolluterTrial> = near.iter().filter(is_first).cloned().collect();
        self.stage(&mut results, &first, Care::Behind);
        for part in near.chunks(TOGETHER) {
            self.stage(&mut results, part, Care::Each);
        }
        let far: Vec<PolluterTrial> = near
            .iter()
            .map(|near| {
                let tried: BTreeSet<usize> = near.candidates.iter().copied().collect();
                let rest = self
                    .candidates(&suspects)
                    .into_iter()
                    .filter(|test| !tried.contains(test));
                polluters.trial(near.polluter, rest.collect())
            })
            .collect();
        for part in far.chunks(TOGETHER) {
            self.stage(&mut results, part, Care::Behind);
        }
        // Whoever does the same to the same state has the same victims, if any.
        let same: Vec<PolluterTrial> = polluters
            .in_order
            .iter()
            .map(|test| {
                let own = results.of.get(test).cloned().unwrap_or_default();
                let of_state = results.of_any(&polluters.changing(*test)).into_iter();
                polluters.trial(*test, of_state.filter(|victim| !own.contains(victim)).collect())
            })
            .filter(|trial| !trial.candidates.is_empty())
            .collect();
        self.stage(&mut results, &same, Care::Behind);
        self.search_unexplained(&suspects, &mut results, outcomes);
        self.drop_failing_alone(&mut results);
        results
    }

    fn stage(&self, results: &mut Results, trials: &[PolluterTrial], care: Care) {
        let tried = victims_of(&self.search(), self.orders, trials, &results.known, care);
        results.add(trials, tried);
    }

    /// Tests that fail in the build and pass alone, and those that passed in the build and fail in one of two other orders.
    fn suspects(&self, known: &BTreeSet<usize>, outcomes: &Outcomes) -> BTreeMap<usize, OrderSuspect> {
        /// Always the same ones: reversed, and a shuffled one.
        const ORDERS: [u32; 2] = [1, 3];
        let mut suspects = BTreeMap::new();
        let mut add = |suspect: OrderSuspect| {
            if !known.contains(&suspect.test) {
                suspects.entry(suspect.test).or_insert(suspect);
            }
        };
        for suspect in suspects_of_build(self.suite, self.tests, outcomes) {
            add(suspect);
        }
        let shuffled = Shuffled::new(self.suite, self.tests);
        let orders = ORDERS.map(|number| shuffled.order(number, Seed(0)));
        let passed: BTreeSet<usize> = self.passed().into_iter().collect();
        for (order, verdicts) in run_to_the_end(&self.search(), orders.to_vec()) {
            for (place, verdict) in verdicts.iter().enumerate() {
                if matches!(verdict, Verdict::Failed(_)) && passed.contains(&order[place]) {
                    add(OrderSuspect {
                        test: order[place],
                        before: order[..place].to_vec(),
                        passes_alone: false,
                    });
                }
            }
        }
        suspects
    }

    /// Polluters of tests that fail in another order and after none of those that were seen to pollute: by bisection.
    fn search_unexplained(
        &self,
        suspects: &BTreeMap<usize, OrderSuspect>,
        results: &mut Results,
        outcomes: &mut Outcomes,
    ) {
        let left = suspects
            .values()
            .filter(|suspect| !results.known.contains(&suspect.test));
        let left: Vec<OrderSuspect> = left.cloned().collect();
        if left.is_empty() {
            return;
        }
        self.progress.phase("order-dependent tests", 0);
        self.progress.note(&format!("{} to prove", left.len()));
        let sorted = sort_out(&self.search(), &left, |test| self.suite.before(test).1);
        for brittle in &sorted.brittle {
            self.add_brittle(brittle, outcomes);
        }
        say_unproved(self.suite, &sorted, outcomes);
        for main in sorted.victims {
            results.known.insert(main.victim);
            if let [polluter] = main.polluters[..] {
                results.of.entry(polluter).or_default().insert(main.victim);
            }
            results.victims.insert(main.victim, Polluted::new(main));
        }
    }

    /// The last part of the proof, as far as there is time for it.
    fn drop_failing_alone(&self, results: &mut Results) {
        let left = results
            .victims
            .values()
            .filter(|victim| !victim.main.passed_alone);
        let left: Vec<usize> = left.map(|victim| victim.main.victim).collect();
        let failing = failing_alone(self.orders, &left);
        results.victims.retain(|victim, _| !failing.contains(victim));
        for of in results.of.values_mut() {
            of.retain(|victim| !failing.contains(victim));
        }
    }

    /// Tests that passed in the build.
    fn passed(&self) -> Vec<usize> {
        let passed = |test: &usize| self.suite.tests[*test].baseline == Baseline::Finished(Outcome::Passed);
        self.tests.iter().copied().filter(passed).collect()
    }

    /// Tests that are known to pass in some order.
    fn candidates(&self, suspects: &BTreeMap<usize, OrderSuspect>) -> Vec<usize> {
        let passed: BTreeSet<usize> = self.passed().into_iter().collect();
        let is_one = |test: &usize| passed.contains(test) || suspects.contains_key(test);
        self.tests.iter().copied().filter(is_one).collect()
    }

    /// Those of them that may see the state.
    fn seeing(&self, polluting: &[&Polluting], suspects: &BTreeMap<usize, OrderSuspect>) -> Vec<usize> {
        self.reaching(polluting, &self.candidates(suspects))
    }

    /// Those of some tests whose classes can reach one that holds the state; all, where it is not in a field.
    fn reaching<'t, T: FromIterator<usize>>(
        &self,
        polluting: &[&Polluting],
        tests: impl IntoIterator<Item = &'t usize>,
    ) -> T {
        let holders: Option<BTreeSet<String>> = polluting.iter().map(|one| one.held_by.clone()).collect();
        let Some(holders) = holders else {
            return tests.into_iter().copied().collect();
        };
        let distances = reaching(&self.suite.references, &holders);
        let reaches = |test: &usize| {
            let known = &self.suite.tests[*test];
            distances.contains_key(known.id.class()) || distances.contains_key(&known.handle.root)
        };
        tests.into_iter().copied().filter(reaches).collect()
    }

    /// These tests, as far as may be one of another class after each.
    fn classes_in_turn(&self, tests: &[usize]) -> Vec<usize> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut turns: Vec<(usize, usize)> = tests
            .iter()
            .map(|test| {
                let turn = seen.entry(self.root(*test)).or_default();
                *turn += 1;
                (*turn, *test)
            })
            .collect();
        turns.sort_by_key(|(turn, _)| *turn);
        turns.into_iter().map(|(_, test)| test).collect()
    }

    fn root(&self, test: usize) -> &str {
        &self.suite.tests[test].handle.root
    }

    fn known_victims(&self, outcomes: &Outcomes) -> BTreeSet<usize> {
        let is_one = |test: &usize| outcomes.is_victim(&self.suite.tests[*test].id);
        self.tests.iter().copied().filter(is_one).collect()
    }

    /// What sorting out gave, and the victims that the orders did not show: those of the polluters that were found, and of the
    /// other tests of their classes, which often do the same, among the classes that have victims.
    /// Without `search` only the first.
    pub(super) fn more_victims(
        &self,
        sorted: &SortedOut,
        search: bool,
        outcomes: &mut Outcomes,
    ) -> Vec<Polluted> {
        let mut victims: BTreeMap<usize, Polluted> = BTreeMap::new();
        let mut is_over = false;
        let mut found: Vec<usize> = Vec::new();
        for main in &sorted.victims {
            if let [polluter] = main.polluters[..]
                && polluter != main.victim
                && !found.contains(&polluter)
            {
                found.push(polluter);
            }
            let polluters = main
                .polluters
                .iter()
                .copied()
                .filter(|_| main.polluters.len() == 1);
            victims.insert(
                main.victim,
                Polluted {
                    main: main.clone(),
                    polluters: polluters.collect(),
                },
            );
        }
        let mut siblings: Vec<usize> = Vec::new();
        for polluter in &found {
            let root = &self.suite.tests[*polluter].handle.root;
            let is_sibling = |test: &&usize| self.suite.tests[**test].handle.root == *root;
            let class: Vec<usize> = self.tests.iter().filter(is_sibling).copied().collect();
            if class.len() <= SIBLINGS {
                let new = |test: &usize| !found.contains(test) && !siblings.contains(test);
                let new: Vec<usize> = class.into_iter().filter(new).collect();
                siblings.extend(new);
            }
        }
        let mut known = self.known_victims(outcomes);
        known.extend(victims.keys());
        let of_several = sorted.victims.iter().map(|main| &main.polluters);
        let chains: BTreeSet<&Vec<usize>> = of_several.filter(|polluters| polluters.len() > 1).collect();
        for chain in chains.into_iter().filter(|_| search) {
            self.progress.phase("more victims", 0);
            let candidates = self.passed().into_iter();
            let candidates: Vec<usize> = candidates
                .filter(|test| !known.contains(test) && !chain.contains(test))
                .collect();
            let (more, is_partial) = victims_of_chain(&self.search(), self.orders, chain, &candidates);
            is_over |= is_partial;
            for main in more {
                known.insert(main.victim);
                victims.insert(main.victim, Polluted::new(main));
            }
        }
        for (polluters, everywhere) in [(found, true), (siblings, false)] {
            if polluters.is_empty() || !search {
                continue;
            }
            let affected: BTreeSet<&str> = known.iter().map(|test| self.root(*test)).collect();
            self.progress.phase("more victims", 0);
            self.progress.note(&format!("of {} polluters", polluters.len()));
            let is_open =
                |test: &usize| !known.contains(test) && (everywhere || affected.contains(self.root(*test)));
            let candidates: Vec<usize> = self.passed().into_iter().filter(is_open).collect();
            let trials: Vec<PolluterTrial> = polluters
                .iter()
                .map(|polluter| PolluterTrial {
                    polluter: *polluter,
                    candidates: candidates.clone(),
                    changing: BTreeSet::new(),
                    polluting: BTreeSet::new(),
                })
                .collect();
            let tried = victims_of(&self.search(), self.orders, &trials, &BTreeSet::new(), Care::Both);
            is_over |= tried.is_partial.contains(&true);
            for main in tried.victims {
                known.insert(main.victim);
                victims.insert(main.victim, Polluted::new(main));
            }
            for (polluter, of) in polluters.iter().zip(tried.of) {
                for victim in of {
                    if let Some(polluted) = victims.get_mut(&victim) {
                        polluted.polluters.insert(*polluter);
                    }
                }
            }
        }
        if is_over {
            outcomes.note(
                NoteKind::Budget,
                "the time was up before all polluters were tried on all tests".to_owned(),
            );
        }
        victims.into_values().collect()
    }

    /// Makes findings. `state`: what a polluter changes that a victim sees, where that is known.
    pub(super) fn add_victims(
        &self,
        victims: &[Polluted],
        state: &dyn Fn(usize, usize) -> Option<String>,
        changing: &dyn Fn(usize) -> Option<BTreeSet<usize>>,
        outcomes: &mut Outcomes,
    ) {
        self.progress.phase("cleaners", 0);
        let cleaners = self.cleaners_of(victims, changing);
        for (polluted, cleaners) in victims.iter().zip(cleaners) {
            let state = match polluted.main.polluters[..] {
                [polluter] => state(polluter, polluted.main.victim),
                _ => None,
            };
            add_victim(self.suite, polluted, &cleaners, state, outcomes);
        }
    }

    pub(super) fn add_brittle(&self, proved: &ProvedBrittle, outcomes: &mut Outcomes) {
        add_brittle(self.suite, proved, outcomes);
    }

    /// Per victim the tests that clean up. They are looked for once for each polluter (and apart for victims of its own class); for
    /// its other victims it is seen in one JVM whether they help as well.
    ///
    /// `changing` names the tests that are known to change what a polluter changes: only those can clean up.
    fn cleaners_of(
        &self,
        victims: &[Polluted],
        changing: &dyn Fn(usize) -> Option<BTreeSet<usize>>,
    ) -> Vec<Vec<usize>> {
        let (suite, orders, tests) = (self.suite, self.orders, self.tests);
        let victims: Vec<&ProvedVictim> = victims.iter().map(|polluted| &polluted.main).collect();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let classes: Vec<usize> = suite
            .tests
            .iter()
            .map(|test| {
                let next = numbers.len();
                *numbers.entry(test.handle.root.as_str()).or_insert(next)
            })
            .collect();
        let mut groups: BTreeMap<(&[usize], bool), Vec<usize>> = BTreeMap::new();
        for (index, victim) in victims.iter().enumerate() {
            if victim.polluters != [victim.victim] {
                let is_of_class = |test: &usize| classes[*test] == classes[victim.victim];
                let key = (
                    victim.polluters.as_slice(),
                    victim.polluters.iter().all(is_of_class),
                );
                groups.entry(key).or_default().push(index);
            }
        }
        let mut found = vec![Vec::new(); victims.len()];
        for ((polluters, _), members) in groups {
            let class = classes[victims[members[0]].victim];
            let is_near = |test: &usize| {
                classes[*test] == class || polluters.iter().any(|p| classes[*p] == classes[*test])
            };
            let (mut candidates, others): (Vec<usize>, Vec<usize>) =
                tests.iter().partition(|test| is_near(test));
            candidates.extend(others);
            let known: Option<BTreeSet<usize>> = polluters
                .iter()
                .map(|polluter| changing(*polluter))
                .collect::<Option<Vec<_>>>()
                .map(|all| all.into_iter().flatten().collect());
            if let Some(known) = known {
                candidates.retain(|test| known.contains(test));
            }
            candidates.truncate(CLEANER_CANDIDATES);
            let cleaning = Cleaning {
                polluters,
                victim: victims[members[0]].victim,
                candidates: &candidates,
                classes: &classes,
                most: CLEANERS,
            };
            let of_first = cleaners(orders, cleaning);
            // Behind one polluter and one cleaner all others pass, or they do not count as cleaned.
            let order = |cleaner: &usize| -> Vec<usize> {
                let others = members[1..].iter().map(|member| victims[*member].victim);
                polluters
                    .iter()
                    .copied()
                    .chain([*cleaner])
                    .chain(others)
                    .collect()
            };
            let ran = orders.run_all(&of_first.iter().map(order).collect::<Vec<_>>());
            for (cleaner, verdicts) in of_first.iter().zip(ran) {
                let verdicts = verdicts.unwrap_or_default();
                for (place, member) in members[1..].iter().enumerate() {
                    let verdict = verdicts.get(polluters.len() + 1 + place);
                    if verdict == Some(&Verdict::Passed) && victims[*member].victim != *cleaner {
                        found[*member].push(*cleaner);
                    }
                }
            }
            found[members[0]] = of_first;
        }
        found
    }
}
