//! A release, step by step: prepare, prove, check the budget, compute exactly, draw, store the debit with the answer, and only then show.
//!
//! There is no way around the proof: [`Proven`] is made by [`prove`] alone, and nothing else can be drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use probity_exact::{Integer, Rational};
use probity_noise::entropy::{Entropy, Secure, with_secure};
use probity_noise::sampler::{DiscreteGaussian, DiscreteLaplace, SampleError, Sampler, Scale, SquaredScale};
use serde_json::Value;

use crate::certificate;
use crate::discover;
use crate::engine::{Engine, Exact, cannot_find_keys};
use crate::ledger::{Debit, Entry, Ledger};
use crate::loss::Loss;
use crate::policy::Policy;
use crate::prepare::Prepared;
use crate::proof::{self, Proved};
use crate::refusal::{Answer, Refusal};

/// A query with its theorem.
#[derive(Debug, Clone)]
pub struct Proven {
    prepared: Prepared,
    proved: Proved,
}

impl Proven {
    /// What was proved.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// The theorem, as the kernel prints it.
    pub fn theorem(&self) -> String {
        self.proved.theorem.to_string()
    }

    /// The kernel's certificate.
    pub fn certificate(&self) -> &str {
        &self.proved.certificate
    }

    /// The axioms that the theorem rests on.
    pub fn axioms(&self) -> Vec<String> {
        self.proved.theorem.axioms().iter().map(ToString::to_string).collect()
    }
}

/// Proves a query private, or replays the certificate that the ledger keeps of the same mechanism.
///
/// # Errors
/// When no proof is found.
pub fn prove(prepared: Prepared, ledger: Option<&Ledger>) -> Answer<Proven> {
    let name = prepared.certificate_name();
    let kept = ledger.and_then(|ledger| ledger.kept_certificate(&name));
    let proved = proof::prove(&prepared.text, &prepared.stake, kept.as_deref())?;
    // The theorem holds for all values of the parameters that are still open; with these it speaks of the noise that will be drawn.
    prepared.check_scales(&proof::program(&prepared.text, &prepared.parameters)?.mechanism)?;
    // The debit is what the theorem claims.
    if proved.stake.cost(prepared.cost.measure).as_ref() != Some(&prepared.cost) {
        return Err(Refusal::unproved(
            "the theorem claims another loss than would be debited; please report it",
        ));
    }
    if let Some(ledger) = ledger
        && kept.as_deref() != Some(&proved.certificate)
    {
        ledger.keep_certificate(&name, &proved.certificate);
    }
    Ok(Proven { prepared, proved })
}

/// A released answer: stored in the ledger, and free to be shown.
#[derive(Debug, Clone)]
pub struct Released {
    /// The query.
    pub prepared: Prepared,
    /// The keys that are shown, in order, if they were discovered; none if they are public.
    pub keys: Vec<String>,
    /// For each group the noisy integers of each draw, in the draw's units.
    pub noisy: Vec<Vec<Integer>>,
    /// What it cost, now or when it was first asked.
    pub cost: Loss,
    /// Whether it was stored before: then it costs nothing now.
    pub stored: bool,
    /// Which entry of the ledger it is.
    pub entry: i64,
    /// The certificate's text.
    pub certificate: String,
    /// The theorem.
    pub theorem: String,
}

/// Exact sums with noise, of the laws that were proved.
fn draw(
    prepared: &Prepared,
    exact: &Exact,
    entropy: &mut (impl Entropy + ?Sized),
) -> Result<Vec<Vec<Integer>>, SampleError> {
    let groups = prepared.plan.groups();
    let mut noisy: Vec<Vec<Integer>> = exact
        .sums
        .chunks(exact.cells)
        .map(|sums| sums.iter().map(|sum| Integer::from(*sum)).collect())
        .collect();
    let mut first = 0;
    for (draw, scale) in prepared.plan.draws.iter().zip(&prepared.scales) {
        let cells = draw.cells();
        let noise = match prepared.stake.concentrated {
            false => Scale::new(scale.clone())
                .and_then(DiscreteLaplace::<Integer>::new)
                .map(|sampler| sampler.sample_vec(groups * cells, entropy)),
            true => SquaredScale::new(scale * scale)
                .and_then(DiscreteGaussian::<Integer>::new)
                .map(|sampler| sampler.sample_vec(groups * cells, entropy)),
        };
        let noise = noise.map_err(|_| SampleError::DoesNotFit)??;
        for (group, noise) in noisy.iter_mut().zip(noise.chunks(cells)) {
            group[first..first + cells].iter_mut().zip(noise).for_each(|(value, noise)| *value += noise);
        }
        first += cells;
    }
    Ok(noisy)
}

