//! Which program equivalences bring a mechanism into the shape that a sampling axiom needs.

use std::cell::Cell;

use probity_exact::Rational;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::law::parameters;
use probity_kernel::term::{Coupling, Distribution, Hints, Mechanism, Statement};

use crate::algebra::of_parameters;
use crate::derivation::map_coupling;
use crate::effort::Effort;
use crate::evidence::search::search_within;
use crate::plan::blocks::{definitions, inline, set_by_draws};
use crate::plan::inverse::by_inverse;
use crate::tables::is_irrational;

/// Applies the program equivalences that fit, unless a hint speaks of the draws that they would remove.
pub(crate) fn rewrite(mechanism: &Mechanism, hints: &Hints) -> (Mechanism, Vec<Rewrite>) {
    let mut current = mechanism.clone();
    let mut done = Vec::new();
    let hinted = |name: &Name| hints.couplings.iter().any(|(var, _)| var == name);
    inline_public(&mut current, &mut done, &|name| speaks_of(hints, name));
    if hints.couplings.is_empty() && hints.invariants.is_empty() {
        inline_probabilities(&mut current, &mut done);
        if ends_alike(&current.body)
            && let Ok(next) = Rewrite::Tail.apply(&current)
        {
            current = next;
            done.push(Rewrite::Tail);
        }
        join_branches(&mut current, &mut done);
    }
    if hints.couplings.is_empty() && hints.invariants.is_empty() {
        begin_earlier(&mut current, &mut done);
    }
    reach_their_ends(&mut current, &mut done);
    loop {
        let next = candidates(&current)
            .into_iter()
            .filter(|step| match step {
                Rewrite::LaplaceLaw { uniform, sign, .. } => !hinted(uniform) && !hinted(sign),
                Rewrite::ResponseLaw { keep, other, .. } | Rewrite::MixtureLaw { keep, other, .. } => {
                    !hinted(keep) && !hinted(other)
                }
                Rewrite::GumbelLaw { draw, .. } => !hinted(draw),
                Rewrite::DifferenceLaw { plus, minus, .. } => !hinted(plus) && !hinted(minus),
                Rewrite::SignLaw { sign, size, .. } => !hinted(sign) && !hinted(size),
                _ => true,
            })
            .find_map(|step| sequence(&current, step));
        let next = next.or_else(|| by_logarithms(&current).filter(|_| hints.couplings.is_empty()));
        let next = next.or_else(|| by_inverse(&current, &|name| hinted(name) || speaks_of(hints, name)));
        match next {
            Some((steps, rewritten)) => {
                current = rewritten;
                done.extend(steps);
            }
            None => break,
        }
    }
    // A finite draw inside the output is coupled with the output, which must be a variable for that.
    let finite = |law: &Distribution| matches!(law, Distribution::Bernoulli(_));
    if !drawn(&current.body, &finite).is_empty()
        && let Some(var) = new_name(&current, "output")
    {
        let step = Rewrite::Name { var };
        if let Ok(named) = step.apply(&current) {
            current = named;
            done.push(step);
        }
    }
    (current, done)
}

/// Loops that go on with what was drawn before them: the first values are drawn in the loop, as the others are.
fn begin_earlier(current: &mut Mechanism, done: &mut Vec<Rewrite>) {
    let mut indices = Vec::new();
    begun_late(&current.body, &mut indices);
    for index in indices {
        let step = Rewrite::FirstRound { index };
        for _ in 0..MOST_BEFORE {
            let Ok(next) = step.apply(current) else { break };
            *current = next;
            done.push(step.clone());
        }
    }
}

/// The most draws before a loop that are drawn in it instead.
const MOST_BEFORE: usize = 2;

