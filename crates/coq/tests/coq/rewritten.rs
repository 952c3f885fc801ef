//! Programs that are rewritten before they are proved, and what is assumed of the entries of lists.

use probity_coq::export;

use super::{certificate, root, written};

/// A text of `tests/prove`, proved and written.
fn of(name: &str) -> Result<String, String> {
    written(&std::fs::read_to_string(root().join(format!("tests/prove/{name}.dp"))).unwrap())
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
}

/// INLINE and NAME: the claim is about the program as it stands, and the two programs go in step.
#[test]
fn rewritten_programs_are_exported() {
    let text = written(
        "mechanism scaled(x: real)
         param eps > 0
         s = 2 / eps
         y ~ laplace(x, s)
         return y
         neighbours abs(x' - x) <= 2
         claim eps",
    )
    .unwrap();
    let theorem = text.split_once("Theorem scaled_private ").unwrap().1;
    assert!(theorem.contains("(program p_eps)\n    p_eps 0 m m'."), "{theorem}");
    if let Some((claimed, proved)) = text.split_once("Definition program_proved") {
        assert!(claimed.contains("laplace_ (in_x i) (v_s v)"), "{claimed}");
        assert!(proved.contains("laplace_ (in_x i) (2 / p_eps)"), "{proved}");
        assert!(
            proved.contains("v_s (snd s) = (fun (i : inputs) (v : vars) => (2 / p_eps)) (fst s) (snd s)"),
            "{proved}"
        );
    }
}

/// The claim is about the program as it stands; what is proved draws before the branch, and a lemma says that both have one law.
#[test]
fn a_draw_before_a_branch_is_exported() {
    let text = export(&certificate("stability_histogram")).unwrap();
    let (claimed, rest) = text.split_once("Definition program_proved").unwrap();
    assert!(claimed.contains("(if_ (fun (i : inputs) (v : vars) => (ltR 0 (IZR (v_c v))))"), "{claimed}");
    for part in [
        "Definition same_1 (s t : inputs * vars) : Prop := fst s = fst t /\\ v_c (snd s) = v_c (snd t) /\\ v_out (snd s) = v_out (snd t).",
        "apply (@step_hoist RR _ same_1)",
        "apply (@step_join RR _ same_2)",
        "@j_for_once",
        "(cons (IZR (f_people_key row2_people)) (nil))",
        "Lemma stability_histogram_private_proved",
        "Theorem stability_histogram_private ",
    ] {
        assert!(rest.contains(part), "there is no\n{part}\nin\n{rest}");
    }
    let theorem = text.split_once("Theorem stability_histogram_private ").unwrap().1;
    assert!(theorem.contains("(program p_k p_eps p_delta)\n    p_eps p_delta m m'."), "{theorem}");
}

/// What is appended gets a name, also in a loop; a loop between numbers is its rounds; a draw of two branches is one.
#[test]
fn names_of_entries_rounds_and_one_draw_are_exported() {
    let entry = of("appended_xor").unwrap();
    has(
        &entry,
        &["Definition program_proved", "apply (@step_entry RR _ _ same_1 same_1 same_1); [related_1|]."],
    );
    let rounds = of("scales_index").unwrap();
    assert_eq!(rounds.matches("@step_round inputs vars _").count(), 4, "{rounds}");
    // The rounds are taken one by one as the text has the loop.
    has(&rounds, &["@step_over inputs vars _ same_1 same_1", "drawZ_ if_ skip_]."]);
    let one = of("private_guard_same_law").unwrap();
    has(&one, &["apply (@step_one_draw RR _ _ same_1 same_1); related_1."]);
}

/// Two draws that follow each other are one, by a law for all tests.
#[test]
fn noise_of_two_draws_is_exported_or_named() {
    for (name, law) in [
        ("rr10", "response_of"),
        ("geometric_difference", "difference_of"),
        ("sign_times_exponential", "sign_of"),
        ("coin_and_exponential", "coin_of"),
    ] {
        let text = of(name).unwrap();
        has(
            &text,
            &["From Probity Require Import RewritesDraws.", "@step_pair RR _ _", &format!("apply {law};")],
        );
    }
    // An integer is read as what the rewritten program releases.
    has(&of("geometric_difference").unwrap(), &["unfold output_proved; push"]);
    // Two draws of reals in turn need tests that are measurable, and the sign after the size too.
    assert_eq!(of("exponential_difference").unwrap_err(), "not exported: rule DIFFERENCE-LAW");
    let turned = "mechanism turned(x: real)\nparam eps > 0\nsize ~ exponential(1)\ns ~ sign()\nreturn x + s * size / eps\nneighbours abs(x' - x) <= 1\nclaim eps";
    assert_eq!(written(turned).unwrap_err(), "not exported: rule SIGN-LAW");
}

/// What is assumed of every entry stands in the statement, and is known of the entries at one place in both runs.
#[test]
fn bounds_of_entries_are_exported() {
    let text = of("mean_of_any_list").unwrap();
    has(
        &text,
        &[
            "(forall j, (0 <= j < len (in_q i))%Z -> ((leR 0 (entry (in_q i) j)) && (leR (entry (in_q i) j) 1)) = true)",
            "Lemma bounds1 : forall j, negb (leR 0 (IZR j) && ltR (IZR j) (IZR n_q)) ||",
            "let e := constr:(bounds1 x_i) in given e",
        ],
    );
    // Beside what the neighbours say of the entries, and of integers.
    let both = of("histogram_of_a_list").unwrap();
    has(&both, &["(entryZ (in_x i) j)", "[let e := constr:(adj_x ", "|let e := constr:(bounds0 "]);
}
