//! Proofs that go forward: every draw has the same value in both runs, and what is known is carried along.
//!
//! The walk follows which variables are equal in both runs, how far apart the others may be, which stand for a value
//! that the parameters fix, and what has been paid so far. Each statement becomes a link of a [`Move::Chain`], with the
//! facts that it leaves; so the proof of a statement does not grow with the text around it. Nothing here is trusted.

mod apart;
mod budget;
mod live;
mod loops;
mod redraw;
mod scores;
mod select;
mod state;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::law;
use probity_kernel::term::{Coupling, Distribution, Statement};

use crate::algebra::{fraction, minus, normal, product, visit};
use crate::derivation::{Link, Move, exchanged};
use crate::plan::blocks::set_by;
use apart::Apart;
use scores::Scores;
use state::State;
pub(crate) use state::Taste;

/// The moves of a proof that goes forward; `None` if some step has none, with the statement where it ends.
pub(crate) fn forward(
    context: &Context,
    taste: Taste,
    deadline: Option<Instant>,
) -> Result<Vec<Move>, String> {
    let (wanted, multiplied) = (wanted(context), multiplied(context));
    let mut after = BTreeSet::new();
    live::read(&context.mechanism().output, &mut after);
    let (choices, scores) = (Rc::default(), Scores::of(context));
    let backs = redraw::Backs::default();
    let (scout, in_round) = (false, false);
    let walk =
        Walk { context, wanted, multiplied, taste, after, choices, scores, backs, scout, in_round, deadline };
    // A loop that draws again is judged with the runs exchanged too.
    if redraw::may_redraw(context, &context.mechanism().body)
        && let Ok(there) = exchanged(context)
    {
        let (choices, scores) = (Rc::default(), Scores::of(&there));
        let scout = Walk { context: &there, scout: true, choices, scores, ..walk.inner(&walk.after) };
        let _ = scout.block(&there.mechanism().body, &mut State::new(&there));
    }
    let mut state = State::new(context);
    let known = state.known_at_start();
    let mut links = walk.block(&context.mechanism().body, &mut state)?;
    // How far apart scores are is seen where they are appended, and said where their list begins.
    if walk.scores.begin() {
        state = State::new(context);
        links = walk.block(&context.mechanism().body, &mut state)?;
    }
    let Expr::Var(Variable::Plain(output)) = &context.mechanism().output else {
        return Err("the output".into());
    };
    match state.equal.contains(output) {
        true => Ok(vec![Move::Chain(known, links)]),
        false => Err(format!("return {output}")),
    }
}

struct Walk<'a> {
    context: &'a Context,
    /// The variables whose values, fixed by the parameters, matter: in scales, bounds and denominators.
    wanted: BTreeSet<Name>,
    /// The variables that are multiplied with others.
    multiplied: BTreeSet<Name>,
    taste: Taste,
    /// The variables that are read after the block.
    after: BTreeSet<Name>,
    /// The parts that were looked at as choices.
    choices: Rc<RefCell<Vec<select::Choice>>>,
    /// The lists of scores from which is chosen.
    scores: Rc<Scores>,
    /// The rounds of loops that draw again, as they are proved with the runs exchanged.
    backs: redraw::Backs,
    /// Whether this walk is with the runs exchanged, to find these.
    scout: bool,
    /// Whether this is a round of such a loop.
    in_round: bool,
    deadline: Option<Instant>,
}

/// The links of statements, those that are done alike put together.
fn push(links: &mut Vec<Link>, link: Link) {
    match (links.last_mut(), link) {
        (Some(Link::Alike(size)), Link::Alike(more)) => *size += more,
        (_, link) => links.push(link),
    }
}

