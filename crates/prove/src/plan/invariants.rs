//! Invariants from rehearsals: of many small statements about the variables of a loop, those that held in all its states.

use std::collections::BTreeSet;
use std::ops::Range;

use probity_exact::Rational;
use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Run, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Sort, Statement};

use crate::algebra::{divided, minus, normal, number, plus, product};
use crate::lists;
use crate::plan::blocks::{for_each_guard, set_by};
use crate::rehearse::{Pair, changed_lists};
use crate::tables;

/// What it takes to evaluate a small formula, in the steps of a search.
const LOOK_STEPS: usize = 10;
/// The most guards that are tried as conditions of a statement.
const MOST_GUARDS: usize = 4;

/// A loop, and what is around it.
pub(crate) struct Cycle<'a> {
    /// The index of a `for` or the label of a `while`.
    pub(crate) name: &'a Name,
    /// Where a `for` starts to count.
    pub(crate) from: Option<Expr>,
    pub(crate) body: &'a [Statement],
    /// The variables that have a value before the loop.
    pub(crate) scope: Vec<Name>,
    /// The indices of the loops around it.
    pub(crate) outer: Vec<Name>,
    /// What holds around the loop: guards that were taken, ranges of the indices of outer loops.
    pub(crate) around: Vec<Expr>,
    /// The draws inside, by number.
    pub(crate) draws: std::ops::Range<usize>,
}

/// A statement that may hold whenever the loop comes round.
pub(super) struct Question {
    formula: Expr,
    alive: bool,
}

/// Which of the bounds that held is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// The most natural one.
    First,
    /// The one that was smallest.
    Smallest,
    /// The first that says what a flag of the text tells of the cost, if there is one.
    Flag,
}

/// A bound on what one draw has cost so far.
struct Bound {
    term: Expr,
    /// A variable whose difference the bound still owes; pointless where it never differs.
    owed: Option<Name>,
    alive: bool,
    /// Whether it is due where a flag says so.
    by_flag: bool,
    /// What it came to in all states together: the smaller of two bounds is the better one.
    total: f64,
}

impl Bound {
    fn new((term, owed): (Expr, Option<Name>)) -> Bound {
        let is_flag = |e: &Expr| match e {
            Expr::Unary(Unary::Not, flag) => matches!(**flag, Expr::Var(_)),
            e => matches!(e, Expr::Var(_)),
        };
        let by_flag = matches!(&term, Expr::If(guard, ..) if is_flag(guard));
        Bound { term, owed, alive: true, by_flag, total: 0.0 }
    }

    /// Compares with what was spent in a state.
    fn see(&mut self, pair: &Pair, spent: f64) {
        let value = pair.amount(&self.term);
        self.alive = value.is_some_and(|value| spent <= value + 1e-9 * (1.0 + spent));
        self.total += value.unwrap_or(0.0);
    }
}

/// What is known of one variable under one condition: the strongest comes first.
pub(super) struct Topic {
    pub(super) condition: Option<Expr>,
    pub(super) questions: Vec<Question>,
}

/// The statements about one loop that rehearsals have not contradicted yet.
pub(crate) struct Watcher {
    /// Per variable: unconditional statements first.
    variables: Vec<(Name, Vec<Topic>)>,
    ranges: Vec<Topic>,
    around: Vec<Question>,
    /// Per draw, from the smallest bound.
    bounds: Vec<Vec<Bound>>,
    /// Bounds on what several draws have cost together: those of the loop, and all.
    joint: Vec<(Range<usize>, Vec<Bound>)>,
    seen: usize,
}

