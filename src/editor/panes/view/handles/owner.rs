//! Which parameters of the selected nodes have handles, their values, and whether they can be changed.

use std::collections::BTreeMap;

use crate::document::{Group, Link, Node, ParamValue};
use crate::edit;
use crate::library::Library;
use crate::model::session::Session;
use crate::panes::view::projection::Point;
use crate::stage::Stage;
use crate::stage::header::{Param, ParamType, Role};
use crate::stage::types::ValueType;

/// The most nodes of a selection that show handles.
const MOST: usize = 32;

/// A stage whose parameters have handles: a selected node, or one inside a selected group that exposes them.
#[derive(Clone)]
pub(super) struct Owner {
    /// The selected node, as it is shown.
    pub node: String,
    /// Path of the stage's own node.
    pub path: String,
    /// Parameters of the stage with a handle, by the stage's names, in the order of its header.
    pub spots: Vec<Spot>,
}

/// A parameter with a handle.
#[derive(Clone)]
pub(super) struct Spot {
    /// Path of the node whose parameter is set.
    pub node: String,
    /// Name of the parameter at that node.
    pub name: String,
    /// The parameter as the stage declares it.
    pub param: Param,
    /// Present value of the parameter, one number for each component.
    pub value: Vec<f64>,
    /// Why the handle cannot be dragged.
    pub locked: Option<String>,
}

impl Owner {
    /// The parameter of this name.
    pub(super) fn spot(&self, name: &str) -> Option<&Spot> {
        self.spots.iter().find(|spot| spot.param.name == name)
    }
}

/// What has handles in the selection.
pub(super) fn selected(session: &Session) -> Vec<Owner> {
    let library = session.library().clone();
    let mut owners = Vec::new();
    for name in session.selection.nodes.iter().take(MOST) {
        let Some(node) = session.nodes().get(name) else { continue };
        let (path, finder) = (session.scope().path(name), Finder { session, name });
        if let Some(stage) = edit::stage_of(node, &library) {
            owners.extend(finder.owner(&path, &stage, |param| finder.own_spot(&path, node, param, &param.name)));
        } else if let Some(group) = edit::group_of(node, &library) {
            finder.exposed(&path, node, group, &library, &mut owners);
        }
    }
    owners
}

struct Finder<'a> {
    session: &'a Session,
    name: &'a str,
}

impl Finder<'_> {
    fn owner(&self, path: &str, stage: &Stage, spot: impl Fn(&Param) -> Option<Spot>) -> Option<Owner> {
        let with = stage.header.params.iter().filter(|param| param.handle.is_some());
        let spots: Vec<Spot> = with.filter_map(spot).collect();
        (!spots.is_empty()).then(|| Owner { node: self.name.into(), path: path.into(), spots })
    }

    /// A parameter that this node sets under a name.
    fn own_spot(&self, path: &str, node: &Node, param: &Param, name: &str) -> Option<Spot> {
        let wired = node.inputs.get(name);
        let value = node.params.get(name).unwrap_or(&param.default);
        let computed = matches!(value, ParamValue::Expression(_) | ParamValue::Keys(_)) || wired.is_some();
        let from = |link: &Link| self.session.running_simulation()?.value(&self.session.wire_path(link)?);
        let running = || self.running(path, name).or_else(|| wired.and_then(from));
        let value = if computed { running()? } else { numbers(value, param, self.dim(path, name)) };
        let locked = match (wired, node.params.get(name)) {
            _ if !self.session.editable() => Some("The open group is from the library and read-only".into()),
            (Some(link), _) => Some(format!("Set by the wire from {link}")),
            (None, Some(ParamValue::Expression(text))) => Some(format!("Set by the expression {text}")),
            (None, Some(ParamValue::Keys(keys))) if keys.expr.is_some() => {
                Some("Set by the expression of its keys".into())
            }
            (None, Some(ParamValue::Keys(keys))) if !self.session.can_key(keys) => {
                Some("It has no key at this frame, and auto-key is off".into())
            }
            _ => None,
        };
        Some(Spot { node: path.into(), name: name.into(), param: param.clone(), value, locked })
    }

    /// Stages inside a group of which it exposes parameters.
    fn exposed(&self, path: &str, node: &Node, group: &Group, library: &Library, owners: &mut Vec<Owner>) {
        let mut stages: BTreeMap<String, (Stage, BTreeMap<String, String>)> = BTreeMap::new();
        for (exposed, links) in &group.params {
            let Some(link) = links.first() else { continue };
            if let Some((inside, stage, param)) = inner(group, &link.node, &link.port, library) {
                stages.entry(inside).or_insert_with(|| (stage, BTreeMap::new())).1.insert(param, exposed.clone());
            }
        }
        for (inside, (stage, names)) in stages {
            let inside = format!("{path}/{inside}");
            let spot = |param: &Param| match names.get(&param.name) {
                Some(exposed) => {
                    let mut spot = self.own_spot(path, node, param, exposed)?;
                    // Without a value on the group, that of the node inside applies.
                    if !node.params.contains_key(exposed)
                        && let Some(value) = self.running(&inside, &param.name)
                    {
                        spot.value = value;
                    }
                    Some(spot)
                }
                None => Some(Spot {
                    node: inside.clone(),
                    name: param.name.clone(),
                    param: param.clone(),
                    value: self.running(&inside, &param.name)?,
                    locked: Some(format!("The group {} does not expose it", self.name)),
                }),
            };
            owners.extend(self.owner(&inside, &stage, spot));
        }
    }

    /// The value in the running simulation.
    fn running(&self, path: &str, name: &str) -> Option<Vec<f64>> {
        self.session.running_simulation()?.value(&format!("{path}.{name}"))
    }

    /// Dimensions of a `Vec`.
    fn dim(&self, path: &str, name: &str) -> u32 {
        let path = format!("{path}.{name}");
        let plan = self.session.running_simulation().map(|simulation| simulation.plan());
        let slot = plan.and_then(|plan| plan.settings.iter().find(|slot| slot.paths.contains(&path)));
        slot.map_or_else(|| self.session.dim(), |slot| slot.dim).clamp(2, 3)
    }
}

