//! Commands for those who work on unflake.

fn main() {}
