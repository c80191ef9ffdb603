//! What is learned besides tests: classes, initialisers that chose, identity hashes, the launch.

use crate::boundaries::{hear, jars};
use crate::jvm::{Folder, jdks};
use crate::program::configuration;
use std::collections::BTreeSet;
use unflake_protocol::{HashDraws, Role, ToProgram};

const TESTS: &str = r#"
import java.util.*;
import org.junit.*;
import org.junit.runner.JUnitCore;
public class Learn {
    static class Chooser { static final String FIRST = new HashSet<String>(Arrays.asList("a", "b")).iterator().next(); }
    static class Outer { static final String FIRST = Chooser.FIRST; }
    static class Quiet { static final List<String> ALL = new ArrayList<String>(); }
    @Test public void a_initialises() { Assert.assertNotNull(Outer.FIRST); Assert.assertNotNull(Quiet.ALL); }
    @Test public void b_draws() { new Object().hashCode(); new Object().hashCode(); }
    @Test public void c_nothing() { int i = 0; for (int k = 0; k < 10; k++) { i += k; } }
    @Test public void d_drawsElsewhere() throws Exception {
        Thread t = new Thread(new Runnable() { public void run() { new Object().hashCode(); } });
        t.start();
        t.join();
    }
    public static void main(String[] a) { JUnitCore.main("Learn"); }
}
"#;

#[test]
fn initialisers_classes_and_hashes() {
    let folder = Folder::new();
    folder.compile("Learn", TESTS, &jars());
    for jdk in jdks() {
        let heard = hear(&jdk, &folder, configuration(Role::Build), "Learn", &[]);
        let chose: BTreeSet<&str> = heard
            .iter()
            .filter_map(|message| match message {
                ToProgram::InitialiserChose { class } => Some(class.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(
            chose,
            BTreeSet::from(["Learn$Chooser", "Learn$Outer"]),
            "on {}",
            jdk.feature
        );
        let refers = heard.iter().find_map(|message| match message {
            ToProgram::ClassLoaded { class, refers_to } if class == "Learn" => Some(refers_to),
            _ => None,
        });
        assert!(
            refers.is_some_and(|all| all.contains(&"Learn$Outer".to_owned())),
            "{refers:?}"
        );
        let hashes = |method: &str| {
            heard.iter().find_map(|message| match message {
                ToProgram::TestFinished { test, choices, .. } if test.method == method => {
                    Some(choices.hashes)
                }
                _ => None,
            })
        };
        assert_eq!(hashes("b_draws"), Some(HashDraws::Some), "on {}", jdk.feature);
        assert_eq!(hashes("c_nothing"), Some(HashDraws::None), "on {}", jdk.feature);
    }
}
