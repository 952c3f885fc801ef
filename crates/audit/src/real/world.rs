//! Running a program over the real numbers, one path at a time.
//!
//! A number is a linear form in the continuous draws of the path. Discrete draws and undecided comparisons are
//! choices on a tape; each choice adds its probability or its linear condition to the path. So a finished path is an
//! output, a weight, and conditions on independent draws, which [`crate::integrate::forest`] integrates.

use std::rc::Rc;
use std::sync::LazyLock;

use probity_exact::{Float, Format, Rational, Round, exp_bounds, ln_bounds};
use probity_kernel::expr::{Binary, Unary};

use crate::error::AuditError;
use crate::integrate::linear::{Conditions, Form, Noise};
use crate::output::event::{Condition, Event, Relation};
use crate::output::outcome::Outcome;
use crate::real::constants::{
    BITS, between, bits, is_exponent, pow2_at_least, root, stepped_bound, unsupported,
};
use crate::run::machine::MOST_BITS;
use crate::run::numbers::integer;
use crate::run::numbers::round_half_even;
use crate::run::program::{Draw, LawKind, Stop, Value, World, wrong};

/// The precision of bounds of probabilities.
pub(crate) static CHANCES: LazyLock<Format> = LazyLock::new(|| Format::wide(128));

/// The rational numbers that stand for irrational ones: integrals need no more bits, and what that changes is counted.
static NEAR: LazyLock<Format> = LazyLock::new(|| Format::wide(112));

const VAGUE: &str = "a look at a product, a quotient or a function of random numbers";

/// A real number of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Real {
    /// A linear form in the continuous draws.
    Form(Form),
    /// An irrational constant between two rationals.
    Between(Rational, Rational),
    /// A uniform number in (0, 1]: the draw itself, or e^(−draw); its first use decides.
    Uniform(usize),
    /// The multiple of the grid nearest to a form that is not constant.
    Stepped(Form, Rational),
    /// A number that is none of these, as a quotient of two draws; it may be released, and not be looked at. The number says which
    /// one of the path it is: two of them are the same only if one was copied.
    Vague(usize),
}

impl Real {
    fn constant(x: Rational) -> Real {
        Real::Form(Form::constant(x))
    }

    /// The value of a rational constant.
    pub(crate) fn known(&self) -> Option<&Rational> {
        match self {
            Real::Form(form) if form.is_constant() => Some(&form.constant),
            _ => None,
        }
    }

    /// Bounds of a constant.
    pub(crate) fn bounds(&self) -> Option<(Rational, Rational)> {
        match self {
            Real::Between(low, high) => Some((low.clone(), high.clone())),
            _ => self.known().map(|x| (x.clone(), x.clone())),
        }
    }
}

/// A probability: an exact factor, and bounds of an irrational one if there is any.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chance {
    pub(crate) exact: Rational,
    /// Invariant: 0 ≤ low ≤ high.
    pub(crate) bounds: Option<(Float, Float)>,
}

impl Chance {
    pub(crate) fn exactly(exact: Rational) -> Chance {
        Chance { exact, bounds: None }
    }

    /// A probability between two bounds, the lower of which is not negative.
    pub(crate) fn between(low: &Rational, high: &Rational) -> Chance {
        if low == high {
            return Chance::exactly(low.clone());
        }
        let bounds = (CHANCES.round(low, Round::Down), CHANCES.round(high, Round::Up));
        Chance { exact: Rational::ONE, bounds: Some(bounds) }
    }

