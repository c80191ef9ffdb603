//! Probabilities as people read them: `50 %`, `23/24 (95.8 %)`, `about 12 %`.
//!
//! In a state space that was tried completely they are fractions with small denominators, since each choice of n
//! elements has n! orders; 23/24 says more than 95.8 %. Nothing that can happen is rounded to 0 %, nothing that need
//! not to 100 %.

use unflake_findings::{NodeKind, StateSpace};

/// Denominators that are tried one after the other. Larger ones are seen only if one order of all fails, or all but
/// one.
const DENOMINATORS: u64 = 1000;
const LARGEST_DENOMINATOR: f64 = 1e9;

/// The verdict of a state space: `fails with probability 50 %`.
pub(crate) fn verdict(space: &StateSpace) -> String {
    let p = space.figures.failure_probability;
    match space.figures.interval {
        Some((low, high)) => {
            let (low, high) = (percent(low), percent(high));
            let how = if is_sampled(space) {
                "with 95 % confidence"
            } else {
                "certainly"
            };
            if space.failures.is_empty() {
                format!("no failure found; its probability is {how} between {low} and {high}")
            } else {
                format!(
                    "fails with probability about {}, {how} between {low} and {high}",
                    percent(p)
                )
            }
        }
        None if space.failures.is_empty() && p == 0.0 => {
            let sure = if space.complete {
                "never fails"
            } else {
                "no failure found"
            };
            sure.to_owned()
        }
        None => format!("fails with probability {}", exact(p)),
    }
}

/// As a fraction where that says more than the percentage.
pub(crate) fn exact(p: f64) -> String {
    let percentage = percent(p);
    if is_whole(p * 100.0) {
        return percentage;
    }
    match fraction(p) {
        Some((numerator, denominator)) => format!("{numerator}/{denominator} ({percentage})"),
        None => percentage,
    }
}

/// With as few decimals as keep it apart from 0 % and 100 %.
pub(crate) fn percent(p: f64) -> String {
    let value = p.clamp(0.0, 1.0) * 100.0;
    if value.is_nan() {
        return "unknown".to_owned();
    }
    if is_whole(value) && (0.5..=99.5).contains(&value) || value == 0.0 || value == 100.0 {
        return format!("{value:.0} %");
    }
    let zero = |text: &str| text.chars().all(|c| c == '0' || c == '.');
    let rounded = (1..=6).map(|decimals| format!("{value:.decimals$}"));
    let mut distinct = rounded.filter(|text| !zero(text) && !text.starts_with("100"));
    match distinct.next() {
        Some(text) => format!("{text} %"),
        None if value < 50.0 => "less than 0.000001 %".to_owned(),
        None => "more than 99.999999 %".to_owned(),
    }
}

/// Numerator and denominator, if the number is so close to a simple fraction that it can be nothing else.
fn fraction(p: f64) -> Option<(u64, u64)> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    let small = (2..=DENOMINATORS).find(|d| {
        let numerator = p * *d as f64;
        is_whole(numerator) && numerator > 0.5 && numerator < *d as f64 - 0.5
    });
    if let Some(denominator) = small {
        return Some(((p * denominator as f64).round() as u64, denominator));
    }
    let one_of = |q: f64| {
        let all = q.recip();
        (all < LARGEST_DENOMINATOR && (all - all.round()).abs() < 1e-6).then(|| all.round() as u64)
    };
    one_of(p)
        .map(|all| (1, all))
        .or_else(|| one_of(1.0 - p).map(|all| (all - 1, all)))
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-9
}

/// Orders or whole executions were drawn.
fn is_sampled(space: &StateSpace) -> bool {
    let sampled = |kind: &NodeKind| matches!(kind, NodeKind::Choice { sampled: true, .. });
    let choice = |kind: &NodeKind| matches!(kind, NodeKind::Choice { .. });
    let any = |is: fn(&NodeKind) -> bool| space.nodes.iter().any(|node| is(&node.kind));
    any(sampled) || !any(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_recognised() {
        let shown = |p: f64| exact(p);
        assert_eq!(shown(0.0), "0 %");
        assert_eq!(shown(0.5), "50 %");
        assert_eq!(shown(1.0), "100 %");
        assert_eq!(shown(23.0 / 24.0), "23/24 (95.8 %)");
        assert_eq!(shown(1.0 / 3.0), "1/3 (33.3 %)");
        assert_eq!(shown(1.0 / 3_628_800.0), "1/3628800 (0.00003 %)");
        assert_eq!(shown(5039.0 / 5040.0), "5039/5040 (99.98 %)");
        assert_eq!(shown(0.123_456_789), "12.3 %");
    }

    #[test]
    fn what_is_not_certain_is_not_rounded_to_certainty() {
        assert_eq!(percent(1e-12), "less than 0.000001 %");
        assert_eq!(percent(1.0 - 1e-12), "more than 99.999999 %");
        assert_eq!(percent(0.9999), "99.99 %");
        assert_eq!(percent(f64::NAN), "unknown");
    }
}
