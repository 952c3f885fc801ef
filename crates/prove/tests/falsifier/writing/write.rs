//! Random small mechanisms: programs over booleans a, b, integers c, d, reals y, z and a list o, with inputs of every sort.

use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::term::{Adjacency, Distribution, Field, Input, Mechanism, Param, Sort, Statement};

use crate::number::r;
use crate::sample::Dice;

pub fn q(numerator: i64, denominator: i64) -> Expr {
    Expr::Number(r(numerator, denominator))
}

pub fn int(n: i64) -> Expr {
    Expr::int(n)
}

/// Whose variables an expression speaks of: a program's, or those of a run.
pub type Voice = Option<Run>;

pub struct Writer {
    pub dice: Dice,
    /// Whether the program may draw from laws on the line and on all integers.
    pub wide: bool,
    /// Laws that the concentrated measure has couplings for, and no others that differ.
    pub concentrated: bool,
    /// Whether rules are used as they should be.
    pub careful: bool,
    /// How many facts guessed evidence may cite.
    pub facts: u64,
    /// Whether Laplace draws are followed up to a tail.
    pub tails: bool,
    /// How programs are followed.
    pub way: Way,
    /// Whether draws are coupled by what they decide.
    pub cases: bool,
    /// Another context, of which judgements may get in.
    pub other: Option<Arc<Context>>,
}

/// How a program is followed.
#[derive(Clone, Copy)]
pub enum Way {
    /// From its end, statement by statement.
    Backward,
    /// By CHAIN, from its beginning.
    Chains,
    /// By SELECT, point by point.
    Points,
    /// By SPLIT, in one way for some pairs of states and in another for the others.
    Splits,
}

const FLAGS: [&str; 2] = ["a", "b"];
const COUNTS: [&str; 2] = ["c", "d"];
const REALS: [&str; 2] = ["y", "z"];

impl Writer {
    pub fn new(seed: u64) -> Writer {
        Writer {
            dice: Dice(seed),
            wide: false,
            concentrated: false,
            careful: false,
            facts: 14,
            tails: false,
            way: Way::Backward,
            cases: false,
            other: None,
        }
    }

    fn list(&self, voice: Voice, name: &str) -> Variable {
        match voice {
            None => Variable::Plain(name.into()),
            Some(run) => Variable::Of(name.into(), run),
        }
    }

    /// An integer; rarely something else.
    pub fn integer(&mut self, voice: Voice) -> Expr {
        match self.dice.roll(18) {
            0 | 1 => named(voice, "x"),
            2..=5 => {
                let name = self.dice.pick(&COUNTS);
                named(voice, name)
            }
            6 => {
                let flag = self.flag(voice);
                let (a, b) = (int(self.dice.roll(3) as i64), int(self.dice.roll(3) as i64));
                flag.choose(a, b)
            }
            7 => self.integer(voice) + int(1),
            8 => {
                let index = self.dice.pick(&[Expr::var("i"), int(0), int(1)]);
                let list = self.list(voice, "q");
                index.index_of(list)
            }
            9 => Expr::Length(Variable::Plain("q".into())),
            10 => {
                let table = self.list(voice, "t");
                let condition = self.dice.pick(&[
                    Expr::Bool(true),
                    Expr::field("t", "g"),
                    Expr::field("t", "v").le(int(0)),
                ]);
                let value = self.dice.pick(&[int(1), Expr::field("t", "v")]);
                Expr::sum(table, condition, value)
            }
            11 => self.integer(voice).modulo(int(2)),
            12 if self.dice.one_in(6) => self.real(voice),
            12 if self.dice.one_in(6) => self.flag(voice),
            _ => int(self.dice.roll(4) as i64 - 1),
        }
    }

    /// A real number; rarely something else.
    pub fn real(&mut self, voice: Voice) -> Expr {
        match self.dice.roll(12) {
            0..=2 => {
                let name = self.dice.pick(&REALS);
                named(voice, name)
            }
            3 | 4 => named(voice, "w"),
            5 => self.integer(voice),
            6 => self.real(voice) + q(1, 2),
            7 => -self.real(voice),
            8 => Expr::var("eps"),
            9 => self.real(voice).clamp(int(0), int(1)),
            10 if self.dice.one_in(6) => self.flag(voice),
            _ => self.dice.pick(&[q(1, 2), int(0), int(1), q(-1, 2), int(2)]),
        }
    }

    pub fn flag(&mut self, voice: Voice) -> Expr {
        match self.dice.roll(10) {
            0 => !self.flag(voice),
            1 | 2 => {
                let (one, other) = (self.integer(voice), self.integer(voice));
                if self.dice.one_in(3) { one.equals(other) } else { one.lt(other) }
            }
            3 => self.real(voice).le(q(1, 2)),
            4 => named(voice, "f"),
            5 if self.dice.one_in(8) => self.integer(voice),
            _ => {
                let name = self.dice.pick(&FLAGS);
                named(voice, name)
            }
        }
    }

