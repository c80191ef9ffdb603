//! Work that is done two at a time, with results in the order of what was asked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const AT_A_TIME: usize = 2;

pub(super) fn map<I: Sync, R: Send>(items: &[I], work: impl Fn(usize, &I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = work(index, item);
            done.lock()
                .expect("no worker panics with it")
                .push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(worker);
        }
    });
    let mut done = done.into_inner().expect("all workers have ended");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_their_order() {
        let items: Vec<usize> = (0..50).collect();
        assert_eq!(
            super::map(&items, |index, item| index + item),
            (0..50).map(|n| n * 2).collect::<Vec<_>>()
        );
    }
}
