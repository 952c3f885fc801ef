//! From queries to what will be proved and drawn: the loss of each, its split, the text, the scales. No row is read here.

use probity_exact::{BitTest, Integer, Natural, Rational, UnsignedAbs, parse_rational};
use probity_kernel::term::{Distribution, Mechanism, Statement};

use crate::loss::{Loss, Measure};
use crate::mechanism::Sharing;
use crate::policy::{Policy, Unit};
use crate::proof::Stake;
use crate::query::{BRANCHES, DrawKind, Plan, Post, Shown, canonical, plan};
use crate::refusal::{Answer, Refusal};
use crate::{accuracy, discover, hash, mechanism, split};

/// A query made ready.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What it asks for.
    pub plan: Plan,
    /// The share of each draw in the loss.
    pub shares: Vec<Rational>,
    /// The loss of the mechanism, and with it the noise: Laplace for ε, Gaussian for ρ.
    pub stake: Stake,
    /// What it costs in the ledger's measure.
    pub cost: Loss,
    /// The mechanism.
    pub text: String,
    /// The values of the text's parameters, the loss first. How many keys there could be is left open where they are discovered.
    pub parameters: Vec<(String, Rational)>,
    /// The scale of each draw's noise, in its units: that of Laplace noise, the deviation of Gaussian noise.
    pub scales: Vec<Rational>,
    /// The noisy count from which on a key is shown, if keys are discovered.
    pub threshold: Option<Integer>,
}

/// How the columns of a call are weighed, as the command line says it: `n=2`.
pub fn weights(texts: &[String]) -> Answer<Vec<(String, Rational)>> {
    let read = |text: &String| {
        let wrong = || {
            Refusal::input(format!("'{text}' gives no column a weight")).hint("write --split n=2,income=1")
        };
        let (name, weight) = text.split_once('=').ok_or_else(wrong)?;
        Ok((name.trim().to_owned(), parse_rational(weight).map_err(|_| wrong())?))
    };
    let weights: Vec<(String, Rational)> = texts.iter().map(read).collect::<Answer<_>>()?;
    match (0..weights.len()).find(|at| weights[..*at].iter().any(|(name, _)| *name == weights[*at].0)) {
        None => Ok(weights),
        Some(at) => {
            Err(Refusal::input(format!("{} has two weights", weights[at].0)).hint("leave out one of them"))
        }
    }
}

/// The least number of at least seven digits that is not below a square root.
fn root_up(value: &Rational) -> Rational {
    let mut unit = Natural::ONE;
    loop {
        let scaled = value * Rational::from(&unit * &unit);
        let floor = scaled.floor().unsigned_abs();
        let root = floor.nth_root(2);
        if root >= Natural::from(1_000_000u32) || unit > Natural::ONE << 400 {
            let exact = scaled.is_int() && &root * &root == floor;
            return Rational::from_parts((if exact { root } else { root + Natural::ONE }).into(), unit);
        }
        unit *= Natural::from(10u8);
    }
}

