//! Helpers that several tests share.

use probity_exact::{Rational, rational, rational_from_f64};

/// n/d.
pub fn ratio(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap()
}

/// A fixed stream of pseudorandom words.
pub struct Stream(pub u64);

impl Stream {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ (self.0 >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.word() % limit
    }

    /// A positive fraction of small or large parts.
    pub fn fraction(&mut self) -> Rational {
        let (n, d) = (self.word() >> self.below(60), self.word() >> self.below(60));
        rational(n.max(1), d.max(1)).unwrap()
    }
}

/// Asserts that `found` is the least double that is not below `exact`.
pub fn assert_rounded_up(found: f64, exact: &Rational) {
    assert!(rational_from_f64(found).is_some_and(|found| found >= *exact), "{found} is below {exact}");
    let below = rational_from_f64(found.next_down()).unwrap();
    assert!(below < *exact, "{found} is not the least double above {exact}");
}
