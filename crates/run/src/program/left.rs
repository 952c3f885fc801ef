//! What may be left of a number when draws in it cancel.
//!
//! How close a drawn number comes to others is a matter of chance, and of its scale: what is added to it does not count (`sizes`). That holds while the draw
//! is there. `y + sum(q) > y + ln(2)` asks on which side of ln 2 a sum of inputs is, which takes as many bits as inputs ask for; so does `x * y + sum(q) > ln(2)`
//! where x is 0. So this says which kinds a number may be of, for some inputs, draws and paths, and remembers the digits that did not count.
//!
//! Each rule is about normal forms (`lazy::normal`): sums of two numbers that share no draw keep the draws of both; of two that share one, what is left may
//! be anything that both are made of, unless they are of degree 1 with rational coefficients: then it is a number that is drawn, with coefficients whose digits
//! count, or a rational one, which is compared exactly. A product is 0 only if a factor is.

/// The kinds of numbers that one may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    kinds: u8,
    /// The draws that it may be made of, a bit for each name; names share bits where there are more than 64, which only makes more of them meet.
    draws: u64,
    /// Whether it may be more than a sum of draws with factors that are not drawn.
    bent: bool,
    /// Whether there may be logarithms or exponentials in it of what is not drawn.
    mixed: bool,
    /// Whether it is 0 with probability 0, whatever the inputs.
    nonzero: bool,
    /// Whether digits that did not count may be those of a number that is not drawn.
    moved: bool,
    /// Bits below the point that do not count while draws are there, as `sizes` has them.
    pub(super) fixed: u64,
    pub(super) parts: u64,
}

/// A rational number that is known when it is reached.
const RATIONAL: u8 = 1;
/// A number that is refined and made of no draw.
const TRANSCENDENTAL: u8 = 2;
/// A number with a draw that nothing cancels, and with factors at the draws whose digits count.
const DRAWN: u8 = 4;
/// Whatever may be left where draws cancel.
const REST: u8 = 8;

const KINDS: [u8; 4] = [RATIONAL, TRANSCENDENTAL, DRAWN, REST];

impl Default for Left {
    fn default() -> Left {
        Left::RATIONAL
    }
}

impl Left {
    pub(super) const RATIONAL: Left = Left {
        kinds: RATIONAL,
        draws: 0,
        bent: false,
        mixed: false,
        nonzero: false,
        moved: false,
        fixed: 0,
        parts: 0,
    };

    /// A number of the text.
    pub(super) fn number(is_zero: bool) -> Left {
        Left { nonzero: !is_zero, ..Left::RATIONAL }
    }

    /// A draw of the name with this place.
    pub(super) fn draw(place: usize) -> Left {
        Left { kinds: DRAWN, draws: 1 << (place % 64), nonzero: true, ..Left::RATIONAL }
    }

    /// Whether all digits count: draws may cancel, and what is left is not compared exactly.
    pub(super) fn counts(self) -> bool {
        self.kinds & (TRANSCENDENTAL | REST) != 0
    }

    fn is_mixed(self) -> bool {
        self.mixed || self.kinds & TRANSCENDENTAL != 0
    }

    /// With digits that do not count while draws are there.
    pub(super) fn beside(self, fixed: u64, parts: u64) -> Left {
        let moved = self.moved || self.kinds & (RATIONAL | TRANSCENDENTAL) != 0 && fixed | parts != 0;
        let (fixed, parts) = (self.fixed.saturating_add(fixed), self.parts.saturating_add(parts));
        Left { moved, fixed, parts, ..self }
    }

    /// With as many digits as there may be, where they grew from `before`.
    pub(super) fn widened(self, before: Left) -> Left {
        let wide = |now: u64, before: u64| if now > before { u64::MAX } else { now };
        Left { fixed: wide(self.fixed, before.fixed), parts: wide(self.parts, before.parts), ..self }
    }

