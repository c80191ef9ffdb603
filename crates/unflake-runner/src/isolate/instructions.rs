//! What a launcher is told, as arguments: whoever looks at the running processes can read it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What a launcher does before it runs a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instructions {
    /// `None`: it stays in the namespaces of the others and looks after the program only.
    pub(crate) namespaces: Option<Namespaces>,
    /// The program's working directory.
    pub(crate) directory: PathBuf,
    /// The program and its arguments.
    pub(crate) program: Vec<OsString>,
}

/// What the program has to itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Namespaces {
    /// It sees no processes but its own, and none of them outlives it.
    pub(crate) processes: bool,
    /// Directories whose changes nobody else sees. No symbolic links in them.
    pub(crate) overlays: Vec<Overlay>,
    /// Directories that are not part of any overlay, wherever they lie.
    pub(crate) kept: Vec<PathBuf>,
    /// An empty folder for what is written into overlays.
    pub(crate) layers: PathBuf,
}

/// A directory to cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overlay {
    pub(crate) directory: PathBuf,
    /// Without it nothing is run; else it is said that it cannot be covered.
    pub(crate) required: bool,
}

impl Instructions {
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |word: &str, value: &OsStr| arguments.extend([OsString::from(word), value.to_owned()]);
        if let Some(namespaces) = &self.namespaces {
            add("layers", namespaces.layers.as_os_str());
            for overlay in &namespaces.overlays {
                let word = if overlay.required {
                    "overlay"
                } else {
                    "try-overlay"
                };
                add(word, overlay.directory.as_os_str());
            }
            for kept in &namespaces.kept {
                add("keep", kept.as_os_str());
            }
            let processes = if namespaces.processes { "own" } else { "shared" };
            add("processes", OsStr::new(processes));
        }
        add("directory", self.directory.as_os_str());
        arguments.push("run".into());
        arguments.extend(self.program.iter().cloned());
        arguments
    }

    /// The other way round.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Instructions, String> {
        let mut arguments = arguments.into_iter();
        let mut instructions = Instructions::default();
        while let Some(word) = arguments.next() {
            if word == "run" {
                instructions.program = arguments.collect();
                return if instructions.program.is_empty() {
                    Err("nothing is to be run".to_owned())
                } else {
                    Ok(instructions)
                };
            }
            let value = arguments
                .next()
                .ok_or_else(|| format!("`{}` has no value", word.display()))?;
            instructions.set(&word, value)?;
        }
        Err("it is not said what is to be run".to_owned())
    }

    fn set(&mut self, word: &OsStr, value: OsString) -> Result<(), String> {
        if word == "directory" {
            self.directory = value.into();
            return Ok(());
        }
        let namespaces = self.namespaces.get_or_insert_default();
        match word.to_str() {
            Some("layers") => namespaces.layers = value.into(),
            Some("keep") => namespaces.kept.push(value.into()),
            Some("processes") => namespaces.processes = value == "own",
            Some(word @ ("overlay" | "try-overlay")) => namespaces.overlays.push(Overlay {
                directory: value.into(),
                required: word == "overlay",
            }),
            _ => return Err(format!("`{}` is unknown", word.display())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_launcher_reads_what_was_written_for_it() {
        let overlay = |directory: &str, required| Overlay {
            directory: directory.into(),
            required,
        };
        let inside = Instructions {
            namespaces: Some(Namespaces {
                processes: true,
                overlays: vec![overlay("/a project", true), overlay("/home", false)],
                kept: vec!["/store".into()],
                layers: "/tmp/layers".into(),
            }),
            directory: "/a project/module".into(),
            program: words("java run Main"),
        };
        let outside = Instructions {
            namespaces: None,
            ..inside.clone()
        };
        for instructions in [inside, outside] {
            assert_eq!(Instructions::parse(instructions.arguments()), Ok(instructions));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wrong = |text: &str| Instructions::parse(words(text)).unwrap_err();
        assert_eq!(wrong("directory /a"), "it is not said what is to be run");
        assert_eq!(wrong("directory /a run"), "nothing is to be run");
        assert_eq!(wrong("directory"), "`directory` has no value");
        assert_eq!(wrong("colour red run java"), "`colour` is unknown");
    }
}
