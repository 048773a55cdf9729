//! Minimum memory traffic of dispatches.

use std::collections::BTreeMap;

use crate::arena::IdVec;
use crate::data::{BufferId, Kernel, Plan};
use naga::valid::{Capabilities, GlobalUse, ValidationFlags, Validator};

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    reads: bool,
    writes: bool,
}

impl Plan {
    /// Bytes that each dispatch of the frame must read and write: every bound buffer once, by the size of the wire that
    /// it holds then, and twice where the kernel both reads and writes it. Particles count as if the set were full.
    /// Caches may save a part of that; reads of neighbours that no cache holds are additional.
    pub fn traffic(&self) -> Vec<u64> {
        let uses: IdVec<Kernel, Vec<Use>> = crate::threads::deep_stack(|| self.kernels.iter().map(uses).collect());
        let dispatches = self.frame.iter().zip(self.invariant.len()..);
        let bytes = dispatches.map(|(dispatch, number)| {
            // One buffer may be bound to several ports.
            let mut bound: BTreeMap<BufferId, Use> = BTreeMap::new();
            for (buffer, used) in dispatch.buffers.iter().zip(uses.get(dispatch.kernel).into_iter().flatten()) {
                let all = bound.entry(*buffer).or_default();
                *all = Use { reads: all.reads || used.reads, writes: all.writes || used.writes };
            }
            bound.into_iter().map(|(buffer, used)| self.moved(buffer, used, number)).sum()
        });
        bytes.collect()
    }

    fn moved(&self, buffer: BufferId, used: Use, dispatch: usize) -> u64 {
        let Some(memory) = self.buffers.get(buffer) else { return 0 };
        let size = |written| {
            let held = memory.held(dispatch, written);
            held.and_then(|held| self.wire_bytes(&held.wire)).unwrap_or(memory.bytes).min(memory.bytes)
        };
        u64::from(used.reads) * size(false) + u64::from(used.writes) * size(true)
    }

    /// Size of a wire of cells or particles \[bytes\]; `None` for anything else, such as sums of blocks.
    fn wire_bytes(&self, name: &str) -> Option<u64> {
        let wire = self.wires.get(name)?;
        let elements = match wire.domain.filter(|_| wire.ty.is_grid()) {
            Some(domain) => self.domains.get(domain)?.elements(wire.ty),
            None if wire.capacity > 0 => u64::from(wire.capacity),
            None => return None,
        };
        Some(wire.layout().words(elements) * 4)
    }
}

/// How a kernel's text uses each of its buffers. Where the text cannot be analysed, its bindings decide.
fn uses(kernel: &Kernel) -> Vec<Use> {
    let declared = || kernel.bindings.iter().map(|b| Use { reads: !b.writes, writes: b.writes }).collect();
    let Ok(module) = naga::front::wgsl::parse_str(&kernel.wgsl) else { return declared() };
    let capabilities = Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    let Ok(info) = validator.validate(&module) else { return declared() };
    if module.entry_points.is_empty() {
        return declared();
    }
    let main = info.get_entry_point(0);
    let used = |binding: u32| {
        let found = module
            .global_variables
            .iter()
            .find(|(_, variable)| variable.binding.as_ref().is_some_and(|b| b.group == 0 && b.binding == binding));
        found.map_or_else(Use::default, |(handle, _)| Use {
            reads: main[handle].contains(GlobalUse::READ),
            writes: main[handle].contains(GlobalUse::WRITE),
        })
    };
    // Bindings 0 and 1 are the uniform blocks.
    (2..).take(kernel.bindings.len()).map(used).collect()
}

#[cfg(test)]
mod tests {
    use crate::document::Document;
    use crate::graph::Graph;
    use crate::library::Library;
    use crate::{Keep, Plan, PlanOptions};

    #[test]
    fn a_dispatch_moves_each_wire_once() {
        let nodes = r#"(version: 1, nodes: {
            "box": (domain: (resolution: (32, 8), width: 1, edge: "wall")),
            "flow": (state: "Grid<Vec>", inputs: {"next": "project.velocity"}),
            "advect": (stage: "fluid/advect", inputs: {"velocity": "flow", "field": "flow"}),
            "divergence": (stage: "fluid/divergence", inputs: {"velocity": "advect"}),
            "pressure": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "divergence"}, iterations: 1),
            "project": (stage: "fluid/project", inputs: {"velocity": "advect", "pressure": "pressure"}),
        })"#;
        let graph = Graph::build(&Document::parse(nodes).unwrap(), Library::builtin()).unwrap();
        let keep = Keep::Wires(vec!["flow.value".into()]);
        let plan = Plan::compile(&graph, &PlanOptions { keep, ..PlanOptions::default() }).unwrap();
        let by_node = |node: &str| {
            let dispatches = plan.frame.iter().zip(plan.traffic()).filter(|(dispatch, _)| dispatch.node == node);
            dispatches.map(|(_, bytes)| bytes / (32 * 8)).sum::<u64>()
        };
        // Bytes a cell: velocity in and out; velocity in and a scalar out; clearing, two scalars in and one out; in
        // place.
        assert_eq!(["advect", "divergence", "pressure", "project"].map(by_node), [16, 12, 4 + 12, 20]);
    }
}
