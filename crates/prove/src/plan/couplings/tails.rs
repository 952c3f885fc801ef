//! Draws whose tails are given up, where a claim gives up mass; and noise that is held between bounds, which are its tails.

use std::collections::BTreeMap;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary};
use probity_kernel::term::{Adjacency, Coupling, Distribution, Statement};

use crate::algebra::{divided, map, mentions, minus, plus, product};
use crate::derivation::{Move, Tail, without_tails};
use crate::plan::blocks::{for_each_assignment, set_by_draws};
use crate::plan::couplings::{Candidate, Guesser, MOST_USES};

/// How a draw may be cut: the rule, and how many times what is given up is e^(−t/scale) for the distance t, as a fraction.
type Cut<'a> = (&'a dyn Fn(Coupling, Expr) -> Move, (Expr, i64));

impl Guesser<'_> {
    /// The couplings of a Laplace draw, first with a tail given up. The thresholds that a draw is compared with belong to one side: where
    /// it is enough to `meet` one from below, or to stay at one to be below it, the tail is given up with the place where it begins.
    pub(in crate::plan) fn with_tails(
        &self,
        var: &Name,
        found: Vec<Candidate>,
        scale: &Expr,
        meet: (bool, bool),
    ) -> Vec<Candidate> {
        let times = |n: i64| (Expr::int(n), 1);
        let low = |coupling, at| Move::Tail(Tail::Low, coupling, at);
        let low_from = |coupling, at| Move::Tail(Tail::LowFrom, coupling, at);
        let open: [Cut<'_>; 2] = [(&Move::Under, times(2)), (&Move::Under, times(1))];
        let closed: [Cut<'_>; 3] = [(&Move::UpTo, times(1)), (&Move::Below, times(2)), (&low, times(2))];
        let mut cuts = if meet.0 { open.to_vec() } else { vec![] };
        cuts.extend(closed);
        if meet.1 {
            cuts.push((&low_from, times(2)));
        }
        self.in_order(var, self.cut_in_portions((var, scale), &found, &cuts), found)
    }

    /// The same on the integers, where one place has as much mass as all beyond it.
    pub(in crate::plan) fn with_integer_tails(
        &self,
        var: &Name,
        found: Vec<Candidate>,
        scale: &Expr,
    ) -> Vec<Candidate> {
        let ratio = minus(Expr::int(0), divided(Expr::int(1), scale)).exp();
        let around = plus(Expr::int(1), ratio);
        let exact = |coupling, at| Move::Tail(Tail::Exact, coupling, at);
        let both = |coupling, at| Move::Tail(Tail::Exacts, coupling, at);
        let low = |coupling, at| Move::Tail(Tail::LowExact, coupling, at);
        let low_from = |coupling, at| Move::Tail(Tail::LowFrom, coupling, at);
        let all: [Cut<'_>; 5] = [
            (&Move::Under, (Expr::int(1), 1)),
            (&exact, (around.clone(), 1)),
            (&both, (around.clone(), 2)),
            (&low_from, (Expr::int(1), 1)),
            (&low, (around, 1)),
        ];
        self.in_order(var, self.cut_in_portions((var, scale), &found, &all), found)
    }

    /// The couplings with each portion of what the claim gives up, given up in each of some ways.
    fn cut_in_portions(
        &self,
        (var, scale): (&Name, &Expr),
        found: &[Candidate],
        ways: &[Cut<'_>],
    ) -> Vec<Candidate> {
        let mut cuts = Vec::new();
        for portion in self.portions(var) {
            for (step, times) in ways {
                for tail in self.tails(scale, &portion, times) {
                    cuts.extend(self.cut(found, &tail, step));
                }
            }
        }
        cuts
    }

    /// Draws are cut that are compared with something or held between bounds; of others that is tried last.
    fn in_order(&self, var: &Name, cuts: Vec<Candidate>, found: Vec<Candidate>) -> Vec<Candidate> {
        match self.is_held(var) {
            true => [cuts, found].concat(),
            false => [found, cuts].concat(),
        }
    }

    /// The couplings of noise on one side: it moves up, also with its far tail given up; or it moves down, where what it would
    /// leave behind is given up.
    pub(in crate::plan) fn with_one_sided_tails(
        &self,
        var: &Name,
        found: Vec<Candidate>,
        scale: &Expr,
    ) -> Vec<Candidate> {
        if self.claim.delta == Expr::int(0) || !self.is_public(scale) {
            return found;
        }
        let start = |coupling, at| Move::Tail(Tail::Start, coupling, at);
        let far = |coupling, at| Move::Tail(Tail::Far, coupling, at);
        let mut cuts = Vec::new();
        for span in self.distances().into_iter().filter(|span| self.is_public(span)) {
            cuts.extend(self.cut(&found, &span, &start));
        }
        cuts.extend(self.cut_in_portions((var, scale), &found, &[(&far, (Expr::int(1), 1))]));
        // Where nothing has to be given up it is not.
        [found, cuts].concat()
    }

    /// Uniform noise that is moved as the totals that it is part of need it, with what leaves its range given up.
    pub(in crate::plan) fn uniform(&self, var: &Name, low: Option<&Expr>) -> Vec<Candidate> {
        if self.claim.delta == Expr::int(0) {
            return vec![];
        }
        let moves = match low {
            // What is drawn around a place that differs stays where it is.
            Some(low) if self.first(low) != self.second(low) => vec![Expr::int(0)],
            _ => self.moves_of_totals(var),
        };
        let mut found = Vec::new();
        for portion in self.portions(var) {
            for by in &moves {
                let coupling = Coupling::Shift { by: by.clone(), cost: Expr::int(0) };
                let step = Move::Tail(Tail::Uniform, coupling, portion.clone());
                found.push(Candidate { step, amounts: vec![] });
            }
        }
        found
    }

    /// A coin of which one side is given up, as likely as the claim's delta or a part of it.
    pub(in crate::plan) fn sides(&self, var: &Name) -> Vec<Candidate> {
        let mut found = Vec::new();
        for portion in self.portions(var) {
            for side in [Tail::Yes, Tail::No] {
                let step = Move::Tail(side, Coupling::Null, portion.clone());
                found.push(Candidate { step, amounts: vec![] });
            }
        }
        found
    }

    /// A few of the couplings, with a tail given up.
    fn cut(&self, found: &[Candidate], tail: &Expr, step: &dyn Fn(Coupling, Expr) -> Move) -> Vec<Candidate> {
        let up_to = |c: &Candidate| match &c.step {
            Move::Draw(coupling @ (Coupling::Shift { .. } | Coupling::Null)) => {
                let step = step(coupling.clone(), tail.clone());
                Some(Candidate { step, amounts: c.amounts.clone() })
            }
            _ => None,
        };
        found.iter().filter_map(up_to).take(MOST_USES).collect()
    }

    /// What one draw may give up: all that the claim does, or half of it where two rows are in the tables of one run only, each of
    /// which gives up its part; else its share, as one of several draws, or what the claim adds up.
    fn portions(&self, var: &Name) -> Vec<Expr> {
        let delta = &self.claim.delta;
        if *delta == Expr::int(0) {
            return vec![];
        }
        let replaced = |clause: &Adjacency| matches!(clause, Adjacency::RowReplaced { .. });
        let mechanism = self.context.mechanism();
        let whole = match mechanism.adjacency.iter().any(replaced) {
            true => divided(delta.clone(), &Expr::int(2)),
            false => delta.clone(),
        };
        let mut found = vec![whole];
        let mut add = |portion: Expr| {
            if found.len() < MOST_PORTIONS && !found.contains(&portion) {
                found.push(portion);
            }
        };
        let (mut addends, drawn) = (Vec::new(), set_by_draws(&mechanism.body));
        collect_addends(delta, &mut addends);
        let (count, draws) = (addends.len(), drawn.len() as i64);
        if count > 1 {
            // The first for the first draw, and so on.
            let place = drawn.iter().position(|name| name == var).unwrap_or_default();
            addends.rotate_left(place % count);
            addends.into_iter().for_each(&mut add);
        }
        if (2..=MOST_SHARING).contains(&draws) {
            add(divided(delta.clone(), &Expr::int(draws)));
        }
        found
    }

    /// The distances t from its center for which e^(−t/scale) is so many times a portion.
    fn tails(&self, scale: &Expr, portion: &Expr, (times, parts): &(Expr, i64)) -> Vec<Expr> {
        if !self.is_public(scale) {
            return vec![];
        }
        let inside = exponent(portion);
        // What else an exponential is multiplied with is for the claim to say.
        let plain = inside.is_some() && !matches!((portion, times), (Expr::Unary(..), Expr::Number(_)));
        let mut rates: Vec<Expr> = inside.into_iter().map(|inside| minus(Expr::int(0), inside)).collect();
        if !plain && (*times != Expr::int(1) || rates.is_empty()) {
            // exp(ln(δ)) is δ; written with 1/δ it would have to be shown.
            let (top, bottom) = match portion {
                Expr::Binary(Binary::Div, top, bottom) => ((**top).clone(), (**bottom).clone()),
                whole => (whole.clone(), Expr::int(1)),
            };
            let bottom = product(Expr::int(*parts), bottom);
            rates.push(minus(Expr::int(0), divided(product(times.clone(), top), &bottom).ln()));
        }
        rates.into_iter().map(|rate| stretched(rate, scale)).collect()
    }
}

/// The ways to follow a draw up to a place that a hint names: above its center, for half the mass, or on both sides.
pub(in crate::plan) fn cut_at(law: &Distribution, coupling: &Coupling, at: &Expr) -> Vec<Candidate> {
    let tail = |way| Move::Tail(way, coupling.clone(), at.clone());
    let under = || Move::Under(coupling.clone(), at.clone());
    let moves = match law {
        Distribution::DiscreteLaplace { .. } => {
            let upper =
                [under(), tail(Tail::Exact), tail(Tail::Exacts), Move::Below(coupling.clone(), at.clone())];
            [upper.as_slice(), &[tail(Tail::LowFrom), tail(Tail::LowExact)]].concat()
        }
        Distribution::Exponential { .. } | Distribution::Geometric { .. } => vec![tail(Tail::Far)],
        Distribution::Laplace { .. } => {
            vec![under(), Move::UpTo(coupling.clone(), at.clone()), tail(Tail::LowFrom)]
        }
        _ => vec![Move::UpTo(coupling.clone(), at.clone())],
    };
    moves.into_iter().map(|step| Candidate { step, amounts: vec![] }).collect()
}

/// A rate times a scale.
fn stretched(rate: Expr, scale: &Expr) -> Expr {
    // Without a quotient where the scale is one over a factor of the rate.
    match (scale, &rate) {
        (Expr::Binary(Binary::Div, one, d), Expr::Binary(Binary::Mul, a, b)) if **one == Expr::int(1) => {
            match (a == d, b == d) {
                (true, _) => (**b).clone(),
                (_, true) => (**a).clone(),
                _ => product(rate.clone(), scale.clone()),
            }
        }
        _ => product(rate, scale.clone()),
    }
}

/// What the draws of some moves give up, for the rounds of a loop that are named, or for one round.
pub(crate) fn given_up(body: &[Statement], moves: &[Move]) -> Expr {
    let mut rest = body;
    let mut sum = Expr::int(0);
    for step in moves {
        let (now, later) = rest.split_at(step.size().min(rest.len()));
        rest = later;
        let inner = match (step, now.first()) {
            (_, Some(Statement::Draw { law, .. })) if !matches!(step, Move::Split(..)) => mass(step, law),
            (Move::Split(_, yes, no), _) => given_up(now, yes).max(given_up(now, no)),
            (Move::If(yes, no), Some(Statement::If { then, otherwise, .. })) => {
                plus(given_up(then, yes), given_up(otherwise, no))
            }
            (Move::For(_, inner), Some(Statement::For { body, .. })) => given_up(body, inner),
            (Move::ForOnce(_, rounds, inner), Some(Statement::For { body, .. })) => {
                product(Expr::int(rounds.len() as i64), given_up(body, inner))
            }
            _ => Expr::int(0),
        };
        sum = plus(sum, inner);
    }
    sum
}

/// What a draw gives up.
fn mass(step: &Move, law: &Distribution) -> Expr {
    let scale = match law {
        Distribution::Laplace { scale, .. }
        | Distribution::DiscreteLaplace { scale, .. }
        | Distribution::Exponential { scale }
        | Distribution::Geometric { scale } => scale.clone(),
        _ => Expr::int(1),
    };
    let power = |t: &Expr| minus(Expr::int(0), divided(t.clone(), &scale)).exp();
    let exact = |t: &Expr| divided(power(t), &plus(Expr::int(1), power(&Expr::int(1))));
    match step {
        Move::UpTo(_, t) | Move::Tail(Tail::Far, _, t) => power(t),
        Move::Below(_, t) | Move::Under(_, t) => match law {
            Distribution::Laplace { .. } => divided(power(t), &Expr::int(2)),
            _ => power(t),
        },
        Move::Tail(Tail::Low | Tail::LowFrom, _, t) => match law {
            Distribution::Laplace { .. } => divided(power(t), &Expr::int(2)),
            _ => power(t),
        },
        Move::Tail(Tail::Exact | Tail::LowExact, _, t) => exact(t),
        Move::Tail(Tail::Exacts, _, t) => product(Expr::int(2), exact(t)),
        Move::Tail(Tail::Start, _, t) => minus(Expr::int(1), power(t)),
        Move::Tail(Tail::Uniform | Tail::Yes | Tail::No, _, share) => share.clone(),
        _ => Expr::int(0),
    }
}

/// The most portions of what a claim gives up that are tried for a draw.
const MOST_PORTIONS: usize = 4;
/// The most draws that share alike what a claim gives up.
const MOST_SHARING: i64 = 6;

fn collect_addends(e: &Expr, found: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::Add, a, b) => {
            collect_addends(a, found);
            collect_addends(b, found);
        }
        _ => found.push(e.clone()),
    }
}

