//! What is refused is refused before anything is drawn, and says what happened; what runs is proved.

use crate::common;

use std::sync::Arc;

use common::{mechanism, settings};
use probity_exact::{parse_rational, rational};
use probity_noise::entropy::SecureEntropy;
use probity_run::{InputError, Inputs, Proved, RunError, Value};

fn entropy() -> SecureEntropy {
    SecureEntropy::new().unwrap()
}

#[test]
fn the_library_runs_as_the_issue_says() {
    let vector =
        Proved::load(&mechanism("sparse_vector")).unwrap().with(&settings("eps=1 N=3 T=100")).unwrap();
    let value = vector.run(&"q=[98, 103, 97, 140]".parse().unwrap(), &mut entropy()).unwrap();
    let Value::List(items) = value else { panic!("{value}") };
    assert!(!items.is_empty() && items.iter().all(|item| matches!(item, Value::Truth(_))));
    assert!(vector.theorem().to_string().contains("is differentially private with epsilon = 1"));
    assert_eq!(vector.certificate().len(), 64);

    let laplace = Proved::load(&mechanism("laplace")).unwrap().with(&settings("eps=1/2")).unwrap();
    assert_eq!(laplace.loss(1).epsilon.unwrap().to_string(), "1/2");
    assert_eq!(laplace.loss(1_000_000).epsilon.unwrap().to_string(), "500000");
    let inputs: Inputs = "x=41.7".parse().unwrap();
    let error = laplace.run(&inputs, &mut entropy()).unwrap_err();
    assert!(matches!(error, RunError::NeedsGrid { .. }), "{error}");
    let on_grid = laplace.on_grid(rational(1, 1024).unwrap()).unwrap();
    let Value::Number(number) = on_grid.run(&inputs, &mut entropy()).unwrap() else { panic!() };
    assert!((number.to_rational() * rational(1024, 1).unwrap()).is_int());
}

#[test]
fn nothing_runs_unproved() {
    let half = "mechanism m(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / (2 * eps))\nreturn y > 0\n\
                neighbours abs(x' - x) <= 1\nclaim eps";
    let error = Proved::load(half).unwrap().with(&settings("eps=1")).unwrap_err();
    assert!(error.is_verdict() && matches!(error, RunError::NotProved { .. }), "{error}");
    assert!(Proved::load(half).unwrap().unproved_with(&settings("eps=1")).is_ok());
    let float = half.replace("2 * eps", "eps").replace("claim eps", "claim 2 * eps in binary64");
    let error = Proved::load(&float).unwrap().with(&settings("eps=1")).unwrap_err();
    assert!(error.is_verdict() && matches!(error, RunError::FloatClaim { .. }), "{error}");
}

/// A theorem about no two inputs is true, and no answer is private by it.
#[test]
fn nothing_runs_by_a_theorem_about_nothing() {
    let text = |output: &str, neighbours: &str| {
        format!(
            "mechanism m(x: int)\nparam d\ny ~ discrete_laplace(x, 1)\nreturn {output}\nneighbours {neighbours}\nclaim max(0, d)"
        )
    };
    for (output, neighbours, d) in [
        ("y", "abs(x' - x) <= d", "d=0"),
        ("y", "abs(x' - x) <= d", "d=-1"),
        ("y", "abs(x' - x) <= 1 and 1 == 2", "d=0"),
        ("x", "abs(x' - x) <= -1", "d=1"),
    ] {
        let loaded = Proved::load(&text(output, neighbours)).unwrap();
        let error = loaded.with(&settings(d)).unwrap_err();
        assert!(error.is_verdict() && matches!(error, RunError::Vacuous { .. }), "{neighbours} {d}: {error}");
        assert!(loaded.unproved_with(&settings(d)).is_ok());
    }
    assert!(Proved::load(&text("y", "abs(x' - x) <= d")).unwrap().with(&settings("d=1")).is_ok());
}

#[test]
fn a_certificate_must_be_of_this_text() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../certificates");
    let read = |name: &str| std::fs::read_to_string(root.join(format!("{name}.cert"))).unwrap();
    let text = Proved::load(&mechanism("sparse_vector")).unwrap();
    let set = settings("eps=1 N=3 T=100");
    let replayed = text.clone().by_certificate(read("sparse_vector")).with(&set).unwrap();
    assert!(replayed.theorem().to_string().contains("param eps"));
    let error = text.clone().by_certificate(read("laplace")).with(&set).unwrap_err();
    assert!(error.is_verdict() && matches!(error, RunError::Certificate { .. }), "{error}");
    let broken = read("sparse_vector").replacen("shift", "shitf", 1);
    assert!(text.by_certificate(broken).with(&set).unwrap_err().is_verdict());
}

