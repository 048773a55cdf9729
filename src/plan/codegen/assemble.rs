//! The finished plan: dispatches, kernels, memory and uniforms put together.

use super::writer::{Dispatches, Writer};
use crate::graph::{Graph, Kind, Node};
use crate::plan::check::validate::Checks;
use crate::plan::data::{FileGrid, PLAN_VERSION, Picture, Plan, State, Watch, Wire};
use crate::plan::ir::Part;
use crate::plan::options::PlanOptions;
use crate::plan::passes::allocate::Allocation;
use crate::plan::scatter::Places;
use crate::stage::types::{Element, Precision, Scalar, WireType, particles_name};

impl Writer<'_, '_> {
    /// The plan, and the kernels that are still being checked.
    pub fn finish(mut self, layout: Allocation, dispatches: Dispatches, options: &PlanOptions) -> (Plan, Checks) {
        let graph = self.graph;
        let Dispatches { reset, still, frame } = dispatches;
        // Only now it is known how many alarms stand in front.
        let places = Places::new(self.alarms.len(), &self.scatters);
        self.uniforms.place_checks(&places, &self.scatters);
        let files = layout.states.iter().filter_map(|((node, _), buffer)| {
            let node = &graph.nodes[*node];
            let (file, domain) = (node.file.clone()?, node.domain?);
            let (folder, anywhere) = (options.folder.clone(), options.allow_files);
            Some(FileGrid { node: node.path.clone(), file, folder, anywhere, domain, buffer: *buffer })
        });
        let files = files.collect();
        let memory = layout.buffers.iter().map(|b| b.bytes).sum();
        let states = layout.states.iter().map(|((node, part), buffer)| {
            let node = &graph.nodes[*node];
            let name = match part {
                Part::Attribute(name) => format!("{}.{name}", node.path),
                Part::Count => format!("{}.count", node.path),
                _ => node.path.clone(),
            };
            State { node: name, buffer: *buffer, description: describe(graph, node) }
        });
        let watches = layout.watches.iter().filter_map(|(node, port, buffer)| {
            let node = &graph.nodes[*node];
            let Kind::Stage(stage) = &node.kind else { return None };
            let port = stage.outputs().nth(*port)?;
            let (name, doc) = (port.name.clone(), port.doc.clone());
            let scalar = port.ty.element().map_or(Scalar::F32, |e| match e {
                Element::Fixed(value) => value.scalar(),
                Element::Generic(_) => Scalar::F32,
            });
            Some(Watch { node: node.path.clone(), port: name, buffer: *buffer, scalar, range: port.expect?, doc })
        });
        let wires = layout.wires.into_iter().map(|(name, m)| {
            (
                name,
                Wire {
                    ty: m.value.ty,
                    domain: m.value.domain,
                    dim: m.value.dim,
                    capacity: m.value.capacity,
                    space: m.value.space,
                    precision: m.value.precision,
                    buffer: m.buffer,
                    kept: m.kept,
                    state: m.state,
                },
            )
        });
        let outputs = layout.pictures.iter().map(|(picture, buffer)| Picture {
            node: graph.nodes[picture.node].path.clone(),
            buffer: *buffer,
            width: picture.width,
            height: picture.height,
        });
        let plan = Plan {
            version: PLAN_VERSION,
            name: graph.name.clone(),
            fps: graph.fps,
            seed: graph.seed,
            input: graph.input.clone(),
            domains: graph.domains.clone(),
            kernels: self.kernels.kernels,
            reset,
            still,
            frame,
            swaps: layout.swaps,
            states: states.collect(),
            wires: wires.collect(),
            outputs: outputs.collect(),
            settings: self.uniforms.slots,
            numbers: graph.numbers.clone(),
            shapes: graph.shapes.clone(),
            made_with: graph.made_with.clone(),
            words: self.uniforms.words,
            uniform_bytes: self.uniforms.bytes,
            memory,
            alarms: self.alarms,
            scatters: self.scatters,
            watches: watches.collect(),
            files,
            apart: None,
            buffers: layout.buffers,
        };
        (plan, self.kernels.checks)
    }
}

/// What a State is: while it reads the same, the contents stay over a recompile.
fn describe(graph: &Graph, node: &Node) -> String {
    let ty = node.outputs.first().map(WireType::to_string).unwrap_or_default();
    let domain = node.domain.and_then(|d| graph.domains.get(d));
    let resolution = domain.map_or([0; 3], |d| d.resolution);
    let value = node.params.first().map(|s| format!("{:?}", s.value)).unwrap_or_default();
    let set = node.set.as_ref().map(|s| format!(" {} up to {}", particles_name(&s.attributes), s.capacity));
    let file = node.file.as_ref().map(|f| format!(" {f:?}"));
    let stored = if node.precision == Precision::F32 { String::new() } else { format!(" {}", node.precision.name()) };
    format!("{ty} {resolution:?} {value}{}{}{stored}", set.unwrap_or_default(), file.unwrap_or_default())
}