/// The indices of loops that begin with a number above 0.
fn begun_late(body: &[Statement], found: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::For { index, from, body, .. } => {
                if matches!(from, Expr::Number(from) if *from > Rational::ZERO) && !found.contains(index) {
                    found.push(index.clone());
                }
                begun_late(body, found);
            }
            Statement::If { then, otherwise, .. } => {
                begun_late(then, found);
                begun_late(otherwise, found);
            }
            Statement::While { body, .. } => begun_late(body, found),
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// Loops that may have nothing to count, as loops that end where they begin.
fn reach_their_ends(current: &mut Mechanism, done: &mut Vec<Rewrite>) {
    let Ok(context) = Context::new(current, Orientation::Forward) else { return };
    let mut indices = Vec::new();
    may_be_empty(&context, &current.body, &mut Vec::new(), &mut indices);
    for index in indices {
        let step = Rewrite::Range { index };
        if let Ok(next) = step.apply(current) {
            *current = next;
            done.push(step);
        }
    }
}

/// The indices of loops of which it does not follow that they begin before they end.
fn may_be_empty(context: &Context, body: &[Statement], around: &mut Vec<Expr>, found: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::For { index, from, to, body } => {
                let (low, high) = (context.in_run(from, Run::First), context.in_run(to, Run::First));
                let mut effort = Effort::of(ORDER_EFFORT);
                let known: Vec<&Expr> = around.iter().collect();
                let ordered = low.clone().le(high.clone());
                if !found.contains(index) && search_within(context, &known, &ordered, &mut effort).is_err() {
                    found.push(index.clone());
                }
                let i = Expr::var(index.clone());
                around.push(low.le(i.clone()).and(i.lt(high)));
                may_be_empty(context, body, around, found);
                around.pop();
            }
            Statement::If { then, otherwise, .. } => {
                may_be_empty(context, then, around, found);
                may_be_empty(context, otherwise, around, found);
            }
            Statement::While { body, .. } => may_be_empty(context, body, around, found),
            Statement::Draw { .. } | Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// What may be spent on whether a loop begins before it ends.
const ORDER_EFFORT: u64 = 100_000;

/// Whether both branches of a conditional draw, and append the same in the end.
fn ends_alike(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::If { then, otherwise, .. } => {
            let same =
                matches!(then.last(), Some(Statement::Append { .. })) && then.last() == otherwise.last();
            let draw = |body: &[Statement]| !set_by_draws(body).is_empty();
            (same && draw(then) && draw(otherwise)) || ends_alike(then) || ends_alike(otherwise)
        }
        Statement::For { body, .. } | Statement::While { body, .. } => ends_alike(body),
        _ => false,
    })
}

/// Branches that the runs may take differently, and in both of which something is drawn: what they append is appended behind them, and
/// what they draw is drawn once.
fn join_branches(current: &mut Mechanism, done: &mut Vec<Rewrite>) {
    while done.len() < MOST_INLINED
        && let Some(step) = branches(current, &current.body)
        && let Ok(next) = step.apply(current)
    {
        *current = next;
        done.push(step);
    }
}

fn branches(mechanism: &Mechanism, body: &[Statement]) -> Option<Rewrite> {
    body.iter().find_map(|statement| match statement {
        Statement::If { guard, then, otherwise } => {
            let inside = branches(mechanism, then).or_else(|| branches(mechanism, otherwise));
            // What asks about draws alone is asked alike in both runs, and has no need of this.
            let asked = inline(guard, &definitions(&mechanism.body));
            let is_input =
                |v: &Variable| mechanism.inputs.iter().any(|input| *v == Variable::Plain(input.name.clone()));
            let differs = asked.find_variable(&is_input).is_some();
            let own = || match (then.as_slice(), otherwise.as_slice()) {
                ([Statement::Draw { var, .. }], [Statement::Draw { var: other, .. }]) => {
                    (differs && var == other).then(|| Rewrite::OneDraw { var: var.clone() })
                }
                ([.., Statement::Append { list, .. }], [.., Statement::Append { list: other, .. }]) => {
                    let draw = |body: &[Statement]| !set_by_draws(body).is_empty();
                    // What is drawn, or what a coin says of a value, is one law in the end.
                    let drawn = differs && draw(then) && draw(otherwise) || is_coin(mechanism, guard);
                    let merged = list == other && then.last() != otherwise.last() && drawn;
                    merged.then(|| new_name(mechanism, "entry").map(|var| Rewrite::Merge { var }))?
                }
                _ => None,
            };
            inside.or_else(|| own().filter(|step| step.apply(mechanism).is_ok()))
        }
        Statement::For { body, .. } | Statement::While { body, .. } => branches(mechanism, body),
        // What a coin says of a value is one law, if it has a name.
        Statement::Append { value, .. } if reads_coin_and_input(mechanism, value) => {
            let step = Rewrite::Entry { var: new_name(mechanism, "entry")? };
            step.apply(mechanism).is_ok().then_some(step)
        }
        _ => None,
    })
}

