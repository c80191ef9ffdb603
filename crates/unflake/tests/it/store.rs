//! `runs` and `clean`: what lies in the store is listed and removed, and nothing else.

use crate::run::{Place, check};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use unflake_findings::{
    Cause, CauseStatus, CountedProof, Details, Document, Finding, FindingKind, LevelSetting, ProjectStore,
    Rate, Repair, Run, RunInfo, SCHEMA_VERSION, Scope, Severity, SkipReason, Summary, finding_id, rules,
};
use unflake_protocol::{Form, Level, Seed, Strategy, TestId};

/// One second after another, long ago.
const OLD: u64 = 1_000_000_000;

fn base(place: &Place) -> PathBuf {
    place.project().parent().unwrap().join("store")
}

fn open(place: &Place, project: &Path) -> ProjectStore {
    ProjectStore::open(&base(place), project).unwrap()
}

/// A run that began at this second and takes five megabytes: what the document takes does not show.
fn begin(store: &ProjectStore, second: u64) -> Run {
    let run = store
        .begin(SystemTime::UNIX_EPOCH + Duration::from_secs(second))
        .unwrap();
    File::create(run.directory().join("large"))
        .unwrap()
        .set_len(5_000_000)
        .unwrap();
    run
}

fn finding(method: &str, severity: Severity, status: CauseStatus) -> Finding {
    let test = TestId {
        module: ".".to_owned(),
        root: "a.B".to_owned(),
        test: format!("a.B#{method}"),
        invocation: None,
    };
    Finding {
        id: finding_id(FindingKind::ImplementationDependent, &test),
        rule: rules::IMPLEMENTATION_DEPENDENT.to_owned(),
        test,
        severity,
        message: String::new(),
        failure: None,
        exception: String::new(),
        replay: String::new(),
        rate: Rate::default(),
        suppressed: None,
        details: Details::ImplementationDependent {
            level: Level::One,
            levels_tried: Vec::new(),
            round: 1,
            strategy: Strategy {
                level: Level::One,
                form: Form::Reverse,
            },
            scope: Scope::Alone,
            proof: CountedProof::default(),
            dumps: None,
            apis: Vec::new(),
            cause: Cause {
                status,
                ..Cause::default()
            },
            repair: Repair::default(),
        },
    }
}

fn document(findings: Vec<Finding>) -> Document {
    Document {
        schema_version: SCHEMA_VERSION,
        run: RunInfo {
            project: "p".to_owned(),
            command: Vec::new(),
            time_started: 0,
            pictures: None,
        },
        summary: Summary {
            tests: 10,
            checked: 8,
            skipped: BTreeMap::from([(SkipReason::NoChoice, 2)]),
            rounds: 3,
            seed: Seed(180_259_637),
            level: LevelSetting::Climb,
            time: 38.2,
            java: Vec::new(),
            version: "0.0.1".to_owned(),
            partial: false,
            isolation: String::new(),
            outside: 0,
        },
        findings,
        excluded: Vec::new(),
        tests: Vec::new(),
        repairs: Vec::new(),
        notes: Vec::new(),
    }
}

