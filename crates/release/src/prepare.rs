//! From queries to what will be proved and drawn: the loss of each, its split, the text, the scales. No row is read here.

use probity_exact::{Integer, Natural, Rational, UnsignedAbs, parse_rational};
use probity_kernel::term::{Distribution, Mechanism, Statement};
use probity_noise::accuracy::{Level, laplace_error};
use probity_noise::sampler::Scale;

use crate::loss::{Loss, Measure};
use crate::policy::{Policy, Unit};
use crate::query::{Plan, Post, Shown, plan};
use crate::refusal::{Answer, Refusal};
use crate::{hash, mechanism, split};

/// A query made ready.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What it asks for.
    pub plan: Plan,
    /// The share of each draw.
    pub shares: Vec<Rational>,
    /// The pure loss of the mechanism.
    pub epsilon: Rational,
    /// What it costs in the ledger's measure.
    pub cost: Loss,
    /// The mechanism.
    pub text: String,
    /// The values of the text's parameters, the loss first.
    pub parameters: Vec<(String, Rational)>,
    /// The scale of each draw's noise, in its units.
    pub scales: Vec<Rational>,
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
    texts.iter().map(read).collect()
}

/// The square root of a number if it is rational, else the largest multiple of 2^−40 below it.
fn root_down(value: &Rational) -> Rational {
    const BITS: usize = 40;
    let root = |square: &Natural| Some(square.nth_root(2)).filter(|root| root * root == *square);
    if let (Some(top), Some(bottom)) =
        (root(&value.numerator().clone().unsigned_abs()), root(value.denominator()))
    {
        return Rational::from_parts(top.into(), bottom);
    }
    let scaled = value * Rational::from(Integer::ONE << (2 * BITS));
    let root = scaled.floor().unsigned_abs().nth_root(2);
    Rational::from_parts(root.into(), Natural::ONE << BITS)
}

/// The pure loss that a query may have: the policy's, or less if its clause says so.
fn allowance(plan: &Plan, policy: &Policy) -> Answer<Rational> {
    let pure = match policy.measure() {
        Measure::Epsilon | Measure::EpsilonDelta => policy.per_query.amount.clone(),
        // ε²/2 ≤ ρ.
        Measure::Rho => root_down(&(&policy.per_query.amount * Rational::from(2))),
    };
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
    if let (Some(groups), Unit::User { groups: known, .. }) = (plan.options.max_groups, &plan.table.unit)
        && groups != *known
    {
        return Err(Refusal::input(format!(
            "max_groups_contributed is {groups}, but the policy bounds users to {known} groups"
        )));
    }
    if let Some(delta) = &plan.options.delta
        && *delta > policy.per_query.delta
        && policy.measure() == Measure::EpsilonDelta
    {
        return Err(Refusal::budget(format!(
            "the query asks for delta {delta}, the policy allows {} a query",
            policy.per_query.delta
        )));
    }
    match &plan.options.epsilon {
        None => Ok(pure),
        Some(asked) if asked.is_zero() => Err(Refusal::input("epsilon must be more than 0")),
        Some(asked) if *asked <= pure => Ok(asked.clone()),
        Some(asked) => Err(Refusal::budget(format!(
            "the query asks for epsilon {asked}, the policy allows {pure} a query"
        ))
        .hint("a query may ask for less than the policy says, never for more")),
    }
}

/// Reads the queries of one call, which share the loss of one.
pub fn prepare(policy: &Policy, queries: &[String], weights: &[(String, Rational)]) -> Answer<Vec<Prepared>> {
    if queries.is_empty() {
        return Err(Refusal::input("there is no query").hint("write SELECT COUNT(*) FROM TABLE"));
    }
    let plans: Vec<Plan> = queries.iter().map(|sql| plan(sql, policy)).collect::<Answer<_>>()?;
    let parts = Rational::from(queries.len() as u64);
    plans.into_iter().map(|plan| one(policy, plan, &parts, weights)).collect()
}

fn one(policy: &Policy, plan: Plan, parts: &Rational, weights: &[(String, Rational)]) -> Answer<Prepared> {
    let epsilon = allowance(&plan, policy)? / parts;
    let shares = split::shares(&plan, weights)?;
    let text = mechanism::text(&plan, &shares);
    Ok(assembled(policy, plan, shares, epsilon, text))
}

