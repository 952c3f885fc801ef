//! Laws with finitely many values, by their masses.

use probity_exact::directed::{exp_nearest, ln_nearest};
use probity_kernel::expr::{Expr, Name, Run};
use probity_kernel::finite::draws_uniform;
use probity_kernel::term::{Distribution, Statement};

use super::super::state::{Stop, TOLERANCE, Value, close, place};
use super::{MOST_OUTCOMES, Play, STATEMENT_STEPS};

/// Values with their probabilities.
type Masses = Vec<(Value, f64)>;

impl Play<'_, '_> {
    pub(super) fn pick(&mut self, outcomes: &[(Value, f64)]) -> Result<Value, Stop> {
        let possible: Vec<&Value> = outcomes.iter().filter(|(_, p)| *p > 0.0).map(|(v, _)| v).collect();
        let chosen = self.pair.dice.roll(possible.len());
        possible.get(chosen).map(|v| (*v).clone()).ok_or(Stop::Unclear)
    }

    /// The values of a finite law with their masses.
    pub(super) fn outcomes(&self, law: &Distribution, run: Run) -> Result<Vec<(Value, f64)>, Stop> {
        let number = |e: &Expr| self.pair.number(e, run).ok_or(Stop::Unclear);
        let range = |low: f64, high: f64| -> Result<Vec<f64>, Stop> {
            let count = (high - low + 1.0).max(0.0);
            if count > MOST_OUTCOMES {
                return Err(Stop::Unclear);
            }
            Ok((0..count as usize).map(|n| low + n as f64).collect())
        };
        let even = |values: Vec<f64>| {
            let mass = 1.0 / values.len().max(1) as f64;
            values.into_iter().map(|v| (Value::Number(v), mass)).collect::<Vec<_>>()
        };
        Ok(match law {
            Distribution::Bernoulli(p) => {
                let p = number(p)?;
                self.check((-TOLERANCE..=1.0 + TOLERANCE).contains(&p))?;
                vec![(Value::Flag(true), p), (Value::Flag(false), 1.0 - p)]
            }
            Distribution::Sign => even(vec![1.0, -1.0]),
            Distribution::Choose { scores, .. } | Distribution::PermuteAndFlip { scores, .. } => {
                let Value::List(items) = self.eval(scores, run)? else { return Err(Stop::Fails) };
                // Without an entry there is nothing to choose.
                self.check(!items.is_empty())?;
                even((0..items.len()).map(|n| n as f64).collect())
            }
            Distribution::UniformInt { low, high } => even(range(number(low)?, number(high)?)?),
            Distribution::UniformOther { value, count } => {
                let (value, all) = (number(value)?, range(0.0, number(count)? - 1.0)?);
                even(all.into_iter().filter(|v| *v != value).collect())
            }
            Distribution::Response { value, truth, count } => {
                let (value, p, count) = (number(value)?, number(truth)?, number(count)?);
                let mass = |v: f64| if v == value { p } else { (1.0 - p) / (count - 1.0) };
                range(0.0, count - 1.0)?.into_iter().map(|v| (Value::Number(v), mass(v))).collect()
            }
            _ => return Err(Stop::Fails),
        })
    }

    /// The law of `var` after a block of finite draws, in one run.
    pub(super) fn law(
        &mut self,
        block: &[&Statement],
        var: &Name,
        run: Run,
    ) -> Result<Vec<(Value, f64)>, Stop> {
        let Some((statement, rest)) = block.split_first() else {
            let value = self.pair.runs[place(run)].get(var).cloned().ok_or(Stop::Fails)?;
            return Ok(vec![(value, 1.0)]);
        };
        self.effort.spend(STATEMENT_STEPS).ok_or(Stop::Unclear)?;
        let before = self.pair.runs[place(run)].clone();
        let mut law: Vec<(Value, f64)> = Vec::new();
        match statement {
            Statement::Draw { var: drawn, law: distribution } => {
                for (value, mass) in self.outcomes(distribution, run)? {
                    self.pair.runs[place(run)].insert(drawn.clone(), value);
                    for (value, share) in self.law(rest, var, run)? {
                        match law.iter_mut().find(|(known, _)| *known == value) {
                            Some((_, sum)) => *sum += mass * share,
                            None => law.push((value, mass * share)),
                        }
                    }
                }
            }
            Statement::If { guard, then, otherwise } => {
                let taken = self.eval(guard, run)? == Value::Flag(true);
                let branch = if taken { then } else { otherwise };
                let all: Vec<&Statement> = branch.iter().chain(rest.iter().copied()).collect();
                law = self.law(&all, var, run)?;
            }
            Statement::Assign { .. } => {
                self.alone(statement, run)?;
                law = self.law(rest, var, run)?;
            }
            _ => return Err(Stop::Fails),
        }
        self.pair.runs[place(run)] = before;
        Ok(law)
    }