/// A project with runs that began at these seconds after each other.
fn with_runs(seconds: &[u64]) -> (Place, ProjectStore) {
    let place = Place::new();
    let store = open(&place, &place.project());
    for second in seconds {
        begin(&store, OLD + second)
            .save(&document(Vec::new()), &())
            .unwrap();
    }
    (place, store)
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
fn an_older_run_of_which_more_is_known_does_not_become_the_latest() {
    let (_place, store) = with_runs(&[0, 1]);
    let runs = store.runs().unwrap();
    let finding = finding("a", Severity::Error, CauseStatus::Found);
    runs[0].update(&document(vec![finding])).unwrap();
    assert_eq!(runs[0].document().unwrap().findings.len(), 1);
    assert_eq!(store.latest().unwrap().id(), runs[1].id());
}

#[test]
fn runs_are_listed_the_newest_last() {
    let (place, store) = with_runs(&[0]);
    let findings = vec![
        finding("a", Severity::Error, CauseStatus::Found),
        finding("b", Severity::Error, CauseStatus::NotFound),
        finding("c", Severity::Note, CauseStatus::Found),
    ];
    let mut partial = document(findings);
    partial.summary.partial = true;
    partial.summary.time = 125.0;
    begin(&store, OLD + 1).save(&partial, &()).unwrap();
    let foreign = begin(&store, OLD + 2);
    fs::write(foreign.directory().join("run.json"), "{\"schema_version\": 99}").unwrap();
    let damaged = begin(&store, OLD + 3);
    fs::write(damaged.directory().join("run.json"), "{").unwrap();
    begin(&store, OLD + 4);
    check(&place, "runs", "\
run              when (UTC)           seed       checked  findings          causes  time        size
2001-09-09-1yg0  2001-09-09 01:46:40  180259637  8 of 10  none              -       38 s        5.0 MB
2001-09-09-1yga  2001-09-09 01:46:41  180259637  8 of 10  2 errors, 1 note  2 of 3  2 min 05 s  5.0 MB  partial
2001-09-09-1ygm  2001-09-09 01:46:42  -          -        -                 -       -           5.0 MB  written by another version of unflake
2001-09-09-1ygy  2001-09-09 01:46:43  -          -        -                 -       -           5.0 MB  damaged
2001-09-09-1yh8  2001-09-09 01:46:44  -          -        -                 -       -           5.0 MB  did not finish
5 runs, 25 MB
exit 0
");
    let json = place.unflake("runs --format json");
    let json = json.strip_suffix("exit 0\n").unwrap();
    assert!(
        json.starts_with("{\n  \"schema_version\": 1,\n  \"project\": \"ROOT/project\",\n"),
        "{json}"
    );
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 5);
    let second = &json["runs"][1];
    assert_eq!(
        second["result"],
        serde_json::json!({
            "seed": 180_259_637, "tests": 10, "checked": 8, "findings": {"error": 2, "warning": 0, "note": 1}, "suppressed": 0,
            "causes": 2, "time": 125.0, "version": "0.0.1",
        })
    );
    assert_eq!(
        (&second["state"], &second["time_started"], &second["time_utc"]),
        (
            &"partial".into(),
            &(OLD + 1).into(),
            &"2001-09-09 01:46:41".into()
        )
    );
    assert_eq!(json["runs"][2]["state"], "other-version");
    assert_eq!(json["runs"][2]["result"], serde_json::Value::Null);
}

#[test]
fn looking_makes_nothing() {
    let place = Place::new();
    let none = "no stored run of this project; `unflake check` creates one\nexit 0\n";
    check(&place, "runs", none);
    check(
        &place,
        "runs --all",
        "no project in the store `ROOT/store`\nexit 0\n",
    );
    check(
        &place,
        "runs --all --format json",
        "{\n  \"schema_version\": 1,\n  \"store\": \"ROOT/store\",\n  \"projects\": []\n}\nexit 0\n",
    );
    check(&place, "clean --all", "nothing to remove\nexit 0\n");
    check(&place, "clean --gone", "nothing to remove\nexit 0\n");
    check(
        &place,
        "clean --keep 3 --older-than 30d",
        "nothing to remove\nexit 0\n",
    );
    assert!(!base(&place).exists());
}

#[test]
fn projects_are_listed_and_the_gone_ones_removed() {
    let (place, _) = with_runs(&[0, 1]);
    let gone = place.project().parent().unwrap().join("gone");
    fs::create_dir(&gone).unwrap();
    let store = open(&place, &gone);
    begin(&store, OLD + 2).save(&document(Vec::new()), &()).unwrap();
    check(&place, "clean --gone", "nothing to remove\nexit 0\n");
    fs::remove_dir(&gone).unwrap();
    check(
        &place,
        "runs --all",
        "\
runs  size    latest (UTC)         project
1     5.0 MB  2001-09-09 01:46:42  ROOT/gone     gone
2     10 MB   2001-09-09 01:46:41  ROOT/project
2 projects, 15 MB; 1 gone, which `unflake clean --gone` removes
exit 0
",
    );
    check(
        &place,
        "clean --gone --dry-run",
        "would remove ROOT/gone  1 run  5.0 MB\n1 project, 5.0 MB in all; nothing was removed\nexit 0\n",
    );
    assert!(store.directory().exists());
    check(
        &place,
        "clean --gone",
        "removed ROOT/gone  1 run  5.0 MB\n1 project removed, 5.0 MB freed\nexit 0\n",
    );
    assert!(!store.directory().exists());
    check(
        &place,
        "runs --all",
        "\
runs  size   latest (UTC)         project
2     10 MB  2001-09-09 01:46:41  ROOT/project
1 project, 10 MB
exit 0
",
    );
}

#[test]
fn runs_are_removed_by_name() {
    let (place, store) = with_runs(&[0, 1, 2]);
    let ids: Vec<String> = store
        .runs()
        .unwrap()
        .iter()
        .map(|run| run.id().to_string())
        .collect();
    let wrong = format!("{}z", &ids[1][..14]);
    // One wrong name, and nothing is removed.
    check(
        &place,
        &format!("clean {} {wrong}", ids[0]),
        "error: there is no run `2001-09-09-1ygz` in this project's store\n\
         hint: did you mean `2001-09-09-1yg0`, `2001-09-09-1yga` or `2001-09-09-1ygm`?\nexit 2\n",
    );
    assert_eq!(store.runs().unwrap().len(), 3);
    check(
        &place,
        &format!("clean {} {} --dry-run", ids[2], ids[0]),
        &format!(
            "would remove {}  5.0 MB\nwould remove {}  5.0 MB\n2 runs, 10 MB in all; nothing was removed\nexit 0\n",
            ids[0], ids[2]
        ),
    );
    assert_eq!(store.runs().unwrap().len(), 3);
    check(
        &place,
        &format!("clean {} {}", ids[2], ids[0]),
        &format!(
            "removed {}  5.0 MB\nremoved {}  5.0 MB\n2 runs removed, 10 MB freed\nexit 0\n",
            ids[0], ids[2]
        ),
    );
    assert_eq!(store.latest().unwrap().id().as_str(), ids[1]);
    assert_eq!(names(store.directory()), [ids[1].as_str(), "latest", "project"]);
    check(
        &place,
        "clean latest",
        "error: there is no run `latest` in this project's store\nhint: `unflake runs` lists them\nexit 2\n",
    );
}

#[test]
fn runs_are_removed_by_number_and_age() {
    // Long ago, and long after now.
    let future = 200_000_000_000;
    let (place, store) = with_runs(&[0, 1, 2, future]);
    let left = || store.runs().unwrap().len();
    assert!(place.unflake("clean --keep 4").starts_with("nothing to remove\n"));
    assert!(
        place
            .unflake("clean --keep 3 --older-than 30d")
            .contains("\n1 run removed, 5.0 MB freed\n")
    );
    assert_eq!(left(), 3);
    assert!(
        place
            .unflake("clean --keep 2")
            .contains("\n1 run removed, 5.0 MB freed\n")
    );
    assert_eq!(left(), 2);
    assert!(
        place
            .unflake("clean --older-than 12h")
            .contains("\n1 run removed, 5.0 MB freed\n")
    );
    assert_eq!(left(), 1);
    check(&place, "clean --older-than 12h", "nothing to remove\nexit 0\n");
}

#[test]
fn everything_of_a_project_is_removed_and_nothing_else() {
    let (place, store) = with_runs(&[0, 1]);
    let other = place.project().join("module");
    fs::create_dir(&other).unwrap();
    let others = open(&place, &other);
    begin(&others, OLD).save(&document(Vec::new()), &()).unwrap();
    let precious = place.project().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("run.json"), "mine").unwrap();
    symlink(&precious, store.directory().join("2001-09-09-0000")).unwrap();
    symlink(&precious, store.runs().unwrap()[0].directory().join("link")).unwrap();
    let found = place.unflake("clean --all");
    let left = "kept `ROOT/store/projects/PROJECT/2001-09-09-0000`, which does not belong to unflake\n2 runs removed, 10 MB freed\nexit 0\n";
    assert!(found.ends_with(left), "{found}");
    assert_eq!(names(store.directory()), ["2001-09-09-0000", "project"]);
    assert_eq!(fs::read_to_string(precious.join("run.json")).unwrap(), "mine");
    fs::remove_file(store.directory().join("2001-09-09-0000")).unwrap();
    check(&place, "clean --all", "nothing to remove\nexit 0\n");
    assert!(!store.directory().exists());
    assert_eq!(others.runs().unwrap().len(), 1);
    check(
        &place,
        "clean -C module --all --dry-run",
        "would remove 2001-09-09-1yg0  5.0 MB\n1 run, 5.0 MB in all; nothing was removed\nexit 0\n",
    );
}

