//! The rows that are put to the simplex: facts as inequalities over monomials, multiples of them, and products.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_exact::{Integer, Natural, Rational};
use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::expr::{Expr, Name, Unary, Variable};
use probity_kernel::fact::{Fact, poly};
use probity_kernel::poly::{Monomial, Poly};

use crate::effort::Effort;
use crate::evidence::linear::simplex::{Answer, Column, Fraction, solve};

/// The most inequalities of which products are formed.
const MAX_FACTORS: usize = 8;
/// With this many or fewer, products may have a factor more.
const FEW_FACTORS: usize = 6;
/// And up to so many where the fact to be met has products of as many: a coin (1 + g·x)/2 with g = (E − 1)/(E + 1) needs
/// E·(E − 1)·(1 + x)·(1/(E + 1)) ≥ 0.
const FEW_FACTORS_OF_MANY: usize = 7;
/// The most terms of an inequality that enters a product.
const MAX_FACTOR_TERMS: usize = 5;
/// The largest question put to the simplex: rows times columns.
const MAX_CELLS: usize = 150_000;

/// A row of the question put to the simplex: what it says, and how evidence cites it.
#[derive(Clone)]
pub(crate) struct Row<'a> {
    pub(crate) poly: Cow<'a, Poly>,
    pub(super) strict: bool,
    pub(super) free: bool,
    pub(super) scale: Vec<(Name, i32)>,
    /// The numbers of the facts that are multiplied.
    pub(crate) facts: Vec<usize>,
    /// What an equation was multiplied by.
    pub(super) multiplier: Monomial,
}

pub(crate) fn atoms<'r>(row: &'r Row<'_>) -> impl Iterator<Item = &'r Expr> {
    row.poly.terms().flat_map(|(monomial, _)| monomial.powers().map(|(atom, _)| atom))
}

/// Whether a row speaks of nothing but what the parameters fix.
pub(crate) fn is_public(context: &Context, row: &Row<'_>) -> bool {
    let params = &context.mechanism().params;
    let mut public = true;
    for atom in atoms(row) {
        atom.for_each_variable(&mut |v| {
            public &= matches!(v, Variable::Plain(name) if params.iter().any(|p| p.name == *name));
        });
    }
    public
}

/// The facts that are comparisons, each once.
pub(crate) fn base_rows(facts: &[Arc<Fact>]) -> Vec<Row<'_>> {
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for (number, fact) in facts.iter().enumerate() {
        let (poly, strict, free) = match &**fact {
            Fact::Zero(p) => (p, false, true),
            Fact::Positive(p) => (p, true, false),
            Fact::NonNegative(p) => (p, false, false),
            _ => continue,
        };
        if seen.insert((poly, strict, free)) {
            rows.push(Row {
                poly: Cow::Borrowed(poly),
                strict,
                free,
                scale: vec![],
                facts: vec![number],
                multiplier: Monomial::default(),
            });
        }
    }
    rows
}

/// The monomial as powers of positive parameters, if it is that.
fn as_scale(context: &Context, monomial: &Monomial) -> Option<Vec<(Name, i32)>> {
    monomial
        .powers()
        .map(|(atom, power)| match atom {
            Expr::Var(Variable::Plain(name)) if context.is_positive(name) => Some((name.clone(), power)),
            _ => None,
        })
        .collect()
}

/// The degree of a row.
pub(crate) fn row_degree(row: &Row<'_>) -> u32 {
    row.poly.terms().map(|(monomial, _)| degree(monomial)).max().unwrap_or(0)
}

pub(super) fn degree(monomial: &Monomial) -> u32 {
    monomial.powers().map(|(_, power)| power.unsigned_abs()).sum()
}

/// Rows times positive monomials of parameters, where every monomial of the product is already in use.
pub(crate) fn scaled_rows<'a>(context: &Context, base: &[Row<'_>]) -> Vec<Row<'a>> {
    let used: BTreeSet<&Monomial> = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    let mut rows = Vec::new();
    for monomial in &used {
        if let Some(scale) = as_scale(context, monomial).filter(|s| !s.is_empty()) {
            let poly = Poly::term((*monomial).clone(), Rational::ONE);
            rows.push(Row {
                poly: Cow::Owned(poly),
                strict: true,
                free: false,
                scale,
                facts: vec![],
                multiplier: Monomial::default(),
            });
        }
    }
    rows.extend(multiples(context, base, &used));
    rows
}

