//! `StackMapTable`: frames are read with absolute pcs and written back in their own form, only further apart.
//!
//! A frame is encoded relative to the one before it, so our own frames may come before all others if they change
//! nothing: then what follows means what it meant.

use crate::code::PcMap;
use crate::error::Malformed;
use crate::reader::{Reader, Write};

const SAME_LOCALS_1_EXTENDED: u8 = 247;
const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;

/// The table with every pc moved, and a `same` frame at each of `joins`, which must be sorted and not lie behind where
/// the method's old entry is now.
pub(crate) fn moved(mut reader: Reader<'_>, map: &PcMap, joins: &[u16]) -> Result<Vec<u8>, Malformed> {
    let mut table = Table::default();
    let count = reader.u2()?;
    let mut old: Option<u16> = None;
    let mut joins = joins.iter().copied().peekable();
    for _ in 0..count {
        let at = reader.at();
        let tag = reader.u1()?;
        let delta = match tag {
            0..=63 => tag.into(),
            64..=127 => (tag - 64).into(),
            128..=246 => {
                return Err(Malformed {
                    at,
                    what: "unknown kind of frame",
                });
            }
            SAME_LOCALS_1_EXTENDED..=FULL => reader.u2()?,
        };
        let pc = match old {
            None => Some(delta),
            Some(old) => old.checked_add(delta).and_then(|pc| pc.checked_add(1)),
        };
        let new = pc.and_then(|pc| map.target(pc)).ok_or(Malformed {
            at,
            what: "a frame between instructions",
        })?;
        old = pc;
        while let Some(join) = joins.next_if(|&join| join < new) {
            table.frame(join, 0);
        }
        // The method's own frame at its entry serves for the join as well.
        joins.next_if_eq(&new);
        table.frame(new, tag);
        let types = |reader: &mut Reader<'_>, n: u16, out: &mut Vec<u8>| {
            (0..n).try_for_each(|_| verification_type(reader, map, out))
        };
        match tag {
            64..=127 | SAME_LOCALS_1_EXTENDED => types(&mut reader, 1, &mut table.bytes)?,
            252..=254 => types(&mut reader, u16::from(tag) - 251, &mut table.bytes)?,
            FULL => {
                for _ in 0..2 {
                    let n = reader.u2()?;
                    table.bytes.u2(n);
                    types(&mut reader, n, &mut table.bytes)?;
                }
            }
            _ => {}
        }
    }
    joins.for_each(|join| table.frame(join, 0));
    let at = reader.at();
    reader.finish()?;
    table.finish().ok_or(Malformed {
        at,
        what: "too many frames",
    })
}

/// A table of nothing but `same` frames, at sorted pcs.
pub(crate) fn only(joins: &[u16]) -> Vec<u8> {
    let mut table = Table::default();
    joins.iter().for_each(|&join| table.frame(join, 0));
    table.finish().unwrap_or_default()
}

#[derive(Default)]
struct Table {
    bytes: Vec<u8>,
    count: usize,
    last: Option<u16>,
}

impl Table {
    /// Begins a frame: its tag and how far it is from the one before. The short forms become the long ones when they
    /// have to, never the other way round.
    fn frame(&mut self, pc: u16, tag: u8) {
        let delta = match self.last {
            None => pc,
            // New pcs grow as old ones do, and two frames never have the same.
            Some(last) => pc.saturating_sub(last).saturating_sub(1),
        };
        self.last = Some(pc);
        self.count += 1;
        let short = u8::try_from(delta).ok().filter(|delta| *delta < 64);
        match (tag, short) {
            (0..=63, Some(delta)) => self.bytes.u1(delta),
            (64..=127, Some(delta)) => self.bytes.u1(64 + delta),
            _ => {
                self.bytes.u1(match tag {
                    0..=63 => SAME_EXTENDED,
                    64..=127 => SAME_LOCALS_1_EXTENDED,
                    _ => tag,
                });
                self.bytes.u2(delta);
            }
        }
    }

