use super::*;
use proptest::prelude::*;
use unflake_protocol::StackFrame;

/// A test that makes `choices` choices of `size` elements each, varied by reversing, and fails as told by the orders.
struct Pretended<F> {
    choices: u32,
    size: u32,
    runs: usize,
    fails: F,
    /// What it says when it fails.
    message: &'static str,
}

impl<F: Fn(&[Vec<u32>]) -> bool> Probe for Pretended<F> {
    fn order_runs(&self) -> usize {
        60
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        self.runs += 1;
        let ids: Vec<ChoiceId> = (0..self.choices).map(|call| ChoiceId::new(1, 0, call)).collect();
        let place = |id: &ChoiceId| ids.iter().position(|other| other == id).unwrap_or_default();
        let reversed: Vec<u32> = (0..self.size).rev().collect();
        let order = |id: &ChoiceId| {
            let entry = script.entries.iter().find(|(from, to, _)| from <= id && id <= to);
            match (entry.map(|(_, _, order)| order), script.others) {
                (Some(Order::Varied), _) | (None, Others::Varied) => reversed.clone(),
                (Some(Order::Given(order)), _) => order.clone(),
                (Some(Order::Natural), _) | (None, Others::Natural) => natural(self.size as usize),
            }
        };
        let orders: Vec<Vec<u32>> = ids.iter().map(order).collect();
        let failed = (self.fails)(&orders);
        let failure = Failure {
            kind: "E".to_owned(),
            message: self.message.to_owned(),
            trace: String::new(),
            expected: None,
            actual: None,
        };
        let chosen = |id: &ChoiceId| Chosen {
            id: *id,
            model: "HashMap.keySet".to_owned(),
            kind: ChoiceKind::Rearranges,
            by_project: true,
            size: self.size,
            rank: None,
        };
        let evidence = |id: &ChoiceId| Evidence {
            id: *id,
            model: "HashMap.keySet".to_owned(),
            kind: ChoiceKind::Rearranges,
            size: self.size,
            owner: None,
            natural: (0..self.size).map(|n| format!("e{}-{n}", place(id))).collect(),
            natural_answer: 0,
            failing: Vec::new(),
            moved: Vec::new(),
            order: order(id),
            stack: Vec::new(),
            allocation: record.allocations.then_some(made_here()).into_iter().collect(),
        };
        Some(Probed {
            verdict: if failed {
                Verdict::Failed(failure)
            } else {
                Verdict::Passed
            },
            choices: ids.iter().map(chosen).collect(),
            evidence: record.evidence.iter().map(evidence).collect(),
        })
    }
}

fn made_here() -> StackFrame {
    StackFrame {
        class: "p.A".to_owned(),
        method: "make".to_owned(),
        file: None,
        line: Some(3),
    }
}

fn cause(choices: u32, size: u32, fails: impl Fn(&[Vec<u32>]) -> bool) -> Result<String, NoCause> {
    let mut probe = Pretended {
        choices,
        size,
        runs: 0,
        fails,
        message: "",
    };
    let found = find_cause(&mut probe)?;
    let shown = found
        .choices
        .iter()
        .map(|culprit| format!("{}:{:?}", culprit.number, culprit.evidence.order));
    Ok(shown.collect::<Vec<_>>().join(" "))
}

#[test]
fn one_choice_and_the_two_elements_that_matter() {
    let fails = |orders: &[Vec<u32>]| orders[36][0] != 0;
    assert_eq!(cause(100, 4, fails), Ok("37:[3, 1, 2, 0]".to_owned()));
}

/// A test that passes as long as somebody keeps its collections alive.
struct WatchesTheCollector<P>(P);

impl<P: Probe> Probe for WatchesTheCollector<P> {
    fn order_runs(&self) -> usize {
        self.0.order_runs()
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        let mut ran = self.0.run(script, record)?;
        if record.allocations {
            ran.verdict = Verdict::Passed;
        }
        Some(ran)
    }
}

