//! Which couplings are worth trying for a draw, the most promising first.
//!
//! A draw of noise serves what it is added to: a *total* c·y + o. The couplings keep the total the same in both
//! runs, or keep the noise the same, or move the total by as much as neighbours can be apart, always or on one side
//! of what the total is compared with, or only where the output in question is decided.

mod cases;
mod clipped;
mod entries;
mod measured;
mod ratios;
mod scores;
pub(crate) mod tails;

use std::collections::BTreeMap;

use probity_exact::Rational;
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law::parameters;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Adjacency, Claim, Coupling, Distribution, Statement};

use crate::algebra::{
    absolute, divided, factors, linear, mentions, minus, normal, of_parameters, over, parts, plus, product,
    visit, without_names,
};
use crate::derivation::Move;
use crate::plan::blocks::{
    definitions, for_each_append, for_each_assignment, in_order, inline, set_by_draws,
};
use crate::plan::couplings::tails::{set_by_cases, unbounded};
use crate::rehearse::collect_spans;
use crate::tables;

/// The most totals and comparisons of one draw that are looked at.
pub(super) const MOST_USES: usize = 4;
/// The most results for which a draw may pay by itself.
const MOST_RESULTS: usize = 5;
/// The most draws that share the claim alike.
const MOST_SHARES: i64 = 8;
/// The most distances between neighbours that are tried as shifts.
const MOST_SPANS: usize = 4;

/// A way to couple a draw, and what it may cost at once, in terms of parameters.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) step: Move,
    pub(crate) amounts: Vec<Expr>,
}

impl Candidate {
    /// Whether the draw is left to itself: the same noise in both runs, at no cost.
    pub(crate) fn is_free(&self) -> bool {
        match &self.step {
            Move::Draw(Coupling::Null) => true,
            Move::Draw(Coupling::Shift { cost, .. }) => *cost == Expr::int(0),
            _ => false,
        }
    }
}

/// Guesses couplings for the draws of one mechanism.
pub(crate) struct Guesser<'a> {
    pub(super) context: &'a Context,
    pub(super) claim: &'a Claim,
    /// Variables that stand for a value.
    definitions: BTreeMap<Name, Expr>,
    /// All expressions of the program.
    expressions: Vec<Expr>,
    /// How far apart neighbours can be.
    spans: Vec<Expr>,
    /// How far apart what is computed from them may be, besides.
    distances: Vec<Expr>,
    /// When the output that a pointwise proof is about is decided.
    hits: Vec<Expr>,
}

/// What is made of a draw y: c·y + offset.
#[derive(Clone, PartialEq)]
struct Total {
    factor: Expr,
    offset: Expr,
}

/// A comparison of y with a threshold; `strict` if the threshold itself belongs to the lower side.
#[derive(Clone, PartialEq)]
struct Threshold {
    total: Total,
    at: Expr,
    strict: bool,
}

