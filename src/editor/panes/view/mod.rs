//! A view: an image of the graph, or of any of its wires, in a pane.
//!
//! `scene` says what the image is of, and its `projection` leads from the world to the screen and back. `handles` finds the parameters of the
//! selection that have a handle, draws them, and computes from the state at its start what a drag sets. Arrows, streamlines and contours
//! (`flow`) are drawn from copies that arrive some frames later (`copied`).

mod camera;
mod copied;
pub(crate) mod course;
mod expect;
mod flow;
mod framing;
mod handles;
mod image_texture;
mod overlay;
pub(crate) mod plot;
mod plotted;
mod profile;
mod projection;
mod ruler;
mod scene;
mod subject;
pub(crate) mod ticks;
mod trail;
pub(crate) mod widgets;
mod wire;

use std::collections::BTreeMap;

use eframe::egui::{self, Align, Color32, Layout, PointerButton, Rect, RichText, Sense, Ui, vec2};
use eframe::egui_wgpu::RenderState;

use super::canvas::Thumbnails;
use crate::commands::action::{Action, Actions};
use crate::commands::command::Command;
use crate::model::player::Pointer;
use crate::model::session::Session;
use crate::sim::wire_view;
use crate::toolkit::{markup, theme};
pub(crate) use camera::{Orbits, turned};
pub(crate) use framing::Framing;
use handles::Handles;
pub(crate) use image_texture::ImageTexture;
pub(crate) use overlay::Overlays;
use scene::Scene;
use subject::ViewSubject;
use widgets::choice;
use wire::WireView;
pub(crate) use wire::depth;

/// Maximum size of a thumbnail \[pixels\].
const THUMBNAIL: (u32, u32) = (176, 176);
/// Thumbnails that are updated in a frame.
const A_FRAME: usize = 4;

/// Widths in the bar of a view, below which parts of it are left out: smoothing, the buttons of the frame, the overlays, the size of the image,
/// what belongs to a camera or a wire, and the button for a window \[points\].
const SMOOTH: f32 = 95.0;
const FRAMING: f32 = 130.0;
const OVERLAYS: f32 = 85.0;
const SIZE: f32 = 85.0;
const SUBJECT: f32 = 60.0;
const WINDOW: f32 = 24.0;

/// An image, and how it lies in its pane.
pub(crate) struct View {
    subject: ViewSubject,
    texture: ImageTexture,
    framing: Framing,
    fault: Option<String>,
    /// The pointer over the image, as the simulation gets it.
    pointer: Pointer,
    handles: Handles,
    overlays: Overlays,
}

impl View {
    pub(crate) fn new(render: RenderState) -> View {
        View {
            subject: ViewSubject::Output(None),
            texture: ImageTexture::new(render),
            framing: Framing::default(),
            fault: None,
            pointer: Pointer::default(),
            handles: Handles::default(),
            overlays: Overlays::default(),
        }
    }

    /// Another view of the same.
    pub(crate) fn another(&self) -> View {
        let subject = match &self.subject {
            ViewSubject::Output(name) => ViewSubject::Output(name.clone()),
            ViewSubject::Wire(wire) => ViewSubject::Wire(Box::new(wire.another())),
        };
        View { subject, overlays: self.overlays.another(), ..View::new(self.texture.render().clone()) }
    }

    /// Continues in another window, with another device.
    pub(crate) fn attach(&mut self, render: RenderState) {
        let smooth = self.texture.smooth();
        self.texture = ImageTexture::new(render);
        self.texture.set_smooth(smooth);
        if let ViewSubject::Wire(wire) = &mut self.subject {
            **wire = wire.another();
        }
        (self.fault, self.pointer) = (None, Pointer::default());
        (self.handles, self.overlays) = (Handles::default(), self.overlays.another());
    }

    /// Starts over with another graph.
    pub(crate) fn clear(&mut self) {
        *self = View::new(self.texture.render().clone());
    }

