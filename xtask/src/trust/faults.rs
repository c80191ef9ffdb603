//! What happens when something of ours breaks at a moment that nobody chose: unflake or one of its JVMs is killed, the
//! agent panics, its connection is cut, the disk is full. No JVM is left behind, the store can be read, and a report
//! that was written is right or says that it is partial.

use super::processes::{self, Process};
use super::{Asked, Checked};
use crate::process::Program;
use crate::{Failure, Outcome, print, say};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

const TIMES: usize = 200;
const LIMIT: Duration = Duration::from_secs(600);

/// Most events that a worker tells of before a fault strikes.
const EVENTS: f64 = 60.0;
/// The most that a full disk holds; all that a check of the demo stores is less.
const DISK: f64 = 12_000_000.0;

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

pub(super) fn run(asked: &Asked) -> Outcome<()> {
    let folder = asked.folder("faults")?;
    let wrote = Program::new(&asked.program)
        .args(["demo", "--write-only"])
        .arg(&folder)
        .run()?;
    if !folder.join("pom.xml").exists() {
        return Err(Failure::new(format!("no project: {}", wrote.output)));
    }
    let whole = asked.check(&folder, &["--seed", "7"], LIMIT)?;
    takes_faults(asked, &folder)?;
    let mut draw = Draw(20_261_116);
    let times = if asked.times == 0 { TIMES } else { asked.times };
    let mut wrong = 0;
    for n in 0..times {
        let broken = Broken::draw(n, &mut draw, whole.ended.seconds);
        let said = one(asked, &folder, &broken, &whole)?;
        let shown = if said.is_empty() {
            "right".to_owned()
        } else {
            said.join("; ")
        };
        say(format!("{broken}: {shown}"));
        wrong += said.len();
    }
    print(format!(
        "{times} times something broke at a random moment: {wrong} problems"
    ));
    if wrong > 0 {
        return Err(Failure::new("not all was survived"));
    }
    Ok(())
}

/// Only debug builds break on request.
fn takes_faults(asked: &Asked, folder: &Path) -> Outcome<()> {
    let program = Program::new(&asked.program).env("UNFLAKE_FAULT", "panic:5");
    let broken = asked.check_with(program, folder, &["--seed", "7", "--only", "id"], LIMIT)?;
    if broken.ended.status.code() == Some(70) {
        return Ok(());
    }
    Err(Failure::new("this unflake does not break on request").hint("use a debug build"))
}

/// What is wrong after one fault.
fn one(asked: &Asked, folder: &Path, broken: &Broken, whole: &Checked) -> Outcome<Vec<String>> {
    // All our processes know the store's name.
    let store = folder.with_extension("store").display().to_string();
    let plain = Program::new(&asked.program);
    let program = match broken {
        Broken::Killed(..) => plain,
        Broken::Agent(what, event) => plain.env("UNFLAKE_FAULT", format!("{what}:{event}")),
        Broken::Disk(size) => Program::new("unshare")
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
    let killer = match broken {
        Broken::Killed(whom, signal, after) => Some(kill(*whom, signal, *after, store.clone())),
        Broken::Agent(..) | Broken::Disk(_) => None,
    };
    let checked = asked.check_with(program, folder, &["--seed", "7"], LIMIT);
    if let Some(killer) = killer {
        let killed = killer.join().map_err(|_| Failure::new("nobody was killed"))?;
        killed?;
    }
    let mut wrong = Vec::new();
    let may_end_without = matches!(broken, Broken::Killed(Whom::Unflake, ..) | Broken::Disk(_));
    match &checked {
        Ok(checked) => {
            let is_partial = checked.document["summary"]["partial"] == true;
            if !is_partial && checked.findings() != whole.findings() {
                wrong.push("another result, and not partial".to_owned());
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

fn kill(
    whom: Whom,
    signal: &'static str,
    after: Duration,
    store: String,
) -> std::thread::JoinHandle<Outcome<()>> {
    std::thread::spawn(move || {
        std::thread::sleep(after);
        let all = processes::knowing(&store)?;
        // At this moment there may be none.
        all.iter()
            .find(|process| whom.is(process))
            .map_or(Ok(()), |process| process.signal(signal))
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
