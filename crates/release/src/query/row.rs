//! Expressions over one row, in integers: what a query adds up and which rows it takes.
//!
//! One tree has two readings here: its text in the mechanism language, which is proved, and its value on a cleaned row, which is
//! added up. Cleaning leaves every column within its bounds, so the text need not clamp it; the text clamps what is added up, which
//! is what a proof needs. Every value is below 2^63 in size, which is checked when the tree is made, so no addition can overflow. Should
//! that check ever miss one, the addition stops at the end of the machine's numbers: a pass that stopped itself would tell of a row.

use std::fmt::Write;
use std::sync::Arc;

/// An integer of a row. Columns are numbered as the plan's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A column of a cleaned row.
    Column {
        /// Its place among the fields.
        field: usize,
        /// Its least value.
        low: i64,
        /// Its greatest value.
        high: i64,
    },
    /// A column of a public table, looked up by a column of the row that holds the place of a key.
    Joined {
        /// Its name in the text, where it is a field of the row.
        name: String,
        /// The field that holds the place of the key.
        field: usize,
        /// Its value for each key.
        values: Arc<Vec<i64>>,
    },
    /// The same for every row.
    Constant(i64),
    /// The same for every row, and a parameter of this name in the text: what is proved for every value is proved for this one.
    Named(String, i64),
    /// a + b.
    Add(Box<Row>, Box<Row>),
    /// a − b.
    Sub(Box<Row>, Box<Row>),
    /// a · b.
    Mul(Box<Row>, Box<Row>),
    /// |a|.
    Abs(Box<Row>),
    /// ⌊a / b⌋ for a number b > 0: which of equal parts of a range a value is in.
    Floor(Box<Row>, Box<Row>),
    /// The smaller one.
    Min(Box<Row>, Box<Row>),
    /// The larger one.
    Max(Box<Row>, Box<Row>),
    /// One or the other.
    If(Box<Condition>, Box<Row>, Box<Row>),
}

/// How two integers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// =
    Equal,
    /// <>
    Unequal,
    /// <
    Less,
    /// <=
    AtMost,
    /// >
    Greater,
    /// >=
    AtLeast,
}

impl Order {
    /// As the mechanism language writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Order::Equal => "==",
            Order::Unequal => "!=",
            Order::Less => "<",
            Order::AtMost => "<=",
            Order::Greater => ">",
            Order::AtLeast => ">=",
        }
    }

    /// Whether it holds.
    pub fn holds<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Order::Equal => a == b,
            Order::Unequal => a != b,
            Order::Less => a < b,
            Order::AtMost => a <= b,
            Order::Greater => a > b,
            Order::AtLeast => a >= b,
        }
    }
}

/// Whether a row is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// A comparison.
    Compare(Order, Row, Row),
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// One of them.
    Or(Box<Condition>, Box<Condition>),
    /// Not.
    Not(Box<Condition>),
}

impl Condition {
    /// Both; what is always true is left out.
    pub fn and(self, other: Condition) -> Condition {
        match (self, other) {
            (Condition::Constant(true), other) | (other, Condition::Constant(true)) => other,
            (a, b) => Condition::And(Box::new(a), Box::new(b)),
        }
    }

