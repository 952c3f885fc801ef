//! The law of an output: outcomes and their probabilities over one common denominator.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;

use probity_exact::{Integer, Natural, Rational};

use crate::output::outcome::Outcome;

/// The probability of an outcome, between two bounds that coincide when it is known exactly. Both are counted in
/// units of the law's common denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mass {
    /// A lower bound.
    pub low: Natural,
    /// An upper bound.
    pub high: Natural,
}

/// The law of the output of a mechanism on one input.
///
/// What no outcome was found for is *escaped* mass: it may belong to any outcome. For exact laws the masses and
/// the escaped mass sum to exactly 1.
///
/// ```
/// use probity_audit::{Law, Outcome};
/// use probity_exact::{Natural, fraction};
/// let law = Law::exact(
///     Natural::from(3u8),
///     [(Outcome::Bool(true), Natural::from(2u8)), (Outcome::Bool(false), Natural::from(1u8))],
///     Natural::ZERO,
/// );
/// assert_eq!(law.probability(&Outcome::Bool(true)), (fraction::<2, 3>(), fraction::<2, 3>()));
/// assert!(law.is_exact() && law.sums_to_one());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Law {
    /// Invariant: positive.
    denominator: Natural,
    masses: BTreeMap<Outcome, Mass>,
    escaped: Natural,
}

impl Law {
    /// The law with these exact masses, in units of 1/denominator.
    pub fn exact(
        denominator: Natural,
        masses: impl IntoIterator<Item = (Outcome, Natural)>,
        escaped: Natural,
    ) -> Law {
        let enclosed =
            masses.into_iter().map(|(outcome, mass)| (outcome, Mass { low: mass.clone(), high: mass }));
        Law::enclosed(denominator, enclosed, escaped)
    }

    /// The law with these bounds of masses, in units of 1/denominator.
    pub fn enclosed(
        denominator: Natural,
        masses: impl IntoIterator<Item = (Outcome, Mass)>,
        escaped: Natural,
    ) -> Law {
        let denominator = if denominator == Natural::ZERO { Natural::ONE } else { denominator };
        let masses = masses.into_iter().filter(|(_, mass)| mass.high > Natural::ZERO).collect();
        Law { denominator, masses, escaped }
    }

    /// The unit in which masses are counted is one over this.
    pub fn denominator(&self) -> &Natural {
        &self.denominator
    }

    /// The outcomes that may have positive probability, in order, with their masses.
    pub fn masses(&self) -> &BTreeMap<Outcome, Mass> {
        &self.masses
    }

    /// The number of outcomes.
    pub fn outcomes(&self) -> usize {
        self.masses.len()
    }

    /// An upper bound of the mass that may belong to any outcome, in units of 1/denominator.
    pub fn escaped(&self) -> &Natural {
        &self.escaped
    }

    /// The escaped mass as a probability.
    pub fn escaped_mass(&self) -> Rational {
        self.fraction(&self.escaped)
    }

    /// Bounds of the probability of an outcome; the upper one counts all escaped mass.
    pub fn probability(&self, outcome: &Outcome) -> (Rational, Rational) {
        match self.masses.get(outcome) {
            Some(mass) => (self.fraction(&mass.low), self.fraction(&(&mass.high + &self.escaped))),
            None => (Rational::ZERO, self.fraction(&self.escaped)),
        }
    }

    /// Whether every mass is exact and nothing escaped.
    pub fn is_exact(&self) -> bool {
        self.escaped == Natural::ZERO && self.masses.values().all(|mass| mass.low == mass.high)
    }

    /// Whether the bounds leave room for a total of 1; for exact masses, whether they sum to exactly 1.
    pub fn sums_to_one(&self) -> bool {
        let low: Natural = self.masses.values().map(|mass| &mass.low).sum();
        let high: Natural = self.masses.values().map(|mass| &mass.high).sum::<Natural>() + &self.escaped;
        low <= self.denominator && high >= self.denominator && (low != high || high == self.denominator)
    }

