//! Messages as bytes: a length of four bytes (little endian), then the message in postcard's format.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::io::{self, Read, Write};

/// Both sides must have the same; they always do unless somebody mixes two versions of unflake.
pub const PROTOCOL_VERSION: u32 = 5;

/// Longer than any message: a length above it means that the other side speaks something else.
const LONGEST: u32 = 256 << 20;

#[derive(Debug)]
pub enum WireError {
    Io(io::Error),
    Malformed(String),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Io(error) => write!(f, "the connection broke: {error}"),
            WireError::Malformed(what) => write!(f, "the other side does not speak our protocol: {what}"),
        }
    }
}

impl std::error::Error for WireError {}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        WireError::Io(error)
    }
}

/// Writes one message in one call, so that writers under a lock never interleave.
pub fn write_message(to: &mut impl Write, message: &impl Serialize) -> Result<(), WireError> {
    let body = postcard::to_stdvec(message).map_err(|e| WireError::Malformed(e.to_string()))?;
    let length = u32::try_from(body.len()).map_err(|e| WireError::Malformed(e.to_string()))?;
    let mut bytes = Vec::with_capacity(body.len() + 4);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&body);
    to.write_all(&bytes)?;
    to.flush()?;
    Ok(())
}

/// Reads one message; `None` when the other side has closed the connection between two messages.
pub fn read_message<M: DeserializeOwned>(from: &mut impl Read) -> Result<Option<M>, WireError> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(WireError::Malformed(format!("a message of {length} bytes")));
    }
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body)?;
    postcard::from_bytes(&body)
        .map(Some)
        .map_err(|e| WireError::Malformed(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToAgent, ToProgram};

    #[test]
    fn messages_come_back_as_they_were_sent() {
        let mut bytes = Vec::new();
        let first = ToProgram::Bug {
            message: "Ω".to_owned(),
        };
        write_message(&mut bytes, &first).unwrap();
        write_message(&mut bytes, &ToProgram::RunFinished).unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(read_message(&mut from).unwrap(), Some(first));
        assert_eq!(read_message(&mut from).unwrap(), Some(ToProgram::RunFinished));
        assert_eq!(read_message::<ToProgram>(&mut from).unwrap(), None);
    }

    #[test]
    fn a_foreign_stream_is_an_error_not_a_huge_allocation() {
        let result = read_message::<ToAgent>(&mut &b"GET / HTTP/1.1\r\n"[..]);
        assert!(matches!(result, Err(WireError::Malformed(_))), "{result:?}");
    }
}
