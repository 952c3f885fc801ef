//! Tables that are held in memory: the rows of a text's `rows` inputs, as a program brings them. What a text wants of them is in `rows`.

use probity_exact::{Natural, Rational};

use crate::input::{is_long, part};

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows; a missing field counts as empty.
    pub rows: Vec<Vec<Cell>>,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// As it is written in a file; an empty text is no value.
    Text(String),
    /// A number, exactly.
    Number(Rational),
    /// A truth value.
    Truth(bool),
}

impl Table {
    /// A table as a file has it.
    pub fn of_texts(header: Vec<String>, rows: Vec<Vec<String>>) -> Table {
        let cells = |row: Vec<String>| row.into_iter().map(Cell::Text).collect();
        Table { header, rows: rows.into_iter().map(cells).collect() }
    }

    /// The same with a column of words as categories: each of these words is its number, from 0. Any other cell is no category, and drops its row.
    /// Each cell is looked at by itself, so a theorem about the rows holds as before.
    #[must_use]
    pub fn with_words(mut self, column: &str, words: &[String]) -> Table {
        let places: Vec<usize> =
            (0..self.header.len()).filter(|place| self.header[*place].trim() == column).collect();
        for row in &mut self.rows {
            for place in &places {
                let Some(cell) = row.get_mut(*place) else { continue };
                let number = match cell {
                    Cell::Text(text) => words.iter().position(|word| word == text.trim()),
                    _ => None,
                };
                *cell = number
                    .map_or(Cell::Text(String::new()), |number| Cell::Number(Rational::from(number as u64)));
            }
        }
        self
    }
}

