//! Evidence that was found for one side condition, tried on the next: the statements of a long text are often alike, up to
//! the entries and sums that they read, and so are the loops of a text, up to names and numbers.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::lemma::Lemma;

use crate::evidence::posed::Posed;

/// How many pieces of evidence are tried for a question of a form that is new.
const RECENT: usize = 6;

/// What was found, by the form of the question.
#[derive(Default)]
pub(crate) struct Known {
    forms: BTreeMap<u64, Answered>,
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
    pub(crate) fn keep(&mut self, posed: &Posed<'_>, evidence: &Evidence) {
        let (form, names) = form(posed);
        let answered = Answered { names, lemmas: posed.common.clone(), evidence: evidence.clone() };
        self.forms.insert(form, answered);
    }

    /// Evidence that was found before, with the names and lemmas of this question in the place of its own, that the kernel accepts: that
    /// of the last question of this form, or the last pieces of all.
    pub(crate) fn again<'e>(
        &self,
        posed: &Posed<'_>,
        found: impl DoubleEndedIterator<Item = &'e Evidence>,
    ) -> Option<Evidence> {
        let (form, names) = form(posed);
        let same_form = self.forms.get(&form).and_then(|answered| {
            let renewed = Renewal::new(answered, &names, posed).evidence(&answered.evidence)?;
            posed.facts.refute(&renewed).is_ok().then_some(renewed)
        });
        same_form.or_else(|| among(posed, found.rev().take(RECENT)))
    }
}

/// The form of a question, which is what is left of it without names and numbers, and its names. Questions of one form that differ cost
/// a try.
fn form(posed: &Posed<'_>) -> (u64, Vec<Name>) {
    let mut hasher = DefaultHasher::new();
    let mut names = Vec::new();
    for formula in posed.own_formulas() {
        let mut left = vec![formula];
        while let Some(e) = left.pop() {
            discriminant(e).hash(&mut hasher);
            match e {
                Expr::Unary(operation, _) => discriminant(operation).hash(&mut hasher),
                Expr::Binary(operation, ..) => discriminant(operation).hash(&mut hasher),
                Expr::Var(variable) | Expr::Sum(variable, ..) => {
                    discriminant(variable).hash(&mut hasher);
                    matches!(variable, Variable::Of(_, Run::First)).hash(&mut hasher);
                    if let Variable::Plain(name) | Variable::Of(name, _) = variable {
                        names.push(name.clone());
                    }
                }
                _ => {}
            }
            left.extend(e.parts().into_iter().flatten());
        }
    }
    (hasher.finish(), names)
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
        let known: Vec<&Expr> = posed.context.facts().iter().collect();
        let moved = |fact: &Expr| {
            let other = fact.replace(&|v| match v {
                Variable::Plain(name) => renamed.get(name).map(|now| Expr::var((*now).clone())),
                _ => None,
            });
            known.iter().position(|now| **now == other)
        };
        let facts = known.iter().enumerate().filter_map(|(place, fact)| Some((place, moved(fact)?)));
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
