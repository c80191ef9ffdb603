//! Findings about state and orders as a real project has them, for tests.

use super::change::below_root;
use super::tests::test;
use unflake_findings::{
    Benign, Brittle, Details, FileChange, FilePollution, Finding, FindingKind, Pollution, Proof, Rate,
    Repair, Severity, Suffering, Triple, Victim, finding_id, polluter_id, rules,
};
use unflake_protocol::{ChangeForm, Side, StateKind};

/// `state` and the change as `path: old → new`, of which both values may be `-`: nothing.
pub(crate) fn polluter(name: &str, state: StateKind, held_by: &str, change: &str) -> Finding {
    let (path, values) = change.rsplit_once(": ").unwrap();
    let (old, new) = values.split_once(" → ").unwrap();
    let value = |text: &str| (text != "-").then(|| text.to_owned());
    let test = test(name);
    let id = polluter_id(FindingKind::Polluter, &test, held_by);
    let place = match below_root(held_by, path) {
        _ if held_by.ends_with(".this") => rules::HeapPlace::TestInstance,
        "" => rules::HeapPlace::Field,
        rest if rest.ends_with(']') => rules::HeapPlace::Element,
        _ => rules::HeapPlace::Object,
    };
    let pollution = Pollution {
        state,
        held_by: held_by.to_owned(),
        path: path.to_owned(),
        old: value(old),
        new: value(new),
        more: 0,
        by_class: !name.contains('#'),
        benign: Benign::default(),
        proof: Proof::NoVictim,
        victims: Vec::new(),
        graph: Vec::new(),
        repair: Repair::default(),
    };
    Finding {
        replay: format!("unflake replay {id}"),
        id,
        rule: rules::of_state(state, ChangeForm::Replaced, place).to_owned(),
        severity: Severity::polluter(&test, &pollution.benign, &pollution.victims),
        test,
        message: change.to_owned(),
        failure: None,
        exception: String::new(),
        rate: Rate::default(),
        suppressed: None,
        details: Details::Polluter(pollution),
    }
}

pub(crate) fn file_polluter(name: &str, file: &str, change: FileChange) -> Finding {
    let test = test(name);
    let id = polluter_id(FindingKind::FilePolluter, &test, file);
    Finding {
        replay: format!("unflake replay {id}"),
        id,
        rule: rules::of_file(change).to_owned(),
        test,
        severity: Severity::Warning,
        message: file.to_owned(),
        failure: None,
        exception: String::new(),
        rate: Rate::default(),
        suppressed: None,
        details: Details::FilePolluter(FilePollution {
            file: file.to_owned(),
            change,
            more: Vec::new(),
            benign: Benign::default(),
            proof: Proof::NotRun,
            victims: Vec::new(),
            repair: Repair::default(),
        }),
    }
}

/// The last name of the order is the victim, the one before it its polluter.
pub(crate) fn victim(order: &[&str], message: &str) -> Finding {
    let order: Vec<_> = order.iter().map(|name| test(name)).collect();
    let (last, first) = order.split_last().unwrap();
    let polluter = match first {
        [one] => Some(one.clone()),
        _ => None,
    };
    let details = Details::Victim(Victim {
        polluters: polluter.iter().cloned().collect(),
        polluter,
        cleaners: Vec::new(),
        order: order.clone(),
        state: None,
        repair: Repair::default(),
    });
    depending(FindingKind::Victim, last.test.as_str(), message, details)
}

pub(crate) fn brittle(setter: &str, name: &str, message: &str) -> Finding {
    let details = Details::Brittle(Brittle {
        setter: Some(test(setter)),
        setters: vec![test(setter)],
        order: vec![test(setter), test(name)],
        repair: Repair::default(),
    });
    depending(FindingKind::Brittle, name, message, details)
}

fn depending(kind: FindingKind, name: &str, message: &str, details: Details) -> Finding {
    let test = test(name);
    let id = finding_id(kind, &test);
    let rule = match kind {
        FindingKind::Victim => rules::VICTIM,
        _ => rules::BRITTLE,
    };
    Finding {
        replay: format!("unflake replay {id}"),
        id,
        rule: rule.to_owned(),
        test,
        severity: Severity::VICTIM,
        message: message.to_owned(),
        failure: None,
        exception: "org.opentest4j.AssertionFailedError".to_owned(),
        rate: Rate { failed: 3, runs: 3 },
        suppressed: None,
        details,
    }
}

pub(crate) fn pollution(finding: &mut Finding) -> &mut Pollution {
    match &mut finding.details {
        Details::Polluter(pollution) => pollution,
        _ => panic!("not a polluter"),
    }
}

pub(crate) fn file_pollution(finding: &mut Finding) -> &mut FilePollution {
    match &mut finding.details {
        Details::FilePolluter(pollution) => pollution,
        _ => panic!("not a file polluter"),
    }
}

pub(crate) fn victim_of(finding: &mut Finding) -> &mut Victim {
    match &mut finding.details {
        Details::Victim(victim) => victim,
        _ => panic!("not a victim"),
    }
}

/// With tests that fail because of it, and the severity that follows.
pub(crate) fn proved(mut finding: Finding, victims: &[(&str, &str)]) -> Finding {
    let one = pollution(&mut finding);
    one.proof = Proof::Proved;
    one.victims = victims
        .iter()
        .map(|(name, message)| Suffering {
            test: test(name),
            message: (*message).to_owned(),
        })
        .collect();
    finding.severity = Severity::Error;
    finding
}

