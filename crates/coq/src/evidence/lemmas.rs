//! Citations: how Coq shows each lemma of the kernel's `lemma.rs`, from `proofs/Lemmas.v` and the hypotheses of the section.

use probity_exact::Rational;
use probity_kernel::context::Orientation;
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::lemma::Lemma;
use probity_kernel::term::{Adjacency, Sort};

use super::super::NotExported;
use super::super::print::{Printer, Scope, argument};
use super::super::statement::Statements;

/// A tactic that proves the lemma's formula.
pub(super) fn proof(printer: &Printer<'_>, lemma: &Lemma) -> Result<String, NotExported> {
    let real = |e: &Expr| printer.real(e, Scope::Runs).map(argument);
    Ok(match lemma {
        Lemma::Adjacent(list, index) => adjacent(printer, list, index)?,
        Lemma::Rows(table, first, second) => {
            let clause = printer.context.mechanism().adjacency.iter().find_map(|clause| match clause {
                Adjacency::OneRow { table: t } if t == table => Some("rows_added"),
                Adjacency::RowReplaced { table: t } if t == table => Some("rows_replaced"),
                _ => None,
            });
            let theorem = clause.ok_or_else(|| NotExported::new("ROWS for these neighbours"))?;
            let sum = Expr::sum(
                Variable::Of(table.clone(), probity_kernel::expr::Run::Second),
                second.0.clone(),
                second.1.clone(),
            );
            let sort = if printer.context.kind(&sum) == Kind::Int { "Z" } else { "" };
            // Parts that differ between the runs are equal by premise.
            let same = match first == second {
                true => "",
                false => "repeat match goal with h : @eq R _ _ |- _ => rewrite <- h; clear h end; ",
            };
            if theorem == "rows_replaced" {
                // Both sums are on one side, and a row that is counted in any case has no choice: the theorem is named with its
                // condition and value, and on the integers taken as one about numbers.
                let condition = printer.formula(&first.0, Scope::Runs)?;
                let (value, read) = match sort {
                    "Z" => (printer.int(&first.1, Scope::Runs)?, "f_equal IZR "),
                    _ => (printer.real(&first.1, Scope::Runs)?, ""),
                };
                return Ok(format!(
                    "implication; {same}given ({read}(@{theorem}{sort} _ _ _ _ _ _ (fun r => {condition}) (fun r => {value}) (proj1 rows_{table}) (proj2 rows_{table})))",
                ));
            }
            format!("implication; {same}rewrite (@{theorem}{sort} _ _ _ _ _ _ rows_{table}); rows")
        }
        Lemma::Sqrt(_) => "implication; now apply root".into(),
        Lemma::Apart(list, ..) => apart(printer, list)?,
        Lemma::ApartWider(..) => "implication; eapply apart_wider; eassumption".into(),
        Lemma::Moved(list, index) => {
            let index = printer.int(index, Scope::Runs)?;
            format!("let e := constr:(moved_{list} {index}) in given e")
        }
        Lemma::Inverse(_) => "implication; first [now apply inverse_inv|now apply inverse_div]".into(),
        Lemma::InversePositive(_) => {
            "implication; first [now apply inverse_positive_inv|now apply inverse_positive_div]".into()
        }
        Lemma::Floor(a) => format!("implication; apply (floor {})", real(a)?),
        Lemma::FloorMonotone(..) => "implication; now apply floor_monotone".into(),
        Lemma::RoundNear(..) => "implication; unfold inv; now apply round_near".into(),
        Lemma::RoundMonotone(..) => "implication; now apply round_monotone".into(),
        Lemma::ModRange(..) => "implication; now apply mod_range_real".into(),
        Lemma::Pow2(_) => "implication; now apply pow2".into(),
        Lemma::ExpPositive(_) => "implication; apply exp_positive".into(),
        Lemma::ExpSum(..) => "implication; apply exp_sum".into(),
        Lemma::ExpMonotone(..) => "implication; now apply exp_monotone".into(),
        Lemma::ExpTangent(_) => "implication; apply exp_tangent".into(),
        Lemma::LnMonotone(..) => "implication; now apply ln_monotone".into(),
        Lemma::LnPositive(_) => "implication; now apply ln_positive".into(),
        Lemma::LnProduct(..) => "implication; now apply ln_product".into(),
        Lemma::LnQuotient(..) => "implication; now apply ln_quotient_inv".into(),
        Lemma::ExpLn(_) => "implication; now apply exp_ln".into(),
        Lemma::LnExp(_) => "implication; apply ln_exp".into(),
        Lemma::SameUnary(..)
        | Lemma::SameBinary(..)
        | Lemma::SameEntry(..)
        | Lemma::EqualEntries(..)
        | Lemma::EqualLengths(_) => "implication; equals".into(),
        Lemma::LnValue(a) => enclosed(printer, lemma, a, "ln_value")?,
        Lemma::ExpValue(a) => enclosed(printer, lemma, a, "exp_value")?,
    })
}

