//! `Mechanism`: a text with its readings. Everything is asked of `probity-verdict` and `probity-run`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use probity_exact::{Rational, parse_rational};
use probity_noise::entropy::with_secure;
use probity_run::{Amount, Given, Inputs, Proved, Text, Value};
use probity_verdict::{
    AuditSettings, CertifySettings, Program, Ranges, Reading, ReportSettings, Setting, Uniform, Watch,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

use crate::answer::Fields;
use crate::argument::{self, Arg};
use crate::failure::{Failure, Kind};
use crate::number::{Number, each_item, private_rational, to_exact, to_upper, to_upper_double};
use crate::{rows, verdict, work};

/// A mechanism: one short text that can be proved, certified, audited and run.
///
///     >>> import probity_dp as pb
///     >>> m = pb.Mechanism('''
///     ... mechanism count(n: int)
///     ... param eps > 0
///     ... y ~ discrete_laplace(n, 1 / eps)
///     ... return y
///     ... neighbours abs(n' - n) <= 1
///     ... claim eps
///     ... ''')
///     >>> m.verify().status
///     'proved'
///     >>> abs(m.set(eps="1/2").run(n=100).value - 100) < 200
///     True
#[pyclass(frozen, module = "probity_dp")]
pub struct Mechanism {
    source: Arc<str>,
    program: Program,
    settings: Vec<Setting>,
    ranges: Ranges,
    /// The proof that a run rests on, once it is found.
    proved: Mutex<Option<Arc<Proved>>>,
}

/// The longest text that is read.
const MOST_BYTES: u64 = 64 << 20;

/// The text of a small file.
pub fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    let cannot =
        |reason: &dyn std::fmt::Display| Failure::input(format!("cannot read {}: {reason}", path.display()));
    let facts = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => cannot(&"there is no such file"),
        std::io::ErrorKind::PermissionDenied => cannot(&"permission denied"),
        _ => cannot(&error),
    })?;
    if facts.is_dir() {
        return Err(cannot(&"it is a folder"));
    }
    if facts.len() > MOST_BYTES {
        return Err(cannot(&"it is too large for a text"));
    }
    std::fs::read_to_string(path).map_err(|error| cannot(&error))
}

impl Mechanism {
    fn of(source: &str, name: &str) -> Result<Mechanism, Failure> {
        let program =
            probity_verdict::load_text(source).map_err(|faults| Failure::faults(&faults, name, source))?;
        let (settings, ranges) = (Vec::new(), Ranges::new());
        Ok(Mechanism { source: source.into(), program, settings, ranges, proved: Mutex::default() })
    }

    /// Values for all parameters; a range is for `certify`.
    fn values(&self) -> Result<Vec<Setting>, Failure> {
        match self.ranges.keys().next() {
            None => Ok(self.settings.clone()),
            Some(name) => Err(Failure::input(format!("{name} has a range, and one value is needed"))
                .hint("ranges are for .certify()")),
        }
    }
}

fn within(seconds: Option<Arg<f64>>) -> Result<Option<Duration>, Failure> {
    seconds
        .map(|Arg(seconds)| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| Failure::input(format!("{seconds} is no number of seconds")))
        })
        .transpose()
}

fn watch(limit: Option<Duration>, caller: &work::Caller) -> Watch<'static> {
    let watch = Watch::default().unless(caller.gone());
    limit.map_or(watch.clone(), |limit| watch.within(limit))
}

fn reading(format: Option<Arg<String>>) -> Result<Option<Reading>, Failure> {
    format.map(|format| probity_verdict::parse_reading(&format.0).map_err(Failure::from)).transpose()
}

#[pymethods]
impl Mechanism {
    /// Reads a text.
    #[new]
    fn new(text: Arg<String>) -> PyResult<Mechanism> {
        Ok(Mechanism::of(&text.0, "text")?)
    }

