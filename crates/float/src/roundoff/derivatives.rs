//! Backward passes over a [`Tape`]: adjoints, the error sum, and its gradient.

use super::tape::{Evaluation, Rounding, Step, Tape, plus_up, times_up};
use crate::interval::Interval;
use crate::program::{NodeId, Trigonometric, power};

impl Tape {
    /// Adjoints of the root, and Σ D_i·|adjoint_i|, where the errors of constants, being known, are summed with
    /// their signs first. Needs a forward pass over the same box.
    pub fn backward(&self, root: NodeId, out: &mut Evaluation) -> f64 {
        out.adjoint.clear();
        out.adjoint.resize(self.steps.len(), Interval::ZERO);
        out.adjoint[root] = Interval::ONE;
        let mut sum = 0.0;
        out.constants = Interval::ZERO;
        for i in (0..=root).rev() {
            let adjoint = out.adjoint[i];
            if adjoint == Interval::ZERO {
                continue;
            }
            match self.rounding[i] {
                Rounding::Fixed(error) => out.constants = out.constants + adjoint * error,
                _ => sum = plus_up(sum, times_up(adjoint.magnitude(), out.local[i])),
            }
            for (k, argument) in self.arguments(i).iter().enumerate() {
                if let Some(argument) = *argument {
                    out.adjoint[argument] = out.adjoint[argument] + adjoint * out.partial[i][k];
                }
            }
        }
        plus_up(sum, out.constants.magnitude())
    }

    /// The gradient in the inputs of Σ ± D_i·∂F/∂d_i, for all signs that the absolute values may need at once.
    /// Needs forward and backward passes over the same box. `None` when there is a kink.
    pub fn gradient(&self, root: NodeId, inputs: usize, out: &mut Evaluation) -> Option<Vec<Interval>> {
        if out.kinked {
            return None;
        }
        out.tangent.clear();
        for i in 0..=root {
            let (adjoint, local) = (out.adjoint[i], out.local[i]);
            let mut tangent = if adjoint == Interval::ZERO || local == 0.0 {
                Interval::ZERO
            } else if let Rounding::Fixed(error) = self.rounding[i] {
                match (out.constants.low() >= 0.0, out.constants.high() <= 0.0) {
                    (true, _) => error,
                    (_, true) => -error,
                    _ => error.hull(-error),
                }
            } else if adjoint.low() >= 0.0 {
                Interval::point(local)
            } else if adjoint.high() <= 0.0 {
                Interval::point(-local)
            } else {
                Interval::new(-local, local)
            };
            for (k, argument) in self.arguments(i).iter().enumerate() {
                if let Some(argument) = *argument {
                    tangent = tangent + out.partial[i][k] * out.tangent[argument];
                }
            }
            out.tangent.push(tangent);
        }
        out.backward.clear();
        out.backward.resize(self.steps.len(), Interval::ZERO);
        let mut gradient = vec![Interval::ZERO; inputs];
        for i in (0..=root).rev() {
            let (adjoint, backward) = (out.adjoint[i], out.backward[i]);
            if adjoint == Interval::ZERO && backward == Interval::ZERO {
                continue;
            }
            for (k, argument) in self.arguments(i).iter().enumerate() {
                if let Some(argument) = *argument {
                    out.backward[argument] = out.backward[argument] + backward * out.partial[i][k];
                }
            }
            self.curvature(i, adjoint, out);
            if let Step::Input(x) = self.steps[i]
                && let Some(place) = gradient.get_mut(x)
            {
                *place = *place + out.backward[i];
            }
        }
        Some(gradient)
    }

    /// Adds adjoint · (second derivatives · tangents) to what flows back to the arguments.
    fn curvature(&self, i: usize, adjoint: Interval, out: &mut Evaluation) {
        let w = |x: usize| out.wide[x];
        let t = |x: usize| out.tangent[x];
        let all = Interval::EVERYTHING;
        let or_all = |x: Option<Interval>| x.unwrap_or(all);
        match self.steps[i] {
            Step::Mul(x, y) | Step::Fma(x, y, _) => {
                let (to_x, to_y) = (adjoint * t(y), adjoint * t(x));
                out.backward[x] = out.backward[x] + to_x;
                out.backward[y] = out.backward[y] + to_y;
            }
            Step::Div(x, y) => {
                let inverse = or_all(w(y).reciprocal());
                let square = inverse.square();
                let quotient = w(x) * inverse;
                // ∂²/∂x∂y = −1/y², ∂²/∂y² = 2x/y³.
                let to_x = -(adjoint * square * t(y));
                let to_y = adjoint * square * (quotient * t(y) * Interval::point(2.0) - t(x));
                out.backward[x] = out.backward[x] + to_x;
                out.backward[y] = out.backward[y] + to_y;
            }
            Step::Sqrt(x) => {
                let inverse = or_all(w(x).reciprocal());
                let second = -(out.partial[i][0] * inverse * Interval::point(0.5));
                out.backward[x] = out.backward[x] + adjoint * second * t(x);
            }
            Step::Exp(x) => {
                out.backward[x] = out.backward[x] + adjoint * out.partial[i][0] * t(x);
            }
            Step::Trigonometric(f, x) => {
                out.backward[x] = out.backward[x] + adjoint * or_all(curve(f, w(x))) * t(x);
            }
            Step::Power(x, n) => {
                let factor = Interval::point(f64::from(n) * f64::from(n.saturating_sub(1)));
                out.backward[x] =
                    out.backward[x] + adjoint * factor * power(&w(x), n.saturating_sub(2)) * t(x);
            }
            Step::Ln(x) => {
                out.backward[x] = out.backward[x] - adjoint * out.partial[i][0].square() * t(x);
            }
            _ => {}
        }
    }
}

/// The first derivative of a trigonometric function over an interval; `None` at a pole.
pub(super) fn slope(f: Trigonometric, x: Interval) -> Option<Interval> {
    match f {
        Trigonometric::Sine => Trigonometric::Cosine.of(&x),
        Trigonometric::Cosine => Trigonometric::Sine.of(&x).map(|sine| -sine),
        Trigonometric::Tangent => f.of(&x).map(|tangent| Interval::ONE + tangent.square()),
        Trigonometric::Arctangent => (Interval::ONE + x.square()).reciprocal(),
    }
}

/// The second derivative; `None` at a pole.
fn curve(f: Trigonometric, x: Interval) -> Option<Interval> {
    let two = Interval::point(2.0);
    match f {
        Trigonometric::Sine | Trigonometric::Cosine => f.of(&x).map(|value| -value),
        Trigonometric::Tangent => f.of(&x).map(|tangent| two * tangent * (Interval::ONE + tangent.square())),
        Trigonometric::Arctangent => {
            let inverse = (Interval::ONE + x.square()).reciprocal()?;
            Some(-(two * x * inverse.square()))
        }
    }
}
