//! Pages that rot first: what they list must be what there is, and they must stay easy to read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest line of a page, in characters; tables, headings and code cannot be wrapped.
const WIDEST: usize = 120;

/// Longest architecture page, in words: ten minutes for a newcomer.
const MOST_WORDS: usize = 2000;

#[test]
fn the_architecture_lists_every_crate() {
    let there: BTreeSet<String> = fs::read_dir(top().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let page = page("docs/architecture.md");
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.starts_with("unflake"))
        .collect();
    assert_eq!(listed, there);
}

#[test]
fn the_architecture_is_read_in_ten_minutes() {
    let words = page("docs/architecture.md").split_whitespace().count();
    assert!(words <= MOST_WORDS, "{words} words");
}

#[test]
fn every_number_that_code_cites_can_be_looked_up() {
    let page = page("docs/words.md");
    let explained: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("- **")?.split_once("**"))
        .map(|(number, _)| number)
        .collect();
    let mut missing = BTreeMap::new();
    for file in files(&top(), &["crates", "runtime", "xtask"]) {
        if is_source(&file) {
            for number in cited(&fs::read_to_string(&file).unwrap()) {
                if !explained.contains(number.as_str()) {
                    missing.insert(number, file.clone());
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in docs/words.md: {missing:#?}");
}

#[test]
fn every_file_that_a_page_names_is_there() {
    let top = top();
    let all: Vec<String> = files(
        &top,
        &[
            "bench", "crates", "docs", "fixtures", "runtime", "scripts", "xtask",
        ],
    )
    .iter()
    .map(|file| format!("/{}", file.strip_prefix(&top).unwrap().display()))
    .collect();
    let mut missing = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for name in named_files(&text) {
            let is_there = all
                .iter()
                .any(|file| file.ends_with(&format!("/{name}")) || file.contains(&format!("/{name}/")));
            if !is_there {
                missing.push(format!("{}: `{name}`", page.display()));
            }
        }
        for link in links(&text) {
            if !page.parent().unwrap().join(&link).exists() {
                missing.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn each_message_has_one_heading() {
    let page = page("docs/messages.md");
    let headings: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
    let once: BTreeSet<&&str> = headings.iter().collect();
    let twice: Vec<&&str> = once
        .into_iter()
        .filter(|heading| headings.iter().filter(|other| other == heading).count() > 1)
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn lines_of_pages_are_not_too_wide() {
    let mut wide = Vec::new();
    for page in pages() {
        for (number, line) in prose(&fs::read_to_string(&page).unwrap()) {
            if line.chars().count() > WIDEST {
                wide.push(format!("{}:{number}", page.display()));
            }
        }
    }
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn names_of_files_are_found_in_text() {
    let text = "See `order/stages.rs`, `crates/unflake` and `unflake.toml`, [more](pollution.md#x) and\n\
                `Unflake.java`; `a.b.File.java:120`, `cargo xtask x crates/y`.\n```\n`gone.rs`\n```\n";
    assert_eq!(
        named_files(text),
        ["order/stages.rs", "crates/unflake", "Unflake.java"]
    );
    assert_eq!(links(text), ["pollution.md"]);
    assert_eq!(
        cited("// (N7), P11.\nN123 XN7 let N1x; \"R9\""),
        ["N7", "P11", "R9"]
    );
    assert_eq!(
        prose("a\n```\nb\n```\n| c |\n# d\ne").collect::<Vec<_>>(),
        [(1, "a"), (7, "e")]
    );
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn page(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap()
}

/// What people read.
fn pages() -> Vec<PathBuf> {
    let top = top();
    let docs = fs::read_dir(top.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|page| top.join(page)));
    pages.sort();
    pages
}

/// All files below these folders, without what builds leave there.
fn files(top: &Path, folders: &[&str]) -> Vec<PathBuf> {
    let mut todo: Vec<PathBuf> = folders.iter().map(|folder| top.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files.push(path);
            } else if !path.ends_with("target") {
                todo.push(path);
            }
        }
    }
    files.sort();
    files
}

fn is_source(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "rs" || extension == "java")
}

/// Numbers of the specification: a letter of its chapters and one or two digits, as a word.
fn cited(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words
        .filter(|word| {
            let digits = word.strip_prefix(['N', 'P', 'R', 'U']).unwrap_or_default();
            matches!(digits.len(), 1 | 2) && digits.chars().all(|digit| digit.is_ascii_digit())
        })
        .map(str::to_owned)
        .collect()
}

/// Names in backticks that are a source file, or a path from the top of the repository.
fn named_files(text: &str) -> Vec<String> {
    const FOLDERS: [&str; 7] = [
        "bench/",
        "crates/",
        "docs/",
        "fixtures/",
        "runtime/",
        "scripts/",
        "xtask/",
    ];
    let mut named = Vec::new();
    for (_, line) in prose(text) {
        for (at, code) in line.split('`').enumerate() {
            let is_path = !code.contains([' ', '*', '<', '…', '{']);
            let is_file = code.ends_with(".rs") || code.ends_with(".java");
            let is_ours = FOLDERS.iter().any(|folder| code.starts_with(folder));
            if at % 2 == 1 && is_path && (is_file || is_ours) {
                named.push(code.trim_end_matches('/').to_owned());
            }
        }
    }
    named
}

/// Where links lead that stay in the repository.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

/// Lines with their numbers, without code, tables and headings.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_prose = !is_code && !is_fence && !line.starts_with('|') && !line.starts_with('#');
        is_prose.then_some((number, line))
    })
}
