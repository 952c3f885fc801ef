//! Draws whose tails are given up, where a claim gives up mass; and noise that is held between bounds, which are its tails.

use std::collections::BTreeMap;

use probity_kernel::expr::{Binary, Expr, Name, Unary};
use probity_kernel::term::{Adjacency, Coupling, Statement};

use crate::algebra::{divided, map, mentions, minus, product};
use crate::derivation::Move;
use crate::plan::blocks::for_each_assignment;
use crate::plan::couplings::{Candidate, Guesser, MOST_USES};

impl Guesser<'_> {
    /// The couplings of a Laplace draw, first with a tail given up. `met` says that a threshold itself is enough to pass it.
    pub(super) fn with_tails(&self, found: Vec<Candidate>, scale: &Expr, met: bool) -> Vec<Candidate> {
        let (whole, twice) = (Expr::int(1), Expr::int(2));
        let cut =
            |times: &Expr, step: fn(Coupling, Expr) -> Move| self.cut(&found, self.tail(scale, times), step);
        let open = if met { [cut(&twice, Move::Under), cut(&whole, Move::Under)].concat() } else { vec![] };
        let both = cut(&whole, Move::UpTo);
        let upper = cut(&twice, Move::Below);
        [open, both, upper, found].concat()
    }

    /// The same on the integers, where one place has as much mass as all beyond it.
    pub(super) fn with_integer_tails(
        &self,
        found: Vec<Candidate>,
        scale: &Expr,
        met: bool,
    ) -> Vec<Candidate> {
        let step = if met { Move::Under } else { Move::Below };
        let upper = self.cut(&found, self.tail(scale, &Expr::int(1)), step);
        [upper, found].concat()
    }

    /// A few of the couplings, with a tail given up.
    fn cut(
        &self,
        found: &[Candidate],
        tail: Option<Expr>,
        step: fn(Coupling, Expr) -> Move,
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

    /// The distance t from its center for which e^(−t/scale) is so many times what the claim gives up; half of that where
    /// two rows are in the tables of one run only, each of which gives up its part.
    fn tail(&self, scale: &Expr, times: &Expr) -> Option<Expr> {
        if self.claim.delta == Expr::int(0) || !self.is_public(scale) {
            return None;
        }
        let replaced = |clause: &Adjacency| matches!(clause, Adjacency::RowReplaced { .. });
        let shares = match self.context.mechanism().adjacency.iter().any(replaced) {
            true => Expr::int(2),
            false => Expr::int(1),
        };
        let rate = match &self.claim.delta {
            Expr::Unary(Unary::Exp, inside) if *times == shares => minus(Expr::int(0), (**inside).clone()),
            // exp(ln(δ)) is δ; written with 1/δ it would have to be shown.
            delta => minus(Expr::int(0), divided(product(times.clone(), delta.clone()), &shares).ln()),
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
