//! Evidence that was found for one side condition, tried on the next: the statements of a long text are often alike, up to
//! the entries and sums that they read, and so are the loops of a text, up to names and numbers.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::lemma::Lemma;

use crate::effort::Effort;
use crate::evidence::posed::Posed;
use crate::evidence::retrace::retraced;

/// How many pieces of evidence are tried for a question of a form that is new.
const RECENT: usize = 2;

/// What may be done along one way, as a part of the effort of the search: beyond it, a new search is better.
const MOST_STEPS: u64 = 300_000;
/// The same where the way is that of a question which is not quite alike.
const FEW_STEPS: u64 = 30_000;

/// What was found, by the form of the question.
#[derive(Default)]
pub(crate) struct Known {
    forms: BTreeMap<u64, Rc<Answered>>,
    /// The same by forms that do not tell the runs apart: the questions of one order of two tables are those of the other with the runs
    /// exchanged.
    loose: BTreeMap<u64, Rc<Answered>>,
    /// The same by what is asked, whatever the numbers and sums are that it is asked about.
    shapes: BTreeMap<u64, Rc<Answered>>,
}

/// A question that was answered.
struct Answered {
    /// Its names, in the order in which they stand in it.
    names: Vec<Name>,
    /// The lemmas that it suggested.
    lemmas: Vec<Lemma>,
    evidence: Evidence,
}

impl Known {
    /// Keeps what was found for a question.
    pub(crate) fn keep(&mut self, posed: &Posed<'_>, form: Form, evidence: &Evidence) {
        let Form { exact, loose, shape, names } = form;
        let lemmas = posed.common.clone();
        let answered = Rc::new(Answered { names, lemmas, evidence: evidence.clone() });
        self.forms.insert(exact, answered.clone());
        self.loose.insert(loose, answered.clone());
        self.shapes.insert(shape, answered);
    }

    /// Evidence that was found before, with the names and lemmas of this question in the place of its own, that the kernel accepts: that
    /// of the last question of this form, as it is or with other numbers, or the last pieces of all.
    pub(crate) fn again<'e>(
        &self,
        posed: &Posed<'_>,
        form: &Form,
        found: impl DoubleEndedIterator<Item = &'e Evidence>,
        effort: &mut Effort,
    ) -> Option<Evidence> {
        let renewed =
            |answered: &Rc<Answered>| Renewal::new(answered, &form.names, posed).evidence(&answered.evidence);
        if let Some(renewed) = self.forms.get(&form.exact).and_then(renewed) {
            if posed.facts.refute(&renewed).is_ok() {
                return Some(renewed);
            }
            if let Some(retraced) = retraced(&posed.facts, &renewed, MOST_STEPS, effort) {
                return Some(retraced);
            }
        }
        let along = |answered: Option<&Rc<Answered>>, most: u64, effort: &mut Effort| {
            retraced(&posed.facts, &renewed(answered?)?, most, effort)
        };
        along(self.loose.get(&form.loose), MOST_STEPS, effort)
            .or_else(|| along(self.shapes.get(&form.shape), FEW_STEPS, effort))
            .or_else(|| among(posed, found.rev().take(RECENT)))
    }
}

/// What is left of a question without names and numbers. Questions of one form that differ cost a try.
pub(crate) struct Form {
    exact: u64,
    /// The same with both runs taken for one.
    loose: u64,
    /// What is left without sums, names, numbers and what is computed from them: comparisons, choices and how they are joined.
    shape: u64,
    /// Its names, in the order in which they stand in it.
    names: Vec<Name>,
}

impl Form {
    pub(crate) fn of(posed: &Posed<'_>) -> Form {
        let (mut exact, mut loose, mut shape) =
            (DefaultHasher::new(), DefaultHasher::new(), DefaultHasher::new());
        let mut names = Vec::new();
        for formula in posed.own_formulas() {
            shape_of(formula, &mut shape);
            let mut left = vec![formula];
            while let Some(e) = left.pop() {
                discriminant(e).hash(&mut loose);
                match e {
                    Expr::Unary(operation, _) => discriminant(operation).hash(&mut loose),
                    Expr::Binary(operation, ..) => discriminant(operation).hash(&mut loose),
                    Expr::Var(variable) | Expr::Sum(variable, ..) => {
                        discriminant(variable).hash(&mut loose);
                        matches!(variable, Variable::Of(_, Run::First)).hash(&mut exact);
                        if let Variable::Plain(name) | Variable::Of(name, _) = variable {
                            names.push(name.clone());
                        }
                    }
                    _ => {}
                }
                left.extend(e.parts().into_iter().flatten());
            }
        }
        let loose = loose.finish();
        loose.hash(&mut exact);
        Form { exact: exact.finish(), loose, shape: shape.finish(), names }
    }
}

