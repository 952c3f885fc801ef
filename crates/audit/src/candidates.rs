//! Guesses for a refutation: parameters, pairs of neighbours, events. Nothing here decides anything.

use probity_exact::{Rational, rational};
use probity_kernel::expr::Name;
use probity_kernel::term::{Adjacency, Mechanism, Sort};

use crate::error::AuditError;
use crate::event::{Condition, Event};
use crate::neighbours::{admits, admits_parameters, neighbours, parameter_value};
use crate::outcome::{Given, Inputs, Outcome, Parameters};
use crate::paths::{Explorer, outcome};
use crate::program::Value;
use crate::reals::Real;

fn fraction(n: i64, d: i64) -> Rational {
    rational(n, d).unwrap_or_default()
}

/// Settings of the parameters that meet the assumptions, the simplest first; those already given stay.
pub(crate) fn parameters(mechanism: &Mechanism, given: &Parameters, most: usize) -> Vec<Parameters> {
    let reals = [(0, 1), (1, 1), (1, 2), (1, 4), (3, 4), (2, 1), (10, 1)].map(|(n, d)| fraction(n, d));
    let ints = [1, 2, 3, 5, 0].map(Rational::from);
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

/// Pairs of neighbours of one round, small ones first; later rounds are less likely to tell.
pub(crate) fn pairs(mechanism: &Mechanism, parameters: &Parameters, round: usize) -> Vec<Pair> {
    let list = mechanism.inputs.iter().find(|input| matches!(input.sort, Sort::RealList | Sort::IntList));
    let mut found = match list {
        Some(input) if mechanism.inputs.len() == 1 => list_pairs(mechanism, parameters, &input.name, round),
        None if round == 0 => scalar_pairs(mechanism),
        _ => Vec::new(),
    };
    found.retain(|pair| {
        let fits = |inputs: &Inputs| matches!(admits(mechanism, parameters, inputs), Ok(true));
        pair.first != pair.second
            && fits(&pair.first)
            && fits(&pair.second)
            && matches!(neighbours(mechanism, parameters, &pair.first, &pair.second), Ok(true))
    });
    found
}

fn scalar_pairs(mechanism: &Mechanism) -> Vec<Pair> {
    let numbers =
        [(0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (5, 1)].map(|(n, d)| Given::Number(fraction(n, d)));
    let mut all: Vec<Inputs> = vec![Inputs::new()];
    for input in &mechanism.inputs {
        let values: Vec<Given> = match input.sort {
            Sort::Bool => vec![Given::Bool(false), Given::Bool(true)],
            _ => numbers.to_vec(),
        };
        all = all
            .iter()
            .flat_map(|before| {
                values.iter().map(|value| {
                    let mut inputs = before.clone();
                    inputs.insert(input.name.clone(), value.clone());
                    inputs
                })
            })
            .take(40)
            .collect();
    }
    let pair = |first: &Inputs, second: &Inputs| Pair {
        first: first.clone(),
        second: second.clone(),
        answers: Vec::new(),
    };
    all.iter().flat_map(|first| all.iter().map(|second| pair(first, second))).collect()
}

fn list_pairs(mechanism: &Mechanism, parameters: &Parameters, name: &Name, round: usize) -> Vec<Pair> {
    let bound = mechanism.adjacency.iter().find_map(|clause| match clause {
        Adjacency::EveryEntry { bound, .. }
        | Adjacency::EveryEntryGrows { bound, .. }
        | Adjacency::OneEntry { bound, .. } => parameter_value(bound, parameters).ok(),
        Adjacency::Related(_) => None,
    });
    let step = bound.map_or(Rational::ONE, |bound| bound.low);
    let one_entry = mechanism.adjacency.iter().any(|clause| matches!(clause, Adjacency::OneEntry { .. }));
    let mut found = Vec::new();
    let (below, above) = BASES[round % ROUNDS];
    {
        for (low, high, repeat) in SHAPES {
            let kinds: Vec<bool> = [vec![false; low], vec![true; high]].concat().repeat(repeat);
            if round > 0 && kinds.len() > LONGEST_SPREAD {
                continue;
            }
            let base: Vec<Rational> =
                kinds.iter().map(|&kind| Rational::from(if kind { above } else { below })).collect();
            let mut push = |moved: Vec<Rational>| {
                let inputs = |list: Vec<Rational>| Inputs::from([(name.clone(), Given::List(list))]);
                let (first, second) = (inputs(base.clone()), inputs(moved));
                found.push(Pair { first, second, answers: kinds.clone() });
            };
            if one_entry {
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
    }
    found
}

/// Events that a run on the first input can lead to; `None` when no draw is continuous, so that the whole law can be
/// looked at.
pub(crate) fn events(explorer: &mut Explorer, answers: &[bool]) -> Result<Option<Vec<Event>>, AuditError> {
    let mut outputs: Vec<Value<Real>> = Vec::new();
    let flipped: Vec<bool> = answers.iter().map(|a| !a).collect();
    // A running maximum makes no comparison for its first entry.
    let from_second = answers.get(1..).unwrap_or_default();
    let mut continuous = false;
    for guide in [answers, &flipped, from_second, &[]] {
        if let Some((output, noisy)) = explorer.guided(guide)? {
            continuous |= noisy;
            if !outputs.contains(&output) {
                outputs.push(output);
            }
        }
    }
    if !continuous && outputs.iter().all(|output| outcome(output).is_some()) && !explorer.is_deterministic() {
        return Ok(None);
    }
    let mut events: Vec<Event> = Vec::new();
    for output in &outputs {
        for event in events_of(output) {
            if !events.contains(&event) {
                events.push(event);
            }
        }
    }
    Ok(Some(events))
}

/// Thresholds for continuous numbers.
const THRESHOLDS: [i64; 5] = [0, 1, -1, -12, 12];

fn events_of(output: &Value<Real>) -> Vec<Event> {
    let Value::List(items) = output else {
        return conditions(output).into_iter().map(Event::Value).collect();
    };
    let fixed: Vec<Option<Outcome>> = items.iter().map(outcome).collect();
    let exact = |o: &Option<Outcome>| o.clone().map_or(Condition::Anything, Condition::Is);
    let continuous: Vec<usize> = (0..items.len()).filter(|&i| fixed[i].is_none()).collect();
    let mut events = vec![Event::List(fixed.iter().map(exact).collect())];
    let ends = [continuous.first(), continuous.last()];
    for &place in ends.into_iter().flatten() {
        for condition in conditions(&items[place]) {
            let mut list: Vec<Condition> = fixed.iter().map(exact).collect();
            list[place] = condition;
            events.push(Event::List(list));
        }
    }
    events
}

fn conditions(value: &Value<Real>) -> Vec<Condition> {
    if let Some(known) = outcome(value) {
        return vec![Condition::Is(known)];
    }
    let thresholds = THRESHOLDS.map(Rational::from);
    match value {
        Value::Number(Real::Stepped(_, grid)) => {
            [0, 1, -1].into_iter().map(|k| Condition::Is(Outcome::Number(grid * Rational::from(k)))).collect()
        }
        _ => {
            let below = thresholds.iter().cloned().map(Condition::AtMost);
            below.chain(thresholds.iter().cloned().map(Condition::AtLeast)).collect()
        }
    }
}
