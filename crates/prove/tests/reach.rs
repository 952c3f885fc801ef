//! What people release: lists with bounds and norms, choices by scores, calls, ε and δ from ρ and μ. Each text that is
//! proved has one beside it that is not.

use std::path::Path;

use probity_kernel::privacy::Theorem;
use probity_lang::{Program, Setting, load_text_in};
use probity_prove::derivation::{Failure, Reason};
use probity_prove::{certificate, prove};

fn load(text: &str, settings: &[&str]) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/called");
    let program = load_text_in(text, &folder).unwrap_or_else(|faults| panic!("{text}\n{faults:?}"));
    let settings: Vec<Setting> = settings.iter().map(|s| s.parse().unwrap()).collect();
    program.with(&settings).unwrap()
}

/// Proves, and replays what was proved.
fn attempt(text: &str, settings: &[&str]) -> Result<Theorem, Failure> {
    let Program { mechanism, claim, hints, .. } = load(text, settings);
    let proof = prove(&mechanism, &claim, &hints.unwrap_or_default())?;
    let file = certificate::write(&proof);
    assert!(certificate::check_for(&file, &mechanism, &claim).is_ok(), "{text}");
    Ok(proof.theorem().clone())
}

/// The theorem as it is shown.
fn proved(text: &str, axiom: &str) -> String {
    let theorem = attempt(text, &[]).unwrap_or_else(|failure| panic!("{text}\n{failure}"));
    assert!(theorem.axioms().contains(axiom), "{:?}", theorem.axioms());
    theorem.to_string()
}

fn open(text: &str) -> Failure {
    attempt(text, &[]).expect_err(text)
}

/// A body between a header and what is claimed.
fn text(header: &str, body: &str, neighbours: &str, claim: &str) -> String {
    let lines: String =
        neighbours.split(';').map(|clause| format!("neighbours {}\n", clause.trim())).collect();
    format!("{header}\nparam eps > 0\n{body}\n{lines}claim {claim}\n")
}

#[test]
fn entries_with_bounds_change_within_them() {
    let mean = |bounds: &str, claim: &str| {
        let header = format!("mechanism m(q: real[n]{bounds})\nparam n: int >= 1");
        text(
            &header,
            "y ~ laplace(sum(q), 1 / eps)\nreturn y / n",
            "one entry of q differs by at most 5",
            claim,
        )
    };
    proved(&mean(" in [0, 1]", "eps"), "adjacent");
    open(&mean("", "eps"));
    open(&mean(" in [0, 1]", "eps / 2"));
    proved(&mean("", "5 * eps"), "adjacent");
}

#[test]
fn truth_values_and_categories_are_entries() {
    let count = "n = 0\nfor v in b {\nif v {\nn += 1\n}\n}\ny ~ laplace(n, 1 / eps)\nreturn y";
    proved(&text("mechanism m(b: bool[])", count, "one entry of b differs by at most 1", "eps"), "adjacent");
    open(&text("mechanism m(b: bool[])", count, "every entry of b differs by at most 1", "eps"));
    let some = "y ~ laplace(c[0], 2 / eps)\nreturn y";
    let header = "mechanism m(c: category(3)[n])\nparam n: int >= 1";
    proved(&text(header, some, "every entry of c differs by at most 100", "eps"), "adjacent");
    open(&text(header, some, "every entry of c differs by at most 100", "eps / 2"));
}

