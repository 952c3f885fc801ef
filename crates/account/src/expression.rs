//! The little language of compositions: `poisson(1/100, gaussian(11/10)) * 1000 + pure(1/2)`.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }            one factor is a law, the others are whole numbers
//! factor  = name "(" argument { "," argument } ")" | number | name | "(" sum ")" | "-" factor
//! ```
//! Numbers are exact and may be computed: `256/60000`, `1e-5`, `2*(1 - 1/4)`. A name that is no law is a free parameter.
//! Reading never decides anything about privacy; it says where a text is at fault.

mod reader;
mod runs;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Natural, Rational, UnsignedAbs};

use crate::model::{Composition, Law};
use reader::{Argument, Node, Span, Tree};

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// The place in the text: bytes from and to.
    pub span: (usize, usize),
    /// What to do, where that is known.
    pub hint: Option<String>,
}

impl Fault {
    fn new(message: impl Into<String>, span: (usize, usize)) -> Fault {
        Fault { message: message.into(), span, hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// The text with a mark below the place, for people.
    pub fn shown(&self, text: &str) -> String {
        let from = self.span.0.min(text.len());
        let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let before = text.get(start..from).unwrap_or_default().chars().count();
        let to = self.span.1.clamp(from, start + line.len());
        let marks = text.get(from..to).map_or(1, |part| part.chars().count()).max(1);
        // A long line is cut around the place.
        let skip = before.saturating_sub(60);
        // What would move the marks, or more, is one mark of its own.
        let plain = |c: char| if disturbs(c) { '\u{fffd}' } else { c };
        let shown: String = line.chars().skip(skip).take(100).map(plain).collect();
        let marks = "^".repeat(marks.min(100 - (before - skip).min(99)));
        format!("{shown}\n{}{marks}", " ".repeat(before - skip))
    }
}

/// Characters that change how a terminal shows others: controls, and marks of the direction of text.
fn disturbs(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.span.0 + 1)
    }
}

/// A mechanism file that stands in an expression, with values for its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The file.
    pub path: String,
    /// Its parameters.
    pub settings: Vec<(String, Rational)>,
    /// Whether it is run on a sample: `poisson(q, text(…))`.
    pub on_a_sample: bool,
}

/// What a mechanism file guarantees: (ε, δ), or why nothing is known.
pub type Theorems<'a> = &'a dyn Fn(&Text) -> Result<Law, String>;

/// A composition as written, with free names.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    tree: Tree,
}

/// The laws, each with its arguments.
const LAWS: [(&str, &str); 12] = [
    ("gaussian", "gaussian(sigma, sensitivity = 1)"),
    ("laplace", "laplace(scale, sensitivity = 1)"),
    ("discrete_laplace", "discrete_laplace(scale, sensitivity = 1)"),
    ("discrete_gaussian", "discrete_gaussian(sigma, sensitivity = 1)"),
    ("response", "response(k, p)"),
    ("pure", "pure(epsilon)"),
    ("approx", "approx(epsilon, delta)"),
    ("rho", "rho(rho)"),
    ("mu", "mu(mu)"),
    ("poisson", "poisson(q, law)"),
    ("group", "group(k, law)"),
    ("text", "text(\"file.dp\", eps = 1)"),
];

fn known_laws() -> String {
    let names: Vec<&str> = LAWS.iter().map(|(name, _)| *name).collect();
    format!("the laws are {}", names.join(", "))
}

/// A value: a number, or laws.
enum Value {
    Number(Rational),
    Laws(Composition),
}

/// What names stand for, and what files guarantee.
struct Meaning<'a> {
    /// The text, of which names are parts.
    text: &'a str,
    names: &'a BTreeMap<String, Rational>,
    theorems: Theorems<'a>,
    /// Whether what is being evaluated stands inside `poisson(q, …)`.
    on_a_sample: Cell<bool>,
}

impl Expression {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Expression, Fault> {
        Ok(Expression { text: text.to_owned(), tree: reader::read(text)? })
    }

    /// The names that have no value yet, each once.
    pub fn free_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(&self.tree, &self.text, &mut names);
        names
    }

    /// The composition, with values for the free names.
    pub fn evaluate(
        &self,
        names: &BTreeMap<String, Rational>,
        theorems: Theorems,
    ) -> Result<Composition, Fault> {
        let meaning = Meaning { text: &self.text, names, theorems, on_a_sample: Cell::new(false) };
        match evaluate(&self.tree, &meaning)? {
            Value::Laws(laws) => Ok(laws),
            Value::Number(_) => {
                Err(Fault::new("this is a number, and a law is wanted", self.tree.span).hint(known_laws()))
            }
        }
    }

    /// The laws of those terms of the sum in which a free name does not stand: they are run whatever its value is.
    pub fn without(
        &self,
        name: &str,
        names: &BTreeMap<String, Rational>,
        theorems: Theorems,
    ) -> Result<Composition, Fault> {
        let meaning = Meaning { text: &self.text, names, theorems, on_a_sample: Cell::new(false) };
        terms_without(name, &self.tree, &meaning)
    }
}

