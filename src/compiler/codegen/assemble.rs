//! The finished plan: dispatches, kernels, memory and uniforms put together.

use super::writer::{Dispatches, Writer};
use crate::baked::baked_wire;
use crate::check::validate::Checks;
use crate::data::{
    BufferId, FileGrid, FilePart, FileTrack, PLAN_VERSION, Picture, Plan, PlayedPart, PlayedWire, State, Watch,
};
use crate::graph::balance::solver;
use crate::graph::{FileOutput, Graph, Kind, Node, NodeId, ParticleSet};
use crate::ir::stored::Stored;
use crate::ir::{Part, StateKey};
use crate::options::PlanOptions;
use crate::passes::allocate::Allocation;
use crate::scatter::Places;
use crate::stage::types::{Element, Precision, Scalar, ValueType, WireType, particles_name};

impl Writer<'_, '_> {
    /// The plan, and the kernels that are still being checked.
    pub(crate) fn finish(
        mut self,
        mut layout: Allocation,
        dispatches: Dispatches,
        options: &PlanOptions,
    ) -> (Plan, Checks) {
        let graph = self.graph;
        let Dispatches { reset, invariant, frame, of_operations } = dispatches;
        // Memory was laid out by operations.
        for held in layout.buffers.iter_mut().flat_map(|buffer| &mut buffer.holds) {
            for place in [&mut held.first, &mut held.last].into_iter().flatten() {
                *place = of_operations.get(*place).copied().unwrap_or(*place);
            }
        }
        // Only now it is known how many alarms stand in front.
        let places = Places::new(self.alarms.len(), &self.scatters);
        self.uniforms.place_checks(&places, &self.scatters);
        let plan = Plan {
            version: PLAN_VERSION,
            name: graph.name.clone(),
            fps: graph.fps,
            substeps: graph.substeps,
            seed: graph.seed,
            input: graph.input.clone(),
            domains: graph.domains.clone(),
            kernels: self.kernels.kernels,
            reset,
            invariant,
            frame,
            states: states(graph, &layout),
            outputs: pictures(graph, &layout),
            settings: self.uniforms.slots,
            numbers: graph.numbers.clone(),
            tracks: tracks(graph, options),
            shapes: graph.shapes.clone(),
            made_with: graph.made_with.clone(),
            dynamics: graph.dynamics(),
            words: self.uniforms.words,
            uniform_bytes: self.uniforms.bytes,
            memory: layout.buffers.iter().map(|b| b.bytes).sum(),
            alarms: self.alarms,
            scatters: self.scatters,
            watches: watches(graph, &layout),
            versions: Default::default(),
            files: files(graph, &layout, options),
            played: played(graph, &layout, options),
            apart: None,
            edited: options.edited.iter().filter(|path| graph.node(path).is_some()).cloned().collect(),
            swaps: layout.swaps,
            wires: layout.wires,
            buffers: layout.buffers,
        };
        (plan, self.kernels.checks)
    }
}

/// Grids that begin with what a file holds.
fn files(graph: &Graph, layout: &Allocation, options: &PlanOptions) -> Vec<FileGrid> {
    let file = |((id, part), buffer): (&StateKey, &BufferId)| {
        let node = &graph.nodes[*id];
        let (file, domain) = (node.file.clone()?, node.domain?);
        if matches!(part, Part::Outside(..)) {
            return None;
        }
        let dim = graph.domains.get(domain)?.dim;
        let dense = layout.dense.contains(&(*id, part.clone()));
        let room = node.set.as_ref().map(|set| file_part(set, part, (dim, dense)));
        let output = match room {
            Some(_) => FileOutput::Particles,
            None => FileOutput::ALL.into_iter().find(|output| Part::of_file(*output) == *part)?,
        };
        let (folder, anywhere) = (options.folder.clone(), options.allow_files);
        Some(FileGrid { node: node.path.clone(), file, output, folder, anywhere, domain, buffer: *buffer, part: room })
    };
    layout.states.iter().filter_map(file).collect()
}

/// Numbers over time that files hold.
fn tracks(graph: &Graph, options: &PlanOptions) -> Vec<FileTrack> {
    let tracks = graph.numbers.iter().filter(|number| number.track.is_some());
    let (folder, anywhere) = (&options.folder, options.allow_files);
    tracks.map(|number| FileTrack { number: number.path().into(), folder: folder.clone(), anywhere }).collect()
}

