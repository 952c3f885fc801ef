//! How far apart the two runs' values of an expression may be.

use probity_kernel::context::Context;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::term::Adjacency;

use crate::algebra::{minus, normal, plus, product, visit};
use crate::forward::budget::{comes_at, comes_before};
use crate::forward::state::{State, Taste, add, larger, size, smaller};
use crate::tables;

/// |e − e'| ≤ Σ own |v − v'| + base + Σ parts
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Apart {
    /// Variables that a loop carries round, whose distance comes on top.
    pub(super) own: Vec<Name>,
    /// Whether the largest of all is meant instead of the sum.
    pub(super) largest: bool,
    pub(super) base: Expr,
    pub(super) parts: Vec<Part>,
}

/// An amount that is due where an event is at a place, or before it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    pub(super) event: Expr,
    pub(super) at: Expr,
    /// Whether the event lies before the place, and from which place on.
    pub(super) past: Option<Expr>,
    /// That what stands at the event has a value, or one before another, which is an event of its own.
    pub(super) value: Option<(Expr, Expr, Option<Expr>)>,
    /// What else is true of the rows for which it is due, whatever the place.
    pub(super) only: Option<Expr>,
    pub(super) amount: Expr,
}

impl Part {
    /// From where and up to where its event lies.
    pub(super) fn span(&self, context: &Context) -> (Expr, Expr) {
        match &self.past {
            Some(low) => (low.clone(), self.at.clone()),
            None => (self.at.clone(), normal(context, &plus(self.at.clone(), Expr::int(1)))),
        }
    }

    /// The amount, where it is due at the place.
    pub(super) fn due(&self) -> Expr {
        match &self.only {
            Some(only) => only.clone().choose(self.amount.clone(), Expr::int(0)),
            None => self.amount.clone(),
        }
    }

    fn formula(&self) -> Expr {
        let Part { event, at, past, value, only, amount } = self.clone();
        let due = match past {
            None => comes_at(&event, &at),
            // From 0 on is from the first on.
            Some(low) if low == Expr::int(0) => comes_before(&event, &at),
            Some(low) => low.le(event.clone()).and(event.lt(at)),
        };
        let due = match value {
            Some((event, place, None)) => due.and(event.equals(place)),
            Some((event, low, Some(upto))) => due.and(low.le(event.clone()).and(event.lt(upto))),
            None => due,
        };
        let due = match only {
            Some(only) => due.and(only),
            None => due,
        };
        due.choose(amount, Expr::int(0))
    }
}

impl Apart {
    pub(super) fn base(base: Expr) -> Apart {
        Apart { own: vec![], largest: false, base, parts: vec![] }
    }

    pub(super) fn own(name: &Name) -> Apart {
        Apart { own: vec![name.clone()], ..Apart::base(Expr::int(0)) }
    }

    /// The bound as a number.
    pub(super) fn formula(&self) -> Expr {
        self.parts.iter().fold(self.base.clone(), |sum, part| plus(sum, part.formula()))
    }

    /// The bound as an amount, and 1 where that is due and 0 elsewhere, if it is due by one event and by nothing else.
    pub(super) fn single(&self) -> Option<(&Expr, Expr)> {
        let [part] = self.parts.as_slice() else { return None };
        let alone = self.base == Expr::int(0) && self.own.is_empty();
        alone.then(|| (&part.amount, Part { amount: Expr::int(1), ..part.clone() }.formula()))
    }

    /// The places of its parts.
    pub(super) fn places(&self) -> impl Iterator<Item = &Expr> {
        let values = self.parts.iter().filter_map(|part| part.value.as_ref());
        let values = values.flat_map(|(_, place, upto)| std::iter::once(place).chain(upto));
        self.parts.iter().map(|part| &part.at).chain(values)
    }

    /// Whether all of it is due only where what changed has some value.
    fn is_by_value(&self) -> bool {
        let alone = self.base == Expr::int(0) && self.own.is_empty();
        alone && !self.parts.is_empty() && self.parts.iter().all(|part| part.value.is_some())
    }

