//! Which failures of the rounds count: each is repeated, varied and unvaried (N7).

use super::rounds::unvaried_runs;
use crate::check::Check;
use crate::document::message;
use crate::drive::driver::Fault;
use crate::drive::rounds::{LaunchJvms, Verdicts, WorkerJvm};
use crate::drive::units::{Turn, Unit, tests_of_round, units};
use crate::ledger::{Fact, Failed, Ledger, Unresolved};
use crate::suite::LaunchIx;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use unflake_explore::{
    Confirmed, Counts, Evidence, GUIDED_ROUNDS, Inquiry, Suspect, TestIx, Unconfirmed, Verdict, blame,
    confirm, confirm_together, strategy_of_round,
};
use unflake_findings::Rate;
use unflake_protocol::{Failure, FailureSort};

/// A test that failed in these rounds.
struct FailedIn {
    test: TestIx,
    rounds: Vec<u32>,
    rate: Rate,
    /// What it said the first time.
    message: String,
    /// It crashed its JVM in one of them.
    has_crashed: bool,
    /// It did not fail when the first of these rounds was run again.
    has_not_repeated: bool,
}

impl FailedIn {
    fn in_rounds(&self) -> Evidence {
        Evidence {
            with: Counts {
                failed: self.rate.failed,
                runs: self.rate.runs,
            },
            ..Evidence::default()
        }
    }
}

/// What became of an attempt to confirm it, and all that was seen of it alone.
struct Tried {
    result: Result<(u32, Confirmed), Unconfirmed>,
    inquiry: Inquiry,
}

impl Tried {
    /// There is no time to try.
    fn none() -> Tried {
        Tried {
            result: Err(Unconfirmed::Cancelled),
            inquiry: Inquiry::default(),
        }
    }
}

/// Repeats every failure; returns the tests that only the build can run.
pub(super) fn run(
    check: &Check<'_>,
    candidates: &[TestIx],
    verdicts: &Verdicts,
    ledger: &mut Ledger,
) -> Vec<TestIx> {
    let suite = &check.session.suite;
    let mut by_test: BTreeMap<TestIx, Vec<(u32, &Verdict)>> = BTreeMap::new();
    for ((round, test), verdict) in verdicts {
        by_test.entry(*test).or_default().push((*round, verdict));
    }
    let varied: BTreeSet<TestIx> = tests_of_round(candidates, suite, 1).into_iter().collect();
    let mut suspects = Vec::new();
    let mut through_build = Vec::new();
    for &test in candidates {
        let runs = by_test.get(&test).map(Vec::as_slice).unwrap_or_default();
        let rate = rate(runs);
        if !varied.contains(&test) {
            ledger.add(Fact::NoChoice(test));
        } else if rate.runs == 0 && check.is_cancelled() {
            ledger.add(Fact::Unresolved(test, Unresolved::NotReached));
        } else if rate.runs == 0 {
            through_build.push(test);
        } else {
            ledger.add(Fact::Varied { test, rate });
            if rate.failed > 0 {
                let failed = runs.iter().filter(|(_, verdict)| is_failure(verdict));
                let said = runs.iter().find_map(|(_, verdict)| match verdict {
                    Verdict::Failed(failure) => Some(message(failure)),
                    Verdict::Passed | Verdict::NotRun | Verdict::Cancelled => None,
                });
                let failures = runs.iter().filter_map(|(_, verdict)| verdict.failure());
                let mut sorts = failures.map(Failure::sort);
                suspects.push(FailedIn {
                    has_crashed: sorts.any(|sort| sort == FailureSort::Crash),
                    test,
                    rounds: failed.map(|(round, _)| *round).collect(),
                    rate,
                    message: said.unwrap_or_default(),
                    has_not_repeated: false,
                });
            }
        }
    }
    drop_flaky(check, &mut suspects, ledger);
    repeat_rounds(check, candidates, &mut suspects);
    let results = confirm_all(check, &suspects);
    for (suspect, result) in suspects.iter().zip(results) {
        if suspect.has_crashed && result.result.is_err() {
            // It was left out of the rounds behind that one, and perhaps for nothing.
            let test = &suite[suspect.test];
            check.workers.driver.faults().add(Fault::Ended {
                during: Some(test.handle.clone()),
                status: format!("it crashed when `{}` varied, which did not repeat", test.id),
            });
        }
        match judge(suspect, result, check.is_cancelled()) {
            Confirmation::Fact(fact) => ledger.add(fact),
            Confirmation::ThroughBuild => through_build.push(suspect.test),
        }
    }
    through_build.sort_unstable();
    through_build
}

