//! Two output laws side by side: the loss of every outcome, the worst one, and the hockey-stick curve.
//!
//! Everything here is a lower bound of what the mechanism loses: other inputs may show more.

use std::sync::OnceLock;

use dashu_base::BitTest;
use probity_exact::{Integer, Natural, Rational, directed, exp_bounds, ln_bounds};

use crate::compare::curve::Curve;
use crate::output::bounds::Bounds;
use crate::output::law::{Law, Mass};
use crate::output::outcome::Outcome;

/// Which of the two inputs an outcome is more likely under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first input.
    First,
    /// The second input.
    Second,
}

/// One outcome under both inputs. Probabilities are in units of the report's denominator.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeLoss {
    /// The outcome.
    pub outcome: Outcome,
    /// Its mass under the first input.
    pub first: Mass,
    /// Its mass under the second input.
    pub second: Mass,
    /// ln(first/second) lies between these; infinite when one side is impossible.
    pub log_ratio: (f64, f64),
}

/// The worst outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Worst {
    /// The outcome.
    pub outcome: Outcome,
    /// Under which input it is more likely.
    pub side: Side,
    /// The logarithm of the ratio of its probabilities, to about 100 bits. The lower end is shown for certain.
    pub loss: Bounds,
    /// Whether the upper end bounds the loss. It does not where mass escaped and nothing is certain of the outcome under the
    /// other input, which may be impossible there: the upper end is then the lower one.
    pub bounded: bool,
}

/// What two output laws show. A lower bound: other inputs may show more.
///
/// ```
/// use probity_audit::{Law, Outcome, PairReport};
/// use probity_exact::{Natural, fraction};
/// let law = |yes: u8, no: u8| Law::exact(
///     Natural::from(4u8),
///     [(Outcome::Bool(true), yes.into()), (Outcome::Bool(false), no.into())],
///     Natural::ZERO,
/// );
/// let report = PairReport::new(&law(3, 1), &law(1, 3));
/// assert_eq!(report.worst.as_ref().unwrap().loss.to_f64(), 3f64.ln());
/// // Half the mass of an outcome is beyond a loss of 0: δ(0) is the distance in total variation.
/// assert_eq!(report.delta(&fraction::<0, 1>()).low, fraction::<1, 2>());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairReport {
    /// Probabilities are counted in units of one over this.
    pub denominator: Natural,
    /// Every outcome of either side, in order.
    pub outcomes: Vec<OutcomeLoss>,
    /// The outcome with the largest finite loss that is certain; `None` when every outcome is impossible on one side.
    pub worst: Option<Worst>,
    /// Outcomes with positive probability on one side and none on the other, with that side.
    pub impossible: Vec<(Outcome, Side)>,
    /// The largest mass that one side gives to outcomes that the other side cannot produce.
    pub impossible_mass: Rational,
    /// The larger of the two laws' escaped masses.
    pub escaped_mass: Rational,
    /// Escaped masses of the two laws, in units.
    escaped: (Natural, Natural),
    /// For the divergences of the two sides, made when first asked for.
    curves: OnceLock<[Curve; 2]>,
}

impl OutcomeLoss {
    /// The masses under the given side's input and under the other.
    pub(crate) fn masses(&self, side: Side) -> (&Mass, &Mass) {
        match side {
            Side::First => (&self.first, &self.second),
            Side::Second => (&self.second, &self.first),
        }
    }
}

impl PairReport {
    /// Compares the law of the first input with the law of the second.
    pub fn new(first: &Law, second: &Law) -> PairReport {
        PairReport::deciding(first, second, &mut |_, _| false)
    }

