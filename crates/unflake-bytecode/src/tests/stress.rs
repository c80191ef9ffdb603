//! Every method of `java.base` moved about, and a JVM booted on the result.

use std::fs;

use super::behaviour::nops;
use super::{class_files, jdks, run};
use crate::ClassFile;

#[test]
#[ignore = "minutes: boots each JDK on an edited java.base"]
fn java_base_edited_in_every_method_boots_and_verifies() {
    for jdk in jdks().into_iter().filter(|jdk| jdk.version >= 11) {
        let classes = jdk.unpack("java.base", "");
        let root = classes.path().join("java.base");
        let out = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for path in class_files(&root) {
            let inside = path.strip_prefix(&root).unwrap();
            let bytes = fs::read(&path).unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            if matches!(&*class.name(), "java/lang/Object" | "module-info") {
                continue;
            }
            fs::create_dir_all(out.path().join(inside).parent().unwrap()).unwrap();
            fs::write(out.path().join(inside), class.rewrite(nops).unwrap()).unwrap();
            names.push(class.name().replace('/', "."));
        }
        let loader = jdk.compile(&[], &["LoadAll.java"]);
        let list = loader.path().join("names.txt");
        fs::write(&list, names.join("\n")).unwrap();
        let patch = format!("--patch-module=java.base={}", out.path().display());
        let options = ["-Xverify:all", "-Xshare:off", patch.as_str(), "-cp"];
        let said = run(jdk
            .tool("java")
            .args(options)
            .arg(loader.path())
            .arg("LoadAll")
            .arg(&list));
        let said = String::from_utf8(said.stdout).unwrap();
        println!("Java {}: {} classes\n{said}", jdk.version, names.len());
        assert!(
            said.ends_with(&format!("linked {} failed 0\n", names.len())),
            "Java {}: {said}",
            jdk.version
        );
    }
}
