//! Mechanisms whose parameters have values are proved like those with symbols, and no smaller claim is.

use std::path::Path;

use probity_kernel::expr::Expr;
use probity_lang::{Program, Setting};

fn load(name: &str, settings: &[&str]) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(name);
    let settings: Vec<Setting> = settings.iter().map(|text| text.parse().unwrap()).collect();
    probity_lang::load(path).unwrap().with(&settings).unwrap()
}

fn is_proved(program: &Program) -> bool {
    let hints = program.hints.clone().unwrap_or_default();
    probity_prove::prove(&program.mechanism, &program.claim, &hints).is_ok()
}

#[test]
fn values_in_place_of_symbols() {
    for eps in ["eps=1", "eps=0.1", "eps=7/3", "eps=100"] {
        for name in ["snapping.dp", "snapping_direct.dp", "laplace.dp", "partial_sum.dp", "sparse_vector.dp"]
        {
            let mut program = load(name, &[eps]);
            assert!(is_proved(&program), "{name} with {eps}");
            program.claim.epsilon = program.claim.epsilon * Expr::int(999) / Expr::int(1000);
            assert!(!is_proved(&program), "{name} with {eps} and a smaller claim");
        }
    }
}

#[test]
fn randomized_response_with_values() {
    assert!(is_proved(&load("randomized_response.dp", &["t=4", "p=1/2"])));
}
