//! Draws. Continuous noise becomes a lazy real; a discrete law is a function of lazy reals that is decided at once:
//! - geometric noise is ⌊scale · E⌋ for exponential E, since P(scale · E ≥ k) = e^(−k/scale), for any real scale;
//! - discrete Laplace noise is geometric noise with a sign, drawn again when it comes out as −0;
//! - discrete Gaussian noise is discrete Laplace noise y of scale t = ⌊σ⌋ + 1, accepted with probability
//!   exp(−(|y| − σ²/t)² / (2σ²)) (Canonne, Kamath, Steinke), which is P(E ≥ …) for a fresh exponential E;
//! - a coin is U < p, a uniform integer ⌊n·U⌋;
//! - a choice by scores is the first place up to which the weights add up to U times all of them.
//!
//! Where a law means something is said by the kernel (`law::conditions`); the program asks for it before each draw, so parameters are in
//! range here.

use std::cmp::Ordering;

use probity_exact::{Float, Integer, Rational, directed};
use probity_noise::sampler::lazy::{NEG_LN_BITS, TwoWords, neg_ln};

use super::decide::Stop;
use super::interval::{self, Interval, LARGEST, down, up};
use super::refine::{MOST_BITS, Wide, is_inside};
use super::source::{Prefix, Source};
use super::tape::{Noise, Number, Tape};
use crate::value::Exact;

/// 2^−58, the unit of −ln U.
const NEG_LN_UNIT: f64 = f64::from_bits((1023 - NEG_LN_BITS as u64) << 52);

/// 2^−63.
const TO_SIGNED: f64 = f64::from_bits((1023 - 63) << 52);

/// 2^−64.
const TO_UNIT: f64 = f64::from_bits((1023 - 64) << 52);

/// Trials after which a rejection sampler blames the source; each succeeds with probability above 0.4.
const TRIALS: usize = 1 << 17;

/// Weights of a choice below e to this power, which is below 2^−23000, are not told from 0.
const LEAST_WEIGHT: i64 = -(1 << 14);

fn until_accepted<Answer>(mut trial: impl FnMut() -> Result<Option<Answer>, Stop>) -> Result<Answer, Stop> {
    for _ in 0..TRIALS {
        if let Some(answer) = trial()? {
            return Ok(answer);
        }
    }
    Err(Stop::Undecided { bits: TRIALS })
}

/// Whether words are read at once, so that doubles can decide.
const fn in_words<S: Source>() -> bool {
    S::CHUNK_BITS == u64::BITS
}

/// −ln U of two words.
#[inline(always)]
fn exponential_interval(words: TwoWords) -> Interval {
    match neg_ln(words) {
        Some((low, high)) => {
            Interval { low: down(low as f64) * NEG_LN_UNIT, high: up(high as f64) * NEG_LN_UNIT }
        }
        // U < 2^−63.
        None => Interval { low: 43.0, high: f64::INFINITY },
    }
}

/// U of two words.
#[inline(always)]
fn uniform_interval(words: TwoWords) -> Interval {
    if !words.is_normal() {
        return Interval { low: 0.0, high: TO_SIGNED };
    }
    // 2^−(k+1) · (1 + B/2^64), from the first 52 bits of B.
    let exponent = (1023 - u64::from(words.first_one())) << 52;
    let low = f64::from_bits(exponent | words.mantissa >> 12);
    Interval { low, high: low.next_up() }
}

impl Tape {
    /// A draw whose uniform real begins with two words, or is still unknown.
    #[inline(always)]
    fn unit_draw<S: Source>(
        &mut self,
        source: &mut S,
        center: Option<Number>,
        scale: Option<Number>,
        noise: impl Fn(bool) -> Noise,
    ) -> Result<Number, Stop> {
        if in_words::<S>() {
            let words = [source.chunk()?, source.chunk()?];
            let two = TwoWords { leading: words[0], mantissa: words[1] };
            let noise = noise(words[0] & 1 == 1);
            let unit = match noise {
                Noise::Uniform => uniform_interval(two),
                _ => exponential_interval(two),
            };
            return Ok(self.draw(noise, center, scale, unit, words));
        }
        // Only a law with a sign spends a bit on it.
        let signed = noise(true) != noise(false);
        let noise = noise(signed && source.chunk()? == 1);
        Ok(self.draw_from(noise, center, scale, Interval::EVERYTHING, [Prefix::unknown(), Prefix::unknown()]))
    }