/// An enclosure at a number, which Coq decides by computing (`proofs/Values.v`): as the power of what lies in [0, 1], by Taylor polynomials.
fn enclosed(
    printer: &Printer<'_>,
    lemma: &Lemma,
    at: &Rational,
    theorem: &str,
) -> Result<String, NotExported> {
    let formula = lemma.formula(printer.context);
    let Some(Expr::Binary(Binary::And, low, high)) = &formula else {
        return Err(NotExported::new(format!("lemma {}", lemma.name())));
    };
    let (Expr::Binary(Binary::Le, low, _), Expr::Binary(Binary::Le, _, high)) = (&**low, &**high) else {
        return Err(NotExported::new(format!("lemma {}", lemma.name())));
    };
    let (Expr::Number(low), Expr::Number(high)) = (&**low, &**high) else {
        return Err(NotExported::new(format!("lemma {}", lemma.name())));
    };
    // What is raised: the exponent, or both ends of the enclosure.
    let exponents = if matches!(lemma, Lemma::ExpValue(_)) { vec![at] } else { vec![low, high] };
    let size = |e: &&Rational| if **e < Rational::ZERO { -(*e).clone() } else { (*e).clone() };
    let largest = exponents.iter().map(size).max().unwrap_or(Rational::ZERO);
    let power = largest.ceil().max(1.into());
    let fraction = |n: &Rational| format!("(fraction ({}) {})", n.numerator(), n.denominator());
    Ok(format!(
        "implication; apply (@{theorem} {power} {TERMS} {} {} {}); [enclosed|written..]",
        fraction(at),
        fraction(low),
        fraction(high)
    ))
}

/// So many terms of a Taylor polynomial on [0, 1] are right to 48 bits; enclosures are made with 40.
const TERMS: u32 = 16;

/// What the neighbours and the assumptions say of the entries at an index.
fn adjacent(printer: &Printer<'_>, list: &Name, index: &Expr) -> Result<String, NotExported> {
    let about = |clause: &Adjacency| matches!(clause, Adjacency::EveryEntry { list: l, .. } | Adjacency::EveryEntryGrows { list: l, .. } | Adjacency::OneEntry { list: l, .. } if l == list);
    let clause = printer.context.mechanism().adjacency.iter().any(about).then(|| format!("adj_{list}"));
    let index = printer.int(index, Scope::Runs)?;
    let parts: Vec<String> = clause
        .into_iter()
        .chain(Statements::new(printer.context)?.bounds_of(list))
        .map(|part| format!("let e := constr:({part} {index}) in given e"))
        .collect();
    Ok(match &parts[..] {
        [] => "reflexivity".into(),
        parts => format!("repeat (apply andb_true_intro; split); [{}]", parts.join("|")),
    })
}

/// What the neighbours say of all entries of a list.
fn apart(printer: &Printer<'_>, list: &Name) -> Result<String, NotExported> {
    let mechanism = printer.context.mechanism();
    let lists: Vec<&Name> = mechanism
        .inputs
        .iter()
        .filter(|input| matches!(input.sort, Sort::RealList | Sort::IntList))
        .map(|input| &input.name)
        .collect();
    if mechanism.inputs.iter().any(|input| input.name == *list && input.sort == Sort::IntList) {
        return Err(NotExported::new("the lemma apart for a list of integers"));
    }
    let clause = mechanism.adjacency.iter().enumerate().find_map(|(number, clause)| match clause {
        Adjacency::EveryEntry { list: l, .. } if l == list => Some((number, "apart_every")),
        Adjacency::EveryEntryGrows { list: l, .. } if l == list => Some((number, "apart_grows")),
        Adjacency::OneEntry { list: l, .. } if l == list => Some((number, "apart_one")),
        Adjacency::Norm { list: l, .. } if l == list => Some((number, "apart_every")),
        _ => None,
    });
    let (Some((number, theorem)), Some(at)) = (clause, lists.iter().position(|l| *l == list)) else {
        return Err(NotExported::new("the lemma apart for these neighbours"));
    };
    let swapped = match printer.context.orientation() {
        Orientation::Forward => "",
        Orientation::Backward => "rewrite <- apart_swap; ",
    };
    let near = format!("near{}", lists.len() + number);
    if let Adjacency::Norm { squares, .. } = &mechanism.adjacency[number] {
        let norm = if *squares { "every_l2" } else { "every_l1" };
        return Ok(format!(
            "implication; {swapped}eapply apart_every; [exact near{at}|eapply {norm}; [exact near{at}|exact {near}]|..]; lra"
        ));
    }
    Ok(format!("implication; {swapped}eapply {theorem}; [exact near{at}|exact {near}|..]; lra"))
}
