//! Probity's side.

use probity_exact::directed::{add_up, div_up, exp_up, ln_up, mul_up, sub_up};

use crate::work::{Work, over_operands};

/// Our directed arithmetic by name.
pub fn directed(name: &str) -> Option<Work> {
    Some(match name {
        "add_up" => over_operands(add_up),
        "sub_up" => over_operands(sub_up),
        "mul_up" => over_operands(mul_up),
        "div_up" => over_operands(div_up),
        "ln_up" => over_operands(|a, _| ln_up(a)),
        "exp_up" => over_operands(|a, _| exp_up(a)),
        _ => return None,
    })
}
