//! Ids of findings and runs, short enough to type.
//!
//! Both are written with 32 digits and letters that cannot be mistaken for each other (no `i`, `l`, `o`, `u`), in the
//! order of their character codes, so that sorting the text sorts the numbers.

use crate::FindingKind;
use crate::calendar::{civil, day_of};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, SystemTime};
use unflake_protocol::TestId;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Names a finding for good: a hash of what it is about, not of how or when it was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FindingId(String);

impl FindingId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a user who typed `prefix` may mean this one. The dash and upper case do not matter.
    pub fn begins_with(&self, prefix: &str) -> bool {
        let plain = |text: &str| text.replace('-', "").to_ascii_lowercase();
        let prefix = plain(prefix);
        !prefix.is_empty() && plain(&self.0).starts_with(&prefix)
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The id of a finding: eight letters like `k3f9-x7qa`.
pub fn finding_id(kind: FindingKind, test: &TestId) -> FindingId {
    id(kind, test, None)
}

/// The id of a finding about state: a test may pollute several, and each is a finding of its own.
pub fn polluter_id(kind: FindingKind, test: &TestId, held_by: &str) -> FindingId {
    id(kind, test, Some(held_by))
}

fn id(kind: FindingKind, test: &TestId, held_by: Option<&str>) -> FindingId {
    let mut hasher = blake3::Hasher::new();
    let mut field = |text: &str| {
        // With its length, so that moving a letter from one field to the next gives another hash.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    field(kind.name());
    field(&test.module);
    field(&test.root);
    field(&test.test);
    if let Some(invocation) = &test.invocation {
        field(invocation);
    }
    if let Some(held_by) = held_by {
        field("");
        field(held_by);
    }
    let hash = hasher.finalize();
    let number = hash.as_bytes()[..5]
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let text = letters(number, 8);
    FindingId(format!("{}-{}", &text[..4], &text[4..]))
}

/// Names a run: `2026-11-15-k3f9`, the day (UTC) and the tenth of a second in it. Sorted by text they are sorted by
/// time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    const TENTHS_OF_A_DAY: u64 = 24 * 60 * 60 * 10;

    /// The id of a run that begins now; `attempt` counts up while the name is taken.
    pub fn at(now: SystemTime, attempt: u64) -> RunId {
        let since = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        let tenths = (since.as_millis() / 100) as u64 + attempt;
        let (year, month, day) = civil(tenths / Self::TENTHS_OF_A_DAY);
        RunId(format!(
            "{year:04}-{month:02}-{day:02}-{}",
            letters(tenths % Self::TENTHS_OF_A_DAY, 4)
        ))
    }

    /// Reads the name of a directory in the store; `None`: not a run's.
    pub fn parse(text: &str) -> Option<RunId> {
        tenths(text).map(|_| RunId(text.to_owned()))
    }

    /// When the run began, to the tenth of a second.
    pub fn time(&self) -> SystemTime {
        // Ids that a document brings along were not parsed; what is no id has no time.
        SystemTime::UNIX_EPOCH + Duration::from_millis(tenths(&self.0).unwrap_or(0) * 100)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The tenths of a second since 1970 that the id of a run stands for.
fn tenths(id: &str) -> Option<u64> {
    let (day, in_day) = id.split_at_checked("2026-11-15-".len())?;
    let [year, month, day, ""] = day.split('-').collect::<Vec<_>>()[..] else {
        return None;
    };
    let number = |text: &str, length: usize| -> Option<u64> {
        let fits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| text.parse().ok())?
    };
    let day = day_of(number(year, 4)?, number(month, 2)?, number(day, 2)?)?;
    let digit = |byte: u8| ALPHABET.iter().position(|letter| *letter == byte);
    let in_day = in_day.bytes().try_fold((0, 0), |(tenths, length), byte| {
        Some((tenths << 5 | digit(byte)? as u64, length + 1)).filter(|(_, length)| *length <= 4)
    });
    match in_day {
        Some((tenths, 4)) if tenths < RunId::TENTHS_OF_A_DAY => Some(day * RunId::TENTHS_OF_A_DAY + tenths),
        _ => None,
    }
}

/// The lowest `5 * n` bits, the highest first.
pub(crate) fn letters(number: u64, n: u32) -> String {
    (0..n)
        .rev()
        .map(|place| char::from(ALPHABET[(number >> (5 * place) & 31) as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(module: &str, root: &str, test: &str, invocation: Option<&str>) -> TestId {
        TestId {
            module: module.to_owned(),
            root: root.to_owned(),
            test: test.to_owned(),
            invocation: invocation.map(str::to_owned),
        }
    }

    fn id(test: &TestId) -> FindingId {
        finding_id(FindingKind::ImplementationDependent, test)
    }

    /// Baselines and suppressions hold these ids: a change here breaks every user's.
    #[test]
    fn finding_ids_never_change() {
        assert_eq!(id(&test(".", "a.BTest", "a.BTest#c", None)).as_str(), "dwda-m7xz");
        assert_eq!(
            id(&test("core", "a.BTest", "a.BTest#c", Some("[1]"))).as_str(),
            "xsgy-2fg8"
        );
    }

    #[test]
    fn every_part_of_the_name_is_in_the_id() {
        let all = [
            test(".", "a.B", "a.B#c", None),
            test(".", "a.B", "a.B#c", Some("")),
            test(".", "a.B", "a.B#cd", None),
            test(".", "a.S", "a.B#c", None),
            test("m", "a.B", "a.B#c", None),
            test(".a", ".B", "a.B#c", None),
        ];
        let ids: std::collections::BTreeSet<_> = all.iter().map(id).collect();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn a_finding_is_found_by_what_people_type() {
        let id = FindingId("k3f9-x7qa".to_owned());
        assert!(
            ["k3f9-x7qa", "k3f9x7qa", "K3F9", "k"]
                .iter()
                .all(|prefix| id.begins_with(prefix))
        );
        assert!(
            ["", "-", "x7qa", "k3f9-x7qa0"]
                .iter()
                .all(|prefix| !id.begins_with(prefix))
        );
    }

    #[test]
    fn runs_are_named_by_day_and_sort_by_time() {
        let at = |seconds, attempt| RunId::at(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds), attempt);
        assert_eq!(at(0, 0).as_str(), "1970-01-01-0000");
        assert_eq!(&at(1_709_164_800, 0).as_str()[..10], "2024-02-29");
        assert_eq!(&at(1_794_700_800, 0).as_str()[..10], "2026-11-15");
        let times = [0, 1, 86_399, 86_400, 1_709_164_800, 1_794_700_800];
        assert!(
            times.windows(2).all(|pair| at(pair[0], 1) < at(pair[1], 0)),
            "{:?}",
            times.map(|t| at(t, 0))
        );
        assert_eq!(RunId::parse(at(5, 0).as_str()), Some(at(5, 0)));
        assert!(
            [
                "latest",
                "",
                "2026-11-15-abcl",
                "2026-11-15-abcde",
                "2026-11-15-abc",
                "2026/11/15-abcd",
                "2026-11-31-abcd",
                "2026-11-15-zzzz",
                "+026-11-15-abcd",
                "2026-11-1é-abcd",
                "2026-11-15-abcé",
                "2026-11-15-../x",
            ]
            .iter()
            .all(|t| RunId::parse(t).is_none())
        );
        for seconds in times {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(RunId::at(time, 0).time(), time);
        }
    }
}