/// What leaves: the keys, where they were discovered, and the noisy integers of each group.
type Shown = (Vec<String>, Vec<Vec<Integer>>);

/// Group by group the noisy integers, behind the key where keys were discovered.
fn to_text((keys, noisy): &Shown) -> String {
    let mut text = String::from("[");
    for (place, group) in noisy.iter().enumerate() {
        text.push_str(if place == 0 { "[" } else { ",[" });
        let key = keys.get(place).map(|key| Value::from(key.as_str()).to_string());
        text.push_str(key.as_deref().unwrap_or(""));
        for (at, value) in group.iter().enumerate() {
            let comma = if at == 0 && key.is_none() { "" } else { "," };
            // Writing to a text does not fail. Numbers of the machine are written sooner.
            let _ = match i64::try_from(value) {
                Ok(small) => write!(text, "{comma}\"{small}\""),
                Err(_) => write!(text, "{comma}\"{value}\""),
            };
        }
        text.push(']');
    }
    text.push(']');
    text
}

/// The keys and the numbers of each group, from texts of which so many are keys.
fn read<Text: AsRef<str>>(groups: &[Vec<Text>], behind: usize) -> Option<Shown> {
    let (mut keys, mut noisy) = (Vec::new(), Vec::new());
    for group in groups {
        let (own, numbers) = group.split_at_checked(behind)?;
        keys.extend(own.iter().map(|key| key.as_ref().to_owned()));
        let number = |value: &Text| Integer::from_str_radix(value.as_ref(), 10).ok();
        noisy.push(numbers.iter().map(number).collect::<Option<Vec<Integer>>>()?);
    }
    Some((keys, noisy))
}

fn from_text(prepared: &Prepared, text: &str) -> Option<Shown> {
    let behind = usize::from(prepared.plan.discovered().is_some());
    // Keys may have escapes; numbers are read where they stand.
    let (keys, noisy) = match behind {
        0 => read(&serde_json::from_str::<Vec<Vec<&str>>>(text).ok()?, 0)?,
        _ => read(&serde_json::from_str::<Vec<Vec<String>>>(text).ok()?, behind)?,
    };
    let fits = (behind > 0 || noisy.len() == prepared.plan.groups())
        && noisy.iter().all(|group| group.len() == prepared.plan.cells());
    fits.then_some((keys, noisy))
}

/// The exact numbers of a query, and the noise on them.
fn computed(prepared: &Prepared, engine: &dyn Engine, asking: &Asking) -> Answer<Shown> {
    let plan = &prepared.plan;
    let (Some(threshold), [scale]) = (&prepared.threshold, prepared.scales.as_slice()) else {
        let exact = engine.sums(plan, asking.progress)?;
        let noisy = with_secure(|entropy: &mut dyn Secure| draw(prepared, &exact, entropy));
        return Ok((Vec::new(), noisy.map_err(Refusal::input)?));
    };
    let counts = engine.keys(plan, asking.progress)?;
    with_secure(|entropy: &mut dyn Secure| discover::draw(&counts, scale, threshold, entropy))
        .map_err(Refusal::input)
}

/// How an answer is asked for.
pub struct Asking<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The version of the data, as the owner states it: answers are stored for it.
    pub version: &'a str,
    /// Whether to draw anew although the same query was answered before.
    pub again: bool,
    /// Is told how far the pass over the rows is.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Answers queries from a table. All are debited in one transaction; what was answered before costs nothing, and neither does a query