    pub(crate) fn times(&self, other: &Chance) -> Chance {
        let exact = match (self.exact.is_one(), other.exact.is_one()) {
            (true, _) => other.exact.clone(),
            (_, true) => self.exact.clone(),
            _ => &self.exact * &other.exact,
        };
        let bounds = match (&self.bounds, &other.bounds) {
            (Some(a), Some(b)) => {
                Some((CHANCES.mul(&a.0, &b.0, Round::Down), CHANCES.mul(&a.1, &b.1, Round::Up)))
            }
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        Chance { exact, bounds }
    }

    /// Lower and upper bound, the exact factor included.
    pub(crate) fn ends(&self) -> (Float, Float) {
        let ends = (CHANCES.round(&self.exact, Round::Down), CHANCES.round(&self.exact, Round::Up));
        match &self.bounds {
            None => ends,
            Some(b) if self.exact.is_one() => b.clone(),
            Some(b) => (CHANCES.mul(&ends.0, &b.0, Round::Down), CHANCES.mul(&ends.1, &b.1, Round::Up)),
        }
    }
}

/// A value of a discrete draw and its probability.
pub(crate) type Weighted = (Value<Real>, Chance);

/// One choice on the tape.
#[derive(Debug, Clone)]
pub(crate) enum Choice {
    /// The outcome of a comparison.
    Branch(bool),
    /// The value of a discrete draw; shared by all paths that make this choice.
    Draw(Rc<Weighted>),
}

/// The law that a path needs a choice from.
pub(crate) type Needed = Draw<Real>;

/// The world of one path.
#[derive(Debug, Clone)]
pub(crate) struct RealWorld<'a> {
    pub(crate) tape: Vec<Choice>,
    position: usize,
    pub(crate) noises: Vec<Noise>,
    pub(crate) conditions: Conditions,
    pub(crate) chance: Chance,
    pub(crate) needed: Option<Needed>,
    /// How many discrete draws the path has made.
    pub(crate) discrete_draws: usize,
    /// A bound of the probability that this path goes on otherwise than the program does, since irrational scales, centers and
    /// thresholds are replaced by rational numbers next to them.
    pub(crate) slack: Rational,
    /// How many vague numbers the path has met.
    vague: usize,
    event: Option<&'a Event>,
}

impl<'a> RealWorld<'a> {
    /// A world that follows only paths into the event, if there is one.
    pub(crate) fn new(event: Option<&'a Event>) -> Self {
        RealWorld {
            tape: Vec::new(),
            position: 0,
            noises: Vec::new(),
            conditions: Conditions::default(),
            chance: Chance::exactly(Rational::ONE),
            needed: None,
            discrete_draws: 0,
            slack: Rational::ZERO,
            vague: 0,
            event,
        }
    }

