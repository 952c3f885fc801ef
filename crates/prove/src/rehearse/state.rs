//! The state of two coupled runs, and the value of expressions in it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use probity_exact::directed::{cast_nearest, exp_nearest, ln_nearest};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};

/// How far apart numbers may be that are taken to be equal.
pub(super) const TOLERANCE: f64 = 1e-9;

/// A value in a rehearsal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Number(f64),
    Flag(bool),
    List(Rc<Vec<Value>>),
    Table(Rc<Vec<Rc<Row>>>),
}

/// A row of a table, by field.
pub(crate) type Row = BTreeMap<Name, Value>;

/// Why a rehearsal ended before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A condition of a rule, or the goal, does not hold.
    Fails,
    /// Numbers too close to call, or too many iterations: nothing is shown.
    Unclear,
}

/// Pseudo-random numbers from a fixed seed, so that every search can be repeated.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % below.max(1)
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { from.get(self.roll(from.len())).copied() }
    }
}

pub(super) type Store = BTreeMap<Name, Value>;

/// The state of two coupled runs.
pub(crate) struct Pair {
    pub(super) shared: Store,
    pub(super) runs: [Store; 2],
    pub(super) changed: BTreeMap<Name, f64>,
    /// The rows that only one run's table has, by table and run.
    pub(super) rows: BTreeMap<(Name, Run), Rc<Row>>,
    /// For a list whose changes the adjacency sums up: whether it sums their squares.
    pub(super) squares: BTreeMap<Name, bool>,
    /// The row at hand, inside a sum.
    pub(super) at: RefCell<Option<Rc<Row>>>,
    pub(super) result: Option<Value>,
    pub(super) cost: f64,
    /// What each draw has cost so far, by its number in the order of the text.
    pub(crate) spent: Vec<f64>,
    pub(super) dice: Dice,
    pub(super) unclear: Cell<bool>,
}

pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * (1.0 + a.abs() + b.abs())
}

pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => close(*a, *b),
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| same(a, b)),
        _ => a == b,
    }
}

pub(super) fn place(run: Run) -> usize {
    usize::from(run == Run::Second)
}

impl Pair {
    /// The state before the first statement.
    pub(super) fn new(shared: Store, runs: [Store; 2], changed: BTreeMap<Name, f64>, seed: u64) -> Pair {
        Pair {
            shared,
            runs,
            changed,
            rows: BTreeMap::new(),
            squares: BTreeMap::new(),
            at: RefCell::new(None),
            result: None,
            cost: 0.0,
            spent: Vec::new(),
            dice: Dice::new(seed),
            unclear: Cell::new(false),
        }
    }

