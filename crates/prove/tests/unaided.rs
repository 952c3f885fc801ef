//! Mechanisms as people write them, without a proof block: what holds is proved, what does not is never proved, and no
//! search goes on for ever.

use std::fs;
use std::path::{Path, PathBuf};

use probity_kernel::context::{Context, Orientation};
use probity_kernel::expr::Expr;
use probity_kernel::rejection::Rejection;
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

/// Without the feature `exhaustive`, one in so many of the texts.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 2 };

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
    let mut all = programs("tests/prove");
    assert!(all.len() >= 90);
    // Those that take longer than a quarter of a second.
    if cfg!(feature = "exhaustive") {
        all.extend(programs("tests/prove/slow"));
    }
    for (name, program) in all.into_iter().step_by(LESS) {
        let proof = unaided(&program).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(proof.theorem().mechanism(), &program.mechanism, "{name}");
        // What was found can be written down and replayed.
        let text = certificate::write(&proof);
        let theorem = certificate::check_for(&text, &program.mechanism, &program.claim);
        assert!(theorem.is_ok(), "{name}: {}", theorem.unwrap_err());
    }
}

/// Claims with room to spare: a hundredth less is still true.
const LOOSE: &[&str] = &[
    "let_scale",
    "loose",
    "nest6",
    "scales_geometric",
    "scales_by_index",
    "gauss_eps_delta_numbers",
    "gauss_two_eps_delta",
    "gauss_numbers_root",
    "rr_loose",
    // What one comparison pays more the other pays less.
    "range_of_two_thresholds",
    "die_response",
    // Claims of epsilon 0, of which there is no less.
    "uniform_added",
    "uniform_centered",
    "uniform_int_added",
    "uniform_int_around",
    "zero_epsilon_both_tails",
    "zero_epsilon_choice",
    "zero_epsilon_either_draw",
    "zero_epsilon_integers",
    "zero_epsilon_one_side",
    "zero_epsilon_rounds",
    "zero_epsilon_threshold",
];

/// At epsilon 0 nothing but delta pays: a tail that is reached for one input and not for the other.
#[test]
fn at_epsilon_0_tails_cost_what_they_have() {
    let text = |draws: &str, guard: &str, delta: &str| {
        format!(
            "mechanism m(x: real)\nparam b > 0\nparam t: int >= 1\n{draws}\ny = 0\nif {guard} {{\ny = x\n}}\nreturn y\n\
             neighbours any\nclaim 0, {delta}\n"
        )
    };
    let is_proved = |draws: &str, guard: &str, delta: &str| {
        let text = text(draws, guard, delta);
        unaided(&probity_lang::load_text(&text).unwrap_or_else(|faults| panic!("{text}{faults:?}"))).is_ok()
    };
    let (one, two) = ("n ~ laplace(b)", "n ~ laplace(b)\nm ~ laplace(b)");
    let either = "n > t or m > t";
    for (draws, guard, enough, less) in [
        (one, "n > t", "exp(-t / b) / 2", "exp(-t / b) / 3"),
        (one, "n >= t", "exp(-t / b) / 2", "exp(-(t + 1) / b) / 2"),
        (one, "abs(n) > t", "exp(-t / b)", "exp(-t / b) / 2"),
        (two, either, "exp(-t / b)", "exp(-t / b) / 2"),
        (two, either, "exp(-t / b) / 2 + exp(-t / b) / 2", "exp(-t / b) / 2 + exp(-t / b) / 3"),
        ("n ~ geometric(b)", "n >= t", "exp(-t / b)", "exp(-(t + 1) / b)"),
        ("n ~ discrete_laplace(b)", "n >= t", "exp(-t / b) / (1 + exp(-1 / b))", "exp(-(t + 1) / b)"),
    ] {
        assert!(is_proved(draws, guard, enough), "{draws} {guard} {enough}");
        assert!(!is_proved(draws, guard, less), "{draws} {guard} {less}");
    }
    // Where the tail is not reached alone, it is not enough.
    assert!(!is_proved(one, "n > t - 1", "exp(-t / b) / 2"));
    assert!(!is_proved(two, "n > t or m > 0", "exp(-t / b)"));
}

