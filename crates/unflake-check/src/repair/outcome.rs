//! What the searches on all sides found for one finding, and why they found nothing.

use super::search::{NOTHING_FITS, Repaired, Searched};
use unflake_findings::TriedRepair;

/// What the searches found for one finding.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Proved repairs: of test code, then of main code; or a suggestion.
    pub(super) repairs: Vec<Repaired>,
    /// Why there is none.
    pub(super) why: String,
    /// What did not work.
    pub(super) refused: Vec<TriedRepair>,
}

impl Outcome {
    pub(crate) fn none(why: String) -> Outcome {
        Outcome {
            repairs: Vec::new(),
            why,
            refused: Vec::new(),
        }
    }

    /// With one patch, of test code.
    pub(crate) fn repaired(repaired: Repaired) -> Outcome {
        Outcome {
            repairs: vec![repaired],
            why: String::new(),
            refused: Vec::new(),
        }
    }

    /// Of a search in test code alone.
    pub(crate) fn of_test(searched: Searched) -> Outcome {
        let outcome = match searched.repaired {
            Ok(repaired) => Outcome::repaired(repaired),
            Err(why) => Outcome::none(why),
        };
        Outcome {
            refused: searched.refused,
            ..outcome
        }
    }

    pub(crate) fn of(test: Searched, main: Searched) -> Outcome {
        let refused = test.refused.into_iter().chain(main.refused).collect();
        let (test, main) = (test.repaired, main.repaired);
        let why = match (&test, &main) {
            (Err(test), Err(main)) if *main != *test && main != NOTHING_FITS => {
                if test == NOTHING_FITS {
                    format!("in main code, {main}")
                } else {
                    format!("{test}; in main code, {main}")
                }
            }
            (Err(test), _) => test.clone(),
            (Ok(_), _) => String::new(),
        };
        Outcome {
            repairs: [test, main].into_iter().flatten().collect(),
            why,
            refused,
        }
    }

    /// With what a new library can do where nothing else repairs it.
    pub(crate) fn or_with_library(mut self, searched: Option<Searched>) -> Outcome {
        let Some(searched) = searched else {
            return self;
        };
        self.refused.extend(searched.refused);
        match searched.repaired {
            Ok(repaired) => self.repairs.push(repaired),
            Err(why) if why == NOTHING_FITS || !self.repairs.is_empty() => {}
            Err(why) if self.why == NOTHING_FITS => self.why = format!("with a new library, {why}"),
            Err(why) => self.why = format!("{}; with a new library, {why}", self.why),
        }
        self
    }

    /// With what is shown because nothing repairs it.
    pub(crate) fn suggesting(mut self, suggested: Option<Repaired>) -> Outcome {
        self.repairs.extend(suggested);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::Texts;

    fn repaired() -> Searched {
        let repaired = Repaired {
            texts: Texts::new(),
            applied: Vec::new(),
            mutants: 0,
            rounds: 24,
        };
        Searched::new(Ok(repaired), Vec::new())
    }

    /// A search that found nothing for this reason, after one repair that did not work.
    fn nothing(why: &str) -> Searched {
        let refused = TriedRepair {
            strategy: "sort".to_owned(),
            why: "no".to_owned(),
        };
        Searched::new(Err(why.to_owned()), vec![refused])
    }

    #[test]
    fn each_side_that_tried_something_says_why_it_found_nothing() {
        for (test, main, expected) in [
            (NOTHING_FITS, NOTHING_FITS, NOTHING_FITS),
            ("a", NOTHING_FITS, "a"),
            (NOTHING_FITS, "b", "in main code, b"),
            ("a", "b", "a; in main code, b"),
            ("a", "a", "a"),
        ] {
            let outcome = Outcome::of(nothing(test), nothing(main));
            assert_eq!((outcome.why.as_str(), outcome.refused.len()), (expected, 2));
            assert!(outcome.repairs.is_empty());
        }
        for (test, main, repairs) in [
            (repaired(), nothing("b"), 1),
            (nothing("a"), repaired(), 1),
            (repaired(), repaired(), 2),
        ] {
            assert_eq!(Outcome::of(test, main).repairs.len(), repairs);
        }
        assert_eq!(Outcome::of(repaired(), nothing("b")).why, "");
    }

    #[test]
    fn a_new_library_says_why_it_does_not_help_only_where_nothing_else_does() {
        let with = |before: Outcome, library: Option<Searched>| {
            let outcome = before.or_with_library(library);
            (outcome.repairs.len(), outcome.why, outcome.refused.len())
        };
        let none = |why: &str| Outcome::none(why.to_owned());
        let said = |why: &str| (0, why.to_owned(), 1);
        assert_eq!(with(none("a"), None), (0, "a".to_owned(), 0));
        assert_eq!(with(none("a"), Some(nothing(NOTHING_FITS))), said("a"));
        assert_eq!(
            with(none("a"), Some(nothing("c"))),
            said("a; with a new library, c")
        );
        assert_eq!(
            with(none(NOTHING_FITS), Some(nothing("c"))),
            said("with a new library, c")
        );
        let of_test = || Outcome::of_test(repaired());
        assert_eq!(with(of_test(), Some(nothing("c"))), (1, String::new(), 1));
        assert_eq!(with(none("a"), Some(repaired())).0, 1);
    }

    #[test]
    fn what_did_not_work_in_test_code_is_kept() {
        let outcome = Outcome::of_test(nothing("a"));
        assert_eq!((outcome.why.as_str(), outcome.refused.len()), ("a", 1));
    }
}
