//! Random derivations: any rule on anything, often as it should be used and often not.

use std::sync::Arc;

use probity_exact::Rational;
use probity_kernel::chain::Chain;
use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::expr::{Expr, Run, Variable};
use probity_kernel::finite::same_value;
use probity_kernel::once::for_loop_once;
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sampling::{
    sample, signed_log, up_to_exact_tail_int, up_to_exact_tails_int, up_to_far_tail, up_to_open_tail,
    up_to_side, up_to_start, up_to_tail, up_to_tail_uniform, up_to_upper_tail,
};
use probity_kernel::select::split::split;
use probity_kernel::select::{case, cases, point, select};
use probity_kernel::term::{Coupling, Distribution, Statement};
use probity_prove::search::search_evidence;

use crate::number::r;
use crate::write::{Writer, int, q};

const BOTH: [Run; 2] = [Run::First, Run::Second];

impl Writer {
    fn run(&mut self) -> Run {
        self.dice.pick(&BOTH)
    }

    pub fn atom(&mut self) -> Expr {
        let name = self.dice.pick(&["a", "b", "c", "c", "d", "y", "z", "o", "x", "w", "f"]);
        let same = |name: &str| Expr::of(name, Run::First).equals(Expr::of(name, Run::Second));
        let run = self.run();
        match self.dice.roll(14) {
            0..=5 => same(name),
            6 => self.flag(Some(run)),
            7 => self.integer(Some(run)).le(int(1)),
            8 => {
                let (one, other) = (self.integer(Some(Run::First)), self.integer(Some(Run::Second)));
                if self.dice.one_in(2) { one.le(other) } else { one.equals(other) }
            }
            9 => {
                let name = self.dice.pick(&["c", "d", "y", "z", "x", "w"]);
                let apart = Expr::of(name, Run::Second) - Expr::of(name, Run::First);
                let bound = self.dice.pick(&[int(1), int(0), q(1, 2)]);
                match self.dice.roll(3) {
                    0 => apart.abs().le(bound),
                    1 => apart.equals(bound),
                    _ => apart.le(bound),
                }
            }
            10 => {
                let at = self.dice.pick(&[int(0), Expr::var("i"), Expr::Var(Variable::Changed("q".into()))]);
                let entry = |run| at.clone().index_of(Variable::Of("q".into(), run));
                entry(Run::First).equals(entry(Run::Second))
            }
            11 => {
                let count = |run| {
                    let table = Variable::Of("t".into(), run);
                    Expr::sum(table, Expr::field("t", "g"), Expr::field("t", "v"))
                };
                let row = |run| Expr::Var(Variable::Row("t".into(), run, "v".into()));
                match self.dice.roll(3) {
                    0 => (count(Run::Second) - count(Run::First)).abs().le(int(1)),
                    1 => row(run).le(int(1)),
                    _ => count(Run::First).equals(count(Run::Second)),
                }
            }
            12 => self.real(Some(run)).le(q(1, 2)),
            _ => Expr::var("i").le(int(1)),
        }
    }

    pub fn relation(&mut self) -> Expr {
        let parts: Vec<Expr> = (0..1 + self.dice.roll(2))
            .map(|_| {
                let atom = self.atom();
                match self.dice.roll(6) {
                    0 => atom.or(self.atom()),
                    1 => self.atom().implies(atom),
                    _ => atom,
                }
            })
            .collect();
        Expr::all(parts)
    }

    pub fn bound(&mut self) -> Expr {
        let bound = match self.dice.roll(9) {
            0 => Expr::var("eps"),
            1 => Expr::var("i"),
            2 => int(2) * Expr::var("eps"),
            3 => int(0),
            4 => q(1, 2),
            5 => Expr::of("c", Run::First),
            _ => self.dice.pick(&[int(1), int(2)]),
        };
        if self.dice.one_in(8) { Expr::cost().lt(bound) } else { Expr::cost().le(bound) }
    }

