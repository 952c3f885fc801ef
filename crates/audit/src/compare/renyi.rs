//! Rényi divergences of two output laws at a few orders, between two bounds.
//!
//! D_α(P ‖ Q) = ln(Σ p·(p/q)^(α−1))/(α − 1). Every term is bounded in directed f64 arithmetic; from below, terms may be left
//! out, and what escaped counts as mass of the other law. From above there is a bound only where nothing escaped.

use probity_exact::{Natural, Rational, directed};

use crate::compare::pair_report::{OutcomeLoss, PairReport, Side};

/// The orders at which divergences are given.
pub const RENYI_ORDERS: [u32; 6] = [2, 3, 4, 8, 16, 32];

/// The divergence of one order, between two bounds: the larger of the two directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renyi {
    /// The order α.
    pub order: u32,
    /// What is certain.
    pub low: f64,
    /// What it is at most; infinite where nothing is known.
    pub high: f64,
}

impl Renyi {
    /// The ρ that the divergence shows for certain, D_α/α.
    pub fn rho(&self) -> f64 {
        directed::div_down(self.low, f64::from(self.order))
    }
}

impl PairReport {
    /// The Rényi divergences at [`RENYI_ORDERS`].
    ///
    /// ```
    /// use probity_audit::{Law, Outcome, PairReport};
    /// use probity_exact::Natural;
    /// let law = |yes: u8, no: u8| Law::exact(
    ///     Natural::from(4u8),
    ///     [(Outcome::Bool(true), yes.into()), (Outcome::Bool(false), no.into())],
    ///     Natural::ZERO,
    /// );
    /// // Σ p²/q = 9/4 + 1/12 = 7/3.
    /// let order_two = PairReport::new(&law(3, 1), &law(1, 3)).renyi()[0];
    /// let truth = (7f64 / 3.0).ln();
    /// assert!(order_two.low <= truth && truth <= order_two.high && order_two.high - order_two.low < 1e-12);
    /// ```
    pub fn renyi(&self) -> Vec<Renyi> {
        RENYI_ORDERS
            .into_iter()
            .map(|order| {
                let [a, b] = [Side::First, Side::Second].map(|side| self.renyi_of(order, side));
                Renyi { order, low: a.0.max(b.0), high: a.1.max(b.1) }
            })
            .collect()
    }

    fn renyi_of(&self, order: u32, side: Side) -> (f64, f64) {
        let power = f64::from(order - 1);
        let unit = Rational::from(self.denominator.clone());
        let share = |mass: &Natural| Rational::from(mass.clone()) / &unit;
        let (mut low, mut high) = (0.0, 0.0);
        for outcome in &self.outcomes {
            let (p, q) = outcome.masses(side);
            let (least, most) = ratio(outcome, side);
            if p.low > Natural::ZERO {
                let factor = directed::exp_down(directed::mul_down(power, least));
                low =
                    directed::add_down(low, directed::mul_down(directed::cast_down(&share(&p.low)), factor));
            }
            if p.high > Natural::ZERO {
                let factor = match q.low > Natural::ZERO {
                    true => directed::exp_up(directed::mul_up(power, most)),
                    false => f64::INFINITY,
                };
                high = directed::add_up(high, directed::mul_up(directed::cast_up(&share(&p.high)), factor));
            }
        }
        if self.escaped_mass > Rational::ZERO {
            high = f64::INFINITY;
        }
        let of_sum = |sum: f64, ln: fn(f64) -> f64| if sum > 0.0 { ln(sum) } else { f64::NEG_INFINITY };
        let low = directed::div_down(of_sum(low, directed::ln_down), power).max(0.0);
        (low, directed::div_up(of_sum(high, directed::ln_up), power))
    }
}

/// Bounds of ln(p/q) from the given side, escaped mass counted.
fn ratio(outcome: &OutcomeLoss, side: Side) -> (f64, f64) {
    let (low, high) = outcome.log_ratio;
    match side {
        Side::First => (low, high),
        Side::Second => (-high, -low),
    }
}
