//! Checks of projects whose tests would meet each other, with namespaces and without.

use crate::fixture::Fixture;
use crate::processes::{ends_within, wait_for};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// What a test can ask about where it runs.
const HERE: &str = r#"
    package a;

    import java.io.File;

    class Here {
        /** Whether unflake runs it, and not the build. */
        static boolean isUnflake() {
            try {
                Class.forName("unflake.runner.Main");
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }

        /** Leaves a file, which must not be there before. */
        static void write(String path) throws Exception {
            File file = new File(path);
            if (!file.createNewFile()) {
                throw new AssertionError(file + " is there already");
            }
        }
    }
"#;

/// Has a fixed port and a file of a fixed name in the working directory for a while each, leaves files of fixed names
/// and a process behind, and has one test that assumes too much. All make choices, so that they are varied.
fn server(name: &str) -> String {
    r#"
    package a;

    import static org.junit.jupiter.api.Assertions.assertEquals;
    import java.io.File;
    import java.net.ServerSocket;
    import java.net.Socket;
    import java.util.Arrays;
    import java.util.HashSet;
    import org.junit.jupiter.api.Test;

    class NAME {
        @Test
        void serves() throws Exception {
            try (ServerSocket server = new ServerSocket(PORT)) {
                new Socket("localhost", PORT).close();
                Thread.sleep(100);
            }
            int size = 0;
            for (String text : new HashSet<>(Arrays.asList("a", "b", "c"))) {
                size += text.length();
            }
            assertEquals(3, size);
        }

        @Test
        void locks() throws Exception {
            int size = 0;
            for (String text : new HashSet<>(Arrays.asList("a", "b", "c"))) {
                size += text.length();
            }
            File lock = new File("lock");
            Here.write("lock");
            Thread.sleep(100);
            lock.delete();
        }

        @Test
        void writes() throws Exception {
            int size = 0;
            for (String text : new HashSet<>(Arrays.asList("a", "b", "c"))) {
                size += text.length();
            }
            if (Here.isUnflake() && System.getProperty("ran.NAME") == null) {
                System.setProperty("ran.NAME", "true");
                Here.write(System.getProperty("user.home") + "/left-by-NAME");
                Here.write(System.getProperty("java.io.tmpdir") + "/left-by-NAME");
                new ProcessBuilder("sleep", "600", "LEFT").start();
            }
        }

        @Test
        void isWrong() {
            StringBuilder all = new StringBuilder();
            for (String text : new HashSet<>(Arrays.asList("a", "b", "c"))) {
                all.append(text);
            }
            assertEquals("abc", all.toString());
        }
    }
    "#
    .replace("NAME", name)
}

/// A port that nobody has now.
fn free_port() -> u16 {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.local_addr().unwrap().port()
}

fn names(findings: &Value) -> Vec<&str> {
    let findings = findings.as_array().unwrap().iter();
    findings
        .map(|finding| finding["test"].as_str().unwrap())
        .collect()
}

#[test]
fn tests_on_one_port_do_not_meet() {
    for (isolation, kind) in [("auto", "namespaces"), ("off", "directories")] {
        let port = free_port().to_string();
        let classes = ["AlphaTest", "BetaTest", "GammaTest", "DeltaTest"];
        let fixture = Fixture::written(&[("src/test/java/a/Here.java", HERE)]);
        let left = fixture.root().join("left");
        for class in classes {
            let source = server(class).replace("PORT", &port);
            let source = source.replace("\"LEFT\"", &format!("\": {}\"", left.display()));
            // `sleep` takes numbers only: a shell keeps the mark.
            let source = source.replace("\"sleep\", \"600\", ", "\"sh\", \"-c\", \"sleep 600; \" + ");
            fixture.write(&format!("src/test/java/a/{class}.java"), &source);
        }
        let found = fixture.check(&format!("--seed 7 -j 3 --no-debug --isolation {isolation}"));
        assert_eq!(found["summary"]["isolation"], kind, "{found:#}");
        let mut wrong: Vec<String> = classes.iter().map(|class| format!("a.{class}#isWrong")).collect();
        wrong.sort();
        assert_eq!(names(&found["findings"]), wrong, "{isolation}: {found:#}");
        assert_eq!(
            found["excluded"],
            Value::Array(Vec::new()),
            "{isolation}: {found:#}"
        );
        assert!(ends_within(&left, Duration::from_secs(2)));
        // They ran here when they were learned, and left nothing then.
        assert!(!fixture.project().join("left-by-AlphaTest").exists());
        let home = std::env::home_dir().unwrap();
        assert!(
            !classes
                .iter()
                .any(|class| home.join(format!("left-by-{class}")).exists())
        );
    }
}

#[test]
fn tests_that_need_this_machine_run_on_it() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    std::thread::spawn(move || for _ in server.incoming() {});
    let fixture = Fixture::written(&[(
        "src/test/java/a/ServiceTest.java",
        &r#"
        package a;

        import static org.junit.jupiter.api.Assertions.assertEquals;
        import java.net.Socket;
        import java.util.Arrays;
        import java.util.HashSet;
        import org.junit.jupiter.api.Test;

        class ServiceTest {
            @Test
            void isThere() throws Exception {
                new Socket("localhost", PORT).close();
                int size = new HashSet<>(Arrays.asList("a", "b")).toString().length();
                assertEquals(6, size);
            }

            @Test
            void isWrong() throws Exception {
                new Socket("localhost", PORT).close();
                assertEquals("[a, b, c]", new HashSet<>(Arrays.asList("a", "b", "c")).toString());
            }
        }
        "#
        .replace("PORT", &port),
    )]);
    let found = fixture.check("--seed 7 --only id,pollution --no-proof");
    assert_eq!(names(&found["findings"]), ["a.ServiceTest#isWrong"], "{found:#}");
    assert_eq!(found["summary"]["outside"], 2);
    let note = "2 tests (for example `a.ServiceTest#isThere`) ran without isolation, one test JVM at a time; with it, \
                the outcome was different";
    assert!(found["notes"].to_string().contains(note), "{found:#}");
    assert!(!found["notes"].to_string().contains("build tool"), "{found:#}");
    // A replay happens where the finding was made.
    let id = found["findings"][0]["id"].as_str().unwrap();
    let replayed = fixture.unflake(&format!("replay {id}"));
    let said = String::from_utf8(replayed.stdout).unwrap();
    assert!(said.contains("it fails") && said.contains("[a, b, c]"), "{said}");
}

