//! FORESEE: a draw of a loop that moves by an amount which other draws decide, those after it included.
//!
//! A mechanism that draws once in every round of one loop is a function of its noise. Written so, as a program that draws nothing and has
//! its noise as an input, the two runs are compared by a judgement without couplings: for each value of the keys, noise at
//! the places that they name moves by what was kept of all other noise, and the outputs are equal. `docs/logic.md` section 6 has the proof.

use crate::context::{Context, Orientation};
use crate::equivalence::{check_new, refuse, settings};
use crate::expr::{Expr, Name, Run, Variable};
use crate::kind::Kind;
use crate::law;
use crate::rejection::Rejection;
use crate::term::{Adjacency, Claim, Distribution, Input, Mechanism, Param, Sort, Statement};

const RULE: &str = "FORESEE";

/// What moves, and by how much. Every name in it is new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foresight {
    /// For each key a parameter, and the integer of the last state that it stands for.
    pub keys: Vec<(Name, Expr)>,
    /// The list of the noise.
    pub noise: Name,
    /// The places where it moves.
    pub places: Vec<Place>,
    /// What is kept of the noise at no place.
    pub kept: Vec<Kept>,
    /// Whether some draw was a value that it takes with probability 0.
    pub tied: Name,
    /// Such values, of the state before the draw.
    pub ties: Vec<Expr>,
}

/// An entry of the noise that moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its index, made of parameters and keys.
    pub index: Expr,
    /// The input by which it moves.
    pub by: Name,
    /// What that is, second run less first: an assertion about inputs and what is kept.
    pub amount: Expr,
}

/// A variable that knows only what was drawn at no place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// Its name.
    pub name: Name,
    /// What it is before the loop.
    pub start: Expr,
    /// What it is after a round at no place.
    pub next: Expr,
}

/// A mechanism that draws once in every round of one loop.
struct Drawn<'a> {
    /// Where the loop stands, and where the draw stands in it.
    at: (usize, usize),
    index: &'a Name,
    bounds: (&'a Expr, &'a Expr),
    body: &'a [Statement],
    var: &'a Name,
    law: &'a Distribution,
    center: Expr,
    scale: &'a Expr,
}

/// The one loop that draws, and its draw, which stands alone: what it draws around and how often depends on no other draw.
fn drawn<'a>(context: &Context, m: &'a Mechanism) -> Result<Drawn<'a>, Rejection> {
    if draws(&m.body) != Some(1) {
        return refuse(RULE, "there is not exactly one draw, or there is a while loop");
    }
    let found = m.body.iter().enumerate().find_map(|(at, statement)| match statement {
        Statement::For { index, from, to, body } => {
            let inner = body.iter().position(|s| matches!(s, Statement::Draw { .. }))?;
            Some(((at, inner), index, (from, to), body))
        }
        _ => None,
    });
    let Some((at, index, bounds, body)) = found else {
        return refuse(RULE, "the draw is not part of every round of a loop");
    };
    let Some(Statement::Draw { var, law }) = body.get(at.1) else {
        return refuse(RULE, "the draw is not part of every round of a loop");
    };
    let (center, scale) = match law {
        Distribution::Laplace { center, scale }
        | Distribution::DiscreteLaplace { center, scale }
        | Distribution::Gumbel { center, scale } => (center.clone(), scale),
        Distribution::Exponential { scale } | Distribution::Geometric { scale } => (Expr::int(0), scale),
        _ => return refuse(RULE, format!("{law} has no noise that moves")),
    };
    context.check_public(scale)?;
    let set = |name: &Name| settings(&m.body, name) > 0;
    for bound in [bounds.0, bounds.1] {
        let fixed = bound.find_variable(&|v| matches!(v, Variable::Plain(name) if set(name))).is_none();
        if !fixed || context.in_run(bound, Run::First) != context.in_run(bound, Run::Second) {
            return Err(Rejection::LoopBoundNotShared { bound: bound.to_string() });
        }
    }
    let foreign = |v: &Variable| matches!(v, Variable::Plain(name) if name != index && set(name));
    if let Some(v) = center.find_variable(&foreign) {
        return refuse(RULE, format!("the center of {var} mentions {v}, which the program sets"));
    }
    Ok(Drawn { at, index, bounds, body, var, law, center, scale })
}

