//! Builds derivations for the kernel to check, and prints them: as text, in the paper's symbols and in numbers,
//! and as HTML.

use std::fmt::Write;

use probity_exact::Format;
use probity_kernel::float::derivation::{Bounds, Derivation, Fault, Operation, Rule, check, follow};

use crate::decimal::{DISTINCT, FIGURES, down, up};
use crate::fpcore::Core;
use crate::program::{NodeId, Op, Program};

/// A node with the tightest claim that its rule gives.
///
/// ```
/// use probity_exact::{Format, fraction};
/// use probity_float::derive::{node, text};
/// use probity_kernel::float::derivation::Rule;
/// let var = Rule::Var { name: "u".into(), low: fraction::<1, 4>(), high: fraction::<1, 2>(), exact: true };
/// let u = node(var, vec![], Format::BINARY64).unwrap();
/// let ln = node(Rule::Ln, vec![u], Format::BINARY64).unwrap();
/// assert!(text(&ln).contains("LN"));
/// assert!(probity_kernel::float::derivation::check(&ln, Format::BINARY64).is_ok());
/// ```
pub fn node(rule: Rule, premises: Vec<Derivation>, format: Format) -> Result<Derivation, Fault> {
    let claims: Vec<&Bounds> = premises.iter().map(|premise| &premise.bounds).collect();
    let bounds = follow(&rule, &claims, format)?;
    Ok(Derivation { rule, premises, bounds })
}

/// Why a computation has no derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Underivable {
    /// It has several ways through, several formats, or irrational constants.
    Shape(&'static str),
    /// An input has no range.
    Input(String),
    /// An operation may be undefined.
    Operation(String),
    /// The tree would have too many nodes.
    Size,
}

impl std::fmt::Display for Underivable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Underivable::Shape(what) => write!(f, "derivations do not cover {what}"),
            Underivable::Input(name) => write!(f, "the input '{name}' has no range"),
            Underivable::Operation(what) => write!(f, "{what} may be undefined or overflow"),
            Underivable::Size => {
                write!(f, "the derivation would have more than 5000 nodes, or be deeper than 400")
            }
        }
    }
}

/// Nodes of a tree beyond which none is built: a tree repeats what a program shares.
const MAX_NODES: usize = 5_000;

/// Nodes on a way from the root to a leaf beyond which no tree is built; the kernel's limit is 500.
const MAX_DEPTH: usize = 400;

/// The derivation of a straight-line computation.
pub fn derive(core: &Core, exact_inputs: bool) -> Result<Derivation, Underivable> {
    let [path] = core.paths.as_slice() else {
        return Err(Underivable::Shape("several ways through an `if`"));
    };
    let format = core.program.nodes()[path.result].format;
    if core.program.nodes().iter().any(|node| node.format != format) {
        return Err(Underivable::Shape("several formats at once"));
    }
    let mut builder = Builder { core, format, exact_inputs, budget: MAX_NODES };
    builder.build(path.result, 0)
}

struct Builder<'a> {
    core: &'a Core,
    format: Format,
    exact_inputs: bool,
    /// Nodes that may still be made.
    budget: usize,
}

impl Builder<'_> {
    fn build(&mut self, id: NodeId, depth: usize) -> Result<Derivation, Underivable> {
        self.budget = self.budget.checked_sub(1).ok_or(Underivable::Size)?;
        if depth > MAX_DEPTH {
            return Err(Underivable::Size);
        }
        let rule = self.rule(id)?;
        let mut premises = Vec::new();
        for argument in self.core.program.nodes()[id].op.arguments() {
            premises.push(self.build(argument, depth + 1)?);
        }
        let undefined = |_| Underivable::Operation(rendered(&self.core.program, id, self.core));
        node(rule, premises, self.format).map_err(undefined)
    }

    fn rule(&self, id: NodeId) -> Result<Rule, Underivable> {
        Ok(match &self.core.program.nodes()[id].op {
            Op::Constant(c) if c.low == c.high => Rule::Const(c.low.clone()),
            Op::Constant(_) => return Err(Underivable::Shape("irrational constants")),
            Op::Input(i) => {
                let input = &self.core.inputs[*i];
                match (&input.low, &input.high) {
                    (Some(low), Some(high)) => Rule::Var {
                        name: input.name.clone(),
                        low: low.clone(),
                        high: high.clone(),
                        exact: self.exact_inputs,
                    },
                    _ => return Err(Underivable::Input(input.name.clone())),
                }
            }
            Op::Neg(_) => Rule::Neg,
            Op::Abs(_) => Rule::Abs,
            Op::Add(..) => Rule::Op(Operation::Add),
            Op::Sub(..) => Rule::Op(Operation::Sub),
            Op::Mul(..) => Rule::Op(Operation::Mul),
            Op::Div(..) => Rule::Op(Operation::Div),
            Op::Sqrt(_) => Rule::Op(Operation::Sqrt),
            Op::Fma(..) => Rule::Op(Operation::Fma),
            Op::Exp(_) => Rule::Op(Operation::Exp),
            Op::Ln(_) => Rule::Ln,
            Op::Min(..) => Rule::Min,
            Op::Max(..) => Rule::Max,
            Op::Cast(_) => return Err(Underivable::Shape("casts")),
            Op::Trigonometric(..) => return Err(Underivable::Shape("trigonometric functions")),
            Op::Power(..) => return Err(Underivable::Shape("powers")),
        })
    }
}

fn rendered(program: &Program, id: NodeId, core: &Core) -> String {
    let names: Vec<String> = core.inputs.iter().map(|input| input.name.clone()).collect();
    program.render(id, &names)
}

