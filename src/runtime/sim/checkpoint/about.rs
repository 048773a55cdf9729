//! The description of a checkpoint in its header: program, graph, frame and States.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::sim::FrameInput;
use crate::sim::debug::Report;

/// Version of the format.
pub(super) const VERSION: u32 = 2;

/// What made the States of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    pub(super) version: u32,
    /// Name and version of the program.
    pub program: String,
    /// Adapter, backend and driver; another one may round differently.
    pub adapter: String,
    /// The graph as text.
    pub graph: String,
    /// A hash of everything that the frames depend on, where it was computed.
    #[serde(default)]
    pub inputs: Option<String>,
    /// The input of the frames until now, as the text of a recording, where it was given live.
    #[serde(default)]
    pub recording: Option<String>,
    /// Where the next frame stopped, in a checkpoint of what that frame starts from.
    #[serde(default)]
    pub stop: Option<Box<Stop>>,
    pub(super) frame: u64,
    /// Bits of a 64-bit float \[s\].
    pub(super) time: u64,
    /// The States by name.
    pub(super) states: BTreeMap<String, StateAbout>,
    /// Values that expressions have kept: bits of 64-bit floats.
    #[serde(default)]
    pub(super) held: Vec<(String, Vec<u64>)>,
}

/// A State of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StateAbout {
    /// Type, domain and start value.
    pub(super) description: String,
    /// SHA-256 of its numbers, in hexadecimal.
    pub(super) sha256: String,
    /// How many of its numbers are NaN or infinite.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) not_finite: u64,
    /// The frame after which such a number was seen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Where a run stopped inside the frame after a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// What the stop said.
    pub report: Report,
    /// The input of the frame.
    pub input: FrameInput,
}
