//! From a composition as it is written to the few kinds of law that are left: groups, samples of samples, texts and sums of normal
//! laws are resolved.

use std::cell::Cell;
use std::collections::HashMap;

use probity_exact::{Natural, Rational};

use crate::fixed;
use crate::model::{Adjacency, Composition, Law, Simple};

/// Atoms of integer noise that are listed one by one.
const MOST_ATOMS: u64 = 200_000;

/// Laws without structure, with how often each is run.
pub(crate) type Laws = Vec<(Simple, u64)>;

/// Why a composition is refused.
type Refusal = String;

fn square(x: &Rational) -> Rational {
    x * x
}

/// A law for k records at once, each moving the answer by its sensitivity.
fn simple(law: &Law, group: u32, way: &Way) -> Result<Laws, Refusal> {
    let k = || Rational::from(group);
    // Replacing is removing and adding.
    let twice = if way.adjacency == Adjacency::Replace { 2u32 } else { 1 };
    let reach = || Rational::from(group) * Rational::from(twice);
    let positive = |name: &str, x: &Rational| match *x > Rational::ZERO {
        true => Ok(()),
        false => Err(format!("{name} = {x} is not allowed: it must be more than 0")),
    };
    let one = |law: Simple| Ok(vec![(law, 1)]);
    match law {
        Law::Gaussian { sigma, sensitivity } => {
            positive("the standard deviation", sigma)?;
            positive("the sensitivity", sensitivity)?;
            one(Simple::Normal(square(&(sensitivity * reach() / sigma))))
        }
        Law::Laplace { scale, sensitivity } => {
            positive("the scale", scale)?;
            positive("the sensitivity", sensitivity)?;
            one(Simple::Laplace(sensitivity * reach() / scale))
        }
        Law::DiscreteLaplace { scale, sensitivity } => {
            positive("the scale", scale)?;
            one(Simple::DiscreteLaplace(scale.clone(), whole(*sensitivity, group, twice)?))
        }
        Law::DiscreteGaussian { sigma, sensitivity } => {
            positive("the parameter sigma", sigma)?;
            if *sigma > Rational::from(10_000) {
                return Err(format!(
                    "discrete_gaussian({sigma}) has too many values to list: sigma must be at most 10000 (gaussian({sigma}) differs by less than anyone can see)"
                ));
            }
            one(Simple::DiscreteGaussian(square(sigma), whole(*sensitivity, group, twice)?))
        }
        Law::Response { categories, truth } => {
            if *categories < Natural::from(2u8) {
                return Err("a response needs at least 2 categories".into());
            }
            let fair = Rational::ONE / Rational::from(categories.clone());
            if *truth < fair || *truth >= Rational::ONE {
                return Err(format!(
                    "p = {truth} is not allowed: the probability of the true one of {categories} categories is at least 1/{categories} and less than 1"
                ));
            }
            if *truth == fair {
                return Ok(vec![]);
            }
            Ok(vec![(Simple::Response(categories.clone(), truth.clone()), u64::from(group))])
        }
        Law::Approximate { epsilon, delta } => {
            if *epsilon < Rational::ZERO {
                return Err(format!("epsilon = {epsilon} is not allowed: it must be at least 0"));
            }
            if *delta < Rational::ZERO || *delta >= Rational::ONE {
                return Err(format!("delta = {delta} is not allowed: it must be at least 0 and less than 1"));
            }
            if epsilon.is_zero() && delta.is_zero() {
                return Ok(vec![]);
            }
            if group > 1 && *delta > Rational::ZERO {
                return one(Simple::Group(group, Box::new(Simple::Pure(epsilon.clone(), delta.clone()))));
            }
            match group {
                1 => one(Simple::Pure(epsilon.clone(), delta.clone())),
                _ => one(way.pure_steps(epsilon, group)),
            }
        }
        Law::Concentrated { rho } => {
            if *rho < Rational::ZERO {
                return Err(format!("rho = {rho} is not allowed: it must be at least 0"));
            }
            if rho.is_zero() { Ok(vec![]) } else { one(Simple::Rho(rho * square(&k()))) }
        }
        Law::Mu { mu } => {
            if *mu < Rational::ZERO {
                return Err(format!("mu = {mu} is not allowed: it must be at least 0"));
            }
            if mu.is_zero() { Ok(vec![]) } else { one(Simple::Normal(square(&(mu * k())))) }
        }
        Law::Group { size, law } => {
            if *size == 0 {
                return Ok(vec![]);
            }
            let size = size.checked_mul(group).ok_or("the group is too large")?;
            let mut all = Vec::new();
            for (law, count) in &law.parts {
                all.extend(times(simple(law, size, way)?, *count)?);
            }
            Ok(all)
        }
        Law::Text { most, least, rows } => {
            let law = if most == least { most } else { way.either(most, least) };
            simple(law, way.steps(*rows, group), way)
        }
        Law::Poisson { rate, law } => poisson(rate, law, group, way),
    }
}

