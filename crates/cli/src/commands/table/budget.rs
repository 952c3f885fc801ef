//! `probity budget`: the ledger's history, what is left, and the owner's part: making, amending, verifying.

use std::path::PathBuf;

use probity_account::Effort;
use probity_exact::directed::cast_nearest;
use probity_exact::{Rational, parse_rational};
use probity_release::ledger::{Entry, Kind, Ledger, PATIENCE, accounted};
use probity_release::loss::Loss;
use probity_report::plot::{Axis, Colour, Mark, Plot, Series};
use probity_report::{Block, Document, Section};
use probity_verdict::decimal;
use serde_json::{Value, json};

use crate::commands::{account as accountant, policy};
use crate::failure::{Answer, Failure, Status};
use crate::progress::{during, saying};
use crate::{files, output};

/// Which ledger, and what to do with it.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// The ledger
    #[arg(long, value_name = "FILE", required = true)]
    ledger: Option<PathBuf>,
    /// The file, kept elsewhere, by which an older copy of the ledger is noticed
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Verify every entry, not only those since the last checkpoint
    #[arg(long)]
    verify: bool,
    /// How many entries are shown, the newest
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    entries: usize,
    /// Print the policy in force, as it was pinned
    #[arg(long)]
    policy_text: bool,
    /// Also give the epsilon of all releases together at this delta, by the accountant: information, the budget is kept by sums
    #[arg(long, value_name = "DELTA", value_parser = parse_rational, allow_negative_numbers = true)]
    delta: Option<Rational>,
    /// Write a page with the history and a plot
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a ledger for a policy, which it pins
    #[command(after_help = "Example: probity budget init --policy people.toml --ledger people.ledger")]
    Init(Pinned),
    /// Put another policy in force, with its budget; what was spent stays spent
    #[command(
        after_help = "Example: probity budget amend --policy people.toml --ledger people.ledger --note \"budget for 2027\""
    )]
    Amend(Pinned),
}

