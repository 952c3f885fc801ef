//! Makes plans: from a file's `proof` block where it speaks, from guesses elsewhere.
//!
//! A plan is a coupling for each draw and an invariant for each loop. The couplings of [`crate::plan::couplings`] are
//! combined, the most promising first; each combination is rehearsed on concrete numbers, and for those that pass,
//! what held in all rehearsals makes the invariants.

mod affordable;
mod called;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, for_each_expr};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Expr, Name, Run, Unary, Variable};
use probity_kernel::finite::{draws_uniform, has_density, mass};
use probity_kernel::kind::Kind;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Coupling, Distribution, Hints, Mechanism, Statement};

use crate::algebra::{mentions, of_parameters};
use crate::derivation::{Move, Plan};
use crate::effort::Effort;
use crate::plan::blocks::{Blocks, for_each_assignment, is_plain, set_by, set_by_draws};
use crate::plan::combinations::Combinations;
use crate::plan::couplings::tails::cut_at;
use crate::plan::couplings::{Candidate, Guesser};
use crate::plan::invariants::{Choice, Cycle, Watcher};
use crate::plan::reading::{after, invariant_of, read_where};
use crate::plan::rounds::endless::{endless, pays_without_end};
use crate::plan::rounds::{cuts, rounds};
use crate::plan::stable::asserted;
use crate::rehearse::{Scenario, Stage, Stop, scenarios};

/// Rehearsals that a combination must pass.
const REHEARSALS: usize = 200;

/// How the promise of a called mechanism is proved; whoever plans for a part without calls needs none.
pub(crate) type ProveCalled = fn(&Mechanism, &Claim, &Hints) -> Option<(Plan, Vec<Evidence>)>;

/// Makes plans for one orientation of the adjacency.
pub(crate) struct Planner<'a> {
    blocks: Blocks,
    called: ProveCalled,
    context: &'a Context,
    comparison: Comparison,
    claim: &'a Claim,
    hints: &'a Hints,
    guesser: Guesser<'a>,
    /// Per draw, in the order of the text.
    choices: Vec<Vec<Candidate>>,
    shape: Vec<Shape>,
    scenarios: Vec<Scenario>,
    /// The indices and ends of loops whose rounds nothing bounds.
    endless: Vec<(Name, Expr)>,
    next: Combinations,
}

/// The shape of the moves: what is left open are couplings and invariants.
enum Shape {
    Plain,
    OneSided,
    /// A draw, or a few statements that are coupled together.
    Site,
    If(Vec<Shape>, Vec<Shape>),
    /// A loop, and the rounds in which the runs can differ.
    For(Vec<Expr>, Vec<Shape>),
    While(Vec<Shape>),
}

