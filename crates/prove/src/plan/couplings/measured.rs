//! Couplings in the concentrated measure: the same value, by how far apart the centers of the noise may be; or, of a draw from
//! finitely many values, at half the square of a loss that bounds it in both directions. Such losses are the logarithms of the
//! ratios that a proof in ε would try, and what the claim is made of.

use probity_exact::directed::cast_down;
use probity_exact::rational_from_f64;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::law::parameters;
use probity_kernel::term::{Adjacency, Coupling, Distribution, Reading, Sort, Statement};

use crate::algebra::{absolute, divided, minus, number, over, product, visit};
use crate::derivation::Move;
use crate::lists;
use crate::plan::blocks::{inline, set_by_draws};
use crate::plan::couplings::entries::factor_of;
use crate::plan::couplings::{Candidate, Guesser, MOST_SHARES, free};
use crate::rehearse::changed_lists;
use crate::tables;

/// Half the square of a distance over a scale; by cases where the scale is, since a quotient by a choice says nothing.
fn half_square_over(distance: &Expr, scale: &Expr) -> Expr {
    if let Expr::If(guard, a, b) = scale {
        return (**guard).clone().choose(half_square_over(distance, a), half_square_over(distance, b));
    }
    let ratio = tables::price(distance, scale);
    divided(product(ratio.clone(), ratio), &Expr::int(2))
}

