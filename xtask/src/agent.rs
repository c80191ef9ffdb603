//! The agent's library, and the options that vary a plain Java program with it.

use crate::process::Program;
use crate::{Failure, Outcome, root, target};
use std::fmt;
use std::path::{Path, PathBuf};

/// The levels, the weakest first.
pub const LEVELS: [&str; 4] = ["one", "eq", "id", "full"];

/// The release build of the agent in this repository.
pub fn build() -> Outcome<PathBuf> {
    Program::new("cargo")
        .args(["build", "--release", "-p", "unflake-agent"])
        .dir(&root())
        .succeed()?;
    let library = target().join("release/libunflake_agent.so");
    if library.exists() {
        return Ok(library);
    }
    Err(Failure::new(format!("the build made no `{}`", library.display())))
}

/// The library given, or else the one that is built now.
pub fn given_or_built(given: Option<String>) -> Outcome<PathBuf> {
    match given {
        None => build(),
        Some(path) => Path::new(&path)
            .canonicalize()
            .map_err(|e| Failure::io("cannot find the agent", Path::new(&path), &e)),
    }
}

/// How a program is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// Everything is edited, and the window never opens.
    Closed,
    /// Choices are counted and left as they are.
    Natural,
    Varied {
        level: &'static str,
        form: Form,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Reverse,
    Odd,
    Pairs,
    Random(u64),
}

impl Variation {
    pub fn random(level: &'static str, seed: u64) -> Variation {
        Variation::Varied {
            level,
            form: Form::Random(seed),
        }
    }

    /// Every level with every form, random ones with these seeds.
    pub fn all(seeds: &[u64]) -> Vec<Variation> {
        let random = seeds.iter().map(|seed| Form::Random(*seed));
        let forms: Vec<Form> = [Form::Reverse, Form::Odd, Form::Pairs]
            .into_iter()
            .chain(random)
            .collect();
        LEVELS
            .iter()
            .flat_map(|level| forms.iter().map(|form| Variation::Varied { level, form: *form }))
            .collect()
    }

    /// The argument for `java`.
    pub fn agent(&self, library: &Path) -> String {
        format!("-agentpath:{}=,program{}", library.display(), self.options())
    }

    fn options(&self) -> String {
        match self {
            Variation::Closed => ",closed".to_owned(),
            Variation::Natural => ",form=natural".to_owned(),
            Variation::Varied { level, form } => match form {
                Form::Reverse => format!(",level={level},form=reverse"),
                Form::Odd => format!(",level={level},form=odd"),
                Form::Pairs => format!(",level={level},form=pairs"),
                Form::Random(seed) => format!(",level={level},form=random,seed={seed}"),
            },
        }
    }
}

impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variation::Closed => f.write_str("window closed"),
            Variation::Natural => f.write_str("natural"),
            Variation::Varied {
                level,
                form: Form::Reverse,
            } => write!(f, "{level} reverse"),
            Variation::Varied {
                level,
                form: Form::Odd,
            } => write!(f, "{level} odd"),
            Variation::Varied {
                level,
                form: Form::Pairs,
            } => write!(f, "{level} pairs"),
            Variation::Varied {
                level,
                form: Form::Random(seed),
            } => write!(f, "{level} seed {seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_agent() {
        let library = Path::new("/a.so");
        assert_eq!(
            Variation::Closed.agent(library),
            "-agentpath:/a.so=,program,closed"
        );
        assert_eq!(
            Variation::random("full", 7).agent(library),
            "-agentpath:/a.so=,program,level=full,form=random,seed=7"
        );
        assert_eq!(Variation::all(&[1, 2, 3]).len(), 24);
    }
}
