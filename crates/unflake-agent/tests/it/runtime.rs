//! The Java runtime, tested in Java: `runtime/tests` has a program per topic that prints `ok …` for each thing it tried,
//! or throws.

use crate::jvm::{Folder, jdks, output};
use std::fs;
use std::path::Path;
use unflake_javac::Javac;

#[test]
fn the_runtime_keeps_its_promises_on_every_jdk() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime");
    let folder = Folder::new();
    let (boot, tests) = (folder.path.join("boot"), folder.path.join("tests"));
    unflake_javac::compile_boot(&runtime.join("boot"), &boot).unwrap();
    let javac = Javac {
        sources: &runtime.join("tests"),
        generated: None,
        class_path: Some(&boot),
        signatures: None,
        output: &tests,
    };
    javac.compile().unwrap();
    let mut programs: Vec<String> = fs::read_dir(runtime.join("tests"))
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .filter(|name| name != "Check")
        .collect();
    programs.sort();
    assert!(programs.len() >= 6, "{programs:?}");
    for jdk in jdks() {
        for program in &programs {
            let run = jdk
                .with_agent(",program,form=natural")
                .arg("-cp")
                .arg(&tests)
                .arg(program)
                .output()
                .unwrap();
            let said = output(&run);
            assert!(
                said.lines().any(|line| line.starts_with("ok ")),
                "{program} tried nothing:\n{said}"
            );
        }
    }
}
