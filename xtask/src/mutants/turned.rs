//! The mutants of each kind of expression, as edits.
//!
//! A mutant costs no copy of the code around it: `a && b` becomes `(m != ((m != (a)) && (m != (b))))`, which is `a || b`
//! while the switch `m` is on. So mutants nest, and lines stay where they are.

use super::mutant::{Mutant, shown};
use super::sites::Sites;
use super::switch::MODULE;
use super::syntax::{COUNTED, PREDICATES, has_let, is_constant, range_of};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, ExprMethodCall, Pat, Stmt, Token, UnOp};

impl<'a> Sites<'a> {
    /// A new mutant; nothing if it was dropped.
    fn mutant(&mut self, range: &Range<usize>, old: &str, new: &str) -> Option<usize> {
        let number = self.first + self.mutants.len();
        let before = &self.text[..range.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        self.mutants.push(Mutant {
            number,
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            range: range.clone(),
            old: shown(old),
            new: shown(new),
        });
        (!self.dropped.contains(&number)).then_some(number)
    }

    fn source(&self, range: &Range<usize>) -> &'a str {
        &self.text[range.clone()]
    }

    /// One mutant that writes something around its place.
    pub(super) fn wrap(
        &mut self,
        range: &Range<usize>,
        new: &str,
        around: impl FnOnce(usize) -> (String, String),
    ) {
        if let Some(number) = self.mutant(range, self.source(range), new) {
            let (before, behind) = around(number);
            self.edits.wrap(range, before, behind);
        }
    }

    pub(super) fn negate(&mut self, range: &Range<usize>) {
        let new = match self.source(range) {
            "true" => "false".to_owned(),
            "false" => "true".to_owned(),
            text => format!("!({text})"),
        };
        self.wrap(range, &new, |number| {
            (format!("({} != (", on(number)), "))".into())
        });
    }

    /// `a && b` to `a || b`, `any` to `all`, and back: what negates the whole and its parts.
    fn exchange(&mut self, whole: &Range<usize>, parts: &[Range<usize>], new: &str) {
        if let Some(number) = self.mutant(whole, self.source(whole), new) {
            for range in std::iter::once(whole).chain(parts) {
                self.edits.wrap(range, format!("({} != (", on(number)), "))");
            }
        }
    }

    /// A call of one of the switch's functions, with the operands of an operator or a method call.
    pub(super) fn call(
        &mut self,
        function: &str,
        whole: &Range<usize>,
        operands: [&Range<usize>; 2],
        by_reference: bool,
    ) {
        let [left, right] = operands;
        let new = format!("{} … {}", self.source(left), self.source(right));
        let new = format!("{} ({function} turned around)", shown(&new));
        if let Some(number) = self.mutant(whole, self.source(whole), &new) {
            let reference = if by_reference { "&" } else { "" };
            self.edits
                .wrap(whole, format!("crate::{MODULE}::{function}({number}, "), ")");
            self.edits.wrap(left, format!("{reference}("), ")");
            self.edits.replace(left.end..right.start, ", ");
            self.edits.wrap(right, format!("{reference}("), ")");
        }
    }