/// A project whose only test waits for long when unflake runs it.
fn waiting() -> Fixture {
    Fixture::written(&[
        ("src/test/java/a/Here.java", HERE),
        (
            "src/test/java/a/WaitingTest.java",
            r#"
            package a;

            import java.util.Arrays;
            import java.util.HashSet;
            import org.junit.jupiter.api.Test;

            class WaitingTest {
                @Test
                void waits() throws Exception {
                    new HashSet<>(Arrays.asList("a", "b")).toString();
                    if (Here.isUnflake() || System.getenv("WAIT_IN_BUILD") != null) {
                        Thread.sleep(600_000);
                    }
                }
            }
            "#,
        ),
    ])
}

#[test]
fn nothing_is_left_of_a_check_that_is_killed() {
    let fixture = waiting();
    for (isolation, in_build) in [("auto", false), ("off", false), ("off", true)] {
        let mut command = fixture.command(&format!("check --timeout 100s --isolation {isolation}"));
        command
            .env("TMPDIR", fixture.root())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if in_build {
            command.env("WAIT_IN_BUILD", "yes");
        }
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        if in_build {
            // The test JVM of the build.
            wait_for(&fixture.project().join("target/surefire"), 1);
        } else {
            let rounds = |line: &String| line.starts_with("unflake: round");
            assert!(lines.map(Result::unwrap).any(|line| rounds(&line)));
            wait_for(Path::new("unflake.runner.Main"), 1);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            ends_within(fixture.root(), Duration::from_secs(2)),
            "{isolation} {in_build}"
        );
    }
}

#[test]
fn a_build_during_the_check_makes_it_partial() {
    let fixture = waiting();
    let report = fixture.root().join("report.json");
    let mut command = fixture.command(&format!(
        "check --seed 7 --timeout 3s --rounds 1 --no-debug --format json={}",
        report.display()
    ));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("unflake: round")));
    let class = fixture.project().join("target/test-classes/a/Here.class");
    let mut bytes = fs::read(&class).unwrap();
    bytes.push(0);
    fs::write(&class, bytes).unwrap();
    for _ in lines {}
    child.wait().unwrap();
    let document: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(document["summary"]["partial"], true, "{document:#}");
    let note = "the project's classes changed while they were checked; run `unflake check` again";
    assert!(document["notes"].to_string().contains(note), "{document:#}");
}
