//! `unflake fix`: repairs findings, proves the repairs, and shows them as patches or applies them (R1 to R8).

mod apply;
mod ask;

use crate::args::{FixArgs, Format, FormatArg};
use crate::exit::ExitCode;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::{FixSettings, Screen};
use crate::surroundings::surroundings;
use apply::{apply, require_clean};
use ask::{Shown, ask, typed};
use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use unflake_check::{
    Checked, Problem, RepairOptions, Repairs, StoredRun, Surroundings, Wanted, Workplace, check, problem,
    repair,
};
use unflake_findings::{Details, Document, Finding, Note, NoteKind, RepairGroup, RepairStatus, Safety};
use unflake_project::Build;

pub(crate) fn run(args: FixArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = FixSettings::resolve(args, screen)?;
    if settings.interactive && !io::stdin().is_terminal() {
        return Err(problem!(Usage, "`--interactive` needs a terminal to ask on")
            .hint("without it, `unflake fix` shows the patches, and `--apply` writes them"));
    }
    if (settings.apply || settings.interactive) && !settings.allow_dirty {
        require_clean(&settings.place.project)?;
    }
    let (surroundings, interrupt) = surroundings(&settings.place.store)?;
    let progress = ProgressDisplay::new(&settings.screen);
    let stored = fresh_run(&settings, &surroundings, &progress)?;
    if let Some(code) = interrupt.exit_code() {
        progress.finish();
        say(
            &settings,
            "interrupted before anything was repaired; the check is stored as partial",
        );
        return Ok(code);
    }
    let (which, named) = chosen(&stored, &settings)?;
    let path = std::env::var_os("PATH");
    let workplace = Workplace {
        surroundings: &surroundings,
        runner: &surroundings.runner,
        java_home: settings.place.java.as_deref(),
        path: path.as_deref(),
    };
    let options = RepairOptions {
        jobs: settings.jobs.get(),
        seed: stored.document.summary.seed,
        all: settings.all,
        safety: settings.safety,
        by: settings.by,
    };
    let mut patches = Vec::new();
    let mut choose = |document: &Document| {
        // Before anybody is asked: what was proved must not be lost.
        stored.run.update(document)?;
        patches = write_patches(&stored, document)?;
        if !settings.interactive || interrupt.cancel.is_cancelled() {
            return Ok(Wanted::All);
        }
        progress.finish();
        asked(document, &settings, &interrupt)
    };
    let repairs = repair(
        &stored,
        &which,
        &named,
        options,
        &workplace,
        &progress,
        &mut choose,
    )?;
    progress.finish();
    surroundings.children.end_all();
    let interrupted = interrupt.exit_code();
    let mut document = repairs.document.clone();
    // The stored one is about the check, which may be complete.
    document.summary.partial |= interrupted.is_some();
    if let Some(why) = &repairs.fails_anyway {
        let message =
            format!("the project's own build fails without any patch too, so it has not judged them: {why}");
        say(&settings, &format!("warning: {message}"));
        document.notes.push(Note {
            kind: NoteKind::Other,
            message,
        });
    }
    let findings: Vec<&Finding> = which.iter().map(|index| &document.findings[*index]).collect();
    write(&document, &findings, &settings)?;
    if let Some(code) = interrupted {
        say(&settings, "interrupted; nothing was changed");
        return Ok(code);
    }
    finish(&repairs, &patches, &settings, &interrupt)?;
    let is_repaired = |finding: &&Finding| finding.repair().status == RepairStatus::Repaired;
    Ok(
        if findings.iter().all(is_repaired) && repairs.left_out.is_empty() {
            ExitCode::Clean
        } else {
            ExitCode::Findings
        },
    )
}

/// Which of the proved patches the user wants.
fn asked(document: &Document, settings: &FixSettings, interrupt: &Interrupt) -> Result<Wanted, Problem> {
    let shown = |group: &RepairGroup| {
        let candidate = &group.candidates[group.chosen?];
        let text = unflake_report::patch_text(document, candidate, settings.screen.verbose > 0);
        let id = group.id.clone();
        Some(Shown { id, text })
    };
    let patches: Vec<Shown> = document.repairs.iter().filter_map(shown).collect();
    let wanted = ask(&patches, &mut anstream::stderr(), typed(&interrupt.cancel))
        .map_err(|error| problem!(CannotWork, "cannot ask on the terminal").cause(error))?;
    Ok(if interrupt.cancel.is_cancelled() {
        Wanted::Only(BTreeSet::new())
    } else {
        Wanted::Only(wanted)
    })
}

