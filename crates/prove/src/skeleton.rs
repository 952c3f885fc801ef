//! A plan that failed, in the words of a `proof` block: what its draws cost, and the block to fill in. What the block says need not be
//! true; it is always read without a fault.

use std::cell::Cell;
use std::collections::BTreeMap;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::{Binary, Expr, Name, Run, Variable};
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{Claim, Coupling, Distribution, Mechanism, Statement};

use crate::algebra::{absolute, minus, of_parameters, over};
use crate::derivation::{Move, Tail, conjuncts, map_coupling};
use crate::explain::words::{in_few_words, in_words};
use crate::plan::blocks::{loops, set_by, set_by_draws};

/// The most draws whose costs are named, and the longest statement that is shown with its cost.
const MOST_PAYMENTS: usize = 4;
const MOST_SHOWN: usize = 100;

/// The most parts of an invariant that are shown.
const MOST_PARTS: usize = 12;

/// The most lines of a skeleton: who has more than this to fill in will see how it goes on.
const MOST_LINES: usize = 12;

/// A line of a block.
enum Line<'a> {
    Couple(&'a Name, Box<Coupling>, Option<&'a Expr>),
    Invariant(&'a Name, Expr),
}

/// What the draws of a plan cost, a line each.
pub(crate) fn payments(context: &Context, moves: &[Move]) -> Vec<String> {
    let mut lines = Vec::new();
    walk(&context.mechanism().body, moves, &[], &mut |statement, step, known| {
        let (Statement::Draw { var, .. }, Some(step)) = (statement, step) else { return };
        let cost = match coupling_of(step) {
            Some(
                Coupling::Shift { cost, .. }
                | Coupling::Equal { cost, .. }
                | Coupling::Chosen { cost, .. }
                | Coupling::Scale { cost },
            ) => in_few_words(context, cost, known),
            _ => return,
        };
        let statement = statement.to_string();
        let named = match statement.trim_end() {
            long if long.len() > MOST_SHOWN => var.as_str(),
            short => short,
        };
        let line = format!("what '{named}' costs here is {cost}");
        if cost != Expr::int(0) && lines.len() < MOST_PAYMENTS && !lines.contains(&line) {
            lines.push(line);
        }
    });
    lines
}

/// The couplings and invariants of a plan as a proof block for a mechanism, with a place to fill in where the plan has none. The plan may be
/// for what the mechanism was rewritten to.
pub(crate) fn skeleton(
    (mechanism, claim): (&Mechanism, &Claim),
    rewritten: &Mechanism,
    comparison: Comparison,
    moves: &[Move],
) -> Vec<String> {
    let Ok(context) = Context::new(mechanism, Orientation::Forward) else { return vec![] };
    let mut lines = Vec::new();
    walk(&rewritten.body, moves, &[], &mut |statement, step, known| {
        lines.extend(line_of(&context, &claim.epsilon, statement, step, known));
    });
    let mut text = written(&context, &lines);
    if text.is_empty() {
        return text;
    }
    if comparison == Comparison::Pointwise {
        text.insert(0, "pointwise".into());
    }
    let head = ["to prove it by hand, put this at the end of the file and mend it:", "  proof {"];
    let places = places(&mechanism.body, &text);
    let lines = places.into_iter().chain(text).map(|line| format!("    {line}"));
    head.map(String::from).into_iter().chain(lines).chain(["  }".into()]).collect()
}

/// What the names in a block mean that the text does not have: the places in the lists that loops go through.
fn places(body: &[Statement], text: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let said = |index: &Name| text.iter().any(|line| line.contains(index.as_str()));
    for statement in body {
        match statement {
            Statement::For { index, body, .. } => {
                if let Some(Statement::Assign { var, value: Expr::Index(Variable::Plain(list), place) }) =
                    body.first()
                    && **place == Expr::var(index.clone())
                    && index.as_str().starts_with(&format!("{var}_index"))
                    && said(index)
                {
                    found.push(format!("// {index} is the place of {var} in {list}, from 0 on"));
                }
                found.extend(places(body, text));
            }
            Statement::While { body, .. } => found.extend(places(body, text)),
            Statement::If { then, otherwise, .. } => {
                found.extend(places(then, text));
                found.extend(places(otherwise, text));
            }
            _ => {}
        }
    }
    found
}

