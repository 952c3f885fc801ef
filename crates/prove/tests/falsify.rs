//! A falsifier: random small mechanisms, random claims; whatever is proved is compared with the exact law.

use std::collections::BTreeMap;

use probity_exact::{Rational, rational};
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::term::{Claim, Distribution, Hints, Input, Mechanism, Reading, Sort, Statement};
use probity_prove::prove;

/// Pseudo-random numbers from a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len() as u64) as usize].clone()
    }
}

fn r(numerator: i64, denominator: i64) -> Rational {
    rational(numerator, denominator).unwrap()
}

type State = BTreeMap<Name, Rational>;

/// The value of an expression; booleans are 0 and 1.
fn value(expr: &Expr, state: &State) -> Rational {
    let truth = |b: bool| r(i64::from(b), 1);
    match expr {
        Expr::Number(n) => n.clone(),
        Expr::Bool(b) => truth(*b),
        Expr::Var(Variable::Plain(name)) => state.get(name).cloned().unwrap_or(r(0, 1)),
        Expr::Unary(Unary::Not, a) => r(1, 1) - value(a, state),
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a, state), value(b, state));
            match op {
                Binary::Add => a + b,
                Binary::And => a * b,
                Binary::Or => a.max(b),
                Binary::Lt => truth(a < b),
                Binary::Eq => truth(a == b),
                _ => panic!("not generated"),
            }
        }
        Expr::If(c, a, b) => {
            if value(c, state) == r(1, 1) {
                value(a, state)
            } else {
                value(b, state)
            }
        }
        _ => panic!("not generated"),
    }
}

/// The exact law of the states after a block.
fn run(body: &[Statement], states: Vec<(State, Rational)>) -> Vec<(State, Rational)> {
    body.iter().fold(states, |states, statement| {
        states.into_iter().flat_map(|(state, mass)| step(statement, state, mass)).collect()
    })
}

fn step(statement: &Statement, mut state: State, mass: Rational) -> Vec<(State, Rational)> {
    match statement {
        Statement::Assign { var, value: e } => {
            let new = value(e, &state);
            state.insert(var.clone(), new);
            vec![(state, mass)]
        }
        Statement::Draw { var, law } => outcomes(law, &state)
            .into_iter()
            .filter(|(_, p)| !p.is_zero())
            .map(|(v, p)| {
                let mut next = state.clone();
                next.insert(var.clone(), v);
                (next, &mass * p)
            })
            .collect(),
        Statement::If { guard, then, otherwise } => {
            let body = if value(guard, &state) == r(1, 1) { then } else { otherwise };
            run(body, vec![(state, mass)])
        }
        _ => panic!("not generated"),
    }
}

fn outcomes(law: &Distribution, state: &State) -> Vec<(Rational, Rational)> {
    match law {
        Distribution::Bernoulli(p) => {
            let p = value(p, state);
            vec![(r(1, 1), p.clone()), (r(0, 1), r(1, 1) - p)]
        }
        Distribution::UniformInt { .. } => (0..3).map(|v| (r(v, 1), r(1, 3))).collect(),
        Distribution::Response { value: truth, truth: p, .. } => {
            let (truth, p) = (value(truth, state), value(p, state));
            let other = (r(1, 1) - &p) / r(2, 1);
            (0..3).map(|v| (r(v, 1), if r(v, 1) == truth { p.clone() } else { other.clone() })).collect()
        }
        _ => panic!("not generated"),
    }
}

/// The largest ratio Pr[out | first]/Pr[out | second] over all inputs and outputs; `None` if it is infinite.
fn worst_ratio(mechanism: &Mechanism) -> Option<Rational> {
    let laws: Vec<BTreeMap<Rational, Rational>> = (0..3)
        .map(|x| {
            let start = State::from([("x".into(), r(x, 1))]);
            let mut law = BTreeMap::new();
            for (state, mass) in run(&mechanism.body, vec![(start, r(1, 1))]) {
                *law.entry(value(&mechanism.output, &state)).or_insert(r(0, 1)) += mass;
            }
            law
        })
        .collect();
    let mut worst = r(1, 1);
    for first in &laws {
        for second in &laws {
            for (output, mass) in first {
                worst = worst.max(mass / second.get(output)?);
            }
        }
    }
    Some(worst)
}

/// A random program over the input x in 0..3, booleans a, b and numbers c, d.
struct Writer<'a>(&'a mut Dice);

