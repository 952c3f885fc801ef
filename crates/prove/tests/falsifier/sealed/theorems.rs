//! Every theorem is true, and every equivalence keeps the law of the output.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::privacy::{
    Comparison, Side, Theorem, goal, group, group_share, obligation, privacy, start,
};
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Adjacency, Claim, Distribution, Mechanism, Reading, Statement};

use crate::judgements::MORE;
use crate::law::{Mass, Runner};
use crate::number::{Number, exp, r};
use crate::sample::{Dice, Pair, neighbours};
use crate::value::{Fault, State, Value, plain};
use crate::write::{Writer, int, q};

/// The law of the output; a cell of the line is an output of its own.
pub fn outputs(
    mechanism: &Mechanism,
    inputs: &State,
    shared: &State,
) -> Result<BTreeMap<Value, Mass>, Fault> {
    let runner = Runner { run: 1, keep_trace: false, parts: None };
    let (law, cut) = runner.run(&mechanism.body, inputs, shared)?;
    if !cut.is_zero() {
        return Err(Fault::Unknown);
    }
    let mut all: BTreeMap<Value, Mass> = BTreeMap::new();
    for (point, mass) in law {
        let output = match plain(&mechanism.output, &point.state, shared)? {
            Value::Number(n) => Value::Number(Number::within(n.span())),
            other => other,
        };
        let sum = all.entry(output).or_insert((Rational::ZERO, Rational::ZERO));
        sum.0 += mass.0;
        sum.1 += mass.1;
    }
    Ok(all)
}

/// Whether different outputs are different events.
fn disjoint(a: &BTreeMap<Value, Mass>, b: &BTreeMap<Value, Mass>) -> bool {
    let spans: Vec<_> = a
        .keys()
        .chain(b.keys())
        .filter_map(|value| match value {
            Value::Number(n) => Some(n.span()),
            _ => None,
        })
        .collect();
    let apart = |a: &Option<Rational>, b: &Option<Rational>| matches!((a, b), (Some(a), Some(b)) if a <= b);
    spans.iter().all(|a| spans.iter().all(|b| a == b || apart(&a.high, &b.low) || apart(&b.high, &a.low)))
}

fn number(e: &Expr, shared: &State) -> Result<Number, Fault> {
    match plain(e, &State::new(), shared)? {
        Value::Number(n) => Ok(n),
        _ => Err(Fault::IllTyped(e.to_string())),
    }
}