    /// A uniform real in (0, 1].
    pub(crate) fn uniform<S: Source>(&mut self, source: &mut S) -> Result<Number, Stop> {
        self.unit_draw(source, None, None, |_| Noise::Uniform)
    }

    /// Laplace noise around a center.
    #[inline(always)]
    pub(crate) fn laplace<S: Source>(
        &mut self,
        center: Number,
        scale: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        self.unit_draw(source, Some(center), Some(scale), |negative| Noise::Laplace { negative })
    }

    /// Exponential noise.
    #[inline(always)]
    pub(crate) fn exponential<S: Source>(&mut self, scale: Number, source: &mut S) -> Result<Number, Stop> {
        self.unit_draw(source, None, Some(scale), |_| Noise::Exponential)
    }

    /// Gaussian noise around a center.
    pub(crate) fn gaussian<S: Source>(
        &mut self,
        center: Number,
        deviation: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        until_accepted(|| {
            let mut prefixes = [Prefix::unknown(), Prefix::unknown()];
            if in_words::<S>() {
                let words = [source.chunk()?, source.chunk()?];
                let [v, w] = words.map(signed_interval);
                let square = v.mul(v).add(w.mul(w));
                if S::DOUBLES && square.high < 1.0 {
                    let unit = polar(v, square);
                    return Ok(Some(self.draw(Noise::Gaussian, Some(center), Some(deviation), unit, words)));
                }
                if S::DOUBLES && square.low > 1.0 {
                    return Ok(None);
                }
                prefixes = words.map(Prefix::of_word);
            }
            loop {
                match is_inside(&prefixes) {
                    Some(true) => break,
                    Some(false) => return Ok(None),
                    None if prefixes[0].bits > MOST_BITS => return Err(Stop::Undecided { bits: MOST_BITS }),
                    None => {}
                }
                let wanted = prefixes[0].bits + 1;
                prefixes[0].extend(wanted, source)?;
                prefixes[1].extend(wanted, source)?;
            }
            let number = self.draw_from(
                Noise::Gaussian,
                Some(center),
                Some(deviation),
                Interval::EVERYTHING,
                prefixes,
            );
            Ok(Some(number))
        })
    }

    /// ⌊scale · E⌋, and a fair sign beside it.
    #[inline(always)]
    fn magnitude<S: Source>(
        &mut self,
        scale: Number,
        source: &mut S,
        signed: bool,
    ) -> Result<(bool, Number), Stop> {
        let mut negative = false;
        if in_words::<S>() {
            let two = TwoWords { leading: source.chunk()?, mantissa: source.chunk()? };
            negative = signed && two.leading & 1 == 1;
            let Interval { low, high } = exponential_interval(two).mul_positive(scale.interval);
            let low = interval::floor(low);
            if S::DOUBLES && low == interval::floor(high) && low < LARGEST {
                return Ok((negative, Number::point(low)));
            }
            let number = self.draw(
                Noise::Exponential,
                None,
                Some(scale),
                Interval::EVERYTHING,
                [two.leading, two.mantissa],
            );
            return Ok((negative, self.floor(number, source)?));
        }
        if signed {
            negative = source.chunk()? == 1;
        }
        let unknown = [Prefix::unknown(), Prefix::unknown()];
        let number = self.draw_from(Noise::Exponential, None, Some(scale), Interval::EVERYTHING, unknown);
        Ok((negative, self.floor(number, source)?))
    }

    /// Geometric noise.
    pub(crate) fn geometric<S: Source>(&mut self, scale: Number, source: &mut S) -> Result<Number, Stop> {
        Ok(self.magnitude(scale, source, false)?.1)
    }

