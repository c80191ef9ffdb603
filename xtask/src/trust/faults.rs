//! What happens when something of ours breaks at a moment that nobody chose: unflake or one of its JVMs is killed, the
//! agent panics, its connection is cut, the disk is full. No JVM is left behind, the store can be read, and a report
//! that was written is right or says that it is partial.

use super::processes::{self, Process};
use super::project::Project;
use super::{Asked, Checked};
use crate::process::Program;
use crate::{Failure, Outcome, print, say};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const TIMES: usize = 200;
const LIMIT: Duration = Duration::from_secs(600);

/// Most events that a worker tells of before a fault strikes.
const EVENTS: f64 = 60.0;
/// The most that a full disk holds; all that a check of this project stores is less.
const DISK: f64 = 12_000_000.0;
/// Where the draws begin.
const SEED: u64 = 20_261_116;
/// What checks search for, in turn: the short one more often.
const KINDS: [&str; 4] = ["id", "id", "id,pollution,order", "id"];
/// JVMs that live for a second do not need a second compiler.
const QUICK_JVM: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

/// One test of JUnit 4 that depends on an order, one polluter and its victim, and two that are good.
const CLASSES: [(&str, &str); 3] = [
    (
        "AFirstTest",
        r#"import static org.junit.Assert.*;
import org.junit.Test;

public class AFirstTest {
    @Test public void isEmpty() { assertTrue(MRegistryTest.ALL.isEmpty()); }
}
"#,
    ),
    (
        "MRegistryTest",
        r#"import static org.junit.Assert.*;
import java.util.*;
import org.junit.Test;

public class MRegistryTest {
    static final List<String> ALL = new ArrayList<>();

    @Test public void adds() { ALL.add("one"); assertTrue(ALL.contains("one")); }
    @Test public void good() { assertNotNull(ALL); }
}
"#,
    ),
    (
        "ZMapTest",
        r#"import static org.junit.Assert.*;
import java.util.*;
import org.junit.Test;

public class ZMapTest {
    private final Map<String, Integer> map = new HashMap<>();

    { map.put("pear", 2); map.put("apple", 1); map.put("plum", 5); }

    @Test public void writes() { assertEquals("{plum=5, apple=1, pear=2}", map.toString()); }
    @Test public void counts() { int n = 0; for (int i : map.values()) { n += i; } assertEquals(8, n); }
}
"#,
    ),
];

/// Runs the program on a disk of its own, then reads the store.
const ON_SMALL_DISK: &str = r#"
    store=$1 size=$2 program=$3
    shift 2
    mkdir -p "$store" && mount -t tmpfs -o size="$size" tmpfs "$store" || exit 99
    "$@"
    code=$?
    "$program" runs --all --store "$store" || echo "the store cannot be read"
    exit $code
"#;

/// One thing that breaks.
enum Broken {
    /// Who gets which signal, and when.
    Killed(Whom, &'static str, Duration),
    /// The agent does this in each worker, at this event.
    Agent(&'static str, u32),
    /// The disk of the store has so many bytes.
    Disk(u64),
}

#[derive(Clone, Copy)]
enum Whom {
    Unflake,
    Worker,
    /// What has started a worker, and ends it.
    Launcher,
}

impl Whom {
    fn is(self, process: &Process) -> bool {
        match self {
            Whom::Unflake => process.argument(1) == "check" && process.is("unflake"),
            Whom::Worker => process.is("java") && process.has("worker="),
            Whom::Launcher => process.argument(1) == "__launcher" && process.has("worker="),
        }
    }
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Whom::Unflake => "unflake",
            Whom::Worker => "a worker",
            Whom::Launcher => "a launcher",
        })
    }
}

