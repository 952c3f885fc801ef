//! The little language of compositions: `poisson(1/100, gaussian(11/10)) * 1000 + pure(1/2)`.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }            one factor is a law, the others are whole numbers
//! factor  = name "(" argument { "," argument } ")" | number | name | "(" sum ")" | "-" factor
//! ```
//! Numbers are exact and may be computed: `256/60000`, `1e-5`, `2*(1 - 1/4)`. A name that is no law is a free parameter.
//! Reading never decides anything about privacy; it says where a text is at fault.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use probity_exact::{Natural, Rational, UnsignedAbs, parse_rational};

use crate::model::{Composition, Law};

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
        let shown: String = line.chars().skip(skip).take(100).collect();
        let marks = "^".repeat(marks.min(100 - (before - skip).min(99)));
        format!("{shown}\n{}{marks}", " ".repeat(before - skip))
    }
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

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(Rational),
    Name(String),
    Text(String),
    Call { name: String, arguments: Vec<(Option<String>, Tree)> },
    Sum(Vec<(bool, Tree)>),
    Product(Vec<(bool, Tree)>),
    Negative(Box<Tree>),
}

#[derive(Debug, Clone, PartialEq)]
struct Tree {
    node: Node,
    span: (usize, usize),
}

/// A composition as written, with free names.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
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

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(Rational),
    Name(String),
    Text(String),
    Sign(char),
    End,
}

/// A token with its place.
type Placed = (Token, (usize, usize));

fn tokens(text: &str) -> Result<Vec<Placed>, Fault> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let c = text[at..].chars().next().unwrap_or(' ');
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let run = |at: usize, keep: &dyn Fn(char) -> bool| {
            at + text[at..].chars().take_while(|c| keep(*c)).map(char::len_utf8).sum::<usize>()
        };
        let token = if c.is_ascii_digit() || c == '.' {
            at = run(at, &|c| c.is_ascii_digit() || c == '.' || c == '_');
            // An exponent, with its sign.
            if at < bytes.len() && (bytes[at] | 32) == b'e' {
                let signed = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
                if bytes.get(signed).is_some_and(u8::is_ascii_digit) {
                    at = run(signed, &|c| c.is_ascii_digit());
                }
            }
            let number = parse_rational(&text[start..at]);
            Token::Number(number.map_err(|error| Fault::new(error.to_string(), (start, at)))?)
        } else if c.is_alphabetic() || c == '_' {
            at = run(at, &|c| c.is_alphanumeric() || c == '_');
            Token::Name(text[start..at].to_owned())
        } else if c == '"' {
            let Some(end) = text[at + 1..].find('"') else {
                return Err(Fault::new("a text in quotes has no end", (start, text.len())));
            };
            at += end + 2;
            Token::Text(text[start + 1..at - 1].to_owned())
        } else if "+-*/(),=".contains(c) {
            at += 1;
            Token::Sign(c)
        } else {
            let place = (start, start + c.len_utf8());
            return Err(Fault::new(format!("'{c}' has no meaning here"), place)
                .hint("an expression is like poisson(1/100, gaussian(1)) * 1000 + pure(1/2)"));
        };
        found.push((token, (start, at)));
    }
    found.push((Token::End, (text.len(), text.len())));
    Ok(found)
}

/// Parentheses and calls may be nested this deep, so that recursion is safe.
const DEEPEST: usize = 60;

