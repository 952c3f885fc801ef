//! Recognises the snapping mechanism in a term.

use std::collections::BTreeMap;
use std::fmt;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Run, Unary, Variable};
use probity_kernel::term::{Adjacency, Distribution, Mechanism, Sort, Statement};

/// The largest expression, in nodes, that definitions may expand to.
const MAX_NODES: usize = 4096;

/// clamp(round_to(x + s·ln(u)/rate, grid), −bound, bound), where neighbouring inputs differ by at most the
/// sensitivity. The expressions are made of parameters and numbers; the table holds where rate, grid and bound are
/// positive.
///
/// ```
/// use probity_prove::explain::Snapping;
/// let program = probity_lang::load_text(
///     "mechanism snap(x: real)
///      param eps > 0
///      param B > 0
///      let grid = pow2_at_least(1 / eps)
///      u ~ uniform(0, 1)
///      s ~ sign()
///      return clamp(round_to(x + s * (ln(u) / eps), grid), -B, B)
///      neighbours abs(x' - x) <= 3
///      claim 3 * eps",
/// )
/// .unwrap();
/// let snapping = Snapping::recognise(&program.mechanism).unwrap();
/// assert_eq!(snapping.rate.to_string(), "eps");
/// assert_eq!(snapping.grid.to_string(), "pow2_at_least(1 / eps)");
/// assert_eq!(snapping.sensitivity.to_string(), "3");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapping {
    /// The private input.
    pub input: Name,
    /// The ε of the noise s·ln(u)/ε.
    pub rate: Expr,
    /// Λ.
    pub grid: Expr,
    /// B.
    pub bound: Expr,
    /// How far apart neighbouring inputs may be.
    pub sensitivity: Expr,
}

/// What keeps a mechanism from being read as snapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotSnapping {
    /// It does not have one real input.
    Inputs,
    /// Its steps are not one uniform draw, one sign and definitions.
    Steps,
    /// A variable is set twice.
    SetTwice,
    /// Its definitions expand to too large an expression.
    TooLarge,
    /// Its output is not clamp(round_to(w, grid), −B, B).
    Output,
    /// Its noise is not s·ln(u) over a number, added to the input.
    Noise,
    /// Its neighbours are not all inputs that differ by at most some number.
    Adjacency,
}

impl fmt::Display for NotSnapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotSnapping::Inputs => "it does not have exactly one input, a real number",
            NotSnapping::Steps => "its steps are not one uniform draw, one sign and definitions",
            NotSnapping::SetTwice => "a variable is set twice",
            NotSnapping::TooLarge => "its definitions expand to a very large expression",
            NotSnapping::Output => "its output is not clamp(round_to(w, grid), -B, B)",
            NotSnapping::Noise => "its noise is not s * ln(u) / eps, added to the input",
            NotSnapping::Adjacency => "its neighbours are not given by abs(x' - x) <= c",
        })
    }
}

impl std::error::Error for NotSnapping {}

impl Snapping {
    /// Reads a mechanism as snapping, or says why it is none.
    pub fn recognise(mechanism: &Mechanism) -> Result<Snapping, NotSnapping> {
        let [input] = mechanism.inputs.as_slice() else { return Err(NotSnapping::Inputs) };
        if input.sort != Sort::Real {
            return Err(NotSnapping::Inputs);
        }
        let (draws, output) = straight_line(mechanism)?;
        let x = Expr::var(input.name.clone());
        let (w, grid, bound) = rounded_and_clamped(&output).ok_or(NotSnapping::Output)?;
        let noise = match w {
            Expr::Binary(Binary::Add, a, b) if **a == x => b,
            Expr::Binary(Binary::Add, a, b) if **b == x => a,
            _ => return Err(NotSnapping::Noise),
        };
        let rate = rate(noise, &draws).ok_or(NotSnapping::Noise)?;
        let sensitivity = sensitivity(mechanism, &input.name).ok_or(NotSnapping::Adjacency)?;
        let is_public = |e: &Expr| {
            let mut public = true;
            e.for_each_variable(&mut |v| {
                public &=
                    matches!(v, Variable::Plain(name) if mechanism.params.iter().any(|p| p.name == *name));
            });
            public
        };
        if ![&grid, &bound, &sensitivity].into_iter().all(is_public) {
            return Err(NotSnapping::Output);
        }
        if !is_public(&rate) {
            return Err(NotSnapping::Noise);
        }
        Ok(Snapping { input: input.name.clone(), rate, grid, bound, sensitivity })
    }
}