/// The loss that a query may have: the policy's, or less if its clause says so.
fn allowance(plan: &Plan, policy: &Policy) -> Answer<Stake> {
    if let Some(column) = &plan.options.unit_column {
        match &plan.table.unit {
            Unit::User { column: known, .. } if known == column => {}
            Unit::User { column: known, .. } => {
                return Err(Refusal::input(format!(
                    "privacy_unit_column is {column}, but the policy hides users by {known}"
                ))
                .hint("a query cannot choose another unit than the policy's"));
            }
            Unit::Row => {
                return Err(Refusal::input(format!(
                    "privacy_unit_column is {column}, but the policy hides rows"
                ))
                .hint("leave it out, or let the owner write unit = { user = … } in the policy"));
            }
        }
    }
    if let Some(delta) = &plan.options.delta
        && *delta > policy.per_query.delta
    {
        return Err(Refusal::budget(format!(
            "the query asks for delta {delta}, the policy allows {} a query",
            policy.per_query.delta
        ))
        .hint("leave delta out: only keys that are discovered need one"));
    }
    let most = &policy.per_query.amount;
    let more = |message: String| {
        Refusal::budget(message).hint("a query may ask for less than the policy says, never for more")
    };
    let within = |name: &str, asked: &Rational, most: &Rational| match asked {
        asked if asked.is_zero() => Err(Refusal::input(format!("{name} must be more than 0"))),
        asked if asked <= most => Ok(asked.clone()),
        asked => Err(more(format!("the query asks for {name} {asked}, the policy allows {most} a query"))),
    };
    let delta = delta_of(plan, policy)?;
    let pure = |amount: Rational| Ok(Stake { concentrated: false, amount, delta: delta.clone() });
    match (policy.measure(), &plan.options.epsilon, &plan.options.rho) {
        (_, Some(_), Some(_)) => Err(Refusal::input("a query asks for epsilon or for rho, not for both")),
        (Measure::Epsilon | Measure::EpsilonDelta, None, None) => pure(most.clone()),
        (Measure::Epsilon | Measure::EpsilonDelta, Some(asked), None) => {
            pure(within("epsilon", asked, most)?)
        }
        (Measure::Epsilon | Measure::EpsilonDelta, None, Some(_)) => {
            Err(Refusal::input("the query asks for rho, and the budget is in epsilon")
                .hint("write epsilon = …, or let the owner keep a budget in rho"))
        }
        // A pure loss is drawn with Laplace noise and counts ε²/2 ≤ ρ.
        (Measure::Rho, Some(asked), None) => {
            let cost = asked * asked / Rational::from(2);
            match cost <= *most {
                true => pure(asked.clone()),
                false => Err(more(format!(
                    "the query asks for epsilon {asked}, which costs rho {cost}: the policy allows rho {most} a query"
                ))),
            }
        }
        (Measure::Rho, None, None) => Ok(Stake::without_delta(true, most.clone())),
        (Measure::Rho, None, Some(asked)) => Ok(Stake::without_delta(true, within("rho", asked, most)?)),
    }
}

/// The δ that a query may have: none unless its keys are discovered, and then the policy's, or less if its clause says so.
fn delta_of(plan: &Plan, policy: &Policy) -> Answer<Rational> {
    if plan.discovered().is_none() {
        return Ok(Rational::ZERO);
    }
    let write = "let the owner write epsilon and delta in [budget], and per_query = { epsilon = …, delta = \"1/1000000\" }";
    if policy.measure() != Measure::EpsilonDelta {
        let what = format!(
            "keys that are discovered cost a delta, and the budget is in {}",
            policy.measure().name()
        );
        return Err(Refusal::input(what).hint(write));
    }
    let delta = plan.options.delta.as_ref().unwrap_or(&policy.per_query.delta);
    match delta.is_zero() {
        false => Ok(delta.clone()),
        true if policy.per_query.delta.is_zero() => {
            Err(Refusal::input("keys that are discovered cost a delta, and the policy gives none to a query")
                .hint("let the owner write per_query = { epsilon = …, delta = \"1/1000000\" }"))
        }
        true => Err(Refusal::input("keys that are discovered cost a delta: it must be more than 0")
            .hint("leave delta out of OPTIONS, or write delta = 1e-6")),
    }
}

/// Shares the δ of one query among those of a call whose keys are discovered: each has what it asks for, and those that ask for nothing
/// have equal shares of what is left.
fn share_delta(policy: &Policy, plans: &[Plan], stakes: &mut [Stake]) -> Answer<()> {
    let asked = |plan: &Plan| plan.options.delta.is_some();
    let discovering: Vec<usize> = (0..plans.len()).filter(|at| plans[*at].discovered().is_some()).collect();
    let (asking, silent): (Vec<usize>, Vec<usize>) =
        discovering.into_iter().partition(|at| asked(&plans[*at]));
    let taken = asking.iter().fold(Rational::ZERO, |sum, at| sum + &stakes[*at].delta);
    let most = &policy.per_query.delta;
    if taken > *most || taken == *most && !silent.is_empty() {
        let rest = if silent.is_empty() { "" } else { ", and nothing is left for the others" };
        return Err(Refusal::budget(format!(
            "the queries of this call ask for delta {taken} in all{rest}: the policy allows {most} a call"
        ))
        .hint("queries of one call share what one may lose: ask for less, or ask in several calls"));
    }
    for at in &silent {
        stakes[*at].delta = (most - &taken) / Rational::from(silent.len() as u64);
    }
    Ok(())
}

