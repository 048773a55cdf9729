//! What is laid over the image of a view: handles, a ruler, arrows and streamlines of a velocity, contours.

use eframe::egui::{self, RichText, Ui};

use super::copied::Copied;
use super::flow::{Cut, Flat, Layer};
use super::handles::{outlined, paint_numbers};
use super::ruler::Ruler;
use super::scene::Scene;
use super::subject::ViewSubject;
use super::ticks::{self, number};
use crate::commands::command::Command;
use crate::edit;
use crate::graph::field_samples::split;
use crate::model::session::Session;
use crate::sim::wire_view::Show;
use crate::stage::types::{ValueType, WireType};
use crate::toolkit::theme;

/// Distance of arrows on the screen, and the length of the longest \[points\].
const ARROWS: f32 = 26.0;
const LONGEST: f32 = 23.0;
/// Contours differ from streamlines.
const CONTOUR: egui::Color32 = egui::Color32::from_rgb(255, 190, 110);

/// Which overlays a view shows.
pub(crate) struct Overlays {
    pub handles: bool,
    pub ruler: Ruler,
    arrows: bool,
    lines: bool,
    contours: bool,
    /// What was turned on because a field is viewed, which only its formula shows otherwise.
    of_field: Option<Way>,
    /// The wires that were chosen for velocities and for contours.
    chosen: [Option<String>; 2],
    velocity: Copied<Velocity>,
    levels: Copied<Levels>,
}

/// How a field is drawn over its colours.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Arrows,
    Contours,
}

/// Vectors of a plane, with their streamlines once these are shown.
struct Velocity {
    layer: Layer,
    lines: Option<Vec<Vec<Flat>>>,
}

/// Contours and the step between them.
struct Levels {
    lines: Vec<[Flat; 2]>,
    step: f64,
    extent: Flat,
}

impl Default for Overlays {
    fn default() -> Overlays {
        Overlays {
            handles: true,
            ruler: Ruler::default(),
            arrows: false,
            lines: false,
            contours: false,
            of_field: None,
            chosen: [None, None],
            velocity: Copied::default(),
            levels: Copied::default(),
        }
    }
}

impl Overlays {
    /// Copies the choices for another view.
    pub(super) fn another(&self) -> Overlays {
        let Overlays { handles, arrows, lines, contours, of_field, .. } = *self;
        let (ruler, chosen) = (self.ruler.clone(), self.chosen.clone());
        Overlays { handles, ruler, arrows, lines, contours, of_field, chosen, ..Overlays::default() }
    }

    /// Draws a field that is viewed by arrows or contours, until something else is viewed. `field`: its values.
    pub(crate) fn suit(&mut self, field: Option<ValueType>) {
        match self.of_field.take() {
            Some(Way::Arrows) => self.arrows = false,
            Some(Way::Contours) => self.contours = false,
            None => {}
        }
        let (way, on) = match field {
            Some(ValueType::F32) => (Way::Contours, &mut self.contours),
            Some(ValueType::Vec | ValueType::Vec2 | ValueType::Vec3) => (Way::Arrows, &mut self.arrows),
            _ => return,
        };
        if !*on {
            (*on, self.of_field) = (true, Some(way));
        }
    }

    /// The wires that are drawn, which the plan has to keep.
    pub(super) fn wires(&self) -> impl Iterator<Item = &str> {
        let velocity = self.velocity.wire().filter(|_| self.arrows || self.lines);
        velocity.into_iter().chain(self.levels.wire().filter(|_| self.contours))
    }

    /// Notes that another frame was computed.
    pub(super) fn refresh(&mut self) {
        self.velocity.refresh();
        self.levels.refresh();
    }