    pub(super) fn same_value(
        &mut self,
        block: &[Statement],
        var: &Name,
        ratio: &(Expr, Expr),
    ) -> Result<(), Stop> {
        if draws_uniform(block) {
            return self.same_spread_value(block, var, ratio);
        }
        let Some([first, second]) = self.laws(block, var)? else { return Ok(()) };
        let number = |e: &Expr| self.pair.number(e, Run::First).ok_or(Stop::Unclear);
        let (a, b) = (number(&ratio.0)?, number(&ratio.1)?);
        self.check(a > 0.0 && b > 0.0)?;
        self.within(&first, &second, (a, b))?;
        self.pay_for_one(var, &first, ln_nearest(a / b))
    }

    /// A value that the first run comes to, in both runs; densities are not compared here.
    fn same_spread_value(
        &mut self,
        block: &[Statement],
        var: &Name,
        ratio: &(Expr, Expr),
    ) -> Result<(), Stop> {
        self.site += 1;
        if self.pair.spent.len() < self.site {
            self.pair.spent.resize(self.site, 0.0);
        }
        let before = self.pair.runs[0].clone();
        self.run_through(block)?;
        let value = self.pair.runs[0].get(var).cloned().ok_or(Stop::Fails)?;
        self.pair.runs[0] = before;
        if self.alone {
            self.pair.runs[0].insert(var.clone(), value);
            return Ok(());
        }
        let number = |e: &Expr| self.pair.number(e, Run::First).ok_or(Stop::Unclear);
        let (a, b) = (number(&ratio.0)?, number(&ratio.1)?);
        self.check(a > 0.0 && b > 0.0)?;
        self.pair.charge(self.site - 1, ln_nearest(a / b));
        self.pair.set(var, value.clone(), value);
        Ok(())
    }

    /// Draws what the first run draws in a block.
    fn run_through(&mut self, block: &[Statement]) -> Result<(), Stop> {
        for statement in block {
            match statement {
                Statement::Draw { var, law: law @ Distribution::Uniform } => {
                    let value = self.choose(law)?;
                    self.pair.runs[0].insert(var.clone(), value);
                }
                Statement::Draw { var, law } => {
                    let outcomes = self.outcomes(law, Run::First)?;
                    let value = self.pick(&outcomes)?;
                    self.pair.runs[0].insert(var.clone(), value);
                }
                Statement::If { guard, then, otherwise } => {
                    let taken = self.eval(guard, Run::First)? == Value::Flag(true);
                    self.run_through(if taken { then } else { otherwise })?;
                }
                other => self.alone(other, Run::First)?,
            }
        }
        Ok(())
    }

    /// The side condition of a draw from finitely many values in the concentrated measure, and one of them.
    pub(super) fn bounded_ratio(
        &mut self,
        statement: &Statement,
        var: &Name,
        (distance, cost): (&Expr, &Expr),
    ) -> Result<(), Stop> {
        let Some([first, second]) = self.laws(std::slice::from_ref(statement), var)? else { return Ok(()) };
        let number = |e: &Expr| self.pair.number(e, Run::First).ok_or(Stop::Unclear);
        let (d, c) = (number(distance)?, number(cost)?);
        for (here, there) in [(&first, &second), (&second, &first)] {
            self.within(here, there, (exp_nearest(d), 1.0))?;
        }
        self.check(d * d <= 2.0 * c || close(d * d, 2.0 * c))?;
        self.pay_for_one(var, &first, c)
    }

    /// The laws of a variable after a block in both runs; where one run is alone, it gets a value and there is nothing to compare.
    fn laws(&mut self, block: &[Statement], var: &Name) -> Result<Option<[Masses; 2]>, Stop> {
        self.site += 1;
        if self.pair.spent.len() < self.site {
            self.pair.spent.resize(self.site, 0.0);
        }
        let statements: Vec<&Statement> = block.iter().collect();
        let first = self.law(&statements, var, Run::First)?;
        if self.alone {
            let value = self.pick(&first)?;
            self.pair.runs[0].insert(var.clone(), value);
            return Ok(None);
        }
        Ok(Some([first, self.law(&statements, var, Run::Second)?]))
    }

    /// Whether no value is more than a/b times as likely here as there.
    fn within(&self, here: &[(Value, f64)], there: &[(Value, f64)], (a, b): (f64, f64)) -> Result<(), Stop> {
        for (value, mass) in here {
            let other = there.iter().find(|(v, _)| v == value).map_or(0.0, |(_, mass)| *mass);
            self.check(mass * b <= a * other || close(mass * b, a * other))?;
        }
        Ok(())
    }

    fn pay_for_one(&mut self, var: &Name, law: &[(Value, f64)], cost: f64) -> Result<(), Stop> {
        let value = self.pick(law)?;
        self.pair.charge(self.site - 1, cost);
        self.pair.set(var, value.clone(), value);
        Ok(())
    }
}
