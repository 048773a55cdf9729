//! Numbers over time, and values along a line, for tables and plots.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::Range;

use super::debug::element;
use super::expect::{PendingSample, Sample, evaluate, request};
use super::{Field, Simulation};
use crate::gpu::Reading;
use crate::graph::expect::{ExpectSubject, Statistic};
use crate::graph::measurement::Measurement;
use crate::plan::{Plan, Wire};
use crate::problem::Problem;
use crate::quoting::csv;
use crate::stage::types::WireType;

/// What is copied of a large wire on average in a frame \[bytes\].
const A_FRAME: u64 = 4 << 20;

/// Measurements after each frame of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    measurements: Vec<(String, Measurement)>,
    rows: VecDeque<Row>,
}

/// The values of the measurements after a frame, in their order; empty where one was not measured.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    frame: u64,
    /// \[s\]
    time: f64,
    values: Vec<Vec<f64>>,
}

impl Record {
    /// An empty record of these measurements, each with the title of its column.
    pub fn new(measurements: Vec<(String, Measurement)>) -> Record {
        Record { measurements, rows: VecDeque::new() }
    }

    /// The wires that a plan has to keep for it.
    pub fn wires(&self) -> impl Iterator<Item = String> {
        self.measurements.iter().filter_map(|(_, measurement)| measurement.wire().map(String::from))
    }

    /// The position of the measurement with this title.
    pub fn position(&self, title: &str) -> Option<usize> {
        self.measurements.iter().position(|(recorded, _)| recorded == title)
    }

    /// Whether nothing was measured yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Measures after the simulation's last frame. Waits for the GPU.
    ///
    /// # Errors
    /// A wire that the plan does not compute, or a device that failed.
    pub fn take(&mut self, simulation: &Simulation) -> Result<(), Problem> {
        let requested = self.measurements.iter().map(|(_, m)| request(simulation, &m.subject));
        let requested: Vec<PendingSample> = requested.collect::<Result<_, _>>()?;
        let samples: Vec<Sample> = requested.into_iter().map(PendingSample::wait).collect::<Result<_, _>>()?;
        let samples: Vec<Option<Sample>> = samples.into_iter().map(Some).collect();
        self.push(simulation.frame(), simulation.time(), &samples);
        Ok(())
    }

    /// Adds a frame. Where the frame was measured before and its values differ now, something has changed, so later frames, of
    /// another run, are forgotten. A simulation that goes back and computes the same again keeps them.
    fn push(&mut self, frame: u64, time: f64, samples: &[Option<Sample>]) {
        let measured = self.measurements.iter().zip(samples);
        let values = measured.map(|((_, m), sample)| {
            sample.as_ref().map_or_else(Vec::new, |sample| evaluate(sample, m.statistic, m.component).values)
        });
        let row = Row { frame, time, values: values.collect() };
        let at = self.rows.partition_point(|recorded| recorded.frame < frame);
        match self.rows.get_mut(at).filter(|recorded| recorded.frame == frame) {
            None => self.rows.insert(at, row),
            Some(recorded) => {
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                let both =
                    recorded.values.iter().zip(&row.values).filter(|(one, two)| !one.is_empty() && !two.is_empty());
                let differs = both.clone().any(|(one, two)| bits(one) != bits(two));
                *recorded = row;
                if differs {
                    self.rows.truncate(at + 1);
                }
            }
        }
    }

    /// Frame, time \[s\] and value, or components, of a measurement by its position, where it has been measured.
    pub fn values(&self, measurement: usize) -> impl Iterator<Item = (u64, f64, &[f64])> {
        let values = self.rows.iter().filter_map(move |row| Some((row, row.values.get(measurement)?)));
        values.filter(|(_, values)| !values.is_empty()).map(|(row, values)| (row.frame, row.time, values.as_slice()))
    }

    /// Forgets the values of a measurement.
    pub fn forget(&mut self, measurement: usize) {
        self.rows.iter_mut().filter_map(|row| row.values.get_mut(measurement)).for_each(Vec::clear);
        self.rows.retain(|row| row.values.iter().any(|values| !values.is_empty()));
    }

