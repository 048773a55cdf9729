//! Compares two sides on a thread of its own, so that the window does not wait for the GPU or for large wires.

use std::time::Duration;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use crate::background::answer;
use crate::sim::compare::{Comparison, Measure, compare};
use crate::sim::host_copy::{HostCopy, HostCopyReading};
use crate::sim::wire_view::Show;

/// How often to look whether values have arrived from the GPU.
pub(super) const SOON: Duration = Duration::from_millis(10);

/// Decodes values that have arrived; `None` when the device failed.
type Decode = Box<dyn FnOnce() -> Option<HostCopy> + Send>;

/// The values of a side.
pub(super) enum Side {
    /// The values are being copied from the GPU.
    Coming(Box<HostCopyReading>),
    Arrived(Decode),
    Held(Arc<HostCopy>),
}

impl Side {
    /// Looks whether they have arrived.
    fn poll(self) -> Side {
        match self {
            Side::Coming(reading) => match (*reading).try_arrive() {
                Ok(decode) => Side::Arrived(Box::new(decode)),
                Err(reading) => Side::Coming(Box::new(reading)),
            },
            other => other,
        }
    }

    fn decode(self) -> Option<Arc<HostCopy>> {
        match self {
            Side::Coming(reading) => reading.wait().map(Arc::new),
            Side::Arrived(decode) => decode().map(Arc::new),
            Side::Held(copy) => Some(copy),
        }
    }
}

/// The two sides as they were, and what comparing them has found.
pub(super) struct Measured {
    pub a: Arc<HostCopy>,
    pub b: Arc<HostCopy>,
    /// Result of comparing the sides, or why they cannot be compared.
    pub found: Result<Comparison, String>,
}

/// What is measured at the moment.
#[derive(Default)]
pub(super) enum Measuring {
    #[default]
    Idle,
    Reading {
        a: Side,
        b: Side,
        show: Show,
        measure: Measure,
    },
    Comparing(Receiver<Option<Measured>>),
}

impl Measuring {
    pub(super) fn is_idle(&self) -> bool {
        matches!(self, Measuring::Idle)
    }

    /// Begins with two sides.
    pub(super) fn begin(&mut self, a: Side, b: Side, show: Show, measure: Measure) {
        *self = Measuring::Reading { a, b, show, measure };
    }

    /// Continues, and returns the result once it is there. `wake` is called on the thread when it is.
    ///
    /// # Errors
    /// The device failed, or there is no thread, in one sentence.
    pub(super) fn poll(&mut self, wake: impl FnOnce() + Send + 'static) -> Result<Option<Measured>, String> {
        match std::mem::take(self) {
            Measuring::Idle => Ok(None),
            Measuring::Reading { a, b, show, measure } => {
                let (a, b) = (a.poll(), b.poll());
                *self = match matches!(a, Side::Coming(_)) || matches!(b, Side::Coming(_)) {
                    true => Measuring::Reading { a, b, show, measure },
                    false => Measuring::Comparing(spawn(a, b, show, measure, wake)),
                };
                Ok(None)
            }
            Measuring::Comparing(result) => match result.try_recv() {
                Ok(Some(measured)) => Ok(Some(measured)),
                Ok(None) => Err("the values could not be copied from the GPU; reset the simulation".into()),
                Err(TryRecvError::Empty) => {
                    *self = Measuring::Comparing(result);
                    Ok(None)
                }
                Err(TryRecvError::Disconnected) => Err("the sides could not be compared on another thread".into()),
            },
        }
    }
}

fn spawn(
    a: Side,
    b: Side,
    show: Show,
    measure: Measure,
    wake: impl FnOnce() + Send + 'static,
) -> Receiver<Option<Measured>> {
    let work = move || {
        let sides = a.decode().zip(b.decode());
        sides.map(|(a, b)| {
            let found = compare(&a, &b, show, measure).map_err(|problem| problem.to_string());
            Measured { a, b, found }
        })
    };
    answer("compare", wake, work)
}
