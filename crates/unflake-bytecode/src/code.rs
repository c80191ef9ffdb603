//! One `Code` attribute: instruction boundaries, the layout of the new code, and everything that names a pc moved
//! along.
//!
//! Insertion never shrinks anything and only the padding of switches depends on where an instruction stands, so one
//! forward pass over the instructions gives every new pc exactly.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::constants::{NewConstants, Pool};
use crate::edit::{Insertion, InsertionPlace};
use crate::error::{Malformed, NotEdited};
use crate::opcodes::*;
use crate::reader::{Reader, Write};
use crate::{frames, tables};

const RETURNS: RangeInclusive<u8> = IRETURN..=RETURN;
const INVOKES: RangeInclusive<u8> = INVOKEVIRTUAL..=INVOKEDYNAMIC;
const LONGEST: usize = 65_535;

/// A decoded `Code` attribute.
pub(crate) struct Code<'a> {
    max_stack: u16,
    max_locals: u16,
    code: &'a [u8],
    /// Where the code begins in the file.
    at: usize,
    /// The pc of each instruction.
    instructions: Vec<usize>,
    exceptions: Vec<[u16; 4]>,
    attributes: Vec<(u16, Reader<'a>)>,
}

impl<'a> Code<'a> {
    pub(crate) fn parse(mut reader: Reader<'a>) -> Result<Self, Malformed> {
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let length = reader.length()?;
        let at = reader.at();
        if length == 0 || length > LONGEST {
            return Err(Malformed {
                at,
                what: "impossible length of code",
            });
        }
        let code = reader.take(length)?;
        let count = reader.u2()?;
        let exception = |_| Ok([reader.u2()?, reader.u2()?, reader.u2()?, reader.u2()?]);
        let exceptions = (0..count).map(exception).collect::<Result<_, _>>()?;
        let count = reader.u2()?;
        let attributes = (0..count).map(|_| reader.attribute()).collect::<Result<_, _>>()?;
        reader.finish()?;
        let instructions = instructions(code).map_err(|pc| Malformed {
            at: at + pc,
            what: "broken instruction",
        })?;
        Ok(Self {
            max_stack,
            max_locals,
            code,
            at,
            instructions,
            exceptions,
            attributes,
        })
    }

    pub(crate) fn max_locals(&self) -> u16 {
        self.max_locals
    }

