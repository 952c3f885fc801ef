//! Words that people know from elsewhere, or mistype, and the word of the language that they mean. One table for messages: it
//! changes nothing about what a text means.

use crate::lexer::Keyword;
use crate::names::nearest;

/// Laws that papers use and that the language has not, because no rule is known for them, with what to write instead.
pub(crate) fn without_rule(law: &str) -> Option<&'static str> {
    match law.to_lowercase().as_str() {
        "staircase" => {
            Some("there is no rule for this law; `laplace` has the same loss at the scale sensitivity / eps")
        }
        "cauchy" | "student_t" | "logistic" => Some("there is no rule for this law"),
        _ => None,
    }
}

/// Laws by the names that other libraries and papers have for them.
const LAWS: [(&str, &str); 30] = [
    ("lap", "laplace"),
    ("dlap", "discrete_laplace"),
    ("discretelaplace", "discrete_laplace"),
    ("laplace_discrete", "discrete_laplace"),
    ("two_sided_geometric", "discrete_laplace"),
    ("twosidedgeometric", "discrete_laplace"),
    ("double_geometric", "discrete_laplace"),
    ("normal", "gaussian"),
    ("gauss", "gaussian"),
    ("norm", "gaussian"),
    ("n", "gaussian"),
    ("discretegaussian", "discrete_gaussian"),
    ("discrete_normal", "discrete_gaussian"),
    ("gaussian_discrete", "discrete_gaussian"),
    ("dgauss", "discrete_gaussian"),
    ("expo", "exponential"),
    ("exp", "exponential"),
    ("expon", "exponential"),
    ("geom", "geometric"),
    ("geo", "geometric"),
    ("bern", "bernoulli"),
    ("flip", "bernoulli"),
    ("coin", "bernoulli"),
    ("unif", "uniform"),
    ("rand", "uniform"),
    ("random", "uniform"),
    ("randint", "uniform_int"),
    ("randrange", "uniform_int"),
    ("rademacher", "sign"),
    ("randomized_response", "response"),
];

