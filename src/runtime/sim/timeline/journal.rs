//! What drives a run: the input of every frame, and the parameters that were changed between frames. Equal journals give
//! equal States, so a hash of the journal up to a frame tells which checkpoints are those of this run.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::curve::Keyframes;
use crate::document::{ParamValue, Substeps};
use crate::input::FrameInput;

/// A parameter or number as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// A constant or an expression.
    pub value: ParamValue,
    /// Numbers that an expression names, each with the path that sets it.
    pub uses: BTreeMap<String, String>,
}

/// How States came into a run that do not follow from its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// Another version of the graph has computed them.
    Edited,
    /// The past was changed, and the run went on from what was there.
    Changed,
    /// The States come from a checkpoint or from a program.
    Written,
}

impl Carry {
    /// What happened there, in words.
    pub fn verb(self) -> &'static str {
        match self {
            Carry::Edited => "the graph was edited",
            Carry::Changed => "the run went on after a change of its past",
            Carry::Written => "the States were loaded",
        }
    }

    /// Why no frame before can be computed, in words.
    pub(in crate::sim) fn cause(self) -> &'static str {
        match self {
            Carry::Written => "the States of that frame come from a checkpoint, and what led to them is not known",
            _ => "the input of the run is not known from its start",
        }
    }
}

/// A parameter that was changed before a frame was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// `node.param`
    pub path: String,
    /// The new value.
    pub value: Written,
}

/// The journal of a run. Frames count from 0: the input of frame `n` leads from the States after `n` frames to the next.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// [`crate::graph::dynamics::Dynamics::hash`], and a number for the contents of files.
    dynamics: [u64; 2],
    /// Parameters that States depend on, as they are at the start.
    start: BTreeMap<String, Written>,
    inputs: Vec<FrameInput>,
    /// Whether somebody gave the input of a frame live.
    live: Vec<bool>,
    changes: BTreeMap<u64, Vec<Change>>,
    /// The States of this frame are not what the journal leads to, with a number of its own for each time.
    carried: Option<(u64, u64, Carry)>,
    /// The input of frames before this one was never seen: it is assumed.
    assumed: u64,
    /// Hashes of what leads to the States after so many frames, as far as they are known.
    hashes: Vec<u64>,
    /// A counter for [`Journal::carry`].
    count: u64,
    /// Frames are divided into steps, which see curves between two frames.
    divided: bool,
}

impl Journal {
    /// What the run computes: [`crate::graph::dynamics::Dynamics::hash`], and a number for the contents of files.
    pub(super) fn dynamics(&self) -> [u64; 2] {
        self.dynamics
    }

    /// Whether frames are divided into steps.
    pub(super) fn divide(&mut self, substeps: Substeps) {
        let divided = substeps.most() > 1;
        if std::mem::replace(&mut self.divided, divided) != divided {
            self.forget_hashes(0);
        }
    }

    /// Frames whose input is known.
    pub fn end(&self) -> u64 {
        self.inputs.len() as u64
    }

    /// The input of a frame, where it is known.
    pub fn input(&self, frame: u64) -> Option<&FrameInput> {
        self.inputs.get(usize::try_from(frame).ok()?)
    }

    /// Whether the input of a frame was given live.
    pub fn is_live(&self, frame: u64) -> bool {
        usize::try_from(frame).ok().and_then(|frame| self.live.get(frame)).copied().unwrap_or(false)
    }

    /// Notes the input of a frame. A frame beyond the end is preceded by frames of the same input.
    pub fn note(&mut self, frame: u64, input: &FrameInput, live: bool) {
        let Ok(at) = usize::try_from(frame) else { return };
        match self.inputs.get_mut(at) {
            Some(recorded) if recorded == input => {}
            Some(recorded) => {
                input.clone_into(recorded);
                self.forget_hashes(frame + 1);
            }
            None => self.inputs.resize(at + 1, input.clone()),
        }
        self.live.resize(self.inputs.len(), false);
        if let Some(is_live) = self.live.get_mut(at) {
            *is_live = live;
        }
    }

    /// Assumes this input for the frames before one that were never seen.
    pub fn assume(&mut self, frame: u64, input: &FrameInput) {
        if let Some(last) = frame.checked_sub(1).filter(|last| *last >= self.end()) {
            self.note(last, input, false);
            self.assumed = frame;
        }
    }

    /// Whether the input of all frames is known, so that the run can be repeated from its start.
    pub fn knows_start(&self) -> bool {
        self.assumed == 0
    }

