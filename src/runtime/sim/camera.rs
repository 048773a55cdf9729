//! Cameras that the user moves: an orbit around a point, and the node of a graph that sets such a camera.

use std::collections::BTreeSet;

use super::Simulation;
use crate::document::ParamValue;
use crate::graph::{Graph, Kind, NodeId, Source};
use crate::stage::types::{ValueType, WireType};

/// A camera that looks at a point from a distance. It has the parameters of the stage `view/camera`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Point in the middle of the image \[m\].
    pub look_at: [f64; 3],
    /// Direction to the camera around +y: 0 is +z, 90 is +x \[degrees\].
    pub azimuth: f64,
    /// Height of the camera above the horizon, -90 to 90 \[degrees\].
    pub elevation: f64,
    /// Distance from the point \[m\].
    pub distance: f64,
    /// Angle between the upper and the lower edge of the image \[degrees\].
    pub fov: f64,
}

/// Turn by a drag of one point on the screen \[degrees\]: half a turn in 450 points.
const DEGREES_A_POINT: f64 = 0.4;
/// Largest elevation \[degrees\]. At the poles, left and right would change places.
const STEEPEST: f64 = 89.0;
const FOV: f64 = 35.0;

/// Axes and position of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Unit vector to the right.
    pub right: [f64; 3],
    /// Unit vector upwards.
    pub up: [f64; 3],
    /// Unit vector of the viewing direction.
    pub forward: [f64; 3],
    /// Position of the camera \[m\].
    pub eye: [f64; 3],
    /// Tangent of half the vertical angle of view.
    pub tangent: f64,
}

impl Orbit {
    /// Shows the whole of a box with its lower corner at zero, from every direction: its bounding sphere fits the
    /// image.
    pub fn around(size: [f64; 3]) -> Orbit {
        let radius = 0.5 * size.iter().map(|s| s * s).sum::<f64>().sqrt();
        let distance = radius / (0.5 * FOV).to_radians().sin();
        Orbit { look_at: size.map(|s| 0.5 * s), azimuth: 30.0, elevation: 20.0, distance, fov: FOV }
    }

    /// The camera after a drag to the right and down \[points\]: the scene follows the pointer.
    pub fn dragged(self, right: f64, down: f64) -> Orbit {
        let azimuth = (self.azimuth - right * DEGREES_A_POINT + 180.0).rem_euclid(360.0) - 180.0;
        let elevation = (self.elevation + down * DEGREES_A_POINT).clamp(-STEEPEST, STEEPEST);
        Orbit { azimuth, elevation, ..self }
    }

    /// Nearer by a factor above 1, farther by one below 1. Zero, negative numbers and NaN change nothing.
    pub fn zoomed(self, factor: f64) -> Orbit {
        let distance = self.distance / factor;
        if factor > 0.0 && distance.is_finite() && distance > 0.0 {
            return Orbit { distance: distance.clamp(1e-3, 1e6), ..self };
        }
        self
    }

    /// The camera after a drag to the right and down \[points\] that moves the point looked at. `height` is that of the
    /// image \[points\]: things at the depth of that point stay under the pointer.
    pub fn panned(self, right: f64, down: f64, height: f64) -> Orbit {
        let frame = self.frame();
        let metres = 2.0 * self.distance * frame.tangent / height.max(1.0);
        let mut look_at = self.look_at;
        for (axis, value) in look_at.iter_mut().enumerate() {
            *value += metres * (down * frame.up[axis] - right * frame.right[axis]);
        }
        Orbit { look_at, ..self }
    }

    /// Position and axes, as the stage computes them.
    pub fn frame(self) -> Frame {
        let (turn, rise) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let back = [rise.cos() * turn.sin(), rise.sin(), rise.cos() * turn.cos()];
        let right = [turn.cos(), 0.0, -turn.sin()];
        let up = [
            back[1] * right[2] - back[2] * right[1],
            back[2] * right[0] - back[0] * right[2],
            back[0] * right[1] - back[1] * right[0],
        ];
        let eye = std::array::from_fn(|axis| self.look_at[axis] + self.distance * back[axis]);
        let tangent = (0.5 * self.fov).to_radians().tan();
        Frame { right, up, forward: back.map(|b| -b), eye, tangent }
    }

