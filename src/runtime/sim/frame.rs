//! Computing a frame: at once, only to see it, or in slices while a window on the same device goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) use super::simulation::Started;
use super::state_layout::held;
use super::step::Step;
use super::{FrameInput, Simulation};
use crate::gpu::Reading;
use crate::plan::BufferId;
use crate::problem::{Problem, Problems};

impl Simulation {
    /// Computes one frame. Returns as soon as the work is submitted.
    ///
    /// # Errors
    /// A lost device, or another error that the driver reported since the last step.
    pub fn step(&mut self, input: &FrameInput) -> Result<(), Problems> {
        self.compute(input, true, false)
    }

    /// Computes one frame as [`Simulation::step`] does, but no more of it than the next frames depend on. Images and wires that are no
    /// States keep the values of an earlier frame.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_unseen(&mut self, input: &FrameInput) -> Result<(), Problems> {
        self.compute(input, false, false)
    }

    /// A value that arrives once the frame has been computed; `None` where there is no memory for it.
    pub fn computed(&self) -> Option<Reading> {
        let first = self.plan.buffers.ids().next()?;
        self.engine.read_together(std::iter::once((first, true, 0..1))).map(|(reading, _)| reading)
    }

    /// Computes the coming frame for its wires and images only: States, time and the frame count do not change. A wire
    /// that is updated in place in a State's buffer is restored with it. Shows what an edit does while the simulation
    /// is paused. Where all frames come from caches, it is the present frame.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn preview(&mut self, input: &FrameInput) -> Result<(), Problems> {
        self.compute(input, true, true)
    }

    /// The input of the preview that the wires show, if they show none of the run's own frames.
    pub fn previewed(&self) -> Option<&FrameInput> {
        self.previewed.as_ref()
    }

    /// Starts a frame whose work is submitted in slices by a thread, so that a window on the same device answers meanwhile, however
    /// long the frame takes. [`Simulation::finish_frame`] ends it. A reset gives it up, and whatever else changes the
    /// simulation waits for it. With `preview` it is as [`Simulation::preview`]. `wake` is called, on any thread, when
    /// the GPU has computed it.
    ///
    /// # Errors
    /// No memory for copies of the States, or no thread.
    pub fn start_frame(
        &mut self,
        input: &FrameInput,
        preview: bool,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<(), Problems> {
        let mut started = self.begin(input, preview)?;
        started.wake = Some(Arc::new(wake));
        self.start_step(&started)?;
        self.started = Some(started);
        Ok(())
    }

    /// Submits a step of a frame in slices.
    fn start_step(&mut self, started: &Started) -> Result<(), Problem> {
        let wake = started.wake.clone();
        let wake = move || wake.iter().for_each(|wake| wake());
        self.engine.start(self.settings.bytes(), started.step.is_last(), wake)
    }

    /// The part of a frame in slices that is submitted, 0..1; `None` while there is none.
    pub fn progress(&self) -> Option<f32> {
        let step = self.started.as_ref().map_or(Step { index: 0, of: 1 }, |started| started.step);
        self.engine.progress().map(|part| (step.index as f32 + part) / step.of as f32)
    }

    /// Ends a frame in slices if the GPU has computed it, and returns its GPU time; `None` before. With `wait`, blocks until then.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn finish_frame(&mut self, wait: bool) -> Result<Option<Duration>, Problems> {
        while let Some(took) = self.engine.finish(wait) {
            let Some(mut started) = self.started.take() else { return Ok(Some(took)) };
            started.took += took;
            if started.step.is_last() {
                let took = started.took;
                self.end(started)?;
                return Ok(Some(took));
            }
            started.step.index += 1;
            self.write_step(&mut started);
            self.start_step(&started)?;
            self.started = Some(started);
        }
        Ok(None)
    }

    /// Computes a frame, or only the part of it that the next ones depend on.
    fn compute(&mut self, input: &FrameInput, images: bool, preview: bool) -> Result<(), Problems> {
        let mut started = self.begin(input, preview)?;
        let began = Instant::now();
        let Step { of, .. } = started.step;
        loop {
            let last = started.step.is_last();
            // What comes next decides which commands are recorded meanwhile.
            let then = if last { images && of == 1 } else { images && started.step.index + 2 == of };
            self.engine.step(self.settings.bytes(), images && last, then);
            if last {
                break;
            }
            started.step.index += 1;
            self.write_step(&mut started);
        }
        self.cpu.push(std::iter::once((started.took + began.elapsed()).as_secs_f32() * 1e3));
        started.took = Duration::ZERO;
        self.end(started)
    }

    /// Writes what a step gets from the CPU.
    fn write_step(&mut self, started: &mut Started) {
        let Started { input, step, begins: (time, frame), .. } = started;
        started.dt = f64::from(self.settings.write_step(&self.plan, input, *time, *frame, *step));
    }

    /// Prepares a frame: its first step can be submitted.
    fn begin(&mut self, input: &FrameInput, preview: bool) -> Result<Started, Problems> {
        self.finish_frame(true)?;
        if self.fresh {
            self.reset();
        }
        let saved = preview.then(|| self.engine.save(&self.held())).transpose().map_err(Problem::from)?;
        if !preview {
            self.before_frame();
            self.with_values(|values, simulation| values.before(simulation));
        }
        let now = (self.time, self.frame);
        if let Some(before) = self.present().filter(|_| preview) {
            (self.time, self.frame) = (self.time_at(before), before);
        }
        let fed = self.feed();
        let begins = (self.time, self.frame);
        (self.time, self.frame) = now;
        fed?;
        let (of, rehearsed) = self.steps_of(input, begins)?;
        // Where nothing lasts, only what the last step shows is seen.
        let index = if self.engine.simulates() { 0 } else { of - 1 };
        let (began, step) = (Instant::now(), Step { index, of });
        self.engine.expect_steps(of - index);
        let mut started =
            Started { input: input.clone(), step, begins, dt: 0.0, saved, rehearsed, took: Duration::ZERO, wake: None };
        self.write_step(&mut started);
        started.took = began.elapsed();
        Ok(started)
    }

    /// The frame before the present one, where a preview shows the present one again since it comes from caches.
    fn present(&self) -> Option<u64> {
        self.frame.checked_sub(1).filter(|_| self.baked_frames().is_some())
    }

    /// What follows when a frame was submitted.
    fn end(&mut self, Started { input, dt, saved, step, rehearsed, .. }: Started) -> Result<(), Problems> {
        self.collect_watches(false);
        match saved {
            // What is computed only to be seen is no part of the run.
            Some(saved) => {
                self.engine.restore(&self.held(), &saved);
                if rehearsed {
                    // The frame itself may have another input.
                    self.stepping.restart();
                }
                self.previewed = Some(input).filter(|_| self.present().is_none());
            }
            None => {
                self.previewed = None;
                self.stepping.after(&self.engine, step.of);
                self.time += dt;
                self.frame += 1;
                self.play_after()?;
                self.after_frame(self.frame - 1, &input);
                self.with_values(|values, simulation| values.after(simulation, &input));
            }
        }
        let faults = self.gpu.take_faults();
        if faults.is_empty() {
            return Ok(());
        }
        let remedy = "reset the simulation; if it happens again, lower the resolution or update the driver";
        Err(Problems(faults.into_iter().map(|fault| Problem::new("", "", fault, remedy)).collect()))
    }

    /// Lends the watch of values the rest of the simulation.
    fn with_values(&mut self, work: impl FnOnce(&mut super::nan_watch::NanWatch, &Simulation)) {
        if let Some(mut values) = self.values.take() {
            work(&mut values, self);
            self.values = Some(values);
        }
    }

    /// The buffers of the States that a frame changes; files are shown as they are.
    pub(super) fn held(&self) -> Vec<BufferId> {
        held(&self.plan).map(|state| state.buffer).collect()
    }

    /// The buffers of the States.
    pub(super) fn states(&self) -> Vec<BufferId> {
        self.plan.states.iter().map(|state| state.buffer).collect()
    }
}
