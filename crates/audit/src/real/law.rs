//! The law of an output over the reals, where the output is discrete: by the paths of the program, each with its exact or
//! enclosed probability.

use std::collections::BTreeMap;

use probity_exact::{Float, Integer, Natural, Rational, Round, UnsignedAbs};
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::deadline::Deadline;
use crate::error::AuditError;
use crate::integrate::integral;
use crate::integrate::linear::Form;
use crate::integrate::meter::Meter;
use crate::integrate::piecewise::Enclosed;
use crate::integrate::sum::KnownSums;
use crate::output::law::{Law, LawBuilder, Mass};
use crate::output::outcome::{Inputs, Outcome, Parameters};
use crate::real::paths::{Depth, Explorer, add_to, outcome};
use crate::real::world::{CHANCES, Real, RealWorld};
use crate::run::program::Value;

/// The law of a mechanism with discrete draws only, over the reals.
///
/// With rational probabilities it is exact. Probabilities like e^(−1/s) are enclosed. Infinite supports are cut; what is
/// cut off is the law's escaped mass.
pub fn real_law(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    depth: Depth,
) -> Result<Law, AuditError> {
    law_by_paths(
        Case::new(mechanism, parameters, inputs),
        depth,
        Masses { integrate: false, ..Masses::default() },
    )
}

/// The law of a discrete output over the reals, also of continuous draws that are compared, or rounded and clamped:
/// their probabilities are integrals, enclosed to many bits.
pub fn integrated_law(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    depth: Depth,
) -> Result<Law, AuditError> {
    Case::new(mechanism, parameters, inputs).integrated_law(depth)
}

impl Case<'_> {
    /// The law of a discrete output over the reals; see [`integrated_law`].
    pub fn integrated_law(self, depth: Depth) -> Result<Law, AuditError> {
        law_by_paths(self, depth, Masses { integrate: true, ..Masses::default() })
    }
}

fn law_by_paths(case: Case<'_>, depth: Depth, mut masses: Masses) -> Result<Law, AuditError> {
    masses.until = case.deadline();
    let mut explorer = Explorer::new(case, depth)?;
    let complete = explorer.follow(None, &mut |world, output| masses.add_path(world, output))?;
    if !complete {
        return Err(AuditError::Unsupported { what: "a law with more paths than the limit" });
    }
    if !explorer.slack().is_zero() {
        return Err(AuditError::Unsupported { what: "the law of continuous draws with irrational scales" });
    }
    Ok(masses.law(&explorer.cut()))
}

const CONTINUOUS: AuditError =
    AuditError::Unsupported { what: "the law of a continuous output; ask for the probability of an event" };

/// Most multiples of a grid that one path may release.
const MOST_MULTIPLES: i64 = 1 << 14;

/// The masses of the outcomes seen so far.
#[derive(Default)]
struct Masses {
    /// Whether paths with continuous draws are integrated, or refused.
    integrate: bool,
    until: Deadline,
    known: KnownSums,
    /// Per outcome, a sum of exact probabilities and a sum of bounds.
    sums: BTreeMap<Outcome, (Rational, (Float, Float))>,
}

impl Masses {
    fn add_path(&mut self, world: &RealWorld<'_>, output: &Value<Real>) -> Result<(), AuditError> {
        if let (Some(outcome), true) = (outcome(output), world.noises.is_empty()) {
            match &world.chance.bounds {
                None => self.entry(outcome).0 += &world.chance.exact,
                Some(_) => {
                    let (low, high) = world.chance.ends();
                    add_to(&mut self.entry(outcome).1, &low, &high);
                }
            }
            return Ok(());
        }
        if !self.integrate {
            return Err(CONTINUOUS);
        }
        match (outcome(output), output) {
            (Some(outcome), _) => self.add_continuous(world, outcome),
            (None, Value::Number(Real::Stepped(form, grid))) => {
                let (low, high) = world.conditions.bounds(form).ok_or(CONTINUOUS)?;
                // Each multiple between the bounds, with the half cells at the ends.
                let half = Rational::ONE / Rational::from(2);
                let first = (low / grid - &half).floor();
                let last = (high / grid + &half).ceil();
                if &last - &first > Integer::from(MOST_MULTIPLES) {
                    return Err(CONTINUOUS);
                }
                let mut k = first;
                while k <= last {
                    let center = Rational::from(k.clone()) * grid;
                    let mut cell = world.clone();
                    let below = form.minus(&Form::constant(&center + grid * &half));
                    let above = Form::constant(&center - grid * &half).minus(form);
                    let possible = cell.conditions.require_not_positive(&below)
                        && cell.conditions.require_not_positive(&above);
                    if possible {
                        self.add_continuous(&cell, Outcome::Number(center))?;
                    }
                    k += Integer::ONE;
                }
                Ok(())
            }
            _ => Err(CONTINUOUS),
        }
    }

    /// Adds a path whose continuous draws are under conditions.
    fn add_continuous(&mut self, world: &RealWorld<'_>, outcome: Outcome) -> Result<(), AuditError> {
        let noise: Enclosed = integral::probability(
            &world.noises,
            &world.conditions,
            &mut Meter::new(&self.until, &self.known),
        )?;
        let (low, high) = world.chance.ends();
        let zero = Float::zero(false);
        let below = if noise.low().is_negative() { &zero } else { noise.low() };
        let low = CHANCES.mul(&low, below, Round::Down);
        let high = CHANCES.mul(&high, noise.high(), Round::Up);
        add_to(&mut self.entry(outcome).1, &low, &high);
        Ok(())
    }

    fn entry(&mut self, outcome: Outcome) -> &mut (Rational, (Float, Float)) {
        self.sums.entry(outcome).or_insert_with(|| (Rational::ZERO, (Float::zero(false), Float::zero(false))))
    }

    fn law(self, cut: &Rational) -> Law {
        if cut.is_zero() && self.sums.values().all(|(_, bounds)| bounds.1.is_zero()) {
            let mut law = LawBuilder::default();
            for (outcome, (mass, _)) in self.sums {
                law.add(outcome, &mass.numerator().unsigned_abs(), mass.denominator());
            }
            return law.finish();
        }
        // Fixed-point masses that keep 160 bits of the smallest one.
        let exponents = self.sums.values().filter_map(|(_, bounds)| bounds.1.leading_exponent());
        let places = 160 + exponents.min().map_or(0, |e| (-e).clamp(0, 1 << 16)) as usize;
        let unit = Rational::from(Natural::ONE << places);
        let entries = self.sums.into_iter().filter_map(|(outcome, (exact, (low, high)))| {
            let (low, high) = (&exact + low.to_rational()?, exact + high.to_rational()?);
            let low = (low * &unit).floor().unsigned_abs();
            Some((outcome, Mass { low, high: (high * &unit).ceil().unsigned_abs() }))
        });
        let entries: Vec<_> = entries.collect();
        Law::enclosed(Natural::ONE << places, entries, (cut * unit).ceil().unsigned_abs())
    }
}