impl Watcher {
    /// All that may be asked about a loop. `amounts` are the costs that each draw may have at once, `fixed` what a
    /// draw before the loop costs if that is an expression in the inputs.
    pub(crate) fn new(
        context: &Context,
        comparison: Comparison,
        cycle: &Cycle<'_>,
        (spans, distances): (&[Expr], &[Expr]),
        amounts: &[Vec<Expr>],
        (fixed, epsilon): (&[Option<Expr>], &Expr),
    ) -> Watcher {
        let ask = Ask { context, comparison, cycle, spans, distances };
        let variables = cycle.scope.iter().map(|name| (name.clone(), ask.variable(name))).collect();
        let known = |name| {
            let counted = [ask.ranges(name), ask.flags(name), ask.stops(name), ask.beside_the_index(name)];
            let numbers =
                [ask.untouched(name), ask.since_the_start(name), ask.order(name), ask.by_each_row(name)];
            counted.into_iter().chain(numbers)
        };
        let ranges = cycle.scope.iter().flat_map(known).flatten().collect();
        let around = cycle.around.iter().map(|f| question(f.clone())).collect();
        let bounds = amounts
            .iter()
            .zip(fixed)
            .enumerate()
            .map(|(site, (amounts, fixed))| {
                let mut terms = ask.terms(cycle.draws.contains(&site), amounts, fixed.as_ref());
                if cycle.draws.contains(&site) && cycle.draws.len() == 1 {
                    terms.extend(ask.sums_so_far(epsilon).into_iter().map(|sum| (sum, None)));
                }
                terms.into_iter().map(Bound::new).collect()
            })
            .collect();
        let together = |terms: Vec<Expr>| terms.into_iter().map(|term| Bound::new((term, None))).collect();
        let joint = vec![
            (0..amounts.len(), together(ask.budgets(epsilon))),
            (cycle.draws.clone(), together(ask.counted(amounts))),
        ];
        Watcher { variables, ranges, around, bounds, joint, seen: 0 }
    }

    /// Drops what does not hold in this state. Answers with the steps that it took.
    pub(crate) fn see(&mut self, pair: &Pair) -> usize {
        self.seen += 1;
        let mut looked = 0;
        let mut drop_false = |topic: &mut Topic| {
            looked += 1;
            if topic.condition.as_ref().is_some_and(|c| pair.holds(c) != Some(true)) {
                return;
            }
            for question in topic.questions.iter_mut().filter(|q| q.alive) {
                looked += 1;
                question.alive = pair.holds(&question.formula) == Some(true);
            }
        };
        self.variables.iter_mut().flat_map(|(_, topics)| topics).for_each(&mut drop_false);
        self.ranges.iter_mut().for_each(&mut drop_false);
        for question in self.around.iter_mut().filter(|q| q.alive) {
            question.alive = pair.holds(&question.formula) == Some(true);
        }
        for (site, bounds) in self.bounds.iter_mut().enumerate() {
            let spent = pair.spent.get(site).copied().unwrap_or(0.0);
            for bound in bounds.iter_mut().filter(|b| b.alive) {
                looked += 1;
                bound.see(pair, spent);
            }
        }
        for (sites, bounds) in &mut self.joint {
            let spent = pair.spent.iter().take(sites.end).skip(sites.start).sum();
            for bound in bounds.iter_mut().filter(|b| b.alive) {
                looked += 1;
                bound.see(pair, spent);
            }
        }
        looked * LOOK_STEPS
    }

    /// Whether a variable was always the same in both runs.
    fn is_equal(&self, name: &Name) -> bool {
        let topics = self.variables.iter().find(|(known, _)| known == name).map(|(_, topics)| topics);
        let first = topics.and_then(|topics| topics.first()?.questions.first());
        first.is_some_and(|question| question.alive)
    }

