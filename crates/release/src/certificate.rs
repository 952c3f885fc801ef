//! The certificate of a release: what the theorem is about, in the owner's words, and the proof that the kernel replays.
//!
//! A text of one entry a line. Nothing in it is believed: [`check`] loads the mechanism's text, sets the loss, and replays the proof,
//! which must be about that very mechanism and claim. It holds nothing about the data.

use std::path::Path;

use probity_exact::parse_rational;
use probity_kernel::privacy::Theorem;

use crate::computed;
use crate::loss::Measure;
use crate::mechanism;
use crate::place;
use crate::policy::{Policy, Unit};
use crate::prepare::Prepared;
use crate::proof::{self, Stake};
use crate::refusal::{Answer, Refusal};

/// The first line of the file.
const FORMAT: &str = "probity-release 1";

/// Whether a certificate may be written at a place, asked before anything is paid: its folder is there, and a file of another kind is not
/// replaced, which may be the ledger or the table.
pub fn check_place(path: &Path) -> Answer<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(Refusal::input(format!("there is no folder {}", folder.display()))
            .hint("make it first, or name a file in another one"));
    }
    if path.is_dir() {
        return Err(Refusal::input(format!("{} is a folder", path.display())).hint("name a file in it"));
    }
    let cannot = |error| Refusal::input(format!("cannot read {}: {error}", path.display()));
    match place::may_replace(path, FORMAT.as_bytes()).map_err(cannot)? {
        true => Ok(()),
        false => {
            Err(Refusal::input(format!("{} is there already, and is another kind of file", path.display()))
                .hint("name another file, or remove that one first"))
        }
    }
}

/// What a theorem about a table takes for granted, by name. Each has its proof in `docs/proofs`.
pub fn assumptions(prepared: &Prepared) -> Vec<String> {
    let plan = &prepared.plan;
    // What the language cannot call by its name has another in the text.
    let (table, names) = mechanism::table_and_fields(plan);
    let called = |name: &str, in_text: &str| match name == in_text {
        true => name.to_owned(),
        false => format!("{name}, which is {in_text} in the text"),
    };
    let columns: Vec<String> = plan
        .fields
        .iter()
        .zip(&names)
        .map(|(field, name)| format!("{} ({})", called(&field.name, name), plan.table.cleaning(field)))
        .collect();
    let mut all = vec![format!(
        "cleaning: each record of {} is mapped by itself, before anything is counted: {}",
        called(&plan.table.name, &table),
        if columns.is_empty() { "no column is read".to_owned() } else { columns.join("; ") }
    )];
    for (value, name) in computed::values(plan).iter().zip(names.iter().skip(plan.fields.len())) {
        all.push(format!("computed: {name} is computed from each row by itself: {}", value.to_text(&names)));
    }
    for (name, hash) in &plan.public {
        let columns: Vec<String> = plan
            .joined
            .iter()
            .enumerate()
            .filter(|(_, joined)| joined.table == *name)
            .map(|(place, joined)| format!("joined_{} is its {}", place + 1, joined.column.name))
            .collect();
        all.push(format!(
            "public-join: each row of {} is joined by itself with the one row of the public table {name} that has its key, or dropped; {}\
             SHA-256 of the table {hash}",
            plan.table.name,
            columns.iter().map(|column| format!("{column}; ")).collect::<String>()
        ));
    }
    if let (Some(field), Some(threshold)) = (plan.discovered(), &prepared.threshold) {
        all.push(format!(
            "keys: each text that {} can have after cleaning is a category of its own, of which there are `keys`; keys without rows, and \
             those with a noisy count below {threshold}, do not appear",
            plan.fields[field].name
        ));
    }
    if let Unit::User { column, groups, rows_per_group } = &plan.table.unit {
        all.push(format!(
            "user-bounds: of the rows with one {column}, at most {groups} groups and {rows_per_group} rows in each are kept, chosen by \
             the rows' content"
        ));
    }
    all
}

