//! An expression about one row, made ready for many: in machine integers where all of it fits, and by the one exact evaluator
//! (`probity_lang::row`) where it does not. Both say the same, which is tested.

use probity_exact::Rational;
use probity_kernel::expr::{Binary, Expr, Name, Unary, Variable};
use probity_lang::row;

/// A number of a row: most are small integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Small(i64),
    /// No integer, or a long one.
    Long(Box<Rational>),
}

impl Entry {
    pub(crate) fn of(value: Rational) -> Entry {
        match value.is_int().then(|| i64::try_from(value.numerator()).ok()).flatten() {
            Some(small) => Entry::Small(small),
            None => Entry::Long(Box::new(value)),
        }
    }

    pub(crate) fn exact(self) -> Rational {
        match self {
            Entry::Small(value) => Rational::from(value),
            Entry::Long(value) => *value,
        }
    }

    /// The integer that it is, if it is one that fits.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Entry::Small(value) => Some(*value),
            Entry::Long(_) => None,
        }
    }

    pub(crate) fn is_integer(&self) -> bool {
        match self {
            Entry::Small(_) => true,
            Entry::Long(value) => value.is_int(),
        }
    }
}

/// An expression of a row's fields.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    exact: Expr,
    /// The names of the entries of a row, in their order.
    names: Vec<Name>,
    small: Small,
}

/// The same in machine integers; truth values are 1 and 0.
#[derive(Debug, Clone)]
enum Small {
    Number(i64),
    Entry(usize),
    Neg(Box<Small>),
    Not(Box<Small>),
    Abs(Box<Small>),
    Floor(Box<Small>),
    Binary(Binary, Box<[Small; 2]>),
    Clamp(Box<[Small; 3]>),
    If(Box<[Small; 3]>),
    /// What is left to the exact evaluator.
    Other,
}

impl Formula {
    pub(crate) fn new(e: &Expr, names: &[Name]) -> Formula {
        Formula { exact: e.clone(), names: names.to_vec(), small: Small::new(e, names) }
    }

    /// Its value; `None` only for what the exact evaluator does not know.
    #[inline]
    pub(crate) fn value(&self, row: &[Entry]) -> Option<Entry> {
        match self.small.value(row) {
            Some(value) => Some(Entry::Small(value)),
            None => self.exactly(row),
        }
    }

    /// Whether it is true.
    #[inline]
    pub(crate) fn holds(&self, row: &[Entry]) -> bool {
        self.value(row) == Some(Entry::Small(1))
    }

    #[cold]
    fn exactly(&self, row: &[Entry]) -> Option<Entry> {
        let at = |variable: &Variable| match variable {
            Variable::Field(_, name) | Variable::Plain(name) => {
                let place = self.names.iter().position(|known| known == name)?;
                Some(row.get(place)?.clone().exact())
            }
            _ => None,
        };
        row::value(&self.exact, &at).map(Entry::of)
    }
}

impl Small {
    fn new(e: &Expr, names: &[Name]) -> Small {
        let of = |e: &Expr| Small::new(e, names);
        let boxed = |e: &Expr| Box::new(of(e));
        match e {
            Expr::Number(value) => Entry::of(value.clone()).integer().map_or(Small::Other, Small::Number),
            Expr::Bool(truth) => Small::Number(i64::from(*truth)),
            Expr::Var(Variable::Field(_, name) | Variable::Plain(name)) => {
                names.iter().position(|known| known == name).map_or(Small::Other, Small::Entry)
            }
            Expr::Unary(Unary::Neg, a) => Small::Neg(boxed(a)),
            Expr::Unary(Unary::Not, a) => Small::Not(boxed(a)),
            Expr::Unary(Unary::Abs, a) => Small::Abs(boxed(a)),
            Expr::Unary(Unary::Floor, a) => Small::Floor(boxed(a)),
            Expr::Binary(operation, a, b) => Small::Binary(*operation, Box::new([of(a), of(b)])),
            Expr::Clamp(a, low, high) => Small::Clamp(Box::new([of(a), of(low), of(high)])),
            Expr::If(condition, yes, no) => Small::If(Box::new([of(condition), of(yes), of(no)])),
            _ => Small::Other,
        }
    }

