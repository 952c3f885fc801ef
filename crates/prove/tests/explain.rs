//! The numbers of the case table against direct computation: every range of draws is walked through the
//! mechanism, every probability is computed a second way, and the symbols are evaluated.

use crate::formula;

use probity_exact::{Enclosure, Float, Format, Integer, Rational, ln_bounds, parse_rational, rational};
use probity_kernel::expr::Run;
use probity_prove::explain::{Case, LogRatio, Numbers, NumbersError, Row, Share, Table, Verdict, tabulate};

fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// The smallest power of two at or above 1/ε.
fn grid(rate: &Rational) -> Rational {
    let two = Rational::from(2);
    let mut grid = Rational::ONE;
    while &grid * rate >= two {
        grid /= &two;
    }
    while &grid * rate < Rational::ONE {
        grid *= &two;
    }
    grid
}

fn snapping(rate: &str, bound: &str, first: &str, second: &str) -> Numbers {
    let (rate, inputs) = (number(rate), (number(first), number(second)));
    let sensitivity = if inputs.0 < inputs.1 { &inputs.1 - &inputs.0 } else { &inputs.0 - &inputs.1 };
    let claim = &rate * &sensitivity;
    Numbers { grid: grid(&rate), bound: number(bound), sensitivity, claim, inputs, rate }
}

/// ε, B, f(a), f(a').
const INSTANCES: [(&str, &str, &str, &str); 20] = [
    ("1", "100", "0", "1"),
    ("1", "10", "0.3", "1.3"),
    ("1", "10", "-0.5", "0.5"),   // Ties, both to 0.
    ("1", "10", "0.5", "1.5"),    // Ties, to 0 and to 2.
    ("0.1", "100", "3.7", "4.7"), // Λ = 16, both round to 0.
    ("0.1", "100", "7.5", "8.5"), // Λ = 16, to 0 and to 16.
    ("0.1", "100", "8", "9"),     // A tie, and not.
    ("4", "3", "0", "1"),         // Λ = 1/4, three outcomes between.
    ("5", "3", "0.1", "1.1"),
    ("10", "2", "-0.9", "0.1"),  // Λ = 1/8.
    ("3", "2", "1/3", "4/3"),    // Λ = 1/2.
    ("1", "5/2", "0", "1"),      // B is no multiple of Λ.
    ("0.3", "11", "10.5", "11"), // Λ = 4, B = 11: both round past b = 8.
    ("0.3", "11", "-11", "-10"),
    ("0.3", "11", "-11", "-11"),  // The same input twice.
    ("0.3", "11", "9.5", "10.5"), // ⌊f(a)⌉ = 8 ≤ b < ⌊f(a')⌉ = 12.
    ("1", "10", "9", "10"),       // f(a') = B, a multiple of Λ.
    ("1", "10", "-10", "-9"),
    ("1/7", "1/2", "0", "1/2"), // Λ = 8 > B: only −B, 0 and B.
    ("2", "7", "4", "1"),       // In the other order, and more than 1 apart.
];

/// The mechanism on one w, exactly.
fn snap(w: &Rational, numbers: &Numbers) -> Rational {
    let doubled = w / &numbers.grid * Rational::from(2);
    let down = doubled.floor();
    let odd = |n: &Integer| n % Integer::from(2) != Integer::ZERO;
    let is_tie = odd(&down) && Rational::from(down.clone()) == doubled;
    let mut multiple = (&doubled / Rational::from(2) + rational(1, 2).unwrap()).floor();
    if is_tie && odd(&multiple) {
        multiple -= Integer::ONE;
    }
    let rounded = Rational::from(multiple) * &numbers.grid;
    rounded.clamp(-numbers.bound.clone(), numbers.bound.clone())
}

fn bounds(e: &Enclosure<Float>) -> (Rational, Rational) {
    (e.low().to_rational().unwrap(), e.high().to_rational().unwrap())
}

