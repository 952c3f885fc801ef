//! One table: Probity, the `opendp` crate, and the insecure limit, measured in one run.
//!
//! The figures are of one thread, in CPU time, the best of several repetitions in which the contenders take
//! turns. Absolute figures depend on the machine and its load; the ratios are what the bars are about.
//!
//! [`work`] measures, [`ours`], [`mechanisms`], [`programs`], [`peer`] and [`insecure`] say what, [`table`] prints and judges.

pub mod insecure;
pub mod mechanisms;
pub mod ours;
pub mod peer;
pub mod programs;
pub mod rows;
pub mod table;
pub mod work;

/// What can go wrong in a contender: its own error, of whatever type.
pub type Failure = Box<dyn std::error::Error>;

/// Measures the rows whose names contain the words and prints the table and the bars. A bar that is not met is told, and is no failure.
pub fn run(words: &str) -> Result<(), Failure> {
    table::print_header();
    let mut verdicts = Vec::new();
    for section in rows::sections()? {
        table::print_section(&section);
        for mut row in section.rows.into_iter().filter(|row| row.name.contains(words)) {
            let figures = row.measure()?;
            table::print_row(&row, &figures);
            verdicts.extend(row.judge(&figures));
        }
    }
    table::print_verdicts(&verdicts);
    Ok(())
}
