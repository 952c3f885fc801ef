//! What is drawn is what was proved, and what was proved is the loss that is debited and that a certificate states.

use probity_exact::{Integer, Rational, rational};
use probity_kernel::term::Mechanism;
use probity_release::policy::Policy;
use probity_release::prepare::Prepared;
use probity_release::proof::{self, Stake};
use probity_release::{certificate, release};

use crate::common::{POLICY, policy, prepared_by};
use crate::{in_rho, read};

fn discovering() -> Policy {
    let budget = "epsilon = \"2\"\ndelta = \"1/1000\"";
    let query = "{ epsilon = \"1/2\", delta = \"1/1000000\" }";
    let text = POLICY.replace("epsilon = \"2\"", budget).replace("{ epsilon = \"1/2\" }", query);
    read(&text.replace("Note = { type = \"text\" }", "Note = { type = \"text\", discover = true }"))
}

const SUMS: &str = "SELECT region, COUNT(*), SUM(age) FROM people GROUP BY region";
const KEYS: &str = "SELECT Note, COUNT(*) FROM people GROUP BY Note";

fn mechanism(prepared: &Prepared) -> Mechanism {
    proof::program(&prepared.text, &prepared.parameters).unwrap().mechanism
}

/// Neither the comparison nor the way to a release that goes by it takes it.
fn is_refused(other: &Prepared, proved: &Mechanism, why: &str) {
    assert!(other.check_scales(proved).is_err(), "{why}");
    assert!(release::prove(other.clone(), None).is_err(), "{why}");
}

#[test]
fn noise_that_was_not_proved_is_not_drawn() {
    let two = rational(2, 1).unwrap();
    for policy in [policy(), in_rho()] {
        let prepared = prepared_by(&policy, SUMS);
        let proved = mechanism(&prepared);
        assert!(prepared.check_scales(&proved).is_ok());
        for place in 0..prepared.scales.len() {
            for scale in [&prepared.scales[place] / &two, &prepared.scales[place] * &two] {
                let mut other = prepared.clone();
                other.scales[place] = scale;
                is_refused(&other, &proved, "another scale");
            }
        }
        let mut other = prepared.clone();
        other.scales.pop();
        is_refused(&other, &proved, "a draw without a scale");
        let mut other = prepared.clone();
        other.plan.draws.swap(0, 1);
        is_refused(&other, &proved, "draws in another order");
        let mut other = prepared.clone();
        other.threshold = Some(Integer::from(5));
        is_refused(&other, &proved, "a threshold that is not in the text");
        // The other noise of the same scale.
        let mut other = prepared.clone();
        other.stake.concentrated = !other.stake.concentrated;
        assert!(other.check_scales(&proved).is_err());
    }
}

/// A law of the reals, a draw in a branch, one draw more: none of these is what is drawn.
#[test]
fn noise_of_another_text_is_not_drawn() {
    let prepared = prepared_by(&policy(), SUMS);
    let draw = prepared.text.lines().find(|line| line.contains("count_1 ~")).unwrap();
    let branch = format!("if g > 0 {{\n{draw}\n}} else {{\n{draw}\n}}");
    for text in [
        prepared.text.replace("discrete_laplace", "laplace"),
        prepared.text.replacen("discrete_laplace", "discrete_gaussian", 1),
        prepared.text.replace(draw, &branch),
        prepared.text.replace(draw, &format!("{draw}\n{draw}")),
        prepared.text.replace(draw, &format!("{draw}\nif g > 5 {{\ncount_1 = 0\n}}")),
    ] {
        assert_ne!(text, prepared.text);
        let other = proof::program(&text, &prepared.parameters).unwrap().mechanism;
        assert!(prepared.check_scales(&other).is_err(), "{text}");
    }
}