/// Draws inside the range lead to the outcome, draws outside do not.
fn walk_through(numbers: &Numbers, input: &Rational, row: &Row, share: &Share) {
    let lands = |u: &Rational, sign: i8| {
        let (low, high) = ln_bounds(u, 200).unwrap();
        let w = |ln: Rational| input + Rational::from(sign) * ln / &numbers.rate;
        let (one, other) = (snap(&w(low), numbers), snap(&w(high), numbers));
        assert_eq!(one, other, "u = {u} is too near to an edge");
        one
    };
    for sign in [1, -1] {
        let range = share.ranges.iter().find(|range| range.sign == sign);
        let Some(range) = range else {
            for u in ["1/1000000", "1/3", "0.7", "0.999999"] {
                assert_ne!(lands(&number(u), sign), row.outcome, "u = {u}, s = {sign}");
            }
            continue;
        };
        let ((low, low_up), (high_down, high)) = (bounds(&range.low.value), bounds(&range.high.value));
        assert!(high <= Rational::ONE && low >= Rational::ZERO);
        if low_up < high_down {
            for part in [1, 50, 99] {
                let u = &low_up + (&high_down - &low_up) * rational(part, 100).unwrap();
                assert_eq!(lands(&u, sign), row.outcome, "u = {u}, s = {sign}");
            }
            let near = rational(1, 1_000_000).unwrap();
            if low > Rational::ZERO {
                assert_ne!(lands(&(&low * (Rational::ONE - &near)), sign), row.outcome);
            }
            let above = &high * (Rational::ONE + &near);
            if above <= Rational::ONE {
                assert_ne!(lands(&above, sign), row.outcome);
            }
        }
        // An end that is exactly 1 is a draw of its own: w = f.
        for end in [&range.low, &range.high] {
            if end.value.contains(&Rational::ONE) && end.value.is_point() {
                assert_eq!(end.included, snap(input, numbers) == row.outcome);
            }
        }
    }
}

/// P(w < t), computed apart from the table.
fn below(t: &Rational, input: &Rational, rate: &Rational) -> Enclosure<Float> {
    let format = Format::wide(300);
    let half = Enclosure::around(&rational(1, 2).unwrap(), format);
    let power = |exponent: Rational| half.clone() * Enclosure::around(&exponent, format).exp();
    if t <= input {
        power((t - input) * rate)
    } else {
        Enclosure::around(&Rational::ONE, format) - power((input - t) * rate)
    }
}

fn check_share(numbers: &Numbers, table: &Table, input: &Rational, row: &Row, share: &Share) {
    let (low, high) = bounds(&share.probability);
    assert!(low > Rational::ZERO && low <= high);
    let wide = &high - &low;
    assert!(wide < rational(1, 1i64 << 60).unwrap(), "{wide}");
    // From the draws: half of the lengths of the ranges.
    let (mut least, mut most) = (Rational::ZERO, Rational::ZERO);
    for range in &share.ranges {
        let ((l0, l1), (h0, h1)) = (bounds(&range.low.value), bounds(&range.high.value));
        least += (h0 - l1) / Rational::from(2);
        most += (h1 - l0) / Rational::from(2);
    }
    assert!(least <= high && low <= most, "{} at {}", row.case.title(), row.outcome);
    // From the distribution function at the ends of the cell.
    let half = &numbers.grid / Rational::from(2);
    let start = if row.outcome == -numbers.bound.clone() {
        Enclosure::around(&Rational::ZERO, Format::wide(300))
    } else if row.outcome == numbers.bound {
        below(&(&table.last + &half), input, &numbers.rate)
    } else {
        below(&(&row.outcome - &half), input, &numbers.rate)
    };
    let end = if row.outcome == numbers.bound {
        Enclosure::around(&Rational::ONE, Format::wide(300))
    } else if row.outcome == -numbers.bound.clone() {
        below(&(-table.last.clone() - &half), input, &numbers.rate)
    } else {
        below(&(&row.outcome + &half), input, &numbers.rate)
    };
    let (d_low, d_high) = bounds(&(end - start));
    assert!(d_low <= high && low <= d_high, "{} at {}", row.case.title(), row.outcome);
}

