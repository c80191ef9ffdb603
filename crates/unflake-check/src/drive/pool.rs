//! The one pool: so many threads, each of which may keep something from one piece of work to the next.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Work that so many threads do, beside that of other lanes.
#[derive(Debug)]
pub(crate) struct Lane<I> {
    pub(crate) threads: usize,
    pub(crate) items: Vec<I>,
}

/// What is left to do, with its place.
type Queue<I> = VecDeque<(usize, I)>;

/// Does `work` for each of `items`, so many at a time; the results are in the items' order.
pub(crate) fn in_parallel<I: Send, R: Send>(
    threads: usize,
    items: Vec<I>,
    work: impl Fn(I) -> R + Sync,
) -> Vec<R> {
    let lane = Lane { threads, items };
    in_lanes(vec![lane], &|| (), &|(), item| work(item))
}

/// Does `work` for all items of all lanes. Each thread makes something with `keep` and has it at hand for every item that
/// it takes. The results are in the items' order, lane after lane.
pub(crate) fn in_lanes<I: Send, K, R: Send>(
    lanes: Vec<Lane<I>>,
    keep: &(dyn Fn() -> K + Sync),
    work: &(dyn Fn(&mut K, I) -> R + Sync),
) -> Vec<R> {
    let results = Mutex::new(BTreeMap::new());
    let queues: Vec<(usize, Mutex<Queue<I>>)> = lanes
        .into_iter()
        .map(|lane| {
            let threads = lane.threads.min(lane.items.len());
            (threads, Mutex::new(lane.items.into_iter().enumerate().collect()))
        })
        .collect();
    std::thread::scope(|scope| {
        for (lane, (threads, queue)) in queues.iter().enumerate() {
            for _ in 0..*threads {
                let results = &results;
                scope.spawn(move || {
                    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let mut kept = keep();
                    while let Some((index, item)) = next() {
                        let result = work(&mut kept, item);
                        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                        results.insert((lane, index), result);
                    }
                });
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let squares = in_parallel(3, (0..50).collect(), |n: u32| n * n);
        assert_eq!(squares, (0..50).map(|n| n * n).collect::<Vec<_>>());
        assert!(in_parallel(4, Vec::<u32>::new(), |n| n).is_empty());
    }

    #[test]
    fn no_lane_has_more_threads_than_it_may_or_needs() {
        let kept = AtomicUsize::new(0);
        let lanes = [(1, 5), (4, 2), (3, 0)].map(|(threads, items)| Lane {
            threads,
            items: vec![(); items],
        });
        let done = in_lanes(
            lanes.into(),
            &|| kept.fetch_add(1, Ordering::Relaxed),
            &|_, ()| {},
        );
        assert_eq!((done.len(), kept.into_inner()), (7, 1 + 2));
    }

    #[test]
    fn a_thread_keeps_what_it_made() {
        let lane = Lane {
            threads: 1,
            items: vec![1, 2, 3],
        };
        let sums = in_lanes(vec![lane], &|| 0, &|sum, n| {
            *sum += n;
            *sum
        });
        assert_eq!(sums, [1, 3, 6]);
    }
}
