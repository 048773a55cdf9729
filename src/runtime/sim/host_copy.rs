//! The values of a wire, or the pixels of an image, copied to host memory with all that is needed to show and to compare them later:
//! after the run has gone on, and beside those of another simulation.

use std::fmt;
use std::ops::Range;

use super::Simulation;
use super::lookup::{NamedMemory, lookup, unknown};
use crate::arena::Arena;
use crate::curve::linear_from_srgb;
use crate::gpu::Reading;
use crate::graph::{Domain, DomainId};
use crate::plan::{BufferId, Plan, Stored, Wire};
use crate::problem::Problem;
use crate::stage::edges::Edges;
use crate::stage::types::{EdgeRule, Precision, Scalar, ValueType, WireType};

/// What is copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CopySubject {
    /// The image of the Output with this path.
    Output(String),
    /// A wire by its name, as [`super::wire_view::View::wire`].
    Wire(String),
}

impl CopySubject {
    /// The Output of this name if the plan has one, and otherwise the wire.
    pub fn from_name(plan: &Plan, name: &str) -> CopySubject {
        match plan.output(Some(name)) {
            Some(output) => CopySubject::Output(output.node.clone()),
            None => CopySubject::Wire(name.into()),
        }
    }

    /// Path of the Output, or name of the wire.
    pub fn name(&self) -> &str {
        match self {
            CopySubject::Output(name) | CopySubject::Wire(name) => name,
        }
    }
}

impl fmt::Display for CopySubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Values of a wire after a frame. An image has linear red, green and blue and its opacity, all 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCopy {
    /// What the values are of.
    pub subject: CopySubject,
    /// Frames that had been computed.
    pub frame: u64,
    /// Seconds of simulated time.
    pub time: f64,
    pub(super) wire: Wire,
    /// The count of particles, and their positions in a domain.
    pub(super) set: Option<(Wire, Option<Wire>)>,
    pub(super) domains: Arena<Domain>,
    /// The components of each element in sequence, a word each.
    pub(super) words: Vec<u32>,
    /// How many particles are alive.
    pub(super) live: Option<u32>,
    /// Positions as they are in memory.
    pub(super) places: Vec<u32>,
}

impl HostCopy {
    /// Cells along x, y, z, or particles, or one number; for faces one more along each axis.
    pub fn resolution(&self) -> [u32; 3] {
        match (self.domain(), self.wire.ty) {
            (Some(domain), WireType::FaceGrid) => domain.face_resolution(),
            (Some(domain), _) => domain.resolution,
            (None, _) => [self.live.unwrap_or(self.wire.capacity.max(1)), 1, 1],
        }
    }

    /// Elements: cells, faces at a corner, live particles, one for a number.
    pub fn elements(&self) -> usize {
        self.resolution().iter().map(|n| *n as usize).product()
    }

    /// Components of an element.
    pub fn components(&self) -> usize {
        self.wire.ty.value().components(self.wire.dim) as usize
    }

    /// Type of the wire.
    pub fn ty(&self) -> WireType {
        self.wire.ty
    }

    /// The domain of a grid.
    pub fn domain(&self) -> Option<&Domain> {
        self.wire.domain.and_then(|id| self.domains.get(id))
    }

    /// Number of dimensions of a grid's domain, or of vectors.
    pub fn dim(&self) -> u32 {
        self.domain().map_or(self.wire.dim, |domain| domain.dim)
    }

    /// A component of an element, counted from 0; NaN where there is none.
    pub fn number(&self, element: usize, component: usize) -> f64 {
        self.bits(element, component).map_or(f64::NAN, |word| match self.wire.ty.value().scalar() {
            Scalar::F32 => f64::from(f32::from_bits(word)),
            Scalar::I32 => f64::from(word as i32),
            Scalar::U32 => f64::from(word),
        })
    }

    /// The components of an element.
    pub fn numbers(&self, element: usize) -> Vec<f64> {
        (0..self.components()).map(|component| self.number(element, component)).collect()
    }

