//! Normal forms and lemmas against the meaning of expressions, evaluated independently.

use std::collections::BTreeMap;

use probity_exact::directed::{exp_nearest, ln_nearest};
use probity_exact::{Rational, rational};
use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Run, Unary, Variable};
use probity_kernel::fact::{Fact, fact};
use probity_kernel::lemma::Lemma;
use probity_kernel::poly::Poly;
use probity_kernel::term::{Input, Mechanism, Param, Sort};

/// Pseudo-random numbers from a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

/// Two real and two integer inputs, a boolean, and a positive and a free parameter.
fn context() -> Context {
    let input = |name: &str, sort| Input { name: name.into(), sort };
    let param = |name: &str| Param { name: name.into(), sort: Sort::Real };
    let mechanism = Mechanism {
        name: "m".into(),
        inputs: vec![input("x", Sort::Real), input("n", Sort::Int), input("b", Sort::Bool)],
        params: vec![param("eps"), param("c")],
        assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
        body: vec![],
        output: Expr::int(0),
        adjacency: vec![],
    };
    Context::new(&mechanism, Orientation::Forward).unwrap()
}

fn numbers() -> Vec<Variable> {
    let mut all: Vec<Variable> = ["x", "n"]
        .iter()
        .flat_map(|name| [Run::First, Run::Second].map(|run| Variable::Of((*name).into(), run)))
        .collect();
    all.extend([Variable::Plain("eps".into()), Variable::Plain("c".into()), Variable::Cost]);
    all
}

fn flags() -> Vec<Variable> {
    [Run::First, Run::Second].map(|run| Variable::Of("b".into(), run)).to_vec()
}

type Values = BTreeMap<Variable, Rational>;

fn assignment(dice: &mut Dice) -> Values {
    let mut values = Values::new();
    for variable in numbers() {
        let whole = matches!(&variable, Variable::Of(name, _) if name.as_str() == "n");
        let numerator = dice.roll(9) as i64 - 4;
        let value = match &variable {
            Variable::Plain(name) if name.as_str() == "eps" => rational(1 + dice.roll(5) as i64, 2).unwrap(),
            _ if whole => rational(numerator, 1).unwrap(),
            _ => rational(numerator, 1 + dice.roll(3) as i64).unwrap(),
        };
        values.insert(variable, value);
    }
    for variable in flags() {
        values.insert(variable, Rational::from(dice.roll(2)));
    }
    values
}

fn number(dice: &mut Dice, depth: usize) -> Expr {
    if depth == 0 || dice.roll(4) == 0 {
        return match dice.roll(3) {
            0 => Expr::int(dice.roll(5) as i64 - 2),
            _ => Expr::Var(numbers()[dice.roll(7) as usize].clone()),
        };
    }
    let mut part = || number(dice, depth - 1);
    let (a, b, c) = (part(), part(), part());
    match dice.roll(12) {
        0 | 1 => a + b,
        2 | 3 => a - b,
        4 => a * b,
        5 => a / b,
        6 => a.abs(),
        7 => a.min(b),
        8 => a.max(b),
        9 => a.clamp(b, c),
        10 => -a,
        _ => formula(dice, depth - 1).choose(a, b),
    }
}

fn formula(dice: &mut Dice, depth: usize) -> Expr {
    if depth == 0 || dice.roll(6) == 0 {
        return match dice.roll(3) {
            0 => Expr::Bool(dice.roll(2) == 0),
            _ => Expr::Var(flags()[dice.roll(2) as usize].clone()),
        };
    }
    match dice.roll(10) {
        0 => formula(dice, depth - 1).and(formula(dice, depth - 1)),
        1 => formula(dice, depth - 1).or(formula(dice, depth - 1)),
        2 => !formula(dice, depth - 1),
        3 => formula(dice, depth - 1).equals(formula(dice, depth - 1)),
        4 => formula(dice, depth - 1).choose(formula(dice, depth - 1), formula(dice, depth - 1)),
        5 => number(dice, depth - 1).lt(number(dice, depth - 1)),
        6 => number(dice, depth - 1).le(number(dice, depth - 1)),
        7 => number(dice, depth - 1).equals(number(dice, depth - 1)),
        8 => number(dice, depth - 1).differs(number(dice, depth - 1)),
        _ => number(dice, depth - 1).ge(number(dice, depth - 1)),
    }
}