impl<'a> Guesser<'a> {
    pub(crate) fn new(context: &'a Context, claim: &'a Claim, comparison: Comparison) -> Guesser<'a> {
        let mechanism = context.mechanism();
        let definitions = definitions(&mechanism.body);
        let mut expressions = Vec::new();
        for_each_expr(&mechanism.body, &mut |e| expressions.push(e.clone()));
        expressions.push(mechanism.output.clone());
        let (spans, distances, hits) = (spans(context), vec![], vec![]);
        let mut guesser = Guesser { context, claim, definitions, expressions, spans, distances, hits };
        guesser.distances = guesser.distances();
        if comparison == Comparison::Pointwise {
            guesser.hits = guesser.hits();
        }
        guesser
    }

    /// How far apart neighbours can be, as far as the adjacency says it in so many words.
    pub(crate) fn spans(&self) -> &[Expr] {
        &self.spans
    }

    /// How far apart what is computed from neighbours may be: the same, or the width of a clamp, or 1 for a count.
    pub(crate) fn distances(&self) -> Vec<Expr> {
        let mut found = self.spans.clone();
        for expr in &self.expressions {
            visit(expr, &mut |part| {
                if let Expr::Clamp(_, low, high) = part {
                    let width = minus((**high).clone(), (**low).clone());
                    if self.is_public(&width) && !found.contains(&width) {
                        found.push(width);
                    }
                }
            });
        }
        if !found.contains(&Expr::int(1)) {
            found.push(Expr::int(1));
        }
        found.truncate(MOST_SPANS);
        // Scores are often divided by a number.
        let mut parts = Vec::new();
        for_each_append(&self.context.mechanism().body, &mut |value| {
            visit(value, &mut |part| {
                if let Expr::Binary(Binary::Div, _, n) = part
                    && matches!(&**n, Expr::Number(n) if *n > Rational::ONE)
                {
                    parts.extend(found.iter().map(|distance| divided(distance.clone(), n)));
                }
            });
        });
        parts.retain(|part| !found.contains(part));
        parts.dedup();
        parts.truncate(2);
        let more = self.afforded().into_iter().chain(self.weighted()).chain(self.smaller_of_two());
        parts.extend(more.filter(|part| !found.contains(part)));
        found.extend(parts);
        found
    }

    /// The couplings of a draw; `again` says where what is drawn may be read again, if it is in a loop that counts, and `read`
    /// where it is read at all, if that is known before.
    pub(crate) fn draw(
        &self,
        var: &Name,
        law: &Distribution,
        again: Option<Expr>,
        read: Option<Expr>,
    ) -> Vec<Candidate> {
        let read = (again.as_ref(), read.as_ref());
        if let Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), scale }
        | Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), scale } = law
        {
            return self.choice(list, scale);
        }
        if self.context.measure() == Measure::Concentrated {
            return self.equal(var, law);
        }
        match law {
            Distribution::Laplace { center, scale } => {
                let found = self.noise(var, (Some(center), scale), false, read);
                self.with_tails(var, found, scale, self.meets(var))
            }
            Distribution::DiscreteLaplace { center, scale } => {
                let found = self.noise(var, (Some(center), scale), false, read);
                self.with_integer_tails(var, found, scale)
            }
            Distribution::Exponential { scale } | Distribution::Geometric { scale } => {
                let found = self.noise(var, (None, scale), true, read);
                self.with_one_sided_tails(var, found, scale)
            }
            Distribution::Uniform => {
                let found = vec![free(Move::Draw(Coupling::Null))];
                [found, self.uniform(var, None)].concat()
            }
            Distribution::Gumbel { center, scale } => self.noise(var, (Some(center), scale), true, read),
            Distribution::Bernoulli(_)
            | Distribution::Response { .. }
            | Distribution::UniformInt { .. }
            | Distribution::UniformOther { .. } => {
                let same = parameters(law).into_iter().all(|p| self.first(p) == self.second(p));
                let mut found = vec![free(Move::Draw(Coupling::Null))];
                if !same {
                    let statement = Statement::Draw { var: var.clone(), law: law.clone() };
                    let ratios = self.ratios(&[statement], var);
                    found.extend(ratios.into_iter().map(|(ratio, amounts)| Candidate {
                        step: Move::Draw(Coupling::SameValue { ratio }),
                        amounts,
                    }));
                }
                match law {
                    Distribution::UniformInt { low, .. } => found.extend(self.uniform(var, Some(low))),
                    Distribution::Bernoulli(_) if same => found.extend(self.sides(var)),
                    _ => {}
                }
                found
            }
            _ => vec![free(Move::Draw(Coupling::Null))],
        }
    }

    /// What a draw is compared with.
    pub(super) fn thresholds(&self, var: &Name) -> Vec<Expr> {
        self.uses(var).1.into_iter().map(|threshold| threshold.at).collect()
    }

    /// Whether a draw is compared with something, or what is made of it is held between bounds.
    pub(super) fn is_held(&self, var: &Name) -> bool {
        let made = self.made_of(var);
        let bounded = |e: &Expr| {
            let whole = inline(e, &made);
            unbounded(&whole, var) != whole
        };
        !self.uses(var).1.is_empty()
            || self.expressions.iter().any(bounded)
            || !set_by_cases(&self.context.mechanism().body, var).is_empty()
    }

    /// Whether a draw is compared with a threshold that belongs to the upper side, as by y >= t, where mass is given up; and whether
    /// with one that belongs to the lower side.
    fn meets(&self, var: &Name) -> (bool, bool) {
        let thresholds = self.uses(var).1;
        let any = |strict| self.claim.delta != Expr::int(0) && thresholds.iter().any(|t| t.strict == strict);
        (any(false), any(true))
    }

    /// The couplings of a block of finite draws of which one variable matters.
    pub(crate) fn block(&self, block: &[Statement], var: &Name) -> Vec<Candidate> {
        let ratios = self.ratios(block, var);
        ratios
            .into_iter()
            .map(|(ratio, amounts)| Candidate {
                step: Move::SameValue(var.clone(), block.len(), ratio),
                amounts,
            })
            .collect()
    }

    /// The expression with what its variables stand for.
    pub(super) fn written_out(&self, e: &Expr) -> Expr {
        inline(e, &self.definitions)
    }

    pub(super) fn first(&self, e: &Expr) -> Expr {
        self.context.in_run(e, Run::First)
    }

    pub(super) fn second(&self, e: &Expr) -> Expr {
        self.context.in_run(e, Run::Second)
    }

    /// Laplace noise, continuous or discrete; or noise that moves up only, without a center or with one.
    fn noise(
        &self,
        var: &Name,
        (center, scale): (Option<&Expr>, &Expr),
        one_sided: bool,
        (again, read): (Option<&Expr>, Option<&Expr>),
    ) -> Vec<Candidate> {
        let (totals, thresholds) = self.uses(var);
        let apart = center.map_or(Expr::int(0), |e| minus(self.first(e), self.second(e)));
        let shift = |by: Expr| {
            let moved = plus(by.clone(), apart.clone());
            let amount = if one_sided { moved } else { absolute(moved) };
            let cost = over(amount, &self.first(scale));
            (by, cost)
        };
        let plain = |(by, cost): (Expr, Expr)| {
            if by == Expr::int(0) && cost == Expr::int(0) {
                Coupling::Null
            } else {
                Coupling::Shift { by, cost }
            }
        };
        let keep_noise = (minus(Expr::int(0), apart.clone()), Expr::int(0));
        let move_total = |total: &Total, s: &Expr| {
            let offset = minus(self.first(&total.offset), self.second(&total.offset));
            shift(divided(plus(s.clone(), offset), &self.first(&total.factor)))
        };
        // What the noise is multiplied with stretches its scale, whichever way it turns it.
        let amounts = |total: &Total, s: &Expr| {
            let factor = match &total.factor {
                Expr::Number(n) if *n < Rational::ZERO => Expr::Number(-n.clone()),
                Expr::Unary(Unary::Neg, factor) => (**factor).clone(),
                factor => factor.clone(),
            };
            match factor == Expr::int(1) {
                true => self.amounts(s, scale),
                false => self.amounts(s, &product(factor, scale.clone())),
            }
        };
        let zero = Expr::int(0);
        let mut found: Vec<Candidate> = Vec::new();
        let mut push = |coupling: Coupling, amounts: Vec<Expr>| {
            let step = Move::Draw(coupling);
            if !found.iter().any(|known| known.step == step) {
                found.push(Candidate { step, amounts });
            }
        };
        // A center that sums over rows, and a value that stays: the rows that differ pay.
        let center = center.map(|e| inline(e, &self.definitions));
        let scale_here = self.scale_here(scale);
        let price = |distance: &Expr| tables::price(distance, &scale_here);
        let charge = center.as_ref().and_then(|center| tables::charge(self.context, center, &price));
        if let Some(charge) = charge.filter(|charge| self.is_paid(charge)) {
            push(plain((zero.clone(), charge.cost)), charge.amounts);
        }
        for total in &totals {
            push(plain(move_total(total, &zero)), amounts(total, &zero));
        }
        // Noise that moves up only shares what it is added to with another such draw, which is subtracted: each moves where the other cannot.
        for total in totals.iter().filter(|_| one_sided) {
            let (by, cost) = move_total(total, &zero);
            if by != zero && center.as_ref().is_none_or(|e| *e == zero) {
                let up = |e: Expr| zero.clone().max(e);
                push(Coupling::Shift { by: up(by), cost: up(cost) }, amounts(total, &zero));
            }
        }
        // A logarithm by which the scale is multiplied is meant to bound what changes.
        let (mut above, mut below) = (Vec::new(), Vec::new());
        factors(&scale_here, &mut above, &mut below);
        if let Some(logarithm) = above.iter().find(|e| matches!(e, Expr::Unary(Unary::Ln, _))) {
            let amount = tables::price(logarithm, &scale_here);
            if self.is_public(&amount) {
                push(plain((zero.clone(), amount.clone())), vec![amount]);
            }
        }
        // A draw that serves one total in one branch and another in the other.
        if let Some((guard, [yes, no])) = self.served(var) {
            let guard = self.first(&guard);
            let ((by, cost), (other, less)) = (move_total(&yes, &zero), move_total(&no, &zero));
            let (by, cost) = (guard.clone().choose(by, other), guard.choose(cost, less));
            push(Coupling::Shift { by, cost }, amounts(&yes, &zero));
        }
        push(plain(keep_noise.clone()), vec![]);
        let mut steps: Vec<Expr> = self.spans.clone();
        steps.push(zero.clone());
        let drawn = set_by_draws(&self.context.mechanism().body);
        for threshold in &thresholds {
            let at = self.first(&threshold.at);
            // A total with another draw in it follows that draw, and need not move by itself.
            let follows = drawn.iter().any(|name| mentions(&threshold.total.offset, name));
            let mut steps: Vec<&Expr> = steps.iter().collect();
            if follows {
                steps.rotate_right(1);
            }
            for s in steps {
                let select = |above: (Expr, Expr), below: (Expr, Expr)| Coupling::Select {
                    threshold: at.clone(),
                    strict: threshold.strict,
                    above,
                    below,
                };
                let total = &threshold.total;
                // Where it is not read, it need not be moved.
                if let Some(read) = read.map(|read| self.first(read)) {
                    let (by, cost) = move_total(total, s);
                    let by = read.clone().choose(by, keep_noise.0.clone());
                    let cost = read.clone().choose(cost, zero.clone());
                    push(select((by, cost), keep_noise.clone()), amounts(total, s));
                }
                push(select(move_total(total, s), keep_noise.clone()), amounts(total, s));
                let down = minus(zero.clone(), s.clone());
                push(select(keep_noise.clone(), move_total(total, &down)), amounts(total, s));
            }
        }
        let both_ways = |s: &Expr| [s.clone(), minus(zero.clone(), s.clone())];
        // What is compared decides, and not what it is made of on the way.
        let compared = |total: &&Total| thresholds.iter().any(|threshold| threshold.total == **total);
        let deciding = totals.iter().find(compared).or(totals.first());
        for hit in &self.hits {
            for s in steps.iter().flat_map(both_ways) {
                if let Some(total) = deciding {
                    let (by, cost) = move_total(total, &s);
                    let by = hit.clone().choose(by, keep_noise.0.clone());
                    let cost = hit.clone().choose(cost, zero.clone());
                    push(Coupling::Shift { by, cost }, amounts(total, &s));
                }
            }
        }
        for s in self.spans.iter().flat_map(both_ways) {
            for total in &totals {
                push(plain(move_total(total, &s)), amounts(total, &s));
            }
        }
        // The same only where what is drawn is read again.
        if let Some(again) = again.map(|guard| self.first(guard)) {
            for s in self.spans.iter().flat_map(both_ways) {
                for total in totals.iter().take(1) {
                    let (by, cost) = move_total(total, &s);
                    let by = again.clone().choose(by, keep_noise.0.clone());
                    let cost = again.clone().choose(cost, zero.clone());
                    push(Coupling::Shift { by, cost }, amounts(total, &s));
                }
            }
        }
        found
    }

    /// What a draw serves in the two branches of a conditional behind it that is decided without it.
    fn served(&self, var: &Name) -> Option<(Expr, [Total; 2])> {
        let (guard, then, otherwise) = branches_on(&self.context.mechanism().body, var)?;
        let total = |body: &[Statement]| {
            let mut totals = Vec::new();
            for_each_expr(body, &mut |e| self.scan(e, var, &mut totals, &mut vec![]));
            totals.into_iter().next()
        };
        let (yes, no) = (total(then)?, total(otherwise)?);
        (yes != no).then(|| (guard.clone(), [yes, no]))
    }

    /// By how much a draw moves that keeps a total of which it is part the same, for each of them.
    pub(super) fn moves_of_totals(&self, var: &Name) -> Vec<Expr> {
        let (totals, _) = self.uses(var);
        let by = |total: &Total| {
            let offset = minus(self.first(&total.offset), self.second(&total.offset));
            divided(offset, &self.first(&total.factor))
        };
        let mut found: Vec<Expr> = totals.iter().map(by).collect();
        found.retain(|by| *by != Expr::int(0));
        found
    }

    /// What a shift of a total by s may cost, from small to large.
    fn amounts(&self, s: &Expr, scale: &Expr) -> Vec<Expr> {
        let size = match s {
            Expr::Unary(Unary::Neg, s) => (**s).clone(),
            other => absolute(other.clone()),
        };
        let size = match &size {
            Expr::Unary(Unary::Abs, inside) => (**inside).clone(),
            other => other.clone(),
        };
        let mut found = Vec::new();
        let mut add = |amount: Expr| {
            if amount != Expr::int(0) && self.is_public(&amount) && !found.contains(&amount) {
                found.push(amount);
            }
        };
        add(over(size.clone(), scale));
        for distance in &self.distances {
            add(over(distance.clone(), scale));
        }
        for distance in &self.distances {
            add(over(plus(size.clone(), distance.clone()), scale));
        }
        // What is compared may be as far apart as the total.
        for distance in self.distances.iter().filter(|_| size == Expr::int(0)) {
            add(over(plus(distance.clone(), distance.clone()), scale));
        }
        found
    }

    /// The scale in the first run; where it is no public number, by what its variables stand for, as a center is written.
    fn scale_here(&self, scale: &Expr) -> Expr {
        match self.is_public(scale) {
            true => self.first(scale),
            false => self.first(&self.written_out(scale)),
        }
    }

    /// Whether public amounts pay for the rows that differ, also where what bounds these was drawn before.
    fn is_paid(&self, charge: &tables::Charge) -> bool {
        charge.amounts.iter().all(|amount| self.is_public(amount))
    }

    pub(super) fn is_public(&self, e: &Expr) -> bool {
        of_parameters(self.context.mechanism(), e)
    }

    /// The totals that a draw is part of, and what they are compared with.
    fn uses(&self, var: &Name) -> (Vec<Total>, Vec<Threshold>) {
        let (mut totals, mut thresholds) = (Vec::new(), Vec::new());
        let made_of_it = self.made_of(var);
        let whole: Vec<Expr> = self.expressions.iter().map(|expr| inline(expr, &made_of_it)).collect();
        for expr in &whole {
            self.scan(expr, var, &mut totals, &mut thresholds);
        }
        // Where mass may be given up, a draw may be kept within the bounds that hold it.
        if self.claim.delta != Expr::int(0) {
            let cases = set_by_cases(&self.context.mechanism().body, var);
            for expr in &whole {
                let free = inline(&unbounded(expr, var), &cases);
                self.scan(&free, var, &mut totals, &mut thresholds);
            }
        }
        // Other draws in a total may come later, when this one is coupled already: they are left to follow it. So is what
        // counts in a loop that the draw is not in.
        let mut drawn = set_by_draws(&self.context.mechanism().body);
        indices_elsewhere(&self.context.mechanism().body, var, &mut drawn);
        let given = |total: &Total| {
            let offset = without_names(&total.offset, &drawn);
            Total { factor: total.factor.clone(), offset }
        };
        let mut given: Vec<Total> =
            totals.iter().map(given).filter(|total| !totals.contains(total)).collect();
        given.append(&mut totals);
        let mut totals = given;
        let whole = Total { factor: Expr::int(1), offset: Expr::int(0) };
        if totals.is_empty() {
            totals.push(whole);
        }
        totals.truncate(MOST_USES);
        thresholds.truncate(MOST_USES);
        (totals, thresholds)
    }

    /// The variables that stand for a value made of a draw, or that are set after it. Others keep their names: what they
    /// stand for is known where they are set, and not in a loop after that.
    fn made_of(&self, var: &Name) -> BTreeMap<Name, Expr> {
        let mut found: BTreeMap<Name, Expr> = BTreeMap::new();
        let order = in_order(&self.context.mechanism().body);
        let place = |name: &Name| order.iter().position(|known| known == name);
        loop {
            let next = self.definitions.iter().find(|(name, value)| {
                let made = mentions(value, var) || found.keys().any(|known| mentions(value, known));
                (made || place(name) > place(var)) && !found.contains_key(*name)
            });
            match next {
                Some((name, value)) => found.insert(name.clone(), value.clone()),
                None => return found,
            };
        }
    }

    fn scan(&self, expr: &Expr, var: &Name, totals: &mut Vec<Total>, thresholds: &mut Vec<Threshold>) {
        if !mentions(expr, var) {
            return;
        }
        if let Expr::Binary(op @ (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge), a, b) = expr
            && let Some((factor, offset)) = linear(&minus((**a).clone(), (**b).clone()), var)
        {
            // c·y + o compared with 0: y is above −o/c, or below if c is negative.
            let negative = matches!(&factor, Expr::Number(n) if *n < Rational::ZERO)
                || matches!(&factor, Expr::Unary(Unary::Neg, _));
            let at = divided(minus(Expr::int(0), offset.clone()), &factor);
            // The threshold itself is below for y > t and for y <= t.
            let strict = matches!(op, Binary::Gt | Binary::Le) != negative;
            // The total is the side with the draw, so that what it is compared with may move by itself.
            let side = [a, b].into_iter().find(|e| mentions(e, var));
            let total = side.and_then(|e| linear(e, var)).unwrap_or((factor, offset));
            let total = Total { factor: total.0, offset: total.1 };
            if !totals.contains(&total) {
                totals.push(total.clone());
            }
            let threshold = Threshold { total, at, strict };
            if !thresholds.contains(&threshold) {
                thresholds.push(threshold);
            }
            return;
        }
        if let Some((factor, offset)) = linear(expr, var) {
            let total = Total { factor, offset };
            if !totals.contains(&total) {
                totals.push(total);
            }
            return;
        }
        for part in parts(expr) {
            self.scan(part, var, totals, thresholds);
        }
    }

    /// When the output in question is decided: where the output variable gets a value that the parameters and
    /// loop indices fix, that value being the result.
    fn hits(&self) -> Vec<Expr> {
        let result = Expr::Var(Variable::Result);
        let mechanism = self.context.mechanism();
        if self.context.kind(&mechanism.output) == Kind::Bool {
            return vec![result.clone(), !result];
        }
        let Expr::Var(Variable::Plain(output)) = &mechanism.output else { return vec![] };
        let mut found = Vec::new();
        for_each_assignment(&mechanism.body, &mut |var, value| {
            let mut fixed = true;
            value.for_each_variable(&mut |v| {
                let counts =
                    |name: &Name| name != output && self.context.kind(&Expr::var(name.clone())) == Kind::Int;
                fixed &= matches!(v, Variable::Plain(name) if self.context.is_shared(name) || counts(name))
            });
            let hit = self.first(value).equals(result.clone());
            if var == output && fixed && !found.contains(&hit) {
                found.push(hit);
            }
        });
        // A constant is more often a start value than a choice, and a negative one says that nothing was chosen.
        let rank = |hit: &Expr| match hit {
            Expr::Binary(_, value, _) => match &**value {
                Expr::Number(n) => (1, Some(n.clone())),
                Expr::Unary(Unary::Neg, _) => (2, None),
                _ => (0, None),
            },
            _ => (0, None),
        };
        found.sort_by_key(rank);
        found.truncate(MOST_RESULTS);
        found
    }
}