    /// The bound without conditions.
    pub(super) fn most(&self, context: &Context) -> Expr {
        self.parts.iter().fold(self.base.clone(), |sum, part| add(context, &sum, &part.amount))
    }

    /// Every amount replaced.
    pub(super) fn map(&self, amount: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Apart> {
        let zero = Expr::int(0);
        let base = if self.base == zero { zero } else { amount(&self.base)? };
        let parts = self.parts.iter().map(|p| Some(Part { amount: amount(&p.amount)?, ..p.clone() }));
        Some(Apart { base, parts: parts.collect::<Option<_>>()?, ..self.clone() })
    }

    fn plus(&self, other: &Apart, context: &Context) -> Option<Apart> {
        let mut sum = self.clone();
        if (self.largest || other.largest) && !(self.own.is_empty() && other.own.is_empty()) {
            return None;
        }
        // A variable may come on top once.
        if other.own.iter().any(|name| self.own.contains(name)) {
            return None;
        }
        sum.own.extend(other.own.iter().cloned());
        sum.base = add(context, &self.base, &other.base);
        for part in &other.parts {
            sum.add_part(part, context, &|a, b| add(context, a, b));
        }
        Some(sum)
    }

    fn add_part(&mut self, part: &Part, context: &Context, join: &dyn Fn(&Expr, &Expr) -> Expr) {
        let same = |p: &&mut Part| Part { amount: part.amount.clone(), ..(**p).clone() } == *part;
        if let Some(known) = self.parts.iter_mut().find(same) {
            known.amount = join(&known.amount, &part.amount);
            return;
        }
        // Places that follow each other are one span.
        let (low, upto) = part.span(context);
        let before = |p: &&mut Part| {
            let alike = p.event == part.event && p.amount == part.amount;
            let alike = alike && p.value == part.value && p.only == part.only;
            alike && p.span(context).1 == low
        };
        match self.parts.iter_mut().find(before) {
            Some(known) => {
                let (low, _) = known.span(context);
                *known = Part { past: Some(low), at: upto, ..known.clone() };
            }
            None => self.parts.push(part.clone()),
        }
    }

    /// The larger of two.
    pub(super) fn join(&self, other: &Apart, context: &Context) -> Apart {
        let mut both = self.clone();
        for name in &other.own {
            if !both.own.contains(name) {
                both.own.push(name.clone());
            }
        }
        both.largest = self.largest || other.largest || self.own != other.own;
        both.base = larger(context, &self.base, &other.base);
        for part in &other.parts {
            both.add_part(part, context, &|a, b| larger(context, a, b));
        }
        both
    }

    /// Between which numbers an expression lies, in either run.
    pub(super) fn range(state: &State<'_>, e: &Expr) -> Option<(Expr, Expr)> {
        let range = Measure { state, context: state.context, taste: Taste::Width }.range(e)?;
        let normal = |e: &Expr| normal(state.context, e);
        Some((normal(&range.low), normal(&range.high)))
    }

    /// How far apart an expression may be.
    pub(super) fn of(state: &State<'_>, e: &Expr, taste: Taste) -> Option<Apart> {
        let e = with_extremes(&state.with_truths(e));
        if state.context.kind(&state.context.in_run(&e, Run::First)) == Kind::Bool {
            return None;
        }
        Measure { state, context: state.context, taste }.of(&e)
    }
}

struct Measure<'s, 'a> {
    state: &'s State<'a>,
    context: &'a Context,
    taste: Taste,
}

impl Measure<'_, '_> {
    fn of(&self, e: &Expr) -> Option<Apart> {
        if self.state.reads_equal(e) {
            return Some(Apart::base(Expr::int(0)));
        }
        if !tables::sums(e).is_empty() {
            return self.rows(e).or_else(|| self.by_parts(e));
        }
        let bounded = self.by_size(e);
        let apart = self.by_parts(e);
        match (apart, bounded) {
            // What is due in one group only comes once for all groups.
            (Some(apart), Some(_)) if self.taste == Taste::Distance && apart.is_by_value() => Some(apart),
            (Some(apart), Some(bounded)) if apart.own.is_empty() => {
                let (a, b) = (apart.most(self.context), bounded.most(self.context));
                match smaller(self.context, &a, &b) {
                    Some(least) => Some(if least == a { apart } else { bounded }),
                    None => Some(if self.taste == Taste::Width { bounded } else { apart }),
                }
            }
            (Some(apart), _) => Some(apart),
            (None, bounded) => bounded,
        }
    }

