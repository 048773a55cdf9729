//! Groups that may stop before their last iteration. After every few iterations a *gate* decides whether the next ones
//! run. The outputs of the group are *carried*: at the end of every iteration that can be the last, they are stored at
//! the same place in memory, where readers outside find them whichever iteration was the last.
//!
//! The CPU is not asked within a frame. The group is unrolled like any other, and dispatches of later iterations are indirect: a test of one
//! invocation writes their workgroups into the gate, or zeros. Neighbour grids and fields can't leave such a group, since they can't be carried.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::EnvId;
use super::Expander;
use super::Feed;
use super::Problems;
use super::Set;
use super::TOP;
use super::broken;
use super::read;
use super::write;
use crate::graph::{Kind, NodeId, REPEATS, Source, Until};
use crate::ir::{Task, ValueId, WireValue, Write};
use crate::problem::Problem;
use crate::stage::types::{ValueType, WireType};

/// State for groups that may stop.
#[derive(Default)]
pub(super) struct Stops {
    /// Outputs of a group, by node, outer scope and port.
    leaving: HashMap<(NodeId, EnvId, usize), Feed>,
    /// Numbers of iterations, by node and outer scope.
    repeats: HashMap<(NodeId, EnvId), ValueId>,
    carried: BTreeSet<ValueId>,
    /// Ports whose first iteration is watched, whichever are expanded later.
    pub first_watched: BTreeSet<(NodeId, usize)>,
    /// What names stand for after the frame, and which ports are watched.
    names: Vec<(String, Feed)>,
}

/// Something that is requested from outside groups.
#[derive(Clone, Copy)]
enum Demand<'a> {
    Source(&'a Source),
    Repeats(NodeId),
}

