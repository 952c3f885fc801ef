//! What lemmas, laws and the rules of programs say, word for word. That the lemmas are true is tried elsewhere (`tests/meaning.rs`); that
//! each says all of what its documentation has, and nothing weaker, is held here.

use probity_kernel::law;
use probity_kernel::lemma::Lemma;

use crate::common::*;

fn formula(lemma: &Lemma) -> Option<String> {
    lemma.formula(&context(&[])).map(|formula| formula.to_string())
}

fn says(lemma: Lemma, text: &str) {
    assert_eq!(formula(&lemma).as_deref(), Some(text), "{lemma}");
}

#[test]
fn lemmas_about_numbers_say_what_they_say() {
    let (a, b, g) = (|| first("x"), || second("x"), || var("eps"));
    says(Lemma::Inverse(a()), "not x != 0 or x * (1 / x) == 1");
    says(Lemma::InversePositive(a()), "not 0 < x or 0 < 1 / x");
    says(Lemma::Floor(a()), "floor(x) <= x and x < floor(x) + 1");
    says(Lemma::FloorMonotone(a(), b()), "not x <= x' or floor(x) <= floor(x')");
    says(Lemma::RoundNear(a(), g()), "not 0 < eps or abs(round_to(x, eps) - x) <= eps / 2");
    let monotone = "not (0 < eps and x <= x') or round_to(x, eps) <= round_to(x', eps)";
    says(Lemma::RoundMonotone(a(), b(), g()), monotone);
    let pow2 = "not 0 < x or x <= pow2_at_least(x) and pow2_at_least(x) < x * 2";
    says(Lemma::Pow2(a()), pow2);
    says(Lemma::Sqrt(a()), "not 0 <= x or 0 <= sqrt(x) and sqrt(x) * sqrt(x) == x");
}

#[test]
fn lemmas_about_remainders_are_of_integers() {
    let (n, m) = (|| first("n"), || var("N"));
    says(Lemma::ModRange(n(), m()), "not 0 < N or 0 <= n mod N and n mod N < N");
    assert_eq!(formula(&Lemma::ModRange(first("x"), m())), None);
    assert_eq!(formula(&Lemma::ModRange(n(), var("eps"))), None);
}

#[test]
fn lemmas_about_exponentials_and_logarithms_say_what_they_say() {
    let (a, b) = (|| first("x"), || second("x"));
    says(Lemma::ExpPositive(a()), "0 < exp(x)");
    says(Lemma::ExpSum(a(), b()), "exp(x + x') == exp(x) * exp(x')");
    says(Lemma::ExpMonotone(a(), b()), "not x <= x' or exp(x) <= exp(x')");
    says(Lemma::ExpTangent(a()), "1 + x <= exp(x)");
    says(Lemma::LnMonotone(a(), b()), "not (0 < x and x <= x') or ln(x) <= ln(x')");
    says(Lemma::LnPositive(a()), "not 1 < x or 0 < ln(x)");
    says(Lemma::LnProduct(a(), b()), "not (0 < x and 0 < x') or ln(x * x') == ln(x) + ln(x')");
    says(Lemma::LnQuotient(a(), b()), "not (0 < x and 0 < x') or ln(x / x') == ln(x) - ln(x')");
    says(Lemma::ExpLn(a()), "not 0 < x or exp(ln(x)) == x");
    says(Lemma::LnExp(a()), "ln(exp(x)) == x");
}

/// The numbers are those of a calculation apart from the kernel: the multiples of 2^−16 next to ln 2, e, e^20 and e^−20.
#[test]
fn enclosures_are_rounded_outward() {
    let r = |n: i64| Rational::from(n);
    says(Lemma::LnValue(r(2)), "22713/32768 <= ln(2) and ln(2) <= 45427/65536");
    says(Lemma::ExpValue(r(1)), "178145/65536 <= exp(1) and exp(1) <= 89073/32768");
    says(Lemma::ExpValue(r(-20)), "0 <= exp(-20) and exp(-20) <= 1/65536");
    let large = "3974473280797/8192 <= exp(20) and exp(20) <= 31795786246377/65536";
    says(Lemma::ExpValue(r(20)), large);
    for n in [41, -41, 42, -42] {
        assert_eq!(formula(&Lemma::ExpValue(rational(n, 2).unwrap())), None, "{n}/2");
    }
    for n in [0, -1] {
        assert_eq!(formula(&Lemma::LnValue(r(n))), None, "{n}");
    }
}

