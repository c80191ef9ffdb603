//! What the report says of shared state that could not be watched, or not wholly, and of settings that were of no use.

use super::Runs;
use super::changes::{Changes, Unseen};
use super::twice::Twice;
use super::watching;
use crate::check::Check;
use crate::ledger::{CutShort, Fact, Ledger};
use std::collections::BTreeMap;
use unflake_findings::NoteKind;
use unflake_protocol::Gap;

/// Says what could not be watched, or was asked for in vain.
pub(super) fn tell(check: &Check<'_>, runs: &Runs, twice: &Twice<'_>, notes: &[String], ledger: &mut Ledger) {
    let all: [&Changes; 4] =
        [&runs.hidden_again, &runs.hidden, &runs.second, &runs.first].map(|run| &run.seen);
    // One reason for each, the first run's before others: a later one may have given up something else of it.
    let mut not_watched: BTreeMap<&str, &Unseen> = BTreeMap::new();
    let mut sampled: BTreeMap<&str, u32> = BTreeMap::new();
    for seen in all {
        not_watched.extend(seen.not_watched.iter().map(|(what, why)| (what.as_str(), why)));
        sampled.extend(seen.sampled.iter().map(|(what, most)| (what.as_str(), *most)));
    }
    let mut by_reason: BTreeMap<&Unseen, Vec<&str>> = BTreeMap::new();
    for (what, why) in not_watched {
        by_reason.entry(why).or_default().push(what);
    }
    let mut has_gap = all.iter().any(|seen| seen.has_not_compared);
    for (why, what) in by_reason {
        has_gap |= why.gap == Gap::Lost;
        ledger.note(NoteKind::NotWatched, not_watched_message(&what, &why.reason));
    }
    if let Some(most) = sampled.values().next() {
        let names: Vec<&str> = sampled.keys().copied().collect();
        ledger.note(NoteKind::NotWatched, sampled_message(&names, *most));
    }
    for message in watching::without_use(check, twice.first) {
        ledger.note(NoteKind::Other, message);
    }
    for note in notes {
        ledger.note(NoteKind::Other, note.clone());
    }
    for root in twice.restless() {
        has_gap = true;
        ledger.note(
            NoteKind::NotWatched,
            format!("`{root}` changes on its own, after different tests in each run; changes to it are not reported"),
        );
    }
    if has_gap {
        ledger.add(Fact::Cut(CutShort::NotWatched));
    }
}

/// One sentence for all that has the same reason.
pub(super) fn not_watched_message(what: &[&str], reason: &str) -> String {
    let is = if what.len() == 1 { "is" } else { "are" };
    format!("{} {is} not watched: {reason}", listed(what))
}

fn sampled_message(what: &[&str], most: u32) -> String {
    let (is, reaches) = if what.len() == 1 {
        ("is", "it reaches")
    } else {
        ("are", "each reaches")
    };
    format!(
        "{} {is} compared by a sample only, since {reaches} more than {most} objects; `most_objects` in `[pollution]` \
         of unflake.toml sets the limit",
        listed(what)
    )
}

/// Names as people list them; of many the first.
fn listed(what: &[&str]) -> String {
    /// So many are named.
    const NAMED: usize = 5;
    let name = |what: &&str| format!("`{what}`");
    match what {
        [] => String::new(),
        [one] => name(one),
        [all @ .., last] if what.len() <= NAMED => {
            let all: Vec<String> = all.iter().map(name).collect();
            format!("{} and `{last}`", all.join(", "))
        }
        many => {
            let named: Vec<String> = many[..NAMED - 1].iter().map(name).collect();
            format!("{} and {} more", named.join(", "), many.len() - named.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Watched;
    use super::super::uses::ReadClasses;
    use super::*;
    use crate::simulated::{shown, simulated};
    use unflake_benign::Evidence;

    #[test]
    fn what_is_compared_by_a_sample_is_said_once_for_all() {
        let limit = "more than 9 objects; `most_objects` in `[pollution]` of unflake.toml sets the limit";
        assert_eq!(
            sampled_message(&["S.n"], 9),
            format!("`S.n` is compared by a sample only, since it reaches {limit}")
        );
        assert_eq!(
            sampled_message(&["S.m", "S.n"], 9),
            format!("`S.m` and `S.n` are compared by a sample only, since each reaches {limit}")
        );
    }

    #[test]
    fn what_a_sample_stands_for_and_what_cannot_be_read_is_said() {
        let simulated = simulated("A#a");
        let mut runs = Runs {
            first: Watched::default(),
            second: Watched::default(),
            hidden: Watched::default(),
            hidden_again: Watched::default(),
            captured: BTreeMap::new(),
        };
        runs.first.seen.sampled.insert("S.n".to_owned(), 9);
        let classes = ReadClasses {
            fields: Evidence::default(),
            notes: vec!["`A.class` cannot be read".to_owned()],
        };
        let mut ledger = Ledger::default();
        simulated.check(|check| {
            let twice = runs.twice(check, &classes);
            tell(check, &runs, &twice, &classes.notes, &mut ledger);
        });
        let said = shown(&ledger, &simulated.session.suite);
        let sampled = format!("said: {}", sampled_message(&["S.n"], 9));
        // Neither makes the result partial.
        assert_eq!(said, [sampled.as_str(), "said: `A.class` cannot be read"]);
    }
}