    /// The value of an expression: of a program in one run, or of an assertion.
    pub(super) fn value(&self, expr: &Expr, run: Run) -> Option<Value> {
        Some(match expr {
            Expr::Number(n) => Value::Number(cast_nearest(n)),
            Expr::Bool(b) => Value::Flag(*b),
            Expr::EmptyList => Value::List(Rc::default()),
            Expr::Var(v) => self.variable(v, run)?,
            Expr::Length(v) => match self.variable(v, run)? {
                Value::List(list) => Value::Number(list.len() as f64),
                _ => return None,
            },
            Expr::Index(Variable::Moved(list), index) => {
                Value::Number(self.moved(list, self.number(index, run)?)?)
            }
            Expr::Apart(list, low, high) => {
                Value::Flag(self.apart(list, self.number(low, run)?, self.number(high, run)?)?)
            }
            Expr::Index(v, index) => {
                let at = self.number(index, run)?;
                match self.variable(v, run)? {
                    Value::List(list) if at >= 0.0 && at.fract() == 0.0 => {
                        list.get(at as usize).cloned().unwrap_or(Value::Number(0.0))
                    }
                    _ => Value::Number(0.0),
                }
            }
            Expr::Unary(Unary::Not, a) => Value::Flag(!self.flag(a, run)?),
            Expr::Unary(op, a) => {
                let a = self.number(a, run)?;
                Value::Number(match op {
                    Unary::Neg => -a,
                    Unary::Abs => a.abs(),
                    Unary::Floor => a.floor(),
                    Unary::Ln if a > 0.0 => ln_nearest(a),
                    Unary::Exp => exp_nearest(a),
                    Unary::Sqrt if a >= 0.0 => a.sqrt(),
                    Unary::Pow2AtLeast if a > 0.0 && a.is_finite() => {
                        let (mut p, mut down) = (1.0f64, 0.5f64);
                        while p < a {
                            p *= 2.0;
                        }
                        while down >= a {
                            (p, down) = (down, down / 2.0);
                        }
                        p
                    }
                    _ => 0.0,
                })
            }
            Expr::Binary(Binary::And, a, b) => Value::Flag(self.flag(a, run)? && self.flag(b, run)?),
            Expr::Binary(Binary::Or, a, b) => Value::Flag(self.flag(a, run)? || self.flag(b, run)?),
            Expr::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
                let (a, b) = (self.value(a, run)?, self.value(b, run)?);
                Value::Flag(same(&a, &b) == (*op == Binary::Eq))
            }
            Expr::Binary(op, a, b) => self.operation(*op, self.number(a, run)?, self.number(b, run)?),
            Expr::Clamp(a, low, high) => {
                let (a, low, high) = (self.number(a, run)?, self.number(low, run)?, self.number(high, run)?);
                Value::Number(a.min(high).max(low))
            }
            Expr::If(c, a, b) => self.value(if self.flag(c, run)? { a } else { b }, run)?,
            Expr::Sum(table, condition, value) => {
                let Value::Table(rows) = self.variable(table, run)? else { return None };
                Value::Number(self.sum(&rows, condition, value, run)?)
            }
        })
    }

    /// The entries of a list of numbers in both runs.
    fn both(&self, list: &Name) -> Option<[Vec<f64>; 2]> {
        let of = |store: &Store| match store.get(list)? {
            Value::List(items) => items
                .iter()
                .map(|item| match item {
                    Value::Number(n) => Some(*n),
                    _ => None,
                })
                .collect::<Option<Vec<f64>>>(),
            _ => None,
        };
        Some([of(&self.runs[0])?, of(&self.runs[1])?])
    }

    /// Whether all changes of the entries of a list lie between two numbers.
    fn apart(&self, list: &Name, low: f64, high: f64) -> Option<bool> {
        let [first, second] = self.both(list)?;
        let within = |d: f64| (low <= d || close(low, d)) && (d <= high || close(d, high));
        Some(first.len() == second.len() && first.iter().zip(&second).all(|(a, b)| within(b - a)))
    }

    /// The sum of the changes, or of their squares, of the entries before a place.
    fn moved(&self, list: &Name, place: f64) -> Option<f64> {
        let squares = *self.squares.get(list)?;
        let [first, second] = self.both(list)?;
        let changes = first.iter().zip(&second).map(|(a, b)| (b - a).abs());
        let before = changes.take(place.max(0.0) as usize);
        Some(before.map(|d| if squares { d * d } else { d }).sum())
    }

    fn sum(&self, rows: &[Rc<Row>], condition: &Expr, value: &Expr, run: Run) -> Option<f64> {
        let before = self.at.take();
        let mut sum = Some(0.0);
        for row in rows {
            *self.at.borrow_mut() = Some(row.clone());
            let share = match self.flag(condition, run) {
                Some(true) => self.number(value, run),
                Some(false) => Some(0.0),
                None => None,
            };
            sum = sum.zip(share).map(|(sum, share)| sum + share);
        }
        *self.at.borrow_mut() = before;
        sum
    }

    fn operation(&self, op: Binary, a: f64, b: f64) -> Value {
        let order = |yes: bool| {
            if a != b && close(a, b) {
                self.unclear.set(true);
            }
            Value::Flag(yes)
        };
        match op {
            Binary::Lt => order(a < b),
            Binary::Le => order(a <= b),
            Binary::Gt => order(a > b),
            Binary::Ge => order(a >= b),
            _ => Value::Number(match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if b != 0.0 => a / b,
                Binary::Mod if b > 0.0 => a.rem_euclid(b),
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::RoundTo if b > 0.0 => {
                    let steps = a / b;
                    // A tie that rounding errors may have decided.
                    if close((steps - steps.floor() - 0.5).abs() + 1.0, 1.0) && steps.fract().abs() != 0.5 {
                        self.unclear.set(true);
                    }
                    steps.round_ties_even() * b
                }
                _ => 0.0,
            }),
        }
    }

    fn variable(&self, variable: &Variable, run: Run) -> Option<Value> {
        match variable {
            Variable::Plain(name) => {
                self.shared.get(name).or_else(|| self.runs[place(run)].get(name)).cloned()
            }
            Variable::Of(name, run) => self.runs[place(*run)].get(name).cloned(),
            Variable::Cost => Some(Value::Number(self.cost)),
            Variable::Result => self.result.clone(),
            Variable::Changed(list) => self.changed.get(list).map(|at| Value::Number(*at)),
            Variable::Field(_, field) => self.at.borrow().as_ref()?.get(field).cloned(),
            Variable::Row(table, run, field) => self.rows.get(&(table.clone(), *run))?.get(field).cloned(),
            Variable::Entry(_) | Variable::Moved(_) | Variable::Arbitrary(..) => None,
        }
    }

    pub(super) fn number(&self, expr: &Expr, run: Run) -> Option<f64> {
        match self.value(expr, run)? {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    pub(super) fn flag(&self, expr: &Expr, run: Run) -> Option<bool> {
        match self.value(expr, run)? {
            Value::Flag(b) => Some(b),
            _ => None,
        }
    }

    /// Whether an assertion holds here; `None` if it cannot be evaluated.
    pub(crate) fn holds(&self, assertion: &Expr) -> Option<bool> {
        match assertion {
            // Up to rounding errors.
            Expr::Binary(Binary::And, a, b) => Some(self.holds(a)? && self.holds(b)?),
            Expr::Binary(Binary::Or, a, b) => Some(self.holds(a)? || self.holds(b)?),
            Expr::Binary(Binary::Le, a, b) => {
                let (a, b) = (self.number(a, Run::First)?, self.number(b, Run::First)?);
                Some(a <= b || close(a, b))
            }
            _ => self.flag(assertion, Run::First),
        }
    }

    /// The value of a number in an assertion.
    pub(crate) fn amount(&self, expr: &Expr) -> Option<f64> {
        self.number(expr, Run::First)
    }

    pub(super) fn set(&mut self, name: &Name, first: Value, second: Value) {
        self.runs[0].insert(name.clone(), first);
        self.runs[1].insert(name.clone(), second);
    }

    pub(super) fn charge(&mut self, site: usize, cost: f64) {
        self.cost += cost;
        if let Some(spent) = self.spent.get_mut(site) {
            *spent += cost;
        }
    }
}
