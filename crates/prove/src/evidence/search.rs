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

use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts, Product};
use probity_kernel::expr::{Binary, Expr, Unary};
use probity_kernel::fact::{Fact, poly};
use probity_kernel::lemma::Lemma;
use probity_kernel::poly::Poly;
use probity_kernel::rejection::Rejection;

use crate::effort::Effort;
use crate::evidence::choices::Known;
use crate::evidence::lemmas::{analytic_lemmas, may_split};
use crate::evidence::linear::divided::{divided_rows, multiplies_a_run};
use crate::evidence::linear::pairs::pair_contradiction;
use crate::evidence::linear::reduced::reduced_rows;
use crate::evidence::linear::rows::{
    Outcome, Reach, Row, ask, atoms, base_rows, contradiction, difference_rows, is_public, lifted_rows,
    product_rows, row_degree, scaled_rows, swapped_rows, twice_scaled_rows, without_lonely,
};
use crate::evidence::norms::{norms, shown_alone};
use crate::evidence::posed::Posed;
use crate::evidence::prices::prices;
use crate::evidence::shapes::{largest_comparison, literals_from};
use crate::evidence::squares::{square, squared};

/// Nodes after which the search for one part of a goal gives up. A goal of many parts, as a long invariant is, may take so many for each.
const MAX_NODES: usize = 3_000;
/// The most lemmas whose premises become cases of the search.
const MAX_UNSURE: usize = 12;
/// How often lemmas are tried whose premises could not be shown yet.
const PREMISE_ROUNDS: usize = 5;
/// The most floors of which it is asked how far apart they are, and the farthest that is tried.
const MOST_FLOORS: usize = 4;
const MOST_STEPS_APART: i64 = 2;
/// All steps from few products to many.
const ALL_STEPS: usize = 3;
/// So many disjunctions are split before multiples of the facts are looked at.
const FEW_CHOICES: usize = 3;
/// What it takes to look at a fact once more.
const FACT_STEPS: usize = 20;
/// What it takes to look at a part of a choice once more.
const PART_STEPS: usize = 4;
/// What the search for one side condition may do before it gives up, in cells of simplex tableaus.
const MAX_CELLS: u64 = 20_000_000;

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
    search_within(context, hypotheses, goal, &mut Effort::of(MAX_CELLS))
}

/// The same with a limit on the effort, which it uses up.
pub(crate) fn search_within(
    context: &Context,
    hypotheses: &[&Expr],
    goal: &Expr,
    effort: &mut Effort,
) -> Result<Evidence, Stuck> {
    search_posed(&Posed::new(context, hypotheses, goal, effort)?, effort)
}

/// The same for a question that has been put.
pub(crate) fn search_posed(posed: &Posed<'_>, effort: &mut Effort) -> Result<Evidence, Stuck> {
    match search_known(posed, &[], effort) {
        // Squares are one more fact to multiply with, which most questions do not need.
        Err(Stuck::Open { path }) => {
            let with =
                posed.common.iter().try_fold(posed.facts.clone(), |facts, lemma| facts.with_lemma(lemma))?;
            match squared(&with).as_slice() {
                [] => Err(Stuck::Open { path }),
                squares => search_known(posed, squares, effort),
            }
        }
        answer => answer,
    }
}

