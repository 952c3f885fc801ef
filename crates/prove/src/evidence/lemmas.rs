//! Which lemmas a question suggests, by the atoms that occur in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::fact::{Fact, canonical};
use probity_kernel::lemma::Lemma;

use crate::algebra::of_parameters;
use crate::evidence::shapes::{has_products, is_of_products, is_opaque_divisor};
use crate::lists;

/// The most roundings that are compared with each other.
const MAX_ROUNDINGS: usize = 4;
/// The most lemmas on ln, exp and quotients that are tried.
const MAX_ANALYTIC: usize = 60;
/// The most sums over rows of the second run that one of the first is compared with.
const MAX_SUMS: usize = 3;
/// The most logarithms that are compared with each other.
const MAX_LOGARITHMS: usize = 6;

/// The lemmas that entries of lists, floors, remainders and roundings suggest.
pub(crate) fn common_lemmas<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Lemma> {
    let mut entries = BTreeSet::new();
    let mut lengths: BTreeSet<Name> = BTreeSet::new();
    let mut others = BTreeMap::new();
    let mut rounded: BTreeSet<(Expr, Expr)> = BTreeSet::new();
    let mut sums: BTreeSet<(Name, Run, Expr, Expr)> = BTreeSet::new();
    let mut halves = Halves::default();
    let mut remainders: BTreeSet<(Expr, Expr)> = BTreeSet::new();
    let mut divisors: BTreeSet<Expr> = BTreeSet::new();
    let formulas: Vec<&Expr> = formulas.collect();
    for formula in formulas.iter().copied() {
        visit(formula, &mut |e| match e {
            Expr::Index(Variable::Of(list, _), index) => {
                // One instance per index, up to normal form.
                if let Ok(index) = canonical(context, index) {
                    entries.insert((list.clone(), index));
                }
            }
            Expr::Length(Variable::Of(list, _)) => {
                lengths.insert(list.clone());
            }
            Expr::Unary(Unary::Floor, a) => {
                others.insert(e.clone(), Lemma::Floor((**a).clone()));
            }
            Expr::Binary(Binary::RoundTo, a, b) if rounded.len() < MAX_ROUNDINGS => {
                rounded.insert(((**a).clone(), (**b).clone()));
            }
            Expr::Sum(Variable::Of(table, run), condition, value) => {
                if let (Ok(condition), Ok(value)) = (canonical(context, condition), canonical(context, value))
                {
                    let made = with_choice_made(&condition, &value);
                    halves.see((table, *run), e, (&condition, &value), &made);
                    sums.extend(made.into_iter().map(|(c, v)| (table.clone(), *run, c, v)));
                    sums.insert((table.clone(), *run, condition, value));
                }
            }
            Expr::Binary(Binary::Mod, a, b) => {
                others.insert(e.clone(), Lemma::ModRange((**a).clone(), (**b).clone()));
                if !has_products(context, a) {
                    remainders.insert(((**a).clone(), (**b).clone()));
                }
            }
            Expr::Binary(Binary::Div, _, b) if has_sum(b) => {
                divisors.insert((**b).clone());
            }
            _ => {}
        });
    }
    // Lists that a program fills are the same in both runs where they are released, and so are their entries and lengths.
    let is_input = |list: &Name| context.mechanism().inputs.iter().any(|input| input.name == *list);
    let of_filled = entries.iter().filter(|(list, _)| !is_input(list));
    let places: BTreeSet<(Name, Expr)> =
        of_filled.map(|(list, index)| (list.clone(), in_first(index))).collect();
    let filled: Vec<Lemma> = places
        .into_iter()
        .map(|(list, index)| Lemma::EqualEntries(list, index.clone(), in_second(&index)))
        .chain(lengths.into_iter().filter(|list| !is_input(list)).map(Lemma::EqualLengths))
        .collect();
    // The second run reads at an index of its own, which is the first run's where the two are equal.
    let same_entries = entries.iter().filter_map(|(list, index)| {
        let swapped = in_first(index);
        let list = Variable::Of(list.clone(), Run::Second);
        (swapped != *index).then(|| Lemma::SameEntry(list, index.clone(), swapped))
    });
    let mut same_entries: Vec<Lemma> = same_entries.collect();
    // What stands at the place that changed is what is read where the index is that place.
    for (list, place) in &entries {
        let changed = Expr::Var(Variable::Changed(list.clone()));
        for (_, index) in entries.iter().filter(|(of, index)| of == list && *index != changed) {
            if *place == changed {
                same_entries.extend([Run::First, Run::Second].map(|run| {
                    Lemma::SameEntry(Variable::Of(list.clone(), run), index.clone(), changed.clone())
                }));
            }
        }
    }
    let entries = entries.into_iter().map(|(list, index)| Lemma::Adjacent(list, index)).chain(same_entries);
    let same = rounded.iter().enumerate().flat_map(|(n, (a, g))| {
        let later = rounded.iter().skip(n + 1);
        later.map(move |(b, h)| {
            Lemma::SameBinary(Binary::RoundTo, (a.clone(), b.clone()), (g.clone(), h.clone()))
        })
    });
    let same = same.chain(same_in_both(Binary::Mod, &remainders)).chain(same_divisors(&divisors));
    let of_lists = lists::lemmas(context, formulas.into_iter());
    let mut of_rows = row_lemmas(&sums);
    of_rows.extend(halves.lemmas());
    let alike: Vec<Lemma> = of_rows.iter().flat_map(|lemma| alike_parts(context, lemma)).collect();
    // What is rounded or taken modulo in the value of the row that differs.
    for formula in of_rows.iter().filter_map(|lemma| lemma.formula(context)) {
        visit(&formula, &mut |e| {
            let lemma = match e {
                Expr::Unary(Unary::Floor, a) => Lemma::Floor((**a).clone()),
                Expr::Binary(Binary::Mod, a, b) => Lemma::ModRange((**a).clone(), (**b).clone()),
                _ => return,
            };
            if e.find_variable(&|v| matches!(v, Variable::Row(..))).is_some() {
                others.insert(e.clone(), lemma);
            }
        });
    }
    let all = entries
        .chain(others.into_values())
        .chain(same)
        .chain(of_rows)
        .chain(alike)
        .chain(of_lists)
        .chain(filled);
    all.filter(|lemma| lemma.formula(context).is_some()).collect()
}

