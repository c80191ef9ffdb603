use super::*;
use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt as _;

/// A repository with these jars, and a Maven that is a script. What is resolved, without the path of the repository, and
/// whether somebody was told of the network.
fn check(jars: &[&str], script: &str) -> Result<String, String> {
    check_within(jars, script, Duration::MAX, &Cancel::default())
}

/// The same with so much time, and a user who may cancel.
fn check_within(jars: &[&str], script: &str, limit: Duration, cancel: &Cancel) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repository");
    let put = |jar: &str| {
        let path = root.join(jar);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    };
    let junit = put("junit/junit/4.13/junit-4.13.jar");
    for jar in jars {
        put(jar);
    }
    let program = folder.path().join("mvn");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = ["-o".to_owned()];
    let maven = MavenCall {
        program: &program,
        project: folder.path(),
        java_home: None,
        arguments: &arguments,
        scratch: folder.path(),
        limit,
        children: &Children::default(),
        cancel,
    };
    let told = RefCell::new(Vec::new());
    let class_path = [junit.display().to_string(), "/classes".to_owned()];
    let found = resolved(&class_path, &maven, &|what| {
        told.borrow_mut().push(what.to_owned())
    })?;
    let jars = found.jars.iter().map(|jar| {
        assert!(jar.is_file());
        jar.file_name().unwrap().to_string_lossy().into_owned()
    });
    let jars = jars.collect::<Vec<_>>().join(" ");
    let told = told.into_inner().join(" ");
    Ok(format!("{}: {jars}; {told}", found.artifact.version))
}

const OLD: &str = "org/skyscreamer/jsonassert/1.5.1/jsonassert-1.5.1.jar";
const NEW: &str = "org/skyscreamer/jsonassert/1.10.0/jsonassert-1.10.0.jar";
const NEXT: &str = "org/skyscreamer/jsonassert/2.0-rc1/jsonassert-2.0-rc1.jar";
const NEEDS: &str = "com/vaadin/external/google/android-json/0.1/android-json-0.1.jar";

#[test]
fn what_is_in_the_local_repository_is_taken_without_asking_anybody() {
    let found = check(&[OLD, NEW, NEXT, NEEDS], "exit 9");
    assert_eq!(
        found.as_deref(),
        Ok("1.10.0: jsonassert-1.10.0.jar android-json-0.1.jar; ")
    );
}

#[test]
fn maven_brings_what_is_missing() {
    let script = format!(
        "test \"$*\" = '--batch-mode dependency:get -Dartifact=org.skyscreamer:jsonassert:1.5.3 -o' || exit 1\n\
         for jar in {OLD} {NEEDS}; do mkdir -p repository/$(dirname $jar); touch repository/$jar; done"
    );
    // Without what it needs it is of no use.
    let found = check(&[OLD], &script);
    assert_eq!(
        found.as_deref(),
        Ok("1.5.1: jsonassert-1.5.1.jar android-json-0.1.jar; \
            asking Maven for `org.skyscreamer:jsonassert:1.5.3`, over the network")
    );
}

#[test]
fn a_library_that_cannot_be_resolved_is_told_with_the_reason() {
    let cannot = "`org.skyscreamer:jsonassert:1.5.3` cannot be resolved:";
    let said = |script: &str| check(&[], script).unwrap_err();
    assert_eq!(
        said("echo '[INFO] x'; echo '[ERROR] Cannot access central in offline mode'; exit 1"),
        format!("{cannot} Cannot access central in offline mode")
    );
    assert_eq!(said("exit 1"), format!("{cannot} Maven fails without saying why"));
    assert_eq!(
        said("exit 0"),
        format!("{cannot} Maven has put it elsewhere than the libraries of the tests")
    );
}

#[test]
fn a_server_that_never_answers_is_not_waited_for() {
    let cannot = "`org.skyscreamer:jsonassert:1.5.3` cannot be resolved:";
    let cancel = Cancel::default();
    let said = |limit| check_within(&[], "sleep 1000", limit, &cancel).unwrap_err();
    assert_eq!(
        said(Duration::ZERO),
        format!("{cannot} Maven was still busy after 0 s")
    );
    cancel.cancel();
    assert_eq!(said(Duration::MAX), format!("{cannot} interrupted"));
}
