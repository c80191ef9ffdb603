//! Patches that are proved together, with a compiler and JVMs that are none.

use super::*;
use crate::repair::overlay::tests::sourced;
use crate::repair::trials::{Subjected, Trials};
use crate::replay::Replay;
use unflake_explore::strategy_of_round;
use unflake_findings::Scope;

const A: &str = "m1/src/test/java/p/ATest.java";
const B: &str = "m1/src/test/java/p/BTest.java";

/// Which patches are left of two, one for `p.ATest#a` and one for `p.BTest#a`, and why the others are not; how many
/// tests ran with all of them, and how often orders did.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    left: String,
    why: String,
    module: u32,
    orders: Vec<u32>,
}

/// `word`: what is put into the text of the first. `orders`: what must pass if these
/// findings are polluters'.
fn proved(suite: &str, word: &str, orders: &[(usize, &str)]) -> Held {
    let sourced = sourced(suite, &[(A, TEXT), (B, TEXT)]);
    let simulated = &sourced.simulated;
    let document = found();
    let outcomes = BTreeMap::from([
        (0, Outcome::repaired(repaired(A, "int a", word).repaired.unwrap())),
        (
            2,
            Outcome::repaired(repaired(B, "int b", "long b").repaired.unwrap()),
        ),
    ]);
    let order = |names: &str| -> TestOrder { names.split(' ').map(|name| simulated.test(name)).collect() };
    let orders: BTreeMap<usize, Vec<TestOrder>> = orders
        .iter()
        .map(|(finding, names)| (*finding, vec![order(names)]))
        .collect();
    let patients = [(0, 0), (2, 1)].into_iter();
    let subjects = Subjects {
        patients: patients
            .filter(|(finding, _)| !orders.contains_key(finding))
            .collect(),
        orders,
        victims: BTreeMap::new(),
    };
    let subjected = ["p.ATest#a", "p.BTest#a"].map(|name| {
        let test = simulated.test(name);
        let launch = simulated.session.suite[test].launch.unwrap();
        Subjected {
            test,
            replay: Replay {
                tests: vec![test],
                launch: Some(launch),
            },
            launch,
            scope: Scope::Alone,
            strategy: strategy_of_round(1, None, Seed(7)),
        }
    });
    let start = sourced.start();
    let mut trials = Trials {
        session: &simulated.session,
        sources: &sourced.sources,
        overlays: sourced.overlays(&start),
        subjects: &subjected,
        seed: Seed(7),
        jobs: 1,
        compiled: Vec::new(),
    };
    let options = options(Safety::Test, Grouping::Test);
    let mut patches = Patches::new(&document, &outcomes, options, &sourced.sources, &subjects);
    patches.prove_together(&mut trials);
    let why: BTreeSet<String> = patches.refused.values().cloned().collect();
    Held {
        left: patches.chosen().into_keys().collect::<Vec<_>>().join(" "),
        why: why.into_iter().collect::<Vec<_>>().join(" "),
        module: patches.module,
        orders: patches.orders.into_values().collect(),
    }
}

#[track_caller]
fn holds(suite: &str, left: &str, why: &str) {
    let held = proved(suite, "long a", &[]);
    assert_eq!((held.left.as_str(), held.why.as_str()), (left, why));
}

const TESTS: &str = "p.ATest#a\np.BTest#a\np.CTest#c";

#[test]
fn patches_that_break_nothing_are_all_taken() {
    let held = proved(&format!("{TESTS}\np.CTest#d [failed] fails"), "long a", &[]);
    let expected = Held {
        left: format!("{A} {B}"),
        why: String::new(),
        module: 3,
        orders: Vec::new(),
    };
    assert_eq!(held, expected);
}

#[test]
fn a_test_that_fails_again_with_all_patches_loses_its_own() {
    let why = "its patch does not hold together with the others";
    holds("p.ATest#a fails varied\np.BTest#a\np.CTest#c", B, why);
    holds("p.ATest#a\np.BTest#a fails varied\np.CTest#c", A, why);
}

#[test]
fn the_patch_that_breaks_another_test_goes() {
    let why = "with the patch, `p.CTest#c` fails without any variation";
    // Three times with all patches and not without them; then with the first patch alone, or not; then once more with
    // the guilty one alone.
    holds("p.ATest#a\np.BTest#a\np.CTest#c fails turns fffpfffpfffp", B, why);
    holds("p.ATest#a\np.BTest#a\np.CTest#c fails turns fffppffffffp", A, why);
    let why = "with the patch and others, `p.CTest#c` fails without any variation";
    holds("p.ATest#a\np.BTest#a\np.CTest#c fails turns fffppfffpp", A, why);
    // What fails without any patch is not their doing.
    holds(
        "p.ATest#a\np.BTest#a\np.CTest#c fails unvaried",
        &format!("{A} {B}"),
        "",
    );
}

#[test]
fn a_patch_that_does_not_compile_with_the_others_goes() {
    let held = proved(TESTS, "ERROR a", &[]);
    assert_eq!(held.left, B);
    let why = format!("its patch does not compile together with the others: `{A}`, line 2: no");
    assert_eq!(held.why, why);
}

#[test]
fn a_clean_up_that_somebody_needs_to_be_missing_goes() {
    let after = |turns: &str, polluters: &[(usize, &str)]| {
        let suite = format!("p.ATest#a\np.BTest#a\np.CTest#c fails turns {turns}");
        proved(&suite, "long a", polluters)
    };
    let first = [(0, "p.ATest#a p.CTest#c")];
    let both = [first[0], (2, "p.BTest#a p.CTest#c")];
    let why = |order: &str| {
        format!(
            "with the patch, `p.CTest#c` fails {order}: it needs what the polluter leaves behind, and must get a \
             set-up of its own first"
        )
    };
    // Twice with all patches, and not without them; the reversed order passes.
    let held = after("ffppffp", &first);
    assert_eq!(
        (held.left.as_str(), held.why),
        (B, why("in the order of the build"))
    );
    let held = after("pffpffp", &first);
    assert_eq!((held.left.as_str(), held.why), (B, why("in reversed order")));
    // Of two, the one with which it fails alone too; the other one is proved in its order.
    let held = after("ffppffpp", &both);
    assert_eq!((held.left.as_str(), held.orders), (B, vec![8]));
    let held = after("ffpppffp", &both);
    assert_eq!((held.left.as_str(), held.orders), (A, vec![8]));
    // It fails with neither of them alone.
    assert_eq!(after("ffpp", &both).left, "");
    // Now and then is not the patch's doing.
    assert_eq!(after("fp", &both).left, format!("{A} {B}"));
}

#[test]
fn a_clean_up_after_which_the_victim_still_fails_goes() {
    let suite = "p.ATest#a\np.BTest#a\np.CTest#c fails after p.ATest#a";
    let held = proved(suite, "long a", &[(0, "p.ATest#a p.CTest#c")]);
    let why = "its patch does not hold together with the others";
    assert_eq!((held.left.as_str(), held.why.as_str()), (B, why));
}

#[test]
fn nothing_is_chosen_if_the_user_has_had_enough() {
    for suite in [
        "p.ATest#a\np.BTest#a\np.CTest#c cancels",
        "p.ATest#a cancels varied\np.BTest#a\np.CTest#c",
    ] {
        holds(suite, "", INTERRUPTED);
    }
}
