//! Guesses for a refutation: parameters and pairs of neighbours. Nothing here decides anything.

use probity_exact::{Rational, rational};
use probity_kernel::expr::{Binary, Expr, Name, Unary};
use probity_kernel::term::{Adjacency, Input, Mechanism, Sort, Statement};

use crate::case::Case;
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::neighbours::{admits_entry, admits_parameters, neighbours, parameter_value};
use crate::pair::tables;

fn fraction(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap_or_default()
}

/// Settings of the parameters that meet the assumptions, the simplest first; those already given stay.
pub(crate) fn parameters(mechanism: &Mechanism, given: &Parameters, most: usize) -> Vec<Parameters> {
    let named = named_numbers(mechanism, given);
    let mut reals = [(0, 1), (1, 1), (1, 2), (1, 4), (3, 4), (2, 1), (10, 1), (1, 100)]
        .map(|(n, d)| fraction(n, d))
        .to_vec();
    let mut ints = [1, 2, 3, 5, 0].map(Rational::from).to_vec();
    ints.extend(named.iter().filter(|x| x.is_int()).cloned());
    reals.extend(named);
    let free: Vec<(&Name, &[Rational])> = mechanism
        .params
        .iter()
        .filter(|param| !given.contains_key(&param.name))
        .map(|param| (&param.name, if param.sort == Sort::Int { &ints[..] } else { &reals[..] }))
        .collect();
    let mut found = Vec::new();
    // By the sum of the places in the lists, so that each parameter moves away from its first value in turn.
    let furthest: usize = free.iter().map(|(_, values)| values.len() - 1).sum();
    for distance in 0..=furthest.min(9) {
        let mut places = vec![0; free.len()];
        spread(distance, 0, &free, &mut places, &mut |places| {
            let mut setting = given.clone();
            for ((name, values), &place) in free.iter().zip(places) {
                setting.insert((*name).clone(), values[place].clone());
            }
            if matches!(admits_parameters(mechanism, &setting), Ok(true)) {
                found.push(setting);
            }
            found.len() < most
        });
        if found.len() >= most {
            break;
        }
    }
    found
}

/// Calls `visit` on all ways to distribute `left` steps over the places from `from` on; stops when it answers false.
fn spread(
    left: usize,
    from: usize,
    free: &[(&Name, &[Rational])],
    places: &mut Vec<usize>,
    visit: &mut dyn FnMut(&[usize]) -> bool,
) -> bool {
    if from == free.len() {
        return left > 0 || visit(places);
    }
    for step in 0..=left.min(free[from].1.len() - 1) {
        places[from] = step;
        if !spread(left - step, from + 1, free, places, visit) {
            return false;
        }
    }
    places[from] = 0;
    true
}

/// Two inputs that are neighbours, and the comparisons to answer with "yes" on the way to a telling output.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) first: Inputs,
    pub(crate) second: Inputs,
    /// Which comparisons hold, in turn; empty when all paths are to be looked at.
    pub(crate) answers: Vec<bool>,
}

/// Shapes of lists: `low` entries that stay below, `high` that go above, the whole repeated.
const SHAPES: [(usize, usize, usize); 16] = [
    (1, 0, 1),
    (0, 1, 1),
    (1, 1, 1),
    (0, 2, 1),
    (2, 0, 1),
    (0, 3, 1),
    (3, 0, 1),
    (2, 1, 1),
    (2, 2, 1),
    (4, 1, 1),
    (3, 3, 1),
    (6, 1, 1),
    (2, 1, 2),
    (4, 1, 2),
    (6, 1, 2),
    (8, 1, 1),
];

/// Rounds of pairs.
pub(crate) const ROUNDS: usize = 5;

/// Where the two kinds of entries lie, by round.
const BASES: [(i64, i64); ROUNDS] = [(0, 0), (0, -8), (0, 8), (-4, 4), (0, -2)];

/// Longer lists are tried with all entries at 0 only.
const LONGEST_SPREAD: usize = 3;