/// Functions by the names that other languages have for them.
const FUNCTIONS: [(&str, &str); 12] = [
    ("log", "ln"),
    ("len", "length"),
    ("size", "length"),
    ("clip", "clamp"),
    ("fabs", "abs"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("round", "round_to"),
    ("snap", "round_to"),
    ("fmin", "min"),
    ("fmax", "max"),
    ("push", "append"),
];

/// Types of the language, and what they are called elsewhere.
const TYPES: [&str; 5] = ["real", "int", "bool", "category", "rows"];
const TYPES_ELSEWHERE: [(&str, &str); 16] = [
    ("reals", "real"),
    ("float", "real"),
    ("f64", "real"),
    ("float64", "real"),
    ("double", "real"),
    ("number", "real"),
    ("num", "real"),
    ("decimal", "real"),
    ("integer", "int"),
    ("nat", "int"),
    ("long", "int"),
    ("i64", "int"),
    ("boolean", "bool"),
    ("enum", "category"),
    ("table", "rows"),
    ("row", "rows"),
];

/// Words that begin a line elsewhere.
const LINES: [(&str, Keyword); 22] = [
    ("def", Keyword::Mechanism),
    ("fn", Keyword::Mechanism),
    ("func", Keyword::Mechanism),
    ("function", Keyword::Mechanism),
    ("program", Keyword::Mechanism),
    ("parameter", Keyword::Param),
    ("params", Keyword::Param),
    ("parameters", Keyword::Param),
    ("assume", Keyword::Where),
    ("assumes", Keyword::Where),
    ("require", Keyword::Where),
    ("requires", Keyword::Where),
    ("precondition", Keyword::Where),
    ("const", Keyword::Let),
    ("release", Keyword::Return),
    ("output", Keyword::Return),
    ("adjacent", Keyword::Neighbours),
    ("adjacency", Keyword::Neighbours),
    ("neighbour", Keyword::Neighbours),
    ("neighbor", Keyword::Neighbours),
    ("guarantee", Keyword::Claim),
    ("ensures", Keyword::Claim),
];

/// Keywords that a line can begin with.
const BEGINNINGS: [Keyword; 13] = [
    Keyword::Mechanism,
    Keyword::Param,
    Keyword::Where,
    Keyword::Let,
    Keyword::If,
    Keyword::For,
    Keyword::While,
    Keyword::Return,
    Keyword::Append,
    Keyword::Neighbours,
    Keyword::Claim,
    Keyword::Expect,
    Keyword::Proof,
];

/// The law that is meant by a name that no law has, spelt in whatever case.
pub(crate) fn law(wrong: &str, known: &[&'static str]) -> Option<&'static str> {
    let lower = wrong.to_ascii_lowercase();
    known
        .iter()
        .copied()
        .find(|law| *law == lower)
        .or_else(|| elsewhere(&LAWS, &lower))
        .or_else(|| nearest(wrong, known.iter().copied()))
}

/// The same for functions.
pub(crate) fn function(wrong: &str, known: &[&'static str]) -> Option<&'static str> {
    let lower = wrong.to_ascii_lowercase();
    known
        .iter()
        .copied()
        .find(|function| *function == lower)
        .or_else(|| elsewhere(&FUNCTIONS, &lower))
        .or_else(|| nearest(wrong, known.iter().copied()))
}

/// The same for types.
pub(crate) fn type_name(wrong: &str) -> Option<&'static str> {
    let lower = wrong.to_ascii_lowercase();
    TYPES
        .into_iter()
        .find(|known| *known == lower)
        .or_else(|| elsewhere(&TYPES_ELSEWHERE, &lower))
        .or_else(|| nearest(&lower, TYPES.into_iter()))
}

/// The keyword that is meant by a word that begins a line.
pub(crate) fn beginning(wrong: &str) -> Option<Keyword> {
    let lower = wrong.to_ascii_lowercase();
    let exactly = BEGINNINGS.into_iter().find(|keyword| keyword.text() == lower);
    exactly.or_else(|| LINES.iter().find(|(word, _)| *word == lower).map(|(_, keyword)| *keyword)).or_else(
        || {
            let near = nearest(&lower, BEGINNINGS.iter().map(|keyword| keyword.text()))?;
            BEGINNINGS.into_iter().find(|keyword| keyword.text() == near)
        },
    )
}

/// What a statement of other languages that this one does not have is written as.
pub(crate) fn instead(word: &str) -> Option<&'static str> {
    match word {
        "break" => Some("to stop early, let a condition guard the rest of the loop: `if not done { … }`"),
        "continue" => Some("let a condition guard the rest of the loop: `if not skipped { … }`"),
        "pass" => Some("a block may be empty: `{ }`"),
        "import" | "from" | "include" | "use" => Some("a mechanism is one file, and needs no other"),
        "print" => Some("`return` releases the result; nothing else is printed"),
        "var" | "int" | "real" | "float" | "double" | "bool" => {
            Some("types of variables are found, not written: `y = 1`")
        }
        _ => None,
    }
}

/// What is written for an operator of other languages that is a word.
pub(crate) fn operator(word: &str) -> Option<&'static str> {
    match word {
        "xor" => Some("write `a != b`: one of two truth values, and not both"),
        "is" | "equals" | "eq" => Some("write `a == b`"),
        "div" => Some("write `floor(a / b)`"),
        "implies" => Some("write `not a or b`"),
        _ => None,
    }
}

fn elsewhere(table: &[(&str, &'static str)], wrong: &str) -> Option<&'static str> {
    table.iter().find(|(word, _)| *word == wrong).map(|(_, meant)| *meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_other_names_elsewhere() {
        let meant = |word| type_name(word);
        assert_eq!(meant("rael"), Some("real"));
        assert_eq!(meant("Float"), Some("real"));
        assert_eq!(meant("integer"), Some("int"));
        assert_eq!(meant("categroy"), Some("category"));
        assert_eq!(meant("string"), None);
    }

    #[test]
    fn laws_without_a_rule_say_so() {
        assert!(super::without_rule("Staircase").is_some_and(|hint| hint.contains("`laplace`")));
        assert!(super::without_rule("gumbel").is_none());
        assert!(super::without_rule("laplace").is_none());
    }

    #[test]
    fn what_people_write_is_understood() {
        for (wrong, keyword) in [
            ("mechansim", Keyword::Mechanism),
            ("Mechanism", Keyword::Mechanism),
            ("parm", Keyword::Param),
            ("retrun", Keyword::Return),
            ("retun", Keyword::Return),
            ("nieghbours", Keyword::Neighbours),
            ("wher", Keyword::Where),
            ("whlie", Keyword::While),
            ("cliam", Keyword::Claim),
            ("def", Keyword::Mechanism),
        ] {
            assert_eq!(beginning(wrong), Some(keyword), "{wrong}");
        }
        assert_eq!(beginning("y"), None);
        assert_eq!(beginning("threshold"), None);
        let laws = ["laplace", "gaussian", "discrete_laplace", "exponential"];
        for (wrong, meant) in
            [("lap", "laplace"), ("Lap", "laplace"), ("Laplace", "laplace"), ("normal", "gaussian")]
        {
            assert_eq!(law(wrong, &laws), Some(meant), "{wrong}");
        }
        assert_eq!(law("cauchy", &laws), None);
    }
}
