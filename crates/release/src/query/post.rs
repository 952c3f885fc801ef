//! What is computed from noisy numbers: post-processing, with an interval for each value.
//!
//! A noisy number lies within its error of the truth with a stated probability. If a column uses k of them, each interval is taken at
//! level 1 − α/k, so that all hold together with probability at least 1 − α; then the true value lies in what interval arithmetic
//! makes of them. Only released values enter.

use probity_exact::{Integer, Natural, Rational, UnsignedAbs};

use super::quantile::Quantile;
use super::row::Order;

/// The noisy numbers of a group: for each draw its numbers, one unless it counts over a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn(pub Vec<Vec<Rational>>);

impl Drawn {
    /// Draws of one number each.
    pub fn of(numbers: &[Rational]) -> Drawn {
        Drawn(numbers.iter().map(|number| vec![number.clone()]).collect())
    }
}

impl std::ops::Index<usize> for Drawn {
    type Output = Rational;

    /// The number of a draw that has one.
    fn index(&self, draw: usize) -> &Rational {
        &self.0[draw][0]
    }
}

/// A value computed from draws.
#[derive(Debug, Clone, PartialEq)]
pub enum Post {
    /// A draw, times its unit.
    Draw(usize),
    /// A number of the query.
    Constant(Rational),
    /// a + b.
    Add(Box<Post>, Box<Post>),
    /// a − b.
    Sub(Box<Post>, Box<Post>),
    /// a · b.
    Mul(Box<Post>, Box<Post>),
    /// a / b; nothing where b is 0.
    Div(Box<Post>, Box<Post>),
    /// center + sum / count, within the bounds of what is averaged.
    Average {
        /// The sum of the distances from the center.
        sum: usize,
        /// How many.
        count: usize,
        /// Where distances are measured from.
        center: Rational,
        /// The least value that can be averaged.
        low: Rational,
        /// The greatest one.
        high: Rational,
    },
    /// The mean square distance from the mean, by squares / count − (sum / count)².
    Variance {
        /// The sum of the squared distances from the center.
        squares: usize,
        /// The sum of the distances.
        sum: usize,
        /// How many.
        count: usize,
        /// The largest distance from the center.
        reach: Rational,
        /// Whether the divisor is count − 1.
        sample: bool,
        /// Whether its square root is wanted.
        root: bool,
    },
    /// A value of a given rank, from counts over a grid.
    Quantile(Box<Quantile>),
}

/// Bounds of a true value; `None` where there is no bound.
pub type Interval = (Option<Rational>, Option<Rational>);

