//! Types of ports and wires as far as a document's text alone determines them, whether valid or not. The canvas uses
//! them for drawing, and they decide what a bypassed node passes on. Attributes, domains and full type checks are done
//! in `resolve`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::document::{Document, Group, KindPorts, Link, Node, NodeKind, Nodes, ParamValue, Scope, sole_output};
use crate::library::{Definition, Library};
use crate::stage::Stage;
use crate::stage::types::{Element, PortType};

/// Limit of nested groups here; a library group may contain itself.
const MAX_NESTING: usize = 16;

/// Ports by name.
pub type Types = BTreeMap<String, PortType>;

/// The stage of a node: from the library, or parsed from the node's own text.
pub fn stage_of(node: &Node, library: &Library) -> Option<Arc<Stage>> {
    match &node.kind {
        NodeKind::Stage(name) => library.stage(name).cloned(),
        NodeKind::Custom(source) => {
            // The graph's own shared texts are not at hand here; ports do not depend on them.
            let outline = |_| Stage::outline("custom", source).map(Arc::new);
            Stage::parse_once("custom", source, library).or_else(outline).ok()
        }
        _ => None,
    }
}

/// The group of a node: its own, or one of the library.
pub fn group_of<'a>(node: &'a Node, library: &'a Library) -> Option<&'a Group> {
    match &node.kind {
        NodeKind::Group(group) => Some(group),
        NodeKind::Stage(name) => match library.get(name) {
            Some(Definition::Group(group)) => Some(group),
            _ => None,
        },
        _ => None,
    }
}

/// A declared port; without a type where its text is invalid.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Name of the port.
    pub name: String,
    /// Type of the port.
    pub ty: Option<PortType>,
    /// The value of an unwired input; `None` where it must be wired, or is optional.
    pub constant: Option<ParamValue>,
}

/// Source of a wire, past all nodes that are left out.
#[derive(Clone, Debug)]
pub enum Through {
    /// The output that it leads to.
    Wire(Link),
    /// A constant of an input of a node that is left out.
    Constant {
        /// The input that has the constant.
        from: Link,
        /// The constant.
        value: ParamValue,
    },
    /// The wire that leads to nothing.
    Stuck(Link),
    /// The nodes that form a cycle.
    Cycle(Link, Vec<String>),
}

/// What a reader of an output gets when the node is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Passed {
    /// What an input of the left-out node reads.
    Wire(Link),
    /// The constant of an unwired input.
    Constant {
        /// The input.
        port: String,
        /// Constant of the input.
        value: ParamValue,
    },
    /// Nothing: an input that may stay unwired.
    Nothing,
}

/// The ports and wires of one level. Results are cached, so it is valid for one state of the document.
pub struct Ports<'a> {
    nodes: &'a Nodes,
    library: &'a Library,
    /// The group that the level is inside of, where it belongs to the document.
    group: Option<&'a Group>,
    /// Inputs of the enclosing group.
    around: Types,
    stages: RefCell<BTreeMap<*const Node, Option<Arc<Stage>>>>,
    carried: RefCell<BTreeMap<Link, Option<PortType>>>,
    outputs: RefCell<BTreeMap<String, Option<Rc<[String]>>>>,
    /// What readers of a wire read in the end, see `bypass`.
    pub(super) ends: RefCell<BTreeMap<Link, Rc<Through>>>,
}

/// A level that a traversal has entered: its nodes, and the enclosing group with its node.
type Inside<'a> = (&'a Nodes, Option<(&'a Group, &'a Node)>);

/// A step of a traversal: the wire, if it belongs to the level in question, and the type that its stage declares.
type Met = (Option<Link>, Option<PortType>);

enum Step<'a> {
    Known(Option<PortType>),
    /// The type is that of another wire; a generic port keeps its own kind.
    Follow(&'a Link, Option<PortType>),
}

