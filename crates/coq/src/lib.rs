//! Certificates as Coq: the theorem and its derivation, for `coqc` with the development in `proofs/` and nothing of Rust.
//!
//! What is printed is the mechanism as a program of `proofs/Certificate.v`, the theorem, and a proof: a rule for each statement, a lemma for each side
//! condition, whose script is the kernel's evidence. Nobody has to believe this module: Coq reads the statement and checks the proof. What has no
//! rule in `proofs/Certificate.v` is refused with the name of the rule.
//!
//! ```
//! let program = probity_lang::load_text(
//!     "mechanism noisy(x: real)
//!      param eps > 0
//!      y ~ laplace(x, 1 / eps)
//!      return y
//!      neighbours abs(x' - x) <= 1
//!      claim eps",
//! )
//! .unwrap();
//! let proof = probity_prove::prove(&program.mechanism, &program.claim, &Default::default()).unwrap();
//! let text = probity_coq::export(&probity_prove::certificate::write(&proof)).unwrap();
//! assert!(text.contains("Theorem noisy_private"));
//! ```

#![forbid(unsafe_code)]

mod branches;
mod calls;
mod derivation;
mod evidence;
mod grouped;
mod pairs;
mod pointwise;
mod print;
mod program;
mod sampled;
mod statement;
mod up_to;

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

use probity_kernel::concentrated::Measure;
use probity_kernel::context::{Context, Orientation};
use probity_kernel::conversion::{Conversion, normal_tail, tail};
use probity_kernel::entail::{Evidence, check_entailment};
use probity_kernel::kind::Kind;
use probity_kernel::privacy::{Comparison, goal, obligation, start};
use probity_kernel::rules::Assertion;
use probity_kernel::term::{Adjacency, Claim, Mechanism, Reading};

use derivation::{Walk, rejected};
use print::{Printer, Scope};
use probity_prove::certificate::{self, Fault, Parts};
use probity_prove::derivation::{Move, Plan};
use statement::{Statements, opening};

/// Why a certificate has no Coq text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotExported {
    /// The certificate itself is rejected.
    Rejected(Fault),
    /// It is accepted, and uses what is not exported.
    Beyond(String),
}

impl NotExported {
    fn new(what: impl Into<String>) -> NotExported {
        NotExported::Beyond(what.into())
    }

    fn rule(name: &str) -> NotExported {
        NotExported::Beyond(format!("rule {name}"))
    }
}

impl fmt::Display for NotExported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotExported::Rejected(fault) => write!(f, "{fault}"),
            NotExported::Beyond(what) => write!(f, "not exported: {what}"),
        }
    }
}

impl std::error::Error for NotExported {}

/// The Coq text of a certificate: the theorem, and its proof.
pub fn export(text: &str) -> Result<String, NotExported> {
    // What the kernel does not accept is not worth printing.
    certificate::check(text).map_err(NotExported::Rejected)?;
    let parts = certificate::parts(text).map_err(NotExported::Rejected)?;
    let Parts::Derivation { mechanism, claim, plan, evidence } = parts else {
        return Err(NotExported::rule("THRESHOLD"));
    };
    if let [Adjacency::Rows { table, most }] = &mechanism.adjacency[..]
        && plan.sampled.is_none()
    {
        return grouped::export(&mechanism, &claim, (table, most), &plan, evidence);
    }
    match plan.sampled.as_deref() {
        Some(share) => sampled::export(&mechanism, &claim, share, &plan, evidence),
        None => {
            let text = derived(&mechanism, &claim, &plan, (evidence, false))?;
            Ok(opening(&mechanism, &claim, in_mu(&claim, &plan)) + &text)
        }
    }
}

/// Whether what the moves of a plan prove is a claim in μ.
fn in_mu(claim: &Claim, plan: &Plan) -> bool {
    plan.through.as_deref().map_or(claim.reading, |(shown, _)| shown.reading) == Reading::Mu
}

