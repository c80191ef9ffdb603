//! `unflake check --measure`: the same tests without and with capture of shared state, and what each pass needed.

use crate::jdks::Jdk;
use crate::process::{Program, last_lines};
use crate::{Failure, Outcome};
use serde::Deserialize as _;
use serde_json::Value;
use std::fmt;
use std::fs;
use std::path::Path;
use unflake_protocol::{HeapMeasured, Measured};

/// What is captured, by the names that `--measure` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    None,
    Whole,
    Files,
    Eager,
    AllRoots,
}

impl Capture {
    pub(crate) const ALL: [Capture; 5] = [
        Capture::None,
        Capture::Whole,
        Capture::Files,
        Capture::Eager,
        Capture::AllRoots,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Capture::None => "none",
            Capture::Whole => "whole",
            Capture::Files => "files",
            Capture::Eager => "eager",
            Capture::AllRoots => "all-roots",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Capture> {
        Capture::ALL.into_iter().find(|capture| capture.name() == name)
    }
}

impl fmt::Display for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Capture::None => "nothing",
            Capture::Whole => "default",
            Capture::Files => "files and JVM",
            Capture::Eager => "`--eager`",
            Capture::AllRoots => "`--all-roots`",
        })
    }
}

/// All tests once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pass {
    pub(crate) capture: Capture,
    pub(crate) tests: u64,
    pub(crate) seconds: f64,
    pub(crate) jvms: Vec<Measured>,
}

impl Pass {
    fn parse(line: &str) -> Option<Pass> {
        let value: Value = serde_json::from_str(line).ok()?;
        Some(Pass {
            capture: Capture::named(value["capture"].as_str()?)?,
            tests: value["tests"].as_u64()?,
            seconds: value["seconds"].as_f64()?,
            jvms: Vec::deserialize(&value["jvms"]).ok()?,
        })
    }

    pub(crate) fn busy_seconds(&self) -> f64 {
        self.jvms.iter().map(|jvm| jvm.busy_nanos).sum::<u64>() as f64 / 1e9
    }

    /// Of all its JVMs together.
    pub(crate) fn peak_memory(&self) -> f64 {
        self.jvms.iter().map(|jvm| jvm.peak_memory).sum::<u64>() as f64
    }

    pub(crate) fn heaps(&self) -> impl Iterator<Item = &HeapMeasured> {
        self.jvms.iter().filter_map(|jvm| jvm.heap.as_ref())
    }

    pub(crate) fn walk_seconds(&self) -> f64 {
        self.heaps().map(|heap| heap.nanos).sum::<u64>() as f64 / 1e9
    }
}

/// The median of a figure over the passes with one capture.
pub(crate) fn median_of(passes: &[Pass], capture: Capture, figure: impl Fn(&Pass) -> f64) -> Option<f64> {
    let with = passes.iter().filter(|pass| pass.capture == capture);
    crate::real::median(&with.map(figure).collect::<Vec<_>>())
}

/// What is to be measured.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) program: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) java: &'a Jdk,
    pub(crate) store: &'a Path,
    pub(crate) log: &'a Path,
    pub(crate) captures: &'a [Capture],
    pub(crate) times: usize,
    pub(crate) options: &'a [&'a str],
    pub(crate) build_arguments: &'a [&'a str],
}

/// Measures one project. What was said stays in the log file.
pub(crate) fn run(request: &Request<'_>) -> Outcome<Vec<Pass>> {
    let captures: Vec<&str> = request.captures.iter().map(|capture| capture.name()).collect();
    let ended = Program::new(request.program)
        .args(["check", "--quiet", "--only", "pollution"])
        .arg("--measure")
        .arg(captures.join(","))
        .arg("--measure-times")
        .arg(request.times.to_string())
        .arg("--java")
        .arg(&request.java.home)
        .arg("--store")
        .arg(request.store)
        .arg("-C")
        .arg(request.project)
        .args(request.options)
        .arg("--")
        .args(request.build_arguments)
        .env("JAVA_HOME", &request.java.home)
        .env_remove("JAVA_TOOL_OPTIONS")
        .log(request.log)
        .run()?;
    let said = fs::read_to_string(request.log).map_err(|e| Failure::io("cannot read", request.log, &e))?;
    let passes: Vec<Pass> = said.lines().filter_map(Pass::parse).collect();
    if !ended.status.success() || passes.len() != captures.len() * request.times {
        return Err(Failure::new(format!(
            "`{}` ended with {}:\n{}",
            ended.shown,
            ended.status,
            last_lines(&said, 25)
        )));
    }
    Ok(passes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_read() {
        let line = r#"{"capture":"all-roots","tests":3,"seconds":1.5,"jvms":[
            {"busy_nanos":2000000000,"peak_memory":7,"static_fields":9,"heap":null},
            {"busy_nanos":1000000000,"peak_memory":5,"static_fields":9,"heap":{"roots":1,"walks":2,"nanos":8,
             "fastest_nanos":3,"objects":4,"references":5,"held":6,"most_held":7}}]}"#;
        let pass = Pass::parse(line).unwrap();
        assert_eq!(pass.capture, Capture::AllRoots);
        assert_eq!((pass.busy_seconds(), pass.peak_memory()), (3.0, 12.0));
        assert_eq!(pass.heaps().map(|heap| heap.walks).sum::<u64>(), 2);
        assert_eq!(Pass::parse("error: something else"), None);
    }
}
