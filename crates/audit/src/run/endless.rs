//! Loops that provably never end.
//!
//! What decides how a loop goes on are the variables that its guard reads, those that guards and bounds inside it read, and
//! those from which the body computes them: the *deciding* variables. Where none of them is drawn in the body, each iteration
//! is a function of their values; so if these come back, so does everything, and the loop never ends. A run that never ends
//! has no output, which is as telling as any output.

use std::collections::BTreeSet;

use crate::run::program::{Node, Step, Value};

/// The slots that decide how a loop goes on, or `None` if one of them is drawn in its body.
pub(crate) fn deciding<N>(guard: &Node<N>, body: &[Step<N>]) -> Option<Vec<usize>> {
    let mut slots = BTreeSet::new();
    reads(guard, &mut slots);
    guards(body, &mut slots);
    // Up to a fixed point: each round adds a slot or is the last.
    loop {
        let before = slots.len();
        close(body, &mut slots)?;
        if slots.len() == before {
            return Some(slots.into_iter().collect());
        }
    }
}

fn reads<N>(node: &Node<N>, slots: &mut BTreeSet<usize>) {
    match node {
        Node::Constant(_) => {}
        Node::Slot(slot) | Node::Length(slot) => {
            slots.insert(*slot);
        }
        Node::Unary(_, a) => reads(a, slots),
        Node::Binary(_, operands) => [&operands.0, &operands.1].into_iter().for_each(|n| reads(n, slots)),
        Node::Clamp(parts) | Node::If(parts) => {
            [&parts.0, &parts.1, &parts.2].into_iter().for_each(|n| reads(n, slots));
        }
        Node::Index(slot, index) => {
            slots.insert(*slot);
            reads(index, slots);
        }
    }
}

/// What guards and bounds inside the body read.
fn guards<N>(body: &[Step<N>], slots: &mut BTreeSet<usize>) {
    for step in body {
        match step {
            Step::Draw(..) | Step::Assign(..) | Step::Append(..) => {}
            Step::If(guard, then, otherwise) => {
                reads(guard, slots);
                guards(then, slots);
                guards(otherwise, slots);
            }
            Step::For(_, from, to, body) => {
                reads(from, slots);
                reads(to, slots);
                guards(body, slots);
            }
            Step::While(guard, body, _) => {
                reads(guard, slots);
                guards(body, slots);
            }
        }
    }
}

/// Adds what the slots are computed from; `None` if one is drawn.
fn close<N>(body: &[Step<N>], slots: &mut BTreeSet<usize>) -> Option<()> {
    for step in body {
        match step {
            Step::Draw(slot, ..) if slots.contains(slot) => return None,
            Step::Assign(slot, value) | Step::Append(slot, value) if slots.contains(slot) => {
                reads(value, slots)
            }
            Step::Draw(..) | Step::Assign(..) | Step::Append(..) => {}
            Step::If(_, then, otherwise) => {
                close(then, slots)?;
                close(otherwise, slots)?;
            }
            Step::For(_, _, _, body) | Step::While(_, body, _) => close(body, slots)?,
        }
    }
    Some(())
}

/// Notices when the deciding values come back (Brent's way: compared with a snapshot that is renewed ever more seldom).
pub(crate) struct Recurrence<'a, N> {
    slots: &'a [usize],
    snapshot: Vec<Option<Value<N>>>,
    left: u32,
    power: u32,
}

impl<'a, N: Clone + PartialEq> Recurrence<'a, N> {
    pub(crate) fn new(slots: &'a [usize], values: &[Option<Value<N>>]) -> Self {
        let snapshot = slots.iter().map(|&slot| values[slot].clone()).collect();
        Recurrence { slots, snapshot, left: 1, power: 1 }
    }

    /// Whether the values at the start of an iteration were there before.
    pub(crate) fn is_back(&mut self, values: &[Option<Value<N>>]) -> bool {
        if self.slots.iter().zip(&self.snapshot).all(|(&slot, known)| values[slot] == *known) {
            return true;
        }
        self.left -= 1;
        if self.left == 0 {
            self.power = self.power.saturating_mul(2);
            self.left = self.power;
            self.snapshot = self.slots.iter().map(|&slot| values[slot].clone()).collect();
        }
        false
    }
}
