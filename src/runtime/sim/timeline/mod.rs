//! The past of a run. The input of every frame and every change of a parameter is noted, and the States are copied now and
//! then. So any frame can be computed again, with the same bits: from the nearest copy, with the same input.
//!
//! A checkpoint is of the present run if its hash is that of the journal at its frame. A changed parameter makes later ones stale, and undoing
//! the change makes them valid again. How often States are copied follows from the time of a frame and the size of the States. Where
//! memory is full, checkpoints of other runs go first, then those that leave the smallest gap for their distance from the present frame.
//! States from elsewhere (another graph, a write, a file) are not what the journal leads to: their frame is *carried*, and gets a checkpoint.

mod checkpoints;
mod journal;
mod past;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Simulation;
use crate::document::ParamValue;
use crate::input::{FrameInput, InputTrack};
use crate::plan::{BufferId, Plan, State};
use crate::problem::Problems;
pub(super) use checkpoints::Handle;
pub use checkpoints::{Budget, Place};
use checkpoints::{Checkpoint, Checkpoints, Found};
pub use journal::{Carry, Change, Journal, Written};
pub use past::Past;

/// A frame is to be reached from a checkpoint within this time.
const REACH: Duration = Duration::from_millis(25);
/// Fewest and most frames between two checkpoints.
const INTERVAL: std::ops::RangeInclusive<u64> = 4..=256;
/// Frames between checkpoints while the time of a frame is not known.
const UNKNOWN: u64 = 16;
/// How fast States are copied on the GPU, and to the host, at least \[bytes/s\].
const COPIED: f64 = 10e9;
const FETCHED: f64 = 4e9;
/// The part of a frame's time that copies may take.
const COST: f64 = 0.02;

/// From when on a changed parameter applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Applies {
    /// From the present frame.
    #[default]
    Here,
    /// From the start: all frames become others.
    Start,
}

/// The past of a simulation, and what of it is known of the future.
#[derive(Default)]
pub struct Timeline {
    journal: Journal,
    checkpoints: Checkpoints,
    /// From when on changed parameters apply.
    pub applies: Applies,
    /// Time of a frame.
    pace: Option<Duration>,
    /// The coming frame's input is given live.
    live: bool,
    /// What led to the present States, by [`Journal::hash`], where a change in the past leads to others now.
    computed: Option<u64>,
    /// What led to each frame when it was last computed; `None` for one that never was.
    seen: Vec<Option<u64>>,
}

impl Timeline {
    /// What drives the run.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Frames that are known: those computed in this run, and those after the present one that were computed before the run went back.
    pub fn end(&self) -> u64 {
        self.journal.end()
    }

    /// Memory that checkpoints may take.
    pub fn budget(&self) -> Budget {
        self.checkpoints.budget
    }

    /// Sets the memory that checkpoints may take. What does not fit any more goes with the next frame.
    pub fn set_budget(&mut self, budget: Budget) {
        self.checkpoints.budget = budget;
    }

    /// Memory in use \[bytes\].
    pub fn used(&self, place: Place) -> u64 {
        self.checkpoints.used(place)
    }

    /// Tells how long a frame takes, which determines how often States are copied.
    pub fn set_pace(&mut self, pace: Duration) {
        self.pace = Some(pace);
    }

    /// Frames with a checkpoint of the present run, in order, and where it is.
    pub fn cached(&mut self) -> Vec<(u64, Place)> {
        let journal = &mut self.journal;
        let known = self.checkpoints.iter().filter(|known| journal.hash(known.frame) == Some(known.hash));
        known.map(|known| (known.frame, known.place())).collect()
    }

    /// Frames between two checkpoints for States of this size \[bytes\].
    pub fn interval(&self, bytes: u64) -> u64 {
        let Some(pace) = self.pace.map(|pace| pace.as_secs_f64()).filter(|pace| *pace > 0.0) else { return UNKNOWN };
        let reach = REACH.as_secs_f64() / pace;
        let stays = self.checkpoints.used(Place::Gpu) + bytes <= self.checkpoints.budget.gpu;
        let cheap = bytes as f64 / if stays { COPIED } else { FETCHED } / (COST * pace);
        (reach.max(cheap) as u64).clamp(*INTERVAL.start(), *INTERVAL.end())
    }

