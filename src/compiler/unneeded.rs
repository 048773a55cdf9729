//! The check of what no image needs. [`Plan::compile`] never lowers such nodes, so an error in their text or in their file shows
//! only once somebody connects, views or records them.

use std::collections::BTreeSet;

use crate::budget::MemoryBudget;
use crate::data::Plan;
use crate::graph::{Graph, Kind, Node, NodeId};
use crate::ir::{Part, Program, Task};
use crate::lower;
use crate::options::{Keep, Outputs, PlanOptions};
use crate::problem::Problems;
use crate::tuning::Tuning;

/// Plans of nodes that [`Plan::compile`] leaves out with the same options.
#[derive(Debug, Default)]
pub struct Unneeded {
    /// The plan of everything that something reads: stages, and the files that they read.
    pub read: Option<Plan>,
    /// Plans of the files that nothing reads: one for each output, by node.
    pub unread_files: Vec<(String, Vec<Plan>)>,
    /// Errors in the text of stages.
    pub problems: Problems,
}

impl Plan {
    /// Compiles the nodes that [`Plan::compile`] leaves out since no image needs them, stage by stage as they are written. Nothing of
    /// it has to fit the memory. Wires that are played from caches count as left out.
    pub fn unneeded(graph: &Graph, options: &PlanOptions) -> Unneeded {
        crate::threads::deep_stack(|| {
            let wires = Wires::new(graph, options);
            let options = PlanOptions {
                outputs: Outputs::None,
                played: Vec::new(),
                memory_budget: MemoryBudget { bytes: u64::MAX, ..options.memory_budget },
                tuning: Tuning::default(),
                ..options.clone()
            };
            let compile =
                |wires: Vec<String>| Plan::compile(graph, &PlanOptions { keep: Keep::Wires(wires), ..options.clone() });
            let mut found = Unneeded::default();
            if !wires.read.is_empty() {
                match compile(wires.read.clone()) {
                    Ok(plan) => found.read = Some(plan),
                    Err(problems) if problems.0.iter().all(|problem| !problem.node.is_empty()) => {
                        found.problems = problems;
                    }
                    // All of them at once exceed a limit of the whole graph, which each alone may not.
                    Err(_) => {
                        let alone = wires.read.into_iter().filter_map(|wire| compile(vec![wire]).err());
                        alone.flat_map(|problems| problems.0).for_each(|problem| found.problems.push(problem));
                    }
                }
            }
            for (node, ports) in wires.unread_files {
                let plans = ports.into_iter().filter_map(|port| compile(vec![port]).ok()).collect();
                found.unread_files.push((node, plans));
            }
            found
        })
    }
}

/// Names of what a plan leaves out, as [`Keep::Wires`] takes them.
#[derive(Default)]
struct Wires {
    read: Vec<String>,
    unread_files: Vec<(String, Vec<String>)>,
}

impl Wires {
    fn new(graph: &Graph, options: &PlanOptions) -> Wires {
        // Where lowering fails, compiling reports it.
        let Ok(frame) = lower::frame(graph, options) else { return Wires::default() };
        let Ok(reset) = lower::reset(graph, &frame, options) else { return Wires::default() };
        let lowered: BTreeSet<NodeId> = [&frame, &reset].into_iter().flat_map(lowered).collect();
        let read_of_files = graph.read_of_files();
        let mut found = Wires::default();
        for (id, node) in graph.nodes.entries() {
            let Some(file) = &node.file else {
                if matches!(node.kind, Kind::Stage(_)) && !lowered.contains(&id) {
                    found.read.push(node.path.clone());
                }
                continue;
            };
            let in_memory = |port: usize| {
                let part = file.outputs().get(port).map(|output| Part::of_file(*output));
                frame
                    .states
                    .keys()
                    .any(|(state, held_part)| *state == id && (node.set.is_some() || Some(held_part) == part.as_ref()))
            };
            let ports: Vec<usize> = (0..node.outputs.len()).collect();
            let name = |port: &usize| format!("{}.{}", node.path, graph.port_name(id, *port));
            let read: Vec<usize> = ports.iter().copied().filter(|port| read_of_files.contains(&(id, *port))).collect();
            found.read.extend(read.iter().filter(|port| !in_memory(**port)).map(name));
            if read.is_empty() && !is_without_place(node) {
                found.unread_files.push((node.path.clone(), ports.iter().map(name).collect()));
            }
        }
        found
    }
}

/// Whether a file has no domain, or no set of particles: nothing says where its values go.
fn is_without_place(node: &Node) -> bool {
    node.domain.is_none() || (node.set.is_none() && node.outputs.iter().any(|ty| !ty.is_grid()))
}

/// The stages whose kernels a program generates.
fn lowered(program: &Program) -> impl Iterator<Item = NodeId> + '_ {
    let stages = program.ops.iter().chain(&program.field_checks).filter(|op| matches!(op.task, Task::Stage));
    stages.flat_map(|op| op.stages.iter()).map(|stage| stage.node)
}
