//! Enclosures of nodes to any precision: the stage that decides what doubles leave open.

use std::collections::BTreeMap;

use probity_exact::{Enclosure, Float, Format, Rational};
use probity_noise::entropy::EntropyError;

use super::source::{Prefix, Source};
use super::tape::{Node, Noise, Tape};

/// An enclosure with big floats.
pub(crate) type Wide = Enclosure<Float>;

/// Bits of a uniform real after which an undecided question is given up. What has probability 0 of being open
/// for ever gets here with probability below 2^−65000.
pub(crate) const MOST_BITS: usize = 1 << 16;

/// The same for numbers that are not made of draws and have no normal form, which only numbers that are known before any input is seen may
/// be. Where there is a normal form, it says how many bits it takes.
pub(crate) const MOST_CONSTANT_BITS: usize = 1 << 12;

/// Precision beyond the bits that are known of the draws.
pub(super) const GUARD_BITS: usize = 64;

fn rational(value: &Rational, format: Format) -> Wide {
    Wide::around(value, format)
}

fn whole(value: i64, format: Format) -> Wide {
    rational(&Rational::from(value), format)
}

impl Tape {
    /// Enclosures of some nodes from what is known of the draws, with about this many significant bits.
    pub(crate) fn enclose(&self, places: &[u32], bits: usize) -> Vec<Wide> {
        let format = Format::wide(u32::try_from(bits + GUARD_BITS).unwrap_or(u32::MAX));
        let mut known: BTreeMap<u32, Wide> = BTreeMap::new();
        let everything = Wide::everything(format);
        for place in self.below(places) {
            let at = |operand: u32| known.get(&operand).unwrap_or(&everything).clone();
            let value = match self.node(place) {
                Node::Point(point) => {
                    Wide::point(Float::from_f64(point), format).unwrap_or(everything.clone())
                }
                Node::Rational(at) => rational(self.rational_at(at), format),
                Node::Neg(a) => -at(a),
                Node::Add(a, b) => at(a) + at(b),
                Node::Sub(a, b) => at(a) - at(b),
                Node::Mul(a, b) if a == b => at(a).square(),
                Node::Mul(a, b) => at(a) * at(b),
                // The divisor is known not to be 0, and the argument of ln to be positive: their enclosures will tell.
                Node::Div(a, b) => at(a).checked_div(&at(b)).unwrap_or(everything.clone()),
                Node::Ln(a) => at(a).ln().unwrap_or(everything.clone()),
                Node::Exp(a) => at(a).exp(),
                Node::Sqrt(a) => at(a).max(&whole(0, format)).sqrt().unwrap_or(everything.clone()),
                Node::Draw(draw) => {
                    let record = self.draw_at(draw);
                    let unit = unit(record.noise, &self.known(draw), format);
                    let scaled = record.scale.map_or(unit.clone(), |scale| unit * at(scale));
                    record.center.map_or(scaled.clone(), |center| scaled + at(center))
                }
            };
            known.insert(place, value);
        }
        places.iter().map(|place| known.remove(place).unwrap_or(everything.clone())).collect()
    }

    /// The draws that some nodes are made of.
    fn draws_below(&self, places: &[u32]) -> Vec<u32> {
        let draw = |place: u32| if let Node::Draw(draw) = self.node(place) { Some(draw) } else { None };
        self.below(places).into_iter().filter_map(draw).collect()
    }

    /// How many draws some nodes are made of.
    pub(super) fn count_draws(&self, places: &[u32]) -> usize {
        self.draws_below(places).len()
    }

    fn least_known(&self, draws: &[u32]) -> Option<usize> {
        let bits = |draw: &u32| {
            let known = self.known(*draw);
            match self.draw_at(*draw).noise {
                Noise::Gaussian => known[0].bits.min(known[1].bits),
                _ => known[0].bits,
            }
        };
        draws.iter().map(bits).min()
    }

    /// How many bits are known of every draw that the nodes are made of; `None` without draws.
    pub(crate) fn known_bits(&self, places: &[u32]) -> Option<usize> {
        self.least_known(&self.draws_below(places))
    }

    /// Reveals bits of every draw that the nodes are made of: at least twice as many as the least known one has, or one
    /// more where bits come one by one. Answers how many the least known one has then; `None` without draws.
    pub(crate) fn reveal<S: Source>(
        &mut self,
        places: &[u32],
        source: &mut S,
    ) -> Result<Option<usize>, EntropyError> {
        let draws = self.draws_below(places);
        let Some(least) = self.least_known(&draws) else { return Ok(None) };
        let wanted = if S::CHUNK_BITS == 1 { least + 1 } else { 2 * least.max(32) };
        for draw in draws {
            let mut known = self.known(draw);
            known[0].extend(wanted, source)?;
            if self.draw_at(draw).noise == Noise::Gaussian {
                known[1].extend(wanted, source)?;
            }
            self.learn(draw, known);
        }
        Ok(Some(wanted))
    }
}

/// The noise of a draw from what is known of its uniform reals.
pub(super) fn unit(noise: Noise, known: &[Prefix; 2], format: Format) -> Wide {
    let everything = Wide::everything(format);
    let uniform = |prefix: &Prefix| {
        let (low, high) = prefix.ends();
        Wide::new(low, high, format).unwrap_or(everything.clone())
    };
    match noise {
        Noise::Uniform => uniform(&known[0]),
        Noise::Exponential => -uniform(&known[0]).ln().unwrap_or(everything),
        Noise::Laplace { negative } => {
            let magnitude = -uniform(&known[0]).ln().unwrap_or(everything);
            if negative { -magnitude } else { magnitude }
        }
        Noise::Gaussian => {
            let [v, w] = [0, 1].map(|at| signed(&known[at], format));
            // S < 1 is known of a draw that was accepted, so −ln S is not negative.
            let square = v.square() + w.square();
            let one = whole(1, format);
            let within =
                |s: &Wide| s.intersection(&Wide::new(Float::zero(false), one.high().clone(), format)?);
            let factor = within(&square)
                .filter(|s| !s.contains_zero())
                .and_then(|s| (-s.ln()? * whole(2, format)).checked_div(&s))
                .and_then(|ratio| ratio.max(&whole(0, format)).sqrt());
            factor.map_or(everything, |factor| v * factor)
        }
    }
}

/// 2U − 1.
fn signed(prefix: &Prefix, format: Format) -> Wide {
    let (low, high) = prefix.ends();
    let uniform = Wide::new(low, high, format).unwrap_or(Wide::everything(format));
    uniform * whole(2, format) - whole(1, format)
}

/// Whether the point of the polar method lies inside the unit circle; `None` while that is open.
pub(crate) fn is_inside(known: &[Prefix; 2]) -> Option<bool> {
    let bits = known[0].bits.max(known[1].bits);
    let format = Format::wide(u32::try_from(2 * bits + GUARD_BITS).unwrap_or(u32::MAX));
    let square = signed(&known[0], format).square() + signed(&known[1], format).square();
    let one = whole(1, format);
    let less = |a: &Float, b: &Float| a.compare(b) == Some(std::cmp::Ordering::Less);
    match (less(square.high(), one.low()), less(one.high(), square.low())) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}
