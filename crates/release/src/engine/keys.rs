//! The keys that rows have, and how many rows each: what a pass finds where keys are discovered.
//!
//! Memory grows with the number of different keys, at about 150 bytes and the key's own for each, in every worker that met it. There is no
//! bound at which a pass would refuse or leave keys out: that it did would tell about the rows.

use std::collections::{BTreeMap, HashMap};

use crate::policy::{Domain, discovered_key};
use crate::query::Plan;
use crate::query::row::Condition;

/// Keys with the number of their rows.
pub type Counts = BTreeMap<String, u64>;

/// Keys that one worker has found. Their texts are private and may be chosen by anyone, so that the hash is keyed.
pub type Found = HashMap<Box<str>, u64>;

/// A plan whose keys are discovered, made ready.
pub struct Finder {
    /// The field whose text is the key.
    pub field: usize,
    bytes: usize,
    condition: Condition,
}

impl Finder {
    /// Makes a plan ready; `None` if its keys are public.
    pub fn new(plan: &Plan) -> Option<Finder> {
        let field = plan.discovered()?;
        let (Domain::Discovered { bytes }, Some(draw)) =
            (&plan.fields.get(field)?.domain, plan.draws.first())
        else {
            return None;
        };
        Some(Finder { field, bytes: *bytes, condition: draw.condition.clone() })
    }

    /// Counts a row: the text of its key, the values of its fields, and whether it is kept.
    #[inline]
    pub fn add(&self, found: &mut Found, text: &[u8], fields: &[i64], kept: bool) {
        let taken = kept & self.condition.holds(fields);
        let Some(key) = discovered_key(text, self.bytes).filter(|_| taken) else { return };
        match found.get_mut(key) {
            Some(rows) => *rows += 1,
            None => drop(found.insert(key.into(), 1)),
        }
    }

    /// The keys of several parts of a table.
    pub fn finish(&self, parts: Vec<Found>) -> Counts {
        let mut all = Counts::new();
        for (key, rows) in parts.into_iter().flatten() {
            *all.entry(key.into()).or_default() += rows;
        }
        all
    }
}
