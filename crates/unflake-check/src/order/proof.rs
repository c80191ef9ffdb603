//! The proof of pollution (P11): which tests fail after a polluter, found by running them, and the findings that come of it.

use super::blame::Blame;
use super::order_findings::add_brittle;
use super::place::{Place, Polluted, silence, tests_of};
use super::suite_orders::{Shuffled, run_to_the_end, say_unproved, suspects_of_build};
use crate::check::Check;
use crate::drive::orders::{LaunchOrders, tools};
use crate::options::SeedSetting;
use crate::outcome::Outcomes;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{Care, OrderSuspect, PolluterTrial, Tried, Verdict, reaching, sort_out, victims_of};
use unflake_findings::{Proof, Suffering};
use unflake_protocol::{Handle, Seed};

/// How long it may take by default, in learning runs, and at least.
const DEFAULT_BUDGET: f64 = 5.5;
const SHORTEST: Duration = Duration::from_secs(20);
/// Polluters that are tried before what was found is proved.
const TOGETHER: usize = 4;

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

    /// Polluters with many victims, a few.
    fn most_harmful(&self) -> Vec<usize> {
        let with_victims = self.of.iter().filter(|(_, of)| !of.is_empty());
        let mut harmful: Vec<(usize, usize)> = with_victims.map(|(test, of)| (of.len(), *test)).collect();
        harmful.sort_by_key(|(victims, test)| (std::cmp::Reverse(*victims), *test));
        harmful.truncate(TOGETHER);
        harmful.into_iter().map(|(_, test)| test).collect()
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

impl Place<'_> {
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
        // Whoever does harm to some may do it to more.
        let harmful = results.most_harmful();
        let more: Vec<PolluterTrial> = harmful
            .iter()
            .map(|test| {
                let seeing = self.seeing(&polluters.by_test[test], &suspects).into_iter();
                let open = seeing.filter(|other| !results.known.contains(other));
                polluters.trial(*test, open.collect())
            })
            .collect();
        self.stage(&mut results, &more, Care::Behind);
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
        let is_new = |trial: &&PolluterTrial| !harmful.contains(&trial.polluter);
        let first = near.iter().filter(is_first).filter(is_new);
        let first: Vec<PolluterTrial> = first.cloned().collect();
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
            add_brittle(self.suite, brittle, outcomes);
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
}