/// Reads the queries of one call, which share the loss of one: each has what it asks for in its clause, and those that ask for nothing have
/// equal shares of what is left. The same query twice is one, and shares as one.
pub fn prepare(policy: &Policy, queries: &[String], weights: &[(String, Rational)]) -> Answer<Vec<Prepared>> {
    match queries {
        [] => return Err(Refusal::input("there is no query").hint("write SELECT COUNT(*) FROM TABLE")),
        [_] => return distinct(policy, queries, weights),
        _ => {}
    }
    let (mut texts, mut places, mut once) = (Vec::new(), Vec::new(), Vec::new());
    for query in queries {
        let text = canonical(query);
        let place = texts.iter().position(|known| *known == text).unwrap_or(texts.len());
        if place == texts.len() {
            texts.push(text);
            once.push(query.clone());
        }
        places.push(place);
    }
    let prepared = distinct(policy, &once, weights)?;
    Ok(places.into_iter().map(|place| prepared[place].clone()).collect())
}

/// The same for queries of which no two are the same.
fn distinct(policy: &Policy, queries: &[String], weights: &[(String, Rational)]) -> Answer<Vec<Prepared>> {
    let plans: Vec<Plan> = queries.iter().map(|sql| plan(sql, policy)).collect::<Answer<_>>()?;
    let mut stakes: Vec<Stake> = plans.iter().map(|plan| allowance(plan, policy)).collect::<Answer<_>>()?;
    let asks = |plan: &Plan| plan.options.epsilon.is_some() || plan.options.rho.is_some();
    let asked = || plans.iter().zip(&stakes).filter(|(plan, _)| asks(plan));
    let cost = |stake: &Stake| stake.cost(policy.measure()).map_or(Rational::ZERO, |cost| cost.amount);
    let taken: Rational = asked().map(|(_, stake)| cost(stake)).fold(Rational::ZERO, |sum, cost| sum + cost);
    let silent = (plans.len() - asked().count()) as u64;
    let most = &policy.per_query.amount;
    if taken > *most || taken == *most && silent > 0 {
        let rest = if silent > 0 { ", and nothing is left for the others" } else { "" };
        return Err(Refusal::budget(format!(
            "the queries of this call ask for {} {taken} in all{rest}: the policy allows {most} a call",
            if policy.measure() == Measure::Rho { "rho" } else { "epsilon" }
        ))
        .hint("queries of one call share what one may lose: ask for less, or ask in several calls"));
    }
    for (_, stake) in plans.iter().zip(&mut stakes).filter(|(plan, _)| !asks(plan)) {
        stake.amount = (most - &taken) / Rational::from(silent);
    }
    share_delta(policy, &plans, &mut stakes)?;
    plans.into_iter().zip(stakes).map(|(plan, stake)| one(policy, plan, stake, weights)).collect()
}

fn one(policy: &Policy, plan: Plan, stake: Stake, weights: &[(String, Rational)]) -> Answer<Prepared> {
    let sharing = match plan.discovered() {
        None => split::share(&plan, stake.concentrated, weights)?,
        Some(_) => {
            // One draw has the whole loss, but what weighs it must be there.
            split::share(&plan, false, weights)?;
            Sharing::Threshold(discover::threshold(&stake)?)
        }
    };
    let text = mechanism::text(&plan, &sharing);
    assembled(policy, plan, &sharing, stake, text)
}

