//! Fields of the kinds of nodes that are no stages, and of every node's way to run.

use eframe::egui::{self, RichText, Ui};

use super::value::{self, Change, Field, row};
use super::{Inspected, section};
use crate::app::theme;
use crate::document::{Document, Domain, Node, NodeKind, Output, ParamValue};
use crate::expr::Numbers;
use crate::stage::header::{Direction, ParamType};
use crate::stage::types::{EdgeRule, ValueType, WireType};

const STATES: [&str; 7] = [
    "Grid<f32>",
    "Grid<Vec>",
    "Grid<vec4f>",
    "FaceGrid",
    "Grid<u32>",
    "Grid<i32>",
    "Particles{position: Vec, velocity: Vec}",
];
/// Room that a State gets when it is made one of particles.
const PARTICLES: f64 = 10_000.0;
const MAX_CELLS: u32 = 65_536;
const MAX_PIXELS: u32 = 16_384;
const MAX_PARTICLES: u32 = 1 << 29;
/// Width of an expression that others stand beside \[points\].
const EXPRESSION: f32 = 110.0;

/// What only this kind of node has.
pub(super) fn own(ui: &mut Ui, one: &mut Inspected<'_>) {
    match one.node.kind.clone() {
        NodeKind::Domain(domain) => self::domain(ui, one, domain),
        NodeKind::State(ty) => state(ui, one, &ty),
        NodeKind::Number(number) => {
            let field = plain("value", ValueType::F32, "A constant, or an expression evaluated every frame");
            if let Some(change) = field.show(ui, one.id("value"), Some(&number), &one.numbers) {
                let value = if let Change::Set(value) = change { value } else { field.default };
                one.set("value", value);
            }
        }
        NodeKind::Output(output) => {
            one.wire(ui, "image", "The picture that leaves the graph");
            self::output(ui, one, output);
        }
        NodeKind::File(path) => file(ui, one, &path),
        NodeKind::Unknown => {
            ui.label(
                RichText::new("This build does not know what this node is. It is kept as it is:")
                    .color(theme::of(ui).dim),
            );
            for (key, text) in &one.node.extra {
                ui.label(RichText::new(format!("{key}: {text}")).monospace());
            }
        }
        NodeKind::Group(_) | NodeKind::Stage(_) | NodeKind::Custom(_) | NodeKind::Reroute => {}
    }
}

/// How often and over which domain a node runs.
pub(super) fn run(ui: &mut Ui, one: &mut Inspected<'_>) {
    let repeats = match &one.node.kind {
        NodeKind::Group(_) => true,
        _ => crate::edit::stage_of(&one.node, one.session.library())
            .is_some_and(|stage| stage.header.ports.iter().any(|port| port.direction == Direction::InOut)),
    };
    let domains: Vec<String> = domains(one.session.document());
    let placed =
        matches!(one.node.kind, NodeKind::Stage(_) | NodeKind::Custom(_) | NodeKind::State(_) | NodeKind::File(_));
    let choose = placed && (domains.len() > 1 || one.node.on.is_some());
    if repeats || one.node.iterations.is_some() || choose {
        section(ui, "Run");
    }
    if repeats || one.node.iterations.is_some() {
        let field = Field {
            range: (Some(1.0), Some(10_000.0)),
            soft: (Some(1.0), Some(100.0)),
            default: ParamValue::Number(1.0),
            ..plain("iterations", ValueType::U32, "How often the node runs in a frame; no expression of time")
        };
        let name = one.path.clone();
        match field.show(ui, one.id("iterations"), one.node.iterations.as_ref(), &one.numbers) {
            Some(Change::Set(value)) => one.session.edit(&format!("{name}.iterations"), |document| {
                change(document, &name, |node| node.iterations = Some(value));
            }),
            Some(Change::Reset) => one.session.edit("reset iterations", |document| {
                change(document, &name, |node| node.iterations = None);
            }),
            None => {}
        }
    }
    if choose {
        self::on(ui, one, &domains);
    }
}

fn on(ui: &mut Ui, one: &mut Inspected<'_>, domains: &[String]) {
    row(ui, "domain", "Where the node runs, when that does not follow from its wires", |ui| {
        let current = one.node.on.clone();
        let text = current.clone().unwrap_or_else(|| "follows from the wires".into());
        egui::ComboBox::from_id_salt("on").selected_text(text).width(180.0).show_ui(ui, |ui| {
            let choices = std::iter::once(None).chain(domains.iter().cloned().map(Some));
            for choice in choices {
                let text = choice.clone().unwrap_or_else(|| "follows from the wires".into());
                if ui.selectable_label(choice == current, text).clicked() {
                    let name = one.path.clone();
                    one.session.edit("on", |document| change(document, &name, |node| node.on = choice));
                }
            }
        });
    });
}