/// Whether the claim holds of these two inputs, in this order.
fn claim_holds(mechanism: &Mechanism, claim: &Claim, pair: &Pair) -> Result<bool, Fault> {
    let first = outputs(mechanism, &pair.one, &pair.shared)?;
    let second = outputs(mechanism, &pair.two, &pair.shared)?;
    if !disjoint(&first, &second) {
        return Err(Fault::Unknown);
    }
    let amount = number(&claim.epsilon, &pair.shared)?.span().high.ok_or(Fault::Unknown)?;
    let delta = number(&claim.delta, &pair.shared)?.span().high.ok_or(Fault::Unknown)?;
    let there = |value: &Value| second.get(value).map_or(Rational::ZERO, |mass| mass.1.clone());
    if claim.reading == Reading::Reals {
        let factor = exp(&amount).1;
        let excess = first.iter().fold(Rational::ZERO, |sum, (value, mass)| {
            sum + (&mass.0 - &factor * there(value)).max(Rational::ZERO)
        });
        return Ok(excess <= delta);
    }
    let rho = if claim.reading == Reading::Mu { &amount * &amount / r(2, 1) } else { amount };
    for order in [2i64, 3, 6] {
        let mut sum = Rational::ZERO;
        for (value, mass) in first.iter().filter(|(_, mass)| !mass.0.is_zero()) {
            let other = there(value);
            if other.is_zero() {
                return Ok(false);
            }
            let ratio = &mass.0 / other;
            sum += (1..order).fold(mass.0.clone(), |product, _| product * &ratio);
        }
        if sum > exp(&(&rho * r(order * (order - 1), 1))).1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether some neighbours show that a claim is false.
pub fn refuted(mechanism: &Mechanism, claim: &Claim, dice: &mut Dice) -> bool {
    (0..12).any(|_| {
        neighbours(mechanism, Orientation::Forward, dice)
            .is_some_and(|pair| matches!(claim_holds(mechanism, claim, &pair), Ok(false)))
    })
}

/// Holds a theorem against some neighbours, in both orders.
pub fn check(theorem: &Theorem, dice: &mut Dice) -> u64 {
    let mut tried = 0;
    for _ in 0..12 {
        let Some(pair) = neighbours(theorem.mechanism(), Orientation::Forward, dice) else { break };
        let Pair { one, two, shared, ghosts } = pair;
        let back =
            Pair { one: two.clone(), two: one.clone(), shared: shared.clone(), ghosts: ghosts.clone() };
        for pair in [Pair { one, two, shared, ghosts }, back] {
            match claim_holds(theorem.mechanism(), theorem.claim(), &pair) {
                Ok(true) => tried += 1,
                Ok(false) => panic!("a false theorem\n{theorem}\n{:?}\n{pair}", theorem.axioms()),
                Err(Fault::Unknown) => {}
                Err(Fault::IllTyped(what)) => panic!("{what} means nothing\n{theorem}"),
            }
        }
    }
    tried
}

impl Writer {
    fn claim(&mut self) -> Claim {
        let epsilon = self.dice.pick(&[
            int(0),
            int(1),
            int(2),
            Expr::var("eps"),
            q(1, 2),
            int(-1),
            int(1) / Expr::var("n"),
        ]);
        let delta = self.dice.pick(&[int(0), int(0), int(0), q(1, 4), (-Expr::var("eps")).exp(), q(-1, 4)]);
        let reading = match (self.concentrated, self.dice.roll(6)) {
            (true, 0 | 1) => Reading::Mu,
            (true, 2..=4) | (false, 0) => Reading::Rho,
            _ => Reading::Reals,
        };
        Claim { epsilon, delta, reading }
    }

    /// Tries to prove a claim, not always of the right mechanism.
    fn theorem(&mut self, mechanism: &Mechanism, claim: &Claim) -> Option<Theorem> {
        let comparison = self.dice.pick(&[Comparison::Equal, Comparison::Equal, Comparison::Pointwise]);
        let measure = match self.dice.roll(10) {
            0 => Measure::Concentrated,
            1 => Measure::Pure,
            _ => Measure::of(claim.reading),
        };
        // Another claim than the one that is made in the end, rarely.
        let proved = if self.dice.one_in(10) { self.claim() } else { claim.clone() };
        let mut about = mechanism.clone();
        match self.dice.roll(12) {
            0 => drop(about.body.pop()),
            1 => about.output = Expr::var("d"),
            2 => about.adjacency = vec![Adjacency::Related(Expr::Bool(false))],
            _ => {}
        }
        let mut sides = vec![];
        for orientation in [Orientation::Forward, Orientation::Backward] {
            if self.dice.one_in(5) {
                continue;
            }
            let context = Arc::new(Context::measured(&about, orientation, measure).ok()?);
            let wanted = Assertion::new(&context, goal(&context, &proved, comparison)).ok()?;
            let body = if self.dice.one_in(12) { &about.body[1..] } else { &about.body };
            let judgement = self.derive_block(&context, body, &wanted, &mut |_| {})?;
            let needed = obligation(&judgement, claim);
            let evidence = self.evidence(&context, &[&start()], &needed);
            sides.push((judgement, evidence));
        }
        let sides: Vec<Side> =
            sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
        privacy(mechanism, claim, &[], comparison, &sides).ok()
    }
}

fn theorems(writer: &mut Writer, rounds: u64) -> (u64, u64) {
    let (mut made, mut tried) = (0, 0);
    let mut dice = Dice(31);
    for _ in 0..rounds {
        let program = writer.block(1);
        let output = writer.dice.pick(&["c", "a", "y", "o", "c", "d"]);
        let mut mechanism = writer.mechanism(&program, Expr::var(output));
        mechanism
            .body
            .retain(|statement| !matches!(statement, Statement::For { body, .. } if body.is_empty()));
        for _ in 0..3 {
            writer.careful = writer.dice.roll(4) > 0;
            let claim = writer.claim();
            if let Some(theorem) = writer.theorem(&mechanism, &claim) {
                made += 1;
                tried += check(&theorem, &mut dice);
            }
        }
    }
    (made, tried)
}

#[test]
fn theorems_are_true() {
    let (made, tried) = theorems(&mut Writer::new(41), 1_000 * MORE);
    println!("finite: {made} theorems on {tried} pairs");
    assert!(made > 20 && tried > 100, "{made} {tried}");
    let mut writer = Writer::new(42);
    writer.wide = true;
    let (made, tried) = theorems(&mut writer, 300 * MORE);
    println!("noise: {made} theorems on {tried} pairs");
    writer.concentrated = true;
    let (made, tried) = theorems(&mut writer, 300 * MORE);
    println!("concentrated: {made} theorems on {tried} pairs");
}

/// From one row to several.
#[test]
fn groups_of_rows() {
    let mut writer = Writer::new(43);
    let (mut made, mut tried) = (0, 0);
    let mut dice = Dice(44);
    for round in 0..200 * MORE {
        writer.concentrated = round % 3 == 0;
        writer.wide = writer.concentrated || round % 2 == 0;
        let mut mechanism = writer.mechanism(&[], Expr::var("c"));
        let table = Variable::Plain("t".into());
        let count = Expr::sum(table, Expr::field("t", "g"), int(1));
        let (law, coupled) = match (writer.concentrated, writer.wide) {
            (true, _) => (
                Distribution::DiscreteLaplace { center: count, scale: int(1) },
                probity_kernel::term::Coupling::Equal { distance: int(1), cost: q(1, 2) },
            ),
            _ => (
                Distribution::DiscreteLaplace { center: count, scale: int(1) },
                probity_kernel::term::Coupling::Shift { by: int(0), cost: int(1) },
            ),
        };
        mechanism.body = vec![Statement::Draw { var: "c".into(), law }];
        mechanism.inputs.retain(|input| input.name == Name::from("t") || writer.dice.one_in(8));
        mechanism.assumptions = vec![Expr::var("n").ge(writer.dice.pick(&[int(1), int(0)]))];
        mechanism.adjacency = vec![Adjacency::OneRow { table: "t".into() }];
        let most = writer.dice.pick(&[int(2), Expr::var("n"), int(1), q(1, 2), int(0)]);
        let reading = if writer.concentrated { Reading::Rho } else { Reading::Reals };
        let loss = if writer.concentrated { q(1, 2) } else { int(1) };
        let square = if writer.dice.one_in(4) { int(1) } else { most.clone() };
        let factor = if writer.concentrated { most.clone() * square } else { most.clone() };
        let whole = Claim { epsilon: loss * factor, delta: writer.dice.pick(&[int(0), q(1, 4)]), reading };
        let share = if writer.dice.one_in(3) {
            Claim { epsilon: if writer.concentrated { q(1, 2) } else { int(1) }, ..whole.clone() }
        } else {
            group_share(&whole, &most)
        };
        let measure = Measure::of(reading);
        let sides: Vec<_> = [Orientation::Forward, Orientation::Backward]
            .into_iter()
            .filter_map(|orientation| {
                let context = Arc::new(Context::measured(&mechanism, orientation, measure).ok()?);
                let post = Assertion::new(&context, goal(&context, &share, Comparison::Equal)).ok()?;
                let judgement =
                    probity_kernel::sampling::sample(&context, &mechanism.body[0], &coupled, &post).ok()?;
                let needed = obligation(&judgement, &share);
                let evidence = writer.evidence(&context, &[&start()], &needed);
                Some((judgement, evidence))
            })
            .collect();
        let sides: Vec<Side> =
            sides.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
        let Ok(one_row) = privacy(&mechanism, &share, &[], Comparison::Equal, &sides) else { continue };
        check(&one_row, &mut dice);
        let adjacency = vec![Adjacency::Rows { table: "t".into(), most }];
        let mut several = Mechanism { adjacency, ..mechanism };
        if writer.dice.one_in(6) {
            several.output = Expr::sum(Variable::Plain("t".into()), Expr::Bool(true), int(1));
        }
        if let Ok(theorem) = group(&several, &whole, &one_row) {
            made += 1;
            tried += check(&theorem, &mut dice);
        }
    }
    println!("groups: {made} theorems on {tried} pairs");
    assert!(made > 0 && tried > 0);
}

/// A program for the equivalences: the right draws, used rightly and wrongly.
fn rewritable(writer: &mut Writer) -> (Vec<Statement>, Expr) {
    let draw = |var: &str, law| Statement::Draw { var: var.into(), law };
    let (u, s) = (Expr::var("u"), Expr::var("s"));
    let noise = s.clone() * u.clone().ln();
    let (sum, mixed) = (noise.clone(), Expr::var("k").choose(Expr::var("x"), Expr::var("h")));
    let response = Expr::var("k").choose(Expr::var("x"), Expr::var("h"));
    let parts = [
        noise.clone(),
        noise,
        u.clone().ln() * s.clone(),
        s.clone() * (u.clone().ln() / int(2)),
        s.clone() * (u.clone() / int(2)),
        u,
        s,
        response.clone(),
        response,
        Expr::var("k").choose(Expr::var("h"), Expr::var("x")),
        Expr::var("v"),
        Expr::var("v") + int(1),
        Expr::var("c"),
        Expr::var("c") + Expr::var("v"),
        Expr::var("j"),
    ];
    let mut body: Vec<Statement> = vec![];
    for _ in 0..3 + writer.dice.roll(3) {
        let p = writer.dice.pick(&[q(1, 3), q(1, 2), Expr::var("eps"), Expr::var("w")]);
        let value = writer.dice.pick(&parts);
        let var: Name = writer.dice.pick(&["v", "v", "c"]).into();
        body.push(match writer.dice.roll(16) {
            // A draw that one branch makes, and conditions inside of conditions.
            12 | 14 | 15 => {
                let scale = writer.dice.pick(&[
                    int(1),
                    int(1),
                    int(2) / Expr::var("n"),
                    Expr::var("eps"),
                    Expr::var("w"),
                ]);
                let law = writer.dice.pick(&[
                    Distribution::Geometric { scale: scale.clone() },
                    Distribution::Exponential { scale: scale.clone() },
                    Distribution::Exponential { scale },
                    Distribution::Uniform,
                ]);
                let value = writer.dice.pick(&[value, Expr::var("e").min(int(2))]);
                let then = vec![draw("e", law), Statement::Assign { var, value }];
                let otherwise = match writer.dice.one_in(3) {
                    true => vec![Statement::Assign { var: "c".into(), value: writer.dice.pick(&parts) }],
                    false => vec![],
                };
                Statement::If { guard: writer.flag(None), then, otherwise }
            }
            13 => {
                let set = |value| vec![Statement::Assign { var: var.clone(), value }];
                let no = |writer: &mut Writer| match writer.dice.one_in(3) {
                    true => vec![Statement::Assign { var: "c".into(), value: int(1) }],
                    false => vec![],
                };
                let (guard, otherwise) = (writer.flag(None), no(writer));
                let inner = Statement::If { guard, then: set(value), otherwise };
                Statement::If { guard: writer.flag(None), then: vec![inner], otherwise: no(writer) }
            }
            0 => draw("u", Distribution::Uniform),
            1 => draw("u", Distribution::Exponential { scale: int(1) }),
            2 => draw("s", Distribution::Sign),
            3 => draw("k", Distribution::Bernoulli(p)),
            4 => {
                let count = writer.dice.pick(&[int(3), Expr::var("c"), int(2)]);
                draw("h", Distribution::UniformOther { value: Expr::var("x"), count })
            }
            5 | 6 => {
                let branch = |value| vec![Statement::Assign { var: var.clone(), value }];
                let (then, otherwise) = (branch(value), branch(writer.dice.pick(&parts)));
                Statement::If { guard: writer.flag(None), then, otherwise }
            }
            7 | 8 => Statement::Assign { var, value },
            9 => {
                let step = Statement::Assign { var: "v".into(), value: Expr::var("v") + Expr::var("j") };
                let set = Statement::Assign { var: "j".into(), value: int(3) };
                let body = if writer.dice.one_in(12) { vec![step, set] } else { vec![step] };
                let (from, to) = writer.dice.pick(&[(0, 2), (1, 3), (2, 0)]);
                Statement::For { index: "j".into(), from: int(from), to: int(to), body }
            }
            _ => writer.statement(0),
        });
    }
    // The draws that an equivalence is about come first, mostly.
    if writer.dice.roll(4) > 0 {
        let first: Vec<Statement> = match writer.dice.roll(3) {
            2 => vec![
                draw(
                    "k",
                    Distribution::Bernoulli(writer.dice.pick(&[q(1, 3), Expr::var("eps"), Expr::var("w")])),
                ),
                draw(
                    "h",
                    Distribution::UniformInt {
                        low: writer.dice.pick(&[int(0), int(0), int(1)]),
                        high: writer.dice.pick(&[int(2), int(2), int(3), Expr::var("c")]),
                    },
                ),
            ],
            0 => vec![draw("u", Distribution::Uniform), draw("s", Distribution::Sign)],
            _ => vec![
                draw("k", Distribution::Bernoulli(writer.dice.pick(&[q(1, 3), Expr::var("eps")]))),
                draw("h", Distribution::UniformOther { value: Expr::var("x"), count: int(3) }),
            ],
        };
        let is_noise = matches!(&first[0], Statement::Draw { law: Distribution::Uniform, .. });
        body.splice(0..0, first);
        if writer.dice.roll(3) > 0 {
            return (body, if is_noise { sum } else { mixed });
        }
    }
    (body, writer.dice.pick(&parts))
}

/// What the two laws say of an output at or below a number, and of any other output: bounds of probabilities.
fn questions(law: &BTreeMap<Value, Mass>) -> BTreeMap<Value, Mass> {
    let mut answers: BTreeMap<Value, Mass> = BTreeMap::new();
    let mut add = |key: Value, low: &Rational, high: &Rational| {
        let sum = answers.entry(key).or_insert((Rational::ZERO, Rational::ZERO));
        sum.0 += low;
        sum.1 += high;
    };
    let near = r(1, 1024);
    for (value, mass) in law {
        let Value::Number(n) = value else {
            add(value.clone(), &mass.0, &mass.1);
            continue;
        };
        let span = n.span();
        for half in -7..=7 {
            let at = r(half, 2);
            let below = span.high.as_ref().is_some_and(|high| *high <= &at + &near);
            let above = span.low.as_ref().is_some_and(|low| *low >= &at - &near) && !below;
            let low = if below { mass.0.clone() } else { Rational::ZERO };
            let high = if above { Rational::ZERO } else { mass.1.clone() };
            add(Value::ratio(half, 2), &low, &high);
        }
        add(Value::truth(true), &mass.0, &mass.1);
    }
    answers
}

/// Noise that is added later, rightly and wrongly.
fn added_later(writer: &mut Writer) -> (Vec<Statement>, Expr, Rewrite) {
    let draw = |var: &str, law| Statement::Draw { var: var.into(), law };
    let set = |var: &str, value| Statement::Assign { var: var.into(), value };
    let dice = &mut writer.dice;
    let center = dice.pick(&[int(0), int(0), int(1), Expr::var("v"), Expr::var("x")]);
    let scale =
        dice.pick(&[int(1), int(1), Expr::var("n"), Expr::var("eps"), Expr::var("w"), Expr::var("v")]);
    let law = match dice.roll(6) {
        0 | 1 => Distribution::Laplace { center, scale },
        2 => Distribution::Gaussian { center, deviation: scale },
        3 => Distribution::DiscreteGaussian { center, deviation: scale },
        4 => Distribution::DiscreteLaplace { center, scale },
        _ => Distribution::Exponential { scale },
    };
    let z = || Expr::var("e");
    let factor = dice.pick(&[int(2), int(1), q(1, 2), Expr::var("n"), Expr::var("v"), int(-1), int(0)]);
    let stretched = match dice.roll(6) {
        0 => z() * factor,
        1 => factor * z(),
        2 => z() / factor,
        3 => -z(),
        _ => z(),
    };
    let beside = dice.pick(&[int(1), Expr::var("x"), Expr::var("v"), q(1, 2), z(), int(0)]);
    let value = match dice.roll(4) {
        0 => beside - stretched,
        1 => stretched - beside,
        2 => stretched,
        _ => beside + stretched,
    };
    let (read, name, output) = match dice.roll(6) {
        0 => (set("c", value.clone().max(int(1))), "fresh", Expr::var("c")),
        1 => (set("c", value.clone()), "fresh", Expr::var("c")),
        2 => {
            let (then, otherwise) = (vec![set("c", int(2))], vec![]);
            (Statement::If { guard: value.clone().gt(int(1)), then, otherwise }, "fresh", Expr::var("c"))
        }
        _ => (set("c", value.clone()), "c", Expr::var("c")),
    };
    let output = if dice.one_in(8) { output + z() } else { output };
    let mut body = vec![set("v", int(1)), set("c", int(0)), draw("e", law)];
    for _ in 0..dice.roll(3) {
        body.push(match dice.roll(6) {
            0 => set("v", dice.pick(&[int(2), int(0)])),
            1 => draw("k", Distribution::Bernoulli(q(1, 3))),
            2 => draw("h", Distribution::UniformInt { low: int(0), high: Expr::var("x") }),
            3 => set("c", z()),
            4 => Statement::If {
                guard: Expr::var("x").gt(int(0)),
                then: vec![set("v", int(2))],
                otherwise: vec![],
            },
            _ => Statement::While { label: "ever".into(), guard: Expr::var("x").gt(int(1)), body: vec![] },
        });
    }
    match dice.roll(6) {
        0 => {
            body.push(Statement::If { guard: Expr::var("x").gt(int(0)), then: vec![read], otherwise: vec![] })
        }
        1 => body.push(Statement::For { index: "j".into(), from: int(0), to: int(2), body: vec![read] }),
        2 => {
            body.push(read);
            let again = body.split_off(2);
            body.push(Statement::For { index: "j".into(), from: int(0), to: int(2), body: again });
        }
        _ => body.push(read),
    }
    (body, output, Rewrite::Center { noise: "e".into(), value, var: name.into() })
}

/// Holds the laws of the output before and after a rewriting against each other; says on how many inputs.
pub(crate) fn compare(before: &Mechanism, after: &Mechanism, name: &str, round: u64) -> u64 {
    let mut tried = 0;
    let mut dice = Dice(round + 1);
    for _ in 0..3 {
        let Some(pair) = neighbours(before, Orientation::Forward, &mut dice) else { break };
        let law = |m: &Mechanism| outputs(m, &pair.one, &pair.shared);
        let (Ok(one), Ok(other)) = (law(before), law(after)) else { continue };
        let (one, other) = (questions(&one), questions(&other));
        let none = (Rational::ZERO, Rational::ZERO);
        let slack = r(1, 1 << 20);
        for key in one.keys().chain(other.keys()) {
            let (a, b) = (one.get(key).unwrap_or(&none), other.get(key).unwrap_or(&none));
            assert!(
                a.0 <= &b.1 + &slack && b.0 <= &a.1 + &slack,
                "{name} changes the law at {key:?}: {a:?} {b:?}\n{before}\n{after}\n{pair}"
            );
        }
        tried += 1;
    }
    tried
}

#[test]
fn equivalences_about_centers_keep_the_law() {
    let mut writer = Writer::new(52);
    let mut tried = 0;
    for round in 0..1_000 * MORE {
        writer.wide = false;
        let (program, output, rewrite) = added_later(&mut writer);
        let before = writer.mechanism(&program, output);
        if Context::new(&before, Orientation::Forward).is_ok()
            && let Ok(after) = rewrite.apply(&before)
        {
            tried += compare(&before, &after, rewrite.name(), round);
        }
    }
    println!("centers: {tried} inputs");
    assert!(tried > 100, "{tried}");
}

#[test]
fn equivalences_keep_the_law() {
    let mut writer = Writer::new(51);
    let mut applied: BTreeMap<&'static str, u64> = BTreeMap::new();
    for round in 0..8_000 * MORE {
        writer.wide = false;
        let (program, output) = rewritable(&mut writer);
        let before = writer.mechanism(&program, output);
        if Context::new(&before, Orientation::Forward).is_err() {
            continue;
        }
        let new: Name = writer.dice.pick(&["fresh", "fresh", "fresh", "c", "v", "x"]).into();
        let var: Name = writer.dice.pick(&["v", "v", "c", "u", "o"]).into();
        let rewrite = match writer.dice.roll(12) {
            7 | 9 | 10 => Rewrite::Hoist { var: "e".into() },
            8 => Rewrite::Join,
            0 => Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: new },
            1 => Rewrite::ResponseLaw { keep: "k".into(), other: "h".into(), response: new },
            2 => Rewrite::Inline { var },
            3 => Rewrite::Conditional { var },
            4 => Rewrite::Name { var: new },
            5 | 11 => Rewrite::MixtureLaw { keep: "k".into(), other: "h".into(), response: new },
            _ if round % 2 == 1 => Rewrite::Range { index: writer.dice.pick(&["i", "j"]).into() },
            _ => Rewrite::Unroll { index: writer.dice.pick(&["i", "j"]).into() },
        };
        let Ok(after) = rewrite.apply(&before) else { continue };
        *applied.entry(rewrite.name()).or_default() += compare(&before, &after, rewrite.name(), round);
    }
    println!("equivalences: {applied:?}");
    assert!(applied.len() == 10 && applied.values().all(|tried| *tried > 0), "{applied:?}");
}
