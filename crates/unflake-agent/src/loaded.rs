//! Which of a few JDK classes are loaded: state that nobody has used yet must not come to life by our looking for it.
//! JVMTI can list the loaded classes, which takes a millisecond; that is done once, and from then on the class-file
//! hook tells of those that come.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub(crate) struct LoadedClasses {
    /// With slashes; at most 64.
    names: OnceLock<Vec<String>>,
    mask: AtomicU64,
    listed: OnceLock<()>,
}

impl LoadedClasses {
    /// A class of the boot loader is about to be there.
    pub(crate) fn boot_class_loads(&self, name: &str) {
        let known = self.names.get().into_iter().flatten();
        if let Some((bit, _)) = (0..64).zip(known).find(|(_, known)| *known == name) {
            self.mask.fetch_or(1 << bit, Ordering::Relaxed);
        }
    }

    /// A bit for each of the names (with dots) that the first call gave. `all` lists what is loaded, with slashes.
    pub(crate) fn mask(&self, names: impl FnOnce() -> Vec<String>, all: impl FnOnce() -> Vec<String>) -> u64 {
        // First the names, so that a class that comes while the others are listed is told by the hook.
        self.names
            .get_or_init(|| names().iter().map(|name| name.replace('.', "/")).collect());
        self.listed.get_or_init(|| {
            for name in all() {
                self.boot_class_loads(&name);
            }
        });
        self.mask.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_count_that_were_there_or_came() {
        let loaded = LoadedClasses::default();
        loaded.boot_class_loads("java/net/URL");
        let names = || ["java.net.URL", "a.B", "c.D"].map(str::to_owned).to_vec();
        let there = || ["x/Y", "c/D"].map(str::to_owned).to_vec();
        assert_eq!(loaded.mask(names, there), 0b100);
        loaded.boot_class_loads("a/B");
        loaded.boot_class_loads("x/Y");
        assert_eq!(loaded.mask(Vec::new, Vec::new), 0b110);
    }
}