/// How many draws a block has; none can be told if it has a `while`.
fn draws(body: &[Statement]) -> Option<usize> {
    body.iter().try_fold(0, |count, statement| {
        Some(
            count
                + match statement {
                    Statement::Draw { .. } => 1,
                    Statement::Assign { .. } | Statement::Append { .. } => 0,
                    Statement::If { then, otherwise, .. } => draws(then)? + draws(otherwise)?,
                    Statement::For { body, .. } => draws(body)?,
                    Statement::While { .. } => return None,
                },
        )
    })
}

impl Foresight {
    /// The mechanism as a function of its noise:
    /// ```text
    /// for i in a..b { d; v ~ D(e, s); c }
    ///   =   k = k₀; tied = false; for i in a..b { d; tied = tied or w == t; v = w; if i is no place { k = f }; c }
    /// ```
    /// w is `e[i := p] + (z[p] + g)` at the place p, and `e + z[i]` elsewhere.
    pub fn as_function(&self, m: &Mechanism) -> Result<Mechanism, Rejection> {
        let context = Context::new(m, Orientation::Forward)?;
        let drawn = drawn(&context, m)?;
        self.check_names(m)?;
        for (_, key) in &self.keys {
            context.kinds().check_integer(key)?;
        }
        self.check_kept(m, &drawn)?;
        let whole = law::kind(drawn.law) == Kind::Int;
        if whole && !self.ties.is_empty() {
            return refuse(RULE, format!("{} takes single values", drawn.law));
        }
        for tie in &self.ties {
            context.kinds().check_number(tie)?;
        }
        let (entries, number) = if whole { (Sort::IntList, Sort::Int) } else { (Sort::RealList, Sort::Real) };
        let mut made = m.clone();
        made.params.extend(self.keys.iter().map(|(name, _)| Param { name: name.clone(), sort: Sort::Int }));
        made.inputs.push(Input { name: self.noise.clone(), sort: entries });
        made.inputs
            .extend(self.places.iter().map(|place| Input { name: place.by.clone(), sort: number.clone() }));
        made.adjacency.push(Adjacency::EveryEntry { list: self.noise.clone(), bound: Expr::int(0) });
        let mut round = drawn.body[..drawn.at.1].to_vec();
        round.extend(self.in_place_of(&drawn));
        round.extend_from_slice(&drawn.body[drawn.at.1 + 1..]);
        let (from, to) = (drawn.bounds.0.clone(), drawn.bounds.1.clone());
        let assign = |var: &Name, value: &Expr| Statement::Assign { var: var.clone(), value: value.clone() };
        let mut body = m.body[..drawn.at.0].to_vec();
        body.extend(self.kept.iter().map(|kept| assign(&kept.name, &kept.start)));
        body.push(assign(&self.tied, &Expr::Bool(false)));
        body.push(Statement::For { index: drawn.index.clone(), from, to, body: round });
        body.extend_from_slice(&m.body[drawn.at.0 + 1..]);
        made.body = body;
        let context = Context::new(&made, Orientation::Forward)?;
        for place in &self.places {
            context.check_public(&place.index)?;
            context.kinds().check_integer(&place.index)?;
            self.check_amount(m, &context, &place.amount)?;
            if whole {
                context.kinds().check_integer(&place.amount)?;
            }
        }
        Ok(made)
    }

    /// What a judgement about the mechanism as a function of its noise must end with.
    pub fn goal(&self, context: &Context, m: &Mechanism, claim: &Claim) -> Result<Expr, Rejection> {
        let own = Context::new(m, Orientation::Forward)?;
        let drawn = drawn(&own, m)?;
        let in_run = |e: &Expr, run| context.in_run(e, run);
        let keys = |run| {
            Expr::all(self.keys.iter().map(|(name, key)| in_run(key, run).equals(Expr::var(name.clone()))))
        };
        let two_sided =
            matches!(drawn.law, Distribution::Laplace { .. } | Distribution::DiscreteLaplace { .. });
        let sizes = self.places.iter().map(|place| match two_sided {
            true => place.amount.clone().abs(),
            false => place.amount.clone(),
        });
        let paid = sizes.reduce(|a, b| a + b).unwrap_or(Expr::int(0));
        let up = self.places.iter().filter(|_| !two_sided).map(|p| Expr::int(0).le(p.amount.clone()));
        let within = Expr::all(up.chain([paid.le(claim.epsilon.clone() * drawn.scale.clone())]));
        let moved = Expr::all(self.places.iter().map(|place| {
            let by = |run| Expr::of(place.by.clone(), run);
            (by(Run::Second) - by(Run::First)).equals(place.amount.clone())
        }));
        let same = in_run(&m.output, Run::First).equals(in_run(&m.output, Run::Second));
        let chosen = keys(Run::First).and(!Expr::of(self.tied.clone(), Run::First));
        let then = within.and(moved.implies(keys(Run::Second).and(same)));
        Ok(Expr::all([
            Expr::cost().le(Expr::int(0)),
            Expr::int(0).lt(drawn.scale.clone()),
            Expr::int(0).le(in_run(drawn.bounds.0, Run::First)),
            chosen.implies(then),
        ]))
    }