    /// A mass as a probability.
    pub fn fraction(&self, mass: &Natural) -> Rational {
        Rational::from_parts(Integer::from(mass.clone()), self.denominator.clone())
    }

    /// Writes a line `outcome,low,high` of exact rationals for each outcome, and the escaped mass last.
    pub fn write_csv(&self, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "outcome,probability_low,probability_high")?;
        for (outcome, mass) in &self.masses {
            let (low, high) = (self.fraction(&mass.low), self.fraction(&mass.high));
            match outcome {
                Outcome::List(_) => writeln!(out, "\"{outcome}\",{low},{high}")?,
                _ => writeln!(out, "{outcome},{low},{high}")?,
            }
        }
        writeln!(out, "(escaped),0,{}", self.escaped_mass())
    }

    /// The two laws over one denominator.
    pub(crate) fn over_common_denominator<'a>(&'a self, other: &'a Law) -> (Cow<'a, Law>, Cow<'a, Law>) {
        if self.denominator == other.denominator {
            return (Cow::Borrowed(self), Cow::Borrowed(other));
        }
        let common = least_common_multiple(&self.denominator, &other.denominator);
        (Cow::Owned(self.scaled_to(&common)), Cow::Owned(other.scaled_to(&common)))
    }

    pub(crate) fn scaled_to(&self, denominator: &Natural) -> Law {
        let factor = denominator / &self.denominator;
        let scale = |mass: &Mass| Mass { low: &mass.low * &factor, high: &mass.high * &factor };
        Law {
            denominator: denominator.clone(),
            masses: self.masses.iter().map(|(outcome, mass)| (outcome.clone(), scale(mass))).collect(),
            escaped: &self.escaped * &factor,
        }
    }
}

pub(crate) fn least_common_multiple(a: &Natural, b: &Natural) -> Natural {
    // a/b in lowest terms is (a/g)/(b/g), so lcm = a·(b/g).
    let reduced = Rational::from_parts(Integer::from(a.clone()), b.clone());
    a * reduced.denominator()
}

/// Collects exact masses with different denominators, of which there are few.
#[derive(Debug, Default)]
pub(crate) struct LawBuilder {
    groups: Vec<Group>,
}

/// Masses in units of one over the denominator.
#[derive(Debug)]
struct Group {
    denominator: Natural,
    masses: HashMap<Outcome, Natural>,
    escaped: Natural,
}

impl LawBuilder {
    pub(crate) fn add(&mut self, outcome: Outcome, mass: &Natural, denominator: &Natural) {
        *self.group(denominator).masses.entry(outcome).or_default() += mass;
    }

    pub(crate) fn escape(&mut self, mass: &Natural, denominator: &Natural) {
        self.group(denominator).escaped += mass;
    }

    fn group(&mut self, denominator: &Natural) -> &mut Group {
        let place = self.groups.iter().position(|group| group.denominator == *denominator);
        let place = place.unwrap_or_else(|| {
            let (denominator, escaped) = (denominator.clone(), Natural::ZERO);
            self.groups.push(Group { denominator, masses: HashMap::new(), escaped });
            self.groups.len() - 1
        });
        &mut self.groups[place]
    }

    pub(crate) fn finish(mut self) -> Law {
        if self.groups.len() == 1
            && let Some(only) = self.groups.pop()
        {
            return Law::exact(only.denominator, only.masses, only.escaped);
        }
        let denominators = self.groups.iter().map(|group| &group.denominator);
        let common = denominators.fold(Natural::ONE, |common, d| least_common_multiple(&common, d));
        let mut masses: HashMap<Outcome, Natural> = HashMap::new();
        let mut escaped = Natural::ZERO;
        for group in self.groups {
            let factor = &common / group.denominator;
            escaped += group.escaped * &factor;
            for (outcome, mass) in group.masses {
                *masses.entry(outcome).or_default() += mass * &factor;
            }
        }
        Law::exact(common, masses, escaped)
    }
}