impl Guesser<'_> {
    /// The couplings in the concentrated measure: the same value, by how far apart the centers may be.
    pub(super) fn equal(&self, var: &Name, law: &Distribution) -> Vec<Candidate> {
        let null = free(Move::Draw(Coupling::Null));
        let (center, scale) = match law {
            Distribution::Gaussian { center, deviation: scale }
            | Distribution::DiscreteGaussian { center, deviation: scale }
            | Distribution::Laplace { center, scale }
            | Distribution::DiscreteLaplace { center, scale } => (center, scale),
            Distribution::Bernoulli(_) | Distribution::Response { .. } => return self.losses(var, law),
            _ => return vec![null],
        };
        let apart = minus(self.first(center), self.second(center));
        if apart == Expr::int(0) {
            return vec![null];
        }
        let scale = self.scale_here(scale);
        let price = |distance: &Expr| half_square_over(distance, &scale);
        let mut found = Vec::new();
        let mut push = |distance: Expr, cost: Expr, amounts: Vec<Expr>| {
            found.push(Candidate { step: Move::Draw(Coupling::Equal { distance, cost }), amounts });
        };
        let center = inline(center, &self.definitions);
        let distance = tables::charge(self.context, &center, &|distance| distance.clone());
        let charge = tables::charge(self.context, &center, &price).filter(|charge| self.is_paid(charge));
        if let Some((distance, charge)) = distance.zip(charge) {
            push(distance.cost, charge.cost, charge.amounts);
        }
        if let Some(size) = tables::size_of(&scale) {
            let cost = price(&size);
            push(size, cost.clone(), vec![cost]);
        }
        // Coordinates of rows that are clipped by their norm: all draws together pay for the norm.
        if let Some(distance) = self.by_norm(&center) {
            push(distance.clone().abs(), price(&distance), vec![self.whole()]);
        }
        // One entry of a list changes: what the center makes of it, for each of several entries.
        if let Some((distance, charge)) =
            self.by_entries(&center, &|distance| distance.clone()).zip(self.by_entries(&center, &price))
        {
            push(distance.0, charge.0, charge.1);
        }
        // Only where it is read.
        for clause in &self.context.mechanism().adjacency {
            let (Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. }) = clause else {
                continue;
            };
            visit(&center, &mut |part| {
                if let Expr::Index(Variable::Plain(list), index) = part
                    && changed_lists(clause).contains(list)
                {
                    let changed = Expr::Var(Variable::Changed(list.clone()));
                    let here = self.first(index).equals(changed);
                    let (bound, cost) = (bound.clone(), price(bound));
                    let zero = || Expr::int(0);
                    push(here.clone().choose(bound, zero()), here.choose(cost.clone(), zero()), vec![cost]);
                }
            });
        }
        // What is divided by a parameter changes by so much less.
        let mut distances = self.distances.clone();
        if let Expr::Binary(Binary::Div, _, n) = &center
            && self.is_public(n)
        {
            distances.extend(self.distances.iter().map(|distance| divided(distance.clone(), n)));
        }
        // A scale with a root or a logarithm is compared with the whole claim: a quotient by it says nothing. So is one
        // under a claim that is a number, where quotients have many digits.
        if tables::is_irrational(&scale) || matches!(self.claim.epsilon, Expr::Number(_)) {
            let whole = self.whole();
            for distance in &distances {
                push(distance.clone(), whole.clone(), vec![whole.clone()]);
            }
            // As many answers as a parameter says may share it.
            let counts = self.context.mechanism().params.iter().filter(|p| p.sort == Sort::Int);
            let counts = counts.map(|p| Expr::var(p.name.clone()));
            // So may as many as the text draws.
            let draws = set_by_draws(&self.context.mechanism().body).len() as i64;
            let drawn = (2..=MOST_SHARES).contains(&draws).then(|| Expr::int(draws));
            for share in counts.chain(drawn).map(|count| over(whole.clone(), &count)) {
                for distance in &distances {
                    push(distance.clone(), share.clone(), vec![share.clone()]);
                }
            }
            // All entries together may use it up.
            for (_, bound, _) in lists::norms(self.context).filter(|(.., squares)| *squares) {
                let square = |e: &Expr| product(e.clone(), e.clone());
                let share = divided(product(whole.clone(), square(&apart)), &square(bound));
                push(apart.clone().abs(), share, vec![whole.clone()]);
            }
        }
        for distance in &distances {
            push(distance.clone(), price(distance), vec![price(distance)]);
        }
        // What an entry is multiplied with stretches the norm.
        let stretched = |list: &Name, bound: &Expr| match factor_of(&center, list) {
            Some(factor) if self.is_public(&factor) => product(absolute(factor), bound.clone()),
            _ => bound.clone(),
        };
        let norms = lists::norms(self.context);
        let summed = norms.map(|(list, bound, _)| price(&stretched(list, bound))).collect();
        push(apart.clone().abs(), price(&apart), summed);
        found.push(null);
        found
    }

    /// The whole of what the claim allows, in ρ.
    fn whole(&self) -> Expr {
        let claimed = &self.claim.epsilon;
        match self.claim.reading {
            Reading::Mu => product(claimed.clone(), claimed.clone()) / Expr::int(2),
            _ => claimed.clone(),
        }
    }

    /// The couplings of a draw from finitely many values.
    fn losses(&self, var: &Name, law: &Distribution) -> Vec<Candidate> {
        let null = free(Move::Draw(Coupling::Null));
        if parameters(law).into_iter().all(|p| self.first(p) == self.second(p)) {
            return vec![null];
        }
        let mut found = Vec::new();
        let mut push = |distance: Expr, cost: Expr, amounts: Vec<Expr>| {
            found.push(Candidate { step: Move::Draw(Coupling::Equal { distance, cost }), amounts });
        };
        visit(&self.claim.epsilon, &mut |part| {
            if matches!(part, Expr::Unary(Unary::Ln, _)) && self.is_public(part) {
                push(part.clone(), half_square(part), vec![half_square(part)]);
            }
        });
        if let Some(distance) = self.whole_loss() {
            let whole = self.claim.epsilon.clone();
            push(distance, whole.clone(), vec![whole]);
        }
        let statement = Statement::Draw { var: var.clone(), law: law.clone() };
        // The first ratio is that of a claim in ε.
        for ((a, b), _) in self.ratios(&[statement], var).into_iter().skip(1) {
            let distance = loss(&a, &b);
            let mut amounts = Vec::new();
            let cost = by_cases(&distance, &mut |part| {
                let amount = half_square(part);
                if amount != Expr::int(0) && !amounts.contains(&amount) {
                    amounts.push(amount.clone());
                }
                amount
            });
            push(distance, cost, amounts);
        }
        found.push(null);
        found
    }

    /// The loss that a claim which is a number pays for, rounded down.
    fn whole_loss(&self) -> Option<Expr> {
        const PARTS: f64 = 1e6;
        let claimed = number(&self.claim.epsilon)?;
        let root = (2.0 * cast_down(&claimed)).sqrt();
        let most = rational_from_f64((root * PARTS).floor() - 1.0)?;
        Some(Expr::Number(most / rational_from_f64(PARTS)?))
    }
}

/// ln(a/b), case by case.
fn loss(a: &Expr, b: &Expr) -> Expr {
    match (a, b) {
        (Expr::If(g, a, c), Expr::If(h, b, d)) if g == h => (**g).clone().choose(loss(a, b), loss(c, d)),
        _ if a == b => Expr::int(0),
        (Expr::Unary(Unary::Exp, exponent), one) if *one == Expr::int(1) => (**exponent).clone(),
        _ => (a.clone() / b.clone()).ln(),
    }
}

fn by_cases(e: &Expr, of: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    match e {
        Expr::If(guard, yes, no) => (**guard).clone().choose(by_cases(yes, of), by_cases(no, of)),
        _ => of(e),
    }
}

fn half_square(loss: &Expr) -> Expr {
    divided(product(loss.clone(), loss.clone()), &Expr::int(2))
}
