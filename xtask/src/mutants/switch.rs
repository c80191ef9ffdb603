//! The module that is added to a crate's copy: it holds the one switch that all mutants ask.
//!
//! Tests of this file cannot start the switch twice in one process, so the text is tried by the command itself.

/// The module's name in the copy.
pub(super) const MODULE: &str = "switched";

/// The number of the mutant that is switched on.
pub(super) const ACTIVE: &str = "UNFLAKE_MUTANT";

/// The file to which numbers of mutants go as they are reached.
pub(super) const REACHED: &str = "UNFLAKE_MUTANTS_REACHED";

/// The process ends after so many seconds.
pub(super) const SECONDS: &str = "UNFLAKE_MUTANT_SECONDS";

/// The module's text, for so many mutants.
pub(super) fn text(count: usize) -> String {
    TEXT.replace("COUNT", &count.to_string())
}

const TEXT: &str = r#"//! Written by `cargo xtask mutants`.
#![allow(dead_code, clippy::all)]

use std::fs::File;
use std::io::Write;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ACTIVE: LazyLock<usize> = LazyLock::new(|| {
    if let Some(seconds) = std::env::var("UNFLAKE_MUTANT_SECONDS").ok().and_then(|text| text.parse().ok()) {
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(seconds));
            std::process::exit(124);
        });
    }
    let active = std::env::var("UNFLAKE_MUTANT").ok();
    active.and_then(|text| text.parse().ok()).unwrap_or(usize::MAX)
});

static REACHED: LazyLock<Option<File>> = LazyLock::new(|| {
    let file = std::env::var_os("UNFLAKE_MUTANTS_REACHED")?;
    File::options().create(true).append(true).open(file).ok()
});

static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

pub(crate) fn on(mutant: usize) -> bool {
    if let Some(mut file) = REACHED.as_ref() && !SEEN[mutant].swap(true, Relaxed) {
        file.write_all(format!("{mutant}\n").as_bytes()).ok();
    }
    mutant == *ACTIVE
}

pub(crate) fn lt<T: PartialOrd + ?Sized>(mutant: usize, a: &T, b: &T) -> bool {
    if on(mutant) { a <= b } else { a < b }
}

pub(crate) fn le<T: PartialOrd + ?Sized>(mutant: usize, a: &T, b: &T) -> bool {
    if on(mutant) { a < b } else { a <= b }
}

pub(crate) fn gt<T: PartialOrd + ?Sized>(mutant: usize, a: &T, b: &T) -> bool {
    if on(mutant) { a >= b } else { a > b }
}

pub(crate) fn ge<T: PartialOrd + ?Sized>(mutant: usize, a: &T, b: &T) -> bool {
    if on(mutant) { a > b } else { a >= b }
}

pub(crate) fn int<T: Add<Output = T> + From<bool>>(mutant: usize, number: T) -> T {
    if on(mutant) { number + T::from(true) } else { number }
}

pub(crate) fn add<A: Add<B, Output = O> + Sub<B, Output = O>, B, O>(mutant: usize, a: A, b: B) -> O {
    if on(mutant) { a - b } else { a + b }
}

pub(crate) fn sub<A: Add<B, Output = O> + Sub<B, Output = O>, B, O>(mutant: usize, a: A, b: B) -> O {
    if on(mutant) { a + b } else { a - b }
}

pub(crate) fn mul<A: Mul<B, Output = O> + Div<B, Output = O>, B, O>(mutant: usize, a: A, b: B) -> O {
    if on(mutant) { a / b } else { a * b }
}

pub(crate) fn div<A: Mul<B, Output = O> + Div<B, Output = O>, B, O>(mutant: usize, a: A, b: B) -> O {
    if on(mutant) { a * b } else { a / b }
}

pub(crate) fn min<T: Ord>(mutant: usize, a: T, b: T) -> T {
    if on(mutant) { a.max(b) } else { a.min(b) }
}

pub(crate) fn max<T: Ord>(mutant: usize, a: T, b: T) -> T {
    if on(mutant) { a.min(b) } else { a.max(b) }
}

pub(crate) fn least<I: Iterator>(mutant: usize, items: I) -> Option<I::Item>
where
    I::Item: Ord,
{
    if on(mutant) { items.max() } else { items.min() }
}

pub(crate) fn greatest<I: Iterator>(mutant: usize, items: I) -> Option<I::Item>
where
    I::Item: Ord,
{
    if on(mutant) { items.min() } else { items.max() }
}

pub(crate) fn min_by_key<I: Iterator, K: Ord>(
    mutant: usize,
    items: I,
    key: impl FnMut(&I::Item) -> K,
) -> Option<I::Item> {
    if on(mutant) { items.max_by_key(key) } else { items.min_by_key(key) }
}

pub(crate) fn max_by_key<I: Iterator, K: Ord>(
    mutant: usize,
    items: I,
    key: impl FnMut(&I::Item) -> K,
) -> Option<I::Item> {
    if on(mutant) { items.min_by_key(key) } else { items.max_by_key(key) }
}

pub(crate) fn first<T>(mutant: usize, items: &[T]) -> Option<&T> {
    if on(mutant) { items.last() } else { items.first() }
}

pub(crate) fn last<T>(mutant: usize, items: &[T]) -> Option<&T> {
    if on(mutant) { items.first() } else { items.last() }
}

pub(crate) fn cmp(mutant: usize, order: std::cmp::Ordering) -> std::cmp::Ordering {
    if on(mutant) { order.reverse() } else { order }
}
"#;
