use super::*;
use crate::{
    Cause, Details, FindingKind, LevelSetting, Rate, Repair, RunInfo, Scope, Severity, Summary, finding_id,
    rules,
};
use std::collections::BTreeMap;
use std::time::Duration;
use unflake_protocol::{Form, Level, Seed, Strategy, TestId};

fn finding(method: &str) -> Finding {
    let test = TestId {
        module: ".".to_owned(),
        root: "a.B".to_owned(),
        test: format!("a.B#{method}"),
        invocation: Some("[1]".to_owned()),
    };
    Finding {
        id: finding_id(FindingKind::ImplementationDependent, &test),
        rule: rules::IMPLEMENTATION_DEPENDENT.to_owned(),
        test,
        severity: Severity::Error,
        message: "m".to_owned(),
        exception: "java.lang.AssertionError".to_owned(),
        replay: "unflake replay x".to_owned(),
        rate: Rate { failed: 1, runs: 2 },
        suppressed: None,
        details: Details::ImplementationDependent {
            level: Level::Id,
            levels_tried: Vec::new(),
            round: 1,
            strategy: Strategy {
                level: Level::Full,
                form: Form::Random(Seed(u64::from(u32::MAX) + 5)),
            },
            scope: Scope::Prefix,
            apis: Vec::new(),
            cause: Cause::default(),
            repair: Repair::default(),
        },
    }
}

fn document(seed: u64, methods: &[&str]) -> Document {
    Document {
        schema_version: SCHEMA_VERSION,
        run: RunInfo {
            project: "p".to_owned(),
            command: Vec::new(),
            time_started: 1,
        },
        summary: Summary {
            tests: 1,
            checked: 1,
            skipped: BTreeMap::new(),
            rounds: 1,
            seed: Seed(seed),
            level: LevelSetting::Only(Level::Id),
            time: 0.5,
            java: Vec::new(),
            version: "0".to_owned(),
            partial: false,
        },
        findings: methods.iter().map(|method| finding(method)).collect(),
        excluded: Vec::new(),
        notes: Vec::new(),
    }
}

/// A base and a project beside it.
fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let (base, project) = (root.path().join("store"), root.path().join("my project"));
    fs::create_dir(&project).unwrap();
    (root, base, project)
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_700_800 + seconds)
}

#[test]
fn what_is_saved_comes_back() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    assert!(matches!(store.latest(), Err(StoreError::NoRun)));
    assert!(matches!(store.find("a"), Err(StoreError::NoRun)));
    let run = store.begin(at(0)).unwrap();
    run.save(&document(7, &["c"]), &vec!["recipe".to_owned()])
        .unwrap();
    let again = ProjectStore::open(&base, &project).unwrap().latest().unwrap();
    assert_eq!(again.id(), run.id());
    assert_eq!(again.document().unwrap(), document(7, &["c"]));
    assert_eq!(again.recipe::<Vec<String>>().unwrap(), ["recipe"]);
}

#[test]
fn directories_belong_to_the_user_alone() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    let run = store.begin(at(0)).unwrap();
    for directory in [store.directory(), run.directory()] {
        assert_eq!(
            fs::metadata(directory).unwrap().permissions().mode() & 0o777,
            0o700,
            "{directory:?}"
        );
    }
    let name = store.directory().file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with("my_project-") && name.len() == "my_project-".len() + 8,
        "{name}"
    );
}

#[test]
fn runs_begun_at_the_same_moment_are_two() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    let (first, second) = (store.begin(at(0)).unwrap(), store.begin(at(0)).unwrap());
    assert!(first.id() < second.id());
    assert!(
        store.runs().unwrap().is_empty(),
        "a run without a document has not ended"
    );
}