    /// The path so far, for a world that looks for no event.
    pub(crate) fn without_event(&self) -> RealWorld<'static> {
        RealWorld {
            tape: Vec::new(),
            position: 0,
            noises: self.noises.clone(),
            conditions: self.conditions.clone(),
            chance: self.chance.clone(),
            needed: None,
            discrete_draws: self.discrete_draws,
            slack: self.slack.clone(),
            vague: self.vague,
            event: None,
        }
    }

    /// Starts a new path with these choices.
    pub(crate) fn restart(&mut self, tape: Vec<Choice>) {
        let event = self.event;
        *self = RealWorld { tape, ..RealWorld::new(event) };
    }

    /// Decides form ≤ 0, for a form that is not constant, by what is known, or else by the tape.
    fn not_positive(&mut self, form: &Form) -> Result<bool, Stop> {
        if let Some(known) = self.conditions.implies_not_positive(form) {
            return Ok(known);
        }
        match self.tape.get(self.position) {
            Some(Choice::Branch(holds)) => {
                let holds = *holds;
                self.position += 1;
                let condition = if holds { form.clone() } else { form.scaled(&Rational::from(-1)) };
                self.require(&condition)?;
                Ok(holds)
            }
            Some(Choice::Draw(_)) => Err(wrong("the tape", "read in the order that it was written")),
            None => Err(Stop::Branch),
        }
    }

    /// Adds form ≤ 0 to the path.
    fn require(&mut self, form: &Form) -> Result<(), Stop> {
        let possible = match form.is_constant() {
            true => form.constant <= Rational::ZERO,
            false => self.conditions.require_not_positive(form),
        };
        if possible { Ok(()) } else { Err(Stop::Pruned) }
    }

    /// Adds what the event asks of a released value.
    fn require_condition(&mut self, condition: &Condition, value: &Value<Real>) -> Result<(), Stop> {
        let holds = |yes: bool| if yes { Ok(()) } else { Err(Stop::Pruned) };
        match (condition, value) {
            (Condition::Anything, _) => Ok(()),
            (Condition::Is(Outcome::Bool(expected)), Value::Bool(b)) => holds(b == expected),
            (Condition::Is(Outcome::Number(expected)), Value::Number(x)) => match x {
                Real::Form(form) if form.is_constant() => holds(form.constant == *expected),
                Real::Stepped(form, grid) => {
                    holds((expected / grid).is_int())?;
                    let half = grid / Rational::from(2);
                    self.require(&form.minus(&Form::constant(expected + &half)))?;
                    self.require(&Form::constant(expected - half).minus(form))
                }
                // A single value of a continuous number has no probability.
                Real::Form(_) | Real::Uniform(_) => Err(Stop::Pruned),
                Real::Vague(_) => Err(unsupported(VAGUE)),
                Real::Between(low, high) => match low > expected || high < expected {
                    true => Err(Stop::Pruned),
                    false => Err(Stop::Undecided),
                },
            },
            (Condition::AtMost(bound) | Condition::AtLeast(bound), Value::Number(x)) => {
                let upper = matches!(condition, Condition::AtMost(_));
                let above = match x {
                    Real::Stepped(form, grid) => {
                        let operation = if upper { Binary::Le } else { Binary::Ge };
                        form.minus(&Form::constant(stepped_bound(bound, grid, operation)))
                    }
                    Real::Between(..) => {
                        let operation = if upper { Binary::Le } else { Binary::Ge };
                        return holds(self.compare(operation, x, &Real::constant(bound.clone()))?);
                    }
                    _ => self.plain(x)?.minus(&Form::constant(bound.clone())),
                };
                self.require(&if upper { above } else { above.scaled(&Rational::from(-1)) })
            }
            (Condition::Between(low, high), _) => {
                self.require_condition(&Condition::AtLeast(low.clone()), value)?;
                self.require_condition(&Condition::AtMost(high.clone()), value)
            }
            _ => Err(Stop::Pruned),
        }
    }

    /// Adds what the event that this world looks for asks of the whole output.
    pub(crate) fn require_event(&mut self, output: &Value<Real>) -> Result<(), Stop> {
        self.event.map_or(Ok(()), |event| self.require_output(event, output))
    }

    /// Adds what an event, which is no union, asks of the whole output.
    pub(crate) fn require_output(&mut self, event: &Event, output: &Value<Real>) -> Result<(), Stop> {
        match (event, output) {
            (Event::Value(condition), value) => self.require_condition(condition, value),
            // The entries were looked at when they were appended, or are now; twice does no harm.
            (Event::List(conditions), Value::List(items)) if items.len() == conditions.len() => {
                for (condition, item) in conditions.iter().zip(items) {
                    self.require_condition(condition, item)?;
                }
                Ok(())
            }
            (Event::Related { entries, relations }, Value::List(items)) if items.len() == entries.len() => {
                for (condition, item) in entries.iter().zip(items) {
                    self.require_condition(condition, item)?;
                }
                for Relation { terms, condition } in relations {
                    let mut sum = Form::constant(Rational::ZERO);
                    for (place, factor) in terms {
                        let Some(Value::Number(item)) = items.get(*place) else { return Err(Stop::Pruned) };
                        sum = sum.plus(&self.plain(item)?.scaled(factor));
                    }
                    // Noise that the entries share may have cancelled: then the sum is a constant.
                    self.require_condition(condition, &Value::Number(Real::Form(sum)))?;
                }
                Ok(())
            }
            _ => Err(Stop::Pruned),
        }
    }

    /// A number as a linear form.
    fn plain(&mut self, x: &Real) -> Result<Form, Stop> {
        match x {
            Real::Form(form) => Ok(form.clone()),
            Real::Uniform(draw) => {
                self.settle(*draw, Noise::Uniform)?;
                Ok(Form::draw(*draw))
            }
            Real::Between(..) => Err(unsupported("arithmetic on a random and an irrational number")),
            Real::Stepped(..) => Err(unsupported("arithmetic on a rounded random number")),
            Real::Vague(_) => Err(unsupported(VAGUE)),
        }
    }

    /// A number that is not followed any further.
    fn unfollowed(&mut self) -> Real {
        self.vague += 1;
        Real::Vague(self.vague)
    }

    /// A number, or a vague one in place of what has no linear form.
    fn or_vague(&mut self, found: Result<Form, Stop>) -> Result<Real, Stop> {
        match found {
            Ok(form) => Ok(Real::Form(form)),
            Err(stop) => self.in_place_of(stop),
        }
    }

    /// The center of a draw with a density at most 1/scale: an irrational one by a rational next to it. Noise that is moved by d
    /// has another law by at most d/scale in all.
    fn center(&mut self, x: &Real, scale: &Rational) -> Result<Form, Stop> {
        let Real::Between(low, high) = x else { return self.plain(x) };
        let near = NEAR.round(low, Round::Down).to_rational().unwrap_or_default();
        self.add_slack((high - &near) / scale);
        Ok(Form::constant(near))
    }

    /// Adds to the slack, rounded up so that it stays short.
    fn add_slack(&mut self, slack: Rational) {
        if slack > Rational::ZERO {
            self.slack += pow2_at_least(&slack);
        }
    }

    /// A bound of the density of a form that is not constant: that of any of its draws, whatever the others are.
    fn density(&self, form: &Form) -> Rational {
        let of = |(draw, c): &(usize, Rational)| {
            let size = if *c < Rational::ZERO { -c } else { c.clone() };
            let width = match &self.noises[*draw] {
                Noise::Laplace(scale) | Noise::Exponential(scale) => scale.clone(),
                // The density is below 1/deviation, and the deviation at least the smaller of the variance and 1.
                Noise::Gaussian(variance) => variance.clone().min(Rational::ONE),
                Noise::Uniform | Noise::Unused => Rational::ONE,
            };
            Rational::ONE / (size * width)
        };
        form.terms.iter().map(of).min().unwrap_or(Rational::ONE)
    }

    /// Decides how a uniform draw is used: as it is, or through its logarithm.
    fn settle(&mut self, draw: usize, use_as: Noise) -> Result<(), Stop> {
        let noise = &mut self.noises[draw];
        if *noise == Noise::Unused {
            *noise = use_as;
        } else if *noise != use_as {
            return Err(unsupported("a uniform draw that is used both plainly and through its logarithm"));
        }
        Ok(())
    }

    fn fresh(&mut self, noise: Noise) -> usize {
        self.noises.push(noise);
        self.noises.len() - 1
    }

    /// The positive scale of a continuous draw; an irrational one by a rational next to it. Laplace, exponential and normal laws
    /// of two scales s < t differ by at most (t − s)/s on any set: what lies on one side of a number u has a probability
    /// that moves by at most (t/s − 1)·sup u·f(u), which is below half of that, and there are two sides.
    fn scale(&mut self, x: &Real) -> Result<Rational, Stop> {
        match (x.known(), x) {
            (Some(scale), _) if *scale > Rational::ZERO => Ok(scale.clone()),
            (Some(_), _) => {
                Err(AuditError::Domain { operation: "a scale", allowed: "it is positive" }.into())
            }
            (None, Real::Between(low, high)) if *low > Rational::ZERO => {
                let near = NEAR.round(low, Round::Down).to_rational().unwrap_or_default();
                self.add_slack((high - &near) / &near);
                Ok(near)
            }
            (None, _) => Err(unsupported("a continuous draw whose scale is random")),
        }
    }
}