/// What becomes of each suspect. First in warm JVMs, class by class; what needs fresh ones then in batches; who is left,
/// each for itself.
fn confirm_all(check: &Check<'_>, suspects: &[FailedIn]) -> Vec<Tried> {
    /// From so many on a batch is cheaper.
    const WORTH_A_BATCH: usize = 3;
    check.progress.phase("confirming", suspects.len() as u64);
    let suite = &check.session.suite;
    let deadline = check
        .options
        .budget
        .map(|budget| Instant::now() + time_for(budget));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    // Tests of one class share a JVM as long as it stays as good as new.
    let class = |failed: &FailedIn| (suite[failed.test].launch, &suite[failed.test].handle.root);
    let in_turn = |some: &[(&FailedIn, Inquiry)]| -> Vec<Tried> {
        let classes: Vec<&[(&FailedIn, Inquiry)]> = some.chunk_by(|a, b| class(a.0) == class(b.0)).collect();
        let tried = check.in_parallel(&classes, |class| {
            let mut warm = None;
            let mut is_class_cold = false;
            let confirm = |(failed, inquiry): &(&FailedIn, Inquiry)| {
                let tried = if is_late() {
                    Tried::none()
                } else if is_class_cold {
                    // What one test of a class needs, the others mostly need as well.
                    Tried {
                        result: Err(Unconfirmed::NeedsFreshJvms),
                        inquiry: inquiry.clone(),
                    }
                } else {
                    confirm_one(check, failed, inquiry.clone(), &mut warm)
                };
                is_class_cold = tried.result == Err(Unconfirmed::NeedsFreshJvms);
                if !is_class_cold {
                    check.progress.step();
                }
                tried
            };
            class.iter().map(confirm).collect::<Vec<_>>()
        });
        tried.into_iter().flatten().collect()
    };
    let first = Inquiry::default().leaving_cold_ones(suspects.len() >= WORTH_A_BATCH);
    let all: Vec<(&FailedIn, Inquiry)> = suspects.iter().map(|suspect| (suspect, first.clone())).collect();
    let mut tried = in_turn(&all);
    let is_cold = |tried: &Tried| tried.result == Err(Unconfirmed::NeedsFreshJvms);
    let cold: Vec<usize> = (0..tried.len()).filter(|index| is_cold(&tried[*index])).collect();
    if cold.is_empty() {
        return tried;
    }
    if cold.len() >= WORTH_A_BATCH && !is_late() {
        for launch in suite.launches() {
            let here: Vec<usize> = cold
                .iter()
                .copied()
                .filter(|index| suite[suspects[*index].test].launch == Some(launch))
                .collect();
            in_batches(check, suspects, launch, &here, &mut tried);
        }
    }
    let left: Vec<usize> = cold.into_iter().filter(|index| is_cold(&tried[*index])).collect();
    let last = |index: &usize| tried[*index].inquiry.clone().leaving_cold_ones(false);
    let some: Vec<(&FailedIn, Inquiry)> = left
        .iter()
        .map(|index| (&suspects[*index], last(index)))
        .collect();
    let again = in_turn(&some);
    for (index, again) in left.into_iter().zip(again) {
        tried[index] = again;
    }
    tried
}

/// Confirms suspects of one launch that need fresh JVMs, in as many batches at a time as there are workers.
fn in_batches(
    check: &Check<'_>,
    suspects: &[FailedIn],
    launch: LaunchIx,
    here: &[usize],
    tried: &mut [Tried],
) {
    let jvms = LaunchJvms::new(check.workers, launch);
    let size = here.len().div_ceil(check.workers.spread.jobs.max(1)).max(1);
    let parts: Vec<&[usize]> = here.chunks(size).collect();
    let before: Vec<Inquiry> = tried.iter().map(|tried| tried.inquiry.clone()).collect();
    let confirmed = check.in_parallel(&parts, |part| {
        let of_part: Vec<Suspect> = part
            .iter()
            .map(|index| suspect_of(check, &suspects[*index], suspects[*index].rounds[0]))
            .collect();
        let mut inquiries: Vec<Inquiry> = part.iter().map(|index| before[*index].clone()).collect();
        let found = confirm_together(&jvms, of_part.iter().zip(&mut inquiries).collect());
        found.into_iter().zip(inquiries).collect::<Vec<_>>()
    });
    for (index, (found, inquiry)) in here.iter().zip(confirmed.into_iter().flatten()) {
        tried[*index].inquiry = inquiry;
        if let Some(found) = found {
            tried[*index].result = Ok((suspects[*index].rounds[0], found));
            check.progress.step();
        }
    }
}

