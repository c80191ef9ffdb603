use super::*;
use proptest::prelude::*;

/// A test that makes `choices` choices of `size` elements each, varied by reversing, and fails as told by the orders.
struct Pretended<F> {
    choices: u32,
    size: u32,
    runs: usize,
    fails: F,
}

impl<F: Fn(&[Vec<u32>]) -> bool> Probe for Pretended<F> {
    fn run(&mut self, script: &Script, record: &Record) -> Option<Probed> {
        self.runs += 1;
        let ids: Vec<ChoiceId> = (0..self.choices).map(|call| ChoiceId::new(1, 0, call)).collect();
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
            message: String::new(),
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
            natural: Vec::new(),
            natural_answer: 0,
            failing: Vec::new(),
            moved: Vec::new(),
            order: order(id),
            stack: Vec::new(),
            allocation: Vec::new(),
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

fn cause(choices: u32, size: u32, fails: impl Fn(&[Vec<u32>]) -> bool) -> Result<String, NoCause> {
    let mut probe = Pretended {
        choices,
        size,
        runs: 0,
        fails,
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

proptest! {
    #[test]
    fn swaps_make_the_order(order in Just((0u32..12).collect::<Vec<_>>()).prop_shuffle()) {
        let swaps = swaps(&order);
        prop_assert!(swaps.len() < order.len());
        prop_assert_eq!(swapped(order.len(), swaps.into_iter()), order);
    }
}
