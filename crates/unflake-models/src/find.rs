//! Models by name: exact, by glob, and the nearest ones to a name that is none.

use crate::{MODELS, Model, Road};
use std::fmt;

/// The model of this name and its index in [`MODELS`]; letters count the same in either case.
pub fn find(name: &str) -> Option<(usize, &'static Model)> {
    MODELS
        .iter()
        .enumerate()
        .find(|(_, model)| model.name.eq_ignore_ascii_case(name))
}

/// All edits that this Java needs: index of the model, the model, the road.
pub fn roads_for(java: u8) -> impl Iterator<Item = (usize, &'static Model, &'static Road)> {
    MODELS.iter().enumerate().flat_map(move |(index, model)| {
        model
            .roads
            .iter()
            .filter(move |road| road.applies_to(java))
            .map(move |road| (index, model, road))
    })
}

/// The models that `--api` and `--skip-api` switch on, in the table's order.
///
/// No glob at all means every model. A model that varies through others brings them along, or asking for it alone would
/// vary nothing; what is skipped stays skipped.
pub fn select<S: AsRef<str>>(api: &[S], skip_api: &[S]) -> Result<Vec<&'static Model>, UnknownName> {
    for pattern in api.iter().chain(skip_api) {
        if !MODELS
            .iter()
            .any(|model| glob_matches(pattern.as_ref(), model.name))
        {
            return Err(UnknownName::of(pattern.as_ref()));
        }
    }
    let matches = |patterns: &[S], name: &str| {
        patterns
            .iter()
            .any(|pattern| glob_matches(pattern.as_ref(), name))
    };
    let asked = MODELS
        .iter()
        .filter(|model| api.is_empty() || matches(api, model.name));
    let mut names: Vec<&str> = asked.map(|model| model.name).collect();
    names.retain(|name| !matches(skip_api, name));
    let mut next = 0;
    while let Some(&name) = names.get(next) {
        let through = find(name).map_or(&[][..], |(_, model)| model.through);
        for other in through {
            if !names.contains(other) && !matches(skip_api, other) {
                names.push(other);
            }
        }
        next += 1;
    }
    Ok(MODELS
        .iter()
        .filter(|model| names.contains(&model.name))
        .collect())
}

/// A name or glob that matches no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    pub name: String,
    /// The names most like it, best first.
    pub nearest: Vec<&'static str>,
}