impl Walk<'_> {
    fn block(&self, body: &[Statement], state: &mut State<'_>) -> Result<Vec<Link>, String> {
        let mut links = Vec::new();
        // Where what is set just before a loop begins, with what was known there.
        let mut run: Option<(usize, Vec<Link>, State<'_>)> = None;
        let mut grouped = 0;
        for (at, statement) in body.iter().enumerate() {
            if at < grouped {
                continue;
            }
            let grouping = self.bounded_by_hand(&body[at..], state);
            let grouping = grouping.or_else(|| self.redraw(&body[at..], state));
            if let Some((size, link)) = grouping.or_else(|| self.noise_added(&body[at..], state)) {
                push(&mut links, link);
                grouped = at + size;
                run = None;
                continue;
            }
            let sets = match statement {
                Statement::Assign { value, .. } => {
                    *value == Expr::EmptyList
                        || state.public(value).is_some()
                        || matches!(value, Expr::Bool(_))
                }
                Statement::Draw { law, .. } => {
                    law::parameters(law).into_iter().all(|p| state.public(p).is_some())
                }
                _ => false,
            };
            if sets && run.is_none() {
                run = Some((at, links.clone(), state.clone()));
            }
            let before = if has_draws(statement) { Some(state.clone()) } else { None };
            let later = live::before(&body[at + 1..], &self.after);
            let choice = self.taste == Taste::Choice && before.is_some();
            if let Statement::Assign { var, .. } | Statement::Draw { var, .. } = statement {
                settle(&mut links, var, state);
            }
            let followed = match choice {
                true => Err(head(statement)),
                false => self.statement(statement, &later, state).unwrap_or_else(|| Err(head(statement))),
            };
            match followed {
                Ok(link) => push_draw(&mut links, link, &body[..=at]),
                Err(place) => {
                    let Some(before) = before else { return Err(place) };
                    let kept = (links.clone(), before.clone());
                    let (start, old, old_state) = run.take().unwrap_or((at, links, before));
                    *state = old_state;
                    links = old;
                    let link = match self.select(&body[start..=at], &later, state) {
                        Some(link) => link,
                        None if choice => {
                            (links, *state) = kept;
                            self.statement(statement, &later, state).unwrap_or(Err(place))?
                        }
                        None => return Err(place),
                    };
                    push(&mut links, link);
                }
            }
            if !sets {
                run = None;
            }
        }
        Ok(links)
    }

    /// The same inside of loops and branches, after which these variables are read.
    fn inner(&self, after: &BTreeSet<Name>) -> Walk<'_> {
        let (wanted, multiplied, after) = (self.wanted.clone(), self.multiplied.clone(), after.clone());
        let (choices, scores, backs) = (self.choices.clone(), self.scores.clone(), self.backs.clone());
        Walk { wanted, multiplied, after, choices, scores, backs, ..*self }
    }

    /// A value that is bounded by hand: set, and then changed where it is too large or too small. Statement by statement it
    /// would have bounds on one side only.
    fn bounded_by_hand(&self, body: &[Statement], state: &mut State<'_>) -> Option<(usize, Link)> {
        let Statement::Assign { var, value } = body.first()? else { return None };
        if *value == Expr::EmptyList || state.reads_equal(value) {
            return None;
        }
        let follows = |statement: &&Statement| match statement {
            Statement::If { .. } => set_by(std::slice::from_ref(*statement)) == [var.clone()],
            _ => false,
        };
        let size = 1 + body[1..].iter().take(MOST_BOUNDS).take_while(follows).count();
        let values = if size > 1 { state.values_after(&body[..size])? } else { return None };
        let [(_, value)] = values.as_slice() else { return None };
        let apart = Apart::of(state, value, self.taste)?;
        state.forget(var);
        state.apart.insert(var.clone(), apart);
        let mut after = state.about(std::slice::from_ref(var));
        after.extend(state.paid());
        let moves = std::iter::once(Move::Plain).chain(vec![Move::OneSided; size - 1]);
        Some((size, Link::Judged(moves.collect(), after)))
    }

    /// One statement: its link, `None` if it has none, or where inside it the walk ends.
    fn statement(
        &self,
        statement: &Statement,
        later: &BTreeSet<Name>,
        state: &mut State<'_>,
    ) -> Option<Result<Link, String>> {
        if let Some(link) = self.scored(statement, state) {
            return Some(Ok(link));
        }
        if self.is_alike(statement, state) {
            return Some(Ok(Link::Alike(1)));
        }
        Some(match statement {
            Statement::Assign { var, value } => Ok(self.assign(var, value, state)),
            Statement::Append { list, .. } => {
                state.forget(list);
                Ok(Link::Alike(1))
            }
            Statement::While { .. } => return None,
            Statement::Draw { var, law } => Ok(self.draw(var, law, state)?),
            Statement::If { guard, then, otherwise } => {
                if state.reads_equal(guard) {
                    self.together((guard, then, otherwise), later, state)
                } else {
                    Ok(self.on_its_own(statement, state)?)
                }
            }
            Statement::For { index, from, to, body } => {
                self.for_loop((index, from, to, body), &live::at_head(statement, later), state)
            }
        })
    }

    /// Whether both runs do a statement alike, and nothing is lost by saying no more of it.
    fn is_alike(&self, statement: &Statement, state: &mut State<'_>) -> bool {
        let set = set_by(std::slice::from_ref(statement));
        if set.iter().any(|name| self.wanted.contains(name)) && matches!(statement, Statement::Assign { .. })
        {
            return false;
        }
        let same = match statement {
            Statement::Assign { var, value } => {
                (*value == Expr::EmptyList || state.reads_equal(value)).then_some(var)
            }
            Statement::Append { list, value } => {
                (state.equal.contains(list) && state.reads_equal(value)).then_some(list)
            }
            _ => None,
        };
        if let Some(name) = same {
            state.forget(name);
            state.equal.insert(name.clone());
            return true;
        }
        if matches!(statement, Statement::Assign { .. } | Statement::Append { .. }) {
            return false;
        }
        let Some(equal) = state.alike(statement) else { return false };
        if !set.iter().all(|name| equal.contains(name) || !state.is_tracked(name)) {
            return false;
        }
        for name in &set {
            state.forget(name);
        }
        state.equal = equal;
        true
    }

    fn assign(&self, var: &Name, value: &Expr, state: &mut State<'_>) -> Link {
        let plain = |after: Vec<Expr>| Link::Judged(vec![Move::Plain], after);
        let same = state.reads_equal(value);
        let fixed = state.public(value).filter(|_| self.wanted.contains(var));
        let apart = if same { None } else { Apart::of(state, value, self.taste) };
        let truth = state.truth(value).filter(|_| !same);
        let range = self.multiplied.contains(var).then(|| Apart::range(state, value)).flatten();
        let entry = state.entry(value).filter(|_| !same);
        state.forget(var);
        state.truths.extend(entry.map(|entry| (var.clone(), entry)));
        state.ranges.extend(range.map(|range| (var.clone(), range)));
        match (same, fixed, apart, truth) {
            (true, Some(fixed), ..) => {
                state.equal.insert(var.clone());
                state.fixed.insert(var.clone(), fixed);
            }
            (true, None, ..) => {
                state.equal.insert(var.clone());
                state.ranges.remove(var);
                return Link::Alike(1);
            }
            (_, _, Some(apart), _) => {
                state.apart.insert(var.clone(), apart);
            }
            (_, _, _, Some(truth)) => {
                state.truths.insert(var.clone(), truth);
            }
            _ if state.ranges.contains_key(var) => {}
            _ => return Link::Alike(1),
        }
        let mut after = state.about(std::slice::from_ref(var));
        after.extend(state.paid());
        plain(after)
    }

    fn draw(&self, var: &Name, law: &Distribution, state: &mut State<'_>) -> Option<Link> {
        let coupling = match law::parameters(law).into_iter().all(|p| state.reads_equal(p)) {
            true => Coupling::Null,
            false => match law {
                Distribution::Response { truth, count, .. } => self.same_answer(truth, count, state)?,
                Distribution::Choose { scores: Expr::Var(Variable::Plain(list)), scale }
                | Distribution::PermuteAndFlip { scores: Expr::Var(Variable::Plain(list)), scale } => {
                    self.same_choice(list, scale, state)?
                }
                _ => self.same_value(law, state)?,
            },
        };
        state.forget(var);
        state.equal.insert(var.clone());
        let mut after = state.about(std::slice::from_ref(var));
        after.extend(state.paid());
        let drawn = Expr::of(var.clone(), Run::First);
        let in_first = law::map(law, &|e| self.context.in_run(e, Run::First));
        // Where a value lies matters if it is a probability or an index.
        if let Some(lies) = Some(law::support(&in_first, drawn)).filter(|lies| *lies != Expr::Bool(true)) {
            let mentions = lies.find_variable(&|v| matches!(v, Variable::Of(name, _) if name != var));
            if mentions.is_none() {
                state.extra.insert(var.clone(), lies.clone());
                after.push(lies);
            }
        }
        Some(Link::Judged(vec![Move::Draw(coupling)], after))
    }

    /// The coupling by which a draw has the same value in both runs, paid for.
    fn same_value(&self, law: &Distribution, state: &mut State<'_>) -> Option<Coupling> {
        let concentrated = self.context.measure() == Measure::Concentrated;
        let (center, scale) = match law {
            Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
                (center, scale)
            }
            Distribution::Gaussian { center, deviation: scale }
            | Distribution::DiscreteGaussian { center, deviation: scale }
                if concentrated =>
            {
                (center, scale)
            }
            _ => return None,
        };
        let scale = state.public(scale)?;
        let apart = state.windows(&Apart::of(state, center, self.taste)?);
        if concentrated {
            let cost = apart.map(&|amount| state.concentrated_price(amount, &scale))?;
            state.pay(&cost);
            let distance = in_one_choice(&apart);
            // With one choice for both, it need not be asked whether the one is enough for the other.
            let unit = state.concentrated_price(&Expr::int(1), &scale)?;
            let of_one = [&scale, &scale, &Expr::int(2)];
            let one = of_one.into_iter().fold(unit.clone(), |all, e| product(all, e.clone()));
            let cost = match apart.base == Expr::int(0)
                && apart.parts.len() == 1
                && normal(self.context, &one) == Expr::int(1)
            {
                true => product(product(unit, distance.clone()), distance.clone()),
                false => cost.formula(),
            };
            return Some(Coupling::Equal { distance, cost });
        }
        let cost = apart.map(&|amount| Some(state.price(amount, &scale)))?;
        state.pay(&cost);
        Some(Coupling::Shift { by: Expr::int(0), cost: in_one_choice(&cost) })
    }

    /// The coupling by which a response has the same value in both runs: it costs the ratio of the probabilities of a true and another
    /// answer, which is most often an exponential of the text.
    fn same_answer(&self, truth: &Expr, count: &Expr, state: &mut State<'_>) -> Option<Coupling> {
        if self.context.measure() == Measure::Concentrated {
            return None;
        }
        let (truth, count) = (state.public(truth)?, state.public(count)?);
        let one = Expr::int(1);
        let (n, d) = fraction(&truth);
        let others = minus(count, one.clone());
        let (likely, rest) = (product(n.clone(), others.clone()), minus(d, n));
        let mut exponents = Vec::new();
        visit(&truth, &mut |part| {
            if let Expr::Unary(Unary::Exp, inside) = part {
                exponents.push((**inside).clone());
            }
        });
        let is_ratio = |inside: &Expr| {
            let all = product(inside.clone().exp(), rest.clone());
            normal(self.context, &minus(likely.clone(), all)) == Expr::int(0)
        };
        let (ratio, cost) = match exponents.into_iter().find(is_ratio) {
            Some(inside) => ((inside.clone().exp(), one), inside),
            None => {
                let ratio = (product(truth.clone(), others), minus(one, truth));
                (ratio.clone(), (ratio.0 / ratio.1).ln())
            }
        };
        state.pay(&Apart::base(cost));
        Some(Coupling::SameValue { ratio })
    }

    /// A conditional whose branch both runs take together.
    fn together(
        &self,
        (guard, then, otherwise): (&Expr, &[Statement], &[Statement]),
        later: &BTreeSet<Name>,
        state: &mut State<'_>,
    ) -> Result<Link, String> {
        let both: Vec<Statement> = then.iter().chain(otherwise).cloned().collect();
        let names = touched(&both, &[guard]);
        let taken = self.context.in_run(guard, Run::First);
        let branch = |body: &[Statement], holds: Expr| -> Result<_, String> {
            let mut state = state.clone();
            let mut known = state.about(&names);
            known.extend(state.around.iter().cloned().chain(state.paid()).chain([holds]));
            let links = self.inner(later).block(body, &mut state)?;
            let moves = if body.is_empty() { vec![] } else { vec![Move::Chain(known, links)] };
            Ok((moves, state))
        };
        let (yes, after_yes) = branch(then, taken.clone())?;
        let (no, after_no) = branch(otherwise, !taken)?;
        *state = after_yes.join(&after_no);
        let mut after = state.about(&set_by(&both));
        after.extend(state.paid());
        Ok(Link::Judged(vec![Move::If(yes, no)], after))
    }

    /// A conditional without draws that each run does on its own.
    fn on_its_own(&self, statement: &Statement, state: &mut State<'_>) -> Option<Link> {
        let values = state.values_after(std::slice::from_ref(statement))?;
        let found: Vec<(Name, Option<Apart>)> =
            values.iter().map(|(name, value)| (name.clone(), Apart::of(state, value, self.taste))).collect();
        for (name, apart) in found {
            state.forget(&name);
            if let Some(apart) = apart {
                state.apart.insert(name, apart);
            }
        }
        let names: Vec<Name> = values.into_iter().map(|(name, _)| name).collect();
        let mut after = state.about(&names);
        after.extend(state.paid());
        Some(Link::Judged(vec![Move::OneSided], after))
    }
}

