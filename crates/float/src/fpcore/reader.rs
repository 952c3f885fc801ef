//! From one S-expression to a [`Core`]: arguments, precondition, body.

use std::collections::HashMap;

use probity_exact::{Format, Rational};

use super::formats::{properties_format, read_format};
use super::{Comparison, Core, Input, NotCovered, Path};
use crate::numeral;
use crate::program::{Constant, NodeId, Op, Program, Trigonometric};
use crate::sexp::{Kind, Sexp};

/// Alternatives of `if` beyond which a benchmark is not covered.
const MAX_PATHS: usize = 12;

type Environment = HashMap<String, NodeId>;

/// What an expression may be, by which way the conditions go.
type Alternatives = Vec<Path>;

#[derive(Default)]
pub(super) struct Reader {
    program: Program,
    decisions: Vec<Vec<Comparison>>,
}

pub(super) fn refuse<T>(at: &Sexp, reason: impl Into<String>) -> Result<T, NotCovered> {
    Err(NotCovered { line: at.line, reason: reason.into() })
}

/// Words cut to a length that is fit to print.
pub(super) fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

impl Reader {
    /// Reads one form.
    pub(super) fn core(mut self, form: &Sexp) -> Result<Core, NotCovered> {
        let Some([head, rest @ ..]) = form.list() else {
            return refuse(form, "not an (FPCore …) form");
        };
        if head.word() != Some("FPCore") {
            return refuse(form, "not an (FPCore …) form");
        }
        // An optional name may stand before the arguments.
        let rest = match rest {
            [first, tail @ ..] if first.word().is_some() => tail,
            _ => rest,
        };
        let Some((arguments, rest)) = rest.split_first() else {
            return refuse(form, "the list of arguments is missing");
        };
        let Some((body, properties)) = rest.split_last() else {
            return refuse(form, "the body is missing");
        };
        let mut format = Format::BINARY64;
        let mut precondition = None;
        for pair in properties.chunks(2) {
            let [key, value] = pair else {
                return refuse(&pair[0], "a property has no value");
            };
            match key.word() {
                Some(":precision") => format = read_format(value)?,
                Some(":round") if value.word() != Some("nearestEven") => {
                    return refuse(value, "only rounding to nearest, ties to even, is covered");
                }
                Some(":pre") => precondition = Some(value),
                Some(word) if word.starts_with(':') => {}
                _ => return refuse(key, "a property does not start with ':'"),
            }
        }
        let (mut inputs, environment) = self.arguments(arguments, format)?;
        let mut constraints = Vec::new();
        let mut ignored = 0;
        if let Some(condition) = precondition {
            // A condition is read over the reals; that its nodes carry a format does not matter.
            ignored = self.precondition(condition, &environment, format, &mut inputs, &mut constraints);
        }
        let paths = self.expression(body, &environment, format)?;
        Ok(Core { inputs, program: self.program, constraints, ignored, paths, decisions: self.decisions })
    }

    fn arguments(&mut self, form: &Sexp, format: Format) -> Result<(Vec<Input>, Environment), NotCovered> {
        let Some(items) = form.list() else {
            return refuse(form, "the arguments are not a list");
        };
        let mut inputs: Vec<Input> = Vec::new();
        let mut environment = Environment::new();
        for item in items {
            let (name, format) = match &item.kind {
                Kind::Word(word) => (word.clone(), format),
                Kind::List(parts) => match parts.as_slice() {
                    [bang, middle @ .., last] if bang.word() == Some("!") && last.word().is_some() => {
                        (shown(last.word().unwrap_or("")), properties_format(middle, format)?)
                    }
                    _ => return refuse(item, "an argument that is an array is not covered"),
                },
                Kind::Text(_) => return refuse(item, "an argument is a string"),
            };
            let node = self.node(item, Op::Input(inputs.len()), format)?;
            environment.insert(name.clone(), node);
            inputs.push(Input { name, format, low: None, high: None });
        }
        Ok((inputs, environment))
    }

    fn node(&mut self, at: &Sexp, op: Op, format: Format) -> Result<NodeId, NotCovered> {
        match self.program.add(op, format) {
            Some(id) => Ok(id),
            None => refuse(at, "the program has more than 20000 operations"),
        }
    }

    fn constant(
        &mut self,
        at: &Sexp,
        constant: Constant,
        format: Format,
    ) -> Result<Alternatives, NotCovered> {
        Ok(vec![Path { guards: vec![], result: self.node(at, Op::Constant(constant), format)? }])
    }