/// The exponent of a product or quotient with one exponential in it, besides the denominator 1 + exp(…) of noise on the integers.
fn exponent(e: &Expr) -> Option<Expr> {
    match e {
        Expr::Unary(Unary::Exp, inside) => Some((**inside).clone()),
        Expr::Binary(Binary::Mul, a, b) => match (exponent(a), exponent(b)) {
            (Some(inside), None) | (None, Some(inside)) => Some(inside),
            _ => None,
        },
        Expr::Binary(Binary::Div, a, b) => match (exponent(a), exponent(b)) {
            (Some(inside), None) => Some(inside),
            (None, Some(inside)) => Some(minus(Expr::int(0), inside)),
            _ => None,
        },
        _ => None,
    }
}

/// A proof that cuts several draws for every pair of inputs, as one that cuts each of them where its center differs, and none of
/// the others then.
pub(crate) fn split(context: &Context, moves: &[Move], centers: &[Option<Expr>]) -> Option<Vec<Move>> {
    let is_cut =
        |step: &Move| matches!(step, Move::UpTo(..) | Move::Below(..) | Move::Under(..) | Move::Tail(..));
    let places: Vec<usize> = (0..moves.len()).filter(|&at| is_cut(&moves[at])).collect();
    if !(2..=MOST_SPLIT).contains(&places.len()) {
        return None;
    }
    // All but the cut of one place are taken out.
    let only = |place: usize| -> Vec<Move> {
        let one = |(at, step): (usize, &Move)| match at == place {
            true => vec![step.clone()],
            false => without_tails(std::slice::from_ref(step)),
        };
        moves.iter().enumerate().flat_map(one).collect()
    };
    let (last, before) = places.split_last()?;
    let mut rest = only(*last);
    for place in before.iter().rev() {
        let center = centers.get(*place)?.as_ref()?;
        let differs = context.in_run(center, Run::First).differs(context.in_run(center, Run::Second));
        rest = vec![Move::Split(differs, only(*place), rest)];
    }
    Some(rest)
}

