//! Numbers of twice the precision of a double, for screening samples only: nothing rests on their accuracy,
//! as a sample that is reported is computed again with enclosures.

/// high + low, with |low| at most half a unit in the last place of high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubled {
    /// The leading part.
    pub high: f64,
    /// What it lacks.
    pub low: f64,
}

/// a + b as a double and its error (Knuth).
fn two_sum(a: f64, b: f64) -> Doubled {
    let high = a + b;
    let b_part = high - a;
    Doubled { high, low: (a - (high - b_part)) + (b - b_part) }
}

/// a · b as a double and its error.
fn two_product(a: f64, b: f64) -> Doubled {
    let high = a * b;
    Doubled { high, low: a.mul_add(b, -high) }
}

impl Doubled {
    /// From a double.
    pub fn from(high: f64) -> Doubled {
        Doubled { high, low: 0.0 }
    }

    /// x + y.
    pub fn plus(self, other: Doubled) -> Doubled {
        let s = two_sum(self.high, other.high);
        let t = two_sum(self.low, other.low);
        let s = two_sum(s.high, s.low + t.high);
        two_sum(s.high, s.low + t.low)
    }

    /// −x.
    pub fn negated(self) -> Doubled {
        Doubled { high: -self.high, low: -self.low }
    }

    /// x · y.
    pub fn times(self, other: Doubled) -> Doubled {
        let p = two_product(self.high, other.high);
        two_sum(p.high, p.low + (self.high * other.low + self.low * other.high))
    }

    /// x / y.
    pub fn over(self, other: Doubled) -> Doubled {
        let first = self.high / other.high;
        let rest = self.plus(other.times(Doubled::from(-first)));
        let second = rest.high / other.high;
        let rest = rest.plus(other.times(Doubled::from(-second)));
        two_sum(first, second).plus(Doubled::from(rest.high / other.high))
    }

    /// √x.
    pub fn root(self) -> Doubled {
        if self.high <= 0.0 {
            return Doubled::from(self.high.sqrt());
        }
        let first = self.high.sqrt();
        let rest = self.plus(two_product(-first, first));
        two_sum(first, rest.high / (2.0 * first))
    }

    /// e^x.
    pub fn exp(self) -> Doubled {
        const LN2: Doubled = Doubled { high: std::f64::consts::LN_2, low: 2.3190468138462996e-17 };
        let turns = (self.high / std::f64::consts::LN_2).round();
        if !turns.is_finite() || turns.abs() > 1000.0 {
            return Doubled::from(f64::NAN);
        }
        // r = (x − turns·ln 2)/2^8, e^r by its series, then squared eight times.
        let rest = self.plus(LN2.times(Doubled::from(-turns)));
        let r = Doubled { high: rest.high / 256.0, low: rest.low / 256.0 };
        let mut sum = Doubled::from(0.0);
        for k in (1..=11).rev() {
            // (1 + sum)·r/k: Horner's rule for e^r − 1.
            sum = sum.plus(Doubled::from(1.0)).times(r).over(Doubled::from(f64::from(k)));
        }
        // (1 + s)² − 1 = 2s + s² keeps the small part exact.
        for _ in 0..8 {
            sum = sum.plus(sum).plus(sum.times(sum));
        }
        let whole = sum.plus(Doubled::from(1.0));
        let scale = 2f64.powi(turns as i32);
        Doubled { high: whole.high * scale, low: whole.low * scale }
    }

    /// ln x: one step of Newton's method from the double's logarithm `start`.
    pub fn ln(self, start: f64) -> Doubled {
        let start = Doubled::from(start);
        start.plus(self.times(start.negated().exp())).plus(Doubled::from(-1.0))
    }

    /// Whether x ≤ y.
    pub fn at_most(self, other: Doubled) -> bool {
        (self.high, self.low) <= (other.high, other.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_bits_are_right() {
        let third = Doubled::from(1.0).over(Doubled::from(3.0));
        let off = third.times(Doubled::from(3.0)).plus(Doubled::from(-1.0));
        assert!(off.high.abs() < 2f64.powi(-100));
        let e = Doubled::from(1.0).exp();
        assert!((e.high, (e.low - 1.4456468917292502e-16).abs() < 1e-31) == (std::f64::consts::E, true));
        // ln(e^x) = x.
        for x in [-8.0, -0.3, 1e-3, 5.0, 300.0] {
            let y = Doubled::from(x).exp();
            let back = y.ln(probity_exact::directed::ln_nearest(y.high));
            assert!(back.plus(Doubled::from(-x)).high.abs() < 2f64.powi(-90) * x.abs().max(1.0), "{x}");
        }
        let root = Doubled::from(2.0).root();
        assert!(root.times(root).plus(Doubled::from(-2.0)).high.abs() < 2f64.powi(-98));
    }
}
