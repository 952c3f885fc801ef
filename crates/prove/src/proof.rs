//! Proving: plans are made and replayed with a search for evidence until one goes through.
//!
//! ```
//! use probity_kernel::expr::{Expr, Run};
//! use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Input, Mechanism, Param, Reading, Sort, Statement};
//! let laplace = |scale: Expr| Mechanism {
//!     name: "laplace".into(),
//!     inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
//!     params: vec![Param { name: "eps".into(), sort: Sort::Real }],
//!     assumptions: vec![Expr::var("eps").gt(Expr::int(0))],
//!     body: vec![Statement::Draw { var: "y".into(), law: Distribution::Laplace { center: Expr::var("x"), scale } }],
//!     output: Expr::var("y"),
//!     adjacency: vec![Adjacency::Related(
//!         (Expr::of("x", Run::Second) - Expr::of("x", Run::First)).abs().le(Expr::int(1)),
//!     )],
//! };
//! let claim = Claim { epsilon: Expr::var("eps"), delta: Expr::int(0), reading: Reading::Reals };
//! let right = laplace(Expr::int(1) / Expr::var("eps"));
//! let proof = probity_prove::prove(&right, &claim, &Hints::default()).unwrap();
//! assert!(proof.theorem().axioms().contains("LAPGEN"));
//! let wrong = laplace(Expr::int(1) / (Expr::int(2) * Expr::var("eps")));
//! assert!(probity_prove::prove(&wrong, &claim, &Hints::default()).is_err());
//! ```

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation, for_each_expr};
use probity_kernel::entail::Evidence;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Expr, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::privacy::{Comparison, Theorem, convert, group, group_share};
use probity_kernel::rejection::Rejection;
use probity_kernel::sample::draws_sample;
use probity_kernel::term::{Adjacency, Claim, Distribution, Hints, Mechanism, Sort, Statement};

use crate::algebra::{mentions, of_parameters, visit};
use crate::attempt::{Attempt, no_plan};
use crate::conversion;
use crate::conversion::grouped::grouped_plan;
use crate::conversion::sampled::sampled_plan;
use crate::derivation::{Failure, Plan, Reason, Recorded, conclude, one_row, replay, replay_side};
use crate::effort::{Effort, Limit};
use crate::evidence::again::Known;
use crate::foresee::{Found, foresee};
use crate::forward::{Taste, forward};
use crate::plan::any_length::AnyLength;
use crate::plan::blocks::{for_each_assignment, set_by};
use crate::plan::centers::centered;
use crate::plan::rewrites::{hoisted, name_output, public_names_inlined, rewrite, unrolled};
use crate::searching::{Answers, Asked, Searching};
use crate::side::{mirrored, search_mirrored, search_side};
use crate::tables::{MANY_ALTERNATIVES, Sum, alternatives, of_no_known_range, sums, unbounded};

/// A theorem and how it was proved.
#[derive(Clone, Debug)]
pub struct Proof {
    theorem: Theorem,
    plan: Plan,
    evidence: Vec<Evidence>,
}

impl Proof {
    /// What was proved.
    pub fn theorem(&self) -> &Theorem {
        &self.theorem
    }

    /// The couplings, invariants and equivalences.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The evidence for the side conditions, in the order in which a replay meets them.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }
}

/// What the search for one proof may do before it gives up: about three seconds on a machine of 2024.
const MAX_EFFORT: u64 = 50_000_000;
/// The same for FORESEE: the invariant of two winners is one question of seventy parts, each of many choices, and a guess that is wrong is
/// seen at once.
const FORESEEING_EFFORT: u64 = 14 * MAX_EFFORT;
/// What it may do at first, before a proof is tried that goes forward.
const FIRST_EFFORT: u64 = MAX_EFFORT / 5;
/// With more draws and loops than this a text is long.
const MANY_SITES: usize = 8;
/// The same for its statements.
const MANY_STATEMENTS: usize = 40;

/// Searches for a proof of the claim. If there is none in reach, answers with the failure of the plan that came
/// furthest.
pub fn prove(mechanism: &Mechanism, claim: &Claim, hints: &Hints) -> Result<Proof, Failure> {
    prove_until(mechanism, claim, hints, None)
}