#[test]
fn lists_change_at_one_place_together() {
    let header = "mechanism m(q: real[], w: real[])";
    let both = "a = 0\nfor i in 0..length(q) {\na = a + q[i]\n}\nb = 0\nfor j in 0..length(w) {\nb = b + w[j]\n}\n\
                y ~ laplace(a, 2 / eps)\nz ~ laplace(b, 2 / eps)\nreturn (y, z)";
    proved(&text(header, both, "one entry of q and of w differs by at most 1", "eps"), "adjacent");
    open(&text(header, both, "one entry of q and of w differs by at most 1", "eps / 2"));
    // An answer for every place, and noise for one that changes: the lists must change at the same one.
    let each = "out = []\nfor i in 0..length(q) {\ny ~ laplace(q[i], 2 / eps)\nappend(out, y)\n\
                z ~ laplace(w[i], 2 / eps)\nappend(out, z)\n}\nreturn out";
    proved(&text(header, each, "one entry of q and of w differs by at most 1", "eps"), "adjacent");
    open(&text(header, each, "one entry of q and of w differs by at most 2", "eps"));
}

#[test]
fn norms_are_paid_once() {
    let each =
        |law: &str| format!("out = []\nfor i in 0..length(q) {{\ny ~ {law}\nappend(out, y)\n}}\nreturn out");
    let laplace = each("laplace(q[i], 1 / eps)");
    let header = "mechanism m(q: real[])";
    proved(&text(header, &laplace, "the entries of q differ by at most 1 in L1", "eps"), "moved");
    open(&text(header, &laplace, "the entries of q differ by at most 1 in L2", "eps"));
    open(&text(header, &laplace, "the entries of q differ by at most 2 in L1", "eps"));
    let gaussian = each("gaussian(q[i], 1 / eps)");
    proved(
        &text(header, &gaussian, "the entries of q differ by at most 1 in L2", "rho eps * eps / 2"),
        "moved",
    );
    open(&text(header, &gaussian, "every entry of q differs by at most 1", "rho eps * eps / 2"));
    let sum = "y ~ laplace(sum(q), 1 / eps)\nreturn y";
    proved(&text(header, sum, "the entries of q differ by at most 1 in L1", "eps"), "moved");
    let largest = "y ~ laplace(max(q), 1 / eps)\nreturn y";
    proved(&text(header, largest, "every entry of q differs by at most 1", "eps"), "adjacent");
    open(&text(header, largest, "every entry of q differs by at most 2", "eps"));
}

#[test]
fn choices_cost_the_range_of_their_scores() {
    let header = "mechanism m(q: real[n])\nparam n: int >= 1";
    let choose = |scale: &str| format!("y ~ choose(q, {scale})\nreturn y");
    let every = "every entry of q differs by at most 1";
    proved(&text(header, &choose("2 / eps"), every, "eps"), "CHOOSE");
    open(&text(header, &choose("1 / eps"), every, "eps"));
    // Scores that move one way, and one score that moves.
    for one in ["every entry of q grows by at most 1", "one entry of q differs by at most 1"] {
        proved(&text(header, &choose("1 / eps"), one, "eps"), "CHOOSE");
        open(&text(header, &choose("1 / eps"), one, "eps / 2"));
    }
    proved(&text(header, &choose("2 / eps"), every, "rho eps * eps / 8"), "BOUNDED-RANGE");
    open(&text(header, &choose("2 / eps"), every, "rho eps * eps / 16"));
    open(&text(header, &choose("2 / eps"), every, "mu eps / 2"));
    // Nothing to choose among.
    let empty = open(&text("mechanism m(q: real[])", &choose("2 / eps"), every, "eps"));
    assert!(empty.to_string().contains("1 <= length(q)"), "{empty}");
}

