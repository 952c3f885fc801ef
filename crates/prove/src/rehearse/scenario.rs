//! Random scenarios: parameters that meet the assumptions, and inputs that are neighbours.

use std::collections::BTreeMap;
use std::rc::Rc;

use probity_exact::directed::cast_nearest;
use probity_exact::rational_from_f64;
use probity_kernel::context::{Context, Orientation, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::term::{Adjacency, Field, Sort, Statement};

use crate::algebra::visit;

use super::state::{Dice, Pair, Row, Store, Value};

/// Values for the parameters and two neighbouring inputs, and the seed of the draws.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(super) shared: Store,
    pub(super) inputs: [Store; 2],
    pub(super) changed: BTreeMap<Name, f64>,
    pub(super) rows: BTreeMap<(Name, Run), Rc<Row>>,
    pub(super) squares: BTreeMap<Name, bool>,
    /// Large numbers of the text, near which draws may have to be for something to depend on them.
    pub(super) levels: Rc<Vec<f64>>,
    pub(super) seed: u64,
}

impl Scenario {
    /// Whether the two inputs are not the same.
    pub(crate) fn inputs_differ(&self) -> bool {
        self.inputs[0] != self.inputs[1]
    }

    /// Whether a formula about inputs, parameters and ghosts holds before the first step; `None` if it cannot be evaluated.
    pub(crate) fn holds(&self, formula: &Expr) -> Option<bool> {
        self.pair().holds(formula)
    }

    /// The value of a variable, as people write it.
    pub(crate) fn show(&self, variable: &Variable) -> Option<String> {
        match self.pair().value(&Expr::Var(variable.clone()), Run::First)? {
            Value::Number(n) => Some(n.to_string()),
            Value::Flag(b) => Some(b.to_string()),
            Value::List(items) => {
                let items = items.iter().map(|item| match item {
                    Value::Number(n) => n.to_string(),
                    other => format!("{other:?}"),
                });
                Some(format!("[{}]", items.collect::<Vec<_>>().join(", ")))
            }
            Value::Table(_) => None,
        }
    }

    fn pair(&self) -> Pair {
        let Scenario { shared, inputs, changed, rows, squares, seed, .. } = self.clone();
        Pair { rows, squares, ..Pair::new(shared, inputs, changed, seed) }
    }

    /// The value of an expression in the parameters.
    pub(crate) fn value(&self, e: &Expr) -> Option<f64> {
        Pair::new(self.shared.clone(), [Store::new(), Store::new()], BTreeMap::new(), 0).amount(e)
    }
}

/// Random scenarios: parameters that meet the assumptions, and inputs that are neighbours.
pub(crate) fn scenarios(context: &Context, count: usize) -> Vec<Scenario> {
    let mechanism = context.mechanism();
    let mut numbers = vec![1.0, 0.5, 2.0, 0.25, 4.0, 0.75, 0.125];
    let mut spans: Vec<Expr> = Vec::new();
    for assumption in &mechanism.assumptions {
        collect_numbers(assumption, &mut numbers);
    }
    for clause in &mechanism.adjacency {
        if let Adjacency::Related(relation) = clause {
            collect_spans(context, relation, &mut spans);
        }
    }
    let squares: BTreeMap<Name, bool> = mechanism
        .adjacency
        .iter()
        .filter_map(|clause| match clause {
            Adjacency::Norm { list, squares, .. } => Some((list.clone(), *squares)),
            _ => None,
        })
        .collect();
    let levels = Rc::new(levels(&mechanism.body));
    let mut found = Vec::new();
    // A scenario that meets no assumption is thrown away, so many are tried.
    for seed in 0..(count * 60) as u64 {
        if found.len() >= count {
            break;
        }
        let new = scenario(context, &numbers, &spans, seed);
        found.extend(new.map(|scenario| Scenario {
            squares: squares.clone(),
            levels: levels.clone(),
            ..scenario
        }));
    }
    found
}

/// Numbers beyond those that inputs and noise have in most scenarios.
const LARGE: f64 = 4.0;

