//! What the files show: an Output of the graph, a view of a wire, or the values of wires.

use super::sink::Content;
use super::value::{Layer, Memory};
use crate::gpu::Reading;
use crate::graph::Domain;
use crate::graph::measurement::Measurement;
use crate::plan::{Keep, Outputs, Plan, PlanOptions, Wire};
use crate::problem::Problem;
use crate::sim::expect::{PendingSample, Sample, request};
use crate::sim::wire_view::{Statistics, View, Viewer};
use crate::sim::{Image, Simulation};

/// What the files of an export show.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExportSubject {
    /// The image of an Output node; of the first one when `None`.
    Output(Option<String>),
    /// A view of a wire.
    Wire(View),
    /// Values, all in the same file.
    Values(Vec<Part>),
}

/// A value in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the value in the file.
    pub name: String,
    /// The unit of its numbers; empty where it is not known.
    pub unit: String,
    /// Where the value comes from.
    pub source: Source,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The colours of a grid as an image of this size \[pixels\]; at the size of the grid when `None`.
    Picture(String, Option<(u32, u32)>),
    /// A grid.
    Grid(String),
    /// A particle set, and its attributes.
    Particles(String, Vec<String>),
    /// A number.
    Number(Measurement),
}

impl Source {
    /// Wires that the plan has to keep for it.
    fn wires(&self) -> Vec<String> {
        match self {
            Source::Picture(wire, _) | Source::Grid(wire) | Source::Particles(wire, _) => vec![wire.clone()],
            Source::Number(measurement) => measurement.wire().map(String::from).into_iter().collect(),
        }
    }
}

/// The options to compile a plan with, so that it computes these and nothing else.
pub(super) fn plan_options<'s>(
    subjects: impl Iterator<Item = &'s ExportSubject>,
    size: Option<(u32, u32)>,
) -> PlanOptions {
    let (mut outputs, mut wires) = (Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            ExportSubject::Output(output) => outputs.push(output),
            ExportSubject::Wire(view) => wires.push(view.keep()),
            ExportSubject::Values(parts) => wires.extend(parts.iter().flat_map(|part| part.source.wires())),
        }
    }
    outputs.sort();
    outputs.dedup();
    let outputs = match outputs.as_slice() {
        [] => Outputs::None,
        [one] => (*one).clone().map_or(Outputs::First, Outputs::One),
        _ => Outputs::All,
    };
    let keep = if wires.is_empty() { Keep::Needed } else { Keep::Wires(wires) };
    PlanOptions { size, outputs, keep, ..PlanOptions::default() }
}

/// The contents of a frame on their way from the GPU.
pub(super) enum Pending {
    Image(Reading, [u32; 2]),
    Layers(Vec<PendingLayer>),
}

/// A value on its way.
pub(super) struct PendingLayer {
    name: String,
    unit: String,
    kind: Kind,
    words: Vec<PendingValue>,
}

enum Kind {
    Picture(Box<(Wire, Domain)>, [u32; 2]),
    Grid(Box<(Wire, Domain)>),
    /// The words of each attribute, then those that begin with the count.
    Particles(Option<Box<Domain>>, Vec<(String, Wire)>),
    Number(Measurement),
}

enum PendingValue {
    Waiting(Reading),
    Sample(PendingSample),
    Words(Vec<u32>),
    Number(Sample),
}

impl PendingValue {
    /// Returns the value if it has arrived, else the slot as it was; `Ok(None)` when the device failed.
    fn poll(self) -> Result<Option<PendingValue>, PendingValue> {
        match self {
            PendingValue::Waiting(reading) => match reading.try_take() {
                Ok(words) => Ok(words.map(PendingValue::Words)),
                Err(reading) => Err(PendingValue::Waiting(reading)),
            },
            PendingValue::Sample(sample) => match sample.try_take() {
                Ok(sample) => Ok(sample.ok().map(PendingValue::Number)),
                Err(sample) => Err(PendingValue::Sample(sample)),
            },
            here => Ok(Some(here)),
        }
    }

    fn words(self) -> Vec<u32> {
        if let PendingValue::Words(words) = self { words } else { Vec::new() }
    }
}

impl Pending {
    /// The content if it has arrived, `None` when the device failed; otherwise the request itself. Does not block.
    #[allow(clippy::result_large_err, reason = "the error is the request itself, to be asked again")]
    pub(super) fn try_take(self) -> Result<Option<Content>, Pending> {
        match self {
            Pending::Image(reading, [width, height]) => match reading.try_take() {
                Ok(words) => Ok(words.map(|words| Content::Image(Image::new(width, height, &words)))),
                Err(reading) => Err(Pending::Image(reading, [width, height])),
            },
            Pending::Layers(layers) => {
                let (mut polled, mut late) = (Vec::with_capacity(layers.len()), false);
                for layer in layers {
                    let PendingLayer { name, unit, kind, words } = layer;
                    let mut arrived = Vec::with_capacity(words.len());
                    for slot in words {
                        match slot.poll() {
                            Ok(Some(slot)) => arrived.push(slot),
                            Ok(None) => return Ok(None),
                            Err(slot) => {
                                late = true;
                                arrived.push(slot);
                            }
                        }
                    }
                    polled.push(PendingLayer { name, unit, kind, words: arrived });
                }
                if late {
                    return Err(Pending::Layers(polled));
                }
                Ok(Some(Content::Layers(polled.into_iter().map(PendingLayer::finish).collect())))
            }
        }
    }
}

