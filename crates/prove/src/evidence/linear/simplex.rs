//! A small exact simplex: either multipliers that combine inequalities into a contradiction (Farkas), or values
//! that satisfy them all.
//!
//! Untrusted: what it finds is checked by the kernel. Numbers are fractions of machine integers with every
//! overflow checked; on overflow the search gives up, which can lose a proof and nothing else.
//!
//! ```
//! use probity_prove::simplex::{Answer, Column, Fraction, solve};
//! // x − 1 ≥ 0 and −x > 0 contradict each other. Row 0 holds the coefficients of x.
//! let at_least = Column { entries: vec![(0, Fraction::ONE)], constant: -Fraction::ONE, strict: false, free: false };
//! let below = Column { entries: vec![(0, -Fraction::ONE)], constant: Fraction::ZERO, strict: true, free: false };
//! let mut steps = 1000;
//! assert!(matches!(solve(1, &[at_least, below], &mut steps), Some(Answer::Contradiction(_))));
//! assert!(steps < 1000);
//! ```

use std::cmp::Ordering;
use std::ops::{Neg, Rem};

/// An exact fraction. Invariant: the denominator is positive and the fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

/// The greatest common divisor; b is not 0.
fn gcd<T: Copy + Default + PartialEq + Rem<Output = T>>(mut a: T, mut b: T) -> T {
    while b != T::default() {
        (a, b) = (b, a % b);
    }
    a
}

impl Fraction {
    /// 0.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// 1.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };
    /// Beyond this size a product of two could overflow, so the search gives up.
    const LIMIT: i128 = 1 << 60;

    /// The fraction, unless it is too large to compute with or the denominator is 0.
    pub fn new(numerator: i128, denominator: i128) -> Option<Fraction> {
        if denominator == 1 {
            return Fraction::whole(numerator);
        }
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let sign = numerator.signum() * denominator.signum();
        let (n, d) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        // Nearly all numbers are small, and division of machine words is several times faster.
        let (n, d) = match (u64::try_from(n), u64::try_from(d)) {
            (Ok(n), Ok(d)) => {
                let divisor = gcd(n, d);
                (u128::from(n / divisor), u128::from(d / divisor))
            }
            _ => {
                let divisor = gcd(n, d);
                (n / divisor, d / divisor)
            }
        };
        let fits = n < Self::LIMIT.unsigned_abs() && d < Self::LIMIT.unsigned_abs();
        fits.then_some(Fraction { numerator: sign * n as i128, denominator: d as i128 })
    }

    /// A fraction that is in lowest terms, with a positive denominator, unless it is too large.
    pub(crate) fn lowest(numerator: i64, denominator: i64) -> Option<Fraction> {
        let (numerator, denominator) = (i128::from(numerator), i128::from(denominator));
        let fits = numerator.abs() < Self::LIMIT && denominator < Self::LIMIT;
        fits.then_some(Fraction { numerator, denominator })
    }

    /// A whole number, unless it is too large. Nearly all numbers are, and need no common divisor.
    fn whole(numerator: i128) -> Option<Fraction> {
        let fits = -Self::LIMIT < numerator && numerator < Self::LIMIT;
        fits.then_some(Fraction { numerator, denominator: 1 })
    }

    /// Numerator and denominator.
    pub fn parts(self) -> (i128, i128) {
        (self.numerator, self.denominator)
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// −1, 0 or 1.
    pub fn signum(self) -> i128 {
        self.numerator.signum()
    }

    /// The sum, unless too large.
    pub fn plus(self, other: Fraction) -> Option<Fraction> {
        if self.denominator == 1 && other.denominator == 1 {
            return Fraction::whole(self.numerator + other.numerator);
        }
        Fraction::new(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )
    }

    /// The product, unless too large.
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        if self.is_zero() || other.is_zero() {
            return Some(Fraction::ZERO);
        }
        Fraction::new(self.numerator * other.numerator, self.denominator * other.denominator)
    }

    /// The quotient, unless too large or undefined.
    pub fn over(self, other: Fraction) -> Option<Fraction> {
        Fraction::new(self.numerator * other.denominator, self.denominator * other.numerator)
    }
}

