//! What an expression means for two states, exactly or between bounds.

use std::collections::BTreeMap;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};

use crate::number::{Number, Span, Tri, r};

/// A row of a table.
pub type Row = BTreeMap<Name, Value>;

/// What a variable stands for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Value {
    Number(Number),
    Truth(Tri),
    List(Vec<Value>),
    Table(Vec<Row>),
}

impl Value {
    pub fn int(n: i64) -> Value {
        Value::Number(Number::point(r(n, 1)))
    }

    pub fn ratio(n: i64, d: i64) -> Value {
        Value::Number(Number::point(r(n, d)))
    }

    pub fn truth(answer: bool) -> Value {
        Value::Truth(Tri::of(answer))
    }
}

/// Why an expression has no value here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It means nothing: the kernel may not have accepted it.
    IllTyped(String),
    /// The bounds do not tell.
    Unknown,
}

pub type State = BTreeMap<Name, Value>;

/// Two states, what both runs share, and the ghosts.
pub struct World<'a> {
    pub one: &'a State,
    pub two: &'a State,
    pub shared: &'a State,
    pub ghosts: &'a BTreeMap<Variable, Value>,
    pub cost: Number,
}

/// Where an expression is evaluated.
pub struct Scope<'a> {
    pub look: &'a dyn Fn(&Variable) -> Option<Value>,
    /// The row at hand, inside a sum.
    pub row: Option<(&'a Name, &'a Row)>,
}

impl World<'_> {
    pub fn value(&self, e: &Expr) -> Result<Value, Fault> {
        let look = |v: &Variable| match v {
            Variable::Plain(name) => self.shared.get(name).cloned().or_else(|| {
                // The length of an input list is the same in both runs.
                self.one.get(name).filter(|value| matches!(value, Value::List(_))).cloned()
            }),
            Variable::Of(name, Run::First) => self.one.get(name).cloned(),
            Variable::Of(name, Run::Second) => self.two.get(name).cloned(),
            Variable::Cost => Some(Value::Number(self.cost.clone())),
            other => self.ghosts.get(other).cloned(),
        };
        value(e, &Scope { look: &look, row: None })
    }

    pub fn truth(&self, e: &Expr) -> Result<Tri, Fault> {
        match self.value(e)? {
            Value::Truth(answer) => Ok(answer),
            _ => Err(ill(e)),
        }
    }
}

/// A program's expression in a state.
pub fn plain(e: &Expr, state: &State, shared: &State) -> Result<Value, Fault> {
    let look = |v: &Variable| match v {
        Variable::Plain(name) => shared.get(name).or_else(|| state.get(name)).cloned(),
        _ => None,
    };
    value(e, &Scope { look: &look, row: None })
}

fn ill(e: &Expr) -> Fault {
    Fault::IllTyped(e.to_string())
}

fn number(e: &Expr, scope: &Scope) -> Result<Number, Fault> {
    match value(e, scope)? {
        Value::Number(n) => Ok(n),
        _ => Err(ill(e)),
    }
}

fn truth(e: &Expr, scope: &Scope) -> Result<Tri, Fault> {
    match value(e, scope)? {
        Value::Truth(answer) => Ok(answer),
        _ => Err(ill(e)),
    }
}

fn lookup(v: &Variable, scope: &Scope) -> Result<Value, Fault> {
    if let Variable::Field(table, field) = v {
        let row = scope.row.filter(|(of, _)| *of == table).and_then(|(_, row)| row.get(field));
        return row.cloned().ok_or_else(|| Fault::IllTyped(v.to_string()));
    }
    (scope.look)(v).ok_or_else(|| Fault::IllTyped(v.to_string()))
}

/// Whether two values are equal.
pub fn equal(a: &Value, b: &Value) -> Result<Tri, Fault> {
    Ok(match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.eq(b),
        (Value::Truth(Tri::Maybe), Value::Truth(_)) | (Value::Truth(_), Value::Truth(Tri::Maybe)) => {
            Tri::Maybe
        }
        (Value::Truth(a), Value::Truth(b)) => Tri::of(a == b),
        (Value::List(a), Value::List(b)) => {
            let mut answer = Tri::of(a.len() == b.len());
            for (a, b) in a.iter().zip(b) {
                answer = answer.min(equal(a, b)?);
            }
            answer
        }
        _ => return Err(Fault::IllTyped(format!("{a:?} == {b:?}"))),
    })
}

