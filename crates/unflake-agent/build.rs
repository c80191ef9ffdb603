//! Compiles the runtime that the agent defines in the boot loader, and makes a table of its classes: superclasses and
//! interfaces first, since the boot loader cannot look for them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};
use unflake_bytecode::ClassFile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let sources = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../runtime/boot");
    let classes = unflake_javac::compile_boot(&sources, &out.join("runtime"))?;
    let mut bytes = BTreeMap::new();
    for (name, file) in &classes {
        bytes.insert(name.as_str(), (file, fs::read(file)?));
    }
    let mut order = Vec::new();
    for name in bytes.keys() {
        place(name, &bytes, &mut order)?;
    }
    let mut table = String::from(
        "/// The runtime's classes, in an order in which they can be defined.\npub(crate) const CLASSES: &[(&str, &[u8])] = &[\n",
    );
    for name in order {
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", bytes[name].0)?;
    }
    table.push_str("];\n");
    fs::write(out.join("runtime.rs"), table)?;
    Ok(())
}

/// Appends a class behind what it extends and implements.
fn place<'a>(
    name: &'a str,
    bytes: &BTreeMap<&'a str, (&PathBuf, Vec<u8>)>,
    order: &mut Vec<&'a str>,
) -> Result<(), Box<dyn std::error::Error>> {
    if order.contains(&name) {
        return Ok(());
    }
    let class = ClassFile::parse(&bytes[name].1)?;
    for above in class.super_name().into_iter().chain(class.interfaces()) {
        if let Some((&above, _)) = bytes.get_key_value(above.as_ref()) {
            place(above, bytes, order)?;
        }
    }
    order.push(name);
    Ok(())
}
