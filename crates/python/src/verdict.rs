//! Verdicts, certifications, audits and replays as Python objects.

use probity_exact::Rational;
use probity_exact::directed::{cast_down, cast_up};
use probity_verdict::{
    Audit, Bounds, Certification, Comparison, Found, Reading, Replay, Side, EventAudit, Upper, Verdict,
    couplings,
};
use probity_verdict::{counterexample, decimal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Fields;
use crate::failure::Failure;
use crate::number::{to_fraction, to_upper, to_upper_double};

/// A dict of facts for readers: name and text.
fn facts<'py>(py: Python<'py>, facts: &[(&str, String)]) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, text) in facts {
        all.set_item(name, text)?;
    }
    Ok(all)
}

/// The answer of `verify`.
pub fn verified<'py>(py: Python<'py>, verdict: &Verdict) -> PyResult<Bound<'py, PyAny>> {
    let claim = &verdict.program.claim;
    let amount = claim.epsilon.to_string();
    let (epsilon, delta, rho, mu) = match claim.reading {
        Reading::Rho => (None, None, Some(amount), None),
        Reading::Mu => (None, None, None, Some(amount)),
        Reading::Reals | Reading::Binary { .. } => (Some(amount), Some(claim.delta.to_string()), None, None),
    };
    let theorem = match &verdict.upper {
        Ok(Upper::Derived(proof)) => Some(proof.theorem().to_string()),
        Ok(Upper::Certified(theorem)) => Some(theorem.to_string()),
        Err(_) => None,
    };
    let steps: Vec<(String, String)> = verdict.proof().map_or_else(Vec::new, |proof| {
        couplings(proof).into_iter().map(|line| (line.statement, line.rule)).collect()
    });
    let found = verdict.refutation.as_ref().map(|refutation| {
        let all = facts(py, &counterexample::facts(&verdict.program, refutation))?;
        Ok::<_, PyErr>((all, refutation.loss))
    });
    let (counterexample, loss) = found.transpose()?.unzip();
    let certified = verdict.certificate.as_ref();
    Fields::new(py)
        .with("status", verdict.status().name())?
        .with("mechanism", verdict.program.mechanism.name.as_str())?
        .with("claim", claim.to_string())?
        .with("epsilon", epsilon)?
        .with("delta", delta)?
        .with("rho", rho)?
        .with("mu", mu)?
        .with("theorem", theorem)?
        .with("axioms", verdict.axioms())?
        .with("couplings", steps)?
        .with("reason", verdict.upper.as_ref().err().cloned())?
        .with("counterexample", counterexample)?
        .with("loss", loss)?
        .with("out_of_range", verdict.audited.out_of_range.clone())?
        .with("audited_share", verdict.audited.share.filter(|share| share.is_finite()))?
        .with("certified_epsilon", certified.map(|certified| certified.epsilon))?
        .with("certified_delta", certified.map(|certified| certified.delta))?
        .with("certificate", verdict.to_certificate())?
        .with("as_expected", verdict.is_as_expected())?
        .with("seconds", verdict.seconds)?
        .into_object("Verdict")
}

/// The answer of `certify`.
pub fn certified<'py>(py: Python<'py>, found: &Certification) -> PyResult<Bound<'py, PyAny>> {
    let fields = Fields::new(py).with("seconds", found.seconds)?;
    let fields = match &found.found {
        Err(rejection) => fields
            .with("status", "refused")?
            .with("reason", rejection.to_string())?
            .with("claim", py.None())?
            .with("statement", py.None())?
            .with("epsilon", py.None())?
            .with("delta", py.None())?
            .with("excess", py.None())?
            .with("method", py.None())?
            .with("certificate", py.None())?,
        Ok(certificate) => {
            let theorem = certificate.theorem();
            let fields = fields
                .with("status", "certified")?
                .with("reason", py.None())?
                .with("claim", theorem.bound().to_string())?
                .with("statement", theorem.to_string())?
                .with("certificate", certificate.to_certificate())?;
            match certificate {
                Found::One(one) => fields
                    .with("epsilon", to_upper(py, &one.epsilon_exact, false)?)?
                    .with("delta", to_upper_double(py, one.delta)?)?
                    .with("excess", one.excess)?
                    .with("method", one.method.to_string())?,
                Found::Family(theorem) => fields
                    .with("epsilon", to_upper(py, theorem.bound().epsilon(), false)?)?
                    .with("delta", to_upper(py, theorem.bound().delta(), false)?)?
                    .with("excess", py.None())?
                    .with("method", "the threshold theorem, for every value of the ranges")?,
            }
        }
    };
    fields.into_object("Certification")
}

