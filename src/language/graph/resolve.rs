//! Resolves types and domains and detects cycles: what every wire carries, and where every stage runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::carry::{Border, Carried, Carry, Resolver};
use super::fits::{bound, port_type, remedy, takes};
use super::initial_values::Behind;
use super::limits;
use super::numbers::Table;
use super::values::{self, Setting};
use super::{DomainId, Graph, Input, Kind, NodeId, Source, precision, sets};
use crate::problem::{Problem, Problems};
use crate::stage::header::{Change, Direction, Port};
use crate::stage::types::{Element, PortType, ValueType, WireType};
use crate::stage::{IterationSource, Stage};

pub(super) fn resolve(graph: &mut Graph, numbers: &Table, problems: &mut Problems) {
    sets::begin(graph);
    let mut resolver = Resolver {
        done: graph.nodes.table(None),
        opened: graph.nodes.table(false),
        open: Vec::new(),
        carries: HashMap::new(),
        followed: BTreeSet::new(),
        graph,
        numbers,
        problems,
    };
    for node in resolver.graph.nodes.ids() {
        resolver.node(node);
    }
    resolver.states();
    precision::check(resolver.graph, resolver.problems);
    resolver.groups();
    resolver.outputs();
    resolver.settings();
    resolver.forks();
    resolver.wired();
    resolver.own_cells();
    resolver.idle_blocks();
}

