//! Combinations of couplings, one for each draw, the most promising first.

use probity_kernel::expr::{Expr, Variable};
use probity_kernel::term::Coupling;

use crate::derivation::Move;
use crate::plan::couplings::Candidate;
use crate::plan::rounds::cuts;

/// The most combinations of couplings that are rehearsed.
const MAX_COMBINATIONS: usize = 6_000;

/// The combinations of one choice per place: first those of a simple kind, then all by the sum of their ranks, so that
/// those with few unlikely choices come first.
pub(super) struct Combinations {
    simple: std::vec::IntoIter<Vec<usize>>,
    sizes: Vec<usize>,
    current: Option<Vec<usize>>,
    sum: usize,
    left: usize,
}

impl Combinations {
    pub(super) fn new(choices: &[Vec<Candidate>]) -> Combinations {
        let sizes: Vec<usize> = choices.iter().map(Vec::len).collect();
        let possible = sizes.iter().all(|&size| size > 0);
        let simple =
            if possible { [cut_alike(choices), simple_combinations(choices)].concat() } else { vec![] };
        Combinations {
            simple: simple.into_iter(),
            current: possible.then(|| vec![0; sizes.len()]),
            sizes,
            sum: 0,
            left: MAX_COMBINATIONS,
        }
    }

    /// The smallest combination of the places from `from` on with the given sum.
    fn smallest(&self, from: usize, sum: usize) -> Option<Vec<usize>> {
        let mut left = sum;
        let mut tail = vec![0; self.sizes.len() - from];
        for (slot, size) in tail.iter_mut().zip(&self.sizes[from..]).rev() {
            *slot = left.min(size - 1);
            left -= *slot;
        }
        (left == 0).then_some(tail)
    }

    /// The combination after this one with the same sum, in the order of the dictionary.
    fn after(&self, current: &[usize]) -> Option<Vec<usize>> {
        for at in (0..current.len()).rev() {
            if current[at] + 1 >= self.sizes[at] {
                continue;
            }
            let tail: usize = current[at + 1..].iter().sum();
            if tail == 0 {
                continue;
            }
            if let Some(rest) = self.smallest(at + 1, tail - 1) {
                let mut next = current[..at].to_vec();
                next.push(current[at] + 1);
                next.extend(rest);
                return Some(next);
            }
        }
        None
    }
}

impl Iterator for Combinations {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        self.left = self.left.checked_sub(1)?;
        if let Some(simple) = self.simple.next() {
            return Some(simple);
        }
        let current = self.current.clone()?;
        self.current = self.after(&current).or_else(|| {
            self.sum += 1;
            self.smallest(0, self.sum)
        });
        Some(current)
    }
}

/// Several draws that are cut alike, each in its first way, its second way, and so on.
fn cut_alike(choices: &[Vec<Candidate>]) -> Vec<Vec<usize>> {
    let is_cut = |c: &Candidate| cuts(std::slice::from_ref(&c.step));
    let ways = |c: &Vec<Candidate>| c.iter().take_while(|c| is_cut(c)).count();
    let cut: Vec<usize> = choices.iter().map(ways).collect();
    if cut.iter().filter(|ways| **ways > 0).count() < 2 {
        return vec![];
    }
    let most = cut.iter().copied().max().unwrap_or_default();
    let alike = |rank: usize| cut.iter().map(|ways| rank.min(ways.saturating_sub(1))).collect();
    (0..most).map(alike).collect()
}

/// Each draw pays where the result is one of its own: the first draw for the first result, and so on.
fn one_for_each_result(choices: &[Vec<Candidate>], rank: usize) -> Option<Vec<usize>> {
    let result = |candidate: &Candidate| match &candidate.step {
        Move::Draw(Coupling::Shift { by: Expr::If(hit, ..), .. }) if hit.mentions(&Variable::Result) => {
            Some((**hit).clone())
        }
        _ => None,
    };
    let mut results: Vec<Expr> = Vec::new();
    for hit in choices.iter().flatten().filter_map(result) {
        if !results.contains(&hit) {
            results.push(hit);
        }
    }
    let place = |(at, candidates): (usize, &Vec<Candidate>)| {
        let wanted = results.get(at)?;
        let of = candidates.iter().enumerate().filter(|(_, c)| result(c).as_ref() == Some(wanted));
        of.map(|(place, _)| place).nth(rank)
    };
    choices.iter().enumerate().map(place).collect()
}

/// All draws alike, or one draw that pays for all others, or all but one: what most proofs are.
fn simple_combinations(choices: &[Vec<Candidate>]) -> Vec<Vec<usize>> {
    if choices.len() < 2 {
        return vec![];
    }
    if choices.len() < 3 {
        return (0..2).filter_map(|rank| one_for_each_result(choices, rank)).collect();
    }
    let alike = |rank: usize| choices.iter().map(|c| rank.min(c.len() - 1)).collect::<Vec<_>>();
    let free: Vec<usize> =
        choices.iter().map(|c| c.iter().position(Candidate::is_free).unwrap_or(0)).collect();
    let mut simple: Vec<Vec<usize>> = (0..4).map(alike).collect();
    simple.push(free.clone());
    simple.extend((0..2).filter_map(|rank| one_for_each_result(choices, rank)));
    for at in 0..choices.len() {
        let (mut payer, mut saver) = (free.clone(), vec![0; choices.len()]);
        payer[at] = 0;
        saver[at] = free[at];
        simple.extend([payer, saver]);
    }
    simple
}
