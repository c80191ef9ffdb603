//! Strings as class files hold them: UTF-8, but NUL takes two bytes and what lies beyond the basic plane is written as
//! two surrogates of three bytes each.

use std::borrow::Cow;

/// The text of a `CONSTANT_Utf8`. A surrogate without its other half becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            char::decode_utf16(units(bytes))
                .map(|c| c.unwrap_or('\u{fffd}'))
                .collect(),
        ),
    }
}

fn units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let low = |index: usize| {
            rest.get(index)
                .filter(|b| *b & 0xc0 == 0x80)
                .map(|b| u16::from(b & 0x3f))
        };
        let (unit, length) = match (first, low(1), low(2)) {
            (0x00..=0x7f, _, _) => (u16::from(first), 1),
            (0xc0..=0xdf, Some(b), _) => (u16::from(first & 0x1f) << 6 | b, 2),
            (0xe0..=0xef, Some(b), Some(c)) => (u16::from(first & 0x0f) << 12 | b << 6 | c, 3),
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = rest.get(length..).unwrap_or_default();
    }
    units
}

pub(crate) fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|b| (1..0x80).contains(&b)) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        // The masks leave six bits or fewer, so nothing is lost in the conversions.
        let low = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            0x01..=0x7f => bytes.push(unit as u8),
            0x00 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_both_ways() {
        for text in [
            "",
            "abc",
            "a\0b",
            "äöü",
            "€",
            "a😀b",
            "\u{7ff}\u{800}\u{ffff}\u{10000}",
        ] {
            assert_eq!(decode(&encode(text)), text);
        }
    }

    #[test]
    fn nul_and_surrogates_have_their_own_form() {
        assert_eq!(&*encode("\0"), [0xc0, 0x80]);
        assert_eq!(&*encode("😀"), [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
    }

    #[test]
    fn broken_text_is_replaced() {
        assert_eq!(decode(&[b'a', 0xff, b'b', 0xe0]), "a\u{fffd}b\u{fffd}");
        assert_eq!(decode(&[0xed, 0xa0, 0xbd]), "\u{fffd}");
    }
}
