//! The definitions of the papers, as programs over exact finite distributions.
//!
//! The ε-DP divergence, the ε-dilation and the (ε,δ)-lifting, with the factor e^ε given as an exact rational.
//! For a real ε, a lifting at a rational factor below e^ε is one at e^ε, and if there is none at a rational
//! factor above, there is none at e^ε. No rule uses this: tests try the rules against it.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::Rational;

/// A sub-distribution on finitely many values. Invariant: no mass is 0 or negative, and they sum to at most 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finite<T: Ord>(BTreeMap<T, Rational>);

/// Why masses are no sub-distribution, or witnesses no lifting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A mass is negative.
    NegativeMass(Rational),
    /// The masses sum to more than 1.
    MoreThanOne(Rational),
    /// The first marginal of the left witness is not the first distribution.
    LeftMarginal,
    /// The second marginal of the right witness is not the second distribution.
    RightMarginal,
    /// A witness has mass on a pair that the relation does not hold of.
    OutsideRelation,
    /// The divergence of the witnesses exceeds δ.
    Divergence(Rational),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NegativeMass(m) => write!(f, "a mass is {m}"),
            Fault::MoreThanOne(m) => write!(f, "the masses sum to {m}, more than 1"),
            Fault::LeftMarginal => {
                write!(f, "the left witness does not have the first distribution as marginal")
            }
            Fault::RightMarginal => {
                write!(f, "the right witness does not have the second distribution as marginal")
            }
            Fault::OutsideRelation => write!(f, "a witness has mass outside the relation"),
            Fault::Divergence(d) => write!(f, "the witnesses are {d} apart"),
        }
    }
}

impl std::error::Error for Fault {}

impl<T: Ord + Clone> Finite<T> {
    /// The sub-distribution with these masses; masses of one value add up.
    pub fn new(masses: impl IntoIterator<Item = (T, Rational)>) -> Result<Finite<T>, Fault> {
        let mut all: BTreeMap<T, Rational> = BTreeMap::new();
        for (value, mass) in masses {
            if mass < Rational::ZERO {
                return Err(Fault::NegativeMass(mass));
            }
            if !mass.is_zero() {
                let sum = all.remove(&value).unwrap_or(Rational::ZERO) + mass;
                all.insert(value, sum);
            }
        }
        let finite = Finite(all);
        match finite.total() {
            total if total > Rational::ONE => Err(Fault::MoreThanOne(total)),
            _ => Ok(finite),
        }
    }

    /// The mass of a value.
    pub fn mass(&self, value: &T) -> Rational {
        self.0.get(value).cloned().unwrap_or(Rational::ZERO)
    }

    /// The mass of all values.
    pub fn total(&self) -> Rational {
        self.0.values().fold(Rational::ZERO, |sum, mass| sum + mass)
    }

    /// The values with positive mass, in order, with their masses.
    pub fn iter(&self) -> impl Iterator<Item = (&T, &Rational)> {
        self.0.iter()
    }
}

/// Δ_ε(μ1, μ2) = sup over E of μ1(E) − e^ε·μ2(E), with e^ε = `factor`. The supremum is reached at the set of
/// values where the difference is positive.
pub fn divergence<T: Ord + Clone>(first: &Finite<T>, second: &Finite<T>, factor: &Rational) -> Rational {
    first.iter().fold(Rational::ZERO, |sum, (value, mass)| {
        let excess = mass - factor * second.mass(value);
        if excess > Rational::ZERO { sum + excess } else { sum }
    })
}

/// D_ε(μ1, μ2) = sup over E of μ1(E) − e^ε·μ2(e^−ε·E), with e^ε = `factor` > 0.
pub fn dilation(first: &Finite<Rational>, second: &Finite<Rational>, factor: &Rational) -> Rational {
    first.iter().fold(Rational::ZERO, |sum, (value, mass)| {
        let excess = mass - factor * second.mass(&(value / factor));
        if excess > Rational::ZERO { sum + excess } else { sum }
    })
}

/// Checks that (left, right) witness the (ε,δ)-lifting of the relation between the two distributions:
/// π1(left) = first, π2(right) = second, both supported on the relation, Δ_ε(left, right) ≤ δ.
///
/// A pair may have `None` in place of one value, for mass that has no partner: (x, None) and (None, y) are in
/// every relation. Without such pairs this is Definition 3 as printed; with them it is the form for which
/// a lifting exists exactly if μ1(S) ≤ e^ε·μ2(Ψ(S)) + δ for every S.
pub fn check_lifting<A: Ord + Clone, B: Ord + Clone>(
    (first, second): (&Finite<A>, &Finite<B>),
    relation: &dyn Fn(&A, &B) -> bool,
    (factor, delta): (&Rational, &Rational),
    (left, right): (&Pairs<A, B>, &Pairs<A, B>),
) -> Result<(), Fault> {
    let mut marginal: BTreeMap<A, Rational> = BTreeMap::new();
    for ((x, _), mass) in left.iter() {
        let Some(x) = x else { return Err(Fault::LeftMarginal) };
        let sum = marginal.remove(x).unwrap_or(Rational::ZERO) + mass;
        marginal.insert(x.clone(), sum);
    }
    if marginal != first.0 {
        return Err(Fault::LeftMarginal);
    }
    let mut marginal: BTreeMap<B, Rational> = BTreeMap::new();
    for ((_, y), mass) in right.iter() {
        let Some(y) = y else { return Err(Fault::RightMarginal) };
        let sum = marginal.remove(y).unwrap_or(Rational::ZERO) + mass;
        marginal.insert(y.clone(), sum);
    }
    if marginal != second.0 {
        return Err(Fault::RightMarginal);
    }
    let inside = |(pair, _): (&(Option<A>, Option<B>), &Rational)| match pair {
        (Some(x), Some(y)) => relation(x, y),
        _ => true,
    };
    if !left.iter().all(inside) || !right.iter().all(inside) {
        return Err(Fault::OutsideRelation);
    }
    match divergence(left, right, factor) {
        apart if apart > *delta => Err(Fault::Divergence(apart)),
        _ => Ok(()),
    }
}

