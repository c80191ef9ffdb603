//! The process's environment, which Rust lets nobody change safely.

/// Sets or removes a variable of this process.
pub(crate) fn set_variable(name: &str, value: Option<&str>) {
    match value {
        // SAFETY: called from `Agent_OnLoad` only, when the JVM has started no thread that reads the environment.
        Some(value) => unsafe { std::env::set_var(name, value) },
        // SAFETY: as above.
        None => unsafe { std::env::remove_var(name) },
    }
}
