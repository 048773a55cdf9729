//! Finds the buffers that a view reads, and how they are shown.

use crate::arena::Arena;
use crate::gpu::wire_view::{Params, Source, View as Mapping, kind, show};
use crate::graph::{Domain, Graph, Kind, NodeId, Source as Wired};
use crate::plan::{BufferId, Wire};
use crate::problem::Problem;
use crate::stage::types::{Scalar, ValueType, WireType};

use super::super::Simulation;
use super::super::camera::{Frame, Orbit};
use super::super::lookup::{NamedMemory, lookup, unknown};
use super::{ColorMap, Sample, Show, View, Volume};

/// Longer side of images without a natural size \[pixels\].
const PIXELS: u32 = 512;
/// Limit for each side \[pixels\].
const MAX_PIXELS: u32 = 16_384;

/// Buffers of the plan, and how their elements are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    /// The buffer, and whether it is a State's.
    values: (BufferId, bool),
    count: Option<(BufferId, bool)>,
    places: Option<(BufferId, bool)>,
    scalar: Scalar,
    /// Components of a sample.
    pub(super) numbers: usize,
    /// Whether they are neither a vector nor a colour, and are shown one by one.
    pub(super) array: bool,
    /// Cells of a grid along x, y, z, and the lengths of a cell's edges \[m\].
    cells: Option<([u32; 3], [f64; 3])>,
    dim: usize,
}

impl Inputs {
    pub(super) fn source<'a>(&self, simulation: &'a Simulation) -> Option<Source<'a>> {
        let buffer = |(buffer, state): (BufferId, bool)| simulation.engine.buffer(buffer, state);
        let values = buffer(self.values)?;
        let or_values = |other: Option<(BufferId, bool)>| other.map_or(Some(values), buffer);
        Some(Source { values, count: or_values(self.count)?, places: or_values(self.places)? })
    }

    /// Decodes a sample: its index, three words of a position and those of a value.
    pub(super) fn sample(&self, words: &[u32]) -> Option<Sample> {
        let (index, rest) = words.split_first().filter(|(index, _)| **index != u32::MAX)?;
        let (place, value) = rest.split_at_checked(3)?;
        let number = |word: &u32| match self.scalar {
            Scalar::F32 => f64::from(f32::from_bits(*word)),
            Scalar::I32 => f64::from(*word as i32),
            Scalar::U32 => f64::from(*word),
        };
        let cell =
            self.cells.map(|([x, y, _], _)| [index % x.max(1), index / x.max(1) % y.max(1), index / (x * y).max(1)]);
        let center = |cell: [u32; 3]| {
            let edges = self.cells.map_or([1.0; 3], |(_, edges)| edges);
            std::array::from_fn(|axis| if axis < self.dim { (f64::from(cell[axis]) + 0.5) * edges[axis] } else { 0.0 })
        };
        let there = self.places.map(|_| std::array::from_fn(|axis| f64::from(f32::from_bits(place[axis]))));
        Some(Sample {
            index: u64::from(*index),
            cell,
            position: cell.map(center).or(there),
            components: value.iter().take(self.numbers).map(number).collect(),
        })
    }
}

/// What a view reads, and how it is shown.
pub(super) fn find(simulation: &Simulation, view: &View) -> Result<(Inputs, Params), Problem> {
    let plan = &simulation.plan;
    let found = lookup(plan, &view.wire).ok_or_else(|| unknown(plan, &view.wire))?;
    let (values, count, places) = found.wires();
    if [Some(values), count, places].into_iter().flatten().any(|wire| !wire.kept) {
        if !plan.versions.wires.is_empty() {
            let cause = "it is not computed at this point of the frame, or its memory is already reused";
            return Err(Problem::new("", &view.wire, cause, "step on, or back"));
        }
        let remedy = format!("compile with `{}` among PlanOptions::keep", view.keep());
        return Err(Problem::new("", &view.wire, "the wire's memory is reused within the frame", remedy));
    }
    describe(found, &plan.domains, view)
}