    /// Whether it holds for a row.
    pub fn holds(&self, fields: &[i64]) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Compare(order, a, b) => order.holds(&a.value(fields), &b.value(fields)),
            // Both sides are computed for every row: the time does not tell how a row fares.
            Condition::And(a, b) => a.holds(fields) & b.holds(fields),
            Condition::Or(a, b) => a.holds(fields) | b.holds(fields),
            Condition::Not(a) => !a.holds(fields),
        }
    }

    /// Its text.
    pub fn to_text(&self, names: &[String]) -> String {
        match self {
            Condition::Constant(true) => "0 == 0".to_owned(),
            Condition::Constant(false) => "0 == 1".to_owned(),
            Condition::Compare(order, a, b) => {
                format!("{} {} {}", a.to_text(names), order.sign(), b.to_text(names))
            }
            Condition::And(a, b) => format!("({} and {})", a.to_text(names), b.to_text(names)),
            Condition::Or(a, b) => format!("({} or {})", a.to_text(names), b.to_text(names)),
            Condition::Not(a) => format!("not ({})", a.to_text(names)),
        }
    }

    /// The same with every part of its values that `other` has something for replaced by that.
    pub fn replaced(&self, other: &mut dyn FnMut(&Row) -> Option<Row>) -> Condition {
        match self {
            Condition::Constant(truth) => Condition::Constant(*truth),
            Condition::Compare(order, a, b) => {
                Condition::Compare(*order, a.replaced(other), b.replaced(other))
            }
            Condition::And(a, b) => Condition::And(Box::new(a.replaced(other)), Box::new(b.replaced(other))),
            Condition::Or(a, b) => Condition::Or(Box::new(a.replaced(other)), Box::new(b.replaced(other))),
            Condition::Not(a) => Condition::Not(Box::new(a.replaced(other))),
        }
    }

    /// The values that it compares, in order.
    pub fn compared(&self) -> Vec<&Row> {
        match self {
            Condition::Constant(_) => Vec::new(),
            Condition::Compare(_, a, b) => vec![a, b],
            Condition::And(a, b) | Condition::Or(a, b) => [a.compared(), b.compared()].concat(),
            Condition::Not(a) => a.compared(),
        }
    }

    /// Whether what it compares stays below 2^63 in size, whatever the row.
    pub fn fits(&self) -> bool {
        self.compared().into_iter().all(Row::fits)
    }

    /// How many comparisons it has.
    pub fn comparisons(&self) -> usize {
        match self {
            Condition::Constant(_) => 0,
            Condition::Compare(_, a, b) => 1 + a.comparisons() + b.comparisons(),
            Condition::And(a, b) | Condition::Or(a, b) => a.comparisons() + b.comparisons(),
            Condition::Not(a) => a.comparisons(),
        }
    }

    /// The levels of its tree.
    pub fn depth(&self) -> usize {
        1 + match self {
            Condition::Constant(_) => 0,
            Condition::Compare(_, a, b) => a.depth().max(b.depth()),
            Condition::And(a, b) | Condition::Or(a, b) => a.depth().max(b.depth()),
            Condition::Not(a) => a.depth(),
        }
    }
}

impl Row {
    /// Its value on a row. Total: what lies beyond the machine's numbers is the nearest of them, for what [`Row::fits`] lets through nothing.
    pub fn value(&self, fields: &[i64]) -> i64 {
        match self {
            Row::Column { field, low, high, .. } => fields[*field].clamp(*low, *high),
            Row::Joined { field, values, .. } => {
                // Cleaning leaves places of keys only; a dropped row has any.
                usize::try_from(fields[*field])
                    .ok()
                    .and_then(|key| values.get(key))
                    .copied()
                    .unwrap_or(values[0])
            }
            Row::Constant(value) | Row::Named(_, value) => *value,
            Row::Add(a, b) => a.value(fields).saturating_add(b.value(fields)),
            Row::Sub(a, b) => a.value(fields).saturating_sub(b.value(fields)),
            Row::Mul(a, b) => a.value(fields).saturating_mul(b.value(fields)),
            Row::Abs(a) => a.value(fields).saturating_abs(),
            Row::Floor(a, b) => a.value(fields).div_euclid(b.value(fields).max(1)),
            Row::Min(a, b) => a.value(fields).min(b.value(fields)),
            Row::Max(a, b) => a.value(fields).max(b.value(fields)),
            Row::If(condition, a, b) => {
                let (a, b) = (a.value(fields), b.value(fields));
                if condition.holds(fields) { a } else { b }
            }
        }
    }

