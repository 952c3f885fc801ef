//! How large numbers can become, from the text and the limits of inputs alone. A text whose numbers might outgrow what a run computes with is
//! refused before anything is drawn, whatever the inputs: else a run would end or hang depending on them.
//!
//! A *size* bounds a number for all inputs, and for all draws but for a probability below 2^−300: its magnitude is below 2^whole, and unless
//! it is 0, above 2^−(fixed + parts). For a rational number these bound its denominator: `fixed` bits of it come from a fixed set of
//! numbers, those of the text, of single inputs, and powers of ten; `parts` from entries of lists and from divisors, of which there may be
//! as many as there are turns of a loop. So a sum of many terms has the fixed bits once, and the parts as often as there are terms.
//!
//! Noise is fresh: center + scale · noise lies within 2^−k of any number with probability at most 2^−k / scale, whatever the center is. So what
//! is below the point of a center does not count. With `whole + fixed + parts` bits and [`SPARE`] more, a comparison that has a normal form is
//! open with a probability below 2^−300, and [`MOST_BITS`] of `lazy::refine` has room for that.
//!
//! A size also bounds how many terms a normal form (`lazy::normal`) can have: sums may have any number, and products of two sums at most
//! [`MOST_TERMS`], beyond which no normal form is made, and a tie would never be told.

use std::collections::BTreeMap;

use probity_exact::{BitTest, Rational};
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::term::{Distribution, Sort, Statement};

use super::bounds::whole_bits;
use super::compile::constant_value;
use super::left::Left;
use crate::error::RunError;
use crate::input::{MOST_BITS as MOST_INPUT_BITS, MOST_PART_BITS};
use crate::lazy::normal::MOST_TERMS;
use crate::lazy::refine::MOST_BITS;
use crate::tableless::{FromTable, Hidden, Tableless};
use crate::written_sum::column;

/// Bits beyond those that a size says, for the draws that make a number close to another one by chance.
const SPARE: u64 = 1 << 13;

/// The most bits of a number that is refined. There is room for [`SPARE`] more in what a draw reveals; but the time grows with the bits that some
/// input takes, and who sees it may not learn much of one.
const MOST_REFINED: u64 = {
    let most = 1 << 15;
    assert!(most + SPARE <= MOST_BITS as u64);
    most
};

/// The most bits before the point of a rational number, and of numbers that no input and no draw changes.
const MOST_WHOLE: u64 = 1 << 20;

/// The most bits below the point of a rational number: those of a sum with as many terms as there may be, each of which has at most as many bits
/// of its own in its denominator as four inputs have: a product of two, or the terms of sums over four lists. With more, as by a divisor of 1200 bits
/// in each row, some thousands of rows would take minutes.
const MOST_PARTS: u64 = 4 * (MOST_PART_BITS as u64) * TERMS;

/// For what the parameters fix: e^(10^9) is a number that is refined, and e^e^50 is not.
const MOST_FIXED: u64 = 1 << 40;

/// More terms than a sum has.
const TERMS: u64 = 1 << 27;

/// Turns of a loop after which sizes must have settled, or the loop have ended.
const MOST_TURNS: u64 = 10_000;

/// Turns after which what grows in a loop without a known end is taken to grow on.
const SETTLED: u64 = 64;

/// Noise is below 2^8 scales, but for a probability below 2^−350.
const NOISE: u64 = 8;

/// Bits of the powers of 2 and 5 that all denominators of inputs divide: as many as one of them has, for either.
const DECIMAL: u64 = 2 * MOST_INPUT_BITS as u64;

/// What a field of a row holds: a decimal or binary number (`table::is_of_a_table`).
const FIELD: Size = Size {
    whole: MOST_INPUT_BITS as u64,
    fixed: DECIMAL,
    parts: 0,
    real: false,
    varies: true,
    above: 0,
    below: 0,
    tangled: false,
    left: Left::RATIONAL,
};

