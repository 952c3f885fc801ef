//! Pairs of states: parameters that meet the assumptions, neighbouring inputs, and anything in the other variables.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::Rational;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Adjacency, Mechanism, Sort};

use crate::number::{Number, Tri, r};
use crate::value::{Row, State, Value, World, equal};

/// Places up to which it is said how far a list has moved: further than any index that is generated.
const PLACES: usize = 40;

/// Pseudo-random numbers from a fixed seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len() as u64) as usize].clone()
    }

    /// Some value of a kind.
    pub fn value(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Bool => Value::truth(self.one_in(2)),
            Kind::Int => Value::int(self.roll(5) as i64 - 1),
            Kind::Real => Value::ratio(self.roll(9) as i64 - 4, 2),
            Kind::List => {
                let entries = (0..self.roll(3)).map(|_| self.value(Kind::Int)).collect();
                Value::List(entries)
            }
            Kind::Table => Value::Table(vec![]),
        }
    }
}

/// Two states, what they share, and the ghosts that belong to them.
pub struct Pair {
    pub one: State,
    pub two: State,
    pub shared: State,
    pub ghosts: BTreeMap<Variable, Value>,
}

impl Pair {
    pub fn world<'a>(&'a self, ghosts: &'a BTreeMap<Variable, Value>, cost: Rational) -> World<'a> {
        World { one: &self.one, two: &self.two, shared: &self.shared, ghosts, cost: Number::point(cost) }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut show = |what: &str, state: &mut dyn Iterator<Item = (String, &Value)>| {
            write!(f, "{what}")?;
            for (name, value) in state {
                match value {
                    Value::Number(n) if n.as_point().is_some() => {
                        write!(f, " {name}={}", n.as_point().unwrap())?
                    }
                    Value::Truth(answer) => write!(f, " {name}={answer:?}")?,
                    other => write!(f, " {name}={other:?}")?,
                }
            }
            writeln!(f)
        };
        show("first ", &mut self.one.iter().map(|(n, v)| (n.to_string(), v)))?;
        show("second", &mut self.two.iter().map(|(n, v)| (n.to_string(), v)))?;
        show("shared", &mut self.shared.iter().map(|(n, v)| (n.to_string(), v)))?;
        show("ghosts", &mut self.ghosts.iter().map(|(n, v)| (n.to_string(), v)))
    }
}

fn of_sort(sort: &Sort, dice: &mut Dice) -> Value {
    match sort {
        Sort::Real => dice.value(Kind::Real),
        Sort::Int => Value::int(dice.roll(4) as i64 - 1),
        Sort::Bool => dice.value(Kind::Bool),
        // The counts that are generated are constants.
        Sort::Category { count: Expr::Number(n) } => {
            let count = i64::try_from(n.clone().floor()).unwrap().max(1);
            Value::int(dice.roll(count as u64) as i64)
        }
        Sort::Category { .. } => Value::int(0),
        Sort::RealList => Value::List((0..dice.roll(3)).map(|_| dice.value(Kind::Real)).collect()),
        Sort::IntList => Value::List((0..dice.roll(3)).map(|_| dice.value(Kind::Int)).collect()),
        Sort::Rows(_) => Value::Table((0..dice.roll(3)).map(|_| row(sort, dice)).collect()),
    }
}

fn row(sort: &Sort, dice: &mut Dice) -> Row {
    match sort {
        Sort::Rows(fields) => fields.iter().map(|f| (f.name.clone(), of_sort(&f.sort, dice))).collect(),
        _ => Row::new(),
    }
}

/// A second input beside a first: often equal, often near.
fn beside(value: &Value, sort: &Sort, dice: &mut Dice) -> Value {
    match (value, dice.roll(3)) {
        (_, 0) => value.clone(),
        (Value::List(entries), _) => {
            let mut entries = entries.clone();
            for entry in &mut entries {
                let step = Value::int(dice.roll(3) as i64 - 1);
                if let (Value::Number(a), Value::Number(b)) = (&*entry, &step) {
                    *entry = Value::Number(a.plus(b));
                }
            }
            Value::List(entries)
        }
        (Value::Table(rows), _) => {
            let mut rows = rows.clone();
            match dice.roll(3) {
                0 => rows.push(row(sort, dice)),
                1 => drop(rows.pop()),
                _ => {
                    rows.pop();
                    rows.push(row(sort, dice));
                }
            }
            Value::Table(rows)
        }
        _ => of_sort(sort, dice),
    }
}

