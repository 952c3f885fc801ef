//! Certificates: every one in the tree replays, and no change to one makes it prove something false.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_kernel::expr::Expr;
use probity_kernel::term::{Adjacency, Claim, Distribution, Mechanism, Statement};
use probity_prove::certificate::{Code, Fault, Text, check, check_for, content_hash};
use probity_prove::derivation::Reason;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The certificates of the tree: name and text.
fn certificates() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = fs::read_dir(root().join("certificates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    all.sort();
    assert!(all.len() >= 16);
    all
}

fn program(name: &str) -> probity_lang::Program {
    probity_lang::load(root().join(format!("mechanisms/{name}.dp"))).unwrap()
}

#[test]
fn every_certificate_in_the_tree_replays() {
    for (name, text) in certificates() {
        let program = program(&name);
        let theorem = check_for(&text, &program.mechanism, &program.claim)
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        assert!(!theorem.axioms().is_empty());
    }
}

/// The places where a line can be changed: the byte range of every word.
fn words(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (c == '(' || c == ')' || c == ' ', start) {
            (true, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found
}

/// What a word is changed into.
fn changes(word: &str) -> Vec<String> {
    let swaps = [
        ("<=", ">="),
        (">=", "<="),
        ("<", ">"),
        (">", "<"),
        ("==", "<="),
        ("+", "-"),
        ("-", "+"),
        ("*", "/"),
        ("/", "*"),
        ("and", "or"),
        ("or", "and"),
        ("forward", "backward"),
        ("equal", "pointwise"),
        ("pointwise", "equal"),
        ("plain", "one-sided"),
        ("true", "false"),
        ("false", "true"),
        ("min", "max"),
        ("real", "int"),
        ("every-entry", "one-entry"),
        ("one-entry", "every-entry"),
        ("abs", "neg"),
        ("laplace", "discrete-laplace"),
        ("exponential", "geometric"),
        ("reals", "(binary 53 -1022 1023)"),
    ];
    let mut new: Vec<String> =
        swaps.iter().filter(|(old, _)| *old == word).map(|(_, new)| new.to_string()).collect();
    if let Ok(number) = word.parse::<i64>() {
        let others = [number + 1, number - 1, -number, number * 2].into_iter().filter(|n| *n != number);
        new.extend(others.map(|n| n.to_string()));
    } else if word.contains('/') && word.len() > 1 {
        new.extend([word.replace('/', ""), format!("-{word}")]);
    } else if word.starts_with('$') {
        new.extend(["$eps", "$q", "$x", "$i"].iter().filter(|n| **n != word).map(|n| n.to_string()));
    }
    new
}

/// The certificate with one line replaced, and its hash made right again: what a forger would do.
fn forged(lines: &[&str], at: usize, line: &str) -> Option<String> {
    let mut new: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
    new[at] = line.to_string();
    if at == 2 || at == 3 {
        let mechanism = Mechanism::read(&Text::parse(&new[2]).ok()?).ok()?;
        let claim = Claim::read(&Text::parse(&new[3]).ok()?).ok()?;
        new[1] = format!("hash {}", content_hash(&mechanism, &claim));
    }
    Some(new.join("\n"))
}

/// The most changes tried in one piece of evidence, or in any line of a certificate that takes long to replay; in the
/// other lines every word is changed.
const CHANGES_PER_LINE: usize = 50;
const LONG: usize = 30_000;

/// Without the feature `exhaustive`, one in so many of these changes.
const LESS: usize = if cfg!(feature = "exhaustive") { 1 } else { 6 };

/// Calls `see` with every certificate, line number and changed text; answers with how many there were.
fn for_each_change(see: impl Fn(&str, usize, &str, &str) + Sync) -> usize {
    let changes_of = |name: &str, text: &str| {
        let mut tried = 0;
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().skip(2) {
            let mut changed = Vec::new();
            for (from, to) in words(line) {
                for new in changes(&line[from..to]) {
                    changed.push(format!("{}{new}{}", &line[..from], &line[to..]));
                }
            }
            let some = at > 4 || text.len() > LONG;
            let step = if some { changed.len().div_ceil(CHANGES_PER_LINE).max(1) } else { 1 };
            for line in changed.iter().step_by(step).skip(at % LESS).step_by(LESS) {
                if let Some(forgery) = forged(&lines, at, line) {
                    tried += 1;
                    see(name, at, line, &forgery);
                }
            }
        }
        tried
    };
    let all = certificates();
    std::thread::scope(|scope| {
        let workers = all.iter().map(|(name, text)| scope.spawn(|| changes_of(name, text)));
        let workers: Vec<_> = workers.collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}

/// Whatever is accepted is about the file's own mechanism and claim; or it is honest about being about another,
/// and then nothing that carries the privacy of the original is left weaker: the laws of the draws keep their
/// scales, the claim its epsilon, the adjacency its reach.
#[test]
fn no_change_makes_a_certificate_prove_a_false_claim() {
    let tried = for_each_change(|name, at, line, forgery| {
        let Ok(theorem) = check(forgery) else { return };
        let program = program(name);
        let same = theorem.mechanism() == &program.mechanism && theorem.claim() == &program.claim;
        match check_for(forgery, &program.mechanism, &program.claim) {
            Ok(_) => assert!(same, "{name} line {at}: {line}"),
            Err(Fault::AnotherClaim { .. }) => {
                assert!(!same && (at == 2 || at == 3), "{name} line {at}: {line}");
                let (new, old) = (theorem.mechanism(), &program.mechanism);
                assert_eq!(theorem.claim().epsilon, program.claim.epsilon, "{name}: {line}");
                assert_eq!(scales(&new.body), scales(&old.body), "{name}: {line}");
                // A bound of 0 or −1 in place of 1 leaves a true claim: fewer inputs are neighbours, or none.
                let reach = |m: &Mechanism| m.adjacency.iter().map(|a| a.to_string()).collect::<String>();
                let tighter = ["0", "-1"].map(|bound| reach(old).replace('1', bound));
                // Neighbours with different values, of which one has the distance −1 and not 0: more are neighbours, and the claim is
                // true of them. The test is passed where y > ln(1/δ)/ε, and a distance of at most 0 makes that at most δ.
                let nearer = reach(new).replace("== -1", "== 0") == reach(old);
                assert!(
                    reach(new) == reach(old) || tighter.contains(&reach(new)) || nearer,
                    "{name}: {line}"
                );
            }
            Err(fault) => panic!("{name} line {at}: accepted, then {fault}"),
        }
    });
    assert!(tried > 5_000 / LESS, "{tried}");
}

/// The scales of all draws, as text.
fn scales(body: &[Statement]) -> Vec<String> {
    let mut all = Vec::new();
    for statement in body {
        match statement {
            Statement::Draw { law, .. } => all.push(match law {
                Distribution::Laplace { scale, .. }
                | Distribution::DiscreteLaplace { scale, .. }
                | Distribution::Exponential { scale }
                | Distribution::Geometric { scale } => scale.to_string(),
                // What is called is what its own draws are, whatever its name.
                Distribution::Called(called) => {
                    let arguments: Vec<String> =
                        called.inputs.iter().chain(&called.params).map(|e| e.to_string()).collect();
                    format!("{:?} {arguments:?}", scales(&called.mechanism.body))
                }
                other => other.to_string(),
            }),
            Statement::If { then, otherwise, .. } => {
                all.extend(scales(then));
                all.extend(scales(otherwise));
            }
            Statement::For { body, .. } | Statement::While { body, .. } => all.extend(scales(body)),
            _ => {}
        }
    }
    all
}

/// A claim that is too small, a reach that is too large: each with a hash that fits, each rejected.
#[test]
fn false_claims_are_rejected_even_with_a_fitting_hash() {
    for (name, text) in certificates() {
        let program = program(&name);
        let lines: Vec<&str> = text.lines().collect();
        let mut smaller = program.claim.clone();
        smaller.epsilon = smaller.epsilon / Expr::int(2);
        let mut wider = program.mechanism.clone();
        for clause in &mut wider.adjacency {
            match clause {
                Adjacency::EveryEntry { bound, .. }
                | Adjacency::EveryEntryGrows { bound, .. }
                | Adjacency::OneEntry { bound, .. } => *bound = Expr::int(2),
                Adjacency::OneEntryOf { bound, .. } | Adjacency::Norm { bound, .. } => {
                    *bound = bound.clone() * Expr::int(2);
                }
                Adjacency::Related(Expr::Binary(_, _, bound)) => *bound = Arc::new(Expr::int(2)),
                Adjacency::OneRow { table } | Adjacency::RowReplaced { table } => {
                    *clause = Adjacency::Rows { table: table.clone(), most: Expr::int(2) };
                }
                Adjacency::Rows { most, .. } => *most = most.clone() + Expr::int(1),
                Adjacency::Related(_) => {}
            }
        }
        let claim = forged(&lines, 3, &smaller.write().to_string()).unwrap();
        assert!(matches!(check(&claim), Err(Fault::Step { .. })), "{name}");
        if wider != program.mechanism {
            let reach = forged(&lines, 2, &wider.write().to_string()).unwrap();
            assert!(matches!(check(&reach), Err(Fault::Step { .. })), "{name}");
        }
    }
}

#[test]
fn tampering_is_named() {
    let (_, text) = certificates().into_iter().find(|(name, _)| name == "sparse_vector").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // A dropped side condition.
    let dropped = lines[..lines.len() - 1].join("\n");
    let Err(Fault::Step { failure, .. }) = check(&dropped) else { panic!("accepted without evidence") };
    assert_eq!(failure.reason, Reason::EvidenceMissing);
    // Evidence twice.
    let twice = format!("{text}{}\n", lines[lines.len() - 1]);
    assert_eq!(check(&twice).unwrap_err(), Fault::EvidenceLeft { pieces: 1 });
    // Another mechanism under the old hash.
    let other = text.replacen("$sparse_vector", "$other", 1);
    assert!(matches!(check(&other), Err(Fault::WrongHash { .. })));
    // A claim for another file.
    let laplace = program("laplace");
    assert!(matches!(check_for(&text, &laplace.mechanism, &laplace.claim), Err(Fault::AnotherClaim { .. })));
    // A changed cost in the plan.
    let cheap = text.replacen("(binary / (var (plain $eps)) (number 2))) (", "(number 0)) (", 1);
    if cheap != text {
        assert!(matches!(check(&cheap), Err(Fault::Step { .. })));
    }
}

#[test]
fn nonsense_is_read_as_an_error() {
    let (_, text) = certificates().swap_remove(0);
    for cut in 0..text.len() {
        assert!(text.is_char_boundary(cut) && check(&text[..cut]).is_err() || cut + 1 >= text.len());
    }
    let deep = format!("probity-certificate 1\nhash x\n{}", "(".repeat(100_000));
    assert!(check(&deep).is_err());
}
