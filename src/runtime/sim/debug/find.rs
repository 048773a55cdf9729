//! Finds the dispatch and the element where a condition begins to hold.

use super::conditions::Bounds;
use super::element::Element;
use super::{FrameDebugger, Simulation};
use crate::gpu::scan::{Hits, Look, Scan};
use crate::gpu::stepping::Peek;
use crate::plan::{BufferId, Plan, Wire};
use crate::problem::{Problem, Problems};
use crate::stage::types::{Scalar, WireType};

/// Where a condition began to hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Occurrence {
    /// The dispatch; `None` where it held already when the frame started.
    pub dispatch: Option<usize>,
    /// Name of the wire.
    pub wire: String,
    /// How the version is stored.
    pub version: Wire,
    /// The first of the elements.
    pub element: Element,
    /// Number of elements.
    pub count: u32,
}

/// How a wire is looked through; `None` where it has no numbers that can be out of bounds.
pub(crate) fn look_for(plan: &Plan, wire: &Wire, count: Option<(BufferId, bool)>, bounds: &Bounds) -> Option<Look> {
    let layout = wire.layout();
    let scalar = wire.ty.value().scalar();
    if bounds.range.is_none() && scalar != Scalar::F32 {
        return None;
    }
    let domain = wire.domain.and_then(|id| plan.domains.get(id));
    let elements = wire.elements(&plan.domains);
    let room = plan.buffers.get(wire.buffer)?.bytes / 4;
    let elements = if layout.words(elements) > room { room / layout.words(2).max(1) * 2 } else { elements };
    let range = bounds.range.map(|(low, high)| (low as f32, high as f32));
    Some(Look {
        buffer: (wire.buffer, wire.state),
        count: count.filter(|_| wire.capacity > 0),
        elements: elements.min(u64::from(u32::MAX)) as u32,
        adjacent: layout.adjacent(),
        plane: elements.min(u64::from(u32::MAX)) as u32 * layout.adjacent(),
        components: layout.components(),
        scalar: match scalar {
            Scalar::F32 if layout.is_half() => 3,
            Scalar::F32 => 0,
            Scalar::I32 => 1,
            Scalar::U32 => 2,
        },
        apart: wire.ty == WireType::FaceGrid || wire.ty.value().is_array(),
        faces: domain.filter(|_| wire.ty == WireType::FaceGrid).map_or([0; 3], crate::graph::Domain::face_resolution),
        component: bounds.component,
        range,
    })
}

/// The wire that holds how many particles of its set are alive.
pub(super) fn count_of(wire: &str) -> Option<String> {
    Some(format!("{}.count", wire.rsplit_once('.')?.0))
}

impl FrameDebugger {
    /// The first dispatch of the frame after which an element of a wire is out of bounds, and the debugger stands behind it. Without a
    /// name, any wire. `None` where that does not happen; then the debugger stands at the end of the frame.
    pub(super) fn find_bad(&mut self, wire: Option<&str>, bounds: &Bounds) -> Result<Option<Occurrence>, Problems> {
        self.restore();
        self.move_to(0)?;
        let mut looks: Vec<(Option<usize>, String, Wire)> = Vec::new();
        let plan = &self.simulation.plan;
        match wire {
            Some(name) => {
                let value_name = format!("{name}.value");
                let versions = plan.versions.wires.get(name).or_else(|| plan.versions.wires.get(&value_name));
                for version in versions.into_iter().flatten() {
                    if version.written.is_none_or(|dispatch| self.runs(dispatch)) {
                        looks.push((version.written, name.to_string(), version.wire.clone()));
                    }
                }
            }
            None => {
                for state in &plan.states {
                    let name = [state.node.clone(), format!("{}.value", state.node)];
                    let state_wire = name.into_iter().find_map(|name| Some((plan.wires.get(&name)?.clone(), name)));
                    looks.extend(state_wire.map(|(wire, name)| (None, name, wire)));
                }
                for (at, accesses) in plan.versions.dispatches.iter().enumerate().filter(|(at, _)| self.runs(*at)) {
                    looks.extend(
                        accesses.writes.iter().map(|write| (Some(at), write.wire.clone(), write.after.clone())),
                    );
                }
            }
        }
        looks.sort_by_key(|(at, ..)| at.map_or(0, |at| at + 1));
        let prepared = looks.iter().map(|(at, name, wire)| {
            let position = at.map_or(0, |at| at + 1);
            let count = count_of(name).and_then(|count| Some((self.version(&count, position)?.wire.buffer, true)));
            look_for(plan, wire, count, bounds)
        });
        let prepared: Vec<Option<Look>> = prepared.collect();
        let (looks, prepared): (Vec<_>, Vec<Look>) =
            looks.into_iter().zip(prepared).filter_map(|(version, look)| Some((version, look?))).unzip();
        let scan = Scan::new(&self.simulation.gpu, prepared)?;
        let mut found = self.run_scans(&scan, &looks)?.into_iter();
        let first = looks.into_iter().find_map(|look| found.next().flatten().map(|hits| (look, hits)));
        let Some(((dispatch, wire, version), hits)) = first else { return Ok(None) };
        self.seek(dispatch.map_or(0, |dispatch| dispatch + 1))?;
        let element = Element::from_index(&self.simulation.plan, &version, u64::from(hits.first));
        Ok(Some(Occurrence { dispatch, wire, version, element, count: hits.count }))
    }

    /// Runs the frame, and looks through each of these wires after its dispatch.
    fn run_scans(
        &mut self,
        scan: &Scan,
        looks: &[(Option<usize>, String, Wire)],
    ) -> Result<Vec<Option<Hits>>, Problems> {
        scan.begin();
        let Simulation { engine, gpu, settings, .. } = &self.simulation;
        let (mut next, mut position) = (0, 0);
        while let Some((at, ..)) = looks.get(next) {
            let here = at.map_or(0, |at| at + 1);
            let same = looks.iter().skip(next).take_while(|(other, ..)| other == at).count();
            if here > position {
                engine.run_part(gpu, settings.bytes(), position..here);
                position = here;
            }
            scan.run(engine, next..next + same);
            next += same;
        }
        engine.run_part(gpu, settings.bytes(), position..self.len());
        let words = scan.read().map_err(Problem::from)?.wait().ok_or_else(|| crate::sim::lost("frame"))?;
        self.move_to(self.len())?;
        Ok(scan.hits(&words))
    }

    /// The first dispatch that raises an alarm, and which alarm of the plan it is. The debugger stands behind it, or at the end of the
    /// frame where there is none.
    pub(super) fn find_alarm(&mut self) -> Result<Option<(usize, usize)>, Problems> {
        let count = self.simulation.plan.alarms.len() as u64;
        let peeks: Vec<Peek> =
            (0..self.len()).map(|at| Peek { after: at + 1, buffer: None, words: 0..count }).collect();
        if count == 0 {
            return Ok(None);
        }
        let words = self.watch(self.len(), &peeks)?;
        let raised = |flags: &[u32]| flags.iter().position(|flag| *flag != 0);
        let mut all = words.chunks_exact(count as usize).enumerate();
        let Some((dispatch, alarm)) = all.find_map(|(at, flags)| Some((at, raised(flags)?))) else {
            return Ok(None);
        };
        self.seek(dispatch + 1)?;
        Ok(Some((dispatch, alarm)))
    }
}
