//! Equations between products, as those of roots and quotients: which multiples of them a question needs.

use std::borrow::Cow;
use std::collections::BTreeSet;

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Unary, Variable};
use probity_kernel::poly::{Monomial, Poly};

use crate::evidence::linear::rows::{Row, degree};

/// The most equations between products that follow from those between their parts.
const MAX_REDUCED: usize = 120;
/// The highest degree of a product of which a part is replaced.
const MAX_REDUCED_DEGREE: u32 = 12;

/// The smallest product of which two products of positive powers are parts.
fn least_multiple(a: &Monomial, b: &Monomial) -> Monomial {
    let mut whole = a.clone();
    for (atom, power) in b.powers() {
        let known = a.powers().find(|(other, _)| *other == atom).map_or(0, |(_, power)| power);
        for _ in known..power {
            if let Some((single, _)) = Poly::atom(atom.clone()).as_term() {
                whole = whole.times(single);
            }
        }
    }
    whole
}

/// Whether a product is the square of a root.
fn is_square_of_root(m: &Monomial) -> bool {
    let mut powers = m.powers();
    matches!((powers.next(), powers.next()), (Some((Expr::Unary(Unary::Sqrt, _), 2)), None))
}

/// Products in which the quotients by two roots meet what is under one of them: i²·j²·a, with i·r = 1, j·s = 1, r² = a and s² = b. They
/// say how i² and j² compare.
fn compared_roots(equations: &[(&Row<'_>, &Monomial, Option<&Monomial>)]) -> Vec<Monomial> {
    // The square of what divides by a root, and what is under the root.
    let mut inverses: Vec<(Monomial, &Monomial)> = Vec::new();
    for (_, lead, rest) in equations {
        let (true, Some(inside), Some((root, _))) = (is_square_of_root(lead), rest, lead.powers().next())
        else {
            continue;
        };
        for (_, other, _) in equations.iter().filter(|(_, other, _)| degree(other) == 2) {
            let with_root = other.powers().any(|(atom, _)| atom == root);
            let inverse = other.powers().find(|(atom, _)| matches!(atom, Expr::Binary(..)));
            if let (true, Some((inverse, _))) = (with_root, inverse)
                && let Some((single, _)) = Poly::atom(inverse.clone()).as_term()
            {
                inverses.push((single.times(single), inside));
            }
        }
    }
    let mut found = Vec::new();
    for (at, (square, inside)) in inverses.iter().enumerate() {
        for (other, _) in inverses[at + 1..].iter().filter(|(other, _)| other != square) {
            found.push(square.times(other).times(inside));
        }
    }
    found.truncate(MAX_COMPARED);
    found
}

/// Products in which two quotients meet what both are quotients by: i·j·s, with i·s = 1 and 2·j·s = 1. They say how i and j compare.
fn compared_quotients(equations: &[(&Row<'_>, &Monomial, Option<&Monomial>)]) -> Vec<Monomial> {
    let is_quotient = |atom: &Expr| matches!(atom, Expr::Binary(Binary::Div, ..));
    let divisor =
        |m: &Monomial| m.powers().find(|(atom, _)| !is_quotient(atom)).map(|(atom, _)| atom.clone());
    let of_one = |(_, lead, rest): &&(&Row<'_>, &Monomial, Option<&Monomial>)| {
        rest.is_some_and(Monomial::is_one) && lead.powers().any(|(atom, _)| is_quotient(atom))
    };
    let inverses: Vec<&Monomial> = equations.iter().filter(of_one).map(|(_, lead, _)| *lead).collect();
    let mut found = Vec::new();
    for (at, one) in inverses.iter().enumerate() {
        let Some(by) = divisor(one) else { continue };
        for other in &inverses[at + 1..] {
            if one != other && other.powers().any(|(atom, _)| *atom == by) {
                found.push(least_multiple(one, other));
            }
        }
    }
    found.truncate(MAX_COMPARED);
    found
}

/// The most pairs of roots, or of quotients, that are compared.
const MAX_COMPARED: usize = 4;

/// Equations between two products, L = m, times what makes L a product in use; and again for the products that this brings.
/// So a quotient by a root meets what is under the root: from i·s = 1 and s·s = a follows a·i·i = 1.
pub(crate) fn reduced_rows<'a>(base: &[Row<'_>]) -> Vec<Row<'a>> {
    let whole = |m: &Monomial| m.powers().all(|(_, power)| power > 0);
    // A quotient by a root over a parameter, 1/(r/C), times the root is one times the parameter.
    let rooted = |m: &Monomial| {
        m.powers().any(|(atom, _)| matches!(atom, Expr::Unary(Unary::Sqrt, _)))
            && m.powers().all(|(atom, power)| power > 0 || is_parameter(atom))
    };
    let mut equations: Vec<(&Row<'_>, &Monomial, Option<&Monomial>)> = Vec::new();
    for row in base.iter().filter(|row| row.free) {
        let terms: Vec<&Monomial> = row.poly.terms().map(|(m, _)| m).collect();
        match terms.as_slice() {
            // What is 0 makes every product 0.
            [m] if whole(m) => equations.push((row, m, None)),
            [m, n] => {
                // What is under a root stands for the square of the root.
                let (lead, rest) = match (is_square_of_root(m), is_square_of_root(n)) {
                    (true, false) => (m, n),
                    (false, true) => (n, m),
                    _ if degree(m) >= degree(n) => (m, n),
                    _ => (n, m),
                };
                if degree(lead) > 1 && (whole(lead) || rooted(lead)) {
                    equations.push((row, lead, Some(rest)));
                }
            }
            _ => {}
        }
    }
    let mut rows: Vec<Row<'a>> = Vec::new();
    let sums = sums_under_roots(base);
    if equations.is_empty() && sums.is_empty() {
        return rows;
    }
    // What is divided by: an atom that occurs with another one in an equation, twice in a product.
    let square = |m: &Monomial| match m.powers().collect::<Vec<_>>().as_slice() {
        [(atom, 2)] => Some((*atom).clone()),
        _ => None,
    };
    let divides_by = |root: &Expr, product: &Monomial| {
        equations.iter().any(|(_, lead, _)| {
            lead.powers().any(|(atom, _)| atom == root)
                && lead.powers().any(|(atom, _)| {
                    atom != root
                        && matches!(atom, Expr::Binary(..))
                        && product.powers().any(|(other, power)| other == atom && power > 1)
                })
        })
    };
    let mut left: Vec<Monomial> = base
        .iter()
        .flat_map(|row| row.poly.terms().map(|(m, _)| m.clone()))
        .filter(|m| degree(m) > 1)
        .collect();
    // A product that is 0, times what makes it a multiple of another product that is known.
    for (_, zero, _) in equations.iter().filter(|(_, _, rest)| rest.is_none()) {
        for (_, lead, _) in equations.iter().filter(|(_, _, rest)| rest.is_some()) {
            let shared = lead.powers().any(|(atom, _)| zero.powers().any(|(other, _)| other == atom));
            if shared {
                left.push(least_multiple(zero, lead));
            }
        }
    }
    left.extend(compared_roots(&equations));
    left.extend(compared_quotients(&equations));
    for (row, multiplier) in sums {
        left.extend(row.poly.terms().map(|(m, _)| m.times(&multiplier)).filter(|m| degree(m) > 1));
        rows.extend(times(row, multiplier));
    }
    let mut seen: BTreeSet<Monomial> = BTreeSet::new();
    while let Some(monomial) = left.pop() {
        if rows.len() >= MAX_REDUCED
            || degree(&monomial) > MAX_REDUCED_DEGREE
            || !seen.insert(monomial.clone())
        {
            continue;
        }
        for (row, lead, rest) in &equations {
            let forward = monomial.times(&lead.inverse());
            let shrinks = forward
                .powers()
                .all(|(atom, power)| power > 0 || !lead.powers().any(|(a, p)| a == atom && p > 0));
            let multiplier = match rest {
                _ if shrinks => {
                    left.extend(rest.map(|rest| forward.times(rest)));
                    forward
                }
                Some(rest) if square(lead).is_some_and(|root| divides_by(&root, &monomial)) => {
                    let multiplier = monomial.times(&rest.inverse());
                    // Only a parameter is ever divided by.
                    if !multiplier.powers().all(|(atom, power)| power > 0 || matches!(atom, Expr::Var(_))) {
                        continue;
                    }
                    left.push(multiplier.times(lead));
                    multiplier
                }
                _ => continue,
            };
            rows.extend(times(row, multiplier));
        }
    }
    rows
}

/// An equation times a product.
fn times<'a>(row: &Row<'_>, multiplier: Monomial) -> Option<Row<'a>> {
    let poly = row.poly.times(&Poly::term(multiplier.clone(), Rational::ONE)).ok()?;
    let facts = row.facts.clone();
    Some(Row { poly: Cow::Owned(poly), strict: false, free: true, scale: vec![], facts, multiplier })
}

