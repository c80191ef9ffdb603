//! Which tests can be left out, because no choice could have mattered to them (DESIGN, decision 3).

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use unflake_protocol::{FRAMEWORKS, Frameworks, HashDraws, ScopeChoices, SeenTest, Support, dotted};

/// What was learned in one JVM of the build.
#[derive(Clone, Copy, Debug)]
pub struct LearnedJvm<'a> {
    /// Classes whose static initialiser made a choice.
    pub initialisers: &'a BTreeSet<String>,
    /// Per class: the classes its constant pool names.
    pub references: &'a BTreeMap<String, Vec<String>>,
    /// Per root class: the choices outside of its tests, in its set-up and tear-down.
    pub containers: &'a BTreeMap<String, ScopeChoices>,
}

/// How a test must be run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Need {
    /// It made no choice and read none: not at all.
    Nothing,
    /// It drew identity hashes, or may read what an initialiser froze: once, in the first round, which reverses
    /// everything and shifts the hashes. Nothing it does itself can differ from call to call.
    OneRun,
    /// In every round.
    EveryRound,
}

/// What each of `tests` needs.
///
/// A test is left out only if no choice was made in it (or on a thread it started), in its class's set-up, or in a
/// static initialiser of a class it uses. The last is decided from constant pools: a test uses every class that can be
/// reached from its own. So with `a1` that triggers an initialiser that makes a choice, and `b1` that only reads the
/// result, `b1` is run as well.
pub fn needs<'a>(
    learned: LearnedJvm<'_>,
    tests: impl IntoIterator<Item = (&'a SeenTest, &'a ScopeChoices)>,
) -> Vec<Need> {
    let readers = readers_of_initialisers(learned);
    tests
        .into_iter()
        .map(|(test, choices)| {
            let in_set_up = learned
                .containers
                .get(&test.handle.root)
                .is_some_and(|choices| choices.by_project);
            let reads =
                readers.contains(&dotted(&test.class)) || readers.contains(&dotted(&test.handle.root));
            if choices.by_project || in_set_up {
                Need::EveryRound
            } else if reads || choices.hashes != HashDraws::None {
                Need::OneRun
            } else {
                Need::Nothing
            }
        })
        .collect()
}

/// Classes from which one can be reached whose initialiser made a choice.
fn readers_of_initialisers(learned: LearnedJvm<'_>) -> BTreeSet<String> {
    reaching(learned.references, learned.initialisers)
        .into_keys()
        .collect()
}

/// Classes from which one of `targets` can be reached by constant pools, and in how many steps; `targets` are among
/// them. All with dots. What a test framework names it names for every test, so that no way leads through it.
pub fn reaching(
    references: &BTreeMap<String, Vec<String>>,
    targets: &BTreeSet<String>,
) -> BTreeMap<String, u32> {
    reaching_around(&FRAMEWORKS, references, targets)
}

fn reaching_around(
    frameworks: &Frameworks<'_>,
    references: &BTreeMap<String, Vec<String>>,
    targets: &BTreeSet<String>,
) -> BTreeMap<String, u32> {
    let mut used_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (class, used) in references {
        for other in used {
            used_by.entry(dotted(other)).or_default().push(dotted(class));
        }
    }
    let mut steps: BTreeMap<String, u32> = BTreeMap::new();
    let mut todo: VecDeque<(String, u32)> = targets
        .iter()
        .map(|class| (dotted(class), 0))
        .filter(|(class, _)| !is_framework(frameworks, class))
        .collect();
    while let Some((class, step)) = todo.pop_front() {
        if steps.contains_key(&class) {
            continue;
        }
        if !is_framework(frameworks, &class)
            && let Some(users) = used_by.get(&class)
        {
            todo.extend(users.iter().map(|user| (user.clone(), step + 1)));
        }
        steps.insert(class, step);
    }
    steps
}