fn probability<'py>(py: Python<'py>, bounds: &Bounds) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    Ok((to_fraction(py, &bounds.low)?, to_fraction(py, &bounds.high)?))
}

/// The answer of `audit`.
pub fn audited<'py>(py: Python<'py>, audit: &Audit) -> PyResult<Bound<'py, PyAny>> {
    match audit {
        Audit::Laws(comparison) => compared(py, comparison),
        Audit::Event(event) => told(py, event),
    }
}

fn compared<'py>(py: Python<'py>, comparison: &Comparison) -> PyResult<Bound<'py, PyAny>> {
    let Comparison { report, outcomes, reading, neighbours, epsilon, seconds, .. } = comparison;
    let mass = |count: &probity_exact::Natural| {
        to_fraction(py, &Rational::from_parts(count.clone().into(), report.denominator.clone()))
    };
    let mut law = Vec::new();
    for outcome in &report.outcomes {
        law.push((
            decimal::outcome(&outcome.outcome),
            (mass(&outcome.first.low)?, mass(&outcome.first.high)?),
            (mass(&outcome.second.low)?, mass(&outcome.second.high)?),
        ));
    }
    let impossible: Vec<String> =
        report.impossible.iter().map(|(outcome, _)| decimal::outcome(outcome)).collect();
    Fields::new(py)
        .with("reading", reading.to_string())?
        .with("outcomes", outcomes[0])?
        .with("outcomes_of_neighbour", outcomes[1])?
        .with("neighbours", *neighbours)?
        .with("epsilon", epsilon.to_f64())?
        .with("loss", report.worst.as_ref().map(|worst| worst.loss.certain()))?
        .with("excess", comparison.excess())?
        .with("worst_outcome", report.worst.as_ref().map(|worst| decimal::outcome(&worst.outcome)))?
        .with("impossible", report.impossible.len())?
        .with("impossible_outcomes", impossible)?
        .with("impossible_mass", cast_up(&report.impossible_mass))?
        .with("escaped_mass", cast_up(&report.escaped_mass))?
        .with("delta_at_epsilon", comparison.delta(&epsilon.high))?
        .with("event", py.None())?
        .with("probabilities", py.None())?
        .with("law", law)?
        .with("seconds", *seconds)?
        .into_object("Audit")
}

fn told<'py>(py: Python<'py>, event: &EventAudit) -> PyResult<Bound<'py, PyAny>> {
    let EventAudit { found, neighbours, epsilon, seconds, .. } = event;
    let (likelier, other) = (probability(py, &found.probability)?, probability(py, &found.of_neighbour)?);
    let probabilities = if found.side == Side::First { (likelier, other) } else { (other, likelier) };
    Fields::new(py)
        .with("reading", Reading::Reals.to_string())?
        .with("outcomes", py.None())?
        .with("outcomes_of_neighbour", py.None())?
        .with("neighbours", *neighbours)?
        .with("epsilon", epsilon.to_f64())?
        .with("loss", found.loss)?
        .with("excess", py.None())?
        .with("worst_outcome", py.None())?
        .with("impossible", py.None())?
        .with("impossible_outcomes", Vec::<String>::new())?
        .with("impossible_mass", py.None())?
        .with("escaped_mass", py.None())?
        .with("delta_at_epsilon", py.None())?
        .with("event", counterexample::event(&found.event))?
        .with("probabilities", probabilities)?
        .with("law", Vec::<String>::new())?
        .with("seconds", *seconds)?
        .into_object("Audit")
}

/// The answer of `check`.
pub fn replayed<'py>(py: Python<'py>, replay: &Replay) -> PyResult<Bound<'py, PyAny>> {
    match &replay.theorem {
        Ok(theorem) => Fields::new(py)
            .with("accepted", true)?
            .with("theorem", theorem.to_string())?
            .with("axioms", theorem.axioms().into_iter().map(ToString::to_string).collect::<Vec<_>>())?
            .with("reason", py.None())?
            .into_object("Check"),
        Err(fault) => rejected(py, &Failure::input(fault)),
    }
}

/// A certificate that does not hold.
pub fn rejected<'py>(py: Python<'py>, failure: &Failure) -> PyResult<Bound<'py, PyAny>> {
    Fields::new(py)
        .with("accepted", false)?
        .with("theorem", py.None())?
        .with("axioms", Vec::<String>::new())?
        .with("reason", failure.message())?
        .into_object("Check")
}

/// A number between two doubles.
pub fn doubles(low: &Rational, high: Option<&Rational>) -> (f64, f64) {
    (cast_down(low), high.map_or(f64::INFINITY, cast_up))
}
