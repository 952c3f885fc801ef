//! Derivations: which rule to apply where, and the evidence for every side condition.
//!
//! A [`Plan`] says which couplings, invariants and program equivalences to use. Walking a program backwards with
//! a plan meets side conditions in a fixed order; a [`Justify`] answers each with evidence. One implementation
//! searches, the other reads the evidence back from a certificate. Every step is a call of a kernel rule, so
//! nothing here can make a false theorem.
//!
//! ```
//! # use probity_kernel::expr::{Expr, Run};
//! # use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! # let laplace = Mechanism {
//! #     name: "laplace".into(),
//! #     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//! #     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//! #     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//! #     body: vec![Statement::Draw {
//! #         var: "y".into(),
//! #         law: Distribution::Laplace { center: Expr::var("x"), scale: Expr::int(1) / Expr::var("eps") },
//! #     }],
//! #     output: Expr::var("y"),
//! #     adjacency: vec![Adjacency::Related(
//! #         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//! #     )],
//! # };
//! # let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! use probity_prove::derivation::Move;
//! let proof = probity_prove::prove(&laplace, &claim, &Hints::default()).unwrap();
//! let (_, moves) = &proof.plan().sides[0];
//! assert!(matches!(moves[0], Move::Draw(_)));
//! ```

mod couplings;
mod known;
mod part;
mod redraw;

use std::collections::BTreeSet;
use std::sync::Arc;

use probity_kernel::call::{Price, call};
use probity_kernel::chain::{Chain, one_sided_parts};
use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::conversion::Conversion;
use probity_kernel::entail::Evidence;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Name, Run, Variable};
use probity_kernel::finite;
use probity_kernel::foresee::Foresight;
use probity_kernel::once::for_loop_once;
use probity_kernel::privacy::{
    Comparison, Side, Theorem, amplify, convert, foreseen, goal, group, group_delta, group_share, grouped,
    obligation, privacy, start,
};
use probity_kernel::rejection::Rejection;
use probity_kernel::rules::{self, Assertion, Judgement};
use probity_kernel::sample;
use probity_kernel::sampling;
use probity_kernel::select;
use probity_kernel::split::split;
use probity_kernel::term::{Adjacency, Claim, Coupling, Distribution, Mechanism, Statement};

pub(crate) use self::couplings::map_coupling;
use self::known::at_no_cost;
pub(crate) use self::known::conjuncts;
pub use self::known::{known_about, relevant};
pub use self::part::Tail;
use self::part::up_to;
pub use self::redraw::Redraw;
pub(crate) use self::redraw::exchanged;
pub use crate::failure::{Failure, Reason};

/// How to prove one statement, or two for a joint coupling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Move {
    /// An assignment or an append, by its rule.
    Plain,
    /// A statement without draws, each run on its own.
    OneSided,
    /// The same for each part of what must hold after it.
    OneSidedParts,
    /// A draw, by a sampling axiom.
    Draw(Coupling),
    /// A Laplace draw up to its tails: the coupling, and the distance from the center beyond which mass is given up.
    UpTo(Coupling, Expr),
    /// A Laplace draw, also on the integers, up to its upper tail.
    Below(Coupling, Expr),
    /// The same, where the place at which the tail begins is given up too.
    Under(Coupling, Expr),
    /// A draw up to another part of its law: where that begins or ends, or the share that it is.
    Tail(Tail, Coupling, Expr),
    /// A call, by the theorem of the called mechanism: what it costs, and the proof of that theorem. With the cost 0 its
    /// arguments are equal; with a cost that is 0 in the first of two cases they may be, and then nothing is paid.
    Call(Expr, Box<Plan>, Vec<Evidence>),
    /// A uniform draw and a sign, jointly: the shift of s·ln(u) and its cost.
    Joint(Expr, Expr),
    /// A block of finite draws of which one variable matters, with the same value in both runs: the variable, how many
    /// statements, and the largest ratio of its two laws.
    SameValue(Name, usize, (Expr, Expr)),
    /// Statements that decide a question, coupled in one way where the first run's answer is yes and in another where it is no.
    Cases(Expr, Vec<Move>, Vec<Move>),
    /// Statements that are proved in one way where something holds before them, and in another where it does not.
    Split(Expr, Vec<Move>, Vec<Move>),
    /// A conditional whose branch both runs take together.
    If(Vec<Move>, Vec<Move>),
    /// A `for` loop with its invariant.
    For(Expr, Vec<Move>),
    /// A `for` loop that gives up mass in the rounds that are named only; in the others no draw is cut.
    ForOnce(Expr, Vec<Expr>, Vec<Move>),
    /// A `while` loop with its invariant.
    While(Expr, Vec<Move>),
    /// A loop that draws until a round is accepted, with the same round before it where there is one.
    Redraw(Box<Redraw>),
    /// No statement: what holds at this point, and all that is remembered from before it.
    Assert(Expr),
    /// Statements whose facts are carried forward: what is known before the first, and the links.
    Chain(Vec<Expr>, Vec<Link>),
}

