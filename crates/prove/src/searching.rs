//! Side conditions are answered by searching, and what was found is kept.

use std::collections::HashMap;
use std::sync::Arc;

use probity_kernel::context::Context;
use probity_kernel::entail::{Evidence, Facts};
use probity_kernel::expr::Expr;

use crate::blame::blame;
use crate::derivation::{Justify, Reason, conjuncts};
use crate::effort::Effort;
use crate::evidence::again::{Form, Known};
use crate::evidence::parts::{Shown, composed, ways};
use crate::evidence::posed::Posed;
use crate::evidence::search::{Stuck, search_posed};

/// A goal of so many parts, as that of two draws that are one link, is asked part by part. (One draw asks for six, and less is done for the
/// whole of it.)
const MANY_PARTS: usize = 8;

/// The most questions about one context whose answers are kept.
const MOST_KEPT: usize = 2_000;

/// The questions that were asked about one context, hypotheses and goal, with the evidence or that none was found.
pub(crate) type Asked = HashMap<(Vec<Expr>, Expr), Option<Evidence>>;

/// What became of the questions that were asked before. Plans that are tried one after the other have most of their questions in common,
/// and so have one plan and the same with weaker invariants.
#[derive(Default)]
pub(crate) struct Answers {
    contexts: Vec<(Arc<Context>, Asked)>,
}

impl Answers {
    /// What was asked about this context.
    pub(crate) fn about(&mut self, context: &Arc<Context>) -> &mut Asked {
        let place = self.contexts.iter().position(|(known, _)| known == context).unwrap_or_else(|| {
            self.contexts.push((context.clone(), Asked::new()));
            self.contexts.len() - 1
        });
        &mut self.contexts[place].1
    }
}

/// Answers side conditions by searching, and keeps what it found.
pub(crate) struct Searching<'e> {
    pub(crate) found: Vec<Evidence>,
    pub(crate) effort: &'e mut Effort,
    /// Whether a failure is to name the part of the condition that cannot be shown.
    pub(crate) explain: bool,
    /// What was found before and is tried first, if that is wanted: the statements of a long text are often alike.
    pub(crate) again: Option<Known>,
    /// The questions that were asked before, if any of them may come again.
    pub(crate) asked: Option<&'e mut Asked>,
    /// Values for which the condition that is to blame is false, or how else it may be written.
    pub(crate) example: Option<String>,
    /// Whether that condition says what may be paid.
    pub(crate) about_cost: bool,
}

impl<'e> Searching<'e> {
    /// A search that knows nothing from before, and need not say why it fails.
    pub(crate) fn new(effort: &'e mut Effort) -> Searching<'e> {
        Searching {
            found: Vec::new(),
            effort,
            explain: false,
            again: None,
            asked: None,
            example: None,
            about_cost: false,
        }
    }
}

impl Justify for Searching<'_> {
    fn justify(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason> {
        let Some(asked) = &self.asked else { return self.search(context, hypotheses, goal) };
        let question = (hypotheses.iter().map(|h| (*h).clone()).collect(), goal.clone());
        if let Some(answer) = asked.get(&question).cloned() {
            // To look it up takes as long as it is.
            self.effort.spend(hypotheses.iter().map(|h| h.size()).sum::<usize>() + goal.size());
            self.found.extend(answer.clone());
            return answer.ok_or_else(|| not_shown(goal));
        }
        let answer = self.search(context, hypotheses, goal);
        // What there was no time for may be shown later.
        let known = match &answer {
            Ok(evidence) => Some(Some(evidence.clone())),
            Err(Reason::NotShown { .. }) if !self.effort.is_spent() => Some(None),
            Err(_) => None,
        };
        if let Some((asked, known)) = self.asked.as_mut().zip(known)
            && asked.len() < MOST_KEPT
        {
            asked.insert(question, known);
        }
        answer
    }
}

impl Searching<'_> {
    fn search(&mut self, context: &Context, hypotheses: &[&Expr], goal: &Expr) -> Result<Evidence, Reason> {
        let posed = Posed::new(context, hypotheses, goal, self.effort).map_err(Reason::Rejected)?;
        if self.again.is_some()
            && let Some(evidence) = self.by_parts(&posed, hypotheses)
        {
            self.found.push(evidence.clone());
            return Ok(evidence);
        }
        let form = self.again.as_ref().map(|_| Form::of(&posed));
        if let Some((known, wanted)) = self.again.as_ref().zip(form.as_ref())
            && let Some(evidence) = known.again(&posed, wanted, self.found.iter(), self.effort)
        {
            self.keep(&posed, form, &evidence);
            self.found.push(evidence.clone());
            return Ok(evidence);
        }
        match search_posed(&posed, self.effort) {
            Ok(evidence) => {
                self.keep(&posed, form, &evidence);
                self.found.push(evidence.clone());
                Ok(evidence)
            }
            Err(Stuck::Rejected(rejection)) => Err(Reason::Rejected(rejection)),
            Err(Stuck::Open { .. } | Stuck::TooLong) if !self.explain => Err(not_shown(goal)),
            Err(Stuck::Open { .. } | Stuck::TooLong) => {
                let hypotheses = hypotheses.iter().map(|h| (*h).clone()).collect();
                let blame = blame(context, hypotheses, goal, vec![], self.effort);
                (self.example, self.about_cost) = (blame.example, blame.about_cost);
                Err(blame.reason)
            }
        }
    }
}