    /// Takes what a conjunction says into ranges and constraints; returns how many parts it had to leave out.
    fn precondition(
        &mut self,
        form: &Sexp,
        environment: &Environment,
        format: Format,
        inputs: &mut [Input],
        constraints: &mut Vec<Comparison>,
    ) -> usize {
        let Some([head, rest @ ..]) = form.list() else {
            return usize::from(form.word() != Some("TRUE"));
        };
        match (head.word(), rest) {
            (Some("and"), parts) => parts
                .iter()
                .map(|part| self.precondition(part, environment, format, inputs, constraints))
                .sum(),
            (Some(word @ ("let" | "let*")), [bindings, body]) => {
                match self.bind(bindings, environment, format, word == "let*") {
                    Ok(alternatives) if alternatives.len() == 1 && alternatives[0].0.is_empty() => {
                        self.precondition(body, &alternatives[0].1, format, inputs, constraints)
                    }
                    _ => 1,
                }
            }
            _ => match self.condition(form, environment, format, true) {
                Ok(alternatives) if alternatives.len() == 1 => {
                    for comparison in &alternatives[0] {
                        self.restrict(*comparison, inputs, constraints);
                    }
                    0
                }
                _ => 1,
            },
        }
    }

    /// A comparison of an input with a constant narrows its range; any other is a constraint.
    fn restrict(&self, comparison: Comparison, inputs: &mut [Input], constraints: &mut Vec<Comparison>) {
        let nodes = self.program.nodes();
        match (&nodes[comparison.left].op, &nodes[comparison.right].op) {
            (Op::Constant(bound), Op::Input(i)) => {
                let low = &mut inputs[*i].low;
                if low.as_ref().is_none_or(|old| *old < bound.low) {
                    *low = Some(bound.low.clone());
                }
            }
            (Op::Input(i), Op::Constant(bound)) => {
                let high = &mut inputs[*i].high;
                if high.as_ref().is_none_or(|old| *old > bound.high) {
                    *high = Some(bound.high.clone());
                }
            }
            (Op::Constant(_), Op::Constant(_)) => {}
            _ => constraints.push(comparison),
        }
    }

    /// The ways in which a condition comes out as wanted, each a conjunction.
    fn condition(
        &mut self,
        form: &Sexp,
        environment: &Environment,
        format: Format,
        wanted: bool,
    ) -> Result<Vec<Vec<Comparison>>, NotCovered> {
        match form.word() {
            Some("TRUE") => return Ok(if wanted { vec![vec![]] } else { vec![] }),
            Some("FALSE") => return Ok(if wanted { vec![] } else { vec![vec![]] }),
            _ => {}
        }
        let Some([head, rest @ ..]) = form.list() else {
            return refuse(form, "a condition is neither a comparison nor a combination of such");
        };
        let word = head.word().unwrap_or("");
        match (word, rest) {
            ("not", [part]) => self.condition(part, environment, format, !wanted),
            ("and" | "or", parts) => {
                let conjunction = (word == "and") == wanted;
                let mut ways: Vec<Vec<Comparison>> = if conjunction { vec![vec![]] } else { vec![] };
                for part in parts {
                    let more = self.condition(part, environment, format, wanted)?;
                    if conjunction {
                        ways = ways
                            .iter()
                            .flat_map(|w| more.iter().map(|m| [w.clone(), m.clone()].concat()))
                            .collect();
                    } else {
                        ways.extend(more);
                    }
                    if ways.len() > MAX_PATHS {
                        return refuse(form, "a condition has more than 12 ways to hold");
                    }
                }
                Ok(ways)
            }
            ("<" | "<=" | ">" | ">=" | "==" | "!=", parts) => {
                let mut sides = Vec::new();
                for part in parts {
                    match self.expression(part, environment, format)?.as_slice() {
                        [Path { guards, result }] if guards.is_empty() => sides.push(*result),
                        _ => return refuse(part, "an `if` inside a condition is not covered"),
                    }
                }
                if parts.len() > 2 && (!wanted || word == "!=") {
                    return refuse(form, "a negated chain of comparisons is not covered");
                }
                Ok(comparisons(word, &sides, wanted))
            }
            _ => refuse(form, format!("the condition '{}' is not covered", shown(word))),
        }
    }

