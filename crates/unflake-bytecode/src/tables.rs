//! Line numbers, local variables and type annotations: what debuggers and reflection read, moved along.
//!
//! The JVM checks no more of line numbers and variables than that they stay inside the code, and of type annotations
//! nothing, so pcs that make no sense are kept near where they were instead of being an error.

use crate::annotation;
use crate::code::PcMap;
use crate::error::Malformed;
use crate::reader::{Reader, Write};

/// `LineNumberTable`. What is inserted at the method's entry belongs to the line that the method begins with: without
/// that, stack traces through it would show no line.
pub(crate) fn lines(mut reader: Reader<'_>, map: &PcMap) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(reader.rest().len());
    let count = reader.u2()?;
    out.u2(count);
    for _ in 0..count {
        let (pc, line) = (reader.u2()?, reader.u2()?);
        out.u2(if pc == 0 { 0 } else { map.about(pc) });
        out.u2(line);
    }
    reader.finish()?;
    Ok(out)
}

/// The lines of a `LineNumberTable`, as they stand there.
pub(crate) fn line_numbers(mut reader: Reader<'_>) -> Result<Vec<u16>, Malformed> {
    let mut lines = Vec::new();
    for _ in 0..reader.u2()? {
        reader.u2()?;
        lines.push(reader.u2()?);
    }
    Ok(lines)
}

/// `LocalVariableTable` and `LocalVariableTypeTable`.
pub(crate) fn variables(mut reader: Reader<'_>, map: &PcMap) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(reader.rest().len());
    let count = reader.u2()?;
    out.u2(count);
    for _ in 0..count {
        range(&mut reader, map, &mut out)?;
        out.extend_from_slice(reader.take(6)?);
    }
    reader.finish()?;
    Ok(out)
}

/// A first pc and a length.
fn range(reader: &mut Reader<'_>, map: &PcMap, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let (start, length) = (reader.u2()?, reader.u2()?);
    let new_start = map.about(start);
    out.u2(new_start);
    out.u2(map.about(start.saturating_add(length)) - new_start);
    Ok(())
}

/// `RuntimeVisibleTypeAnnotations` and `RuntimeInvisibleTypeAnnotations` of code.
pub(crate) fn type_annotations(mut reader: Reader<'_>, map: &PcMap) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(reader.rest().len());
    let count = reader.u2()?;
    out.u2(count);
    for _ in 0..count {
        let target = reader.u1()?;
        out.u1(target);
        match target {
            // Local variables, and those of try-with-resources.
            0x40 | 0x41 => {
                let ranges = reader.u2()?;
                out.u2(ranges);
                for _ in 0..ranges {
                    range(&mut reader, map, &mut out)?;
                    out.u2(reader.u2()?);
                }
            }
            // `instanceof`, `new`, method references; then casts and type arguments, with a number behind.
            0x43..=0x4b => {
                let pc = reader.u2()?;
                out.u2(map.itself(pc).unwrap_or_else(|| map.about(pc)));
                out.extend_from_slice(reader.take(usize::from(target >= 0x47))?);
            }
            // The others name no pc. Only that of a `catch` can stand in code.
            0x00 | 0x01 | 0x16 => out.u1(reader.u1()?),
            0x10..=0x12 | 0x17 | 0x42 => out.u2(reader.u2()?),
            0x13..=0x15 => {}
            _ => return Err(reader.malformed("unknown target of a type annotation")),
        }
        let mut ahead = reader.clone();
        let path = ahead.u1()?;
        ahead.skip(2 * usize::from(path))?;
        annotation::skip_annotation(&mut ahead, 0)?;
        out.extend_from_slice(reader.take(ahead.at() - reader.at())?);
    }
    reader.finish()?;
    Ok(out)
}