/// The same, given up when the deadline passes. The deadline is looked at between steps of the search. Invariants that lead
/// to no proof do not stand in the way of one: then it is looked for without them. Couplings are meant as they are given.
pub fn prove_until(
    mechanism: &Mechanism,
    claim: &Claim,
    hints: &Hints,
    deadline: Option<Instant>,
) -> Result<Proof, Failure> {
    let mut limit = Limit { deadline, times: 1 };
    let mut failure = match prove_with(mechanism, claim, hints, limit) {
        Ok(proof) => return Ok(proof),
        Err(failure) => failure,
    };
    // A search that has used up its steps before its time goes further.
    while failure.reason == Reason::OutOfSteps && limit.times < MOST_TIMES && limit.has_time() {
        limit.times *= TIMES_MORE;
        failure = match prove_with(mechanism, claim, hints, limit) {
            Ok(proof) => return Ok(proof),
            Err(further) if further.reason == Reason::OutOfTime => failure,
            Err(further) => further,
        };
    }
    Err(failure)
}

/// How many times more steps a search has that is begun again, and the most times.
const TIMES_MORE: u64 = 5;
const MOST_TIMES: u64 = 625;

fn prove_with(mechanism: &Mechanism, claim: &Claim, hints: &Hints, limit: Limit) -> Result<Proof, Failure> {
    let failure = match prove_by(mechanism, claim, hints, limit) {
        Ok(proof) => return Ok(proof),
        Err(failure) => failure,
    };
    let without = Hints { invariants: Default::default(), ..hints.clone() };
    match hints.couplings.is_empty() && *hints != without {
        true => prove_by(mechanism, claim, &without, limit).map_err(|_| failure),
        false => Err(failure),
    }
}

fn prove_by(mechanism: &Mechanism, claim: &Claim, hints: &Hints, limit: Limit) -> Result<Proof, Failure> {
    if draws_sample(&mechanism.body) {
        let (plan, evidence) = sampled_plan(mechanism, claim, limit.deadline, &|inner, share| {
            let Proof { plan, evidence, .. } = prove_by(inner, share, hints, limit)?;
            Ok((plan, evidence))
        })?;
        let theorem = replay(mechanism, claim, &plan, &mut Recorded::new(evidence.clone()))?;
        return Ok(Proof { theorem, plan, evidence });
    }
    let malformed = |rejection: Rejection| Failure::new("the mechanism", Reason::Rejected(rejection));
    let context = Context::new(mechanism, Orientation::Forward).map_err(malformed)?;
    let normal = conversion::has_normal_draw(&mechanism.body);
    if normal && let Some(proof) = prove_converted(&context, claim, hints, limit) {
        return Ok(proof);
    }
    let failure = match prove_directly(mechanism, claim, hints, limit) {
        Ok(proof) => return Ok(proof),
        Err(failure) => failure,
    };
    if !normal && let Some(proof) = prove_converted(&context, claim, hints, limit) {
        return Ok(proof);
    }
    let says_all =
        matches!(failure.reason, Reason::OutOfTime | Reason::Unbounded { .. } | Reason::Called { .. });
    let rejected = matches!(&failure.reason, Reason::Rejected(why) if !matches!(why, Rejection::NotGaussian { .. } | Rejection::WrongMeasure { .. }));
    let measure = conversion::unsupported(&context, claim).filter(|_| !says_all && !rejected);
    let measure = measure.or_else(|| rows_beside(mechanism).filter(|_| !says_all && !rejected));
    let reason = measure.or_else(|| uniform(mechanism, hints).filter(|_| !says_all));
    let reason = reason.or_else(|| redrawn(mechanism, claim).filter(|_| !says_all && unaided(hints)));
    match reason {
        Some(reason) => Err(Failure::new("the claim", reason)),
        None => Err(failure),
    }
}

/// Why nothing is known of several rows where neighbours differ in something else too.
fn rows_beside(mechanism: &Mechanism) -> Option<Reason> {
    let several = |clause: &Adjacency| matches!(clause, Adjacency::Rows { .. });
    let beside = mechanism.inputs.len() > 1 || mechanism.adjacency.len() > 1;
    let reason =
        "a claim about several rows is for one table as the only input, and for one clause about its rows";
    (beside && mechanism.adjacency.iter().any(several))
        .then_some(Reason::Rejected(Rejection::ClaimNotCovered { reason }))
}