/// Numbers so near to ln 3 and to e that the enclosures of their images have 3 and 1 inside: the bounds lie on their own sides.
#[test]
fn enclosures_keep_their_sides() {
    // A number in three parts, in units of 2^-60, 2^-120 and 2^-180, and the next one.
    let unit = || Rational::from(1i64 << 60);
    let near = |parts: [i64; 3]| {
        parts.iter().rev().fold(Rational::ZERO, |rest, part| (rest + Rational::from(*part)) / unit())
    };
    let next = |[a, b, c]: [i64; 3]| near([a, b, c + 1]);
    let bounds = |lemma: Lemma| match lemma.formula(&context(&[])).unwrap() {
        Expr::Binary(Binary::And, low, high) => match (&*low, &*high) {
            (Expr::Binary(Binary::Le, low, _), Expr::Binary(Binary::Le, _, high)) => {
                (value(low, &values(&[])), value(high, &values(&[])))
            }
            _ => panic!("{low} and {high}"),
        },
        other => panic!("{other}"),
    };
    // The floors of ln 3 and of e, by a calculation apart.
    let (log, euler) = (
        [1_266_613_732_830_808_727, 478_535_555_215_604_604, 818_495_440_237_067_784],
        [3_133_965_575_612_453_542, 774_462_285_859_845_363, 897_956_240_199_748_429],
    );
    for (lemmas, at) in [
        ([Lemma::ExpValue(near(log)), Lemma::ExpValue(next(log))], 3),
        ([Lemma::LnValue(near(euler)), Lemma::LnValue(next(euler))], 1),
    ] {
        let [below, above] = lemmas.map(bounds);
        let at = Rational::from(at);
        assert!(below.0 < at && at <= below.1, "{below:?}");
        assert!(above.0 <= at && at < above.1, "{above:?}");
    }
}

#[test]
fn functions_of_equal_numbers_are_equal() {
    let (a, b, c, d) = (first("x"), second("x"), first("n"), second("n"));
    for (op, name) in [
        (Unary::Floor, "floor"),
        (Unary::Ln, "ln"),
        (Unary::Exp, "exp"),
        (Unary::Pow2AtLeast, "pow2_at_least"),
        (Unary::Sqrt, "sqrt"),
    ] {
        let said = format!("not x == x' or {name}(x) == {name}(x')");
        says(Lemma::SameUnary(op, a.clone(), b.clone()), &said);
    }
    assert_eq!(formula(&Lemma::SameUnary(Unary::Not, a.clone(), b.clone())), None);
    let pairs = || ((a.clone(), b.clone()), (c.clone(), d.clone()));
    let binary = |op| Lemma::SameBinary(op, pairs().0, pairs().1);
    says(binary(Binary::Div), "not (x == x' and n == n') or x / n == x' / n'");
    says(binary(Binary::Mod), "not (x == x' and n == n') or x mod n == x' mod n'");
    says(binary(Binary::RoundTo), "not (x == x' and n == n') or round_to(x, n) == round_to(x', n')");
    assert_eq!(formula(&binary(Binary::Lt)), None);
    let list = Variable::Of("q".into(), Run::First);
    says(Lemma::SameEntry(list, c.clone(), d.clone()), "not n == n' or q[n] == q[n']");
    // Of two lists both the lists and the places have to be equal.
    says(Lemma::EqualEntries("q".into(), c, d), "not (q == q' and n == n') or q[n] == q'[n']");
    says(Lemma::EqualLengths("q".into()), "not q == q' or length(q) == length(q')");
}