/// Rows times positive monomials once more, with the monomials that a first round would have brought: for facts that
/// meet only after several steps.
pub(crate) fn twice_scaled_rows<'a>(context: &Context, base: &[Row<'_>]) -> Vec<Row<'a>> {
    let used: BTreeSet<&Monomial> = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    let mut more: BTreeSet<Monomial> = used.iter().map(|m| (*m).clone()).collect();
    let groups = groups(context, &used);
    for row in base {
        for multiplier in multipliers(context, row, &groups) {
            if as_scale(context, &multiplier).is_some() {
                more.extend(row.poly.terms().map(|(m, _)| m.times(&multiplier)));
            }
        }
    }
    let wider: BTreeSet<&Monomial> = more.iter().collect();
    multiples(context, base, &wider)
}

/// The most rows that are multiplied with atoms which are known to be positive.
const MAX_LIFTED: usize = 150;
/// The highest power to which they are multiplied.
const MAX_LIFT: u32 = 4;

/// Rows times atoms that a fact says are positive, as the quotient by a root or an exponential, where every monomial of the
/// product is already in use; and these products themselves.
pub(crate) fn lifted_rows<'a>(context: &Context, base: &[Row<'_>]) -> Vec<Row<'a>> {
    let mut positive: BTreeMap<&Expr, &Row<'_>> = BTreeMap::new();
    for row in base.iter().filter(|row| row.strict && row.poly.terms().count() == 1) {
        let single = row.poly.terms().find(|(m, c)| degree(m) == 1 && **c > Rational::ZERO);
        if let Some((atom, 1)) = single.and_then(|(m, _)| m.powers().next())
            && !matches!(atom, Expr::Var(_))
        {
            positive.entry(atom).or_insert(row);
        }
    }
    let mut rows = Vec::new();
    if positive.is_empty() {
        return rows;
    }
    let used: BTreeSet<&Monomial> = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    // The monomial as facts about its atoms and powers of positive parameters.
    let lift = |m: &Monomial| {
        let (mut facts, mut scale): (Vec<&Row<'_>>, Vec<(Name, i32)>) = (Vec::new(), Vec::new());
        for (atom, power) in m.powers() {
            match (positive.get(atom), atom) {
                (Some(row), _) if power > 0 => {
                    facts.extend(std::iter::repeat_n(*row, power.unsigned_abs() as usize));
                }
                (None, Expr::Var(Variable::Plain(name))) if context.is_positive(name) => {
                    scale.push((name.clone(), power));
                }
                _ => return None,
            }
        }
        (!facts.is_empty() && facts.len() as u32 <= MAX_LIFT).then_some((facts, scale))
    };
    for monomial in &used {
        rows.extend(lift(monomial).and_then(|(facts, scale)| product(&facts, &scale)));
    }
    for row in base.iter().filter(|row| !row.free && row.poly.terms().count() > 1) {
        let pivots = row.poly.terms().map(|(m, _)| m.inverse());
        let multipliers: BTreeSet<Monomial> =
            pivots.flat_map(|inverse| used.iter().map(move |m| m.times(&inverse))).collect();
        for (mut facts, scale) in multipliers.iter().filter_map(lift) {
            facts.insert(0, row);
            let lifted = product(&facts, &scale);
            rows.extend(lifted.filter(|row| row.poly.terms().all(|(m, _)| m.is_one() || used.contains(m))));
            if rows.len() >= MAX_LIFTED {
                return rows;
            }
        }
    }
    rows
}

fn multiples<'a>(context: &Context, base: &[Row<'_>], used: &BTreeSet<&Monomial>) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let groups = groups(context, used);
    for row in base {
        for multiplier in multipliers(context, row, &groups) {
            // Most products have a monomial that nothing meets, so that is looked at first.
            let meets = |m: &Monomial| {
                let product = m.times(&multiplier);
                product.is_one() || used.contains(&product)
            };
            if !row.poly.terms().all(|(m, _)| meets(m)) {
                continue;
            }
            let Ok(poly) = row.poly.times(&Poly::term(multiplier.clone(), Rational::ONE)) else { continue };
            let scale = as_scale(context, &multiplier).unwrap_or_default();
            let (strict, free, facts) = (row.strict, row.free, row.facts.clone());
            rows.push(Row { poly: Cow::Owned(poly), strict, free, scale, facts, multiplier });
        }
    }
    rows
}

