//! Numbers for a report: those that were given, and for the rest plain ones that the mechanism admits.

use std::time::Instant;

use probity_audit::{
    Deadline, Given, Inputs, Parameters, Verdict as Finding, admits, admits_parameters, neighbours,
    search_refutation_until,
};
use probity_exact::{Rational, rational};
use probity_kernel::term::{Field, Sort};
use probity_lang::{Program, Setting};

use crate::decimal;
use crate::error::Error;
use crate::given::{self, inputs_text};
use crate::report::ReportSettings;
use crate::verify::Verdict;
use crate::watch::Watch;

/// Parameters that were not set: 1 for a privacy parameter, else the first of these that is admitted.
const PLAIN: [(i64, i64); 7] = [(10, 1), (1, 1), (1, 2), (3, 4), (1, 10), (2, 1), (3, 1)];

/// The same for integers, which are sizes more often than not: the work may be exponential in them.
const SIZES: [(i64, i64); 4] = [(3, 1), (2, 1), (1, 1), (10, 1)];

/// Combinations that are tried.
const MOST: usize = 4096;

/// The parameters, or `None` when some are missing and no plain numbers are admitted for them.
pub fn parameters(program: &Program, settings: &[Setting]) -> Result<Option<Parameters>, Error> {
    let set = given::parameters(program, settings)?;
    let missing: Vec<_> = program.mechanism.params.iter().filter(|p| !set.contains_key(&p.name)).collect();
    let candidates: Vec<Vec<Rational>> = missing
        .iter()
        .map(|param| {
            let first = matches!(param.name.as_str(), "eps" | "epsilon").then_some((1, 1));
            let plain = if param.sort == Sort::Int { &SIZES[..] } else { &PLAIN[..] };
            first.into_iter().chain(plain.iter().copied()).filter_map(|(n, d)| rational(n, d)).collect()
        })
        .collect();
    let combinations = candidates.iter().map(Vec::len).product::<usize>();
    for number in 0..combinations.min(MOST) {
        // The digits of the number say which candidate each parameter takes.
        let mut rest = number;
        let mut all = set.clone();
        for (param, values) in missing.iter().zip(&candidates) {
            all.insert(param.name.clone(), values[rest % values.len()].clone());
            rest /= values.len();
        }
        if admits_parameters(&program.mechanism, &all).unwrap_or(false) {
            return Ok(Some(all));
        }
    }
    match missing.is_empty() {
        true => Err(Error::new(format!("{} does not admit these parameters", program.mechanism.name))
            .with_hint("see its `param` and `where` lines")),
        false => Ok(None),
    }
}

/// The numbers of the counterexample, where there is one and no inputs were given. It is about parameters that the text
/// admits, and about those that were set.
pub fn told(verdict: &Verdict, settings: &ReportSettings) -> Option<(Parameters, [Inputs; 2])> {
    let found = verdict.refutation.as_ref().filter(|_| settings.inputs.is_none())?;
    let is_set =
        |set: &Setting| found.parameters.iter().any(|(n, v)| n.as_str() == set.name && *v == set.value);
    let same = settings.values.iter().all(is_set);
    same.then(|| (found.parameters.clone(), [found.first.clone(), found.second.clone()]))
}

/// The pair of neighbours that told most at these parameters, of those that the audit usually looks at.
pub fn worst(program: &Program, parameters: &Parameters, watch: &Watch<'_>) -> Option<[Inputs; 2]> {
    let Program { mechanism, claim, .. } = program;
    let no_more = Deadline::at(Some(Instant::now()));
    match search_refutation_until(mechanism, claim, parameters, &watch.until_then(), &no_more).ok()? {
        Finding::Refuted(found) => Some([found.first, found.second]),
        Finding::NotRefuted { closest, .. } => closest.map(|pair| [pair.first, pair.second]),
    }
}

/// The two inputs that were given, or 0 and 1 or their like where these are neighbours.
pub fn inputs(
    program: &Program,
    parameters: &Parameters,
    given: Option<&[Inputs; 2]>,
) -> Result<Option<[Inputs; 2]>, Error> {
    let mechanism = &program.mechanism;
    let fit = |pair: &[Inputs; 2]| -> Result<bool, probity_audit::AuditError> {
        Ok(admits(mechanism, parameters, &pair[0])?
            && admits(mechanism, parameters, &pair[1])?
            && neighbours(mechanism, parameters, &pair[0], &pair[1])?)
    };
    if let Some(pair) = given {
        let [first, second] = [0, 1].map(|i: usize| inputs_text(&pair[i], decimal::exact_or_nearest));
        return match fit(pair) {
            Ok(true) => Ok(Some(pair.clone())),
            Ok(false) => Err(Error::new(format!("{first} and {second} are not admitted neighbours"))
                .with_hint("see the `where` and `neighbours` lines of the mechanism")),
            Err(error) => Err(Error::new(error)),
        };
    }
    let plain = |second: bool| -> Inputs {
        let number = |on: bool| if on { Rational::ONE } else { Rational::ZERO };
        let value = |sort: &Sort| match sort {
            Sort::Bool => Given::Bool(second),
            Sort::RealList | Sort::IntList => Given::List(vec![number(second), Rational::ZERO]),
            Sort::Real | Sort::Int | Sort::Category { .. } => Given::Number(number(second)),
            Sort::Rows(fields) => {
                let blank = |field: &Field| match field.sort {
                    Sort::Bool => Given::Bool(true),
                    _ => Given::Number(Rational::ONE),
                };
                let row = || fields.iter().map(blank).collect::<Vec<_>>();
                Given::Rows(if second { vec![row()] } else { vec![] })
            }
        };
        mechanism.inputs.iter().map(|input| (input.name.clone(), value(&input.sort))).collect()
    };
    let pair = [plain(false), plain(true)];
    Ok(matches!(fit(&pair), Ok(true)).then_some(pair))
}
