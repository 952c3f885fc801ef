//! The mutants of a file: where they are, and how the source becomes one that can be either.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Block, Expr, ImplItemFn, ItemFn, Lit, Pat, Signature, UnOp};

use crate::values::values;
use crate::words::{other_methods, turned};

/// The mutants of all files so far.
pub struct Pass {
    left_out: BTreeSet<usize>,
    found: Vec<String>,
    file: String,
    function: String,
    /// Text to insert: at a byte, outer ones first.
    edits: Vec<Edit>,
    next: usize,
}

struct Edit {
    at: usize,
    /// Closing texts come before opening ones at the same byte; inner closing ones first, outer opening ones first.
    order: (u8, i64, i64),
    text: String,
    /// How many bytes of the source are taken out after the text.
    removed: usize,
}

impl Pass {
    pub fn new(left_out: BTreeSet<usize>) -> Self {
        Pass { left_out, found: vec![], file: String::new(), function: String::new(), edits: vec![], next: 0 }
    }

    pub fn listing(&self) -> String {
        self.found.concat()
    }

    pub fn instrument(&mut self, file: &str, text: &str) -> String {
        let tree = syn::parse_file(text).expect("a Rust source");
        self.file = file.into();
        self.edits.clear();
        self.visit_file(&tree);
        self.edits.sort_by_key(|edit| (edit.at, edit.order));
        let (mut out, mut from) = (String::new(), 0);
        for edit in &self.edits {
            out.push_str(&text[from.min(edit.at)..edit.at]);
            out.push_str(&edit.text);
            from = edit.at + edit.removed;
        }
        out.push_str(&text[from..]);
        out
    }

    /// The number of a new mutant, or none if it is left out.
    fn mutant(&mut self, at: Span, what: String) -> Option<usize> {
        let number = self.next;
        self.next += 1;
        if self.left_out.contains(&number) {
            return None;
        }
        let row = format!("{number}\t{}\t{}\t{}\t{what}\n", self.file, at.start().line, self.function);
        self.found.push(row);
        Some(number)
    }

    /// Puts a text around a span.
    fn around(&mut self, span: Span, before: String, after: String) {
        let range = span.byte_range();
        let (size, turn) = ((range.end - range.start) as i64, self.edits.len() as i64);
        self.edits.push(Edit { at: range.start, order: (1, -size, turn), text: before, removed: 0 });
        self.edits.push(Edit { at: range.end, order: (0, size, -turn), text: after, removed: 0 });
    }

    fn replace(&mut self, span: Span, text: String) {
        let range = span.byte_range();
        self.edits.push(Edit { at: range.start, order: (2, 0, 0), text, removed: range.end - range.start });
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        if signature.constness.is_some() {
            return;
        }
        let mut text = String::new();
        for value in values(&signature.output) {
            if let Some(n) = self.mutant(signature.ident.span(), format!("returns {value}")) {
                text += &format!(" /*<{n}*/if crate::mutated({n}) {{ return {value}; }}/*{n}>*/");
            }
        }
        let after = block.brace_token.span.open().byte_range().end;
        self.edits.push(Edit { at: after, order: (0, 0, 0), text, removed: 0 });
    }

    fn function(&mut self, signature: &Signature, block: &Block, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        self.body(signature, block);
        if signature.constness.is_none() {
            inside(self);
        }
        self.function = outer;
    }

    /// `l op r`, where other operators may stand as well.
    fn other_operators(&mut self, whole: &syn::ExprBinary, own: &str, others: &[&str], by_reference: bool) {
        let mut choices = String::new();
        let mut marks = (String::new(), String::new());
        for other in others {
            if let Some(n) = self.mutant(whole.op.span(), format!("{own} becomes {other}")) {
                choices += &format!("if crate::mutated({n}) {{ /*<{n}*/l {other} r/*{n}>*/ }} else ");
                marks.0 += &format!("/*<{n}*/");
                marks.1 = format!("/*{n}>*/{}", marks.1);
            }
        }
        if choices.is_empty() {
            return;
        }
        let and = if by_reference { "&" } else { "" };
        self.around(
            whole.span(),
            format!("{}(match ({and}(", marks.0),
            format!(")) {{ (l, r) => {choices}{{ l {own} r }} }}){}", marks.1),
        );
        self.replace(whole.op.span(), format!("), {and}("));
    }

    /// `l && r` and `l || r`: which of the two is decided while it runs, and each side stands once.
    fn connective(&mut self, whole: &syn::ExprBinary, and: bool) {
        if has_let(&whole.left) || has_let(&whole.right) {
            return;
        }
        let what = if and { "&& becomes ||" } else { "|| becomes &&" };
        let Some(n) = self.mutant(whole.op.span(), what.into()) else { return };
        let test = if and { "==" } else { "!=" };
        self.around(whole.span(), format!("/*<{n}*/(match ("), format!(") }} }})/*{n}>*/"));
        self.replace(whole.op.span(), format!(") {{ l => if l {test} crate::mutated({n}) {{ l }} else {{ ("));
    }