/// What of a monomial is not made of positive parameters.
type Private<'m> = Vec<(&'m Expr, i32)>;

fn private<'m>(context: &Context, monomial: &'m Monomial) -> Private<'m> {
    let positive =
        |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(name)) if context.is_positive(name));
    monomial.powers().filter(|(atom, _)| !positive(atom)).collect()
}

/// Monomials by what of them is not made of positive parameters: only those with the same are such parameters apart.
fn groups<'m>(context: &Context, used: &BTreeSet<&'m Monomial>) -> BTreeMap<Private<'m>, Vec<&'m Monomial>> {
    let mut groups: BTreeMap<Private<'_>, Vec<&Monomial>> = BTreeMap::new();
    for &monomial in used {
        groups.entry(private(context, monomial)).or_default().push(monomial);
    }
    groups
}

/// What a row may be multiplied by so that its leading monomial becomes one in use: positive parameters, and
/// for a nonlinear equation anything.
fn multipliers(
    context: &Context,
    row: &Row<'_>,
    groups: &BTreeMap<Private<'_>, Vec<&Monomial>>,
) -> BTreeSet<Monomial> {
    let anything = row.free && row.poly.terms().any(|(m, _)| degree(m) > 1);
    let Some((leading, _)) = row.poly.terms().max_by_key(|(m, _)| degree(m)) else { return BTreeSet::new() };
    let inverse = leading.inverse();
    let own = private(context, leading);
    let power = |of: &Private<'_>, atom: &Expr| of.iter().find(|(a, _)| *a == atom).map_or(0, |(_, p)| *p);
    let divides = |other: &Private<'_>| {
        own.iter().all(|(atom, p)| power(other, atom) >= *p)
            && other.iter().all(|(atom, p)| *p >= power(&own, atom))
    };
    let same = groups.get(&own).into_iter().flatten();
    let more = groups.iter().filter(|(other, _)| anything && **other != own && divides(other));
    let all = same.chain(more.flat_map(|(_, monomials)| monomials));
    all.map(|m| m.times(&inverse)).filter(|m| !m.is_one()).collect()
}

/// The most equations that say of products that they are equal because their factors are.
const MAX_SWAPS: usize = 200;

/// Equations that say what an atom is, a = m or a = m + c for a monomial m and a number c, times what the atom is multiplied with: so that products of
/// equal values are known to be equal.
pub(crate) fn swapped_rows<'a>(base: &[Row<'_>]) -> Vec<Row<'a>> {
    // The atom, the row that says what it is, and what it is.
    let mut swaps: BTreeMap<&Expr, (&Row<'_>, &Monomial)> = BTreeMap::new();
    for row in base.iter().filter(|row| row.free) {
        let all: Vec<&Monomial> = row.poly.terms().map(|(m, _)| m).collect();
        let (m, n) = match all.as_slice() {
            [m, n] => (*m, *n),
            [one, m, n] | [m, one, n] | [m, n, one] if one.is_one() => (*m, *n),
            _ => continue,
        };
        let atom = |m: &'_ Monomial| degree(m) == 1 && m.powers().all(|(_, power)| power == 1);
        // Always the larger by the smaller, so that equal products end up as one.
        let (from, to) = match (atom(m), atom(n)) {
            (true, true) if m < n => (n, m),
            (true, _) => (m, n),
            (false, true) => (n, m),
            (false, false) => continue,
        };
        let Some((name, _)) = from.powers().next() else { continue };
        if !to.powers().any(|(atom, _)| atom == name) {
            swaps.entry(name).or_insert((row, to));
        }
    }
    let mut rows = Vec::new();
    if swaps.is_empty() {
        return rows;
    }
    let used = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m.clone()));
    let mut left: Vec<Monomial> = used.filter(|m| degree(m) > 1).collect();
    let mut seen: BTreeSet<Monomial> = BTreeSet::new();
    while let Some(monomial) = left.pop() {
        if rows.len() >= MAX_SWAPS || degree(&monomial) > MAX_SWAPPED || !seen.insert(monomial.clone()) {
            continue;
        }
        let swap = monomial.powers().find_map(|(atom, power)| {
            let (row, to) = swaps.get(atom).filter(|_| power > 0)?;
            Some((atom.clone(), *row, *to))
        });
        let Some((atom, equation, to)) = swap else { continue };
        let alone = Poly::atom(atom);
        let Some((single, _)) = alone.as_term() else { continue };
        let multiplier = monomial.times(&single.inverse());
        if multiplier.powers().any(|(atom, power)| power < 0 && !matches!(atom, Expr::Var(_))) {
            continue;
        }
        let Ok(poly) = equation.poly.times(&Poly::term(multiplier.clone(), Rational::ONE)) else { continue };
        left.push(to.times(&multiplier));
        rows.push(Row {
            poly: Cow::Owned(poly),
            strict: false,
            free: true,
            scale: vec![],
            facts: equation.facts.clone(),
            multiplier,
        });
    }
    rows
}