    /// The list of overlays in the bar of a view.
    pub(super) fn menu(&mut self, ui: &mut Ui, session: &Session, subject: &ViewSubject) {
        let title = RichText::new("Overlays").small();
        let response = egui::containers::menu::MenuButton::new(title)
            .config(
                egui::containers::menu::MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside),
            )
            .ui(ui, |ui| {
                let entry = |ui: &mut Ui, on: &mut bool, text: &str, hint: &str| {
                    drop(ui.checkbox(on, text).on_hover_text(hint));
                };
                let handles = "Positions, sizes and directions of the selected nodes, to be dragged";
                let ruler = "Drag in a plane to measure a distance";
                let hint = Command::ToggleHandles.hint(ui.ctx(), handles);
                entry(ui, &mut self.handles, "Handles", &hint);
                let hint = Command::ToggleRuler.hint(ui.ctx(), ruler);
                entry(ui, &mut self.ruler.on, "Ruler", &hint);
                ui.separator();
                entry(ui, &mut self.arrows, "Velocity arrows", "Arrows of a vector over a 2D domain or a slice");
                entry(ui, &mut self.lines, "Streamlines", "Lines along a vector over a 2D domain or a slice");
                let velocity = self.wire(session, subject, true, None);
                if let Some(chosen) = choose(ui, "velocity", velocity.as_deref(), &wires(session, true, None)) {
                    self.chosen[0] = Some(chosen);
                }
                ui.separator();
                entry(ui, &mut self.contours, "Contours", "Lines of equal value over a 2D domain or a slice");
                let level = self.wire(session, subject, false, None);
                // The contours of a viewed wire are its own.
                ui.add_enabled_ui(matches!(subject, ViewSubject::Output(_)), |ui| {
                    if let Some(chosen) = choose(ui, "contours", level.as_deref(), &wires(session, false, None)) {
                        self.chosen[1] = Some(chosen);
                    }
                });
            });
        response.0.on_hover_text("What is drawn over the image");
    }

    /// The wire of velocities, or of contours: the one that is viewed, the chosen one, or else the likeliest.
    fn wire(&self, session: &Session, subject: &ViewSubject, vectors: bool, dim: Option<u32>) -> Option<String> {
        let candidates = wires(session, vectors, dim);
        let viewed = if let ViewSubject::Wire(wire) = subject { Some(wire.view().wire.as_str()) } else { None };
        if !vectors && let Some(viewed) = viewed {
            return Some(viewed.to_string());
        }
        let chosen = self.chosen[usize::from(!vectors)].as_deref();
        let named = |name: &&String| name.contains("velocity");
        let likely = || candidates.iter().find(named).or(candidates.first()).cloned();
        // Arrows of a viewed field are its own.
        let is_field = viewed.is_some_and(|viewed| session.field(viewed).is_some());
        let order = if is_field { [viewed, chosen] } else { [chosen, viewed] };
        order
            .into_iter()
            .flatten()
            .find(|name| candidates.iter().any(|k| k == split(name).0))
            .map(str::to_string)
            .or_else(likely)
    }

    /// Draws them. Returns whether one takes the pointer.
    pub(super) fn show(
        &mut self,
        ui: &Ui,
        response: &egui::Response,
        session: &Session,
        subject: &ViewSubject,
        scene: &Scene,
        room: egui::Rect,
    ) -> bool {
        if let Some(cut) = scene.cut() {
            let canvas = Canvas { ui, room, rect: scene.rect(), session };
            if self.contours {
                let wire = self.wire(session, subject, false, Some(scene.dim()));
                let wire = wire.map(|wire| session.on_domain(wire, scene.domain_name(session)));
                let component = match subject {
                    ViewSubject::Wire(wire) => match wire.view().show {
                        Show::Component(component) => Some(usize::from(component)),
                        _ => None,
                    },
                    ViewSubject::Output(_) => None,
                };
                self.draw_contours(&canvas, wire, cut, component);
            }
            if self.arrows || self.lines {
                let wire = self.wire(session, subject, true, Some(scene.dim()));
                let wire = wire.map(|wire| session.on_domain(wire, scene.domain_name(session)));
                self.draw_velocity(&canvas, wire, cut);
            }
        }
        match scene.plane().filter(|_| self.ruler.on) {
            Some(plane) => {
                self.ruler.measure(ui, response, &plane);
                self.ruler.draw(ui, &plane, room);
                true
            }
            None => false,
        }
    }

    fn draw_velocity(&mut self, canvas: &Canvas<'_>, wire: Option<String>, cut: Cut) {
        let make = |field: &_, size, cut: &Cut| Velocity { layer: Layer::vectors(field, size, *cut), lines: None };
        let Some((name, velocity)) = self.velocity.update(canvas.ui, canvas.session, wire, cut, make) else { return };
        let (extent, greatest) = (velocity.layer.extent(), velocity.layer.greatest());
        let look = theme::current(canvas.ui);
        let painter = canvas.painter();
        if self.lines {
            let lines = velocity.lines.get_or_insert_with(|| velocity.layer.streamlines());
            for line in lines.iter() {
                let places: Vec<egui::Pos2> = line.iter().map(|place| canvas.place(*place, extent)).collect();
                outlined(&painter, look, &places, egui::Color32::from_white_alpha(210));
                if let [before, middle, ..] = places.get(places.len() / 2..).unwrap_or_default() {
                    head(&painter, *before, *middle - *before, 6.0);
                }
            }
            canvas.name(&format!("streamlines of {name}: {}", lines.len()));
        }
        if !self.arrows || greatest <= 0.0 {
            return;
        }
        let mut count = 0;
        let columns = (canvas.rect.width() / ARROWS).floor().max(1.0) as usize;
        let rows = (canvas.rect.height() / ARROWS).floor().max(1.0) as usize;
        let first = canvas.rect.center() - 0.5 * ARROWS * egui::vec2(columns as f32 - 1.0, rows as f32 - 1.0);
        for (column, row) in (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))) {
            let at = first + ARROWS * egui::vec2(column as f32, row as f32);
            if !canvas.room.contains(at) {
                continue;
            }
            let Some([x, y]) = velocity.layer.sample_at(canvas.world(at, extent)) else { continue };
            let by = LONGEST / greatest as f32 * egui::vec2(x as f32, -y as f32);
            if by.length() < 0.5 {
                continue;
            }
            count += 1;
            outlined(&painter, look, &[at, at + by], egui::Color32::WHITE);
            head(&painter, at + by, by, (0.45 * by.length()).min(6.0));
        }
        let unit = edit::signature::unit(canvas.session.document(), name, canvas.session.library());
        let text = format!("Longest arrow: {} {unit}", number(greatest));
        paint_numbers(&painter, canvas.ui, look, canvas.rect.intersect(canvas.room).left_bottom(), text.trim_end());
        canvas.name(&format!("arrows of {name}: {count}, longest {}", number(greatest)));
    }

    fn draw_contours(&mut self, canvas: &Canvas<'_>, wire: Option<String>, cut: Cut, component: Option<usize>) {
        let make = |field: &crate::sim::Field, size, (cut, component): &(Cut, Option<usize>)| {
            let component = component.or((field.components == 1).then_some(0));
            let layer = Layer::numbers(field, size, *cut, component);
            let (lines, step) = layer.contours();
            Levels { lines, step, extent: layer.extent() }
        };
        let Some((name, levels)) = self.levels.update(canvas.ui, canvas.session, wire, (cut, component), make) else {
            return;
        };
        let (look, painter) = (theme::current(canvas.ui), canvas.painter());
        for line in &levels.lines {
            let places = line.map(|place| canvas.place(place, levels.extent));
            outlined(&painter, look, &places, CONTOUR);
        }
        let unit = edit::signature::unit(canvas.session.document(), name, canvas.session.library());
        let text = format!("Contours every {} {unit}", ticks::label(levels.step, levels.step));
        paint_numbers(&painter, canvas.ui, look, canvas.rect.intersect(canvas.room).left_top(), text.trim_end());
        canvas.name(&format!(
            "contours of {name}: {}, every {}",
            levels.lines.len(),
            ticks::label(levels.step, levels.step)
        ));
    }
}

