//! The bar at the bottom of the window: playback controls and speed.

use eframe::egui::{self, Align, Layout, RichText, Ui, vec2};

use super::{snapshots, variants};
use crate::commands::action::Action;
use crate::commands::command::Command;
use crate::gpu::Making;
use crate::model::amount::amount;
use crate::model::driver;
use crate::model::loader::Loading;
use crate::model::player::{Player, SPEEDS};
use crate::model::session::Session;
use crate::sim::Simulation;
use crate::toolkit::command_button::icon_button;
use crate::toolkit::theme;

/// Width of a figure's name, and of the state of the graph at the right end \[points\].
const NAME: f32 = 40.0;
const STATUS: f32 = 190.0;
/// Width of a narrow bar \[points\].
const NARROW: f32 = 700.0;

/// Draws the bar. Returns what was asked for.
pub(crate) fn show(ui: &mut Ui, player: &mut Player, session: &mut Session) -> Option<Action> {
    let mut action = None;
    let narrow = ui.available_width() < NARROW;
    let (play, label) = if player.playing { ("⏸", "Pause") } else { ("▶", "Play") };
    for (command, icon, label) in [
        (Command::FirstFrame, "⏮", "Go to first frame"),
        (Command::StepBack, "⏴", "Step back one frame"),
        (Command::Play, play, label),
        (Command::Step, "⏵", "Step one frame"),
        (Command::LastFrame, "⏭", "Go to last frame"),
        (Command::Reset, "⟲", "Reset simulation"),
    ] {
        // The first and the last frame can be dragged to.
        let may_go = matches!(command, Command::FirstFrame | Command::LastFrame) && narrow;
        if !may_go && icon_button(ui, command, icon, label) {
            action = Some(Action::Run(command));
        }
    }
    speed(ui, player);
    action = ui.scope(|ui| snapshots::buttons(ui, session)).inner.or(action);
    action = variants::chooser(ui, session).map(Action::Run).or(action);
    ui.add_space(4.0);
    let (frame, time) = (session.shown_frame(), session.running_simulation().map_or(0.0, Simulation::time));
    let computing = session.running_simulation().and_then(Simulation::progress).filter(|_| player.is_long());
    let part = computing.map_or(String::new(), |part| format!(" {:.0} %", 100.0 * part));
    let rate = player.rate().map_or("–".into(), |rate| format!("{rate:.1}"));
    let ms = player.gpu_ms().map_or("–".into(), |ms| format!("{ms:.2} ms"));
    for (width, name, value, hint) in [
        (72.0, "frame", format!("{frame}{part}"), "The part of the next frame that is computed"),
        (66.0, "time", format!("{time:.2} s"), "Simulated time"),
        (38.0, "fps", rate, "Frames computed per second"),
        (66.0, "GPU", ms, "GPU time per frame"),
    ] {
        // A narrow window leaves out the last ones.
        if ui.available_width() < width + NAME + STATUS {
            break;
        }
        figure(ui, width, name, value).on_hover_text(hint);
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        action = status(ui, player, session).map(Action::Run).or(action.take())
    });
    action
}

fn speed(ui: &mut Ui, player: &mut Player) {
    let text = |speed: f64| match speed {
        s if s < 1.0 => format!("1/{} ×", (1.0 / s).round()),
        s => format!("{s} ×"),
    };
    let hint = "Slow motion: frames are shown more slowly; the time step stays the same";
    egui::ComboBox::from_id_salt("speed")
        .width(58.0)
        .selected_text(text(player.speed))
        .show_ui(ui, |ui| {
            for choice in SPEEDS {
                ui.selectable_value(&mut player.speed, choice, text(choice));
            }
        })
        .response
        .on_hover_text(hint);
}

/// What is going on. A narrow window cuts the text off.
fn state(ui: &mut Ui, text: String, color: egui::Color32) {
    ui.spinner();
    ui.add(egui::Label::new(RichText::new(text).color(color).small()).truncate());
}

