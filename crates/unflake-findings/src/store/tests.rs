use super::*;
use crate::{
    Cause, CountedProof, Details, FindingKind, LevelSetting, Rate, Repair, RunInfo, Scope, Severity, Summary,
    finding_id, rules,
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
        failure: None,
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
            proof: CountedProof::default(),
            dumps: None,
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
            pictures: None,
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
            isolation: String::new(),
            outside: 0,
        },
        findings: methods.iter().map(|method| finding(method)).collect(),
        excluded: Vec::new(),
        tests: Vec::new(),
        repairs: Vec::new(),
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

/// A store with runs that began at these seconds, each with one finding.
fn with_runs(seconds: &[u64]) -> (tempfile::TempDir, PathBuf, ProjectStore) {
    let (root, base, project) = place();
    let store = ProjectStore::open(&base, &project).unwrap();
    for second in seconds {
        let run = store.begin(at(*second)).unwrap();
        run.save(&document(*second, &["c"]), &()).unwrap();
    }
    (root, base, store)
}

/// The seconds at which the runs that are there began.
fn seconds(runs: &[Run]) -> Vec<u64> {
    let second = |run: &Run| run.id().time().duration_since(at(0)).unwrap().as_secs();
    runs.iter().map(second).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_does_not_exist_is_not_made_by_looking() {
    let (_root, base, project) = place();
    assert!(ProjectStore::existing(&base, &project).unwrap().is_none());
    assert!(projects(&base).unwrap().is_empty());
    assert!(!base.exists());
    ProjectStore::open(&base, &project).unwrap();
    assert!(ProjectStore::existing(&base, &project).unwrap().is_some());
}

#[test]
fn runs_are_told_in_figures() {
    let (_root, _, store) = with_runs(&[5]);
    let mut second = document(7, &["c", "d", "e"]);
    second.summary.partial = true;
    second.findings[0].severity = Severity::Note;
    second.findings[1].suppressed = Some(crate::Suppression {
        by: "comment".to_owned(),
        reason: "meant".to_owned(),
    });
    let Details::ImplementationDependent { cause, .. } = &mut second.findings[2].details else {
        unreachable!("made so above");
    };
    cause.status = crate::CauseStatus::Found;
    let run = store.begin(at(10)).unwrap();
    run.save(&second, &()).unwrap();
    fs::create_dir(run.directory().join("more")).unwrap();
    fs::write(run.directory().join("more/file"), [0; 1000]).unwrap();
    std::os::unix::fs::symlink("/", run.directory().join("link")).unwrap();
    let written = |name: &str| fs::metadata(run.directory().join(name)).unwrap().len();
    let overview = store.runs().unwrap()[1].overview();
    assert_eq!(
        overview,
        RunOverview {
            id: run.id().clone(),
            state: RunState::Partial,
            time_started: 1_794_700_810,
            time_utc: "2026-11-15 00:00:10".to_owned(),
            size: written("run.json") + written("recipe.json") + 1000,
            result: Some(RunResult {
                seed: Seed(7),
                tests: 1,
                checked: 1,
                findings: BTreeMap::from([(Severity::Note, 1), (Severity::Warning, 0), (Severity::Error, 1)]),
                suppressed: 1,
                causes: 1,
                time: 0.5,
                version: "0".to_owned(),
            }),
        }
    );
    assert_eq!(
        serde_json::to_value(&overview).unwrap()["result"]["findings"],
        serde_json::json!({"note": 1, "warning": 0, "error": 1})
    );
}

#[test]
fn what_cannot_be_read_is_listed_with_the_reason() {
    let (_root, _, store) = with_runs(&[0]);
    let state = |second: u64, contents: Option<&str>| {
        let run = store.begin(at(second)).unwrap();
        if let Some(contents) = contents {
            fs::write(run.directory().join("run.json"), contents).unwrap();
        }
        let overview = run.overview();
        assert_eq!(overview.result, None);
        overview.state
    };
    assert_eq!(state(1, None), RunState::Unfinished);
    assert_eq!(state(2, Some("{\"schema_version\": 1, ")), RunState::Damaged);
    assert_eq!(state(3, Some("{\"schema_version\": 99}")), RunState::OtherVersion);
    let older = "{\"schema_version\": 1, \"summary\": {\"version\": \"0.0.1\"}}";
    assert_eq!(state(4, Some(older)), RunState::OtherVersion);
    let ours = older.replace("0.0.1", env!("CARGO_PKG_VERSION"));
    assert_eq!(state(5, Some(&ours)), RunState::Damaged);
    assert_eq!(seconds(&store.all_runs().unwrap()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(store.overview().unwrap().runs, 6);
}

#[test]
fn runs_are_selected_by_name_number_and_age() {
    let (_root, _, store) = with_runs(&[0, 10, 20, 30]);
    let selected = |selection: Selection| seconds(&store.selected(&selection).unwrap());
    let all_but = |keep: Option<usize>, older_than: Option<u64>| Selection::AllBut {
        keep,
        older_than: older_than.map(|age| (at(35), Duration::from_secs(age))),
    };
    assert_eq!(selected(Selection::All), [0, 10, 20, 30]);
    assert_eq!(
        selected(Selection::Named(vec![RunId::at(at(20), 0), RunId::at(at(99), 0)])),
        [20]
    );
    assert_eq!(selected(all_but(Some(1), None)), [0, 10, 20]);
    assert_eq!(selected(all_but(Some(9), None)), [0; 0]);
    assert_eq!(selected(all_but(None, Some(15))), [0, 10]);
    assert_eq!(selected(all_but(Some(3), Some(15))), [0]);
    assert_eq!(selected(all_but(Some(1), Some(30))), [0]);
    let future = Selection::AllBut {
        keep: None,
        older_than: Some((at(5), Duration::from_secs(1))),
    };
    assert_eq!(selected(future), [0]);
}

#[test]
fn a_run_that_may_be_about_to_end_is_kept() {
    let (_root, _, store) = with_runs(&[10, 20]);
    for second in [0, 15, 30] {
        store.begin(at(second)).unwrap();
    }
    let keep = |keep| Selection::AllBut {
        keep: Some(keep),
        older_than: None,
    };
    assert_eq!(seconds(&store.selected(&keep(1)).unwrap()), [0, 10, 15]);
    assert_eq!(seconds(&store.selected(&keep(2)).unwrap()), [0, 15]);
    assert_eq!(
        seconds(&store.selected(&Selection::All).unwrap()),
        [0, 10, 15, 20, 30]
    );
}

#[test]
fn latest_stays_right() {
    let (_root, _, store) = with_runs(&[0, 10, 20]);
    let pointer = || fs::read_to_string(store.directory().join("latest")).ok();
    let remove = |second: u64| {
        let run = store.run(RunId::at(at(second), 0));
        store.remove(&run).unwrap();
        // Nobody minds if it is gone already.
        store.remove(&run).unwrap();
    };
    remove(0);
    assert_eq!(pointer().as_deref(), Some(RunId::at(at(20), 0).as_str()));
    remove(20);
    assert_eq!(pointer().as_deref(), Some(RunId::at(at(10), 0).as_str()));
    assert_eq!(store.latest().unwrap().document().unwrap().summary.seed, Seed(10));
    remove(10);
    assert_eq!(pointer(), None);
    assert!(matches!(store.latest(), Err(StoreError::NoRun)));
    assert_eq!(names(store.directory()), ["project"]);
}

#[test]
fn only_what_is_ours_is_removed() {
    let (root, base, store) = with_runs(&[7]);
    let precious = root.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("run.json"), "mine").unwrap();
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, store.directory().join(name)).unwrap();
    };
    // A link that is named like a run, one inside of a run, and what only looks similar.
    link(&precious, "2026-11-15-0000");
    link(&precious, &format!("{}/link", store.runs().unwrap()[0].id()));
    fs::create_dir(store.directory().join("2026-11-15")).unwrap();
    fs::write(store.directory().join("2026-11-15-0001"), "a file").unwrap();
    fs::write(store.directory().join("latest.new-17"), "left behind").unwrap();
    for run in store.selected(&Selection::All).unwrap() {
        store.remove(&run).unwrap();
    }
    store
        .remove(&store.run(RunId::parse("2026-11-15-0000").unwrap()))
        .unwrap();
    let others = store.remove_if_empty().unwrap();
    let others: Vec<&str> = others
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(others, ["2026-11-15", "2026-11-15-0000", "2026-11-15-0001"]);
    assert_eq!(fs::read_to_string(precious.join("run.json")).unwrap(), "mine");
    assert_eq!(projects(&base).unwrap().len(), 1, "it is still known whose it is");
    fs::remove_dir(store.directory().join("2026-11-15")).unwrap();
    fs::remove_file(store.directory().join("2026-11-15-0000")).unwrap();
    fs::remove_file(store.directory().join("2026-11-15-0001")).unwrap();
    assert!(store.remove_if_empty().unwrap().is_empty());
    assert!(!store.directory().exists());
    // Twice is not an error.
    assert!(store.remove_if_empty().unwrap().is_empty());
}

