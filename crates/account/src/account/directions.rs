//! Both directions of a composition: the larger answer is asked for, so the other one is looked at only as closely as it takes.

use std::time::Instant;

use probity_exact::Rational;

use super::{Bracket, Composing, Found, Question, basic};
use crate::fixed::near;
use crate::general::Scene;
use crate::large;
use crate::model::Direction;
use crate::scout::{Guess, exp, ln};

/// A direction whose δ seems to be smaller than the other's by e to this is looked at only as closely as it takes to see that.
const FAR_BELOW: f64 = 20.0;

impl Composing<'_> {
    /// Every direction. The larger answer is asked for: a direction that is likely to have the smaller one is looked at only as
    /// closely as it takes to see that it has.
    pub fn all(&self, directions: &[Direction]) -> Result<Vec<Found>, String> {
        if !large::is_large(self.laws) {
            return self.by_ratios(directions);
        }
        let known = self.by_losses(directions);
        let whole = known.iter().map(|found| found.bracket.clone()).reduce(Bracket::or);
        let reached = whole.is_some_and(|whole| whole.width() <= self.effort.width);
        if reached || large::is_too_large(self.laws) || Instant::now() > self.deadline {
            return Ok(known);
        }
        let found = self.by_ratios(directions)?;
        Ok(found.into_iter().zip(known).map(|(found, known)| found.or_by(known)).collect())
    }

    /// Every direction by the law of its loss alone, each with its share of the time.
    fn by_losses(&self, directions: &[Direction]) -> Vec<Found> {
        let basic = basic(self.laws, self.question);
        let one = |direction: Direction, share: u32, width: f64| {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let found =
                large::bracket(self.laws, direction, self.question, width, Instant::now() + left / share);
            let found = found.unwrap_or_else(|| Found::nothing(self.question));
            Found { bracket: found.bracket.clone().and(basic.clone()), ..found }
        };
        let [first, second] = directions else {
            return directions.iter().map(|direction| one(*direction, 1, self.effort.width)).collect();
        };
        // The larger answer is asked for: a direction that has the smaller one is looked at once.
        let (mut one_way, mut other_way) = (one(*first, 4, 1.0), one(*second, 3, 1.0));
        if !one_way.is_below(&other_way) {
            let share = if other_way.is_below(&one_way) { 1 } else { 2 };
            one_way = one(*first, share, self.effort.width).or_by(one_way);
        }
        if !other_way.is_below(&one_way) {
            other_way = one(*second, 1, self.effort.width).or_by(other_way);
        }
        vec![one_way, other_way]
    }

    /// Every direction on lattices of ratios.
    pub fn by_ratios(&self, directions: &[Direction]) -> Result<Vec<Found>, String> {
        let scenes: Vec<Option<Scene>> =
            directions.iter().map(|direction| self.scene(*direction)).collect::<Result<_, _>>()?;
        let [Some(first), Some(second)] = &scenes[..] else {
            let one = |scene: &Option<Scene>| self.one(scene.as_ref(), self.effort.width);
            return Ok(scenes.iter().map(one).collect());
        };
        // What cannot be the larger one needs no lattice.
        if let (Question::Epsilon(_), Some(most)) = (self.question, second.largest())
            && first.guess.epsilon > near(&most)
        {
            let first = self.one(Some(first), self.effort.width);
            let second = match first.bracket.lower >= most {
                true => {
                    let bracket = Bracket { lower: Rational::ZERO, upper: Some(most) };
                    Found { bracket, points: 1, ..Found::nothing(self.question) }
                }
                false => self.one(Some(second), self.effort.width),
            };
            return Ok(vec![first, second]);
        }
        if let Question::Delta(epsilon) = self.question
            && (first.guess.ln_delta - second.guess.ln_delta).abs() > FAR_BELOW
        {
            let is_first = first.guess.ln_delta > second.guess.ln_delta;
            let (large, small, direction) =
                if is_first { (first, second, directions[1]) } else { (second, first, directions[0]) };
            let (large, small) = self.far_below(large, (small, direction), epsilon)?;
            return Ok(if is_first { vec![large, small] } else { vec![small, large] });
        }
        let widths = self.widths(&first.guess, &second.guess);
        let (mut one, mut two) =
            at_once(|| self.one(Some(first), widths.0), || self.one(Some(second), widths.1))?;
        if widths.0 > self.effort.width && !one.is_below(&two) {
            one = self.one(Some(first), self.effort.width);
        }
        if widths.1 > self.effort.width && !two.is_below(&one) {
            two = self.one(Some(second), self.effort.width);
        }
        Ok(vec![one, two])
    }

    /// Two directions of which one seems to have a far smaller δ. How small it is does not matter, and near the end of its losses no lattice
    /// would show it: δ falls as ε grows, so that its δ at a smaller ε will do.
    fn far_below(
        &self,
        large: &Scene,
        (small, direction): (&Scene, Direction),
        epsilon: &Rational,
    ) -> Result<(Found, Found), String> {
        let mut before = None;
        for (up, down) in [(3, 4), (1, 2)] {
            let question = Question::Delta(epsilon * Rational::from(up) / Rational::from(down));
            let earlier = Composing { question: &question, ..*self };
            let Some(scene) = earlier.scene(direction)? else { break };
            // One coarse lattice.
            let found = earlier.one(Some(&scene), 1.0);
            let is_below = found
                .bracket
                .upper
                .as_ref()
                .is_some_and(|upper| ln(near(upper)) < large.guess.ln_delta - 1.0);
            if is_below {
                let bracket = Bracket { lower: Rational::ZERO, ..found.bracket };
                before = Some(Found { bracket, ..found });
                break;
            }
        }
        let Some(before) = before else {
            return at_once(
                || self.one(Some(large), self.effort.width),
                || self.one(Some(small), self.effort.width),
            );
        };
        let large = self.one(Some(large), self.effort.width);
        let small = if before.is_below(&large) {
            before
        } else {
            self.one(Some(small), self.effort.width).or_by(before)
        };
        Ok((large, small))
    }

    /// The widths for two directions: half of the gap for the one that seems to be smaller, if that is much.
    fn widths(&self, first: &Guess, second: &Guess) -> (f64, f64) {
        let width = self.effort.width;
        // By how much the second answer is smaller, relative to the first; negative if it is larger.
        let gap = match self.question {
            Question::Epsilon(_) => {
                (first.epsilon - second.epsilon) / first.epsilon.max(second.epsilon).max(1e-9)
            }
            Question::Delta(_) if first.ln_delta >= second.ln_delta => {
                1.0 - exp(second.ln_delta - first.ln_delta)
            }
            Question::Delta(_) => exp(first.ln_delta - second.ln_delta) - 1.0,
        };
        match gap.abs() / 2.0 {
            wide if wide <= width * 4.0 => (width, width),
            wide if gap > 0.0 => (width, wide),
            wide => (wide, width),
        }
    }
}

/// Two computations in two threads.
pub(crate) fn at_once<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> Result<(A, B), String> {
    std::thread::scope(|scope| {
        let other = scope.spawn(first);
        let mine = second();
        let others = other.join().map_err(|_| "the computation broke off: please report it".to_owned())?;
        Ok((others, mine))
    })
}