    /// Discrete Laplace noise around an integer.
    #[inline(always)]
    pub(crate) fn discrete_laplace<S: Source>(
        &mut self,
        center: Number,
        scale: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        let (negative, magnitude) = until_accepted(|| {
            let (negative, magnitude) = self.magnitude(scale, source, true)?;
            Ok((!negative || magnitude.as_point() != Some(0.0)).then_some((negative, magnitude)))
        })?;
        Ok(match magnitude.as_point() {
            // The sign is set without a jump, which could not be foreseen.
            Some(size) => {
                let signed = f64::from_bits(size.to_bits() | u64::from(negative) << 63);
                self.add(center, Number::point(signed))
            }
            None if negative => self.sub(center, magnitude),
            None => self.add(center, magnitude),
        })
    }

    /// Discrete Gaussian noise around an integer.
    pub(crate) fn discrete_gaussian<S: Source>(
        &mut self,
        center: Number,
        deviation: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        let below = self.floor(deviation, source)?;
        let scale = self.add(below, Number::point(1.0));
        let variance = self.mul(deviation, deviation);
        let shift = self.div(variance, scale);
        let twice = self.add(variance, variance);
        let noise = until_accepted(|| {
            let noise = self.discrete_laplace(Number::ZERO, scale, source)?;
            let size = self.abs(noise, source)?;
            let distance = self.sub(size, shift);
            let square = self.mul(distance, distance);
            let needed = self.div(square, twice);
            let chance = self.exponential(Number::point(1.0), source)?;
            Ok((self.compare(chance, needed, source)? != Ordering::Less).then_some(noise))
        })?;
        Ok(self.add(center, noise))
    }

    /// −1 or 1.
    pub(crate) fn random_sign<S: Source>(&mut self, source: &mut S) -> Result<Number, Stop> {
        Ok(Number::point(if source.chunk()? & 1 == 1 { -1.0 } else { 1.0 }))
    }

    /// True with probability p.
    #[inline(always)]
    pub(crate) fn bernoulli<S: Source>(&mut self, p: Number, source: &mut S) -> Result<bool, Stop> {
        let mut prefix = Prefix::unknown();
        if in_words::<S>() {
            let word = source.chunk()?;
            let (low, high) = (down(word as f64 * TO_UNIT), up((word as f64 + 1.0) * TO_UNIT));
            // One jump for both sides of the coin: which it was must not show in the time.
            let is_below = high < p.interval.low;
            if S::DOUBLES && is_below | (low > p.interval.high) {
                return Ok(is_below);
            }
            prefix = Prefix::of_word(word);
        }
        let uniform =
            self.draw_from(Noise::Uniform, None, None, Interval::EVERYTHING, [prefix, Prefix::unknown()]);
        Ok(self.compare(uniform, p, source)? == Ordering::Less)
    }

    /// A uniform integer from 0 to count − 1, for an integer count of at least 1.
    fn below_count<S: Source>(&mut self, count: Number, source: &mut S) -> Result<Number, Stop> {
        let mut prefix = Prefix::unknown();
        if in_words::<S>() {
            let word = source.chunk()?;
            if S::DOUBLES
                && let Some(small) = self.small_integer(count).and_then(|count| u32::try_from(count).ok())
            {
                let product = u128::from(word) * u128::from(small);
                // n·U lies from product to product + n, in units of 2^−64.
                if (product as u64).checked_add(u64::from(small)).is_some() {
                    return Ok(Number::point((product >> 64) as f64));
                }
            }
            prefix = Prefix::of_word(word);
        }
        let uniform =
            self.draw_from(Noise::Uniform, None, None, Interval::EVERYTHING, [prefix, Prefix::unknown()]);
        let product = self.mul(uniform, count);
        self.floor(product, source)
    }

    /// A uniform integer between two integers, both included.
    pub(crate) fn uniform_int<S: Source>(
        &mut self,
        low: Number,
        high: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        let difference = self.sub(high, low);
        let count = self.add(difference, Number::point(1.0));
        let chosen = self.below_count(count, source)?;
        Ok(self.add(low, chosen))
    }

    /// A uniform integer of 0, …, count − 1 other than `value`.
    pub(crate) fn uniform_other<S: Source>(
        &mut self,
        value: Number,
        count: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        let others = self.sub(count, Number::point(1.0));
        let chosen = self.below_count(others, source)?;
        // Those from the value on move up by one; the others by none, in the same steps.
        let step = u8::from(self.compare(chosen, value, source)? != Ordering::Less);
        Ok(self.add(chosen, Number::point(f64::from(step))))
    }

