//! A JVM that is told which tests to run, and how to vary each time.

use crate::boundaries::{jars, lines};
use crate::jvm::{Folder, Jdk, jdks, join, output};
use crate::program::{Program, configuration};
use unflake_protocol::{
    ChoiceId, Evidence, Form, Framework, Handle, Level, Record, Role, RunCommand, Seed, Strategy, ToAgent,
    ToProgram,
};

/// Stands for the test runner, and has its own variable removed.
const WORKER: &str = r#"
import java.lang.reflect.Method;
import java.util.*;
import org.junit.*;
import org.junit.runner.*;
public class Worker {
    @Test public void order() {
        StringBuilder order = new StringBuilder();
        for (int i : new HashSet<Integer>(Arrays.asList(0, 1, 2, 3, 4, 5, 6, 7))) { order.append(i); }
        Assert.fail(order.toString());
    }
    static class Subject { void d() {} void b() {} void e() {} void a(int i) {} void c() {} void a() {} }
    @Test public void methods() {
        StringBuilder names = new StringBuilder();
        for (Method each : Subject.class.getDeclaredMethods()) {
            names.append(each.getName()).append(each.getParameterTypes().length).append(' ');
        }
        Assert.fail(names.toString());
    }
    @Test public void hash() { Assert.fail("hash " + new Object().hashCode()); }
    @Test public void draws() {
        for (long i = System.nanoTime() % 97; i >= 0; i--) { new Object().hashCode(); }
    }
    public static void main(String[] a) throws Exception {
        Class<?> agent = Class.forName("java.util.UnflakeNative");
        Method next = agent.getMethod("nextCommand");
        for (String[] words = (String[]) next.invoke(null); words != null; words = (String[]) next.invoke(null)) {
            System.out.println(Arrays.asList(words));
            new JUnitCore().run(Request.method(Class.forName(words[2]), words[3].substring(0, words[3].indexOf('('))));
            agent.getMethod("runFinished").invoke(null);
        }
        System.out.println("end " + System.getenv("JAVA_TOOL_OPTIONS"));
    }
}
"#;

fn run(method: &str, strategy: Option<Strategy>) -> ToAgent {
    recorded(method, strategy, Record::default())
}

fn recorded(method: &str, strategy: Option<Strategy>, record: Record) -> ToAgent {
    let id = format!("{method}(Worker)");
    let test = Handle {
        framework: Framework::JUnit4,
        root: "Worker".to_owned(),
        id,
    };
    ToAgent::Run(RunCommand {
        strategy,
        only: Vec::new(),
        tests: vec![test],
        script: None,
        record,
    })
}

/// What a worker says while it does what it is told.
fn heard(jdk: &Jdk, folder: &Folder, commands: Vec<ToAgent>) -> Vec<ToProgram> {
    heard_with(jdk, folder, &[], commands)
}

fn heard_with(jdk: &Jdk, folder: &Folder, options: &[&str], commands: Vec<ToAgent>) -> Vec<ToProgram> {
    let mut settings = configuration(Role::Worker);
    settings.learn = false;
    let program = Program::listen(&folder.path, settings, commands);
    let mut class_path = vec![folder.path.clone()];
    class_path.extend(jars());
    let run = jdk
        .with_agent(&format!("{},worker=4", program.socket.display()))
        .args(options)
        .arg("-cp")
        .arg(join(&class_path))
        .arg("Worker")
        .output()
        .unwrap();
    output(&run);
    program.heard()
}

