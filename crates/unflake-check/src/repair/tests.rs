//! What `fix` does where there is nothing to compile.

use super::*;
use crate::simulated::simulated;
use std::sync::Mutex;

/// Remembers the phases.
#[derive(Default)]
struct Phases(Mutex<Vec<String>>);

impl Progress for Phases {
    fn phase(&self, phase: &str, _: u64) {
        self.0.lock().unwrap().push(phase.to_owned());
    }

    fn step(&self) {}

    fn note(&self, _: &str) {}
}

/// What comes of the only finding, for which no line is to blame, and the phases until then.
fn repaired(choose: &mut Chooser<'_>) -> (Result<Repairs, Problem>, Vec<String>) {
    let simulated = simulated("p.ATest#a fails varied\np.ATest#b");
    let stored = simulated.stored();
    let surroundings = simulated.surroundings();
    let workplace = Workplace {
        surroundings: &surroundings,
        runner: Path::new("runner"),
        java_home: None,
        path: None,
    };
    let options = RepairOptions {
        jobs: 1,
        seed: Seed(7),
        all: true,
        safety: Safety::Main,
        by: Grouping::Cause,
    };
    let phases = Phases::default();
    let none = BTreeSet::new();
    let repairs = repair(&stored, &[0], &none, options, &workplace, &phases, choose);
    (repairs, phases.0.into_inner().unwrap())
}

#[test]
fn what_cannot_be_begun_is_said_and_nothing_is_touched() {
    let mut asked = Vec::new();
    let (repairs, phases) = repaired(&mut |document| {
        asked.push(document.findings[0].repair().status);
        Ok(Wanted::All)
    });
    let repairs = repairs.unwrap();
    assert_eq!(asked, [RepairStatus::Unrepaired]);
    let reason = repairs.document.findings[0].repair().reason.clone();
    assert_eq!(
        reason.as_deref(),
        Some("it depends on identity hashes, and no single call is to blame")
    );
    assert!(repairs.files.is_empty() && repairs.left_out.is_empty());
    assert!(repairs.document.repairs.is_empty() && repairs.fails_anyway.is_none());
    // No test is searched for, so these phases are not announced.
    assert!(
        !phases.iter().any(|phase| phase.starts_with("repairing")),
        "{phases:?}"
    );
    assert_eq!(
        phases.first().map(String::as_str),
        Some("comparing sources with classes")
    );
}

#[test]
fn who_wants_nothing_gets_nothing() {
    let (repairs, _) = repaired(&mut |_| Ok(Wanted::Only(BTreeSet::new())));
    let repairs = repairs.unwrap();
    assert!(repairs.files.is_empty() && repairs.left_out.is_empty());
    let (repairs, _) = repaired(&mut |_| Err(crate::problem!(CannotWork, "nobody answers")));
    assert_eq!(repairs.unwrap_err().error, "nobody answers");
}

#[test]
fn groups_are_read_as_users_write_them() {
    let read = |text: &str| text.parse::<Grouping>();
    assert_eq!(read("cause"), Ok(Grouping::Cause));
    assert_eq!(read("test"), Ok(Grouping::Test));
    assert_eq!(
        read("module"),
        Err("unknown group `module`; use one of cause, test".to_owned())
    );
    assert!(Grouping::NAMES.iter().all(|name| read(name).is_ok()));
}
