//! What a simulated test does, and when, as text: `fails varied full; changes S.count after A#one`.

use std::time::Duration;
use unflake_protocol::{
    Blame, ChangeForm, ChoiceId, FieldName, Form, Level, LoadProblem, Order, Others, RunCommand, Seed, Shown,
    StateChange, StateKind, Step, Strategy,
};
use unflake_runner::{Death, Whereabouts};

/// A thing that a test does, if all of the conditions hold.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) action: Action,
    when: Vec<When>,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    Fails,
    /// It fails since another process has the port that it wants.
    WantsPort,
    /// It ends its JVM.
    Dies(Death),
    Hangs,
    /// The JVM ends between this test and the next.
    Exits,
    Skips,
    /// The framework does not run it when asked to.
    IsMissing,
    SetUpFails,
    /// The agent has a bug and says so.
    Bug,
    /// The user has had enough.
    Cancels,
    Sleeps(Duration),
    Chooses {
        model: String,
        size: u32,
        thread: u16,
    },
    /// Shared state, in a JVM that watches.
    Changes(Box<StateChange>),
    /// The same, done by set-up or tear-down of the class.
    ClassChanges(Box<StateChange>),
    /// A static field that holds the first value if its class is loaded before all tests, else the second.
    Captures {
        root: String,
        early: String,
        late: String,
    },
    /// What it does to a class that it is the first to load, unless the class is loaded before all tests.
    Hides(Box<StateChange>),
    NotWatched(String),
    /// A static field that a thread keeps changing.
    Restless(String),
    /// A class that cannot be loaded before all tests.
    NotLoaded {
        class: String,
        problem: LoadProblem,
    },
    /// The state after it cannot be compared.
    NotCompared(Blame),
    Unusable(String),
}

#[derive(Clone, Debug)]
enum When {
    Varied(Level),
    Unvaried,
    Form(String),
    After(String),
    Without(String),
    /// It has run in this JVM before.
    Again,
    Once,
    /// By the number of its run, in whatever JVM: `f` says that the rule applies. The last letter goes on for ever.
    Turns(String),
    /// In every second of its runs, in whatever JVM.
    Alternately,
    /// In so many of a hundred runs, as if by chance.
    Luck(u64),
    /// In so many of a hundred JVMs, in each of its runs there.
    LuckOfJvm(u64),
    /// Single choices are told what to do.
    Scripted,
    /// The choice with this number, from 1, does not answer as it naturally would.
    Reordered(usize),
    Unwatched,
    /// Classes are loaded before the first test.
    Eager,
    /// Its JVM is isolated.
    Inside,
}

/// What a test can see of the run that it is in.
pub(super) struct Surroundings<'a> {
    pub(super) command: &'a RunCommand,
    /// Tests that ran before in this JVM, the same one too.
    pub(super) before: &'a [String],
    pub(super) test: &'a str,
    /// How often it has run before, in all JVMs.
    pub(super) runs: usize,
    /// The number of its JVM.
    pub(super) jvm: usize,
    /// The choices that it makes: where, and among how many.
    pub(super) choices: &'a [(ChoiceId, u32)],
    pub(super) watches: bool,
    pub(super) is_eager: bool,
    pub(super) whereabouts: Whereabouts,
}

impl Rule {
    /// `fails varied full and after A#one`.
    pub(super) fn parse(text: &str) -> Rule {
        let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
        let mut next = || words.next().unwrap_or_else(|| panic!("too short: `{text}`"));
        let action = match next() {
            "fails" => Action::Fails,
            "wants-port" => Action::WantsPort,
            "dies" => Action::Dies(Death::Exit),
            "crashes" => Action::Dies(Death::Signal),
            // Its JVM's connection to us.
            "cuts" => Action::Dies(Death::Cut),
            "hangs" => Action::Hangs,
            "exits" => Action::Exits,
            "skips" => Action::Skips,
            "is-missing" => Action::IsMissing,
            "set-up-fails" => Action::SetUpFails,
            "bug" => Action::Bug,
            "cancels" => Action::Cancels,
            "sleeps" => Action::Sleeps(Duration::from_millis(next().parse().unwrap())),
            "chooses" => Action::Chooses {
                model: next().to_owned(),
                size: next().parse().unwrap(),
                thread: 0,
            },
            "chooses-elsewhere" => Action::Chooses {
                model: next().to_owned(),
                size: next().parse().unwrap(),
                thread: 1,
            },
            "changes" => Action::Changes(Box::new(change(next()))),
            "class-changes" => Action::ClassChanges(Box::new(change(next()))),
            "captures" => Action::Captures {
                root: next().to_owned(),
                early: next().to_owned(),
                late: next().to_owned(),
            },
            "hides" => Action::Hides(Box::new(change(next()))),
            "not-watched" => Action::NotWatched(next().to_owned()),
            "restless" => Action::Restless(next().to_owned()),
            "blocks" => Action::NotLoaded {
                class: next().to_owned(),
                problem: LoadProblem::Blocks,
            },
            "throws-eagerly" => Action::NotLoaded {
                class: next().to_owned(),
                problem: LoadProblem::Throws,
            },
            "not-compared" => Action::NotCompared(Blame::Unflake),
            "no-memory" => Action::NotCompared(Blame::Jvm),
            "unusable" => Action::Unusable(next().to_owned()),
            other => panic!("unknown action `{other}`"),
        };
        let mut when = Vec::new();
        while let Some(word) = words.next() {
            let mut next = || words.next().unwrap_or_else(|| panic!("too short: `{text}`"));
            when.push(match word {
                "and" => continue,
                "varied" => When::Varied(Level::One),
                "unvaried" => When::Unvaried,
                "level" => When::Varied(next().parse().unwrap()),
                "form" => When::Form(next().to_owned()),
                "after" => When::After(next().to_owned()),
                "without" => When::Without(next().to_owned()),
                "again" => When::Again,
                "once" => When::Once,
                "turns" => When::Turns(next().to_owned()),
                "alternately" => When::Alternately,
                "luck" => When::Luck(next().parse().unwrap()),
                "jvm-luck" => When::LuckOfJvm(next().parse().unwrap()),
                "scripted" => When::Scripted,
                "reordered" => When::Reordered(next().parse().unwrap()),
                "unwatched" => When::Unwatched,
                "eager" => When::Eager,
                "inside" => When::Inside,
                other => panic!("unknown condition `{other}`"),
            });
        }
        Rule { action, when }
    }