#[test]
fn lemmas_about_lists_say_what_the_adjacency_says() {
    let (low, high) = (var("eps"), var("free"));
    let said = |clause: Adjacency, orientation, lemma: &Lemma| {
        let whole = Mechanism { adjacency: vec![clause], ..mechanism(vec![], int(0)) };
        lemma.formula(&Context::new(&whole, orientation).unwrap()).map(|e| e.to_string())
    };
    let apart = Lemma::Apart("q".into(), low.clone(), high.clone());
    let (list, bound) = (|| "q".into(), || var("N"));
    use Orientation::{Backward, Forward};
    let ends = |premise: &str| Some(format!("not ({premise}) or apart(q, eps, free)"));
    for orientation in [Forward, Backward] {
        let every = Adjacency::EveryEntry { list: list(), bound: bound() };
        let needed = "0 <= N and (eps <= -N and N <= free)";
        assert_eq!(said(every, orientation, &apart), ends(needed));
        for squares in [true, false] {
            let norm = Adjacency::Norm { list: list(), bound: bound(), squares };
            assert_eq!(said(norm, orientation, &apart), ends("eps <= -N and N <= free"));
        }
        let one = Adjacency::OneEntry { list: list(), bound: bound() };
        let change = "q'[changed(q)] - q[changed(q)]";
        let needed = format!("eps <= 0 and 0 <= free and (eps <= {change} and {change} <= free)");
        assert_eq!(said(one, orientation, &apart), ends(&needed));
    }
    let grows = || Adjacency::EveryEntryGrows { list: list(), bound: bound() };
    assert_eq!(said(grows(), Forward, &apart), ends("0 <= N and (eps <= 0 and N <= free)"));
    assert_eq!(said(grows(), Backward, &apart), ends("0 <= N and (eps <= -N and 0 <= free)"));
    let (a, b) = ((first("x"), second("x")), (low, high));
    let wider = Lemma::ApartWider("q".into(), a, b);
    let text = "not (apart(q, x, x') and (eps <= x and x' <= free)) or apart(q, eps, free)";
    says(wider, text);
}

#[test]
fn lemmas_about_norms_say_how_far_entries_have_moved() {
    let moved = Lemma::Moved("q".into(), first("n"));
    let said = |squares| {
        let clause = Adjacency::Norm { list: "q".into(), bound: var("eps"), squares };
        let whole = Mechanism { adjacency: vec![clause], ..mechanism(vec![], int(0)) };
        moved.formula(&Context::new(&whole, Orientation::Forward).unwrap()).unwrap().to_string()
    };
    let text = |step: &str, most: &str| {
        let (here, next) = ("moved(q, n)", "moved(q, n + 1)");
        format!(
            "(not n == 0 or {here} == 0) and (not 0 <= n or 0 <= {here} and {next} == {here} + {step} \
             and {here} <= {most} and {next} <= {most} and 0 <= eps)"
        )
    };
    assert_eq!(said(false), text("abs(q'[n] - q[n])", "eps"));
    assert_eq!(said(true), text("(q'[n] - q[n]) * (q'[n] - q[n])", "eps * eps"));
}