/// What a field of this sort holds.
fn of_field(sort: &Sort) -> Size {
    match sort {
        Sort::Real => FIELD,
        Sort::Bool | Sort::Category { .. } => Size::whole(64),
        _ => Size::whole(MOST_INPUT_BITS as u64),
    }
}

/// A bound for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Size {
    whole: u64,
    fixed: u64,
    parts: u64,
    /// Whether it is refined, and not a rational number.
    real: bool,
    /// Whether it varies with inputs or draws.
    varies: bool,
    /// How many terms its normal form has above and below the line; 0 stands for 1.
    above: u64,
    below: u64,
    /// Whether two sums of many terms are multiplied in it.
    tangled: bool,
    /// What may be left of it when draws cancel.
    left: Left,
}

/// How many terms a product of two sums has, and whether it is too large to be written out.
fn product(a: u64, b: u64) -> (u64, bool) {
    let (a, b) = (a.max(1), b.max(1));
    let all = a.saturating_mul(b);
    (all, a > 1 && b > 1 && all > MOST_TERMS as u64)
}

impl Size {
    fn whole(whole: u64) -> Size {
        Size { whole, varies: true, ..Size::default() }
    }

    fn of(value: &Rational) -> Size {
        let (above, below) = (value.numerator().bit_len() as u64, value.denominator().bit_len() as u64);
        // 2^(below − 1) ≤ the denominator.
        let whole = if below > 1 { above.saturating_sub(below - 1) } else { above };
        Size {
            whole,
            fixed: if below > 1 { below } else { 0 },
            left: Left::number(value.is_zero()),
            ..Size::default()
        }
    }

    /// The same for a variable of which this is assumed.
    fn within(self, variable: &Variable, assumptions: &[Expr]) -> Size {
        let whole = whole_bits(variable, assumptions).map_or(self.whole, |bits| bits.min(self.whole));
        Size { whole, ..self }
    }

    /// Bits below the point.
    fn small(self) -> u64 {
        self.fixed.saturating_add(self.parts)
    }

    fn join(self, other: Size) -> Size {
        Size {
            whole: self.whole.max(other.whole),
            fixed: self.fixed.max(other.fixed),
            parts: self.parts.max(other.parts),
            real: self.real || other.real,
            varies: self.varies || other.varies,
            above: self.above.max(other.above),
            below: self.below.max(other.below),
            tangled: self.tangled || other.tangled,
            left: self.left.join(other.left),
        }
    }

    /// With the terms of a sum of two.
    fn with_sum(self, a: Size, b: Size) -> Size {
        if !self.real {
            return self;
        }
        if a.below.max(b.below) <= 1 {
            return Size { above: a.above.max(1).saturating_add(b.above.max(1)), ..self };
        }
        let (left, right) = (product(a.above, b.below), product(b.above, a.below));
        let below = product(a.below, b.below);
        let tangled = self.tangled || left.1 || right.1 || below.1;
        Size { above: left.0.saturating_add(right.0), below: below.0, tangled, ..self }
    }

    /// With the terms of a product of two.
    fn with_product(self, a: (u64, u64), b: (u64, u64)) -> Size {
        if !self.real {
            return self;
        }
        let (above, below) = (product(a.0, b.0), product(a.1, b.1));
        Size { above: above.0, below: below.0, tangled: self.tangled || above.1 || below.1, ..self }
    }

    /// With as many terms as there may be, where they grew from `before`: a loop may go on.
    fn widened(self, before: Size) -> Size {
        let wide = |now: u64, before: u64| if now > before { u64::MAX } else { now };
        let left = self.left.widened(before.left);
        Size { above: wide(self.above, before.above), below: wide(self.below, before.below), left, ..self }
    }

    fn plus(self, other: Size) -> Size {
        // What is rational moves a number that is drawn, and does not bring it closer to others, while the draw is there.
        let left = self.left.plus(other.left);
        let (fixed, parts, left) = match (self.real && self.varies, other.real && other.varies) {
            (true, false) => (self.fixed, self.parts, left.beside(other.fixed, other.parts)),
            (false, true) => (other.fixed, other.parts, left.beside(self.fixed, self.parts)),
            _ => (self.fixed.saturating_add(other.fixed), self.parts.saturating_add(other.parts), left),
        };
        let joined = self.join(other);
        Size { whole: joined.whole.saturating_add(1), fixed, parts, left, ..joined }.with_sum(self, other)
    }

