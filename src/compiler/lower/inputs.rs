//! The values of groups' inputs in each iteration, and number nodes that become values in memory for this.

use super::EnvId;
use super::Expander;
use super::Feed;
use super::Problems;
use super::TOP;
use super::broken;
use super::write;
use crate::graph::{Kind, NodeId, Setting};
use crate::ir::Task;
use crate::problem::Problem;
use crate::stage::types::WireType;

/// Limit of inputs of groups that are followed, counted in every iteration.
const MAX_FEEDS: usize = 300_000;

impl Expander<'_> {
    /// The value of a group's input in one iteration.
    pub(super) fn group_input(&mut self, group: NodeId, input: usize, env: EnvId) -> Result<Feed, Problems> {
        let graph = self.graph;
        if self.group_inputs.len() >= MAX_FEEDS {
            let cause = format!(
                "the inputs of this group and of others are read more than {MAX_FEEDS} times per frame, once per iteration"
            );
            return Err(Problem::new(&graph.nodes[group].path, "", cause, "lower the iterations of the groups").into());
        }
        let here = &self.envs[env];
        let iteration = here.iteration;
        let parent = here.parent;
        let previous = here.previous;
        debug_assert_eq!(here.group, Some(group), "a group's input is read in its own scope");
        let entry = &graph.nodes[group];
        let (Kind::Group(kind), Some(outer)) = (&entry.kind, entry.inputs.get(input)) else {
            return Err(broken(graph, group).into());
        };
        if let (Some(output), true) = (kind.feedback(input), iteration > 0) {
            let feed = self.feed(output, previous)?;
            let port = kind.outputs.binary_search_by(|(name, _)| name.cmp(&outer.name)).unwrap_or_default();
            return self.in_memory(feed, (group, port, true), &outer.name);
        }
        let feed = self.feed(&outer.source, parent)?;
        self.in_memory(feed, (group, input, false), &outer.name)
    }

    /// A number node that reaches a stage through a group. In some iteration it may be a value in memory, so it is one
    /// in all of them.
    pub(super) fn in_memory(&mut self, feed: Feed, key: (NodeId, usize, bool), name: &str) -> Result<Feed, Problems> {
        let Feed::Setting(setting) = feed else { return Ok(feed) };
        if let Some(value) = self.numbers.get(&key) {
            return Ok(Feed::Value(*value));
        }
        let (group, _, output) = key;
        // An input may have the same name and another value.
        let name = if output { format!("{name} (output)") } else { name.to_string() };
        let value = self.value(group, WireType::Number(setting.ty), format!("{}.{name}", self.graph.nodes[group].path));
        if let Some(value) = self.program.values.get_mut(value) {
            value.stored.dim = self.graph.dim_around(group).unwrap_or(value.dim);
        }
        self.push(group, TOP, Task::Fill(Some(Setting { name, ..setting })), vec![], vec![write(value)])?;
        self.numbers.insert(key, value);
        Ok(Feed::Value(value))
    }
}
