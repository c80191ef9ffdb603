//! What can be said of a piece of Rust from its syntax alone.

use std::ops::Range;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

/// Methods whose closure says yes or no.
pub(super) const PREDICATES: [&str; 16] = [
    "all",
    "any",
    "filter",
    "find",
    "is_none_or",
    "is_some_and",
    "is_ok_and",
    "partition",
    "partition_point",
    "position",
    "retain",
    "rposition",
    "skip_while",
    "take_while",
    "take_if",
    "extract_if",
];

/// Methods whose number is a limit.
pub(super) const COUNTED: [&str; 5] = ["skip", "take", "truncate", "chunks", "nth"];

pub(super) fn range_of(expr: &Expr) -> Range<usize> {
    expr.span().byte_range()
}

pub(super) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = |list: &syn::MetaList| list.tokens.to_string().starts_with("test");
        attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(condition)
    })
}

pub(super) fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}

/// What is true or false wherever it stands.
pub(super) fn looks_boolean(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::Eq(_)
                | BinOp::Ne(_)
                | BinOp::Lt(_)
                | BinOp::Le(_)
                | BinOp::Gt(_)
                | BinOp::Ge(_)
        ),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
        Expr::Macro(call) => call.mac.path.is_ident("matches"),
        Expr::MethodCall(call) => {
            let method = call.method.to_string();
            method.starts_with("is_")
                || method.starts_with("has_")
                || method.starts_with("contains")
                || ["any", "all", "starts_with", "ends_with"].contains(&method.as_str())
                    && !call.args.is_empty()
        }
        _ => false,
    }
}

/// Statements that can be left out.
pub(super) fn is_deleted(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Continue(_) | Expr::Return(_) => true,
        Expr::Try(question) => is_deleted(&question.expr),
        Expr::Binary(binary) => {
            !looks_boolean(expr) && binary.op.span().source_text().is_some_and(|op| op.ends_with('='))
        }
        _ => false,
    }
}

/// `Kind::Failed`, not a variable.
pub(super) fn is_constant(path: &syn::ExprPath) -> bool {
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

/// Whether it only tells the user how far the work is, as `check.progress.step()` does.
pub(super) fn is_progress(expr: &Expr) -> bool {
    let Expr::MethodCall(call) = expr else {
        return false;
    };
    match &*call.receiver {
        Expr::Path(path) => path.path.is_ident("progress"),
        Expr::Field(field) => matches!(&field.member, syn::Member::Named(name) if name == "progress"),
        Expr::MethodCall(_) => is_progress(&call.receiver),
        _ => false,
    }
}