#[test]
fn normal_noise_has_epsilon_and_delta_for_numbers() {
    let noise = "mechanism m(x: real)\nparam sigma > 0\nparam eps > 0\nparam delta > 0\ny ~ gaussian(x, sigma)\n\
                 return y\nneighbours abs(x' - x) <= 1\nclaim eps, delta\n";
    // σ = 3.730631… is what ε = 1 and δ = 1e-5 need.
    let theorem = attempt(noise, &["sigma=3.731", "eps=1", "delta=1e-5"]).unwrap();
    assert_eq!(theorem.through().unwrap().1, "GDP-NORMAL");
    let failure = attempt(noise, &["sigma=3.73", "eps=1", "delta=1e-5"]).unwrap_err();
    assert!(matches!(&failure.reason, Reason::Measure { draw, .. } if draw == "y ~ gaussian(x, 373/100)"));
    let failure = attempt(noise, &["sigma=4"]).unwrap_err();
    assert!(failure.to_string().contains("give all of them values"), "{failure}");
    // On the integers through ρ.
    let discrete = noise.replace("x: real", "x: int").replace("~ gaussian", "~ discrete_gaussian");
    let theorem = attempt(&discrete, &["sigma=5", "eps=1", "delta=1e-5"]).unwrap();
    assert_eq!(theorem.through().unwrap().1, "ZCDP-ORDER");
    assert!(attempt(&discrete, &["sigma=4", "eps=1", "delta=1e-5"]).is_err());
    // The deviation of textbooks, which is more than enough.
    let classic = noise.replace("param sigma > 0\n", "").replace("sigma", "sqrt(2 * ln(1.25 / delta)) / eps");
    assert!(attempt(&classic, &["eps=1/2", "delta=1e-5"]).is_ok());
    assert!(attempt(&classic.replace("sqrt(2", "sqrt(1"), &["eps=1/2", "delta=1e-5"]).is_err());
}

#[test]
fn several_rows_are_converted_after_they_are_grouped() {
    let count = "mechanism m(people: rows(age: int))\ny ~ gaussian(count(r in people), 12)\nreturn y\n\
                 neighbours at most 3 rows of people are added or removed\nclaim 1, 1e-5\n";
    let theorem = attempt(count, &[]).unwrap();
    assert!(theorem.axioms().contains("GROUP") && theorem.through().is_some());
    assert!(attempt(&count.replace("12", "11"), &[]).is_err());
}

#[test]
fn a_measure_without_a_rule_for_a_draw_names_it() {
    let x = "mechanism m(x: real)";
    let near = "abs(x' - x) <= 1";
    for (body, claim, draw) in [
        ("y ~ gaussian(x, 1 / eps)\nreturn y", "eps", "y ~ gaussian(x, 1 / eps)"),
        ("y ~ laplace(x, 1 / eps)\nreturn y", "mu eps", "y ~ laplace(x, 1 / eps)"),
        ("y ~ exponential(1 / eps)\nreturn x + y", "rho eps", "y ~ exponential(1 / eps)"),
    ] {
        let failure = open(&text(x, body, near, claim));
        assert!(matches!(&failure.reason, Reason::Measure { draw: found, .. } if found == draw), "{failure}");
    }
}

#[test]
fn tails_are_given_up_by_hint_and_without() {
    let test = "out = 0\ny ~ laplace(d, 1 / eps)\nif y > t {\nout = v\n}\nreturn out";
    let header = "mechanism m(d: int, v: int)\nparam t > 0";
    let near = "abs(d' - d) <= 1; v' == v or (d == 0 and d' == 0)";
    proved(&text(header, test, near, "eps, exp(-(t * eps))"), "UP-TO-BAD");
    open(&text(header, test, near, "eps, exp(-(2 * t * eps))"));
    open(&text(header, test, near, "eps"));
    open(&text(header, test, "abs(d' - d) <= 1; v' == v or d == 0", "eps, exp(-(t * eps))"));
    let with = |hint: &str| {
        let claimed = text(header, test, near, "eps, exp(-(t * eps))");
        format!("{claimed}proof {{\ncouple y: shift by 0 at cost eps * abs(d' - d){hint}\n}}\n")
    };
    proved(&with(" up to tail t"), "UP-TO-BAD");
    open(&with(""));
    open(&with(" up to tail t / 2"));
    open(&with(" up to tail 2 * t"));
    // A result that is cut off where it lies far from its center.
    let cut = "y ~ laplace(x, 1 / eps)\nreturn if abs(y - x) <= t then y else 0";
    let header = "mechanism m(x: real)\nparam t > 1";
    open(&text(header, cut, "abs(x' - x) <= 1", "eps, exp(-(t * eps))"));
    let near_first = "y ~ laplace(x, 1 / eps)\nreturn if y <= x + t then y else x";
    open(&text(header, near_first, "abs(x' - x) <= 1", "0, exp(-(t * eps))"));
    let high = "y ~ laplace(x, 1 / eps)\nreturn if y > x + t then 1 else 0";
    proved(&text(header, high, "abs(x' - x) <= 1", "0, exp(-(t * eps))"), "UP-TO-BAD");
}