/// The laws among the terms of a sum in which a name does not stand.
fn terms_without(name: &str, tree: &Tree, meaning: &Meaning) -> Result<Composition, Fault> {
    let mut names = Vec::new();
    collect(tree, meaning.text, &mut names);
    let mut found = Composition::default();
    if !names.iter().any(|known| known == name) {
        if let Value::Laws(laws) = evaluate(tree, meaning)? {
            found = laws;
        }
    } else if let Node::Sum(operands) = &tree.node {
        for (_, operand) in operands {
            found.parts.extend(terms_without(name, operand, meaning)?.parts);
        }
    }
    Ok(found)
}

fn part(text: &str, span: Span) -> &str {
    &text[span.0..span.1]
}

fn collect(tree: &Tree, text: &str, names: &mut Vec<String>) {
    match &tree.node {
        Node::Name => {
            let name = part(text, tree.span);
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Node::Number(_) | Node::Text | Node::Pures(_) => {}
        Node::Call { arguments, .. } => {
            arguments.iter().for_each(|argument| collect(&argument.value, text, names));
        }
        Node::Sum(operands) | Node::Product(operands) => {
            operands.iter().for_each(|(_, tree)| collect(tree, text, names));
        }
        Node::Negative(tree) => collect(tree, text, names),
    }
}

fn number(tree: &Tree, meaning: &Meaning) -> Result<Rational, Fault> {
    match evaluate(tree, meaning)? {
        Value::Number(number) => Ok(number),
        Value::Laws(_) => Err(Fault::new("this is a law, and a number is wanted", tree.span)),
    }
}

fn evaluate(tree: &Tree, meaning: &Meaning) -> Result<Value, Fault> {
    let fault = |message: &str| Fault::new(message, tree.span);
    match &tree.node {
        Node::Number(number) => Ok(Value::Number(number.clone())),
        Node::Text => Err(fault("a text in quotes stands only in text(\"file.dp\", …)")),
        Node::Name => {
            let name = part(meaning.text, tree.span);
            if let Some(value) = meaning.names.get(name) {
                return Ok(Value::Number(value.clone()));
            }
            Err(match LAWS.iter().find(|(law, _)| *law == name) {
                Some((_, form)) => {
                    fault(&format!("the law {name} has no arguments here")).hint(format!("write {form}"))
                }
                None => fault(&format!("{name} has no value")).hint(format!(
                    "give it one with --set {name}=VALUE, or ask for it with --target-epsilon; {}",
                    known_laws()
                )),
            })
        }
        Node::Negative(inner) => Ok(Value::Number(-number(inner, meaning)?)),
        Node::Pures(losses) => Ok(Value::Laws(pures(losses))),
        Node::Sum(operands) => sum(tree, operands, meaning),
        Node::Product(operands) => product(operands, meaning),
        Node::Call { name, arguments } => call(tree, *name, arguments, meaning),
    }
}

/// Pure guarantees, with room for what is added to them.
fn pures(losses: &[Rational]) -> Composition {
    let mut parts = Vec::with_capacity(losses.len() + 8);
    parts.extend(
        losses.iter().map(|loss| (Law::Approximate { epsilon: loss.clone(), delta: Rational::ZERO }, 1)),
    );
    Composition { parts }
}

fn sum(tree: &Tree, operands: &[(bool, Tree)], meaning: &Meaning) -> Result<Value, Fault> {
    let mut laws: Option<Composition> = None;
    let mut total = Rational::ZERO;
    for (position, (negative, operand)) in operands.iter().enumerate() {
        match (evaluate(operand, meaning)?, &mut laws) {
            (Value::Laws(_), _) if *negative => {
                return Err(Fault::new(
                    "what was released cannot be taken back: laws are added with '+' only",
                    operand.span,
                ));
            }
            (Value::Laws(mut more), None) if position == 0 => {
                more.parts.reserve(operands.len() - 1);
                laws = Some(more);
            }
            (Value::Laws(more), Some(laws)) => laws.parts.extend(more.parts),
            (Value::Number(number), None) => {
                if *negative {
                    total -= number
                } else {
                    total += number
                }
            }
            _ => {
                return Err(Fault::new("a law and a number cannot be added", tree.span)
                    .hint("copies are written law * 10"));
            }
        }
    }
    Ok(laws.map_or(Value::Number(total), Value::Laws))
}

fn product(operands: &[(bool, Tree)], meaning: &Meaning) -> Result<Value, Fault> {
    let mut laws: Option<Composition> = None;
    let mut factor = Rational::ONE;
    let mut place = (0, 0);
    for (inverse, operand) in operands {
        match evaluate(operand, meaning)? {
            Value::Laws(_) if *inverse => {
                return Err(Fault::new("nothing can be divided by a law", operand.span));
            }
            Value::Laws(_) if laws.is_some() => {
                return Err(Fault::new("laws are composed with '+'; '*' counts copies", operand.span)
                    .hint("write law + law, or law * 10"));
            }
            Value::Laws(found) => laws = Some(found),
            Value::Number(number) => {
                place = operand.span;
                if *inverse && number.is_zero() {
                    return Err(Fault::new("a division by 0", operand.span));
                }
                factor *= if *inverse { Rational::ONE / number } else { number };
            }
        }
    }
    let Some(mut laws) = laws else { return Ok(Value::Number(factor)) };
    let count = count(&factor, place)?;
    for (_, copies) in &mut laws.parts {
        *copies =
            copies.checked_mul(count).ok_or_else(|| Fault::new("there are more than 2^64 copies", place))?;
    }
    Ok(Value::Laws(laws))
}

fn count(number: &Rational, place: (usize, usize)) -> Result<u64, Fault> {
    let whole = number.is_int().then(|| u64::try_from(number.floor()).ok()).flatten();
    whole.ok_or_else(|| {
        Fault::new(
            format!("{number} is no number of copies: it must be whole, at least 0 and less than 2^64"),
            place,
        )
    })
}

/// The arguments of a law: so many in order, and the sensitivity by name where it has one.
struct Arguments<'a> {
    ordered: Vec<&'a Tree>,
    sensitivity: Option<&'a Tree>,
}

