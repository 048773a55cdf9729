//! What is known of the running simulation: copies of its States and where these began, cameras that were moved, the domains of its
//! plan, and numbers over time.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use crate::document::{Link, ParamValue};
use crate::graph::DomainId;
use crate::graph::measurement::Measurement;
use crate::model::compiler::GridMade;
use crate::problem::Problem;
use crate::sim::nan_watch::BadValues;
use crate::sim::record::{Record, Recorder};
use crate::sim::{Snapshot, SnapshotReading};

/// Frames that are kept of each number.
const FRAMES: usize = 8192;
/// Changes of the graph that are kept.
const CHANGES: usize = 256;

/// The last snapshot, and the next one that is being read back.
#[derive(Default)]
pub(super) struct Snapshots {
    pub(super) last: Option<Snapshot>,
    pub(super) reading: Option<SnapshotReading>,
    pub(super) last_request: Option<Instant>,
    /// The simulation of the next plan starts from the last snapshot.
    pub(super) wanted: bool,
}

impl Snapshots {
    /// The snapshot that a simulation on another device starts from, once.
    pub(super) fn wanted(&mut self) -> Option<&Snapshot> {
        let wanted = std::mem::take(&mut self.wanted);
        self.last.as_ref().filter(|_| wanted)
    }
}

/// The wire of the `init` of each State, by its path.
pub(super) type Starts = BTreeMap<String, Option<Link>>;

/// What is known of the States of the simulation.
#[derive(Default)]
pub(super) struct StateWatch {
    /// Wire of each State's `init` when the State began.
    pub(super) begun: Starts,
    /// The answer of a trace that is under way.
    pub(super) traced: Option<Receiver<Traced>>,
    /// Where the NaN of this run began, as it was found last. After an edit, the watch begins with States that hold it.
    pub(super) origin: Option<Problem>,
}

/// The problem to show, what it was found from, and whether it names the place where the NaN began, or where it was already.
pub(super) type Traced = (Problem, BadValues, Option<bool>);

/// The cameras of the images, and where they were moved.
#[derive(Default)]
pub(super) struct Cameras {
    /// The node that sets the camera of each Output.
    pub(super) nodes: BTreeMap<String, String>,
    /// Parameters that the running simulation has and the document has not.
    pub(super) moved: BTreeMap<String, ParamValue>,
}

impl Cameras {
    /// Forgets where cameras were moved, which was in another document.
    pub(super) fn clear(&mut self) {
        self.moved.clear();
    }
}

/// Where things of the running plan are.
#[derive(Default)]
pub(super) struct Spaces {
    /// The domains of nodes, by their paths.
    pub(super) domains: BTreeMap<String, DomainId>,
    /// Grids and fields by `node.port`.
    pub(super) grids: BTreeMap<String, GridMade>,
}

/// The records of numbers.
pub(super) struct Numbers {
    pub(super) recorder: Recorder,
    /// The run before the last reset.
    pub(super) before: Record,
    /// The numbers, by `node.port` or `node.value`, in the order in which they were last viewed.
    pub(super) viewed: Vec<String>,
    /// The curves of the pane of plots.
    pub(super) plotted: Vec<Plotted>,
    /// Frames after which the graph or a parameter was changed.
    pub(super) changes: Vec<u64>,
}

impl Default for Numbers {
    fn default() -> Numbers {
        let recorder = Recorder::new(FRAMES);
        Numbers { recorder, before: Record::default(), viewed: Vec::new(), plotted: Vec::new(), changes: Vec::new() }
    }
}

impl Numbers {
    /// The wires that the plan has to keep for them.
    pub(super) fn wires(&self) -> impl Iterator<Item = String> {
        self.recorder.record().wires()
    }

    /// Starts over; the record so far becomes that of the run before.
    pub(super) fn restart(&mut self) {
        self.changes.clear();
        let record = self.recorder.restart();
        if !record.is_empty() {
            self.before = record;
        }
    }

    /// Measures something from now on, under a title, unless it is measured already.
    pub(super) fn add(&mut self, title: &str, measurement: Measurement) {
        if self.recorder.record().position(title).is_none() {
            self.recorder.add(title, measurement);
        }
    }

    /// Ends the measurement of a wire, unless a view or the pane of plots shows it.
    pub(super) fn remove(&mut self, wire: &str) {
        if self.viewed.iter().any(|viewed| viewed == wire) || self.plotted.iter().any(|curve| curve.title == wire) {
            return;
        }
        if let Some(place) = self.recorder.record().position(wire) {
            self.recorder.remove(place);
        }
    }

    /// Notes that the graph was changed after a frame.
    pub(super) fn change(&mut self, frame: u64) {
        if let Err(at) = self.changes.binary_search(&frame) {
            self.changes.insert(at, frame);
            let surplus = self.changes.len().saturating_sub(CHANGES);
            self.changes.drain(..surplus);
        }
    }
}

/// A curve: what is measured, and its title in the record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plotted {
    /// `node.port`, `node.port:max:0`, or `node.port at cell (3, 4)`.
    pub(crate) title: String,
    /// The wire whose unit its values have; `None` for counts.
    pub(crate) unit_of: Option<String>,
}