    /// A bound on what all draws have cost: the sum of bounds for each, or one for several where that is smaller.
    fn cost(&self, choice: Choice) -> Option<Expr> {
        let useful = |bound: &&Bound| bound.alive && !bound.owed.as_ref().is_some_and(|v| self.is_equal(v));
        let best = |bounds: std::slice::Iter<'_, Bound>| match choice {
            Choice::First => bounds.clone().position(|b| useful(&b)),
            Choice::Flag => {
                let first = bounds.clone().position(|b| useful(&b));
                let free =
                    first.and_then(|at| bounds.clone().nth(at)).is_some_and(|b| b.term == Expr::int(0));
                let flagged = bounds.clone().position(|b| useful(&b) && b.by_flag);
                flagged.filter(|_| !free).or(first)
            }
            Choice::Smallest => {
                let useful = bounds.enumerate().filter(|(_, b)| useful(b));
                useful.min_by(|(_, a), (_, b)| a.total.total_cmp(&b.total)).map(|(place, _)| place)
            }
        };
        let single: Vec<Option<&Bound>> = self
            .bounds
            .iter()
            .map(|bounds| best(bounds.iter()).and_then(|place| bounds.get(place)))
            .collect();
        let mut chosen: Vec<Option<&Bound>> = single.clone();
        for (sites, bounds) in &self.joint {
            let apart: f64 =
                single[sites.clone()].iter().map(|bound| bound.map_or(f64::INFINITY, |b| b.total)).sum();
            let paying =
                single[sites.clone()].iter().filter(|bound| bound.is_none_or(|b| b.term != Expr::int(0)));
            let unbounded = single[sites.clone()].iter().any(|bound| bound.is_none());
            let best = bounds.iter().filter(|b| b.alive).min_by(|a, b| a.total.total_cmp(&b.total));
            // Of one draw alone the bounds for it are the natural ones, but a budget that the text keeps may be smaller.
            let alone = paying.count() <= 1 && choice == Choice::First;
            if let Some(best) = best.filter(|best| best.total < apart * (1.0 - 1e-9))
                && (unbounded || !alone)
            {
                let first = sites.start;
                let others =
                    chosen.iter().enumerate().filter(|(site, _)| !sites.contains(site)).map(|(_, b)| *b);
                chosen = others.collect();
                chosen.insert(first.min(chosen.len()), Some(best));
                break;
            }
        }
        let mut total: Option<Expr> = None;
        for bound in chosen {
            let term = &bound?.term;
            if *term != Expr::int(0) {
                total = Some(match total {
                    None => term.clone(),
                    Some(sum) => sum + term.clone(),
                });
            }
        }
        Some(total.unwrap_or(Expr::int(0)))
    }

    /// Where the indices of the loops around are, as far as parameters say it: no round changes that.
    pub(crate) fn ranges_around(&self) -> Vec<Expr> {
        let plain = |e: &Expr| e.find_variable(&|v| !matches!(v, Variable::Plain(_))).is_none();
        self.around.iter().filter(|q| q.alive && plain(&q.formula)).map(|q| q.formula.clone()).collect()
    }

    /// The parts of an invariant; `None` if no bound of some draw's cost is left.
    pub(crate) fn parts(&self, choice: Choice) -> Option<Vec<Expr>> {
        let mut parts = vec![Expr::cost().le(self.cost(choice)?)];
        for (_, topics) in &self.variables {
            let Some((always, sometimes)) = topics.split_first() else { continue };
            // The first question of a topic leaves nothing to add.
            let exact = always.questions.first().is_some_and(|q| q.alive);
            let best = always.questions.iter().position(|q| q.alive);
            parts.extend(best.map(|at| always.questions[at].formula.clone()));
            if exact {
                continue;
            }
            for topic in sometimes {
                let better = topic.questions.iter().position(|q| q.alive);
                if let Some(at) = better
                    && best.is_none_or(|known| at < known)
                {
                    parts.push(under(&topic.condition, &topic.questions[at].formula));
                }
            }
        }
        for topic in &self.ranges {
            let found = topic.questions.iter().find(|q| q.alive);
            parts.extend(found.map(|q| under(&topic.condition, &q.formula)));
        }
        parts.extend(self.around.iter().filter(|q| q.alive).map(|q| q.formula.clone()));
        (self.seen > 0).then_some(parts)
    }
}

fn under(condition: &Option<Expr>, formula: &Expr) -> Expr {
    match condition {
        None => formula.clone(),
        Some(condition) => condition.clone().implies(formula.clone()),
    }
}

/// Whether a place is that of the entry that changed, or fixed by it.
fn is_change(event: &Expr) -> bool {
    event.find_variable(&|v| matches!(v, Variable::Changed(_))).is_some()
}

pub(super) fn question(formula: Expr) -> Question {
    Question { formula, alive: true }
}

pub(super) struct Ask<'a> {
    pub(super) context: &'a Context,
    comparison: Comparison,
    pub(super) cycle: &'a Cycle<'a>,
    /// How far apart neighbours are, and what is computed from them.
    spans: &'a [Expr],
    pub(super) distances: &'a [Expr],
}

