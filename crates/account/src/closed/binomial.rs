//! n answers of a randomized response with loss ±c: the loss is (2k − n)·c with a binomial k. With δ₀ each, all is told with
//! probability 1 − (1 − δ₀)^n. This is the exact optimal composition of equal (ε, δ) guarantees, of two-valued responses, and of
//! discrete Laplace noise at sensitivity 1.

use std::time::Instant;

use probity_exact::{Integer, Natural, Rational, exp_bounds, ln_bounds};

use super::Bounds;
use super::factorial::ln_factorial;
use crate::account::Question;
use crate::fixed::{self, near};
use crate::laws::Real;
use crate::model::Simple;
use crate::scout::{exp, ln};

/// Fractional bits of running sums, relative to the first term.
const BITS: usize = 256;

/// n copies.
pub(crate) struct Binomial {
    n: u64,
    /// The loss of one answer.
    loss: Real,
    /// The probability that all is told.
    told: Rational,
}

impl Binomial {
    /// For laws that are of this kind, up to 10^12 copies.
    pub fn of(law: &Simple, n: u64) -> Option<Binomial> {
        if n > 1_000_000_000_000 {
            return None;
        }
        let (loss, told) = match law {
            Simple::Pure(epsilon, delta) => (Real::exact(epsilon.clone()), delta.clone()),
            Simple::DiscreteLaplace(scale, 1) => (Real::exact(Rational::ONE / scale), Rational::ZERO),
            Simple::Response(k, p) if *k == Natural::from(2u8) => {
                let (low, high) = ln_bounds(&(p / (Rational::ONE - p)), 420)?;
                (Real { low, high }, Rational::ZERO)
            }
            _ => return None,
        };
        // Sums have about 20·√n terms; where ε is large against c·√n, few.
        Some(Binomial { n, loss, told })
    }

    /// Bounds of δ(ε), if they are found in time.
    pub fn delta(&self, epsilon: &Rational, deadline: Instant) -> Option<Bounds> {
        let (low, high) = self.finite(epsilon, deadline)?;
        if self.told.is_zero() {
            return Some((low, high));
        }
        // 1 − (1 − δ₀)^n·(1 − δ_finite).
        let (ln_low, ln_high) = ln_bounds(&(Rational::ONE - &self.told), 400)?;
        let n = Rational::from(self.n);
        let kept_low = exp_bounds(&(ln_low * &n), 400).0.to_rational()?;
        let kept_high = exp_bounds(&(ln_high * n), 400).1.to_rational()?;
        let kept_high = kept_high.min(Rational::ONE);
        Some((
            Rational::ONE - kept_high * (Rational::ONE - low),
            Rational::ONE - kept_low * (Rational::ONE - high),
        ))
    }

