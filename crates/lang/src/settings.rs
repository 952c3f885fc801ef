//! Values for parameters: `eps=1` on a command line turns a symbolic program into one about numbers.
//!
//! ```
//! use probity_lang::{Setting, load_text};
//! let program = load_text(
//!     "mechanism laplace(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / eps)\nreturn y\n\
//!      neighbours abs(x' - x) <= 1\nclaim eps",
//! )
//! .unwrap();
//! let half = program.with(&["eps=0.5".parse::<Setting>().unwrap()]).unwrap();
//! assert_eq!(half.claim.epsilon.to_string(), "1/2");
//! assert!(program.with(&["eps=-1".parse::<Setting>().unwrap()]).is_err());
//! ```

use std::fmt;
use std::str::FromStr;

use probity_exact::{Rational, parse_rational};
use probity_kernel::expr::{Expr, Name, Unary, Variable};
use probity_kernel::term::{Adjacency, Coupling, Distribution, Sort, Statement};

use crate::Program;
use crate::constant::{Constant, constant};
use crate::diagnostic::quoted;
use crate::names::nearest;

/// A value for one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: Rational,
}

/// Why a setting cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingError {
    /// The text is not `name=number`.
    Malformed {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The mechanism has no parameter of this name.
    UnknownParameter {
        /// The name that was given.
        name: String,
        /// The parameters that it has.
        allowed: Vec<String>,
    },
    /// A parameter was given two values.
    Repeated {
        /// The parameter.
        name: String,
    },
    /// An integer parameter was given a fraction.
    NotAnInteger {
        /// The parameter.
        name: String,
        /// The value that was given.
        value: Rational,
    },
    /// The values break an assumption of the mechanism.
    AssumptionFails {
        /// The assumption, as the mechanism states it.
        assumption: String,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingError::Malformed { text, reason } => {
                write!(f, "{} sets no parameter: {reason}; expected a form such as eps=1/2", quoted(text))
            }
            SettingError::UnknownParameter { name, allowed } => {
                write!(f, "the mechanism has no parameter {}; ", quoted(name))?;
                match nearest(name, allowed.iter().map(String::as_str)) {
                    Some(near) => write!(f, "did you mean `{near}`?"),
                    None if allowed.is_empty() => write!(f, "it has none"),
                    None => write!(f, "expected one of {}", allowed.join(", ")),
                }
            }
            SettingError::Repeated { name } => {
                write!(f, "the parameter `{name}` is set twice; expected one value")
            }
            SettingError::NotAnInteger { name, value } => {
                write!(f, "the parameter `{name}` is an integer; expected one, found {value}")
            }
            SettingError::AssumptionFails { assumption } => {
                write!(f, "the mechanism is defined where {assumption}; expected values for which this holds")
            }
        }
    }
}

impl std::error::Error for SettingError {}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Setting, SettingError> {
        let malformed = |reason: String| SettingError::Malformed { text: text.to_string(), reason };
        let Some((name, value)) = text.split_once('=') else {
            return Err(malformed("it has no `=`".into()));
        };
        if name.trim().is_empty() {
            return Err(malformed("it names none".into()));
        }
        let value = parse_rational(value).map_err(|error| malformed(error.to_string()))?;
        Ok(Setting { name: name.trim().to_string(), value })
    }
}

impl Program {
    /// This program with values for some of its parameters, which are then parameters no more. Assumptions that
    /// the values decide are checked and left out; the others stay.
    pub fn with(&self, settings: &[Setting]) -> Result<Program, SettingError> {
        let params = &self.mechanism.params;
        for (position, setting) in settings.iter().enumerate() {
            let Some(param) = params.iter().find(|p| p.name.as_str() == setting.name) else {
                let allowed = params.iter().map(|p| p.name.to_string()).collect();
                return Err(SettingError::UnknownParameter { name: setting.name.clone(), allowed });
            };
            if settings[..position].iter().any(|earlier| earlier.name == setting.name) {
                return Err(SettingError::Repeated { name: setting.name.clone() });
            }
            if param.sort == Sort::Int && !setting.value.is_int() {
                let (name, value) = (setting.name.clone(), setting.value.clone());
                return Err(SettingError::NotAnInteger { name, value });
            }
        }
        let mut program = self.clone();
        program.substitute(settings)?;
        Ok(program)
    }

