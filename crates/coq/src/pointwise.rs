//! PW-EQ: a derivation for each output (`proofs/Outcomes.v::j_pointwise`).
//!
//! The rule sums over the outputs, so a text also shows that the program is countably additive: `enc` reads a memory of reals as the program's variables, and
//! `program_additive` goes along the program with a lemma of `proofs/Memory.v` for each statement. Reals are drawn there with parameters that no draw has
//! changed; what is computed is made of the functions that the tactic `readable` has a lemma for.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use probity_kernel::context::{Context, Orientation};
use probity_kernel::entail::Evidence;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_kernel::kind::Kind;
use probity_kernel::privacy::{Comparison, goal, obligation, start};
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Claim, Distribution, Statement};

use super::NotExported;
use super::derivation::{Walk, braces, rejected};
use super::print::{Printer, Scope, argument};
use super::statement::Statements;
use probity_prove::derivation::Move;

type Printed = Result<String, NotExported>;

fn refused<T>(what: impl Into<String>) -> Result<T, NotExported> {
    Err(NotExported::new(what))
}

/// The memory of a program, and that the program is countably additive on its tests.
pub(super) fn additive(statements: &Statements<'_>) -> Printed {
    let mut out = memory(statements)?;
    let arguments = format!("{}{}", statements.params(), statements.lengths());
    let binders = format!("{}{}", statements.param_binders(), statements.length_binders());
    let Outputs { read, .. } = outputs(statements.printer.context)?;
    let _ = write!(
        out,
        "Lemma program_additive {binders}: @add inputs vars enc (program{arguments}).\nProof.\n  unfold program.\n{}Qed.\n\
         Lemma output_read {binders}: forall i r, exists g, bm g /\\ forall x, g x = true <-> output{arguments} i (enc x) = r.\n\
         Proof.\n  intros i r; refine (@{read} (fun x => output{arguments} i (enc x)) r _); unfold output, enc; reduce; readable.\nQed.\n\n",
        block(statements, &statements.mechanism().body)?
    );
    Ok(out)
}

/// How a variable is read from its cell, and what the cell holds for a value.
fn reading(sort: &str, cell: String, value: &str) -> Result<(String, String), NotExported> {
    Ok(match sort {
        "R" => (format!("({cell})"), value.into()),
        "Z" => (format!("(Zfloor ({cell}))"), format!("(IZR {value})")),
        "bool" => (format!("(ltR 0 ({cell}))"), format!("(if {value} then 1 else 0)")),
        _ => return refused("PW-EQ for a program with a list"),
    })
}

fn memory(statements: &Statements<'_>) -> Printed {
    let variables = &statements.variables;
    let mut read = String::new();
    let mut names = String::new();
    let mut cells = String::new();
    for (n, (name, sort)) in variables.iter().enumerate() {
        let value = format!("y_{name}");
        let (from, held) = reading(sort, format!("cell x {n}"), &value)?;
        let _ = write!(read, " {from}");
        let _ = write!(names, " {value}");
        let _ = write!(cells, "{n}%nat => {held} | ");
    }
    let mut out = format!(
        "(* the variables as cells of a memory, and that the program is countably additive *)\n\
         Definition enc (x : store) : vars := Vars{read}.\n\
         Lemma held : forall v : vars, exists x : store, enc x = v.\n\
         Proof.\n  intros v; destruct v as [{}]; exists (fun n : nat => match n with {cells}_ => 0 end).\n  \
         unfold enc, cell; rewrite ?Zfloor_IZR, ?flag; reflexivity.\nQed.\n",
        names.trim()
    );
    let fields: String = variables.iter().map(|(name, _)| format!(" v_{name}")).collect();
    for (n, (name, sort)) in variables.iter().enumerate() {
        let (_, held) = reading(sort, String::new(), "y")?;
        let _ = writeln!(
            out,
            "Lemma enc_{name} (x : store) (y : {sort}) : enc (with_ x {n} {held}) = put_{name} (enc x) y.\n\
             Proof. unfold enc, put_{name}, cell, with_; cbn [Nat.eqb{fields}]; rewrite ?Zfloor_IZR, ?flag; reflexivity. Qed."
        );
    }
    out.push_str("Ltac shown := intros i; cbv beta; unfold enc; reduce; readable.\n\n");
    Ok(out)
}

