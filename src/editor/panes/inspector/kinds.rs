//! Fields of each kind of node, and of how every node runs.

use eframe::egui::{self, RichText, Ui, WidgetInfo, WidgetType};

use super::domain::{self, fixed};
use super::value::{Change, Field, Site, plain};
use super::{Inspected, blocks, dim_label, level, precision};
use crate::document::sequence::Pattern;
use crate::document::{Document, FileContent, FileOptions, FileSource, Node, NodeKind, Output, ParamValue, Until};
use crate::expr::typed;
use crate::model::declared::iterations;
use crate::stage::header::Direction;
use crate::stage::types::{ValueType, WireType};
use crate::toolkit::notice;
use crate::toolkit::row::{faint, row, section, text_row};

const STATES: [&str; 7] = [
    "Grid<f32>",
    "Grid<Vec>",
    "Grid<vec4f>",
    "FaceGrid",
    "Grid<u32>",
    "Grid<i32>",
    "Particles{position: Vec, velocity: Vec}",
];
/// Capacity that a State gets when it is changed to particles.
const PARTICLES: f64 = 10_000.0;
const MAX_PIXELS: f64 = 16_384.0;
const MAX_PARTICLES: f64 = 536_870_912.0;

/// The fields of the kind of node.
pub(super) fn fields(ui: &mut Ui, one: &mut Inspected<'_>) {
    match one.node.kind.clone() {
        NodeKind::Domain(domain) => domain::show(ui, one, &domain),
        NodeKind::State(ty) => drop(section(ui, "State", |ui| state(ui, one, &ty))),
        NodeKind::Number(number) => number_field(ui, one, &number),
        NodeKind::Output(output) => drop(section(ui, "Output", |ui| self::output(ui, one, output))),
        NodeKind::File(source) => drop(section(ui, "File", |ui| file(ui, one, &source))),
        NodeKind::Unknown => {
            dim_label(ui, "This version does not know this kind of node. It is kept unchanged:");
            for (key, text) in &one.node.extra {
                ui.label(RichText::new(format!("{key}: {text}")).monospace());
            }
        }
        NodeKind::Group(_) | NodeKind::Stage(_) if is_group(one) => {
            section(ui, "Group", |ui| level::inside(ui, one));
        }
        NodeKind::Group(_) | NodeKind::Stage(_) | NodeKind::Custom(_) | NodeKind::Reroute => {}
    }
}

fn is_group(one: &Inspected<'_>) -> bool {
    crate::edit::group_of(&one.node, one.session.library()).is_some()
}

fn number_field(ui: &mut Ui, one: &mut Inspected<'_>, number: &ParamValue) {
    // Older files have it among the parameters.
    let value = one.node.params.get("value").unwrap_or(number).clone();
    let ty = match &value {
        ParamValue::Vector(parts) => vector(parts.len()),
        ParamValue::Keys(keys) => vector(keys.components()),
        _ => ValueType::F32,
    };
    let field = plain("value", ty, "A constant, or an expression evaluated every frame");
    let site = one.site("value", false);
    let shown = |ui: &mut Ui| field.show(ui, &site, Some(&value));
    let change = ui.add_enabled_ui(one.editable, shown).inner;
    match change {
        Some(Change::Set(value)) => one.set("value", value),
        Some(Change::Reset) => one.set("value", field.default),
        Some(Change::Vary(vary)) => one.vary("value", vary),
        Some(Change::Key { now, whole }) => one.session.insert_key(&one.paths(), "value", &now, whole),
        Some(Change::Unkey) => one.session.remove_key(&one.paths(), "value"),
        Some(Change::Border(_)) | None => {}
    }
}

fn vector(components: usize) -> ValueType {
    match components {
        2 => ValueType::Vec2,
        3 => ValueType::Vec3,
        4 => ValueType::Vec4,
        _ => ValueType::F32,
    }
}