    /// A table with a title line: `frame,time,TITLE,..`. A vector has a column for each component.
    pub fn to_csv(&self) -> String {
        self.columns_to_csv(&(0..self.measurements.len()).collect::<Vec<_>>())
    }

    /// A table of some measurements with a title line. A cell is empty where one was not measured.
    pub fn columns_to_csv(&self, measurements: &[usize]) -> String {
        let mut text = String::from("frame,time");
        let parts = |index: usize| self.values(index).next().map_or(1, |(_, _, values)| values.len());
        let columns: Vec<(usize, usize)> = measurements.iter().map(|index| (*index, parts(*index))).collect();
        for (index, parts) in &columns {
            text.push_str(&titles(self.measurements.get(*index).map_or("", |(title, _)| title), *parts));
        }
        text.push('\n');
        for row in &self.rows {
            let values = |index: usize| row.values.get(index).filter(|values| !values.is_empty());
            if !columns.iter().any(|(index, _)| values(*index).is_some()) {
                continue;
            }
            let _ = write!(text, "{},{}", row.frame, row.time);
            for (index, parts) in &columns {
                for part in 0..*parts {
                    text.push(',');
                    if let Some(value) = values(*index).and_then(|values| values.get(part)) {
                        let _ = write!(text, "{value}");
                    }
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Records the last frames of a simulation that runs, without waiting for the GPU.
pub struct Recorder {
    record: Record,
    /// Maximum number of frames.
    limit: usize,
    /// What is on its way, oldest first.
    requested: VecDeque<Requested>,
}

/// Measurements of a frame that were requested.
struct Requested {
    frame: u64,
    time: f64,
    samples: Vec<SampleSlot>,
    /// The words of what takes few of them.
    few: Option<Reading>,
}

enum SampleSlot {
    /// A sample that has arrived, unless the plan lacks it or the device failed.
    Here(Option<Sample>),
    Waiting(PendingSample),
    /// A few words of a wire, and those that count the particles of its set.
    Few(Box<Wire>, Few<Range<usize>>),
}

/// A number or an element, by its index in its wire; the words of it, and of the count of its set.
#[derive(Clone)]
struct Few<W> {
    index: u64,
    words: W,
    count: Option<W>,
}

impl<W: Clone> Few<W> {
    /// All words that it needs, in the order in which they are copied.
    fn parts(&self) -> Vec<W> {
        std::iter::once(&self.words).chain(&self.count).cloned().collect()
    }
}

/// Words of a wire.
type Words<'a> = (&'a Wire, Range<u64>);

/// What a measurement reads of a number or an element; `None` where it reads more, or nothing that was kept.
fn few<'a>(plan: &'a Plan, measurement: &Measurement) -> Option<(&'a Wire, Few<Words<'a>>)> {
    let kept = |name: &str| plan.wires.get(name).filter(|wire| wire.kept);
    let (wire, index, count) = match (&measurement.subject, measurement.statistic) {
        (ExpectSubject::Wire(name), Statistic::Cell([x, y, z])) => {
            let wire = kept(name)?;
            let domain = plan.domains.get(wire.domain?)?;
            let faces = wire.ty == WireType::FaceGrid;
            let [nx, ny, nz] = if faces { domain.face_resolution() } else { domain.resolution };
            let index = u64::from(x) + u64::from(nx) * (u64::from(y) + u64::from(ny) * u64::from(z));
            (x < nx && y < ny && z < nz).then_some((wire, index, None))?
        }
        (ExpectSubject::Attribute(set, attribute), Statistic::Particle(index)) => {
            (kept(&format!("{set}.{attribute}"))?, u64::from(index), Some(kept(&format!("{set}.count"))?))
        }
        (ExpectSubject::Wire(name), _) => (kept(name).filter(|wire| matches!(wire.ty, WireType::Number(_)))?, 0, None),
        _ => return None,
    };
    let words = |wire: &'a Wire, index: u64| (wire, element::words(wire, index, wire.elements(&plan.domains)));
    Some((wire, Few { index, words: words(wire, index), count: count.map(|count| words(count, 0)) }))
}

/// Frames between two measurements of all values of a wire.
fn every(plan: &Plan, subject: &ExpectSubject) -> u64 {
    let name = match subject {
        ExpectSubject::Wire(name) => name.clone(),
        ExpectSubject::Attribute(set, attribute) => format!("{set}.{attribute}"),
        ExpectSubject::Image(_) | ExpectSubject::Number(_) => return 1,
    };
    let bytes = plan.wires.get(&name).and_then(|wire| plan.buffers.get(wire.buffer)).map_or(0, |buffer| buffer.bytes);
    bytes.div_ceil(A_FRAME).max(1)
}

impl Recorder {
    /// Nothing is measured yet. Keeps the last `limit` frames.
    pub fn new(limit: usize) -> Recorder {
        Recorder { record: Record::default(), limit, requested: VecDeque::new() }
    }

    /// What has arrived.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Measures something else too from now on.
    pub fn add(&mut self, title: &str, measurement: Measurement) {
        self.record.measurements.push((title.into(), measurement));
    }

    /// Measures something no longer, and forgets its values.
    pub fn remove(&mut self, measurement: usize) {
        self.forget(measurement);
        if measurement < self.record.measurements.len() {
            self.record.measurements.remove(measurement);
        }
        for values in self.record.rows.iter_mut().map(|row| &mut row.values).filter(|v| measurement < v.len()) {
            values.remove(measurement);
        }
        for samples in self.requested.iter_mut().map(|r| &mut r.samples).filter(|s| measurement < s.len()) {
            samples.remove(measurement);
        }
    }

    /// Forgets the values of a measurement.
    pub fn forget(&mut self, measurement: usize) {
        self.record.forget(measurement);
        for slot in self.requested.iter_mut().filter_map(|requested| requested.samples.get_mut(measurement)) {
            *slot = SampleSlot::Here(None);
        }
    }

    /// Requests the values after the simulation's last frame. What the plan does not compute, or does not keep, has none. All values
    /// of a large wire are copied in every n-th frame only, so that on average it is at most 4 MiB a frame.
    pub fn request(&mut self, simulation: &Simulation) {
        let plan = simulation.plan();
        let frame = simulation.frame();
        let time = simulation.time();
        let measurements = || self.record.measurements.iter().map(|(_, measurement)| measurement);
        let found: Vec<_> = measurements().map(|measurement| few(plan, measurement)).collect();
        let wires: Vec<Words<'_>> = found.iter().flatten().flat_map(|(_, few)| few.parts()).collect();
        let (reading, ranges) = simulation.read_together(&wires).map_or((None, Vec::new()), |(r, n)| (Some(r), n));
        let mut ranges = ranges.into_iter();
        let mut next = || ranges.next().unwrap_or_default();
        let samples = measurements().zip(found).map(|(measurement, found)| match found {
            Some((wire, Few { index, count, .. })) => {
                let words = next();
                SampleSlot::Few(Box::new(wire.clone()), Few { index, words, count: count.map(|_| next()) })
            }
            None if matches!(measurement.statistic, Statistic::Cell(_) | Statistic::Particle(_)) => {
                SampleSlot::Here(None)
            }
            None if !frame.is_multiple_of(every(plan, &measurement.subject)) => SampleSlot::Here(None),
            None => request(simulation, &measurement.subject).map_or(SampleSlot::Here(None), SampleSlot::Waiting),
        });
        let samples = samples.collect();
        self.requested.push_back(Requested { frame, time, samples, few: reading });
    }

    /// Takes what has arrived. Returns whether more is to arrive.
    pub fn collect(&mut self) -> bool {
        while let Some(requested) = self.requested.pop_front() {
            let (frame, time) = (requested.frame, requested.time);
            match requested.arrived() {
                Ok(samples) => self.record.push(frame, time, &samples),
                Err(waiting) => {
                    self.requested.push_front(*waiting);
                    return true;
                }
            }
            while self.record.rows.len() > self.limit {
                self.record.rows.pop_front();
            }
        }
        false
    }

    /// Starts over. Returns what was recorded.
    pub fn restart(&mut self) -> Record {
        self.requested.clear();
        let empty = Record::new(self.record.measurements.clone());
        std::mem::replace(&mut self.record, empty)
    }
}

impl Requested {
    /// The samples if all have arrived, otherwise the request itself.
    fn arrived(mut self) -> Result<Vec<Option<Sample>>, Box<Requested>> {
        if let Some(reading) = self.few.take() {
            match reading.try_take() {
                Ok(words) => self.decode(&words.unwrap_or_default()),
                Err(reading) => return Err(Box::new(Requested { few: Some(reading), ..self })),
            }
        }
        let samples = self.samples.into_iter().map(|slot| match slot {
            SampleSlot::Waiting(pending) => match pending.try_take() {
                Ok(sample) => SampleSlot::Here(sample.ok()),
                Err(pending) => SampleSlot::Waiting(pending),
            },
            here => here,
        });
        self.samples = samples.collect();
        if self.samples.iter().any(|slot| matches!(slot, SampleSlot::Waiting(_))) {
            return Err(Box::new(self));
        }
        let samples =
            self.samples.into_iter().map(|slot| if let SampleSlot::Here(sample) = slot { sample } else { None });
        Ok(samples.collect())
    }

    fn decode(&mut self, words: &[u32]) {
        for slot in &mut self.samples {
            if let SampleSlot::Few(wire, few) = slot {
                let of = |range: &Range<usize>| words.get(range.clone()).filter(|words| !words.is_empty());
                let alive = few.count.as_ref().is_none_or(|count| {
                    of(count).and_then(|words| words.first()).is_some_and(|count| few.index < u64::from(*count))
                });
                let values = of(&few.words).filter(|_| alive).map(|words| element::decode(wire, few.index, words));
                *slot = SampleSlot::Here(values.map(Sample::Number));
            }
        }
    }
}

/// Column titles: one, or `TITLE.x`, `TITLE.y` and so on. Commas and quotes are quoted.
fn titles(title: &str, parts: usize) -> String {
    let quoted = |title: String| format!(",{}", csv(&title));
    if parts == 1 {
        return quoted(title.to_string());
    }
    let letters = ["x", "y", "z", "w"];
    (0..parts)
        .map(|part| match letters.get(part).filter(|_| parts <= letters.len()) {
            Some(name) => quoted(format!("{title}.{name}")),
            None => quoted(format!("{title}.{part}")),
        })
        .collect()
}

/// The values of a grid along a line of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The wire, `node.port`.
    pub wire: String,
    /// The axis of the line: 0 is x.
    pub axis: usize,
    /// Where the line crosses the other axes, in their order \[m\]; the middle of the domain when absent.
    pub through: Option<Vec<f64>>,
}

impl Profile {
    /// Parses `NODE.PORT:x`, or `NODE.PORT:x:0.25` and `NODE.PORT:x:0.25,0.5` with the place on the other axes \[m\].
    ///
    /// # Errors
    /// What is wrong, in one sentence.
    pub fn parse(text: &str) -> Result<Profile, String> {
        let form = || format!("`{text}` is not a line; write for example velocity.value:y, or velocity.value:y:0.25");
        let mut parts = text.split(':');
        let wire = parts.next().unwrap_or_default().to_string();
        let axis =
            parts.next().and_then(|axis| ["x", "y", "z"].iter().position(|name| *name == axis)).ok_or_else(form)?;
        let through: Option<Option<Vec<f64>>> =
            parts.next().map(|text| text.split(',').map(|x| x.trim().parse().ok()).collect());
        match (through, parts.next()) {
            (None, None) => Ok(Profile { wire, axis, through: None }),
            (Some(Some(through)), None) if through.iter().all(|x| x.is_finite()) => {
                Ok(Profile { wire, axis, through: Some(through) })
            }
            _ => Err(form()),
        }
    }

    /// Positions along the axis \[m\] and the components there, from cell centre to cell centre, interpolated linearly
    /// between the lines of cells around.
    ///
    /// # Errors
    /// A wire that is not a grid of cells, an axis that its domain lacks, or a place outside of it.
    pub fn read(&self, simulation: &Simulation) -> Result<Vec<(f64, Vec<f64>)>, Problem> {
        self.along(&simulation.read(&self.wire)?, simulation.plan())
    }

    /// Positions along the axis \[m\] and the components there, from all values of the wire.
    ///
    /// # Errors
    /// As [`Profile::read`].
    pub fn along(&self, field: &Field, plan: &Plan) -> Result<Vec<(f64, Vec<f64>)>, Problem> {
        let problem = |cause: String, remedy: &str| Problem::new("", &self.wire, cause, remedy);
        let domain = plan.wires.get(&self.wire).and_then(|wire| plan.domains.get(wire.domain?));
        let (Some(domain), WireType::Grid(_)) = (domain, field.ty) else {
            let remedy = "name a grid of cells or a field; connect faces to staggered/face_to_center";
            return Err(problem("only grids of cells and fields have values along a line".into(), remedy));
        };
        let dim = domain.dim as usize;
        let sizes = domain.size();
        let edges = domain.edges();
        if self.axis >= dim {
            return Err(problem("a 2D domain has no axis z".into(), "use x or y"));
        }
        let others: Vec<usize> = (0..dim).filter(|axis| *axis != self.axis).collect();
        let through = match &self.through {
            None => others.iter().map(|axis| sizes[*axis] / 2.0).collect(),
            Some(through) if through.len() == others.len() => through.clone(),
            Some(through) => {
                let cause =
                    format!("the line needs {} positions on the other axes, not {}", others.len(), through.len());
                return Err(problem(cause, "give one in 2D and two in 3D, or none for the middle"));
            }
        };
        // The lines of cells around, with their weights.
        let mut lines = vec![([0usize; 3], 1.0)];
        for (axis, at) in others.into_iter().zip(through) {
            if !(0.0..=sizes[axis]).contains(&at) {
                let cause = format!("{at} m is outside the domain, which ends at {} m", sizes[axis]);
                return Err(problem(cause, "give a position inside"));
            }
            let last = domain.resolution[axis] as usize - 1;
            let place = (at / edges[axis] - 0.5).clamp(0.0, last as f64);
            let (low, share) = (place.floor(), place.fract());
            let split = |(cell, weight): &([usize; 3], f64)| {
                let at = |index: usize, share: f64| {
                    let mut cell = *cell;
                    cell[axis] = index.min(last);
                    (cell, weight * share)
                };
                [at(low as usize, 1.0 - share), at(low as usize + 1, share)]
            };
            lines = lines.iter().flat_map(split).filter(|(_, weight)| *weight > 0.0).collect();
        }
        let along = |index: usize| {
            let mut values = vec![0.0; field.components as usize];
            for (cell, weight) in &lines {
                let mut cell = *cell;
                cell[self.axis] = index;
                for (component, value) in values.iter_mut().enumerate() {
                    *value += weight * value_at(field, cell, component);
                }
            }
            ((index as f64 + 0.5) * edges[self.axis], values)
        };
        Ok((0..domain.resolution[self.axis] as usize).map(along).collect())
    }

    /// A table with a title line: the axis and the wire.
    pub fn to_csv(&self, values: &[(f64, Vec<f64>)]) -> String {
        let parts = values.first().map_or(1, |(_, values)| values.len());
        let mut text = format!("{}{}\n", ["x", "y", "z"].get(self.axis).unwrap_or(&""), titles(&self.wire, parts));
        for (at, values) in values {
            let _ = write!(text, "{at}");
            for value in values {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
    }
}

fn value_at(field: &Field, [x, y, z]: [usize; 3], component: usize) -> f64 {
    let [nx, ny, _] = field.resolution.map(|n| n as usize);
    let at = (x + nx * (y + ny * z)) * field.components as usize + component;
    field.data.get(at).copied().map_or(f64::NAN, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_their_notation() {
        let line = |text: &str| Profile::parse(text).unwrap();
        assert_eq!(line("v.value:y"), Profile { wire: "v.value".into(), axis: 1, through: None });
        assert_eq!(line("v.value:x:0.5,0.25").through, Some(vec![0.5, 0.25]));
        for wrong in ["v.value", "v.value:w", "v.value:x:half", "v.value:x:1:2", "v.value:x:inf"] {
            assert!(Profile::parse(wrong).unwrap_err().contains("is not a line"), "{wrong}");
        }
    }

    #[test]
    fn a_record_is_a_table_with_gaps_where_nothing_was_measured() {
        let measurement = |name: &str| {
            let subject = ExpectSubject::Wire(name.into());
            Measurement { subject, statistic: Statistic::Value, component: None }
        };
        let mut recorder = Recorder::new(8);
        let push = |recorder: &mut Recorder, frame: u64, values: &[&[f64]]| {
            let sample = |values: &&[f64]| (!values.is_empty()).then(|| Sample::Number(values.to_vec()));
            recorder.record.push(frame, frame as f64 / 4.0, &values.iter().map(sample).collect::<Vec<_>>());
        };
        recorder.add("error", measurement("error"));
        push(&mut recorder, 1, &[&[3.0]]);
        recorder.add("middle", measurement("middle"));
        push(&mut recorder, 2, &[&[2.0], &[7.0, 8.0]]);
        push(&mut recorder, 3, &[&[1.0], &[]]);
        push(&mut recorder, 3, &[&[0.5], &[9.0, f64::NAN]]);
        let rows = "frame,time,error,middle.x,middle.y\n1,0.25,3,,\n2,0.5,2,7,8\n3,0.75,0.5,9,NaN\n";
        assert_eq!(recorder.record().to_csv(), rows, "a frame that comes again replaces the first");
        assert_eq!(recorder.record().columns_to_csv(&[1]).lines().nth(1), Some("2,0.5,7,8"));
        recorder.remove(0);
        assert_eq!(recorder.record().to_csv(), "frame,time,middle.x,middle.y\n2,0.5,7,8\n3,0.75,9,NaN\n");
        assert!(!recorder.restart().is_empty() && recorder.record().is_empty());
        assert_eq!(recorder.record().position("middle"), Some(0), "it goes on to be measured");
    }

    #[test]
    fn a_simulation_that_goes_back_keeps_what_it_computes_again_and_nothing_of_another_run() {
        let measurement =
            Measurement { subject: ExpectSubject::Wire("e".into()), statistic: Statistic::Value, component: None };
        let mut record = Record::new(vec![("e".into(), measurement)]);
        let mut push = |frame: u64, value: f64| {
            record.push(frame, frame as f64, &[Some(Sample::Number(vec![value]))]);
            record.values(0).map(|(frame, _, _)| frame).collect::<Vec<_>>()
        };
        for frame in [1, 2, 4, 5, 6] {
            push(frame, frame as f64);
        }
        assert_eq!(push(2, 2.0), [1, 2, 4, 5, 6], "the same again");
        assert_eq!(push(3, 3.0), [1, 2, 3, 4, 5, 6], "between others");
        assert_eq!(push(4, f64::NAN), [1, 2, 3, 4], "another run");
        assert_eq!(push(5, 5.0), [1, 2, 3, 4, 5]);
        assert_eq!(push(4, f64::NAN), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn titles_of_vectors_name_the_components_and_are_quoted_where_needed() {
        assert_eq!(titles("a", 1), ",a");
        assert_eq!(titles("a", 2), ",a.x,a.y");
        assert_eq!(titles("a,\"b\"", 1), ",\"a,\"\"b\"\"\"");
        assert_eq!(titles("=cmd|'calc'!A0", 2), ",'=cmd|'calc'!A0.x,'=cmd|'calc'!A0.y");
    }
}