    /// A relation that may speak of what it must not: an arbitrary value, something ill typed.
    fn wild(&mut self) -> Expr {
        let name = self.dice.pick(&["c", "y", "a"]);
        let value = Expr::Var(Variable::Arbitrary(name.into(), 0));
        match self.dice.roll(5) {
            0 => value.le(int(0)),
            1 => self.integer(Some(Run::First)),
            2 => Expr::var("c").le(int(0)),
            3 => Expr::Length(Variable::Of("q".into(), Run::First)).equals(int(1)),
            _ => Expr::cost().le(int(0)),
        }
    }

    fn assertion(&mut self, context: &Context) -> Option<Assertion> {
        let relation = self.relation();
        let formula = if self.dice.one_in(10) { self.wild().and(relation) } else { relation };
        Assertion::new(context, formula.and(self.bound())).ok()
    }

    pub fn evidence(&mut self, context: &Context, known: &[&Expr], goal: &Expr) -> Evidence {
        if !self.careful && self.dice.one_in(12) {
            return self.guess(1);
        }
        search_evidence(context, known, goal).unwrap_or_else(|_| self.guess(1))
    }

    /// Evidence out of thin air.
    pub fn guess(&mut self, depth: usize) -> Evidence {
        let facts = self.facts;
        // The last fact is the negation of the goal.
        let mut fact = || match self.dice.roll(4) {
            0 => facts.saturating_sub(1) as usize,
            _ => self.dice.roll(facts.max(1)) as usize,
        };
        match fact() % if depth == 0 { 5 } else { 8 } {
            0 => Evidence::Absurd(fact()),
            1 => Evidence::Clash(fact(), fact()),
            5 => {
                let number = fact();
                let count = 1 + self.dice.roll(2);
                Evidence::Cases(number, (0..count).map(|_| self.guess(depth - 1)).collect())
            }
            6 => {
                let formula = self.atom();
                Evidence::Cut(formula, Box::new(self.guess(depth - 1)), Box::new(self.guess(depth - 1)))
            }
            7 => {
                let lemma = self.lemma();
                Evidence::Cite(lemma, Box::new(self.guess(depth - 1)))
            }
            _ => {
                let mut products = vec![];
                for _ in 0..1 + self.dice.roll(2) {
                    let last = facts.saturating_sub(1) as usize;
                    let count = self.dice.pick(&[0, 1, 1, 1, 2]);
                    let facts = (0..count)
                        .map(|_| match self.dice.roll(3) {
                            0 => last,
                            _ => self.dice.roll(facts.max(1)) as usize,
                        })
                        .collect();
                    let coefficient = self.dice.pick(&[r(1, 1), r(1, 1), r(2, 1), r(-1, 1), Rational::ZERO]);
                    let scale = if self.dice.one_in(6) {
                        let name = self.dice.pick(&["eps", "n", "c"]);
                        vec![(name.into(), self.dice.pick(&[1, -1]))]
                    } else {
                        vec![]
                    };
                    products.push(Product { coefficient, scale, facts });
                }
                let mut equations = vec![];
                if self.dice.one_in(2) {
                    let multiplier = self.dice.pick(&[int(1), int(-1), Expr::of("c", Run::First)]);
                    equations.push((self.dice.roll(facts.max(1)) as usize, multiplier));
                }
                Evidence::Combination { products, equations }
            }
        }
    }

    fn lemma(&mut self) -> probity_kernel::lemma::Lemma {
        use probity_kernel::lemma::Lemma;
        let run = self.run();
        let (a, b) = (self.integer(Some(run)), self.integer(Some(Run::Second)));
        match self.dice.roll(10) {
            0 => Lemma::Adjacent("q".into(), a),
            1 => Lemma::Inverse(a),
            2 => Lemma::ModRange(a, b),
            3 => Lemma::Floor(self.real(Some(run))),
            4 => Lemma::RoundNear(a, b),
            5 => Lemma::SameEntry(Variable::Of("q".into(), run), a, b),
            6 => {
                let part = |_: Run| (Expr::field("t", "g"), Expr::field("t", "v"));
                let mut second = part(Run::Second);
                if self.dice.one_in(3) {
                    second = (Expr::Bool(true), Expr::field("t", "v"));
                }
                Lemma::Rows("t".into(), part(Run::First), second)
            }
            7 => Lemma::EqualEntries(self.dice.pick(&["q", "o"]).into(), a, b),
            8 => Lemma::EqualLengths("o".into()),
            _ => Lemma::LnProduct(a, b),
        }
    }