/// Sums that are one in normal form and are written differently in the two runs: a choice that is made in the first run's is not made in
/// the second's, where it is another expression.
#[derive(Default)]
struct Halves {
    seen: BTreeMap<(Name, Expr, Expr), Half>,
}

/// How a sum is written in either run, and its condition and value with the choice made.
#[derive(Default)]
struct Half {
    runs: BTreeMap<Run, Expr>,
    ways: Vec<(Expr, Expr)>,
}

impl Halves {
    fn see(
        &mut self,
        (table, run): (&Name, Run),
        written: &Expr,
        sum: (&Expr, &Expr),
        made: &[(Expr, Expr)],
    ) {
        if made.is_empty() {
            return;
        }
        let key = (table.clone(), sum.0.clone(), sum.1.clone());
        let Half { runs, ways } = self.seen.entry(key).or_default();
        // Where the rows are does not matter.
        let part = |place: usize| written.parts()[place].cloned().unwrap_or(Expr::Bool(true));
        runs.insert(run, part(0).equals(part(1)));
        *ways = made.to_vec();
    }

    fn lemmas(self) -> Vec<Lemma> {
        let apart =
            |runs: &BTreeMap<Run, Expr>| runs.len() > 1 && runs.get(&Run::First) != runs.get(&Run::Second);
        let of = self.seen.into_iter().filter(|(_, half)| apart(&half.runs)).take(MAX_SUMS);
        of.flat_map(|((table, condition, value), Half { ways, .. })| {
            let whole = (condition, value);
            ways.into_iter().map(move |made| Lemma::Rows(table.clone(), made, whole.clone()))
        })
        .collect()
    }
}

