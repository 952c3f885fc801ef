//! Searches for evidence of an entailment.
//!
//! The facts that are plain inequalities go to the simplex, each monomial a variable of its own. It answers with
//! a contradiction, which is evidence, or with values; a disjunction that the values violate is split. Products
//! with positive parameters, and at the end products of a few facts, are offered to the simplex as further
//! inequalities. What a branch did not need is dropped from the evidence on the way back.
//!
//! ```
//! # use probity_kernel::context::{Context, Orientation};
//! # use probity_kernel::expr::Expr;
//! # use probity_kernel::term::{Mechanism, Param, Sort};
//! # let mechanism = Mechanism {
//! #     name: "m".into(), inputs: vec![], params: vec![Param { name: "p".into(), sort: Sort::Real }],
//! #     assumptions: vec![], body: vec![], output: Expr::int(0), adjacency: vec![],
//! # };
//! let context = Context::new(&mechanism, Orientation::Forward).unwrap();
//! use probity_kernel::entail::check_entailment;
//! use probity_prove::search::search_evidence;
//! let (p, one, two) = (Expr::var("p"), Expr::int(1), Expr::int(2));
//! let (known, goal) = (two.lt(p.clone()), one.le(p.clone()));
//! let evidence = search_evidence(&context, &[&known], &goal).unwrap();
//! assert!(check_entailment(&context, &[&known], &goal, &evidence).is_ok());
//! assert!(search_evidence(&context, &[&goal], &known).is_err());
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_exact::{Integer, Natural, Rational};
use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::fact::Fact;
use probity_kernel::lemma::Lemma;
use probity_kernel::poly::{Monomial, Poly};
use probity_kernel::rejection::Rejection;

use crate::simplex::{Answer, Column, Fraction, solve};
use crate::suggest::{analytic_lemmas, common_lemmas};

/// Nodes after which a search gives up.
const MAX_NODES: usize = 3_000;
/// The most inequalities of which products are formed.
const MAX_FACTORS: usize = 8;
/// The most terms of an inequality that enters a product.
const MAX_FACTOR_TERMS: usize = 5;
/// The largest question put to the simplex: rows times columns.
const MAX_CELLS: usize = 150_000;

/// Why no evidence was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// No contradiction is in sight on this path: the facts that hold on it, in the order they were assumed.
    Open {
        /// What was assumed on the way, beyond the hypotheses.
        path: Vec<String>,
    },
    /// The search took too many steps.
    TooLong,
    /// The kernel does not accept the question.
    Rejected(Rejection),
}

impl From<Rejection> for Stuck {
    fn from(rejection: Rejection) -> Stuck {
        Stuck::Rejected(rejection)
    }
}

/// Evidence that the hypotheses entail the goal, if the search finds any.
pub fn search_evidence(context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Stuck> {
    let formulas = || hypotheses.iter().copied().chain([goal]).chain(context.facts());
    let lemmas = common_lemmas(context, formulas());
    let stuck = match search_with(context, hypotheses, goal, &lemmas) {
        Err(stuck @ Stuck::Open { .. }) => stuck,
        answer => return answer,
    };
    // Lemmas on ln and on quotients make many cases, so they are tried only where the others do not do.
    let more = analytic_lemmas(context, formulas());
    if more.is_empty() {
        return Err(stuck);
    }
    let all: Vec<Lemma> = lemmas.into_iter().chain(more).collect();
    search_with(context, hypotheses, goal, &all)
}

fn search_with(
    context: &Context,
    hypotheses: &[&Expr],
    goal: &Expr,
    lemmas: &[Lemma],
) -> Result<Evidence, Stuck> {
    let mut facts = Facts::new(context, hypotheses, goal)?;
    let mut cited = Vec::new();
    for lemma in lemmas {
        let start = facts.list().len();
        facts = facts.with_lemma(lemma)?;
        cited.push((lemma, start, facts.list().len() - start));
    }
    let known = facts.list().len();
    let mut search = Search { nodes: 0, known };
    let mut evidence = search.refute(&facts)?;
    // A lemma that was not needed is not cited.
    for (lemma, start, count) in cited.into_iter().rev() {
        evidence = match without(&evidence, start, count) {
            Some(shorter) => shorter,
            None => Evidence::Cite(lemma.clone(), Box::new(evidence)),
        };
    }
    Ok(evidence)
}

/// A row of the question put to the simplex: what it says, and how evidence cites it.
struct Row {
    poly: Poly,
    strict: bool,
    free: bool,
    scale: Vec<(Name, i32)>,
    facts: Vec<usize>,
    /// What an equation was multiplied by.
    multiplier: Monomial,
}

struct Search {
    nodes: usize,
    /// How many facts there were before the first case split.
    known: usize,
}

impl Search {
    fn refute(&mut self, facts: &Facts<'_>) -> Result<Evidence, Stuck> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Stuck::TooLong);
        }
        if let Some(evidence) = plain_contradiction(facts.list()) {
            return Ok(evidence);
        }
        let base = base_rows(facts.list());
        let values = match ask(&base)? {
            Outcome::Evidence(evidence) => return Ok(*evidence),
            Outcome::Values(values) => values,
        };
        let scaled = scaled_rows(facts, &base);
        let values = if scaled.is_empty() {
            values
        } else {
            let all: Vec<Row> = base.into_iter().chain(scaled).collect();
            match ask(&all)? {
                Outcome::Evidence(evidence) => return Ok(*evidence),
                Outcome::Values(values) => values,
            }
        };
        // Values can satisfy a disjunction by luck, where a product would have excluded them, so a disjunction
        // that no value violates is split too before giving up.
        let next = violated(facts.list(), &values).or_else(|| unsplit(facts.list()));
        if let Some(number) = next {
            return self.split(facts, number);
        }
        match ask(&product_rows(facts)) {
            Ok(Outcome::Evidence(evidence)) => Ok(*evidence),
            _ => {
                let path = facts.list()[self.known.min(facts.list().len())..]
                    .iter()
                    .map(|fact| show(fact))
                    .collect();
                Err(Stuck::Open { path })
            }
        }
    }

    fn split(&mut self, facts: &Facts<'_>, number: usize) -> Result<Evidence, Stuck> {
        let start = facts.list().len();
        let mut branches = Vec::new();
        for case in facts.cases(number)? {
            let evidence = self.refute(&case)?;
            // A branch that did not use its own assumption refutes the whole.
            if let Some(shorter) = without(&evidence, start, case.list().len() - start) {
                return Ok(shorter);
            }
            branches.push(evidence);
        }
        Ok(Evidence::Cases(number, branches))
    }
}