/// What a test framework freezes in its own classes is not for tests to rely on, and every test names those classes.
fn is_framework(frameworks: &Frameworks<'_>, class: &str) -> bool {
    match frameworks.support_of(class) {
        Some(Support::Assertion | Support::Framework | Support::Launcher) => true,
        // Matchers are written by projects and their libraries too.
        Some(Support::Matcher) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::{Framework, FrameworkRow, Handle, Prefix};

    fn test(class: &str) -> SeenTest {
        SeenTest {
            handle: Handle {
                framework: Framework::JUnit4,
                root: class.to_owned(),
                id: format!("t({class})"),
            },
            class: class.to_owned(),
            method: "t".to_owned(),
            invocation: None,
        }
    }

    fn chosen(by_project: bool, hashes: HashDraws) -> ScopeChoices {
        ScopeChoices {
            count: u64::from(by_project),
            by_project,
            models: Vec::new(),
            hashes,
        }
    }

    /// References as `User: Used Used` lines.
    fn check(
        references: &str,
        initialisers: &[&str],
        containers: &[&str],
        tests: &[(&str, ScopeChoices)],
        expected: &[Need],
    ) {
        let references = references
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(class, used)| (class.to_owned(), used.split(' ').map(str::to_owned).collect()))
            .collect();
        let initialisers = initialisers.iter().map(|class| (*class).to_owned()).collect();
        let containers = containers
            .iter()
            .map(|class| ((*class).to_owned(), chosen(true, HashDraws::None)))
            .collect();
        let learned = LearnedJvm {
            initialisers: &initialisers,
            references: &references,
            containers: &containers,
        };
        let tests: Vec<_> = tests
            .iter()
            .map(|(class, choices)| (test(class), choices.clone()))
            .collect();
        assert_eq!(
            needs(learned, tests.iter().map(|(test, choices)| (test, choices))),
            expected
        );
    }

    #[test]
    fn a_test_without_choices_is_left_out_and_its_neighbour_is_not() {
        let tests = [
            ("A", chosen(true, HashDraws::None)),
            ("B", chosen(false, HashDraws::None)),
        ];
        check("", &[], &[], &tests, &[Need::EveryRound, Need::Nothing]);
    }

    #[test]
    fn a_test_that_only_reads_what_an_initialiser_froze_is_run() {
        let tests = [
            ("B", chosen(false, HashDraws::None)),
            ("C", chosen(false, HashDraws::None)),
        ];
        check(
            "B: lib/Middle\nlib/Middle: lib/Frozen\nC: lib/Other",
            &["lib/Frozen"],
            &[],
            &tests,
            &[Need::OneRun, Need::Nothing],
        );
    }

    #[test]
    fn a_framework_that_froze_something_is_not_the_projects_business() {
        let tests = [("B", chosen(false, HashDraws::None))];
        check(
            "B: org/junit/Assert\norg/junit/Assert: lib/Frozen",
            &["org/junit/Assert", "lib/Frozen"],
            &[],
            &tests,
            &[Need::Nothing],
        );
    }

    #[test]
    fn what_is_a_framework_is_read_from_the_table() {
        let references = BTreeMap::from([
            ("a.OrderTest".to_owned(), vec!["org.invented.Engine".to_owned()]),
            ("org.invented.Engine".to_owned(), vec!["lib.Frozen".to_owned()]),
        ]);
        let frozen = BTreeSet::from(["lib.Frozen".to_owned()]);
        let reached = |frameworks: &Frameworks<'_>| {
            let steps = reaching_around(frameworks, &references, &frozen);
            steps.contains_key("a.OrderTest")
        };
        let invented = FrameworkRow {
            wire_name: "Invented",
            code: &[Prefix {
                start: "org.invented.",
                support: Support::Framework,
            }],
            wakes: &[],
            boundaries: &[],
        };
        assert!(reached(&FRAMEWORKS));
        assert!(!reached(&Frameworks {
            rows: &[invented],
            around: &[],
        }));
    }

    #[test]
    fn set_up_counts_for_every_test_of_its_class() {
        let tests = [
            ("A", chosen(false, HashDraws::None)),
            ("B", chosen(false, HashDraws::None)),
        ];
        check("", &[], &["A"], &tests, &[Need::EveryRound, Need::Nothing]);
    }

    #[test]
    fn set_up_that_chooses_only_inside_of_libraries_is_not_the_projects_business() {
        let containers = BTreeMap::from([("A".to_owned(), chosen(false, HashDraws::None))]);
        let learned = LearnedJvm {
            initialisers: &BTreeSet::new(),
            references: &BTreeMap::new(),
            containers: &containers,
        };
        let of_test = chosen(false, HashDraws::None);
        assert_eq!(needs(learned, [(&test("A"), &of_test)]), [Need::Nothing]);
    }

    #[test]
    fn the_class_that_was_started_counts_as_well_as_the_one_that_has_the_test() {
        let need = |reader: &str| {
            let learned = LearnedJvm {
                initialisers: &BTreeSet::from(["lib.Frozen".to_owned()]),
                references: &BTreeMap::from([(reader.to_owned(), vec!["lib.Frozen".to_owned()])]),
                containers: &BTreeMap::new(),
            };
            let mut nested = test("AllTests");
            nested.class = "A$Nested".to_owned();
            needs(learned, [(&nested, &chosen(false, HashDraws::None))])
        };
        assert_eq!(need("AllTests"), [Need::OneRun]);
        assert_eq!(need("A$Nested"), [Need::OneRun]);
        assert_eq!(need("B"), [Need::Nothing]);
    }

    #[test]
    fn a_matcher_is_a_class_like_any_other() {
        let tests = [("B", chosen(false, HashDraws::None))];
        let references = "B: org/hamcrest/Matchers\norg/hamcrest/Matchers: lib/Frozen";
        check(references, &["lib/Frozen"], &[], &tests, &[Need::OneRun]);
    }

    #[test]
    fn the_shortest_way_to_a_class_counts() {
        let references = [
            ("A", &["B", "C"][..]),
            ("B", &["C"]),
            ("C", &["lib.Frozen"]),
            ("D", &["E"]),
        ];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let references = references.map(|(class, used)| (class.to_owned(), owned(used)));
        let steps = reaching(&references.into(), &["lib.Frozen".to_owned()].into());
        let expected = [("A", 2), ("B", 2), ("C", 1), ("lib.Frozen", 0)];
        assert_eq!(
            steps,
            expected.map(|(class, step)| (class.to_owned(), step)).into()
        );
    }

    #[test]
    fn identity_hashes_are_worth_one_run() {
        let tests = [
            ("A", chosen(false, HashDraws::Some)),
            ("B", chosen(false, HashDraws::Unknown)),
        ];
        check("", &[], &[], &tests, &[Need::OneRun, Need::OneRun]);
    }
}
