//! Library mechanisms with a discrete answer, their exact laws, and how runs are held against laws.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use probity_audit::{Depth, Given as AuditGiven, Inputs as AuditInputs, Law, Outcome, integrated_law};
use probity_exact::{Natural, Rational, rational};
use probity_lang::{Program, load_text_in};
use probity_noise::entropy::tape::Tape;
use probity_run::{Given, Inputs, RunError, Session, Setting, Table, Text, Value};

/// A mechanism to be run on one input.
pub struct Case {
    pub name: &'static str,
    pub text: String,
    pub settings: Vec<Setting>,
    pub inputs: Inputs,
    tables: Vec<(&'static str, Table)>,
    audit_inputs: AuditInputs,
}

pub fn settings(text: &str) -> Vec<Setting> {
    text.split_whitespace().map(|part| part.parse().unwrap()).collect()
}

pub fn mechanism(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms").join(format!("{name}.dp"));
    fs::read_to_string(path).unwrap()
}

fn audit_given(given: &Given) -> AuditGiven {
    match given {
        Given::Number(value) => AuditGiven::Number(value.clone()),
        Given::Truth(value) => AuditGiven::Bool(*value),
        Given::List(items) => AuditGiven::List(
            items
                .iter()
                .map(|item| if let Given::Number(n) = item { n.clone() } else { Rational::ZERO })
                .collect(),
        ),
    }
}

impl Case {
    pub fn new(name: &'static str, text: String, set: &str, inputs: &[(&str, &str)]) -> Case {
        let mut run_inputs = Inputs::new();
        let mut audit_inputs = AuditInputs::new();
        for (input, value) in inputs {
            let given: Given = value.parse().unwrap();
            audit_inputs.insert((*input).into(), audit_given(&given));
            run_inputs = run_inputs.with(input, given);
        }
        Case { name, text, settings: settings(set), inputs: run_inputs, tables: Vec::new(), audit_inputs }
    }

    /// The same with the rows of a table, whose fields are numbers.
    pub fn with_table(mut self, name: &'static str, header: &[&str], rows: &[&[&str]]) -> Case {
        let texts = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
        let table = Table::of_texts(texts(header), rows.iter().map(|row| texts(row)).collect());
        let number = |text: &&str| AuditGiven::Number(probity_exact::parse_rational(text).unwrap());
        let given = rows.iter().map(|row| row.iter().map(number).collect()).collect();
        self.audit_inputs.insert(name.into(), AuditGiven::Rows(given));
        self.tables.push((name, table));
        self
    }

    pub fn program(&self) -> Program {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
        load_text_in(&self.text, &folder).unwrap_or_else(|faults| panic!("{}: {faults:?}", self.name))
    }

    /// Whether its numbers stay small enough to run, for all inputs.
    pub fn is_bounded(&self) -> bool {
        let unproved = Text::of(self.program()).unproved_with(&self.settings);
        !matches!(unproved, Err(RunError::TooLarge { .. }))
    }

    /// Not proved again here: these are the library's texts with a coarser answer.
    pub fn session(&self) -> Session {
        let text = Text::of(self.program());
        let text = self.tables.iter().fold(text, |text, (name, table)| text.with_table(name, table.clone()));
        let unproved = text.unproved_with(&self.settings);
        unproved.unwrap_or_else(|error| panic!("{}: {error}", self.name)).prepare(&self.inputs).unwrap()
    }

    /// The exact or enclosed law, by the audit.
    pub fn law(&self) -> Law {
        self.try_law().unwrap_or_else(|| panic!("the audit has no law of {}", self.name))
    }