fn whole(sensitivity: u64, group: u32, twice: u32) -> Result<u64, Refusal> {
    if sensitivity == 0 {
        return Err("the sensitivity must be more than 0".into());
    }
    let whole = sensitivity.checked_mul(u64::from(group)).and_then(|s| s.checked_mul(u64::from(twice)));
    whole
        .filter(|s| *s <= MOST_ATOMS)
        .ok_or_else(|| format!("a sensitivity of more than {MOST_ATOMS} is too much for integer noise here"))
}

fn times(parts: Laws, count: u64) -> Result<Laws, Refusal> {
    let product = |n: u64| n.checked_mul(count).ok_or_else(|| "there are more than 2^64 copies".to_owned());
    parts.into_iter().map(|(law, n)| Ok((law, product(n)?))).collect()
}

fn poisson(rate: &Rational, law: &Composition, group: u32, way: &Way) -> Result<Laws, Refusal> {
    if *rate < Rational::ZERO || *rate > Rational::ONE {
        return Err(format!("q = {rate} is not allowed: a sampling probability lies between 0 and 1"));
    }
    if rate.is_zero() {
        return Ok(vec![]);
    }
    let added = Way { adjacency: Adjacency::AddRemove, ..way.clone() };
    let mut inner = Vec::new();
    for (law, count) in &law.parts {
        inner.extend(times(simple(law, 1, &added)?, *count)?);
    }
    let inner = merged(inner)?;
    if *rate == Rational::ONE {
        let mut all = Vec::new();
        for (law, count) in &law.parts {
            all.extend(times(simple(law, group, way)?, *count)?);
        }
        return Ok(all);
    }
    let base = match inner.as_slice() {
        [] => return Ok(vec![]),
        [(law, 1)] => law.clone(),
        _ => {
            return Err("poisson(q, …) takes one law, or several that are normal: a composition of others on one sample has no curve here; write poisson(q, law) * n for n samples".into());
        }
    };
    // It may rest on the sample's size, which says which record was there.
    if way.adjacency == Adjacency::Replace && has_guarantee(law) {
        return Err("poisson(q, …) with --adjacency replace needs a law of noise, such as gaussian(sigma): a guarantee about adding and removing says too little about replacing in a sample".into());
    }
    // A sample of a sample is a sample.
    let (rate, base) = match base {
        Simple::Poisson(inner, base) => (rate * inner, *base),
        base => (rate.clone(), base),
    };
    if matches!(base, Simple::Response(..)) {
        return Err("poisson(q, response(…)) is refused: a response is about a value that is always there, a sample about a record that may be absent; pure(epsilon) has a sample".into());
    }
    let sampled = match way.adjacency {
        Adjacency::AddRemove => Simple::Poisson(rate, Box::new(base)),
        Adjacency::Replace => {
            let far = match &base {
                Simple::Normal(square) => Simple::Normal(square * Rational::from(4)),
                Simple::Laplace(c) => Simple::Laplace(c * Rational::from(2)),
                Simple::DiscreteLaplace(scale, s) => Simple::DiscreteLaplace(scale.clone(), 2 * s),
                Simple::DiscreteGaussian(variance, s) => Simple::DiscreteGaussian(variance.clone(), 2 * s),
                _ => return Err("poisson(q, …) with --adjacency replace needs a law of noise".into()),
            };
            Simple::Replaced(rate, Box::new(base), Box::new(far))
        }
    };
    Ok(vec![(if group > 1 { Simple::Group(group, Box::new(sampled)) } else { sampled }, 1)])
}

/// Whether something is known of a law only by what it promises.
fn has_guarantee(laws: &Composition) -> bool {
    laws.parts.iter().any(|(law, _)| match law {
        Law::Approximate { .. } | Law::Concentrated { .. } | Law::Mu { .. } | Law::Text { .. } => true,
        Law::Poisson { law, .. } | Law::Group { law, .. } => has_guarantee(law),
        _ => false,
    })
}

