//! What the two sides are.

use std::sync::Arc;

use super::other::Other;
use crate::graph::DomainId;
use crate::plan::{Plan, Wire};
use crate::sim::host_copy::{CopySubject, HostCopy};
use crate::stage::types::{ValueType, WireType};

/// What the running graph is compared with.
#[derive(Default)]
pub(super) enum Against {
    /// Nothing was chosen yet.
    #[default]
    Nothing,
    /// Another wire or image of the graph, in the same frame.
    Wire(CopySubject),
    /// Values of an earlier or later frame.
    Held(Arc<HostCopy>),
    /// Another graph in the same frame.
    Other(Box<Other>),
}

/// The images and the wires of a plan that can be compared, images first.
pub(super) fn subjects(plan: &Plan) -> Vec<CopySubject> {
    let outputs = plan.outputs.iter().map(|output| CopySubject::Output(output.node.clone()));
    let wires = plan.wires.iter().filter(|(_, wire)| has_values(wire)).map(|(name, _)| CopySubject::Wire(name.clone()));
    outputs.chain(wires).collect()
}

fn has_values(wire: &Wire) -> bool {
    match wire.ty {
        WireType::Grid(_) | WireType::FaceGrid | WireType::Attribute(_) => true,
        WireType::Number(value) => value != ValueType::Camera,
        WireType::Field(_) | WireType::Particles | WireType::NeighborGrid => false,
    }
}

/// What a wire of a plan holds, in words: `f32 on 256 x 256 cells`.
pub(super) fn about(plan: &Plan, subject: &CopySubject) -> String {
    let size = |domain: Option<DomainId>| {
        let domain = domain.and_then(|id| plan.domains.get(id));
        let parts = domain.map(|d| d.resolution.iter().take(d.dim as usize).map(u32::to_string).collect::<Vec<_>>());
        parts.unwrap_or_default().join(" x ")
    };
    match subject {
        CopySubject::Output(name) => {
            plan.output(Some(name)).map_or_else(String::new, |o| format!("image, {} x {}", o.width, o.height))
        }
        CopySubject::Wire(name) => plan.wires.get(name).map_or_else(String::new, |wire| match wire.ty {
            WireType::Grid(value) => format!("{}, {}", value.name(), size(wire.domain)),
            WireType::FaceGrid => format!("faces, {}", size(wire.domain)),
            WireType::Attribute(value) => format!("{}, particles", value.name()),
            other => other.value().name().to_string(),
        }),
    }
}
