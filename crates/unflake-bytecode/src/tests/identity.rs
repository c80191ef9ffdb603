//! Every body decoded and written back without an insertion gives the same bytes: the test of the decoder.

use std::fs;
use std::path::Path;

use super::{class_files, jdks};
use crate::ClassFile;

fn check(dir: &Path) -> usize {
    let files = class_files(dir);
    for path in &files {
        let bytes = fs::read(path).unwrap();
        let class = ClassFile::parse(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let again = class
            .rewrite(|_, _| Vec::new())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(again == bytes, "{} changed", path.display());
        // Nothing that reads the class may panic or lose its place.
        assert!(
            class
                .methods()
                .all(|m| m.has_code() == (m.access() & 0x0500 == 0))
        );
        assert!(class.class_references().contains(&class.name().into_owned()));
        let again = ClassFile::parse(&again).unwrap();
        assert_eq!(again.annotations(), class.annotations());
    }
    files.len()
}

#[test]
fn java_util_stays_as_it_is() {
    let jdk = jdks().pop().unwrap();
    let classes = jdk.unpack("java.base", "java/util/[A-Z]");
    let n = check(classes.path());
    assert!(n > 300, "{n}");
}

#[test]
#[ignore = "minutes: unpacks every JDK at hand"]
fn every_class_of_every_jdk_stays_as_it_is() {
    for jdk in jdks() {
        let classes = jdk.unpack("[^/]*", "");
        let n = check(classes.path());
        println!("Java {}: {n} classes", jdk.version);
        assert!(n > 15_000, "{n}");
    }
}
