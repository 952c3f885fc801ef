//! What a bound of a root says of what is under it. These are questions of their own, which the products of all that is known would have to
//! find among many others.

use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::lemma::Lemma;

use crate::algebra::{of_parameters, visit};
use crate::effort::Effort;
use crate::evidence::lemmas::{MAX_CHOICES, Suggestions, choices_made};
use crate::evidence::search::{moved, search_within};
use crate::evidence::shapes::is_opaque_divisor;
use crate::lists::norms as norms_of_lists;

/// The most such comparisons in one question.
const MOST_NORMS: usize = 4;

/// What is said of the roots that a choice compares with parameters, as min(1, C/r), max(1, r/C) or `if r > C` do: that 1 ≤ C/r implies
/// r ≤ C, and that r ≤ C implies s ≤ C², where r = √s.
pub(crate) fn norms<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Expr> {
    let mut compared: Vec<(Expr, Expr, bool)> = Vec::new();
    let mut see = |root: &Expr, bound: &Expr, divides: bool| {
        let public = |e: &Expr| of_parameters(context.mechanism(), e);
        let found = (root.clone(), bound.clone(), divides);
        if matches!(root, Expr::Unary(Unary::Sqrt, _))
            && !public(root)
            && public(bound)
            && !compared.contains(&found)
        {
            compared.push(found);
        }
    };
    let mut entries: Vec<(Name, Expr)> = Vec::new();
    for formula in formulas {
        visit(formula, &mut |e| match e {
            // Without the size around them the entries would be asked about again in the question that this makes.
            Expr::Unary(Unary::Abs, change) => visit(change, &mut |part| {
                if let Expr::Index(Variable::Of(list, _), index) = part
                    && !entries.iter().any(|(of, place)| of == list && **index == *place)
                {
                    entries.push((list.clone(), (**index).clone()));
                }
            }),
            Expr::Binary(Binary::Min | Binary::Max, a, b) => {
                for side in [a, b] {
                    if let Expr::Binary(Binary::Div, top, bottom) = &**side {
                        see(bottom, top, true);
                        see(top, bottom, false);
                    }
                }
                see(a, b, false);
                see(b, a, false);
            }
            Expr::If(guard, ..) => visit(guard, &mut |part| {
                if let Expr::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, a, b) = part {
                    see(a, b, false);
                    see(b, a, false);
                }
            }),
            _ => {}
        });
    }
    compared.truncate(MOST_NORMS);
    let said = compared.into_iter().flat_map(|(root, bound, divides)| {
        let at_most = root.clone().le(bound.clone());
        let quotient = Expr::int(1).le(bound.clone() / root.clone()).implies(at_most.clone());
        let square = root.parts().into_iter().flatten().next().cloned();
        let square = square.map(|inside| at_most.implies(inside.le(bound.clone() * bound)));
        [divides.then_some(quotient), square].into_iter().flatten().collect::<Vec<Expr>>()
    });
    said.chain(entries_alone(context, entries)).collect()
}

/// That a single entry moves by no more than all together, where the squares of the changes are summed: c² ≤ b² and 0 ≤ b say that c ≤ b.
fn entries_alone(context: &Context, entries: Vec<(Name, Expr)>) -> Vec<Expr> {
    let squared = |list: &Name| norms_of_lists(context).find(|(of, _, squares)| *of == list && *squares);
    let one = |(list, index): (Name, Expr)| {
        let (_, bound, _) = squared(&list)?;
        let entry = |run| index.clone().index_of(Variable::Of(list.clone(), run));
        let change = entry(Run::Second) - entry(Run::First);
        let within = change.clone().le(bound.clone()).and((-bound.clone()).le(change));
        Some(Expr::int(0).le(index.clone()).implies(within))
    };
    entries.into_iter().filter_map(one).take(MOST_NORMS).collect()
}

/// The formula with evidence from what the context knows alone, as it is cited among more facts.
pub(crate) fn shown_alone(
    facts: &Facts<'_>,
    formula: &Expr,
    effort: &mut Effort,
) -> Option<(Expr, Evidence)> {
    let context = facts.context();
    let alone = Facts::new(context, &[], formula).ok()?.list().len();
    let here = facts.list().len();
    let denied = facts.with(formula, false).ok()?.list().len() - here;
    let known = alone.checked_sub(denied)?;
    let evidence = search_within(context, &[], formula, effort).ok()?;
    Some((formula.clone(), moved(&evidence, known, 0, here - known)?))
}

impl Suggestions<'_> {
    /// What is divided by one thing or by another, as by max(1, r/C), is divided by the one or by the other. Answers with the divisors
    /// that are not public: choices are made alike in the two runs where what decides them is equal, and the quotients are then too.
    pub(super) fn divided_by_choices(&mut self, divisor: &Expr) -> Vec<Expr> {
        let mut made = choices_made(divisor, MAX_CHOICES);
        made.retain(|divisor| is_opaque_divisor(self.context, divisor));
        for divisor in &made {
            self.add(Lemma::Inverse(divisor.clone()));
            self.add(Lemma::InversePositive(divisor.clone()));
        }
        made.retain(|divisor| divisor.find_variable(&|v| matches!(v, Variable::Of(..))).is_some());
        made
    }
}
