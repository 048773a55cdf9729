//! The frame loop of exports and bakes: computes frames up to the last one that is needed, saves checkpoints, and hands what is read of
//! the frames on, in their order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Simulation;
use super::saver::{SaveError, Saver};
use crate::gpu::Reading;
use crate::problem::Problems;

/// Frames on their way from the GPU at once.
const IN_FLIGHT: usize = 2;
/// How often to check whether a frame has arrived. Waiting inside the driver would block a window that uses the same
/// device.
const POLL_INTERVAL: Duration = Duration::from_micros(200);
/// How often to check for cancelling while a frame has not arrived.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);
/// How long frames that were computed before a cancel are awaited.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);
/// Frames that are computed but not read are awaited every few frames, so that they do not pile up in the driver.
const WAIT_EVERY: u64 = 4;

/// What frames are computed for.
pub trait Consumer {
    /// What was requested of a frame, on its way from the GPU.
    type Pending;
    /// Why the loop ends early.
    type Error: From<Problems> + From<SaveError>;

    /// The next frame after this one that is needed. Where there is none, the loop ends.
    fn next(&self, frame: u64) -> Option<u64>;

    /// Whether the simulation went on to a later checkpoint before the next frame that is needed.
    fn jump(&mut self, simulation: &mut Simulation, next: u64) -> bool;

    /// Requests what is needed of the frame that was just computed.
    ///
    /// # Errors
    /// What can't be read.
    fn request(&mut self, simulation: &Simulation) -> Result<Self::Pending, Self::Error>;

    /// Takes what has arrived, and returns the request if some of it has not.
    ///
    /// # Errors
    /// A lost device, or what can't be written.
    fn take(&mut self, pending: Self::Pending) -> Result<Option<Self::Pending>, Self::Error>;

    /// Called after each frame, with whether it was needed. When it returns false, the loop ends.
    fn computed(&mut self, simulation: &mut Simulation, needed: bool) -> bool;

    /// Called after a jump, and repeatedly while a frame is awaited. When it returns false, the loop ends.
    fn go_on(&mut self, simulation: &mut Simulation) -> bool;
}

/// A simulation that computes frames for a [`Consumer`].
pub struct FrameLoop<'a, C: Consumer> {
    simulation: &'a mut Simulation,
    /// Saves checkpoints after frames.
    pub saver: Option<Saver>,
    /// The last frame of the whole range.
    last: u64,
    /// Whether pictures of frames that are not needed are left out.
    unseen: bool,
    waiting: VecDeque<Waiting<C::Pending>>,
}

/// A frame on its way from the GPU.
enum Waiting<P> {
    Requested(P),
    /// Nothing is read of it.
    Computed(Reading),
}

impl<'a, C: Consumer> FrameLoop<'a, C> {
    /// A loop over the frames after the present one, up to `last`. With `unseen` the pictures of frames that are not needed are left out.
    pub fn new(simulation: &'a mut Simulation, saver: Option<Saver>, last: u64, unseen: bool) -> FrameLoop<'a, C> {
        FrameLoop { simulation, saver, last, unseen, waiting: VecDeque::new() }
    }

    /// Computes the frames. Returns whether all that are needed were handed on; otherwise the consumer ended the loop.
    ///
    /// # Errors
    /// Errors of the consumer and of a step; a checkpoint that can't be written.
    pub fn run(&mut self, consumer: &mut C) -> Result<bool, C::Error> {
        let mut wanted = true;
        while wanted && let Some(next) = consumer.next(self.simulation.frame()) {
            if consumer.jump(self.simulation, next) {
                wanted = consumer.go_on(self.simulation);
            }
            while wanted && self.simulation.frame() < next {
                self.step(consumer, next)?;
                while wanted && self.waiting.len() > IN_FLIGHT {
                    wanted = self.hand_on(consumer, Consumer::go_on)?;
                }
                wanted = wanted && consumer.computed(self.simulation, self.simulation.frame() == next);
            }
        }
        // Frames that were computed before a cancel are still handed on, if they arrive soon.
        let ended = Instant::now();
        let complete = wanted;
        let soon = |_: &mut C, _: &mut Simulation| ended.elapsed() < CANCEL_TIMEOUT;
        while !self.waiting.is_empty() {
            let here = if complete { self.hand_on(consumer, Consumer::go_on)? } else { self.hand_on(consumer, soon)? };
            if !here {
                return Ok(false);
            }
        }
        Ok(wanted)
    }

    /// Requests the present frame, whose States are there.
    ///
    /// # Errors
    /// What can't be read.
    pub fn request(&mut self, consumer: &mut C) -> Result<(), C::Error> {
        self.waiting.push_back(Waiting::Requested(consumer.request(self.simulation)?));
        Ok(())
    }

    fn step(&mut self, consumer: &mut C, next: u64) -> Result<(), C::Error> {
        let input = self.simulation.recorded_input();
        let frame = self.simulation.frame() + 1;
        match frame == next || !self.unseen {
            true => self.simulation.step(&input)?,
            false => self.simulation.step_unseen(&input)?,
        }
        self.saver.iter_mut().try_for_each(|saver| saver.after_frame(self.simulation, self.last))?;
        if frame == next {
            self.request(consumer)?;
        } else if frame.is_multiple_of(WAIT_EVERY) {
            self.waiting.extend(self.simulation.computed().map(Waiting::Computed));
        }
        Ok(())
    }

    /// Hands the oldest frame on when it has arrived. When `wait` returns false, the frame is dropped, and this function returns false.
    fn hand_on(
        &mut self,
        consumer: &mut C,
        mut wait: impl FnMut(&mut C, &mut Simulation) -> bool,
    ) -> Result<bool, C::Error> {
        let Some(mut frame) = self.waiting.pop_front() else { return Ok(true) };
        let mut waited = Instant::now();
        loop {
            let rest = match frame {
                Waiting::Requested(pending) => consumer.take(pending)?.map(Waiting::Requested),
                // Of a lost device the next step or request tells.
                Waiting::Computed(reading) => reading.try_take().err().map(Waiting::Computed),
            };
            let Some(rest) = rest else { return Ok(true) };
            frame = rest;
            if waited.elapsed() > CANCEL_INTERVAL {
                waited = Instant::now();
                if !wait(consumer, self.simulation) {
                    return Ok(false);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
