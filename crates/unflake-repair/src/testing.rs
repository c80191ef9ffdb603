//! Failures for the tests of strategies, made of annotated sources.
//!
//! In a source, `/*fails*/` marks the line on which the assertion fails, `/*calls*/` the line of the underdetermined
//! call and `/*makes*/` the line where the collection is made. The marks are taken out before the file is parsed.

use crate::candidate::Candidate;
use crate::clues::{Clues, Failing, Sources};
use crate::diff::unified_diff;
use crate::edit::Edits;
use crate::java::JavaFile;
use crate::libraries::{Added, Libraries};
use crate::reassert::renewed;
use std::collections::BTreeMap;
use std::rc::Rc;
use unflake_findings::{Choice, Frame, SourcePlace};
use unflake_protocol::FailureSort;

pub(crate) const TEST: &str = "src/test/java/p/ATest.java";
pub(crate) const MAIN: &str = "src/main/java/p/Main.java";

/// One failure.
pub(crate) struct Case {
    files: BTreeMap<String, Rc<JavaFile>>,
    failing: Failing,
    choice: Choice,
    choices: usize,
    libraries: Libraries,
}

/// A failure in a test with this source.
pub(crate) fn case(test: &str) -> Case {
    let case = Case {
        files: BTreeMap::new(),
        failing: Failing {
            test: "p.ATest#a".to_owned(),
            sort: FailureSort::Assertion,
            exception: "java.lang.AssertionError".to_owned(),
            message: String::new(),
            expected: None,
            actual: None,
            frames: Vec::new(),
        },
        choice: Choice {
            number: 1,
            api: "HashMap.entrySet".to_owned(),
            javadoc: String::new(),
            call: None,
            allocation: None,
            stack: Vec::new(),
            allocation_stack: Vec::new(),
            owner: None,
            elements: 2,
            natural: Vec::new(),
            failing: Vec::new(),
            moved: Vec::new(),
        },
        choices: 1,
        libraries: Libraries::new(17, []),
    };
    case.file(TEST, test)
}

impl Case {
    /// It is this test that fails.
    pub(crate) fn of_test(mut self, test: &str) -> Case {
        self.failing.test = test.to_owned();
        self
    }

    /// Main code.
    pub(crate) fn main(self, text: &str) -> Case {
        self.file(MAIN, text)
    }

