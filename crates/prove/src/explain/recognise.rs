//! The snapping mechanism in a term, as the kernel reads it, under the conditions of the case table.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Unary};
use probity_kernel::float::Rejection;
use probity_kernel::float::form::{self, Form, Step};
use probity_kernel::term::Mechanism;

use crate::algebra::{factors, of_parameters};

/// clamp(round_to(x + s·ln(u)/rate, grid), −bound, bound), where neighbouring inputs differ by at most the
/// sensitivity. The expressions are made of parameters and numbers; the table holds where rate, grid and bound are
/// positive.
///
/// ```
/// use probity_prove::explain::Snapping;
/// let program = probity_lang::load_text(
///     "mechanism snap(x: real)
///      param eps > 0
///      param B > 0
///      let grid = pow2_at_least(1 / eps)
///      u ~ uniform(0, 1)
///      s ~ sign()
///      return clamp(round_to(x + s * (ln(u) / eps), grid), -B, B)
///      neighbours abs(x' - x) <= 3
///      claim 3 * eps",
/// )
/// .unwrap();
/// let snapping = Snapping::recognise(&program.mechanism).unwrap();
/// assert_eq!(snapping.rate.to_string(), "eps");
/// assert_eq!(snapping.grid.to_string(), "pow2_at_least(1 / eps)");
/// assert_eq!(snapping.sensitivity.to_string(), "3");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapping {
    /// The private input.
    pub input: Name,
    /// The ε of the noise s·ln(u)/ε.
    pub rate: Expr,
    /// Λ.
    pub grid: Expr,
    /// B.
    pub bound: Expr,
    /// How far apart neighbouring inputs may be.
    pub sensitivity: Expr,
}

/// What keeps a mechanism from being read as snapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotSnapping {
    /// It does not have one real input.
    Inputs,
    /// Its steps are not one uniform draw, one sign and definitions.
    Steps,
    /// Its definitions expand to too large an expression.
    TooLarge,
    /// Its output is not clamp(round_to(w, grid), −B, B).
    Output,
    /// Its noise is not s·ln(u) over a number, added to the input.
    Noise,
    /// Its neighbours are not all inputs that differ by at most some number.
    Adjacency,
}

impl fmt::Display for NotSnapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotSnapping::Inputs => "it does not have exactly one input, a real number",
            NotSnapping::Steps => "its steps are not one uniform draw, one sign and definitions",
            NotSnapping::TooLarge => "its definitions expand to a very large expression",
            NotSnapping::Output => "its output is not clamp(round_to(w, grid), -B, B)",
            NotSnapping::Noise => "its noise is not s * ln(u) / eps, added to the input",
            NotSnapping::Adjacency => "its neighbours are not given by abs(x' - x) <= c",
        })
    }
}

impl std::error::Error for NotSnapping {}

impl From<Rejection> for NotSnapping {
    fn from(rejection: Rejection) -> NotSnapping {
        match rejection {
            Rejection::Inputs => NotSnapping::Inputs,
            Rejection::Statement { .. } | Rejection::Draw { .. } => NotSnapping::Steps,
            Rejection::TooLarge { .. } => NotSnapping::TooLarge,
            Rejection::NotASum { .. } | Rejection::Noise { .. } => NotSnapping::Noise,
            Rejection::Adjacency { .. } => NotSnapping::Adjacency,
            _ => NotSnapping::Output,
        }
    }
}

impl Snapping {
    /// Reads a mechanism as snapping, or says why it is none.
    pub fn recognise(mechanism: &Mechanism) -> Result<Snapping, NotSnapping> {
        // What is what, the kernel says; here are the conditions of the table.
        let form = Form::read(mechanism, BTreeMap::new())?;
        if form.is_negated || form.clamped_input.is_some() {
            return Err(NotSnapping::Noise);
        }
        if !are_opposite(&form.low, &form.high) {
            return Err(NotSnapping::Output);
        }
        let rate = rate(&form.steps);
        let sensitivity = form::distance(mechanism, &form.input)?.clone();
        if ![&form.grid, &form.high, &sensitivity, &rate].into_iter().all(|e| of_parameters(mechanism, e)) {
            return Err(NotSnapping::Output);
        }
        let Form { input, grid, high: bound, .. } = form;
        Ok(Snapping { input, rate, grid, bound, sensitivity })
    }
}