fn block(statements: &Statements<'_>, body: &[Statement]) -> Printed {
    let Some((statement, rest)) = body.split_first() else {
        return Ok("apply a_skip.\n".into());
    };
    let (here, later) = (step(statements, statement)?, block(statements, rest)?);
    Ok(format!("apply a_seq.\n{}", braces(&here, &later)))
}

/// That one statement is countably additive.
fn step(statements: &Statements<'_>, statement: &Statement) -> Printed {
    let place = |name: &Name| {
        let found = statements.variables.iter().position(|(n, _)| n == name);
        found.ok_or_else(|| NotExported::new(format!("the variable {name}")))
    };
    match statement {
        Statement::Assign { var, value } => {
            let n = place(var)?;
            readable(value)?;
            let (rule, value) = match statements.variables[n].1.as_str() {
                "R" => ("a_setR", statements.printer.real(value, Scope::Program)?),
                "Z" => ("a_setZ", statements.printer.int(value, Scope::Program)?),
                _ => ("a_setB", statements.printer.formula(value, Scope::Program)?),
            };
            Ok(format!(
                "refine (@{rule} inputs vars enc {n} put_{var} (fun i v => {value}) enc_{var} _); shown.\n"
            ))
        }
        Statement::Draw { var, law } => draw(statements, var, place(var)?, law),
        Statement::If { guard, then, otherwise } => {
            readable(guard)?;
            let guard = statements.printer.formula(guard, Scope::Program)?;
            let (then, otherwise) = (block(statements, then)?, block(statements, otherwise)?);
            let branches = braces(&then, &otherwise);
            Ok(format!(
                "refine (@a_if inputs vars enc (fun i v => {guard}) _ _ _ _ _); [shown| |].\n{branches}"
            ))
        }
        Statement::For { index, body, .. } => {
            Ok(format!("apply a_for; intros x_{index}; cbv beta.\n{}", block(statements, body)?))
        }
        Statement::Append { .. } => refused("PW-EQ for a program with a list"),
        Statement::While { .. } => Err(NotExported::rule("WHILE")),
    }
}

fn draw(statements: &Statements<'_>, var: &Name, n: usize, law: &Distribution) -> Printed {
    let fixed = |e: &Expr| -> Printed {
        let set =
            |v: &Variable| matches!(v, Variable::Plain(name) if statements.variables().any(|n| n == name));
        if e.find_variable(&set).is_some() {
            return refused("PW-EQ for a draw whose parameters are computed by the program");
        }
        Ok(format!("(fun i => {})", argument(statements.printer.real(e, Scope::Program)?)))
    };
    let (rule, parameters) = match law {
        Distribution::Laplace { center, scale } => {
            ("a_laplace", format!("{} {}", fixed(center)?, fixed(scale)?))
        }
        Distribution::Exponential { scale } => ("a_exponential", fixed(scale)?),
        Distribution::Uniform => ("a_uniform", String::new()),
        _ => return refused(format!("PW-EQ for the law of '{law}'")),
    };
    Ok(format!(
        "{}.\n",
        format!("exact (@{rule} inputs vars enc held {n} put_{var} enc_{var} {parameters}")
            .trim_end()
            .to_string()
            + ")"
    ))
}

/// That the tactic `readable` has a lemma for every function of an expression; what no variable occurs in is a constant to it.
fn readable(e: &Expr) -> Result<(), NotExported> {
    let all = |parts: &[&Expr]| parts.iter().try_for_each(|part| readable(part));
    match e {
        Expr::Var(_) | Expr::Number(_) | Expr::Bool(_) => Ok(()),
        Expr::Unary(Unary::Neg | Unary::Abs | Unary::Floor | Unary::Ln | Unary::Exp | Unary::Not, a) => {
            all(&[a])
        }
        Expr::Binary(Binary::RoundTo | Binary::Mod, ..) => refused(format!("'{e}' in a program with PW-EQ")),
        Expr::Binary(_, a, b) => all(&[a, b]),
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => all(&[a, b, c]),
        // An entry of an input at an index of a loop.
        Expr::Index(_, index) => all(&[index]),
        Expr::Length(_) => Ok(()),
        _ => refused(format!("'{e}' in a program with PW-EQ")),
    }
}