#[test]
fn a_check_survives_a_clean_that_happens_meanwhile() {
    let (_root, base, store) = with_runs(&[0]);
    for run in store.selected(&Selection::All).unwrap() {
        store.remove(&run).unwrap();
    }
    store.remove_if_empty().unwrap();
    store.begin(at(1)).unwrap().save(&document(1, &[]), &()).unwrap();
    assert_eq!(projects(&base).unwrap()[0].overview().unwrap().runs, 1);
    // And the other way round: a run that began after the others were removed stays.
    store.begin(at(2)).unwrap();
    store.remove_if_empty().unwrap();
    assert_eq!(seconds(&store.all_runs().unwrap()), [1, 2]);
    assert_eq!(projects(&base).unwrap().len(), 1);
}

#[test]
fn projects_are_listed_also_when_they_are_gone() {
    let (root, base, store) = with_runs(&[0, 10]);
    let gone = root.path().join("gone");
    fs::create_dir(&gone).unwrap();
    ProjectStore::open(&base, &gone).unwrap();
    fs::remove_dir(&gone).unwrap();
    // Not ours: a link to a store, a copy under another name, a file.
    std::os::unix::fs::symlink(store.directory(), base.join("projects/link")).unwrap();
    fs::create_dir(base.join("projects/copy")).unwrap();
    fs::copy(
        store.directory().join("project"),
        base.join("projects/copy/project"),
    )
    .unwrap();
    fs::write(base.join("projects/file"), "").unwrap();
    let all: Vec<ProjectOverview> = projects(&base)
        .unwrap()
        .iter()
        .map(|store| store.overview().unwrap())
        .collect();
    let shown: Vec<(bool, usize, Option<&str>)> = all
        .iter()
        .map(|project| (project.gone, project.runs, project.time_latest_utc.as_deref()))
        .collect();
    assert_eq!(shown, [(true, 0, None), (false, 2, Some("2026-11-15 00:00:10"))]);
    assert!(all[0].project.ends_with("/gone") && all[1].project.ends_with("/my project"));
    assert_eq!(
        all[1].size,
        store.runs().unwrap().iter().map(Run::size).sum::<u64>()
    );
}
