//! Vector paths allocate their answers, and nothing per element. A counting allocator says so.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use probity_noise::domain::{ClampedFloats, IntegerRange, Vectors};
use probity_noise::entropy::tape::Tape;
use probity_noise::measurement::Measurement;
use probity_noise::mechanisms::{
    Grid, RandomizedResponse, Snapping, discrete_gaussian, discrete_laplace, laplace_on_grid,
    randomized_response_bool,
};
use probity_noise::sampler::{Probability, Scale, SquaredScale};
use probity_noise::unit::{Epsilon, Sensitivity};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations while an action runs.
fn allocations<T>(action: impl FnOnce() -> T) -> usize {
    let before = COUNT.load(Ordering::Relaxed);
    let result = action();
    let count = COUNT.load(Ordering::Relaxed) - before;
    drop(result);
    count
}

const SIZE: usize = 100_000;

fn check<Input, Output>(name: &str, measurement: &Measurement<Input, Output>, inputs: &[Input]) {
    let mut tape = Tape::seeded(1);
    // Tables are made at first use.
    measurement.simulate_vec(inputs, &mut tape).unwrap();
    let count = allocations(|| measurement.simulate_vec(inputs, &mut tape).unwrap());
    // A rare draw goes to exact arithmetic, which allocates: about 2^-32 of all, and for noise of scale 2^16 and
    // more 2^-15, each some dozens of times.
    assert!(count < SIZE / 200, "{name}: {count} allocations for {} inputs", inputs.len());
}

// One test, so that no other thread allocates meanwhile.
#[test]
fn vector_paths_do_not_allocate_per_element() {
    let scale = || Scale::from_f64(10.0).unwrap();
    check("laplace", &discrete_laplace(IntegerRange::WIDEST, scale()).unwrap(), &vec![5; SIZE]);
    let vectors = || Vectors::of(IntegerRange::WIDEST).with_length(SIZE).unwrap();
    check("laplace vector", &discrete_laplace(vectors(), scale()).unwrap(), &[vec![5; SIZE]]);
    let squared = SquaredScale::from_f64(100.0).unwrap();
    check("gaussian vector", &discrete_gaussian(vectors(), squared).unwrap(), &[vec![5; SIZE]]);
    let prob = || Probability::from_f64(0.75).unwrap();
    check("bool", &randomized_response_bool(prob()).unwrap(), &vec![true; SIZE]);
    let ten = RandomizedResponse::new(10, prob()).unwrap().over((0..10u32).collect()).unwrap();
    check("ten categories", &ten, &vec![3; SIZE]);
    let floats = ClampedFloats::new(-1e3, 1e3).unwrap();
    let grid = laplace_on_grid(floats, Grid::new(-20).unwrap(), scale()).unwrap();
    check("grid", &grid, &vec![0.3; SIZE]);
    let epsilon = Epsilon::from_f64(1.0).unwrap();
    let snapping = Snapping::new(&epsilon, Sensitivity::from(1u32), 100.0).unwrap();
    check("snapping", &snapping.measurement(), &vec![0.3; SIZE]);
}
