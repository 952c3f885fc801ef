//! The fast f64 operations against the software format, bit for bit, on more than 10^6 random and edge cases.

use std::cmp::Ordering;

use num_bigint::BigInt;
use probity_exact::{Float, Format, Round, directed::*, rational_from_f64};

struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

const EDGES: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    0.1,
    f64::EPSILON,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::from_bits(1),
    f64::from_bits((1 << 52) - 1),
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-290,
    1e-300,
    1e300,
    3.3e-308,
    709.7827,
    -745.2,
    4503599627370497.5,
    -9007199254740993.0,
];

fn same(got: f64, exact: &Float, what: &str) {
    let exact = exact.to_f64().unwrap();
    assert!(
        got.to_bits() == exact.to_bits() || (got.is_nan() && exact.is_nan()),
        "{what}: {got:e} is not {exact:e}"
    );
}

type Fast = fn(f64, f64) -> f64;
type Slow = fn(&Format, &Float, &Float, Round) -> Float;

fn check(a: f64, b: f64) {
    let f = Format::BINARY64;
    let (x, y) = (Float::from_f64(a), Float::from_f64(b));
    let operations: [(&str, Fast, Fast, Slow); 4] = [
        ("+", add_up, add_down, Format::add),
        ("-", sub_up, sub_down, Format::sub),
        ("*", mul_up, mul_down, Format::mul),
        ("/", div_up, div_down, Format::div),
    ];
    for (name, up, down, slow) in operations {
        same(up(a, b), &slow(&f, &x, &y, Round::Up), &format!("{a:e} {name} {b:e} up"));
        same(down(a, b), &slow(&f, &x, &y, Round::Down), &format!("{a:e} {name} {b:e} down"));
    }
    same(sqrt_up(a), &f.sqrt(&x, Round::Up), &format!("sqrt {a:e} up"));
    same(sqrt_down(a), &f.sqrt(&x, Round::Down), &format!("sqrt {a:e} down"));
}

#[test]
fn edges_with_edges() {
    for a in EDGES {
        for b in EDGES {
            check(a, b);
        }
        let x = Float::from_f64(a);
        let f = Format::BINARY64;
        same(ln_up(a), &f.ln(&x, Round::Up), &format!("ln {a:e} up"));
        same(ln_down(a), &f.ln(&x, Round::Down), &format!("ln {a:e} down"));
        same(ln_nearest(a), &f.ln(&x, Round::NearestEven), &format!("ln {a:e}"));
        same(exp_up(a), &f.exp(&x, Round::Up), &format!("exp {a:e} up"));
        same(exp_down(a), &f.exp(&x, Round::Down), &format!("exp {a:e} down"));
        same(exp_nearest(a), &f.exp(&x, Round::NearestEven), &format!("exp {a:e}"));
    }
}

#[test]
fn a_million_random_operations() {
    let mut stream = Stream(2026);
    for i in 0..100_000 {
        let (a, raw) = (f64::from_bits(stream.next()), stream.next());
        let b = match i % 4 {
            // Any pattern; an exponent near a's, so that sums cancel and round; one that brings products and
            // quotients to the ends of the range; a few low bits, so that results are exact or nearly so.
            0 => f64::from_bits(raw),
            1 => {
                let exponent =
                    ((a.to_bits() >> 52) & 0x7ff).wrapping_add(raw % 110).wrapping_sub(55).min(2046);
                f64::from_bits((raw & !(0x7ff << 52)) | (exponent << 52))
            }
            2 => {
                let other = 2046 - ((a.to_bits() >> 52) & 0x7ff).min(2046);
                f64::from_bits((raw & !(0x7ff << 52)) | (other << 52)) * 2f64.powi((raw % 120) as i32 - 60)
            }
            _ => (raw % 17) as f64 - 8.0,
        };
        check(a, b);
    }
}

#[test]
fn casts_are_the_tightest() {
    let mut stream = Stream(7);
    for i in 0..20_000u64 {
        let n = stream.next() >> (i % 60);
        let d = (stream.next() >> ((i / 60) % 60)).max(1);
        let mut x = probity_exact::rational(n, d).unwrap();
        if i % 3 == 0 {
            x = -x;
        }
        if i % 7 == 0 {
            // Down to and below the subnormals.
            x *= rational_from_f64(f64::MIN_POSITIVE).unwrap();
        }
        let f = Format::BINARY64;
        same(cast_up(&x), &f.round(&x, Round::Up), "up");
        same(cast_down(&x), &f.round(&x, Round::Down), "down");
        same(cast_nearest(&x), &f.round(&x, Round::NearestEven), "nearest");
        assert!(rational_from_f64(cast_up(&x)).is_none_or(|v| v >= x));
        assert!(rational_from_f64(cast_down(&x)).is_none_or(|v| v <= x));
    }
}

