//! Ten thousand mutated certificates of the library (a hundred thousand with `exhaustive`): no panic, no hang, and each is rejected or proves the same claim of
//! the same mechanism. The libFuzzer target `certificate` in `fuzz/` asks the same of texts that it makes up.

use probity_prove::certificate::check;

/// Short ones, so that ten thousand replays stay quick; the last is of floats.
const LIBRARY: [&str; 4] = [
    include_str!("../../../certificates/laplace.cert"),
    include_str!("../../../certificates/discrete_laplace.cert"),
    include_str!("../../../certificates/randomized_response.cert"),
    include_str!("../../../certificates/snapping.cert"),
];

struct Source(u64);

impl Source {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e3779b97f4a7c15);
        (mixed ^ (mixed >> 29)) as usize % n.max(1)
    }
}

/// Brackets apart from words, lines kept.
fn words(text: &str) -> Vec<String> {
    let apart = text.replace('(', " ( ").replace(')', " ) ").replace('\n', " \n ");
    apart.split(' ').filter(|word| !word.is_empty()).map(String::from).collect()
}

/// As the writer spaces it: nothing after `(` or before `)`.
fn joined(words: &[String]) -> String {
    let text = words.join(" ").replace("( ", "(").replace(" )", ")");
    text.replace(" \n ", "\n").replace(" \n", "\n")
}

#[test]
fn mutated_certificates_prove_nothing_else() {
    let mut source = Source(31);
    let originals: Vec<_> = LIBRARY
        .iter()
        .map(|text| {
            let words = words(text);
            assert_eq!(joined(&words), *text, "taken apart and put together");
            (words, check(text).unwrap())
        })
        .collect();
    let numbers = [
        "0",
        "-1",
        "1",
        "2",
        "1/2",
        "4294967296",
        "(number 0)",
        "(var (plain $eps))",
        "+",
        "<",
        "\u{1b}[2J",
        "reals",
    ];
    let (mut accepted, mut rejected) = (0, 0);
    let rounds = if cfg!(feature = "exhaustive") { 100_000 } else { 10_000 };
    for _ in 0..rounds {
        let (original, theorem) = &originals[source.below(originals.len())];
        let mut mutated = original.clone();
        let (at, other) = (source.below(mutated.len()), source.below(mutated.len()));
        match source.below(5) {
            0 => mutated[at] = numbers[source.below(numbers.len())].into(),
            1 => mutated[at] = mutated[other].clone(),
            2 => mutated.swap(at, other),
            3 => drop(mutated.remove(at)),
            _ => mutated.insert(at, original[other].clone()),
        }
        match check(&joined(&mutated)) {
            Err(_) => rejected += 1,
            Ok(found) => {
                let (found, expected) =
                    ((found.mechanism(), found.claim()), (theorem.mechanism(), theorem.claim()));
                assert_eq!(found, expected, "{}", joined(&mutated));
                accepted += 1;
            }
        }
    }
    // Some changes say the same: a swap of equal words, an unneeded case.
    assert!(accepted > 10 && rejected > 5_000, "{accepted} accepted, {rejected} rejected");
}
