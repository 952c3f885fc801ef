//! The adjacency and the claim.

use probity_exact::Rational;
use probity_kernel::expr::{Expr as Term, Name, Run, Variable};
use probity_kernel::term::{Adjacency, Claim, Reading};

use super::{Elaborator, Scope};
use crate::Span;
use crate::constant::number as constant;
use crate::diagnostic::Code;
use crate::names::Role;
use crate::syntax::{
    BinaryOp, ClaimSyntax, Expr, ExprKind, File, FormatSyntax, Ident, NeighboursKind, ScalarType,
};
use crate::types::Type;

/// Bounds on formats, far beyond any that is built. The float crate's arithmetic is exact within them.
const PRECISIONS: std::ops::RangeInclusive<i64> = 2..=1024;
const MAX_EXPONENT: u64 = 1 << 20;

impl Elaborator<'_> {
    /// The clauses of the adjacency. Every input is in one, so that none is forgotten.
    pub(super) fn adjacency(&mut self, file: &File) -> Vec<Adjacency> {
        let mut clauses = Vec::new();
        let mut any = None;
        // A clause that is at fault may be the one that relates an input.
        let mut lost = file.lost_neighbours;
        for neighbours in &file.neighbours {
            let bound_of = |elaborator: &mut Self, list: &Ident, bound: &Expr| {
                (elaborator.input_list(list), elaborator.size_of_change(bound))
            };
            match &neighbours.kind {
                NeighboursKind::Any => any = Some(neighbours.span),
                NeighboursKind::Relation(relation) => match self.relation(relation) {
                    Some(clause) => clauses.push(clause),
                    None => lost = true,
                },
                NeighboursKind::EveryEntry { list, bound } => {
                    let (list, bound) = bound_of(self, list, bound);
                    clauses.push(Adjacency::EveryEntry { list, bound });
                }
                NeighboursKind::EveryEntryGrows { list, bound } => {
                    let (list, bound) = bound_of(self, list, bound);
                    clauses.push(Adjacency::EveryEntryGrows { list, bound });
                }
                NeighboursKind::OneEntry { list, bound } => {
                    let (list, bound) = bound_of(self, list, bound);
                    clauses.push(Adjacency::OneEntry { list, bound });
                }
                NeighboursKind::OneEntryOf { lists, bound } => {
                    let mut names: Vec<Name> = Vec::new();
                    for list in lists {
                        let name = self.input_list(list);
                        if names.contains(&name) {
                            self.sink.report(Code::DuplicateName, list.span, || {
                                format!("`{}` is named twice here: expected each list once", list.text)
                            });
                        }
                        names.push(name);
                    }
                    clauses.push(Adjacency::OneEntryOf { lists: names, bound: self.size_of_change(bound) });
                }
                NeighboursKind::Norm { list, bound, squares } => {
                    let (list, bound) = bound_of(self, list, bound);
                    clauses.push(Adjacency::Norm { list, bound, squares: *squares });
                }
                NeighboursKind::OneRow { table } => {
                    clauses.push(Adjacency::OneRow { table: self.input_table(table) });
                }
                NeighboursKind::RowReplaced { table } => {
                    clauses.push(Adjacency::RowReplaced { table: self.input_table(table) });
                }
                NeighboursKind::Rows { table, most } => {
                    let table = self.input_table(table);
                    clauses.push(Adjacency::Rows { table, most: self.number_of_rows(most) });
                }
            }
        }
        if let Some(span) = any
            && file.neighbours.len() > 1
        {
            self.sink.report(Code::Repeated, span, || {
                "`neighbours any` relates all inputs: expected no other `neighbours` line".to_string()
            });
        }
        self.one_order(file, &clauses);
        if any.is_none() && !lost && !file.neighbours.is_empty() {
            self.every_input_is_related(file, &clauses);
        }
        clauses
    }

    fn relation(&mut self, relation: &Expr) -> Option<Adjacency> {
        if self.compares_lists(relation) {
            return None;
        }
        let faults = self.sink.count();
        let term = self.formula(relation, Scope::Relation)?;
        if self.sink.count() > faults {
            return None;
        }
        let mut second = false;
        term.for_each_variable(&mut |v| second |= matches!(v, Variable::Of(_, Run::Second)));
        if !second {
            self.sink.report_with(Code::VacuousAdjacency, relation.span, || {
                let message =
                    "this says nothing about the neighbouring input: expected a primed input such as `x'`";
                (message.to_string(), Some("what holds of one input alone belongs in a `where` line".into()))
            });
        }
        let mut lists = Vec::new();
        term.for_each_variable(&mut |v| {
            if let Variable::Of(name, _) = v {
                lists.push(name.clone());
            }
        });
        let is_list = |name: &Name| self.names.get(name.as_str()).is_some_and(|s| s.ty.is_list());
        if lists.iter().any(is_list) {
            self.sink.report_with(Code::WrongType, relation.span, || {
                let hint = "write `every entry of q differs by at most 1`, or `one entry of q ...`";
                ("a relation is between scalars: expected no list here".to_string(), Some(hint.into()))
            });
        }
        let is_table = |name: &Name| self.tables.contains_key(name.as_str());
        if lists.iter().any(is_table) {
            self.sink.report_with(Code::WrongType, relation.span, || {
                let hint =
                    "write `one row of people is added or removed`, or `one row of people is replaced`";
                ("a relation is between scalars: expected no table here".to_string(), Some(hint.into()))
            });
        }
        Some(Adjacency::Related(term))
    }

    /// Reports a comparison of two lists as a whole, which is one fault and not one for each side.
    fn compares_lists(&mut self, relation: &Expr) -> bool {
        let ExprKind::Compare(first, _) = &relation.kind else { return false };
        let (ExprKind::Name(name) | ExprKind::Primed(name)) = &first.kind else { return false };
        let is_list = self.names.get(name).is_some_and(|symbol| symbol.ty.is_list());
        if is_list {
            self.sink.report_with(Code::WrongType, relation.span, || {
                let hint = format!(
                    "equal lists: `every entry of {name} differs by at most 0`; else `every entry of {name} differs by at most 1`, or `one entry of {name} …`"
                );
                ("a relation is between scalars: expected no list here".to_string(), Some(hint))
            });
        }
        is_list
    }

    fn input_list(&mut self, list: &Ident) -> Name {
        match self.names.get(&list.text) {
            None => self.unknown_name(&list.text, list.span),
            Some(symbol) => {
                let (role, ty) = (symbol.role.clone(), symbol.ty);
                if role != Role::Input || !ty.is_list() {
                    self.sink.report(Code::WrongType, list.span, || {
                        let found =
                            if role == Role::Input { ty.to_string() } else { role.describe().to_string() };
                        format!("`{}` is {found}: expected an input list", list.text)
                    });
                }
            }
        }
        Name::new(&list.text)
    }

    fn size_of_change(&mut self, bound: &Expr) -> Term {
        let term = self.typed(bound, Scope::Fixed, Type::Real);
        self.not_negative(&term, bound.span, "the size of a change");
        term
    }

    fn not_negative(&mut self, term: &Term, span: Span, what: &str) {
        if constant(term).is_some_and(|value| value < Rational::ZERO) {
            self.sink.report(Code::OutOfRange, span, || {
                format!("{what} is not negative: expected a value from 0 on")
            });
        }
    }

    fn every_input_is_related(&mut self, file: &File, clauses: &[Adjacency]) {
        let mut related = std::collections::HashSet::new();
        for clause in clauses {
            match clause {
                Adjacency::Related(term) => term.for_each_variable(&mut |v| {
                    if let Variable::Of(name, Run::Second) = v {
                        related.insert(name.clone());
                    }
                }),
                Adjacency::OneEntryOf { lists, .. } => related.extend(lists.iter().cloned()),
                Adjacency::EveryEntry { list, .. }
                | Adjacency::EveryEntryGrows { list, .. }
                | Adjacency::Norm { list, .. }
                | Adjacency::OneEntry { list, .. } => {
                    related.insert(list.clone());
                }
                Adjacency::OneRow { table }
                | Adjacency::RowReplaced { table }
                | Adjacency::Rows { table, .. } => {
                    related.insert(table.clone());
                }
            }
        }
        for input in &file.inputs {
            let name = &input.name.text;
            if !related.contains(&Name::new(name)) {
                self.sink.report_with(Code::VacuousAdjacency, input.name.span, || {
                    let message = format!("no `neighbours` line relates `{name}` to `{name}'`: expected one");
                    let hint = match (matches!(input.ty.scalar, ScalarType::Rows(_)), input.ty.list.is_some()) {
                        (true, _) => "a table that neighbours share has no place here: give its numbers as parameters".into(),
                        (_, true) => format!("if it does not change, write `neighbours every entry of {name} differs by at most 0`"),
                        _ => format!("if it does not change, write `neighbours {name}' == {name}`"),
                    };
                    (message, Some(hint))
                });
            }
        }
    }

    pub(super) fn claim(&mut self, claim: Option<&ClaimSyntax>) -> Option<Claim> {
        let claim = claim?;
        if claim.measure.is_none() && self.is_negative_amount(&claim.epsilon) {
            return None;
        }
        let epsilon = self.typed(&claim.epsilon, Scope::Fixed, Type::Real);
        self.not_negative(&epsilon, claim.epsilon.span, "a privacy loss");
        let delta = match &claim.delta {
            None => Term::int(0),
            Some(delta) => {
                let term = self.typed(delta, Scope::Fixed, Type::Real);
                if constant(&term).is_some_and(|value| value < Rational::ZERO || value > Rational::ONE) {
                    self.sink.report(Code::OutOfRange, delta.span, || {
                        "delta is a probability: expected a value from 0 to 1".to_string()
                    });
                }
                term
            }
        };
        if let Some(measure) = &claim.measure {
            if claim.delta.is_some() || claim.format.is_some() {
                self.sink.report_with(Code::BadFormat, claim.span, || {
                    let message = format!(
                        "a claim in `{0}` is one number over the reals: expected `claim {0} r`",
                        measure.text
                    );
                    (message, Some("`claim eps, delta` has a delta, and `in binary64` a format".into()))
                });
                return None;
            }
            let reading = if measure.text == "rho" { Reading::Rho } else { Reading::Mu };
            return Some(Claim { epsilon, delta, reading });
        }
        let reading = claim.format.as_ref().map_or(Some(Reading::Reals), |format| self.reading(format))?;
        Some(Claim { epsilon, delta, reading })
    }

    /// Whether this is `mu - 1/s`, meant as an amount of the measure and read as a difference; reported if so.
    fn is_negative_amount(&mut self, amount: &Expr) -> bool {
        let Some((measure, span)) = reduced_measure(amount) else { return false };
        if !self.report_unknown || self.names.get(measure).is_some() {
            return false;
        }
        self.sink.report_with(Code::OutOfRange, span, || {
            (
                format!("a claim in `{measure}` is not negative: expected an amount of at least 0"),
                Some(format!(
                    "an amount that begins with a minus stands in parentheses: `claim {measure} (-a + b)`"
                )),
            )
        });
        true
    }

    fn reading(&mut self, format: &FormatSyntax) -> Option<Reading> {
        match (format.name.text.as_str(), format.arguments.as_slice()) {
            ("binary64", []) => return Some(Reading::BINARY64),
            ("binary32", []) => return Some(Reading::BINARY32),
            ("binary16", []) => return Some(Reading::BINARY16),
            ("float", [precision, emin, emax]) => {
                let parts = [precision, emin, emax].map(|e| self.small_integer(e));
                if let [Some(precision), Some(emin), Some(emax)] = parts
                    && let Some(reading) = format_of(precision, emin, emax)
                {
                    return Some(reading);
                }
            }
            _ => {}
        }
        self.sink.report_with(Code::BadFormat, format.span, || {
            let message = "expected `binary64`, `binary32`, `binary16` or `float(precision, emin, emax)`";
            let hint =
                "a format has a precision from 2 to 1024 and emin < emax, such as float(24, -126, 127)";
            (message.to_string(), Some(hint.to_string()))
        });
        None
    }

    fn small_integer(&mut self, expr: &Expr) -> Option<i64> {
        let value = constant(&self.typed(expr, Scope::Fixed, Type::Int))?;
        i64::try_from(value.numerator().clone()).ok().filter(|_| value.is_int())
    }
}

/// The measure that a difference begins with, as `mu` in `mu - 1/s + t`, and from there to what is taken from it.
fn reduced_measure(amount: &Expr) -> Option<(&str, Span)> {
    let ExprKind::Binary(operation, left, _) = &amount.kind else { return None };
    match (&left.kind, operation) {
        (ExprKind::Name(name), BinaryOp::Subtract) if matches!(name.as_str(), "rho" | "mu") => {
            Some((name, amount.span))
        }
        _ => reduced_measure(left),
    }
}

fn format_of(precision: i64, emin: i64, emax: i64) -> Option<Reading> {
    let exponents_fit =
        emin < emax && emin.unsigned_abs() <= MAX_EXPONENT && emax.unsigned_abs() <= MAX_EXPONENT;
    if !PRECISIONS.contains(&precision) || !exponents_fit {
        return None;
    }
    Some(Reading::Binary {
        precision: u32::try_from(precision).ok()?,
        emin: i32::try_from(emin).ok()?,
        emax: i32::try_from(emax).ok()?,
    })
}
