//! Delta debugging: the fewest of some things that still do it (Zeller and Hildebrandt, 2002, `ddmin`).

use std::ops::Range;

/// A smallest part of `0..count` for which `does` holds: without any one of its members it no longer does. `does` holds
/// for the whole, and not for nothing; it is not asked about either.
///
/// `None` from `does`: no more can be asked. Then what is known so far is returned, and that it is not the end.
pub fn minimize(count: usize, mut does: impl FnMut(&[usize]) -> Option<bool>) -> Minimal {
    let mut left: Vec<usize> = (0..count).collect();
    let mut parts = 2;
    while left.len() > 1 {
        let ranges = cut(left.len(), parts);
        let mut smaller = None;
        // With two parts, the rest without one is the other one.
        let ways = if parts > 2 { 2 } else { 1 };
        'found: for way in 0..ways {
            for range in &ranges {
                let candidate = if way == 0 {
                    left[range.clone()].to_vec()
                } else {
                    without(&left, range)
                };
                match does(&candidate) {
                    Some(true) => {
                        smaller = Some((candidate, if way == 0 { 2 } else { (parts - 1).max(2) }));
                        break 'found;
                    }
                    Some(false) => {}
                    None => {
                        return Minimal {
                            members: left,
                            is_proved: false,
                        };
                    }
                }
            }
        }
        match smaller {
            Some((candidate, next)) => {
                left = candidate;
                parts = next.min(left.len().max(2));
            }
            None if parts >= left.len() => break,
            None => parts = (2 * parts).min(left.len()),
        }
    }
    Minimal {
        members: left,
        is_proved: true,
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Minimal {
    pub members: Vec<usize>,
    /// Every member was seen to be needed.
    pub is_proved: bool,
}

fn without(all: &[usize], range: &Range<usize>) -> Vec<usize> {
    all[..range.start]
        .iter()
        .chain(&all[range.end..])
        .copied()
        .collect()
}

/// Cuts `0..length` into `parts` ranges of about the same length, none of them empty.
fn cut(length: usize, parts: usize) -> Vec<Range<usize>> {
    (0..parts)
        .map(|part| part * length / parts..(part + 1) * length / parts)
        .filter(|range| !range.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_of_many_is_found_in_few_steps() {
        let mut asked = 0;
        let found = minimize(1024, |part| {
            asked += 1;
            Some(part.contains(&700))
        });
        assert_eq!(found.members, [700]);
        assert!(asked <= 20, "{asked}");
    }

    #[test]
    fn when_no_more_can_be_asked_the_best_so_far_is_the_answer() {
        let mut asked = 0;
        let found = minimize(64, |part| {
            asked += 1;
            (asked < 3).then_some(part.contains(&5))
        });
        assert!(!found.is_proved);
        assert!(found.members.contains(&5) && found.members.len() < 64);
    }

    proptest! {
        #[test]
        fn every_member_is_needed_and_none_is_missing(
            needed in proptest::collection::btree_set(0usize..40, 1..5),
        ) {
            let does = |part: &[usize]| needed.iter().all(|one| part.contains(one));
            let found = minimize(40, |part| Some(does(part)));
            prop_assert!(found.is_proved);
            prop_assert_eq!(found.members, needed.into_iter().collect::<Vec<_>>());
        }
    }
}