/// A bound that is due by one event is written as a multiple of 1 or 0: so the costs of several draws that one event decides have one
/// choice between them, and not one each.
fn in_one_choice(apart: &Apart) -> Expr {
    match apart.single() {
        Some((amount, due)) => product(amount.clone(), due),
        None => apart.formula(),
    }
}

/// What decides whether a draw is paid for, where that is one event.
fn decided_by(step: &Move) -> Option<&Expr> {
    let (Move::Draw(Coupling::Shift { cost: e, .. }) | Move::Draw(Coupling::Equal { distance: e, .. })) =
        step
    else {
        return None;
    };
    let last = match e {
        Expr::Binary(Binary::Mul, _, b) => b,
        other => other,
    };
    matches!(last, Expr::If(_, yes, no) if **yes == Expr::int(1) && **no == Expr::int(0)).then_some(last)
}

/// Adds the link of a statement, which is the last of these. Draws that follow one another and are paid for by one event are one link, so
/// that what is paid is asked about once for all of them.
fn push_draw(links: &mut Vec<Link>, link: Link, body: &[Statement]) {
    let Some((Statement::Draw { var, law }, before)) = body.split_last() else { return push(links, link) };
    let (Link::Judged(new, after), Some(Link::Judged(moves, known))) = (&link, links.last_mut()) else {
        return push(links, link);
    };
    let ([step], Some(last)) = (new.as_slice(), moves.last()) else { return push(links, link) };
    let alike = decided_by(step).is_some() && decided_by(step) == decided_by(last);
    let earlier = &before[before.len().saturating_sub(moves.len())..];
    let set = set_by(earlier);
    let mut read = BTreeSet::new();
    law::parameters(law).into_iter().for_each(|e| live::read(e, &mut read));
    let own = !set.contains(var) && set.iter().all(|name| !read.contains(name));
    if !alike || !own || moves.len() >= MOST_TOGETHER || earlier.len() != moves.len() {
        return push(links, link);
    }
    moves.push(step.clone());
    known.retain(|fact| !fact.mentions(&Variable::Cost));
    known.extend(after.iter().cloned());
}