    /// Shows a wire by its path, `node.port`. The display settings of the previous wire are kept.
    pub(crate) fn see(&mut self, wire: &str) {
        let view = match &self.subject {
            ViewSubject::Wire(before) => wire_view::View { wire: wire.into(), range: None, ..before.view().clone() },
            ViewSubject::Output(_) => wire_view::View::new(wire),
        };
        self.subject = ViewSubject::Wire(Box::new(WireView::new(view)));
        self.fault = None;
        self.framing.fit();
    }

    /// The wire that it shows.
    fn wire(&self) -> Option<&str> {
        if let ViewSubject::Wire(wire) = &self.subject { Some(&wire.view().wire) } else { None }
    }

    /// The Output that it shows, if one was chosen.
    pub(crate) fn output(&self) -> Option<&str> {
        if let ViewSubject::Output(name) = &self.subject { name.as_deref() } else { None }
    }

    /// The wire or the Output that it shows; empty for the first Output.
    pub(crate) fn seen(&self) -> &str {
        self.wire().or(self.output()).unwrap_or_default()
    }

    /// All wires that it shows.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        let more = match &self.subject {
            ViewSubject::Wire(wire) => wire.course.more.as_slice(),
            ViewSubject::Output(_) => &[],
        };
        self.wire().into_iter().chain(more.iter().map(String::as_str)).chain(self.overlays.wires())
    }

    /// Whether the view shows a number, as a plot.
    fn is_plot(&self, session: &Session) -> bool {
        self.wire().is_some_and(|wire| session.is_number(wire))
    }

    /// Title of the view for its tab: what it shows.
    pub(crate) fn title(&self) -> String {
        match &self.subject {
            ViewSubject::Output(None) => "View".into(),
            ViewSubject::Output(Some(name)) => name.clone(),
            ViewSubject::Wire(wire) => wire.view().wire.clone(),
        }
    }

    /// Updates the image from the last frame.
    pub(crate) fn update(&mut self, session: &mut Session) {
        self.overlays.refresh();
        if self.is_plot(session) {
            self.fault = None;
            return;
        }
        let Some(simulation) = session.running_simulation() else { return };
        match &mut self.subject {
            ViewSubject::Output(name) => {
                if simulation.find_output(name.as_deref()).is_err() {
                    *name = None;
                }
                let found = simulation.find_output(name.as_deref()).map_err(|problem| problem.to_string());
                let found = found.and_then(|found| match session.debugger() {
                    Some(debugger) if !debugger.has_image(&found.node) => {
                        Err("The image is not computed yet at this point of the frame. Step on, or view a wire.".into())
                    }
                    _ => Ok(found),
                });
                let shown = found.and_then(|found| {
                    let Some(buffer) = simulation.engine().buffer(found.buffer, false) else { return Ok(()) };
                    self.texture.update(buffer, [found.width, found.height], &found.node)
                });
                self.fault = shown.err();
            }
            ViewSubject::Wire(wire) => {
                let name = wire.view().wire.clone();
                let looked = wire.update_viewer(simulation);
                let shown = looked.and_then(|viewer| match viewer.image() {
                    Some(found) => self.texture.update(found.buffer, found.size, &name),
                    None => Ok(()),
                });
                self.fault = shown.err();
            }
        }
    }

    /// The pointer over the image of an Output.
    pub(crate) fn pointer(&self) -> Pointer {
        if matches!(self.subject, ViewSubject::Output(_)) { self.pointer } else { Pointer::default() }
    }

    /// Adds keys that are held over the image in the view's own window.
    pub(crate) fn hold_keys(&mut self, keys: u32) {
        self.pointer.keys |= keys;
    }

    /// Whether a handle is held, which Escape takes back.
    pub(crate) fn holds_handle(&self) -> bool {
        self.handles.held()
    }

    pub(crate) fn overlays(&mut self) -> &mut Overlays {
        &mut self.overlays
    }

    pub(crate) fn framing(&mut self) -> &mut Framing {
        &mut self.framing
    }

    /// Draws the view with this number, in its pane or in its own window.
    pub(crate) fn show(&mut self, ui: &mut Ui, session: &mut Session, place: (u64, bool), actions: &mut Actions) {
        let top = egui::Panel::top(ui.id().with("view head")).exact_size(theme::BAR_HEIGHT).frame(theme::bar(ui));
        top.show(ui, |ui| ui.horizontal_centered(|ui| self.head(ui, session, place, actions)));
        let (plotted, height) = (self.is_plot(session), ui.available_height());
        if let ViewSubject::Wire(wire) = &mut self.subject {
            let foot = egui::Panel::bottom(ui.id().with("view foot")).frame(theme::bar(ui));
            let view_wire = wire.view().wire.clone();
            if plotted {
                foot.show(ui, |ui| wire.course.controls(ui, session, &view_wire, actions));
                let ground = egui::Frame::new().fill(theme::current(ui).field);
                let middle = egui::CentralPanel::no_frame().frame(ground);
                middle.show(ui, |ui| wire.course.show(ui, session, &view_wire));
                return;
            }
            if foot.show(ui, |ui| wire.controls(ui, session, height)).inner {
                actions.push(Action::RefreshViews);
            }
            wire.profile(ui, session, actions);
        }
        let ground = egui::Frame::new().fill(theme::current(ui).ground);
        egui::CentralPanel::no_frame().frame(ground).show(ui, |ui| self.stage(ui, session, actions));
    }

    fn head(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        (number, in_own_window): (u64, bool),
        actions: &mut Actions,
    ) {
        if self.chooser(ui, session) {
            actions.push(Action::RefreshViews);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let pin = ui.add(egui::Button::new(RichText::new("📌").small()).frame(false));
            pin.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Pin"));
            if pin.on_hover_text(Command::Pin.hint(ui.ctx(), "Pin this in a separate view")).clicked() {
                actions.push(Action::PinView(number));
            }
            if ui.available_width() >= FRAMING + WINDOW && window_button(ui, in_own_window) {
                actions.push(Action::OwnWindow(number));
            }
            if !self.is_plot(session) {
                self.image_buttons(ui, session);
            }
            match &self.subject {
                _ if ui.available_width() < SUBJECT => {}
                ViewSubject::Output(name) => camera::buttons(ui, session, name.as_deref(), actions),
                ViewSubject::Wire(wire) if session.field(&wire.view().wire).is_some() => {}
                ViewSubject::Wire(wire) => {
                    expect::button(ui, session, wire.view(), actions);
                    if ui.available_width() >= SUBJECT {
                        plotted::button(ui, session, wire.view(), actions);
                    }
                }
            }
        });
    }

    /// The buttons of an image, as many as there is room for.
    fn image_buttons(&mut self, ui: &mut Ui, session: &Session) {
        if ui.available_width() >= SMOOTH + FRAMING {
            ui.separator();
            let smooth = self.texture.smooth();
            let hint = if smooth { "Show pixels as squares" } else { "Interpolate between pixels" };
            if choice(ui, smooth, "Smooth", hint).clicked() {
                self.texture.set_smooth(!smooth);
            }
        }
        if ui.available_width() < FRAMING {
            return;
        }
        ui.separator();
        if ui.available_width() >= FRAMING + OVERLAYS {
            self.overlays.menu(ui, session, &self.subject);
        }
        self.framing.buttons(ui);
        if ui.available_width() < SIZE {
            return;
        }
        if let Some((_, [width, height])) = self.texture.shown() {
            ui.separator();
            ui.label(RichText::new(format!("{width} × {height}")).color(theme::current(ui).dim).small());
        }
    }

    /// A list to choose the image; for a wire, a button to go back.
    fn chooser(&mut self, ui: &mut Ui, session: &Session) -> bool {
        let outputs: Vec<String> = session
            .running_simulation()
            .map(|s| s.plan().outputs.iter().map(|o| o.node.clone()).collect())
            .unwrap_or_default();
        let shown = match &self.subject {
            ViewSubject::Output(name) => name.clone().or_else(|| outputs.first().cloned()).unwrap_or_default(),
            ViewSubject::Wire(wire) => wire.view().wire.clone(),
        };
        let wire = matches!(self.subject, ViewSubject::Wire(_));
        if outputs.len() < 2 && !wire {
            let width = (ui.available_width() - FRAMING - SUBJECT).max(SUBJECT);
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.add(egui::Label::new(RichText::new(shown).strong()).truncate());
            });
            return false;
        }
        let mut chosen = None;
        let combo = egui::ComboBox::from_id_salt("output").selected_text(RichText::new(&shown).strong()).width(120.0);
        combo.show_ui(ui, |ui| {
            for name in outputs.iter().cloned() {
                if ui.selectable_label(!wire && name == shown, &name).clicked() {
                    chosen = Some(name);
                }
            }
        });
        if wire && let Some(first) = outputs.first() {
            let back = ui.small_button("✖").on_hover_text("Back to the output");
            chosen = chosen.or(back.clicked().then(|| first.clone()));
        }
        let changed = chosen.is_some();
        if changed {
            self.subject = ViewSubject::Output(chosen);
            self.overlays.suit(None);
            self.fault = None;
            self.framing.fit();
        }
        changed
    }

    /// The image itself, or why there is none.
    fn stage(&mut self, ui: &mut Ui, session: &mut Session, actions: &mut Actions) {
        self.pointer = Pointer::default();
        let Some((texture, size)) = self.texture.shown().filter(|_| self.fault.is_none()) else {
            self.placeholder(ui, session);
            return;
        };
        let room = ui.available_rect_before_wrap();
        let pixels = vec2(size[0] as f32, size[1] as f32) / ui.ctx().pixels_per_point();
        if !room.is_positive() || pixels.min_elem() <= 0.0 {
            return;
        }
        let response = ui.interact(room, ui.id().with("image"), Sense::click_and_drag());
        let name = format!("image {}", self.title());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, &name));
        let image = self.framing.place(ui, room, pixels);
        let height = scene::without_bars(&self.subject, session, image, size).height();
        let orbits = match &mut self.subject {
            ViewSubject::Output(name) => camera::gestures(ui, (&response, height), session, name.as_deref()),
            ViewSubject::Wire(wire) => wire.orbit(ui, &response, height),
        };
        let mut stale = orbits == camera::Orbits::Moved;
        self.framing.navigate(ui, &response, room, pixels, orbits != camera::Orbits::No);
        let image = self.framing.place(ui, room, pixels);
        let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        ui.painter().with_clip_rect(room).image(texture, image, whole, Color32::WHITE);
        // What is drawn over the image, and the pointer, have their places in the domain that it shows.
        let rect = scene::without_bars(&self.subject, session, image, size);
        self.pointer = self.pointer_over(ui, &response, rect, orbits != camera::Orbits::No);
        if let Some(scene) = Scene::for_subject(&self.subject, session, rect) {
            if self.overlays.show(ui, &response, session, &self.subject, &scene, room) {
                // What measures does not stir.
                self.pointer.buttons = 0;
            }
            trail::show(&ui.painter().with_clip_rect(room), session, &scene, theme::current(ui));
            if self.overlays.handles {
                stale |= self.handles.show(ui, session, &scene, room);
            }
        }
        if let ViewSubject::Wire(wire) = &mut self.subject {
            stale |= wire.point(ui, self.pointer.at, response.hovered());
            // A click may begin and end between two frames.
            let pressed = self.pointer.buttons == 1 || response.clicked();
            wire.draw_line(ui, session, rect, self.pointer.at.filter(|_| pressed));
            let (plots, follows) = ui.input(|input| (input.modifiers.command, input.modifiers.shift));
            let (plots, follows) = (plots && !self.overlays.ruler.on, follows && !self.overlays.ruler.on);
            if let Some((None, index)) = wire.picked().filter(|_| follows && response.clicked()) {
                actions.push(Action::FollowParticle { wire: wire.view().wire.clone(), index });
            } else if let Some((cell, index)) = wire.picked().filter(|_| plots && response.clicked()) {
                plotted::element(session, wire.view(), cell, index, actions);
            } else if response.clicked() && session.debugger().is_some() {
                actions.extend(wire.pick());
            }
        }
        if stale {
            actions.push(Action::RefreshViews);
        }
    }

    /// The pointer as the simulation gets it, with `rect` for the domain on the screen. The middle button moves the image, and the right one moves the camera if there is
    /// one, so they are not passed on.
    fn pointer_over(&self, ui: &Ui, response: &egui::Response, rect: Rect, camera: bool) -> Pointer {
        let held = response.is_pointer_button_down_on();
        let inside = |at: &egui::Pos2| held || (response.hovered() && rect.contains(*at));
        let at = ui.input(|input| input.pointer.latest_pos()).filter(inside);
        let panning = ui.input(|input| input.pointer.middle_down() || input.modifiers.alt);
        let buttons = [(PointerButton::Primary, 1), (PointerButton::Secondary, if camera { 0 } else { 2 })];
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
            (Some(fault), false) => ("No image", markup::plain(fault)),
            (_, true) if session.loading().is_some() => ("Loading…", "The graph is waiting for a file.".into()),
            (_, true) => ("Compiling…", String::new()),
            (None, false) if session.running_simulation().is_some() => ("", String::new()),
            (None, false) => match session.problems().next() {
                Some(problem) => ("The graph cannot run yet", markup::plain(&problem.to_string())),
                None => ("Nothing to show", String::new()),
            },
        };
        let look = theme::current(ui);
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.4);
            ui.label(RichText::new(title).heading().color(look.dim));
            ui.scope(|ui| {
                ui.set_max_width(440.0);
                ui.label(RichText::new(text).color(look.dim));
            });
        });
    }
}

