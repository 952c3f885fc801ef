//! Very many pure guarantees.
use crate::account::{Bracket, Question};
use crate::model::Simple;
pub(crate) fn answer(_laws: &[(Simple, u64)], _question: &Question) -> Option<(Bracket, &'static str)> { None }
