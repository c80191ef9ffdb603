//! An independent reader of class files looks at what we write.

use std::fs;

use super::{class_files, fixtures};
use crate::ClassFile;

/// Disassembled with nothing left out and assembled again, by others.
fn again(bytes: &[u8]) -> Vec<u8> {
    let parser = krakatau2::ParserOptions {
        no_short_code_attr: false,
    };
    let text =
        krakatau2::disassemble(bytes, parser, krakatau2::DisassemblerOptions { roundtrip: true }).unwrap();
    let mut classes = krakatau2::assemble(&text.data, krakatau2::AssemblerOptions {}).unwrap();
    classes.remove(0).data
}

#[test]
fn edited_classes_are_read_by_others_as_well() {
    for path in class_files(fixtures()) {
        let bytes = fs::read(path).unwrap();
        let class = ClassFile::parse(&bytes).unwrap();
        let edited = class.rewrite(super::behaviour::nops).unwrap();
        assert_eq!(edited != bytes, class.methods().any(|m| m.has_code()));
        assert!(again(&edited) == edited, "{}", class.name());
        if class.name().starts_with("Subjects") {
            let edited = class.edit(&super::behaviour::all(&class)).unwrap();
            assert!(again(&edited) == edited, "{}", class.name());
        }
    }
}
