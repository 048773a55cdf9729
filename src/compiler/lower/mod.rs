//! Unrolls iterations and groups into operations on values. A value is one version of a wire and is written once. Only
//! what an image, a needed State or a kept wire depends on is expanded, so dead stages never appear.

mod blocks;
mod dead;
mod fields;
mod inputs;
mod outside;
mod played;
mod sets;
mod stage;
mod states;
mod until;

pub(super) use outside::origin;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::arena::{Arena, Id};
use crate::cancel::Cancel;
use crate::graph::initial_values::{Behind, INIT};
use crate::graph::{DomainId, Graph, Kind, NodeId, Setting, Source};
use crate::ir::layout::{self, Layout};
use crate::ir::stored::Stored;
use crate::ir::{OWN, Op, Part, PictureValue, Program, Read, StageInstance, StateKey, Task, ValueId, WireValue, Write};
use crate::options::{Keep, Outputs, PlanOptions};
use crate::problem::{Problem, Problems};
use crate::stage::types::{Precision, ValueType, WireType};

/// A graph with more dispatches is probably a mistake (10,000 iterations in a group of 10,000).
const MAX_OPS: usize = 100_000;
/// Limit of iterations of groups; those of nested groups count each time.
const MAX_REPEATS: usize = 200_000;

/// The value of a port.
#[derive(Clone, Debug)]
enum Feed {
    Value(ValueId),
    Setting(Setting),
    Set(Set),
    Neighbors(Neighbors),
    Field(Rc<FieldFeed>),
}

/// A particle set: its values, and a number that changes when particles change their order.
#[derive(Clone, Debug)]
struct Set {
    count: ValueId,
    /// Most stages pass them on unchanged.
    attributes: Rc<BTreeMap<Arc<str>, ValueId>>,
    room: Room,
    order: usize,
}

/// Capacity and domain.
#[derive(Clone, Copy, Debug)]
struct Room {
    capacity: u32,
    domain: DomainId,
}

/// A neighbour grid, and the order of the particles that it was filled from.
#[derive(Clone, Debug)]
struct Neighbors {
    start: ValueId,
    items: Option<ValueId>,
    order: usize,
}

/// A field stage and the values of its inputs.
#[derive(Clone, Debug)]
struct FieldFeed {
    node: NodeId,
    inputs: Vec<Feed>,
}

type EnvId = Id<Env>;

/// A scope in one iteration of its group.
struct Env {
    group: Option<NodeId>,
    parent: EnvId,
    iteration: u32,
    previous: EnvId,
    /// The gate that decides whether it runs.
    gate: Option<ValueId>,
}

struct Expander<'a> {
    graph: &'a Graph,
    program: Program,
    envs: Arena<Env>,
    stages: HashMap<(NodeId, EnvId), Vec<Feed>>,
    groups: HashMap<(NodeId, EnvId), EnvId>,
    /// The values of a group's inputs, by scope and input.
    group_inputs: HashMap<(EnvId, usize), Feed>,
    /// Number nodes that are in memory because a group outputs or updates them: by group, port, and whether that is an
    /// output.
    numbers: HashMap<(NodeId, usize, bool), ValueId>,
    /// States, or parts of them, whose next value is not known yet.
    waiting: BTreeSet<StateKey>,
    /// Values that a State holds or becomes.
    claimed: HashSet<ValueId>,
    files: Behind,
    /// Field stages that are validated separately.
    probed: HashSet<NodeId>,
    /// Fields that operations have inlined so far.
    inlined: usize,
    cancel: Cancel,
    /// Stages and groups whose inputs are being expanded; reaching one again is a cycle through a group that repeats.
    open: HashSet<(NodeId, EnvId)>,
    /// States of particles that have been requested.
    sets: HashMap<NodeId, Set>,
    /// The latest outputs of stages and groups, by node and port: the wires that have a name.
    latest_outputs: BTreeMap<(NodeId, usize), Feed>,
    /// Number of orders used so far.
    orders: usize,
    /// Tables of blocks, by the grid that they were found in, their domain and the gate behind which they are.
    blocks: HashMap<(ValueId, DomainId, Option<ValueId>), ValueId>,
    /// Prefix sums, with the total behind them.
    totals: HashSet<ValueId>,
    stops: until::Stops,
    outside: outside::Outside,
    /// Wires that come from there.
    from_outside: HashMap<(NodeId, usize), Feed>,
}