    fn ratio(&mut self) -> (Expr, Expr) {
        let (n, d) = self.dice.pick(&[(1, 1), (2, 1), (3, 2), (3, 1), (-1, 1), (1, 2), (0, 1)]);
        match self.dice.roll(5) {
            0 => {
                let name = self.dice.pick(&["a", "b"]);
                (Expr::of(name, Run::First).choose(q(n, d), int(1)), int(1))
            }
            1 => (q(n, d), self.dice.pick(&[int(1), int(2), int(-1)])),
            _ => (q(n, d), int(1)),
        }
    }

    fn shift(&mut self, law: &Distribution, context: &Context) -> (Expr, Expr) {
        let (center, scale) = match law {
            Distribution::Laplace { center, scale }
            | Distribution::DiscreteLaplace { center, scale }
            | Distribution::Gumbel { center, scale } => (center.clone(), scale.clone()),
            Distribution::Exponential { scale } | Distribution::Geometric { scale } => {
                (int(0), scale.clone())
            }
            _ => (int(0), int(1)),
        };
        let (here, there) = (context.in_run(&center, Run::First), context.in_run(&center, Run::Second));
        let by = match self.dice.roll(8) {
            0 | 1 => there.clone() - here.clone(),
            2..=4 => int(0),
            5 => self.dice.pick(&[q(1, 2), int(-1)]),
            6 => self.integer(Some(Run::First)),
            _ => int(1),
        };
        let scale = context.in_run(&scale, Run::First);
        let cost = match self.dice.roll(8) {
            0 | 1 => (by.clone() + here - there).abs() / scale,
            2 | 3 => by.clone().abs() / scale,
            4 => int(0),
            5 => q(1, 2),
            6 => Expr::var("eps"),
            _ => int(1),
        };
        (by, cost)
    }

    fn coupling(&mut self, law: &Distribution, context: &Context) -> Coupling {
        let finite = matches!(
            law,
            Distribution::Bernoulli(_)
                | Distribution::Sign
                | Distribution::UniformInt { .. }
                | Distribution::UniformOther { .. }
                | Distribution::Response { .. }
        );
        match self.dice.roll(16) {
            0..=3 => Coupling::Null,
            4 if !self.concentrated => Coupling::SignedLog { by: int(1), cost: int(1) },
            _ if self.concentrated => {
                let (_, cost) = self.shift(law, context);
                let distance = self.dice.pick(&[int(0), int(1), int(2), int(-1), q(1, 2)]);
                let cost = self.dice.pick(&[q(1, 2), q(1, 8), int(2), cost]);
                Coupling::Equal { distance, cost }
            }
            _ if matches!(law, Distribution::Choose { .. } | Distribution::PermuteAndFlip { .. }) => {
                let (low, high) = self.dice.pick(&[(0, 0), (-1, 1), (0, 1), (1, 0)]);
                let cost = self.dice.pick(&[int(0), int(1), int(2), int(high - low)]);
                Coupling::Chosen { low: int(low), high: int(high), cost }
            }
            _ if finite => Coupling::SameValue { ratio: self.ratio() },
            5..=7 if *law == Distribution::Uniform => Coupling::Scale {
                cost: self.dice.pick(&[int(1), q(1, 2), int(0), q(-1, 2), Expr::var("eps")]),
            },
            8 | 9 => {
                let mut shift = || (self.dice.pick(&[int(0), int(1), int(-1)]), int(1));
                let (above, below) = (shift(), shift());
                Coupling::Select { threshold: int(0), strict: self.dice.one_in(2), above, below }
            }
            10 | 11 => {
                let (above, below) = (self.shift(law, context), self.shift(law, context));
                let run = self.run();
                let threshold = match self.dice.roll(5) {
                    0 => self.integer(Some(run)),
                    1 => Expr::of("y", run),
                    _ => self.dice.pick(&[int(0), int(1), q(1, 2)]),
                };
                Coupling::Select { threshold, strict: self.dice.one_in(2), above, below }
            }
            _ => {
                let (by, cost) = self.shift(law, context);
                Coupling::Shift { by, cost }
            }
        }
    }

