//! FORESEE: small mechanisms as functions of their noise, with foresights that are right, wrong, and not allowed.
//!
//! The loops count to a number, so that what every variable holds in every round can be written down by running the text on
//! formulas; that is the invariant. What the kernel then accepts is held against probabilities of intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::foresee::{Foresight, Kept, Place};
use probity_kernel::privacy::{Side, Theorem, foreseen, obligation, start};
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::term::{
    Adjacency, Claim, Distribution, Input, Mechanism, Param, Reading, Sort, Statement,
};
use probity_prove::search::search_evidence;

use crate::judge::plausible;
use crate::judgements::MORE;
use crate::law::Mass;
use crate::number::{Number, Tri, exp, r};
use crate::sample::{Dice, Pair, neighbours};
use crate::theorems::outputs;
use crate::value::{Fault, State, Value, plain};
use crate::write::{int, q};

fn var(name: &str) -> Expr {
    Expr::var(name)
}

fn set(var: &str, value: Expr) -> Statement {
    Statement::Assign { var: var.into(), value }
}

fn first(name: &str) -> Expr {
    Expr::of(name, Run::First)
}

fn second(name: &str) -> Expr {
    Expr::of(name, Run::Second)
}

/// How far something moves from the first run to the second.
fn moved(name: &str) -> Expr {
    second(name) - first(name)
}

/// What every variable holds, as a formula of what holds at first.
type Held = BTreeMap<Name, Expr>;

fn read(e: &Expr, held: &Held) -> Expr {
    e.replace(&|v| match v {
        Variable::Plain(name) => held.get(name).cloned(),
        _ => None,
    })
}

/// Runs a text without draws on formulas; shows what is held at the beginning of every round of its loops.
fn follow(body: &[Statement], held: &mut Held, rounds: &mut Vec<(i64, Held)>) -> Option<()> {
    for statement in body {
        match statement {
            Statement::Assign { var, value } => {
                let value = read(value, held);
                held.insert(var.clone(), value);
            }
            Statement::If { guard, then, otherwise } => {
                let guard = read(guard, held);
                let (mut yes, mut no) = (held.clone(), held.clone());
                follow(then, &mut yes, rounds)?;
                follow(otherwise, &mut no, rounds)?;
                for (name, yes) in &yes {
                    let no = no.get(name)?;
                    let either =
                        if yes == no { yes.clone() } else { guard.clone().choose(yes.clone(), no.clone()) };
                    held.insert(name.clone(), either);
                }
            }
            Statement::For { index, from: Expr::Number(from), to: Expr::Number(to), body } => {
                let at = |bound: &Rational| i64::try_from(bound.clone().floor()).ok();
                let (from, to) = (at(from)?, at(to)?);
                for round in from..to {
                    rounds.push((round, held.clone()));
                    held.insert(index.clone(), int(round));
                    follow(body, held, rounds)?;
                    held.remove(index);
                }
                rounds.push((to, held.clone()));
            }
            _ => return None,
        }
    }
    Some(())
}

/// Evidence for what holds on some pairs of states; what is false on one is not searched for.
fn evidence(context: &Context, known: &[&Expr], goal: &Expr, dice: &mut Dice) -> Option<Evidence> {
    plausible(context, known, goal, dice).then_some(())?;
    search_evidence(context, known, goal).ok()
}

/// A judgement about a text without draws, with what is held in every round as the invariant of its loop.
fn derive(
    context: &Arc<Context>,
    body: &[Statement],
    post: &Assertion,
    invariant: &Expr,
    dice: &mut Dice,
) -> Option<Judgement> {
    let mut whole = rules::skip(context, post);
    for statement in body.iter().rev() {
        let after = whole.pre().clone();
        let step = match statement {
            Statement::Assign { .. } => rules::assign(context, statement, &after).ok()?,
            Statement::If { .. } => rules::one_sided_both(context, statement, &after).ok()?,
            Statement::For { index, from, to, body } => {
                let i = Variable::Plain(index.clone());
                let next = invariant.replace(&|v| (*v == i).then(|| Expr::Var(i.clone()) + int(1)));
                let next = Assertion::new(context, next).ok()?;
                let round = derive(context, body, &next, invariant, dice)?;
                let count = Expr::Var(i.clone());
                let range = from.clone().le(count.clone()).and(count.lt(to.clone()));
                let kept = evidence(context, &[invariant, &range], round.pre().formula(), dice)?;
                let all = rules::for_loop(index, (from, to), invariant, &round, &kept).ok()?;
                let ends = evidence(context, &[all.post().formula()], after.formula(), dice)?;
                rules::weaken(&all, &after, &ends).ok()?
            }
            _ => return None,
        };
        whole = rules::seq(&step, &whole).ok()?;
    }
    Some(whole)
}

