//! Faults on request, so that tests can see what unflake makes of them; only debug builds of the program and those with
//! its feature `faults` have them.
//! `UNFLAKE_FAULT=panic:7` panics at the seventh event of each worker, `UNFLAKE_FAULT=cut:7` breaks its connection there.

use crate::connection::Connection;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Called at every event of a worker.
pub(crate) fn strike(connection: Option<&Connection>) {
    static ASKED: OnceLock<Option<(String, u32)>> = OnceLock::new();
    static EVENTS: AtomicU32 = AtomicU32::new(0);
    let asked = ASKED.get_or_init(|| {
        let text = std::env::var("UNFLAKE_FAULT").ok()?;
        let (what, when) = text.split_once(':')?;
        Some((what.to_owned(), when.parse().ok()?))
    });
    let Some((what, when)) = asked else { return };
    if EVENTS.fetch_add(1, Ordering::Relaxed) + 1 != *when {
        return;
    }
    match (what.as_str(), connection) {
        ("panic", _) => panic!("a fault on request"),
        ("cut", Some(connection)) => connection.cut(),
        _ => {}
    }
}