    fn by_parts(&self, e: &Expr) -> Option<Apart> {
        let context = self.context;
        match e {
            Expr::Var(Variable::Plain(name)) => self.state.apart(name).cloned(),
            Expr::Index(Variable::Plain(list), index) => self.entry(list, index),
            Expr::Unary(Unary::Neg | Unary::Abs, a) => self.of(a),
            Expr::Binary(Binary::Add | Binary::Sub, a, b) => self.of(a)?.plus(&self.of(b)?, context),
            Expr::Binary(Binary::Mul, a, b) => match (self.state.public(a), self.state.public(b)) {
                (Some(factor), _) => self.times(&self.of(b)?, &factor),
                (_, Some(factor)) => self.times(&self.of(a)?, &factor),
                _ => None,
            },
            Expr::Binary(Binary::Div, a, b) => {
                let divisor = self.state.public(b)?;
                self.times(&self.of(a)?, &(Expr::int(1) / divisor))
            }
            Expr::Binary(Binary::Min | Binary::Max, a, b) => Some(self.of(a)?.join(&self.of(b)?, context)),
            Expr::Clamp(a, low, high) => {
                let (a, low, high) = (self.of(a)?, self.of(low)?, self.of(high)?);
                Some(a.join(&low, context).join(&high, context))
            }
            Expr::If(guard, a, b) => {
                let both = self.of(a)?.join(&self.of(b)?, context);
                if self.state.reads_equal(guard) {
                    return Some(both);
                }
                // The runs may take different branches where the guard reads what differs.
                let gap = self.gap(a, b)?;
                let due = self.where_equal(guard, &gap).unwrap_or_else(|| self.where_read(guard, &gap));
                let mut both = both;
                if both.largest && !both.own.is_empty() {
                    return None;
                }
                both.base = add(context, &both.base, &due.base);
                for part in &due.parts {
                    both.add_part(part, context, &|a, b| add(context, a, b));
                }
                Some(both)
            }
            _ => None,
        }
    }

    fn times(&self, apart: &Apart, factor: &Expr) -> Option<Apart> {
        let factor = size(self.context, factor);
        if !apart.own.is_empty() && factor != Expr::int(1) {
            return None;
        }
        apart.map(&|amount| Some(normal(self.context, &product(factor.clone(), amount.clone()))))
    }

    /// Two entries of a list at one index.
    fn entry(&self, list: &Name, index: &Expr) -> Option<Apart> {
        if !self.state.reads_equal(index) {
            return None;
        }
        let clause = self.context.mechanism().adjacency.iter().find_map(|clause| match clause {
            Adjacency::OneEntry { list: l, bound } if l == list => Some((bound, true)),
            Adjacency::EveryEntry { list: l, bound } | Adjacency::EveryEntryGrows { list: l, bound }
                if l == list =>
            {
                Some((bound, false))
            }
            _ => None,
        });
        // Where neighbours are any two lists, entries are as far apart as their bounds.
        let Some((bound, one)) = clause else {
            let range = self.range(&index.clone().index_of(Variable::Plain(list.clone())))?;
            return Some(Apart::base(normal(self.context, &range.width())));
        };
        let bound = normal(self.context, bound);
        if !one || bound == Expr::int(0) {
            return Some(Apart::base(bound));
        }
        let part = self.part(list, index, bound);
        Some(Apart { parts: vec![part], ..Apart::base(Expr::int(0)) })
    }

    fn part(&self, list: &Name, index: &Expr, amount: Expr) -> Part {
        let event = Expr::Var(Variable::Changed(list.clone()));
        let here = self.context.in_run(index, Run::First);
        let at = self.state.public(index).unwrap_or(here);
        Part { event, at, past: None, value: None, only: None, amount }
    }

