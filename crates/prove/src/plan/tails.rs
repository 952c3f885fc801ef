//! Draws whose tails are given up, where a claim gives up mass; and noise that is held between bounds, which are its tails.

use std::collections::BTreeMap;

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary};
use probity_kernel::term::{Adjacency, Coupling, Statement};

use crate::algebra::{divided, map, mentions, minus, plus, product};
use crate::derivation::{Move, Tail, without_tails};
use crate::plan::blocks::{for_each_assignment, set_by_draws};
use crate::plan::couplings::{Candidate, Guesser, MOST_USES};

/// How a draw may be cut: the rule, and how many times what is given up is e^(−t/scale) for the distance t.
type Cut<'a> = (&'a dyn Fn(Coupling, Expr) -> Move, Expr);

impl Guesser<'_> {
    /// The couplings of a Laplace draw, first with a tail given up. `met` says that a threshold itself is enough to pass it.
    pub(super) fn with_tails(&self, found: Vec<Candidate>, scale: &Expr, met: bool) -> Vec<Candidate> {
        let (whole, twice) = (Expr::int(1), Expr::int(2));
        let portions = self.portions();
        let mut cuts = Vec::new();
        for (at, portion) in portions.iter().enumerate() {
            let open: Cut<'_> = (&Move::Under, twice.clone());
            let all = [open, (&Move::Under, whole.clone()), (&Move::UpTo, whole.clone()), (&Move::Below, twice.clone())];
            let all = all.into_iter().skip(if met { 0 } else { 2 });
            // Of a part of what the claim gives up, half is not tried besides.
            for (step, times) in all.filter(|(_, times)| at == 0 || met || *times != whole || portions.len() == 1) {
                cuts.extend(self.cut(&found, self.tail(scale, portion, &times), step));
            }
        }
        [cuts, found].concat()
    }

    /// The same on the integers, where one place has as much mass as all beyond it.
    pub(super) fn with_integer_tails(
        &self,
        found: Vec<Candidate>,
        scale: &Expr,
        met: bool,
    ) -> Vec<Candidate> {
        let step = if met { Move::Under } else { Move::Below };
        let ratio = minus(Expr::int(0), divided(Expr::int(1), scale)).exp();
        let around = plus(Expr::int(1), ratio);
        let exact = |coupling, at| Move::Tail(Tail::Exact, coupling, at);
        let both = |coupling, at| Move::Tail(Tail::Exacts, coupling, at);
        let mut cuts = Vec::new();
        for portion in self.portions() {
            let half = divided(around.clone(), &Expr::int(2));
            let all: [Cut<'_>; 3] = [(&exact, around.clone()), (&both, half), (&step, Expr::int(1))];
            for (step, times) in all {
                cuts.extend(self.cut(&found, self.tail(scale, &portion, &times), step));
            }
        }
        [cuts, found].concat()
    }

    /// The couplings of noise on one side: it moves up, also with its far tail given up; or it moves down, where what it would
    /// leave behind is given up.
    pub(super) fn with_one_sided_tails(&self, found: Vec<Candidate>, scale: &Expr) -> Vec<Candidate> {
        if self.claim.delta == Expr::int(0) || !self.is_public(scale) {
            return found;
        }
        let start = |coupling, at| Move::Tail(Tail::Start, coupling, at);
        let far = |coupling, at| Move::Tail(Tail::Far, coupling, at);
        let mut cuts = Vec::new();
        for span in self.distances().into_iter().filter(|span| self.is_public(span)) {
            cuts.extend(self.cut(&found, Some(span), &start));
        }
        for portion in self.portions() {
            cuts.extend(self.cut(&found, self.tail(scale, &portion, &Expr::int(1)), &far));
        }
        // Where nothing has to be given up it is not.
        [found, cuts].concat()
    }

    /// Uniform noise that is moved as the totals that it is part of need it, with what leaves its range given up.
    pub(super) fn uniform(&self, var: &Name, low: Option<&Expr>) -> Vec<Candidate> {
        if self.claim.delta == Expr::int(0) {
            return vec![];
        }
        let moves = match low {
            // What is drawn around a place that differs stays where it is.
            Some(low) if self.first(low) != self.second(low) => vec![Expr::int(0)],
            _ => self.moves_of_totals(var),
        };
        let mut found = Vec::new();
        for portion in self.portions() {
            for by in &moves {
                let coupling = Coupling::Shift { by: by.clone(), cost: Expr::int(0) };
                let step = Move::Tail(Tail::Uniform, coupling, portion.clone());
                found.push(Candidate { step, amounts: vec![] });
            }
        }
        found
    }

    /// A few of the couplings, with a tail given up.
    fn cut(
        &self,
        found: &[Candidate],
        tail: Option<Expr>,
        step: &dyn Fn(Coupling, Expr) -> Move,
    ) -> Vec<Candidate> {
        let Some(tail) = tail else { return vec![] };
        let up_to = |c: &Candidate| match &c.step {
            Move::Draw(coupling @ Coupling::Shift { .. }) => {
                let step = step(coupling.clone(), tail.clone());
                Some(Candidate { step, amounts: c.amounts.clone() })
            }
            _ => None,
        };
        found.iter().filter_map(up_to).take(MOST_USES).collect()
    }

    /// What one draw may give up: all that the claim does, or half of it where two rows are in the tables of one run only, each of
    /// which gives up its part; else its share, as one of several draws, or what the claim adds up.
    fn portions(&self) -> Vec<Expr> {
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
        let mut addends = Vec::new();
        collect_addends(delta, &mut addends);
        if addends.len() > 1 {
            addends.into_iter().for_each(&mut add);
        }
        let draws = set_by_draws(&mechanism.body).len() as i64;
        if (2..=MOST_SHARING).contains(&draws) {
            add(divided(delta.clone(), &Expr::int(draws)));
        }
        found
    }

    /// The distance t from its center for which e^(−t/scale) is so many times a portion.
    fn tail(&self, scale: &Expr, portion: &Expr, times: &Expr) -> Option<Expr> {
        if !self.is_public(scale) {
            return None;
        }
        let rate = match exponent(portion) {
            // What else it is multiplied with is for the claim to say.
            Some(inside) => minus(Expr::int(0), inside),
            // exp(ln(δ)) is δ; written with 1/δ it would have to be shown.
            None => {
                let (top, bottom) = match portion {
                    Expr::Binary(Binary::Div, top, bottom) => ((**top).clone(), (**bottom).clone()),
                    whole => (whole.clone(), Expr::int(1)),
                };
                minus(Expr::int(0), divided(product(times.clone(), top), &bottom).ln())
            }
        };
        // rate · scale, without a quotient where the scale is one over a factor of the rate.
        Some(match (scale, &rate) {
            (Expr::Binary(Binary::Div, one, d), Expr::Binary(Binary::Mul, a, b)) if **one == Expr::int(1) => {
                match (a == d, b == d) {
                    (true, _) => (**b).clone(),
                    (_, true) => (**a).clone(),
                    _ => product(rate.clone(), scale.clone()),
                }
            }
            _ => product(rate, scale.clone()),
        })
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