/// The meaning of an expression; a boolean is 0 or 1. A quotient by 0 is 0.
fn value(expr: &Expr, values: &Values) -> Rational {
    let v = |e: &Expr| value(e, values);
    let truth = |b: bool| Rational::from(u8::from(b));
    let (zero, one) = (Rational::ZERO, Rational::ONE);
    match expr {
        Expr::Number(n) => n.clone(),
        Expr::Bool(b) => truth(*b),
        Expr::Var(variable) => values[variable].clone(),
        Expr::Unary(op, a) => match op {
            Unary::Neg => -v(a),
            Unary::Abs => v(a).max(-v(a)),
            Unary::Not => one - v(a),
            _ => panic!("{expr}"),
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (v(a), v(b));
            match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div if b.is_zero() => zero,
                Binary::Div => a / b,
                Binary::Min => a.min(b),
                Binary::Max => a.max(b),
                Binary::Lt => truth(a < b),
                Binary::Le => truth(a <= b),
                Binary::Eq => truth(a == b),
                Binary::Ne => truth(a != b),
                Binary::Ge => truth(a >= b),
                Binary::Gt => truth(a > b),
                Binary::And => a * b,
                Binary::Or => a.max(b),
                Binary::Mod | Binary::RoundTo => panic!("{expr}"),
            }
        }
        Expr::Clamp(a, low, high) => v(low).max(v(a).min(v(high))),
        Expr::If(c, a, b) => {
            if v(c) == one {
                v(a)
            } else {
                v(b)
            }
        }
        Expr::Index(..) | Expr::Length(_) | Expr::EmptyList | Expr::Sum(..) | Expr::Apart(..) => {
            panic!("{expr}")
        }
    }
}

fn poly_value(p: &Poly, values: &Values) -> Rational {
    p.terms().fold(Rational::ZERO, |sum, (monomial, coefficient)| {
        let product = monomial.powers().fold(coefficient.clone(), |product, (atom, power)| {
            let base = value(atom, values);
            let base = if power < 0 { Rational::ONE / base } else { base };
            (0..power.unsigned_abs()).fold(product, |product, _| product * &base)
        });
        sum + product
    })
}

fn holds(fact: &Fact, values: &Values) -> bool {
    match fact {
        Fact::Zero(p) => poly_value(p, values).is_zero(),
        Fact::Positive(p) => poly_value(p, values) > Rational::ZERO,
        Fact::NonNegative(p) => poly_value(p, values) >= Rational::ZERO,
        Fact::Holds(e, polarity) => (value(e, values) == Rational::ONE) == *polarity,
        Fact::Any(parts) => parts.iter().any(|part| holds(part, values)),
        Fact::All(parts) => parts.iter().all(|part| holds(part, values)),
    }
}