/// Progress of loading a file.
fn loading(ui: &mut Ui, loading: &Loading) -> Option<Command> {
    let command = icon_button(ui, Command::StopLoading, "✖", "Stop loading").then_some(Command::StopLoading);
    let name = loading.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (phase, share) = loading.progress();
    let share = share.map(|share| format!(" {:.0} %", 100.0 * share)).unwrap_or_default();
    let text = format!("Loading {name}, {}: {}{share}", amount(loading.bytes as f64), phase.name());
    state(ui, text, theme::current(ui).accent);
    command
}

/// The frame that a jump goes to, with a button to stop it.
fn seeking(ui: &mut Ui, target: u64, session: &Session) -> Option<Command> {
    let command =
        icon_button(ui, Command::StopSeek, "✖", "Stop going to the frame (Escape)").then_some(Command::StopSeek);
    let first = if session.compiling() { "Compiling, then going" } else { "Going" };
    state(ui, format!("{first} to frame {target}"), theme::current(ui).accent);
    command
}

/// What the driver is compiling, with a button to cancel if it takes long.
fn shaders(ui: &mut Ui, making: &Making) -> Option<Command> {
    let cancelled = driver::is_slow(making)
        && icon_button(ui, Command::CancelDriver, "✖", "Cancel shader compilation and keep the running plan");
    state(ui, driver::text(making), theme::current(ui).accent);
    cancelled.then_some(Command::CancelDriver)
}

/// The state of the graph: compiling, broken, or fine.
fn status(ui: &mut Ui, player: &Player, session: &Session) -> Option<Command> {
    let look = theme::current(ui);
    if let Some(file) = session.loading() {
        return loading(ui, &file);
    }
    if let Some(making) = session.driver() {
        return shaders(ui, &making);
    }
    if let Some(target) = player.slow_target() {
        return seeking(ui, target, session);
    }
    if session.compiling() {
        ui.label(RichText::new("Compiling").color(look.accent).small());
        ui.spinner();
        return None;
    }
    let heavy = heavy(ui, player, session);
    if heavy.is_some() {
        return heavy;
    }
    let count = session.problems().count();
    let (text, color) = match (session.broken(), count) {
        (true, _) if session.running_simulation().is_some() => {
            ("Errors: running the last valid version".into(), look.error)
        }
        (true, _) => ("Errors: nothing runs".into(), look.error),
        (_, 0) => return None,
        (_, 1) => ("1 problem".to_string(), look.warning),
        (_, count) => (format!("{count} problems"), look.warning),
    };
    let link = egui::Link::new(RichText::new(text).color(color).small());
    ui.add(link).clicked().then_some(Command::ShowProblems)
}

/// How long a frame takes if that is too long to work with, with a button to lower the resolution.
fn heavy(ui: &mut Ui, player: &Player, session: &Session) -> Option<Command> {
    let took = player.too_heavy(session)?;
    let clicked = player.coarser(session).is_some_and(|coarser| {
        let cells: Vec<String> = coarser.cells.iter().map(u32::to_string).collect();
        let text = format!("Lower to {}", cells.join(" × "));
        let hint = format!(
            "Halve the cells of all domains along each axis{}; can be undone",
            match coarser.halvings {
                1 => String::new(),
                2 => " twice".into(),
                times => format!(" {times} times"),
            }
        );
        ui.small_button(text).on_hover_text(hint).clicked()
    });
    let text = format!("Too heavy for this machine: {:.1} s per frame", took.as_secs_f64());
    ui.add(egui::Label::new(RichText::new(text).color(theme::current(ui).warning).small()).truncate());
    clicked.then_some(Command::LowerResolution)
}

/// A name and a number of fixed width, so that nothing moves when it changes.
fn figure(ui: &mut Ui, width: f32, name: &str, value: String) -> egui::Response {
    ui.label(RichText::new(name).color(theme::current(ui).faint).small());
    let text = RichText::new(value).monospace();
    ui.allocate_ui_with_layout(vec2(width, 20.0), Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(width);
        ui.label(text)
    })
    .inner
}
