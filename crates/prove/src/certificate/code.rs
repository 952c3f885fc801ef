//! The text form of every type that a certificate holds: one table per type, read in both directions.

use std::borrow::Cow;

use probity_kernel::context::Orientation;
use probity_kernel::conversion::Conversion;
use probity_kernel::entail::{Evidence, Product};
use probity_kernel::equivalence::Rewrite;
use probity_kernel::expr::{Binary, Expr, Run, Unary, Variable};
use probity_kernel::float::{Implementation, Uniform};
use probity_kernel::foresee::{Foresight, Kept, Place};
use probity_kernel::lemma::Lemma;
use probity_kernel::privacy::Comparison;
use probity_kernel::term::{
    Adjacency, Called, Claim, Coupling, Distribution, Field, Input, Mechanism, Param, Reading, Sort,
    Statement,
};

use super::text::{Code, ReadError, Text};
use crate::derivation::{Link, Move, Plan, Redraw, Tail};

/// A table: the word for each variant, and its fields in order.
macro_rules! code {
    ($type:ident { $($word:literal => $($path:ident)::+ { $($field:tt: $name:ident),* },)* }) => {
        impl Code for $type {
            fn write(&self) -> Text {
                match self {
                    $($($path)::+ { $($field: $name),* } => Text::beginning(vec![Text::Word(Cow::Borrowed($word)), $($name.write()),*]),)*
                }
            }
            fn read(text: &Text) -> Result<Self, ReadError> {
                // A type whose variants have no fields takes nothing from its parts.
                #[allow(unused_mut)]
                let (word, mut parts) = text.head()?;
                let value = match word {
                    $($word => {
                        $(let $name = parts.next()?;)*
                        $($path)::+ { $($field: $name),* }
                    })*
                    other => return Err(ReadError::new(concat!("a ", stringify!($type)), other)),
                };
                parts.end()?;
                Ok(value)
            }
        }
    };
}

code! { Run { "1" => Run::First {}, "2" => Run::Second {}, } }

code! { Variable {
    "plain" => Variable::Plain { 0: name },
    "of" => Variable::Of { 0: name, 1: run },
    "cost" => Variable::Cost {},
    "result" => Variable::Result {},
    "changed" => Variable::Changed { 0: list },
    "field" => Variable::Field { 0: table, 1: field },
    "row" => Variable::Row { 0: table, 1: run, 2: field },
    "entry" => Variable::Entry { 0: list },
    "moved" => Variable::Moved { 0: list },
    "arbitrary" => Variable::Arbitrary { 0: name, 1: number },
} }

code! { Unary {
    "neg" => Unary::Neg {},
    "abs" => Unary::Abs {},
    "floor" => Unary::Floor {},
    "ln" => Unary::Ln {},
    "exp" => Unary::Exp {},
    "pow2-at-least" => Unary::Pow2AtLeast {},
    "sqrt" => Unary::Sqrt {},
    "not" => Unary::Not {},
} }

code! { Binary {
    "+" => Binary::Add {},
    "-" => Binary::Sub {},
    "*" => Binary::Mul {},
    "/" => Binary::Div {},
    "mod" => Binary::Mod {},
    "min" => Binary::Min {},
    "max" => Binary::Max {},
    "round-to" => Binary::RoundTo {},
    "<" => Binary::Lt {},
    "<=" => Binary::Le {},
    "==" => Binary::Eq {},
    "!=" => Binary::Ne {},
    ">=" => Binary::Ge {},
    ">" => Binary::Gt {},
    "and" => Binary::And {},
    "or" => Binary::Or {},
} }

code! { Expr {
    "number" => Expr::Number { 0: value },
    "bool" => Expr::Bool { 0: value },
    "var" => Expr::Var { 0: variable },
    "unary" => Expr::Unary { 0: operation, 1: a },
    "binary" => Expr::Binary { 0: operation, 1: a, 2: b },
    "clamp" => Expr::Clamp { 0: value, 1: low, 2: high },
    "if" => Expr::If { 0: condition, 1: yes, 2: no },
    "index" => Expr::Index { 0: list, 1: index },
    "length" => Expr::Length { 0: list },
    "empty-list" => Expr::EmptyList {},
    "sum" => Expr::Sum { 0: table, 1: condition, 2: value },
    "apart" => Expr::Apart { 0: list, 1: low, 2: high },
} }

code! { Sort {
    "real" => Sort::Real {},
    "int" => Sort::Int {},
    "bool" => Sort::Bool {},
    "category" => Sort::Category { count: count },
    "real-list" => Sort::RealList {},
    "int-list" => Sort::IntList {},
    "rows" => Sort::Rows { 0: fields },
} }