    /// Environments of a `let` or `let*`, one per combination of the alternatives of what is bound.
    fn bind(
        &mut self,
        form: &Sexp,
        outer: &Environment,
        format: Format,
        sequential: bool,
    ) -> Result<Vec<(Vec<Comparison>, Environment)>, NotCovered> {
        let Some(bindings) = form.list() else {
            return refuse(form, "the bindings of a let are not a list");
        };
        let mut ways = vec![(Vec::new(), outer.clone())];
        for binding in bindings {
            let Some([name, value]) = binding.list() else {
                return refuse(binding, "a binding is not [name value]");
            };
            let Some(name) = name.word() else {
                return refuse(name, "a binding's name is not a word");
            };
            let mut next = Vec::new();
            for (guards, inner) in &ways {
                let scope = if sequential { inner } else { outer };
                for way in self.expression(value, scope, format)? {
                    let mut environment = inner.clone();
                    environment.insert(name.into(), way.result);
                    next.push(([guards.clone(), way.guards].concat(), environment));
                }
            }
            if next.len() > MAX_PATHS {
                return refuse(binding, "there are more than 12 ways through the `if`s");
            }
            ways = next;
        }
        Ok(ways)
    }

    fn expression(
        &mut self,
        form: &Sexp,
        environment: &Environment,
        format: Format,
    ) -> Result<Alternatives, NotCovered> {
        let items = match &form.kind {
            Kind::Text(_) => return refuse(form, "a string is not a number"),
            Kind::Word(word) => {
                if let Some(id) = environment.get(word) {
                    return Ok(vec![Path { guards: vec![], result: *id }]);
                }
                return match numeral::constant(word) {
                    Some(constant) => self.constant(form, constant, format),
                    None => refuse(form, format!("'{}' is neither a number nor a variable", shown(word))),
                };
            }
            Kind::List(items) => items,
        };
        let Some((head, arguments)) = items.split_first() else {
            return refuse(form, "an empty list is not an expression");
        };
        let Some(word) = head.word() else {
            return refuse(head, "an expression starts with a list");
        };
        match (word, arguments) {
            ("let" | "let*", [bindings, body]) => {
                let mut all = Vec::new();
                for (guards, inner) in self.bind(bindings, environment, format, word == "let*")? {
                    for way in self.expression(body, &inner, format)? {
                        all.push(Path { guards: [guards.clone(), way.guards].concat(), result: way.result });
                    }
                }
                limited(form, all)
            }
            ("if", [condition, then, otherwise]) => {
                let mut all = Vec::new();
                let held = self.condition(condition, environment, format, true)?;
                let failed = self.condition(condition, environment, format, false)?;
                self.decisions.push(held.iter().chain(&failed).flatten().copied().collect());
                for (ways, branch) in [(held, then), (failed, otherwise)] {
                    if ways.is_empty() {
                        continue;
                    }
                    for way in self.expression(branch, environment, format)? {
                        for guards in &ways {
                            all.push(Path {
                                guards: [guards.clone(), way.guards.clone()].concat(),
                                result: way.result,
                            });
                        }
                    }
                }
                limited(form, all)
            }
            ("!", [middle @ .., body]) => {
                let format = properties_format(middle, format)?;
                self.expression(body, environment, format)
            }
            ("digits", [m, e, b]) => {
                let read =
                    numeral::digits(m.word().unwrap_or(""), e.word().unwrap_or(""), b.word().unwrap_or(""));
                match read {
                    Some(constant) => self.constant(form, constant, format),
                    None => refuse(form, "digits needs a number, an exponent within 20000 and a base"),
                }
            }
            ("while" | "while*" | "for" | "for*", _) => {
                refuse(form, format!("a `{word}` loop is not covered"))
            }
            ("tensor" | "tensor*" | "array" | "ref" | "dim" | "size", _) => {
                refuse(form, format!("`{word}`: arrays are not covered"))
            }
            _ => self.operation(form, word, arguments, environment, format),
        }
    }

    /// The exponent of a `pow` that is a whole constant up to 64.
    fn small_power(&self, id: NodeId) -> Option<u32> {
        let Op::Constant(c) = &self.program.nodes()[id].op else { return None };
        (0..=64).find(|n| c.low == c.high && c.low == Rational::from(*n))
    }