impl PendingLayer {
    /// The value, once all of it has arrived.
    fn finish(self) -> Layer {
        let mut slots = self.words.into_iter();
        let mut next = || slots.next().map(PendingValue::words).unwrap_or_default();
        let memory = match self.kind {
            Kind::Picture(carrier, size) => Memory::Picture(carrier, size, next()),
            Kind::Grid(carrier) => Memory::Grid(carrier, next()),
            Kind::Particles(domain, attributes) => {
                let attributes = attributes.into_iter().map(|(name, wire)| (name, wire, next())).collect();
                Memory::Particles { domain, attributes, count: next() }
            }
            Kind::Number(measurement) => {
                let sample = slots
                    .next()
                    .and_then(|slot| if let PendingValue::Number(sample) = slot { Some(sample) } else { None });
                Memory::Number(Box::new((sample.unwrap_or(Sample::Number(Vec::new())), measurement)))
            }
        };
        Layer::new(&self.name, &self.unit, memory)
    }
}

/// A grid of a plan, and its domain.
fn grid(plan: &Plan, name: &str) -> Result<Box<(Wire, Domain)>, Problem> {
    let remedy = "name a wire that the graph computes";
    let absent = || Problem::new("", name, "the plan does not compute the wire", remedy);
    let wire = plan.wires.get(name).ok_or_else(absent)?;
    let domain = wire.domain.and_then(|domain| plan.domains.get(domain)).ok_or_else(absent)?;
    Ok(Box::new((wire.clone(), domain.clone())))
}

impl Part {
    /// Requests the value after the last frame.
    fn read(&self, simulation: &Simulation) -> Result<PendingLayer, Problem> {
        let plan = simulation.plan();
        let waiting = |wire: &str| simulation.read_async(wire).map(PendingValue::Waiting);
        let (kind, words) = match &self.source {
            Source::Picture(wire, size) => {
                let carrier = grid(plan, wire)?;
                let size = size.unwrap_or((carrier.1.resolution[0], carrier.1.resolution[1])).into();
                (Kind::Picture(carrier, size), vec![waiting(wire)?])
            }
            Source::Grid(wire) => (Kind::Grid(grid(plan, wire)?), vec![waiting(wire)?]),
            Source::Particles(set, attributes) => {
                // Attributes that nothing reads are not computed.
                let kept = |name: &String| Some((name.clone(), plan.wires.get(&format!("{set}.{name}"))?.clone()));
                let wires: Vec<(String, Wire)> = attributes.iter().filter_map(kept).collect();
                let domain = wires.iter().find_map(|(_, wire)| plan.domains.get(wire.space?)).cloned().map(Box::new);
                let names = wires.iter().map(|(name, _)| name.as_str()).chain(["count"]);
                let words = names.map(|name| waiting(&format!("{set}.{name}"))).collect::<Result<_, _>>()?;
                (Kind::Particles(domain, wires), words)
            }
            Source::Number(measurement) => {
                let sample = request(simulation, &measurement.subject)?;
                (Kind::Number(measurement.clone()), vec![PendingValue::Sample(sample)])
            }
        };
        Ok(PendingLayer { name: self.name.clone(), unit: self.unit.clone(), kind, words })
    }
}

/// Where the contents of files come from.
pub(super) enum FrameSource<'a> {
    Output(Option<&'a str>),
    Wire(Box<Viewer>, &'a View),
    Values(&'a [Part]),
}

impl<'a> FrameSource<'a> {
    /// # Errors
    /// No such Output, or a driver that rejects the shaders of views.
    pub(super) fn new(simulation: &Simulation, subject: &'a ExportSubject) -> Result<FrameSource<'a>, Problem> {
        match subject {
            ExportSubject::Wire(view) => Ok(FrameSource::Wire(Box::new(Viewer::new(simulation.gpu())?), view)),
            ExportSubject::Values(parts) => Ok(FrameSource::Values(parts)),
            ExportSubject::Output(output) => {
                simulation.find_output(output.as_deref())?;
                Ok(FrameSource::Output(output.as_deref()))
            }
        }
    }

    /// Requests the contents of the last frame.
    pub(super) fn read(&mut self, simulation: &Simulation) -> Result<Pending, Problem> {
        match self {
            FrameSource::Wire(viewer, view) => {
                viewer.update(simulation, view)?;
                let size = viewer.image().map(|image| image.size);
                let remedy = "choose a wire of a grid or of particles";
                let found = viewer.image_async().zip(size);
                let found = found.map(|(reading, size)| Pending::Image(reading, size));
                found.ok_or_else(|| Problem::new("", &view.wire, "this wire cannot be shown as an image", remedy))
            }
            FrameSource::Output(output) => {
                let image = simulation.find_output(*output)?;
                Ok(Pending::Image(simulation.image_async(*output)?, [image.width, image.height]))
            }
            FrameSource::Values(parts) => {
                let layers = parts.iter().map(|part| part.read(simulation)).collect::<Result<_, _>>()?;
                Ok(Pending::Layers(layers))
            }
        }
    }

    /// The statistics of a wire in the last frame.
    pub(super) fn statistics(&mut self) -> Option<Statistics> {
        let FrameSource::Wire(viewer, _) = self else { return None };
        viewer.wait();
        viewer.statistics().cloned()
    }
}