/// How the two kinds of entries move to the neighbour.
const MOVES: [(i64, i64); 6] = [(1, -1), (-1, 1), (1, 1), (-1, -1), (0, 1), (1, 0)];

/// Most pairs of a round, and most values of all scalar inputs together.
const MOST_PAIRS: usize = 120;
const MOST_ASSIGNMENTS: usize = 64;

/// Pairs of neighbours of one round, the most telling first; later rounds are less likely to tell.
pub(crate) fn pairs(mechanism: &Mechanism, parameters: &Parameters, round: usize) -> Vec<Pair> {
    let is_list = |input: &&Input| matches!(input.sort, Sort::RealList | Sort::IntList);
    let is_table = |input: &&Input| matches!(input.sort, Sort::Rows(_));
    let tables: Vec<&Input> = mechanism.inputs.iter().filter(is_table).collect();
    let (lists, scalars): (Vec<&Input>, Vec<&Input>) =
        mechanism.inputs.iter().filter(|input| !is_table(input)).partition(is_list);
    if lists.is_empty() && round > 0 {
        return Vec::new();
    }
    let scalar = scalar_pairs(mechanism, parameters, &scalars);
    let mut found: Vec<Pair> = Vec::new();
    let fits = |inputs: &Inputs| matches!(Case::new(mechanism, parameters, inputs).is_admitted(), Ok(true));
    let mut push = |pair: Pair| {
        let telling = pair.first != pair.second
            && fits(&pair.first)
            && fits(&pair.second)
            && matches!(neighbours(mechanism, parameters, &pair.first, &pair.second), Ok(true));
        if telling {
            found.push(pair);
        }
        found.len() < MOST_PAIRS
    };
    if let [table] = tables.as_slice() {
        let Sort::Rows(fields) = &table.sort else { return found };
        for (a, b) in tables::pairs(mechanism, parameters, &table.name, fields) {
            for (first, second) in scalar.iter().take(if scalars.is_empty() { 1 } else { 6 }) {
                let (mut first, mut second) = (first.clone(), second.clone());
                first.insert(table.name.clone(), Given::Rows(a.clone()));
                second.insert(table.name.clone(), Given::Rows(b.clone()));
                if !push(Pair { first, second, answers: Vec::new() }) {
                    return found;
                }
            }
        }
        return found;
    }
    if lists.is_empty() {
        let _ = scalar.into_iter().all(|(first, second)| push(Pair { first, second, answers: Vec::new() }));
        return found;
    }
    // Several lists have one shape, and each of them moves or stays.
    for moved in list_moves(mechanism, parameters, round) {
        for moving in (1..1usize << lists.len().min(3)).rev() {
            for (first, second) in scalar.iter().take(if scalars.is_empty() { 1 } else { 6 }) {
                let (mut first, mut second) = (first.clone(), second.clone());
                for (i, input) in lists.iter().enumerate() {
                    let to = if moving >> i & 1 == 1 { &moved.to } else { &moved.from };
                    first.insert(input.name.clone(), Given::List(moved.from.clone()));
                    second.insert(input.name.clone(), Given::List(to.clone()));
                }
                if !push(Pair { first, second, answers: moved.kinds.clone() }) {
                    return found;
                }
            }
        }
    }
    found
}

/// Numbers that the text of a mechanism names, for these parameters: where inputs are bounded, how far neighbours lie
/// apart, what is compared with.
fn named_numbers(mechanism: &Mechanism, parameters: &Parameters) -> Vec<Rational> {
    let mut found: Vec<Rational> = Vec::new();
    let mut visit = |expr: &Expr| {
        if let Ok(value) = parameter_value(expr, parameters)
            && value.low == value.high
            && !found.contains(&value.low)
        {
            found.push(value.low);
        }
    };
    for clause in &mechanism.adjacency {
        match clause {
            Adjacency::Related(expr) => constants(expr, &mut visit),
            Adjacency::EveryEntry { bound, .. }
            | Adjacency::EveryEntryGrows { bound, .. }
            | Adjacency::OneEntryOf { bound, .. }
            | Adjacency::Norm { bound, .. }
            | Adjacency::OneEntry { bound, .. } => visit(bound),
            Adjacency::Rows { most, .. } => visit(most),
            Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } => {}
        }
    }
    mechanism.assumptions.iter().for_each(|assumption| constants(assumption, &mut visit));
    conditions_of(&mechanism.body, &mut |guard| constants(guard, &mut visit));
    found.truncate(10);
    found
}