    /// The same where some outcomes that one law lists and the other does not are known to be impossible there, though mass escaped from
    /// it: `excludes` answers whether the input of a side cannot lead to an outcome.
    pub(crate) fn deciding(
        first: &Law,
        second: &Law,
        excludes: &mut dyn FnMut(Side, &Outcome) -> bool,
    ) -> PairReport {
        let (first, second) = first.over_common_denominator(second);
        let zero = Mass { low: Natural::ZERO, high: Natural::ZERO };
        let mut all: Vec<&Outcome> = first.masses().keys().chain(second.masses().keys()).collect();
        all.sort_unstable();
        all.dedup();
        let escaped = (first.escaped().clone(), second.escaped().clone());
        let mut impossible: Vec<(Outcome, Side)> = Vec::new();
        let outcomes: Vec<OutcomeLoss> = all
            .into_iter()
            .map(|outcome| {
                let p = first.masses().get(outcome).unwrap_or(&zero).clone();
                let q = second.masses().get(outcome).unwrap_or(&zero).clone();
                let mut none = |side: Side, mass: &Mass, of_other: &Mass, escaped: &Natural| {
                    let unlisted = mass.high.is_zero() && !of_other.low.is_zero();
                    unlisted && (escaped.is_zero() || excludes(side, outcome))
                };
                let log_ratio = if none(Side::Second, &q, &p, &escaped.1) {
                    impossible.push((outcome.clone(), Side::First));
                    (f64::INFINITY, f64::INFINITY)
                } else if none(Side::First, &p, &q, &escaped.0) {
                    impossible.push((outcome.clone(), Side::Second));
                    (f64::NEG_INFINITY, f64::NEG_INFINITY)
                } else {
                    quick_log_ratio(&with_escaped(&p, &escaped.0), &with_escaped(&q, &escaped.1))
                };
                OutcomeLoss { outcome: outcome.clone(), first: p, second: q, log_ratio }
            })
            .collect();
        let lost = |side: Side, law: &Law| -> Natural {
            let masses =
                impossible.iter().filter(|(_, s)| *s == side).filter_map(|(o, _)| law.masses().get(o));
            masses.map(|mass| &mass.low).sum()
        };
        let impossible_mass = first.fraction(&lost(Side::First, &first).max(lost(Side::Second, &second)));
        let escaped_mass = first.fraction(&escaped.0.clone().max(escaped.1.clone()));
        let worst = worst(&outcomes, &escaped);
        PairReport {
            denominator: first.denominator().clone(),
            outcomes,
            worst,
            impossible,
            impossible_mass,
            escaped_mass,
            escaped,
            curves: OnceLock::new(),
        }
    }

    /// How many outcomes the first input can lead to for certain.
    pub fn outcomes_of_first(&self) -> usize {
        self.outcomes.iter().filter(|o| o.first.low > Natural::ZERO).count()
    }

    /// The worst finite loss minus `epsilon`, to about 100 bits: the claim fails on this pair where the lower end is positive. As
    /// for [`Worst::loss`], the upper end is one only where that loss is bounded.
    pub fn excess(&self, epsilon: &Rational) -> Option<Bounds> {
        let loss = &self.worst.as_ref()?.loss;
        Some(Bounds { low: &loss.low - epsilon, high: &loss.high - epsilon })
    }

    /// The same where ε is known within bounds.
    pub fn excess_within(&self, epsilon: &Bounds) -> Option<Bounds> {
        Some(Bounds { low: self.excess(&epsilon.high)?.low, high: self.excess(&epsilon.low)?.high })
    }

    /// Whether the pair is certain to violate ε-differential privacy with δ = 0.
    pub fn violates(&self, epsilon: &Rational) -> bool {
        !self.impossible.is_empty() || self.worst.as_ref().is_some_and(|worst| worst.loss.low > *epsilon)
    }

    /// δ(ε), the hockey-stick divergence: the larger of Δ_ε(first, second) and Δ_ε(second, first). The lower end is
    /// shown for certain, escaped mass or not.
    pub fn delta(&self, epsilon: &Rational) -> Bounds {
        let forward = self.divergence(epsilon, Side::First);
        let backward = self.divergence(epsilon, Side::Second);
        Bounds { low: forward.low.max(backward.low), high: forward.high.max(backward.high) }
    }