/// that the same call asks a second time.
///
/// # Errors
/// When the budget, the ledger or the table does not allow it. Then nothing was debited and nothing is shown.
pub fn release<'a>(
    proven: &[Proven],
    ledger: &mut Ledger,
    asking: &Asking,
    engine: impl Fn(&Prepared) -> Answer<&'a dyn Engine>,
) -> Answer<Vec<Released>> {
    ledger.check_policy(asking.policy)?;
    let keys: Vec<String> = proven.iter().map(|proven| proven.prepared.key(asking.version)).collect();
    let mut answered: BTreeMap<&str, Entry> = BTreeMap::new();
    if !asking.again {
        for key in &keys {
            answered.extend(ledger.stored(key)?.map(|entry| (key.as_str(), entry)));
        }
    }
    // The same question twice is answered once.
    let asked_before = |at: usize| keys[..at].contains(&keys[at]);
    let is_new = |at: &usize| !answered.contains_key(keys[*at].as_str()) && !asked_before(*at);
    let new: Vec<usize> = (0..proven.len()).filter(is_new).collect();
    let mut paid = BTreeSet::new();
    if !new.is_empty() {
        let asked: Vec<(&str, &Proven)> = new.iter().map(|at| (keys[*at].as_str(), &proven[*at])).collect();
        let debits = computed_all(&asked, ledger, asking, &engine)?;
        let debited = ledger.debit(&debits, asking.policy, asking.again)?;
        for (at, entry) in new.into_iter().zip(debited.entries) {
            // Another process may have answered meanwhile; then its answer is shown and ours is forgotten.
            if debited.paid {
                paid.insert(at);
            }
            answered.insert(&keys[at], entry);
        }
    } else {
        // What is shown as left has these entries in it, also where another process has made them since the ledger was opened.
        ledger.refresh()?;
    }
    let entry = |at: usize| {
        answered
            .get(keys[at].as_str())
            .ok_or_else(|| Refusal::input("an answer is missing; please report it"))
    };
    (0..proven.len()).map(|at| shown(&proven[at], entry(at)?, !paid.contains(&at))).collect()
}

/// What is to be debited for new questions, with their answers, if budget, ledger and tables allow it. Nothing is debited or shown here.
fn computed_all<'a>(
    asked: &[(&str, &Proven)],
    ledger: &mut Ledger,
    asking: &Asking,
    engine: &impl Fn(&Prepared) -> Answer<&'a dyn Engine>,
) -> Answer<Vec<Debit>> {
    let costs: Vec<Loss> = asked.iter().map(|(_, proven)| proven.prepared.cost.clone()).collect();
    ledger.check_budget(&costs)?;
    ledger.check_writable()?;
    for (_, one) in asked {
        let engine = engine(&one.prepared)?;
        if one.prepared.plan.discovered().is_some() && !engine.finds_keys() {
            return Err(cannot_find_keys());
        }
        engine.check(&one.prepared.plan)?;
    }
    let debit = |(key, one): &(&str, &Proven)| {
        let prepared = &one.prepared;
        let shown = computed(prepared, engine(prepared)?, asking)?;
        Ok(Debit {
            key: (*key).to_owned(),
            loss: prepared.cost.clone(),
            query: prepared.plan.sql.clone(),
            answer: to_text(&shown),
            certificate: certificate::write(prepared, asking.policy, asking.version, one.certificate()),
        })
    };
    asked.iter().map(debit).collect()
}

fn shown(proven: &Proven, entry: &Entry, stored: bool) -> Answer<Released> {
    let prepared = proven.prepared.clone();
    let (keys, noisy) = from_text(&prepared, &entry.answer).ok_or_else(|| {
        Refusal::input("the stored answer cannot be read").hint("--again asks anew, at its cost")
    })?;
    Ok(Released {
        prepared,
        keys,
        noisy,
        cost: entry.loss.clone(),
        stored,
        entry: entry.number,
        certificate: entry.certificate.clone(),
        theorem: proven.theorem(),
    })
}