/// The same query at a known loss, if some split of it makes this very text.
pub fn at_stake(policy: &Policy, plan: Plan, stake: &Stake, text: &str) -> Answer<Prepared> {
    let most = allowance(&plan, policy)?;
    let allowed = stake.amount > Rational::ZERO
        && stake.amount <= most.amount
        && stake.delta <= most.delta
        && stake.delta.is_zero() == plan.discovered().is_none()
        && stake.concentrated == most.concentrated;
    if !allowed {
        return Err(Refusal::unproved("the certificate has another loss than its query may have"));
    }
    let sharing = match plan.discovered() {
        None => mechanism::sharing_of(&plan, text),
        Some(_) => Some(Sharing::Threshold(discover::threshold(stake)?)),
    };
    let sharing = sharing
        .filter(|sharing| matches!(sharing, Sharing::Gaussian(_)) == stake.concentrated)
        .filter(|sharing| mechanism::text(&plan, sharing) == text);
    let sharing =
        sharing.ok_or_else(|| Refusal::unproved("the certificate's mechanism is not that of its query"))?;
    assembled(policy, plan, &sharing, stake.clone(), text.to_owned())
}

/// The longest numerator or denominator of a loss, in bits: noise for longer ones is computed for minutes, and nobody can tell them apart.
const MAX_LOSS_BITS: usize = 512;

fn assembled(policy: &Policy, plan: Plan, sharing: &Sharing, stake: Stake, text: String) -> Answer<Prepared> {
    let bits =
        |loss: &Rational| loss.numerator().clone().unsigned_abs().bit_len().max(loss.denominator().bit_len());
    if bits(&stake.amount).max(bits(&stake.delta)) > MAX_LOSS_BITS {
        let message =
            format!("the loss of a query has more than {MAX_LOSS_BITS} bits above or below its line");
        return Err(Refusal::input(message).hint("write a number such as 0.5, 1/6 or 1e-6"));
    }
    let mut parameters = stake.parameters();
    // What multiplies the factors of the scales: 1/ε, or the least s with Σ w² ≤ 2·ρ·s².
    let times = match sharing {
        Sharing::Laplace(_) | Sharing::Threshold(_) => Rational::ONE / &stake.amount,
        Sharing::Gaussian(weights) => {
            let squares = Rational::from(mechanism::squares(weights));
            let s = root_up(&(squares / (Rational::from(2) * &stake.amount)));
            parameters.push(("s".to_owned(), s.clone()));
            s
        }
    };
    let scales =
        (0..plan.draws.len()).map(|draw| mechanism::scale_factor(&plan, sharing, draw) * &times).collect();
    let cost = stake.cost(policy.measure()).ok_or_else(|| {
        Refusal::unproved("this loss has no place in a budget of this measure; please report it")
    })?;
    parameters.extend(mechanism::parameters(&plan));
    let threshold = match sharing {
        Sharing::Threshold(threshold) => Some(threshold.clone()),
        Sharing::Laplace(_) | Sharing::Gaussian(_) => None,
    };
    Ok(Prepared { plan, shares: sharing.shares(), stake, cost, text, parameters, scales, threshold })
}

impl Prepared {
    /// What makes an answer the same: what was asked (white space and the case of keywords aside), of which data, table and public tables, at what loss and by which mechanism. How
    /// large the budget is does not matter: what was released stays free when the owner adds to it.
    pub fn key(&self, version: &str) -> String {
        let amount = self.stake.to_text();
        let table = format!("{:?}", self.plan.table);
        let sql = canonical(&self.plan.sql);
        let mut parts = vec![
            table.as_bytes(),
            version.as_bytes(),
            sql.as_bytes(),
            amount.as_bytes(),
            self.text.as_bytes(),
        ];
        parts.extend(self.plan.public.iter().map(|(_, hash)| hash.as_bytes()));
        hash::hex(&parts)
    }

    /// The name under which the certificate of the mechanism is kept.
    pub fn certificate_name(&self) -> String {
        hash::hex(&[self.text.as_bytes(), self.stake.to_text().as_bytes()])
    }

