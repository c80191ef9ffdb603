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