/// Before a variable changes, what was paid is said without it, by the last link that says anything.
fn settle(links: &mut [Link], var: &Name, state: &mut State<'_>) {
    if !state.budget.speaks_of(var) {
        return;
    }
    let known = state.paid();
    state.budget.settle(state.context, var);
    let said = links.iter_mut().rev().find_map(|link| match link {
        Link::Judged(_, after) => Some(after),
        _ => None,
    });
    if let Some(after) = said {
        after.retain(|fact| Some(fact) != known.as_ref());
        after.extend(state.paid());
    }
}

/// Whether a loop has draws.
fn has_draws(statement: &Statement) -> bool {
    let mut found = false;
    for_each_law(std::slice::from_ref(statement), &mut |_| found = true);
    found && matches!(statement, Statement::For { .. } | Statement::While { .. })
}

/// The names that a block and some expressions mention or set.
fn touched(body: &[Statement], more: &[&Expr]) -> Vec<Name> {
    let mut names: BTreeSet<Name> = set_by(body).into_iter().collect();
    let mut see = |e: &Expr| {
        e.for_each_variable(&mut |v| {
            if let Variable::Plain(name) = v {
                names.insert(name.clone());
            }
        })
    };
    for_each_expr(body, &mut see);
    more.iter().for_each(|e| see(e));
    names.into_iter().collect()
}