/// Whether an expression is made of a coin, or of another draw from a few values, and of an input.
fn reads_coin_and_input(mechanism: &Mechanism, value: &Expr) -> bool {
    let reads = |name: &Name| value.mentions(&Variable::Plain(name.clone()));
    let mut coin = false;
    for_each_draw(&mechanism.body, &mut |var, law| {
        let finite =
            matches!(law, Distribution::Bernoulli(_) | Distribution::UniformInt { .. } | Distribution::Sign);
        coin |= finite && reads(var);
    });
    let given = inline(value, &definitions(&mechanism.body));
    let input =
        |v: &Variable| mechanism.inputs.iter().any(|i| matches!(v, Variable::Plain(n) if *n == i.name));
    coin && !matches!(value, Expr::Var(_)) && given.find_variable(&input).is_some()
}

/// Whether a guard is a coin, or that it fell otherwise.
fn is_coin(mechanism: &Mechanism, guard: &Expr) -> bool {
    let coin = match guard {
        Expr::Unary(Unary::Not, coin) => coin,
        coin => coin,
    };
    let mut found = false;
    for_each_draw(&mechanism.body, &mut |var, law| {
        found |= matches!(law, Distribution::Bernoulli(_)) && *coin == Expr::var(var.clone());
    });
    found
}

/// Logarithms of uniform draws as exponential draws, where these together are noise of a law that is known.
fn by_logarithms(mechanism: &Mechanism) -> Option<(Vec<Rewrite>, Mechanism)> {
    let (mut steps, mut current) = (Vec::new(), mechanism.clone());
    for uniform in drawn(&mechanism.body, &|law| *law == Distribution::Uniform) {
        let step = Rewrite::ExponentialLaw { uniform, noise: new_name(&current, "size")? };
        if let Ok(next) = step.apply(&current) {
            current = next;
            steps.push(step);
        }
    }
    let (more, rewritten) = noise_laws(&current).into_iter().find_map(|step| sequence(&current, step))?;
    (!steps.is_empty()).then(|| ([steps, more].concat(), rewritten))
}

/// Double logarithms, wherever they are drawn.
fn gumbel_laws(mechanism: &Mechanism) -> Vec<Rewrite> {
    let mut draws = Vec::new();
    for_each_draw(&mechanism.body, &mut |var, law| {
        if matches!(law, Distribution::Uniform | Distribution::Exponential { .. }) {
            draws.push(var.clone());
        }
    });
    let noise = new_name(mechanism, "noise");
    draws.into_iter().filter_map(|draw| Some(Rewrite::GumbelLaw { draw, noise: noise.clone()? })).collect()
}

