//! Graphs of earlier versions: names of stages, ports and parameters that the library once had, and what has become of
//! them. A name that the user's own files define stays as it is.

use super::{Definition, Library};
use crate::document::{Document, Link, Node, NodeKind, Nodes, Variant};
use std::collections::BTreeMap;

/// What has become of a stage or a library group.
struct Earlier {
    stage: &'static str,
    /// Inputs or parameters that it had: where a node gives none of them, the rule does not apply. Empty where the stage
    /// itself is gone.
    had: &'static [&'static str],
    now: Now,
    /// What to know about the change, as the end of a sentence; empty where it computes the same.
    differs: &'static str,
}

enum Now {
    /// Another stage computes it, with these outputs in place of its own.
    Stage(&'static str, &'static [(&'static str, &'static str)]),
    /// An output has another name.
    Output(&'static str, &'static str),
    /// A parameter has another name.
    Param(&'static str, &'static str),
    /// A parameter is not needed any more.
    NoParam(&'static str),
    /// Wires of its level change: `false` where they are others than the rule knows.
    Wires(fn(&mut Level<'_>, &str) -> bool),
}

const EARLIER: &[Earlier] = &[
    Earlier { stage: "sph/density", had: &["radius", "poly6"], now: Now::Stage("sph/density_poly6", &[]), differs: "" },
    Earlier {
        stage: "sph/acceleration",
        had: &["radius", "spiky", "laplacian"],
        now: Now::Stage("sph/acceleration_spiky", &[]),
        differs: "",
    },
    Earlier {
        stage: "two_phase/correct",
        had: &["relaxation"],
        now: Now::Stage("two_phase/correct_sor", &[]),
        differs: "with 60 sweeps where it had 40",
    },
    Earlier {
        stage: "multigrid/coarse_part",
        had: &[],
        now: Now::Stage("multigrid/coarse_weight", &[("coarse", "parts")]),
        differs: "",
    },
    Earlier { stage: "multigrid/balance", had: &[], now: Now::Output("divergence", "balanced"), differs: "" },
    Earlier {
        stage: "sph/substep_dfsph",
        had: &["iterations"],
        now: Now::Param("iterations", "solve_iterations"),
        differs: "of a solver that needs fewer",
    },
    Earlier {
        stage: "multigrid/link_sweep",
        had: &["relaxation"],
        now: Now::NoParam("relaxation"),
        differs: "the roots of a Chebyshev polynomial set it",
    },
    Earlier {
        stage: "staggered/fluid_step_obstacle",
        had: &["limiter"],
        now: Now::NoParam("limiter"),
        differs: "velocities are carried in conservative form, which has none",
    },
    Earlier {
        stage: "view/highlight",
        had: &[],
        now: Now::Wires(highlight),
        differs: "view/shape draws the rim, one pixel wide at the edge of a part",
    },
    Earlier {
        stage: "control/pointer_in_space",
        had: &["density"],
        now: Now::Wires(sampled_density),
        differs: "its `density` is the grid itself",
    },
    Earlier {
        stage: "sph/normal",
        had: &["radius", "poly6_ratio"],
        now: Now::Wires(normal_kernel),
        differs: "its kernel is Wendland's, of sph/kernel",
    },
];

/// Stages without a successor that fits their wires.
const GONE: [(&str, &str); 2] = [
    ("multigrid/part_count", "it is gone; the output `parts` of fluid/balance_parts has the labels and the balance"),
    ("multigrid/link_solve", "it is gone; two_phase/pressure_multigrid_cg solves its coarsest level itself"),
];

/// Inputs and outputs that stages once had, without a successor that fits their wires.
const GONE_PORTS: [(&str, &str, &str); 6] = [
    ("fluid/advect", "courant", "it is gone; fluid/courant gives it"),
    ("multigrid/dense_eliminate", "pivots", DENSE),
    ("multigrid/dense_pivots", "inverse", DENSE),
    ("multigrid/dense_pivots", "matrix", DENSE),
    ("multigrid/dense_pivots", "sums", DENSE),
    ("multigrid/dense_solve", "inverse", DENSE),
];
const DENSE: &str = "it is gone: levels are solved in blocks, as in two_phase/pressure_multigrid_cg";

/// What to use instead of a port that a stage of the library once had.
pub(crate) fn instead_of_port(stage: &str, port: &str) -> Option<&'static str> {
    GONE_PORTS.iter().find(|(of, gone, _)| *of == stage && *gone == port).map(|(.., instead)| *instead)
}

/// What to use instead of a stage that the library once had.
pub(crate) fn instead(stage: &str) -> Option<&'static str> {
    GONE.iter().find(|(gone, _)| *gone == stage).map(|(_, instead)| *instead)
}

/// The nodes of a document or of a group, and the outputs of the group.
struct Level<'a> {
    nodes: &'a mut Nodes,
    outputs: Option<&'a mut BTreeMap<String, Link>>,
}