impl UnknownName {
    /// For a name that was looked up and not found.
    pub fn of(name: &str) -> UnknownName {
        UnknownName {
            name: name.to_owned(),
            nearest: nearest(name),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no model is called `{}`", self.name)?;
        match self.nearest.split_last() {
            None => f.write_str("; `unflake models` lists them"),
            Some((only, [])) => write!(f, "; the nearest is `{only}`"),
            Some((last, others)) => write!(f, "; the nearest are `{}` and `{last}`", others.join("`, `")),
        }
    }
}

impl std::error::Error for UnknownName {}

/// Up to three names most like `name` (which may be a glob), best first.
///
/// The whole name counts, and so do its two halves: `keyset` and `HashMap.keys` both mean `HashMap.keySet`.
pub fn nearest(name: &str) -> Vec<&'static str> {
    const MOST: usize = 3;
    let wanted: String = name
        .chars()
        .filter(|c| *c != '*' && *c != '?')
        .collect::<String>()
        .to_lowercase();
    let wanted = wanted.trim_matches('.');
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut ranked: Vec<(usize, &'static str)> = MODELS
        .iter()
        .map(|model| (distance_to(wanted, &model.name.to_lowercase()), model.name))
        .filter(|(distance, _)| *distance <= wanted.len().div_ceil(2).max(2))
        .collect();
    // A stable sort: equally near ones keep the table's order.
    ranked.sort_by_key(|(distance, _)| *distance);
    let best = ranked.first().map_or(0, |(distance, _)| *distance);
    ranked
        .into_iter()
        .take_while(|(distance, _)| *distance <= best + 2)
        .take(MOST)
        .map(|(_, name)| name)
        .collect()
}

fn distance_to(wanted: &str, name: &str) -> usize {
    let whole = edit_distance(wanted, name);
    if wanted.contains('.') {
        return whole;
    }
    name.split('.')
        .map(|half| edit_distance(wanted, half))
        .min()
        .unwrap_or(whole)
        .min(whole)
}

/// Letters to insert, remove, replace or swap with their neighbour.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Whether `*` (anything) and `?` (one character) in `pattern` can be filled in to give `text`, in either case.
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on when the last star has to swallow one more character.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, swallowed)) => {
                    star = Some((at, swallowed + 1));
                    p = at + 1;
                    t = swallowed + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(api: &[&str], skip: &[&str]) -> Vec<&'static str> {
        select(api, skip)
            .unwrap()
            .into_iter()
            .map(|model| model.name)
            .collect()
    }

    #[test]
    fn a_name_is_found_in_either_case() {
        let (index, model) = find("hashmap.KEYSET").unwrap();
        assert_eq!(model.name, "HashMap.keySet");
        assert_eq!(MODELS[index], *model);
        assert_eq!(find("HashMap.key"), None);
    }

    #[test]
    fn globs_match_whole_names() {
        assert!(glob_matches("*", "HashMap.keySet"));
        assert!(glob_matches("hashmap.*", "HashMap.keySet"));
        assert!(glob_matches("*.get*annot*", "Class.getDeclaredAnnotations"));
        assert!(glob_matches("*.toStrin?", "DelayQueue.toString"));
        assert!(!glob_matches("HashMap.*", "WeakHashMap.keySet"));
        assert!(!glob_matches("HashMap", "HashMap.keySet"));
        assert!(!glob_matches("", "HashMap.keySet"));
    }

    #[test]
    fn nothing_asked_means_everything() {
        assert_eq!(names(&[], &[]).len(), MODELS.len());
    }

    #[test]
    fn a_model_brings_what_it_varies_through() {
        assert_eq!(
            names(&["HashSet.iterator"], &[]),
            ["HashMap.keySet", "HashSet.iterator"]
        );
        assert_eq!(
            names(&["Calendar.*"], &[]),
            [
                "HashMap.keySet",
                "HashSet.iterator",
                "DateFormat.getAvailableLocales",
                "Calendar.getAvailableLocales"
            ]
        );
    }

    #[test]
    fn what_is_skipped_does_not_come_back() {
        assert_eq!(names(&["HashSet.*"], &["HashMap.*"]), ["HashSet.iterator"]);
        assert!(
            !names(&[], &["Class.*"])
                .iter()
                .any(|name| name.starts_with("Class."))
        );
    }

    #[test]
    fn a_glob_that_matches_nothing_names_the_nearest() {
        let unknown = select(&["HashMap.keyset", "Hashmp.*"], &[]).unwrap_err();
        assert_eq!(unknown.name, "Hashmp.*");
        assert_eq!(
            unknown.nearest,
            ["HashMap.keySet", "HashMap.values", "HashMap.entrySet"]
        );
    }

    #[test]
    fn the_nearest_names_are_those_one_would_have_meant() {
        assert_eq!(nearest("HashMap.keySte")[0], "HashMap.keySet");
        assert_eq!(nearest("getDeclaredField")[0], "Class.getDeclaredFields");
        assert_eq!(nearest("File.listFile")[0], "File.listFiles");
        assert!(nearest("xyzzyxyzzyxyzzyxyzzy").is_empty());
        assert!(nearest("*").is_empty());
    }

    #[test]
    fn an_unknown_name_is_told_in_one_sentence() {
        assert_eq!(
            UnknownName::of("File.listt").to_string(),
            "no model is called `File.listt`; the nearest are `File.list` and `Files.list`"
        );
        assert_eq!(
            UnknownName::of("qqqqqqqqqqqqqqqqqqq").to_string(),
            "no model is called `qqqqqqqqqqqqqqqqqqq`; `unflake models` lists them"
        );
    }

    #[test]
    fn a_java_gets_only_its_own_roads() {
        let has = |java: u8, method: &str| roads_for(java).any(|(_, _, road)| road.method == method);
        assert!(!has(11, "getPermittedSubclasses"));
        assert!(has(17, "getPermittedSubclasses"));
        assert!(!has(8, "getNestMembers"));
        assert!(has(11, "getNestMembers"));
    }
}