    /// What stands in place of the draw.
    fn in_place_of(&self, drawn: &Drawn<'_>) -> Vec<Statement> {
        let i = || Expr::var(drawn.index.clone());
        let noise = |at: Expr| at.index_of(Variable::Plain(self.noise.clone()));
        let is = |place: &Place| i().equals(place.index.clone());
        let other = drawn.center.clone() + noise(i());
        let value = self.places.iter().rev().fold(other, |other, place| {
            let at = |v: &Variable| (*v == Variable::Plain(drawn.index.clone())).then(|| place.index.clone());
            let moved = noise(place.index.clone()) + Expr::var(place.by.clone());
            is(place).choose(drawn.center.replace(&at) + moved, other)
        });
        let tied = self
            .ties
            .iter()
            .fold(Expr::var(self.tied.clone()), |tied, tie| tied.or(value.clone().equals(tie.clone())));
        let keep = self
            .kept
            .iter()
            .map(|kept| Statement::Assign { var: kept.name.clone(), value: kept.next.clone() });
        let at_a_place = self.places.iter().map(is).reduce(Expr::or).unwrap_or(Expr::Bool(false));
        vec![
            Statement::Assign { var: self.tied.clone(), value: tied },
            Statement::Assign { var: drawn.var.clone(), value },
            Statement::If { guard: !at_a_place, then: keep.collect(), otherwise: vec![] },
        ]
    }

    /// Every name is new, and no other's.
    fn check_names(&self, m: &Mechanism) -> Result<(), Rejection> {
        let keys = self.keys.iter().map(|(name, _)| name);
        let kept = self.kept.iter().map(|kept| &kept.name);
        let moves = self.places.iter().map(|place| &place.by);
        let all: Vec<&Name> = keys.chain(kept).chain(moves).chain([&self.noise, &self.tied]).collect();
        for (at, name) in all.iter().enumerate() {
            check_new(RULE, m, name)?;
            if all[..at].contains(name) {
                return refuse(RULE, format!("the name {name} is taken"));
            }
        }
        Ok(())
    }

    /// What is kept is made of inputs, parameters and keys, and of what is drawn at no place.
    fn check_kept(&self, m: &Mechanism, drawn: &Drawn<'_>) -> Result<(), Rejection> {
        let given = |name: &Name| is_given(m, name) || self.keys.iter().any(|(key, _)| key == name);
        let kept = |name: &Name| self.kept.iter().any(|kept| kept.name == *name);
        let round = |name: &Name| kept(name) || name == drawn.var || name == drawn.index;
        for Kept { start, next, .. } in &self.kept {
            let foreign = |v: &Variable| !matches!(v, Variable::Plain(name) if given(name));
            let later = |v: &Variable| !matches!(v, Variable::Plain(name) if given(name) || round(name));
            for (e, found) in [(start, start.find_variable(&foreign)), (next, next.find_variable(&later))] {
                if let Some(v) = found {
                    return Err(Rejection::MayNotMention {
                        variable: v.to_string(),
                        assertion: e.to_string(),
                    });
                }
            }
        }
        Ok(())
    }

    /// An amount is made of parameters, of inputs of the mechanism and of what is kept, in either run.
    fn check_amount(&self, m: &Mechanism, made: &Context, amount: &Expr) -> Result<(), Rejection> {
        let foreign = |v: &Variable| match v {
            Variable::Plain(name) => !made.is_param(name) && !is_given(m, name),
            Variable::Of(name, _) => !is_given(m, name) && !self.kept.iter().any(|kept| kept.name == *name),
            _ => true,
        };
        if let Some(v) = amount.find_variable(&foreign) {
            return Err(Rejection::MayNotMention { variable: v.to_string(), assertion: amount.to_string() });
        }
        made.check_number(amount)
    }
}

/// Whether the name is an input or a parameter.
fn is_given(m: &Mechanism, name: &Name) -> bool {
    m.inputs.iter().any(|input| input.name == *name) || m.params.iter().any(|param| param.name == *name)
}