impl Broken {
    /// The `n`th: all kinds in turn, each at a random moment.
    fn draw(n: usize, draw: &mut Draw, seconds: f64) -> Broken {
        let moment = Duration::from_secs_f64(seconds * draw.next());
        let event = (EVENTS * draw.next()) as u32 + 1;
        match n % 8 {
            0 => Broken::Killed(Whom::Worker, "KILL", moment),
            1 => Broken::Killed(Whom::Unflake, "TERM", moment),
            2 => Broken::Killed(Whom::Unflake, "INT", moment),
            3 => Broken::Killed(Whom::Unflake, "KILL", moment),
            4 => Broken::Agent("panic", event),
            5 => Broken::Agent("cut", event),
            6 => Broken::Killed(Whom::Launcher, "KILL", moment),
            _ => Broken::Disk((DISK * draw.next()) as u64),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Killed(whom, signal, after) => write!(f, "{whom} got {signal} after {after:.1?}"),
            Broken::Agent(what, event) => write!(f, "the agent's {what} at event {event}"),
            Broken::Disk(size) => write!(f, "a disk of {} KB", size / 1000),
        }
    }
}

/// A project and what checks of it say if nothing breaks.
struct Suite {
    folder: PathBuf,
    /// By what is searched for.
    whole: Vec<(&'static str, Checked)>,
}

pub(super) fn run(asked: &Asked) -> Outcome<()> {
    let folder = asked.folder("faults")?;
    let project = Project::quick(&folder, QUICK_JVM)?;
    for (name, source) in CLASSES {
        project.class(name, source)?;
    }
    let mut suite = Suite {
        folder,
        whole: Vec::new(),
    };
    takes_faults(asked, &suite.folder)?;
    for kinds in KINDS {
        if suite.whole.iter().all(|(known, _)| *known != kinds) {
            let options = ["--seed", "7", "--only", kinds];
            let whole = asked.check_with(quick(&asked.program), &suite.folder, &options, LIMIT)?;
            say(format!(
                "{kinds}: {:.0} s, {:?}",
                whole.ended.seconds,
                whole.findings()
            ));
            suite.whole.push((kinds, whole));
        }
    }
    let mut draw = Draw(SEED);
    let times = if asked.times == 0 { TIMES } else { asked.times };
    let (mut wrong, mut struck, mut draws) = (0, 0, 0);
    let started = Instant::now();
    // A draw that comes too late is one more draw.
    while struck < times && draws < 2 * times {
        let n = draws;
        draws += 1;
        let kinds = KINDS[n / 8 % KINDS.len()];
        let Some((_, whole)) = suite.whole.iter_mut().find(|(known, _)| *known == kinds) else {
            continue;
        };
        let broken = Broken::draw(n, &mut draw, whole.ended.seconds);
        let clock = Instant::now();
        let One { problems, has_struck } = one(asked, &suite.folder, &broken, kinds, whole)?;
        let shown = match &problems[..] {
            [] if has_struck => "right".to_owned(),
            [] => "right, but nobody was there to be killed".to_owned(),
            problems => problems.join("; "),
        };
        let seconds = clock.elapsed().as_secs_f64();
        if !has_struck {
            // The machine is less busy now than when the whole check was timed.
            whole.ended.seconds = whole.ended.seconds.min(seconds);
        }
        say(format!("{}. {kinds}: {broken}: {shown} ({seconds:.0} s)", n + 1));
        wrong += problems.len();
        struck += usize::from(has_struck);
    }
    print(format!(
        "seed {SEED}: {struck} of {draws} draws broke something at a random moment: {wrong} problems, {} s",
        started.elapsed().as_secs()
    ));
    if wrong > 0 || struck < times {
        return Err(Failure::new(
            "not all was survived, or too few draws broke anything",
        ));
    }
    Ok(())
}

/// The program with a build tool that starts quickly.
fn quick(program: &Path) -> Program {
    Program::new(program).env("MAVEN_OPTS", QUICK_JVM)
}

/// Most builds do not break on request.
fn takes_faults(asked: &Asked, folder: &Path) -> Outcome<()> {
    let program = quick(&asked.program).env("UNFLAKE_FAULT", "panic:5");
    let broken = asked.check_with(program, folder, &["--seed", "7", "--only", "id"], LIMIT)?;
    if broken.ended.status.code() == Some(70) {
        return Ok(());
    }
    Err(Failure::new("this unflake does not break on request")
        .hint("use a debug build, or one with the feature `faults`"))
}

/// What one fault did.
struct One {
    problems: Vec<String>,
    /// What was to be killed was there.
    has_struck: bool,
}

fn one(asked: &Asked, folder: &Path, broken: &Broken, kinds: &str, whole: &Checked) -> Outcome<One> {
    // All our processes know the store's name.
    let store = folder.with_extension("store").display().to_string();
    let plain = quick(&asked.program);
    let program = match broken {
        Broken::Killed(..) => plain,
        Broken::Agent(what, event) => plain.env("UNFLAKE_FAULT", format!("{what}:{event}")),
        Broken::Disk(size) => quick(Path::new("unshare"))
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                ON_SMALL_DISK,
                "sh",
            ])
            .args([&store, &size.to_string()])
            .arg(&asked.program),
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let killer = match broken {
        Broken::Killed(whom, signal, after) => {
            Some(kill(*whom, signal, *after, store.clone(), Arc::clone(&is_over)))
        }
        Broken::Agent(..) | Broken::Disk(_) => None,
    };
    let checked = asked.check_with(program, folder, &["--seed", "7", "--only", kinds], LIMIT);
    is_over.store(true, Ordering::Relaxed);
    let has_struck = match killer {
        Some(killer) => killer.join().map_err(|_| Failure::new("nobody was killed"))??,
        None => true,
    };
    let problems = problems(asked, folder, broken, whole, &checked)?;
    Ok(One { problems, has_struck })
}

