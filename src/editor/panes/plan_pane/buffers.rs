//! What a dispatch reads and writes.

use eframe::egui::{RichText, Ui};

use super::{figures, rows};
use crate::gpu::List;
use crate::plan::{BufferId, Holding, Plan};
use crate::stage::types::Precision;
use crate::toolkit::theme;

/// A buffer that a dispatch is bound to.
pub(super) struct Use {
    pub buffer: BufferId,
    pub writes: bool,
    /// What the stage calls it.
    pub binding: String,
    /// The wire that it holds at that time.
    pub wire: String,
}

/// The buffers of a dispatch, in the order of its bindings.
pub(super) fn uses(plan: &Plan, list: List, index: usize) -> Vec<Use> {
    let Some(dispatch) = rows::dispatches(plan, list).get(index) else { return Vec::new() };
    let Some(kernel) = plan.kernels.get(dispatch.kernel) else { return Vec::new() };
    let bound = kernel.bindings.iter().zip(&dispatch.buffers).map(|(binding, buffer)| Use {
        buffer: *buffer,
        writes: binding.writes,
        binding: binding.name.clone(),
        wire: wire(plan, list, index, *buffer, binding.writes),
    });
    bound.collect()
}

fn wire(plan: &Plan, list: List, index: usize, buffer: BufferId, writes: bool) -> String {
    let Some(held) = plan.buffers.get(buffer) else { return String::new() };
    // A reset borrows what the frame uses later, for values without a name.
    if list == List::Reset {
        let state = plan.states.iter().find(|state| state.buffer == buffer);
        return state.map_or_else(|| format!("b{buffer}"), |state| state.node.clone());
    }
    held.held(count(plan, list, index), writes).map_or_else(|| held.label.clone(), |holding| holding.wire.clone())
}

/// The number of a dispatch as in [`Holding`].
fn count(plan: &Plan, list: List, index: usize) -> usize {
    if list == List::Frame { plan.invariant.len() + index } else { index }
}

/// The lifetime, in dispatches of the frame.
pub(super) fn span(plan: &Plan, holding: &Holding) -> String {
    let number = |dispatch: usize| match dispatch.checked_sub(plan.invariant.len()) {
        Some(number) => format!("#{}", number + 1),
        None => "static dispatches".to_string(),
    };
    match (holding.first, holding.last) {
        (None, None) => "always in use".into(),
        (None, Some(last)) => format!("from the previous frame to {}", number(last)),
        (Some(first), None) => format!("from {} into the next frame", number(first)),
        (Some(first), Some(last)) if number(first) == number(last) => format!("only in {}", number(first)),
        (Some(first), Some(last)) => format!("from {} to {}", number(first), number(last)),
    }
}

/// Draws the list of buffers of a dispatch, with sizes, lifetimes and other wires in the same memory.
pub(super) fn list(ui: &mut Ui, plan: &Plan, list: List, index: usize) {
    let look = theme::current(ui);
    ui.set_max_width(theme::TOOLTIP);
    for one in uses(plan, list, index) {
        let Some(buffer) = plan.buffers.get(one.buffer) else { continue };
        ui.horizontal_wrapped(|ui| {
            let (word, color) = if one.writes { ("writes", look.accent) } else { ("reads", look.dim) };
            ui.label(RichText::new(word).small().color(color));
            ui.label(RichText::new(&one.wire).strong());
            let size = figures::bytes(buffer.bytes);
            let precision = plan.wires.get(&one.wire).map(|wire| wire.precision).filter(|p| *p != Precision::F32);
            let stored = precision.map_or_else(String::new, |precision| format!(", {}", precision.name()));
            let text = format!("as {}, b{}, {size}{stored}", one.binding, one.buffer);
            ui.label(RichText::new(text).small().color(look.dim));
        });
        if list == List::Reset {
            continue;
        }
        let Some(held) = buffer.held(count(plan, list, index), one.writes) else { continue };
        let others: Vec<&str> = buffer.wires().into_iter().filter(|wire| *wire != held.wire).collect();
        let shared = match others.len() {
            0 => String::new(),
            n if n > 4 => format!("; shared with {} and {} more", others[..4].join(", "), n - 4),
            _ => format!("; shared with {}", others.join(", ")),
        };
        let text = format!("{}{shared}", span(plan, held));
        ui.indent(one.buffer, |ui| ui.label(RichText::new(text).small().color(look.faint)));
    }
}
