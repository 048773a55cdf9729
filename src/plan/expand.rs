//! Iterations and groups unrolled into operations on values. A value is one version of a wire and is written once.
//! Only what a picture, a State that matters or a kept wire needs is expanded, so dead stages never appear.

use std::collections::{BTreeMap, HashMap};

use super::{Keep, PlanOptions};
use crate::graph::{Graph, Kind, Setting, Source};
use crate::problem::{Problem, Problems};
use crate::stage::Stage;
use crate::stage::header::{Direction, Reduction};
use crate::stage::types::{ValueType, WireType};

/// More dispatches than this are a slip of the pen (10,000 iterations in a group of 10,000).
const MAX_OPS: usize = 100_000;

pub type ValueId = usize;

/// One version of a wire.
#[derive(Clone, Debug)]
pub struct Value {
    pub ty: WireType,
    pub domain: Option<usize>,
    /// Dimensions of the space that a `Vec` of it lives in.
    pub dim: u32,
    pub label: String,
    pub bytes: u64,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Task {
    Stage,
    /// Every component of every element becomes the setting, or zero.
    Fill(Option<Setting>),
    Copy,
    /// Floats to fixed point with so many fraction bits, in place, and back.
    ToFixed(u32),
    FromFixed(u32),
    /// Partial results of a stage's workgroups to one.
    Reduce(Reduction, ValueType),
    /// An Image to a picture of bytes.
    Present {
        width: u32,
        height: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Write {
    /// Port that is written.
    pub port: usize,
    pub value: ValueId,
    /// The version it goes on from, for @inout.
    pub consumes: Option<ValueId>,
}

#[derive(Clone, Debug)]
pub struct Op {
    pub task: Task,
    pub node: usize,
    /// By input port: what it reads from memory. Settings and consumed versions are not among them.
    pub reads: Vec<(usize, ValueId)>,
    pub writes: Vec<Write>,
    pub iteration: u32,
    pub substep: u32,
    pub color: Option<u32>,
}

impl Op {
    /// Every value it reads, consumed ones included.
    pub fn inputs(&self) -> impl Iterator<Item = ValueId> + '_ {
        self.reads.iter().map(|(_, v)| *v).chain(self.writes.iter().filter_map(|w| w.consumes))
    }
}

/// The operations of a frame, or of a reset.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub values: Vec<Value>,
    pub ops: Vec<Op>,
    /// Last frame's value of each State that matters, by node.
    pub states: BTreeMap<usize, ValueId>,
    /// What each State becomes, by node.
    pub next: BTreeMap<usize, ValueId>,
    /// Values by `node.port`; the last version where a node repeats.
    pub wires: BTreeMap<String, ValueId>,
    /// Pictures by Output node, with their size.
    pub pictures: Vec<(usize, ValueId, u32, u32)>,
    /// Values that must outlive the frame.
    pub pinned: Vec<ValueId>,
}

/// What a port gets.
#[derive(Clone, Debug)]
enum Feed {
    Value(ValueId),
    Setting(Setting),
}

/// A scope at one repeat of its group.
struct Env {
    group: Option<usize>,
    parent: usize,
    iteration: u32,
    previous: usize,
}

struct Expander<'a> {
    graph: &'a Graph,
    program: Program,
    envs: Vec<Env>,
    stages: HashMap<(usize, usize), Vec<ValueId>>,
    groups: HashMap<(usize, usize), usize>,
}

const TOP: usize = 0;

/// The operations of a frame.
pub fn frame(graph: &Graph, options: &PlanOptions) -> Result<Program, Problems> {
    let mut expander = Expander::new(graph);
    for (index, node) in graph.nodes.iter().enumerate() {
        if let Kind::Output { size } = node.kind {
            expander.picture(index, options.size.or(size))?;
        }
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let ports = match &node.kind {
            Kind::Group(group) => group.outputs.len(),
            _ => node.outputs.len(),
        };
        let names = (0..ports).map(|port| format!("{}.{}", node.path, graph.port_name(index, port)));
        let wanted = match &options.keep {
            Keep::Needed => false,
            Keep::All => true,
            Keep::Wires(wires) => names.into_iter().any(|name| wires.contains(&name)),
        };
        if wanted {
            let env = expander.last_repeat(node.group)?;
            for port in 0..ports {
                expander.feed(&Source::Wire { node: index, port }, env)?;
            }
        }
    }
    expander.finish_states()?;
    let mut program = expander.program;
    program.pinned.extend(program.next.values());
    program.pinned.extend(program.pictures.iter().map(|p| p.1));
    let kept = |name: &String| match &options.keep {
        Keep::Needed => false,
        Keep::All => true,
        Keep::Wires(wires) => wires.contains(name),
    };
    program.pinned.extend(program.wires.iter().filter(|(name, _)| kept(name)).map(|(_, v)| *v));
    Ok(program)
}