impl Post {
    /// The draws that it uses, each once.
    pub fn draws(&self) -> Vec<usize> {
        let mut used = match self {
            Post::Draw(draw) => vec![*draw],
            Post::Constant(_) => vec![],
            Post::Add(a, b) | Post::Sub(a, b) | Post::Mul(a, b) | Post::Div(a, b) => {
                let mut both = a.draws();
                both.extend(b.draws());
                both
            }
            Post::Average { sum, count, .. } => vec![*sum, *count],
            Post::Variance { squares, sum, count, .. } => vec![*squares, *sum, *count],
            Post::Quantile(quantile) => quantile.levels.clone(),
        };
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Its quantiles.
    pub fn quantiles(&self) -> Vec<&Quantile> {
        match self {
            Post::Quantile(quantile) => vec![quantile],
            Post::Add(a, b) | Post::Sub(a, b) | Post::Mul(a, b) | Post::Div(a, b) => {
                let mut both = a.quantiles();
                both.extend(b.quantiles());
                both
            }
            _ => vec![],
        }
    }

    /// Whether it is a day. Differences of days are numbers.
    pub fn is_day(&self) -> bool {
        matches!(self, Post::Quantile(quantile) if quantile.day)
    }

    /// Among how many errors its level is shared: one for each quantile, and one for each other draw.
    pub fn errors(&self) -> usize {
        let quantiles = self.quantiles();
        let counted = |draw: &usize| quantiles.iter().any(|quantile| quantile.levels.contains(draw));
        quantiles.len() + self.draws().iter().filter(|draw| !counted(draw)).count()
    }

    /// Whether it is 0 for all draws, as far as that is seen without multiplying out: a number, a difference of what is written alike, or
    /// a product or quotient of one of these.
    pub fn is_always_zero(&self) -> bool {
        match self {
            Post::Sub(a, b) if a == b => true,
            Post::Mul(a, b) => a.is_always_zero() || b.is_always_zero(),
            Post::Div(a, _) => a.is_always_zero(),
            Post::Add(a, b) | Post::Sub(a, b) if a.is_always_zero() && b.is_always_zero() => true,
            _ => {
                self.draws().is_empty() && self.value(&Drawn(Vec::new())).is_some_and(|value| value.is_zero())
            }
        }
    }

    /// Whether the error is that of one draw alone, so that the interval is exact for the noise.
    pub fn is_plain(&self) -> bool {
        matches!(self, Post::Draw(_))
    }

    /// The value of a column and its bounds.
    pub fn with_interval(&self, noisy: &Drawn, errors: &[Rational]) -> (Option<Rational>, Interval) {
        match self {
            Post::Quantile(quantile) => quantile.with_interval(noisy, errors),
            _ => (self.value(noisy), self.interval(noisy, errors)),
        }
    }

    /// The value from noisy numbers; nothing after a division by 0, and nothing for the average or the spread of a group whose noisy
    /// count is too small to divide by.
    pub fn value(&self, noisy: &Drawn) -> Option<Rational> {
        Some(match self {
            Post::Draw(draw) => noisy[*draw].clone(),
            Post::Constant(value) => value.clone(),
            Post::Add(a, b) => a.value(noisy)? + b.value(noisy)?,
            Post::Sub(a, b) => a.value(noisy)? - b.value(noisy)?,
            Post::Mul(a, b) => a.value(noisy)? * b.value(noisy)?,
            Post::Div(a, b) => {
                let (a, b) = (a.value(noisy)?, b.value(noisy)?);
                if b.is_zero() { return None } else { a / b }
            }
            Post::Average { sum, count, center, low, high } => {
                let count = counted(&noisy[*count], false)?;
                (center + &noisy[*sum] / count).clamp(low.clone(), high.clone())
            }
            Post::Variance { squares, sum, count, reach, sample, root } => {
                let n = counted(&noisy[*count], *sample)?;
                let mean = &noisy[*sum] / &n;
                let mut value = &noisy[*squares] / &n - &mean * &mean;
                if *sample {
                    value = value * &n / (&n - Rational::ONE);
                }
                let value = value.clamp(Rational::ZERO, most_variance(reach, *sample));
                if *root { root_of(&value, false) } else { value }
            }
            Post::Quantile(quantile) => return quantile.value(noisy),
        })
    }

    /// Bounds of the true value, if every draw's true value is within its error of the noisy one.
    pub fn interval(&self, noisy: &Drawn, errors: &[Rational]) -> Interval {
        let of = |draw: &usize| (&noisy[*draw] - &errors[*draw], &noisy[*draw] + &errors[*draw]);
        match self {
            Post::Draw(draw) => {
                let (low, high) = of(draw);
                (Some(low), Some(high))
            }
            Post::Constant(value) => (Some(value.clone()), Some(value.clone())),
            Post::Add(a, b) => {
                let (a, b) = (a.interval(noisy, errors), b.interval(noisy, errors));
                (plus(a.0, b.0), plus(a.1, b.1))
            }
            Post::Sub(a, b) => {
                let (a, b) = (a.interval(noisy, errors), b.interval(noisy, errors));
                (plus(a.0, b.1.map(|high| -high)), plus(a.1, b.0.map(|low| -low)))
            }
            Post::Mul(a, b) => match (whole(a.interval(noisy, errors)), whole(b.interval(noisy, errors))) {
                (Some(a), Some(b)) => corners(&a, &b, |x, y| x * y),
                _ => (None, None),
            },
            Post::Div(a, b) => match (whole(a.interval(noisy, errors)), whole(b.interval(noisy, errors))) {
                (Some(a), Some(b)) if b.0 > Rational::ZERO || b.1 < Rational::ZERO => {
                    corners(&a, &b, |x, y| x / y)
                }
                _ => (None, None),
            },
            // Where there is no value, nothing is known but the range.
            Post::Average { count, low, high, .. } if counted(&noisy[*count], false).is_none() => {
                (Some(low.clone()), Some(high.clone()))
            }
            Post::Average { sum, count, center, low, high } => {
                let n = at_least(of(count), Rational::ONE);
                let (a, b) = corners(&of(sum), &n, |x, y| x / y);
                let inside =
                    |end: Option<Rational>| end.map(|end| (center + end).clamp(low.clone(), high.clone()));
                (inside(a), inside(b))
            }
            Post::Variance { count, reach, sample, root, .. }
                if counted(&noisy[*count], *sample).is_none() =>
            {
                let most = most_variance(reach, *sample);
                (Some(Rational::ZERO), Some(if *root { root_of(&most, true) } else { most }))
            }
            Post::Variance { squares, sum, count, reach, sample, root } => {
                let n = at_least(of(count), if *sample { Rational::from(2) } else { Rational::ONE });
                let square = |end: Rational| &end * &end;
                let (mean_low, mean_high) = match whole(corners(&of(sum), &n, |x, y| x / y)) {
                    Some(ends) => ends,
                    None => return (None, None),
                };
                let around_zero = mean_low <= Rational::ZERO && mean_high >= Rational::ZERO;
                let (a, b) = (square(mean_low), square(mean_high));
                let least = if around_zero { Rational::ZERO } else { a.clone().min(b.clone()) };
                let Some((low, high)) = whole(corners(&of(squares), &n, |x, y| x / y)) else {
                    return (None, None);
                };
                let ends = (low - a.max(b), high - least);
                // n/(n−1) falls with n.
                let ends = match sample {
                    false => ends,
                    true => {
                        let factor = |n: &Rational| n / (n - Rational::ONE);
                        let (wide, narrow) = (factor(&n.0), factor(&n.1));
                        let low = if ends.0 < Rational::ZERO { ends.0 * &wide } else { ends.0 * narrow };
                        (low, ends.1 * wide)
                    }
                };
                let most = most_variance(reach, *sample);
                let inside = |end: Rational| end.clamp(Rational::ZERO, most.clone());
                let (low, high) = (inside(ends.0), inside(ends.1));
                match root {
                    false => (Some(low), Some(high)),
                    true => (Some(root_of(&low, false)), Some(root_of(&high, true))),
                }
            }
            Post::Quantile(quantile) => quantile.interval(noisy, errors),
        }
    }
}

/// A noisy count that can be divided by; `None` where the group cannot be told from an empty one even so.
fn counted(count: &Rational, sample: bool) -> Option<Rational> {
    let least = if sample { Rational::from(2) } else { Rational::ONE };
    (*count >= least).then(|| count.clone())
}

/// The mean square distance from a mean is at most that from the center; with count − 1 and at least two rows, at most twice that.
fn most_variance(reach: &Rational, sample: bool) -> Rational {
    reach * reach * Rational::from(if sample { 2 } else { 1 })
}

fn plus(a: Option<Rational>, b: Option<Rational>) -> Option<Rational> {
    Some(a? + b?)
}

fn whole(interval: Interval) -> Option<(Rational, Rational)> {
    Some((interval.0?, interval.1?))
}

/// An interval for a number that is known to be at least `least`.
fn at_least(interval: (Rational, Rational), least: Rational) -> (Rational, Rational) {
    (interval.0.max(least.clone()), interval.1.max(least))
}

/// The least and the greatest value of an operation that is monotone in each argument, at the corners.
fn corners(
    a: &(Rational, Rational),
    b: &(Rational, Rational),
    op: impl Fn(&Rational, &Rational) -> Rational,
) -> Interval {
    let values = [op(&a.0, &b.0), op(&a.0, &b.1), op(&a.1, &b.0), op(&a.1, &b.1)];
    (values.iter().min().cloned(), values.iter().max().cloned())
}

/// A square root to 2^−40 or to 60 bits, whichever is finer, rounded down or up.
fn root_of(value: &Rational, up: bool) -> Rational {
    const BITS: usize = 60;
    let scaled = value * Rational::from(Integer::ONE << (2 * BITS));
    let floor = scaled.floor().unsigned_abs();
    let root = floor.nth_root(2);
    let exact = scaled.is_int() && &root * &root == floor;
    let root = if up && !exact { root + Natural::ONE } else { root };
    Rational::from_parts(root.into(), Natural::ONE << BITS)
}

/// A condition on noisy numbers: HAVING.
#[derive(Debug, Clone, PartialEq)]
pub enum PostCondition {
    /// A comparison.
    Compare(Order, Box<Post>, Box<Post>),
    /// Both.
    And(Box<PostCondition>, Box<PostCondition>),
    /// One of them.
    Or(Box<PostCondition>, Box<PostCondition>),
    /// Not.
    Not(Box<PostCondition>),
}

impl PostCondition {
    /// Whether it is known to hold.
    pub fn holds(&self, noisy: &Drawn) -> bool {
        self.truth(noisy) == Some(true)
    }

