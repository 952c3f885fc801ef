//! Makes plans: from a file's `proof` block where it speaks, from templates elsewhere.
//!
//! For each draw a few couplings are tried (the same value, the same noise, a shift that makes up for the
//! difference of an input), for each loop a few invariants (everything equal; accumulators apart by what the one
//! changed entry can do; nothing paid before that entry). The first plan whose side conditions can all be shown
//! wins.
//!
//! ```
//! # use probity_kernel::expr::{Expr, Run};
//! # use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! # let laplace = Mechanism {
//! #     name: "laplace".into(),
//! #     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//! #     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//! #     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//! #     body: vec![Statement::Draw {
//! #         var: "y".into(),
//! #         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") },
//! #     }],
//! #     output: Expr::var("y"),
//! #     adjacency: vec![Adjacency::Related(
//! #         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//! #     )],
//! # };
//! # let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! let plans = probity_prove::plan::search_plans(&laplace, &claim, &Hints::default()).unwrap();
//! assert!(!plans.is_empty());
//! ```

use std::collections::BTreeSet;

use probity_kernel::context::{Context, Kind, Orientation, for_each_expr};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::privacy::Comparison;
use probity_kernel::rejection::Rejection;
use probity_kernel::term::{Adjacency, Claim, Coupling, Distribution, Hints, Mechanism, Sort, Statement};

use crate::derivation::{Move, Plan};

/// The most plans that are made for one mechanism.
const MAX_PLANS: usize = 64;

/// Plans worth trying, the most promising first.
pub fn search_plans(mechanism: &Mechanism, claim: &Claim, hints: &Hints) -> Result<Vec<Plan>, Rejection> {
    let (rewritten, rewrites) = rewrite(mechanism, hints);
    let context = Context::new(&rewritten, Orientation::Forward)?;
    let countable = matches!(context.kind(&rewritten.output), Kind::Int | Kind::Bool);
    let comparisons = match (hints.pointwise, countable && hints.couplings.is_empty()) {
        (true, _) => vec![Comparison::Pointwise],
        (false, true) => vec![Comparison::Equal, Comparison::Pointwise],
        (false, false) => vec![Comparison::Equal],
    };
    let maker = Maker { context: &context, claim, hints };
    let moves = maker.block(&rewritten.body, &BTreeSet::new());
    let orientations = if context.adjacency_is_symmetric() {
        vec![Orientation::Forward]
    } else {
        vec![Orientation::Forward, Orientation::Backward]
    };
    let mut plans = Vec::new();
    for comparison in comparisons {
        for moves in &moves {
            plans.push(Plan {
                rewrites: rewrites.clone(),
                comparison,
                sides: orientations.iter().map(|o| (*o, moves.clone())).collect(),
            });
        }
    }
    plans.truncate(MAX_PLANS);
    Ok(plans)
}

/// Applies the program equivalences that fit, unless a hint speaks of the draws that they would remove.
fn rewrite(mechanism: &Mechanism, hints: &Hints) -> (Mechanism, Vec<Rewrite>) {
    let mut current = mechanism.clone();
    let mut done = Vec::new();
    let hinted = |name: &Name| hints.couplings.iter().any(|(var, _)| var == name);
    loop {
        let next = candidates(&current)
            .into_iter()
            .filter(|step| match step {
                Rewrite::LaplaceLaw { uniform, sign, .. } => !hinted(uniform) && !hinted(sign),
                Rewrite::ResponseLaw { keep, other, .. } => !hinted(keep) && !hinted(other),
                _ => true,
            })
            .find_map(|step| sequence(&current, step));
        match next {
            Some((steps, rewritten)) => {
                current = rewritten;
                done.extend(steps);
            }
            None => return (current, done),
        }
    }
}

