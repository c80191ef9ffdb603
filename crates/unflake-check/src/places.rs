//! Whose code a stack's frames are, and where their sources lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use unflake_findings::{Frame, SourcePlace, source_file};
use unflake_protocol::StackFrame;
use unflake_runner::Launch;

/// The project's own classes: those in directories of the class path, not in jars.
#[derive(Debug)]
pub(crate) struct OwnCode {
    project: PathBuf,
    directories: Vec<PathBuf>,
    /// What was looked up, by class.
    known: BTreeMap<String, Option<PathBuf>>,
}

impl OwnCode {
    pub(crate) fn new(project: &Path, launch: &Launch) -> OwnCode {
        let on_path = launch.class_path.iter().map(PathBuf::from);
        // `--module-path a:b`, `--patch-module m=a:b`, and the same with `=` after the option.
        let in_options = launch.options.iter().flat_map(|option| {
            let paths = option
                .rsplit_once('=')
                .map_or(option.as_str(), |(_, paths)| paths);
            paths.split(':').map(PathBuf::from).collect::<Vec<_>>()
        });
        let directories = on_path
            .chain(in_options)
            .filter(|path| path.is_absolute() && path.is_dir())
            .collect();
        OwnCode {
            project: project.to_owned(),
            directories,
            known: BTreeMap::new(),
        }
    }

    pub(crate) fn frames(&mut self, stack: &[StackFrame]) -> Vec<Frame> {
        let frame = |frame: &StackFrame| Frame {
            method: format!("{}.{}", frame.class, frame.method),
            file: frame.file.clone(),
            line: frame.line,
            own: self.directory(&frame.class).is_some(),
        };
        stack.iter().map(frame).collect()
    }

    /// The innermost frame in the project's own code.
    pub(crate) fn place(&mut self, stack: &[StackFrame]) -> Option<SourcePlace> {
        stack.iter().find_map(|frame| {
            let directory = self.directory(&frame.class)?;
            let line = frame.line?;
            Some(SourcePlace {
                file: self
                    .source(&directory, &frame.class)
                    .or_else(|| self.source(&directory, &named_by_file(frame)?))
                    .or_else(|| frame.file.clone())?,
                line,
                method: format!("{}.{}", frame.class, frame.method),
            })
        })
    }

    /// The project's own lines in the stack trace of an exception, innermost first. What caused it is left out.
    pub(crate) fn of_trace(&mut self, trace: &str) -> Vec<SourcePlace> {
        let own = trace.lines().take_while(|line| !line.starts_with("Caused by:"));
        let frames = own.filter_map(frame_of);
        frames.filter_map(|frame| self.place(&[frame])).collect()
    }

    /// The innermost of these frames in the project's own code, as [`OwnCode::place`].
    pub(crate) fn place_of(&mut self, frames: &[Frame]) -> Option<SourcePlace> {
        let stack = frames.iter().filter_map(|frame| {
            let (class, method) = frame.method.rsplit_once('.')?;
            Some(StackFrame {
                class: class.to_owned(),
                method: method.to_owned(),
                file: frame.file.clone(),
                line: frame.line,
            })
        });
        self.place(&stack.collect::<Vec<_>>())
    }

    /// The same place, where the source of its class lies for us.
    pub(crate) fn at_home(&mut self, place: &SourcePlace) -> Option<SourcePlace> {
        let (class, method) = place.method.rsplit_once('.')?;
        self.place(&[StackFrame {
            class: class.to_owned(),
            method: method.to_owned(),
            file: Some(place.file.clone()),
            line: Some(place.line),
        }])
    }

    /// The class directory that has it.
    fn directory(&mut self, class: &str) -> Option<PathBuf> {
        if !self.known.contains_key(class) {
            let file = format!("{}.class", class.replace('.', "/"));
            let found = self
                .directories
                .iter()
                .find(|directory| directory.join(&file).is_file());
            self.known.insert(class.to_owned(), found.cloned());
        }
        self.known.get(class).cloned().flatten()
    }

    /// From the project's root. A class directory lies two (Maven) or four (Gradle) levels below its module.
    fn source(&self, directory: &Path, class: &str) -> Option<String> {
        let modules = directory.ancestors().skip(1).take(4);
        let file = modules
            .filter(|module| module.starts_with(&self.project))
            .find_map(|module| source_file(module, class))?;
        let relative = file.strip_prefix(&self.project).ok()?;
        Some(relative.to_string_lossy().into_owned())
    }
}

/// The class that a frame's file is named after: a file may declare several.
fn named_by_file(frame: &StackFrame) -> Option<String> {
    let file = frame.file.as_deref()?.rsplit('/').next()?;
    let simple = file.strip_suffix(".java")?;
    Some(match frame.class.rsplit_once('.') {
        Some((package, _)) => format!("{package}.{simple}"),
        None => simple.to_owned(),
    })
}