#[test]
fn every_instance_agrees_with_direct_computation() {
    for (rate, bound, first, second) in INSTANCES {
        let numbers = snapping(rate, bound, first, second);
        let table = tabulate(&numbers).unwrap();
        let one = Rational::ONE;
        assert!(table.totals.0.contains(&one) && table.totals.1.contains(&one));
        assert!(table.rows.windows(2).all(|pair| pair[0].outcome < pair[1].outcome));
        assert_eq!(table.rows.first().unwrap().outcome, -numbers.bound.clone());
        assert_eq!(table.rows.last().unwrap().outcome, numbers.bound);
        assert!(table.last < numbers.bound && &table.last + &numbers.grid >= numbers.bound);
        for row in &table.rows {
            assert!(Case::ALL.contains(&row.case), "{:?}", row.case);
            for (input, share) in [(&table.inputs.0, &row.first), (&table.inputs.1, &row.second)] {
                walk_through(&numbers, input, row, share);
                check_share(&numbers, &table, input, row, share);
            }
            // Privacy, outcome by outcome.
            assert_eq!(row.verdict, Verdict::Within, "{} at {}", row.case.title(), row.outcome);
            let (low, high) = match &row.log_ratio {
                LogRatio::Exact(exact) => (exact.clone(), exact.clone()),
                LogRatio::Between(low, high) => (low.clone(), high.clone()),
            };
            let format = Format::wide(200);
            let ratio = Enclosure::around(&low, format).exp().hull(&Enclosure::around(&high, format).exp());
            let quotient = row.first.probability.checked_div(&row.second.probability).unwrap();
            assert!(ratio.intersection(&quotient).is_some(), "{} at {}", row.case.title(), row.outcome);
        }
    }
}

#[test]
fn every_case_occurs() {
    let mut seen: Vec<Case> = INSTANCES
        .iter()
        .flat_map(|(rate, bound, a, b)| tabulate(&snapping(rate, bound, a, b)).unwrap().rows)
        .map(|row| row.case)
        .collect();
    seen.sort();
    seen.dedup();
    let mut all = Case::ALL.to_vec();
    all.sort();
    assert_eq!(seen, all);
}

#[test]
fn a_claim_below_the_loss_is_exceeded() {
    // At −B the log-ratio is exactly κ = 1.
    let mut numbers = snapping("1", "10", "0.3", "1.3");
    numbers.claim = number("0.9999999999999999999999999999999999999999");
    let table = tabulate(&numbers).unwrap();
    assert_eq!(table.rows[0].log_ratio, LogRatio::Exact(Rational::ONE));
    assert_eq!(table.rows[0].verdict, Verdict::Exceeds);
    // A cell around an input: strictly below κ, and above a small claim.
    numbers.claim = number("0.1");
    let table = tabulate(&numbers).unwrap();
    let around = table.rows.iter().find(|row| row.outcome == Rational::ZERO).unwrap();
    assert!(matches!(&around.log_ratio, LogRatio::Between(low, high) if low < high));
    assert_eq!(around.verdict, Verdict::Exceeds);
}

/// The figures of the draft's Theorem 5, whose cases 0 and 1 it leaves empty: 2e^ε/(1 + e^(ε/2)) and its inverse.
#[test]
fn the_empty_cases_of_the_draft() {
    let table = tabulate(&snapping("1", "10", "0", "1")).unwrap();
    let at = |outcome: i64| {
        let row = table.rows.iter().find(|row| row.outcome == Rational::from(outcome)).unwrap();
        match &row.log_ratio {
            LogRatio::Between(low, high) => (low.clone(), high.clone()),
            LogRatio::Exact(exact) => (exact.clone(), exact.clone()),
        }
    };
    // ln(2e/(1 + √e)) = 0.71907…, by hand.
    let (low, high) = at(0);
    assert!(low > number("0.71907") && high < number("0.71908"), "{low} {high}");
    let (low, high) = at(1);
    assert!(low > number("-0.71908") && high < number("-0.71907"));
}

