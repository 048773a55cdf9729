//! How the numbers of a State lie in host memory and in a file, whichever layout its plan has chosen for the GPU.

use half::f16;
use safetensors::Dtype;

use crate::graph::COUNT_NUMBERS;
use crate::plan::BufferId;
use crate::plan::{Plan, State, Wire};
use crate::stage::types::{Scalar, WireType};
use std::sync::Arc;

/// The numbers of a State, without the padding behind them. Vectors of three of particles have a fourth number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateLayout {
    /// Type of the numbers.
    pub kind: Dtype,
    /// Axes z, y, x and component for grids, particle and component for attributes.
    pub shape: Vec<usize>,
    /// Words of 32 bits that hold them.
    pub words: usize,
    /// Number of particles that a set has room for, at the State of its count. Such a State is kept as two words: live, ever
    /// emitted.
    pub capacity: Option<u32>,
    /// The State with an attribute's count, and the words of a particle: dead ones have no values.
    pub count: Option<(String, usize)>,
}

impl StateLayout {
    pub(super) fn of_state(plan: &Plan, state: &State) -> StateLayout {
        if state.capacity.is_some() {
            return StateLayout { capacity: state.capacity, ..StateLayout::plain(COUNT_NUMBERS) };
        }
        let bytes = plan.buffers.get(state.buffer).map_or(0, |buffer| buffer.bytes);
        let wire = plan.wires.get(&state.node).or_else(|| plan.wires.get(&format!("{}.value", state.node)));
        let plain = || StateLayout::plain((bytes / 4) as usize);
        wire.map_or_else(plain, |wire| StateLayout::of_wire(plan, &state.node, wire))
    }

    /// Words of which no more is known.
    pub(super) fn plain(words: usize) -> StateLayout {
        StateLayout { kind: Dtype::U32, shape: vec![words], words, capacity: None, count: None }
    }

    fn of_wire(plan: &Plan, node: &str, wire: &Wire) -> StateLayout {
        let layout = wire.portable_layout();
        let domain = wire.domain.and_then(|domain| plan.domains.get(domain));
        let words = layout.words(wire.elements(&plan.domains)) as usize;
        let numbers = if layout.is_half() { 2 * words } else { words };
        let components = layout.adjacent() as usize;
        // Arrays lie plane by plane.
        let planes = (layout.numbers() / layout.adjacent()) as usize;
        let cells = domain
            .map(|domain| if wire.ty == WireType::FaceGrid { domain.face_resolution() } else { domain.resolution });
        let axes: Vec<usize> = match cells {
            Some([x, y, z]) => {
                let cells = [z, y, x].into_iter().map(|n| n as usize).chain([components]);
                (planes > 1).then_some(planes).into_iter().chain(cells).collect()
            }
            None => vec![numbers / components.max(1), components],
        };
        let shape = if axes.iter().product::<usize>() == numbers { axes } else { vec![numbers] };
        let kind = match (layout.is_half(), wire.ty.value().scalar()) {
            (true, _) => Dtype::F16,
            (false, Scalar::F32) => Dtype::F32,
            (false, Scalar::I32) => Dtype::I32,
            (false, Scalar::U32) => Dtype::U32,
        };
        let set = node.rsplit_once('.').filter(|_| wire.capacity > 0);
        let count = set.map(|(set, _)| (format!("{set}.count"), words / wire.capacity.max(1) as usize));
        StateLayout { kind, shape, words, capacity: None, count }
    }

    /// How many of the numbers are NaN or infinite; none of whole numbers are.
    pub(super) fn not_finite(&self, words: &[u32]) -> u64 {
        let bad = |finite: bool| u64::from(!finite);
        match self.kind {
            Dtype::F32 => words.iter().map(|word| bad(f32::from_bits(*word).is_finite())).sum(),
            Dtype::F16 => {
                let halves = words.iter().flat_map(|word| [*word as u16, (word >> 16) as u16]);
                halves.map(|half| bad(f16::from_bits(half).is_finite())).sum()
            }
            _ => 0,
        }
    }
}

/// A type and axes in words: `F32 of 1 x 12 x 16 x 1`.
pub(super) fn described(kind: Dtype, shape: &[usize]) -> String {
    let axes = shape.iter().take(8).map(usize::to_string).collect::<Vec<_>>().join(" x ");
    format!("{kind:?} of {}", if axes.is_empty() { "one number" } else { &axes })
}

/// Buffers of the States that checkpoints hold.
pub(super) fn kept(plan: &Plan) -> Vec<BufferId> {
    held(plan).map(|state| state.buffer).collect()
}

/// A State in a copy of all, with its size in the plan that it was copied from.
#[derive(Clone, Debug)]
pub(super) struct HeldState {
    /// Node and description of the State.
    pub name: (String, String),
    /// Memory of the State \[bytes\].
    pub bytes: u64,
}

/// Names and sizes of the States of a plan.
pub(super) fn names(plan: &Plan) -> Arc<[HeldState]> {
    let state = |state: &State| HeldState {
        name: (state.node.clone(), state.description.clone()),
        bytes: plan.buffers.get(state.buffer).map_or(0, |buffer| buffer.bytes).max(16),
    };
    held(plan).map(state).collect()
}

/// Whether two copies hold the same States, maybe in other layouts.
pub(super) fn are_same(one: &[HeldState], other: &[HeldState]) -> bool {
    one.iter().map(|state| &state.name).eq(other.iter().map(|state| &state.name))
}

/// The States without those that a file fills, which does not change.
pub(super) fn held(plan: &Plan) -> impl Iterator<Item = &State> {
    plan.states.iter().filter(|state| !plan.files.iter().any(|file| file.buffer == state.buffer))
}
