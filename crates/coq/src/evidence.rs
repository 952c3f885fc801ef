//! The kernel's evidence for a side condition as a proof script.
//!
//! The facts of `trusted/kernel/src/evidence/entail.rs` are numbered; here each number is the name of a hypothesis "formula = true" or "formula = false".
//! A formula is taken apart by one lemma of `proofs/Formulas.v` a step, in the way of the kernel's `fact.rs` ([`shape`]), and no further than the
//! evidence asks; what the kernel decides because a polynomial is a constant, the script shows by the same sum.

mod lemmas;

use std::fmt::Write;
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::{Binary, Expr, Unary};
use probity_kernel::fact::{Fact, canonical, fact, poly, positive_monomial};
use probity_kernel::kind::Kind;
use probity_kernel::lemma::Lemma;
use probity_kernel::poly::Poly;

use super::NotExported;
use super::print::{Printer, Scope, hole, rational};

/// A formula that is true, or false.
type Node = (Expr, bool);

/// How a formula comes apart.
enum Shape {
    /// A comparison of polynomials, or a boolean: no further.
    Atom,
    /// `true` or `false` itself.
    Constant,
    /// Another formula says the same.
    Is(&'static str, Node),
    /// Two formulas.
    Both(&'static str, Node, Node),
    /// One of two lists of formulas.
    Either(String, Vec<Node>, Vec<Node>),
}

/// A fact by its hypothesis.
#[derive(Clone)]
struct Known {
    name: String,
    node: Node,
}

pub(super) struct Script<'a> {
    printer: &'a Printer<'a>,
    text: String,
    depth: usize,
    next: usize,
}

type Done = Result<(), NotExported>;

fn nothing() -> Fact {
    Fact::All(vec![])
}

fn is_false(fact: &Fact) -> bool {
    matches!(fact, Fact::Any(parts) if parts.is_empty())
}

/// The script that closes the goal `goal = true` from named hypotheses.
pub(super) fn script(
    printer: &Printer<'_>,
    hypotheses: &[(String, Expr)],
    goal: &Expr,
    evidence: &Evidence,
) -> Result<String, NotExported> {
    let mut script = Script { printer, text: String::new(), depth: 1, next: 0 };
    script.line("apply by_contradiction; intros g.");
    let mut facts = Vec::new();
    for (name, formula) in hypotheses {
        script.push(name.clone(), (formula.clone(), true), &mut facts)?;
    }
    script.push("g".into(), (goal.clone(), false), &mut facts)?;
    script.prove(&facts, evidence)?;
    Ok(script.text)
}

impl Script<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.depth * 2);
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("h{}", self.next)
    }

    fn fact(&self, node: &Node) -> Result<Fact, NotExported> {
        fact(self.printer.context, &node.0, node.1).map_err(|e| NotExported::new(e.to_string()))
    }

    fn open(&mut self) {
        self.line("{");
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// Numbers what a hypothesis says, as the kernel's `push` does.
    fn push(&mut self, name: String, node: Node, facts: &mut Vec<Known>) -> Done {
        let said = self.fact(&node)?;
        if said == nothing() {
            return Ok(());
        }
        if is_false(&said) || matches!(said, Fact::Any(_)) {
            facts.push(Known { name, node });
            return Ok(());
        }
        match self.shape(&node)? {
            Shape::Atom | Shape::Constant => facts.push(Known { name, node }),
            Shape::Is(lemma, inner) => {
                let inner_name = self.is(lemma, &name);
                self.push(inner_name, inner, facts)?;
            }
            Shape::Both(lemma, a, b) => {
                let (first, second) = self.both(lemma, &name);
                self.push(first, a, facts)?;
                self.push(second, b, facts)?;
            }
            // One of the two is impossible, or the whole would be a disjunction.
            Shape::Either(lemma, a, b) => {
                let (left, right) = self.either(&lemma, &name, a.len(), b.len());
                let (names, nodes) = if self.impossible(&a)? {
                    self.open();
                    self.refute_one(&left, &a)?;
                    self.close();
                    (right, b)
                } else {
                    // The second goal first.
                    self.line("2: {");
                    self.depth += 1;
                    self.refute_one(&right, &b)?;
                    self.close();
                    (left, a)
                };
                for (name, node) in names.into_iter().zip(nodes) {
                    self.push(name, node, facts)?;
                }
            }
        }
        Ok(())
    }

    fn is(&mut self, lemma: &str, name: &str) -> String {
        let inner = self.name();
        self.line(&format!("pose proof ({lemma} _ {name}) as {inner}."));
        inner
    }

    fn both(&mut self, lemma: &str, name: &str) -> (String, String) {
        let (a, b) = (self.name(), self.name());
        self.line(&format!("destruct ({lemma} _ _ {name}) as [{a} {b}]."));
        (a, b)
    }

    fn either(&mut self, lemma: &str, name: &str, left: usize, right: usize) -> (Vec<String>, Vec<String>) {
        let mut side = |n: usize| -> Vec<String> { (0..n).map(|_| self.name()).collect() };
        let (left, right) = (side(left), side(right));
        let pattern = |names: &[String]| match names {
            [one] => one.clone(),
            _ => format!("[{}]", names.join(" ")),
        };
        self.line(&format!("destruct ({lemma} {name}) as [{}|{}].", pattern(&left), pattern(&right)));
        (left, right)
    }

    /// Whether the kernel sees at once that not all of them hold.
    fn impossible(&self, nodes: &[Node]) -> Result<bool, NotExported> {
        nodes.iter().try_fold(false, |no, node| Ok(no || is_false(&self.fact(node)?)))
    }

    fn refute_one(&mut self, names: &[String], nodes: &[Node]) -> Done {
        for (name, node) in names.iter().zip(nodes) {
            if is_false(&self.fact(node)?) {
                return self.refute(name, node);
            }
        }
        Err(NotExported::new("a case that is not impossible"))
    }

    /// Closes the goal from one hypothesis that the kernel sees to be false.
    fn refute(&mut self, name: &str, node: &Node) -> Done {
        match self.shape(node)? {
            Shape::Constant => self.line(&format!("discriminate {name}.")),
            Shape::Atom => {
                let (value, proof, strict) = self.inequality(name, node, false)?;
                match value.as_constant() {
                    Some(c) if c < Rational::ZERO => {
                        self.contradiction(&c, &weak(proof, strict), "eq_refl", false)
                    }
                    Some(c) if c.is_zero() && strict => self.contradiction(&c, &proof, "eq_refl", true),
                    _ => return Err(NotExported::new("a comparison that is no constant")),
                }
            }
            Shape::Is(lemma, inner) => {
                let inner_name = self.is(lemma, name);
                self.refute(&inner_name, &inner)?;
            }
            Shape::Both(lemma, a, b) => {
                let (first, second) = self.both(lemma, name);
                self.refute_one(&[first, second], &[a, b])?;
            }
            Shape::Either(lemma, a, b) => {
                let (left, right) = self.either(&lemma, name, a.len(), b.len());
                for (names, nodes) in [(left, a), (right, b)] {
                    self.open();
                    self.refute_one(&names, &nodes)?;
                    self.close();
                }
            }
        }
        Ok(())
    }

    /// Follows the evidence.
    fn prove(&mut self, facts: &[Known], evidence: &Evidence) -> Done {
        let get = |number: usize| {
            facts
                .get(number)
                .cloned()
                .ok_or_else(|| NotExported::new("a fact that the kernel does not number"))
        };
        match evidence {
            Evidence::Absurd(number) => {
                let known = get(*number)?;
                self.refute(&known.name, &known.node)
            }
            Evidence::Clash(yes, no) => {
                let (yes, no) = (get(*yes)?.name, get(*no)?.name);
                self.line(&format!("rewrite {yes} in {no}; discriminate."));
                Ok(())
            }
            Evidence::Cases(number, branches) => {
                let known = get(*number)?;
                let mut branches = branches.iter();
                self.expand(known.name, known.node, facts, &mut branches)?;
                match branches.next() {
                    None => Ok(()),
                    Some(_) => Err(NotExported::new("more branches than cases")),
                }
            }
            Evidence::Cut(formula, yes, no) => {
                let name = self.name();
                let text = self.printer.formula(formula, Scope::Runs)?;
                self.line(&format!("destruct (cut_ {text}) as [{name}|{name}]."));
                for (polarity, rest) in [(true, yes), (false, no)] {
                    self.open();
                    let mut more = facts.to_vec();
                    self.push(name.clone(), (formula.clone(), polarity), &mut more)?;
                    self.prove(&more, rest)?;
                    self.close();
                }
                Ok(())
            }
            Evidence::Cite(lemma, rest) => {
                let (name, formula) = self.cite(lemma)?;
                let mut more = facts.to_vec();
                self.push(name, (formula, true), &mut more)?;
                self.prove(&more, rest)
            }
            Evidence::Combination { products, equations } => self.combination(facts, products, equations),
        }
    }

    /// One branch for each part of a disjunction, in the kernel's order.
    fn expand(
        &mut self,
        name: String,
        node: Node,
        facts: &[Known],
        branches: &mut std::slice::Iter<'_, Evidence>,
    ) -> Done {
        match self.shape(&node)? {
            Shape::Is(lemma, inner) => {
                let inner_name = self.is(lemma, &name);
                self.expand(inner_name, inner, facts, branches)
            }
            Shape::Both(lemma, a, b) => {
                let (first, second) = self.both(lemma, &name);
                self.expand_all(vec![first, second], vec![a, b], facts, branches)
            }
            Shape::Either(lemma, a, b) => {
                let (left, right) = self.either(&lemma, &name, a.len(), b.len());
                for (names, nodes) in [(left, a), (right, b)] {
                    self.open();
                    self.expand_all(names, nodes, facts, branches)?;
                    self.close();
                }
                Ok(())
            }
            Shape::Atom | Shape::Constant => Err(NotExported::new("cases of what is no disjunction")),
        }
    }

    fn expand_all(
        &mut self,
        names: Vec<String>,
        nodes: Vec<Node>,
        facts: &[Known],
        branches: &mut std::slice::Iter<'_, Evidence>,
    ) -> Done {
        if self.impossible(&nodes)? {
            return self.refute_one(&names, &nodes);
        }
        let mut left = Vec::new();
        for (name, node) in names.into_iter().zip(nodes) {
            if self.fact(&node)? != nothing() {
                left.push((name, node));
            }
        }
        if let [(name, node)] = &left[..]
            && matches!(self.fact(node)?, Fact::Any(_))
        {
            return self.expand(name.clone(), node.clone(), facts, branches);
        }
        let evidence = branches.next().ok_or_else(|| NotExported::new("fewer branches than cases"))?;
        let mut more = facts.to_vec();
        for (name, node) in left {
            self.push(name, node, &mut more)?;
        }
        self.prove(&more, evidence)
    }

    fn cite(&mut self, lemma: &Lemma) -> Result<(String, Expr), NotExported> {
        let formula = lemma
            .formula(self.printer.context)
            .ok_or_else(|| NotExported::new(format!("the lemma {}", lemma.name())))?;
        let proof = lemmas::proof(self.printer, lemma)?;
        let name = self.name();
        let text = self.printer.formula(&formula, Scope::Runs)?;
        self.line(&format!("assert ({name} : {text} = true) by ({proof})."));
        Ok((name, formula))
    }

    /// p ≥ 0 or p > 0 of a comparison: p, the proof, and whether it is strict. `gap`: strict between integers is a gap of 1.
    fn inequality(&self, name: &str, node: &Node, gap: bool) -> Result<(Poly, String, bool), NotExported> {
        let poly = |e: &Expr| poly(self.printer.context, e).map_err(|e| NotExported::new(e.to_string()));
        let Expr::Binary(op, a, b) = &node.0 else { return Err(NotExported::new("no comparison")) };
        let (less, a, b) = match op {
            Binary::Le => (true, a, b),
            Binary::Lt => (false, a, b),
            Binary::Ge => (true, b, a),
            Binary::Gt => (false, b, a),
            Binary::Eq if node.1 => {
                // a == b as a constant: a refutation only.
                let value = poly(b)?.minus(&poly(a)?);
                return match value.as_constant() {
                    Some(c) if c < Rational::ZERO => Ok((value, format!("(eq_true_le _ _ {name})"), false)),
                    Some(c) if c > Rational::ZERO => {
                        Ok((value.scaled(&-Rational::ONE), format!("(eq_true_ge _ _ {name})"), false))
                    }
                    _ => Err(NotExported::new("an equation that is no contradiction")),
                };
            }
            Binary::Eq => {
                // a != b where both are the same expression.
                let difference = poly(b)?.minus(&poly(a)?);
                let square = difference.times(&difference).map_err(|e| NotExported::new(e.to_string()))?;
                return Ok((square, format!("(eq_false_square _ _ {name})"), true));
            }
            _ => return Err(NotExported::new("no inequality")),
        };
        let difference = poly(b)?.minus(&poly(a)?);
        let reversed = Poly::zero().minus(&difference);
        let whole = |lemma: &str, p: Poly| {
            let normal = self.printer.real(&p.to_expr(), Scope::Runs).unwrap_or("0".into());
            (p.minus(&Poly::one()), format!("({lemma}_whole _ _ {name} ltac:(whole ({normal})))"), false)
        };
        let plain = |lemma: &str, p: Poly, strict: bool| (p, format!("({lemma} _ _ {name})"), strict);
        Ok(match (less, node.1) {
            (true, true) => plain("le_true", difference, false),
            (true, false) if gap => whole("le_false", reversed),
            (true, false) => plain("le_false", reversed, true),
            (false, true) if gap => whole("lt_true", difference),
            (false, true) => plain("lt_true", difference, true),
            (false, false) => plain("lt_false", reversed, false),
        })
    }

    /// A fact p ≥ 0 or p > 0, and its proof.
    fn cited(&self, known: &Known) -> Result<(Poly, String, bool), NotExported> {
        let said = self.fact(&known.node)?;
        let plain = self.inequality(&known.name, &known.node, false)?;
        let found = |(p, _, strict): &(Poly, String, bool)| match &said {
            Fact::Positive(q) => *strict && p == q,
            Fact::NonNegative(q) => !*strict && p == q,
            _ => false,
        };
        if found(&plain) {
            return Ok(plain);
        }
        let gap = self.inequality(&known.name, &known.node, true)?;
        if found(&gap) { Ok(gap) } else { Err(NotExported::new("a fact in another form")) }
    }

    fn combination(&mut self, facts: &[Known], products: &[Product], equations: &[(usize, Expr)]) -> Done {
        let missing = || NotExported::new("a fact that the kernel does not number");
        let kernel = |e: probity_kernel::rejection::Rejection| NotExported::new(e.to_string());
        let context = self.printer.context;
        let mut total = Poly::zero();
        let mut sum: Option<(String, bool)> = None;
        for Product { coefficient, scale, facts: numbers } in products {
            let mut value = positive_monomial(context, scale).map_err(kernel)?.scaled(coefficient);
            let (mut proof, mut strict) = (format!("(ltac:(lra) : 0 < {})", rational(coefficient)), true);
            for (name, power) in scale {
                let lemma = if *power < 0 { "negative_power" } else { "power" };
                let times = format!("({lemma} {} _ pos_{name})", power.unsigned_abs());
                proof = format!("(mul_strict _ _ {proof} {times})");
            }
            for number in numbers {
                let (p, one, is_strict) = self.cited(facts.get(*number).ok_or_else(missing)?)?;
                value = value.times(&p).map_err(kernel)?;
                proof = match (strict, is_strict) {
                    (true, true) => format!("(mul_strict _ _ {proof} {one})"),
                    _ => format!("(mul_weak _ _ {} {})", weak(proof, strict), weak(one, is_strict)),
                };
                strict &= is_strict;
            }
            total.add(&value);
            sum = Some(match sum {
                None => (proof, strict),
                Some((before, false)) if !strict => (format!("(add_weak _ _ {before} {proof})"), false),
                Some((before, true)) => (format!("(add_left _ _ {before} {})", weak(proof, strict)), true),
                Some((before, false)) => (format!("(add_right _ _ {before} {proof})"), true),
            });
        }
        let mut zero: Option<String> = None;
        for (number, multiplier) in equations {
            let known = facts.get(*number).ok_or_else(missing)?;
            let Fact::Zero(equation) = self.fact(&known.node)? else { return Err(missing()) };
            let factor = self.printer.real(multiplier, Scope::Runs)?;
            total.add(&equation.times(&poly(context, multiplier).map_err(kernel)?).map_err(kernel)?);
            let one = format!("(multiple ({factor}) _ (eq_true _ _ {}))", known.name);
            zero = Some(match zero {
                None => one,
                Some(before) => format!("(add_zero _ _ {before} {one})"),
            });
        }
        let constant = total.as_constant().ok_or_else(|| NotExported::new("a sum that is no constant"))?;
        let (sum, strict) = sum.unwrap_or(("(Rle_refl 0)".into(), false));
        let zero = zero.unwrap_or("(eq_refl 0)".into());
        if constant < Rational::ZERO {
            self.contradiction(&constant, &weak(sum, strict), &zero, false);
        } else {
            self.contradiction(&constant, &sum, &zero, true);
        }
        Ok(())
    }

    fn contradiction(&mut self, constant: &Rational, sum: &str, zero: &str, strict: bool) {
        let lemma = if strict { "contra_strict" } else { "contra" };
        let zero = if zero == "eq_refl" { "(eq_refl 0)" } else { zero };
        self.line(&format!("refine ({lemma} {} _ _ _ _ {sum} {zero}); [lra|sum].", rational(constant)));
    }

    /// How a formula comes apart, as in the kernel's `fact.rs`.
    fn shape(&self, (formula, polarity): &Node) -> Result<Shape, NotExported> {
        let context = self.printer.context;
        let p = *polarity;
        Ok(match formula {
            Expr::Bool(_) => Shape::Constant,
            Expr::Unary(Unary::Not, a) => {
                Shape::Is(if p { "not_true" } else { "not_false" }, ((**a).clone(), !p))
            }
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let (a, b) = (((**a).clone(), p), ((**b).clone(), p));
                match (op, p) {
                    (Binary::And, true) => Shape::Both("and_true", a, b),
                    (Binary::And, false) => Shape::Either("and_false _ _".into(), vec![a], vec![b]),
                    (_, true) => Shape::Either("or_true _ _".into(), vec![a], vec![b]),
                    (_, false) => Shape::Both("or_false", a, b),
                }
            }
            Expr::If(c, a, b) if context.kind(formula) == Kind::Bool => Shape::Either(
                "choose_formula _ _ _ _".into(),
                vec![((**c).clone(), true), ((**a).clone(), p)],
                vec![((**c).clone(), false), ((**b).clone(), p)],
            ),
            Expr::Binary(Binary::Ne, a, b) => {
                Shape::Is(if p { "not_true" } else { "not_false" }, ((**a).clone().equals((**b).clone()), !p))
            }
            Expr::Binary(op @ (Binary::Lt | Binary::Le | Binary::Ge | Binary::Gt | Binary::Eq), a, b) => {
                let (a, b) = if matches!(op, Binary::Ge | Binary::Gt) { (b, a) } else { (a, b) };
                let op = match op {
                    Binary::Ge => Binary::Le,
                    Binary::Gt => Binary::Lt,
                    other => *other,
                };
                return self.comparison(op, a, b, p);
            }
            _ => Shape::Atom,
        })
    }

    fn comparison(&self, op: Binary, a: &Arc<Expr>, b: &Arc<Expr>, p: bool) -> Result<Shape, NotExported> {
        let context = self.printer.context;
        let whole = Expr::Binary(op, a.clone(), b.clone());
        if op == Binary::Eq {
            match context.kind(a) {
                Kind::Bool => {
                    let (a, b) = ((**a).clone(), (**b).clone());
                    let lemma = if p { "iff_true _ _" } else { "iff_false _ _" };
                    return Ok(Shape::Either(
                        lemma.into(),
                        vec![(a.clone(), true), (b.clone(), p)],
                        vec![(a, false), (b, !p)],
                    ));
                }
                Kind::List => return Ok(Shape::Atom),
                _ => {}
            }
        }
        if let (Binary::Le | Binary::Lt, Expr::Unary(Unary::Abs, inner)) = (op, &**a) {
            let side = |e: Expr| (Expr::Binary(op, Arc::new(e), b.clone()), p);
            let (plus, minus) = (side((**inner).clone()), side(-(**inner).clone()));
            let name = if op == Binary::Le { "abs_le" } else { "abs_lt" };
            return Ok(match p {
                true => {
                    Shape::Both(if op == Binary::Le { "abs_le_true" } else { "abs_lt_true" }, plus, minus)
                }
                false => Shape::Either(format!("{name}_false _ _"), vec![plus], vec![minus]),
            });
        }
        if let Some(choice) = find_choice(a).or_else(|| find_choice(b)) {
            let normal = |e: &Expr| canonical(context, e).ok();
            if normal(a).is_some_and(|a| Some(a) == normal(b)) {
                return Ok(Shape::Atom);
            }
            let with = |value: &Expr| whole.rewrite(&|part| (*part == choice.whole).then(|| value.clone()));
            let predicate = self.printer.formula(&with(&Expr::Var(hole())), Scope::Runs)?;
            // Coq has computed a choice between two that is decided, so there is nothing to find its parts in.
            let arguments = match choice.condition {
                Expr::Bool(decided) => {
                    let [yes, no] = [&choice.yes, &choice.no].map(|e| self.printer.real(e, Scope::Runs));
                    format!("{decided} ({}) ({})", yes?, no?)
                }
                _ => choice.arguments.into(),
            };
            let lemma = format!("{} (fun hole => {predicate}) _ {arguments}", choice.lemma);
            return Ok(Shape::Either(
                lemma,
                vec![(choice.condition.clone(), true), (with(&choice.yes), p)],
                vec![(choice.condition.clone(), false), (with(&choice.no), p)],
            ));
        }
        if op == Binary::Eq && !p {
            let less = |a: &Arc<Expr>, b: &Arc<Expr>| (Expr::Binary(Binary::Lt, a.clone(), b.clone()), true);
            return Ok(Shape::Either("eq_false _ _".into(), vec![less(a, b)], vec![less(b, a)]));
        }
        Ok(Shape::Atom)
    }
}