/// The text of a certificate.
pub fn write(prepared: &Prepared, policy: &Policy, version: &str, proof: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!(
        "{FORMAT}\npolicy {}\nquery {}\ndata-version {}\nbudget {}\n",
        policy.hash(),
        quoted(&prepared.plan.sql),
        quoted(version),
        prepared.cost
    );
    for assumption in assumptions(prepared) {
        text.push_str(&format!("assumption {}\n", quoted(&assumption)));
    }
    for (name, value) in prepared.parameters.iter().skip(prepared.stake.parameters().len()) {
        text.push_str(&format!("parameter {name}={value}\n"));
    }
    if !prepared.stake.delta.is_zero() {
        text.push_str(&format!("delta {}\n", prepared.stake.delta));
    }
    text.push_str(&format!(
        "{} {}\nmechanism {}\nproof\n{proof}",
        prepared.stake.name(),
        prepared.stake.amount,
        quoted(&prepared.text)
    ));
    text
}

/// What a certificate says, after its proof was replayed.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The theorem.
    pub theorem: Theorem,
    /// Of the lines before the mechanism, those that were checked: budget and parameters, and with a policy also that policy, the query
    /// and the assumptions.
    pub about: Vec<(String, String)>,
    /// Those that are only stated. Which data it was nobody but who released it can say.
    pub stated: Vec<(String, String)>,
    /// The mechanism's text.
    pub text: String,
    /// The loss.
    pub stake: Stake,
}

/// Whether a text is the certificate of a release, by its first line.
pub fn is_release(text: &str) -> bool {
    text.lines().next() == Some(FORMAT)
}

/// The loss that a certificate of a release states, of which nothing is checked: what a ledger has stored was proved before it was.
pub fn stated(text: &str) -> Option<Stake> {
    let (head, _) = text.split_once("\nproof\n").filter(|_| is_release(text))?;
    let find = |name: &str| {
        head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(parse_rational)
    };
    let (amount, concentrated) = match find("epsilon") {
        Some(amount) => (amount, false),
        None => (find("rho")?, true),
    };
    let delta = find("delta").transpose().ok()?.unwrap_or_default();
    Some(Stake { delta, ..Stake::without_delta(concentrated, amount.ok()?) })
}

/// Replays a certificate. With a policy, it must be the one that the certificate names, and the query must make the very same mechanism
/// by it.
///
/// # Errors
/// When anything does not hold.
pub fn check(text: &str, policy: Option<&Policy>) -> Answer<Checked> {
    let (head, proof) =
        text.split_once("\nproof\n").ok_or_else(|| Refusal::unproved("the certificate has no proof"))?;
    let mut lines = head.lines();
    if lines.next() != Some(FORMAT) {
        return Err(Refusal::unproved(format!(
            "this is no certificate of a release: its first line is not '{FORMAT}'"
        )));
    }
    let (mut about, mut mechanism, mut stake, mut delta) = (Vec::new(), None, None, None);
    for line in lines {
        let wrong = || {
            Refusal::unproved(format!(
                "the line '{}' cannot be read",
                line.chars().take(40).collect::<String>()
            ))
        };
        let (name, value) = line.split_once(' ').ok_or_else(wrong)?;
        let value = match value.starts_with('"') {
            true => serde_json::from_str::<String>(value).map_err(|_| wrong())?,
            false => value.to_owned(),
        };
        match name {
            "mechanism" if mechanism.is_none() => mechanism = Some(value),
            "epsilon" | "rho" if stake.is_none() => {
                let amount = parse_rational(&value).map_err(|_| wrong())?;
                stake = Some(Stake::without_delta(name == "rho", amount));
            }
            "delta" if delta.is_none() => delta = Some(parse_rational(&value).map_err(|_| wrong())?),
            "policy" | "query" | "data-version" | "budget" | "assumption" | "parameter" => {
                about.push((name.to_owned(), value))
            }
            _ => return Err(wrong()),
        }
    }
    let (Some(text), Some(mut stake)) = (mechanism, stake) else {
        return Err(Refusal::unproved("the certificate names no mechanism or no loss"));
    };
    stake.delta = delta.unwrap_or_default();
    check_once(&about)?;
    let costs = [Measure::Epsilon, Measure::EpsilonDelta, Measure::Rho].map(|measure| stake.cost(measure));
    let budget = about.iter().find(|(name, _)| name == "budget").map(|(_, value)| value);
    if !costs.into_iter().flatten().any(|cost| Some(&cost.to_string()) == budget) {
        return Err(Refusal::unproved("the budget of the certificate is not what its theorem claims"));
    }
    if let Some(policy) = policy {
        check_policy(policy, &about, &text, &stake)?;
    }
    let mut all = stake.parameters();
    for (_, value) in about.iter().filter(|(name, _)| name == "parameter") {
        let read = value
            .split_once('=')
            .and_then(|(name, value)| Some((name.to_owned(), parse_rational(value).ok()?)));
        all.push(read.ok_or_else(|| Refusal::unproved(format!("the parameter '{value}' cannot be read")))?);
    }
    // The stated parameters must be admitted; the theorem then holds for them, as for all others.
    proof::program(&text, &all)?;
    let program = proof::program(&text, &stake.parameters())?;
    let theorem = proof::replay(proof, &program)?;
    let is_checked = |name: &str| match name {
        "budget" | "parameter" => true,
        "data-version" => false,
        _ => policy.is_some(),
    };
    let (about, mut stated): (Vec<_>, Vec<_>) = about.into_iter().partition(|(name, _)| is_checked(name));
    stated.retain(|(_, value)| !value.is_empty());
    Ok(Checked { theorem, about, stated, text, stake })
}

