//! Mechanisms as people write them, without a proof block: what holds is proved, what does not is never proved, and no
//! search goes on for ever.

use std::fs;
use std::path::{Path, PathBuf};

use probity_kernel::expr::Expr;
use probity_kernel::term::Hints;
use probity_prove::derivation::Reason;
use probity_prove::{Proof, certificate, prove};

fn programs(folder: &str) -> Vec<(String, probity_lang::Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "dp"));
    paths.sort();
    let load = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, probity_lang::load(&path).unwrap_or_else(|error| panic!("{error}")))
    };
    paths.into_iter().map(load).collect()
}

fn unaided(program: &probity_lang::Program) -> Result<Proof, probity_prove::derivation::Failure> {
    prove(&program.mechanism, &program.claim, &Hints::default())
}

#[test]
fn no_mechanism_of_the_library_needs_its_proof_block() {
    let all = programs("mechanisms");
    assert!(all.len() >= 20);
    for (name, program) in all {
        let proof = unaided(&program).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(proof.theorem().claim(), &program.claim);
    }
}

#[test]
fn what_people_write_is_proved() {
    let all = programs("tests/prove");
    assert!(all.len() >= 60);
    for (name, program) in all {
        let proof = unaided(&program).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(proof.theorem().mechanism(), &program.mechanism, "{name}");
        // What was found can be written down and replayed.
        let text = certificate::write(&proof);
        let theorem = certificate::check_for(&text, &program.mechanism, &program.claim);
        assert!(theorem.is_ok(), "{name}: {}", theorem.unwrap_err());
    }
}

/// Claims with room to spare: a hundredth less is still true.
const LOOSE: &[&str] = &["loose", "nest6"];

#[test]
fn a_hundredth_less_is_not_proved() {
    // A search that fails takes its time: without the feature `exhaustive` a third of the programs is tried.
    let all = [programs("mechanisms"), programs("tests/prove")].concat().into_iter().enumerate();
    let tried = |number: usize| cfg!(feature = "exhaustive") || number.is_multiple_of(3);
    for (name, mut program) in all.filter(|(number, _)| tried(*number)).map(|(_, named)| named) {
        program.claim.epsilon = program.claim.epsilon * (Expr::int(99) / Expr::int(100));
        assert_eq!(unaided(&program).is_ok(), LOOSE.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn what_is_broken_is_not_proved() {
    let all = [programs("mechanisms/broken"), programs("tests/prove/broken")].concat();
    assert!(all.len() >= 45);
    for (name, program) in all {
        assert!(unaided(&program).is_err(), "{name}");
    }
}

fn load(text: &str) -> probity_lang::Program {
    probity_lang::load_text(text).unwrap_or_else(|faults| panic!("{text}\n{faults:?}"))
}

/// Eight draws of which any could pay, none enough: the combinations are more than can be tried.
#[test]
fn a_search_without_end_is_cut_off() {
    let names: Vec<String> = (0..8).map(|n| format!("y{n}")).collect();
    let draws: String = names.iter().map(|name| format!("{name} ~ laplace(1 / eps)\n")).collect();
    let sum = names.join(" + ");
    let program = load(&format!(
        "mechanism sum(x: real)\nparam eps > 0\n{draws}return x + {sum}\nneighbours abs(x' - x) <= 1\nclaim eps / 2\n"
    ));
    let failure = unaided(&program).unwrap_err();
    assert_eq!(failure.reason, Reason::OutOfSteps, "{failure}");
    assert!(failure.to_string().contains("used up its steps"), "{failure}");
}

/// Texts whose formulas double at every step end in a refusal, and soon.
#[test]
fn formulas_that_explode_are_refused() {
    let folds: String = (0..12).map(|n| format!("z = abs(z - {n})\n")).collect();
    let nested = format!(
        "mechanism folds(x: real)\nparam eps > 0\nz = x\n{folds}y ~ laplace(z, 1 / eps)\nreturn y\n\
         neighbours abs(x' - x) <= 1\nclaim eps\n"
    );
    let params: String = (0..12).map(|n| format!("param p{n} > 0\n")).collect();
    let product = (0..12).map(|n| format!("(1 + p{n})")).collect::<Vec<_>>().join(" * ");
    let wide = format!(
        "mechanism wide(x: real)\n{params}y ~ laplace(x, 1 / ({product}))\nreturn y\n\
         neighbours abs(x' - x) <= 1\nclaim {product}\n"
    );
    let coins: String = (0..20).map(|n| format!("b{n} ~ bernoulli(if x then 3/4 else 1/4)\n")).collect();
    let all = (0..20).map(|n| format!("b{n}")).collect::<Vec<_>>().join(" and ");
    let many = format!("mechanism coins(x: bool)\n{coins}return {all}\nneighbours any\nclaim 20 * ln(3)\n");
    for text in [nested, wide, many] {
        assert!(unaided(&load(&text)).is_err(), "{text}");
    }
}
