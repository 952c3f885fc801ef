//! Which variables of a loop hold the places of the largest values, and which the values.

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::foresee::{Foresight, Kept, Place};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Distribution, Statement};

use crate::algebra::mentions;
use crate::plan::blocks::{for_each_assignment, set_by};

/// The most places that are followed.
const MOST_PLACES: usize = 2;

/// A loop that draws a value in every round and keeps the places of the largest ones so far.
pub(crate) struct Roles {
    pub(crate) index: Name,
    pub(crate) from: Expr,
    /// The draw, its center and whether its noise moves up only.
    draw: Name,
    center: Expr,
    one_sided: bool,
    /// What is compared, made of the draw.
    value: Expr,
    /// Variables that hold places and values, the largest first, with what they are before the loop.
    pub(crate) places: Vec<(Name, Expr)>,
    pub(crate) values: Vec<(Name, Expr)>,
    /// A variable that holds how far the second value is from the best, where that has none of its own.
    pub(crate) gap: Option<Name>,
    /// Variables that hold the first value, where the best is known after the second round only.
    pub(crate) first: Vec<Name>,
}

impl Roles {
    /// The roles of the first loop that draws.
    pub(crate) fn of(context: &Context) -> Option<Roles> {
        let body = &context.mechanism().body;
        let at = body.iter().position(|s| matches!(s, Statement::For { body, .. } if has_draw(body)))?;
        let Statement::For { index, from, body: round, .. } = &body[at] else { return None };
        let (draw, law) = round.iter().find_map(|statement| match statement {
            Statement::Draw { var, law } => Some((var, law)),
            _ => None,
        })?;
        let (center, one_sided) = match law {
            Distribution::Laplace { center, .. } => (center.clone(), false),
            Distribution::Gumbel { center, .. } => (center.clone(), true),
            Distribution::Exponential { .. } => (Expr::int(0), true),
            _ => return None,
        };
        // A value that is made of the draw in every round.
        let mut value = Expr::var(draw.clone());
        let mut plain = vec![draw.clone()];
        for statement in round {
            if let Statement::Assign { var, value: made } = statement {
                plain.push(var.clone());
                if mentions(made, draw) {
                    value = made.clone();
                }
            }
        }
        let before = &body[..at];
        let start = |name: &Name| {
            before.iter().rev().find_map(|statement| match statement {
                Statement::Assign { var, value } if var == name => Some(value.clone()),
                _ => None,
            })
        };
        let (mut places, mut values) = (Vec::new(), Vec::new());
        let (early, steady) = after_first_rounds(round, index, from);
        let gap = set_by(steady).into_iter().find(|name| is_gap(steady, name, &value));
        for name in set_by(steady) {
            if plain.contains(&name) || gap.as_ref() == Some(&name) {
                continue;
            }
            let first = start(&name)?;
            match context.kind(&Expr::var(name.clone())) {
                Kind::Int => places.push((name, first)),
                Kind::Real => values.push((name, first)),
                _ => return None,
            }
        }
        in_order_of_copies(round, &mut places);
        in_order_of_copies(round, &mut values);
        let fits = match gap {
            Some(_) => places.len() == 1 && values.len() == 1,
            None => {
                (1..=MOST_PLACES).contains(&places.len())
                    && (places.len()..=places.len() + 1).contains(&values.len())
            }
        };
        // What the first round keeps of its value, for the second to compare.
        let kept = early.first().map(|block| copies_of(block, &value)).unwrap_or_default();
        let first = match early.len() {
            2.. => kept.into_iter().filter(|name| !set_by(steady).contains(name)).collect(),
            _ => vec![],
        };
        fits.then(|| Roles {
            index: index.clone(),
            from: from.clone(),
            draw: draw.clone(),
            center,
            one_sided,
            value,
            places,
            values,
            gap,
            first,
        })
    }

    /// What is compared, with a value for the draw.
    fn with(&self, drawn: Expr) -> Expr {
        self.value.replace(&|v| (*v == Variable::Plain(self.draw.clone())).then(|| drawn.clone()))
    }

    /// An expression at another index.
    fn at(&self, e: &Expr, place: &Expr) -> Expr {
        e.replace(&|v| (*v == Variable::Plain(self.index.clone())).then(|| place.clone()))
    }