/// A uniform draw that is not part of a law with rules of its own, where nobody has said how to couple it.
fn uniform(mechanism: &Mechanism, hints: &Hints) -> Option<Reason> {
    let (rewritten, _) = rewrite(mechanism, hints);
    let draw = conversion::find_draw(&rewritten.body, &|law| *law == Distribution::Uniform);
    draw.filter(|_| unaided(hints))
        .map(|draw| Reason::Uniform { draw: draw.to_string().trim_end().to_owned() })
}

fn unaided(hints: &Hints) -> bool {
    hints.couplings.is_empty() && hints.invariants.is_empty()
}

/// A loop at the top level that draws again until it likes the answer: what it goes on for is set by its rounds, and none of them counts or
/// adds up.
fn redrawn(mechanism: &Mechanism, claim: &Claim) -> Option<Reason> {
    mechanism.body.iter().find_map(|statement| {
        let Statement::While { guard, body, .. } = statement else { return None };
        let mut counts = false;
        for_each_assignment(body, &mut |var, value| counts |= mentions(value, var));
        let asks = set_by(body).iter().any(|name| mentions(guard, name));
        let draw = conversion::find_draw(body, &|_| true).filter(|_| asks && !counts)?;
        let is_noise =
            |law: &Distribution| law::parameters(law).into_iter().all(|e| of_parameters(mechanism, e));
        let noise =
            claim.delta != Expr::int(0) && matches!(&draw, Statement::Draw { law, .. } if is_noise(law));
        let (draw, guard) = (draw.to_string().trim_end().to_owned(), guard.to_string());
        Some(if noise { Reason::NoiseRedrawn { draw, guard } } else { Reason::Redrawn { draw, guard } })
    })
}

/// A proof of a claim of ε and δ from one in μ or ρ, if there is one.
fn prove_converted(context: &Context, claim: &Claim, hints: &Hints, limit: Limit) -> Option<Proof> {
    let mechanism = context.mechanism();
    conversion::candidates(context, claim).into_iter().find_map(|(other, conversion)| {
        let Proof { theorem, plan, evidence } = prove_directly(mechanism, &other, hints, limit).ok()?;
        let theorem = convert(&theorem, claim, &conversion).ok()?;
        let plan = Plan { through: Some(Box::new((other, conversion))), ..plan };
        Some(Proof { theorem, plan, evidence })
    })
}