#[test]
fn a_threshold_that_was_not_proved_holds_nothing_back() {
    let prepared = prepared_by(&discovering(), KEYS);
    let proved = mechanism(&prepared);
    assert!(prepared.check_scales(&proved).is_ok());
    let threshold = prepared.threshold.clone().unwrap();
    for other in [Some(&threshold - Integer::ONE), Some(&threshold + Integer::ONE), None] {
        let mut changed = prepared.clone();
        changed.threshold = other;
        is_refused(&changed, &proved, "another threshold");
    }
    let mut changed = prepared.clone();
    changed.scales[0] = &changed.scales[0] / rational(2, 1).unwrap();
    is_refused(&changed, &proved, "another scale");
}

/// The shape of a text with keys that are discovered, word by word: whatever else it is, its law is another one.
#[test]
fn keys_are_drawn_by_a_text_of_this_very_shape() {
    let prepared = prepared_by(&discovering(), KEYS);
    let text = &prepared.text;
    let shown = text.lines().find(|line| line.contains("if count_1 >=")).unwrap().trim();
    let number = shown.trim_start_matches("if count_1 >= ").trim_end_matches(" {");
    for (from, to) in [
        ("for g in 0..keys", "for g in 1..keys".to_owned()),
        ("if rows_1 > 0 {", "if rows_1 > 1 {".to_owned()),
        ("if rows_1 > 0 {", "if g > 0 {".to_owned()),
        ("discrete_laplace(rows_1,", "discrete_laplace(g,".to_owned()),
        (shown, format!("if rows_1 >= {number} {{")),
        ("append(out, g)", "append(out, rows_1)".to_owned()),
        ("append(out, count_1)", "append(out, rows_1)".to_owned()),
        ("count_1", "count_2".to_owned()),
        // Something behind `else`, for keys that are held back and for those without rows.
        (
            "append(out, count_1)\n    }\n",
            "append(out, count_1)\n    } else {\n append(out, g)\n }\n".to_owned(),
        ),
        ("    }\n  }\n}\n", "    }\n  } else {\n append(out, g)\n }\n}\n".to_owned()),
    ] {
        let other = text.replace(from, &to);
        assert_ne!(&other, text, "{from}");
        let other = proof::program(&other, &prepared.parameters)
            .unwrap_or_else(|refusal| panic!("{other}\n{refusal}"));
        assert!(prepared.check_scales(&other.mechanism).is_err(), "{to}");
    }
}

/// A theorem about another loss than the one that is debited, whatever the text calls it.
#[test]
fn a_theorem_about_another_loss_is_none() {
    let text = |claim: &str, noise: &str| {
        format!(
            "mechanism release(t: rows(x: int))\nparam eps > 0\ny ~ {noise}\nreturn y\nneighbours one row of t is added or removed\n\
             claim {claim}\n"
        )
    };
    let half = rational(1, 2).unwrap();
    let stake = Stake::without_delta(false, half.clone());
    let laplace = "discrete_laplace(count(r in t), 1 / eps)";
    let proved = |text: &str, stake: &Stake| proof::prove(text, stake, None).map(|proved| proved.stake);
    assert_eq!(proved(&text("eps", laplace), &stake).unwrap(), stake);
    for claim in ["2 * eps", "eps + 1", "eps, 1 / 10"] {
        let refused = proved(&text(claim, laplace), &stake).unwrap_err();
        assert!(refused.message.contains("another loss"), "{claim}: {refused}");
    }
    // ρ = 1/2 is no ε of 1/2, though the number is the same.
    let gaussian = "discrete_gaussian(count(r in t), 1)";
    let refused = proved(&text("rho eps", gaussian), &stake).unwrap_err();
    assert!(refused.message.contains("another loss"), "{refused}");
    // Nor is a proof without δ one with it.
    let with_delta = Stake { delta: rational(1, 10).unwrap(), ..stake };
    let with = text("eps", laplace).replace("param eps > 0\n", "param eps > 0\nparam delta > 0\n");
    assert!(proved(&with, &with_delta).unwrap_err().message.contains("another loss"));
}

/// The debit is what the theorem claims: with another cost nothing is released.
#[test]
fn another_cost_than_the_theorems_is_not_debited() {
    for policy in [policy(), in_rho(), discovering()] {
        let prepared = prepared_by(&policy, "SELECT COUNT(*) FROM people");
        for factor in [rational(1, 2).unwrap(), rational(2, 1).unwrap()] {
            let mut other = prepared.clone();
            other.cost.amount = &other.cost.amount * &factor;
            assert!(release::prove(other, None).unwrap_err().message.contains("another loss"));
        }
        let mut other = prepared.clone();
        other.cost.delta = rational(1, 2).unwrap();
        assert!(release::prove(other, None).is_err());
    }
}

