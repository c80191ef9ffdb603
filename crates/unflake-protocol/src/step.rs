//! The way from a root to what was changed, for programs: fields, elements, and places of the JVM beside the heap.

use crate::{Shown, StateKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A field with the class that the object has, which may be one below the class that declares the field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FieldName {
    /// `package.Class`, nested ones with `$`.
    pub class: String,
    pub name: String,
}

/// One step of a way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Step {
    Field(FieldName),
    /// To an element of a collection or an array, to an entry of a map, or to its key.
    Element,
    /// Not in the heap.
    Jvm(JvmState),
}

/// What a value in the heap is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// The field of this name.
    Field(String),
    /// A place of an array or a list.
    Index,
    /// The entry of a map or a set with this key, or the key itself.
    Key(Shown),
}

/// State of the JVM beside the heap (P10).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JvmState {
    Property(String),
    SecurityProperty(String),
    Locale(LocaleCategory),
    Timezone,
    /// `out`, `err` or `in`.
    Stream(String),
    ExceptionHandler,
    ShutdownHook(ThreadName),
    Thread(ThreadName),
    /// A thread-local that no static field is known to hold.
    ThreadLocal {
        class: String,
        /// The class of its value.
        of: String,
    },
    Provider(String),
    /// The order of all of them.
    Providers,
    LogLevel(String),
    LogHandlers(String),
    UrlFactory,
    UrlHandler(String),
    /// What a class of `java.net` uses if nobody says otherwise.
    NetDefault(String),
    Bean(String),
    Environment(String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LocaleCategory {
    /// What the categories follow.
    Default,
    /// `display` or `format`.
    Of(String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadName {
    pub class: String,
    pub name: String,
}

impl FieldName {
    /// From `package.Class.field`.
    pub fn parse(text: &str) -> Option<FieldName> {
        let (class, name) = text.rsplit_once('.')?;
        Some(FieldName {
            class: class.to_owned(),
            name: name.to_owned(),
        })
    }
}

impl Step {
    pub fn field(&self) -> Option<&FieldName> {
        match self {
            Step::Field(field) => Some(field),
            Step::Element | Step::Jvm(_) => None,
        }
    }
}

impl JvmState {
    pub fn kind(&self) -> StateKind {
        match self {
            JvmState::Property(_) | JvmState::SecurityProperty(_) => StateKind::Property,
            JvmState::Locale(_) => StateKind::Locale,
            JvmState::Timezone => StateKind::Timezone,
            JvmState::Stream(_) => StateKind::Stream,
            JvmState::ExceptionHandler => StateKind::ExceptionHandler,
            JvmState::ShutdownHook(_) => StateKind::ShutdownHook,
            JvmState::Thread(_) => StateKind::Thread,
            JvmState::ThreadLocal { .. } => StateKind::ThreadLocal,
            JvmState::Provider(_) | JvmState::Providers => StateKind::Provider,
            JvmState::LogLevel(_) | JvmState::LogHandlers(_) => StateKind::LogLevel,
            JvmState::UrlFactory | JvmState::UrlHandler(_) | JvmState::NetDefault(_) => StateKind::UrlHandler,
            JvmState::Bean(_) => StateKind::Bean,
            JvmState::Environment(_) => StateKind::Environment,
        }
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.name)
    }
}

/// As Java code would ask for it.
impl fmt::Display for JvmState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JvmState::Property(name) => write!(f, "System.getProperty({name:?})"),
            JvmState::SecurityProperty(name) => write!(f, "Security.getProperty({name:?})"),
            JvmState::Locale(LocaleCategory::Default) => f.write_str("Locale.getDefault()"),
            JvmState::Locale(LocaleCategory::Of(category)) => {
                write!(
                    f,
                    "Locale.getDefault(Locale.Category.{})",
                    category.to_uppercase()
                )
            }
            JvmState::Timezone => f.write_str("TimeZone.getDefault()"),
            JvmState::Stream(name) => write!(f, "System.{name}"),
            JvmState::ExceptionHandler => f.write_str("Thread.getDefaultUncaughtExceptionHandler()"),
            JvmState::ShutdownHook(hook) => write!(f, "Runtime.getRuntime().addShutdownHook({hook})"),
            JvmState::Thread(thread) => thread.fmt(f),
            JvmState::ThreadLocal { class, of } => match class.as_str() {
                "java.lang.ThreadLocal" | "java.lang.ThreadLocal$SuppliedThreadLocal" => {
                    write!(f, "ThreadLocal<{of}>")
                }
                "java.lang.InheritableThreadLocal" => write!(f, "InheritableThreadLocal<{of}>"),
                class => f.write_str(class),
            },
            JvmState::Provider(name) => write!(f, "Security.getProvider({name:?})"),
            JvmState::Providers => f.write_str("Security.getProviders()"),
            JvmState::LogLevel(logger) => write!(f, "Logger.getLogger({logger:?}).getLevel()"),
            JvmState::LogHandlers(logger) => write!(f, "Logger.getLogger({logger:?}).getHandlers()"),
            JvmState::UrlFactory => f.write_str("URL.factory"),
            JvmState::UrlHandler(protocol) => write!(f, "URL.handlers[{protocol:?}]"),
            JvmState::NetDefault(class) => write!(f, "{class}.getDefault()"),
            JvmState::Bean(name) => write!(f, "ManagementFactory.getPlatformMBeanServer()[{name:?}]"),
            JvmState::Environment(name) => write!(f, "System.getenv({name:?})"),
        }
    }
}

/// `Thread["pool-1-thread-1"]`, with the class if that says more.
impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = match self.class.as_str() {
            "java.lang.Thread" => "Thread",
            class => class,
        };
        write!(f, "{class}[{:?}]", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_of_the_jvm_is_shown_as_java_asks_for_it() {
        let name = |class: &str| ThreadName {
            class: class.to_owned(),
            name: "t-1".to_owned(),
        };
        let local = |class: &str| JvmState::ThreadLocal {
            class: class.to_owned(),
            of: "a.B".to_owned(),
        };
        for (state, text) in [
            (JvmState::Property("a\"b".into()), r#"System.getProperty("a\"b")"#),
            (JvmState::Locale(LocaleCategory::Default), "Locale.getDefault()"),
            (
                JvmState::Locale(LocaleCategory::Of("format".into())),
                "Locale.getDefault(Locale.Category.FORMAT)",
            ),
            (JvmState::Thread(name("java.lang.Thread")), r#"Thread["t-1"]"#),
            (
                JvmState::ShutdownHook(name("a.Hook")),
                r#"Runtime.getRuntime().addShutdownHook(a.Hook["t-1"])"#,
            ),
            (local("java.lang.ThreadLocal"), "ThreadLocal<a.B>"),
            (local("a.Local"), "a.Local"),
        ] {
            assert_eq!(state.to_string(), text);
        }
    }

    #[test]
    fn a_field_is_what_stands_behind_the_last_dot() {
        let field = FieldName::parse("a.B$C.d").unwrap();
        assert_eq!((field.class.as_str(), field.name.as_str()), ("a.B$C", "d"));
        assert_eq!(field.to_string(), "a.B$C.d");
        assert_eq!(FieldName::parse("d"), None);
    }
}
