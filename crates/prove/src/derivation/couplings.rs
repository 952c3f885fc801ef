//! Couplings with every expression replaced.

use probity_kernel::expr::Expr;
use probity_kernel::term::Coupling;

/// The coupling with every expression replaced.
pub(crate) fn map_coupling(coupling: &Coupling, e: &dyn Fn(&Expr) -> Expr) -> Coupling {
    let two = |(a, b): &(Expr, Expr)| (e(a), e(b));
    match coupling {
        Coupling::Null => Coupling::Null,
        Coupling::Shift { by, cost } => Coupling::Shift { by: e(by), cost: e(cost) },
        Coupling::Select { threshold, strict, above, below } => Coupling::Select {
            threshold: e(threshold),
            strict: *strict,
            above: two(above),
            below: two(below),
        },
        Coupling::Scale { cost } => Coupling::Scale { cost: e(cost) },
        Coupling::SameValue { ratio } => Coupling::SameValue { ratio: two(ratio) },
        Coupling::Equal { distance, cost } => Coupling::Equal { distance: e(distance), cost: e(cost) },
        Coupling::Chosen { low, high, cost } => {
            Coupling::Chosen { low: e(low), high: e(high), cost: e(cost) }
        }
        Coupling::SignedLog { by, cost } => Coupling::SignedLog { by: e(by), cost: e(cost) },
    }
}