#[test]
fn where_a_collection_is_made_is_shown_unless_looking_for_it_hides_the_failure() {
    let pretended = || Pretended {
        choices: 5,
        size: 2,
        runs: 0,
        fails: |orders: &[Vec<u32>]| orders[1][0] != 0,
        message: "",
    };
    let shown = |found: Culprits| {
        let culprits = found.choices.into_iter();
        culprits
            .map(|culprit| (culprit.number, culprit.evidence.allocation))
            .collect::<Vec<_>>()
    };
    let found = find_cause(&mut pretended()).unwrap();
    assert_eq!(shown(found), [(2, vec![made_here()])]);
    let found = find_cause(&mut WatchesTheCollector(pretended())).unwrap();
    assert_eq!(shown(found), [(2, Vec::new())]);
}

/// Runs until the cause is found.
fn runs(message: &'static str, fails: impl Fn(&[Vec<u32>]) -> bool) -> usize {
    let mut probe = Pretended {
        choices: 200,
        size: 2,
        runs: 0,
        fails,
        message,
    };
    find_cause(&mut probe).unwrap();
    probe.runs
}

#[test]
fn what_the_failing_test_says_is_a_guess() {
    let one = |orders: &[Vec<u32>]| orders[36][0] != 0;
    // All varied, all natural, the guess, and once more with where it was made.
    assert_eq!(runs("expected e36-0 e36-1 but was e36-1 e36-0", one), 4);
    assert!(runs("no", one) > 10);
    // A wrong guess costs one run, and one element says too little.
    assert_eq!(runs("e7-0 e7-1", one), runs("no", one) + 1);
    assert_eq!(runs("e36-0", one), runs("no", one));
    // Of many guesses the first few are tried.
    let many = "e5-0 e5-1 e6-0 e6-1 e7-0 e7-1 e8-0 e8-1 e9-0 e9-1";
    assert_eq!(runs(many, one), runs("no", one) + MOST_GUESSES);
    let both = |orders: &[Vec<u32>]| orders[36][0] != 0 && orders[37][0] != 0;
    assert!(runs("e36-0 e36-1 e37-0 e37-1", both) > 10);
}

#[test]
fn the_telling_part_of_an_element() {
    for (element, part) in [
        ("a", "a"),
        ("\"a\"", "a"),
        ("key=value", "key"),
        ("private java.lang.String p.Amount.currency", "currency"),
        ("public int p.A.size(int, long)", "size"),
    ] {
        assert_eq!(telling_part(element), part);
    }
}

#[test]
fn two_choices_that_only_fail_together() {
    let fails = |orders: &[Vec<u32>]| orders[2][0] == 1 && orders[9][0] == 1;
    assert_eq!(cause(20, 2, fails), Ok("3:[1, 0] 10:[1, 0]".to_owned()));
}

#[test]
fn a_test_that_passes_now_has_no_cause() {
    assert_eq!(cause(3, 2, |_| false), Err(NoCause::NotRepeated));
    assert!(matches!(cause(3, 2, |_| true), Err(NoCause::Hashes(_))));
}

/// A test that can be run so often.
struct Limited<P> {
    probe: P,
    left: usize,
    order_runs: usize,
}

impl<P: Probe> Probe for Limited<P> {
    fn order_runs(&self) -> usize {
        self.order_runs
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        self.left = self.left.checked_sub(1)?;
        self.probe.run(script, record)
    }
}

#[test]
fn when_the_time_is_up_it_is_said_how_many_choices_were_left() {
    let after = |left: usize| {
        let probe = Pretended {
            choices: 5,
            size: 2,
            runs: 0,
            fails: |orders: &[Vec<u32>]| orders[1][0] != 0,
            message: "",
        };
        let mut limited = Limited {
            probe,
            left,
            order_runs: 60,
        };
        match find_cause(&mut limited) {
            Err(NoCause::TimeUp(choices)) => Some(choices),
            Err(other) => panic!("{other:?}"),
            Ok(_) => None,
        }
    };
    // All varied, all natural, three to find the one, and that shown with where it is made.
    let choices = [0, 5, 5, 2, 2, 1, 1].map(Some);
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(after), choices);
    assert_eq!(after(7), None);
}

