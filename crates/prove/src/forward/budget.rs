//! What has been paid so far: a sum, and amounts that are due where an event lies behind.

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Variable};

use crate::algebra::{minus, normal, plus, product};
use crate::forward::apart::{Apart, Part};
use crate::forward::state::{add, larger};
use crate::tables;

/// The most places of one event that are kept apart.
const MOST_OF_AN_EVENT: usize = 3;

/// cost ≤ sum + Σ (if event < upto then amounts else 0)
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Budget {
    pub(super) sum: Expr,
    pub(super) past: Vec<Past>,
    /// Whether an amount is due only where its event lies from where it was first paid for on: for a part that is paid for by itself.
    part: bool,
}

/// Amounts that are due where an event lies below a place.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Past {
    pub(super) event: Expr,
    /// Where it was first paid for: not part of the bound.
    pub(super) low: Expr,
    pub(super) upto: Expr,
    /// One for each draw that was paid for, so that a later draw can find its like. There is at least one.
    pub(super) amounts: Vec<Expr>,
}

impl Past {
    /// All amounts together.
    fn amount(&self, context: &Context) -> Expr {
        self.amounts.iter().fold(Expr::int(0), |sum, amount| add(context, &sum, amount))
    }

    /// That the event lies where it was paid for.
    fn lies_in(&self, context: &Context) -> Expr {
        if comes_before(&self.event, &self.upto) == Expr::Bool(true) {
            return Expr::Bool(true);
        }
        match normal(context, &minus(self.upto.clone(), self.low.clone())) == Expr::int(1) {
            true => comes_at(&self.event, &self.low),
            false => self.low.clone().le(self.event.clone()).and(comes_before(&self.event, &self.upto)),
        }
    }

    /// Whether its event or its places are made of a variable.
    fn speaks_of(&self, name: &Name) -> bool {
        let speaks = |e: &Expr| {
            e.find_variable(&|v| matches!(v, Variable::Plain(n) | Variable::Of(n, _) if n == name)).is_some()
        };
        [&self.event, &self.low, &self.upto].into_iter().any(speaks)
    }

    /// Whether this is about the same event, up to a place at the other's or after it.
    fn reaches(&self, context: &Context, other: &Past) -> bool {
        self.event == other.event && moves_on(context, &self.upto, &other.upto)
    }
}