/// A table by identity hashes looks the same after a test that drew any number of them (N6).
#[test]
fn hashes_of_a_test_do_not_depend_on_those_drawn_before() {
    const COUNTER: &[&str] = &["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];
    let folder = Folder::new();
    folder.compile("Worker", WORKER, &jars());
    for jdk in jdks() {
        let tests = ["hash", "hash", "draws", "hash", "draws", "hash"];
        let commands = tests.iter().map(|test| run(test, None)).collect();
        let heard = lines(&heard_with(&jdk, &folder, COUNTER, commands));
        let hashes = heard
            .iter()
            .filter_map(|line| line.strip_prefix("  failed hash: hash ")?.parse::<u32>().ok());
        // The first test also loads classes.
        let ends: Vec<u32> = hashes.skip(1).map(|hash| hash % 256).collect();
        assert_eq!(ends, vec![ends[0]; 3], "on {}", jdk.feature);
    }
}

/// What is shown of a choice among methods is what the caller got. The natural order of methods differs from JVM to
/// JVM, so varied ones start from a sorted one (N6), and that is shown.
#[test]
fn evidence_of_methods_is_what_the_test_saw() {
    let folder = Folder::new();
    folder.compile("Worker", WORKER, &jars());
    let forms = [Form::Reverse, Form::Random(Seed(1)), Form::Random(Seed(2))];
    let evidence = (0..8).flat_map(|scope| (0..100).map(move |call| ChoiceId::new(scope, 0, call)));
    let record = Record {
        evidence: evidence.collect(),
        ..Record::default()
    };
    for jdk in jdks() {
        let commands = forms.map(|form| {
            let level = Level::Full;
            recorded("methods", Some(Strategy { level, form }), record.clone())
        });
        let heard = heard(&jdk, &folder, commands.to_vec());
        let seen: Vec<String> = lines(&heard)
            .iter()
            .filter_map(|line| Some(line.strip_prefix("  failed methods: ")?.trim().to_owned()))
            .collect();
        let shown: Vec<&Evidence> = heard
            .iter()
            .filter_map(|message| match message {
                ToProgram::Evidence(evidence) => Some(&**evidence),
                _ => None,
            })
            .filter(|evidence| {
                evidence
                    .natural
                    .iter()
                    .any(|text| text == "Worker$Subject.a(int)")
            })
            .collect();
        assert_eq!(
            (seen.len(), shown.len()),
            (3, 3),
            "on {}: {heard:#?}",
            jdk.feature
        );
        // `Worker$Subject.a(int)` as the test says it: `a1`.
        let names = |texts: &[String]| {
            let name = |text: &String| {
                let text = text.trim_start_matches("Worker$Subject.");
                let count = if text.ends_with("()") { 0 } else { 1 };
                format!("{}{count}", &text[..1])
            };
            texts.iter().map(name).collect::<Vec<String>>().join(" ")
        };
        for (seen, shown) in seen.iter().zip(shown) {
            assert_eq!(names(&shown.natural), "a1 a0 b0 c0 d0 e0", "on {}", jdk.feature);
            assert_eq!(names(&shown.failing), *seen, "on {}", jdk.feature);
            let moved = (0u32..).zip(&shown.order).filter(|(at, from)| at != *from);
            assert_eq!(shown.moved.len(), moved.count(), "on {}: {shown:?}", jdk.feature);
        }
        assert_eq!(seen[0], "e0 d0 c0 b0 a0 a1", "on {}", jdk.feature);
        assert_ne!(seen[1], seen[2], "on {}", jdk.feature);
    }
}

#[test]
fn a_worker_runs_what_it_is_told_with_the_strategy_it_is_told() {
    let folder = Folder::new();
    folder.compile("Worker", WORKER, &jars());
    let strategy = |form| {
        Some(Strategy {
            level: Level::Full,
            form,
        })
    };
    let forms = [
        None,
        strategy(Form::Reverse),
        strategy(Form::Random(Seed(1))),
        strategy(Form::Random(Seed(1))),
        strategy(Form::Random(Seed(2))),
    ];
    for jdk in jdks() {
        let mut settings = configuration(Role::Worker);
        settings.learn = false;
        let commands: Vec<ToAgent> = forms.iter().map(|form| run("order", *form)).collect();
        let program = Program::listen(&folder.path, settings, commands);
        let mut class_path = vec![folder.path.clone()];
        class_path.extend(jars());
        let options = format!("{},worker=4", program.socket.display());
        let out = jdk
            .checked()
            .env(
                "JAVA_TOOL_OPTIONS",
                format!("-agentpath:{}={options}", crate::jvm::library().display()),
            )
            .arg("-cp")
            .arg(join(&class_path))
            .arg("Worker")
            .output()
            .unwrap();
        let out = output(&out);
        assert!(out.starts_with("[run, JUnit4, Worker, order(Worker)]\n"), "{out}");
        assert!(out.ends_with("end null\n"), "{out}");
        let heard = program.heard();
        assert!(
            matches!(heard[0], ToProgram::Hello { worker: Some(4), .. }),
            "{:?}",
            heard[0]
        );
        assert_eq!(
            heard
                .iter()
                .filter(|message| **message == ToProgram::RunFinished)
                .count(),
            forms.len()
        );
        let orders: Vec<String> = lines(&heard)
            .iter()
            .filter_map(|line| Some(line.strip_prefix("  failed order: ")?.to_owned()))
            .collect();
        assert_eq!(orders.len(), forms.len(), "{orders:?}");
        assert_eq!(
            (orders[0].as_str(), orders[1].as_str()),
            ("01234567", "76543210"),
            "on {}",
            jdk.feature
        );
        assert_eq!(orders[2], orders[3], "the same seed, on {}", jdk.feature);
        assert_ne!(orders[2], orders[4], "another seed, on {}", jdk.feature);
    }
}