/// How often and over which domain a node runs, and how it stores what it writes.
pub(super) fn run(ui: &mut Ui, one: &mut Inspected<'_>) {
    let library = one.session.library().clone();
    let repeats = match &one.node.kind {
        NodeKind::Group(_) => true,
        _ => crate::edit::stage_of(&one.node, &library)
            .is_some_and(|stage| stage.header.ports.iter().any(|port| port.direction == Direction::InOut)),
    };
    let repeats = repeats || is_group(one) || one.node.iterations.is_some();
    let domains: Vec<String> = domains(one.session.document());
    let choose = one.node.kind.info().on_domain && (domains.len() > 1 || one.node.on.is_some());
    let stores = !matches!(one.node.kind, NodeKind::State(_)) && precision::applies(one);
    let confined = blocks::applies(one);
    if !repeats && !choose && !stores && !confined {
        return;
    }
    section(ui, "Run", |ui| {
        if repeats {
            self::repeats(ui, one);
        }
        if is_group(one) || one.node.until.is_some() {
            until(ui, one);
        }
        if choose {
            ui.add_enabled_ui(one.editable, |ui| on(ui, one, &domains));
        }
        if confined {
            ui.add_enabled_ui(one.editable, |ui| blocks::show(ui, one));
        }
        if stores {
            ui.add_enabled_ui(one.editable, |ui| precision::show(ui, one));
        }
    });
}

fn repeats(ui: &mut Ui, one: &mut Inspected<'_>) {
    let count = iterations();
    let field = Field {
        range: count.range,
        soft: count.soft,
        default: count.default,
        ..plain("iterations", ValueType::U32, "How many times the node runs per frame. Cannot depend on time")
    };
    let site = one.site("iterations", true);
    let shown = |ui: &mut Ui| field.show(ui, &site, one.node.iterations.as_ref());
    let change = ui.add_enabled_ui(one.editable, shown).inner;
    match change {
        Some(Change::Set(value)) => one.change("iterations", |node| node.iterations = Some(value)),
        Some(Change::Reset) => one.change("reset iterations", |node| node.iterations = None),
        Some(Change::Vary(vary)) => one.vary("iterations", vary),
        Some(_) | None => {}
    }
}

/// Which number stops a group before its last iteration, and below which limit.
fn until(ui: &mut Ui, one: &mut Inspected<'_>) {
    let current = one.node.until.clone();
    let outputs: Vec<String> = crate::edit::group_of(&one.node, one.session.library())
        .map_or_else(Vec::new, |group| group.outputs.keys().cloned().collect());
    let mut chosen = None;
    let text = |choice: Option<&str>| choice.unwrap_or("after all iterations").to_string();
    let doc = "The group stops when this output (a number) falls below the limit. The GPU checks it";
    ui.add_enabled_ui(one.editable, |ui| {
        row(ui, "stop", doc, |ui| {
            let number = current.as_ref().map(|until| until.number.as_str());
            let combo = egui::ComboBox::from_id_salt("until").selected_text(text(number)).width(ui.available_width());
            let shown = combo.truncate().show_ui(ui, |ui| {
                for choice in std::iter::once(None).chain(outputs.iter().map(|name| Some(name.as_str()))) {
                    if ui.selectable_label(number == choice, text(choice)).clicked() {
                        chosen = Some(choice.map(str::to_string));
                    }
                }
            });
            shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "param stop"));
        });
    });
    if let Some(choice) = chosen {
        let before = current.clone().unwrap_or_default();
        let until = choice.map(|number| Until { number, ..before });
        one.change("until", |node| node.until = until);
    }
    let Some(until) = current else { return };
    let field = plain("until", ValueType::F32, "The group stops when the output falls below this limit");
    let site = one.site("until", false);
    let change = ui.add_enabled_ui(one.editable, |ui| field.show(ui, &site, Some(&until.below))).inner;
    match change {
        Some(Change::Set(value)) => one.set("until", value),
        Some(Change::Reset) => one.set("until", field.default),
        Some(Change::Vary(vary)) => one.vary("until", vary),
        Some(Change::Key { now, whole }) => one.session.insert_key(&one.paths(), "until", &now, whole),
        Some(Change::Unkey) => one.session.remove_key(&one.paths(), "until"),
        Some(Change::Border(_)) | None => {}
    }
    let field = Field {
        range: iterations().range,
        default: ParamValue::Number(1.0),
        ..plain("every", ValueType::U32, "Iterations between two checks")
    };
    let site = Site { computed: false, variant: None, ..one.site("every", true) };
    let every = ParamValue::Number(until.every.into());
    let change = ui.add_enabled_ui(one.editable, |ui| field.show(ui, &site, Some(&every))).inner;
    let every = match change {
        Some(Change::Set(ParamValue::Number(every))) => every as u32,
        Some(Change::Reset) => 1,
        _ => return,
    };
    one.change("every", |node| node.until.iter_mut().for_each(|until| until.every = every));
}

