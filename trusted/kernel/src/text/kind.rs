//! What values are: real numbers, integers, booleans, lists, tables.
//!
//! Every expression that enters the kernel has a kind, or it is rejected: nothing is guessed. The kind of a
//! program variable is the smallest that holds all that the program sets it to.

use std::collections::BTreeMap;

use crate::call;
use crate::expr::{Binary, Expr, Name, Unary, Variable};
use crate::law;
use crate::rejection::Rejection;
use crate::term::{Called, Distribution, Field, Mechanism, Sort, Statement};

/// What the values of an expression are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Real numbers.
    Real,
    /// Integers.
    Int,
    /// Booleans.
    Bool,
    /// Lists.
    List,
    /// Tables.
    Table,
}

impl Kind {
    /// The kind of an input or parameter.
    pub fn of_sort(sort: &Sort) -> Kind {
        match sort {
            Sort::Real => Kind::Real,
            Sort::Int | Sort::Category { .. } => Kind::Int,
            Sort::Bool => Kind::Bool,
            Sort::RealList | Sort::IntList => Kind::List,
            Sort::Rows(_) => Kind::Table,
        }
    }

    /// The smallest kind that holds both; numbers join, other kinds do not mix.
    fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Kind::Int, Kind::Real) | (Kind::Real, Kind::Int) => Some(Kind::Real),
            _ => None,
        }
    }
}

/// The kinds of the names of a mechanism. `None` stands for a kind that is not known yet, while the program's
/// variables are being looked at; in finished `Kinds` every name has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kinds {
    names: BTreeMap<Name, Kind>,
    /// What the entries of an input list are.
    entries: BTreeMap<Name, Kind>,
    /// What has been appended to an output list; `None` for values that do not mix.
    appended: BTreeMap<Name, Option<Kind>>,
    /// What the fields of an input table are, by table and field.
    fields: BTreeMap<(Name, Name), Kind>,
    output: Option<Kind>,
}

impl Kinds {
    /// The kinds of a mechanism whose program is well typed throughout, or what is wrong with it.
    pub fn new(mechanism: &Mechanism) -> Result<Kinds, Rejection> {
        let mut kinds = Kinds {
            names: BTreeMap::new(),
            entries: BTreeMap::new(),
            appended: BTreeMap::new(),
            fields: BTreeMap::new(),
            output: None,
        };
        for param in &mechanism.params {
            match param.sort {
                Sort::Real | Sort::Int => kinds.declare(&param.name, &param.sort)?,
                _ => return Err(malformed(format!("the parameter {} is neither real nor int", param.name))),
            }
        }
        for input in &mechanism.inputs {
            kinds.declare(&input.name, &input.sort)?;
        }
        // A kind only grows, from none over int to real, so this ends.
        loop {
            let before = (kinds.names.clone(), kinds.appended.clone());
            kinds.block(&mechanism.body)?;
            if (&kinds.names, &kinds.appended) == (&before.0, &before.1) {
                break;
            }
        }
        kinds.output = Some(kinds.check(&mechanism.output)?);
        kinds.check_block(&mechanism.body)?;
        Ok(kinds)
    }

    fn declare(&mut self, name: &Name, sort: &Sort) -> Result<(), Rejection> {
        if self.names.insert(name.clone(), Kind::of_sort(sort)).is_some() {
            return Err(malformed(format!("{name} is declared twice")));
        }
        match sort {
            Sort::RealList => self.entries.insert(name.clone(), Kind::Real),
            Sort::IntList => self.entries.insert(name.clone(), Kind::Int),
            Sort::Rows(fields) => {
                let of = |field: &Field| ((name.clone(), field.name.clone()), Kind::of_sort(&field.sort));
                self.fields.extend(fields.iter().map(of));
                None
            }
            _ => None,
        };
        Ok(())
    }

