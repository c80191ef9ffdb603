use super::*;
use crate::simulated::simulated;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_copy_has_all_but_the_history_and_is_not_younger() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    write(&from.join("m/src/A.java"), "class A {}");
    write(&from.join(".git/config"), "");
    write(&from.join("m/.gitignore"), "target");
    std::os::unix::fs::symlink("src/A.java", from.join("m/link")).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let source = fs::File::options().write(true).open(from.join("m/src/A.java"));
    source.unwrap().set_modified(long_ago).unwrap();
    copy_tree(&from, &to).unwrap();
    let copied = to.join("m/src/A.java");
    assert_eq!(fs::read_to_string(&copied).unwrap(), "class A {}");
    assert_eq!(fs::metadata(&copied).unwrap().modified().unwrap(), long_ago);
    assert_eq!(fs::read_link(to.join("m/link")).unwrap(), Path::new("src/A.java"));
    assert!(to.join("m/.gitignore").is_file());
    assert!(!to.join(".git").exists());
}

#[test]
fn a_module_is_built_with_what_it_is_a_module_of() {
    let mut simulated = simulated("p.ATest#a");
    let top = simulated.session.project.clone();
    let module = top.join("parent/module");
    write(&module.join("pom.xml"), "<project/>");
    simulated.session.project = module.clone();
    assert_eq!(whole_build(&simulated.session), module);
    write(&top.join("parent/pom.xml"), "<project/>");
    assert_eq!(whole_build(&simulated.session), top.join("parent"));
    // Between them must be no folder without a build.
    simulated.session.project = module.join("deep/deeper");
    assert_eq!(whole_build(&simulated.session), module.join("deep/deeper"));
}

#[test]
fn the_copy_is_built_with_what_is_patched_in_it() {
    let simulated = simulated("p.ATest#a");
    let project = &simulated.session.project;
    write(&project.join("pom.xml"), "<project/>");
    write(&project.join("A.java"), "old");
    let built = |script: &str| {
        let wrapper = project.join("mvnw");
        write(&wrapper, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
        let workplace = Workplace {
            surroundings: &simulated.surroundings(),
            runner: Path::new("runner"),
            java_home: None,
            path: None,
        };
        let patched = ("A.java".to_owned(), (b"old".to_vec(), b"new".to_vec()));
        match workplace.build(&BTreeMap::from([patched]), &simulated.session) {
            Ok(Built::Accepted) => "accepted",
            Ok(Built::FailsAnyway(_)) => "fails anyway",
            Err(refused) if refused.names("A.java") => "refuses this file",
            Err(_) => "refused",
        }
    };
    assert_eq!(built("grep new A.java"), "accepted");
    let refuses = "grep old A.java || { echo '[ERROR] A.java: not so'; exit 1; }";
    assert_eq!(built(refuses), "refuses this file");
    assert_eq!(built("exit 1"), "fails anyway");
    assert_eq!(fs::read_to_string(project.join("A.java")).unwrap(), "old");
}
