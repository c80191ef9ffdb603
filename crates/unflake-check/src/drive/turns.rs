//! Which JVMs may run beside which.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use unflake_runner::Cancel;

/// Lets JVMs run that could meet. One that runs outside runs alone among these; those that share a directory and ports
/// run beside each other; those in namespaces meet nobody and need no turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<(Mutex<Running>, Condvar)>);

#[derive(Debug, Default)]
struct Running {
    sharing: usize,
    alone: bool,
    /// Nobody else begins while somebody waits to be alone.
    waiting: usize,
}

/// How a JVM runs beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    Apart,
    Sharing,
    Alone,
}

/// Held while a JVM runs tests.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Turns,
    company: Company,
}

impl Turns {
    /// Waits until it is this JVM's turn. `None`: the user has cancelled.
    pub(super) fn take(&self, company: Company, cancel: &Cancel) -> Option<Turn> {
        const TICK: Duration = Duration::from_millis(50);
        let (running, changed) = &*self.0;
        let mut now = running.lock().unwrap_or_else(PoisonError::into_inner);
        if company == Company::Alone {
            now.waiting += 1;
        }
        let may_begin = |now: &Running| match company {
            Company::Apart => true,
            Company::Sharing => !now.alone && now.waiting == 0,
            Company::Alone => !now.alone && now.sharing == 0,
        };
        while !may_begin(&now) && !cancel.is_cancelled() {
            let waited = changed.wait_timeout(now, TICK);
            now = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let begins = may_begin(&now);
        match company {
            Company::Apart => {}
            Company::Sharing => now.sharing += usize::from(begins),
            Company::Alone => {
                now.waiting -= 1;
                now.alone |= begins;
            }
        }
        begins.then(|| Turn {
            turns: self.clone(),
            company,
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let (running, changed) = &*self.turns.0;
        let mut now = running.lock().unwrap_or_else(PoisonError::into_inner);
        match self.company {
            Company::Apart => return,
            Company::Sharing => now.sharing -= 1,
            Company::Alone => now.alone = false,
        }
        changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn nobody_runs_beside_who_is_alone_but_those_who_are_apart() {
        let (turns, cancel) = (Turns::default(), Cancel::default());
        let (sharing, alone) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = turns.take(Company::Sharing, &cancel);
                        sharing.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(alone.load(Ordering::SeqCst), 0);
                        sharing.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
                scope.spawn(|| {
                    for _ in 0..20 {
                        let turn = turns.take(Company::Alone, &cancel);
                        assert_eq!(alone.fetch_add(1, Ordering::SeqCst), 0);
                        assert_eq!(sharing.load(Ordering::SeqCst), 0);
                        drop(turns.take(Company::Apart, &cancel));
                        alone.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_when_the_user_has_had_enough() {
        let (turns, cancel) = (Turns::default(), Cancel::default());
        let first = turns.take(Company::Alone, &cancel);
        cancel.cancel();
        assert!(turns.take(Company::Alone, &cancel).is_none());
        assert!(turns.take(Company::Sharing, &cancel).is_none());
        drop(first);
        // Who gave up waiting holds up nobody.
        assert!(turns.take(Company::Sharing, &cancel).is_some());
    }
}
