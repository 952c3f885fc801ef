//! Program equivalences: two mechanisms with the same inputs whose outputs have the same law.
//!
//! A theorem about the rewritten mechanism is a theorem about the original. Each rewriting checks that it
//! applies; none can change what a mechanism releases.

mod first_round;
pub(crate) mod inverse;

use probity_exact::Rational;

use self::first_round::first_round;
use crate::context::{Context, for_each_expr};
use crate::expr::{Binary, Expr, Name, Variable};
use crate::kind::Kinds;
use crate::law;
use crate::rejection::Rejection;
use crate::rules::center::center;
use crate::rules::equivalence::inverse::{inverse_law, on_half};
use crate::rules::hoist::{entry, hoist, join, merge, one_draw, tail};
use crate::rules::lists;
use crate::rules::noise::{difference_law, exponential_law, gumbel_law, sign_law};
use crate::rules::tables;
use crate::term::{Distribution, Mechanism, Sort, Statement};

/// A rewriting step.
///
/// ```
/// use probity_kernel::equivalence::Rewrite;
/// let step = Rewrite::LaplaceLaw { uniform: "u".into(), sign: "s".into(), noise: "z".into() };
/// assert_eq!(step.name(), "LAPLACE-LAW");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// u uniform on (0, 1], s a fair sign: s·ln(u) has the law Laplace(0, 1).
    LaplaceLaw {
        /// The uniform draw.
        uniform: Name,
        /// The sign.
        sign: Name,
        /// A new name for s·ln(u).
        noise: Name,
    },
    /// keep is true with probability p, other is uniform among the categories other than v: `if keep then v else
    /// other` has the law of a randomized response.
    ResponseLaw {
        /// The Bernoulli draw.
        keep: Name,
        /// The draw among the others.
        other: Name,
        /// A new name for the response.
        response: Name,
    },
    /// keep is true with probability p, other is uniform among all t categories: `if keep then v else other` has the law
    /// of a randomized response.
    MixtureLaw {
        /// The Bernoulli draw.
        keep: Name,
        /// The draw among all.
        other: Name,
        /// A new name for the response.
        response: Name,
    },
    /// a and b are exponential, or geometric, with one scale: a − b is Laplace noise, or discrete Laplace noise.
    DifferenceLaw {
        /// The draw that is added.
        plus: Name,
        /// The draw that is subtracted.
        minus: Name,
        /// A new name for the difference.
        noise: Name,
    },
    /// A fair sign times an exponential draw is Laplace noise.
    SignLaw {
        /// The sign, or a fair coin that decides it.
        sign: Name,
        /// The exponential draw.
        size: Name,
        /// A new name for the product.
        noise: Name,
    },
    /// u uniform on (0, 1]: −ln(u) is exponential.
    ExponentialLaw {
        /// The uniform draw.
        uniform: Name,
        /// A new name for −ln(u).
        noise: Name,
    },
    /// u uniform on (0, 1]: −ln(−ln(u)) has the law Gumbel(0, 1), as has −ln(u) for an exponential u with scale 1.
    GumbelLaw {
        /// The uniform or exponential draw.
        draw: Name,
        /// A new name for the noise.
        noise: Name,
    },
    /// The inverse of a distribution function at u uniform on (0, 1]: Laplace noise, or the difference of two Gumbel draws, which is logistic noise.
    InverseLaw {
        /// The uniform draw.
        uniform: Name,
        /// The expression in which alone it is read.
        value: Expr,
        /// What that is with the noise, or with `noise - less`.
        with: Expr,
        /// A new name for Laplace noise, or for the first Gumbel draw.
        noise: Name,
        /// A new name for the second.
        less: Name,
    },
    /// A loop between two numbers is its body as often as it counts.
    Unroll {
        /// The index of the loop: the first at the top level that has it.
        index: Name,
    },
    /// `y ~ D[i := n - 1]; a; for i in n..b { v ~ D; c }` is `for i in n-1..max(n, b) { v ~ D; if i == n - 1 { y = v; a } else { c } }`.
    FirstRound {
        /// The index of the loop.
        index: Name,
    },
    /// `for i in a..b` is `for i in a..max(a, b)`, for every loop over an index.
    Range {
        /// The index.
        index: Name,
    },
    /// A variable that is set once, before its uses, is replaced by its value.
    Inline {
        /// The variable.
        var: Name,
    },
    /// `if g { y = a } else { y = b }` is `y = if g then a else b`.
    Conditional {
        /// The variable assigned in both branches.
        var: Name,
    },
    /// `if g { y ~ D; c } else { d }` is `y ~ D; if g { c } else { d }`, where nothing but c reads y.
    Hoist {
        /// The variable drawn.
        var: Name,
    },
    /// `if a { if b { c } }` is `if a and b { c }`, everywhere.
    Join,
    /// `if g { c; s } else { d; s }` is `if g { c } else { d }; s`, everywhere.
    Tail,
    /// `if g { c; append(l, a) } else { d; append(l, b) }` is `if g { c; y = a } else { d; y = b }; append(l, y)`.
    Merge {
        /// A new name for what is appended.
        var: Name,
    },
    /// `append(l, e)` is `y = e; append(l, y)`.
    Entry {
        /// A new name for what is appended.
        var: Name,
    },
    /// `if g { y ~ D(a) } else { y ~ D(b) }` is `y ~ D(if g then a else b)`.
    OneDraw {
        /// The variable drawn in both branches.
        var: Name,
    },
    /// `z ~ D(a, b); …; y = e + c·z` is `…; y ~ D(e + c·a, c·b)`, where nothing else reads z.
    Center {
        /// The noise z.
        noise: Name,
        /// The expression e + c·z.
        value: Expr,
        /// What the expression is assigned to, or a new name for it.
        var: Name,
    },
    /// `return e` is `y = e; return y`.
    Name {
        /// A new name for the output.
        var: Name,
    },
}