impl Level<'_> {
    /// All wires: what the nodes read, and what the group gives out.
    fn links(&mut self) -> impl Iterator<Item = &mut Link> {
        let outputs = self.outputs.iter_mut().flat_map(|outputs| outputs.values_mut());
        self.nodes.values_mut().flat_map(|node| node.inputs.values_mut()).chain(outputs)
    }

    /// Lets whatever reads an output of a node read another wire. Returns whether anything did.
    fn rewire(&mut self, node: &str, output: &str, to: &Link) -> bool {
        let mut found = false;
        for link in self.links().filter(|link| link.node == node && link.port == output) {
            *link = to.clone();
            found = true;
        }
        found
    }
}

/// Rewrites what earlier versions called by another name, in all levels and variants. Returns a sentence for each change.
pub fn update(document: &mut Document, library: &Library) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut variants = std::mem::take(&mut document.variants);
    for (name, variant) in &mut variants {
        update_variant(document, library, (name, variant), &mut sentences);
    }
    document.variants = variants;
    update_level(Level { nodes: &mut document.nodes, outputs: None }, "", library, &mut sentences);
    sentences
}

fn update_level(mut level: Level<'_>, path: &str, library: &Library, sentences: &mut Vec<String>) {
    for name in level.nodes.keys().cloned().collect::<Vec<_>>() {
        for rule in EARLIER {
            let applies = level.nodes.get(&name).is_some_and(|node| rule.applies(node, library));
            if applies && rule.rewrite(&mut level, &name) {
                sentences.push(rule.sentence(&format!("{path}{name}")));
            }
        }
    }
    for (name, node) in level.nodes.iter_mut() {
        if let NodeKind::Group(group) = &mut node.kind {
            let inner = Level { nodes: &mut group.nodes, outputs: Some(&mut group.outputs) };
            update_level(inner, &format!("{path}{name}/"), library, sentences);
        }
    }
}

/// Rewrites the stages that a variant chooses, and the parameters that it sets.
fn update_variant(
    document: &Document,
    library: &Library,
    (name, variant): (&str, &mut Variant),
    sentences: &mut Vec<String>,
) {
    let path_of = |key: &str| key.rsplit_once('.').map(|(path, port)| (path.to_string(), port.to_string()));
    let mut tell = |rule: &Earlier, path: &str| sentences.push(format!("variant {name}: {}", rule.sentence(path)));
    let keys: Vec<(String, String)> =
        variant.inputs.keys().chain(variant.set.keys()).filter_map(|key| path_of(key)).collect();
    for rule in EARLIER {
        let stage_at = |variant: &Variant, path: &str| {
            let kind = variant.stages.get(path).or_else(|| Some(&document.node(path)?.kind));
            kind == Some(&NodeKind::Stage(rule.stage.into()))
        };
        let gives = |path: &str| {
            let ports = document.node(path).into_iter().flat_map(|node| node.inputs.keys().chain(node.params.keys()));
            let set = keys.iter().filter(|(of, _)| of == path).map(|(_, port)| port);
            ports.chain(set).any(|port| rule.had.contains(&port.as_str()))
        };
        match rule.now {
            Now::Stage(becomes, _) if rule.lacks(library) => {
                for (path, kind) in &mut variant.stages {
                    if *kind == NodeKind::Stage(rule.stage.into()) && (rule.had.is_empty() || gives(path)) {
                        *kind = NodeKind::Stage(becomes.into());
                        tell(rule, path);
                    }
                }
            }
            Now::Param(old, _) | Now::NoParam(old) if rule.lacks(library) => {
                for key in variant.set.keys().cloned().collect::<Vec<_>>() {
                    let Some((path, _)) = path_of(&key).filter(|(_, param)| param == old) else { continue };
                    if !stage_at(variant, &path) {
                        continue;
                    }
                    let value = variant.set.remove(&key);
                    if let (Now::Param(_, new), Some(value)) = (&rule.now, value) {
                        variant.set.insert(format!("{path}.{new}"), value);
                    }
                    tell(rule, &path);
                }
            }
            _ => {}
        }
    }
}

impl Earlier {
    /// Whether a node is one of before.
    fn applies(&self, node: &Node, library: &Library) -> bool {
        let has_port = |name: &&str| node.inputs.contains_key(*name) || node.params.contains_key(*name);
        node.kind == NodeKind::Stage(self.stage.into())
            && self.lacks(library)
            && (self.had.is_empty() || self.had.iter().any(has_port))
    }

    /// Whether the library is not of the time before: it may have files of the user by these names.
    fn lacks(&self, library: &Library) -> bool {
        let Some(definition) = library.get(self.stage) else { return true };
        match self.now {
            Now::Output(old, _) => !gives_out(definition, old),
            // What it had is an input of another kind now, or none.
            Now::Wires(_) => {
                let still = self.had.iter().filter(|name| takes(definition, name)).count();
                !self.had.is_empty() && (still == 0 || still == self.had.len())
            }
            _ => !self.had.is_empty() && !self.had.iter().any(|name| takes(definition, name)),
        }
    }

