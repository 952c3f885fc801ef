//! DENSITY: the law of a block of coins and uniform draws, path by path.
//!
//! On each path the value is ±k·u + e of one uniform draw u, so that it has a density that is constant on an interval; or it
//! mentions no such draw on any path, and has masses. What else is asked of uniform draws are comparisons, each of one
//! draw with a number: on a path a draw lies between bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::outcomes::{united, without};
use super::quotients::{Needed, Quotient, Weight, product};
use super::{Compared, decided};
use crate::context::Context;
use crate::expr::{Binary, Expr, Name, Run, Unary, Variable};
use crate::fact::find_choice;
use crate::kind::Kind;
use crate::poly::Poly;
use crate::rejection::Rejection;
use crate::rules::{check_size, wrong};
use crate::term::{Distribution, Statement};

/// The most statements and questions that are looked at for one law.
const MAX_STEPS: usize = 500;
/// The most paths of one law.
const MAX_PATHS: usize = 12;

/// Whether a block makes a uniform draw.
pub fn draws_uniform(block: &[Statement]) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Draw { law, .. } => *law == Distribution::Uniform,
        Statement::If { then, otherwise, .. } => draws_uniform(then) || draws_uniform(otherwise),
        _ => false,
    })
}

/// The density of the one run is at most a/b times that of the other, at `value`, or the mass: ends of intervals are counted in
/// the second run only, which changes a density at finitely many values.
pub(super) fn compared(
    context: &Context,
    block: &[Statement],
    var: &Name,
    value: &Expr,
    (a, b): (&Expr, &Expr),
) -> Result<Compared, Rejection> {
    let first = pieces(context, block, var, value, Run::First)?;
    let second = pieces(context, block, var, value, Run::Second)?;
    let all = || first.iter().chain(&second);
    let is_spread = |piece: &Piece| matches!(piece.place, Place::Between(..));
    // A mass and a density are no numbers to add up or to compare.
    let some = all().find(|piece| is_spread(piece));
    let Some(one) = some.or_else(|| all().next()).filter(|_| some.is_none() || all().all(is_spread)) else {
        let reason = format!("{var} is spread on some paths, and not on others");
        return Err(Rejection::Malformed { reason });
    };
    let over = all().fold(Vec::new(), |over, piece| united(&over, &piece.weight.over));
    // What is a factor of everything is left out, if it is a divisor as well: then it is likely to be positive.
    let divides: BTreeSet<&Poly> =
        all().flat_map(|piece| piece.weight.over.iter().chain(&piece.needed)).collect();
    let mut shared: Vec<Poly> = one.weight.factors(&over);
    shared.retain(|factor| divides.contains(factor));
    for piece in all() {
        let missing = without(&shared, &piece.weight.factors(&over));
        shared = without(&shared, &missing);
    }
    // Factors of denominators of all paths, and what is left out, are positive whether a path is taken or not.
    let positive: BTreeSet<&Poly> = over.iter().chain(&shared).collect();
    let positive = Expr::all(positive.into_iter().map(|factor| Expr::int(0).lt(factor.to_expr())));
    let total = |pieces: &[Piece], strictly: bool| -> Result<Expr, Rejection> {
        let mut sum: Option<Expr> = None;
        for piece in pieces {
            let share = product(&without(&piece.weight.factors(&over), &shared))?.scaled(&piece.weight.scale);
            let here = piece.covers(value, strictly)?.choose(share.to_expr(), Expr::int(0));
            sum = Some(match sum {
                Some(so_far) => so_far + here,
                None => here,
            });
        }
        Ok(sum.unwrap_or(Expr::int(0)))
    };
    // At the ends of intervals the first density is taken low and the second high.
    let (here, there) = (total(&first, true)?, total(&second, false)?);
    let within = super::times(here, b.clone()).le(super::times(a.clone(), there));
    let sane = |pieces: &[Piece]| Expr::all(pieces.iter().map(Piece::sane));
    let possible = Expr::Bool(true);
    Ok(Compared { sane: [positive.and(sane(&first)), sane(&second)], within, possible })
}