/// The theorem of a derivation, and its proof; of one that is called also what a call needs.
fn derived(
    mechanism: &Mechanism,
    claim: &Claim,
    plan: &Plan,
    (evidence, called): (Vec<Evidence>, bool),
) -> Result<String, NotExported> {
    if plan.foresight.is_some() {
        return Err(NotExported::rule("FORESEE"));
    }
    // What the moves prove, and how the claim follows from it.
    let (shown, conversion) = match plan.through.as_deref() {
        None => (claim.clone(), None),
        Some((_, Conversion::Normal)) => return Err(NotExported::rule("GDP-NORMAL")),
        Some((_, Conversion::Order(_))) => return Err(NotExported::rule("ZCDP-ORDER")),
        Some((shown, conversion)) => (shown.clone(), Some(conversion)),
    };
    if matches!(shown.reading, Reading::Binary { .. }) {
        return Err(NotExported::new("claims about binary arithmetic"));
    }
    let measure = Measure::of(shown.reading);
    if mechanism.adjacency.iter().any(|clause| matches!(clause, Adjacency::Rows { .. })) {
        return Err(NotExported::rule("GROUP"));
    }
    let branches = branches::branches(mechanism, plan)?;
    let (pair, proved) = match &branches {
        Some(branches) => (None, branches.proved(mechanism)),
        None => pairs::pair(mechanism, plan)?,
    };
    if called && pair.is_some() {
        return Err(NotExported::rule("CALL of a claim about Borel sets"));
    }
    let pointwise = plan.comparison == Comparison::Pointwise;
    if pointwise && (pair.is_some() || branches.is_some() || conversion.is_some()) {
        return Err(NotExported::rule("PW-EQ"));
    }
    let context = context(&proved, Orientation::Forward, measure)?;
    let claimed = self::context(mechanism, Orientation::Forward, measure)?;
    let mut statements = Statements::new(&context)?;
    let mut of_claim = Statements::new(&claimed)?;
    if let Some(pair) = &pair {
        pairs::check_kinds(&claimed, pair)?;
    }
    if branches.is_some() && claim.reading != Reading::Reals {
        return Err(NotExported::new("a rewritten program with a claim in rho or mu"));
    }
    if let Some(branches) = &branches {
        of_claim = of_claim.with(&branches.variables()?);
    }
    if pair.is_some() || branches.is_some() {
        of_claim = of_claim.with(&statements.variables);
        statements = statements.with(&of_claim.variables);
        statements.suffix = "_proved";
    }
    let mut evidence = evidence.into_iter();
    let mut proofs = String::new();
    let mut sides = Vec::new();
    for (orientation, moves) in &plan.sides {
        let context = self::context(&proved, *orientation, measure)?;
        sides.push(*orientation);
        if pointwise {
            proofs.push_str(&pointwise::side(&context, claim, moves, &mut evidence)?);
            continue;
        }
        let claims = Claims { shown: &shown, claim, conversion };
        proofs.push_str(&side(&context, claims, (moves, statements.suffix), &mut evidence)?);
    }
    let mut out = calls::modules(mechanism, plan)?;
    out.push_str(&of_claim.setting()?);
    if let Some(pair) = &pair {
        out.push_str(&statements.definitions(&pair.program(&statements)?)?);
        out.push_str(&pair.same_law(&of_claim, &statements)?);
    }
    if let Some(branches) = &branches {
        out.push_str(&statements.definitions(&statements.program_of(&proved.body)?)?);
        out.push_str(&branches.same_law(&of_claim)?);
    }
    if pointwise || called {
        out.push_str(&pointwise::additive(&of_claim)?);
    }
    if called {
        out.push_str(&of_claim.start());
    }
    out.push_str(&proofs);
    out.push_str(&statements.theorem(claim, &sides)?);
    if pair.is_some() {
        out.push_str(&of_claim.borel_theorem(claim)?);
    }
    if branches.is_some() {
        out.push_str(&of_claim.law_theorem(claim)?);
    }
    Ok(out)
}

fn context(
    mechanism: &Mechanism,
    orientation: Orientation,
    measure: Measure,
) -> Result<Arc<Context>, NotExported> {
    Context::measured(mechanism, orientation, measure).map(Arc::new).map_err(rejected)
}

/// What the moves prove, what is claimed, and how that follows where these are not the same.
#[derive(Clone, Copy)]
struct Claims<'a> {
    shown: &'a Claim,
    claim: &'a Claim,
    conversion: Option<&'a Conversion>,
}

