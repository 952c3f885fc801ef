//! `certify`: the privacy of a mechanism as it runs in floating point, as a theorem of the kernel.

use std::collections::BTreeMap;
use std::time::Instant;

use probity_exact::Rational;
use probity_float::certificate::{Certificate, Refusal, certify as certify_snapped, certify_family};
use probity_float::recognise::recognise;
use probity_kernel::float::{Family, FloatTheorem, Scaling, Snapped, Uniform, shape::mironov_grid};
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};

use crate::error::Error;
use crate::given::{self, Ranges};
use crate::watch::Watch;

/// What is certified: the values of the parameters, and how the implementation computes.
#[derive(Debug, Clone)]
pub struct CertifySettings {
    /// Parameters with a value.
    pub values: Vec<Setting>,
    /// Parameters with a range: the certificate is then for all values in it.
    pub ranges: Ranges,
    /// The format that it runs in.
    pub reading: Reading,
    /// How the uniform number is drawn.
    pub uniform: Uniform,
    /// The units in the last place by which the logarithm may err; 0 if it is correctly rounded.
    pub ln_ulps: u32,
}

impl CertifySettings {
    /// These values in binary64, with the uniform number U* and a correctly rounded logarithm.
    pub fn new(values: Vec<Setting>) -> CertifySettings {
        CertifySettings {
            values,
            ranges: Ranges::new(),
            reading: Reading::BINARY64,
            uniform: Uniform::Star,
            ln_ulps: 0,
        }
    }
}

/// What a certification ended with.
#[derive(Debug, Clone)]
#[must_use]
pub struct Certification {
    /// The certificate, or why there is none.
    pub found: Result<Found, Refusal>,
    /// How long it took.
    pub seconds: f64,
}

/// What was certified.
#[derive(Debug, Clone)]
pub enum Found {
    /// One implementation.
    One(Box<Certificate>),
    /// All implementations with parameters in the ranges.
    Family(Box<FloatTheorem>),
}

enum NotCertified {
    Refused(Refusal),
    Failed(Error),
}

impl From<Refusal> for NotCertified {
    fn from(refusal: Refusal) -> Self {
        NotCertified::Refused(refusal)
    }
}

impl From<Error> for NotCertified {
    fn from(error: Error) -> Self {
        NotCertified::Failed(error)
    }
}

/// Certifies a mechanism as it runs in floating point.
///
/// There is no search that a deadline could end: a certificate takes milliseconds.
pub fn certify(
    program: &Program,
    settings: &CertifySettings,
    watch: &Watch<'_>,
) -> Result<Certification, Error> {
    let start = Instant::now();
    watch.say("certifying the implementation");
    let answer = match settings.ranges.is_empty() {
        true => one(settings, program).map(Found::One),
        false => family(settings, program).map(|theorem| Found::Family(Box::new(theorem))),
    };
    let seconds = start.elapsed().as_secs_f64();
    match answer {
        Ok(found) => Ok(Certification { found: Ok(found), seconds }),
        Err(NotCertified::Refused(refusal)) => Ok(Certification { found: Err(refusal), seconds }),
        Err(NotCertified::Failed(error)) => Err(error),
    }
}

/// The mechanism with these values, as it runs in the format.
fn recognised(
    settings: &CertifySettings,
    program: &Program,
    values: &BTreeMap<String, Rational>,
) -> Result<Snapped, NotCertified> {
    let format = given::format_of(settings.reading)?;
    let snapped = recognise(&program.mechanism, values, format).map_err(Refusal::Form)?;
    Ok(Snapped { uniform: settings.uniform, ln_ulps: settings.ln_ulps, ..snapped })
}

fn one(settings: &CertifySettings, program: &Program) -> Result<Box<Certificate>, NotCertified> {
    // The assumptions must hold for what was set.
    given::with_settings(program, &settings.values)?;
    given::check_complete(program, &settings.values)?;
    let values =
        settings.values.iter().map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    Ok(Box::new(certify_snapped(&recognised(settings, program, &values)?)?))
}

/// A theorem for all values in the ranges. The mechanism must be Mironov's, which is checked at the ends of the ranges.
fn family(settings: &CertifySettings, program: &Program) -> Result<FloatTheorem, NotCertified> {
    let mut all = settings.ranges.clone();
    for setting in settings.values.iter().cloned() {
        if all.insert(setting.name.clone(), (setting.value.clone(), setting.value)).is_some() {
            return Err(Error::new(format!("the parameter {} has a value and a range", setting.name)).into());
        }
    }
    // The names, and the assumptions at both ends.
    let low = |(name, (low, _)): (&String, &(Rational, Rational))| Setting {
        name: name.clone(),
        value: low.clone(),
    };
    let high = |(name, (_, high)): (&String, &(Rational, Rational))| Setting {
        name: name.clone(),
        value: high.clone(),
    };
    for end in [all.iter().map(low).collect::<Vec<_>>(), all.iter().map(high).collect()] {
        given::with_settings(program, &end)?;
    }
    let (Some(epsilon), Some(bound)) = (all.get("eps").cloned(), all.get("B").cloned()) else {
        return Err(Error::new("ranges are for the parameters eps and B of Mironov's mechanism")
            .with_hint("set both, each to a value or a range")
            .into());
    };
    let mut sensitivity = None;
    for (eps, b) in [(&epsilon.0, &bound.0), (&epsilon.1, &bound.1)] {
        let values = BTreeMap::from([("eps".to_owned(), eps.clone()), ("B".to_owned(), b.clone())]);
        let snapped = recognised(settings, program, &values)?;
        let [Scaling::Divide(rate)] = &snapped.scaling[..] else {
            return Err(Error::new("ranges are for noise of the form ln(u) / eps").into());
        };
        if snapped.grid != mironov_grid(rate) {
            return Err(Error::new("ranges are for the grid pow2_at_least(1 / eps)").into());
        }
        sensitivity = Some(snapped.sensitivity);
    }
    let format = given::format_of(settings.reading)?;
    let sensitivity = sensitivity.unwrap_or(Rational::ONE);
    let family =
        Family { format, uniform: settings.uniform, ln_ulps: settings.ln_ulps, epsilon, bound, sensitivity };
    Ok(certify_family(&family)?)
}