/// What holds at the beginning of each round, in both runs, unless the goal is false of where the runs end for some inputs.
fn invariant(
    context: &Context,
    (function, index): (&Mechanism, &str),
    goal: &Expr,
    dice: &mut Dice,
) -> Option<Expr> {
    let (mut rounds, mut last) = (vec![], Held::new());
    follow(&function.body, &mut last, &mut rounds)?;
    let ends = goal.replace(&|v| match v {
        Variable::Of(name, run) => last.get(name).map(|value| context.in_run(value, *run)),
        _ => None,
    });
    plausible(context, &[], &ends, dice).then_some(())?;
    let mut parts = vec![Expr::cost().le(int(0))];
    for (round, held) in rounds {
        let facts = held.iter().flat_map(|(name, value)| {
            [Run::First, Run::Second].map(|run| {
                let value = context.in_run(value, run);
                Expr::of(name.clone(), run).equals(value)
            })
        });
        parts.push(var(index).equals(int(round)).implies(Expr::all(facts.collect::<Vec<_>>())));
    }
    Some(Expr::all(parts))
}

/// A theorem by FORESEE, if the kernel makes one.
fn theorem(m: &Mechanism, claim: &Claim, foresight: &Foresight, dice: &mut Dice) -> Option<Theorem> {
    let function = foresight.as_function(m).ok()?;
    let mut sides = vec![];
    for orientation in [Orientation::Forward, Orientation::Backward] {
        let context = Arc::new(Context::new(&function, orientation).ok()?);
        let goal = foresight.goal(&context, m, claim).ok()?;
        let invariant = invariant(&context, (&function, "i"), &goal, dice)?;
        let goal = Assertion::new(&context, goal).ok()?;
        let judgement = derive(&context, &function.body, &goal, &invariant, dice)?;
        let found = evidence(&context, &[&start()], &obligation(&judgement, claim), dice)?;
        sides.push((judgement, found));
        if context.adjacency_is_symmetric() {
            break;
        }
    }
    let sides: Vec<Side> = sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    foreseen(m, claim, &[], foresight, &sides).ok()
}

/// Bounds of the probability of each value, and of lying strictly between two halves.
fn events(law: &BTreeMap<Value, Mass>) -> BTreeMap<(Value, Value), Mass> {
    let mut all: BTreeMap<(Value, Value), Mass> = BTreeMap::new();
    let none = || (Rational::ZERO, Rational::ZERO);
    for (value, mass) in law {
        let Value::Number(n) = value else {
            let sum = all.entry((value.clone(), value.clone())).or_insert_with(none);
            (sum.0, sum.1) = (&sum.0 + &mass.0, &sum.1 + &mass.1);
            continue;
        };
        for (from, to) in (-8..=8).flat_map(|from| (from..=8).map(move |to| (from, to))) {
            let (low, high) = (Number::point(r(from, 2)), Number::point(r(to, 2)));
            let inside = match from == to {
                true => n.eq(&low),
                false => low.lt(n).min(n.lt(&high)),
            };
            if inside != Tri::No {
                let sum = all.entry((Value::ratio(from, 2), Value::ratio(to, 2))).or_insert_with(none);
                sum.1 += &mass.1;
                if inside == Tri::Yes {
                    sum.0 += &mass.0;
                }
            }
        }
    }
    all
}

