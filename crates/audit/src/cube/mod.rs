//! Any program over the reals as a function on a cube of uniform numbers, enclosed by boxes.

pub(crate) mod boxes;
pub(crate) mod quantile;
pub(crate) mod world;
