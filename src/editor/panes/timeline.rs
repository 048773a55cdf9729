//! The timeline at the foot of the window: the frames of the run, where it stands, what is kept of it, and the loop.

use eframe::egui::{self, Align2, Color32, FontId, Key, Pos2, Rect, Response, RichText, Sense, Stroke, Ui, pos2, vec2};

use super::files::Data;
use super::inspector::keys::diamond;
use crate::commands::action::Action;
use crate::commands::command::Command;
use crate::model::amount::amount;
use crate::model::player::Player;
use crate::model::session::Session;
use crate::sim::Simulation;
use crate::sim::checkpoint::Checkpoint;
use crate::sim::timeline::{Applies, Storage, Timeline};
use crate::toolkit::command_button::menu_entry;
use crate::toolkit::number::number_field;
use crate::toolkit::theme::{self, Look};

/// Height of the pane \[points\].
pub(crate) const HEIGHT: f32 = 38.0;
/// A lower window has no room for the pane \[points\].
pub(crate) const LEAST_WINDOW: f32 = 400.0;
/// Width of the part for the controls, and of that for the memory \[points\].
const CONTROLS: f32 = 222.0;
const MEMORY: f32 = 86.0;
/// Frames that are shown at least.
const LEAST: f64 = 60.0;
/// How close the pointer is to what it drags \[points\].
const NEAR: f32 = 5.0;
/// Distance of two labels of frames \[points\].
const LABELS: f64 = 64.0;

/// What a drag moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Playhead,
    LoopStart,
    LoopEnd,
    Pan,
}

/// Which frames are shown, and what is dragged.
#[derive(Debug, Default)]
pub(crate) struct TimelinePane {
    /// First and last frame in sight, where somebody has zoomed.
    sight: Option<[f64; 2]>,
    drag: Option<Drag>,
    /// Whether it played when the drag began.
    resumes: bool,
}

/// Frames as places in the pane.
#[derive(Clone, Copy)]
struct Scale {
    rect: Rect,
    first: f64,
    last: f64,
}

impl Scale {
    fn x(&self, frame: f64) -> f32 {
        self.rect.left() + ((frame - self.first) / (self.last - self.first)) as f32 * self.rect.width()
    }

    fn frame(&self, x: f32) -> f64 {
        self.first + f64::from((x - self.rect.left()) / self.rect.width()) * (self.last - self.first)
    }

    /// Frames between two labels: 1, 2 or 5 times a power of ten.
    fn step(&self) -> f64 {
        let least = LABELS * (self.last - self.first) / f64::from(self.rect.width().max(1.0));
        let power = 10f64.powf(least.max(1.0).log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= least).unwrap_or(power)
    }
}

impl TimelinePane {
    /// Draws the pane. Returns what was asked for.
    pub(crate) fn show(&mut self, ui: &mut Ui, player: &mut Player, session: &mut Session) -> Option<Action> {
        let whole = ui.available_rect_before_wrap();
        let wide = whole.width() > CONTROLS + MEMORY + 200.0;
        let left = if wide { CONTROLS } else { 0.0 };
        let right = if wide { MEMORY } else { 0.0 };
        let track = Rect::from_min_max(whole.min + vec2(left + 8.0, 2.0), whole.max - vec2(right + 8.0, 2.0));
        let mut action = None;
        if wide {
            let controls = Rect::from_min_size(whole.min + vec2(6.0, 0.0), vec2(left - 6.0, whole.height()));
            let controls = ui.scope_builder(egui::UiBuilder::new().max_rect(controls), |ui| {
                ui.horizontal_centered(|ui| self::controls(ui, player, session)).inner
            });
            action = controls.inner.map(Action::Run);
            let memory = Rect::from_min_max(pos2(whole.right() - right, whole.top()), whole.max);
            ui.scope_builder(egui::UiBuilder::new().max_rect(memory), |ui| {
                ui.horizontal_centered(|ui| self::memory(ui, session));
            });
        }
        self.track(ui, track, player, session).map(Action::Run).or(action)
    }

