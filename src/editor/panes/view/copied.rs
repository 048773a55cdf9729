//! What is drawn from a copy of a grid on the CPU. The copy is requested after a frame and arrives some frames later; nothing waits.

use std::time::{Duration, Instant};

use eframe::egui::Ui;

use crate::graph::expect::ExpectSubject;
use crate::model::session::Session;
use crate::sim::Field;
use crate::sim::expect::{PendingSample, Sample, request};

/// Least time between two copies, and how much longer it is for each byte: 8 MB in 0.1 s.
const EVERY: Duration = Duration::from_millis(60);
const PER_BYTE: f64 = 0.1 / 8e6;
/// Grids above this are not copied \[bytes\].
const LARGEST: u64 = 256 << 20;
/// How often to check whether a copy has arrived.
const ANSWER: Duration = Duration::from_millis(30);

/// A grid, and what was made of it for the screen.
pub(super) struct Copied<T> {
    wire: Option<String>,
    pending: Option<PendingSample>,
    field: Option<(Field, [f64; 3])>,
    /// What was made of the field, and with which choices, as text.
    made: Option<(String, T)>,
    /// A frame was computed since the last request.
    stale: bool,
    last_request: Option<Instant>,
}

impl<T> Default for Copied<T> {
    fn default() -> Copied<T> {
        Copied { wire: None, pending: None, field: None, made: None, stale: true, last_request: None }
    }
}

impl<T> Copied<T> {
    pub(super) fn wire(&self) -> Option<&str> {
        self.wire.as_deref()
    }

    /// Notes that another frame was computed.
    pub(super) fn refresh(&mut self) {
        self.stale = true;
    }

    /// What is made of the latest copy of a wire by these choices: `make` gets the values, the size of their domain \[m\] and the
    /// choices. `None` until a copy has arrived.
    pub(super) fn update<C: std::fmt::Debug>(
        &mut self,
        ui: &Ui,
        session: &Session,
        wire: Option<String>,
        choices: C,
        make: impl Fn(&Field, [f64; 3], &C) -> T,
    ) -> Option<(&str, &mut T)> {
        if wire != self.wire {
            *self = Copied { wire, ..Copied::default() };
        }
        self.request(ui, session);
        if let Some(pending) = self.pending.take() {
            match pending.try_take() {
                Ok(Ok(Sample::Field(field, _))) => {
                    let size = session.wire_domain(self.wire.as_deref()?)?.size();
                    (self.field, self.made) = (Some((field, size)), None);
                }
                // A device that failed is reported elsewhere.
                Ok(_) => {}
                Err(pending) => {
                    self.pending = Some(pending);
                    ui.ctx().request_repaint_after(ANSWER);
                }
            }
        }
        let (field, size) = self.field.as_ref()?;
        let key = format!("{choices:?}");
        if self.made.as_ref().is_none_or(|(made, _)| *made != key) {
            self.made = Some((key, make(field, *size, &choices)));
        }
        Some((self.wire.as_deref()?, &mut self.made.as_mut()?.1))
    }

    fn request(&mut self, ui: &Ui, session: &Session) {
        let Some((wire, simulation)) = self.wire.as_ref().zip(session.running_simulation()) else { return };
        let bytes = session.wire_domain(wire).map_or(0, |domain| domain.cells() * 12);
        let pause = EVERY + Duration::from_secs_f64(bytes as f64 * PER_BYTE);
        // What a frame computes meanwhile is not whole.
        if !self.stale || self.pending.is_some() || bytes > LARGEST || simulation.progress().is_some() {
            return;
        }
        if let Some(rest) = self.last_request.and_then(|instant| pause.checked_sub(instant.elapsed())) {
            ui.ctx().request_repaint_after(rest);
            return;
        }
        // A wire that the running plan does not keep yet follows with the next plan.
        if let Ok(pending) = request(simulation, &ExpectSubject::Wire(wire.clone())) {
            (self.pending, self.stale, self.last_request) = (Some(pending), false, Some(Instant::now()));
            ui.ctx().request_repaint_after(ANSWER);
        }
    }
}
