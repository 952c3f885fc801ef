//! The method of the paper ("Verifying Snapping Mechanism – Floating Point Implementation Version"), with its
//! gaps filled: every case of the outcome, the interval of each u-threshold from the inverted derivation, and a
//! rigorous bound of the loss for the given parameters.
//!
//! A threshold y of the rounding is met at u = e^(ρ(y − f)) over the reals. In floats the sum lies within a factor 1 + η
//! of y, outward by sign, and the noise within a factor κ; so the exponent lies in ρ·widen_κ(widen_η(y) − f), and differs from
//! the real one by at most d = ρ((κ − 1)|y − f| + κη|y|). The mass below a u-threshold is off by another factor
//! 1 + 2η, which the paper leaves out. Unlike the threshold method this one pays for the rounding of the sum, so d grows with
//! the bound.
//!
//! ```
//! use probity_exact::fraction;
//! use probity_float::{certified::snapping, paper::paper_method};
//! use probity_kernel::float::{Subject, bound};
//! let mechanism = snapping(&fraction::<1, 1>(), &fraction::<100, 1>());
//! let found = bound(&mechanism, probity_kernel::term::Reading::BINARY64, Default::default()).unwrap();
//! let Subject::Mechanism(snapped) = found.subject() else { unreachable!() };
//! let method = paper_method(snapped);
//! assert_eq!(method.cases.len(), 11);
//! assert!(method.excess.unwrap() < 2e-13);
//! ```

use probity_exact::{Enclosure, Float, Format, Integer, Rational, ln_bounds};
use probity_kernel::float::derivation::{Derivation, Operation, Rule};
use probity_kernel::float::{Snapped, Uniform};

use crate::derive::node;

/// Bits of the enclosures.
const BITS: u32 = 200;

/// One case of the paper, with the outcome on one side of the inputs.
#[derive(Debug, Clone)]
pub struct Case {
    /// Where the outcome lies, as in the paper: f(a) + Δ = f(a').
    pub outcome: &'static str,
    /// The subcase, or "".
    pub subcase: &'static str,
    /// An instance: f(a), and the thresholds y1 < y2 of its outcome; an infinite one is `None`.
    pub instance: (f64, Option<f64>, Option<f64>),
    /// The interval of L, the u-threshold of y1, at that instance, rounded outward; `None` when L = 0.
    pub left: Option<(f64, f64)>,
    /// The interval of R, the u-threshold of y2, at that instance, rounded outward; `None` when it is 1.
    pub right: Option<(f64, f64)>,
    /// The derivation of the computed sum at the finite threshold nearest to the input.
    pub derivation: Option<Derivation>,
    /// A bound of the excess over ρΔ for every instance of the case, rounded up.
    pub excess: f64,
}

/// The outcome of the method.
#[derive(Debug, Clone)]
pub struct PaperMethod {
    /// All cases; empty when the method says nothing.
    pub cases: Vec<Case>,
    /// The largest excess of the cases, or why there is none.
    pub excess: Result<f64, String>,
}

type Real = Enclosure<Float>;

fn real(x: &Rational) -> Real {
    Enclosure::around(x, Format::wide(BITS))
}

fn whole(x: i64) -> Real {
    real(&Rational::from(Integer::from(x)))
}

fn up(x: &Real) -> Option<f64> {
    x.high().to_rational().map(|value| probity_exact::directed::cast_up(&value))
}

fn down(x: &Real) -> Option<f64> {
    x.low().to_rational().map(|value| probity_exact::directed::cast_down(&value))
}

/// Runs the method on a mechanism.
pub fn paper_method(mechanism: &Snapped) -> PaperMethod {
    let silent = |why: &str| PaperMethod { cases: vec![], excess: Err(why.into()) };
    if mechanism.uniform != Uniform::Star {
        return silent("the paper's uniform is U*");
    }
    let Some(setting) = Setting::new(mechanism) else {
        return silent("a threshold lies where the floats below it are no longer relatively fine");
    };
    match setting.cases() {
        None => silent("the rounding errors exceed the width of a cell"),
        Some(cases) => {
            let excess = cases.iter().fold(0.0f64, |worst, case| worst.max(case.excess));
            PaperMethod { cases, excess: Ok(excess) }
        }
    }
}