/// What a statement, or a few of them, are for a plan.
enum Segment {
    Joint(Expr, Expr),
    Block(usize, Name),
    /// Draws that decide a question together.
    Cases(usize, Expr),
    Single,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(
        context: &'a Context,
        claim: &'a Claim,
        hints: &'a Hints,
        comparison: Comparison,
        called: ProveCalled,
        blocks: Blocks,
    ) -> Planner<'a> {
        let guesser = Guesser::new(context, claim, comparison);
        let scenarios = scenarios(context, REHEARSALS);
        let mut planner = Planner {
            blocks,
            called,
            context,
            comparison,
            claim,
            hints,
            guesser,
            choices: vec![],
            shape: vec![],
            scenarios,
            endless: endless(context.mechanism(), claim),
            next: Combinations::new(&[]),
        };
        planner.shape = planner.shape(&context.mechanism().body);
        let mut choices = Vec::new();
        planner.collect(&context.mechanism().body, None, &mut choices);
        planner.next = Combinations::new(&choices);
        planner.choices = choices;
        planner
    }

    /// The moves of the most promising combination, whether or not it passes a rehearsal.
    pub(crate) fn first(&self, effort: &mut Effort) -> Option<Vec<Move>> {
        let chosen: Vec<&Candidate> = self.choices.iter().filter_map(|c| c.first()).collect();
        let complete = chosen.len() == self.choices.len();
        complete.then(|| self.with_invariants(&chosen, effort)).flatten()?.into_iter().next()
    }

    /// The moves of the next combination that passes all rehearsals, with invariants in a few ways.
    pub(crate) fn next(&mut self, effort: &mut Effort) -> Option<Vec<Vec<Move>>> {
        while !effort.is_spent()
            && let Some(combination) = self.next.next()
        {
            let chosen: Vec<Candidate> =
                combination.iter().zip(&self.choices).filter_map(|(&at, c)| c.get(at).cloned()).collect();
            let chosen: Vec<&Candidate> = chosen.iter().collect();
            if self.passes(&chosen, effort)
                && let Some(mut plans) = self.with_invariants(&chosen, effort)
            {
                // What is paid in every round of a loop without end is more than any claim.
                plans.retain(|moves| !pays_without_end(moves, &self.endless));
                if !plans.is_empty() {
                    return Some(plans);
                }
            }
        }
        None
    }

    /// What the plans are about, draw by draw: how many statements each coupling takes.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.choices.iter().filter_map(|choices| choices.first()).map(|choice| choice.step.size()).collect()
    }

    fn stage(&self) -> Stage<'_> {
        Stage { context: self.context, claim: self.claim, comparison: self.comparison }
    }

    fn passes(&mut self, chosen: &[&Candidate], effort: &mut Effort) -> bool {
        let moves = self.moves(chosen, &[]);
        if !self.affords(&moves) && self.cut_apart(&moves).is_none() {
            return false;
        }
        // A plan that could not be played once, because it reads what is drawn later, is none.
        let (mut played, mut unclear) = (0, 0);
        let failed = {
            let stage = self.stage();
            let mut fails = |s: &Scenario| {
                let answer = stage.rehearse(&moves, s, &mut |_, _| {}, effort);
                match answer {
                    Ok(()) => played += 1,
                    Err(Stop::Unclear) => unclear += 1,
                    Err(Stop::Fails) => {}
                }
                answer == Err(Stop::Fails)
            };
            self.scenarios.iter().position(&mut fails)
        };
        if played == 0 && unclear > 0 && !effort.is_spent() && !left_to_the_search(&moves) {
            return false;
        }
        // What tells one wrong plan is likely to tell the next.
        if let Some(at) = failed {
            self.scenarios[..=at].rotate_right(1);
        }
        failed.is_none()
    }

    /// The moves with invariants for all loops; `None` if there is none for some loop. Of what held in all rehearsals, what is most
    /// natural comes first.
    fn with_invariants(&self, chosen: &[&Candidate], effort: &mut Effort) -> Option<Vec<Vec<Move>>> {
        let mut cycles = Vec::new();
        let mut draws = 0;
        self.cycles(&self.context.mechanism().body, (&[], &[], &[]), &mut draws, &mut cycles);
        if cycles.is_empty() {
            let moves = self.moves(chosen, &[]);
            let apart = self.guesser.spans().first().cloned().unwrap_or(Expr::int(1));
            let stable = asserted(self.context, &moves, &apart, &|var| self.guesser.thresholds(var));
            if !self.affords(&moves) {
                return Some(self.split(&moves, effort).into_iter().collect());
            }
            return Some(stable.into_iter().chain([moves]).collect());
        }
        // The tightest bound that holds is wanted, so small ones come first.
        let size = |e: &Expr| self.scenarios.iter().filter_map(|s| s.value(e)).sum::<f64>();
        let sorted = |mut all: Vec<Expr>| {
            all.sort_by(|a, b| size(a).total_cmp(&size(b)));
            all
        };
        let amounts: Vec<Vec<Expr>> = chosen.iter().map(|c| sorted(c.amounts.clone())).collect();
        let fixed: Vec<Option<Expr>> = chosen.iter().map(|c| self.fixed_cost(c)).collect();
        let distances = sorted(self.guesser.distances());
        let mut watchers: Vec<Watcher> = cycles
            .iter()
            .map(|cycle| {
                let apart = (self.guesser.spans(), distances.as_slice());
                let costs = (fixed.as_slice(), &self.claim.epsilon);
                Watcher::new(self.context, self.comparison, cycle, apart, &amounts, costs)
            })
            .collect();
        let bare = self.moves(chosen, &[]);
        let mut seen = 0;
        for scenario in &self.scenarios {
            let mut see = |cycle: usize, pair: &crate::rehearse::Pair| {
                if let Some(watcher) = watchers.get_mut(cycle) {
                    seen += watcher.see(pair);
                }
            };
            let _ = self.stage().rehearse(&bare, scenario, &mut see, effort);
            effort.spend(std::mem::take(&mut seen))?;
        }
        let mut found: Vec<Vec<Move>> = Vec::new();
        for choice in [Choice::First, Choice::Smallest, Choice::Flag] {
            let mut invariants = Vec::new();
            for (at, (cycle, watcher)) in cycles.iter().zip(&watchers).enumerate() {
                let before = cycles[..at].iter().filter(|other| other.name == cycle.name).count();
                invariants.push(match invariant_of(self.hints, cycle.name, before) {
                    // Nobody writes down that the indices of loops around are in their ranges.
                    Some(invariant) => Expr::all([vec![invariant.clone()], watcher.ranges_around()].concat()),
                    None => Expr::all(watcher.parts(choice)?),
                });
            }
            let moves = self.moves(chosen, &invariants);
            if !found.contains(&moves) {
                found.push(moves);
            }
        }
        Some(found)
    }

    /// What a draw costs, if that is fixed by the inputs and parameters.
    fn fixed_cost(&self, candidate: &Candidate) -> Option<Expr> {
        let cost = match &candidate.step {
            Move::Draw(Coupling::Shift { cost: Expr::If(hit, yes, _), .. })
                if hit.mentions(&Variable::Result) && !of_parameters(self.context.mechanism(), yes) =>
            {
                // Where the result is decided, the whole amount; elsewhere nothing.
                (**hit).clone().choose(candidate.amounts.last()?.clone(), Expr::int(0))
            }
            Move::Draw(
                Coupling::Shift { cost, .. } | Coupling::Equal { cost, .. } | Coupling::Chosen { cost, .. },
            )
            | Move::UpTo(Coupling::Shift { cost, .. }, _)
            | Move::Below(Coupling::Shift { cost, .. }, _)
            | Move::Under(Coupling::Shift { cost, .. }, _)
            | Move::Tail(_, Coupling::Shift { cost, .. }, _)
            | Move::Call(cost, ..)
            | Move::Joint(_, cost) => cost.clone(),
            Move::Draw(Coupling::SameValue { ratio: (a, b) }) | Move::SameValue(_, _, (a, b)) => {
                (a.clone() / b.clone()).ln()
            }
            _ => return None,
        };
        let mechanism = self.context.mechanism();
        let given = |name: &Name| {
            mechanism.inputs.iter().any(|i| i.name == *name)
                || mechanism.params.iter().any(|p| p.name == *name)
        };
        let mut fixed = true;
        cost.for_each_variable(&mut |v| {
            fixed &= match v {
                Variable::Plain(name) | Variable::Of(name, _) => given(name),
                Variable::Result | Variable::Row(..) => true,
                _ => false,
            };
        });
        fixed.then_some(cost)
    }

    fn hint(&self, var: &Name) -> Option<&Coupling> {
        self.hints.couplings.iter().find(|(name, _)| name == var).map(|(_, coupling)| coupling)
    }

    fn segment(&self, body: &[Statement]) -> Segment {
        if let [
            Statement::Draw { var: u, law: Distribution::Uniform },
            Statement::Draw { var: s, law: Distribution::Sign },
            ..,
        ] = body
            && let Some(Coupling::SignedLog { by, cost }) = self.hint(u).or_else(|| self.hint(s))
        {
            return Segment::Joint(by.clone(), cost.clone());
        }
        // Where mass is given up, draws by themselves may be cut.
        let apart = self.blocks == Blocks::Single && self.claim.delta != Expr::int(0);
        if !apart
            && let Some((size, guard)) = self.guesser.question(body)
            && set_by_draws(&body[..size]).iter().all(|var| self.hint(var).is_none())
        {
            return Segment::Cases(size, guard);
        }
        let alone = self.blocks == Blocks::Single && matches!(body.first(), Some(Statement::Draw { .. }));
        if self.starts_block(body) {
            if !alone && let Some((block, var)) = self.first_block(body, 1) {
                return Segment::Block(block.len(), var);
            }
        } else {
            // A value that is set and then changed by coins; unless the coins have a block of their own. Or a probability that is
            // set by cases, and a coin with it.
            let plain = body.iter().take_while(|statement| is_plain(std::slice::from_ref(statement))).count();
            let (sets, coins) = body.split_at(plain);
            let by_cases = sets.iter().any(|statement| matches!(statement, Statement::If { .. }));
            let changed = |found: &Name| match sets.first() {
                Some(Statement::Assign { var, .. }) => var == found,
                _ => false,
            };
            if self.blocks == Blocks::Spread
                && !sets.is_empty()
                && self.starts_block(coins)
                && let Some((block, found)) = self.first_block(body, plain + 1)
                && draws_uniform(block)
            {
                return Segment::Block(block.len(), found);
            }
            if !sets.is_empty()
                && self.starts_block(coins)
                && self.first_block(coins, 1).is_none()
                && let Some((block, found)) = self.first_block(body, plain + 1)
                && (changed(&found) || by_cases && set_by_draws(block).contains(&found))
            {
                return Segment::Block(block.len(), found);
            }
        }
        Segment::Single
    }

    /// The first block of finite draws of which one variable matters, of so many statements at least.
    fn first_block<'b>(&self, body: &'b [Statement], least: usize) -> Option<(&'b [Statement], Name)> {
        let blocks = || (least..=body.len().min(MAX_BLOCK)).map(|size| &body[..size]);
        let found = || blocks().filter_map(|block| Some((block, self.block_variable(block)?)));
        // What knows nothing of the inputs has one law in both runs, and is part of a longer block if there is one.
        let mut private = found().filter(|(block, _)| !self.is_public(block));
        let private = match self.blocks {
            Blocks::Longest => private.next_back(),
            _ => private.next(),
        };
        private.or_else(|| found().next()).filter(|(block, _)| !self.is_processing(block))
    }

    /// Whether a block reads nothing but what it sets and what both runs share.
    fn is_public(&self, block: &[Statement]) -> bool {
        let set = set_by(block);
        let mut public = true;
        for_each_expr(block, &mut |e| {
            e.for_each_variable(&mut |v| {
                public &=
                    matches!(v, Variable::Plain(name) if set.contains(name) || self.context.is_shared(name));
            });
        });
        public
    }

    /// Whether a block of finite draws may begin here.
    fn starts_block(&self, body: &[Statement]) -> bool {
        match body.first() {
            Some(statement @ Statement::Draw { var, .. }) => {
                self.is_finite(statement) && self.hint(var).is_none()
            }
            Some(Statement::If { guard, then, otherwise }) => {
                let differs =
                    self.context.in_run(guard, Run::First) != self.context.in_run(guard, Run::Second);
                differs && !(is_plain(then) && is_plain(otherwise))
            }
            _ => false,
        }
    }

    /// Whether a statement may be part of a block: its draws have finitely many values, or are uniform where blocks have densities.
    fn is_finite(&self, statement: &Statement) -> bool {
        let is_taken = |law: &Distribution| match law {
            Distribution::Uniform => self.blocks == Blocks::Spread,
            Distribution::Bernoulli(_)
            | Distribution::Response { .. }
            | Distribution::UniformInt { .. }
            | Distribution::UniformOther { .. }
            | Distribution::Sign => true,
            _ => false,
        };
        is_finite(statement, &is_taken)
    }

    /// Whether a block is one draw and what is made of it: then the draw alone is coupled.
    fn is_processing(&self, block: &[Statement]) -> bool {
        let (Some(Statement::Draw { .. }), rest) = (block.first(), block.get(1..).unwrap_or_default()) else {
            return false;
        };
        let set = set_by(block);
        let mut public = set_by_draws(rest).is_empty();
        for_each_expr(rest, &mut |e| {
            e.for_each_variable(&mut |v| {
                public &=
                    matches!(v, Variable::Plain(name) if set.contains(name) || self.context.is_shared(name));
            });
        });
        public
    }

    /// The one variable of a block of finite draws that is read elsewhere, if more than one variable is set.
    fn block_variable(&self, block: &[Statement]) -> Option<Name> {
        // In ρ a draw is compared by itself.
        if self.context.measure() != Measure::Pure || !block.iter().all(|statement| self.is_finite(statement))
        {
            return None;
        }
        let (mut inside, mut everywhere) = (Vec::new(), Vec::new());
        for_each_expr(block, &mut |e| inside.push(e.clone()));
        for_each_expr(&self.context.mechanism().body, &mut |e| everywhere.push(e.clone()));
        everywhere.push(self.context.mechanism().output.clone());
        let count = |all: &[Expr], name: &Name| all.iter().filter(|e| mentions(e, name)).count();
        let set = set_by(block);
        let read: Vec<&Name> =
            set.iter().filter(|name| count(&inside, name) < count(&everywhere, name)).collect();
        match (read.as_slice(), block) {
            ([_], [Statement::Draw { .. }]) => None,
            ([var], _) if draws_uniform(block) => {
                has_density(self.context, block, var).then(|| (*var).clone())
            }
            ([var], _) => {
                // A law with too many cases is better taken draw by draw.
                let value = Expr::Var(Variable::Arbitrary((*var).clone(), 0));
                let law = mass(self.context, block, var, &value, Run::First).ok()?;
                law.numerator.is_within(MAX_LAW).then(|| (*var).clone())
            }
            _ => None,
        }
    }

    /// The choices for every draw, in the order of the text. `counted` is the nearest guard around that counts: where it
    /// no longer holds, what is drawn is not read again.
    fn collect(&self, body: &[Statement], counted: Option<&Expr>, choices: &mut Vec<Vec<Candidate>>) {
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            let fixed = |step| vec![Candidate { step, amounts: vec![] }];
            match self.segment(&body[at..]) {
                Segment::Joint(by, cost) => {
                    choices.push(fixed(Move::Joint(by, cost)));
                    at += 2;
                    continue;
                }
                Segment::Block(size, var) => {
                    choices.push(match self.hint(&var) {
                        Some(Coupling::SameValue { ratio }) => {
                            fixed(Move::SameValue(var, size, ratio.clone()))
                        }
                        _ => self.guesser.block(&body[at..at + size], &var),
                    });
                    at += size;
                    continue;
                }
                Segment::Cases(size, guard) => {
                    choices.push(self.guesser.cases(&body[at..at + size], &guard));
                    at += size;
                    continue;
                }
                Segment::Single => at += 1,
            }
            match statement {
                Statement::Draw { law: Distribution::Called(called), .. } => choices.push(self.call(called)),
                Statement::Draw { var, law } => choices.push(match self.hint(var) {
                    Some(coupling) => match self.hints.tails.iter().find(|(name, _)| name == var) {
                        Some((_, tail)) => cut_at(law, coupling, tail),
                        None => fixed(Move::Draw(coupling.clone())),
                    },
                    None => {
                        let again = counted.map(|guard| after(guard, &body[at..]));
                        self.guesser.draw(var, law, again, read_where(var, &body[at..], false))
                    }
                }),
                Statement::If { guard, then, otherwise } => {
                    let counted = if self.counts(guard) { Some(guard) } else { counted };
                    self.collect(then, counted, choices);
                    self.collect(otherwise, counted, choices);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => {
                    self.collect(body, None, choices);
                }
                Statement::Assign { .. } | Statement::Append { .. } => {}
            }
        }
    }

    /// Whether a guard compares integers that the program counts with parameters, or is a flag that such comparisons set.
    fn counts(&self, guard: &Expr) -> bool {
        match guard {
            Expr::Unary(Unary::Not, flag) => self.is_flag(flag),
            Expr::Binary(..) => self.is_whole(guard),
            flag => self.is_flag(flag),
        }
    }

    fn is_whole(&self, e: &Expr) -> bool {
        let mut whole = true;
        e.for_each_variable(&mut |v| whole &= self.context.kind(&Expr::Var(v.clone())) == Kind::Int);
        whole
    }

    /// Whether a variable is a truth value that is only set to constants and comparisons of integers.
    fn is_flag(&self, e: &Expr) -> bool {
        let Expr::Var(Variable::Plain(name)) = e else { return false };
        let mut set = false;
        let mut whole = self.context.kind(e) == Kind::Bool;
        for_each_assignment(&self.context.mechanism().body, &mut |var, value| {
            set |= var == name;
            whole &= var != name || self.is_whole(value);
        });
        set && whole && !set_by_draws(&self.context.mechanism().body).contains(name)
    }

    fn moves(&self, chosen: &[&Candidate], invariants: &[Expr]) -> Vec<Move> {
        let mut chosen = chosen.iter().map(|c| c.step.clone());
        let mut invariants = invariants.iter().cloned();
        assemble(&self.shape, &mut chosen, &mut invariants)
    }

    /// The shape of a block.
    fn shape(&self, body: &[Statement]) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            let size = match self.segment(&body[at..]) {
                Segment::Joint(..) => 2,
                Segment::Block(size, _) | Segment::Cases(size, _) => size,
                Segment::Single => 0,
            };
            at += size.max(1);
            shapes.push(match statement {
                _ if size > 0 => Shape::Site,
                Statement::Assign { .. } | Statement::Append { .. } => Shape::Plain,
                Statement::Draw { .. } => Shape::Site,
                Statement::If { then, otherwise, .. } if is_plain(then) && is_plain(otherwise) => {
                    Shape::OneSided
                }
                Statement::If { then, otherwise, .. } => Shape::If(self.shape(then), self.shape(otherwise)),
                Statement::For { index, body, .. } => {
                    Shape::For(rounds(self.context, index, body), self.shape(body))
                }
                Statement::While { body, .. } => Shape::While(self.shape(body)),
            });
        }
        shapes
    }

    /// The loops in the order of the text, with what is around them.
    fn cycles<'b>(
        &self,
        body: &'b [Statement],
        (scope, outer, around): (&[Name], &[Name], &[Expr]),
        draws: &mut usize,
        cycles: &mut Vec<Cycle<'b>>,
    ) {
        let mut scope = scope.to_vec();
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            let size = match self.segment(&body[at..]) {
                Segment::Joint(..) => 2,
                Segment::Block(size, _) | Segment::Cases(size, _) => size,
                Segment::Single => 0,
            };
            if size > 0 {
                *draws += 1;
                scope.extend(set_by(&body[at..at + size]));
                at += size;
                continue;
            }
            at += 1;
            let (first, second) = (
                |e: &Expr| self.context.in_run(e, Run::First),
                |e: &Expr| self.context.in_run(e, Run::Second),
            );
            match statement {
                Statement::Draw { .. } => *draws += 1,
                Statement::If { guard, then, otherwise } => {
                    let with = |more: [Expr; 2]| around.iter().cloned().chain(more).collect::<Vec<_>>();
                    let taken = with([first(guard), second(guard)]);
                    self.cycles(then, (&scope, outer, &taken), draws, cycles);
                    let not = [!first(guard), !second(guard)];
                    self.cycles(otherwise, (&scope, outer, &with(not)), draws, cycles);
                }
                Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. } => {
                    let place = cycles.len();
                    let start = *draws;
                    cycles.push(Cycle {
                        name,
                        from: match statement {
                            Statement::For { from, .. } => Some(first(from)),
                            _ => None,
                        },
                        body,
                        scope: scope.clone(),
                        outer: outer.to_vec(),
                        around: around.to_vec(),
                        draws: start..start,
                    });
                    let mut inner = around.to_vec();
                    if let Statement::For { from, to, .. } = statement {
                        let i = Expr::var(name.clone());
                        inner.extend([first(from).le(i.clone()), i.lt(first(to))]);
                    }
                    let mut outer = outer.to_vec();
                    if matches!(statement, Statement::For { .. }) {
                        outer.push(name.clone());
                    }
                    self.cycles(body, (&scope, &outer, &inner), draws, cycles);
                    if let Some(cycle) = cycles.get_mut(place) {
                        cycle.draws = start..*draws;
                    }
                }
                Statement::Assign { .. } | Statement::Append { .. } => {}
            }
            // What only the rounds of a loop set has no value after it: there may have been none.
            if matches!(statement, Statement::For { .. } | Statement::While { .. }) {
                continue;
            }
            for name in set_by(std::slice::from_ref(statement)) {
                if !scope.contains(&name) {
                    scope.push(name);
                }
            }
        }
    }
}

