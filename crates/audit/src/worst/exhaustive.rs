//! The worst pair of neighbours of a small format, over all inputs.
//!
//! Every input has its law, made on all cores. Where neighbours are the inputs within a distance, the worst loss at an
//! outcome is over the least probability in a window, which slides over the inputs: the time grows with
//! inputs times outcomes, not with the square of the inputs. All comparisons are exact.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::thread;

use probity_exact::{Format, Natural, Rational};
use probity_kernel::expr::Expr;
use probity_kernel::term::Mechanism;

use crate::case::Case;
use crate::error::AuditError;
use crate::float::split::Effort;
use crate::output::law::{Law, least_common_multiple};
use crate::output::outcome::{Outcome, Parameters};
use crate::pair::neighbours::{claimed_value, distance, neighbours};
use crate::worst::search::{given, judge, numeric_input};
use crate::worst::state::FoundPair;

/// Inputs between two reports of progress.
const BLOCK: usize = 128;

/// What all inputs of a format show.
#[derive(Debug, Clone, PartialEq)]
pub struct AllPairs {
    /// The worst pair; `None` when there is none.
    pub worst: Option<FoundPair>,
    /// The number of pairs of neighbours.
    pub pairs: u64,
    /// Whether no mass escaped from any law, so that no pair loses more than the worst one.
    pub exact: bool,
}