    /// How far apart two values of one run are.
    fn gap(&self, a: &Expr, b: &Expr) -> Option<Expr> {
        let difference = minus(a.clone(), b.clone());
        if let Some(gap) = self.state.public(&difference) {
            return Some(size(self.context, &gap));
        }
        let here = self.context.in_run(&difference, Run::First);
        let plain = normal(self.context, &here);
        if plain.find_variable(&|v| !matches!(v, Variable::Plain(_))).is_none() {
            return Some(size(self.context, &plain));
        }
        // One value is the other and something more.
        if let Some(more) = more(a, b).or_else(|| more(b, a))
            && let Some(range) = self.range(&more)
        {
            let (low, high) = (size(self.context, &range.low), size(self.context, &range.high));
            return Some(larger(self.context, &low, &high));
        }
        let whole = Expr::Bool(true).choose(a.clone(), b.clone());
        Some(normal(self.context, &self.range(&whole)?.width()))
    }

    fn range(&self, e: &Expr) -> Option<tables::Range> {
        let fixed = e.replace(&|v| match v {
            Variable::Plain(name) => self.state.fixed.get(name).cloned(),
            _ => None,
        });
        let mut bounds = self.context.mechanism().assumptions.clone();
        // What is assumed of every entry of a list holds of those that are read.
        let mut entries = Vec::new();
        visit(&fixed, &mut |part| {
            if let Expr::Index(Variable::Plain(list), _) = part {
                for assumption in &self.context.mechanism().assumptions {
                    let entry = Variable::Entry(list.clone());
                    if assumption.mentions(&entry) {
                        entries.push(assumption.replace(&|v| (*v == entry).then(|| part.clone())));
                    }
                }
            }
        });
        bounds.extend(entries);
        for (name, (low, high)) in &self.state.ranges {
            let v = || Expr::var(name.clone());
            bounds.extend([low.clone().le(v()), v().le(high.clone())]);
        }
        tables::range(self.context, &bounds, &fixed)
    }

    /// As far apart as the range in which an expression lies is wide.
    fn by_size(&self, e: &Expr) -> Option<Apart> {
        if matches!(e, Expr::Var(_) | Expr::Index(..) | Expr::Number(_)) {
            return None;
        }
        let width = normal(self.context, &self.range(e)?.width());
        Some(self.where_read(e, &width))
    }

    /// The same for a guard that compares one entry with a value, or says between which it lies: due where the entry that changed lies
    /// there, in either run.
    fn where_equal(&self, guard: &Expr, amount: &Expr) -> Option<Apart> {
        let mut found = None;
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        crate::tables::conjuncts(guard, &mut |part| {
            let Expr::Binary(op, a, b) = part else { return };
            for (entry, place, flipped) in [(a, b, false), (b, a, true)] {
                if let Expr::Index(Variable::Plain(list), index) = &**entry
                    && let Some(place) = self.state.public(place)
                {
                    let here = (list.clone(), (**index).clone(), place);
                    match (op, flipped) {
                        (Binary::Eq, _) => found = Some((here, None)),
                        (Binary::Ge, false) | (Binary::Le, true) => lows.push(here),
                        (Binary::Lt, false) | (Binary::Gt, true) => highs.push(here),
                        _ => {}
                    }
                }
            }
        });
        let between = || {
            let low = lows.into_iter().next()?;
            let same = |high: &(Name, Expr, Expr)| high.0 == low.0 && high.1 == low.1;
            let (_, _, upto) = highs.into_iter().find(same)?;
            Some((low, Some(upto)))
        };
        let ((list, index, place), upto) = found.or_else(between)?;
        // For one value alone it is enough that the entry changed.
        if matches!(place, Expr::Number(_)) && self.taste == Taste::Width {
            return None;
        }
        let known = self.where_read(guard, amount);
        let [part] = known.parts.as_slice() else { return None };
        if known.base != Expr::int(0) || *part != self.part(&list, &index, amount.clone()) {
            return None;
        }
        let changed = Expr::Var(Variable::Changed(list.clone()));
        let parts = [Run::First, Run::Second].map(|run| {
            let entry = changed.clone().index_of(Variable::Of(list.clone(), run));
            Part { value: Some((entry, place.clone(), upto.clone())), ..part.clone() }
        });
        Some(Apart { parts: parts.to_vec(), ..known })
    }

