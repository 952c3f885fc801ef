//! The explanation as text.

use std::io::{self, Write};

use probity_exact::{Rational, Signed};
use probity_kernel::expr::Run;
use probity_verdict::decimal::{certain, enclosed, short};
use probity_verdict::snapping::{Case, LogRatio, NumberRange, Row, Share, Snapping, Table, Verdict};
use probity_verdict::{Explanation, Line, Vacuity};

use crate::failure::Failure;
use crate::output;

/// How many digits of a number are shown.
const DIGITS: usize = 7;

/// How many outcomes of a case are shown: the first and the last ones.
const SHOWN: usize = 4;

/// Prints the explanation.
pub fn print(explanation: &Explanation) -> Result<(), Failure> {
    output::print(|out| {
        derivation(out, explanation)?;
        if let Ok(snapping) = &explanation.snapping {
            legend(out, snapping)?;
            Case::ALL.iter().try_for_each(|case| symbols(out, case))?;
        }
        match &explanation.table {
            Some(table) => numbers(out, table, explanation),
            None => Ok(()),
        }
    })
}

fn derivation(out: &mut dyn Write, explanation: &Explanation) -> io::Result<()> {
    let program = &explanation.program;
    match &explanation.proof {
        Ok(proof) => {
            write!(out, "{}", proof.theorem())?;
            let axioms: Vec<&str> = proof.theorem().axioms().iter().copied().collect();
            writeln!(out, "axioms: {}\n\nderivation:", axioms.join(", "))?;
            let lines = explanation.derivation();
            let text = |line: &Line| "  ".repeat(line.depth) + &line.statement;
            let width = lines.iter().map(|line| text(line).chars().count()).max().unwrap_or(0).min(44);
            for line in &lines {
                writeln!(out, "{}", format!("  {:<width$}  {}", text(line), line.rule).trim_end())?;
            }
            if let Vacuity::Vacuous(why) = explanation.vacuity {
                writeln!(out, "vacuous: the theorem is true and about nothing: {why}")?;
            }
        }
        Err(failure) => {
            writeln!(out, "{}not proved: {}\n{failure}", program.mechanism, program.claim)?;
            if program.expect_refuted {
                writeln!(out, "(the file expects its claim to be refuted)")?;
            }
        }
    }
    Ok(())
}

fn legend(out: &mut dyn Write, snapping: &Snapping) -> io::Result<()> {
    let Snapping { input, rate, grid, bound, sensitivity } = snapping;
    writeln!(out, "\nall cases of the outcome x of clamp(⌊f(a) + s·ln(u)/ε⌉, −B, B):")?;
    writeln!(
        out,
        "  ε = {rate}, Λ = {grid}, B = {bound}, all positive; b is the largest multiple of Λ below B"
    )?;
    writeln!(
        out,
        "  u is uniform on (0, 1], s is −1 or +1; ⌊w⌉ is the multiple of Λ nearest to w, ties to even"
    )?;
    writeln!(out, "  f(a) ≤ f(a') are two inputs {input} at most {sensitivity} apart; κ = ε(f(a') − f(a))")?;
    writeln!(
        out,
        "  ⟨ and ⟩ stand at ties: the end belongs to the even one of the two multiples of Λ beside it"
    )?;
    writeln!(out, "  ratio is P under a / P under a'; none is outside [e^(−κ), e^κ], and κ ≤ ε·{sensitivity}")
}

fn symbols(out: &mut dyn Write, case: &Case) -> io::Result<()> {
    writeln!(out, "\ncase {}", case.title())?;
    for (name, run) in [("under a ", Run::First), ("under a'", Run::Second)] {
        let mut label = name;
        for range in case.ranges(run) {
            writeln!(out, "  {label}  s = {}  u ∈ {range}", sign(range.sign))?;
            label = "        ";
        }
        writeln!(out, "            P = {}", case.probability(run))?;
    }
    writeln!(out, "  ratio     {}", case.ratio())?;
    writeln!(out, "            {}", case.bound())?;
    match case.note() {
        Some(note) => writeln!(out, "  note      {note}"),
        None => Ok(()),
    }
}