/// What a reader is shown must be what is checked: every entry stands once, and of parameters each.
fn check_once(about: &[(String, String)]) -> Answer<()> {
    for name in ["policy", "query", "data-version", "budget"] {
        if about.iter().filter(|(known, _)| known == name).count() != 1 {
            return Err(Refusal::unproved(format!("the certificate has no line '{name}', or more than one")));
        }
    }
    let parameters: Vec<&str> = about
        .iter()
        .filter(|(name, _)| name == "parameter")
        .map(|(_, value)| value.split_once('=').map_or(value.as_str(), |(name, _)| name))
        .collect();
    let twice = |place: usize| parameters[..place].contains(&parameters[place]);
    match (0..parameters.len()).find(|place| twice(*place)) {
        None => Ok(()),
        Some(place) => Err(Refusal::unproved(format!("the parameter {} is stated twice", parameters[place]))),
    }
}

/// Whether the policy is the named one, and the query makes this mechanism, at this cost and with these assumptions.
fn check_policy(policy: &Policy, about: &[(String, String)], text: &str, stake: &Stake) -> Answer<()> {
    is_of_policy(policy, about, text, stake).map_err(|refusal| match policy.public.is_empty() {
        true => refusal,
        false => refusal.hint("the rows of its public tables are a part of what is checked: --data NAME=FILE gives those of that time"),
    })
}

fn is_of_policy(policy: &Policy, about: &[(String, String)], text: &str, stake: &Stake) -> Answer<()> {
    let find = |name: &str| about.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    if find("policy") != Some(policy.hash().as_str()) {
        return Err(Refusal::unproved("the certificate is about another policy"));
    }
    let plan = crate::query::plan(find("query").unwrap_or_default(), policy)?;
    let prepared = crate::prepare::at_stake(policy, plan, stake, text)?;
    let all = |kind: &str| {
        about.iter().filter(|(name, _)| name == kind).map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let parameters: Vec<String> = prepared
        .parameters
        .iter()
        .skip(stake.parameters().len())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let same = all("assumption") == assumptions(&prepared) && all("parameter") == parameters;
    match find("budget") == Some(prepared.cost.to_string().as_str()) && same {
        true => Ok(()),
        false => Err(Refusal::unproved(
            "the certificate states another budget or other assumptions than its query has",
        )),
    }
}
