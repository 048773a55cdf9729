//! Numbers over time, and values along a line, for tables and plots.

use std::fmt::Write as _;

use super::expect::{of, request};
use super::{Field, Simulation};
use crate::graph::expect::Subject;
use crate::graph::measurement::Measurement;
use crate::problem::Problem;
use crate::stage::types::WireType;

/// Measurements after each frame of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    measurements: Vec<(String, Measurement)>,
    /// Frame, time \[s\], and the values of all measurements in order.
    rows: Vec<(u64, f64, Vec<Vec<f64>>)>,
}

impl Record {
    /// An empty record of these measurements, each with the title of its column.
    pub fn new(measurements: Vec<(String, Measurement)>) -> Record {
        Record { measurements, rows: Vec::new() }
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
        let pending: Vec<_> = self.measurements.iter().map(|(_, m)| request(simulation, &m.subject)).collect();
        let mut values = Vec::new();
        for ((_, measurement), pending) in self.measurements.iter().zip(pending) {
            let sample = pending?.wait()?;
            values.push(of(&sample, measurement.statistic, measurement.component).values);
        }
        self.rows.push((simulation.frame(), simulation.time(), values));
        Ok(())
    }

    /// Frame, time \[s\] and value, or components, of a measurement by its position.
    pub fn values(&self, measurement: usize) -> impl Iterator<Item = (u64, f64, &[f64])> {
        self.rows
            .iter()
            .filter_map(move |(frame, time, values)| Some((*frame, *time, values.get(measurement)?.as_slice())))
    }

    /// A table with a title line: `frame,time,TITLE,..`. A vector has a column for each component.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("frame,time");
        for (index, (title, _)) in self.measurements.iter().enumerate() {
            let parts = self.rows.first().and_then(|(_, _, values)| values.get(index)).map_or(1, Vec::len);
            text.push_str(&titles(title, parts));
        }
        text.push('\n');
        for (frame, time, values) in &self.rows {
            let _ = write!(text, "{frame},{time}");
            for value in values.iter().flatten() {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
        text
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
        let problem = |cause: String, remedy: &str| Problem::new("", &self.wire, cause, remedy);
        let field = simulation.read(&self.wire)?;
        let plan = simulation.plan();
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
                    *value += weight * value_at(&field, cell, component);
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
    fn titles_of_vectors_name_the_components_and_are_quoted_where_needed() {
        assert_eq!(titles("a", 1), ",a");
        assert_eq!(titles("a", 2), ",a.x,a.y");
        assert_eq!(titles("a,\"b\"", 1), ",\"a,\"\"b\"\"\"");
    }
}
