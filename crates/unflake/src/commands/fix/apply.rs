//! Writing patches into the project: all files, or none.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use unflake_check::{Problem, problem};

/// Old and new bytes of files, by path from the project's root.
pub(super) type Changed = BTreeMap<String, (Vec<u8>, Vec<u8>)>;

/// Gives a file another name.
type Rename<'r> = dyn Fn(&Path, &Path) -> io::Result<()> + 'r;

/// Applying patches must not mix with changes that nobody has committed.
pub(super) fn require_clean(project: &Path) -> Result<(), Problem> {
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

/// Writes all files, or none: each is written beside its place first.
pub(super) fn apply(files: &Changed, project: &Path) -> Result<(), Problem> {
    apply_with(files, project, &|from, to| fs::rename(from, to))
}

/// One file on its way.
struct Written<'f> {
    /// From the project's root.
    path: &'f str,
    place: PathBuf,
    beside: PathBuf,
    permissions: Permissions,
    old: &'f [u8],
}

fn apply_with(files: &Changed, project: &Path, rename: &Rename<'_>) -> Result<(), Problem> {
    let mut written: Vec<Written<'_>> = Vec::new();
    let result = files
        .iter()
        .try_for_each(|(path, (old, new))| write_beside(path, project, old, new, &mut written));
    if let Err(problem) = result {
        remove_beside(&written);
        return Err(problem);
    }
    for (index, one) in written.iter().enumerate() {
        if let Err(error) = rename(&one.beside, &one.place) {
            remove_beside(&written[index..]);
            let changed = take_back(&written[..index], rename);
            return Err(cannot_write(&one.place, error, &changed));
        }
    }
    Ok(())
}

/// Writes the new bytes beside the file, if it is still as it was.
fn write_beside<'f>(
    path: &'f str,
    project: &Path,
    old: &'f [u8],
    new: &[u8],
    written: &mut Vec<Written<'f>>,
) -> Result<(), Problem> {
    let place = project.join(path);
    let cannot = |error: io::Error| cannot_write(&place, error, &[]);
    // Of a link, what it leads to is changed, not the link.
    let place = place.canonicalize().map_err(cannot)?;
    let cannot = |error: io::Error| cannot_write(&place, error, &[]);
    if fs::read(&place).map_err(cannot)? != old {
        return Err(problem!(CannotWork, "`{path}` was changed while it was repaired")
            .hint("nothing was changed; run `unflake fix` again"));
    }
    let permissions = fs::metadata(&place).map_err(cannot)?.permissions();
    if permissions.readonly() {
        return Err(cannot(io::ErrorKind::PermissionDenied.into()));
    }
    let mut beside = place.clone().into_os_string();
    beside.push(".unflake");
    let beside = PathBuf::from(beside);
    written.push(Written {
        path,
        place: place.clone(),
        beside: beside.clone(),
        permissions: permissions.clone(),
        old,
    });
    fs::write(&beside, new).map_err(cannot)?;
    fs::set_permissions(&beside, permissions).map_err(cannot)
}

fn remove_beside(written: &[Written<'_>]) {
    for one in written {
        // It may not have been written at all.
        let _ = fs::remove_file(&one.beside);
    }
}

/// Gives files their old bytes back. The paths of those for which that failed.
fn take_back<'w>(written: &[Written<'w>], rename: &Rename<'_>) -> Vec<&'w str> {
    let back = |one: &Written<'_>| {
        fs::write(&one.beside, one.old)?;
        fs::set_permissions(&one.beside, one.permissions.clone())?;
        rename(&one.beside, &one.place)
    };
    let failed = written.iter().filter(|one| back(one).is_err());
    let failed: Vec<&Written<'_>> = failed.collect();
    for one in &failed {
        // It may be there or not.
        let _ = fs::remove_file(&one.beside);
    }
    failed.iter().map(|one| one.path).collect()
}