/// How long confirmation may take: what was seen should not be lost for a short budget.
fn time_for(budget: Duration) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    budget.max(LEAST)
}

/// From so many suspects on, a few JVMs for all of them together are cheaper than some for each.
const MANY: usize = 10;

/// Of many suspects, those that sometimes fail unvaried are flaky on their own.
fn drop_flaky(check: &Check<'_>, suspects: &mut Vec<FailedIn>, ledger: &mut Ledger) {
    const TIMES: u32 = 4;
    if suspects.len() < MANY {
        return;
    }
    let tests: Vec<TestIx> = suspects.iter().map(|suspect| suspect.test).collect();
    let counted = unvaried_runs(check, &tests, TIMES);
    suspects.retain(|suspect| match counted.get(&suspect.test) {
        Some((counts, said)) if counts.is_mixed() => {
            let unvaried = Evidence {
                without: *counts,
                ..Evidence::default()
            };
            let why = Unresolved::Flaky {
                seen: Evidence::LEARNED.plus(suspect.in_rounds()).plus(unvaried),
                message: said.clone(),
            };
            ledger.add(Fact::Unresolved(suspect.test, why));
            false
        }
        _ => true,
    });
}

/// Of many suspects, notes those that pass when all choices are made again as they were when they failed. They are not
/// looked for among the tests before them, which is what costs most.
fn repeat_rounds(check: &Check<'_>, candidates: &[TestIx], suspects: &mut [FailedIn]) {
    if suspects.len() < MANY {
        return;
    }
    let suite = &check.session.suite;
    let crashing: BTreeSet<TestIx> = suspects
        .iter()
        .filter(|suspect| suspect.has_crashed)
        .map(|suspect| suspect.test)
        .collect();
    let left: Vec<TestIx> = candidates
        .iter()
        .copied()
        .filter(|test| !crashing.contains(test))
        .collect();
    // The guided rounds of a class follow each other in one JVM, the others have their own.
    let firsts: BTreeSet<u32> = suspects
        .iter()
        .filter_map(|suspect| suspect.rounds.first().copied())
        .collect();
    let (guided, random): (Vec<u32>, Vec<u32>) =
        firsts.into_iter().partition(|round| *round <= GUIDED_ROUNDS);
    let last_guided = guided.last().copied().unwrap_or(0);
    let guided: Vec<u32> = (1..=last_guided).collect();
    let together: Vec<Vec<u32>> = random.into_iter().map(|round| vec![round]).collect();
    let turn = |round: u32| Turn {
        round,
        strategy: Some(strategy_of_round(round, check.level(), check.seed)),
        tests: tests_of_round(&left, suite, round),
    };
    let units: Vec<Unit> = [guided]
        .into_iter()
        .chain(together)
        .flat_map(|rounds| {
            let turns: Vec<Turn> = rounds.into_iter().map(turn).collect();
            units(suite, &turns, check.workers.spread)
        })
        .collect();
    let runs = units.iter().map(Unit::runs).sum::<usize>();
    check.progress.phase("repeating rounds", runs as u64);
    let verdicts = check.workers.run(units, &|_, _| check.progress.step());
    for suspect in suspects {
        let again = suspect
            .rounds
            .first()
            .and_then(|round| verdicts.get(&(*round, suspect.test)));
        if again == Some(&Verdict::Passed) {
            suspect.has_not_repeated = true;
            suspect.rate.runs += 1;
        }
    }
}

fn is_failure(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(_))
}