impl Rewrite {
    /// The name under which a theorem lists it.
    pub fn name(&self) -> &'static str {
        match self {
            Rewrite::LaplaceLaw { .. } => "LAPLACE-LAW",
            Rewrite::ResponseLaw { .. } => "RESPONSE-LAW",
            Rewrite::MixtureLaw { .. } => "MIXTURE-LAW",
            Rewrite::DifferenceLaw { .. } => "DIFFERENCE-LAW",
            Rewrite::SignLaw { .. } => "SIGN-LAW",
            Rewrite::ExponentialLaw { .. } => "EXPONENTIAL-LAW",
            Rewrite::GumbelLaw { .. } => "GUMBEL-LAW",
            Rewrite::InverseLaw { .. } => "INVERSE-LAW",
            Rewrite::Unroll { .. } => "UNROLL",
            Rewrite::FirstRound { .. } => "FIRST-ROUND",
            Rewrite::Range { .. } => "RANGE",
            Rewrite::Inline { .. } => "INLINE",
            Rewrite::Conditional { .. } => "CONDITIONAL",
            Rewrite::Hoist { .. } => "HOIST",
            Rewrite::Join => "JOIN",
            Rewrite::Tail => "TAIL",
            Rewrite::Merge { .. } => "MERGE",
            Rewrite::Entry { .. } => "ENTRY",
            Rewrite::OneDraw { .. } => "ONE-DRAW",
            Rewrite::Center { .. } => "CENTER",
            Rewrite::Name { .. } => "NAME",
        }
    }

    /// The rewritten mechanism.
    pub fn apply(&self, mechanism: &Mechanism) -> Result<Mechanism, Rejection> {
        match self {
            Rewrite::LaplaceLaw { uniform, sign, noise } => laplace_law(mechanism, uniform, sign, noise),
            Rewrite::ResponseLaw { keep, other, response } => response_law(mechanism, keep, other, response),
            Rewrite::MixtureLaw { keep, other, response } => mixture_law(mechanism, keep, other, response),
            Rewrite::DifferenceLaw { plus, minus, noise } => difference_law(mechanism, plus, minus, noise),
            Rewrite::SignLaw { sign, size, noise } => sign_law(mechanism, sign, size, noise),
            Rewrite::ExponentialLaw { uniform, noise } => exponential_law(mechanism, uniform, noise),
            Rewrite::GumbelLaw { draw, noise } => gumbel_law(mechanism, draw, noise),
            Rewrite::InverseLaw { uniform, value, with, noise, less } => {
                inverse_law(mechanism, uniform, (value, with), (noise, less))
            }
            Rewrite::Unroll { index } => unroll(mechanism, index),
            Rewrite::FirstRound { index } => first_round(mechanism, index),
            Rewrite::Range { index } => range(mechanism, index),
            Rewrite::Inline { var } => inline(mechanism, var),
            Rewrite::Conditional { var } => conditional(mechanism, var),
            Rewrite::Hoist { var } => hoist(mechanism, var),
            Rewrite::Join => join(mechanism),
            Rewrite::Tail => tail(mechanism),
            Rewrite::Merge { var } => merge(mechanism, var),
            Rewrite::Entry { var } => entry(mechanism, var),
            Rewrite::OneDraw { var } => one_draw(mechanism, var),
            Rewrite::Center { noise, value, var } => center(mechanism, noise, value, var),
            Rewrite::Name { var } => name(mechanism, var),
        }
    }
}

