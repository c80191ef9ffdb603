//! Where test frameworks say that a container or a test starts and ends, as edits: the table of frameworks says
//! where, and which method of the runtime is called.

use unflake_bytecode::{Arg, Change, Helper, MethodEdit};
use unflake_protocol::{Boundary, CallArg, CallPlace, Frameworks};

/// Every class that has boundaries, with its edits.
pub(crate) fn edits(frameworks: &Frameworks<'_>) -> impl Iterator<Item = (&'static str, MethodEdit)> {
    frameworks
        .boundaries()
        .map(|boundary| (boundary.class, edit(boundary)))
}

fn edit(boundary: &Boundary) -> MethodEdit {
    let (class, name) = boundary
        .calls
        .split_once('.')
        .expect("the table has `Class.method`");
    let helper = Helper {
        class: format!("java/util/{class}"),
        name: name.to_owned(),
        descriptor: format!("({})V", "Ljava/lang/Object;".repeat(boundary.args.len())),
    };
    let args = boundary.args.iter().map(|given| match given {
        CallArg::This => Arg::This,
        CallArg::Param(index) => Arg::Param(*index),
    });
    let args = args.collect();
    MethodEdit {
        method: boundary.method.to_owned(),
        descriptor: boundary.descriptor.to_owned(),
        change: match boundary.place {
            CallPlace::Entry => Change::AtEntry { helper, args },
            CallPlace::Returns => Change::BeforeReturns { helper, args },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unflake_protocol::FrameworkRow;

    #[test]
    fn a_row_is_all_that_a_framework_needs_to_be_edited() {
        let invented = FrameworkRow {
            wire_name: "Invented",
            code: &[],
            wakes: &[],
            boundaries: &[Boundary {
                class: "org/invented/Engine",
                method: "begin",
                descriptor: "(Lorg/invented/Case;)V",
                place: CallPlace::Entry,
                calls: "UnflakeInvented.started",
                args: &[CallArg::This, CallArg::Param(0)],
            }],
        };
        let table = Frameworks {
            rows: &[invented],
            around: &[],
        };
        let edits: Vec<(&str, MethodEdit)> = edits(&table).collect();
        let [(class, edit)] = edits.as_slice() else {
            panic!("{edits:?}");
        };
        let Change::AtEntry { helper, args } = &edit.change else {
            panic!("{edit:?}");
        };
        assert_eq!((*class, edit.method.as_str()), ("org/invented/Engine", "begin"));
        assert_eq!(helper.class, "java/util/UnflakeInvented");
        assert_eq!(helper.name, "started");
        assert_eq!(helper.descriptor, "(Ljava/lang/Object;Ljava/lang/Object;)V");
        assert_eq!(args.len(), 2);
    }
}
