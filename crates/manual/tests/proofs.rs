//! The table "The rules in Coq" of `docs/logic.md` names functions of the kernel and theorems of `proofs/` that exist, and
//! the lemmas of the kernel have theorems under their names. Whether the theorems hold is for `scripts/proofs.sh`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).ok()
}

/// Whether `text` has `before`, then `name`, and then something that does not go on the name.
fn declares(text: &str, before: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'');
    text.lines().any(|line| {
        line.split_once(before).is_some_and(|(_, rest)| rest.strip_prefix(name).is_some_and(ends))
    })
}

fn is_function(reference: &str) -> bool {
    let Some((file, name)) = reference.split_once("::") else { return false };
    read(&format!("trusted/kernel/src/{file}")).is_some_and(|text| declares(&text, "fn ", name))
}

fn is_theorem(reference: &str) -> bool {
    let Some((file, name)) = reference.split_once("::") else { return false };
    let proved = |line: &&str| line.starts_with("Theorem ");
    let theorems = |text: String| text.lines().filter(proved).collect::<Vec<_>>().join("\n");
    read(&format!("proofs/{file}")).is_some_and(|text| declares(&theorems(text), "Theorem ", name))
}

/// What stands between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// What is wrong in the section: names of nothing, rules that the pages before do not mention, rows that are not rows.
fn faults(before: &str, section: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in quoted(section) {
        if name.contains(".v::") && !is_theorem(name) {
            found.push(format!("{name} is no theorem"));
        }
        if name.contains(".rs::") && !is_function(name) {
            found.push(format!("{name} is no function"));
        }
    }
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| rule "));
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [rule, rust, coq, _] = cells[..] else {
            found.push(format!("no row: {row}"));
            continue;
        };
        let named = |cell: &str, kind: &str| quoted(cell).any(|name| name.contains(kind));
        if !named(rust, ".rs::") || !named(coq, ".v::") {
            found.push(format!("a row without a function or a theorem: {row}"));
        }
        if !rule.starts_with('`') && !before.to_lowercase().contains(&rule.to_lowercase()) {
            found.push(format!("{rule} is not explained before"));
        }
    }
    found
}

#[test]
fn the_rules_in_coq_have_the_names_of_the_table() {
    let logic = read("docs/logic.md").unwrap();
    let (before, section) = logic.split_once("The rules in Coq").unwrap();
    assert!(section.lines().filter(|line| line.starts_with("| ")).count() > 25);
    assert_eq!(faults(before, section), [""; 0]);
}

#[test]
fn the_other_pages_name_theorems() {
    for page in ["docs/threshold-theorem.md", "docs/papers.md"] {
        let text = read(page).unwrap();
        let theorems: Vec<&str> = quoted(&text).filter(|name| name.contains(".v::")).collect();
        assert!(theorems.len() > 10, "{page}");
        for theorem in theorems {
            assert!(is_theorem(theorem), "{page}: {theorem} is no theorem");
        }
    }
}

/// The rules that the kernel's files name, as `"CASES"`.
fn rules_of_the_kernel(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            rules_of_the_kernel(&entry.unwrap().path(), found);
        }
        return;
    }
    let is_rule = |name: &&str| name.len() > 3 && name.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    for line in fs::read_to_string(path).unwrap().lines() {
        found.extend(line.split('"').skip(1).step_by(2).filter(is_rule).map(str::to_owned));
    }
}

/// The rules of which the table has no row.
fn without_a_row(rules: &BTreeSet<String>, section: &str) -> Vec<String> {
    let rows: BTreeSet<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .map(|(rule, _)| rule)
        .collect();
    let named = |rule: &String| match rule.as_str() {
        // Rows of CALL, by the measures of the caller and of what is called.
        "CALL-PURE" | "CALL-RHO" | "CALL-MU" => rows.contains("CALL"),
        rule => rows.contains(rule),
    };
    rules.iter().filter(|rule| !named(rule)).cloned().collect()
}

#[test]
fn every_rule_that_the_kernel_names_has_a_row() {
    let logic = read("docs/logic.md").unwrap();
    let (_, section) = logic.split_once("The rules in Coq").unwrap();
    let mut rules = BTreeSet::new();
    for part in ["rules.rs", "rules", "privacy.rs", "privacy", "conversion.rs"] {
        let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trusted/kernel/src");
        rules_of_the_kernel(&kernel.join(part), &mut rules);
    }
    assert!(rules.len() > 45, "{rules:?}");
    assert_eq!(without_a_row(&rules, section), [""; 0]);
    // A row that is taken away is missed.
    for rule in ["DENSITY", "REDRAW", "ZCDP-TAIL"] {
        let rest: Vec<&str> =
            section.lines().filter(|line| !line.starts_with(&format!("| {rule} |"))).collect();
        assert_eq!(without_a_row(&rules, &rest.join("\n")), [rule]);
    }
}

