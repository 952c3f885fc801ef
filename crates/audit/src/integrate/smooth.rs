//! Piecewise Taylor models: functions such as densities and distribution functions of normal noise, which have no closed
//! form after a product, with rigorous error bounds. They are closed under the same operations as
//! [`crate::integrate::piecewise::Piecewise`], so that the same integration along a tree does.
//!
//! On a panel [a, b], in the coordinate s ∈ [−1, 1], the function is a polynomial with double coefficients plus an error of
//! bounded size, into which every rounding goes. Breakpoints are exact rationals, so an affine change of variable changes
//! nothing but them. Outside all panels only a range of values is known, and for densities a bound of the mass.

use probity_exact::{Enclosure, Float, Rational, Sign, directed, fraction, rational_from_f64};

use crate::integrate::forest::Function;
use crate::integrate::linear::Noise;
use crate::integrate::normal;
use crate::integrate::piecewise::{Enclosed, Scalar};

/// A number in f64 arithmetic with outward rounding.
pub(crate) type Interval = Enclosure<f64>;

pub(crate) fn around(x: &Rational) -> Interval {
    Enclosure::around(x, ())
}

/// The degree of the polynomials; even. With panels half a deviation wide the error of a normal density is about
/// 4^−16/16!·15!! ≈ 10^−17 of its height.
const DEGREE: usize = 16;

/// How far the law of a draw is followed, in panels of half a deviation or half a scale: beyond, a normal law has 2^−90 of
/// its mass and an exponential one 2^−79.
const HALF_DEVIATIONS: i64 = 22;
const HALF_SCALES: i64 = 110;

fn zero() -> Interval {
    around(&Rational::ZERO)
}

fn one() -> Interval {
    around(&Rational::ONE)
}

fn everything() -> Interval {
    Enclosure::everything(())
}

/// [0, x] for x ≥ 0.
fn up_to(x: Interval) -> Interval {
    zero().hull(&x.max(&zero()))
}

fn over(x: Interval, k: usize) -> Interval {
    x.checked_div(&around(&Rational::from(k))).unwrap_or_else(everything)
}

/// Half the distance of neighbouring doubles around 1: each operation errs by at most this share of its result.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Bounds of errors are sums of some hundred products of doubles that are not negative. Rounding lowers such a sum by less
/// than the share 10^−12 of it, and by less than 10^−300 where something underflows.
fn safely(bound: f64) -> f64 {
    bound * (1.0 + 1e-12) + 1e-300
}

/// Σ coefficient_k · s^k + something of at most this size, for s ∈ [−1, 1].
#[derive(Debug, Clone)]
struct Panel {
    /// Invariant: from one to DEGREE + 1 coefficients.
    coefficients: Vec<f64>,
    /// Invariant: not negative and not NaN; infinite if nothing is known.
    error: f64,
}

/// Σ |coefficient|, a bound of the polynomial up to rounding.
fn norm(coefficients: &[f64]) -> f64 {
    coefficients.iter().map(|c| c.abs()).sum()
}

/// The middle of an interval and how far its ends are away at most.
fn middle(x: Interval) -> (f64, f64) {
    let middle = x.low() / 2.0 + x.high() / 2.0;
    if !middle.is_finite() {
        return (0.0, f64::INFINITY);
    }
    (middle, safely((x.high() - middle).max(middle - x.low())))
}

impl Panel {
    /// Checks what arithmetic may have broken: an overflow leaves nothing known.
    fn new(coefficients: Vec<f64>, error: f64) -> Panel {
        match coefficients.iter().all(|c| c.is_finite()) && error >= 0.0 {
            true => Panel { coefficients, error },
            false => Panel { coefficients: vec![0.0], error: f64::INFINITY },
        }
    }

    fn constant(x: Interval) -> Panel {
        let (middle, error) = middle(x);
        Panel::new(vec![middle], if x.is_point() && middle == *x.low() { 0.0 } else { error })
    }

    /// Interval coefficients, and a further error.
    fn around(coefficients: &[Interval], error: Interval) -> Panel {
        let (mut centers, mut sum) = (Vec::with_capacity(coefficients.len()), *error.abs().high());
        for coefficient in coefficients {
            let (center, radius) = middle(*coefficient);
            centers.push(center);
            sum += radius;
        }
        Panel::new(centers, safely(sum))
    }

