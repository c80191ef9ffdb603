//! Reflection: members, annotations, exceptions.
//!
//! Only `Class`, the overrides in `Method`, `Constructor` and `Field`, and `RecordComponent` are edited. All other ways
//! to the same annotations call one of these (`AccessibleObject.getAnnotations` calls `getDeclaredAnnotations`,
//! `Package` and `Module` ask a `Class`, `Parameter` asks its `Executable`), on every JDK from 8 to 25.
//!
//! In declaration order by specification, so never varied: `getRecordComponents`, `getParameters`, `getInterfaces`,
//! `getParameterTypes`, `getEnumConstants`, and the outer array of `getParameterAnnotations`.

use super::arrays::{after_first, array, wrap};
use crate::{Arg, Basis, Edit, Kind, Model, Road};

const RULE: &str = "UF104";

const fn silent(
    name: &'static str,
    quote: &'static str,
    quoted_from: &'static str,
    roads: &'static [Road],
) -> Model {
    Model {
        name,
        kind: Kind::Permute,
        basis: Basis::Silent,
        quote,
        quoted_from,
        since: 8,
        until: None,
        rule: RULE,
        roads,
        through: &[],
    }
}

const fn stated(
    name: &'static str,
    quote: &'static str,
    quoted_from: &'static str,
    roads: &'static [Road],
) -> Model {
    Model {
        basis: Basis::Stated,
        ..silent(name, quote, quoted_from, roads)
    }
}

/// An API that varies because `through` does.
const fn built_on(
    name: &'static str,
    quote: &'static str,
    quoted_from: &'static str,
    through: &'static [&'static str],
) -> Model {
    Model {
        through,
        ..silent(name, quote, quoted_from, &[])
    }
}

const UNSORTED: &str = "are not sorted and are not in any particular order";
const DIRECTLY_PRESENT: &str = "Returns annotations that are directly present on this element.";
const PRESENT: &str = "Returns annotations that are present on this element.";
const DIRECTLY_PRESENT_FROM: &str = "java/lang/reflect/AnnotatedElement#getDeclaredAnnotations";
const PRESENT_FROM: &str = "java/lang/reflect/AnnotatedElement#getAnnotations";
const PLACE_OF_CONTAINER: &str = "is computed as if indirectly present annotations on E are directly present on E \
                                  in place of their container annotation";
const EXCEPTIONS: &str = "Returns an array of Class objects that represent the types of exceptions declared to be \
                          thrown by the underlying executable represented by this object.";
const GENERIC_EXCEPTIONS: &str = "Returns an array of Type objects that represent the exceptions declared to be \
                                  thrown by this executable object.";
const PARAMETER_ANNOTATIONS: &str =
    "that represent the annotations on the formal parameters, in declaration order, of the Executable";

const CLASS: &str = "java/lang/Class";
const METHOD: &str = "java/lang/reflect/Method";
const CONSTRUCTOR: &str = "java/lang/reflect/Constructor";
const FIELD: &str = "java/lang/reflect/Field";
const RECORD_COMPONENT: &str = "java/lang/reflect/RecordComponent";

const CLASSES: &str = "()[Ljava/lang/Class;";
const FIELDS: &str = "()[Ljava/lang/reflect/Field;";
const METHODS: &str = "()[Ljava/lang/reflect/Method;";
const CONSTRUCTORS: &str = "()[Ljava/lang/reflect/Constructor;";
const ANNOTATIONS: &str = "()[Ljava/lang/annotation/Annotation;";

const INNER: &str = "inner([[Ljava/lang/Object;Ljava/lang/Object;I)[[Ljava/lang/Object;";
const BY_TYPE: &str =
    "annotationsByType([Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Class;I)[Ljava/lang/Object;";

const fn inner(class: &'static str) -> Road {
    wrap(
        class,
        "getParameterAnnotations",
        "()[[Ljava/lang/annotation/Annotation;",
        INNER,
        &[Arg::This],
    )
}