    /// `value` with probability `truth`, else a uniform other one of 0, …, count − 1.
    pub(crate) fn response<S: Source>(
        &mut self,
        value: Number,
        truth: Number,
        count: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        // The lie is drawn in any case, or the time would tell whether it was told.
        let honest = self.bernoulli(truth, source)?;
        let lie = self.uniform_other(value, count, source)?;
        Ok([lie, value][usize::from(honest)])
    }

    /// The place of a score, with probability in proportion to exp(score / scale).
    pub(crate) fn choose<S: Source>(
        &mut self,
        scores: &[Number],
        scale: Number,
        source: &mut S,
    ) -> Result<Number, Stop> {
        let first = *scores.first().ok_or(Stop::OutOfRange)?;
        let uniform = self.uniform(source)?;
        let decided = if S::DOUBLES { chosen(scores, scale.interval, uniform.interval) } else { None };
        let place = match decided {
            Some(place) => place,
            None => self.choose_exactly(first, scores, scale, uniform, source)?,
        };
        Ok(self.integer(place.into()))
    }

    /// The same, from as many bits as it takes. Scores may be so far apart that no format holds the larger weight beside the smaller one:
    /// weights are relative to the largest score, and one below e^[`LEAST_WEIGHT`] is only known to be below that.
    #[cold]
    fn choose_exactly<S: Source>(
        &mut self,
        first: Number,
        scores: &[Number],
        scale: Number,
        uniform: Number,
        source: &mut S,
    ) -> Result<usize, Stop> {
        let ratios = match self.exact_ratios(scores, scale) {
            Some(ratios) => {
                if S::DOUBLES
                    && let Some(place) = chosen(&ratios, Number::point(1.0).interval, uniform.interval)
                {
                    return Ok(place);
                }
                ratios
            }
            None => {
                let ratio = |score: &Number| {
                    let above = self.sub(*score, first);
                    self.div(above, scale)
                };
                scores.iter().map(ratio).collect()
            }
        };
        let mut places = vec![self.place(uniform)];
        places.extend(ratios.into_iter().map(|ratio| self.place(ratio)));
        // A tie with the uniform real has probability 0, whatever the scores are.
        let enclose = |tape: &Tape, bits: usize| tape.enclose(&places, bits);
        self.resolve(&places, source, enclose, |_, ends| match ends.split_first() {
            Some((uniform, ratios)) => weighed(uniform, ratios).ok_or(Some(0)),
            None => Ok(0),
        })
    }

    /// Scores in scales below the largest one, if they are rational numbers. However large they are, the weights of their differences are those
    /// of small numbers, or are next to nothing.
    fn exact_ratios(&mut self, scores: &[Number], scale: Number) -> Option<Vec<Number>> {
        let scale = self.value(scale)?;
        let places: Vec<u32> = scores.iter().map(|score| self.place(*score)).collect();
        let values = self.values_at(&places)?;
        let largest = values.iter().max()?.clone();
        Some(values.into_iter().map(|value| self.rational((value - &largest) / &scale)).collect())
    }

    /// The number on a grid, as the exact value to release.
    #[inline(always)]
    pub(crate) fn on_grid<S: Source>(
        &mut self,
        a: Number,
        grid: Number,
        exact: &Rational,
        source: &mut S,
    ) -> Result<Exact, Stop> {
        if S::DOUBLES
            && let Some(power) = grid.as_point()
            && let Some(rounded) = a.interval.on_power_of_two(power)
        {
            return Ok(Exact::double(rounded));
        }
        let scaled = self.div(a, grid);
        let multiple = self.nearest(scaled, source)?;
        match self.small_integer(multiple) {
            // The denominator is that of the grid, which saves a multiplication of fractions.
            Some(small) => {
                let above = Integer::from(small) * exact.numerator();
                Ok(Rational::from_parts(above, exact.denominator().clone()).into())
            }
            None => Ok((self.value(multiple).unwrap_or(Rational::ZERO) * exact).into()),
        }
    }
}