    /// Each instruction: its pc and its bytes.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = (usize, &'a [u8])> {
        self.instructions.iter().enumerate().map(|(n, &pc)| {
            let end = self.instructions.get(n + 1).copied().unwrap_or(self.code.len());
            (pc, &self.code[pc..end])
        })
    }

    /// For each exception handler, where the code that it guards begins, and where it begins itself.
    pub(crate) fn handlers(&self) -> impl Iterator<Item = (usize, usize)> {
        let exceptions = self.exceptions.iter();
        exceptions.map(|&[start, _, handler, _]| (usize::from(start), usize::from(handler)))
    }

    fn opcode(&self, pc: usize) -> u8 {
        self.code.get(pc).copied().unwrap_or_default()
    }

    /// The pc of each return instruction.
    pub(crate) fn returns(&self) -> impl Iterator<Item = usize> {
        self.instructions
            .iter()
            .copied()
            .filter(|&pc| RETURNS.contains(&self.opcode(pc)))
    }

    /// For each call, the index of its callee and the pc of the instruction behind it.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (u16, usize)> {
        let pairs = self.instructions.iter().zip(self.instructions.iter().skip(1));
        pairs
            .filter(|&(&pc, _)| INVOKES.contains(&self.opcode(pc)))
            .map(|(&pc, &next)| {
                let index = u16::from_be_bytes([self.opcode(pc + 1), self.opcode(pc + 2)]);
                (index, next)
            })
    }

    /// The content of the new attribute.
    pub(crate) fn encode(
        &self,
        pool: &Pool<'a>,
        insertions: &[Insertion],
        has_frames: bool,
        constants: &mut NewConstants,
    ) -> Result<Vec<u8>, NotEdited> {
        let layout = CodeLayout::new(self, insertions)?;
        let mut out = Vec::with_capacity(self.code.len() + 1024);
        out.u2(self.new_max_stack(insertions)?);
        out.u2(self.max_locals);
        out.u4(u32::from(layout.map.end));
        self.write_instructions(&layout, &mut out)?;
        out.u2(count(self.exceptions.len()));
        for &[start, end, handler, class] in &self.exceptions {
            let moved = |pc| {
                layout
                    .map
                    .target(pc)
                    .ok_or(self.malformed("an exception range between instructions"))
            };
            out.u2(moved(start)?);
            out.u2(moved(end)?);
            out.u2(moved(handler)?);
            out.u2(class);
        }
        let joins = if has_frames { layout.joins.as_slice() } else { &[] };
        self.write_attributes(pool, &layout.map, joins, constants, &mut out)?;
        Ok(out)
    }

    fn malformed(&self, what: &'static str) -> Malformed {
        Malformed { at: self.at, what }
    }

    /// Insertions come with what they push. At the entry the stack is empty, elsewhere it can be as deep as it gets.
    fn new_max_stack(&self, insertions: &[Insertion]) -> Result<u16, NotEdited> {
        let deepest = |at_entry| {
            insertions
                .iter()
                .filter(|i| i.is_at_entry() == at_entry)
                .map(|i| i.pushes)
                .max()
                .unwrap_or_default()
        };
        let elsewhere = self
            .max_stack
            .checked_add(deepest(false))
            .ok_or(NotEdited::StackTooDeep)?;
        Ok(elsewhere.max(deepest(true)))
    }

    fn write_instructions(&self, layout: &CodeLayout<'_>, out: &mut Vec<u8>) -> Result<(), NotEdited> {
        let start = out.len();
        for (n, &pc) in self.instructions.iter().enumerate() {
            let end = self.instructions.get(n + 1).copied().unwrap_or(self.code.len());
            let inserted = layout.inserted.get(&pc).map(Vec::as_slice).unwrap_or_default();
            inserted
                .iter()
                .for_each(|insertion| out.extend_from_slice(&insertion.code));
            let new = out.len() - start;
            debug_assert_eq!(Some(new), layout.map.itself(pc16(pc)).map(usize::from));
            self.write_instruction(pc, &self.code[pc..end], new, &layout.map, out)?;
        }
        debug_assert_eq!(out.len() - start, usize::from(layout.map.end));
        Ok(())
    }

    fn write_instruction(
        &self,
        pc: usize,
        bytes: &[u8],
        new: usize,
        map: &PcMap,
        out: &mut Vec<u8>,
    ) -> Result<(), NotEdited> {
        let mut reader = Reader::new(bytes, 0..bytes.len());
        let opcode = reader.u1()?;
        let jump = |offset: i32| self.jump(pc, offset, new, map);
        match opcode {
            IFEQ..=JSR | IFNULL | IFNONNULL => {
                let offset = jump(reader.u2()?.cast_signed().into())?;
                let offset = i16::try_from(offset).map_err(|_| NotEdited::BranchTooFar { pc })?;
                out.u1(opcode);
                out.u2(offset.cast_unsigned());
            }
            GOTO_W | JSR_W => {
                out.u1(opcode);
                out.u4(jump(reader.u4()?.cast_signed())?.cast_unsigned());
            }
            TABLESWITCH | LOOKUPSWITCH => {
                out.u1(opcode);
                reader.skip(padding(pc))?;
                out.extend(std::iter::repeat_n(0, padding(new)));
                out.u4(jump(reader.u4()?.cast_signed())?.cast_unsigned());
                // Low and high bound, or the number of pairs.
                out.u4(reader.u4()?);
                if opcode == TABLESWITCH {
                    out.u4(reader.u4()?);
                }
                while !reader.is_at_end() {
                    if opcode == LOOKUPSWITCH {
                        out.u4(reader.u4()?);
                    }
                    out.u4(jump(reader.u4()?.cast_signed())?.cast_unsigned());
                }
            }
            _ => out.extend_from_slice(bytes),
        }
        Ok(())
    }

    /// The new offset of a jump.
    fn jump(&self, pc: usize, offset: i32, new: usize, map: &PcMap) -> Result<i32, Malformed> {
        let target = i64::try_from(pc).ok().map(|pc| pc + i64::from(offset));
        let target = target
            .and_then(|target| u16::try_from(target).ok())
            .filter(|&to| usize::from(to) < self.code.len());
        let target = target.and_then(|target| map.target(target));
        let target = target.ok_or(Malformed {
            at: self.at + pc,
            what: "a jump between instructions",
        })?;
        // Both are pcs of the new code, whose length was checked.
        Ok(i32::from(target) - i32::from(pc16(new)))
    }

    /// All numbers of lines.
    pub(crate) fn lines(&self, pool: &Pool<'a>) -> Result<Vec<u16>, Malformed> {
        let mut lines = Vec::new();
        for (name, content) in &self.attributes {
            if pool.utf8(*name)? == b"LineNumberTable" {
                lines.extend(tables::line_numbers(content.clone())?);
            }
        }
        Ok(lines)
    }

    fn write_attributes(
        &self,
        pool: &Pool<'a>,
        map: &PcMap,
        mut joins: &[u16],
        constants: &mut NewConstants,
        out: &mut Vec<u8>,
    ) -> Result<(), NotEdited> {
        let count_at = out.len();
        out.u2(0);
        let mut n = self.attributes.len();
        for (name, content) in &self.attributes {
            let moved = match pool.utf8(*name)? {
                b"StackMapTable" => frames::moved(content.clone(), map, std::mem::take(&mut joins))?,
                b"LineNumberTable" => tables::lines(content.clone(), map)?,
                b"LocalVariableTable" | b"LocalVariableTypeTable" => tables::variables(content.clone(), map)?,
                b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                    tables::type_annotations(content.clone(), map)?
                }
                _ => content.rest().to_vec(),
            };
            write_attribute(*name, &moved, out);
        }
        if !joins.is_empty() {
            write_attribute(constants.utf8("StackMapTable")?, &frames::only(joins), out);
            n += 1;
        }
        let n = u16::try_from(n).map_err(|_| self.malformed("too many attributes"))?;
        out[count_at..count_at + 2].copy_from_slice(&n.to_be_bytes());
        Ok(())
    }
}