    /// Whether components are single numbers on the faces of cells.
    pub(super) fn is_on_faces(&self) -> bool {
        self.wire.ty == WireType::FaceGrid
    }

    fn bits(&self, element: usize, component: usize) -> Option<u32> {
        self.words.get(element * self.components() + component).copied()
    }

    /// What a lookup in the plan had found.
    pub(super) fn found(&self) -> NamedMemory<'_> {
        match &self.set {
            Some((count, places)) => NamedMemory::Set(&self.wire, count, places.as_ref()),
            None => NamedMemory::Whole(&self.wire),
        }
    }

    /// Values of another type at the same places, as `f32`.
    pub(super) fn with_values(&self, value: ValueType, values: impl Iterator<Item = f64>) -> HostCopy {
        let ty = match self.wire.ty {
            WireType::Attribute(_) => WireType::Attribute(value),
            WireType::Number(_) => WireType::Number(value),
            _ => WireType::Grid(value),
        };
        let wire = Wire { stored: Stored { ty, precision: Precision::F32, ..self.wire.stored }, ..self.wire.clone() };
        let words = values.map(|value| (value as f32).to_bits()).collect();
        HostCopy { wire, words, ..self.without_values() }
    }

    /// A grid in another domain, as `f32` or whole numbers.
    pub(super) fn in_domain(&self, domain: Domain, words: Vec<u32>) -> HostCopy {
        let mut other = HostCopy { words, ..self.without_values() };
        other.wire.stored.domain = Some(other.domains.push(domain));
        other
    }

    /// All but the values.
    fn without_values(&self) -> HostCopy {
        HostCopy {
            subject: self.subject.clone(),
            frame: self.frame,
            time: self.time,
            wire: self.wire.clone(),
            set: self.set.clone(),
            domains: self.domains.clone(),
            words: Vec::new(),
            live: self.live,
            places: self.places.clone(),
        }
    }
}

/// Values that are being copied from the GPU.
pub struct HostCopyReading {
    copy: HostCopy,
    reading: Reading,
    ranges: Vec<Range<usize>>,
}

impl HostCopyReading {
    /// A function that decodes the values, for another thread, if they have arrived; otherwise the reading itself. Does not block.
    /// The function returns `None` when the device failed.
    #[allow(clippy::result_large_err, reason = "the error is the reading itself, to be asked again")]
    pub fn try_arrive(self) -> Result<impl FnOnce() -> Option<HostCopy> + Send + 'static, HostCopyReading> {
        let HostCopyReading { copy, reading, ranges } = self;
        match reading.try_arrive() {
            Ok(words) => Ok(move || Some(decode(copy, &words()?, &ranges))),
            Err(reading) => Err(HostCopyReading { copy, reading, ranges }),
        }
    }

    /// Blocks until the values have arrived. `None` when the device failed.
    pub fn wait(self) -> Option<HostCopy> {
        Some(decode(self.copy, &self.reading.wait()?, &self.ranges))
    }
}

fn decode(mut copy: HostCopy, words: &[u32], ranges: &[Range<usize>]) -> HostCopy {
    let part = |index: usize| ranges.get(index).and_then(|range| words.get(range.clone())).unwrap_or_default();
    if let CopySubject::Output(_) = copy.subject {
        copy.words = pixels(part(0), copy.resolution());
        return copy;
    }
    copy.words = copy.wire.layout().unpack(part(0));
    copy.wire.stored.precision = Precision::F32;
    if copy.set.is_some() {
        copy.live = Some(part(1).first().map_or(0, |count| *count).min(copy.wire.capacity));
        copy.places = part(2).to_vec();
    }
    copy.words.truncate(copy.elements() * copy.components());
    copy
}