/// The most multiples of equations of a root with a sum.
const MAX_SUMS: usize = 40;

/// Equations of the square of a root with a sum, r² = x² + y², and what makes a term of the sum a product in use: so the squares of a
/// row that is divided by its norm meet the square of the norm, x²·i² + y²·i² = r²·i².
fn sums_under_roots<'r, 'f>(base: &'r [Row<'f>]) -> Vec<(&'r Row<'f>, Monomial)> {
    let used: BTreeSet<&Monomial> = base.iter().flat_map(|row| row.poly.terms().map(|(m, _)| m)).collect();
    let mut found: Vec<(&Row<'_>, Monomial)> = Vec::new();
    let of_sum = |row: &&Row<'_>| {
        row.free && row.poly.terms().count() > 2 && row.poly.terms().any(|(m, _)| is_square_of_root(m))
    };
    for row in base.iter().filter(of_sum) {
        let multipliers: BTreeSet<Monomial> = row
            .poly
            .terms()
            .filter(|(m, _)| degree(m) > 1 && !is_square_of_root(m))
            .flat_map(|(m, _)| used.iter().map(move |product| product.times(&m.inverse())))
            // Only a parameter is ever divided by.
            .filter(|m| !m.is_one())
            .filter(|m| m.powers().all(|(atom, power)| power > 0 || is_parameter(atom)))
            .collect();
        found.extend(multipliers.into_iter().map(|multiplier| (row, multiplier)));
    }
    found.truncate(MAX_SUMS);
    found
}

fn is_parameter(atom: &Expr) -> bool {
    matches!(atom, Expr::Var(Variable::Plain(_)))
}