    fn track(&mut self, ui: &mut Ui, rect: Rect, player: &mut Player, session: &mut Session) -> Option<Command> {
        let response = ui.interact(rect, ui.id().with("timeline"), Sense::click_and_drag());
        let look = theme::current(ui);
        let stood_in = session.debugger().map(|debugger| debugger.frame());
        let simulation = session.simulation()?;
        let (now, fps) = (simulation.frame(), simulation.plan().fps);
        let shown = player.target().or(stood_in).unwrap_or(now);
        let played = simulation.played();
        let end = end(simulation).max(now);
        let [first, last] = self.sight.unwrap_or([0.0, (end as f64).max(LEAST) * 1.02]);
        let scale = Scale { rect, first, last };
        response.widget_info(|| {
            let mut info = egui::WidgetInfo::labeled(egui::WidgetType::Slider, true, "Timeline");
            info.value = Some(shown as f64);
            info
        });
        let painter = ui.painter_at(rect.expand(1.0));
        let band = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 14.0), rect.max);
        painter.rect_filled(band, 2.0, look.field);
        if let Some(timeline) = simulation.timeline_mut() {
            draw_known(&painter, scale, band, timeline, look);
        }
        for cache in &played {
            let (from, to) = (cache.frames.start().saturating_sub(1) as f64, *cache.frames.end() as f64);
            let ends = egui::Rangef::new(scale.x(from).max(band.left()), scale.x(to).min(band.right()));
            painter.hline(ends, band.top() + 1.5, Stroke::new(3.0, look.accent));
        }
        draw_ruler(&painter, scale, look);
        if let Some((from, to)) = player.range {
            draw_loop(&painter, scale, band, (from, to), player.looped, look);
        }
        let changes = session.timed_simulation().and_then(|s| s.timeline()).map(changes).unwrap_or_default();
        for (frame, _) in &changes {
            let at = pos2(scale.x(*frame as f64), band.top() + 3.0);
            let corners = vec![at + vec2(-3.5, -4.0), at + vec2(3.5, -4.0), at + vec2(0.0, 2.0)];
            painter.add(egui::Shape::convex_polygon(corners, look.warning, Stroke::NONE));
        }
        let keys = session.key_frames();
        for frame in &keys {
            let at = pos2(scale.x(*frame as f64), band.bottom() - 4.0);
            painter.add(diamond(at, 3.5, look.text, look.field));
        }
        draw_playhead(&painter, scale, shown, look);
        self.zoom(ui, &response, scale, end);
        self.drag(&response, scale, player, shown);
        self::keys(ui, &response, player, shown);
        let mut chosen = None;
        response.context_menu(|ui| {
            for command in MENU {
                if menu_entry(ui, *command, true) {
                    chosen = Some(*command);
                }
            }
        });
        hint(&response, scale, &changes, fps);
        chosen
    }

    /// The wheel zooms around the pointer, and a double click shows all.
    fn zoom(&mut self, ui: &Ui, response: &Response, scale: Scale, end: u64) {
        if response.double_clicked() {
            self.sight = None;
        }
        let Some(pointer) = response.hover_pos() else { return };
        let wheel = ui.input(|input| input.smooth_scroll_delta.y);
        if wheel != 0.0 {
            let factor = f64::from((-wheel * 0.005).exp());
            let at = scale.frame(pointer.x);
            let range = ((scale.last - scale.first) * factor).clamp(10.0, (end as f64).max(LEAST) * 4.0);
            let first = (at - (at - scale.first) / (scale.last - scale.first) * range).max(0.0);
            self.sight = Some([first, first + range]);
        }
    }

    fn drag(&mut self, response: &Response, scale: Scale, player: &mut Player, now: u64) {
        let frame = |at: Pos2| scale.frame(at.x).round().max(0.0) as u64;
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.drag_started() || response.clicked()) {
            let near = |frame: u64| (scale.x(frame as f64) - at.x).abs() < NEAR;
            let range = player.range.filter(|_| !near(now));
            let kind = match range {
                _ if response.dragged_by(egui::PointerButton::Middle) => Drag::Pan,
                Some((from, _)) if near(from) => Drag::LoopStart,
                Some((_, to)) if near(to) => Drag::LoopEnd,
                _ => Drag::Playhead,
            };
            self.drag = Some(kind);
            self.resumes = player.playing;
        }
        if let (Some(kind), Some(at)) = (self.drag, response.interact_pointer_pos()) {
            match (kind, player.range) {
                (Drag::Playhead, _) => {
                    player.playing = false;
                    if player.target().unwrap_or(now) != frame(at) || response.clicked() {
                        player.go_to(frame(at));
                    }
                }
                (Drag::LoopStart, Some((_, to))) => player.range = Some((frame(at).min(to.saturating_sub(1)), to)),
                (Drag::LoopEnd, Some((from, _))) => player.range = Some((from, frame(at).max(from + 1))),
                (Drag::Pan, _) => {
                    let moved = f64::from(response.drag_delta().x / scale.rect.width()) * (scale.last - scale.first);
                    let first = (scale.first - moved).max(0.0);
                    self.sight = Some([first, first + scale.last - scale.first]);
                }
                _ => {}
            }
        }
        if self.drag.is_some() && !response.is_pointer_button_down_on() {
            self.drag = None;
            player.playing |= self.resumes;
        }
    }
}