    fn is_zero(&self) -> bool {
        self.error == 0.0 && self.coefficients.iter().all(|c| *c == 0.0)
    }

    fn times(&self, other: &Panel) -> Panel {
        if self.is_zero() || other.is_zero() {
            return Panel::new(vec![0.0], 0.0);
        }
        let (a, b) = (&self.coefficients, &other.coefficients);
        let mut coefficients = vec![0.0; (a.len() + b.len() - 1).min(DEGREE + 1)];
        let mut beyond = 0.0;
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                match coefficients.get_mut(i + j) {
                    Some(coefficient) => *coefficient += x * y,
                    None => beyond += (x * y).abs(),
                }
            }
        }
        // (p + e)(q + f) = pq + e·q + e·f + p·f. Each coefficient is a sum of at most DEGREE + 1 products.
        let (size, other_size) = (norm(a), norm(b));
        let rounding = (2 * DEGREE + 4) as f64 * UNIT * size * other_size;
        let errors = self.error * (other_size + other.error) + size * other.error;
        Panel::new(coefficients, safely(errors + beyond + rounding))
    }

    fn minus(&self, other: &Panel) -> Panel {
        let length = self.coefficients.len().max(other.coefficients.len());
        let at = |panel: &Panel, k: usize| panel.coefficients.get(k).copied().unwrap_or(0.0);
        let coefficients: Vec<f64> = (0..length).map(|k| at(self, k) - at(other, k)).collect();
        let rounding = 2.0 * UNIT * norm(&coefficients);
        Panel::new(coefficients, safely(self.error + other.error + rounding))
    }

    /// The part of the panel where s = scale·s' + shift, for s' ∈ [−1, 1]; |scale| + |shift| ≤ 1.
    ///
    /// Horner's scheme: each of the DEGREE + 1 steps makes three roundings of a polynomial of norm at most N = Σ|c|, and
    /// scale and shift are off by one rounding each, which changes the value by at most DEGREE·N roundings.
    fn part(&self, scale: &Rational, shift: &Rational) -> Panel {
        let (scale, shift) = (directed::cast_nearest(scale), directed::cast_nearest(shift));
        let mut coefficients: Vec<f64> = vec![0.0; self.coefficients.len()];
        for (length, coefficient) in self.coefficients.iter().rev().enumerate() {
            for k in (0..=length).rev() {
                let lower = if k > 0 { coefficients[k - 1] * scale } else { *coefficient };
                coefficients[k] = coefficients[k] * shift + lower;
            }
        }
        let rounding = 16.0 * (DEGREE + 1) as f64 * UNIT * norm(&self.coefficients);
        Panel::new(coefficients, safely(self.error + rounding))
    }

    fn mirrored(&self) -> Panel {
        let flip = |(k, c): (usize, &f64)| if k % 2 == 1 { -c } else { *c };
        Panel { coefficients: self.coefficients.iter().enumerate().map(flip).collect(), error: self.error }
    }

    /// The integral from the left end, for a panel of this radius, plus a constant and its error; and the same at the
    /// right end.
    fn antiderivative(&self, radius: f64, (before, error): (f64, f64)) -> (Panel, (f64, f64)) {
        let mut coefficients = vec![0.0];
        coefficients.extend(self.coefficients.iter().enumerate().map(|(k, c)| radius * c / (k + 1) as f64));
        let at_right: f64 = coefficients.iter().sum();
        let at_left: f64 =
            coefficients.iter().enumerate().map(|(k, c)| if k % 2 == 1 { -c } else { *c }).sum();
        let end = before + (at_right - at_left);
        // The radius is off by one rounding, each coefficient by two more, and there are two sums of DEGREE + 2 terms.
        let rounding = (4 * DEGREE + 16) as f64 * UNIT * (norm(&coefficients) + before.abs());
        // The error of the integrand counts over a length of at most 2.
        let errors = safely(error + 2.0 * radius * self.error + rounding);
        coefficients[0] = before - at_left;
        let beyond: f64 = coefficients.iter().skip(DEGREE + 1).map(|c| c.abs()).sum();
        coefficients.truncate(DEGREE + 1);
        (Panel::new(coefficients, safely(errors + beyond)), (end, errors))
    }
}

