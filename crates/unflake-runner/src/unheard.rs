//! How long nothing was heard of a JVM, as far as that says something of its tests.
//!
//! On a busy machine a JVM that is well may not be heard of for long, since it waits for a processor. The kernel knows
//! how long threads have waited; that time does not count.

use std::fs;
use std::time::{Duration, Instant};

/// The silence of one process, since it was last heard of.
#[derive(Debug)]
pub struct Unheard {
    since: Instant,
    looked: Instant,
    /// How long all its threads had waited by then; `None`: that is not known.
    waited: Option<Duration>,
    /// The part of the silence in which it waited.
    busy: Duration,
}

impl Unheard {
    pub fn begin(now: Instant) -> Unheard {
        Unheard {
            since: now,
            looked: now,
            waited: None,
            busy: Duration::ZERO,
        }
    }

    /// The part of it that counts, if this is the process.
    pub fn of(&mut self, process: u32) -> Duration {
        self.counted(Instant::now(), || waited(process))
    }

    /// `waited`: how long the threads of the process have waited in all their life.
    fn counted(&mut self, now: Instant, waited: impl FnOnce() -> Option<Duration>) -> Duration {
        /// Short silences are not looked at.
        const EVERY: Duration = Duration::from_millis(500);
        /// At least one part of so many counts, so that each silence comes to an end.
        const PARTS: u32 = 10;
        let passed = now - self.looked;
        if passed >= EVERY {
            let waited = waited();
            if let (Some(before), Some(now)) = (self.waited, waited) {
                // Many threads may wait at the same time.
                self.busy += now.saturating_sub(before).min(passed);
            }
            self.waited = waited;
            self.looked = now;
        }
        let all = now - self.since;
        all.saturating_sub(self.busy).max(all / PARTS)
    }
}

/// How long the threads of a process, and of those that it has started, have waited for a processor.
fn waited(process: u32) -> Option<Duration> {
    let mut nanos = 0;
    let mut is_known = false;
    let mut left = vec![process];
    while let Some(process) = left.pop() {
        let threads = fs::read_dir(format!("/proc/{process}/task"));
        // Any of them may end meanwhile.
        for thread in threads.into_iter().flatten().flatten() {
            let read = |file| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
            let children = read("children");
            left.extend(
                children
                    .split_whitespace()
                    .filter_map(|id| id.parse::<u32>().ok()),
            );
            if let Some(of_thread) = second_number(&read("schedstat")) {
                is_known = true;
                nanos += of_thread;
            }
        }
    }
    is_known.then(|| Duration::from_nanos(nanos))
}

/// Of `schedstat`: the time on a processor, the time of waiting for one, both in nanoseconds, and a count.
fn second_number(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What counts after each look: at a second, with so many seconds of waiting by then.
    fn counted(looks: &[(u64, Option<u64>)]) -> Vec<u64> {
        let begin = Instant::now();
        let mut unheard = Unheard::begin(begin);
        let look = |(second, waited): &(u64, Option<u64>)| {
            let now = begin + Duration::from_secs(*second);
            unheard.counted(now, || waited.map(Duration::from_secs)).as_secs()
        };
        looks.iter().map(look).collect()
    }

    #[test]
    fn the_time_of_waiting_for_a_processor_does_not_count() {
        assert_eq!(counted(&[(1, Some(5)), (2, Some(5)), (9, Some(5))]), [1, 2, 9]);
        assert_eq!(counted(&[(1, Some(5)), (3, Some(6)), (9, Some(11))]), [1, 2, 3]);
        // Several threads cannot wait for longer than there is time, and one that has ended waits no more.
        assert_eq!(counted(&[(1, Some(5)), (3, Some(60)), (9, Some(1))]), [1, 1, 7]);
        // Where nothing is known, all of it counts.
        assert_eq!(counted(&[(1, None), (3, Some(60)), (9, None)]), [1, 3, 9]);
    }

    #[test]
    fn a_process_that_waits_for_ever_is_silent_in_the_end() {
        let looks: Vec<(u64, Option<u64>)> = (1..=100).map(|second| (second, Some(second))).collect();
        assert_eq!(counted(&looks).last(), Some(&10));
    }

    #[test]
    fn the_kernel_says_how_long_a_process_has_waited() {
        let is_known = std::path::Path::new("/proc/self/schedstat").exists();
        assert_eq!(waited(std::process::id()).is_some(), is_known);
        assert_eq!(waited(u32::MAX), None);
        assert_eq!(second_number("12 34 5\n"), Some(34));
        assert_eq!(second_number(""), None);
    }
}