    pub(super) fn applies(&self, around: &Surroundings<'_>) -> bool {
        self.when.iter().all(|when| when.holds(around))
    }
}

impl When {
    fn holds(&self, around: &Surroundings<'_>) -> bool {
        let strategy = around.command.strategy;
        let has_run = |name: &str| around.before.iter().any(|before| before == name);
        match self {
            When::Varied(level) => strategy.is_some_and(|strategy| strategy.level >= *level),
            When::Unvaried => strategy.is_none(),
            When::Form(name) => strategy.is_some_and(|strategy| form(strategy) == name),
            When::After(other) => has_run(other),
            When::Without(other) => !has_run(other),
            When::Again => has_run(around.test),
            When::Once => !has_run(around.test),
            When::Turns(turns) => {
                let last = turns.len() - 1;
                turns.as_bytes()[around.runs.min(last)] == b'f'
            }
            When::Alternately => around.runs % 2 == 1,
            When::Luck(percent) => is_drawn(around.test, around.runs, *percent),
            When::LuckOfJvm(percent) => is_drawn(around.test, around.jvm, *percent),
            When::Scripted => around.command.script.is_some(),
            When::Reordered(number) => {
                let (id, size) = around.choices[*number - 1];
                !order(around.command, id, size).is_sorted()
            }
            When::Unwatched => !around.watches,
            When::Eager => around.is_eager,
            When::Inside => around.whereabouts == Whereabouts::Inside,
        }
    }
}

/// Whether a test is among so many of a hundred, in its draw with this number.
fn is_drawn(test: &str, number: usize, percent: u64) -> bool {
    let name = test.bytes().fold(7, |hash: u64, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    Seed(name).derive(number as u64).0 % 100 < percent
}

fn form(strategy: Strategy) -> &'static str {
    match strategy.form {
        Form::Reverse => "reverse",
        Form::Odd => "odd",
        Form::Pairs => "pairs",
        Form::Random(_) => "random",
    }
}

/// What a choice answers in a run. Whatever varies is reversed.
pub(super) fn order(command: &RunCommand, id: ChoiceId, size: u32) -> Vec<u32> {
    let natural = || (0..size).collect::<Vec<u32>>();
    let varied = || match command.strategy {
        Some(_) => (0..size).rev().collect(),
        None => natural(),
    };
    let Some(script) = &command.script else {
        return varied();
    };
    let entry = script
        .entries
        .iter()
        .find(|(from, to, _)| (*from..=*to).contains(&id));
    match (entry.map(|(.., order)| order), script.others) {
        (Some(Order::Given(order)), _) => order.clone(),
        (Some(Order::Natural), _) | (None, Others::Natural) => natural(),
        (Some(Order::Varied), _) | (None, Others::Varied) => varied(),
    }
}

/// A change by the name of what was changed: `S.count`, `file:/tmp/x`, `property:x`; `S.count=1>2` with other values.
pub(crate) fn change(text: &str) -> StateChange {
    let (name, values) = text.split_once('=').unwrap_or((text, "old>new"));
    let (old, new) = values.split_once('>').unwrap();
    let (kind, root) = match name.split_once(':') {
        Some(("file", root)) => (StateKind::File, root),
        Some(("property", root)) => (StateKind::Property, root),
        Some((other, _)) => panic!("unknown kind `{other}`"),
        None => (StateKind::Heap, name),
    };
    let value = |text: &str| match text {
        "" => None,
        text => Some(Shown::object("a.Thing", text)),
    };
    let steps = match (kind, root.rsplit_once('.')) {
        (StateKind::Heap, Some((class, name))) => vec![Step::Field(FieldName {
            class: class.to_owned(),
            name: name.to_owned(),
        })],
        _ => Vec::new(),
    };
    StateChange {
        kind,
        root: root.to_owned(),
        path: root.to_owned(),
        form: match (old, new) {
            ("", _) => ChangeForm::FirstSet,
            (_, "") => ChangeForm::Removed,
            _ => ChangeForm::Replaced,
        },
        old: value(old),
        new: value(new),
        steps,
        slot: None,
        more: 0,
        also: Vec::new(),
        around: Vec::new(),
    }
}
