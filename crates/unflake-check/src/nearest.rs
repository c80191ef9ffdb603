//! Which known names a mistyped one may mean.

/// The known names nearest to `wanted`; none if nothing is near.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const AT_MOST: usize = 3;
    let folded = wanted.to_lowercase();
    let limit = wanted.chars().count().div_ceil(3);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let candidate = name.to_lowercase();
            let distance = distance(&folded, &candidate);
            // A part of a name is near whatever the rest of it is: `keySet` for `HashMap.keySet`.
            let part = folded.len() >= 3 && candidate.contains(&folded);
            (distance <= limit || part).then_some((if part { distance.min(limit) } else { distance }, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter()
        .take_while(|(distance, _)| *distance == best)
        .take(AT_MOST)
        .map(|(_, name)| name)
        .collect()
}

/// The hint that goes with [`nearest`].
pub fn did_you_mean(names: &[&str]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}

/// How many letters to insert, remove, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &str, known: &[&'static str], expect: &[&str]) {
        assert_eq!(nearest(wanted, known.iter().copied()), expect, "{wanted}");
    }

    #[test]
    fn typing_errors_are_seen_through() {
        let known = ["rounds", "budget", "level", "seed", "jobs", "java"];
        check("round", &known, &["rounds"]);
        check("lvele", &known, &["level"]);
        check("Budgte", &known, &["budget"]);
        check("zzz", &known, &[]);
    }

    #[test]
    fn a_part_of_a_name_is_enough() {
        check(
            "keyset",
            &["HashMap.keySet", "File.list", "Hashtable.keySet"],
            &["HashMap.keySet", "Hashtable.keySet"],
        );
    }

    #[test]
    fn only_the_nearest_are_shown_and_few() {
        check("aaaaaa", &["aaaabb", "aaaaab", "aaaaba"], &["aaaaab", "aaaaba"]);
        check("aaa", &["aab", "aac", "aad", "aae"], &["aab", "aac", "aad"]);
    }

    #[test]
    fn hints_are_sentences() {
        assert_eq!(did_you_mean(&[]), None);
        assert_eq!(did_you_mean(&["a"]).as_deref(), Some("did you mean `a`?"));
        assert_eq!(
            did_you_mean(&["a", "b", "c"]).as_deref(),
            Some("did you mean `a`, `b` or `c`?")
        );
    }

    #[test]
    fn two_letters_are_a_part_of_too_many_names() {
        check("ke", &["HashMap.keySet"], &[]);
        check("key", &["HashMap.keySet"], &["HashMap.keySet"]);
    }

    #[test]
    fn letters_that_changed_places_are_one_mistake() {
        assert_eq!(distance("seed", "sede"), 1);
        assert_eq!(distance("seed", "sed"), 1);
        assert_eq!(distance("seed", "need"), 1);
        assert_eq!(distance("", "seed"), 4);
    }
}