impl Expander<'_> {
    pub(super) fn gate(&self, env: EnvId) -> Option<ValueId> {
        self.envs.get(env).and_then(|env| env.gate)
    }

    fn until(&self, group: NodeId) -> Option<&Until> {
        self.graph.nodes.get(group).and_then(|node| node.until.as_ref())
    }

    /// The gate after an iteration. It is evaluated even if the group has stopped, so that it never keeps last frame's
    /// decision.
    pub(super) fn test(
        &mut self,
        node: NodeId,
        repeat: EnvId,
        before: Option<ValueId>,
        until: &Until,
    ) -> Result<ValueId, Problems> {
        let entry = &self.graph.nodes[node];
        let Kind::Group(group) = &entry.kind else { return Err(broken(self.graph, node).into()) };
        let (name, source) = group.outputs.get(until.port).ok_or_else(|| broken(self.graph, node))?;
        let Feed::Value(number) = self.feed(source, repeat)? else {
            let cause = format!(
                "the output `{name}` is a number that the group does not change, so the group might never stop"
            );
            return Err(Problem::new(&entry.path, "until", cause, "name a number that its nodes compute").into());
        };
        let gate = self.number(format!("{} (gate)", entry.path));
        // The size of its table is determined later, see `plan::until`.
        let reads = std::iter::once(number).chain(before).map(read).collect();
        let task = Task::Test { below: until.below.clone(), every: until.every };
        self.push(node, TOP, task, reads, vec![write(gate)])?;
        Ok(gate)
    }

    fn number(&mut self, label: String) -> ValueId {
        self.add(WireValue::new(WireType::Number(ValueType::U32), label, 16))
    }

    /// A number with how many iterations a group has made.
    pub(super) fn count_repeats(
        &mut self,
        node: NodeId,
        env: EnvId,
        gate: Option<ValueId>,
        until: &Until,
    ) -> Result<(), Problems> {
        let all = self.graph.nodes[node].iterations;
        let count = self.number(format!("{}.repeats", self.graph.nodes[node].path));
        // Without a test of its own, the gate is that of an enclosing group.
        let gate = gate.filter(|_| all > until.every);
        let task = if gate.is_some() { Task::Repeats((all - 1) % until.every + 1) } else { Task::FillWord(all) };
        self.push(node, env, task, gate.into_iter().map(read).collect(), vec![write(count)])?;
        self.stops.repeats.insert((node, env), count);
        Ok(())
    }

    /// How many iterations a group has made.
    pub(super) fn repeats(&mut self, node: NodeId, env: EnvId) -> Result<Feed, Problems> {
        self.group(node, env)?;
        let count = self.stops.repeats.get(&(node, env)).copied();
        count.map(Feed::Value).ok_or_else(|| broken(self.graph, node).into())
    }

    /// The value of a group's output.
    pub(super) fn leaving(&mut self, node: NodeId, port: usize, env: EnvId) -> Result<Feed, Problems> {
        if let Some(feed) = self.stops.leaving.get(&(node, env, port)) {
            return Ok(feed.clone());
        }
        let graph = self.graph;
        let Kind::Group(group) = &graph.nodes[node].kind else { return Err(broken(graph, node).into()) };
        let (name, source) = group.outputs.get(port).ok_or_else(|| broken(graph, node))?;
        let feed = self.demanded_feed(Demand::Source(source), &[node], env)?;
        if self.until(node).is_some() && !matches!(feed, Feed::Value(_) | Feed::Setting(_) | Feed::Set(_)) {
            let cause = "neighbour grids and fields cannot be outputs of a group with a stop condition";
            let remedy = "remove its `until`, or output a grid, particles or a number";
            return Err(Problem::new(&graph.nodes[node].path, name, cause, remedy).into());
        }
        if self.until(node).is_some() {
            self.stops.leaving.insert((node, env, port), feed.clone());
        }
        Ok(feed)
    }

    /// The value of a source for the whole graph at the end of the frame: after the last iteration of each enclosing
    /// group.
    pub(super) fn seen(&mut self, source: &Source, group: Option<NodeId>) -> Result<Feed, Problems> {
        let around = self.around(group);
        self.demanded_feed(Demand::Source(source), &around, TOP)
    }

    /// The enclosing groups, outermost first.
    fn around(&self, group: Option<NodeId>) -> Vec<NodeId> {
        let mut around: Vec<NodeId> =
            std::iter::successors(group, |g| self.graph.nodes.get(*g).and_then(|node| node.group)).collect();
        around.reverse();
        around
    }

    fn demanded_feed(&mut self, demand: Demand<'_>, groups: &[NodeId], env: EnvId) -> Result<Feed, Problems> {
        let [group, inner @ ..] = groups else {
            return match demand {
                Demand::Source(source) => self.feed(source, env),
                Demand::Repeats(node) => self.repeats(node, env),
            };
        };
        let last = self.group(*group, env)?;
        let Some(every) = self.until(*group).map(|until| until.every) else {
            return self.demanded_feed(demand, inner, last);
        };
        let mut feeds = Vec::new();
        for repeat in self.last_ones(*group, last, every) {
            feeds.push((repeat, self.demanded_feed(demand, inner, repeat)?));
        }
        self.carry(*group, feeds)
    }

    /// The scopes of the iterations that can be the last, in order.
    fn last_ones(&self, group: NodeId, last: EnvId, every: u32) -> Vec<EnvId> {
        let before = |env: &EnvId| {
            let here = self.envs.get(*env)?;
            (here.iteration > 0 && here.group == Some(group)).then_some(here.previous)
        };
        let tested = |env: &EnvId| *env == last || self.envs.get(*env).is_some_and(|e| (e.iteration + 1) % every == 0);
        let mut found: Vec<EnvId> = std::iter::successors(Some(last), before).filter(tested).collect();
        found.reverse();
        found
    }

    /// The versions of a group's output, each in the place of the one before.
    fn carry(&mut self, group: NodeId, mut feeds: Vec<(EnvId, Feed)>) -> Result<Feed, Problems> {
        let (_, end) = feeds.last().cloned().ok_or_else(|| broken(self.graph, group))?;
        if let Feed::Set(end) = end {
            return self.carry_set(group, &feeds, end);
        }
        let values: BTreeSet<Option<ValueId>> = feeds.iter().map(|(_, f)| value_of(f)).collect();
        let Some(like) = values.iter().flatten().next_back().copied().filter(|_| values.len() > 1) else {
            return Ok(end);
        };
        let mut versions = Vec::new();
        let sums = feeds.iter().all(|(_, feed)| value_of(feed).is_some_and(|value| self.totals.contains(&value)));
        for (repeat, feed) in feeds.drain(..) {
            let value = self.add(self.program.values[like].clone());
            let to = Write { consumes: versions.last().copied(), ..write(value) };
            match feed {
                Feed::Value(from) => self.push(group, repeat, Task::Copy, vec![read(from)], vec![to])?,
                Feed::Setting(setting) => self.push(group, repeat, Task::Fill(Some(setting)), vec![], vec![to])?,
                _ => return Ok(end),
            }
            versions.push(value);
        }
        if sums {
            self.totals.extend(&versions);
        }
        self.stops.carried.extend(&versions);
        let carried = versions.last().copied().map_or(end, Feed::Value);
        self.program.carries.push(versions);
        Ok(carried)
    }

    /// Carries the count and the attributes of particles. Their order is that of the last iteration: where iterations
    /// sort, it matches no neighbour grid from outside, and none leaves the group.
    fn carry_set(&mut self, group: NodeId, feeds: &[(EnvId, Feed)], mut end: Set) -> Result<Feed, Problems> {
        let count = |(repeat, feed): &(EnvId, Feed)| match feed {
            Feed::Set(set) => Some((*repeat, Feed::Value(set.count))),
            _ => None,
        };
        if let Feed::Value(carried) = self.carry(group, feeds.iter().filter_map(count).collect())? {
            end.count = carried;
        }
        let attributes = std::mem::take(Rc::make_mut(&mut end.attributes));
        for (name, last) in attributes {
            let version = |(repeat, feed): &(EnvId, Feed)| match feed {
                Feed::Set(set) => set.attributes.get(&name).map(|value| (*repeat, Feed::Value(*value))),
                _ => None,
            };
            let versions: Vec<(EnvId, Feed)> = feeds.iter().filter_map(version).collect();
            // What the first iteration does not have yet does not leave: it may be the last.
            if versions.len() == feeds.len() {
                let carried = self.carry(group, versions)?;
                Rc::make_mut(&mut end.attributes).insert(name, value_of(&carried).unwrap_or(last));
            }
        }
        Ok(Feed::Set(end))
    }

    /// Adds a wire that should be visible, under its name.
    pub(super) fn show(&mut self, node: NodeId, port: usize) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        let feed = self.seen(&Source::Wire { node, port }, entry.group)?;
        if self.around(entry.group).into_iter().any(|group| self.until(group).is_some()) {
            self.stops.names.push((self.graph.wire_name(node, port), feed));
        }
        Ok(())
    }

    /// Watches a number. In a group that may stop it is that of the first iteration, which runs in every frame: watching
    /// the last one would compute it in all of them.
    pub(super) fn watch(&mut self, node: NodeId, port: usize) -> Result<(), Problems> {
        let (mut env, mut stops) = (TOP, false);
        for group in self.around(self.graph.nodes[node].group) {
            env = self.group(group, env)?;
            if self.until(group).is_some() {
                env = self.last_ones(group, env, 1).first().copied().unwrap_or(env);
                stops = true;
            }
        }
        if let Feed::Value(value) = self.feed(&Source::Wire { node, port }, env)?
            && let Some(watch) = self.program.watches.iter_mut().find(|(n, p, _)| (*n, *p) == (node, port))
        {
            watch.2 = value;
            if stops {
                self.stops.first_watched.insert((node, port));
            }
        }
        Ok(())
    }

    /// Watches the number of iterations of a group that may stop; an output of that name has priority.
    pub(super) fn show_repeats(&mut self, node: NodeId) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        let Kind::Group(group) = &entry.kind else { return Ok(()) };
        if self.graph.counts_repeats(&Source::Wire { node, port: group.outputs.len() }) {
            let around = self.around(entry.group);
            let feed = self.demanded_feed(Demand::Repeats(node), &around, TOP)?;
            self.stops.names.push((format!("{}.{REPEATS}", entry.path), feed));
        }
        Ok(())
    }

    /// Names inside groups that may stop refer to carried values; others would not exist in every frame.
    pub(super) fn name_what_leaves(&mut self) {
        let gated = self.program.ops.iter().filter(|op| op.gate.is_some()).flat_map(|op| &op.writes).map(|w| w.value);
        let lost: BTreeSet<ValueId> = gated.filter(|v| !self.stops.carried.contains(v)).collect();
        for (name, feed) in std::mem::take(&mut self.stops.names) {
            self.name(&name, &feed);
        }
        self.program.wires.retain(|_, value| !lost.contains(value));
    }
}

fn value_of(feed: &Feed) -> Option<ValueId> {
    match feed {
        Feed::Value(value) => Some(*value),
        _ => None,
    }
}