impl<'a> Ports<'a> {
    /// The ports of nodes, inside a group whose inputs have these types.
    pub fn new(nodes: &'a Nodes, around: Types, library: &'a Library) -> Ports<'a> {
        Ports {
            nodes,
            library,
            group: None,
            around,
            stages: RefCell::default(),
            carried: RefCell::default(),
            outputs: RefCell::default(),
            ends: RefCell::default(),
        }
    }

    /// The ports of a level of a document; `None` where there is no such level.
    pub fn of_level(document: &'a Document, scope: &Scope, library: &'a Library) -> Option<Ports<'a>> {
        let mut ports = Ports::new(&document.nodes, Types::new(), library);
        for name in &scope.0 {
            let NodeKind::Group(group) = &ports.nodes.get(name)?.kind else { return None };
            ports = Ports { group: Some(group), ..Ports::new(&group.nodes, ports.inside(name), library) };
        }
        Some(ports)
    }

    /// The nodes of the level.
    pub fn nodes(&self) -> &'a Nodes {
        self.nodes
    }

    /// The group that the level is inside of.
    pub fn group(&self) -> Option<&'a Group> {
        self.group
    }

    /// The library that names refer to.
    pub fn library(&self) -> &'a Library {
        self.library
    }

    /// Inputs of the enclosing group.
    pub fn around(&self) -> &Types {
        &self.around
    }

    /// The stage of a node of the level; parsed once.
    pub fn stage(&self, name: &str) -> Option<Arc<Stage>> {
        self.stage_of(self.nodes.get(name)?)
    }

    fn stage_of(&self, node: &Node) -> Option<Arc<Stage>> {
        let mut stages = self.stages.borrow_mut();
        stages.entry(std::ptr::from_ref(node)).or_insert_with(|| stage_of(node, self.library)).clone()
    }

    /// The input ports that a node declares, in order.
    pub fn inputs(&self, name: &str) -> Vec<Declared> {
        let Some(node) = self.nodes.get(name) else { return Vec::new() };
        if let Some(ports) = node.kind.info().inputs() {
            let ty = |port| node.kind.port_type(port).and_then(PortType::parse);
            return ports.iter().map(|p| Declared { name: p.name.into(), ty: ty(p), constant: None }).collect();
        }
        match (self.stage_of(node), group_of(node, self.library)) {
            (Some(stage), _) => {
                let constant = |name: &str, default: &Option<Vec<f64>>| {
                    let default = default.as_ref()?;
                    Some(node.params.get(name).cloned().unwrap_or_else(|| ParamValue::from_numbers(default)))
                };
                let ports = stage.inputs().map(|p| Declared {
                    name: p.name.clone(),
                    ty: Some(p.ty),
                    constant: constant(&p.name, &p.default),
                });
                ports.collect()
            }
            (None, Some(group)) => {
                let zero = ParamValue::Number(0.0);
                let ports = group.inputs.iter().map(|(name, ty)| {
                    let ty = PortType::parse(ty);
                    let number = ty.is_some_and(PortType::is_number);
                    let constant = number.then(|| node.params.get(name).unwrap_or(&zero).clone());
                    Declared { name: name.clone(), ty, constant }
                });
                ports.collect()
            }
            (None, None) => Vec::new(),
        }
    }

    /// The types that an input accepts, with its letter bound by the other wires of the node. `None` for a port that
    /// accepts anything, or does not exist.
    pub fn takes(&self, name: &str, port: &str) -> Option<PortType> {
        let (node, inputs) = (self.nodes.get(name)?, self.inputs(name));
        let declared = inputs.iter().find(|input| input.name == port)?.ty?;
        let letter = letter_of(declared).filter(|_| group_of(node, self.library).is_none());
        let binds =
            |input: &&Declared| input.name != port && letter.is_some() && input.ty.and_then(letter_of) == letter;
        let link = inputs.iter().filter(binds).find_map(|input| node.inputs.get(&input.name));
        Some(link.and_then(|link| self.output(link)).map_or(declared, |ty| kept(declared, ty)))
    }

    /// The type of an input with its letter bound by the wires of the node.
    pub fn input(&self, name: &str, port: &str) -> Option<PortType> {
        let node = self.nodes.get(name)?;
        if matches!(node.kind, NodeKind::Reroute) {
            return self.output(&Link { node: name.into(), port: port.into() });
        }
        let inputs = self.inputs(name);
        let declared = inputs.iter().find(|input| input.name == port)?.ty?;
        let Some(Element::Generic(letter)) = declared.element() else { return Some(declared) };
        // Each generic input of a group takes the type of its own wire.
        let is_group = group_of(node, self.library).is_some();
        let binds = |input: &&Declared| {
            if is_group { input.name == port } else { input.ty.and_then(letter_of) == Some(letter) }
        };
        let link = inputs.iter().filter(binds).find_map(|input| node.inputs.get(&input.name));
        let carried = link.and_then(|link| self.output(link));
        Some(carried.map_or(declared, |ty| kept(declared, ty)))
    }

    /// Types of the inputs of a group as seen inside it.
    pub fn inside(&self, name: &str) -> Types {
        self.inputs(name).into_iter().filter_map(|i| Some((i.name.clone(), self.input(name, &i.name)?))).collect()
    }

    /// Names of a node's outputs; `None` for an invalid node.
    pub fn outputs(&self, name: &str) -> Option<Rc<[String]>> {
        if let Some(outputs) = self.outputs.borrow().get(name) {
            return outputs.clone();
        }
        let outputs: Option<Rc<[String]>> = self.declared_outputs(name).map(Into::into);
        self.outputs.borrow_mut().insert(name.to_string(), outputs.clone());
        outputs
    }

    fn declared_outputs(&self, name: &str) -> Option<Vec<String>> {
        let node = self.nodes.get(name)?;
        Some(match &node.kind.info().ports {
            KindPorts::Fixed { outputs, .. } => outputs.iter().map(|port| port.name.into()).collect(),
            KindPorts::None | KindPorts::Unknown => return None,
            KindPorts::Declared => match group_of(node, self.library) {
                Some(group) => group.outputs.keys().cloned().collect(),
                None => self.stage_of(node)?.outputs().map(|p| p.name.clone()).collect(),
            },
        })
    }

    /// What a wire carries. A letter remains where nothing binds it.
    pub fn output(&self, link: &Link) -> Option<PortType> {
        if let Some(ty) = self.carried.borrow().get(link) {
            return *ty;
        }
        let (met, mut ty) = self.walk(link);
        for (link, declared) in met.into_iter().rev() {
            ty = match (declared, ty) {
                (Some(declared), Some(ty)) => Some(kept(declared, ty)),
                (declared, ty) => ty.or(declared),
            };
            if let Some(link) = link {
                self.carried.borrow_mut().insert(link, ty);
            }
        }
        ty
    }

    /// Follows wires back to where a type is declared. A loop rather than a recursion, since graphs may be long.
    fn walk<'b>(&'b self, link: &'b Link) -> (Vec<Met>, Option<PortType>) {
        let mut levels: Vec<Inside<'b>> = vec![(self.nodes, None)];
        let mut met = Vec::new();
        let mut seen = BTreeSet::new();
        let mut link = link;
        loop {
            let outermost = levels.len() == 1;
            if outermost && let Some(ty) = self.carried.borrow().get(link) {
                return (met, *ty);
            }
            let around: Vec<_> =
                levels.iter().filter_map(|(_, group)| group.map(|(_, n)| std::ptr::from_ref(n))).collect();
            let cycle = !seen.insert((around, std::ptr::from_ref(link)));
            let here = outermost.then(|| link.clone());
            match if cycle { Step::Known(None) } else { self.step(&mut levels, link) } {
                Step::Known(ty) => {
                    met.push((here, None));
                    return (met, ty);
                }
                Step::Follow(next, declared) => {
                    met.push((here, declared));
                    link = next;
                }
            }
        }
    }

    fn step<'b>(&'b self, levels: &mut Vec<Inside<'b>>, link: &Link) -> Step<'b> {
        let Some((nodes, around)) = levels.last().copied() else { return Step::Known(None) };
        if link.node == "in" {
            let Some((group, node)) = around else { return Step::Known(self.around.get(&link.port).copied()) };
            let declared = group.inputs.get(&link.port).and_then(|ty| PortType::parse(ty));
            let outer = node.inputs.get(&link.port).filter(|_| declared.and_then(letter_of).is_some());
            let Some(outer) = outer else { return Step::Known(declared) };
            levels.pop();
            return Step::Follow(outer, declared);
        }
        let Some(node) = nodes.get(&link.node) else { return Step::Known(None) };
        if matches!(node.kind, NodeKind::Reroute) {
            return node.inputs.get("value").map_or(Step::Known(None), |link| Step::Follow(link, None));
        }
        let outputs = node.kind.info().outputs().unwrap_or_default();
        if let Some(output) = outputs.iter().find(|output| output.name == link.port).or(outputs.first()) {
            return Step::Known(node.kind.port_type(output).and_then(PortType::parse));
        }
        if let Some(group) = group_of(node, self.library) {
            let shown = named(&link.port, group.outputs.iter().map(|(name, link)| (name.as_str(), link)));
            let Some(shown) = shown.filter(|_| levels.len() <= MAX_NESTING) else { return Step::Known(None) };
            levels.push((&group.nodes, Some((group, node))));
            return Step::Follow(shown, None);
        }
        let Some(stage) = self.stage_of(node) else { return Step::Known(None) };
        let Some(declared) = named(&link.port, stage.outputs().map(|p| (p.name.as_str(), p.ty))) else {
            return Step::Known(None);
        };
        let Some(letter) = letter_of(declared) else { return Step::Known(Some(declared)) };
        let binds = |port: &&crate::stage::header::Port| letter_of(port.ty) == Some(letter);
        let wired = stage.inputs().filter(binds).find_map(|port| node.inputs.get(&port.name));
        wired.map_or(Step::Known(Some(declared)), |link| Step::Follow(link, Some(declared)))
    }

    /// What a reader of an output gets when the node is left out: what the input of the same name reads; otherwise the
    /// first wired input that is declared like the output; otherwise the first with its type.
    pub fn passed(&self, link: &Link) -> Passed {
        let Some(node) = self.nodes.get(&link.node) else { return Passed::Nothing };
        let wire = |port: &str| node.inputs.get(port).map(|link| Passed::Wire(link.clone()));
        let outputs = self.outputs(&link.node);
        let port = match (link.port.as_str(), outputs.as_deref()) {
            ("", Some([one])) => one.as_str(),
            (port, Some(outputs)) if !outputs.iter().any(|name| name == port) => return Passed::Nothing,
            (port, _) => port,
        };
        if outputs.is_none() || matches!(node.kind, NodeKind::Reroute) {
            return wire(port).unwrap_or(Passed::Nothing);
        }
        if node.kind.info().outputs().is_some() {
            return Passed::Nothing;
        }
        let (inputs, ty) = (self.inputs(&link.node), self.output(link));
        let fits = |input: &&Declared| ty.is_some() && self.input(&link.node, &input.name) == ty;
        let same = inputs.iter().find(|input| input.name == port).filter(fits);
        let constant = same.and_then(|input| input.constant.clone());
        let constant = || constant.map(|value| Passed::Constant { port: port.to_string(), value });
        // The advected velocity continues from `field: Grid<T>`, though `velocity: Grid<Vec>` would fit as well.
        let stage = self.stage_of(node);
        let declared = stage.and_then(|stage| stage.port(port).map(|p| p.ty));
        let alike = || inputs.iter().filter(fits).filter(|input| input.ty == declared).find_map(|i| wire(&i.name));
        let other = || alike().or_else(|| inputs.iter().filter(fits).find_map(|input| wire(&input.name)));
        same.and_then(|input| wire(&input.name)).or_else(constant).or_else(other).unwrap_or(Passed::Nothing)
    }
}

/// The port that a link refers to: the one of its name, or the only one.
fn named<'a, T>(port: &str, mut ports: impl Iterator<Item = (&'a str, T)>) -> Option<T> {
    if port.is_empty() {
        return sole_output(ports);
    }
    ports.find(|(name, _)| *name == port).map(|(_, value)| value)
}

fn letter_of(ty: PortType) -> Option<char> {
    match ty.element() {
        Some(Element::Generic(letter)) => Some(letter),
        _ => None,
    }
}

/// A generic type with the element type of what binds it.
fn kept(declared: PortType, by: PortType) -> PortType {
    match (declared, by.element().filter(|element| matches!(element, Element::Fixed(_)))) {
        (PortType::Grid(_), Some(element)) => PortType::Grid(element),
        (PortType::Field(_), Some(element)) => PortType::Field(element),
        _ => declared,
    }
}