/// What is known beyond the panels.
#[derive(Debug, Clone, Copy)]
struct Outside {
    value: Interval,
    /// The integral over all of it, if it is finite.
    mass: Option<Interval>,
}

impl Outside {
    fn nothing() -> Outside {
        Outside { value: zero(), mass: Some(zero()) }
    }

    fn times(&self, other: &Outside) -> Outside {
        // A density that is not negative times values in a range: the integral lies in the product.
        let mass = self.mass.map(|mass| mass * other.value).or(other.mass.map(|mass| mass * self.value));
        Outside { value: self.value * other.value, mass }
    }
}

/// A function that is known by panels.
#[derive(Debug, Clone)]
pub(crate) struct Smooth {
    /// Invariant: strictly increasing; one longer than `panels`, or both are empty.
    breaks: Vec<Rational>,
    panels: Vec<Panel>,
    left: Outside,
    right: Outside,
}

impl Smooth {
    /// The value between two neighbouring points of a refinement of the breakpoints.
    fn between(&self, from: &Rational, to: &Rational) -> Panel {
        let place = self.breaks.partition_point(|b| b <= from);
        if place == 0 {
            return Panel::constant(self.left.value);
        }
        if place >= self.breaks.len() {
            return Panel::constant(self.right.value);
        }
        let (a, b) = (&self.breaks[place - 1], &self.breaks[place]);
        let panel = &self.panels[place - 1];
        if (a == from && b == to) || panel.is_zero() {
            return panel.clone();
        }
        // s = (2x − a − b)/(b − a).
        let width = b - a;
        panel.part(&((to - from) / &width), &((from + to - a - b) / width))
    }

    fn combined(
        &self,
        other: &Smooth,
        outside: impl Fn(&Outside, &Outside) -> Outside,
        panel: impl Fn(&Panel, &Panel) -> Panel,
    ) -> Smooth {
        let mut breaks: Vec<Rational> = self.breaks.iter().chain(&other.breaks).cloned().collect();
        breaks.sort_unstable();
        breaks.dedup();
        let pairs = breaks.windows(2);
        let panels =
            pairs.map(|p| panel(&self.between(&p[0], &p[1]), &other.between(&p[0], &p[1]))).collect();
        let (left, right) = (outside(&self.left, &other.left), outside(&self.right, &other.right));
        Smooth { breaks, panels, left, right }
    }

    /// Makes a point a breakpoint; its place among them. Outside the panels nothing is added.
    fn cut_at(&mut self, at: &Rational) -> usize {
        match self.breaks.binary_search(at) {
            Ok(place) => place,
            Err(place) if place == 0 || place == self.breaks.len() => place,
            Err(place) => {
                let (a, b) = (self.breaks[place - 1].clone(), self.breaks[place].clone());
                let parts = [self.between(&a, at), self.between(at, &b)];
                self.breaks.insert(place, at.clone());
                self.panels.splice(place - 1..place, parts);
                place
            }
        }
    }
}

/// A normal density: Taylor's formula at the middle of each panel, the last coefficient taken over the whole panel.
fn bell(variance: &Rational) -> Smooth {
    let root = around(variance).sqrt().unwrap_or_else(everything);
    let unit = one().checked_div(&root).unwrap_or_else(everything);
    // Panels of a width near half a deviation with few digits.
    let width = half_deviation(variance);
    let breaks: Vec<Rational> =
        (-HALF_DEVIATIONS..=HALF_DEVIATIONS).map(|k| &width * Rational::from(k)).collect();
    let radius = around(&(&width / Rational::from(2)));
    let panels = breaks.windows(2).map(|pair| {
        let center = (&pair[0] + &pair[1]) / Rational::from(2);
        let mut coefficients = bell_jet(around(&center) * unit, unit, DEGREE);
        let whole = bell_jet((around(&pair[0]).hull(&around(&pair[1]))) * unit, unit, DEGREE);
        let mut power = unit;
        for coefficient in &mut coefficients[..DEGREE] {
            *coefficient = *coefficient * power;
            power = power * radius;
        }
        // unit·f_n(ξ)·r^n·s^n with s^n in [0, 1].
        coefficients.pop();
        Panel::around(&coefficients, whole[DEGREE] * power)
    });
    let panels = panels.collect();
    let end = around(&(&width * Rational::from(HALF_DEVIATIONS))) * unit;
    let value = up_to(unit * normal::density(&end));
    let mass = Some(up_to(normal::distribution(&-end, normal::Terms::FAST)));
    Smooth { breaks, panels, left: Outside { value, mass }, right: Outside { value, mass } }
}