/// Comparisons, choices and how they are joined. Of a sum matters whether it counts: what is counted is 1, and has no cases.
fn shape_of(e: &Expr, shape: &mut DefaultHasher) {
    match e {
        Expr::Sum(_, _, value) => matches!(**value, Expr::Number(_)).hash(shape),
        Expr::Binary(operation, ..) if !is_arithmetic(*operation) => discriminant(operation).hash(shape),
        Expr::Unary(Unary::Not | Unary::Abs, _) | Expr::If(..) | Expr::Clamp(..) => {
            discriminant(e).hash(shape)
        }
        _ => {}
    }
    if !matches!(e, Expr::Sum(..)) {
        e.parts().into_iter().flatten().for_each(|part| shape_of(part, shape));
    }
}

fn is_arithmetic(operation: Binary) -> bool {
    matches!(operation, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div)
}

/// What stands now in the place of what stood in a question of the same form.
struct Renewal<'a> {
    before: &'a [Lemma],
    now: &'a [Lemma],
    /// The facts on parameters, by their numbers before and now.
    facts: BTreeMap<usize, usize>,
}

impl<'a> Renewal<'a> {
    fn new(answered: &'a Answered, names: &[Name], posed: &'a Posed<'_>) -> Renewal<'a> {
        let renamed: BTreeMap<&Name, &Name> =
            answered.names.iter().zip(names).filter(|(before, now)| before != now).collect();
        if renamed.is_empty() {
            return Renewal { before: &answered.lemmas, now: &posed.common, facts: BTreeMap::new() };
        }
        let known: Vec<&Expr> = posed.context.facts().iter().collect();
        let speaks = |fact: &Expr| {
            fact.find_variable(&|v| matches!(v, Variable::Plain(name) if renamed.contains_key(name)))
                .is_some()
        };
        let moved = |fact: &Expr| {
            let other = fact.replace(&|v| match v {
                Variable::Plain(name) => renamed.get(name).map(|now| Expr::var((*now).clone())),
                _ => None,
            });
            known.iter().position(|now| **now == other)
        };
        let facts = known.iter().enumerate().filter(|(_, fact)| speaks(fact));
        let facts = facts.filter_map(|(place, fact)| Some((place, moved(fact)?)));
        Renewal { before: &answered.lemmas, now: &posed.common, facts: facts.collect() }
    }

    fn fact(&self, number: usize) -> usize {
        self.facts.get(&number).copied().unwrap_or(number)
    }

    fn evidence(&self, evidence: &Evidence) -> Option<Evidence> {
        Some(match evidence {
            Evidence::Cite(lemma, rest) => {
                let lemma = match self.before.iter().position(|known| known == lemma) {
                    Some(place) => self.now.get(place)?,
                    None => lemma,
                };
                Evidence::Cite(lemma.clone(), Box::new(self.evidence(rest)?))
            }
            Evidence::Cases(fact, cases) => {
                let cases = cases.iter().map(|case| self.evidence(case)).collect::<Option<_>>()?;
                Evidence::Cases(self.fact(*fact), cases)
            }
            Evidence::Combination { products, equations } => {
                let product = |product: &Product| Product {
                    facts: product.facts.iter().map(|fact| self.fact(*fact)).collect(),
                    ..product.clone()
                };
                let equation = |(fact, by): &(usize, Expr)| (self.fact(*fact), by.clone());
                Evidence::Combination {
                    products: products.iter().map(product).collect(),
                    equations: equations.iter().map(equation).collect(),
                }
            }
            other => other.clone(),
        })
    }
}

/// Evidence among the given, with the lemmas of this question in the place of its own, that the kernel accepts.
fn among<'e>(posed: &Posed<'_>, known: impl Iterator<Item = &'e Evidence>) -> Option<Evidence> {
    let mut tried: Vec<Evidence> = Vec::new();
    for evidence in known {
        let mut left: VecDeque<&Lemma> = posed.common.iter().filter(|lemma| is_indexed(lemma)).collect();
        let Some(renewed) = renewed(evidence, &mut left) else { continue };
        if tried.contains(&renewed) {
            continue;
        }
        if posed.facts.refute(&renewed).is_ok() {
            return Some(renewed);
        }
        tried.push(renewed);
    }
    None
}

/// Whether a lemma is about an entry or a sum, which the next statement has another of.
fn is_indexed(lemma: &Lemma) -> bool {
    matches!(lemma, Lemma::Adjacent(..) | Lemma::Rows(..))
}

/// The evidence with its lemmas on entries and sums replaced, in order; `None` if there are too few.
fn renewed(evidence: &Evidence, left: &mut VecDeque<&Lemma>) -> Option<Evidence> {
    Some(match evidence {
        Evidence::Cite(lemma, rest) => {
            let lemma = if is_indexed(lemma) { left.pop_front()? } else { lemma };
            Evidence::Cite(lemma.clone(), Box::new(renewed(rest, left)?))
        }
        other => other.clone(),
    })
}