    /// The least and the greatest value that it can have, by the ranges of its parts; `None` if one is 2^63 or larger in size.
    pub fn range(&self) -> Option<(i64, i64)> {
        let both = |a: &Row, b: &Row| Some((a.range()?, b.range()?));
        Some(match self {
            Row::Column { low, high, .. } => (*low, *high),
            Row::Joined { values, .. } => (*values.iter().min()?, *values.iter().max()?),
            Row::Constant(value) | Row::Named(_, value) => (*value, *value),
            Row::Add(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                (al.checked_add(bl)?, ah.checked_add(bh)?)
            }
            Row::Sub(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                if a == b {
                    return Some((0, 0));
                }
                (al.checked_sub(bh)?, ah.checked_sub(bl)?)
            }
            Row::Mul(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                if a == b {
                    // A square is not negative.
                    let (low, high) = magnitudes(al, ah)?;
                    return Some((low.checked_mul(low)?, high.checked_mul(high)?));
                }
                let corners =
                    [al.checked_mul(bl)?, al.checked_mul(bh)?, ah.checked_mul(bl)?, ah.checked_mul(bh)?];
                (corners.into_iter().min()?, corners.into_iter().max()?)
            }
            Row::Abs(a) => {
                let (low, high) = a.range()?;
                magnitudes(low, high)?
            }
            Row::Floor(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                if bl != bh || bl < 1 {
                    return None;
                }
                (al.div_euclid(bl), ah.div_euclid(bl))
            }
            Row::Min(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                (al.min(bl), ah.min(bh))
            }
            Row::Max(a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                (al.max(bl), ah.max(bh))
            }
            Row::If(_, a, b) => {
                let ((al, ah), (bl, bh)) = both(a, b)?;
                (al.min(bl), ah.max(bh))
            }
        })
    }

    /// Whether every number on the way to its value stays below 2^63 in size, whatever the row: a pass that stopped at a row
    /// would tell of it.
    pub fn fits(&self) -> bool {
        self.range().is_some() && self.conditions_fit()
    }

    fn conditions_fit(&self) -> bool {
        match self {
            Row::Column { .. } | Row::Joined { .. } | Row::Named(..) | Row::Constant(_) => true,
            Row::Abs(a) => a.conditions_fit(),
            Row::Add(a, b)
            | Row::Sub(a, b)
            | Row::Mul(a, b)
            | Row::Floor(a, b)
            | Row::Min(a, b)
            | Row::Max(a, b) => a.conditions_fit() && b.conditions_fit(),
            Row::If(condition, a, b) => condition.fits() && a.conditions_fit() && b.conditions_fit(),
        }
    }

    /// The same with every part that `other` has something for replaced by that.
    pub fn replaced(&self, other: &mut dyn FnMut(&Row) -> Option<Row>) -> Row {
        if let Some(row) = other(self) {
            return row;
        }
        let mut both = |a: &Row, b: &Row| (Box::new(a.replaced(other)), Box::new(b.replaced(other)));
        match self {
            Row::Column { .. } | Row::Joined { .. } | Row::Named(..) | Row::Constant(_) => self.clone(),
            Row::Abs(a) => Row::Abs(Box::new(a.replaced(other))),
            Row::Add(a, b) => {
                let (a, b) = both(a, b);
                Row::Add(a, b)
            }
            Row::Sub(a, b) => {
                let (a, b) = both(a, b);
                Row::Sub(a, b)
            }
            Row::Mul(a, b) => {
                let (a, b) = both(a, b);
                Row::Mul(a, b)
            }
            Row::Floor(a, b) => {
                let (a, b) = both(a, b);
                Row::Floor(a, b)
            }
            Row::Min(a, b) => {
                let (a, b) = both(a, b);
                Row::Min(a, b)
            }
            Row::Max(a, b) => {
                let (a, b) = both(a, b);
                Row::Max(a, b)
            }
            Row::If(condition, a, b) => {
                let (a, b) = both(a, b);
                Row::If(Box::new(condition.replaced(other)), a, b)
            }
        }
    }