/// How often it ran, and failed.
fn rate(runs: &[(u32, &Verdict)]) -> Rate {
    let count = |is: &dyn Fn(&Verdict) -> bool| {
        let count = runs.iter().filter(|(_, verdict)| is(verdict)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    Rate {
        failed: count(&is_failure),
        runs: count(&|verdict| matches!(verdict, Verdict::Passed | Verdict::Failed(_))),
    }
}

/// What a confirmation means.
#[derive(Debug)]
enum Confirmation {
    Fact(Fact),
    ThroughBuild,
}

fn judge(suspect: &FailedIn, tried: Tried, is_cancelled: bool) -> Confirmation {
    let test = suspect.test;
    let unresolved = |why| Confirmation::Fact(Fact::Unresolved(test, why));
    match tried.result {
        Ok((round, confirmed)) => Confirmation::Fact(Fact::Failed(Box::new(Failed {
            test,
            round,
            confirmed,
            through_build: false,
        }))),
        Err(_) if is_cancelled => unresolved(Unresolved::NotConfirmed),
        Err(Unconfirmed::Cancelled) => unresolved(Unresolved::NotConfirmedInTime),
        Err(Unconfirmed::Flaky(failure)) => unresolved(Unresolved::Flaky {
            seen: tried.inquiry.seen.plus(suspect.in_rounds()),
            message: failure.map_or_else(|| suspect.message.clone(), |failure| message(&failure)),
        }),
        Err(Unconfirmed::BrokenByOthers) => unresolved(Unresolved::BrokenByOthers),
        Err(Unconfirmed::OnlyOnce) => unresolved(Unresolved::OnlyOnce),
        Err(Unconfirmed::NeedsOthers(failure)) => unresolved(Unresolved::NeedsOthers {
            message: failure.message,
        }),
        // Nobody is left who needs fresh JVMs: the last try gives them.
        Err(Unconfirmed::FailsUnvaried(_) | Unconfirmed::NotRun | Unconfirmed::NeedsFreshJvms) => {
            Confirmation::ThroughBuild
        }
        Err(Unconfirmed::NoJvm(reason)) => unresolved(Unresolved::NoJvm(reason)),
    }
}

/// A test, as it failed in a round.
fn suspect_of(check: &Check<'_>, failed: &FailedIn, round: u32) -> Suspect {
    let before = check.session.suite.before(failed.test);
    Suspect {
        test: failed.test,
        strategy: strategy_of_round(round, check.level(), check.seed),
        class: before.of_class.clone(),
        prefix: before.in_jvm.clone(),
        seed: check.seed,
        climb: check.level().is_none(),
        ran_before: (2..=GUIDED_ROUNDS).contains(&round),
        is_unlikely: failed.has_not_repeated,
    }
}

/// Tries to confirm the failure of one test, of one round after the other.
fn confirm_one<'a>(
    check: &'a Check<'_>,
    failed: &FailedIn,
    mut inquiry: Inquiry,
    warm: &mut Option<WorkerJvm<'a>>,
) -> Tried {
    /// What failed in this many rounds and is confirmed in none of them is flaky.
    const MOST: usize = 3;
    let Some(launch) = check.session.suite[failed.test].launch else {
        return Tried {
            result: Err(Unconfirmed::NotRun),
            inquiry,
        };
    };
    let jvms = LaunchJvms::new(check.workers, launch);
    let mut result = Err(Unconfirmed::Flaky(None));
    for (place, &round) in failed.rounds.iter().take(MOST).enumerate() {
        let mut suspect = suspect_of(check, failed, round);
        // What needs the tests before it needed them in the first of these rounds too.
        if place > 0 || failed.has_not_repeated {
            suspect.class.clear();
            suspect.prefix.clear();
        }
        result = confirm(&jvms, &suspect, &mut inquiry, warm).map(|confirmed| (round, confirmed));
        if result != Err(Unconfirmed::Flaky(None)) {
            break;
        }
    }
    if result == Err(Unconfirmed::Flaky(None))
        && !failed.has_not_repeated
        && let Some(first) = failed.rounds.first()
    {
        result = Err(blame(&jvms, &suspect_of(check, failed, *first)));
    }
    Tried { result, inquiry }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, failure, simulated};
    use std::num::NonZeroUsize;
    use unflake_explore::Scope;

    #[track_caller]
    fn check(simulated: Simulated, expected: &[&str]) {
        let facts = simulated.facts().into_iter();
        let facts: Vec<String> = facts.filter(|fact| !fact.contains("rounds")).collect();
        assert_eq!(facts, expected);
    }

    #[track_caller]
    fn finds(suite: &str, expected: &[&str]) {
        check(simulated(suite), expected);
    }

    #[test]
    fn a_failure_counts_if_it_repeats_varied_and_vanishes_unvaried() {
        finds(
            "A#a fails varied\nA#b",
            &[
                "A#a failed 10 of 10",
                "A#b failed 0 of 10",
                "A#a fails since round 1, Alone, one reverse",
            ],
        );
    }

    #[test]
    fn the_weakest_level_that_fails_is_looked_for() {
        for (level, weakest) in [("full", "full odd"), ("id", "id odd"), ("eq", "eq odd")] {
            let suite = format!("A#a fails level {level}");
            let fails = format!("A#a fails since round 2, Alone, {weakest}");
            finds(&suite, &["A#a failed 9 of 10", &fails]);
        }
    }

    #[test]
    fn what_has_to_run_before_is_part_of_the_finding() {
        finds(
            "A#a\nA#b fails varied and after A#a",
            &[
                "A#a failed 0 of 10",
                "A#b failed 10 of 10",
                "A#b fails since round 1, Class, one reverse",
            ],
        );
        finds(
            "A#a\nB#b fails varied and after A#a",
            &[
                "A#a failed 0 of 10",
                "B#b failed 10 of 10",
                "B#b fails since round 1, Prefix, one reverse",
            ],
        );
    }

    #[test]
    fn what_passes_when_it_is_repeated_is_flaky() {
        finds(
            "A#a fails turns fp",
            &[
                "A#a failed 1 of 10",
                "A#a is flaky: 1 of 13 varied, 0 of 1 unvaried",
            ],
        );
    }

    #[test]
    fn what_fails_only_where_it_ran_before_is_its_own_doing() {
        // The guided rounds share a JVM, the random ones do not.
        for does in ["fails varied and again", "fails again"] {
            finds(
                &format!("A#a {does}"),
                &["A#a failed 2 of 10", "A#a runs only once"],
            );
        }
    }

    #[test]
    fn later_rounds_are_tried_if_the_first_does_not_repeat() {
        finds(
            "A#a fails turns fp; fails form random",
            &[
                "A#a failed 8 of 10",
                "A#a fails since round 4, Alone, one seed 250215905540262",
            ],
        );
    }

    #[test]
    fn what_repeats_in_none_of_three_rounds_is_flaky() {
        let third = "A#a fails since round 4, Alone, one seed 250215905540262";
        finds(
            "A#a fails turns ffp; fails form random",
            &["A#a failed 9 of 10", third],
        );
        finds(
            "A#a fails turns fffp; fails form random",
            &[
                "A#a failed 10 of 10",
                "A#a is flaky: 10 of 19 varied, 0 of 1 unvaried",
            ],
        );
    }

    #[test]
    fn a_test_that_needs_those_before_it_depends_on_the_order() {
        let suite = "A#a\nB#b fails without A#a";
        let two = simulated(suite).with(|options| options.jobs = NonZeroUsize::new(2).unwrap());
        check(
            two,
            &[
                "A#a failed 0 of 10",
                "B#b failed 10 of 10",
                "B#b needs others: B#b fails",
            ],
        );
        finds(suite, &["A#a failed 0 of 10", "B#b failed 0 of 10"]);
    }

    #[test]
    fn a_jvm_that_ends_is_the_failure_of_the_test_that_ran() {
        // Once it has ended a JVM, no round runs it again.
        for does in ["dies", "hangs"] {
            finds(
                &format!("A#a {does} varied\nA#b"),
                &[
                    "A#a failed 1 of 1",
                    "A#b failed 0 of 10",
                    "A#a fails since round 1, Alone, one reverse",
                ],
            );
        }
        // Between two tests it is nobody's.
        finds("A#a exits\nA#b", &["A#a failed 0 of 10", "A#b failed 0 of 10"]);
    }

    #[test]
    fn a_set_up_that_fails_varied_fails_its_tests() {
        finds(
            "A#a set-up-fails varied\nA#b\nB#a",
            &[
                "A#a failed 10 of 10",
                "A#b failed 10 of 10",
                "B#a failed 0 of 10",
                "A#a fails since round 1, Alone, one reverse",
                "A#b fails since round 1, Class, one reverse",
            ],
        );
    }

    #[test]
    fn without_a_jvm_nothing_is_confirmed() {
        let simulated = simulated("A#a fails varied").with(|options| options.rounds = Some(1));
        let reason = unflake_runner::StartError::OtherProtocol(0).to_string();
        let expected = format!("A#a has no JVM: {reason}");
        check(simulated.most_starts(1), &["A#a failed 1 of 1", &expected]);
    }

    #[test]
    fn who_has_had_enough_gets_no_confirmation() {
        finds(
            "A#a fails varied; cancels unvaried\nB#b fails varied",
            &[
                "A#a failed 10 of 10",
                "B#b failed 10 of 10",
                "A#a not confirmed",
                "B#b not confirmed",
            ],
        );
    }

    #[test]
    fn tests_of_one_class_share_a_jvm_as_long_as_it_is_as_good_as_new() {
        let starts = |suite: &str| {
            let simulated = simulated(suite).with(|options| options.rounds = Some(1));
            simulated.facts();
            simulated.starts()
        };
        assert_eq!(starts("A#a fails varied\nA#b fails varied"), 2);
        assert_eq!(starts("A#a fails varied\nB#b fails varied"), 3);
    }

    #[test]
    fn of_many_suspects_those_that_fail_unvaried_now_and_then_are_flaky_at_once() {
        let mut suite = String::from("A#flaky fails turns fpfpfp; fails form random\n");
        for n in 0..10 {
            suite.push_str(&format!("B#b{n} fails varied\n"));
        }
        let simulated = simulated(&suite).with(|options| options.rounds = Some(1));
        let facts = simulated.facts();
        // Passed in the build, failed in the round, then passed, failed, passed, failed unvaried.
        assert!(
            facts.contains(&"A#flaky is flaky: 1 of 1 varied, 2 of 5 unvaried".to_owned()),
            "{facts:?}"
        );
        assert_eq!(
            facts.iter().filter(|fact| fact.contains("fails since")).count(),
            10
        );
    }

    #[test]
    fn of_many_suspects_those_that_pass_when_the_round_is_repeated_cost_no_jvm_each() {
        let starts = |does: &str, count: usize| {
            let suite: Vec<String> = (0..count).map(|n| format!("A#a{n} {does}")).collect();
            let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
            let facts = simulated.facts();
            let flaky = facts.iter().filter(|fact| fact.contains("is flaky")).count();
            (simulated.starts(), flaky)
        };
        // Failed in the round, passed in four unvaried runs of all, in the round again, and three times alone.
        let (few, flaky) = starts("fails turns fp", 10);
        assert_eq!(flaky, 10);
        let (more, flaky) = starts("fails turns fp", 40);
        assert_eq!(flaky, 40);
        assert_eq!(few, more);
        // What fails when the round is repeated is looked for with the tests before it too.
        let (dear, _) = starts("fails turns fppppfp", 40);
        assert!(dear > 2 * more, "{dear} {more}");
    }

    #[test]
    fn what_needs_fresh_jvms_is_confirmed_in_batches() {
        // Each fails only the first time in a JVM, so that no JVM shows it twice.
        let checked = |count: usize| {
            let suite: Vec<String> = (0..count)
                .map(|n| format!("C{n}#a fails varied and once"))
                .collect();
            let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
            let facts = simulated.facts();
            let is_found = |fact: &&String| fact.contains("fails since round 1, Alone, one reverse");
            assert_eq!(facts.iter().filter(is_found).count(), count);
            simulated.starts()
        };
        // A JVM for what was tried first, and one for the last word; all else is shared.
        assert_eq!(checked(25) - checked(15), 2 * 10);
    }

    #[test]
    fn what_fails_after_others_still_counts_among_many() {
        let mut suite = String::from("A#a\nB#b fails varied and after A#a\n");
        for n in 0..10 {
            suite.push_str(&format!("C#c{n} fails turns fp\n"));
        }
        let facts = simulated(&suite).facts();
        let expected = "B#b fails since round 1, Prefix, one reverse".to_owned();
        assert!(facts.contains(&expected), "{facts:?}");
    }

    #[test]
    fn a_crash_that_does_not_repeat_was_perhaps_somebody_elses_doing() {
        let faults = |suite: &str| {
            let simulated = simulated(suite);
            simulated.facts();
            simulated.session.driver().faults().all().len()
        };
        assert_eq!(faults("A#a crashes turns fp\nA#b"), 1);
        assert_eq!(faults("A#a crashes varied\nA#b"), 0);
        assert_eq!(faults("A#a fails turns fp\nA#b"), 0);
    }

    #[test]
    fn the_budget_ends_confirmation_too_but_not_at_once() {
        assert_eq!(time_for(Duration::ZERO), Duration::from_secs(60));
        assert_eq!(time_for(Duration::from_secs(90)), Duration::from_secs(90));
        assert_eq!(Tried::none().result, Err(Unconfirmed::Cancelled));
    }

    #[test]
    fn each_result_is_judged() {
        let confirmed = Confirmed {
            scope: Scope::Alone,
            failure: failure("no"),
            weakest: strategy_of_round(1, None, unflake_protocol::Seed(7)),
            evidence: Evidence::LEARNED,
            trials: Vec::new(),
        };
        let failure = || Box::new(failure("no"));
        type Case<'a> = (bool, Result<(u32, Confirmed), Unconfirmed>, &'a str);
        let cases: [Case<'_>; 11] = [
            (false, Ok((4, confirmed.clone())), "failed in round 4"),
            (true, Ok((4, confirmed)), "failed in round 4"),
            (false, Err(Unconfirmed::Flaky(None)), "flaky: first"),
            (false, Err(Unconfirmed::Flaky(Some(failure()))), "flaky: no"),
            (true, Err(Unconfirmed::Flaky(None)), "NotConfirmed"),
            (
                false,
                Err(Unconfirmed::NeedsOthers(failure())),
                "NeedsOthers { message: \"no\" }",
            ),
            (false, Err(Unconfirmed::BrokenByOthers), "BrokenByOthers"),
            (false, Err(Unconfirmed::FailsUnvaried(failure())), "through build"),
            (false, Err(Unconfirmed::NotRun), "through build"),
            (false, Err(Unconfirmed::NoJvm("x".to_owned())), "NoJvm(\"x\")"),
            (false, Err(Unconfirmed::Cancelled), "NotConfirmedInTime"),
        ];
        for (is_cancelled, result, expected) in cases {
            let shown = format!("{result:?}");
            let suspect = FailedIn {
                test: TestIx(0),
                rounds: vec![4],
                rate: Rate { failed: 1, runs: 4 },
                message: "first".to_owned(),
                has_crashed: false,
                has_not_repeated: false,
            };
            let inquiry = Inquiry::default();
            let tried = Tried { result, inquiry };
            let judged = match judge(&suspect, tried, is_cancelled) {
                Confirmation::Fact(Fact::Failed(failed)) => format!("failed in round {}", failed.round),
                Confirmation::Fact(Fact::Unresolved(_, Unresolved::Flaky { message, .. })) => {
                    format!("flaky: {message}")
                }
                Confirmation::Fact(Fact::Unresolved(_, why)) => format!("{why:?}"),
                Confirmation::Fact(other) => format!("{other:?}"),
                Confirmation::ThroughBuild => "through build".to_owned(),
            };
            assert_eq!(judged, expected, "{shown}");
        }
    }

    #[test]
    fn the_round_that_is_repeated_counts_among_the_runs() {
        let suite: Vec<String> = (0..10).map(|n| format!("A#a{n} fails turns fp")).collect();
        let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
        let facts = simulated.facts();
        // In the round, in the round again, and three times alone.
        let expected = "A#a0 is flaky: 1 of 5 varied, 0 of 1 unvaried".to_owned();
        assert!(facts.contains(&expected), "{facts:?}");
    }

    #[test]
    fn tests_that_a_warm_jvm_confirms_are_not_confirmed_again() {
        let starts = |count: usize| {
            let suite: Vec<String> = (0..count).map(|n| format!("A#a{n} fails varied")).collect();
            let simulated = simulated(&suite.join("\n")).with(|options| options.rounds = Some(1));
            simulated.facts();
            simulated.starts()
        };
        assert_eq!([1, 3, 9].map(starts), [2, 2, 2]);
    }

    #[test]
    fn in_later_rounds_a_failure_has_to_show_alone() {
        // It fails in the first round by chance, and in random ones after another test.
        let suite = "A#a\nA#b fails turns fp; fails form random and after A#a";
        let facts = simulated(suite).facts();
        assert!(facts[2].starts_with("A#b failed 8 of 10"), "{facts:?}");
        assert!(
            !facts.iter().any(|fact| fact.contains("fails since")),
            "{facts:?}"
        );
    }

    #[test]
    fn the_first_round_in_which_it_failed_says_whose_doing_it_is() {
        // Twice since it ran before in that JVM, and once more by chance.
        finds(
            "A#a fails again; fails turns pppfp",
            &["A#a failed 3 of 10", "A#a runs only once"],
        );
    }
}