/// Commands in the menu of the pane.
const MENU: &[Command] = &[
    Command::LoopStart,
    Command::LoopEnd,
    Command::Loop,
    Command::KeepInput,
    Command::SaveInput,
    Command::CutInput,
    Command::ClearInput,
    Command::ClearCheckpoints,
];

/// With the keyboard on the pane, arrows move by a frame, and with Page up and down by ten.
fn keys(ui: &Ui, response: &Response, player: &mut Player, now: u64) {
    if !response.has_focus() {
        return;
    }
    for (key, by) in [(Key::PageUp, -10), (Key::PageDown, 10)] {
        if ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key)) {
            player.playing = false;
            player.go_to(now.saturating_add_signed(by));
        }
    }
}

/// What is known, the checkpoints, and where the pointer or keys were used.
fn draw_known(painter: &egui::Painter, scale: Scale, band: Rect, timeline: &mut Timeline, look: &Look) {
    let end = timeline.end();
    let strip = |from: f64, to: f64, top: f32, height: f32| {
        let (left, right) = (scale.x(from).max(band.left()), scale.x(to).min(band.right()));
        Rect::from_min_max(pos2(left, band.top() + top), pos2(right.max(left), band.top() + top + height))
    };
    let stale = timeline.stale().unwrap_or(end);
    painter.rect_filled(strip(0.0, stale as f64, 4.0, 6.0), 0.0, look.line);
    painter.rect_filled(strip(stale as f64, end as f64, 4.0, 6.0), 0.0, look.warning.gamma_multiply(0.35));
    for (frame, place) in timeline.cached() {
        let x = scale.x(frame as f64);
        let color = match place {
            Storage::Gpu => look.accent,
            Storage::Host => look.accent.gamma_multiply(0.6),
            Storage::Disk => look.dim,
        };
        painter.vline(x, egui::Rangef::new(band.top() + 4.0, band.top() + 10.0), Stroke::new(1.5, color));
    }
    // No more than one look a point.
    let stride = ((scale.last - scale.first) / f64::from(band.width().max(1.0))).ceil().max(1.0) as u64;
    let (from, to) = (scale.first.max(0.0) as u64, (scale.last.max(0.0) as u64).min(end));
    let mut frame = from - from % stride;
    while frame < to {
        if (frame..frame + stride).any(|frame| timeline.journal().is_live(frame)) {
            let rect = strip(frame as f64, (frame + stride) as f64, 11.0, 2.0);
            painter.rect_filled(rect, 0.0, look.text);
        }
        frame += stride;
    }
}

fn draw_ruler(painter: &egui::Painter, scale: Scale, look: &Look) {
    let step = scale.step();
    let mut frame = (scale.first / step).ceil() * step;
    while frame <= scale.last {
        let x = scale.x(frame);
        painter.vline(
            x,
            egui::Rangef::new(scale.rect.top() + 12.0, scale.rect.top() + 18.0),
            Stroke::new(1.0, look.line),
        );
        painter.text(
            pos2(x, scale.rect.top()),
            if x < scale.rect.left() + 12.0 { Align2::LEFT_TOP } else { Align2::CENTER_TOP },
            format!("{frame}"),
            FontId::proportional(9.5),
            look.dim,
        );
        frame += step;
    }
}

