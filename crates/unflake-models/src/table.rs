//! The table: one family per file, put together when this crate is compiled.
//!
//! A model's index in [`MODELS`] is what edits hand to the runtime; it is the same for program and agent because both
//! are built from this file. Names, not indices, are stored and sent.

mod arrays;
mod collections;
mod files;
mod misc;
mod queues;
mod reflection;
mod text;

use crate::Model;

const FAMILIES: &[&[Model]] = &[
    collections::ROWS,
    queues::ROWS,
    files::ROWS,
    reflection::ROWS,
    text::ROWS,
    misc::ROWS,
];

/// Every model, in a fixed order.
pub static MODELS: &[Model] = &concatenated::<{ length(FAMILIES) }>(FAMILIES);

const fn length(families: &[&[Model]]) -> usize {
    let mut sum = 0;
    let mut family = 0;
    while family < families.len() {
        sum += families[family].len();
        family += 1;
    }
    sum
}

const fn concatenated<const N: usize>(families: &[&[Model]]) -> [Model; N] {
    let mut all = [families[0][0]; N];
    let mut next = 0;
    let mut family = 0;
    while family < families.len() {
        let mut row = 0;
        while row < families[family].len() {
            all[next] = families[family][row];
            next += 1;
            row += 1;
        }
        family += 1;
    }
    all
}
