//! What holds in every round of a loop that keeps the largest values so far: facts about each run by itself, and how far the runs are apart.
//!
//! For fixed keys a run is in one of few phases: which keys have come by. In each, either the places are the keys that came by, and the values theirs,
//! or some other value is as large as that of a key, which stays so.

use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Expr, Run};
use probity_kernel::foresee::Foresight;
use probity_kernel::term::Adjacency;

use super::roles::Roles;

/// What the facts are about.
pub(super) struct Facts<'a> {
    pub(super) context: &'a Arc<Context>,
    pub(super) roles: &'a Roles,
    pub(super) foresight: &'a Foresight,
    /// Whether the largest values are kept, or the smallest.
    pub(super) largest: bool,
    /// Whether the second of one value is what the best of the others is where there is no other: what both are at first.
    pub(super) from_the_start: bool,
}

/// The most that a score may change, and the least, in one orientation.
fn range(context: &Context) -> Option<(Expr, Expr)> {
    let forward = context.orientation() == Orientation::Forward;
    context.mechanism().adjacency.iter().find_map(|clause| match clause {
        Adjacency::EveryEntry { bound, .. } | Adjacency::OneEntry { bound, .. } if *bound != Expr::int(0) => {
            Some((-bound.clone(), bound.clone()))
        }
        Adjacency::EveryEntryGrows { bound, .. } if forward => Some((Expr::int(0), bound.clone())),
        Adjacency::EveryEntryGrows { bound, .. } => Some((-bound.clone(), Expr::int(0))),
        Adjacency::OneRow { .. } if forward => Some((Expr::int(0), Expr::int(1))),
        Adjacency::OneRow { .. } => Some((Expr::int(-1), Expr::int(0))),
        Adjacency::RowReplaced { .. } => Some((Expr::int(-1), Expr::int(1))),
        _ => None,
    })
}

/// The most that the largest score may rise, or that the smallest may fall.
pub(super) fn change(context: &Context, largest: bool) -> Option<Expr> {
    range(context).map(|(low, high)| if largest { high } else { low })
}