/// The same, where the squares of some numbers are said not to be negative.
fn search_known(posed: &Posed<'_>, squares: &[Expr], effort: &mut Effort) -> Result<Evidence, Stuck> {
    let Posed { context, goal, facts, common, .. } = posed;
    let analytic = analytic_lemmas(context, posed.formulas(), facts.list().last());
    // Every choice is unfolded by writing the comparison out again.
    let size = literals_from(facts, 0);
    effort.spend(size.saturating_mul(largest_comparison(goal))).ok_or(Stuck::TooLong)?;
    let denied = facts.list().len().saturating_sub(1);
    let norms = norms(context, posed.formulas());
    let again = !analytic.is_empty() || !norms.is_empty();
    let mut search = Search { nodes: 0, known: 0, effort, hopeless: BTreeSet::new(), again };
    let (facts, mut cited) = search.cite(facts.clone(), common)?;
    let (facts, cuts) = floors_apart(facts, common, search.effort);
    cited.extend(cuts);
    let (facts, cuts) = with_shown(facts, squares, square);
    cited.extend(cuts);
    let mut parts = Parts { found: BTreeMap::new(), path: Vec::new(), moved: None, again };
    match search.conquer(&facts, denied, &mut parts) {
        Ok(evidence) => return Ok(wrapped(evidence, cited)),
        Err(Stuck::Open { .. }) if again => {}
        Err(stuck) => return Err(stuck),
    }
    let mut said = norms;
    said.extend(prices(context, posed.formulas()));
    // Lemmas on ln, exp and quotients are many, so they are used only for the parts where nothing else does. That two remainders of
    // products are equal asks whether the products are, which most questions with exponentials can do without.
    let (late, early): (Vec<Lemma>, Vec<Lemma>) =
        analytic.into_iter().partition(|lemma| matches!(lemma, Lemma::SameBinary(Binary::Mod, ..)));
    let all: Vec<Lemma> = early.iter().chain(&late).cloned().collect();
    if !late.is_empty()
        && !early.is_empty()
        && let Ok(evidence) = search.with_lemmas(&facts, denied, (&early, &said), &parts)
    {
        return Ok(wrapped(evidence, cited));
    }
    let evidence = search.with_lemmas(&facts, denied, (&all, &said), &parts)?;
    Ok(wrapped(evidence, cited))
}

/// What is known of the parts of a goal.
struct Parts {
    /// The evidence that a first pass found, by which of its parts each part of the goal is. A part may be passed over by one
    /// pass and not by the other, so that counting them would not do.
    found: BTreeMap<Vec<usize>, Evidence>,
    /// The part that is looked at.
    path: Vec<usize>,
    /// Whether there will be a second pass.
    again: bool,
    /// On a second pass: where facts were inserted since, and how many.
    moved: Option<(usize, usize)>,
}

/// A lemma or a cut among the facts: its first fact, and how many facts it brought.
struct Cited<'l> {
    source: Source<'l>,
    start: usize,
    count: usize,
}

/// Where facts come from.
enum Source<'l> {
    /// A lemma, with evidence for its premises if they were shown at once.
    Lemma(&'l Lemma, Option<Vec<Evidence>>),
    /// A formula, with evidence for it.
    Cut(Box<(Expr, Evidence)>),
}

/// The evidence under the lemmas that it uses; one that was not needed is not cited.
fn wrapped(mut evidence: Evidence, cited: Vec<Cited<'_>>) -> Evidence {
    for Cited { source, start, count } in cited.into_iter().rev() {
        if let Some(shorter) = without(&evidence, start, count) {
            evidence = shorter;
            continue;
        }
        evidence = match source {
            Source::Lemma(lemma, None) => Evidence::Cite(lemma.clone(), Box::new(evidence)),
            Source::Lemma(lemma, Some(mut branches)) => {
                branches.push(evidence);
                Evidence::Cite(lemma.clone(), Box::new(Evidence::Cases(start, branches)))
            }
            Source::Cut(cut) => {
                let (formula, shown) = *cut;
                Evidence::Cut(formula, Box::new(evidence), Box::new(shown))
            }
        };
    }
    evidence
}

/// A lemma whose premises hold by what is known of the parameters: evidence for that, and the facts with its
/// conclusion. A lemma without premises needs no evidence.
fn discharged<'a>(
    facts: &Facts<'a>,
    number: usize,
    effort: &mut Effort,
) -> Option<(Option<Vec<Evidence>>, Facts<'a>)> {
    match facts.list().get(number).map(|fact| &**fact) {
        Some(Fact::Any(_)) => {
            // The conclusion is the last part; before it stand the negated premises.
            let mut cases = facts.cases(number).ok()?;
            let conclusion = cases.pop()?;
            let premises: Option<Vec<Evidence>> =
                cases.iter().map(|case| refute_shallow(case, ALL_STEPS, effort)).collect();
            Some((Some(premises?), conclusion))
        }
        _ => Some((None, facts.clone())),
    }
}

/// The facts with that a root is positive, where the lemma says what its square is and that is positive.
fn positive_root<'f, 'l>(
    facts: &Facts<'f>,
    lemma: &Lemma,
    effort: &mut Effort,
) -> Option<(Facts<'f>, Cited<'l>)> {
    let Lemma::Sqrt(inside) = lemma else { return None };
    let formula = Expr::int(0).lt(inside.clone().sqrt());
    let shown = refute_shallow(&facts.with(&formula, false).ok()?, ALL_STEPS, effort)?;
    let start = facts.list().len();
    let more = facts.with(&formula, true).ok()?;
    let count = more.list().len() - start;
    Some((more, Cited { source: Source::Cut(Box::new((formula, shown))), start, count }))
}

