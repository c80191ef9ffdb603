//! What the settings say about the heap: which fields count, how objects compare, and what of that was of use.

use regex_lite::Regex;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use unflake_protocol::{Abstraction, Compare, HeapSetting, ToProgram, Watch};

pub(crate) struct Asked {
    include: Vec<RootPattern>,
    exclude: Vec<RootPattern>,
    exclude_fields: Vec<RootPattern>,
    abstractions: Vec<Abstraction>,
    news: Mutex<News>,
}

struct RootPattern {
    regex: Regex,
    setting: HeapSetting,
}

/// What the program is to hear, each once.
#[derive(Default)]
struct News {
    known: BTreeSet<HeapSetting>,
    untold: Vec<ToProgram>,
}

impl Asked {
    /// The error names the pattern that is none.
    pub(crate) fn new(watch: &Watch) -> Result<Asked, String> {
        let compile = |patterns: &[String], setting: fn(String) -> HeapSetting| {
            let one = |pattern: &String| {
                let regex = Regex::new(&format!("^(?:{pattern})$"));
                Ok(RootPattern {
                    regex: regex.map_err(|error| format!("`{pattern}`: {error}"))?,
                    setting: setting(pattern.clone()),
                })
            };
            patterns.iter().map(one).collect::<Result<Vec<_>, String>>()
        };
        Ok(Asked {
            include: compile(&watch.roots.include, HeapSetting::IncludeRoots)?,
            exclude: compile(&watch.roots.exclude, HeapSetting::ExcludeRoots)?,
            exclude_fields: compile(&watch.roots.exclude_fields, HeapSetting::ExcludeFields)?,
            abstractions: watch.abstractions.clone(),
            news: Mutex::default(),
        })
    }

    /// Whether a static field is looked at, by its `package.Class.field`.
    pub(crate) fn is_root(&self, field: &str) -> bool {
        (self.include.is_empty() || self.matches(&self.include, field)) && !self.matches(&self.exclude, field)
    }

    /// Whether an instance field is left out, by its `package.Class.field`.
    pub(crate) fn is_excluded(&self, field: &str) -> bool {
        self.matches(&self.exclude_fields, field)
    }

    /// How objects of a class compare, if that was said of this very class.
    pub(crate) fn compare(&self, class: &str) -> Option<&Compare> {
        let of_class = |one: &&Abstraction| one.class == class;
        self.abstractions
            .iter()
            .find(of_class)
            .map(|found| &found.compare)
    }

    pub(crate) fn abstraction_used(&self, class: &str) {
        self.tell_once(HeapSetting::Abstraction(class.to_owned()), ToProgram::Used);
    }

    pub(crate) fn abstraction_unusable(&self, class: &str, reason: String) {
        let message = |_| ToProgram::Unusable {
            class: class.to_owned(),
            reason,
        };
        self.tell_once(HeapSetting::Abstraction(class.to_owned()), message);
    }

    /// What is to be told since the last call.
    pub(crate) fn news(&self) -> Vec<ToProgram> {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut news.untold)
    }

    /// All patterns are tried: one that another covers is of use all the same.
    fn matches(&self, patterns: &[RootPattern], field: &str) -> bool {
        let mut found = false;
        for pattern in patterns.iter().filter(|pattern| pattern.regex.is_match(field)) {
            found = true;
            self.tell_once(pattern.setting.clone(), ToProgram::Used);
        }
        found
    }

    fn tell_once(&self, setting: HeapSetting, message: impl FnOnce(HeapSetting) -> ToProgram) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        if news.known.insert(setting.clone()) {
            news.untold.push(message(setting));
        }
    }
}
