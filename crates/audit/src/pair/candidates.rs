//! Guesses for a refutation: pairs of neighbours, by rounds. The first rounds are what most counterexamples need: changes as
//! large as they may be, short lists. Later ones have small changes, inputs beside the numbers at which a program jumps, and
//! long lists. Nothing here decides anything.

use probity_exact::{Rational, fraction};
use probity_kernel::term::{Adjacency, Input, Mechanism, Sort};

use crate::case::Case;
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::beside::{Change, together};
use crate::pair::named::{compared, critical, lengths};
use crate::pair::neighbours::{admits_entry, neighbours, parameter_value};
use crate::pair::ratio;
use crate::pair::tables;

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

/// Longer shapes, for the later rounds.
const LONG_SHAPES: [(usize, usize, usize); 8] =
    [(9, 1, 1), (10, 0, 1), (0, 10, 1), (5, 5, 1), (1, 9, 1), (4, 1, 3), (1, 1, 6), (19, 1, 1)];

/// Rounds of pairs that are always looked at, and all of them.
pub(crate) const ROUNDS: usize = 5;
pub(crate) const ALL_ROUNDS: usize = 9;

/// One more, of long lists whose two kinds of entries lie far apart: some must rise and others fall for an output, each by a draw of its
/// own. Such lists have too many paths to follow all.
pub(crate) const APART: usize = 9;

/// The shapes of that round, and where its entries lie.
const APART_SHAPES: [(usize, usize, usize); 4] = [(2, 2, 1), (3, 3, 1), (2, 3, 1), (5, 5, 1)];
const APART_BASES: [(i64, i64); 4] = [(0, 8), (0, -8), (0, 20), (0, -20)];

/// And one of lists whose first entries move one way and whose last ones move the other, for programs that ask about an entry twice.
pub(crate) const TIERS: usize = 10;
const TIERS_SHAPES: [(usize, usize, usize); 2] = [(3, 3, 1), (5, 5, 1)];
const TIERS_MOVES: usize = 2;

/// And one of short lists of which one entry changes, each in turn: a program may do something to one place and to no other.
pub(crate) const EACH_PLACE: usize = 11;
const SHORT: std::ops::RangeInclusive<usize> = 4..=12;

/// Where the two kinds of entries lie, by round.
const BASES: [(i64, i64); ROUNDS] = [(0, 0), (0, -8), (0, 8), (-4, 4), (0, -2)];

/// Longer lists are tried with all entries at 0 only.
const LONGEST_SPREAD: usize = 3;

/// How the two kinds of entries move to the neighbour.
const MOVES: [(i64, i64); 6] = [(1, -1), (-1, 1), (1, 1), (-1, -1), (0, 1), (1, 0)];

/// Most pairs of a round, and most values of all scalar inputs together.
const MOST_PAIRS: usize = 120;
const MOST_ASSIGNMENTS: usize = 64;

/// Most numbers of the text that entries of lists lie at.
const MOST_BASES: usize = 8;

/// Most of them by which one entry moves.
const MOST_STEPS: usize = 3;

/// Most places of the later rounds.
const MOST_PLACES: usize = 24;

/// The entries of a list of which samples tell most.
const MANY_ENTRIES: usize = 4;

/// How far the longest list of an input is from as many entries as samples tell most of; other inputs are not.
pub(crate) fn from_many(inputs: &Inputs) -> usize {
    let entries = |given: &Given| match given {
        Given::List(items) => Some(items.len()),
        _ => None,
    };
    inputs.values().filter_map(entries).max().map_or(0, |longest| longest.abs_diff(MANY_ENTRIES))
}

/// Settings, those with lists of which samples tell most first.
pub(crate) fn for_samples(mechanism: &Mechanism, settings: &[Parameters]) -> Vec<Parameters> {
    let nearest = |setting: &Parameters| {
        pairs(mechanism, setting, 0).iter().map(|pair| from_many(&pair.first)).min().unwrap_or(usize::MAX)
    };
    let mut sorted = settings.to_vec();
    sorted.sort_by_cached_key(nearest);
    sorted
}

