//! Numbers over time, and values along a line, for tables and plots.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use super::expect::{PendingSample, Sample, of, request};
use super::{Field, Simulation};
use crate::graph::expect::Subject;
use crate::graph::measurement::Measurement;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::stage::types::WireType;

/// Measurements after each frame of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    measurements: Vec<(String, Measurement)>,
    rows: VecDeque<Row>,
}

/// The values of all measurements after a frame, in their order.
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
        self.measurements.iter().filter_map(|(_, measurement)| match &measurement.subject {
            Subject::Wire(name) | Subject::Attribute(name, _) => Some(name.clone()),
            Subject::Image(_) | Subject::Number(_) => None,
        })
    }

    /// Measures after the simulation's last frame. Waits for the GPU.
    ///
    /// # Errors
    /// A wire that the plan does not compute, or a device that failed.
    pub fn take(&mut self, simulation: &Simulation) -> Result<(), Problem> {
        let requested = self.request(simulation)?;
        let samples: Result<Vec<Sample>, Problem> = requested.samples.into_iter().map(PendingSample::wait).collect();
        self.push(requested.frame, requested.time, &samples?);
        Ok(())
    }

    fn request(&self, simulation: &Simulation) -> Result<Requested, Problem> {
        let samples =
            self.measurements.iter().map(|(_, m)| request(simulation, &m.subject)).collect::<Result<_, _>>()?;
        Ok(Requested { frame: simulation.frame(), time: simulation.time(), samples })
    }

    /// Adds a frame. It replaces the frames from it on: the simulation went back.
    fn push(&mut self, frame: u64, time: f64, samples: &[Sample]) {
        while self.rows.back().is_some_and(|row| row.frame >= frame) {
            self.rows.pop_back();
        }
        let measured = self.measurements.iter().zip(samples);
        let values = measured.map(|((_, m), sample)| of(sample, m.statistic, m.component).values).collect();
        self.rows.push_back(Row { frame, time, values });
    }

    /// Frame, time \[s\] and value, or components, of a measurement by its position.
    pub fn values(&self, measurement: usize) -> impl Iterator<Item = (u64, f64, &[f64])> {
        self.rows.iter().filter_map(move |row| Some((row.frame, row.time, row.values.get(measurement)?.as_slice())))
    }

    /// A table with a title line: `frame,time,TITLE,..`. A vector has a column for each component.
    pub fn to_csv(&self) -> String {
        Record::table(&[self])
    }

    /// One table of several records of a simulation. A cell is empty where a record lacks the frame.
    pub fn table(records: &[&Record]) -> String {
        let mut text = String::from("frame,time");
        let mut columns = Vec::new();
        for (record, index) in records.iter().flat_map(|r| (0..r.measurements.len()).map(move |index| (r, index))) {
            let parts = record.rows.front().and_then(|row| row.values.get(index)).map_or(1, Vec::len);
            text.push_str(&titles(record.measurements.get(index).map_or("", |(title, _)| title), parts));
            columns.push((record, index, parts));
        }
        text.push('\n');
        let all = records.iter().flat_map(|record| &record.rows);
        let frames: BTreeMap<u64, f64> = all.map(|row| (row.frame, row.time)).collect();
        for (frame, time) in frames {
            let _ = write!(text, "{frame},{time}");
            for (record, index, parts) in &columns {
                let row = record.rows.binary_search_by_key(&frame, |row| row.frame).ok();
                let values = row.and_then(|row| record.rows.get(row)?.values.get(*index));
                for part in 0..*parts {
                    text.push(',');
                    if let Some(value) = values.and_then(|values| values.get(part)) {
                        let _ = write!(text, "{value}");
                    }
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Measurements of a frame that were requested.
struct Requested {
    frame: u64,
    time: f64,
    samples: Vec<PendingSample>,
}

/// Records the last frames of a simulation that runs, without waiting for the GPU.
pub struct Recorder {
    record: Record,
    /// Maximum number of frames.
    limit: usize,
    /// What is on its way, oldest first.
    requested: VecDeque<(u64, f64, Vec<Result<Sample, PendingSample>>)>,
}

impl Recorder {
    /// Continues a record, and keeps its last `limit` frames.
    pub fn new(record: Record, limit: usize) -> Recorder {
        Recorder { record, limit, requested: VecDeque::new() }
    }

    /// What has arrived.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Requests the values after the simulation's last frame.
    ///
    /// # Errors
    /// A wire that the plan does not compute or does not keep; then the frame is missing.
    pub fn request(&mut self, simulation: &Simulation) -> Result<(), Problem> {
        let Requested { frame, time, samples } = self.record.request(simulation)?;
        self.requested.push_back((frame, time, samples.into_iter().map(Err).collect()));
        Ok(())
    }

    /// Takes what has arrived. Returns whether more is to arrive. A frame that the device failed to deliver is missing.
    pub fn collect(&mut self) -> bool {
        while let Some((frame, time, samples)) = self.requested.pop_front() {
            let mut failed = false;
            let samples = samples.into_iter().filter_map(|sample| match sample {
                Ok(sample) => Some(Ok(sample)),
                Err(pending) => match pending.try_take() {
                    Ok(Ok(sample)) => Some(Ok(sample)),
                    Ok(Err(_)) => {
                        failed = true;
                        None
                    }
                    Err(pending) => Some(Err(pending)),
                },
            });
            let samples: Vec<Result<Sample, PendingSample>> = samples.collect();
            if failed {
                continue;
            }
            if samples.iter().any(Result::is_err) {
                self.requested.push_front((frame, time, samples));
                return true;
            }
            let samples: Vec<Sample> = samples.into_iter().flatten().collect();
            self.record.push(frame, time, &samples);
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

/// Column titles: one, or `TITLE.x`, `TITLE.y` and so on. Commas and quotes are quoted.
fn titles(title: &str, parts: usize) -> String {
    let quoted = |title: String| match title.contains([',', '"', '\n']) {
        true => format!(",\"{}\"", title.replace('"', "\"\"")),
        false => format!(",{title}"),
    };
    if parts == 1 {
        return quoted(title.to_string());
    }
    (0..parts)
        .map(|part| match ["x", "y", "z", "w"].get(part) {
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

    /// The same from all values of the wire.
    ///
    /// # Errors
    /// As [`Profile::read`].
    pub fn along(&self, field: &Field, plan: &Plan) -> Result<Vec<(f64, Vec<f64>)>, Problem> {
        let problem = |cause: String, remedy: &str| Problem::new("", &self.wire, cause, remedy);
        let domain = plan.wires.get(&self.wire).and_then(|wire| plan.domains.get(wire.domain?));
        let (Some(domain), WireType::Grid(_)) = (domain, field.ty) else {
            let remedy =
                "name a grid of cells; connect faces to staggered/face_to_center, and fields to grid/from_field";
            return Err(problem("only grids of cells have values along a line".into(), remedy));
        };
        let (dim, sizes, edges) = (domain.dim as usize, domain.size(), domain.edges());
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
    use crate::graph::expect::Statistic;

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
    fn records_of_one_simulation_make_one_table() {
        let record = |name: &str, rows: &[(u64, &[f64])]| {
            let measurement =
                Measurement { subject: Subject::Wire(name.into()), statistic: Statistic::Value, component: None };
            let mut record = Record::new(vec![(name.to_string(), measurement)]);
            for (frame, values) in rows {
                record.push(*frame, *frame as f64 / 4.0, &[Sample::Number(values.to_vec())]);
            }
            record
        };
        let error = record("error.l2", &[(1, &[3.0]), (2, &[2.0]), (3, &[1.0]), (3, &[0.5])]);
        assert_eq!(error.to_csv(), "frame,time,error.l2\n1,0.25,3\n2,0.5,2\n3,0.75,0.5\n");
        let middle = record("middle", &[(3, &[7.0, 8.0]), (4, &[9.0, f64::NAN])]);
        let table = Record::table(&[&error, &middle]);
        let rows = ["frame,time,error.l2,middle.x,middle.y", "1,0.25,3,,", "2,0.5,2,,", "3,0.75,0.5,7,8", "4,1,,9,NaN"];
        assert_eq!(table.lines().collect::<Vec<_>>(), rows);
    }

    #[test]
    fn titles_of_vectors_name_the_components_and_are_quoted_where_needed() {
        assert_eq!(titles("a", 1), ",a");
        assert_eq!(titles("a", 2), ",a.x,a.y");
        assert_eq!(titles("a,\"b\"", 1), ",\"a,\"\"b\"\"\"");
    }
}