fn show(fact: &Fact) -> String {
    let join = |parts: &[Fact], word: &str| {
        parts.iter().map(|p| format!("({})", show(p))).collect::<Vec<_>>().join(word)
    };
    match fact {
        Fact::Zero(p) => format!("{} == 0", p.to_expr()),
        Fact::Positive(p) => format!("{} > 0", p.to_expr()),
        Fact::NonNegative(p) => format!("{} >= 0", p.to_expr()),
        Fact::Holds(e, true) => e.to_string(),
        Fact::Holds(e, false) => format!("not ({e})"),
        Fact::Any(parts) => join(parts, " or "),
        Fact::All(parts) => join(parts, " and "),
    }
}

/// A `false`, or a boolean that is both true and false.
fn plain_contradiction(facts: &[Arc<Fact>]) -> Option<Evidence> {
    let mut seen: BTreeMap<(&Expr, bool), usize> = BTreeMap::new();
    for (number, fact) in facts.iter().enumerate() {
        match &**fact {
            Fact::Any(parts) if parts.is_empty() => return Some(Evidence::Absurd(number)),
            Fact::Holds(e, polarity) => {
                if let Some(&other) = seen.get(&(e, !polarity)) {
                    return Some(match polarity {
                        true => Evidence::Clash(number, other),
                        false => Evidence::Clash(other, number),
                    });
                }
                seen.insert((e, *polarity), number);
            }
            _ => {}
        }
    }
    None
}