/// The operations that give every State of a frame its start value.
pub fn reset(graph: &Graph, frame: &Program) -> Result<Program, Problems> {
    let mut expander = Expander::new(graph);
    for state in frame.states.keys().copied() {
        let node = &graph.nodes[state];
        let feed = match node.inputs.get(1).map(|i| &i.source) {
            Some(Source::Nothing) | None => node.params.first().cloned().map(Feed::Setting),
            Some(source) => {
                let env = expander.last_repeat(node.group)?;
                Some(expander.feed(source, env)?)
            }
        };
        if let Some(feed) = feed {
            expander.become_state(state, feed)?;
        }
    }
    let mut program = expander.program;
    program.pinned.extend(program.next.values());
    Ok(program)
}

impl<'a> Expander<'a> {
    fn new(graph: &'a Graph) -> Expander<'a> {
        let top = Env { group: None, parent: TOP, iteration: 0, previous: TOP };
        Expander { graph, program: Program::default(), envs: vec![top], stages: HashMap::new(), groups: HashMap::new() }
    }

    fn feed(&mut self, source: &Source, env: usize) -> Result<Feed, Problems> {
        let graph = self.graph;
        match source {
            Source::Setting(setting) => Ok(Feed::Setting(setting.clone())),
            Source::Wire { node, port } => match &graph.nodes[*node].kind {
                Kind::State(_) => Ok(Feed::Value(self.state(*node))),
                Kind::Group(group) => {
                    let last = self.group(*node, env)?;
                    let (name, inner) = group.outputs.get(*port).ok_or_else(|| broken(graph, *node))?;
                    let feed = self.feed(inner, last)?;
                    if let Feed::Value(value) = &feed {
                        self.program.wires.insert(format!("{}.{name}", graph.nodes[*node].path), *value);
                    }
                    Ok(feed)
                }
                _ => {
                    let outputs = self.stage(*node, env)?;
                    outputs.get(*port).copied().map(Feed::Value).ok_or_else(|| broken(graph, *node).into())
                }
            },
            Source::GroupInput { group, input } => {
                let here = &self.envs[env];
                let (iteration, parent, previous) = (here.iteration, here.parent, here.previous);
                debug_assert_eq!(here.group, Some(*group), "a group's input is read in its own scope");
                if let (Kind::Group(kind), true) = (&graph.nodes[*group].kind, iteration > 0)
                    && let Some(output) = kind.feedback(*input)
                {
                    return self.feed(output, previous);
                }
                let outer = graph.nodes[*group].inputs.get(*input).ok_or_else(|| broken(graph, *group))?;
                self.feed(&outer.source, parent)
            }
            Source::Nothing => Err(Problem::new("", "", "an unwired port was read", "check the graph first").into()),
        }
    }

    fn state(&mut self, node: usize) -> ValueId {
        if let Some(value) = self.program.states.get(&node) {
            return *value;
        }
        let entry = &self.graph.nodes[node];
        let ty = entry.outputs.first().copied().unwrap_or(WireType::Grid(ValueType::F32));
        let value = self.value(node, ty, format!("{}.value", entry.path));
        self.program.wires.insert(format!("{}.value", entry.path), value);
        self.program.states.insert(node, value);
        value
    }

    /// Unrolls a group and gives the scope of its last repeat.
    fn group(&mut self, node: usize, env: usize) -> Result<usize, Problems> {
        if let Some(last) = self.groups.get(&(node, env)) {
            return Ok(*last);
        }
        let graph = self.graph;
        let Kind::Group(group) = &graph.nodes[node].kind else { return Err(broken(graph, node).into()) };
        let mut previous = env;
        for iteration in 0..graph.nodes[node].iterations {
            if iteration > 0 {
                // In order, so that the last repeat does not recurse through all before it.
                for input in 0..group.inputs.len() {
                    if let Some(output) = group.feedback(input) {
                        self.feed(output, previous)?;
                    }
                }
            }
            self.envs.push(Env { group: Some(node), parent: env, iteration, previous });
            previous = self.envs.len() - 1;
        }
        self.groups.insert((node, env), previous);
        Ok(previous)
    }

    /// The scope in which a State, an Output or a kept wire inside groups is seen from outside: the last repeat of each.
    fn last_repeat(&mut self, group: Option<usize>) -> Result<usize, Problems> {
        match group {
            None => Ok(TOP),
            Some(group) => {
                let around = self.last_repeat(self.graph.nodes[group].group)?;
                self.group(group, around)
            }
        }
    }

    /// Unrolls a stage's iterations and gives its outputs.
    fn stage(&mut self, node: usize, env: usize) -> Result<Vec<ValueId>, Problems> {
        if let Some(outputs) = self.stages.get(&(node, env)) {
            return Ok(outputs.clone());
        }
        let graph = self.graph;
        let entry = &graph.nodes[node];
        let Kind::Stage(stage) = &entry.kind else { return Err(broken(graph, node).into()) };
        let mut reads = Vec::new();
        let mut versions = BTreeMap::new();
        for (index, (port, input)) in stage.inputs().zip(&entry.inputs).enumerate() {
            let feed = self.feed(&input.source, env)?;
            match (port.direction, feed) {
                (Direction::InOut, Feed::Value(value)) => drop(versions.insert(port.name.as_str(), value)),
                (Direction::InOut, Feed::Setting(setting)) => {
                    let ty = stage.outputs().position(|p| p.name == port.name).and_then(|i| entry.outputs.get(i));
                    let ty = *ty.ok_or_else(|| broken(graph, node))?;
                    let value = self.value(node, ty, format!("{}.{}", entry.path, port.name));
                    self.push(node, env, Task::Fill(Some(setting)), vec![], vec![write(value)])?;
                    versions.insert(port.name.as_str(), value);
                }
                (_, Feed::Value(value)) => reads.push((index, value)),
                (_, Feed::Setting(_)) => {}
            }
        }
        let mut outputs = Vec::new();
        let colors: &[Option<u32>] = if stage.header.checkerboard { &[Some(0), Some(1)] } else { &[None] };
        for iteration in 0..entry.iterations {
            for color in colors {
                outputs = self.repeat(node, env, stage, &reads, &mut versions, (iteration, *color))?;
            }
        }
        for (port, value) in outputs.iter().enumerate() {
            self.program.wires.insert(format!("{}.{}", entry.path, graph.port_name(node, port)), *value);
        }
        self.stages.insert((node, env), outputs.clone());
        Ok(outputs)
    }

    /// One dispatch of a stage, with what has to come before and after for scatter and reduction.
    fn repeat<'s>(
        &mut self,
        node: usize,
        env: usize,
        stage: &'s Stage,
        reads: &[(usize, ValueId)],
        versions: &mut BTreeMap<&'s str, ValueId>,
        (iteration, color): (u32, Option<u32>),
    ) -> Result<Vec<ValueId>, Problems> {
        let entry = &self.graph.nodes[node];
        let mut writes = Vec::new();
        let mut after = Vec::new();
        let mut results = Vec::new();
        for (port, (declared, ty)) in stage.outputs().zip(&entry.outputs).enumerate() {
            let label = format!("{}.{}", entry.path, declared.name);
            let mut consumes = versions.get(declared.name.as_str()).copied();
            if let Some(bits) = declared.scatter {
                let fixed = self.value(node, *ty, format!("{label} (fixed point)"));
                match consumes {
                    Some(before) => {
                        let from = Write { port, value: fixed, consumes: Some(before) };
                        self.push(node, env, Task::ToFixed(bits), vec![], vec![from])?;
                    }
                    None => self.push(node, env, Task::Fill(None), vec![], vec![write(fixed)])?,
                }
                consumes = Some(fixed);
                let summed = self.value(node, *ty, format!("{label} (fixed point)"));
                let result = self.value(node, *ty, label);
                writes.push(Write { port, value: summed, consumes });
                after.push((Task::FromFixed(bits), summed, Write { port, value: result, consumes: Some(summed) }));
                results.push(result);
            } else if let Some(reduction) = declared.reduce {
                let partial = self.partials(node, *ty, format!("{label} (partial)"));
                let result = self.value(node, *ty, label);
                writes.push(Write { port, value: partial, consumes: None });
                after.push((
                    Task::Reduce(reduction, ty.value()),
                    partial,
                    Write { port, value: result, consumes: None },
                ));
                results.push(result);
            } else {
                let value = self.value(node, *ty, label);
                writes.push(Write { port, value, consumes });
                results.push(value);
            }
        }
        let substep = self.envs.get(env).map_or(0, |e| e.iteration);
        self.program.ops.push(Op { task: Task::Stage, node, reads: reads.to_vec(), writes, iteration, substep, color });
        self.check_count()?;
        for (task, read, write) in after {
            let reads = if write.consumes.is_none() { vec![(0, read)] } else { vec![] };
            self.push(node, env, task, reads, vec![write])?;
        }
        for (declared, result) in stage.outputs().zip(&results) {
            if declared.direction == Direction::InOut {
                versions.insert(declared.name.as_str(), *result);
            }
        }
        Ok(results)
    }