    pub fn derive_block(
        &mut self,
        context: &Arc<Context>,
        body: &[Statement],
        post: &Assertion,
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        if !body.is_empty() && self.dice.one_in(if self.careful { 12 } else { 6 }) {
            let var = match body.last()? {
                Statement::Draw { var, .. } | Statement::Assign { var, .. } => var.clone(),
                _ => self.dice.pick(&["a", "c"]).into(),
            };
            let (a, b) = self.ratio();
            if let Ok(judgement) = same_value(context, body, &var, (&a, &b), post) {
                see(&judgement);
                return Some(judgement);
            }
        }
        if self.cases && body.len() <= 3 && self.dice.one_in(2) {
            // Inside, what is decided is not asked again.
            let question = self.flag(None);
            let other = if self.dice.one_in(8) { self.flag(None) } else { question.clone() };
            let after = case(context, &question, true, post).ok()?;
            let otherwise = case(context, &other, false, post).ok()?;
            self.cases = false;
            let yes = self.derive_block(context, body, &after, see);
            let no = self.derive_block(context, body, &otherwise, see);
            self.cases = true;
            let whole = cases(&question, &yes?, &no?, post).ok();
            return whole.inspect(|judgement| see(judgement));
        }
        if let [.., uniform, sign] = body
            && matches!(sign, Statement::Draw { law: Distribution::Sign, .. })
            && self.dice.roll(3) > 0
        {
            let by = self.dice.pick(&[int(1), q(1, 2), int(-1), int(0)]);
            let cost = self.dice.pick(&[int(1), q(1, 2), int(0), by.clone().abs()]);
            if let Ok(back) = signed_log(context, (uniform, sign), (&by, &cost), post) {
                see(&back);
                let front = self.derive_block(context, &body[..body.len() - 2], &back.pre().clone(), see)?;
                return rules::seq(&front, &back).ok().inspect(|j| see(j));
            }
        }
        let Some((last, rest)) = body.split_last() else { return Some(rules::skip(context, post)) };
        let mut back = match self.other.clone() {
            // Judgements of different contexts do not mix.
            Some(other) if self.dice.one_in(12) => self.derive(&other, last, post, &mut |_| {})?,
            _ => self.derive(context, last, post, see)?,
        };
        let own = back.pre().clone();
        let middle = match if self.careful { 9 } else { self.dice.roll(14) } {
            0 => self.assertion(context)?,
            1..=3 => {
                let relation = self.relation();
                let new = match self.dice.roll(3) {
                    0 => own.formula().clone(),
                    1 => self.wild().and(relation).and(self.bound()),
                    _ => relation.and(self.bound()),
                };
                let evidence = self.evidence(context, &[&new], own.formula());
                match rules::strengthen(&new, &back, &evidence) {
                    Ok(stronger) => {
                        see(&stronger);
                        back = stronger;
                        back.pre().clone()
                    }
                    Err(_) => own,
                }
            }
            _ => own,
        };
        let front = self.derive_block(context, rest, &middle, see)?;
        rules::seq(&front, &back).ok().inspect(|j| see(j))
    }

    /// CHAIN: facts are carried forward, links are done alike or proved by themselves.
    pub fn derive_chain(
        &mut self,
        context: &Arc<Context>,
        body: &[Statement],
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        let relation = self.relation();
        let before = Assertion::new(context, relation.and(self.atom()).and(self.bound())).ok()?;
        let mut chain = Chain::new(context, &before).ok()?;
        for statement in body {
            let link = std::slice::from_ref(statement);
            if self.dice.one_in(2)
                && let Ok(longer) = chain.clone().alike(link)
            {
                chain = longer;
                continue;
            }
            let after = self.atom().and(self.bound());
            let after = Assertion::new(context, after).ok()?;
            let by = if self.dice.one_in(12) { self.other.clone()? } else { context.clone() };
            let judgement = match Arc::ptr_eq(&by, context) {
                true => self.derive(&by, statement, &after, see)?,
                // A judgement of another context means something there only.
                false => self.derive(&by, statement, &after, &mut |_| {})?,
            };
            // From all that is known, or from some of it.
            let equal = chain
                .equal()
                .iter()
                .map(|name| Expr::of(name.clone(), Run::First).equals(Expr::of(name.clone(), Run::Second)));
            let known: Vec<Expr> = chain.facts().map(|(fact, _)| fact.clone()).chain(equal).collect();
            let known = Expr::all(known.into_iter().filter(|_| self.dice.roll(8) > 0).collect::<Vec<_>>());
            let evidence = self.evidence(&by, &[&known], judgement.pre().formula());
            let judgement = rules::strengthen(&known, &judgement, &evidence).ok()?;
            chain = chain.judged(&judgement).ok()?;
        }
        let equal: Vec<Expr> = chain
            .equal()
            .iter()
            .map(|name| Expr::of(name.clone(), Run::First).equals(Expr::of(name.clone(), Run::Second)))
            .collect();
        let known: Vec<Expr> = chain.facts().map(|(fact, _)| fact.clone()).chain(equal).collect();
        let after = match self.dice.roll(3) {
            0 => before.formula().clone(),
            _ => Expr::all(known),
        };
        let after = Assertion::new(context, after).ok()?;
        chain.end(&after).ok().inspect(|judgement| see(judgement))
    }

