//! `unflake fix` with somebody at the terminal: who picks patches, and who ends it.

use crate::fixture::Fixture;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};

const ONE: &str = "src/test/java/p/OneTest.java";
const TWO: &str = "src/test/java/p/TwoTest.java";
/// What each repaired file has in it.
const REPAIRED: &str = "assertEquals(new HashSet<>(Arrays.asList(\"a\", \"b\")), names);";

/// A test that is repaired by comparing sets.
fn source(class: &str) -> String {
    format!(
        "package p;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class {class} {{
    @Test
    void a() {{
        Set<String> names = new HashSet<>(Arrays.asList(\"a\", \"b\"));
        assertEquals(Arrays.asList(\"a\", \"b\"), new ArrayList<>(names));
    }}
}}
"
    )
}

fn project() -> Fixture {
    let fixture = Fixture::written(&[(ONE, &source("OneTest")), (TWO, &source("TwoTest"))]);
    assert_eq!(fixture.unflake("check").status.code(), Some(1));
    fixture
}

/// Which files are repaired.
fn repaired(fixture: &Fixture) -> Vec<&'static str> {
    let is_repaired = |path: &&str| {
        let text = fs::read_to_string(fixture.project().join(path)).unwrap();
        text.contains(REPAIRED)
    };
    [ONE, TWO].into_iter().filter(is_repaired).collect()
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Sends a signal as soon as a phase begins. The result, and the exit code.
fn stopped_in(fixture: &Fixture, phase: &str, with: Signal) -> (String, Option<i32>) {
    let mut child = fixture
        .command("fix")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let begins = format!("unflake: {phase}");
    let begun = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with(&begins)));
    assert!(begun.is_some(), "the phase `{phase}` never began");
    signal(&child, with);
    let told: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(
        told.contains(&"interrupted; nothing was changed".to_owned()),
        "{told:?}"
    );
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (said, child.wait().unwrap().code())
}

#[test]
fn what_was_proved_before_the_end_is_shown_and_stored() {
    let fixture = project();
    let (said, code) = stopped_in(&fixture, "repairing tests", Signal::TERM);
    assert_eq!(code, Some(143), "{said}");
    let why = "it was interrupted before a repair was found; run `unflake fix` again";
    assert_eq!(said.matches(why).count(), 2, "{said}");
    assert!(
        said.ends_with("partial: the run ended before everything was done\n0 of 2 findings repaired\n"),
        "{said}"
    );

    for phase in [
        "proving all patches together",
        "running the build on a patched copy",
    ] {
        let (said, code) = stopped_in(&fixture, phase, Signal::INT);
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("offered p.OneTest#a\n"), "{said}");
        assert!(said.contains(&format!("+        {REPAIRED}\n")), "{said}");
        assert!(
            said.ends_with(
                "partial: the run ended before everything was done\n\
                 0 of 2 findings repaired, 2 more offered\n"
            ),
            "{said}"
        );
        // The store has it too, with the patches, and the run is still one that can be repaired.
        let runs = fixture.store().join("projects");
        let stored = files_below(&runs, "json");
        assert!(
            stored
                .iter()
                .any(|text| text.contains("before all patches were proved together"))
        );
        assert_eq!(files_below(&runs, "patch").len(), 2);
    }
    assert_eq!(repaired(&fixture), [""; 0]);
    let all = fixture.unflake("fix --apply --allow-dirty");
    assert_eq!(all.status.code(), Some(0));
    assert_eq!(repaired(&fixture), [ONE, TWO]);
}

/// The texts of all files with this end.
fn files_below(folder: &std::path::Path, end: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == end) {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

/// `fix --interactive` on a pseudo terminal.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: String,
}

impl Terminal {
    fn start(fixture: &Fixture) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let open = || File::options().read(true).write(true).open(&name).unwrap();
        let mut command = fixture.command("fix --interactive --allow-dirty --progress counter");
        // Nothing of the surroundings decides about colours.
        command
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .env_remove("CI");
        let child = command
            .stdin(open())
            .stdout(open())
            .stderr(open())
            .spawn()
            .unwrap();
        Terminal {
            child,
            keyboard: File::from(master),
            screen: String::new(),
        }
    }

    /// Reads until the screen ends with this, or until nothing comes any more.
    fn read_until(&mut self, end: &str) {
        let mut bytes = [0; 4096];
        while !self.screen.ends_with(end) {
            // A terminal whose other side is closed gives an error.
            match self.keyboard.read(&mut bytes) {
                Ok(read) if read > 0 => self.screen.push_str(&String::from_utf8_lossy(&bytes[..read])),
                _ => break,
            }
        }
    }

    fn answer(&mut self, answer: &str) {
        self.read_until("[y,n,a,q,?] ");
        assert!(self.screen.ends_with("[y,n,a,q,?] "), "{}", self.screen);
        self.keyboard.write_all(format!("{answer}\n").as_bytes()).unwrap();
        // The terminal echoes it.
        self.screen.push('\n');
    }

    /// All that was on the screen, and the exit code.
    fn end(mut self) -> (String, Option<i32>) {
        self.read_until("\0");
        let code = self.child.wait().unwrap().code();
        (self.screen, code)
    }
}

#[test]
fn patches_are_picked_one_by_one() {
    let fixture = project();
    let again = || {
        fixture.write(ONE, &source("OneTest"));
        fixture.write(TWO, &source("TwoTest"));
    };

    // Ctrl-C at a question leaves everything as it is, also what was wanted until then.
    let mut terminal = Terminal::start(&fixture);
    terminal.answer("y");
    terminal.read_until("write patch 2 of 2 into the project? [y,n,a,q,?] ");
    signal(&terminal.child, Signal::INT);
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(130), "{screen}");
    assert_eq!(repaired(&fixture), [""; 0]);

    let mut terminal = Terminal::start(&fixture);
    terminal.answer("?");
    terminal.answer("n");
    terminal.answer("y");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\u{1b}[32m+        assertEquals("), "{screen:?}");
    assert!(
        screen.contains("a  write this patch and all that follow"),
        "{screen}"
    );
    assert!(
        screen.contains("unflake: proving the chosen patches together"),
        "{screen}"
    );
    assert!(screen.contains("changed 1 file"), "{screen}");
    assert_eq!(repaired(&fixture), [TWO]);

    again();
    let mut terminal = Terminal::start(&fixture);
    terminal.answer("a");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    // All of them were proved together before anybody was asked.
    assert!(
        !screen.contains("proving the chosen patches together"),
        "{screen}"
    );
    assert_eq!(repaired(&fixture), [ONE, TWO]);

    again();
    let mut terminal = Terminal::start(&fixture);
    terminal.answer("q");
    let (screen, code) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("nothing was changed"), "{screen}");
    assert_eq!(repaired(&fixture), [""; 0]);
}