/// The most draws of which one is cut for each pair of inputs.
const MOST_SPLIT: usize = 4;

/// The expression without the bounds that hold what is made of a draw: clamps, minima, maxima, and choices that ask about
/// the draw and have it on one side only.
pub(crate) fn unbounded(e: &Expr, var: &Name) -> Expr {
    if !mentions(e, var) {
        return e.clone();
    }
    let has = |part: &Expr| mentions(part, var);
    let inside = match e {
        Expr::Clamp(a, low, high) if !has(low) && !has(high) => a,
        Expr::Binary(Binary::Min | Binary::Max, a, b) if has(a) != has(b) => {
            if has(a) {
                a
            } else {
                b
            }
        }
        Expr::If(guard, a, b) if has(guard) && has(a) != has(b) => {
            if has(a) {
                a
            } else {
                b
            }
        }
        _ => return map(e, &|part| unbounded(part, var)),
    };
    unbounded(inside, var)
}

/// The variables that are set to something made of a draw in one place, and to other values elsewhere: bounds, by cases.
pub(crate) fn set_by_cases(body: &[Statement], var: &Name) -> BTreeMap<Name, Expr> {
    let mut values: BTreeMap<Name, Vec<Expr>> = BTreeMap::new();
    for_each_assignment(body, &mut |name, value| values.entry(name.clone()).or_default().push(value.clone()));
    let mut found = BTreeMap::new();
    for (name, values) in values {
        let own: Vec<&Expr> = values.iter().filter(|value| mentions(value, var)).collect();
        if let ([value], true) = (own.as_slice(), values.len() > 1)
            && !mentions(value, &name)
        {
            found.insert(name, (*value).clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_left_out_and_nothing_else() {
        let (x, z, t) = (Expr::var("x"), Expr::var("z"), Expr::var("t"));
        let noise = Name::from("z");
        let sum = x.clone() + z.clone();
        let clamped = x.clone() + z.clone().clamp(-t.clone(), t.clone());
        assert_eq!(unbounded(&clamped, &noise), sum);
        assert_eq!(unbounded(&(x.clone() + t.clone().min(z.clone()).max(-t.clone())), &noise), sum);
        let chosen = z.clone().gt(t.clone()).choose(t.clone(), z.clone());
        assert_eq!(unbounded(&(x.clone() + chosen), &noise), sum);
        // Bounds of something else, and bounds that are made of the draw, stay.
        let other = x.clone().clamp(-t.clone(), t.clone()) + z.clone();
        assert_eq!(unbounded(&other, &noise), other);
        let own = x.clamp(-z.clone(), z);
        assert_eq!(unbounded(&own, &noise), own);
    }
}
