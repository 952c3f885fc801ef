//! What a mechanism of the catalogue draws, made ready once: samplers and measurements of `probity-noise`, by name.

use probity_exact::{Integer, Rational, parse_rational};
use probity_noise::domain::{BigIntegers, ClampedFloats, IntegerRange};
use probity_noise::entropy::with_secure;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::{
    Grid, RandomizedResponse, Rule, Scores, Snapping, choice, discrete_gaussian, discrete_laplace,
    gaussian_on_grid, laplace_on_grid, renormalised_geometric, truncated_geometric,
};
use probity_noise::sampler::{
    Bernoulli, BernoulliExp, Count, DiscreteGaussian, DiscreteLaplace, Exponent, Geometric, Probability,
    Sampler, Scale, SquaredScale, UniformBelow, UniformDouble,
};
use probity_noise::unit::{Epsilon, Sensitivity};

use crate::failure::Failure;

/// Categories beyond this are not laid out in memory.
const MOST_CATEGORIES: usize = 1 << 20;

/// Draws between two looks at Ctrl-C.
pub const BLOCK: usize = 1 << 18;

/// A value that a parameter does not have, in the words of the library.
fn refused(name: &str, value: impl std::fmt::Display, allowed: &str) -> Failure {
    Failure::input(format!("{name} = {value} is not allowed: it must be {allowed}"))
}