/// The large numbers that a text sets variables to, or has in its guards.
fn levels(body: &[Statement]) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    let mut see = |e: &Expr| {
        visit(e, &mut |part| {
            if let Expr::Number(n) = part {
                let level = cast_nearest(n);
                if level.abs() > LARGE && !found.contains(&level) {
                    found.push(level);
                }
            }
        });
    };
    for_each_value(body, &mut see);
    found
}

/// What statements set variables to, and their guards.
fn for_each_value(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Assign { value, .. } => see(value),
            Statement::If { guard, then, otherwise } => {
                see(guard);
                for_each_value(then, see);
                for_each_value(otherwise, see);
            }
            Statement::While { guard, body, .. } => {
                see(guard);
                for_each_value(body, see);
            }
            Statement::For { body, .. } => for_each_value(body, see),
            Statement::Draw { .. } | Statement::Append { .. } => {}
        }
    }
}

/// Values of a parameter that are tried, the first of them among the usual numbers.
const MOST_ATTEMPTS: u32 = 31;
const USUAL_ATTEMPTS: u32 = 16;

fn scenario(context: &Context, numbers: &[f64], spans: &[Expr], seed: u64) -> Option<Scenario> {
    let mechanism = context.mechanism();
    let mut dice = Dice::new(seed + 7);
    let mut pair = Pair::new(Store::new(), [Store::new(), Store::new()], BTreeMap::new(), seed);
    let holds = |pair: &Pair, assumption: &Expr| {
        // What cannot be evaluated yet is looked at again later.
        [Run::First, Run::Second].into_iter().all(|run| pair.flag(assumption, run).unwrap_or(true))
    };
    for param in &mechanism.params {
        for attempt in 0..=MOST_ATTEMPTS {
            let whole = param.sort == Sort::Int;
            let value = if whole {
                dice.roll(6) as f64
            } else {
                // Where nothing fits, assumptions may ask for large or small numbers: a deviation of 10 for a small rho.
                let wider = f64::from(1u32 << (attempt.max(USUAL_ATTEMPTS) - USUAL_ATTEMPTS));
                let wider = if attempt % 2 == 0 { wider } else { 1.0 / wider };
                wider * dice.pick(numbers)? * if dice.roll(12) == 0 { -1.0 } else { 1.0 }
            };
            pair.shared.insert(param.name.clone(), Value::Number(value));
            if mechanism.assumptions.iter().all(|a| holds(&pair, a)) {
                break;
            }
            if attempt == MOST_ATTEMPTS {
                return None;
            }
        }
    }
    for input in &mechanism.inputs {
        let (first, second) = match &input.sort {
            Sort::Real | Sort::Int => {
                let step = if input.sort == Sort::Real { 0.5 } else { 1.0 };
                let x = (dice.roll(13) as f64 - 6.0) * step;
                let apart: Vec<f64> = spans.iter().filter_map(|e| pair.number(e, Run::First)).collect();
                let unit = dice.pick(&apart).unwrap_or(1.0);
                let part = dice.pick(&[1.0, -1.0, 1.0, -1.0, 0.5, -0.5, 0.0])?;
                let y = x + unit * part;
                let y = if input.sort == Sort::Int { y.round() } else { y };
                (Value::Number(x), Value::Number(y))
            }
            Sort::Bool => (Value::Flag(dice.roll(2) == 0), Value::Flag(dice.roll(2) == 0)),
            Sort::Category { count } => {
                let count = pair.number(count, Run::First)?.max(1.0) as usize;
                (Value::Number(dice.roll(count) as f64), Value::Number(dice.roll(count) as f64))
            }
            Sort::RealList | Sort::IntList => {
                let length = fitting_length(context, &pair, &input.name, &mut dice);
                let whole = input.sort == Sort::IntList;
                let step = if whole { 1.0 } else { 0.5 };
                let fits = |pair: &Pair, x: f64| entry_fits(context, pair, &input.name, x);
                let mut values: Vec<f64> = (-2..3).map(|n| f64::from(n) * step).collect();
                if !values.iter().all(|x| fits(&pair, *x)) {
                    values.extend(entry_numbers(context, &pair, &input.name, whole));
                    values.retain(|x| fits(&pair, *x));
                }
                let first: Vec<f64> = (0..length).filter_map(|_| dice.pick(&values)).collect();
                let mut second = first.clone();
                neighbour(context, &mut pair, &input.name, whole, &mut second, &mut dice)?;
                for (new, old) in second.iter_mut().zip(&first) {
                    // A change that leads out of the bounds is made smaller, or not at all.
                    if !fits(&pair, *new) {
                        let smaller = dice.pick(&values).filter(|x| {
                            (x - old).abs() <= (*new - old).abs() && (x - old) * (*new - old) >= 0.0
                        });
                        *new = smaller.unwrap_or(*old);
                    }
                }
                let list = |v: Vec<f64>| Value::List(Rc::new(v.into_iter().map(Value::Number).collect()));
                (list(first), list(second))
            }
            Sort::Rows(fields) => {
                let [first, second] = tables(context, &mut pair, &input.name, fields, &mut dice)?;
                (Value::Table(Rc::new(first)), Value::Table(Rc::new(second)))
            }
        };
        let swap = context.orientation() == Orientation::Backward
            && matches!(input.sort, Sort::RealList | Sort::IntList);
        let (first, second) = if swap { (second, first) } else { (first, second) };
        pair.set(&input.name, first, second);
    }
    let fine = context.facts().iter().all(|fact| pair.flag(fact, Run::First) == Some(true));
    let Pair { shared, runs: inputs, changed, rows, .. } = pair;
    let (squares, levels) = (BTreeMap::new(), Rc::default());
    fine.then_some(Scenario { shared, inputs, changed, rows, squares, levels, seed })
}