const TOP: EnvId = EnvId::new(0);

/// The operations of a frame.
pub(super) fn frame(graph: &Graph, options: &PlanOptions) -> Result<Program, Problems> {
    let mut expander = Expander::new(graph, options);
    expander.outside = outside::Outside::new(graph, options);
    for (index, node) in graph.outputs().into_iter().filter_map(|index| Some((index, graph.nodes.get(index)?))) {
        let wanted = match &options.outputs {
            Outputs::All => true,
            Outputs::First => expander.program.pictures.is_empty(),
            Outputs::One(name) => *name == node.path,
            Outputs::None => false,
        };
        if wanted {
            expander.picture(index, options.size.or_else(|| graph.image_size(node)))?;
        }
    }
    let start_only = graph.start_only();
    let read = graph.read_of_files();
    for (index, node) in graph.nodes.entries() {
        let ports = match &node.kind {
            Kind::Group(group) => group.outputs.len(),
            _ => node.outputs.len(),
        };
        let wanted = match &options.keep {
            Keep::Needed => false,
            Keep::All | Keep::Versions => !start_only[index],
            // The node, a wire of it, or a part of one; what is not kept is dropped again.
            Keep::Wires(wires) => {
                let kept = wires.iter().any(|w| w.strip_prefix(&node.path).is_some_and(is_part));
                kept || graph.is_sampled_field(index)
            }
        };
        let wanted = wanted && expander.outside.runs(index);
        let watched = match &node.kind {
            // A reset watches what gives a State its first value: in later frames it would be another number.
            _ if !expander.outside.runs(index) || start_only[index] => false,
            kind => expects(kind),
        };
        if node.file.is_some() {
            // The other output would have a reason to fail: a mesh has no colours, a photograph no shape.
            let name = |port| format!("{}.{}", node.path, graph.port_name(index, port));
            let named = |port| match &options.keep {
                Keep::Wires(wires) => wires.contains(&name(port)),
                _ => false,
            };
            for port in (0..ports).filter(|port| named(*port) || wanted && read.contains(&(index, *port))) {
                expander.show(index, port)?;
            }
        } else if wanted {
            for port in 0..ports {
                expander.show(index, port)?;
            }
            expander.show_repeats(index)?;
        }
        if watched {
            (0..ports).try_for_each(|port| expander.watch(index, port))?;
        }
    }
    expander.finish_states()?;
    expander.name_wires();
    expander.name_what_leaves();
    let kept = |name: &str| match &options.keep {
        Keep::Needed => false,
        Keep::All | Keep::Versions => true,
        Keep::Wires(wires) => wires.iter().any(|w| name.strip_prefix(w.as_str()).is_some_and(is_part)),
    };
    expander.hold_parts(kept)?;
    let mut program = expander.program;
    program.pinned.extend(program.next.values());
    program.pinned.extend(program.pictures.iter().map(|picture| picture.value));
    // What is seen of a State is its next value, so the last one need not outlive its readers.
    let before: BTreeSet<ValueId> = program.states.values().copied().collect();
    let seen = program.wires.iter().filter(|(name, value)| kept(name) && !before.contains(value));
    program.pinned.extend(seen.map(|(_, value)| *value));
    program.kept = program.wires.keys().filter(|name| kept(name)).cloned().collect();
    // Those that a reset watches, where a wire before them is viewed.
    program.watches.retain(|(node, _, _)| !start_only[*node]);
    program.pinned.extend(program.watches.iter().map(|w| w.2));
    program.versions = options.keep == Keep::Versions;
    program.drop_dead();
    Ok(program)
}

/// Whether a stage says in which range a number should stay.
fn expects(kind: &Kind) -> bool {
    matches!(kind, Kind::Stage(stage) if stage.outputs().any(|port| port.expect.is_some()))
}

