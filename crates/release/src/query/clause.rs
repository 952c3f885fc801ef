//! GoogleSQL's clause `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…)`, which the SQL parser does not know: it is cut out first, and
//! blanks stand in its place, so that places in the query stay true.

use probity_exact::{Rational, parse_rational};

use crate::refusal::{Answer, Place, Refusal};

/// What the clause asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The loss.
    pub epsilon: Option<Rational>,
    /// The loss, where a budget is in ρ.
    pub rho: Option<Rational>,
    /// The probability of more.
    pub delta: Option<Rational>,
    /// The column that names users.
    pub unit_column: Option<String>,
    /// At most this many groups of a user.
    pub max_groups: Option<u32>,
    /// Which keys appear.
    pub selection: Option<Selection>,
}

/// Which keys of a query appear: GoogleSQL's `group_selection_strategy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// All that the policy lists.
    PublicGroups,
    /// Those of the rows whose noisy count reaches a threshold.
    LaplaceThreshold,
}

#[derive(Debug, Clone, PartialEq)]
struct Token<'a> {
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of a query, without white space and comments. A string is one token with its quotes.
fn tokens(sql: &str) -> Vec<Token<'_>> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        if rest[0].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with(b"--") {
            at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            at += sql[at..].find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        at += match rest[0] {
            quote @ (b'\'' | b'"' | b'`') => {
                rest[1..].iter().position(|b| *b == quote).map_or(rest.len(), |end| end + 2)
            }
            b if b.is_ascii_alphanumeric() || b == b'_' || b == b'.' || b >= 0x80 => {
                let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || *b >= 0x80;
                let mut end = rest.iter().position(|b| !word(b)).unwrap_or(rest.len());
                // 1e-6 is one number.
                if rest[0].is_ascii_digit()
                    && matches!(rest[end - 1], b'e' | b'E')
                    && matches!(rest.get(end), Some(b'-' | b'+'))
                {
                    end += 1 + rest[end + 1..]
                        .iter()
                        .position(|b| !b.is_ascii_digit())
                        .unwrap_or(rest.len() - end - 1);
                }
                // So is 1/4.
                if rest[0].is_ascii_digit()
                    && rest.get(end) == Some(&b'/')
                    && rest.get(end + 1).is_some_and(u8::is_ascii_digit)
                {
                    let denominator = &rest[end + 1..];
                    end += 1 + denominator.iter().position(|b| !word(b)).unwrap_or(denominator.len());
                }
                end
            }
            _ => 1,
        };
        found.push(Token { text: &sql[start..at], start });
    }
    found
}

/// Cuts the clause out. Answers with the query in which blanks stand for it, and what it asked for.
pub fn cut(sql: &str) -> Answer<(String, Options)> {
    let tokens = tokens(sql);
    let begins = |window: &[Token]| {
        window[0].is("SELECT") && window[1].is("WITH") && window[2].is("DIFFERENTIAL_PRIVACY")
    };
    let Some(first) = tokens.windows(3).position(begins) else {
        return Ok((sql.to_owned(), Options::default()));
    };
    let refuse =
        |at: &Token, message: String| Refusal::input(message).at(Place::of("query", sql, at.start, at.end()));
    let clause = &tokens[first + 1..];
    let mut end = clause[1].end();
    let mut options = Options::default();
    if clause.get(2).is_some_and(|token| token.is("OPTIONS")) {
        let shape = "write OPTIONS(epsilon = 0.5, …)";
        let mut rest = clause[3..].iter();
        let mut last = &clause[2];
        let mut next = || {
            let token = rest.next();
            if let Some(token) = token {
                last = token;
            }
            token.ok_or_else(|| refuse(last, "OPTIONS( is never closed".into()).hint(shape))
        };
        let open = next()?;
        if !open.is("(") {
            return Err(refuse(open, "expected ( after OPTIONS".into()).hint(shape));
        }
        let mut token = next()?;
        while !token.is(")") {
            let equals = next()?;
            if !equals.is("=") {
                return Err(refuse(equals, format!("expected = after {}", token.text)).hint(shape));
            }
            let mut value = next()?.clone();
            if value.is("-") || value.is("+") {
                // A sign belongs to its number.
                let number = next()?;
                value.text = &sql[value.start..number.end()];
            }
            read_option(&mut options, token, &value, &refuse)?;
            token = next()?;
            if token.is(",") {
                token = next()?;
            } else if !token.is(")") {
                return Err(refuse(token, "expected , or ) after a value".into()).hint(shape));
            }
        }
        end = token.end();
    }
    let start = clause[0].start;
    // A line break stays one, so that lines keep their numbers; every other byte becomes one blank.
    let blanks: String = sql[start..end].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
    Ok((format!("{}{blanks}{}", &sql[..start], &sql[end..]), options))
}