    pub(crate) fn file(mut self, path: &str, text: &str) -> Case {
        let mut plain = String::new();
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let place = || SourcePlace {
                file: path.to_owned(),
                line: number,
                method: "p.ATest.a".to_owned(),
            };
            if line.contains("/*fails*/") {
                self.failing.frames.push(place());
            }
            if line.contains("/*calls*/") {
                self.choice.call = Some(place());
            }
            if line.contains("/*makes*/") {
                self.choice.allocation = Some(place());
            }
            let mut line = line.to_owned();
            for mark in ["/*fails*/", "/*calls*/", "/*makes*/"] {
                line = line.replace(mark, "");
            }
            plain.push_str(&line);
        }
        let parsed = JavaFile::parse(path, plain).unwrap();
        self.files.insert(path.to_owned(), Rc::new(parsed));
        self
    }

    /// The test's own file.
    pub(crate) fn test(&self) -> Rc<JavaFile> {
        self.files[TEST].clone()
    }

    pub(crate) fn api(mut self, api: &str) -> Case {
        self.choice.api = api.to_owned();
        self
    }

    /// The method in which the collection is made.
    pub(crate) fn made_in(mut self, method: &str) -> Case {
        if let Some(place) = &mut self.choice.allocation {
            place.method = method.to_owned();
        }
        self
    }

    /// What the assertion says that it compared.
    pub(crate) fn compared(mut self, expected: &str, actual: &str) -> Case {
        self.failing.expected = Some(expected.to_owned());
        self.failing.actual = Some(actual.to_owned());
        self
    }

    /// The message of an assertion that does not tell both values.
    pub(crate) fn said(&mut self, message: &str) {
        self.failing.message = message.to_owned();
        (self.failing.expected, self.failing.actual) = (None, None);
    }

    /// How many elements the choice has, and how many choices are blamed together.
    pub(crate) fn of_so_many(mut self, elements: u32, choices: usize) -> Case {
        (self.choice.elements, self.choices) = (elements, choices);
        self
    }

    /// The elements of the choice.
    pub(crate) fn orders(mut self, natural: &[&str], failing: &[&str]) -> Case {
        self.choice.natural = natural.iter().map(|element| (*element).to_owned()).collect();
        self.choice.failing = failing.iter().map(|element| (*element).to_owned()).collect();
        self
    }

    /// A method on the stack of the underdetermined call.
    pub(crate) fn called_by(mut self, method: &str) -> Case {
        self.choice.stack.push(Frame {
            method: method.to_owned(),
            file: None,
            line: None,
            own: false,
        });
        self
    }

    pub(crate) fn may_add(mut self, added: Added) -> Case {
        self.libraries.added = Some(added);
        self
    }

    pub(crate) fn java(self, java: u32, jars: &[&str]) -> Case {
        Case {
            libraries: Libraries::new(java, jars.iter().copied()),
            ..self
        }
    }

    pub(crate) fn candidates(&self, propose: fn(&Clues<'_>) -> Vec<Candidate>) -> Vec<Candidate> {
        self.with_clues(propose)
    }

    pub(crate) fn with_clues<R>(&self, look: fn(&Clues<'_>) -> R) -> R {
        look(&Clues {
            failing: &self.failing,
            choice: &self.choice,
            choices: self.choices,
            sources: self,
            libraries: &self.libraries,
        })
    }

    /// The changed lines of each candidate, with `-` and `+`; each must still be Java.
    pub(crate) fn check(&self, propose: fn(&Clues<'_>) -> Vec<Candidate>, expected: &[&str]) {
        let candidates = self.candidates(propose);
        let shown: Vec<String> = candidates
            .iter()
            .map(|candidate| self.changes(candidate))
            .collect();
        assert_eq!(shown, expected);
    }

    /// The changed lines of a renewed literal, or why there is none.
    pub(crate) fn renewed(&self) -> Result<String, String> {
        renewed(&self.failing, self).map(|(path, edits)| self.changed(&path, &edits))
    }

    /// The changed lines of the mutants of the only candidate, without imports, each after the name of what is wrong.
    pub(crate) fn check_mutants(&self, propose: fn(&Clues<'_>) -> Vec<Candidate>, expected: &[&str]) {
        let [candidate] = &self.candidates(propose)[..] else {
            panic!("there is not exactly one candidate");
        };
        let (path, _) = candidate.assertion.as_ref().expect("it touches an assertion");
        let shown = candidate.mutants.iter().map(|mutant| {
            let changes = self.changed(path, &mutant.edits);
            let new = changes
                .lines()
                .filter(|line| line.starts_with('+') && !line.starts_with("+import "));
            format!(
                "{}: {}",
                mutant.mutation.name(),
                new.collect::<Vec<_>>().join("\n")
            )
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    pub(crate) fn changes(&self, candidate: &Candidate) -> String {
        let changes = candidate
            .edits
            .iter()
            .map(|(path, edits)| self.changed(path, edits));
        changes.collect::<Vec<_>>().join("\n")
    }

    fn changed(&self, path: &str, edits: &Edits) -> String {
        let old = self.files[path].text();
        let new = edits.apply(old);
        JavaFile::parse(path, new.clone()).unwrap();
        let diff = unified_diff(path, old, &new);
        let changed = diff.lines().skip(2).filter(|line| line.starts_with(['-', '+']));
        let trimmed = changed.map(|line| format!("{}{}", &line[..1], line[1..].trim()));
        trimmed.collect::<Vec<_>>().join("\n")
    }
}

impl Sources for Case {
    fn file(&self, path: &str) -> Option<Rc<JavaFile>> {
        self.files.get(path).cloned()
    }

    fn of_class(&self, class: &str) -> Option<Rc<JavaFile>> {
        let outer = class.split('$').next()?.replace('.', "/");
        let end = format!("/{outer}.java");
        let found = self.files.iter().find(|(path, _)| path.ends_with(&end));
        found.map(|(_, file)| file.clone())
    }

    fn is_test(&self, path: &str) -> bool {
        path.contains("/test/")
    }

    fn assertion_holders(&self, _path: &str) -> Vec<Rc<JavaFile>> {
        let holders = self
            .files
            .iter()
            .filter(|(path, _)| path.ends_with("Asserts.java"));
        holders.map(|(_, file)| file.clone()).collect()
    }
}
