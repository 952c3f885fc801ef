//! Exact searches: the least number with a property, decided at every step, never guessed.
//!
//! ```
//! use probity_noise::search::least_double;
//! let root = least_double(|x| Ok::<_, ()>(x * x >= 2.0))?;
//! assert_eq!(root, Some(2f64.sqrt()));
//! # Ok::<(), ()>(())
//! ```

use probity_exact::Natural;

/// The least non-negative finite double with a property that, once true, stays true; `None` when the largest
/// double lacks it. The property was tested, and found true, on the very double returned; and found false on its
/// predecessor, if it has one.
///
/// # Errors
/// Those of `holds`.
pub fn least_double<Failure>(
    mut holds: impl FnMut(f64) -> Result<bool, Failure>,
) -> Result<Option<f64>, Failure> {
    // Non-negative doubles are ordered like their bit patterns.
    if !holds(f64::MAX)? {
        return Ok(None);
    }
    if holds(0.0)? {
        return Ok(Some(0.0));
    }
    let (mut fails, mut works) = (0u64, f64::MAX.to_bits());
    while works - fails > 1 {
        let middle = fails + (works - fails) / 2;
        if holds(f64::from_bits(middle))? {
            works = middle;
        } else {
            fails = middle;
        }
    }
    Ok(Some(f64::from_bits(works)))
}

/// The greatest non-negative finite double with a property that, once false, stays false; `None` when 0 lacks it.
/// The property was tested, and found true, on the very double returned.
///
/// # Errors
/// Those of `holds`.
pub fn greatest_double<Failure>(
    mut holds: impl FnMut(f64) -> Result<bool, Failure>,
) -> Result<Option<f64>, Failure> {
    if !holds(0.0)? {
        return Ok(None);
    }
    let beyond = least_double(|x| holds(x).map(|held| !held))?;
    Ok(Some(beyond.map_or(f64::MAX, f64::next_down)))
}

/// The least natural number with a property that, once true, stays true; `None` when 2^`limit_bits` lacks it.
///
/// # Errors
/// Those of `holds`.
pub fn least_natural<Failure>(
    limit_bits: usize,
    holds: impl FnMut(&Natural) -> Result<bool, Failure>,
) -> Result<Option<Natural>, Failure> {
    least_natural_near(Natural::ZERO, limit_bits, holds)
}

/// The same number, found with few questions where `guess` is near it: the steps away from the guess double.
///
/// # Errors
/// Those of `holds`.
pub fn least_natural_near<Failure>(
    guess: Natural,
    limit_bits: usize,
    mut holds: impl FnMut(&Natural) -> Result<bool, Failure>,
) -> Result<Option<Natural>, Failure> {
    let limit = Natural::ONE << limit_bits;
    let guess = guess.min(limit.clone());
    let mut step = Natural::ONE;
    let (mut fails, mut works);
    if holds(&guess)? {
        works = guess;
        loop {
            if works == Natural::ZERO {
                return Ok(Some(works));
            }
            let candidate = if works > step { &works - &step } else { Natural::ZERO };
            if !holds(&candidate)? {
                fails = candidate;
                break;
            }
            works = candidate;
            step <<= 1;
        }
    } else {
        fails = guess;
        loop {
            if fails == limit {
                return Ok(None);
            }
            let candidate = (&fails + &step).min(limit.clone());
            if holds(&candidate)? {
                works = candidate;
                break;
            }
            fails = candidate;
            step <<= 1;
        }
    }
    while &works - &fails > Natural::ONE {
        let middle = (&works + &fails) >> 1;
        if holds(&middle)? {
            works = middle;
        } else {
            fails = middle;
        }
    }
    Ok(Some(works))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(answer: bool) -> Result<bool, ()> {
        Ok(answer)
    }

    #[test]
    fn the_edges_of_the_range() {
        assert_eq!(least_double(|_| sure(true)), Ok(Some(0.0)));
        assert_eq!(least_double(|_| sure(false)), Ok(None));
        assert_eq!(least_double(|x| sure(x > 0.0)), Ok(Some(f64::from_bits(1))));
        assert_eq!(least_double(|x| sure(x >= f64::MAX)), Ok(Some(f64::MAX)));
        assert_eq!(greatest_double(|x| sure(x < 1.0)), Ok(Some(1f64.next_down())));
        assert_eq!(greatest_double(|_| sure(false)), Ok(None));
        assert_eq!(greatest_double(|_| sure(true)), Ok(Some(f64::MAX)));
        assert_eq!(least_natural(20, |n| sure(*n >= Natural::from(12345u32))), Ok(Some(12345u32.into())));
        assert_eq!(least_natural(3, |n| sure(*n > Natural::from(8u32))), Ok(None));
        assert_eq!(least_natural(3, |n| sure(*n >= Natural::from(8u32))), Ok(Some(8u32.into())));
    }

    /// A guess decides how many questions are asked, never what is found.
    #[test]
    fn a_guess_only_saves_questions() {
        for least in [0u32, 1, 2, 7, 8, 1000, 1023, 1024, 1025] {
            for guess in [0u32, 1, 6, 7, 8, 9, 999, 1000, 1001, 1024, 5000] {
                let mut asked = 0;
                let found = least_natural_near(guess.into(), 10, |n| {
                    asked += 1;
                    sure(*n >= Natural::from(least))
                });
                assert_eq!(found, Ok((least <= 1024).then(|| least.into())), "{least} from {guess}");
                assert!(guess != least || asked <= 2, "{least}: {asked} questions");
            }
        }
    }

    #[test]
    fn errors_pass_through() {
        assert_eq!(least_double(|_| Err(7)), Err(7));
        assert_eq!(least_natural(3, |_| Err(7)), Err(7));
    }
}
