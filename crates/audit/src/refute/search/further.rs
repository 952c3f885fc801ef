//! What the search does after its usual rounds, while there is time: pairs of other kinds, more settings of the parameters, and climbs.

use super::{ALL_SETTINGS, FEW, MOST_WORK, Refutation, SETTINGS, Search};
use crate::output::outcome::Parameters;
use crate::pair::candidates::{ALL_ROUNDS, APART, EACH_PLACE, ROUNDS, for_samples};
use crate::pair::mutate::mutated;
use crate::pair::settings::parameters;
use crate::real::paths::Depth;
use crate::run::bits::Bits;

/// How many times as many settings each round after those has, while there is time, and how many rounds there are at most.
const MORE_SETTINGS: usize = 4;
const MOST_WIDENINGS: usize = 4;

/// Work of the further rounds, of each half of them.
const MOST_FURTHER_WORK: usize = 3 * MOST_WORK;

/// Steps that a climb takes at most.
const STEPS: usize = 3000;

/// What guesses along a few paths are made with, for long lists whose entries lie far apart.
const MORE: Depth = Depth { paths: 1500, tail_bits: 40 };

impl Search<'_> {
    /// The further rounds, and a climb from what told most.
    pub(super) fn further(&mut self, settings: &[Parameters]) -> Option<Refutation> {
        let (few, more) = settings.split_at(settings.len().min(SETTINGS));
        // What only samples tell is told by lists of a few entries; paths are not followed there, few or many.
        if self.sampled && !self.mechanism.params.is_empty() {
            (self.work, self.most_work) = (0, MOST_WORK);
            let longer = for_samples(self.mechanism, settings);
            if let Some(found) = self.rounds(&longer[..longer.len().min(SETTINGS)], 0..1, true) {
                return Some(found);
            }
        }
        (self.work, self.most_work) = (0, MOST_FURTHER_WORK / 2);
        // Long lists by a few paths, which is cheap; then pairs of other kinds; then other settings of the parameters.
        let found = self
            .rounds(few, ROUNDS..ROUNDS + 1, false)
            .or_else(|| {
                (self.work, self.most_work, self.few) = (0, MOST_FURTHER_WORK, MORE);
                let found = self.rounds(few, APART..APART + 1, false);
                self.few = FEW;
                found
            })
            .or_else(|| {
                (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
                self.rounds(few, EACH_PLACE..EACH_PLACE + 1, true)
            })
            .or_else(|| {
                (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
                self.rounds(few, ROUNDS..ALL_ROUNDS, true)
            })
            .or_else(|| {
                (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
                self.rounds(more, 0..1, true)
            });
        if found.is_some() {
            return found;
        }
        (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
        self.climb(1)
    }

    /// After the further rounds: ever more settings of the parameters, and other climbs.
    pub(super) fn while_there_is_time(&mut self, mut known: Vec<Parameters>) -> Option<Refutation> {
        for widening in 1..=MOST_WIDENINGS {
            let most = ALL_SETTINGS * MORE_SETTINGS.pow(widening as u32);
            let mut settings = parameters(self.mechanism, self.claim, self.given, most);
            settings.retain(|setting| !known.contains(setting));
            // Each setting has its share of the work, however many there are.
            for some in settings.chunks(ALL_SETTINGS) {
                (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
                let found = self.rounds(some, 0..1, true);
                if found.is_some() || self.until.is_over() {
                    return found;
                }
            }
            known.extend(settings);
            (self.work, self.most_work) = (0, MOST_FURTHER_WORK);
            let found = self.climb(1 + widening as u64);
            if found.is_some() || self.until.is_over() {
                return found;
            }
        }
        None
    }

    /// Changes what told most, a little at a time, as a seed says.
    fn climb(&mut self, seed: u64) -> Option<Refutation> {
        let mut bits = Bits(seed);
        for step in 0..STEPS {
            if self.until.is_over() || self.work > self.most_work || self.best.is_empty() {
                return None;
            }
            let (_, setting, pair) = self.best[step % self.best.len()].clone();
            let Some((setting, pair)) = mutated(self.mechanism, (&setting, self.given), &pair, &mut bits)
            else {
                continue;
            };
            let found = self.look_at(&setting, &pair, true);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
