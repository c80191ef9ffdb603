//! Roads whose result is an array that passes through the runtime before it is returned.

use crate::{Arg, Edit, Road};

/// `return r;` becomes `return helper(r, args…, model);` in every Java.
pub(super) const fn wrap(
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
    helper: &'static str,
    args: &'static [Arg],
) -> Road {
    Road {
        class,
        method,
        descriptor,
        edit: Edit::Wrap { helper, args },
        since: 8,
        until: None,
    }
}

/// An array that belongs to the receiver: any order. `null` stays `null`.
pub(super) const fn array(class: &'static str, method: &'static str, descriptor: &'static str) -> Road {
    const HELPER: &str = "array([Ljava/lang/Object;Ljava/lang/Object;I)[Ljava/lang/Object;";
    wrap(class, method, descriptor, HELPER, &[Arg::This])
}

/// The same, but the first element stays first.
pub(super) const fn after_first(class: &'static str, method: &'static str, descriptor: &'static str) -> Road {
    const HELPER: &str = "arrayAfterFirst([Ljava/lang/Object;Ljava/lang/Object;I)[Ljava/lang/Object;";
    wrap(class, method, descriptor, HELPER, &[Arg::This])
}

/// The array of a static method: there is no owner to number.
pub(super) const fn static_array(
    class: &'static str,
    method: &'static str,
    descriptor: &'static str,
) -> Road {
    const HELPER: &str = "staticArray([Ljava/lang/Object;I)[Ljava/lang/Object;";
    wrap(class, method, descriptor, HELPER, &[])
}