/// A link of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Link {
    /// So many statements that both runs do alike, on equal values.
    Alike(usize),
    /// Moves, and what is known after them.
    Judged(Vec<Move>, Vec<Expr>),
    /// Moves that are proved for each value of a variable by itself: the variable, what it costs, and what was paid before.
    Select(Vec<Move>, Name, Expr, Expr),
}

impl Link {
    /// How many statements it is about.
    pub fn size(&self) -> usize {
        match self {
            Link::Alike(size) => *size,
            Link::Judged(moves, _) | Link::Select(moves, ..) => moves.iter().map(Move::size).sum(),
        }
    }
}

impl Move {
    /// How many statements it is about.
    pub fn size(&self) -> usize {
        match self {
            Move::Assert(_) => 0,
            Move::Joint(..) => 2,
            Move::SameValue(_, size, _) => *size,
            Move::Redraw(plan) => plan.size(),
            Move::Chain(_, links) => links.iter().map(Link::size).sum(),
            Move::Cases(_, yes, _) | Move::Split(_, yes, _) => yes.iter().map(Move::size).sum(),
            _ => 1,
        }
    }
}

impl Move {
    /// The move with every expression replaced.
    pub(crate) fn map(&self, e: &dyn Fn(&Expr) -> Expr) -> Move {
        let all = |moves: &[Move]| moves.iter().map(|step| step.map(e)).collect::<Vec<_>>();
        let each = |parts: &[Expr]| parts.iter().map(e).collect::<Vec<_>>();
        let two = |(a, b): &(Expr, Expr)| (e(a), e(b));
        match self {
            Move::Plain => Move::Plain,
            Move::OneSided => Move::OneSided,
            Move::OneSidedParts => Move::OneSidedParts,
            Move::Draw(coupling) => Move::Draw(map_coupling(coupling, e)),
            Move::UpTo(coupling, tail) => Move::UpTo(map_coupling(coupling, e), e(tail)),
            Move::Below(coupling, tail) => Move::Below(map_coupling(coupling, e), e(tail)),
            Move::Under(coupling, tail) => Move::Under(map_coupling(coupling, e), e(tail)),
            Move::Tail(part, coupling, at) => Move::Tail(*part, map_coupling(coupling, e), e(at)),
            // The proof of what is called is a proof of its own.
            Move::Call(cost, plan, evidence) => Move::Call(e(cost), plan.clone(), evidence.clone()),
            Move::Joint(by, cost) => Move::Joint(e(by), e(cost)),
            Move::SameValue(var, size, ratio) => Move::SameValue(var.clone(), *size, two(ratio)),
            Move::Cases(guard, yes, no) => Move::Cases(e(guard), all(yes), all(no)),
            Move::Split(guard, yes, no) => Move::Split(e(guard), all(yes), all(no)),
            Move::If(yes, no) => Move::If(all(yes), all(no)),
            Move::For(invariant, inner) => Move::For(e(invariant), all(inner)),
            Move::ForOnce(invariant, rounds, inner) => Move::ForOnce(e(invariant), each(rounds), all(inner)),
            Move::While(invariant, inner) => Move::While(e(invariant), all(inner)),
            Move::Redraw(plan) => Move::Redraw(Box::new(plan.map(e))),
            Move::Assert(formula) => Move::Assert(e(formula)),
            Move::Chain(known, links) => {
                let links = links.iter().map(|link| match link {
                    Link::Alike(size) => Link::Alike(*size),
                    Link::Judged(moves, after) => Link::Judged(all(moves), each(after)),
                    Link::Select(moves, var, amount, paid) => {
                        Link::Select(all(moves), var.clone(), e(amount), e(paid))
                    }
                });
                Move::Chain(each(known), links.collect())
            }
        }
    }
}