code! { Field { "field" => Field { name: name, sort: sort }, } }

code! { Input { "input" => Input { name: name, sort: sort }, } }
code! { Param { "param" => Param { name: name, sort: sort }, } }

code! { Distribution {
    "uniform" => Distribution::Uniform {},
    "sign" => Distribution::Sign {},
    "bernoulli" => Distribution::Bernoulli { 0: p },
    "uniform-int" => Distribution::UniformInt { low: low, high: high },
    "uniform-other" => Distribution::UniformOther { value: value, count: count },
    "response" => Distribution::Response { value: value, truth: truth, count: count },
    "called" => Distribution::Called { 0: called },
    "choose" => Distribution::Choose { scores: scores, scale: scale },
    "permute-and-flip" => Distribution::PermuteAndFlip { scores: scores, scale: scale },
    "sample" => Distribution::Sample { table: table, rate: rate },
    "laplace" => Distribution::Laplace { center: center, scale: scale },
    "discrete-laplace" => Distribution::DiscreteLaplace { center: center, scale: scale },
    "gaussian" => Distribution::Gaussian { center: center, deviation: deviation },
    "discrete-gaussian" => Distribution::DiscreteGaussian { center: center, deviation: deviation },
    "gumbel" => Distribution::Gumbel { center: center, scale: scale },
    "exponential" => Distribution::Exponential { scale: scale },
    "geometric" => Distribution::Geometric { scale: scale },
} }

code! { Called {
    "called" => Called { mechanism: mechanism, claim: claim, inputs: inputs, params: params, released: released },
} }

code! { Statement {
    "draw" => Statement::Draw { var: var, law: law },
    "assign" => Statement::Assign { var: var, value: value },
    "append" => Statement::Append { list: list, value: value },
    "if" => Statement::If { guard: guard, then: then, otherwise: otherwise },
    "for" => Statement::For { index: index, from: from, to: to, body: body },
    "while" => Statement::While { label: label, guard: guard, body: body },
} }

code! { Adjacency {
    "related" => Adjacency::Related { 0: assertion },
    "every-entry" => Adjacency::EveryEntry { list: list, bound: bound },
    "every-entry-grows" => Adjacency::EveryEntryGrows { list: list, bound: bound },
    "one-entry" => Adjacency::OneEntry { list: list, bound: bound },
    "one-entry-of" => Adjacency::OneEntryOf { lists: lists, bound: bound },
    "norm" => Adjacency::Norm { list: list, bound: bound, squares: squares },
    "one-row" => Adjacency::OneRow { table: table },
    "row-replaced" => Adjacency::RowReplaced { table: table },
    "rows" => Adjacency::Rows { table: table, most: most },
} }

code! { Mechanism {
    "mechanism" => Mechanism {
        name: name, inputs: inputs, params: params, assumptions: assumptions, body: body, output: output,
        adjacency: adjacency
    },
} }

code! { Reading {
    "reals" => Reading::Reals {},
    "rho" => Reading::Rho {},
    "mu" => Reading::Mu {},
    "binary" => Reading::Binary { precision: precision, emin: emin, emax: emax },
} }

code! { Claim { "claim" => Claim { epsilon: epsilon, delta: delta, reading: reading }, } }

code! { Coupling {
    "null" => Coupling::Null {},
    "shift" => Coupling::Shift { by: by, cost: cost },
    "select" => Coupling::Select { threshold: threshold, strict: strict, above: above, below: below },
    "scale" => Coupling::Scale { cost: cost },
    "same-value" => Coupling::SameValue { ratio: ratio },
    "equal" => Coupling::Equal { distance: distance, cost: cost },
    "chosen" => Coupling::Chosen { low: low, high: high, cost: cost },
    "signed-log" => Coupling::SignedLog { by: by, cost: cost },
} }

code! { Rewrite {
    "laplace-law" => Rewrite::LaplaceLaw { uniform: uniform, sign: sign, noise: noise },
    "response-law" => Rewrite::ResponseLaw { keep: keep, other: other, response: response },
    "mixture-law" => Rewrite::MixtureLaw { keep: keep, other: other, response: response },
    "difference-law" => Rewrite::DifferenceLaw { plus: plus, minus: minus, noise: noise },
    "sign-law" => Rewrite::SignLaw { sign: sign, size: size, noise: noise },
    "exponential-law" => Rewrite::ExponentialLaw { uniform: uniform, noise: noise },
    "gumbel-law" => Rewrite::GumbelLaw { draw: draw, noise: noise },
    "inverse-law" => Rewrite::InverseLaw { uniform: uniform, value: value, with: with, noise: noise, less: less },
    "unroll" => Rewrite::Unroll { index: index },
    "first-round" => Rewrite::FirstRound { index: index },
    "range" => Rewrite::Range { index: index },
    "inline" => Rewrite::Inline { var: var },
    "conditional" => Rewrite::Conditional { var: var },
    "hoist" => Rewrite::Hoist { var: var },
    "join" => Rewrite::Join {},
    "tail" => Rewrite::Tail {},
    "merge" => Rewrite::Merge { var: var },
    "entry" => Rewrite::Entry { var: var },
    "one-draw" => Rewrite::OneDraw { var: var },
    "center" => Rewrite::Center { noise: noise, value: value, var: var },
    "name" => Rewrite::Name { var: var },
} }