/// A sum with a choice made that is the same for all rows, as in `clamp(r.a, 0, max(1, B))`: where the choice is made in the rest of
/// a comparison, it is made in its sums too.
fn with_choice_made(condition: &Expr, value: &Expr) -> Vec<(Expr, Expr)> {
    let reads_row = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Field(..))).is_some();
    let mut choice = None;
    for part in [condition, value] {
        visit(part, &mut |e| {
            let chooses = matches!(
                e,
                Expr::Binary(Binary::Min | Binary::Max, ..)
                    | Expr::If(..)
                    | Expr::Clamp(..)
                    | Expr::Unary(Unary::Abs, _)
            );
            if choice.is_none() && chooses && !reads_row(e) {
                choice = one_choice(e).map(|ways| (e.clone(), ways));
            }
        });
    }
    let Some((whole, ways)) = choice else { return vec![] };
    let made = |e: &Expr, way: &Expr| e.rewrite(&|part| (*part == whole).then(|| way.clone()));
    ways.iter().map(|way| (made(condition, way), made(value, way))).collect()
}

/// The same expression of the first run.
fn in_first(e: &Expr) -> Expr {
    e.replace(&|v| match v {
        Variable::Of(name, Run::Second) => Some(Expr::of(name.clone(), Run::First)),
        _ => None,
    })
}

/// The same expression of the second run.
fn in_second(e: &Expr) -> Expr {
    e.replace(&|v| match v {
        Variable::Of(name, Run::First) => Some(Expr::of(name.clone(), Run::Second)),
        _ => None,
    })
}

fn has_sum(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |part| found |= matches!(part, Expr::Sum(..)));
    found
}

/// Quotients by sums over rows that are written alike in the two runs have equal divisors where the sums are equal, as the number of
/// rows is when one is replaced.
fn same_divisors(divisors: &BTreeSet<Expr>) -> Vec<Lemma> {
    let pairs = divisors.iter().map(|b| (b, in_second(b)));
    let twins = pairs.filter(|(b, d)| *b != d && divisors.contains(d));
    let one = || (Expr::int(1), Expr::int(1));
    twins.take(MAX_ROUNDINGS).map(|(b, d)| Lemma::SameBinary(Binary::Div, one(), (b.clone(), d))).collect()
}

/// Whether an expression mentions a variable of one of the runs.
fn is_of_a_run(e: &Expr) -> bool {
    e.find_variable(&|v| matches!(v, Variable::Of(..))).is_some()
}

/// Remainders and quotients that are written alike in the two runs are equal where their parts are.
fn same_in_both(op: Binary, all: &BTreeSet<(Expr, Expr)>) -> Vec<Lemma> {
    let pairs = all.iter().map(|(a, b)| ((a, b), (in_second(a), in_second(b))));
    let twins = pairs.filter(|((a, b), (c, d))| (*a, *b) != (c, d) && all.contains(&(c.clone(), d.clone())));
    twins
        .take(MAX_ROUNDINGS)
        .map(|((a, b), (c, d))| Lemma::SameBinary(op, (a.clone(), c), (b.clone(), d)))
        .collect()
}

/// What the adjacency says of the sums of the first run and of the second: of two that are written alike if there are
/// such, else of those that are alike where some parts are equal.
fn row_lemmas(sums: &BTreeSet<(Name, Run, Expr, Expr)>) -> Vec<Lemma> {
    let of = |run: Run| sums.iter().filter(move |sum| sum.1 == run);
    let mut lemmas = Vec::new();
    for (table, _, condition, value) in of(Run::First) {
        let alike = of(Run::Second).filter(|(t, _, c, v)| t == table && c == condition && v == value);
        let mut found: Vec<_> = alike.collect();
        if found.is_empty() {
            found = of(Run::Second).filter(|(t, ..)| t == table).take(MAX_SUMS).collect();
        }
        lemmas.extend(found.into_iter().map(|(_, _, c, v)| {
            let first = (condition.clone(), value.clone());
            Lemma::Rows(table.clone(), first, (c.clone(), v.clone()))
        }));
    }
    lemmas
}

/// What a lemma on rows wants to be equal is a part of each run's sum, in normal form: the quotient by a variable, where the
/// variable is known to be equal.
fn alike_parts(context: &Context, lemma: &Lemma) -> Vec<Lemma> {
    let mut found = Vec::new();
    let mut rest = lemma.formula(context);
    while let Some(Expr::Binary(Binary::Or, premise, then)) = rest {
        if let Expr::Unary(Unary::Not, premise) = &*premise
            && let Expr::Binary(Binary::Eq, a, b) = &**premise
        {
            match (&**a, &**b) {
                (Expr::Binary(f, a, c), Expr::Binary(g, b, d)) if f == g => {
                    let pair = |x: &Expr, y: &Expr| (x.clone(), y.clone());
                    found.push(Lemma::SameBinary(*f, pair(a, b), pair(c, d)));
                }
                (Expr::Unary(f, a), Expr::Unary(g, b)) if f == g => {
                    found.push(Lemma::SameUnary(*f, (**a).clone(), (**b).clone()));
                }
                _ => {}
            }
        }
        rest = Some((*then).clone());
    }
    found
}