/// Whether some coupling is one that rehearsals do not play.
fn left_to_the_search(moves: &[Move]) -> bool {
    moves.iter().any(|step| match step {
        Move::Joint(..) | Move::Draw(Coupling::Scale { .. } | Coupling::SignedLog { .. }) => true,
        Move::If(yes, no) | Move::Split(_, yes, no) => left_to_the_search(yes) || left_to_the_search(no),
        Move::For(_, inner) | Move::ForOnce(_, _, inner) | Move::While(_, inner) => left_to_the_search(inner),
        _ => false,
    })
}

/// Fills a shape with couplings and invariants, both in the order of the text.
fn assemble(
    shapes: &[Shape],
    chosen: &mut dyn Iterator<Item = Move>,
    invariants: &mut dyn Iterator<Item = Expr>,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Plain => moves.push(Move::Plain),
            Shape::OneSided => moves.push(Move::OneSided),
            Shape::Site => moves.extend(chosen.next()),
            Shape::If(yes, no) => {
                let yes = assemble(yes, chosen, invariants);
                moves.push(Move::If(yes, assemble(no, chosen, invariants)));
            }
            Shape::For(rounds, body) => {
                let invariant = invariants.next().unwrap_or(Expr::Bool(true));
                let inner = assemble(body, chosen, invariants);
                moves.push(if cuts(&inner) && !rounds.is_empty() {
                    Move::ForOnce(invariant, rounds.clone(), inner)
                } else {
                    Move::For(invariant, inner)
                });
            }
            Shape::While(body) => {
                let invariant = invariants.next().unwrap_or(Expr::Bool(true));
                moves.push(Move::While(invariant, assemble(body, chosen, invariants)));
            }
        }
    }
    moves
}

/// The most parts that the mass of a value after a block may have.
const MAX_LAW: usize = 2_000;
/// The most statements of a block of finite draws.
const MAX_BLOCK: usize = 24;

/// Whether a statement has finite draws, assignments and conditionals only, and no lists.
fn is_finite(statement: &Statement, is_taken: &dyn Fn(&Distribution) -> bool) -> bool {
    match statement {
        Statement::Draw { law, .. } => is_taken(law),
        Statement::Assign { value, .. } => *value != Expr::EmptyList,
        Statement::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).all(|statement| is_finite(statement, is_taken))
        }
        _ => false,
    }
}
