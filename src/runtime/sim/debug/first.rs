//! The first NaN: searched in all frames of a run that can be computed again.

use std::sync::Arc;

use super::conditions::{Bounds, Condition, Fired};
use super::find::{count_of, look_for};
use super::{FrameDebugger, FrameStart, Report};
use crate::gpu::Gpu;
use crate::gpu::scan::{Look, Scan};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;
use crate::sim::nan_watch::BadValues;
use crate::sim::timeline::{Carry, Past};

/// A search for the first NaN that leads to the present States of a run.
///
/// After the last edit of the graph, the run is searched as it was. Where it went on with NaN from before the edit, the frames before it
/// are computed with the present graph, from the start and with the same input: that is what the timeline shows for them.
pub struct NanSearch {
    /// The frames since States came into the run that its journal does not lead to.
    past: Option<Past>,
    /// The frames before, as the present graph computes them.
    before: Option<Past>,
    /// Where and how such States came into the run.
    carried: Option<(u64, Carry)>,
    /// What a watch of the States has found.
    bad: Option<Arc<BadValues>>,
}

impl NanSearch {
    /// `bad`: NaN that a watch of the States has found, which is where the search begins.
    pub fn new(simulation: &mut Simulation, bad: Option<Arc<BadValues>>) -> NanSearch {
        let now = simulation.frame();
        let carried =
            simulation.timeline().and_then(|timeline| timeline.journal().carried_by()).filter(|(at, _)| *at <= now);
        let before = carried.and_then(|(at, _)| simulation.past_from_start(at));
        NanSearch { past: simulation.past(now), before, carried, bad: bad.filter(|bad| bad.frame <= now) }
    }

    /// Searches, with a plan compiled with [`FrameDebugger::options`]. The debugger stands behind the first dispatch that makes NaN or
    /// infinity. Where the States of the first frame that is known hold it already, the debugger stands there, and the report has no
    /// dispatch but says why no frame before can be computed. `None` where no frame has it. `go_on` is called with each frame, and
    /// ends the search when it returns false.
    ///
    /// # Errors
    /// What the adapter lacks for such a plan, or a failed device.
    pub fn run(
        &self,
        gpu: &Gpu,
        plan: Plan,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<(FrameDebugger, Report)>, Problems> {
        let near = match (&self.past, &self.bad) {
            (Some(past), bad) => {
                // From the last States that were good, most frames of a long run need no look.
                let good = bad.as_ref().map(|bad| bad.good);
                let near = good.map(|good| search(gpu, plan.clone(), past, good, &mut go_on)).transpose()?.flatten();
                match near {
                    Some(near) => Some(near),
                    None => search(gpu, plan.clone(), past, u64::MAX, &mut go_on)?,
                }
            }
            (None, Some(bad)) => bad.first(gpu, plan.clone())?,
            (None, None) => None,
        };
        if near.as_ref().is_some_and(|(_, report)| report.dispatch.is_some()) {
            return Ok(near);
        }
        let (Some((at, why)), true) = (self.carried, near.is_some() || self.past.is_none()) else { return Ok(near) };
        let first = match &self.before {
            Some(before) => search(gpu, plan, before, u64::MAX, &mut go_on)?,
            None => None,
        };
        let extended = |mut report: Report, more: String| {
            report.cause = format!("{}; {more}", report.cause);
            report
        };
        Ok(match (first, near) {
            (Some((debugger, report)), _) => {
                let more = format!(
                    "{} at frame {at}, so the frames before were computed again with the present graph",
                    why.verb()
                );
                Some((debugger, extended(report, more)))
            }
            (None, Some((debugger, report))) => {
                let more = match &self.before {
                    Some(_) => format!(
                        "it is older than frame {at}, where {}, and the present graph makes none in the frames before",
                        why.verb()
                    ),
                    None => format!(
                        "it is older than frame {at}, and the frames before can't be computed again: {}",
                        why.cause()
                    ),
                };
                Some((debugger, extended(report, more)))
            }
            (None, None) => None,
        })
    }
}

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
        let mut debugger = FrameDebugger::in_first_step(gpu, plan, &start)?;
        let scan = Scan::new(gpu, debugger.state_looks())?;
        for (at, input) in replay.inputs.iter().enumerate() {
            if at > 0 {
                debugger.next_frame(input)?;
            }
            loop {
                debugger.seek(debugger.len())?;
                if debugger.states_are_bad(&scan)? {
                    let report = nan().locate(&mut debugger)?;
                    return Ok(Some((debugger, report)));
                }
                if !debugger.next_step()? {
                    break;
                }
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
    go_on: impl FnMut(u64) -> bool,
) -> Result<Option<(FrameDebugger, Report)>, Problems> {
    search(gpu, plan, past, u64::MAX, go_on)
}

/// Searches for the first NaN or infinity from the last checkpoint that is no later than a frame.
fn search(
    gpu: &Gpu,
    plan: Plan,
    past: &Past,
    latest: u64,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Option<(FrameDebugger, Report)>, Problems> {
    let (mut debugger, mut unreadable) = (None::<FrameDebugger>, None);
    // Of a frame on the way back, everything is looked through: with good States at its start, it may be the one.
    for base in past.bases().rev().filter(|base| *base <= latest) {
        if !go_on(base + 1) {
            return Ok(None);
        }
        let start = match FrameStart::of_past(gpu, past, base) {
            Ok(Some(start)) => start,
            Ok(None) => continue,
            Err(problem) => {
                // An earlier one may be in memory, and the start needs none.
                unreadable = Some(problem);
                continue;
            }
        };
        let debugger = match &mut debugger {
            Some(debugger) => {
                debugger.begin_at(&start)?;
                debugger
            }
            None => debugger.insert(FrameDebugger::in_first_step(gpu, plan.clone(), &start)?),
        };
        let report = nan().locate(debugger)?;
        if report.dispatch.is_some() || report.wire.is_none() {
            break;
        }
    }
    let Some(mut debugger) = debugger else { return unreadable.map_or(Ok(None), |problem| Err(problem.into())) };
    let scan = Scan::new(gpu, debugger.state_looks())?;
    loop {
        debugger.seek(debugger.len())?;
        if debugger.states_are_bad(&scan)? {
            let report = nan().locate(&mut debugger)?;
            return Ok(Some((debugger, report)));
        }
        if debugger.next_step()? {
            continue;
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
            look_for(plan, wire, count, &Bounds::default())
        };
        plan.states.iter().filter_map(look).collect()
    }

    fn states_are_bad(&self, scan: &Scan) -> Result<bool, Problems> {
        scan.begin();
        scan.run(&self.simulation.engine, 0..usize::MAX);
        let words = scan.read().map_err(Problem::from)?.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        Ok(scan.hits(&words).iter().any(Option::is_some))
    }
}