/// The lemmas that logarithms, powers of two, exponentials and quotients suggest.
pub(crate) fn analytic_lemmas<'a>(
    context: &Context,
    formulas: impl Iterator<Item = &'a Expr>,
    denied: Option<&Arc<Fact>>,
) -> Vec<Lemma> {
    let mut found = Suggestions { context, seen: BTreeSet::new(), lemmas: Vec::new() };
    let mut logarithms: Vec<Expr> = Vec::new();
    let mut exponents: BTreeSet<Expr> = BTreeSet::new();
    let (mut remainders, mut quotients) = (BTreeSet::new(), BTreeSet::new());
    let mut whole: BTreeSet<Expr> = BTreeSet::new();
    for formula in formulas {
        visit(formula, &mut |e| match e {
            Expr::Binary(Binary::Mod, a, b) if has_products(context, a) => {
                remainders.insert(((**a).clone(), (**b).clone()));
            }
            Expr::Unary(Unary::Ln, a) if !has_choice(a) && !logarithms.contains(a) => {
                logarithms.push((**a).clone());
                whole.insert((**a).clone());
            }
            Expr::Unary(Unary::Ln, a) if has_choice(a) => {
                whole.insert((**a).clone());
                for made in choices_made(a, MAX_LOGARITHM_CHOICES) {
                    found.logarithm(&made);
                    if let Ok(Expr::Number(n)) = canonical(context, &made) {
                        found.add(Lemma::LnValue(n));
                    }
                }
            }
            Expr::Unary(Unary::Exp, a) if !has_choice(a) => {
                found.exponential(a);
                exponents.insert((**a).clone());
            }
            // With each choice made: that is what the facts speak of, case by case.
            Expr::Unary(Unary::Exp, a) => {
                for made in choices_made(a, MAX_CHOICES) {
                    found.exponential(&made);
                    found.add(Lemma::ExpMonotone(made.clone(), Expr::int(0)));
                    exponents.insert(made);
                }
            }
            Expr::Unary(Unary::Sqrt, a) if !has_choice(a) => found.add(Lemma::Sqrt((**a).clone())),
            Expr::Unary(Unary::Pow2AtLeast, a) if !has_choice(a) => found.add(Lemma::Pow2((**a).clone())),
            Expr::Binary(Binary::Div, a, b) if !has_choice(b) && is_opaque_divisor(context, b) => {
                if is_of_a_run(b) {
                    quotients.insert(((**a).clone(), (**b).clone()));
                }
                found.add(Lemma::Inverse((**b).clone()));
                found.add(Lemma::InversePositive((**b).clone()));
            }
            Expr::Binary(Binary::Div, a, b) if has_choice(b) => {
                quotients.extend(found.divided_by_choices(b).into_iter().map(|made| ((**a).clone(), made)));
            }
            _ => {}
        });
    }
    same_in_both(Binary::Mod, &remainders).into_iter().for_each(|lemma| found.add(lemma));
    same_in_both(Binary::Div, &quotients).into_iter().for_each(|lemma| found.add(lemma));
    found.twins(&exponents);
    found.twin_logarithms(&whole);
    logarithms.truncate(MAX_LOGARITHMS);
    for a in &logarithms {
        found.logarithm(a);
        if let Ok(Expr::Number(n)) = canonical(context, a) {
            found.add(Lemma::LnValue(n));
        }
        // Below 1 a logarithm is negative: ln(1/a) is positive.
        let part_of =
            |e: &Expr| matches!(e, Expr::Binary(Binary::Div, _, n) if matches!(**n, Expr::Number(_)));
        if matches!(a, Expr::Binary(Binary::Mul, ..)) || part_of(a) {
            found.add(Lemma::LnMonotone(a.clone(), Expr::int(1)));
        }
        if matches!(a, Expr::Var(_)) {
            found.add(Lemma::LnMonotone(a.clone(), Expr::int(1)));
            found.add(Lemma::LnQuotient(Expr::int(1), a.clone()));
            found.add(Lemma::LnPositive(Expr::int(1) / a.clone()));
        }
        // A quotient by something opaque is compared through the logarithms of its parts.
        if matches!(a, Expr::Binary(Binary::Div, _, b) if is_opaque_divisor(context, b)) {
            continue;
        }
        found.add(Lemma::LnPositive(a.clone()));
        found.add(Lemma::LnMonotone(Expr::int(1), a.clone()));
        for b in logarithms.iter().filter(|b| *b != a) {
            found.add(Lemma::LnMonotone(a.clone(), b.clone()));
        }
    }
    found.powers(&logarithms);
    found.lemmas.truncate(MAX_ANALYTIC);
    if let Some(fact) = denied {
        found.products(fact);
    }
    found.lemmas
}

