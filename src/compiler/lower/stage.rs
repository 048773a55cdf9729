//! Unrolls a stage's iterations into operations, with what is needed before and after for scatter, reduction, scan and
//! changes of a set.

use std::rc::Rc;

use super::EnvId;
use super::Expander;
use super::Feed;
use super::FieldFeed;
use super::Problems;
use super::broken;
use super::fields::{Collector, MAX_FIELDS};
use super::go_on;
use super::read;
use super::sets::Changed;
use super::write;
use crate::arena::Arena;
use crate::graph::{Kind, NodeId, Source};
use crate::ir::{OWN, Op, Part, Read, StageInstance, Task, ValueId, Write};
use crate::problem::Problem;
use crate::stage::header::{Change, Direction, Port, Scatter};
use crate::stage::types::{PortType, Precision, Scalar, WireType};
use crate::stage::{IterationSource, Stage};

/// Limit of fields in all dispatches.
const MAX_BUILT_IN: usize = 500_000;

impl Expander<'_> {
    /// Unrolls a stage's iterations and returns its outputs.
    pub(super) fn stage(&mut self, node: NodeId, env: EnvId) -> Result<Vec<Feed>, Problems> {
        if let Some(outputs) = self.stages.get(&(node, env)) {
            return Ok(outputs.clone());
        }
        let graph = self.graph;
        let entry = &graph.nodes[node];
        let Kind::Stage(stage) = &entry.kind else { return Err(broken(graph, node).into()) };
        self.enter(node, env)?;
        let mut feeds = Vec::new();
        for (port, input) in stage.inputs().zip(&entry.inputs) {
            let feed = match (&input.source, &port.change) {
                (Source::Nothing, Change::Emit(_)) => Feed::Set(self.empty_set(node, env)?),
                (source, _) => self.feed(source, env)?,
            };
            feeds.push(feed);
        }
        let blocks = self.blocks(node, env)?;
        self.open.remove(&(node, env));
        if stage.source() == IterationSource::Positions {
            let feed = Rc::new(FieldFeed { node, inputs: feeds });
            self.probe(node, stage, &feed.inputs)?;
            self.stages.insert((node, env), vec![Feed::Field(feed.clone())]);
            return Ok(vec![Feed::Field(feed)]);
        }
        self.begin_versions(node, env, stage, &mut feeds)?;
        let mut outputs = Vec::new();
        let colors: &[Option<u32>] = if stage.header.checkerboard { &[Some(0), Some(1)] } else { &[None] };
        for iteration in 0..entry.iterations {
            for color in colors {
                outputs = self.repeat((node, env), stage, (&feeds, blocks.as_ref()), (iteration, *color))?;
                for (declared, output) in stage.outputs().zip(&outputs) {
                    if let Some(input) = stage.inputs().position(|p| p.writes() && p.name == declared.name) {
                        feeds[input] = output.clone();
                    }
                }
            }
        }
        for (port, feed) in outputs.iter().enumerate() {
            self.latest_outputs.insert((node, port), feed.clone());
        }
        self.stages.insert((node, env), outputs.clone());
        Ok(outputs)
    }

    /// Adds a field stage once for separate validation, so that errors are reported at its own text.
    fn probe(&mut self, node: NodeId, stage: &Stage, feeds: &[Feed]) -> Result<(), Problems> {
        if !self.probed.insert(node) {
            return Ok(());
        }
        let (reads, stages) = self.reads(node, stage, feeds)?;
        self.program.field_checks.push(Op::new(Task::Stage, node, reads, stages, Vec::new()));
        Ok(())
    }

    /// An unwired @inout grid starts from its constant.
    fn begin_versions(&mut self, node: NodeId, env: EnvId, stage: &Stage, feeds: &mut [Feed]) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        for (port, feed) in stage.inputs().zip(feeds) {
            let (Direction::InOut, Feed::Setting(setting)) = (port.direction, &*feed) else { continue };
            let ty = stage.outputs().position(|p| p.name == port.name).and_then(|i| entry.outputs.get(i));
            let ty = *ty.ok_or_else(|| broken(self.graph, node))?;
            let value = self.value(node, ty, format!("{}.{}", entry.path, port.name));
            self.push(node, env, Task::Fill(Some(setting.clone())), vec![], vec![write(value)])?;
            *feed = Feed::Value(value);
        }
        Ok(())
    }

    /// One dispatch of a stage, with what is needed before and after it.
    fn repeat(
        &mut self,
        (node, env): (NodeId, EnvId),
        stage: &Stage,
        (feeds, blocks): (&[Feed], Option<&Read>),
        (iteration, color): (u32, Option<u32>),
    ) -> Result<Vec<Feed>, Problems> {
        self.check_order(node, stage, feeds)?;
        let entry = &self.graph.nodes[node];
        let set = stage.set().and_then(|p| stage.inputs().position(|i| i.name == p.name)).and_then(|i| feeds.get(i));
        let set = if let Some(Feed::Set(set)) = set { Some(set.clone()) } else { None };
        let mut reads = self.reads(node, stage, feeds)?;
        let mut writes = Vec::new();
        let mut results = Vec::new();
        for (port, (declared, ty)) in stage.outputs().zip(&entry.outputs).enumerate() {
            let label = format!("{}.{}", entry.path, declared.name);
            let input = stage.inputs().position(|p| p.writes() && p.name == declared.name);
            let before = input.and_then(|i| feeds.get(i));
            let feed = match (ty, before, &set) {
                (WireType::Particles, Some(Feed::Set(before)), _) => {
                    let changed = Changed { port, declared, before: before.clone() };
                    Feed::Set(self.change(node, env, &changed, &mut writes)?)
                }
                (WireType::NeighborGrid, _, Some(set)) => {
                    let mut neighbors = self.neighbors((node, stage), declared, feeds, set)?;
                    if !reorders(stage) {
                        let items = self.attribute(set.room, ty.value(), format!("{label}.items"));
                        writes.push(Write { port, part: Part::Order, ..write(items) });
                        neighbors.items = Some(items);
                    }
                    Feed::Neighbors(neighbors)
                }
                _ => {
                    let before = if let Some(Feed::Value(value)) = before { Some(*value) } else { None };
                    Feed::Value(self.written(node, env, (port, declared, *ty), before, &mut writes)?)
                }
            };
            results.push(feed);
        }
        let substep = self.envs.get(env).map_or(0, |e| e.iteration);
        // A version that is updated is not also read, except for attributes, which the stage names one by one.
        let consumed =
            |r: &Read| r.stage == OWN && r.part == Part::Whole && stage.inputs().nth(r.port).is_some_and(Port::writes);
        reads.0.retain(|r| !consumed(r));
        let (mut reads, stages) = reads;
        reads.extend(blocks.cloned());
        let gate = self.gate(env);
        let op = Op::new(Task::Stage, node, reads, stages, writes);
        self.program.ops.push(Op { iteration, substep, color, gate, ..op });
        self.check_count()?;
        self.finish(node, env, stage, feeds, &mut results)?;
        Ok(results)
    }

    /// What a dispatch reads.
    fn reads(
        &mut self,
        node: NodeId,
        stage: &Stage,
        feeds: &[Feed],
    ) -> Result<(Vec<Read>, Arena<StageInstance>), Problems> {
        let mut collector = Collector::new(self.graph, stage, node);
        for (port, (declared, feed)) in stage.inputs().zip(feeds).enumerate() {
            // Whatever an input that only gives an output its shape holds, the output stays the same.
            if !matches!(feed, Feed::Value(_)) || !stage.is_shape_alone(declared) {
                collector.input(feed, OWN, port);
            }
        }
        let Collector { reads, stages, .. } = collector;
        let fields = stages.len() - 1;
        if fields > MAX_FIELDS {
            let cause = format!("more than {MAX_FIELDS} fields are combined here");
            let remedy = "keep one of them in a grid, with grid/from_field and field/from_grid";
            return Err(Problem::new(&self.graph.nodes[node].path, "", cause, remedy).into());
        }
        self.inlined += fields;
        if self.inlined > MAX_BUILT_IN {
            let cause = format!("the dispatches of a frame inline more than {MAX_BUILT_IN} fields");
            let remedy = "keep fields that many stages read in grids, with grid/from_field, or lower the iterations";
            return Err(Problem::new(&self.graph.nodes[node].path, "", cause, remedy).into());
        }
        Ok((reads, stages))
    }

    /// The value that a stage writes to a grid or a number, and what is needed before it.
    fn written(
        &mut self,
        node: NodeId,
        env: EnvId,
        (port, declared, ty): (usize, &Port, WireType),
        before: Option<ValueId>,
        writes: &mut Vec<Write>,
    ) -> Result<ValueId, Problems> {
        let label = format!("{}.{}", self.graph.nodes[node].path, declared.name);
        let write_port = |value, consumes| Write { port, consumes, ..write(value) };
        if let Some(scatter) = declared.scatter {
            let start = self.value(node, ty, format!("{label} (scatter)"));
            match (scatter, before) {
                (Scatter::Sum(bits), Some(before)) => {
                    // Fixed point takes the place of floats word by word.
                    let before = self.whole(node, env, before)?;
                    self.push(node, env, Task::ToFixed(bits), vec![], vec![Write { port, ..go_on(start, before) }])?;
                }
                (Scatter::Sum(_), None) => self.push(node, env, Task::Fill(None), vec![], vec![write(start)])?,
                (Scatter::Min | Scatter::Max, _) => {
                    let word = empty_word(scatter == Scatter::Min, ty.value().scalar());
                    self.push(node, env, Task::FillWord(word), vec![], vec![write(start)])?;
                }
            }
            let value = self.value(node, ty, format!("{label} (scatter)"));
            writes.push(write_port(value, Some(start)));
            return Ok(value);
        }
        if declared.reduce.is_some() {
            let partial = self.partials(node, ty, format!("{label} (partial)"));
            writes.push(write_port(partial, None));
            return Ok(partial);
        }
        let value = self.value(node, ty, label);
        writes.push(write_port(value, before));
        Ok(value)
    }

    /// A value with its numbers as `f32`.
    fn whole(&mut self, node: NodeId, env: EnvId, value: ValueId) -> Result<ValueId, Problems> {
        let Some(source) = self.program.values.get(value).filter(|v| v.precision != Precision::F32) else {
            return Ok(value);
        };
        let copy = self.value(node, source.ty, source.label.clone());
        self.push(node, env, Task::Copy, vec![read(value)], vec![write(copy)])?;
        Ok(copy)
    }

    /// What follows the dispatch: converts the results to their final form.
    fn finish(
        &mut self,
        node: NodeId,
        env: EnvId,
        stage: &Stage,
        feeds: &[Feed],
        results: &mut [Feed],
    ) -> Result<(), Problems> {
        let index = self
            .program
            .ops
            .as_slice()
            .last()
            .and_then(|op| op.writes.iter().find(|w| self.is_index(stage, w)))
            .map(|w| w.value);
        for (port, declared) in stage.outputs().enumerate() {
            let ty = self.graph.nodes[node].outputs.get(port).copied().unwrap_or(WireType::FaceGrid);
            let label = format!("{}.{}", self.graph.nodes[node].path, declared.name);
            match &results[port] {
                Feed::Value(value) => {
                    let value = self.finish_value(node, env, (port, declared, ty), *value, label)?;
                    let watched = declared.expect.is_some() || stage.outputs().any(|port| port.tells(&declared.name));
                    if watched && !self.stops.first_watched.contains(&(node, port)) {
                        // For a node that repeats, the last iteration: one number per node and frame.
                        self.program.watches.retain(|(n, p, _)| (*n, *p) != (node, port));
                        self.program.watches.push((node, port, value));
                    }
                    results[port] = Feed::Value(value);
                }
                Feed::Set(set) if declared.is_summed_set() => {
                    let bits = declared.sum_bits().unwrap_or(0);
                    results[port] = Feed::Set(self.summed(node, env, (port, declared, bits), set.clone())?);
                }
                Feed::Set(_) if declared.change == Change::Filter || declared.change.reorders() => {
                    let input = stage.inputs().position(|p| p.name == declared.name);
                    if let (Some(index), Some(Feed::Set(before))) = (index, input.and_then(|i| feeds.get(i))) {
                        results[port] = Feed::Set(self.move_set(node, env, declared, before, index)?);
                    }
                }
                _ => {}
            }
        }
        // What a gather or a scatter filled is in the new order.
        let order = results.iter().find_map(|f| if let Feed::Set(set) = f { Some(set.order) } else { None });
        for feed in results.iter_mut().filter(|_| reorders(stage)) {
            if let (Feed::Neighbors(neighbors), Some(order)) = (feed, order) {
                neighbors.order = order;
            }
        }
        Ok(())
    }

    /// Whether a write is the index of a filter or a gather.
    fn is_index(&self, stage: &Stage, write: &Write) -> bool {
        let port = stage.outputs().nth(write.port);
        write.part == Part::Whole && port.is_some_and(|p| p.ty == PortType::Particles)
    }

    fn finish_value(
        &mut self,
        node: NodeId,
        env: EnvId,
        (port, declared, ty): (usize, &Port, WireType),
        value: ValueId,
        label: String,
    ) -> Result<ValueId, Problems> {
        let whole = ty.value().scalar() != Scalar::F32;
        let task = match (declared.scatter, declared.reduce) {
            // Integers need no conversion to fixed point or to ordered integers. But what updates a State may have to
            // be copied into memory of its own for another State, and adding cannot move it there.
            (Some(_), _) if whole && declared.direction == Direction::Out => return Ok(value),
            (Some(Scatter::Sum(bits)), _) => Task::FromFixed(bits),
            (Some(_), _) => Task::FromOrdered,
            (_, Some(reduction)) => {
                let result = self.value(node, ty, label);
                let task = Task::Reduce(reduction, ty.value());
                self.push(node, env, task, vec![read(value)], vec![Write { port, ..write(result) }])?;
                return Ok(result);
            }
            _ if declared.scan => {
                let cells =
                    self.graph.nodes[node].domain.and_then(|d| self.graph.domains.get(d)).map_or(1, |d| d.cells());
                return self.scan(node, env, value, cells, label);
            }
            _ if declared.connect => return self.connect(node, env, value, label),
            _ => return Ok(value),
        };
        let result = self.value(node, ty, label);
        self.push(node, env, task, vec![], vec![Write { port, ..go_on(result, value) }])?;
        Ok(result)
    }
}

fn reorders(stage: &Stage) -> bool {
    stage.outputs().any(|p| p.change.reorders())
}

/// The value of a cell that no particle reached: the maximum for `min`, the minimum for `max`. Floats are stored as
/// integers of the same order, see [`crate::builtin`].
fn empty_word(min: bool, scalar: Scalar) -> u32 {
    let float = f32::MAX.to_bits();
    match (scalar, min) {
        (Scalar::F32, true) => float,
        (Scalar::F32, false) => !float | 1 << 31,
        (Scalar::I32, true) => i32::MAX as u32,
        (Scalar::I32, false) => i32::MIN as u32,
        (Scalar::U32, true) => u32::MAX,
        (Scalar::U32, false) => 0,
    }
}
