//! Reading the arguments of one command: options with and without a value, and the rest. Too few commands and users
//! for a library.

use crate::{Failure, Outcome};
use std::collections::VecDeque;
use std::path::PathBuf;

/// What was given after the command's name; each getter takes its part away, [`Args::end`] complains about the rest.
#[derive(Debug)]
pub struct Args {
    given: VecDeque<String>,
    usage: &'static str,
}

impl Args {
    pub fn new(given: impl IntoIterator<Item = String>, usage: &'static str) -> Args {
        Args {
            given: given.into_iter().collect(),
            usage,
        }
    }

    /// Whether `--name` is there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.given.len();
        self.given.retain(|arg| arg != name);
        self.given.len() < before
    }

    /// All values of `--name VALUE` or `--name=VALUE`.
    pub fn values(&mut self, name: &str) -> Outcome<Vec<String>> {
        let mut values = Vec::new();
        let mut rest = VecDeque::new();
        while let Some(arg) = self.given.pop_front() {
            if arg == name {
                let value = self.given.pop_front();
                values.push(
                    value.ok_or_else(|| Failure::usage(format!("`{name}` needs a value"), self.usage))?,
                );
            } else if let Some(value) = arg.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            } else {
                rest.push_back(arg);
            }
        }
        self.given = rest;
        Ok(values)
    }

    /// The last value of `--name`.
    pub fn value(&mut self, name: &str) -> Outcome<Option<String>> {
        Ok(self.values(name)?.pop())
    }

    pub fn paths(&mut self, name: &str) -> Outcome<Vec<PathBuf>> {
        Ok(self.values(name)?.into_iter().map(PathBuf::from).collect())
    }

    pub fn number<N: std::str::FromStr>(&mut self, name: &str, default: N) -> Outcome<N> {
        match self.value(name)? {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| Failure::usage(format!("`{name}` needs a number, not `{text}`"), self.usage)),
        }
    }

    /// What is left: names, no options.
    pub fn rest(self) -> Outcome<Vec<String>> {
        match self.given.iter().find(|arg| arg.starts_with('-')) {
            Some(arg) => Err(Failure::usage(format!("unknown option `{arg}`"), self.usage)),
            None => Ok(self.given.into()),
        }
    }

    /// Nothing may be left.
    pub fn end(self) -> Outcome<()> {
        let usage = self.usage;
        match self.rest()?.first() {
            Some(arg) => Err(Failure::usage(format!("unexpected argument `{arg}`"), usage)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(given: &[&str]) -> Args {
        Args::new(given.iter().map(|arg| (*arg).to_owned()), "usage")
    }

    #[test]
    fn options_and_names_may_be_mixed() {
        let mut args = args(&["a", "--java", "/x", "--java=/y", "--quick", "b"]);
        assert_eq!(args.values("--java").unwrap(), ["/x", "/y"]);
        assert!(args.flag("--quick"));
        assert_eq!(args.number("--times", 3).unwrap(), 3);
        assert_eq!(args.rest().unwrap(), ["a", "b"]);
    }

    #[test]
    fn wrong_arguments_are_errors() {
        assert!(args(&["--java"]).values("--java").is_err());
        assert!(args(&["--what"]).rest().is_err());
        assert!(args(&["b"]).end().is_err());
        assert!(args(&["--times", "x"]).number("--times", 3).is_err());
    }
}