/// A law, directly or after a few steps that bring the program into the shape it needs.
fn sequence(mechanism: &Mechanism, law: Rewrite) -> Option<(Vec<Rewrite>, Mechanism)> {
    if let Ok(rewritten) = law.apply(mechanism) {
        return Some((vec![law], rewritten));
    }
    let mut steps = Vec::new();
    let mut current = mechanism.clone();
    for statement in &mechanism.body {
        let step = match statement {
            Statement::If { then, .. } => match then.as_slice() {
                [Statement::Assign { var, .. }] => Rewrite::Conditional { var: var.clone() },
                _ => continue,
            },
            Statement::Assign { var, .. } => Rewrite::Inline { var: var.clone() },
            _ => continue,
        };
        if let Ok(next) = step.apply(&current) {
            current = next;
            steps.push(step);
            if let Ok(rewritten) = law.apply(&current) {
                steps.push(law);
                return Some((steps, rewritten));
            }
        }
    }
    None
}

fn candidates(mechanism: &Mechanism) -> Vec<Rewrite> {
    let drawn = |wanted: &dyn Fn(&Distribution) -> bool| {
        mechanism
            .body
            .iter()
            .filter_map(move |statement| match statement {
                Statement::Draw { var, law } if wanted(law) => Some(var.clone()),
                _ => None,
            })
            .collect::<Vec<Name>>()
    };
    let new_name = |stem: &str| {
        let taken = mechanism.to_string();
        (0..).map(|n| format!("{stem}_{n}")).find(|name| !taken.contains(name.as_str())).map(Name::from)
    };
    let mut steps = Vec::new();
    for uniform in drawn(&|law| *law == Distribution::Uniform) {
        for sign in drawn(&|law| *law == Distribution::Sign) {
            steps.extend(new_name("noise").map(|noise| Rewrite::LaplaceLaw {
                uniform: uniform.clone(),
                sign,
                noise,
            }));
        }
    }
    for keep in drawn(&|law| matches!(law, Distribution::Bernoulli(_))) {
        for other in drawn(&|law| matches!(law, Distribution::UniformOther { .. })) {
            steps.extend(new_name("response").map(|response| Rewrite::ResponseLaw {
                keep: keep.clone(),
                other,
                response,
            }));
        }
    }
    steps
}

struct Maker<'a> {
    context: &'a Context,
    claim: &'a Claim,
    hints: &'a Hints,
}