/// The same query at a known loss, if some split of it makes this very text.
pub fn with_epsilon(policy: &Policy, plan: Plan, epsilon: &Rational, text: &str) -> Answer<Prepared> {
    if *epsilon <= Rational::ZERO || *epsilon > allowance(&plan, policy)? {
        return Err(Refusal::unproved("the certificate has another loss than its query may have"));
    }
    let shares = mechanism::shares_of(&plan, text).filter(|shares| mechanism::text(&plan, shares) == text);
    let shares =
        shares.ok_or_else(|| Refusal::unproved("the certificate's mechanism is not that of its query"))?;
    Ok(assembled(policy, plan, shares, epsilon.clone(), text.to_owned()))
}

fn assembled(
    policy: &Policy,
    plan: Plan,
    shares: Vec<Rational>,
    epsilon: Rational,
    text: String,
) -> Prepared {
    let rows = mechanism::rows_of_unit(&plan);
    let scales = plan
        .draws
        .iter()
        .zip(&shares)
        .map(|(draw, share)| mechanism::scale_factor(draw.sensitivity(), share, rows) / &epsilon)
        .collect();
    let cost = Loss::of_pure(policy.measure(), &epsilon);
    let mut parameters = vec![("eps".to_owned(), epsilon.clone())];
    parameters.extend(mechanism::parameters(&plan));
    Prepared { plan, shares, epsilon, cost, text, parameters, scales }
}

impl Prepared {
    /// What makes an answer the same: what was asked, of which data, at what loss and by which mechanism.
    pub fn key(&self, policy: &Policy, version: &str) -> String {
        hash::hex(&[
            policy.hash().as_bytes(),
            version.as_bytes(),
            self.plan.sql.as_bytes(),
            self.epsilon.to_string().as_bytes(),
            self.text.as_bytes(),
        ])
    }

    /// The name under which the certificate of the mechanism is kept.
    pub fn certificate_name(&self) -> String {
        hash::hex(&[self.text.as_bytes(), self.epsilon.to_string().as_bytes()])
    }

    /// Whether the noise that will be drawn is the noise that a theorem speaks of: the same draws, in the same order, each with its scale.
    pub fn check_scales(&self, mechanism: &Mechanism) -> Answer<()> {
        let mut found = Vec::new();
        laws(&mechanism.body, &mut found);
        let proved: Option<Vec<(String, Rational)>> = found.into_iter().collect();
        let drawn: Vec<(String, Rational)> = self
            .plan
            .draws
            .iter()
            .zip(&self.scales)
            .map(|(draw, scale)| (draw.name.clone(), scale.clone()))
            .collect();
        match proved.is_some_and(|proved| proved == drawn) {
            true => Ok(()),
            false => Err(Refusal::unproved(
                "the theorem speaks of other noise than would be drawn; please report it",
            )),
        }
    }

    /// The error of each draw at a level: the least a such that the noise is within ±a with probability 1 − α, exactly.
    pub fn errors(&self, alpha: &Rational) -> Answer<Vec<Rational>> {
        let level = Level::new(alpha.clone()).map_err(Refusal::input)?;
        let one = |(scale, draw): (&Rational, &crate::query::Draw)| {
            let scale = Scale::new(scale.clone()).map_err(Refusal::input)?;
            let error = laplace_error(&scale, &level, 1).map_err(Refusal::input)?;
            Ok(Rational::from(error) * &draw.unit)
        };
        self.scales.iter().zip(&self.plan.draws).map(one).collect()
    }

    /// The errors that hold together for a column with probability 1 − α.
    pub fn errors_for(&self, post: &Post, alpha: &Rational) -> Answer<Vec<Rational>> {
        self.errors(&(alpha / Rational::from(post.draws().len().max(1) as u64)))
    }

    /// The noisy columns with their names.
    pub fn noisy(&self) -> impl Iterator<Item = (&str, &Post)> {
        self.plan.columns.iter().filter_map(|(name, shown)| match shown {
            Shown::Noisy(post) => Some((name.as_str(), post)),
            Shown::Key(_) => None,
        })
    }
}

/// The draws of a program with the scales of their discrete Laplace laws; `None` for any other law or an open scale.
fn laws(statements: &[Statement], found: &mut Vec<Option<(String, Rational)>>) {
    for statement in statements {
        match statement {
            Statement::Draw { var, law: Distribution::DiscreteLaplace { scale, .. } } => {
                found.push(probity_lang::number(scale).map(|scale| (var.to_string(), scale)));
            }
            Statement::Draw { .. } => found.push(None),
            Statement::For { body, .. } => laws(body, found),
            Statement::Assign { .. } | Statement::Append { .. } => {}
            // A release has no branches: whatever this is, it is not one.
            _ => found.push(None),
        }
    }
}
