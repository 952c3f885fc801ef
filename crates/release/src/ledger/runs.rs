//! Runs of a proved text: they have no stored answer, and are paid before anything of them is drawn.
//!
//! Whether the values of inputs are admitted tells of them, and no theorem covers that. So they are looked at in the transaction that pays,
//! after it is known that even an error is affordable: whoever learns of one has paid for it, however many processes ask at once, and a
//! budget that does not suffice gives the same answer for all inputs.

use probity_exact::Rational;
use probity_kernel::term::{Mechanism, Sort};
use rusqlite::TransactionBehavior;

use super::store::{self, trouble};
use super::{Debit, Ledger, append, check_budget, units};
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
}

impl Ledger {
    /// Pays for runs, and admits the values of their inputs by `admit`, which is asked only if an error of it could be paid for too. What it
    /// answers is handed on after it is paid for: the runs, or an error.
    ///
    /// # Errors
    /// When the budget does not allow it, or the theorem is not about what the policy hides, or nothing would be paid for. None of these
    /// looks at a value.
    pub fn pay_for_runs<Admitted, Error>(
        &mut self,
        runs: &Runs,
        admit: impl FnOnce() -> Result<Admitted, Error>,
    ) -> Answer<Result<Admitted, Error>> {
        if runs.count == 0 {
            return Err(Refusal::input("no run is paid for").hint("ask for one run at least"));
        }
        self.refresh()?;
        let path = self.path.clone();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| trouble(&path, &error))?;
        // From here to the end nobody else pays.
        let mut state =
            store::state_since(&transaction, Some(&self.state)).map_err(|fault| fault.at(&path))?;
        let policy = policy::read("the pinned policy", &state.policy_text)?;
        units::check(&policy, runs.mechanism)?;
        let all = runs.loss.times(runs.count);
        let error = error_price(&state.total, &all);
        check_budget(&state, std::slice::from_ref(&all)).map_err(|refusal| {
            refusal.hint(
                "run less often or with more noise; the owner can add to the budget with `probity budget amend`",
            )
        })?;
        if has_values(runs.mechanism) {
            check_budget(&state, std::slice::from_ref(&error)).map_err(|refusal| {
                refusal.hint("an error about inputs costs at least a sixteenth of the budget, and so much must be left before they are looked at")
            })?;
        }
        let admitted = admit();
        let what = units::said(runs.mechanism, &runs.what);
        let (loss, query) = match &admitted {
            Ok(_) => (all, what),
            // Without values, an error tells of the text.
            Err(_) if !has_values(runs.mechanism) => return Ok(admitted),
            Err(_) => (error, format!("an error about the inputs of {what}")),
        };
        let certificate = runs.certificate.clone();
        let debit = Debit { key: String::new(), loss, query, answer: String::new(), certificate };
        append(&transaction, &mut state, &debit).map_err(|error| trouble(&path, &error))?;
        transaction.commit().map_err(|error| trouble(&path, &error))?;
        self.state = state;
        self.move_anchor()?;
        Ok(admitted)
    }
}

/// Whether a mechanism has inputs with values to be admitted. A row that is not, is dropped, and nothing tells of it.
fn has_values(mechanism: &Mechanism) -> bool {
    mechanism.inputs.iter().any(|input| !matches!(input.sort, Sort::Rows(_)))
}

/// What an error costs that tells of private inputs: the runs, and at least a sixteenth of the whole budget. It tells more than any theorem
/// says, whatever the runs would have cost, so there are at most sixteen of them.
fn error_price(total: &Loss, runs: &Loss) -> Loss {
    let least = &total.amount / Rational::from(MOST_ERRORS);
    Loss { amount: if runs.amount < least { least } else { runs.amount.clone() }, ..runs.clone() }
}
