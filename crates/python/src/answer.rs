//! Answers become objects of the package's Python part: named fields, which show themselves.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::number::class;

/// The fields of an answer, in the making.
pub struct Fields<'py> {
    fields: Bound<'py, PyDict>,
}

impl<'py> Fields<'py> {
    /// None yet.
    pub fn new(py: Python<'py>) -> Fields<'py> {
        Fields { fields: PyDict::new(py) }
    }

    /// One more.
    pub fn with(self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<Fields<'py>> {
        let value = value.into_bound_py_any(self.fields.py())?;
        self.fields.set_item(name, value)?;
        Ok(self)
    }

    /// The answer: an object of this class.
    pub fn into_object(self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        class(self.fields.py(), name)?.call((), Some(&self.fields))
    }
}