/// What sees a statement, its move, and what is known before it.
type See<'a, 's> = dyn FnMut(&'a Statement, Option<&'a Move>, &[Expr]) + 's;

/// Each statement with its move, in the order of the text, and what is known to be equal in both runs there.
fn walk<'a>(body: &'a [Statement], moves: &'a [Move], known: &[Expr], see: &mut See<'a, '_>) {
    let mut known = known.to_vec();
    let mut rest = body;
    // What is asserted between two statements is not written in a file.
    let mut moves = moves.iter().filter(|step| !matches!(step, Move::Assert(_)));
    while let Some(statement) = rest.first() {
        let step = moves.next();
        let (now, later) = rest.split_at(step.map_or(1, Move::size).clamp(1, rest.len()));
        rest = later;
        see(statement, step, &known);
        match (statement, step) {
            (
                Statement::For { body, .. },
                Some(Move::For(invariant, inner) | Move::ForOnce(invariant, _, inner)),
            )
            | (Statement::While { body, .. }, Some(Move::While(invariant, inner))) => {
                let mut parts = Vec::new();
                conjuncts(invariant, &mut parts);
                walk(body, inner, &parts, see);
            }
            (Statement::For { body, .. } | Statement::While { body, .. }, _) => walk(body, &[], &[], see),
            (Statement::If { then, otherwise, .. }, Some(Move::If(yes, no))) => {
                walk(then, yes, &known, see);
                walk(otherwise, no, &known, see);
            }
            (Statement::If { then, otherwise, .. }, _) => {
                walk(then, &[], &known, see);
                walk(otherwise, &[], &known, see);
            }
            _ => {}
        }
        let set = set_by(now);
        let is_set = |v: &Variable| matches!(v, Variable::Of(name, _) if set.contains(name));
        known.retain(|part| part.find_variable(&is_set).is_none());
    }
}

/// The coupling of a move for a single draw.
fn coupling_of(step: &Move) -> Option<&Coupling> {
    match step {
        Move::Draw(coupling)
        | Move::UpTo(coupling, _)
        | Move::Below(coupling, _)
        | Move::Under(coupling, _)
        | Move::Tail(_, coupling, _) => Some(coupling),
        _ => None,
    }
}

/// What a block says of a statement; nothing about a choice, a call, a sample, or a draw whose cost is in ρ.
fn line_of<'a>(
    context: &Context,
    epsilon: &Expr,
    statement: &'a Statement,
    step: Option<&'a Move>,
    known: &[Expr],
) -> Option<Line<'a>> {
    match (statement, step) {
        (Statement::Draw { law, .. }, _) if !has_couplings(law) => None,
        (Statement::Draw { var, law }, step) => match step.and_then(coupling_of) {
            Some(Coupling::Equal { .. } | Coupling::Chosen { .. }) => None,
            Some(coupling) => {
                let tail = match step {
                    Some(
                        Move::UpTo(_, tail)
                        | Move::Below(_, tail)
                        | Move::Under(_, tail)
                        | Move::Tail(
                            Tail::Exact
                            | Tail::Exacts
                            | Tail::Low
                            | Tail::LowFrom
                            | Tail::LowExact
                            | Tail::Far,
                            _,
                            tail,
                        ),
                    ) => Some(tail),
                    _ => None,
                };
                let coupling = map_coupling(coupling, &|e| in_words(e, known));
                Some(Line::Couple(var, Box::new(coupling), tail))
            }
            None => Some(Line::Couple(var, Box::new(kept(context, law)), None)),
        },
        (
            Statement::For { index: name, .. },
            Some(Move::For(invariant, _) | Move::ForOnce(invariant, _, _)),
        )
        | (Statement::While { label: name, .. }, Some(Move::While(invariant, _))) => {
            Some(Line::Invariant(name, invariant.clone()))
        }
        (Statement::For { index: name, .. } | Statement::While { label: name, .. }, _) => {
            Some(Line::Invariant(name, Expr::cost().le(epsilon.clone())))
        }
        _ => None,
    }
}