    fn binary(&mut self, whole: &syn::ExprBinary) {
        match whole.op {
            BinOp::And(_) => self.connective(whole, true),
            BinOp::Or(_) => self.connective(whole, false),
            _ if has_let(&whole.left) || has_let(&whole.right) => {}
            BinOp::Eq(_) => self.other_operators(whole, "==", &["!="], true),
            BinOp::Ne(_) => self.other_operators(whole, "!=", &["=="], true),
            BinOp::Lt(_) => self.other_operators(whole, "<", &["<=", ">"], true),
            BinOp::Gt(_) => self.other_operators(whole, ">", &[">=", "<"], true),
            BinOp::Le(_) => self.other_operators(whole, "<=", &["<", ">"], true),
            BinOp::Ge(_) => self.other_operators(whole, ">=", &[">", "<"], true),
            BinOp::Add(_) => self.other_operators(whole, "+", &["-", "*"], false),
            BinOp::Sub(_) => self.other_operators(whole, "-", &["+", "/"], false),
            BinOp::Mul(_) => self.other_operators(whole, "*", &["+", "/"], false),
            BinOp::Div(_) => self.other_operators(whole, "/", &["*", "%"], false),
            BinOp::Rem(_) => self.other_operators(whole, "%", &["/", "+"], false),
            BinOp::Shl(_) => self.other_operators(whole, "<<", &[">>"], false),
            BinOp::Shr(_) => self.other_operators(whole, ">>", &["<<"], false),
            BinOp::AddAssign(_) => self.assignment(whole, "+=", &["-=", "*="]),
            BinOp::SubAssign(_) => self.assignment(whole, "-=", &["+=", "/="]),
            BinOp::MulAssign(_) => self.assignment(whole, "*=", &["+=", "/="]),
            _ => {}
        }
    }

    fn assignment(&mut self, whole: &syn::ExprBinary, own: &str, others: &[&str]) {
        let (mut choices, mut marks) = (String::new(), (String::new(), String::new()));
        for other in others {
            if let Some(n) = self.mutant(whole.op.span(), format!("{own} becomes {other}")) {
                choices += &format!("if crate::mutated({n}) {{ /*<{n}*/*l {other} r/*{n}>*/ }} else ");
                marks.0 += &format!("/*<{n}*/");
                marks.1 = format!("/*{n}>*/{}", marks.1);
            }
        }
        if choices.is_empty() {
            return;
        }
        self.around(
            whole.right.span(),
            "(".into(),
            format!(
                ") {{ r => match &mut ({}) {{ l => {choices}{{ *l {own} r }} }} }}{}",
                text(&whole.left),
                marks.1
            ),
        );
        let removed = whole.right.span().byte_range().start - whole.span().byte_range().start;
        let at = whole.span().byte_range().start;
        self.edits.push(Edit { at, order: (2, 0, 0), text: format!("{}match ", marks.0), removed });
    }

    fn unary(&mut self, whole: &syn::ExprUnary) {
        if matches!(*whole.expr, Expr::Lit(_)) {
            return;
        }
        let (sign, what) = match whole.op {
            UnOp::Not(_) => ("!", "! is gone"),
            UnOp::Neg(_) => ("-", "- is gone"),
            _ => return,
        };
        let Some(n) = self.mutant(whole.op.span(), what.into()) else { return };
        let after = format!(") {{ v => if crate::mutated({n}) {{ v }} else {{ {sign}v }} }})/*{n}>*/");
        self.around(whole.span(), format!("/*<{n}*/(match ("), after);
        self.replace(whole.op.span(), String::new());
    }

    fn literal(&mut self, literal: &syn::ExprLit) {
        let Lit::Int(number) = &literal.lit else { return };
        let Ok(value) = number.base10_parse::<u64>() else { return };
        let (suffix, other) = (number.suffix(), value + 1);
        let Some(n) = self.mutant(literal.span(), format!("{value} becomes {other}")) else { return };
        let before = format!("/*<{n}*/(if crate::mutated({n}) {{ {other}{suffix} }} else {{ ");
        self.around(literal.span(), before, format!(" }})/*{n}>*/"));
    }

    /// `receiver.method(argument)`, where other methods may stand as well: formulas are built like that.
    fn method(&mut self, call: &syn::ExprMethodCall) {
        if call.turbofish.is_some()
            || call.args.len() > 1
            || matches!(call.args.first(), Some(Expr::Closure(_)))
        {
            return;
        }
        let own = call.method.to_string();
        let argument = if call.args.is_empty() { "" } else { "a" };
        let (mut choices, mut marks) = (String::new(), (String::new(), String::new()));
        for other in other_methods(&own) {
            let what = other.as_deref().map_or("is gone".into(), |other| format!("becomes {other}"));
            if let Some(n) = self.mutant(call.method.span(), format!("{own} {what}")) {
                let value = other.map_or("r".into(), |other| format!("r.{other}({argument})"));
                choices += &format!("if crate::mutated({n}) {{ /*<{n}*/{value}/*{n}>*/ }} else ");
                marks.0 += &format!("/*<{n}*/");
                marks.1 = format!("/*{n}>*/{}", marks.1);
            }
        }
        if choices.is_empty() {
            return;
        }
        let (open, close) = (call.paren_token.span.open(), call.paren_token.span.close());
        let comma = if call.args.is_empty() || call.args.trailing_punct() { "" } else { "," };
        let pattern = if call.args.is_empty() { "()" } else { "(a,)" };
        self.around(call.span(), format!("{}(match ((", marks.0), String::new());
        let from = call.dot_token.span().byte_range().start;
        let removed = open.byte_range().end - from;
        self.edits.push(Edit { at: from, order: (2, 0, 0), text: "), (".into(), removed });
        let text =
            format!("{comma})) {{ (r, {pattern}) => {choices}{{ r.{own}({argument}) }} }}){}", marks.1);
        self.replace(close, text);
    }