/// The same moves with no draw cut.
pub fn without_tails(moves: &[Move]) -> Vec<Move> {
    let one = |step: &Move| match step {
        Move::UpTo(coupling, _) | Move::Below(coupling, _) | Move::Under(coupling, _) => {
            Move::Draw(coupling.clone())
        }
        // Uniform noise moves only where some of it is given up.
        Move::Tail(Tail::Uniform, ..) => Move::Draw(Coupling::Null),
        Move::Tail(_, coupling, _) => Move::Draw(coupling.clone()),
        Move::Cases(guard, yes, no) => Move::Cases(guard.clone(), without_tails(yes), without_tails(no)),
        Move::Split(guard, yes, no) => Move::Split(guard.clone(), without_tails(yes), without_tails(no)),
        Move::If(yes, no) => Move::If(without_tails(yes), without_tails(no)),
        Move::For(invariant, inner) => Move::For(invariant.clone(), without_tails(inner)),
        other => other.clone(),
    };
    moves.iter().map(one).collect()
}

/// How to prove a mechanism private.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Program equivalences, applied first.
    pub rewrites: Vec<Rewrite>,
    /// How outputs are compared.
    pub comparison: Comparison,
    /// The moves, per orientation of the adjacency.
    pub sides: Vec<(Orientation, Vec<Move>)>,
    /// The claim in ρ or μ that the moves prove, and how the claim of ε and δ follows from it.
    pub through: Option<Box<(Claim, Conversion)>>,
    /// Where a sample is drawn: the claim about what is done to it, which all else proves, for AMPLIFY.
    pub sampled: Option<Box<Claim>>,
    /// Where neighbours differ by several rows and mass is given up: the claim about one row, which all else proves, for GROUP-DELTA.
    pub grouped: Option<Box<Claim>>,
    /// What FORESEE foresees; the moves are then about the mechanism as a function of its noise.
    pub foresight: Option<Box<Foresight>>,
}

impl Plan {
    /// A plan by moves, with none yet.
    pub fn of(rewrites: Vec<Rewrite>, comparison: Comparison) -> Plan {
        Plan {
            rewrites,
            comparison,
            sides: vec![],
            through: None,
            sampled: None,
            grouped: None,
            foresight: None,
        }
    }
}

/// Answers side conditions with evidence.
pub trait Justify {
    /// Evidence that the hypotheses entail the goal.
    fn justify(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason>;
}

/// Answers side conditions with evidence that was found before, in order.
pub struct Recorded {
    evidence: std::vec::IntoIter<Evidence>,
    used: usize,
}

impl Recorded {
    /// Evidence in the order in which side conditions are met.
    pub fn new(evidence: Vec<Evidence>) -> Recorded {
        Recorded { evidence: evidence.into_iter(), used: 0 }
    }

