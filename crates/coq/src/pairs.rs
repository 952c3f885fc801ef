//! A uniform draw and a sign, SIGNED-LOG and LAPLACE-LAW: the program that is proved is another than the one that is claimed.
//!
//! In a text, `program` draws u and s in turn, and `program_proved` draws both at once, or z = s·ln(u) from Laplace's law. Both have the same expectation
//! of a test that is measurable in u (`proofs/Pairs.v`); so the text shows that the released expression is a measurable function, and its
//! theorem is about Borel sets of outputs. What follows the two draws must be assignments of reals.

use std::collections::BTreeSet;
use std::fmt::Write;

use probity_kernel::context::Context;
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::term::{Distribution, Mechanism, Statement};

use super::NotExported;
use super::print::{Scope, argument};
use super::statement::Statements;
use probity_prove::derivation::{Move, Plan};

/// Where the two draws stand, and what is drawn instead.
pub(super) struct Pair {
    /// The place of the uniform draw; the sign is next.
    at: usize,
    uniform: Name,
    sign: Name,
    /// The variable of LAPLACE-LAW; without it both are drawn at once.
    noise: Option<Name>,
}

fn refused<T>(what: &str) -> Result<T, NotExported> {
    Err(NotExported::new(what))
}

/// The pair that a plan is about, and the mechanism that it proves.
pub(super) fn pair(mechanism: &Mechanism, plan: &Plan) -> Result<(Option<Pair>, Mechanism), NotExported> {
    let joint = plan.sides.iter().any(|(_, moves)| moves.iter().any(|m| matches!(m, Move::Joint(..))));
    let (uniform, sign, noise, rewritten) = match (&plan.rewrites[..], joint) {
        ([], false) => return Ok((None, mechanism.clone())),
        ([], true) => {
            let draws = mechanism.body.windows(2).find_map(|two| match two {
                [
                    Statement::Draw { var: u, law: Distribution::Uniform },
                    Statement::Draw { var: s, law: Distribution::Sign },
                ] => Some((u.clone(), s.clone())),
                _ => None,
            });
            let Some((u, s)) = draws else { return refused("SIGNED-LOG inside of a block") };
            (u, s, None, mechanism.clone())
        }
        ([step @ Rewrite::LaplaceLaw { uniform, sign, noise }], false) => {
            let rewritten = step.apply(mechanism).map_err(super::derivation::rejected)?;
            (uniform.clone(), sign.clone(), Some(noise.clone()), rewritten)
        }
        ([Rewrite::LaplaceLaw { .. }, other, ..], _) | ([other, ..], _) => {
            return Err(NotExported::rule(other.name()));
        }
    };
    let draws =
        |statement: &Statement, name: &Name| matches!(statement, Statement::Draw { var, .. } if var == name);
    let at = mechanism
        .body
        .windows(2)
        .position(|two| draws(&two[0], &uniform) && draws(&two[1], &sign))
        .ok_or_else(|| NotExported::new("a uniform draw that the sign does not follow"))?;
    let pair = Pair { at, uniform, sign, noise };
    pair.check(mechanism, &rewritten)?;
    Ok((Some(pair), rewritten))
}

impl Pair {
    /// s·ln(u), as the program has it.
    fn product(&self) -> Expr {
        Expr::var(self.sign.clone()) * Expr::var(self.uniform.clone()).ln()
    }

    /// What follows the draws is made of measurable functions, and the rewritten program has z exactly for s·ln(u).
    fn check(&self, mechanism: &Mechanism, rewritten: &Mechanism) -> Result<(), NotExported> {
        let plain = |statement: &Statement| match statement {
            Statement::Draw { law, .. } => law::kind(law) == Kind::Real,
            Statement::Assign { .. } => true,
            _ => false,
        };
        if !mechanism.body[..self.at].iter().all(plain) {
            return refused("LAPLACE-LAW or SIGNED-LOG after more than assignments and draws of reals");
        }
        let mut random = BTreeSet::from([self.uniform.clone(), self.sign.clone()]);
        let rest = &mechanism.body[self.at + 2..];
        for statement in rest {
            let Statement::Assign { var, value } = statement else {
                return refused("LAPLACE-LAW or SIGNED-LOG before more than assignments");
            };
            if depends(value, &random) {
                random.insert(var.clone());
            }
            measurable(value, &random)?;
        }
        measurable(&mechanism.output, &random)?;
        let Some(noise) = &self.noise else { return Ok(()) };
        let product = self.product();
        let replace = |e: &Expr| e.rewrite(&|part| (*part == product).then(|| Expr::var(noise.clone())));
        let same = |a: &Statement, b: &Statement| match (a, b) {
            (Statement::Assign { var, value }, Statement::Assign { var: v, value: w }) => {
                var == v && replace(value) == *w
            }
            _ => false,
        };
        let later = &rewritten.body[self.at + 1..];
        let exact = rest.len() == later.len() && rest.iter().zip(later).all(|(a, b)| same(a, b));
        if !exact || replace(&mechanism.output) != rewritten.output {
            return refused("LAPLACE-LAW where s * ln(u) is written in another way");
        }
        Ok(())
    }

    /// The program that is proved.
    pub(super) fn program(&self, proved: &Statements<'_>) -> Result<String, NotExported> {
        if self.noise.is_some() {
            return proved.program_of(&proved.mechanism().body);
        }
        let body = &proved.mechanism().body;
        let mut text = String::new();
        for statement in &body[..self.at] {
            let _ = writeln!(text, "  (seq_\n{}", proved.statement(statement, 2)?);
        }
        let Pair { uniform, sign, .. } = self;
        let _ = writeln!(
            text,
            "  (seq_\n    (draw_pair_ inputs (fun (v : vars) (y : R) => put_{uniform} v y) (fun (v : vars) (y : Z) => put_{sign} v y))"
        );
        let _ = write!(text, "{}{}", proved.program_of(&body[self.at + 2..])?, ")".repeat(self.at + 1));
        Ok(text)
    }