/// A proof in the measure of the claim.
fn prove_directly(
    mechanism: &Mechanism,
    claim: &Claim,
    hints: &Hints,
    limit: Limit,
) -> Result<Proof, Failure> {
    let malformed = |rejection: Rejection| Failure::new("the mechanism", Reason::Rejected(rejection));
    if let Some((one_row, most)) = one_row(mechanism) {
        if claim.delta != Expr::int(0) {
            let (plan, evidence) = grouped_plan(mechanism, most, claim, limit.deadline, &|share| {
                let Proof { plan, evidence, .. } = prove_directly(&one_row, share, hints, limit)?;
                Ok((plan, evidence))
            })?;
            let theorem = replay(mechanism, claim, &plan, &mut Recorded::new(evidence.clone()))?;
            return Ok(Proof { theorem, plan, evidence });
        }
        let share = group_share(claim, most);
        let Proof { theorem, plan, evidence } = prove_directly(&one_row, &share, hints, limit)?;
        // The kernel has made the theorem about one row; to replay its proof would make it once more.
        let grouped = group(mechanism, claim, &theorem);
        let theorem = grouped.map_err(|rejection| Failure::new("GROUP", Reason::Rejected(rejection)))?;
        return Ok(Proof { theorem, plan, evidence });
    }
    let (rewritten, rewrites) = rewrite(mechanism, hints);
    Context::new(&rewritten, Orientation::Forward).map_err(malformed)?;
    let question = Question { mechanism, claim, hints, limit, answers: RefCell::default() };
    let unaided = hints.couplings.is_empty() && hints.invariants.is_empty() && !hints.pointwise;
    let mut best = None;
    if unaided {
        if let Some(proof) = question.foreseeing(&rewritten, &rewrites) {
            return Ok(proof);
        }
        if let Some((steps, centered)) = centered(&rewritten)
            && let Some(proof) = question.foreseeing(&centered, &[rewrites.clone(), steps].concat())
        {
            return Ok(proof);
        }
        match question.unaided(&rewritten, &rewrites) {
            Ok(proof) => return Ok(proof),
            Err(attempt) => best = attempt,
        }
        // What is given up is made of scales that are seen to be made of parameters.
        if claim.delta != Expr::int(0)
            && let Some((steps, inlined)) = public_names_inlined(&rewritten)
            && let Ok(proof) = question.unaided(&inlined, &[rewrites.clone(), steps].concat())
        {
            return Ok(proof);
        }
        // Values to which noise is added later, as the centers of draws. What is said of a failure is about the text as it stands.
        if let Some((steps, centered)) = centered(&rewritten)
            && let Ok(proof) = question.unaided(&centered, &[rewrites.clone(), steps].concat())
        {
            return Ok(proof);
        }
    }
    let mut effort = limit.effort(MAX_EFFORT);
    if best.is_none() {
        match question.backward(&rewritten, &rewrites, &mut effort) {
            Ok(proof) => return Ok(proof),
            Err(attempt) => best = attempt,
        }
    }
    if effort.is_late() {
        return Err(Failure { help: values(mechanism), ..Failure::new("the program", Reason::OutOfTime) });
    }
    if let Some(failure) = unproved_call(&rewritten.body, hints, limit) {
        return Err(failure);
    }
    let forward = Context::new(&rewritten, Orientation::Forward).map_err(malformed)?;
    if let Some((sum, fields)) = unbounded(&forward) {
        let Sum { table, condition, value } = sum;
        let mut clipped = false;
        visit(&value, &mut |part| clipped |= matches!(part, Expr::Unary(Unary::Sqrt, _)));
        let sum = Expr::sum(Variable::Plain(table), condition, value).to_string();
        let fields = fields.iter().map(ToString::to_string).collect();
        let reason = Reason::Unbounded { sum, fields, clipped };
        return Err(Failure::new("the sum over rows", reason));
    }
    let mut failure = if effort.is_spent() {
        let failure = Failure { help: values(mechanism), ..Failure::new("the program", Reason::OutOfSteps) };
        best.map_or(failure.clone(), |attempt| attempt.with_skeleton(mechanism, failure))
    } else {
        best.map_or_else(
            || no_plan(mechanism, &rewritten, claim),
            |attempt| attempt.explain(mechanism, limit.deadline),
        )
    };
    if let Some(Sum { table, condition, value }) = of_no_known_range(&forward) {
        let clamped = value.clamp(Expr::var("low"), Expr::var("high"));
        let sum = Expr::sum(Variable::Plain(table), condition, clamped);
        failure
            .help
            .insert(0, format!("no bound was found of what a row adds; with public bounds write {sum}"));
    }
    Err(failure)
}

/// How to make the question of a search that did not end a smaller one: a number in the place of a whole parameter.
fn values(mechanism: &Mechanism) -> Vec<String> {
    let whole = mechanism.params.iter().find(|param| param.sort == Sort::Int);
    whole
        .map(|param| format!("for one value of a parameter a proof is often short: --set {}=4", param.name))
        .into_iter()
        .collect()
}

/// Whether a text goes through a table so many times, or in a straight loop as many times as a parameter says: rehearsing that takes
/// longer than following it.
fn by_groups(mechanism: &Mechanism) -> bool {
    let is_param = |bound: &Expr| match bound {
        Expr::Var(Variable::Plain(name)) => mechanism.params.iter().any(|param| param.name == *name),
        _ => false,
    };
    let counted = |statement: &Statement| match statement {
        Statement::For { from: Expr::Number(_), to: Expr::Number(_), .. } => true,
        Statement::For { from: Expr::Number(_), to, body, .. } => is_param(to) && is_straight(body),
        _ => false,
    };
    mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Rows(_)))
        && mechanism.body.iter().any(counted)
}