fn weak(proof: String, strict: bool) -> String {
    if strict { format!("(weak _ {proof})") } else { proof }
}

/// A number that is defined by cases, as the kernel finds the first one.
struct Choice {
    lemma: &'static str,
    arguments: &'static str,
    whole: Expr,
    condition: Expr,
    yes: Expr,
    no: Expr,
}

fn find_choice(e: &Expr) -> Option<Choice> {
    let choice = |lemma, arguments, condition: Expr, yes: &Expr, no: &Expr| {
        Some(Choice { lemma, arguments, whole: e.clone(), condition, yes: yes.clone(), no: no.clone() })
    };
    match e {
        Expr::Unary(Unary::Abs, a) => {
            choice("choose_abs", "_", Expr::int(0).le((**a).clone()), a, &-(**a).clone())
        }
        Expr::Binary(Binary::Min, a, b) => choice("choose_min", "_ _", (**a).clone().le((**b).clone()), a, b),
        Expr::Binary(Binary::Max, a, b) => choice("choose_max", "_ _", (**a).clone().le((**b).clone()), b, a),
        Expr::Clamp(a, low, high) => {
            let inner = (**a).clone().min((**high).clone());
            choice("choose_clamp", "_ _ _", inner.clone().le((**low).clone()), low, &inner)
        }
        Expr::If(condition, yes, no) => choice("choose_if", "_ _ _", (**condition).clone(), yes, no),
        Expr::Sum(..) => None,
        _ => e.parts().into_iter().flatten().find_map(find_choice),
    }
}