    fn times(self, other: Size) -> Size {
        Size {
            whole: self.whole.saturating_add(other.whole),
            fixed: self.fixed.saturating_add(other.fixed),
            parts: self.parts.saturating_add(other.parts),
            left: self.left.times(other.left),
            ..self.join(other)
        }
        .with_product((self.above, self.below), (other.above, other.below))
    }

    fn over(self, other: Size) -> Size {
        // What divides a rational number stands in its denominator with all its digits.
        let digits = if self.real || other.real { 0 } else { other.small() };
        let divisor = other.whole.saturating_add(digits);
        let of_many = if other.varies { divisor } else { 0 };
        let left = self.left.over(other.left);
        // They stand in the denominators of what was added to a draw.
        let left = if self.real || other.real { left.beside(other.fixed, other.parts) } else { left };
        Size {
            whole: self.whole.saturating_add(other.small()),
            fixed: self.fixed.saturating_add(divisor - of_many),
            parts: self.parts.saturating_add(of_many),
            left,
            ..self.join(other)
        }
        .with_product((self.above, self.below), (other.below, other.above))
    }

    /// An integer near it.
    fn floor(self) -> Size {
        Size { varies: self.varies, ..Size::whole(self.whole.saturating_add(1)) }
    }

    fn exp(self) -> Size {
        // e < 2^(3/2)
        let whole = if self.whole < 60 { (3 << self.whole) / 2 + 1 } else { u64::MAX };
        // How close it comes to others is for the digits of the exponent to say.
        let fixed = self.fixed.saturating_add(whole);
        Size { whole, fixed, real: true, above: 1, below: 1, left: self.left.exp(), ..self }
    }

    fn ln(self) -> Size {
        let whole = 65 - self.whole.max(self.small()).leading_zeros() as u64;
        // A number of n bits and the next one have logarithms that are 2^−n apart. ln(c·p) is ln c + ln p.
        let fixed = self.fixed.saturating_add(self.whole).saturating_add(2);
        Size { whole, fixed, real: true, above: 2, below: 1, left: self.left.ln(), ..self }
    }

    fn sqrt(self) -> Size {
        // √v − r is (v − r²) / (√v + r).
        let fixed = self.fixed.saturating_add(self.whole / 2 + 2);
        Size {
            whole: self.whole / 2 + 1,
            fixed,
            real: true,
            above: 1,
            below: 1,
            left: self.left.sqrt(),
            ..self
        }
    }

    /// The terms of a sum of any number of these: each may have a divisor of its own.
    fn repeated(self) -> Size {
        let many = |terms: u64| if terms > 1 { u64::MAX } else { terms };
        Size { above: self.above.max(1).saturating_mul(TERMS), below: many(self.below), ..self }
    }

    /// The draw of a name, with this scale around a center.
    fn noise(self, name: usize, center: Size) -> Size {
        let whole = center.whole.max(self.whole.saturating_add(NOISE)).saturating_add(1);
        let left = Left::scaled(name, self.left).around(center.left).beside(center.fixed, center.parts);
        Size { whole, real: true, varies: true, tangled: self.tangled || center.tangled, left, ..self }
            .with_sum(self, center)
    }

    /// Whether it may be decided on which side of another number it is, or what it rounds to.
    fn is_decided(self) -> bool {
        let all = self.whole.saturating_add(self.small());
        match (self.real, self.varies) {
            (true, true) => all <= MOST_REFINED && !self.tangled && self.is_decided_without_draws(),
            (true, false) => all <= MOST_FIXED,
            (false, _) => self.whole <= MOST_WHOLE && self.fixed <= MOST_WHOLE && self.has_few_parts(),
        }
    }

