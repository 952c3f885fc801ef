//! The probability that a sum of multiples of independent draws lies in an interval: the density of the sum by convolution,
//! one draw after the other. Piecewise sums of c·t^k·e^(λt) stay such sums.

use std::cell::RefCell;
use std::rc::Rc;

use probity_exact::{Rational, Sign};

use crate::error::AuditError;
use crate::integrate::forest::Function;
use crate::integrate::linear::{Noise, Window};
use crate::integrate::meter::Meter;
use crate::integrate::piecewise::{Enclosed, Piecewise, Scalar};

/// Draws beyond which a sum is not looked at.
const MOST: usize = 200;

/// The probability that the window holds; `None` if a draw is normal, or there are too many.
pub(crate) fn probability<S: Scalar>(
    noises: &[Noise],
    window: &Window,
    meter: &mut Meter,
) -> Result<Option<S>, AuditError> {
    let Some(((first, c), others)) = window.terms.split_first() else { return Ok(None) };
    if window.terms.len() > MOST {
        return Ok(None);
    }
    // The same sum is asked about again and again, with other bounds.
    let key: Sum = window.terms.iter().map(|(draw, c)| (noises[*draw].clone(), c.clone())).collect();
    let n = window.terms.len();
    meter.work += n * n;
    let density = match meter.sums.find(&key) {
        Some(known) => known,
        None => {
            let Some(density) = Piecewise::<S>::density(&noises[*first]) else { return Ok(None) };
            // The density of c·X at t is f(t/c)/|c|.
            let size = if c.sign() == Sign::Negative { -c } else { c.clone() };
            let mut density =
                scaled(&density.composed(&(Rational::ONE / c), &Rational::ZERO), &(Rational::ONE / size));
            for (draw, c) in others {
                meter.until.check()?;
                meter.work += 8 * n * n;
                let Some(next) = convolved(&density, &noises[*draw], c) else { return Ok(None) };
                density = next.vanishing();
            }
            let density = Rc::new(density);
            meter.sums.keep(key, density.clone());
            density
        }
    };
    let within = density.restricted(window.low.as_ref(), window.high.as_ref());
    Ok(within.antiderivative().and_then(|primitive| primitive.limit()))
}

/// Draws, each with its factor.
pub(crate) type Sum = Vec<(Noise, Rational)>;

/// Densities of sums.
pub(crate) type Densities<S> = RefCell<Vec<(Sum, Rc<Piecewise<S>>)>>;

/// Sums that are remembered.
const REMEMBERED: usize = 16;

/// Densities of sums that were met, by guesses and by decisions. Clones are the same memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownSums(Rc<(Densities<f64>, Densities<Enclosed>)>);

impl KnownSums {
    pub(crate) fn guessed(&self) -> &Densities<f64> {
        &self.0.0
    }

    pub(crate) fn decided(&self) -> &Densities<Enclosed> {
        &self.0.1
    }

    fn find<S: Scalar>(&self, sum: &Sum) -> Option<Rc<Piecewise<S>>> {
        S::of(self).borrow().iter().find(|(key, _)| key == sum).map(|(_, density)| density.clone())
    }

    fn keep<S: Scalar>(&self, sum: Sum, density: Rc<Piecewise<S>>) {
        let mut known = S::of(self).borrow_mut();
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push((sum, density));
    }
}

fn scaled<S: Scalar>(f: &Piecewise<S>, factor: &Rational) -> Piecewise<S> {
    f.times(&Piecewise::constant(&S::from_rational(factor)))
}

/// t ↦ f(−t).
fn mirrored<S: Scalar>(f: &Piecewise<S>) -> Piecewise<S> {
    f.composed(&Rational::from(-1), &Rational::ZERO)
}

/// t ↦ ∫_{−∞}^t f(x)·e^((x − t)/scale) dx.
fn decayed<S: Scalar>(f: &Piecewise<S>, scale: &Rational) -> Option<Piecewise<S>> {
    let rate = Rational::ONE / scale;
    let primitive = f.times(&Piecewise::exp(&rate)).antiderivative()?;
    Some(primitive.times(&Piecewise::exp(&-rate)))
}

/// The density of X + c·Y, for X of the given density and Y of the noise.
fn convolved<S: Scalar>(f: &Piecewise<S>, noise: &Noise, c: &Rational) -> Option<Piecewise<S>> {
    // Y and −Y have the same law, or the whole line is turned round.
    if c.sign() == Sign::Negative && !matches!(noise, Noise::Laplace(_)) {
        return Some(mirrored(&convolved(&mirrored(f), noise, &-c)?));
    }
    let size = if c.sign() == Sign::Negative { -c } else { c.clone() };
    match noise {
        Noise::Laplace(scale) => {
            let scale = scale * size;
            let (left, right) = (decayed(f, &scale)?, mirrored(&decayed(&mirrored(f), &scale)?));
            let both = left.minus(&scaled(&right, &Rational::from(-1)));
            Some(scaled(&both, &(Rational::ONE / (Rational::from(2) * scale))))
        }
        Noise::Exponential(scale) => {
            let scale = scale * size;
            Some(scaled(&decayed(f, &scale)?, &(Rational::ONE / scale)))
        }
        Noise::Uniform | Noise::Unused => {
            let primitive = f.antiderivative()?;
            let before = primitive.composed(&Rational::ONE, &-size.clone());
            Some(scaled(&primitive.minus(&before), &(Rational::ONE / size)))
        }
        Noise::Gaussian(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::polytope;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    /// Where both methods apply, they agree: sums of three draws of all kinds.
    #[test]
    fn it_agrees_with_elimination() {
        let noises =
            [Noise::Laplace(r(3, 2)), Noise::Exponential(r(1, 2)), Noise::Uniform, Noise::Laplace(r(1, 1))];
        let factors = [r(1, 1), r(-2, 1), r(1, 3)];
        for a in 0..4 {
            for b in 0..4 {
                let chosen = [noises[a].clone(), noises[b].clone(), noises[(a + b) % 4].clone()];
                for turn in 0..3 {
                    let terms = (0..3).map(|i| (i, factors[(i + turn) % 3].clone())).collect();
                    let window = Window { terms, low: Some(r(-1, 2)), high: Some(r(5, 4)) };
                    let mut meter = Meter::default();
                    let found: Enclosed = probability(&chosen, &window, &mut meter).unwrap().unwrap();
                    let expected = polytope::probability(&chosen, &[&window], &mut meter).unwrap();
                    assert!(
                        found.intersection(&expected).is_some(),
                        "{chosen:?} {window:?}: {found:?} {expected:?}"
                    );
                    assert!(found.width_up().to_rational().unwrap() < r(1, 1 << 60));
                }
            }
        }
    }

    /// Ten uniform numbers: at most 1 with probability 1/10!, at most 5 with probability 1/2.
    #[test]
    fn ten_uniform_numbers() {
        let noises = vec![Noise::Uniform; 10];
        let below = |high: i64| {
            let terms = (0..10).map(|i| (i, r(1, 1))).collect();
            let window = Window { terms, low: None, high: Some(r(high, 1)) };
            probability::<Enclosed>(&noises, &window, &mut Meter::default()).unwrap().unwrap()
        };
        assert!(below(1).contains(&r(1, 3_628_800)) && below(5).contains(&r(1, 2)));
    }
}
