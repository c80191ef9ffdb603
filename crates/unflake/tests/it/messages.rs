//! `docs/messages.md` has every error sentence as a heading, and no others: users search for the text in front of them.
//!
//! The sentences are collected from the sources: from `problem!(…)`, and from the `Display` of the libraries' errors
//! that become problems. What is filled in when the program runs is `…` in the headings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_message_is_explained() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut said = BTreeSet::new();
    for program in ["crates/unflake/src", "crates/unflake-check/src"] {
        for file in sources(&top.join(program)) {
            said.extend(problems(&code(&file), &file));
        }
    }
    for library in ["unflake-findings", "unflake-project", "unflake-runner"] {
        for file in sources(&top.join("crates").join(library).join("src")) {
            said.extend(displays(&code(&file)));
        }
    }
    // Only what the program adds nothing to is a sentence of its own.
    said.retain(|sentence| sentence.chars().any(char::is_alphabetic));
    let page = fs::read_to_string(top.join("docs/messages.md")).unwrap();
    let explained: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(str::to_owned)
        .collect();
    let missing: Vec<&String> = said.difference(&explained).collect();
    let stale: Vec<&String> = explained.difference(&said).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not in docs/messages.md: {missing:#?}\nno longer said: {stale:#?}"
    );
}

#[test]
fn sentences_are_found_in_code() {
    let code = "fn f() { problem!(\n    Usage,\n    \"no `{}` in \\\n     {place:?}\\n\", x) }\nproblem!(Bug, \"{error}\")";
    assert_eq!(problems(code, Path::new("x")), ["no `…` in …\n", "…"]);
    let display = "impl fmt::Display for AError { write!(f, \"a {b}\") }\n}\nimpl fmt::Display for Level { f.write_str(\"c\") }\n}\n";
    assert_eq!(displays(display), ["a …"]);
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// A source file without its comments and without its tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The sentences of `problem!(Exit, "sentence", …)`.
fn problems(code: &str, file: &Path) -> Vec<String> {
    let calls = code.split("problem!(").skip(1);
    calls
        .map(|call| {
            let (_, after) = call.split_once(',').unwrap_or_default();
            let literal = after.trim_start().strip_prefix('"');
            literal
                .map(sentence)
                .unwrap_or_else(|| panic!("{}: problem!({:.60}", file.display(), call))
        })
        .collect()
}

/// The sentences in `impl fmt::Display for …Error`.
fn displays(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in code.split("impl fmt::Display for ").skip(1) {
        let name = part.split_whitespace().next().unwrap_or_default();
        let body = part.split("\n}\n").next().unwrap_or_default();
        if name.ends_with("Error") {
            let literals = body.split('"').enumerate().filter(|(at, _)| at % 2 == 1);
            found.extend(literals.map(|(_, literal)| sentence(&format!("{literal}\""))));
        }
    }
    found
}

/// A literal after its opening quote, as it is read: up to the closing one, placeholders as `…`.
fn sentence(literal: &str) -> String {
    let mut text = String::new();
    let mut letters = literal.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                // The line goes on below.
                Some('\n') => while letters.next_if(|c| c.is_whitespace()).is_some() {},
                Some(other) => text.push(other),
                None => {}
            },
            '{' if letters.next_if_eq(&'{').is_some() => text.push('{'),
            '{' => {
                letters.by_ref().find(|c| *c == '}');
                text.push('…');
            }
            '}' => {
                letters.next_if_eq(&'}');
                text.push('}');
            }
            other => text.push(other),
        }
    }
    text
}
