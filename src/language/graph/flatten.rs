//! Opens groups, turns names into indices, and checks every node against its declaration.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::balance;
use super::bypass::{left_out, without_value};
use super::fits::{fits, parameter, takes_number};
use super::limits::{self, list, shortened, shortened_beyond};
use super::numbers::{Named, NamedNumber, Names, Table};
use super::ports::{Ports, Types};
use super::precision;
use super::scope::{Flattener, NodePlace, Scope};
use super::unknown_fields;
use super::values::Setting;
use super::variants;
use super::{
    Beyond, DomainId, FileOutput, Graph, ImageFit, Input, Kind, MAX_POINTS, MeshPoints, Node, NodeId, ParticleSet,
    Sequence, Source,
};
use crate::arena::Arena;
use crate::document::sequence::Pattern;
use crate::document::{self, Document, FileContent, FileSource, KindPorts, NodeKind, Nodes, ParamValue, kind};
use crate::expr;
use crate::formats;
use crate::library::earlier;
use crate::library::{Definition, Library};
use crate::printable;
use crate::problem::{Problem, Problems};
use crate::stage::header::{Change, Direction, ParamType};
use crate::stage::types::{Attributes, Element, PortType, Precision, ValueType, WireType, particles};
use crate::stage::{Stage, StageError};

/// The graph with its names resolved, and its numbers.
pub(super) fn flatten(document: &Document, library: &Library, problems: &mut Problems) -> (Graph, Table) {
    let graph = Graph {
        name: document.name.clone(),
        fps: document.fps,
        substeps: document.substeps,
        seed: document.seed,
        input: document.input.clone(),
        domains: Arena::default(),
        nodes: Arena::default(),
        left_out: BTreeMap::new(),
        numbers: Vec::new(),
        shapes: BTreeMap::new(),
        made_with: BTreeMap::new(),
        bakes: document.bakes.clone(),
        expectations: Vec::new(),
        warnings: Problems::default(),
    };
    if !(document.fps.is_finite() && document.fps > 0.0) {
        let cause = format!("fps is {}", document.fps);
        problems.push(Problem::new("", "", cause, "give the frames per second as a number above 0"));
    } else if !((1.0 / document.fps) as f32).is_normal() {
        let cause = format!("fps is {}, and the time step 1/fps does not fit 32 bits", printable::number(document.fps));
        problems.push(Problem::new("", "", cause, "give the frames per second between 1e-30 and 1e30"));
    }
    if let Some(cause) = document.substeps.fault() {
        let remedy = "give a number such as 4, or a bound such as (courant: 0.9, dt: 0.017, most: 8)";
        problems.push(Problem::new("", "", cause, remedy));
    }
    unknown_fields::warn(document, problems);
    let step = document.substeps.length(document.fps);
    let mut flattener = Flattener { library, graph, problems, numbers: Table::with_step(step), shaped: 0 };
    let mut scope = Scope::default();
    let (nodes, _) = flattener.bypass(variants::nodes(document, library).into_owned(), BTreeMap::new(), &mut scope);
    let nodes = balance::inserted(nodes, &scope, library);
    let ports = Ports::new(&nodes, Types::new(), library);
    flattener.scope(&nodes, scope, &ports);
    flattener.graph.numbers = flattener.numbers.numbers();
    (flattener.graph, flattener.numbers)
}

