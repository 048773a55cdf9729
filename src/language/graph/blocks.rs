//! Regions where a stage runs: blocks of cells in which a grid is not zero. A node names the grid, or a group does for all stages inside.

use std::collections::BTreeSet;

use super::carry::{Carry, Resolver};
use super::ports::{group_of, stage_of};
use super::scope::{Flattener, NodePlace};
use super::{Blocks, Domain, Graph, Input, Kind, NodeId, Source};
use crate::document::{self, Group, WHERE};
use crate::library::Library;
use crate::problem::Problem;
use crate::stage::types::WireType;
use crate::stage::{IterationSource, Stage};

impl Flattener<'_> {
    /// Reports a `where` of a node that is neither a stage nor a group.
    pub(super) fn without_cells(&mut self, path: &str, node: &document::Node) {
        let info = node.kind.info();
        if !info.runs && !info.field.is_empty() && node.inputs.contains_key(WHERE) {
            let cause = format!("`where` belongs to stages and groups; a node of the kind {} has none", info.noun);
            self.problems.push(Problem::new(path, WHERE, cause, "remove `where`"));
        }
    }

    /// Adds the input for where a stage runs, of the node or of a group around it.
    pub(super) fn blocks(&mut self, place: &NodePlace<'_>, stage: &Stage, inputs: &mut Vec<Input>) -> Option<Blocks> {
        let over_cells = stage.source() == IterationSource::Cells;
        let (source, outward) = match self.named(place, &declared(stage)) {
            Some(_) if !over_cells => {
                let over = match stage.source() {
                    IterationSource::Particles => "over particles",
                    IterationSource::Positions => "wherever its field is read",
                    _ => "once",
                };
                let cause = format!("the stage runs {over}, and `where` chooses among cells");
                self.problems.push(Problem::new(place.path, WHERE, cause, "remove `where`"));
                return None;
            }
            Some(source) => (source, 0),
            None => {
                let (source, level) = place.scope.blocks.clone().filter(|_| over_cells)?;
                (source, place.scope.depth.saturating_sub(level))
            }
        };
        inputs.push(Input { name: WHERE.into(), source, outer: None });
        Some(Blocks { input: inputs.len() - 1, outward })
    }

    /// What a group's stages without a `where` of their own go by.
    pub(super) fn blocks_inside(&mut self, place: &NodePlace<'_>, group: &Group) -> Option<(Source, usize)> {
        let declared: Vec<&str> = group.inputs.keys().chain(group.params.keys()).map(String::as_str).collect();
        let named_grid = self.named(place, &declared).map(|source| (source, place.scope.depth));
        named_grid.or_else(|| place.scope.blocks.clone())
    }

    /// The grid that a node names, unless a port or a parameter of its own has the name.
    fn named(&mut self, place: &NodePlace<'_>, declared: &[&str]) -> Option<Source> {
        let link = place.node.inputs.get(WHERE).filter(|_| !declared.contains(&WHERE))?;
        if self.unwired(place, link) {
            return None;
        }
        match self.link(place, WHERE, link) {
            Source::Setting(_) => {
                let cause = format!("`{link}` is a number, the same everywhere");
                self.problems.push(Problem::new(place.path, WHERE, cause, "name a grid"));
                None
            }
            Source::Nothing => None,
            source => Some(source),
        }
    }
}

/// Whether `where` of a node says where stages run: it is a stage over cells, or a group without an input or a parameter of this name.
pub fn takes_where(node: &document::Node, library: &Library) -> bool {
    if let Some(stage) = stage_of(node, library) {
        return stage.source() == IterationSource::Cells;
    }
    let has_where = |group: &Group| group.inputs.contains_key(WHERE) || group.params.contains_key(WHERE);
    group_of(node, library).is_some_and(|group| !has_where(group))
}

fn declared(stage: &Stage) -> Vec<&str> {
    let params = stage.header.params.iter().map(|param| param.name.as_str());
    stage.inputs().map(|port| port.name.as_str()).chain(params).collect()
}

impl Resolver<'_> {
    /// Checks what decides where a stage runs, once its own domain is known. `false` where that can't be.
    pub(super) fn check_blocks(&mut self, node: NodeId) -> bool {
        let entry = &self.graph.nodes[node];
        let Some(Blocks { input, outward }) = entry.blocks else { return true };
        let Some(source) = entry.inputs.get(input).map(|input| input.source.clone()) else { return true };
        let path = entry.path.clone();
        let named_by = self.graph.outward(node, outward).map_or(path, |group| self.graph.nodes[group].path.clone());
        let Some(Carry { ty, domain: there, .. }) = self.carried(&source) else { return false };
        let domains = &self.graph.domains;
        let here = self.graph.nodes[node].domain.and_then(|id| domains.get(id));
        let (cause, remedy) = match (ty, here, there.and_then(|id| domains.get(id))) {
            (WireType::Grid(_), Some(here), Some(there)) if here.shares_box(there) => return true,
            // Of a group's stages those go by it that can.
            (WireType::Grid(_), ..) if outward > 0 => {
                let entry = &mut self.graph.nodes[node];
                entry.blocks = None;
                entry.inputs.truncate(input);
                return true;
            }
            (WireType::Grid(_), Some(here), Some(there)) => {
                let cause = format!("the grid is on `{}`, and the stage runs over `{}`", there.name, here.name);
                (cause, "name a grid on the same box, or resample it")
            }
            _ => (format!("the wire carries {ty}, and `where` takes a Grid"), "name a wire with a value in each cell"),
        };
        self.problems.push(Problem::new(&named_by, WHERE, cause, remedy));
        false
    }

    /// Warns of groups whose `where` concerns none of the stages inside.
    pub(super) fn idle_blocks(&mut self) {
        let graph = &self.graph;
        let outward = |id: NodeId| graph.outward(id, graph.nodes[id].blocks?.outward);
        let used: BTreeSet<NodeId> = graph.nodes.ids().filter_map(outward).collect();
        let confines = |id: &NodeId| matches!(&graph.nodes[*id].kind, Kind::Group(group) if group.confines);
        for id in graph.nodes.ids().filter(confines).filter(|id| !used.contains(id)) {
            let cause = "no stage inside goes by it: each has a `where` of its own, or does not run over cells of the grid's box";
            let remedy = "name a grid on the box that the stages run over, or remove `where`";
            let problem = Problem::new(&graph.nodes[id].path, WHERE, cause, remedy);
            self.problems.push(problem.warning());
        }
    }
}

impl Graph {
    /// The group that is this many levels outside of a node; `None` for the node itself.
    pub(crate) fn outward(&self, node: NodeId, levels: usize) -> Option<NodeId> {
        (0..levels).try_fold(node, |node, _| self.nodes.get(node)?.group).filter(|_| levels > 0)
    }
}

impl Domain {
    /// Whether the cells of two domains divide the same box, up to what the coarser one's last cells extend beyond it.
    pub fn shares_box(&self, other: &Domain) -> bool {
        let beyond = self.cell_size.max(other.cell_size);
        let near = |(a, b): (f64, f64)| (a - b).abs() < beyond;
        let whole = self.sliced.is_none() && other.sliced.is_none();
        whole && self.dim == other.dim && self.size().into_iter().zip(other.size()).take(self.dim as usize).all(near)
    }
}