    /// How many side conditions were asked about.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl Justify for Recorded {
    fn justify(&mut self, _: &Context, _: &[&Expr], _: &Expr) -> Result<Evidence, Reason> {
        self.used += 1;
        self.evidence.next().ok_or(Reason::EvidenceMissing)
    }
}

/// The mechanism whose neighbours differ by one row, if those of this one differ by several, and how many they are at most.
pub(crate) fn one_row(mechanism: &Mechanism) -> Option<(Mechanism, &Expr)> {
    let [Adjacency::Rows { table, most }] = mechanism.adjacency.as_slice() else { return None };
    let adjacency = vec![Adjacency::OneRow { table: table.clone() }];
    Some((Mechanism { adjacency, ..mechanism.clone() }, most))
}

/// Replays a plan and makes the theorem, or says where it fails.
pub fn replay(
    mechanism: &Mechanism,
    claim: &Claim,
    plan: &Plan,
    justify: &mut dyn Justify,
) -> Result<Theorem, Failure> {
    if let Some(share) = plan.sampled.as_deref() {
        let parts = sample::sampled(mechanism).map_err(reject("the sample"))?;
        let inner = Plan { sampled: None, ..plan.clone() };
        let theorem = replay(&parts.inner, share, &inner, justify)?;
        let context = sample::of_parameters(mechanism).map_err(reject("the sample"))?;
        let needed = sample::amplified(&parts.rate, share, claim);
        let evidence = justify
            .justify(&context, &[], &needed)
            .map_err(|reason| Failure::new("the claim about the sample", reason))?;
        return amplify(mechanism, claim, &theorem, &evidence).map_err(reject("AMPLIFY"));
    }
    if let Some((other, conversion)) = plan.through.as_deref() {
        let inner = Plan { through: None, ..plan.clone() };
        let theorem = replay(mechanism, other, &inner, justify)?;
        return convert(&theorem, claim, conversion).map_err(reject("the conversion"));
    }
    if let Some((one_row, most)) = one_row(mechanism) {
        if let Some(share) = plan.grouped.as_deref() {
            let inner = Plan { grouped: None, ..plan.clone() };
            let theorem = replay(&one_row, share, &inner, justify)?;
            let context = sample::of_parameters(mechanism).map_err(reject("GROUP-DELTA"))?;
            let evidence = justify
                .justify(&context, &[], &grouped(most, share, claim))
                .map_err(|reason| Failure::new("the claim about one row", reason))?;
            return group_delta(mechanism, claim, &theorem, &evidence).map_err(reject("GROUP-DELTA"));
        }
        let theorem = replay(&one_row, &group_share(claim, most), plan, justify)?;
        return group(mechanism, claim, &theorem).map_err(reject("GROUP"));
    }
    let mut rewritten = mechanism.clone();
    for rewrite in &plan.rewrites {
        rewritten = rewrite.apply(&rewritten).map_err(reject(rewrite.name()))?;
    }
    let made = plan.foresight.as_deref().map(|foresight| foresight.as_function(&rewritten)).transpose();
    let function = made.map_err(reject("FORESEE"))?;
    let mut judgements = Vec::new();
    for (orientation, moves) in &plan.sides {
        let measure = Measure::of(claim.reading);
        let text = function.as_ref().unwrap_or(&rewritten);
        let context = Context::measured(text, *orientation, measure).map_err(reject("the mechanism"))?;
        let wanted = match &plan.foresight {
            Some(foresight) => foresight.goal(&context, &rewritten, claim).map_err(reject("FORESEE"))?,
            None => goal(&context, claim, plan.comparison),
        };
        judgements.push(replay_to(&Arc::new(context), claim, &wanted, moves, justify)?);
    }
    conclude(mechanism, claim, plan, &judgements)
}

/// The theorem of judgements about all orientations, by the final rule.
pub(crate) fn conclude(
    mechanism: &Mechanism,
    claim: &Claim,
    plan: &Plan,
    judgements: &[(Judgement, Evidence)],
) -> Result<Theorem, Failure> {
    let sides: Vec<Side<'_>> =
        judgements.iter().map(|(judgement, evidence)| Side { judgement, evidence }).collect();
    match &plan.foresight {
        Some(foresight) => foreseen(mechanism, claim, &plan.rewrites, foresight, &sides),
        None => privacy(mechanism, claim, &plan.rewrites, plan.comparison, &sides),
    }
    .map_err(reject("the final rule"))
}

/// Replays the moves of one orientation: a judgement about the whole program, and evidence that it applies.
pub(crate) fn replay_side(
    context: &Arc<Context>,
    claim: &Claim,
    comparison: Comparison,
    moves: &[Move],
    justify: &mut dyn Justify,
) -> Result<(Judgement, Evidence), Failure> {
    replay_to(context, claim, &goal(context, claim, comparison), moves, justify)
}

/// The same for what the program must end with.
pub(crate) fn replay_to(
    context: &Arc<Context>,
    claim: &Claim,
    wanted: &Expr,
    moves: &[Move],
    justify: &mut dyn Justify,
) -> Result<(Judgement, Evidence), Failure> {
    let post = Assertion::new(context, wanted.clone()).map_err(reject("the claim"))?;
    let mut walk = Walk { context: context.clone(), justify };
    let judgement = walk.block(&context.mechanism().body, moves, &post)?;
    let evidence = walk.ask("the start of the program", &[&start()], &obligation(&judgement, claim))?;
    Ok((judgement, evidence))
}

/// Whether one iteration of a loop turns its invariant into a part of it.
pub(crate) fn keeps(
    context: &Arc<Context>,
    statement: &Statement,
    step: &Move,
    part: &Expr,
    justify: &mut dyn Justify,
) -> bool {
    let mut walk = Walk { context: context.clone(), justify };
    let asked = match (step, statement) {
        (Move::For(invariant, moves), Statement::For { index, from, to, body }) => {
            walk.iteration(body, moves, &after_one(part, index)).and_then(|inner| {
                let range = walk.range(index, from, to);
                walk.ask("", &[invariant, &range], inner.pre().formula())
            })
        }
        // Guesses only: the replay asks about the two kinds of rounds.
        (Move::ForOnce(invariant, _, moves), Statement::For { index, from, to, body }) => {
            walk.iteration(body, moves, &after_one(part, index)).and_then(|inner| {
                let range = walk.range(index, from, to);
                walk.ask("", &[invariant, &range], inner.pre().formula())
            })
        }
        (Move::While(invariant, moves), Statement::While { guard, body, .. }) => {
            walk.iteration(body, moves, part).and_then(|inner| {
                let first = walk.context.in_run(guard, Run::First);
                let second = walk.context.in_run(guard, Run::Second);
                walk.ask("", &[invariant, &first, &second], inner.pre().formula())
            })
        }
        _ => return false,
    };
    asked.is_ok()
}

/// What holds of the next index.
fn after_one(invariant: &Expr, index: &Name) -> Expr {
    let next = Expr::var(index.clone()) + Expr::int(1);
    invariant.replace(&|v| (*v == Variable::Plain(index.clone())).then(|| next.clone()))
}

struct Walk<'a> {
    context: Arc<Context>,
    justify: &'a mut dyn Justify,
}