/// The stage inside a group that an exposed parameter sets: the path of its node in the group, and the parameter's name there.
fn inner(group: &Group, node: &str, param: &str, library: &Library) -> Option<(String, Stage, String)> {
    let inside = group.nodes.get(node)?;
    if let Some(stage) = edit::stage_of(inside, library) {
        return Some((node.into(), Stage::clone(&stage), param.into()));
    }
    let nested = edit::group_of(inside, library)?;
    let link = nested.params.get(param)?.first()?;
    let (path, stage, param) = inner(nested, &link.node, &link.port, library)?;
    Some((format!("{node}/{path}"), stage, param))
}

/// The components of a constant.
fn numbers(value: &ParamValue, param: &Param, dim: u32) -> Vec<f64> {
    let count = match param.ty {
        ParamType::Value(ty) => ty.components(dim) as usize,
        _ => 1,
    };
    match value {
        ParamValue::Number(number) => vec![*number; count],
        ParamValue::Vector(parts) => (0..count).map(|part| parts.get(part).copied().unwrap_or(0.0)).collect(),
        _ => vec![0.0; count],
    }
}

impl Spot {
    /// Whether the handle lies in three dimensions.
    pub(super) fn in_space(&self) -> bool {
        self.param.ty != ParamType::Value(ValueType::Vec2) && self.value.len() == 3
    }

    /// The parameter's value as a vector; without a unit, as a fraction of a domain of this size \[m\].
    pub(super) fn vector(&self, size: Point) -> Point {
        let part = |axis: usize| self.value.get(axis).copied().unwrap_or(0.0);
        std::array::from_fn(|axis| part(axis) * self.factor(size, axis))
    }

    /// The parameter's value as a length \[m\].
    pub(super) fn length(&self, size: Point) -> f64 {
        self.value.first().copied().unwrap_or(0.0) * self.factor(size, 0)
    }

    /// What one unit of the value is in the world: of a length without a unit the size of the domain \[m\].
    pub(super) fn factor(&self, size: Point, axis: usize) -> f64 {
        let share = self.param.unit.is_empty() && self.role().is_length();
        if share { size[axis].max(1e-9) } else { 1.0 }
    }

    /// The part of a shape that it sets.
    pub(super) fn role(&self) -> Role {
        self.param.handle.as_ref().map_or(Role::Position, |handle| handle.role)
    }

    /// The name of the position that it belongs to.
    pub(super) fn position_name(&self) -> Option<&str> {
        self.param.handle.as_ref()?.of.as_deref()
    }

    /// The value for a vector in the world.
    pub(super) fn parts_of(&self, vector: Point, size: Point) -> Vec<f64> {
        (0..self.value.len().min(3)).map(|axis| vector[axis] / self.factor(size, axis)).collect()
    }

    /// Clamped to the range of the parameter, as it is written in a document.
    pub(super) fn written(&self, value: &[f64]) -> ParamValue {
        let (low, high) = self.param.range;
        let fit = |value: &f64| value.max(low.unwrap_or(f64::NEG_INFINITY)).min(high.unwrap_or(f64::INFINITY));
        match value {
            [one] if self.value.len() == 1 => ParamValue::Number(fit(one)),
            parts => ParamValue::Vector(parts.iter().map(fit).collect()),
        }
    }
}
