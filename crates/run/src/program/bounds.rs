//! How large inputs are by what a text assumes of them: `x: real in [0, 1]`, `where -B <= x <= B`. Assumptions are checked before anything else is
//! computed with an input, and rows that violate theirs are dropped.

use probity_exact::{BitTest, Rational, UnsignedAbs};
use probity_kernel::expr::{Binary, Expr, Unary, Variable};

use super::compile::constant_value;

/// Bits of a number that is above the magnitude of a variable, if assumptions bound it on both sides by numbers.
pub(super) fn whole_bits<'a>(
    variable: &Variable,
    assumptions: impl IntoIterator<Item = &'a Expr>,
) -> Option<u64> {
    let mut bounds = Bounds::default();
    assumptions.into_iter().for_each(|assumption| bounds.learn(variable, assumption));
    let (low, high) = (bounds.low?, bounds.high?);
    Some(bits(&low).max(bits(&high)))
}

/// 2^bits is above the magnitude.
fn bits(value: &Rational) -> u64 {
    let floor = if *value < Rational::ZERO { -value } else { value.clone() }.floor();
    floor.unsigned_abs().bit_len() as u64
}

#[derive(Default)]
struct Bounds {
    low: Option<Rational>,
    high: Option<Rational>,
}

impl Bounds {
    fn at_most(&mut self, bound: Rational) {
        self.high = Some(self.high.take().map_or(bound.clone(), |known| known.min(bound)));
    }

    fn at_least(&mut self, bound: Rational) {
        self.low = Some(self.low.take().map_or(bound.clone(), |known| known.max(bound)));
    }

    /// What a conjunction of comparisons with numbers says.
    fn learn(&mut self, variable: &Variable, assumption: &Expr) {
        let Expr::Binary(operation, a, b) = assumption else { return };
        let (small, large) = match operation {
            Binary::And => {
                self.learn(variable, a);
                return self.learn(variable, b);
            }
            Binary::Le | Binary::Lt => (a, b),
            Binary::Ge | Binary::Gt => (b, a),
            _ => return,
        };
        let is_it = |e: &Expr| matches!(e, Expr::Var(v) if v == variable);
        let is_its_magnitude = |e: &Expr| matches!(e, Expr::Unary(Unary::Abs, inner) if is_it(inner));
        if is_it(small)
            && let Some(bound) = constant_value(large).0
        {
            self.at_most(bound);
        } else if is_it(large)
            && let Some(bound) = constant_value(small).0
        {
            self.at_least(bound);
        } else if is_its_magnitude(small)
            && let Some(bound) = constant_value(large).0
        {
            self.at_least(-&bound);
            self.at_most(bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_both_sides() {
        let bits_of = |assumed: &str| {
            let text = format!(
                "mechanism m(x: real, z: real)\nwhere {assumed}\nreturn 0\nneighbours any\nclaim 0\n"
            );
            let mechanism = probity_lang::load_text(&text).unwrap().mechanism;
            whole_bits(&Variable::Plain("x".into()), &mechanism.assumptions)
        };
        for (assumed, bits) in [
            ("-1 <= x and x <= 1", 1),
            ("0 <= x < 1/2", 0),
            ("-9 <= x <= 7 and x > -4", 3),
            ("abs(x) <= 8", 4),
            ("-100 <= x <= 1", 7),
            ("x >= -2 * 3 and 31/4 >= x", 3),
            ("z > 0 and 0 <= x <= 1023 and x < z", 10),
        ] {
            assert_eq!(bits_of(assumed), Some(bits), "{assumed}");
        }
        for assumed in [
            "x <= 1",
            "x >= 0",
            "0 <= x and x <= z",
            "0 <= x or x <= 1",
            "0 <= z <= 1",
            "x == 1",
            "0 <= 2 * x and x <= 1",
            "abs(x) >= 1",
            "not (0 <= x and x <= 1)",
            "abs(x) <= z",
        ] {
            assert_eq!(bits_of(assumed), None, "{assumed}");
        }
    }
}