    /// The first frame whose States are others now than when it was last computed, since the graph, a parameter or the input
    /// was changed.
    pub fn stale(&mut self) -> Option<u64> {
        let Timeline { journal, seen, .. } = self;
        let end = (journal.end() as usize).saturating_add(1);
        let mut frames = seen.iter().take(end).enumerate();
        let differs =
            |(frame, known): &(usize, &Option<u64>)| known.is_some() && journal.hash(*frame as u64) != **known;
        frames.find(differs).map(|(frame, _)| frame as u64)
    }

    /// Gives up all checkpoints. Frames are computed from the start again.
    pub fn clear(&mut self) {
        self.checkpoints.clear();
    }

    /// Whether the States of a frame, which is the present one, are not those that the changed past leads to.
    fn is_outdated(&mut self, frame: u64) -> bool {
        let now = self.journal.hash(frame);
        self.computed.is_some_and(|computed| Some(computed) != now)
    }

    /// Carries out a change of the journal while the States of a frame are present.
    fn change(&mut self, frame: u64, change: impl FnOnce(&mut Journal)) {
        let before = self.journal.hash(frame);
        change(&mut self.journal);
        if self.journal.hash(frame) != before {
            self.computed = self.computed.or(before);
        }
    }

    /// Forgets input and changes of parameters from a frame on.
    pub fn cut(&mut self, frame: u64) {
        self.journal.cut(frame);
    }