/// A witness: masses on pairs, either side of which may be missing.
pub type Pairs<A, B> = Finite<(Option<A>, Option<B>)>;

/// The best lifting at a factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lifting<A: Ord, B: Ord> {
    /// The smallest δ for which there is a lifting.
    pub delta: Rational,
    /// The left witness.
    pub left: Pairs<A, B>,
    /// The right witness.
    pub right: Pairs<A, B>,
}

/// Finds the smallest δ for which the lifting exists, with witnesses: a maximum flow from the first
/// distribution through the relation into e^ε times the second. That δ is also the largest value of
/// μ1(S) − e^ε·μ2(Ψ(S)) over all sets S, by the max-flow min-cut theorem.
pub fn search_lifting<A: Ord + Clone, B: Ord + Clone>(
    first: &Finite<A>,
    second: &Finite<B>,
    relation: &dyn Fn(&A, &B) -> bool,
    factor: &Rational,
) -> Lifting<A, B> {
    let xs: Vec<(&A, &Rational)> = first.iter().collect();
    let ys: Vec<(&B, &Rational)> = second.iter().collect();
    let mut flow = vec![vec![Rational::ZERO; ys.len()]; xs.len()];
    let mut supply: Vec<Rational> = xs.iter().map(|(_, mass)| (*mass).clone()).collect();
    let mut room: Vec<Rational> = ys.iter().map(|(_, mass)| factor * *mass).collect();
    while let Some(path) = augmenting_path(&xs, &ys, relation, &flow, &supply, &room) {
        push_along(&path, &mut flow, &mut supply, &mut room);
    }
    let mut left = Vec::new();
    let mut right = Vec::new();
    for (i, (x, _)) in xs.iter().enumerate() {
        for (j, (y, _)) in ys.iter().enumerate() {
            let pair = (Some((*x).clone()), Some((*y).clone()));
            left.push((pair.clone(), flow[i][j].clone()));
            right.push((pair, &flow[i][j] / factor));
        }
        left.push(((Some((*x).clone()), None), supply[i].clone()));
    }
    for (j, (y, _)) in ys.iter().enumerate() {
        right.push(((None, Some((*y).clone())), &room[j] / factor));
    }
    let delta = supply.iter().fold(Rational::ZERO, |sum, rest| sum + rest);
    let collect = |masses: Vec<_>| {
        Finite(masses.into_iter().filter(|(_, mass): &(_, Rational)| !mass.is_zero()).collect())
    };
    Lifting { delta, left: collect(left), right: collect(right) }
}

/// Rows and columns of an augmenting path, alternating, from a row with supply to a column with room. A shortest
/// one, so that the number of rounds is bounded whatever the masses are.
fn augmenting_path<A, B>(
    xs: &[(&A, &Rational)],
    ys: &[(&B, &Rational)],
    relation: &dyn Fn(&A, &B) -> bool,
    flow: &[Vec<Rational>],
    supply: &[Rational],
    room: &[Rational],
) -> Option<Vec<usize>> {
    let mut row_from: Vec<Option<Option<usize>>> = vec![None; xs.len()];
    let mut column_from: Vec<Option<usize>> = vec![None; ys.len()];
    let mut queue = std::collections::VecDeque::new();
    for (i, rest) in supply.iter().enumerate() {
        if !rest.is_zero() {
            row_from[i] = Some(None);
            queue.push_back(i);
        }
    }
    while let Some(i) = queue.pop_front() {
        for j in 0..ys.len() {
            if column_from[j].is_some() || !relation(xs[i].0, ys[j].0) {
                continue;
            }
            column_from[j] = Some(i);
            if !room[j].is_zero() {
                let mut path = vec![j];
                let mut row = i;
                path.push(row);
                while let Some(Some(column)) = row_from[row] {
                    path.push(column);
                    row = column_from[column]?;
                    path.push(row);
                }
                path.reverse();
                return Some(path);
            }
            // Flow into this column can be taken back from any row that sends some.
            for (k, seen) in row_from.iter_mut().enumerate() {
                if seen.is_none() && !flow[k][j].is_zero() {
                    *seen = Some(Some(j));
                    queue.push_back(k);
                }
            }
        }
    }
    None
}

/// Pushes as much as the path allows. The path is row, column, row, …, column; odd steps go against the flow.
fn push_along(path: &[usize], flow: &mut [Vec<Rational>], supply: &mut [Rational], room: &mut [Rational]) {
    let (Some(&start), Some(&end)) = (path.first(), path.last()) else { return };
    let mut amount = supply[start].clone().min(room[end].clone());
    for n in (1..path.len().saturating_sub(1)).step_by(2) {
        amount = amount.min(flow[path[n + 1]][path[n]].clone());
    }
    for n in 0..path.len() - 1 {
        if n % 2 == 0 {
            flow[path[n]][path[n + 1]] += &amount;
        } else {
            flow[path[n + 1]][path[n]] -= &amount;
        }
    }
    supply[start] -= &amount;
    room[end] -= &amount;
}
