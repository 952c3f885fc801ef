//! The flat program: what a run executes, one instruction after the other.
//!
//! Variables, inputs, constants and intermediate values are registers, of one kind each: numbers, truth values, lists.
//! Constants and inputs are put into their registers once, before the first run.

use probity_kernel::expr::{Binary, Name};

/// A register of numbers.
pub(crate) type N = u32;
/// A register of truth values.
pub(crate) type B = u32;
/// A register of lists.
pub(crate) type L = u32;
/// A place in the program.
pub(crate) type Target = u32;

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

impl Relation {
    /// The comparison that an operation is.
    pub(crate) fn of(operation: Binary) -> Option<Relation> {
        Some(match operation {
            Binary::Lt => Relation::Lt,
            Binary::Le => Relation::Le,
            Binary::Eq => Relation::Eq,
            Binary::Ne => Relation::Ne,
            Binary::Ge => Relation::Ge,
            Binary::Gt => Relation::Gt,
            _ => return None,
        })
    }

    /// Whether it holds of two numbers in this order.
    #[inline(always)]
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Relation::Lt => order.is_lt(),
            Relation::Le => order.is_le(),
            Relation::Eq => order.is_eq(),
            Relation::Ne => order.is_ne(),
            Relation::Ge => order.is_ge(),
            Relation::Gt => order.is_gt(),
        }
    }
}

/// An operation on one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum One {
    Neg,
    Abs,
    Floor,
    Ln,
    Exp,
    Pow2AtLeast,
    Sqrt,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Two {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
    RoundTo,
}

/// A law with the registers of its parameters; the place of its statement is for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    Uniform,
    Sign,
    UniformInt(N, N),
    UniformOther(N, N),
    Response(N, N, N),
    Choose(L, N),
    Laplace(N, N),
    DiscreteLaplace(N, N),
    Gaussian(N, N),
    DiscreteGaussian(N, N),
    Exponential(N),
    Geometric(N),
}

/// One step. The first register is the one that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    One(One, N, N),
    Two(Two, N, N, N),
    Move(N, N),
    MoveTruth(B, B),
    SetTruth(B, bool),
    Draw(N, Law),
    Coin(B, N),
    /// Stops: a law has no meaning with these parameters.
    OutOfRange,
    /// Stops unless the number is an integer.
    Whole(N),
    Clear(L),
    CopyList(L, L),
    Append(L, N),
    AppendTruth(L, B),
    /// list[index], or 0 outside of the list.
    Entry(N, L, N),
    /// list[index], or false outside of the list.
    EntryTruth(B, L, N),
    Length(N, L),
    Jump(Target),
    /// Jumps if the comparison comes out as given.
    JumpIf(Relation, N, N, bool, Target),
    /// Jumps if the truth value is as given.
    JumpTruth(B, bool, Target),
    /// Jumps if the truth values are equal, or different.
    JumpSame(B, B, bool, Target),
    /// Jumps if the lists are equal, or different.
    JumpSameList(L, L, bool, Target),
    /// Begins to count from a number up to another; jumps if there is nothing to count.
    Count {
        counter: u32,
        index: N,
        from: N,
        to: N,
        end: Target,
    },
    /// Counts on, and jumps back if there is more.
    Next {
        counter: u32,
        index: N,
        body: Target,
    },
    /// Notes what is on the tape, before rows are looked at.
    Begin(u32),
    /// Forgets what rows have put on the tape since then, but for a sum: after each row if it is much, and after the last one.
    Settle {
        note: u32,
        sum: Option<N>,
        last: bool,
    },
    Halt,
}

/// What an expression or a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Truth,
    Numbers,
    Truths,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Number(N),
    Truth(B),
    List(L, Kind),
}

impl Place {
    /// Whether there are numbers there.
    pub(crate) fn has_numbers(self) -> bool {
        matches!(self, Place::Number(_) | Place::List(_, Kind::Numbers | Kind::Number))
    }
}

/// A mechanism with values for its parameters, ready for inputs.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) steps: Vec<Instruction>,
    /// The statement that each step belongs to, for messages; shares the places of `statements`.
    pub(crate) origins: Vec<u32>,
    pub(crate) statements: Vec<String>,
    /// Where each input goes, in the order of the mechanism.
    pub(crate) inputs: Vec<(Name, Place)>,
    /// Where the check of each assumption begins, and where its truth value is then.
    pub(crate) assumptions: Vec<(Target, B, String)>,
    /// Where the mechanism begins.
    pub(crate) start: Target,
    pub(crate) output: Place,
    /// How many registers and counters there are.
    pub(crate) numbers: usize,
    pub(crate) truths: usize,
    pub(crate) lists: usize,
    pub(crate) counters: usize,
    /// How many notes of what is on the tape.
    pub(crate) notes: usize,
    /// Lists of coins.
    pub(crate) coins: Vec<L>,
}