/// An expression where a uniform draw lies in (0, 1/2), or in (1/2, 1): what INVERSE-LAW compares.
pub fn on_half_of_unit(context: &Context, e: &Expr, uniform: &Name, upper: bool) -> Expr {
    on_half(context, e, uniform, upper)
}

pub(crate) fn refuse<T>(law: &'static str, reason: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection::NotEquivalent { law, reason: reason.into() })
}

/// ```text
/// u ~ uniform(0,1); s ~ sign(); C[s·ln(u)]   =   z ~ laplace(0, 1); C[z]
/// ```
/// −ln(u) is exponential with rate 1, and a fair sign makes it Laplace. u and s occur in s·ln(u) only.
fn laplace_law(m: &Mechanism, u: &Name, s: &Name, noise: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "LAPLACE-LAW";
    let at_u = only_setting(LAW, m, u)?;
    let at_s = only_setting(LAW, m, s)?;
    if !matches!(m.body.get(at_u), Some(Statement::Draw { law: Distribution::Uniform, .. })) {
        return refuse(LAW, format!("{u} is not drawn from uniform(0, 1)"));
    }
    if !matches!(m.body.get(at_s), Some(Statement::Draw { law: Distribution::Sign, .. })) {
        return refuse(LAW, format!("{s} is not a sign"));
    }
    let is_s = |e: &Expr| *e == Expr::var(s.clone());
    let is_ln_u = |e: &Expr| *e == Expr::var(u.clone()).ln();
    let z = || Expr::var(noise.clone());
    let rewrite = |e: &Expr| match e {
        Expr::Binary(Binary::Mul, a, b) if (is_s(a) && is_ln_u(b)) || (is_ln_u(a) && is_s(b)) => Some(z()),
        // s · (ln(u) / d) is (s · ln(u)) / d, also where d = 0 and a quotient is 0.
        Expr::Binary(Binary::Mul, a, b) => match (&**a, &**b) {
            (x, Expr::Binary(Binary::Div, y, d)) | (Expr::Binary(Binary::Div, y, d), x)
                if (is_s(x) && is_ln_u(y)) || (is_ln_u(x) && is_s(y)) =>
            {
                Some(z() / (**d).clone())
            }
            _ => None,
        },
        _ => None,
    };
    let law = Distribution::Laplace { center: Expr::int(0), scale: Expr::int(1) };
    replace_draws(LAW, m, (at_u, u), (at_s, s), (noise, law), &rewrite)
}

/// ```text
/// k ~ bernoulli(p); o ~ uniform_other(v, t); C[if k then v else o]   =   y ~ response(v, p, t); C[y]
/// ```
/// k and o occur in that expression only; p, v and t are made of inputs and parameters, which never change.
fn response_law(m: &Mechanism, keep: &Name, other: &Name, response: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "RESPONSE-LAW";
    let at_keep = only_setting(LAW, m, keep)?;
    let at_other = only_setting(LAW, m, other)?;
    let Some(Statement::Draw { law: Distribution::Bernoulli(p), .. }) = m.body.get(at_keep) else {
        return refuse(LAW, format!("{keep} is not a Bernoulli draw"));
    };
    let Some(Statement::Draw { law: Distribution::UniformOther { value, count }, .. }) = m.body.get(at_other)
    else {
        return refuse(LAW, format!("{other} is not drawn uniformly among the others"));
    };
    for e in [p, value, count] {
        check_fixed(LAW, m, e)?;
    }
    let whole = Expr::var(keep.clone()).choose(value.clone(), Expr::var(other.clone()));
    let rewrite = |e: &Expr| (*e == whole).then(|| Expr::var(response.clone()));
    let law = Distribution::Response { value: value.clone(), truth: p.clone(), count: count.clone() };
    replace_draws(LAW, m, (at_keep, keep), (at_other, other), (response, law), &rewrite)
}