/// Whether the rest of a name is that of a part.
fn is_part(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('.')
}

/// The operations that give every State of a frame its initial value.
pub(super) fn reset(graph: &Graph, frame: &Program, options: &PlanOptions) -> Result<Program, Problems> {
    let mut expander = Expander::new(graph, options);
    // What comes from outside has no start.
    let inner_states = frame.states.keys().filter(|(_, part)| !matches!(part, Part::Outside(..)));
    let states: BTreeSet<NodeId> = inner_states.map(|(node, _)| *node).collect();
    for state in states {
        let node = &graph.nodes[state];
        if node.file.is_some() {
            continue;
        }
        let feed = match node.inputs.get(INIT).map(|i| &i.source) {
            Some(Source::Nothing) | None => node.params.first().cloned().map(Feed::Setting),
            Some(source) => Some(expander.seen(source, node.group)?),
        };
        expander.become_state(state, feed)?;
    }
    expander.watch_start()?;
    let mut program = expander.program;
    program.pinned.extend(program.watches.iter().map(|w| w.2));
    // Only States that the frame has memory for.
    program.next.retain(|key, _| frame.states.contains_key(key));
    program.pinned.extend(program.next.values());
    program.drop_dead();
    Ok(program)
}

impl<'a> Expander<'a> {
    fn new(graph: &'a Graph, options: &PlanOptions) -> Expander<'a> {
        let top = Env { group: None, parent: TOP, iteration: 0, previous: TOP, gate: None };
        Expander {
            graph,
            program: Program::default(),
            envs: Arena::from(vec![top]),
            stages: HashMap::new(),
            groups: HashMap::new(),
            group_inputs: HashMap::new(),
            numbers: HashMap::new(),
            waiting: BTreeSet::new(),
            claimed: HashSet::new(),
            files: Behind::default(),
            probed: HashSet::new(),
            inlined: 0,
            cancel: options.cancel.clone(),
            open: HashSet::new(),
            sets: HashMap::new(),
            latest_outputs: BTreeMap::new(),
            orders: 0,
            totals: HashSet::new(),
            blocks: HashMap::new(),
            stops: until::Stops::default(),
            outside: outside::Outside::default(),
            from_outside: HashMap::new(),
        }
    }

    fn feed(&mut self, source: &Source, env: EnvId) -> Result<Feed, Problems> {
        let graph = self.graph;
        match source {
            Source::Setting(setting) => Ok(Feed::Setting(setting.clone())),
            Source::Wire { node, port } if self.outside.has(*node, *port) => self.outside(*node, *port),
            Source::Wire { node, port } => match &graph.nodes[*node].kind {
                Kind::State(_) if graph.nodes[*node].file.is_some() => self.file(*node, *port),
                Kind::State(_) => Ok(self.state(*node)),
                Kind::Group(_) if graph.counts_repeats(source) => self.repeats(*node, env),
                Kind::Group(group) => {
                    let (name, inner) = group.outputs.get(*port).ok_or_else(|| broken(graph, *node))?;
                    // A State's value exists before any iteration.
                    let held =
                        matches!(inner, Source::Wire { node, .. } if matches!(graph.nodes[*node].kind, Kind::State(_)));
                    let feed = match held {
                        true => self.feed(inner, env)?,
                        false => self.leaving(*node, *port, env)?,
                    };
                    let feed = self.in_memory(feed, (*node, *port, true), name)?;
                    self.latest_outputs.insert((*node, *port), feed.clone());
                    Ok(feed)
                }
                _ => {
                    let outputs = self.stage(*node, env)?;
                    outputs.get(*port).cloned().ok_or_else(|| broken(graph, *node).into())
                }
            },
            Source::GroupInput { group, input } => {
                if let Some(feed) = self.group_inputs.get(&(env, *input)) {
                    return Ok(feed.clone());
                }
                let feed = self.group_input(*group, *input, env)?;
                self.group_inputs.insert((env, *input), feed.clone());
                Ok(feed)
            }
            Source::Nothing => Err(Problem::new("", "", "an unwired port was read", "check the graph first").into()),
        }
    }

    /// Registers the wires by name. For one that is computed in every iteration of a group, the last version is used.
    fn name_wires(&mut self) {
        for ((node, port), feed) in std::mem::take(&mut self.latest_outputs) {
            if self.outside.has(node, port) {
                continue;
            }
            self.name(&self.graph.wire_name(node, port), &feed);
        }
    }

    /// Registers a wire by name, part by part.
    fn name(&mut self, name: &str, feed: &Feed) {
        let wires = &mut self.program.wires;
        match feed {
            Feed::Value(value) => drop(wires.insert(name.to_string(), *value)),
            Feed::Set(set) => {
                wires.insert(format!("{name}.count"), set.count);
                wires.extend(set.attributes.iter().map(|(attribute, v)| (format!("{name}.{attribute}"), *v)));
            }
            Feed::Neighbors(neighbors) => drop(wires.insert(format!("{name}.start"), neighbors.start)),
            Feed::Setting(_) | Feed::Field(_) => {}
        }
    }

    /// Stops when the compilation was cancelled.
    fn check_cancel(&self) -> Result<(), Problems> {
        if self.cancel.is_cancelled() { Err(crate::options::cancelled()) } else { Ok(()) }
    }

    /// Wires that leave a group and return to it are a cycle only if the group repeats.
    fn enter(&mut self, node: NodeId, env: EnvId) -> Result<(), Problem> {
        if self.open.insert((node, env)) {
            return Ok(());
        }
        let entry = &self.graph.nodes[node];
        let group = if matches!(entry.kind, Kind::Group(_)) { Some(node) } else { entry.group };
        let path = group.and_then(|group| self.graph.nodes.get(group)).map_or(&entry.path, |group| &group.path);
        let cause = "the group iterates, and depends on its own output through nodes outside";
        let remedy = "move these nodes into the group, or add a State in between";
        Err(Problem::new(path, "iterations", cause, remedy))
    }

    /// Unrolls a group; returns the scope of its last iteration.
    fn group(&mut self, node: NodeId, env: EnvId) -> Result<EnvId, Problems> {
        if let Some(last) = self.groups.get(&(node, env)) {
            return Ok(*last);
        }
        let graph = self.graph;
        let Kind::Group(group) = &graph.nodes[node].kind else { return Err(broken(graph, node).into()) };
        self.check_repeats(node)?;
        self.enter(node, env)?;
        let until = graph.nodes[node].until.as_ref();
        let (mut previous, mut gate) = (env, self.gate(env));
        for iteration in 0..graph.nodes[node].iterations {
            self.check_cancel()?;
            if iteration > 0 {
                // In order, so that the last iteration does not recurse through all before it.
                for input in 0..group.inputs.len() {
                    if let Some(output) = group.feedback(input) {
                        self.feed(output, previous)?;
                    }
                }
            }
            if let Some(until) = until.filter(|until| iteration > 0 && iteration % until.every == 0) {
                gate = Some(self.test(node, previous, gate, until)?);
            }
            previous = self.envs.push(Env { group: Some(node), parent: env, iteration, previous, gate });
        }
        if let Some(until) = until {
            self.count_repeats(node, env, gate, until)?;
        }
        self.groups.insert((node, env), previous);
        self.open.remove(&(node, env));
        Ok(previous)
    }

    /// Rejects too many iterations before they are unrolled.
    fn check_repeats(&self, node: NodeId) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        let (made, more) = (self.envs.len(), entry.iterations as usize);
        if made + more <= MAX_REPEATS {
            return Ok(());
        }
        let cause = format!(
            "the groups have more than {MAX_REPEATS} iterations per frame in total: {} before this one, which adds {more}",
            made - 1
        );
        Err(Problem::new(&entry.path, "iterations", cause, "lower its iterations, or those of the groups around it")
            .into())
    }

