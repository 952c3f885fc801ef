//! Scales that have a distance as a factor, or that are made of a size, as abs(U - L) / eps is: the size is meant to bound what
//! changes, so what a change costs is read off the rest of the scale, without a quotient by the size.

use probity_kernel::expr::{Binary, Expr, Unary};

use crate::algebra::{divided, product};

/// A scale as factor·top/bottom.
struct Factored<'a> {
    factor: &'a Expr,
    top: Expr,
    bottom: Expr,
}

/// What a distance costs at a scale that has it as a factor, or that is made of a size, if the distance is at most that size.
pub(super) fn sized_price(distance: &Expr, scale: &Expr) -> Option<Expr> {
    let itself = |e: &Expr| e == distance && !matches!(e, Expr::Number(_));
    if let Some(Factored { top, bottom, .. }) = factored(scale, &itself) {
        return Some(divided(bottom, &top));
    }
    let Factored { top, bottom, .. } = factored(scale, &is_size)?;
    // 2·max(abs(L), abs(U)) is as large as U − L; a distance that is a size itself is compared with the size alone.
    Some(match (&top, is_size(distance)) {
        (Expr::Number(_), false) => bottom,
        _ => divided(bottom, &top),
    })
}

/// The size that a scale is made of.
pub(crate) fn size_of(scale: &Expr) -> Option<Expr> {
    factored(scale, &is_size).map(|known| known.factor.clone())
}

fn factored<'a>(scale: &'a Expr, wanted: &dyn Fn(&Expr) -> bool) -> Option<Factored<'a>> {
    if wanted(scale) {
        return Some(Factored { factor: scale, top: Expr::int(1), bottom: Expr::int(1) });
    }
    match scale {
        Expr::Binary(Binary::Mul, a, b) => match (factored(a, wanted), factored(b, wanted)) {
            (Some(known), None) => Some(Factored { top: product(known.top, (**b).clone()), ..known }),
            (None, Some(known)) => Some(Factored { top: product((**a).clone(), known.top), ..known }),
            _ => None,
        },
        Expr::Binary(Binary::Div, a, b) => {
            let known = factored(a, wanted)?;
            Some(Factored { bottom: product(known.bottom, (**b).clone()), ..known })
        }
        _ => None,
    }
}

/// Whether an expression says how large something is, by cases.
fn is_size(e: &Expr) -> bool {
    match e {
        Expr::Unary(Unary::Abs, _) | Expr::Binary(Binary::Min | Binary::Max, ..) | Expr::If(..) => true,
        Expr::Binary(Binary::Add | Binary::Sub, a, b) => is_size(a) || is_size(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_left_out_of_the_price() {
        let (l, u, eps) = (Expr::var("L"), Expr::var("U"), Expr::var("eps"));
        let width = u.clone() - l.clone();
        let size = width.clone().abs();
        assert_eq!(sized_price(&width, &(size.clone() / eps.clone())), Some(eps.clone()));
        assert_eq!(sized_price(&width, &(Expr::int(2) * size.clone() / eps.clone())), Some(eps.clone()));
        let half = eps.clone() / Expr::int(2);
        assert_eq!(sized_price(&size, &(Expr::int(2) * size.clone() / eps.clone())), Some(half));
        assert_eq!(sized_price(&u, &(width.clone() / eps.clone())), None);
        assert_eq!(sized_price(&width, &(size.clone() * size.clone() / eps.clone())), None);
        assert_eq!(size_of(&(Expr::int(2) * size.clone() / eps.clone())), Some(size));
        // A distance that is a factor of the scale.
        let root = Expr::var("d").sqrt();
        let scale = u.clone() * root.clone() / eps.clone();
        assert_eq!(sized_price(&u, &scale), Some(eps / root));
        assert_eq!(sized_price(&Expr::int(1), &(Expr::int(1) / u)), None);
    }
}