code! { Comparison { "equal" => Comparison::Equal {}, "pointwise" => Comparison::Pointwise {}, } }
code! { Orientation { "forward" => Orientation::Forward {}, "backward" => Orientation::Backward {}, } }

code! { Tail {
    "exact" => Tail::Exact {},
    "exact-both" => Tail::Exacts {},
    "low" => Tail::Low {},
    "low-from" => Tail::LowFrom {},
    "low-exact" => Tail::LowExact {},
    "far" => Tail::Far {},
    "start" => Tail::Start {},
    "uniform" => Tail::Uniform {},
    "yes" => Tail::Yes {},
    "no" => Tail::No {},
} }

code! { Move {
    "plain" => Move::Plain {},
    "one-sided" => Move::OneSided {},
    "one-sided-parts" => Move::OneSidedParts {},
    "draw" => Move::Draw { 0: coupling },
    "up-to" => Move::UpTo { 0: coupling, 1: tail },
    "up-to-upper" => Move::Below { 0: coupling, 1: tail },
    "up-to-open" => Move::Under { 0: coupling, 1: tail },
    "up-to-part" => Move::Tail { 0: part, 1: coupling, 2: at },
    "call" => Move::Call { 0: cost, 1: plan, 2: evidence },
    "joint" => Move::Joint { 0: by, 1: cost },
    "same-value" => Move::SameValue { 0: var, 1: size, 2: ratio },
    "cases" => Move::Cases { 0: question, 1: yes, 2: no },
    "split" => Move::Split { 0: guard, 1: yes, 2: no },
    "if" => Move::If { 0: then, 1: otherwise },
    "for" => Move::For { 0: invariant, 1: body },
    "for-once" => Move::ForOnce { 0: invariant, 1: rounds, 2: body },
    "while" => Move::While { 0: invariant, 1: body },
    "redraw" => Move::Redraw { 0: plan },
    "assert" => Move::Assert { 0: formula },
    "chain" => Move::Chain { 0: known, 1: links },
} }

code! { Redraw {
    "rounds" => Redraw {
        once_before: once_before, known: known, round: round, back: back, post: post, amounts: amounts, paid: paid
    },
} }

code! { Link {
    "alike" => Link::Alike { 0: size },
    "judged" => Link::Judged { 0: moves, 1: after },
    "select" => Link::Select { 0: moves, 1: var, 2: amount, 3: paid },
} }

code! { Conversion {
    "normal" => Conversion::Normal {},
    "order" => Conversion::Order { 0: order },
    "tail" => Conversion::Tail { 0: evidence },
    "normal-tail" => Conversion::NormalTail { 0: evidence },
} }

code! { Foresight {
    "foresight" => Foresight { keys: keys, noise: noise, places: places, kept: kept, tied: tied, ties: ties },
} }

code! { Kept { "kept" => Kept { name: name, start: start, next: next }, } }
code! { Place { "place" => Place { index: index, by: by, amount: amount }, } }

impl Code for Plan {
    fn write(&self) -> Text {
        let Plan { rewrites, comparison, sides, through, sampled, grouped, foresight } = self;
        let mut parts = vec![rewrites.write(), comparison.write(), sides.write()];
        let mut word = "plan";
        if let Some(through) = through {
            let (claim, conversion) = &**through;
            parts.extend([claim.write(), conversion.write()]);
            word = "converted-plan";
        }
        let plan = Text::named(word, parts);
        let plan = match foresight {
            None => plan,
            Some(foresight) => Text::named("foreseeing-plan", vec![foresight.write(), plan]),
        };
        let plan = match grouped {
            None => plan,
            Some(claim) => Text::named("grouped-plan", vec![claim.write(), plan]),
        };
        match sampled {
            None => plan,
            Some(claim) => Text::named("sampled-plan", vec![claim.write(), plan]),
        }
    }