    /// Reads a file.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.Mechanism.load("mechanisms/snapping.dp").parameters
    ///     ['eps', 'B']
    #[staticmethod]
    fn load(py: Python<'_>, path: Arg<PathBuf>) -> PyResult<Mechanism> {
        let path = path.0;
        work::short(py, move || Mechanism::of(&read_text(&path)?, &path.display().to_string()))
    }

    /// The same with values for parameters: exact numbers, or a pair (low, high), which `certify` takes as a range.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B="100").settings
    ///     {'eps': 1, 'B': 100}
    #[pyo3(signature = (**values))]
    fn set(&self, values: Option<&Bound<'_, PyDict>>) -> PyResult<Mechanism> {
        let (mut settings, mut ranges) = (self.settings.clone(), self.ranges.clone());
        for (name, value) in values.into_iter().flatten() {
            let name = argument::name(&name)?;
            settings.retain(|setting| setting.name != name);
            ranges.remove(&name);
            match value.cast::<PyTuple>() {
                Ok(pair) => {
                    let Arg((low, high)) = pair.extract::<Arg<(Number, Number)>>()?;
                    if low.0 > high.0 {
                        return Err(Failure::input(format!(
                            "the range of {name} is empty: {} > {}",
                            low.0, high.0
                        ))
                        .into());
                    }
                    let known: Vec<String> = self.parameters();
                    if !known.contains(&name) {
                        let hint = probity_verdict::meant("its parameters are", &name, &known);
                        return Err(Failure::input(format!("{} has no parameter {name}", self.name()))
                            .hint(hint)
                            .into());
                    }
                    ranges.insert(name, (low.0, high.0));
                }
                Err(_) => settings.push(Setting { name, value: value.extract::<Number>()?.0 }),
            }
        }
        probity_verdict::with_settings(&self.program, &settings).map_err(Failure::from)?;
        Ok(Mechanism {
            source: self.source.clone(),
            program: self.program.clone(),
            settings,
            ranges,
            proved: Mutex::default(),
        })
    }

