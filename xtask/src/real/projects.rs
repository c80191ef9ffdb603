//! The projects, by their coordinates.

/// One published project.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) group: &'static str,
    pub(super) artifact: &'static str,
    pub(super) version: &'static str,
}

impl Project {
    pub(super) fn name(&self) -> &'static str {
        self.artifact
    }

    /// `commons-lang3`, or `lang3` for short.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.artifact == name || self.artifact.strip_prefix("commons-") == Some(name)
    }
}

pub(super) const PROJECTS: [Project; 4] = [
    Project {
        group: "org.apache.commons",
        artifact: "commons-lang3",
        version: "3.9",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-collections4",
        version: "4.4",
    },
    Project {
        group: "commons-beanutils",
        artifact: "commons-beanutils",
        version: "1.9.4",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-configuration2",
        version: "2.7",
    },
];

/// Those that are measured only for what watching them costs.
pub(super) const MORE: [Project; 5] = [
    Project {
        group: "commons-io",
        artifact: "commons-io",
        version: "2.6",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-dbcp2",
        version: "2.8.0",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-pool2",
        version: "2.8.0",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-text",
        version: "1.8",
    },
    Project {
        group: "org.apache.commons",
        artifact: "commons-csv",
        version: "1.8",
    },
];