/// Whether a sum over rows has a condition with so many alternatives that rehearsing takes longer than the proof, which does not ask
/// which of them a row meets.
fn lists_values(mechanism: &Mechanism) -> bool {
    let mut found = false;
    for_each_expr(&mechanism.body, &mut |e| {
        found |= sums(e).iter().any(|sum| alternatives(&sum.condition) > MANY_ALTERNATIVES);
    });
    found
}

/// How many responses a text draws, one after the other.
fn answers(body: &[Statement]) -> usize {
    let is = |statement: &&Statement| {
        matches!(statement, Statement::Draw { law: Distribution::Response { .. }, .. })
    };
    body.iter().filter(is).count()
}

/// Whether a block has no loops and no branches.
fn is_straight(body: &[Statement]) -> bool {
    let plain = |statement: &Statement| {
        matches!(statement, Statement::Assign { .. } | Statement::Append { .. } | Statement::Draw { .. })
    };
    body.iter().all(plain)
}

/// How many draws and loops a text has.
fn sites(body: &[Statement]) -> usize {
    let inside = |statement: &Statement| match statement {
        Statement::Draw { .. } => 1,
        Statement::Assign { .. } | Statement::Append { .. } => 0,
        Statement::If { then, otherwise, .. } => sites(then) + sites(otherwise),
        Statement::For { body, .. } | Statement::While { body, .. } => 1 + sites(body),
    };
    body.iter().map(inside).sum()
}

/// What is to be proved.
struct Question<'a> {
    mechanism: &'a Mechanism,
    claim: &'a Claim,
    hints: &'a Hints,
    limit: Limit,
    /// What was asked about plans that were tried.
    answers: RefCell<Answers>,
}

