//! The sampling axioms.
//!
//! Each one couples a draw `y` of the first run with the draw `y'` of the second. What is known before the draw
//! cannot speak of the value drawn: it is a fresh arbitrary value, `y#n`, in the precondition. The shifts and
//! costs of a coupling are evaluated before the draw and may not mention it.
//!
//! Every rule has the shape
//! ```text
//! ──────────────────────────────────────────────────────────────────────────────────────────
//! ⊢ y ~ law : side conditions and (support of y#n ⇒ Ψ[y := y#n, y' := f(y#n), cost := cost + c]) ⇒ Ψ
//! ```
//! and its soundness is that e^−c times the first law, moved by f, lies below the second law. The side conditions
//! include that the law is in range ([`crate::law`]) in the first run; that it is in the second follows from the
//! equality of the parameters on which its range depends.

mod signed_log;
mod tails;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use signed_log::signed_log;
pub use tails::{
    up_to_exact_lower_tail_int, up_to_exact_tail_int, up_to_exact_tails_int, up_to_far_tail,
    up_to_lower_tail, up_to_open_lower_tail, up_to_open_tail, up_to_side, up_to_start, up_to_tail,
    up_to_tail_uniform, up_to_upper_tail,
};

use crate::concentrated::{Measure, check_pure, equal_values};
use crate::context::Context;
use crate::expr::{Expr, Name, Run, Variable};
use crate::finite;
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::rules::{Assertion, Judgement, check_knows_no_draw, check_size, wrong};
use crate::term::{Coupling, Distribution, Statement};

/// A draw about to be coupled, and the state of the precondition under construction.
struct Draw<'a> {
    context: &'a Arc<Context>,
    statement: &'a Statement,
    var: &'a Name,
    law: &'a Distribution,
    post: &'a Assertion,
    /// The value drawn in the first run.
    value: Variable,
}

/// Applies the sampling axiom that the coupling names. See the private functions of this module for the axioms,
/// one each.
pub fn sample(
    context: &Arc<Context>,
    statement: &Statement,
    coupling: &Coupling,
    post: &Assertion,
) -> Result<Judgement, Rejection> {
    let Statement::Draw { var, law } = statement else {
        return Err(wrong("a sampling axiom", statement));
    };
    for e in expressions(coupling) {
        check_before_draw(context, e, &[var])?;
    }
    let draw = Draw { context, statement, var, law, post, value: fresh(var, post, &BTreeSet::new()) };
    // What is known of a call its theorem says.
    if matches!(law, Distribution::Called(_)) {
        return Err(draw.no_such(coupling));
    }
    if !matches!(coupling, Coupling::Null | Coupling::Equal { .. } | Coupling::Chosen { .. }) {
        check_pure(context, "a coupling of different values")?;
    }
    match coupling {
        Coupling::Null => draw.null(),
        Coupling::Equal { distance, cost } => draw.equal(distance, cost),
        Coupling::Chosen { low, high, cost } => draw.chosen(low, high, cost),
        Coupling::Shift { by, cost } => draw.shift(by, cost),
        Coupling::Select { threshold, strict, above, below } => {
            draw.select((threshold, *strict), (&above.0, &above.1), (&below.0, &below.1))
        }
        Coupling::Scale { cost } => draw.scale(cost),
        Coupling::SameValue { ratio } => {
            finite::same_value(context, std::slice::from_ref(statement), var, (&ratio.0, &ratio.1), post)
        }
        Coupling::SignedLog { .. } => Err(draw.no_such(coupling)),
    }
}