/// Whether the claim may hold of two inputs, in this order.
fn may_hold(
    m: &Mechanism,
    claim: &Claim,
    (one, two): (&State, &State),
    shared: &State,
) -> Result<bool, Fault> {
    let (here, there) = (events(&outputs(m, one, shared)?), events(&outputs(m, two, shared)?));
    let epsilon = match plain(&claim.epsilon, &State::new(), shared)? {
        Value::Number(n) => n.span().high.ok_or(Fault::Unknown)?,
        _ => return Err(Fault::IllTyped(claim.epsilon.to_string())),
    };
    let factor = exp(&epsilon).1;
    let other = |event| there.get(event).map_or(Rational::ZERO, |mass| mass.1.clone());
    Ok(here.iter().all(|(event, mass)| mass.0 <= &factor * other(event)))
}

/// Holds a theorem against some neighbours, in both orders.
fn check(theorem: &Theorem, dice: &mut Dice) -> u64 {
    let (m, claim) = (theorem.mechanism(), theorem.claim());
    let mut tried = 0;
    for _ in 0..12 {
        let Some(Pair { one, two, shared, .. }) = neighbours(m, Orientation::Forward, dice) else { break };
        for pair in [(&one, &two), (&two, &one)] {
            match may_hold(m, claim, pair, &shared) {
                Ok(true) => tried += 1,
                Ok(false) => panic!("a false theorem\n{theorem}{:?}\n{pair:?} {shared:?}", theorem.axioms()),
                Err(Fault::Unknown) => {}
                Err(Fault::IllTyped(what)) => panic!("{what} means nothing\n{theorem}"),
            }
        }
    }
    tried
}

/// A mechanism, a claim and a foresight.
type Case = (Mechanism, Claim, Foresight);

fn noise(dice: &mut Dice, center: Expr, scale: Expr) -> Distribution {
    match dice.roll(8) {
        0 | 1 => Distribution::DiscreteLaplace { center, scale },
        2 => Distribution::Gumbel { center, scale },
        _ => Distribution::Laplace { center, scale },
    }
}

/// Some rounds, each with one draw of v and something after it.
fn rounds(from: i64, count: i64, law: Distribution, after: Vec<Statement>) -> Vec<Statement> {
    let mut body = vec![Statement::Draw { var: "v".into(), law }];
    body.extend(after);
    let all = Statement::For { index: "i".into(), from: int(from), to: int(from + count), body };
    vec![set("v", int(0)), set("best", int(0)), all]
}

/// A foresight of noise that moves in the first round, and of nothing else.
fn foresight(amount: Expr) -> Foresight {
    Foresight {
        keys: vec![],
        noise: "z".into(),
        places: vec![Place { index: int(0), by: "g".into(), amount }],
        kept: vec![],
        tied: "tied".into(),
        ties: vec![],
    }
}

fn claim(epsilon: Expr) -> Claim {
    Claim { epsilon, delta: int(0), reading: Reading::Reals }
}

fn kept(name: &str, start: Expr, next: Expr) -> Vec<Kept> {
    vec![Kept { name: name.into(), start, next }]
}

/// The entry of the noise that moves.
fn entry() -> Expr {
    int(0).index_of(Variable::Plain("z".into()))
}

/// 1 if something has moved by so much and no more, and 0 else. No noise moves by that, if what it looks at moves with the noise.
fn paradox(moves: Expr, least: Expr) -> Expr {
    moves.equals(least).choose(int(1), int(0))
}