    /// Looks for a proof of the claim and for a counterexample. Parameters without a value stay open: the proof is then for all values.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> verdict = pb.Mechanism.load("mechanisms/laplace.dp").verify()
    ///     >>> verdict.status, verdict.epsilon
    ///     ('proved', 'eps')
    #[pyo3(signature = (*, seconds=None))]
    fn verify<'py>(&self, py: Python<'py>, seconds: Option<Arg<f64>>) -> PyResult<Bound<'py, PyAny>> {
        let (program, values, limit) = (self.program.clone(), self.values()?, within(seconds)?);
        let verdict = work::long_with(py, move |caller| {
            Ok(probity_verdict::verify(&program, &values, &watch(limit, &caller))?)
        })?;
        verdict::verified(py, &verdict)
    }

    /// The privacy of the implementation in floating point, as a theorem.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> snapping = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=100)
    ///     >>> snapping.certify().excess < 1e-13
    ///     True
    #[pyo3(signature = (*, format=Arg::from("binary64"), uniform_bits=None, ln_ulps=Arg(0)), text_signature = "($self, *, format='binary64', uniform_bits=None, ln_ulps=0)")]
    fn certify<'py>(
        &self,
        py: Python<'py>,
        format: Arg<String>,
        uniform_bits: Option<Arg<u32>>,
        ln_ulps: Arg<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let settings = CertifySettings {
            values: self.settings.clone(),
            ranges: self.ranges.clone(),
            reading: probity_verdict::parse_reading(&format.0).map_err(Failure::from)?,
            uniform: uniform_bits.map_or(Uniform::Star, |bits| Uniform::Bits(bits.0)),
            ln_ulps: ln_ulps.0,
        };
        let program = self.program.clone();
        let found =
            work::long(py, move || Ok(probity_verdict::certify(&program, &settings, &Watch::default())?))?;
        verdict::certified(py, &found)
    }

    /// What two inputs really show: a lower bound, never a theorem. An input is a number, a list, a list of rows, or a dict of inputs.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=10)
    ///     >>> audit = m.audit(0, 1)
    ///     >>> audit.neighbours, audit.impossible
    ///     (True, 0)
    #[pyo3(signature = (first, second, *, format=None, seconds=None))]
    fn audit<'py>(
        &self,
        py: Python<'py>,
        first: &Bound<'py, PyAny>,
        second: &Bound<'py, PyAny>,
        format: Option<Arg<String>>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inputs = [first, second].map(|given| self.inputs_of(given));
        let [first, second] = inputs;
        let mut settings = AuditSettings::new(self.values()?, [first?, second?]);
        settings.reading = reading(format)?;
        let (program, limit) = (self.program.clone(), within(seconds)?);
        let audit = work::long_with(py, move |caller| {
            Ok(probity_verdict::audit(&program, &settings, &watch(limit, &caller))?)
        })?;
        verdict::audited(py, &audit)
    }

    /// Runs the proved text on inputs, with exactly the law of its theorem. `count` runs are independent, and their losses add.
    ///
    /// An input that is called as one of the arguments here (count, grid, certificate, unproved) is given with `_` behind its name.
    /// A table (an input `people: rows(…)`) is the path of a CSV file, a frame, a list of dicts, or a dict of lists. A real answer needs a `grid`, as "2^-20" or 0.5, to whose multiples it is rounded. `unproved=True` runs a text without a proof, for
    /// an experiment.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> m = pb.Mechanism.load("mechanisms/snapping.dp").set(eps=1, B=100)
    ///     >>> run = m.run(x=0.7)
    ///     >>> -100 <= run.value <= 100, run.epsilon
    ///     (True, Upper(1, at most 1.0))
    #[pyo3(signature = (*, count=None, grid=None, certificate=None, unproved=Arg(false), **inputs), text_signature = "($self, *, count=None, grid=None, certificate=None, unproved=False, **inputs)")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        count: Option<Arg<u64>>,
        grid: Option<&Bound<'py, PyAny>>,
        certificate: Option<Arg<String>>,
        unproved: Arg<bool>,
        inputs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut text = Text::of(self.program.clone());
        let (mut given, mut tables) = (Inputs::new(), false);
        for (name, value) in inputs.into_iter().flatten() {
            let name = self.input(&argument::name(&name)?)?;
            match text.fields(&name) {
                Some(fields) => {
                    text = text.with_table(&name, rows::table(&fields, &value)?);
                    tables = true;
                }
                None => given = given.with(&name, value_of(&value, 0)?),
            }
        }
        let grid = grid.map(grid_of).transpose()?;
        let values = self.values()?;
        let certificate = certificate.map(|given| certificate_text(&given.0)).transpose()?;
        let times = count.as_ref().map_or(1, |count| count.0);
        if times > 100_000_000 {
            return Err(Failure::input(format!("{times} runs do not fit in one answer"))
                .hint("run them in parts")
                .into());
        }
        // What is made ready with a table is for that table.
        let again = certificate.is_none() && !tables;
        let known = if again { self.known() } else { None };
        let (proved, answers) = work::long(py, move || {
            if let Some(certificate) = certificate {
                text = text.by_certificate(certificate);
            }
            let (proved, mut session) = match unproved.0 {
                true => {
                    let unproved = text.unproved_with(&values)?;
                    let unproved = if let Some(grid) = grid { unproved.on_grid(grid)? } else { unproved };
                    (None, unproved.prepare(&given)?)
                }
                false => {
                    let proved = match known {
                        Some(known) => known,
                        None => Arc::new(text.with(&values)?),
                    };
                    let session = match grid {
                        Some(grid) => (*proved).clone().on_grid(grid)?.prepare(&given)?,
                        None => proved.prepare(&given)?,
                    };
                    (Some(proved), session)
                }
            };
            let mut answers = Vec::new();
            with_secure(|entropy| {
                session.runs(times, entropy, |value| {
                    answers.push(value);
                    true
                })
            })?;
            Ok((proved, answers))
        })?;
        if let Some(proved) = proved.as_ref().filter(|_| again) {
            self.remember(proved);
        }
        let values = answers.iter().map(|value| to_python(py, value)).collect::<PyResult<Vec<_>>>()?;
        let loss = proved.as_ref().map(|proved| proved.loss(times));
        let part = |amount: Option<&Amount>| amount.map(|amount| upper(py, amount)).transpose();
        Fields::new(py)
            .with("status", if proved.is_some() { "proved" } else { "unproved" })?
            .with("mechanism", self.name())?
            .with("single", count.is_none())?
            .with("values", values)?
            .with("epsilon", part(loss.as_ref().and_then(|loss| loss.epsilon.as_ref()))?)?
            .with("delta", part(loss.as_ref().and_then(|loss| loss.delta.as_ref()))?)?
            .with("rho", part(loss.as_ref().and_then(|loss| loss.rho.as_ref()))?)?
            .with("mu", part(loss.as_ref().and_then(|loss| loss.mu.as_ref()))?)?
            .with("theorem", proved.as_ref().map(|proved| proved.theorem().to_string()))?
            .with("certificate_hash", proved.as_ref().map(|proved| proved.certificate()))?
            .into_object("Run")
    }

    /// All that is known on one page of HTML, written to a file if one is named; the answer shows it in a notebook.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> report = pb.Mechanism.load("mechanisms/laplace.dp").report()
    ///     >>> report.verdict.status
    ///     'proved'
    #[pyo3(signature = (path=None, *, inputs=None, format=None, seconds=None))]
    fn report<'py>(
        &self,
        py: Python<'py>,
        path: Option<Arg<PathBuf>>,
        inputs: Option<Arg<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
        format: Option<Arg<String>>,
        seconds: Option<Arg<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inputs = match inputs {
            Some(Arg((first, second))) => Some([self.inputs_of(&first)?, self.inputs_of(&second)?]),
            None => None,
        };
        let settings = ReportSettings { values: self.values()?, inputs, reading: reading(format)? };
        let (program, source, limit) = (self.program.clone(), self.source.clone(), within(seconds)?);
        let path = path.map(|path| path.0);
        let to = path.clone();
        let (html, verdict, crossed) = work::long_with(py, move |caller| {
            let report = probity_verdict::report(&program, &source, &settings, &watch(limit, &caller))?;
            let html = report.document.to_html();
            if let Some(path) = to {
                std::fs::write(&path, &html)
                    .map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))?;
            }
            Ok((html, report.verdict, report.bounds_cross))
        })?;
        Fields::new(py)
            .with("html", html)?
            .with("path", path.map(|path| path.display().to_string()))?
            .with("verdict", verdict::verified(py, &verdict)?)?
            .with("bounds_cross", crossed)?
            .into_object("Report")
    }

    /// Replays a certificate (its text, or the path of its file), which must be about this mechanism with these settings.
    ///
    ///     >>> import probity_dp as pb
    ///     >>> m = pb.Mechanism.load("mechanisms/laplace.dp")
    ///     >>> m.check(m.verify().certificate).accepted
    ///     True
    fn check<'py>(&self, py: Python<'py>, certificate: Arg<String>) -> PyResult<Bound<'py, PyAny>> {
        let (program, values) = (self.program.clone(), self.values()?);
        let text = certificate_text(&certificate.0)?;
        let replay = work::long(py, move || {
            Ok(probity_verdict::check(&text, Some((&program, &values)), &Watch::default())?)
        })?;
        verdict::replayed(py, &replay)
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        &self.source
    }

    /// Its name.
    #[getter]
    fn name(&self) -> String {
        self.program.mechanism.name.to_string()
    }

    /// What it claims.
    #[getter]
    fn claim(&self) -> String {
        self.program.claim.to_string()
    }

    /// The names of its parameters.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.program.mechanism.params.iter().map(|param| param.name.to_string()).collect()
    }

    /// Its inputs with their types.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for input in &self.program.mechanism.inputs {
            all.set_item(input.name.to_string(), input.sort.to_string())?;
        }
        Ok(all)
    }

    /// The values that were set; a range is a pair.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for setting in &self.settings {
            all.set_item(&setting.name, to_exact(py, &setting.value)?)?;
        }
        for (name, (low, high)) in &self.ranges {
            all.set_item(name, (to_exact(py, low)?, to_exact(py, high)?))?;
        }
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let mut parts: Vec<String> =
            self.settings.iter().map(|setting| format!("{}={}", setting.name, setting.value)).collect();
        parts.extend(self.ranges.iter().map(|(name, (low, high))| format!("{name}=({low}, {high})")));
        format!("<Mechanism {}({})>", self.name(), parts.join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        py.import("probity_dp._values")?.call_method1("code", (&*self.source,))?.extract()
    }
}