#[test]
fn an_invariant_that_says_too_little_is_no_obstacle() {
    let sums = "s = 0\nfor i in 0..length(q) {\ns += q[i]\n}\ny ~ laplace(s, 1 / eps)\nreturn y";
    let claimed =
        |claim: &str| text("mechanism m(q: real[])", sums, "one entry of q differs by at most 1", claim);
    proved(&format!("{}proof {{\ninvariant i: i >= 0\n}}\n", claimed("eps")), "LAPGEN");
    open(&format!("{}proof {{\ninvariant i: i >= 0\n}}\n", claimed("eps / 2")));
}

#[test]
fn calls_are_by_their_theorems() {
    let used = |body: &str, near: &str, claim: &str| {
        let header = "use \"noisy_count.dp\" as noisy_count\nmechanism m(a: int, b: int)";
        text(header, body, near, claim)
    };
    let near = "abs(a' - a) <= 1; abs(b' - b) <= 1";
    let twice = "y ~ noisy_count(a, eps / 2)\nz ~ noisy_count(b, eps / 2)\nreturn y + z";
    proved(&used(twice, near, "eps"), "CALL");
    open(&used(twice, near, "eps / 2"));
    open(&used(twice, "abs(a' - a) <= 2; abs(b' - b) <= 1", "eps"));
    // What is equal in both runs costs nothing.
    let again = "y ~ noisy_count(a, eps)\nz ~ noisy_count(y, 100 * eps)\nreturn z + 0 * b";
    proved(&used(again, "abs(a' - a) <= 1; b' == b", "eps"), "CALL");
    // In loops and branches.
    let many = "out = []\nfor i in 0..3 {\ny ~ noisy_count(a, eps)\nif y > 0 {\nz ~ noisy_count(y, eps)\nappend(out, z)\n}\n}\n\
                return out";
    proved(&used(many, "abs(a' - a) <= 1; b' == b", "3 * eps"), "CALL");
    open(&used(many, "abs(a' - a) <= 1; b' == b", "2 * eps"));
    // A parameter that is private, and one that is out of what the file assumes.
    open(&used("y ~ noisy_count(a, a)\nreturn y + 0 * b", near, "eps"));
    open(&used("y ~ noisy_count(a, -eps)\nreturn y + 0 * b", near, "eps"));
    // A pure loss in ρ counts half its square, and not in μ.
    let one = "y ~ noisy_count(a, eps)\nreturn y + 0 * b";
    let same = "abs(a' - a) <= 1; b' == b";
    proved(&used(one, same, "rho eps * eps / 2"), "CALL-PURE");
    open(&used(one, same, "rho eps * eps / 4"));
    open(&used(one, same, "mu eps"));
}

#[test]
fn a_theorem_calls_a_mechanism_what_its_text_calls_it() {
    let header =
        "use \"noisy_count.dp\" as a_count\nuse \"sampled_count.dp\" as noisy_count\nmechanism m(a: int)";
    let program = text(header, "y ~ a_count(a, eps)\nreturn y", "abs(a' - a) <= 1", "eps");
    let shown = proved(&program, "CALL");
    assert!(shown.contains("y ~ a_count(a, eps)") && shown.contains("where a_count has"), "{shown}");
    assert!(!shown.contains("noisy_count"), "{shown}");
}

