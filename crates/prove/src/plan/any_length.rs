//! A text with a long loop between two numbers, as one that runs to a parameter: to rehearse that takes a few rounds, and what is
//! found for it is a plan for the text with the number put back.

use probity_exact::Rational;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::term::{Mechanism, Param, Sort, Statement};

use crate::algebra::number;
use crate::derivation::Move;
use crate::plan::rewrites::new_name;

/// With more rounds than this a loop is long.
const MANY_ROUNDS: i64 = 8;

/// The text with a parameter for how far its longest loops go, and that number.
pub(crate) struct AnyLength {
    pub(crate) mechanism: Mechanism,
    name: Name,
    rounds: Expr,
}

impl AnyLength {
    /// The text, if it has a long loop that begins at a number and ends at one.
    pub(crate) fn of(mechanism: &Mechanism) -> Option<AnyLength> {
        let mut longest: Option<Rational> = None;
        for_each_loop(&mechanism.body, &mut |to| {
            if let Some(n) = number(to).filter(|n| longest.as_ref().is_none_or(|known| n > known)) {
                longest = Some(n);
            }
        });
        let longest = longest.filter(|n| *n > Rational::from(MANY_ROUNDS))?;
        let (name, rounds) = (new_name(mechanism, "rounds")?, Expr::Number(longest));
        let mut general = mechanism.clone();
        general.params.push(Param { name: name.clone(), sort: Sort::Int });
        general.assumptions.push(Expr::int(1).le(Expr::var(name.clone())));
        general.body = lengthened(&mechanism.body, &rounds, &name);
        Some(AnyLength { mechanism: general, name, rounds })
    }

    /// Moves for the text with the parameter as moves for the text itself.
    pub(crate) fn with_number(&self, moves: &[Move]) -> Vec<Move> {
        let put_back = |e: &Expr| {
            e.replace(&|v| (*v == Variable::Plain(self.name.clone())).then(|| self.rounds.clone()))
        };
        moves.iter().map(|step| step.map(&put_back)).collect()
    }
}

fn for_each_loop(body: &[Statement], see: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::For { from, to, body, .. } => {
                if number(from).is_some() {
                    see(to);
                }
                for_each_loop(body, see);
            }
            Statement::While { body, .. } => for_each_loop(body, see),
            Statement::If { then, otherwise, .. } => {
                for_each_loop(then, see);
                for_each_loop(otherwise, see);
            }
            _ => {}
        }
    }
}

/// The statements with the parameter in the place of the number where a loop ends.
fn lengthened(body: &[Statement], rounds: &Expr, name: &Name) -> Vec<Statement> {
    let all = |body: &[Statement]| lengthened(body, rounds, name);
    let one = |statement: &Statement| match statement {
        Statement::For { index, from, to, body } => {
            let to = if to == rounds { Expr::var(name.clone()) } else { to.clone() };
            Statement::For { index: index.clone(), from: from.clone(), to, body: all(body) }
        }
        Statement::While { label, guard, body } => {
            Statement::While { label: label.clone(), guard: guard.clone(), body: all(body) }
        }
        Statement::If { guard, then, otherwise } => {
            Statement::If { guard: guard.clone(), then: all(then), otherwise: all(otherwise) }
        }
        other => other.clone(),
    };
    body.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(to: i64) -> Mechanism {
        let body = vec![Statement::Assign { var: "s".into(), value: Expr::var("i") }];
        Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![],
            assumptions: vec![],
            body: vec![Statement::For { index: "i".into(), from: Expr::int(0), to: Expr::int(to), body }],
            output: Expr::int(0),
            adjacency: vec![],
        }
    }

    #[test]
    fn a_long_loop_gets_a_parameter_which_becomes_its_number_again() {
        let general = AnyLength::of(&counting(120)).unwrap();
        let [Statement::For { to, .. }] = general.mechanism.body.as_slice() else { panic!() };
        assert_eq!(*to, Expr::var("rounds_0"));
        assert_eq!(general.mechanism.params.len(), 1);
        let bound = |to: Expr| vec![Move::Assert(Expr::var("i").le(to))];
        assert_eq!(general.with_number(&bound(to.clone())), bound(Expr::int(120)));
        assert!(AnyLength::of(&counting(8)).is_none());
    }
}