/// The name of a rule, as printed at its node.
pub fn rule_name(rule: &Rule) -> &'static str {
    match rule {
        Rule::Const(_) => "CONST",
        Rule::Var { .. } => "VAR",
        Rule::Op(_) => "OP",
        Rule::Ln => "LN",
        Rule::Neg => "NEG",
        Rule::Abs => "ABS",
        Rule::Min => "MIN",
        Rule::Max => "MAX",
        Rule::Clamp { .. } => "CLAMP",
        Rule::RoundTo { .. } => "ROUND",
        Rule::If => "IF",
    }
}

/// The expression over the reals, the same in floats (circled operations), and the symbolic range of the result
/// in terms of what the premises give.
pub fn symbols(derivation: &Derivation) -> (String, String, String) {
    let parts: Vec<(String, String)> = derivation
        .premises
        .iter()
        .map(|premise| {
            let (real, float, _) = symbols(premise);
            (real, float)
        })
        .collect();
    let infix = |plain: &str, circled: &str| {
        let (x, y) = (&parts[0], &parts[1]);
        (format!("({} {plain} {})", x.0, y.0), format!("({} {circled} {})", x.1, y.1))
    };
    let prefix = |plain: &str, circled: &str| {
        let list = |side: fn(&(String, String)) -> &String| {
            parts.iter().map(|p| side(p).as_str()).collect::<Vec<_>>().join(", ")
        };
        (format!("{plain}({})", list(|p| &p.0)), format!("{circled}({})", list(|p| &p.1)))
    };
    let (real, float) = match &derivation.rule {
        Rule::Const(value) => (value.to_string(), format!("fl({value})")),
        Rule::Var { name, exact, .. } => {
            (name.to_uppercase(), if *exact { name.clone() } else { format!("fl({name})") })
        }
        Rule::Op(Operation::Add) => infix("+", "⊕"),
        Rule::Op(Operation::Sub) => infix("-", "⊖"),
        Rule::Op(Operation::Mul) => infix("×", "⊗"),
        Rule::Op(Operation::Div) => infix("÷", "⊘"),
        Rule::Op(Operation::Fma) => prefix("fma", "Ⓕma"),
        Rule::Op(Operation::Sqrt) => prefix("√", "Ⓢqrt"),
        Rule::Op(Operation::Exp) => prefix("exp", "Ⓔxp"),
        Rule::Ln => prefix("ln", "Ⓛn"),
        Rule::Neg => prefix("-", "-"),
        Rule::Abs => prefix("abs", "abs"),
        Rule::Min => prefix("min", "min"),
        Rule::Max => prefix("max", "max"),
        Rule::Clamp { low, high } => {
            let (x, y) = prefix("clamp", "clamp");
            (format!("{x}[{low}, {high}]"), format!("{y}[{low}, {high}]"))
        }
        Rule::RoundTo { grid } => {
            let (x, y) = prefix("round", "round");
            (format!("{x}[{grid}]"), format!("{y}[{grid}]"))
        }
        Rule::If => prefix("if", "if"),
    };
    let claim = &derivation.bounds;
    let zero = probity_exact::Rational::ZERO;
    let range = match &derivation.rule {
        Rule::Var { exact: true, .. } | Rule::Neg | Rule::Abs | Rule::Min | Rule::Max | Rule::If => {
            "(lo, hi)".into()
        }
        Rule::Clamp { .. } | Rule::RoundTo { .. } => "(lo, hi)".into(),
        // Outward by sign.
        _ if claim.float.0 >= zero => "(lo/(1+η), hi(1+η))".into(),
        _ if claim.float.1 <= zero => "(lo(1+η), hi/(1+η))".into(),
        _ => String::from("(lo(1+η), hi(1+η))"),
    };
    (real, float, range)
}

fn figures(bounds: &Bounds) -> String {
    let (low, high) = (down(&bounds.float.0, DISTINCT), up(&bounds.float.1, DISTINCT));
    let mut line = format!("({low}, {high})  error {}", up(&bounds.absolute, FIGURES));
    if let Some(relative) = &bounds.relative {
        let _ = write!(line, "  relative {}", up(relative, FIGURES));
    }
    line
}

/// A derivation as indented text, conclusions above their premises.
pub fn text(derivation: &Derivation) -> String {
    let mut out = String::new();
    write_text(derivation, 0, &mut out);
    out
}

fn write_text(derivation: &Derivation, depth: usize, out: &mut String) {
    let (real, float, range) = symbols(derivation);
    let indent = "  ".repeat(depth);
    let _ = writeln!(out, "{indent}{:<6} {real} ⇓ {float}, {range}", rule_name(&derivation.rule));
    let _ = writeln!(out, "{indent}       = {}", figures(&derivation.bounds));
    for premise in &derivation.premises {
        write_text(premise, depth + 1, out);
    }
}

/// A derivation as nested HTML lists, with everything escaped.
pub fn html(derivation: &Derivation) -> String {
    let (real, float, range) = symbols(derivation);
    let mut out = format!(
        "<ul class=\"derivation\"><li><b>{}</b> {} &#8659; {}, {}<br><small>{}</small>",
        rule_name(&derivation.rule),
        escape(&real),
        escape(&float),
        escape(&range),
        escape(&figures(&derivation.bounds))
    );
    for premise in &derivation.premises {
        out.push_str(&html(premise));
    }
    out.push_str("</li></ul>");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Has the kernel check a derivation.
pub fn confirmed(derivation: &Derivation, format: Format) -> bool {
    check(derivation, format).is_ok()
}