/// 2U − 1 of a word.
fn signed_interval(word: u64) -> Interval {
    let value = (word ^ 1 << 63) as i64 as f64;
    Interval { low: down(value * TO_SIGNED), high: up((value + 1.0) * TO_SIGNED) }
}

/// V · √(−2 ln S / S).
fn polar(v: Interval, square: Interval) -> Interval {
    if square.low > 0.0 {
        let ln = Interval { low: -directed::ln_up(square.high), high: -directed::ln_down(square.low) };
        let ratio = ln.add(ln).div(square);
        if ratio.low > 0.0 {
            return v.mul(Interval { low: down(ratio.low.sqrt()), high: up(ratio.high.sqrt()) });
        }
    }
    Interval::EVERYTHING
}

/// The place that a uniform real chooses among weights exp(score / scale), if doubles tell.
fn chosen(scores: &[Number], scale: Interval, uniform: Interval) -> Option<usize> {
    // Weights are relative to one score, any; a large one keeps them small.
    let middle = |number: &Number| number.interval.low / 2.0 + number.interval.high / 2.0;
    let best = *scores.iter().max_by(|a, b| middle(a).total_cmp(&middle(b)))?;
    let weight = |score: &Number| {
        if score.is_same(best) {
            return Interval { low: 1.0, high: 1.0 };
        }
        score.interval.add(best.interval.neg()).div(scale).exp()
    };
    let mut all = Interval { low: 0.0, high: 0.0 };
    let sums: Vec<Interval> = scores
        .iter()
        .map(|score| {
            all = all.add(weight(score));
            all
        })
        .collect();
    let mark = uniform.mul_positive(all);
    let (_, sums) = sums.split_last()?;
    for (place, sum) in sums.iter().enumerate() {
        if mark.high < sum.low {
            return Some(place);
        }
        // Not the other way around: an end may be NaN.
        let is_beyond = mark.low > sum.high;
        if !is_beyond {
            return None;
        }
    }
    Some(sums.len())
}

/// The same from enclosures of the uniform real and of the ratios of scores and scale.
fn weighed(uniform: &Wide, ratios: &[Wide]) -> Option<usize> {
    let format = uniform.precision();
    let number = |value: &Rational| Wide::around(value, format);
    let above = |a: &Wide, b: &Wide| a.low().compare(b.high()) == Some(Ordering::Greater);
    let highest = ratios.iter().map(Wide::high).reduce(|a, b| match a.compare(b) {
        Some(Ordering::Less) => b,
        _ => a,
    })?;
    let highest = Wide::point(highest.clone(), format)?;
    let least = number(&Rational::from(LEAST_WEIGHT));
    let mut all = number(&Rational::ZERO);
    let mut sums = Vec::with_capacity(ratios.len());
    for ratio in ratios {
        let ratio = ratio.clone() - highest.clone();
        let weight = ratio.max(&least).exp();
        all = all
            + match above(&ratio, &least) {
                true => weight,
                false => Wide::new(Float::zero(false), weight.high().clone(), format)?,
            };
        sums.push(all.clone());
    }
    let mark = uniform.clone() * all;
    let (_, sums) = sums.split_last()?;
    for (place, sum) in sums.iter().enumerate() {
        if above(sum, &mark) {
            return Some(place);
        }
        if !above(&mark, sum) {
            return None;
        }
    }
    Some(sums.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::{Format, Natural};

    /// A weight that is too small to be computed may be anything below its bound: a uniform real below that bound as well chooses nothing.
    #[test]
    fn weights_that_are_not_computed_are_not_known() {
        let format = Format::wide(128);
        let number = |value: i64| Wide::around(&Rational::from(value), format);
        let ratios = [number(-1 << 40), number(0)];
        let below = |bits: usize| {
            let tiny = Rational::from_parts(Integer::ONE, Natural::ONE << bits);
            weighed(&Wide::around(&tiny, format), &ratios)
        };
        assert_eq!((below(30_000), below(20_000), below(1)), (None, Some(1), Some(1)));
        assert_eq!(weighed(&number(0), &[number(0), number(-1 << 40)]), Some(0));
    }
}
