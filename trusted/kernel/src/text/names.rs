//! Names: identifiers that are no words of the rendering, so that what is printed says what was proved and nothing else.

use crate::call;
use crate::expr::Name;
use crate::kind::malformed;
use crate::law;
use crate::rejection::Rejection;
use crate::term::{Mechanism, Sort, Statement};

/// Words that mean something else in the kernel's rendering.
const RESERVED: [&str; 26] = [
    "true",
    "false",
    "if",
    "then",
    "else",
    "and",
    "or",
    "not",
    "mod",
    "cost",
    "result",
    "mechanism",
    "param",
    "where",
    "let",
    "for",
    "in",
    "while",
    "return",
    "append",
    "neighbours",
    "neighbors",
    "claim",
    "expect",
    "refuted",
    "proof",
];

/// Every name is an identifier, and the name of a call says which mechanism is called, so that what is printed says what was
/// proved and nothing else.
pub(crate) fn check_names(mechanism: &Mechanism) -> Result<(), Rejection> {
    check_identifier(&mechanism.name)?;
    mechanism.params.iter().try_for_each(|p| check_identifier(&p.name))?;
    mechanism.inputs.iter().try_for_each(|i| check_identifier(&i.name))?;
    mechanism.inputs.iter().try_for_each(|i| match &i.sort {
        Sort::Rows(fields) => fields.iter().try_for_each(|field| check_identifier(&field.name)),
        _ => Ok(()),
    })?;
    let called = call::called_by(&mechanism.body);
    for (place, one) in called.iter().enumerate() {
        let name = &one.mechanism.name;
        if law::NAMES.contains(&name.as_str()) {
            return Err(malformed(format!("a called mechanism has the name of a law: {name}")));
        }
        if called[..place].iter().any(|other| other.mechanism.name == *name) {
            return Err(malformed(format!("two called mechanisms have one name: {name}")));
        }
        check_names(&one.mechanism)?;
    }
    check_set_names(&mechanism.body)
}

fn check_set_names(body: &[Statement]) -> Result<(), Rejection> {
    body.iter().try_for_each(|statement| match statement {
        Statement::Draw { var: name, .. }
        | Statement::Assign { var: name, .. }
        | Statement::Append { list: name, .. } => check_identifier(name),
        Statement::If { then, otherwise, .. } => {
            check_set_names(then)?;
            check_set_names(otherwise)
        }
        Statement::For { index: name, body, .. } | Statement::While { label: name, body, .. } => {
            check_identifier(name)?;
            check_set_names(body)
        }
    })
}

/// A letter or underscore, then letters, digits and underscores; and no word of the rendering.
fn check_identifier(name: &Name) -> Result<(), Rejection> {
    let text = name.as_str();
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain && text.bytes().next().is_some_and(|b| !b.is_ascii_digit()) && !RESERVED.contains(&text) {
        Ok(())
    } else {
        Err(malformed(format!("{text:?} is no name")))
    }
}