    /// A probability; rarely out of its range.
    fn probability(&mut self, voice: Voice) -> Expr {
        let simple = |dice: &mut Dice| {
            let (n, d) = dice.pick(&[(1, 2), (1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (0, 1), (1, 1)]);
            q(n, d)
        };
        let (p, other) = (simple(&mut self.dice), simple(&mut self.dice));
        match self.dice.roll(12) {
            0..=2 => self.flag(voice).choose(p, other),
            3 | 4 => named(voice, "x").equals(int(self.dice.roll(3) as i64)).choose(p, other),
            5 => Expr::var("eps"),
            6 => self.dice.pick(&[q(-1, 4), q(3, 2), q(1, 2) + named(voice, "w")]),
            _ => p,
        }
    }

    fn scale(&mut self, voice: Voice) -> Expr {
        match self.dice.roll(10) {
            0 | 1 => int(1) / Expr::var("eps"),
            2 => self.flag(voice).choose(int(1), int(2)),
            3 => self.dice.pick(&[int(0), int(-1), Expr::var("eps"), named(voice, "w")]),
            4 => int(2),
            _ => int(1),
        }
    }

    /// A law of the values that a variable takes.
    pub fn law(&mut self, voice: Voice, kind: char) -> Distribution {
        let wide = self.wide && self.dice.roll(4) > 0;
        match kind {
            'b' => Distribution::Bernoulli(self.probability(voice)),
            'i' if wide => {
                let center = match self.dice.roll(3) {
                    0 => int(0),
                    _ => self.integer(voice),
                };
                let scale = self.scale(voice);
                match self.dice.roll(4) {
                    0 if self.concentrated => Distribution::DiscreteGaussian { center, deviation: scale },
                    0 | 1 => Distribution::Geometric { scale },
                    _ => Distribution::DiscreteLaplace { center, scale },
                }
            }
            'i' => {
                let (value, count) =
                    (self.dice.pick(&[named(voice, "x"), named(voice, "c")]), self.dice.pick(&[3, 3, 2]));
                match self.dice.roll(7) {
                    6 => {
                        let (scores, scale) = (named(voice, "q"), self.scale(voice));
                        match scale == int(1) {
                            true => Distribution::PermuteAndFlip { scores, scale },
                            false => Distribution::Choose { scores, scale },
                        }
                    }
                    0 => Distribution::Sign,
                    1 => {
                        let (low, high) = (self.integer(voice), self.integer(voice));
                        Distribution::UniformInt { low, high }
                    }
                    2 => Distribution::UniformInt { low: int(0), high: int(2) },
                    3 => Distribution::UniformOther { value, count: int(count) },
                    _ => Distribution::Response { value, truth: self.probability(voice), count: int(count) },
                }
            }
            _ => {
                let center = match self.dice.roll(3) {
                    0 => int(0),
                    _ => self.real(voice),
                };
                let scale = self.scale(voice);
                match self.dice.roll(if self.concentrated { 6 } else { 5 }) {
                    0 => Distribution::Uniform,
                    1 => Distribution::Exponential { scale },
                    2 | 3 => Distribution::Laplace { center, scale },
                    _ => Distribution::Gaussian { center, deviation: scale },
                }
            }
        }
    }

    pub fn block(&mut self, depth: usize) -> Vec<Statement> {
        (0..1 + self.dice.roll(2)).map(|_| self.statement(depth)).collect()
    }

    fn variable(&mut self) -> (char, Name) {
        let kind =
            self.dice.pick(if self.wide { &['b', 'i', 'i', 'r', 'r'] } else { &['b', 'b', 'i', 'i', 'i'] });
        let names = match kind {
            'b' => &FLAGS,
            'i' => &COUNTS,
            _ => &REALS,
        };
        (kind, self.dice.pick(names).into())
    }

    pub fn statement(&mut self, depth: usize) -> Statement {
        let (kind, var) = self.variable();
        match self.dice.roll(if depth == 0 { 10 } else { 16 }) {
            0..=4 => Statement::Draw { var, law: self.law(None, kind) },
            5..=8 => {
                let value = match kind {
                    'b' => self.flag(None),
                    'i' => self.integer(None),
                    _ => self.real(None),
                };
                Statement::Assign { var, value }
            }
            9 => match self.dice.roll(3) {
                0 => Statement::Assign { var: "o".into(), value: Expr::EmptyList },
                _ => {
                    let value = self.dice.pick(&[Expr::var("c"), Expr::var("d"), int(1)]);
                    Statement::Append { list: "o".into(), value }
                }
            },
            10..=12 => {
                let guard = self.flag(None);
                Statement::If { guard, then: self.block(0), otherwise: self.block(0) }
            }
            13 | 14 => self.for_loop(),
            _ => self.while_loop(),
        }
    }

    /// A loop that counts, within bounds that it may have or not.
    pub fn for_loop(&mut self) -> Statement {
        let from = self.dice.pick(&[int(0), int(0), int(1), Expr::var("n")]);
        let length = Expr::Length(Variable::Plain("q".into()));
        let to = self.dice.pick(&[
            int(1),
            int(2),
            int(2),
            int(0),
            Expr::var("n"),
            length,
            Expr::var("c"),
            Expr::var("i"),
            q(3, 2),
        ]);
        Statement::For { index: "i".into(), from, to, body: self.block(0) }
    }

    /// A loop that goes on while a flag is drawn again and again, or while it counts.
    pub fn while_loop(&mut self) -> Statement {
        let mut body = self.block(0);
        let guard = match self.dice.roll(3) {
            0 => {
                body.push(Statement::Assign { var: "c".into(), value: Expr::var("c") + int(1) });
                Expr::var("c").lt(int(2))
            }
            _ => {
                let flag: Name = self.dice.pick(&FLAGS).into();
                let law = Distribution::Bernoulli(self.dice.pick(&[q(1, 4), q(0, 1)]));
                body.push(Statement::Draw { var: flag.clone(), law });
                Expr::var(flag)
            }
        };
        Statement::While { label: "l".into(), guard, body }
    }

    fn adjacency(&mut self) -> Vec<Adjacency> {
        let (x, y) = (Expr::of("x", Run::First), Expr::of("x", Run::Second));
        let (w, v) = (Expr::of("w", Run::First), Expr::of("w", Run::Second));
        let mut clauses = vec![];
        match self.dice.roll(5) {
            0 => clauses.push(Adjacency::Related((y - x).abs().le(int(1)))),
            1 => clauses.push(Adjacency::Related(x.le(y))),
            2 => clauses.push(Adjacency::Related(y.equals(x))),
            3 => clauses.push(Adjacency::Related((y - x).abs().le(int(0)))),
            _ => {}
        }
        match self.dice.roll(4) {
            0 => clauses.push(Adjacency::Related((v - w).abs().le(q(1, 2)))),
            1 => clauses.push(Adjacency::Related((v - w).le(q(1, 2)))),
            2 => clauses.push(Adjacency::Related((v - w).abs().le(int(0)))),
            _ => {}
        }
        let (list, bound) = (Name::from("q"), self.dice.pick(&[int(1), int(0), int(-1), Expr::var("n")]));
        match self.dice.roll(4) {
            0 => clauses.push(Adjacency::EveryEntry { list, bound }),
            1 => clauses.push(Adjacency::EveryEntryGrows { list, bound }),
            2 => clauses.push(Adjacency::OneEntry { list, bound }),
            _ => {}
        }
        let table = Name::from("t");
        match self.dice.roll(4) {
            0 => clauses.push(Adjacency::OneRow { table }),
            1 => clauses.push(Adjacency::RowReplaced { table }),
            _ => {}
        }
        clauses
    }

    /// A mechanism that begins by giving every variable a value of its kind, and goes on with `program`.
    pub fn mechanism(&mut self, program: &[Statement], output: Expr) -> Mechanism {
        let set = |var: &str, value| Statement::Assign { var: var.into(), value };
        let mut body = vec![
            set("a", Expr::Bool(false)),
            set("b", Expr::Bool(true)),
            set("c", int(0)),
            set("d", int(1)),
            set("y", q(1, 2)),
            set("z", q(1, 2)),
            set("o", Expr::EmptyList),
            Statement::For { index: "i".into(), from: int(0), to: int(1), body: vec![] },
        ];
        body.extend(program.to_vec());
        let x = self.dice.pick(&[Sort::Category { count: int(3) }, Sort::Int]);
        let rows = Sort::Rows(vec![
            Field { name: "v".into(), sort: Sort::Int },
            Field { name: "g".into(), sort: Sort::Bool },
        ]);
        let inputs = [("x", x), ("w", Sort::Real), ("f", Sort::Bool), ("q", Sort::IntList), ("t", rows)];
        let eps = Expr::var("eps");
        let mut assumptions =
            vec![self.dice.pick(&[eps.clone().gt(int(0)), eps.clone().ge(q(1, 2)), eps.ge(int(0))])];
        if self.dice.roll(3) > 0 {
            assumptions.push(Expr::var("n").ge(int(1)));
        }
        if self.dice.one_in(3) {
            assumptions.push(int(0).le(Expr::var("x")));
        }
        if self.dice.one_in(3) {
            let v = Expr::field("t", "v");
            assumptions.push(int(0).le(v.clone()).and(v.le(int(1))));
        }
        Mechanism {
            name: "m".into(),
            inputs: inputs.into_iter().map(|(name, sort)| Input { name: name.into(), sort }).collect(),
            params: vec![
                Param { name: "eps".into(), sort: Sort::Real },
                Param { name: "n".into(), sort: Sort::Int },
            ],
            assumptions,
            body,
            output,
            adjacency: self.adjacency(),
        }
    }
}

fn named(voice: Voice, name: &str) -> Expr {
    match voice {
        None => Expr::var(name),
        Some(run) => Expr::of(name, run),
    }
}
