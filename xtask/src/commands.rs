//! The commands by name, each with one line that says what it is for.

use crate::{
    Failure, Outcome, conformance, coverage, jmh, marks, matrix, models, mutants, nightly, real, same_seed,
    trust,
};

/// One command.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(Vec<String>) -> Outcome<()>,
}

const COMMANDS: [Command; 10] = [
    Command {
        name: "bench",
        about: "measure: `bench real` beside NonDex on four projects, `bench explain` causes and exploration there, `bench jmh` the cost of a choice, `bench pollution` that of watching shared state, `bench repair` how many tests `fix` repairs",
        run: bench,
    },
    Command {
        name: "conformance",
        about: "guava-testlib's suites over the JDK's collections, varied at every level",
        run: conformance::run,
    },
    Command {
        name: "coverage",
        about: "which lines of the engine and of the searches their own tests run, none of which starts a JVM",
        run: coverage::run,
    },
    Command {
        name: "marks",
        about: "count the marks of harmless changes in JSON documents of `unflake check --only pollution`",
        run: marks::run,
    },
    Command {
        name: "matrix",
        about: "all five JDKs: thesis tables 2.1 and 2.2, the agent's tests, conformance",
        run: matrix::run,
    },
    Command {
        name: "models",
        about: "`models docs` writes docs/models.md anew, `models candidates` looks for APIs without a model",
        run: |args| models::run(&args).map_err(Failure::new),
    },
    Command {
        name: "mutants",
        about: "turn every decision of a crate around, one at a time, and name those that none of its tests notices",
        run: mutants::run,
    },
    Command {
        name: "nightly",
        about: "what takes too long for every push: the whole matrix, the suites of `trust`, `same-seed`, tests that are left out",
        run: nightly::run,
    },
    Command {
        name: "same-seed",
        about: "check a project twice with one seed and compare the JSON byte by byte",
        run: same_seed::run,
    },
    Command {
        name: "trust",
        about: "suites that try to make unflake say something untrue: `trust chance`, `trust hostile`, `trust servers`, `trust faults`",
        run: trust::run,
    },
];

/// What `cargo xtask` alone prints.
pub fn list() -> String {
    let lines: Vec<String> = COMMANDS
        .iter()
        .map(|c| format!("  {:<12} {}", c.name, c.about))
        .collect();
    format!("cargo xtask COMMAND [ARGUMENTS]\n\n{}", lines.join("\n"))
}

/// Runs the command of this name.
pub fn run(name: &str, args: Vec<String>) -> Outcome<()> {
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(args),
        None => {
            let known: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
            Err(Failure::usage(
                format!("unknown command `{name}`; use one of {}", known.join(", ")),
                "cargo xtask COMMAND [ARGUMENTS]",
            ))
        }
    }
}

fn bench(args: Vec<String>) -> Outcome<()> {
    let mut args = args.into_iter();
    match args.next().as_deref() {
        Some("real") => real::run(args.collect()),
        Some("jmh") => jmh::run(args.collect()),
        Some("explain") => real::explain::run(args.collect()),
        Some("pollution") => real::pollution::run(args.collect()),
        Some("repair") => real::repair::run(args.collect()),
        _ => Err(Failure::usage(
            "`bench` is `bench real`, `bench explain`, `bench jmh`, `bench pollution` or `bench repair`",
            "cargo xtask bench real|explain|jmh|pollution|repair [ARGUMENTS]",
        )),
    }
}
