//! What is different about an order, in words: which element moved.
//!
//! The fewest elements that must be taken out so that the others stand in natural order: those outside of a longest
//! increasing run of places. In `b c a` that is `a` alone, though every element has another place than before.

use super::escape::line;

const NAME_WIDTH: usize = 40;
/// How many moved elements are named.
const NAMED: usize = 3;

/// An order compared with the natural one.
pub(super) struct Change {
    pub(super) text: String,
    /// Places in natural order of the elements that moved.
    pub(super) moved: Vec<u32>,
}

/// `elements`: how many the choice had; `natural`: their names, as far as they are known.
pub(super) fn change(order: &[u32], elements: u32, natural: &[String]) -> Change {
    let name = |place: u32| name(place, natural);
    let unmoved = |text: String| Change {
        text,
        moved: Vec::new(),
    };
    match order {
        [] => return unmoved("the test starts".to_owned()),
        [answer] if elements > 1 => {
            let named = natural
                .get(*answer as usize)
                .map(|_| format!(": {}", name(*answer)));
            let text = format!("answer {} of {elements}{}", answer + 1, named.unwrap_or_default());
            return unmoved(text);
        }
        _ if !is_permutation(order) => return unmoved("as given".to_owned()),
        _ => {}
    }
    let displaced: Vec<u32> = (0..order.len() as u32)
        .filter(|place| order[*place as usize] != *place)
        .collect();
    let reversed = order.iter().rev().copied().eq(0..order.len() as u32);
    let moved = moved(order);
    let text = match (&displaced[..], &moved[..]) {
        ([], _) => "natural order".to_owned(),
        ([a, b], _) => {
            let text = format!("{} and {} changed places", name(*a), name(*b));
            return Change {
                text,
                moved: displaced,
            };
        }
        _ if reversed => "reversed".to_owned(),
        (_, [one]) => {
            let place = order.iter().position(|place| place == one).unwrap_or_default();
            format!("{} moved from place {} to {}", name(*one), one + 1, place + 1)
        }
        (_, several) => format!("{} moved", listed(several, name)),
    };
    Change { text, moved }
}

/// The name of an element, or its number where names were not recorded.
pub(super) fn name(place: u32, natural: &[String]) -> String {
    match natural.get(place as usize) {
        Some(name) if !name.trim().is_empty() => line(name, NAME_WIDTH),
        Some(_) => format!("element {} (blank)", place + 1),
        None => format!("element {}", place + 1),
    }
}

fn listed(places: &[u32], name: impl Fn(u32) -> String) -> String {
    let names: Vec<String> = places.iter().take(NAMED).map(|place| name(*place)).collect();
    match (places.len().saturating_sub(NAMED), names.split_last()) {
        (0, Some((last, others))) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        (0, _) => names.join(", "),
        (1, _) => format!("{} and 1 other", names.join(", ")),
        (n, _) => format!("{} and {n} others", names.join(", ")),
    }
}

fn is_permutation(order: &[u32]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|place| {
        seen.get_mut(*place as usize)
            .is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// The elements outside of one longest increasing subsequence, found by patience sorting.
fn moved(order: &[u32]) -> Vec<u32> {
    // `ends[n]`: where the run of length n + 1 with the smallest last element ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(order.len());
    for (place, element) in order.iter().enumerate() {
        let length = ends.partition_point(|end| order[*end] < *element);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut stays = vec![false; order.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        stays[place] = true;
        at = before[place];
    }
    let mut moved: Vec<u32> = (0..order.len())
        .filter(|place| !stays[*place])
        .map(|place| order[place])
        .collect();
    moved.sort_unstable();
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(order: &[u32], expected: &str) {
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec();
        let elements = order.len().max(3) as u32;
        assert_eq!(change(order, elements, &names).text, expected, "{order:?}");
    }

    #[test]
    fn the_moved_element_is_named() {
        check(&[], "the test starts");
        check(&[0, 1, 2], "natural order");
        check(&[1, 0], "a and b changed places");
        check(&[0, 2, 1, 3], "b and c changed places");
        check(&[3, 1, 2, 0], "a and d changed places");
        check(&[3, 2, 1, 0], "reversed");
        check(&[1, 2, 0], "a moved from place 1 to 3");
        check(&[3, 0, 1, 2], "d moved from place 4 to 1");
        check(&[2, 3, 1, 0], "a and b moved");
        check(&[5, 0, 4, 1, 3, 2], "d, e and f moved");
        check(&[5, 4, 0, 3, 2, 1], "c, d, e and 1 other moved");
        check(&[2], "answer 3 of 3: c");
    }

    #[test]
    fn strange_orders_are_no_reason_to_stop() {
        check(&[7, 7], "as given");
        check(&[u32::MAX - 1, 0, 1], "as given");
        assert_eq!(
            change(&[1, 0], 2, &[]).text,
            "element 1 and element 2 changed places"
        );
        let large: Vec<u32> = (0..100_000).rev().collect();
        assert_eq!(change(&large, 100_000, &[]).moved.len(), 99_999);
    }
}