/// ```text
/// k ~ bernoulli(p); o ~ uniform_int(0, t − 1); C[if k then v else o]   =   k ~ bernoulli(p); y ~ response(v, p + (1 − p)/t, t); C[y]
/// ```
/// k and o occur in that expression only; v is an input among t categories, which are two or more by a number or an assumption,
/// and p and t are made of inputs and parameters. k is still drawn, so that p is a probability in both.
fn mixture_law(m: &Mechanism, keep: &Name, other: &Name, response: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "MIXTURE-LAW";
    let at_keep = only_setting(LAW, m, keep)?;
    let at_other = only_setting(LAW, m, other)?;
    let Some(Statement::Draw { law: Distribution::Bernoulli(p), .. }) = m.body.get(at_keep) else {
        return refuse(LAW, format!("{keep} is not a Bernoulli draw"));
    };
    let Some(Statement::Draw { law: Distribution::UniformInt { low, high }, .. }) = m.body.get(at_other)
    else {
        return refuse(LAW, format!("{other} is not drawn uniformly between two integers"));
    };
    // The value is an input, whose sort says that it is one of those among which the other is drawn.
    let category = m.inputs.iter().find_map(|input| match &input.sort {
        Sort::Category { count } if reaches(high, count) => {
            let whole =
                Expr::var(keep.clone()).choose(Expr::var(input.name.clone()), Expr::var(other.clone()));
            let mut found = has_part(&m.output, &whole);
            for_each_expr(&m.body, &mut |e| found |= has_part(e, &whole));
            found.then_some((input, count, whole))
        }
        _ => None,
    });
    let Some((input, count, whole)) = category else {
        return refuse(LAW, format!("{other} does not stand in for an input among as many categories"));
    };
    if *low != Expr::int(0) {
        return refuse(LAW, format!("{other} is not drawn from 0 on"));
    }
    // A response among fewer has no value, where the mixture has one.
    if !is_several(m, count) {
        return refuse(LAW, format!("there are not plainly two categories of {}", input.name));
    }
    for e in [p, count] {
        check_fixed(LAW, m, e)?;
    }
    let rewrite = |e: &Expr| (*e == whole).then(|| Expr::var(response.clone()));
    let truth = p.clone() + (Expr::int(1) - p.clone()) / count.clone();
    let law = Distribution::Response { value: Expr::var(input.name.clone()), truth, count: count.clone() };
    let kept = m.body[at_keep].clone();
    let mut rewritten = replace_draws(LAW, m, (at_keep, keep), (at_other, other), (response, law), &rewrite)?;
    rewritten.body.insert(0, kept);
    Ok(rewritten)
}

/// Whether a count of categories, an integer, is at least 2 as it is written or as an assumption says.
fn is_several(m: &Mechanism, count: &Expr) -> bool {
    fn says(assumption: &Expr, count: &Expr) -> bool {
        let Expr::Binary(operation, a, b) = assumption else { return false };
        let (more, bound, least) = match operation {
            Binary::And => return says(a, count) || says(b, count),
            Binary::Ge => (a, b, 2),
            Binary::Le => (b, a, 2),
            Binary::Gt => (a, b, 1),
            Binary::Lt => (b, a, 1),
            _ => return false,
        };
        **more == *count && matches!(&**bound, Expr::Number(bound) if *bound >= Rational::from(least))
    }
    match count {
        Expr::Number(count) => *count >= Rational::from(2),
        // What is said of rows or entries says nothing where there are none.
        _ => (m.assumptions.iter())
            .filter(|a| tables::of_rows(a).is_none() && lists::of_entries(a).is_none())
            .any(|assumption| says(assumption, count)),
    }
}

