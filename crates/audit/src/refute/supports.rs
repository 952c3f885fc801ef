//! What an input cannot lead to, however unlikely that would be: a law whose tails are cut does not tell, so each run is enclosed by
//! boxes until all of them lead elsewhere. Where that is not decided, nothing is said.

use probity_exact::Rational;

use crate::case::Case;
use crate::compare::pair_report::{PairReport, Side};
use crate::cube::boxes::Cube;
use crate::output::event::Event;
use crate::output::law::Law;
use crate::output::outcome::{Inputs, Outcome};

/// Runs that are spent on one outcome, and outcomes of a pair that are decided.
const RUNS: usize = 200;
const MOST_OUTCOMES: usize = 64;

impl Case<'_> {
    /// The laws of this input and of another over the reals, side by side. Where tails were cut, an outcome that one of them lists is shown
    /// to be impossible under the other input, if it is, by enclosing its runs.
    pub fn compared_with(self, second: &Inputs, (of_first, of_second): (&Law, &Law)) -> PairReport {
        let mut cubes = [self, self.at(second)].map(|case| Cube::new(case).ok());
        let mut left = MOST_OUTCOMES;
        PairReport::deciding(of_first, of_second, &mut |side, outcome| {
            let [first, second] = &mut cubes;
            let cube = if side == Side::First { first } else { second };
            match cube {
                Some(cube) if left > 0 => {
                    left -= 1;
                    excludes(cube, outcome)
                }
                _ => false,
            }
        })
    }
}

/// Whether no run leads to an outcome.
fn excludes(cube: &mut Cube, outcome: &Outcome) -> bool {
    matches!(cube.enclose(&Event::exactly(outcome), RUNS), Ok(bounds) if bounds.high == Rational::ZERO)
}

/// Whether no run of an input leads into an event.
pub(crate) fn is_impossible(case: Case<'_>, event: &Event) -> bool {
    let bounds = Cube::new(case).and_then(|mut cube| cube.enclose(event, RUNS));
    matches!(bounds, Ok(bounds) if bounds.high == Rational::ZERO)
}