impl Flattener<'_> {
    pub(super) fn scope(&mut self, nodes: &Nodes, mut scope: Scope, ports: &Ports<'_>) -> BTreeMap<String, NodeId> {
        self.level(nodes, &mut scope);
        for (name, node) in nodes {
            if let NodeKind::Domain(domain) = &node.kind {
                let path = format!("{}{name}", scope.prefix);
                if self.graph.domains.len() >= limits::DOMAINS {
                    let cause = format!("the graph has more than {} domains", limits::DOMAINS);
                    self.problems.push(Problem::new(&path, "", cause, "let nodes share domains"));
                    break;
                }
                let domain = self.domain(&path, domain, &scope.names);
                scope.domains.insert(name.clone(), self.graph.domains.push(domain));
            }
        }
        // Every node gets its index before any link is resolved, since links may point in either direction.
        let mut names = BTreeMap::new();
        for (name, node) in nodes {
            let path = format!("{}{name}", scope.prefix);
            if path.len() > limits::PATH {
                let cause = format!("the node's path has {} bytes; at most {} are allowed", path.len(), limits::PATH);
                let remedy = "give it, or the groups around it, a shorter name";
                self.problems.push(Problem::new(&shortened(&path), "", cause, remedy));
                continue;
            }
            let spelled = !name.contains(['.', '/']) || balance::inserts(name, node);
            let valid = !name.is_empty() && name.trim() == name && spelled;
            if !valid || ["in", "out"].contains(&name.as_str()) {
                let remedy = "rename it: no `.`, no `/`, not `in` or `out`, not empty, no blank at either end";
                self.problems.push(Problem::new(&path, "", format!("`{name}` is not a valid node name"), remedy));
            }
            self.without_cells(&path, node);
            if let Some(cause) = without_value(node) {
                self.graph.left_out.insert(path.clone(), cause);
            }
            let part = !matches!(node.kind.info().ports, KindPorts::None) && !left_out(node);
            if part && self.graph.nodes.len() < limits::NODES {
                names.insert(name.clone(), self.graph.nodes.push(empty(&path, scope.group)));
            }
        }
        if self.graph.nodes.len() >= limits::NODES {
            let cause = format!("the graph has more than {} nodes", limits::NODES);
            self.problems.push(Problem::new("", "", cause, "use iterations instead of copies"));
            return names;
        }
        for (name, node) in nodes {
            if let Some(index) = names.get(name.as_str()).copied() {
                self.node(index, name, node, (nodes, ports), &names, &scope);
            }
        }
        names
    }

    /// Registers the number nodes of a level, before anything that may name them.
    fn level(&mut self, nodes: &Nodes, scope: &mut Scope) {
        let mut names = Names::clone(&scope.names);
        let mut numbers = Vec::new();
        for (name, node) in nodes {
            let track = self.track(&format!("{}{name}", scope.prefix), node);
            let zero = ParamValue::Number(0.0);
            let Some(value) = node.kind.number().or(track.is_some().then_some(&zero)) else { continue };
            let path = format!("{}{name}.value", scope.prefix);
            if expr::reserved(name) {
                let cause = format!("expressions can't use the number, because `{name}` means something else in them");
                let problem = Problem::new(&format!("{}{name}", scope.prefix), "", cause, "rename it to use it there");
                self.problems.push(problem.warning());
            }
            names.insert(name, Named::Path(path.clone()));
            let param = (name.clone(), "value".to_string());
            let aliases = scope.aliases.get(&param).cloned().unwrap_or_default();
            let value = node.params.get("value").unwrap_or(value).clone();
            let expression_names = scope.outer_names.get(&param).cloned();
            numbers.push(([vec![path], aliases].concat(), value, expression_names, track.flatten()));
        }
        scope.names = Arc::new(names);
        let numbers = numbers.into_iter().map(|(paths, value, expression_names, track)| {
            let names = expression_names.unwrap_or_else(|| scope.names.clone());
            let level = scope.prefix.clone();
            (NamedNumber { paths, level, uses: names.uses(&value), value, track }, names)
        });
        let numbers = numbers.collect();
        self.add_numbers(numbers);
    }

    pub(super) fn add_numbers(&mut self, numbers: Vec<(NamedNumber, Arc<Names>)>) {
        for (path, (cause, remedy)) in self.numbers.add(numbers) {
            let (node, port) = path.rsplit_once('.').unwrap_or((&path, ""));
            self.problems.push(Problem::new(node, port, cause, remedy));
        }
    }

    fn node(
        &mut self,
        index: NodeId,
        name: &str,
        node: &document::Node,
        (siblings, ports): (&Nodes, &Ports<'_>),
        names: &BTreeMap<String, NodeId>,
        scope: &Scope,
    ) {
        let path = format!("{}{name}", scope.prefix);
        let domain = node.on.as_ref().and_then(|on| {
            let found = scope.domains.get(on).copied();
            if found.is_none() {
                let remedy = format!("name one of: {}", list(scope.domains.keys()));
                self.problems.push(Problem::new(&path, "on", format!("there is no domain `{on}`"), remedy));
            }
            found
        });
        let names_domain = domain.is_some();
        let domain = domain.or(scope.domain);
        let place = NodePlace { path: &path, name, node, siblings, ports, names, scope };
        let iterations = self.iterations(&place);
        let precision = precision::named(&path, node, self.problems);
        let built = match &node.kind {
            NodeKind::Stage(stage) => match self.library.get(stage) {
                Some(Definition::Stage(stage)) => Some(self.stage(&place, stage.clone())),
                Some(Definition::Group(group)) => Some(self.group(&place, index, (group, iterations), domain)),
                None => {
                    self.unknown_stage(&path, stage);
                    None
                }
            },
            NodeKind::Custom(source) => match Stage::parse_once(&path, source, self.library) {
                Ok(stage) => Some(self.stage(&place, stage)),
                Err(errors) => {
                    self.stage_errors(&path, &errors);
                    None
                }
            },
            NodeKind::Group(group) => Some(self.group(&place, index, (group, iterations), domain)),
            NodeKind::State(ty) => self.state(&place, ty),
            NodeKind::Number(_) => {
                self.unknown_names(&place, &[], &["value"]);
                Some(Node { kind: Kind::Number, ..empty(&path, None) })
            }
            NodeKind::Output(output) => Some(self.output(&place, output)),
            NodeKind::File(file) if file.content() == FileContent::Track => {
                self.unknown_names(&place, &[], &["attack", "release"]);
                Some(Node { kind: Kind::Number, ..empty(&path, None) })
            }
            NodeKind::File(file) => self.file(&place, file),
            NodeKind::Domain(_) | NodeKind::Reroute => None,
            NodeKind::Unknown => {
                let fields = kind::fields(" or ");
                let cause = match node.extra.keys().next() {
                    Some(key) => format!("this build does not know what `{key}` is"),
                    None => "the node does not say what it is".to_string(),
                };
                self.problems.push(Problem::new(
                    &path,
                    "",
                    cause,
                    format!("give it one of {fields}, or update Stagewright"),
                ));
                None
            }
        };
        let until = built.as_ref().and_then(|built| self.until(&place, built));
        let entry = &mut self.graph.nodes[index];
        if let Some(built) = built {
            *entry = Node { domain, names_domain, iterations, precision, until, group: scope.group, path, ..built };
        }
    }

    fn unknown_stage(&mut self, path: &str, name: &str) {
        if let Some(errors) = self.library.errors(name) {
            let errors = errors.to_vec();
            self.stage_errors(path, &errors);
            return;
        }
        if self.library.is_shared(name) {
            let remedy = format!("write `//! @use {name}` into the header of a stage that calls its functions");
            let cause = format!("`{name}` holds functions that stages share, and is no stage");
            self.problems.push(Problem::new(path, "", cause, remedy));
            return;
        }
        // Searching for similar names takes time.
        let closest = if self.problems.is_full() { None } else { self.library.closest(name) };
        let remedy = match (earlier::instead(name), closest) {
            (Some(instead), _) => instead.to_string(),
            (None, Some(close)) => format!("did you mean `{close}`?"),
            (None, None) => "`stagewright stages` lists all stages".to_string(),
        };
        self.problems.push(Problem::new(path, "", format!("there is no stage `{name}`"), remedy));
    }

    fn stage_errors(&mut self, path: &str, errors: &[StageError]) {
        for error in errors {
            self.problems.push(Problem::new(path, "", error.message.clone(), "").at(error.place).in_file(&error.file));
        }
    }

    fn stage(&mut self, place: &NodePlace<'_>, stage: Arc<Stage>) -> Node {
        let named = stage.header.ports.iter().map(|p| &p.name).chain(stage.header.params.iter().map(|p| &p.name));
        self.long_names(place, named);
        for unused in &stage.unused {
            let warning = Problem::new(place.path, "", unused.message.clone(), "").at(unused.place);
            self.problems.push(warning.warning());
        }
        let ports: Vec<&str> = stage.inputs().map(|p| p.name.as_str()).collect();
        let params: Vec<&str> = stage.header.params.iter().map(|p| p.name.as_str()).collect();
        self.unknown_names(place, &[&ports[..], &params[..]].concat(), &[&ports[..], &params[..]].concat());
        let mut inputs = Vec::new();
        for port in stage.inputs() {
            let source = match place.node.inputs.get(&port.name).filter(|link| !self.unwired(place, link)) {
                Some(link) => match self.link(place, &port.name, link) {
                    Source::Setting(number) if !takes_number(port.ty) => {
                        let number_type = PortType::Number(Element::Fixed(number.ty));
                        let unfit = fits(number_type, port.ty).err();
                        unfit.into_iter().for_each(|(cause, remedy)| {
                            self.problems.push(Problem::new(place.path, &port.name, cause, remedy));
                        });
                        Source::Nothing
                    }
                    // A number becomes a setting of the port, with the port's name and type.
                    Source::Setting(number) => {
                        Source::Setting(Setting { name: port.name.clone(), ty: declared_value(port.ty), ..number })
                    }
                    other => other,
                },
                None => match &port.default {
                    // An emitter may start a new set; whether it does is known once the wires are resolved.
                    None if matches!(port.change, Change::Emit(_)) => Source::Nothing,
                    None => {
                        let remedy = format!("connect a {} to it", port.ty);
                        let (path, input) = self.to_wire(place, &port.name);
                        self.problems.push(Problem::new(&path, &input, "the input is not wired", remedy));
                        Source::Nothing
                    }
                    // The value type of a generic is known later; see `resolve`.
                    Some(default) => {
                        let value = place.node.params.get(&port.name).cloned();
                        let value = value.unwrap_or_else(|| ParamValue::from_numbers(default));
                        Source::Setting(setting(place, &port.name, declared_value(port.ty), value))
                    }
                },
            };
            let outer = self.outer(place, place.node.inputs.get(&port.name));
            inputs.push(Input { name: port.name.clone(), source, outer });
        }
        let mut settings = Vec::new();
        for param in &stage.header.params {
            let value = place.node.params.get(&param.name).cloned().unwrap_or_else(|| param.default.clone());
            let mut setting = Setting { range: param.range, ..setting(place, &param.name, param.ty.value(), value) };
            if param.ty == ParamType::Bool
                && let ParamValue::Bool(v) = setting.value
            {
                setting.value = ParamValue::Number(f64::from(u8::from(v)));
            }
            if let Some(link) = place.node.inputs.get(&param.name) {
                match self.link(place, &param.name, link) {
                    Source::Setting(_) if param.ty.returns().is_some() => {
                        let cause = format!("a {} can't read a wire", param.ty.name());
                        let remedy = "remove the wire, and give it in the node's params";
                        self.problems.push(Problem::new(place.path, &param.name, cause, remedy));
                    }
                    Source::Setting(number) => {
                        setting = Setting { value: number.value, names: number.names, aliases: Vec::new(), ..setting };
                    }
                    Source::Nothing => {}
                    source => {
                        let (cause, remedy) = self.goes_round(&source).unwrap_or_else(parameter);
                        self.problems.push(Problem::new(place.path, &param.name, cause, remedy));
                    }
                }
            }
            settings.push(setting);
        }
        let blocks = self.blocks(place, &stage, &mut inputs);
        let repeats = stage.header.ports.iter().any(|p| p.direction == Direction::InOut);
        if place.node.iterations.is_some() && !repeats {
            let cause = "the stage has no @inout, so repeating it changes nothing";
            self.problems.push(Problem::new(place.path, "iterations", cause, "remove `iterations`").warning());
        }
        let stage = self.specialized(place, stage, &mut settings);
        let stage = self.with_formulas(place, stage, &mut settings);
        Node { kind: Kind::Stage(stage), inputs, blocks, params: settings, ..empty(place.path, None) }
    }

    fn state(&mut self, place: &NodePlace<'_>, ty: &str) -> Option<Node> {
        let particles_state = ty.starts_with("Particles");
        self.unknown_names(place, &["next", "init"], if particles_state { &[] } else { &["value"] });
        let Some(kind) = WireType::parse(ty).filter(|t| t.can_be_kept()) else {
            let remedy = "use Grid<f32>, Grid<Vec>, Grid<Mat>, Grid<f32[2]> to Grid<f32[64]>, FaceGrid, Particles{position: Vec, ..}, f32, vec4f, ...";
            self.problems.push(Problem::new(place.path, "", format!("`{ty}` is not a State type"), remedy));
            return None;
        };
        let set = match kind {
            WireType::Particles => {
                let capacity = self.capacity(place)?;
                let attributes: Attributes = particles(ty).map(|(a, _)| a.into_iter().collect()).unwrap_or_default();
                // Its domain is known with the wires.
                Some(ParticleSet { capacity, domain: DomainId::new(usize::MAX), attributes })
            }
            _ => None,
        };
        let ty = kind;
        let mut inputs = Vec::new();
        for name in ["next", "init"] {
            let source = match place.node.inputs.get(name) {
                Some(link) => match self.link(place, name, link) {
                    // Its path is that of the input: a State may start from a number and change afterwards.
                    Source::Setting(number) => Source::Setting(Setting { name: name.into(), ..number }),
                    other => other,
                },
                None => Source::Nothing,
            };
            inputs.push(Input { name: name.into(), source, outer: None });
        }
        if !place.node.inputs.contains_key("next") && !place.node.inputs.contains_key("init") {
            let remedy = "connect its value in the next frame";
            self.problems.push(
                Problem::new(place.path, "next", "nothing is connected to the State, so it never changes", remedy)
                    .warning(),
            );
        }
        let value = place.node.params.get("value").cloned().unwrap_or(ParamValue::Number(0.0));
        let value = setting(place, "value", ty.value(), value);
        let params = if set.is_some() { Vec::new() } else { vec![value] };
        Some(Node { kind: Kind::State(ty), inputs, params, outputs: vec![ty], set, ..empty(place.path, None) })
    }

    fn file(&mut self, place: &NodePlace<'_>, source: &FileSource) -> Option<Node> {
        self.unknown_names(place, &[], &["center", "size"]);
        let param = |name: &str| place.node.params.get(name);
        let size = self.constant(place, "size", param("size"), ValueType::F32)?[0];
        let [x, y, z, _] = self.constant(place, "center", param("center"), ValueType::Vec3)?;
        if source.path().is_empty() {
            let remedy = concat!(
                "name a ",
                formats::meshes!(or),
                " file in 3D, a ",
                formats::images!(or),
                " in 2D, a ",
                formats::grids!(),
                ", ",
                formats::particles!(or),
                " in either"
            );
            self.problems.push(Problem::new(place.path, "file", "the node names no file", remedy));
            return None;
        }
        if let Some((cause, remedy)) = source.unread() {
            self.problems.push(Problem::new(place.path, "file", cause, remedy));
            return None;
        }
        let fit = self.choice(place, "fit", source.fit(), FileSource::FITS)?;
        let spaces = source.spaces();
        let space = self.choice(place, "space", source.space(), spaces)?;
        let linear = spaces.get(space) == Some(&"linear");
        let fit = match fit {
            0 => ImageFit::Cover,
            1 => ImageFit::Contain,
            _ => ImageFit::Stretch,
        };
        let at = (param("size").is_some() || param("center").is_some()).then_some(([x, y, z], size));
        let sequence = self.sequence(place, source)?;
        let (path, layer) = (source.path().to_string(), source.layer().map(str::to_string));
        let (content, points) = (source.content(), self.points(place, source)?);
        let file = Some(super::File { path, place: at, fit, linear, layer, content, points, sequence });
        let outputs: Vec<WireType> = FileOutput::outputs_of(content).iter().map(|output| output.ty()).collect();
        let ty = outputs.first().copied().unwrap_or(FileOutput::Distance.ty());
        // The rest of the compiler treats it as a State that never changes.
        Some(Node { kind: Kind::State(ty), outputs, file, ..empty(place.path, None) })
    }

    /// Points of a mesh that are particles; `None` for an error.
    fn points(&mut self, place: &NodePlace<'_>, source: &FileSource) -> Option<MeshPoints> {
        let readings = source.readings();
        let unfit = source.reading().filter(|reading| !readings.contains(reading));
        if let Some(reading) = unfit {
            let cause = format!("the file can't be taken as `{}`", shortened_beyond(reading));
            let remedy = match readings {
                [] => "remove `as`: only meshes and .npy files can be taken in two ways".to_string(),
                readings => format!("choose one of: {}", readings.join(", ")),
            };
            self.problems.push(Problem::new(place.path, "as", cause, remedy));
            return None;
        }
        let [declared_count, seed] = source.count_and_seed();
        if !source.is_mesh_of_points() {
            if declared_count.is_some() || seed.is_some() {
                let cause = "`count` and `seed` have no effect: the file is not taken as points of a mesh";
                let remedy = concat!("set `as` to points with a ", formats::meshes!(or), " file, or remove them");
                self.problems.push(Problem::new(place.path, "file", cause, remedy).warning());
            }
            return Some(MeshPoints::Vertices);
        }
        let Some(declared_count) = declared_count else { return Some(MeshPoints::Vertices) };
        let count = u32::try_from(declared_count).ok().filter(|count| (1..=MAX_POINTS).contains(count));
        let seed = seed.unwrap_or(1);
        match (count, u64::try_from(seed)) {
            (Some(count), Ok(seed)) => return Some(MeshPoints::Surface { count, seed }),
            (None, _) => {
                let cause = format!("`count` is {declared_count}");
                let remedy = format!("give 1 to {MAX_POINTS} points, or remove it for one at each vertex");
                self.problems.push(Problem::new(place.path, "count", cause, remedy));
            }
            _ => {
                let remedy = "give a whole number from 0";
                self.problems.push(Problem::new(place.path, "seed", format!("`seed` is {seed}"), remedy));
            }
        }
        None
    }

    /// How a sequence of files is shown; `Some(None)` for one file, `None` for an error.
    fn sequence(&mut self, place: &NodePlace<'_>, source: &FileSource) -> Option<Option<Sequence>> {
        let beyond = self.choice(place, "beyond", source.beyond.as_deref(), FileSource::BEYONDS)?;
        if Pattern::from_path(source.path()).is_none() {
            if source.first.is_some() || source.beyond.is_some() {
                let cause = "`first` and `beyond` have no effect: the path is that of one file";
                let remedy = "write # for each digit of the frame's number, such as plate.####.png";
                self.problems.push(Problem::new(place.path, "file", cause, remedy).warning());
            }
            return Some(None);
        }
        let Ok(first) = source.first.map(u64::try_from).transpose() else {
            let cause = format!("`first` is {}, and files have no negative numbers", source.first.unwrap_or_default());
            self.problems.push(Problem::new(
                place.path,
                "file",
                cause,
                "give the number of the file in the first frame",
            ));
            return None;
        };
        let beyond = [Beyond::Hold, Beyond::Loop, Beyond::Error].get(beyond).copied().unwrap_or(Beyond::Hold);
        Some(Some(Sequence { first, beyond }))
    }

    /// The position of a word in the list of those that an option of a file can have; 0 where it is not given.
    fn choice<const N: usize>(
        &mut self,
        place: &NodePlace<'_>,
        option: &str,
        chosen_word: Option<&str>,
        words: [&str; N],
    ) -> Option<usize> {
        let Some(chosen_word) = chosen_word else { return Some(0) };
        let found = words.iter().position(|word| *word == chosen_word);
        if found.is_none() {
            let cause = format!("there is no {option} `{}`", shortened_beyond(chosen_word));
            self.problems.push(Problem::new(place.path, option, cause, format!("choose one of: {}", words.join(", "))));
        }
        found
    }

    fn output(&mut self, place: &NodePlace<'_>, output: &document::Output) -> Node {
        self.unknown_names(place, &["image"], &[]);
        let source = match place.node.inputs.get("image") {
            Some(link) => self.link(place, "image", link),
            None => {
                let remedy = "connect an Image, for example of view/color_map";
                self.problems.push(Problem::new(place.path, "image", "the input is not wired", remedy));
                Source::Nothing
            }
        };
        if let Some((w, h)) = output.size.filter(|(w, h)| !(1..=16_384).contains(w) || !(1..=16_384).contains(h)) {
            let cause = format!("the image is {w}x{h}");
            self.problems.push(Problem::new(place.path, "size", cause, "give 1 to 16,384 pixels along each side"));
        }
        let inputs = vec![Input { name: "image".into(), source, outer: None }];
        Node { kind: Kind::Output { size: output.size, at: place.node.at }, inputs, ..empty(place.path, None) }
    }
}

pub(super) fn empty(path: &str, group: Option<NodeId>) -> Node {
    Node {
        path: path.into(),
        kind: Kind::Broken,
        group,
        inputs: Vec::new(),
        iterations: 1,
        until: None,
        blocks: None,
        precision: Precision::F32,
        domain: None,
        names_domain: false,
        params: Vec::new(),
        generics: BTreeMap::new(),
        outputs: Vec::new(),
        set: None,
        summed: None,
        file: None,
    }
}

/// A value of a node, given or by default.
pub(super) fn setting(place: &NodePlace<'_>, name: &str, ty: ValueType, value: ParamValue) -> Setting {
    let aliases = place.aliases(name);
    Setting { name: name.into(), ty, value, range: (None, None), aliases, names: place.names(name) }
}

/// Value type of a port; a generic letter is bound later.
pub(super) fn declared_value(ty: PortType) -> ValueType {
    match ty.element() {
        Some(Element::Fixed(v)) => v,
        _ => ValueType::F32,
    }
}
