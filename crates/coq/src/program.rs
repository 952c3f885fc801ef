//! The mechanism as a program of `proofs/Certificate.v`.

use probity_kernel::context::Context;
use probity_kernel::expr::{Expr, Name, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::law;
use probity_kernel::term::{Distribution, Statement};

use super::NotExported;
use super::print::{Scope, argument};
use super::statement::Statements;

type Printed = Result<String, NotExported>;

impl Statements<'_> {
    pub(super) fn output_type(&self) -> Printed {
        Ok(match (self.printer.context.kind(&self.mechanism().output), &self.mechanism().output) {
            (Kind::Real, _) => "R".into(),
            (Kind::Int, _) => "Z".into(),
            (Kind::Bool, _) => "bool".into(),
            (Kind::List, Expr::Var(Variable::Plain(name))) => {
                let found = self.variables.iter().find(|(n, _)| n == name);
                found
                    .map(|(_, sort)| sort.clone())
                    .ok_or_else(|| NotExported::new("an input list as the output"))?
            }
            _ => return Err(NotExported::new("an output of this sort")),
        })
    }

    /// A program expression, in the type of its kind.
    pub(super) fn value(&self, e: &Expr) -> Printed {
        match self.printer.context.kind(e) {
            Kind::Real => self.printer.real(e, Scope::Program),
            Kind::Int => self.printer.int(e, Scope::Program),
            Kind::Bool => self.printer.formula(e, Scope::Program),
            _ => self.printer.list(e, Scope::Program),
        }
    }

    /// A program expression for a place of the given type.
    fn value_as(&self, e: &Expr, sort: &str) -> Printed {
        match sort {
            "R" => self.printer.real(e, Scope::Program),
            _ => self.value(e),
        }
    }

    /// What an assignment to a variable of the program sets it to.
    pub(super) fn assigned(&self, var: &Name, value: &Expr) -> Printed {
        let sort = self.variables.iter().find(|(n, _)| n == var).map(|(_, sort)| sort.as_str());
        self.value_as(value, sort.unwrap_or_default())
    }

    pub(super) fn block(&self, body: &[Statement], depth: usize) -> Printed {
        let space = "  ".repeat(depth);
        let Some((statement, rest)) = body.split_first() else {
            return Ok(format!("{space}(skip_ inputs vars)"));
        };
        let first = self.statement(statement, depth + 1)?;
        Ok(format!("{space}(seq_\n{first}\n{})", self.block(rest, depth)?))
    }

    pub(super) fn statement(&self, statement: &Statement, depth: usize) -> Printed {
        let space = "  ".repeat(depth);
        let sort = |name: &Name| {
            let found = self.variables.iter().find(|(n, _)| n == name);
            found.map(|(_, sort)| sort.as_str()).unwrap_or_default()
        };
        let both = "fun (i : inputs) (v : vars) =>";
        Ok(match statement {
            Statement::Draw { var, law } => {
                let (kind, constructor, text) = (law::kind(law), self.law(law)?, sort(var));
                let (draw, wanted) = match kind {
                    Kind::Real => ("draw_", "R"),
                    Kind::Int if matches!(law, Distribution::Called(_)) => ("draw_", "Z"),
                    Kind::Int => ("drawZ_", "Z"),
                    _ => ("draw_", "bool"),
                };
                if text != wanted {
                    return Err(NotExported::new(format!(
                        "the variable {var}, which has values of two sorts"
                    )));
                }
                format!(
                    "{space}({draw} ({both} {constructor}) (fun (v : vars) (y : {wanted}) => put_{var} v y))"
                )
            }
            Statement::Assign { var, value } => {
                format!("{space}(set_ ({both} put_{var} v {}))", argument(self.value_as(value, sort(var))?))
            }
            Statement::Append { list, value } => {
                let entry = sort(list).trim_start_matches("list ");
                let value = argument(self.value_as(value, entry)?);
                format!("{space}(set_ ({both} put_{list} v (append (v_{list} v) {value})))")
            }
            Statement::If { guard, then, otherwise } => format!(
                "{space}(if_ ({both} {})\n{}\n{})",
                self.printer.formula(guard, Scope::Program)?,
                self.block(then, depth + 1)?,
                self.block(otherwise, depth + 1)?
            ),
            Statement::For { index, from, to, body } => format!(
                "{space}(for_ {} {} (fun x_{index} : Z =>\n{}))",
                self.printer.int(from, Scope::Program)?,
                self.printer.int(to, Scope::Program)?,
                self.block(body, depth + 1)?
            ),
            Statement::While { guard, body, .. } => format!(
                "{space}(while_ ({both} {})\n{})",
                self.printer.formula(guard, Scope::Program)?,
                self.block(body, depth + 1)?
            ),
        })
    }

    pub(super) fn law(&self, law: &Distribution) -> Printed {
        let real = |e: &Expr| self.printer.real(e, Scope::Program).map(argument);
        let int = |e: &Expr| self.printer.int(e, Scope::Program);
        Ok(match law {
            Distribution::Laplace { center, scale } => format!("laplace_ {} {}", real(center)?, real(scale)?),
            Distribution::DiscreteLaplace { center, scale } => {
                format!("discrete_laplace_ {} {}", int(center)?, real(scale)?)
            }
            Distribution::Exponential { scale } => format!("exponential_ {}", real(scale)?),
            Distribution::Geometric { scale } => format!("geometric_ {}", real(scale)?),
            Distribution::Uniform => "uniform_".into(),
            Distribution::Bernoulli(p) => format!("bernoulli_ {}", real(p)?),
            Distribution::UniformInt { low, high } => format!("uniform_int_ {} {}", int(low)?, int(high)?),
            Distribution::Response { value, truth, count } => {
                format!("response_ {} {} {}", int(value)?, real(truth)?, int(count)?)
            }
            Distribution::Sign => "sign_".into(),
            Distribution::UniformOther { value, count } => {
                format!("uniform_other_ {} {}", int(value)?, int(count)?)
            }
            Distribution::Gumbel { .. } => {
                return Err(NotExported::new(format!("the law of '{law}'")));
            }
            Distribution::Sample { .. } => return Err(NotExported::rule("AMPLIFY")),
            Distribution::Choose { scores, scale } => {
                format!("choose_ {} {}", self.printer.list(scores, Scope::Program)?, real(scale)?)
            }
            Distribution::PermuteAndFlip { scores, scale } => {
                format!("permute_and_flip_ {} {}", self.printer.list(scores, Scope::Program)?, real(scale)?)
            }
            Distribution::Called(called) => self.printer.called(called)?,
            Distribution::Gaussian { center, deviation } => {
                format!("gaussian_ {} {}", real(center)?, real(deviation)?)
            }
            Distribution::DiscreteGaussian { center, deviation } => {
                format!("discrete_gaussian_ {} {}", int(center)?, real(deviation)?)
            }
        })
    }
}