struct Reader {
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> (usize, usize) {
        self.tokens[self.at].1
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn sign(&mut self, c: char) -> bool {
        let here = *self.peek() == Token::Sign(c);
        if here {
            self.take();
        }
        here
    }

    fn expect(&mut self, c: char) -> Result<(), Fault> {
        if self.sign(c) {
            return Ok(());
        }
        Err(Fault::new(format!("a '{c}' is missing before {}", self.described()), self.span()))
    }

    fn described(&self) -> String {
        match self.peek() {
            Token::Number(_) => "this number".into(),
            Token::Name(name) => format!("'{name}'"),
            Token::Text(_) => "this text".into(),
            Token::Sign(c) => format!("'{c}'"),
            Token::End => "the end".into(),
        }
    }

    /// Operands of the same strength, each with whether it is inverted.
    fn chain(
        &mut self,
        plain: char,
        inverted: char,
        operand: fn(&mut Reader) -> Result<Tree, Fault>,
        node: fn(Vec<(bool, Tree)>) -> Node,
    ) -> Result<Tree, Fault> {
        let start = self.span().0;
        let mut operands = vec![(false, operand(self)?)];
        loop {
            let inverse = *self.peek() == Token::Sign(inverted);
            if !inverse && *self.peek() != Token::Sign(plain) {
                break;
            }
            self.take();
            operands.push((inverse, operand(self)?));
        }
        if operands.len() == 1 {
            return Ok(operands.remove(0).1);
        }
        let end = operands[operands.len() - 1].1.span.1;
        Ok(Tree { node: node(operands), span: (start, end) })
    }

    fn sum(&mut self) -> Result<Tree, Fault> {
        self.chain('+', '-', Reader::product, Node::Sum)
    }

    fn product(&mut self) -> Result<Tree, Fault> {
        self.chain('*', '/', Reader::factor, Node::Product)
    }

    fn factor(&mut self) -> Result<Tree, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Fault::new("this is nested too deeply", self.span()));
        }
        let result = self.factor_inside();
        self.depth -= 1;
        result
    }

    fn factor_inside(&mut self) -> Result<Tree, Fault> {
        let span = self.span();
        let described = self.described();
        match self.take() {
            Token::Number(number) => Ok(Tree { node: Node::Number(number), span }),
            Token::Text(text) => Ok(Tree { node: Node::Text(text), span }),
            Token::Sign('-') => {
                let inner = self.factor()?;
                let end = inner.span.1;
                Ok(Tree { node: Node::Negative(Box::new(inner)), span: (span.0, end) })
            }
            Token::Sign('(') => {
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Token::Name(name) => {
                if !self.sign('(') {
                    return Ok(Tree { node: Node::Name(name), span });
                }
                let mut arguments = Vec::new();
                if !self.sign(')') {
                    loop {
                        arguments.push(self.argument()?);
                        if !self.sign(',') {
                            break;
                        }
                    }
                    self.expect(')')?;
                }
                let end = self.tokens[self.at - 1].1.1;
                Ok(Tree { node: Node::Call { name, arguments }, span: (span.0, end) })
            }
            Token::Sign(_) | Token::End => {
                Err(Fault::new(format!("a law or a number is missing before {described}"), span)
                    .hint(known_laws()))
            }
        }
    }

    fn argument(&mut self) -> Result<(Option<String>, Tree), Fault> {
        if let (Token::Name(name), Some((Token::Sign('='), _))) = (self.peek(), self.tokens.get(self.at + 1))
        {
            let name = name.clone();
            self.take();
            self.take();
            return Ok((Some(name), self.sum()?));
        }
        Ok((None, self.sum()?))
    }
}

/// A value: a number, or laws.
enum Value {
    Number(Rational),
    Laws(Composition),
}

/// What names stand for, and what files guarantee.
struct Meaning<'a> {
    names: &'a BTreeMap<String, Rational>,
    theorems: Theorems<'a>,
    /// Whether what is being evaluated stands inside `poisson(q, …)`.
    on_a_sample: Cell<bool>,
}

impl Expression {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Expression, Fault> {
        let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0 };
        let tree = reader.sum()?;
        if *reader.peek() != Token::End {
            let described = reader.described();
            return Err(Fault::new(format!("the expression should end before {described}"), reader.span()));
        }
        Ok(Expression { tree })
    }

    /// The names that have no value yet, each once.
    pub fn free_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(&self.tree, &mut names);
        names
    }

    /// The composition, with values for the free names.
    pub fn evaluate(
        &self,
        names: &BTreeMap<String, Rational>,
        theorems: Theorems,
    ) -> Result<Composition, Fault> {
        match evaluate(&self.tree, &Meaning { names, theorems, on_a_sample: Cell::new(false) })? {
            Value::Laws(laws) => Ok(laws),
            Value::Number(_) => {
                Err(Fault::new("this is a number, and a law is wanted", self.tree.span).hint(known_laws()))
            }
        }
    }
}