fn write_attribute(name: u16, content: &[u8], out: &mut Vec<u8>) {
    out.u2(name);
    out.u4(u32::try_from(content.len())
        .expect("frames and lines are as many as a 16-bit count, others keep their length"));
    out.extend_from_slice(content);
}

fn count(n: usize) -> u16 {
    u16::try_from(n).expect("as many as were read from a 16-bit count")
}

fn pc16(pc: usize) -> u16 {
    u16::try_from(pc).expect("code is never longer than 65535")
}

/// Where old pcs are in the new code. There are two answers where something is inserted before an instruction that
/// jumps run as well: the beginning of that insertion, and the instruction itself.
pub(crate) struct PcMap {
    /// For every old pc up to and including the end of the code; `None` inside an instruction.
    pcs: Vec<Option<(u16, u16)>>,
    /// The length of the new code.
    end: u16,
}

impl PcMap {
    /// Where a jump to this instruction goes, and ranges, lines and frames begin and end.
    pub(crate) fn target(&self, pc: u16) -> Option<u16> {
        self.pcs
            .get(usize::from(pc))
            .copied()
            .flatten()
            .map(|(target, _)| target)
    }

    /// Where the instruction itself is.
    pub(crate) fn itself(&self, pc: u16) -> Option<u16> {
        self.pcs
            .get(usize::from(pc))
            .copied()
            .flatten()
            .map(|(_, itself)| itself)
    }

    /// As [`Self::target`], for tables that only people read and that compilers sometimes get wrong: what lies inside
    /// an instruction becomes that instruction, what lies behind the code the end of the code.
    pub(crate) fn about(&self, pc: u16) -> u16 {
        let boundary = (0..=pc)
            .rev()
            .find(|&pc| self.pcs.get(usize::from(pc)).is_some_and(Option::is_some));
        boundary.and_then(|pc| self.target(pc)).unwrap_or_default()
    }
}

#[cfg(test)]
impl PcMap {
    /// Code of so many one-byte instructions, all of them moved by the same distance.
    pub(crate) fn shifting(length: u16, by: u16) -> Self {
        Self {
            pcs: (0..=length).map(|pc| Some((pc + by, pc + by))).collect(),
            end: length + by,
        }
    }
}

/// The new code's plan.
struct CodeLayout<'i> {
    map: PcMap,
    /// What goes before each instruction, in order.
    inserted: BTreeMap<usize, Vec<&'i Insertion>>,
    /// Where an insertion's own jump ends: there has to be a frame.
    joins: Vec<u16>,
}

