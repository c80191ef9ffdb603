//! Rounds, levels, seeds and confirmation, over a trait that runs tests.