    /// The values to set on a camera's node, with the parameters' names. The angle of view is not set.
    pub fn params(self) -> [(&'static str, ParamValue); 4] {
        [
            ("azimuth", ParamValue::Number(self.azimuth)),
            ("elevation", ParamValue::Number(self.elevation)),
            ("distance", ParamValue::Number(self.distance)),
            ("look_at", ParamValue::Vector(self.look_at.to_vec())),
        ]
    }

    /// Sets one parameter from a camera's node. Returns whether the camera has a parameter of this name and size.
    fn take(&mut self, param: &str, value: &[f64]) -> bool {
        match (param, value) {
            ("azimuth", [v]) => self.azimuth = *v,
            ("elevation", [v]) => self.elevation = *v,
            ("distance", [v]) => self.distance = *v,
            ("fov", [v]) => self.fov = *v,
            ("look_at", [x, y, z]) => self.look_at = [*x, *y, *z],
            _ => return false,
        }
        true
    }
}

impl Frame {
    /// Position in an image \[pixels from the lower left\], and depth \[m\].
    pub fn project(&self, position: [f64; 3], size: [u32; 2]) -> ([f64; 2], f64) {
        let away: [f64; 3] = std::array::from_fn(|axis| position[axis] - self.eye[axis]);
        let dot = |a: [f64; 3]| a.iter().zip(away).map(|(a, b)| a * b).sum::<f64>();
        let (depth, [width, height]) = (dot(self.forward), size.map(f64::from));
        let scale = 0.5 * height / (self.tangent * depth);
        ([0.5 * width + dot(self.right) * scale, 0.5 * height + dot(self.up) * scale], depth)
    }
}

impl Simulation {
    /// The camera of a node as it was in the last frame, for nodes that [`orbit_target`] finds.
    pub fn orbit(&self, node: &str) -> Option<Orbit> {
        let mut orbit = Orbit::around([1.0; 3]);
        for param in ["azimuth", "elevation", "distance", "look_at", "fov"] {
            let value = self.value(&format!("{node}.{param}"));
            let is_orbit = value.is_some_and(|value| orbit.take(param, &value));
            if !is_orbit && param != "fov" {
                return None;
            }
        }
        Some(orbit)
    }
}

/// The node that sets the camera of an Output's image: a stage that makes a `Camera` and can be moved as an [`Orbit`].
/// Of several, the one that is the fewest wires away, since a light that casts shadows is farther from the Output than
/// the camera. [`Simulation::orbit`] gives its present state. [`Simulation::set_param`] with [`Orbit::params`] moves it
/// while the graph runs; the document keeps what its author wrote.
pub fn orbit_target(graph: &Graph, output: Option<&str>) -> Option<String> {
    let is_output = |node: &crate::graph::Node| {
        matches!(node.kind, Kind::Output { .. }) && output.is_none_or(|name| node.path == name)
    };
    let mut front = vec![graph.nodes.position(is_output)?];
    let mut seen: BTreeSet<NodeId> = front.iter().copied().collect();
    while !front.is_empty() {
        if let Some(camera) = front.iter().find(|node| orbits(graph, **node)) {
            return graph.nodes.get(*camera).map(|node| node.path.clone());
        }
        let next: Vec<NodeId> = front.iter().flat_map(|node| feeders(graph, *node)).collect();
        front = next.into_iter().filter(|node| seen.insert(*node)).collect();
    }
    None
}

fn orbits(graph: &Graph, node: NodeId) -> bool {
    let Some(node) = graph.nodes.get(node) else { return false };
    let has = |name: &str| node.params.iter().any(|p| p.name == name);
    let camera = node.outputs.contains(&WireType::Number(ValueType::Camera));
    camera && ["azimuth", "elevation", "distance", "look_at"].into_iter().all(has)
}

/// Nodes that a node reads. For a group: the nodes behind its outputs, and those that its own inputs read.
fn feeders(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let Some(node) = graph.nodes.get(node) else { return Vec::new() };
    let inner = match &node.kind {
        Kind::Group(group) => group.outputs.iter().map(|(_, source)| source).collect(),
        _ => Vec::new(),
    };
    let sources = node.inputs.iter().map(|input| &input.source).chain(inner);
    let from = sources.filter_map(|source| match source {
        Source::Wire { node, .. } => Some(*node),
        Source::GroupInput { group, .. } => Some(*group),
        Source::Setting(_) | Source::Nothing => None,
    });
    from.collect()
}