    /// The released number from the state `start`, as the program computes it.
    fn released(
        &self,
        statements: &Statements<'_>,
        rest: &[Statement],
        start: &str,
    ) -> Result<String, NotExported> {
        let mut text = format!("let v := {start} in ");
        for statement in rest {
            let Statement::Assign { var, value } = statement else {
                return refused("LAPLACE-LAW or SIGNED-LOG before more than assignments");
            };
            let value = argument(statements.printer.real(value, Scope::Program)?);
            let _ = write!(text, "let v := put_{var} v {value} in ");
        }
        Ok(text + &argument(statements.printer.real(&statements.mechanism().output, Scope::Program)?))
    }

    /// That both programs have the same law.
    pub(super) fn same_law(
        &self,
        claimed: &Statements<'_>,
        proved: &Statements<'_>,
    ) -> Result<String, NotExported> {
        let Pair { at, uniform, sign, noise } = self;
        let arguments = format!("{}{}", claimed.params(), claimed.lengths());
        let rest = &claimed.mechanism().body[at + 2..];
        let drawn = format!("(put_{sign} (put_{uniform} v u) z)");
        let mut out = format!(
            "Lemma same_law {}{}(E : R -> Prop) : borel_set E -> forall m : inputs * vars,\n  \
             wp (program{arguments}) (ind RR (fun s => E (output{arguments} (fst s) (snd s)))) m =\n  \
             wp (program_proved{arguments}) (ind RR (fun s => E (output_proved{arguments} (fst s) (snd s)))) m.\n\
             Proof.\n  intros mE; unfold program, program_proved.\n",
            claimed.param_binders(),
            claimed.length_binders()
        );
        for _ in 0..*at {
            out.push_str("  apply seq_same.\n");
        }
        out.push_str("  intros [i v].\n");
        let put = |name: &Name, sort: &str| format!("(fun (v : vars) (y : {sort}) => put_{name} v y)");
        let (pu, ps) = (put(uniform, "R"), put(sign, "Z"));
        let shown = "unfold output, output_proved; reduce; measurable";
        let measured = |function: &str| format!("refine (@measurable_ind E ({function}) mE _); {shown}.");
        match noise {
            None => {
                let function = format!("fun u : R => {}", self.released(claimed, rest, &drawn)?);
                let _ = write!(
                    out,
                    "  refine (@pair_in_turn inputs vars {pu} {ps} _ _ (i, v) (@ind_ge0 RR _ _) _).\n  intros z; {}\n",
                    measured(&function)
                );
            }
            Some(noise) => {
                let later = &proved.mechanism().body[at + 1..];
                let function =
                    format!("fun z : R => {}", self.released(proved, later, &format!("(put_{noise} v z)"))?);
                let _ = write!(
                    out,
                    "  refine (@pair_laplace inputs vars {pu} {ps} {} _ _ _ _ (i, v) (@ind_ge0 RR _ _) (@ind_ge0 RR _ _) _ _).\n  \
                     {{ intros u z; refine (@same_ind E ({}) ({}) _); reduce; reflexivity. }}\n  {}\n",
                    put(noise, "R"),
                    self.released(claimed, rest, &drawn)?,
                    self.released(proved, later, &format!("(put_{noise} v (IZR z * ln_ u))"))?,
                    measured(&function)
                );
            }
        }
        out.push_str("Qed.\n\n");
        Ok(out)
    }
}

/// Whether an expression changes with one of the names.
fn depends(e: &Expr, names: &BTreeSet<Name>) -> bool {
    e.find_variable(&|v| matches!(v, Variable::Plain(name) if names.contains(name))).is_some()
}

/// That `measurable` of `proofs/Pairs.v` has a lemma for every function between an expression and what is drawn.
fn measurable(e: &Expr, random: &BTreeSet<Name>) -> Result<(), NotExported> {
    if !depends(e, random) {
        return Ok(());
    }
    let all = |parts: &[&Expr]| parts.iter().try_for_each(|part| measurable(part, random));
    match e {
        Expr::Var(_) => Ok(()),
        Expr::Unary(Unary::Neg | Unary::Abs | Unary::Floor | Unary::Ln | Unary::Exp, a) => all(&[a]),
        Expr::Binary(
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Min | Binary::Max,
            a,
            b,
        ) => all(&[a, b]),
        Expr::Binary(Binary::RoundTo, a, b) if !depends(b, random) => all(&[a]),
        Expr::Clamp(a, low, high) => all(&[a, low, high]),
        _ => Err(NotExported::new(format!("'{e}' after a uniform draw"))),
    }
}

/// That the variables after the draws are reals.
pub(super) fn check_kinds(context: &Context, pair: &Pair) -> Result<(), NotExported> {
    let real = |name: &Name| context.kind(&Expr::var(name.clone())) == Kind::Real;
    let assigned = context.mechanism().body[pair.at + 2..].iter().all(|statement| match statement {
        Statement::Assign { var, .. } => real(var),
        _ => false,
    });
    match assigned && context.kind(&context.mechanism().output) == Kind::Real {
        true => Ok(()),
        false => refused("LAPLACE-LAW or SIGNED-LOG for an output that is no real number"),
    }
}