/// The most pairs of products of exponentials that are compared.
const MAX_PAIRS: usize = 40;
/// The most exponentials of a product.
const MAX_EXPONENTIALS: u32 = 6;

/// The exponents of a product of exponentials.
type Product = Vec<Expr>;

fn sum(product: &Product) -> Expr {
    product.iter().cloned().reduce(|a, b| a + b).unwrap_or(Expr::int(0))
}

/// Collects, of every comparison in a fact, the products of exponentials that count for it and against it.
fn exponential_products(fact: &Fact, see: &mut dyn FnMut(&[Vec<Product>; 2])) {
    match fact {
        Fact::Any(parts) | Fact::All(parts) => parts.iter().for_each(|part| exponential_products(part, see)),
        Fact::Positive(poly) | Fact::NonNegative(poly) => {
            let mut sides = [Vec::new(), Vec::new()];
            let mut all = 0;
            let mut common = None;
            for (monomial, coefficient) in poly.terms() {
                let (mut exponents, mut factors) = (Vec::new(), Vec::new());
                for (atom, power) in monomial.powers() {
                    match atom {
                        Expr::Unary(Unary::Exp, a) if power > 0 => {
                            exponents
                                .extend(std::iter::repeat_n((**a).clone(), power.unsigned_abs() as usize));
                        }
                        Expr::Var(Variable::Plain(_)) => factors.push((atom.clone(), power)),
                        _ => return,
                    }
                }
                // Products with something else are compared by the search, but for names that are factors of all.
                if common.get_or_insert_with(|| factors.clone()) != &factors {
                    return;
                }
                if exponents.len() as u32 > MAX_EXPONENTIALS {
                    return;
                }
                all += exponents.len();
                sides[usize::from(*coefficient < Rational::ZERO)].push(exponents);
            }
            if all > 1 {
                see(&sides);
            }
        }
        _ => {}
    }
}

/// Whether an expression is written with a change of sign, in front or of its first factor.
fn is_negated(e: &Expr) -> bool {
    match e {
        Expr::Unary(Unary::Neg, _) => true,
        Expr::Number(n) => *n < Rational::ZERO,
        Expr::Binary(Binary::Mul | Binary::Div, a, _) => is_negated(a),
        _ => false,
    }
}

/// The most exponentials that are compared with those of the other run.
const MAX_TWINS: usize = 4;

/// Lemmas without repetition, up to normal form.
pub(super) struct Suggestions<'a> {
    pub(super) context: &'a Context,
    seen: BTreeSet<Expr>,
    lemmas: Vec<Lemma>,
}