fn collect(tree: &Tree, names: &mut Vec<String>) {
    match &tree.node {
        Node::Name(name) if !names.contains(name) => names.push(name.clone()),
        Node::Name(_) | Node::Number(_) | Node::Text(_) => {}
        Node::Call { arguments, .. } => arguments.iter().for_each(|(_, tree)| collect(tree, names)),
        Node::Sum(operands) | Node::Product(operands) => {
            operands.iter().for_each(|(_, tree)| collect(tree, names));
        }
        Node::Negative(tree) => collect(tree, names),
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
        Node::Text(_) => Err(fault("a text in quotes stands only in text(\"file.dp\", …)")),
        Node::Name(name) => match meaning.names.get(name) {
            Some(value) => Ok(Value::Number(value.clone())),
            None if LAWS.iter().any(|(law, _)| law == name) => {
                let (_, form) = LAWS.iter().find(|(law, _)| law == name).unwrap_or(&LAWS[0]);
                Err(fault(&format!("the law {name} has no arguments here")).hint(format!("write {form}")))
            }
            None => Err(fault(&format!("{name} has no value")).hint(format!(
                "give it one with --set {name}=VALUE, or ask for it with --target-epsilon; {}",
                known_laws()
            ))),
        },
        Node::Negative(inner) => Ok(Value::Number(-number(inner, meaning)?)),
        Node::Sum(operands) => sum(tree, operands, meaning),
        Node::Product(operands) => product(operands, meaning),
        Node::Call { name, arguments } => call(tree, name, arguments, meaning),
    }
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
            (Value::Laws(more), None) if position == 0 => laws = Some(more),
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
struct Arguments {
    ordered: Vec<Tree>,
    sensitivity: Option<Tree>,
}

fn arguments(tree: &Tree, name: &str, given: &[(Option<String>, Tree)]) -> Result<Arguments, Fault> {
    let form = LAWS.iter().find(|(law, _)| *law == name).map_or("", |(_, form)| form);
    let (wanted, has_sensitivity) = match name {
        "gaussian" | "laplace" | "discrete_laplace" | "discrete_gaussian" => (1, true),
        "pure" | "rho" | "mu" => (1, false),
        _ => (2, false),
    };
    let mut ordered = Vec::new();
    let mut sensitivity = None;
    for (named, tree) in given {
        match named.as_deref() {
            None => ordered.push(tree.clone()),
            Some("sensitivity") if has_sensitivity && sensitivity.is_none() => {
                sensitivity = Some(tree.clone())
            }
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

fn call(
    tree: &Tree,
    name: &str,
    given: &[(Option<String>, Tree)],
    meaning: &Meaning,
) -> Result<Value, Fault> {
    if name == "text" {
        return text(tree, given, meaning);
    }
    if !LAWS.iter().any(|(law, _)| *law == name) {
        return Err(Fault::new(format!("there is no law '{name}'"), (tree.span.0, tree.span.0 + name.len()))
            .hint(known_laws()));
    }
    let arguments = arguments(tree, name, given)?;
    let at = |k: usize| number(&arguments.ordered[k], meaning);
    let span = |k: usize| arguments.ordered[k].span;
    let check = |k: usize, allowed: fn(&Rational) -> bool, what: &str| {
        let value = at(k)?;
        match allowed(&value) {
            true => Ok(value),
            false => Err(Fault::new(format!("{value} is not allowed here: {what}"), span(k))),
        }
    };
    let positive =
        |k: usize, what: &str| check(k, |x| *x > Rational::ZERO, &format!("{what} must be more than 0"));
    let not_negative =
        |k: usize, what: &str| check(k, |x| *x >= Rational::ZERO, &format!("{what} must be at least 0"));
    let probability = |k: usize, what: &str| {
        check(k, |x| *x >= Rational::ZERO && *x <= Rational::ONE, &format!("{what} lies between 0 and 1"))
    };
    let sensitivity = || match &arguments.sensitivity {
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
        let place = arguments.sensitivity.as_ref().map_or(tree.span, |tree| tree.span);
        let whole = value.is_int().then(|| u64::try_from(value.floor()).ok()).flatten();
        whole.ok_or_else(|| {
            Fault::new(format!("integer noise needs a whole sensitivity, found {value}"), place)
        })
    };
    let inner = |k: usize| match evaluate(&arguments.ordered[k], meaning)? {
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
            let delta = check(
                1,
                |x| *x >= Rational::ZERO && *x < Rational::ONE,
                "delta is at least 0 and less than 1",
            )?;
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

fn text(tree: &Tree, given: &[(Option<String>, Tree)], meaning: &Meaning) -> Result<Value, Fault> {
    let form = "write text(\"file.dp\", eps = 1)";
    let Some((None, Tree { node: Node::Text(path), .. })) = given.first() else {
        return Err(Fault::new("text takes the name of a mechanism file in quotes", tree.span).hint(form));
    };
    let mut settings = Vec::new();
    for (name, value) in &given[1..] {
        let Some(name) = name else {
            return Err(Fault::new("a parameter of a text is set by its name", value.span).hint(form));
        };
        settings.push((name.clone(), number(value, meaning)?));
    }
    let law =
        (meaning.theorems)(&Text { path: path.clone(), settings, on_a_sample: meaning.on_a_sample.get() })
            .map_err(|reason| Fault::new(reason, tree.span))?;
    Ok(Value::Laws(Composition { parts: vec![(law, 1)] }))
}