/// Pairs of neighbours of one round, the most telling first; later rounds are less likely to tell.
pub(crate) fn pairs(mechanism: &Mechanism, parameters: &Parameters, round: usize) -> Vec<Pair> {
    let is_list = |input: &&Input| matches!(input.sort, Sort::RealList | Sort::IntList);
    let is_table = |input: &&Input| matches!(input.sort, Sort::Rows(_));
    let tables: Vec<&Input> = mechanism.inputs.iter().filter(is_table).collect();
    let (lists, scalars): (Vec<&Input>, Vec<&Input>) =
        mechanism.inputs.iter().filter(|input| !is_table(input)).partition(is_list);
    // What has no lists needs fewer rounds.
    let round = match (lists.is_empty(), round) {
        (true, 1..ROUNDS | EACH_PLACE) => return Vec::new(),
        (true, ROUNDS..) => round - ROUNDS + 1,
        _ => round,
    };
    let scalar = match (lists.is_empty() && tables.is_empty(), round) {
        (true, 1..) => small_changes(mechanism, parameters, &scalars, round),
        _ => scalar_pairs(mechanism, parameters, &scalars),
    };
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
    if let ([table], []) = (tables.as_slice(), lists.as_slice()) {
        let Sort::Rows(fields) = &table.sort else { return found };
        for (a, b) in tables::pairs(mechanism, parameters, (&table.name, fields), round) {
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
    if !tables.is_empty() {
        let scalar = &scalar[..scalar.len().min(if scalars.is_empty() { 1 } else { 6 })];
        let mut changes: Vec<Change<'_>> = Vec::new();
        for table in tables {
            let Sort::Rows(fields) = &table.sort else { return found };
            changes.push(Change::Table(
                &table.name,
                tables::pairs(mechanism, parameters, (&table.name, fields), round),
            ));
        }
        if !lists.is_empty() {
            let moves = list_moves(mechanism, parameters, round);
            let of = |moved: &Moved| (moved.from.clone(), moved.to.clone());
            let names = lists.iter().map(|list| &list.name).collect();
            changes.push(Change::Lists(names, moves.iter().map(of).collect()));
        }
        let all = together(scalar, &changes).into_iter();
        let _ = all.map(|(first, second)| Pair { first, second, answers: Vec::new() }).all(push);
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
        // Two lists that change in different places: the one from its end.
        for (first, second) in scalar.iter().take(usize::from(lists.len() > 1)) {
            let (mut first, mut second) = (first.clone(), second.clone());
            for (i, input) in lists.iter().enumerate() {
                let turned = |list: &Vec<Rational>| match i {
                    0 => Given::List(list.clone()),
                    _ => Given::List(list.iter().rev().cloned().collect()),
                };
                first.insert(input.name.clone(), turned(&moved.from));
                second.insert(input.name.clone(), turned(&moved.to));
            }
            if !push(Pair { first, second, answers: moved.kinds.clone() }) {
                return found;
            }
        }
    }
    found
}

/// Pairs of values for the scalar inputs, those furthest apart first; a single pair of nothing if there are none.
fn scalar_pairs(mechanism: &Mechanism, parameters: &Parameters, scalars: &[&Input]) -> Vec<(Inputs, Inputs)> {
    let named = compared(mechanism, parameters);
    let mut numbers: Vec<Rational> = [(0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (5, 1)]
        .map(ratio)
        .into_iter()
        .chain(named.iter().cloned())
        .chain(named.iter().map(|x| -x))
        .chain(critical(mechanism, parameters))
        .collect();
    keep_first(&mut numbers);
    let mut all: Vec<Inputs> = vec![Inputs::new()];
    for input in scalars {
        let values: Vec<Given> = scalar_values(input, parameters, &numbers);
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

/// Each number once, where it stands first.
fn keep_first(numbers: &mut Vec<Rational>) {
    let mut seen = Vec::new();
    numbers.retain(|x| {
        !seen.contains(x) && {
            seen.push(x.clone());
            true
        }
    });
}

/// Values of a scalar input.
fn scalar_values(input: &Input, parameters: &Parameters, numbers: &[Rational]) -> Vec<Given> {
    match &input.sort {
        Sort::Bool => vec![Given::Bool(false), Given::Bool(true)],
        Sort::Category { count } => {
            let last =
                parameter_value(count, parameters).map_or(Rational::ZERO, |count| count.low - Rational::ONE);
            let mut values: Vec<Rational> = (0..4).map(Rational::from).chain([last]).collect();
            keep_first(&mut values);
            values.into_iter().map(Given::Number).collect()
        }
        Sort::Int => numbers.iter().filter(|x| x.is_int()).cloned().map(Given::Number).collect(),
        _ => numbers.iter().cloned().map(Given::Number).collect(),
    }
}

/// Steps to a neighbour for the later rounds: small ones across a jump, and others that are not the largest.
const STEPS: [[(i64, i64); 4]; 3] = [
    [(1, 100), (1, 4), (1, 2), (1, 1)],
    [(1, 1000), (1, 8), (3, 4), (3, 2)],
    [(2, 1), (3, 1), (5, 1), (10, 1)],
];

/// Pairs of scalar inputs beside the numbers at which the program may jump: one input moves by a step, or all do.
fn small_changes(
    mechanism: &Mechanism,
    parameters: &Parameters,
    scalars: &[&Input],
    round: usize,
) -> Vec<(Inputs, Inputs)> {
    let mut places: Vec<Rational> = critical(mechanism, parameters);
    places.extend(compared(mechanism, parameters));
    places.extend([(0, 1), (1, 2), (1, 1), (10, 1), (100, 1)].map(ratio));
    let mirrored: Vec<Rational> = places.iter().map(|x| -x).collect();
    places.extend(mirrored);
    keep_first(&mut places);
    places.truncate(MOST_PLACES);
    let steps = STEPS[(round - 1) % STEPS.len()].map(ratio);
    let all_at = |place: &Rational, moved: &dyn Fn(usize) -> Rational| -> Inputs {
        let value = |(i, input): (usize, &&Input)| {
            let given = match &input.sort {
                Sort::Bool => Given::Bool(!moved(i).is_zero()),
                _ => Given::Number(place + moved(i)),
            };
            (input.name.clone(), given)
        };
        scalars.iter().enumerate().map(value).collect()
    };
    let mut pairs = Vec::new();
    for step in &steps {
        for place in &places {
            let half = step / Rational::from(2);
            // From the place to one side, or across it.
            for (from, to) in
                [(Rational::ZERO, step.clone()), (-step, Rational::ZERO), (-&half, half.clone())]
            {
                for moving in 0..=scalars.len() {
                    let end = |i: usize| {
                        if moving == scalars.len() || moving == i { to.clone() } else { from.clone() }
                    };
                    pairs.push((all_at(place, &|_| from.clone()), all_at(place, &end)));
                    if scalars.len() == 1 {
                        break;
                    }
                }
            }
        }
    }
    pairs
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
    let full = bound.map_or(Rational::ONE, |bound| bound.low);
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
    let origin = std::iter::once(Rational::ZERO).chain(compared(mechanism, parameters));
    let origin = origin.into_iter().find(|x| admits_entry(mechanism, parameters, x)).unwrap_or_default();
    let (least, most) = lengths(mechanism, parameters);
    let numbers = || {
        let mut numbers = critical(mechanism, parameters);
        numbers.extend(compared(mechanism, parameters));
        keep_first(&mut numbers);
        numbers.truncate(MOST_BASES);
        numbers
    };
    let half = || fraction::<1, 2>();
    // Where the entries lie, how far they move, and how long the list may be.
    let (bases, steps, longest): (Vec<(Rational, Rational)>, Vec<Rational>, usize) = match round {
        0..ROUNDS => {
            let (below, above) = BASES[round];
            let longest = if round > 0 { LONGEST_SPREAD } else { usize::MAX };
            let at = |entry: i64| &origin + Rational::from(entry);
            (vec![(at(below), at(above))], vec![full], longest)
        }
        // Long lists.
        5 | TIERS | EACH_PLACE => (vec![(Rational::ZERO, Rational::ZERO)], vec![full], usize::MAX),
        // Entries at the numbers of the text, and beside them.
        6 => {
            let at = |x: Rational| {
                [(x.clone(), x.clone()), (Rational::ZERO, x.clone()), (-&x, x.clone()), (&x - &full, x)]
            };
            // From one number of the text to another, where that is nearer than an entry may go.
            let mut steps = vec![full.clone()];
            let nearer = |x: &Rational| *x > Rational::ZERO && *x < full;
            steps.extend(numbers().into_iter().filter(nearer).take(if one_entry { MOST_STEPS } else { 0 }));
            (numbers().into_iter().flat_map(at).collect(), steps, LONGEST_SPREAD)
        }
        // Small steps.
        7 => {
            let mut bases = vec![(Rational::ZERO, Rational::ZERO), (half(), half())];
            bases.extend(numbers().into_iter().map(|x| (x.clone(), x)));
            (bases, vec![&full * half(), &full * fraction::<1, 100>()], 2)
        }
        APART => {
            let at = |(a, b): (i64, i64)| (Rational::from(a), Rational::from(b));
            (APART_BASES.map(at).to_vec(), vec![full], usize::MAX)
        }
        _ => {
            let far = [(4, -4), (16, 16), (0, 20), (1, 0)];
            (far.map(|(a, b)| (Rational::from(a), Rational::from(b))).to_vec(), vec![full], LONGEST_SPREAD)
        }
    };
    let fits = |length: &usize| *length >= least && most.is_none_or(|most| *length <= most);
    let mut shapes: Vec<(usize, usize, usize)> = match round {
        5 => LONG_SHAPES.to_vec(),
        APART => APART_SHAPES.to_vec(),
        TIERS => TIERS_SHAPES.to_vec(),
        EACH_PLACE => SHORT.map(|length| (length, 0, 1)).collect(),
        _ => SHAPES.to_vec(),
    };
    shapes.retain(|(low, high, repeat)| fits(&((low + high) * repeat)));
    // A length that no shape has.
    if shapes.is_empty() && round == EACH_PLACE {
        return Vec::new();
    }
    if shapes.is_empty() || (least > 3 && !matches!(round, 5 | EACH_PLACE)) {
        let n = least.max(1);
        let all = match round {
            APART => [
                (n / 2, n - n / 2, 1),
                (2, n.max(2) - 2, 1),
                (n.max(2) - 2, 2, 1),
                (n - 1, 1, 1),
                (1, n - 1, 1),
            ],
            _ => [(n - 1, 1, 1), (1, n - 1, 1), (n / 2, n - n / 2, 1), (n, 0, 1), (0, n, 1)],
        };
        shapes.splice(0..0, all.into_iter().filter(|(low, high, _)| low + high == n && fits(&n)));
    }
    let mut found = Vec::new();
    for (low, high, repeat) in shapes {
        let kinds: Vec<bool> = [vec![false; low], vec![true; high]].concat().repeat(repeat);
        if kinds.len() > longest.max(least) {
            continue;
        }
        for (below, above) in &bases {
            let base: Vec<Rational> =
                kinds.iter().map(|&kind| &origin + if kind { above } else { below }).collect();
            for step in &steps {
                let mut push =
                    |to: Vec<Rational>| found.push(Moved { from: base.clone(), to, kinds: kinds.clone() });
                if let Some(squares) = norm.filter(|_| round != EACH_PLACE) {
                    let parts = match squares {
                        true => (1i64..).find(|n| n * n >= kinds.len() as i64).unwrap_or(1),
                        false => kinds.len() as i64,
                    };
                    let share = step / Rational::from(parts);
                    for (down, up) in MOVES {
                        let shift = |kind: bool| &share * Rational::from(if kind { up } else { down });
                        push(base.iter().zip(&kinds).map(|(x, &kind)| x + shift(kind)).collect());
                    }
                }
                if one_entry || norm.is_some() {
                    // An entry in the middle has others on both sides, as in sums of a few that follow each other.
                    let mut places = vec![0, kinds.len() - 1, kinds.len() / 2];
                    places.truncate(if kinds.len() > 2 { 3 } else { 2 });
                    if round == EACH_PLACE {
                        // Those three other rounds have.
                        places = (1..kinds.len() - 1).filter(|place| *place != kinds.len() / 2).collect();
                    }
                    for place in places {
                        for sign in [1, -1] {
                            let mut moved = base.clone();
                            moved[place] += step * Rational::from(sign);
                            push(moved);
                        }
                    }
                    continue;
                }
                if round == EACH_PLACE {
                    continue;
                }
                for (down, up) in
                    MOVES.into_iter().take(if round == TIERS { TIERS_MOVES } else { MOVES.len() })
                {
                    let shift = |kind: bool| step * Rational::from(if kind { up } else { down });
                    push(base.iter().zip(&kinds).map(|(x, &kind)| x + shift(kind)).collect());
                }
            }
        }
    }
    found
}