    /// Forgets the input and the changes of parameters from a frame on.
    pub fn cut(&mut self, frame: u64) {
        self.assumed = self.assumed.min(frame);
        let at = usize::try_from(frame).unwrap_or(usize::MAX);
        self.inputs.truncate(at);
        self.live.truncate(at);
        // What was changed while standing there belongs to what is shown.
        drop(self.changes.split_off(&(frame + 1)));
        self.forget_hashes(frame + 1);
    }

    /// Changes of parameters, by the frame before which they were made.
    pub fn changes(&self) -> impl Iterator<Item = (u64, &Change)> {
        self.changes.iter().flat_map(|(frame, changes)| changes.iter().map(|change| (*frame, change)))
    }

    /// The value of a parameter when a frame is computed; `None` for one that no State depends on.
    pub fn value(&self, path: &str, frame: u64) -> Option<&Written> {
        let until = self.changes.range(..=frame).rev().flat_map(|(_, changes)| changes);
        until
            .into_iter()
            .find(|change| change.path == path)
            .map(|change| &change.value)
            .or_else(|| self.start.get(path))
    }

    /// Sets a parameter from a frame on, or from the start; one that has or had keys from the start, since they say its value in all
    /// frames. Later changes of the same parameter are forgotten. Returns whether any
    /// frame becomes another.
    pub fn set(&mut self, path: &str, value: Written, frame: Option<u64>) -> bool {
        let keyed = |written: &Written| written.value.keys().is_some();
        let frame = frame.filter(|frame| !(keyed(&value) || self.value(path, *frame).is_some_and(keyed)));
        let Some(start) = self.start.get_mut(path) else { return false };
        let first = frame.unwrap_or(0);
        let mut differs = false;
        for changes in self.changes.range_mut(first..).map(|(_, changes)| changes) {
            let count = changes.len();
            changes.retain(|change| change.path != path);
            differs |= changes.len() != count;
        }
        if first == 0 {
            differs |= *start != value;
            *start = value;
        } else if self.value(path, first - 1) != Some(&value) {
            differs = true;
            self.changes.entry(first).or_default().push(Change { path: path.into(), value });
        }
        self.changes.retain(|_, changes| !changes.is_empty());
        if differs {
            self.forget_hashes(if first == 0 { 0 } else { first + 1 });
        }
        differs
    }