/// The guards of a body.
fn conditions_of(body: &[Statement], visit: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::If { guard, then, otherwise } => {
                visit(guard);
                conditions_of(then, visit);
                conditions_of(otherwise, visit);
            }
            Statement::While { guard, body, .. } => {
                visit(guard);
                conditions_of(body, visit);
            }
            Statement::For { body, .. } => conditions_of(body, visit),
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// The operands of comparisons that are fixed by the parameters, as far as the names say.
fn constants(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    use Binary::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match expr {
        Expr::Binary(And | Or, a, b) => {
            constants(a, visit);
            constants(b, visit);
        }
        Expr::Unary(Unary::Not, a) => constants(a, visit),
        Expr::Binary(Lt | Le | Eq | Ne | Ge | Gt, a, b) => {
            visit(a);
            visit(b);
        }
        _ => {}
    }
}

/// Pairs of values for the scalar inputs, those furthest apart first; a single pair of nothing if there are none.
fn scalar_pairs(mechanism: &Mechanism, parameters: &Parameters, scalars: &[&Input]) -> Vec<(Inputs, Inputs)> {
    let named = named_numbers(mechanism, parameters);
    let mut numbers: Vec<Rational> = [(0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (5, 1)]
        .map(|(n, d)| fraction(n, d))
        .into_iter()
        .chain(named.iter().cloned())
        .chain(named.iter().map(|x| -x))
        .collect();
    let mut seen = Vec::new();
    numbers.retain(|x| {
        !seen.contains(x) && {
            seen.push(x.clone());
            true
        }
    });
    let mut all: Vec<Inputs> = vec![Inputs::new()];
    for input in scalars {
        let values: Vec<Given> = match &input.sort {
            Sort::Bool => vec![Given::Bool(false), Given::Bool(true)],
            Sort::Category { .. } => (0..4).map(|k| Given::Number(Rational::from(k))).collect(),
            Sort::Int => numbers.iter().filter(|x| x.is_int()).cloned().map(Given::Number).collect(),
            _ => numbers.iter().cloned().map(Given::Number).collect(),
        };
        // By the sum of places, so that no input is left at its first value.
        let mut combined: Vec<(usize, Inputs)> = Vec::new();
        for (i, before) in all.iter().enumerate() {
            for (j, value) in values.iter().enumerate() {
                let mut inputs = before.clone();
                inputs.insert(input.name.clone(), value.clone());
                combined.push((i + j, inputs));
            }
        }
        combined.sort_by_key(|(place, _)| *place);
        all = combined.into_iter().map(|(_, inputs)| inputs).take(MOST_ASSIGNMENTS).collect();
    }
    let lone = |inputs: &Inputs| matches!(Case::new(mechanism, parameters, inputs).is_admitted(), Ok(true));
    if scalars.len() == mechanism.inputs.len() {
        all.retain(lone);
    }
    let mut pairs: Vec<(Rational, Inputs, Inputs)> = Vec::new();
    for first in &all {
        for second in &all {
            pairs.push((distance(first, second), first.clone(), second.clone()));
        }
    }
    // A stable order: among pairs equally far apart, the simplest first.
    pairs.sort_by(|a, b| b.0.cmp(&a.0));
    // Lists are the same for now.
    let complete = |inputs: &Inputs| {
        let mut complete = inputs.clone();
        for input in mechanism.inputs.iter().filter(|input| !inputs.contains_key(&input.name)) {
            let is_table = matches!(input.sort, Sort::Rows(_));
            let blank = if is_table { Given::Rows(vec![]) } else { Given::List(vec![Rational::ZERO]) };
            complete.insert(input.name.clone(), blank);
        }
        complete
    };
    // The rows of tables come later.
    let mut without_rows = mechanism.clone();
    without_rows.adjacency.retain(|clause| !tables::is_about_rows_of_a_table(clause));
    let near = |(_, first, second): &(Rational, Inputs, Inputs)| {
        matches!(neighbours(&without_rows, parameters, &complete(first), &complete(second)), Ok(true))
    };
    pairs.into_iter().filter(near).map(|(_, first, second)| (first, second)).collect()
}

/// The sum of the distances of all numbers.
fn distance(first: &Inputs, second: &Inputs) -> Rational {
    let apart = |(a, b): (&Given, &Given)| match (a, b) {
        (Given::Number(a), Given::Number(b)) if a < b => b - a,
        (Given::Number(a), Given::Number(b)) => a - b,
        _ => Rational::ZERO,
    };
    first.values().zip(second.values()).fold(Rational::ZERO, |sum, pair| sum + apart(pair))
}

/// A list and where it moves to.
struct Moved {
    from: Vec<Rational>,
    to: Vec<Rational>,
    /// Which entries go above, as in [`Pair::answers`].
    kinds: Vec<bool>,
}

fn list_moves(mechanism: &Mechanism, parameters: &Parameters, round: usize) -> Vec<Moved> {
    let bound = mechanism.adjacency.iter().find_map(|clause| match clause {
        Adjacency::EveryEntry { bound, .. }
        | Adjacency::EveryEntryGrows { bound, .. }
        | Adjacency::OneEntryOf { bound, .. }
        | Adjacency::Norm { bound, .. }
        | Adjacency::OneEntry { bound, .. } => parameter_value(bound, parameters).ok(),
        _ => None,
    });
    let step = bound.map_or(Rational::ONE, |bound| bound.low);
    let one_entry = mechanism
        .adjacency
        .iter()
        .any(|clause| matches!(clause, Adjacency::OneEntry { .. } | Adjacency::OneEntryOf { .. }));
    // Several entries share a change: equally in L1, and as much as a whole number of them allows in L2.
    let norm = mechanism.adjacency.iter().find_map(|clause| match clause {
        Adjacency::Norm { squares, .. } => Some(*squares),
        _ => None,
    });
    // Where entries have bounds, lists begin at one of them.
    let origin = std::iter::once(Rational::ZERO).chain(named_numbers(mechanism, parameters));
    let origin = origin.into_iter().find(|x| admits_entry(mechanism, parameters, x)).unwrap_or_default();
    let mut found = Vec::new();
    let (below, above) = BASES[round % ROUNDS];
    for (low, high, repeat) in SHAPES {
        let kinds: Vec<bool> = [vec![false; low], vec![true; high]].concat().repeat(repeat);
        if round > 0 && kinds.len() > LONGEST_SPREAD {
            continue;
        }
        let base: Vec<Rational> =
            kinds.iter().map(|&kind| &origin + Rational::from(if kind { above } else { below })).collect();
        let mut push = |to: Vec<Rational>| found.push(Moved { from: base.clone(), to, kinds: kinds.clone() });
        if let Some(squares) = norm {
            let parts = match squares {
                true => (1i64..).find(|n| n * n >= kinds.len() as i64).unwrap_or(1),
                false => kinds.len() as i64,
            };
            let share = &step / Rational::from(parts);
            for (down, up) in MOVES {
                let shift = |kind: bool| &share * Rational::from(if kind { up } else { down });
                push(base.iter().zip(&kinds).map(|(x, &kind)| x + shift(kind)).collect());
            }
        }
        if one_entry || norm.is_some() {
            for place in [0, kinds.len() - 1] {
                for sign in [1, -1] {
                    let mut moved = base.clone();
                    moved[place] += &step * Rational::from(sign);
                    push(moved);
                }
            }
            continue;
        }
        for (down, up) in MOVES {
            let shift = |kind: bool| &step * Rational::from(if kind { up } else { down });
            push(base.iter().zip(&kinds).map(|(x, &kind)| x + shift(kind)).collect());
        }
    }
    found
}
