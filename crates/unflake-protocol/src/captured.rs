//! What the runtime captures of the JVM's own state: the kinds of its lines, by the names that Java writes.
//!
//! The runtime hands captures over as texts, and most of them are names that a test chose; so the kinds are texts too.
//! Both sides have them from this table.

/// Declares the kinds with their names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// What a captured line is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum CapturedKind {
            $($(#[$doc])* $variant),+
        }

        impl CapturedKind {
            /// All kinds, and how they are called here.
            pub const ALL: &'static [(CapturedKind, &'static str)] =
                &[$((CapturedKind::$variant, stringify!($variant))),+];

            /// As the runtime writes it.
            pub fn name(self) -> &'static str {
                match self {
                    $(CapturedKind::$variant => $name),+
                }
            }
        }
    };
}

kinds! {
    Property = "property",
    SecurityProperty = "security-property",
    Locale = "locale",
    Timezone = "timezone",
    Stream = "stream",
    ExceptionHandler = "exception-handler",
    ShutdownHook = "shutdown-hook",
    Thread = "thread",
    ThreadLocal = "thread-local",
    Provider = "provider",
    LogLevel = "log-level",
    LogHandler = "log-handler",
    UrlHandler = "url-handler",
    NetDefault = "net-default",
    Bean = "bean",
    Environment = "environment",
    FileUntilExit = "file-until-exit",
    /// The kind named could be read, though perhaps there is nothing of it.
    Seen = "seen",
    /// The kind named could not be read.
    Failed = "failed",
}

impl CapturedKind {
    pub fn from_name(name: &str) -> Option<CapturedKind> {
        let mut kinds = CapturedKind::ALL.iter().map(|(kind, _)| *kind);
        kinds.find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for (kind, _) in CapturedKind::ALL {
            assert_eq!(CapturedKind::from_name(kind.name()), Some(*kind));
        }
        assert_eq!(CapturedKind::from_name("weather"), None);
    }
}