/// What a path adds to the law.
struct Piece {
    /// What the state before the block must be for the path to be taken.
    holds: Vec<Expr>,
    place: Place,
    weight: Weight,
    needed: Needed,
    /// What else makes the weight right.
    sane: BTreeSet<Expr>,
}

/// Where on the line the path puts its mass.
enum Place {
    /// Evenly, above all of the one and below all of the other.
    Between(Vec<Quotient>, Vec<Quotient>),
    /// Where a formula holds of the value.
    At(Expr),
}

impl Piece {
    fn sane(&self) -> Expr {
        let needed = self.needed.iter().map(|factor| Expr::int(0).lt(factor.to_expr()));
        let sane = Expr::all(needed.chain(self.sane.iter().cloned()));
        match self.holds.is_empty() {
            true => sane,
            false => Expr::all(self.holds.iter().cloned()).implies(sane),
        }
    }

    /// Whether a value is one of this path; where mass is spread, with the ends or without.
    fn covers(&self, value: &Expr, strictly: bool) -> Result<Expr, Rejection> {
        let mut all = self.holds.clone();
        match &self.place {
            Place::At(there) => all.push(there.clone()),
            Place::Between(low, high) => {
                for bound in low {
                    all.push(bound.below(value, strictly)?);
                }
                for bound in high {
                    all.push(bound.above(value, strictly)?);
                }
            }
        }
        Ok(Expr::all(all))
    }
}

/// What a uniform draw was found to be above, or below.
#[derive(Clone)]
struct Bound {
    draw: Variable,
    above: bool,
    /// Of slope·draw + start, which is 0 at the bound.
    slope: Quotient,
    start: Quotient,
}

#[derive(Clone)]
struct Path {
    known: BTreeMap<Name, Expr>,
    /// The questions about the state before the block that were answered.
    asked: Vec<(Expr, bool)>,
    bounds: Vec<Bound>,
    weight: Weight,
    needed: Needed,
    sane: BTreeSet<Expr>,
}

/// Answers to comparisons and flags.
type Answers = Vec<(Expr, bool)>;
/// Whether a formula holds, with the answers of which that follows, in each way in which they come out.
type Ways = Result<Vec<(bool, Answers)>, Rejection>;

struct Walk<'a> {
    context: &'a Context,
    var: &'a Name,
    value: &'a Expr,
    run: Run,
    /// What stands for the uniform draws.
    uniform: Vec<Variable>,
    pieces: Vec<Piece>,
    left: usize,
}

fn pieces(
    context: &Context,
    block: &[Statement],
    var: &Name,
    value: &Expr,
    run: Run,
) -> Result<Vec<Piece>, Rejection> {
    let mut walk =
        Walk { context, var, value, run, uniform: Vec::new(), pieces: Vec::new(), left: MAX_STEPS };
    let body: Vec<&Statement> = block.iter().collect();
    let start = Path {
        known: BTreeMap::new(),
        asked: Vec::new(),
        bounds: Vec::new(),
        weight: Weight::one(),
        needed: Needed::new(),
        sane: BTreeSet::new(),
    };
    walk.block(&body, &start)?;
    Ok(walk.pieces)
}

