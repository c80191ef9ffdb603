//! `cargo xtask models …`: the page about models, and the search for candidates (N3).
//!
//! ```text
//! cargo xtask models docs                                        write docs/models.md anew
//! cargo xtask models candidates [--java HOME] [--sources ZIP]    what a JDK has that is neither modelled nor refused
//!                               [--refused] [--all]              also what was refused, and why; also what is modelled
//! ```
//!
//! Without `--java` or `--sources` every JDK that is found here and has its sources is looked through.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use unflake_models::sources::{Candidates, JdkSources, find_jdk_sources};
use unflake_models::{REFUSALS, Refusal};

const USAGE: &str =
    "usage: cargo xtask models docs | candidates [--java HOME | --sources ZIP]... [--refused] [--all]";

/// Runs one of the commands above.
pub fn run(args: &[String]) -> Result<(), String> {
    match args.split_first() {
        Some((command, [])) if command == "docs" => docs(),
        Some((command, rest)) if command == "candidates" => candidates(&Options::read(rest)?),
        _ => Err(USAGE.to_owned()),
    }
}

fn docs() -> Result<(), String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/models.md");
    std::fs::write(&page, unflake_models::markdown())
        .map_err(|error| format!("cannot write `{}`: {error}", page.display()))
}

#[derive(Default)]
struct Options {
    sources: Vec<PathBuf>,
    /// No JDK was named: all that are here are looked through.
    every_jdk: bool,
    refused: bool,
    modelled: bool,
}

impl Options {
    fn read(args: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--refused" => options.refused = true,
                "--all" => (options.refused, options.modelled) = (true, true),
                "--sources" => options.sources.push(args.next().ok_or(USAGE)?.into()),
                "--java" => options
                    .sources
                    .push(sources_of(Path::new(args.next().ok_or(USAGE)?))?),
                other => return Err(format!("unknown argument `{other}`\n{USAGE}")),
            }
        }
        if options.sources.is_empty() {
            let (found, missing) = find_jdk_sources();
            for home in missing {
                say(&format!("{}: no src.zip, left out\n", home.display()))?;
            }
            options.sources = found;
            options.every_jdk = true;
        }
        if options.sources.is_empty() {
            return Err("no JDK with sources here; give --sources ZIP".to_owned());
        }
        Ok(options)
    }
}

fn sources_of(home: &Path) -> Result<PathBuf, String> {
    [home.join("lib/src.zip"), home.join("src.zip")]
        .into_iter()
        .find(|zip| zip.is_file())
        .ok_or_else(|| {
            format!(
                "`{}` has no src.zip; Debian: install openjdk-N-source",
                home.display()
            )
        })
}

fn candidates(options: &Options) -> Result<(), String> {
    let mut unused: Vec<&Refusal> = REFUSALS.iter().collect();
    for zip in &options.sources {
        let sources =
            JdkSources::open(zip).map_err(|error| format!("cannot read `{}`: {error}", zip.display()))?;
        let found = Candidates::of(&sources);
        unused.retain(|row| found.refused.iter().all(|(_, refusal)| refusal != row));
        say(&shown(zip, &found, options))?;
    }
    // A single JDK never has everything; over all of them a row without use is one to remove.
    for row in unused.into_iter().filter(|_| options.every_jdk) {
        say(&format!(
            "unused    {} {}: nothing found here is refused by it\n",
            row.method,
            row.result.unwrap_or("")
        ))?;
    }
    Ok(())
}

fn shown(zip: &Path, found: &Candidates, options: &Options) -> String {
    let mut text = String::new();
    for candidate in &found.left {
        let _ = writeln!(
            text,
            "left      {}  {}\n          {}",
            candidate.method, candidate.result, candidate.because
        );
    }
    if options.modelled {
        for candidate in &found.modelled {
            let _ = writeln!(text, "modelled  {}  {}", candidate.method, candidate.result);
        }
    }
    if options.refused {
        let mut by_refusal = BTreeMap::<_, Vec<_>>::new();
        for (candidate, refusal) in &found.refused {
            by_refusal
                .entry((refusal.method, refusal.result, refusal.reason))
                .or_default()
                .push(candidate);
        }
        for ((method, result, reason), candidates) in by_refusal {
            let _ = writeln!(text, "refused   {method} {}: {reason}", result.unwrap_or(""));
            for candidate in candidates {
                let _ = writeln!(text, "          {}  {}", candidate.method, candidate.result);
            }
        }
    }
    let _ = writeln!(
        text,
        "{}: {} candidates: {} modelled, {} refused, {} left",
        zip.display(),
        found.modelled.len() + found.refused.len() + found.left.len(),
        found.modelled.len(),
        found.refused.len(),
        found.left.len()
    );
    text
}

fn say(text: &str) -> Result<(), String> {
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| format!("cannot write: {error}"))
}