/// The arguments of a run that are no inputs.
const OF_RUNS: [&str; 4] = ["count", "grid", "certificate", "unproved"];

/// What an input is called in the call of a run.
pub fn keyword(input: &str) -> String {
    if OF_RUNS.contains(&input) { format!("{input}_") } else { input.to_owned() }
}

impl Mechanism {
    /// The input that a run calls so.
    fn input(&self, called: &str) -> Result<String, Failure> {
        let names: Vec<String> =
            self.program.mechanism.inputs.iter().map(|input| input.name.to_string()).collect();
        names.iter().find(|name| keyword(name) == called).cloned().ok_or_else(|| {
            let known: Vec<String> = names.iter().map(|name| keyword(name)).collect();
            Failure::input(format!("{} has no input {called}", self.name())).hint(probity_verdict::meant(
                "its inputs are",
                called,
                &known,
            ))
        })
    }

    fn known(&self) -> Option<Arc<Proved>> {
        self.proved.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn remember(&self, proved: &Arc<Proved>) {
        *self.proved.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(proved.clone());
    }

    /// Inputs of an audit, by the text that the command takes.
    fn inputs_of(&self, given: &Bound<'_, PyAny>) -> PyResult<probity_verdict::Inputs> {
        let text = match given.cast::<PyDict>() {
            Ok(all) => {
                let mut parts = Vec::new();
                for (name, value) in all {
                    parts.push(format!("{}={}", argument::name(&name)?, input_text(&value, 0)?));
                }
                parts.join(";")
            }
            Err(_) => input_text(given, 0)?,
        };
        Ok(probity_verdict::parse_inputs(&self.program.mechanism, &text).map_err(Failure::from)?)
    }
}

/// How deep lists of inputs may lie in lists. One that contains itself would have no end.
const MOST_DEPTH: usize = 8;

fn too_deep(depth: usize) -> Result<(), Failure> {
    match depth > MOST_DEPTH {
        true => Err(Failure::input("there are too many lists inside lists")),
        false => Ok(()),
    }
}

/// A value as the command reads it: a number, a truth value, a list, rows.
fn input_text(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<String> {
    too_deep(depth)?;
    let input_text = |inner: &Bound<'_, PyAny>| input_text(inner, depth + 1);
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(truth.is_true().to_string());
    }
    if let Ok(row) = given.cast::<PyTuple>() {
        let cells = row.iter().map(|cell| input_text(&cell)).collect::<PyResult<Vec<_>>>()?;
        return Ok(format!("({})", cells.join(", ")));
    }
    if let Ok(row) = given.cast::<PyDict>() {
        let cells = row.values().iter().map(|cell| input_text(&cell)).collect::<PyResult<Vec<_>>>()?;
        return Ok(format!("({})", cells.join(", ")));
    }
    if !given.is_instance_of::<PyString>() && given.len().is_ok() {
        let items = each_item(given, input_text)?;
        return Ok(format!("[{}]", items.join(", ")));
    }
    // Whether two inputs are neighbours is decided exactly, so a float that is not what it prints as matters.
    given.extract::<Number>().map(|number| number.0.to_string())
}

/// An input of a run.
fn value_of(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Given> {
    too_deep(depth)?;
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(Given::Truth(truth.is_true()));
    }
    if !given.is_instance_of::<PyString>() && given.len().is_ok() {
        let items = each_item(given, |item| value_of(item, depth + 1))?;
        return Ok(Given::List(items));
    }
    // numpy's truth values are no bool.
    if given.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_") {
        return Ok(Given::Truth(given.is_truthy()?));
    }
    private_rational(given).map(Given::Number)
}