impl Walk<'_> {
    fn block(&mut self, body: &[&Statement], path: &Path) -> Result<(), Rejection> {
        self.step()?;
        let Some((statement, rest)) = body.split_first() else { return self.end(path) };
        match statement {
            Statement::Draw { var, law: Distribution::Uniform } => {
                let stands = Variable::Arbitrary(var.clone(), u32::MAX - self.uniform.len() as u32);
                self.uniform.push(stands.clone());
                self.block(rest, &path.with(var, Expr::Var(stands)))
            }
            Statement::Draw { var, law: Distribution::Bernoulli(p) } => {
                let p = self.read(p, path)?;
                for (p, path) in self.settled(&p, path)? {
                    self.check_plain(&p)?;
                    let mut path = path;
                    let yes = Quotient::of(self.context, &p, &mut path.needed)?;
                    let no = Quotient::number(1).plus(&yes.negative())?;
                    // That p is a probability, without quotients.
                    path.needed.extend(yes.over.iter().cloned());
                    path.sane.extend([&yes, &no].map(|mass| Expr::int(0).le(mass.top.to_expr())));
                    for (holds, mass) in [(true, yes), (false, no)] {
                        let weight = path.weight.times(&mass)?;
                        // What has no mass is not followed.
                        if !weight.is_zero() {
                            self.block(rest, &Path { weight, ..path.with(var, Expr::Bool(holds)) })?;
                        }
                    }
                }
                Ok(())
            }
            Statement::Assign { var, value } if self.context.kind(value) != Kind::List => {
                let value = self.read(value, path)?;
                self.block(rest, &path.with(var, value))
            }
            Statement::If { guard, then, otherwise } => {
                let guard = self.read(guard, path)?;
                for (holds, answers) in self.ways(&guard)? {
                    let Some(path) = self.answered(path, &answers)? else { continue };
                    let branch = if holds { then } else { otherwise };
                    let body: Vec<&Statement> = branch.iter().chain(rest.iter().copied()).collect();
                    self.block(&body, &path)?;
                }
                Ok(())
            }
            other => Err(wrong("DENSITY", other)),
        }
    }

    /// The path is over: what y was set to is spread, or it is one value.
    fn end(&mut self, path: &Path) -> Result<(), Rejection> {
        let Some(end) = path.known.get(self.var).cloned() else {
            let reason = format!("a path through the block does not set {}", self.var);
            return Err(Rejection::Malformed { reason });
        };
        if self.context.kind(&Expr::of(self.var.clone(), self.run)) == Kind::Bool {
            for (holds, answers) in self.ways(&end)? {
                if let Some(path) = self.answered(path, &answers)? {
                    let there = if holds { self.value.clone() } else { !self.value.clone() };
                    self.close(&path, None, Place::At(there), path.weight.clone())?;
                }
            }
            return Ok(());
        }
        for (end, mut path) in self.settled(&end, path)? {
            let Some(draw) = self.drawn(&end)? else {
                let there = end.equals(self.value.clone());
                self.close(&path, None, Place::At(there), path.weight.clone())?;
                continue;
            };
            let (slope, start) = self.line(&end, &draw, &mut path.needed)?;
            let (sign, size) = slope.facing(self.context);
            let (weight, within) = path.weight.spread(&size)?;
            let zero = Expr::int(0);
            let size_of = size.top.to_expr();
            path.sane.insert(if within { zero.le(size_of) } else { zero.lt(size_of) });
            let grows = sign > probity_exact::Rational::ZERO;
            let (mut low, mut high) = (Vec::new(), Vec::new());
            let mut places = vec![(true, start.clone()), (false, slope.plus(&start)?)];
            for bound in path.bounds.iter().filter(|bound| bound.draw == draw) {
                let stretch = slope.divided(self.context, &bound.slope, &mut path.needed)?;
                places.push((bound.above, start.plus(&stretch.times(&bound.start)?.negative())?));
            }
            for (above, place) in places {
                path.needed.extend(place.over.iter().cloned());
                if above == grows { low.push(place) } else { high.push(place) }
            }
            self.close(&path, Some(&draw), Place::Between(low, high), weight)?;
        }
        Ok(())
    }

    /// Puts a piece to the others. Of every draw but the one that is spread, the probability counts that it lies
    /// between its bounds, of which each must lie between those before it.
    fn close(
        &mut self,
        path: &Path,
        spread: Option<&Variable>,
        place: Place,
        mut weight: Weight,
    ) -> Result<(), Rejection> {
        if self.pieces.len() >= MAX_PATHS {
            return Err(Rejection::TooLarge);
        }
        let mut needed = path.needed.clone();
        let mut sane = path.sane.clone();
        for draw in self.uniform.iter().filter(|draw| spread != Some(draw)) {
            let (mut low, mut high) = (Quotient::number(0), Quotient::number(1));
            let mut asked = false;
            for bound in path.bounds.iter().filter(|bound| bound.draw == *draw) {
                let at = bound.start.negative().divided(self.context, &bound.slope, &mut needed)?;
                for (less, more) in [(&low, &at), (&at, &high)] {
                    let between = more.plus(&less.negative())?;
                    needed.extend(between.over.iter().cloned());
                    sane.insert(Expr::int(0).le(between.top.to_expr()));
                }
                asked = true;
                if bound.above { low = at } else { high = at }
            }
            if asked {
                weight = weight.times(&high.plus(&low.negative())?)?;
            }
        }
        if weight.is_zero() {
            return Ok(());
        }
        let write = |(question, holds): &(Expr, bool)| match holds {
            true => question.clone(),
            false => !question.clone(),
        };
        let holds = path.asked.iter().map(write).collect();
        self.pieces.push(Piece { holds, place, weight, needed, sane });
        Ok(())
    }

    /// A number without choices, once for every way in which they are made.
    fn settled(&mut self, e: &Expr, path: &Path) -> Result<Vec<(Expr, Path)>, Rejection> {
        let Some(choice) = find_choice(e) else { return Ok(vec![(e.clone(), path.clone())]) };
        let mut found = Vec::new();
        for (holds, answers) in self.ways(&choice.condition)? {
            if let Some(path) = self.answered(path, &answers)? {
                found.extend(self.settled(&choice.made(e, holds), &path)?);
            }
        }
        Ok(found)
    }

    /// The ways in which a formula comes out true or false; one of them is that of a run, almost surely.
    fn ways(&mut self, formula: &Expr) -> Ways {
        self.step()?;
        let denied =
            |ways: Vec<(bool, Answers)>| ways.into_iter().map(|(holds, way)| (!holds, way)).collect();
        match formula {
            Expr::Bool(truth) => Ok(vec![(*truth, Vec::new())]),
            Expr::Unary(Unary::Not, a) => Ok(denied(self.ways(a)?)),
            Expr::Binary(Binary::Ge, a, b) => Ok(denied(self.ways(&(**a).clone().lt((**b).clone()))?)),
            Expr::Binary(Binary::Gt, a, b) => Ok(denied(self.ways(&(**a).clone().le((**b).clone()))?)),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                // The first part decides an `and` where it is false, and an `or` where it is true.
                let decides = *op == Binary::Or;
                self.then(a, &mut |walk, holds| match holds == decides {
                    true => Ok(vec![(holds, Vec::new())]),
                    false => walk.ways(b),
                })
            }
            Expr::If(condition, yes, no) => {
                self.then(condition, &mut |walk, holds| walk.ways(if holds { yes } else { no }))
            }
            Expr::Binary(Binary::Lt | Binary::Le, ..) if find_choice(formula).is_some() => {
                let Some(choice) = find_choice(formula) else { return Err(Rejection::TooLarge) };
                self.then(&choice.condition, &mut |walk, holds| walk.ways(&choice.made(formula, holds)))
            }
            question => Ok([true, false].map(|holds| (holds, vec![(question.clone(), holds)])).to_vec()),
        }
    }

    /// The ways of one formula, and after each those of what follows.
    fn then(&mut self, formula: &Expr, next: &mut dyn FnMut(&mut Self, bool) -> Ways) -> Ways {
        let mut found = Vec::new();
        for (holds, way) in self.ways(formula)? {
            for (holds, more) in next(self, holds)? {
                found.push((holds, [way.as_slice(), &more].concat()));
            }
        }
        Ok(found)
    }

    /// The path after some answers, unless they contradict earlier ones.
    fn answered(&mut self, path: &Path, answers: &Answers) -> Result<Option<Path>, Rejection> {
        let mut path = path.clone();
        for (question, holds) in answers {
            match path.asked.iter().find(|(known, _)| known == question) {
                Some((_, known)) if known == holds => continue,
                Some(_) => return Ok(None),
                None => {}
            }
            match self.drawn(question)? {
                None => path.asked.push((question.clone(), *holds)),
                Some(draw) => {
                    let bound = self.bound(question, *holds, draw, &mut path)?;
                    path.bounds.push(bound);
                }
            }
        }
        Ok(Some(path))
    }

    /// What the answer to a comparison says of a uniform draw. An end has no mass, so that strict is as good as not.
    fn bound(
        &self,
        question: &Expr,
        holds: bool,
        draw: Variable,
        path: &mut Path,
    ) -> Result<Bound, Rejection> {
        let Expr::Binary(Binary::Lt | Binary::Le, a, b) = question else {
            return Err(self.mentions(question, &draw));
        };
        // Of 0 < slope·draw + start.
        let (slope, start) = self.line(&((**b).clone() - (**a).clone()), &draw, &mut path.needed)?;
        let (sign, size) = slope.facing(self.context);
        path.sane.insert(Expr::int(0).lt(size.top.to_expr()));
        Ok(Bound { draw, above: (sign > probity_exact::Rational::ZERO) == holds, slope, start })
    }

    /// A number as slope·draw + start.
    fn line(
        &self,
        e: &Expr,
        draw: &Variable,
        needed: &mut Needed,
    ) -> Result<(Quotient, Quotient), Rejection> {
        let whole = Quotient::of(self.context, e, needed)?;
        needed.extend(whole.over.iter().cloned());
        let (mut slope, mut start) = (Poly::zero(), Poly::zero());
        let alone = &Expr::Var(draw.clone());
        let without_draw = Poly::atom(alone.clone()).as_term().map(|(m, _)| m.inverse()).unwrap_or_default();
        let free = |atom: &Expr| self.uniform.iter().all(|other| !atom.mentions(other));
        for (monomial, coefficient) in whole.top.terms() {
            match monomial.powers().filter(|(atom, _)| !free(atom)).collect::<Vec<_>>()[..] {
                [] => start.add(&Poly::term(monomial.clone(), coefficient.clone())),
                [(atom, 1)] if atom == alone => {
                    slope.add(&Poly::term(monomial.times(&without_draw), coefficient.clone()))
                }
                _ => return Err(self.mentions(e, draw)),
            }
        }
        if whole.over.iter().any(|factor| !free(&factor.to_expr())) || slope == Poly::zero() {
            return Err(self.mentions(e, draw));
        }
        Ok((Quotient { top: slope, over: whole.over.clone() }, Quotient { top: start, over: whole.over }))
    }

    /// The one uniform draw that an expression mentions.
    fn drawn(&self, e: &Expr) -> Result<Option<Variable>, Rejection> {
        let mut found = self.uniform.iter().filter(|draw| e.mentions(draw));
        match (found.next(), found.next()) {
            (Some(_), Some(other)) => Err(self.mentions(e, other)),
            (one, _) => Ok(one.cloned()),
        }
    }

    fn check_plain(&self, e: &Expr) -> Result<(), Rejection> {
        match self.drawn(e)? {
            None => Ok(()),
            Some(draw) => Err(self.mentions(e, &draw)),
        }
    }

    fn mentions(&self, e: &Expr, draw: &Variable) -> Rejection {
        Rejection::KnowsADraw { variable: draw.to_string(), assertion: e.to_string() }
    }

    /// An expression in this run, with what the block has set replaced by its value.
    fn read(&self, e: &Expr, path: &Path) -> Result<Expr, Rejection> {
        let value = self.context.in_run(e, self.run).replace(&|v| match v {
            Variable::Of(name, _) => path.known.get(name).cloned(),
            _ => None,
        });
        check_size(&value).map(|()| decided(&value))
    }

    fn step(&mut self) -> Result<(), Rejection> {
        self.left = self.left.checked_sub(1).ok_or(Rejection::TooLarge)?;
        Ok(())
    }
}

impl Path {
    fn with(&self, name: &Name, value: Expr) -> Path {
        let mut more = self.clone();
        more.known.insert(name.clone(), value);
        more
    }
}