pub(super) fn for_each_draw(body: &[Statement], see: &mut dyn FnMut(&Name, &Distribution)) {
    for statement in body {
        match statement {
            Statement::Draw { var, law } => see(var, law),
            Statement::If { then, otherwise, .. } => {
                for_each_draw(then, see);
                for_each_draw(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_draw(body, see),
            Statement::Assign { .. } | Statement::Append { .. } => {}
        }
    }
}

/// The laws of noise that is made of two draws.
fn noise_laws(mechanism: &Mechanism) -> Vec<Rewrite> {
    let Some(noise) = new_name(mechanism, "noise") else { return vec![] };
    let exponential = drawn(&mechanism.body, &|law| matches!(law, Distribution::Exponential { .. }));
    let geometric = drawn(&mechanism.body, &|law| matches!(law, Distribution::Geometric { .. }));
    let signs = drawn(&mechanism.body, &|law| matches!(law, Distribution::Sign | Distribution::Bernoulli(_)));
    let mut found = Vec::new();
    for same in [&exponential, &geometric] {
        for (at, plus) in same.iter().enumerate() {
            found.extend(same[at + 1..].iter().map(|minus| Rewrite::DifferenceLaw {
                plus: plus.clone(),
                minus: minus.clone(),
                noise: noise.clone(),
            }));
        }
    }
    for size in &exponential {
        found.extend(signs.iter().map(|sign| Rewrite::SignLaw {
            sign: sign.clone(),
            size: size.clone(),
            noise: noise.clone(),
        }));
    }
    found
}

/// Whether a hint says something of a variable, which must then stay.
fn speaks_of(hints: &Hints, name: &Name) -> bool {
    let is_said = |e: &Expr| e.find_variable(&|v| matches!(v, Variable::Of(of, _) if of == name)).is_some();
    let coupled = |coupling: &Coupling| {
        let said = Cell::new(false);
        map_coupling(coupling, &|e| {
            said.set(said.get() || is_said(e));
            e.clone()
        });
        said.get()
    };
    hints.invariants.iter().any(|(_, invariant)| is_said(invariant))
        || hints.couplings.iter().any(|(_, coupling)| coupled(coupling))
}

/// Puts what the parameters fix, as `let` does, where it is used: scales and bounds are then made of parameters.
fn inline_public(current: &mut Mechanism, done: &mut Vec<Rewrite>, stays: &dyn Fn(&Name) -> bool) {
    let mut at = 0;
    while let Some(statement) = current.body.get(at) {
        at += 1;
        let Statement::Assign { var, value } = statement else { continue };
        let public = |v: &Variable| match v {
            Variable::Plain(name) => current.params.iter().any(|p| p.name == *name),
            _ => false,
        };
        // A value without parameters is a number, which needs no help, unless it is a root or a logarithm.
        let some = value.find_variable(&public).is_some() || is_irrational(value);
        let fixed = some && value.find_variable(&|v| !public(v)).is_none();
        // What only the output reads is post-processing, whatever it is made of.
        let fixed = fixed && is_read(&current.body, &Variable::Plain(var.clone()));
        if !fixed || stays(var) || !value.is_within(MOST_INLINED) || done.len() >= MOST_INLINED {
            continue;
        }
        let step = Rewrite::Inline { var: var.clone() };
        if let Ok(next) = step.apply(current) {
            *current = next;
            done.push(step);
            at -= 1;
        }
    }
}

/// Puts the weights and quotients that the probability of a coin is made of into it: the law of the coin is then a fraction.
fn inline_probabilities(current: &mut Mechanism, done: &mut Vec<Rewrite>) {
    while done.len() < MOST_INLINED
        && let Some(step) = probability(current)
        && let Ok(next) = step.apply(current)
    {
        *current = next;
        done.push(step);
    }
}

/// A variable in the probability of a coin that stands for a quotient or an exponential and can be put in.
fn probability(mechanism: &Mechanism) -> Option<Rewrite> {
    let mut read = Vec::new();
    for_each_coin(&mechanism.body, &mut |p| read.push(p.clone()));
    mechanism.body.iter().find_map(|statement| {
        let Statement::Assign { var, value } = statement else { return None };
        let weight = has_weight(value) && value.is_within(MOST_INLINED);
        let wanted = weight && read.iter().any(|p| p.mentions(&Variable::Plain(var.clone())));
        let step = Rewrite::Inline { var: var.clone() };
        (wanted && step.apply(mechanism).is_ok()).then_some(step)
    })
}

/// Whether an expression has a quotient or an exponential in it.
fn has_weight(e: &Expr) -> bool {
    matches!(e, Expr::Unary(Unary::Exp, _) | Expr::Binary(Binary::Div, ..))
        || e.parts().into_iter().flatten().any(has_weight)
}

fn for_each_coin(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Draw { law: Distribution::Bernoulli(p), .. } => see(p),
            Statement::If { then, otherwise, .. } => {
                for_each_coin(then, see);
                for_each_coin(otherwise, see);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => for_each_coin(body, see),
            _ => {}
        }
    }
}

/// Whether a statement reads a variable.
fn is_read(body: &[Statement], var: &Variable) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Draw { law, .. } => parameters(law).iter().any(|e| e.mentions(var)),
        Statement::Assign { value, .. } | Statement::Append { value, .. } => value.mentions(var),
        Statement::If { guard, then, otherwise } => {
            guard.mentions(var) || is_read(then, var) || is_read(otherwise, var)
        }
        Statement::For { from, to, body, .. } => from.mentions(var) || to.mentions(var) || is_read(body, var),
        Statement::While { guard, body, .. } => guard.mentions(var) || is_read(body, var),
    })
}

