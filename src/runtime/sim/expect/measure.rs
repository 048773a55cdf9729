//! Reads the values that expectations check back from the GPU.

use crate::gpu::Reading;
use crate::graph::Domain;
use crate::graph::expect::ExpectSubject;
use crate::plan::Wire;
use crate::problem::Problem;
use crate::sim::hash::Fnv;
use crate::sim::{Field, Image, Simulation};
use crate::stage::types::WireType;

/// The value of a subject after a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// The image of an Output.
    Image(Image),
    /// A number that the CPU computes.
    Number(Vec<f64>),
    /// All elements of a wire; for particles, the number of live ones.
    Field(Field, Option<usize>),
}

/// A sample that was requested. Nothing blocks until [`PendingSample::wait`] is called.
pub struct PendingSample {
    subject: ExpectSubject,
    kind: Kind,
    parts: Vec<Part>,
}

enum Kind {
    Image(u32, u32),
    Number(Vec<f64>),
    Wire(Box<Wire>, Option<Box<Domain>>),
}

enum Part {
    Waiting(Reading),
    /// Words that have arrived; `None` where the device failed.
    Here(Option<Vec<u32>>),
}

/// Requests the value of a subject after the last frame.
///
/// # Errors
/// A wire that the plan does not compute or does not keep.
pub fn request(simulation: &Simulation, subject: &ExpectSubject) -> Result<PendingSample, Problem> {
    let of = |kind, readings: Vec<Reading>| PendingSample {
        subject: subject.clone(),
        kind,
        parts: readings.into_iter().map(Part::Waiting).collect(),
    };
    match subject {
        ExpectSubject::Image(output) => {
            let image = simulation.find_output(Some(output))?;
            let kind = Kind::Image(image.width, image.height);
            Ok(of(kind, vec![simulation.image_async(Some(output))?]))
        }
        ExpectSubject::Number(path) => {
            let remedy = "connect the number to something that the graph computes, or remove the expectation";
            let unused = || Problem::new("", path, "the plan does not use the number", remedy);
            Ok(of(Kind::Number(simulation.value(path).ok_or_else(unused)?), Vec::new()))
        }
        ExpectSubject::Wire(name) => wire(simulation, name).map(|(kind, reading)| of(kind, vec![reading])),
        ExpectSubject::Attribute(set, attribute) => {
            let (kind, count) = wire(simulation, &format!("{set}.count"))?;
            if attribute == "count" {
                return Ok(of(kind, vec![count]));
            }
            let (kind, values) = wire(simulation, &format!("{set}.{attribute}"))?;
            Ok(of(kind, vec![values, count]))
        }
    }
}

fn wire(simulation: &Simulation, name: &str) -> Result<(Kind, Reading), Problem> {
    let plan = simulation.plan();
    let planned = plan.wires.get(name).ok_or_else(|| {
        let remedy = "connect it to an Output or a State, or remove the expectation";
        Problem::new("", name, "the plan does not compute the wire", remedy)
    })?;
    let domain = planned.domain.and_then(|domain| plan.domains.get(domain)).cloned();
    Ok((Kind::Wire(Box::new(planned.clone()), domain.map(Box::new)), simulation.read_async(name)?))
}

impl PendingSample {
    /// The sample if it has arrived, otherwise the request itself. Does not block.
    ///
    /// # Errors
    /// Within the sample: a device that failed.
    pub fn try_take(mut self) -> Result<Result<Sample, Problem>, PendingSample> {
        let mut late = false;
        let parts = std::mem::take(&mut self.parts).into_iter().map(|part| match part {
            Part::Waiting(reading) => reading.try_take().map_or_else(
                |waiting| {
                    late = true;
                    Part::Waiting(waiting)
                },
                Part::Here,
            ),
            here => here,
        });
        self.parts = parts.collect();
        if late { Err(self) } else { Ok(self.wait()) }
    }

    /// Blocks until the sample has arrived.
    ///
    /// # Errors
    /// A device that failed.
    pub fn wait(self) -> Result<Sample, Problem> {
        let remedy = "reset the simulation, or update the driver";
        let name = self.subject.to_string();
        let lost = || Problem::new("", &name, "the GPU did not respond", remedy);
        let mut parts = self.parts.into_iter().map(|part| match part {
            Part::Waiting(reading) => reading.wait(),
            Part::Here(words) => words,
        });
        let mut next = || parts.next().flatten().ok_or_else(lost);
        match self.kind {
            Kind::Number(values) => Ok(Sample::Number(values)),
            Kind::Image(width, height) => Ok(Sample::Image(Image::new(width, height, &next()?))),
            Kind::Wire(wire, domain) => {
                let field = Field::new(&wire, domain.as_deref(), &next()?);
                Ok(match self.subject {
                    // The count's buffer holds more than the count.
                    ExpectSubject::Attribute(_, attribute) if attribute == "count" => {
                        Sample::Number(field.words.first().map(|count| f64::from(*count)).into_iter().collect())
                    }
                    ExpectSubject::Attribute(..) => {
                        let live = next()?.first().map_or(0, |count| *count as usize);
                        Sample::Field(field, Some(live))
                    }
                    _ => Sample::Field(field, None),
                })
            }
        }
    }
}

