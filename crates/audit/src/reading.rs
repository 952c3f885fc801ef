//! The law of an output in any arithmetic: over the reals, or in a floating-point format.

use probity_exact::Format;
use probity_kernel::term::{Mechanism, Reading};

use crate::case::Case;
use crate::error::AuditError;
use crate::float::split::Effort;
use crate::output::law::Law;
use crate::output::outcome::{Inputs, Parameters};
use crate::real::discrete::TOO_MANY;
use crate::real::paths::Depth;

/// Tails are cut no nearer to the middle than at 2^−16: beyond, the law that is left would show too little.
const LEAST_TAIL: u32 = 16;

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

    /// The law over the reals; where a draw has more likely values than are listed, its tails are cut nearer to the middle, and
    /// what is cut off counts as escaped.
    fn law_of_wide_noise(self) -> Result<Law, AuditError> {
        let mut depth = Depth::default();
        loop {
            match self.integrated_law(depth) {
                Err(error) if error == TOO_MANY && depth.tail_bits > LEAST_TAIL => depth.tail_bits -= 4,
                law => return law,
            }
        }
    }

    /// The law in a reading, with the given effort in a format.
    pub(crate) fn law_within(self, reading: Reading, effort: Effort) -> Result<Law, AuditError> {
        match reading {
            Reading::Reals | Reading::Rho | Reading::Mu => self.law_of_wide_noise(),
            Reading::Binary { precision, emin, emax } => {
                let format = Format::new(precision, i64::from(emin), i64::from(emax))
                    .map_err(|_| AuditError::Unsupported { what: "this floating-point format" })?;
                self.float_law(format, effort)
            }
        }
    }
}