/// The uniform draw and the sign.
struct Draws {
    uniform: Name,
    sign: Name,
}

/// The draws, and the output with every definition put in.
fn straight_line(mechanism: &Mechanism) -> Result<(Draws, Expr), NotSnapping> {
    let (mut uniform, mut sign) = (None, None);
    let mut defined: BTreeMap<Name, (Expr, usize)> = BTreeMap::new();
    let mut seen: Vec<&Name> = mechanism.inputs.iter().map(|input| &input.name).collect();
    seen.extend(mechanism.params.iter().map(|param| &param.name));
    for statement in &mechanism.body {
        let var = match statement {
            Statement::Draw { var, law } => {
                let slot = match law {
                    Distribution::Uniform => &mut uniform,
                    Distribution::Sign => &mut sign,
                    _ => return Err(NotSnapping::Steps),
                };
                if slot.replace(var.clone()).is_some() {
                    return Err(NotSnapping::Steps);
                }
                var
            }
            Statement::Assign { var, value } => {
                let expanded = expand(value, &defined)?;
                defined.insert(var.clone(), expanded);
                var
            }
            _ => return Err(NotSnapping::Steps),
        };
        if seen.contains(&var) {
            return Err(NotSnapping::SetTwice);
        }
        seen.push(var);
    }
    let (Some(uniform), Some(sign)) = (uniform, sign) else { return Err(NotSnapping::Steps) };
    let (output, _) = expand(&mechanism.output, &defined)?;
    Ok((Draws { uniform, sign }, output))
}

/// The expression with definitions put in, and how many nodes it has.
fn expand(expr: &Expr, defined: &BTreeMap<Name, (Expr, usize)>) -> Result<(Expr, usize), NotSnapping> {
    let definition = |v: &Variable| match v {
        Variable::Plain(name) => defined.get(name),
        _ => None,
    };
    // Counted before it is built: chained definitions can double the size with every step.
    let mut size = nodes(expr);
    expr.for_each_variable(&mut |v| size += definition(v).map_or(0, |(_, inner)| *inner));
    if size > MAX_NODES {
        return Err(NotSnapping::TooLarge);
    }
    Ok((expr.replace(&|v| definition(v).map(|(value, _)| value.clone())), size))
}

fn nodes(expr: &Expr) -> usize {
    1 + match expr {
        Expr::Unary(_, a) | Expr::Index(_, a) => nodes(a),
        Expr::Binary(_, a, b) | Expr::Sum(_, a, b) | Expr::Apart(_, a, b) => nodes(a) + nodes(b),
        Expr::Clamp(a, b, c) | Expr::If(a, b, c) => nodes(a) + nodes(b) + nodes(c),
        Expr::Number(_) | Expr::Bool(_) | Expr::Var(_) | Expr::Length(_) | Expr::EmptyList => 0,
    }
}

/// w, the grid and the bound of clamp(round_to(w, grid), −bound, bound).
fn rounded_and_clamped(output: &Expr) -> Option<(&Expr, Expr, Expr)> {
    let Expr::Clamp(value, low, high) = output else { return None };
    let Expr::Binary(Binary::RoundTo, w, grid) = &**value else { return None };
    let opposite = match (&**low, &**high) {
        (Expr::Unary(Unary::Neg, inner), high) => **inner == *high,
        (Expr::Number(low), Expr::Number(high)) => *low == -high.clone(),
        _ => false,
    };
    opposite.then(|| (&**w, (**grid).clone(), (**high).clone()))
}

/// The ε of s·ln(u)/ε, however the product is written.
fn rate(noise: &Expr, draws: &Draws) -> Option<Expr> {
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    factors(noise, &mut top, &mut bottom);
    let mut take = |wanted: Expr| {
        let at = top.iter().position(|factor| *factor == wanted)?;
        Some(top.remove(at))
    };
    take(Expr::var(draws.sign.clone()))?;
    take(Expr::var(draws.uniform.clone()).ln())?;
    let product = |factors: Vec<Expr>| {
        let mut rest = factors.into_iter().filter(|factor| *factor != Expr::Number(Rational::ONE));
        let first = rest.next()?;
        Some(rest.fold(first, |a, b| a * b))
    };
    let bottom = product(bottom).unwrap_or(Expr::int(1));
    Some(match product(top) {
        None => bottom,
        Some(top) => bottom / top,
    })
}