fn numbers(out: &mut dyn Write, table: &Table, explanation: &Explanation) -> io::Result<()> {
    let claim = &explanation.program.claim.epsilon;
    let (first, second) = &table.inputs;
    writeln!(out, "\nin numbers (… : more digits follow; the ones shown are certain):")?;
    writeln!(out, "  f(a) = {}, f(a') = {}, b = {}", short(first), short(second), short(&table.last))?;
    writeln!(out, "  ⌊f(a)⌉ = {}, ⌊f(a')⌉ = {}", short(&table.rounded.0), short(&table.rounded.1))?;
    writeln!(out, "  κ = {}, claimed {claim}", short(&table.kappa))?;
    for group in table.rows.chunk_by(|a, b| a.case == b.case) {
        let Some(head) = group.first() else { continue };
        let count = match group.len() {
            1 => "1 outcome".to_owned(),
            n => format!("{n} outcomes"),
        };
        writeln!(out, "\ncase {} ({count})", head.case.title())?;
        let hidden = group.len().saturating_sub(SHOWN);
        let resume = if hidden > 0 { SHOWN / 2 + hidden } else { 0 };
        for (number, row) in group.iter().enumerate() {
            if hidden > 0 && number == SHOWN / 2 {
                writeln!(out, "  … {hidden} more")?;
            }
            if number < SHOWN / 2 || number >= resume {
                outcome(out, row)?;
            }
        }
    }
    summary(out, table)
}

fn outcome(out: &mut dyn Write, row: &Row) -> io::Result<()> {
    writeln!(out, "  x = {}", short(&row.outcome))?;
    for (name, share) in [("a ", &row.first), ("a'", &row.second)] {
        writeln!(out, "    {name}  P = {:<16} {}", enclosed(&share.probability, DIGITS), draws(share))?;
    }
    writeln!(out, "    ln(ratio) = {}, {}", log_ratio(&row.log_ratio), verdict(row.verdict))
}

fn draws(share: &Share) -> String {
    let range = |range: &NumberRange| {
        let open = if range.low.included { '[' } else { '(' };
        let close = if range.high.included { ']' } else { ')' };
        let (low, high) = (enclosed(&range.low.value, DIGITS), enclosed(&range.high.value, DIGITS));
        format!("s = {}, u ∈ {open}{low}, {high}{close}", sign(range.sign))
    };
    share.ranges.iter().map(range).collect::<Vec<_>>().join(" or ")
}

fn sign(value: i8) -> &'static str {
    if value < 0 { "−1" } else { "+1" }
}

fn log_ratio(value: &LogRatio) -> String {
    match value {
        LogRatio::Exact(exact) => short(exact),
        LogRatio::Between(low, high) => certain(low, high, DIGITS),
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Within => "within the claim",
        Verdict::Exceeds => "EXCEEDS THE CLAIM",
        Verdict::Open => "not decided",
    }
}

fn summary(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let total = |value: &probity_exact::Enclosure<probity_exact::Float>| match value.contains(&Rational::ONE)
    {
        true => "1 (within the enclosure)".to_owned(),
        false => enclosed(value, DIGITS),
    };
    writeln!(out, "\nall {} outcomes:", table.rows.len())?;
    writeln!(out, "  total under a:  {}", total(&table.totals.0))?;
    writeln!(out, "  total under a': {}", total(&table.totals.1))?;
    // The size of a log-ratio, at most.
    let size = |row: &Row| match &row.log_ratio {
        LogRatio::Exact(exact) => magnitude(exact),
        LogRatio::Between(low, high) => magnitude(low).max(magnitude(high)),
    };
    if let Some(worst) = table.rows.iter().max_by_key(|row| size(row)) {
        let at = short(&worst.outcome);
        writeln!(out, "  largest |ln(ratio)|: {}, at x = {at}", short(&size(worst)))?;
    }
    let count = |wanted| table.rows.iter().filter(|row| row.verdict == wanted).count();
    match (count(Verdict::Exceeds), count(Verdict::Open)) {
        (0, 0) => writeln!(out, "  every ratio is within the claim"),
        (0, open) => writeln!(out, "  not decided for {open} outcomes"),
        (beyond, _) => writeln!(out, "  {beyond} outcomes exceed the claim"),
    }
}

fn magnitude(value: &Rational) -> Rational {
    if value.is_negative() { -value.clone() } else { value.clone() }
}