/// In the papers x = B means s = −1 and has the ratio e^(−ε). An input that rounds past b reaches B with both signs.
#[test]
fn an_input_at_the_bound_reaches_it_with_both_signs() {
    let table = tabulate(&snapping("1", "10", "9", "10")).unwrap();
    let top = table.rows.last().unwrap();
    assert_eq!(top.second.ranges.iter().map(|range| range.sign).collect::<Vec<_>>(), [1, -1]);
    assert!(bounds(&top.second.probability).0 > rational(1, 2).unwrap());
    // ln of (½e^(−1/2)) / (1 − ½e^(−1/2)) is about −0.832, not −1.
    assert!(matches!(&top.log_ratio, LogRatio::Between(low, _) if *low > number("-0.84")));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sound = snapping("1", "10", "0", "1");
    let zero = Numbers { grid: Rational::ZERO, ..sound.clone() };
    assert!(matches!(tabulate(&zero), Err(NumbersError::NotPositive { parameter: "the grid", .. })));
    let negative = Numbers { rate: -Rational::ONE, ..sound.clone() };
    assert!(matches!(tabulate(&negative), Err(NumbersError::NotPositive { parameter: "the rate", .. })));
    let far = Numbers { inputs: (Rational::ZERO, number("1.0000000001")), ..sound.clone() };
    assert!(matches!(tabulate(&far), Err(NumbersError::NotNeighbours { .. })));
    let many = Numbers { bound: number("1e30"), ..sound.clone() };
    assert!(matches!(tabulate(&many), Err(NumbersError::TooManyOutcomes { .. })));
    let steep = Numbers { rate: number("1e12"), claim: number("1e12"), ..sound };
    assert!(matches!(tabulate(&steep), Err(NumbersError::TooSmall { .. })));
}

/// The symbols say what the numbers say.
#[test]
fn the_formulas_evaluate_to_the_numbers() {
    for (rate, bound, first, second) in INSTANCES {
        let numbers = snapping(rate, bound, first, second);
        let table = tabulate(&numbers).unwrap();
        let real = |value: &Rational| probity_exact::directed::cast_nearest(value);
        for row in &table.rows {
            let mut known = formula::Values::new(&[
                ("ε", real(&numbers.rate)),
                ("Λ", real(&numbers.grid)),
                ("b", real(&table.last)),
                ("x", real(&row.outcome)),
                ("κ", real(&table.kappa)),
                ("f(a)", real(&table.inputs.0)),
                ("f(a')", real(&table.inputs.1)),
            ]);
            let near = |text: &str, value: f64, known: &mut formula::Values| {
                let found = known.evaluate(text);
                let error = (found - value).abs() / value.abs();
                assert!(
                    error < 1e-9,
                    "{text} is {found}, not {value}, in {} at {}",
                    row.case.title(),
                    row.outcome
                );
            };
            let middle = |e: &Enclosure<Float>| real(&bounds(e).0);
            for (run, share) in [(Run::First, &row.first), (Run::Second, &row.second)] {
                near(&row.case.probability(run), middle(&share.probability), &mut known);
                let symbols = row.case.ranges(run);
                assert_eq!(symbols.len(), share.ranges.len());
                for (symbol, range) in symbols.iter().zip(&share.ranges) {
                    assert_eq!(symbol.sign, range.sign);
                    for (end, value) in [(&symbol.low, &range.low), (&symbol.high, &range.high)] {
                        match middle(&value.value) {
                            0.0 => assert_eq!(end.value(), "0"),
                            value => near(&end.value(), value, &mut known),
                        }
                    }
                }
            }
            let (first, second) = (middle(&row.first.probability), middle(&row.second.probability));
            near(row.case.ratio(), first / second, &mut known);
        }
    }
}