    fn substitute(&mut self, settings: &[Setting]) -> Result<(), SettingError> {
        let value_of = |name: &Name| settings.iter().find(|s| s.name == name.as_str());
        let replace = |variable: &Variable| match variable {
            Variable::Plain(name) => value_of(name).map(|s| Expr::Number(s.value.clone())),
            _ => None,
        };
        let put = |expr: &mut Expr| *expr = folded(&expr.replace(&replace));

        let mechanism = &mut self.mechanism;
        let mut assumptions = Vec::new();
        for assumption in &mechanism.assumptions {
            let mut settled = assumption.clone();
            put(&mut settled);
            match constant(&settled) {
                Some(Constant::Bool(true)) => {}
                Some(_) => return Err(SettingError::AssumptionFails { assumption: assumption.to_string() }),
                None => assumptions.push(settled),
            }
        }
        mechanism.assumptions = assumptions;
        let is_set: Vec<bool> = mechanism.params.iter().map(|p| value_of(&p.name).is_some()).collect();
        let mut flags = is_set.iter();
        mechanism.params.retain(|_| !flags.next().copied().unwrap_or(false));
        let mut flags = is_set.iter();
        self.spans.params.retain(|_| !flags.next().copied().unwrap_or(false));
        for input in &mut mechanism.inputs {
            in_sort(&mut input.sort, &put);
        }
        in_statements(&mut mechanism.body, &put);
        put(&mut mechanism.output);
        for clause in &mut mechanism.adjacency {
            match clause {
                Adjacency::Related(relation) => put(relation),
                Adjacency::EveryEntry { bound, .. }
                | Adjacency::EveryEntryGrows { bound, .. }
                | Adjacency::Norm { bound, .. }
                | Adjacency::OneEntryOf { bound, .. }
                | Adjacency::OneEntry { bound, .. } => put(bound),
                Adjacency::Rows { most, .. } => put(most),
                Adjacency::OneRow { .. } | Adjacency::RowReplaced { .. } => {}
            }
        }
        put(&mut self.claim.epsilon);
        put(&mut self.claim.delta);
        if let Some(hints) = &mut self.hints {
            hints.couplings.iter_mut().for_each(|(_, coupling)| in_coupling(coupling, &put));
            hints.tails.iter_mut().for_each(|(_, tail)| put(tail));
            hints.invariants.iter_mut().for_each(|(_, invariant)| put(invariant));
        }
        Ok(())
    }
}

fn in_sort(sort: &mut Sort, put: &impl Fn(&mut Expr)) {
    match sort {
        Sort::Category { count } => put(count),
        Sort::Rows(fields) => fields.iter_mut().for_each(|field| in_sort(&mut field.sort, put)),
        _ => {}
    }
}

fn in_statements(body: &mut [Statement], put: &impl Fn(&mut Expr)) {
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => in_law(law, put),
            Statement::Assign { value, .. } | Statement::Append { value, .. } => put(value),
            Statement::If { guard, then, otherwise } => {
                put(guard);
                in_statements(then, put);
                in_statements(otherwise, put);
            }
            Statement::For { from, to, body, .. } => {
                put(from);
                put(to);
                in_statements(body, put);
            }
            Statement::While { guard, body, .. } => {
                put(guard);
                in_statements(body, put);
            }
        }
    }
}

fn in_law(law: &mut Distribution, put: &impl Fn(&mut Expr)) {
    let parts: Vec<&mut Expr> = match law {
        Distribution::Uniform | Distribution::Sign => vec![],
        Distribution::Bernoulli(p) => vec![p],
        Distribution::UniformInt { low, high } => vec![low, high],
        Distribution::UniformOther { value, count } => vec![value, count],
        Distribution::Response { value, truth, count } => vec![value, truth, count],
        // The scores are a list, which no parameter is.
        Distribution::Choose { scale, .. } | Distribution::PermuteAndFlip { scale, .. } => vec![scale],
        // Nor is a table.
        Distribution::Sample { rate, .. } => vec![rate],
        Distribution::Called(called) => called.inputs.iter_mut().chain(&mut called.params).collect(),
        Distribution::Laplace { center, scale }
        | Distribution::DiscreteLaplace { center, scale }
        | Distribution::Gumbel { center, scale } => {
            vec![center, scale]
        }
        Distribution::Gaussian { center, deviation }
        | Distribution::DiscreteGaussian { center, deviation } => {
            vec![center, deviation]
        }
        Distribution::Exponential { scale } | Distribution::Geometric { scale } => vec![scale],
    };
    parts.into_iter().for_each(put);
}