/// What is due by one event at several places, the nearest first: one case after the other, each with all that is due in it, so that a
/// bound has as many cases as places and not as many as their combinations.
fn due(context: &Context, pasts: &[&Past]) -> Expr {
    let (mut all, mut formula) = (Expr::int(0), Expr::int(0));
    for past in pasts.iter().rev() {
        all = add(context, &all, &past.amount(context));
        formula = comes_before(&past.event, &past.upto).choose(all.clone(), formula);
    }
    formula
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { sum: Expr::int(0), past: vec![], part: false }
    }

    /// Nothing paid yet for a part of a program, after which it is added to what was paid before.
    pub(super) fn of_part() -> Budget {
        Budget { part: true, ..Budget::new() }
    }

    /// What is due whatever happens is one sum: amounts that are the same are counted, so that the bound does not grow with the
    /// number of draws.
    pub(super) fn formula(&self, context: &Context) -> Expr {
        if self.part {
            let due = |past: &Past| past.lies_in(context).choose(past.amount(context), Expr::int(0));
            return self.past.iter().map(due).fold(self.sum.clone(), plus);
        }
        let mut certain: Vec<(&Expr, i64)> = Vec::new();
        let mut depends: Vec<Vec<&Past>> = Vec::new();
        for past in &self.past {
            if comes_before(&past.event, &past.upto) != Expr::Bool(true) {
                let place = |known: &Vec<&Past>| {
                    let at = known.iter().take_while(|other| past.reaches(context, other)).count();
                    known[at..].iter().all(|other| other.reaches(context, past)).then_some(at)
                };
                match depends.iter_mut().find_map(|known| Some((place(known)?, known))) {
                    Some((at, known)) => known.insert(at, past),
                    None => depends.push(vec![past]),
                }
                continue;
            }
            for amount in &past.amounts {
                match certain.iter_mut().find(|(known, _)| *known == amount) {
                    Some((_, times)) => *times += 1,
                    None => certain.push((amount, 1)),
                }
            }
        }
        let together = |sum: Expr, (amount, times): (&Expr, i64)| match times {
            1 => add(context, &sum, amount),
            _ => add(context, &sum, &normal(context, &product(Expr::int(times), amount.clone()))),
        };
        let sum = certain.into_iter().fold(self.sum.clone(), together);
        depends.iter().map(|pasts| due(context, pasts)).fold(sum, plus)
    }

    /// Pays for a draw.
    pub(super) fn charge(&mut self, context: &Context, cost: &Apart) {
        self.sum = add(context, &self.sum, &cost.base);
        for part in &cost.parts {
            let one = Expr::int(1);
            let Part { event, at, past, value, .. } = part;
            let amount = &part.due();
            match (value, past) {
                (Some((event, place, upto)), _) => {
                    let next = match upto {
                        Some(upto) => upto.clone(),
                        None => normal(context, &plus(place.clone(), one)),
                    };
                    self.charge_event(context, event, (place, &next), amount);
                }
                (None, Some(low)) => self.charge_event(context, event, (low, at), amount),
                (None, None) => {
                    let next = normal(context, &plus(at.clone(), one));
                    self.charge_event(context, event, (at, &next), amount);
                }
            }
        }
    }

    /// Pays what was paid elsewhere, twice.
    pub(super) fn add_twice(&mut self, context: &Context, other: &Budget) {
        for _ in 0..2 {
            self.sum = add(context, &self.sum, &other.sum);
            for Past { event, low, upto, amounts } in &other.past {
                amounts.iter().for_each(|amount| self.charge_event(context, event, (low, upto), amount));
            }
        }
    }

    /// Pays where an event lies from one place on and before another.
    fn charge_event(&mut self, context: &Context, event: &Expr, (low, next): (&Expr, &Expr), amount: &Expr) {
        let paid_before = |past: &Past, here: bool| {
            let at = past.amounts.iter().position(|known| known == amount)?;
            let ends = if here { past.upto == *low } else { moves_on(context, low, &past.upto) };
            (past.event == *event && ends).then_some(at)
        };
        // What was paid up to this very place goes on; only then what ended before it.
        let before = [true, false].into_iter().find_map(|here| {
            let known = |(place, past): (usize, &Past)| Some((place, paid_before(past, here)?));
            self.past.iter().enumerate().find_map(known)
        });
        // What is due for some rows and for others that are not these is due once.
        if let Some((place, at, event)) = self.others(event, (low, next), amount) {
            let past = &mut self.past[place];
            past.amounts.remove(at);
            if past.amounts.is_empty() {
                self.past.remove(place);
            }
            return self.charge_event(context, &event, (low, next), amount);
        }
        // What was paid up to here is now paid up to the next place.
        let low = match before {
            Some((place, at)) => {
                let past = &mut self.past[place];
                let low = past.low.clone();
                past.amounts.remove(at);
                if past.amounts.is_empty() {
                    self.past.remove(place);
                }
                low
            }
            None => low.clone(),
        };
        let same = |past: &&mut Past| past.event == *event && past.low == low && past.upto == *next;
        let of_event = self.past.iter().filter(|past| past.event == *event).count();
        if let Some(past) = self.past.iter_mut().find(same) {
            past.amounts.push(amount.clone());
        } else if of_event < MOST_OF_AN_EVENT {
            self.past.push(Past {
                event: event.clone(),
                low,
                upto: next.clone(),
                amounts: vec![amount.clone()],
            });
        } else {
            self.sum = add(context, &self.sum, amount);
        }
    }

    /// An amount that is due where a condition holds which excludes that of an event, and both conditions as one event.
    fn others(
        &self,
        event: &Expr,
        (low, next): (&Expr, &Expr),
        amount: &Expr,
    ) -> Option<(usize, usize, Expr)> {
        let (zero, one) = (Expr::int(0), Expr::int(1));
        let condition = two_sided(event).filter(|_| *low == zero && *next == one)?;
        self.past.iter().enumerate().find_map(|(place, past)| {
            let known = two_sided(&past.event).filter(|_| past.low == zero && past.upto == one)?;
            let at = past.amounts.iter().position(|known| known == amount)?;
            let either = || known.clone().or(condition.clone()).choose(zero.clone(), one.clone());
            tables::apart(known, condition).then(|| (place, at, either()))
        })
    }

    /// Whether something is due by an event that speaks of a variable.
    pub(super) fn speaks_of(&self, name: &Name) -> bool {
        self.past.iter().any(|past| past.speaks_of(name))
    }

    /// What is due by an event that speaks of a variable is paid in any case, before the variable changes.
    pub(super) fn settle(&mut self, context: &Context, name: &Name) {
        self.take_due(context, &|past| past.speaks_of(name));
    }

    /// Everything as one sum.
    pub(super) fn collapse(&mut self, context: &Context) {
        self.collapse_where(context, &|_| true);
    }

    /// What is due by some events as one sum.
    pub(super) fn collapse_where(&mut self, context: &Context, wanted: &dyn Fn(&Expr) -> bool) {
        self.take_due(context, &|past| wanted(&past.event));
    }

    fn take_due(&mut self, context: &Context, wanted: &dyn Fn(&Past) -> bool) {
        let (due, rest): (Vec<Past>, Vec<Past>) =
            std::mem::take(&mut self.past).into_iter().partition(wanted);
        self.past = rest;
        for past in &due {
            self.sum = add(context, &self.sum, &past.amount(context));
        }
    }

    pub(super) fn join(&self, other: &Budget, context: &Context) -> Budget {
        if self == other {
            return self.clone();
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        if a.past != b.past {
            a.collapse(context);
            b.collapse(context);
        }
        Budget { sum: larger(context, &a.sum, &b.sum), past: a.past, part: a.part }
    }

    /// What the rounds of a loop cost, given what one costs from nothing: before the round `index`, and the sum that a
    /// round adds. `None` if a round costs what depends on the index.
    pub(super) fn rounds(
        &self,
        context: &Context,
        one: &Budget,
        (index, from): (&Name, &Expr),
    ) -> Option<Budget> {
        let i = Expr::var(index.clone());
        let mentions = |e: &Expr| e.mentions(&Variable::Plain(index.clone()));
        let mut each = one.sum.clone();
        let mut head = self.clone();
        let mut rolling = Vec::new();
        for past in &one.past {
            // The next round begins where this one ends, or later.
            let next = at(&past.low, index, &plus(i.clone(), Expr::int(1)));
            if moves_on(context, &next, &past.upto) && !past.amounts.iter().any(mentions) {
                let low = normal(context, &at(&past.low, index, from));
                rolling.push(Past { low, upto: past.low.clone(), ..past.clone() });
            } else {
                each = add(context, &each, &past.amount(context));
            }
        }
        if mentions(&each) {
            return None;
        }
        // What was paid for an event before goes on where the loop begins there.
        for past in &rolling {
            let start = normal(context, &at(&past.upto, index, from));
            for amount in &past.amounts {
                let goes_on = |known: &&mut Past| {
                    known.event == past.event && known.upto == start && known.amounts.contains(amount)
                };
                if let Some(known) = head.past.iter_mut().find(goes_on)
                    && let Some(place) = known.amounts.iter().position(|known| known == amount)
                {
                    known.amounts.remove(place);
                }
            }
        }
        head.past.retain(|past| !past.amounts.is_empty());
        // What else was paid for an event that the loop pays for may come on top.
        let (apart, shared): (Vec<Past>, Vec<Past>) =
            head.past.into_iter().partition(|past| rolling.iter().all(|other| other.event != past.event));
        head.past = shared;
        head.collapse(context);
        let done = minus(i, from.clone());
        head.sum = add(context, &head.sum, &normal(context, &product(done, each)));
        head.past = apart.into_iter().chain(rolling).collect();
        Some(head)
    }

    /// The same at another place of the loop.
    pub(super) fn at(&self, context: &Context, index: &Name, place: &Expr) -> Budget {
        let at = |e: &Expr| normal(context, &at(e, index, place));
        Budget {
            sum: at(&self.sum),
            past: self
                .past
                .iter()
                .map(|p| Past { low: at(&p.low), upto: at(&p.upto), ..p.clone() })
                .collect(),
            part: self.part,
        }
    }
}

