//! Tests that do their worst to the JVM they run in: always, or only when varied. Each stands in a class of its own,
//! beside three good tests and one that truly depends on an implementation. A bad test may cost its own result only.

use super::processes;
use super::project::Project;
use super::{Asked, Checked};
use crate::{Failure, Outcome, print, say};
use serde_json::Value;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(3600);

/// One way to be hostile.
struct Hostile {
    name: &'static str,
    /// Java statements.
    does: &'static str,
    /// How the test fails if it does this only when varied. What does not fail by itself asserts something afterwards.
    fails: &'static str,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Test,
    SetUp,
    Initialiser,
}

const fn test(name: &'static str, does: &'static str, fails: &'static str) -> Hostile {
    Hostile {
        name,
        does,
        fails,
        place: Place::Test,
    }
}

const ALL: [Hostile; 24] = [
    test("Hang", "while (true) { Thread.sleep(1000); }", "hang"),
    test("Spin", "while (Worst.yes()) { }", "hang"),
    test("Exit", "System.exit(3);", "exit"),
    test("Halt", "Runtime.getRuntime().halt(4);", "exit"),
    test("Kill", "Worst.kill();", "crash"),
    test("Heap", "Worst.heap();", "memory"),
    test("Stack", "Worst.stack(1);", "memory"),
    test("Metaspace", "Worst.metaspace();", "memory"),
    test("Deadlock", "Worst.deadlock();", "hang"),
    test("Thread", "Worst.spinningThread();", "assertion"),
    test("CloseOut", "System.out.close(); System.err.close();", "assertion"),
    test("Flood", "Worst.flood();", "assertion"),
    test("Security", "Worst.security();", "assertion"),
    test(
        "Home",
        "System.setProperty(\"user.home\", \"/nowhere\");",
        "assertion",
    ),
    test(
        "Fork",
        "new ProcessBuilder(\"sleep\", \"SECONDS\").start();",
        "assertion",
    ),
    test("Interrupt", "Thread.currentThread().interrupt();", "assertion"),
    test("DaemonExit", "Worst.exitSoon();", "assertion"),
    test("DeleteClasses", "Worst.deleteClasses();", "assertion"),
    Hostile {
        name: "SetUpHang",
        does: "while (true) { Thread.sleep(1000); }",
        fails: "hang",
        place: Place::SetUp,
    },
    Hostile {
        name: "SetUpExit",
        does: "System.exit(5);",
        fails: "exit",
        place: Place::SetUp,
    },
    Hostile {
        name: "SetUpThrows",
        does: "throw new IllegalStateException(\"set-up\");",
        fails: "exception",
        place: Place::SetUp,
    },
    Hostile {
        name: "InitHang",
        does: "while (Worst.yes()) { Worst.sleep(); }",
        fails: "hang",
        place: Place::Initialiser,
    },
    Hostile {
        name: "InitExit",
        does: "System.exit(6);",
        fails: "exit",
        place: Place::Initialiser,
    },
    Hostile {
        name: "InitThrows",
        does: "throw new IllegalStateException(\"initialiser\");",
        fails: "exception",
        place: Place::Initialiser,
    },
];

const WORST: &str = r#"import java.io.*;
import java.lang.management.ManagementFactory;
import java.util.*;

final class Worst {
    private Worst() {}

    static volatile boolean yes = true;

    static boolean yes() {
        return yes;
    }

