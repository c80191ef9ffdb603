//! Values that options and `unflake.toml` share: durations, severities to fail on.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use unflake_findings::Severity;

/// `7` or `17-20`.
pub(crate) fn parse_range(text: &str) -> Result<std::ops::RangeInclusive<u32>, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<u32>()
            .map_err(|_| format!("`{text}` is not a number"))
    };
    let (from, to) = match text.split_once('-') {
        Some((from, to)) => (number(from)?, number(to)?),
        None => (number(text)?, number(text)?),
    };
    if from > to {
        return Err(format!("`{text}` ends before it begins"));
    }
    Ok(from..=to)
}

/// Reads `90s`, `5m`, `1h`, `1h30m`, `500ms`, `30d`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write it like `90s`, `5m` or `1h30m`");
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let letters = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, after) = after.split_at(letters);
        let millis = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let part = number.checked_mul(millis).ok_or_else(wrong)?;
        total = total.checked_add(Duration::from_millis(part)).ok_or_else(wrong)?;
        rest = after;
    }
    if total.is_zero() { Err(wrong()) } else { Ok(total) }
}

/// The same, for what has been lying about for long.
pub(crate) fn parse_age(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|_| format!("`{text}` is not an age; write it like `30d` or `12h`"))
}

/// Reads a number from 1 on.
pub(crate) fn parse_count<N: FromStr + Default + PartialEq>(text: &str) -> Result<N, String> {
    match text.parse() {
        Ok(number) if number != N::default() => Ok(number),
        _ => Err(format!("`{text}` is not a number from 1 on")),
    }
}

/// What `--fail-on` says: findings from here on make the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    Severity(Severity),
    Never,
}

impl FailOn {
    pub(crate) const NAMES: [&'static str; 4] = ["error", "warning", "note", "never"];

    /// Whether a finding this bad fails the run.
    pub(crate) fn fails(self, worst: Option<Severity>) -> bool {
        matches!((self, worst), (FailOn::Severity(limit), Some(worst)) if worst >= limit)
    }
}

impl Default for FailOn {
    fn default() -> Self {
        FailOn::Severity(Severity::Warning)
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "never" => Ok(FailOn::Never),
            severity => severity.parse().map(FailOn::Severity),
        }
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FailOn::Severity(severity) => severity.fmt(f),
            FailOn::Never => f.write_str("never"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        let millis = |text| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("5m"), Ok(300_000));
        assert_eq!(millis("1h30m"), Ok(5_400_000));
        assert_eq!(millis("500ms"), Ok(500));
        assert_eq!(millis("30d"), Ok(2_592_000_000));
        for wrong in [
            "",
            "5",
            "m",
            "5x",
            "-5s",
            "0s",
            "5 m",
            "99999999999999999999s",
            "1.5h",
        ] {
            assert!(millis(wrong).is_err() && parse_age(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_gate_lets_weaker_findings_pass() {
        let warning = FailOn::default();
        assert!(warning.fails(Some(Severity::Error)) && warning.fails(Some(Severity::Warning)));
        assert!(!warning.fails(Some(Severity::Note)) && !warning.fails(None));
        assert!(!FailOn::Never.fails(Some(Severity::Error)));
    }
}
