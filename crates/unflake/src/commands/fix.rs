//! `unflake fix`: repairs findings, proves the repairs, and shows them as patches or applies them (R1 to R8).

use crate::args::{FixArgs, Format, FormatArg};
use crate::exit::ExitCode;
use crate::output;
use crate::progress::ProgressDisplay;
use crate::settings::{FixSettings, Screen};
use crate::surroundings::surroundings;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use unflake_check::{
    Checked, Problem, RepairOptions, Repairs, StoredRun, Surroundings, Workplace, check, problem, repair,
};
use unflake_findings::{Document, Finding, FindingKind, RepairStatus};
use unflake_project::Build;

pub(crate) fn run(args: FixArgs, screen: Screen) -> Result<ExitCode, Problem> {
    let settings = FixSettings::resolve(args, screen)?;
    if settings.apply && !settings.allow_dirty {
        require_clean(&settings.place.project)?;
    }
    if settings.interactive && !io::stdin().is_terminal() {
        return Err(problem!(Usage, "`--interactive` needs a terminal to ask on")
            .hint("without it, `unflake fix` shows the patches, and `--apply` writes them"));
    }
    let (surroundings, interrupt) = surroundings(&settings.place.store)?;
    let progress = ProgressDisplay::new(&settings.screen);
    let stored = fresh_run(&settings, &surroundings, &progress)?;
    if let Some(code) = interrupt.exit_code() {
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
    let Repairs { document, files } = repair(&stored, &which, &named, options, &workplace, &progress);
    progress.finish();
    surroundings.children.end_all();
    if let Some(code) = interrupt.exit_code() {
        return Ok(code);
    }
    stored.run.update(&document)?;
    let patches = write_patches(&stored, &document)?;
    let findings: Vec<&Finding> = which.iter().map(|index| &document.findings[*index]).collect();
    write(&document, &findings, &settings)?;
    finish(&files, &patches, &settings)?;
    let is_repaired = |finding: &&Finding| finding.repair().status == RepairStatus::Repaired;
    Ok(if findings.iter().all(is_repaired) {
        ExitCode::Clean
    } else {
        ExitCode::Findings
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
        && !stored.document.summary.partial
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

/// Indices of the findings to repair, and those among them that the user named.
fn chosen(stored: &StoredRun, settings: &FixSettings) -> Result<(Vec<usize>, BTreeSet<usize>), Problem> {
    let findings = &stored.document.findings;
    if settings.findings.is_empty() {
        let is_one = |index: &usize| {
            let finding = &findings[*index];
            finding.kind() == FindingKind::ImplementationDependent && finding.suppressed.is_none()
        };
        return Ok(((0..findings.len()).filter(is_one).collect(), BTreeSet::new()));
    }
    let hint = "there is nothing to repair; `unflake check` with more `--rounds` may find something";
    let which = super::findings_named(stored, &settings.findings, &settings.place.project, hint)?;
    Ok((which.iter().copied().collect(), which))
}

/// Applying patches must not mix with changes that nobody has committed.
fn require_clean(project: &Path) -> Result<(), Problem> {
    let hint = "commit or stash them, or use `--allow-dirty`";
    let status = unflake_runner::command("git", project)
        .args(["status", "--porcelain"])
        .output();
    match status {
        Ok(status) if status.status.success() && status.stdout.is_empty() => Ok(()),
        Ok(status) if status.status.success() => Err(problem!(
            Usage,
            "`{}` has changes that are not committed",
            project.display()
        )
        .hint(hint)),
        _ => Err(
            problem!(Usage, "`{}` is not under version control", project.display())
                .hint("`--allow-dirty` applies patches all the same"),
        ),
    }
}

/// Keeps each chosen patch in the store, with its texts for maintainers. Gives the files of the patches.
fn write_patches(stored: &StoredRun, document: &Document) -> Result<Vec<PathBuf>, Problem> {
    let mut paths = Vec::new();
    for group in &document.repairs {
        let Some(candidate) = group.chosen.map(|chosen| &group.candidates[chosen]) else {
            continue;
        };
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
    for FormatArg { format, file } in &settings.formats {
        let text = match format {
            Format::Text => unflake_report::repairs_text(document, findings, settings.screen.verbose > 0),
            Format::Json => unflake_report::json(document),
        };
        let hint = "the patches are stored anyway: name another file with `--format`";
        output::write(&text, file.as_deref(), hint)?;
    }
    Ok(())
}

/// Applies what is wanted, and says what to do otherwise.
fn finish(
    files: &BTreeMap<String, (Vec<u8>, Vec<u8>)>,
    patches: &[PathBuf],
    settings: &FixSettings,
) -> Result<(), Problem> {
    if files.is_empty() {
        return Ok(());
    }
    let say = |sentence: &str| {
        if !settings.screen.quiet {
            // On standard error, like all talk; a reader who is gone does not matter.
            let _ = writeln!(anstream::stderr(), "{sentence}");
        }
    };
    if settings.apply || settings.interactive && asked(files.len())? {
        apply(files, &settings.place.project)?;
        say(&format!(
            "changed {}",
            unflake_report::plural(files.len(), "file")
        ));
        return Ok(());
    }
    say("nothing was changed; `unflake fix --apply` writes the patches into the project");
    let folder = patches.first().and_then(|patch| patch.parent());
    if let Some(folder) = folder {
        say(&format!(
            "patches, commit messages and texts for pull requests are in `{}`",
            folder.display()
        ));
    }
    Ok(())
}

/// Whether the user wants the patches.
fn asked(files: usize) -> Result<bool, Problem> {
    let mut out = anstream::stderr();
    let question = format!(
        "apply these patches to {}? [y/N] ",
        unflake_report::plural(files, "file")
    );
    let mut answer = String::new();
    let read = out
        .write_all(question.as_bytes())
        .and_then(|()| out.flush())
        .and_then(|()| io::stdin().lock().read_line(&mut answer));
    read.map_err(|error| problem!(CannotWork, "cannot ask on the terminal").cause(error))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Writes all files, or none: each is written beside its place first.
fn apply(files: &BTreeMap<String, (Vec<u8>, Vec<u8>)>, project: &Path) -> Result<(), Problem> {
    let cannot = |path: &Path, error: io::Error| {
        problem!(CannotWork, "cannot write `{}`", path.display())
            .cause(error)
            .hint("nothing was changed; `unflake fix` shows the patches without applying them")
    };
    let mut written: Vec<(PathBuf, PathBuf)> = Vec::new();
    let result = files.iter().try_for_each(|(path, (old, new))| {
        let place = project.join(path);
        let now = fs::read(&place).map_err(|error| cannot(&place, error))?;
        if now != *old {
            return Err(problem!(CannotWork, "`{path}` was changed while it was repaired")
                .hint("nothing was changed; run `unflake fix` again"));
        }
        let metadata = fs::metadata(&place).map_err(|error| cannot(&place, error))?;
        if metadata.permissions().readonly() {
            return Err(cannot(&place, io::ErrorKind::PermissionDenied.into()));
        }
        let beside = place.with_extension("java.unflake");
        written.push((beside.clone(), place.clone()));
        fs::write(&beside, new).map_err(|error| cannot(&beside, error))?;
        fs::set_permissions(&beside, metadata.permissions()).map_err(|error| cannot(&beside, error))
    });
    if let Err(problem) = result {
        for (beside, _) in written {
            // It may not have been written at all.
            let _ = fs::remove_file(beside);
        }
        return Err(problem);
    }
    for (beside, place) in written {
        fs::rename(&beside, &place).map_err(|error| cannot(&place, error))?;
    }
    Ok(())
}
