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

    /// high + low, normalised.
    pub fn of(high: f64, low: f64) -> Doubled {
        two_sum(high, low)
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
        let root = Doubled::from(2.0).root();
        assert!(root.times(root).plus(Doubled::from(-2.0)).high.abs() < 2f64.powi(-98));
    }
}
