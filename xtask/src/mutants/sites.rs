//! Where a Rust file decides something. What is done about it is in `turned.rs`. Constants, patterns and tests are left
//! alone; what turns out not to compile is dropped by its number.

use super::edits::Edits;
use super::mutant::{Mutant, NOTHING};
use super::syntax::{is_deleted, is_for_tests, is_progress, looks_boolean, range_of};
use super::turned::on;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Pat, Stmt, Token, UnOp};

/// The decisions of one file.
pub(super) struct Sites<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
    pub(super) first: usize,
    pub(super) dropped: &'a BTreeSet<usize>,
    /// Expressions that are known to be true or false.
    pub(super) booleans: HashSet<Range<usize>>,
    /// Statements that cannot be left out: the ends of blocks that must not end.
    kept: HashSet<Range<usize>>,
    pub(super) mutants: Vec<Mutant>,
    pub(super) edits: Edits,
}

impl<'a> Sites<'a> {
    /// Reads a file; numbers begin at `first`. A mutant that was dropped keeps its number and is not written.
    pub(super) fn read(
        file: &'a str,
        text: &'a str,
        first: usize,
        dropped: &'a BTreeSet<usize>,
    ) -> syn::Result<Sites<'a>> {
        let mut sites = Sites {
            text,
            file,
            first,
            dropped,
            booleans: HashSet::new(),
            kept: HashSet::new(),
            mutants: Vec::new(),
            edits: Edits::default(),
        };
        sites.visit_file(&syn::parse_file(text)?);
        Ok(sites)
    }

    /// The insides of a macro, if they look like arguments.
    fn insides(&mut self, mac: &syn::Macro) {
        if mac.path.is_ident("matches") {
            let value = |input: syn::parse::ParseStream| {
                let value: Expr = input.parse()?;
                input.parse::<proc_macro2::TokenStream>()?;
                Ok(value)
            };
            if let Ok(value) = mac.parse_body_with(value) {
                self.visit_expr(&value);
            }
            return;
        }
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = mac.parse_body_with(list) {
            arguments.iter().for_each(|argument| match argument {
                Expr::Assign(named) => self.visit_expr(&named.right),
                other => self.visit_expr(other),
            });
        }
    }
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if is_progress(expr) {
            return;
        }
        let range = range_of(expr);
        if self.booleans.remove(&range) || looks_boolean(expr) {
            self.boolean(expr);
        }
        match expr {
            Expr::Binary(binary) => {
                let operands = [&range_of(&binary.left), &range_of(&binary.right)];
                let comparison = match binary.op {
                    BinOp::Lt(_) => Some(("lt", true)),
                    BinOp::Le(_) => Some(("le", true)),
                    BinOp::Gt(_) => Some(("gt", true)),
                    BinOp::Ge(_) => Some(("ge", true)),
                    BinOp::Add(_) => Some(("add", false)),
                    BinOp::Sub(_) => Some(("sub", false)),
                    BinOp::Mul(_) => Some(("mul", false)),
                    BinOp::Div(_) => Some(("div", false)),
                    _ => None,
                };
                if let Some((function, by_reference)) = comparison {
                    self.call(function, &range, operands, by_reference);
                }
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(_) => self.nudge(&range),
                Lit::Bool(_) => self.negate(&range),
                _ => {}
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => return,
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) => {
                self.wrap(&range, "None", |number| {
                    (String::new(), format!(".filter(|_| !{})", on(number)))
                });
            }
            Expr::MethodCall(call) => self.method_call(call, &range),
            Expr::If(branch) => self.mark(&branch.cond),
            Expr::While(repeated) => self.mark(&repeated.cond),
            Expr::Match(choice) => self.arms(choice),
            Expr::Macro(call) => self.insides(&call.mac),
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some((_, other)) = local.init.as_ref().and_then(|init| init.diverge.as_ref())
            && let Expr::Block(block) = &**other
        {
            self.kept
                .extend(block.block.stmts.last().map(|last| last.span().byte_range()));
        }
        visit::visit_local(self, local);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let range = statement.span().byte_range();
        match statement {
            _ if self.kept.remove(&range) => {}
            Stmt::Expr(expr, _) if is_progress(expr) => {}
            Stmt::Expr(expr, Some(_)) if is_deleted(expr) => {
                self.wrap(&range, NOTHING, |number| {
                    (format!("if !{} {{ ", on(number)), " }".into())
                });
            }
            Stmt::Macro(call) => self.insides(&call.mac),
            _ => {}
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(guard) = pattern {
            self.mark(&guard.guard);
            self.visit_expr(&guard.guard);
        }
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes: &[syn::Attribute] = match item {
            syn::Item::Fn(function) => &function.attrs,
            syn::Item::Impl(block) => &block.attrs,
            syn::Item::Mod(module) => &module.attrs,
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Macro(_) | syn::Item::Enum(_) => return,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            self.mark_function(&function.sig, &function.block);
            self.visit_block(&function.block);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        match item {
            syn::ImplItem::Fn(function)
                if function.sig.constness.is_none() && !is_for_tests(&function.attrs) =>
            {
                self.mark_function(&function.sig, &function.block);
                self.visit_block(&function.block);
            }
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(function) = item
            && let Some(body) = &function.default
        {
            self.mark_function(&function.sig, body);
            self.visit_block(body);
        }
    }

    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

/// The modules that a file declares, without those for tests.
pub(super) fn modules(text: &str) -> syn::Result<Vec<String>> {
    let items = syn::parse_file(text)?.items.into_iter();
    let modules = items.filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && !is_for_tests(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    });
    Ok(modules.collect())
}