/// Whether a number is of those that a file or a double can hold, which is what the sizes of a text's numbers are reckoned with. Others are no
/// numbers of a table, as they are none in a file: who brings the rows may not make a run longer than it would be for all other tables.
pub(crate) fn is_of_a_table(value: &Rational) -> bool {
    !is_long(value) && part(value.denominator()) == Natural::ONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inputs, Proved, RunError, Value};
    use probity_lang::Setting;

    const TEXT: &str = "mechanism m(people: rows(region: category(3), age: int, x: real))\nparam eps > 0\nwhere people.age >= 10\n\
        out = []\nfor g in 0..3 {\n  n ~ discrete_laplace(count(r in people where r.region == g), 2 / eps)\n\
        s ~ discrete_laplace(sum(r in people where r.region == g, clamp(r.age, 0, 100)), 200 / eps)\n  append(out, n)\n  append(out, s)\n}\n\
        return out\nneighbours one row of people is added or removed\nclaim eps\n";

    fn table() -> Table {
        let rows = [
            ["0", "20", "1.5"],
            ["2", "300", "2"],
            ["2", "9", "1"],
            ["3", "20", "1"],
            ["1", "x", "1"],
            ["", "20", "1"],
            ["0", "30", "-1e3"],
            ["0", "30", "1e-9223372036854775808"],
        ];
        let header = ["region", "age", "x"].map(String::from).to_vec();
        Table::of_texts(header, rows.iter().map(|row| row.map(String::from).to_vec()).collect())
    }

    fn settings() -> Vec<Setting> {
        // So little noise that sums are seen as they are.
        vec![Setting { name: "eps".into(), value: Rational::from(1_000_000) }]
    }

    #[test]
    fn words_are_categories() {
        let rows = [
            ["north", "20", "1"],
            [" south ", "30", "1"],
            ["west", "40", "1"],
            ["0", "50", "1"],
            ["North", "60", "1"],
        ];
        let header = ["region ", "age", "x"].map(String::from).to_vec();
        let table = Table::of_texts(header, rows.iter().map(|row| row.map(String::from).to_vec()).collect());
        let words = ["north", "east", "south"].map(String::from);
        let text = Proved::load(TEXT).unwrap().with_table("people", table.with_words("region", &words));
        let mut entropy = probity_noise::entropy::SecureEntropy::new().unwrap();
        let value = text.with(&settings()).unwrap().run(&Inputs::new(), &mut entropy).unwrap();
        assert_eq!(value.to_string(), "[1, 20, 0, 0, 1, 30]");
    }

    #[test]
    fn sums_are_those_of_the_rows_that_are_left() {
        let text = Proved::load(TEXT).unwrap().with_table("people", table());
        let proved = text.with(&settings()).unwrap();
        let mut entropy = probity_noise::entropy::SecureEntropy::new().unwrap();
        let value = proved.run(&Inputs::new(), &mut entropy).unwrap();
        // Two rows are left in region 0, one in region 2: its age counts as 100.
        let expected = [2, 50, 0, 0, 1, 100].map(|n| Value::from(Rational::from(n))).to_vec();
        assert_eq!(value, Value::List(expected));
        // What is shown is the text, not what was computed from the table.
        assert!(proved.mechanism().to_string().contains("count(r in people"));
    }

    #[test]
    fn what_is_refused_is_refused_for_all_tables() {
        assert!(matches!(Proved::load(TEXT).unwrap().with(&settings()), Err(RunError::Table { .. })));
        let with = |text: &str, table: Table| {
            Proved::load(text).unwrap().with_table("people", table).with(&settings())
        };
        let mut narrow = table();
        narrow.header[1] = "years".into();
        assert!(matches!(with(TEXT, narrow), Err(RunError::Column { twice: false, .. })));
        let other = Proved::load(TEXT).unwrap().with_table("persons", table()).with_table("people", table());
        assert!(matches!(other.with(&settings()), Err(RunError::UnknownTable { .. })));
        let adaptive = "mechanism m(people: rows(x: real))\nparam eps > 0\nt ~ discrete_laplace(0, 1)\n\
            y ~ laplace(sum(r in people, clamp(r.x * t, 0, 1)), 1 / eps)\nreturn floor(y)\n\
            neighbours one row of people is added or removed\nclaim eps\n";
        let outside = adaptive.replace("r.x * t", "exp(r.x * t)");
        // Squares of logarithms have no normal form, which a table without rows does not show.
        let opaque = "mechanism m(people: rows(x: real))\nparam eps > 0\nu ~ exponential(1)\nv = ln(u)\n\
            y ~ laplace(0, 1 / eps)\nreturn if sum(r in people, clamp(v * v * r.x, 0, 1)) > y then 1 else 0\n\
            neighbours one row of people is added or removed\nclaim eps\n";
        for table in [
            Table { header: vec!["x".into()], rows: vec![] },
            Table { header: vec!["x".into()], rows: vec![vec![Cell::Text("1".into())]] },
        ] {
            assert!(with(adaptive, table.clone()).is_ok());
            // Of a number that has no bound.
            assert!(matches!(with(&outside, table.clone()), Err(RunError::TooLarge { .. })));
            let unproved =
                Proved::load(opaque).unwrap().with_table("people", table).unproved_with(&settings());
            assert!(matches!(unproved, Err(RunError::Refused { .. })));
        }
    }

    /// Sums that depend on what the text computes and draws are those of the rows. The noise is 0 but for e^−1000.
    #[test]
    fn sums_follow_what_is_computed_and_drawn() {
        let text = "mechanism m(people: rows(region: category(3), age: int, x: real))\nout = []\nwidth = 1\n\
            for level in 0..2 {\n  for block in 0..3 {\n\
            y ~ discrete_laplace(count(r in people where floor(r.region / width) == block), 1 / 1000)\n  append(out, y)\n  }\n  width = 2 * width\n}\n\
            n ~ discrete_laplace(count(r in people where r.age > 15), 1 / 1000)\n\
            s ~ discrete_laplace(floor(sum(r in people where r.age > 10 * n, clamp(n * r.age, -90, 90))), 1 / 1000)\n  append(out, n)\n  append(out, s)\n\
            return out\nneighbours one row of people is added or removed\nclaim 100000\n";
        for rows in [table(), Table { rows: Vec::new(), ..table() }] {
            let text = Proved::load(text).unwrap().with_table("people", rows.clone());
            let mut session = text.unproved_with(&[]).unwrap().prepare(&Inputs::new()).unwrap();
            let mut words = probity_noise::entropy::tape::Tape::seeded(5);
            let Value::List(found) = session.run_exactly(&mut words).unwrap() else { panic!("no list") };
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            // Regions 0, 2, 2, 0 of the rows that are whole, by one and by two; then ages above 15, and those above 10·3.
            let known = match rows.rows.is_empty() {
                true => ["0", "0", "0", "0", "0", "0", "0", "0"],
                false => ["2", "0", "2", "2", "2", "0", "3", "90"],
            };
            assert_eq!(found, known);
        }
    }
}