#[test]
fn a_hundredth_less_is_not_proved() {
    // A search that fails takes its time: without the feature `exhaustive` a third of the programs is tried.
    let mut all = [programs("mechanisms"), programs("tests/prove")].concat();
    if cfg!(feature = "exhaustive") {
        all.extend(programs("tests/prove/slow"));
    }
    let all = all.into_iter().enumerate();
    let tried = |number: usize| cfg!(feature = "exhaustive") || number.is_multiple_of(3);
    for (name, mut program) in all.filter(|(number, _)| tried(*number)).map(|(_, named)| named) {
        program.claim.epsilon = program.claim.epsilon * (Expr::int(99) / Expr::int(100));
        assert_eq!(unaided(&program).is_ok(), LOOSE.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn what_is_broken_is_not_proved() {
    let mut all = [programs("mechanisms/broken"), programs("tests/prove/broken")].concat();
    assert!(all.len() >= 45);
    // A search that fails takes its time.
    if cfg!(feature = "exhaustive") {
        all.extend(programs("tests/prove/slow/broken"));
    }
    for (name, program) in all.into_iter().step_by(LESS) {
        assert!(unaided(&program).is_err(), "{name}");
    }
}

/// True claims for which no proof is found: what is proved one day belongs to the others.
#[test]
fn what_is_open_is_open() {
    let all = programs("tests/prove/open");
    assert!(!all.is_empty());
    for (name, program) in all.into_iter().filter(|_| cfg!(feature = "exhaustive")) {
        assert!(unaided(&program).is_err(), "{name} is proved now: move it");
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

/// Texts whose formulas double at every step end in a refusal, and soon; unless they can be followed step by step.
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
    // Assignments are followed, and coins are taken one by one.
    for text in [nested, many] {
        assert!(unaided(&load(&text)).is_ok(), "{text}");
    }
    assert!(unaided(&load(&wide)).is_err(), "{wide}");
}

/// How long a text is when its steps are independent, and the time that it may take, do not multiply: each of these has a
/// hundred steps, and its certificate less than a kilobyte for each.
#[test]
fn long_texts_are_proved() {
    let each = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let entries = each(100, &|k| format!("y{k} ~ laplace(q[{k}], 100 / eps)\nappend(out, y{k})\n"));
    let parts = each(100, &|k| format!("y{k} ~ laplace(q[{k}], 1 / eps)\nappend(out, y{k})\n"));
    let scalar = each(100, &|k| format!("y{k} ~ laplace(x, 100 / eps)\nappend(out, y{k})\n"));
    let sets = each(100, &|k| format!("a{} = a{k} + {k}\n", k + 1));
    let ifs = each(64, &|k| format!("if y > {k} {{\n  c = c + 1\n}} else {{\n  c = c - {k}\n}}\n"));
    let sums = each(6, &|k| {
        let sum = format!("s{k} = 0\nfor i{k} in 0..length(q) {{\n  s{k} = s{k} + q[i{k}]\n}}\n");
        format!("{sum}y{k} ~ laplace(s{k}, 6 / eps)\nappend(out, y{k})\n")
    });
    let rows = each(20, &|k| {
        format!("c{k} ~ laplace(count(r in t where r.age > {k}), 20 / eps)\nappend(out, c{k})\n")
    });
    let list = |body: &str, neighbours: &str| {
        format!(
            "mechanism m(q: real[])\nparam eps > 0\nout = []\n{body}return out\nneighbours {neighbours}\nclaim eps\n"
        )
    };
    let number = |body: &str| {
        format!("mechanism m(x: real)\nparam eps > 0\n{body}neighbours abs(x' - x) <= 1\nclaim eps\n")
    };
    let one = "one entry of q differs by at most 1";
    let texts = [
        list(&entries, "every entry of q differs by at most 1"),
        list(&parts, one),
        list(&sums, one),
        number(&format!("out = []\n{scalar}return out\n")),
        number(&format!("a0 = x\n{sets}y ~ laplace(a100, 1 / eps)\nreturn y\n")),
        number(&format!("y ~ laplace(x, 1 / eps)\nc = 0\n{ifs}return c\n")),
        format!(
            "mechanism m(t: rows(age: int))\nparam eps > 0\nout = []\n{rows}return out\nneighbours one row of t is added or removed\nclaim eps\n"
        ),
    ];
    for text in texts {
        let program = load(&text);
        let proof = unaided(&program).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
        let file = certificate::write(&proof);
        assert!(file.len() < 100_000, "{} bytes", file.len());
        assert!(certificate::check_for(&file, &program.mechanism, &program.claim).is_ok());
        // A hundredth less is not enough for any of them.
        let mut greedy = program.clone();
        greedy.claim.epsilon = greedy.claim.epsilon * (Expr::int(99) / Expr::int(100));
        assert!(prove_for_a_while(&greedy).is_err(), "{text}");
    }
}

fn prove_for_a_while(program: &probity_lang::Program) -> Result<Proof, probity_prove::derivation::Failure> {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(2);
    probity_prove::prove_until(&program.mechanism, &program.claim, &Hints::default(), Some(end))
}

/// The proof block that a failure shows can be put at the end of the file.
#[test]
fn what_is_suggested_can_be_written() {
    let near = "neighbours every entry of q differs by at most 1";
    let texts = [
        format!("mechanism m(q: real[])\ny ~ choose(q, 1)\nz ~ laplace(q[y], 1)\nreturn z\n{near}\nclaim 1\n"),
        format!("mechanism m(q: real[])\ny ~ permute_and_flip(q, 1)\nreturn y\n{near}\nclaim 1\n"),
        format!("mechanism m(q: real[])\ny = 0\nfor i in 0..length(q) {{\ny ~ gaussian(q[i], 1)\n}}\nreturn y\n{near}\nclaim rho 1/9\n"),
        "mechanism m(x: real)\nu ~ uniform(0, 1)\ns ~ sign()\nreturn x + s * ln(u)\nneighbours abs(x' - x) <= 1\nclaim 1/2\n"
            .to_owned(),
        "mechanism m(x: real)\nu ~ uniform(0, 1)\nreturn x - ln(u) > 3\nneighbours abs(x' - x) <= 1\nclaim 1/2\n".to_owned(),
        "mechanism m(x: int)\nparam eps > 0\nout = []\nfor i in 0..9 {\ny ~ discrete_laplace(x, 1 / eps)\nappend(out, y)\n}\nreturn out\n\
         neighbours abs(x' - x) <= 1\nclaim 8 * eps\n"
            .to_owned(),
        // Two draws of one name, which have one coupling.
        "mechanism m(x: real, z: real)\nparam eps > 0\ny ~ laplace(x, 1 / eps)\na = y\ny ~ laplace(z, 2 / eps)\nreturn (a, y)\n\
         neighbours abs(x' - x) <= 1\nneighbours abs(z' - z) <= 1\nclaim eps\n"
            .to_owned(),
    ];
    for text in texts {
        let help = unaided(&load(&text)).expect_err(&text).help;
        let block: Vec<&str> =
            help.iter().map(String::as_str).skip_while(|line| !line.contains("proof {")).collect();
        if !block.is_empty() {
            let whole = format!("{text}{}\n", block.join("\n"));
            if let Err(faults) = probity_lang::load_text(&whole) {
                panic!("{whole}\n{faults:?}");
            }
        }
    }
}

/// What fails says for which values, and gives a proof block that can be mended; nothing that is plainly true is blamed.
#[test]
fn a_failure_helps() {
    let text = "mechanism m(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / (2 * eps))\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps\n";
    let failure = unaided(&load(text)).unwrap_err();
    let help = failure.help.join("\n");
    assert!(help.starts_with("it is false for eps = "), "{help}");
    assert!(
        help.contains("\n  proof {\n    couple y: shift by 0 at cost 2 * eps * abs(x - x')\n  }"),
        "{help}"
    );
    assert!(!failure.to_string().contains("0 == 0"), "{failure}");
    // The block is one: the language reads it.
    let block = help.split_once("  proof {").unwrap().1;
    load(&format!("{text}proof {{{block}"));
}

/// A value that is x, or one of 0, …, 9: no proof block and no search makes a real x private.
#[test]
fn a_real_number_does_not_hide_among_integers() {
    let text = |sort: &str| {
        format!(
            "mechanism m(x: {sort})\nwhere 0 <= x <= 9\nb ~ bernoulli(1/2)\nif b {{\n  y = x\n}} else {{\n  y ~ uniform_int(0, 9)\n}}\n\
             return y\nneighbours any\nclaim ln(11)\nproof {{\n  couple y: same value at cost ln(11 / 1)\n}}\n"
        )
    };
    let proved = |sort: &str| {
        let program = load(&text(sort));
        prove(&program.mechanism, &program.claim, program.hints.as_ref().unwrap()).is_ok()
    };
    assert!(proved("int") && !proved("real"));
}

/// Choices inside loops, and in a text that releases a list: each pays once a round. Half the noise is not enough.
#[test]
fn choices_are_steps_in_loops() {
    let text = |rounds: &str| {
        format!(
            "mechanism m(q: real[])\nparam k: int >= 1\nparam eps > 0\nout = []\nfor j in 0..k {{\nbest = 0\nhigh = 0\nfor i in 0..length(q) {{\n\
             v ~ laplace(q[i], {rounds} * k / eps)\nif i == 0 or v > high {{\nhigh = v\nbest = i\n}}\n}}\nappend(out, best)\n}}\nreturn out\n\
             neighbours every entry of q differs by at most 1\nclaim eps\n"
        )
    };
    assert!(unaided(&load(&text("2"))).is_ok());
    assert!(prove_for_a_while(&load(&text("1"))).is_err());
}

/// One choice after the other, from one list and from another: what they cost adds up.
#[test]
fn choices_follow_each_other() {
    let choice = |n: usize, list: &str, scale: &str| {
        format!(
            "b{n} = 0\nh{n} = 0\nfor i{n} in 0..length({list}) {{\n  v{n} ~ laplace({list}[i{n}], {scale} / eps)\n  if i{n} == 0 or v{n} > h{n} {{\n    \
             h{n} = v{n}\n    b{n} = i{n}\n  }}\n}}\n"
        )
    };
    let text = |scale: &str| {
        format!(
            "mechanism m(q: real[], w: real[])\nparam eps > 0\n{}{}return (b1, b2)\nneighbours every entry of q differs by at most 1\n\
             neighbours every entry of w differs by at most 1\nclaim eps\n",
            choice(1, "q", "4"),
            choice(2, "w", scale)
        )
    };
    assert!(unaided(&load(&text("4"))).is_ok());
    assert!(prove_for_a_while(&load(&text("3"))).is_err());
}

/// A choice, and a measurement of what was chosen: half of the budget each. A part that is proved point by point pays for
/// what every point costs.
#[test]
fn a_choice_is_a_step_that_costs() {
    let text = |scale: &str| {
        format!(
            "mechanism m(q: real[])\nparam eps > 0\nbest = 0\nhigh = 0\nfor i in 0..length(q) {{\n  v ~ laplace(q[i], {scale} / eps)\n  \
             if i == 0 or v > high {{\n    high = v\n    best = i\n  }}\n}}\ny ~ laplace(q[best], 2 / eps)\nreturn y\n\
             neighbours every entry of q differs by at most 1\nclaim eps\n"
        )
    };
    assert!(unaided(&load(&text("4"))).is_ok());
    assert!(prove_for_a_while(&load(&text("3"))).is_err());
}

/// A text with the block that is printed for it, if one is.
fn with_printed_block(text: &str, program: &probity_lang::Program) -> Option<String> {
    let failure = unaided(program).err()?;
    let block: Vec<&String> = failure.help.iter().skip_while(|line| *line != "  proof {").collect();
    let block = block.into_iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    (!block.is_empty()).then(|| format!("{text}\n{block}\n"))
}

/// What is printed to be pasted is read as it stands, and the kernel takes it for what it is: it is the claim of the block that may be
/// wrong, not its form.
fn is_read(name: &str, text: &str, folder: &Path) -> bool {
    let program =
        probity_lang::load_text_in(text, folder).unwrap_or_else(|faults| panic!("{name}\n{faults:?}"));
    let Some(pasted) = with_printed_block(text, &program) else { return false };
    let again = probity_lang::load_text_in(&pasted, folder).unwrap_or_else(|faults| {
        panic!("{name}\n{pasted}\n{}", probity_lang::render(&faults, name, &pasted))
    });
    let hints = again.hints.unwrap();
    // Of a text with a sample the proof is about what is left without it.
    let context = Context::new(&program.mechanism, Orientation::Forward);
    for ((of, invariant), context) in hints.invariants.iter().zip(context.iter().cycle()) {
        assert!(context.check_formula(invariant).is_ok(), "{name}: {of}: {invariant}");
    }
    if let Err(failure) = prove(&program.mechanism, &program.claim, &hints) {
        use Rejection::{KindsDiffer, MayNotMention, NoSuchCoupling, NotAFormula, NotANumber};
        let of_form = matches!(
            failure.reason,
            Reason::Rejected(
                KindsDiffer { .. }
                    | MayNotMention { .. }
                    | NoSuchCoupling { .. }
                    | NotAFormula { .. }
                    | NotANumber { .. }
            )
        );
        assert!(!of_form, "{name}: {failure}\n{pasted}");
    }
    true
}

/// Texts with what a printed block has to name: the length of a list, entries that are truth values, two loops with one index, values that
/// `let` fixes, rows that only one run has.
const PRINTED: &[&str] = &[
    "mechanism flipped(bits: bool[n])
param n: int >= 1
param m >= 0
param eps > 0
let f = 1 / (1 + exp(eps))
ones = 0
for b in bits {
  flip ~ bernoulli(f)
  if flip != b {
    ones += 1
  }
}
return (ones - n * f) / (1 - 2 * f)
neighbours the entries of bits differ by at most m in L1
claim m * eps / 2",
    "mechanism doubled(t: rows(x: real))
param eps > 0
scores = []
b = 1
for g in 0..12 {
  append(scores, -abs(count(r in t where r.x <= b) - 0.95 * count(r in t)))
  b = 2 * b
}
m ~ choose(scores, 4 / eps)
cap = 1
for g in 0..m {
  cap = 2 * cap
}
y ~ laplace(sum(r in t, clamp(r.x, 0, cap)), 2 * cap / eps)
return (cap, y)
neighbours one row of t is added or removed
claim eps",
    "mechanism margins(a: real[n * m])
param n: int >= 1
param m: int >= 1
param eps > 0
out = []
for i in 0..n {
  s = 0
  for j in 0..m {
    s += a[i * m + j]
  }
  y ~ laplace(s, 2 / eps)
  append(out, y)
}
for j in 0..m {
  s = 0
  for i in 0..n {
    s += a[i * m + j]
  }
  y ~ laplace(s, 2 / eps)
  append(out, y)
}
return out
neighbours one entry of a differs by at most 1
claim eps / 4",
    "mechanism pulled(data: rows(a: real, b: real, positive: bool))
param T: int >= 1
param eps > 0
where -1 <= data.a <= 1 and -1 <= data.b <= 1
u = 0
v = 0
for t in 0..T {
  du ~ laplace(sum(r in data where r.positive and u * r.a + v * r.b <= 0, r.a) - sum(r in data where not r.positive and u * r.a + v * r.b >= 0, r.a), 2 * T / eps)
  dv ~ laplace(sum(r in data where r.positive and u * r.a + v * r.b <= 0, r.b) - sum(r in data where not r.positive and u * r.a + v * r.b >= 0, r.b), 2 * T / eps)
  u += du
  v += dv
}
return (u, v)
neighbours one row of data is added or removed
claim eps / 4",
];

#[test]
fn a_printed_proof_block_is_read_as_it_stands() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/prove");
    for text in PRINTED {
        assert!(is_read(text, text, &folder), "nothing is printed for\n{text}");
    }
    let (mut at, mut read) = (0, 0);
    for part in ["open", "broken"] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "dp"));
        paths.sort();
        for path in paths {
            at += 1;
            // A search that fails takes its time: without the feature `exhaustive` a part of the texts is tried.
            if cfg!(feature = "exhaustive") || at % 6 == 0 {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                read += usize::from(is_read(&name, &fs::read_to_string(&path).unwrap(), &folder.join(part)));
            }
        }
    }
    assert!(read > 10, "{read}");
}