    fn operation(
        &mut self,
        form: &Sexp,
        word: &str,
        arguments: &[Sexp],
        environment: &Environment,
        format: Format,
    ) -> Result<Alternatives, NotCovered> {
        let mut ways: Vec<(Vec<Comparison>, Vec<NodeId>)> = vec![(vec![], vec![])];
        for argument in arguments {
            let alternatives = self.expression(argument, environment, format)?;
            ways = ways
                .iter()
                .flat_map(|(guards, ids)| {
                    alternatives.iter().map(move |way| {
                        let mut ids = ids.clone();
                        ids.push(way.result);
                        ([guards.clone(), way.guards.clone()].concat(), ids)
                    })
                })
                .collect();
            if ways.len() > MAX_PATHS {
                return refuse(form, "there are more than 12 ways through the `if`s");
            }
        }
        let mut all = Vec::new();
        for (guards, mut ids) in ways {
            // Operations that do not round need arguments of their own format.
            if matches!(word, "fabs" | "fmin" | "fmax" | "-") && (word != "-" || ids.len() == 1) {
                for id in &mut ids {
                    if self.program.nodes()[*id].format != format {
                        *id = self.node(form, Op::Cast(*id), format)?;
                    }
                }
            }
            let op = match (word, ids.as_slice()) {
                ("+", [x]) => {
                    all.push(Path { guards, result: *x });
                    continue;
                }
                ("+", [x, y]) => Op::Add(*x, *y),
                ("-", [x]) => Op::Neg(*x),
                ("-", [x, y]) => Op::Sub(*x, *y),
                ("*", [x, y]) => Op::Mul(*x, *y),
                ("/", [x, y]) => Op::Div(*x, *y),
                ("sqrt", [x]) => Op::Sqrt(*x),
                ("fma", [x, y, z]) => Op::Fma(*x, *y, *z),
                ("fabs", [x]) => Op::Abs(*x),
                ("exp", [x]) => Op::Exp(*x),
                ("log", [x]) => Op::Ln(*x),
                ("fmin", [x, y]) => Op::Min(*x, *y),
                ("fmax", [x, y]) => Op::Max(*x, *y),
                ("cast", [x]) => Op::Cast(*x),
                ("sin", [x]) => Op::Trigonometric(Trigonometric::Sine, *x),
                ("cos", [x]) => Op::Trigonometric(Trigonometric::Cosine, *x),
                ("tan", [x]) => Op::Trigonometric(Trigonometric::Tangent, *x),
                ("atan", [x]) => Op::Trigonometric(Trigonometric::Arctangent, *x),
                ("pow", [x, n]) => match self.small_power(*n) {
                    Some(n) => Op::Power(*x, n),
                    None => {
                        return refuse(
                            form,
                            "'pow' is covered for constant whole exponents from 0 to 64 only",
                        );
                    }
                },
                (
                    "+" | "-" | "*" | "/" | "sqrt" | "fma" | "fabs" | "exp" | "log" | "fmin" | "fmax"
                    | "cast",
                    _,
                ) => {
                    return refuse(form, format!("'{word}' does not take {} arguments", ids.len()));
                }
                _ => return refuse(form, format!("the function '{}' is not covered", shown(word))),
            };
            all.push(Path { guards, result: self.node(form, op, format)? });
        }
        Ok(all)
    }
}

fn limited(form: &Sexp, ways: Alternatives) -> Result<Alternatives, NotCovered> {
    if ways.len() > MAX_PATHS {
        return refuse(form, "there are more than 12 ways through the `if`s");
    }
    Ok(ways)
}

/// The chain `a ? b ? c …` as conjunctions of ≤ and <; its negation only for two sides.
fn comparisons(word: &str, sides: &[NodeId], wanted: bool) -> Vec<Vec<Comparison>> {
    let pairs: Vec<(NodeId, NodeId)> = sides.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let less = |left, right, strict| Comparison { left, right, strict };
    let all =
        |make: &dyn Fn(NodeId, NodeId) -> Comparison| vec![pairs.iter().map(|(a, b)| make(*a, *b)).collect()];
    match (word, wanted) {
        ("<", true) | (">=", false) => all(&|a, b| less(a, b, true)),
        ("<=", true) | (">", false) => all(&|a, b| less(a, b, false)),
        (">", true) | ("<=", false) => all(&|a, b| less(b, a, true)),
        (">=", true) | ("<", false) => all(&|a, b| less(b, a, false)),
        ("==", true) | ("!=", false) => {
            vec![pairs.iter().flat_map(|(a, b)| [less(*a, *b, false), less(*b, *a, false)]).collect()]
        }
        // a ≠ b: below or above.
        _ => pairs.iter().flat_map(|(a, b)| [vec![less(*a, *b, true)], vec![less(*b, *a, true)]]).collect(),
    }
}