pub(crate) fn harmless(mut finding: Finding, why: &str) -> Finding {
    pollution(&mut finding).benign = Benign {
        is: true,
        why: why.to_owned(),
        mark: None,
    };
    if finding.severity == Severity::Warning {
        finding.severity = Severity::Note;
    }
    finding
}

/// Each line `object field value`, with `-` or `+` before it where it was on one side only.
pub(crate) fn triples(lines: &[&str]) -> Vec<Triple> {
    let triple = |line: &&str| {
        let (side, line) = match line.split_at(2) {
            ("- ", rest) => (Side::Before, rest),
            ("+ ", rest) => (Side::After, rest),
            _ => (Side::Both, *line),
        };
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut next = || words.next().unwrap();
        Triple {
            object: next(),
            field: next(),
            value: next(),
            side,
        }
    };
    lines.iter().map(triple).collect()
}

/// Of a shop whose tests share much.
pub(crate) fn shop() -> Vec<Finding> {
    const EFFECTS: &str = "com.shop.Effects.INSTANCE";
    let effect = |name: &str, change: &str| {
        polluter(
            &format!("com.shop.EffectsTest#{name}"),
            StateKind::Heap,
            EFFECTS,
            change,
        )
    };
    let mut poison = proved(
        effect(
            "registersPoison",
            r#"Effects.INSTANCE.byName["poison"].duration: 3 → 7"#,
        ),
        &[
            ("com.shop.PotionTest#lasts", "expected: <3> but was: <7>"),
            ("com.shop.PotionTest#stacks", "java.lang.NullPointerException"),
            (
                "com.shop.HealTest#heals",
                "expected: <[heal]> but was: <[heal, poison]>",
            ),
            ("com.shop.HealTest#heals2", "expected: <1> but was: <2>"),
            ("com.shop.HealTest#heals3", "expected: <1> but was: <2>"),
        ],
    );
    pollution(&mut poison).more = 4;
    pollution(&mut poison).graph = triples(&[
        "Effects#1 byName HashMap#2",
        r#"HashMap#2 ["poison"] Effect#3"#,
        "- Effect#3 duration 3",
        "+ Effect#3 duration 7",
        "Effect#3 owner Effects#1",
        "+ Effect#3 listeners ArrayList#4",
        "+ ArrayList#4 [0] EffectsTest$1#5",
    ]);
    let mut findings = vec![poison];
    findings.push(proved(
        effect("clears", r#"Effects.INSTANCE.byName["poison"]: Effect@3 → -"#),
        &[("com.shop.PotionTest#lasts", "expected: <3> but was: <0>")],
    ));
    findings.extend((0..6).map(|n| {
        effect(
            &format!("registers{n}"),
            &format!("Effects.INSTANCE.byName[\"e{n}\"]: - → Effect@9"),
        )
    }));
    findings.extend((0..3).map(|n| {
        harmless(
            effect(
                &format!("counts{n}"),
                &format!("Effects.INSTANCE.lookups: {n} → {}", n + 1),
            ),
            "a counter that only goes up",
        )
    }));
    findings.push(polluter(
        "com.shop.OrderTest",
        StateKind::Heap,
        "com.shop.Database.url",
        "Database.url: \"jdbc:h2:mem:shop;MODE=PostgreSQL;DB_CLOSE_DELAY=-1\" → \"jdbc:h2:mem:order-test;MODE=PostgreSQL\"",
    ));
    findings.push(polluter(
        "com.shop.PriceTest#german",
        StateKind::Locale,
        "Locale.getDefault()",
        "Locale.getDefault(): en_US → de_DE",
    ));
    let mut property = polluter(
        "com.shop.ModeTest#test",
        StateKind::Property,
        "shop.mode",
        "shop.mode: - → \"test\"",
    );
    pollution(&mut property).proof = Proof::Partial;
    findings.push(property);
    findings.push(harmless(
        polluter(
            "com.shop.PriceTest#formats",
            StateKind::Heap,
            "com.shop.Money.format",
            "Money.format: null → DecimalFormat@1",
        ),
        "set once from null to a value that every run produces",
    ));
    let mut file = file_polluter(
        "com.shop.ExportTest#writes",
        "target/export.csv",
        FileChange::Created,
    );
    file_pollution(&mut file).more = (0..5).map(|n| format!("target/export-{n}.csv")).collect();
    findings.push(file);
    for name in ["lasts", "stacks"] {
        let mut one = victim(
            &[
                "com.shop.EffectsTest#registersPoison",
                &format!("com.shop.PotionTest#{name}"),
            ],
            "expected: <3> but was: <7>",
        );
        victim_of(&mut one).state = Some(r#"Effects.INSTANCE.byName["poison"].duration: 3 → 7"#.to_owned());
        victim_of(&mut one).cleaners = vec![test("com.shop.EffectsTest#resets")];
        victim_of(&mut one)
            .polluters
            .push(test("com.shop.EffectsTest#clears"));
        findings.push(one);
    }
    findings.push(brittle(
        "com.shop.DatabaseTest#connects",
        "com.shop.OrderTest#stores",
        "not connected",
    ));
    findings
}