    /// Whether it may be decided also where draws cancel in it.
    fn is_decided_without_draws(self) -> bool {
        let beside = self.left.fixed.saturating_add(self.left.parts);
        let all = self.whole.saturating_add(self.small()).saturating_add(beside);
        !self.left.counts() || all <= MOST_REFINED
    }

    /// Whether it may be computed with. How close a drawn number comes to others counts where it is held against them.
    fn is_computed(self) -> bool {
        match self.real && self.varies {
            true => self.whole <= MOST_REFINED && self.fixed <= MOST_REFINED && self.has_few_parts(),
            false => self.is_decided(),
        }
    }

    /// Many parts come of sums, and never of a number that is squared again and again: that has more than the first bound before it has as many as
    /// a sum.
    fn has_few_parts(self) -> bool {
        self.parts <= MOST_WHOLE || (TERMS..=MOST_PARTS).contains(&self.parts)
    }
}

/// What a variable holds: what it was set to, and what was added to it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Held {
    set: Size,
    added: Option<Size>,
}

impl Held {
    fn set(set: Size) -> Held {
        Held { set, added: None }
    }

    fn size(self) -> Size {
        let Some(added) = self.added else { return self.set };
        let joined = self.set.join(added);
        let repeated = added.left.repeated();
        let left = self.set.left.plus(repeated).beside(0, added.left.parts.saturating_mul(TERMS));
        Size {
            // |set| + 2^64 · |added|, since nothing is added more often.
            whole: self.set.whole.max(added.whole.saturating_add(64)).saturating_add(1),
            fixed: self.set.fixed.saturating_add(added.fixed),
            parts: self.set.parts.saturating_add(added.parts.saturating_mul(TERMS)),
            left,
            ..joined
        }
        .with_sum(self.set, added.repeated())
    }

    fn join(self, other: Held) -> Held {
        let added = match (self.added, other.added) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (one, another) => one.or(another),
        };
        Held { set: self.set.join(other.set), added }
    }
}

type State = BTreeMap<Name, Held>;

/// Fails if a number of the text might become too large for some inputs.
pub(crate) fn check(Tableless { mechanism, about_rows, hidden, fields }: &Tableless) -> Result<(), RunError> {
    let mut state = State::new();
    let most = MOST_INPUT_BITS as u64;
    let mut columns = State::new();
    for (table, field) in
        fields.iter().flat_map(|(table, fields)| fields.iter().map(move |field| (table, field)))
    {
        let bounded =
            of_field(&field.sort).within(&Variable::Field(table.clone(), field.name.clone()), about_rows);
        columns.insert(column(table, &field.name), Held::set(bounded));
    }
    for Hidden { input, table, what } in hidden {
        let held = match what {
            FromTable::Size => Held::set(Size::whole(64)),
            FromTable::Column(field) => {
                columns.get(&column(table, field)).copied().unwrap_or(Held::set(FIELD))
            }
            FromTable::Sum { condition, value, index } => {
                let index = index.iter().map(|(index, ..)| (index.clone(), Held::set(Size::whole(64))));
                let own: State = index.chain(columns.clone()).collect();
                size(condition, &own)?;
                Held { set: Size::default(), added: Some(size(value, &own)?) }
            }
        };
        state.insert(input.name.clone(), held);
    }
    for input in &mechanism.inputs {
        if state.contains_key(&input.name) {
            continue;
        }
        let set = match input.sort {
            Sort::Int | Sort::IntList => Size::whole(most),
            Sort::Real => Size { fixed: most, ..Size::whole(most) },
            Sort::RealList => Size { fixed: DECIMAL, parts: MOST_PART_BITS as u64, ..Size::whole(most) },
            Sort::Category { .. } | Sort::Bool | Sort::Rows(_) => Size::whole(64),
        };
        state.insert(input.name.clone(), Held::set(set));
    }
    for assumption in &mechanism.assumptions {
        size(assumption, &state)?;
    }
    // They are decided by now, whatever the inputs are.
    for input in &mechanism.inputs {
        let variable = match input.sort {
            Sort::IntList | Sort::RealList => Variable::Entry(input.name.clone()),
            _ => Variable::Plain(input.name.clone()),
        };
        if let Some(held) = state.get_mut(&input.name) {
            held.set = held.set.within(&variable, &mechanism.assumptions);
        }
    }
    let draws = drawn_names(&mechanism.body);
    block(&mechanism.body, false, &draws, &mut state)?;
    let output = size(&mechanism.output, &state)?;
    decided(output, &mechanism.output).map(drop)
}