/// A value that is released with noise, which makes up for the input: the amount, the scale and the loss may fit or not.
fn added(dice: &mut Dice) -> Case {
    let scale =
        dice.pick(&[int(1), int(1), int(2), var("eps"), int(1) / var("eps"), int(0), var("x") + int(3)]);
    let (law, output) = match dice.roll(6) {
        0 => (Distribution::Exponential { scale: scale.clone() }, var("v") + var("x")),
        1 => (Distribution::Geometric { scale: scale.clone() }, var("v") + var("x")),
        2 => (noise(dice, int(0), scale.clone()), int(2) * (var("v") + var("x"))),
        _ => (noise(dice, var("x"), scale.clone()), var("v")),
    };
    let amount = dice.pick(&[-moved("x"), -moved("x"), -moved("x"), moved("x"), int(0)]);
    let enough = if scale == int(2) { q(1, 2) } else { int(1) };
    let enough = if scale == int(1) / var("eps") { var("eps") } else { enough };
    let epsilon = dice.pick(&[enough.clone(), enough.clone(), enough, q(1, 4), int(0), int(2)]);
    let mut by = foresight(amount);
    // Keys and what is kept are there, and nothing needs them.
    match dice.roll(6) {
        0 => {
            by.keys.push(("r".into(), dice.pick(&[int(0), output.clone().gt(int(0)).choose(int(1), int(0))])))
        }
        1 => by.kept = kept("k", dice.pick(&[int(0), var("x")]), var("k").max(var("v"))),
        2 => by.ties.push(dice.pick(&[int(0), var("best"), var("eps")])),
        _ => {}
    }
    let mut m = mechanism(dice, rounds(0, 1, law, vec![]), output);
    // Of noise that moves up only, the input falls in one orientation; the other is then not looked at.
    if dice.one_in(6) {
        m.adjacency = vec![Adjacency::Related(moved("x").equals(int(0)))];
    }
    (m, claim(epsilon), by)
}

/// A mechanism that gives its input away, beside draws of which some foresight says anything: each is one that a condition refuses.
fn leak(dice: &mut Dice) -> Case {
    let scale = dice.pick(&[int(1), int(2)]);
    let center = dice.pick(&[int(0), var("x")]);
    let grown = if center == var("x") { moved("x") } else { int(0) };
    let law = noise(dice, center.clone(), scale.clone());
    let real = Distribution::Laplace { center: center.clone(), scale: scale.clone() };
    let whole = Distribution::DiscreteLaplace { center: center.clone(), scale: scale.clone() };
    let around_what_was_drawn = Distribution::Laplace { center: var("v"), scale };
    let one = |law| rounds(0, 1, law, vec![]);
    let two = |law| rounds(0, 2, law, vec![set("best", var("v"))]);
    let with = |amount: Expr, kept: Vec<Kept>| Foresight { kept, ..foresight(amount) };
    let of_kept = || paradox(moved("k"), grown.clone());
    let nothing = paradox(moved("k"), int(0));
    let (body, output, foresight) = match dice.roll(12) {
        // Amounts that know the noise which moves.
        0 => (one(law), var("x"), foresight(paradox(moved("g"), int(0)))),
        1 => (one(law), var("x"), foresight(paradox(moved("v"), grown))),
        // Kept values that know it: at the place, from the start, from the state, by a center that was drawn.
        2 => (one(law), var("x"), with(of_kept(), kept("k", int(0), var("v")))),
        3 => (one(law), var("x"), with(nothing, kept("k", var("g"), var("v")))),
        4 => (two(law), var("x"), with(of_kept(), kept("k", int(0), var("best")))),
        5 => (two(around_what_was_drawn), var("x"), with(nothing, kept("k", int(0), var("v")))),
        6 => (one(law), var("x"), with(paradox(moved("v"), grown), kept("v", int(0), var("v")))),
        // Integers that move by a half, or are tied.
        7 => (one(whole), var("x"), foresight(q(1, 2))),
        8 => {
            let output = var("v").equals(center.clone()).choose(var("x"), int(0));
            let ties = vec![center];
            let still = dice.pick(&[int(0), -moved("x")]);
            (one(whole), output, Foresight { ties, ..foresight(still) })
        }
        // Ties of every draw with itself, and a tie that the text makes.
        9 => (one(real), var("x"), Foresight { ties: vec![entry() + center], ..foresight(int(0)) }),
        10 => {
            let mut body = one(law);
            body.insert(0, set("seen", Expr::Bool(false)));
            body.push(set("seen", Expr::Bool(true)));
            (body, var("x"), Foresight { tied: "seen".into(), ..foresight(int(0)) })
        }
        // A round before the first entry, where there is no noise in the list.
        _ => {
            let output = var("v").equals(int(0)).choose(int(0), var("x"));
            let law = Distribution::Laplace { center: int(0), scale: int(1) };
            let mut foresight = foresight(int(0));
            foresight.places[0].index = int(3);
            (rounds(-1, 1, law, vec![]), output, foresight)
        }
    };
    (mechanism(dice, body, output), claim(dice.pick(&[int(1), int(1), int(2)])), foresight)
}