    /// The input so far as a track, which follows the pointer to a fifth of a pixel in an image 1,000 pixels wide. `fps` is the
    /// graph's frames per second.
    pub fn track(&self, fps: f64) -> InputTrack {
        let dt = 1.0 / fps;
        let mut time = 0.0;
        let inputs = (0..self.journal.end()).filter_map(|frame| {
            let input = self.journal.input(frame)?.clone();
            let at = time;
            time += input.dt.map_or(dt, f64::from);
            Some((at, input))
        });
        InputTrack::recorded(inputs)
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

impl Simulation {
    /// Keeps the past from now on, so that [`Simulation::seek`] goes back.
    pub fn keep_timeline(&mut self, budget: Budget) {
        let mut timeline = Timeline::default();
        timeline.set_budget(budget);
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

    /// The same, to change it.
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
        let known = self.timeline.as_ref().and_then(|timeline| timeline.journal.input(self.frame));
        known.cloned().unwrap_or_else(|| self.recorded_input())
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
        let usable = timeline.checkpoints.iter().enumerate().filter(|(_, known)| {
            // Where the run goes back, States that came from elsewhere after it are gone.
            known.frame < frame && journal.hash(known.frame) == Some(known.hash) && *known.states == *states
        });
        usable.last().map(|(index, known)| (index, known.frame))
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
        let restored = checkpoints.iter().nth(index).and_then(|known| Some((known, known.contents()?)));
        let done = restored.is_some();
        if let Some((known, contents)) = restored {
            journal.back_to(known.frame);
            *computed = None;
            self.apply(journal, known.frame);
            (self.time, self.frame) = (known.time, known.frame);
            self.start();
            self.settings.hold(&self.plan, &known.held);
            let buffers = kept(&self.plan);
            match contents {
                Found::Gpu(copies) => self.engine.restore(&buffers, copies),
                Found::Host(words) => {
                    let mut rest = &*words;
                    for buffer in buffers {
                        let count = self.plan.buffers.get(buffer).map_or(0, |b| b.bytes.max(16) / 4) as usize;
                        let (own, others) = rest.split_at(count.min(rest.len()));
                        self.engine.write(buffer, own);
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
    pub(super) fn before_change(&mut self) {
        if let Some(timeline) = self.timeline.take() {
            self.apply(&timeline.journal, self.frame);
            self.timeline = Some(timeline);
        }
    }

    /// Called after a parameter was set.
    pub(super) fn after_change(&mut self) {
        let Some(timeline) = &mut self.timeline else { return };
        let applies = match timeline.applies {
            Applies::Here => Some(self.frame),
            Applies::Start => None,
        };
        let (now, frame) = (parameters(&self.plan), self.frame);
        timeline.change(frame, |journal| journal.set_all(now, frame, applies));
    }

    /// Called after another plan has started to run. `whole` tells that all its States go on.
    pub(super) fn after_replacing(&mut self, whole: bool) {
        let Some(timeline) = &mut self.timeline else { return };
        let applies = match timeline.applies {
            Applies::Here => Some(self.frame),
            Applies::Start => None,
        };
        let dynamics = [self.plan.dynamics.hash, self.files];
        let same = timeline.journal.dynamics() == dynamics;
        let (now, frame) = (parameters(&self.plan), self.frame);
        timeline.change(frame, |journal| journal.follow(dynamics, now, frame, applies));
        if self.frame > 0 && !(same && whole) {
            timeline.journal.carry(self.frame, Carry::Edited);
            timeline.computed = None;
        }
    }

    /// Called after States were written from outside.
    pub(super) fn after_writing(&mut self) {
        let idle = self.recorded_input();
        let Some(timeline) = &mut self.timeline else { return };
        timeline.journal.assume(self.frame, &idle);
        timeline.journal.carry(self.frame, Carry::Written);
        timeline.computed = None;
    }

    /// A new run with the present parameters and without the input so far.
    pub(super) fn restart_timeline(&mut self) {
        if let Some(timeline) = &mut self.timeline {
            timeline.journal.restart(parameters(&self.plan));
            timeline.computed = None;
            timeline.seen.clear();
        }
    }

    /// Called before a frame: copies the States, if they were not for some time.
    pub(super) fn before_frame(&mut self) {
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
        let near = checkpoints.iter().any(|known| {
            known.frame <= frame && frame - known.frame < interval && journal.hash(known.frame) == Some(known.hash)
        });
        // The start can be computed.
        let near = near || (frame < interval && journal.carried().is_none());
        let here = checkpoints.iter().any(|known| known.frame == frame && journal.hash(frame) == Some(known.hash));
        let needed = !here && (journal.carried() == Some(frame) || !near);
        if needed && checkpoints.fits(bytes) {
            // Without memory for the copy, the next frame tries again.
            if let (Ok(copies), Some(hash)) = (self.engine.save(&kept(&self.plan)), journal.hash(frame)) {
                let held = self.settings.held(&self.plan);
                checkpoints.add(Checkpoint::new(frame, self.time, hash, names(&self.plan), held, copies));
            }
        }
        checkpoints.settle(&self.gpu, frame, |known| journal.hash(known.frame) == Some(known.hash));
        self.timeline = Some(timeline);
    }

    /// Called after a frame was computed from the present States.
    pub(super) fn after_frame(&mut self, frame: u64, input: &FrameInput) {
        if let Some(timeline) = &mut self.timeline {
            let live = std::mem::take(&mut timeline.live)
                || (timeline.journal.is_live(frame) && timeline.journal.input(frame) == Some(input));
            timeline.journal.note(frame, input, live);
            let next = frame as usize + 1;
            timeline.seen.resize(timeline.seen.len().max(next + 1), None);
            let hash = timeline.journal.hash(frame + 1);
            if let Some(known) = timeline.seen.get_mut(next) {
                *known = hash;
            }
        }
    }
}

/// Buffers of the States that checkpoints hold.
fn kept(plan: &Plan) -> Vec<BufferId> {
    held(plan).map(|state| state.buffer).collect()
}

/// The same by node and description.
fn names(plan: &Plan) -> Arc<[(String, String)]> {
    held(plan).map(|state| (state.node.clone(), state.description.clone())).collect()
}

/// The States without those that a file fills, which does not change.
pub(super) fn held(plan: &Plan) -> impl Iterator<Item = &State> {
    plan.states.iter().filter(|state| !plan.files.iter().any(|file| file.buffer == state.buffer))
}
