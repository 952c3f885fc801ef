//! Laws of the privacy loss on a lattice, in integers.

mod convolve;
mod step;
mod tilted;
mod transform;

pub(crate) use step::{Lattice, Law, Step, discretise};
pub(crate) use tilted::{Composed, Limit, Stop, Tilt, Tilted};