/// What is wrong after one fault.
fn problems(
    asked: &Asked,
    folder: &Path,
    broken: &Broken,
    whole: &Checked,
    checked: &Outcome<Checked>,
) -> Outcome<Vec<String>> {
    let store = folder.with_extension("store").display().to_string();
    let mut wrong = Vec::new();
    let may_end_without = matches!(broken, Broken::Killed(Whom::Unflake, ..) | Broken::Disk(_));
    match checked {
        Ok(checked) => {
            let is_partial = checked.document["summary"]["partial"] == true;
            if !is_partial && (checked.findings(), checked.states()) != (whole.findings(), whole.states()) {
                wrong.push(format!(
                    "another result, and not partial: {:?} {:?}",
                    checked.findings(),
                    checked.states()
                ));
            }
            if checked.ended.output.contains("the store cannot be read") {
                wrong.push(checked.ended.output.clone());
            }
        }
        Err(failure) if !may_end_without => wrong.push(failure.to_string()),
        Err(failure)
            if matches!(broken, Broken::Disk(_)) && !failure.to_string().contains("with exit status: 3") =>
        {
            wrong.push(failure.to_string());
        }
        Err(_) => {}
    }
    wrong.extend(left_behind(&store)?);
    let runs = Program::new(&asked.program)
        .args(["runs", "--store", &store, "-C"])
        .arg(folder)
        .run()?;
    if !runs.status.success() {
        wrong.push(format!("the store cannot be read: {}", runs.output));
    }
    Ok(wrong)
}

/// Kills one of them at that moment or, if there is none, as soon as there is; whether there ever was.
fn kill(
    whom: Whom,
    signal: &'static str,
    after: Duration,
    store: String,
    is_over: Arc<AtomicBool>,
) -> std::thread::JoinHandle<Outcome<bool>> {
    std::thread::spawn(move || {
        std::thread::sleep(after);
        while !is_over.load(Ordering::Relaxed) {
            let all = processes::knowing(&store)?;
            if let Some(process) = all.iter().find(|process| whom.is(process)) {
                process.signal(signal)?;
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    })
}

/// JVMs that are still there some seconds later, the build's own among them; they are ended.
fn left_behind(store: &str) -> Outcome<Option<String>> {
    let end = Instant::now() + Duration::from_secs(3);
    loop {
        let mut left = processes::knowing(store)?;
        left.retain(|process| process.is("java") || Whom::Launcher.is(process));
        if left.is_empty() {
            return Ok(None);
        }
        if Instant::now() > end {
            left.iter().try_for_each(|process| process.signal("KILL"))?;
            return Ok(Some("a JVM is left".to_owned()));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Numbers from 0 to 1, the same each time (Knuth's MMIX constants).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}