    /// Parameters that were changed after the start, with their values when a frame is computed.
    pub fn changed(&self, frame: u64) -> Vec<(String, Written)> {
        let mut paths: Vec<&str> = self.changes().map(|(_, change)| change.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().filter_map(|path| Some((path.to_string(), self.value(path, frame)?.clone()))).collect()
    }

    /// Another graph, or another file, runs from a frame on. `now` holds the parameters that its States depend on. Input and
    /// changes of parameters stay.
    pub fn follow(&mut self, dynamics: [u64; 2], now: BTreeMap<String, Written>, frame: u64, applies: Option<u64>) {
        let mut start = now.clone();
        for (path, value) in &self.start {
            if let Some(initial) = start.get_mut(path) {
                value.clone_into(initial);
            }
        }
        self.changes.retain(|_, changes| {
            changes.retain(|change| start.contains_key(&change.path));
            !changes.is_empty()
        });
        if (&self.dynamics, &self.start) != (&dynamics, &start) {
            (self.dynamics, self.start) = (dynamics, start);
            self.forget_hashes(0);
        }
        self.set_all(now, frame, applies);
    }

    /// Sets the parameters whose values are not those of a frame, from a frame on or from the start.
    pub fn set_all(&mut self, now: BTreeMap<String, Written>, frame: u64, applies: Option<u64>) {
        for (path, value) in now {
            if self.value(&path, frame) != Some(&value) {
                self.set(&path, value, applies);
            }
        }
    }

    /// Takes over the input of another run, and its values of shared parameters, where both have them. Returns these parameters.
    pub fn mirror(&mut self, other: &Journal, shared: impl Fn(&str) -> bool) -> Vec<String> {
        for (frame, (input, live)) in (0..).zip(other.inputs.iter().zip(&other.live)) {
            self.note(frame, input, *live);
        }
        if self.inputs.len() > other.inputs.len() {
            self.inputs.truncate(other.inputs.len());
            self.live.truncate(other.inputs.len());
            self.forget_hashes(other.end() + 1);
        }
        let both = |path: &str| shared(path) && self.start.contains_key(path) && other.start.contains_key(path);
        let paths: Vec<String> = self.start.keys().filter(|path| both(path)).cloned().collect();
        let (mut start, mut changes) = (self.start.clone(), self.changes.clone());
        changes.values_mut().for_each(|changes| changes.retain(|change| !both(&change.path)));
        for (frame, change) in other.changes().filter(|(_, change)| both(&change.path)) {
            changes.entry(frame).or_default().push(change.clone());
        }
        changes.retain(|_, changes| !changes.is_empty());
        let values = other.start.iter().filter(|(path, _)| both(path));
        start.extend(values.map(|(path, value)| (path.clone(), value.clone())));
        if (&start, &changes) != (&self.start, &self.changes) {
            (self.start, self.changes) = (start, changes);
            self.forget_hashes(0);
        }
        paths
    }

    /// A new run: no input, and these parameters from the start.
    pub fn restart(&mut self, start: BTreeMap<String, Written>) {
        let Journal { dynamics, count, divided, .. } = *self;
        *self = Journal { dynamics, start, count, divided, ..Journal::default() };
    }

    /// The States of a frame came from elsewhere, so frames after it are not what the start leads to.
    pub fn carry(&mut self, frame: u64, how: Carry) {
        self.count += 1;
        self.carried = Some((frame, self.count, how));
        self.forget_hashes(frame);
    }

    /// The frame whose States came from elsewhere.
    pub fn carried(&self) -> Option<u64> {
        self.carried.map(|(frame, ..)| frame)
    }

    /// The frame whose States came from elsewhere, and where they came from.
    pub fn carried_by(&self) -> Option<(u64, Carry)> {
        self.carried.map(|(frame, _, how)| (frame, how))
    }

    /// The run goes back to a frame. States that came from elsewhere after it are gone, and with them the run that led to them: what was
    /// assumed is the input from now on.
    pub fn back_to(&mut self, frame: u64) {
        if let Some((carried, ..)) = self.carried.take_if(|(carried, ..)| *carried > frame) {
            self.forget_hashes(carried);
            self.assumed = 0;
        }
    }

    /// A hash of what leads to the States after so many frames; `None` beyond the end.
    pub fn hash(&mut self, frame: u64) -> Option<u64> {
        let at = usize::try_from(frame).ok().filter(|at| *at <= self.inputs.len())?;
        while self.hashes.len() <= at {
            let next = self.next_hash();
            self.hashes.push(next);
        }
        self.hashes.get(at).copied()
    }

    fn next_hash(&self) -> u64 {
        let frame = self.hashes.len() as u64;
        let mut hash = DefaultHasher::new();
        if let Some((_, unique, _)) = self.carried.filter(|(carried, ..)| *carried == frame) {
            (1, unique).hash(&mut hash);
            return hash.finish();
        }
        match (self.hashes.last(), self.input(frame.saturating_sub(1))) {
            (Some(before), Some(input)) => {
                let FrameInput { dt, mouse, mouse_velocity, buttons, keys } = input;
                let floats = mouse.iter().chain(mouse_velocity).chain(dt).map(|v| v.to_bits()).collect::<Vec<_>>();
                (before, floats, buttons, keys).hash(&mut hash);
                for change in self.changes.get(&(frame - 1)).into_iter().flatten() {
                    (&change.path, change.value.value.to_string()).hash(&mut hash);
                }
                self.hash_curves(frame - 1, &mut hash);
            }
            _ => {
                self.dynamics.hash(&mut hash);
                for (path, written) in &self.start {
                    match curve(&written.value) {
                        // Its values are hashed frame by frame, so that frames before a change stay what they are.
                        Some(keys) => (path, &keys.expr, keys.components()).hash(&mut hash),
                        None => (path, fixed(&written.value)).hash(&mut hash),
                    }
                }
                self.hash_curves(0, &mut hash);
            }
        }
        hash.finish()
    }

    /// The values of all curves in a frame.
    fn hash_curves(&self, frame: u64, hash: &mut DefaultHasher) {
        let curves = self.start.values().filter_map(|written| curve(&written.value));
        // The curve between two frames is a cubic, unless a key lies there.
        let parts = if self.divided { 8 } else { 1 };
        let places = move |keys: &Keyframes| {
            (0..parts).flat_map(|part| keys.at(frame as f64 + f64::from(part) / f64::from(parts))).collect::<Vec<_>>()
        };
        curves.flat_map(places).for_each(|part| part.to_bits().hash(hash));
    }

    fn forget_hashes(&mut self, from: u64) {
        self.hashes.truncate(usize::try_from(from).unwrap_or(usize::MAX));
    }
}

/// The keys of a value that changes with them.
fn curve(value: &ParamValue) -> Option<&Keyframes> {
    value.keys().filter(|keys| keys.keys.len() > 1 || keys.expr.is_some())
}

/// The text of a value; a single key is a constant.
fn fixed(value: &ParamValue) -> String {
    match value.keys().and_then(|keys| keys.keys.first()) {
        Some(key) => ParamValue::from_numbers(&key.value).to_string(),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: f64) -> Written {
        Written { value: ParamValue::Number(value), uses: BTreeMap::new() }
    }

    fn journal(frames: u64) -> Journal {
        let mut journal = Journal::default();
        journal.follow([7, 0], BTreeMap::from([("a.x".into(), number(1.0)), ("b.y".into(), number(2.0))]), 0, None);
        for frame in 0..frames {
            journal.note(frame, &FrameInput { mouse: [frame as f32, 0.0], ..FrameInput::default() }, false);
        }
        journal
    }

    #[test]
    fn equal_runs_have_equal_hashes_and_what_differs_makes_the_frames_after_it_others() {
        let (mut one, mut two) = (journal(20), journal(20));
        let all = |journal: &mut Journal| (0..=20).map(|frame| journal.hash(frame).unwrap()).collect::<Vec<_>>();
        let before = all(&mut one);
        assert_eq!(before, all(&mut two));
        assert_eq!(one.hash(21), None);
        assert!(one.set("a.x", number(3.0), Some(5)));
        let after = all(&mut one);
        assert_eq!(before[..=5], after[..=5], "the States of frame 5 are what they were");
        assert!((6..=20).all(|frame| before[frame] != after[frame]));
        // Undone, it is the run that it was.
        assert!(one.set("a.x", number(1.0), Some(5)));
        assert_eq!(all(&mut one), before);
        assert!(!one.set("a.x", number(1.0), Some(9)) && !one.set("c.z", number(1.0), Some(9)));
        two.note(12, &FrameInput { buttons: 1, ..FrameInput::default() }, true);
        let stirred = all(&mut two);
        assert_eq!(before[..=12], stirred[..=12]);
        assert!(stirred[13] != before[13] && two.is_live(12) && !two.is_live(11));
        assert!(one.set("a.x", number(9.0), None));
        assert!(all(&mut one)[0] != before[0], "from the start, no frame stays");
    }

    #[test]
    fn a_parameter_has_the_value_of_its_last_change() {
        let mut journal = journal(20);
        journal.set("a.x", number(3.0), Some(5));
        journal.set("a.x", number(4.0), Some(10));
        let at = |journal: &Journal, frame| journal.value("a.x", frame).cloned();
        assert_eq!([4, 5, 9, 10, 30].map(|f| at(&journal, f)), [1.0, 3.0, 3.0, 4.0, 4.0].map(|v| Some(number(v))));
        assert_eq!(journal.changed(7), [("a.x".to_string(), number(3.0))]);
        // A change before others replaces them.
        journal.set("a.x", number(8.0), Some(7));
        assert_eq!([6, 7, 12].map(|f| at(&journal, f)), [3.0, 8.0, 8.0].map(|v| Some(number(v))));
        journal.cut(6);
        assert_eq!((journal.end(), at(&journal, 12)), (6, Some(number(3.0))));
    }

    #[test]
    fn assumed_input_is_no_input_of_the_run_until_the_run_goes_back_before_it() {
        let mut journal = journal(20);
        journal.assume(10, &FrameInput::default());
        assert!(journal.knows_start() && journal.end() == 20, "these were seen");
        journal.assume(30, &FrameInput::default());
        journal.carry(30, Carry::Written);
        assert!(!journal.knows_start() && journal.end() == 30);
        journal.back_to(30);
        assert!(!journal.knows_start());
        journal.back_to(4);
        assert!(journal.knows_start(), "now it is what the run is computed with");
    }

    #[test]
    fn states_from_elsewhere_are_those_of_no_other_run() {
        let mut journal = journal(20);
        let before: Vec<_> = (0..=20).map(|frame| journal.hash(frame)).collect();
        journal.carry(8, Carry::Edited);
        let carried: Vec<_> = (0..=20).map(|frame| journal.hash(frame)).collect();
        assert_eq!(before[..8], carried[..8]);
        assert!((8..=20).all(|frame| before[frame] != carried[frame]));
        journal.back_to(8);
        assert_eq!(journal.hash(8), carried[8], "at the frame itself nothing is lost");
        assert_eq!(journal.carried_by(), Some((8, Carry::Edited)));
        journal.back_to(7);
        assert_eq!((0..=20).map(|frame| journal.hash(frame)).collect::<Vec<_>>(), before);
    }
}
