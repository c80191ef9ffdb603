//! Candidates that were looked at and are not models, with the reason (N3).
//!
//! A refusal covers every method whose full name and result type match. The first that matches is the reason given, so
//! particular ones stand before those that cover a whole package.

use crate::find::glob_matches;

/// Methods that are no models, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A glob over `java.util.stream.Stream.findAny`.
    pub method: &'static str,
    /// A glob over the result type as the source writes it: `byte[]`; `None`: any.
    pub result: Option<&'static str>,
    pub reason: &'static str,
}

/// The refusal that covers this method, if there is one.
pub fn refusal(method: &str, result: &str) -> Option<&'static Refusal> {
    REFUSALS.iter().find(|refusal| {
        glob_matches(refusal.method, method)
            && refusal.result.is_none_or(|pattern| glob_matches(pattern, result))
    })
}

const fn refuse(method: &'static str, reason: &'static str) -> Refusal {
    Refusal {
        method,
        result: None,
        reason,
    }
}

const fn refuse_result(method: &'static str, result: &'static str, reason: &'static str) -> Refusal {
    Refusal {
        method,
        result: Some(result),
        reason,
    }
}

pub static REFUSALS: &[Refusal] = &[refuse(
    "java.util.stream.*Stream.findAny",
    "the element found is open, but to offer another one more elements must be evaluated, which may never end",
)];