/// The names of draws, each once.
fn drawn_names(body: &[Statement]) -> Vec<Name> {
    let mut names = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { var, .. } => names.push(var.clone()),
            Statement::If { then, otherwise, .. } => {
                names.extend([then, otherwise].into_iter().flat_map(|body| drawn_names(body)))
            }
            Statement::For { body, .. } | Statement::While { body, .. } => names.extend(drawn_names(body)),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
    names.sort();
    names.dedup();
    names
}

fn block(body: &[Statement], in_loop: bool, draws: &[Name], state: &mut State) -> Result<(), RunError> {
    for statement in body {
        match statement {
            Statement::Draw { var, law } => {
                let name = draws.iter().position(|name| name == var).unwrap_or_default();
                let set = drawn(law, name, state)?;
                state.insert(var.clone(), Held::set(set));
            }
            Statement::Assign { var, value: Expr::EmptyList } => {
                state.insert(var.clone(), Held::default());
            }
            Statement::Assign { var, value } => {
                let size = size(value, state)?;
                // What is done once is what it is; in a loop, it may be done as often as there are turns.
                let added = if in_loop { added(value, var, state)? } else { None };
                let held = match (added, state.get(var)) {
                    (Some(added), Some(before)) => before.join(added),
                    _ => Held::set(size),
                };
                state.insert(var.clone(), held);
            }
            Statement::Append { list, value } => {
                let set = size(value, state)?;
                let before = state.get(list).copied().unwrap_or_default();
                state.insert(list.clone(), before.join(Held::set(set)));
            }
            Statement::If { guard, then, otherwise } => {
                size(guard, state)?;
                let mut other = state.clone();
                block(then, in_loop, draws, state)?;
                block(otherwise, in_loop, draws, &mut other)?;
                join(state, other);
            }
            Statement::For { index, from, to, body } => {
                let bounds = size(from, state)?.join(size(to, state)?);
                state.insert(index.clone(), Held::set(Size::whole(bounds.whole)));
                // A length is at least 0.
                let from = match from {
                    Expr::Length(_) => Some(Rational::ZERO),
                    _ => constant_value(from).0,
                };
                let to = constant_value(to).0;
                let turns = from.zip(to).and_then(|(from, to)| u64::try_from((to - from).floor()).ok());
                turned(statement, body, turns, draws, state)?;
            }
            Statement::While { guard, body, .. } => {
                size(guard, state)?;
                turned(statement, body, None, draws, state)?;
                size(guard, state)?;
            }
        }
    }
    Ok(())
}

fn join(state: &mut State, other: State) {
    // What is set on one way alone is 0 on the other.
    let unset = |held: Held| Held { set: Size { left: held.set.left.or_zero(), ..held.set }, ..held };
    for (name, held) in state.iter_mut().filter(|(name, _)| !other.contains_key(*name)) {
        let _ = name;
        *held = unset(*held);
    }
    for (name, held) in other {
        let joined = state.get(&name).map_or(unset(held), |known| known.join(held));
        state.insert(name, joined);
    }
}

