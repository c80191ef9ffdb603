//! Not there yet.

use crate::{Failure, Outcome};

pub fn run(_args: Vec<String>) -> Outcome<()> {
    Err(Failure::new("not there yet"))
}