fn arguments<'a>(tree: &Tree, name: &str, given: &'a [Argument], text: &str) -> Result<Arguments<'a>, Fault> {
    let form = LAWS.iter().find(|(law, _)| *law == name).map_or("", |(_, form)| form);
    let (wanted, has_sensitivity) = match name {
        "gaussian" | "laplace" | "discrete_laplace" | "discrete_gaussian" => (1, true),
        "pure" | "rho" | "mu" => (1, false),
        _ => (2, false),
    };
    let mut ordered = Vec::with_capacity(given.len());
    let mut sensitivity = None;
    for Argument { name: named, value: tree } in given {
        match named.map(|span| part(text, span)) {
            None => ordered.push(tree),
            Some("sensitivity") if has_sensitivity && sensitivity.is_none() => sensitivity = Some(tree),
            Some(other) => {
                return Err(Fault::new(
                    format!("{name} has no argument '{other}' (or has it already)"),
                    tree.span,
                )
                .hint(format!("write {form}")));
            }
        }
    }
    if ordered.len() != wanted {
        let message = format!(
            "{name} takes {wanted} argument{}, found {}",
            if wanted == 1 { "" } else { "s" },
            ordered.len()
        );
        return Err(Fault::new(message, tree.span).hint(format!("write {form}")));
    }
    Ok(Arguments { ordered, sensitivity })
}