impl Suggestions<'_> {
    pub(super) fn add(&mut self, lemma: Lemma) {
        let Some(formula) = lemma.formula(self.context) else { return };
        if canonical(self.context, &formula).is_ok_and(|key| self.seen.insert(key)) {
            self.lemmas.push(lemma);
        }
    }

    /// That an exponential is positive, and what else its exponent says at once.
    fn exponential(&mut self, a: &Expr) {
        self.add(Lemma::ExpPositive(a.clone()));
        match canonical(self.context, a) {
            Ok(Expr::Number(n)) => self.add(Lemma::ExpValue(n)),
            Ok(Expr::Unary(Unary::Ln, b)) => self.add(Lemma::ExpLn((*b).clone())),
            _ => self.add(Lemma::ExpTangent(a.clone())),
        }
        // e^(−ln(1/b)) is b, since its product with e^(ln(1/b)) is 1.
        if let Ok(Expr::Unary(Unary::Ln, b)) = canonical(self.context, &-a.clone()) {
            self.add(Lemma::ExpLn((*b).clone()));
            self.add(Lemma::ExpSum(a.clone(), -a.clone()));
            self.add(Lemma::ExpValue(Rational::ZERO));
        }
        if of_parameters(self.context.mechanism(), a) {
            self.add(Lemma::ExpMonotone(Expr::int(0), a.clone()));
            // exp(ln(δ)) is δ, however small that is; that it is below 1 says nothing beside it.
            let mut of_logarithm = false;
            visit(a, &mut |part| of_logarithm |= matches!(part, Expr::Unary(Unary::Ln, _)));
            if is_negated(a) && !of_logarithm {
                self.add(Lemma::ExpMonotone(a.clone(), Expr::int(0)));
            }
        }
    }

    /// Exponentials of the two runs, compared with each other by those of parameters.
    fn twins(&mut self, exponents: &BTreeSet<Expr>) {
        let private = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Of(..))).is_some();
        let public: Vec<&Expr> = exponents.iter().filter(|e| !private(e)).take(2).collect();
        let varies = |e: &&Expr| private(e) && !matches!(canonical(self.context, e), Ok(Expr::Number(_)));
        let swapped = |e: &Expr| {
            e.replace(&|v| match v {
                Variable::Of(name, run) => Some(Expr::of(name.clone(), run.other())),
                _ => None,
            })
        };
        let pairs = exponents.iter().filter(varies).map(|a| (a, swapped(a)));
        let twins: Vec<(&Expr, Expr)> =
            pairs.filter(|(a, twin)| twin != *a && exponents.contains(twin)).collect();
        for (a, twin) in twins.iter().take(MAX_TWINS) {
            for c in &public {
                self.add(Lemma::ExpSum((*c).clone(), twin.clone()));
                self.add(Lemma::ExpMonotone((*a).clone(), (*c).clone() + twin.clone()));
            }
        }
        self.probabilities(&twins, &public);
    }

    /// A few exponentials of inputs with their inverses may be probabilities, as those of permute and flip: at most 1, and not less than
    /// their twins times the inverse of an exponential of parameters, of which the tangent says as much as of the exponential itself.
    fn probabilities(&mut self, twins: &[(&Expr, Expr)], public: &[&Expr]) {
        let normal = |e: &Expr| canonical(self.context, e).ok();
        let opposite = |a: &Expr| twins.iter().any(|(b, _)| normal(b) == normal(&-a.clone()));
        if twins.len() > MAX_TWINS || !twins.iter().all(|(a, _)| opposite(a)) {
            return;
        }
        for (a, _) in twins {
            self.add(Lemma::ExpMonotone((*a).clone(), Expr::int(0)));
        }
        for c in public {
            let back = -(*c).clone();
            self.exponential(&back);
            self.add(Lemma::ExpMonotone(back.clone(), Expr::int(0)));
            for (a, twin) in twins {
                self.add(Lemma::ExpSum(back.clone(), twin.clone()));
                self.add(Lemma::ExpMonotone(back.clone() + twin.clone(), (*a).clone()));
            }
        }
    }

    /// Products of exponentials are exponentials of sums, which are compared by their exponents: what is denied is that one sum
    /// of such products is at most another.
    fn products(&mut self, denied: &Fact) {
        let (mut all, mut pairs): (Vec<Product>, Vec<(Expr, Expr)>) = (Vec::new(), Vec::new());
        exponential_products(denied, &mut |[larger, smaller]| {
            all.extend(larger.iter().chain(smaller).cloned());
            pairs.extend(larger.iter().flat_map(|a| smaller.iter().map(|b| (sum(a), sum(b)))));
        });
        pairs.retain(|(a, b)| a != b);
        pairs.dedup();
        if pairs.len() > MAX_PAIRS {
            return;
        }
        for product in &all {
            let mut exponents = product.iter().cloned();
            let Some(mut so_far) = exponents.next() else { continue };
            for next in exponents {
                self.add(Lemma::ExpSum(so_far.clone(), next.clone()));
                so_far = so_far + next;
            }
        }
        for (a, b) in pairs {
            self.add(Lemma::ExpMonotone(a, b));
        }
    }
}

