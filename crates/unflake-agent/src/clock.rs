//! How much of a test's time its JVM worked: what mostly waits can run beside others. And what the whole JVM has
//! needed.

use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use unflake_protocol::ToProgram;

/// The processor time that this JVM had used when the running test began.
#[derive(Debug, Default)]
pub(crate) struct BusyClock(AtomicU64);

impl BusyClock {
    /// Fills in what the agent knows and Java does not.
    pub(crate) fn stamp(&self, message: &mut ToProgram) {
        match message {
            ToProgram::TestStarted(_) => self.0.store(processor_time(), Ordering::Relaxed),
            ToProgram::TestFinished { busy_nanos, .. } => {
                *busy_nanos = processor_time().saturating_sub(self.0.load(Ordering::Relaxed));
            }
            _ => {}
        }
    }
}

/// The most memory that this process had in use, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.map_or(0, |kibibytes: u64| kibibytes * 1024)
}

pub(crate) fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).unwrap_or(0)
}
