//! Test JVMs of the build that ended before their tests did: a test called `System.exit`, crashed the JVM, or hung and
//! was ended by us. The build tool gives up the tests behind it.

use crate::jvm::TestJvm;
use crate::tool::BuildTool;
use std::time::Duration;
use unflake_protocol::SeenTest;

/// A test JVM of the build that ended before its tests did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostJvm {
    pub module: String,
    pub during: During,
    pub how: HowLost,
}

/// What was running when a JVM ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum During {
    /// One test, or several where tests run at the same time.
    Tests(Vec<SeenTest>),
    /// Something of this class outside of its tests: set-up, tear-down, an initialiser.
    Class(String),
    /// Nothing of which the agent knows.
    Nothing,
}

/// How a JVM ended before its tests did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowLost {
    /// By itself; with this exit status, if the build tool tells it.
    Exited(Option<i32>),
    /// It was silent for so long, and was ended.
    Hung(Duration),
}

/// The JVMs that ended in the middle of something. `has_noticed`: the build says that something went wrong; without
/// that, and unless we ended the JVM ourselves, what looks unfinished is a message that was lost.
pub(crate) fn lost_jvms(
    tool: &dyn BuildTool,
    jvms: &[TestJvm],
    output: &str,
    has_noticed: bool,
) -> Vec<LostJvm> {
    let in_the_middle = jvms
        .iter()
        .filter(|jvm| jvm.is_busy() && (jvm.hung.is_some() || has_noticed));
    let mut lost: Vec<LostJvm> = in_the_middle.map(|jvm| lost_jvm(tool, jvm, output)).collect();
    if lost.is_empty() {
        // It ended between two tests, or after the last: a test may forbid to end. Which one it was is not known, but
        // the last one is the most likely. A JVM without tests could not start.
        let is_lost = |jvm: &&TestJvm| {
            tool.has_lost_jvm(output) || (tool.has_fork_error(output) && !jvm.tests.is_empty())
        };
        let last = jvms.last().filter(is_lost);
        lost.extend(last.map(|jvm| lost_jvm(tool, jvm, output)));
    }
    lost
}

fn lost_jvm(tool: &dyn BuildTool, jvm: &TestJvm, output: &str) -> LostJvm {
    let (during, class) = match (&jvm.unfinished[..], jvm.open.last()) {
        ([first, ..], _) => (During::Tests(jvm.unfinished.clone()), first.handle.root.as_str()),
        ([], Some(root)) => (During::Class(root.clone()), root.as_str()),
        ([], None) => (During::Nothing, ""),
    };
    let how = match jvm.hung {
        Some(after) => HowLost::Hung(after),
        None => HowLost::Exited(tool.exit_status(output, class)),
    };
    LostJvm {
        module: jvm.module.clone(),
        during,
        how,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::TestRun;
    use crate::tools::TOOLS;
    use unflake_protocol::{Framework, Handle, JavaVm, Outcome, ScopeChoices};

    const FORK_ERROR: &str = "[ERROR] There was an error in the forked process\n[ERROR] no exit\n";

    const LATE_EXIT: &str = "[ERROR] Error occurred in starting fork, check output in log\n";

    const CRASH: &str = "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit \
                         called?\n[ERROR] Process Exit Code: 7\n[ERROR] Crashed tests:\n[ERROR] a.B\n";

    fn jvm(unfinished: &[&str], open: &[&str], hung: Option<u64>) -> TestJvm {
        let java = JavaVm {
            feature: 17,
            version: "17.0.15".to_owned(),
            home: "/jdk".into(),
        };
        TestJvm {
            unfinished: unfinished.iter().map(|method| seen(method)).collect(),
            open: open.iter().map(|root| (*root).to_owned()).collect(),
            hung: hung.map(Duration::from_secs),
            ..TestJvm::new(7, java)
        }
    }

    fn has_run(mut jvm: TestJvm) -> TestJvm {
        jvm.tests.push(TestRun {
            test: seen("x"),
            outcome: Outcome::Passed,
            choices: ScopeChoices::default(),
            time: Duration::ZERO,
            waited: Duration::ZERO,
        });
        jvm
    }

    fn seen(method: &str) -> SeenTest {
        SeenTest {
            handle: Handle {
                framework: Framework::Platform,
                root: "a.B".to_owned(),
                id: method.to_owned(),
            },
            class: "a.B".to_owned(),
            method: method.to_owned(),
            invocation: None,
        }
    }

    fn tests(methods: &[&str]) -> During {
        During::Tests(methods.iter().map(|method| seen(method)).collect())
    }

    #[test]
    fn a_jvm_is_lost_if_it_ended_in_the_middle_and_the_build_says_so() {
        let (exit_7, unknown) = (HowLost::Exited(Some(7)), HowLost::Exited(None));
        let class = || During::Class("a.B".to_owned());
        let hung = HowLost::Hung(Duration::from_secs(9));
        for (jvms, output, has_noticed, expected) in [
            (
                vec![jvm(&["x"], &["a.B"], None)],
                CRASH,
                true,
                vec![(tests(&["x"]), exit_7)],
            ),
            (
                vec![jvm(&["x", "y"], &["a.B"], None)],
                "",
                true,
                vec![(tests(&["x", "y"]), unknown)],
            ),
            (
                vec![jvm(&[], &["a.A", "a.B"], None)],
                CRASH,
                true,
                vec![(class(), exit_7)],
            ),
            (
                vec![jvm(&["x"], &["a.B"], Some(9))],
                "",
                false,
                vec![(tests(&["x"]), hung)],
            ),
            (
                vec![jvm(&[], &["a.B"], Some(9))],
                CRASH,
                true,
                vec![(class(), hung)],
            ),
            // The others came to their end.
            (
                vec![jvm(&[], &[], None), jvm(&["x"], &[], None), jvm(&[], &[], None)],
                CRASH,
                true,
                vec![(tests(&["x"]), exit_7)],
            ),
            // A message was lost, but no JVM.
            (vec![jvm(&["x"], &["a.B"], None)], "", false, vec![]),
            (vec![jvm(&[], &[], None)], "", true, vec![]),
            (vec![], CRASH, true, vec![]),
            // It has run tests, and cannot end.
            (
                vec![has_run(jvm(&[], &[], None))],
                FORK_ERROR,
                true,
                vec![(During::Nothing, unknown)],
            ),
            // It ended with another status than 0 after all of them: a thread that a test left behind called `exit`.
            (
                vec![has_run(jvm(&[], &[], None))],
                LATE_EXIT,
                true,
                vec![(During::Nothing, unknown)],
            ),
            // It could not start.
            (vec![jvm(&[], &[], None)], FORK_ERROR, true, vec![]),
            (vec![jvm(&[], &[], None)], LATE_EXIT, true, vec![]),
            // Between two tests.
            (
                vec![jvm(&[], &[], None)],
                CRASH,
                true,
                vec![(During::Nothing, exit_7)],
            ),
        ] {
            let lost = lost_jvms(TOOLS.0[0], &jvms, output, has_noticed);
            let found: Vec<(During, HowLost)> = lost.into_iter().map(|jvm| (jvm.during, jvm.how)).collect();
            assert_eq!(found, expected, "{jvms:?}");
        }
    }
}