/// A loop of so many turns: sizes after any number of them.
fn turned(
    statement: &Statement,
    body: &[Statement],
    turns: Option<u64>,
    draws: &[Name],
    state: &mut State,
) -> Result<(), RunError> {
    for turn in 0..MOST_TURNS {
        if turns.is_some_and(|turns| turn >= turns) {
            return Ok(());
        }
        let before = state.clone();
        let mut after = before.clone();
        block(body, true, draws, &mut after)?;
        join(state, after);
        // How many terms there are need not settle.
        if turn >= SETTLED && turns.is_none_or(|turns| turns > MOST_TURNS) {
            for (name, held) in state.iter_mut() {
                let known = before.get(name).copied().unwrap_or_default();
                held.set = held.set.widened(known.set);
                held.added = held.added.map(|added| added.widened(known.added.unwrap_or_default()));
            }
        }
        if *state == before {
            return Ok(());
        }
    }
    let text = statement.to_string();
    Err(RunError::TooLarge { expression: text.lines().next().unwrap_or_default().to_owned() })
}

/// What an assignment to a variable adds to it, if it does not more than that: `count + 1`, `if b then s - x else s`, `max(s, 0)`.
fn added(value: &Expr, var: &Name, state: &State) -> Result<Option<Held>, RunError> {
    let own = Variable::Plain(var.clone());
    if *value == Expr::Var(own.clone()) {
        return Ok(Some(Held::default()));
    }
    if !value.mentions(&own) {
        return Ok(Some(Held::set(size(value, state)?)));
    }
    let both = |a: &Expr, b: &Expr| -> Result<Option<Held>, RunError> {
        Ok(added(a, var, state)?.zip(added(b, var, state)?).map(|(a, b)| a.join(b)))
    };
    match value {
        Expr::Binary(Binary::Add | Binary::Sub, a, b) => {
            let (to, term) = match (a.mentions(&own), b.mentions(&own), value) {
                (true, false, _) => (a, b),
                (false, true, Expr::Binary(Binary::Add, ..)) => (b, a),
                _ => return Ok(None),
            };
            let term = size(term, state)?;
            Ok(added(to, var, state)?.map(|to| Held {
                set: to.set.plus(term),
                added: Some(to.added.map_or(term, |before| before.plus(term))),
            }))
        }
        Expr::Binary(Binary::Min | Binary::Max, a, b) => both(a, b),
        Expr::If(_, yes, no) => both(yes, no),
        _ => Ok(None),
    }
}

/// The size of what is drawn; the name is said by its place.
fn drawn(law: &Distribution, name: usize, state: &State) -> Result<Size, RunError> {
    let of = |e: &Expr| decided(size(e, state)?, e);
    let noise = |center: Size, scale: &Expr| -> Result<Size, RunError> {
        let drawn = of(scale)?.noise(name, center);
        computed(drawn, scale)
    };
    Ok(match law {
        Distribution::Called(_)
        | Distribution::PermuteAndFlip { .. }
        | Distribution::Sample { .. }
        | Distribution::Gumbel { .. } => {
            return Err(RunError::malformed("a law that is not written out"));
        }
        Distribution::Uniform => Size { real: true, left: Left::draw(name), ..Size::whole(0) },
        Distribution::Sign => Size::whole(1),
        Distribution::Bernoulli(p) => {
            of(p)?;
            Size::whole(1)
        }
        Distribution::UniformInt { low, high } => Size::whole(of(low)?.plus(of(high)?).whole),
        Distribution::UniformOther { value, count } => Size::whole(of(value)?.join(of(count)?).whole),
        Distribution::Response { value, truth, count } => {
            of(truth)?;
            Size::whole(of(value)?.join(of(count)?).whole)
        }
        Distribution::Choose { scores, scale } => {
            // Differences of scores are refined until they are known within a few scales; how small they are does not matter.
            let ratio = size(scores, state)?.over(of(scale)?);
            computed(Size { real: true, ..Size::whole(ratio.whole.saturating_add(2)) }, scores)?;
            Size::whole(64)
        }
        // How close a center comes to other numbers does not matter for what is drawn around it.
        Distribution::Laplace { center, scale } | Distribution::Gaussian { center, deviation: scale } => {
            noise(size(center, state)?, scale)?
        }
        Distribution::Exponential { scale } => noise(Size::default(), scale)?,
        Distribution::DiscreteLaplace { center, scale }
        | Distribution::DiscreteGaussian { center, deviation: scale } => noise(of(center)?, scale)?.floor(),
        Distribution::Geometric { scale } => noise(Size::default(), scale)?.floor(),
    })
}

