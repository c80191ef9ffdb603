//! The strategies, one file each, in order of how little they disturb the project.

mod accepted_values;
mod any_order_matcher;
mod compare_values;
#[cfg(test)]
mod dexfix;
mod float_delta;
mod joined_text;
mod json_argument;
mod json_tree;
mod linked_hash;
mod order_annotation;
mod pick_by_name;
mod serializer_switch;
mod sort_both;
mod sort_members;
mod xml_tree;
mod yaml_tree;

use crate::candidate::Candidate;
use crate::clues::Clues;
use crate::edit::Edits;
use crate::heirs::sparing_others;
use std::collections::BTreeMap;
use unflake_findings::Safety;

/// One way to repair a test.
pub struct Strategy {
    /// As reports name it.
    pub name: &'static str,
    /// All that it would do about a failure, best first. Nothing: it does not apply.
    propose: fn(&Clues<'_>) -> Vec<Candidate>,
}

/// What is tried only after everything else, also after literals that are renewed.
pub const LAST_RESORT: &str = "accepted-values";

/// What disturbs least comes first.
pub const STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "compare-values",
        propose: compare_values::propose,
    },
    Strategy {
        name: "any-order-matcher",
        propose: any_order_matcher::propose,
    },
    Strategy {
        name: "json-tree",
        propose: json_tree::propose,
    },
    Strategy {
        name: "json-argument",
        propose: json_argument::propose,
    },
    Strategy {
        name: "xml-tree",
        propose: xml_tree::propose,
    },
    Strategy {
        name: "yaml-tree",
        propose: yaml_tree::propose,
    },
    Strategy {
        name: "pick-by-name",
        propose: pick_by_name::propose,
    },
    Strategy {
        name: "linked-hash",
        propose: linked_hash::propose,
    },
    Strategy {
        name: "joined-text",
        propose: joined_text::propose,
    },
    Strategy {
        name: "sort-both",
        propose: sort_both::propose,
    },
    Strategy {
        name: "serializer-switch",
        propose: serializer_switch::propose,
    },
    Strategy {
        name: "order-annotation",
        propose: order_annotation::propose,
    },
    Strategy {
        name: "float-delta",
        propose: float_delta::propose,
    },
    Strategy {
        name: "sort-members",
        propose: sort_members::propose,
    },
    Strategy {
        name: "json-library",
        propose: json_tree::propose_with_new_library,
    },
    Strategy {
        name: LAST_RESORT,
        propose: accepted_values::propose,
    },
];

/// Everything that may repair a failure: edits of test code first, then of main code; among these in the order of the
/// strategies.
pub fn candidates(clues: &Clues<'_>) -> Vec<Candidate> {
    let proposed = STRATEGIES.iter().flat_map(|strategy| {
        (strategy.propose)(clues).into_iter().map(|candidate| {
            let named = Candidate {
                strategy: strategy.name,
                ..candidate
            };
            let candidate = sparing_others(clues, named);
            Candidate {
                safety: safety(clues, &candidate),
                edits: without_unused_imports(clues, &candidate),
                ..candidate
            }
        })
    });
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in proposed {
        // Two strategies may come to the same edit.
        if all.iter().all(|other| other.edits != candidate.edits) {
            all.push(candidate);
        }
    }
    all.sort_by_key(|candidate| candidate.safety);
    all
}

/// Its edits, and the imports that they leave without a use removed.
fn without_unused_imports(clues: &Clues<'_>, candidate: &Candidate) -> BTreeMap<String, Edits> {
    let of_file = |(path, edits): (&String, &Edits)| {
        let file = clues.sources.file(path);
        let edits = file.map_or_else(
            || edits.clone(),
            |file| file.without_unused_imports(edits.clone()),
        );
        (path.clone(), edits)
    };
    candidate.edits.iter().map(of_file).collect()
}

/// What a strategy says, but never less than what its edits touch.
fn safety(clues: &Clues<'_>, candidate: &Candidate) -> Safety {
    let touched = if candidate.edits.keys().all(|path| clues.sources.is_test(path)) {
        Safety::Test
    } else {
        Safety::Main
    };
    candidate.safety.max(touched)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_has_its_own_name() {
        let mut names: Vec<&str> = STRATEGIES.iter().map(|strategy| strategy.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn the_page_lists_the_strategies_in_their_order() {
        let page = include_str!("../../../../docs/repair.md");
        let rows = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let of_polluters = crate::POLLUTER_STRATEGIES.iter().map(|strategy| strategy.name);
        let names = STRATEGIES.iter().map(|strategy| strategy.name);
        assert_eq!(
            rows.collect::<Vec<_>>(),
            names.chain(of_polluters).collect::<Vec<_>>()
        );
    }
}