/// The highest degree of a product in which an atom is replaced.
const MAX_SWAPPED: u32 = 6;
/// Which products are formed.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// Of how many inequalities.
    pub(crate) most: usize,
    /// Up to which degree.
    pub(crate) highest: u32,
    /// Whether also of those on parameters that occur in no product yet.
    pub(crate) wide: bool,
    /// From how many inequalities the factors are taken.
    factors: usize,
}

impl Reach {
    /// From few products to many.
    pub(crate) fn steps(highest: u32) -> [Reach; 3] {
        let reach = |most, wide| Reach { most, highest, wide, factors: MAX_FACTORS };
        [reach(2, false), reach(3, false), reach(3, true)]
    }

    /// Products of two, of more inequalities than else: two bounds of two inputs each, and how far apart they are.
    pub(crate) fn pairs(highest: u32) -> Reach {
        Reach { most: 2, highest, wide: false, factors: 2 * MAX_FACTORS }
    }
}

/// Products of up to `most` inequalities, with parameters, up to a degree: a combination must cancel
/// every monomial, so products of a higher degree than what they are to meet are of little use.
pub(crate) fn product_rows<'a>(
    context: &Context,
    base: &[Row<'a>],
    Reach { most, highest, wide, factors: most_factors }: Reach,
) -> Vec<Row<'a>> {
    // Only what occurs in a product somewhere is worth multiplying.
    let multiplied: BTreeSet<&Expr> = base
        .iter()
        .flat_map(|row| row.poly.terms())
        .filter(|(m, _)| degree(m) > 1)
        .flat_map(|(m, _)| m.powers().map(|(atom, _)| atom))
        .collect();
    let params = &context.mechanism().params;
    let is_parameter = |atom: &Expr| params.iter().any(|p| *atom == Expr::var(p.name.clone()));
    let inside =
        |row: &Row<'_>| atoms(row).all(|atom| multiplied.contains(atom) || wide && is_parameter(atom));
    let small = |row: &Row<'_>| !row.free && row.poly.terms().count() <= MAX_FACTOR_TERMS && inside(row);
    let mut factors: Vec<&Row<'_>> = base.iter().filter(|row| small(row)).collect();
    let mut rows = Vec::new();
    // Simple inequalities first, and among them those that were assumed last.
    factors.sort_by_key(|row| (row.poly.terms().count(), std::cmp::Reverse(row.facts.first().copied())));
    factors.truncate(most_factors);
    // A parameter divides where it divides already.
    let divides = |name: &Name| {
        let mut powers = base.iter().flat_map(|row| row.poly.terms()).flat_map(|(m, _)| m.powers());
        powers.any(|(atom, power)| power < 0 && *atom == Expr::var(name.clone()))
    };
    let mut scales = vec![vec![]];
    for param in context.mechanism().params.iter().filter(|p| context.is_positive(&p.name)) {
        // One whose being positive is a fact of its own is a factor already.
        let alone = Poly::atom(Expr::var(param.name.clone()));
        if !factors.iter().any(|row| *row.poly == alone) {
            scales.push(vec![(param.name.clone(), 1)]);
        }
        if divides(&param.name) {
            scales.push(vec![(param.name.clone(), -1)]);
        }
    }
    // Pairs are formed once, also over what two parameters divide.
    if most_factors > MAX_FACTORS {
        for (monomial, _) in base.iter().flat_map(|row| row.poly.terms()) {
            let positive = |(atom, power): (&Expr, i32)| match atom {
                Expr::Var(Variable::Plain(name)) if context.is_positive(name) => Some((name.clone(), power)),
                _ => None,
            };
            let scale: Vec<(Name, i32)> = monomial.powers().filter_map(positive).collect();
            if degree(monomial) as usize > scale.len() && !scales.contains(&scale) {
                scales.push(scale);
            }
        }
    }
    let few = if highest as usize > most { FEW_FACTORS_OF_MANY } else { FEW_FACTORS };
    let most = if factors.len() <= few { most + 1 } else { most };
    // The newest fact is what is to be contradicted: it need not be multiplied by much.
    let last = base.iter().filter_map(|row| row.facts.first()).max();
    let newest = (0..factors.len()).find(|&n| factors[n].facts.first() == last);
    for chosen in multisets(factors.len(), most) {
        if chosen.len() > 3 && newest.is_some_and(|n| chosen.contains(&n)) {
            continue;
        }
        let chosen: Vec<&Row<'_>> = chosen.iter().filter_map(|&n| factors.get(n).copied()).collect();
        for scale in &scales {
            let row = product(&chosen, scale);
            rows.extend(row.filter(|row| row_degree(row) <= highest));
        }
    }
    rows.extend(scaled_rows(context, base));
    rows.extend(base.iter().cloned());
    // Equations serve whatever the products have brought.
    let equations: Vec<Row<'_>> = base.iter().filter(|row| row.free).cloned().collect();
    let used: BTreeSet<&Monomial> = rows.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    let more = multiples(context, &equations, &used);
    rows.extend(more);
    without_lonely(rows)
}

