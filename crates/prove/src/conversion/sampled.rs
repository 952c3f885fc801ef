//! Claims about a mechanism that sees its table through a sample: which claim about the sample would be enough. Nothing here is
//! trusted.

use std::time::Instant;

use probity_exact::{Rational, exp_bounds};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::rejection::Rejection;
use probity_kernel::sample::{Sampled, amplified, of_parameters, sampled};
use probity_kernel::term::{Claim, Mechanism, Reading};

use crate::algebra::number;
use crate::conversion::largest;
use crate::derivation::{Failure, Plan, Reason};
use crate::effort::Effort;
use crate::evidence::search::search_within;

/// What may be spent on evidence for one claim about the sample.
const SHARE_EFFORT: u64 = 5_000_000;
/// Bits of enclosures of exponentials.
const BITS: u32 = 80;

/// A plan and its evidence.
type Planned = (Plan, Vec<Evidence>);

/// A plan by AMPLIFY, for the first claim about the sample that is enough and that `prove` proves.
pub(crate) fn sampled_plan(
    mechanism: &Mechanism,
    claim: &Claim,
    deadline: Option<Instant>,
    prove: &dyn Fn(&Mechanism, &Claim) -> Result<Planned, Failure>,
) -> Result<Planned, Failure> {
    let rejected = |rejection: Rejection| Failure::new("the sample", Reason::Rejected(rejection));
    if claim.reading != Reading::Reals {
        let reason = "a sample amplifies privacy in epsilon and delta, and not in rho or mu";
        return Err(rejected(Rejection::ClaimNotCovered { reason }));
    }
    let Sampled { inner, rate } = sampled(mechanism).map_err(rejected)?;
    let context = of_parameters(mechanism).map_err(rejected)?;
    let mut first_failure = None;
    for share in shares(mechanism, &rate, claim) {
        let needed = amplified(&rate, &share, claim);
        let mut effort = Effort::of(SHARE_EFFORT).until(deadline);
        let Ok(enough) = search_within(&context, &[], &needed, &mut effort) else { continue };
        match prove(&inner, &share) {
            Ok((plan, mut evidence)) => {
                evidence.push(enough);
                return Ok((Plan { sampled: Some(Box::new(share)), ..plan }, evidence));
            }
            Err(failure) => {
                first_failure.get_or_insert(failure);
            }
        }
    }
    Err(first_failure.unwrap_or_else(|| {
        let goal = format!("ln(1 + {rate} * (exp(e) - 1)) <= {}", claim.epsilon);
        let path = vec![
            "e is what is done to the sample proved to lose, for some e that could be read off the claim"
                .into(),
        ];
        Failure::new("the claim about the sample", Reason::NotShown { goal, path })
    }))
}

/// Claims about the sample that may be enough; the likelier first.
fn shares(mechanism: &Mechanism, rate: &Expr, claim: &Claim) -> Vec<Claim> {
    let mut epsilons: Vec<Expr> = Vec::new();
    let mut add = |e: Expr| {
        if !epsilons.contains(&e) {
            epsilons.push(e);
        }
    };
    // ln(1 + q·(exp(e) − 1)), however it is written.
    exponents(&claim.epsilon, &mut add);
    if let (Some(epsilon), Some(rate)) = (number(&claim.epsilon), number(rate))
        && let Some(share) = largest(&|share| is_enough(share, &rate, &epsilon))
    {
        add(Expr::Number(share));
    }
    // The inverse of that.
    add((Expr::int(1) + (claim.epsilon.clone().exp() - Expr::int(1)) / rate.clone()).ln());
    for param in &mechanism.params {
        let p = Expr::var(param.name.clone());
        if p != *rate {
            add(p);
        }
    }
    let delta = match &claim.delta {
        Expr::Binary(Binary::Mul, a, b) if **a == *rate => (**b).clone(),
        Expr::Binary(Binary::Mul, a, b) if **b == *rate => (**a).clone(),
        delta => match (number(delta), number(rate)) {
            (Some(delta), _) if delta.is_zero() => Expr::int(0),
            (Some(delta), Some(rate)) if !rate.is_zero() => Expr::Number(delta / rate),
            _ => delta.clone() / rate.clone(),
        },
    };
    let of = |epsilon: Expr| Claim { epsilon, delta: delta.clone(), reading: Reading::Reals };
    epsilons.into_iter().map(of).collect()
}

/// Every exponent of an expression that is made of parameters and numbers.
fn exponents(e: &Expr, add: &mut dyn FnMut(Expr)) {
    if let Expr::Unary(Unary::Exp, a) = e
        && a.find_variable(&|v| !matches!(v, Variable::Plain(_))).is_none()
    {
        add((**a).clone());
    }
    e.parts().into_iter().flatten().for_each(|part| exponents(part, add));
}

/// Whether 1 + q·(e^share − 1) ≤ e^epsilon, by as much as evidence about exponentials shows: multiples of 2^−16.
fn is_enough(share: &Rational, rate: &Rational, epsilon: &Rational) -> bool {
    let (above, below) = (exp_bounds(share, BITS).1.to_rational(), exp_bounds(epsilon, BITS).0.to_rational());
    let (Some(above), Some(below)) = (above, below) else { return false };
    let unit = Rational::from(1i64 << 16);
    let (above, below) =
        (Rational::from((above * &unit).ceil()) / &unit, Rational::from((below * &unit).floor()) / &unit);
    Rational::ONE + rate * (above - Rational::ONE) <= below
}
