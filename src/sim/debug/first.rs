//! The first NaN: searched in the frames since the States were good for the last time.

use super::conditions::{Bounds, Condition, Fired};
use super::find::{count_of, look};
use super::{FrameDebugger, FrameStart, Report};
use crate::gpu::Gpu;
use crate::gpu::scan::{Look, Scan};
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
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
                let fired = Fired {
                    condition: Condition::NotFinite(None),
                    values: Vec::new(),
                    alarms: Problems::default(),
                    start: FrameStart::default(),
                };
                let report = fired.locate(&mut debugger)?;
                return Ok(Some((debugger, report)));
            }
            if debugger.frame() >= self.frame {
                break;
            }
        }
        Ok(None)
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
