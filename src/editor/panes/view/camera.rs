//! Moves the camera of an image: the right button orbits, with Shift it pans, the wheel zooms.

use eframe::egui::{self, PointerButton, RichText, Ui};

use crate::commands::action::{Action, Actions};
use crate::model::session::Session;
use crate::sim::camera::Orbit;
use crate::toolkit::theme;

/// What happened to an image's camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orbits {
    /// There is no camera that can be moved.
    No,
    Still,
    Moved,
}

/// The camera after a gesture of the pointer. `height`: of the image on the screen \[points\].
pub(crate) fn turned(ui: &Ui, response: &egui::Response, height: f32, orbit: Orbit) -> Option<Orbit> {
    let (shift, ctrl) = ui.input(|input| (input.modifiers.shift, input.modifiers.command));
    let by = response.drag_delta();
    let mut now = orbit;
    if response.dragged_by(PointerButton::Secondary) && by != egui::Vec2::ZERO {
        now = match shift {
            true => now.panned(f64::from(by.x), f64::from(by.y), f64::from(height)),
            false => now.dragged(f64::from(by.x), f64::from(by.y)),
        };
    }
    // Also where a handle lies over the image.
    if response.contains_pointer() && !ctrl {
        let (wheel, pinch) =
            ui.input_mut(|input| (std::mem::take(&mut input.smooth_scroll_delta).y, input.zoom_delta()));
        let factor = f64::from((wheel * 0.002).exp() * pinch);
        if factor != 1.0 {
            now = now.zoomed(factor);
        }
    }
    (now != orbit).then_some(now)
}

/// Moves the camera of an Output.
pub(super) fn gestures(
    ui: &Ui,
    (response, height): (&egui::Response, f32),
    session: &mut Session,
    output: Option<&str>,
) -> Orbits {
    let Some(node) = node(session, output) else { return Orbits::No };
    let Some(orbit) = session.running_simulation().and_then(|s| s.orbit(&node)) else { return Orbits::No };
    match turned(ui, response, height, orbit) {
        Some(now) => {
            session.move_camera(&node, now);
            Orbits::Moved
        }
        None => Orbits::Still,
    }
}

/// Buttons for a camera that was moved: save it to the document, or reset it.
pub(super) fn buttons(ui: &mut Ui, session: &mut Session, output: Option<&str>, actions: &mut Actions) {
    let Some(node) = node(session, output).filter(|node| session.camera_moved(node)) else { return };
    ui.separator();
    let small = |ui: &mut Ui, text: &str, hint: &str| {
        ui.add(egui::Button::new(RichText::new(text).small().color(theme::current(ui).dim)).frame(false))
            .on_hover_text(hint)
            .clicked()
    };
    if small(ui, "Save camera to graph", "Write the current camera into the graph") {
        actions.extend(session.keep_camera(&node).err().map(Action::Tell));
    }
    if small(ui, "Reset camera", "Go back to the camera of the graph") {
        session.restore_camera(&node);
        actions.push(Action::RefreshViews);
    }
}

fn node(session: &Session, output: Option<&str>) -> Option<String> {
    let simulation = session.running_simulation()?;
    let output = simulation.find_output(output).ok()?.node.clone();
    session.camera(&output).map(str::to_string)
}