/// The rows of a table.
type Table = Vec<Rc<Row>>;

/// The most rows that two neighbouring tables have in common.
const COMMON_ROWS: usize = 3;

/// Two tables as the adjacency allows, and the rows by which they differ.
fn tables(
    context: &Context,
    pair: &mut Pair,
    table: &Name,
    fields: &[Field],
    dice: &mut Dice,
) -> Option<[Table; 2]> {
    let numbers = field_numbers(context, pair, table);
    let mut common = Vec::new();
    for _ in 0..dice.roll(COMMON_ROWS + 1) {
        common.push(row(context, pair, fields, &numbers, dice)?);
    }
    let (mut first, mut second) = (common.clone(), common);
    let mut add = |pair: &mut Pair, run: Run, dice: &mut Dice| -> Option<()> {
        let new = row(context, pair, fields, &numbers, dice)?;
        pair.rows.insert((table.clone(), run), new.clone());
        if run == Run::First {
            first.push(new)
        } else {
            second.push(new)
        }
        Some(())
    };
    let clause = |clause: &&Adjacency| matches!(clause, Adjacency::OneRow { table: t } | Adjacency::RowReplaced { table: t } if t == table);
    match context.mechanism().adjacency.iter().find(clause) {
        Some(Adjacency::OneRow { .. }) => match context.orientation() {
            Orientation::Forward => add(pair, Run::Second, dice)?,
            Orientation::Backward => add(pair, Run::First, dice)?,
        },
        Some(Adjacency::RowReplaced { .. }) => {
            add(pair, Run::First, dice)?;
            add(pair, Run::Second, dice)?;
        }
        _ => {}
    }
    Some([first, second])
}

/// The numbers with which the program and the assumptions compare fields, or between which they clamp them.
fn field_numbers(context: &Context, pair: &Pair, table: &Name) -> Vec<f64> {
    let mut found = vec![0.0, 1.0, -1.0, 0.5, 3.0];
    let mut see = |e: &Expr| {
        visit(e, &mut |part| {
            if let Some(n) = pair.number(part, Run::First) {
                found.extend([n, n + 1.0, n - 1.0, n / 2.0, n * 10.0]);
            }
        });
    };
    let mechanism = context.mechanism();
    mechanism.assumptions.iter().filter(|a| mentions_rows(a, table)).for_each(&mut see);
    let mut sums = |e: &Expr| {
        visit(e, &mut |part| {
            if let Expr::Sum(_, condition, value) = part {
                see(condition);
                see(value);
            }
        });
    };
    for_each_expr(&mechanism.body, &mut sums);
    sums(&mechanism.output);
    found
}