/// Where a plane is drawn.
struct Canvas<'a> {
    ui: &'a Ui,
    room: egui::Rect,
    rect: egui::Rect,
    session: &'a Session,
}

impl Canvas<'_> {
    fn painter(&self) -> egui::Painter {
        self.ui.painter().with_clip_rect(self.room)
    }

    /// A place of a plane of this extent on the screen.
    fn place(&self, place: Flat, extent: Flat) -> egui::Pos2 {
        let [x, y] = [place[0] / extent[0], place[1] / extent[1]].map(|share| share as f32);
        egui::pos2(self.rect.left() + x * self.rect.width(), self.rect.bottom() - y * self.rect.height())
    }

    fn world(&self, at: egui::Pos2, extent: Flat) -> Flat {
        let share = [(at.x - self.rect.left()) / self.rect.width(), (self.rect.bottom() - at.y) / self.rect.height()];
        [f64::from(share[0]) * extent[0], f64::from(share[1]) * extent[1]]
    }

    /// Names what was drawn, for screen readers.
    fn name(&self, name: &str) {
        let at = egui::Rect::from_center_size(self.rect.center(), egui::Vec2::splat(1.0));
        let named = self.ui.interact(at, self.ui.id().with(name.split(' ').next()), egui::Sense::hover());
        named.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, name));
    }
}

/// The head of an arrow with its tip here.
fn head(painter: &egui::Painter, tip: egui::Pos2, along: egui::Vec2, size: f32) {
    if along.length() <= 0.0 {
        return;
    }
    let (along, side) = (along.normalized(), 0.5 * size * along.normalized().rot90());
    let corners = vec![tip + 0.2 * size * along, tip - size * along + side, tip - size * along - side];
    let edge = egui::Stroke::new(0.5, egui::Color32::from_black_alpha(160));
    painter.add(egui::Shape::convex_polygon(corners, egui::Color32::WHITE, edge));
}

/// Grids of the graph, in this many dimensions: those of vectors, or all others with numbers. States come first.
fn wires(session: &Session, vectors: bool, dim: Option<u32>) -> Vec<String> {
    session.grids(dim, |ty| match ty {
        WireType::FaceGrid => vectors,
        WireType::Grid(ValueType::Vec | ValueType::Vec2 | ValueType::Vec3) => vectors,
        WireType::Grid(ValueType::F32 | ValueType::I32 | ValueType::U32) => !vectors,
        _ => false,
    })
}

/// A list of wires to choose from.
fn choose(ui: &mut Ui, of: &str, now: Option<&str>, wires: &[String]) -> Option<String> {
    let mut chosen = None;
    let list =
        egui::ComboBox::from_id_salt(of).width(150.0).selected_text(RichText::new(now.unwrap_or("None")).small());
    let response = list.show_ui(ui, |ui| {
        for wire in wires {
            if ui.selectable_label(Some(wire.as_str()) == now, wire).clicked() {
                chosen = Some(wire.clone());
            }
        }
    });
    let name = format!("wire of {of}");
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, &name));
    chosen
}