    /// Widens the kind of every variable to hold what the block sets it to.
    fn block(&mut self, body: &[Statement]) -> Result<(), Rejection> {
        for statement in body {
            match statement {
                Statement::Draw { var, law } => {
                    self.widen(var, law::kind(law))?;
                    if let Distribution::Sample { table: Expr::Var(Variable::Plain(table)), .. } = law {
                        self.copy_fields(table, var);
                    }
                }
                Statement::Assign { var, value } => {
                    if let Some(kind) = self.kind(value)? {
                        self.widen(var, kind)?;
                    }
                }
                Statement::Append { list, value } => self.append(list, value)?,
                Statement::If { then, otherwise, .. } => {
                    self.block(then)?;
                    self.block(otherwise)?;
                }
                Statement::For { index, body, .. } => {
                    self.widen(index, Kind::Int)?;
                    self.block(body)?;
                }
                Statement::While { body, .. } => self.block(body)?,
            }
        }
        Ok(())
    }

    /// A sample has the fields of its table.
    fn copy_fields(&mut self, table: &Name, sample: &Name) {
        let of = |((of, field), kind): (&(Name, Name), &Kind)| {
            (of == table).then(|| ((sample.clone(), field.clone()), *kind))
        };
        let fields: Vec<_> = self.fields.iter().filter_map(of).collect();
        self.fields.extend(fields);
    }

    fn append(&mut self, list: &Name, value: &Expr) -> Result<(), Rejection> {
        if let Some(kind) = self.kind(value)? {
            let known = self.appended.get(list);
            let joined = known.map_or(Some(kind), |old| old.and_then(|old| old.join(kind)));
            self.appended.insert(list.clone(), joined);
        }
        self.widen(list, Kind::List)
    }

    fn widen(&mut self, name: &Name, kind: Kind) -> Result<(), Rejection> {
        let joined = self.names.get(name).map_or(Some(kind), |old| old.join(kind));
        let joined = joined.ok_or_else(|| malformed(format!("{name} is used with two kinds of values")))?;
        self.names.insert(name.clone(), joined);
        Ok(())
    }

    /// Every expression of a block is well typed, and of the kind that its place needs.
    fn check_block(&self, body: &[Statement]) -> Result<(), Rejection> {
        for statement in body {
            match statement {
                Statement::Draw { law: Distribution::Called(called), .. } => self.check_call(called)?,
                Statement::Draw { law: Distribution::Sample { table, rate }, .. } => {
                    self.check_table(table)?;
                    self.check_number(rate)?;
                }
                Statement::Draw { law, .. } => {
                    let scores = law::scores(law);
                    for e in law::parameters(law) {
                        match scores {
                            Some(list) if list == e => self.check_scores(e)?,
                            _ => self.check_number(e)?,
                        }
                    }
                    law::integer_places(law).into_iter().try_for_each(|e| self.check_integer(e))?;
                }
                // A list is started empty and never copied.
                Statement::Assign { value, .. } => match self.check(value)? {
                    Kind::List | Kind::Table if *value != Expr::EmptyList => {
                        return Err(Rejection::NotANumber { found: value.to_string() });
                    }
                    _ => {}
                },
                Statement::Append { value, .. } => match self.check(value)? {
                    Kind::List | Kind::Table => {
                        return Err(Rejection::NotANumber { found: value.to_string() });
                    }
                    _ => {}
                },
                Statement::If { guard, then, otherwise } => {
                    self.check_formula(guard)?;
                    self.check_block(then)?;
                    self.check_block(otherwise)?;
                }
                Statement::For { from, to, body, .. } => {
                    self.check_integer(from)?;
                    self.check_integer(to)?;
                    self.check_block(body)?;
                }
                Statement::While { guard, body, .. } => {
                    self.check_formula(guard)?;
                    self.check_block(body)?;
                }
            }
        }
        Ok(())
    }

    /// The kind of an expression; a rejection if it has none.
    pub fn check(&self, expr: &Expr) -> Result<Kind, Rejection> {
        self.kind(expr)?.ok_or_else(|| {
            let unknown = expr.find_variable(&|v| matches!(self.variable(v), Ok(None)));
            let name = unknown.map_or_else(|| expr.to_string(), |v| v.to_string());
            malformed(format!("{name} is used and never set"))
        })
    }

