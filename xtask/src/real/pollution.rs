//! `cargo xtask bench pollution`: what it costs to watch shared state. The tests of real projects run in the same JVMs
//! without and with capture, one pass after the other; then a walk is measured against the size of the heap.

use super::chosen;
use super::maven::Checkout;
use super::projects::{MORE, PROJECTS};
use crate::args::Args;
use crate::heap_size;
use crate::jdks::Jdk;
use crate::measured::{self, Capture, Pass, median_of};
use crate::{Failure, Outcome, print, say};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const USAGE: &str = "cargo xtask bench pollution [PROJECT…] [--project DIR]… [--java HOME] [--dir DIR] [--times N] \
                     [--capture whole,files,eager,all-roots] [--only projects,heap] [--references N] [--unflake PROGRAM]";

/// What is to be done.
struct Plan {
    java: Jdk,
    dir: PathBuf,
    program: PathBuf,
    times: usize,
    /// Nothing first: the others are compared with it.
    captures: Vec<Capture>,
}

pub(crate) fn run(args: Vec<String>) -> Outcome<()> {
    let mut args = Args::new(args, USAGE);
    let (java, dir) = super::place(&mut args, USAGE)?;
    let steps = args
        .value("--only")?
        .unwrap_or_else(|| "projects,heap".to_owned());
    let steps: Vec<&str> = steps.split(',').collect();
    if let Some(step) = steps.iter().find(|step| !["projects", "heap"].contains(step)) {
        let message = format!("unknown step `{step}`; use one of projects, heap");
        return Err(Failure::usage(message, USAGE));
    }
    let (times, most) = (
        args.number("--times", 3)?,
        args.number("--references", 10_000_000)?,
    );
    let captures = captures(args.value("--capture")?.as_deref())?;
    let checkouts = args.paths("--project")?;
    let program = match args.value("--unflake")? {
        Some(program) => PathBuf::from(program),
        None => super::build_unflake()?,
    };
    let names = args.rest()?;
    let plan = Plan {
        java,
        dir,
        program,
        times,
        captures,
    };
    let mut report = String::new();
    if steps.contains(&"projects") {
        // Who names directories and no projects means these alone.
        let known = if names.is_empty() && !checkouts.is_empty() {
            Vec::new()
        } else {
            chosen(&names, PROJECTS.iter().chain(&MORE).collect(), USAGE)?
        };
        let mut all = Vec::new();
        for project in known {
            let checkout = Checkout::new(project, &plan.java, &plan.dir);
            if !checkout.is_ready() {
                say(format!("{}: putting it together", checkout.name()));
                checkout.prepare()?;
            }
            all.push((
                project.name().to_owned(),
                plan.measure(project.name(), &checkout.dir())?,
            ));
        }
        for dir in checkouts {
            let name = name_of(&dir);
            let passes = plan.measure(&name, &dir)?;
            all.push((name, passes));
        }
        report.push_str(&tables(&all, &plan.captures));
        write(&plan.dir.join("pollution.md"), &report)?;
    }
    if steps.contains(&"heap") {
        let table = heap_size::table(&heap_size::Plan {
            java: &plan.java,
            dir: &plan.dir,
            program: &plan.program,
            times: plan.times,
            most,
        })?;
        write(&plan.dir.join("heap.md"), &table)?;
        report.push_str(&table);
    }
    print(report);
    Ok(())
}

fn captures(given: Option<&str>) -> Outcome<Vec<Capture>> {
    let names = given.unwrap_or("whole,files,eager,all-roots").split(',');
    let others = names.map(|name| {
        Capture::named(name)
            .filter(|capture| *capture != Capture::None)
            .ok_or_else(|| Failure::usage(format!("unknown capture `{name}`"), USAGE))
    });
    std::iter::once(Ok(Capture::None)).chain(others).collect()
}

/// The last part of the path says little if it is that of a module; then the one above too.
fn name_of(dir: &Path) -> String {
    let parts: Vec<_> = dir
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    match parts.as_slice() {
        [.., above, module] if module == "lib" => format!("{above}/{module}"),
        [.., last] => last.to_string(),
        [] => String::new(),
    }
}

fn write(file: &Path, text: &str) -> Outcome<()> {
    fs::write(file, text).map_err(|e| Failure::io("cannot write", file, &e))
}

impl Plan {
    fn measure(&self, name: &str, project: &Path) -> Outcome<Vec<Pass>> {
        say(format!("{name}: {} passes", self.times * self.captures.len()));
        let mut build_arguments = vec!["-B", "-o"];
        build_arguments.extend(Checkout::properties());
        let file = name.replace('/', "-");
        let passes = measured::run(&measured::Request {
            program: &self.program,
            project,
            java: &self.java,
            store: &self.dir.join(format!("{file}-pollution.store")),
            log: &self.dir.join(format!("logs/{file}-pollution.log")),
            captures: &self.captures,
            times: self.times,
            options: &[],
            build_arguments: &build_arguments,
        })?;
        for capture in &self.captures {
            let compared = Compared::new(&passes, *capture);
            say(format!(
                "  {capture}: {:.2} s, {:.2} ×",
                compared.seconds, compared.ratio
            ));
        }
        Ok(passes)
    }
}

/// The passes with one capture beside those without any; medians.
struct Compared {
    without: f64,
    seconds: f64,
    ratio: f64,
    busy: f64,
    memory: f64,
    /// Processor time beyond that without capture.
    more_busy: f64,
    walks: f64,
}

