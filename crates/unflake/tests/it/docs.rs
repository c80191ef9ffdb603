//! Pages that rot first: what they list must be what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn the_architecture_lists_every_crate() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let there: BTreeSet<String> = fs::read_dir(top.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let page = fs::read_to_string(top.join("docs/architecture.md")).unwrap();
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.starts_with("unflake"))
        .collect();
    assert_eq!(listed, there);
}
