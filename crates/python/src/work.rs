//! Work outside the interpreter's lock: Ctrl-C is answered, other threads go on, and a panic stays inside.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::failure::{Failure, Kind};

/// How long a Ctrl-C may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Bytes of stack: terms are walked by recursion. What is not used is never touched.
const STACK: usize = 256 << 20;

/// What a worker sends to the thread that called it.
enum Message<T> {
    Done(Result<T, Failure>),
    /// To be done by the caller, who has the interpreter: connections belong to their threads.
    Ask(Asked),
}

type Asked = Box<dyn FnOnce(Python<'_>) + Send>;

/// The caller of a worker: what it can be asked to do, and whether it has gone.
#[derive(Clone)]
pub struct Caller {
    ask: Arc<dyn Fn(Asked) + Send + Sync>,
    gone: Arc<AtomicBool>,
}

impl Caller {
    /// Has it done, and waits for the answer; `None` after an interrupt.
    pub fn ask<R: Send + 'static>(&self, action: impl FnOnce(Python<'_>) -> R + Send + 'static) -> Option<R> {
        let (sender, receiver) = sync_channel(1);
        (self.ask)(Box::new(move |py| drop(sender.send(action(py)))));
        receiver.recv().ok()
    }

    /// Becomes true when the caller was interrupted: then the work may end.
    pub fn gone(&self) -> Arc<AtomicBool> {
        self.gone.clone()
    }
}

/// Long work, on a thread of its own. When it is interrupted its answer is dropped: it ends by itself, and shows nothing.
pub fn long<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    long_with(py, |_| work())
}

/// Long work that may have the caller do things.
pub fn long_with<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(Caller) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel::<Message<T>>(1);
    let asking = sender.clone();
    // Nobody listens after an interrupt.
    let ask = Arc::new(move |asked| drop(asking.send(Message::Ask(asked))));
    let gone = Arc::new(AtomicBool::new(false));
    let caller = Caller { ask, gone: gone.clone() };
    let worker = thread::Builder::new().name("probity".into()).stack_size(STACK).spawn(move || {
        let answer = catch_unwind(AssertUnwindSafe(|| work(caller)))
            .unwrap_or_else(|panic| Err(Failure::internal(&*panic)));
        drop(sender.send(Message::Done(answer)));
    });
    worker.map_err(|error| Failure::of(Kind::Internal, format!("no thread could be started: {error}")))?;
    let mut receiver = receiver;
    loop {
        let (told, given_back) = py.detach(move || {
            let told = receiver.recv_timeout(PATIENCE);
            (told, receiver)
        });
        receiver = given_back;
        match told {
            Ok(Message::Done(answer)) => return Ok(answer?),
            Ok(Message::Ask(asked)) => asked(py),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| gone.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::of(Kind::Internal, "the computation broke off").into());
            }
        }
    }
}

/// Short work, at once.
pub fn short<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    let answer = py.detach(|| {
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure::internal(&*panic)))
    });
    Ok(answer?)
}