/// A button that moves the view into its own window, or back.
fn window_button(ui: &mut Ui, in_own_window: bool) -> bool {
    let name = if in_own_window { "Back to the main window" } else { "View in own window" };
    let button = ui.add(egui::Button::new(RichText::new("🗗").small()).frame(false));
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, name));
    button.on_hover_text(Command::OwnWindow.hint(ui.ctx(), name)).clicked()
}

/// The thumbnails of nodes: a view of each, updated a few at a time.
#[derive(Default)]
pub(crate) struct ThumbnailViews {
    by_wire: BTreeMap<String, (wire_view::Viewer, ImageTexture)>,
    next: usize,
    /// The number of thumbnails that do not show the last frame yet.
    late: usize,
}

impl ThumbnailViews {
    /// Notes that another frame was computed.
    pub(crate) fn refresh(&mut self, session: &Session) {
        self.late = session.thumbnails().len();
    }

    /// Whether some thumbnails do not show the last frame yet.
    pub(crate) fn late(&self) -> bool {
        self.late > 0
    }

    /// Updates some thumbnails from the last frame, and adds them to those of the canvas.
    pub(crate) fn update(&mut self, session: &mut Session, render: &RenderState, shown: &mut Thumbnails) {
        let wires = session.thumbnails().to_vec();
        self.late = self.late.min(wires.len()).saturating_sub(A_FRAME);
        self.by_wire.retain(|wire, _| wires.contains(wire));
        let node = |wire: &str| wire.split('.').next().unwrap_or_default().to_string();
        shown.retain(|name, _| wires.iter().any(|wire| node(wire) == *name));
        let Some(simulation) = session.running_simulation() else { return };
        let order = wires.iter().cycle().skip(self.next % wires.len().max(1)).take(wires.len().min(A_FRAME));
        for wire in order {
            self.next = self.next.wrapping_add(1);
            if !self.by_wire.contains_key(wire) {
                let Ok(viewer) = wire_view::Viewer::new(simulation.gpu()) else { continue };
                self.by_wire.insert(wire.clone(), (viewer, ImageTexture::new(render.clone())));
            }
            let Some((viewer, target)) = self.by_wire.get_mut(wire) else { continue };
            let view = wire_view::View { size: Some(THUMBNAIL), ..wire_view::View::new(wire) };
            // A wire that can't be shown has no thumbnail.
            let looked = viewer.update(simulation, &view).is_ok();
            let found = viewer.image().filter(|_| looked);
            if let Some(found) = found
                && target.update(found.buffer, found.size, wire).is_ok()
                && let Some((texture, [width, height])) = target.shown()
            {
                shown.insert(node(wire), (texture, height as f32 / width.max(1) as f32));
            }
        }
    }
}
