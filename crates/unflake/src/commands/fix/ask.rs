//! `fix --interactive`: shows each patch with its reason, and asks whether it is wanted.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use unflake_runner::Cancel;

/// How often somebody who waits for an answer looks whether the user has cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(50);

const HELP: &str = "\
y  write this patch
n  leave this patch out
a  write this patch and all that follow
q  leave out this patch and all that follow
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    All,
    Quit,
}

impl Answer {
    fn of(text: &str) -> Option<Answer> {
        match text.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(Answer::Yes),
            "n" | "no" => Some(Answer::No),
            "a" | "all" => Some(Answer::All),
            "q" | "quit" => Some(Answer::Quit),
            _ => None,
        }
    }
}

/// A patch to ask about.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) id: String,
    /// The patch with its reason and its proof.
    pub(super) text: String,
}

/// Asks for each patch. The ids of those that are wanted; an end of the answers is taken for `q`.
pub(super) fn ask(
    patches: &[Shown],
    screen: &mut dyn Write,
    mut answers: impl Iterator<Item = String>,
) -> io::Result<BTreeSet<String>> {
    let mut wanted = BTreeSet::new();
    let mut all = false;
    for (number, patch) in (1..).zip(patches) {
        if !all {
            screen.write_all(patch.text.as_bytes())?;
            let question = format!(
                "write patch {number} of {} into the project? [y,n,a,q,?] ",
                patches.len()
            );
            match answer(&question, screen, &mut answers)? {
                Answer::Yes => {}
                Answer::No => continue,
                Answer::All => all = true,
                Answer::Quit => break,
            }
        }
        wanted.insert(patch.id.clone());
    }
    Ok(wanted)
}

/// Asks until there is an answer.
fn answer(
    question: &str,
    screen: &mut dyn Write,
    answers: &mut impl Iterator<Item = String>,
) -> io::Result<Answer> {
    loop {
        screen.write_all(question.as_bytes())?;
        screen.flush()?;
        let Some(line) = answers.next() else {
            // The question has no line end of its own.
            screen.write_all(b"\n")?;
            return Ok(Answer::Quit);
        };
        match Answer::of(&line) {
            Some(answer) => return Ok(answer),
            None => screen.write_all(HELP.as_bytes())?,
        }
    }
}

/// Lines of standard input, until it ends or the user cancels.
pub(super) fn typed(cancel: &Cancel) -> impl Iterator<Item = String> {
    let lines = read_lines();
    let cancel = cancel.clone();
    std::iter::from_fn(move || {
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            match lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    })
}

/// A thread of its own reads: a read of the terminal goes on after Ctrl-C.
fn read_lines() -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wanted of three patches after these answers, and what was on the screen.
    fn asked(answers: &str) -> (String, String) {
        let patches = ["one", "two", "three"].map(|id| Shown {
            id: id.to_owned(),
            text: format!("this is {id}\n"),
        });
        let mut screen = Vec::new();
        let lines = answers.split_terminator(' ').map(str::to_owned);
        let wanted = ask(&patches, &mut screen, lines).unwrap();
        let wanted: Vec<String> = wanted.into_iter().collect();
        (wanted.join(" "), String::from_utf8(screen).unwrap())
    }

    #[test]
    fn each_patch_is_wanted_or_not() {
        for (answers, wanted) in [
            ("y y y", "one three two"),
            ("n Yes no", "two"),
            ("n n n", ""),
            ("a", "one three two"),
            ("n a", "three two"),
            ("y q", "one"),
            ("q", ""),
            // Answers that end are no consent.
            ("y", "one"),
            ("", ""),
            // What is no answer is asked again.
            ("what y n n", "one"),
            ("? y n n", "one"),
        ] {
            assert_eq!(asked(answers).0, wanted, "{answers}");
        }
    }

    #[test]
    fn patches_are_shown_one_by_one() {
        let (_, screen) = asked("y ? q");
        let asked = |number: u32| format!("write patch {number} of 3 into the project? [y,n,a,q,?] ");
        assert_eq!(
            screen,
            format!(
                "this is one\n{}this is two\n{}{HELP}{}",
                asked(1),
                asked(2),
                asked(2)
            )
        );
    }
}