    /// Changes a node of a level. Returns whether anything changed.
    fn rewrite(&self, level: &mut Level<'_>, name: &str) -> bool {
        match self.now {
            Now::Output(old, new) => level.rewire(name, old, &Link { node: name.into(), port: new.into() }),
            Now::Wires(rewire) => rewire(level, name),
            Now::Stage(becomes, outputs) => {
                for (old, new) in outputs {
                    level.rewire(name, old, &Link { node: name.into(), port: (*new).into() });
                }
                let node = level.nodes.get_mut(name);
                node.map(|node| node.kind = NodeKind::Stage(becomes.into())).is_some()
            }
            Now::Param(old, new) => {
                let Some(node) = level.nodes.get_mut(name) else { return false };
                let value = node.params.remove(old).map(|value| node.params.insert(new.into(), value));
                let wire = node.inputs.remove(old).map(|link| node.inputs.insert(new.into(), link));
                value.is_some() || wire.is_some()
            }
            Now::NoParam(old) => level.nodes.get_mut(name).is_some_and(|node| node.params.remove(old).is_some()),
        }
    }

    fn sentence(&self, path: &str) -> String {
        let stage = self.stage;
        let change = match self.now {
            Now::Stage(becomes, _) => format!("{stage} is now {becomes}"),
            Now::Output(old, new) => format!("the output `{old}` of {stage} is now `{new}`"),
            Now::Param(old, new) => format!("the parameter `{old}` of {stage} is now `{new}`"),
            Now::NoParam(old) => format!("{stage} has no parameter `{old}` any more"),
            Now::Wires(_) => format!("{stage} has changed"),
        };
        let differs = if self.differs.is_empty() { String::new() } else { format!(": {}", self.differs) };
        format!("{path}: {change}{differs}")
    }
}

/// Whether a stage or a group has an input or a parameter.
fn takes(definition: &Definition, name: &str) -> bool {
    match definition {
        Definition::Stage(stage) => {
            stage.inputs().any(|port| port.name == name) || stage.header.params.iter().any(|param| param.name == name)
        }
        Definition::Group(group) => group.inputs.contains_key(name) || group.params.contains_key(name),
    }
}

fn gives_out(definition: &Definition, name: &str) -> bool {
    match definition {
        Definition::Stage(stage) => stage.outputs().any(|port| port.name == name),
        Definition::Group(group) => group.outputs.contains_key(name),
    }
}

/// The rim that view/highlight drew on an image is one of the view/shape whose normals it read.
fn highlight(level: &mut Level<'_>, name: &str) -> bool {
    let Some(rim) = level.nodes.get(name).cloned() else { return false };
    let (Some(image), Some(normal)) = (rim.inputs.get("image"), rim.inputs.get("normal")) else { return false };
    let Some(view) = level.nodes.get_mut(&normal.node) else { return false };
    if view.kind != NodeKind::Stage("view/shape".into()) {
        return false;
    }
    for (input, of) in [("highlight", "amount"), ("lit", "shape")] {
        view.inputs.extend(rim.inputs.get(of).map(|link| (input.to_string(), link.clone())));
    }
    view.params.extend(rim.params.get("amount").map(|value| ("highlight".to_string(), value.clone())));
    view.params.extend(rim.params.get("color").map(|value| ("rim".to_string(), value.clone())));
    level.rewire(name, "result", image);
    level.rewire(name, "", image);
    level.nodes.remove(name);
    true
}

/// The density that the pointer feels is a grid, not a field made of one.
fn sampled_density(level: &mut Level<'_>, name: &str) -> bool {
    let density = level.nodes.get(name).and_then(|node| node.inputs.get("density"));
    let Some(field) = density.and_then(|link| level.nodes.get(&link.node)) else { return false };
    if field.kind != NodeKind::Stage("field/from_grid".into()) {
        return false;
    }
    let Some(grid) = field.inputs.get("grid").cloned() else { return false };
    level.nodes.get_mut(name).and_then(|node| node.inputs.insert("density".into(), grid)).is_some()
}

/// The kernel of the normal is a number of its own, made from the same mass and radius.
fn normal_kernel(level: &mut Level<'_>, name: &str) -> bool {
    let radius = level.nodes.get(name).and_then(|node| node.inputs.get("radius")).cloned();
    let Some((radius, from)) = radius.and_then(|link| Some((link.clone(), level.nodes.get(&link.node)?))) else {
        return false;
    };
    if from.kind != NodeKind::Stage("sph/coefficients".into()) {
        return false;
    }
    let mass = Link { node: radius.node.clone(), port: "mass".into() };
    let inputs = BTreeMap::from([("mass".to_string(), mass), ("radius".to_string(), radius)]);
    let kernel = Node { kind: NodeKind::Stage("sph/kernel".into()), inputs, at: from.at, ..Node::default() };
    let free = (1..).map(|n| if n == 1 { format!("{name}_kernel") } else { format!("{name}_kernel_{n}") });
    let Some(path) = free.into_iter().find(|path| !level.nodes.contains_key(path)) else { return false };
    let Some(node) = level.nodes.get_mut(name) else { return false };
    node.inputs.retain(|input, _| input != "radius" && input != "poly6_ratio");
    node.inputs.insert("kernel".into(), Link { node: path.clone(), port: "kernel".into() });
    level.nodes.insert(path, kernel);
    true
}
