//! The law of an output in any arithmetic: over the reals, or in a floating-point format.

use probity_exact::Format;
use probity_kernel::term::{Mechanism, Reading};

use crate::case::Case;
use crate::error::AuditError;
use crate::float::split::Effort;
use crate::output::law::Law;
use crate::output::outcome::{Inputs, Parameters};
use crate::real::paths::Depth;

/// The law of the output in a reading: over the reals, or exactly in a floating-point format, with default limits.
pub fn output_law(
    mechanism: &Mechanism,
    parameters: &Parameters,
    inputs: &Inputs,
    reading: Reading,
) -> Result<Law, AuditError> {
    Case::new(mechanism, parameters, inputs).law(reading)
}

impl Case<'_> {
    /// The law of the output in a reading, with default limits.
    pub fn law(self, reading: Reading) -> Result<Law, AuditError> {
        self.law_within(reading, Effort::default())
    }

    /// The law in a reading, with the given effort in a format.
    pub(crate) fn law_within(self, reading: Reading, effort: Effort) -> Result<Law, AuditError> {
        match reading {
            Reading::Reals => self.integrated_law(Depth::default()),
            Reading::Binary { precision, emin, emax } => {
                let format = Format::new(precision, i64::from(emin), i64::from(emax))
                    .map_err(|_| AuditError::Unsupported { what: "this floating-point format" })?;
                self.float_law(format, effort)
            }
        }
    }
}