    /// Whether the noise that will be drawn is the noise that a theorem speaks of: the same draws, in the same order, each with its scale;
    /// and where keys are discovered, with the threshold that will hold keys back.
    pub fn check_scales(&self, mechanism: &Mechanism) -> Answer<()> {
        let other =
            || Refusal::unproved("the theorem speaks of other noise than would be drawn; please report it");
        if let (Some(threshold), [draw], [scale]) =
            (&self.threshold, self.plan.draws.as_slice(), self.scales.as_slice())
        {
            let proved = discover::law(mechanism, &draw.name);
            let drawn = (scale.clone(), Rational::from(threshold.clone()));
            return if proved == Some(drawn) { Ok(()) } else { Err(other()) };
        }
        // What is drawn with a threshold has one, and nothing else has.
        if self.threshold.is_some() || self.plan.discovered().is_some() {
            return Err(other());
        }
        let mut found = Vec::new();
        laws(&mechanism.body, self.stake.concentrated, &mut found);
        let proved: Option<Vec<(String, Rational)>> = found.into_iter().collect();
        // In the text, counts over a grid come behind the others.
        let all = || self.plan.draws.iter().zip(&self.scales);
        let of = |bins: bool| all().filter(move |(draw, _)| matches!(draw.kind, DrawKind::Bins(..)) == bins);
        let drawn: Vec<(String, Rational)> =
            of(false).chain(of(true)).map(|(draw, scale)| (draw.name.clone(), scale.clone())).collect();
        match proved.is_some_and(|proved| proved == drawn) {
            true => Ok(()),
            false => Err(other()),
        }
    }

    /// The errors that hold together for a column with probability 1 − α, by draw: for a draw of one number the least a such that the
    /// noise is within ±a at its level; for a quantile, at the finest of its draws, what bounds a sum of 16 draws of each level. Draws that
    /// the column does not use have the error 0.
    pub fn errors_for(&self, post: &Post, alpha: &Rational) -> Answer<Vec<Rational>> {
        let alpha = alpha / Rational::from(post.errors().max(1) as u64);
        let mut errors = vec![Rational::ZERO; self.plan.draws.len()];
        for draw in post.draws() {
            if !matches!(self.plan.draws[draw].kind, DrawKind::Bins(..)) {
                let error = accuracy::of_one(self.stake.concentrated, &self.scales[draw], &alpha)?;
                errors[draw] = Rational::from(error) * &self.plan.draws[draw].unit;
            }
        }
        for quantile in post.quantiles() {
            let scales: Vec<&Rational> = quantile.levels.iter().map(|level| &self.scales[*level]).collect();
            if let Some(finest) = quantile.levels.last() {
                errors[*finest] =
                    accuracy::of_sum(self.stake.concentrated, &scales, BRANCHES as u64, &alpha)?;
            }
        }
        Ok(errors)
    }

    /// The noisy columns with their names.
    pub fn noisy(&self) -> impl Iterator<Item = (&str, &Post)> {
        self.plan.columns.iter().filter_map(|(name, shown)| match shown {
            Shown::Noisy(post) => Some((name.as_str(), post)),
            Shown::Key(_) => None,
        })
    }
}

/// The draws of a program with the scales of their laws; `None` for any law but the one that is expected, or an open scale.
fn laws(statements: &[Statement], gaussian: bool, found: &mut Vec<Option<(String, Rational)>>) {
    for statement in statements {
        match statement {
            Statement::Draw { var, law } => {
                let scale = match (gaussian, law) {
                    (false, Distribution::DiscreteLaplace { scale, .. }) => Some(scale),
                    (true, Distribution::DiscreteGaussian { deviation, .. }) => Some(deviation),
                    _ => None,
                };
                found.push(scale.and_then(probity_lang::number).map(|scale| (var.to_string(), scale)));
            }
            Statement::For { body, .. } => laws(body, gaussian, found),
            Statement::Assign { .. } | Statement::Append { .. } => {}
            // A release of public keys has no branches: whatever this is, it is not one.
            _ => found.push(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn roots_are_not_below_the_truth() {
        let r = |n: i64, d: i64| rational(n, d).unwrap();
        assert_eq!(root_up(&r(9, 4)), r(3, 2));
        for value in [r(2, 1), r(1, 3), r(1, 1_000_000_000), r(1 << 60, 1), r(7, 1_000_003)] {
            let root = root_up(&value);
            assert!(&root * &root >= value);
            let less = root * r(999_999, 1_000_000);
            assert!(&less * &less < value);
        }
    }
}
