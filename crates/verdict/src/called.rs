//! Variables of called texts in what is said: where a call is written out its variables have names like `__1_q`, which nobody wrote.

use probity_kernel::term::{Distribution, Mechanism, Statement};

/// A sentence in which the variable `q` of a called `f` is said as `f.q`.
pub(crate) fn in_words(sentence: &str, mechanism: &Mechanism) -> String {
    let mut called = Vec::new();
    calls(&mechanism.body, &mut called);
    if called.is_empty() {
        return sentence.to_owned();
    }
    // As the kernel chooses it where it writes calls out.
    let (text, mut prefix) = (mechanism.to_string(), String::from("_"));
    while text.contains(&prefix) {
        prefix.push('_');
    }
    named(sentence, &prefix, &called)
}

/// What is called, in the order in which calls are written out; names of laws that are written out too.
fn calls(body: &[Statement], found: &mut Vec<String>) {
    for statement in body {
        match statement {
            Statement::Draw { var, law } => match law {
                Distribution::Called(called) => found.push(called.mechanism.name.to_string()),
                Distribution::PermuteAndFlip { .. } | Distribution::Gumbel { .. } => {
                    found.push(var.to_string())
                }
                _ => {}
            },
            Statement::If { then, otherwise, .. } => {
                calls(then, found);
                calls(otherwise, found);
            }
            Statement::For { body, .. } | Statement::While { body, .. } => calls(body, found),
            _ => {}
        }
    }
}

/// A text in which the names that calls have when they are written out are said with what is called.
fn named(text: &str, prefix: &str, called: &[String]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(prefix) {
        let (before, after) = (&rest[..at], &rest[at + prefix.len()..]);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let call = after[..digits].parse::<usize>().ok().and_then(|call| called.get(call.checked_sub(1)?));
        let begins = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        out.push_str(before);
        match (call, after[digits..].strip_prefix('_')) {
            (Some(name), Some(variable)) if begins => {
                out.push_str(name);
                out.push('.');
                rest = variable;
            }
            _ => {
                out.push_str(prefix);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_calls_are_said_with_what_is_called() {
        let called = ["f".to_owned(), "g".to_owned()];
        let said = |text: &str| named(text, "__", &called);
        assert_eq!(
            said("'__1_s ~ sample(people, __1_q)' needs __2_q <= 1"),
            "'f.s ~ sample(people, f.q)' needs g.q <= 1"
        );
        for other in ["v_index__ <= n", "__3_q", "x__1_q", "__q", "__1"] {
            assert_eq!(said(other), other);
        }
    }
}