    /// The ε-DP divergence sup_E (μ1(E) − e^ε·μ2(E)), where μ1 is the law of the given side.
    pub fn divergence(&self, epsilon: &Rational, side: Side) -> Bounds {
        let (low, high) = exp_bounds(epsilon, 100);
        let [first, second] = self.curves.get_or_init(|| {
            [Curve::new(&self.outcomes, Side::First), Curve::new(&self.outcomes, Side::Second)]
        });
        let curve = if side == Side::First { first } else { second };
        let escaped = match side {
            Side::First => (&self.escaped.0, &self.escaped.1),
            Side::Second => (&self.escaped.1, &self.escaped.0),
        };
        let bounds = match (low.to_rational(), high.to_rational()) {
            (Some(low), Some(high)) => curve.divergence(&self.outcomes, epsilon, &low, &high, escaped),
            _ => self.impossible_mass(side, escaped),
        };
        let unit = Rational::from(self.denominator.clone());
        Bounds { low: bounds.low / &unit, high: bounds.high / unit }
    }

    /// The divergence at an ε so large that e^ε has no bounds, in units: what is impossible on the other side counts, and what is
    /// possible does not, since e^ε times a unit is more than all units.
    fn impossible_mass(&self, side: Side, (own, other): (&Natural, &Natural)) -> Bounds {
        let (mut low, mut high) = (Natural::ZERO, own.clone());
        for outcome in &self.outcomes {
            let (p, q) = outcome.masses(side);
            if q.high.is_zero() {
                low += &p.low;
            }
            if q.low.is_zero() {
                high += &p.high;
            }
        }
        // What escaped on the other side may be any of these outcomes.
        if !other.is_zero() {
            low = Natural::ZERO;
        }
        Bounds { low: Rational::from(low), high: Rational::from(high.min(self.denominator.clone())) }
    }

    /// δ(ε) at each ε.
    pub fn delta_curve(&self, epsilons: &[Rational]) -> Vec<Bounds> {
        epsilons.iter().map(|epsilon| self.delta(epsilon)).collect()
    }
}

/// The dilation sup_E (μ1(E) − c·μ2(E/c)) of two laws of numbers, for a rational factor c = e^ε > 0. It is exact when
/// both laws are.
pub fn dilation(first: &Law, second: &Law, factor: &Rational) -> Option<Bounds> {
    if *factor <= Rational::ZERO {
        return None;
    }
    let (first, second) = first.over_common_denominator(second);
    let mut low = Rational::ZERO;
    let mut high = Rational::from(first.escaped().clone());
    for (outcome, p) in first.masses() {
        let image = Outcome::Number(outcome.number()? / factor);
        let zero = Mass { low: Natural::ZERO, high: Natural::ZERO };
        let q = second.masses().get(&image).unwrap_or(&zero);
        let most = Rational::from(&q.high + second.escaped()) * factor;
        let least = Rational::from(q.low.clone()) * factor;
        let nothing = Rational::ZERO;
        low += (Rational::from(p.low.clone()) - most).max(nothing.clone());
        high += (Rational::from(p.high.clone()) - least).max(nothing);
    }
    let unit = Rational::from(first.denominator().clone());
    Some(Bounds { low: low / &unit, high: high / unit })
}

fn with_escaped(mass: &Mass, escaped: &Natural) -> Mass {
    Mass { low: mass.low.clone(), high: &mass.high + escaped }
}

/// `(low, high, e)` with low·2^e ≤ x ≤ high·2^e, where low and high are whole numbers up to 2^53.
fn leading_bits(x: &Natural) -> (f64, f64, i64) {
    let length = x.bit_len();
    let cut = length.saturating_sub(53);
    let kept = u64::try_from(x >> cut).unwrap_or(u64::MAX);
    let exact = x.trailing_zeros().is_none_or(|zeros| zeros >= cut);
    // At most 53 bits: both conversions are exact, also of 2^53.
    (kept as f64, (if exact { kept } else { kept + 1 }) as f64, cut as i64)
}

/// Bounds of ln(p/q) in f64, to about 2^−50.
pub(crate) fn quick_log_ratio(p: &Mass, q: &Mass) -> (f64, f64) {
    let down = if p.low == Natural::ZERO {
        f64::NEG_INFINITY
    } else if q.high == Natural::ZERO {
        f64::INFINITY
    } else {
        quick_ln_quotient(&p.low, &q.high).0
    };
    let up = if q.low == Natural::ZERO {
        f64::INFINITY
    } else if p.high == Natural::ZERO {
        f64::NEG_INFINITY
    } else {
        quick_ln_quotient(&p.high, &q.low).1
    };
    (down, up)
}

