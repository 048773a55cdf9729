//! Runs of a graph at another rate, on other cells, in a box of another shape.

use std::error::Error;
use std::path::Path;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::{Document, NodeKind, ParamValue, Substeps};
use stagewright_language::graph::{Graph, Kind};
use stagewright_language::library::Library;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::tune::TuningCache;

/// How a graph is changed.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    Nothing,
    /// Cells along each side of what moves, in times of the graph's own.
    Cells(f64),
    /// The box is so many times as long along this axis.
    Longer(usize, f64),
}

/// A run of a graph from its start.
pub(crate) struct Film {
    pub(crate) simulation: Simulation,
    fps: f64,
}

impl Film {
    pub(crate) fn open(
        gpu: &Gpu,
        path: &Path,
        fps: f64,
        substeps: Option<Substeps>,
        changes: &[Change],
    ) -> Result<Film, Box<dyn Error>> {
        let mut document = Document::parse(&std::fs::read_to_string(path)?)?;
        document.fps = fps;
        document.substeps = substeps.unwrap_or(document.substeps);
        let library = Library::builtin();
        for change in changes {
            apply(&mut document, library, *change)?;
        }
        let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
        let tuning = TuningCache::open().tuning(gpu);
        let options = PlanOptions { tuning, folder, ..PlanOptions::default() };
        let plan = Plan::compile(&Graph::build(&document, library)?, &options)?;
        Ok(Film { simulation: Simulation::new(gpu, plan)?, fps })
    }

    /// Computes all frames until `time` \[s\].
    pub(crate) fn advance(&mut self, gpu: &Gpu, time: f64) -> Result<(), Box<dyn Error>> {
        let frame = (time * self.fps).round() as u64;
        while self.simulation.frame() < frame {
            let input = self.simulation.recorded_input();
            if self.simulation.frame() + 1 == frame {
                self.simulation.step(&input)?;
            } else {
                self.simulation.step_unseen(&input)?;
            }
            if self.simulation.frame().is_multiple_of(16) {
                gpu.wait();
            }
        }
        Ok(())
    }

    /// What the run warns of, and NaN in its States.
    pub(crate) fn remarks(&mut self) -> Result<Vec<String>, Box<dyn Error>> {
        let mut remarks: Vec<String> =
            self.simulation.ends_with_nan()?.map(|problem| problem.cause).into_iter().collect();
        remarks.extend(self.simulation.warnings(true).0.iter().map(|problem| problem.to_string()));
        Ok(remarks)
    }
}

/// Changes cells or the shape of the box of what moves.
fn apply(document: &mut Document, library: &Library, change: Change) -> Result<(), Box<dyn Error>> {
    let number = |name: &str| match document.nodes.get(name).map(|node| &node.kind) {
        Some(NodeKind::Number(ParamValue::Number(value))) => Some(*value),
        _ => None,
    };
    if let Change::Cells(times) = change {
        for (name, value) in
            [("spacing", number("spacing").map(|v| v / times)), ("cells", number("cells").map(|v| (v * times).round()))]
        {
            if let Some(value) = value {
                document.set(name, "value", ParamValue::Number(value))?;
                return Ok(());
            }
        }
    }
    let graph = Graph::build(document, library)?;
    let states = graph.nodes.iter().filter(|node| matches!(node.kind, Kind::State(_)));
    let moving: Vec<String> = states
        .filter_map(|state| {
            Some(graph.domains.get(state.domain.or(state.set.as_ref().map(|set| set.domain))?)?.name.clone())
        })
        .collect();
    for domain in &graph.domains {
        let is_moving = moving.contains(&domain.name);
        let Some(NodeKind::Domain(settings)) = document.node_mut(&domain.name).map(|node| &mut node.kind) else {
            continue;
        };
        if !is_moving {
            continue;
        }
        let mut cells: Vec<f64> = domain.resolution.iter().take(domain.dim as usize).map(|n| f64::from(*n)).collect();
        let width = cells[0] * domain.cell_size;
        match change {
            Change::Nothing => {}
            Change::Cells(times) => cells.iter_mut().for_each(|n| *n = (*n * times).round().max(1.0)),
            Change::Longer(axis, times) => {
                cells[axis] = (cells[axis] * times).round();
                if axis == 0 {
                    settings.width = ParamValue::Number(width * cells[0] / f64::from(domain.resolution[0]));
                }
            }
        }
        settings.resolution = cells.into_iter().map(ParamValue::Number).collect();
    }
    Ok(())
}