impl Searching<'_> {
    /// Evidence for a goal of many parts, each asked by itself.
    fn by_parts(&mut self, whole: &Posed<'_>, hypotheses: &[&Expr]) -> Option<Evidence> {
        let mut goals = Vec::new();
        conjuncts(whole.goal, &mut goals);
        if goals.len() < MANY_PARTS {
            return None;
        }
        let nothing = Facts::new(whole.context, hypotheses, &Expr::Bool(true)).ok()?;
        let known = nothing.list().len().checked_sub(1)?;
        let mut shown = Vec::new();
        for goal in &goals {
            let posed = Posed::new(whole.context, hypotheses, goal, self.effort).ok()?;
            if ways(&posed.facts, known) == 0 {
                continue;
            }
            let form = Form::of(&posed);
            let before = self.again.as_ref()?.again(&posed, &form, std::iter::empty(), self.effort);
            let evidence = match before {
                Some(evidence) => evidence,
                None => search_posed(&posed, self.effort).ok()?,
            };
            self.keep(&posed, Some(form), &evidence);
            shown.push(Shown { facts: posed.facts, evidence });
        }
        composed(&whole.facts, known, &shown)
    }

    /// Keeps what was found for a question of some form.
    fn keep(&mut self, posed: &Posed<'_>, form: Option<Form>, evidence: &Evidence) {
        if let Some((known, form)) = self.again.as_mut().zip(form) {
            known.keep(posed, form, evidence);
        }
    }
}

fn not_shown(goal: &Expr) -> Reason {
    Reason::NotShown { goal: goal.to_string(), path: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_kernel::context::Orientation;
    use probity_kernel::term::{Mechanism, Param, Sort};

    fn context(assumptions: Vec<Expr>) -> Arc<Context> {
        let mechanism = Mechanism {
            name: "m".into(),
            inputs: vec![],
            params: vec![Param { name: "p".into(), sort: Sort::Real }],
            assumptions,
            body: vec![],
            output: Expr::int(0),
            adjacency: vec![],
        };
        Arc::new(Context::new(&mechanism, Orientation::Forward).unwrap())
    }

    /// Whether `p >= 1` follows, and what of the effort is left.
    fn ask(context: &Arc<Context>, answers: &mut Answers, effort: u64) -> (bool, u64) {
        let mut effort = Effort::of(effort);
        let mut searching = Searching { asked: Some(answers.about(context)), ..Searching::new(&mut effort) };
        let goal = Expr::int(1).le(Expr::var("p"));
        let shown = searching.justify(context, &[], &goal).is_ok();
        assert_eq!(searching.found.len(), usize::from(shown));
        (shown, effort.left)
    }

    #[test]
    fn a_question_is_answered_once_and_for_its_own_context() {
        let (without, with) = (context(vec![]), context(vec![Expr::int(2).le(Expr::var("p"))]));
        let mut answers = Answers::default();
        for (context, shown) in [(&without, false), (&with, true)] {
            let first = ask(context, &mut answers, 1_000_000);
            let second = ask(context, &mut answers, 1_000_000);
            assert_eq!((first.0, second.0), (shown, shown));
            assert!(first.1 < second.1, "{first:?} {second:?}");
        }
    }

    #[test]
    fn what_there_was_no_time_for_is_asked_again() {
        let context = context(vec![Expr::int(2).le(Expr::var("p"))]);
        let mut answers = Answers::default();
        assert!(!ask(&context, &mut answers, 1).0);
        assert!(ask(&context, &mut answers, 1_000_000).0);
    }
}
