//! What the project's class files say about fields (P9): every class file in the directories of the class paths, once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unflake_benign::{ClassUses, Evidence};
use unflake_runner::class_files;

/// Projects with more classes get no marks: half of the evidence would be none.
const MOST_CLASSES: usize = 50_000;

/// What was read, and what has to be said about it.
pub(super) struct ReadClasses {
    pub(super) fields: Evidence,
    pub(super) notes: Vec<String>,
}

/// Reads the class files below directories; jars are libraries, and left out.
pub(super) fn read<'a>(class_path: impl Iterator<Item = &'a String>) -> ReadClasses {
    let files = files(class_path);
    if files.len() > MOST_CLASSES {
        let note = format!(
            "the project has more than {MOST_CLASSES} classes: no change of shared state is marked as harmless"
        );
        return ReadClasses {
            fields: Evidence::default(),
            notes: vec![note],
        };
    }
    let mut notes = Vec::new();
    let mut classes = Vec::with_capacity(files.len());
    for file in &files {
        let read = std::fs::read(file).map_err(|e| e.to_string());
        match read.and_then(|bytes| ClassUses::parse(&bytes).map_err(|e| e.to_string())) {
            Ok(class) => classes.push(class),
            Err(why) => notes.push(format!(
                "`{}` cannot be read, so harmless changes are judged without it: {why}",
                file.display()
            )),
        }
    }
    ReadClasses {
        fields: Evidence::new(classes),
        notes,
    }
}

/// In the order of the class path, which decides between classes of the same name.
fn files<'a>(class_path: impl Iterator<Item = &'a String>) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let directories = class_path.filter(|entry| seen.insert(*entry));
    let files = directories.flat_map(|directory| class_files(Path::new(directory)));
    files
        .filter(|file| file.file_name().is_some_and(|name| name != "module-info.class"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_class_file_that_cannot_be_read_is_named_and_modules_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("a");
        fs::create_dir(&package).unwrap();
        for name in ["Broken.class", "module-info.class", "notes.txt"] {
            fs::write(package.join(name), "no class file").unwrap();
        }
        let directory = folder.path().display().to_string();
        let jar = "lib/no-such.jar".to_owned();
        // The same directory twice is read once.
        let found = read([&directory, &jar, &directory].into_iter());
        let [note] = &found.notes[..] else {
            panic!("{:?}", found.notes)
        };
        let start = format!("`{}` cannot be read", package.join("Broken.class").display());
        assert!(note.starts_with(&start), "{note}");
    }
}