    /// A name whose direction may be turned round: `Round::Up`, `add_down`, `Run::First`, `low`. If there is no such name, that
    /// does not compile. A variable that is only looked at stays where it is.
    fn name(&mut self, path: &syn::ExprPath, looked_at: bool) {
        let Some(last) = path.path.segments.last() else { return };
        let own = last.ident.to_string();
        let Some(other) = turned(&own).filter(|_| last.arguments.is_empty()) else { return };
        let Some(n) = self.mutant(path.span(), format!("{own} becomes {other}")) else { return };
        let whole = path.span().source_text().expect("a span of the file");
        let turned = format!("{}{other}", &whole[..whole.len() - own.len()]);
        let (star, and) = if looked_at { ("*", "&") } else { ("", "") };
        let before = format!("/*<{n}*/({star}if crate::mutated({n}) {{ {and}{turned} }} else {{ {and}");
        self.around(path.span(), before, format!(" }})/*{n}>*/"));
    }
}

/// The text of an expression as it was written.
fn text(expression: &Expr) -> String {
    expression.span().source_text().expect("a span of the file")
}

/// Whether an operand is or holds a `let` of a chain of conditions.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(inner) => has_let(&inner.left) || has_let(&inner.right),
        _ => false,
    }
}

/// Whether a pattern is `_` or a new name; a capital letter begins a name that is already there.
fn takes_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(name) => name.ident.to_string().starts_with(char::is_lowercase),
        _ => false,
    }
}

impl<'a> Visit<'a> for Pass {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.function(&item.sig, &item.block, |pass| visit::visit_block(pass, &item.block));
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.function(&item.sig, &item.block, |pass| visit::visit_block(pass, &item.block));
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        // How something is shown is no part of what is proved.
        let shown = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        if shown.is_none_or(|name| name.ident != "Display" && name.ident != "Debug") {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    // What is fixed while compiling cannot be switched.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_pat(&mut self, _: &'a Pat) {}
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, whole: &'a syn::ExprBinary) {
        self.binary(whole);
        let assigned = matches!(whole.op, BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_));
        if !assigned {
            self.visit_expr(&whole.left);
        }
        self.visit_expr(&whole.right);
    }

    fn visit_expr_unary(&mut self, whole: &'a syn::ExprUnary) {
        self.unary(whole);
        if !matches!(*whole.expr, Expr::Lit(_)) {
            self.visit_expr(&whole.expr);
        }
    }

    fn visit_expr_lit(&mut self, literal: &'a syn::ExprLit) {
        self.literal(literal);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.method(call);
        match &*call.receiver {
            Expr::Path(path) => self.name(path, true),
            other => self.visit_expr(other),
        }
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_reference(&mut self, reference: &'a syn::ExprReference) {
        match &*reference.expr {
            Expr::Path(path) if reference.mutability.is_none() => self.name(path, true),
            other => self.visit_expr(other),
        }
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        self.name(path, false);
    }

    fn visit_expr_match(&mut self, whole: &'a syn::ExprMatch) {
        self.visit_expr(&whole.expr);
        let wild = whole.arms.last().is_some_and(|arm| takes_all(&arm.pat) && arm.guard.is_none());
        for arm in &whole.arms {
            self.arm(arm, wild && !takes_all(&arm.pat));
            if let Some((_, guard)) = &arm.guard {
                self.visit_expr(guard);
            }
            self.visit_expr(&arm.body);
        }
    }
}

impl Pass {
    /// A guard that holds or fails always; an arm that is gone, where another takes what it took.
    fn arm(&mut self, arm: &Arm, removable: bool) {
        match &arm.guard {
            Some((_, guard)) if !has_let(guard) => {
                for (value, test) in [("true", "crate::mutated(N) ||"), ("false", "!crate::mutated(N) &&")] {
                    let Some(n) = self.mutant(guard.span(), format!("the guard is {value}")) else {
                        continue;
                    };
                    let test = test.replace('N', &n.to_string());
                    self.around(guard.span(), format!("/*<{n}*/({test} ("), format!("))/*{n}>*/"));
                }
            }
            None if removable => {
                let Some(n) = self.mutant(arm.pat.span(), "the arm is gone".into()) else { return };
                let at = arm.pat.span().byte_range().end;
                let text = format!(" /*<{n}*/if !crate::mutated({n})/*{n}>*/");
                self.edits.push(Edit { at, order: (0, 0, 0), text, removed: 0 });
            }
            _ => {}
        }
    }
}
