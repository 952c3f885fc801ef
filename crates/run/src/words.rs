//! Words that a column of a table has for categories: the first is the category 0, the next one is 1, and so on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use probity_lang::Setting;

use crate::proved::Text;
use crate::rows::Rows;
use crate::table::Table;

/// The words of one column, as `people.region=north,south`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    table: String,
    field: String,
    words: Vec<String>,
}

impl FromStr for Words {
    type Err = WordsError;

    fn from_str(text: &str) -> Result<Words, WordsError> {
        let parts =
            text.split_once('=').and_then(|(field, words)| Some((field.trim().split_once('.')?, words)));
        let Some(((table, field), words)) = parts else { return Err(WordsError::Malformed) };
        let words: Vec<String> = words.split(',').map(|word| word.trim().to_owned()).collect();
        let mut seen = BTreeSet::new();
        match words.iter().find(|word| word.is_empty() || !seen.insert(*word)) {
            Some(word) => Err(WordsError::Repeated { word: word.clone() }),
            None => Ok(Words { table: table.to_owned(), field: field.to_owned(), words }),
        }
    }
}

impl Words {
    /// Puts categories in the place of the words, where the table is among these.
    pub fn apply(&self, tables: &mut BTreeMap<String, Table>) {
        if let Some(table) = tables.get_mut(&self.table) {
            *table = std::mem::take(table).with_words(&self.field, &self.words);
        }
    }

    /// The same for rows that go by: before any of them is added.
    pub fn set_in(&self, rows: &mut Rows) {
        if rows.name() == self.table {
            rows.set_words(&self.field, &self.words);
        }
    }

    /// Whether all of these are of categories that the text has, in tables that are given, each with as many words as there are.
    ///
    /// # Errors
    /// When they are not. Nothing here depends on a row.
    pub fn check(all: &[Words], text: &Text, settings: &[Setting]) -> Result<(), WordsError> {
        let mut seen = BTreeSet::new();
        for Words { table, field, words } in all {
            let column = || (table.clone(), field.clone());
            if !text.categories(table).iter().any(|known| known == field) {
                let (table, field) = column();
                return Err(WordsError::NoCategory { table, field });
            }
            if let Some(size) = text.category_size(table, field, settings)
                && size != words.len() as u64
            {
                return Err(WordsError::Count { words: words.len(), field: field.clone(), size });
            }
            if !seen.insert((table, field)) {
                let (table, field) = column();
                return Err(WordsError::Twice { table, field });
            }
            if !text.has_table(table) {
                return Err(WordsError::NotGiven { table: table.clone() });
            }
        }
        Ok(())
    }
}

/// Why words cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WordsError {
    /// No field and its words.
    Malformed,
    /// A word is there twice, or is none.
    Repeated {
        /// The word.
        word: String,
    },
    /// The text has no such category.
    NoCategory {
        /// The table.
        table: String,
        /// The field.
        field: String,
    },
    /// There are more or fewer words than categories.
    Count {
        /// How many words.
        words: usize,
        /// The field.
        field: String,
        /// How many categories it has.
        size: u64,
    },
    /// A column has words twice.
    Twice {
        /// The table.
        table: String,
        /// The field.
        field: String,
    },
    /// It is not said where the table is.
    NotGiven {
        /// The table.
        table: String,
    },
}

impl WordsError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            WordsError::Malformed => "write --words people.region=north,south,east,west".into(),
            WordsError::NoCategory { .. } => {
                "the file's first line names the fields of its tables, and which are categories".into()
            }
            WordsError::Count { .. } => "give a word for each category, in their order".into(),
            WordsError::NotGiven { table } => format!("add --data {table}=FILE.csv"),
            WordsError::Repeated { .. } | WordsError::Twice { .. } => return None,
        })
    }
}

impl fmt::Display for WordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordsError::Malformed => write!(f, "--words names no field and its words"),
            WordsError::Repeated { word } => write!(f, "--words has `{word}` twice, or no word at all"),
            WordsError::NoCategory { table, field } => {
                write!(f, "the text has no category {field} in a table {table}")
            }
            WordsError::Count { words, field, size } => {
                write!(f, "--words has {words} words, and {field} has {size} categories")
            }
            WordsError::Twice { table, field } => write!(f, "--words names the column {table}.{field} twice"),
            WordsError::NotGiven { table } => write!(f, "--words names a table {table} that no --data gives"),
        }
    }
}

impl std::error::Error for WordsError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proved;
    use crate::table::Cell;
    use probity_exact::Rational;

    #[test]
    fn words_are_those_of_given_categories() {
        let text = "mechanism m(people: rows(region: category(2), age: int))\ny ~ discrete_laplace(count(r in people where r.region == 1), 1)\n\
                    return y\nneighbours one row of people is added or removed\nclaim 1";
        let text = Proved::load(text).unwrap();
        let given = text.clone().awaiting_table("people");
        let column = || ("people".to_owned(), "region".to_owned());
        let check = |text: &Text, all: &[&str]| {
            let all: Result<Vec<Words>, _> = all.iter().map(|words| words.parse()).collect();
            all.and_then(|all| Words::check(&all, text, &[]))
        };
        assert_eq!(check(&given, &["people.region = north , south"]), Ok(()));
        assert_eq!(check(&given, &[]), Ok(()));
        for none in ["people.region", "people=a,b", "=", ""] {
            assert_eq!(check(&given, &[none]), Err(WordsError::Malformed), "{none}");
        }
        for (twice, word) in [("people.region=a,a", "a"), ("people.region=a,", ""), ("people.region=", "")] {
            assert_eq!(check(&given, &[twice]), Err(WordsError::Repeated { word: word.into() }));
        }
        for (other, table, field) in
            [("people.age=a,b", "people", "age"), ("pple.region=a,b", "pple", "region")]
        {
            let refused = WordsError::NoCategory { table: table.into(), field: field.into() };
            assert_eq!(check(&given, &[other]), Err(refused));
        }
        for (counted, words) in [("people.region=a", 1), ("people.region=a,b,c", 3)] {
            let refused = WordsError::Count { words, field: "region".into(), size: 2 };
            assert_eq!(check(&given, &[counted]), Err(refused));
        }
        let (table, field) = column();
        let twice = check(&given, &["people.region=a,b", "people.region=b,a"]);
        assert_eq!(twice, Err(WordsError::Twice { table, field }));
        let refused = WordsError::NotGiven { table: "people".into() };
        assert_eq!(check(&text, &["people.region=a,b"]), Err(refused));
    }

    #[test]
    fn words_become_categories_in_their_table_alone() {
        let words: Words = "people.region=north,south".parse().unwrap();
        let table = || Table::of_texts(vec!["region".into()], vec![vec!["south".into()], vec!["1".into()]]);
        let mut tables: BTreeMap<String, Table> =
            ["people", "others"].map(|name| (name.to_owned(), table())).into();
        words.apply(&mut tables);
        let one = Cell::Number(Rational::ONE);
        assert_eq!(tables["people"].rows, [[one], [Cell::Text(String::new())]]);
        assert_eq!(tables["others"], table());
    }
}