/// The facts with how far apart floors are at most, in whole numbers: what is multiplied with them says less.
fn floors_apart<'f, 'l>(
    facts: Facts<'f>,
    lemmas: &[Lemma],
    effort: &mut Effort,
) -> (Facts<'f>, Vec<Cited<'l>>) {
    let floors = lemmas.iter().filter_map(|lemma| match lemma {
        Lemma::Floor(a) => Some(a),
        _ => None,
    });
    let floors: Vec<&Expr> = floors.take(MOST_FLOORS).collect();
    let pairs = floors.iter().flat_map(|a| floors.iter().map(move |b| (*a, *b))).filter(|(a, b)| a != b);
    with_shown(facts, pairs, |facts, (a, b)| {
        (0..=MOST_STEPS_APART).find_map(|steps| {
            let formula = a.clone().floor().le(b.clone().floor() + Expr::int(steps));
            let denied = facts.with(&formula, false).ok()?;
            let base = base_rows(denied.list());
            let scaled =
                || base.iter().cloned().chain(scaled_rows(denied.context(), &base)).collect::<Vec<_>>();
            let shown = contradiction(&base, effort).or_else(|| contradiction(&scaled(), effort))?;
            Some((formula, shown))
        })
    })
}

/// The facts with what is shown of each of some things.
fn with_shown<'f, 'l, About>(
    mut facts: Facts<'f>,
    all: impl IntoIterator<Item = About>,
    mut show: impl FnMut(&Facts<'f>, About) -> Option<(Expr, Evidence)>,
) -> (Facts<'f>, Vec<Cited<'l>>) {
    let mut cuts = Vec::new();
    for one in all {
        if let Some((formula, shown)) = show(&facts, one)
            && let Ok(more) = facts.with(&formula, true)
        {
            let start = facts.list().len();
            let count = more.list().len() - start;
            facts = more;
            cuts.push(Cited { source: Source::Cut(Box::new((formula, shown))), start, count });
        }
    }
    (facts, cuts)
}

/// A contradiction that needs no cases, among the facts on parameters and what the last fact mentions.
fn refute_shallow(facts: &Facts<'_>, steps: usize, effort: &mut Effort) -> Option<Evidence> {
    if let Some(evidence) = plain_contradiction(facts.list()) {
        return Some(evidence);
    }
    let context = facts.context();
    let base = base_rows(facts.list());
    let last = newest(&base)?;
    let near = near_rows(context, &base, last);
    let is_near = |row: &Row<'_>| near.iter().any(|known| known.facts == row.facts);
    let public = base.iter().filter(|row| is_public(context, row) || is_near(row));
    let public: Vec<Row<'_>> = public.cloned().collect();
    let scaled: Vec<Row<'_>> = public.iter().cloned().chain(scaled_rows(context, &public)).collect();
    // What a root is says its square.
    let highest = if roots(last).next().is_some() { row_degree(last).max(2) } else { row_degree(last) };
    contradiction(&public, effort)
        .or_else(|| contradiction(&scaled, effort))
        .or_else(|| refute_by_products(context, &near, (highest, steps), effort))
}

/// What stands under the roots that a row mentions.
fn roots<'r>(row: &'r Row<'_>) -> impl Iterator<Item = &'r Expr> {
    atoms(row).filter_map(|atom| match atom {
        Expr::Unary(Unary::Sqrt, inside) => Some(&**inside),
        _ => None,
    })
}

/// The facts on nothing but parameters and what a row mentions, with what stands under its roots.
fn near_rows<'r>(context: &Context, base: &[Row<'r>], center: &Row<'_>) -> Vec<Row<'r>> {
    let inside: Vec<Poly> = roots(center).filter_map(|inside| poly(context, inside).ok()).collect();
    let inside = inside.iter().flat_map(|p| p.terms()).flat_map(|(m, _)| m.powers().map(|(atom, _)| atom));
    let wanted: BTreeSet<&Expr> = atoms(center).chain(inside).collect();
    let params = &context.mechanism().params;
    let is_parameter = |atom: &Expr| params.iter().any(|p| *atom == Expr::var(p.name.clone()));
    let near = |row: &&Row<'_>| atoms(row).all(|atom| is_parameter(atom) || wanted.contains(atom));
    base.iter().filter(near).cloned().collect()
}