/// The half width of a column's interval for a group of `n` rows: what a preview can say before any row is read.
pub fn expected_error(
    prepared: &Prepared,
    post: &crate::query::Post,
    alpha: &Rational,
    n: u64,
) -> Answer<Option<Rational>> {
    use crate::query::{DrawKind, Drawn};
    let errors = prepared.errors_for(post, alpha)?;
    let n = Rational::from(n);
    let values = prepared.plan.draws.iter().map(|draw| match &draw.kind {
        DrawKind::Count => vec![n.clone()],
        DrawKind::Sum(_) => {
            let middle = (Rational::from(draw.range.0) + Rational::from(draw.range.1)) / Rational::from(2);
            vec![middle * &n * &draw.unit]
        }
        // As if values were spread evenly over their range.
        DrawKind::Bins(_, count) => vec![&n / Rational::from(*count as u64); *count],
    });
    let values = Drawn(values.collect());
    let (low, high) = post.interval(&values, &errors);
    Ok(low.zip(high).map(|(low, high)| (high - low) / Rational::from(2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Counter;
    use crate::engine::rows::Rows;
    use crate::query::Shown;
    use probity_exact::rational;

    /// How often the value before noise lies between the error bars, of so many releases of a table of so many rows.
    fn coverage(budget: &str, select: &str, rows: i64, releases: u32) -> Vec<(String, u32)> {
        let policy = format!(
            "[budget]\n{budget} = 1\nper_query = {{ {budget} = 1 }}\n[table.t]\nunit = \"row\"\n[table.t.columns]\n\
             x = {{ type = \"int\", between = [0, 100] }}\ny = {{ type = \"int\", between = [0, 9] }}"
        );
        let policy = crate::policy::read("p", &policy).unwrap();
        let sql = format!("SELECT {select} FROM t");
        let prepared = crate::prepare::prepare(&policy, &[sql], &[]).unwrap().remove(0);
        let table = Rows {
            header: vec!["x".into(), "y".into()],
            rows: (0..rows).map(|n| vec![(n * 37 % 101).to_string(), (n * n % 7).to_string()]).collect(),
        };
        let exact = table.sums(&prepared.plan, &|_, _| {}).unwrap();
        let truth: Vec<Integer> = exact.sums.iter().map(|sum| Integer::from(*sum)).collect();
        let truth = crate::answer::drawn(&prepared.plan, &truth);
        let alpha = rational(1, 20).unwrap();
        let mut columns: Vec<(String, &crate::query::Post, Vec<Rational>, Rational, u32)> = Vec::new();
        for (name, shown) in &prepared.plan.columns {
            let Shown::Noisy(post) = shown else { continue };
            // Of the true sums the formulas give the true values: there is no noise to be cut off.
            columns.push((
                name.clone(),
                post,
                prepared.errors_for(post, &alpha).unwrap(),
                post.value(&truth).unwrap(),
                0,
            ));
        }
        let mut entropy = Counter(rows as u64);
        for _ in 0..releases {
            let noisy = draw(&prepared, &exact, &mut entropy).unwrap();
            let noisy = crate::answer::drawn(&prepared.plan, &noisy[0]);
            for (_, post, errors, truth, held) in &mut columns {
                let (low, high) = post.interval(&noisy, errors);
                *held +=
                    u32::from(low.is_none_or(|low| low <= *truth) && high.is_none_or(|high| high >= *truth));
            }
        }
        columns.into_iter().map(|(name, .., held)| (name, held)).collect()
    }

    #[test]
    fn error_bars_hold_as_often_as_they_say() {
        let select = "COUNT(*) AS n, SUM(x) AS s, AVG(x) AS mean, VARIANCE(x) AS v, STDDEV(x) AS d, 100 * SUM(x) / COUNT(*) AS r";
        let all = [("epsilon", 50), ("rho", 2000), ("epsilon", 3), ("epsilon", 2000), ("rho", 50)];
        for (budget, rows) in all.into_iter().take(if cfg!(feature = "exhaustive") { 5 } else { 2 }) {
            for (name, held) in coverage(budget, select, rows, 10_000) {
                // 95 % of 10^4, less three deviations of a sample of this size.
                assert!(held >= 9435, "{name} of {rows} rows in {budget}: {held}");
                // One draw is exact, or within 1 of it: its bars are not much too wide.
                assert!(
                    !matches!(name.as_str(), "n" | "s") || held <= 9800,
                    "{name} of {rows} rows in {budget}: {held}"
                );
            }
        }
    }

    #[test]
    fn bars_of_quantiles_hold_as_often_as_they_say() {
        let select = "MEDIAN(y) AS m, QUANTILE(y, 0.9) AS p, MIN(y) AS a, MAX(y) AS b, MAX(y) - MIN(y) AS w";
        let wide = "MEDIAN(x) AS m, QUANTILE(x, 0.1) AS p";
        let all = [
            ("epsilon", select, 40, 10_000),
            ("rho", wide, 1000, 500),
            ("rho", select, 40, 10_000),
            ("epsilon", wide, 1000, 500),
        ];
        for (budget, select, rows, releases) in
            all.into_iter().take(if cfg!(feature = "exhaustive") { 4 } else { 2 })
        {
            for (name, held) in coverage(budget, select, rows, releases) {
                assert!(
                    u64::from(held) * 100 >= 95 * u64::from(releases) - 300,
                    "{name} in {budget}: {held} of {releases}"
                );
            }
        }
    }
}