    /// Whether it holds, as SQL has it: a comparison with what has no value is neither true nor false, and so is its negation.
    fn truth(&self, noisy: &Drawn) -> Option<bool> {
        match self {
            PostCondition::Compare(order, a, b) => Some(order.holds(&a.value(noisy)?, &b.value(noisy)?)),
            PostCondition::And(a, b) => match (a.truth(noisy), b.truth(noisy)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            PostCondition::Or(a, b) => match (a.truth(noisy), b.truth(noisy)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            PostCondition::Not(a) => Some(!a.truth(noisy)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn r(n: i64, d: i64) -> Rational {
        rational(n, d).unwrap()
    }

    /// Where a noisy count is too small for a value, the bars are those of the whole range, however small the errors are.
    #[test]
    fn what_has_no_value_has_the_bars_of_its_range() {
        let (low, high) = (r(-5, 1), r(20, 1));
        let average =
            Post::Average { sum: 1, count: 0, center: r(3, 1), low: low.clone(), high: high.clone() };
        let spread =
            |sample, root| Post::Variance { squares: 2, sum: 1, count: 0, reach: r(3, 1), sample, root };
        let errors = [r(1, 2), r(1, 2), r(1, 2)];
        for (count, sample) in [(0, false), (-7, false), (1, true)] {
            let noisy = Drawn::of(&[r(count, 1), r(2, 1), r(4, 1)]);
            let most = if sample { r(18, 1) } else { r(9, 1) };
            assert_eq!(spread(sample, false).value(&noisy), None);
            assert_eq!(spread(sample, false).interval(&noisy, &errors), (Some(r(0, 1)), Some(most.clone())));
            let root = spread(sample, true).interval(&noisy, &errors).1.unwrap();
            assert!(&root * &root >= most);
            if !sample {
                assert_eq!(average.value(&noisy), None);
                assert_eq!(average.interval(&noisy, &errors), (Some(low.clone()), Some(high.clone())));
            }
        }
        let noisy = Drawn::of(&[r(1, 1), r(2, 1), r(4, 1)]);
        assert_ne!(average.interval(&noisy, &errors), (Some(low), Some(high)));
    }

    /// Whatever truth lies within the errors, the true value lies in the interval.
    #[test]
    fn intervals_hold_what_can_be_true() {
        let draw = |n: usize| Box::new(Post::Draw(n));
        let posts = [
            Post::Add(draw(0), draw(1)),
            Post::Sub(draw(0), draw(1)),
            Post::Mul(draw(0), draw(1)),
            Post::Div(draw(0), draw(1)),
        ];
        for (a, b) in [(-3, 5), (4, -6), (0, 2), (7, 9)] {
            let noisy = Drawn::of(&[r(a, 1), r(b, 1)]);
            let errors = [r(2, 1), r(1, 1)];
            for post in &posts {
                let (low, high) = post.interval(&noisy, &errors);
                for x in a - 2..=a + 2 {
                    for y in b - 1..=b + 1 {
                        let Some(truth) = post.value(&Drawn::of(&[r(x, 1), r(y, 1)])) else { continue };
                        assert!(low.as_ref().is_none_or(|low| *low <= truth), "{post:?} {x} {y}");
                        assert!(high.as_ref().is_none_or(|high| *high >= truth), "{post:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn averages_and_variances_of_small_tables_lie_in_their_intervals() {
        // Values 0..=10 around the center 5.
        let average = Post::Average { sum: 0, count: 1, center: r(5, 1), low: r(0, 1), high: r(10, 1) };
        let spread =
            |sample, root| Post::Variance { squares: 2, sum: 0, count: 1, reach: r(5, 1), sample, root };
        for values in [vec![0], vec![10, 10], vec![0, 10, 3], vec![5; 20], (0..=10).collect::<Vec<i64>>()] {
            let n = values.len() as i64;
            let sum: i64 = values.iter().map(|v| v - 5).sum();
            let squares: i64 = values.iter().map(|v| (v - 5) * (v - 5)).sum();
            let mean = r(sum, n);
            let population = r(squares, n) - &mean * &mean;
            for (shift, slip) in [(0, 0), (3, 1), (-3, -1), (-2, 2), (9, -2)] {
                let noisy = Drawn::of(&[r(sum + shift, 1), r(n + slip, 1), r(squares - shift, 1)]);
                let errors = [r(9, 1), r(2, 1), r(9, 1)];
                let inside = |post: &Post, truth: &Rational| {
                    let (low, high) = post.interval(&noisy, &errors);
                    assert!(
                        low.unwrap() <= *truth && high.unwrap() >= *truth,
                        "{post:?} {values:?} {shift} {slip}"
                    );
                };
                inside(&average, &(&mean + r(5, 1)));
                inside(&spread(false, false), &population);
                if n > 1 {
                    inside(&spread(true, false), &(&population * r(n, 1) / r(n - 1, 1)));
                }
            }
        }
        let perfect = Drawn::of(&[r(0, 1), r(4, 1), r(36, 1)]);
        let none = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
        assert_eq!(spread(false, true).value(&perfect), Some(r(3, 1)));
        assert_eq!(spread(false, true).interval(&perfect, &none), (Some(r(3, 1)), Some(r(3, 1))));
        assert_eq!(spread(true, false).value(&perfect), Some(r(12, 1)));
        // A group that cannot be told from an empty one has no average and no spread, only bounds.
        let empty = Drawn::of(&[r(0, 1), r(0, 1), r(3, 1)]);
        assert_eq!((average.value(&empty), spread(false, false).value(&empty)), (None, None));
        assert_eq!(average.interval(&empty, &[r(9, 1), r(9, 1), r(9, 1)]), (Some(r(0, 1)), Some(r(10, 1))));
        assert_eq!(spread(true, false).value(&Drawn::of(&[r(0, 1), r(1, 1), r(3, 1)])), None);
    }

    #[test]
    fn roots_are_rounded_as_asked() {
        for value in [r(2, 1), r(1, 3), r(10_000_019, 7)] {
            let (low, high) = (root_of(&value, false), root_of(&value, true));
            assert!(&low * &low < value && &high * &high > value && high - low < r(1, 1 << 50));
        }
    }

    /// A comparison with what has no value is unknown, and so is its negation: neither shows the group.
    #[test]
    fn conditions_on_what_has_no_value_are_unknown() {
        let nothing = || Box::new(Post::Div(Box::new(Post::Draw(0)), Box::new(Post::Constant(r(0, 1)))));
        let some = |n| Box::new(Post::Constant(r(n, 1)));
        let unknown = || Box::new(PostCondition::Compare(Order::Greater, nothing(), some(1)));
        let yes = || Box::new(PostCondition::Compare(Order::Greater, some(2), some(1)));
        let no = || Box::new(PostCondition::Not(yes()));
        let noisy = Drawn::of(&[r(7, 1)]);
        let cases = [
            (*unknown(), None),
            (PostCondition::Not(unknown()), None),
            (PostCondition::And(unknown(), yes()), None),
            (PostCondition::And(unknown(), no()), Some(false)),
            (PostCondition::And(no(), unknown()), Some(false)),
            (PostCondition::Or(unknown(), yes()), Some(true)),
            (PostCondition::Or(yes(), unknown()), Some(true)),
            (PostCondition::Or(no(), unknown()), None),
            (PostCondition::Not(Box::new(PostCondition::And(unknown(), no()))), Some(true)),
        ];
        for (condition, truth) in cases {
            assert_eq!(condition.truth(&noisy), truth, "{condition:?}");
            assert_eq!(condition.holds(&noisy), truth == Some(true), "{condition:?}");
        }
    }
}
