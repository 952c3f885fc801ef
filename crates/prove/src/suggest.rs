//! Which lemmas a question suggests, by the atoms that occur in it.

use std::collections::{BTreeMap, BTreeSet};

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::fact::{canonical, poly};
use probity_kernel::lemma::Lemma;

/// The most roundings that are compared with each other.
const MAX_ROUNDINGS: usize = 4;
/// The most lemmas on ln and quotients that are tried.
const MAX_ANALYTIC: usize = 12;

/// The lemmas that entries of lists, floors, remainders and roundings suggest.
pub(crate) fn common_lemmas<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Lemma> {
    let mut entries = BTreeSet::new();
    let mut others = BTreeMap::new();
    let mut rounded: BTreeSet<(Expr, Expr)> = BTreeSet::new();
    for formula in formulas {
        visit(formula, &mut |e| match e {
            Expr::Index(Variable::Of(list, _), index) => {
                // One instance per index, up to normal form.
                if let Ok(index) = canonical(context, index) {
                    entries.insert((list.clone(), index));
                }
            }
            Expr::Unary(Unary::Floor, a) => {
                others.insert(e.clone(), Lemma::Floor((**a).clone()));
            }
            Expr::Binary(Binary::RoundTo, a, b) if rounded.len() < MAX_ROUNDINGS => {
                rounded.insert(((**a).clone(), (**b).clone()));
            }
            Expr::Binary(Binary::Mod, a, b) => {
                others.insert(e.clone(), Lemma::ModRange((**a).clone(), (**b).clone()));
            }
            _ => {}
        });
    }
    let entries = entries.into_iter().map(|(list, index)| Lemma::Adjacent(list, index));
    let same = rounded.iter().enumerate().flat_map(|(n, (a, g))| {
        let later = rounded.iter().skip(n + 1);
        later.map(move |(b, h)| {
            Lemma::SameBinary(Binary::RoundTo, (a.clone(), b.clone()), (g.clone(), h.clone()))
        })
    });
    let all = entries.chain(others.into_values()).chain(same);
    all.filter(|lemma| lemma.formula(context).is_some()).collect()
}

/// The lemmas that logarithms, powers of two and quotients suggest.
pub(crate) fn analytic_lemmas<'a>(context: &Context, formulas: impl Iterator<Item = &'a Expr>) -> Vec<Lemma> {
    let mut lemmas = BTreeMap::new();
    for formula in formulas {
        visit(formula, &mut |e| {
            let Ok(key) = canonical(context, e) else { return };
            match e {
                Expr::Unary(Unary::Ln, a) => {
                    lemmas.insert((key, 0), Lemma::LnPositive((**a).clone()));
                    // ln(1) = 0, by ln(1·1) = ln(1) + ln(1).
                    lemmas.insert((Expr::int(1).ln(), 1), Lemma::LnProduct(Expr::int(1), Expr::int(1)));
                }
                Expr::Unary(Unary::Pow2AtLeast, a) => {
                    lemmas.insert((key, 0), Lemma::Pow2((**a).clone()));
                }
                Expr::Binary(Binary::Div, _, b) if is_opaque_divisor(context, b) => {
                    let Ok(key) = canonical(context, b) else { return };
                    lemmas.insert((key.clone(), 2), Lemma::Inverse((**b).clone()));
                    lemmas.insert((key, 3), Lemma::InversePositive((**b).clone()));
                }
                _ => {}
            }
        });
    }
    lemmas.into_values().take(MAX_ANALYTIC).collect()
}

/// Whether a quotient by this is an atom: it is no monomial of positive parameters.
fn is_opaque_divisor(context: &Context, divisor: &Expr) -> bool {
    match poly(context, divisor) {
        Ok(p) => p.as_term().is_none_or(|(monomial, _)| {
            let positive =
                |atom: &Expr| matches!(atom, Expr::Var(Variable::Plain(n)) if context.is_positive(n));
            !monomial.powers().all(|(atom, _)| positive(atom))
        }),
        Err(_) => false,
    }
}

fn visit(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Length(_) | Expr::EmptyList => {}
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