#[test]
fn calls_take_tables() {
    let used = |body: &str, near: &str, claim: &str| {
        let header = "use \"sampled_count.dp\" as sampled_count\n\
                      mechanism m(people: rows(name: category(5), age: int))\nparam q > 0\nwhere q <= 1";
        text(header, body, near, claim)
    };
    let near = "one row of people is added or removed";
    let steps = "total = 0\nfor i in 0..3 {\ny ~ sampled_count(people, eps, q)\ntotal += y\n}\nreturn total";
    proved(&used(steps, near, "3 * ln(1 + q * (exp(eps) - 1))"), "AMPLIFY");
    open(&used(steps, near, "2 * ln(1 + q * (exp(eps) - 1))"));
    open(&used(steps, "one row of people is replaced", "6 * eps"));
    open(&used(steps, "at most 2 rows of people are added or removed", "ln(1 + q * (exp(eps) - 1))"));
    // Beside a look at the whole table.
    let both = "y ~ sampled_count(people, eps, q)\nz ~ laplace(count(r in people), 1 / eps)\nreturn y + z";
    proved(&used(both, near, "eps + ln(1 + q * (exp(eps) - 1))"), "AMPLIFY");
}

#[test]
fn a_call_says_what_is_not_shown() {
    let said = |used: &str, inputs: &str, call: &str, near: &str| {
        let header = format!("use \"{used}.dp\" as called\nmechanism m({inputs})\nparam q > 0\nwhere q <= 1");
        open(&text(&header, &format!("y ~ {call}\nreturn y + 0 * q"), near, "9 * eps")).to_string()
    };
    let table = "people: rows(age: int)";
    let replaced = said("sampled_count", table, "called(people, eps, q)", "one row of people is replaced");
    assert!(
        replaced.contains("have one row of the table added or removed, which these neighbours do not say"),
        "{replaced}"
    );
    let whole = "people: rows(age: int in [0, 9])";
    let bounded = said("bounded_sum", table, "called(people, eps)", "one row of people is added or removed");
    assert!(bounded.contains("with a `where` line that does not stand here"), "{bounded}");
    proved(
        &text(
            &format!("use \"bounded_sum.dp\" as called\nmechanism m({whole})"),
            "y ~ called(people, eps)\nreturn y",
            "one row of people is added or removed",
            "eps",
        ),
        "CALL",
    );
    // A mechanism whose claim is not proved, and a parameter that differs.
    let near = "abs(a' - a) <= 1";
    let broken = said("too_little_noise", "a: int", "called(a, eps)", near);
    assert!(broken.contains("the claim of called, which is called here, is not proved"), "{broken}");
    let private = said("noisy_count", "a: int", "called(a, a)", near);
    assert!(private.contains("a == a'"), "{private}");
    let normal = said("normal_noise", "a: int", "called(a, eps)", near);
    assert!(normal.contains("what is called is proved in rho or mu"), "{normal}");
}

#[test]
fn a_uniform_draw_without_a_rule_is_named() {
    let header = "mechanism m(x: real)";
    let by_hand = "s ~ sign()\nk ~ geometric(1 / eps)\nu ~ uniform(0, 1)\nreturn x + s * (k + u)";
    let failure = open(&text(header, by_hand, "abs(x' - x) <= 1", "eps"));
    assert!(matches!(&failure.reason, Reason::Uniform { draw } if draw == "u ~ uniform(0, 1)"), "{failure}");
    assert!(failure.to_string().contains("no rule compares what is made of the draw 'u ~ uniform(0, 1)'"));
    // With a sign its logarithm is Laplace noise, which has rules: something else is missing here.
    let laplace = "u ~ uniform(0, 1)\ns ~ sign()\nreturn x + s * ln(u) / eps";
    let failure = open(&text(header, laplace, "abs(x' - x) <= 2", "eps"));
    assert!(!matches!(failure.reason, Reason::Uniform { .. }), "{failure}");
}