fn are_opposite(low: &Expr, high: &Expr) -> bool {
    match (low, high) {
        (Expr::Unary(Unary::Neg, inner), high) => **inner == *high,
        (Expr::Number(low), Expr::Number(high)) => *low == -high.clone(),
        _ => false,
    }
}

/// The ε of s·ln(u)/ε, however the product is written.
fn rate(steps: &[Step]) -> Expr {
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    for Step { divides, constant } in steps {
        match divides {
            true => factors(constant, &mut bottom, &mut top),
            false => factors(constant, &mut top, &mut bottom),
        }
    }
    let product = |factors: Vec<Expr>| {
        let mut rest = factors.into_iter().filter(|factor| *factor != Expr::Number(Rational::ONE));
        let first = rest.next()?;
        Some(rest.fold(first, |a, b| a * b))
    };
    let bottom = product(bottom).unwrap_or(Expr::int(1));
    match product(top) {
        None => bottom,
        Some(top) => bottom / top,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(steps: &str, neighbours: &str) -> Result<Snapping, NotSnapping> {
        let text = format!(
            "mechanism m(x: real)\nparam eps > 0\nparam B > 0\n{steps}\nneighbours {neighbours}\nclaim eps"
        );
        let program = probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        Snapping::recognise(&program.mechanism)
    }

    const DRAWS: &str = "u ~ uniform(0, 1)\ns ~ sign()\n";

    #[test]
    fn the_noise_may_be_written_in_any_order() {
        for (noise, rate) in [
            ("s * ln(u) / eps", "eps"),
            ("ln(u) / eps * s", "eps"),
            ("s * (ln(u) / eps)", "eps"),
            ("1 / eps * (s * ln(u))", "eps"),
            ("s * ln(u)", "1"),
            ("2 * s * ln(u) / eps", "eps / 2"),
            ("s * ln(u) / (eps / 3)", "eps / 3"),
        ] {
            for w in [format!("x + {noise}"), format!("{noise} + x")] {
                let steps = format!("{DRAWS}w = {w}\nreturn clamp(round_to(w, 1), -B, B)");
                assert_eq!(read(&steps, "abs(x - x') <= 1").unwrap().rate.to_string(), rate, "{w}");
            }
        }
    }

    #[test]
    fn what_is_not_snapping_is_not_read_as_it() {
        use NotSnapping::{Adjacency, Noise, Output, Steps};
        let near = "abs(x' - x) <= 1";
        for (steps, neighbours, expected) in [
            ("y ~ laplace(x, 1 / eps)\nreturn clamp(round_to(y, 1), -B, B)".to_owned(), near, Steps),
            (format!("{DRAWS}return clamp(x + s * ln(u) / eps, -B, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1), 0, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1 + abs(x)), -B, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x - s * ln(u) / eps, 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(x + ln(u) / eps, 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / (eps * u), 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(2 * x + s * ln(u) / eps, 1), -B, B)"), near, Noise),
            (
                format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1), -B, B)"),
                "x' - x <= 1",
                Adjacency,
            ),
        ] {
            assert_eq!(read(&steps, neighbours), Err(expected), "{steps}");
        }
    }

    #[test]
    fn definitions_that_double_are_refused_in_time() {
        let mut steps = String::from("a0 = eps + eps\n");
        for n in 0..200 {
            steps.push_str(&format!("a{} = a{n} + a{n}\n", n + 1));
        }
        steps.push_str(&format!("{DRAWS}return clamp(round_to(x + s * ln(u) / a200, 1), -B, B)"));
        assert_eq!(read(&steps, "abs(x' - x) <= 1"), Err(NotSnapping::TooLarge));
    }
}