fn factors(expr: &Expr, top: &mut Vec<Expr>, bottom: &mut Vec<Expr>) {
    match expr {
        Expr::Binary(Binary::Mul, a, b) => {
            factors(a, top, bottom);
            factors(b, top, bottom);
        }
        Expr::Binary(Binary::Div, a, b) => {
            factors(a, top, bottom);
            factors(b, bottom, top);
        }
        _ => top.push(expr.clone()),
    }
}

/// c of `abs(x' - x) <= c`, when that is all that makes neighbours.
fn sensitivity(mechanism: &Mechanism, input: &Name) -> Option<Expr> {
    let [Adjacency::Related(Expr::Binary(Binary::Le, distance, bound))] = mechanism.adjacency.as_slice()
    else {
        return None;
    };
    let (x, y) = (Expr::of(input.clone(), Run::First), Expr::of(input.clone(), Run::Second));
    let either = [(x.clone() - y.clone()).abs(), (y - x).abs()];
    either.contains(distance).then(|| (**bound).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(steps: &str, neighbours: &str) -> Result<Snapping, NotSnapping> {
        let text = format!(
            "mechanism m(x: real)\nparam eps > 0\nparam B > 0\n{steps}\nneighbours {neighbours}\nclaim eps"
        );
        let program = probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        Snapping::recognise(&program.mechanism)
    }

    const DRAWS: &str = "u ~ uniform(0, 1)\ns ~ sign()\n";

    #[test]
    fn the_noise_may_be_written_in_any_order() {
        for (noise, rate) in [
            ("s * ln(u) / eps", "eps"),
            ("ln(u) / eps * s", "eps"),
            ("s * (ln(u) / eps)", "eps"),
            ("1 / eps * (s * ln(u))", "eps"),
            ("s * ln(u)", "1"),
            ("2 * s * ln(u) / eps", "eps / 2"),
            ("s * ln(u) / (eps / 3)", "eps / 3"),
        ] {
            for w in [format!("x + {noise}"), format!("{noise} + x")] {
                let steps = format!("{DRAWS}w = {w}\nreturn clamp(round_to(w, 1), -B, B)");
                assert_eq!(read(&steps, "abs(x - x') <= 1").unwrap().rate.to_string(), rate, "{w}");
            }
        }
    }

    #[test]
    fn what_is_not_snapping_is_not_read_as_it() {
        use NotSnapping::{Adjacency, Noise, Output, Steps};
        let near = "abs(x' - x) <= 1";
        for (steps, neighbours, expected) in [
            ("y ~ laplace(x, 1 / eps)\nreturn clamp(round_to(y, 1), -B, B)".to_owned(), near, Steps),
            (format!("{DRAWS}return clamp(x + s * ln(u) / eps, -B, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1), 0, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1 + abs(x)), -B, B)"), near, Output),
            (format!("{DRAWS}return clamp(round_to(x - s * ln(u) / eps, 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(x + ln(u) / eps, 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(x + s * ln(u) / (eps * u), 1), -B, B)"), near, Noise),
            (format!("{DRAWS}return clamp(round_to(2 * x + s * ln(u) / eps, 1), -B, B)"), near, Noise),
            (
                format!("{DRAWS}return clamp(round_to(x + s * ln(u) / eps, 1), -B, B)"),
                "x' - x <= 1",
                Adjacency,
            ),
        ] {
            assert_eq!(read(&steps, neighbours), Err(expected), "{steps}");
        }
    }

    #[test]
    fn definitions_that_double_are_refused_in_time() {
        let mut steps = String::from("a0 = eps + eps\n");
        for n in 0..200 {
            steps.push_str(&format!("a{} = a{n} + a{n}\n", n + 1));
        }
        steps.push_str(&format!("{DRAWS}return clamp(round_to(x + s * ln(u) / a200, 1), -B, B)"));
        assert_eq!(read(&steps, "abs(x' - x) <= 1"), Err(NotSnapping::TooLarge));
    }
}
