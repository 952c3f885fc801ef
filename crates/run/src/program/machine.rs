//! Executes the flat program.

use probity_kernel::expr::Name;

use super::code::{Code, Instruction, Kind, Law, One, Place, Target, Two};
use crate::lazy::decide::Stop;
use crate::lazy::source::Source;
use crate::lazy::tape::{Mark, Number, Tape};

/// A list during a run.
#[derive(Clone, Debug)]
pub(crate) enum List {
    Numbers(Vec<Number>),
    Truths(Vec<bool>),
}

impl List {
    fn empty(kind: Kind) -> List {
        match kind {
            Kind::Truths => List::Truths(Vec::new()),
            _ => List::Numbers(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            List::Numbers(items) => items.len(),
            List::Truths(items) => items.len(),
        }
    }

    fn clear(&mut self) {
        match self {
            List::Numbers(items) => items.clear(),
            List::Truths(items) => items.clear(),
        }
    }
}

/// A loop that is being counted: the present value and the one to stop before.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    at: i64,
    end: i64,
}

/// The most memory that one run may take for numbers, draws and lists, in bytes: what takes more than a machine has would end the whole process.
pub(crate) const MOST_BYTES: usize = 1 << 31;

/// What rows put on the tape before their sum is settled.
pub(crate) const MOST_ROW_BYTES: usize = 1 << 17;

/// What an entry of a list takes: the number itself, and what becomes of it in an answer that is written down.
pub(crate) const ENTRY_BYTES: usize = 64;

/// The registers, with the tape that they refer to.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) tape: Tape,
    pub(crate) numbers: Vec<Number>,
    pub(crate) truths: Vec<bool>,
    pub(crate) lists: Vec<List>,
    /// How many of the lists are inputs; these come first.
    given_lists: usize,
    /// How many entries all other lists have.
    entries: usize,
    /// Of lists, whether they are coins: one for each row of a table, which takes more than they do.
    is_coins: Vec<bool>,
    counters: Vec<Counter>,
    notes: Vec<Mark>,
    /// What is on the tape between runs: constants and inputs.
    mark: Mark,
    /// Draws since the beginning, of all runs.
    pub(crate) draws: u64,
    /// What the tape and the lists may take together: what constants and inputs take, and [`MOST_BYTES`] but for tests.
    most: usize,
}

impl Machine {
    /// A machine with constants in their registers, and nothing else.
    pub(crate) fn new(
        tape: Tape,
        constants: &[(u32, Number)],
        truths: &[(u32, bool)],
        code: &Code,
    ) -> Machine {
        let mut numbers = vec![Number::ZERO; code.numbers];
        for (register, value) in constants {
            numbers[*register as usize] = *value;
        }
        let mut all_truths = vec![false; code.truths];
        for (register, value) in truths {
            all_truths[*register as usize] = *value;
        }
        let (mark, most) = (tape.mark(), tape.bytes() + MOST_BYTES);
        Machine {
            tape,
            numbers,
            truths: all_truths,
            lists: vec![List::empty(Kind::Numbers); code.lists],
            given_lists: code.inputs.iter().filter(|(_, place)| matches!(place, Place::List(..))).count(),
            entries: 0,
            is_coins: (0..code.lists as u32).map(|list| code.coins.contains(&list)).collect(),
            counters: vec![Counter::default(); code.counters],
            notes: vec![mark; code.notes],
            mark,
            draws: 0,
            most,
        }
    }

    /// What was put on the tape so far stays there between runs.
    pub(crate) fn keep(&mut self) {
        self.allow(MOST_BYTES);
    }

    /// The same, and runs may take this many bytes.
    pub(crate) fn allow(&mut self, bytes: usize) {
        (self.mark, self.most) = (self.tape.mark(), self.tape.bytes() + bytes);
    }

    /// Forgets the last run.
    #[inline]
    pub(crate) fn rewind(&mut self) {
        self.tape.rewind(self.mark);
        if self.entries != 0 {
            // Each is set before it is read.
            self.lists[self.given_lists..].iter_mut().for_each(List::clear);
            self.entries = 0;
        }
    }

    /// Puts a list into its register: an input, or what was there before.
    pub(crate) fn put_list(&mut self, place: u32, list: List) {
        self.lists[place as usize] = list;
    }

