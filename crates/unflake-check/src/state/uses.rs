//! What class files say about fields (P9): every class file in the directories of the class paths, which are the
//! project's, once; and of libraries those whose objects lead to something that changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use unflake_benign::{ClassUses, Evidence};
use unflake_models::sources::Archive;
use unflake_runner::class_files;

/// Projects with more classes get no marks: half of the evidence would be none.
const MOST_CLASSES: usize = 50_000;

/// What was read, and what has to be said about it.
pub(super) struct ReadClasses {
    pub(super) fields: Evidence,
    pub(super) notes: Vec<String>,
}

/// Reads the class files below directories, and those of `wanted` that are in jars.
pub(super) fn read<'a>(
    class_path: impl Iterator<Item = &'a String> + Clone,
    wanted: BTreeSet<String>,
) -> ReadClasses {
    let files = files(class_path.clone());
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
    let wanted = &wanted - &classes.iter().map(|class| class.name().to_owned()).collect();
    classes.extend(of_libraries(class_path, wanted));
    ReadClasses {
        fields: Evidence::new(classes),
        notes,
    }
}

/// Classes of jars, with those that they inherit from and those that can reach their private fields. What cannot be
/// read is not there: then nothing is marked because of it.
fn of_libraries<'a>(
    class_path: impl Iterator<Item = &'a String>,
    mut wanted: BTreeSet<String>,
) -> Vec<ClassUses> {
    let mut found = Vec::new();
    if wanted.is_empty() {
        return found;
    }
    let jars: BTreeSet<&String> = class_path.filter(|entry| entry.ends_with(".jar")).collect();
    let open = |jar: &String| Archive::open(Path::new(jar)).ok();
    let archives: Vec<Archive> = jars.into_iter().filter_map(open).collect();
    let mut seen = BTreeSet::new();
    while let Some(class) = wanted.pop_first() {
        let outermost = class.split('$').next().unwrap_or_default().replace('.', "/");
        if !seen.insert(outermost.clone()) {
            continue;
        }
        let is_wanted = |name: &&str| {
            let rest = name
                .strip_prefix(&outermost)
                .and_then(|rest| rest.strip_suffix(".class"));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        for archive in &archives {
            for name in archive.names().filter(is_wanted) {
                if let Some(bytes) = archive.bytes(name)
                    && let Ok(class) = ClassUses::parse(&bytes)
                {
                    wanted.extend(class.parent().map(str::to_owned));
                    found.push(class.of_library());
                }
            }
        }
    }
    found
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
        let wanted = ["org.lib.Missing".to_owned()].into();
        let found = read([&directory, &jar, &directory].into_iter(), wanted);
        let [note] = &found.notes[..] else {
            panic!("{:?}", found.notes)
        };
        let start = format!("`{}` cannot be read", package.join("Broken.class").display());
        assert!(note.starts_with(&start), "{note}");
    }

    /// A class file without members.
    fn class(name: &str, parent: &str) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5];
        for (number, name) in [(2, name), (4, parent)] {
            bytes.extend([7, 0, number, 1, 0, u8::try_from(name.len()).unwrap()]);
            bytes.extend(name.as_bytes());
        }
        // Public; itself, its parent; no interfaces, fields, methods and attributes.
        bytes.extend([0, 0x21, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    }

    /// A jar with these files, none of them compressed.
    fn jar(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let (mut jar, mut directory) = (Vec::new(), Vec::new());
        for (name, bytes) in files {
            let sizes = [number(bytes.len()), number(bytes.len())].concat();
            let name_length = &number(name.len())[..2];
            let about = [&sizes[..], name_length, &[0; 2]].concat();
            directory.extend([&b"PK\x01\x02"[..], &[0; 16], &about, &[0; 10]].concat());
            directory.extend([&number(jar.len())[..], name.as_bytes()].concat());
            jar.extend([&b"PK\x03\x04"[..], &[0; 14], &about, name.as_bytes(), bytes].concat());
        }
        let (start, count) = (number(jar.len()), &number(files.len())[..2]);
        let size = number(directory.len());
        jar.extend(directory);
        jar.extend([&b"PK\x05\x06\0\0\0\0"[..], count, count, &size, &start, &[0; 2]].concat());
        jar
    }

    #[test]
    fn a_class_of_a_library_is_read_with_those_around_it_and_its_parents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.jar");
        let object = "java/lang/Object";
        let files = [
            ("p/A.class", class("p/A", "p/Base")),
            ("p/A$In.class", class("p/A$In", object)),
            ("p/AB.class", class("p/AB", object)),
            ("p/Base.class", class("p/Base", object)),
            ("p/A.txt", Vec::new()),
        ];
        fs::write(&path, jar(&files)).unwrap();
        let path = path.display().to_string();
        let found = of_libraries([&path].into_iter(), ["p.A$In".to_owned()].into());
        let names: BTreeSet<&str> = found.iter().map(ClassUses::name).collect();
        assert_eq!(names, ["p.A", "p.A$In", "p.Base"].into());
        assert_eq!(found.len(), 3);
    }
}