    /// The largest of all other values is kept; the winners move with it, or by the most that it may move.
    pub(crate) fn foresight(&self, context: &Context, largest: bool) -> Option<Foresight> {
        let m = context.mechanism();
        let mut taken = set_by(&m.body);
        taken.extend(m.inputs.iter().map(|input| input.name.clone()));
        taken.extend(m.params.iter().map(|param| param.name.clone()));
        let mut fresh = |base: String| {
            let mut name = Name::new(&base);
            while taken.contains(&name) {
                name = Name::new(format!("{name}_"));
            }
            taken.push(name.clone());
            name
        };
        let noise = fresh("noise".into());
        let (rest, some, tied) = (fresh("rest".into()), fresh("some".into()), fresh("tied".into()));
        let keys: Vec<(Name, Expr)> = (self.places.iter().enumerate())
            .map(|(at, (place, _))| (fresh(format!("key_{at}")), Expr::var(place.clone())))
            .collect();
        let of = |run| Expr::of(rest.clone(), run);
        let step = match self.one_sided {
            false => of(Run::Second) - of(Run::First),
            true => super::facts::change(context, largest)?,
        };
        let places = keys.iter().enumerate().map(|(at, (key, _))| {
            let index = Expr::var(key.clone());
            let own = self.with(self.center.clone());
            let back = context.in_run(&own, Run::First) - context.in_run(&own, Run::Second);
            let back = self.at(&back, &index);
            Place { index, by: fresh(format!("moved_{at}")), amount: step.clone() + back }
        });
        let places = places.collect::<Vec<_>>();
        let known = Expr::var(rest.clone());
        let more = match largest {
            true => known.max(self.value.clone()),
            false => known.min(self.value.clone()),
        };
        let next = Expr::var(some.clone()).choose(more, self.value.clone());
        let start = self.values.last()?.1.clone();
        let zero = self.with(Expr::int(0));
        let compared = self.values.iter().take(self.places.len()).map(|(name, _)| name).chain(&self.first);
        let ties = compared.map(|name| match &self.value {
            Expr::Var(_) => Expr::var(name.clone()),
            _ => Expr::var(name.clone()) - zero.clone(),
        });
        let ties = ties.collect();
        let best = Kept { name: rest, start, next };
        let any = Kept { name: some, start: Expr::Bool(false), next: Expr::Bool(true) };
        Some(Foresight { keys, noise, places, kept: vec![best, any], tied, ties })
    }

    /// What the value at a key is, in terms of the noise.
    pub(crate) fn chosen(&self, foresight: &Foresight, at: usize) -> Option<Expr> {
        let place = foresight.places.get(at)?;
        let entry = place.index.clone().index_of(Variable::Plain(foresight.noise.clone()));
        let moved = entry + Expr::var(place.by.clone());
        Some(self.at(&self.with(self.center.clone() + moved), &place.index))
    }

    /// The index of a round, counted from 0.
    pub(crate) fn round(&self, n: i64) -> Expr {
        match &self.from {
            Expr::Number(from) => Expr::Number(from + Rational::from(n)),
            from if n == 0 => from.clone(),
            from => from.clone() + Expr::int(n),
        }
    }
}

/// What a round does in the first rounds by themselves, and what it does in all others.
fn after_first_rounds<'a>(
    round: &'a [Statement],
    index: &Name,
    from: &Expr,
) -> (Vec<&'a [Statement]>, &'a [Statement]) {
    let (mut early, mut rest) = (Vec::new(), round);
    while let Some(Statement::If { guard, then, otherwise }) = rest.last()
        && let Expr::Number(first) = from
        && *guard == Expr::var(index.clone()).equals(Expr::Number(first + Rational::from(early.len() as i64)))
        && !otherwise.is_empty()
    {
        early.push(then.as_slice());
        rest = otherwise;
    }
    (early, rest)
}

/// Whether all that a variable is set to is how far a value is from another variable.
fn is_gap(round: &[Statement], name: &Name, value: &Expr) -> bool {
    let (mut some, mut all) = (false, true);
    for_each_assignment(round, &mut |var, made| {
        if var == name {
            let apart = match made {
                Expr::Binary(Binary::Sub, a, b) => {
                    (**a == *value && matches!(**b, Expr::Var(_)))
                        || (**b == *value && matches!(**a, Expr::Var(_)))
                }
                _ => false,
            };
            (some, all) = (true, all && apart);
        }
    });
    some && all
}

/// The variables that a block sets to a value, at its top level.
fn copies_of(block: &[Statement], value: &Expr) -> Vec<Name> {
    let copy = |statement: &Statement| match statement {
        Statement::Assign { var, value: made } if made == value => Some(var.clone()),
        _ => None,
    };
    block.iter().filter_map(copy).collect()
}

fn has_draw(body: &[Statement]) -> bool {
    body.iter().any(|statement| matches!(statement, Statement::Draw { .. }))
}

/// What another variable is copied to stands behind it.
fn in_order_of_copies(round: &[Statement], names: &mut [(Name, Expr)]) {
    let mut copies = Vec::new();
    for_each_assignment(round, &mut |to, value| {
        if let Expr::Var(Variable::Plain(from)) = value {
            copies.push((from.clone(), to.clone()));
        }
    });
    // There are at most three: as often as a copy goes the wrong way, the two are exchanged.
    for _ in 0..names.len() {
        for (from, to) in &copies {
            let place = |name: &Name| names.iter().position(|(known, _)| known == name);
            if let (Some(a), Some(b)) = (place(from), place(to))
                && a > b
            {
                names.swap(a, b);
            }
        }
    }
}