    /// A boolean.
    pub fn check_formula(&self, expr: &Expr) -> Result<(), Rejection> {
        match self.check(expr)? {
            Kind::Bool => Ok(()),
            _ => Err(Rejection::NotAFormula { found: expr.to_string() }),
        }
    }

    /// A call: every argument is of the kind that the called mechanism wants, and what it releases is a number or a truth
    /// value.
    fn check_call(&self, called: &Called) -> Result<(), Rejection> {
        call::check(called)?;
        for (input, argument) in called.mechanism.inputs.iter().zip(&called.inputs) {
            match input.sort {
                Sort::RealList | Sort::IntList => self.check_list_for(&input.sort, argument)?,
                Sort::Bool => self.check_formula(argument)?,
                Sort::Int | Sort::Category { .. } => self.check_integer(argument)?,
                Sort::Real => self.check_number(argument)?,
                Sort::Rows(_) => self.check_table(argument)?,
            }
        }
        for (param, argument) in called.mechanism.params.iter().zip(&called.params) {
            match param.sort {
                Sort::Int => self.check_integer(argument)?,
                _ => self.check_number(argument)?,
            }
        }
        let released = Kinds::new(&called.mechanism)?.check(&called.mechanism.output)?;
        if !matches!(called.released, Sort::Real | Sort::Int | Sort::Bool) {
            return Err(malformed(format!(
                "a call of {}, which releases no single value",
                called.mechanism.name
            )));
        }
        if Kind::of_sort(&called.released) != released {
            return Err(malformed(format!("a call of {} releases something else", called.mechanism.name)));
        }
        Ok(())
    }

    /// A list for a called mechanism, by name: of numbers, and of integers where it wants those.
    fn check_list_for(&self, sort: &Sort, argument: &Expr) -> Result<(), Rejection> {
        let Expr::Var(list @ Variable::Plain(name)) = argument else {
            return Err(Rejection::NotAList { found: argument.to_string() });
        };
        let entries = self.list(list)?.or(self.appended.get(name).copied().flatten());
        match (sort, entries) {
            (_, Some(Kind::Int)) | (Sort::RealList, Some(Kind::Real)) => Ok(()),
            _ => Err(Rejection::NotAList { found: argument.to_string() }),
        }
    }

    /// A table, by name.
    fn check_table(&self, expr: &Expr) -> Result<(), Rejection> {
        match expr {
            Expr::Var(Variable::Plain(_)) if self.check(expr)? == Kind::Table => Ok(()),
            _ => Err(malformed(format!("'{expr}' stands for a table and is none"))),
        }
    }

    /// A list of numbers.
    fn check_scores(&self, expr: &Expr) -> Result<(), Rejection> {
        match expr {
            Expr::Var(list) if self.holds_numbers(list)? => Ok(()),
            _ => Err(Rejection::NotAList { found: expr.to_string() }),
        }
    }

    /// Whether all entries of a list are numbers.
    fn holds_numbers(&self, list: &Variable) -> Result<bool, Rejection> {
        let entries = self.list(list)?;
        let appended = match list {
            Variable::Plain(name) | Variable::Of(name, _) => self.appended.get(name).copied().flatten(),
            _ => None,
        };
        Ok(matches!(entries.or(appended), Some(Kind::Int | Kind::Real)))
    }

    /// A number.
    pub fn check_number(&self, expr: &Expr) -> Result<(), Rejection> {
        match self.check(expr)? {
            Kind::Int | Kind::Real => Ok(()),
            _ => Err(Rejection::NotANumber { found: expr.to_string() }),
        }
    }

    /// An integer.
    pub fn check_integer(&self, expr: &Expr) -> Result<(), Rejection> {
        match self.check(expr)? {
            Kind::Int => Ok(()),
            _ => Err(Rejection::NotAnInteger { found: expr.to_string() }),
        }
    }

    /// Whether the name is known.
    pub fn knows(&self, name: &Name) -> bool {
        self.names.contains_key(name)
    }

