//! What one class file says about fields: those that it declares, and what its methods do with any.

use std::borrow::Cow;
use unflake_bytecode::{Call, ClassError, ClassFile, Field, FieldUse, Method, Uses};
use unflake_protocol::dotted;

const PUBLIC: u16 = 0x0001;
const PRIVATE: u16 = 0x0002;
const PROTECTED: u16 = 0x0004;
const STATIC: u16 = 0x0008;
const SYNTHETIC: u16 = 0x1000;

/// A class as its class file has it. Names are `package.Class`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassUses {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) has_tests: bool,
    /// Not the project's own.
    pub(crate) is_library: bool,
    /// It makes a `ThreadLocal` of no class of its own and without an initial value.
    pub(crate) makes_empty_thread_local: bool,
    pub(crate) fields: Vec<DeclaredField>,
    pub(crate) methods: Vec<MethodUses>,
    /// String constants: reflection finds fields by them.
    pub(crate) texts: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredField {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) is_private: bool,
    pub(crate) is_public: bool,
    pub(crate) is_static: bool,
    /// Frameworks find it.
    pub(crate) is_annotated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MethodUses {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    /// Private, or made by the compiler.
    pub(crate) is_private: bool,
    /// Anybody can call it, or whoever inherits from its class.
    pub(crate) is_public: bool,
    /// A test framework calls it before each test of its class.
    pub(crate) is_set_up: bool,
    /// It asks a class for its loader.
    pub(crate) asks_loader: bool,
    /// Of fields that may be the project's.
    pub(crate) uses: Vec<FieldUse<'static>>,
    /// Of methods of the same outermost class.
    pub(crate) calls: Vec<Call<'static>>,
}

impl ClassUses {
    /// `package.Class`
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The class above it.
    pub fn parent(&self) -> Option<&str> {
        self.parent.as_deref()
    }

    /// The same as a class of a library, of which only some classes are known: what is not private may be used by
    /// others.
    #[must_use]
    pub fn of_library(self) -> ClassUses {
        let open = |field: DeclaredField| DeclaredField {
            is_public: !field.is_private,
            ..field
        };
        ClassUses {
            is_library: true,
            has_tests: false,
            makes_empty_thread_local: true,
            fields: self.fields.into_iter().map(open).collect(),
            texts: Vec::new(),
            ..self
        }
    }

    /// Reads a class file.
    pub fn parse(bytes: &[u8]) -> Result<ClassUses, ClassError> {
        let class = ClassFile::parse(bytes)?;
        let parent = class.super_name().map(|name| dotted(&name));
        let is_test = |method: Method<'_>| {
            let mut annotations = method.annotations().into_iter();
            annotations.any(|annotation| annotation.simple_name().ends_with("Test"))
        };
        // Reflection and annotations name fields as they are.
        let is_name = |text: &Cow<'_, str>| {
            text.len() < 80
                && !text.is_empty()
                && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        };
        let is_junit3 = parent.as_deref() == Some("junit.framework.TestCase");
        let has_marked_tests = class.methods().any(is_test);
        // A class of JUnit 3 may inherit from one of the project's own.
        let goes_by_name = is_junit3 || !has_marked_tests;
        let mut makes_empty_thread_local = false;
        let mut methods = Vec::new();
        for one in class.methods() {
            let found = one.uses()?;
            makes_empty_thread_local |= found.calls.iter().any(makes_thread_local);
            let is_set_up = is_set_up(&one, goes_by_name);
            methods.push(method(&class, one, is_set_up, found));
        }
        Ok(ClassUses {
            name: dotted(&class.name()),
            is_library: false,
            has_tests: is_junit3 || has_marked_tests,
            parent,
            fields: class.fields().map(field).collect(),
            makes_empty_thread_local,
            methods,
            texts: class.strings().filter(is_name).map(Cow::into_owned).collect(),
        })
    }
}

fn field(field: Field<'_>) -> DeclaredField {
    DeclaredField {
        name: field.name().into_owned(),
        descriptor: field.descriptor().into_owned(),
        is_private: field.access() & PRIVATE != 0,
        is_public: field.access() & PUBLIC != 0,
        is_static: field.access() & STATIC != 0,
        is_annotated: field.is_annotated(),
    }
}

/// Annotations of methods that run before each test, of JUnit 4, JUnit 5 and TestNG.
const SET_UPS: [&str; 3] = ["Before", "BeforeEach", "BeforeMethod"];

/// Without an initial value; classes that have one are made themselves.
fn makes_thread_local(call: &Call<'_>) -> bool {
    const THREAD_LOCALS: [&str; 2] = ["java/lang/ThreadLocal", "java/lang/InheritableThreadLocal"];
    call.name == "<init>" && THREAD_LOCALS.contains(&&*call.class)
}