/// Equal laws counted once; normal laws and concentrated ones added up.
fn merged(parts: Laws) -> Result<Laws, Refusal> {
    let mut result: Vec<(Simple, u64)> = Vec::new();
    let (mut normal, mut rho) = (Rational::ZERO, Rational::ZERO);
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut pure: Vec<(Rational, Rational, u64)> = Vec::with_capacity(parts.len());
    let many = || "there are more than 2^64 copies".to_owned();
    for (law, count) in parts {
        match law {
            Simple::Normal(square) => normal += square * Rational::from(count),
            Simple::Rho(loss) => rho += loss * Rational::from(count),
            // There may be a million of these.
            Simple::Pure(epsilon, delta) => pure.push((epsilon, delta, count)),
            law => {
                let key = format!("{law:?}");
                match known.get(&key) {
                    Some(at) => {
                        let sum = result[*at].1.checked_add(count);
                        result[*at].1 = sum.ok_or_else(many)?;
                    }
                    None => {
                        known.insert(key, result.len());
                        result.push((law, count));
                    }
                }
            }
        }
    }
    // Equal numbers have equal doubles, so most comparisons are of doubles, by their bits.
    let near = |at: usize| (fixed::around(&pure[at].0).0.to_bits(), fixed::around(&pure[at].1).0.to_bits());
    let mut order: Vec<((u64, u64), usize)> = (0..pure.len()).map(|at| (near(at), at)).collect();
    let exact = |at: usize| (&pure[at].0, &pure[at].1);
    order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| exact(a.1).cmp(&exact(b.1))));
    for (_, at) in order {
        let (epsilon, delta, count) = std::mem::take(&mut pure[at]);
        match result.last_mut() {
            Some((Simple::Pure(e, d), sum)) if *e == epsilon && *d == delta => {
                *sum = sum.checked_add(count).ok_or_else(many)?;
            }
            _ => result.push((Simple::Pure(epsilon, delta), count)),
        }
    }
    if normal > Rational::ZERO {
        result.push((Simple::Normal(normal), 1));
    }
    if rho > Rational::ZERO {
        result.push((Simple::Rho(rho), 1));
    }
    Ok(result)
}

/// Which of two laws stands for one that lies between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// One that loses at least as much.
    Above,
    /// One that loses at most as much.
    Below,
}

/// How a composition is resolved.
#[derive(Clone)]
struct Way<'a> {
    adjacency: Adjacency,
    side: Side,
    /// The longest chain of neighbours whose curve is made.
    longest: u32,
    /// Set where the other side has another law.
    differs: &'a Cell<bool>,
}

impl Way<'_> {
    fn either<T>(&self, above: T, below: T) -> T {
        self.differs.set(true);
        match self.side {
            Side::Above => above,
            Side::Below => below,
        }
    }

    /// So many steps from neighbour to neighbour are k records, of which so many at once make neighbours.
    fn steps(&self, rows: Option<u64>, group: u32) -> u32 {
        match rows {
            // At most the number of records.
            Some(rows) => u64::from(group).div_ceil(rows.max(1)) as u32,
            None if group <= 1 => group,
            None => self.either(group, 1),
        }
    }

    /// What ε-private mechanisms lose at most in so many steps: as much as integer noise does, one of them
    /// (`docs/accounting.md` section 2).
    fn pure_steps(&self, epsilon: &Rational, steps: u32) -> Simple {
        let noise = |steps: u32| Simple::DiscreteLaplace(Rational::ONE / epsilon, u64::from(steps));
        match steps <= self.longest {
            true => noise(steps),
            false => self.either(
                Simple::Pure(epsilon * Rational::from(steps), Rational::ZERO),
                match self.longest {
                    1 => Simple::Pure(epsilon.clone(), Rational::ZERO),
                    longest => noise(longest),
                },
            ),
        }
    }
}

/// The longest chain of neighbours whose curve is made; curves have as many corners.
const LONGEST: u32 = 2000;

/// With more laws than this only short ways are gone with chains.
const MANY: usize = 64;

impl Composition {
    /// The kinds of law that are left, and whether they are the same on both sides.
    pub(crate) fn resolved(&self, adjacency: Adjacency, side: Side) -> Result<(Laws, bool), Refusal> {
        let differs = Cell::new(false);
        let longest = if self.grouped() > MANY { 1 } else { LONGEST };
        let way = Way { adjacency, side, longest, differs: &differs };
        let mut all = Vec::new();
        for (law, count) in &self.parts {
            if *count > 0 {
                all.extend(times(simple(law, 1, &way)?, *count)?);
            }
        }
        Ok((merged(all)?, !differs.get()))
    }