fn read_option(
    options: &mut Options,
    name: &Token,
    value: &Token,
    refuse: &dyn Fn(&Token, String) -> Refusal,
) -> Answer<()> {
    let number = || {
        let number = parse_rational(value.text.trim_matches(['\'', '"']))
            .map_err(|error| refuse(value, error.to_string()))?;
        match number >= Rational::ZERO {
            true => Ok(number),
            false => Err(refuse(value, format!("{} must not be negative", name.text))),
        }
    };
    let positive = || match number()? {
        zero if zero.is_zero() => Err(refuse(value, format!("{} must be more than 0", name.text))),
        number => Ok(number),
    };
    let twice = || refuse(name, format!("{} is given twice", name.text));
    match name.text.to_ascii_lowercase().as_str() {
        "epsilon" if options.epsilon.is_some() => return Err(twice()),
        "delta" if options.delta.is_some() => return Err(twice()),
        "rho" if options.rho.is_some() => return Err(twice()),
        "privacy_unit_column" if options.unit_column.is_some() => return Err(twice()),
        "max_groups_contributed" if options.max_groups.is_some() => return Err(twice()),
        "rho" => options.rho = Some(positive()?),
        "epsilon" => options.epsilon = Some(positive()?),
        "delta" => options.delta = Some(number()?),
        "privacy_unit_column" => options.unit_column = Some(value.text.trim_matches(['`', '"']).to_owned()),
        "max_groups_contributed" => {
            let count = value.text.parse().ok().filter(|count| *count >= 1);
            options.max_groups =
                Some(count.ok_or_else(|| refuse(value, "expected a whole number from 1".into()))?);
        }
        "group_selection_strategy" if options.selection.is_some() => return Err(twice()),
        "group_selection_strategy" if value.is("PUBLIC_GROUPS") => {
            options.selection = Some(Selection::PublicGroups);
        }
        "group_selection_strategy" if value.is("LAPLACE_THRESHOLD") => {
            options.selection = Some(Selection::LaplaceThreshold);
        }
        "group_selection_strategy" => {
            return Err(refuse(value, format!("there is no strategy {} here", value.text)).hint(
                "write PUBLIC_GROUPS, with which every key of the policy's domain appears, or LAPLACE_THRESHOLD for a column with discover = true",
            ));
        }
        other => {
            return Err(refuse(name, format!("there is no option {other} here"))
                .hint("the options are epsilon, delta, rho, privacy_unit_column, max_groups_contributed, group_selection_strategy"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    #[test]
    fn the_clause_becomes_blanks() {
        let sql = "-- SELECT WITH DIFFERENTIAL_PRIVACY\nselect with differential_privacy\n options(epsilon=1/* é */, DELTA = 1e-6, privacy_unit_column=`id`) count(*) from t";
        let (clean, options) = cut(sql).unwrap();
        assert_eq!(clean.len(), sql.len());
        assert_eq!(clean.matches('\n').count(), 2);
        assert_eq!(clean.find("count"), sql.find("count"));
        assert!(clean.ends_with("count(*) from t") && clean.lines().nth(1).unwrap().starts_with("select "));
        assert_eq!(options.epsilon, Some(Rational::ONE));
        assert_eq!(options.delta, rational(1, 1_000_000));
        assert_eq!(options.unit_column.as_deref(), Some("id"));
        let fraction = cut("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1/4, delta=0) 1/2").unwrap();
        assert_eq!((fraction.1.epsilon, fraction.1.delta), (rational(1, 4), Some(Rational::ZERO)));
        assert!(fraction.0.ends_with(" 1/2"));
        let plain = "SELECT ' WITH DIFFERENTIAL_PRIVACY' FROM t";
        assert_eq!(cut(plain).unwrap(), (plain.to_owned(), Options::default()));
        assert_eq!(cut("SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*)").unwrap().1, Options::default());
    }

    #[test]
    fn what_the_clause_may_not_say() {
        for (inside, message) in [
            ("epsilon = x", "not a number"),
            ("epsilon = -1", "epsilon must not be negative"),
            ("delta = -1/4", "delta must not be negative"),
            ("delta = - x", "'- x' is not a number"),
            ("epsilon = 0", "epsilon must be more than 0"),
            ("rho = -0.0", "rho must be more than 0"),
            ("epsilon = -", "not a number"),
            ("max_groups_contributed = -1", "from 1"),
            ("epsilon = 1/0", "zero"),
            ("epsilon = 1/x", "expected , or )"),
            ("epsilon = 1/4/2", "expected , or )"),
            ("epsilon 1", "expected ="),
            ("epsilon = 1 delta = 2", "expected , or )"),
            ("epsilon = 1, epsilon = 1", "twice"),
            ("kappa = 1", "no option kappa"),
            ("group_selection_strategy = GAUSSIAN_THRESHOLD", "no strategy"),
            ("group_selection_strategy = PUBLIC_GROUPS, group_selection_strategy = PUBLIC_GROUPS", "twice"),
            ("max_groups_contributed = 0", "from 1"),
            ("max_groups_contributed = 2, max_groups_contributed = 1", "twice"),
            ("privacy_unit_column = a, privacy_unit_column = b", "twice"),
        ] {
            let refusal = cut(&format!("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({inside}) 1")).unwrap_err();
            assert!(refusal.message.contains(message), "{inside}: {refusal}");
            assert!(refusal.place.is_some());
        }
        let unopened = cut("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS epsilon = 1) 1").unwrap_err();
        assert!(unopened.message.contains("expected ( after OPTIONS"), "{unopened}");
        for sql in [
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(",
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS",
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon",
            "'",
            "/*",
            "--",
            "é`",
        ] {
            // Refused or untouched, never a panic.
            let _ = cut(sql);
        }
    }
}
