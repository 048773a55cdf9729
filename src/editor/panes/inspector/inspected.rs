//! The node that is shown: its path, its fields' places, and where changes of its values go.

use eframe::egui::{Id, RichText, Ui};

use super::keys;
use super::value::Site;
use crate::commands::action::Actions;
use crate::document::{Node, NodeKind, ParamValue};
use crate::expr::{Number, Numbers, usable};
use crate::graph::numbers::named;
use crate::model::session::Session;
use crate::stage::types::{Element, PortType, ValueType};
use crate::toolkit::theme;

/// A node, and where changes of its values go.
pub(super) struct Inspected<'a> {
    pub(super) name: String,
    /// The node's name with the groups that it is in.
    pub(super) path: String,
    pub(super) node: Node,
    /// Paths of others of the same kind, which get the same values, and these nodes.
    others: Vec<(String, Node)>,
    pub(super) session: &'a mut Session,
    pub(super) actions: &'a mut Actions,
    /// What expressions may name.
    pub(super) numbers: Numbers,
    /// Whether anything may be changed.
    pub(super) editable: bool,
    /// Why a change failed.
    pub(super) change_result: Result<(), String>,
}

impl<'a> Inspected<'a> {
    pub(super) fn new(
        session: &'a mut Session,
        name: &str,
        others: Vec<(String, Node)>,
        actions: &'a mut Actions,
    ) -> Option<Inspected<'a>> {
        let node = session.nodes().get(name)?.clone();
        let numbers = numbers_of(session);
        let (path, editable) = (session.scope().path(name), session.editable());
        let (name, change_result) = (name.to_string(), Ok(()));
        Some(Inspected { name, path, node, others, session, actions, numbers, editable, change_result })
    }
}

/// The id of a row, by the path of its node.
pub(super) fn row_id(path: &str, field: &str) -> Id {
    Id::new(("inspector", path, field))
}

/// Numbers that expressions of the open level may name: its own, and number inputs of its group.
fn numbers_of(session: &Session) -> Numbers {
    let mut numbers = named(session.nodes());
    let group = session.scope().to_string();
    for (name, ty) in session.group().into_iter().flat_map(|group| &group.inputs) {
        let Some(PortType::Number(element)) = PortType::parse(ty) else { continue };
        if numbers.contains_key(name) || !usable(name) {
            continue;
        }
        let now = session.running_simulation().and_then(|simulation| simulation.value(&format!("{group}.{name}")));
        let parts = match element {
            Element::Fixed(value) => value.components(3) as usize,
            Element::Generic(_) => 1,
        };
        let number = now.and_then(|now| Number::vector(&now)).or_else(|| Number::vector(&vec![0.0; parts]));
        numbers.insert(name.clone(), number.unwrap_or(Number::scalar(0.0)));
    }
    numbers
}

impl Inspected<'_> {
    pub(super) fn id(&self, field: &str) -> Id {
        row_id(&self.path, field)
    }

    /// Where a field's value is.
    pub(super) fn site(&self, field: &str, held: bool) -> Site<'_> {
        let path = format!("{}.{field}", self.path);
        let now = self.session.running_simulation().and_then(|simulation| simulation.value(&path));
        let value = self.node.params.get(field);
        let mixed = self.others.iter().any(|(_, node)| node.params.get(field) != value);
        let id = self.id(field);
        // Nodes of a library group are no part of the document.
        let variant = self.session.variant().filter(|_| self.editable).map(str::to_string);
        let set = self.session.document().set_by_variant(&self.path, field).is_some();
        let variant = variant.map(|name| (name, set));
        let clock = (!held).then(|| keys::Clock { frame: self.session.frame(), auto: self.session.auto_key() });
        let numbers = &self.numbers;
        Site { id, path, numbers, now, mixed, held, inputs: None, computed: true, clock, border: None, variant }
    }

    pub(super) fn paths(&self) -> Vec<String> {
        std::iter::once(&self.path).chain(self.others.iter().map(|(path, _)| path)).cloned().collect()
    }

    pub(super) fn set(&mut self, param: &str, value: ParamValue) {
        // The field is shown because the nodes have it.
        let _ = self.session.set_params(&self.paths(), param, &value);
    }

    /// Makes a value part of the chosen variant, or no longer.
    pub(super) fn vary(&mut self, param: &str, vary: bool) {
        self.session.vary(&self.paths(), param, vary);
    }

    /// Changes the node itself, which makes a new plan.
    pub(super) fn change(&mut self, gesture: &str, change: impl FnOnce(&mut Node)) {
        let path = self.path.clone();
        self.session.edit(&format!("{path} {gesture}"), |document| {
            if let Some(node) = document.node_mut(&path) {
                change(node);
            }
        });
    }

    /// Type and dimension that the running plan gives a value.
    pub(super) fn slot(&self, param: &str) -> Option<(ValueType, u32)> {
        let path = format!("{}.{param}", self.path);
        let plan = self.session.running_simulation()?.plan();
        plan.settings.iter().find(|slot| slot.paths.contains(&path)).map(|slot| (slot.ty, slot.dim))
    }

    /// Dimensions of the domain that the node names.
    pub(super) fn space(&self) -> Option<u32> {
        match &self.session.nodes().get(self.node.on.as_ref()?)?.kind {
            NodeKind::Domain(domain) => Some(domain.resolution.len() as u32),
            _ => None,
        }
    }

    pub(super) fn dim(&self, param: &str) -> u32 {
        let domains = self.session.document().nodes.values().filter_map(|node| match &node.kind {
            NodeKind::Domain(domain) => Some(domain.resolution.len() as u32),
            _ => None,
        });
        self.slot(param).map(|(_, dim)| dim).or(domains.max()).unwrap_or(2).clamp(2, 3)
    }
}

/// Text that is not a value.
pub(super) fn dim_label(ui: &mut Ui, text: impl Into<String>) {
    ui.label(RichText::new(text).color(theme::current(ui).dim));
}
