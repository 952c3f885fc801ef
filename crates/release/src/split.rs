//! How a query's loss is shared among its draws.
//!
//! A Laplace draw with share p of ε has an error proportional to its range over p·ε, a Gaussian draw with share p of ρ to its range over
//! √(p·ρ). Measured in units of its range, and counted once for every column that uses it, the errors of a query add up to Σ uses/p,
//! which is least for p ∝ √uses, or to Σ uses/√p, which is least for p ∝ uses^(2/3), that is √p ∝ uses^(1/3). Roots are taken in
//! fifths or eighths, so that the shares are plain fractions; that is within two per cent of the least.

use probity_exact::{Natural, Rational};

use crate::mechanism::Sharing;
use crate::query::Plan;
use crate::refusal::{Answer, Refusal};

/// How the draws of a plan share the loss. `weights` overrides it by column: a draw weighs as much as the columns that use it.
pub fn share(plan: &Plan, gaussian: bool, weights: &[(String, Rational)]) -> Answer<Sharing> {
    let given = if weights.is_empty() { None } else { Some(weighed(plan, weights)?) };
    if gaussian {
        return Ok(Sharing::Gaussian(match given {
            None if plan.draws.iter().all(|draw| draw.uses == plan.draws[0].uses) => {
                vec![1; plan.draws.len()]
            }
            None => plan.draws.iter().map(|draw| rounded_root(512 * u64::from(draw.uses), 3)).collect(),
            Some(parts) => {
                let least = parts.iter().min().cloned().unwrap_or(Rational::ONE);
                // The weight is the root of the share; shares are told apart to a 64th of the least.
                let eighths = |part: &Rational| (part / &least * Rational::from(64)).floor();
                parts
                    .iter()
                    .map(|part| {
                        u64::try_from(&eighths(part))
                            .map_or(1 << 20, |part| rounded_root(part.min(1 << 40), 2))
                    })
                    .collect()
            }
        }));
    }
    let parts: Vec<Rational> = match given {
        None => {
            plan.draws.iter().map(|draw| Rational::from(rounded_root(25 * u64::from(draw.uses), 2))).collect()
        }
        Some(parts) => parts,
    };
    let all = parts.iter().fold(Rational::ZERO, |all, part| all + part);
    Ok(Sharing::Laplace(parts.into_iter().map(|part| part / &all).collect()))
}

/// The whole number nearest to a root, at least 1.
fn rounded_root(value: u64, degree: usize) -> u64 {
    // ⌊2·root⌋ is odd exactly where the root is nearer to the next whole number.
    let doubled = (Natural::from(value) << degree).nth_root(degree);
    u64::try_from(&((doubled + Natural::ONE) / Natural::from(2u8))).unwrap_or(1).max(1)
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
        let shares = |sql: &str| share(&plan(sql), false, &[]).unwrap().shares();
        assert_eq!(shares("SELECT COUNT(*), SUM(x) FROM t"), [r(1, 2), r(1, 2)]);
        // The count is used by n and by the average.
        assert_eq!(shares("SELECT COUNT(*) AS n, AVG(x) AS m FROM t"), [r(7, 12), r(5, 12)]);
        // √3 · 5 ≈ 8.66, √1 · 5 = 5.
        assert_eq!(shares("SELECT COUNT(*), AVG(x), AVG(y) FROM t"), [r(9, 19), r(5, 19), r(5, 19)]);
        let weights = |sql: &str| share(&plan(sql), true, &[]).unwrap();
        assert_eq!(weights("SELECT COUNT(*), SUM(x) FROM t"), Sharing::Gaussian(vec![1, 1]));
        // ∛3 · 8 ≈ 11.54.
        let three = weights("SELECT COUNT(*), AVG(x), AVG(y) FROM t");
        assert_eq!(three, Sharing::Gaussian(vec![12, 8, 8]));
        assert_eq!(three.shares(), [r(144, 272), r(64, 272), r(64, 272)]);
    }

    #[test]
    fn the_owner_may_weigh_columns() {
        let plan = plan("SELECT COUNT(*) AS n, SUM(x) AS s FROM t");
        let weigh = |name: &str, weight: i32| share(&plan, false, &[(name.into(), Rational::from(weight))]);
        assert_eq!(weigh("n", 3).unwrap().shares(), [rational(3, 4).unwrap(), rational(1, 4).unwrap()]);
        assert!(weigh("m", 3).is_err() && weigh("n", 0).is_err());
        let four = share(&plan, true, &[("n".into(), Rational::from(4))]).unwrap();
        assert_eq!(four, Sharing::Gaussian(vec![16, 8]));
    }
}