#[test]
fn laws_say_when_they_mean_something_and_what_they_draw() {
    let check = |law: Distribution, conditions: &[&str], support: &str| {
        let said: Vec<String> = law::conditions(&law).iter().map(|e| e.to_string()).collect();
        assert_eq!(said, conditions, "{law}");
        assert_eq!(law::support(&law, var("y")).to_string(), support, "{law}");
    };
    let (v, t, s) = (|| var("v"), || var("t"), || var("s"));
    let positive = &["0 < s"];
    check(Distribution::Uniform, &[], "0 < y and y <= 1");
    check(Distribution::Sign, &[], "y == 1 or y == -1");
    check(Distribution::Bernoulli(v()), &["0 <= v", "v <= 1"], "true");
    check(Distribution::UniformInt { low: v(), high: t() }, &["v <= t"], "v <= y and y <= t");
    let category = ["2 <= t", "0 <= v", "v < t"];
    check(Distribution::UniformOther { value: v(), count: t() }, &category, "0 <= y and y < t");
    let response = ["0 <= s", "s <= 1", "2 <= t", "0 <= v", "v < t"];
    check(Distribution::Response { value: v(), truth: s(), count: t() }, &response, "0 <= y and y < t");
    let among = &["0 < s", "1 <= length(q)"];
    let inside = "0 <= y and y < length(q)";
    check(Distribution::Choose { scores: var("q"), scale: s() }, among, inside);
    check(Distribution::PermuteAndFlip { scores: var("q"), scale: s() }, among, inside);
    check(Distribution::Sample { table: var("q"), rate: v() }, &["0 <= v", "v <= 1"], "true");
    check(laplace(v(), s()), positive, "true");
    check(Distribution::DiscreteLaplace { center: v(), scale: s() }, positive, "true");
    check(Distribution::Gaussian { center: v(), deviation: s() }, positive, "true");
    check(Distribution::DiscreteGaussian { center: v(), deviation: s() }, positive, "true");
    check(Distribution::Exponential { scale: s() }, positive, "0 <= y");
    check(Distribution::Geometric { scale: s() }, positive, "0 <= y");
}

#[test]
fn conditions_and_loops_say_what_their_rules_say() {
    let far = draw("y", laplace(int(0), int(3)));
    let body = vec![far.clone(), assign("y", var("x"))];
    let guard = var("x").le(int(0));
    let context = context(&[
        choose(guard.clone(), body.clone(), vec![]),
        Statement::For { index: "i".into(), from: int(2), to: var("N"), body: body.clone() },
    ]);
    let post = || assertion(&context, Expr::cost().le(int(5)));
    let shown = |j: &Judgement| format!("{} => {}; {}", j.pre().formula(), j.post().formula(), j.delta());
    let tail = up_to_tail(&context, &far, &Coupling::Null, &int(4), &post()).unwrap();
    let scale = Coupling::Shift { by: int(0), cost: int(1) };
    let paid = sample(&context, &far, &scale, &post()).unwrap();
    // Both runs take one branch, whose precondition holds there.
    let both = rules::cond(&guard, &tail, &paid).unwrap();
    let (yes, no) = (tail.pre().formula(), paid.pre().formula());
    let said = format!(
        "(x <= 0) == (x' <= 0) and ((not x <= 0 or {yes}) and (x <= 0 or {no})) => cost <= 5; exp(-(4 / 3))"
    );
    assert_eq!(shown(&both), said);
    // The invariant counts on: it holds at the first index before, and at the last one after.
    let invariant = Expr::cost().le(var("i") + int(1));
    let next = assertion(&context, Expr::cost().le(var("i") + int(1) + int(1)));
    let round = rules::assign(&context, &assign("y", var("x")), &next).unwrap();
    // cost ≤ i + 1, after what the context knows, and that cost ≤ i + 2 is false, after the range of i.
    let evidence = sum(&[KNOWN, KNOWN + 3]);
    let bounds = (&int(2), &var("N"));
    let looped = rules::for_loop(&"i".into(), bounds, &invariant, &round, &evidence).unwrap();
    assert_eq!(shown(&looped), "2 <= N and cost <= 2 + 1 => cost <= N + 1; 0");
}

/// Without draws each run is a function of its own state, and both runs are looked at.
#[test]
fn one_sided_is_about_both_runs() {
    let branch = choose(var("b"), vec![assign("y", int(1))], vec![assign("y", int(2))]);
    let context = context(std::slice::from_ref(&branch));
    let step = rules::one_sided_both(&context, &branch, &assertion(&context, same("y"))).unwrap();
    let (ours, theirs) = (of("b"), other("b"));
    for (one, two) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let state = values(&[(ours.clone(), one), (theirs.clone(), two)]);
        assert_eq!(holds(step.pre().formula(), &state), one == two, "{one} {two}");
    }
    let set = assign("y", var("x"));
    let post = assertion(&context, first("y").le(second("y")));
    let step = rules::assign(&context, &set, &post).unwrap();
    assert_eq!(step.pre().formula().to_string(), "x <= x'");
}