impl Neg for Fraction {
    type Output = Fraction;
    fn neg(self) -> Fraction {
        Fraction { numerator: -self.numerator, denominator: self.denominator }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

/// An inequality `entries·x + constant ≥ 0` (`> 0` if strict, `= 0` if free).
#[derive(Clone, Debug)]
pub struct Column {
    /// Coefficients, by variable.
    pub entries: Vec<(usize, Fraction)>,
    /// The constant.
    pub constant: Fraction,
    /// Whether the inequality is strict.
    pub strict: bool,
    /// Whether it is an equation, whose multiplier may have any sign.
    pub free: bool,
}

/// What [`solve`] found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A multiplier per inequality; the combination is a contradiction.
    Contradiction(Vec<Fraction>),
    /// A value per variable; they satisfy every inequality.
    Values(Vec<Fraction>),
}

/// Pivots after which the search gives up.
const MAX_PIVOTS: usize = 2_000;
/// Pivots after which the smallest-index rule takes over, which cannot cycle.
const PATIENCE: usize = 200;

struct Tableau {
    /// One row per constraint of the dual, then the objective. The last entry of a row is its right side.
    rows: Vec<Vec<Fraction>>,
    basis: Vec<usize>,
}

/// Decides the inequalities over `variables` variables. `None` if the numbers grew too large or the steps, each a few
/// cells of a pivot, are used up.
///
/// It looks for multipliers λ ≥ 0 and a slack with Σ λ·entries = 0 per variable, Σ λ·constant + slack = 0, and
/// slack + Σ_strict λ = 1, by minimising the sum of artificial variables. If the minimum is positive, the prices
/// of the rows are values that satisfy the inequalities.
pub fn solve(variables: usize, columns: &[Column], steps: &mut u64) -> Option<Answer> {
    // Most questions have a contradiction of few inequalities among many that can have no part in one.
    let (kept, left_out) = concerned(variables, columns);
    if kept.len() == columns.len() {
        return solve_all(variables, columns, steps);
    }
    match solve_few(variables, columns, &kept, steps)? {
        Answer::Contradiction(few) => {
            let mut all = vec![Fraction::ZERO; columns.len()];
            kept.iter().zip(few).for_each(|(place, multiplier)| all[*place] = multiplier);
            Some(Answer::Contradiction(all))
        }
        Answer::Values(mut values) => match extend(&mut values, columns, &left_out) {
            Some(()) => Some(Answer::Values(values)),
            None => solve_all(variables, columns, steps),
        },
    }
}

/// Values that satisfy the other inequalities, for the variables by which these were left out, from the last that was left out to the first.
fn extend(values: &mut [Fraction], columns: &[Column], left_out: &[LeftOut]) -> Option<()> {
    for LeftOut { column, variable, coefficient } in left_out.iter().rev() {
        let column = &columns[*column];
        let mut sum = column.constant;
        for (place, value) in &column.entries {
            sum = sum.plus(value.times(values[*place])?)?;
        }
        let wanted = if column.strict { Fraction::ONE } else { Fraction::ZERO };
        if column.free || sum < wanted {
            let more = wanted.plus(-sum)?.over(*coefficient)?;
            values[*variable] = values[*variable].plus(more)?;
        }
    }
    Some(())
}

/// The same for some of the inequalities, with the variables that they have.
fn solve_few(variables: usize, columns: &[Column], kept: &[usize], steps: &mut u64) -> Option<Answer> {
    let mut places = vec![None; variables];
    let mut known = 0;
    let mut few = Vec::with_capacity(kept.len());
    for column in kept.iter().map(|place| &columns[*place]) {
        let mut entries = Vec::with_capacity(column.entries.len());
        for (variable, value) in &column.entries {
            let place = *places[*variable].get_or_insert_with(|| {
                known += 1;
                known - 1
            });
            entries.push((place, *value));
        }
        few.push(Column { entries, ..*column });
    }
    Some(match solve_all(known, &few, steps)? {
        Answer::Values(values) => {
            let value = |place: &Option<usize>| place.map_or(Fraction::ZERO, |place| values[place]);
            Answer::Values(places.iter().map(value).collect())
        }
        contradiction => contradiction,
    })
}

/// An inequality that can have no part in a contradiction: it has a variable with a sign that no inequality which was there then has the
/// other of, or an equation of which no other has the variable.
#[derive(Clone, Copy)]
struct LeftOut {
    column: usize,
    variable: usize,
    coefficient: Fraction,
}

/// The inequalities that may have a part in a contradiction, and the others in the order in which they are left out: in a contradiction,
/// every variable comes with both signs, or in two equations.
fn concerned(variables: usize, columns: &[Column]) -> (Vec<usize>, Vec<LeftOut>) {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let mut left_out = Vec::new();
    loop {
        // How often each variable comes with a plus, and with a minus; in an equation it can have either.
        let mut signs = vec![(0usize, 0usize); variables];
        for column in kept.iter().map(|place| &columns[*place]) {
            for (variable, value) in &column.entries {
                let (plus, minus) = &mut signs[*variable];
                *plus += usize::from(!value.is_zero() && (column.free || value.signum() > 0));
                *minus += usize::from(!value.is_zero() && (column.free || value.signum() < 0));
            }
        }
        let before = kept.len();
        kept.retain(|place| {
            let column = &columns[*place];
            let lonely = column.entries.iter().find(|(variable, value)| {
                let (plus, minus) = signs[*variable];
                !value.is_zero() && (plus == 0 || minus == 0 || column.free && plus + minus == 2)
            });
            left_out.extend(lonely.map(|(variable, coefficient)| LeftOut {
                column: *place,
                variable: *variable,
                coefficient: *coefficient,
            }));
            lonely.is_none()
        });
        if kept.len() == before {
            return (kept, left_out);
        }
    }
}

fn solve_all(variables: usize, columns: &[Column], steps: &mut u64) -> Option<Answer> {
    let (constant_row, norm_row) = (variables, variables + 1);
    let height = variables + 2;
    let backward: Vec<usize> = (0..columns.len()).filter(|&k| columns[k].free).collect();
    let slack = columns.len() + backward.len();
    let artificial = slack + 1;
    let width = artificial + height;
    let mut rows = vec![vec![Fraction::ZERO; width + 1]; height + 1];
    let mut put = |j: usize, column: &Column, negate: bool| {
        let sign = |f: Fraction| if negate { -f } else { f };
        for &(i, value) in &column.entries {
            rows[i][j] = sign(value);
        }
        rows[constant_row][j] = sign(column.constant);
        if column.strict {
            rows[norm_row][j] = Fraction::ONE;
        }
    };
    for (k, column) in columns.iter().enumerate() {
        put(k, column, false);
    }
    for (n, &k) in backward.iter().enumerate() {
        put(columns.len() + n, &columns[k], true);
    }
    rows[constant_row][slack] = Fraction::ONE;
    rows[norm_row][slack] = Fraction::ONE;
    rows[norm_row][width] = Fraction::ONE;
    for i in 0..height {
        rows[i][artificial + i] = Fraction::ONE;
    }
    // Reduced costs: the cost is 1 on artificials, all of which are basic.
    for j in 0..=width {
        if j >= artificial && j < width {
            continue;
        }
        let mut sum = Fraction::ZERO;
        for row in rows.iter().take(height) {
            sum = sum.plus(row[j])?;
        }
        rows[height][j] = -sum;
    }
    let mut tableau = Tableau { rows, basis: (artificial..artificial + height).collect() };
    tableau.minimise(artificial, steps)?;
    let multiplier = |j: usize| match tableau.basis.iter().position(|&b| b == j) {
        Some(i) => tableau.rows[i][width],
        None => Fraction::ZERO,
    };
    if tableau.rows[height][width].is_zero() {
        let mut answer: Vec<Fraction> = (0..columns.len()).map(multiplier).collect();
        for (n, &k) in backward.iter().enumerate() {
            answer[k] = answer[k].plus(-multiplier(columns.len() + n))?;
        }
        return Some(Answer::Contradiction(answer));
    }
    let price = |i: usize| Fraction::ONE.plus(-tableau.rows[height][artificial + i]);
    let unit = price(constant_row)?;
    (0..variables).map(|i| price(i)?.over(unit)).collect::<Option<Vec<_>>>().map(Answer::Values)
}

impl Tableau {
    /// Pivots until no reduced cost of the first `structural` columns is negative.
    fn minimise(&mut self, structural: usize, steps: &mut u64) -> Option<()> {
        let height = self.basis.len();
        let width = self.rows[height].len() - 1;
        for step in 0..MAX_PIVOTS {
            // Most cells are 0 and take no time.
            *steps = steps.saturating_sub((height * width / 8) as u64);
            if *steps == 0 {
                return None;
            }
            let costs = &self.rows[height];
            let candidates = (0..structural).filter(|&j| costs[j].signum() < 0);
            let entering = if step < PATIENCE {
                candidates.min_by(|&a, &b| costs[a].cmp(&costs[b]))
            } else {
                candidates.min()
            };
            let Some(entering) = entering else { return Some(()) };
            let mut leaving: Option<(usize, Fraction)> = None;
            for i in 0..height {
                let pivot = self.rows[i][entering];
                if pivot.signum() <= 0 {
                    continue;
                }
                let ratio = self.rows[i][width].over(pivot)?;
                let better = match leaving {
                    None => true,
                    Some((best, least)) => match ratio.cmp(&least) {
                        Ordering::Less => true,
                        Ordering::Equal => self.basis[i] < self.basis[best],
                        Ordering::Greater => false,
                    },
                };
                if better {
                    leaving = Some((i, ratio));
                }
            }
            // The objective is bounded below by 0, so some row limits the step.
            let (leaving, _) = leaving?;
            self.pivot(leaving, entering)?;
        }
        None
    }

    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let pivot = self.rows[row][column];
        for value in &mut self.rows[row] {
            if !value.is_zero() {
                *value = value.over(pivot)?;
            }
        }
        let source: Vec<(usize, Fraction)> =
            self.rows[row].iter().enumerate().filter(|(_, v)| !v.is_zero()).map(|(j, v)| (j, *v)).collect();
        for i in 0..self.rows.len() {
            let factor = self.rows[i][column];
            if i == row || factor.is_zero() {
                continue;
            }
            for &(j, value) in &source {
                self.rows[i][j] = self.rows[i][j].plus(-factor.times(value)?)?;
            }
        }
        self.basis[row] = column;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_or_absent() {
        let f = |n, d| Fraction::new(n, d).unwrap();
        assert_eq!(f(6, -4).parts(), (-3, 2));
        assert_eq!(f(0, -7).parts(), (0, 1));
        assert_eq!(f(1, 3).plus(f(1, 6)), Some(f(1, 2)));
        assert_eq!(f(2, 3).times(f(-3, 4)), Some(f(-1, 2)));
        assert_eq!(f(1, 2).over(f(0, 1)), None);
        assert_eq!(Fraction::new(1, 0), None);
        assert_eq!(Fraction::new(i128::MIN, 1), None);
        let large = f((1 << 59) + 1, 1);
        assert_eq!(large.times(large), None);
        assert_eq!(f(1 << 59, 3).times(f(3, 1 << 59)), Some(Fraction::ONE));
        assert!(f(1, 3) < f(1, 2) && f(-1, 2) < f(-1, 3));
    }