/// Whether a lemma is worth a case distinction on its premises: not where only parameters decide them.
pub(crate) fn may_split(context: &Context, lemma: &Lemma) -> bool {
    // Of a logarithm of a larger or smaller of two numbers, which it is decides.
    let by_cases = matches!(lemma, Lemma::LnMonotone(a, _) if has_choice(a));
    if !by_cases && matches!(lemma, Lemma::LnMonotone(..) | Lemma::LnQuotient(..)) {
        return false;
    }
    // Whether two products are equal is a question that leads nowhere.
    if let Lemma::SameBinary(_, (a, b), _) = lemma
        && is_of_products(context, &(a.clone() - b.clone()))
    {
        return false;
    }
    // That a root is positive is no linear consequence of what its square is.
    if let Lemma::Inverse(e) | Lemma::InversePositive(e) = lemma
        && has_root(e)
    {
        return true;
    }
    let params = &context.mechanism().params;
    let mut public = true;
    if let Some(formula) = lemma.formula(context) {
        formula.for_each_variable(&mut |v| {
            public &= matches!(v, Variable::Plain(name) if params.iter().any(|p| p.name == *name));
        });
    }
    !public
}

fn has_root(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |part| found |= matches!(part, Expr::Unary(Unary::Sqrt, _)));
    found
}

fn has_choice(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |part| {
        found |= matches!(
            part,
            Expr::If(..)
                | Expr::Clamp(..)
                | Expr::Unary(Unary::Abs, _)
                | Expr::Binary(Binary::Min | Binary::Max, ..)
        )
    });
    found
}

/// The most ways in which the choices of one exponent are made.
pub(super) const MAX_CHOICES: usize = 4;
/// The same of one logarithm, as those of ratios of coins.
const MAX_LOGARITHM_CHOICES: usize = 9;

/// The expression with its choices made, in all ways; none if there are too many.
pub(super) fn choices_made(e: &Expr, most: usize) -> Vec<Expr> {
    let mut open = vec![e.clone()];
    let mut made = Vec::new();
    while let Some(next) = open.pop() {
        match one_choice(&next) {
            None => made.push(next),
            Some(ways) => open.extend(ways),
        }
        if open.len() + made.len() > most {
            return vec![];
        }
    }
    made
}

/// The ways in which one choice of an expression is made; `None` if it has none.
fn one_choice(e: &Expr) -> Option<Vec<Expr>> {
    let all = |parts: [&Expr; 2]| Some(parts.map(Expr::clone).to_vec());
    let within = |a: &Expr, with: &dyn Fn(Expr) -> Expr| -> Option<Vec<Expr>> {
        Some(one_choice(a)?.into_iter().map(with).collect())
    };
    match e {
        Expr::Binary(Binary::Min | Binary::Max, a, b) => all([a, b]),
        Expr::If(_, a, b) => all([a, b]),
        Expr::Clamp(a, low, high) => Some(vec![(**a).clone(), (**low).clone(), (**high).clone()]),
        Expr::Unary(Unary::Abs, a) => Some(vec![(**a).clone(), -(**a).clone()]),
        Expr::Unary(op, a) => within(a, &|a| Expr::Unary(*op, a.into())),
        Expr::Binary(op, a, b) => within(a, &|a| Expr::Binary(*op, a.into(), b.clone()))
            .or_else(|| within(b, &|b| Expr::Binary(*op, a.clone(), b.into()))),
        _ => None,
    }
}

fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Number(_)
        | Expr::Bool(_)
        | Expr::Var(_)
        | Expr::Length(_)
        | Expr::EmptyList
        | Expr::Sum(..) => {}
        Expr::Apart(_, low, high) => {
            visit(low, see);
            visit(high, see);
        }
        Expr::Unary(_, a) | Expr::Index(_, a) => visit(a, see),
        Expr::Binary(_, a, b) => {
            visit(a, see);
            visit(b, see);
        }
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => {
            visit(a, see);
            visit(b, see);
            visit(c, see);
        }
    }
}