fn in_coupling(coupling: &mut Coupling, put: &impl Fn(&mut Expr)) {
    let parts: Vec<&mut Expr> = match coupling {
        Coupling::Null => vec![],
        Coupling::Shift { by, cost } | Coupling::SignedLog { by, cost } => vec![by, cost],
        Coupling::Select { threshold, above, below, .. } => {
            vec![threshold, &mut above.0, &mut above.1, &mut below.0, &mut below.1]
        }
        Coupling::Scale { cost } => vec![cost],
        Coupling::Equal { distance, cost } => vec![distance, cost],
        Coupling::Chosen { low, high, cost } => vec![low, high, cost],
        Coupling::SameValue { ratio } => vec![&mut ratio.0, &mut ratio.1],
    };
    parts.into_iter().for_each(put);
}

/// The expression with `-(3)` as the number −3, as a text that says `-3` has it.
fn folded(expr: &Expr) -> Expr {
    let whole = expr.map_parts(&mut folded);
    match &whole {
        Expr::Unary(Unary::Neg, a) => match &**a {
            Expr::Number(n) => Expr::Number(-n.clone()),
            _ => whole,
        },
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        crate::load_text(
            "mechanism m(c: category(n))\nparam n: int >= 2\nparam p >= 1 / n\nwhere p < 1\n\
             y ~ response(c, p, n)\nreturn y\nneighbours any\nclaim ln(p * (n - 1) / (1 - p))\n\
             proof {\ncouple y: same value at cost ln(p * (n - 1) / (1 - p))\n}",
        )
        .unwrap()
    }

    fn set(texts: &[&str]) -> Result<Program, SettingError> {
        let settings: Result<Vec<Setting>, _> = texts.iter().map(|text| text.parse()).collect();
        program().with(&settings?)
    }

    #[test]
    fn values_are_put_in_everywhere() {
        let settled = set(&["n=3", "p=1/2"]).unwrap();
        assert!(settled.mechanism.params.is_empty() && settled.mechanism.assumptions.is_empty());
        assert_eq!(settled.spans.params.len(), 0);
        let shown = format!("{} {} {:?}", settled.mechanism, settled.claim, settled.hints);
        assert!(shown.contains("response(c, 1/2, 3)"), "{shown}");
        assert!(!shown.contains("Plain(Name(\"n\"))") && !shown.contains("Plain(Name(\"p\"))"), "{shown}");
        let partly = set(&["n=3"]).unwrap();
        assert_eq!(partly.mechanism.params.len(), 1);
        assert_eq!(partly.mechanism.assumptions.len(), 2);
    }

    #[test]
    fn values_outside_the_assumptions_are_refused() {
        for texts in [&["n=1"][..], &["p=1"], &["n=3", "p=1/4"], &["n=3", "p=0.3333333333333333"]] {
            assert!(matches!(set(texts), Err(SettingError::AssumptionFails { .. })), "{texts:?}");
        }
        assert!(set(&["n=3", "p=1/3"]).is_ok());
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        assert!(matches!(set(&["n"]), Err(SettingError::Malformed { .. })));
        assert!(matches!(set(&["n=two"]), Err(SettingError::Malformed { .. })));
        assert!(matches!(set(&["m=2"]), Err(SettingError::UnknownParameter { .. })));
        assert!(matches!(set(&["n=2", "n=3"]), Err(SettingError::Repeated { .. })));
        assert!(matches!(set(&["n=5/2"]), Err(SettingError::NotAnInteger { .. })));
    }
}
