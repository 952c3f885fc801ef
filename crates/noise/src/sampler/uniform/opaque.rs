//! Choosing one of two numbers without a jump.
//!
//! Processors guess where a jump goes, and a wrong guess takes tens of cycles: enough to tell a secret condition to whoever has a clock.
//! Written as a mask, a choice has no jump; but compilers see through masks and put the jump back where they think it pays. So the condition
//! passes through [`black_box`], after which nobody knows what it was computed from. That is a hint and no promise of the compiler's;
//! `examples/timing` looks at what comes of it.

use std::hint::black_box;

/// The condition, as a value that nothing is known about.
#[inline(always)]
pub(crate) fn opaque(condition: bool) -> bool {
    black_box(condition)
}

/// `then` where the condition holds, else `otherwise`.
#[inline(always)]
pub(crate) fn select(condition: bool, then: u64, otherwise: u64) -> u64 {
    let mask = u64::from(black_box(condition)).wrapping_neg();
    otherwise ^ ((otherwise ^ then) & mask)
}

/// [`select`] for signed numbers.
#[inline(always)]
pub(crate) fn select_signed(condition: bool, then: i64, otherwise: i64) -> i64 {
    select(condition, then as u64, otherwise as u64) as i64
}

/// The largest of some numbers; the least there is when there are none.
pub(crate) fn largest(numbers: &[i64]) -> i64 {
    numbers.iter().fold(i64::MIN, |largest, &number| select_signed(number > largest, number, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_chooses() {
        assert_eq!((select(true, 3, 9), select(false, 3, 9)), (3, 9));
        assert_eq!((select_signed(true, -3, 9), select_signed(false, 3, i64::MIN)), (-3, i64::MIN));
        assert_eq!((largest(&[-5, 7, i64::MIN, 3]), largest(&[])), (7, i64::MIN));
        assert!(opaque(true) && !opaque(false));
    }
}
