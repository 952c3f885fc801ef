//! The extra loss of floating point against the bound B: published, certified and audited side by side.

use probity_audit::{PairReport, Parameters, admits, claimed, float_law};
use probity_exact::{Rational, directed, rational_from_f64};
use probity_float::certified::{Certified, certify};
use probity_kernel::expr::Name;
use probity_kernel::float::{Snapped, Subject, bound};
use probity_lang::Setting;
use probity_report::plot::{Axis, Colour, Mark, Plot, Series, log10};
use probity_report::{Block, Section};

use super::laws::are_neighbours_in;
use super::{Case, middle};
use crate::given;

/// Bounds are 2^k/ε: the paper's range is 1/ε < B < 2^42/ε.
const CERTIFIED: std::ops::RangeInclusive<u32> = 1..=42;

/// Audits end at 2^12/ε: far beyond 745/ε nothing changes, as no noise is that large.
const AUDITED: std::ops::RangeInclusive<u32> = 1..=12;

/// The section, or `None` where no parameter of the mechanism is the bound.
pub fn section(case: &Case<'_>, certified: &Certified, crossed: &mut bool) -> Option<Section> {
    let name = bound_name(case, &certified.snapped)?;
    let comparable = are_neighbours_in(case, certified.snapped.format);
    let (mut published, mut proved, mut audited, mut infinite) = (vec![], vec![], vec![], vec![]);
    for power in CERTIFIED {
        let bound = Rational::from(1u64 << power) / certified.snapped.rate();
        let Some(x) = log10(&bound) else { continue };
        let snapped = Snapped { bound: bound.clone(), ..certified.snapped.clone() };
        let theorem = certify(&snapped.mechanism(), snapped.reading(), snapped.implementation());
        let Some(certificate) = theorem.ok().and_then(Certified::of) else { continue };
        let height = |value: f64| log10(&rational_from_f64(value)?);
        published.extend(height(certificate.published_bound).map(|y| (x, y)));
        proved.extend(height(certificate.excess).map(|y| (x, y)));
        if !AUDITED.contains(&power) {
            continue;
        }
        let Some((report, epsilon)) = audit(case, certified, &name, bound) else { continue };
        *crossed |=
            comparable && report.delta(&certificate.epsilon_exact).low > *certificate.theorem.bound().delta();
        audited.extend(excess_at(&report, &epsilon, &certificate).and_then(|e| log10(&e)).map(|y| (x, y)));
        if !report.impossible.is_empty() {
            infinite.push((x, f64::INFINITY));
        }
    }
    let pure = certified.largest_pure_bound;
    let mut series = vec![
        line("published 12Bεη + 2η", Colour::Fourth, Mark::Dashed, published),
        line("certified", Colour::Third, Mark::Line, proved),
        line("audited on the two inputs", Colour::First, Mark::Round, audited),
    ];
    if !infinite.is_empty() {
        series.push(line("audited, δ = 0: infinite", Colour::Second, Mark::Beyond, infinite));
    }
    let plot = Plot {
        title: format!("Loss beyond ε against the bound {name}"),
        x: Axis::log(format!("bound {name}")),
        y: Axis::log("loss beyond ε, nats"),
        series,
    };
    let pure = match pure {
        Some(pure) => format!(
            "Up to {name} = {pure} the certificate is pure. Beyond it the certificate is (ε + excess, δ) with a tiny δ, and \
             the dots show the audited excess at that δ. A triangle marks a bound at which an outcome is possible under one of \
             the inputs only: there the loss at δ = 0 is infinite, and the published bound is false."
        ),
        None => "The dots show the audited excess at the δ of the certificate.".into(),
    };
    let caption = format!(
        "The published bound grows with {name}; the certified and the audited excess stop growing. {pure} An audit is a lower \
         bound for these two inputs, with no dot where their loss stays within ε."
    );
    let blocks = vec![Block::Figure { plot: Box::new(plot), caption }];
    Some(Section { heading: "Published, certified, audited".into(), blocks })
}

fn line(name: &str, colour: Colour, mark: Mark, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), colour, mark, points }
}

/// The parameter that is the bound and nothing else.
fn bound_name(case: &Case<'_>, snapped: &Snapped) -> Option<Name> {
    let is_bound = |name: &&Name| {
        let mut changed = case.parameters.clone();
        let larger = &snapped.bound * Rational::from(2);
        changed.insert((*name).clone(), larger.clone());
        let setting =
            |(name, value): (&Name, &Rational)| Setting { name: name.to_string(), value: value.clone() };
        let settings: Vec<Setting> = changed.iter().map(setting).collect();
        let Ok(program) = given::with_settings(case.program, &settings) else { return false };
        let found = bound(&program.mechanism, snapped.reading(), snapped.implementation());
        let wanted = Subject::Mechanism(Snapped { bound: larger, ..snapped.clone() });
        found.is_ok_and(|found| *found.subject() == wanted)
    };
    case.parameters.keys().find(is_bound).cloned()
}

/// The two inputs compared at another bound, with the claimed ε; `None` where they are not admitted.
fn audit(
    case: &Case<'_>,
    certified: &Certified,
    name: &Name,
    bound: Rational,
) -> Option<(PairReport, Rational)> {
    let mechanism = &case.program.mechanism;
    let format = certified.snapped.format;
    let mut parameters: Parameters = case.parameters.clone();
    parameters.insert(name.clone(), bound);
    if !case.inputs.iter().all(|inputs| admits(mechanism, &parameters, inputs).unwrap_or(false)) {
        return None;
    }
    let law = |inputs| float_law(mechanism, &parameters, inputs, format, Default::default()).ok();
    let report = PairReport::new(&law(&case.inputs[0])?, &law(&case.inputs[1])?);
    let (epsilon, _) = claimed(mechanism, &case.program.claim, &parameters).ok()?;
    Some((report, middle(&epsilon)))
}

/// The smallest excess e > 0 with δ(ε + e) at most the certificate's δ; `None` when ε itself is enough.
fn excess_at(report: &PairReport, epsilon: &Rational, certificate: &Certified) -> Option<Rational> {
    let delta = certificate.theorem.bound().delta();
    if delta.is_zero() {
        let excess = middle(&report.excess(epsilon)?);
        return (excess > Rational::ZERO && report.impossible.is_empty()).then_some(excess);
    }
    let enough = |excess: &Rational| report.delta(&(epsilon + excess)).low <= *delta;
    if enough(&Rational::ZERO) {
        return None;
    }
    // From a certified excess down by bisection; 2^−30 of it is finer than a dot.
    let mut low = Rational::ZERO;
    let mut high = rational_from_f64(directed::cast_up(certificate.theorem.bound().excess()))?;
    if !enough(&high) {
        return Some(high);
    }
    for _ in 0..30 {
        let half = (&low + &high) / Rational::from(2);
        if enough(&half) { high = half } else { low = half }
    }
    Some(high)
}
