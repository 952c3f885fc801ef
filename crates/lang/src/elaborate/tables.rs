//! Tables: their fields, sums over their rows, and which tables are neighbours.

use probity_exact::Rational;
use probity_kernel::expr::{Expr as Term, Name, Run, Variable};
use probity_kernel::term::{Adjacency, Field, Sort};

use super::expressions::Value;
use super::{Elaborator, Scope};
use crate::Span;
use crate::constant::number as constant;
use crate::diagnostic::{Code, quoted};
use crate::names::{Role, nearest};
use crate::syntax::{Aggregate, Expr, ExprKind, File, Ident, NeighboursKind, ScalarType, TypeExpr};
use crate::types::Type;

impl Elaborator<'_> {
    /// The sort of a table.
    pub(super) fn rows(&mut self, fields: &[(Ident, TypeExpr)]) -> Sort {
        let mut sorts: Vec<Field> = Vec::new();
        for (name, ty) in fields {
            if sorts.iter().any(|field| field.name.as_str() == name.text) {
                self.sink.report(Code::DuplicateName, name.span, || {
                    format!("the table has a field {} already: expected another name", quoted(&name.text))
                });
            }
            if matches!(ty.scalar, ScalarType::Rows(_)) || ty.list.is_some() {
                self.sink.report(Code::WrongType, ty.span, || {
                    "a field holds one value: expected `real`, `int`, `bool` or `category(count)`".to_string()
                });
                continue;
            }
            sorts.push(Field { name: Name::new(&name.text), sort: self.input_sort(ty) });
        }
        Sort::Rows(sorts)
    }

    /// `r.age` in a sum over rows, `people.age` of every row in a `where` line, `changed(people).age` in a proof.
    pub(super) fn field(&mut self, row: &Expr, field: &Ident, scope: Scope) -> Value {
        if let ExprKind::Name(name) = &row.kind {
            if let Some((known, table)) = self.row.clone()
                && known == *name
            {
                return self.field_of(&table, field, Variable::Field);
            }
            if self.tables.contains_key(name) && scope == Scope::Assumption {
                if let Some(symbol) = self.names.get_mut(name) {
                    symbol.used = true;
                }
                return self.field_of(name, field, Variable::Field);
            }
        }
        if let ExprKind::Call(function, arguments) = &row.kind
            && scope == Scope::Proof
            && function.text == "changed"
            && let [Expr { kind: ExprKind::Name(table) | ExprKind::Primed(table), .. }] = arguments.as_slice()
        {
            let second = matches!(arguments[0].kind, ExprKind::Primed(_));
            let run = if second { Run::Second } else { Run::First };
            return self.field_of(table, field, move |table, field| Variable::Row(table, run, field));
        }
        let tables: Vec<&String> = self.tables.keys().collect();
        self.sink.report_with(Code::WrongType, row.span.to(field.span), || {
            let hint = match tables.as_slice() {
                [table] => {
                    format!("a row is named in `count(r in {table} where ...)` or `sum(r in {table}, ...)`")
                }
                _ => "a row is named in `count(r in table where ...)` or `sum(r in table, ...)`".to_string(),
            };
            let message = "fields are those of the row of a sum: expected such a row before `.`";
            (message.to_string(), Some(hint))
        });
        Value::faulty()
    }

    fn field_of(&mut self, table: &str, field: &Ident, make: impl FnOnce(Name, Name) -> Variable) -> Value {
        let Some(fields) = self.tables.get(table) else {
            self.sink.report(Code::WrongType, field.span, || {
                format!("{} is no table: expected one before `.`", quoted(table))
            });
            return Value::faulty();
        };
        match fields.iter().find(|(name, _)| *name == field.text) {
            Some((_, ty)) => {
                let variable = make(Name::new(table), Name::new(&field.text));
                Value { term: Term::Var(variable), ty: *ty }
            }
            None => {
                let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
                self.sink.report_with(Code::UnknownName, field.span, || {
                    let hint = match nearest(&field.text, names.iter().map(String::as_str)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("its fields are {}", names.join(", ")),
                    };
                    let message = format!(
                        "a row of `{table}` has no field {}: expected one of its fields",
                        quoted(&field.text)
                    );
                    (message, Some(hint))
                });
                Value::faulty()
            }
        }
    }

    /// `count(r in table where condition)`, `sum(r in table where condition, value)`
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate, span: Span, scope: Scope) -> Value {
        let Aggregate { function, row, table, condition, value } = aggregate;
        if self.row.is_some() {
            self.sink.report_with(Code::WrongType, span, || {
                let message = format!("a `{}` stands in another: expected a value of one row", function.text);
                (message, Some("assign it to a variable before, with noise if it is to be used here".into()))
            });
            return Value::faulty();
        }
        if !matches!(scope, Scope::Program | Scope::Proof) {
            self.sink.report(Code::NotFixed, span, || {
                format!("`{}` depends on the rows: expected parameters here", function.text)
            });
            return Value::faulty();
        }
        let (over, name) = match &table.kind {
            ExprKind::Name(name) => (self.name(name, table.span, scope), name.clone()),
            ExprKind::Primed(name) => (self.primed(name, table.span, scope), name.clone()),
            _ => (self.expression(table, scope), String::new()),
        };
        let (Type::Table, Term::Var(over)) = (over.ty, over.term) else {
            if over.ty != Type::Unknown {
                self.sink.report(Code::WrongType, table.span, || {
                    format!("`{}` is over rows: expected an input table, found {}", function.text, over.ty)
                });
            }
            return Value::faulty();
        };
        if let Some(symbol) = self.names.get(&row.text) {
            let role = symbol.role.describe();
            self.sink.report_with(Code::DuplicateName, row.span, || {
                let message = format!("{} is {role}: expected another name for the row", quoted(&row.text));
                (message, Some("a name means one thing in the whole file".into()))
            });
        }
        self.row = Some((row.text.clone(), name));
        let condition = condition.as_ref().map_or(Term::Bool(true), |c| self.typed(c, scope, Type::Bool));
        let value = value.as_ref().map(|v| (self.numeric(v, scope), v.span));
        self.row = None;
        match (function.text.as_str(), value) {
            ("count", None) => Value { term: Term::sum(over, condition, Term::int(1)), ty: Type::Int },
            ("count", Some((_, span))) => {
                self.sink.report_with(Code::WrongArity, span, || {
                    let hint = "`sum(r in table where condition, value)` adds values up";
                    ("`count` has no value to add: expected `)`".to_string(), Some(hint.into()))
                });
                Value::faulty()
            }
            (_, Some((value, _))) => Value { term: Term::sum(over, condition, value.term), ty: value.ty },
            (_, None) => {
                self.sink.report_with(Code::WrongArity, span, || {
                    let hint = "`count(r in table where condition)` counts rows";
                    let message = "`sum` needs what it adds up: expected `, value` before `)`";
                    (message.to_string(), Some(hint.into()))
                });
                Value::faulty()
            }
        }
    }

    /// A table, by name; `what` says what it is for.
    pub(super) fn whole_table(&mut self, table: &Expr, what: &str) -> Option<Term> {
        let value = self.expression(table, Scope::Program);
        if value.ty == Type::Table && matches!(value.term, Term::Var(_)) {
            return Some(value.term);
        }
        if value.ty != Type::Unknown {
            self.sink.report_with(Code::WrongType, table.span, || {
                let message = format!("{what}: expected the name of a table, found {}", value.ty);
                (message, Some("a table is an input of type `rows(field: type, ...)`".into()))
            });
        }
        None
    }

    /// A sample has the fields of its table.
    pub(super) fn sample_of(&mut self, sample: &Ident, table: &Term) {
        let Term::Var(Variable::Plain(table)) = table else { return };
        let Some(fields) = self.tables.get(table.as_str()).cloned() else { return };
        let known = self.tables.entry(sample.text.clone()).or_insert_with(|| fields.clone());
        if *known != fields {
            self.sink.report(Code::WrongType, sample.span, || {
                format!("`{}` was a sample of another table above: expected another name", sample.text)
            });
        }
    }

    pub(super) fn no_length(&mut self, span: Span) {
        self.sink.report_with(Code::WrongType, span, || {
            let message = "how many rows a table has is private: expected a list";
            (message.to_string(), Some("`count(r in table)` is their number, to be used with noise".into()))
        });
    }

    pub(super) fn no_row_loop(&mut self, span: Span) {
        self.sink.report_with(Code::WrongType, span, || {
            let message = "the rows of a table are seen through sums only: expected a range or a list";
            let hint =
                "`sum(r in table where ..., value)` and `count(r in table where ...)` go over the rows";
            (message.to_string(), Some(hint.into()))
        });
    }

    pub(super) fn not_a_table(&mut self, value: &Value, span: Span) {
        if value.ty == Type::Table {
            self.sink.report_with(Code::WrongType, span, || {
                let hint = "`sum(r in table where ..., value)` and `count(r in table where ...)` are numbers";
                ("a table is seen through sums only: expected a number".to_string(), Some(hint.into()))
            });
        }
    }

    pub(super) fn input_table(&mut self, table: &Ident) -> Name {
        match self.names.get(&table.text) {
            None => self.unknown_name(&table.text, table.span),
            Some(symbol) => {
                let (role, ty) = (symbol.role.clone(), symbol.ty);
                if (ty != Type::Table || role != Role::Input) && ty != Type::Unknown {
                    self.sink.report(Code::WrongType, table.span, || {
                        let found =
                            if role == Role::Input { ty.to_string() } else { role.describe().to_string() };
                        format!("`{}` is {found}: expected an input table", table.text)
                    });
                }
            }
        }
        Name::new(&table.text)
    }

    pub(super) fn number_of_rows(&mut self, most: &Expr) -> Term {
        let term = self.typed(most, Scope::Fixed, Type::Int);
        if constant(&term).is_some_and(|value| value < Rational::ONE) {
            self.sink.report(Code::OutOfRange, most.span, || {
                "neighbours differ by at least one row: expected a whole number from 1 on".to_string()
            });
        }
        term
    }

    /// A clause that says "added or removed" leaves the order of the runs open, so no other clause may depend on it.
    pub(super) fn one_order(&mut self, file: &File, clauses: &[Adjacency]) {
        let counts = |kind: &NeighboursKind| {
            matches!(kind, NeighboursKind::OneRow { .. } | NeighboursKind::Rows { .. })
        };
        let mut rows = file.neighbours.iter().filter(|n| counts(&n.kind));
        let (Some(_), second) = (rows.next(), rows.next()) else { return };
        let grows = clauses.iter().any(|clause| matches!(clause, Adjacency::EveryEntryGrows { .. }));
        let span = match second {
            Some(second) => second.span,
            None if grows => match file.neighbours.last() {
                Some(last) => last.span,
                None => return,
            },
            None => return,
        };
        self.sink.report_with(Code::VacuousAdjacency, span, || {
            let message = "rows of one table are added or removed, and another clause depends on the order of the two inputs: expected one such clause";
            (message.to_string(), Some("`one row of table is replaced` does not depend on the order".into()))
        });
    }
}
