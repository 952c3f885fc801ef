//! What a loop counts and keeps account of: questions about counters, flags, start values and budgets, for invariants.

use probity_exact::Rational;
use probity_kernel::context::for_each_expr;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::{Adjacency, Param, Sort, Statement};

use crate::algebra::{divided, linear, mentions, minus, normal, number, of_parameters, plus, product, visit};
use crate::lists;
use crate::plan::blocks::{for_each_assignment, for_each_guard, set_by, set_by_draws};
use crate::plan::invariants::{Ask, Topic, question};
use crate::rehearse::changed_lists;

/// The most questions about the index that are tried as conditions of what a variable differs by.
const MOST_ASKED: usize = 2;
/// The most places of a counter that are looked at besides the entry's own.
const MOST_ELSEWHERE: usize = 2;

impl Ask<'_> {
    pub(super) fn is_public(&self, e: &Expr) -> bool {
        of_parameters(self.context.mechanism(), e)
    }

    /// Public bounds that guards compare a variable with, and these bounds with what one round adds to the variable.
    pub(super) fn compared_with(&self, name: &Name) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        let mut see = |guard: &Expr| {
            visit(guard, &mut |part| {
                let Expr::Binary(
                    Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne,
                    a,
                    b,
                ) = part
                else {
                    return;
                };
                if ![a, b].into_iter().any(|side| mentions(side, name)) || self.kind(name) == Kind::Bool {
                    return;
                }
                let sides = [(a, b), (b, a)].into_iter().find(|(v, _)| ***v == Expr::var(name.clone()));
                let bound = match sides {
                    Some((_, bound)) => Some((**bound).clone()),
                    None => linear(&minus((**a).clone(), (**b).clone()), name)
                        .filter(|(factor, _)| matches!(factor, Expr::Number(_)))
                        .map(|(factor, offset)| divided(minus(Expr::int(0), offset), &factor)),
                };
                if let Some(bound) = bound.filter(|bound| self.is_public(bound))
                    && !found.contains(&bound)
                {
                    found.push(bound);
                }
            });
        };
        for_each_guard(self.cycle.body, &mut see);
        for_each_assignment(self.cycle.body, &mut |var, value| {
            if self.kind(var) == Kind::Bool {
                see(value);
            }
        });
        found.truncate(2);
        let steps = self.steps(name);
        let more = found.iter().flat_map(|bound| steps.iter().map(|step| plus(bound.clone(), step.clone())));
        let more: Vec<Expr> = more.filter(|bound| !found.contains(bound)).collect();
        found.extend(more.into_iter().take(4));
        found
    }

    /// What the rounds of the loop add to a variable, where that is public.
    pub(super) fn steps(&self, name: &Name) -> Vec<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        for_each_assignment(self.cycle.body, &mut |var, value| {
            if var == name
                && let Some((factor, offset)) = linear(value, name)
                && factor == Expr::int(1)
                && self.is_public(&offset)
                && !found.contains(&offset)
            {
                found.push(offset);
            }
        });
        found.truncate(3);
        found
    }

    /// Whether a counter goes down: all that the rounds add to it are negative numbers.
    pub(super) fn falls(&self, counter: &Expr) -> bool {
        let Expr::Var(Variable::Of(name, _)) = counter else { return false };
        let steps = self.steps(name);
        !steps.is_empty() && steps.iter().all(|step| number(step).is_some_and(|n| n < Rational::ZERO))
    }

    /// What a counter is when a list of which one entry changes is read at that entry, where that is not the entry's own place: for
    /// q[n - 1 - i] it is n − 1 less that place.
    pub(super) fn reached_elsewhere(&self, counter: &Expr) -> Vec<Expr> {
        let (Expr::Var(Variable::Of(name, _)) | Expr::Var(Variable::Plain(name))) = counter else {
            return vec![];
        };
        let clauses = &self.context.mechanism().adjacency;
        let lists: Vec<&Name> = clauses.iter().flat_map(|clause| changed_lists(clause).first()).collect();
        let mut found: Vec<Expr> = Vec::new();
        let mut see = |list: &Name, place: &Expr| {
            let Some((factor, offset)) = linear(place, name) else { return };
            let [first, second] = [Run::First, Run::Second].map(|run| self.context.in_run(&offset, run));
            let changed = Expr::Var(Variable::Changed(list.clone()));
            let event = match number(&factor) {
                _ if first != second || first == Expr::int(0) => return,
                Some(factor) if factor == Rational::ONE => minus(changed, first),
                Some(factor) if factor == -Rational::ONE => minus(first, changed),
                _ => return,
            };
            if lists.contains(&list) && !found.contains(&event) {
                found.push(event);
            }
        };
        for_each_expr(self.cycle.body, &mut |e| {
            visit(e, &mut |part| {
                if let Expr::Index(Variable::Plain(list), place) = part {
                    see(list, place);
                }
            });
        });
        found.truncate(MOST_ELSEWHERE);
        found
    }

    /// That the blocks up to an index have the entry that changed in them, where a list is read at q[i * m + j].
    pub(super) fn passed_blocks(&self) -> Vec<(Expr, Expr)> {
        let index = self.cycle.name;
        if self.cycle.from.is_none() {
            return vec![];
        }
        let clauses = &self.context.mechanism().adjacency;
        let lists: Vec<&Name> = clauses.iter().flat_map(|clause| changed_lists(clause).first()).collect();
        let mut found: Vec<(Expr, Expr)> = Vec::new();
        for_each_expr(self.cycle.body, &mut |e| {
            visit(e, &mut |part| {
                if let Expr::Index(Variable::Plain(list), place) = part
                    && lists.contains(&list)
                    && let Some((size, _)) = linear(place, index)
                    && number(&size).is_none_or(|size| size > Rational::ONE)
                    && self.is_public(&size)
                {
                    let changed = Expr::Var(Variable::Changed(list.clone()));
                    let past = product(Expr::var(index.clone()), size).gt(changed.clone());
                    if !found.contains(&(past.clone(), changed.clone())) {
                        found.push((past, changed));
                    }
                }
            });
        });
        found.truncate(MOST_ELSEWHERE);
        found
    }

    /// Where the rounds read a list whose changes are bounded together, other than at a counter: `i * m + j` in the inner of two loops over
    /// rows and columns, and where its first round reads, `i * m`, in the outer one.
    pub(super) fn read_places(&self) -> Vec<Expr> {
        let normed: Vec<&Name> = lists::norms(self.context).map(|(list, ..)| list).collect();
        let mut starts: Vec<(&Name, &Expr)> = Vec::new();
        if !normed.is_empty() {
            starts_of_loops(self.cycle.body, &mut starts);
        }
        let index = self.cycle.name;
        let params = &self.context.mechanism().params;
        let public = |name: &Name| {
            name == index || self.cycle.outer.contains(name) || params.iter().any(|param| param.name == *name)
        };
        let mut found: Vec<Expr> = Vec::new();
        let mut see = |place: &Expr| {
            let first = place.replace(&|v| match v {
                Variable::Plain(name) => {
                    starts.iter().find(|(inner, _)| *inner == name).map(|(_, from)| (*from).clone())
                }
                _ => None,
            });
            let first = normal(self.context, &first);
            let mut known = mentions(&first, index) && first != Expr::var(index.clone());
            first.for_each_variable(&mut |v| known &= matches!(v, Variable::Plain(name) if public(name)));
            if known && !found.contains(&first) {
                found.push(first);
            }
        };
        for_each_expr(self.cycle.body, &mut |e| {
            visit(e, &mut |part| {
                if let Expr::Index(Variable::Plain(list), place) = part
                    && normed.contains(&list)
                {
                    see(place);
                }
            });
        });
        found.truncate(MOST_ELSEWHERE);
        found
    }

    /// Whether a round counts before it does anything else with a counter: the place that it came to is then behind.
    pub(super) fn counts_first(&self, counter: &Expr) -> bool {
        let Expr::Var(Variable::Of(name, _)) = counter else { return false };
        let reads = |statement: &Statement| {
            let mut found = set_by(std::slice::from_ref(statement)).contains(name);
            for_each_expr(std::slice::from_ref(statement), &mut |e| found |= mentions(e, name));
            found
        };
        let first = self.cycle.body.iter().find(|statement| reads(statement));
        matches!(first, Some(Statement::Assign { var, .. }) if var == name)
    }

    /// The parts of the guard of a loop without an index that ask about numbers which the rounds set; counters are asked about elsewhere.
    pub(super) fn own_guard(&self) -> Vec<Expr> {
        let set = set_by(self.cycle.body);
        let mut found = Vec::new();
        let mut see = |part: &Expr| {
            let asks = set.iter().any(|name| mentions(part, name) && self.steps(name).is_empty());
            if asks {
                found.push(part.clone());
            }
        };
        if let Some(guard) = guard_of(&self.context.mechanism().body, self.cycle.name) {
            crate::tables::conjuncts(guard, &mut see);
        }
        found
    }

    /// Whether a variable keeps account: all that the loop does with it is to add public numbers.
    pub(super) fn keeps_account(&self, name: &Name) -> bool {
        let mut adds = true;
        for_each_assignment(self.cycle.body, &mut |var, value| {
            let added = || {
                let (factor, offset) = linear(value, name)?;
                (factor == Expr::int(1) && self.is_public(&offset)).then_some(())
            };
            adds &= var != name || added().is_some();
        });
        adds && !self.steps(name).is_empty() && !set_by_draws(self.cycle.body).contains(name)
    }

    /// Bounds on what the draws of the loop have cost together, by what the program counts.
    pub(super) fn counted(&self, amounts: &[Vec<Expr>]) -> Vec<Expr> {
        let mut all: Vec<&Expr> = Vec::new();
        for amount in amounts.get(self.cycle.draws.clone()).into_iter().flatten().flatten() {
            if !all.contains(&amount) {
                all.push(amount);
            }
        }
        let params = self.context.mechanism().params.iter().filter(|p| p.sort == Sort::Int);
        let params: Vec<Expr> = params.map(|p| Expr::var(p.name.clone())).collect();
        let mut terms = Vec::new();
        // By the index last: every round counts for that, also those that cost nothing.
        let index = Expr::var(self.cycle.name.clone());
        for counter in self.counters().into_iter().filter(|counter| *counter != index) {
            for a in &all {
                terms.push(product(counter.clone(), (*a).clone()));
                terms.extend(params.iter().map(|p| product(minus(p.clone(), counter.clone()), (*a).clone())));
            }
        }
        if let Some(from) = &self.cycle.from {
            let rounds = minus(index, from.clone());
            terms.extend(all.iter().map(|a| product(rounds.clone(), (*a).clone())));
        }
        terms
    }

    /// Bounds on what all draws have cost, where the program keeps account of that itself.
    pub(super) fn budgets(&self, epsilon: &Expr) -> Vec<Expr> {
        let accounts = self.cycle.scope.iter().filter(|name| self.kind(name) == Kind::Real);
        let mut found = Vec::new();
        for name in accounts.filter(|name| self.keeps_account(name) || self.is_public_account(name)) {
            let v = self.of(name).0;
            found.extend([v.clone(), minus(epsilon.clone(), v.clone())]);
            let starts = self.public_starts(name).into_iter().filter(|start| start != epsilon);
            found.extend(starts.flat_map(|e| [minus(e.clone(), v.clone()), minus(v.clone(), e)]));
            found.extend(self.series(name));
            found.extend(self.series_of_scales(name));
        }
        found.extend(self.sums_so_far(epsilon));
        found
    }

    /// What an account that every round multiplies by a number has come to: the sum of a geometric series, with its first term and
    /// without it.
    fn series(&self, name: &Name) -> Vec<Expr> {
        let factors = self.factors_of(name);
        let [ratio] = factors.as_slice() else { return vec![] };
        let (v, rest) = (self.of(name).0, Expr::Number(Rational::ONE - ratio));
        let sum = |start: Expr| divided(minus(start, v.clone()), &rest);
        let with = |start: Expr| [sum(start.clone()), product(Expr::Number(ratio.clone()), sum(start))];
        self.public_starts(name).into_iter().flat_map(with).collect()
    }

    /// The same of draws whose scale every round multiplies: each costs the distance over it.
    fn series_of_scales(&self, name: &Name) -> Vec<Expr> {
        let factors = self.factors_of(name);
        let [ratio] = factors.as_slice() else { return vec![] };
        if *ratio <= Rational::ONE {
            return vec![];
        }
        let (v, before) = (self.of(name).0, Expr::Number(Rational::ONE / (ratio - Rational::ONE)));
        let after = Expr::Number(ratio / (ratio - Rational::ONE));
        let mut found = Vec::new();
        for start in self.public_starts(name) {
            for distance in self.distances {
                for factor in [&before, &after] {
                    let most = product(factor.clone(), distance.clone());
                    let whole = normal(self.context, &divided(most.clone(), &start));
                    found.push(minus(whole, divided(most, &v)));
                }
            }
        }
        found
    }

    /// The numbers other than 1 by which the rounds multiply a variable.
    fn factors_of(&self, name: &Name) -> Vec<Rational> {
        let mut found: Vec<Rational> = Vec::new();
        for_each_assignment(self.cycle.body, &mut |var, value| {
            if var == name
                && let Some((factor, offset)) = linear(value, name)
                && offset == Expr::int(0)
                && let Some(factor) = number(&factor).filter(|n| *n != Rational::ONE)
                && !found.contains(&factor)
            {
                found.push(factor);
            }
        });
        found
    }

    /// What the claim says of all rounds, said of the rounds so far: where the costs of the rounds are a series and the claim has its sum.
    pub(super) fn sums_so_far(&self, epsilon: &Expr) -> Vec<Expr> {
        let rounds = self.cycle.from.is_some().then(|| Expr::var(self.cycle.name.clone()));
        let counts = self.context.mechanism().params.iter().filter(|param| param.sort == Sort::Int);
        let said = |param: &Param| {
            let all = Variable::Plain(param.name.clone());
            let so_far = epsilon.replace(&|v| rounds.clone().filter(|_| *v == all));
            (so_far != *epsilon).then_some(so_far)
        };
        counts.filter_map(said).collect()
    }

    /// Whether a variable that the loop sets is made of parameters and of what counts: the same in both runs, whatever is drawn.
    pub(super) fn is_public_account(&self, name: &Name) -> bool {
        set_by(self.cycle.body).contains(name) && self.is_made_public(name, &mut Vec::new())
    }

    fn is_made_public(&self, name: &Name, seen: &mut Vec<Name>) -> bool {
        if seen.contains(name) || self.context.is_shared(name) {
            return true;
        }
        seen.push(name.clone());
        let body = &self.context.mechanism().body;
        let mut names = Vec::new();
        let mut public = set_by(body).contains(name) && !set_by_draws(body).contains(name);
        for_each_assignment(body, &mut |var, value| {
            if var == name {
                value.for_each_variable(&mut |v| match v {
                    Variable::Plain(other) => names.push(other.clone()),
                    _ => public = false,
                });
            }
        });
        public && names.iter().all(|other| self.is_made_public(other, seen))
    }

    /// The public values that a variable is set to outside of the loop.
    pub(super) fn public_starts(&self, name: &Name) -> Vec<Expr> {
        let (mut all, mut inside) = (Vec::new(), Vec::new());
        for_each_assignment(self.cycle.body, &mut |_, value| inside.push(value.clone()));
        for_each_assignment(&self.context.mechanism().body, &mut |var, value| {
            if var == name && self.is_public(value) && !inside.contains(value) && !all.contains(value) {
                all.push(value.clone());
            }
        });
        all.truncate(2);
        all
    }

    /// That an account is positive, and that what is compared in the loop never falls below the value it starts with, or never rises
    /// above it.
    pub(super) fn since_the_start(&self, name: &Name) -> Vec<Topic> {
        let counts = self.kind(name) == Kind::Int && self.factors_of(name).is_empty();
        if self.kind(name) == Kind::Bool || counts || !set_by(self.cycle.body).contains(name) {
            return vec![];
        }
        let topic =
            |all: Vec<Expr>| Topic { condition: None, questions: all.into_iter().map(question).collect() };
        let (v, w) = self.of(name);
        let zero = || Expr::int(0);
        if self.is_public_account(name) {
            return vec![topic(vec![zero().lt(v.clone()), zero().le(v)])];
        }
        let mut compared = false;
        for_each_guard(self.cycle.body, &mut |guard| compared |= mentions(guard, name));
        let starts = self.public_starts(name).into_iter().filter(|start| compared && number(start).is_none());
        let one = |start: Expr| {
            [&v, &w]
                .map(|v| [topic(vec![start.clone().le(v.clone())]), topic(vec![v.clone().le(start.clone())])])
        };
        starts.flat_map(one).flatten().collect()
    }

    /// What the rounds ask of their index, and of nothing that they set, before they set a variable.
    pub(super) fn asked_of_places(&self, name: &Name) -> Vec<Expr> {
        let index = Variable::Plain(self.cycle.name.clone());
        let of_index = |guard: &Expr| {
            let mut others = false;
            guard.for_each_variable(&mut |v| {
                others |= *v != index
                    && !matches!(v, Variable::Plain(n) if self.context.mechanism().params.iter().any(|p| p.name == *n));
            });
            guard.mentions(&index) && !others
        };
        let mut found: Vec<Expr> = Vec::new();
        for statement in self.cycle.body {
            let Statement::If { guard, then, otherwise } = statement else { continue };
            if !of_index(guard) {
                continue;
            }
            for (branch, holds) in [(then, guard.clone()), (otherwise, !guard.clone())] {
                if set_by(branch).contains(name) && !found.contains(&holds) {
                    found.push(holds);
                }
            }
        }
        found.truncate(MOST_ASKED);
        found
    }

    /// Where a row is replaced: by how much the row that comes may raise what a loop counts, and the row that goes may lower it.
    pub(super) fn by_each_row(&self, name: &Name) -> Vec<Topic> {
        let replaced = |clause: &Adjacency| matches!(clause, Adjacency::RowReplaced { .. });
        let counts = self.kind(name) == Kind::Int && !self.steps(name).is_empty();
        if !counts || !self.context.mechanism().adjacency.iter().any(replaced) {
            return vec![];
        }
        let (v, w) = self.of(name);
        let mut topics = Vec::new();
        for (past, _) in self.passed() {
            for s in self.steps(name) {
                let due = past.clone().choose(s, Expr::int(0));
                for (a, b) in [(&v, &w), (&w, &v)] {
                    let formula = (a.clone() - b.clone()).le(due.clone());
                    topics.push(Topic { condition: None, questions: vec![question(formula)] });
                }
            }
        }
        topics
    }

    /// What counts the iterations, with where it starts: the index, or, in a loop without one, integers from 0.
    pub(super) fn starts(&self) -> Vec<(Expr, Expr)> {
        match &self.cycle.from {
            Some(from) => vec![(Expr::var(self.cycle.name.clone()), from.clone())],
            None => self.counters().into_iter().map(|counter| (counter, Expr::int(0))).collect(),
        }
    }

    /// That a number still has the value with which the loop starts, in the first iteration.
    pub(super) fn untouched(&self, name: &Name) -> Vec<Topic> {
        if self.kind(name) != Kind::Real || !set_by(self.cycle.body).contains(name) {
            return vec![];
        }
        let mut values: Vec<Expr> = Vec::new();
        for_each_assignment(&self.context.mechanism().body, &mut |var, value| {
            let number = match value {
                Expr::Unary(Unary::Neg, a) => matches!(**a, Expr::Number(_)),
                other => matches!(other, Expr::Number(_)),
            };
            if var == name && number && !values.contains(value) {
                values.push(value.clone());
            }
        });
        let (v, w) = self.of(name);
        let mut topics = vec![];
        for (i, from) in self.starts().into_iter().take(1) {
            for value in values.iter().take(2) {
                let first = i.clone().equals(from.clone());
                for v in [&v, &w] {
                    let still = first.clone().implies(v.clone().equals(value.clone()));
                    topics.push(Topic { condition: None, questions: vec![question(still)] });
                }
            }
        }
        topics
    }

    /// That a variable which every round moves by one number counts the rounds beside the index.
    pub(super) fn beside_the_index(&self, name: &Name) -> Vec<Topic> {
        let Some(from) = &self.cycle.from else { return vec![] };
        let mut set = 0;
        for_each_assignment(self.cycle.body, &mut |var, _| set += usize::from(var == name));
        let in_every_round =
            |statement: &Statement| matches!(statement, Statement::Assign { var, .. } if var == name);
        let steps = self.steps(name);
        let ([step], true) = (steps.as_slice(), set == 1 && self.cycle.body.iter().any(in_every_round))
        else {
            return vec![];
        };
        let Some(step) = number(step) else { return vec![] };
        let rounds = minus(Expr::var(self.cycle.name.clone()), from.clone());
        let (v, w) = self.of(name);
        let mut topics = vec![];
        for start in self.public_starts(name) {
            let now = plus(start, product(Expr::Number(step.clone()), rounds.clone()));
            for v in [&v, &w] {
                let question = question(v.clone().equals(now.clone()));
                topics.push(Topic { condition: None, questions: vec![question] });
            }
        }
        topics
    }

    /// What a flag says of the counters: that the loop is to stop, or goes on, as long as a counter has not come to its bound.
    pub(super) fn stops(&self, name: &Name) -> Vec<Topic> {
        let set = set_by(self.cycle.body);
        if self.kind(name) != Kind::Bool || !set.contains(name) {
            return vec![];
        }
        let counts = |counter: &&Name| {
            set.contains(counter) && (self.kind(counter) == Kind::Int || self.keeps_account(counter))
        };
        let flag = self.of(name).0;
        let mut topics = vec![];
        for counter in self.cycle.scope.iter().filter(counts) {
            let n = self.of(counter).0;
            for bound in self.compared_with(counter).into_iter().take(2) {
                let sides = match self.falls(&n) {
                    true => [bound.clone().lt(n.clone()), bound.clone().le(n.clone())],
                    false => [n.clone().lt(bound.clone()), n.clone().le(bound.clone())],
                };
                for flag in [flag.clone(), !flag.clone()] {
                    let all = sides.iter().map(|side| question(flag.clone().or(side.clone())));
                    topics.push(Topic { condition: None, questions: all.collect() });
                }
            }
        }
        topics
    }

    /// What a flag says of the first iteration.
    pub(super) fn flags(&self, name: &Name) -> Vec<Topic> {
        if self.kind(name) != Kind::Bool || !set_by(self.cycle.body).contains(name) {
            return vec![];
        }
        let (v, w) = self.of(name);
        let mut topics = vec![];
        for (i, from) in self.starts() {
            let first = i.equals(from);
            for flag in [v.clone(), w.clone()] {
                let all = [
                    first.clone().equals(!flag.clone()),
                    first.clone().equals(flag.clone()),
                    first.clone().implies(!flag.clone()),
                    first.clone().implies(flag),
                ];
                topics.push(Topic { condition: None, questions: all.into_iter().map(question).collect() });
            }
        }
        topics
    }
}

/// The indices of the loops of a block, with where they start.
fn starts_of_loops<'b>(body: &'b [Statement], found: &mut Vec<(&'b Name, &'b Expr)>) {
    for statement in body {
        match statement {
            Statement::For { index, from, body, .. } => {
                found.push((index, from));
                starts_of_loops(body, found);
            }
            Statement::While { body, .. } => starts_of_loops(body, found),
            Statement::If { then, otherwise, .. } => {
                starts_of_loops(then, found);
                starts_of_loops(otherwise, found);
            }
            _ => {}
        }
    }
}

/// The guard of the loop with a label.
fn guard_of<'b>(body: &'b [Statement], name: &Name) -> Option<&'b Expr> {
    body.iter().find_map(|statement| match statement {
        Statement::While { label, guard, .. } if label == name => Some(guard),
        Statement::While { body, .. } | Statement::For { body, .. } => guard_of(body, name),
        Statement::If { then, otherwise, .. } => guard_of(then, name).or_else(|| guard_of(otherwise, name)),
        _ => None,
    })
}
