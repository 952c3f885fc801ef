//! Laws of a continuous output in cells: the number line is cut into intervals, and each is an outcome. What two inputs show
//! in cells is a lower bound of what they show. Where the output is no number, an event and its complement are the cells.

use probity_exact::{Natural, Rational, UnsignedAbs, fraction};

use crate::case::Case;
use crate::error::AuditError;
use crate::output::bounds::Bounds;
use crate::output::event::{Condition, Event};
use crate::output::law::{Law, Mass};
use crate::output::outcome::{Inputs, Outcome};
use crate::real::paths::Depth;

/// Two laws in the same cells.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The laws of the first and of the second input.
    pub laws: [Law; 2],
    /// How wide a cell is. An outcome is a multiple of it, about the middle of its cell; the first and the last cell have no
    /// end.
    pub width: Rational,
}

/// How many cells there are on each side of 0, before the ones without an end.
const CELLS: i64 = 20;

/// Limits of the exploration for one cell.
const DEPTH: Depth = Depth { paths: 20_000, tail_bits: 64 };

/// Doublings after which no range is found that holds nearly all.
const MOST_DOUBLINGS: u32 = 24;

const NO_NUMBER: AuditError =
    AuditError::Unsupported { what: "cells of an output that is no continuous number" };
const TOO_MANY: AuditError = AuditError::Unsupported { what: "cells of a program with this many paths" };

impl Case<'_> {
    fn mass(self, condition: Condition) -> Result<Bounds, AuditError> {
        self.event_probability(&Event::Value(condition), DEPTH)?.ok_or(TOO_MANY)
    }

    /// The laws of a continuous number on these and on other inputs, over the reals, in cells.
    ///
    /// ```
    /// use probity_audit::{Case, Given, Inputs, PairReport, Parameters};
    /// use probity_exact::rational;
    /// let program = probity_lang::load_text(
    ///     "mechanism m(x: real)\ny ~ laplace(x, 1)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1",
    /// )
    /// .unwrap();
    /// let x = |n: i64| -> Inputs { [("x".into(), Given::Number(rational(n, 1).unwrap()))].into() };
    /// let (parameters, zero, one) = (Parameters::new(), x(0), x(1));
    /// let cells = Case::new(&program.mechanism, &parameters, &zero).cells(&one).unwrap();
    /// let report = PairReport::new(&cells.laws[0], &cells.laws[1]);
    /// let worst = report.worst.unwrap().loss.to_f64();
    /// assert!(worst > 0.99 && worst < 1.0 + 1e-9);
    /// ```
    pub fn cells(self, second: &Inputs) -> Result<Cells, AuditError> {
        let cases = [self, self.at(second)];
        let small = fraction::<1, 500>();
        // Cells around the multiples of a width, which is doubled until they hold nearly all of both. The borders are no
        // numbers that a program is likely to release with a probability of their own.
        let mut width = fraction::<1, 80>();
        let aside = fraction::<501, 1000>();
        let border = |k: i64, width: &Rational| (Rational::from(k) + &aside) * width;
        let mut doublings = 0;
        loop {
            let (low, high) = (border(-CELLS - 1, &width), border(CELLS, &width));
            let mut outside = Rational::ZERO;
            for case in cases {
                let (below, above) = (
                    case.mass(Condition::AtMost(low.clone()))?,
                    case.mass(Condition::AtLeast(high.clone()))?,
                );
                if doublings == 0 {
                    let inside = case.mass(Condition::Between(low.clone(), high.clone()))?;
                    if &below.high + &above.high + inside.high < fraction::<99, 100>() {
                        return Err(NO_NUMBER);
                    }
                }
                outside = outside.max(below.high).max(above.high);
            }
            if outside < small {
                break;
            }
            doublings += 1;
            if doublings > MOST_DOUBLINGS {
                return Err(NO_NUMBER);
            }
            width *= Rational::from(2);
        }
        let middle = |k: i64| Rational::from(k) * &width;
        let mut cells = vec![(middle(-CELLS - 1), Condition::AtMost(border(-CELLS - 1, &width)))];
        for k in -CELLS..=CELLS {
            cells.push((middle(k), Condition::Between(border(k - 1, &width), border(k, &width))));
        }
        cells.push((middle(CELLS + 1), Condition::AtLeast(border(CELLS, &width))));
        let law = |case: Case<'_>| -> Result<Law, AuditError> {
            let entry = |(middle, condition): &(Rational, Condition)| {
                Ok((Outcome::Number(middle.clone()), case.mass(condition.clone())?))
            };
            let entries: Vec<(Outcome, Bounds)> =
                cells.iter().map(entry).collect::<Result<_, AuditError>>()?;
            // A value with a probability of its own on the border of two cells would count twice.
            let total = entries.iter().fold(Rational::ZERO, |sum, (_, mass)| sum + &mass.low);
            if total > Rational::ONE { Err(NO_NUMBER) } else { Ok(law_of(entries)) }
        };
        let laws = [law(cases[0])?, law(cases[1])?];
        Ok(Cells { laws, width })
    }
}

/// The laws of whether an event happens: `true` and `false`, from its two probabilities.
pub fn event_laws(probabilities: [&Bounds; 2]) -> [Law; 2] {
    probabilities.map(|p| {
        let rest = Bounds { low: Rational::ONE - &p.high, high: Rational::ONE - &p.low };
        law_of(vec![(Outcome::Bool(true), p.clone()), (Outcome::Bool(false), rest)])
    })
}

/// Bits of the masses.
const BITS: usize = 256;

fn law_of(entries: Vec<(Outcome, Bounds)>) -> Law {
    let unit = Natural::ONE << BITS;
    let scale = Rational::from(unit.clone());
    let mass = |bounds: &Bounds| Mass {
        low: (bounds.low.clone().max(Rational::ZERO) * &scale).floor().unsigned_abs(),
        high: (&bounds.high * &scale).ceil().unsigned_abs(),
    };
    let entries: Vec<(Outcome, Mass)> =
        entries.into_iter().map(|(outcome, bounds)| (outcome, mass(&bounds))).collect();
    Law::enclosed(unit, entries, Natural::ZERO)
}
