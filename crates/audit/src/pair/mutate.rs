//! Small changes of a pair of neighbours and of the parameters, for a search that climbs from what told most. Nothing here
//! decides anything.

use probity_exact::{Rational, fraction};
use probity_kernel::expr::Name;
use probity_kernel::term::{Adjacency, Input, Mechanism, Sort};

use crate::case::Case;
use crate::output::outcome::{Given, Inputs, Parameters};
use crate::pair::candidates::Pair;
use crate::pair::fields::values;
use crate::pair::named::{compared, critical};
use crate::pair::neighbours::{admits_parameters, neighbours, parameter_value};
use crate::pair::ratio;
use crate::run::bits::Bits;
use crate::run::tables::GivenRow;

/// Shifts of an entry.
const SHIFTS: [(i64, i64); 9] =
    [(1, 1), (-1, 1), (1, 2), (-1, 2), (1, 4), (-1, 4), (3, 1), (-3, 1), (1, 100)];

/// Shares of the radius by which the neighbour's entry lies apart.
const SHARES: [(i64, i64); 6] = [(1, 1), (-1, 1), (1, 2), (-1, 2), (0, 1), (1, 10)];

/// Factors of a parameter.
const FACTORS: [(i64, i64); 4] = [(2, 1), (1, 2), (4, 1), (1, 4)];

/// The longest list.
const LONGEST: usize = 14;

fn pick<T: Clone>(from: &[T], bits: &mut Bits) -> Option<T> {
    let place = usize::try_from(bits.next() % (from.len().max(1) as u64)).unwrap_or(0);
    from.get(place).cloned()
}

/// A pair near the given one, perhaps with other parameters; `None` if the change led to something that is not admitted.
pub(crate) fn mutated(
    mechanism: &Mechanism,
    (setting, fixed): (&Parameters, &Parameters),
    pair: &Pair,
    bits: &mut Bits,
) -> Option<(Parameters, Pair)> {
    let mut setting = setting.clone();
    let mut changed = Pair { answers: Vec::new(), ..pair.clone() };
    for _ in 0..=bits.next() % 2 {
        change(mechanism, &mut setting, fixed, &mut changed, bits)?;
    }
    let fits = |inputs: &Inputs| matches!(Case::new(mechanism, &setting, inputs).is_admitted(), Ok(true));
    let admitted = changed.first != changed.second
        && matches!(admits_parameters(mechanism, &setting), Ok(true))
        && fits(&changed.first)
        && fits(&changed.second)
        && matches!(neighbours(mechanism, &setting, &changed.first, &changed.second), Ok(true));
    admitted.then_some((setting, changed))
}

