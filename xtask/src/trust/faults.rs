//! What happens when unflake itself, or one of its JVMs, is killed at a moment that nobody chose: no JVM is left behind,
//! the store can be read, and a report that was written is right or says that it is partial.

use super::{Asked, Checked};
use crate::process::Program;
use crate::{Failure, Outcome, print, say};
use std::path::Path;
use std::time::{Duration, Instant};

const TIMES: usize = 40;
const LIMIT: Duration = Duration::from_secs(600);

/// Who is killed, and how.
const ENDS: [(&str, &str); 4] = [
    ("unflake", "TERM"),
    ("unflake", "INT"),
    ("unflake", "KILL"),
    ("a worker", "KILL"),
];

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
    let mut draw = Draw(20_261_116);
    let times = if asked.times == 0 { TIMES } else { asked.times };
    let mut wrong = 0;
    for n in 0..times {
        let (whom, signal) = ENDS[n % ENDS.len()];
        let after = Duration::from_secs_f64(whole.ended.seconds * draw.next());
        let said = one(asked, &folder, whom, signal, after, &whole)?;
        say(format!(
            "{whom} got {signal} after {:.1} s: {}",
            after.as_secs_f64(),
            if said.is_empty() {
                "right".to_owned()
            } else {
                said.join("; ")
            }
        ));
        wrong += said.len();
    }
    print(format!(
        "{times} times killed at random moments: {wrong} problems"
    ));
    if wrong > 0 {
        return Err(Failure::new("a death was not survived"));
    }
    Ok(())
}

/// What is wrong after one death.
fn one(
    asked: &Asked,
    folder: &Path,
    whom: &str,
    signal: &str,
    after: Duration,
    whole: &Checked,
) -> Outcome<Vec<String>> {
    // Found by the store's name, which all our processes have among their arguments.
    let store = folder.with_extension("store").display().to_string();
    let pattern = match whom {
        "unflake" => format!("unflake check .*{store}"),
        _ => format!("java .*{store}.*worker="),
    };
    let killer = std::thread::spawn({
        let signal = format!("-{signal}");
        move || {
            std::thread::sleep(after);
            Program::new("pkill")
                .arg(signal)
                .args(["-o", "-f"])
                .arg(pattern)
                .run()
        }
    });
    let checked = asked.check(folder, &["--seed", "7"], LIMIT);
    let _ = killer.join();
    let mut wrong = Vec::new();
    if let Ok(checked) = &checked {
        let is_partial = checked.document["summary"]["partial"] == true;
        if !is_partial && checked.findings() != whole.findings() {
            wrong.push("another result, and not partial".to_owned());
        }
    } else if whom != "unflake" {
        wrong.push("no report".to_owned());
    }
    let end = Instant::now() + Duration::from_secs(3);
    let left = || {
        Program::new("pgrep")
            .args(["-f"])
            .arg(format!("java .*{store}"))
            .run()
    };
    while left()?.status.success() {
        if Instant::now() > end {
            wrong.push("a JVM is left".to_owned());
            let _ = Program::new("pkill")
                .args(["-KILL", "-f"])
                .arg(format!("java .*{store}"))
                .run();
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let runs = Program::new(&asked.program)
        .args(["runs", "--store"])
        .arg(&store)
        .arg("-C")
        .arg(folder)
        .run()?;
    if !runs.status.success() {
        wrong.push(format!("the store cannot be read: {}", runs.output));
    }
    Ok(wrong)
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