fn mechanism(dice: &mut Dice, body: Vec<Statement>, output: Expr) -> Mechanism {
    let near = match dice.roll(4) {
        0 => int(0).le(moved("x")).and(moved("x").le(int(1))),
        1 => moved("x").equals(int(0)),
        _ => moved("x").abs().le(int(1)),
    };
    let inputs = [("x", Sort::Int), ("f", Sort::Bool)];
    Mechanism {
        name: "m".into(),
        inputs: inputs.into_iter().map(|(name, sort)| Input { name: name.into(), sort }).collect(),
        params: vec![Param { name: "eps".into(), sort: Sort::Real }],
        assumptions: vec![var("eps").gt(int(0))],
        body,
        output,
        adjacency: vec![Adjacency::Related(near)],
    }
}

/// Noise of which a part is stretched in one of the runs. What is released says which, unless keys may be any numbers, keys of the second
/// run are not asked for, or the noise that moves is kept.
fn stretched(dice: &mut Dice) -> Case {
    let law = Distribution::Laplace { center: int(0), scale: int(10) };
    let within = |e: Expr, low: Expr, high: Expr| low.lt(e.clone()).and(e.lt(high));
    let which = dice.roll(3);
    // Towards the second run's part, or out of it.
    let aside = |here: Expr| {
        let by = here.choose(second("f").choose(int(1), int(-1)), int(0));
        first("f").equals(second("f")).choose(int(0), by)
    };
    let (left, right) = (|e| within(e, int(-1), int(0)), |e| within(e, int(0), int(1)));
    let few = right(var("v")).or(left(var("v")).and(!var("f"))).choose(int(1), int(0));
    let (released, mut by) = match which {
        0 => {
            let released = var("f").choose(int(2) * var("v"), var("v")).clamp(int(-2), int(2));
            let half = var("r") / int(2);
            let amount =
                first("f").equals(second("f")).choose(int(0), second("f").choose(-half.clone(), half));
            (released, Foresight { keys: vec![("r".into(), var("o"))], ..foresight(amount) })
        }
        1 => {
            let key = left(var("v")).choose(int(0), right(var("v")).choose(int(1), int(2)));
            let amount = aside(var("r").equals(int(0)));
            (few, Foresight { keys: vec![("r".into(), key)], ..foresight(amount) })
        }
        _ => {
            let amount = aside(left(first("k")));
            (few, Foresight { kept: kept("k", entry() + var("g"), var("k")), ..foresight(amount) })
        }
    };
    by.ties = vec![int(0)];
    let mut body = rounds(0, 1, law, vec![]);
    body.push(set("o", released));
    let mut m = mechanism(dice, body, var("o"));
    m.adjacency = vec![Adjacency::Related(moved("x").equals(int(0)))];
    if dice.one_in(3) {
        m.adjacency.push(Adjacency::Related(first("f").implies(second("f"))));
    }
    (m, claim(dice.pick(&[q(1, 5), q(1, 10), q(1, 10)])), by)
}

#[test]
fn foresights() {
    let mut dice = Dice(67);
    let (mut made, mut tried, mut kinds) = (0, 0, BTreeSet::new());
    for round in 0..100 * MORE {
        let (m, claim, foresight) = match round % 6 {
            0..=2 => added(&mut dice),
            3 | 4 => leak(&mut dice),
            _ => stretched(&mut dice),
        };
        let mut own = Dice(round + 3);
        if let Some(theorem) = theorem(&m, &claim, &foresight, &mut own) {
            made += 1;
            tried += check(&theorem, &mut own);
            let Some(Statement::For { body, .. }) =
                m.body.iter().find(|s| matches!(s, Statement::For { .. }))
            else {
                continue;
            };
            let Some(Statement::Draw { law, .. }) = body.first() else { continue };
            kinds.insert(law.to_string().split('(').next().unwrap_or_default().to_string());
        }
    }
    println!("foresights: {made} theorems on {tried} pairs, about {kinds:?}");
    assert!(made >= 5 && tried >= 100, "{made} {tried} {kinds:?}");
}