/// Linear colours from bytes in sRGB; the lowest row first, which is last in the image.
fn pixels(words: &[u32], [width, height, _]: [u32; 3]) -> Vec<u32> {
    let light: Vec<u32> = (0..=255).map(|byte| (linear_from_srgb(byte) as f32).to_bits()).collect();
    let opacity = |byte: u8| (f32::from(byte) / 255.0).to_bits();
    let linear = |byte: u8| light.get(usize::from(byte)).copied().unwrap_or_default();
    let rows = words.chunks_exact(width.max(1) as usize).take(height as usize).rev().flatten();
    let colors = rows.map(|word| word.to_le_bytes());
    colors.flat_map(|[r, g, b, a]| [linear(r), linear(g), linear(b), opacity(a)]).collect()
}

impl Simulation {
    /// Requests a copy of the values of a wire or an image as the last frame left them; of a State, what the next frame starts from.
    /// Does not wait.
    ///
    /// # Errors
    /// An unknown Output or wire, a wire that is not kept, one that has no values of its own (a neighbour grid), no memory for the copy.
    pub fn take(&self, subject: &CopySubject) -> Result<HostCopyReading, Problem> {
        let name = subject.name();
        let absent = || {
            let remedy = "reset the simulation, or lower the resolution";
            Problem::new("", name, "the values could not be copied from the GPU", remedy)
        };
        let (wire, set, domains) = match subject {
            CopySubject::Output(output) => self.picture(output)?,
            CopySubject::Wire(_) => self.found(name)?,
        };
        let elements = wire.elements(&domains);
        let words = match subject {
            CopySubject::Output(_) => elements,
            CopySubject::Wire(_) => wire.layout().words(elements),
        };
        let count = set.iter().map(|(count, _)| (count, 1));
        let places = set.iter().filter_map(|(_, places)| places.as_ref());
        let places = places.map(|places| (places, places.layout().words(u64::from(places.capacity))));
        let parts = std::iter::once((&wire, words)).chain(count).chain(places);
        let parts = parts.map(|(wire, words)| (wire.buffer, wire.state, 0..words));
        let (reading, ranges) = self.engine.read_together(parts).ok_or_else(absent)?;
        if ranges.first().is_none_or(Range::is_empty) {
            return Err(absent());
        }
        let copy = HostCopy {
            subject: subject.clone(),
            frame: self.frame,
            time: self.time,
            wire,
            set,
            domains,
            words: Vec::new(),
            live: None,
            places: Vec::new(),
        };
        Ok(HostCopyReading { copy, reading, ranges })
    }

    /// An image as a grid of colours.
    fn picture(&self, output: &str) -> Result<Parts, Problem> {
        let found = self.find_output(Some(output))?;
        let mut domains = Arena::default();
        let id = domains.push(Domain {
            name: found.node.clone(),
            dim: 2,
            resolution: [found.width, found.height, 1],
            cell_size: 1.0 / f64::from(found.width.max(1)),
            edge: Edges::uniform(EdgeRule::default()),
            finer: None,
            sliced: None,
        });
        Ok((grid_of_colors(id, found.buffer), None, domains))
    }

    fn found(&self, name: &str) -> Result<Parts, Problem> {
        let plan = &self.plan;
        let found = lookup(plan, name).ok_or_else(|| unknown(plan, name))?;
        if let NamedMemory::Starts(_) = found {
            let cause = "a neighbour grid has no values of its own";
            return Err(Problem::new("", name, cause, "choose an attribute of its particles"));
        }
        let (values, count, places) = found.wires();
        if [Some(values), count, places].into_iter().flatten().any(|wire| !wire.kept) {
            let remedy = "compile with the wire among PlanOptions::keep";
            return Err(Problem::new("", name, "the wire's memory is reused within the frame", remedy));
        }
        Ok((values.clone(), count.map(|count| (count.clone(), places.cloned())), plan.domains.clone()))
    }
}

/// The values, the count and the positions of particles, and the domains.
type Parts = (Wire, Option<(Wire, Option<Wire>)>, Arena<Domain>);

fn grid_of_colors(domain: DomainId, buffer: BufferId) -> Wire {
    let stored = Stored { domain: Some(domain), ..Stored::number(WireType::Grid(ValueType::Vec4)) };
    Wire { stored, buffer, kept: true, state: false }
}