impl Draw<'_> {
    /// AXNULL: one law, one value, no cost.
    /// ```text
    /// the parameters of the law are equal in both runs, and in range
    /// ───────────────────────────────────────────────────────────────
    /// y' = y at cost 0
    /// ```
    fn null(&self) -> Result<Judgement, Rejection> {
        let same = law::parameters(self.law).into_iter().map(|p| self.first(p).equals(self.second(p)));
        let side = Expr::all(same.chain(self.in_range()).collect::<Vec<_>>());
        self.conclude("AXNULL", side, self.after(&self.drawn(), &Expr::int(0)))
    }

    /// GAUSS, DGAUSS, BOUNDED-LOSS: see [`equal_values`]; BOUNDED-RATIO: see [`finite::bounded_ratio`]. In the
    /// concentrated measure only.
    fn equal(&self, distance: &Expr, cost: &Expr) -> Result<Judgement, Rejection> {
        if self.context.measure() != Measure::Concentrated {
            let (distance, cost) = (distance.clone(), cost.clone());
            return Err(self.no_such(&Coupling::Equal { distance, cost }));
        }
        let Some((axiom, center, scale)) = equal_values(self.law) else {
            return finite::bounded_ratio(
                self.context,
                (self.statement, self.var),
                (distance, cost),
                self.post,
            );
        };
        let (a, b, s) = (self.first(center), self.second(center), self.first(scale));
        let side = Expr::all([
            Expr::int(0).lt(s.clone()).and(s.clone().equals(self.second(scale))),
            (a - b).abs().le(distance.clone()),
            (distance.clone() * distance.clone()).le(Expr::int(2) * cost.clone() * s.clone() * s),
        ]);
        self.conclude(axiom, side, self.after(&self.drawn(), cost))
    }

    /// CHOOSE, PERMUTE-FLIP, and for `choose` BOUNDED-RANGE in the concentrated measure: the same place of an entry, chosen by scores.
    /// ```text
    /// s = s' > 0    1 ≤ length(l)    apart(l, low, high)    high − low ≤ c·s; in ρ (high − low)² ≤ 8·c·s²
    /// ────────────────────────────────────────────────────────────────────────────────────────────────────
    /// y' = y at cost c
    /// ```
    /// For `choose` the loss −(l'[i] − l[i])/s + ln(Z'/Z) lies, for all i, in one interval of length (high − low)/s that has 0.
    fn chosen(&self, low: &Expr, high: &Expr, cost: &Expr) -> Result<Judgement, Rejection> {
        let (list, scale, flips) = match self.law {
            Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), scale } => (list, scale, false),
            Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), scale } => {
                check_pure(self.context, "PERMUTE-FLIP")?;
                (list, scale, true)
            }
            _ => {
                let (low, high, cost) = (low.clone(), high.clone(), cost.clone());
                return Err(self.no_such(&Coupling::Chosen { low, high, cost }));
            }
        };
        let (range, s) = (high.clone() - low.clone(), self.first(scale));
        let (axiom, enough) = match self.context.measure() {
            Measure::Pure => (if flips { "PERMUTE-FLIP" } else { "CHOOSE" }, range.le(cost.clone() * s)),
            Measure::Concentrated => {
                let most = Expr::int(8) * cost.clone() * s.clone() * s;
                ("BOUNDED-RANGE", (range.clone() * range).le(most))
            }
        };
        let side = Expr::all(self.in_range().chain([
            self.first(scale).equals(self.second(scale)),
            Expr::apart(list.clone(), low.clone(), high.clone()),
            enough,
        ]));
        self.conclude(axiom, side, self.after(&self.drawn(), cost))
    }

    /// LAPGEN and its kin: a translation by k.
    /// ```text
    /// scale = scale' > 0    |k + center − center'| ≤ c · scale
    /// ───────────────────────────────────────────────────────── LAPGEN; DLAPGEN with k and the centers integers
    /// y' = y + k at cost c
    ///
    /// scale = scale' > 0    0 ≤ k ≤ c · scale
    /// ──────────────────────────────────────── EXPGEN, y ≥ 0; GEOGEN with k an integer
    /// y' = y + k at cost c
    ///
    /// scale = scale' > 0    0 ≤ k + center − center' ≤ c · scale
    /// ──────────────────────────────────────────────────────────── GUMGEN
    /// y' = y + k at cost c
    /// ```
    /// With c = 0 and k = center' − center this is LAPNULL.
    fn shift(&self, by: &Expr, cost: &Expr) -> Result<Judgement, Rejection> {
        let (axiom, side) = self.translation(by, cost)?;
        let moved = self.drawn() + by.clone();
        self.conclude(axiom, side, self.after(&moved, cost))
    }

    /// LAPGEN with a choice: far draws move by one amount, near draws by another.
    /// ```text
    /// both translations allowed    below.k ≤ above.k    the threshold t does not mention y
    /// ─────────────────────────────────────────────────────────────────────────────────────
    /// y ≥ t: y' = y + above.k at cost above.c;   y < t: y' = y + below.k at cost below.c
    /// ```
    /// The images of the two parts are disjoint because the shift does not shrink across the threshold.
    fn select(
        &self,
        (threshold, strict): (&Expr, bool),
        above: (&Expr, &Expr),
        below: (&Expr, &Expr),
    ) -> Result<Judgement, Rejection> {
        let (axiom, above_side) = self.translation(above.0, above.1)?;
        let (_, below_side) = self.translation(below.0, below.1)?;
        let side = above_side.and(below_side).and(below.0.clone().le(above.0.clone()));
        let is_above =
            if strict { self.drawn().gt(threshold.clone()) } else { self.drawn().ge(threshold.clone()) };
        let then = self.after(&(self.drawn() + above.0.clone()), above.1);
        let otherwise = self.after(&(self.drawn() + below.0.clone()), below.1);
        self.conclude(axiom, side, is_above.clone().implies(then).and(is_above.or(otherwise)))
    }

    /// AXUNIF, in its exact form and in the one direction in which it is free of loss.
    /// ```text
    /// c ≥ 0
    /// ────────────────────────────── u, u' uniform on (0, 1]
    /// u' = exp(−c) · u at cost c
    /// ```
    fn scale(&self, cost: &Expr) -> Result<Judgement, Rejection> {
        if *self.law != Distribution::Uniform {
            return Err(self.no_such(&Coupling::Scale { cost: cost.clone() }));
        }
        let shrunk = (-cost.clone()).exp() * self.drawn();
        self.conclude("AXUNIF", Expr::int(0).le(cost.clone()), self.after(&shrunk, cost))
    }

    /// The axiom and the side condition of a translation.
    fn translation(&self, by: &Expr, cost: &Expr) -> Result<(&'static str, Expr), Rejection> {
        let (axiom, center, scale) = match self.law {
            Distribution::Laplace { center, scale } => ("LAPGEN", Some(center), scale),
            Distribution::DiscreteLaplace { center, scale } => ("DLAPGEN", Some(center), scale),
            Distribution::Gumbel { center, scale } => ("GUMGEN", Some(center), scale),
            Distribution::Exponential { scale } => ("EXPGEN", None, scale),
            Distribution::Geometric { scale } => ("GEOGEN", None, scale),
            _ => return Err(self.no_such(&Coupling::Shift { by: by.clone(), cost: cost.clone() })),
        };
        if law::kind(self.law) == Kind::Int {
            self.context.kinds().check_integer(by)?;
        }
        let budget = cost.clone() * self.first(scale);
        let moved = match center {
            Some(center) => by.clone() + self.first(center) - self.second(center),
            None => by.clone(),
        };
        let two_sided =
            matches!(self.law, Distribution::Laplace { .. } | Distribution::DiscreteLaplace { .. });
        let within = match two_sided {
            true => moved.abs().le(budget),
            // Noise that falls off on one side only, or faster on the other, may move up.
            false => Expr::int(0).le(moved.clone()).and(moved.le(budget)),
        };
        let scales = self.in_range().chain([self.first(scale).equals(self.second(scale))]);
        Ok((axiom, Expr::all(scales).and(within)))
    }

    /// That the law means something in the first run.
    fn in_range(&self) -> impl Iterator<Item = Expr> {
        law::conditions(self.law).into_iter().map(|condition| self.first(&condition))
    }

    fn drawn(&self) -> Expr {
        Expr::Var(self.value.clone())
    }

    fn first(&self, e: &Expr) -> Expr {
        self.context.in_run(e, Run::First)
    }

    fn second(&self, e: &Expr) -> Expr {
        self.context.in_run(e, Run::Second)
    }

    /// Ψ[y := y#n, y' := second, cost := cost + c], all at once.
    fn after(&self, second: &Expr, cost: &Expr) -> Expr {
        after(&self.post.formula, &[(self.var, self.drawn(), second.clone())], cost)
    }

    fn conclude(&self, axiom: &'static str, side: Expr, after: Expr) -> Result<Judgement, Rejection> {
        let formula = match self.first(&law::support(self.law, self.drawn())) {
            Expr::Bool(true) => side.and(after),
            support => side.and(support.implies(after)),
        };
        check_size(&formula)?;
        let mut arbitrary = self.post.arbitrary.clone();
        arbitrary.insert(self.value.clone());
        Ok(Judgement {
            context: self.context.clone(),
            program: vec![self.statement.clone()],
            pre: Assertion { arbitrary, formula },
            post: self.post.clone(),
            delta: Expr::int(0),
            axioms: BTreeSet::from([axiom]),
            work: 0,
        })
    }

    fn no_such(&self, coupling: &Coupling) -> Rejection {
        Rejection::NoSuchCoupling { law: self.law.to_string(), coupling: coupling.to_string() }
    }
}