/// One orientation of the adjacency, as a section that ends in a theorem about two runs with fixed inputs.
pub(super) fn side(
    context: &Arc<Context>,
    claim: &Claim,
    moves: &[Move],
    evidence: &mut std::vec::IntoIter<Evidence>,
) -> Printed {
    let forward = context.orientation() == Orientation::Forward;
    let (title, prefix) = if forward { ("forward", "f") } else { ("backward", "b") };
    let statements = Statements::new(context)?;
    let (hypotheses, facts) = statements.hypotheses(prefix)?;
    let mut out = format!("Section {title}_.\n{hypotheses}");
    let mut walk = Walk::new(context, evidence, prefix, facts);
    for name in walk.positive() {
        let _ = writeln!(out, "{}", statements.positive(name)?);
    }
    let wanted = goal(context, claim, Comparison::Pointwise);
    let post = Assertion::new(context, wanted.clone()).map_err(rejected)?;
    let proved = walk.block(&context.mechanism().body, moves, &post, &BTreeSet::new())?;
    if *proved.judgement.delta() != Expr::int(0) {
        return Err(NotExported::rule("UP-TO-BAD"));
    }
    let (begins, _) = walk.entail(&[&start()], &obligation(&proved.judgement, claim))?;
    let Outputs { sort, type_, any, not, reach, .. } = outputs(context)?;
    let printer = Printer::new(context);
    let printed = printer.formula(&wanted, Scope::Runs)?;
    let delta = argument(printer.real(&claim.delta, Scope::Runs)?);
    let arguments = format!("{}{}", statements.params(), statements.lengths());
    let _ = write!(
        out,
        "\nSection at_.\nVariable result : {sort}.\n{}Lemma {title}_at (w1 w2 : vars) :\n  \
         (exists P, J i1 i2 0 (program{arguments}) P (fun _ v v' k => {printed}) /\\\n    \
         forall a v v' k, eqR k 0 = true -> P a v v' k = true) /\\ 0 <= {delta}.\nProof.\n  split.\n  {{\n    \
         unfold program; eexists; split.\n    {{\n{}    }}\n    \
         intros a v v' k k0; destruct (and_true _ _ ({begins} a v v' k k0)) as [b _]; bridge b.\n  }}\n  \
         destruct (and_true _ _ ({begins} arb0 w1 w2 0 zero_start)) as [_ d]; apply leRP; exact d.\nQed.\nEnd at_.\n\n",
        walk.lemmas,
        proved.script.lines().map(|line| format!("      {line}\n")).collect::<String>(),
    );
    let _ = write!(
        out,
        "Theorem {title} (w1 w2 : vars) :\n  {}.\nProof.\n  \
         refine (@j_pointwise inputs vars i1 i2 enc {type_} {} _ _ _ (fun result v v' k => {printed}) (i1, w1) (i2, w2) eq_refl eq_refl\n    \
         _ (proj2 ({title}_at {any} w1 w2)) (program_additive{arguments}) (output_read{arguments}) (fun r => proj1 ({title}_at r w1 w2))).\n  \
         {{ intros r v v' k g o; destruct (or_true _ _ g) as [n|h].\n    {{ exfalso; {not}. }}\n    \
         destruct (and_true _ _ h) as [s c]; split; [{reach}|apply leRP; exact c]. }}\nQed.\nEnd {title}_.\n\n",
        statements.conclusion(claim, "(i1, w1)", "(i2, w2)")?,
        statements.output_function(),
    );
    Ok(out)
}

/// What a text says of outputs of one sort.
struct Outputs {
    sort: &'static str,
    type_: &'static str,
    any: &'static str,
    read: &'static str,
    not: &'static str,
    reach: &'static str,
}

fn outputs(context: &Context) -> Result<Outputs, NotExported> {
    match context.kind(&context.mechanism().output) {
        Kind::Int => Ok(Outputs {
            sort: "Z",
            type_: "intO",
            any: "0%Z",
            read: "out_int",
            not: "apply not_true, eqRN in n; apply n; rewrite <- o; unfold output; push; reflexivity",
            reach: "apply eq_IZR; unfold output; push; exact (proj1 (eqRP _ _) s)",
        }),
        Kind::Bool => Ok(Outputs {
            sort: "bool",
            type_: "boolO",
            any: "true",
            read: "out_bool",
            not: "apply not_true in n; rewrite <- o in n; unfold output in n; rewrite Bool.eqb_reflx in n; discriminate n",
            reach: "exact (Bool.eqb_prop _ _ s)",
        }),
        _ => refused("PW-EQ for outputs that are no integers or booleans"),
    }
}
