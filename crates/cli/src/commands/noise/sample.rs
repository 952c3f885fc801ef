//! `probity sample`: noise, or a mechanism's noisy answers, one value a line.

use std::io::{self, Write};

use probity_noise::catalogue::{CatalogueError, Entry, write_samples};
use serde_json::{Value, json};

use crate::commands::named::{Named, Offer, refused};
use crate::failure::{Answer, Failure, Status};
use crate::progress::Progress;
use crate::{given, output};

/// What has values to draw.
pub struct Samples;

impl Offer for Samples {
    fn offers(entry: &Entry) -> bool {
        entry.has_samples
    }
    const NEEDS_ALL: bool = true;
}

/// What to draw, and how often.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    named: Named<Samples>,
    /// How many values
    #[arg(long, short = 'n', default_value_t = 1, global = true, value_parser = given::count)]
    #[arg(allow_negative_numbers = true)]
    count: u64,
    /// Answer in JSON, when all values are drawn
    #[arg(long, global = true)]
    json: bool,
}

/// Draws and prints.
pub fn run(arguments: &Arguments) -> Answer {
    let Named { name, pairs, .. } = &arguments.named;
    let given = &arguments.named.read()?;
    let mut failed = None;
    // A terminal shows the values themselves.
    let progress = (!io::IsTerminal::is_terminal(&io::stdout())).then(Progress::new);
    let mut draw = |out: &mut dyn Write| {
        let mut out = Counted { out, lines: 0, all: arguments.count, progress: progress.as_ref() };
        match write_samples(name, given, arguments.count, &mut out) {
            Ok(()) => Ok(()),
            Err(CatalogueError::Output(error)) => Err(error),
            Err(error) => {
                failed = Some(error);
                Ok(())
            }
        }
    };
    if !arguments.json {
        output::print(draw)?;
        return failed.map_or(Ok(Status::Done), |error| Err(refused(error)));
    }
    // In memory first: half an answer would be no JSON.
    let mut lines = Vec::new();
    draw(&mut lines).map_err(Failure::new)?;
    drop(progress);
    if let Some(error) = failed {
        return Err(refused(error));
    }
    let text = String::from_utf8_lossy(&lines);
    let parameters: serde_json::Map<String, Value> =
        pairs.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    output::json(&json!({
        "mechanism": name,
        "parameters": parameters,
        "count": arguments.count,
        "values": text.lines().map(to_json).collect::<Vec<_>>(),
    }))?;
    Ok(Status::Done)
}

/// Integers up to this size are the same number in every reader of JSON.
const LARGEST: i64 = 1 << 53;

/// A value as JSON: a truth value, a number, or the text of an integer beyond 2^53.
fn to_json(line: &str) -> Value {
    match (line.parse::<bool>(), line.parse::<i64>(), line.parse::<f64>()) {
        (Ok(truth), ..) => truth.into(),
        (_, Ok(number), _) if (-LARGEST..=LARGEST).contains(&number) => number.into(),
        (_, _, Ok(double)) if line.contains(['.', 'e']) => double.into(),
        _ => line.into(),
    }
}

/// Counts the lines that go through.
struct Counted<'a> {
    out: &'a mut dyn Write,
    lines: u64,
    all: u64,
    progress: Option<&'a Progress>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.lines += bytes[..written].iter().filter(|byte| **byte == b'\n').count() as u64;
        if let Some(progress) = self.progress
            && self.lines.is_multiple_of(1 << 16)
            && bytes.ends_with(b"\n")
        {
            progress.step(self.lines as usize, self.all as usize, || "values".into());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reader_of_json_loses_a_digit() {
        assert_eq!(to_json("true"), json!(true));
        assert_eq!(to_json("-7"), json!(-7));
        assert_eq!(to_json("9007199254740992"), json!(9007199254740992i64));
        assert_eq!(to_json("9007199254740993"), json!("9007199254740993"));
        assert_eq!(to_json("-100000000000000000000000"), json!("-100000000000000000000000"));
        assert_eq!(to_json("0.1"), json!(0.1));
    }
}