/// Whether a `proof` block can say how a draw of this law is coupled.
fn has_couplings(law: &Distribution) -> bool {
    !matches!(
        law,
        Distribution::Called(_)
            | Distribution::Choose { .. }
            | Distribution::PermuteAndFlip { .. }
            | Distribution::Sample { .. }
    )
}

/// A place to fill in: noise around a center with the value that it has in the first run, at the cost of that; other noise that does not
/// move, and other draws with the same value.
fn kept(context: &Context, law: &Distribution) -> Coupling {
    match law {
        Distribution::Laplace { center, scale } | Distribution::DiscreteLaplace { center, scale } => {
            let apart = minus(context.in_run(center, Run::First), context.in_run(center, Run::Second));
            let cost = over(absolute(apart), &context.in_run(scale, Run::First));
            Coupling::Shift { by: Expr::int(0), cost }
        }
        Distribution::Gumbel { .. } | Distribution::Exponential { .. } | Distribution::Geometric { .. } => {
            Coupling::Shift { by: Expr::int(0), cost: Expr::int(0) }
        }
        _ => Coupling::Null,
    }
}

/// The lines as text: none that would not be read, or that is about something which the mechanism does not have.
fn written(context: &Context, lines: &[Line<'_>]) -> Vec<String> {
    let draws = set_by_draws(&context.mechanism().body);
    let mut left = of_loops(context, lines);
    let mut text: Vec<(&Name, String)> = Vec::new();
    for line in lines {
        match line {
            // One coupling serves for all draws of a variable: a second one would be refused.
            Line::Couple(var, coupling, tail) => {
                let said = couple(var, coupling, *tail);
                let new = !text.iter().any(|(name, _)| name == var);
                if new && draws.contains(var) && is_read_back(context, coupling, *tail) {
                    text.push((var, said));
                }
            }
            Line::Invariant(name, _) => {
                if let Some(more) = left.get_mut(name).filter(|more| !more.is_empty()) {
                    text.push((name, format!("invariant {name}: {}", more.remove(0))));
                }
            }
        }
    }
    // A name whose invariants are not all shown has one for all its loops.
    let cut = text.split_off(MOST_LINES.min(text.len()));
    let mut seen: Vec<&Name> = Vec::new();
    text.retain(|(name, _)| {
        let again = seen.contains(name);
        seen.push(name);
        !again || !cut.iter().any(|(other, _)| other == name)
    });
    text.into_iter().map(|(_, line)| line).collect()
}

/// The invariants of the loops of each name: one for all of them, or one for each in the order of the text.
fn of_loops<'a>(context: &Context, lines: &[Line<'a>]) -> BTreeMap<&'a Name, Vec<String>> {
    let own = loops(&context.mechanism().body);
    let mut all = BTreeMap::<&Name, Vec<String>>::new();
    for line in lines {
        if let Line::Invariant(name, invariant) = line {
            all.entry(name).or_default().push(in_few_parts(context, invariant).to_string());
        }
    }
    all.retain(|name, _| own.contains(name));
    for (name, invariants) in &mut all {
        let count = own.iter().filter(|other| other == name).count();
        // A text that was rewritten may have other loops of a name.
        if invariants.len() != count || invariants.iter().all(|other| *other == invariants[0]) {
            invariants.truncate(1);
        }
    }
    all
}

/// The line of a coupling, in the words that are read.
fn couple(var: &Name, coupling: &Coupling, tail: Option<&Expr>) -> String {
    let said = match coupling {
        Coupling::Scale { cost } => format!("scale at cost {cost}"),
        other => other.to_string(),
    };
    match tail {
        Some(tail) => format!("couple {var}: {said} up to tail {tail}"),
        None => format!("couple {var}: {said}"),
    }
}

/// Whether all that a coupling says is read as it is meant.
fn is_read_back(context: &Context, coupling: &Coupling, tail: Option<&Expr>) -> bool {
    let is_number = |e: &Expr| context.check_number(e).is_ok() && has_words(e);
    let wrong = Cell::new(tail.is_some_and(|tail| !of_parameters(context.mechanism(), tail)));
    map_coupling(coupling, &|e| {
        wrong.set(wrong.get() || !is_number(e));
        e.clone()
    });
    !wrong.into_inner()
}