/// The most comparisons of exponentials of which products are formed.
const MAX_DIFFERENCES: usize = 8;

/// Products of two comparisons of exponentials with each other and with numbers, with all else that is known; nothing where there
/// are no two. That the exponentials are positive is left out: such facts are many, and products with them are lifted rows.
pub(crate) fn difference_rows<'a>(context: &Context, base: &[Row<'a>]) -> Vec<Row<'a>> {
    let exponential = |atom: &Expr| matches!(atom, Expr::Unary(Unary::Exp, _));
    let compares = |row: &&Row<'_>| {
        !row.free && row.poly.terms().count() == 2 && row_degree(row) == 1 && atoms(row).all(exponential)
    };
    let mut factors: Vec<&Row<'_>> = base.iter().filter(compares).collect();
    // Comparisons with numbers first: most exponentials are at most 1, or at least.
    factors.sort_by_key(|row| !row.poly.terms().any(|(m, _)| m.is_one()));
    factors.truncate(MAX_DIFFERENCES);
    if factors.len() < 2 {
        return vec![];
    }
    let pairs = factors.iter().enumerate().flat_map(|(n, a)| factors[..n].iter().map(move |b| [*a, *b]));
    let products: Vec<Row<'_>> = pairs.filter_map(|pair| product(&pair, &[])).collect();
    let all: Vec<Row<'_>> = base.iter().cloned().chain(products).collect();
    let more = [scaled_rows(context, &all), lifted_rows(context, &all), swapped_rows(&all)].concat();
    all.into_iter().chain(more).collect()
}

/// The ways to choose 1 to `most` of `count` things, the same one several times if wanted.
fn multisets(count: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0..count).map(|n| vec![n]).collect();
    let mut last = all.clone();
    for _ in 1..most {
        let longer = |chosen: &Vec<usize>| {
            let from = chosen.last().copied().unwrap_or(0);
            let chosen = chosen.clone();
            (from..count).map(move |n| chosen.iter().copied().chain([n]).collect::<Vec<usize>>())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The rows without those that have a monomial which nothing can cancel, as no row has it with the other sign: no
/// combination can use them.
pub(crate) fn without_lonely(mut rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    loop {
        let mut signs: BTreeMap<&Monomial, (usize, usize)> = BTreeMap::new();
        for row in &rows {
            for (monomial, coefficient) in row.poly.terms() {
                let (plus, minus) = signs.entry(monomial).or_default();
                let positive = *coefficient > Rational::ZERO;
                *plus += usize::from(positive || row.free);
                *minus += usize::from(!positive || row.free);
            }
        }
        let lonely = |row: &Row<'_>| {
            let alone = |m: &Monomial| match signs.get(m) {
                Some((plus, minus)) => *plus == 0 || *minus == 0 || row.free && plus + minus == 2,
                None => true,
            };
            row.poly.terms().any(|(m, _)| !m.is_one() && alone(m))
        };
        let keep: Vec<bool> = rows.iter().map(|row| !lonely(row)).collect();
        if keep.iter().all(|&keep| keep) {
            return rows;
        }
        let mut keep = keep.into_iter();
        rows.retain(|_| keep.next().unwrap_or(true));
    }
}

pub(super) fn product<'a>(factors: &[&Row<'_>], scale: &[(Name, i32)]) -> Option<Row<'a>> {
    let mut poly = Poly::term(Monomial::of_names(scale), Rational::ONE);
    for factor in factors {
        poly = poly.times(&factor.poly).ok()?;
    }
    Some(Row {
        poly: Cow::Owned(poly),
        strict: factors.iter().all(|f| f.strict),
        free: false,
        scale: scale.to_vec(),
        facts: factors.iter().flat_map(|f| f.facts.iter().copied()).collect(),
        multiplier: Monomial::default(),
    })
}