    /// What can have no part in a contradiction is left out, whatever it says; what can is not.
    #[test]
    fn inequalities_with_a_variable_of_their_own_take_no_part() {
        let column = |entries: &[(usize, i128)], free: bool| Column {
            entries: entries.iter().map(|(i, c)| (*i, Fraction::new(*c, 1).unwrap())).collect(),
            constant: -Fraction::ONE,
            strict: false,
            free,
        };
        let columns = [
            column(&[(0, 1)], false),
            column(&[(0, -1)], false),
            // Variable 1 comes with a plus alone, which leaves 2 alone in the next.
            column(&[(1, 1), (2, 1)], false),
            column(&[(2, -1), (0, 1)], false),
            // An equation in which 3 comes alone, and two that share 4.
            column(&[(3, 1), (0, 1)], true),
            column(&[(4, 1)], true),
            column(&[(4, 1), (0, 2)], true),
        ];
        assert_eq!(concerned(5, &columns).0, [0, 1, 5, 6]);
        let Some(Answer::Contradiction(multipliers)) = solve(5, &columns, &mut 1_000_000) else {
            panic!("none")
        };
        assert_eq!(multipliers.len(), columns.len());
        assert!(multipliers[2..5].iter().all(|m| m.is_zero()));
    }

    /// Systems from a fixed pseudo-random sequence: a contradiction adds up to one, values satisfy everything.
    #[test]
    fn answers_are_what_they_claim() {
        let mut state = 3u64;
        let mut roll = |below: i128| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            i128::from(state >> 33) % below
        };
        let (mut contradictions, mut satisfied) = (0, 0);
        for _ in 0..500 {
            let count = 3 + roll(8) as usize;
            let columns: Vec<Column> = (0..count)
                .map(|_| Column {
                    entries: (0..3).filter_map(|i| Some((i, Fraction::new(roll(7) - 3, 1)?))).collect(),
                    constant: Fraction::new(roll(9) - 4, 1).unwrap(),
                    strict: roll(3) == 0,
                    free: roll(6) == 0,
                })
                .map(|column| Column { strict: column.strict && !column.free, ..column })
                .collect();
            match solve(3, &columns, &mut u64::MAX.clone()).unwrap() {
                Answer::Values(values) => {
                    satisfied += 1;
                    for column in &columns {
                        let sum = column.entries.iter().fold(column.constant, |sum, (i, c)| {
                            sum.plus(c.times(values[*i]).unwrap()).unwrap()
                        });
                        let fine = match (column.free, column.strict) {
                            (true, _) => sum.is_zero(),
                            (false, true) => sum.signum() > 0,
                            (false, false) => sum.signum() >= 0,
                        };
                        assert!(fine, "{columns:?} at {values:?}");
                    }
                }
                Answer::Contradiction(multipliers) => {
                    contradictions += 1;
                    let mut total = [Fraction::ZERO; 4];
                    let mut strict = false;
                    for (column, m) in columns.iter().zip(multipliers) {
                        assert!(column.free || m.signum() >= 0);
                        strict |= column.strict && !m.is_zero();
                        let constant = [(3, column.constant)];
                        for (i, c) in column.entries.iter().chain(&constant) {
                            total[*i] = total[*i].plus(c.times(m).unwrap()).unwrap();
                        }
                    }
                    assert!(total[..3].iter().all(|t| t.is_zero()));
                    assert!(total[3].signum() < 0 || total[3].is_zero() && strict);
                }
            }
        }
        assert!(contradictions > 50 && satisfied > 50, "{contradictions} {satisfied}");
    }
}