    /// How many choices between values it makes.
    pub fn choices(&self) -> usize {
        match self {
            Row::Column { .. } | Row::Joined { .. } | Row::Constant(_) | Row::Named(..) => 0,
            Row::Abs(a) => 1 + a.choices(),
            Row::Add(a, b) | Row::Sub(a, b) | Row::Mul(a, b) | Row::Floor(a, b) => a.choices() + b.choices(),
            Row::Min(a, b) | Row::Max(a, b) => 1 + a.choices() + b.choices(),
            Row::If(condition, a, b) => {
                let compared: usize = condition.compared().into_iter().map(Row::choices).sum();
                1 + compared + a.choices() + b.choices()
            }
        }
    }

    /// Its text.
    pub fn to_text(&self, names: &[String]) -> String {
        let call =
            |name: &str, a: &Row, b: &Row| format!("{name}({}, {})", a.to_text(names), b.to_text(names));
        let infix =
            |sign: &str, a: &Row, b: &Row| format!("({} {sign} {})", a.to_text(names), b.to_text(names));
        match self {
            Row::Column { field, .. } => format!("r.{}", names[*field]),
            Row::Joined { name, .. } => format!("r.{name}"),
            Row::Named(name, _) => name.clone(),
            Row::Constant(value) if *value < 0 => format!("({value})"),
            Row::Constant(value) => value.to_string(),
            Row::Add(a, b) => infix("+", a, b),
            Row::Sub(a, b) => infix("-", a, b),
            Row::Mul(a, b) => infix("*", a, b),
            Row::Abs(a) => format!("abs({})", a.to_text(names)),
            Row::Floor(a, b) => format!("floor({} / {})", a.to_text(names), b.to_text(names)),
            Row::Min(a, b) => call("min", a, b),
            Row::Max(a, b) => call("max", a, b),
            Row::If(condition, a, b) => {
                let mut text = String::new();
                let _ = write!(
                    text,
                    "(if {} then {} else {})",
                    condition.to_text(names),
                    a.to_text(names),
                    b.to_text(names)
                );
                text
            }
        }
    }

    /// How many comparisons its conditions have.
    pub fn comparisons(&self) -> usize {
        match self {
            Row::Column { .. } | Row::Joined { .. } | Row::Constant(_) | Row::Named(..) => 0,
            Row::Abs(a) => a.comparisons(),
            Row::Add(a, b)
            | Row::Sub(a, b)
            | Row::Mul(a, b)
            | Row::Floor(a, b)
            | Row::Min(a, b)
            | Row::Max(a, b) => a.comparisons() + b.comparisons(),
            Row::If(condition, a, b) => condition.comparisons() + a.comparisons() + b.comparisons(),
        }
    }

    /// The levels of its tree.
    pub fn depth(&self) -> usize {
        1 + match self {
            Row::Column { .. } | Row::Joined { .. } | Row::Constant(_) | Row::Named(..) => 0,
            Row::Abs(a) => a.depth(),
            Row::Add(a, b)
            | Row::Sub(a, b)
            | Row::Mul(a, b)
            | Row::Floor(a, b)
            | Row::Min(a, b)
            | Row::Max(a, b) => a.depth().max(b.depth()),
            Row::If(condition, a, b) => condition.depth().max(a.depth()).max(b.depth()),
        }
    }
}

