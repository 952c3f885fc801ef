//! tmp
use probity_audit::*;
use probity_exact::*;
use probity_kernel::expr::Expr;
use probity_kernel::term::*;
fn snapping() -> Mechanism {
    let v = |name: &str| Expr::var(name);
    Mechanism {
        name: "snapping".into(),
        inputs: vec![Input { name: "x".into(), sort: Sort::Real }],
        params: vec![
            Param { name: "eps".into(), sort: Sort::Real },
            Param { name: "B".into(), sort: Sort::Real },
        ],
        assumptions: vec![],
        body: vec![
            Statement::Assign { var: "grid".into(), value: (Expr::int(1) / v("eps")).pow2_at_least() },
            Statement::Draw { var: "u".into(), law: Distribution::Uniform },
            Statement::Draw { var: "s".into(), law: Distribution::Sign },
            Statement::Assign { var: "w".into(), value: v("x") + v("s") * v("u").ln() / v("eps") },
        ],
        output: v("w").round_to(v("grid")).clamp(-v("B"), v("B")),
        adjacency: vec![],
    }
}
fn main() {
    let m = snapping();
    for (e, b, x, y) in [("1", "100", "0.3", "1.3"), ("0.5", "2000", "0", "1")] {
        let p: Parameters =
            [("eps".into(), parse_rational(e).unwrap()), ("B".into(), parse_rational(b).unwrap())].into();
        let (mut t1, mut t2, mut t3) = (1e9f64, 1e9f64, 1e9f64);
        for _ in 0..5 {
            let t = std::time::Instant::now();
            let l = |x: &str| {
                float_law(
                    &m,
                    &p,
                    &[("x".into(), Given::Number(parse_rational(x).unwrap()))].into(),
                    Format::BINARY64,
                    Effort::default(),
                )
                .unwrap()
            };
            let (a, c) = (l(x), l(y));
            t1 = t1.min(t.elapsed().as_secs_f64() * 1e3);
            let t = std::time::Instant::now();
            let r = PairReport::new(&a, &c);
            t2 = t2.min(t.elapsed().as_secs_f64() * 1e3);
            let t = std::time::Instant::now();
            let es: Vec<_> = (0..200).map(|i| rational(i, 100).unwrap()).collect();
            std::hint::black_box(r.delta_curve(&es));
            t3 = t3.min(t.elapsed().as_secs_f64() * 1e3);
        }
        println!("{e} {b}: laws {t1:.2} ms, report {t2:.2}, curve {t3:.2}");
    }
}