impl Facts<'_> {
    /// All of them.
    pub(super) fn invariant(&self) -> Option<Expr> {
        let mut parts = vec![Expr::cost().equals(Expr::int(0))];
        for run in [Run::First, Run::Second] {
            let facts = self.of_one_run()?;
            parts.extend(facts.iter().map(|fact| self.context.in_run(fact, run)));
        }
        let strict = self.strict()?;
        parts.extend(strict.iter().map(|fact| self.context.in_run(fact, Run::First)));
        let rest = |run| self.context.in_run(&self.rest(), run);
        let apart = rest(Run::Second) - rest(Run::First);
        let some = |run| self.context.in_run(&self.seen(), run);
        parts.push(some(Run::First).equals(some(Run::Second)));
        let (low, high) = range(self.context)?;
        parts.push(low.le(apart.clone()));
        parts.push(apart.le(high));
        Some(Expr::all(parts))
    }

    /// That the best is the best of the others before a key comes by, which is so if the largest, or the smallest, are kept.
    pub(super) fn way(&self) -> Option<Expr> {
        let before = self.keys().into_iter().map(|key| self.ahead(&key)).chain([self.known()]);
        let fact = Expr::all(before).implies(self.value(0)?.equals(self.rest()));
        Some(self.context.in_run(&fact, Run::First))
    }

    fn i(&self) -> Expr {
        Expr::var(self.roles.index.clone())
    }

    fn rest(&self) -> Expr {
        Expr::var(self.foresight.kept[0].name.clone())
    }

    /// Whether there was a round at no key.
    fn seen(&self) -> Expr {
        Expr::var(self.foresight.kept[1].name.clone())
    }

    fn keys(&self) -> Vec<Expr> {
        self.foresight.keys.iter().map(|(key, _)| Expr::var(key.clone())).collect()
    }

    fn place(&self, at: usize) -> Expr {
        Expr::var(self.roles.places[at].0.clone())
    }

    fn value(&self, at: usize) -> Option<Expr> {
        let known = |at: usize| self.roles.values.get(at).map(|(name, _)| Expr::var(name.clone()));
        match (&self.roles.gap, at) {
            (Some(gap), 1) if self.largest => Some(known(0)? - Expr::var(gap.clone())),
            (Some(gap), 1) => Some(known(0)? + Expr::var(gap.clone())),
            _ => known(at),
        }
    }

    /// That the best is known: after the first round, or the second, where the first keeps its value elsewhere.
    fn known(&self) -> Expr {
        self.i().gt(self.roles.round(if self.roles.first.is_empty() { 0 } else { 1 }))
    }

    /// a is at least b, or at most where the smallest are kept.
    fn beats(&self, a: Expr, b: Expr) -> Expr {
        if self.largest { b.le(a) } else { a.le(b) }
    }

    fn beats_strictly(&self, a: Expr, b: Expr) -> Expr {
        if self.largest { b.lt(a) } else { a.lt(b) }
    }

    /// Whether a key has come by, or is still to come.
    fn past(&self, key: &Expr) -> Expr {
        self.roles.round(0).le(key.clone()).and(self.i().gt(key.clone()))
    }

    fn ahead(&self, key: &Expr) -> Expr {
        self.i().le(key.clone())
    }

    fn of_one_run(&self) -> Option<Vec<Expr>> {
        let (i, keys, rest) = (|| self.i(), self.keys(), || self.rest());
        let round = |n| self.roles.round(n);
        let seen = || self.seen();
        let mut facts = Vec::new();
        // Where the places are.
        for (at, (_, start)) in self.roles.places.iter().enumerate() {
            let place = || self.place(at);
            facts.push(i().equals(round(0)).implies(place().equals(start.clone())));
            let begun = i().gt(round(at as i64));
            facts.push(begun.implies(round(0).le(place()).and(place().lt(i()))));
        }
        for (name, start) in &self.roles.values {
            facts.push(i().equals(round(0)).implies(Expr::var(name.clone()).equals(start.clone())));
        }
        let start = self.foresight.kept[0].start.clone();
        facts.push(i().equals(round(0)).implies(rest().equals(start)));
        facts.push(i().equals(round(0)).implies(!seen()));
        if self.roles.places.len() == 2 {
            facts.push(i().gt(round(1)).implies(self.place(0).differs(self.place(1))));
            let copied = self.roles.places[0].1.clone();
            facts.push(i().equals(round(1)).implies(self.place(1).equals(copied)));
        }
        // No key has come by: the best is the best of the others.
        let before = keys.iter().map(|key| self.ahead(key)).chain([i().gt(round(0))]);
        let before = Expr::all(before);
        facts.push(before.clone().implies(seen()));
        facts.push(before.clone().and(self.known()).implies(self.value(0)?.equals(rest())));
        facts.extend(self.at_first(&before)?);
        // One key has come by.
        for (at, key) in keys.iter().enumerate() {
            let own = || self.roles.chosen(self.foresight, at);
            let others = (keys.iter().enumerate()).filter(|(k, _)| *k != at).map(|(_, key)| self.ahead(key));
            let phase = Expr::all([self.past(key)].into_iter().chain(others));
            facts.push(phase.clone().implies(seen().equals(i().gt(round(1)))));
            let phase = self.with_best(phase);
            let leads = self.place(0).equals(key.clone());
            let holds = phase.clone().and(leads.clone());
            facts.push(holds.clone().implies(self.value(0)?.equals(own()?)));
            if let Some(second) = self.value(1) {
                let known = if self.from_the_start { holds } else { holds.and(seen()) };
                facts.push(known.implies(second.equals(rest())));
            }
            let lost = seen().and(self.beats(rest(), own()?));
            facts.push(phase.clone().and(!leads.clone()).implies(lost));
            if keys.len() > 1 {
                let ahead = Expr::all([phase.clone(), leads.clone(), seen()]);
                facts.push(ahead.implies(self.beats(own()?, rest())));
                facts.push(phase.and(!leads).implies(self.value(0)?.equals(rest())));
            }
        }
        // Both have.
        if let [first, second] = keys.as_slice() {
            let own = |at| self.roles.chosen(self.foresight, at);
            let phase =
                Expr::all([self.past(first), self.past(second), first.clone().differs(second.clone())]);
            facts.push(phase.clone().implies(seen().equals(i().gt(round(2)))));
            let leads = || self.place(0).equals(first.clone());
            let follows = || self.place(1).equals(second.clone());
            let holds = |lead: Expr| phase.clone().and(lead);
            facts.push(holds(leads()).implies(self.value(0)?.equals(own(0)?)));
            facts.push(holds(leads().and(follows())).implies(self.value(1)?.equals(own(1)?)));
            if let Some(third) = self.value(2) {
                facts.push(holds(leads().and(follows())).implies(third.equals(rest())));
            }
            let lost = self.beats(own(1)?, own(0)?).or(seen().and(self.beats(rest(), own(0)?)));
            facts.push(holds(!leads()).implies(lost));
            let lost = seen().and(self.beats(rest(), own(1)?));
            facts.push(holds(leads().and(!follows())).implies(lost));
        }
        Some(facts)
    }

    /// Where the best is known: after the first round always, unless that keeps its value elsewhere.
    fn with_best(&self, phase: Expr) -> Expr {
        if self.roles.first.is_empty() { phase } else { phase.and(self.known()) }
    }

    /// What the first round keeps elsewhere is the value at a key, or the best of the others.
    fn at_first(&self, before: &Expr) -> Option<Vec<Expr>> {
        let second = || self.i().equals(self.roles.round(1));
        let mut facts = Vec::new();
        for name in &self.roles.first {
            let first = || Expr::var(name.clone());
            facts.push(second().and(before.clone()).implies(first().equals(self.rest())));
            for (at, key) in self.keys().iter().enumerate() {
                let own = self.roles.chosen(self.foresight, at)?;
                facts.push(second().and(self.past(key)).implies(first().equals(own)));
            }
        }
        Some(facts)
    }

    /// Without ties the largest are larger.
    fn strict(&self) -> Option<Vec<Expr>> {
        let (keys, rest) = (self.keys(), || self.rest());
        let seen = || self.seen();
        let untied = || !Expr::var(self.foresight.tied.clone());
        let own = |at| self.roles.chosen(self.foresight, at);
        let mut facts = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            let others = (keys.iter().enumerate()).filter(|(k, _)| *k != at).map(|(_, key)| self.ahead(key));
            let phase = self.with_best(Expr::all([self.past(key)].into_iter().chain(others)));
            let holds = Expr::all([phase, self.place(0).equals(key.clone()), seen(), untied()]);
            facts.push(holds.implies(self.beats_strictly(own(at)?, rest())));
        }
        if let [first, second] = keys.as_slice() {
            let phase =
                Expr::all([self.past(first), self.past(second), first.clone().differs(second.clone())]);
            let lead = self.place(0).equals(first.clone()).and(self.place(1).equals(second.clone()));
            let holds = Expr::all([phase, lead, untied()]);
            facts.push(holds.clone().implies(self.beats_strictly(own(0)?, own(1)?)));
            facts.push(holds.and(seen()).implies(self.beats_strictly(own(1)?, rest())));
        }
        Some(facts)
    }
}