fn on(ui: &mut Ui, one: &mut Inspected<'_>, domains: &[String]) {
    let current = one.node.on.clone();
    let mut chosen = None;
    let text = |choice: &Option<String>| choice.clone().unwrap_or_else(|| "inferred from the wires".into());
    row(ui, "domain", "Domain that the node runs on, if it cannot be inferred from the wires", |ui| {
        let combo = egui::ComboBox::from_id_salt("on").selected_text(text(&current)).width(ui.available_width());
        let shown = combo.truncate().show_ui(ui, |ui| {
            for choice in std::iter::once(None).chain(domains.iter().cloned().map(Some)) {
                if ui.selectable_label(choice == current, text(&choice)).clicked() {
                    chosen = Some(choice);
                }
            }
        });
        shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "param domain"));
    });
    if let Some(choice) = chosen {
        one.change("on", |node| node.on = choice);
    }
}

fn state(ui: &mut Ui, one: &mut Inspected<'_>, ty: &str) {
    let mut chosen = None;
    let particles = ty.starts_with("Particles");
    ui.add_enabled_ui(one.editable, |ui| {
        row(ui, "holds", "Type of the stored value", |ui| {
            let shown = ty.split('{').next().unwrap_or(ty);
            let combo = egui::ComboBox::from_id_salt("type").selected_text(shown).width(ui.available_width());
            let shown = combo.truncate().show_ui(ui, |ui| {
                for choice in STATES {
                    if ui.selectable_label(choice == ty, choice).clicked() {
                        chosen = Some(choice.to_string());
                    }
                }
            });
            shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "param holds"));
        });
        if particles {
            let about = "Attributes of each particle, such as {position: Vec, age: f32}";
            let typed = text_row(ui, one.id("attributes"), "attributes", about, ty.trim_start_matches("Particles"), 1);
            chosen = chosen.take().or(typed.map(|text| format!("Particles{}", text.trim())));
            capacity(ui, one);
        }
        if precision::applies(one) {
            precision::show(ui, one);
        }
    });
    if let Some(ty) = chosen {
        one.change("state", |node| {
            let room = ty.starts_with("Particles").then_some(ParamValue::Number(PARTICLES));
            // A precision that does not apply is removed.
            let suits = WireType::parse(&ty).is_some_and(|ty| crate::graph::precision::of_state(ty).is_ok());
            node.precision = node.precision.take().filter(|_| suits);
            node.kind = NodeKind::State(ty);
            node.capacity = room.and_then(|room| node.capacity.take().or(Some(room)));
        });
    }
    if !one.node.inputs.contains_key("init") && !particles {
        let value = WireType::parse(ty).map_or(ValueType::F32, WireType::value);
        let field = Field { dim: one.dim("value"), ..plain("value", value, "Value of every cell after a reset") };
        one.field(ui, &field);
    }
    let domain = one.session.running_simulation().and_then(|simulation| {
        let plan = simulation.plan();
        let held = |state: &&crate::plan::State| {
            let attribute = state.node.strip_prefix(&one.path).filter(|rest| rest.is_empty() || rest.starts_with('.'));
            attribute.is_some()
        };
        let buffers = plan.states.iter().filter(held).filter_map(|state| plan.buffers.get(state.buffer));
        let bytes: u64 = buffers.map(|buffer| buffer.bytes).sum();
        (bytes > 0).then(|| crate::plan::mebibytes(bytes))
    });
    if let Some(memory) = domain {
        row(ui, "memory", "GPU memory of this State", |ui| dim_label(ui, memory));
    }
}