/// The conditional that is decided without a draw, and both branches of which read it.
fn branches_on<'b>(
    body: &'b [Statement],
    var: &Name,
) -> Option<(&'b Expr, &'b [Statement], &'b [Statement])> {
    let reads = |body: &[Statement]| {
        let mut found = false;
        for_each_expr(body, &mut |e| found |= mentions(e, var));
        found
    };
    body.iter().find_map(|statement| match statement {
        Statement::If { guard, then, otherwise } => {
            if !mentions(guard, var) && reads(then) && reads(otherwise) && !set_by_draws(then).contains(var) {
                return Some((guard, then.as_slice(), otherwise.as_slice()));
            }
            branches_on(then, var).or_else(|| branches_on(otherwise, var))
        }
        Statement::For { body, .. } | Statement::While { body, .. } => branches_on(body, var),
        _ => None,
    })
}

/// The indices of loops in which a variable is not drawn.
fn indices_elsewhere(body: &[Statement], var: &Name, found: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::For { index, body, .. } => {
                if !set_by_draws(body).contains(var) {
                    found.push(index.clone());
                }
                indices_elsewhere(body, var, found);
            }
            Statement::While { body, .. } => indices_elsewhere(body, var, found),
            Statement::If { then, otherwise, .. } => {
                indices_elsewhere(then, var, found);
                indices_elsewhere(otherwise, var, found);
            }
            _ => {}
        }
    }
}