#[test]
fn a_smaller_order_is_looked_for_only_so_often() {
    let found = |order_runs: usize| {
        let probe = Pretended {
            choices: 1,
            size: 8,
            runs: 0,
            fails: |orders: &[Vec<u32>]| orders[0][3] != 3,
            message: "e0-0 e0-1",
        };
        let mut limited = Limited {
            probe,
            left: 100,
            order_runs,
        };
        let found = find_cause(&mut limited).unwrap();
        (100 - limited.left, found.choices[0].evidence.order.clone())
    };
    let reversed: Vec<u32> = (0..8).rev().collect();
    // All varied, all natural, the guess, and what was found.
    assert_eq!(found(0), (4, reversed));
    // Of four swaps: the first two, the last two, and the one that matters.
    let (half, swapped) = (vec![0, 1, 5, 4, 3, 2, 6, 7], vec![0, 1, 2, 4, 3, 5, 6, 7]);
    assert_eq!(found(2), (6, half.clone()));
    assert_eq!(found(3), (7, half));
    assert_eq!(found(4), (8, swapped));
}

/// A test that shows nothing of its choices.
struct Silent<P>(P);

impl<P: Probe> Probe for Silent<P> {
    fn order_runs(&self) -> usize {
        self.0.order_runs()
    }

    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        let ran = self.0.run(script, record)?;
        Some(Probed {
            evidence: Vec::new(),
            ..ran
        })
    }
}

#[test]
fn a_choice_that_is_not_made_again_is_no_cause() {
    let probe = Pretended {
        choices: 3,
        size: 2,
        runs: 0,
        fails: |orders: &[Vec<u32>]| orders[1][0] != 0,
        message: "",
    };
    assert!(matches!(find_cause(&mut Silent(probe)), Err(NoCause::Unstable)));
}

#[test]
fn the_best_guess_is_the_choice_of_which_most_was_said() {
    let choice = |call: u32, kind: ChoiceKind, natural: &[&str]| Evidence {
        id: ChoiceId::new(1, 0, call),
        model: "HashMap.keySet".to_owned(),
        kind,
        size: natural.len() as u32,
        owner: None,
        natural: natural.iter().map(|name| (*name).to_owned()).collect(),
        natural_answer: 0,
        failing: Vec::new(),
        moved: Vec::new(),
        order: Vec::new(),
        stack: Vec::new(),
        allocation: Vec::new(),
    };
    use ChoiceKind::{Picks, Rearranges};
    let evidence = [
        choice(0, Rearranges, &["one", "two", "six", "ten"]),
        choice(1, Rearranges, &["one", "two"]),
        choice(2, Rearranges, &["two", "one"]),
        // One element of it was said, single letters are in every text, and nothing is rearranged here.
        choice(3, Rearranges, &["one", "six"]),
        choice(4, Rearranges, &["o", "n", "e"]),
        choice(5, Picks, &["one", "two"]),
        choice(6, Rearranges, &[]),
    ];
    let guessed = |failure: &Failure| -> Vec<usize> {
        let place = |id: &ChoiceId| evidence.iter().position(|choice| choice.id == *id);
        guesses(failure, &evidence).iter().filter_map(place).collect()
    };
    let failure = |message: &str, expected: Option<&str>, actual: Option<&str>| Failure {
        kind: "E".to_owned(),
        message: message.to_owned(),
        trace: String::new(),
        expected: expected.map(str::to_owned),
        actual: actual.map(str::to_owned),
    };
    assert_eq!(guessed(&failure("[one, two]", None, None)), [2, 1, 0]);
    // Wherever it was said.
    assert_eq!(guessed(&failure("", Some("one"), Some("two"))), [2, 1, 0]);
    assert_eq!(guessed(&failure("one", None, None)), [0_usize; 0]);
}

proptest! {
    #[test]
    fn swaps_make_the_order(order in Just((0u32..12).collect::<Vec<_>>()).prop_shuffle()) {
        let swaps = swaps(&order);
        prop_assert!(swaps.len() < order.len());
        prop_assert_eq!(swapped(order.len(), swaps.into_iter()), order);
    }
}
