//! Seeking: a simulation notes its past, and computes any frame of it again.

use std::collections::BTreeMap;

use super::checkpoints::{Budget, Checkpoint, SavedStates};
use super::journal::{Carry, Journal, Written};
use super::{Applies, Timeline};
use crate::document::ParamValue;
use crate::input::FrameInput;
use crate::plan::{Plan, regrouped};
use crate::problem::Problems;
use crate::sim::Simulation;
use crate::sim::state_layout::{are_same, kept, names};

impl Simulation {
    /// Keeps the past from now on, so that [`Simulation::seek`] goes back.
    pub fn keep_timeline(&mut self, budget: Budget) {
        let mut timeline = Timeline::default();
        timeline.set_budget(budget);
        timeline.journal.divide(self.plan.substeps);
        timeline.journal.follow([self.plan.dynamics.hash, self.files], parameters(&self.plan), 0, None);
        if !self.fresh && self.frame > 0 {
            timeline.journal.assume(self.frame, &FrameInput::default());
            timeline.journal.carry(self.frame, Carry::Written);
        }
        self.timeline = Some(Box::new(timeline));
    }

    /// The past of the run, if it is kept.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_deref()
    }

    /// The past of the run, if it is kept, with mutable access.
    pub fn timeline_mut(&mut self) -> Option<&mut Timeline> {
        self.timeline.as_deref_mut()
    }

    /// Gives up the timeline and returns it, for a simulation on another device. What is on this device is lost.
    pub fn take_timeline(&mut self) -> Option<Box<Timeline>> {
        let mut timeline = self.timeline.take()?;
        timeline.checkpoints.lose_device();
        Some(timeline)
    }

    /// Continues with the timeline of a simulation on another device.
    pub fn continue_timeline(&mut self, timeline: Box<Timeline>) {
        self.timeline = Some(timeline);
        self.after_replacing(false);
    }

    /// The input of the coming frame: as it was when the frame was computed before, or else [`Simulation::recorded_input`].
    pub fn next_input(&self) -> FrameInput {
        let recorded = self.timeline.as_ref().and_then(|timeline| timeline.journal.input(self.frame));
        recorded.cloned().unwrap_or_else(|| self.recorded_input())
    }

    /// Tells that the input of the coming frame is given live, for [`Journal::is_live`].
    pub fn note_live(&mut self, live: bool) {
        self.timeline.iter_mut().for_each(|timeline| timeline.live = live);
    }

    /// Goes to the nearest States from which a frame can be computed, and returns how many frames are left to compute: with
    /// [`Simulation::next_input`], each gives the bits that it gave before. At the start nothing is left. Without a timeline, it
    /// goes to the start if the frame is past.
    ///
    /// # Errors
    /// A device that failed.
    pub fn seek(&mut self, frame: u64) -> Result<u64, Problems> {
        let outdated = self.is_outdated();
        if frame == self.frame && !self.fresh && !outdated {
            return Ok(0);
        }
        self.finish_frame(true)?;
        if self.jump(frame) {
            if let Some(mut timeline) = self.timeline.take() {
                timeline.journal.back_to(self.frame);
                timeline.computed = None;
                self.apply(&timeline.journal, self.frame);
                self.timeline = Some(timeline);
            }
            return Ok(1);
        }
        let nearest = self.nearest(frame);
        if self.fresh || outdated || frame < self.frame || nearest.is_some_and(|(_, at)| at > self.frame) {
            match nearest {
                Some((index, _)) if self.restore_checkpoint(index) => {}
                _ => self.go_to_start(),
            }
        }
        Ok(frame.saturating_sub(self.frame))
    }

    /// Takes over what drives another run: the input of its frames, and the values of the parameters for which `shared` holds, by
    /// frame, where both graphs have them. [`Simulation::seek`] and [`Simulation::next_input`] then lead to the same frame with the
    /// same input. Does nothing unless both keep a timeline.
    pub fn follow_run(&mut self, leader: &Simulation, shared: impl Fn(&str) -> bool) {
        let Some(theirs) = leader.timeline.as_deref() else { return };
        let Some(mut timeline) = self.timeline.take() else { return };
        let (frame, mut paths) = (self.frame, Vec::new());
        timeline.change(frame, |journal| paths = journal.mirror(&theirs.journal, shared));
        let value = |path: String| timeline.journal.value(&path, frame).cloned().map(|value| (path, value));
        let values: Vec<(String, Written)> = paths.into_iter().filter_map(value).collect();
        self.settings.assign(&mut self.plan, &values);
        self.timeline = Some(timeline);
    }

    /// Whether a parameter was changed in the past, so that the present frame becomes another one: [`Simulation::seek`] to the same
    /// frame computes it. A step continues from what is there.
    pub fn is_outdated(&mut self) -> bool {
        let (fresh, frame) = (self.fresh, self.frame);
        !fresh && self.timeline.as_deref_mut().is_some_and(|timeline| timeline.is_outdated(frame))
    }

    /// The last checkpoint before a frame, by its position and frame.
    fn nearest(&mut self, frame: u64) -> Option<(usize, u64)> {
        let timeline = self.timeline.as_deref_mut()?;
        let states = names(&self.plan);
        let journal = &mut timeline.journal;
        let usable = timeline.checkpoints.iter().enumerate().filter(|(_, checkpoint)| {
            // Where the run goes back, States that came from elsewhere after it are gone.
            checkpoint.frame < frame
                && journal.hash(checkpoint.frame) == Some(checkpoint.hash)
                && are_same(&checkpoint.states, &states)
        });
        usable.last().map(|(index, checkpoint)| (index, checkpoint.frame))
    }

    fn go_to_start(&mut self) {
        if let Some(mut timeline) = self.timeline.take() {
            timeline.journal.back_to(0);
            timeline.computed = None;
            self.apply(&timeline.journal, 0);
            self.timeline = Some(timeline);
        }
        self.settings.restart(&self.plan);
        (self.time, self.frame) = (0.0, 0);
        self.start();
    }

    /// Whether the checkpoint could be read.
    fn restore_checkpoint(&mut self, index: usize) -> bool {
        let Some(mut timeline) = self.timeline.take() else { return false };
        let Timeline { journal, checkpoints, computed, .. } = &mut *timeline;
        let restored = checkpoints.iter().nth(index).and_then(|checkpoint| Some((checkpoint, checkpoint.contents()?)));
        let done = restored.is_some();
        if let Some((checkpoint, contents)) = restored {
            journal.back_to(checkpoint.frame);
            *computed = None;
            self.apply(journal, checkpoint.frame);
            (self.time, self.frame) = (checkpoint.time, checkpoint.frame);
            self.start();
            self.hold_values(&checkpoint.held);
            let buffers = kept(&self.plan);
            match contents {
                SavedStates::Gpu(copies) => self.engine.restore(&buffers, copies),
                SavedStates::Host(words) => {
                    let mut rest = &*words;
                    for (buffer, state) in buffers.into_iter().zip(&*checkpoint.states) {
                        let room = self.plan.buffers.get(buffer).map_or(0, |b| b.bytes.max(16) / 4) as usize;
                        let (state_words, others) = rest.split_at(((state.bytes / 4) as usize).min(rest.len()));
                        match state_words.len() == room {
                            true => self.engine.write(buffer, state_words),
                            false => self.engine.write(buffer, &regrouped(state_words, room)),
                        }
                        rest = others;
                    }
                }
            }
        }
        self.timeline = Some(timeline);
        done
    }

    /// Sets the parameters that were changed in the run to their values at a frame.
    fn apply(&mut self, journal: &Journal, frame: u64) {
        self.settings.assign(&mut self.plan, &journal.changed(frame));
    }

    /// Called before a parameter is set: those that were changed before at this frame have their values.
    pub(in crate::sim) fn before_change(&mut self) {
        if let Some(timeline) = self.timeline.take() {
            self.apply(&timeline.journal, self.frame);
            self.timeline = Some(timeline);
        }
    }

    /// Called after a parameter was set.
    pub(in crate::sim) fn after_change(&mut self) {
        let Some(timeline) = &mut self.timeline else { return };
        let applies = match timeline.applies {
            Applies::Here => Some(self.frame),
            Applies::Start => None,
        };
        let (now, frame) = (parameters(&self.plan), self.frame);
        timeline.change(frame, |journal| journal.set_all(now, frame, applies));
    }

    /// Called after another plan has started to run. `whole` tells that all its States go on.
    pub(in crate::sim) fn after_replacing(&mut self, whole: bool) {
        let Some(timeline) = &mut self.timeline else { return };
        let applies = match timeline.applies {
            Applies::Here => Some(self.frame),
            Applies::Start => None,
        };
        let dynamics = [self.plan.dynamics.hash, self.files];
        let same = timeline.journal.dynamics() == dynamics;
        timeline.journal.divide(self.plan.substeps);
        let (now, frame) = (parameters(&self.plan), self.frame);
        timeline.change(frame, |journal| journal.follow(dynamics, now, frame, applies));
        if self.frame > 0 && !(same && whole) {
            timeline.journal.carry(self.frame, Carry::Edited);
            timeline.computed = None;
        }
    }

    /// Called after States were written from outside.
    pub(in crate::sim) fn after_writing(&mut self) {
        let idle = self.recorded_input();
        let Some(timeline) = &mut self.timeline else { return };
        timeline.journal.assume(self.frame, &idle);
        timeline.journal.carry(self.frame, Carry::Written);
        timeline.computed = None;
    }

    /// A new run with the present parameters and without the input so far.
    pub(in crate::sim) fn restart_timeline(&mut self) {
        if let Some(timeline) = &mut self.timeline {
            timeline.journal.restart(parameters(&self.plan));
            timeline.computed = None;
            timeline.seen.clear();
        }
    }

    /// Called before a frame: copies the States, if they were not for some time.
    pub(in crate::sim) fn before_frame(&mut self) {
        let Some(mut timeline) = self.timeline.take() else { return };
        self.apply(&timeline.journal, self.frame);
        if timeline.is_outdated(self.frame) {
            // The run continues from States that the past does not lead to.
            timeline.journal.carry(self.frame, Carry::Changed);
            timeline.computed = None;
        }
        let bytes = kept(&self.plan)
            .into_iter()
            .filter_map(|buffer| self.plan.buffers.get(buffer))
            .map(|buffer| buffer.bytes)
            .sum();
        let (frame, interval) = (self.frame, timeline.interval(bytes));
        let Timeline { journal, checkpoints, .. } = &mut *timeline;
        let near = checkpoints.iter().any(|checkpoint| {
            checkpoint.frame <= frame
                && frame - checkpoint.frame < interval
                && journal.hash(checkpoint.frame) == Some(checkpoint.hash)
        });
        // The start can be computed.
        let near = near || (frame < interval && journal.carried().is_none());
        let here = checkpoints
            .iter()
            .any(|checkpoint| checkpoint.frame == frame && journal.hash(frame) == Some(checkpoint.hash));
        let needed = !here && (journal.carried() == Some(frame) || !near);
        if needed && checkpoints.fits(bytes) {
            // Without memory for the copy, the next frame tries again.
            if let (Ok(copies), Some(hash)) = (self.engine.save(&kept(&self.plan)), journal.hash(frame)) {
                let held = self.held_values();
                checkpoints.add(Checkpoint::new(frame, self.time, hash, names(&self.plan), held, copies));
            }
        }
        checkpoints.fit_budget(&self.gpu, frame, |checkpoint| journal.hash(checkpoint.frame) == Some(checkpoint.hash));
        self.timeline = Some(timeline);
    }

    /// Called after a frame was computed from the present States.
    pub(in crate::sim) fn after_frame(&mut self, frame: u64, input: &FrameInput) {
        if let Some(timeline) = &mut self.timeline {
            let live = std::mem::take(&mut timeline.live)
                || (timeline.journal.is_live(frame) && timeline.journal.input(frame) == Some(input));
            timeline.journal.note(frame, input, live);
            let next = frame as usize + 1;
            timeline.seen.resize(timeline.seen.len().max(next + 1), None);
            let hash = timeline.journal.hash(frame + 1);
            if let Some(computed) = timeline.seen.get_mut(next) {
                *computed = hash;
            }
        }
    }
}

/// The parameters of a plan that its States depend on, with their values as written.
fn parameters(plan: &Plan) -> BTreeMap<String, Written> {
    let inside = |path: &String| path.rsplit_once('.').is_some_and(|(node, _)| plan.dynamics.nodes.contains(node));
    let slots = plan.settings.iter().filter(|slot| slot.paths.iter().any(inside));
    let mut numbers: Vec<&String> = slots.clone().flat_map(|slot| slot.uses.values()).collect();
    let written =
        |value: &ParamValue, uses: &BTreeMap<String, String>| Written { value: value.clone(), uses: uses.clone() };
    let mut found: BTreeMap<String, Written> = BTreeMap::new();
    for slot in slots {
        found.extend(slot.paths.first().map(|path| (path.clone(), written(&slot.value, &slot.uses))));
    }
    while let Some(path) = numbers.pop() {
        let Some(number) = plan.numbers.iter().find(|number| number.paths.contains(path)) else { continue };
        if found.contains_key(number.path()) {
            continue;
        }
        found.insert(number.path().to_string(), written(&number.value, &number.uses));
        numbers.extend(number.uses.values());
    }
    found
}