    /// An amount that is due where what an expression reads differs.
    fn where_read(&self, e: &Expr, amount: &Expr) -> Apart {
        let mut parts: Vec<Part> = Vec::new();
        let mut anywhere = false;
        visit(e, &mut |part| match part {
            Expr::Index(Variable::Plain(list), index) => {
                let one = self
                    .context
                    .mechanism()
                    .adjacency
                    .iter()
                    .any(|clause| matches!(clause, Adjacency::OneEntry { list: l, .. } if l == list));
                if one && self.state.reads_equal(index) {
                    let part = self.part(list, index, amount.clone());
                    if !parts.contains(&part) {
                        parts.push(part);
                    }
                } else {
                    let apart = self.entry(list, index);
                    anywhere |= apart.is_none_or(|apart| apart != Apart::base(Expr::int(0)));
                }
            }
            Expr::Var(Variable::Plain(name)) if !self.state.reads_equal(part) => {
                match self.state.apart(name) {
                    Some(apart) if apart.own.is_empty() && apart.base == Expr::int(0) => {
                        for known in &apart.parts {
                            let part = Part { amount: amount.clone(), ..known.clone() };
                            if !parts.contains(&part) {
                                parts.push(part);
                            }
                        }
                    }
                    _ => anywhere = true,
                }
            }
            Expr::Sum(..) => match self.rows(part) {
                Some(apart) if apart.base == Expr::int(0) => {
                    for known in &apart.parts {
                        let part = Part { amount: amount.clone(), ..known.clone() };
                        if !parts.contains(&part) {
                            parts.push(part);
                        }
                    }
                }
                _ => anywhere = true,
            },
            _ => {}
        });
        match anywhere {
            true => Apart::base(amount.clone()),
            false => Apart { parts, ..Apart::base(Expr::int(0)) },
        }
    }

