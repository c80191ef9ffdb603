//! What is printed: how many mutants of each file the tests notice, and those that they do not.

use super::mutant::Mutant;
use super::run::Fate;
use std::collections::BTreeMap;

/// Of one file, or of all.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    killed: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, fate: &Fate) {
        self.all += 1;
        self.killed += usize::from(fate.is_killed());
    }

    fn row(self, name: &str) -> String {
        let share = 100.0 * self.killed as f64 / self.all.max(1) as f64;
        format!("{share:>6.1} % {:>5} of {:>5}  {name}", self.killed, self.all)
    }
}

pub(super) fn text(name: &str, fates: &[(&Mutant, Fate)], dropped: usize) -> String {
    let mut files: BTreeMap<&str, Count> = BTreeMap::new();
    let mut whole = Count::default();
    for (mutant, fate) in fates {
        files.entry(&mutant.file).or_default().add(fate);
        whole.add(fate);
    }
    let mut lines: Vec<String> = files.iter().map(|(file, count)| count.row(file)).collect();
    let ended = fates.iter().filter(|(_, fate)| *fate == Fate::Ended).count();
    let note =
        format!("{name} ({ended} by a time limit or the end of the process, {dropped} do not compile)");
    lines.push(whole.row(&note));
    lines.push(String::new());
    for (mutant, fate) in fates {
        match fate {
            Fate::Survived => lines.push(mutant.name()),
            Fate::Unreached => lines.push(format!("{} (not reached)", mutant.name())),
            Fate::Killed(_) | Fate::Ended => {}
        }
    }
    lines.join("\n")
}

/// The names of mutants in a text that was printed.
pub(super) fn names(text: &str) -> Vec<String> {
    let names = text.lines().filter(|line| line.contains(" → "));
    names
        .map(|line| line.trim_end_matches(" (not reached)").to_owned())
        .collect()
}