/// `changed`: files that could not be given their old bytes back.
fn cannot_write(place: &Path, error: io::Error, changed: &[&str]) -> Problem {
    let problem = problem!(CannotWork, "cannot write `{}`", place.display()).cause(error);
    if changed.is_empty() {
        return problem.hint("nothing was changed; `unflake fix` shows the patches without applying them");
    }
    let changed: Vec<String> = changed.iter().map(|path| format!("`{path}`")).collect();
    problem.hint(format!(
        "these files were changed and could not be changed back: {}",
        changed.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A project of two files, both to be changed.
    fn project() -> (tempfile::TempDir, Changed) {
        let project = tempfile::tempdir().unwrap();
        let mut files = Changed::new();
        for name in ["A.java", "B.java"] {
            fs::write(project.path().join(name), format!("old {name}")).unwrap();
            let bytes = |word: &str| format!("{word} {name}").into_bytes();
            files.insert(name.to_owned(), (bytes("old"), bytes("new")));
        }
        (project, files)
    }

    /// All that lies in a folder.
    fn contents(folder: &Path) -> String {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut texts: Vec<String> = entries.map(|path| fs::read_to_string(path).unwrap()).collect();
        texts.sort();
        texts.join(", ")
    }

    /// What is told, in one line.
    fn told(result: Result<(), Problem>, project: &Path) -> String {
        let Err(problem) = result else {
            return "done".to_owned();
        };
        let root = project.canonicalize().unwrap();
        let text = format!("{}; {}", problem.error, problem.hint.unwrap());
        text.replace(&format!("{}/", root.display()), "")
    }

    const NOTHING: &str = "nothing was changed; `unflake fix` shows the patches without applying them";

    #[test]
    fn all_files_are_written_or_none() {
        let (project, files) = project();
        let folder = project.path();
        let old = contents(folder);
        // Only the second of two cannot be written, in the ways in which that happens.
        let missing = fs::remove_file(folder.join("B.java"));
        missing.unwrap();
        assert_eq!(told(apply(&files, folder), folder).split(';').count(), 3);
        assert_eq!(contents(folder), "old A.java");
        fs::write(folder.join("B.java"), "edited").unwrap();
        assert_eq!(
            told(apply(&files, folder), folder),
            "`B.java` was changed while it was repaired; nothing was changed; run `unflake fix` again"
        );
        assert_eq!(contents(folder), "edited, old A.java");
        fs::write(folder.join("B.java"), "old B.java").unwrap();
        let mut permissions = fs::metadata(folder.join("B.java")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(folder.join("B.java"), permissions).unwrap();
        assert_eq!(
            told(apply(&files, folder), folder),
            format!("cannot write `B.java`; {NOTHING}")
        );
        assert_eq!(contents(folder), old);
    }

    #[test]
    fn a_failure_at_the_second_file_leaves_the_first_as_it_was() {
        let (project, files) = project();
        let folder = project.path();
        let old = contents(folder);
        let count = Cell::new(0);
        // The n-th renaming and the last ones fail.
        let fails = |at: &'static [u32]| {
            count.set(0);
            let count = &count;
            move |from: &Path, to: &Path| {
                count.set(count.get() + 1);
                if at.contains(&count.get()) {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                fs::rename(from, to)
            }
        };
        assert_eq!(
            told(apply_with(&files, folder, &fails(&[2])), folder),
            format!("cannot write `B.java`; {NOTHING}")
        );
        assert_eq!(contents(folder), old);
        assert_eq!(
            told(apply_with(&files, folder, &fails(&[2, 3])), folder),
            "cannot write `B.java`; these files were changed and could not be changed back: `A.java`"
        );
        assert_eq!(contents(folder), "new A.java, old B.java");
    }

    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let (project, files) = project();
        let folder = project.path();
        fs::create_dir(folder.join("real")).unwrap();
        fs::rename(folder.join("A.java"), folder.join("real/A.java")).unwrap();
        std::os::unix::fs::symlink("real/A.java", folder.join("A.java")).unwrap();
        fs::set_permissions(folder.join("B.java"), Permissions::from_mode(0o640)).unwrap();
        apply(&files, folder).unwrap();
        assert!(folder.join("A.java").is_symlink());
        assert_eq!(contents(&folder.join("real")), "new A.java");
        let mode = fs::metadata(folder.join("B.java")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
