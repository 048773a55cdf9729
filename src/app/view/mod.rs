//! A view: a picture of the graph, or any wire of it, in a pane of its own.

mod framing;
mod picture;

use eframe::egui::{self, Align, Color32, Layout, PointerButton, Rect, RichText, Sense, Ui, Vec2, vec2};
use eframe::egui_wgpu::RenderState;

use super::player::Pointer;
use super::session::Session;
use super::theme;
use framing::Framing;
use picture::Picture;

/// What a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The picture of an Output; of the first when absent.
    Output(Option<String>),
}

/// A picture, and how it lies in its pane.
pub struct View {
    subject: Subject,
    picture: Picture,
    framing: Framing,
    fault: Option<String>,
    /// The pointer over the picture, as the simulation gets it.
    pointer: Pointer,
}

impl View {
    pub fn new(render: RenderState, subject: Subject) -> View {
        View {
            subject,
            picture: Picture::new(render),
            framing: Framing::default(),
            fault: None,
            pointer: Pointer::default(),
        }
    }

    /// A view of the same.
    pub fn another(&self) -> View {
        View::new(self.picture.render().clone(), self.subject.clone())
    }

    /// Starts over with another graph.
    pub fn clear(&mut self) {
        self.picture.clear();
        self.subject = Subject::Output(None);
        self.framing = Framing::default();
        self.fault = None;
    }

    /// Takes in what the last frame left.
    pub fn update(&mut self, session: &mut Session) {
        let Some(simulation) = session.simulation() else { return };
        let Subject::Output(name) = &mut self.subject;
        if simulation.find_picture(name.as_deref()).is_err() {
            *name = None;
        }
        self.fault = self.picture.update(simulation, name.as_deref()).err();
    }

    pub fn pointer(&self) -> Pointer {
        self.pointer
    }

    pub fn framing(&mut self) -> &mut Framing {
        &mut self.framing
    }

    /// Draws the pane. Returns whether a frame has to be computed for it to be right.
    pub fn show(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let top = egui::Panel::top("view head").exact_size(theme::BAR_HEIGHT).frame(theme::bar(ui));
        let stale = top.show(ui, |ui| ui.horizontal_centered(|ui| self.head(ui, session)).inner).inner;
        let ground = egui::Frame::new().fill(theme::of(ui).field);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.stage(ui, session));
        stale
    }

    fn head(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let stale = self.chooser(ui, session);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let smooth = self.picture.smooth();
            if choice(ui, !smooth, "Pixels", "Show every pixel as a square").clicked() {
                self.picture.set_smooth(false);
            }
            if choice(ui, smooth, "Smooth", "Blend pixels into each other").clicked() {
                self.picture.set_smooth(true);
            }
            ui.separator();
            self.framing.buttons(ui);
            if let Some((_, [width, height])) = self.picture.shown() {
                ui.separator();
                ui.label(RichText::new(format!("{width} × {height}")).color(theme::of(ui).dim).small());
            }
        });
        stale
    }

    /// Which picture.
    fn chooser(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let outputs: Vec<String> = session
            .running_simulation()
            .map(|s| s.plan().outputs.iter().map(|o| o.node.clone()).collect())
            .unwrap_or_default();
        let Subject::Output(chosen) = &mut self.subject;
        let mut shown = chosen.clone().or_else(|| outputs.first().cloned()).unwrap_or_default();
        if outputs.len() < 2 {
            ui.label(RichText::new(shown).strong());
            return false;
        }
        let before = shown.clone();
        egui::ComboBox::from_id_salt("output").selected_text(&shown).show_ui(ui, |ui| {
            for name in outputs {
                ui.selectable_value(&mut shown, name.clone(), &name);
            }
        });
        let changed = shown != before;
        if changed {
            *chosen = Some(shown);
        }
        changed
    }

    /// The picture itself, or why there is none.
    fn stage(&mut self, ui: &mut Ui, session: &Session) {
        self.pointer = Pointer::default();
        let Some((texture, size)) = self.picture.shown().filter(|_| self.fault.is_none()) else {
            self.placeholder(ui, session);
            return;
        };
        let room = ui.available_rect_before_wrap();
        let pixels = vec2(size[0] as f32, size[1] as f32) / ui.ctx().pixels_per_point();
        if !room.is_positive() || pixels.min_elem() <= 0.0 {
            return;
        }
        let response = ui.interact(room, ui.id().with("picture"), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, "Picture"));
        self.framing.navigate(ui, &response, room, pixels);
        let rect = self.framing.place(ui, room, pixels);
        let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        ui.painter().with_clip_rect(room).image(texture, rect, whole, Color32::WHITE);
        self.pointer = self.pointer_over(ui, &response, rect);
    }

    /// What the simulation is told of the pointer. The middle button moves the picture, so it is not passed on.
    fn pointer_over(&self, ui: &Ui, response: &egui::Response, rect: Rect) -> Pointer {
        let held = response.is_pointer_button_down_on();
        let inside = |at: &egui::Pos2| held || (response.hovered() && rect.contains(*at));
        let at = ui.input(|input| input.pointer.latest_pos()).filter(inside);
        let panning = ui.input(|input| input.pointer.middle_down() || input.modifiers.alt);
        let buttons = [(PointerButton::Primary, 1), (PointerButton::Secondary, 2)];
        let down = |button| ui.input(|input| input.pointer.button_down(button));
        if at.is_some() && !panning {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Crosshair);
        }
        Pointer {
            at: at.map(|p| [(p.x - rect.left()) / rect.width(), (rect.bottom() - p.y) / rect.height()]),
            buttons: buttons.iter().filter(|(b, _)| held && !panning && down(*b)).map(|(_, bit)| bit).sum(),
            keys: 0,
        }
    }

    fn placeholder(&self, ui: &mut Ui, session: &Session) {
        let (title, text) = match (&self.fault, session.compiling()) {
            (Some(fault), _) => ("No picture", fault.clone()),
            (None, true) => ("Compiling…", String::new()),
            (None, false) if session.running_simulation().is_some() => ("", String::new()),
            (None, false) => match session.problems().next() {
                Some(problem) => ("The graph does not run yet", problem.to_string()),
                None => ("Nothing to show", String::new()),
            },
        };
        let look = theme::of(ui);
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.4);
            ui.label(RichText::new(title).heading().color(look.dim));
            ui.scope(|ui| {
                ui.set_max_width(440.0);
                ui.label(RichText::new(text).color(look.faint));
            });
        });
    }
}

fn choice(ui: &mut Ui, chosen: bool, text: &str, hint: &str) -> egui::Response {
    ui.selectable_label(chosen, RichText::new(text).small()).on_hover_text(hint)
}

/// Rounded to whole pixels of the screen, or nothing would be 1:1.
fn on_pixels(ui: &Ui, at: Vec2) -> Vec2 {
    let ratio = ui.ctx().pixels_per_point();
    (at * ratio).round() / ratio
}