/// The rows that a combination cites, without their coefficients; a fact may have become an equation, or be none any more.
pub(crate) fn cited_rows<'f>(
    facts: &'f Facts<'_>,
    products: &[Product],
    equations: &[(usize, Expr)],
) -> Option<Vec<Row<'f>>> {
    let list = facts.list();
    let one = |number: usize| {
        base_rows(list.get(number..=number)?).pop().map(|row| Row { facts: vec![number], ..row })
    };
    let scaled = |product: &Product| match (product.scale.as_slice(), product.facts.as_slice()) {
        ([], [number]) => one(*number),
        (scale, numbers) => {
            let factors = numbers.iter().map(|number| one(*number).filter(|row| !row.free));
            product_of(&factors.collect::<Option<Vec<_>>>()?, scale)
        }
    };
    let multiplied = |(number, multiplier): &(usize, Expr)| {
        let row = one(*number)?;
        let multiplier = poly(facts.context(), multiplier).ok()?;
        let (monomial, _) = multiplier.as_term()?;
        if monomial.is_one() {
            return Some(row);
        }
        let times = row.poly.times(&Poly::term(monomial.clone(), Rational::ONE)).ok()?;
        row.free.then(|| Row { poly: Cow::Owned(times), multiplier: monomial.clone(), ..row })
    };
    products.iter().map(scaled).chain(equations.iter().map(multiplied)).collect()
}

fn product_of<'a>(factors: &[Row<'_>], scale: &[(Name, i32)]) -> Option<Row<'a>> {
    product(&factors.iter().collect::<Vec<_>>(), scale)
}

/// What the simplex says.
pub(crate) enum Outcome<'r> {
    /// A contradiction.
    Evidence(Box<Evidence>),
    /// Values of the monomials that satisfy all rows.
    Values(BTreeMap<&'r Monomial, Fraction>),
}

pub(crate) fn to_fraction(value: &Rational) -> Option<Fraction> {
    // A rational is in lowest terms.
    let numerator = i64::try_from(value.numerator()).ok()?;
    let denominator = i64::try_from(value.denominator()).ok()?;
    Fraction::lowest(numerator, denominator)
}

fn to_rational(value: Fraction) -> Rational {
    let (numerator, denominator) = value.parts();
    Rational::from_parts(Integer::from(numerator), Natural::from(denominator.unsigned_abs()))
}

fn size(value: &Rational) -> Rational {
    if *value < Rational::ZERO { -value.clone() } else { value.clone() }
}

/// A constant below one in so many may be rounded up to that.
const TINY: i128 = 1 << 30;

/// Whether all its numbers are small enough for the simplex.
fn fits(poly: &Poly) -> bool {
    poly.terms().all(|(_, c)| to_fraction(c).is_some())
}

