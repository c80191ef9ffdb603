//! Every edit of the models' table in every JDK, and JVMs that must not notice the agent.

use crate::jvm::{Folder, jdks, output};
use std::collections::BTreeSet;
use std::fs;

/// Loads the classes named by its arguments without initialising them, and links them: linking verifies.
const LOAD: &str = r#"
public class Load {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            Class.forName(name, false, Load.class.getClassLoader()).getDeclaredMethods();
            try { Class.forName(name); } catch (ExceptionInInitializerError e) { /* Verified before that. */ }
        }
        System.out.println("loaded " + names.length);
    }
}
"#;

#[test]
fn every_road_is_edited_and_verified() {
    let folder = Folder::new();
    folder.compile("Load", LOAD, &[]);
    for jdk in jdks() {
        let classes: BTreeSet<String> = unflake_models::roads_for(jdk.feature)
            .map(|(_, _, road)| road.class.replace('/', "."))
            .collect();
        assert!(classes.len() > 10, "{classes:?}");
        let evidence = folder.path.join(format!("evidence-{}", jdk.feature));
        let run = jdk
            .with_agent(&format!(",program,form=reverse,evidence={}", evidence.display()))
            .arg("-cp")
            .arg(&folder.path)
            .arg("Load")
            .args(&classes)
            .output()
            .unwrap();
        assert!(
            output(&run).ends_with(&format!("loaded {}\n", classes.len())),
            "{run:?}"
        );
        let missed = fs::read_to_string(evidence.join("not-applied.txt")).unwrap_or_default();
        assert!(
            missed.is_empty() && !evidence.join("bug.txt").exists(),
            "on {}:\n{missed}",
            jdk.feature
        );
    }
}

const ORDER: &str = r#"
import java.util.*;
public class Order {
    public static void main(String[] arguments) {
        Set<Integer> set = new HashSet<Integer>();
        for (int i = 0; i < 10; i++) { set.add(i); }
        System.out.println(set);
        for (Object o : of()) { System.out.print(o + " "); }
        System.out.println(System.getenv("JAVA_TOOL_OPTIONS"));
    }
    /** Salted per JVM since Java 9. */
    static Collection<?> of() {
        try {
            return (Collection<?>) Set.class.getMethod("of", Object[].class).invoke(null, (Object) "abcdefgh".split(""));
        } catch (ReflectiveOperationException old) {
            return Collections.emptyList();
        }
    }
}
"#;

#[test]
fn a_seed_fixes_every_order() {
    let folder = Folder::new();
    folder.compile("Order", ORDER, &[]);
    for jdk in jdks() {
        let run = |options: &str| {
            output(
                &jdk.with_agent(options)
                    .arg("-cp")
                    .arg(&folder.path)
                    .arg("Order")
                    .output()
                    .unwrap(),
            )
        };
        let reversed = run(",program,level=full,form=reverse");
        assert!(
            reversed.starts_with("[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]\n"),
            "{reversed}"
        );
        let natural = run(",program,form=natural");
        assert!(
            natural.starts_with("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"),
            "{natural}"
        );
        assert_eq!(
            natural,
            run(",program,form=natural"),
            "the salt of Set.of is not fixed on {}",
            jdk.feature
        );
        let seven = run(",program,form=random,seed=7");
        assert_eq!(seven, run(",program,form=random,seed=7"));
        assert_ne!(seven, run(",program,form=random,seed=8"));
        let others = run(",program,form=reverse,models=File.*");
        assert!(others.starts_with("[0, 1,"), "{others}");
    }
}

#[test]
fn a_jvm_without_tests_or_without_a_program_is_left_alone() {
    let folder = Folder::new();
    folder.compile("Order", ORDER, &[]);
    for jdk in jdks() {
        let nobody = folder.path.join("nobody.sock");
        for options in [
            format!("{}", nobody.display()),
            format!("{},worker=1", nobody.display()),
        ] {
            let run = jdk
                .with_agent(&options)
                .arg("-cp")
                .arg(&folder.path)
                .arg("Order")
                .output()
                .unwrap();
            assert!(
                output(&run).starts_with("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"),
                "{run:?}"
            );
        }
    }
}
