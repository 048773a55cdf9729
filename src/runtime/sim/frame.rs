//! Computing a frame: at once, only to see it, or in slices while a window on the same device goes on.

use std::time::{Duration, Instant};

pub(super) use super::simulation::Started;
use super::state_layout::held;
use super::{FrameInput, Simulation};
use crate::gpu::{Engine, Reading};
use crate::plan::BufferId;
use crate::problem::{Problem, Problems};

impl Simulation {
    /// Computes one frame. Returns as soon as the work is submitted.
    ///
    /// # Errors
    /// A lost device, or another error that the driver reported since the last step.
    pub fn step(&mut self, input: &FrameInput) -> Result<(), Problems> {
        let started = self.begin(input, false, |engine, uniforms| {
            engine.step(uniforms);
            Ok(())
        })?;
        self.end(started)
    }

    /// Computes one frame as [`Simulation::step`] does, but no more of it than the next frames depend on. Images and wires that are no
    /// States keep the values of an earlier frame.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_unseen(&mut self, input: &FrameInput) -> Result<(), Problems> {
        let started = self.begin(input, false, |engine, uniforms| {
            engine.simulate(uniforms);
            Ok(())
        })?;
        self.end(started)
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
        let started = self.begin(input, true, |engine, uniforms| {
            engine.step(uniforms);
            Ok(())
        })?;
        self.end(started)
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
        wake: impl FnOnce() + Send + 'static,
    ) -> Result<(), Problems> {
        self.started = Some(self.begin(input, preview, |engine, uniforms| engine.start(uniforms, wake))?);
        Ok(())
    }

    /// The part of a frame in slices that is submitted, 0..1; `None` while there is none.
    pub fn progress(&self) -> Option<f32> {
        self.engine.progress()
    }

    /// Ends a frame in slices if the GPU has computed it, and returns its GPU time; `None` before. With `wait`, blocks until then.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn finish_frame(&mut self, wait: bool) -> Result<Option<Duration>, Problems> {
        let Some(took) = self.engine.finish(wait) else { return Ok(None) };
        self.started.take().map_or(Ok(()), |started| self.end(started))?;
        Ok(Some(took))
    }

    /// Computes a frame or starts to.
    fn begin(
        &mut self,
        input: &FrameInput,
        preview: bool,
        submit: impl FnOnce(&mut Engine, &[u8]) -> Result<(), Problem>,
    ) -> Result<Started, Problems> {
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
        let began = Instant::now();
        let dt = f64::from(self.settings.write_frame(&self.plan, input, self.time, self.frame));
        (self.time, self.frame) = now;
        fed?;
        submit(&mut self.engine, self.settings.bytes())?;
        self.cpu.push(std::iter::once(began.elapsed().as_secs_f32() * 1e3));
        Ok(Started { input: input.clone(), dt, saved })
    }

    /// The frame before the present one, where a preview shows the present one again since it comes from caches.
    fn present(&self) -> Option<u64> {
        self.frame.checked_sub(1).filter(|_| self.baked_frames().is_some())
    }

    /// What follows when a frame was submitted.
    fn end(&mut self, Started { input, dt, saved }: Started) -> Result<(), Problems> {
        self.collect_watches(false);
        match saved {
            // What is computed only to be seen is no part of the run.
            Some(saved) => {
                self.engine.restore(&self.held(), &saved);
                self.previewed = Some(input).filter(|_| self.present().is_none());
            }
            None => {
                self.previewed = None;
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
    fn held(&self) -> Vec<BufferId> {
        held(&self.plan).map(|state| state.buffer).collect()
    }

    /// The buffers of the States.
    pub(super) fn states(&self) -> Vec<BufferId> {
        self.plan.states.iter().map(|state| state.buffer).collect()
    }
}