/// The condition of an event that is 0 where it holds and 1 where it does not.
fn two_sided(event: &Expr) -> Option<&Expr> {
    match event {
        Expr::If(condition, yes, no) if **yes == Expr::int(0) && **no == Expr::int(1) => Some(condition),
        _ => None,
    }
}

/// That an event lies before a place.
pub(super) fn comes_before(event: &Expr, place: &Expr) -> Expr {
    match two_sided(event) {
        Some(condition) if *place == Expr::int(1) => condition.clone(),
        Some(_) if *place == Expr::int(2) => Expr::Bool(true),
        _ => event.clone().lt(place.clone()),
    }
}

/// That an event lies at a place.
pub(super) fn comes_at(event: &Expr, place: &Expr) -> Expr {
    match two_sided(event) {
        Some(condition) if *place == Expr::int(0) => condition.clone(),
        Some(condition) if *place == Expr::int(1) => !condition.clone(),
        _ => event.clone().equals(place.clone()),
    }
}

/// Whether a place is plainly at another or after it.
pub(super) fn moves_on(context: &Context, place: &Expr, from: &Expr) -> bool {
    match normal(context, &minus(place.clone(), from.clone())) {
        Expr::Number(n) => n >= probity_exact::Rational::ZERO,
        _ => false,
    }
}

/// An expression with the index replaced.
pub(super) fn at(e: &Expr, index: &Name, place: &Expr) -> Expr {
    e.replace(&|v| (*v == Variable::Plain(index.clone())).then(|| place.clone()))
}