    /// How many laws stand in groups.
    fn grouped(&self) -> usize {
        let inside = |law: &Law| match law {
            Law::Group { law, .. } => law.parts.len(),
            _ => 0,
        };
        self.parts.iter().map(|(law, _)| inside(law)).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::expression::{Expression, Text};
    use probity_exact::parse_rational;

    /// A composition in which the text is this law, about so many rows.
    fn resolved(text: &str, law: &Law, rows: Option<u64>, side: Side) -> (Laws, bool) {
        let law = Box::new(law.clone());
        let theorem = |_: &Text| Ok(Law::Text { most: law.clone(), least: law.clone(), rows });
        let laws = Expression::parse(text).unwrap().evaluate(&BTreeMap::new(), &theorem).unwrap();
        laws.resolved(Adjacency::AddRemove, side).unwrap()
    }

    fn guarantees() -> [(Law, &'static str); 4] {
        let number = |text: &str| parse_rational(text).unwrap();
        [
            (Law::Approximate { epsilon: number("1/3"), delta: number("0") }, "pure(1/3)"),
            (Law::Approximate { epsilon: number("1/3"), delta: number("1e-4") }, "approx(1/3, 1e-4)"),
            (Law::Concentrated { rho: number("1/8") }, "rho(1/8)"),
            (Law::Mu { mu: number("1/4") }, "mu(1/4)"),
        ]
    }

    /// k rows are k/2 steps, rounded up, where two rows are still neighbours.
    #[test]
    fn rows_that_are_neighbours_are_one_step() {
        for (law, plain) in guarantees() {
            for (group, steps) in [
                ("L", "L"),
                ("group(1, L)", "L"),
                ("group(2, L)", "L"),
                ("group(3, L)", "group(2, L)"),
                ("group(4, L)", "group(2, L)"),
                ("group(2, group(2, L))", "group(2, L)"),
                ("group(5, L * 2)", "group(3, L * 2)"),
                ("poisson(1/5, L)", "poisson(1/5, L)"),
                ("poisson(1/5, group(3, L))", "poisson(1/5, group(2, L))"),
            ] {
                let text = |with: &str, of: &str| of.replace('L', with);
                for side in [Side::Above, Side::Below] {
                    let found = resolved(&text("text(\"m.dp\")", group), &law, Some(2), side);
                    let wanted = resolved(&text(plain, steps), &law, None, side);
                    assert_eq!(found, wanted, "{group} {law:?}");
                    assert!(found.1, "{group}");
                }
            }
        }
    }

    /// Where rows are not spoken of, k records are at most k steps and at least one.
    #[test]
    fn other_neighbours_are_one_step_or_more() {
        for (law, plain) in guarantees() {
            let text = "group(3, text(\"m.dp\")) + group(1, text(\"m.dp\"))";
            let (above, exact) = resolved(text, &law, None, Side::Above);
            assert!(!exact);
            assert_eq!(above, resolved(&format!("group(3, {plain}) + {plain}"), &law, None, Side::Above).0);
            let (below, exact) = resolved(text, &law, None, Side::Below);
            assert!(!exact);
            assert_eq!(below, resolved(&format!("{plain} * 2"), &law, None, Side::Below).0);
            assert!(resolved("text(\"m.dp\") * 2", &law, None, Side::Above).1);
        }
    }

    /// A loss that is no fraction is rounded up for the bound from above, and down for the other.
    #[test]
    fn theorems_are_rounded_to_the_side_of_the_bound() {
        let third = |more: u32| Law::Concentrated { rho: Rational::from(more) / Rational::from(3) };
        let theorem =
            |_: &Text| Ok(Law::Text { most: Box::new(third(2)), least: Box::new(third(1)), rows: Some(1) });
        let laws =
            Expression::parse("text(\"m.dp\") * 3").unwrap().evaluate(&BTreeMap::new(), &theorem).unwrap();
        let of = |side| laws.resolved(Adjacency::AddRemove, side).unwrap();
        assert_eq!(of(Side::Above), (vec![(Simple::Rho(Rational::from(2)), 1)], false));
        assert_eq!(of(Side::Below), (vec![(Simple::Rho(Rational::ONE), 1)], false));
    }

    /// A chain that is too long for its curve lies between a shorter one and the sum of its losses.
    #[test]
    fn long_chains_lie_between_two_laws() {
        let (law, _) = guarantees()[0].clone();
        let third = parse_rational("1/3").unwrap();
        let of = |text: &str, side| resolved(text, &law, None, side).0;
        let noise = |steps: u32| vec![(Simple::DiscreteLaplace(Rational::from(3), u64::from(steps)), 1)];
        let pure = |k: u32| vec![(Simple::Pure(&third * Rational::from(k), Rational::ZERO), 1)];
        let (long, longer) = ("group(2, group(1000, pure(1/3)))", "group(3, group(1000, pure(1/3)))");
        assert_eq!((of(long, Side::Above), of(long, Side::Below)), (noise(2000), noise(2000)));
        assert_eq!((of(longer, Side::Above), of(longer, Side::Below)), (pure(3000), noise(2000)));
        let many = format!("group(2, {})", vec!["pure(1/3)"; 65].join(" + "));
        let times = |laws: Laws| laws.into_iter().map(|(law, n)| (law, n * 65)).collect::<Laws>();
        assert_eq!((of(&many, Side::Above), of(&many, Side::Below)), (times(pure(2)), times(pure(1))));
    }
}
