//! Where a stage runs that a grid confines: in blocks of cells in which the grid is not zero, and in those beside them.

use super::{EnvId, Expander, Feed, broken, go_on, read, write};
use crate::graph::{DomainId, NodeId};
use crate::ir::{Part, Read, Task, Value, ValueId, blocks};
use crate::problem::Problems;
use crate::stage::types::{ValueType, WireType};

impl Expander<'_> {
    /// What a node reads to know in which blocks it runs.
    pub(super) fn blocks(&mut self, node: NodeId, env: EnvId) -> Result<Option<Read>, Problems> {
        let graph = self.graph;
        let entry = &graph.nodes[node];
        let Some((confined, domain)) = entry.blocks.zip(entry.domain) else { return Ok(None) };
        let source = entry.inputs.get(confined.input).map(|input| &input.source);
        // A group names the grid among its own neighbours.
        let outside = (0..confined.outward).fold(env, |env, _| self.envs[env].parent);
        let Feed::Value(grid) = self.feed(source.ok_or_else(|| broken(graph, node))?, outside)? else {
            return Err(broken(graph, node).into());
        };
        let value = self.table((node, outside), grid, domain)?;
        Ok(Some(Read { port: confined.input, part: Part::Blocks, ..read(value) }))
    }

    /// The table of the blocks of a domain in which a grid is not zero, and those beside them.
    fn table(&mut self, (node, env): (NodeId, EnvId), grid: ValueId, id: DomainId) -> Result<ValueId, Problems> {
        let key = (grid, id, self.gate(env));
        if let Some(known) = self.blocks.get(&key) {
            return Ok(*known);
        }
        let path = &self.graph.nodes[node].path;
        let domain = self.graph.domains.get(id).ok_or_else(|| broken(self.graph, node))?;
        let bytes = (4 * blocks::words(domain)).next_multiple_of(16);
        let mut table = |what: &str| {
            let mut value = Value::new(WireType::Number(ValueType::U32), format!("{path} ({what})"), bytes);
            (value.stored.domain, value.stored.dim) = (Some(id), domain.dim);
            self.program.values.push(value)
        };
        let (found, widened) = (table("blocks"), table("where"));
        self.push(node, env, Task::FindBlocks, vec![read(grid)], vec![write(found)])?;
        self.push(node, env, Task::WidenBlocks, vec![], vec![go_on(widened, found)])?;
        self.blocks.insert(key, widened);
        Ok(widened)
    }
}