impl Question<'_> {
    /// A proof without hints, by one way of searching after the other; or the plan that came furthest, if all plans were tried.
    fn unaided(&self, text: &Mechanism, rewrites: &[Rewrite]) -> Result<Proof, Option<Box<Attempt>>> {
        let limit = self.limit;
        let mut best = None;
        // A long text is followed forward, statement by statement, and so is one that goes through the groups of a table or compares
        // its rows with long lists; a short one is first looked at as a whole, for a while.
        let long = sites(&text.body) > MANY_SITES || text.body.len() > MANY_STATEMENTS;
        let long = long || by_groups(text) || answers(&text.body) > 1 || lists_values(text);
        if !long {
            let mut effort = limit.effort(FIRST_EFFORT);
            match self.backward(text, rewrites, &mut effort) {
                Ok(proof) => return Ok(proof),
                Err(attempt) if !effort.is_spent() => best = attempt,
                Err(_) => {}
            }
        }
        let mut ahead = limit.effort(MAX_EFFORT);
        if let Some(proof) = self.forward(text, rewrites, &mut ahead) {
            return Ok(proof);
        }
        // Loops between two numbers, written out.
        if let Some((steps, unrolled)) = unrolled(text) {
            let rewrites = [rewrites, &steps].concat();
            if let Some(proof) = self.forward(&unrolled, &rewrites, &mut ahead) {
                return Ok(proof);
            }
            if sites(&unrolled.body) <= MANY_SITES {
                let mut effort = limit.effort(FIRST_EFFORT);
                if let Ok(proof) = self.backward(&unrolled, &rewrites, &mut effort) {
                    return Ok(proof);
                }
            }
        }
        // A loop of many rounds that was not rehearsed, as one of any number of rounds.
        if long && let Some(proof) = self.of_any_length(text, rewrites) {
            return Ok(proof);
        }
        // Draws that one run makes and the other does not, where mass may be given up for it.
        if self.claim.delta != Expr::int(0)
            && let Ok(context) = Context::new(text, Orientation::Forward)
        {
            for (steps, hoisted) in hoisted(text, &context) {
                let mut effort = limit.effort(MAX_EFFORT);
                if let Ok(proof) = self.backward(&hoisted, &[rewrites, &steps].concat(), &mut effort) {
                    return Ok(proof);
                }
            }
        }
        Err(best)
    }

    /// A proof by the plan that is found where the number of rounds of a long loop is a parameter.
    fn of_any_length(&self, text: &Mechanism, rewrites: &[Rewrite]) -> Option<Proof> {
        let general = AnyLength::of(text)?;
        let (contexts, wider) = (self.contexts(text)?, self.contexts(&general.mechanism)?);
        let mut effort = self.limit.effort(FIRST_EFFORT);
        let mut comparisons = vec![Comparison::Equal];
        if contexts[0].measure() == Measure::Pure
            && matches!(contexts[0].kind(&text.output), Kind::Int | Kind::Bool)
        {
            comparisons.push(Comparison::Pointwise);
        }
        comparisons.into_iter().find_map(|comparison| {
            let mut plan = Plan::of(rewrites.to_vec(), comparison);
            let (mut evidence, mut judgements) = (Vec::new(), Vec::new());
            for (context, wider) in contexts.iter().zip(&wider) {
                let mut asked = Asked::new();
                let hints = Hints::default();
                let found =
                    search_side(wider, self.claim, &hints, comparison, &mut effort, called, &mut asked);
                let moves = general.with_number(&found.ok()?.0);
                let mut searching = Searching::new(&mut effort);
                judgements.push(replay_side(context, self.claim, comparison, &moves, &mut searching).ok()?);
                evidence.append(&mut searching.found);
                plan.sides.push((context.orientation(), moves));
            }
            let theorem = conclude(self.mechanism, self.claim, &plan, &judgements).ok()?;
            Some(Proof { theorem, plan, evidence })
        })
    }

    /// A proof of a text that chooses among noisy values and releases more than one place.
    fn foreseeing(&self, rewritten: &Mechanism, rewrites: &[Rewrite]) -> Option<Proof> {
        let mut effort = self.limit.effort(FORESEEING_EFFORT);
        let Found { foresight, sides, evidence } = foresee(rewritten, self.claim, &mut effort)?;
        let foresight = Some(Box::new(foresight));
        let plan = Plan { sides, foresight, ..Plan::of(rewrites.to_vec(), Comparison::Pointwise) };
        let mut recorded = Recorded::new(evidence.clone());
        let theorem = replay(self.mechanism, self.claim, &plan, &mut recorded).ok()?;
        Some(Proof { theorem, plan, evidence })
    }

    /// The contexts in which the two runs have to be compared.
    fn contexts(&self, rewritten: &Mechanism) -> Option<Vec<Arc<Context>>> {
        let measure = Measure::of(self.claim.reading);
        let make = |side| Context::measured(rewritten, side, measure).ok().map(Arc::new);
        let mut contexts = vec![make(Orientation::Forward)?];
        if !contexts[0].adjacency_is_symmetric() {
            contexts.push(make(Orientation::Backward)?);
        }
        Some(contexts)
    }

    /// A proof that goes forward.
    fn forward(&self, rewritten: &Mechanism, rewrites: &[Rewrite], effort: &mut Effort) -> Option<Proof> {
        let mut rewrites = rewrites.to_vec();
        let mut named = rewritten.clone();
        if let Some((step, rewritten)) = name_output(rewritten) {
            rewrites.push(step);
            named = rewritten;
        }
        let comparison = Comparison::Equal;
        let mut plan = Plan::of(rewrites, comparison);
        let (mut evidence, mut judgements) = (Vec::new(), Vec::new());
        // The questions of one side are those of the other with the runs exchanged.
        let mut known = Known::default();
        let by_one_row = matches!(named.adjacency.as_slice(), [Adjacency::OneRow { .. }]);
        for context in self.contexts(&named)? {
            // What serves where the first table lacks the row serves, with the runs exchanged, where the second does.
            let other = plan.sides.first().filter(|_| by_one_row).and_then(|(_, moves)| mirrored(moves));
            let tastes = [Taste::Distance, Taste::Width, Taste::Choice].map(Some);
            let ways = other.is_some().then_some(None).into_iter().chain(tastes);
            let found = ways.into_iter().find_map(|taste| {
                let moves = match taste {
                    Some(taste) => forward(&context, taste, self.limit.deadline).ok()?,
                    None => other.clone()?,
                };
                let mut searching =
                    Searching { again: Some(std::mem::take(&mut known)), ..Searching::new(&mut *effort) };
                let side = replay_side(&context, self.claim, comparison, &moves, &mut searching);
                known = searching.again.unwrap_or_default();
                Some((moves, searching.found, side.ok()?))
            });
            let (moves, found, side) = found?;
            plan.sides.push((context.orientation(), moves));
            evidence.extend(found);
            judgements.push(side);
        }
        // The kernel's rules made the judgements while evidence was looked for: to replay the plan would make them once more.
        let theorem = conclude(self.mechanism, self.claim, &plan, &judgements).ok()?;
        Some(Proof { theorem, plan, evidence })
    }

    /// A proof by couplings for all draws and invariants for all loops, chosen together and replayed backward.
    fn backward(
        &self,
        rewritten: &Mechanism,
        rewrites: &[Rewrite],
        effort: &mut Effort,
    ) -> Result<Proof, Option<Box<Attempt>>> {
        let Question { mechanism, claim, hints, .. } = *self;
        let Some(contexts) = self.contexts(rewritten) else { return Err(None) };
        let measure = Measure::of(claim.reading);
        let countable =
            measure == Measure::Pure && matches!(contexts[0].kind(&rewritten.output), Kind::Int | Kind::Bool);
        let comparisons = match (hints.pointwise, countable && hints.couplings.is_empty()) {
            (true, _) => vec![Comparison::Pointwise],
            (false, true) => vec![Comparison::Equal, Comparison::Pointwise],
            (false, false) => vec![Comparison::Equal],
        };
        let mut best: Option<Box<Attempt>> = None;
        for comparison in comparisons {
            let mut plan = Plan::of(rewrites.to_vec(), comparison);
            let mut evidence = Vec::new();
            for context in &contexts {
                let mut answers = self.answers.borrow_mut();
                let asked = answers.about(context);
                // What serves for one order of two neighbours, with the runs exchanged, often serves for the other.
                let other = plan.sides.first().map(|(_, moves)| moves.as_slice());
                let found = other
                    .and_then(|moves| search_mirrored(context, claim, comparison, moves, effort, asked))
                    .map_or_else(
                        || search_side(context, claim, hints, comparison, effort, called, asked),
                        Ok,
                    );
                match found {
                    Ok((moves, found)) => {
                        plan.sides.push((context.orientation(), moves));
                        evidence.extend(found);
                    }
                    Err(attempt) => {
                        if best.as_ref().is_none_or(|known| attempt.reached > known.reached) {
                            best = Some(attempt);
                        }
                        break;
                    }
                }
            }
            if plan.sides.len() == contexts.len() {
                let mut recorded = Recorded::new(evidence.clone());
                if let Ok(theorem) = replay(mechanism, claim, &plan, &mut recorded) {
                    return Ok(Proof { theorem, plan, evidence });
                }
            }
        }
        Err(best)
    }
}

