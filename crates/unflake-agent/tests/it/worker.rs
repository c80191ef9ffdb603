//! A JVM that is told which tests to run, and how to vary each time.

use crate::boundaries::{jars, lines};
use crate::jvm::{Folder, jdks, join, output};
use crate::program::{Program, configuration};
use unflake_protocol::{
    Form, Framework, Handle, Level, Record, Role, RunCommand, Seed, Strategy, ToAgent, ToProgram,
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
    @Test public void hash() { Assert.fail("hash " + new Object().hashCode()); }
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
        record: Record::default(),
    })
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