/// Wires that caches fill.
fn played(graph: &Graph, layout: &Allocation, options: &PlanOptions) -> Vec<PlayedWire> {
    let mut played: Vec<PlayedWire> = Vec::new();
    for ((node, part), buffer) in &layout.states {
        let Part::Outside(port, part) = part else { continue };
        let name = graph.wire_name(*node, *port);
        let ending = match &**part {
            Part::Attribute(name) => name.to_string(),
            Part::Count => "count".into(),
            _ => String::new(),
        };
        let full = if ending.is_empty() { name.clone() } else { format!("{name}.{ending}") };
        let Some(wire) = layout.wires.get(&full) else { continue };
        let (stored, words) = wire.on_disk(&graph.domains, &ending);
        let part = PlayedPart { name: ending, buffer: *buffer, stored, words };
        if let Some(wire) = played.iter_mut().find(|wire| wire.name == name) {
            wire.parts.push(part);
            continue;
        }
        let from = |wire: &String| graph.find_wire(wire) == Some((*node, *port));
        let cache = options.played.iter().find(|cache| cache.wires.iter().any(from));
        let folder = cache.map(|cache| cache.folder.clone()).unwrap_or_default();
        let state = matches!(graph.nodes[*node].kind, Kind::State(_));
        let capacity = baked_wire(graph, *node, *port).map_or(0, |wire| wire.capacity);
        played.push(PlayedWire { name, state, capacity, folder, parts: vec![part] });
    }
    played
}

/// A part of the particles of a file, as it lies in memory.
fn file_part(set: &ParticleSet, part: &Part, (dim, dense): (u32, bool)) -> FilePart {
    let attribute = match part {
        Part::Attribute(name) => Some(name.to_string()),
        _ => None,
    };
    let ty = attribute.as_ref().and_then(|name| set.attributes.get(name)).copied().unwrap_or(ValueType::U32);
    let layout = Stored { dim, dense, ..Stored::number(WireType::Attribute(ty)) }.layout();
    let components = layout.components();
    let stride = layout.numbers();
    let scalar = ty.scalar();
    FilePart { attribute, components, stride, scalar, capacity: set.capacity }
}

fn states(graph: &Graph, layout: &Allocation) -> Vec<State> {
    let state = |((id, part), buffer): (&StateKey, &BufferId)| {
        let node = &graph.nodes[*id];
        let name = match part {
            Part::Attribute(name) => format!("{}.{name}", node.path),
            Part::Count => format!("{}.count", node.path),
            Part::Slots(_) => format!("{}.blocks", node.path),
            _ => node.path.clone(),
        };
        let capacity = node.set.as_ref().filter(|_| *part == Part::Count).map(|set| set.capacity);
        let description = describe(graph, node);
        let description = match part {
            Part::Slots(_) => "places of blocks".to_string(),
            _ if layout.pooled.contains(&(*id, part.clone())) => format!("{description}, in blocks"),
            _ => description,
        };
        State { node: name, buffer: *buffer, description, capacity }
    };
    layout.states.iter().filter(|((_, part), _)| !matches!(part, Part::Outside(..))).map(state).collect()
}

/// Numbers that are compared with what their ports expect.
fn watches(graph: &Graph, layout: &Allocation) -> Vec<Watch> {
    let watch = |(node, port, buffer): &(NodeId, usize, BufferId)| {
        let node = &graph.nodes[*node];
        let Kind::Stage(stage) = &node.kind else { return None };
        let port = stage.outputs().nth(*port)?;
        let (name, doc) = (port.name.clone(), port.doc.clone());
        let scalar = port.ty.element().map_or(Scalar::F32, |e| match e {
            Element::Fixed(value) => value.scalar(),
            Element::Generic(_) => Scalar::F32,
        });
        let (node, range) = (solver(&node.path).to_string(), port.expect.unwrap_or((None, None)));
        Some(Watch { node, port: name, buffer: *buffer, scalar, range, doc })
    };
    let crowded = layout.crowded.iter().map(|(node, buffer, most)| Watch {
        node: graph.nodes[*node].path.clone(),
        port: "blocks".into(),
        buffer: *buffer,
        scalar: Scalar::U32,
        range: (None, Some(f64::from(*most))),
        doc: format!("`where` asks for {{blocks}} blocks of cells, and there is memory for {most}: nothing runs in the others. Allow more memory, or name a grid that is zero in more cells"),
    });
    layout.watches.iter().filter_map(watch).chain(crowded).collect()
}

fn pictures(graph: &Graph, layout: &Allocation) -> Vec<Picture> {
    let pictures = layout.pictures.iter().map(|(picture, buffer)| Picture {
        node: graph.nodes[picture.node].path.clone(),
        buffer: *buffer,
        width: picture.width,
        height: picture.height,
    });
    pictures.collect()
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