    fn picture(&mut self, node: NodeId, size: Option<(u32, u32)>) -> Result<(), Problems> {
        let entry = &self.graph.nodes[node];
        let source = entry.inputs.first().map(|i| i.source.clone()).unwrap_or(Source::Nothing);
        let Feed::Value(image) = self.seen(&source, entry.group)? else { return Err(broken(self.graph, node).into()) };
        let (width, height) = size.unwrap_or((1, 1));
        let bytes = u64::from(width) * u64::from(height) * 4;
        let label = format!("{} (picture)", entry.path);
        let value = self.add(WireValue::new(WireType::Grid(ValueType::U32), label, bytes));
        self.push(node, TOP, Task::Present { width, height }, vec![read(image)], vec![write(value)])?;
        self.program.pictures.push(PictureValue { node, value, width, height });
        Ok(())
    }

    fn push(
        &mut self,
        node: NodeId,
        env: EnvId,
        task: Task,
        reads: Vec<Read>,
        writes: Vec<Write>,
    ) -> Result<(), Problems> {
        let substep = self.envs.get(env).map_or(0, |e| e.iteration);
        let (stages, gate) = (Arena::from(vec![StageInstance::own(node)]), self.gate(env));
        self.program.ops.push(Op { substep, gate, ..Op::new(task, node, reads, stages, writes) });
        self.check_count()
    }