/// The functions of the kernel's files that make a judgement, a theorem, or another mechanism with the same law, as `file::name`.
fn makers_of_the_kernel(root: &Path, path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            makers_of_the_kernel(root, &entry.unwrap().path(), found);
        }
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let file = path.strip_prefix(root).unwrap().display();
    for (at, _) in text.match_indices("fn ") {
        let line = text[..at].rsplit('\n').next().unwrap().trim();
        if !["", "pub", "pub(crate)"].contains(&line) {
            continue;
        }
        let head = text[at + 3..].split('{').next().unwrap();
        let Some((rest, made)) = head.rsplit_once("-> ") else { continue };
        let name = rest.split(['(', '<']).next().unwrap();
        let made = made.trim();
        let makes = |what: &str| made == what || made.starts_with(&format!("Result<{what},"));
        if ["Judgement", "Chain", "Theorem", "Mechanism"].into_iter().any(makes) {
            found.insert(format!("{file}::{name}"));
        }
    }
}

/// What is no rule by itself: parts of rules, and what puts rules together.
const NO_RULE: [&str; 13] = [
    // What several rules begin or end with.
    "rules.rs::step",
    "rules/finite.rs::concluded",
    "rules/sampling.rs::conclude",
    "rules/sampling/tails.rs::up_to_one",
    "rules/sampling/tails.rs::up_to_exact",
    "rules/sampling/tails.rs::given_up",
    "rules/sampling/tails.rs::restricted",
    // Which rule it is; each has rows of its own.
    "rules/sampling.rs::sample",
    "rules/equivalence.rs::apply",
    "privacy.rs::convert",
    // No link: SKIP. The last fact of a chain is one of those that are known: CONSEQ.
    "rules/chain.rs::new",
    "rules/chain.rs::end",
    // A definition: what a call means.
    "rules/expand.rs::expanded",
];

#[test]
fn every_function_that_makes_a_judgement_has_a_row() {
    let logic = read("docs/logic.md").unwrap();
    let (_, section) = logic.split_once("The rules in Coq").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trusted/kernel/src");
    let mut makers = BTreeSet::new();
    for part in ["rules.rs", "rules", "privacy.rs", "privacy", "conversion.rs"] {
        makers_of_the_kernel(&root, &root.join(part), &mut makers);
    }
    assert!(makers.len() > 55, "{makers:?}");
    let without = |section: &str| {
        let named: BTreeSet<&str> = quoted(section).collect();
        let missing = |maker: &&String| !named.contains(maker.as_str()) && !NO_RULE.contains(&maker.as_str());
        makers.iter().filter(missing).cloned().collect::<Vec<_>>()
    };
    assert_eq!(without(section), [""; 0]);
    // A function whose rows are taken away is missed.
    for maker in ["rules/chain.rs::one_sided_parts", "rules/select/redraw.rs::redraw"] {
        let rest: Vec<&str> = section.lines().filter(|line| !line.contains(maker)).collect();
        assert_eq!(without(&rest.join("\n")), [maker]);
    }
}

/// The rules that the concentrated measure has, each with a theorem about it: FOR-ONCE had none for a while.
#[test]
fn every_rule_of_the_concentrated_measure_has_a_row_for_it() {
    let logic = read("docs/logic.md").unwrap();
    let (_, section) = logic.split_once("The rules in Coq").unwrap();
    let theorems: BTreeSet<&str> = quoted(section).collect();
    for (rule, theorem) in [
        ("SKIP", "Compared.v::c_skip"),
        ("ASSIGN", "Compared.v::c_assign"),
        ("APPEND", "Lists.v::c_append_views"),
        ("ONE-SIDED", "Compared.v::c_one_sided_both"),
        ("SEQ", "Compared.v::c_seq"),
        ("COND", "Compared.v::c_cond"),
        ("FOR", "Compared.v::c_for_loop"),
        ("FOR-ONCE", "Compared.v::c_for_loop_once"),
        ("CHAIN", "Compared.v::c_frame"),
        ("ALIKE", "Alike.v::c_alike"),
        ("CONSEQ", "Compared.v::c_weaken"),
        ("AXNULL", "Compared.v::c_null"),
        ("BOUNDED-RATIO", "Ratio.v::bounded_ratio"),
        ("BOUNDED-RANGE", "Bounded.v::bounded_range"),
        ("CALL", "Priced.v::call_rho"),
    ] {
        assert!(theorems.contains(theorem), "{rule} in rho: {theorem}");
    }
}

/// Each kind of evidence is a case of what `Evidence.v` shows to be sound.
#[test]
fn every_kind_of_evidence_is_in_coq() {
    let kernel = read("trusted/kernel/src/evidence/entail.rs").unwrap();
    let (_, kinds) = kernel.split_once("pub enum Evidence {").unwrap();
    let (kinds, _) = kinds.split_once("\n}").unwrap();
    let kinds: Vec<String> = kinds
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(|line| line.split(['(', ' ', ',']).next().unwrap().to_lowercase())
        .collect();
    assert_eq!(kinds, ["combination", "clash", "absurd", "cases", "cut", "cite"]);
    let coq = read("proofs/Evidence.v").unwrap();
    let (_, cases) = coq.split_once("Inductive evidence").unwrap();
    let (cases, _) = cases.split_once("\n\n").unwrap();
    for kind in kinds {
        assert!(declares(cases, "| ", &kind), "{kind}");
    }
}

