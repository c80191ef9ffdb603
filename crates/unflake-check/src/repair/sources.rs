//! The project's sources as text: read once, parsed when asked for, written back in the encoding they have.

use super::Texts;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use unflake_findings::source_file;
use unflake_repair::{JavaFile, Sources};

/// How the bytes of a file become text. Both ways lose nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Encoding {
    Utf8,
    Latin1,
}

impl Encoding {
    /// The compiler's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Latin1 => "ISO-8859-1",
        }
    }

    fn decode(bytes: Vec<u8>) -> (String, Encoding) {
        match String::from_utf8(bytes) {
            Ok(text) => (text, Encoding::Utf8),
            // Every byte is a letter there, so any file survives it, also one in another encoding.
            Err(error) => (
                error.as_bytes().iter().copied().map(char::from).collect(),
                Encoding::Latin1,
            ),
        }
    }

    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            // What repairs add is ASCII.
            Encoding::Latin1 => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        }
    }
}

/// One file as it is on disk.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    pub(crate) text: Rc<str>,
    pub(crate) encoding: Encoding,
}

/// One version of a file: its path and its text.
type Version = (String, Rc<str>);

/// The project's own sources.
#[derive(Debug)]
pub(crate) struct ProjectSources {
    project: PathBuf,
    originals: RefCell<BTreeMap<String, Option<Original>>>,
    /// By folders of test code: their files that have assertions for all tests.
    holders: RefCell<BTreeMap<String, Vec<String>>>,
    /// By path and text; `None`: it is not Java.
    parsed: RefCell<BTreeMap<Version, Option<Rc<JavaFile>>>>,
}

impl ProjectSources {
    pub(crate) fn new(project: &Path) -> ProjectSources {
        ProjectSources {
            project: project.to_owned(),
            originals: RefCell::default(),
            holders: RefCell::default(),
            parsed: RefCell::default(),
        }
    }

    /// A file as it is on disk, by its path from the project's root.
    pub(crate) fn original(&self, path: &str) -> Option<Original> {
        let read = || {
            let (text, encoding) = Encoding::decode(fs::read(self.project.join(path)).ok()?);
            Some(Original {
                text: text.into(),
                encoding,
            })
        };
        let mut originals = self.originals.borrow_mut();
        originals.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// The same sources with some files as they would be.
    pub(crate) fn with<'s>(&'s self, texts: &'s Texts) -> PatchedSources<'s> {
        PatchedSources { sources: self, texts }
    }

    /// Files with assertions for all tests below this folder of test code, by their names.
    fn assertion_holders(&self, folder: &str) -> Vec<String> {
        const NAMES: [&str; 3] = ["Asserts.java", "Assertions.java", "AssertUtils.java"];
        let find = || {
            let mut found = Vec::new();
            let mut todo = vec![self.project.join(folder)];
            while let Some(folder) = todo.pop() {
                for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                    let path = entry.path();
                    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        todo.push(path);
                    } else if NAMES.iter().any(|name| path.to_string_lossy().ends_with(name)) {
                        let path = path.strip_prefix(&self.project).ok().and_then(Path::to_str);
                        found.extend(path.map(str::to_owned));
                    }
                }
            }
            found.sort();
            found
        };
        let mut holders = self.holders.borrow_mut();
        holders.entry(folder.to_owned()).or_insert_with(find).clone()
    }

    fn parse(&self, path: &str, text: Rc<str>) -> Option<Rc<JavaFile>> {
        let key = (path.to_owned(), text.clone());
        if let Some(known) = self.parsed.borrow().get(&key) {
            return known.clone();
        }
        let parsed = JavaFile::parse(path, &*text).ok().map(Rc::new);
        self.parsed.borrow_mut().insert(key, parsed.clone());
        parsed
    }
}

/// Sources of which some were edited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatchedSources<'s> {
    sources: &'s ProjectSources,
    texts: &'s Texts,
}

impl Sources for PatchedSources<'_> {
    fn file(&self, path: &str) -> Option<Rc<JavaFile>> {
        let text = match self.texts.get(path) {
            Some(text) => text.as_str().into(),
            None => self.sources.original(path)?.text,
        };
        self.sources.parse(path, text)
    }

    fn of_class(&self, class: &str) -> Option<Rc<JavaFile>> {
        let project = &self.sources.project;
        // The module is not known here; most projects have few.
        let file = source_file(project, class).or_else(|| {
            let modules = fs::read_dir(project).ok()?.flatten().map(|entry| entry.path());
            let mut modules: Vec<PathBuf> = modules.filter(|path| path.is_dir()).collect();
            modules.sort();
            modules.iter().find_map(|module| source_file(module, class))
        })?;
        let path = file.strip_prefix(project).ok()?.to_str()?.to_owned();
        self.file(&path)
    }

    fn is_test(&self, path: &str) -> bool {
        is_test(path)
    }

    fn assertion_holders(&self, path: &str) -> Vec<Rc<JavaFile>> {
        const TESTS: &str = "src/test/java/";
        let Some(at) = path.find(TESTS) else {
            return Vec::new();
        };
        let holders = self.sources.assertion_holders(&path[..at + TESTS.len()]);
        holders.iter().filter_map(|path| self.file(path)).collect()
    }
}

/// Whether a source belongs to the tests. Where sources of main code lie is the same in all projects that are found.
pub(crate) fn is_test(path: &str) -> bool {
    !is_build_file(path) && !format!("/{path}").contains("/src/main/")
}

/// Whether it is no source at all, but what says which libraries there are.
pub(crate) fn is_build_file(path: &str) -> bool {
    path.rsplit('/').next() == Some("pom.xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_whatever_they_mean() {
        for bytes in [b"a\xc3\xa4\r\n".to_vec(), b"a\xe4\x80\xff".to_vec()] {
            let (text, encoding) = Encoding::decode(bytes.clone());
            assert_eq!(encoding.encode(&text), bytes);
        }
        assert_eq!(Encoding::decode(b"\xe4".to_vec()).1, Encoding::Latin1);
    }

    #[test]
    fn an_edited_file_is_seen_instead_of_the_one_on_disk() {
        let project = tempfile::tempdir().unwrap();
        let path = "m/src/test/java/p/A.java";
        let file = project.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "package p;\nclass A {}\n").unwrap();
        let sources = ProjectSources::new(project.path());
        let texts = Texts::from([(path.to_owned(), "class B {}".to_owned())]);
        let text = |sources: PatchedSources<'_>| sources.of_class("p.A$Inner").unwrap().text().to_owned();
        assert_eq!(text(sources.with(&Texts::new())), "package p;\nclass A {}\n");
        assert_eq!(text(sources.with(&texts)), "class B {}");
        assert!(sources.with(&texts).file("none").is_none());
        assert!(is_test(path) && !is_test("src/main/java/p/A.java") && !is_test("m/pom.xml"));
    }
}
