//! A first policy from the header of a table. No value is read: a type or a bound taken from the data would tell about them.

use std::fmt::Write;

use crate::refusal::{Answer, Refusal};

/// The text of a policy for a table with these columns, with every type left open.
///
/// ```
/// let text = probity_release::policy::suggest("people", &["region".into(), "income, gross".into()]).unwrap();
/// assert!(text.contains("[table.people]\nunit = \"row\"") && text.contains("\"income, gross\" = { type = \"?\" }"));
/// assert!(probity_release::policy::read("p", &text).unwrap_err().message.contains("still open"));
/// ```
pub fn suggest(table: &str, columns: &[String]) -> Answer<String> {
    if let Some(twice) = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name)) {
        return Err(Refusal::input(format!("the header has two columns `{}`", twice.1))
            .hint("rename one of them: a query could not say which is meant"));
    }
    if columns.iter().all(|name| name.is_empty()) {
        return Err(Refusal::input("the table has no header").hint("its first line must name the columns"));
    }
    if let [only] = columns
        && let Some(separator) = only.chars().find(|c| matches!(c, ';' | '\t' | '|'))
    {
        let shown = if separator == '\t' { "a tab".to_owned() } else { format!("`{separator}`") };
        return Err(Refusal::input(format!("the header is one name with {shown} in it"))
            .hint("columns are told apart by commas: write the table with them"));
    }
    let mut text = String::new();
    let _ = write!(
        text,
        "# What may be released about {table}, and at what cost. Only the header was read, no value.\n\
         # Choose types and bounds from what you know about the columns, never by looking at the data.\n\n\
         [budget]\n\
         epsilon = \"1\"                       # all that may ever be lost; or rho = \"1/2\"\n\
         per_query = {{ epsilon = \"1/10\" }}    # what a plain SELECT spends\n\n\
         [table.{}]\n\
         unit = \"row\"                        # or {{ user = \"COLUMN\", groups = 3, rows_per_group = 10 }}\n\n\
         # For each column one of these; delete the lines of columns that nobody needs.\n\
         #   {{ in = [\"north\", \"south\"] }}\n\
         #   {{ type = \"int\", between = [0, 120] }}\n\
         #   {{ type = \"decimal\", scale = 2, between = [0, 100000] }}\n\
         #   {{ type = \"float\", grid = \"1/1000\", between = [-1, 1] }}\n\
         #   {{ type = \"date\", between = [\"2020-01-01\", \"2029-12-31\"] }}\n\
         #   {{ type = \"bool\" }}\n\
         #   {{ type = \"text\" }}                            any text: not for queries, but it may name users\n\
         #   {{ type = \"text\", discover = true }}           keys that are found in the rows: the budget then has a delta too\n\
         # and, if wanted: null = VALUE (an empty field counts as VALUE; else its row is dropped), outside = VALUE or \"drop\".\n\
         [table.{}.columns]\n",
        key(table),
        key(table)
    );
    for column in columns.iter().filter(|name| !name.is_empty()) {
        let _ = writeln!(text, "{} = {{ type = \"?\" }}", key(column));
    }
    Ok(text)
}

/// A key of TOML: bare where that is allowed, else in quotes.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_header_makes_a_policy_that_can_be_read() {
        let names = ["a", "b c", "quote\"d", "back\\slash", "tab\there", "é", "", "1"].map(String::from);
        let text = suggest("my table", &names).unwrap();
        let refusal = crate::policy::read("p.toml", &text).unwrap_err();
        assert!(refusal.message.starts_with("the type of a is still open"), "{refusal}");
        // With the types filled in it is a policy with these columns.
        let filled = text.replace("type = \"?\"", "type = \"bool\"");
        let policy = crate::policy::read("p.toml", &filled).unwrap();
        let read: Vec<&str> = policy.tables[0].columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            read,
            names.iter().filter(|name| !name.is_empty()).map(String::as_str).collect::<Vec<_>>()
        );
    }

    #[test]
    fn headers_that_make_no_sense() {
        assert!(suggest("t", &["a".into(), "a".into()]).is_err());
        assert!(suggest("t", &["".into()]).is_err());
        assert!(suggest("t", &[]).is_err());
        for name in ["id;x", "id\tx", "id|x"] {
            assert!(suggest("t", &[name.into()]).unwrap_err().message.contains("one name"), "{name}");
        }
    }
}