impl World for RealWorld<'_> {
    type Number = Real;

    fn constant(&self, x: &Rational) -> Real {
        Real::constant(x.clone())
    }

    fn bits(&self, a: &Real) -> usize {
        match a {
            Real::Form(form) => {
                form.terms.iter().map(|(_, c)| bits(c)).max().unwrap_or(0).max(bits(&form.constant))
            }
            Real::Between(low, high) => bits(low).max(bits(high)),
            Real::Stepped(form, _) => bits(&form.constant),
            Real::Uniform(_) | Real::Vague(_) => 0,
        }
    }

    fn in_place_of(&mut self, stop: Stop) -> Result<Real, Stop> {
        match stop {
            Stop::Error(error) if matches!(*error, AuditError::Unsupported { .. }) => Ok(self.unfollowed()),
            other => Err(other),
        }
    }

    fn unary(&mut self, operation: Unary, a: &Real) -> Result<Real, Stop> {
        if let (Unary::Ln, Real::Uniform(draw)) = (operation, a) {
            self.settle(*draw, Noise::Exponential(Rational::ONE))?;
            return Ok(Real::Form(Form::draw(*draw).scaled(&Rational::from(-1))));
        }
        // floor(w) is the integer nearest to w − 1/2; ties have no probability.
        if let (Unary::Floor, Real::Form(_) | Real::Uniform(_)) = (operation, a)
            && a.known().is_none()
        {
            let half = Form::constant(Rational::ONE / Rational::from(2));
            return Ok(Real::Stepped(self.plain(a)?.minus(&half), Rational::ONE));
        }
        if let Real::Vague(_) = a {
            return Ok(self.unfollowed());
        }
        if operation == Unary::Neg {
            return match a {
                Real::Between(low, high) => Ok(Real::Between(-high, -low)),
                Real::Stepped(form, grid) => {
                    Ok(Real::Stepped(form.scaled(&Rational::from(-1)), grid.clone()))
                }
                _ => {
                    let negated = self.plain(a).map(|form| form.scaled(&Rational::from(-1)));
                    self.or_vague(negated)
                }
            };
        }
        if let (Unary::Abs, Real::Form(form)) = (operation, a)
            && !form.is_constant()
        {
            let negated = form.scaled(&Rational::from(-1));
            return Ok(Real::Form(if self.not_positive(form)? { negated } else { form.clone() }));
        }
        let Some((low, high)) = a.bounds() else { return Ok(self.unfollowed()) };
        let exact = low == high;
        match operation {
            Unary::Abs if exact => Ok(Real::constant(if low < Rational::ZERO { -low } else { low })),
            Unary::Floor if low.floor() == high.floor() => Ok(Real::constant(Rational::from(low.floor()))),
            Unary::Pow2AtLeast if low > Rational::ZERO => {
                let (down, up) = (pow2_at_least(&low), pow2_at_least(&high));
                if down == up { Ok(Real::constant(down)) } else { Err(Stop::Undecided) }
            }
            Unary::Ln if low > Rational::ZERO => match exact && low == Rational::ONE {
                true => Ok(Real::constant(Rational::ZERO)),
                false => {
                    let down = ln_bounds(&low, BITS).map(|b| b.0).unwrap_or_default();
                    let up = ln_bounds(&high, BITS).map(|b| b.1).unwrap_or_default();
                    Ok(Real::Between(down, up))
                }
            },
            Unary::Sqrt if high <= Rational::ZERO => Ok(Real::constant(Rational::ZERO)),
            Unary::Sqrt => {
                let (down, up) = (root(&low.max(Rational::ZERO)).0, root(&high).1);
                Ok(if down == up { Real::constant(down) } else { Real::Between(down, up) })
            }
            Unary::Exp
                if bits(&low).max(bits(&high)) >= MOST_BITS || !is_exponent(&low) || !is_exponent(&high) =>
            {
                Err(AuditError::TooLarge.into())
            }
            Unary::Exp => {
                let (down, up) =
                    (exp_bounds(&low, BITS).0.to_rational(), exp_bounds(&high, BITS).1.to_rational());
                match (down, up) {
                    (Some(down), Some(up)) if down == up => Ok(Real::constant(down)),
                    (Some(down), Some(up)) => Ok(Real::Between(down, up)),
                    _ => Err(AuditError::TooLarge.into()),
                }
            }
            // Outside the positive numbers the value is 0.
            Unary::Ln | Unary::Pow2AtLeast if high <= Rational::ZERO => Ok(Real::constant(Rational::ZERO)),
            _ => Err(unsupported("this function of an irrational number")),
        }
    }

    fn binary(&mut self, operation: Binary, a: &Real, b: &Real) -> Result<Real, Stop> {
        if let (Some(x), Some(y)) = (a.known(), b.known()) {
            let positive = *y > Rational::ZERO;
            return Ok(Real::constant(match operation {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div if !y.is_zero() => x / y,
                Binary::Mod if positive => x - Rational::from((x / y).floor()) * y,
                Binary::RoundTo if positive => Rational::from(round_half_even(&(x / y))) * y,
                Binary::Min => x.min(y).clone(),
                Binary::Max => x.max(y).clone(),
                // A quotient by 0, a modulus or a grid that is not positive.
                _ => Rational::ZERO,
            }));
        }
        if let (Some(x), Some(y)) = (a.bounds(), b.bounds()) {
            return between(operation, x, y);
        }
        if matches!(a, Real::Vague(_)) || matches!(b, Real::Vague(_)) {
            return Ok(self.unfollowed());
        }
        let found = match (operation, a, b) {
            (Binary::Min | Binary::Max, _, _) => {
                let first_smaller = self.compare(Binary::Le, a, b)?;
                return Ok(if first_smaller == (operation == Binary::Min) { a.clone() } else { b.clone() });
            }
            (Binary::RoundTo, Real::Form(form), _) => match b.known() {
                Some(grid) if *grid > Rational::ZERO => {
                    return Ok(Real::Stepped(form.clone(), grid.clone()));
                }
                Some(_) => Ok(Form::constant(Rational::ZERO)),
                None => Err(unsupported(VAGUE)),
            },
            (Binary::Add, _, _) => self.plain(a).and_then(|x| Ok(x.plus(&self.plain(b)?))),
            (Binary::Sub, _, _) => self.plain(a).and_then(|x| Ok(x.minus(&self.plain(b)?))),
            (Binary::Mul, _, _) => match (a.known(), b.known()) {
                (Some(x), _) => self.plain(b).map(|form| form.scaled(x)),
                (_, Some(y)) => self.plain(a).map(|form| form.scaled(y)),
                _ => Err(unsupported(VAGUE)),
            },
            (Binary::Div, _, _) => match b.known() {
                Some(y) if !y.is_zero() => self.plain(a).map(|form| form.scaled(&(Rational::ONE / y))),
                Some(_) => Ok(Form::constant(Rational::ZERO)),
                None => Err(unsupported(VAGUE)),
            },
            _ => Err(unsupported(VAGUE)),
        };
        self.or_vague(found)
    }

    fn compare(&mut self, operation: Binary, a: &Real, b: &Real) -> Result<bool, Stop> {
        if let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.bounds(), b.bounds()) {
            if a_low == a_high && b_low == b_high {
                return Ok(match operation {
                    Binary::Lt => a_low < b_low,
                    Binary::Le => a_low <= b_low,
                    Binary::Eq => a_low == b_low,
                    Binary::Ne => a_low != b_low,
                    Binary::Ge => a_low >= b_low,
                    _ => a_low > b_low,
                });
            }
            let below = match (a_high < b_low, a_low > b_high) {
                (true, _) => true,
                (_, true) => false,
                _ => return Err(Stop::Undecided),
            };
            return Ok(match operation {
                Binary::Lt | Binary::Le => below,
                Binary::Eq => false,
                Binary::Ne => true,
                _ => !below,
            });
        }
        let difference = match (a, b.known(), a.known(), b) {
            // The nearest multiple of g to w is at most c exactly when w lies below the middle after the last
            // multiple up to c; ties have no probability.
            (Real::Stepped(form, grid), Some(c), _, _) => {
                form.minus(&Form::constant(stepped_bound(c, grid, operation)))
            }
            (_, _, Some(c), Real::Stepped(form, grid)) => {
                let mirrored = match operation {
                    Binary::Lt => Binary::Gt,
                    Binary::Le => Binary::Ge,
                    Binary::Gt => Binary::Lt,
                    Binary::Ge => Binary::Le,
                    same => same,
                };
                return self.compare(
                    mirrored,
                    &Real::Stepped(form.clone(), grid.clone()),
                    &Real::constant(c.clone()),
                );
            }
            // A random number and an irrational one, which is replaced by a rational next to it: only what lies between the two is
            // decided otherwise.
            (Real::Form(_) | Real::Uniform(_), _, _, Real::Between(low, high)) => {
                let form = self.plain(a)?;
                let near = NEAR.round(low, Round::Down).to_rational().unwrap_or_default();
                self.add_slack((high - &near) * self.density(&form));
                form.minus(&Form::constant(near))
            }
            (Real::Between(low, high), _, _, Real::Form(_) | Real::Uniform(_)) => {
                let form = self.plain(b)?;
                let near = NEAR.round(low, Round::Down).to_rational().unwrap_or_default();
                self.add_slack((high - &near) * self.density(&form));
                Form::constant(near).minus(&form)
            }
            _ => self.plain(a)?.minus(&self.plain(b)?),
        };
        match operation {
            Binary::Eq | Binary::Ne if matches!(a, Real::Stepped(..)) => {
                Err(unsupported("equality of a rounded number"))
            }
            _ if difference.is_constant() => Ok(match operation {
                Binary::Lt => difference.constant < Rational::ZERO,
                Binary::Le => difference.constant <= Rational::ZERO,
                Binary::Eq => difference.constant.is_zero(),
                Binary::Ne => !difference.constant.is_zero(),
                Binary::Ge => difference.constant >= Rational::ZERO,
                _ => difference.constant > Rational::ZERO,
            }),
            // Equality of continuous numbers has no probability.
            Binary::Eq => Ok(false),
            Binary::Ne => Ok(true),
            Binary::Lt | Binary::Le => self.not_positive(&difference),
            _ => Ok(!self.not_positive(&difference)?),
        }
    }

    fn integer(&self, a: &Real) -> Result<i64, Stop> {
        integer(a.known())
    }

    fn draw(&mut self, law: &Draw<Real>) -> Result<Value<Real>, Stop> {
        let argument =
            |i: usize| law.arguments.get(i).ok_or_else(|| wrong("a draw", "given all its arguments"));
        match law.kind {
            LawKind::Uniform => {
                let draw = self.fresh(Noise::Unused);
                Ok(Value::Number(Real::Uniform(draw)))
            }
            LawKind::Laplace => {
                let scale = self.scale(argument(1)?)?;
                let center = match self.center(argument(0)?, &scale) {
                    Ok(center) => center,
                    Err(stop) => return self.in_place_of(stop).map(Value::Number),
                };
                let draw = self.fresh(Noise::Laplace(scale));
                Ok(Value::Number(Real::Form(center.plus(&Form::draw(draw)))))
            }
            LawKind::Exponential => {
                let scale = self.scale(argument(0)?)?;
                let draw = self.fresh(Noise::Exponential(scale));
                Ok(Value::Number(Real::Form(Form::draw(draw))))
            }
            LawKind::Gaussian => {
                let deviation = self.scale(argument(1)?)?;
                let center = match self.center(argument(0)?, &deviation) {
                    Ok(center) => center,
                    Err(stop) => return self.in_place_of(stop).map(Value::Number),
                };
                let draw = self.fresh(Noise::Gaussian(&deviation * &deviation));
                Ok(Value::Number(Real::Form(center.plus(&Form::draw(draw)))))
            }
            _ => match self.tape.get(self.position) {
                Some(Choice::Draw(weighted)) => {
                    let value = weighted.0.clone();
                    self.chance = self.chance.times(&weighted.1);
                    self.discrete_draws += 1;
                    self.position += 1;
                    Ok(value)
                }
                Some(Choice::Branch(_)) => Err(wrong("the tape", "read in the order that it was written")),
                None => {
                    self.needed = Some(law.clone());
                    Err(Stop::Draw)
                }
            },
        }
    }

    fn appended(&mut self, position: usize, value: &Value<Real>) -> Result<(), Stop> {
        match self.event {
            Some(Event::List(conditions) | Event::Related { entries: conditions, .. }) => {
                match conditions.get(position) {
                    Some(condition) => self.require_condition(&condition.clone(), value),
                    None => Err(Stop::Pruned),
                }
            }
            _ => Ok(()),
        }
    }
}