#[test]
fn the_classical_deviation_is_converted_by_its_tail() {
    let header = "mechanism m(x: real)\nparam delta > 0";
    let drawn = |deviation: &str| format!("where delta < 1\ny ~ gaussian(x, {deviation})\nreturn y");
    let noise = |deviation: &str| format!("where eps < 1\n{}", drawn(deviation));
    let classical = "sqrt(2 * ln(1.25 / delta)) / eps";
    proved(&text(header, &noise(classical), "abs(x' - x) <= 1", "eps, delta"), "GDP-TAIL");
    open(&text(header, &noise(classical), "abs(x' - x) <= 2", "eps, delta"));
    open(&text(header, &noise(classical), "abs(x' - x) <= 1", "eps, delta / 2"));
    open(&text(header, &noise("sqrt(2 * ln(0.3 / delta)) / eps"), "abs(x' - x) <= 1", "eps, delta"));
    // For a large epsilon it is not enough, and that is said first.
    let large = open(&text(header, &drawn(classical), "abs(x' - x) <= 1", "eps, delta")).to_string();
    assert!(large.starts_with("at the claim: not shown: eps <= 1, "), "{large}");
    let small = open(&text(header, &noise(classical), "abs(x' - x) <= 2", "eps, delta")).to_string();
    assert!(!small.contains("not shown: eps <= 1"), "{small}");
}

/// A loop that draws again until the answer is in range costs twice what one draw does. Where less is claimed it is named, with what to
/// write; one that counts its rounds is not taken for one.
#[test]
fn a_draw_that_is_made_again_is_named() {
    let text = |end: &str| {
        format!(
            "mechanism m(x: real)\nparam eps > 0\n{end}return y\nneighbours abs(x' - x) <= 1\nclaim eps\n"
        )
    };
    let again = text("y = -1\nwhile y < 0 {\n  y ~ laplace(x, 2 / eps)\n}\n");
    assert!(attempt(&again, &[]).is_ok());
    let failure = attempt(&again.replace("claim eps", "claim 3 * eps / 4"), &[]).unwrap_err().to_string();
    assert!(failure.contains("'y ~ laplace(x, 2 / eps)' is drawn again while y < 0"), "{failure}");
    assert!(failure.contains("clamp(answer, low, high)"), "{failure}");
    let counts = text("y = 0\ni = 0\nwhile i < 3 {\n  y ~ laplace(x, 1 / (2 * eps))\n  i = i + 1\n}\n");
    let failure = attempt(&counts, &[]).unwrap_err().to_string();
    assert!(!failure.contains("drawn again"), "{failure}");
}

