//! Guesses for a refutation: combinations of the entries of a list. Nothing here decides anything.
//!
//! Each entry of a path is a linear form in its draws. Where there are fewer draws than entries, some combination of entries
//! has no noise at all: its value gives the input away. Where a combination isolates one draw, its half-lines tell as much
//! as that draw hides; that is how entries that share noise tell more together than each for itself. Normal noise tells most
//! by the one combination that weighs each entry by its shift over its variance.

use probity_exact::Rational;

use crate::integrate::linear::{Form, Noise};
use crate::output::event::{Condition, Relation};
use crate::output::outcome::Outcome;

/// Entries beyond which a list is not looked at in combination, and draws.
const MOST: usize = 12;

/// An entry of an output: its place in the list, and what it is on the first and on the second input.
pub(crate) struct Column {
    pub(crate) place: usize,
    pub(crate) first: Form,
    pub(crate) second: Form,
}

/// A combination that isolates a draw: its terms, its centers on the two inputs, and how far its noise goes.
type Isolated = (Vec<(usize, Rational)>, Rational, Rational, Rational);

/// Sums of multiples of entries that may tell, each with the conditions on it: lists of relations that hold together.
pub(crate) fn relations(columns: &[Column], noises: &[Noise], epsilon: &Rational) -> Vec<Vec<Relation>> {
    if columns.len() < 2 || columns.len() > MOST || noises.len() > 2 * MOST {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (reduced, ranks) = eliminated(columns, noises.len());
    // Combinations without noise: the value on the first input.
    for row in &reduced[ranks..] {
        // The first factor is 1: that reads best.
        let Some(lead) = row.iter().find(|c| !c.is_zero()) else { continue };
        let row: Vec<Rational> = row.iter().map(|c| c / lead).collect();
        let (a, b) = constants(&row, columns);
        if a != b {
            let condition = Condition::Is(Outcome::Number(a));
            found.push(vec![Relation { terms: terms(&row, columns), condition }]);
        }
    }
    // Combinations that isolate draws: all at once, each beyond both centers on the side that its shift says.
    let mut together: Vec<Isolated> = Vec::new();
    for row in &reduced[..ranks] {
        let (a, b) = constants(row, columns);
        let spread = spread(row, columns, noises);
        let used = row.iter().filter(|x| !x.is_zero()).count();
        if a != b && used > 1 {
            found.extend(half_lines(&terms(row, columns), &a, &b, &spread).map(|relation| vec![relation]));
        }
        if a != b {
            together.push((terms(row, columns), a, b, spread));
        }
    }
    if together.len() > 1 {
        for side in 0..2 {
            let one =
                |(terms, a, b, spread): &Isolated| half_lines(terms, a, b, spread).into_iter().nth(side);
            found.push(together.iter().filter_map(one).collect());
        }
    }
    found.extend(weighted(columns, noises, epsilon));
    // Two entries and no more, where draws are too many to isolate.
    if ranks == columns.len() && noises.len() > columns.len() {
        for pair in columns.windows(2) {
            let [x, y] = pair else { continue };
            let terms = vec![(x.place, Rational::ONE), (y.place, Rational::from(-1))];
            let (a, b) = (&x.first.constant - &y.first.constant, &x.second.constant - &y.second.constant);
            if a != b {
                let apart = if a < b { &b - &a } else { &a - &b };
                found.extend(half_lines(&terms, &a, &b, &apart).map(|relation| vec![relation]));
            }
        }
    }
    found
}

/// Rows of factors for the entries, such that the first `ranks` rows have a leading draw that no other row has, and the rest
/// have no draw at all; by the forms of the first input.
fn eliminated(columns: &[Column], draws: usize) -> (Vec<Vec<Rational>>, usize) {
    let n = columns.len();
    let unit = |i: usize| (0..n).map(|j| if i == j { Rational::ONE } else { Rational::ZERO }).collect();
    let mut factors: Vec<Vec<Rational>> = (0..n).map(unit).collect();
    let coefficient = |form: &Form, draw: usize| {
        form.terms.iter().find(|(d, _)| *d == draw).map_or(Rational::ZERO, |(_, c)| c.clone())
    };
    let mut rows: Vec<Vec<Rational>> =
        columns.iter().map(|c| (0..draws).map(|draw| coefficient(&c.first, draw)).collect()).collect();
    let mut rank = 0;
    for draw in 0..draws {
        let Some(pivot) = (rank..n).find(|&i| !rows[i][draw].is_zero()) else { continue };
        rows.swap(rank, pivot);
        factors.swap(rank, pivot);
        let lead = Rational::ONE / &rows[rank][draw];
        rows[rank].iter_mut().chain(&mut factors[rank]).for_each(|x| *x *= &lead);
        for other in (0..n).filter(|&i| i != rank) {
            let factor = rows[other][draw].clone();
            if factor.is_zero() {
                continue;
            }
            let (from, by) = (rows[rank].clone(), factors[rank].clone());
            rows[other].iter_mut().zip(&from).for_each(|(x, y)| *x -= &factor * y);
            factors[other].iter_mut().zip(&by).for_each(|(x, y)| *x -= &factor * y);
        }
        rank += 1;
    }
    (factors, rank)
}

/// The value of a combination without noise, on the first and on the second input.
fn constants(row: &[Rational], columns: &[Column]) -> (Rational, Rational) {
    let sum = |of: fn(&Column) -> &Form| {
        row.iter().zip(columns).fold(Rational::ZERO, |sum, (c, column)| sum + c * &of(column).constant)
    };
    (sum(|column| &column.first), sum(|column| &column.second))
}

fn terms(row: &[Rational], columns: &[Column]) -> Vec<(usize, Rational)> {
    let used = row.iter().zip(columns).filter(|(c, _)| !c.is_zero());
    used.map(|(c, column)| (column.place, c.clone())).collect()
}

fn spread(row: &[Rational], columns: &[Column], noises: &[Noise]) -> Rational {
    let form = row
        .iter()
        .zip(columns)
        .fold(Form::constant(Rational::ZERO), |sum, (c, column)| sum.plus(&column.first.scaled(c)));
    form.terms.iter().fold(Rational::ZERO, |sum, (draw, c)| {
        let size = if *c < Rational::ZERO { -c } else { c.clone() };
        sum + size
            * match &noises[*draw] {
                Noise::Laplace(scale) | Noise::Exponential(scale) => scale.clone(),
                Noise::Gaussian(variance) => variance.clone().max(Rational::ONE),
                Noise::Uniform | Noise::Unused => Rational::ONE,
            }
    })
}

/// Half-lines that end at the nearer center: the first is likelier under the first input; then the same one noise farther out.
fn half_lines(terms: &[(usize, Rational)], a: &Rational, b: &Rational, spread: &Rational) -> [Relation; 4] {
    let below = a < b;
    let at = |steps: i64, below: bool| {
        let far = spread * Rational::from(steps);
        let condition = if below { Condition::AtMost(a - far) } else { Condition::AtLeast(a + far) };
        Relation { terms: terms.to_vec(), condition }
    };
    [at(0, below), at(2, below), at(0, !below), at(8, below)]
}

/// Normal noise: the combination that is the loss, up to a constant, where it exceeds ε; and beside that.
fn weighted(columns: &[Column], noises: &[Noise], epsilon: &Rational) -> Vec<Vec<Relation>> {
    let mut row = Vec::new();
    for column in columns {
        let [(draw, c)] = &column.first.terms[..] else { return Vec::new() };
        let Noise::Gaussian(variance) = &noises[*draw] else { return Vec::new() };
        row.push((&column.first.constant - &column.second.constant) / (c * c * variance));
    }
    let (a, b) = constants(&row, columns);
    if a <= b {
        return Vec::new();
    }
    let apart = &a - &b;
    let terms = terms(&row, columns);
    let at = |steps: i64| {
        let middle = (&a + &b) / Rational::from(2);
        let threshold = middle + epsilon + &apart * Rational::from(steps) / Rational::from(4);
        vec![Relation { terms: terms.clone(), condition: Condition::AtLeast(threshold) }]
    };
    [0, -1, 1, 4, 16, -4].map(at).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(constant: i64, terms: &[(usize, i64)]) -> Form {
        let draw =
            |sum: Form, (draw, c): &(usize, i64)| sum.plus(&Form::draw(*draw).scaled(&Rational::from(*c)));
        terms.iter().fold(Form::constant(Rational::from(constant)), draw)
    }

    #[test]
    fn shared_noise_is_taken_out() {
        let laplace = || Noise::Laplace(Rational::ONE);
        // [x + n, y + n]: the difference has no noise.
        let column = |place, a, b, terms: &[(usize, i64)]| Column {
            place,
            first: form(a, terms),
            second: form(b, terms),
        };
        let found = relations(
            &[column(0, 0, 1, &[(0, 1)]), column(1, 0, 0, &[(0, 1)])],
            &[laplace()],
            &Rational::ONE,
        );
        let exact = |r: &Vec<Relation>| matches!(&r[..], [Relation { condition: Condition::Is(_), .. }]);
        let told = found.iter().find(|r| exact(r)).unwrap();
        assert_eq!(told[0].to_string(), "output[0] - output[1] = 0");
        // [x + n, x + n + m]: the difference has m alone, and both inputs have the same there.
        let both = [column(0, 0, 1, &[(0, 1)]), column(2, 0, 1, &[(0, 1), (1, 1)])];
        assert!(!relations(&both, &[laplace(), laplace()], &Rational::ONE).iter().any(exact));
        // Entries that share nothing need no combination.
        let apart = [column(0, 0, 1, &[(0, 1)]), column(1, 0, 0, &[(1, 1)])];
        assert!(relations(&apart, &[laplace(), laplace()], &Rational::ONE).is_empty());
    }
}