pub fn value(e: &Expr, scope: &Scope) -> Result<Value, Fault> {
    let n = |e: &Expr| number(e, scope);
    let zero = || Number::point(Rational::ZERO);
    Ok(match e {
        Expr::Number(n) => Value::Number(Number::point(n.clone())),
        Expr::Bool(b) => Value::truth(*b),
        Expr::EmptyList => Value::List(vec![]),
        Expr::Var(v) => lookup(v, scope)?,
        Expr::Unary(Unary::Not, a) => Value::Truth(truth(a, scope)?.not()),
        Expr::Unary(op, a) => {
            let a = n(a)?;
            Value::Number(match op {
                Unary::Neg => a.scaled(&r(-1, 1)),
                Unary::Abs => a.abs(),
                Unary::Floor => a.floor(),
                Unary::Ln => a.ln(),
                Unary::Exp => a.exp(),
                Unary::Sqrt => a.sqrt(),
                Unary::Pow2AtLeast => a.pow2_at_least(),
                Unary::Not => unreachable!(),
            })
        }
        Expr::Binary(Binary::And, a, b) => Value::Truth(match truth(a, scope)? {
            Tri::No => Tri::No,
            a => a.min(truth(b, scope)?),
        }),
        Expr::Binary(Binary::Or, a, b) => Value::Truth(match truth(a, scope)? {
            Tri::Yes => Tri::Yes,
            a => a.max(truth(b, scope)?),
        }),
        Expr::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
            let same = equal(&value(a, scope)?, &value(b, scope)?)?;
            Value::Truth(if *op == Binary::Eq { same } else { same.not() })
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (n(a)?, n(b)?);
            match op {
                Binary::Lt => return Ok(Value::Truth(a.lt(&b))),
                Binary::Le => return Ok(Value::Truth(a.le(&b))),
                Binary::Ge => return Ok(Value::Truth(b.le(&a))),
                Binary::Gt => return Ok(Value::Truth(b.lt(&a))),
                _ => {}
            }
            Value::Number(match op {
                Binary::Add => a.plus(&b),
                Binary::Sub => a.minus(&b),
                Binary::Mul => a.times(&b),
                Binary::Div => a.over(&b),
                Binary::Mod => a.modulo(&b),
                Binary::Min => Number::choose(a.lt(&b), &a, &b),
                Binary::Max => Number::choose(a.lt(&b), &b, &a),
                Binary::RoundTo => a.round_to(&b),
                _ => unreachable!(),
            })
        }
        Expr::Clamp(a, low, high) => {
            let (a, low, high) = (n(a)?, n(low)?, n(high)?);
            let least = Number::choose(a.lt(&high), &a, &high);
            Value::Number(Number::choose(least.lt(&low), &low, &least))
        }
        Expr::If(c, a, b) => {
            let c = truth(c, scope)?;
            if c != Tri::Maybe {
                return value(if c == Tri::Yes { a } else { b }, scope);
            }
            match (value(a, scope)?, value(b, scope)?) {
                (Value::Number(a), Value::Number(b)) => Value::Number(Number::choose(c, &a, &b)),
                (Value::Truth(a), Value::Truth(b)) => Value::Truth(match c {
                    _ if a == b => a,
                    _ => Tri::Maybe,
                }),
                _ => return Err(ill(e)),
            }
        }
        Expr::Index(list, index) => {
            let (Value::List(list), index) = (lookup(list, scope)?, n(index)?) else { return Err(ill(e)) };
            let Some(at) = index.as_point() else { return Err(Fault::Unknown) };
            let entry = (0..list.len()).find(|i| r(*i as i64, 1) == *at);
            entry.map_or(Value::Number(zero()), |i| list[i].clone())
        }
        Expr::Apart(list, low, high) => {
            let of = |run| lookup(&Variable::Of(list.clone(), run), scope);
            let (Value::List(one), Value::List(two)) = (of(Run::First)?, of(Run::Second)?) else {
                return Err(ill(e));
            };
            let (low, high) = (n(low)?, n(high)?);
            let mut answer = Tri::of(one.len() == two.len());
            for pair in one.iter().zip(&two) {
                let (Value::Number(a), Value::Number(b)) = pair else { return Err(ill(e)) };
                let growth = b.minus(a);
                answer = answer.min(low.le(&growth)).min(growth.le(&high));
            }
            Value::Truth(answer)
        }
        Expr::Length(list) => match lookup(list, scope)? {
            Value::List(list) => Value::int(list.len() as i64),
            _ => return Err(ill(e)),
        },
        Expr::Sum(table, condition, summand) => {
            let (Variable::Plain(name) | Variable::Of(name, _), Value::Table(rows)) =
                (table, lookup(table, scope)?)
            else {
                return Err(ill(e));
            };
            let mut sum = zero();
            for row in &rows {
                let inner = Scope { look: scope.look, row: Some((name, row)) };
                let counts = truth(condition, &inner)?;
                sum = sum.plus(&Number::choose(counts, &number(summand, &inner)?, &zero()));
            }
            Value::Number(sum)
        }
    })
}

