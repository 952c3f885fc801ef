//! Samples: a coin for each row of the table says whether it is kept, and a sum over the sample is one over the rows that are.
//!
//! The coins are tossed where the text draws the sample, so that everything that follows has the law that the text says.

use probity_kernel::expr::{Expr, Name};
use probity_kernel::term::{Distribution, Statement};

use crate::written_sum::for_every_row;

const COINS: &str = "coins of ";

/// The list of a sample's coins. No name of a text has a space in it.
pub(crate) fn coins(sample: &Name) -> Name {
    Name::from(format!("{COINS}{sample}").as_str())
}

/// Whether a list is that of a sample's coins.
pub(crate) fn is_coins(list: &Name) -> bool {
    list.as_str().starts_with(COINS)
}

/// A coin for each row of the table.
pub(crate) fn tossed(sample: &Name, table: &Name, rate: &Expr) -> [Statement; 2] {
    let coin = Name::from(format!("coin of {sample}").as_str());
    let toss = Statement::Draw { var: coin.clone(), law: Distribution::Bernoulli(rate.clone()) };
    let keep = Statement::Append { list: coins(sample), value: Expr::var(coin) };
    [Statement::Assign { var: coins(sample), value: Expr::EmptyList }, for_every_row(table, vec![toss, keep])]
}