/// Whether every variable has a name in a text.
fn has_words(e: &Expr) -> bool {
    let wordless = |v: &Variable| matches!(v, Variable::Arbitrary(..) | Variable::Entry(_));
    e.find_variable(&wordless).is_none()
}

/// An invariant without parts that follow from others at once, that would not be read, or that nobody reads for their number.
fn in_few_parts(context: &Context, invariant: &Expr) -> Expr {
    let mut parts = Vec::new();
    conjuncts(invariant, &mut parts);
    let follows = |part: &Expr| match part {
        Expr::Binary(Binary::Or, _, b) => parts.contains(b),
        _ => false,
    };
    let is_read = |part: &Expr| context.check_formula(part).is_ok() && has_words(part);
    let kept = parts
        .iter()
        .enumerate()
        .filter(|(at, part)| !follows(part) && !parts[..*at].contains(part) && is_read(part));
    Expr::all(kept.map(|(_, part)| part.clone()).take(MOST_PARTS).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written for so many loops over one index with these invariants.
    fn lines(loops: usize, invariants: &[i64]) -> Vec<String> {
        let body = "for i in 0..2 {\ns += 1\n}\n".repeat(loops);
        let text = format!(
            "mechanism m(x: real)\ns = 0\n{body}y ~ laplace(x + s, 1)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim 1"
        );
        let program = probity_lang::load_text(&text).unwrap();
        let context = Context::new(&program.mechanism, Orientation::Forward).unwrap();
        let name = Name::new("i");
        let line = |bound: &i64| Line::Invariant(&name, Expr::cost().le(Expr::int(*bound)));
        written(&context, &invariants.iter().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn loops_of_one_name_have_one_invariant_or_one_each() {
        let said = |bound: i64| format!("invariant i: cost <= {bound}");
        assert_eq!(lines(3, &[1, 2, 3]), [said(1), said(2), said(3)]);
        assert_eq!(lines(3, &[1, 1, 1]), [said(1)]);
        assert_eq!(lines(3, &[1, 1, 2]), [said(1), said(1), said(2)]);
        // A text that was rewritten, and one with more loops than lines are shown.
        assert_eq!(lines(2, &[1, 2, 3]), [said(1)]);
        let many: Vec<i64> = (0..14).collect();
        assert_eq!(lines(14, &many), [said(0)]);
        assert!(lines(0, &[1]).is_empty());
    }

    #[test]
    fn what_would_not_be_read_is_left_out() {
        let text = "mechanism m(q: real[])\nparam eps > 0\ns = 0\nfor i in 0..length(q) {\ns += q[i]\n}\ny ~ laplace(s, 1 / eps)\n\
                    return y\nneighbours one entry of q differs by at most 1\nclaim eps";
        let program = probity_lang::load_text(text).unwrap();
        let context = Context::new(&program.mechanism, Orientation::Forward).unwrap();
        let (i, y, t) = (Name::new("i"), Name::new("y"), Name::new("t"));
        let unread = [
            Expr::Var(Variable::Arbitrary(y.clone(), 0)).le(Expr::int(1)),
            Expr::var("made_up").le(Expr::int(1)),
            Expr::var("eps"),
        ];
        let invariant = Expr::all([Expr::cost().le(Expr::int(0))].into_iter().chain(unread.clone()));
        let shift = |by: &Expr| Box::new(Coupling::Shift { by: by.clone(), cost: Expr::int(0) });
        let tail = Expr::of("s", probity_kernel::expr::Run::First);
        let mut all = vec![Line::Invariant(&i, invariant), Line::Couple(&t, Box::new(Coupling::Null), None)];
        all.extend([&unread[0], &unread[1]].map(|by| Line::Couple(&y, shift(by), None)));
        all.push(Line::Couple(&y, shift(&Expr::int(2)), Some(&tail)));
        all.push(Line::Couple(&y, shift(&Expr::int(1)), None));
        let expected = ["invariant i: cost <= 0", "couple y: shift by 1 at cost 0"];
        assert_eq!(written(&context, &all), expected);
    }
}