    /// What two numbers make whose kinds make these.
    fn of(self, other: Left, kinds: impl Fn(u8, u8) -> u8) -> Left {
        let pairs = KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b)));
        let met = pairs.filter(|(a, b)| self.kinds & a != 0 && other.kinds & b != 0);
        let kinds = met.fold(0, |all, (a, b)| all | kinds(a, b));
        Left {
            kinds,
            draws: self.draws | other.draws,
            bent: self.bent || other.bent,
            mixed: self.is_mixed() || other.is_mixed(),
            nonzero: kinds == DRAWN,
            moved: self.moved || other.moved,
            fixed: self.fixed.saturating_add(other.fixed),
            parts: self.parts.saturating_add(other.parts),
        }
    }

    pub(super) fn plus(self, other: Left) -> Left {
        let share = self.draws & other.draws != 0;
        let is_exact = !self.bent && !other.bent && !self.is_mixed() && !other.is_mixed();
        let sum = self.of(other, |a, b| match (a, b) {
            (DRAWN, DRAWN) if share && is_exact => DRAWN | RATIONAL,
            (DRAWN, DRAWN | REST) | (REST, DRAWN) if share => REST,
            (DRAWN, _) | (_, DRAWN) => DRAWN,
            (REST, _) | (_, REST) => REST,
            (RATIONAL, RATIONAL) => RATIONAL,
            _ => TRANSCENDENTAL,
        });
        Left { moved: sum.moved || share && sum.fixed | sum.parts != 0, ..sum }
    }

    pub(super) fn times(self, other: Left) -> Left {
        let share = self.draws & other.draws != 0;
        // A product of two that are not constant has the product of their leading terms, which are no quotients here.
        let keeps = !share || !self.bent && !other.bent;
        // The factor of a draw: what did not count in it does now.
        let factor = |of: Left| match (of.moved, of.nonzero) {
            (true, _) => REST,
            (false, true) => DRAWN,
            (false, false) => DRAWN | RATIONAL,
        };
        let product = self.of(other, |a, b| match (a, b) {
            (REST, _) | (_, REST) => REST,
            (DRAWN, DRAWN) => {
                if keeps {
                    DRAWN
                } else {
                    REST
                }
            }
            (DRAWN, _) => factor(other),
            (_, DRAWN) => factor(self),
            (RATIONAL, RATIONAL) => RATIONAL,
            _ => TRANSCENDENTAL | RATIONAL,
        });
        let bent = product.bent || self.draws != 0 && other.draws != 0;
        Left { bent, nonzero: self.nonzero && other.nonzero, ..product }
    }

    pub(super) fn over(self, other: Left) -> Left {
        self.times(Left { bent: other.bent || other.draws != 0, ..other })
    }

    /// One of two.
    pub(super) fn join(self, other: Left) -> Left {
        Left {
            kinds: self.kinds | other.kinds,
            nonzero: self.nonzero && other.nonzero,
            moved: self.moved || other.moved,
            fixed: self.fixed.max(other.fixed),
            parts: self.parts.max(other.parts),
            draws: self.draws | other.draws,
            bent: self.bent || other.bent,
            mixed: self.is_mixed() || other.is_mixed(),
        }
    }

    /// Or 0, as a list has outside its bounds.
    pub(super) fn or_zero(self) -> Left {
        self.join(Left::RATIONAL)
    }

    /// A sum of any number of these, of none as well.
    pub(super) fn repeated(self) -> Left {
        self.plus(self).join(self).or_zero()
    }

    fn curved(self) -> Left {
        Left { bent: self.bent || self.draws != 0, ..self }
    }

    pub(super) fn exp(self) -> Left {
        let kinds = if self.kinds & RATIONAL != 0 { self.kinds | TRANSCENDENTAL } else { self.kinds };
        Left { kinds, mixed: true, nonzero: true, ..self.curved() }
    }

    /// 0 of what is not positive.
    pub(super) fn ln(self) -> Left {
        let kinds = if self.kinds & RATIONAL != 0 { self.kinds | TRANSCENDENTAL } else { self.kinds };
        Left { kinds, mixed: true, ..self.curved() }.or_zero()
    }

    /// A root of a rational number is held against rational numbers, by its square, and nothing else is (`decidable`).
    pub(super) fn sqrt(self) -> Left {
        self.curved().or_zero()
    }

    /// A fresh draw around this center, with a scale that is positive: whatever the center is, nothing in it cancels the draw.
    pub(super) fn around(self, center: Left) -> Left {
        Left { kinds: if self.kinds == DRAWN { DRAWN } else { self.plus(center).kinds }, ..self.plus(center) }
    }

    /// The draw of this name, with a scale. One that is not drawn makes a draw of its own with it, whatever number it is.
    pub(super) fn scaled(place: usize, scale: Left) -> Left {
        match scale.draws {
            0 => Left::draw(place),
            _ => Left { nonzero: true, ..scale }.times(Left::draw(place)),
        }
    }
}
