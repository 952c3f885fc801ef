//! A center that is a sum of entries of a list of which one changes: what each of them can move it by.

use probity_kernel::expr::{Binary, Expr, Name, Variable};
use probity_kernel::term::Adjacency;

use crate::algebra::{absolute, linear, map, normal, plus, product, visit};
use crate::plan::blocks::for_each_assignment;
use crate::plan::couplings::Guesser;
use crate::rehearse::changed_lists;

/// The most entries of one sum.
const MOST_ENTRIES: usize = 16;

impl Guesser<'_> {
    /// The prices of what the entry that changes can move a center by, at the places that it reads, and the largest of them at once;
    /// `None` unless it reads two entries at least, at places that are numbers, of one list, each times a public factor.
    pub(super) fn by_entries(
        &self,
        center: &Expr,
        price: &dyn Fn(&Expr) -> Expr,
    ) -> Option<(Expr, Vec<Expr>)> {
        let (list, bound) = self.context.mechanism().adjacency.iter().find_map(|clause| match clause {
            Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. } => {
                let read = changed_lists(clause).iter().find(|list| !places(center, list).is_empty())?;
                Some((read.clone(), bound.clone()))
            }
            _ => None,
        })?;
        let places = places(center, &list);
        if !(2..=MOST_ENTRIES).contains(&places.len()) {
            return None;
        }
        let changed = Expr::Var(Variable::Changed(list.clone()));
        let (mut total, mut amounts) = (Expr::int(0), Vec::new());
        for place in places {
            let factor = factor(center, &list, &place)?;
            if !self.is_public(&factor) {
                return None;
            }
            let amount = price(&product(absolute(factor), bound.clone()));
            total = plus(total, place.equals(changed.clone()).choose(amount.clone(), Expr::int(0)));
            if !amounts.contains(&amount) {
                amounts.push(amount);
            }
        }
        Some((total, amounts))
    }
}

impl Guesser<'_> {
    /// How far what is made of the entries of one place may move: each entry times its factor, for lists that change at one place.
    pub(super) fn weighted(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        for clause in &self.context.mechanism().adjacency {
            let (Adjacency::OneEntry { bound, .. } | Adjacency::OneEntryOf { bound, .. }) = clause else {
                continue;
            };
            for_each_assignment(&self.context.mechanism().body, &mut |_, value| {
                let factors = changed_lists(clause).iter().filter_map(|list| factor_of(value, list));
                let factors: Vec<Expr> = factors.map(absolute).collect();
                let total = factors.iter().cloned().reduce(plus);
                let Some(total) = total.filter(|total| self.is_public(total)) else { return };
                let distance = normal(self.context, &product(total, bound.clone()));
                if distance != *bound && !found.contains(&distance) {
                    found.push(distance);
                }
            });
        }
        found.truncate(2);
        found
    }

    /// The smaller of two bounds, where the noise is as large as that: an entry that is clamped moves by no more than it changes, nor
    /// than the clamp is wide.
    pub(super) fn smaller_of_two(&self) -> Vec<Expr> {
        let mut found = Vec::new();
        for expr in &self.expressions {
            visit(expr, &mut |part| {
                if matches!(part, Expr::Binary(Binary::Min, ..))
                    && self.is_public(part)
                    && !found.contains(part)
                {
                    found.push(part.clone());
                }
            });
        }
        found.truncate(2);
        found
    }
}

/// The numbers at which an expression reads a list, if it reads it at numbers only.
fn places(e: &Expr, list: &Name) -> Vec<Expr> {
    let (mut found, mut numbers): (Vec<Expr>, bool) = (Vec::new(), true);
    visit(e, &mut |part| {
        if let Expr::Index(Variable::Plain(of), place) = part
            && of == list
        {
            numbers &= matches!(**place, Expr::Number(_));
            if !found.contains(place) {
                found.push((**place).clone());
            }
        }
    });
    found.retain(|_| numbers);
    found
}

/// What an expression multiplies the one entry that it reads of a list with, if it is linear in it.
pub(super) fn factor_of(e: &Expr, list: &Name) -> Option<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    visit(e, &mut |part| match part {
        Expr::Index(Variable::Plain(of), place) if of == list && !found.contains(place) => {
            found.push((**place).clone());
        }
        _ => {}
    });
    match found.as_slice() {
        [place] => factor(e, list, place),
        _ => None,
    }
}

/// What an expression multiplies an entry with, if it is linear in it.
fn factor(e: &Expr, list: &Name, place: &Expr) -> Option<Expr> {
    // No text has a variable of this name.
    let entry = Name::new("the entry");
    let read = place.clone().index_of(Variable::Plain(list.clone()));
    fn put(e: &Expr, read: &Expr, name: &Name) -> Expr {
        match e == read {
            true => Expr::var(name.clone()),
            false => map(e, &|part| put(part, read, name)),
        }
    }
    let (factor, _) = linear(&put(e, &read, &entry), &entry)?;
    Some(factor)
}
