//! Where a stage runs that a grid confines: in blocks of cells in which the grid is not zero, and in those beside them.

use super::{EnvId, Expander, Feed, broken, go_on, read, write};
use crate::graph::{DomainId, NodeId};
use crate::ir::{Part, Read, Task, ValueId, WireValue, blocks};
use crate::problem::Problems;
use crate::stage::types::{ValueType, WireType};

impl Expander<'_> {
    /// What a node reads to know in which blocks it runs.
    pub(super) fn blocks(&mut self, node: NodeId, env: EnvId) -> Result<Option<Read>, Problems> {
        let graph = self.graph;
        let entry = &graph.nodes[node];
        let Some((confined, id)) = entry.blocks.zip(entry.domain) else { return Ok(None) };
        let source = entry.inputs.get(confined.input).map(|input| &input.source);
        // A group names the grid among its own neighbours.
        let outside = (0..confined.outward).fold(env, |env, _| self.envs[env].parent);
        let Feed::Value(grid) = self.feed(source.ok_or_else(|| broken(graph, node))?, outside)? else {
            return Err(broken(graph, node).into());
        };
        let of = self.program.values.get(grid).and_then(|value| value.domain).ok_or_else(|| broken(graph, node))?;
        let domains = graph.domains.get(id).zip(graph.domains.get(of)).ok_or_else(|| broken(graph, node))?;
        let table = self.found((node, outside), grid, of)?;
        let (part, value) = match blocks::covered(domains.0, domains.1) {
            None => (Part::Blocks, table),
            Some(width) => (Part::Covered(width), self.covered((node, outside), table, id, width)?),
        };
        Ok(Some(Read { port: confined.input, part, ..read(value) }))
    }

    /// The table of the blocks in which a grid is not zero, and those beside them.
    fn found(&mut self, (node, env): (NodeId, EnvId), grid: ValueId, of: DomainId) -> Result<ValueId, Problems> {
        let key = (grid, of, self.gate(env));
        if let Some(cached) = self.blocks.get(&key) {
            return Ok(*cached);
        }
        let words = self.graph.domains.get(of).map_or(0, blocks::words);
        let [found, widened, placed] = ["blocks", "ring", "where"].map(|what| self.table(node, what, of, words));
        self.push(node, env, Task::FindBlocks, vec![read(grid)], vec![write(found)])?;
        self.push(node, env, Task::WidenBlocks, vec![], vec![go_on(widened, found)])?;
        self.push(node, env, Task::PlaceBlocks(u32::MAX), vec![], vec![go_on(placed, widened)])?;
        self.blocks.insert(key, placed);
        Ok(placed)
    }

    /// The table of the tiles of a domain that such blocks cover.
    fn covered(
        &mut self,
        (node, env): (NodeId, EnvId),
        table: ValueId,
        id: DomainId,
        width: u32,
    ) -> Result<ValueId, Problems> {
        let key = (table, id, self.gate(env));
        if let Some(cached) = self.blocks.get(&key) {
            return Ok(*cached);
        }
        let tiles = self.graph.domains.get(id).map_or([0; 3], |domain| blocks::tiles(domain, width));
        let covered = self.table(node, "covered", id, tiles.map(u64::from).iter().product());
        self.push(node, env, Task::CoverBlocks, vec![read(table)], vec![write(covered)])?;
        self.blocks.insert(key, covered);
        Ok(covered)
    }

    fn table(&mut self, node: NodeId, what: &str, id: DomainId, words: u64) -> ValueId {
        let (path, dim) = (&self.graph.nodes[node].path, self.graph.domains.get(id).map_or(2, |domain| domain.dim));
        let bytes = (4 * words).next_multiple_of(16);
        let mut value = WireValue::new(WireType::Number(ValueType::U32), format!("{path} ({what})"), bytes);
        (value.stored.domain, value.stored.dim) = (Some(id), dim);
        self.program.values.push(value)
    }
}