/// A line of a stack trace: `\tat app//p.ATest.run(ATest.java:7)`, with or without loader and module.
fn frame_of(line: &str) -> Option<StackFrame> {
    let frame = line.trim_start().strip_prefix("at ")?;
    let (method, place) = frame.strip_suffix(')')?.split_once('(')?;
    let method = method.rsplit('/').next()?;
    let (class, method) = method.rsplit_once('.')?;
    let (file, line) = place.split_once(':')?;
    Some(StackFrame {
        class: class.to_owned(),
        method: method.to_owned(),
        file: Some(file.to_owned()),
        line: line.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::simulated;
    use std::fs;

    fn frame(class: &str, line: Option<u32>) -> StackFrame {
        StackFrame {
            class: class.to_owned(),
            method: "run".to_owned(),
            file: Some("FromFrame.java".to_owned()),
            line,
        }
    }

    #[test]
    fn the_innermost_frame_of_the_project_is_the_place() {
        let simulated = simulated("A#a");
        let session = &simulated.session;
        let project = &session.project;
        let write = |file: &str| {
            let path = project.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        write("m1/target/test-classes/p/ATest.class");
        write("m1/target/test-classes/p/ATest$Inner.class");
        write("m1/target/test-classes/p/Second.class");
        write("m1/src/test/java/p/ATest.java");
        write("m1/patched/p/Patched.class");
        let mut launch = session.suite.launches[0].clone();
        let patched = project.join("m1/patched");
        launch.options = vec![format!("--patch-module=m={}", patched.display())];
        let mut places = OwnCode::new(project, &launch);
        let mut shown = |stack: &[StackFrame]| {
            let place = places.place(stack)?;
            Some(format!("{}:{} {}", place.file, place.line, place.method))
        };
        let jdk = || frame("java.util.HashMap", Some(1));
        let test = || frame("p.ATest", Some(7));
        // Made while the tests run: it is in no directory, and its lines are in no source.
        let mock = || frame("p.ATest$MockitoMock$1", Some(5));
        assert_eq!(
            shown(&[jdk(), test(), frame("p.ATest", Some(9))]).unwrap(),
            "m1/src/test/java/p/ATest.java:7 p.ATest.run"
        );
        // Without a line there is nothing to show, and the caller is the place.
        assert!(shown(&[frame("p.ATest", None), test()]).unwrap().contains(":7"));
        // Its source is not to be found.
        assert_eq!(
            shown(&[frame("p.Patched", Some(3))]).unwrap(),
            "FromFrame.java:3 p.Patched.run"
        );
        assert_eq!(
            shown(&[mock(), frame("p.ATest$Inner", Some(4)), test()]).unwrap(),
            "m1/src/test/java/p/ATest.java:4 p.ATest$Inner.run"
        );
        // A class in the file of another one.
        let second = StackFrame {
            file: Some("ATest.java".to_owned()),
            ..frame("p.Second", Some(8))
        };
        assert_eq!(
            shown(&[second]).unwrap(),
            "m1/src/test/java/p/ATest.java:8 p.Second.run"
        );
        assert_eq!(shown(&[jdk(), mock()]), None);
        let own: Vec<bool> = places
            .frames(&[jdk(), mock(), test()])
            .iter()
            .map(|frame| frame.own)
            .collect();
        assert_eq!(own, [false, false, true]);
    }

    #[test]
    fn the_lines_of_a_trace_that_are_the_projects_own_are_places() {
        let simulated = simulated("A#a");
        let session = &simulated.session;
        let classes = session.project.join("m1/target/test-classes/p");
        fs::create_dir_all(&classes).unwrap();
        fs::write(classes.join("ATest.class"), "").unwrap();
        let mut places = OwnCode::new(&session.project, &session.suite.launches[0]);
        let trace = "E: no\n\tat java.base/java.util.List.of(List.java:1)\n\tat app//p.ATest.check(ATest.java:7)\n\
            \tat p.ATest.run(ATest.java:3)\n\tat p.ATest.made(Unknown Source)\n\
            Caused by: E: why\n\tat p.ATest.inner(ATest.java:9)\n";
        let shown = |place: SourcePlace| format!("{}:{} {}", place.file, place.line, place.method);
        let found: Vec<String> = places.of_trace(trace).into_iter().map(shown).collect();
        assert_eq!(found, ["ATest.java:7 p.ATest.check", "ATest.java:3 p.ATest.run"]);
        let place = |method: &str| SourcePlace {
            file: "ATest.java".to_owned(),
            line: 7,
            method: method.to_owned(),
        };
        assert_eq!(
            places.at_home(&place("p.ATest.check")),
            Some(place("p.ATest.check"))
        );
        assert_eq!(places.at_home(&place("p.Other.check")), None);
        let frames = places.frames(&[frame("java.util.List", Some(1)), frame("p.ATest", Some(4))]);
        let of_frames = places.place_of(&frames).map(shown);
        assert_eq!(of_frames.as_deref(), Some("FromFrame.java:4 p.ATest.run"));
    }

    #[test]
    fn a_line_of_a_trace_is_a_frame_with_or_without_its_module() {
        let shown = |line: &str| {
            let frame = frame_of(line)?;
            Some(format!(
                "{}.{} {:?} {:?}",
                frame.class, frame.method, frame.file, frame.line
            ))
        };
        let expected = "p.A.b Some(\"A.java\") Some(7)";
        for line in [
            "\tat p.A.b(A.java:7)",
            "at app//p.A.b(A.java:7)",
            "  at m@1.0/p.A.b(A.java:7)",
        ] {
            assert_eq!(shown(line).as_deref(), Some(expected), "{line}");
        }
        for line in [
            "p.A.b(A.java:7)",
            "at p.A.b(Native Method)",
            "\t... 3 more",
            "at p.A.b(A.java:7) x",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }
}