/// What one table has more than another, if that is some rows and nothing else.
fn extra(more: &[Row], less: &[Row]) -> Option<Vec<Row>> {
    let mut rest = more.to_vec();
    for row in less {
        let at = rest.iter().position(|other| other == row)?;
        rest.remove(at);
    }
    Some(rest)
}

/// Whether a clause holds of (low, high), by its definition; ghosts that go with it are added for the runs as they are.
fn clause_holds(
    clause: &Adjacency,
    (low, high): (&State, &State),
    shared: &State,
    low_run: Run,
    ghosts: &mut BTreeMap<Variable, Value>,
    dice: &mut Dice,
) -> bool {
    let none = BTreeMap::new();
    let world = World { one: low, two: high, shared, ghosts: &none, cost: Number::point(r(0, 1)) };
    let lists = |list: &Name| match (&low[list], &high[list]) {
        (Value::List(a), Value::List(b)) => a.iter().cloned().zip(b.iter().cloned()).collect::<Vec<_>>(),
        _ => panic!("{list} is no list"),
    };
    let number = |e: &Expr| match world.value(e) {
        Ok(Value::Number(n)) => n,
        other => panic!("{e}: {other:?}"),
    };
    let grows = |a: &Value, b: &Value| match (a, b) {
        (Value::Number(a), Value::Number(b)) => b.minus(a),
        _ => panic!("no numbers"),
    };
    let tables = |table: &Name| match (&low[table], &high[table]) {
        (Value::Table(a), Value::Table(b)) => (a.clone(), b.clone()),
        _ => panic!("{table} is no table"),
    };
    let mut set_row = |table: &Name, run: Run, row: &Row| {
        for (field, value) in row {
            ghosts.insert(Variable::Row(table.clone(), run, field.clone()), value.clone());
        }
    };
    match clause {
        Adjacency::Related(assertion) => world.truth(assertion) == Ok(Tri::Yes),
        Adjacency::EveryEntry { list, bound } => {
            let bound = number(bound);
            lists(list).iter().all(|(a, b)| grows(a, b).abs().le(&bound) == Tri::Yes)
        }
        Adjacency::EveryEntryGrows { list, bound } => {
            let (zero, bound) = (Number::point(r(0, 1)), number(bound));
            lists(list).iter().all(|(a, b)| {
                let growth = grows(a, b);
                zero.le(&growth) == Tri::Yes && growth.le(&bound) == Tri::Yes
            })
        }
        Adjacency::OneEntry { list, bound } => {
            let (bound, entries) = (number(bound), lists(list));
            let different: Vec<usize> = (0..entries.len())
                .filter(|i| equal(&entries[*i].0, &entries[*i].1) != Ok(Tri::Yes))
                .collect();
            let at = different.first().copied().unwrap_or(dice.roll(3) as usize);
            ghosts.insert(Variable::Changed(list.clone()), Value::int(at as i64));
            different.len() <= 1 && entries.iter().all(|(a, b)| grows(a, b).abs().le(&bound) == Tri::Yes)
        }
        Adjacency::Norm { list, bound, squares } => {
            let bound = number(bound);
            let size = |(a, b): &(Value, Value)| match squares {
                true => grows(a, b).times(&grows(a, b)),
                false => grows(a, b).abs(),
            };
            // How far the entries before each place have moved; from the last one on it stays what it is.
            let mut moved = vec![Number::point(r(0, 1))];
            for entry in lists(list).iter() {
                moved.push(moved[moved.len() - 1].plus(&size(entry)));
            }
            let all = moved[moved.len() - 1].clone();
            moved.resize(PLACES, all.clone());
            let moved = moved.into_iter().map(Value::Number).collect();
            ghosts.insert(Variable::Moved(list.clone()), Value::List(moved));
            let most = if *squares { bound.times(&bound) } else { bound.clone() };
            Number::point(r(0, 1)).le(&bound) == Tri::Yes && all.le(&most) == Tri::Yes
        }
        // These are not generated.
        Adjacency::OneEntryOf { .. } => false,
        Adjacency::OneRow { table } => {
            let (a, b) = tables(table);
            match extra(&b, &a).as_deref() {
                Some([row]) => {
                    set_row(table, low_run.other(), row);
                    true
                }
                _ => false,
            }
        }
        Adjacency::RowReplaced { table } => {
            let (a, b) = tables(table);
            let same: Vec<Row> = {
                let mut left = b.clone();
                let mut common = vec![];
                for row in &a {
                    if let Some(at) = left.iter().position(|other| other == row) {
                        common.push(left.remove(at));
                    }
                }
                common
            };
            let (p, q) = (extra(&a, &same).unwrap(), extra(&b, &same).unwrap());
            match (p.as_slice(), q.as_slice()) {
                ([p], [q]) => {
                    set_row(table, low_run, p);
                    set_row(table, low_run.other(), q);
                    true
                }
                // One row is replaced by itself.
                ([], []) if !a.is_empty() => {
                    set_row(table, low_run, &a[0]);
                    set_row(table, low_run.other(), &a[0]);
                    true
                }
                _ => false,
            }
        }
        Adjacency::Rows { table, most } => {
            let (a, b) = tables(table);
            extra(&b, &a).is_some_and(|rows| {
                let count = Number::point(r(rows.len() as i64, 1));
                !rows.is_empty() && count.le(&number(most)) == Tri::Yes
            })
        }
    }
}