impl<'i> CodeLayout<'i> {
    fn new(code: &Code<'_>, insertions: &'i [Insertion]) -> Result<Self, NotEdited> {
        let mut inserted: BTreeMap<usize, Vec<&Insertion>> = BTreeMap::new();
        for insertion in insertions {
            inserted.entry(insertion.before).or_default().push(insertion);
        }
        // A stable sort: edits keep their order within each place.
        inserted
            .values_mut()
            .for_each(|list| list.sort_by_key(|insertion| insertion.place));
        let mut pcs = vec![None; code.code.len() + 1];
        let mut joins = Vec::new();
        let mut new = 0;
        for (n, &pc) in code.instructions.iter().enumerate() {
            let next = code.instructions.get(n + 1).copied().unwrap_or(code.code.len());
            let here = inserted.get(&pc).map(Vec::as_slice).unwrap_or_default();
            let (passing, with) = here.split_at(here.partition_point(|i| i.place == InsertionPlace::Passing));
            for insertion in passing {
                new += insertion.code.len();
                if insertion.joins {
                    joins.push(new);
                }
            }
            let target = new;
            new += with.iter().map(|insertion| insertion.code.len()).sum::<usize>();
            pcs[pc] = Some((target, new));
            new += next - pc;
            if matches!(code.opcode(pc), TABLESWITCH | LOOKUPSWITCH) {
                new = new + padding(new - (next - pc)) - padding(pc);
            }
        }
        let end = u16::try_from(new).map_err(|_| NotEdited::CodeTooLong(new))?;
        pcs[code.code.len()] = Some((new, new));
        // Nothing is behind the end, and the end fits.
        let pcs = pcs
            .into_iter()
            .map(|pc| pc.map(|(target, itself)| (pc16(target), pc16(itself))))
            .collect();
        let joins = joins.into_iter().map(pc16).collect();
        Ok(Self {
            map: PcMap { pcs, end },
            inserted,
            joins,
        })
    }
}

/// How many bytes stand between the opcode of a switch at this pc and its first operand.
fn padding(pc: usize) -> usize {
    3 - pc % 4
}

/// The pc of each instruction, or that of the first that is none.
fn instructions(code: &[u8]) -> Result<Vec<usize>, usize> {
    let mut pcs = Vec::with_capacity(code.len() / 2);
    let mut pc = 0;
    while pc < code.len() {
        pcs.push(pc);
        let length = instruction_length(code, pc)
            .filter(|&length| length <= code.len() - pc)
            .ok_or(pc)?;
        pc += length;
    }
    Ok(pcs)
}

fn instruction_length(code: &[u8], pc: usize) -> Option<usize> {
    let operand = |n: usize| {
        let at = pc + 1 + padding(pc) + 4 * n;
        let bytes = code.get(at..at + 4)?.try_into().ok()?;
        Some(i64::from(i32::from_be_bytes(bytes)))
    };
    Some(match code.get(pc)? {
        0..=15 | 26..=53 | 59..=131 | 133..=152 | 172..=177 | 190 | 191 | 194 | 195 => 1,
        16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 2,
        17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
        197 => 4,
        185 | 186 | 200 | 201 => 5,
        &TABLESWITCH => {
            let entries = usize::try_from(operand(2)? - operand(1)? + 1).ok()?;
            1 + padding(pc) + 12 + entries.checked_mul(4)?
        }
        &LOOKUPSWITCH => 1 + padding(pc) + 8 + usize::try_from(operand(1)?).ok()?.checked_mul(8)?,
        // `wide iinc` has two operands of two bytes, all others one.
        &WIDE => match code.get(pc + 1)? {
            132 => 6,
            21..=25 | 54..=58 | 169 => 4,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_odd_instructions() {
        assert_eq!(
            instructions(&[0xc4, 132, 0, 1, 0, 2, 0xc4, 21, 1, 0, 177]),
            Ok(vec![0, 6, 10])
        );
        // `lookupswitch` at pc 1 with two bytes of padding and no pairs.
        assert_eq!(
            instructions(&[0, 171, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 177]),
            Ok(vec![0, 1, 12])
        );
        // `tableswitch` whose high bound is far above its low one.
        let code = [
            170, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 177,
        ];
        assert_eq!(instructions(&code), Err(0));
        assert_eq!(instructions(&[0, 202]), Err(1));
        assert_eq!(instructions(&[0, 17, 1]), Err(1));
        assert_eq!(instructions(&[0xc4, 0, 0, 0]), Err(0));
    }
}