fn domain(ui: &mut Ui, one: &mut Inspected<'_>, mut domain: Domain) {
    let before = domain.clone();
    row(ui, "space", "Whether stages run in 2D or 3D", |ui| {
        for (axes, text) in [(2, "2D"), (3, "3D")] {
            if ui.selectable_label(domain.resolution.len() == axes, text).clicked() {
                let last = domain.resolution.last().cloned().unwrap_or(ParamValue::Number(64.0));
                let new = if let ParamValue::Number(n) = last { ParamValue::Number(n.min(128.0)) } else { last };
                domain.resolution.resize(axes, new);
            }
        }
    });
    row(ui, "resolution", "Cells along each axis; a change of it starts the States anew", |ui| {
        for (axis, cells) in domain.resolution.iter_mut().enumerate() {
            let id = one.id("resolution").with(axis);
            fixed(ui, id, cells, &one.numbers, |ui, cells| whole_number(ui, id, cells, MAX_CELLS));
        }
        ui.label(RichText::new("cells").color(theme::of(ui).faint).small());
    });
    row(ui, "width", "Extent along x; cells are cubic", |ui| {
        let id = one.id("width");
        fixed(ui, id, &mut domain.width, &one.numbers, |ui, width| {
            held(ui, id, width, |value| egui::DragValue::new(value).speed(0.01).range(1e-6..=1e6).max_decimals(6));
        });
        ui.label(RichText::new("m").color(theme::of(ui).faint).small());
    });
    row(ui, "edge", "What stages read outside", |ui| {
        egui::ComboBox::from_id_salt("edge").selected_text(&domain.edge).show_ui(ui, |ui| {
            for rule in EdgeRule::ALL {
                ui.selectable_value(&mut domain.edge, rule.name().to_string(), rule.name());
            }
        });
    });
    if domain != before {
        let name = one.path.clone();
        let edit = |document: &mut Document| change(document, &name, |node| node.kind = NodeKind::Domain(domain));
        one.session.edit("domain", edit);
    }
}

fn state(ui: &mut Ui, one: &mut Inspected<'_>, ty: &str) {
    row(ui, "holds", "What a cell keeps from frame to frame", |ui| {
        egui::ComboBox::from_id_salt("type").selected_text(ty.split('{').next().unwrap_or(ty)).width(150.0).show_ui(
            ui,
            |ui| {
                for choice in STATES {
                    if ui.selectable_label(choice == ty, choice).clicked() {
                        let name = one.path.clone();
                        let kind = NodeKind::State(choice.to_string());
                        let room = choice.starts_with("Particles").then_some(ParamValue::Number(PARTICLES));
                        one.session.edit("state", |document| {
                            change(document, &name, |node| {
                                node.kind = kind;
                                node.capacity = room.and_then(|room| node.capacity.take().or(Some(room)));
                            });
                        });
                    }
                }
            },
        );
    });
    let particles = ty.starts_with("Particles");
    if particles {
        row(ui, "attributes", "What each particle has, such as {position: Vec, age: f32}", |ui| {
            let id = one.id("attributes");
            let shown = ty.trim_start_matches("Particles");
            let typed =
                value::text(ui, id, shown, |text| egui::TextEdit::singleline(text).desired_width(f32::INFINITY));
            if let Some(text) = typed {
                let (name, kind) = (one.path.clone(), NodeKind::State(format!("Particles{}", text.trim())));
                one.session.edit("attributes", |document| change(document, &name, |node| node.kind = kind));
            }
        });
        capacity(ui, one);
    }
    for (port, doc) in [("next", "The value in the next frame"), ("init", "The value after a reset")] {
        if port == "next" || one.node.inputs.contains_key(port) {
            one.wire(ui, port, doc);
        }
    }
    if !one.node.inputs.contains_key("init") && !particles {
        let value = WireType::parse(ty).map_or(ValueType::F32, WireType::value);
        let field = Field { dim: one.dim("value"), ..plain("value", value, "The value after a reset, in every cell") };
        one.field(ui, &field);
    }
}

fn capacity(ui: &mut Ui, one: &mut Inspected<'_>) {
    let before = one.node.capacity.clone().unwrap_or(ParamValue::Number(0.0));
    let mut now = before.clone();
    row(ui, "capacity", "How many particles it holds at most; a change of it starts the State anew", |ui| {
        let id = one.id("capacity");
        fixed(ui, id, &mut now, &one.numbers, |ui, count| whole_number(ui, id, count, MAX_PARTICLES));
    });
    if now != before {
        let name = one.path.clone();
        one.session.edit("capacity", |document| change(document, &name, |node| node.capacity = Some(now)));
    }
}

