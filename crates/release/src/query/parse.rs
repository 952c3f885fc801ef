//! From SQL to the parser's tree, and from the parser's places to places in the query.

use sqlparser::ast::{Ident, Query, Select, SetExpr, Spanned, Statement};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, Tokenizer};

use crate::refusal::{Answer, Place, Refusal};

/// The longest query, in bytes: a tree of it fits any stack.
pub const MAX_QUERY: usize = 16 << 10;

/// Nesting that the parser follows.
const MAX_NESTING: usize = 60;

/// The byte at which a place of the parser begins.
fn offset(sql: &str, location: Location) -> usize {
    let mut start = 0;
    for _ in 1..location.line {
        match sql[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return sql.len(),
        }
    }
    let column = (location.column as usize).saturating_sub(1);
    sql[start..].char_indices().nth(column).map_or(sql.len(), |(at, _)| start + at)
}

/// The place of a part of the parser's tree. Parts without a place of their own are the whole query.
pub fn place(sql: &str, span: Span) -> Place {
    match span.start.line {
        0 => Place::of("query", sql, 0, sql.len()),
        _ => Place::of("query", sql, offset(sql, span.start), offset(sql, span.end)),
    }
}

/// A refusal that points at a part of the query.
pub fn refuse(sql: &str, part: &impl Spanned, message: impl std::fmt::Display) -> Refusal {
    Refusal::input(message).at(place(sql, part.span()))
}

/// A refusal that points at a place of the parser.
pub fn refuse_at(sql: &str, span: Span, message: impl std::fmt::Display) -> Refusal {
    Refusal::input(message).at(place(sql, span))
}

/// The query without what makes no difference: white space, comments, a last semicolon, and the case of words that are no names.
/// Names keep their case, as columns do; a word before a parenthesis is a function.
pub fn canonical(sql: &str) -> String {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return sql.to_owned() };
    let mut tokens: Vec<Token> =
        tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    while tokens.last() == Some(&Token::SemiColon) {
        tokens.pop();
    }
    let shown = |at: usize| match &tokens[at] {
        Token::Word(word) if word.quote_style.is_none() => {
            let is_called = tokens.get(at + 1) == Some(&Token::LParen);
            match is_called || SYNTAX.iter().any(|known| known.eq_ignore_ascii_case(&word.value)) {
                true => word.value.to_ascii_uppercase(),
                false => word.value.clone(),
            }
        }
        other => other.to_string(),
    };
    (0..tokens.len()).map(shown).collect::<Vec<_>>().join(" ")
}

/// The words of a query that are no names.
const SYNTAX: [&str; 34] = [
    "SELECT",
    "DISTINCT",
    "WITH",
    "DIFFERENTIAL_PRIVACY",
    "OPTIONS",
    "AS",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "ASC",
    "DESC",
    "LIMIT",
    "OFFSET",
    "JOIN",
    "INNER",
    "ON",
    "USING",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "IS",
    "NULL",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "TRUE",
    "FALSE",
];

/// The one query of a text.
pub fn parse(sql: &str) -> Answer<Box<Query>> {
    if sql.len() > MAX_QUERY {
        return Err(Refusal::input(format!(
            "the query has {} bytes; at most {MAX_QUERY} are read",
            sql.len()
        ))
        .hint("write a shorter one: keys and bounds belong in the policy"));
    }
    // The owner reads queries in a terminal.
    let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if let Some((at, c)) = sql.char_indices().find(|(_, c)| hidden(*c)) {
        return Err(Refusal::input(format!("the query has a control character, U+{:04X}", u32::from(c)))
            .at(Place::of("query", sql, at, at + c.len_utf8()))
            .hint("leave it out: who reads the ledger in a terminal would see its effect"));
    }
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(MAX_NESTING)
        .try_with_sql(sql)
        .and_then(|mut parser| parser.parse_statements());
    let mut statements = parsed.map_err(|error| unreadable(sql, error))?;
    let statement = match (statements.pop(), statements.len()) {
        (None, _) => return Err(Refusal::input("there is no query").hint("write SELECT COUNT(*) FROM TABLE")),
        (Some(statement), 0) => statement,
        (Some(second), _) => {
            return Err(refuse(sql, &second, "there is more than one statement")
                .hint("give each query as an argument of its own: they share the budget of one"));
        }
    };
    match statement {
        Statement::Query(query) => Ok(query),
        other => Err(refuse(sql, &other, "this is no query: only SELECT can be answered")),
    }
}

fn too_deep() -> Refusal {
    Refusal::input(format!("the query is nested deeper than {MAX_NESTING} levels"))
        .hint("write it with fewer parentheses and NOTs inside one another: a AND b AND c needs none")
}