    fn finish(self) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes.len() + 2);
        out.u2(u16::try_from(self.count).ok()?);
        out.extend_from_slice(&self.bytes);
        Some(out)
    }
}

fn verification_type(reader: &mut Reader<'_>, map: &PcMap, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let at = reader.at();
    let tag = reader.u1()?;
    out.u1(tag);
    match tag {
        0..=6 => {}
        7 => out.u2(reader.u2()?),
        // An object that was not initialised yet is known by the pc of its `new`.
        8 => out.u2(map.itself(reader.u2()?).ok_or(Malformed {
            at,
            what: "a `new` between instructions",
        })?),
        _ => {
            return Err(Malformed {
                at,
                what: "unknown verification type",
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All instructions have one byte and move by the same distance.
    fn check(table: &[u8], by: u16, joins: &[u16], expected: &[u8]) {
        let map = PcMap::shifting(200, by);
        let moved = moved(Reader::new(table, 0..table.len()), &map, joins).unwrap();
        assert_eq!(moved, expected);
    }

    #[test]
    fn the_first_delta_is_a_pc_and_the_others_are_distances() {
        check(&[0, 2, 0, 5], 0, &[], &[0, 2, 0, 5]);
        check(&[0, 2, 0, 5], 7, &[], &[0, 2, 7, 5]);
        check(&[0, 2, 10, 5], 7, &[], &[0, 2, 17, 5]);
    }

    #[test]
    fn short_forms_are_widened_at_64() {
        check(&[0, 1, 23], 40, &[], &[0, 1, 63]);
        check(&[0, 1, 24], 40, &[], &[0, 1, 251, 0, 64]);
        check(&[0, 1, 64 + 23, 1], 40, &[], &[0, 1, 127, 1]);
        check(&[0, 1, 64 + 24, 7, 0, 9], 40, &[], &[0, 1, 247, 0, 64, 7, 0, 9]);
    }

    #[test]
    fn long_forms_stay_long() {
        check(
            &[0, 2, 251, 0, 3, 247, 0, 0, 1],
            0,
            &[],
            &[0, 2, 251, 0, 3, 247, 0, 0, 1],
        );
    }

    #[test]
    fn chop_append_and_full_keep_their_content() {
        let table = [
            0, 3, 250, 0, 1, 253, 0, 2, 1, 7, 1, 2, 255, 0, 0, 0, 1, 4, 0, 2, 5, 6,
        ];
        let expected = [
            0, 3, 250, 0, 11, 253, 0, 2, 1, 7, 1, 2, 255, 0, 0, 0, 1, 4, 0, 2, 5, 6,
        ];
        check(&table, 10, &[], &expected);
    }

    #[test]
    fn objects_not_initialised_yet_follow_their_new() {
        check(&[0, 1, 64 + 20, 8, 0, 3], 10, &[], &[0, 1, 64 + 30, 8, 0, 13]);
    }

    #[test]
    fn a_join_comes_first_unless_there_is_a_frame_already() {
        check(&[0, 1, 5], 10, &[10], &[0, 2, 10, 4]);
        check(&[0, 2, 0, 5], 10, &[10], &[0, 2, 10, 5]);
        check(&[0, 1, 0], 10, &[4, 10], &[0, 2, 4, 5]);
        check(&[0, 0], 10, &[10], &[0, 1, 10]);
        assert_eq!(only(&[70]), [0, 1, 251, 0, 70]);
    }

    #[test]
    fn nonsense_is_refused() {
        let map = PcMap::shifting(200, 0);
        for table in [
            &[0, 1, 128][..],
            &[0, 1],
            &[0, 1, 64, 9],
            &[0, 1, 251, 1, 0],
            &[0, 1, 0, 0],
        ] {
            assert!(
                moved(Reader::new(table, 0..table.len()), &map, &[]).is_err(),
                "{table:?}"
            );
        }
    }
}