fn draw_loop(painter: &egui::Painter, scale: Scale, band: Rect, (from, to): (u64, u64), on: bool, look: &Look) {
    let color = if on { look.bright } else { look.faint };
    let (left, right) = (scale.x(from as f64), scale.x(to as f64));
    let inside = Rect::from_min_max(pos2(left, band.top()), pos2(right, band.bottom()));
    painter.rect_filled(inside, 0.0, color.gamma_multiply(0.08));
    for (x, inward) in [(left, 3.0), (right, -3.0)] {
        let stroke = Stroke::new(1.5, color);
        painter.vline(x, band.y_range(), stroke);
        painter.hline(egui::Rangef::new(x.min(x + inward), x.max(x + inward)), band.top(), stroke);
        painter.hline(egui::Rangef::new(x.min(x + inward), x.max(x + inward)), band.bottom(), stroke);
    }
}

fn draw_playhead(painter: &egui::Painter, scale: Scale, frame: u64, look: &Look) {
    let x = scale.x(frame as f64);
    painter.vline(x, scale.rect.y_range(), Stroke::new(1.5, look.error));
    let text = painter.layout_no_wrap(frame.to_string(), FontId::proportional(10.0), Color32::WHITE);
    let size = text.size() + vec2(8.0, 2.0);
    let left = (x - size.x / 2.0).clamp(scale.rect.left(), (scale.rect.right() - size.x).max(scale.rect.left()));
    let label = Rect::from_min_size(pos2(left, scale.rect.top()), size);
    painter.rect_filled(label, 2.0, look.error);
    painter.galley(label.min + vec2(4.0, 1.0), text, Color32::WHITE);
}

/// Changes of parameters by frame, in words.
fn changes(timeline: &Timeline) -> Vec<(u64, String)> {
    let words = |(frame, change): (u64, &crate::sim::timeline::Change)| {
        (frame, format!("{} = {} from frame {frame}", change.path, change.value.value))
    };
    timeline.journal().changes().map(words).collect()
}

/// What is below the pointer.
fn hint(response: &Response, scale: Scale, changes: &[(u64, String)], fps: f64) {
    let Some(pointer) = response.hover_pos() else { return };
    let frame = scale.frame(pointer.x).round().max(0.0);
    let near = |at: u64| (scale.x(at as f64) - pointer.x).abs() < NEAR;
    let mut text = format!("Frame {frame}, {:.2} s", frame / fps);
    for (_, change) in changes.iter().filter(|(at, _)| near(*at)).take(8) {
        text.push('\n');
        text.push_str(change);
    }
    response.clone().on_hover_text_at_pointer(text);
}

/// The loop, how it plays, and from when on changes apply.
fn controls(ui: &mut Ui, player: &mut Player, session: &mut Session) -> Option<Command> {
    let mut command = None;
    ui.spacing_mut().item_spacing.x = 4.0;
    let look = theme::current(ui);
    let color = if player.looped { look.accent } else { look.dim };
    let button = ui.add(egui::Button::new(RichText::new("🔁").color(color)).min_size(vec2(24.0, 22.0)));
    button.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, player.looped, "Loop playback"));
    if button.on_hover_text("Loop between the two marks (I and O set them)").clicked() {
        command = Some(Command::Loop);
    }
    let modes = [(false, "Every frame"), (true, "Real time")];
    let mut real_time = player.real_time;
    let name = |on: bool| modes.iter().find(|(mode, _)| *mode == on).map_or("", |(_, name)| name);
    let list = egui::ComboBox::from_id_salt("pace").width(78.0).selected_text(RichText::new(name(real_time)).small());
    let list = list.show_ui(ui, |ui| modes.map(|(mode, name)| ui.selectable_value(&mut real_time, mode, name)));
    list.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Playback"));
    list.response
        .on_hover_text("Every frame: shows each. Real time: keeps to the clock, and skips frames in the view.");
    if real_time != player.real_time {
        command = Some(Command::RealTime);
    }
    let Some(timeline) = session.simulation().and_then(|simulation| simulation.timeline_mut()) else { return command };
    let choices = [(Applies::Here, "From here"), (Applies::Start, "From start")];
    let mut applies = timeline.applies;
    let name = |applies: Applies| choices.iter().find(|(choice, _)| *choice == applies).map_or("", |(_, name)| name);
    let list = egui::ComboBox::from_id_salt("applies").width(78.0).selected_text(RichText::new(name(applies)).small());
    let list = list.show_ui(ui, |ui| choices.map(|(choice, name)| ui.selectable_value(&mut applies, choice, name)));
    list.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, "Changes apply"));
    list.response.on_hover_text(
        "From here: a changed parameter applies from this frame on; earlier frames stay. From start: all frames are computed again with it.",
    );
    if applies != timeline.applies {
        command = Some(Command::FromStart);
    }
    command
}