/// Units in which some monomials are measured, because a row compares them with others of quite another size.
fn units<'r>(rows: &'r [Row<'_>]) -> BTreeMap<&'r Monomial, Rational> {
    let mut units: BTreeMap<&Monomial, Rational> = BTreeMap::new();
    for row in rows.iter().filter(|row| !fits(&row.poly)) {
        // Measured by the constant, if there is one.
        let Some((_, base)) = row.poly.terms().find(|(m, _)| m.is_one()).or_else(|| row.poly.terms().next())
        else {
            continue;
        };
        for (monomial, coefficient) in row.poly.terms().filter(|(m, _)| !m.is_one()) {
            let ratio = size(&(coefficient / base));
            if to_fraction(&ratio).is_none() {
                units.entry(monomial).or_insert(ratio);
            }
        }
    }
    units
}

/// Puts the rows to the simplex. `None` if the question is too large or the effort is spent.
pub(crate) fn ask<'r>(rows: &'r [Row<'_>], effort: &mut Effort) -> Option<Outcome<'r>> {
    let mut index: BTreeMap<&Monomial, usize> = BTreeMap::new();
    let mut columns = Vec::with_capacity(rows.len());
    let units = units(rows);
    let tiny = Rational::ONE / Rational::from(TINY as i64);
    let mut multiples = Vec::with_capacity(rows.len());
    for row in rows {
        let entries = Vec::with_capacity(row.poly.size());
        let mut column = Column { entries, constant: Fraction::ZERO, strict: row.strict, free: row.free };
        let mut place = |monomial: &'r Monomial| {
            let next = index.len();
            *index.entry(monomial).or_insert(next)
        };
        // Nearly all rows are as they should be.
        if units.is_empty()
            && let Some(values) =
                row.poly.terms().map(|(m, c)| Some((m, to_fraction(c)?))).collect::<Option<Vec<_>>>()
        {
            for (monomial, value) in values {
                match monomial.is_one() {
                    true => column.constant = value,
                    false => column.entries.push((place(monomial), value)),
                }
            }
            columns.push(column);
            multiples.push(None);
            continue;
        }
        let measured = |m: &Monomial, c: &Rational| units.get(m).map_or_else(|| c.clone(), |unit| c / unit);
        let fits = row.poly.terms().all(|(m, c)| to_fraction(&measured(m, c)).is_some());
        // A row with numbers too large or too small for the simplex is taken as a multiple of itself.
        let sizes =
            row.poly.terms().filter(|(m, _)| !m.is_one() && !fits).map(|(m, c)| size(&measured(m, c)));
        let multiple = sizes.min();
        for (monomial, coefficient) in row.poly.terms() {
            let mut value = measured(monomial, coefficient);
            if let Some(multiple) = &multiple {
                value /= multiple;
            }
            if monomial.is_one() {
                // A constant may be rounded up where that says less: what follows then follows all the more.
                let near = || (!row.free && size(&value) < tiny).then(|| Fraction::new(1, TINY)).flatten();
                column.constant = to_fraction(&value).or_else(near)?;
            } else {
                let value = to_fraction(&value)?;
                column.entries.push((place(monomial), value));
            }
        }
        columns.push(column);
        multiples.push(multiple);
    }
    // Every row brings an artificial column of its own.
    let cells = (index.len() + 2) * (columns.len() + index.len() + 2);
    if cells > MAX_CELLS {
        return None;
    }
    effort.spend(cells)?;
    Some(match solve(index.len(), &columns, &mut effort.left)? {
        Answer::Values(values) => {
            Outcome::Values(index.into_iter().map(|(m, place)| (m, values[place])).collect())
        }
        Answer::Contradiction(multipliers) => {
            let mut products = Vec::new();
            let mut equations = Vec::new();
            for ((row, multiple), multiplier) in rows.iter().zip(multiples).zip(multipliers) {
                if multiplier.is_zero() {
                    continue;
                }
                let coefficient = match multiple {
                    Some(multiple) => to_rational(multiplier) / multiple,
                    None => to_rational(multiplier),
                };
                match (row.free, row.facts.as_slice()) {
                    (true, [number]) => {
                        let multiplier = Poly::term(row.multiplier.clone(), coefficient);
                        equations.push((*number, multiplier.to_expr()));
                    }
                    _ => products.push(Product {
                        coefficient,
                        scale: row.scale.clone(),
                        facts: row.facts.clone(),
                    }),
                }
            }
            Outcome::Evidence(Box::new(Evidence::Combination { products, equations }))
        }
    })
}

/// A contradiction of the rows, if the simplex finds one.
pub(crate) fn contradiction(rows: &[Row<'_>], effort: &mut Effort) -> Option<Evidence> {
    match ask(rows, effort)? {
        Outcome::Evidence(evidence) => Some(*evidence),
        Outcome::Values(_) => None,
    }
}
