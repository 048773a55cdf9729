//! Values that shape the plan: iterations, capacities, domains and placements of files. Their expressions may name
//! constant numbers, which then shape the plan too.

use std::sync::Arc;

use super::edges::edges;
use super::flatten::setting;
use super::limits;
use super::limits::list;
use super::numbers::Names;
use super::scope::{Flattener, NodePlace};
use super::values::fit;
use super::{Domain, Kind, Node, Until};
use crate::document::{self, ParamValue};
use crate::expr::Number;
use crate::printable;
use crate::problem::Problem;
use crate::stage::edges::Edges;
use crate::stage::types::ValueType;

/// Kernels count words with signed 32-bit integers. Grids with several words a cell may have memory for some blocks alone, so the plan has the
/// last word on them.
const MAX_CELLS: u64 = 1 << 30;
/// Limit of particles, which have up to four words. Kernels count words with signed 32-bit integers.
const MAX_PARTICLES: u32 = 1 << 29;
const MAX_ITERATIONS: u32 = 10_000;
/// Limits of cells along each axis, in two and in three dimensions: WebGPU starts at most 65,535 workgroups along an axis, which have 32 x 4 cells
/// at least in two dimensions.
const MAX_RESOLUTION: [&[f64]; 2] = [&[1_048_576.0, 131_072.0], &[65_536.0; 3]];