/// How what was found is read and shown.
pub(super) fn describe(
    found: NamedMemory<'_>,
    domains: &Arena<Domain>,
    view: &View,
) -> Result<(Inputs, Params), Problem> {
    let (values, count, places) = found.wires();
    let at = |wire: &Wire| (wire.buffer, wire.state);
    let components = values.ty.value().components(values.dim);
    let faces = values.ty == WireType::FaceGrid;
    let starts = matches!(found, NamedMemory::Starts(_));
    let own_domain = values.domain.and_then(|d| domains.get(d));
    // A neighbour grid is shown by whole cells.
    let slices = own_domain.map_or(1, Domain::slices);
    let domain =
        own_domain.and_then(|d| d.sliced).filter(|_| starts).map_or(own_domain, |whole| domains.get(whole.domain));
    let space = places.and_then(|wire| wire.space).and_then(|d| domains.get(d)).or(domain);
    let dim = space.map_or(2, |d| d.dim);
    let looked = Inputs {
        values: at(values),
        count: count.map(at),
        places: places.map(at),
        scalar: values.ty.value().scalar(),
        array: is_array(found),
        numbers: if faces { 2 * dim } else { components } as usize,
        cells: domain.map(|d| (d.resolution, d.edges())),
        dim: dim as usize,
    };
    let (shown, component) = what(view, found, components)?;
    let mut params = Params {
        kind: if starts {
            kind::STARTS
        } else if faces {
            kind::FACES
        } else {
            kind::GRID
        },
        live: u32::from(count.is_some()),
        stride: if starts { slices } else { values.layout().adjacent() },
        plane: values.elements(domains).min(u64::from(u32::MAX)) as u32 * values.layout().adjacent(),
        components: if faces { dim } else { components },
        scalar: match values.ty.value().scalar() {
            Scalar::F32 if values.layout().is_half() => 3,
            Scalar::F32 => 0,
            Scalar::I32 => 1,
            Scalar::U32 => 2,
        },
        dim,
        place_stride: places.map_or(0, |wire| wire.layout().numbers()),
        show: shown,
        component,
        map: view.map as i32,
        signed_map: u32::from(view.map == ColorMap::Signed && shown < show::DIRECTION),
        cell_size: space.map_or(1.0, |d| d.cell_size as f32),
        ..Params::default()
    };
    if let Some((low, high)) = view.range {
        if !(low.is_finite() && high.is_finite()) {
            let cause = format!("the range {low} to {high} is not finite");
            return Err(Problem::new("", &view.wire, cause, "give two finite numbers, or use the range of the data"));
        }
        (params.given, params.low, params.high) = (1, low as f32, high as f32);
    }
    let params = match (places, space, domain) {
        (Some(_), Some(space), _) => points(Params { elements: values.capacity, ..params }, space, view),
        (_, _, Some(domain)) => cells(params, domain, view),
        // Neither particles with positions nor a grid: rows that fill a square.
        _ => {
            let elements = values.capacity.max(1);
            let width = (f64::from(elements).sqrt().ceil() as u32).max(1);
            let rows = [width, elements.div_ceil(width), 1];
            flat(Params { elements, resolution: rows, axis: 2, ..params }, [rows[0], rows[1]], view)
        }
    };
    Ok((looked, params))
}

fn is_array(found: NamedMemory<'_>) -> bool {
    found.wires().0.ty.value().is_compound()
}

/// The way of showing, and the component for [`show::COMPONENT`].
fn what(view: &View, found: NamedMemory<'_>, components: u32) -> Result<(u32, u32), Problem> {
    let automatic = match found {
        _ if components == 1 || is_array(found) => show::COMPONENT,
        NamedMemory::Whole(wire) if wire.ty == WireType::Grid(ValueType::Vec4) => show::COLOR,
        NamedMemory::Whole(wire) if wire.ty.is_grid() => show::DIRECTION,
        NamedMemory::Whole(wire) if wire.ty.value() == ValueType::Camera => show::COMPONENT,
        _ => show::MAGNITUDE,
    };
    let refuse = |cause: String, remedy: &str| Err(Problem::new("", &view.wire, cause, remedy));
    match view.show {
        Show::Auto => Ok((automatic, 0)),
        Show::Component(index) if u32::from(index) < components && (components <= 4 || is_array(found)) => {
            Ok((show::COMPONENT, u32::from(index)))
        }
        Show::Component(index) => refuse(
            format!("it has no component {index}; it has {components}, counted from 0"),
            "choose another component",
        ),
        Show::Magnitude | Show::Direction | Show::Color if is_array(found) => refuse(
            format!("its cells have {components} numbers, which are no vector and no colour"),
            "show one of them, counted from 0",
        ),
        Show::Magnitude => Ok((show::MAGNITUDE, 0)),
        Show::Direction if components > 1 => Ok((show::DIRECTION, 0)),
        Show::Direction => refuse("a single number has no direction".into(), "show it by a colour map"),
        Show::Color => Ok((show::COLOR, 0)),
    }
}

/// The size of an image of this many pixels, reduced to the view's maximum; never enlarged.
fn flat(params: Params, [width, height]: [u32; 2], view: &View) -> Params {
    let most = view.size.unwrap_or((MAX_PIXELS, MAX_PIXELS));
    let scale = |n: u32, most: u32| f64::from(most.max(1)) / f64::from(n.max(1));
    let scale = scale(width, most.0).min(scale(height, most.1)).min(1.0);
    params.sized([width, height].map(|n| (f64::from(n) * scale).round() as u32))
}

fn cells(params: Params, domain: &Domain, view: &View) -> Params {
    let resolution = domain.resolution;
    let elements = domain.cells().min(u64::from(u32::MAX)) as u32;
    let params = Params { resolution, elements, axis: 2, ..params };
    let volume = if domain.dim == 3 { view.volume } else { Volume::default() };
    let (axis, way, layer) = match volume {
        Volume::Orbit => return seen_from(Params { view: Mapping::Orbit as u32, ..params }, domain, view),
        Volume::Maximum(axis) => (axis, Mapping::Maximum, 0),
        Volume::Slice { axis, position } => {
            let count = resolution[axis as usize];
            (axis, Mapping::Slice, ((position.clamp(0.0, 1.0) * f64::from(count)) as u32).min(count.saturating_sub(1)))
        }
    };
    // One pixel a cell; several slices of a cell share one.
    let slices = domain.slices();
    let [x, y, z] = [resolution[0], resolution[1].saturating_mul(slices), resolution[2].saturating_mul(slices)];
    let extent = [[z, y], [x, z], [x, y]][axis as usize];
    flat(Params { axis: axis as u32, view: way as u32, layer, ..params }, extent, view)
}