/// The reason is short enough to be read, and names the draws.
#[test]
fn a_reason_names_the_centers_of_draws_that_are_long() {
    let failure = unaided(&load(PRINTED[3])).unwrap_err();
    let reason = failure.to_string();
    assert!(!reason.contains("more characters"), "{reason}");
    assert!(reason.contains("abs(center_of_dv - center_of_dv')"), "{reason}");
    // What is equal in both runs is said once.
    assert!(
        !reason.contains("u' *") && !failure.help.iter().any(|line| line.contains("u' *")),
        "{failure:#}"
    );
    assert!(failure.help.iter().any(|line| line.contains("couple du: shift by 0 at cost")), "{failure:#}");
}

#[test]
fn a_bound_that_the_program_sets_is_named_with_what_to_write() {
    let reason = unaided(&load(PRINTED[1])).unwrap_err().to_string();
    assert!(reason.contains("the loop bound 'm' is set by the program"), "{reason}");
    // What it says to write is proved.
    let inside = PRINTED[1].replace("0..m {\n  cap = 2 * cap\n}", "0..12 {\nif g < m {\ncap = 2 * cap\n}\n}");
    assert!(unaided(&load(&inside)).is_ok());
}

/// Two loops with one index have an invariant each, in the order of the text, or one that holds of both.
#[test]
fn loops_with_one_index_have_an_invariant_each() {
    let proof = |lines: &str| {
        let text = format!(
            "mechanism m(q: real[])\nparam eps > 0\na = 0\nfor i in 0..length(q) {{\na += q[i]\n}}\ny ~ laplace(a, 2 / eps)\n\
             b = 0\nfor i in 0..length(q) {{\nb += q[i]\n}}\nz ~ laplace(b, 2 / eps)\nreturn (y, z)\n\
             neighbours one entry of q differs by at most 1\nclaim eps\nproof {{\ncouple y: shift by 0 at cost eps / 2\n\
             couple z: shift by 0 at cost eps / 2\n{lines}}}\n"
        );
        let program = load(&text);
        prove(&program.mechanism, &program.claim, &program.hints.unwrap())
    };
    let first = "invariant i: cost <= 0 and abs(a - a') <= (if i > changed(q) then 1 else 0)\n";
    let second =
        "invariant i: cost <= eps / 2 and y == y' and abs(b - b') <= (if i > changed(q) then 1 else 0)\n";
    assert!(proof(&format!("{first}{second}")).is_ok());
    assert!(proof(&format!("{second}{first}")).is_err());
    assert!(proof(second).is_err());
    assert!(proof("").is_ok());
}
