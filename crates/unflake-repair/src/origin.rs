//! Whether the blamed choice made the order of what an assertion compared.

use crate::clues::Clues;
use crate::unused::has_word;

/// What frameworks say where only the order is wrong.
const ONLY_ORDER: [&str; 4] = [
    "same elements but not in the same order",
    "elements were found in the wrong order",
    "contents match, but order was wrong",
    "the contents match, but the order was wrong",
];

impl Clues<'_> {
    /// Whether it did: both values have the same elements in another order, while nothing but the choice was varied; or
    /// elements of the choice are among those compared. `source` is the comparison as it is written.
    pub(crate) fn choice_made_the_order(&self, source: &str) -> bool {
        let message = self.failing.message.to_lowercase();
        if ONLY_ORDER.iter().any(|words| message.contains(words)) {
            return true;
        }
        if let (Some(expected), Some(actual)) = (&self.failing.expected, &self.failing.actual)
            && expected != actual
            && expected.chars().count() > 3
            && sorted(expected) == sorted(actual)
        {
            return true;
        }
        let told = [&self.failing.expected, &self.failing.actual];
        let texts: Vec<&str> = told
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain([source, self.failing.message.as_str()])
            .collect();
        let is_compared = |element: &String| {
            let names = names(element);
            names
                .iter()
                .any(|name| texts.iter().any(|text| has_word(text, name)))
        };
        let elements = &self.choice.natural;
        let n_compared = elements.iter().filter(|element| is_compared(element)).count();
        n_compared >= 2
    }
}

fn sorted(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = text.chars().collect();
    chars.sort_unstable();
    chars
}

/// An element as it may show in a value that was made of it: itself, the key and the value of an entry, the name of a
/// member without its class.
fn names(element: &str) -> Vec<&str> {
    let element = element.trim_end_matches('…');
    let mut names = vec![element];
    if let Some((key, value)) = element.split_once('=') {
        names.extend([key, value]);
    }
    if let Some((_, member)) = element.rsplit_once('.') {
        names.push(member.split('(').next().unwrap_or(member));
    }
    names.retain(|name| !name.trim().is_empty());
    names
}