fn method(class: &ClassFile<'_>, method: Method<'_>, is_set_up: bool, found: Uses<'_>) -> MethodUses {
    let name = class.name();
    // Private methods, and those that make what a class keeps, are called from near by.
    let is_near = |call: &Call<'_>| outermost(&call.class) == outermost(&name);
    let asks = |call: &Call<'_>| call.class == "java/lang/Class" && call.name == "getClassLoader";
    let asks_loader = found.calls.iter().any(asks);
    let uses = found.fields.into_iter().filter(|used| is_projects(&used.class));
    let calls = found.calls.into_iter().filter(is_near);
    MethodUses {
        name: method.name().into_owned(),
        descriptor: method.descriptor().into_owned(),
        is_private: method.access() & (PRIVATE | SYNTHETIC) != 0,
        is_public: method.access() & (PUBLIC | PROTECTED) != 0,
        is_set_up,
        asks_loader,
        uses: uses.map(FieldUse::into_owned).collect(),
        calls: calls.map(Call::into_owned).collect(),
    }
}

/// Whether the method runs before each test. JUnit 3 goes by the name, and only of methods of objects; where an
/// annotation says when the method runs, as `@BeforeClass` does, its name says nothing.
fn is_set_up(method: &Method<'_>, goes_by_name: bool) -> bool {
    let annotations = method.annotations();
    let is_name = method.name() == "setUp" && method.access() & STATIC == 0 && annotations.is_empty();
    goes_by_name && is_name || annotations.iter().any(|one| SET_UPS.contains(&one.simple_name()))
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// The JDK's classes are never the project's.
fn is_projects(class: &str) -> bool {
    !class.starts_with("java/") && !class.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_bytecode::{How, Stored};

    const CLASS: &str = "
        .version 52 0
        .class public super a/FooTest
        .super junit/framework/TestCase
        .field private static log Ljava/util/List;
        .field public count I
        .method public setUp : ()V
            .code stack 2 locals 1
                aconst_null
                putstatic Field a/FooTest log Ljava/util/List;
                getstatic Field java/lang/System out Ljava/io/PrintStream;
                pop
                invokestatic Method a/FooTest$Inner help ()V
                ldc 'log'
                pop
                ldc 'no name'
                pop
                return
            .end code
        .end method
        .method private static make : ()V
            .code stack 2 locals 0
                new java/lang/ThreadLocal
                invokespecial Method java/lang/ThreadLocal <init> ()V
                return
            .end code
        .end method
        .end class";

    fn parse(text: &str) -> ClassUses {
        let options = krakatau2::AssemblerOptions {};
        let classes = krakatau2::assemble(text, options).unwrap();
        ClassUses::parse(&classes[0].data).unwrap()
    }

    #[test]
    fn a_class_file_says_what_its_methods_do_with_fields() {
        let class = parse(CLASS);
        assert_eq!((class.name.as_str(), class.has_tests), ("a.FooTest", true));
        let [log, count] = &class.fields[..] else { panic!() };
        assert!(log.is_private && log.is_static && !log.is_public && log.descriptor == "Ljava/util/List;");
        assert!(count.is_public && !count.is_private && !count.is_static);
        let [set_up, make] = &class.methods[..] else {
            panic!()
        };
        assert!(set_up.is_set_up && !set_up.is_private);
        assert!(make.is_private && !make.is_set_up && class.makes_empty_thread_local);
        let written = FieldUse {
            class: "a/FooTest".into(),
            name: "log".into(),
            how: How::Written(Stored::Null),
        };
        assert_eq!(set_up.uses, [written], "without those of the JDK");
        let called: Vec<&str> = set_up.calls.iter().map(|call| &*call.name).collect();
        assert_eq!(
            (called, make.calls.len()),
            (vec!["help"], 0),
            "only those near by"
        );
        assert_eq!(class.texts, ["log"]);
    }

    #[test]
    fn a_set_up_runs_before_each_test_and_not_once_for_all() {
        const OTHERS: &str = "
            .method public setUp : ()V
            .end method
            .method public static setUp : ()V
            .end method
            .method public setUp : ()V
                .runtime visible annotations
                    .annotation Lorg/junit/BeforeClass;
                    .end annotation
                .end runtime
            .end method
            .method public static setUp : ()V
                .runtime visible annotations
                    .annotation Lorg/junit/BeforeClass;
                    .end annotation
                .end runtime
            .end method
            .method public begin : ()V
                .runtime visible annotations
                    .annotation Lorg/junit/Before;
                    .end annotation
                .end runtime
            .end method
            ";
        const TEST: &str = "
            .method public works : ()V
                .runtime visible annotations
                    .annotation Lorg/junit/Test;
                    .end annotation
                .end runtime
            .end method
            ";
        let set_ups = |parent: &str, more: &str| -> Vec<bool> {
            let text = format!(
                ".version 52 0\n.class public super a/FooTest\n.super {parent}\n{OTHERS}{more}.end class"
            );
            let methods = parse(&text).methods;
            methods.iter().take(5).map(|method| method.is_set_up).collect()
        };
        let by_name = [true, false, false, false, true];
        assert_eq!(set_ups("junit/framework/TestCase", ""), by_name);
        assert_eq!(set_ups("junit/framework/TestCase", TEST), by_name);
        assert_eq!(set_ups("a/OurTestCase", ""), by_name);
        assert_eq!(
            set_ups("java/lang/Object", TEST),
            [false, false, false, false, true]
        );
    }

    #[test]
    fn what_is_no_class_file_is_an_error() {
        assert!(ClassUses::parse(b"no class file").is_err());
    }
}
