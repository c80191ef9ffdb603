//! What was found, as plain data, and the store on disk.