    /// Whether each name has the kind that it has there, and each list the entries.
    pub(crate) fn are_those_of(&self, other: &Kinds) -> bool {
        let alike = |name: &Name| {
            self.names.get(name) == other.names.get(name)
                && self.appended.get(name) == other.appended.get(name)
        };
        self.names.keys().all(alike)
    }

    /// The names, with their kinds.
    pub fn names(&self) -> impl Iterator<Item = (&Name, Kind)> {
        self.names.iter().map(|(name, kind)| (name, *kind))
    }

    fn kind(&self, expr: &Expr) -> Result<Option<Kind>, Rejection> {
        match expr {
            Expr::Number(n) => Ok(Some(if n.is_int() { Kind::Int } else { Kind::Real })),
            Expr::Bool(_) => Ok(Some(Kind::Bool)),
            Expr::EmptyList => Ok(Some(Kind::List)),
            Expr::Var(variable) => self.variable(variable),
            // The ghost of changes goes on without end.
            Expr::Length(Variable::Moved(list)) => Err(Rejection::NotAList { found: list.to_string() }),
            Expr::Length(list) => self.list(list).map(|_| Some(Kind::Int)),
            Expr::Index(list, index) => {
                self.need(index, Kind::Int)?;
                match self.list(list)? {
                    Some(entries) => Ok(Some(entries)),
                    None => self.entry_of_output(list, index),
                }
            }
            Expr::Sum(table, condition, value) => self.sum(table, condition, value),
            Expr::Apart(list, low, high) => {
                self.number(low)?;
                self.number(high)?;
                match self.holds_numbers(&Variable::Plain(list.clone()))? {
                    true => Ok(Some(Kind::Bool)),
                    false => Err(Rejection::NotAList { found: list.to_string() }),
                }
            }
            Expr::Unary(Unary::Not, a) => self.need(a, Kind::Bool).map(|()| Some(Kind::Bool)),
            Expr::Unary(operation, a) => {
                let kind = self.number(a)?;
                Ok(match operation {
                    Unary::Floor => Some(Kind::Int),
                    Unary::Ln | Unary::Exp | Unary::Pow2AtLeast | Unary::Sqrt => Some(Kind::Real),
                    _ => kind,
                })
            }
            Expr::Binary(operation, a, b) => match operation {
                Binary::And | Binary::Or => {
                    self.need(a, Kind::Bool)?;
                    self.need(b, Kind::Bool).map(|()| Some(Kind::Bool))
                }
                Binary::Mod => {
                    self.need(a, Kind::Int)?;
                    self.need(b, Kind::Int).map(|()| Some(Kind::Int))
                }
                Binary::Eq | Binary::Ne => join(expr, self.kind(a)?, self.kind(b)?).map(|_| Some(Kind::Bool)),
                Binary::Lt | Binary::Le | Binary::Ge | Binary::Gt => {
                    self.number(a)?;
                    self.number(b).map(|_| Some(Kind::Bool))
                }
                Binary::Div | Binary::RoundTo => {
                    self.number(a)?;
                    self.number(b).map(|_| Some(Kind::Real))
                }
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max => {
                    join(expr, self.number(a)?, self.number(b)?)
                }
            },
            Expr::Clamp(a, low, high) => {
                let ends = join(expr, self.number(low)?, self.number(high)?)?;
                join(expr, self.number(a)?, ends)
            }
            Expr::If(condition, yes, no) => {
                self.need(condition, Kind::Bool)?;
                match join(expr, self.kind(yes)?, self.kind(no)?)? {
                    Some(Kind::List | Kind::Table) => Err(Rejection::NotANumber { found: expr.to_string() }),
                    kind => Ok(kind),
                }
            }
        }
    }

    /// The kind of an entry of an output list: that of what is appended to it, if these are numbers.
    fn entry_of_output(&self, list: &Variable, index: &Expr) -> Result<Option<Kind>, Rejection> {
        let appended = match list {
            Variable::Plain(name) | Variable::Of(name, _) => self.appended.get(name),
            _ => None,
        };
        match appended {
            None => Ok(None),
            Some(Some(kind @ (Kind::Int | Kind::Real))) => Ok(Some(*kind)),
            _ => Err(Rejection::NotAList { found: format!("{list}[{index}]") }),
        }
    }