fn capacity(ui: &mut Ui, one: &mut Inspected<'_>) {
    let before = one.node.capacity.clone().unwrap_or(ParamValue::Number(0.0));
    let mut now = before.clone();
    let about = "Maximum number of particles. Changing it resets the State";
    let range = (Some(1.0), Some(MAX_PARTICLES));
    let field = Field { range, soft: (Some(1.0), Some(1_000_000.0)), ..plain("capacity", ValueType::U32, about) };
    let vary = fixed(ui, &one.site("capacity", true), field, &mut now);
    if let Some(vary) = vary {
        one.vary("capacity", vary);
    } else if now != before {
        one.change("capacity", |node| node.capacity = Some(now));
    }
}

fn output(ui: &mut Ui, one: &mut Inspected<'_>, mut output: Output) {
    let before = output.clone();
    ui.add_enabled_ui(one.editable, |ui| {
        row(ui, "Custom size", "Size in pixels. If off, one pixel per cell", |ui| {
            let mut custom = output.size.is_some();
            let response = ui.checkbox(&mut custom, "");
            response.widget_info(|| WidgetInfo::selected(WidgetType::Checkbox, true, custom, "param Custom size"));
            if response.changed() {
                output.size = custom.then_some((512, 512));
            }
            if output.size.is_none() {
                ui.label(faint(ui, "one pixel per cell"));
            }
        });
        if let Some((width, height)) = &mut output.size {
            for (name, pixels) in [("width", width), ("height", height)] {
                let mut value = ParamValue::Number(f64::from(*pixels));
                let range = (Some(1.0), Some(MAX_PIXELS));
                let field = Field { range, unit: "px", ..plain(name, ValueType::U32, "Pixels") };
                fixed(ui, &Site { computed: false, variant: None, ..one.site(name, true) }, field, &mut value);
                if let ParamValue::Number(new) = value {
                    *pixels = new as u32;
                }
            }
        }
    });
    if output != before {
        one.change("output", |node| node.kind = NodeKind::Output(output));
    }
}

fn file(ui: &mut Ui, one: &mut Inspected<'_>, source: &FileSource) {
    let about = "Mesh, image, grid, particles, sound or table, relative to the folder of the graph";
    let id = one.id("file");
    let (content, mut changed) = (source.content(), source.clone());
    ui.add_enabled_ui(one.editable, |ui| {
        if let Some(text) = text_row(ui, id, "file", about, source.path(), 1) {
            changed.set_path(text);
        }
        let readings = "What the file is taken as. Points start the particles of a State; distance and grid have a value in each cell";
        if !source.readings().is_empty() {
            let mut reading = source.reading().map(str::to_string);
            choice(ui, "as", readings, &mut reading, source.readings());
            if reading.as_deref() != source.reading() {
                changed.set_reading(reading);
            }
        }
        file_options(ui, one, source, &mut changed.options);
        if content == FileContent::Track {
            number(ui, one.id("first"), "first", "Frame of the file in the first frame; empty for 0", &mut changed.first);
            let beyond = "Beyond the file: hold keeps the last number, loop starts again, error ends the run";
            choice(ui, "beyond", beyond, &mut changed.beyond, &FileSource::BEYONDS);
        } else if Pattern::from_path(source.path()).is_some() {
            let first = "Number of the file in the first frame; empty for the lowest one";
            number(ui, one.id("first"), "first", first, &mut changed.first);
            let beyond = "Beyond the files: hold shows the first or the last one, loop starts again, error ends the run";
            choice(ui, "beyond", beyond, &mut changed.beyond, &FileSource::BEYONDS);
        }
    });
    if changed != *source {
        one.change("file", |node| node.kind = NodeKind::File(changed));
    }
    if content == FileContent::Track {
        for (name, doc) in [("attack", "Time to rise to a higher value"), ("release", "Time to fall to a lower value")]
        {
            let range = (Some(0.0), None);
            one.field(ui, &Field { range, unit: "s", fixed: true, ..plain(name, ValueType::F32, doc) });
        }
        return;
    }
    for (name, ty, doc) in [
        ("center", ValueType::Vec3, "Center of the shape"),
        ("size", ValueType::F32, "Longest side; 0 keeps the units of the file"),
    ] {
        one.field(ui, &Field { dim: 3, unit: "m", fixed: true, ..plain(name, ty, doc) });
    }
}

