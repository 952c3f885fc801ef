//! Keys that are discovered from the rows: the text of such a release, from which noisy count on a key is shown, and the draws.
//!
//! Only a key that some row has is drawn for, and it is shown only if its noisy count reaches a threshold that is public: a row that is
//! alone with its key makes it appear with probability δ at most. The threshold stands in the text as a number, so that the kernel proves
//! that very one; nothing here decides that it is large enough.

use std::collections::BTreeMap;

use probity_exact::{Integer, Rational, ln_bounds};
use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::{Distribution, Mechanism, Statement};
use probity_noise::entropy::Entropy;
use probity_noise::sampler::{DiscreteLaplace, SampleError, Sampler, Scale};

use crate::proof::Stake;
use crate::refusal::{Answer, Refusal};

/// Bits of the logarithm by which the threshold is chosen.
const BITS: u32 = 64;

/// Parts of a unit to which the kernel knows logarithms of numbers: see the lemma LN-VALUE.
const PARTS: u32 = 1 << 16;

/// The least threshold that the proof can reach: the least whole number above 1 + ln(1/δ)/ε, with the logarithm rounded up as the kernel
/// does.
pub fn threshold(stake: &Stake) -> Answer<Integer> {
    let none = || Refusal::input("keys that are discovered need a delta of more than 0 and less than 1");
    if stake.delta <= Rational::ZERO || stake.delta >= Rational::ONE {
        return Err(none());
    }
    let (_, high) = ln_bounds(&(Rational::ONE / &stake.delta), BITS).ok_or_else(none)?;
    let high = Rational::from((high * Rational::from(PARTS)).ceil()) / Rational::from(PARTS);
    Ok((Rational::ONE + high / &stake.amount).floor() + Integer::ONE)
}

/// The loop over all keys: `rows` is what counts the rows of group `g`, `scale` that of the draw `name`.
pub fn statements(name: &str, rows: &str, scale: &str, threshold: &Integer) -> String {
    format!(
        "for g in 0..keys {{\n  rows_1 = {rows}\n  if rows_1 > 0 {{\n    {name} ~ discrete_laplace(rows_1, {scale})\n    \
         if {name} >= {threshold} {{\n      append(out, g)\n      append(out, {name})\n    }}\n  }}\n}}\n"
    )
}

/// The scale and the threshold of a program of exactly this shape; `None` for any other.
pub fn law(mechanism: &Mechanism, name: &str) -> Option<(Rational, Rational)> {
    let [Statement::Assign { .. }, Statement::For { index, from, body, .. }] = mechanism.body.as_slice()
    else {
        return None;
    };
    let [Statement::Assign { var: rows, value: Expr::Sum(..) }, Statement::If { guard, then, otherwise }] =
        body.as_slice()
    else {
        return None;
    };
    let [Statement::Draw { var, law }, Statement::If { guard: shown, then: appended, otherwise: held_back }] =
        then.as_slice()
    else {
        return None;
    };
    let (Distribution::DiscreteLaplace { center, scale }, Expr::Binary(Binary::Ge, drawn, threshold)) =
        (law, shown)
    else {
        return None;
    };
    let is = |e: &Expr, name: &Name| *e == Expr::Var(Variable::Plain(name.clone()));
    let [Statement::Append { value: key, .. }, Statement::Append { value: count, .. }] = appended.as_slice()
    else {
        return None;
    };
    let has_rows = |guard: &Expr| match guard {
        Expr::Binary(Binary::Gt, a, b) => is(a, rows) && **b == Expr::int(0),
        _ => false,
    };
    let shape = *from == Expr::int(0)
        && has_rows(guard)
        && otherwise.is_empty()
        && held_back.is_empty()
        && var.as_str() == name
        && is(center, rows)
        && is(drawn, var)
        && is(key, index)
        && is(count, var);
    shape.then(|| Some((probity_lang::number(scale)?, probity_lang::number(threshold)?))).flatten()
}

/// The keys that are shown, in the order of their bytes, each with its noisy count. `counts` has the keys that some row has.
pub fn draw(
    counts: &BTreeMap<String, u64>,
    scale: &Rational,
    threshold: &Integer,
    entropy: &mut (impl Entropy + ?Sized),
) -> Result<(Vec<String>, Vec<Vec<Integer>>), SampleError> {
    let sampler = Scale::new(scale.clone())
        .and_then(DiscreteLaplace::<Integer>::new)
        .map_err(|_| SampleError::DoesNotFit)?;
    let noise = sampler.sample_vec(counts.len(), entropy)?;
    let noisy = counts.iter().zip(noise).map(|((key, count), noise)| (key, Integer::from(*count) + noise));
    let shown = noisy.filter(|(_, noisy)| noisy >= threshold);
    Ok(shown.map(|(key, noisy)| (key.clone(), vec![noisy])).unzip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Counter;
    use probity_exact::directed::exp_nearest;
    use probity_exact::rational;

    #[test]
    fn keys_appear_as_often_as_the_law_says_and_in_order() {
        let stake = Stake { concentrated: false, amount: Rational::ONE, delta: rational(1, 10).unwrap() };
        let (scale, threshold) = (Rational::ONE, threshold(&stake).unwrap());
        // 1 + ln(10) = 3.3.
        assert_eq!(threshold, Integer::from(4));
        let counts = BTreeMap::from([("b".to_owned(), 1), ("a".to_owned(), 4), ("c".to_owned(), 9)]);
        let (mut entropy, mut seen) = (Counter(1), BTreeMap::<String, u32>::new());
        const RELEASES: u32 = 40_000;
        for _ in 0..RELEASES {
            let (keys, noisy) = draw(&counts, &scale, &threshold, &mut entropy).unwrap();
            assert!(keys.is_sorted() && keys.len() == noisy.len());
            assert!(noisy.iter().all(|cells| cells.len() == 1 && cells[0] >= threshold));
            keys.into_iter().for_each(|key| *seen.entry(key).or_default() += 1);
        }
        let a = exp_nearest(-1.0);
        for (key, probability) in
            [("b", a.powi(3) / (1.0 + a)), ("a", 1.0 / (1.0 + a)), ("c", 1.0 - a.powi(6) / (1.0 + a))]
        {
            let (all, found) = (f64::from(RELEASES), f64::from(seen[key]));
            let deviation = (all * probability * (1.0 - probability)).sqrt();
            assert!(
                (found - all * probability).abs() < 4.0 * deviation,
                "{key}: {found} of {all}, {probability}"
            );
        }
        assert!(f64::from(seen["b"]) < 0.1 * f64::from(RELEASES));
    }

    #[test]
    fn a_delta_that_is_none_has_no_threshold() {
        for delta in [Rational::ZERO, Rational::ONE, Rational::from(2)] {
            assert!(threshold(&Stake { concentrated: false, amount: Rational::ONE, delta }).is_err());
        }
    }
}
