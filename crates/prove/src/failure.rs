//! Why no proof was found, for people.

use std::fmt;

use probity_kernel::rejection::Rejection;

/// A side condition that could not be met, or a rule that did not apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where: the rule and the statement.
    pub place: String,
    /// What went wrong.
    pub reason: Reason,
    /// What may help: values for which it fails, and a proof block to fill in, a line each.
    pub help: Vec<String>,
}

impl Failure {
    /// A failure at a place.
    pub(crate) fn new(place: impl Into<String>, reason: Reason) -> Failure {
        Failure { place: place.into(), reason, help: vec![] }
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A rule of the kernel said no.
    Rejected(Rejection),
    /// A side condition for which no evidence was found.
    NotShown {
        /// What had to be shown.
        goal: String,
        /// On which path it fails: assumptions on the way.
        path: Vec<String>,
    },
    /// The parameters of a draw are not shown to be in the range in which its law means something.
    MayBeOutOfRange {
        /// The draw.
        draw: String,
        /// The condition, in the words of the draw.
        needed: String,
        /// What had to be shown.
        goal: String,
        /// On which path it fails.
        path: Vec<String>,
    },
    /// The plan does not fit the program.
    PlanDoesNotFit(&'static str),
    /// No way to couple the draws, or no invariant of a loop, passed the rehearsals.
    NoPlan {
        /// The draws.
        draws: Vec<String>,
        /// The indices and labels of the loops.
        loops: Vec<String>,
    },
    /// A certificate ends before its derivation does.
    EvidenceMissing,
    /// The search used up its steps.
    OutOfSteps,
    /// A sum over rows whose value nothing bounds.
    Unbounded {
        /// The sum.
        sum: String,
        /// The fields to bound.
        fields: Vec<String>,
        /// Whether a root stands beside it, as where a row is clipped to a length.
        clipped: bool,
    },
    /// A draw that the measure of the claim has no rule for.
    Measure {
        /// The draw.
        draw: String,
        /// What to claim instead, or what to set.
        instead: &'static str,
    },
    /// The deviation of the textbook, which is for an epsilon up to 1.
    LargeEpsilon {
        /// The draw.
        draw: String,
        /// The epsilon.
        epsilon: String,
    },
    /// A loop that may not end, where the claim is in rho or mu.
    Endless {
        /// How long it goes on.
        guard: String,
    },
    /// A uniform draw of which more is made than the rules compare.
    Uniform {
        /// The draw.
        draw: String,
    },
    /// A draw that a loop makes again until it likes the answer.
    Redrawn {
        /// The draw.
        draw: String,
        /// How long it is made again.
        guard: String,
    },
    /// Noise, whose law is the same in both runs, that is drawn until it lies in a range, where mass may be given up.
    NoiseRedrawn {
        /// The draw.
        draw: String,
        /// How long it is made again.
        guard: String,
    },
    /// A called mechanism whose own claim is not proved.
    Called {
        /// Its name.
        name: String,
        /// Why its claim is not proved.
        why: Box<Failure>,
    },
    /// The deadline passed.
    OutOfTime,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.place, self.reason)?;
        // `{:#}` has everything.
        match f.alternate() {
            true => self.help.iter().try_for_each(|line| write!(f, "\n{line}")),
            false => Ok(()),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Rejected(rejection) => write!(f, "{rejection}"),
            Reason::NotShown { goal, path } => {
                write!(f, "not shown: {}", in_short(goal))?;
                on_path(f, path)
            }
            Reason::MayBeOutOfRange { draw, needed, goal, path } => {
                write!(f, "the draw '{draw}' may be out of its range: it needs {}", in_short(needed))?;
                if goal != needed {
                    write!(f, ", here {}", in_short(goal))?;
                }
                on_path(f, path)
            }
            Reason::PlanDoesNotFit(why) => write!(f, "the plan does not fit: {why}"),
            Reason::NoPlan { draws, loops } => {
                write!(f, "no plan was found; looked for ")?;
                if !draws.is_empty() {
                    write!(
                        f,
                        "values of {} in the second run that keep the output the same",
                        draws.join(", ")
                    )?;
                    write!(f, " at the claimed cost")?;
                }
                if !draws.is_empty() && !loops.is_empty() {
                    write!(f, ", and ")?;
                }
                if !loops.is_empty() {
                    write!(f, "what holds whenever the loop over {} comes round", loops.join(", "))?;
                }
                if draws.is_empty() && loops.is_empty() {
                    write!(f, "an output that is the same in both runs")?;
                }
                write!(f, "; a proof block may say it")
            }
            Reason::EvidenceMissing => write!(f, "evidence is missing"),
            Reason::Unbounded { sum, fields, clipped } => {
                let clamps: Vec<String> =
                    fields.iter().map(|field| format!("clamp(r.{field}, low, high)")).collect();
                let (named, clamps) = (fields.join(" and "), clamps.join(" and "));
                let word = if fields.len() == 1 { "field" } else { "fields" };
                write!(
                    f,
                    "no bound was found of how far one row can change {sum}, by its {word} {named}; {}",
                    match clipped {
                        false => format!("write {clamps} with public bounds"),
                        true => format!(
                            "a field that is divided by the length of its row, which a root computes, is bounded only together with the other \
                             fields under the root, which is recognised for gaussian noise in rho or mu where a row is added or removed; bounded by \
                             itself is {clamps} with public bounds, which clips each field and is another mechanism"
                        ),
                    }
                )
            }
            Reason::Measure { draw, instead } => {
                write!(f, "the claim's measure has no rule for the draw '{draw}'; {instead}")
            }
            Reason::LargeEpsilon { draw, epsilon } => write!(
                f,
                "not shown: {epsilon} <= 1, which the deviation of '{draw}' needs; write `where {epsilon} <= 1`, or for a \
                 larger epsilon give all parameters values, or claim rho + 2 * sqrt(rho * ln(1 / delta)), delta"
            ),
            Reason::Endless { guard } => write!(
                f,
                "rho and mu have no rule for a loop that may not end, as 'while {guard}': what a run leaves behind is in no cost; \
                 write a `for` with a public number of rounds, or claim epsilon"
            ),
            Reason::Uniform { draw } => write!(
                f,
                "no rule compares what is made of the draw '{draw}' in the two runs, except s * ln(u) with a sign s, which is \
                 Laplace noise, -ln(-ln(u)), which is Gumbel noise, the same number times a public factor, and a + b * u on every path of coins \
                 and comparisons, by its density, for which no evidence was found; draw the noise by the name of its law, if it has one"
            ),
            Reason::Redrawn { draw, guard } => write!(
                f,
                "'{draw}' is drawn again while {guard}: how likely that is depends on the input, so that what is kept costs twice what one draw costs, \
                 if the condition reads only what is drawn and public, and nothing counts the rounds; \
                 draw once and release clamp(answer, low, high) with public bounds, which costs no more than the draw"
            ),
            Reason::NoiseRedrawn { draw, guard } => write!(
                f,
                "'{draw}' is drawn again while {guard}: such noise has an end, beyond which it cannot be moved, and what lies there is not given up: \
                 a loop that draws again is proved for claims without a delta only; draw once and hold the noise by clamp(…) between the same bounds: its tails can be given up"
            ),
            Reason::Called { name, why } => {
                write!(f, "the claim of {name}, which is called here, is not proved: {why}")
            }
            Reason::OutOfTime => {
                write!(
                    f,
                    "the deadline passed during the search; allow more time, or give some parameters values"
                )
            }
            Reason::OutOfSteps => {
                write!(
                    f,
                    "the search used up its steps; more time gives it more, and a proof block, or values for some parameters, would shorten it"
                )
            }
        }
    }
}