/// The memory in use. A click opens the budget.
fn memory(ui: &mut Ui, session: &mut Session) {
    let Some(timeline) = session.simulation().and_then(|simulation| simulation.timeline_mut()) else { return };
    let used = [Storage::Gpu, Storage::Host, Storage::Disk].map(|place| timeline.used(place));
    let text = amount(used.iter().sum::<u64>() as f64);
    let button = ui.add(egui::Button::new(RichText::new(text).small()).min_size(vec2(MEMORY - 8.0, 22.0)));
    button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, "Timeline memory"));
    let [gpu, host, disk] = used.map(|bytes| amount(bytes as f64));
    let button = button.on_hover_text(format!("Past frames: {gpu} on the GPU, {host} in memory, {disk} on disk"));
    egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.label("Memory for past frames");
        let mut budget = session.timeline_budget();
        for (name, bytes) in [("GPU", &mut budget.gpu), ("Memory", &mut budget.host), ("Disk", &mut budget.disk)] {
            ui.horizontal(|ui| {
                let mut mebibytes = (*bytes >> 20) as f64;
                let field = number_field(ui, &mut mebibytes).range(0.0..=1_048_576.0).speed(16.0).suffix(" MiB");
                if ui.add(field).changed() {
                    *bytes = (mebibytes as u64) << 20;
                }
                ui.label(name);
            });
        }
        if budget != session.timeline_budget() {
            session.set_timeline_budget(budget);
        }
    });
}

/// The last frame that is known: computed in this run, or baked.
fn end(simulation: &Simulation) -> u64 {
    let baked = simulation.played().iter().map(|cache| *cache.frames.end()).max().unwrap_or(0);
    simulation.timeline().map_or(simulation.frame(), Timeline::end).max(baked)
}

/// Known frames after the present one.
pub(crate) fn frames_after(session: &Session) -> u64 {
    session.timed_simulation().map_or(0, |s| s.timeline().map_or(0, |t| t.end().saturating_sub(s.frame())))
}

/// Whether any input was given live.
pub(crate) fn has_input(session: &Session) -> bool {
    let timeline = session.timed_simulation().and_then(|simulation| simulation.timeline());
    timeline.is_some_and(|timeline| (0..timeline.end()).any(|frame| timeline.journal().is_live(frame)))
}

/// The frame that is shown or about to be, and the last known one; none where nothing runs.
fn present(player: &Player, session: &Session) -> Option<(u64, u64)> {
    let simulation = session.timed_simulation()?;
    let now = player.target().unwrap_or_else(|| simulation.frame());
    Some((now, end(simulation).max(now)))
}

/// Pauses, and goes back one frame.
pub(crate) fn step_back(player: &mut Player, session: &Session) {
    if let Some((now, _)) = present(player, session) {
        player.playing = false;
        player.go_to(now.saturating_sub(1));
    }
}

/// Goes to the last known frame.
pub(crate) fn go_to_end(player: &mut Player, session: &Session) {
    if let Some((_, end)) = present(player, session) {
        player.go_to(end);
    }
}

/// Lets a loop begin at the frame that is shown.
pub(crate) fn start_loop(player: &mut Player, session: &Session) {
    if let Some((now, end)) = present(player, session) {
        let to = player.range.map_or(end, |(_, to)| to).max(now + 1);
        (player.range, player.looped) = (Some((now, to)), true);
    }
}