    static void sleep() {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException e) {
            throw new RuntimeException(e);
        }
    }

    /** Whether the order of a set is another one than usual. */
    static boolean isVaried() {
        Set<String> set = new HashSet<>(Arrays.asList("alpha", "beta", "gamma", "delta", "epsilon"));
        StringBuilder all = new StringBuilder();
        for (String text : set) {
            all.append(text).append(' ');
        }
        return !all.toString().equals("epsilon alpha delta beta gamma ");
    }

    static void kill() throws Exception {
        String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        new ProcessBuilder("kill", "-9", pid).start();
        Thread.sleep(60_000);
    }

    static void heap() {
        List<byte[]> all = new ArrayList<>();
        while (yes) {
            all.add(new byte[10_000_000]);
        }
    }

    static int stack(int n) {
        return stack(n + 1) + stack(n + 2);
    }

    static void metaspace() throws Exception {
        List<Object> all = new ArrayList<>();
        InputStream in = Worst.class.getResourceAsStream("Worst.class");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int n = in.read(part); n > 0; n = in.read(part)) {
            out.write(part, 0, n);
        }
        final byte[] code = out.toByteArray();
        while (yes) {
            ClassLoader loader = new ClassLoader(null) {
                @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
                    return name.equals("suite.Worst") ? defineClass(name, code, 0, code.length)
                        : Worst.class.getClassLoader().loadClass(name);
                }
            };
            all.add(loader.loadClass("suite.Worst").getDeclaredField("yes"));
        }
    }

    static void deadlock() throws Exception {
        final Object one = new Object();
        final Object two = new Object();
        Thread thread = new Thread(() -> {
            synchronized (one) {
                sleep();
                synchronized (two) { }
            }
        });
        synchronized (two) {
            thread.start();
            Thread.sleep(100);
            synchronized (one) { }
            thread.join();
        }
        // The other way round, so that none of them comes through.
        synchronized (one) {
            Thread other = new Thread(() -> { synchronized (one) { } });
            other.start();
            other.join();
        }
    }

    static void spinningThread() {
        new Thread(() -> { while (yes) { } }).start();
    }

    static void flood() {
        byte[] line = new byte[1 << 20];
        Arrays.fill(line, (byte) 'x');
        line[line.length - 1] = '\n';
        for (int i = 0; i < 1024; i++) {
            System.out.write(line, 0, line.length);
        }
        System.out.flush();
    }

    static void security() {
        try {
            System.setSecurityManager(new SecurityManager() {
                @Override public void checkPermission(java.security.Permission permission) {
                    if (permission.getName().startsWith("exitVM")) {
                        throw new SecurityException("no exit");
                    }
                }
            });
        } catch (UnsupportedOperationException e) {
            // Not allowed any more.
        }
    }

    static void exitSoon() {
        Thread thread = new Thread(() -> { sleep(); System.exit(7); });
        thread.setDaemon(true);
        thread.start();
    }

    static void deleteClasses() throws Exception {
        delete(new File(Worst.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }

    private static void delete(File file) {
        File[] inside = file.listFiles();
        if (inside != null) {
            for (File one : inside) {
                delete(one);
            }
        }
        file.delete();
    }
}
"#;

pub(super) fn run(asked: &Asked) -> Outcome<()> {
    let mut problems = Vec::new();
    let mut seconds = 0.0;
    let mut checks = 0;
    for when in ["varied", "always"] {
        // One behaviour, or one of its two versions.
        let is_chosen = |one: &&Hostile| match asked.only.as_deref() {
            None => true,
            Some(only) => only == one.name || only == format!("{}-{when}", one.name),
        };
        for one in ALL.iter().filter(is_chosen) {
            checks += 1;
            let folder = asked.folder(&format!("hostile-{}-{when}", one.name))?;
            let project = Project::write(&folder)?;
            project.class("Worst", WORST)?;
            project.class("AGoodTest", GOOD)?;
            project.class("MHostileTest", &hostile(one, when == "varied"))?;
            project.class("ZGoodTest", &GOOD.replace("AGoodTest", "ZGoodTest"))?;
            let checked = asked.check(&folder, &["--only", "id,pollution"], LIMIT);
            let mut said = match &checked {
                Ok(checked) => judge(checked, one, when),
                Err(failure) => vec![failure.to_string()],
            };
            said.extend(left_behind()?);
            let time = checked.as_ref().map_or(0.0, |checked| checked.ended.seconds);
            seconds += time;
            say(format!(
                "{} {when}: {time:.0} s{}",
                one.name,
                if said.is_empty() { "" } else { ", WRONG" }
            ));
            for line in &said {
                say(format!("  {line}"));
            }
            problems.extend(said);
        }
    }
    if checks == 0 {
        return Err(Failure::new("no hostile behaviour has this name"));
    }
    print(format!(
        "{checks} checks of hostile behaviours, always and when varied: {} problems, {seconds:.0} s",
        problems.len()
    ));
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Failure::new("a hostile test cost more than its own result"))
    }
}

const GOOD: &str = r#"import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;