impl Writer<'_> {
    fn probability(&mut self) -> Expr {
        let number = |dice: &mut Dice| {
            Expr::Number(dice.pick(&[r(1, 2), r(1, 3), r(2, 3), r(1, 4), r(3, 4), r(1, 5), r(0, 1), r(1, 1)]))
        };
        let (p, q) = (number(self.0), number(self.0));
        match self.0.roll(3) {
            0 => p,
            1 => Expr::var("x").equals(Expr::int(self.0.roll(3) as i64)).choose(p, q),
            _ => Expr::var(self.0.pick(&["a", "b"])).choose(p, q),
        }
    }

    fn flag(&mut self, depth: usize) -> Expr {
        match self.0.roll(if depth == 0 { 2 } else { 5 }) {
            0 => Expr::var("a"),
            1 => Expr::var("b"),
            2 => !self.flag(depth - 1),
            3 => self.flag(depth - 1).and(self.flag(depth - 1)),
            _ => self.number(depth - 1).lt(self.number(depth - 1)),
        }
    }

    fn number(&mut self, depth: usize) -> Expr {
        match self.0.roll(if depth == 0 { 3 } else { 5 }) {
            0 => Expr::var("c"),
            1 => Expr::var("d"),
            2 => {
                if self.0.roll(3) == 0 {
                    Expr::var("x")
                } else {
                    Expr::int(self.0.roll(3) as i64)
                }
            }
            3 => self.number(depth - 1) + self.number(depth - 1),
            _ => self.flag(depth - 1).choose(self.number(depth - 1), self.number(depth - 1)),
        }
    }

    fn block(&mut self, size: u64, depth: usize) -> Vec<Statement> {
        (0..size).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let (flag, number): (Name, Name) = (self.0.pick(&["a", "b"]).into(), self.0.pick(&["c", "d"]).into());
        match self.0.roll(if depth == 0 { 6 } else { 7 }) {
            0 | 1 => Statement::Draw { var: flag, law: Distribution::Bernoulli(self.probability()) },
            2 => {
                let law = Distribution::UniformInt { low: Expr::int(0), high: Expr::int(2) };
                Statement::Draw { var: number, law }
            }
            3 => {
                let truth = Expr::Number(self.0.pick(&[r(1, 2), r(2, 3), r(3, 5)]));
                let law = Distribution::Response { value: Expr::var("x"), truth, count: Expr::int(3) };
                Statement::Draw { var: number, law }
            }
            4 => Statement::Assign { var: flag, value: self.flag(1) },
            5 => Statement::Assign { var: number, value: self.number(1) },
            _ => {
                let guard = self.flag(1);
                let (yes, no) = (1 + self.0.roll(2), self.0.roll(2));
                Statement::If { guard, then: self.block(yes, 0), otherwise: self.block(no, 0) }
            }
        }
    }
}

fn random_mechanism(dice: &mut Dice) -> Mechanism {
    let start = [("a", Expr::Bool(false)), ("b", Expr::Bool(true)), ("c", Expr::int(0)), ("d", Expr::int(1))];
    let mut body: Vec<Statement> =
        start.into_iter().map(|(var, value)| Statement::Assign { var: var.into(), value }).collect();
    let size = 1 + dice.roll(3);
    body.extend(Writer(dice).block(size, 1));
    let output = Expr::var(dice.pick(&["a", "b", "c", "d"]));
    Mechanism {
        name: "random".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Category { count: Expr::int(3) } }],
        params: vec![],
        assumptions: vec![],
        body,
        output,
        adjacency: vec![],
    }
}

#[test]
fn what_is_proved_is_true() {
    let mut dice = Dice(11);
    let (mut proved, mut tight, mut refused) = (0, 0, 0);
    for _ in 0..1_500 {
        let mechanism = random_mechanism(&mut dice);
        let worst = worst_ratio(&mechanism);
        // The exact bound if there is one, a smaller one, and an unrelated one.
        let mut ratios = vec![dice.pick(&[r(1, 1), r(3, 2), r(2, 1), r(3, 1)])];
        if let Some(worst) = &worst {
            ratios.extend([worst.clone(), worst * r(9, 10)]);
        }
        for ratio in ratios.into_iter().filter(|ratio| *ratio >= r(1, 1)) {
            let epsilon = if ratio == r(1, 1) { Expr::int(0) } else { Expr::Number(ratio.clone()).ln() };
            let claim = Claim { epsilon, delta: Expr::int(0), reading: Reading::Reals };
            match prove(&mechanism, &claim, &Hints::default()) {
                Ok(_) => {
                    let truth = worst.as_ref().is_some_and(|worst| *worst <= ratio);
                    assert!(truth, "ratio {ratio}, worst {worst:?}\n{mechanism}");
                    proved += 1;
                    tight += usize::from(ratio > r(1, 1) && worst == Some(ratio));
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(proved > 100 && tight > 5 && refused > 100, "{proved} {tight} {refused}");
}