/// Only the place of an annotation that stands beside its own container is open: before all of the container's, or
/// after them. The helper gets the element and the annotation's type to find it.
const fn by_type(class: &'static str) -> Road {
    wrap(
        class,
        "getAnnotationsByType",
        "(Ljava/lang/Class;)[Ljava/lang/annotation/Annotation;",
        BY_TYPE,
        &[Arg::This, Arg::Param(0)],
    )
}

/// `Executable.getGenericExceptionTypes` returns this array, or what `getExceptionTypes` returns where the method has
/// no generic signature. Editing it instead of `Executable` keeps the second case from being permuted twice. Method and
/// constructor share it.
const GENERIC: &[Road] = &[
    array(
        "sun/reflect/generics/repository/ConstructorRepository",
        "getExceptionTypes",
        "()[Ljava/lang/reflect/Type;",
    ),
    // In declaration order by specification, yet made from `getGenericExceptionTypes`, by index. The helper calls it
    // again, and nothing is a choice on its thread meanwhile.
    Road {
        class: "java/lang/reflect/Executable",
        method: "getAnnotatedExceptionTypes",
        descriptor: "()[Ljava/lang/reflect/AnnotatedType;",
        edit: Edit::Around {
            helper: "annotatedExceptionTypes(Ljava/lang/reflect/Executable;I)[Ljava/lang/reflect/AnnotatedType;",
            args: &[Arg::This],
        },
        since: 8,
        until: None,
    },
];