/// Options for what a file becomes.
fn file_options(ui: &mut Ui, one: &Inspected<'_>, source: &FileSource, options: &mut FileOptions) {
    let fit_about = "How the colours of an image fill the domain, where neither center nor size are set: cover cuts off what \
                     is beyond it, contain shows the whole image, stretch changes its proportions. A grid of other cells than the \
                     domain needs stretch";
    let layer_row = |ui: &mut Ui, layer: &mut Option<String>| {
        let about = "Layer of an EXR file, such as velocity, grid of a VDB file, or one of several sets of an NPZ file; empty for the \
                     colours, the first grid, or the only set";
        let current = layer.clone().unwrap_or_default();
        if source.has_layers()
            && let Some(text) = text_row(ui, one.id("layer"), "layer", about, &current, 1)
        {
            *layer = Some(text).filter(|text| !text.is_empty());
        }
    };
    match options {
        FileOptions::Shape => {}
        FileOptions::Image { fit, space, layer } => {
            choice(ui, "fit", fit_about, fit, &FileSource::FITS);
            let about = "Colours of an image: srgb is converted to linear light, linear is taken as it is";
            choice(ui, "space", about, space, &source.spaces());
            layer_row(ui, layer);
        }
        FileOptions::Grid { fit, layer } => {
            choice(ui, "fit", fit_about, fit, &FileSource::FITS);
            layer_row(ui, layer);
        }
        FileOptions::Points { count, seed, layer } => {
            if source.is_mesh_of_points() {
                let about = "Number of points, evenly over the surface; empty for one at each vertex";
                let has_count = count.is_some();
                number(ui, one.id("count"), "count", about, count);
                if has_count {
                    number(ui, one.id("seed"), "seed", "Another set of points for each number", seed);
                }
            }
            layer_row(ui, layer);
        }
        FileOptions::Track { column, .. } if source.is_table() => {
            let about = "Column of the table by its name; empty for the first one besides time and frame";
            let current = column.clone().unwrap_or_default();
            if let Some(text) = text_row(ui, one.id("column"), "column", about, &current, 1) {
                *column = Some(text).filter(|text| !text.is_empty());
            }
        }
        FileOptions::Track { measure, .. } => {
            let about = "What a frame of the sound gets: rms is the root of the mean square of its samples, peak the largest one";
            choice(ui, "measure", about, measure, &FileSource::MEASURES);
        }
    }
}

/// A whole number, or nothing.
fn number(ui: &mut Ui, id: egui::Id, name: &str, about: &str, value: &mut Option<i64>) {
    let current = value.map(|number| number.to_string()).unwrap_or_default();
    if let Some(text) = text_row(ui, id, name, about, &current, 1) {
        let none = || Err(format!("`{}` is not a number; write a whole one such as 240", text.trim()));
        match typed::number(&text, true).unwrap_or_else(none) {
            _ if text.trim().is_empty() => *value = None,
            Ok(number) => *value = Some(number as i64),
            Err(sentence) => notice::tell(ui.ctx(), format!("{name}: {sentence}")),
        }
    }
}

/// A word out of a list whose first one is the default.
fn choice(ui: &mut Ui, name: &str, about: &str, value: &mut Option<String>, words: &[&str]) {
    let default = words.first().copied().unwrap_or_default();
    let current = value.clone().unwrap_or_else(|| default.to_string());
    row(ui, name, about, |ui| {
        let combo = egui::ComboBox::from_id_salt(name).selected_text(&current).width(ui.available_width());
        let shown = combo.truncate().show_ui(ui, |ui| {
            for word in words {
                if ui.selectable_label(*word == current, *word).clicked() {
                    *value = Some(word.to_string()).filter(|word| word != default);
                }
            }
        });
        let label = format!("param {name}");
        shown.response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, &label));
    });
}

fn domains(document: &Document) -> Vec<String> {
    let domain = |node: &Node| matches!(node.kind, NodeKind::Domain(_));
    document.nodes.iter().filter(|(_, node)| domain(node)).map(|(name, _)| name.clone()).collect()
}