#[test]
fn a_wrong_name_is_found() {
    let right = "| SEQ | `rules.rs::seq` | `Rules.v::seq` | none |";
    assert_eq!(faults("SEQ", right), [""; 0]);
    for (wrong, why) in [
        ("| SEQ | `rules.rs::seqq` | `Rules.v::seq` | none |", "rules.rs::seqq is no function"),
        ("| SEQ | `rules.rs::se` | `Rules.v::seq` | none |", "rules.rs::se is no function"),
        ("| SEQ | `rules.rs::seq` | `Rules.v::sequence` | none |", "Rules.v::sequence is no theorem"),
        ("| SEQ | `rules.rs::seq` | `Rules.v::se` | none |", "Rules.v::se is no theorem"),
        ("| SEQ | `rules.rs::seq` | `Rulez.v::seq` | none |", "Rulez.v::seq is no theorem"),
        // A lemma on the way is no theorem.
        ("| SEQ | `rules.rs::seq` | `Rules.v::wp_run` | none |", "Rules.v::wp_run is no theorem"),
        ("| SEK | `rules.rs::seq` | `Rules.v::seq` | none |", "SEK is not explained before"),
    ] {
        assert_eq!(faults("SEQ", wrong), [why]);
    }
    assert_eq!(faults("SEQ", "| SEQ | rules.rs | `Rules.v::seq` | none |").len(), 1);
    assert_eq!(faults("SEQ", "| SEQ | `rules.rs::seq` | `Rules.v::seq` |").len(), 1);
}

#[test]
fn every_lemma_of_the_kernel_has_a_theorem() {
    let lemmas = read("trusted/kernel/src/evidence/lemma.rs").unwrap();
    let names: Vec<&str> = lemmas
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Lemma::")?.split_once("=> \"")?.1.strip_suffix("\","))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let theorem = match name {
            "adjacent" => "Formulas.v::every_entry".to_owned(),
            // Decided by computing.
            "ln-value" => "Values.v::ln_value".to_owned(),
            "exp-value" => "Values.v::exp_value".to_owned(),
            "sqrt" => "root".to_owned(),
            // What tables and lists have is in other files.
            "rows" => "Formulas.v::rows_added".to_owned(),
            "apart" => "Chosen.v::apart_every".to_owned(),
            "apart-wider" => "Chosen.v::apart_wider".to_owned(),
            "moved" => "Norms.v::moved_l1".to_owned(),
            _ => name.replace('-', "_"),
        };
        let theorem = if theorem.contains("::") { theorem } else { format!("Lemmas.v::{theorem}") };
        assert!(is_theorem(&theorem), "{name} has no theorem {theorem} in proofs/");
    }
}

#[test]
fn every_headline_theorem_exists() {
    let assumptions = read("proofs/Assumptions.v").unwrap();
    let headlines: Vec<&str> = assumptions
        .lines()
        .filter_map(|line| line.strip_prefix("  @"))
        .map(|line| line.trim_end_matches([',', '.', ')']))
        .collect();
    assert!(headlines.len() > 50);
    for headline in headlines {
        let (file, name) = headline.split_once('.').unwrap();
        let text = read(&format!("proofs/{file}.v")).unwrap();
        assert!(declares(&text, "Theorem ", name) || declares(&text, "Lemma ", name), "{headline}");
    }
}

/// An axiom, by whatever name, and a proof that was not finished are found by the text.
#[test]
#[cfg(unix)]
fn an_axiom_or_an_unfinished_proof_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let says_yes = |text: &str| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofs_text");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("Tried.v"), text).unwrap();
        let script = root.join("scripts/proofs_text.sh");
        std::process::Command::new("bash").arg(script).arg(&folder).output().unwrap().status.success()
    };
    for honest in [
        "Theorem t : True. Proof. exact I. Qed.",
        "(* no Axiom, nothing Admitted (* not here *) either *) Definition d := 0.",
        "Section Inner. Variable n : nat. Hypothesis h : n = 0. Lemma l : n = 0. Proof. exact h. Qed. End Inner.",
    ] {
        assert!(says_yes(honest), "{honest}");
    }
    for wrong in [
        "Theorem t : False. Proof. Admitted.",
        "Theorem t : False. Proof. admit. Qed.",
        "Axiom a : False.",
        "Parameter p : False.",
        // The name of an axiom that is allowed does not make it one.
        "Hypothesis classic : False.",
        "Section Inner. Variable n : nat. End Inner. Variable classic : False.",
        "Lemma l : True. Proof. exact I. Qed.\nContext (c : False).",
        "#[local] Variables (a b : False).",
        "Unset Guard Checking.",
        "Unset Universe Checking.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
    ] {
        assert!(!says_yes(wrong), "{wrong}");
    }
    assert!(
        root.join("proofs").is_dir() && {
            let script = root.join("scripts/proofs_text.sh");
            let whole =
                std::process::Command::new("bash").arg(script).arg(root.join("proofs")).output().unwrap();
            whole.status.success()
        }
    );
}
