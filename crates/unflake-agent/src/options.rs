//! The option string: `SOCKET[,worker=N][,program]`, and for a JVM without a program behind it
//! `,program,level=full,form=random,seed=7,models=HashMap.*,evidence=DIR`; `,closed` edits everything and opens no
//! window.

use std::path::PathBuf;
use unflake_protocol::{Form, Level, Seed, Strategy};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Where the program listens; without one the JVM is configured by the rest.
    pub(crate) socket: Option<PathBuf>,
    /// The number of a JVM that the program started itself.
    pub(crate) worker: Option<u32>,
    /// Vary from the start to the end.
    pub(crate) program: bool,
    /// With `program`: edit everything, but leave the window closed. What a closed window costs is measured with it.
    pub(crate) closed: bool,
    /// Without a program behind it: how to vary.
    pub(crate) strategy: Option<Strategy>,
    /// Without a program behind it: globs over model names. May be given several times; all, if it is not.
    pub(crate) models: Vec<String>,
    /// Without a program behind it: where edited classes that the JVM refuses, and a list of what was not applied, go.
    pub(crate) evidence: Option<PathBuf>,
}

impl Options {
    /// Unknown parts are passed over: the agent has nobody to complain to.
    pub(crate) fn parse(text: &str) -> Options {
        let mut parts = text.split(',');
        let socket = parts
            .next()
            .filter(|socket| !socket.is_empty())
            .map(PathBuf::from);
        let mut options = Options {
            socket,
            worker: None,
            program: false,
            closed: false,
            strategy: None,
            models: Vec::new(),
            evidence: None,
        };
        let (mut level, mut form, mut seed) = (Level::Full, "reverse", Seed(0));
        for part in parts {
            match part.split_once('=') {
                None if part == "program" => options.program = true,
                None if part == "closed" => options.closed = true,
                Some(("worker", number)) => options.worker = number.parse().ok(),
                Some(("level", name)) => level = name.parse().unwrap_or(level),
                Some(("form", name)) => form = name,
                Some(("seed", number)) => seed = number.parse().map_or(seed, Seed),
                Some(("models", glob)) => options.models.push(glob.to_owned()),
                Some(("evidence", folder)) => options.evidence = Some(PathBuf::from(folder)),
                _ => {}
            }
        }
        let form = match form {
            "natural" => None,
            "odd" => Some(Form::Odd),
            "pairs" => Some(Form::Pairs),
            "random" => Some(Form::Random(seed)),
            _ => Some(Form::Reverse),
        };
        options.strategy = form.map(|form| Strategy { level, form });
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_alone_is_a_sleeping_agent() {
        let options = Options::parse("/run/u/1.sock");
        assert_eq!(options.socket, Some(PathBuf::from("/run/u/1.sock")));
        assert!(!options.program && options.worker.is_none());
    }

    #[test]
    fn a_worker_has_a_number() {
        assert_eq!(Options::parse("/s,worker=3").worker, Some(3));
    }

    #[test]
    fn a_strategy_without_a_program() {
        let options = Options::parse(",program,level=one,form=random,seed=7,models=HashMap.*,models=File.*");
        assert_eq!(options.socket, None);
        assert!(options.program);
        assert_eq!(
            options.strategy,
            Some(Strategy {
                level: Level::One,
                form: Form::Random(Seed(7))
            })
        );
        assert_eq!(options.models, ["HashMap.*", "File.*"]);
        assert_eq!(Options::parse(",program,form=natural").strategy, None);
    }
}