/// A number with few digits from half a deviation up to 1/16 more.
fn half_deviation(variance: &Rational) -> Rational {
    let half = directed::sqrt_up(directed::cast_up(variance)) / 2.0;
    let format = probity_exact::Format::wide(5);
    let up = rational_from_f64(half).map(|half| format.round(&half, probity_exact::Round::Up).to_rational());
    up.flatten().unwrap_or(Rational::ONE)
}

/// Taylor coefficients of φ(w) for w = value + slope·t: from g' = −w·w'·g,
/// (k+1)·g_(k+1) = −slope·(value·g_k + slope·g_(k−1)).
fn bell_jet(value: Interval, slope: Interval, order: usize) -> Vec<Interval> {
    let mut jet = vec![normal::density(&value)];
    for k in 0..order {
        let before = if k > 0 { slope * jet[k - 1] } else { zero() };
        jet.push(over(-(slope * (value * jet[k] + before)), k + 1));
    }
    jet
}

/// height · e^(rate·x) from 0 on (for a negative rate) or up to 0 (for a positive one); 0 elsewhere.
fn exponential(height: &Rational, rate: &Rational) -> (Vec<Rational>, Vec<Panel>, Outside) {
    let scale = Rational::ONE / rate;
    let quarter = fraction::<1, 4>();
    let step = around(&if rate.sign() == Sign::Negative { -quarter.clone() } else { quarter.clone() });
    // e^(∓s/4) by its series.
    let mut shape = vec![around(height)];
    for k in 1..=DEGREE + 1 {
        shape.push(over(shape[k - 1] * step, k));
    }
    // What is left out is at most the next term times e^(1/4) ≤ 2, of either sign.
    let rest = shape.pop().unwrap_or_else(everything) * around(&Rational::from(2));
    let panels = (0..HALF_SCALES).map(|panel| {
        let center = around(&-(&quarter * Rational::from(2 * panel + 1))).exp();
        let coefficients: Vec<Interval> = shape.iter().map(|c| *c * center).collect();
        Panel::around(&coefficients, rest * center)
    });
    let mut panels: Vec<Panel> = panels.collect();
    let half = &scale / Rational::from(2);
    let mut breaks: Vec<Rational> = (0..=HALF_SCALES).map(|k| -(&half * Rational::from(k))).collect();
    if rate.sign() == Sign::Positive {
        breaks.reverse();
        panels.reverse();
    }
    let end = around(&Rational::from(-HALF_SCALES / 2)).exp() * around(height);
    let size = around(&if scale.sign() == Sign::Negative { -scale } else { scale });
    (breaks, panels, Outside { value: up_to(end), mass: Some(up_to(end * size)) })
}

impl Function for Smooth {
    type Number = Enclosed;

    fn density(noise: &Noise) -> Option<Smooth> {
        Some(match noise {
            Noise::Gaussian(variance) => bell(variance),
            Noise::Exponential(scale) => {
                let rate = Rational::ONE / scale;
                let (breaks, panels, right) = exponential(&rate, &-rate.clone());
                Smooth { breaks, panels, left: Outside::nothing(), right }
            }
            Noise::Laplace(scale) => {
                let rate = Rational::ONE / scale;
                let height = &rate / Rational::from(2);
                let (mut breaks, mut panels, left) = exponential(&height, &rate);
                let (more, others, right) = exponential(&height, &-rate.clone());
                breaks.extend(more.into_iter().skip(1));
                panels.extend(others);
                Smooth { breaks, panels, left, right }
            }
            Noise::Uniform | Noise::Unused => Smooth {
                breaks: vec![Rational::ZERO, Rational::ONE],
                panels: vec![Panel::constant(one())],
                left: Outside::nothing(),
                right: Outside::nothing(),
            },
        })
    }