fn mentions_rows(assumption: &Expr, table: &Name) -> bool {
    let mut found = false;
    assumption.for_each_variable(&mut |v| found |= matches!(v, Variable::Field(of, _) if of == table));
    found
}

/// A row that meets the assumptions, if a few tries find one.
fn row(
    context: &Context,
    pair: &Pair,
    fields: &[Field],
    numbers: &[f64],
    dice: &mut Dice,
) -> Option<Rc<Row>> {
    for _ in 0..30 {
        let mut values = Row::new();
        for Field { name, sort } in fields {
            let value = match sort {
                Sort::Bool => Value::Flag(dice.roll(2) == 0),
                Sort::Category { count } => {
                    Value::Number(dice.roll(pair.number(count, Run::First)?.max(1.0) as usize) as f64)
                }
                Sort::Int => Value::Number(dice.pick(numbers)?.round()),
                _ => Value::Number(dice.pick(numbers)?),
            };
            values.insert(name.clone(), value);
        }
        let values = Rc::new(values);
        let before = pair.at.replace(Some(values.clone()));
        let fine = context.mechanism().assumptions.iter().all(|a| pair.flag(a, Run::First) != Some(false));
        pair.at.replace(before);
        if fine {
            return Some(values);
        }
    }
    None
}

/// Whether a number meets what is assumed of the entries of a list.
fn entry_fits(context: &Context, pair: &Pair, list: &Name, x: f64) -> bool {
    let Some(x) = rational_from_f64(x) else { return false };
    context.mechanism().assumptions.iter().all(|assumption| {
        let here = assumption.replace(&|v| match v {
            Variable::Entry(of) if of == list => Some(Expr::Number(x.clone())),
            _ => None,
        });
        here == *assumption || pair.flag(&here, Run::First) != Some(false)
    })
}

/// The numbers in what is assumed of the entries of a list, and some near them.
fn entry_numbers(context: &Context, pair: &Pair, list: &Name, whole: bool) -> Vec<f64> {
    let mut found = Vec::new();
    for assumption in &context.mechanism().assumptions {
        if !assumption.mentions(&Variable::Entry(list.clone())) {
            continue;
        }
        visit(assumption, &mut |part| {
            if let Some(n) = pair.number(part, Run::First) {
                let step = if whole { 1.0 } else { 0.5 };
                found.extend([n, n + step, n - step, n / 2.0]);
            }
        });
    }
    found.iter().map(|n| if whole { n.round() } else { *n }).collect()
}

/// A length with which the assumptions hold, if a few tries find one.
fn fitting_length(context: &Context, pair: &Pair, list: &Name, dice: &mut Dice) -> usize {
    // A few lists are long: a budget that every entry uses up is enough for short ones.
    let start = if dice.roll(10) == 0 { 9 } else { dice.roll(5) };
    let fits = |length: usize| {
        let mut trial = Pair::new(pair.shared.clone(), pair.runs.clone(), BTreeMap::new(), 0);
        let blank = Value::List(Rc::new(vec![Value::Number(0.0); length]));
        trial.set(list, blank.clone(), blank);
        context.mechanism().assumptions.iter().all(|a| trial.flag(a, Run::First).unwrap_or(true))
    };
    std::iter::once(start)
        .chain((0..8).map(|n| (start + n) % 8))
        .find(|length| fits(*length))
        .unwrap_or(start)
}