fn newest<'b, 'r>(base: &'b [Row<'r>]) -> Option<&'b Row<'r>> {
    base.iter().max_by_key(|row| row.facts.first())
}

/// A contradiction of products of the facts, up to a degree, in some of the steps from few products to many.
fn refute_by_products(
    context: &Context,
    base: &[Row<'_>],
    (highest, steps): (u32, usize),
    effort: &mut Effort,
) -> Option<Evidence> {
    let mut steps = Reach::steps(highest).into_iter().take(steps);
    steps.find_map(|reach| contradiction(&product_rows(context, base, reach), effort))
}

/// A contradiction of the facts and of equations between products, as those of roots and quotients.
fn refute_reduced(context: &Context, base: &[Row<'_>], effort: &mut Effort) -> Option<Evidence> {
    let reduced = reduced_rows(base);
    if reduced.is_empty() {
        return None;
    }
    let more: Vec<Row<'_>> = base.iter().cloned().chain(reduced).collect();
    let scaled = scaled_rows(context, &more);
    let all: Vec<Row<'_>> = more.into_iter().chain(scaled).collect();
    contradiction(&without_lonely(all), effort)
}

struct Search<'e> {
    nodes: usize,
    effort: &'e mut Effort,
    /// How many facts there were before the first case split.
    known: usize,
    /// Facts about parameters that were tried in vain; to try them again on every path would take long.
    hopeless: BTreeSet<Poly>,
    /// Whether there will be a second pass, with lemmas.
    again: bool,
}

impl Search<'_> {
    /// The facts with lemmas whose premises may become cases.
    fn cite<'f, 'l>(
        &self,
        mut facts: Facts<'f>,
        lemmas: impl IntoIterator<Item = &'l Lemma>,
    ) -> Result<(Facts<'f>, Vec<Cited<'l>>), Stuck> {
        let mut cited = Vec::new();
        for lemma in lemmas {
            let start = facts.list().len();
            facts = facts.with_lemma(lemma)?;
            let count = facts.list().len() - start;
            cited.push(Cited { source: Source::Lemma(lemma, None), start, count });
        }
        Ok((facts, cited))
    }

    /// The facts with the analytic lemmas: those whose premises hold without more ado, and a few others.
    fn cite_analytic<'f, 'l>(
        &mut self,
        mut facts: Facts<'f>,
        lemmas: &'l [Lemma],
    ) -> Result<(Facts<'f>, Vec<Cited<'l>>), Stuck> {
        let mut cited = Vec::new();
        let mut unsure: Vec<&Lemma> = lemmas.iter().collect();
        // One conclusion may be the premise of another.
        for _ in 0..PREMISE_ROUNDS {
            let before = unsure.len();
            for lemma in std::mem::take(&mut unsure) {
                let start = facts.list().len();
                let with = facts.with_lemma(lemma)?;
                match discharged(&with, start, self.effort) {
                    Some((premises, more)) => {
                        facts = more;
                        let count = facts.list().len() - start;
                        cited.push(Cited { source: Source::Lemma(lemma, premises), start, count });
                        if let Some((more, cut)) = positive_root(&facts, lemma, self.effort) {
                            facts = more;
                            cited.push(cut);
                        }
                    }
                    None => unsure.push(lemma),
                }
            }
            if unsure.len() == before {
                break;
            }
        }
        let context = facts.context();
        let unsure = unsure.into_iter().filter(|lemma| may_split(context, lemma)).take(MAX_UNSURE);
        let (facts, more) = self.cite(facts, unsure)?;
        cited.extend(more);
        Ok((facts, cited))
    }

    /// The parts of the goal for which nothing was found yet, with further lemmas.
    fn with_lemmas(
        &mut self,
        facts: &Facts<'_>,
        denied: usize,
        (lemmas, said): (&[Lemma], &[Expr]),
        known: &Parts,
    ) -> Result<Evidence, Stuck> {
        let start = facts.list().len();
        self.again = false;
        let (facts, mut more) = self.cite_analytic(facts.clone(), lemmas)?;
        let (facts, cuts) =
            with_shown(facts, said, |facts, formula| shown_alone(facts, formula, self.effort));
        more.extend(cuts);
        let moved = Some((start, facts.list().len() - start));
        let mut parts = Parts { found: known.found.clone(), path: Vec::new(), moved, again: false };
        let evidence = self.conquer(&facts, denied, &mut parts)?;
        Ok(wrapped(evidence, more))
    }

    /// Shows the parts of the goal one by one: `denied` is the fact that one of them fails. A first pass goes on
    /// after a part for which nothing is found, so that a second one has only those to do.
    fn conquer(&mut self, facts: &Facts<'_>, denied: usize, parts: &mut Parts) -> Result<Evidence, Stuck> {
        let fact = facts.list().get(denied).map(|fact| &**fact);
        if !matches!(fact, Some(Fact::Any(parts)) if parts.len() > 1) {
            return self.show(facts, parts);
        }
        let start = facts.list().len();
        let mut branches = Vec::new();
        let mut open = None;
        for (place, case) in facts.cases(denied)?.iter().enumerate() {
            parts.path.push(place);
            let answer = self.conquer(case, case.list().len().saturating_sub(1), parts);
            parts.path.pop();
            match answer {
                Ok(evidence) => {
                    if let Some(shorter) = without(&evidence, start, case.list().len() - start) {
                        return Ok(shorter);
                    }
                    branches.push(evidence);
                }
                Err(Stuck::Open { path }) if parts.again => {
                    open.get_or_insert(Stuck::Open { path });
                }
                Err(stuck) => return Err(stuck),
            }
        }
        match open {
            None => Ok(Evidence::Cases(denied, branches)),
            Some(stuck) => Err(stuck),
        }
    }

    /// A contradiction of the facts.
    fn show(&mut self, facts: &Facts<'_>, parts: &mut Parts) -> Result<Evidence, Stuck> {
        self.known = facts.list().len();
        self.nodes = 0;
        let Some((at, count)) = parts.moved else {
            let answer = self.refute(facts, literals_from(facts, 0));
            if let Ok(evidence) = &answer {
                parts.found.insert(parts.path.clone(), evidence.clone());
            }
            return answer;
        };
        match parts.found.get(&parts.path) {
            Some(evidence) => moved(evidence, at, 0, count).ok_or(Stuck::TooLong),
            None => self.refute(facts, literals_from(facts, 0)),
        }
    }

    /// A contradiction of facts that are made of so many comparisons.
    fn refute(&mut self, facts: &Facts<'_>, size: usize) -> Result<Evidence, Stuck> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Stuck::TooLong);
        }
        // Most facts are small; where choices are nested deeply, walking them is what takes time.
        self.effort.spend((facts.list().len() * FACT_STEPS).max(size * PART_STEPS)).ok_or(Stuck::TooLong)?;
        let plain = plain_contradiction(facts.list()).or_else(|| pair_contradiction(facts.list()));
        if let Some(evidence) = plain {
            return Ok(evidence);
        }
        let context = facts.context();
        let base = base_rows(facts.list());
        let all: Vec<Row<'_>>;
        let mut outcome = ask(&base, self.effort).ok_or(Stuck::TooLong)?;
        let known = Known::new(facts.list());
        // With few cases left, looking at them takes less than making multiples, of which most questions need none.
        let linear = newest(&base).is_none_or(|row| row_degree(row) <= 1);
        if let Outcome::Values(values) = &outcome
            && linear
            && let Some(number) = known.violated(values)
            && known.open_choices().count() <= FEW_CHOICES
        {
            return self.split(facts, number, size);
        }
        if matches!(outcome, Outcome::Values(_)) {
            let mut scaled = scaled_rows(context, &base);
            scaled.extend(swapped_rows(&base));
            scaled.extend(lifted_rows(context, &base));
            if !scaled.is_empty() {
                all = base.iter().cloned().chain(scaled).collect();
                outcome = ask(&all, self.effort).ok_or(Stuck::TooLong)?;
            }
        }
        let values = match outcome {
            Outcome::Evidence(evidence) => return Ok(*evidence),
            Outcome::Values(values) => values,
        };
        let violated = known.violated(&values);
        // `a != b` where a == b is over at once, and would only hide behind harder questions.
        if let Some(number) = violated.filter(|&number| known.is_plain_choice(number)) {
            return self.split(facts, number, size);
        }
        // A nonlinear fact about parameters that has just been assumed is refuted by products or not at all.
        let nonlinear = |row: &&Row<'_>| row_degree(row) > 1;
        let recent = |row: &&Row<'_>| row.facts.first() >= Some(&self.known.saturating_sub(1));
        if let Some(row) = newest(&base).filter(recent).filter(nonlinear)
            && is_public(context, row)
            && !self.waits(row)
            && !self.hopeless.contains(&*row.poly)
        {
            let public: Vec<Row<'_>> = base.iter().filter(|row| is_public(context, row)).cloned().collect();
            let found = refute_reduced(context, &public, self.effort)
                .or_else(|| refute_shallow(facts, ALL_STEPS - 1, self.effort));
            match found {
                Some(evidence) => return Ok(evidence),
                None => self.hopeless.insert(row.poly.clone().into_owned()),
            };
        }
        // Values can satisfy a disjunction by luck, where a product would have excluded them, so a disjunction
        // that no value violates is split too before giving up.
        if let Some(number) = violated.or_else(|| known.unsplit()) {
            return self.split(facts, number, size);
        }
        let wider: Vec<Row<'_>> = base.iter().cloned().chain(twice_scaled_rows(context, &base)).collect();
        if let Some(evidence) = contradiction(&without_lonely(wider), self.effort) {
            return Ok(evidence);
        }
        if let Some(evidence) = refute_reduced(context, &base, self.effort) {
            return Ok(evidence);
        }
        let divided = divided_rows(&base);
        if !divided.is_empty() {
            let all: Vec<Row<'_>> = base.iter().cloned().chain(divided).collect();
            let alone = contradiction(&without_lonely(all.clone()), self.effort);
            if let Some(evidence) = alone.or_else(|| refute_reduced(context, &all, self.effort)) {
                return Ok(evidence);
            }
        }
        // Products with the newest fact that has any come first, then all.
        let center = base.iter().filter(|row| row_degree(row) > 1).max_by_key(|row| row.facts.first());
        if let Some(center) = center.filter(|center| !self.waits(center)) {
            let near = near_rows(context, &base, center);
            let highest = base.iter().map(row_degree).max().unwrap_or(0);
            if let Some(evidence) =
                refute_by_products(context, &near, (row_degree(center), ALL_STEPS), self.effort)
                    .or_else(|| refute_by_products(context, &base, (highest, ALL_STEPS), self.effort))
            {
                return Ok(evidence);
            }
        }
        let highest = base.iter().map(row_degree).max().unwrap_or(0);
        if highest > 1 && base.iter().any(multiplies_a_run) {
            let pairs = product_rows(context, &base, Reach::pairs(highest));
            if let Some(evidence) = contradiction(&pairs, self.effort) {
                return Ok(evidence);
            }
        }
        let differences = difference_rows(context, &base);
        if !differences.is_empty()
            && let Some(evidence) = contradiction(&without_lonely(differences), self.effort)
        {
            return Ok(evidence);
        }
        let new = &facts.list()[self.known.min(facts.list().len())..];
        Err(Stuck::Open { path: new.iter().map(|fact| show(fact)).collect() })
    }

    /// Whether a row is left to the second pass: products say nothing of roots before a lemma says what their squares are.
    fn waits(&self, row: &Row<'_>) -> bool {
        self.again && roots(row).next().is_some()
    }

    fn split(&mut self, facts: &Facts<'_>, number: usize, size: usize) -> Result<Evidence, Stuck> {
        let start = facts.list().len();
        let mut branches = Vec::new();
        for case in facts.cases(number)? {
            let evidence = self.refute(&case, size + literals_from(&case, start))?;
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
pub(crate) fn plain_contradiction(facts: &[Arc<Fact>]) -> Option<Evidence> {
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

/// The evidence with facts `start..start + count` taken away, unless it cites one of them.
fn without(evidence: &Evidence, start: usize, count: usize) -> Option<Evidence> {
    moved(evidence, start, count, 0)
}

/// The evidence with `gone` facts taken away at a place, unless it cites one of them, and `new` ones put there.
pub(super) fn moved(evidence: &Evidence, start: usize, gone: usize, new: usize) -> Option<Evidence> {
    let renumber = |number: usize| match number {
        n if n < start => Some(n),
        n if n < start + gone => None,
        n => Some(n - gone + new),
    };
    let go = |e: &Evidence| moved(e, start, gone, new);
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