    /// Its value; `None` where it is no integer that fits, or something on the way is none.
    fn value(&self, row: &[Entry]) -> Option<i64> {
        let of = |e: &Small| e.value(row);
        Some(match self {
            Small::Number(value) => *value,
            Small::Entry(place) => return row.get(*place)?.integer(),
            Small::Neg(a) => of(a)?.checked_neg()?,
            Small::Not(a) => 1i64.checked_sub(of(a)?)?,
            Small::Abs(a) => of(a)?.checked_abs()?,
            Small::Floor(a) => of(a)?,
            Small::Binary(operation, sides) => {
                let (a, b) = (of(&sides[0])?, of(&sides[1])?);
                match operation {
                    Binary::Add => a.checked_add(b)?,
                    Binary::Sub => a.checked_sub(b)?,
                    Binary::Mul => a.checked_mul(b)?,
                    Binary::Div if b == 0 => 0,
                    Binary::Div if a.checked_rem(b)? == 0 => a.checked_div(b)?,
                    Binary::Div | Binary::Mod | Binary::RoundTo => return None,
                    Binary::Min => a.min(b),
                    Binary::Max => a.max(b),
                    Binary::Lt => i64::from(a < b),
                    Binary::Le => i64::from(a <= b),
                    Binary::Eq => i64::from(a == b),
                    Binary::Ne => i64::from(a != b),
                    Binary::Ge => i64::from(a >= b),
                    Binary::Gt => i64::from(a > b),
                    Binary::And => i64::from(a == 1 && b == 1),
                    Binary::Or => i64::from(a == 1 || b == 1),
                }
            }
            Small::Clamp(parts) => of(&parts[0])?.min(of(&parts[2])?).max(of(&parts[1])?),
            Small::If(parts) => return if of(&parts[0])? == 1 { of(&parts[1]) } else { of(&parts[2]) },
            Small::Other => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_exact::rational;

    /// Machine integers say what fractions say, at the ends of their range and beyond, and for quotients.
    #[test]
    fn machine_integers_are_the_same_numbers() {
        let names: Vec<Name> = ["a", "b"].map(Name::from).to_vec();
        let (a, b) = (|| Expr::var(names[0].clone()), || Expr::var(names[1].clone()));
        let operations = [
            Binary::Add,
            Binary::Sub,
            Binary::Mul,
            Binary::Div,
            Binary::Min,
            Binary::Max,
            Binary::Lt,
            Binary::Le,
            Binary::Eq,
            Binary::Ne,
            Binary::Ge,
            Binary::Gt,
            Binary::And,
            Binary::Or,
        ];
        let binary = |operation: Binary, a: Expr, b: Expr| Expr::Binary(operation, a.into(), b.into());
        let mut all: Vec<Expr> = operations.iter().map(|operation| binary(*operation, a(), b())).collect();
        for operation in [Unary::Neg, Unary::Not, Unary::Abs, Unary::Floor] {
            all.push(Expr::Unary(operation, a().into()));
            all.push(Expr::Unary(operation, binary(Binary::Div, a(), b()).into()));
        }
        all.push(Expr::Clamp(a().into(), b().into(), Expr::int(7).into()));
        all.push(Expr::If(
            binary(Binary::Lt, a(), b()).into(),
            a().into(),
            binary(Binary::Mul, a(), b()).into(),
        ));
        all.push(Expr::If(a().into(), b().into(), Expr::Number(rational(1, 2).unwrap()).into()));
        let whole = [i64::MIN, i64::MIN + 1, -7, -1, 0, 1, 2, 7, 1 << 40, i64::MAX - 1, i64::MAX];
        let mut numbers: Vec<Rational> = whole.into_iter().map(Rational::from).collect();
        numbers.extend([rational(1, 2).unwrap(), rational(-9, 4).unwrap(), Rational::from(u64::MAX)]);
        let mut small = 0;
        for e in &all {
            let formula = Formula::new(e, &names);
            for (x, y) in numbers.iter().flat_map(|x| numbers.iter().map(move |y| (x, y))) {
                let row = [Entry::of(x.clone()), Entry::of(y.clone())];
                let found = formula.value(&row);
                assert_eq!(found, formula.exactly(&row), "{e} at {x}, {y}");
                small += usize::from(formula.small.value(&row).is_some());
            }
        }
        // Most of them, or nothing would be gained.
        assert!(small > all.len() * numbers.len() * numbers.len() / 2, "{small}");
    }
}