    fn check_count(&self) -> Result<(), Problems> {
        if self.program.ops.len() <= MAX_OPS {
            return self.check_cancel();
        }
        let cause = format!("the graph unrolls into more than {MAX_OPS} dispatches per frame");
        Err(Problem::new("", "", cause, "lower the iterations of its stages and groups").into())
    }

    fn add(&mut self, value: WireValue) -> ValueId {
        self.program.values.push(value)
    }

    /// A new value of a node: on the node's domain, unless it is a number.
    fn value(&mut self, node: NodeId, ty: WireType, label: String) -> ValueId {
        let index = self.graph.nodes.get(node).and_then(|n| n.domain);
        let domain = index.and_then(|d| self.graph.domains.get(d));
        let dim = domain.map_or(2, |d| d.dim);
        let elements = domain.map_or(1, |d| d.elements(ty));
        let requested = self.graph.nodes.get(node).map_or(Precision::F32, |n| n.precision);
        let precision = layout::precision(ty, requested);
        // Resolutions are limited, so this fits into 64 bits; rounded up to the alignment of every type. Wires of one type
        // have one size, whoever made them, as States, repeats and copies pass them on: each has room for a total.
        let total = u64::from(ty == WireType::Grid(ValueType::U32));
        let bytes = ((Layout::new(ty, dim, precision).words(elements) + total) * 4).next_multiple_of(16);
        let domain = index.filter(|_| ty.is_grid());
        let stored = Stored { domain, dim, precision, ..Stored::number(ty) };
        self.add(WireValue { stored, ..WireValue::new(ty, label, bytes) })
    }

    /// One partial result for every workgroup of a stage.
    fn partials(&mut self, node: NodeId, ty: WireType, label: String) -> ValueId {
        let groups = crate::ir::workgroups::groups(self.graph, node);
        let count: u64 = groups.iter().map(|g| u64::from(*g)).product();
        let dim = self.graph.dim(&self.graph.nodes[node]);
        let stored = Stored { dim, ..Stored::number(ty) };
        self.add(WireValue { stored, ..WireValue::new(ty, label, count * 16) })
    }
}

fn write(value: ValueId) -> Write {
    Write::whole(value)
}

impl Write {
    fn from(self, consumes: Option<ValueId>) -> Write {
        Write { consumes, ..self }
    }
}

/// A write that updates another version.
fn go_on(value: ValueId, from: ValueId) -> Write {
    Write { consumes: Some(from), ..write(value) }
}

fn read(value: ValueId) -> Read {
    Read { stage: OWN, port: 0, part: Part::Whole, value }
}

/// A checked graph never causes this; the message is for developers.
fn broken(graph: &Graph, node: NodeId) -> Problem {
    let path = graph.nodes.get(node).map_or("", |n| n.path.as_str());
    Problem::new(path, "", "the node has no such output", "check the graph before it is compiled")
}