    /// What the run has taken so far, in bytes: what is on the tape, constants and inputs among it, and the entries of its own lists.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        self.tape.bytes() + self.entries * ENTRY_BYTES
    }

    /// Executes from a place to the next halt. A failure comes with the step at which it happened.
    pub(crate) fn execute<S: Source>(
        &mut self,
        code: &Code,
        from: Target,
        source: &mut S,
    ) -> Result<(), (Stop, usize)> {
        let mut at = from as usize;
        loop {
            match self.step(code.steps[at], at, source) {
                Ok(Some(next)) => at = next,
                Ok(None) => return Ok(()),
                Err(stop) => return Err((stop, at)),
            }
        }
    }

    /// One instruction; the place of the next one, or `None` at the end.
    #[inline(always)]
    fn step<S: Source>(
        &mut self,
        instruction: Instruction,
        at: usize,
        source: &mut S,
    ) -> Result<Option<usize>, Stop> {
        let next = at + 1;
        match instruction {
            Instruction::Two(operation, to, a, b) => {
                let (a, b) = (self.numbers[a as usize], self.numbers[b as usize]);
                self.numbers[to as usize] = match operation {
                    Two::Add => self.tape.add(a, b),
                    Two::Sub => self.tape.sub(a, b),
                    Two::Mul => self.tape.mul(a, b),
                    Two::Div => self.tape.quotient(a, b, source)?,
                    Two::Mod => self.tape.modulo(a, b, source)?,
                    Two::Min => self.tape.min(a, b, source)?,
                    Two::Max => self.tape.max(a, b, source)?,
                    Two::RoundTo => self.tape.round_to(a, b, source)?,
                };
            }
            Instruction::One(operation, to, a) => {
                let a = self.numbers[a as usize];
                self.numbers[to as usize] = match operation {
                    One::Neg => self.tape.neg(a),
                    One::Abs => self.tape.abs(a, source)?,
                    One::Floor => self.tape.floor(a, source)?,
                    One::Ln => self.tape.logarithm(a, source)?,
                    One::Exp => self.tape.exp(a),
                    One::Sqrt => self.tape.root(a, source)?,
                    One::Pow2AtLeast => self.tape.pow2_at_least(a, source)?,
                };
            }
            Instruction::Draw(to, law) => self.numbers[to as usize] = self.draw(law, source)?,
            Instruction::Coin(to, p) => {
                self.draws += 1;
                let p = self.numbers[p as usize];
                self.truths[to as usize] = self.tape.bernoulli(p, source)?;
            }
            Instruction::OutOfRange => return Err(Stop::OutOfRange),
            Instruction::Whole(a) => {
                if !self.tape.is_integer(self.numbers[a as usize]) {
                    return Err(Stop::OutOfRange);
                }
            }
            Instruction::Move(to, a) => self.numbers[to as usize] = self.numbers[a as usize],
            Instruction::MoveTruth(to, a) => self.truths[to as usize] = self.truths[a as usize],
            Instruction::SetTruth(to, value) => self.truths[to as usize] = value,
            Instruction::Entry(to, list, index) => {
                let index = self.index(index);
                self.numbers[to as usize] = match (&self.lists[list as usize], index) {
                    (List::Numbers(items), Some(index)) => items.get(index).copied().unwrap_or(Number::ZERO),
                    _ => Number::ZERO,
                };
            }
            Instruction::EntryTruth(to, list, index) => {
                let index = self.index(index);
                self.truths[to as usize] = match (&self.lists[list as usize], index) {
                    (List::Truths(items), Some(index)) => items.get(index).copied().unwrap_or(false),
                    _ => false,
                };
            }
            Instruction::Length(to, list) => {
                let length = self.lists[list as usize].len();
                self.numbers[to as usize] = self.tape.integer(length.into());
            }
            Instruction::Append(list, a) => {
                let value = self.numbers[a as usize];
                self.entries += 1;
                self.check_room()?;
                match &mut self.lists[list as usize] {
                    List::Numbers(items) => items.push(value),
                    other => *other = List::Numbers(vec![value]),
                }
            }
            Instruction::AppendTruth(list, a) => {
                let value = self.truths[a as usize];
                self.entries += usize::from(!self.is_coins[list as usize]);
                self.check_room()?;
                match &mut self.lists[list as usize] {
                    List::Truths(items) => items.push(value),
                    other => *other = List::Truths(vec![value]),
                }
            }
            Instruction::Clear(list) => {
                if !self.is_coins[list as usize] {
                    self.entries -= self.lists[list as usize].len();
                }
                self.lists[list as usize].clear();
            }
            Instruction::CopyList(to, from) => {
                self.entries += self.lists[from as usize].len();
                self.check_room()?;
                self.entries -= self.lists[to as usize].len();
                self.lists[to as usize] = self.lists[from as usize].clone();
            }
            Instruction::Jump(target) => {
                self.check_room()?;
                return Ok(Some(target as usize));
            }
            Instruction::JumpIf(relation, a, b, wanted, target) => {
                let (a, b) = (self.numbers[a as usize], self.numbers[b as usize]);
                let order = self.tape.compare(a, b, source)?;
                if relation.holds(order) == wanted {
                    return Ok(Some(target as usize));
                }
            }
            Instruction::JumpTruth(a, wanted, target) => {
                if self.truths[a as usize] == wanted {
                    return Ok(Some(target as usize));
                }
            }
            Instruction::JumpSame(a, b, wanted, target) => {
                if (self.truths[a as usize] == self.truths[b as usize]) == wanted {
                    return Ok(Some(target as usize));
                }
            }
            Instruction::JumpSameList(a, b, wanted, target) => {
                if self.same_list(a as usize, b as usize, source)? == wanted {
                    return Ok(Some(target as usize));
                }
            }
            Instruction::Count { counter, index, from, to, end } => {
                let bound =
                    |place: u32| self.tape.small_integer(self.numbers[place as usize]).ok_or(Stop::TooLong);
                let (from, to) = (bound(from)?, bound(to)?);
                if from >= to {
                    return Ok(Some(end as usize));
                }
                self.counters[counter as usize] = Counter { at: from, end: to };
                self.numbers[index as usize] = self.whole(from);
            }
            Instruction::Next { counter, index, body } => {
                self.check_room()?;
                let Counter { at, end } = self.counters[counter as usize];
                if at + 1 < end {
                    self.counters[counter as usize].at = at + 1;
                    self.numbers[index as usize] = self.whole(at + 1);
                    return Ok(Some(body as usize));
                }
            }
            Instruction::Begin(note) => self.notes[note as usize] = self.tape.mark(),
            Instruction::Settle { note, sum: None, .. } => self.tape.forget(self.notes[note as usize]),
            Instruction::Settle { note, sum: Some(sum), last } => {
                let mark = self.notes[note as usize];
                if last || self.tape.bytes_since(mark) > MOST_ROW_BYTES {
                    self.numbers[sum as usize] = self.tape.settle(self.numbers[sum as usize], mark);
                }
            }
            Instruction::Halt => return Ok(None),
        }
        Ok(Some(next))
    }

    /// Loops and lists are what makes a run large.
    #[inline(always)]
    fn check_room(&self) -> Result<(), Stop> {
        if self.bytes() > self.most { Err(Stop::TooLong) } else { Ok(()) }
    }

    #[inline(always)]
    fn whole(&mut self, value: i64) -> Number {
        match i32::try_from(value) {
            Ok(small) => Number::point(f64::from(small)),
            Err(_) => self.tape.integer(value.into()),
        }
    }

    #[inline(always)]
    fn index(&self, register: u32) -> Option<usize> {
        usize::try_from(self.tape.small_integer(self.numbers[register as usize])?).ok()
    }

    #[inline(always)]
    fn draw<S: Source>(&mut self, law: Law, source: &mut S) -> Result<Number, Stop> {
        self.draws += 1;
        let (numbers, tape) = (&self.numbers, &mut self.tape);
        let at = |register: u32| numbers[register as usize];
        match law {
            Law::Laplace(center, scale) => tape.laplace(at(center), at(scale), source),
            Law::Exponential(scale) => tape.exponential(at(scale), source),
            Law::DiscreteLaplace(center, scale) => tape.discrete_laplace(at(center), at(scale), source),
            Law::Geometric(scale) => tape.geometric(at(scale), source),
            Law::Uniform => tape.uniform(source),
            Law::Sign => tape.random_sign(source),
            Law::Gaussian(center, deviation) => tape.gaussian(at(center), at(deviation), source),
            Law::DiscreteGaussian(center, deviation) => {
                tape.discrete_gaussian(at(center), at(deviation), source)
            }
            Law::UniformInt(low, high) => tape.uniform_int(at(low), at(high), source),
            Law::UniformOther(value, count) => tape.uniform_other(at(value), at(count), source),
            Law::Choose(list, scale) => match &self.lists[list as usize] {
                List::Numbers(scores) => tape.choose(scores, at(scale), source),
                List::Truths(_) => Err(Stop::OutOfRange),
            },
            Law::Response(value, truth, count) => tape.response(at(value), at(truth), at(count), source),
        }
    }

    fn same_list<S: Source>(&mut self, a: usize, b: usize, source: &mut S) -> Result<bool, Stop> {
        if self.lists[a].len() != self.lists[b].len() {
            return Ok(false);
        }
        match (self.lists[a].clone(), self.lists[b].clone()) {
            (List::Truths(x), List::Truths(y)) => Ok(x == y),
            (List::Numbers(x), List::Numbers(y)) => {
                for (x, y) in x.into_iter().zip(y) {
                    if self.tape.compare(x, y, source)?.is_ne() {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            // Lists of different kinds are equal only when both are empty.
            (x, _) => Ok(x.len() == 0),
        }
    }
}

/// Where a named input goes.
pub(crate) fn input_place(code: &Code, name: &Name) -> Option<Place> {
    code.inputs.iter().find(|(known, _)| known == name).map(|(_, place)| *place)
}
