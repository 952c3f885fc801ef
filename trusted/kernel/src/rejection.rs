//! Why the kernel says no.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Why a rule did not apply. Both sides of a mismatch are named, in the kernel's own words.
///
/// ```
/// use probity_kernel::rejection::Rejection;
/// let no = Rejection::NotAFormula { found: "x + 1".into() };
/// assert_eq!(no.to_string(), "'x + 1' is no formula");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The mechanism itself is malformed.
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// A formula was expected.
    NotAFormula {
        /// What was found.
        found: String,
    },
    /// A number was expected.
    NotANumber {
        /// What was found.
        found: String,
    },
    /// A list was expected.
    NotAList {
        /// What was found.
        found: String,
    },
    /// An expression puts two kinds of values together that do not mix.
    KindsDiffer {
        /// The expression.
        found: String,
    },
    /// An expression had to be made of parameters only.
    NotPublic {
        /// What it mentions.
        variable: String,
        /// The expression.
        found: String,
    },
    /// Two steps do not meet.
    MiddleDiffers {
        /// Where the first step ends.
        left: String,
        /// Where the second step begins.
        right: String,
    },
    /// A fact that a step needs is not known where it stands.
    NotKnown {
        /// The fact.
        fact: String,
    },
    /// Two judgements that must be about one program are not.
    ProgramDiffers {
        /// The one.
        left: String,
        /// The other.
        right: String,
    },
    /// Two judgements are about different mechanisms, or about different orientations of one.
    ContextDiffers,
    /// An assertion speaks of a value that a draw left arbitrary: nothing may be known of it.
    KnowsADraw {
        /// The arbitrary value.
        variable: String,
        /// Where it is mentioned.
        assertion: String,
    },
    /// A coupling that this law does not have.
    NoSuchCoupling {
        /// The law.
        law: String,
        /// The coupling.
        coupling: String,
    },
    /// A value had to be an integer.
    NotAnInteger {
        /// The value.
        found: String,
    },
    /// A statement had to be of another kind.
    WrongStatement {
        /// What the rule is for.
        rule: &'static str,
        /// What was found.
        found: String,
    },
    /// The bounds of a loop differ between the runs, or change in its body.
    LoopBoundNotShared {
        /// The bound.
        bound: String,
    },
    /// An assertion speaks of a variable that it may not mention.
    MayNotMention {
        /// The variable.
        variable: String,
        /// Where it is mentioned.
        assertion: String,
    },
    /// Evidence cites a fact that does not exist or is of the wrong form.
    NoSuchFact {
        /// Its number.
        number: usize,
        /// What was needed.
        needed: &'static str,
    },
    /// Evidence that does not close: the combination of facts is no contradiction.
    NotAContradiction {
        /// What the combination adds up to.
        sum: String,
    },
    /// Evidence with the wrong number of branches.
    WrongBranches {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A multiplier that must not be negative is.
    NegativeMultiplier {
        /// The multiplier.
        found: String,
    },
    /// A factor that is not known to be positive.
    NotPositive {
        /// The factor.
        found: String,
    },
    /// A final judgement does not say what the claim says.
    WrongGoal {
        /// What the judgement ends with.
        found: String,
        /// What the claim needs.
        needed: String,
    },
    /// A pointwise proof of outputs that are not countable.
    NotCountable {
        /// The output.
        output: String,
    },
    /// A claim in μ that rests on a draw which is not normal.
    NotGaussian {
        /// The axiom of the draw.
        axiom: &'static str,
    },
    /// A rule that the measure of the proof does not have.
    WrongMeasure {
        /// The rule.
        rule: &'static str,
    },
    /// A claim that the rule cannot make.
    ClaimNotCovered {
        /// Why.
        reason: &'static str,
    },
    /// A program equivalence that does not apply.
    NotEquivalent {
        /// The equivalence.
        law: &'static str,
        /// Why it does not apply.
        reason: String,
    },
    /// A formula or polynomial grew beyond what the kernel is willing to look at.
    TooLarge,
}

impl Display for Rejection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Malformed { reason } => write!(f, "the mechanism is malformed: {reason}"),
            Rejection::NotAFormula { found } => write!(f, "'{found}' is no formula"),
            Rejection::NotANumber { found } => write!(f, "'{found}' is no number"),
            Rejection::NotAList { found } => write!(f, "'{found}' is no list that can be read"),
            Rejection::KindsDiffer { found } => write!(f, "'{found}' mixes kinds of values"),
            Rejection::NotPublic { variable, found } => {
                write!(f, "'{found}' mentions {variable}, which is no parameter")
            }
            Rejection::MiddleDiffers { left, right } => {
                write!(f, "the first step ends with '{left}', the second begins with '{right}'")
            }
            Rejection::NotKnown { fact } => write!(f, "the step needs '{fact}', which is not known there"),
            Rejection::ProgramDiffers { left, right } => {
                write!(f, "one judgement is about '{left}', the other about '{right}'")
            }
            Rejection::ContextDiffers => {
                write!(f, "the judgements are about different mechanisms or orientations")
            }
            Rejection::KnowsADraw { variable, assertion } => {
                write!(f, "'{assertion}' assumes something of the draw {variable}, of which nothing is known")
            }
            Rejection::NoSuchCoupling { law, coupling } => {
                write!(f, "the law {law} has no coupling '{coupling}'")
            }
            Rejection::NotAnInteger { found } => write!(f, "'{found}' is not known to be an integer"),
            Rejection::WrongStatement { rule, found } => write!(f, "{rule} does not apply to '{found}'"),
            Rejection::LoopBoundNotShared { bound } => {
                write!(
                    f,
                    "the loop bound '{bound}' is set by the program, and equal values of it are not enough: a loop counts to what parameters, \
                     lengths of input lists and indices around it make; count to such a bound, and ask `if i < {bound} {{ … }}` inside"
                )
            }
            Rejection::MayNotMention { variable, assertion } => {
                write!(f, "'{assertion}' may not mention {variable}")
            }
            Rejection::NoSuchFact { number, needed } => write!(f, "fact {number} is not {needed}"),
            Rejection::NotAContradiction { sum } => {
                write!(f, "the cited facts add up to '{sum}', which is no contradiction")
            }
            Rejection::WrongBranches { expected, found } => {
                write!(f, "{found} branches where there must be {expected}")
            }
            Rejection::NegativeMultiplier { found } => {
                write!(f, "a multiplier must be positive, and {found} is not")
            }
            Rejection::NotPositive { found } => write!(f, "'{found}' is not known to be positive"),
            Rejection::WrongGoal { found, needed } => {
                write!(f, "the judgement ends with '{found}', the claim needs '{needed}'")
            }
            Rejection::NotCountable { output } => {
                write!(
                    f,
                    "the output '{output}' is not countable, so equality cannot be proved point by point"
                )
            }
            Rejection::NotGaussian { axiom } => {
                write!(f, "a claim in mu rests on normal noise only, and {axiom} was used; claim rho instead")
            }
            Rejection::WrongMeasure { rule } => {
                write!(
                    f,
                    "{rule} is no rule of the measure in which the claim is: rho and mu have equal values only"
                )
            }
            Rejection::ClaimNotCovered { reason } => write!(f, "{reason}"),
            Rejection::NotEquivalent { law, reason } => write!(f, "{law} does not apply: {reason}"),
            Rejection::TooLarge => write!(f, "a formula is larger than the kernel looks at"),
        }
    }
}

impl Error for Rejection {}