/// The variables in scales, bounds of clamps, denominators and factors, and what these are made of.
fn wanted(context: &Context) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    let mut add = |e: &Expr| {
        e.for_each_variable(&mut |v| {
            if let Variable::Plain(name) = v {
                names.insert(name.clone());
            }
        })
    };
    let mut laws = |law: &Distribution| {
        let center = matches!(
            law,
            Distribution::Laplace { .. }
                | Distribution::DiscreteLaplace { .. }
                | Distribution::Gaussian { .. }
                | Distribution::DiscreteGaussian { .. }
        );
        law::parameters(law).into_iter().skip(usize::from(center)).for_each(&mut add);
    };
    for_each_law(&context.mechanism().body, &mut laws);
    for_each_expr(&context.mechanism().body, &mut |e| {
        visit(e, &mut |part| match part {
            Expr::Clamp(_, low, high) => [low, high].into_iter().for_each(|e| add(e)),
            Expr::Binary(probity_kernel::expr::Binary::Div, _, b) => add(b),
            _ => {}
        })
    });
    // What is assigned to a wanted variable is wanted too.
    loop {
        let before = names.len();
        let mut more = Vec::new();
        crate::plan::blocks::for_each_assignment(&context.mechanism().body, &mut |var, value| {
            if names.contains(var) {
                value.for_each_variable(&mut |v| {
                    if let Variable::Plain(name) = v {
                        more.push(name.clone());
                    }
                });
            }
        });
        names.extend(more);
        if names.len() == before {
            return names;
        }
    }
}

/// The variables that are multiplied with variables.
fn multiplied(context: &Context) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for_each_expr(&context.mechanism().body, &mut |e| {
        visit(e, &mut |part| {
            if let Expr::Binary(probity_kernel::expr::Binary::Mul, a, b) = part {
                let private = |e: &Expr| {
                    context.in_run(e, Run::First).find_variable(&|v| matches!(v, Variable::Of(..))).is_some()
                };
                if private(a) && private(b) {
                    part.for_each_variable(&mut |v| {
                        if let Variable::Plain(name) = v {
                            names.insert(name.clone());
                        }
                    });
                }
            }
        })
    });
    names
}

fn for_each_law(body: &[Statement], see: &mut dyn FnMut(&Distribution)) {
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => see(law),
            Statement::If { then, otherwise, .. } => {
                for_each_law(then, see);
                for_each_law(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_law(body, see),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// The most draws that are one link.
const MOST_TOGETHER: usize = 12;

/// The most conditionals by which a value is bounded by hand.
const MOST_BOUNDS: usize = 4;

/// The first line of a statement.
fn head(statement: &Statement) -> String {
    let text = statement.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches('{').trim().to_owned()
}
