//! From facts to the document, fact by fact.

mod counts;
mod findings;
mod states;
mod suppressions;

use crate::ledger::{By, Changed, Fact, Failed, Ledger};
use crate::simulated::{change, failure};
use unflake_explore::order::{FoundVictim, ProvedBrittle, ProvedVictim, SeenHow};
use unflake_explore::{Confirmed, Counts, Evidence, LevelTrial, Scope, TestIx};
use unflake_findings::{Cause, CauseStatus, Choice, Proof, Rate, SourcePlace};
use unflake_protocol::{Form, Level, Strategy};

const FIRST: TestIx = TestIx(0);
const SECOND: TestIx = TestIx(1);
const THIRD: TestIx = TestIx(2);

fn ledger(facts: impl IntoIterator<Item = Fact>) -> Ledger {
    let mut ledger = Ledger::default();
    facts.into_iter().for_each(|fact| ledger.add(fact));
    ledger
}

fn varied(test: TestIx, failed: u32, runs: u32) -> Fact {
    let rate = Rate { failed, runs };
    Fact::Varied { test, rate }
}

fn strategy(level: Level) -> Strategy {
    let form = Form::Reverse;
    Strategy { level, form }
}

fn failed(test: TestIx, level: Level) -> Fact {
    let trial = |level, failed| LevelTrial {
        strategy: strategy(level),
        failed,
    };
    Fact::Failed(Box::new(Failed {
        test,
        round: 2,
        confirmed: Confirmed {
            scope: Scope::Alone,
            failure: failure("no"),
            weakest: strategy(level),
            evidence: Evidence {
                with: Counts { failed: 8, runs: 8 },
                without: Counts { failed: 0, runs: 8 },
            },
            trials: vec![trial(Level::Full, true), trial(level, false)],
        },
        through_build: false,
    }))
}

fn cause(test: TestIx, api: &str) -> Fact {
    let choice = Choice {
        number: 1,
        api: api.to_owned(),
        javadoc: String::new(),
        call: Some(SourcePlace {
            file: "src/main/java/a/Main.java".to_owned(),
            line: 3,
            method: "a.Main.list".to_owned(),
        }),
        allocation: None,
        stack: Vec::new(),
        allocation_stack: Vec::new(),
        owner: None,
        elements: 2,
        natural: Vec::new(),
        failing: Vec::new(),
        moved: Vec::new(),
    };
    let cause = Box::new(Cause {
        status: CauseStatus::Found,
        choices: vec![choice],
        ..Cause::default()
    });
    Fact::Cause { test, cause }
}

fn changed(test: TestIx, by: By, what: &str, victims: &[TestIx]) -> Changed {
    Changed {
        test,
        by,
        change: change(what),
        mark: None,
        proof: Proof::NotRun,
        victims: victims.to_vec(),
    }
}

fn changes(test: TestIx, by: By, what: &str, victims: &[TestIx]) -> Fact {
    Fact::Changed(Box::new(changed(test, by, what, victims)))
}

fn victim(victim: TestIx, polluters: &[TestIx], says: &str) -> FoundVictim {
    FoundVictim {
        main: ProvedVictim {
            victim,
            polluters: polluters.to_vec(),
            failure: failure(says),
            runs: 3,
            passed_alone: true,
        },
        polluters: polluters.iter().map(|test| (*test, SeenHow::Alone)).collect(),
        cleaners: Vec::new(),
        state: None,
    }
}

fn proved_victim(found: FoundVictim) -> Fact {
    let found = Box::new(found);
    Fact::ProvedVictim { found, state: None }
}

fn brittle(test: TestIx, setters: &[TestIx]) -> Fact {
    Fact::ProvedBrittle(Box::new(ProvedBrittle {
        test,
        setters: setters.to_vec(),
        failure: failure("alone"),
        runs: 3,
    }))
}