/// Whether a number is one below a count.
fn reaches(high: &Expr, count: &Expr) -> bool {
    match (high, count) {
        (Expr::Number(high), Expr::Number(count)) => high + Rational::ONE == *count,
        _ => *high == count.clone() - Expr::int(1),
    }
}

fn has_part(e: &Expr, part: &Expr) -> bool {
    e == part || e.parts().into_iter().flatten().any(|inner| has_part(inner, part))
}

/// The most iterations that are written out.
const MAX_ROUNDS: usize = 1_000;

/// ```text
/// for i in a..b { c }   =   c[i := a]; c[i := a + 1]; …; c[i := b − 1]
/// ```
/// a and b are numbers. Nothing assigns the index, and nothing but loops over it mentions it outside of the loop. Without rounds nothing that
/// stays is of another kind: what is never set has any value of its kind.
fn unroll(m: &Mechanism, index: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "UNROLL";
    let place = m.body.iter().position(|s| matches!(s, Statement::For { index: i, .. } if i == index));
    let Some((place, Statement::For { from, to, body, .. })) =
        place.and_then(|place| Some((place, m.body.get(place)?)))
    else {
        return refuse(LAW, format!("no loop at the top level counts {index}"));
    };
    let (Some(from), Some(to)) = (whole_number(from), whole_number(to)) else {
        return refuse(LAW, format!("the bounds of the loop over {index} are no numbers"));
    };
    if to.saturating_sub(from) > MAX_ROUNDS as i64 {
        return Err(Rejection::TooLarge);
    }
    if settings(body, index) > 0 {
        return refuse(LAW, format!("the body sets {index}"));
    }
    let mut whole = m.body[..place].to_vec();
    for round in from..to {
        let at = |e: &Expr| (*e == Expr::var(index.clone())).then(|| Expr::int(round));
        whole.extend(map_block(body, &at));
    }
    whole.extend_from_slice(&m.body[place + 1..]);
    let rewritten = Mechanism { body: whole, ..m.clone() };
    if mentions(&rewritten.output, index) || mentions_outside(&rewritten.body, index) {
        return refuse(LAW, format!("{index} is used outside of its loop"));
    }
    if from >= to && !Kinds::new(&rewritten)?.are_those_of(&Kinds::new(m)?) {
        return refuse(
            LAW,
            format!("the loop over {index} has no rounds and says what kind a variable is of"),
        );
    }
    Ok(rewritten)
}

/// ```text
/// for i in a..b { c }   =   for i in a..max(a, b) { c }
/// ```
/// Every loop over i whose bounds stay as they are: no statement sets what they mention, but for the loops around.
fn range(m: &Mechanism, index: &Name) -> Result<Mechanism, Rejection> {
    let body = reaching(&m.body, index, &m.body);
    if body == m.body {
        return refuse("RANGE", format!("no loop counts {index} between bounds that stay as they are"));
    }
    Ok(Mechanism { body, ..m.clone() })
}

/// The block with loops over an index that end where they begin, or later.
fn reaching(body: &[Statement], index: &Name, whole: &[Statement]) -> Vec<Statement> {
    let inside = |body: &[Statement]| reaching(body, index, whole);
    let one = |statement: &Statement| match statement {
        Statement::For { index: i, from, to, body } => {
            let stays = |name: &Name| is_only_counted(whole, name) && settings(body, name) == 0;
            let moves = |v: &Variable| !matches!(v, Variable::Plain(name) if stays(name));
            let fixed = [from, to].into_iter().all(|bound| bound.find_variable(&moves).is_none());
            let to = if i == index && fixed { from.clone().max(to.clone()) } else { to.clone() };
            Statement::For { index: i.clone(), from: from.clone(), to, body: inside(body) }
        }
        other => other.map_blocks(&inside),
    };
    body.iter().map(one).collect()
}

/// Whether nothing sets a name but loops that count it.
fn is_only_counted(body: &[Statement], name: &Name) -> bool {
    body.iter().all(|statement| match statement {
        Statement::Draw { var: set, .. }
        | Statement::Assign { var: set, .. }
        | Statement::Append { list: set, .. } => set != name,
        Statement::If { then, otherwise, .. } => {
            is_only_counted(then, name) && is_only_counted(otherwise, name)
        }
        Statement::For { body, .. } | Statement::While { body, .. } => is_only_counted(body, name),
    })
}