class AGoodTest {
    @Test void good1() { Worst.isVaried(); }
    @Test void good2() { assertEquals(4, 2 + 2); }
    @Test void good3() { Worst.isVaried(); }
    @Test void really() { assertFalse(Worst.isVaried()); }
}
"#;

/// The class with the hostile test; its three good tests and its true one stand on both sides.
fn hostile(one: &Hostile, only_varied: bool) -> String {
    let condition = if only_varied {
        "Worst.isVaried()"
    } else {
        "Worst.yes()"
    };
    let asserts = if only_varied && one.fails == "assertion" {
        "throw new AssertionError(\"hostile\");"
    } else {
        ""
    };
    let does = one.does.replace("SECONDS", &seconds_of_child());
    let act = format!("if ({condition}) {{ {does} {asserts} }}");
    let (initialiser, set_up, test) = match one.place {
        Place::Test => (String::new(), String::new(), act),
        Place::SetUp => (
            String::new(),
            format!("@BeforeAll static void setUp() throws Exception {{ {act} }}"),
            String::new(),
        ),
        Place::Initialiser => (format!("static {{ {act} }}"), String::new(), String::new()),
    };
    // Where the class as a whole is hostile, its other tests go with it.
    let others = if one.place == Place::Test {
        "@Test void good1() { Worst.isVaried(); }\n    @Test void good2() { }\n    \
         @Test void good3() { Worst.isVaried(); }\n    @Test void really() { assertFalse(Worst.isVaried()); }"
    } else {
        ""
    };
    format!(
        "import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.*;\n\n\
         class MHostileTest {{\n    {initialiser}\n    {set_up}\n    \
         @Test void hostile() throws Exception {{ {test} }}\n    {others}\n}}\n"
    )
}

/// What is not as it should be.
fn judge(checked: &Checked, one: &Hostile, when: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let findings = checked.findings();
    let is_found = |test: &str| {
        findings
            .iter()
            .any(|(kind, found)| kind == "implementation-dependent" && found == test)
    };
    let mut classes = vec!["AGoodTest", "ZGoodTest"];
    if one.place == Place::Test {
        classes.push("MHostileTest");
    }
    for class in classes {
        if !is_found(&format!("suite.{class}#really")) {
            wrong.push(format!(
                "{class}#really: not found, {:?}",
                checked.state(&format!("{class}#really"))
            ));
        }
        for good in ["good1", "good2", "good3"] {
            let name = format!("{class}#{good}");
            let state = checked.state(&name);
            if !matches!(state, Some("checked" | "no-choice")) || is_found(&format!("suite.{name}")) {
                wrong.push(format!("{name}: {state:?}"));
            }
        }
    }
    let all = checked.document["findings"].as_array().into_iter().flatten();
    let hostile: Vec<&Value> = all
        .filter(|finding| finding["test"] == "suite.MHostileTest#hostile")
        .filter(|finding| finding["kind"] == "implementation-dependent")
        .collect();
    match (when, &hostile[..]) {
        ("varied", [finding]) if finding["failure"] == one.fails => {}
        ("varied", [finding]) => wrong.push(format!(
            "hostile: {} instead of {}",
            finding["failure"], one.fails
        )),
        ("varied", _) => wrong.push(format!(
            "hostile: not found, {:?}",
            checked.state("MHostileTest#hostile")
        )),
        (_, []) if checked.state("MHostileTest#hostile").is_some() => {}
        // Nobody knows the tests of a class that never comes to them: it is told as a whole.
        (_, []) if one.place != Place::Test && checked.state(".MHostileTest") == Some("failing") => {}
        (_, []) => wrong.push("hostile: lost".to_owned()),
        (_, _) => wrong.push("hostile: a false alarm".to_owned()),
    }
    wrong
}

/// How long a child sleeps that outlives its test: no other child sleeps that long.
fn seconds_of_child() -> String {
    format!("27182{}", std::process::id())
}

/// Children that are still there; they are ended.
fn left_behind() -> Outcome<Option<String>> {
    let seconds = seconds_of_child();
    let mut left = processes::knowing(&seconds)?;
    left.retain(|process| process.is("sleep") && process.argument(1) == seconds);
    left.iter().try_for_each(|process| process.signal("KILL"))?;
    Ok((!left.is_empty()).then(|| "a child is left".to_owned()))
}
