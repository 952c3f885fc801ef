//! `audit_worst` and `audit_all`: the worst pair of neighbours, as far as it was found.

use std::time::Instant;

use probity_audit::{
    AllPairs, Effort, FoundPair, Parameters, SearchState, SearchTask, all_pairs, search_parameters,
    search_worst_pair,
};
use probity_exact::Rational;
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};

use crate::error::{Error, Kind};
use crate::given::{self, Ranges};
use crate::watch::{Step, Watch};

/// What is looked at.
#[derive(Debug, Clone)]
pub struct WorstSettings {
    /// Parameters with a value.
    pub values: Vec<Setting>,
    /// Parameters with a range, of which some points are tried.
    pub ranges: Ranges,
    /// The arithmetic.
    pub reading: Reading,
}

/// The worst pair that was found.
#[derive(Debug, Clone)]
#[must_use]
pub struct Worst {
    /// The pair; `None` if there was no pair of neighbours.
    pub pair: Option<FoundPair>,
    /// The parameters at which it was found.
    pub parameters: Option<Parameters>,
    /// How many pairs were looked at.
    pub tried: u64,
    /// Whether these were all pairs of the format, exactly; else it is a lower bound.
    pub complete: bool,
    /// How long it took.
    pub seconds: f64,
}

/// Values of a parameter that are tried from a range: its ends and points between.
const POINTS: u32 = 5;

/// Looks for a worse pair than the state has until `go_on` answers no or the deadline has passed. `go_on` is asked after
/// every pair.
pub fn audit_worst(
    program: &Program,
    settings: &WorstSettings,
    state: &mut SearchState,
    go_on: &mut dyn FnMut(&SearchState) -> bool,
    watch: &Watch<'_>,
) -> Result<Worst, Error> {
    let combinations = completed(program, combinations(program, settings)?)?;
    let task = SearchTask {
        mechanism: &program.mechanism,
        claim: &program.claim,
        settings: combinations,
        reading: settings.reading,
        effort: Effort::default(),
        until: watch.until_then(),
    };
    let start = Instant::now();
    search_worst_pair(&task, state, &mut |state| go_on(state) && !watch.is_over())?;
    let parameters = state.best.as_ref().and_then(|best| task.settings.get(best.setting).cloned());
    Ok(Worst {
        pair: state.best.clone(),
        parameters,
        tried: state.tried,
        complete: false,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Looks at all pairs of a small format. Past the deadline no further setting of the parameters is begun, which is an
/// error: the worst of some pairs is not the worst of all.
pub fn audit_all(program: &Program, settings: &WorstSettings, watch: &Watch<'_>) -> Result<Worst, Error> {
    let combinations = combinations(program, settings)?;
    let start = Instant::now();
    let mut worst: Option<FoundPair> = None;
    let (mut tried, mut exact) = (0, true);
    let format = given::format_of(settings.reading)?;
    for (number, setting) in combinations.iter().enumerate() {
        if watch.is_over() {
            return Err(Error::new("the deadline passed before all pairs were looked at")
                .with_hint("allow more time, or choose a smaller format"));
        }
        let Program { mechanism, claim, .. } = program;
        let AllPairs { worst: found, pairs, exact: decided } =
            all_pairs(mechanism, &claim.epsilon, setting, format, Effort::default(), &mut |done, all| {
                watch.tell(|| Step {
                    what: format!("inputs of settings {} of {}", number + 1, combinations.len()),
                    done: Some((done, all)),
                });
            })?;
        tried += pairs;
        exact &= decided;
        let found = found.map(|pair| FoundPair { setting: number, ..pair });
        let is_worse = |pair: &FoundPair| worst.as_ref().is_none_or(|best| pair.is_worse_than(best));
        if found.as_ref().is_some_and(is_worse) {
            worst = found;
        }
    }
    let parameters = worst.as_ref().and_then(|best| combinations.get(best.setting).cloned());
    let seconds = start.elapsed().as_secs_f64();
    Ok(Worst { pair: worst, parameters, tried, complete: exact, seconds })
}

/// Settings that are chosen where parameters have no value.
const CHOSEN: usize = 4;

/// The combinations with simple values for parameters that have none.
fn completed(program: &Program, combinations: Vec<Parameters>) -> Result<Vec<Parameters>, Error> {
    let Program { mechanism, claim, .. } = program;
    let is_complete = |set: &Parameters| mechanism.params.iter().all(|param| set.contains_key(&param.name));
    let mut all = Vec::new();
    for set in combinations {
        if is_complete(&set) {
            all.push(set);
            continue;
        }
        let found = search_parameters(mechanism, claim, &set, CHOSEN);
        if found.is_empty() {
            let open = mechanism.params.iter().filter(|param| !set.contains_key(&param.name));
            let open: Vec<String> = open.map(|param| param.name.to_string()).collect();
            return Err(Error::new(format!(
                "no values were found for {} that meet the `param` and `where` lines",
                open.join(", ")
            ))
            .with_hint(format!("give some, as --set {}=VALUE", open[0]))
            .of_kind(Kind::Missing(open)));
        }
        all.extend(found);
    }
    Ok(all)
}

/// Every combination of values for the parameters with ranges.
fn combinations(program: &Program, settings: &WorstSettings) -> Result<Vec<Parameters>, Error> {
    let mechanism = &program.mechanism;
    let mut all = vec![given::parameters(program, &settings.values)?];
    for (name, (low, high)) in &settings.ranges {
        let param = mechanism.params.iter().find(|param| param.name.as_str() == name);
        let Some(param) = param else {
            let known: Vec<String> = mechanism.params.iter().map(|param| param.name.to_string()).collect();
            return Err(Error::new(format!("{} has no parameter {name}", mechanism.name))
                .with_hint(given::meant("its parameters are", name, &known)));
        };
        let step = (high - low) / Rational::from(POINTS - 1);
        let points = (0..POINTS).map(|i| low + &step * Rational::from(i));
        all = points
            .flat_map(|value| {
                all.iter().cloned().map(move |mut setting| {
                    setting.insert(param.name.clone(), value.clone());
                    setting
                })
            })
            .collect();
    }
    Ok(all)
}
