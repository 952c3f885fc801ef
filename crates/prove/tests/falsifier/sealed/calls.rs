//! CALL: theorems of small mechanisms, used rightly and wrongly in the judgements of others. What a call releases is found by running
//! the called mechanism, so a call that is too cheap is a false judgement.

use std::sync::Arc;

use probity_kernel::call::{Price, call};
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::privacy::Theorem;
use probity_kernel::rules::Assertion;
use probity_kernel::term::{
    Adjacency, Called, Claim, Coupling, Distribution, Field, Hints, Input, Mechanism, Param, Reading, Sort,
    Statement,
};
use probity_prove::prove;

use crate::judgements::{MORE, Seen, check, report};
use crate::sample::Dice;
use crate::write::{Writer, int, q};

fn draw(var: &str, law: Distribution) -> Statement {
    Statement::Draw { var: var.into(), law }
}

fn set(var: &str, value: Expr) -> Statement {
    Statement::Assign { var: var.into(), value }
}

fn near() -> Vec<Adjacency> {
    vec![Adjacency::Related((Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(int(1)))]
}

/// A mechanism of one input and a parameter e > 0 that releases c.
fn inner(input: &str, sort: Sort, adjacency: Vec<Adjacency>, body: Vec<Statement>) -> Mechanism {
    Mechanism {
        name: "inner".into(),
        inputs: vec![Input { name: input.into(), sort }],
        params: vec![Param { name: "e".into(), sort: Sort::Real }],
        assumptions: vec![Expr::var("e").gt(int(0))],
        body,
        output: Expr::var("c"),
        adjacency,
    }
}

fn noise(center: Expr) -> Statement {
    draw("c", Distribution::DiscreteLaplace { center, scale: int(1) / Expr::var("e") })
}

/// What is called, with a claim that no smaller one replaces.
fn library() -> Vec<(Mechanism, Claim)> {
    let x = || Expr::var("x");
    let claim = |epsilon: Expr, delta: Expr, reading| Claim { epsilon, delta, reading };
    let e = || claim(Expr::var("e"), int(0), Reading::Reals);
    let first = || int(0).index_of(Variable::Plain("q".into()));
    let list = |clause: Adjacency| inner("q", Sort::IntList, vec![clause], vec![noise(first())]);
    let rows =
        vec![Field { name: "v".into(), sort: Sort::Int }, Field { name: "g".into(), sort: Sort::Bool }];
    let count = Expr::sum(Variable::Plain("t".into()), Expr::field("t", "g"), int(1));
    let tables = |clause| inner("t", Sort::Rows(rows.clone()), vec![clause], vec![noise(count.clone())]);
    let response = Distribution::Response { value: x(), truth: q(1, 2), count: int(3) };
    let category = Sort::Category { count: int(3) };
    // The input itself, with the probability of a tail.
    let leak = vec![
        set("c", int(0)),
        draw("y", Distribution::Laplace { center: int(0), scale: int(1) }),
        Statement::If {
            guard: int(1).lt(Expr::var("y").abs()),
            then: vec![set("c", x())],
            otherwise: vec![],
        },
    ];
    let forever = Statement::While { label: "ever".into(), guard: Expr::var("e").gt(int(1)), body: vec![] };
    let one_sided = vec![Adjacency::Related(
        (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).le(int(1)).and(int(0).le(Expr::of(
            "x",
            Run::Second,
        ) - Expr::of(
            "x",
            Run::First,
        ))),
    )];
    let normal = draw("c", Distribution::DiscreteGaussian { center: x(), deviation: int(1) });
    vec![
        (inner("x", Sort::Int, near(), vec![noise(x())]), e()),
        (inner("x", Sort::Int, one_sided, vec![noise(x())]), e()),
        (list(Adjacency::EveryEntry { list: "q".into(), bound: int(1) }), e()),
        (list(Adjacency::EveryEntryGrows { list: "q".into(), bound: int(1) }), e()),
        (list(Adjacency::OneEntry { list: "q".into(), bound: int(1) }), e()),
        (tables(Adjacency::OneRow { table: "t".into() }), e()),
        (tables(Adjacency::RowReplaced { table: "t".into() }), e()),
        (inner("x", category, vec![], vec![draw("c", response)]), claim(int(2).ln(), int(0), Reading::Reals)),
        (inner("x", Sort::Int, vec![], leak), claim(int(0), int(-1).exp(), Reading::Reals)),
        (inner("x", Sort::Int, near(), vec![forever, noise(x())]), e()),
        (inner("x", Sort::Int, near(), vec![normal]), claim(q(1, 2), int(0), Reading::Rho)),
    ]
}

fn theorems() -> Vec<Theorem> {
    let proved = |(mechanism, claim): &(Mechanism, Claim)| {
        // Where mass is given up, it is the tail of y.
        let hints = match claim.delta == int(0) {
            true => Hints::default(),
            false => Hints {
                couplings: vec![("y".into(), Coupling::Null)],
                tails: vec![("y".into(), int(1))],
                ..Hints::default()
            },
        };
        let proof = prove(mechanism, claim, &hints);
        proof.unwrap_or_else(|why| panic!("{mechanism} {why:?}")).theorem().clone()
    };
    library().iter().map(proved).collect()
}

impl Writer {
    /// A call, mostly with arguments of the right kind.
    fn called(&mut self, theorem: &Theorem) -> Called {
        let input = match theorem.mechanism().inputs[0].name.as_str() {
            "x" => match self.dice.roll(3) {
                0 => Expr::var("x"),
                _ => self.integer(None),
            },
            name => Expr::var(name),
        };
        let param = self.dice.pick(&[
            Expr::var("eps"),
            Expr::var("eps"),
            int(1),
            int(2),
            Expr::var("n"),
            Expr::var("w"),
            Expr::var("f").choose(int(1), int(2)),
            int(-1),
            int(0),
        ]);
        let mut called = Called {
            mechanism: theorem.mechanism().clone(),
            claim: theorem.claim().clone(),
            inputs: vec![input],
            params: vec![param],
            released: Sort::Int,
        };
        match self.dice.roll(20) {
            0 => called.claim.epsilon = q(1, 4),
            1 => called.claim.delta = int(0),
            2 => called.mechanism.body = vec![set("c", Expr::var("x"))],
            3 => called.inputs.clear(),
            4 => called.released = Sort::Bool,
            _ => {}
        }
        called
    }
}

fn search(writer: &mut Writer, theorems: &[Theorem], rounds: u64) -> Seen {
    let mut seen = Seen::default();
    for round in 0..rounds {
        let theorem = writer.dice.pick(theorems);
        let called = writer.called(&theorem);
        let statement = draw("c", Distribution::Called(Box::new(called)));
        let mechanism = writer.mechanism(std::slice::from_ref(&statement), Expr::var("c"));
        let orientation = writer.dice.pick(&[Orientation::Forward, Orientation::Backward]);
        let measure = if writer.concentrated { Measure::Concentrated } else { Measure::Pure };
        let Ok(context) = Context::measured(&mechanism, orientation, measure).map(Arc::new) else { continue };
        let mut dice = Dice(round.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 7);
        for _ in 0..3 {
            let same = Expr::of("c", Run::First).equals(Expr::of("c", Run::Second));
            let about = if writer.dice.one_in(4) { writer.relation() } else { same };
            let Ok(post) = Assertion::new(&context, about.and(writer.bound())) else { continue };
            let known = if writer.dice.one_in(10) { writer.dice.pick(theorems) } else { theorem.clone() };
            let paid = writer.dice.pick(&[Price::Paid, Price::Paid, Price::Free, Price::IfDifferent]);
            if let Ok(judgement) = call(&context, &statement, &known, paid, &post) {
                check(&judgement, &context, &mut seen, &mut dice);
            }
        }
    }
    seen
}

#[test]
fn calls() {
    let theorems = theorems();
    let mut writer = Writer::new(61);
    let seen = search(&mut writer, &theorems, 700 * MORE);
    report("calls", &seen);
    assert!(seen.rules["CALL"] > 50, "{:?}", seen.rules);
    writer.concentrated = true;
    let seen = search(&mut writer, &theorems, 400 * MORE);
    report("calls in rho", &seen);
    assert!(seen.rules["CALL-PURE"] > 20 && seen.rules["CALL-RHO"] > 5, "{:?}", seen.rules);
}