    /// SELECT: a choice that is proved point by point.
    pub fn derive_select(
        &mut self,
        context: &Arc<Context>,
        body: &[Statement],
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        let var = self.dice.pick(&["c", "c", "a", "d", "y"]).into();
        let amount = match self.dice.roll(6) {
            0 => Expr::of("d", Run::First),
            1 => Expr::var("eps"),
            _ => self.dice.pick(&[int(0), int(1), int(2), q(1, 2)]),
        };
        let wanted = match self.dice.roll(8) {
            0 => Expr::cost().le(amount.clone()),
            _ => point(&var, &amount),
        };
        let after = Assertion::new(context, wanted).ok()?;
        let judgement = self.derive_block(context, body, &after, see)?;
        let start = match self.dice.roll(6) {
            0 => Expr::cost().le(int(0)),
            _ => Expr::cost().equals(int(0)),
        };
        let before = match self.dice.roll(3) {
            0 => start,
            _ => self.relation().and(start),
        };
        let evidence = self.evidence(context, &[&before], judgement.pre().formula());
        let judgement = rules::strengthen(&before, &judgement, &evidence).ok()?;
        let paid = self.dice.pick(&[int(0), int(1), Expr::of("d", Run::First), Expr::var("i")]);
        select(&judgement, &var, &amount, &paid).ok().inspect(|judgement| see(judgement))
    }

    /// SPLIT: two derivations of one program, each for some pairs of states.
    pub fn derive_split(
        &mut self,
        context: &Arc<Context>,
        body: &[Statement],
        post: &Assertion,
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        let yes = (0..4).find_map(|_| self.derive_block(context, body, post, see))?;
        let no = match self.dice.roll(12) {
            0 => self.derive_block(&self.other.clone()?, body, post, &mut |_| {})?,
            1 => self.derive_block(context, &body[1..], post, see)?,
            2 => {
                let other = Assertion::new(context, self.relation().and(self.bound())).ok()?;
                self.derive_block(context, body, &other, see)?
            }
            _ => (0..4).find_map(|_| self.derive_block(context, body, post, see))?,
        };
        let same = Expr::of("x", Run::First).equals(Expr::of("x", Run::Second));
        let guard = match self.dice.roll(4) {
            0 => self.bound(),
            1 => self.relation(),
            _ => same,
        };
        split(&guard, &yes, &no).ok().inspect(|judgement| see(judgement))
    }

    pub fn derive(
        &mut self,
        context: &Arc<Context>,
        statement: &Statement,
        post: &Assertion,
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        let made = self.derive_once(context, statement, post, see)?;
        see(&made);
        if !self.careful && self.dice.one_in(8) {
            let weaker = match self.dice.roll(3) {
                0 => post.formula().clone().or(self.relation()),
                _ => self.relation().and(self.bound()),
            };
            let evidence = self.evidence(context, &[made.post().formula()], &weaker);
            if let Ok(weaker) = Assertion::new(context, weaker)
                && let Ok(judgement) = rules::weaken(&made, &weaker, &evidence)
            {
                see(&judgement);
            }
        }
        Some(made)
    }

