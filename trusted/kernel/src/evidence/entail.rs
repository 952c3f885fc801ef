//! Entailment with evidence: the one place where the kernel does arithmetic.
//!
//! To show that hypotheses entail a goal, the hypotheses and the goal's negation are laid out as numbered
//! facts, and evidence shows that no values satisfy all of them: by cases, by cutting on a formula, by citing
//! lemmas, and at every end by a combination of facts that adds up to a contradiction. Checking evidence takes
//! no search. All variables are universally quantified.
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
//! // Evidence that names a fact that is not there is rejected, whatever it is for.
//! use probity_kernel::entail::{Evidence, check_entailment};
//! let p = Expr::var("p");
//! let nonsense = Evidence::Absurd(7);
//! assert!(check_entailment(&context, &[], &p.clone().lt(p), &nonsense).is_err());
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use probity_exact::Rational;

use crate::context::Context;
use crate::expr::{Expr, Name};
use crate::fact::{Fact, measured_fact, measured_poly, positive_monomial};
use crate::lemma::Lemma;
use crate::memo::Unfolded;
use crate::poly::Poly;
use crate::rejection::Rejection;
use crate::rules::check_size;

/// A product of facts `p ≥ 0` or `p > 0`, of a positive monomial in the parameters and of a coefficient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// A positive number.
    pub coefficient: Rational,
    /// Powers of parameters that the assumptions make positive.
    pub scale: Vec<(Name, i32)>,
    /// The numbers of the facts multiplied.
    pub facts: Vec<usize>,
}

/// Why a list of facts is contradictory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The products (each ≥ 0, and > 0 if all its facts are strict) plus multiples of equations add up to a
    /// constant that is negative, or 0 while a product is strict.
    Combination {
        /// The products.
        products: Vec<Product>,
        /// Equations, each times any number.
        equations: Vec<(usize, Expr)>,
    },
    /// The two facts say that one boolean is true and that it is false.
    Clash(usize, usize),
    /// The fact is `false`.
    Absurd(usize),
    /// The fact is a disjunction, and each part contradicts the rest.
    Cases(usize, Vec<Evidence>),
    /// The facts contradict the formula, and they contradict its negation.
    Cut(Expr, Box<Evidence>, Box<Evidence>),
    /// The lemma joins the facts.
    Cite(Lemma, Box<Evidence>),
}

/// The most parts that one proof may have the kernel unfold and multiply. The proofs of the library stay below a
/// twentieth of it; hostile evidence meets a wall before it has taken a second or the memory of a telephone.
pub(crate) const MAX_WORK: usize = 10_000_000;

/// The most parts that the facts of one question may have at a time: about 250 MB. The library stays below a twentieth of it.
const MAX_HELD: usize = 1_000_000;
/// The most terms that products may add up to.
const MAX_SUM: usize = 20_000;

/// Numbered facts.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    context: &'a Context,
    /// Shared, since every branch of the evidence has most of its facts from the branch above.
    facts: Vec<Arc<Fact>>,
    /// How many parts were unfolded to make the last of them.
    work: usize,
    /// How many parts all of them have.
    held: usize,
}

impl<'a> Facts<'a> {
    /// What the context knows, then the hypotheses, then the negation of the goal.
    pub fn new(context: &'a Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Facts<'a>, Rejection> {
        let known = context.memo.of_context(|| {
            let mut facts = Facts { context, facts: Vec::new(), work: 0, held: 0 };
            for known in context.facts() {
                facts.add(known, true)?;
            }
            Ok(Unfolded { parts: facts.facts, work: facts.work, weight: facts.held })
        })?;
        let mut facts = Facts { context, facts: Vec::new(), work: 0, held: 0 };
        facts.hold(&known)?;
        for hypothesis in hypotheses {
            facts.add(hypothesis, true)?;
        }
        facts.add(goal, false)?;
        Ok(facts)
    }

    /// Adds a formula of the context, or its negation. What it says depends on nothing else, so it is unfolded once; what that took is
    /// counted each time.
    fn add(&mut self, formula: &Expr, polarity: bool) -> Result<(), Rejection> {
        let unfolded = self.context.memo.get(formula, polarity, || {
            check_size(formula)?;
            self.context.check_formula(formula)?;
            let (fact, work) = measured_fact(self.context, formula, polarity)?;
            Ok(Unfolded::new(fact, work))
        })?;
        self.hold(&unfolded)
    }

    /// Adds facts. Every branch of the evidence holds what the branch above holds, so this is what bounds memory.
    fn hold(&mut self, unfolded: &Unfolded) -> Result<(), Rejection> {
        self.work = self.work.saturating_add(unfolded.work);
        self.held = self.held.saturating_add(unfolded.weight);
        self.facts.extend(unfolded.parts.iter().cloned());
        if self.held > MAX_HELD { Err(Rejection::TooLarge) } else { Ok(()) }
    }

    /// The facts, by number.
    pub fn list(&self) -> &[Arc<Fact>] {
        &self.facts
    }

    /// The context.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    fn get(&self, number: usize, needed: &'static str) -> Result<&Fact, Rejection> {
        self.facts.get(number).map(|fact| &**fact).ok_or(Rejection::NoSuchFact { number, needed })
    }

