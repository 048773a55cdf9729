//! The viewport: the picture, the pointer over it, and the controls of time.

use eframe::egui::{self, Align, Color32, Layout, PointerButton, Rect, RichText, Sense, Ui, vec2};
use eframe::egui_wgpu::RenderState;

use super::command::Command;
use super::picture::Picture;
use super::player::{Player, Pointer};
use super::session::Session;
use super::theme;

/// What the viewport shows, and how.
pub struct Viewport {
    picture: Picture,
    pub player: Player,
    pointer: Pointer,
    /// Show a pixel of the picture as a pixel of the screen, instead of all of it as large as there is room.
    actual_size: bool,
    /// The Output on show; the first when absent.
    output: Option<String>,
    /// The plan that the picture is from.
    plan: u64,
    fault: Option<String>,
    /// GPU time of a frame [ms], evened out.
    gpu_ms: Option<f64>,
    /// The graph asks which keys are down.
    hears_keys: bool,
}

impl Viewport {
    pub fn new(render: RenderState) -> Viewport {
        Viewport {
            picture: Picture::new(render),
            player: Player::default(),
            pointer: Pointer::default(),
            actual_size: false,
            output: None,
            plan: 0,
            fault: None,
            gpu_ms: None,
            hears_keys: false,
        }
    }

    /// Starts over with another graph.
    pub fn clear(&mut self) {
        self.picture.clear();
        let playing = self.player.playing;
        self.player = Player::default();
        self.player.playing = playing;
        self.output = None;
        self.fault = None;
        self.gpu_ms = None;
    }

    /// Computes the next frame when it is due and brings its picture up.
    pub fn advance(&mut self, session: &mut Session, now: f64) {
        if session.plans() != self.plan {
            self.plan = session.plans();
            self.player.refresh();
            self.hears_keys = session.running_simulation().is_some_and(|s| s.plan().reads("frame.keys"));
        }
        if !self.player.advance(session, self.pointer, now) {
            return;
        }
        let Some(simulation) = session.simulation() else { return };
        if simulation.find_picture(self.output.as_deref()).is_err() {
            self.output = None;
        }
        self.fault = self.picture.update(simulation, self.output.as_deref()).err();
        self.picture.when_done(self.player.submitted());
        let total = simulation.times(false).filter(|t| !t.is_empty()).map(|t| t.iter().map(|n| n.ms).sum::<f64>());
        self.gpu_ms = total.map(|ms| self.gpu_ms.map_or(ms, |before| before + 0.1 * (ms - before)));
        // Asking costs a copy, and loops that overrun do so for long.
        if simulation.frame() % 32 == 1 {
            let warnings = simulation.warnings(false);
            session.note(warnings);
        }
    }

    /// Keys belong to the graph while the pointer is over its picture, if it asks for them; else to the editor's shortcuts.
    pub fn take_keys(&mut self, ctx: &egui::Context) {
        let graph = self.hears_keys && self.pointer.at.is_some() && !ctx.egui_wants_keyboard_input();
        self.pointer.keys = if graph { ctx.input_mut(keys) } else { 0 };
    }

    /// Draws the pane. Returns what was asked for.
    pub fn show(&mut self, ui: &mut Ui, session: &mut Session) -> Option<Command> {
        let top = egui::Panel::top("viewport head").exact_size(theme::BAR_HEIGHT).frame(theme::bar(ui));
        top.show(ui, |ui| ui.horizontal_centered(|ui| self.head(ui, session)));
        let bottom = egui::Panel::bottom("transport").exact_size(theme::BAR_HEIGHT + 6.0).frame(theme::bar(ui));
        let asked = bottom.show(ui, |ui| ui.horizontal_centered(|ui| self.transport(ui, session)).inner).inner;
        let stage = egui::Frame::new().fill(theme::of(ui).field);
        egui::CentralPanel::no_frame().frame(stage).show(ui, |ui| self.stage(ui, session));
        asked
    }

