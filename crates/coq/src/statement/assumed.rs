//! What is assumed of the inputs: of parameters and inputs themselves, of every row of a table, of every entry of a list.

use std::fmt::Write;

use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::Sort;

use super::super::NotExported;
use super::super::print::Scope;
use super::{Printed, Statements};

/// A part of what is assumed of one input: the formula as the kernel has it, and the table or list of which it speaks row by row, entry by entry.
pub(super) struct Assumed {
    pub(super) formula: Expr,
    pub(super) table: Option<Name>,
    pub(super) list: Option<Name>,
}

impl Assumed {
    fn new(formula: Expr) -> Assumed {
        let (table, list) = (table_of(&formula), list_of(&formula));
        Assumed { formula, table, list }
    }
}

/// The part number n of what is assumed of the inputs of a run.
pub(super) fn part(run: &str, n: usize) -> String {
    let rest = (0..n).fold(format!("as{run}"), |h, _| format!("(proj2 {h})"));
    format!("(proj1 {rest})")
}

/// The table of whose rows an expression speaks.
fn table_of(e: &Expr) -> Option<Name> {
    match e.find_variable(&|v| matches!(v, Variable::Field(..))) {
        Some(Variable::Field(table, _)) => Some(table),
        _ => None,
    }
}

/// The list of whose entries an expression speaks.
fn list_of(e: &Expr) -> Option<Name> {
    match e.find_variable(&|v| matches!(v, Variable::Entry(_))) {
        Some(Variable::Entry(list)) => Some(list),
        _ => None,
    }
}

impl Statements<'_> {
    /// What is assumed of one input, in order.
    pub(super) fn assumed(&self) -> Vec<Assumed> {
        let mechanism = self.mechanism();
        let mut all: Vec<Assumed> = mechanism.assumptions.iter().cloned().map(Assumed::new).collect();
        let range = |value: Expr, count: &Expr| Expr::int(0).le(value.clone()).and(value.lt(count.clone()));
        for input in &mechanism.inputs {
            match &input.sort {
                Sort::Category { count } => {
                    all.push(Assumed::new(range(Expr::var(input.name.clone()), count)));
                }
                Sort::Rows(fields) => {
                    for field in fields {
                        if let Sort::Category { count } = &field.sort {
                            let value = Expr::field(input.name.clone(), field.name.clone());
                            all.push(Assumed::new(range(value, count)));
                        }
                    }
                }
                _ => {}
            }
        }
        all
    }

    pub(super) fn assumed_text(&self, assumed: &Assumed) -> Printed {
        let formula = self.printer.formula(&assumed.formula, Scope::Assumed)?;
        Ok(match (&assumed.table, &assumed.list) {
            (None, None) => format!("{formula} = true"),
            (Some(table), _) => format!("(forall r, In r (in_{table} i) -> {formula} = true)"),
            (_, Some(list)) => {
                format!("(forall j, (0 <= j < len (in_{list} i))%Z -> {formula} = true)")
            }
        })
    }

    /// What is assumed of the entries of lists, of the entries at a place j of both runs: a lemma each, `bounds0` and so on.
    pub(super) fn bounds(&self) -> Printed {
        let mut out = String::new();
        for (n, Assumed { formula, list, .. }) in self.assumed().into_iter().enumerate() {
            let Some(list) = list else { continue };
            let at = |run: &str| {
                let text = self.printer.formula(&formula, Scope::Assumed)?;
                // Such a formula mentions entries and parameters only.
                Ok::<String, NotExported>(
                    text.replace(&format!("(in_{list} i)"), &format!("(in_{list} i{run})")),
                )
            };
            let _ = writeln!(
                out,
                "Lemma bounds{n} : forall j, negb (leR 0 (IZR j) && ltR (IZR j) (IZR n_{list})) || ({} && {}) = true.\nProof.\n  \
                 intros j; apply implied; intros h; destruct (and_true _ _ h) as [low high]; apply leRP, le_IZR in low; apply ltRP, lt_IZR in high;\n  \
                 pose proof len_{list} as l; pose proof near{} as e; unfold len in l; rewrite l in high; apply andb_true_intro; split;\n  \
                 [apply {}|apply {}]; (split; [exact low|unfold len; first [exact high|rewrite e; exact high|rewrite <- e; exact high]]).\nQed.",
                at("1")?,
                at("2")?,
                self.lists().position(|l| *l == list).unwrap_or_default(),
                part("1", n),
                part("2", n),
            );
        }
        Ok(out)
    }

    /// The lemmas about the assumptions on the entries of a list.
    pub(crate) fn bounds_of(&self, list: &Name) -> Vec<String> {
        let about = |(n, assumed): (usize, Assumed)| {
            (assumed.list.as_ref() == Some(list)).then(|| format!("bounds{n}"))
        };
        self.assumed().into_iter().enumerate().filter_map(about).collect()
    }
}