impl Ask<'_> {
    pub(super) fn of(&self, name: &Name) -> (Expr, Expr) {
        (Expr::of(name.clone(), Run::First), Expr::of(name.clone(), Run::Second))
    }

    pub(super) fn kind(&self, name: &Name) -> Kind {
        self.context.kind(&Expr::var(name.clone()))
    }

    /// What counts the iterations: the index, or integers that the body changes.
    pub(super) fn counters(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        if self.cycle.from.is_some() {
            found.push(Expr::var(self.cycle.name.clone()));
        }
        let changed = set_by(self.cycle.body);
        let scope = self.cycle.scope.iter().filter(|name| changed.contains(name));
        found.extend(scope.filter(|name| self.kind(name) == Kind::Int).map(|name| self.of(name).0));
        found
    }

    /// Places that matter: the entry that changed, the result of a pointwise proof, the value of an input.
    fn events(&self) -> Vec<Expr> {
        let mechanism = self.context.mechanism();
        let mut found = Vec::new();
        for clause in &mechanism.adjacency {
            let place = changed_lists(clause).first();
            found.extend(place.map(|list| Expr::Var(Variable::Changed(list.clone()))));
        }
        if self.is_pointwise_number() {
            found.push(Expr::Var(Variable::Result));
        }
        for input in &mechanism.inputs {
            if matches!(input.sort, Sort::Int | Sort::Category { .. }) {
                found.extend([Run::First, Run::Second].map(|run| Expr::of(input.name.clone(), run)));
            }
        }
        found
    }

    fn is_pointwise_number(&self) -> bool {
        self.comparison == Comparison::Pointwise
            && self.context.kind(&self.context.mechanism().output) == Kind::Int
    }

    /// Results that no round gives: negative numbers, which say that nothing was chosen.
    fn results_before(&self) -> Vec<Expr> {
        let Expr::Var(Variable::Plain(output)) = &self.context.mechanism().output else { return vec![] };
        let negative = |start: &Expr| number(start).is_some_and(|n| n < Rational::ZERO);
        self.public_starts(output).into_iter().filter(negative).collect()
    }

    /// The place of the loop relative to an event: past it.
    pub(super) fn passed(&self) -> Vec<(Expr, Expr)> {
        let mut found = Vec::new();
        let index = Expr::var(self.cycle.name.clone());
        for counter in self.counters() {
            let events = self.events().into_iter().chain(self.reached_elsewhere(&counter));
            for event in events {
                let mut past = match (self.falls(&counter), self.counts_first(&counter)) {
                    (true, false) => counter.clone().lt(event.clone()),
                    (true, true) => counter.clone().le(event.clone()),
                    (false, false) => counter.clone().gt(event.clone()),
                    (false, true) => counter.clone().ge(event.clone()),
                };
                // What lies before the first index is never passed.
                let before = event == Expr::Var(Variable::Result) && !self.results_before().is_empty();
                if let Some(from) = self.cycle.from.as_ref().filter(|from| before || **from != Expr::int(0))
                    && counter == index
                {
                    past = past.and(from.clone().le(event.clone()));
                }
                found.push((past, event));
            }
        }
        found.extend(self.passed_blocks());
        if self.cycle.from.is_some() {
            found.extend(tables::passed_within(self.context, self.cycle.name, &self.cycle.outer));
        }
        found.extend(tables::passed_boundaries(self.context, self.cycle.body, &set_by(self.cycle.body)));
        found
    }

    /// The same of the loops around, for draws before this one in their rounds.
    fn passed_outside(&self) -> Vec<(Expr, Expr)> {
        let mut found = Vec::new();
        for outer in &self.cycle.outer {
            let index = Expr::var(outer.clone());
            for event in self.events() {
                let pasts = [index.clone().ge(event.clone()), index.clone().gt(event.clone())];
                found.extend(pasts.map(|past| (past, event.clone())));
            }
        }
        found
    }

    /// Conditions under which a variable may be better known: guards of the body, and the result of a pointwise
    /// proof being behind or ahead.
    fn conditions(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        if self.is_pointwise_number() {
            let result = Expr::Var(Variable::Result);
            let output = self.context.in_run(&self.context.mechanism().output, Run::First);
            for counter in self.counters().into_iter().filter(|counter| *counter != output) {
                let passed = match self.falls(&counter) {
                    true => {
                        found.push(counter.clone().ge(result.clone()));
                        counter.lt(result.clone())
                    }
                    false => {
                        found.push(counter.clone().le(result.clone()));
                        Expr::int(0).le(result.clone()).and(counter.gt(result.clone()))
                    }
                };
                found.push(passed.and(output.clone().equals(result.clone())));
            }
            let none = |start: Expr| start.equals(result.clone()).and(output.clone().equals(result.clone()));
            found.extend(self.results_before().into_iter().map(none));
        }
        for guard in self.guards() {
            found.extend([guard.clone(), !guard]);
        }
        found
    }

    /// The guards of the body that speak of what there is before an iteration.
    fn guards(&self) -> Vec<Expr> {
        let mut guards: Vec<Expr> = Vec::new();
        let mut see = |guard: &Expr| {
            let mut known = true;
            guard.for_each_variable(&mut |v| {
                known &= match v {
                    Variable::Plain(name) => {
                        self.context.mechanism().params.iter().any(|p| p.name == *name)
                            || self.cycle.scope.contains(name)
                    }
                    _ => false,
                }
            });
            let here = self.context.in_run(guard, Run::First);
            if known && !guards.contains(&here) {
                guards.push(here);
            }
        };
        for_each_guard(self.cycle.body, &mut see);
        // A loop that goes on as long as nothing was found has paid nothing as long as it goes on.
        for part in self.own_guard() {
            see(&part);
        }
        guards.truncate(MOST_GUARDS);
        guards
    }

    /// What may be known of one variable.
    fn variable(&self, name: &Name) -> Vec<Topic> {
        let (v, w) = self.of(name);
        let mut strong = vec![v.clone().equals(w.clone())];
        let mut weak = vec![];
        if self.is_scores(name) {
            let ranges = lists::ranges(self.context, name, self.distances).into_iter();
            strong.extend(ranges.map(|(low, high)| Expr::apart(name.clone(), low, high)));
        }
        if matches!(self.kind(name), Kind::Int | Kind::Real) {
            for (list, _, squares) in lists::norms(self.context) {
                let moved = |i: Expr| i.index_of(Variable::Moved(list.clone()));
                let places = self.counters().into_iter().filter(|_| !squares);
                weak.extend(places.map(|i| (v.clone() - w.clone()).abs().le(moved(i))));
            }
        }
        if matches!(self.kind(name), Kind::Int | Kind::Real) {
            for s in self.spans {
                strong.push(w.clone().equals(v.clone() + s.clone()));
                strong.push(w.clone().equals(v.clone() - s.clone()));
            }
            let asked = self.asked_of_places(name);
            for s in self.distances {
                for (passed, event) in self.passed() {
                    // What is set for some places only, as for even ones, differs where the one that changed is such a place.
                    if let Expr::Var(Variable::Changed(_)) = &event {
                        for guard in &asked {
                            let at = guard.replace(&|v| {
                                (*v == Variable::Plain(self.cycle.name.clone())).then(|| event.clone())
                            });
                            let bound = passed.clone().and(at).choose(s.clone(), Expr::int(0));
                            weak.push((v.clone() - w.clone()).abs().le(bound));
                        }
                    }
                    if is_change(&event) {
                        let bound = passed.choose(s.clone(), Expr::int(0));
                        weak.push((v.clone() - w.clone()).abs().le(bound));
                    }
                }
                weak.push((v.clone() - w.clone()).abs().le(s.clone()));
                for counter in self.counters() {
                    weak.push((v.clone() - w.clone()).abs().le(product(s.clone(), counter)));
                }
            }
        }
        let questions = |all: &[Expr]| all.iter().cloned().map(question).collect::<Vec<_>>();
        let all: Vec<Expr> = strong.iter().chain(&weak).cloned().collect();
        let mut topics = vec![Topic { condition: None, questions: questions(&all) }];
        for condition in self.conditions() {
            topics.push(Topic { condition: Some(condition), questions: questions(&all) });
        }
        topics
    }

    /// In a pointwise proof: which run's value may be the larger, and by how much.
    fn order(&self, name: &Name) -> Vec<Topic> {
        if !self.is_pointwise_number() || self.kind(name) != Kind::Real {
            return vec![];
        }
        let (v, w) = self.of(name);
        let mut all = vec![w.clone().le(v.clone())];
        all.extend(self.spans.iter().map(|s| w.clone().le(v.clone() + s.clone())));
        // The same the other way round, for what looks for the least.
        let mut mirrored = vec![v.clone().le(w.clone())];
        mirrored.extend(self.spans.iter().map(|s| v.clone().le(w.clone() + s.clone())));
        let topic = |condition, all: &[Expr]| Topic {
            condition,
            questions: all.iter().cloned().map(question).collect(),
        };
        let conditions = self.conditions().into_iter();
        conditions.flat_map(|c| [topic(Some(c.clone()), &all), topic(Some(c), &mirrored)]).collect()
    }

    /// Whether a choice is made by this list, which the program fills.
    fn is_scores(&self, name: &Name) -> bool {
        let mut found = BTreeSet::new();
        lists::score_lists(&self.context.mechanism().body, &mut found);
        self.kind(name) == Kind::List && found.contains(name)
    }

    /// Where an integer may lie, and how long a list of scores is.
    fn ranges(&self, name: &Name) -> Vec<Topic> {
        if self.is_scores(name) {
            let mut counters = self.counters();
            counters.extend(self.cycle.outer.iter().map(|outer| Expr::var(outer.clone())));
            let all = lists::lengths(name, &counters, self.cycle.from.as_ref());
            return vec![Topic { condition: None, questions: all.into_iter().map(question).collect() }];
        }
        let account = self.kind(name) == Kind::Real && self.keeps_account(name);
        let (v, w) = self.of(name);
        if self.kind(name) != Kind::Int && !account || !set_by(self.cycle.body).contains(name) {
            // What a loop around has set keeps its sign here.
            let kept = self.kind(name) == Kind::Int && !self.cycle.outer.is_empty();
            let sign = || Topic { condition: None, questions: vec![question(Expr::int(0).le(v.clone()))] };
            return kept.then(sign).into_iter().collect();
        }
        let mut topics = vec![];
        let mut topic = |questions: Vec<Expr>| {
            topics.push(Topic { condition: None, questions: questions.into_iter().map(question).collect() })
        };
        if account {
            for bound in self.compared_with(name) {
                topic(vec![v.clone().le(bound.clone())]);
                topic(vec![bound.le(v.clone())]);
            }
            return topics;
        }
        for v in [v, w] {
            topic(vec![Expr::int(0).le(v.clone()), Expr::int(-1).le(v.clone())]);
            for bound in self.compared_with(name) {
                topic(vec![v.clone().lt(bound.clone()), v.clone().le(bound.clone())]);
                topic(vec![bound.clone().lt(v.clone()), bound.le(v.clone())]);
            }
            for param in self.context.mechanism().params.iter().filter(|p| p.sort == Sort::Int) {
                topic(vec![v.clone().le(Expr::var(param.name.clone()))]);
            }
            for (i, from) in self.starts().into_iter().filter(|(i, _)| *i != v) {
                let first = i.clone().equals(from.clone());
                topic(vec![v.clone().lt(i.clone()), first.clone().or(v.clone().lt(i.clone()))]);
                // Beside the second of these: what is known in the first round, in which a text may leave the number as it was.
                topic(vec![v.clone().le(i)]);
                topic(vec![first.or(Expr::int(0).le(v.clone()))]);
            }
            for input in &self.context.mechanism().inputs {
                if matches!(input.sort, Sort::RealList | Sort::IntList) {
                    topic(vec![v.clone().le(Expr::Length(Variable::Plain(input.name.clone())))]);
                }
            }
        }
        topics
    }

    /// Bounds on what a draw has cost, the smallest first.
    fn terms(&self, inside: bool, amounts: &[Expr], fixed: Option<&Expr>) -> Vec<(Expr, Option<Name>)> {
        let zero = Expr::int(0);
        let once = |past: &Expr, a: &Expr| past.clone().choose(a.clone(), zero.clone());
        let mut passed = self.passed();
        let mut terms = vec![(zero.clone(), None)];
        if !inside {
            passed.extend(self.passed_outside());
            terms.extend(fixed.iter().map(|cost| ((*cost).clone(), None)));
            terms.extend(amounts.iter().map(|a| (a.clone(), None)));
        }
        // What an accumulator still owes is paid when it is released.
        for a in amounts {
            for name in self.cycle.scope.iter().filter(|name| self.kind(name) == Kind::Real) {
                let (v, w) = self.of(name);
                for s in self.distances {
                    for (past, _) in passed.iter().filter(|(_, event)| is_change(event)) {
                        let owed = divided(product(a.clone(), (v.clone() - w.clone()).abs()), s);
                        terms.push((once(past, a) - owed.clone(), Some(name.clone())));
                        // One draw may serve both: it pays for the entry at once, and again for the accumulator.
                        let twice = normal(self.context, &plus(a.clone(), a.clone()));
                        terms.push((once(past, &twice) - owed.clone(), Some(name.clone())));
                        // The same in every round of a loop around.
                        for outer in &self.cycle.outer {
                            let before = product(Expr::var(outer.clone()), a.clone());
                            terms.push((before + once(past, a) - owed.clone(), Some(name.clone())));
                        }
                    }
                }
            }
        }
        let mut plain = Vec::new();
        for a in amounts {
            let places = [self.counters(), self.read_places()].concat();
            plain.extend(places.iter().flat_map(|place| lists::shares(self.context, a, place)));
        }
        for a in amounts {
            plain.extend(passed.iter().map(|(past, _)| once(past, a)));
        }
        // Two events pay together, unless they are one.
        let mut pairs = Vec::new();
        for a in amounts {
            for b in amounts {
                for (past, event) in &passed {
                    for (other_past, other) in passed.iter().filter(|(_, other)| event < other) {
                        let both = once(past, a) + once(other_past, b);
                        let apart = event.clone().equals(other.clone()).choose(zero.clone(), both.clone());
                        plain.push(apart);
                        pairs.push(both);
                    }
                }
            }
        }
        plain.extend(pairs);
        let flags = self.cycle.scope.iter().filter(|name| self.kind(name) == Kind::Bool);
        let flags = flags.map(|name| self.of(name).0).chain(self.guards());
        for flag in flags {
            for a in amounts {
                plain.push(flag.clone().choose(a.clone(), zero.clone()));
                plain.push(flag.clone().choose(zero.clone(), a.clone()));
            }
        }
        let params = self.context.mechanism().params.iter().filter(|p| p.sort == Sort::Int);
        let params: Vec<Expr> = params.map(|p| Expr::var(p.name.clone())).collect();
        // The index last: it bounds what every iteration may cost, where a counter bounds what some do.
        let mut counters = self.counters();
        if self.cycle.from.is_some() && !counters.is_empty() {
            counters.rotate_left(1);
        }
        for a in amounts {
            for counter in &counters {
                for param in &params {
                    plain.push(product(counter.clone().min(param.clone() - Expr::int(1)), a.clone()));
                }
                plain.push(product(counter.clone(), a.clone()));
                for param in &params {
                    plain.push(product(minus(param.clone(), counter.clone()), a.clone()));
                }
            }
        }
        // In a loop within loops: what the rounds before have cost, and what this one has.
        let mut nested = Vec::new();
        let mut sizes = vec![Expr::int(1)];
        sizes.extend(params.iter().cloned());
        for input in &self.context.mechanism().inputs {
            if matches!(input.sort, Sort::RealList | Sort::IntList) {
                sizes.push(Expr::Length(Variable::Plain(input.name.clone())));
            }
        }
        for a in amounts {
            for size in &sizes {
                let round = product(size.clone(), a.clone());
                for counter in &counters {
                    plain.push(product(counter.clone(), round.clone()));
                }
                for outer in &self.cycle.outer {
                    let before = product(Expr::var(outer.clone()), round.clone());
                    nested.push(before.clone());
                    nested.extend(passed.iter().map(|(past, _)| before.clone() + once(past, a)));
                    nested.extend(counters.iter().map(|c| before.clone() + product(c.clone(), a.clone())));
                }
            }
        }
        plain.extend(nested);
        terms.extend(plain.into_iter().map(|term| (term, None)));
        terms
    }
}