fn change(
    mechanism: &Mechanism,
    setting: &mut Parameters,
    fixed: &Parameters,
    pair: &mut Pair,
    bits: &mut Bits,
) -> Option<()> {
    let free: Vec<Name> =
        mechanism.params.iter().map(|p| p.name.clone()).filter(|name| !fixed.contains_key(name)).collect();
    if !free.is_empty() && bits.next().is_multiple_of(4) {
        let name = pick(&free, bits)?;
        let is_int = mechanism.params.iter().any(|p| p.name == name && p.sort == Sort::Int);
        let value = setting.get_mut(&name)?;
        match is_int {
            true => *value += ratio(pick(&SHIFTS[..2], bits)?),
            false => {
                *value *= ratio(pick(&FACTORS, bits)?);
                // Far out, guesses in f64 say little.
                let (least, most) = (fraction::<1, 64>(), fraction::<64, 1>());
                if *value < least && -&*value < least || *value > most {
                    return None;
                }
            }
        }
        return Some(());
    }
    let input = pick(&mechanism.inputs, bits)?;
    let numbers = || {
        let mut numbers = critical(mechanism, setting);
        numbers.extend(compared(mechanism, setting));
        numbers
    };
    let radius = radius(mechanism, setting, &input.name);
    let (first, second) = (pair.first.get_mut(&input.name)?, pair.second.get_mut(&input.name)?);
    match (first, second) {
        (Given::Number(x), Given::Number(y)) => {
            let shift = shift_of(&input, &numbers(), x, bits)?;
            let apart = match bits.next() % 3 {
                0 => radius * ratio(pick(&SHARES, bits)?),
                _ => &*y - &*x,
            };
            *x += shift;
            *y = &*x + apart;
        }
        (Given::Bool(x), Given::Bool(y)) => {
            (*x, *y) = (!*x, !*y);
        }
        (Given::List(a), Given::List(b)) if a.len() == b.len() => {
            let last = a.len().checked_sub(1)?;
            let place = usize::try_from(bits.next() % a.len() as u64).unwrap_or(0);
            match bits.next() % 8 {
                0 if a.len() < LONGEST => {
                    a.insert(place, a[place].clone());
                    b.insert(place, b[place].clone());
                }
                1 if last > 0 => {
                    a.remove(place);
                    b.remove(place);
                }
                2 => {
                    a.swap(place, last);
                    b.swap(place, last);
                }
                3 | 4 => b[place] = &a[place] + radius * ratio(pick(&SHARES, bits)?),
                _ => {
                    let shift = shift_of(&input, &numbers(), &a[place], bits)?;
                    a[place] += &shift;
                    b[place] += shift;
                }
            }
        }
        (Given::Rows(a), Given::Rows(b)) => {
            // A row of one of them is put into both, or one that both have is taken out.
            let all: Vec<_> = a.iter().chain(b.iter()).cloned().collect();
            let row: GivenRow = pick(&all, bits)?;
            let places = (a.iter().position(|r| *r == row), b.iter().position(|r| *r == row));
            match (bits.next() % 3, places) {
                (0, (Some(i), Some(j))) => {
                    a.remove(i);
                    b.remove(j);
                }
                // A field of the row gets another value, wherever the row is.
                (1, (i, j)) => {
                    let at = usize::try_from(bits.next() % row.len().max(1) as u64).unwrap_or(0);
                    let value = match row.get(at)? {
                        Given::Bool(b) => Given::Bool(!b),
                        Given::Number(_) => {
                            let Sort::Rows(fields) = &input.sort else { return None };
                            let field = fields.get(at)?;
                            let of = (&input.name, &field.name);
                            Given::Number(pick(&values(mechanism, setting, of, &field.sort), bits)?)
                        }
                        _ => return None,
                    };
                    let found = [(a, i), (b, j)];
                    for (rows, place) in found {
                        if let Some(place) = place {
                            rows[place][at] = value.clone();
                        }
                    }
                }
                _ => {
                    a.push(row.clone());
                    b.push(row);
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// How far a number moves: by a simple step, or to a number that the text names.
fn shift_of(input: &Input, numbers: &[Rational], from: &Rational, bits: &mut Bits) -> Option<Rational> {
    let shift = match bits.next() % 3 {
        0 if !numbers.is_empty() => pick(numbers, bits)? - from,
        _ => ratio(pick(&SHIFTS, bits)?),
    };
    let whole = matches!(input.sort, Sort::Int | Sort::IntList | Sort::Category { .. });
    (!whole || shift.is_int()).then_some(shift)
}

/// How far the entries of neighbours may lie apart; 1 where it is not said.
fn radius(mechanism: &Mechanism, setting: &Parameters, name: &Name) -> Rational {
    let bound = mechanism.adjacency.iter().find_map(|clause| match clause {
        Adjacency::EveryEntry { list, bound }
        | Adjacency::EveryEntryGrows { list, bound }
        | Adjacency::OneEntry { list, bound }
            if list == name =>
        {
            parameter_value(bound, setting).ok()
        }
        _ => None,
    });
    bound.map_or(Rational::ONE, |bound| bound.low)
}
