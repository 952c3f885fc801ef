//! Which certificates of the library have a Coq text, and what the text says. That `coqc` accepts the texts is for
//! `scripts/certificates_coq.sh`.

mod rewritten;

use std::fs;
use std::path::{Path, PathBuf};

use probity_coq::{NotExported, export};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn certificate(name: &str) -> String {
    fs::read_to_string(root().join(format!("certificates/{name}.cert"))).unwrap()
}

#[test]
fn the_table_says_which_certificates_are_exported() {
    let table = fs::read_to_string(root().join("proofs/exported.txt")).unwrap();
    let mut names: Vec<String> = fs::read_dir(root().join("certificates"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let found: Vec<String> = names
        .iter()
        .map(|name| match export(&certificate(name)) {
            Ok(_) => format!("{name}: exported"),
            Err(reason) => format!("{name}: {reason}"),
        })
        .collect();
    assert_eq!(found, table.lines().collect::<Vec<_>>());
    assert!(found.iter().filter(|line| line.ends_with(": exported")).count() >= 42);
}

#[test]
fn the_theorem_is_about_the_mechanism_and_the_claim() {
    let text = export(&certificate("sparse_vector")).unwrap();
    for part in [
        "Record inputs := Inputs { in_q : list R }.",
        "(draw_ (fun (i : inputs) (v : vars) => laplace_ p_T (2 / p_eps)) (fun (v : vars) (y : R) => put_rho v y))",
        "Definition output (p_eps : R) (p_N : Z) (p_T : R) (n_q : Z) (i : inputs) (v : vars) : list bool :=\n  (v_out v).",
        "(ltR 0 p_eps) = true /\\\n  (leR 1 (IZR p_N)) = true /\\\n  True.",
        "(forall j, (0 <= j < len (in_q i))%Z -> leR (Rabs (entry (in_q i') j - entry (in_q i) j)) 1 = true)",
        "neighbours p_eps p_N p_T (fst m) (fst m') \\/ neighbours p_eps p_N p_T (fst m') (fst m) ->",
        "let n_q := len (in_q (fst m)) in",
        "    p_eps 0 m m'.",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    // An output that is an integer is read as one.
    let integer = export(&certificate("randomized_response")).unwrap();
    assert!(integer.contains("apply eq_IZR; unfold output; push;"), "{integer}");
    // Nothing is left open, and nothing is assumed.
    for word in ["Admitted", "admit", "Axiom", "Parameter", "Conjecture"] {
        assert!(!text.contains(word), "{word}");
    }
}

/// A claim in μ is about all the guarantees of two normal laws, for one draw and for several; each is a draw in μ, and none one in ρ.
#[test]
fn normal_draws_are_exported_in_mu() {
    let text = export(&certificate("gaussian_mu")).unwrap();
    for part in [
        "From Probity Require Import CertificateMu.",
        "  gdp (fun s : inputs * vars",
        "    (1 / p_sigma) m m'.",
        "refine (@mj_private inputs vars i1 i2",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    let twice = written(
        "mechanism twice(x: real)
         param mu > 0
         y ~ gaussian(x, 2 / mu)
         if y > 0 {
           z ~ gaussian(x, 2 / mu)
         } else {
           z ~ gaussian(x + y, 2 / mu)
         }
         return z
         neighbours abs(x' - x) <= 1
         claim mu mu",
    )
    .unwrap();
    // Three draws, in each orientation that is proved.
    assert_eq!(twice.matches("@mj_gaussian inputs vars i1 i2").count() % 3, 0, "{twice}");
    assert!(twice.contains("@mj_gaussian") && !twice.contains("@zj_gaussian"), "{twice}");
    assert!(twice.contains("    p_mu m m'."), "{twice}");
}

/// In ρ Laplace noise, choices and draws that both runs do alike have the rules of that measure.
#[test]
fn other_draws_are_exported_in_rho() {
    let text = written(
        "mechanism noises(x: real, n: int)
         param rho > 0
         a ~ laplace(x, 1 / sqrt(rho))
         b ~ discrete_laplace(n, 1 / sqrt(rho))
         c ~ laplace(0, 1)
         return a + b + c
         neighbours abs(x' - x) <= 1 and abs(n' - n) <= 1
         claim rho rho",
    )
    .unwrap();
    for part in ["@zj_laplace inputs vars", "@zj_discrete_laplace inputs vars", "@zj_null _ inputs vars"] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    assert!(!text.contains("@j_"), "{text}");
}

/// CHAIN and ALIKE: what is known is written before and after each link; a link that is proved by itself says what it leaves alone.
#[test]
fn chains_are_exported() {
    let text = fs::read_to_string(root().join("tests/prove/const_loop_nested.dp")).unwrap();
    let exported = written(&text).unwrap();
    for part in [
        "From Probity Require Import Certificate Blocks",
        "refine (@j_judged inputs vars i1 i2 (fun v t => True) _",
        "refine (@j_alike_set inputs vars i1 i2 _ (fun v v' k => (leR k 0))",
        "eapply (@j_blocks inputs vars i1 i2 (cons _ (cons _ nil))); cycle 1.",
    ] {
        assert!(exported.contains(part), "there is no\n{part}\nin\n{exported}");
    }
    // A part of a chain that is proved for each of its answers is not exported.
    let selected = fs::read_to_string(root().join("tests/prove/noisy_max_then_value.dp")).unwrap();
    assert_eq!(written(&selected).unwrap_err(), "not exported: rule SELECT");
}

/// u and s in turn: the claim is about the program as it stands, the derivation about one with the same law.
#[test]
fn a_uniform_draw_and_a_sign_are_exported_for_borel_sets() {
    for (name, proved) in [
        (
            "snapping",
            "(draw_ (fun (i : inputs) (v : vars) => laplace_ 0 1) (fun (v : vars) (y : R) => put_noise_0 v y))",
        ),
        (
            "snapping_direct",
            "(draw_pair_ inputs (fun (v : vars) (y : R) => put_u v y) (fun (v : vars) (y : Z) => put_s v y))",
        ),
    ] {
        let text = export(&certificate(name)).unwrap();
        let (claimed, rest) = text.split_once("Definition program_proved").unwrap();
        for part in [
            "(draw_ (fun (i : inputs) (v : vars) => uniform_) (fun (v : vars) (y : R) => put_u v y))",
            "(drawZ_ (fun (i : inputs) (v : vars) => sign_) (fun (v : vars) (y : Z) => put_s v y))",
            "put_w v ((in_x i) + ((IZR (v_s v) * (ln_ (v_u v))) / p_eps))",
        ] {
            assert!(claimed.contains(part), "there is no\n{part}\nin\n{claimed}");
        }
        assert!(rest.contains(proved), "there is no\n{proved}\nin\n{rest}");
        let theorem = text.split_once(&format!("Theorem {name}_private ")).unwrap().1;
        assert!(
            theorem.contains(
                "dp_borel (fun s : inputs * vars => output p_eps p_B (fst s) (snd s)) (program p_eps p_B)"
            ),
            "{theorem}"
        );
    }
}

#[test]
fn what_the_kernel_rejects_is_not_exported() {
    let honest = certificate("laplace");
    for forged in [
        honest.replacen("(claim (var (plain $eps))", "(claim (binary / (var (plain $eps)) (number 2))", 1),
        honest.replace("(product 2/3 () (5))", "(product 1/3 () (5))"),
        honest.lines().take(5).collect::<Vec<_>>().join("\n"),
        "no certificate".to_string(),
    ] {
        assert_ne!(forged, honest);
        assert!(matches!(export(&forged), Err(NotExported::Rejected(_))), "{forged}");
    }
}

/// In ρ the theorem is about divergences, and a claim of ε and δ that is reached through ρ is again about sets of outputs.
#[test]
fn claims_in_rho_are_exported_in_their_own_words() {
    let text = export(&certificate("gaussian")).unwrap();
    for part in [
        "(draw_ (fun (i : inputs) (v : vars) => gaussian_ (in_x i) (p_sigma * p_d)) (fun (v : vars) (y : R) => put_y v y))",
        "  zcdp (fun s : inputs * vars => output p_sigma p_d (fst s) (snd s)) (program p_sigma p_d)\n    (1 / ((2 * p_sigma) * p_sigma)) m m'.",
        "@zj_gaussian inputs vars i1 i2",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    let converted = export(&certificate("gaussian_epsilon_delta")).unwrap();
    assert!(!converted.contains("  zcdp (fun"), "{converted}");
    assert!(converted.contains("  dp (fun s") && converted.contains("@zj_tail inputs vars"), "{converted}");
    let integers = export(&certificate("discrete_gaussian")).unwrap();
    assert!(integers.contains("discrete_gaussian_ (in_x i) p_sigma"), "{integers}");
}

/// Scores are an input, or a list that the program makes; what is assumed of a length is assumed of the input's own list.
#[test]
fn the_exponential_mechanism_is_exported() {
    let text = export(&certificate("exponential")).unwrap();
    for part in [
        "choose_ (in_scores i) (2 / p_eps)",
        "(leR 1 (IZR (len (in_scores i)))) = true /\\",
        "(apart (in_scores i1) (in_scores i2) (-1) 1)",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    let own = export(&certificate("median")).unwrap();
    // The tactic for lists with apart in it is the one of Chosen.v, which nothing that is imported later takes back.
    let imported: Vec<&str> =
        own.lines().filter(|line| line.starts_with("From Probity Require Import")).collect();
    assert_eq!(imported.last(), Some(&"From Probity Require Import Chosen."), "{imported:?}");
    assert!(own.contains("choose_ (v_scores v) (2 / p_eps)") && own.contains("(len (v_scores v))"), "{own}");
}

/// The conditions are those of a choice, the law and the rule its own; in ρ there is neither.
#[test]
fn permute_and_flip_is_exported() {
    let text = export(&certificate("permute_and_flip")).unwrap();
    for part in ["permute_and_flip_ (in_q i) (2 / p_eps)", "refine (@j_permute_flip inputs vars i1 i2 0 _"] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    assert!(!text.contains("@j_choose") && !text.contains("choose_ "), "{text}");
    assert!(!export(&certificate("exponential")).unwrap().contains("permute_and_flip_ "));
}

/// What is called is a module of the text, with a theorem of its own, and the step is by that theorem; other calls are named.
#[test]
fn calls_are_exported_or_named() {
    let text = export(&certificate("noisy_max_then_measure")).unwrap();
    let (called, whole) = text.split_once("End called_noisy_max.").unwrap();
    for part in [
        "Module called_noisy_max.",
        "Theorem noisy_max_private",
        "Lemma program_additive",
        "Lemma output_read",
        "Definition start : vars := Vars 0%Z 0 0 0.",
    ] {
        assert!(called.contains(part), "there is no\n{part}\nin\n{called}");
    }
    for part in [
        "(draw_ (fun (i : inputs) (v : vars) => call_ (called_noisy_max.program (p_eps / 2) n_q) (called_noisy_max.output (p_eps / 2) n_q) \
         (called_noisy_max.Inputs (in_q i)) called_noisy_max.start) (fun (v : vars) (y : Z) => put_winner v y))",
        "refine (called_noisy_max.noisy_max_private (p_eps / 2)",
        "refine (@j_call inputs vars i1 i2 Z _",
        "    p_eps 0 m m'.",
    ] {
        assert!(whole.contains(part), "there is no\n{part}\nin\n{whole}");
    }
    let calling = |used: &str, input: &str, body: &str, near: &str, claim: &str| {
        written(&format!(
            "use \"{used}.dp\" as g\nmechanism m({input})\nparam eps > 0\nparam delta > 0\nwhere delta < 1\n{body}\nreturn y\nneighbours {near}\nclaim {claim}"
        ))
    };
    let every = "every entry of q differs by at most 1";
    let number = "abs(x' - x) <= 1";
    for (used, input, body, near, claim, why) in [
        (
            "laplace",
            "x: real",
            "y ~ g(x, eps)",
            number,
            "eps",
            "rule CALL of a mechanism that releases no integer or boolean",
        ),
        (
            "noisy_max_exponential",
            "q: real[]",
            "y ~ g(q, eps)",
            every,
            "rho eps * eps / 2",
            "rule CALL in rho",
        ),
        (
            "laplace",
            "x: real",
            "a ~ laplace(x, 1 / eps)\ny ~ g(a, eps)",
            number,
            "eps",
            "rule CALL at no cost, or at none where its arguments are equal",
        ),
        (
            "noisy_max_exponential",
            "q: real[]",
            "a ~ g(q, eps)\ny ~ g(q, if a > 0 then 1 else 1 / 2)",
            every,
            "eps + 1",
            "rule CALL with parameters that the runs compute",
        ),
        (
            "propose_test_release",
            "x: int",
            "y ~ g(x, 0, eps, delta)",
            number,
            "eps, delta",
            "rule CALL of a claim that is not one of epsilon alone",
        ),
    ] {
        let refused = calling(used, input, body, near, claim).unwrap_err();
        assert_eq!(refused, format!("not exported: {why}"));
    }
}

/// A mechanism as a text, proved and written; it may use those of the library.
fn written(text: &str) -> Result<String, String> {
    let program = probity_lang::load_text_in(text, &root().join("mechanisms")).unwrap();
    let proof = probity_prove::prove(&program.mechanism, &program.claim, &Default::default()).unwrap();
    export(&probity_prove::certificate::write(&proof)).map_err(|reason| reason.to_string())
}

/// Mass that is given up is a number of the text, and the theorem has the claim's delta.
#[test]
fn mass_that_is_given_up_is_exported() {
    let text = export(&certificate("propose_test_release")).unwrap();
    for part in [
        "    p_eps p_delta m m'.",
        "@j_up_to_tail inputs vars i1 i2",
        "eapply j_one_sided.",
        "@j_private_up_to inputs vars i1 i2",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    // A text that gives up nothing has the rules for that.
    assert!(!export(&certificate("laplace")).unwrap().contains("up_to"));
    // In rounds that the neighbours name, also on the integers.
    let rounds = written(
        "mechanism rounds(people: rows(key: category(k)))\nparam k: int >= 1\nparam eps > 0\nparam delta > 0\nwhere delta < 1 / 2\n\
         out = []\nfor g in 0..k {\n  c = count(r in people where r.key == g)\n  if c > 0 {\n    n ~ discrete_laplace(c, 1 / eps)\n    \
         if n > 1 + ln(1 / delta) / eps {\n      append(out, g)\n      append(out, n)\n    }\n  }\n}\nreturn out\n\
         neighbours one row of people is added or removed\nclaim eps, delta",
    )
    .unwrap();
    for part in ["@j_up_to_open_tailZ inputs vars", "apply discrete_laplace_total; positive_scale"] {
        assert!(rounds.contains(part), "there is no\n{part}\nin\n{rounds}");
    }
}

/// UP-TO-BAD for other parts of a law has a rule each, and the mass that is given up is the kernel's.
#[test]
fn parts_of_laws_that_are_given_up_are_exported() {
    for (name, rule) in [
        ("count_above_integer", "@j_up_to_exact_tail inputs vars"),
        ("discrete_clamped", "@j_up_to_exact_tails inputs vars"),
        ("exponential_added", "@j_up_to_start inputs vars"),
        ("uniform_added", "@j_up_to_uniform inputs vars"),
    ] {
        let text = fs::read_to_string(root().join(format!("tests/prove/{name}.dp"))).unwrap();
        let exported = written(&text).unwrap();
        assert!(exported.contains(rule), "there is no\n{rule}\nin\n{exported}");
        assert!(exported.contains("@j_private_up_to inputs vars"), "{exported}");
    }
}

/// GROUP: that one row is private with a share of epsilon is a theorem of its own, and the one about more rows follows it.
#[test]
fn several_rows_are_exported_from_one() {
    let text = |claim: &str, scale: &str, draw: &str| {
        written(&format!(
            "mechanism groups(d: rows(kind: category(3), age: int))\nparam k: int >= 1\nparam eps > 0\nwhere 0 <= d.age\n\
             c ~ {draw}(count(r in d where r.kind == 1), {scale})\nreturn c\nneighbours at most k rows of d are added or removed\nclaim {claim}"
        ))
    };
    let exported = text("eps", "k / eps", "laplace").unwrap();
    let (one, more) = exported.split_once("(* The same for more than one row.").unwrap();
    assert!(
        one.contains("Theorem groups_one_row_private") && one.contains("    (p_eps / (IZR p_k)) 0 m m'."),
        "{one}"
    );
    for part in [
        "Theorem groups_private (p_k : Z) (p_eps : R) (m m' : inputs * vars)",
        "more_rows (IZR p_k) (in_d (fst m)) (in_d (fst m')) \\/ more_rows (IZR p_k) (in_d (fst m')) (in_d (fst m)) ->",
        "    p_eps 0 m m'.",
        "refine (@grouped_private inputs vars row_d",
    ] {
        assert!(more.contains(part), "there is no\n{part}\nin\n{more}");
    }
    let refused = text("rho eps", "k / sqrt(2 * eps)", "gaussian").unwrap_err();
    assert_eq!(refused, "not exported: rule GROUP in rho or mu");
    let large = std::fs::read_to_string(root().join("tests/prove/large_count_of_several_rows.dp")).unwrap();
    let delta = written(&large).unwrap();
    for part in [
        "Lemma enough (w : vars) :",
        "@grouped_delta_private inputs vars row_people",
        "apply grouped_written;",
        "    (IZR p_k * p_eps) ((p_delta * ((exp (IZR p_k * p_eps)) - 1)) * inv ((exp p_eps) - 1)) m m'.",
    ] {
        assert!(delta.contains(part), "there is no\n{part}\nin\n{delta}");
    }
    // The lemma about the numbers is for a parameter.
    let two = large.replace("param k: int >= 1\n", "").replace("at most k rows", "at most 2 rows");
    let two = two.replace("k * eps", "2 * eps");
    assert_eq!(
        written(&two).unwrap_err(),
        "not exported: rule GROUP-DELTA for a number of rows that is no parameter"
    );
}

/// A sample: what is done with it has a theorem of its own, and the theorem about the table is about a program that draws it.
#[test]
fn a_sample_that_is_drawn_first_is_exported() {
    let text = export(&certificate("subsampled_laplace")).unwrap();
    let (inside, whole) = text.split_once("(* The mechanism: it draws a sample").unwrap();
    assert!(inside.contains("Theorem subsampled_laplace_on_sample_private"), "{inside}");
    for part in [
        "sample_ (in_people i) p_q) (fun v y => (y, snd v)))",
        "(on_sample tables Inputs (program p_eps p_q)).",
        "in_people (fst m) = (before ++ after)%list -> in_people (fst m') = (before ++ row :: after)%list ->",
        "    (ln_ (1 + (p_q * ((exp p_eps) - 1)))) 0 m m' /\\",
        "refine (@sampled_private tables inputs vars row_s",
    ] {
        assert!(whole.contains(part), "there is no\n{part}\nin\n{whole}");
    }
    // What is assumed of rows would have to be shown of every sample, and a draw before the sample moved behind it.
    let sampled = |rows: &str, assumed: &str, first: &str| {
        written(&format!(
            "mechanism g(t: rows({rows}))\nparam eps > 0\nparam q > 0\nwhere q <= 1\n{assumed}{first}s ~ sample(t, q)\n\
             n ~ laplace(count(r in s where r.a >= 1), 1 / eps)\nreturn n\n\
             neighbours one row of t is added or removed\nclaim ln(1 + q * (exp(eps) - 1))"
        ))
    };
    assert!(sampled("a: int", "", "").unwrap().contains("Theorem g_private"));
    for (rows, assumed, first, why) in [
        ("a: int", "where t.a >= 0\n", "", "rule AMPLIFY for rows of which something is assumed"),
        ("a: category(3)", "", "", "rule AMPLIFY for rows of which something is assumed"),
        ("a: int", "", "b ~ bernoulli(1 / 2)\n", "rule AMPLIFY for a sample that is not drawn first"),
    ] {
        let refused = sampled(rows, assumed, first).unwrap_err();
        assert_eq!(refused, format!("not exported: {why}"));
    }
}

/// Blocks of MAXDIV: the lemmas are those of the kernel's walk; other blocks are named.
#[test]
fn blocks_of_several_draws_are_exported_or_named() {
    let text = export(&certificate("rappor")).unwrap();
    assert!(text.contains("eapply m_mix_same; [sane| |]."), "{text}");
    let branches = export(&certificate("randomized_response_any_input")).unwrap();
    assert!(
        branches.contains("eapply m_response") && branches.contains("eapply m_uniform_int"),
        "{branches}"
    );
    let copied = written(
        "mechanism g(x: category(2))\nkeep ~ bernoulli(3 / 4)\nother ~ bernoulli(1 / 2)\n\
         y = if keep then x == 1 else other\nreturn y\nneighbours any\nclaim ln(7)",
    );
    assert_eq!(copied.unwrap_err(), "not exported: MAXDIV for a block of more than two statements");
    let flipped = written(
        "mechanism g(x: bool)\nparam eps > 0\nk ~ bernoulli(3 / 4)\ny = if k then x else not x\nreturn y\nneighbours any\nclaim ln(3)",
    )
    .unwrap();
    assert!(flipped.contains("eapply m_mix; [sane| |].") && flipped.contains("apply m_end."), "{flipped}");
    let logistic = written(
        "mechanism g(x: bool)\nparam eps > 0\ny ~ bernoulli(if x then exp(eps) / (1 + exp(eps)) else 1 / (1 + exp(eps)))\n\
         return y\nneighbours any\nclaim eps",
    );
    let logistic = logistic.unwrap();
    assert!(logistic.contains("eapply is_mass_frac.") && logistic.contains("{ over. }"), "{logistic}");
    assert!(!text.contains("is_mass_frac"), "{text}");
}

/// Mechanisms beside the library: the sorts, clauses and rules that no certificate there has.
#[test]
fn other_mechanisms_are_exported_or_named() {
    let exported = written;
    let bools = exported(
        "mechanism coin(x: bool)\nparam eps > 0\ny ~ laplace(if x then 1 else 0, 1 / eps)\nreturn y > 0\nneighbours any\nclaim eps",
    )
    .unwrap();
    assert!(bools.contains("Record inputs := Inputs { in_x : bool }."), "{bools}");
    let geometric = exported(
        "mechanism g(x: int)\nparam eps > 0\ny ~ geometric(1 / eps)\nreturn y\nneighbours abs(x' - x) <= 1\nclaim eps",
    );
    assert_eq!(geometric.unwrap_err(), "not exported: rule AXNULL");
    // A coin that both runs toss alike.
    let coin = exported(
        "mechanism g(x: real)\nparam eps > 0\nc ~ bernoulli(1 / 2)\nz ~ laplace(x, 1 / eps)\nreturn (if c then 1 else 0, z)\nneighbours abs(x' - x) <= 1\nclaim eps",
    )
    .unwrap();
    assert!(coin.contains("@j_null_bool inputs vars i1 i2"), "{coin}");
    // A draw on the integers that moves only where it is above a threshold.
    let above =
        exported(&std::fs::read_to_string(root().join("tests/prove/svt_discrete.dp")).unwrap()).unwrap();
    assert!(above.contains("@j_selectZ inputs vars i1 i2"), "{above}");
    // Equal draws, and a norm of a list.
    let twice = exported(
        "mechanism g(x: int)\nparam eps > 0\ny ~ discrete_laplace(0, 1 / eps)\nz ~ discrete_laplace(x, 1 / eps)\nreturn y + z\nneighbours abs(x' - x) <= 1\nclaim eps",
    )
    .unwrap();
    assert!(twice.contains("@j_nullZ inputs vars i1 i2"), "{twice}");
    let vector = export(&certificate("gaussian_vector")).unwrap();
    assert!(
        vector.contains("leR 0 p_d && leR (moved true (in_q i) (in_q i') (len (in_q i))) (p_d * p_d) = true"),
        "{vector}"
    );
    let pure = export(&certificate("laplace_vector")).unwrap();
    assert!(pure.contains("leR (moved false (in_q i) (in_q i') (len (in_q i))) p_d = true"), "{pure}");
    // What is released is no measurable function that the text can show to be one, or no real number.
    let signed = |output: &str| {
        exported(&format!(
            "mechanism g(x: real)\nparam eps > 0\nu ~ uniform(0, 1)\ns ~ sign()\nw = x + s * ln(u) / eps\nreturn {output}\nneighbours abs(x' - x) <= 1\nclaim eps"
        ))
    };
    assert!(signed("w").unwrap().contains("Theorem g_private"));
    assert_eq!(
        signed("if w > 0 then w else 0").unwrap_err(),
        "not exported: 'if w > 0 then w else 0' after a uniform draw"
    );
    assert_eq!(
        signed("floor(w)").unwrap_err(),
        "not exported: LAPLACE-LAW or SIGNED-LOG for an output that is no real number"
    );
}

/// Enclosures at numbers are checked by computing, with the numbers of the kernel's formula.
#[test]
fn enclosures_of_ln_and_exp_are_exported() {
    let coin = |claim: &str| {
        written(&format!(
            "mechanism rr(x: bool)\ny ~ bernoulli(if x then 3 / 4 else 1 / 4)\nreturn y\nneighbours any\nclaim {claim}"
        ))
        .unwrap()
    };
    let number = coin("1.1");
    assert!(number.contains("; [enclosed|written..]"), "{number}");
    assert!(number.contains("apply (@exp_value 2 16 (fraction (11) 10) (fraction ("), "{number}");
    // A claim that is the logarithm itself needs no number.
    assert!(!coin("ln(3)").contains("enclosed|"));
}

/// Lists of integers, and a loop that may have nothing to count.
#[test]
fn lists_of_integers_and_empty_ranges_are_exported() {
    let counts = written(
        "mechanism sum(q: int[])\nparam eps > 0\nout = []\nfor i in 0..length(q) {\n  v ~ discrete_laplace(q[i], 1 / eps)\n  append(out, v)\n}\n\
         return out\nneighbours one entry of q differs by at most 1\nclaim eps",
    )
    .unwrap();
    for part in [
        "Record inputs := Inputs { in_q : list Z }.",
        "(j <> changed_q -> entryZ (in_q i') j = entryZ (in_q i) j) /\\ leR (Rabs (IZR (entryZ (in_q i') j) - IZR (entryZ (in_q i) j))) 1 = true",
        "Let adj_q := @one_entryZ (in_q i1) (in_q i2)",
    ] {
        assert!(counts.contains(part), "there is no\n{part}\nin\n{counts}");
    }
    let norm = written(
        "mechanism sum(q: int[])\nparam eps > 0\nout = []\nfor i in 0..length(q) {\n  v ~ laplace(q[i], 1 / eps)\n  append(out, v)\n}\n\
         return out\nneighbours the entries of q differ by at most 1 in L1\nclaim eps",
    );
    assert_eq!(norm.unwrap_err(), "not exported: a norm of a list of integers");
    let later = written(
        "mechanism later(q: real[])\nparam eps > 0\nout = []\nfor i in 1..length(q) {\n  v ~ laplace(q[i], 1 / eps)\n  append(out, v)\n}\n\
         return out\nneighbours one entry of q differs by at most 1\nclaim eps",
    )
    .unwrap();
    assert!(later.contains("(for_ (1)%Z n_q"), "{later}");
    assert!(later.contains("(for_ (1)%Z (Z.max (1)%Z n_q)"), "{later}");
    assert!(
        later.contains("first [apply (@step_range RR _ _ same_1)|apply (@step_for RR _ _ same_1)]"),
        "{later}"
    );
}

/// A loop that ends when both runs say so.
#[test]
fn loops_with_a_guard_are_exported() {
    let text = written(
        "mechanism halve(x: real)\nparam eps > 0\ny ~ laplace(x, 1 / eps)\nn = 0\nwhile y > 1 {\n  y = y / 2\n  n = n + 1\n}\nreturn n\n\
         neighbours abs(x' - x) <= 1\nclaim eps",
    );
    let text = text.unwrap();
    assert!(text.contains("(while_ (fun (i : inputs) (v : vars) => (ltR 1 (v_y v)))"), "{text}");
    assert!(text.contains("eapply (@j_while _ _ _ _ _ _ _ (fun v v' k =>"), "{text}");
}

/// A place that is counted before it is read is written as the program has it; the evidence has it with its terms in the kernel's order, and the tactic `sums` of `Formulas.v` makes one of the two.
#[test]
fn a_place_that_is_counted_before_it_is_read_is_exported() {
    let text = written(
        "mechanism last_first(c: int[n])\nparam n: int >= 1\nparam eps > 0\nshown = []\nat = n\nwhile at >= 1 {\n  at = at - 1\n  \
         noisy ~ laplace(c[at], 1 / eps)\n  append(shown, noisy)\n}\nreturn shown\nneighbours one entry of c differs by at most 1\nclaim eps",
    );
    let text = text.unwrap();
    assert!(text.contains("(entryZ (in_c i1) ((v_at v) - (1)%Z)%Z)"), "{text}");
    assert!(text.contains("(entryZ (in_c i1) ((-1)%Z + (v_at v))%Z)"), "{text}");
    let formulas = std::fs::read_to_string(root().join("proofs/Formulas.v")).unwrap();
    assert!(formulas.contains("| merge_places; first [field; nonzero"), "the tactic knows only one way");
}

/// PW-EQ: a judgement for each output, and that the program is countably additive, statement by statement.
#[test]
fn a_judgement_for_each_output_is_exported_with_countable_additivity() {
    let text = export(&certificate("noisy_max_exponential")).unwrap();
    for part in [
        "Definition enc (x : store) : vars := Vars (Zfloor (cell x 0)) (cell x 1) (cell x 2) (cell x 3).",
        "exact (@a_exponential inputs vars enc held 2 put_z enc_z (fun i => (2 / p_eps))).",
        "Variable result : Z.",
        "eapply j_one_sided.",
        "@j_pointwise inputs vars i1 i2 enc intO",
        "  dp (fun s : inputs * vars => output p_eps n_q (fst s) (snd s)) (program p_eps n_q)\n    p_eps 0 m m'.",
    ] {
        assert!(text.contains(part), "there is no\n{part}\nin\n{text}");
    }
    let exported = |body: &str| {
        let text = format!(
            "mechanism sign(x: real)\nparam eps > 0\n{body}\nreturn b\nneighbours abs(x' - x) <= 1\nclaim eps\n\
             proof {{\n  pointwise\n  couple y: shift by 0 at cost eps\n}}"
        );
        let program = probity_lang::load_text(&text).unwrap();
        let proof =
            probity_prove::prove(&program.mechanism, &program.claim, &program.hints.unwrap()).unwrap();
        export(&probity_prove::certificate::write(&proof)).map_err(|reason| reason.to_string())
    };
    let flag = exported("y ~ laplace(x, 1 / eps)\nb = y > 0").unwrap();
    assert!(flag.contains("@j_pointwise inputs vars i1 i2 enc boolO"), "{flag}");
    // What Memory.v has no lemma for is named: a parameter that the program computes, a draw of an integer, a rounding.
    assert_eq!(
        exported("c = x + 1\ny ~ laplace(c, 1 / eps)\nb = y > 0").unwrap_err(),
        "not exported: PW-EQ for a draw whose parameters are computed by the program"
    );
    assert_eq!(
        exported("y ~ laplace(x, 1 / eps)\nb = round_to(y, 1) > 0").unwrap_err(),
        "not exported: 'round_to(y, 1)' in a program with PW-EQ"
    );
}

/// Neighbours that have a number or a truth value in common are neighbours in either order; names that Coq or the texts use themselves are names like others.
#[test]
fn inputs_in_common_are_exported_under_any_name() {
    let text = written(
        "mechanism Qed(k: real, v: bool, inputs: int)
         param a > 0
         param arb0 > 0
         program ~ laplace(k, 1 / a)
         forall = program + 0
         return forall
         neighbours abs(k' - k) <= 1
         neighbours v' == v and inputs' == inputs
         claim a",
    )
    .unwrap();
    assert!(text.contains("Theorem Qed_private"), "{text}");
    for mirrored in ["turn n0|]", "turn n1|]"] {
        assert!(text.contains(mirrored), "{text}");
    }
    assert!(text.contains("apply eqRP; symmetry"), "{text}");
}