/// The least and the greatest |v| for v from `low` to `high`.
fn magnitudes(low: i64, high: i64) -> Option<(i64, i64)> {
    let (a, b) = (low.checked_abs()?, high.checked_abs()?);
    Some((if low <= 0 && high >= 0 { 0 } else { a.min(b) }, a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(field: usize, low: i64, high: i64) -> Row {
        Row::Column { field, low, high }
    }

    #[test]
    fn what_is_compared_on_the_way_has_to_fit_too() {
        let x = || Box::new(column(0, -3, 4));
        let y = || Box::new(column(1, 2, 5));
        let large = || Box::new(Row::Mul(x(), Box::new(Row::Constant(i64::MAX))));
        let chosen = |compared: Box<Row>| {
            Row::If(Box::new(Condition::Compare(Order::Less, *compared, *y())), x(), y())
        };
        assert!(chosen(x()).fits() && !chosen(large()).fits() && chosen(large()).range().is_some());
        assert!(!Row::Add(x(), Box::new(chosen(large()))).fits());
        assert!(!Condition::Not(Box::new(Condition::Compare(Order::Less, *large(), *y()))).fits());
    }

    #[test]
    fn values_stay_in_their_range() {
        let x = || Box::new(column(0, -3, 4));
        let y = || Box::new(column(1, 2, 5));
        let condition = || Box::new(Condition::Compare(Order::Less, *x(), *y()));
        let trees = [
            Row::Add(x(), y()),
            Row::Sub(x(), y()),
            Row::Sub(x(), x()),
            Row::Mul(x(), y()),
            Row::Mul(x(), x()),
            Row::Abs(x()),
            Row::Abs(y()),
            Row::Min(x(), y()),
            Row::Max(x(), y()),
            Row::If(condition(), x(), y()),
            Row::If(Box::new(Condition::Compare(Order::Less, *y(), *x())), y(), x()),
            Row::Floor(x(), Box::new(Row::Constant(2))),
            Row::Mul(Box::new(Row::Sub(x(), y())), Box::new(Row::Abs(x()))),
        ];
        for tree in trees {
            let (low, high) = tree.range().unwrap();
            for a in -9..9 {
                for b in -9..9 {
                    let value = tree.value(&[a, b]);
                    assert!(
                        low <= value && value <= high,
                        "{tree:?} at {a}, {b}: {value} not in {low}..{high}"
                    );
                }
            }
        }
    }

    /// A panic would tell of the row at which it came; so there is none, also for trees that are refused.
    #[test]
    fn values_of_every_tree_are_total() {
        let all = || Box::new(column(0, i64::MIN, i64::MAX));
        let (least, greatest) = (|| Box::new(Row::Constant(i64::MIN)), || Box::new(Row::Constant(i64::MAX)));
        for ((tree, field), value) in [
            ((Row::Add(all(), greatest()), i64::MAX), i64::MAX),
            ((Row::Sub(all(), greatest()), i64::MIN), i64::MIN),
            ((Row::Mul(all(), least()), i64::MIN), i64::MAX),
            ((Row::Abs(all()), i64::MIN), i64::MAX),
            ((Row::Floor(all(), Box::new(Row::Constant(-1))), i64::MIN), i64::MIN),
            ((Row::Floor(all(), Box::new(Row::Constant(0))), 7), 7),
        ] {
            assert!(!tree.fits() && tree.value(&[field]) == value, "{tree:?}");
        }
    }

    #[test]
    fn what_may_overflow_has_no_range() {
        let big = || Box::new(column(0, 0, 1 << 61));
        assert_eq!(Row::Mul(big(), big()).range(), None);
        let double = Row::Add(big(), big());
        assert_eq!(double.range(), Some((0, 1 << 62)));
        assert_eq!(Row::Add(Box::new(double.clone()), Box::new(double)).range(), None);
        assert_eq!(Row::Abs(Box::new(Row::Constant(i64::MIN))).range(), None);
        assert_eq!(Row::Floor(big(), big()).range(), None);
        assert_eq!(Row::Floor(big(), Box::new(Row::Constant(0))).range(), None);
    }

    #[test]
    fn texts_keep_their_grouping() {
        let names = ["age".to_owned()];
        let age = || Box::new(column(0, 0, 120));
        let row =
            Row::Mul(Box::new(Row::Sub(age(), Box::new(Row::Constant(-5)))), Box::new(Row::Constant(2)));
        assert_eq!(row.to_text(&names), "((r.age - (-5)) * 2)");
        let old = Condition::Compare(Order::AtLeast, *age(), Row::Constant(65));
        let not = Condition::Not(Box::new(old.clone())).and(Condition::Constant(true)).and(old);
        assert_eq!(not.to_text(&names), "(not (r.age >= 65) and r.age >= 65)");
    }
}