fn output(ui: &mut Ui, one: &mut Inspected<'_>, mut output: Output) {
    let before = output.clone();
    row(ui, "size", "Pixels; without a size of its own, one for each cell", |ui| {
        let mut own = output.size.is_some();
        if ui.checkbox(&mut own, "").changed() {
            output.size = own.then_some((512, 512));
        }
        match &mut output.size {
            Some((width, height)) => {
                whole(ui, one.id("width"), width, MAX_PIXELS);
                whole(ui, one.id("height"), height, MAX_PIXELS);
            }
            None => drop(ui.label(RichText::new("one pixel a cell").color(theme::of(ui).faint))),
        }
    });
    if output != before {
        let name = one.path.clone();
        one.session.edit("output", |document| change(document, &name, |node| node.kind = NodeKind::Output(output)));
    }
}

fn file(ui: &mut Ui, one: &mut Inspected<'_>, path: &str) {
    row(ui, "file", "A mesh or a picture, named from the folder of the graph", |ui| {
        let id = one.id("file");
        let typed = value::text(ui, id, path, |text| egui::TextEdit::singleline(text).desired_width(180.0));
        if let Some(text) = typed {
            let name = one.path.clone();
            one.session.edit("file", |document| change(document, &name, |node| node.kind = NodeKind::File(text)));
        }
    });
    for (name, ty, doc) in [
        ("center", ValueType::Vec3, "Where the middle of the shape goes"),
        ("size", ValueType::F32, "Its longest side; 0 keeps the units of the file"),
    ] {
        one.field(ui, &Field { dim: 3, unit: "m", ..plain(name, ty, doc) });
    }
}

fn domains(document: &Document) -> Vec<String> {
    let domain = |node: &Node| matches!(node.kind, NodeKind::Domain(_));
    document.nodes.iter().filter(|(_, node)| domain(node)).map(|(name, _)| name.clone()).collect()
}

fn change(document: &mut Document, name: &str, change: impl FnOnce(&mut Node)) {
    if let Some(node) = document.node_mut(name) {
        change(node);
    }
}

/// A number that takes effect when it is let go, since it costs a recompile and the States.
pub(super) fn held<T: Copy + Send + Sync + 'static>(
    ui: &mut Ui,
    id: egui::Id,
    value: &mut T,
    build: impl FnOnce(&mut T) -> egui::DragValue<'_>,
) {
    let mut shown = ui.data_mut(|data| data.get_temp::<T>(id)).unwrap_or(*value);
    let response = ui.add(build(&mut shown).update_while_editing(false));
    if response.dragged() {
        ui.data_mut(|data| data.insert_temp(id, shown));
    } else {
        ui.data_mut(|data| data.remove::<T>(id));
        if response.drag_stopped() || response.changed() {
            *value = shown;
        }
    }
}

fn whole(ui: &mut Ui, id: egui::Id, value: &mut u32, most: u32) {
    held(ui, id, value, |value| egui::DragValue::new(value).range(1..=most));
}

/// The same, of a number that holds whole ones.
fn whole_number(ui: &mut Ui, id: egui::Id, value: &mut f64, most: u32) {
    let before = *value as u32;
    let mut now = before;
    whole(ui, id, &mut now, most);
    if now != before {
        *value = f64::from(now);
    }
}

/// A number that the plan is made with: a constant, or an expression of numbers that are constant.
fn fixed(
    ui: &mut Ui,
    id: egui::Id,
    value: &mut ParamValue,
    numbers: &Numbers,
    constant: impl FnOnce(&mut Ui, &mut f64),
) {
    let set = match &*value {
        ParamValue::Expression(text) => value::expression(ui, id, text, numbers, EXPRESSION),
        other => {
            let before = if let ParamValue::Number(v) = other { *v } else { 1.0 };
            let mut now = before;
            constant(ui, &mut now);
            (now != before).then_some(ParamValue::Number(now))
        }
    };
    let other = value::function(ui, value, &ParamValue::Number(1.0), numbers);
    if let Some(set) = set.or(other) {
        *value = set;
    }
}

fn plain<'a>(name: &'a str, ty: ValueType, doc: &'a str) -> Field<'a> {
    let default = ParamValue::Number(0.0);
    let open = (None, None);
    Field { name, ty: ParamType::Value(ty), dim: 2, default, range: open, soft: open, unit: "", doc }
}