fn points(params: Params, space: &Domain, view: &View) -> Params {
    let params = Params { resolution: space.resolution, view: Mapping::Points as u32, ..params };
    if space.dim == 3 {
        return seen_from(params, space, view);
    }
    let [x, y, _] = space.resolution.map(f64::from);
    let (width, height) = view.size.map_or((PIXELS, PIXELS), limited);
    let scale = (f64::from(width) / x).min(f64::from(height) / y);
    params.sized([x, y].map(|n| (n * scale).round() as u32))
}

fn limited((width, height): (u32, u32)) -> (u32, u32) {
    (width.clamp(1, MAX_PIXELS), height.clamp(1, MAX_PIXELS))
}

/// A perspective image through the camera, with the edges of the domain's box.
fn seen_from(params: Params, domain: &Domain, view: &View) -> Params {
    let (width, height) = view.size.map_or((PIXELS, PIXELS), limited);
    let extent = domain.size();
    let frame = view.camera.unwrap_or_else(|| Orbit::around(extent)).frame();
    let four = |v: [f64; 3], w: f64| [v[0] as f32, v[1] as f32, v[2] as f32, w as f32];
    Params {
        right: four(frame.right, frame.tangent),
        up: four(frame.up, f64::from(domain.slices())),
        forward: four(frame.forward, 0.0),
        eye: four(frame.eye, 0.0),
        edges: edges(&frame, extent, [width, height]),
        ..params.sized([width, height])
    }
}

/// The twelve edges of a box in image coordinates. Those behind the camera are left out or clipped.
fn edges(frame: &Frame, extent: [f64; 3], size: [u32; 2]) -> [[f32; 4]; 12] {
    std::array::from_fn(|edge| {
        // Four edges along each axis, identified by their ends on the other two axes.
        let axis = edge / 4;
        let mut from = [0.0; 3];
        for (bit, other) in [(1, (axis + 1) % 3), (2, (axis + 2) % 3)] {
            from[other] = if edge & bit != 0 { extent[other] } else { 0.0 };
        }
        let mut to = from;
        to[axis] = extent[axis];
        cut(frame, from, to, size).unwrap_or_default()
    })
}

fn cut(frame: &Frame, mut from: [f64; 3], mut to: [f64; 3], size: [u32; 2]) -> Option<[f32; 4]> {
    let near = 1e-3 * (0..3).map(|axis| (to[axis] - from[axis]).abs()).fold(0.0, f64::max);
    let depth = |p: [f64; 3]| (0..3).map(|axis| (p[axis] - frame.eye[axis]) * frame.forward[axis]).sum::<f64>();
    let (a, b) = (depth(from), depth(to));
    if a <= near && b <= near {
        return None;
    }
    let at = |share: f64| std::array::from_fn(|axis| from[axis] + share * (to[axis] - from[axis]));
    let meets: [f64; 3] = at((near - a) / (b - a));
    if a < near {
        from = meets;
    } else if b < near {
        to = meets;
    }
    let ([x0, y0], _) = frame.project(from, size);
    let ([x1, y1], _) = frame.project(to, size);
    Some([x0, y0, x1, y1].map(|v| v as f32))
}

pub(super) fn absent(wire: &str) -> Problem {
    Problem::new("", wire, "the wire has no memory in the running plan", "compile the graph again")
}

/// Wires of a node that have memory, by `node.port`: grids, particle sets and neighbour grids.
pub fn ports(graph: &Graph, node: NodeId) -> impl Iterator<Item = String> + '_ {
    let count = graph.nodes.get(node).map_or(0, |entry| match &entry.kind {
        Kind::Group(group) => group.outputs.len(),
        _ => entry.outputs.len(),
    });
    let has_memory = move |port: &usize| {
        let ty = wire_type(graph, &Wired::Wire { node, port: *port });
        ty.is_some_and(|ty| ty.is_grid() || matches!(ty, WireType::Particles | WireType::NeighborGrid))
    };
    (0..count).filter(has_memory).map(move |port| graph.wire_name(node, port))
}

/// The type of a wire; for an output of a group, that of the node inside which it comes from.
fn wire_type(graph: &Graph, source: &Wired) -> Option<WireType> {
    match source {
        Wired::Wire { node, port } => {
            let entry = graph.nodes.get(*node)?;
            match &entry.kind {
                Kind::Group(group) => wire_type(graph, &group.outputs.get(*port)?.1),
                _ => entry.outputs.get(*port).copied(),
            }
        }
        Wired::GroupInput { group, input } => wire_type(graph, &graph.nodes.get(*group)?.inputs.get(*input)?.source),
        Wired::Setting(_) | Wired::Nothing => None,
    }
}
