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

/// Draws identity hashes before and after choices over objects that have none yet.
const DRAWS: &str = r#"
import java.util.*;
import java.util.concurrent.PriorityBlockingQueue;
public class Draws {
    static class Plain { int tied; }
    enum Colour { RED, GREEN, BLUE }
    static int choices;
    static void look(Iterable<?> all) { for (Object each : all) { choices++; } }
    public static void main(String[] arguments) {
        Comparator<Object> none = (a, b) -> 0;
        int run = 0;
        for (int before = 0; run < 2; run++) {
            before = new Object().hashCode();
            Queue<Object> queue = new PriorityQueue<>(4, none), blocking = new PriorityBlockingQueue<>(4, none);
            Map<String, Object> map = new HashMap<>(), table = new Hashtable<>();
            for (int i = 0; i < 5; i++) {
                queue.add(new Plain());
                blocking.add(new Plain());
                map.put("key" + i, new Plain());
                table.put("key" + i, Arrays.asList(new Plain(), new int[0]));
            }
            for (Colour each : Colour.values()) { map.put(each.name(), each); queue.add(each); }
            look(queue);
            look(blocking);
            look(map.keySet());
            look(table.keySet());
            // What the JDK does for the first time may draw some.
            if (run == 1) { System.out.println("drawn " + (new Object().hashCode() - before)); }
        }
    }
}
"#;

/// Identity hashes come from a counter here, as in workers.
#[test]
fn values_draw_no_identity_hashes() {
    let folder = Folder::new();
    folder.compile("Draws", DRAWS, &[]);
    for jdk in jdks() {
        for level in ["one", "eq", "full"] {
            let run = jdk
                .with_agent(&format!(",program,level={level},form=random,seed=7"))
                .args(["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3", "-cp"])
                .arg(&folder.path)
                .arg("Draws")
                .output()
                .unwrap();
            assert_eq!(output(&run), "drawn 1\n", "{level} on {}", jdk.feature);
        }
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
