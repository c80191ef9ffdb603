//! How the tests of a round are spread over JVMs.

use std::time::Duration;

/// Cuts a sequence of tests into at most `parts` runs of about equal time, never inside of a class: `tests` gives the
/// root class and the time of each. Returns index ranges; order is kept, so that a test sees the same ones before it
/// as in the build, as far as they are in its part.
pub fn split(tests: &[(&str, Duration)], parts: usize) -> Vec<std::ops::Range<usize>> {
    let total: Duration = tests.iter().map(|(_, time)| *time).sum();
    let parts = parts.max(1);
    let share = total / u32::try_from(parts).unwrap_or(1);
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut used = Duration::ZERO;
    for end in 1..=tests.len() {
        used += tests[end - 1].1;
        let is_last = end == tests.len();
        let class_ends = is_last || tests[end].0 != tests[end - 1].0;
        if is_last || (class_ends && used >= share && ranges.len() + 1 < parts) {
            ranges.push(start..end);
            start = end;
            used = Duration::ZERO;
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes as letters, one test per letter, each of one second.
    fn check(tests: &str, parts: usize, expected: &str) {
        let names: Vec<String> = tests.chars().map(String::from).collect();
        let timed: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), Duration::from_secs(1)))
            .collect();
        let shown: Vec<_> = split(&timed, parts)
            .into_iter()
            .map(|range| names[range].concat())
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
        check("aaaaaab", 3, "aaaaaa b");
        check("abc", 1, "abc");
    }
}