pub(crate) const ROWS: &[Model] = &[
    // `getClasses` collects the public ones of `getDeclaredClasses`, class by class (8 to 21 in an inner class).
    built_on(
        "Class.getClasses",
        "Returns an array containing Class objects representing all the public classes and interfaces that are \
         members of the class represented by this Class object.",
        "java/lang/Class#getClasses",
        &["Class.getDeclaredClasses"],
    ),
    stated(
        "Class.getFields",
        UNSORTED,
        "java/lang/Class#getFields",
        &[array(CLASS, "getFields", FIELDS)],
    ),
    stated(
        "Class.getMethods",
        UNSORTED,
        "java/lang/Class#getMethods",
        &[array(CLASS, "getMethods", METHODS)],
    ),
    silent(
        "Class.getConstructors",
        "Returns an array containing Constructor objects reflecting all the public constructors of the class \
         represented by this Class object.",
        "java/lang/Class#getConstructors",
        &[array(CLASS, "getConstructors", CONSTRUCTORS)],
    ),
    silent(
        "Class.getDeclaredClasses",
        "Returns an array of Class objects reflecting all the classes and interfaces declared as members of the \
         class represented by this Class object.",
        "java/lang/Class#getDeclaredClasses",
        &[array(CLASS, "getDeclaredClasses", CLASSES)],
    ),
    stated(
        "Class.getDeclaredFields",
        UNSORTED,
        "java/lang/Class#getDeclaredFields",
        &[array(CLASS, "getDeclaredFields", FIELDS)],
    ),
    stated(
        "Class.getDeclaredMethods",
        UNSORTED,
        "java/lang/Class#getDeclaredMethods",
        &[array(CLASS, "getDeclaredMethods", METHODS)],
    ),
    stated(
        "Class.getDeclaredConstructors",
        UNSORTED,
        "java/lang/Class#getDeclaredConstructors",
        &[array(CLASS, "getDeclaredConstructors", CONSTRUCTORS)],
    ),
    silent(
        "Class.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &[array(CLASS, "getAnnotations", ANNOTATIONS)],
    ),
    silent(
        "Class.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &[array(CLASS, "getDeclaredAnnotations", ANNOTATIONS)],
    ),
    Model {
        since: 11,
        ..stated(
            "Class.getNestMembers",
            "The order of such elements is unspecified.",
            "java/lang/Class#getNestMembers",
            &[Road {
                since: 11,
                ..after_first(CLASS, "getNestMembers", CLASSES)
            }],
        )
    },
    Model {
        since: 17,
        ..stated(
            "Class.getPermittedSubclasses",
            "The order of such elements is unspecified.",
            "java/lang/Class#getPermittedSubclasses",
            &[Road {
                since: 17,
                ..array(CLASS, "getPermittedSubclasses", CLASSES)
            }],
        )
    },
    silent(
        "Method.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &[array(METHOD, "getDeclaredAnnotations", ANNOTATIONS)],
    ),
    built_on(
        "Method.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &["Method.getDeclaredAnnotations"],
    ),
    silent(
        "Method.getParameterAnnotations",
        PARAMETER_ANNOTATIONS,
        "java/lang/reflect/Executable#getParameterAnnotations",
        &[inner(METHOD)],
    ),
    silent(
        "Method.getExceptionTypes",
        EXCEPTIONS,
        "java/lang/reflect/Executable#getExceptionTypes",
        &[array(METHOD, "getExceptionTypes", CLASSES)],
    ),
    Model {
        through: &["Method.getExceptionTypes"],
        ..silent(
            "Method.getGenericExceptionTypes",
            GENERIC_EXCEPTIONS,
            "java/lang/reflect/Executable#getGenericExceptionTypes",
            GENERIC,
        )
    },
    silent(
        "Constructor.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &[array(CONSTRUCTOR, "getDeclaredAnnotations", ANNOTATIONS)],
    ),
    built_on(
        "Constructor.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &["Constructor.getDeclaredAnnotations"],
    ),
    silent(
        "Constructor.getParameterAnnotations",
        PARAMETER_ANNOTATIONS,
        "java/lang/reflect/Executable#getParameterAnnotations",
        &[inner(CONSTRUCTOR)],
    ),
    silent(
        "Constructor.getExceptionTypes",
        EXCEPTIONS,
        "java/lang/reflect/Executable#getExceptionTypes",
        &[array(CONSTRUCTOR, "getExceptionTypes", CLASSES)],
    ),
    built_on(
        "Constructor.getGenericExceptionTypes",
        GENERIC_EXCEPTIONS,
        "java/lang/reflect/Executable#getGenericExceptionTypes",
        &["Constructor.getExceptionTypes", "Method.getGenericExceptionTypes"],
    ),
    silent(
        "Field.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &[array(FIELD, "getDeclaredAnnotations", ANNOTATIONS)],
    ),
    built_on(
        "Field.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &["Field.getDeclaredAnnotations"],
    ),
    silent(
        "Field.getAnnotationsByType",
        PLACE_OF_CONTAINER,
        "java/lang/reflect/AnnotatedElement",
        &[by_type(FIELD)],
    ),
    built_on(
        "Parameter.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &[
            "Method.getParameterAnnotations",
            "Constructor.getParameterAnnotations",
        ],
    ),
    built_on(
        "Parameter.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &[
            "Method.getParameterAnnotations",
            "Constructor.getParameterAnnotations",
        ],
    ),
    built_on(
        "Package.getDeclaredAnnotations",
        DIRECTLY_PRESENT,
        DIRECTLY_PRESENT_FROM,
        &["Class.getDeclaredAnnotations"],
    ),
    built_on(
        "Package.getAnnotations",
        PRESENT,
        PRESENT_FROM,
        &["Class.getAnnotations"],
    ),
    Model {
        since: 9,
        ..built_on(
            "Module.getDeclaredAnnotations",
            DIRECTLY_PRESENT,
            DIRECTLY_PRESENT_FROM,
            &["Class.getDeclaredAnnotations"],
        )
    },
    Model {
        since: 9,
        ..built_on(
            "Module.getAnnotations",
            PRESENT,
            PRESENT_FROM,
            &["Class.getAnnotations"],
        )
    },
    Model {
        since: 16,
        ..silent(
            "RecordComponent.getDeclaredAnnotations",
            DIRECTLY_PRESENT,
            DIRECTLY_PRESENT_FROM,
            &[Road {
                since: 16,
                ..array(RECORD_COMPONENT, "getDeclaredAnnotations", ANNOTATIONS)
            }],
        )
    },
    Model {
        since: 16,
        ..built_on(
            "RecordComponent.getAnnotations",
            PRESENT,
            PRESENT_FROM,
            &["RecordComponent.getDeclaredAnnotations"],
        )
    },
];