impl Maker<'_> {
    /// The moves for a block: every combination of what its statements may do, up to a limit. `outside` are the
    /// variables set before the block.
    fn block(&self, body: &[Statement], outside: &BTreeSet<Name>) -> Vec<Vec<Move>> {
        let mut plans: Vec<Vec<Move>> = vec![vec![]];
        let mut set = outside.clone();
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            let (choices, used) = match self.joint(&body[at..]) {
                Some(step) => (vec![step], 2),
                None => (self.statement(statement, &set), 1),
            };
            // What varies last is tried first: the earliest choice of every statement comes first.
            plans = plans
                .iter()
                .flat_map(|plan| {
                    choices.iter().map(move |choice| {
                        let mut longer = plan.clone();
                        longer.push(choice.clone());
                        longer
                    })
                })
                .take(MAX_PLANS)
                .collect();
            for statement in &body[at..at + used] {
                set_by(std::slice::from_ref(statement), &mut set);
            }
            at += used;
        }
        plans
    }

    /// A uniform draw and a sign that a hint couples jointly.
    fn joint(&self, body: &[Statement]) -> Option<Move> {
        let [
            Statement::Draw { var: u, law: Distribution::Uniform },
            Statement::Draw { var: s, law: Distribution::Sign },
            ..,
        ] = body
        else {
            return None;
        };
        match self.hint(u).or_else(|| self.hint(s)) {
            Some(Coupling::SignedLog { by, cost }) => Some(Move::Joint(by.clone(), cost.clone())),
            _ => None,
        }
    }

    fn hint(&self, var: &Name) -> Option<&Coupling> {
        self.hints.couplings.iter().find(|(name, _)| name == var).map(|(_, coupling)| coupling)
    }

    fn statement(&self, statement: &Statement, set: &BTreeSet<Name>) -> Vec<Move> {
        match statement {
            Statement::Assign { .. } | Statement::Append { .. } => vec![Move::Plain],
            Statement::Draw { var, law } => match self.hint(var) {
                Some(coupling) => vec![Move::Draw(coupling.clone())],
                None => self.couplings(law).into_iter().map(Move::Draw).collect(),
            },
            Statement::If { then, otherwise, .. } => {
                if is_plain(then) && is_plain(otherwise) {
                    return vec![Move::OneSided];
                }
                let (then, otherwise) = (self.block(then, set), self.block(otherwise, set));
                pairs(&then, &otherwise).into_iter().map(|(yes, no)| Move::If(yes, no)).collect()
            }
            Statement::For { index, body, .. } => {
                let invariants = match self.invariant(index) {
                    Some(invariant) => vec![invariant],
                    None => self.invariants(index, body, set),
                };
                let bodies = self.block(body, set);
                pairs(&invariants, &bodies).into_iter().map(|(i, b)| Move::For(i, b)).collect()
            }
            Statement::While { label, body, .. } => {
                let invariants = self.invariant(label).into_iter().collect::<Vec<_>>();
                let bodies = self.block(body, set);
                pairs(&invariants, &bodies).into_iter().map(|(i, b)| Move::While(i, b)).collect()
            }
        }
    }

    fn invariant(&self, label: &Name) -> Option<Expr> {
        self.hints.invariants.iter().find(|(name, _)| name == label).map(|(_, invariant)| invariant.clone())
    }

    fn couplings(&self, law: &Distribution) -> Vec<Coupling> {
        let first = |e: &Expr| self.context.in_run(e, Run::First);
        let second = |e: &Expr| self.context.in_run(e, Run::Second);
        match law {
            Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
                let apart = first(center) - second(center);
                let same_center = first(center) == second(center);
                let mut shifts = vec![Expr::int(0)];
                shifts.extend(self.input_shifts(scale));
                let mut couplings: Vec<Coupling> = shifts
                    .into_iter()
                    .map(|by| {
                        let moved = match (by == Expr::int(0), same_center) {
                            (true, true) => return Coupling::Null,
                            (true, false) => apart.clone(),
                            (false, true) => by.clone(),
                            (false, false) => by.clone() + apart.clone(),
                        };
                        Coupling::Shift { by, cost: over(moved.abs(), &first(scale)) }
                    })
                    .collect();
                if !same_center {
                    couplings.push(Coupling::Shift { by: -apart, cost: Expr::int(0) });
                }
                couplings
            }
            Distribution::Bernoulli(p) if first(p) != second(p) => self.ratios(),
            Distribution::Response { .. } => self.ratios(),
            _ => vec![Coupling::Null],
        }
    }

    /// Shifts that make up for the difference of one input: x − x', times and over each parameter, or the
    /// number that stands in a parameter's place.
    fn input_shifts(&self, scale: &Expr) -> Vec<Expr> {
        let mechanism = self.context.mechanism();
        let mut shifts = Vec::new();
        for input in mechanism.inputs.iter().filter(|i| matches!(i.sort, Sort::Real | Sort::Int)) {
            let apart = Expr::of(input.name.clone(), Run::First) - Expr::of(input.name.clone(), Run::Second);
            shifts.push(apart.clone());
            for param in &mechanism.params {
                shifts.push(apart.clone() * Expr::var(param.name.clone()));
                shifts.push(apart.clone() / Expr::var(param.name.clone()));
            }
            for number in self.numbers() {
                shifts.push(apart.clone() * number.clone());
                shifts.push(apart.clone() / number);
            }
            shifts.push(apart * scale.clone());
        }
        shifts
    }

    /// The numbers by which the program divides or multiplies, without 0 and 1; a few of them, as each costs a search.
    fn numbers(&self) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        for_each_expr(&self.context.mechanism().body, &mut |expr| collect_factors(expr, &mut found));
        found.truncate(MOST_NUMBERS);
        found
    }

    /// Ratios of discrete laws, read off a claim of the form ln(a / b), or ln(a).
    fn ratios(&self) -> Vec<Coupling> {
        let ratio = match &self.claim.epsilon {
            Expr::Unary(Unary::Ln, inside) => match &**inside {
                Expr::Binary(Binary::Div, a, b) => ((**a).clone(), (**b).clone()),
                whole => (whole.clone(), Expr::int(1)),
            },
            epsilon => (epsilon.clone().exp(), Expr::int(1)),
        };
        vec![Coupling::SameValue { ratio }, Coupling::Null]
    }

    /// Invariants for a loop over a list of which one entry changed: lists equal, accumulators equal or apart
    /// by at most the change once it has been seen, and the budget untouched or spent once it has been seen.
    fn invariants(&self, index: &Name, body: &[Statement], set: &BTreeSet<Name>) -> Vec<Expr> {
        let mut changed = BTreeSet::new();
        set_by(body, &mut changed);
        let carried: Vec<&Name> = changed.intersection(set).collect();
        let i = Expr::var(index.clone());
        let mut seen = vec![];
        for clause in &self.context.mechanism().adjacency {
            if let Adjacency::OneEntry { list, bound } = clause {
                seen.push((i.clone().gt(Expr::Var(Variable::Changed(list.clone()))), bound.clone()));
            }
        }
        let mut invariants = Vec::new();
        for near in [false, true] {
            for paid in [false, true] {
                let Some((seen, bound)) = seen.first() else { continue };
                let once = |value: &Expr| seen.clone().choose(value.clone(), Expr::int(0));
                let budget = if paid { once(&self.claim.epsilon) } else { Expr::int(0) };
                let mut parts = vec![Expr::cost().le(budget)];
                for &name in &carried {
                    let (v, w) = (Expr::of(name.clone(), Run::First), Expr::of(name.clone(), Run::Second));
                    parts.push(match self.context.kind(&v) {
                        Kind::Real | Kind::Int if near => (v - w).abs().le(once(bound)),
                        _ => v.equals(w),
                    });
                }
                invariants.push(Expr::all(parts));
            }
        }
        if invariants.is_empty() {
            let equal = carried.iter().map(|name| {
                Expr::of((*name).clone(), Run::First).equals(Expr::of((*name).clone(), Run::Second))
            });
            invariants.push(Expr::cost().le(Expr::int(0)).and(Expr::all(equal)));
        }
        invariants
    }
}

