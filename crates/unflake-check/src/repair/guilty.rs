//! Which of many patches break something that all of them together break.

/// The ones that have to go so that the others do not break anything; `breaks` says of some of them whether they do.
/// All of them together do. Where only several together break something, the later one has to go.
///
/// Each one that goes costs about twice the logarithm of their number.
pub(super) fn guilty<T: Copy>(all: &[T], breaks: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = Vec::new();
    beside(&mut kept, all, breaks)
}

/// The guilty ones of `some`, which break something beside `kept`, whereas `kept` does not. The innocent ones are kept.
fn beside<T: Copy>(kept: &mut Vec<T>, some: &[T], breaks: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    if some.len() <= 1 {
        return some.to_vec();
    }
    let (first, second) = some.split_at(some.len() / 2);
    let mut found = Vec::new();
    for half in [first, second] {
        let with_half: Vec<T> = kept.iter().chain(half).copied().collect();
        if breaks(&with_half) {
            found.extend(beside(kept, half, breaks));
        } else {
            *kept = with_half;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `breaking`: sets that break something if all of a set are there.
    fn check(count: usize, breaking: &[&[usize]], expected: &[usize], most_asked: usize) {
        let all: Vec<usize> = (0..count).collect();
        let mut asked = 0;
        let mut breaks = |some: &[usize]| {
            asked += 1;
            breaking
                .iter()
                .any(|set| set.iter().all(|one| some.contains(one)))
        };
        let found = guilty(&all, &mut breaks);
        assert_eq!(found, expected, "{breaking:?}");
        let rest: Vec<usize> = all.iter().copied().filter(|one| !found.contains(one)).collect();
        assert!(!breaks(&rest), "what is left breaks nothing: {rest:?}");
        assert!(asked <= most_asked + 1, "{asked}");
    }

    #[test]
    fn those_that_break_something_go_and_the_others_stay() {
        check(1, &[&[0]], &[0], 0);
        check(2, &[&[0]], &[0], 2);
        check(2, &[&[1]], &[1], 2);
        check(64, &[&[17]], &[17], 12);
        check(64, &[&[0], &[31], &[63]], &[0, 31, 63], 36);
        check(5, &[&[0], &[1], &[2], &[3], &[4]], &[0, 1, 2, 3, 4], 8);
    }

    #[test]
    fn of_those_that_break_something_only_together_the_last_goes() {
        check(2, &[&[0, 1]], &[1], 2);
        check(16, &[&[3, 12]], &[12], 8);
        check(16, &[&[3, 12], &[5]], &[5, 12], 16);
        check(8, &[&[0, 3, 7]], &[7], 6);
    }
}
