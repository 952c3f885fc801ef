//! numpy, which is loaded when it is first needed: importing it would take most of the package's own import.

use std::panic::{AssertUnwindSafe, catch_unwind};

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::failure::Failure;

/// The module, with the functions that arrays are made by ready.
///
/// # Errors
/// When it cannot be loaded, or an interrupt comes while it is: without this the binding would panic then.
pub fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    static READY: PyOnceLock<()> = PyOnceLock::new();
    let module = py.import("numpy")?;
    READY.get_or_try_init(py, || {
        py.check_signals()?;
        match catch_unwind(AssertUnwindSafe(|| drop(Vec::<i64>::new().into_pyarray(py)))) {
            Ok(()) => Ok(()),
            Err(_) => Err(PyErr::take(py).unwrap_or_else(|| {
                Failure::input("numpy could not be loaded")
                    .hint("start Python again; `import numpy` says more")
                    .into()
            })),
        }
    })?;
    Ok(module)
}