fn or_too_large(holds: bool, size: Size, expr: &Expr) -> Result<Size, RunError> {
    match holds {
        true => Ok(size),
        false => Err(RunError::TooLarge { expression: expr.to_string() }),
    }
}

fn computed(size: Size, expr: &Expr) -> Result<Size, RunError> {
    or_too_large(size.is_computed(), size, expr)
}

fn decided(size: Size, expr: &Expr) -> Result<Size, RunError> {
    or_too_large(size.is_decided(), size, expr)
}

/// The size of an expression; that of a truth value says nothing. Everything that is computed on the way is looked at.
fn size(expr: &Expr, state: &State) -> Result<Size, RunError> {
    let of = |e: &Expr| size(e, state);
    let held = |variable: &Variable| match variable {
        Variable::Plain(name) => state.get(name).copied().unwrap_or_default().size(),
        Variable::Field(table, name) => state.get(&column(table, name)).map_or(FIELD, |held| held.size()),
        _ => FIELD,
    };
    let found = match expr {
        Expr::Number(value) => Size::of(value),
        Expr::Bool(_) | Expr::EmptyList => Size::default(),
        Expr::Var(variable) => held(variable),
        Expr::Length(_) | Expr::Sum(..) | Expr::Apart(..) => Size::whole(64),
        Expr::Index(list, index) => {
            of(index)?;
            held(list)
        }
        Expr::Unary(operation, a) => {
            let a = of(a)?;
            if !matches!(operation, Unary::Neg | Unary::Exp | Unary::Not) {
                decided(a, expr)?;
            }
            match operation {
                Unary::Neg | Unary::Abs | Unary::Not => a,
                Unary::Floor => a.floor(),
                Unary::Pow2AtLeast => {
                    Size { whole: a.whole.saturating_add(1), real: false, left: Left::RATIONAL, ..a }
                }
                Unary::Ln => a.ln(),
                Unary::Exp => a.exp(),
                Unary::Sqrt => a.sqrt(),
            }
        }
        Expr::Binary(operation, a, b) => {
            let (left, right) = (of(a)?, of(b)?);
            match operation {
                Binary::Add | Binary::Sub => left.plus(right),
                Binary::Mul => left.times(right),
                Binary::Div => {
                    decided(right, expr)?;
                    left.over(right)
                }
                Binary::Min | Binary::Max => {
                    decided(left.plus(right), expr)?;
                    left.join(right)
                }
                Binary::RoundTo => {
                    decided(left.over(right), expr)?;
                    // The nearest multiple is at most half a grid away, and unless it is 0, it is at least the grid.
                    Size {
                        whole: left.whole.max(right.whole).saturating_add(1),
                        varies: left.varies || right.varies,
                        left: right.left.times(Left::RATIONAL),
                        ..right
                    }
                }
                Binary::Mod => {
                    decided(right, expr)?;
                    decided(left.over(right), expr)?;
                    let multiple = left.over(right).floor();
                    let rest = left.plus(multiple.times(right));
                    Size { whole: right.whole, left: rest.left.or_zero(), ..rest }
                }
                Binary::And | Binary::Or => Size { varies: true, ..Size::default() },
                _ => {
                    decided(left.plus(right), expr)?;
                    Size { varies: true, ..Size::default() }
                }
            }
        }
        Expr::Clamp(value, low, high) => {
            let (value, low, high) = (of(value)?, of(low)?, of(high)?);
            let bounds = low.join(high);
            decided(value.plus(bounds), expr)?;
            Size { whole: bounds.whole, ..value.join(bounds) }
        }
        Expr::If(condition, yes, no) => {
            of(condition)?;
            of(yes)?.join(of(no)?)
        }
    };
    computed(found, expr)
}