struct Setting<'a> {
    mechanism: &'a Snapped,
    rate: Real,
    kappa: Real,
    eta: Real,
    /// e^(−ρΛ).
    q: Real,
    /// ⌈B⌉ − Λ/2, the outermost threshold.
    top: Rational,
}

/// Which of the two runs has the outcome's cell around its input.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The outcome is the clamp: one threshold only.
    End,
    /// The cell lies beside both inputs, at any distance.
    Beside,
    /// The cell lies between the inputs.
    Between,
    /// The cell may hold an input.
    Around,
}

impl<'a> Setting<'a> {
    fn new(mechanism: &'a Snapped) -> Option<Setting<'a>> {
        // The kernel has checked the parameters; its κ is the one needed here.
        let steps = mechanism.loss().ok()?.steps;
        let two = Rational::from(Integer::from(2));
        let grid = &mechanism.grid;
        let top = Rational::from((&mechanism.bound / grid).ceil()) * grid - grid / &two;
        // The outermost exponent has to stay in the relatively fine range, with κ and 1 + η to spare.
        let (ln2, _) = ln_bounds(&two, 100)?;
        let spare = &steps.kappa * (Rational::ONE + mechanism.format.unit_roundoff());
        let reach = mechanism.rate() * (&mechanism.bound + &top) * spare;
        if reach > Rational::from(Integer::from(mechanism.format.emin().checked_neg()?)) * ln2 {
            return None;
        }
        let rate = real(&mechanism.rate());
        let q = (-(rate.clone() * real(grid))).exp();
        Some(Setting {
            mechanism,
            kappa: real(&steps.kappa),
            eta: real(&mechanism.format.unit_roundoff()),
            rate,
            q,
            top,
        })
    }

    /// The cases of the paper, in its order.
    fn cases(&self) -> Option<Vec<Case>> {
        let (b, grid) = (&self.mechanism.bound, &self.mechanism.grid);
        let half = grid / Rational::from(Integer::from(2));
        let (delta, zero) = (&self.mechanism.sensitivity, Rational::ZERO);
        let (top, bottom) = (self.top.clone(), -self.top.clone());
        let cell = |centre: &Rational| (Some(centre - &half), Some(centre + &half));
        let second = &bottom + &half + grid;
        let last = &top - &half - grid;
        // (outcome, subcase, place, largest |y|, f, (y1, y2))
        let right = b - delta;
        let left_input = -b.clone();
        let rows = [
            ("x = -B", "", Place::End, &top, right.clone(), (None, Some(bottom.clone()))),
            ("x left of round(f(a))", "x < 0", Place::Beside, &top, right.clone(), cell(&second)),
            ("x left of round(f(a))", "x > 0", Place::Beside, &top, right.clone(), cell(grid)),
            ("x left of round(f(a))", "x = 0", Place::Beside, &half, right.clone(), cell(&zero)),
            ("x = round(f(a))", "", Place::Around, &top, zero.clone(), cell(&zero)),
            ("x between round(f(a)) and round(f(a'))", "", Place::Between, &top, zero.clone(), cell(grid)),
            ("x = round(f(a'))", "", Place::Around, &top, zero.clone(), cell(&zero)),
            ("x right of round(f(a'))", "x > 0", Place::Beside, &top, left_input.clone(), cell(&last)),
            (
                "x right of round(f(a'))",
                "x < 0",
                Place::Beside,
                &top,
                left_input.clone(),
                cell(&-grid.clone()),
            ),
            ("x right of round(f(a'))", "x = 0", Place::Beside, &half, left_input.clone(), cell(&zero)),
            ("x = B", "", Place::End, &top, left_input.clone(), (Some(top.clone()), None)),
        ];
        rows.into_iter()
            .map(|(outcome, subcase, place, y, f, ends)| self.case(outcome, subcase, place, y, f, ends))
            .collect()
    }

    fn case(
        &self,
        outcome: &'static str,
        subcase: &'static str,
        place: Place,
        largest: &Rational,
        f: Rational,
        (y1, y2): (Option<Rational>, Option<Rational>),
    ) -> Option<Case> {
        let show = |y: &Option<Rational>| y.as_ref().map(probity_exact::directed::cast_nearest);
        let instance = (probity_exact::directed::cast_nearest(&f), show(&y1), show(&y2));
        let interval = |y: &Option<Rational>| {
            let exponent = self.exponent(y.as_ref()?, &f)?;
            let u = exponent.exp();
            Some((down(&u)?, up(&u)?.min(1.0)))
        };
        let nearest = match (&y1, &y2) {
            (Some(a), Some(b)) if (a - &f).clone() * (a - &f) <= (b - &f) * (b - &f) => Some(a),
            (_, Some(b)) => Some(b),
            (a, None) => a.as_ref(),
        };
        Some(Case {
            outcome,
            subcase,
            instance,
            left: interval(&y1),
            right: interval(&y2),
            derivation: nearest.and_then(|y| self.derivation(y, &f)),
            excess: up(&self.excess(place, largest)?)?,
        })
    }

    /// The interval of ln u at which the computed sum crosses y: −ρ·|widen_η(y) − f|, widened by κ.
    fn exponent(&self, y: &Rational, f: &Rational) -> Option<Real> {
        let grow = whole(1) + self.eta.clone();
        let y = real(y);
        let sum = (y.clone() * grow.clone()).hull(&y.checked_div(&grow)?);
        let distance = (sum - real(f)).abs() * self.rate.clone();
        Some(-(distance.clone() * self.kappa.clone()).hull(&distance.checked_div(&self.kappa)?))
    }

    /// The paper's derivation, with u anywhere in the interval: VAR, LN, OP ÷, OP + (or −).
    fn derivation(&self, y: &Rational, f: &Rational) -> Option<Derivation> {
        let u = self.exponent(y, f)?.exp();
        let (low, high) = (u.low().to_rational()?, u.high().to_rational()?);
        let one = Rational::ONE;
        let high = if high > one { one } else { high };
        let format = self.mechanism.format;
        let variable = Rule::Var { name: "u".into(), low, high, exact: true };
        let mut noise = node(Rule::Ln, vec![node(variable, vec![], format).ok()?], format).ok()?;
        for step in &self.mechanism.scaling {
            let (operation, constant) = match step {
                probity_kernel::float::Scaling::Divide(c) => (Operation::Div, c),
                probity_kernel::float::Scaling::Multiply(c) => (Operation::Mul, c),
            };
            let constant = node(Rule::Const(constant.clone()), vec![], format).ok()?;
            noise = node(Rule::Op(operation), vec![noise, constant], format).ok()?;
        }
        let input = Rule::Var { name: "f(a)".into(), low: f.clone(), high: f.clone(), exact: true };
        let input = node(input, vec![], format).ok()?;
        let operation = if y <= f { Operation::Add } else { Operation::Sub };
        node(Rule::Op(operation), vec![input, noise], format).ok()
    }

    /// A⁺ + A⁻ with the deviation d of the exponents, for all |f| ≤ B and |y| up to the largest.
    fn excess(&self, place: Place, largest: &Rational) -> Option<Real> {
        let one = || whole(1);
        let extra = self.kappa.clone() - one();
        // Thresholds of a cell around or between the inputs are within Λ + Δ of both.
        let distance = match place {
            Place::End | Place::Beside => &self.mechanism.bound + &self.top,
            Place::Between | Place::Around => &self.mechanism.grid + &self.mechanism.sensitivity,
        };
        let drift = self.kappa.clone() * self.eta.clone() * real(largest);
        let d = self.rate.clone() * (real(&distance) * extra + drift);
        let a = d.clone() + (one() + whole(2) * self.eta.clone()).ln()?;
        if place == Place::End {
            return Some(a + d);
        }
        let gap = one() - self.q.clone();
        let positive = |x: Real| (!x.contains_zero() && !x.low().is_negative()).then_some(x);
        let most = (a.exp() - self.q.clone() * (-d.clone()).exp()).checked_div(&gap)?;
        let least = ((-d.clone()).exp() - self.q.clone() * a.exp()).checked_div(&gap)?;
        let (mut plus, mut minus) = (positive(most)?.ln()?, -positive(least)?.ln()?);
        if place == Place::Around {
            // The mass around the input is 1 − ½H − ½H' ≥ ½(1 − q), and each H is off by at most e^a − 1.
            let share = (whole(2) * (a.exp() - one())).checked_div(&gap)?;
            plus = plus.max(&(one() + share.clone()).ln()?);
            minus = minus.max(&-positive(one() - share)?.ln()?);
        }
        Some(plus + minus)
    }
}