/// amount / scale, written without a quotient of quotients.
fn over(amount: Expr, scale: &Expr) -> Expr {
    match scale {
        Expr::Binary(Binary::Div, n, d) if **n == Expr::int(1) => (**d).clone() * amount,
        Expr::Binary(Binary::Div, n, d) => (**d).clone() * amount / (**n).clone(),
        whole if *whole == Expr::int(1) => amount,
        whole => amount / whole.clone(),
    }
}

fn pairs<A: Clone, B: Clone>(first: &[A], second: &[B]) -> Vec<(A, B)> {
    let all = first.iter().flat_map(|a| second.iter().map(move |b| (a.clone(), b.clone())));
    all.take(MAX_PLANS).collect()
}

/// Whether a block has assignments and conditionals only, and no lists.
fn is_plain(body: &[Statement]) -> bool {
    body.iter().all(|statement| match statement {
        Statement::Assign { value, .. } => *value != Expr::EmptyList,
        Statement::If { then, otherwise, .. } => is_plain(then) && is_plain(otherwise),
        _ => false,
    })
}

fn set_by(body: &[Statement], set: &mut BTreeSet<Name>) {
    for statement in body {
        match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => {
                set.insert(var.clone());
            }
            Statement::Append { list, .. } => {
                set.insert(list.clone());
            }
            Statement::If { then, otherwise, .. } => {
                set_by(then, set);
                set_by(otherwise, set);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => set_by(body, set),
        }
    }
}

/// Numbers that are tried as factors of a shift.
const MOST_NUMBERS: usize = 4;

/// Adds the numbers that are factors or divisors somewhere in the expression.
fn collect_factors(expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::Binary(Binary::Mul | Binary::Div, a, b) = expr {
        for factor in [a, b] {
            let new = match &**factor {
                Expr::Number(n) => !n.is_zero() && !n.is_one() && !found.contains(factor),
                _ => false,
            };
            if new {
                found.push((**factor).clone());
            }
        }
    }
    match expr {
        Expr::Unary(_, a) | Expr::Index(_, a) => collect_factors(a, found),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| collect_factors(e, found)),
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| collect_factors(e, found))
        }
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Length(_) | Expr::EmptyList => {}
    }
}
