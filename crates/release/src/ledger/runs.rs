//! Runs of a proved text: they have no stored answer, and are paid before anything of them is drawn.
//!
//! Whether the values of inputs are admitted tells of them, and no theorem covers that; nor does one cover what a process shows that is
//! stopped while it looks at them. So the price of an error is *reserved* first, in a transaction of its own, and nothing private is read
//! before that is on the disk. Only then are inputs looked at and runs made, and a second entry *settles* what they cost: it gives back the
//! rest. Whatever happens in between (a crash, a kill, a full disk, a limit of memory) leaves the reserve debited, and a budget that does
//! not suffice for it gives the same answer for all inputs.

use std::path::Path;

use probity_exact::Rational;
use probity_kernel::expr::Variable;
use probity_kernel::term::{Mechanism, Sort};
use rusqlite::{Connection, TransactionBehavior};

use super::store::{self, trouble};
use super::{Debit, Entry, Ledger, State, append, check_budget, units};
use crate::loss::Loss;
use crate::policy;
use crate::refusal::{Answer, Refusal};

/// Errors about inputs that a whole budget pays for.
const MOST_ERRORS: i64 = 16;

/// Runs to be paid for.
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    /// What runs.
    pub mechanism: &'a Mechanism,
    /// What one run costs.
    pub loss: Loss,
    /// How many runs there are.
    pub count: u64,
    /// What the entry says.
    pub what: String,
    /// The hash of the certificate.
    pub certificate: String,
    /// Whether a run may end without an answer for some inputs alone, as one that has no more memory does.
    pub may_run_out: bool,
}

impl Ledger {
    /// Pays for runs, which are made by `run`: it looks at their inputs after the runs and the price of an error are debited. If all of them have
    /// come to an answer, what is debited beyond the price of the runs is given back.
    ///
    /// # Errors
    /// When the budget does not allow it, or the theorem is not about what the policy hides, or nothing would be paid for: none of these
    /// looks at a value. And when what was reserved cannot be settled, which stays debited then.
    pub fn pay_for_runs<Answered, Error>(
        &mut self,
        runs: &Runs,
        run: impl FnOnce() -> Result<Answered, Error>,
    ) -> Answer<Result<Answered, Error>> {
        if runs.count == 0 {
            return Err(Refusal::input("no run is paid for").hint("ask for one run at least"));
        }
        self.refresh()?;
        let reserved = self.reserve(runs)?;
        let answered = run();
        self.settle(runs, &reserved, answered.is_ok())?;
        Ok(answered)
    }

    /// Debits what looking at the inputs may cost: the runs, and at least an error.
    fn reserve(&mut self, runs: &Runs) -> Answer<Entry> {
        self.write(|connection, state, path| {
            let policy = policy::read("the pinned policy", &state.policy_text)?;
            units::check(&policy, runs.mechanism)?;
            let all = runs.loss.times(runs.count);
            check_budget(state, std::slice::from_ref(&all)).map_err(|refusal| {
                refusal.hint(
                    "run less often or with more noise; the owner can add to the budget with `probity budget amend`",
                )
            })?;
            let loss = reserve(&state.total, runs.mechanism, &all);
            if !state.spent.plus(&loss).is_within(&state.total) {
                return Err(too_little(state, &loss));
            }
            let query = units::said(runs.mechanism, &runs.what);
            let certificate = runs.certificate.clone();
            let debit = Debit { key: String::new(), loss, query, answer: String::new(), certificate };
            store::set_version(connection)
                .and_then(|()| append(connection, state, &debit))
                .map_err(|error| trouble(path, &error))
        })
    }

    /// Writes what became of a reserve. Both outcomes take as many bytes, and as many steps.
    fn settle(&mut self, runs: &Runs, reserved: &Entry, is_admitted: bool) -> Answer<()> {
        let settled = self.write(|connection, state, path| {
            let back = reserved.loss.minus(&price(runs, &reserved.loss));
            let settlement = |back: &Loss, outcome: &str| {
                let said = format!("inputs of entry {} {outcome}", reserved.number);
                Entry::settlement(state, reserved.number, back, said)
            };
            let admitted = settlement(&back, "accepted");
            let refused = settlement(&Loss::zero(back.measure), "rejected");
            let (entry, other) = if is_admitted { (admitted, refused) } else { (refused, admitted) };
            store::insert_alike(connection, &entry, &other).map_err(|error| trouble(path, &error))?;
            state.follow(&entry);
            Ok(())
        });
        settled.map_err(|refusal| refusal.hint("what was reserved for the runs stays debited"))
    }

    /// One transaction, during which nobody else writes; the anchor follows.
    fn write<Written>(
        &mut self,
        entries: impl FnOnce(&Connection, &mut State, &Path) -> Answer<Written>,
    ) -> Answer<Written> {
        let path = self.path.clone();
        let in_trouble = |error| trouble(&path, &error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(in_trouble)?;
        store::check_one_name(&path)?;
        let mut state =
            store::state_since(&transaction, Some(&self.state)).map_err(|fault| fault.at(&path))?;
        let written = entries(&transaction, &mut state, &path)?;
        transaction.commit().map_err(in_trouble)?;
        self.state = state;
        self.move_anchor()?;
        Ok(written)
    }
}

/// What is reserved before inputs are looked at: what the runs cost, and at least a sixteenth of the whole budget. An error tells more than any
/// theorem says, whatever the runs would have cost, so there are at most sixteen of them. A text without inputs has nothing to look at.
fn reserve(total: &Loss, mechanism: &Mechanism, runs: &Loss) -> Loss {
    if mechanism.inputs.is_empty() {
        return runs.clone();
    }
    let error = Loss { amount: &total.amount / Rational::from(MOST_ERRORS), ..Loss::zero(total.measure) };
    runs.max(&error)
}

/// What runs cost that were admitted. Of a text that assumes something of its inputs an answer tells that it holds, as an error tells that it
/// does not: else `where x < 1000`, `where x < 999` and so on would find x out for the price of the one error at its end. The same holds of one
/// whose runs may end for some inputs alone.
fn price(runs: &Runs, reserved: &Loss) -> Loss {
    match runs.may_run_out || assumes(runs.mechanism) {
        true => reserved.clone(),
        false => runs.loss.times(runs.count),
    }
}

/// Whether a mechanism assumes something of the values of its inputs besides their types. A row that is not as assumed is dropped, and nothing tells
/// of it.
fn assumes(mechanism: &Mechanism) -> bool {
    let of_values = |v: &Variable| !matches!(v, Variable::Field(..));
    mechanism.assumptions.iter().any(|assumption| assumption.find_variable(&of_values).is_some())
        || mechanism.inputs.iter().any(|input| matches!(input.sort, Sort::Category { .. }))
}

fn too_little(state: &State, reserve: &Loss) -> Refusal {
    let (left, total) = (state.remaining(), &state.total);
    Refusal::budget(format!(
        "the budget does not allow it: {reserve} is reserved before inputs are looked at, and {left} is left of {total}"
    ))
    .hint(
        "an error about inputs costs at least a sixteenth of the budget, and so much must be left before they are looked at; the owner can add to \
         the budget with `probity budget amend`",
    )
}