/// The latest run if its classes are still those of the project, else that of a check that runs now.
fn fresh_run(
    settings: &FixSettings,
    surroundings: &Surroundings,
    progress: &ProgressDisplay,
) -> Result<StoredRun, Problem> {
    let wanted = settings.findings.first().map(String::as_str);
    let open = || StoredRun::open(&settings.place, wanted, surroundings);
    if let Ok(stored) = open()
        && stored.is_fresh
        && is_usable(&stored.document)
    {
        return Ok(stored);
    }
    let build = Build::find(&settings.place.project, std::env::var_os("PATH").as_deref())
        .map_err(|error| problem!(CannotWork, "{error}").hint(error.hint()))?;
    crate::jdk::require(settings.place.java.as_deref())?;
    match check(&settings.check, &build, surroundings, progress)? {
        Checked::Document(_) => open(),
        Checked::Measured(_) => Err(problem!(
            Bug,
            "a check that was to be repaired measured something"
        )),
    }
}

/// A run that ended early may lack findings. Where the search for victims was cut short by its time, those that it found
/// are proved all the same, and nothing but a longer search finds more.
fn is_usable(document: &Document) -> bool {
    let is_about_order =
        |finding: &Finding| matches!(finding.details, Details::Polluter(_) | Details::Victim(_));
    !document.summary.partial || document.findings.iter().any(is_about_order)
}

/// Indices of the findings to repair, and those among them that the user named.
fn chosen(stored: &StoredRun, settings: &FixSettings) -> Result<(Vec<usize>, BTreeSet<usize>), Problem> {
    let findings = &stored.document.findings;
    if settings.findings.is_empty() {
        let is_one = |index: &usize| {
            let finding = &findings[*index];
            finding.suppressed.is_none() && is_repaired_unasked(finding)
        };
        return Ok(((0..findings.len()).filter(is_one).collect(), BTreeSet::new()));
    }
    let hint = "there is nothing to repair; `unflake check` with more `--rounds` may find something";
    let which = super::findings_named(stored, &settings.findings, &settings.place.project, hint)?;
    Ok((which.iter().copied().collect(), which))
}

/// What somebody suffers from: tests that fail varied, polluters with a proved victim, and victims.
fn is_repaired_unasked(finding: &Finding) -> bool {
    match &finding.details {
        Details::ImplementationDependent { .. } | Details::Victim(_) => true,
        Details::Polluter(state) => !state.victims.is_empty(),
        Details::FilePolluter(_) | Details::Brittle(_) => false,
    }
}

/// Keeps each patch in the store, with its texts for maintainers: the chosen one of a group, else the first that was
/// proved. A suggestion is no patch. Gives the files of the patches.
fn write_patches(stored: &StoredRun, document: &Document) -> Result<Vec<PathBuf>, Problem> {
    let mut paths = Vec::new();
    for group in &document.repairs {
        let Some(candidate) = group.candidates.get(group.chosen.unwrap_or(0)) else {
            continue;
        };
        if candidate.safety == Safety::Suggestion {
            continue;
        }
        let write = |end: &str, text: &str| stored.run.write_page(&format!("{}{end}", group.id), text);
        paths.push(write(".patch", &candidate.patch)?);
        write(
            "-commit.txt",
            &unflake_report::commit_message(document, candidate),
        )?;
        write(
            "-pull-request.md",
            &unflake_report::pull_request(document, candidate),
        )?;
    }
    Ok(paths)
}

fn write(document: &Document, findings: &[&Finding], settings: &FixSettings) -> Result<(), Problem> {
    let verbose = settings.screen.verbose > 0;
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            // Whoever was asked has seen the patches.
            Format::Text if settings.interactive && file.is_none() => {
                unflake_report::repairs_summary(document, findings, verbose)
            }
            Format::Text => unflake_report::repairs_text(document, findings, verbose),
            Format::Json => unflake_report::json(document),
        };
        let hint = "the patches are stored anyway: name another file with `--format`";
        output::write(&text, file.as_deref(), hint)?;
    }
    Ok(())
}

/// Applies what is wanted, and says what to do otherwise.
fn finish(
    repairs: &Repairs,
    patches: &[PathBuf],
    settings: &FixSettings,
    interrupt: &Interrupt,
) -> Result<(), Problem> {
    for (id, why) in &repairs.left_out {
        say(
            settings,
            &format!("the patch `{id}` is not written: without the others, {why}"),
        );
    }
    if !repairs.files.is_empty() && (settings.apply || settings.interactive) {
        interrupt.undisturbed(|| apply(&repairs.files, &settings.place.project))?;
        let files = unflake_report::plural(repairs.files.len(), "file");
        say(settings, &format!("changed {files}"));
        return Ok(());
    }
    let is_chosen = |group: &RepairGroup| group.chosen.is_some();
    if !repairs.document.repairs.iter().any(is_chosen) {
        return Ok(());
    }
    say(
        settings,
        "nothing was changed; `unflake fix --apply` writes the patches into the project",
    );
    if let Some(folder) = patches.first().and_then(|patch| patch.parent()) {
        say(
            settings,
            &format!(
                "patches, commit messages and texts for pull requests are in `{}`",
                folder.display()
            ),
        );
    }
    Ok(())
}

/// On standard error, like all talk; a reader who is gone does not matter.
fn say(settings: &FixSettings, sentence: &str) {
    if !settings.screen.quiet {
        let _ = writeln!(anstream::stderr(), "{sentence}");
    }
}