fn call(tree: &Tree, place: Span, given: &[Argument], meaning: &Meaning) -> Result<Value, Fault> {
    let name = part(meaning.text, place);
    if name == "text" {
        return text(tree, given, meaning);
    }
    if !LAWS.iter().any(|(law, _)| *law == name) {
        return Err(Fault::new(format!("there is no law '{name}'"), place).hint(known_laws()));
    }
    let arguments = arguments(tree, name, given, meaning.text)?;
    let at = |k: usize| number(arguments.ordered[k], meaning);
    let span = |k: usize| arguments.ordered[k].span;
    let check = |k: usize, what: &str, allowed: fn(&Rational) -> bool, rule: &str| {
        let value = at(k)?;
        match allowed(&value) {
            true => Ok(value),
            false => Err(Fault::new(format!("{value} is not allowed here: {what} {rule}"), span(k))),
        }
    };
    let positive = |k: usize, what: &str| check(k, what, |x| *x > Rational::ZERO, "must be more than 0");
    let not_negative = |k: usize, what: &str| check(k, what, |x| *x >= Rational::ZERO, "must be at least 0");
    let probability = |k: usize, what: &str| {
        check(k, what, |x| *x >= Rational::ZERO && *x <= Rational::ONE, "lies between 0 and 1")
    };
    let sensitivity = || match arguments.sensitivity {
        None => Ok(Rational::ONE),
        Some(tree) => {
            let value = number(tree, meaning)?;
            match value > Rational::ZERO {
                true => Ok(value),
                false => Err(Fault::new(format!("the sensitivity {value} must be more than 0"), tree.span)),
            }
        }
    };
    let whole_sensitivity = || {
        let value = sensitivity()?;
        let place = arguments.sensitivity.map_or(tree.span, |tree| tree.span);
        let whole = value.is_int().then(|| u64::try_from(value.floor()).ok()).flatten();
        whole.ok_or_else(|| {
            Fault::new(format!("integer noise needs a whole sensitivity, found {value}"), place)
        })
    };
    let inner = |k: usize| match evaluate(arguments.ordered[k], meaning)? {
        Value::Laws(laws) => Ok(Box::new(laws)),
        Value::Number(_) => {
            Err(Fault::new("this is a number, and a law is wanted", span(k)).hint(known_laws()))
        }
    };
    let law = match name {
        "gaussian" => {
            Law::Gaussian { sigma: positive(0, "a standard deviation")?, sensitivity: sensitivity()? }
        }
        "laplace" => Law::Laplace { scale: positive(0, "a scale")?, sensitivity: sensitivity()? },
        "discrete_laplace" => {
            Law::DiscreteLaplace { scale: positive(0, "a scale")?, sensitivity: whole_sensitivity()? }
        }
        "discrete_gaussian" => Law::DiscreteGaussian {
            sigma: positive(0, "the parameter sigma")?,
            sensitivity: whole_sensitivity()?,
        },
        "response" => {
            let categories = at(0)?;
            let whole = categories.is_int() && categories >= Rational::from(2);
            if !whole {
                let message =
                    format!("{categories} is no number of categories: it must be whole and at least 2");
                return Err(Fault::new(message, span(0)));
            }
            let categories: Natural = categories.floor().unsigned_abs();
            let truth = probability(1, "a probability")?;
            let fair = Rational::ONE / Rational::from(categories.clone());
            if truth < fair || truth == Rational::ONE {
                let message = format!(
                    "{truth} is not allowed here: the truth is told with a probability of at least 1/{categories} and less than 1"
                );
                return Err(Fault::new(message, span(1)));
            }
            Law::Response { categories, truth }
        }
        "pure" => Law::Approximate { epsilon: not_negative(0, "epsilon")?, delta: Rational::ZERO },
        "approx" => {
            let below_one = |x: &Rational| *x >= Rational::ZERO && *x < Rational::ONE;
            let delta = check(1, "delta", below_one, "is at least 0 and less than 1")?;
            Law::Approximate { epsilon: not_negative(0, "epsilon")?, delta }
        }
        "rho" => Law::Concentrated { rho: not_negative(0, "rho")? },
        "mu" => Law::Mu { mu: not_negative(0, "mu")? },
        "poisson" => {
            let rate = probability(0, "a sampling probability")?;
            let outside = meaning.on_a_sample.replace(true);
            let law = inner(1);
            meaning.on_a_sample.set(outside);
            Law::Poisson { rate, law: law? }
        }
        _ => {
            let size = at(0)?;
            let whole = size.is_int().then(|| u32::try_from(size.floor()).ok()).flatten();
            let size = whole.filter(|k| (1..=1000).contains(k)).ok_or_else(|| {
                Fault::new(format!("{size} is no size of a group: it must be whole, from 1 to 1000"), span(0))
            })?;
            Law::Group { size, law: inner(1)? }
        }
    };
    Ok(Value::Laws(Composition { parts: vec![(law, 1)] }))
}

fn text(tree: &Tree, given: &[Argument], meaning: &Meaning) -> Result<Value, Fault> {
    let form = "write text(\"file.dp\", eps = 1)";
    let Some(Argument { name: None, value: Tree { node: Node::Text, span: quoted } }) = given.first() else {
        return Err(Fault::new("text takes the name of a mechanism file in quotes", tree.span).hint(form));
    };
    let mut settings = Vec::new();
    for Argument { name, value } in &given[1..] {
        let Some(name) = name else {
            return Err(Fault::new("a parameter of a text is set by its name", value.span).hint(form));
        };
        settings.push((part(meaning.text, *name).to_owned(), number(value, meaning)?));
    }
    let path = part(meaning.text, (quoted.0 + 1, quoted.1 - 1)).to_owned();
    let law = (meaning.theorems)(&Text { path, settings, on_a_sample: meaning.on_a_sample.get() })
        .map_err(|reason| Fault::new(reason, tree.span))?;
    Ok(Value::Laws(Composition { parts: vec![(law, 1)] }))
}