fn quick_ln_quotient(n: &Natural, d: &Natural) -> (f64, f64) {
    let (n_low, n_high, n_shift) = leading_bits(n);
    let (d_low, d_high, d_shift) = leading_bits(d);
    let shift = n_shift - d_shift;
    let down = directed::div_down(n_low, d_high);
    let up = directed::div_up(n_high, d_low);
    // Quotients of 53-bit numbers lie within 2^±53, so that a moderate shift is exact.
    if shift.abs() <= 900 {
        let scale = 2f64.powi(shift as i32);
        return (directed::ln_down(down * scale), directed::ln_up(up * scale));
    }
    let ln2 = (directed::ln_down(2.0), directed::ln_up(2.0));
    let shift = shift as f64;
    let (low, high) = if shift < 0.0 {
        (directed::mul_down(shift, ln2.1), directed::mul_up(shift, ln2.0))
    } else {
        (directed::mul_down(shift, ln2.0), directed::mul_up(shift, ln2.1))
    };
    (directed::add_down(directed::ln_down(down), low), directed::add_up(directed::ln_up(up), high))
}

/// Bits of precision of a reported loss.
const LOSS_BITS: u32 = 110;

/// Bounds of ln(n/d) to about 100 bits, from the leading 192 bits of each.
fn precise_ln_quotient(n: &Natural, d: &Natural) -> Option<(Rational, Rational)> {
    let kept = |x: &Natural| {
        let cut = x.bit_len().saturating_sub(192);
        let low = x >> cut;
        let exact = x.trailing_zeros().is_none_or(|zeros| zeros >= cut);
        let high = if exact { low.clone() } else { &low + Natural::ONE };
        (low, high, cut as i64)
    };
    let (n_low, n_high, n_cut) = kept(n);
    let (d_low, d_high, d_cut) = kept(d);
    let quotient = |n: Natural, d: Natural| {
        let shift = n_cut - d_cut;
        let (n, d) = if shift >= 0 { (n << shift as usize, d) } else { (n, d << (-shift) as usize) };
        Rational::from_parts(Integer::from(n), d)
    };
    let low = ln_bounds(&quotient(n_low, d_high), LOSS_BITS)?.0;
    let high = ln_bounds(&quotient(n_high, d_low), LOSS_BITS)?.1;
    Some((low, high))
}

/// The outcome with the largest finite loss on either side.
fn worst(outcomes: &[OutcomeLoss], escaped: &(Natural, Natural)) -> Option<Worst> {
    // The certain loss of an outcome, in f64; impossible outcomes are reported apart.
    let certain = |o: &OutcomeLoss| {
        let finite = |x: f64| if x.is_finite() { x } else { f64::NEG_INFINITY };
        finite(o.log_ratio.0).max(finite(-o.log_ratio.1))
    };
    let best = outcomes.iter().map(certain).fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return None;
    }
    let mut worst: Option<Worst> = None;
    for o in outcomes.iter().filter(|o| certain(o) > f64::NEG_INFINITY) {
        for side in [Side::First, Side::Second] {
            // An outcome whose loss may exceed the largest certain one. With escaped mass the upper ends are wide and
            // the lower ends decide, up to the error of f64.
            let (low, high) = match side {
                Side::First => o.log_ratio,
                Side::Second => (-o.log_ratio.1, -o.log_ratio.0),
            };
            let slack = 1e-14 * (1.0 + best.abs());
            if !low.is_finite() || high < best || low < best - slack {
                continue;
            }
            let (p, q, e, f) = match side {
                Side::First => (&o.first, &o.second, &escaped.0, &escaped.1),
                Side::Second => (&o.second, &o.first, &escaped.1, &escaped.0),
            };
            let low = precise_ln_quotient(&p.low, &(&q.high + f))?.0;
            let bounded = q.low > Natural::ZERO;
            let high = if bounded { precise_ln_quotient(&(&p.high + e), &q.low)?.1 } else { low.clone() };
            if worst.as_ref().is_none_or(|w| low > w.loss.low) {
                worst = Some(Worst { outcome: o.outcome.clone(), side, loss: Bounds { low, high }, bounded });
            }
        }
    }
    worst
}