/// Changes a list as the adjacency allows.
fn neighbour(
    context: &Context,
    pair: &mut Pair,
    list: &Name,
    whole: bool,
    entries: &mut [f64],
    dice: &mut Dice,
) -> Option<()> {
    for clause in &context.mechanism().adjacency {
        match clause {
            Adjacency::EveryEntry { list: l, bound } | Adjacency::EveryEntryGrows { list: l, bound }
                if l == list =>
            {
                let bound = pair.number(bound, Run::First)?.max(0.0);
                let lowest = if matches!(clause, Adjacency::EveryEntry { .. }) { -2 } else { 0 };
                for entry in entries.iter_mut() {
                    let part = (lowest + dice.roll((3 - lowest) as usize) as i32) as f64 / 2.0;
                    *entry += if whole { (bound * part).trunc() } else { bound * part };
                }
            }
            Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. }
                if changed_lists(clause).contains(list) =>
            {
                let bound = pair.number(bound, Run::First)?.max(0.0);
                // The ghost may also lie outside the list, when nothing changed.
                let at = match pair.changed.get(list) {
                    Some(at) => *at,
                    None => dice.roll(entries.len() + 2) as f64 - 1.0,
                };
                for together in changed_lists(clause) {
                    pair.changed.insert(together.clone(), at);
                }
                if at >= 0.0
                    && let Some(entry) = entries.get_mut(at as usize)
                {
                    let part = dice.pick(&[1.0, -1.0, 0.5, -0.5])?;
                    *entry += if whole { (bound * part).trunc() } else { bound * part };
                }
            }
            Adjacency::Norm { list: l, bound, squares } if l == list => {
                let bound = pair.number(bound, Run::First)?.max(0.0);
                // One entry takes all of it, or two share it.
                let shares: &[f64] = match (dice.roll(3), squares) {
                    (0, _) => &[1.0],
                    (_, true) => &[0.6, 0.8],
                    (_, false) => &[0.25, 0.75],
                };
                let (start, sign) = (dice.roll(entries.len().max(1)), dice.pick(&[1.0, -1.0])?);
                for (n, share) in shares.iter().enumerate() {
                    if let Some(entry) = entries.get_mut(start + n) {
                        let change =
                            sign * bound * share * if n == 1 { dice.pick(&[1.0, -1.0])? } else { 1.0 };
                        *entry += if whole { change.trunc() } else { change };
                    }
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// The lists of a clause about one changed entry.
pub(crate) fn changed_lists(clause: &Adjacency) -> &[Name] {
    match clause {
        Adjacency::OneEntry { list, .. } => std::slice::from_ref(list),
        Adjacency::OneEntryOf { lists, .. } => lists,
        _ => &[],
    }
}

/// The numbers in an assumption, and some near them: what a bound is tested with.
fn collect_numbers(expr: &Expr, numbers: &mut Vec<f64>) {
    match expr {
        Expr::Number(n) => {
            let n = cast_nearest(n);
            numbers.extend([n, n / 2.0, n * 2.0]);
        }
        Expr::Unary(Unary::Neg, a) if matches!(&**a, Expr::Number(_)) => {
            let first = numbers.len();
            collect_numbers(a, numbers);
            numbers[first..].iter_mut().for_each(|n| *n = -*n);
        }
        Expr::Unary(_, a) | Expr::Index(_, a) => collect_numbers(a, numbers),
        Expr::Binary(Binary::Div, a, b) if matches!((&**a, &**b), (Expr::Number(_), Expr::Number(n)) if !n.is_zero()) => {
            if let (Expr::Number(a), Expr::Number(b)) = (&**a, &**b) {
                collect_numbers(&Expr::Number(a / b), numbers);
            }
        }
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| collect_numbers(e, numbers)),
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| collect_numbers(e, numbers))
        }
        _ => {}
    }
}

/// The sides of comparisons that both runs share: how far apart inputs may lie.
pub(crate) fn collect_spans(context: &Context, relation: &Expr, spans: &mut Vec<Expr>) {
    match relation {
        Expr::Binary(Binary::And | Binary::Or, a, b) => {
            collect_spans(context, a, spans);
            collect_spans(context, b, spans);
        }
        Expr::Unary(Unary::Not, a) => collect_spans(context, a, spans),
        Expr::Binary(_, a, b) => {
            for side in [a, b] {
                let mut public = true;
                side.for_each_variable(&mut |v| {
                    public &= matches!(v, Variable::Plain(name) if context.is_shared(name));
                });
                if public && !spans.contains(side) {
                    spans.push((**side).clone());
                }
            }
        }
        _ => {}
    }
}