/// x·2^1074, from the bits of a finite double.
fn whole(x: f64) -> BigInt {
    let bits = x.abs().to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let magnitude = match field {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | (1 << 52)) << (field - 1),
    };
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// Whether `up` is the least double, or infinity, that is not below a number, and `down` the greatest that is not above it.
/// `side(x)` says on which side of the number x lies.
fn tightest(up: f64, down: f64, side: impl Fn(f64) -> Ordering) -> bool {
    let above = up == f64::INFINITY || (up.is_finite() && side(up) != Ordering::Less);
    let below = down == f64::NEG_INFINITY || (down.is_finite() && side(down) != Ordering::Greater);
    let (under, over) = (up.next_down(), down.next_up());
    // No double lies between the number and either end. Beyond the largest double, the end on this side is that double.
    let nothing_under = under == f64::NEG_INFINITY || side(under) == Ordering::Less;
    let nothing_over = over == f64::INFINITY || side(over) == Ordering::Greater;
    above && below && nothing_under && nothing_over
}

/// Where the fast ways end and the software format takes over, by definition and in integers of another library: no format,
/// no rounding and no rational number of ours takes part.
#[test]
fn ends_of_the_fast_ways_are_the_tightest() {
    let power = |exponent: i64| f64::from_bits(((1023 + exponent) as u64) << 52);
    let subnormal = f64::from_bits;
    let around = |x: f64| [x.next_down(), x, x.next_up()];
    let mut values = vec![subnormal(1), subnormal(2), subnormal(3), subnormal((1 << 51) + 1), f64::MAX];
    for edge in [-1022, -1021, -961, -960, -959, -907, -60, 0, 52, 53, 54, 61, 62, 969, 1020, 1021, 1022] {
        values.extend(around(power(edge)));
    }
    values.extend([
        3.0,
        1.0 / 3.0,
        0.1,
        f64::MAX.next_down(),
        power(1023),
        3.0 * power(-500),
        7.0 / 3.0 * power(500),
    ]);
    let unit: BigInt = BigInt::from(1) << 1074;
    let mut tried = 0;
    for a in values.iter().flat_map(|x| [*x, -*x]) {
        let x = whole(a);
        for b in values.iter().flat_map(|x| [*x, -*x]) {
            let y = whole(b);
            let (sum, difference, product, scaled) = (&x + &y, &x - &y, &x * &y, &x * &unit);
            let of_quotient = |r: f64| {
                let order = (whole(r) * &y).cmp(&scaled);
                if b < 0.0 { order.reverse() } else { order }
            };
            assert!(tightest(add_up(a, b), add_down(a, b), |r| whole(r).cmp(&sum)), "{a:e} + {b:e}");
            assert!(tightest(sub_up(a, b), sub_down(a, b), |r| whole(r).cmp(&difference)), "{a:e} - {b:e}");
            assert!(
                tightest(mul_up(a, b), mul_down(a, b), |r| (whole(r) * &unit).cmp(&product)),
                "{a:e} * {b:e}"
            );
            assert!(tightest(div_up(a, b), div_down(a, b), of_quotient), "{a:e} / {b:e}");
            tried += 1;
        }
        if a > 0.0 {
            let of_root =
                |r: f64| if r < 0.0 { Ordering::Less } else { (whole(r) * whole(r)).cmp(&(&x * &unit)) };
            assert!(tightest(sqrt_up(a), sqrt_down(a), of_root), "root of {a:e}");
        }
    }
    assert!(tried > 15_000, "{tried}");
    // One step off on either side is not the tightest.
    assert!(!tightest(0.5f64.next_up(), 0.5, |r| r.total_cmp(&0.5)));
    assert!(!tightest(0.5, 0.5f64.next_down(), |r| r.total_cmp(&0.5)));
    assert!(!tightest(f64::INFINITY, 0.5, |r| r.total_cmp(&0.5)));
}