fn base_rows(facts: &[Arc<Fact>]) -> Vec<Row> {
    let mut seen = BTreeSet::new();
    let row = |(number, fact): (usize, &Arc<Fact>)| {
        let (poly, strict, free) = match &**fact {
            Fact::Zero(p) => (p, false, true),
            Fact::Positive(p) => (p, true, false),
            Fact::NonNegative(p) => (p, false, false),
            _ => return None,
        };
        let new = seen.insert((poly.clone(), strict, free));
        new.then(|| Row {
            poly: poly.clone(),
            strict,
            free,
            scale: vec![],
            facts: vec![number],
            multiplier: Monomial::default(),
        })
    };
    facts.iter().enumerate().filter_map(row).collect()
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

/// Rows times positive monomials of parameters, where every monomial of the product is already in use.
fn scaled_rows(facts: &Facts<'_>, base: &[Row]) -> Vec<Row> {
    let context = facts.context();
    let used: BTreeSet<&Monomial> = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    let mut rows = Vec::new();
    for monomial in &used {
        if let Some(scale) = as_scale(context, monomial).filter(|s| !s.is_empty()) {
            let poly = Poly::term((*monomial).clone(), Rational::ONE);
            rows.push(Row {
                poly,
                strict: true,
                free: false,
                scale,
                facts: vec![],
                multiplier: Monomial::default(),
            });
        }
    }
    for row in base {
        for multiplier in multipliers(context, row, &used) {
            let Ok(poly) = row.poly.times(&Poly::term(multiplier.clone(), Rational::ONE)) else { continue };
            if poly.terms().all(|(m, _)| m.is_one() || used.contains(m)) {
                let scale = as_scale(context, &multiplier).unwrap_or_default();
                let (strict, free, facts) = (row.strict, row.free, row.facts.clone());
                rows.push(Row { poly, strict, free, scale, facts, multiplier });
            }
        }
    }
    rows
}

/// What a row may be multiplied by so that its leading monomial becomes one in use: positive parameters, and
/// for a nonlinear equation anything.
fn multipliers(context: &Context, row: &Row, used: &BTreeSet<&Monomial>) -> BTreeSet<Monomial> {
    let degree = |m: &Monomial| m.powers().map(|(_, power)| power.unsigned_abs()).sum::<u32>();
    let anything = row.free && row.poly.terms().any(|(m, _)| degree(m) > 1);
    let Some((leading, _)) = row.poly.terms().max_by_key(|(m, _)| degree(m)) else { return BTreeSet::new() };
    let inverse = leading.inverse();
    let fits = |m: &Monomial| {
        let whole = m.powers().all(|(_, power)| power > 0);
        !m.is_one() && (as_scale(context, m).is_some() || anything && whole)
    };
    used.iter().map(|m| m.times(&inverse)).filter(fits).collect()
}

/// Products of up to three inequalities, with parameters, when there are few enough of them.
fn product_rows(facts: &Facts<'_>) -> Vec<Row> {
    let base = base_rows(facts.list());
    // Only what occurs in a product somewhere is worth multiplying.
    let degree = |m: &Monomial| m.powers().map(|(_, power)| power.unsigned_abs()).sum::<u32>();
    let multiplied: BTreeSet<&Expr> = base
        .iter()
        .flat_map(|row| row.poly.terms())
        .filter(|(m, _)| degree(m) > 1)
        .flat_map(|(m, _)| m.powers().map(|(atom, _)| atom))
        .collect();
    let inside =
        |row: &Row| row.poly.terms().all(|(m, _)| m.powers().all(|(atom, _)| multiplied.contains(atom)));
    let small = |row: &Row| !row.free && row.poly.terms().count() <= MAX_FACTOR_TERMS && inside(row);
    let factors: Vec<&Row> = base.iter().filter(|row| small(row)).collect();
    let mut rows = Vec::new();
    if factors.len() > MAX_FACTORS {
        return rows;
    }
    let context = facts.context();
    let mut scales = vec![vec![]];
    scales.extend(
        context
            .mechanism()
            .params
            .iter()
            .filter(|p| context.is_positive(&p.name))
            .map(|p| vec![(p.name.clone(), 1)]),
    );
    for i in 0..factors.len() {
        for j in i..=factors.len() {
            for k in j..=factors.len() {
                let chosen: Vec<&Row> = [i, j, k].iter().filter_map(|&n| factors.get(n).copied()).collect();
                for scale in &scales {
                    rows.extend(product(&chosen, scale));
                }
            }
        }
    }
    rows.extend(base);
    rows
}

fn product(factors: &[&Row], scale: &[(Name, i32)]) -> Option<Row> {
    let mut poly = Poly::term(Monomial::of_names(scale), Rational::ONE);
    for factor in factors {
        poly = poly.times(&factor.poly).ok()?;
    }
    Some(Row {
        poly,
        strict: factors.iter().all(|f| f.strict),
        free: false,
        scale: scale.to_vec(),
        facts: factors.iter().flat_map(|f| f.facts.iter().copied()).collect(),
        multiplier: Monomial::default(),
    })
}

enum Outcome {
    Evidence(Box<Evidence>),
    Values(BTreeMap<Monomial, Fraction>),
}

fn to_fraction(value: &Rational) -> Option<Fraction> {
    let numerator = i128::try_from(value.numerator().clone()).ok()?;
    let denominator = i128::try_from(value.denominator().clone()).ok()?;
    Fraction::new(numerator, denominator)
}

fn to_rational(value: Fraction) -> Rational {
    let (numerator, denominator) = value.parts();
    Rational::from_parts(Integer::from(numerator), Natural::from(denominator.unsigned_abs()))
}

/// Puts the rows to the simplex.
fn ask(rows: &[Row]) -> Result<Outcome, Stuck> {
    let mut index: BTreeMap<Monomial, usize> = BTreeMap::new();
    let mut columns = Vec::with_capacity(rows.len());
    for row in rows {
        let mut column =
            Column { entries: vec![], constant: Fraction::ZERO, strict: row.strict, free: row.free };
        for (monomial, coefficient) in row.poly.terms() {
            let value = to_fraction(coefficient).ok_or(Stuck::TooLong)?;
            if monomial.is_one() {
                column.constant = value;
            } else {
                let next = index.len();
                let place = *index.entry(monomial.clone()).or_insert(next);
                column.entries.push((place, value));
            }
        }
        columns.push(column);
    }
    // Every row brings an artificial column of its own.
    if (index.len() + 2) * (columns.len() + index.len() + 2) > MAX_CELLS {
        return Err(Stuck::TooLong);
    }
    match solve(index.len(), &columns).ok_or(Stuck::TooLong)? {
        Answer::Values(values) => {
            Ok(Outcome::Values(index.into_iter().map(|(m, place)| (m, values[place])).collect()))
        }
        Answer::Contradiction(multipliers) => {
            let mut products = Vec::new();
            let mut equations = Vec::new();
            for (row, multiplier) in rows.iter().zip(multipliers) {
                if multiplier.is_zero() {
                    continue;
                }
                let coefficient = to_rational(multiplier);
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
            Ok(Outcome::Evidence(Box::new(Evidence::Combination { products, equations })))
        }
    }
}

/// The disjunction with the fewest parts that the values violate.
fn violated(facts: &[Arc<Fact>], values: &BTreeMap<Monomial, Fraction>) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (number, fact) in facts.iter().enumerate() {
        if let Fact::Any(parts) = &**fact
            && !parts.iter().any(|part| satisfied(part, facts, values) || present(part, facts))
            && best.is_none_or(|(size, _)| parts.len() < size)
        {
            best = Some((parts.len(), number));
        }
    }
    best.map(|(_, number)| number)
}

/// The smallest disjunction of which no part has been assumed.
fn unsplit(facts: &[Arc<Fact>]) -> Option<usize> {
    let open = facts.iter().enumerate().filter_map(|(number, fact)| match &**fact {
        Fact::Any(parts) if !parts.iter().any(|part| present(part, facts)) => Some((parts.len(), number)),
        _ => None,
    });
    open.min().map(|(_, number)| number)
}

/// Whether a fact has been assumed already; its own disjunctions are then facts to be split in their turn.
fn present(fact: &Fact, facts: &[Arc<Fact>]) -> bool {
    match fact {
        Fact::All(parts) => parts.iter().all(|part| present(part, facts)),
        other => facts.iter().any(|known| **known == *other),
    }
}

fn satisfied(fact: &Fact, facts: &[Arc<Fact>], values: &BTreeMap<Monomial, Fraction>) -> bool {
    let sign = |p: &Poly| {
        let mut sum = Fraction::ZERO;
        for (monomial, coefficient) in p.terms() {
            // A monomial that no inequality mentions may have any value.
            let value = if monomial.is_one() {
                Fraction::ONE
            } else {
                values.get(monomial).copied().unwrap_or(Fraction::ZERO)
            };
            sum = sum.plus(to_fraction(coefficient)?.times(value)?)?;
        }
        Some(sum.signum())
    };
    match fact {
        Fact::Zero(p) => sign(p) == Some(0),
        Fact::Positive(p) => sign(p) == Some(1),
        Fact::NonNegative(p) => matches!(sign(p), Some(0 | 1)),
        Fact::Holds(..) => present(fact, facts),
        Fact::Any(parts) => parts.iter().any(|part| satisfied(part, facts, values)),
        Fact::All(parts) => parts.iter().all(|part| satisfied(part, facts, values)),
    }
}

/// The evidence with facts `start..start + count` taken away, unless it cites one of them.
fn without(evidence: &Evidence, start: usize, count: usize) -> Option<Evidence> {
    let renumber = |number: usize| match number {
        n if n < start => Some(n),
        n if n < start + count => None,
        n => Some(n - count),
    };
    let go = |e: &Evidence| without(e, start, count);
    Some(match evidence {
        Evidence::Combination { products, equations } => Evidence::Combination {
            products: products
                .iter()
                .map(|p| {
                    let facts = p.facts.iter().map(|&n| renumber(n)).collect::<Option<_>>()?;
                    Some(Product { facts, ..p.clone() })
                })
                .collect::<Option<_>>()?,
            equations: equations
                .iter()
                .map(|(n, e)| Some((renumber(*n)?, e.clone())))
                .collect::<Option<_>>()?,
        },
        Evidence::Clash(a, b) => Evidence::Clash(renumber(*a)?, renumber(*b)?),
        Evidence::Absurd(n) => Evidence::Absurd(renumber(*n)?),
        Evidence::Cases(n, branches) => {
            Evidence::Cases(renumber(*n)?, branches.iter().map(go).collect::<Option<_>>()?)
        }
        Evidence::Cut(f, yes, no) => Evidence::Cut(f.clone(), Box::new(go(yes)?), Box::new(go(no)?)),
        Evidence::Cite(lemma, rest) => Evidence::Cite(lemma.clone(), Box::new(go(rest)?)),
    })
}