    fn read(text: &Text) -> Result<Self, ReadError> {
        let (word, mut parts) = text.head()?;
        let converted = match word {
            "plan" => false,
            "converted-plan" => true,
            "sampled-plan" => {
                let (claim, plan): (Claim, Plan) = (parts.next()?, parts.next()?);
                parts.end()?;
                return match plan.sampled {
                    None => Ok(Plan { sampled: Some(Box::new(claim)), ..plan }),
                    Some(_) => Err(ReadError::new("a Plan without a sample", word)),
                };
            }
            "grouped-plan" => {
                let (claim, plan): (Claim, Plan) = (parts.next()?, parts.next()?);
                parts.end()?;
                return match (&plan.sampled, &plan.grouped) {
                    (None, None) => Ok(Plan { grouped: Some(Box::new(claim)), ..plan }),
                    _ => Err(ReadError::new("a Plan about one row", word)),
                };
            }
            "foreseeing-plan" => {
                let (foresight, plan): (Foresight, Plan) = (parts.next()?, parts.next()?);
                parts.end()?;
                return match (&plan.sampled, &plan.grouped, &plan.foresight) {
                    (None, None, None) => Ok(Plan { foresight: Some(Box::new(foresight)), ..plan }),
                    _ => Err(ReadError::new("a Plan that foresees nothing", word)),
                };
            }
            other => return Err(ReadError::new("a Plan", other)),
        };
        let (rewrites, comparison, sides) = (parts.next()?, parts.next()?, parts.next()?);
        let through = if converted { Some(Box::new((parts.next()?, parts.next()?))) } else { None };
        parts.end()?;
        Ok(Plan { sides, through, ..Plan::of(rewrites, comparison) })
    }
}

code! { Uniform { "star" => Uniform::Star {}, "bits" => Uniform::Bits { 0: bits }, } }
code! { Implementation { "threshold" => Implementation { uniform: uniform, ln_ulps: ln_ulps }, } }

code! { Product { "product" => Product { coefficient: coefficient, scale: scale, facts: facts }, } }

code! { Lemma {
    "adjacent" => Lemma::Adjacent { 0: list, 1: index },
    "inverse" => Lemma::Inverse { 0: a },
    "inverse-positive" => Lemma::InversePositive { 0: a },
    "floor" => Lemma::Floor { 0: a },
    "floor-monotone" => Lemma::FloorMonotone { 0: a, 1: b },
    "round-near" => Lemma::RoundNear { 0: a, 1: g },
    "round-monotone" => Lemma::RoundMonotone { 0: a, 1: b, 2: g },
    "mod-range" => Lemma::ModRange { 0: a, 1: b },
    "pow2" => Lemma::Pow2 { 0: a },
    "exp-positive" => Lemma::ExpPositive { 0: a },
    "exp-sum" => Lemma::ExpSum { 0: a, 1: b },
    "exp-monotone" => Lemma::ExpMonotone { 0: a, 1: b },
    "exp-tangent" => Lemma::ExpTangent { 0: a },
    "ln-monotone" => Lemma::LnMonotone { 0: a, 1: b },
    "ln-positive" => Lemma::LnPositive { 0: a },
    "ln-product" => Lemma::LnProduct { 0: a, 1: b },
    "ln-quotient" => Lemma::LnQuotient { 0: a, 1: b },
    "exp-ln" => Lemma::ExpLn { 0: a },
    "ln-exp" => Lemma::LnExp { 0: a },
    "ln-value" => Lemma::LnValue { 0: a },
    "exp-value" => Lemma::ExpValue { 0: a },
    "same-unary" => Lemma::SameUnary { 0: operation, 1: a, 2: b },
    "same-binary" => Lemma::SameBinary { 0: operation, 1: first, 2: second },
    "same-entry" => Lemma::SameEntry { 0: list, 1: a, 2: b },
    "equal-entries" => Lemma::EqualEntries { 0: list, 1: a, 2: b },
    "equal-lengths" => Lemma::EqualLengths { 0: list },
    "rows" => Lemma::Rows { 0: table, 1: first, 2: second },
    "apart" => Lemma::Apart { 0: list, 1: low, 2: high },
    "apart-wider" => Lemma::ApartWider { 0: list, 1: first, 2: second },
    "moved" => Lemma::Moved { 0: list, 1: index },
    "sqrt" => Lemma::Sqrt { 0: a },
} }

code! { Evidence {
    "combination" => Evidence::Combination { products: products, equations: equations },
    "clash" => Evidence::Clash { 0: yes, 1: no },
    "absurd" => Evidence::Absurd { 0: number },
    "cases" => Evidence::Cases { 0: number, 1: branches },
    "cut" => Evidence::Cut { 0: formula, 1: yes, 2: no },
    "cite" => Evidence::Cite { 0: lemma, 1: rest },
} }