/// The worst pair over all inputs of the format: every admitted number against every neighbour of it.
///
/// `progress` is told how many inputs are done, of how many. Fails for formats with more than 2^24 numbers.
pub fn all_pairs(
    mechanism: &Mechanism,
    epsilon: &Expr,
    parameters: &Parameters,
    format: Format,
    effort: Effort,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<AllPairs, AuditError> {
    let input = numeric_input(mechanism)?;
    let numbers = format
        .all_finite()
        .ok_or(AuditError::Unsupported { what: "all inputs of a format with more than 2^24 numbers" })?;
    let epsilon = claimed_value(mechanism, epsilon, parameters)?;
    let mut inputs = Vec::new();
    for x in numbers.iter().filter_map(probity_exact::Float::to_rational) {
        if Case::new(mechanism, parameters, &given(input, &x)).is_admitted()? {
            inputs.push(x);
        }
    }
    let law = |x: &Rational| Case::new(mechanism, parameters, &given(input, x)).float_law(format, effort);
    let laws = laws(&inputs, law, progress)?;
    let judged = |i: usize, j: usize| {
        let (first, second) = (given(input, &inputs[i]), given(input, &inputs[j]));
        judge(0, &first, &second, &laws[i], &laws[j], &epsilon)
    };
    let (worst, pairs) = match distance(mechanism, parameters)? {
        Some(distance) => within(&inputs, &laws, &distance.low, judged),
        None => {
            let near = |x: &Rational, y: &Rational| {
                neighbours(mechanism, parameters, &given(input, x), &given(input, y))
            };
            related(&inputs, near, judged)?
        }
    };
    Ok(AllPairs { worst, pairs, exact: laws.iter().all(Law::is_exact) })
}

/// The laws of all inputs, in blocks that are shared out to the cores.
fn laws(
    inputs: &[Rational],
    law: impl Fn(&Rational) -> Result<Law, AuditError> + Sync,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Law>, AuditError> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut all = Vec::with_capacity(inputs.len());
    for block in inputs.chunks(BLOCK) {
        let shares = block.chunks(BLOCK.div_ceil(cores));
        let found: Vec<Result<Vec<Law>, AuditError>> = thread::scope(|scope| {
            let workers: Vec<_> =
                shares.map(|share| scope.spawn(|| share.iter().map(&law).collect())).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        for share in found {
            all.extend(share?);
        }
        progress(all.len(), inputs.len());
    }
    Ok(all)
}

/// Any relation of neighbours: each pair in turn.
fn related(
    inputs: &[Rational],
    near: impl Fn(&Rational, &Rational) -> Result<bool, AuditError>,
    judged: impl Fn(usize, usize) -> FoundPair,
) -> Result<(Option<FoundPair>, u64), AuditError> {
    let mut worst: Option<FoundPair> = None;
    let mut pairs = 0;
    for (i, x) in inputs.iter().enumerate() {
        for (j, y) in inputs.iter().enumerate().skip(i + 1) {
            if near(x, y)? {
                pairs += 1;
                keep_worse(&mut worst, judged(i, j));
            }
        }
    }
    Ok((worst, pairs))
}

fn keep_worse(worst: &mut Option<FoundPair>, found: FoundPair) {
    if worst.as_ref().is_none_or(|worst| found.is_worse_than(worst)) {
        *worst = Some(found);
    }
}

/// Neighbours are the inputs within a distance; the inputs are in order.
fn within(
    inputs: &[Rational],
    laws: &[Law],
    distance: &Rational,
    judged: impl Fn(usize, usize) -> FoundPair,
) -> (Option<FoundPair>, u64) {
    let windows = windows(inputs, distance);
    let pairs = windows.iter().enumerate().map(|(i, window)| (window.end - i - 1) as u64).sum();
    let common =
        laws.iter().fold(Natural::ONE, |common, law| least_common_multiple(&common, law.denominator()));
    let laws: Vec<Law> = laws.iter().map(|law| law.scaled_to(&common)).collect();
    let outcomes: BTreeSet<&Outcome> = laws.iter().flat_map(|law| law.masses().keys()).collect();
    let mut finite: Option<Ratio> = None;
    let mut infinite: Option<Ratio> = None;
    for outcome in outcomes {
        let (certain, possible): (Vec<Natural>, Vec<Natural>) = laws
            .iter()
            .map(|law| match law.masses().get(outcome) {
                Some(mass) => (mass.low.clone(), &mass.high + law.escaped()),
                None => (Natural::ZERO, law.escaped().clone()),
            })
            .unzip();
        for (i, j) in least_in_windows(&possible, &windows).into_iter().enumerate() {
            let ratio = Ratio { p: certain[i].clone(), q: possible[j].clone(), places: (i, j) };
            if ratio.p > Natural::ZERO && ratio.q == Natural::ZERO {
                infinite.get_or_insert(ratio);
            } else if ratio.q > Natural::ZERO && finite.as_ref().is_none_or(|best| ratio.exceeds(best)) {
                finite = Some(ratio);
            }
        }
    }
    let mut worst = None;
    for Ratio { places: (i, j), .. } in
        [finite, infinite].into_iter().flatten().filter(|r| r.places.0 != r.places.1)
    {
        keep_worse(&mut worst, judged(i.min(j), i.max(j)));
    }
    (worst, pairs)
}

/// The probabilities of an outcome at two places.
struct Ratio {
    p: Natural,
    q: Natural,
    places: (usize, usize),
}

impl Ratio {
    /// Whether p/q is larger than the other's; neither q is 0.
    fn exceeds(&self, other: &Ratio) -> bool {
        &self.p * &other.q > &other.p * &self.q
    }
}

/// For each input the inputs within the distance, itself among them.
fn windows(inputs: &[Rational], distance: &Rational) -> Vec<Range<usize>> {
    let (mut start, mut end) = (0, 0);
    inputs
        .iter()
        .map(|x| {
            while x - &inputs[start] > *distance {
                start += 1;
            }
            while end < inputs.len() && &inputs[end] - x <= *distance {
                end += 1;
            }
            start..end
        })
        .collect()
}

/// The place of the least value in each window; the ends of the windows never move back.
fn least_in_windows(values: &[Natural], windows: &[Range<usize>]) -> Vec<usize> {
    // Places of values that may become the least, by rising value.
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut next = 0;
    windows
        .iter()
        .enumerate()
        .map(|(i, window)| {
            while next < window.end {
                while queue.back().is_some_and(|&last| values[last] >= values[next]) {
                    queue.pop_back();
                }
                queue.push_back(next);
                next += 1;
            }
            while queue.front().is_some_and(|&first| first < window.start) {
                queue.pop_front();
            }
            queue.front().copied().unwrap_or(i)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::bounds::Bounds;
    use crate::output::outcome::Inputs;

    /// The sliding window finds what looking at each pair finds, also where an outcome is possible on one side only.
    #[test]
    fn windows_find_what_each_pair_shows() {
        let whole = |x: usize| Rational::from(x);
        let inputs: Vec<Rational> = [0, 1, 2, 4, 5, 7, 8, 9].map(whole).to_vec();
        let epsilon = Bounds { low: Rational::ZERO, high: Rational::ZERO };
        for seed in 0..200u64 {
            let mut bits = crate::run::bits::Bits(seed);
            let least = u64::from(seed % 3 != 0);
            let mut law = || {
                let masses: Vec<Natural> =
                    (0..3).map(|_| Natural::from(bits.next() % 20 + least)).chain([Natural::ONE]).collect();
                let total = masses.iter().sum();
                let named = masses.into_iter().enumerate().map(|(i, m)| (Outcome::Number(whole(i)), m));
                Law::exact(total, named, Natural::ZERO)
            };
            let laws: Vec<Law> = inputs.iter().map(|_| law()).collect();
            for distance in [1, 2, 4] {
                let distance = whole(distance);
                let near = |x: &Rational, y: &Rational| Ok(x - y <= distance && y - x <= distance);
                let none = Inputs::new();
                let judged = |i: usize, j: usize| judge(0, &none, &none, &laws[i], &laws[j], &epsilon);
                let (slow, pairs) = related(&inputs, near, judged).unwrap();
                let (fast, counted) = within(&inputs, &laws, &distance, judged);
                assert_eq!(pairs, counted);
                let (slow, fast) = (slow.unwrap(), fast.unwrap());
                assert_eq!(slow.impossible > 0, fast.impossible > 0, "{seed}");
                if slow.impossible == 0 {
                    assert_eq!(slow.excess, fast.excess, "{seed}");
                }
            }
        }
    }
}
