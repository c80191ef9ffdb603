//! 300 tests that fail by chance, with probabilities from 2 to 70 %, among 60 that truly depend on an implementation.
//!
//! A third of the first draw their luck in every run, a third once per JVM, a third by the clock; half of them make
//! choices. Of the others a third makes its choice on another thread and then fails in three of four runs only.
//!
//! Beside them stand tests that break their neighbours, in their own class and in the next one, and do so only when they
//! vary: no neighbour depends on an implementation.

use super::project::Project;
use super::{Asked, Checked};
use crate::{Failure, Outcome, print, say};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

const BY_CHANCE: usize = 300;
const TRUE: usize = 60;
const PER_CLASS: usize = 12;
/// Classes with a test that breaks its neighbours.
const BREAKING: usize = 6;
const TIMES: usize = 10;
const LIMIT: Duration = Duration::from_secs(1800);

const LUCK: &str = r#"import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** Luck without any state that could be left behind. */
final class Luck {
    private Luck() {}

    static boolean drawn(int percent) {
        return new Random().nextInt(100) < percent;
    }

    static boolean ofJvm(String name, int percent) {
        String jvm = ManagementFactory.getRuntimeMXBean().getName() + ManagementFactory.getRuntimeMXBean().getStartTime();
        return new Random((jvm + name).hashCode() * 31L).nextInt(100) < percent;
    }

    static boolean ofClock(int percent) {
        return System.nanoTime() / 1000 % 100 < percent;
    }

    static String order() {
        Set<String> set = new HashSet<>();
        for (String text : new String[] {"alpha", "beta", "gamma", "delta", "epsilon"}) {
            set.add(text);
        }
        StringBuilder all = new StringBuilder();
        for (String text : set) {
            all.append(text).append(' ');
        }
        return all.toString();
    }

    /** What the order is unless somebody varies it; computed without a choice. */
    static boolean isNatural(String order) {
        return order.equals(NATURAL);
    }

    private static final String NATURAL = "epsilon alpha delta beta gamma ";
}
"#;

pub(super) fn run(asked: &Asked) -> Outcome<()> {
    let folder = asked.folder("chance")?;
    let project = Project::write(&folder)?;
    write(&project)?;
    let times = if asked.times == 0 { TIMES } else { asked.times };
    let mut wrong = 0;
    let mut missed = 0;
    for n in 1..=times {
        let checked = asked.check(&folder, &["--only", "id,pollution,order"], LIMIT)?;
        let (alarms, lost) = compare(&checked);
        say(format!(
            "check {n}: {:.0} s, {} findings, {} false, {} of {TRUE} missed",
            checked.ended.seconds,
            checked.findings().len(),
            alarms.len(),
            lost.len()
        ));
        for line in alarms.iter().chain(&lost) {
            say(format!("  {line}"));
        }
        wrong += alarms.len();
        missed += lost.len();
    }
    print(format!(
        "{times} checks of {BY_CHANCE} tests that fail by chance: {wrong} false alarms; {missed} of {} true ones missed",
        times * TRUE
    ));
    if wrong + missed > 0 {
        return Err(Failure::new("chance was reported, or something true was not"));
    }
    Ok(())
}

/// False alarms, and what was missed.
fn compare(checked: &Checked) -> (Vec<String>, Vec<String>) {
    let findings = checked.findings();
    let is_true = |kind: &str, test: &str| kind == "implementation-dependent" && test.contains("#really");
    let alarms = findings
        .iter()
        .filter(|(kind, test)| !is_true(kind, test))
        .map(|(kind, test)| format!("false: {kind} {test}"))
        .collect();
    let found: BTreeSet<&str> = findings.iter().map(|(_, test)| test.as_str()).collect();
    let lost = (0..TRUE)
        .map(|n| format!("suite.{}#really{n}", class_of(n)))
        .filter(|test| !found.contains(test.as_str()))
        .map(|test| format!("missed: {test} ({:?})", checked.state(&test)))
        .collect();
    (alarms, lost)
}