    /// An expression of which it is known that it is true or false.
    pub(super) fn boolean(&mut self, expr: &Expr) {
        let range = range_of(expr);
        match expr {
            Expr::Paren(paren) => self.mark(&paren.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.mark(&unary.expr),
            Expr::Block(block) => self.mark_tail(&block.block),
            Expr::If(branch) => {
                self.mark_tail(&branch.then_branch);
                if let Some((_, other)) = &branch.else_branch {
                    self.mark(other);
                }
            }
            Expr::Match(choice) => choice.arms.iter().for_each(|arm| self.mark(&arm.body)),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.mark(&binary.left);
                self.mark(&binary.right);
                if !has_let(expr) {
                    let (left, right) = (range_of(&binary.left), range_of(&binary.right));
                    let other = if matches!(binary.op, BinOp::And(_)) {
                        "||"
                    } else {
                        "&&"
                    };
                    let new = format!("{} {other} {}", self.source(&left), self.source(&right));
                    self.exchange(&range, &[left, right], &new);
                }
            }
            Expr::Let(_) => self.wrap(&range, "false", |number| {
                (format!("!{} && ", on(number)), String::new())
            }),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Loop(_) => {}
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                self.negate(&range);
                self.alternatives(&range, call);
            }
            Expr::Macro(_) | Expr::Lit(_) => {}
            _ => self.negate(&range),
        }
    }

    /// `matches!(x, A | B)` to `matches!(x, A)`.
    fn alternatives(&mut self, range: &Range<usize>, call: &syn::ExprMacro) {
        let parsed = call.mac.parse_body_with(|input: syn::parse::ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = !input.is_empty();
            input.parse::<proc_macro2::TokenStream>()?;
            Ok((value, pattern, guard))
        });
        if let Ok((value, Pat::Or(pattern), false)) = parsed {
            let value = self.source(&range_of(&value));
            for case in &pattern.cases {
                let case = self.source(&case.span().byte_range());
                let new = format!("matches without {case}");
                self.wrap(range, &new, |number| {
                    let without = format!(" && !({} && matches!({value}, {case})))", on(number));
                    ("(".into(), without)
                });
            }
        }
    }

    pub(super) fn mark(&mut self, expr: &Expr) {
        self.booleans.insert(range_of(expr));
    }

    fn mark_tail(&mut self, block: &Block) {
        if let Some(Stmt::Expr(tail, None)) = block.stmts.last() {
            self.mark(tail);
        }
    }

    pub(super) fn mark_function(&mut self, signature: &syn::Signature, body: &Block) {
        if let syn::ReturnType::Type(_, result) = &signature.output
            && self.source(&result.span().byte_range()) == "bool"
        {
            self.mark_tail(body);
        }
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall, whole: &Range<usize>) {
        let method = call.method.to_string();
        let receiver = range_of(&call.receiver);
        let only = (call.args.len() == 1).then(|| &call.args[0]);
        if let Some(argument) = only {
            self.argument(&method, argument);
        }
        match (method.as_str(), only) {
            ("any" | "all", Some(Expr::Closure(closure))) => {
                let other = if method == "any" { "all" } else { "any" };
                let new = format!("{}.{other}(…)", self.source(&receiver));
                self.exchange(whole, &[range_of(&closure.body)], &new);
            }
            ("min" | "max" | "min_by_key" | "max_by_key", Some(argument)) => {
                let end = call.paren_token.span.close().byte_range().end;
                self.method(&method, whole, [&receiver, &range_of(argument)], end);
            }
            ("cmp", Some(_)) => {
                let new = format!("({}).reverse()", self.source(whole));
                self.wrap(whole, &new, |number| {
                    (format!("crate::{MODULE}::cmp({number}, "), ")".into())
                });
            }
            ("min" | "max" | "first" | "last", None) if call.args.is_empty() => {
                let (function, reference) = match method.as_str() {
                    "min" => ("least", ""),
                    "max" => ("greatest", ""),
                    other => (other, "&"),
                };
                let new = format!("{}.{method}() turned around", self.source(&receiver));
                if let Some(number) = self.mutant(whole, self.source(whole), &new) {
                    let before = format!("crate::{MODULE}::{function}({number}, {reference}(");
                    self.edits.wrap(whole, before, "");
                    self.edits.replace(receiver.end..whole.end, "))");
                }
            }
            _ => {}
        }
    }

    /// `a.max(b)` as a call of the switch's function.
    fn method(&mut self, method: &str, whole: &Range<usize>, operands: [&Range<usize>; 2], end: usize) {
        let [receiver, argument] = operands;
        let new = format!(
            "{}.{method}({}) turned around",
            self.source(receiver),
            self.source(argument)
        );
        if let Some(number) = self.mutant(whole, self.source(whole), &new) {
            self.edits
                .wrap(whole, format!("crate::{MODULE}::{method}({number}, "), "");
            self.edits.replace(receiver.end..argument.start, ", ");
            self.edits.replace(argument.end..end, ")");
        }
    }

    /// What a method is given that decides.
    fn argument(&mut self, method: &str, argument: &Expr) {
        let range = range_of(argument);
        let without = |number: usize| {
            (
                String::from("("),
                format!(").into_iter().filter(|_| !{})", on(number)),
            )
        };
        match argument {
            Expr::Closure(closure) if PREDICATES.contains(&method) => self.mark(&closure.body),
            Expr::Path(_) if PREDICATES.contains(&method) => {
                let new = format!("not {}", self.source(&range));
                self.wrap(&range, &new, |number| {
                    (format!("|item| {} != (", on(number)), ")(item)".into())
                });
            }
            Expr::Closure(closure) if method == "or_else" => {
                self.wrap(&range_of(&closure.body), "None", |number| {
                    ("(".into(), format!(").filter(|_| !{})", on(number)))
                });
            }
            _ if method == "or" => {
                self.wrap(&range, "None", |number| {
                    ("(".into(), format!(").filter(|_| !{})", on(number)))
                });
            }
            _ if method == "chain" => self.wrap(&range, "nothing", without),
            Expr::Lit(_) => {}
            Expr::Closure(_) => {}
            _ if COUNTED.contains(&method) => self.nudge(&range),
            _ => {}
        }
    }

    pub(super) fn nudge(&mut self, range: &Range<usize>) {
        let new = format!("{} + 1", self.source(range));
        self.wrap(range, &new, |number| {
            (format!("crate::{MODULE}::int({number}, "), ")".into())
        });
    }

    /// Arms that fall to `_`, and arms that give the next one's value.
    pub(super) fn arms(&mut self, choice: &syn::ExprMatch) {
        let Some(last) = choice.arms.last() else { return };
        let default = match &last.pat {
            Pat::Wild(_) => Some(self.source(&range_of(&last.body))),
            _ => None,
        };
        for (arm, next) in choice
            .arms
            .iter()
            .zip(choice.arms.iter().skip(1).chain(choice.arms.first()))
        {
            let body = range_of(&arm.body);
            if let (Expr::Path(value), Expr::Path(other)) = (&*arm.body, &*next.body)
                && is_constant(value)
                && is_constant(other)
                && self.source(&body) != self.source(&range_of(&next.body))
            {
                let other = self.source(&range_of(&next.body));
                self.wrap(&body, other, |number| {
                    (
                        format!("{{ if {} {{ {other} }} else {{ ", on(number)),
                        " } }".into(),
                    )
                });
            } else if default.is_some_and(|default| default != self.source(&body))
                && !matches!(arm.pat, Pat::Guard(_) | Pat::Wild(_))
            {
                let pattern = arm.pat.span().byte_range();
                let new = format!("{} as `_`", self.source(&pattern));
                self.wrap(&pattern, &new, |number| {
                    (String::new(), format!(" if !{}", on(number)))
                });
            }
        }
    }
}

/// Whether this mutant is on, as the copy asks it.
pub(super) fn on(number: usize) -> String {
    format!("crate::{MODULE}::on({number})")
}