/// A policy to be pinned.
#[derive(clap::Args)]
struct Pinned {
    /// The policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The ledger
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// The file, kept elsewhere, by which an older copy of the ledger is noticed
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Why, for the history
    #[arg(long, default_value = "", hide_default_value = true)]
    note: String,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// Shows, makes or amends.
pub fn run(arguments: &Arguments) -> Answer {
    match &arguments.action {
        Some(Action::Init(pinned)) => {
            let policy = policy::read(&pinned.policy)?;
            let anchor = pinned.anchor.as_deref();
            let ledger = Ledger::init_noted(&pinned.ledger, &policy, anchor, false, PATIENCE, &pinned.note)?;
            done(pinned, &ledger, "made")
        }
        Some(Action::Amend(pinned)) => {
            let policy = policy::read(&pinned.policy)?;
            let mut ledger = Ledger::open(&pinned.ledger, pinned.anchor.as_deref(), PATIENCE)?;
            ledger.amend(&policy, &pinned.note)?;
            done(pinned, &ledger, "amended")
        }
        None => show(arguments),
    }
}

fn done(pinned: &Pinned, ledger: &Ledger, what: &str) -> Answer {
    let state = ledger.state();
    match pinned.json {
        true => output::json(&summary(ledger, &[], None, None))?,
        false => output::print(|out| {
            writeln!(out, "{what}: {} with policy {}…", files::shown(&pinned.ledger), &state.policy[..12])?;
            writeln!(out, "budget: {}, left: {}", state.total, state.remaining().at_least())
        })?,
    }
    Ok(Status::Done)
}

fn summary(ledger: &Ledger, entries: &[Entry], verified: Option<i64>, total: Option<&Total>) -> Value {
    let state = ledger.state();
    let entry = |entry: &Entry| {
        json!({
            "number": entry.number, "kind": entry.kind.name(), "time": entry.time,
            "cost": cost_to_json(entry), "spent": entry.spent.to_json(), "query": entry.query,
        })
    };
    let mut value = json!({
        "total": state.total.to_json(),
        "spent": state.spent.to_json(),
        "remaining": state.remaining().to_json(),
        "policy": state.policy,
        "count": state.number,
        "entries": entries.iter().map(entry).collect::<Vec<_>>(),
        "verified": verified,
    });
    if let Some((delta, answer)) = total {
        value["accounted"] = accountant::bracket_to_json(&answer.bracket);
        value["accounted"]["delta"] = delta.to_string().into();
    }
    value
}

/// What an entry adds to what is spent; what a settlement gives back has a minus sign.
fn cost_to_json(entry: &Entry) -> Value {
    let mut cost = entry.loss.to_json();
    if entry.kind == Kind::Settle {
        for amount in cost.as_object_mut().into_iter().flat_map(|object| object.values_mut()) {
            if let Some(text) = amount.as_str().filter(|text| *text != "0") {
                *amount = format!("-{text}").into();
            }
        }
    }
    cost
}

/// The same for people.
fn cost(entry: &Entry) -> String {
    match entry.kind {
        Kind::Settle if entry.loss == Loss::zero(entry.loss.measure) => String::new(),
        // Not more than it is.
        Kind::Settle => format!("{} given back", entry.loss.at_least()),
        Kind::Init | Kind::Release | Kind::Amend => entry.loss.at_most(),
    }
}

/// The accountant's total at a δ.
type Total = (Rational, probity_account::Answer);

fn show(arguments: &Arguments) -> Answer {
    let Some(path) = &arguments.ledger else {
        return Err(Failure::new("no ledger was named").hint("add --ledger FILE"));
    };
    if let Some(out) = &arguments.out {
        files::check_place(out)?;
    }
    let ledger = Ledger::open(path, arguments.anchor.as_deref(), PATIENCE)?;
    let state = ledger.state();
    if arguments.policy_text && !arguments.json {
        output::print(|out| write!(out, "{}", state.policy_text))?;
        return Ok(Status::Done);
    }
    let verified = match arguments.verify {
        true => Some(saying("verifying every entry", || ledger.verify())?),
        false => None,
    };
    let total = match &arguments.delta {
        None => None,
        Some(delta) => {
            let all = ledger.history(usize::MAX)?;
            let answer = during("composing", || accounted::epsilon_at(&all, delta, &Effort::default()));
            Some((delta.clone(), answer.map_err(Failure::new)?))
        }
    };
    let entries = ledger.history(arguments.entries)?;
    if let Some(out) = &arguments.out {
        files::write(out, page(&ledger, &path.display().to_string())?.to_html().as_bytes())?;
    }
    if arguments.json {
        let mut value = summary(&ledger, &entries, verified, total.as_ref());
        if arguments.policy_text {
            value["policy_text"] = state.policy_text.clone().into();
        }
        output::json(&value)?;
        return Ok(Status::Done);
    }
    let rows = entries.iter().map(|entry| {
        vec![entry.number.to_string(), entry.time.clone(), cost(entry), entry.spent.at_most(), about(entry)]
    });
    output::table(&["entry", "time", "cost", "spent", "query"], rows)?;
    output::print(|out| {
        if i64::try_from(entries.len()).is_ok_and(|shown| shown < state.number) {
            writeln!(
                out,
                "… the newest {} of {} entries; --entries shows more",
                entries.len(),
                state.number
            )?;
        }
        let (spent, left) = (state.spent.at_most(), state.remaining().at_least());
        writeln!(out, "\nspent: {spent}\nleft: {left} of {}", state.total)?;
        if let Some((delta, answer)) = &total {
            writeln!(
                out,
                "together at delta = {}: epsilon at most {}, had all queries been fixed beforehand",
                decimal::exact_or_nearest(delta),
                accountant::upper(&answer.bracket)
            )?;
        }
        if let Some(count) = verified {
            writeln!(out, "verified: {count} entries, every hash and every sum")?;
        }
        match &arguments.out {
            Some(page) => writeln!(out, "page: {}", files::shown(page)),
            None => Ok(()),
        }
    })?;
    Ok(Status::Done)
}

/// What was asked, or why a policy was pinned. A note on several lines would look like entries.
fn about(entry: &Entry) -> String {
    let said = output::one_line(&entry.query);
    match entry.kind {
        Kind::Release => said,
        Kind::Settle => format!("({said})"),
        Kind::Init if said.is_empty() => "(the policy is pinned)".into(),
        Kind::Init => format!("(the policy is pinned: {said})"),
        Kind::Amend if said.is_empty() => "(another policy is pinned)".into(),
        Kind::Amend => format!("(another policy is pinned: {said})"),
    }
}

/// Points of the plot, and rows of the page.
const MOST: usize = 2000;

fn page(ledger: &Ledger, name: &str) -> Result<Document, Failure> {
    let state = ledger.state();
    let entries = ledger.history(MOST)?;
    let double = |value: &Rational| cast_nearest(value);
    // What is spent stays as it is until the next debit, so that the line has steps.
    let mut points: Vec<(f64, f64)> = Vec::new();
    for entry in &entries {
        let at = entry.number as f64;
        points.extend(points.last().map(|(_, before)| (at, *before)));
        points.push((at, double(&entry.spent.amount)));
    }
    let total = double(&state.total.amount);
    let [first, last] =
        [entries.first(), entries.last()].map(|entry| entry.map_or(1.0, |entry| entry.number as f64));
    // The last step has a tread too.
    let end = last + 0.5;
    points.extend(points.last().map(|(_, spent)| (end, *spent)));
    let series = vec![
        Series { name: "spent".into(), colour: Colour::First, mark: Mark::Line, points },
        Series {
            name: "budget".into(),
            colour: Colour::Second,
            mark: Mark::Line,
            points: vec![(first, total), (end, total)],
        },
    ];
    let plot = Plot {
        title: "What was spent".into(),
        x: Axis::whole("entry"),
        y: Axis::linear(state.total.measure.name()),
        series,
    };
    let rows = entries
        .iter()
        .map(|entry| {
            vec![
                entry.number.to_string(),
                entry.time.clone(),
                cost(entry),
                entry.spent.at_most(),
                about(entry),
            ]
        })
        .collect();
    let heading = ["entry", "time", "cost", "spent", "query"].map(String::from).to_vec();
    Ok(Document {
        title: format!("Budget of {name}"),
        lead: vec![Block::Facts(vec![
            ("spent".into(), state.spent.at_most()),
            ("left".into(), state.remaining().at_least()),
            ("budget".into(), state.total.to_string()),
            ("policy".into(), state.policy.clone()),
        ])],
        sections: vec![
            Section {
                heading: "How it was spent".into(),
                blocks: vec![Block::Figure {
                    plot: Box::new(plot),
                    caption: "All debits up to each entry, and the budget of the policy in force.".into(),
                }],
            },
            Section { heading: "Entries".into(), blocks: vec![Block::Table { heading, rows }] },
        ],
    })
}
