//! Why tests fail and how likely it is: `debug`, `replay` of single choices and under a debugger, `explore`.
//!
//! Real JVMs, as a user would run them, on the fixture whose `expected.toml` has causes and figures. It is built and
//! checked once; what changes the project or the run works on another copy.

use crate::fixture::{Fixture, copy, jdk_tool};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// The fixture after `unflake check`. Nobody changes its classes or its run.
struct Checked {
    fixture: Fixture,
    document: Value,
}

fn checked() -> &'static Checked {
    static CHECKED: OnceLock<Checked> = OnceLock::new();
    CHECKED.get_or_init(|| {
        let fixture = Fixture::at(lasting_directory(), "explain");
        let document = fixture.check("--seed 7 --rounds 4");
        Checked { fixture, document }
    })
}

impl Checked {
    fn finding(&self, test: &str) -> &Value {
        let findings = self.document["findings"].as_array().unwrap();
        let is_it = |finding: &&Value| finding["test"].as_str().unwrap().ends_with(test);
        findings.iter().find(is_it).unwrap_or_else(|| panic!("{test}"))
    }

    fn id(&self, test: &str) -> &str {
        self.finding(test)["id"].as_str().unwrap()
    }

    /// What `unflake explore … --format json` says, and its exit code.
    fn explore(&self, arguments: &str) -> (Value, Option<i32>) {
        let output = self
            .fixture
            .unflake(&format!("explore --format json {arguments}"));
        let space = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown(&output)));
        (space, output.status.code())
    }
}

/// A directory that outlives the tests, since they share it and nobody is the last. The next process removes it.
fn lasting_directory() -> tempfile::TempDir {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for entry in fs::read_dir(place).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let process = name
            .strip_prefix("explain-")
            .and_then(|rest| rest.split('-').next());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // Another process may remove it too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let prefix = format!("explain-{}-", std::process::id());
    tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(place)
        .unwrap()
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output
        .status
        .code()
        .map_or("killed".to_owned(), |code| code.to_string());
    format!("{}{}exit {code}\n", text(&output.stdout), text(&output.stderr))
}

/// All of the output, standard output first. Progress is left out.
#[track_caller]
fn says(fixture: &Fixture, arguments: &str, expect: &str) {
    let found = shown(&fixture.unflake(arguments));
    let found: String = found
        .lines()
        .filter(|line| !line.starts_with("unflake: "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(found, expect, "`unflake {arguments}`");
}

#[track_caller]
fn ends_with(fixture: &Fixture, arguments: &str, code: i32, text: &str) {
    let output = fixture.unflake(arguments);
    let all = shown(&output);
    assert!(
        output.status.code() == Some(code) && all.contains(text),
        "`unflake {arguments}` should exit with {code} and say `{text}`:\n{all}"
    );
}

/// What `expected` names must be in `found` as it is there; what it does not name may be anything.
fn differences(at: &str, expected: &Value, found: &Value) -> Vec<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(_)) => (expected.iter())
            .flat_map(|(key, value)| differences(&format!("{at}.{key}"), value, &found[key]))
            .collect(),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs
                .flat_map(|(index, (expected, found))| {
                    differences(&format!("{at}[{index}]"), expected, found)
                })
                .collect()
        }
        (Value::Number(expected), Value::Number(found))
            if (expected.as_f64().unwrap() - found.as_f64().unwrap()).abs() < 1e-9 =>
        {
            Vec::new()
        }
        _ if expected == found => Vec::new(),
        _ => vec![format!("{at}: expected {expected}, found {found}")],
    }
}

/// The entries of one table of `expected.toml`.
fn expected(fixture: &Fixture, table: &str) -> Vec<Value> {
    let entries = serde_json::to_value(&fixture.expected[table]).unwrap();
    entries.as_array().unwrap().clone()
}

/// Puts the text of each line in the place of its number.
fn with_lines(value: &mut Value, project: &Path) {
    match value {
        Value::Object(object) => {
            let line = object.get("line").and_then(Value::as_u64);
            let file = object.get("file").and_then(Value::as_str);
            if let (Some(line), Some(file)) = (line, file)
                && let Ok(source) = fs::read_to_string(project.join(file))
            {
                let text = source.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
                object.insert("line".to_owned(), text.trim().into());
            }
            object.values_mut().for_each(|value| with_lines(value, project));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| with_lines(value, project)),
        _ => {}
    }
}

// ---- causes