    /// The kind of a sum over rows: a table, a formula for its condition, a number for its value, and no field but
    /// those of the table.
    fn sum(&self, table: &Variable, condition: &Expr, value: &Expr) -> Result<Option<Kind>, Rejection> {
        if self.variable(table)? != Some(Kind::Table) {
            return Err(malformed(format!("a sum over {table}, which is no table")));
        }
        let foreign = |v: &Variable| matches!(v, Variable::Field(..)) && !table.binds(v);
        if let Some(v) = condition.find_variable(&foreign).or_else(|| value.find_variable(&foreign)) {
            return Err(malformed(format!("a sum over {table} mentions {v}")));
        }
        self.need(condition, Kind::Bool)?;
        self.number(value)
    }

    fn variable(&self, variable: &Variable) -> Result<Option<Kind>, Rejection> {
        match variable {
            Variable::Plain(name) | Variable::Of(name, _) | Variable::Arbitrary(name, _) => {
                Ok(self.names.get(name).copied())
            }
            Variable::Cost => Ok(Some(Kind::Real)),
            Variable::Changed(_) => Ok(Some(Kind::Int)),
            Variable::Entry(list) => match self.list(&Variable::Plain(list.clone()))? {
                None => Err(Rejection::NotAList { found: list.to_string() }),
                entries => Ok(entries),
            },
            Variable::Moved(_) => Ok(Some(Kind::List)),
            // Where a list is released, a part may still be proved point by point (SELECT): for every number.
            Variable::Result => {
                Ok(self.output.map(|kind| if kind == Kind::List { Kind::Real } else { kind }))
            }
            Variable::Field(table, field) | Variable::Row(table, _, field) => {
                let kind = self.fields.get(&(table.clone(), field.clone())).copied();
                kind.map(Some).ok_or_else(|| malformed(format!("{table} has no field {field}")))
            }
        }
    }

    /// What the entries of a list are, for an input list; `None` for an output list.
    fn list(&self, list: &Variable) -> Result<Option<Kind>, Rejection> {
        match (list, self.variable(list)?) {
            (Variable::Moved(_), _) => Ok(Some(Kind::Real)),
            (Variable::Plain(name) | Variable::Of(name, _), Some(Kind::List)) => {
                Ok(self.entries.get(name).copied())
            }
            _ => Err(Rejection::NotAList { found: list.to_string() }),
        }
    }

    fn number(&self, expr: &Expr) -> Result<Option<Kind>, Rejection> {
        match self.kind(expr)? {
            Some(Kind::Bool | Kind::List | Kind::Table) => {
                Err(Rejection::NotANumber { found: expr.to_string() })
            }
            kind => Ok(kind),
        }
    }

    fn need(&self, expr: &Expr, needed: Kind) -> Result<(), Rejection> {
        match self.kind(expr)? {
            Some(kind) if kind != needed => Err(match needed {
                Kind::Bool => Rejection::NotAFormula { found: expr.to_string() },
                Kind::Int => Rejection::NotAnInteger { found: expr.to_string() },
                _ => Rejection::NotANumber { found: expr.to_string() },
            }),
            _ => Ok(()),
        }
    }
}

/// The kind that holds two parts of an expression. Each part is looked at once, by the caller: twice at every level
/// would be exponential in the depth.
fn join(whole: &Expr, a: Option<Kind>, b: Option<Kind>) -> Result<Option<Kind>, Rejection> {
    match (a, b) {
        (Some(a), Some(b)) => match a.join(b) {
            None => Err(Rejection::KindsDiffer { found: whole.to_string() }),
            joined => Ok(joined),
        },
        (a, b) => Ok(a.or(b)),
    }
}

pub(crate) fn malformed(reason: String) -> Rejection {
    Rejection::Malformed { reason }
}
