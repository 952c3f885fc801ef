//! The types of values while a text is checked. The kernel's sorts say less: they know no output lists.

use std::fmt;

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Real,
    /// An integer, and so also a real. Categories are integers from 0 on.
    Int,
    Bool,
    RealList,
    IntList,
    BoolList,
    /// A table of rows.
    Table,
    /// `[]`, whose entries are not known yet.
    EmptyList,
    /// The value was at fault; every further use of it is accepted, so that one fault is reported once.
    Unknown,
}

impl Type {
    pub(crate) fn is_numeric(self) -> bool {
        matches!(self, Type::Real | Type::Int | Type::Unknown)
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self, Type::RealList | Type::IntList | Type::BoolList | Type::EmptyList | Type::Unknown)
    }

    /// Whether a value of type `found` can stand where this type is expected.
    pub(crate) fn accepts(self, found: Type) -> bool {
        self.join(found).is_some_and(|joined| joined == self || self == Type::Unknown)
    }

    /// The smallest type that holds the values of both.
    ///
    /// | | real | int | bool | list |
    /// |---|---|---|---|---|
    /// | real | real | real | – | – |
    /// | int | real | int | – | – |
    /// | bool | – | – | bool | – |
    /// | list | – | – | – | list of the joined entries |
    pub(crate) fn join(self, other: Type) -> Option<Type> {
        use Type::*;
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Unknown, a) | (a, Unknown) => Some(a),
            (Real, Int) | (Int, Real) => Some(Real),
            (RealList, IntList) | (IntList, RealList) => Some(RealList),
            (EmptyList, list @ (RealList | IntList | BoolList)) => Some(list),
            (list @ (RealList | IntList | BoolList), EmptyList) => Some(list),
            _ => None,
        }
    }

    /// The type of the entries of a list.
    pub(crate) fn entry(self) -> Option<Type> {
        match self {
            Type::RealList => Some(Type::Real),
            Type::IntList => Some(Type::Int),
            Type::BoolList => Some(Type::Bool),
            Type::EmptyList | Type::Unknown => Some(Type::Unknown),
            Type::Real | Type::Int | Type::Bool | Type::Table => None,
        }
    }

    /// The type of the lists with entries of this type.
    pub(crate) fn list(self) -> Option<Type> {
        match self {
            Type::Real => Some(Type::RealList),
            Type::Int => Some(Type::IntList),
            Type::Bool => Some(Type::BoolList),
            Type::Unknown => Some(Type::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Real => "a real",
            Type::Int => "an integer",
            Type::Bool => "a boolean",
            Type::RealList => "a list of reals",
            Type::IntList => "a list of integers",
            Type::BoolList => "a list of booleans",
            Type::Table => "a table",
            Type::EmptyList => "an empty list",
            Type::Unknown => "a value",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Type::{self, *};

    #[test]
    fn joins_are_symmetric_and_contain_both() {
        let all = [Real, Int, Bool, RealList, IntList, BoolList, Table, EmptyList, Unknown];
        for a in all {
            for b in all {
                assert_eq!(a.join(b), b.join(a));
                if let Some(c) = a.join(b) {
                    assert!(c.accepts(a) && c.accepts(b), "{a} {b} {c}");
                }
            }
        }
        assert_eq!(Type::join(Real, Bool), None);
        assert!(Real.accepts(Int) && !Int.accepts(Real));
    }
}