/// The largest value that is put where it is used, and the most such values.
const MOST_INLINED: usize = 40;

/// A name for what is returned, where it has none.
pub(crate) fn name_output(mechanism: &Mechanism) -> Option<(Rewrite, Mechanism)> {
    let step = Rewrite::Name { var: new_name(mechanism, "output")? };
    let named = step.apply(mechanism).ok()?;
    Some((step, named))
}

/// The text with every loop between two numbers written out, outer loops first.
pub(crate) fn unrolled(mechanism: &Mechanism) -> Option<(Vec<Rewrite>, Mechanism)> {
    let (mut steps, mut current) = (Vec::new(), mechanism.clone());
    loop {
        let next = current.body.iter().find_map(|statement| match statement {
            Statement::For { index, from: Expr::Number(_), to: Expr::Number(_), .. } => {
                let step = Rewrite::Unroll { index: index.clone() };
                Some((step.apply(&current).ok()?, step))
            }
            _ => None,
        });
        match next {
            Some((rewritten, step)) if rewritten.body.len() <= MOST_UNROLLED => {
                current = rewritten;
                steps.push(step);
            }
            _ => return (!steps.is_empty()).then_some((steps, current)),
        }
    }
}

/// The text with the numbers that the parameters fix written out where they have a name, so that scales are seen to be public.
pub(crate) fn public_names_inlined(mechanism: &Mechanism) -> Option<(Vec<Rewrite>, Mechanism)> {
    let (mut steps, mut current) = (Vec::new(), mechanism.clone());
    for statement in &mechanism.body {
        let Statement::Assign { var, .. } = statement else { continue };
        let named = current.body.iter().find_map(|known| match known {
            Statement::Assign { var: name, value } if name == var => Some(value),
            _ => None,
        });
        let step = Rewrite::Inline { var: var.clone() };
        if named.is_some_and(|value| of_parameters(mechanism, value))
            && let Ok(next) = step.apply(&current)
        {
            current = next;
            steps.push(step);
        }
    }
    (!steps.is_empty()).then_some((steps, current))
}

/// The text with draws that only one branch makes put before it, where the branches are not the same in both runs; and the same again
/// with what is then the first of its branch.
pub(crate) fn hoisted(mechanism: &Mechanism, context: &Context) -> Vec<(Vec<Rewrite>, Mechanism)> {
    let (mut steps, mut current) = (Vec::new(), mechanism.clone());
    let mut found = Vec::new();
    // A draw inside two conditions is the first of its branch when the one before it is gone and the conditions are one.
    for _ in 0..MOST_HOISTED {
        let before = steps.len();
        let mut drawn = Vec::new();
        first_in_branches(&current.body, context, &mut drawn);
        let hoists = drawn.into_iter().map(|var| Rewrite::Hoist { var });
        for step in hoists.chain([Rewrite::Join]) {
            if (step != Rewrite::Join || steps.len() > before)
                && let Ok(next) = step.apply(&current)
            {
                current = next;
                steps.push(step);
            }
        }
        if steps.len() == before {
            break;
        }
        found.push(appended_behind(&steps, &current));
    }
    found
}

