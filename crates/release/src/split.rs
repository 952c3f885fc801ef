//! How a query's loss is shared among its draws.
//!
//! A draw with share p of ε has an error proportional to its range over p·ε. Measured in units of its range, and counted once for
//! every column that uses it, the errors of a query add up to Σ uses/p, which is least for p ∝ √uses. Roots are taken in fifths, so
//! that the shares are plain fractions; that is within two per cent of the least.

use probity_exact::Rational;

use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// The shares of the draws, which add up to 1. `weights` overrides them by column: a draw weighs as much as the columns that use it.
pub fn shares(plan: &Plan, weights: &[(String, Rational)]) -> Answer<Vec<Rational>> {
    let root =
        |uses: u32| (1u64..).find(|n| (2 * n + 1) * (2 * n + 1) > 4 * 25 * u64::from(uses)).unwrap_or(5);
    let parts: Vec<Rational> = match weights.is_empty() {
        true => plan.draws.iter().map(|draw| Rational::from(root(draw.uses))).collect(),
        false => weighed(plan, weights)?,
    };
    let all = parts.iter().fold(Rational::ZERO, |all, part| all + part);
    Ok(parts.into_iter().map(|part| part / &all).collect())
}

fn weighed(plan: &Plan, weights: &[(String, Rational)]) -> Answer<Vec<Rational>> {
    use crate::query::Shown;
    let mut parts = vec![Rational::ZERO; plan.draws.len()];
    let mut known: Vec<&str> = Vec::new();
    for (name, shown) in &plan.columns {
        let Shown::Noisy(post) = shown else { continue };
        known.push(name);
        let weight = weights
            .iter()
            .find(|(named, _)| named == name)
            .map_or(Rational::ONE, |(_, weight)| weight.clone());
        for draw in post.draws() {
            parts[draw] += &weight;
        }
    }
    for (name, weight) in weights {
        if !known.contains(&name.as_str()) {
            return Err(Refusal::input(format!("the split names {name}, which is no noisy column"))
                .hint(format!("the noisy columns are {}", known.join(", "))));
        }
        if *weight <= Rational::ZERO {
            return Err(Refusal::input(format!("the weight of {name} must be more than 0")));
        }
    }
    // Draws that no column shows, only HAVING or ORDER BY, weigh 1.
    Ok(parts.into_iter().map(|part| if part.is_zero() { Rational::ONE } else { part }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    fn plan(sql: &str) -> Plan {
        let policy = "[budget]\nepsilon = 1\nper_query = { epsilon = 1 }\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
                      x = { type = \"int\", between = [0, 9] }\ny = { type = \"int\", between = [0, 9] }";
        crate::query::plan(sql, &crate::policy::read("p", policy).unwrap()).unwrap()
    }

    #[test]
    fn equal_draws_share_equally_and_a_shared_count_gets_more() {
        let r = |n: i32, d: i32| rational(n, d).unwrap();
        let shares = |sql: &str| shares(&plan(sql), &[]).unwrap();
        assert_eq!(shares("SELECT COUNT(*), SUM(x) FROM t"), [r(1, 2), r(1, 2)]);
        // The count is used by n and by the average.
        assert_eq!(shares("SELECT COUNT(*) AS n, AVG(x) AS m FROM t"), [r(7, 12), r(5, 12)]);
        // √3 · 5 ≈ 8.66, √1 · 5 = 5.
        assert_eq!(shares("SELECT COUNT(*), AVG(x), AVG(y) FROM t"), [r(9, 19), r(5, 19), r(5, 19)]);
    }

    #[test]
    fn the_owner_may_weigh_columns() {
        let plan = plan("SELECT COUNT(*) AS n, SUM(x) AS s FROM t");
        let weigh = |name: &str, weight: i32| shares(&plan, &[(name.into(), Rational::from(weight))]);
        assert_eq!(weigh("n", 3).unwrap(), [rational(3, 4).unwrap(), rational(1, 4).unwrap()]);
        assert!(weigh("m", 3).is_err() && weigh("n", 0).is_err());
    }
}