/// The formula after draws: each variable gets its two values, and the cost is charged, all at once.
pub(crate) fn after(formula: &Expr, draws: &[(&Name, Expr, Expr)], cost: &Expr) -> Expr {
    formula.replace(&|v| match v {
        Variable::Of(name, run) => {
            draws.iter().find(|(var, ..)| *var == name).map(|(_, first, second)| match run {
                Run::First => first.clone(),
                Run::Second => second.clone(),
            })
        }
        Variable::Cost if *cost != Expr::int(0) => Some(Expr::cost() + cost.clone()),
        _ => None,
    })
}

/// An arbitrary value for a draw of `name` that occurs nowhere in the assertion.
pub(crate) fn fresh(name: &Name, post: &Assertion, taken: &BTreeSet<Variable>) -> Variable {
    let mut used: BTreeSet<Variable> = post.arbitrary.union(taken).cloned().collect();
    post.formula.for_each_variable(&mut |v| {
        used.insert(v.clone());
    });
    let mut number = 0;
    loop {
        let candidate = Variable::Arbitrary(name.clone(), number);
        if !used.contains(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

/// A number that is evaluated before the draw: it mentions neither the variables drawn nor arbitrary values.
pub(crate) fn check_before_draw(context: &Context, e: &Expr, drawn: &[&Name]) -> Result<(), Rejection> {
    check_knows_no_draw(e)?;
    context.check_number(e)?;
    match e.find_variable(&|v| matches!(v, Variable::Of(name, _) if drawn.contains(&name))) {
        None => Ok(()),
        Some(v) => Err(Rejection::KnowsADraw { variable: v.to_string(), assertion: e.to_string() }),
    }
}

fn expressions(coupling: &Coupling) -> Vec<&Expr> {
    match coupling {
        Coupling::Null => vec![],
        Coupling::Shift { by, cost } | Coupling::SignedLog { by, cost } => vec![by, cost],
        Coupling::Chosen { low, high, cost } => vec![low, high, cost],
        Coupling::Select { threshold, above, below, .. } => {
            vec![threshold, &above.0, &above.1, &below.0, &below.1]
        }
        Coupling::Scale { cost } => vec![cost],
        Coupling::Equal { distance, cost } => vec![distance, cost],
        Coupling::SameValue { ratio } => vec![&ratio.0, &ratio.1],
    }
}