/// The normal form of a formula, and of its negation, has exactly the formula's models.
#[test]
fn facts_mean_what_formulas_mean() {
    let context = context();
    let mut dice = Dice(1);
    let mut compared = 0;
    for _ in 0..3_000 {
        let formula = formula(&mut dice, 4);
        for polarity in [true, false] {
            // A formula that unfolds into too many cases is refused, which is fine.
            let Ok(fact) = fact(&context, &formula, polarity) else { continue };
            for _ in 0..4 {
                let values = assignment(&mut dice);
                let truth = value(&formula, &values) == Rational::ONE;
                assert_eq!(holds(&fact, &values), truth == polarity, "{formula}\nat {values:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// The meaning in floating point, for lemmas about functions that have no rational values.
fn float(expr: &Expr, at: &BTreeMap<&str, f64>) -> f64 {
    let v = |e: &Expr| float(e, at);
    match expr {
        Expr::Number(n) => n.to_f64().value(),
        Expr::Var(Variable::Of(name, _) | Variable::Plain(name)) => at[name.as_str()],
        Expr::Unary(Unary::Neg, a) => -v(a),
        Expr::Unary(Unary::Abs, a) => v(a).abs(),
        Expr::Unary(Unary::Floor, a) => v(a).floor(),
        Expr::Unary(Unary::Ln, a) => {
            if v(a) > 0.0 {
                ln_nearest(v(a))
            } else {
                0.0
            }
        }
        Expr::Unary(Unary::Exp, a) => exp_nearest(v(a)),
        Expr::Unary(Unary::Pow2AtLeast, a) => {
            if v(a) > 0.0 {
                (-40..40).map(|k| 2f64.powi(k)).find(|p| *p >= v(a)).unwrap()
            } else {
                0.0
            }
        }
        Expr::Binary(Binary::Add, a, b) => v(a) + v(b),
        Expr::Binary(Binary::Sub, a, b) => v(a) - v(b),
        Expr::Binary(Binary::Mul, a, b) => v(a) * v(b),
        Expr::Binary(Binary::Div, a, b) => {
            if v(b) == 0.0 {
                0.0
            } else {
                v(a) / v(b)
            }
        }
        Expr::Binary(Binary::Mod, a, b) => {
            if v(b) > 0.0 {
                v(a).rem_euclid(v(b))
            } else {
                0.0
            }
        }
        Expr::Binary(Binary::RoundTo, a, g) => {
            if v(g) > 0.0 {
                (v(a) / v(g)).round_ties_even() * v(g)
            } else {
                0.0
            }
        }
        _ => panic!("{expr}"),
    }
}

/// Whether a lemma's formula is true, with room for rounding in its conclusions.
fn float_holds(formula: &Expr, at: &BTreeMap<&str, f64>, room: f64) -> bool {
    let truth = |e: &Expr, room: f64| float_holds(e, at, room);
    match formula {
        Expr::Unary(Unary::Not, a) => !truth(a, -room),
        Expr::Binary(Binary::And, a, b) => truth(a, room) && truth(b, room),
        Expr::Binary(Binary::Or, a, b) => truth(a, room) || truth(b, room),
        Expr::Binary(op, a, b) => {
            let (a, b) = (float(a, at), float(b, at));
            let room = room * (1.0 + a.abs() + b.abs());
            match op {
                Binary::Lt => a < b + room,
                Binary::Le => a <= b + room,
                Binary::Eq if room < 0.0 => a == b,
                Binary::Eq => (a - b).abs() <= room,
                Binary::Ne => a != b,
                _ => panic!("{formula}"),
            }
        }
        _ => panic!("{formula}"),
    }
}

/// Every lemma is true at many points, the special ones included.
#[test]
fn lemmas_are_true() {
    let context = context();
    let mut dice = Dice(2);
    let (a, b, g) = (Expr::of("x", Run::First), Expr::of("c", Run::First), Expr::var("eps"));
    let (n, m) = (Expr::of("n", Run::First), Expr::of("n", Run::Second));
    let two = |f: fn(Expr, Expr) -> Lemma| f(a.clone(), b.clone());
    let lemmas = [
        Lemma::Inverse(a.clone()),
        Lemma::InversePositive(a.clone()),
        Lemma::Floor(a.clone()),
        two(Lemma::FloorMonotone),
        Lemma::RoundNear(a.clone(), g.clone()),
        Lemma::RoundMonotone(a.clone(), b.clone(), g.clone()),
        Lemma::ModRange(n, m),
        Lemma::Pow2(a.clone()),
        Lemma::ExpPositive(a.clone()),
        two(Lemma::ExpSum),
        two(Lemma::ExpMonotone),
        Lemma::ExpTangent(a.clone()),
        two(Lemma::LnMonotone),
        Lemma::LnPositive(a.clone()),
        two(Lemma::LnProduct),
        two(Lemma::LnQuotient),
        Lemma::LnValue(Rational::from(3)),
        Lemma::ExpValue(Rational::from(-2)),
        Lemma::ExpLn(a.clone()),
        Lemma::LnExp(a.clone()),
        Lemma::SameUnary(Unary::Floor, a.clone(), b.clone()),
        Lemma::SameUnary(Unary::Ln, a.clone(), b.clone()),
        Lemma::SameBinary(Binary::RoundTo, (a.clone(), b.clone()), (g.clone(), g.clone())),
        Lemma::SameBinary(Binary::Div, (a.clone(), b.clone()), (g.clone(), g)),
    ];
    for lemma in &lemmas {
        let formula = lemma.formula(&context).unwrap();
        for _ in 0..2_000 {
            let mut point = BTreeMap::new();
            for name in ["x", "c", "eps"] {
                let coarse = (dice.roll(17) as f64 - 8.0) / 2.0;
                let fine = (dice.roll(1_000_001) as f64 - 500_000.0) / 100_000.0;
                point.insert(name, if dice.roll(2) == 0 { coarse } else { fine });
            }
            point.insert("n", dice.roll(21) as f64 - 10.0);
            assert!(float_holds(&formula, &point, 1e-9), "{lemma} at {point:?}");
        }
    }
    // Some formulas that are no lemmas are caught by the same test.
    let wrong = [
        (a.clone() + b.clone()).floor().equals(a.clone().floor() + b.clone().floor()),
        a.clone().exp().le(Expr::int(1) + a.clone()),
        (a.clone() + b.clone()).ln().equals(a.clone().ln() + b.ln()),
    ];
    for formula in wrong {
        let refuted = (0..2_000).any(|_| {
            let point = ["x", "c", "eps", "n"].map(|name| (name, dice.roll(1000) as f64 / 100.0 - 3.0));
            !float_holds(&formula, &BTreeMap::from(point), 1e-9)
        });
        assert!(refuted, "{formula}");
    }
}
