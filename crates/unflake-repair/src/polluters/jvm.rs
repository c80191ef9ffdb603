//! State of the JVM beside the heap: properties, defaults, streams. Each has a setter in the JDK, and the finding's path
//! is the expression that reads it.

use super::Polluted;
use super::resets::{Reset, SAVED, Saved, camel};
use crate::imports::Import;
use crate::java::JavaFile;
use unflake_protocol::StateKind;

/// How the JDK sets what a path reads.
struct Setter {
    /// The class whose name the path begins with.
    class: &'static str,
    /// The type of the value.
    of: &'static str,
    /// A name for it.
    name: &'static str,
    statement: String,
}

pub(super) fn reset(polluted: &Polluted<'_>, file: &JavaFile) -> Option<Reset> {
    match polluted.state {
        StateKind::Property => Some(property(polluted)),
        StateKind::Provider => provider(polluted, file),
        _ => Some(saved(polluted.path, setter(polluted)?, file)),
    }
}

fn setter(polluted: &Polluted<'_>) -> Option<Setter> {
    let path = polluted.path;
    let inside = |start: &str, end: &str| path.strip_prefix(start)?.strip_suffix(end).map(str::to_owned);
    let setter = match polluted.state {
        StateKind::Locale => {
            let category = inside("Locale.getDefault(", ")")?;
            let category = if category.is_empty() {
                category
            } else {
                category + ", "
            };
            Setter {
                class: "java.util.Locale",
                of: "java.util.Locale",
                name: "Locale",
                statement: format!("Locale.setDefault({category}{SAVED})"),
            }
        }
        StateKind::Timezone if path == "TimeZone.getDefault()" => Setter {
            class: "java.util.TimeZone",
            of: "java.util.TimeZone",
            name: "TimeZone",
            statement: format!("TimeZone.setDefault({SAVED})"),
        },
        StateKind::Stream => {
            let (name, of, method) = match path {
                "System.out" => ("Out", "java.io.PrintStream", "setOut"),
                "System.err" => ("Err", "java.io.PrintStream", "setErr"),
                "System.in" => ("In", "java.io.InputStream", "setIn"),
                _ => return None,
            };
            Setter {
                class: "java.lang.System",
                of,
                name,
                statement: format!("System.{method}({SAVED})"),
            }
        }
        StateKind::ExceptionHandler if path == "Thread.getDefaultUncaughtExceptionHandler()" => Setter {
            class: "java.lang.Thread",
            of: "java.lang.Thread.UncaughtExceptionHandler",
            name: "ExceptionHandler",
            statement: format!("Thread.setDefaultUncaughtExceptionHandler({SAVED})"),
        },
        StateKind::LogLevel => {
            let logger = inside("Logger.getLogger(", ").getLevel()")?;
            Setter {
                class: "java.util.logging.Logger",
                of: "java.util.logging.Level",
                name: "LogLevel",
                statement: format!("Logger.getLogger({logger}).setLevel({SAVED})"),
            }
        }
        _ => return None,
    };
    Some(setter)
}

fn saved(path: &str, setter: Setter, file: &JavaFile) -> Reset {
    let simple = |class: &str| class.rsplit('.').next().unwrap_or(class).to_owned();
    let (class, import) = file.using(setter.class);
    // A name that is taken is written in full wherever the path and the setter have it.
    let written = |text: &str| match text.strip_prefix(&simple(setter.class)) {
        Some(rest) => format!("{class}{rest}"),
        None => text.to_owned(),
    };
    let (of, of_import) = match setter.of.strip_prefix("java.lang.") {
        Some(of) => (of.to_owned(), None),
        None => file.using(setter.of),
    };
    Reset {
        statements: vec![written(&setter.statement)],
        saved: Some(Saved {
            written_type: of,
            name: setter.name.to_owned(),
            value: written(path),
        }),
        imports: import.into_iter().chain(of_import).collect(),
        method: format!("restore{}", setter.name),
        why: format!("put `{path}` back"),
    }
}

fn property(polluted: &Polluted<'_>) -> Reset {
    let name = polluted.held_by;
    let literal = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    match polluted.old {
        None => Reset {
            saved: None,
            statements: vec![format!("System.clearProperty({literal})")],
            imports: Vec::new(),
            method: format!("clear{}", camel(name)),
            why: format!("clear the property `{name}`"),
        },
        Some(_) => Reset {
            statements: vec![format!("System.setProperty({literal}, {SAVED})")],
            saved: Some(Saved {
                written_type: "String".to_owned(),
                name: camel(name),
                value: format!("System.getProperty({literal})"),
            }),
            imports: Vec::new(),
            method: format!("restore{}", camel(name)),
            why: format!("put the property `{name}` back"),
        },
    }
}

/// A provider that was added can be removed by its name.
fn provider(polluted: &Polluted<'_>, file: &JavaFile) -> Option<Reset> {
    let name = polluted
        .path
        .strip_prefix("Security.getProvider(")?
        .strip_suffix(')')?;
    if polluted.old.is_some() {
        return None;
    }
    let (security, import) = file.using("java.security.Security");
    let imports: Vec<Import> = import.into_iter().collect();
    Some(Reset {
        saved: None,
        statements: vec![format!("{security}.removeProvider({name})")],
        imports,
        method: "removeProvider".to_owned(),
        why: format!("remove the security provider {}", name.replace('"', "`")),
    })
}