#[test]
fn check_explains_every_finding() {
    let checked = checked();
    compare(&checked.fixture, &checked.document);
}

#[track_caller]
pub(crate) fn compare(fixture: &Fixture, document: &Value) {
    let mut findings = document["findings"].as_array().unwrap().clone();
    findings.retain(|finding| finding["test"] != "fix.ThesisTest#eitherOrder");
    let name = |finding: &Value| finding["test"].as_str().unwrap().to_owned();
    findings.sort_by_key(name);
    let expected = expected(fixture, "finding");
    let names = |findings: &[Value]| findings.iter().map(name).collect::<Vec<_>>();
    assert_eq!(names(&findings), names(&expected));
    let mut wrong = Vec::new();
    for (expected, mut found) in expected.iter().zip(findings) {
        with_lines(&mut found, &fixture.project());
        wrong.extend(differences(&name(expected), expected, &found));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Those that are right were looked at as well.
    let summary = &document["summary"];
    assert_eq!(summary["checked"], summary["tests"]);
}

// ---- single choices

#[test]
fn the_choices_of_a_cause_fail_alone_and_the_others_do_not() {
    let checked = checked();
    let fixture = &checked.fixture;
    let fails = |arguments: &str| ends_with(fixture, &format!("replay {arguments}"), 1, "it fails");
    let passes = |arguments: &str| ends_with(fixture, &format!("replay {arguments}"), 0, "it passes");
    fails(checked.id("ThesisTest#book"));
    fails("ThesisTest#book --choices 3");
    passes("ThesisTest#book --choices 1,2");
    fails("CauseTest#oneOfMany --choices 138");
    passes("CauseTest#oneOfMany --choices 1-137,139-200");
    fails("CauseTest#twoTogether --choices 1-2");
    passes("CauseTest#twoTogether --choices 2");
    // Counted from the first run in a JVM.
    fails("CauseTest#frozen --choices 1");
    fails("RealTest#threads --choices 1");
    says(
        fixture,
        "replay ThesisTest#sum --choices 1",
        "fix.ThesisTest#sum  alone, varied: full reverse, choices 1 only\nit passes\nexit 0\n",
    );
    says(
        fixture,
        "replay CostTest#choices04 --choices 2-9",
        "fix.CostTest#choices04  alone, varied: full reverse, choices 2-9 only\n\
         error: there is no choice 5: the test makes 4\n\
         hint: choices are counted from 1; `unflake debug` names the ones that matter\nexit 2\n",
    );
    ends_with(
        fixture,
        "replay RealTest#remembers --choices 0",
        2,
        "there is no choice 0: the test makes 1\n",
    );
}

// ---- under a debugger

#[test]
fn a_debugger_attaches_before_the_test_runs() {
    let checked = checked();
    let (mut replay, port) = debugged(checked, "ThesisTest#book", "");
    assert_eq!(listening(port), ["0100007F"], "only this machine may attach");
    let mut jdb = Jdb::attach(port);
    assert!(jdb.until(PROMPT).contains("VM Started"));
    jdb.say("cont");
    assert_eq!(replay.end(), (Some(1), true));
}

#[test]
fn a_debugger_stops_at_the_choice() {
    let checked = checked();
    for (test, frame) in [
        ("ThesisTest#book", "fix.Json.toString (Json.java:"),
        (
            "CauseTest#frozen",
            "fix.CauseTest$Frozen.<clinit> (CauseTest.java:",
        ),
    ] {
        let (mut replay, port) = debugged(checked, test, "--stop");
        assert_eq!(listening(port), ["0100007F"], "only this machine may attach");
        let mut jdb = Jdb::attach(port);
        assert!(jdb.until(PROMPT).contains("java.util.UnflakeStop"));
        jdb.say("where");
        let stack = jdb.until("unflake.runner.Main.main");
        let call = &checked.finding(test)["cause"]["choices"][0]["call"];
        assert!(
            stack.contains(&format!("{frame}{})", call["line"])),
            "{test}:\n{stack}"
        );
        jdb.say("cont");
        assert_eq!(replay.end(), (Some(1), true));
    }
}

#[test]
fn ctrl_c_ends_the_wait_for_a_debugger() {
    let (mut replay, port) = debugged(checked(), "ThesisTest#oneOfTwo", "--choices 1");
    replay.interrupt();
    assert_eq!(replay.end(), (Some(130), false));
    assert_eq!(listening(port), Vec::<String>::new());
}

#[test]
fn a_port_in_use_is_told() {
    let checked = checked();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let id = checked.id("ThesisTest#book");
    says(
        &checked.fixture,
        &format!("replay {id} --jdwp {port}"),
        &format!(
            "error: port {port} cannot be used for the debugger\n\
             caused by: Address already in use (os error 98)\n\
             hint: name another one: `--jdwp PORT`\nexit 3\n"
        ),
    );
}

/// `unflake replay` of a finding, waiting for a debugger on this port.
fn debugged(checked: &Checked, test: &str, options: &str) -> (Running, u16) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let id = checked.id(test);
    let mut running = Running::start(
        checked
            .fixture
            .command(&format!("replay {id} --jdwp {port} {options}")),
    );
    let start = Instant::now();
    while listening(port).is_empty() {
        assert!(
            start.elapsed() < LIMIT && running.child.try_wait().unwrap().is_none(),
            "nobody listens"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    (running, port)
}

/// The addresses on which somebody listens on a port, as the kernel writes them.
fn listening(port: u16) -> Vec<String> {
    const LISTENS: &str = "0A";
    let port = format!("{port:04X}");
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .into_iter()
        .flat_map(|table| {
            let table = fs::read_to_string(table).unwrap_or_default();
            table.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (address, at) = fields.next()?.split_once(':')?;
            (at == port && fields.nth(1)? == LISTENS).then(|| address.to_owned())
        })
        .collect()
}

/// A process that the test ends, whatever happens.
struct Running {
    child: Child,
    output: Receiver<Vec<u8>>,
}

impl Running {
    fn start(mut command: Command) -> Running {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Running { child, output }
    }

    /// The exit code, and whether the test was said to fail.
    fn end(&mut self) -> (Option<i32>, bool) {
        let mut text = Vec::new();
        loop {
            match self.output.recv_timeout(LIMIT) {
                Ok(more) => text.extend(more),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it hangs: {}", String::from_utf8_lossy(&text)),
            }
        }
        let fails = String::from_utf8_lossy(&text).contains("\nit fails\n");
        (self.child.wait().unwrap().code(), fails)
    }

    fn interrupt(&self) {
        self.signal(rustix::process::Signal::INT);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        let _ = rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // Not killed: it has a JVM to end.
            self.signal(rustix::process::Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// What the debugger prints when it has seen where a thread stopped; commands that come earlier find none.
const PROMPT: &str = "main[1] ";

/// The JDK's own debugger.
struct Jdb {
    running: Running,
    stdin: ChildStdin,
}

impl Jdb {
    fn attach(port: u16) -> Jdb {
        let mut command = unflake_runner::command(jdk_tool("jdb"), Path::new("."));
        command.args(["-attach", &format!("127.0.0.1:{port}")]);
        let mut running = Running::start(command);
        let stdin = running.child.stdin.take().unwrap();
        Jdb { running, stdin }
    }

    fn say(&mut self, command: &str) {
        writeln!(self.stdin, "{command}").unwrap();
    }

    /// What it prints up to this text.
    fn until(&mut self, text: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(text) {
            match self.running.output.recv_timeout(LIMIT) {
                Ok(more) => seen.push_str(&String::from_utf8_lossy(&more)),
                Err(error) => panic!("{error}: no `{text}` in\n{seen}"),
            }
        }
        seen
    }
}

// ---- exploring

#[test]
fn state_spaces_of_the_thesis() {
    state_spaces("fix.ThesisTest#", 1);
}

#[test]
fn state_spaces_of_real_tests() {
    state_spaces("fix.RealTest#", 2);
    state_spaces("fix.CauseTest#", 1);
    state_spaces("fix.CostTest#", 2);
}

fn state_spaces(of: &str, jobs: u32) {
    let checked = checked();
    let mut wrong = Vec::new();
    for expected in expected(&checked.fixture, "explored") {
        let test = expected["test"].as_str().unwrap();
        if !test.starts_with(of) {
            continue;
        }
        let (found, code) = checked.explore(&format!("{test} --fresh --jobs {jobs}"));
        wrong.extend(differences(test, &expected, &found));
        let fails = expected["figures"]["failing_leaves"] != 0;
        if code != Some(i32::from(fails)) {
            wrong.push(format!("{test}: exit {code:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_order_of_the_search_does_not_matter_and_it_can_end_early() {
    let checked = checked();
    let (breadth, _) = checked.explore("ThesisTest#book --fresh --breadth-first --jobs 1");
    let book = &expected(&checked.fixture, "explored")[0];
    assert_eq!(differences("", book, &breadth), Vec::<String>::new());
    let (first, code) = checked.explore("ThesisTest#prettyPrint --fresh --first --jobs 1");
    assert_eq!((&first["complete"], code), (&false.into(), Some(1)));
    assert_eq!(first["figures"]["failing_leaves"], 1);
    assert_eq!(
        first["notes"][0],
        "22 known alternatives were not tried: it ended at the first failure"
    );
    let (sampled, _) = checked.explore("ThesisTest#prettyPrint --fresh --elements 3 --samples 5 --jobs 1");
    assert_eq!(
        sampled["notes"][0],
        "of each choice of more than 3 elements (1 in the graph) only 5 orders were tried; `--elements` raises the limit"
    );
    let interval = &sampled["figures"]["interval"];
    let within = |at: usize| interval[at].as_f64().unwrap();
    assert!(within(0) < 23.0 / 24.0 && within(1) > 23.0 / 24.0, "{interval}");
}

#[test]
fn an_exploration_shows_what_random_rounds_with_its_seed_show() {
    let checked = checked();
    let ways = |space: &Value| -> BTreeSet<String> {
        let failures = space["failures"].as_array().unwrap().iter();
        failures.map(|failure| failure["message"].to_string()).collect()
    };
    // A search that is cut short: of 24 orders it tries 5.
    let short = "ThesisTest#prettyPrint --fresh --elements 3 --samples 5 --jobs 1";
    for seed in ["", " --seed 7"] {
        let (explored, _) = checked.explore(&format!("{short}{seed}"));
        let (random, _) = checked.explore(&format!("ThesisTest#prettyPrint --random 200{seed}"));
        assert!(ways(&random).len() > 5, "{random}");
        let missed: Vec<String> = ways(&random).difference(&ways(&explored)).cloned().collect();
        assert_eq!(missed, Vec::<String>::new(), "{explored}");
    }
}

#[test]
fn an_exploration_that_met_its_bound_goes_on() {
    let checked = checked();
    let (first, code) = checked.explore("CostTest#choices12 --runs 10 --jobs 1");
    assert_eq!((&first["complete"], code), (&false.into(), Some(0)));
    assert_eq!(first["executions"], 10);
    let notes = |space: &Value| -> Vec<String> { serde_json::from_value(space["notes"].clone()).unwrap() };
    let bound = "known alternatives were not tried: the limit is 10 executions; `--runs` raises it";
    assert!(notes(&first)[0].ends_with(bound), "{first}");
    let drawn = &notes(&first)[1];
    assert!(
        drawn.starts_with("200 random executions beside the search (seed "),
        "{drawn}"
    );
    assert!(drawn.ends_with(") found no other way to fail"), "{drawn}");
    let (second, _) = checked.explore("CostTest#choices12 --runs 100 --jobs 1");
    assert_eq!(second["executions"], 100);
    assert_eq!(
        notes(&second)[0],
        "continued after 10 executions of an earlier call"
    );
    let (third, _) = checked.explore("CostTest#choices12 --runs 300");
    assert_eq!(third["executions"], 300);
    assert_eq!(third["figures"]["failure_probability"], 0.0);
}

#[test]
fn around_a_failure_few_choices_differ() {
    let checked = checked();
    let id = checked.id("ThesisTest#book");
    let (space, code) = checked.explore(&format!("--around {id} --jobs 1"));
    assert_eq!(code, Some(1));
    assert_eq!(
        space["executions"], 4,
        "the failure, and one for each of three choices"
    );
    assert!(space["nodes"].as_array().unwrap().len() > 4);
    says(
        &checked.fixture,
        "explore --around ThesisTest#sum",
        &format!(
            "error: `fix.ThesisTest#sum` did not fail in the run `{}`\n\
             hint: leave out `--around` to explore all of its behaviours\nexit 4\n",
            run(&checked.fixture).file_name().unwrap().to_str().unwrap()
        ),
    );
}

#[test]
fn a_state_space_is_drawn() {
    let checked = checked();
    let file = |name: &str| checked.fixture.root().join(name);
    let (html, dot) = (file("space.html"), file("space.dot"));
    let output = checked.fixture.unflake(&format!(
        "explore ThesisTest#oneOfTwo --fresh --jobs 1 --format html={} --format dot={}",
        html.display(),
        dot.display()
    ));
    let text = String::from_utf8(output.stdout).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    assert_eq!(first, "fix.ThesisTest#oneOfTwo fails with probability 50 %");
    let (_, rest) = rest.split_once('\n').unwrap();
    assert_eq!(
        rest,
        "    graph  4 nodes, 3 edges, 1 failing leaf, 0 merge nodes, 1 critical choice\n\
         \n\
         Ways to fail\n    \
             50 %  ComparisonFailure: expected:<--[bar Bar, --foo Foo]> but was:<--[foo Foo, --bar Bar]>\n          \
                   at fix.ThesisTest.oneOfTwo(ThesisTest.java:46); 1 execution\n\
         \n\
         Critical choices: some order leads only to passes or only to failures, and another does not\n    \
             HashMap.entrySet called by Options.toString(Options.java:19): 2 orders\n\
         \n"
    );
    let page = fs::read_to_string(html).unwrap();
    assert!(page.starts_with("<!") && page.contains("fix.ThesisTest#oneOfTwo"));
    let linked: Vec<&str> = page
        .split(['"', '\'', ' ', '(', ')', '<', '>'])
        .filter(|word| word.contains("http://") || word.contains("https://"))
        .filter(|word| *word != "http://www.w3.org/2000/svg")
        .collect();
    assert_eq!(linked, Vec::<&str>::new(), "the page needs nothing but itself");
    assert!(fs::read_to_string(dot).unwrap().starts_with("digraph"));
}

// ---- bad input

#[test]
fn unknown_and_ambiguous_names() {
    let fixture = &checked().fixture;
    let run = run(fixture);
    let run = run.file_name().unwrap().to_str().unwrap();
    let unknown = |arguments: &str, name: &str, hint: &str| {
        says(
            fixture,
            arguments,
            &format!("error: the run `{run}` has no test or finding called `{name}`\nhint: {hint}\nexit 4\n"),
        );
    };
    let meant = "did you mean `ThesisTest#book`?";
    unknown("explore ThesisTst#book", "ThesisTst#book", meant);
    unknown("replay ThesisTest#bok", "ThesisTest#bok", meant);
    unknown("debug ThesisTst", "ThesisTst", "did you mean `ThesisTest`?");
    unknown(
        "explore zzzz-zzzz",
        "zzzz-zzzz",
        "`unflake check` lists what it finds; new tests need a new run",
    );
    let several = "error: `ThesisTest` names 5 tests, but exactly one is needed\n\
                   hint: name one of them, like `fix.ThesisTest#eitherOrder`\nexit 4\n";
    says(fixture, "explore ThesisTest", several);
    says(fixture, "replay ThesisTest", several);
    says(
        fixture,
        "debug ThesisTest#sum",
        &format!(
            "error: `fix.ThesisTest#sum` did not fail in the run `{run}`\n\
             hint: there is no cause to search for; `unflake check` with more `--rounds` may find one\nexit 4\n"
        ),
    );
    says(
        fixture,
        "replay ThesisTest#sum",
        &format!(
            "error: `fix.ThesisTest#sum` did not fail in the run `{run}`\n\
             hint: `--choices 1` varies one of its choices anyway\nexit 4\n"
        ),
    );
    // Some letters begin two ids.
    let ids: Vec<&str> = (checked().document["findings"].as_array().unwrap().iter())
        .map(|finding| finding["id"].as_str().unwrap())
        .collect();
    let begin = |letter: &str| ids.iter().filter(|id| id.starts_with(letter)).count();
    let letter = ids
        .iter()
        .map(|id| &id[..1])
        .find(|letter| begin(letter) > 1)
        .unwrap();
    ends_with(
        fixture,
        &format!("replay {letter}"),
        2,
        &format!("error: `{letter}` is the beginning of several ids\nhint: write one of"),
    );
}

/// The directory of the only run in a fixture's store.
fn run(fixture: &Fixture) -> PathBuf {
    let project = only_directory(&fixture.store().join("projects"));
    only_directory(&project)
}

fn only_directory(directory: &Path) -> PathBuf {
    let entries = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let directories: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    let [one] = &directories[..] else {
        panic!("{directories:?}")
    };
    one.clone()
}

#[test]
fn a_run_of_another_version() {
    let checked = checked();
    let store = tempfile::tempdir().unwrap();
    copy(
        &checked.fixture.store().join("projects"),
        &store.path().join("projects"),
    );
    let project = only_directory(&store.path().join("projects"));
    let run = only_directory(&project);
    let recipe = run.join("recipe.json");
    let mut stored: Value = serde_json::from_slice(&fs::read(&recipe).unwrap()).unwrap();
    stored["format"] = 1.into();
    fs::write(&recipe, stored.to_string()).unwrap();
    let expect = format!(
        "error: the run `{}` was recorded by another version of unflake\nhint: run `unflake check` again\nexit 3\n",
        run.file_name().unwrap().to_str().unwrap()
    );
    let id = checked.id("ThesisTest#book");
    for command in ["debug", "explore ThesisTest#book", &format!("replay {id}")] {
        let store = store.path().display();
        says(&checked.fixture, &format!("{command} --store {store}"), &expect);
    }
}

// ---- a project that changes

#[test]
fn causes_are_found_later_and_a_changed_project_is_told() {
    let fixture = Fixture::new("explain");
    let document = fixture.check("ThesisTest --no-debug --seed 7 --rounds 3");
    let finding = |document: &Value, test: &str| -> Value {
        let findings = document["findings"].as_array().unwrap();
        findings
            .iter()
            .find(|finding| finding["test"] == test)
            .cloned()
            .unwrap()
    };
    let (two, book) = ("fix.ThesisTest#oneOfTwo", "fix.ThesisTest#book");
    let not_run = finding(&document, two);
    assert_eq!(
        (&not_run["cause"]["status"], &not_run["rule"]),
        (&"not-run".into(), &"UF100".into())
    );
    ends_with(
        &fixture,
        "replay ThesisTest#oneOfTwo --jdwp --stop",
        2,
        "error: there is no known choice to stop at\nhint: find the cause first with `unflake debug`",
    );

    let debug = fixture.unflake("debug --format json");
    assert_eq!(debug.status.code(), Some(0), "{}", shown(&debug));
    let debugged: Value = serde_json::from_slice(&debug.stdout).unwrap();
    assert_eq!(debugged["findings"].as_array().unwrap().len(), 3);
    let found = finding(&debugged, two);
    assert_eq!(
        (&found["cause"]["status"], &found["rule"]),
        (&"found".into(), &"UF101".into())
    );
    let run = run(&fixture);
    let run = run.file_name().unwrap().to_str().unwrap();
    says(
        &fixture,
        "debug",
        &format!(
            "every finding of the run `{run}` already has a cause; name a finding or a test to search again\nexit 0\n"
        ),
    );

    // `oneOfTwo` is right from now on, `book` is not.
    let options = fixture.project().join("src/main/java/fix/Options.java");
    let source = fs::read_to_string(&options).unwrap();
    fs::write(
        &options,
        source.replace("new HashMap<>", "new java.util.TreeMap<>"),
    )
    .unwrap();
    let mut javac = unflake_runner::command(jdk_tool("javac"), &fixture.project());
    let compiled = javac.args(["-d", "target/classes"]).arg(&options).status();
    assert!(compiled.unwrap().success());
    let changed = format!(
        "warning: the project's classes have changed since the run `{run}`; run `unflake check` again for current results\n"
    );
    says(
        &fixture,
        "replay ThesisTest#oneOfTwo",
        &format!("fix.ThesisTest#oneOfTwo  alone, varied: one reverse\nit passes\n{changed}exit 0\n"),
    );
    let replay = fixture.unflake("replay ThesisTest#book");
    assert_eq!(replay.status.code(), Some(1), "{}", shown(&replay));
    assert_eq!(String::from_utf8_lossy(&replay.stderr), changed);
    let debug = fixture.unflake("debug ThesisTest#oneOfTwo ThesisTest#book --format json");
    assert_eq!(debug.status.code(), Some(0), "{}", shown(&debug));
    let debugged: Value = serde_json::from_slice(&debug.stdout).unwrap();
    let cause = finding(&debugged, two)["cause"].clone();
    assert_eq!(
        (&cause["status"], &cause["reason"]),
        (
            &"not-found".into(),
            &"it passed when repeated (one reverse)".into()
        )
    );
    assert_eq!(finding(&debugged, book)["cause"]["status"], "found");
    ends_with(
        &fixture,
        "debug",
        0,
        "cause    not found: it passed when repeated (one reverse)",
    );

    fs::remove_dir_all(fixture.project().join("target/test-classes")).unwrap();
    ends_with(
        &fixture,
        "explore ThesisTest#book",
        3,
        "error: the project is not built: there is no `",
    );
}