pub(crate) fn whole_number(e: &Expr) -> Option<i64> {
    match e {
        Expr::Number(n) if n.is_int() => i64::try_from(n.numerator().clone()).ok(),
        _ => None,
    }
}

/// Whether a block mentions a name other than in loops over it.
pub(crate) fn mentions_outside(body: &[Statement], name: &Name) -> bool {
    body.iter().any(|statement| match statement {
        Statement::For { index, .. } if index == name => false,
        Statement::For { from, to, body, .. } => {
            mentions(from, name) || mentions(to, name) || mentions_outside(body, name)
        }
        Statement::While { guard, body, .. } => mentions(guard, name) || mentions_outside(body, name),
        Statement::If { guard, then, otherwise } => {
            mentions(guard, name) || mentions_outside(then, name) || mentions_outside(otherwise, name)
        }
        other => {
            let mut found = false;
            for_each_expr(std::slice::from_ref(other), &mut |e| found |= mentions(e, name));
            found
        }
    })
}

/// Replaces two draws by one, and the expression in which alone they occur by the new variable.
pub(crate) fn replace_draws(
    law_name: &'static str,
    m: &Mechanism,
    (at_a, a): (usize, &Name),
    (at_b, b): (usize, &Name),
    (new, law): (&Name, Distribution),
    rewrite: &dyn Fn(&Expr) -> Option<Expr>,
) -> Result<Mechanism, Rejection> {
    check_new(law_name, m, new)?;
    let (first, last) = (at_a.min(at_b), at_a.max(at_b));
    let mut early = false;
    for_each_expr(&m.body[..last], &mut |e| early |= mentions(e, a) || mentions(e, b));
    if early || first == last {
        return refuse(law_name, format!("{a} or {b} is used before both are drawn"));
    }
    let mut body = map_block(&m.body, rewrite);
    body[first] = Statement::Draw { var: new.clone(), law };
    body.remove(last);
    // Moving the later draw forward is fine: the draws are independent and nothing between reads either.
    let rewritten = Mechanism { body, output: m.output.rewrite(rewrite), ..m.clone() };
    let mut left = mentions(&rewritten.output, a) || mentions(&rewritten.output, b);
    for_each_expr(&rewritten.body, &mut |e| left |= mentions(e, a) || mentions(e, b));
    if left {
        return refuse(law_name, format!("{a} or {b} is also used on its own"));
    }
    Ok(rewritten)
}

/// ```text
/// x = e; C[x]   =   C[e]
/// ```
/// x is set once, at the top level; nothing that e mentions is set later, and x is not used before.
fn inline(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "INLINE";
    let at = only_setting(LAW, m, var)?;
    let Some(Statement::Assign { value, .. }) = m.body.get(at) else {
        return refuse(LAW, format!("{var} is not assigned"));
    };
    if *value == Expr::EmptyList || mentions(value, var) {
        return refuse(LAW, format!("{var} does not stand for a value"));
    }
    let mut early = false;
    for_each_expr(&m.body[..at], &mut |e| early |= mentions(e, var));
    let later = &m.body[at + 1..];
    let changes = value.find_variable(&|v| matches!(v, Variable::Plain(name) if settings(later, name) > 0));
    if early {
        return refuse(LAW, format!("{var} is used before it is set"));
    }
    if let Some(name) = changes {
        return refuse(LAW, format!("{name} changes after {var} is set from it"));
    }
    let rewrite = |e: &Expr| (*e == Expr::var(var.clone())).then(|| value.clone());
    let mut body = map_block(&m.body, &rewrite);
    body.remove(at);
    Ok(Mechanism { body, output: m.output.rewrite(&rewrite), ..m.clone() })
}

/// ```text
/// if g { y = a } else { y = b }   =   y = if g then a else b
/// ```
fn conditional(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "CONDITIONAL";
    let mut body = m.body.clone();
    for statement in &mut body {
        let Statement::If { guard, then, otherwise } = statement else { continue };
        let ([Statement::Assign { var: x, value: a }], [Statement::Assign { var: y, value: b }]) =
            (then.as_slice(), otherwise.as_slice())
        else {
            continue;
        };
        if x == var && y == var && *a != Expr::EmptyList && *b != Expr::EmptyList {
            let value = guard.clone().choose(a.clone(), b.clone());
            *statement = Statement::Assign { var: var.clone(), value };
            return Ok(Mechanism { body, ..m.clone() });
        }
    }
    refuse(LAW, format!("no conditional assigns {var} once in each branch and nothing else"))
}