impl Resolver<'_> {
    /// Determines what a node's outputs carry. Only stages take work; other kinds declare it.
    fn node(&mut self, node: NodeId) -> bool {
        if let Some(resolved) = self.done[node] {
            return resolved;
        }
        if self.opened[node] {
            self.cycle(node);
            return false;
        }
        self.opened[node] = true;
        self.open.push(node);
        let resolved = match self.graph.nodes[node].kind.clone() {
            Kind::Stage(stage) => self.stage(node, &stage),
            Kind::State(ty) => {
                if self.graph.nodes[node].file.is_none() {
                    self.graph.nodes[node].outputs = vec![ty];
                }
                let path = self.graph.nodes[node].path.clone();
                let domain = match ty {
                    WireType::Number(_) => None,
                    _ => self.graph.nodes[node].domain.or_else(|| self.only_domain(&path)),
                };
                self.graph.nodes[node].domain = domain;
                if let (Some(set), Some(domain)) = (&mut self.graph.nodes[node].set, domain) {
                    set.domain = domain;
                }
                domain.is_some() || ty.is_number()
            }
            Kind::Group(_) | Kind::Number | Kind::Output { .. } => true,
            Kind::Broken => false,
        };
        self.open.pop();
        self.opened[node] = false;
        self.done[node] = Some(resolved);
        resolved
    }

    fn cycle(&mut self, node: NodeId) {
        let start = self.open.iter().position(|n| *n == node).unwrap_or(0);
        let path = |n: &NodeId| self.graph.nodes[*n].path.clone();
        let mut names: Vec<String> = self.open[start..].iter().map(path).collect();
        // Reported once, starting at the first name, wherever the traversal entered the cycle.
        let smallest = (0..names.len()).min_by_key(|i| names[*i].clone()).unwrap_or(0);
        names.rotate_left(smallest);
        let first = names.first().cloned().unwrap_or_default();
        names.push(first.clone());
        names.reverse();
        let cause = format!("the wires form a cycle: {}", limits::way(&names));
        self.problems.push(Problem::new(
            &first,
            "",
            cause,
            "add a State here, which holds the value of the previous frame",
        ));
    }

    fn only_domain(&mut self, path: &str) -> Option<DomainId> {
        if let Some(single) = self.graph.single_domain(path) {
            return Some(single);
        }
        let candidates = self.graph.domains_seen(path).filter(|(_, domain)| !domain.derived());
        let names: Vec<&str> = candidates.map(|(_, domain)| domain.name.as_str()).collect();
        let (cause, remedy) = match names.is_empty() {
            true => ("there is no domain to run over".to_string(), "add a Domain node".to_string()),
            false => ("cannot infer the domain".into(), format!("set `on` to one of: {}", names.join(", "))),
        };
        self.problems.push(Problem::new(path, "on", cause, remedy));
        None
    }

    pub(super) fn carried(&mut self, source: &Source) -> Carried {
        match source {
            Source::Wire { node, port } => {
                if !self.node(*node) {
                    return None;
                }
                let target = &self.graph.nodes[*node];
                if matches!(target.kind, Kind::Group(_)) {
                    return self.border(Border::Output(*node, *port));
                }
                let ty = *target.outputs.get(*port)?;
                let set = target.set_of(*port).cloned().filter(|_| ty == WireType::Particles);
                if set.is_none() && ty == WireType::Particles && target.file.is_some() {
                    let cause = "no State says which attributes the particles of the file have, and how many fit";
                    let remedy = "connect them to a State's `init`, through stages or directly";
                    self.problems.push(Problem::new(&target.path, "particles", cause, remedy));
                    return None;
                }
                let domain = set.as_ref().map(|s| s.domain).or(target.domain).filter(|_| !ty.is_number());
                Some(Carry { ty, domain, set })
            }
            Source::GroupInput { group, input } => self.border(Border::Input(*group, *input)),
            Source::Setting(setting) => Some(Carry { ty: WireType::Number(setting.ty), domain: None, set: None }),
            Source::Nothing => None,
        }
    }

    fn stage(&mut self, node: NodeId, stage: &Stage) -> bool {
        let path = self.graph.nodes[node].path.clone();
        let inputs: Vec<Input> = self.graph.nodes[node].inputs.clone();
        let mut generics = BTreeMap::new();
        let mut domains = BTreeMap::new();
        let mut resolved = true;
        let mut sets = BTreeMap::new();
        for (port, input) in stage.inputs().zip(&inputs) {
            if matches!(input.source, Source::Setting(_)) {
                continue;
            }
            if matches!((&input.source, &port.change), (Source::Nothing, Change::Emit(_))) {
                match self.first_set(node, port) {
                    Some(set) => drop(sets.insert(port.name.as_str(), set)),
                    None => resolved = false,
                }
                continue;
            }
            match self.carried(&input.source) {
                Some(carry) => {
                    resolved &= self.unify(&path, port, &carry, &mut generics);
                    if let Some(domain) = carry.domain {
                        domains.insert(port.name.as_str(), domain);
                    }
                    sets.extend(carry.set.map(|set| (port.name.as_str(), set)));
                }
                None => resolved = false,
            }
        }
        domains.extend(sets.iter().map(|(name, set)| (*name, set.domain)));
        if !resolved || !self.attributes(&path, stage, &sets) {
            return false;
        }
        let Some(run) = self.run_domain(&path, node, stage, &domains) else { return false };
        let run = run.map(|run| self.sliced(run, stage, &domains));
        let entry = &mut self.graph.nodes[node];
        entry.domain = run;
        self.check_domains(&path, stage, run, &domains);
        self.bind_constants(node, stage, &mut generics);
        let outputs = stage.outputs().filter_map(|port| bound(port.ty, &generics)).collect();
        let entry = &mut self.graph.nodes[node];
        entry.outputs = outputs;
        entry.generics = generics;
        entry.set =
            sets::written(stage, &sets, false).or_else(|| stage.set().and_then(|p| sets.get(p.name.as_str()).cloned()));
        entry.summed = sets::written(stage, &sets, true);
        self.check_blocks(node)
    }

    /// Checks a wire against the port that it is connected to.
    fn unify(&mut self, path: &str, port: &Port, carry: &Carry, generics: &mut BTreeMap<char, ValueType>) -> bool {
        let ty = carry.ty;
        let dim = carry.domain.and_then(|d| self.graph.domains.get(d)).map_or(2, |d| d.dim);
        let fits = match (port.ty, ty) {
            (PortType::Particles, WireType::Particles) | (PortType::NeighborGrid, WireType::NeighborGrid) => true,
            (PortType::Grid(element @ Element::Generic(letter)), WireType::Grid(v))
            | (PortType::Field(element @ Element::Generic(letter)), WireType::Field(v)) => {
                element.takes(v) && *generics.entry(letter).or_insert(v) == v
            }
            // Walls do not reflect a field's vectors, so a `Vec` is any vector with the same number of components.
            (PortType::Field(Element::Fixed(a)), WireType::Field(b)) => {
                a == b || (a.components(dim) == b.components(dim) && a.scalar() == b.scalar())
            }
            (PortType::Grid(Element::Fixed(a)), WireType::Grid(b)) => a == b,
            (PortType::Number(Element::Fixed(a)), WireType::Number(b)) => a == b,
            (PortType::FaceGrid, WireType::FaceGrid) => true,
            _ => false,
        };
        if fits {
            return true;
        }
        let wanted = match port.ty {
            PortType::Grid(Element::Generic(letter))
                if generics.contains_key(&letter) && ty.is_grid() && ty != WireType::FaceGrid =>
            {
                let bound = generics.get(&letter).map_or("?", |v| v.name());
                format!("Grid<{bound}>, as another input has it")
            }
            other => other.to_string(),
        };
        let remedy = remedy(port.ty, ty, generics);
        self.problems.push(Problem::new(
            path,
            &port.name,
            format!("the wire carries {}, the port takes {wanted}", carry.name()),
            remedy,
        ));
        false
    }

    fn run_domain(
        &mut self,
        path: &str,
        node: NodeId,
        stage: &Stage,
        domains: &BTreeMap<&str, DomainId>,
    ) -> Option<Option<DomainId>> {
        let header = &stage.header;
        let declared_domain = self.graph.nodes[node].domain;
        match stage.source() {
            IterationSource::Particles => {
                let set = stage.set().and_then(|p| domains.get(p.name.as_str()).copied());
                let like = header.ports.iter().filter_map(|p| p.like.as_deref()).find_map(|l| domains.get(l).copied());
                return declared_domain.or(like).or(set).map(Some);
            }
            IterationSource::Positions if declared_domain.is_none() => {
                // Only the number of dimensions matters, which its inputs have.
                let first = stage.inputs().find_map(|p| domains.get(p.name.as_str()).copied());
                return match first.or(self.graph.any_domain(path)) {
                    Some(domain) => Some(Some(domain)),
                    None => self.only_domain(path).map(Some),
                };
            }
            _ => {}
        }
        let touches_grids = header.ports.iter().any(|p| p.ty.is_grid());
        if header.once && !touches_grids {
            // It needs no cells, but a `Vec` has as many components as the space has dimensions.
            let read = stage.inputs().find_map(|p| domains.get(p.name.as_str()).copied());
            let spatial = header.params.iter().any(|p| p.ty.value() == ValueType::Vec)
                || ["Vec", "Cell", "DIM", "FACES"].iter().any(|word| stage.names(word));
            return match declared_domain.or(read).or(self.graph.any_domain(path)) {
                None if spatial => self.only_domain(path).map(Some),
                domain => Some(domain),
            };
        }
        let by_name = |name: &String| domains.get(name.as_str()).copied();
        let inout = header.ports.iter().filter(|p| p.direction == Direction::InOut).find_map(|p| by_name(&p.name));
        // Cells of a table are none of the stage's, unless it runs once and has no others.
        let grids = |tables: bool| stage.inputs().filter(move |p| p.ty.is_grid() && p.table == tables);
        let first = grids(false).find_map(|p| by_name(&p.name));
        let first = first.or_else(|| grids(true).filter(|_| header.once).find_map(|p| by_name(&p.name)));
        let like = header.ports.iter().filter_map(|p| p.like.as_ref()).find_map(by_name);
        let halved = header.ports.iter().any(|p| p.half);
        let like = if halved { like.and_then(|finer| self.graph.half(finer)) } else { like };
        let over = header.over.as_ref().and_then(by_name);
        let wired = like.or(over).or(inout).or(first);
        // A group's `on` does not hold on domains of its inside, such as the levels of a multigrid cycle.
        let inside = wired.filter(|wired| self.graph.inside(node, *wired));
        match inside.or(self.graph.nodes[node].domain).or(wired) {
            Some(domain) => Some(Some(domain)),
            None => self.only_domain(path).map(Some),
        }
    }

    /// A stage's domain is cut into slices where it requests them, or reads wires by cell that are on such a domain.
    fn sliced(&mut self, run: DomainId, stage: &Stage, domains: &BTreeMap<&str, DomainId>) -> DomainId {
        if let Some(into) = stage.outputs().find_map(|p| p.slices) {
            return self.graph.slices(run, into).unwrap_or(run);
        }
        let by_cell = stage.inputs().filter(|p| p.ty.is_grid() && !p.table && stage.calls(&p.name));
        let whole = self.graph.domains.get(run);
        let of = |domain: &DomainId| {
            let sliced = self.graph.domains.get(*domain).filter(|d| whole.is_some_and(|whole| d.finer == whole.finer));
            sliced.and_then(|d| d.sliced).is_some_and(|s| s.domain == run)
        };
        by_cell.filter_map(|p| domains.get(p.name.as_str()).copied()).find(of).unwrap_or(run)
    }

    /// Wires can be read cell by cell only on the stage's own domain; others are read by position.
    fn check_domains(&mut self, path: &str, stage: &Stage, run: Option<DomainId>, domains: &BTreeMap<&str, DomainId>) {
        let Some(run) = run else { return };
        for port in stage.inputs().filter(|p| p.ty.is_grid() && !p.table) {
            let Some(domain) = domains.get(port.name.as_str()).copied().filter(|d| *d != run) else { continue };
            let (here, there) = (&self.graph.domains[run], &self.graph.domains[domain]);
            let cells = |d: &super::Domain| {
                d.resolution.iter().take(d.dim as usize).map(u32::to_string).collect::<Vec<_>>().join("x")
            };
            let face = format!("{}_face", port.name);
            if port.direction == Direction::InOut || stage.calls(&port.name) || stage.calls(&face) {
                let cause = format!(
                    "the wire is on domain `{}` ({}), the stage runs over `{}` ({})",
                    there.name,
                    cells(there),
                    here.name,
                    cells(here)
                );
                let (name, on) = (&port.name, &there.name);
                let remedy = match port.ty.is_array() {
                    true => format!("read it with `{name}_at(position, i)`, or set `on` to `{on}`"),
                    false => format!(
                        "read it with `{name}_at(position)`, resample it with grid/resample, or set `on` to `{on}`"
                    ),
                };
                self.problems.push(Problem::new(path, &port.name, cause, remedy));
            }
        }
    }

    /// Gives unwired generic inputs the bound type, and gives letters that no wire binds the type of the constant.
    fn bind_constants(&mut self, node: NodeId, stage: &Stage, generics: &mut BTreeMap<char, ValueType>) {
        let dim = self.dim(node);
        for (port, input) in stage.inputs().zip(&mut self.graph.nodes[node].inputs) {
            let Source::Setting(setting) = &mut input.source else { continue };
            let Some(Element::Generic(letter)) = port.ty.element() else { continue };
            let formula = self.numbers.formula(&setting.value, &setting.names).ok();
            let value = formula.and_then(|formula| self.numbers.start(&formula).ok());
            let guess = match value.map_or(1, |value| value.len as u32) {
                1 => ValueType::F32,
                n if n == dim => ValueType::Vec,
                2 => ValueType::Vec2,
                3 => ValueType::Vec3,
                _ => ValueType::Vec4,
            };
            setting.ty = *generics.entry(letter).or_insert(guess);
        }
    }

    fn dim(&self, node: NodeId) -> u32 {
        self.graph.nodes[node].domain.and_then(|d| self.graph.domains.get(d)).map_or(2, |d| d.dim)
    }

    /// Checks that what feeds a State has its type and its domain, and that its initial value needs no State.
    fn states(&mut self) {
        let mut behind = Behind::default();
        for node in self.graph.nodes.ids() {
            let Kind::State(ty) = self.graph.nodes[node].kind else { continue };
            let entry = self.graph.nodes[node].clone();
            for input in &entry.inputs {
                let Some(carry) = self.carried(&input.source) else { continue };
                let domain = carry.domain;
                if carry.ty != ty {
                    let cause = format!("the wire carries {}, the State holds {ty}", carry.name());
                    let fix = remedy(port_type(ty), carry.ty, &BTreeMap::new());
                    self.problems.push(Problem::new(&entry.path, &input.name, cause, fix));
                } else if let (Some(holds), Some(incoming_set)) = (&entry.set, &carry.set)
                    && let Some((cause, fix)) = sets::unfit(holds, incoming_set)
                {
                    self.problems.push(Problem::new(&entry.path, &input.name, cause, fix));
                } else if let (Some(a), Some(b)) = (domain, entry.domain)
                    && a != b
                {
                    let (a, b) = (&self.graph.domains[a].name, &self.graph.domains[b].name);
                    let cause = format!("the wire is on domain `{a}`, the State on `{b}`");
                    self.problems.push(Problem::new(
                        &entry.path,
                        &input.name,
                        cause,
                        format!("set `on` to `{a}`, or resample the wire"),
                    ));
                }
            }
            if let Some(init) = entry.inputs.get(1)
                && let Some(state) = behind.state(self.graph, &init.source)
            {
                let cause =
                    format!("the initial value needs the State `{state}`, which has no value before the first frame");
                self.problems.push(Problem::new(&entry.path, "init", cause, "use stages that read no State"));
            }
            let wired =
                entry.inputs.get(1).is_some_and(|init| !matches!(init.source, Source::Nothing | Source::Setting(_)));
            if let Some((group, state)) = self.waits(entry.group, &mut behind).filter(|_| wired) {
                let cause = format!(
                    "the initial value comes from the last iteration of `{group}`; which one that is depends on the State `{state}`, which has no value before the first frame"
                );
                let remedy = "move the State out of the group, or start from a constant";
                self.problems.push(Problem::new(&entry.path, "init", cause, remedy));
            }
        }
    }

    /// An enclosing group whose stop criterion depends on a State, and that State.
    fn waits(&self, mut group: Option<NodeId>, behind: &mut Behind) -> Option<(String, String)> {
        while let Some(entry) = group.and_then(|group| self.graph.nodes.get(group)) {
            if let (Kind::Group(kind), Some(until)) = (&entry.kind, &entry.until)
                && let Some((_, number)) = kind.outputs.get(until.port)
                && let Some(state) = behind.state(self.graph, number)
            {
                return Some((entry.path.clone(), state));
            }
            group = entry.group;
        }
        None
    }

    /// Checks that a group's wires carry what its ports declare, and that a repeating group feeds back what its inputs
    /// take.
    fn groups(&mut self) {
        for node in self.graph.nodes.ids() {
            let entry = self.graph.nodes[node].clone();
            let Kind::Group(group) = entry.kind else { continue };
            for (index, ((name, ty), input)) in group.inputs.iter().zip(&entry.inputs).enumerate() {
                if let (Some(carry), false) = (self.carried(&input.source), matches!(input.source, Source::Setting(_)))
                    && !takes(*ty, carry.ty)
                {
                    let cause = format!("the wire carries {}, the group's input takes {ty}", carry.name());
                    let fix = remedy(*ty, carry.ty, &BTreeMap::new());
                    self.problems.push(Problem::new(&entry.path, name, cause, fix));
                }
                if entry.iterations > 1
                    && let Some(output) = group.feedback(index)
                    && let Some(fed) = self.carried(&output.clone())
                    && let Some(expected_carry) = self.carried(&Source::GroupInput { group: node, input: index })
                    && (fed.ty != expected_carry.ty || sets::lost(&expected_carry, &fed))
                {
                    let cause = format!(
                        "the output carries {}, but it feeds the input of the same name, which takes {}",
                        fed.name(),
                        expected_carry.name()
                    );
                    self.problems.push(Problem::new(
                        &entry.path,
                        name,
                        cause,
                        "give both the same type, or other names",
                    ));
                }
            }
            if let Some(until) = &entry.until
                && let Some(carry) = self.carried(&Source::Wire { node, port: until.port })
                && carry.ty != WireType::Number(ValueType::F32)
            {
                let name = group.outputs.get(until.port).map_or("", |(name, _)| name);
                let cause =
                    format!("the output `{name}` carries {}, and only a number can be a stop condition", carry.name());
                let remedy = "name an output of type f32, for example the largest of a field by grid/largest";
                self.problems.push(Problem::new(&entry.path, "until", cause, remedy));
            }
            let space = (0..group.inputs.len()).find(|i| {
                group.looped.get(*i) == Some(&true)
                    && group.inputs.get(*i).is_some_and(|(_, ty)| ty.element() == Some(Element::Fixed(ValueType::Vec)))
            });
            if let Some(input) = space.filter(|_| self.graph.dim_around(node).is_none()) {
                let name = group.inputs.get(input).map_or("", |(name, _)| name);
                let cause = "cannot infer whether the vector that the group iterates on has two or three components";
                self.problems.push(Problem::new(&entry.path, name, cause, "set `on` of the group to a domain"));
            }
            let feeds = (0..group.inputs.len()).any(|i| group.feedback(i).is_some());
            if entry.iterations > 1 && !feeds {
                let cause = "no output has the name of an input, so every iteration computes the same";
                self.problems.push(
                    Problem::new(&entry.path, "iterations", cause, "name an output like the input it feeds").warning(),
                );
            }
        }
    }

    fn outputs(&mut self) {
        let mut any = false;
        for node in self.graph.nodes.ids() {
            if !matches!(self.graph.nodes[node].kind, Kind::Output { .. }) {
                continue;
            }
            any = true;
            let (path, source) = (self.graph.nodes[node].path.clone(), self.graph.nodes[node].inputs[0].source.clone());
            let Some(Carry { ty, domain, .. }) = self.carried(&source) else { continue };
            let flat = domain.is_some_and(|d| self.graph.domains[d].dim == 2);
            if ty != WireType::Grid(ValueType::Vec4) {
                let image = PortType::Grid(Element::Fixed(ValueType::Vec4));
                let remedy = match ty {
                    WireType::Grid(ValueType::F32 | ValueType::Vec) => remedy(image, ty, &BTreeMap::new()),
                    _ => "connect a stage that outputs an Image".into(),
                };
                self.problems.push(Problem::new(
                    &path,
                    "image",
                    format!("the wire carries {ty}, an Output takes an Image"),
                    remedy,
                ));
            } else if !flat {
                let remedy = "connect a stage that renders it with a camera or takes a slice";
                self.problems.push(Problem::new(&path, "image", "the image is on a 3D domain", remedy));
            }
            self.graph.nodes[node].domain = domain;
        }
        if !any {
            let remedy = "add an Output node and connect an image";
            self.problems.push(Problem::new("", "", "no output yet", remedy).warning());
        }
    }

    /// Every constant and expression, with the number of dimensions where it is used.
    fn settings(&mut self) {
        for node in self.graph.nodes.ids() {
            let entry = self.graph.nodes[node].clone();
            let dim = self.dim(node);
            let until = entry.until.iter().map(|until| &until.below);
            entry
                .params
                .iter()
                .chain(until)
                .for_each(|s| values::check(&entry.path, s, dim, self.numbers, self.problems));
            if let Kind::Group(group) = &entry.kind {
                for (name, source) in &group.outputs {
                    if let Source::Setting(setting) = source {
                        let named = Setting { name: name.clone(), ..setting.clone() };
                        values::check(&entry.path, &named, dim, self.numbers, self.problems);
                    }
                }
            }
            for input in &entry.inputs {
                if let Source::Setting(setting) = &input.source {
                    let named = Setting { name: input.name.clone(), ..setting.clone() };
                    values::check(&entry.path, &named, dim, self.numbers, self.problems);
                }
            }
        }
    }

    /// The wires that something reads.
    fn read(&self) -> BTreeSet<(NodeId, usize)> {
        let of_groups = self.graph.nodes.iter().flat_map(|node| match &node.kind {
            Kind::Group(group) => group.outputs.iter().map(|(_, source)| source).collect(),
            _ => Vec::new(),
        });
        let inputs = self.graph.nodes.iter().flat_map(|node| node.inputs.iter().map(|input| &input.source));
        let wire = |source: &Source| match source {
            Source::Wire { node, port } => Some((*node, *port)),
            _ => None,
        };
        inputs.chain(of_groups).filter_map(wire).collect()
    }

    /// Warns when two stages update the same wire and nothing reads the version that one of them makes: its change is lost. Where
    /// both are read, the wire branches on purpose.
    fn forks(&mut self) {
        let read = self.read();
        let mut takers = BTreeMap::<(NodeId, usize), Vec<(String, String, bool)>>::new();
        for (id, node) in self.graph.nodes.entries() {
            let Kind::Stage(stage) = &node.kind else { continue };
            for (port, input) in stage.inputs().zip(&node.inputs) {
                if let (Direction::InOut, Source::Wire { node: from, port: output }) = (port.direction, &input.source) {
                    let version = stage.outputs().position(|p| p.name == port.name);
                    let is_read = version.is_some_and(|version| read.contains(&(id, version)));
                    takers.entry((*from, *output)).or_default().push((node.path.clone(), port.name.clone(), is_read));
                }
            }
        }
        for ((from, output), mut takers) in takers {
            let Some(lost) = takers.iter().position(|(.., is_read)| !is_read) else { continue };
            // The first two of them, one of which is lost.
            let lost = takers.remove(lost);
            let place = usize::from(takers.first().is_some_and(|other| other.0 < lost.0));
            takers.insert(place, lost);
            let [(first, ..), (path, port, _), ..] = takers.as_slice() else { continue };
            let wire = format!("{}.{}", self.graph.nodes[from].path, self.graph.port_name(from, output));
            let cause = format!(
                "two writers: `{first}` and `{path}` both change `{wire}`, and neither sees the other's change"
            );
            let remedy = format!("connect `{path}` after `{first}` to apply both");
            self.problems.push(Problem::new(path, port, cause, remedy).warning());
        }
    }
}