/// A certificate with a true proof of a loss that its query may not have under the policy.
#[test]
fn a_certificate_at_another_stake_is_refused() {
    let forged = |strict: &Policy, lavish: &Policy, sql: &str| {
        let proven = release::prove(prepared_by(lavish, sql), None).unwrap();
        let text = certificate::write(proven.prepared(), strict, "", proven.certificate());
        // The proof itself is in order.
        assert!(certificate::check(&text, None).is_ok());
        let refused = certificate::check(&text, Some(strict)).unwrap_err();
        assert!(refused.message.contains("another loss than its query may have"), "{refused}");
    };
    let epsilon = |per_query: &str| read(&policy().text.replace("\"1/2\"", per_query));
    forged(&policy(), &epsilon("\"1\""), SUMS);
    let rho = |per_query: &str| read(&in_rho().text.replace("\"1/2\"", per_query));
    forged(&in_rho(), &rho("\"1\""), SUMS);
    let delta = |per_query: &str| read(&discovering().text.replace("\"1/1000000\"", per_query));
    forged(&discovering(), &delta("\"1/1000\""), KEYS);
    // Laplace noise of a small ε where the policy's query has Gaussian noise: not what it is answered with.
    forged(&in_rho(), &epsilon("\"1/4\""), SUMS);
    // What may be lost is more than what was: a call that shared its loss has such certificates.
    let proven = release::prove(prepared_by(&epsilon("\"1/4\""), SUMS), None).unwrap();
    let less = certificate::write(proven.prepared(), &policy(), "", proven.certificate());
    assert!(certificate::check(&less, Some(&policy())).is_ok());
}

/// What a certificate says beside its proof is checked line by line.
#[test]
fn a_certificate_states_what_its_query_has() {
    let policy = discovering();
    let proven = release::prove(prepared_by(&policy, KEYS), None).unwrap();
    let whole = certificate::write(proven.prepared(), &policy, "", proven.certificate());
    assert!(certificate::check(&whole, Some(&policy)).is_ok());
    let line = |start: &str| whole.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    for (from, to) in [
        (line("mechanism "), format!("{0}\n{0}", line("mechanism "))),
        (line("epsilon "), format!("epsilon 1/9\n{}", line("epsilon "))),
        (line("epsilon "), "epsilon 0".to_owned()),
        (line("delta "), format!("delta 1/9\n{}", line("delta "))),
        (line("delta "), "delta 1/1000000000".to_owned()),
        (line("delta "), String::new()),
        (line("query "), format!("{0}\n{0}", line("query "))),
        (line("assumption "), "assumption \"nothing is assumed\"".to_owned()),
        (line("budget "), "budget epsilon 1/2, delta 0".to_owned()),
        (line("policy "), "policy 00".to_owned()),
        (line("mechanism "), format!("parameter x=1\n{}", line("mechanism "))),
        (line("mechanism "), format!("remark 1\n{}", line("mechanism "))),
    ] {
        let forged = whole.replacen(&format!("\n{from}\n"), &format!("\n{to}\n"), 1).replace("\n\n", "\n");
        assert_ne!(forged, whole, "{to}");
        assert!(certificate::check(&forged, Some(&policy)).is_err(), "{to}");
    }
}

/// The loss that a query has is the policy's, and never more: asked for in a clause, or shared with others.
#[test]
fn deviations_are_rounded_up() {
    let prepared = prepared_by(&in_rho(), SUMS);
    let s = &prepared.parameters[1].1;
    // Two draws of weight 1: 2 ≤ 2ρs², exactly.
    assert!(rational(2, 1).unwrap() <= rational(2, 1).unwrap() * &prepared.stake.amount * s * s);
    assert!(s * s > Rational::from(2), "√2 is no rational, so s lies above it");
}
