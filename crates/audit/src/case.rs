//! A mechanism with numbers: what an audit runs, as one value.

use probity_kernel::term::Mechanism;

use crate::deadline::Deadline;
use crate::output::outcome::{Inputs, Parameters};

/// A mechanism, a value for each of its parameters, and inputs.
///
/// ```
/// use probity_audit::{Case, Given, Inputs, Parameters};
/// use probity_exact::fraction;
/// use probity_kernel::term::Reading;
/// let program = probity_lang::load_text(
///     "mechanism coin(x: category(2))\nparam p >= 1 / 2\nwhere p < 1\ny ~ response(x, p, 2)\nreturn y\n\
///      neighbours any\nclaim ln(p / (1 - p))",
/// )
/// .unwrap();
/// let parameters: Parameters = [("p".into(), fraction::<3, 4>())].into();
/// let inputs: Inputs = [("x".into(), Given::Number(fraction::<0, 1>()))].into();
/// let case = Case::new(&program.mechanism, &parameters, &inputs);
/// assert!(case.is_admitted().unwrap());
/// let law = case.law(Reading::Reals).unwrap();
/// assert!(law.is_exact() && law.outcomes() == 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The mechanism.
    pub mechanism: &'a Mechanism,
    /// Its parameters.
    pub parameters: &'a Parameters,
    /// Its inputs.
    pub inputs: &'a Inputs,
    /// When the work must end.
    pub(crate) until: Option<&'a Deadline>,
}

impl<'a> Case<'a> {
    /// A mechanism with these numbers.
    pub fn new(mechanism: &'a Mechanism, parameters: &'a Parameters, inputs: &'a Inputs) -> Case<'a> {
        Case { mechanism, parameters, inputs, until: None }
    }

    /// The same up to a deadline, past which every question about it is answered with an error.
    #[must_use]
    pub fn until(self, deadline: &'a Deadline) -> Case<'a> {
        Case { until: Some(deadline), ..self }
    }

    pub(crate) fn deadline(self) -> Deadline {
        self.until.cloned().unwrap_or_default()
    }

    /// The same on other inputs.
    #[must_use]
    pub fn at<'b>(self, inputs: &'b Inputs) -> Case<'b>
    where
        'a: 'b,
    {
        Case { inputs, ..self }
    }
}