fn classes() -> usize {
    (BY_CHANCE + TRUE) / PER_CLASS
}

/// The class of a true one.
fn class_of(n: usize) -> String {
    format!("Suite{}Test", n % classes())
}

fn write(project: &Project) -> Outcome<()> {
    project.class("Luck", LUCK)?;
    for n in 0..BREAKING {
        neighbours(project, n)?;
    }
    for class in 0..classes() {
        let is_4 = class.is_multiple_of(2);
        let imports = if is_4 {
            "import static org.junit.Assert.assertTrue;\nimport org.junit.Test;"
        } else {
            "import static org.junit.jupiter.api.Assertions.assertTrue;\nimport org.junit.jupiter.api.Test;"
        };
        let mut body = format!("{imports}\n\npublic class Suite{class}Test {{\n");
        for n in (0..BY_CHANCE).filter(|n| n % classes() == class) {
            by_chance(&mut body, n);
        }
        for n in (0..TRUE).filter(|n| n % classes() == class) {
            really(&mut body, n);
        }
        body.push_str("}\n");
        project.class(&format!("Suite{class}Test"), &body)?;
    }
    Ok(())
}

/// A class whose first test leaves another order behind if it varies, with a neighbour behind it and one in a class of
/// its own. The neighbours make choices, so that they vary too.
fn neighbours(project: &Project, n: usize) -> Outcome<()> {
    let (imports, order) = if n.is_multiple_of(2) {
        (
            "import static org.junit.Assert.assertTrue;\nimport org.junit.*;\nimport org.junit.runners.MethodSorters;",
            "@FixMethodOrder(MethodSorters.NAME_ASCENDING)",
        )
    } else {
        (
            "import static org.junit.jupiter.api.Assertions.assertTrue;\nimport org.junit.jupiter.api.*;",
            "@TestMethodOrder(MethodOrderer.MethodName.class)",
        )
    };
    let neighbour = format!("Luck.order(); assertTrue(Luck.isNatural(Breaking{n}Test.left));");
    let breaking = format!(
        "{imports}\n\n{order}\npublic class Breaking{n}Test {{\n    \
         static String left = \"epsilon alpha delta beta gamma \";\n\n    \
         @Test public void breaks() {{ left = Luck.order(); }}\n\n    \
         @Test public void neighbour() {{ {neighbour} }}\n}}\n"
    );
    project.class(&format!("Breaking{n}Test"), &breaking)?;
    let behind = format!(
        "{imports}\n\npublic class Broken{n}Test {{\n    @Test public void neighbour() {{ {neighbour} }}\n}}\n"
    );
    project.class(&format!("Broken{n}Test"), &behind)
}

fn by_chance(body: &mut String, n: usize) {
    let percent = 2 + n * 68 / (BY_CHANCE - 1);
    let luck = match n / 2 % 3 {
        0 => format!("Luck.drawn({percent})"),
        1 => format!("Luck.ofJvm(\"{n}\", {percent})"),
        _ => format!("Luck.ofClock({percent})"),
    };
    let choice = if (n / 6).is_multiple_of(2) {
        "Luck.order();"
    } else {
        ""
    };
    let _ = writeln!(
        body,
        "    @Test public void chance{n}() {{ {choice} assertTrue(!{luck}); }}\n"
    );
}

fn really(body: &mut String, n: usize) {
    let test = if n.is_multiple_of(3) {
        "String[] seen = new String[1];\n        \
         Thread thread = new Thread(() -> seen[0] = Luck.order());\n        \
         thread.start();\n        thread.join();\n        \
         assertTrue(Luck.isNatural(seen[0]) || Luck.drawn(25));"
    } else {
        "assertTrue(Luck.isNatural(Luck.order()));"
    };
    let _ = writeln!(
        body,
        "    @Test public void really{n}() throws Exception {{\n        {test}\n    }}\n"
    );
}