#[test]
fn a_finding_is_found_in_the_latest_run_that_has_it() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    for (second, seed, methods) in [(0, 1, &["c", "d"][..]), (1, 2, &["c"]), (2, 3, &[])] {
        store
            .begin(at(second))
            .unwrap()
            .save(&document(seed, methods), &())
            .unwrap();
    }
    let seed_of = |id: &str| store.find(id).map(|(_, document, _)| document.summary.seed.0);
    assert_eq!(seed_of(finding("c").id.as_str()).unwrap(), 2);
    assert_eq!(seed_of(&finding("d").id.as_str()[..6]).unwrap(), 1);
    match seed_of("zzzz-zzzz") {
        Err(StoreError::NoFinding { known, .. }) => assert_eq!(known, [finding("c").id]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_prefix_of_two_findings_is_ambiguous() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    // More findings than first letters: two share one.
    let methods: Vec<String> = (0..33).map(|n| format!("m{n}")).collect();
    let document = document(1, &methods.iter().map(String::as_str).collect::<Vec<_>>());
    store.begin(at(0)).unwrap().save(&document, &()).unwrap();
    let mut first: Vec<&str> = document
        .findings
        .iter()
        .map(|finding| &finding.id.as_str()[..1])
        .collect();
    first.sort_unstable();
    let shared = first.windows(2).find(|pair| pair[0] == pair[1]).unwrap()[0];
    assert!(matches!(store.find(shared), Err(StoreError::Ambiguous { matching, .. }) if matching.len() > 1));
}

#[test]
fn damaged_and_foreign_files_are_named_and_hide_nothing() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    store
        .begin(at(0))
        .unwrap()
        .save(&document(1, &["c"]), &())
        .unwrap();
    let broken = store.begin(at(1)).unwrap();
    fs::write(broken.directory().join("run.json"), "{\"schema_version\": 1, ").unwrap();
    let foreign = store.begin(at(2)).unwrap();
    fs::write(foreign.directory().join("run.json"), "{\"schema_version\": 99}").unwrap();
    assert!(matches!(broken.document(), Err(StoreError::Damaged { .. })));
    assert!(matches!(
        foreign.document(),
        Err(StoreError::OtherFormat { found: 99, .. })
    ));
    assert!(store.find(finding("c").id.as_str()).is_ok());
}

#[test]
fn a_lost_latest_run_is_not_missed() {
    let (_root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    store.begin(at(0)).unwrap().save(&document(1, &[]), &()).unwrap();
    let second = store.begin(at(1)).unwrap();
    second.save(&document(2, &[]), &()).unwrap();
    fs::remove_dir_all(second.directory()).unwrap();
    assert_eq!(store.latest().unwrap().document().unwrap().summary.seed, Seed(1));
}

#[test]
fn the_store_lies_where_the_user_wants_it() {
    let base = |vars: &[(&str, &str)]| {
        default_base(|name| {
            vars.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
        .map(|path| path.display().to_string())
        .ok()
    };
    let (home, xdg, own) = (("HOME", "/h"), ("XDG_CACHE_HOME", "/x"), ("UNFLAKE_STORE", "/u"));
    assert_eq!(base(&[home]).as_deref(), Some("/h/.cache/unflake"));
    assert_eq!(base(&[home, xdg]).as_deref(), Some("/x/unflake"));
    assert_eq!(base(&[home, xdg, own]).as_deref(), Some("/u"));
    assert_eq!(
        base(&[home, ("XDG_CACHE_HOME", "relative")]).as_deref(),
        Some("/h/.cache/unflake")
    );
    assert_eq!(base(&[("HOME", "")]), None);
}

#[test]
fn the_project_of_a_finding_is_found_from_anywhere() {
    let (root, base, first) = place();
    let (second, third) = (root.path().join("second"), root.path().join("third"));
    assert_eq!(project_with(&base, "a").unwrap(), None);
    for (second_of_day, project, methods) in [
        (0, &first, &["c", "d"][..]),
        (1, &second, &["c"]),
        (2, &third, &["c"]),
    ] {
        fs::create_dir_all(project).unwrap();
        let store = ProjectStore::open(&base, project).unwrap();
        store
            .begin(at(second_of_day))
            .unwrap()
            .save(&document(1, methods), &())
            .unwrap();
    }
    fs::remove_dir(&third).unwrap();
    fs::write(base.join("projects/stray"), "").unwrap();
    let found = |method: &str| project_with(&base, finding(method).id.as_str()).unwrap();
    assert_eq!(
        found("c"),
        Some(second.canonicalize().unwrap()),
        "the latest that is still there"
    );
    assert_eq!(found("d"), Some(first.canonicalize().unwrap()));
    assert_eq!(found("e"), None);
}