impl Compared {
    fn new(passes: &[Pass], capture: Capture) -> Compared {
        let of = |capture, figure: fn(&Pass) -> f64| median_of(passes, capture, figure).unwrap_or(f64::NAN);
        let both = |figure| (of(Capture::None, figure), of(capture, figure));
        let (without, seconds) = both(|pass| pass.seconds);
        let (busy_without, busy) = both(Pass::busy_seconds);
        let (memory_without, memory) = both(Pass::peak_memory);
        Compared {
            without,
            seconds,
            ratio: seconds / without,
            busy: busy / busy_without,
            memory: memory / memory_without,
            more_busy: busy - busy_without,
            walks: of(capture, Pass::walk_seconds),
        }
    }
}

/// One table per capture, with the geometric mean and the largest below it.
fn tables(all: &[(String, Vec<Pass>)], captures: &[Capture]) -> String {
    let mut out = String::new();
    for capture in captures.iter().filter(|capture| **capture != Capture::None) {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "Captured: {capture}\n\n\
             | project | tests | static fields loaded | watched | references | without s | with s | × | processor × | peak memory × | walks s | bytes per reference |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|\n"
        );
        let rows: Vec<(&str, Compared)> = all
            .iter()
            .map(|(name, passes)| (name.as_str(), Compared::new(passes, *capture)))
            .collect();
        for ((_, passes), (name, compared)) in all.iter().zip(&rows) {
            out.push_str(&row(name, passes, *capture, compared));
        }
        out.push_str(&summary(&rows));
    }
    out
}

fn row(name: &str, passes: &[Pass], capture: Capture, compared: &Compared) -> String {
    let Some(pass) = passes.iter().find(|pass| pass.capture == capture) else {
        return String::new();
    };
    let largest = pass.heaps().max_by_key(|heap| heap.references);
    let (roots, references, held) =
        largest.map_or((0, 0, 0), |heap| (heap.roots, heap.references, heap.held));
    format!(
        "| {name} | {} | {} | {roots} | {references} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} |\n",
        pass.tests,
        pass.jvms.iter().map(|jvm| jvm.static_fields).max().unwrap_or(0),
        compared.without,
        compared.seconds,
        compared.ratio,
        compared.busy,
        compared.memory,
        compared.walks,
        held as f64 / references.max(1) as f64,
    )
}

/// The geometric means, and which project is the worst.
fn summary(rows: &[(&str, Compared)]) -> String {
    let Some((name, worst)) = rows.iter().max_by(|(_, a), (_, b)| a.ratio.total_cmp(&b.ratio)) else {
        return String::new();
    };
    let mean = |figure: fn(&Compared) -> f64| {
        let sum: f64 = rows.iter().map(|(_, compared)| figure(compared).ln()).sum();
        (sum / rows.len() as f64).exp()
    };
    format!(
        "\nGeometric mean {:.2} ×, of processor time {:.2} ×, of peak memory {:.2} ×. The largest is {name} with {:.2} ×: \
         {:.2} s more on the clock, {:.2} s more of processor time; its walks took {:.2} s on the clocks of its JVMs.\n\n",
        mean(|compared| compared.ratio),
        mean(|compared| compared.busy),
        mean(|compared| compared.memory),
        worst.ratio,
        worst.seconds - worst.without,
        worst.more_busy,
        worst.walks,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::{HeapMeasured, Measured};

    fn pass(capture: Capture, seconds: f64) -> Pass {
        let heap = HeapMeasured {
            roots: 7,
            walks: 10,
            nanos: 500_000_000,
            fastest_nanos: 1,
            objects: 50,
            references: 100,
            held: 1200,
            most_held: 1200,
        };
        let jvm = Measured {
            busy_nanos: (seconds * 1e9) as u64,
            peak_memory: 100,
            static_fields: 5000,
            heap: (capture != Capture::None).then_some(heap),
        };
        Pass {
            capture,
            tests: 20,
            seconds,
            jvms: vec![jvm],
        }
    }

    #[test]
    fn medians_are_compared_and_the_largest_is_named() {
        let passes = |with: f64| {
            vec![
                pass(Capture::None, 2.0),
                pass(Capture::Whole, with),
                pass(Capture::None, 2.0),
            ]
        };
        let all = [("a".to_owned(), passes(2.0)), ("b".to_owned(), passes(8.0))];
        let text = tables(&all, &[Capture::None, Capture::Whole]);
        assert!(
            text.contains("| b | 20 | 5000 | 7 | 100 | 2.00 | 8.00 | 4.00 | 4.00 | 1.00 | 0.50 | 12.0 |"),
            "{text}"
        );
        assert!(text.contains("Geometric mean 2.00 ×"), "{text}");
        assert!(
            text.contains("The largest is b with 4.00 ×: 6.00 s more"),
            "{text}"
        );
    }

    #[test]
    fn nothing_is_always_measured() {
        assert_eq!(captures(Some("eager")).unwrap(), [Capture::None, Capture::Eager]);
        assert!(captures(Some("none")).is_err());
    }

    #[test]
    fn a_module_is_named_with_its_project() {
        assert_eq!(name_of(Path::new("/x/http-request/lib")), "http-request/lib");
        assert_eq!(name_of(Path::new("/x/visualee")), "visualee");
    }
}