    fn head(&mut self, ui: &mut Ui, session: &Session) {
        ui.label(RichText::new("Viewport").strong());
        let outputs: Vec<String> = session
            .running_simulation()
            .map(|s| s.plan().outputs.iter().map(|o| o.node.clone()).collect())
            .unwrap_or_default();
        if outputs.len() > 1 {
            let mut shown = self.output.clone().or_else(|| outputs.first().cloned()).unwrap_or_default();
            egui::ComboBox::from_id_salt("output").selected_text(&shown).show_ui(ui, |ui| {
                for name in outputs {
                    if ui.selectable_value(&mut shown, name.clone(), &name).clicked() {
                        self.output = Some(name);
                        self.player.refresh();
                    }
                }
            });
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let smooth = self.picture.smooth();
            if choice(ui, !smooth, "Pixels", "Show every pixel as a square").clicked() {
                self.picture.set_smooth(false);
            }
            if choice(ui, smooth, "Smooth", "Blend pixels into each other").clicked() {
                self.picture.set_smooth(true);
            }
            ui.separator();
            if choice(ui, self.actual_size, "1:1", "One pixel of the picture is one of the screen").clicked() {
                self.actual_size = true;
            }
            if choice(ui, !self.actual_size, "Fit", "The whole picture, as large as there is room").clicked() {
                self.actual_size = false;
            }
            if let Some((_, [width, height])) = self.picture.shown() {
                ui.separator();
                ui.label(RichText::new(format!("{width} × {height}")).color(theme::of(ui).dim).small());
            }
        });
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
        if self.actual_size {
            let scroll = egui::ScrollArea::both().auto_shrink(false).id_salt("actual size");
            // A drag is the pointer in the simulation.
            let wheel = egui::scroll_area::ScrollSource::SCROLL_BAR | egui::scroll_area::ScrollSource::MOUSE_WHEEL;
            let scroll = scroll.scroll_source(wheel);
            scroll.show(ui, |ui| {
                let (area, _) = ui.allocate_exact_size(pixels.max(ui.available_size()), Sense::hover());
                let corner = area.center() - 0.5 * pixels;
                // On whole pixels of the screen, or nothing would be 1:1.
                let ratio = ui.ctx().pixels_per_point();
                let corner = ((corner.to_vec2() * ratio).round() / ratio).to_pos2();
                self.image(ui, texture, Rect::from_min_size(corner, pixels));
            });
        } else {
            let inner = room.shrink(12.0);
            let scale = (inner.width() / pixels.x).min(inner.height() / pixels.y).max(0.0);
            self.image(ui, texture, Rect::from_center_size(inner.center(), pixels * scale));
        }
    }

    fn image(&mut self, ui: &mut Ui, texture: egui::TextureId, rect: Rect) {
        if !rect.is_positive() {
            return;
        }
        let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        ui.painter().image(texture, rect, whole, Color32::WHITE);
        let response = ui.interact(rect, ui.id().with("picture"), Sense::click_and_drag());
        let held = response.is_pointer_button_down_on();
        let at = ui.input(|input| input.pointer.latest_pos()).filter(|_| held || response.hovered());
        let buttons = [(PointerButton::Primary, 1), (PointerButton::Secondary, 2), (PointerButton::Middle, 4)];
        let down = |button| ui.input(|input| input.pointer.button_down(button));
        self.pointer = Pointer {
            at: at.map(|p| [(p.x - rect.left()) / rect.width(), (rect.bottom() - p.y) / rect.height()]),
            buttons: buttons.iter().filter(|(button, _)| held && down(*button)).map(|(_, bit)| bit).sum(),
            keys: 0,
        };
        if response.hovered() || held {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Crosshair);
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
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.4);
            ui.label(RichText::new(title).heading().color(theme::of(ui).dim));
            ui.scope(|ui| {
                ui.set_max_width(440.0);
                ui.label(RichText::new(text).color(theme::of(ui).faint));
            });
        });
    }

    fn transport(&mut self, ui: &mut Ui, session: &Session) -> Option<Command> {
        let mut asked = None;
        let play = if self.player.playing { "⏸" } else { "▶" };
        for (command, icon) in [(Command::Reset, "⏮"), (Command::Play, play), (Command::Step, "⏭")] {
            if command.button(ui, icon) {
                asked = Some(command);
            }
        }
        ui.add_space(4.0);
        let (frame, time) = session.running_simulation().map_or((0, 0.0), |s| (s.frame(), s.time()));
        figure(ui, 54.0, "frame", frame.to_string());
        figure(ui, 64.0, "time", format!("{time:.2} s"));
        let rate = self.player.rate().map_or("–".to_string(), |rate| format!("{rate:.0}"));
        figure(ui, 34.0, "fps", rate);
        let timed = self.gpu_ms.map_or("–".to_string(), |ms| format!("{ms:.2} ms"));
        figure(ui, 70.0, "GPU", timed).on_hover_text("GPU time of one frame of the simulation");
        if session.compiling() {
            ui.add(egui::Spinner::new().size(14.0)).on_hover_text("Compiling; the last good plan runs on");
        }
        asked
    }
}

/// Bits of the keys that are down, which nothing else sees then. A tap may come and go between two frames; its press is all
/// there is of it.
fn keys(input: &mut egui::InputState) -> u32 {
    let mut down = input.key_down(egui::Key::Space);
    while input.consume_key(egui::Modifiers::NONE, egui::Key::Space) {
        down = true;
    }
    u32::from(down)
}

/// A name and a number that does not move about as it changes.
fn figure(ui: &mut Ui, width: f32, name: &str, value: String) -> egui::Response {
    ui.label(RichText::new(name).color(theme::of(ui).faint).small());
    let text = RichText::new(value).monospace();
    ui.allocate_ui_with_layout(vec2(width, 20.0), Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(width);
        ui.label(text)
    })
    .inner
}

fn choice(ui: &mut Ui, chosen: bool, text: &str, hint: &str) -> egui::Response {
    ui.selectable_label(chosen, RichText::new(text).small()).on_hover_text(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::command::Command;

    fn space(pressed: bool) -> egui::Event {
        let (key, modifiers) = (egui::Key::Space, egui::Modifiers::NONE);
        egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
    }

    /// What a frame of these events gives the graph, and the shortcut that is left.
    fn frame(ctx: &egui::Context, events: Vec<egui::Event>, graph: bool) -> (u32, Option<Command>) {
        let mut result = (0, None);
        let input = egui::RawInput { events, ..egui::RawInput::default() };
        let _ = ctx.run_ui(input, |ui| {
            let bits = if graph { ui.ctx().input_mut(keys) } else { 0 };
            result = (bits, Command::pressed(ui.ctx()));
        });
        result
    }

    #[test]
    fn the_space_key_goes_to_the_graph_or_to_the_shortcut_but_never_to_both() {
        let ctx = egui::Context::default();
        let play = Some(Command::Play);
        assert_eq!(frame(&ctx, vec![space(true)], true), (1, None));
        assert_eq!(frame(&ctx, vec![], true), (1, None), "it is held");
        assert_eq!(frame(&ctx, vec![space(false)], true), (0, None));
        assert_eq!(frame(&ctx, vec![space(true), space(false)], true), (1, None), "a tap within a frame counts");
        assert_eq!(frame(&ctx, vec![space(true)], false), (0, play), "not over the picture, it plays and pauses");
    }
}