fn free(step: Move) -> Candidate {
    Candidate { step, amounts: vec![] }
}

/// How far apart neighbours can be, as the adjacency says it.
fn spans(context: &Context) -> Vec<Expr> {
    let mut spans: Vec<Expr> = Vec::new();
    for clause in &context.mechanism().adjacency {
        match clause {
            Adjacency::Related(relation) => collect_spans(context, relation, &mut spans),
            Adjacency::EveryEntry { bound, .. }
            | Adjacency::EveryEntryGrows { bound, .. }
            | Adjacency::Norm { bound, .. }
            | Adjacency::OneEntryOf { bound, .. }
            | Adjacency::OneEntry { bound, .. } => {
                if !spans.contains(bound) {
                    spans.push(bound.clone());
                }
            }
            Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } | Adjacency::Rows { .. } => {}
        }
    }
    spans.extend(tables::sizes(context));
    // What is made of several inputs moves by as much as they do together.
    let bounds = context.mechanism().adjacency.iter().filter_map(|clause| match clause {
        Adjacency::EveryEntry { bound, .. } | Adjacency::OneEntry { bound, .. } => Some(bound.clone()),
        _ => None,
    });
    let bounds: Vec<Expr> = bounds.collect();
    if bounds.len() > 1
        && let Some(sum) = bounds.into_iter().reduce(plus).map(|sum| normal(context, &sum))
        && !spans.contains(&sum)
    {
        spans.push(sum);
    }
    spans.retain(|span| *span != Expr::int(0));
    spans.truncate(MOST_SPANS);
    spans
}