    /// The same, where the audit has one.
    pub fn try_law(&self) -> Option<Law> {
        let program = self.program().with(&self.settings).unwrap();
        let depth = Depth { paths: 1 << 20, tail_bits: 48 };
        integrated_law(&program.mechanism, &Default::default(), &self.audit_inputs, depth).ok()
    }
}

/// The library. A real answer is made discrete: rounded and clamped, or compared. All of it is here:
/// `propose_test_release` and `stability_histogram` with a number in the place of their logarithm, with which the audit does not compare a draw;
/// `noisy_gradient_descent` with one step, after which the audit has no law; `income_by_region` with one of its four regions,
/// as two draws of eight leave bits enough.
pub fn library() -> Vec<Case> {
    let coarse = |name: &str, from: &str, to: &str| {
        let text = mechanism(name);
        assert!(text.contains(from), "{name} has no {from}");
        text.replace(from, to)
    };
    vec![
        Case::new(
            "discrete_laplace",
            coarse("discrete_laplace", "return y", "return clamp(y, -3, 4)"),
            "scale=4/3 d=1",
            &[("x", "1")],
        ),
        Case::new(
            "discrete_laplace_modular",
            coarse("discrete_laplace_modular", "param m", "param m"),
            "scale=5/2 d=1 m=3",
            &[("x", "2")],
        ),
        Case::new(
            "gap_sparse_vector",
            coarse(
                "gap_sparse_vector",
                "append(out, nu - rho)",
                "append(out, if nu - rho > 3 then 2 else 1)",
            ),
            "eps=2 N=1 T=1/3",
            &[("q", "[0, 1]")],
        ),
        Case::new(
            "laplace",
            coarse("laplace", "return y", "return clamp(round_to(y, 1/3), -1, 2)"),
            "eps=1",
            &[("x", "1/5")],
        ),
        Case::new(
            "noisy_histogram",
            coarse("noisy_histogram", "append(out, v)", "append(out, v > 1)"),
            "eps=1",
            &[("q", "[0, 1, 3/2]")],
        ),
        Case::new(
            "noisy_max_exponential",
            mechanism("noisy_max_exponential"),
            "eps=1",
            &[("q", "[0, 1, 3/2]")],
        ),
        Case::new("noisy_max_laplace", mechanism("noisy_max_laplace"), "eps=1", &[("q", "[0, 1, 3/2]")]),
        Case::new(
            "numeric_sparse_vector",
            coarse("numeric_sparse_vector", "append(out, y)", "append(out, if y > 2 then 2 else 1)"),
            "eps=3 N=1 T=1",
            &[("q", "[0, 1]")],
        ),
        Case::new("one_time_rappor", mechanism("one_time_rappor"), "k=3 f=1/2", &[("x", "1")]),
        Case::new(
            "partial_sum",
            coarse("partial_sum", "return y", "return clamp(round_to(y, 1), -1, 3)"),
            "eps=1/2",
            &[("q", "[1/3, 1/3, 1/3]")],
        ),
        Case::new(
            "prefix_sum",
            coarse("prefix_sum", "append(out, sum)", "append(out, sum > 1)"),
            "eps=1",
            &[("q", "[1, 1/2]")],
        ),
        Case::new("randomized_response", mechanism("randomized_response"), "t=5 p=1/2", &[("x", "3")]),
        Case::new(
            "randomized_response_any_input",
            mechanism("randomized_response_any_input"),
            "t=3 p=3/5",
            &[("x", "3")],
        ),
        Case::new("rappor", mechanism("rappor"), "k=2 f=1/2 p=1/4 q=3/4", &[("x", "0")]),
        Case::new(
            "smart_sum",
            coarse("smart_sum", "append(out, next)", "append(out, next > 1)"),
            "eps=1 M=2",
            &[("q", "[1, 1/2]")],
        ),
        Case::new("snapping", mechanism("snapping"), "eps=1 B=3", &[("x", "1/3")]),
        Case::new("snapping_direct", mechanism("snapping_direct"), "eps=1/2 B=5", &[("x", "-1/3")]),
        Case::new("sparse_vector", mechanism("sparse_vector"), "eps=1 N=1 T=1", &[("q", "[0, 1, 2]")]),
        Case::new(
            "sparse_vector_renoised",
            mechanism("sparse_vector_renoised"),
            "eps=2 N=2 T=0",
            &[("q", "[0, 1]")],
        ),
        Case::new("truncated_geometric", mechanism("truncated_geometric"), "eps=1 n=4", &[("x", "2")]),
        Case::new(
            "bounded_sum",
            coarse("bounded_sum", "return y", "return clamp(round_to(y, 1), -1, 6)"),
            "eps=1/2 low=0 high=2",
            &[],
        )
        .with_table("people", &["income"], &[&["0.5"], &["1"], &["3"]]),
        Case::new("count", coarse("count", "return y", "return clamp(y, -1, 5)"), "eps=1", &[]).with_table(
            "people",
            &["age"],
            &[&["17"], &["18"], &["40"]],
        ),
        Case::new(
            "discrete_gaussian",
            coarse("discrete_gaussian", "return y", "return clamp(y, -3, 4)"),
            "sigma=3/2",
            &[("x", "1")],
        ),
        Case::new("exponential", mechanism("exponential"), "eps=1", &[("scores", "[0, 1, 3/2]")]),
        Case::new(
            "gaussian",
            coarse("gaussian", "return y", "return clamp(round_to(y, 1/2), -1, 2)"),
            "sigma=1 d=1",
            &[("x", "1/5")],
        ),
        Case::new(
            "gaussian_epsilon_delta",
            coarse("gaussian_epsilon_delta", "return y", "return clamp(round_to(y, 1/2), -1, 2)"),
            "rho=1/8 delta=1/10",
            &[("x", "1/5")],
        ),
        Case::new(
            "gaussian_mu",
            coarse("gaussian_mu", "return y", "return clamp(round_to(y, 1/2), -1, 2)"),
            "sigma=3/2",
            &[("x", "1/5")],
        ),
        Case::new(
            "gaussian_vector",
            coarse("gaussian_vector", "append(out, y)", "append(out, y > 1/2)"),
            "d=1 sigma=1",
            &[("q", "[1]")],
        ),
        Case::new(
            "gaussian_histogram",
            coarse("gaussian_histogram", "append(out, n)", "append(out, n > 1)"),
            "k=1 sigma=1",
            &[],
        )
        .with_table("people", &["key"], &[&["0"], &["0"]]),
        Case::new(
            "histogram_by_key",
            coarse("histogram_by_key", "append(out, n)", "append(out, clamp(n, 0, 2))"),
            "k=2 eps=1",
            &[],
        )
        .with_table("people", &["key"], &[&["0"], &["1"], &["1"]]),
        Case::new(
            "propose_test_release",
            coarse("propose_test_release", "ln(1 / delta) / eps", "2/3"),
            "eps=1 delta=1/3",
            &[("d", "1"), ("v", "5")],
        ),
        Case::new(
            "stability_histogram",
            coarse("stability_histogram", "1 + ln(1 / (2 * delta)) / eps", "3/2")
                .replace("append(out, n)", "append(out, if n > 2 then 8 else 9)"),
            "k=2 eps=1 delta=1/3",
            &[],
        )
        .with_table("people", &["key"], &[&["0"], &["1"], &["1"]]),
        Case::new(
            "tree_sum",
            coarse("tree_sum", "append(out, y)", "append(out, y > 1)"),
            "n=2 levels=2 eps=3",
            &[],
        )
        .with_table("people", &["time"], &[&["0"], &["1"], &["1"]]),
        Case::new(
            "noisy_gradient_descent",
            coarse("noisy_gradient_descent", "return t", "return t > 0"),
            "k=1 sigma=1 rate=1/2",
            &[],
        )
        .with_table("data", &["x", "y"], &[&["1", "0.5"], &["1", "0.25"]]),
        Case::new(
            "laplace_vector",
            coarse("laplace_vector", "append(out, y)", "append(out, y > 1/2)"),
            "d=1 eps=1",
            &[("q", "[0, 1]")],
        ),
        Case::new(
            "mean",
            coarse("mean", "return total / max(n, 1)", "return total > 3 and n > 2"),
            "eps=1 B=2",
            &[],
        )
        .with_table("people", &["income"], &[&["0.5"], &["1"], &["3"]]),
        Case::new("permute_and_flip", mechanism("permute_and_flip"), "n=3 eps=1", &[("q", "[0, 1, 3/2]")]),
        Case::new(
            "subsampled_laplace",
            coarse("subsampled_laplace", "return n / q", "return n > 1"),
            "eps=1 q=1/2",
            &[],
        )
        .with_table("people", &["age"], &[&["17"], &["18"], &["40"]]),
        Case::new(
            "variance",
            coarse(
                "variance",
                "mean = total / max(n, 1)\nreturn squares / max(n, 1) - mean * mean",
                "return total > 3 and n > 2 and squares > 4",
            ),
            "eps=3 B=2",
            &[],
        )
        .with_table("people", &["income"], &[&["0.5"], &["1"], &["3"]]),
        Case::new(
            "income_by_region",
            coarse("income_by_region", "0..4", "2..3")
                .replace("append(out, s)", "append(out, clamp(s, 40999, 41001))"),
            "eps=100000",
            &[],
        )
        .with_table(
            "people",
            &["region", "age", "income"],
            &[&["2", "30", "41000"], &["1", "30", "7"]],
        ),
        Case::new(
            "noisy_max_then_measure",
            coarse(
                "noisy_max_then_measure",
                "return (winner, answer)",
                "return if answer > 1 then winner else 9",
            ),
            "eps=2",
            &[("q", "[0, 1]")],
        ),
        Case::new("median", mechanism("median"), "k=3 eps=1", &[]).with_table(
            "people",
            &["age"],
            &[&["0"], &["1"], &["1"], &["2"]],
        ),
    ]
}

/// The outcome of the audit that a value is.
pub fn outcome(value: &Value) -> Outcome {
    match value {
        Value::Number(value) => Outcome::Number(value.to_rational()),
        Value::Truth(value) => Outcome::Bool(*value),
        Value::List(items) => Outcome::List(items.iter().map(outcome).collect()),
    }
}

/// The lower and upper bound of each outcome's probability; what the audit cut off may belong to any of them.
pub fn masses(law: &Law) -> BTreeMap<Outcome, (Rational, Rational)> {
    let escaped = law.escaped_mass();
    law.masses()
        .iter()
        .map(|(outcome, mass)| {
            (outcome.clone(), (law.fraction(&mass.low), law.fraction(&mass.high) + &escaped))
        })
        .collect()
}

/// What the bit strings up to a depth decide.
pub fn enumerate(session: &mut Session, depth: usize) -> (BTreeMap<Outcome, Rational>, Rational) {
    let mass = |bits: usize| Rational::from_parts(1.into(), Natural::ONE << bits);
    let (mut decided, mut undecided) = (BTreeMap::new(), Rational::ZERO);
    let mut open = vec![Vec::new()];
    while let Some(bits) = open.pop() {
        match session.run_on_bits(&bits).unwrap() {
            Some((value, read)) => {
                assert_eq!(read, bits.len(), "a decision that fewer bits had already made");
                *decided.entry(outcome(&value)).or_insert(Rational::ZERO) += mass(bits.len());
            }
            None if bits.len() == depth => undecided += mass(depth),
            None => {
                for bit in [false, true] {
                    open.push(bits.iter().copied().chain([bit]).collect());
                }
            }
        }
    }
    (decided, undecided)
}

/// How often each value came up in `runs` runs from the words of a seed.
pub fn counted(session: &mut Session, runs: u64, seed: u64) -> BTreeMap<Outcome, u64> {
    let mut counts: BTreeMap<Value, u64> = BTreeMap::new();
    let count = |value: Value| {
        *counts.entry(value).or_insert(0) += 1;
        true
    };
    session.runs_on_tape(runs, &mut Tape::seeded(seed), count).unwrap();
    counts.into_iter().map(|(value, count)| (outcome(&value), count)).collect()
}

/// The G statistic of counts against probabilities, and the value that chance exceeds once in a million times.
/// Outcomes that are expected less than ten times are taken together.
pub fn g_test(counts: &BTreeMap<Outcome, u64>, expected: &BTreeMap<Outcome, f64>) -> (f64, f64) {
    let runs: u64 = counts.values().sum();
    let (mut g, mut cells, mut rest, mut rest_seen, mut seen) = (0.0, 0, runs as f64, 0, 0);
    for (outcome, probability) in expected {
        let mean = probability * runs as f64;
        if mean < 10.0 {
            continue;
        }
        let count = counts.get(outcome).copied().unwrap_or(0);
        seen += count;
        rest -= mean;
        cells += 1;
        if count > 0 {
            g += 2.0 * count as f64 * natural_log(count as f64 / mean);
        }
    }
    rest_seen += runs - seen;
    if rest_seen > 0 {
        // What is rare, and what should not be there at all.
        g += 2.0 * rest_seen as f64 * natural_log(rest_seen as f64 / rest.max(1e-9));
        cells += 1;
    }
    // Wilson and Hilferty's approximation of the quantile; z of one in a million is 4.75.
    let degrees = f64::from((cells - 1).max(1));
    let part = 2.0 / (9.0 * degrees);
    (g, degrees * (1.0 - part + 4.75 * part.sqrt()).powi(3))
}

fn natural_log(x: f64) -> f64 {
    probity_exact::directed::ln_nearest(x)
}

/// Probabilities as doubles, from the middle of their bounds.
pub fn middles(law: &Law) -> BTreeMap<Outcome, f64> {
    let half = rational(1, 2).unwrap();
    masses(law)
        .into_iter()
        .map(|(outcome, (low, high))| (outcome, ((low + high) * &half).to_f64().value()))
        .collect()
}
