//! Who made a choice: the project, a framework for its own sake, or code that a filter names (N8).

use std::collections::{BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock};
use unflake_protocol::{Frameworks, Support};

/// Whose code a method is, as far as choices are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The JDK and our own runtime: works for whoever called it.
    Jdk,
    /// The JDK where the order it sees cannot get out: whoever called it never learns of it.
    Internal,
    /// Compares what it is given: works for whoever called it.
    Assertion,
    /// A test framework or a build tool.
    Framework,
    /// The project or one of its libraries.
    Project,
}

/// Beginnings of `class.method`: loading and linking, proxies, comparing collections, tables that are filled from
/// tables. Only for knowing which tests need varying: they are varied like everybody else.
const INTERNAL: &[&str] = &[
    "java/io/ObjectStreamClass.compute",
    "java/io/ObjectStreamClass.get",
    "java/io/ObjectStreamClass.superHas",
    "java/lang/ClassLoader",
    "java/lang/ConditionalSpecialCasing",
    "java/lang/invoke/",
    "java/lang/reflect/Proxy",
    "java/net/URLClassLoader",
    "java/text/SimpleDateFormat.",
    "java/util/AbstractCollection.containsAll",
    "java/util/AbstractMap.equals",
    "java/util/AbstractMap.hashCode",
    "java/util/AbstractSet.equals",
    "java/util/AbstractSet.hashCode",
    "java/util/concurrent/ThreadPoolExecutor",
    "jdk/internal/loader/",
    "sun/misc/ProxyGenerator",
    "sun/misc/URLClassPath",
    "sun/util/locale/provider/TimeZoneNameUtility",
];
const JDK: &[&str] = &["java/", "javax/", "jdk/", "sun/", "com/sun/"];

/// The owner of a method, given by its class's binary name with slashes and its own.
pub(crate) fn owner(frameworks: &Frameworks<'_>, class: &str, method: &str) -> Owner {
    if JDK.iter().any(|prefix| class.starts_with(prefix)) {
        let name = format!("{class}.{method}");
        if INTERNAL.iter().any(|prefix| name.starts_with(prefix)) {
            return Owner::Internal;
        }
        return Owner::Jdk;
    }
    match frameworks.support_of(class) {
        Some(Support::Assertion) => Owner::Assertion,
        Some(Support::Framework | Support::Launcher) => Owner::Framework,
        // A matcher is often the project's own or works on its behalf.
        Some(Support::Matcher) | None => Owner::Project,
    }
}

/// Which callers' choices may vary.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    pub(crate) from: Vec<String>,
    pub(crate) skip_from: Vec<String>,
    /// Classes and methods that say "this order is meant": `package.Class` and `package.Class.method`.
    pub(crate) meant: RwLock<BTreeSet<String>>,
}

impl Filters {
    /// Whether callers have to be looked at from the start.
    pub(crate) fn any(&self) -> bool {
        !self.from.is_empty() || !self.skip_from.is_empty()
    }

    /// `class` with dots.
    pub(crate) fn allow(&self, class: &str, method: &str) -> bool {
        let name = format!("{class}.{method}");
        let matches = |glob: &String| glob_matches(glob, &name) || glob_matches(&format!("{glob}.*"), &name);
        if !self.from.is_empty() && !self.from.iter().any(matches) || self.skip_from.iter().any(matches) {
            return false;
        }
        let meant = self.meant.read().unwrap_or_else(PoisonError::into_inner);
        // What is said of a class holds for the classes inside of it, lambdas' methods included.
        let mut outer = Some(class);
        while let Some(class) = outer {
            if meant.contains(class) {
                return false;
            }
            outer = class.rsplit_once('$').map(|(outer, _)| outer);
        }
        let method = method
            .strip_prefix("lambda$")
            .and_then(|rest| rest.split('$').next())
            .unwrap_or(method);
        !meant.contains(&format!("{class}.{method}"))
    }
}

/// `*` stands for any characters, `?` for one.
pub(crate) fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut g, mut t) = (0, 0);
    // Where to go on when a literal after the last star does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if g < glob.len() && glob[g] == b'*' {
            retry = Some((g, t));
            g += 1;
        } else if g < glob.len() && (glob[g] == b'?' || glob[g] == text[t]) {
            g += 1;
            t += 1;
        } else if let Some((star, from)) = retry {
            g = star + 1;
            t = from + 1;
            retry = Some((star, from + 1));
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&c| c == b'*')
}

/// What is known of methods seen on stacks, so that each is looked up once.
#[derive(Debug)]
pub(crate) struct Seen<K, V>(RwLock<HashMap<K, V>>);

impl<K: std::hash::Hash + Eq + Copy, V: Clone> Seen<K, V> {
    pub(crate) fn new() -> Self {
        Seen(RwLock::new(HashMap::new()))
    }

    pub(crate) fn get(&self, key: K, look: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let value = look();
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, value.clone());
        value
    }

    pub(crate) fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::{FRAMEWORKS, Prefix};

    #[test]
    fn owners_by_package() {
        for (class, method, expected) in [
            ("java/util/HashMap", "m", Owner::Jdk),
            ("java/util/AbstractSet", "hashCode", Owner::Internal),
            ("java/util/AbstractSet", "removeAll", Owner::Jdk),
            ("org/junit/Assert", "m", Owner::Assertion),
            (
                "org/junit/jupiter/api/AssertIterableEquals",
                "m",
                Owner::Assertion,
            ),
            ("org/junit/runners/ParentRunner", "m", Owner::Framework),
            ("org/apache/maven/surefire/Main", "m", Owner::Framework),
            ("org/hamcrest/CoreMatchers", "m", Owner::Project),
            ("org/example/OrderTest", "m", Owner::Project),
            ("org/junitpioneer/Thing", "m", Owner::Project),
        ] {
            assert_eq!(owner(&FRAMEWORKS, class, method), expected, "{class}");
        }
    }

    #[test]
    fn a_frameworks_code_is_read_from_the_table() {
        let invented = [Prefix {
            start: "org.invented.",
            support: Support::Framework,
        }];
        let with_invented = Frameworks {
            rows: &[],
            around: &invented,
        };
        assert_eq!(
            owner(&with_invented, "org/invented/Engine", "m"),
            Owner::Framework
        );
        assert_eq!(owner(&FRAMEWORKS, "org/invented/Engine", "m"), Owner::Project);
    }

    #[test]
    fn globs() {
        assert!(glob_matches("org.example.*", "org.example.a.B.c"));
        assert!(glob_matches("*.Util.?et", "a.Util.get"));
        assert!(!glob_matches("org.example", "org.example.B"));
        assert!(glob_matches("*", ""));
        assert!(!glob_matches("a*b", "acd"));
    }

    #[test]
    fn filters_take_packages_classes_and_methods() {
        let filters = Filters {
            from: vec!["org.example".to_owned()],
            skip_from: vec!["*.Util.order".to_owned()],
            meant: RwLock::default(),
        };
        assert!(filters.allow("org.example.A", "b"));
        assert!(!filters.allow("org.other.A", "b"));
        assert!(!filters.allow("org.example.Util", "order"));
    }

    #[test]
    fn a_meant_order_covers_inner_classes_and_lambdas() {
        let filters = Filters::default();
        filters
            .meant
            .write()
            .unwrap()
            .extend(["a.B".to_owned(), "a.C.run".to_owned()]);
        assert!(!filters.allow("a.B", "x"));
        assert!(!filters.allow("a.B$1", "x"));
        assert!(!filters.allow("a.C", "lambda$run$0"));
        assert!(filters.allow("a.C", "other"));
    }
}