/// ```text
/// c; return e   =   c; y = e; return y
/// ```
fn name(m: &Mechanism, var: &Name) -> Result<Mechanism, Rejection> {
    const LAW: &str = "NAME";
    check_new(LAW, m, var)?;
    // A list is a variable already, and is never copied.
    if matches!(m.output, Expr::Var(_) | Expr::EmptyList) {
        return refuse(LAW, "the output has a name");
    }
    let mut body = m.body.clone();
    body.push(Statement::Assign { var: var.clone(), value: m.output.clone() });
    Ok(Mechanism { body, output: Expr::var(var.clone()), ..m.clone() })
}

pub(crate) fn mentions(e: &Expr, name: &Name) -> bool {
    e.mentions(&Variable::Plain(name.clone()))
}

/// How often a block sets a name, as a variable, list or loop index.
pub(crate) fn settings(body: &[Statement], name: &Name) -> usize {
    body.iter()
        .map(|statement| match statement {
            Statement::Draw { var, .. } | Statement::Assign { var, .. } => usize::from(var == name),
            Statement::Append { list, .. } => usize::from(list == name),
            Statement::If { then, otherwise, .. } => settings(then, name) + settings(otherwise, name),
            Statement::For { index, body, .. } => usize::from(index == name) + settings(body, name),
            Statement::While { body, .. } => settings(body, name),
        })
        .sum()
}

/// The place of the one statement that sets `name`, at the top level of the body.
pub(crate) fn only_setting(law: &'static str, m: &Mechanism, name: &Name) -> Result<usize, Rejection> {
    let here = m.body.iter().position(|statement| {
        matches!(statement, Statement::Draw { var, .. } | Statement::Assign { var, .. } if var == name)
    });
    match here {
        Some(at) if settings(&m.body, name) == 1 => Ok(at),
        _ => refuse(law, format!("{name} is not set exactly once, at the top level")),
    }
}

/// A name that the mechanism does not use yet.
pub(crate) fn check_new(law: &'static str, m: &Mechanism, name: &Name) -> Result<(), Rejection> {
    let declared = m.inputs.iter().any(|i| i.name == *name) || m.params.iter().any(|p| p.name == *name);
    let mut used = declared || settings(&m.body, name) > 0 || mentions(&m.output, name);
    for_each_expr(&m.body, &mut |e| used |= mentions(e, name));
    if used { refuse(law, format!("the name {name} is taken")) } else { Ok(()) }
}

/// An expression made of inputs and parameters only: nothing sets its variables.
pub(crate) fn check_fixed(law: &'static str, m: &Mechanism, e: &Expr) -> Result<(), Rejection> {
    match e.find_variable(&|v| !matches!(v, Variable::Plain(name) if settings(&m.body, name) == 0)) {
        None => Ok(()),
        Some(v) => refuse(law, format!("'{e}' mentions {v}, which the program sets")),
    }
}

/// Replaces parts of every expression of a block.
pub(crate) fn map_block(body: &[Statement], rewrite: &dyn Fn(&Expr) -> Option<Expr>) -> Vec<Statement> {
    let e = |e: &Expr| e.rewrite(rewrite);
    body.iter()
        .map(|statement| match statement {
            Statement::Draw { var, law } => Statement::Draw { var: var.clone(), law: law::map(law, &e) },
            Statement::Assign { var, value } => Statement::Assign { var: var.clone(), value: e(value) },
            Statement::Append { list, value } => Statement::Append { list: list.clone(), value: e(value) },
            Statement::If { guard, then, otherwise } => Statement::If {
                guard: e(guard),
                then: map_block(then, rewrite),
                otherwise: map_block(otherwise, rewrite),
            },
            Statement::For { index, from, to, body } => Statement::For {
                index: index.clone(),
                from: e(from),
                to: e(to),
                body: map_block(body, rewrite),
            },
            Statement::While { label, guard, body } => {
                Statement::While { label: label.clone(), guard: e(guard), body: map_block(body, rewrite) }
            }
        })
        .collect()
}
