//! Temporary: time of one call.
use probity_exact::Rational;
use probity_noise::domain::IntegerRange;
use probity_noise::mechanisms::*;
use probity_noise::sampler::*;
use std::hint::black_box;
use std::time::Instant;
fn time(name: &str, mut f: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let n = 20000;
        let t = Instant::now();
        for _ in 0..n {
            f();
        }
        best = best.min(t.elapsed().as_nanos() as f64 / n as f64);
    }
    println!("{name:<40} {best:.1} ns");
}
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lap = discrete_laplace(IntegerRange::WIDEST, Scale::from_f64(10.0)?)?;
    time("laplace 10", || {
        black_box(lap.invoke(black_box(&5)).unwrap());
    });
    let lap = discrete_laplace(IntegerRange::WIDEST, Scale::from_f64(1e6)?)?;
    time("laplace 1e6", || {
        black_box(lap.invoke(black_box(&5)).unwrap());
    });
    let g = discrete_gaussian(IntegerRange::WIDEST, SquaredScale::from_f64(100.0)?)?;
    time("gaussian 10", || {
        black_box(g.invoke(black_box(&5)).unwrap());
    });
    let g = discrete_gaussian(IntegerRange::WIDEST, SquaredScale::from_f64(1.0)?)?;
    time("gaussian 1", || {
        black_box(g.invoke(black_box(&5)).unwrap());
    });
    let r = randomized_response_bool(Probability::from_f64(0.75)?)?;
    time("response bool", || {
        black_box(r.invoke(black_box(&true)).unwrap());
    });
    let law = RandomizedResponse::new(10, Probability::from_f64(0.5)?)?;
    let r = law.over((0..10).collect::<Vec<i32>>())?;
    time("response 10", || {
        black_box(r.invoke(black_box(&3)).unwrap());
    });
    let s = DiscreteLaplace::<i64>::new(Scale::from_f64(10.0)?)?;
    let mut e = probity_noise::entropy::SecureEntropy::new()?;
    time("sampler laplace, own entropy", || {
        black_box(s.sample(&mut e).unwrap());
    });
    let _ = Rational::ONE;
    Ok(())
}