/// A grid: a number, or a power as "2^-20".
fn grid_of(given: &Bound<'_, PyAny>) -> PyResult<Rational> {
    let power = given.cast::<PyString>().ok().and_then(|text| {
        let text = text.to_string();
        let (base, exponent) = text.split_once('^')?;
        let (base, exponent) = (parse_rational(base).ok()?, exponent.trim().parse::<i32>().ok()?);
        if exponent.unsigned_abs() > 4096 || base.is_zero() {
            return None;
        }
        let power = base.pow(exponent.unsigned_abs() as isize);
        Some(if exponent < 0 { Rational::ONE / power } else { power })
    });
    match power {
        Some(power) => Ok(power),
        None => given.extract::<Number>().map(|number| number.0),
    }
}

/// A certificate is given as it is, or by the path of its file.
pub fn certificate_text(given: &str) -> Result<String, Failure> {
    match given.contains('\n') {
        true => Ok(given.to_owned()),
        false => read_text(std::path::Path::new(given)),
    }
}

fn upper<'py>(py: Python<'py>, amount: &Amount) -> PyResult<Bound<'py, PyAny>> {
    match amount.exact() {
        Some(exact) => to_upper(py, exact, true),
        None => to_upper_double(py, amount.at_most()),
    }
}

fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Number(value) => to_exact(py, &value.to_rational())?,
        Value::Truth(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::List(items) => {
            let items = items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
    })
}

