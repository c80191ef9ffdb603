//! Zip archives, as far as `src.zip` and jars use them: stored and deflated entries, no encryption, no zip64.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// An archive in memory.
pub struct Archive {
    bytes: Vec<u8>,
    entries: BTreeMap<String, ZipEntry>,
}

struct ZipEntry {
    deflated: bool,
    header: usize,
    compressed: usize,
    size: usize,
}

impl Archive {
    pub fn open(path: &Path) -> io::Result<Archive> {
        Archive::from_bytes(fs::read(path)?)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a zip archive that can be read"))
    }

    fn from_bytes(bytes: Vec<u8>) -> Option<Archive> {
        const END: &[u8] = b"PK\x05\x06";
        const DIRECTORY: &[u8] = b"PK\x01\x02";
        let end = bytes.windows(END.len()).rposition(|window| window == END)?;
        let mut at = number(&bytes, end + 16, 4)?;
        let mut entries = BTreeMap::new();
        for _ in 0..number(&bytes, end + 10, 2)? {
            if bytes.get(at..at + 4)? != DIRECTORY {
                return None;
            }
            let name_length = number(&bytes, at + 28, 2)?;
            let name = String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name_length)?).into_owned();
            let entry = ZipEntry {
                deflated: number(&bytes, at + 10, 2)? == 8,
                header: number(&bytes, at + 42, 4)?,
                compressed: number(&bytes, at + 20, 4)?,
                size: number(&bytes, at + 24, 4)?,
            };
            entries.insert(name, entry);
            at += 46 + name_length + number(&bytes, at + 30, 2)? + number(&bytes, at + 32, 2)?;
        }
        Some(Archive { bytes, entries })
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The entry as text; `None` if there is none of this name or it is damaged.
    pub fn text(&self, name: &str) -> Option<String> {
        Some(String::from_utf8_lossy(&self.bytes(name)?).into_owned())
    }

    /// The entry as it is.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.get(name)?;
        let names = number(&self.bytes, entry.header + 26, 2)? + number(&self.bytes, entry.header + 28, 2)?;
        let start = entry.header + 30 + names;
        let body = self.bytes.get(start..start + entry.compressed)?;
        if entry.deflated {
            miniz_oxide::inflate::decompress_to_vec_with_limit(body, entry.size).ok()
        } else {
            Some(body.to_vec())
        }
    }
}

/// A little-endian number of `length` bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(
        bytes
            .get(at..at + length)?
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | usize::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(name: &str, text: &str, deflated: bool) -> Vec<u8> {
        let body = if deflated {
            miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 6)
        } else {
            text.as_bytes().to_vec()
        };
        let method = if deflated { 8_u16 } else { 0 };
        let mut zip = Vec::new();
        zip.extend_from_slice(b"PK\x03\x04\x14\0\0\0");
        zip.extend_from_slice(&method.to_le_bytes());
        zip.extend_from_slice(&[0; 8]);
        zip.extend_from_slice(&(body.len() as u32).to_le_bytes());
        zip.extend_from_slice(&(text.len() as u32).to_le_bytes());
        zip.extend_from_slice(&(name.len() as u16).to_le_bytes());
        zip.extend_from_slice(&[0; 2]);
        zip.extend_from_slice(name.as_bytes());
        zip.extend_from_slice(&body);
        let directory = zip.len() as u32;
        zip.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0");
        zip.extend_from_slice(&method.to_le_bytes());
        zip.extend_from_slice(&[0; 8]);
        zip.extend_from_slice(&(body.len() as u32).to_le_bytes());
        zip.extend_from_slice(&(text.len() as u32).to_le_bytes());
        zip.extend_from_slice(&(name.len() as u16).to_le_bytes());
        zip.extend_from_slice(&[0; 16]);
        zip.extend_from_slice(name.as_bytes());
        let length = zip.len() as u32 - directory;
        zip.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        zip.extend_from_slice(&length.to_le_bytes());
        zip.extend_from_slice(&directory.to_le_bytes());
        zip.extend_from_slice(&[0; 2]);
        zip
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        for deflated in [false, true] {
            let zip = Archive::from_bytes(archive("a/B.java", "class B {}", deflated)).unwrap();
            assert_eq!(zip.names().collect::<Vec<_>>(), ["a/B.java"]);
            assert_eq!(zip.text("a/B.java").as_deref(), Some("class B {}"));
            assert_eq!(zip.text("a/C.java"), None);
        }
    }

    #[test]
    fn damage_is_no_panic() {
        let whole = archive("a/B.java", "class B {}", true);
        for length in 0..whole.len() {
            if let Some(zip) = Archive::from_bytes(whole[..length].to_vec()) {
                let _ = zip.text("a/B.java");
            }
        }
        let mut directory_is_elsewhere = whole.clone();
        let end = whole.len() - 6;
        directory_is_elsewhere[end] ^= 0x55;
        assert!(Archive::from_bytes(directory_is_elsewhere).is_none());
    }
}
