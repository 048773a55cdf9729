//! The steps that a frame is divided into.
//!
//! Where a Courant number decides, the GPU reports it after the last step of a frame, and the coming frame has as many steps as keep it
//! below its bound. So the CPU knows their number, and parameters and time are exact in each step. A checkpoint holds the number for
//! the coming frame, so a run that continues from it is the same to the bit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Simulation;
use super::step::Step;
use crate::document::Substeps;
use crate::gpu::{Engine, Reading};
use crate::input::FrameInput;
use crate::plan::{BufferId, Plan, Watch};
use crate::problem::Problem;

/// The number of steps among the values that a checkpoint holds.
pub(super) const HELD: &str = "frame.substeps";

/// The output by which a stage reports a Courant number.
const COURANT: &str = "courant";

/// How many steps a frame has.
pub(super) struct Stepping {
    rule: Substeps,
    /// Courant numbers of the graph's stages.
    numbers: Vec<BufferId>,
    /// What they are of comes from a cache, and was divided when it was baked.
    played: bool,
    coming: Mutex<Coming>,
}

struct Coming {
    /// Steps that the Courant number needs; `None` where no frame was computed yet.
    needed: Option<u32>,
    /// The Courant numbers of the last step, on their way, and how many steps their frame had.
    numbers: Option<(Reading, u32)>,
}

impl Stepping {
    pub(super) fn new(plan: &Plan) -> Stepping {
        // A number that a reset alone computes says nothing about the coming step.
        let dispatches = || plan.invariant.iter().chain(&plan.frame);
        let in_frames = |watch: &&Watch| dispatches().any(|dispatch| dispatch.buffers.contains(&watch.buffer));
        let numbers = plan.watches.iter().filter(|watch| watch.port == COURANT).filter(in_frames);
        let numbers = numbers.map(|watch| watch.buffer).collect();
        let stepping = Stepping {
            rule: plan.substeps,
            numbers,
            played: !plan.played.is_empty(),
            coming: Mutex::new(Coming { needed: None, numbers: None }),
        };
        stepping.restart();
        stepping
    }

    fn coming(&self) -> MutexGuard<'_, Coming> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing is known of the coming frame.
    pub(super) fn restart(&self) {
        let without = if self.played { 1 } else { self.rule.most() };
        *self.coming() = Coming { needed: self.numbers.is_empty().then_some(without), numbers: None };
    }

    fn set(&self, needed: u32) {
        *self.coming() = Coming { needed: Some(needed.clamp(1, self.rule.most().max(1))), numbers: None };
    }

    /// Whether the coming frame has to be rehearsed, since a number decides that is not known.
    fn is_unknown(&self) -> bool {
        let coming = self.coming();
        self.rule.courant().is_some() && coming.needed.is_none() && coming.numbers.is_none()
    }

    /// Steps that the Courant number needs in the coming frame. Waits for the frame before where that decides.
    fn needed(&self) -> Option<u32> {
        let mut coming = self.coming();
        if let Some((reading, before)) = coming.numbers.take()
            && let Some(words) = reading.wait()
        {
            let greatest = words.iter().map(|word| f64::from(f32::from_bits(*word))).reduce(|a, b| {
                // `max` would lose a NaN.
                if a.is_nan() || a > b { a } else { b }
            });
            coming.needed = greatest.map(|number| self.rule.needed(before, number)).or(coming.needed);
        }
        coming.needed
    }

    /// Steps of the coming frame, of this length \[s\].
    pub(super) fn count(&self, length: f32) -> u32 {
        let needed = self.rule.courant().and_then(|_| self.needed());
        self.rule.count(f64::from(length), needed.unwrap_or(1))
    }

    /// Called after a frame of the run that had so many steps.
    pub(super) fn after(&self, engine: &Engine, steps: u32) {
        if self.rule.courant().is_some() {
            let words = self.numbers.iter().map(|buffer| (*buffer, false, 0..1));
            self.coming().numbers = engine.read_together(words).map(|(reading, _)| (reading, steps));
        }
    }
}

impl Simulation {
    /// Steps that a coming frame of 1/fps is divided into. Waits for the frame before where that decides; what a first frame needs is
    /// known once it was computed.
    pub fn substeps(&self) -> u32 {
        self.stepping.count(self.length(&FrameInput::default()))
    }

    /// Steps that a frame is divided into, which begins at this time \[s\] and number. Where nothing is known of the Courant number, the
    /// frame is computed once as a single step, and taken back. Returns whether that was so, too.
    ///
    /// # Errors
    /// No memory for copies of the States.
    pub(super) fn steps_of(&mut self, input: &FrameInput, begins: (f64, u64)) -> Result<(u32, bool), Problem> {
        let unknown = self.stepping.is_unknown();
        if unknown {
            let held = self.held();
            let saved = self.engine.save(&held)?;
            self.settings.write_step(&self.plan, input, begins.0, begins.1, Step { index: 0, of: 1 });
            self.engine.step(self.settings.bytes(), false, false);
            self.stepping.after(&self.engine, 1);
            self.engine.restore(&held, &saved);
            self.engine.forget_watched();
        }
        Ok((self.stepping.count(self.length(input)), unknown))
    }

    /// Length of a frame \[s\].
    pub(super) fn length(&self, input: &FrameInput) -> f32 {
        input.dt.unwrap_or((1.0 / self.plan.fps) as f32)
    }

    /// What the coming frame depends on beside States, time and parameters: values that expressions have kept, and how many steps it
    /// has, where a number decides.
    pub(super) fn held_values(&self) -> Vec<(String, Vec<f64>)> {
        let mut held = self.settings.held(&self.plan);
        if self.plan.substeps.courant().is_some() {
            held.extend(self.stepping.needed().map(|needed| (HELD.into(), vec![f64::from(needed)])));
        }
        held
    }

    /// Continues with such values.
    pub(super) fn hold_values(&mut self, held: &[(String, Vec<f64>)]) {
        let (substeps, held): (Vec<_>, Vec<_>) = held.iter().cloned().partition(|(path, _)| path == HELD);
        self.settings.hold(&self.plan, &held);
        if let Some(count) = substeps.first().and_then(|(_, values)| values.first()) {
            self.stepping.set(count.clamp(1.0, f64::from(u32::MAX)) as u32);
        }
    }

    /// Says where no stage reports the number that decides.
    pub(super) fn without_courant(&self) -> Option<Problem> {
        let most = self.plan.substeps.courant().map(|_| self.plan.substeps.most())?;
        let cause = format!("no stage of the graph reports a Courant number, so every frame has {most} substeps");
        let remedy = "give a number of substeps or a longest time step, or a stage an output `courant` with `expect`";
        (self.stepping.numbers.is_empty() && !self.stepping.played)
            .then(|| Problem::new("", "", cause, remedy).warning())
    }
}