impl Flattener<'_> {
    /// How often a node runs in a frame.
    pub(super) fn iterations(&mut self, place: &NodePlace<'_>) -> u32 {
        let value = place.node.iterations.as_ref();
        value.and_then(|value| self.count(place, "iterations", "count", value, MAX_ITERATIONS)).unwrap_or(1)
    }

    /// The convergence criterion of a group.
    pub(super) fn until(&mut self, place: &NodePlace<'_>, built: &Node) -> Option<Until> {
        let until = place.node.until.as_ref()?;
        let mut report = |cause: String, remedy: String| {
            self.problems.push(Problem::new(place.path, "until", cause, remedy));
            None
        };
        let Kind::Group(group) = &built.kind else {
            let remedy = "group it with the nodes that measure its progress, or remove `until`";
            return report("only a group can stop before its last iteration".into(), remedy.into());
        };
        if until.every == 0 {
            return report("the number is checked every 0 iterations".into(), "give `every` as 1 or more".into());
        }
        let Some(port) = group.outputs.iter().position(|(name, _)| *name == until.number) else {
            let cause = format!("the group has no output `{}` for its stop condition", until.number);
            let remedy = match group.outputs.is_empty() {
                true => "give the group an output that is a number".to_string(),
                false => format!("name a number among its outputs: {}", list(group.outputs.iter().map(|(n, _)| n))),
            };
            return report(cause, remedy);
        };
        let below = setting(place, "until", ValueType::F32, until.below.clone());
        Some(Until { port, below, every: until.every })
    }

    /// The maximum number of particles in a State.
    pub(super) fn capacity(&mut self, place: &NodePlace<'_>) -> Option<u32> {
        if let Some(value) = &place.node.capacity {
            return self.count(place, "capacity", "capacity", value, MAX_PARTICLES);
        }
        let cause = "the State does not give its maximum number of particles";
        let remedy = format!("give `capacity`, 1 to {MAX_PARTICLES}");
        self.problems.push(Problem::new(place.path, "capacity", cause, remedy));
        None
    }

    /// A number of a node that is evaluated once; zero when it is not given.
    pub(super) fn constant(
        &mut self,
        place: &NodePlace<'_>,
        port: &str,
        value: Option<&ParamValue>,
        ty: ValueType,
    ) -> Option<[f64; 4]> {
        let Some(value) = value else { return Some([0.0; 4]) };
        let number = self.fixed((place.path, port, port), value, &place.names(port), &place.aliases(port))?;
        let unfit = |(cause, remedy)| self.problems.push(Problem::new(place.path, port, cause, remedy));
        fit(ty, (None, None), number, 3).map_err(unfit).ok()
    }

    /// An integer from 1 to `most`.
    fn count(&mut self, place: &NodePlace<'_>, port: &str, what: &str, value: &ParamValue, most: u32) -> Option<u32> {
        let names = place.names(port);
        let number = self.fixed((place.path, port, what), value, &names, &place.aliases(port))?;
        let broken = |v: &f64| v.is_finite() && v.fract() != 0.0;
        if let (ParamValue::Expression(_), Some(v)) = (value, number.as_slice().iter().find(|v| broken(v))) {
            let remedy = "round it with ceil(x) or floor(x)";
            self.problems.push(Problem::new(
                place.path,
                port,
                format!("{} is not a whole number", printable::number(*v)),
                remedy,
            ));
            return None;
        }
        let unfit = |(cause, remedy)| self.problems.push(Problem::new(place.path, port, cause, remedy));
        let values = fit(ValueType::I32, (Some(1.0), Some(most.into())), number, 2).map_err(unfit).ok()?;
        Some(values[0] as u32)
    }

    /// A value that the plan is compiled with. Records what it depends on. `None` after an error was reported.
    pub(super) fn fixed(
        &mut self,
        (path, port, what): (&str, &str, &str),
        value: &ParamValue,
        names: &Names,
        aliases: &[String],
    ) -> Option<Number> {
        let mut wrong = |(cause, remedy): (String, String)| {
            self.problems.push(Problem::new(path, port, cause, remedy));
        };
        // Errors of a number that it names are reported there.
        let formula = self.numbers.formula(value, names).map_err(|fault| fault.map(&mut wrong)).ok()?;
        if let Some(name) = self.numbers.varies_by(&formula) {
            if let ParamValue::Keys(_) = value {
                let cause = format!("keys were given for the {what}, but the plan is compiled for one value");
                wrong((cause, "give a constant".into()));
                return None;
            }
            let by = if formula.variable().is_some_and(|variable| variable == name) {
                String::new()
            } else {
                format!(" with `{name}`")
            };
            let cause = format!("the {what} changes from frame to frame{by}, but the plan is fixed");
            wrong((cause, "use constants only; a changed constant recompiles the graph".into()));
            return None;
        }
        let number = self.numbers.start(&formula).map_err(wrong).ok()?;
        let shaped = format!("{path}.{port}");
        if self.shaped > limits::SHAPES {
            return None;
        }
        let behind = self.numbers.behind(&formula);
        self.shaped += behind.len() + aliases.len();
        if self.shaped > limits::SHAPES {
            let cause = format!(
                "iterations, capacities, domains and fixed parameters depend on numbers in more than {} ways",
                limits::SHAPES
            );
            self.problems.push(Problem::new(path, port, cause, "compute them from shorter chains of numbers"));
            return None;
        }
        for from in behind.into_iter().chain(aliases.iter().cloned()).chain([shaped.clone()]) {
            let shapes = self.graph.shapes.entry(from).or_default();
            // All axes of one path are recorded together.
            if shapes.last() != Some(&shaped) {
                shapes.push(shaped.clone());
            }
        }
        // The axes of a resolution are added one by one.
        let made = self.graph.made_with.entry(shaped).or_default();
        made.extend(number.as_slice());
        let made = made.clone();
        self.graph.made_with.extend(aliases.iter().map(|alias| (alias.clone(), made.clone())));
        Some(number)
    }

    /// One number that the plan is compiled with.
    fn fixed_scalar(&mut self, path: &str, port: &str, value: &ParamValue, names: &Arc<Names>) -> Option<f64> {
        let number = self.fixed((path, port, port), value, names, &[])?;
        match number.as_slice() {
            [one] => Some(*one),
            many => {
                let cause = format!("a vector of {} was given for one number", many.len());
                self.problems.push(Problem::new(path, port, cause, "take a part of it with .x, .y or .z"));
                None
            }
        }
    }

    /// A domain. One with errors stands in for what was meant, so that no other error follows from them.
    pub(super) fn domain(&mut self, path: &str, spec: &document::Domain, names: &Arc<Names>) -> Domain {
        let resolution: Vec<Option<f64>> =
            spec.resolution.iter().map(|cells| self.fixed_scalar(path, "resolution", cells, names)).collect();
        let width = self.fixed_scalar(path, "width", &spec.width, names);
        let mut wrong = |port: &str, cause: String, remedy: &str| {
            self.problems.push(Problem::new(path, port, cause, remedy));
        };
        let dim = resolution.len();
        let ok_shape = (2..=3).contains(&dim);
        if !ok_shape {
            wrong(
                "resolution",
                format!("a domain has 2 or 3 axes, not {dim}"),
                "give as many numbers, such as (256, 256)",
            );
        }
        let counts = resolution.iter().copied().collect::<Option<Vec<f64>>>().filter(|_| ok_shape);
        let cells = counts.map(|counts| self::cells(&counts)).transpose().unwrap_or_else(|(cause, remedy)| {
            wrong("resolution", cause, remedy);
            None
        });
        let ok_width = width.filter(|width| WIDTHS.contains(width));
        if let (Some(width), None) = (width, ok_width) {
            wrong(
                "width",
                format!("the width is {} m", printable::number(width)),
                "give a length between 1e-12 and 1e9 m",
            );
        }
        let edge = edges(&spec.edge, dim.clamp(2, 3) as u32).unwrap_or_else(|(cause, remedy)| {
            wrong("edge", cause, remedy);
            Edges::default()
        });
        let cells = cells.unwrap_or_else(|| stand_in(&resolution));
        let mut resolution = [1; 3];
        resolution.iter_mut().zip(&cells).for_each(|(r, n)| *r = *n);
        let cell_size = ok_width.unwrap_or(1.0) / f64::from(resolution[0]);
        let dim = dim.clamp(2, 3) as u32;
        Domain { name: path.into(), dim, resolution, cell_size, edge, finer: None, sliced: None }
    }
}