/// A judgement is about the program that its parts make up, in their order.
#[test]
fn judgements_are_about_their_programs() {
    let (one, two) = (assign("y", var("n")), assign("z", var("y")));
    let guard = var("b");
    let branch = choose(guard.clone(), vec![one.clone()], vec![two.clone()]);
    let looped = count("i", int(3), vec![one.clone()]);
    let context = context(&[one.clone(), two.clone(), branch.clone(), looped.clone()]);
    let post = assertion(&context, first("z").le(second("y")));
    let back = rules::assign(&context, &two, &post).unwrap();
    let front = rules::assign(&context, &one, back.pre()).unwrap();
    let whole = rules::seq(&front, &back).unwrap();
    assert_eq!(whole.program(), [one.clone(), two.clone()]);
    assert_eq!((whole.pre(), whole.post()), (front.pre(), back.post()));
    assert_eq!(whole.pre().formula().to_string(), "n <= n'");
    let then = rules::assign(&context, &one, &post).unwrap();
    let both = rules::cond(&guard, &then, &back).unwrap();
    assert_eq!(both.program(), [branch]);
    assert_eq!(both.post(), &post);
    let said = "b == b' and ((not b or z <= n') and (b or y <= y'))";
    assert_eq!(both.pre().formula().to_string(), said);
    let always = rules::assign(&context, &one, &assertion(&context, yes())).unwrap();
    let evidence = Evidence::Absurd(KNOWN + 2);
    let rounds = rules::for_loop(&"i".into(), (&int(0), &int(3)), &yes(), &always, &evidence).unwrap();
    assert_eq!(rounds.program(), [looped]);
}

/// What a judgement rests on is never forgotten: a claim in μ looks for axioms that it may not rest on.
#[test]
fn axioms_are_kept() {
    let noise = draw("y", laplace(int(0), int(1)));
    let flat = flip("z", number(1, 2));
    let looped =
        Statement::For { index: "i".into(), from: int(0), to: int(3), body: vec![assign("w", int(0))] };
    let context = context(&[noise.clone(), flat.clone(), assign("w", int(0)), looped]);
    let post = assertion(&context, yes());
    let all = |j: &Judgement| j.axioms().iter().copied().collect::<Vec<_>>();
    let shift = Coupling::Shift { by: int(0), cost: int(0) };
    let one = sample(&context, &noise, &shift, &post).unwrap();
    let ratio = Coupling::SameValue { ratio: (int(1), int(1)) };
    let two = sample(&context, &flat, &ratio, one.pre()).unwrap();
    assert_eq!(all(&rules::seq(&two, &one).unwrap()), ["LAPGEN", "MAXDIV"]);
    let other = sample(&context, &flat, &ratio, &post).unwrap();
    assert_eq!(all(&rules::cond(&var("b"), &one, &other).unwrap()), ["LAPGEN", "MAXDIV"]);
    // From false follows everything: after what the context knows, that is the next fact.
    let absurd = Evidence::Absurd(KNOWN);
    let stronger = rules::strengthen(&Expr::Bool(false), &one, &absurd).unwrap();
    assert_eq!(all(&stronger), ["LAPGEN"]);
    let cited = Evidence::Cite(Lemma::ExpPositive(int(0)), Box::new(absurd));
    let stronger = rules::strengthen(&Expr::Bool(false), &one, &cited).unwrap();
    assert_eq!(all(&stronger), ["LAPGEN", "exp-positive"]);
    let weaker = rules::weaken(&one, &post, &Evidence::Absurd(KNOWN)).unwrap();
    assert_eq!(all(&weaker), ["LAPGEN"]);
}