    fn picture(&mut self, node: usize, size: Option<(u32, u32)>) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        let source = entry.inputs.first().map(|i| i.source.clone()).unwrap_or(Source::Nothing);
        let env = self.last_repeat(entry.group)?;
        let Feed::Value(image) = self.feed(&source, env)? else { return Err(broken(self.graph, node).into()) };
        let [x, y, _] = entry.domain.and_then(|d| self.graph.domains.get(d)).map_or([1; 3], |d| d.resolution);
        let (width, height) = size.unwrap_or((x, y));
        let picture = Value {
            ty: WireType::Grid(ValueType::U32),
            domain: None,
            dim: 2,
            label: format!("{} (picture)", entry.path),
            bytes: u64::from(width) * u64::from(height) * 4,
        };
        self.program.values.push(picture);
        let value = self.program.values.len() - 1;
        self.push(node, TOP, Task::Present { width, height }, vec![(0, image)], vec![write(value)])?;
        self.program.pictures.push((node, value, width, height));
        Ok(())
    }

    /// What every State that matters becomes. Following one may bring up others.
    fn finish_states(&mut self) -> Result<(), Problems> {
        while let Some(state) = self.program.states.keys().copied().find(|s| !self.program.next.contains_key(s)) {
            match self.graph.nodes[state].inputs.first().map(|i| &i.source) {
                Some(Source::Nothing) | None => {
                    let old = self.state(state);
                    self.program.next.insert(state, old);
                }
                Some(source) => {
                    let env = self.last_repeat(self.graph.nodes[state].group)?;
                    let feed = self.feed(source, env)?;
                    self.become_state(state, feed)?;
                }
            }
        }
        Ok(())
    }

    /// Makes a value the next one of a State, by a copy where another State holds it already.
    fn become_state(&mut self, state: usize, feed: Feed) -> Result<(), Problems> {
        let entry = &self.graph.nodes[state];
        let ty = entry.outputs.first().copied().unwrap_or(WireType::Grid(ValueType::F32));
        let label = format!("{}.value", entry.path);
        let next = match feed {
            Feed::Value(value) => {
                let own = self.program.states.get(&state) == Some(&value);
                let taken = self.program.next.values().any(|v| *v == value);
                let others = self.program.states.iter().any(|(s, v)| *s != state && *v == value);
                if own || !(taken || others) {
                    value
                } else {
                    let copy = self.value(state, ty, label);
                    self.push(state, TOP, Task::Copy, vec![(0, value)], vec![write(copy)])?;
                    copy
                }
            }
            Feed::Setting(setting) => {
                let value = self.value(state, ty, label);
                self.push(state, TOP, Task::Fill(Some(setting)), vec![], vec![write(value)])?;
                value
            }
        };
        self.program.next.insert(state, next);
        Ok(())
    }

    fn push(
        &mut self,
        node: usize,
        env: usize,
        task: Task,
        reads: Vec<(usize, ValueId)>,
        writes: Vec<Write>,
    ) -> Result<(), Problems> {
        let substep = self.envs.get(env).map_or(0, |e| e.iteration);
        self.program.ops.push(Op { task, node, reads, writes, iteration: 0, substep, color: None });
        self.check_count()
    }

    fn check_count(&self) -> Result<(), Problems> {
        if self.program.ops.len() <= MAX_OPS {
            return Ok(());
        }
        let cause = format!("the graph unrolls into over {MAX_OPS} dispatches a frame");
        Err(Problem::new("", "", cause, "lower the iterations of its stages and groups").into())
    }

    /// A new value of a node: on the node's domain, unless it is a number.
    fn value(&mut self, node: usize, ty: WireType, label: String) -> ValueId {
        let index = self.graph.nodes.get(node).and_then(|n| n.domain);
        let domain = index.and_then(|d| self.graph.domains.get(d));
        let dim = domain.map_or(2, |d| d.dim);
        let elements = domain.map_or(1, |d| d.elements(ty));
        // Resolutions are bounded, so this fits 64 bits; rounded up to the alignment of every type.
        let bytes = (elements * u64::from(ty.value().components(dim)) * 4).next_multiple_of(16);
        self.program.values.push(Value { ty, domain: index.filter(|_| ty.is_grid()), dim, label, bytes });
        self.program.values.len() - 1
    }

    /// One partial result for every workgroup of a stage.
    fn partials(&mut self, node: usize, ty: WireType, label: String) -> ValueId {
        let groups = super::kernel::groups(self.graph, node);
        let count: u64 = groups.iter().map(|g| u64::from(*g)).product();
        let dim = super::kernel::dim(self.graph, &self.graph.nodes[node]);
        self.program.values.push(Value { ty, domain: None, dim, label, bytes: count * 16 });
        self.program.values.len() - 1
    }
}

fn write(value: ValueId) -> Write {
    Write { port: 0, value, consumes: None }
}

/// A checked graph holds none of these; the sentence is for whoever breaks that.
fn broken(graph: &Graph, node: usize) -> Problem {
    let path = graph.nodes.get(node).map_or("", |n| n.path.as_str());
    Problem::new(path, "", "the node has no such output", "check the graph before it is compiled")
}
