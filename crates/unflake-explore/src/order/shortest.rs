//! The fewest tests that make another one fail, or pass.

use super::orders::{Orders, TestOrder, Unproved, Wanted, followed_by, run_one};
use crate::{TestIx, Verdict};

/// The fewest of the tests in `before` that make `test` do what is wanted when they run before it, in their order. With
/// none of them it does not.
///
/// The shortest end of `before` that is enough begins with a test that is needed: without it nothing that comes later
/// does. It stays, and the same is asked for the rest, until those that stay are enough. Tests that clean up mislead
/// only a search that leaves out the end. For one test of 400 this is 13 JVMs, for two about twice as many.
pub(super) fn shortest(
    orders: &dyn Orders,
    before: &[TestIx],
    test: TestIx,
    wanted: Wanted,
) -> Result<TestOrder, Unproved> {
    if !wanted.holds(&last(orders, followed_by(before, test))?) {
        return Err(Unproved::NotRepeated);
    }
    let mut needed = TestOrder::new();
    // The order that begins with `needed` and goes on at this place does it.
    let mut from = 0;
    loop {
        let mut too_late = before.len();
        while too_late - from > 1 {
            let third = (too_late - from).div_ceil(3);
            let places = [from + third, from + 2 * third].into_iter();
            let places: Vec<usize> = places.filter(|place| *place < too_late).collect();
            let ends = places.iter().map(|place| [&needed, &before[*place..]].concat());
            let does = which_do(orders, ends, test, wanted)?;
            match does.iter().position(|does| !does) {
                Some(first) => {
                    too_late = places[first];
                    from = first.checked_sub(1).map_or(from, |enough| places[enough]);
                }
                None => from = places[places.len() - 1],
            }
        }
        let next = before.get(from).ok_or(Unproved::NotRepeated)?;
        needed.push(*next);
        from += 1;
        if which_do(orders, [needed.clone()], test, wanted)? == [true] {
            return without_the_needless(orders, needed, test, wanted);
        }
    }
}

/// Leaves out one after the other as long as that makes no difference.
fn without_the_needless(
    orders: &dyn Orders,
    mut needed: TestOrder,
    test: TestIx,
    wanted: Wanted,
) -> Result<TestOrder, Unproved> {
    while needed.len() > 1 {
        let without = |place: usize| [&needed[..place], &needed[place + 1..]].concat();
        let does = which_do(orders, (0..needed.len()).map(without), test, wanted)?;
        match does.iter().position(|does| *does) {
            Some(needless) => needed.remove(needless),
            None => break,
        };
    }
    Ok(needed)
}

/// Whether `test` does what is wanted after each of some orders, all at the same time.
fn which_do(
    orders: &dyn Orders,
    before: impl IntoIterator<Item = TestOrder>,
    test: TestIx,
    wanted: Wanted,
) -> Result<Vec<bool>, Unproved> {
    let before = before.into_iter().map(|order| followed_by(&order, test));
    let ran = orders.run_all(&before.collect::<Vec<_>>()).into_iter();
    let does = |verdicts: Vec<Verdict>| verdicts.last().is_some_and(|verdict| wanted.holds(verdict));
    ran.map(|verdicts| verdicts.map(does).ok_or(Unproved::Ended))
        .collect()
}

/// Runs one order; what became of its last test.
fn last(orders: &dyn Orders, order: TestOrder) -> Result<Verdict, Unproved> {
    let verdicts = run_one(orders, order).ok_or(Unproved::Ended)?;
    match verdicts.into_iter().last() {
        Some(Verdict::Cancelled) => Err(Unproved::Ended),
        Some(Verdict::NotRun) | None => Err(Unproved::NotRun),
        Some(verdict) => Ok(verdict),
    }
}

#[cfg(test)]
mod tests {
    use super::super::prove::prove_brittle;
    use super::super::simulated::{ix, last_is, one, suite};
    use super::*;

    #[test]
    fn one_polluter_of_many_is_found_with_few_jvms() {
        let suite = suite(|before, test| test == 500 && before.contains(&77));
        assert_eq!(
            shortest(&suite, &ix(0..400), one(500), Wanted::Fails),
            Ok(ix([77]))
        );
        assert!(suite.jvms() <= 14, "{}", suite.jvms());
    }

    #[test]
    fn two_polluters_that_are_needed_together_are_found_in_their_order() {
        let suite = suite(|before, test| test == 500 && before.contains(&3) && before.contains(&77));
        let before = ix((0..100).rev());
        assert_eq!(
            shortest(&suite, &before, one(500), Wanted::Fails),
            Ok(ix([77, 3]))
        );
        assert!(suite.jvms() <= 22, "{}", suite.jvms());
    }

    #[test]
    fn a_test_that_was_needed_only_because_of_a_cleaner_is_left_out() {
        // 10 keeps 20 from doing harm, unless 5 came first.
        let suite = suite(|before, test| {
            let cleaned = before.contains(&10) && !before.contains(&5);
            test == 500 && before.contains(&20) && !cleaned
        });
        assert_eq!(
            shortest(&suite, &ix(0..40), one(500), Wanted::Fails),
            Ok(ix([20]))
        );
    }

    #[test]
    fn a_cleaner_in_between_does_not_hide_the_polluter() {
        // 10 cleans, 20 pollutes after it: only orders without 10 behind 20 fail.
        let suite = suite(|before, test| test == 500 && last_is(before, &[10, 20], 20));
        assert_eq!(
            shortest(&suite, &ix(0..40), one(500), Wanted::Fails),
            Ok(ix([20]))
        );
    }

    #[test]
    fn the_setter_of_a_brittle_test_is_found_the_same_way() {
        let suite = suite(|before, test| test == 500 && !before.contains(&7));
        assert_eq!(
            shortest(&suite, &ix(0..40), one(500), Wanted::Passes),
            Ok(ix([7]))
        );
        let proved = prove_brittle(&suite, one(500), &ix([7])).unwrap();
        assert_eq!((proved.setters, proved.runs), (ix([7]), 8));
        assert_eq!(
            prove_brittle(&suite, one(500), &ix([8])),
            Err(Unproved::NotRepeated)
        );
    }

    #[test]
    fn what_does_not_repeat_has_no_polluter() {
        let suite = suite(|_, _| false);
        assert_eq!(
            shortest(&suite, &ix([1, 2]), one(3), Wanted::Fails),
            Err(Unproved::NotRepeated)
        );
    }

    #[test]
    fn what_makes_no_difference_is_left_out() {
        let suite = suite(|before, test| test == 9 && before.contains(&2) && before.contains(&4));
        let needed = without_the_needless(&suite, ix([1, 2, 3, 4]), one(9), Wanted::Fails);
        assert_eq!(needed, Ok(ix([2, 4])));
    }
}
