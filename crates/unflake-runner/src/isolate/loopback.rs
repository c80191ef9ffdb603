//! Brings up the loopback of a new network namespace, so that every port of it is free.
//!
//! By a message to the kernel (rtnetlink); there is no other way without `unsafe`.

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket};
use std::io;

const NEW_LINK: u16 = 16;
const REQUEST_AND_ACKNOWLEDGE: u16 = 0x1 | 0x4;
const ERROR: u16 = 2;
const UP: u32 = 1;
/// The first interface of each namespace.
const LOOPBACK: i32 = 1;

pub(super) fn bring_up() -> io::Result<()> {
    let kernel = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    send(&kernel, &message(), SendFlags::empty())?;
    let mut answer = [0; 1024];
    let (length, _) = recv(&kernel, &mut answer, RecvFlags::empty())?;
    check(&answer[..length])
}

/// A header (length, kind, flags, number, sender) and what should become of the interface (family, kind, index, flags,
/// which flags to change).
fn message() -> Vec<u8> {
    const LENGTH: u32 = 32;
    let mut bytes = Vec::new();
    bytes.extend(LENGTH.to_ne_bytes());
    bytes.extend(NEW_LINK.to_ne_bytes());
    bytes.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([0; 4]);
    bytes.extend(LOOPBACK.to_ne_bytes());
    bytes.extend(UP.to_ne_bytes());
    bytes.extend(UP.to_ne_bytes());
    bytes
}

/// The acknowledgement is an error with the number 0 after the header.
fn check(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok());
    let error = answer.get(16..20).and_then(|bytes| bytes.try_into().ok());
    match (kind.map(u16::from_ne_bytes), error.map(i32::from_ne_bytes)) {
        (Some(ERROR), Some(0)) => Ok(()),
        (Some(ERROR), Some(error)) => Err(io::Error::from_raw_os_error(-error)),
        _ => Err(io::Error::other("the kernel's answer is not understood")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_an_acknowledgement_or_an_error() {
        let answer = |error: i32| {
            let mut bytes = message();
            bytes[4..6].copy_from_slice(&ERROR.to_ne_bytes());
            bytes[16..20].copy_from_slice(&error.to_ne_bytes());
            check(&bytes)
        };
        assert!(answer(0).is_ok());
        assert_eq!(answer(-1).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(check(&message()).is_err() && check(&[]).is_err());
    }
}