/// The longest formula that is shown whole, and the most steps of a path.
const MOST_SHOWN: usize = 400;
const MOST_STEPS: usize = 6;

/// The beginning of a formula that nobody would read to its end.
fn in_short(formula: &str) -> String {
    let end = formula.char_indices().nth(MOST_SHOWN).map(|(place, _)| place);
    let Some(end) = end else { return formula.to_owned() };
    let shown = formula[..end].rsplit_once(' ').map_or(&formula[..end], |(whole, _)| whole);
    let left = formula[shown.len()..].chars().count();
    format!("{shown} … ({left} more characters)")
}

/// On which path a condition fails.
fn on_path(f: &mut fmt::Formatter<'_>, path: &[String]) -> fmt::Result {
    // Both runs often come to the same condition.
    let mut steps: Vec<&String> = Vec::new();
    path.iter().for_each(|step| steps.extend((!steps.contains(&step)).then_some(step)));
    steps.iter().take(MOST_STEPS).try_for_each(|step| write!(f, "\n  where {}", in_short(step)))?;
    match steps.len().saturating_sub(MOST_STEPS) {
        0 => Ok(()),
        more => write!(f, "\n  and {more} more conditions"),
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_conditions_are_cut_and_short_ones_are_not() {
        let short = "cost <= eps".to_owned();
        let long = vec!["exp(ε) <= 1"; 200].join(" and ");
        let shown = |goal: &String, steps: usize| {
            let path = (0..steps).map(|step| format!("{step} < eps")).collect();
            Failure::new("the start", Reason::NotShown { goal: goal.clone(), path }).to_string()
        };
        assert_eq!(shown(&short, 0), "at the start: not shown: cost <= eps");
        assert!(!shown(&short, MOST_STEPS).contains("more conditions"));
        let cut = shown(&long, MOST_STEPS + 3);
        assert!(cut.contains(" more characters)") && cut.ends_with("and 3 more conditions"), "{cut}");
        assert!(cut.chars().count() < 700, "{cut}");
        let twice = Reason::NotShown { goal: short, path: vec!["0 < eps".to_owned(); MOST_STEPS + 3] };
        assert!(
            Failure::new("the start", twice).to_string().ends_with("not shown: cost <= eps\n  where 0 < eps")
        );
    }
}