/// The first call of a mechanism whose claim is not proved.
fn unproved_call(body: &[Statement], hints: &Hints, limit: Limit) -> Option<Failure> {
    body.iter().find_map(|statement| match statement {
        Statement::Draw { law: Distribution::Called(called), .. } => {
            let name = &called.mechanism.name;
            let own = hints.called.iter().find(|(of, _)| of == name).map(|(_, own)| own.clone());
            let why = prove_by(&called.mechanism, &called.claim, &own.unwrap_or_default(), limit).err()?;
            let place = format!("'{}'", statement.to_string().trim_end());
            Some(Failure::new(place, Reason::Called { name: name.to_string(), why: Box::new(why) }))
        }
        Statement::If { then, otherwise, .. } => {
            unproved_call(then, hints, limit).or_else(|| unproved_call(otherwise, hints, limit))
        }
        Statement::For { body, .. } | Statement::While { body, .. } => unproved_call(body, hints, limit),
        _ => None,
    })
}

/// The proof of what a called mechanism promises.
fn called(mechanism: &Mechanism, claim: &Claim, hints: &Hints) -> Option<(Plan, Vec<Evidence>)> {
    let Proof { plan, evidence, .. } = prove(mechanism, claim, hints).ok()?;
    Some((plan, evidence))
}