    /// Σ_k C(n,k)·p^k·(1−p)^(n−k)·(1 − e^(ε − (2k−n)c))₊ with p = 1/(1 + e^(−c)).
    fn finite(&self, epsilon: &Rational, deadline: Instant) -> Option<Bounds> {
        let c = &self.loss;
        // A loss of 0 tells nothing.
        if c.high.is_zero() {
            return Some((Rational::ZERO, Rational::ZERO));
        }
        let n = Rational::from(self.n);
        let two = Rational::from(2);
        // The first k with (2k − n)·c > ε: for the upper bound no k is missed, for the lower none is too small.
        let first = |c: &Rational| ((epsilon / c + &n) / &two).floor() + Integer::ONE;
        let (start, start_low) = (first(&c.high), first(&c.low));
        let start = u64::try_from(&start).ok()?;
        let start_low = u64::try_from(&start_low).unwrap_or(u64::MAX);
        if start > self.n {
            return Some((Rational::ZERO, Rational::ZERO));
        }
        // Far below the mode the terms are too small to count: they are left out below, and above counted as a whole.
        let wanted = start;
        let start = start.max(self.negligible());
        let power = |x: &Rational, up: bool| {
            // Beyond the bits kept nothing is told apart from 0.
            let x = &x.clone().max(Rational::from(-1000));
            let (low, high) = exp_bounds(x, BITS as u32 + 8);
            let x = if up { high } else { low }.to_rational()?;
            Some(fixed::natural(if up { fixed::ceil(&x, BITS) } else { fixed::floor(&x, BITS) }))
        };
        // q_k = e^(ε − (2k−n)c) at the start, falling by e^(−2c).
        let at = |c: &Rational| epsilon - (&two * Rational::from(start) - &n) * c;
        let signed = at(&Rational::ONE) > at(&Rational::ZERO);
        let (c_for_low, c_for_high) = if signed { (&c.low, &c.high) } else { (&c.high, &c.low) };
        let mut q = (power(&at(c_for_low), false)?, power(&at(c_for_high), true)?);
        let fall = (power(&-(&two * &c.high), false)?, power(&-(&two * &c.low), true)?);
        let rise = (power(&c.low, false)?, power(&c.high, true)?);
        let one = Natural::ONE << BITS;
        let minus = |x: &Natural| if *x < one { &one - x } else { Natural::ZERO };
        // Terms t_k = C(n,k) p^k (1−p)^(n−k) relative to the first; t_{k+1}/t_k = e^c·(n − k)/(k + 1).
        let mut t = (one.clone(), one.clone());
        let mut sum = (Natural::ZERO, Natural::ZERO);
        if start > wanted {
            // t_{k−1}/t_k = e^(−c)·k/(n − k + 1) grows with k, so all before the first are at most t·r/(1 − r).
            let k = Natural::from(start);
            let r = fixed::div_up(&(power(&-c.low.clone(), true)? * k), &Natural::from(self.n - start + 1));
            sum.1 = if r < one { fixed::div_up(&(&one * &r), &(&one - &r)) } else { return None };
        }
        let mut k = start;
        loop {
            if k.is_multiple_of(1024) && Instant::now() > deadline {
                return None;
            }
            if k >= start_low {
                sum.0 += fixed::mul_down(&t.0, &minus(&q.1), BITS);
            }
            sum.1 += fixed::mul_up(&t.1, &minus(&q.0), BITS);
            if k == self.n {
                break;
            }
            let (n_k, next) = (Natural::from(self.n - k), Natural::from(k + 1));
            // Once the quotient of neighbours is at most 1/2 … 1, the rest is at most t·r/(1 − r).
            let r = fixed::div_up(&(&rise.1 * &n_k), &next);
            if r < one {
                let rest = fixed::div_up(&(&t.1 * &r), &(&one - &r));
                if rest << 80usize < sum.1 {
                    sum.1 += fixed::div_up(&(&t.1 * &r), &(&one - &r));
                    break;
                }
            }
            t = (
                fixed::mul_down(&t.0, &rise.0, BITS) * &n_k / &next,
                fixed::div_up(&(fixed::mul_up(&t.1, &rise.1, BITS) * &n_k), &next),
            );
            q = (fixed::mul_down(&q.0, &fall.0, BITS), fixed::mul_up(&q.1, &fall.1, BITS));
            k += 1;
        }
        let (low, high) = self.first_term(start)?;
        Some((fixed::value(&sum.0, BITS) * low, (fixed::value(&sum.1, BITS) * high).min(Rational::ONE)))
    }

    /// A k, far enough below the mode that all smaller ones together are less than 2^−180 of it. Any k is sound.
    fn negligible(&self) -> u64 {
        let (n, p) = (self.n as f64, 1.0 / (1.0 + exp(-self.loss.near())));
        (n * p - 16.0 * (n * p * (1.0 - p)).sqrt() - 64.0).max(0.0) as u64
    }

    /// C(n,k)·p^k·(1−p)^(n−k), where ln p = −ln(1 + e^(−c)) and ln(1 − p) = ln p − c.
    fn first_term(&self, k: u64) -> Option<Bounds> {
        let bits = 320;
        let [whole, part, rest] = [self.n, k, self.n - k].map(|n| ln_factorial(n, bits));
        let (whole, part, rest) = (whole?, part?, rest?);
        let ln_p = |c: &Rational, up: bool| {
            let (low, high) = exp_bounds(&-c.clone(), bits);
            // Falls in e^(−c).
            let small = if up { low } else { high }.to_rational()?;
            let (low, high) = ln_bounds(&(Rational::ONE + small), bits)?;
            Some(if up { -low } else { -high })
        };
        let (p_low, p_high) = (ln_p(&self.loss.low, false)?, ln_p(&self.loss.high, true)?);
        let (n, missing) = (Rational::from(self.n), Rational::from(self.n - k));
        let low = whole.0 - part.1 - rest.1 + &n * p_low - &missing * &self.loss.high;
        let high = whole.1 - part.0 - rest.0 + n * p_high - missing * &self.loss.low;
        // Beyond e^−100000 nothing is told apart from 0.
        let edge = Rational::from(-100_000);
        let low = if low < edge { Rational::ZERO } else { exp_bounds(&low, BITS as u32).0.to_rational()? };
        let high = if high < edge { edge } else { high };
        Some((low, exp_bounds(&high, BITS as u32).1.to_rational()?))
    }

    /// About where the answer lies.
    pub fn guess(&self, question: &Question) -> f64 {
        match question {
            Question::Delta(epsilon) => near(epsilon),
            Question::Epsilon(delta) => {
                let variance = self.n as f64 * self.loss.near() * self.loss.near();
                let about =
                    variance / 2.0 + variance.sqrt() * (-2.0 * ln(near(delta))).max(0.0).sqrt() * 0.95;
                about.min(self.n as f64 * self.loss.near())
            }
        }
    }
}
