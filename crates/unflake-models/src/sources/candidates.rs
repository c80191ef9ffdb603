//! The search for more underdetermined APIs (N3): the two queries of thesis 2.3.1 over a JDK's own sources.
//!
//! Both queries find far more than is open (a method that mentions order mostly fixes it), so what they find is sorted
//! into modelled, refused with a reason, and left: the list that somebody has to read.

use super::jdk::JdkSources;
use super::{Documented, scan};
use crate::{MODELS, Refusal, refusal};
use std::collections::BTreeMap;

/// One public method, all its overloads that a query found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// `java.util.stream.Stream.findAny`.
    pub method: String,
    /// The result type of the first overload.
    pub result: String,
    /// Why it was found: the sentence that holds the word, or "returns an array".
    pub because: String,
}

/// What became of the candidates of one JDK.
#[derive(Debug, Default)]
pub struct Candidates {
    pub modelled: Vec<Candidate>,
    pub refused: Vec<(Candidate, &'static Refusal)>,
    pub left: Vec<Candidate>,
}

impl Candidates {
    /// Looks through every public class of the exported `java.…` packages.
    pub fn of(sources: &JdkSources) -> Candidates {
        let mut found = BTreeMap::new();
        for (file, text) in sources.exported() {
            let package = file
                .rsplit_once('/')
                .map_or("", |(package, _)| package)
                .replace('/', ".");
            for documented in scan(&text) {
                add(&mut found, &package, documented);
            }
        }
        let mut candidates = Candidates::default();
        for candidate in found.into_values() {
            candidates.sort_in(candidate);
        }
        candidates
    }

    fn sort_in(&mut self, candidate: Candidate) {
        if is_modelled(&candidate.method) {
            self.modelled.push(candidate);
        } else if let Some(refusal) = refusal(&candidate.method, &candidate.result) {
            self.refused.push((candidate, refusal));
        } else {
            self.left.push(candidate);
        }
    }
}

/// Methods are told apart by name and by result type: a refusal may be of one of them.
fn add(found: &mut BTreeMap<(String, String), Candidate>, package: &str, documented: Documented) {
    let Some(method) = documented.method.filter(|_| documented.public) else {
        return;
    };
    let returns_array = documented.result.ends_with("[]");
    let because = match telling_sentence(&documented.text) {
        Some(sentence) => sentence.to_owned(),
        None if returns_array => "returns an array".to_owned(),
        None => return,
    };
    let method = format!("{package}.{}.{method}", documented.class);
    let candidate = Candidate {
        method: method.clone(),
        result: documented.result.clone(),
        because,
    };
    found.entry((method, documented.result)).or_insert(candidate);
}

/// The first sentence that speaks of order, determinism or "not specified".
fn telling_sentence(text: &str) -> Option<&str> {
    text.split_inclusive(". ").map(str::trim).find(|sentence| {
        let sentence = sentence.to_lowercase();
        // "In order to" is no order, and neither are borders, recorders and readers that were reordered by hand.
        let sentence = sentence
            .replace("in order to", "")
            .replace("in order that", "")
            .replace("in order for", "");
        sentence.contains("determinis")
            || sentence.contains("not specified")
            || sentence.contains("unspecified")
            || words(&sentence)
                .any(|word| matches!(word, "order" | "ordered" | "ordering" | "orders" | "unordered"))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

/// Models are named without package: the class is enough to tell, since none of ours share a simple name.
fn is_modelled(method: &str) -> bool {
    MODELS.iter().any(|model| {
        method
            .strip_suffix(model.name)
            .is_some_and(|package| package.starts_with("java.") && package.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(source: &str) -> Vec<Candidate> {
        let mut found = BTreeMap::new();
        for documented in scan(source) {
            add(&mut found, "java.util", documented);
        }
        found.into_values().collect()
    }

    #[test]
    fn both_queries_of_the_thesis_find_their_methods() {
        let found = candidates(
            "public class A {
                /** First. In no particular order. Last. */ public Set<A> a() {}
                /** Nothing. */ public String[] b() {}
                /** In order to get one, on the border. */ public int c() {}
                /** Its value is not specified. */ public int d() {}
                /** Explicitly nondeterministic. */ int hidden() {}
            }",
        );
        let shown: Vec<_> = found
            .iter()
            .map(|c| (c.method.as_str(), c.because.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("java.util.A.a", "In no particular order."),
                ("java.util.A.b", "returns an array"),
                ("java.util.A.d", "Its value is not specified.")
            ]
        );
    }

    #[test]
    fn candidates_are_sorted_into_modelled_refused_and_left() {
        let mut sorted = Candidates::default();
        for method in [
            "java.lang.Class.getFields",
            "java.util.stream.IntStream.findAny",
            "java.fresh.Thing.all",
        ] {
            let (method, result, because) = (method.to_owned(), "String[]".to_owned(), String::new());
            sorted.sort_in(Candidate {
                method,
                result,
                because,
            });
        }
        assert_eq!(sorted.modelled[0].method, "java.lang.Class.getFields");
        assert!(sorted.refused[0].1.reason.contains("may never end"));
        assert_eq!(sorted.left[0].method, "java.fresh.Thing.all");
    }
}
