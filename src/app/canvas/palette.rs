//! The palette: every kind of node, found by typing a part of its name.

use eframe::egui::{self, Key, Pos2, RichText, vec2};

use crate::app::theme;
use crate::document::{Domain, Node, NodeKind, Output, ParamValue};
use crate::library::Library;

const CUSTOM: &str = "//! My Stage
//! What it computes, as an equation.
//!
//! @inout field: Grid<f32> = 0   What it changes

fn stage(cell: Cell) -> f32 {
    return field(cell);
}
";

/// What became of the palette in this frame.
pub enum Answer {
    Open,
    Closed,
    /// The name to give the node, and the node.
    Chosen(String, Box<Node>),
}

struct Entry {
    title: String,
    /// What tells it from others of the same title.
    place: String,
    doc: String,
    wish: String,
    kind: NodeKind,
}

pub struct Palette {
    at: Pos2,
    query: String,
    /// Position of the marked entry among those that match.
    mark: usize,
    fresh: bool,
    entries: Vec<Entry>,
}

impl Palette {
    pub fn new(at: Pos2, library: &Library) -> Palette {
        Palette { at, query: String::new(), mark: 0, fresh: true, entries: entries(library) }
    }

    /// Where it was opened.
    pub fn at(&self) -> Pos2 {
        self.at
    }

    pub fn show(&mut self, ctx: &egui::Context) -> Answer {
        let keys = [Key::Escape, Key::ArrowDown, Key::ArrowUp, Key::Enter];
        let [escape, down, up, enter] = keys.map(|key| ctx.input_mut(|i| i.consume_key(egui::Modifiers::NONE, key)));
        let found: Vec<usize> = (0..self.entries.len()).filter(|i| matches(&self.entries[*i], &self.query)).collect();
        let step = usize::from(down).wrapping_sub(usize::from(up));
        self.mark = self.mark.wrapping_add(step).min(found.len().saturating_sub(1));
        let mut chosen = found.get(self.mark).copied().filter(|_| enter);
        let area = egui::Area::new(egui::Id::new("palette")).order(egui::Order::Foreground);
        let area = area.fixed_pos(self.at).constrain(true).show(ctx, |ui| {
            egui::Frame::popup(ui.style()).inner_margin(8).show(ui, |ui| {
                ui.set_width(300.0);
                let field =
                    egui::TextEdit::singleline(&mut self.query).hint_text("Add a node").desired_width(f32::INFINITY);
                let field = ui.add(field);
                if std::mem::take(&mut self.fresh) {
                    field.request_focus();
                }
                if field.changed() {
                    self.mark = 0;
                }
                let list = egui::ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]);
                list.show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 1.0;
                    for (position, index) in found.iter().enumerate() {
                        let row = row(ui, &self.entries[*index], position == self.mark);
                        if position == self.mark && (down || up) {
                            row.scroll_to_me(None);
                        }
                        if row.clicked() {
                            chosen = Some(*index);
                        }
                    }
                    if found.is_empty() {
                        ui.label(RichText::new("No node is called that").color(theme::of(ui).faint));
                    }
                });
            });
        });
        let outside = ctx.input(|i| i.pointer.any_pressed()) && !area.response.contains_pointer();
        match chosen.and_then(|index| self.entries.get(index)) {
            Some(entry) => {
                let node = Node { kind: entry.kind.clone(), ..Node::default() };
                Answer::Chosen(entry.wish.clone(), Box::new(node))
            }
            None if escape || outside => Answer::Closed,
            None => Answer::Open,
        }
    }
}

fn row(ui: &mut egui::Ui, entry: &Entry, marked: bool) -> egui::Response {
    let place = RichText::new(&entry.place).small().color(theme::of(ui).faint);
    let dot = RichText::new("■").color(theme::of(ui).kind(&entry.kind)).small();
    let button = egui::Button::selectable(marked, (dot, RichText::new(&entry.title))).right_text(place);
    let row = ui.add(button.min_size(vec2(ui.available_width(), 22.0)));
    if entry.doc.is_empty() { row } else { row.on_hover_text(&entry.doc) }
}

/// Every word of the query is a part of the entry.
fn matches(entry: &Entry, query: &str) -> bool {
    let text = format!("{} {} {}", entry.title, entry.place, entry.wish).to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

fn entries(library: &Library) -> Vec<Entry> {
    let host = |title: &str, wish: &str, doc: &str, kind| Entry {
        title: title.into(),
        place: "node".into(),
        doc: doc.into(),
        wish: wish.into(),
        kind,
    };
    let mut entries = vec![
        host("State", "state", "What survives a frame", NodeKind::State("Grid<f32>".into())),
        host("Domain", "domain", "A box in space, cut into cells", NodeKind::Domain(Domain::default())),
        host("Number", "number", "A constant or an expression", NodeKind::Number(ParamValue::Number(1.0))),
        host("Output", "screen", "A picture that leaves the graph", NodeKind::Output(Output::default())),
        host("File", "shape", "Signed distances to a mesh or a picture", NodeKind::File("shape.obj".into())),
        host("Custom", "custom", "A stage whose WGSL is part of the graph", NodeKind::Custom(CUSTOM.into())),
    ];
    let tail = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    let folder = |name: &str| name.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
    entries.extend(library.stages().map(|stage| Entry {
        title: stage.header.title.clone(),
        place: folder(&stage.name),
        doc: stage.header.doc.join("\n"),
        wish: tail(&stage.name),
        kind: NodeKind::Stage(stage.name.clone()),
    }));
    entries.extend(library.groups().map(|(name, group)| Entry {
        title: tail(name).replace('_', " "),
        place: folder(name),
        doc: group.about.clone(),
        wish: tail(name),
        kind: NodeKind::Stage(name.to_string()),
    }));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_found_by_parts_of_its_name() {
        let entries = entries(Library::builtin());
        let found =
            |query: &str| entries.iter().filter(|e| matches(e, query)).map(|e| e.wish.clone()).collect::<Vec<_>>();
        assert!(found("pres jac").contains(&"pressure_jacobi".to_string()));
        assert_eq!(found("no such thing"), Vec::<String>::new());
        assert_eq!(found("").len(), entries.len());
    }

    #[test]
    fn the_custom_stage_to_start_from_is_right() {
        assert!(crate::stage::Stage::parse("custom", CUSTOM).is_ok());
    }
}