impl Walk<'_> {
    fn ask(&mut self, place: &str, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Failure> {
        self.justify.justify(&self.context, hypotheses, goal).map_err(|reason| Failure::new(place, reason))
    }

    /// Walks a block backwards from what must hold after it.
    fn block(&mut self, body: &[Statement], moves: &[Move], post: &Assertion) -> Result<Judgement, Failure> {
        let mut judgement = rules::skip(&self.context, post);
        let mut left = body.len();
        for step in moves.iter().rev() {
            let Some(at) = left.checked_sub(step.size()) else {
                return Err(misfit("the program", "it has more moves than statements"));
            };
            judgement = match step {
                Move::Assert(formula) => self.assert(formula, &judgement)?,
                _ => {
                    let middle = judgement.pre().clone();
                    let first = self.statement(&body[at..left], step, &middle)?;
                    rules::seq(&first, &judgement).map_err(reject("SEQ"))?
                }
            };
            left = at;
        }
        if left == 0 {
            Ok(judgement)
        } else {
            Err(misfit("the program", "it has more statements than moves"))
        }
    }

    fn assert(&mut self, formula: &Expr, judgement: &Judgement) -> Result<Judgement, Failure> {
        let place = format!("the assertion '{formula}'");
        let evidence = self.ask(&place, &[formula], judgement.pre().formula())?;
        rules::strengthen(formula, judgement, &evidence).map_err(reject(&place))
    }

    fn statement(&mut self, body: &[Statement], step: &Move, post: &Assertion) -> Result<Judgement, Failure> {
        let context = self.context.clone();
        let head = body.first().ok_or_else(|| misfit("the program", "a move without a statement"))?;
        let place = describe(head);
        match (step, head) {
            (Move::Plain, Statement::Append { .. }) => {
                rules::append(&context, head, post).map_err(reject(&place))
            }
            (Move::Plain, _) => rules::assign(&context, head, post).map_err(reject(&place)),
            (Move::OneSided, _) => rules::one_sided_both(&context, head, post).map_err(reject(&place)),
            (Move::OneSidedParts, _) => one_sided_parts(&context, head, post).map_err(reject(&place)),
            (Move::Draw(coupling), _) => {
                sampling::sample(&context, head, coupling, post).map_err(reject(&place))
            }
            (Move::UpTo(coupling, tail), _) => {
                sampling::up_to_tail(&context, head, coupling, tail, post).map_err(reject(&place))
            }
            (Move::Below(coupling, tail), _) => {
                sampling::up_to_upper_tail(&context, head, coupling, tail, post).map_err(reject(&place))
            }
            (Move::Under(coupling, tail), _) => {
                sampling::up_to_open_tail(&context, head, coupling, tail, post).map_err(reject(&place))
            }
            (Move::Call(cost, plan, evidence), Statement::Draw { law: Distribution::Called(called), .. }) => {
                let mut recorded = Recorded::new(evidence.clone());
                let theorem = replay(&called.mechanism, &called.claim, plan, &mut recorded)?;
                call(&context, head, &theorem, price(cost), post).map_err(reject(&place))
            }
            (Move::Tail(part, coupling, at), _) => up_to(&context, head, (*part, coupling, at), post, &place),
            (Move::Joint(by, cost), _) => {
                let second = body.get(1).ok_or_else(|| misfit(&place, "a joint coupling needs two draws"))?;
                sampling::signed_log(&context, (head, second), (by, cost), post).map_err(reject(&place))
            }
            (Move::SameValue(var, _, (a, b)), _) => {
                finite::same_value(&context, body, var, (a, b), post).map_err(reject(&place))
            }
            (Move::Cases(guard, yes, no), _) => {
                let after = |holds| select::case(&context, guard, holds, post).map_err(reject("a question"));
                let yes = self.block(body, yes, &after(true)?)?;
                let no = self.block(body, no, &after(false)?)?;
                select::cases(guard, &yes, &no, post).map_err(reject(&place))
            }
            (Move::Split(guard, yes, no), _) => {
                let (yes, no) = (self.block(body, yes, post)?, self.block(body, no, post)?);
                split(guard, &yes, &no).map_err(reject(&place))
            }
            (Move::If(yes, no), Statement::If { guard, then, otherwise }) => {
                let then = self.block(then, yes, post)?;
                let otherwise = self.block(otherwise, no, post)?;
                rules::cond(guard, &then, &otherwise).map_err(reject(&place))
            }
            (Move::For(invariant, moves), Statement::For { index, from, to, body }) => {
                self.for_loop(&place, (index, from, to, body), invariant, moves, post)
            }
            (Move::ForOnce(invariant, rounds, moves), Statement::For { index, from, to, body }) => {
                self.for_loop_once(&place, (index, from, to, body), (invariant, rounds), moves, post)
            }
            (Move::While(invariant, moves), Statement::While { label, guard, body }) => {
                self.while_loop(&place, (label, guard, body), invariant, moves, post)
            }
            (Move::Redraw(plan), _) => self.redraw(body, plan, post),
            (Move::Chain(known, links), _) => self.chain(body, known, links, post),
            _ => Err(misfit(&place, "the move is for another kind of statement")),
        }
    }

    /// Links forward from what is known; each link is walked backward by itself.
    fn chain(
        &mut self,
        body: &[Statement],
        known: &[Expr],
        links: &[Link],
        post: &Assertion,
    ) -> Result<Judgement, Failure> {
        let context = self.context.clone();
        let assertion = |parts: &[Expr]| {
            Assertion::new(&context, Expr::all(parts.iter().cloned())).map_err(reject("a chain"))
        };
        let mut chain = Chain::new(&context, &assertion(known)?).map_err(reject("a chain"))?;
        let mut rest = body;
        for link in links {
            let (now, later) = rest.split_at(link.size().min(rest.len()));
            rest = later;
            let place = now.first().map_or("a chain".to_string(), describe);
            chain = match link {
                Link::Alike(_) => chain.alike(now).map_err(reject(&place))?,
                Link::Judged(moves, after) => {
                    let after = assertion(after)?;
                    let judgement = self.block(now, moves, &after)?;
                    let before = relevant(&chain, &judgement);
                    let evidence = self.ask(&place, &[&before], judgement.pre().formula())?;
                    let judgement =
                        rules::strengthen(&before, &judgement, &evidence).map_err(reject(&place))?;
                    chain.judged(&judgement).map_err(reject(&place))?
                }
                Link::Select(moves, var, amount, paid) => {
                    let judgement = self.block(now, moves, &assertion(&[select::point(var, amount)])?)?;
                    let before = at_no_cost(&relevant(&chain, &judgement));
                    let evidence = self.ask(&place, &[&before], judgement.pre().formula())?;
                    let judgement =
                        rules::strengthen(&before, &judgement, &evidence).map_err(reject(&place))?;
                    let judgement = select::select(&judgement, var, amount, paid).map_err(reject(&place))?;
                    chain.judged(&judgement).map_err(reject(&place))?
                }
            };
        }
        let end = known_about(&chain, &BTreeSet::new(), post.formula());
        let whole = chain.end(&assertion(&[end])?).map_err(reject("the end of a chain"))?;
        let evidence = self.ask("the end of the program", &[whole.post().formula()], post.formula())?;
        rules::weaken(&whole, post, &evidence).map_err(reject("the end of a chain"))
    }

    fn iteration(&mut self, body: &[Statement], moves: &[Move], post: &Expr) -> Result<Judgement, Failure> {
        let post = Assertion::new(&self.context, post.clone()).map_err(reject("an invariant"))?;
        self.block(body, moves, &post)
    }

    fn range(&self, index: &Name, from: &Expr, to: &Expr) -> Expr {
        let i = Expr::var(index.clone());
        let (low, high) = (self.context.in_run(from, Run::First), self.context.in_run(to, Run::First));
        low.le(i.clone()).and(i.lt(high))
    }

    fn for_loop(
        &mut self,
        place: &str,
        (index, from, to, body): (&Name, &Expr, &Expr, &[Statement]),
        invariant: &Expr,
        moves: &[Move],
        post: &Assertion,
    ) -> Result<Judgement, Failure> {
        let inner = self.iteration(body, moves, &after_one(invariant, index))?;
        let range = self.range(index, from, to);
        let kept =
            self.ask(&format!("the invariant of {place}"), &[invariant, &range], inner.pre().formula())?;
        let whole = rules::for_loop(index, (from, to), invariant, &inner, &kept).map_err(reject(place))?;
        self.end_loop(place, &whole, post)
    }

    fn for_loop_once(
        &mut self,
        place: &str,
        (index, from, to, body): (&Name, &Expr, &Expr, &[Statement]),
        (invariant, rounds): (&Expr, &[Expr]),
        moves: &[Move],
        post: &Assertion,
    ) -> Result<Judgement, Failure> {
        let next = after_one(invariant, index);
        let other = self.iteration(body, &without_tails(moves), &next)?;
        let named = self.iteration(body, moves, &next)?;
        let range = self.range(index, from, to);
        let at = |round: &Expr| Expr::var(index.clone()).equals(round.clone());
        let is_named = rounds.iter().map(at).reduce(Expr::or).unwrap_or(Expr::Bool(false));
        let asked = format!("the invariant of {place}");
        let others = self.ask(&asked, &[invariant, &range, &!is_named.clone()], other.pre().formula())?;
        let these = self.ask(&asked, &[invariant, &range, &is_named], named.pre().formula())?;
        let evidence = (&others, &these);
        let whole = for_loop_once(index, (from, to), invariant, (&other, &named), rounds, evidence)
            .map_err(reject(place))?;
        self.end_loop(place, &whole, post)
    }

    fn while_loop(
        &mut self,
        place: &str,
        (label, guard, body): (&Name, &Expr, &[Statement]),
        invariant: &Expr,
        moves: &[Move],
        post: &Assertion,
    ) -> Result<Judgement, Failure> {
        let inner = self.iteration(body, moves, invariant)?;
        let first = self.context.in_run(guard, Run::First);
        let second = self.context.in_run(guard, Run::Second);
        let keeps = self.ask(
            &format!("the invariant of {place}"),
            &[invariant, &first, &second],
            inner.pre().formula(),
        )?;
        let agrees = self.ask(&format!("the guard of {place}"), &[invariant], &first.equals(second))?;
        let whole =
            rules::while_loop(label, guard, invariant, &inner, (&keeps, &agrees)).map_err(reject(place))?;
        self.end_loop(place, &whole, post)
    }

    fn end_loop(&mut self, place: &str, whole: &Judgement, post: &Assertion) -> Result<Judgement, Failure> {
        let place = format!("the end of {place}");
        let evidence = self.ask(&place, &[whole.post().formula()], post.formula())?;
        rules::weaken(whole, post, &evidence).map_err(reject(&place))
    }
}

/// How a call is paid that has this cost.
fn price(cost: &Expr) -> Price {
    match cost {
        Expr::If(_, nothing, _) if **nothing == Expr::int(0) => Price::IfDifferent,
        cost if *cost == Expr::int(0) => Price::Free,
        _ => Price::Paid,
    }
}

fn reject(place: &str) -> impl FnOnce(Rejection) -> Failure {
    let place = place.to_string();
    move |rejection| Failure::new(place, Reason::Rejected(rejection))
}

fn misfit(place: &str, why: &'static str) -> Failure {
    Failure::new(place, Reason::PlanDoesNotFit(why))
}

/// The first line of a statement.
fn describe(statement: &Statement) -> String {
    let text = statement.to_string();
    format!("'{}'", text.lines().next().unwrap_or_default().trim_end_matches(" {"))
}