/// A hint names the place; which tail is given up there, and what mass it has, is for the law and the claim to say.
#[test]
fn a_hint_cuts_every_law_and_several_draws() {
    let header = "mechanism m(v: int)\nparam t: int >= 1\nparam s: int >= 1";
    let with = |draws: &str, guard: &str, delta: &str, hints: &str| {
        let body = format!("{draws}\nout = 0\nif {guard} {{\nout = v\n}}\nreturn out");
        format!("{}proof {{\n{hints}\n}}\n", text(header, &body, "any", &format!("0, {delta}")))
    };
    let (one, at) = ("y ~ laplace(1 / eps)", "couple y: null up to tail t");
    proved(&with(one, "y > t", "exp(-(t * eps)) / 2", at), "UP-TO-BAD");
    proved(&with(one, "abs(y) > t", "exp(-(t * eps))", at), "UP-TO-BAD");
    open(&with(one, "abs(y) > t", "exp(-(t * eps)) / 2", at));
    open(&with(one, "y > t - 1", "exp(-(t * eps))", at));
    let whole = "y ~ discrete_laplace(1 / eps)";
    proved(&with(whole, "y >= t", "exp(-(t * eps)) / (1 + exp(-eps))", at), "UP-TO-BAD");
    proved(&with(whole, "abs(y) >= t", "2 * exp(-(t * eps)) / (1 + exp(-eps))", at), "UP-TO-BAD");
    proved(&with(whole, "y >= t", "exp(-(t * eps))", at), "UP-TO-BAD");
    open(&with(whole, "abs(y) >= t", "exp(-(t * eps)) / (1 + exp(-eps))", at));
    proved(&with("y ~ geometric(1 / eps)", "y >= t", "exp(-(t * eps))", at), "UP-TO-BAD");
    open(&with("y ~ geometric(1 / eps)", "y >= t", "exp(-((t + 1) * eps))", at));
    proved(&with("y ~ exponential(1 / eps)", "y >= t", "exp(-(t * eps))", at), "UP-TO-BAD");
    // Several places.
    let two = "y ~ laplace(1 / eps)\nz ~ laplace(2 / eps)";
    let both = "couple y: null up to tail t\ncouple z: null up to tail s";
    proved(&with(two, "y > t or z > s", "exp(-(t * eps)) / 2 + exp(-(s * eps / 2)) / 2", both), "UP-TO-BAD");
    open(&with(two, "y > t or z > s", "exp(-(t * eps)) / 2 + exp(-(s * eps)) / 2", both));
    // Noise that is cut off where it lies far out moves by 1 at most.
    let truncated = |tail: &str| {
        let body = "y ~ laplace(1 / eps)\nreturn x + clamp(y, -t, t)";
        let header = "mechanism m(x: real)\nparam t >= 1";
        let claimed = text(header, body, "abs(x' - x) <= 1", "eps, exp(-((t - 1) * eps))");
        format!(
            "{claimed}proof {{\ncouple y: shift by x - x' at cost eps * abs(x' - x) up to tail {tail}\n}}\n"
        )
    };
    proved(&truncated("t - 1"), "UP-TO-BAD");
    open(&truncated("t"));
}

/// Neighbours of a called mechanism may stand in either order; what is said is what fails in both.
#[test]
fn a_call_says_which_of_its_conditions_fails() {
    let folder = tempfolder();
    let up = "mechanism up(x: real, z: real)\nparam eps > 0\ny ~ laplace(x + z, 2 / eps)\nreturn y\n";
    let cause = |called: &str, call: &str, near: &str| {
        std::fs::write(folder.join("up.dp"), format!("{up}{called}\nclaim eps\n")).unwrap();
        let text = format!(
            "use \"up.dp\" as up\nmechanism m(x: real, z: real)\nparam eps > 0\ny ~ up({call}, eps)\nreturn y\n{near}\nclaim eps\n"
        );
        std::fs::write(folder.join("m.dp"), text).unwrap();
        let program = probity_lang::load(folder.join("m.dp")).unwrap_or_else(|error| panic!("{error}"));
        prove(&program.mechanism, &program.claim, &program.hints.unwrap_or_default()).unwrap_err().to_string()
    };
    let near = "neighbours abs(x' - x) <= 1\nneighbours abs(z' - z) <= 1";
    let one = cause("neighbours x <= x' <= x + 1\nneighbours z' == z", "x, z", near);
    assert!(one.contains("not shown: z' == z") && !one.contains("whichever"), "{one}");
    // Each input by itself is shown in one order or the other, and both together in none.
    let both = cause("neighbours x <= x' <= x + 1\nneighbours z <= z' <= z + 1", "x, z", near);
    assert!(
        both.contains("whichever run is the first") && both.contains("x <= x'") && both.contains("z <= z'"),
        "{both}"
    );
    let alone = cause(
        "neighbours x <= x' <= x + 1\nneighbours z' == z",
        "3 * x, z",
        "neighbours abs(x' - x) <= 1\nneighbours z' == z",
    );
    assert!(alone.contains("whichever run is the first") && !alone.contains("z'"), "{alone}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A folder of this test's own.
fn tempfolder() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("probity-calls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
