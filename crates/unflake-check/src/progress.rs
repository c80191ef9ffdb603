//! What the engine says while it works.

/// Hears how far the work is. Called from several threads.
pub trait Progress: Sync {
    /// A new phase of `of` steps; 0: not known.
    fn phase(&self, phase: &str, of: u64);
    /// One more step of the phase is done.
    fn step(&self);
    /// Something about the phase that is worth a word.
    fn note(&self, note: &str);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn phase(&self, _: &str, _: u64) {}
    fn step(&self) {}
    fn note(&self, _: &str) {}
}