/// Lets a loop end at the frame that is shown.
pub(crate) fn end_loop(player: &mut Player, session: &Session) {
    if let Some((now, _)) = present(player, session) {
        let from = player.range.map_or(0, |(from, _)| from).min(now.saturating_sub(1));
        (player.range, player.looped) = (Some((from, now.max(1))), true);
    }
}

/// Switches the loop on or off; without a range it has all known frames.
pub(crate) fn toggle_loop(player: &mut Player, session: &Session) {
    if let Some((_, end)) = present(player, session) {
        player.looped = !player.looped;
        player.range = player.range.or(Some((0, end.max(1))));
    }
}

/// Switches between changes that apply here and changes that apply from the start.
pub(crate) fn toggle_from_start(session: &mut Session) {
    if let Some(timeline) = session.simulation().and_then(Simulation::timeline_mut) {
        timeline.applies = if timeline.applies == Applies::Here { Applies::Start } else { Applies::Here };
    }
}

/// Discards the input after the frame that is shown.
pub(crate) fn cut_input(player: &Player, session: &mut Session) {
    if let Some((now, _)) = present(player, session)
        && let Some(timeline) = session.simulation().and_then(Simulation::timeline_mut)
    {
        timeline.cut(now);
    }
}

/// Discards all input, and goes to the start.
pub(crate) fn clear_input(player: &mut Player, session: &mut Session) {
    if let Some(timeline) = session.simulation().and_then(Simulation::timeline_mut) {
        timeline.cut(0);
        player.go_to(0);
    }
}

/// Frees the memory of the timeline's checkpoints.
pub(crate) fn clear_checkpoints(session: &mut Session) {
    session.simulation().and_then(Simulation::timeline_mut).into_iter().for_each(|timeline| timeline.clear());
}

/// Goes to the next or the previous key of the selected nodes, or of the graph if none is selected.
pub(crate) fn go_to_key(player: &mut Player, session: &Session, next: bool) {
    let (now, keys) = (player.target().unwrap_or_else(|| session.frame()), session.key_frames());
    let found = if next { keys.iter().find(|key| **key > now) } else { keys.iter().rfind(|key| **key < now) };
    if let Some(frame) = found {
        player.playing = false;
        player.go_to(*frame);
    }
}

/// The recorded input as the text of a file.
///
/// # Errors
/// There is none.
pub(crate) fn recording(session: &Session) -> Result<String, String> {
    let simulation = session.timed_simulation().ok_or("nothing runs")?;
    let timeline = simulation.timeline().ok_or("the timeline is off")?;
    timeline.track(simulation.plan().fps).to_ron().map_err(|error| error.to_string())
}

/// Makes the recorded input that of the graph, as one step that can be undone.
///
/// # Errors
/// There is none.
pub(crate) fn keep_input(session: &mut Session) -> Result<(), String> {
    let simulation = session.timed_simulation().ok_or("nothing runs")?;
    let track = simulation.timeline().ok_or("the timeline is off")?.track(simulation.plan().fps);
    session.edit("save input to graph", |document| document.input = Some(track));
    session.end_gesture();
    Ok(())
}

/// A checkpoint of the present frame, to be saved.
///
/// # Errors
/// Nothing runs, or the device failed.
pub(crate) fn checkpoint(session: &Session) -> Result<Data, String> {
    let simulation = session.timed_simulation().ok_or("nothing runs")?;
    let snapshot = simulation.snapshot().map_err(|problem| problem.to_string())?.wait();
    let snapshot = snapshot.ok_or("the graphics device does not respond")?;
    let name = format!("{}_{}.{}", file_stem(session), snapshot.frame, Checkpoint::EXTENSION);
    let mut checkpoint = Checkpoint::new(simulation, snapshot, session.document().to_text(), None);
    if has_input(session) {
        checkpoint.about.recording = Some(recording(session)?);
    }
    let write = move |path: &std::path::Path| checkpoint.write(path).map_err(|error| error.to_string());
    Ok(Data { name, title: "Checkpoint", write: Box::new(write) })
}

/// The name of the graph's file without its extension.
pub(crate) fn file_stem(session: &Session) -> String {
    let stem = session.path().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| "graph".into())
}