/// Arguments by name, as exact texts.
#[derive(Clone, Default)]
pub struct Arguments(Vec<(&'static str, String)>);

impl Arguments {
    /// One more, if it is given.
    pub fn with(mut self, name: &'static str, value: Option<String>) -> Arguments {
        self.0.extend(value.map(|value| (name, value)));
        self
    }

    /// All of them.
    pub fn pairs(&self) -> &[(&'static str, String)] {
        &self.0
    }

    /// The text of one.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }

    /// For the catalogue, without those that only sampling needs.
    pub fn for_catalogue(&self, without: &[&str]) -> probity_noise::catalogue::Arguments {
        let pairs = self.0.iter().filter(|(name, _)| !without.contains(name));
        probity_noise::catalogue::Arguments::new(pairs.map(|(name, text)| (*name, text.clone())))
    }

    fn rational(&self, name: &'static str) -> Result<Rational, Failure> {
        let text =
            self.text(name).ok_or_else(|| Failure::input(format!("the argument {name} is missing")))?;
        parse_rational(text).map_err(|error| Failure::input(format!("{name}: {error}")))
    }

    fn small(&self, name: &'static str) -> Result<i64, Failure> {
        let value = self.rational(name)?;
        let small = value.is_int().then(|| i64::try_from(value.numerator()).ok()).flatten();
        small.ok_or_else(|| refused(name, &value, "a 64-bit integer"))
    }

    fn double(&self, name: &'static str) -> Result<f64, Failure> {
        Ok(self.rational(name)?.to_f64().value())
    }

    fn scale(&self) -> Result<Scale, Failure> {
        Ok(Scale::new(self.rational("scale")?)?)
    }

    fn squared_scale(&self) -> Result<SquaredScale, Failure> {
        if self.text("squared-scale").is_some() {
            return Ok(SquaredScale::new(self.rational("squared-scale")?)?);
        }
        let scale = self.scale()?;
        Ok(SquaredScale::new(scale.value() * scale.value())?)
    }

    fn probability(&self) -> Result<Probability, Failure> {
        Ok(Probability::new(self.rational("prob")?)?)
    }

    fn range(&self) -> Result<IntegerRange, Failure> {
        Ok(IntegerRange::new(self.small("lower")?, self.small("upper")?)?)
    }

    fn grid(&self) -> Result<Grid, Failure> {
        let exponent = self.small("grid")?;
        let exponent = i32::try_from(exponent).map_err(|_| refused("grid", exponent, "a small integer"))?;
        Ok(Grid::new(exponent)?)
    }

    fn floats(&self) -> Result<ClampedFloats, Failure> {
        Ok(ClampedFloats::new(self.double("lower")?, self.double("upper")?)?)
    }

    fn scores(&self) -> Scores {
        if self.text("monotone") == Some("true") { Scores::Monotone } else { Scores::Any }
    }
}

/// What is drawn, or answered.
// A mechanism has one law, which is made once.
#[allow(clippy::large_enum_variant)]
pub enum Law {
    /// Integer noise that is added to integers.
    Added {
        /// The noise in 64 bits; `None` where the scale is too large for it.
        word: Option<(AddedNoise, Measurement<i64, i64>)>,
        /// The same of any size.
        big: Measurement<Integer, Integer>,
    },
    /// An integer from 0.
    Geometric(Geometric<i64>),
    /// Truth values.
    Coin(Bernoulli),
    /// Truth values.
    CoinExp(BernoulliExp),
    /// Integers below a bound.
    Below(UniformBelow<Integer>),
    /// Doubles in (0, 1).
    Double(UniformDouble),
    /// Integers to integers.
    Integers(Measurement<i64, i64>),
    /// A category, true or not: its law, and the measurement over 0 … k − 1.
    Response(RandomizedResponse, Measurement<i64, i64>),
    /// Floats to floats.
    Floats(Measurement<f64, f64>),
    /// The index of one of some scores.
    Choice(Rule, Scores, Scale),
    /// For accounting only.
    Nothing,
}

/// Noise on its own, drawn in bulk.
pub enum AddedNoise {
    /// Two-sided geometric.
    Laplace(DiscreteLaplace<i64>),
    /// Discrete Gaussian.
    Gaussian(DiscreteGaussian<i64>),
}

impl AddedNoise {
    /// Fills a block.
    pub fn fill(&self, out: &mut [i64]) -> Result<(), Failure> {
        Ok(match self {
            AddedNoise::Laplace(noise) => with_secure(|entropy| noise.fill(out, entropy)),
            AddedNoise::Gaussian(noise) => with_secure(|entropy| noise.fill(out, entropy)),
        }?)
    }
}

impl Law {
    /// The law of a mechanism.
    pub fn new(name: &str, arguments: &Arguments) -> Result<Law, Failure> {
        Ok(match name {
            "discrete-laplace" => {
                let scale = arguments.scale()?;
                let word = DiscreteLaplace::<i64>::new(scale.clone()).ok().map(AddedNoise::Laplace);
                let word = word.zip(discrete_laplace(IntegerRange::WIDEST, scale.clone()).ok());
                Law::Added { word, big: discrete_laplace(BigIntegers, scale)? }
            }
            "discrete-gaussian" => {
                let squared = arguments.squared_scale()?;
                let word = DiscreteGaussian::<i64>::new(squared.clone()).ok().map(AddedNoise::Gaussian);
                let word = word.zip(discrete_gaussian(IntegerRange::WIDEST, squared.clone()).ok());
                Law::Added { word, big: discrete_gaussian(BigIntegers, squared)? }
            }
            "geometric" => Law::Geometric(Geometric::new(arguments.scale()?)?),
            "bernoulli" => Law::Coin(Bernoulli::new(arguments.probability()?)),
            "bernoulli-exp" => {
                Law::CoinExp(BernoulliExp::new(Exponent::new(arguments.rational("exponent")?)?))
            }
            "uniform-integer" => {
                let below = arguments.rational("below")?;
                if !below.is_int() || below <= Rational::ZERO {
                    return Err(refused("below", &below, "a positive integer"));
                }
                let count = probity_exact::UnsignedAbs::unsigned_abs(below.numerator().clone());
                Law::Below(UniformBelow::new(Count::new(count)?)?)
            }
            "uniform-float" => Law::Double(UniformDouble),
            "randomized-response" => {
                let categories = arguments.small("categories")?;
                let count = usize::try_from(categories).unwrap_or(0);
                let response = RandomizedResponse::new(count, arguments.probability()?)?;
                if count > MOST_CATEGORIES {
                    return Ok(Law::Nothing);
                }
                let over = response.over((0..categories).collect())?;
                Law::Response(response, over)
            }
            "truncated-geometric" => {
                Law::Integers(truncated_geometric(arguments.range()?, arguments.scale()?)?)
            }
            "renormalised-geometric" => {
                Law::Integers(renormalised_geometric(arguments.range()?, arguments.scale()?)?)
            }
            "exponential" => Law::Choice(Rule::Exponential, arguments.scores(), arguments.scale()?),
            "noisy-max" => Law::Choice(Rule::NoisyMax, arguments.scores(), arguments.scale()?),
            "laplace-on-grid" if arguments.text("lower").is_some() => {
                Law::Floats(laplace_on_grid(arguments.floats()?, arguments.grid()?, arguments.scale()?)?)
            }
            "gaussian-on-grid" if arguments.text("lower").is_some() => Law::Floats(gaussian_on_grid(
                arguments.floats()?,
                arguments.grid()?,
                arguments.squared_scale()?,
            )?),
            "snapping" => {
                let sensitivity = match arguments.text("sensitivity") {
                    Some(_) => Sensitivity::new(arguments.rational("sensitivity")?)?,
                    None => Sensitivity::from(1u32),
                };
                let epsilon = Epsilon::new(arguments.rational("epsilon")?)?;
                Law::Floats(Snapping::new(&epsilon, sensitivity, arguments.double("bound")?)?.measurement())
            }
            _ => Law::Nothing,
        })
    }

    /// The measurement that chooses among so many scores.
    pub fn chooser(&self, candidates: usize) -> Option<Result<Measurement<Vec<Rational>, usize>, Failure>> {
        match self {
            Law::Choice(rule, scores, scale) => {
                Some(choice(candidates, *rule, *scores, scale.clone()).map_err(Failure::from))
            }
            _ => None,
        }
    }
}
