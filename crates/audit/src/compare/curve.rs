//! The ε-DP divergence of two laws at any ε, from one pass over their outcomes.

use std::cmp::Ordering;

use probity_exact::{Integer, Natural, Rational, UnsignedAbs, directed};

use crate::compare::pair_report::{OutcomeLoss, Side, quick_log_ratio};
use crate::output::bounds::Bounds;

/// The outcomes of one side by falling loss, with sums of masses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    side: Side,
    rows: Vec<Row>,
    /// Sums of the lower mass of this side and of the upper mass of the other, over the outcomes before each.
    sums: Vec<(Natural, Natural)>,
    /// The same with upper and lower bounds exchanged.
    opposite_sums: Vec<(Natural, Natural)>,
    /// The widest of the bounds.
    width: f64,
}

/// One outcome: its place among all of them, and bounds of its loss without regard to escaped mass.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    place: usize,
    low: f64,
    high: f64,
}

impl Curve {
    pub(crate) fn new(outcomes: &[OutcomeLoss], side: Side) -> Curve {
        let mut rows: Vec<Row> = outcomes
            .iter()
            .enumerate()
            .map(|(place, outcome)| {
                let (p, q) = outcome.masses(side);
                let (low, high) = quick_log_ratio(p, q);
                Row { place, low, high }
            })
            .collect();
        rows.sort_by(|a, b| b.low.partial_cmp(&a.low).unwrap_or(Ordering::Equal));
        let mut sums = vec![(Natural::ZERO, Natural::ZERO)];
        let mut opposite_sums = sums.clone();
        let mut width = 0f64;
        for Row { place, low, high } in &rows {
            let (p, q) = outcomes[*place].masses(side);
            if let (Some(a), Some(b)) = (sums.last(), opposite_sums.last()) {
                let (next, opposite) = ((&a.0 + &p.low, &a.1 + &q.high), (&b.0 + &p.high, &b.1 + &q.low));
                sums.push(next);
                opposite_sums.push(opposite);
            }
            if low.is_finite() && high.is_finite() {
                width = width.max(directed::sub_up(*high, *low));
            } else if low != high {
                width = f64::INFINITY;
            }
        }
        Curve { side, rows, sums, opposite_sums, width }
    }

    /// Bounds of Σ max(0, p − e^ε q), in units, where e^ε lies between the two factors. Outcomes whose bounds lie above ε
    /// are summed at once; those that ε falls into are looked at one by one; the others contribute nothing. The
    /// outcomes are those that the curve was made of.
    pub(crate) fn divergence(
        &self,
        outcomes: &[OutcomeLoss],
        epsilon: &Rational,
        factor_low: &Rational,
        factor_high: &Rational,
        escaped: (&Natural, &Natural),
    ) -> Bounds {
        let threshold = directed::cast_up(epsilon);
        let certain = self.rows.partition_point(|row| row.low > threshold);
        let mut low = Difference::new(factor_high);
        low.add(&self.sums[certain].0, &self.sums[certain].1);
        let mut high = Difference::new(factor_low);
        high.add(&self.opposite_sums[certain].0, &self.opposite_sums[certain].1);
        let end = directed::sub_down(directed::cast_down(epsilon), self.width);
        for row in self.rows[certain..].iter().take_while(|row| row.low >= end) {
            let (p, q) = outcomes[row.place].masses(self.side);
            low.add_positive(&p.low, &q.high);
            high.add_positive(&p.high, &q.low);
        }
        // Escaped mass of the other side may lie on the chosen outcomes; escaped mass of this side anywhere.
        low.add(&Natural::ZERO, escaped.1);
        high.add(escaped.0, &Natural::ZERO);
        Bounds { low: low.value(), high: high.value() }
    }
}

/// A sum of differences p − factor·q, over the denominator of the factor.
struct Difference {
    factor: (Natural, Natural),
    sum: Integer,
}

impl Difference {
    /// The factor is a power of e, and positive.
    fn new(factor: &Rational) -> Difference {
        let factor = (factor.numerator().unsigned_abs(), factor.denominator().clone());
        Difference { factor, sum: Integer::ZERO }
    }

    fn scaled(&self, p: &Natural, q: &Natural) -> Integer {
        Integer::from(p * &self.factor.1) - Integer::from(q * &self.factor.0)
    }

    fn add(&mut self, p: &Natural, q: &Natural) {
        self.sum += self.scaled(p, q);
    }

    fn add_positive(&mut self, p: &Natural, q: &Natural) {
        self.sum += self.scaled(p, q).max(Integer::ZERO);
    }

    fn value(self) -> Rational {
        Rational::from_parts(self.sum.max(Integer::ZERO), self.factor.1)
    }
}