    fn constant(x: &Enclosed) -> Smooth {
        let end = |x: &Float| x.to_rational().map_or_else(everything, |x| around(&x));
        let value = end(x.low()).hull(&end(x.high()));
        let outside = Outside { value, mass: None };
        Smooth { breaks: vec![], panels: vec![], left: outside, right: outside }
    }

    fn restricted(&self, low: Option<&Rational>, high: Option<&Rational>) -> Smooth {
        // What lies beyond the panels is kept whole if a bound lies there: its mass is then at most that, and at least 0.
        let mut result = self.clone();
        let less = |outside: &Outside| Outside { value: up_to(outside.value), mass: outside.mass.map(up_to) };
        if let Some(low) = low {
            let place = result.cut_at(low);
            let cleared = place.min(result.panels.len());
            result.panels[..cleared].fill(Panel::constant(zero()));
            match result.breaks.first() {
                Some(first) if low < first => result.left = less(&result.left),
                _ => result.left = Outside::nothing(),
            }
            if result.breaks.last().is_none_or(|last| low > last) {
                result.right = less(&result.right);
            }
        }
        if let Some(high) = high {
            let place = result.cut_at(high);
            let kept = place.min(result.panels.len());
            result.panels[kept..].fill(Panel::constant(zero()));
            match result.breaks.last() {
                Some(last) if high > last => result.right = less(&result.right),
                _ => result.right = Outside::nothing(),
            }
            if result.breaks.first().is_none_or(|first| high < first) {
                result.left = less(&result.left);
            }
        }
        result
    }

    fn times(&self, other: &Smooth) -> Smooth {
        self.combined(other, Outside::times, Panel::times)
    }

    fn minus(&self, other: &Smooth) -> Smooth {
        let outside = |a: &Outside, b: &Outside| Outside { value: a.value - b.value, mass: None };
        self.combined(other, outside, Panel::minus)
    }

    fn composed(&self, slope: &Rational, offset: &Rational) -> Smooth {
        let mut result = self.clone();
        for point in &mut result.breaks {
            *point = (&*point - offset) / slope;
        }
        let size = around(&if slope.sign() == Sign::Negative { -slope } else { slope.clone() });
        for outside in [&mut result.left, &mut result.right] {
            outside.mass = outside.mass.map(|mass| mass.checked_div(&size).unwrap_or_else(everything));
        }
        if slope.sign() == Sign::Negative {
            result.breaks.reverse();
            result.panels = result.panels.iter().rev().map(Panel::mirrored).collect();
            std::mem::swap(&mut result.left, &mut result.right);
        }
        result
    }

    fn antiderivative(&self) -> Option<Smooth> {
        let (before, after) = (self.left.mass?, self.right.mass?);
        let mut sum = middle(before);
        let mut panels = Vec::with_capacity(self.panels.len());
        for (panel, pair) in self.panels.iter().zip(self.breaks.windows(2)) {
            let radius = directed::cast_nearest(&((&pair[1] - &pair[0]) / Rational::from(2)));
            let (primitive, end) = panel.antiderivative(radius, sum);
            panels.push(primitive);
            sum = end;
        }
        // Partial masses of the tails: between nothing and all.
        let left = Outside { value: zero().hull(&before), mass: None };
        let (total, error) = sum;
        let total = Enclosure::new((total - error).next_down(), (total + error).next_up(), ());
        let total = total.unwrap_or_else(everything);
        let right = Outside { value: total.hull(&(total + after)), mass: None };
        Some(Smooth { breaks: self.breaks.clone(), panels, left, right })
    }

    /// The limit at +∞ of a function made by `antiderivative`.
    fn limit(&self) -> Option<Enclosed> {
        let value = self.right.value;
        Some(Enclosed::between(&Float::from_f64(*value.low()), &Float::from_f64(*value.high())))
    }
}
