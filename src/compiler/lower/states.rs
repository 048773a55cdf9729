//! The memory of States and files: the value at the beginning of a frame, and the one that it ends with.

use std::collections::HashSet;

use crate::graph::initial_values::INIT;
use crate::graph::{FileOutput, NodeId, Setting, Source};
use crate::ir::{Part, StateKey, Task, ValueId};
use crate::problem::Problems;
use crate::stage::types::{ValueType, WireType};

use super::{Expander, Feed, TOP, broken, expects, read, write};

impl Expander<'_> {
    pub(super) fn state(&mut self, node: NodeId) -> Feed {
        let entry = &self.graph.nodes[node];
        if let Some(set) = &entry.set {
            return Feed::Set(self.state_set(node, set));
        }
        let key = (node, Part::Whole);
        if let Some(value) = self.program.states.get(&key) {
            return Feed::Value(*value);
        }
        let ty = entry.outputs.first().copied().unwrap_or(WireType::Grid(ValueType::F32));
        let value = self.value(node, ty, format!("{}.value", entry.path));
        self.program.wires.insert(format!("{}.value", entry.path), value);
        self.hold(key, value);
        Feed::Value(value)
    }

    /// An output of a file. It stays what it is, so it is held and kept at once.
    pub(super) fn file(&mut self, node: NodeId, port: usize) -> Result<Feed, Problems> {
        let graph = self.graph;
        let entry = &graph.nodes[node];
        let outputs = entry.file.as_ref().map(|file| file.outputs()).unwrap_or_default();
        let (Some(output), Some(ty)) = (outputs.get(port), entry.outputs.get(port)) else {
            return Err(broken(graph, node).into());
        };
        if let (FileOutput::Particles, Some(set)) = (output, entry.set.clone()) {
            return Ok(Feed::Set(self.file_set(node, &set)));
        }
        let key = (node, Part::of_file(*output));
        if let Some(value) = self.program.states.get(&key) {
            return Ok(Feed::Value(*value));
        }
        let name = format!("{}.{}", entry.path, graph.port_name(node, port));
        let value = self.value(node, *ty, name.clone());
        self.program.wires.insert(name, value);
        self.program.next.insert(key.clone(), value);
        self.hold(key, value);
        Ok(Feed::Value(value))
    }

    /// Sets last frame's value of a State, or of a part of one.
    pub(super) fn hold(&mut self, key: StateKey, value: ValueId) {
        if !self.program.next.contains_key(&key) {
            self.waiting.insert(key.clone());
        }
        self.claimed.insert(value);
        self.program.states.insert(key, value);
    }

    /// The next value of every State that is needed. Following one may add others.
    pub(super) fn finish_states(&mut self) -> Result<(), Problems> {
        while let Some(state) = self.waiting.first().map(|state| state.0) {
            self.check_cancel()?;
            self.bring_files(state)?;
            let feed = match self.graph.nodes[state].inputs.first().map(|i| &i.source) {
                Some(Source::Nothing) | None => self.state(state),
                Some(source) => self.seen(source, self.graph.nodes[state].group)?,
            };
            self.become_state(state, Some(feed))?;
            let mut left = self.waiting.range((state, Part::Whole)..);
            if left.next().is_some_and(|next| next.0 == state) {
                return Err(broken(self.graph, state).into());
            }
        }
        Ok(())
    }

    /// Watches the numbers of what only the first values of States need. Each gets a copy that frames leave alone, whatever State the number
    /// itself becomes.
    pub(super) fn watch_start(&mut self) -> Result<(), Problems> {
        let graph = self.graph;
        let start_only = graph.start_only();
        let stages: HashSet<NodeId> = self.stages.keys().map(|(node, _)| *node).collect();
        let groups: HashSet<NodeId> = self.groups.keys().map(|(group, _)| *group).collect();
        // In a group that runs, also a stage that nothing reads.
        let runs = |node: NodeId| {
            let groups_around = std::iter::successors(graph.nodes[node].group, |group| graph.nodes[*group].group);
            stages.contains(&node)
                || groups_around.filter(|group| start_only[*group]).any(|group| groups.contains(&group))
        };
        for (index, node) in graph.nodes.entries() {
            if start_only[index] && expects(&node.kind) && runs(index) {
                (0..node.outputs.len()).try_for_each(|port| self.watch(index, port))?;
            }
        }
        let mut watches = std::mem::take(&mut self.program.watches);
        watches.retain(|(node, _, _)| start_only[*node]);
        for (node, _, value) in &mut watches {
            let copy = self.add(self.program.values[*value].clone());
            self.push(*node, TOP, Task::Copy, vec![read(*value)], vec![write(copy)])?;
            *value = copy;
        }
        self.program.watches = watches;
        Ok(())
    }

    /// Files that a State's initial value depends on get memory, whether a frame reads them or not.
    fn bring_files(&mut self, state: NodeId) -> Result<(), Problems> {
        let graph = self.graph;
        let init = graph.nodes.get(state).and_then(|node| node.inputs.get(INIT));
        let files = init.map(|init| self.files.files(graph, &init.source)).unwrap_or_default();
        for (file, port) in files {
            self.file(file, port)?;
        }
        Ok(())
    }

    /// Sets the next value of a State. Without one, the State is empty.
    pub(super) fn become_state(&mut self, state: NodeId, feed: Option<Feed>) -> Result<(), Problems> {
        let entry = &self.graph.nodes[state];
        if let Some(set) = entry.set.clone() {
            return self.become_set(state, &set, feed);
        }
        let ty = entry.outputs.first().copied().unwrap_or(WireType::Grid(ValueType::F32));
        let empty = self.value(state, ty, format!("{}.value", entry.path));
        let source = match feed {
            Some(Feed::Value(value)) => Ok(value),
            Some(Feed::Setting(setting)) => Err(Some(setting)),
            _ => Err(None),
        };
        self.become_part((state, Part::Whole), source, empty)
    }

    /// Sets the next value of a part of a State to a value or a constant. Uses separate memory where another State
    /// holds the value already, or where it is stored in another precision. `empty` is a value that has not been used
    /// yet.
    pub(super) fn become_part(
        &mut self,
        key: StateKey,
        source: Result<ValueId, Option<Setting>>,
        empty: ValueId,
    ) -> Result<(), Problems> {
        let next = match source {
            Ok(value) => {
                let unchanged = self.program.states.get(&key) == Some(&value);
                let precise = |v: ValueId| self.program.values.get(v).map(|v| v.precision);
                let same = precise(value) == precise(empty);
                let is_claimed = self.claimed.contains(&value);
                if unchanged || (same && !is_claimed) {
                    value
                } else {
                    self.push(key.0, TOP, Task::Copy, vec![read(value)], vec![write(empty)])?;
                    empty
                }
            }
            Err(setting) => {
                self.push(key.0, TOP, Task::Fill(setting), vec![], vec![write(empty)])?;
                empty
            }
        };
        self.waiting.remove(&key);
        self.claimed.insert(next);
        self.program.next.insert(key, next);
        Ok(())
    }
}