    /// Sums over the rows of a table.
    fn rows(&self, e: &Expr) -> Option<Apart> {
        let fixed = e.replace(&|v| match v {
            Variable::Plain(name) => self.state.fixed.get(name).cloned(),
            _ => None,
        });
        let charge = tables::charge(self.context, &fixed, &|distance| distance.clone())?;
        let conditions: Vec<tables::Sum> = tables::sums(&fixed);
        // What a sum compares with must be equal in both runs.
        let read = |sum: &tables::Sum| {
            [&sum.condition, &sum.value].into_iter().all(|e| self.state.reads_equal(&without_fields(e)))
        };
        if !conditions.iter().all(read) {
            return None;
        }
        let loops = self.state.loops();
        let cell = |sum: &tables::Sum| {
            tables::cell(self.context, sum, &loops).or_else(|| tables::group(self.context, sum))
        };
        let group = conditions.iter().map(cell).collect::<Option<Vec<_>>>();
        if let Some(groups) = group
            && let Some(first) = groups.first()
            && groups.iter().all(|g| g == first)
            && let Some(amount) = charge.amounts.first()
        {
            let amount = normal(self.context, amount);
            let (events, at) = first.clone();
            let at = self.state.public(&at)?;
            let only = tables::only_in_group(self.context, &conditions, &loops);
            let parts = events.into_iter().zip(only).map(|(event, only)| Part {
                event,
                at: at.clone(),
                past: None,
                value: None,
                only,
                amount: amount.clone(),
            });
            return Some(Apart { parts: parts.collect(), ..Apart::base(Expr::int(0)) });
        }
        let amount = charge.amounts.first().map(|amount| normal(self.context, amount));
        let due = |event: Expr, at: Expr, past: Option<Expr>, amount: &Expr| {
            let (value, only) = (None, None);
            Part { event, at, past, value, only, amount: amount.clone() }
        };
        // Rows that are in several groups: what is due for each of them.
        if let ([sum], Some(amount)) = (conditions.as_slice(), &amount)
            && let Some(groups) = tables::either(self.context, sum)
        {
            let mut parts = Vec::new();
            for (events, at) in groups {
                let at = self.state.public(&at)?;
                parts.extend(events.into_iter().map(|event| due(event, at.clone(), None, amount)));
            }
            return Some(Apart { parts, ..Apart::base(Expr::int(0)) });
        }
        // Rows whose group lies in a window that moves on with a loop.
        if let ([sum], Some(amount)) = (conditions.as_slice(), &amount)
            && let Some((events, low, upto)) = tables::window(self.context, sum)
            && let (Some(low), Some(upto)) = (self.state.public(&low), self.state.public(&upto))
        {
            let part = |event: Expr| due(event, upto.clone(), Some(low.clone()), amount);
            let span = Apart { parts: events.into_iter().map(part).collect(), ..Apart::base(Expr::int(0)) };
            let apart = self.state.windows(&span);
            if apart != span {
                return Some(apart);
            }
        }
        // Rows on one side of a condition: what is due for them is not due for those on the other.
        let sides = conditions.iter().map(|sum| tables::side(self.context, sum)).collect::<Option<Vec<_>>>();
        if let Some(sides) = sides
            && let Some((events, at)) = sides.first()
            && sides.iter().all(|side| *side == (events.clone(), at.clone()))
            && let Some(amount) = charge.amounts.first()
        {
            let (amount, at) = (normal(self.context, amount), at.clone());
            let part = |event: &Expr| {
                let (event, at, amount) = (event.clone(), at.clone(), amount.clone());
                Part { event, at, past: None, value: None, only: None, amount }
            };
            return Some(Apart { parts: events.iter().map(part).collect(), ..Apart::base(Expr::int(0)) });
        }
        // Rows of which another sum has none: what is due for them is not due for those.
        if self.taste == Taste::Distance
            && let Some(sum) = conditions.first()
            && conditions.iter().all(|other| other.condition == sum.condition)
            && let Some(amount) = &amount
            && let Some((events, at)) = tables::one_of_several(self.context, sum)
        {
            let parts = events.into_iter().map(|event| due(event, at.clone(), None, amount)).collect();
            return Some(Apart { parts, ..Apart::base(Expr::int(0)) });
        }
        let mut most = Expr::int(0);
        leaves(&charge.cost, &mut |leaf| most = larger(self.context, &most, &normal(self.context, leaf)));
        Some(Apart::base(most))
    }
}

/// What a sum has more than one of its terms.
fn more(sum: &Expr, term: &Expr) -> Option<Expr> {
    match sum {
        Expr::Binary(Binary::Add, a, b) if **a == *term => Some((**b).clone()),
        Expr::Binary(Binary::Add, a, b) if **b == *term => Some((**a).clone()),
        Expr::Binary(Binary::Sub, a, b) if **a == *term => Some((**b).clone()),
        _ => None,
    }
}

/// The expression with choices of the smaller or larger of two numbers written as such.
fn with_extremes(e: &Expr) -> Expr {
    let e = e.map_parts(&mut with_extremes);
    let Expr::If(guard, x, y) = &e else { return e };
    let Expr::Binary(op @ (Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge), a, b) = &**guard else {
        return e;
    };
    let smaller = matches!(op, Binary::Lt | Binary::Le);
    match () {
        () if a == x && b == y && smaller || b == x && a == y && !smaller => (**a).clone().min((**b).clone()),
        () if a == x && b == y || b == x && a == y => (**a).clone().max((**b).clone()),
        () => e,
    }
}

/// The expression with fields of rows replaced by a number.
fn without_fields(e: &Expr) -> Expr {
    e.replace(&|v| matches!(v, Variable::Field(..)).then(|| Expr::int(0)))
}

/// The values of a number defined by cases.
fn leaves(e: &Expr, see: &mut dyn FnMut(&Expr)) {
    match e {
        Expr::If(_, a, b) => {
            leaves(a, see);
            leaves(b, see);
        }
        _ => see(e),
    }
}
