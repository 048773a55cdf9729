//! Follows a particle through frames, also where it is sorted: the frames are computed again with the plain plan, whose moves say which
//! index it has after each.

use super::element::{decode, words};
use super::order::Order;
use super::{FrameDebugger, FrameStart};
use crate::gpu::Gpu;
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::timeline::Past;

/// A particle after a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct TrailPoint {
    /// Frames computed until then.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Index of the particle in the State.
    pub index: u32,
    /// Attributes of the particle by name.
    pub values: Vec<(String, Vec<f64>)>,
}

/// A particle that is followed. It stands at the end of a frame of its own run.
pub struct Follower {
    debugger: FrameDebugger,
    order: Order,
    set: String,
    attributes: Vec<String>,
    /// Index of the particle; `None` once it is gone.
    index: Option<u32>,
    /// What led to the frame that it stands at the end of.
    hash: Option<u64>,
}

impl Follower {
    /// Follows the particle that has an index in a set at the end of a past, over so many frames before that or as many as the past can
    /// compute. `plan` is compiled with [`FrameDebugger::options`]. Returns its way since then, or since it was emitted. `go_on` is asked before every
    /// frame, and `None` returned when it is false. Blocks for as long as those frames take twice in the plain plan.
    ///
    /// # Errors
    /// A set whose particles have no identity, an index without a particle, a past without frames, or what the adapter lacks for such a plan.
    pub fn new(
        gpu: &Gpu,
        plan: Plan,
        past: &Past,
        (set, index): (&str, u32),
        frames: u64,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Option<(Follower, Vec<TrailPoint>)>, Problems> {
        let from = past.end().saturating_sub(frames);
        let base = past.bases().rfind(|base| *base <= from).or(past.bases().find(|base| *base < past.end()));
        let start = base.map_or(Ok(None), |base| FrameStart::of_past(gpu, past, base))?;
        let Some((base, start)) = base.zip(start) else {
            let cause = "no frame before this one can be computed again, so no particle can be followed";
            return Err(Problem::new(set, "", cause, "play a frame first").into());
        };
        let debugger = FrameDebugger::new(gpu, plan, &start)?;
        let set = debugger.state_of(set)?;
        let order = debugger.order(&set)?;
        let attributes = debugger.attributes(&set);
        let mut follower = Follower { debugger, order, set, attributes, index: None, hash: None };
        let origin = match follower.order.is_fixed() {
            true => Some((base, index)),
            false => follower.origin(past, index, base, &mut go_on)?,
        };
        let Some((born, first)) = origin else { return Ok(None) };
        let mut points = Vec::new();
        follower.debugger.begin_at(&start)?;
        if born == base {
            follower.index = Some(first);
            points.extend(follower.point(base, 0)?);
        }
        loop {
            let frame = follower.debugger.frame();
            if !go_on() {
                return Ok(None);
            }
            follower.compute()?;
            if frame == born {
                follower.index = Some(first);
            }
            points.extend(follower.point(frame, follower.debugger.len())?);
            if frame >= past.end() || !follower.debugger.next_of(past)? {
                break;
            }
        }
        if points.last().is_none_or(|last| last.frame < past.end()) {
            return Err(follower.missing(past, index).into());
        }
        follower.hash = past.hash(past.end());
        points.retain(|point| point.frame >= from);
        Ok(Some((follower, points)))
    }

    /// Follows it to the end of a later past. Returns its way since the last point.
    ///
    /// # Errors
    /// A past that does not lead through the frame that it stands at, or a failed device.
    pub fn go_on(&mut self, past: &Past, mut go_on: impl FnMut() -> bool) -> Result<Vec<TrailPoint>, Problems> {
        if past.hash(self.frame()) != self.hash {
            let cause = "what came before was changed, so its way is another one";
            return Err(Problem::new(&self.set, "", cause, "follow the particle again").into());
        }
        let mut points = Vec::new();
        while self.frame() < past.end() && go_on() && self.debugger.next_of(past)? {
            let frame = self.debugger.frame();
            self.compute()?;
            points.extend(self.point(frame, self.debugger.len())?);
            self.hash = past.hash(frame);
        }
        Ok(points)
    }

    /// The State that it is in.
    pub fn set(&self) -> &str {
        &self.set
    }

    /// Whether the particle was removed.
    pub fn is_gone(&self) -> bool {
        self.index.is_none()
    }

    /// Frames computed until the one that it stands at the end of.
    pub fn frame(&self) -> u64 {
        self.debugger.frame()
    }

    /// Computes the frame, and the index that the particle has after it.
    fn compute(&mut self) -> Result<(), Problems> {
        if self.order.is_fixed() {
            self.debugger.seek(self.debugger.len())?;
            return Ok(());
        }
        let moved = self.debugger.moved(&self.set, &self.order)?;
        self.index = self.index.and_then(|index| moved.index(index));
        Ok(())
    }

    /// The frame after which the particle that has an index at the end of the past was there first, and its index then.
    fn origin(
        &mut self,
        past: &Past,
        index: u32,
        base: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<(u64, u32)>, Problems> {
        // For each index the particle that has it, by the frame after which it was there first and its index then.
        let mut who: Vec<(u64, u32)> = (0..self.count(0)?).map(|index| (base, index)).collect();
        loop {
            if !go_on() {
                return Ok(None);
            }
            let frame = self.debugger.frame();
            let moved = self.debugger.moved(&self.set, &self.order)?;
            let mut now = vec![None; moved.count];
            for (before, origin) in who.iter().enumerate() {
                let place = moved.index(before as u32).and_then(|at| now.get_mut(at as usize));
                place.into_iter().for_each(|place| *place = Some(*origin));
            }
            who = now.into_iter().enumerate().map(|(at, origin)| origin.unwrap_or((frame, at as u32))).collect();
            if frame >= past.end() || !self.debugger.next_of(past)? {
                break;
            }
        }
        who.get(index as usize).copied().map(Some).ok_or_else(|| self.missing(past, index).into())
    }

    fn missing(&self, past: &Past, index: u32) -> Problem {
        let cause = format!("it has no particle {index} after frame {}", past.end());
        Problem::new(&self.set, "", cause, "point at a particle")
    }

    /// Living particles at a position of the frame.
    fn count(&self, position: usize) -> Result<u32, Problems> {
        let Some(version) = self.debugger.version(&format!("{}.count", self.set), position) else { return Ok(0) };
        let part = (version.wire.buffer, true, 0..1);
        let Some((reading, _)) = self.debugger.simulation.engine.read_together([part].into_iter()) else {
            return Ok(0);
        };
        let words = reading.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        Ok(words.first().copied().unwrap_or(0))
    }

    /// The particle at a position of the frame where the debugger stands; `None` where it is not there.
    fn point(&self, frame: u64, position: usize) -> Result<Option<TrailPoint>, Problems> {
        let Some(index) = self.index else { return Ok(None) };
        if index >= self.count(position)? {
            return Ok(None);
        }
        let wires: Vec<_> = self
            .attributes
            .iter()
            .filter_map(|name| {
                let wire = &self.debugger.version(&format!("{}.{name}", self.set), position)?.wire;
                Some((name.clone(), wire.clone()))
            })
            .collect();
        let domains = &self.debugger.simulation.plan.domains;
        let parts =
            wires.iter().map(|(_, wire)| (wire.buffer, true, words(wire, u64::from(index), wire.elements(domains))));
        let Some((reading, ranges)) = self.debugger.simulation.engine.read_together(parts) else { return Ok(None) };
        let all = reading.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        let value = |((name, wire), range): ((String, crate::plan::Wire), std::ops::Range<usize>)| {
            (name, decode(&wire, u64::from(index), all.get(range).unwrap_or_default()))
        };
        let values = wires.into_iter().zip(ranges).map(value).collect();
        let dt = if position == 0 { 0.0 } else { self.debugger.dt };
        Ok(Some(TrailPoint { frame, time: self.debugger.simulation.time + dt, index, values }))
    }
}