#[test]
fn inputs_are_checked_before_anything_is_drawn() {
    let snapping = Proved::load(&mechanism("snapping")).unwrap();
    assert!(matches!(snapping.with(&settings("eps=1")), Err(RunError::MissingParameter { .. })));
    assert!(matches!(snapping.with(&settings("eps=0 B=1")), Err(RunError::Setting(_))));
    let proved = snapping.with(&settings("eps=1 B=3")).unwrap();
    let refused = |text: &str| proved.prepare(&text.parse().unwrap()).unwrap_err();
    let error = refused("x=3.000001");
    assert!(
        matches!(error, RunError::Assumption { .. }) && !error.to_string().contains("3.000001"),
        "{error}"
    );
    assert!(proved.prepare(&"x=3".parse().unwrap()).is_ok());
    assert!(matches!(refused("y=1"), RunError::Input(InputError::Unknown { .. })));
    assert!(matches!(refused("x=true"), RunError::Input(InputError::WrongType { .. })));
    assert!(matches!(refused("x=[1]"), RunError::Input(InputError::WrongType { .. })));
    let none = proved.prepare(&Inputs::new()).unwrap_err();
    assert!(matches!(none, RunError::Input(InputError::Missing { .. })), "{none}");

    let response =
        Proved::load(&mechanism("randomized_response")).unwrap().with(&settings("t=3 p=1/2")).unwrap();
    assert!(response.prepare(&"x=2".parse().unwrap()).is_ok());
    for wrong in ["x=3", "x=-1"] {
        assert!(
            matches!(response.prepare(&wrong.parse().unwrap()), Err(RunError::Assumption { .. })),
            "{wrong}"
        );
    }
    assert!(matches!(
        response.prepare(&"x=1/2".parse().unwrap()),
        Err(RunError::Input(InputError::WrongType { .. }))
    ));
    assert!(matches!(response.clone().on_grid(rational(0, 1).unwrap()), Err(RunError::Grid { .. })));
    assert_eq!(response.loss(1).epsilon.unwrap().to_string(), "ln(1/2 * (3 - 1) / (1 - 1/2))");
    let upper = response.loss(2).epsilon.unwrap().at_most();
    assert!((1.386294361..1.386294362).contains(&upper), "{upper}");
    let vector = Proved::load(&mechanism("sparse_vector")).unwrap().with(&settings("eps=1 N=1 T=0")).unwrap();
    assert!(matches!(vector.on_grid(rational(1, 1).unwrap()), Err(RunError::Grid { .. })));
}

#[test]
fn threads_share_what_is_proved() {
    let text = Proved::load(&mechanism("noisy_max_laplace")).unwrap();
    let proved = Arc::new(text.with(&settings("eps=1")).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let proved = proved.clone();
            std::thread::spawn(move || {
                let mut session = proved.prepare(&"q=[1, 2, 3]".parse().unwrap()).unwrap();
                let mut seen = 0;
                session
                    .runs(100, &mut entropy(), |_| {
                        seen += 1;
                        true
                    })
                    .unwrap();
                (seen, session.draws())
            })
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), (100, Some(300)));
    }
}

/// Draws with numbers of ten thousand digits would take minutes: public numbers of that length are refused at once, and shorter ones run.
#[test]
fn long_parameters_are_refused() {
    let laplace = Proved::load(&mechanism("laplace")).unwrap();
    for value in ["eps=1e-10000", "eps=1e10000", "eps=1e-2000"] {
        let start = std::time::Instant::now();
        let refused = laplace.with(&settings(value)).unwrap_err();
        assert_eq!(refused, RunError::LongParameter { name: "eps".into() }, "{value}");
        assert!(refused.to_string().contains("eps has more than 4200 bits") && refused.hint().is_some());
        assert!(!refused.tells_of_inputs() && start.elapsed().as_secs_f64() < 5.0);
        assert!(laplace.unproved_with(&settings(value)).is_err(), "{value}");
    }
    let proved = laplace.with(&settings("eps=1e-1000")).unwrap();
    let long = parse_rational("1e-2000").unwrap();
    assert!(matches!(proved.clone().on_grid(long), Err(RunError::Grid { .. })));
    assert!(proved.on_grid(parse_rational("1").unwrap()).is_ok());
}

/// Names are looked at before a proof is looked for, and nothing runs without its rows.
#[test]
fn tables_are_those_of_the_text() {
    let text = Proved::load(&mechanism("count")).unwrap();
    let wrong = text.clone().awaiting_table("pple").with(&settings("eps=1")).unwrap_err();
    assert_eq!(wrong, RunError::UnknownTable { name: "pple".into() });
    let missing = text.with(&settings("eps=1")).unwrap_err();
    assert_eq!(missing, RunError::Table { name: "people".into() });
    let awaiting = text.awaiting_table("people").with(&settings("eps=1")).unwrap();
    let empty = awaiting.run(&Inputs::new(), &mut entropy()).unwrap_err();
    assert!(matches!(empty, RunError::Malformed { .. }), "{empty}");
}