/// Whether the assumptions hold in a state, those about rows of every row.
fn assumed(mechanism: &Mechanism, state: &State, shared: &State) -> bool {
    mechanism.assumptions.iter().all(|assumption| {
        let mut table = None;
        assumption.for_each_variable(&mut |v| {
            if let Variable::Field(of, _) = v {
                table = Some(of.clone());
            }
        });
        let look = |v: &Variable| match v {
            Variable::Plain(name) => shared.get(name).or_else(|| state.get(name)).cloned(),
            _ => None,
        };
        let holds = |row: Option<(&Name, &Row)>| {
            let scope = crate::value::Scope { look: &look, row };
            crate::value::value(assumption, &scope) == Ok(Value::truth(true))
        };
        match table.map(|table| (table.clone(), state[&table].clone())) {
            None => holds(None),
            Some((table, Value::Table(rows))) => rows.iter().all(|row| holds(Some((&table, row)))),
            Some(_) => false,
        }
    })
}

/// Parameters and two neighbouring inputs, in the context's order; `None` where none are met with.
pub fn neighbours(mechanism: &Mechanism, orientation: Orientation, dice: &mut Dice) -> Option<Pair> {
    for _ in 0..30 {
        let mut shared = State::new();
        for param in &mechanism.params {
            let value = match param.sort {
                Sort::Int => Value::int(dice.roll(4) as i64),
                _ => Value::ratio(dice.roll(6) as i64 - 1, 2),
            };
            shared.insert(param.name.clone(), value);
        }
        let (mut one, mut two) = (State::new(), State::new());
        for input in &mechanism.inputs {
            let value = of_sort(&input.sort, dice);
            two.insert(input.name.clone(), beside(&value, &input.sort, dice));
            one.insert(input.name.clone(), value);
        }
        let mut ghosts = BTreeMap::new();
        let (low, high, low_run) = match orientation {
            Orientation::Forward => (&one, &two, Run::First),
            Orientation::Backward => (&two, &one, Run::Second),
        };
        let near = mechanism
            .adjacency
            .iter()
            .all(|clause| clause_holds(clause, (low, high), &shared, low_run, &mut ghosts, dice));
        if near && assumed(mechanism, &one, &shared) && assumed(mechanism, &two, &shared) {
            return Some(Pair { one, two, shared, ghosts });
        }
    }
    None
}

/// A pair of states of a context: neighbouring inputs, anything in variables, loop indices and other ghosts.
pub fn pair(context: &Context, dice: &mut Dice) -> Option<Pair> {
    let mechanism = context.mechanism();
    let mut pair = neighbours(mechanism, context.orientation(), dice)?;
    for (name, kind) in context.kinds().names() {
        if pair.one.contains_key(name) || pair.shared.contains_key(name) {
            continue;
        }
        let value = dice.value(kind);
        if context.is_shared(name) {
            pair.shared.insert(name.clone(), value);
            continue;
        }
        let other = if dice.roll(4) < 3 { value.clone() } else { dice.value(kind) };
        pair.one.insert(name.clone(), value);
        pair.two.insert(name.clone(), other);
    }
    for input in &mechanism.inputs {
        pair.ghosts.entry(Variable::Changed(input.name.clone())).or_insert(Value::int(dice.roll(3) as i64));
        if let Sort::Rows(fields) = &input.sort {
            // Of a row that the adjacency does not speak of nothing is known but what it is.
            for (field, run) in fields.iter().flat_map(|f| [(f, Run::First), (f, Run::Second)]) {
                let ghost = Variable::Row(input.name.clone(), run, field.name.clone());
                let value = of_sort(&field.sort, dice);
                pair.ghosts.entry(ghost).or_insert(value);
            }
        }
    }
    let output = context.kind(&context.in_run(&mechanism.output, Run::First));
    let result = dice.value(output);
    pair.ghosts.insert(Variable::Result, result);
    Some(pair)
}
