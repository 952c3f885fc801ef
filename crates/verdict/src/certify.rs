//! `certify`: the privacy of a mechanism as it runs in floating point, as a theorem of the kernel.

use std::time::Instant;

use probity_exact::Rational;
use probity_float::certified::{Certified, certify as prove, within};
use probity_kernel::float::{FloatTheorem, Implementation, Rejection, Uniform};
use probity_kernel::term::Reading;
use probity_lang::{Program, Setting};
use probity_prove::certificate::write_threshold;

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
    pub found: Result<Found, Rejection>,
    /// How long it took.
    pub seconds: f64,
}

/// What was certified.
#[derive(Debug, Clone)]
pub enum Found {
    /// One implementation.
    One(Box<Certified>),
    /// All implementations with parameters in the ranges.
    Family(Box<FloatTheorem>),
}

impl Found {
    /// A theorem, with what else there is to say about one implementation.
    fn of(theorem: FloatTheorem) -> Found {
        match Certified::of(theorem.clone()) {
            Some(certificate) => Found::One(Box::new(certificate)),
            None => Found::Family(Box::new(theorem)),
        }
    }

    /// The kernel's theorem.
    pub fn theorem(&self) -> &FloatTheorem {
        match self {
            Found::One(certificate) => &certificate.theorem,
            Found::Family(theorem) => theorem,
        }
    }

    /// The proof as a file that [`check`](crate::check()) accepts.
    pub fn to_certificate(&self) -> String {
        write_threshold(self.theorem())
    }
}

/// Certifies a mechanism as it runs in floating point. What is proved, and of what, is the kernel's to say.
///
/// There is no search that a deadline could end: a certificate takes milliseconds.
pub fn certify(
    program: &Program,
    settings: &CertifySettings,
    watch: &Watch<'_>,
) -> Result<Certification, Error> {
    let start = Instant::now();
    watch.say("certifying the implementation");
    let program = narrowed(program, settings)?;
    given::format_of(settings.reading)?;
    let machine = Implementation { uniform: settings.uniform, ln_ulps: settings.ln_ulps };
    let found = prove(&program.mechanism, settings.reading, machine).map(Found::of);
    Ok(Certification { found, seconds: start.elapsed().as_secs_f64() })
}

/// The mechanism with the values that were set, and with the ranges as further assumptions.
fn narrowed(program: &Program, settings: &CertifySettings) -> Result<Program, Error> {
    let CertifySettings { values, ranges, .. } = settings;
    if let Some(twice) = values.iter().find(|setting| ranges.contains_key(&setting.name)) {
        return Err(Error::new(format!("the parameter {} has a value and a range", twice.name)));
    }
    // The names, and the assumptions at both ends of every range.
    let end = |pick: fn(&(Rational, Rational)) -> &Rational| -> Vec<Setting> {
        let of_range = |(name, range)| Setting { name: String::clone(name), value: pick(range).clone() };
        values.iter().cloned().chain(ranges.iter().map(of_range)).collect()
    };
    let low = end(|range| &range.0);
    given::with_settings(program, &low)?;
    given::with_settings(program, &end(|range| &range.1))?;
    given::check_complete(program, &low)?;
    let mut program = given::with_settings(program, values)?;
    let ranges = ranges.iter().map(|(name, range)| (name.as_str(), range.clone()));
    program.mechanism = within(&program.mechanism, ranges);
    Ok(program)
}