    /// A draw up to a part of its law, sound or not.
    fn part_of_a_law(
        &mut self,
        context: &Arc<Context>,
        (statement, law): (&Statement, &Distribution),
        coupling: &Coupling,
        post: &Assertion,
    ) -> Option<Judgement> {
        let at = match self.dice.roll(6) {
            0 => Expr::var("eps"),
            1 => int(-1),
            2 => int(1) / int(2),
            _ => self.dice.pick(&[int(0), int(1), int(2)]),
        };
        let by = self.dice.pick(&[int(-1), int(1), int(0), int(-2)]);
        let cost = self.dice.pick(&[int(0), int(1), int(-1), int(2)]);
        match law {
            Distribution::DiscreteLaplace { .. } if self.dice.one_in(2) => {
                up_to_exact_tail_int(context, statement, coupling, &at, post).ok()
            }
            Distribution::DiscreteLaplace { .. } => {
                up_to_exact_tails_int(context, statement, coupling, &at, post).ok()
            }
            Distribution::Geometric { .. } if self.dice.one_in(2) => {
                up_to_far_tail(context, statement, coupling, &at, post).ok()
            }
            Distribution::Geometric { .. } => up_to_start(context, statement, (&by, &cost), &at, post).ok(),
            Distribution::UniformInt { .. } => {
                up_to_tail_uniform(context, statement, (&by, &cost), &at, post).ok()
            }
            Distribution::Bernoulli(_) => up_to_side(context, statement, self.dice.one_in(2), &at, post).ok(),
            _ => None,
        }
    }