/// The largest cost at which a formula may hold, between bounds of what is not known.
pub enum Room {
    /// At no cost.
    None,
    /// At this cost or less, perhaps.
    UpTo(Rational),
    /// At costs as large as one likes.
    Unbounded,
}

const COST: u32 = u32::MAX;

/// The costs at which a comparison in the formula may change its answer, in order.
pub fn breakpoints(formula: &Expr, world: &World) -> Result<Vec<Rational>, Fault> {
    let symbolic = World { cost: Number::symbol(COST, Span::everything()), ..*world };
    let mut found = Vec::new();
    collect(formula, &symbolic, &Variable::Cost, &mut found)?;
    found.sort();
    found.dedup();
    Ok(found)
}

/// The values of a variable at which a comparison in the formula may change its answer, as far as they are found, in order.
pub fn turns(formula: &Expr, world: &World, variable: &Variable) -> Vec<Rational> {
    let mut ghosts = world.ghosts.clone();
    ghosts.insert(variable.clone(), Value::Number(Number::symbol(COST, Span::everything())));
    let symbolic = World { ghosts: &ghosts, cost: world.cost.clone(), ..*world };
    let mut found = Vec::new();
    // Where one is not found, the others are cuts all the same.
    let _ = collect(formula, &symbolic, variable, &mut found);
    found.sort();
    found.dedup();
    found
}

fn collect(e: &Expr, world: &World, variable: &Variable, found: &mut Vec<Rational>) -> Result<(), Fault> {
    if !e.mentions(variable) {
        return Ok(());
    }
    if let Expr::Binary(op, a, b) = e
        && !matches!(op, Binary::And | Binary::Or)
        && let (Ok(Value::Number(a)), Ok(Value::Number(b))) = (world.value(a), world.value(b))
    {
        let mut difference = a.minus(&b);
        match difference.parts.remove(&COST) {
            Some((factor, _)) => {
                let at = difference.scaled(&(-(Rational::ONE / factor))).span();
                let (Some(low), Some(high)) = (at.low, at.high) else { return Err(Fault::Unknown) };
                found.extend([low, high]);
            }
            None if difference.span().low.is_none() || difference.span().high.is_none() => {
                return Err(Fault::Unknown);
            }
            None => {}
        }
        return Ok(());
    }
    e.parts().into_iter().flatten().try_for_each(|part| collect(part, world, variable, found))
}

/// How large the cost may be where the formula may hold.
pub fn room(formula: &Expr, world: &World) -> Result<Room, Fault> {
    let ends = breakpoints(formula, world)?;
    let at = |cost: Rational| {
        let there = World { cost: Number::point(cost), ..*world };
        Ok::<bool, Fault>(there.truth(formula)? != Tri::No)
    };
    let Some(last) = ends.last() else {
        return Ok(if at(Rational::ZERO)? { Room::Unbounded } else { Room::None });
    };
    if at(last + Rational::ONE)? {
        return Ok(Room::Unbounded);
    }
    for (n, end) in ends.iter().enumerate().rev() {
        if at(end.clone())? {
            return Ok(Room::UpTo(end.clone()));
        }
        let below = match n {
            0 => end - Rational::ONE,
            _ => (end + &ends[n - 1]) / r(2, 1),
        };
        if at(below)? {
            return Ok(Room::UpTo(end.clone()));
        }
    }
    Ok(Room::None)
}