#[test]
fn what_is_meant_must_be_said() {
    let place = Place::new();
    check(
        &place,
        "clean",
        "error: `clean` needs to know what to remove\n\
         hint: name runs (`unflake runs` lists them), or give `--keep N`, `--older-than 30d`, `--all` or `--gone`; with \
         `--dry-run` it only lists what would be removed\nexit 2\n",
    );
    check(&place, "clean --dry-run", &place.unflake("clean"));
    check(
        &place,
        "clean --all --keep 3",
        "error: `--all` and `--keep` cannot be used together\nhint: leave one out\nexit 2\n",
    );
    check(
        &place,
        "clean 2001-09-09-0000 --all",
        "error: `[RUN]` and `--all` cannot be used together\nhint: leave one out\nexit 2\n",
    );
    check(
        &place,
        "clean --gone -C .",
        "error: `--gone` and `-C` cannot be used together\nhint: leave one out\nexit 2\n",
    );
    check(
        &place,
        "clean --keep 0",
        "error: wrong value `0` for `--keep`\ncaused by: `0` is not a number from 1 on\nexit 2\n",
    );
    check(
        &place,
        "clean --older-than 30",
        "error: wrong value `30` for `--older-than`\ncaused by: `30` is not an age; write it like `30d` or `12h`\nexit 2\n",
    );
    check(
        &place,
        "runs --format sarif",
        "error: unknown value `sarif` for `--format`\nhint: use one of text, json\nexit 2\n",
    );
    check(
        &place,
        "runs -C nowhere",
        "error: there is no directory `nowhere`\n\
         caused by: No such file or directory (os error 2)\n\
         hint: name the project's directory with `-C DIR`\nexit 3\n",
    );
}

#[test]
fn a_broken_unflake_toml_hinders_nobody() {
    let place = Place::new().file("project/unflake.toml", "jobs = = 2\n");
    check(&place, "clean --all", "nothing to remove\nexit 0\n");
}