fn unreadable(sql: &str, error: ParserError) -> Refusal {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
        ParserError::RecursionLimitExceeded => return too_deep(),
    };
    let Some((message, at)) = text.rsplit_once(" at Line: ") else {
        return Refusal::input(format!("the query cannot be read: {text}"));
    };
    let mut numbers = at.split(", Column: ").map(|number| number.trim().parse::<u64>().ok());
    let (line, column) = (numbers.next().flatten().unwrap_or(1), numbers.next().flatten().unwrap_or(1));
    let start = offset(sql, Location { line, column });
    let end = sql[start..].find(|c: char| c.is_whitespace()).map_or(sql.len(), |at| start + at);
    // The parser then tries to do without the condition, and says what it cannot make of that.
    let nots = sql[start..].split_whitespace().take_while(|word| word.eq_ignore_ascii_case("not")).count();
    if nots > MAX_NESTING / 2 {
        return too_deep();
    }
    let message = match message {
        // What the parser says then is how it holds the word.
        inner if inner.starts_with("No infix parser") => "this is no operator here".to_owned(),
        other => other.to_lowercase().replace("expected:", "expected"),
    };
    Refusal::input(format!("the query cannot be read: {message}")).at(Place::of("query", sql, start, end))
}

/// The SELECT of a query, if it has no part that is not answered here.
pub fn select<'a>(sql: &str, query: &'a Query) -> Answer<&'a Select> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Err(refuse(
            sql,
            query.body.as_ref(),
            "only one SELECT is answered, without UNION and the like",
        )
        .hint("ask each part as a query of its own"));
    };
    let whole = |message: &str| Err(refuse(sql, query, message));
    if let Some(with) = &query.with {
        return Err(refuse(sql, with, "WITH is not answered").hint("write the condition into WHERE"));
    }
    if query.fetch.is_some() || !query.locks.is_empty() || query.for_clause.is_some() {
        return whole("FETCH and FOR are not answered; LIMIT is");
    }
    if query.settings.is_some() || query.format_clause.is_some() || !query.pipe_operators.is_empty() {
        return whole("settings, FORMAT and pipes are not answered");
    }
    if let Some(distinct) = &select.distinct {
        return Err(refuse(sql, select.as_ref(), format!("SELECT {distinct} is not answered"))
            .hint("GROUP BY a column to see each of its keys once"));
    }
    let odd = select.top.is_some()
        || select.exclude.is_some()
        || select.into.is_some()
        || !select.lateral_views.is_empty()
        || select.prewhere.is_some()
        || !select.connect_by.is_empty()
        || !select.cluster_by.is_empty()
        || !select.distribute_by.is_empty()
        || !select.sort_by.is_empty()
        || !select.named_window.is_empty()
        || select.qualify.is_some()
        || select.value_table_mode.is_some()
        || select.select_modifiers.is_some();
    if odd {
        return Err(refuse(sql, select.as_ref(), "a part of this SELECT is not answered")
            .hint("what is: SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …"));
    }
    Ok(select)
}

/// What has this name, of those that a query names: the one that is spelled so, or else the one that is written so but for upper and
/// lower case.
pub(super) fn called<'n, T>(
    sql: &str,
    name: &Ident,
    named: impl Iterator<Item = (&'n str, T)>,
) -> Answer<Option<T>> {
    let mut folded: Vec<T> = Vec::new();
    for (known, one) in named {
        if known == name.value {
            return Ok(Some(one));
        }
        if known.eq_ignore_ascii_case(&name.value) {
            folded.push(one);
        }
    }
    match folded.len() {
        0 | 1 => Ok(folded.pop()),
        _ => Err(refuse_at(sql, name.span, format!("several columns of SELECT are called {}", name.value))
            .hint("write the name as SELECT does, in upper and lower case")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_makes_no_difference_is_left_out() {
        let same = |a: &str, b: &str| canonical(a) == canonical(b);
        let plain = "SELECT region, AVG(income) AS m FROM people WHERE age > 3 GROUP BY region";
        assert!(same(
            plain,
            "select  region,\n avg( income ) as m -- why\nfrom people where age>3 group by region ;"
        ));
        for other in [
            "SELECT Region, AVG(income) AS m FROM people WHERE age > 3 GROUP BY region",
            "SELECT region, AVG(income) AS m FROM people WHERE age >= 3 GROUP BY region",
            "SELECT region, SUM(income) AS m FROM people WHERE age > 3 GROUP BY region",
            "SELECT region, AVG(income) AS m FROM people WHERE age > 30 GROUP BY region",
            "SELECT region, AVG(income) AS m FROM people WHERE age > 3 GROUP BY region LIMIT 2",
        ] {
            assert!(!same(plain, other), "{other}");
        }
        // Texts and quoted names are as they are written.
        assert!(!same("SELECT COUNT(*) FROM t WHERE a = 'x  y'", "SELECT COUNT(*) FROM t WHERE a = 'x y'"));
        assert!(!same("SELECT COUNT(*) FROM t WHERE a = 'And'", "SELECT COUNT(*) FROM t WHERE a = 'AND'"));
        assert!(!same("SELECT COUNT(*) FROM t WHERE \"in\" = 1", "SELECT COUNT(*) FROM t WHERE \"IN\" = 1"));
        assert!(!same("SELECT COUNT(*) FROM t WHERE date = 1", "SELECT COUNT(*) FROM t WHERE DATE = 1"));
        assert!(!same("SELECT COUNT(*) FROM t WHERE a = 'b' ", "SELECT COUNT(*) FROM t WHERE a = b"));
    }
}