/// Replays a certificate (its text, or the path of its file), trusting nothing in it.
///
/// Certificates of releases are checked against a `policy` (a path) if one is given.
///
///     >>> import probity_dp as pb
///     >>> pb.check("certificates/laplace.cert").accepted
///     True
#[pyfunction]
#[pyo3(signature = (certificate, *, policy=None))]
pub fn check<'py>(
    py: Python<'py>,
    certificate: Arg<String>,
    policy: Option<Arg<PathBuf>>,
) -> PyResult<Bound<'py, PyAny>> {
    let text = certificate_text(&certificate.0)?;
    let policy = policy.map(|path| path.0);
    if probity_release::certificate::is_release(&text) {
        let checked = work::long(py, move || {
            let policy = policy.map(|path| crate::session::policy_of(&path)).transpose()?;
            Ok(probity_release::certificate::check(&text, policy.as_ref()).map_err(Failure::from))
        })?;
        return match checked {
            Ok(checked) => Fields::new(py)
                .with("accepted", true)?
                .with("theorem", checked.theorem.to_string())?
                .with("axioms", checked.theorem.axioms().iter().map(ToString::to_string).collect::<Vec<_>>())?
                .with("reason", py.None())?
                .into_object("Check"),
            Err(failure) => verdict::rejected(py, &failure),
        };
    }
    if policy.is_some() {
        return Err(Failure::of(
            Kind::Input,
            "a policy belongs to the certificate of a release, and this is none",
        )
        .into());
    }
    let replay = work::long(py, move || Ok(probity_verdict::check(&text, None, &Watch::default())?))?;
    verdict::replayed(py, &replay)
}