/// What both branches append is appended behind them, where nothing is drawn in them any more.
fn appended_behind(steps: &[Rewrite], hoisted: &Mechanism) -> (Vec<Rewrite>, Mechanism) {
    let (mut steps, mut current) = (steps.to_vec(), hoisted.clone());
    for _ in 0..MOST_HOISTED {
        let Some(step) = new_name(&current, "entry").map(|var| Rewrite::Merge { var }) else { break };
        let Ok(next) = step.apply(&current) else { break };
        current = next;
        steps.push(step);
    }
    (steps, current)
}

/// How often draws are looked for that have become the first of their branch.
const MOST_HOISTED: usize = 4;

fn first_in_branches(body: &[Statement], context: &Context, drawn: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::If { guard, then, otherwise } => {
                if let Some(Statement::Draw { var, .. }) = then.first()
                    && context.in_run(guard, Run::First) != context.in_run(guard, Run::Second)
                {
                    drawn.push(var.clone());
                }
                first_in_branches(then, context, drawn);
                first_in_branches(otherwise, context, drawn);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => {
                first_in_branches(body, context, drawn);
            }
            _ => {}
        }
    }
}

/// The most statements that a text may have with its loops written out.
const MOST_UNROLLED: usize = 2_000;

/// A law, directly or after a few steps that bring the program into the shape it needs.
fn sequence(mechanism: &Mechanism, law: Rewrite) -> Option<(Vec<Rewrite>, Mechanism)> {
    if let Ok(rewritten) = law.apply(mechanism) {
        return Some((vec![law], rewritten));
    }
    let mut steps = Vec::new();
    let mut current = mechanism.clone();
    for statement in &mechanism.body {
        let step = match statement {
            Statement::If { then, .. } => match then.as_slice() {
                [Statement::Assign { var, .. }] => Rewrite::Conditional { var: var.clone() },
                _ => continue,
            },
            Statement::Assign { var, .. } => Rewrite::Inline { var: var.clone() },
            _ => continue,
        };
        if let Ok(next) = step.apply(&current) {
            current = next;
            steps.push(step);
            if let Ok(rewritten) = law.apply(&current) {
                steps.push(law);
                return Some((steps, rewritten));
            }
        }
    }
    None
}

/// The variables that are drawn at the top level from a law of a kind.
fn drawn(body: &[Statement], wanted: &dyn Fn(&Distribution) -> bool) -> Vec<Name> {
    let drawn = body.iter().filter_map(|statement| match statement {
        Statement::Draw { var, law } if wanted(law) => Some(var.clone()),
        _ => None,
    });
    drawn.collect()
}

/// A name that does not occur yet.
pub(crate) fn new_name(mechanism: &Mechanism, stem: &str) -> Option<Name> {
    let taken = mechanism.to_string();
    (0..).map(|n| format!("{stem}_{n}")).find(|name| !taken.contains(name.as_str())).map(Name::from)
}

fn candidates(mechanism: &Mechanism) -> Vec<Rewrite> {
    let mut steps = Vec::new();
    for uniform in drawn(&mechanism.body, &|law| *law == Distribution::Uniform) {
        for sign in drawn(&mechanism.body, &|law| *law == Distribution::Sign) {
            steps.extend(new_name(mechanism, "noise").map(|noise| Rewrite::LaplaceLaw {
                uniform: uniform.clone(),
                sign,
                noise,
            }));
        }
    }
    steps.extend(gumbel_laws(mechanism));
    steps.extend(noise_laws(mechanism));
    for keep in drawn(&mechanism.body, &|law| matches!(law, Distribution::Bernoulli(_))) {
        for other in drawn(&mechanism.body, &|law| matches!(law, Distribution::UniformInt { .. })) {
            steps.extend(new_name(mechanism, "response").map(|response| Rewrite::MixtureLaw {
                keep: keep.clone(),
                other,
                response,
            }));
        }
        for other in drawn(&mechanism.body, &|law| matches!(law, Distribution::UniformOther { .. })) {
            steps.extend(new_name(mechanism, "response").map(|response| Rewrite::ResponseLaw {
                keep: keep.clone(),
                other,
                response,
            }));
        }
    }
    steps
}