/// Cells in the place of some that are wrong: too many are halved along all axes until they fit, so that domains keep their ratios.
fn stand_in(resolution: &[Option<f64>]) -> Vec<u32> {
    let mut cells: Vec<f64> =
        resolution.iter().map(|n| n.filter(|n| (1.0..1e18).contains(n)).unwrap_or(1.0).floor()).collect();
    cells.resize(cells.len().clamp(2, 3), 1.0);
    let fits = |cells: &[f64]| self::cells(cells).is_ok();
    for _ in 0..64 {
        if fits(&cells) {
            break;
        }
        cells.iter_mut().for_each(|n| *n = (*n / 2.0).floor().max(1.0));
    }
    cells.into_iter().map(|n| n as u32).collect()
}

/// Valid widths of a domain \[m\]: the square of a cell's edge, and its inverse, must fit into 32-bit floats.
const WIDTHS: std::ops::Range<f64> = 1e-12..1e9;

/// Checks that the numbers of cells are integers within the limits.
fn cells(resolution: &[f64]) -> Result<Vec<u32>, (String, &'static str)> {
    let shown = format!("[{}]", resolution.iter().map(|n| printable::number(*n)).collect::<Vec<_>>().join(", "));
    if resolution.iter().any(|n| n.is_finite() && n.fract() != 0.0) {
        return Err((format!("{shown} cells"), "give whole numbers, for example with ceil(x)"));
    }
    let most = MAX_RESOLUTION[usize::from(resolution.len() > 2)];
    if !resolution.iter().zip(most).all(|(n, most)| (1.0..=*most).contains(n)) {
        let remedy = match resolution.len() {
            3 => "give 1 to 65,536 cells along each axis",
            _ => "give 1 to 1,048,576 cells along x and 1 to 131,072 along y",
        };
        return Err((format!("{shown} cells"), remedy));
    }
    let cells: Vec<u32> = resolution.iter().map(|n| *n as u32).collect();
    let count = cells.iter().fold(1u64, |n, r| n.saturating_mul(u64::from(*r)));
    if count > MAX_CELLS {
        let cause = format!("{shown} are {count} cells, more than the {MAX_CELLS} that can be numbered");
        return Err((cause, "lower the resolution"));
    }
    Ok(cells)
}