/// How the masses of a block follow from those of its parts (`proofs/Blocks.v`).
pub(super) const MASSES: &str = "\
Ltac known := match goal with h : ?a |- ?b => constr_eq a b; exact h end.
Ltac sane := repeat match goal with h : @eq bool _ _ |- _ => revert h end; reduce; push; intros; repeat match goal with
  | h : _ && _ = true |- _ => apply and_true in h; destruct h
  | h : ?g = true, h' : negb ?g || _ = true |- _ => rewrite h in h'; cbn [negb orb] in h'
  | h : ?g = false, h' : ?g || _ = true |- _ => rewrite h in h'; cbn [orb] in h'
  end; repeat (apply andb_true_intro; split); first [known|assumption].
Ltac equal := reduce; push; first [match goal with |- ?a = ?b => constr_eq a b; reflexivity end|ring
  | repeat match goal with |- context [if ?b then _ else _] => destruct b end; first [reflexivity|ring]].
Ltac over := match goal with h : _ = true |- _ => revert h end; reduce; push;
  repeat match goal with |- context [if ?b then _ else _] => destruct b end; intros; cbn [negb orb andb] in *; conditions; quotient.
Ltac limits := repeat first [apply o_seq|apply o_if|apply o_skip|apply o_set|apply o_drawZ|apply o_draw]; intros;\n  first [solve [cbv beta in *; intuition congruence]|reduce; intuition congruence].
";

/// The variables that a program sets, each once, in order.
pub(super) fn collect_set(body: &[Statement], names: &mut Vec<Name>) {
    for statement in body {
        match statement {
            Statement::Draw { var: name, .. }
            | Statement::Assign { var: name, .. }
            | Statement::Append { list: name, .. } => {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            Statement::If { then, otherwise, .. } => {
                collect_set(then, names);
                collect_set(otherwise, names);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => collect_set(body, names),
        }
    }
}

/// What the entries of an output list are.
pub(super) fn entries(context: &Context, list: &Name) -> Printed {
    fn collect(context: &Context, list: &Name, body: &[Statement], kinds: &mut Vec<Kind>) {
        for statement in body {
            match statement {
                Statement::Append { list: l, value } if l == list => kinds.push(context.kind(value)),
                Statement::If { then, otherwise, .. } => {
                    collect(context, list, then, kinds);
                    collect(context, list, otherwise, kinds);
                }
                Statement::For { body, .. } | Statement::While { body, .. } => {
                    collect(context, list, body, kinds)
                }
                _ => {}
            }
        }
    }
    let mut kinds = Vec::new();
    collect(context, list, &context.mechanism().body, &mut kinds);
    let number = |kind: &Kind| matches!(kind, Kind::Real | Kind::Int);
    match (kinds.iter().all(number), kinds.iter().all(|kind| *kind == Kind::Bool)) {
        (true, _) => Ok("R".into()),
        (_, true) => Ok("bool".into()),
        _ => Err(NotExported::new(format!("the list {list}, which has entries of two sorts"))),
    }
}
