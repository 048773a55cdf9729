//! The first NaN: searched in the frames since the States were good for the last time, or in all that a timeline knows.

use super::conditions::{Bounds, Condition, Fired};
use super::find::{count_of, look};
use super::{FrameDebugger, FrameStart, Report};
use crate::gpu::Gpu;
use crate::gpu::scan::{Look, Scan};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::timeline::Past;
use crate::sim::values::BadValues;

impl BadValues {
    /// Computes the frames since all values were good again, with a plan compiled with [`FrameDebugger::options`], and finds the first
    /// dispatch that makes NaN or infinity. The debugger stands behind it. `None` where that does not happen again, or where the States
    /// were too large to be copied. Blocks for as long as some hundred frames take.
    ///
    /// # Errors
    /// What the adapter lacks for such a plan.
    pub fn first(&self, gpu: &Gpu, plan: Plan) -> Result<Option<(FrameDebugger, Report)>, Problems> {
        let Some(replay) = &self.replay else { return Ok(None) };
        let start = FrameStart::of_replay(replay);
        let mut debugger = FrameDebugger::new(gpu, plan, &start)?;
        let scan = Scan::new(gpu, debugger.state_looks())?;
        for (at, input) in replay.inputs.iter().enumerate() {
            if at > 0 {
                debugger.next_frame(input)?;
            }
            debugger.seek(debugger.len())?;
            if debugger.states_are_bad(&scan)? {
                let report = nan().locate(&mut debugger)?;
                return Ok(Some((debugger, report)));
            }
            if debugger.frame() >= self.frame {
                break;
            }
        }
        Ok(None)
    }
}

/// Searches a past for the first NaN that leads to those at its end: goes back over the checkpoints to the last States without NaN or
/// infinity, and computes the frames from there again, with a plan compiled with [`FrameDebugger::options`]. The debugger stands behind the first
/// dispatch that makes one. `None` where none comes. `go_on` is called with each frame; the search ends when it returns false.
///
/// # Errors
/// What the adapter lacks for such a plan, or a failed device or disk.
pub fn first_nan(
    gpu: &Gpu,
    plan: Plan,
    past: &Past,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Option<(FrameDebugger, Report)>, Problems> {
    let mut debugger: Option<FrameDebugger> = None;
    // Of a frame on the way back, everything is looked through: with good States at its start, it may be the one.
    for base in past.bases().rev() {
        let Some(start) = FrameStart::of_past(gpu, past, base)? else { continue };
        let debugger = match &mut debugger {
            Some(debugger) => {
                debugger.begin_at(&start)?;
                debugger
            }
            None => debugger.insert(FrameDebugger::new(gpu, plan.clone(), &start)?),
        };
        if !go_on(debugger.frame()) {
            return Ok(None);
        }
        let report = nan().locate(debugger)?;
        if report.dispatch.is_some() || report.wire.is_none() {
            break;
        }
    }
    let Some(mut debugger) = debugger else { return Ok(None) };
    let scan = Scan::new(gpu, debugger.state_looks())?;
    loop {
        debugger.seek(debugger.len())?;
        if debugger.states_are_bad(&scan)? {
            let report = nan().locate(&mut debugger)?;
            return Ok(Some((debugger, report)));
        }
        if !go_on(debugger.frame()) || !debugger.next_of(past)? {
            return Ok(None);
        }
    }
}

fn nan() -> Fired {
    Fired {
        condition: Condition::NotFinite(None),
        values: Vec::new(),
        alarms: Problems::default(),
        start: FrameStart::default(),
    }
}

impl FrameDebugger {
    /// How the States are looked through at the end of a frame.
    fn state_looks(&self) -> Vec<Look> {
        let plan = &self.simulation.plan;
        let look = |state: &crate::plan::State| {
            let name = [state.node.clone(), format!("{}.value", state.node)];
            let name = name.into_iter().find(|name| plan.versions.wires.contains_key(name))?;
            let wire = &self.version(&name, self.len())?.wire;
            let count = count_of(&name).and_then(|count| Some((self.version(&count, self.len())?.wire.buffer, true)));
            look(plan, wire, count, &Bounds::default())
        };
        plan.states.iter().filter_map(look).collect()
    }

    fn states_are_bad(&self, scan: &Scan) -> Result<bool, Problems> {
        scan.begin();
        scan.look(&self.simulation.engine, 0..usize::MAX);
        let words = scan.read().map_err(Problem::from)?.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        Ok(scan.hits(&words).iter().any(Option::is_some))
    }
}
