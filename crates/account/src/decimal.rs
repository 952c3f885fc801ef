//! Doubles that are printed: in the fewest digits that tell a double from all others. Read as a decimal these may lie a little above
//! the double or below it, so that the double of a bound need not be printed as a bound.

use probity_exact::{Rational, directed, parse_rational};

/// The largest double that is not above a number, also as it is printed, and the smallest that is not below it, also as it is printed.
///
/// ```
/// use probity_account::doubles_around;
/// use probity_exact::{parse_rational, rational, rational_from_f64};
/// assert_eq!(doubles_around(&rational(1, 10).unwrap()).1, 0.1);
/// // The double 0.1 is a little more than its decimal.
/// let double = rational_from_f64(0.1).unwrap();
/// let (low, high) = doubles_around(&double);
/// assert_eq!((low, high), (0.1, 0.10000000000000002));
/// assert!(parse_rational(&high.to_string()).unwrap() >= double);
/// ```
pub fn doubles_around(x: &Rational) -> (f64, f64) {
    let (mut low, mut high) = (directed::cast_down(x), directed::cast_up(x));
    while printed(low).is_some_and(|decimal| decimal > *x) {
        low = low.next_down();
    }
    while printed(high).is_some_and(|decimal| decimal < *x) {
        high = high.next_up();
    }
    (low, high)
}

/// The decimal as which a double is printed; `None` for an infinite one.
fn printed(x: f64) -> Option<Rational> {
    parse_rational(&format!("{x:e}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{rational, rational_from_f64};

    #[test]
    fn what_is_printed_is_a_bound() {
        let mut state = 11u64;
        let mut moved = 0;
        for round in 0..4000u64 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let n = rational_from_f64(f64::from_bits(state >> 2)).unwrap_or(Rational::ONE);
            // Doubles themselves, doubles and a hair, and fractions; of both signs.
            let x = match round % 4 {
                0 => n,
                1 => -n,
                2 => n + rational(1, 10i128.pow(30)).unwrap(),
                _ => rational((state >> 20) as i64, (state & 0xfffff) as i64 + 1).unwrap(),
            };
            let (low, high) = doubles_around(&x);
            let exact = |double: f64| rational_from_f64(double).unwrap();
            assert!(exact(low) <= x && x <= exact(high), "{x}");
            assert!(printed(low).unwrap() <= x && x <= printed(high).unwrap(), "{x}");
            // No double in between would do.
            let (inner_low, inner_high) = (low.next_up(), high.next_down());
            assert!(exact(inner_low) > x || printed(inner_low).unwrap() > x, "{x}");
            assert!(exact(inner_high) < x || printed(inner_high).unwrap() < x, "{x}");
            moved += usize::from(low < directed::cast_down(&x) || high > directed::cast_up(&x));
        }
        assert!(moved > 500, "{moved}");
        let huge = parse_rational("1e400").unwrap();
        assert_eq!(doubles_around(&huge), (f64::MAX, f64::INFINITY));
        assert_eq!(doubles_around(&Rational::ZERO), (0.0, 0.0));
        assert_eq!(doubles_around(&parse_rational("1e-400").unwrap()), (0.0, 5e-324));
    }
}