    /// One list of facts per part of a disjunction, the part added at the end.
    pub fn cases(&self, number: usize) -> Result<Vec<Facts<'a>>, Rejection> {
        let needed = "a disjunction";
        match self.get(number, needed)? {
            Fact::Any(parts) => parts
                .iter()
                .map(|part| {
                    let mut branch = Facts { work: 0, ..self.clone() };
                    branch.hold(&Unfolded::new(part.clone(), 0))?;
                    Ok(branch)
                })
                .collect(),
            _ => Err(Rejection::NoSuchFact { number, needed }),
        }
    }

    /// The facts with a formula, or its negation, added.
    pub fn with(&self, formula: &Expr, polarity: bool) -> Result<Facts<'a>, Rejection> {
        let mut more = Facts { work: 0, ..self.clone() };
        more.add(formula, polarity)?;
        Ok(more)
    }

    /// The facts with a lemma added.
    pub fn with_lemma(&self, lemma: &Lemma) -> Result<Facts<'a>, Rejection> {
        let formula =
            lemma.formula(self.context).ok_or_else(|| Rejection::NotAFormula { found: lemma.to_string() })?;
        self.with(&formula, true)
    }

    /// Checks that the facts are contradictory.
    pub fn refute(&self, evidence: &Evidence) -> Result<Checked, Rejection> {
        let mut checked = Checked::default();
        self.check(evidence, &mut checked)?;
        Ok(checked)
    }

    /// The same; notes the lemmas used and the work done.
    fn check(&self, evidence: &Evidence, checked: &mut Checked) -> Result<(), Rejection> {
        checked.charge(self.facts.len().max(self.work))?;
        match evidence {
            Evidence::Absurd(number) => match self.get(*number, "false")? {
                Fact::Any(parts) if parts.is_empty() => Ok(()),
                _ => Err(Rejection::NoSuchFact { number: *number, needed: "false" }),
            },
            Evidence::Clash(yes, no) => match (self.get(*yes, "a boolean")?, self.get(*no, "a boolean")?) {
                (Fact::Holds(a, true), Fact::Holds(b, false)) if a == b => Ok(()),
                _ => Err(Rejection::NoSuchFact { number: *no, needed: "the negation of the other" }),
            },
            Evidence::Cases(number, branches) => {
                let cases = self.cases(*number)?;
                if cases.len() != branches.len() {
                    return Err(Rejection::WrongBranches { expected: cases.len(), found: branches.len() });
                }
                cases.iter().zip(branches).try_for_each(|(facts, branch)| facts.check(branch, checked))
            }
            Evidence::Cut(formula, yes, no) => {
                self.with(formula, true)?.check(yes, checked)?;
                self.with(formula, false)?.check(no, checked)
            }
            Evidence::Cite(lemma, rest) => {
                checked.lemmas.insert(lemma.name());
                self.with_lemma(lemma)?.check(rest, checked)
            }
            Evidence::Combination { products, equations } => {
                self.check_combination(products, equations, checked)
            }
        }
    }

    fn check_combination(
        &self,
        products: &[Product],
        equations: &[(usize, Expr)],
        checked: &mut Checked,
    ) -> Result<(), Rejection> {
        let mut sum = Poly::zero();
        let mut some_strict = false;
        for product in products {
            let (value, strict) = self.product(product, checked)?;
            checked.add(&mut sum, &value)?;
            some_strict |= strict;
        }
        for (number, multiplier) in equations {
            let Fact::Zero(equation) = self.get(*number, "an equation")? else {
                return Err(Rejection::NoSuchFact { number: *number, needed: "an equation" });
            };
            self.context.check_number(multiplier)?;
            let (multiplier, work) = measured_poly(self.context, multiplier)?;
            checked.charge(work.saturating_add(equation.work_of_times(&multiplier)))?;
            checked.add(&mut sum, &equation.times(&multiplier)?)?;
        }
        match sum.as_constant() {
            Some(c) if c < Rational::ZERO || (c.is_zero() && some_strict) => Ok(()),
            _ => Err(Rejection::NotAContradiction { sum: sum.shown() }),
        }
    }

    /// The value of a product, which is ≥ 0, and whether it is > 0.
    fn product(&self, product: &Product, checked: &mut Checked) -> Result<(Poly, bool), Rejection> {
        if product.coefficient <= Rational::ZERO {
            return Err(Rejection::NegativeMultiplier { found: product.coefficient.to_string() });
        }
        let mut value = positive_monomial(self.context, &product.scale)?.scaled(&product.coefficient);
        let mut strict = true;
        for number in &product.facts {
            let needed = "an inequality";
            let factor = match self.get(*number, needed)? {
                Fact::Positive(p) => p,
                Fact::NonNegative(p) => {
                    strict = false;
                    p
                }
                _ => return Err(Rejection::NoSuchFact { number: *number, needed }),
            };
            checked.charge(value.work_of_times(factor))?;
            value = value.times(factor)?;
        }
        Ok((value, strict))
    }
}

/// What checking evidence took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// The names of the lemmas used.
    pub lemmas: BTreeSet<&'static str>,
    /// How many parts were unfolded and multiplied.
    pub work: usize,
}

impl Checked {
    /// Adds to a sum, which may not grow beyond reason.
    fn add(&mut self, sum: &mut Poly, value: &Poly) -> Result<(), Rejection> {
        self.charge(sum.work_of_add(value))?;
        sum.add(value);
        if sum.size() > MAX_SUM { Err(Rejection::TooLarge) } else { Ok(()) }
    }

    fn charge(&mut self, work: usize) -> Result<(), Rejection> {
        self.work = self.work.saturating_add(work);
        if self.work > MAX_WORK { Err(Rejection::TooLarge) } else { Ok(()) }
    }
}

/// Checks that, in the context, the hypotheses entail the goal, for all values of all variables.
pub fn check_entailment(
    context: &Context,
    hypotheses: &[&Expr],
    goal: &Expr,
    evidence: &Evidence,
) -> Result<Checked, Rejection> {
    Facts::new(context, hypotheses, goal)?.refute(evidence)
}