    fn derive_once(
        &mut self,
        context: &Arc<Context>,
        statement: &Statement,
        post: &Assertion,
        see: &mut dyn FnMut(&Judgement),
    ) -> Option<Judgement> {
        match statement {
            Statement::Assign { .. } => rules::assign(context, statement, post).ok(),
            Statement::Append { .. } => rules::append(context, statement, post).ok(),
            Statement::Draw { law, .. } => {
                let coupling = self.coupling(law, context);
                if self.tails && self.dice.roll(8) > 0 {
                    let tail = self.dice.pick(&[int(1), int(1), int(2)]);
                    if self.dice.one_in(4) {
                        return up_to_upper_tail(context, statement, &Coupling::Null, &tail, post).ok();
                    }
                    if self.dice.one_in(4) {
                        return up_to_open_tail(context, statement, &Coupling::Null, &tail, post).ok();
                    }
                    return up_to_tail(context, statement, &Coupling::Null, &tail, post).ok();
                }
                let around =
                    matches!(law, Distribution::Laplace { .. } | Distribution::DiscreteLaplace { .. });
                if around && self.dice.one_in(4) {
                    let tail = match self.dice.roll(6) {
                        0 => Expr::var("eps"),
                        1 => int(-1),
                        2 => Expr::of("w", Run::First),
                        _ => self.dice.pick(&[int(1), int(2), int(0)]),
                    };
                    if self.dice.one_in(2) {
                        return up_to_upper_tail(context, statement, &coupling, &tail, post).ok();
                    }
                    if self.dice.one_in(2) {
                        return up_to_open_tail(context, statement, &coupling, &tail, post).ok();
                    }
                    return up_to_tail(context, statement, &coupling, &tail, post).ok();
                }
                if self.dice.one_in(3)
                    && let Some(judgement) = self.part_of_a_law(context, (statement, law), &coupling, post)
                {
                    return Some(judgement);
                }
                sample(context, statement, &coupling, post).ok()
            }
            Statement::If { guard, then, otherwise } => {
                if self.dice.one_in(3) {
                    return rules::one_sided_both(context, statement, post).ok();
                }
                let other = if !self.careful && self.dice.one_in(6) {
                    self.assertion(context)?
                } else {
                    post.clone()
                };
                let yes = self.derive_block(context, then, post, see)?;
                let no = self.derive_block(context, otherwise, &other, see)?;
                rules::cond(guard, &yes, &no).ok()
            }
            Statement::For { index, from, to, body } => {
                let own = self.relation();
                let steps = Expr::cost().le(self.dice.pick(&[
                    Expr::var("i"),
                    int(2) * Expr::var("i"),
                    Expr::var("i") * Expr::var("eps"),
                    int(2),
                ]));
                let invariant = self.dice.pick(&[
                    post.formula().clone(),
                    if self.tails { post.formula().clone() } else { own.clone() },
                    own.clone().and(Expr::cost().le(int(2))),
                    own.and(steps.clone()),
                    steps,
                ]);
                let i = Variable::Plain(index.clone());
                let next = invariant.replace(&|v| (*v == i).then(|| Expr::var("i") + int(1)));
                let after = match self.dice.roll(5) {
                    0 => Assertion::new(context, Expr::cost().le(int(2))).ok()?,
                    _ => Assertion::new(context, next).ok()?,
                };
                let judgement = self.derive_block(context, body, &after, see)?;
                let low = context.in_run(from, Run::First);
                let high = context.in_run(to, Run::First);
                let range = low.le(Expr::var("i")).and(Expr::var("i").lt(high));
                // Rounds that are named, rightly and wrongly, and a body that gives up mass in them only.
                if self.dice.one_in(2) {
                    let rounds = self.dice.pick(&[
                        vec![int(0)],
                        vec![int(0)],
                        vec![int(1)],
                        vec![int(1)],
                        vec![int(0), int(1)],
                        vec![],
                        vec![Expr::var("n") - int(1)],
                        vec![Expr::var("i")],
                        vec![Expr::of("w", Run::First)],
                    ]);
                    let tails = std::mem::replace(&mut self.tails, false);
                    let whole = |law: &Distribution| matches!(law, Distribution::Laplace { .. });
                    let other = match body.as_slice() {
                        // Mostly the same coupling without its cut, as proofs have it.
                        [draw @ Statement::Draw { law, .. }, rest] if whole(law) && self.dice.roll(4) > 0 => {
                            self.derive_once(context, rest, &after, see).and_then(|rest| {
                                let first = sample(context, draw, &Coupling::Null, rest.pre()).ok()?;
                                rules::seq(&first, &rest).ok()
                            })
                        }
                        _ => self.derive_block(context, body, &after, see),
                    };
                    self.tails = tails;
                    let other = other?;
                    let at = |round: &Expr| Expr::var("i").equals(round.clone());
                    let named = rounds.iter().map(at).reduce(Expr::or).unwrap_or(Expr::Bool(false));
                    let not_named = !named.clone();
                    let others =
                        self.evidence(context, &[&invariant, &range, &not_named], other.pre().formula());
                    let these =
                        self.evidence(context, &[&invariant, &range, &named], judgement.pre().formula());
                    let (bodies, evidence) = ((&other, &judgement), (&others, &these));
                    return for_loop_once(index, (from, to), &invariant, bodies, &rounds, evidence).ok();
                }
                let evidence = self.evidence(context, &[&invariant, &range], judgement.pre().formula());
                rules::for_loop(index, (from, to), &invariant, &judgement, &evidence).ok()
            }
            Statement::While { label, guard, body } => {
                let [one, two] = BOTH.map(|run| context.in_run(guard, run));
                // Often that something which the body sets is equal in both runs.
                let set = body.iter().find_map(|statement| match statement {
                    Statement::Draw { var, .. } | Statement::Assign { var, .. } => Some(var.clone()),
                    _ => None,
                });
                let relation = match set {
                    Some(var) if self.dice.one_in(2) => {
                        Expr::of(var.clone(), Run::First).equals(Expr::of(var, Run::Second))
                    }
                    _ => self.relation(),
                };
                let mut invariant = relation.and(Expr::cost().le(self.dice.pick(&[int(1), int(0)])));
                if self.dice.one_in(2) {
                    invariant = one.clone().equals(two.clone()).and(invariant);
                }
                let after = match self.dice.roll(5) {
                    0 => Assertion::new(context, Expr::cost().le(int(2))).ok()?,
                    _ => Assertion::new(context, invariant.clone()).ok()?,
                };
                let judgement = self.derive_block(context, body, &after, see)?;
                let keeps = self.evidence(context, &[&invariant, &one, &two], judgement.pre().formula());
                let agrees = self.evidence(context, &[&invariant], &one.equals(two));
                rules::while_loop(label, guard, &invariant, &judgement, (&keeps, &agrees)).ok()
            }
        }
    }
}