/// One orientation of the adjacency, as a section that ends in a theorem about two runs with fixed inputs.
fn side(
    context: &Arc<Context>,
    Claims { shown, claim, conversion }: Claims<'_>,
    (moves, suffix): (&[Move], &'static str),
    evidence: &mut std::vec::IntoIter<Evidence>,
) -> Result<String, NotExported> {
    let forward = context.orientation() == Orientation::Forward;
    let (title, prefix) = if forward { ("forward", "f") } else { ("backward", "b") };
    let mut statements = Statements::new(context)?;
    statements.suffix = suffix;
    let (hypotheses, facts) = statements.hypotheses(prefix)?;
    let mut out = format!("Section {title}_.\n{hypotheses}");
    let mut walk = Walk::new(context, evidence, prefix, facts);
    walk.normal = shown.reading == Reading::Mu;
    for name in walk.positive() {
        let _ = writeln!(out, "{}", statements.positive(name)?);
    }
    let wanted = goal(context, shown, Comparison::Equal);
    let post = Assertion::new(context, wanted.clone()).map_err(rejected)?;
    let body = &context.mechanism().body;
    let proved = walk.block(body, moves, &post, &BTreeSet::new())?;
    let (begins, _) = walk.entail(&[&start()], &obligation(&proved.judgement, shown))?;
    let printer = Printer::new(context);
    let reach = match context.kind(&context.mechanism().output) {
        Kind::Real => "exact (proj1 (eqRP _ _) o)".into(),
        Kind::Int => format!("apply eq_IZR; unfold output{suffix}; push; exact (proj1 (eqRP _ _) o)"),
        Kind::Bool => "exact (Bool.eqb_prop _ _ o)".into(),
        _ => String::from("exact (proj1 (sameP _ _) o)"),
    };
    let conclusion = statements.conclusion(claim, "(i1, w1)", "(i2, w2)")?;
    let delta = format!(
        "{{ destruct (and_true _ _ ({begins} arb0 w1 w2 0 zero_start)) as [_ d]; apply leRP; exact d. }}\n  "
    );
    let (rule, unknown, delta) = match shown.reading {
        Reading::Rho => ("zj_private", "_ _".to_string(), String::new()),
        Reading::Mu => ("mj_private", "_ _".to_string(), String::new()),
        _ if up_to::exact(&proved.judgement) => ("j_private", "_ _ _".to_string(), delta),
        _ => {
            let given_up = printer.real(proved.judgement.delta(), Scope::Runs)?;
            ("j_private_up_to", format!("_ _ ({given_up}) _"), delta)
        }
    };
    // ZCDP-TAIL or GDP-TAIL, with the facts of this orientation.
    let (needed, evidence) = match conversion {
        Some(Conversion::Tail(evidence)) => (Some(tail(shown, claim)), Some(evidence)),
        Some(Conversion::NormalTail(evidence)) => (Some(normal_tail(shown, claim)), Some(evidence)),
        _ => (None, None),
    };
    let converted = match (needed, evidence) {
        (Some(needed), Some(evidence)) => {
            check_entailment(context, &[], &needed, evidence).map_err(rejected)?;
            let lemma = walk.lemma(&[], &needed, evidence)?;
            let amount = printer.real(&shown.epsilon, Scope::Runs)?;
            let rule = match (conversion, shown.reading) {
                (Some(Conversion::NormalTail(_)), _) => "mj_tail (inputs * vars)",
                (_, Reading::Mu) => "mj_order_tail (inputs * vars)",
                _ => "zj_tail inputs vars",
            };
            format!("refine (@{rule} _ _ _ ({amount}) _ _ _ _ ({lemma} arb0 w1 w2 0) _).\n  ")
        }
        _ => String::new(),
    };
    let output = statements.output_function();
    // What the goal says of the cost; in mu also that the amount is not negative.
    let within = match shown.reading {
        Reading::Mu => "destruct (and_true _ _ c) as [n l]; split; apply leRP; assumption",
        _ => "apply leRP; exact c",
    };
    let given = if delta.is_empty() { "_ _" } else { "_ _ _" };
    let proof = format!(
        "{converted}refine (@{rule} inputs vars i1 i2 _ {output} {unknown} (fun v v' k => {}) (i1, w1) (i2, w2) eq_refl eq_refl {given}).\n  \
         {{ intros v v' k g; destruct (and_true _ _ g) as [o c]; split; [{reach}|{within}]. }}\n  \
         {delta}unfold program{suffix}; eexists; split.\n  {{\n{}  }}\n  \
         intros a v v' k k0; destruct (and_true _ _ ({begins} a v v' k k0)) as [b _]; bridge b.\n",
        printer.formula(&wanted, Scope::Runs)?,
        proved.script.lines().map(|line| format!("    {line}\n")).collect::<String>(),
    );
    let _ = write!(
        out,
        "\n{}Theorem {title} (w1 w2 : vars) :\n  {conclusion}.\nProof.\n  {proof}Qed.\nEnd {title}_.\n\n",
        walk.lemmas,
    );
    Ok(out)
}