impl Sample {
    /// Hash of all bits.
    pub fn hash(&self) -> u128 {
        match self {
            Sample::Image(image) => Fnv::default().words(&[image.width, image.height]).bytes(&image.rgba).value(),
            Sample::Number(values) => {
                values.iter().fold(Fnv::default(), |hash, value| hash.bytes(&value.to_bits().to_le_bytes())).value()
            }
            Sample::Field(field, live) => {
                let count = live.map_or(field.words.len(), |live| live.saturating_mul(field.components as usize));
                Fnv::default().words(field.words.get(..count).unwrap_or(&field.words)).value()
            }
        }
    }

    /// Components of one element.
    pub fn components(&self) -> usize {
        match self {
            Sample::Image(_) => 4,
            Sample::Number(values) => values.len(),
            Sample::Field(field, _) => field.components as usize,
        }
    }

    /// One component of every element: for images from 0 to 1; for face grids the faces that exist along the axis.
    pub fn component(&self, index: usize) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Sample::Image(image) => {
                Box::new(image.rgba.iter().skip(index).step_by(4).map(|value| f64::from(*value) / 255.0))
            }
            Sample::Number(values) => Box::new(values.get(index).copied().into_iter()),
            Sample::Field(field, _) if field.ty == WireType::FaceGrid => Box::new(faces(field, index)),
            Sample::Field(field, live) => Box::new(
                (0..live.unwrap_or(usize::MAX).min(elements(field)))
                    .filter_map(move |element| number(field, element * field.components as usize + index)),
            ),
        }
    }

    /// The components of the element with this index, if it is alive.
    pub(super) fn element(&self, index: u64) -> Option<Vec<f64>> {
        match self {
            // It was read alone.
            Sample::Number(values) => Some(values.clone()),
            Sample::Image(_) => None,
            Sample::Field(field, live) => {
                let index = usize::try_from(index).ok().filter(|at| *at < live.unwrap_or(usize::MAX))?;
                let components = field.components as usize;
                (0..components).map(|part| number(field, index.checked_mul(components)? + part)).collect()
            }
        }
    }

    /// The components of a cell.
    pub(super) fn cell(&self, [x, y, z]: [u32; 3]) -> Option<Vec<f64>> {
        let Sample::Field(field, _) = self else { return self.element(0) };
        let [nx, ny, nz] = field.resolution;
        let inside = x < nx && y < ny && z < nz;
        let index = u64::from(x) + u64::from(nx) * (u64::from(y) + u64::from(ny) * u64::from(z));
        inside.then(|| self.element(index)).flatten()
    }

    /// The values for a statistic without a component: those of single numbers, all of several in a cell, the lengths of vectors, all faces.
    pub fn whole(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        let components = self.components();
        match self {
            Sample::Field(field, _) if field.ty == WireType::FaceGrid => {
                Box::new((0..components).flat_map(|component| faces(field, component)))
            }
            Sample::Field(field, _) if field.ty.value().is_array() => {
                Box::new((0..components).flat_map(|component| self.component(component)))
            }
            Sample::Field(field, live) if components > 1 => {
                Box::new((0..live.unwrap_or(usize::MAX).min(elements(field))).map(move |element| {
                    let parts = (0..components).filter_map(|part| number(field, element * components + part));
                    parts.map(|v| v * v).sum::<f64>().sqrt()
                }))
            }
            Sample::Number(values) if components > 1 => {
                Box::new(std::iter::once(values.iter().map(|v| v * v).sum::<f64>().sqrt()))
            }
            _ => self.component(0),
        }
    }
}

fn elements(field: &Field) -> usize {
    field.words.len() / (field.components as usize).max(1)
}

/// One number as the wire stores it: integers without rounding.
fn number(field: &Field, at: usize) -> Option<f64> {
    use crate::stage::types::Scalar;
    let word = *field.words.get(at)?;
    Some(match field.ty.value().scalar() {
        Scalar::F32 => f64::from(f32::from_bits(word)),
        Scalar::I32 => f64::from(word as i32),
        Scalar::U32 => f64::from(word),
    })
}

/// The faces across an axis. The buffer has one more layer along every axis; the extra ones along the other axes are
/// not faces.
fn faces(field: &Field, axis: usize) -> impl Iterator<Item = f64> + '_ {
    let components = field.components as usize;
    let size = field.resolution.map(|n| n as usize);
    let end = move |along: usize| {
        size.get(along).map_or(1, |n| if along == axis || along >= components { *n } else { n - 1 })
    };
    let cells = (0..end(2)).flat_map(move |z| (0..end(1)).map(move |y| (y, z)));
    let cells = cells.flat_map(move |(y, z)| (0..end(0)).map(move |x| x + size[0] * (y + size[1] * z)));
    cells.filter_map(move |cell| number(field, cell * components + axis))
}
