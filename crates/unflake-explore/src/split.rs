//! How the tests of a round are spread over JVMs.

use std::time::Duration;

/// What running a test costs, as far as it is known beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Cost<'a> {
    /// Its root class.
    pub class: &'a str,
    pub time: Duration,
    /// The part of the time in which nothing is done.
    pub waited: Duration,
}

/// Tests by their index, each part for one JVM; order is kept, so that a test sees the same ones before it as in the
/// build, as far as they are in its part.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Parts of about equal time. Each keeps a core busy.
    pub busy: Vec<Vec<usize>>,
    /// Classes that compute for long, each for itself.
    pub heavy: Vec<Vec<usize>>,
    /// Classes that mostly wait (they sleep, or wait for a socket): they run beside the others without a core of their
    /// own.
    pub waiting: Vec<Vec<usize>>,
}

/// A class that waits for less is not worth a JVM of its own.
const WORTH_A_JVM: Duration = Duration::from_secs(1);

/// A class that computes for as long should have begun before all others, so that nobody waits for it at the end.
const HEAVY: Duration = Duration::from_secs(4);

/// Cuts a sequence of tests into at most `parts` parts, those that compute for long and those that wait, never inside
/// of a class.
pub fn split(tests: &[Cost<'_>], parts: usize) -> Parts {
    let mut result = Parts::default();
    let mut classes = Vec::new();
    let mut next = 0;
    for class in tests.chunk_by(|a, b| a.class == b.class) {
        let indices: Vec<usize> = (next..next + class.len()).collect();
        next += class.len();
        let time: Duration = class.iter().map(|cost| cost.time).sum();
        let waited: Duration = class.iter().map(|cost| cost.waited).sum();
        if waited >= WORTH_A_JVM && 2 * waited > time {
            result.waiting.push(indices);
        } else if time - waited >= HEAVY {
            result.heavy.push(indices);
        } else {
            classes.push((indices, time));
        }
    }
    let total: Duration = classes.iter().map(|(_, time)| *time).sum();
    let share = total / u32::try_from(parts.max(1)).unwrap_or(1);
    let mut used = Duration::ZERO;
    for (indices, time) in classes {
        let is_last = result.busy.len() >= parts;
        match result.busy.last_mut() {
            Some(part) if used < share || is_last => part.extend(indices),
            _ => {
                result.busy.push(indices);
                used = Duration::ZERO;
            }
        }
        used += time;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes as letters, one test per letter, each of one second; those of capital letters wait. Busy ones come
    /// first, then heavy ones, then those that wait.
    fn check(tests: &str, parts: usize, expected: &str) {
        let names: Vec<String> = tests.chars().map(String::from).collect();
        let second = Duration::from_secs(1);
        let costs: Vec<_> = names
            .iter()
            .map(|name| Cost {
                class: name,
                time: second,
                waited: if name.to_lowercase() == *name {
                    Duration::ZERO
                } else {
                    second
                },
            })
            .collect();
        let parts = split(&costs, parts);
        let shown: Vec<String> = [parts.busy, parts.heavy, parts.waiting]
            .iter()
            .flatten()
            .map(|part| part.iter().map(|index| names[*index].as_str()).collect())
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn classes_stay_whole_and_parts_even() {
        check("", 2, "");
        check("a", 2, "a");
        check("aabb", 2, "aa bb");
        check("aaab", 2, "aaa b");
        check("abcdef", 3, "ab cd ef");
        check("aaab", 3, "aaa b");
        check("abc", 1, "abc");
    }

    #[test]
    fn what_computes_for_long_stays_alone() {
        check("abbbbc", 2, "a c bbbb");
    }

    #[test]
    fn a_class_waits_if_it_does_so_for_most_of_its_time() {
        let parts = |time: u64, waited: u64| {
            let cost = Cost {
                class: "a",
                time: Duration::from_millis(time),
                waited: Duration::from_millis(waited),
            };
            let Parts { busy, heavy, waiting } = split(&[cost], 1);
            [busy.len(), heavy.len(), waiting.len()]
        };
        let (busy, heavy, waiting) = ([1, 0, 0], [0, 1, 0], [0, 0, 1]);
        assert_eq!(parts(1500, 1000), waiting);
        assert_eq!(parts(2000, 1000), busy);
        // So short a time is not worth a JVM.
        assert_eq!(parts(1000, 999), busy);
        // What is waited for is not computed.
        assert_eq!(parts(7000, 3500), busy);
        assert_eq!(parts(8000, 4000), heavy);
    }

    #[test]
    fn what_waits_runs_beside_the_others() {
        check("aXXbYc", 2, "ab c XX Y");
        check("XX", 2, "XX");
    }
}
