//! The buffers of a plan: their sizes, and the wires that they hold over the frame.

use eframe::egui::{self, Align2, Color32, FontId, Rect, RichText, Sense, Ui, WidgetInfo, WidgetType, pos2, vec2};

use super::cell::{self, Columns, ROW};
use super::state::PlanPane;
use super::{buffers, figures};
use crate::commands::action::{self, Actions};
use crate::model::pane::Pane;
use crate::model::session::Session;
use crate::plan::{Buffer, BufferId, Holding, Plan};
use crate::toolkit::theme;

const TITLES: [&str; 5] = ["Buffer", "First wire", "Size", "Share", "Over the frame, dispatch by dispatch"];
const WIDTHS: [f32; 5] = [62.0, 230.0, 150.0, 70.0, 360.0];
const STRIP: usize = 4;
/// Budgets to choose from \[GiB\].
const BUDGETS: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// Name of the buffer table in the stored column widths.
const TABLE: &str = "buffers";

/// Draws the list.
pub(super) fn show(ui: &mut Ui, pane: &mut PlanPane, session: &mut Session, actions: &mut Actions) {
    total(ui, session);
    let Some(plan) = session.running_simulation().map(|s| s.plan()) else { return };
    let look = theme::current(ui);
    let columns = Columns::new(cell::widths(ui, TABLE, WIDTHS), STRIP, ui.available_width());
    ui.spacing_mut().item_spacing.y = 0.0;
    let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let mut order: Vec<BufferId> = plan.buffers.ids().collect();
    let bytes = |index: &BufferId| plan.buffers.get(*index).map_or(0, |buffer| buffer.bytes);
    order.sort_by_key(|index| std::cmp::Reverse(bytes(index)));
    let largest = order.first().map_or(1, bytes).max(1);
    let (mut go_to, mut hovered) = (None, None);
    let area = egui::ScrollArea::both().auto_shrink(false).id_salt("buffers");
    let output = area.show_rows(ui, ROW, order.len(), |ui, range| {
        ui.set_min_width(columns.width);
        for index in order.get(range).unwrap_or_default() {
            let Some(buffer) = plan.buffers.get(*index) else { continue };
            let (rect, response) = ui.allocate_exact_size(vec2(columns.width, ROW), Sense::click());
            response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, &buffer.label));
            let fill = if response.hovered() { look.button[0] } else { Color32::TRANSPARENT };
            ui.painter().rect_filled(rect, 0.0, fill);
            figures_of(ui, &columns, rect, (*index, buffer), (plan, largest));
            let strip = columns.cell(rect, STRIP).shrink2(vec2(0.0, 4.0));
            let pointer = ui.input(|input| input.pointer.latest_pos()).filter(|_| response.hovered());
            let found = lives(ui, strip, buffer, plan, session, pointer);
            let node = found.map_or(buffer.label.as_str(), |holding| &holding.wire);
            let node = node.split('.').next().unwrap_or_default().to_string();
            if response.hovered() {
                hovered = Some(node.clone());
            }
            if response.clicked() {
                go_to = Some(node);
            }
            if response.hovered() {
                response.on_hover_ui_at_pointer(|ui| explain(ui, plan, *index, buffer, found));
            }
        }
    });
    let row = head.translate(vec2(-output.state.offset.x, 0.0));
    ui.painter().rect_filled(head, 0.0, look.bar);
    for (column, title) in TITLES.iter().enumerate() {
        let align = if matches!(column, 2 | 3) { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
        cell::text(ui, columns.cell(row, column), align, title, FontId::proportional(11.0), look.dim);
    }
    columns.grips(ui, row, TABLE, TITLES, WIDTHS);
    session.hover(Pane::Plan, hovered);
    if let Some(node) = go_to {
        actions.extend(action::go_to(session, &node));
        pane.selection = session.selection.nodes.clone();
    }
}

/// Total memory, relative to the budget.
fn total(ui: &mut Ui, session: &mut Session) {
    let Some(plan) = session.running_simulation().map(|s| s.plan()) else { return };
    let look = theme::current(ui);
    let (memory, buffers) = (plan.memory, plan.buffers.len());
    let wires: usize = plan.buffers.iter().map(|buffer| buffer.wires().len()).sum();
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("{} of", figures::bytes(memory))).monospace());
        let bytes = budget(ui, session);
        let (bar, _) = ui.allocate_exact_size(vec2(160.0, 8.0), Sense::hover());
        ui.painter().rect_filled(bar, 2.0, look.field);
        let share = memory as f32 / bytes as f32;
        cell::bar(ui.painter(), bar, share, look.heat(share));
        let text = format!("{wires} wires share {}", figures::count(buffers, "buffer", "buffers"));
        ui.label(RichText::new(text).color(look.dim));
    });
}

/// A list to choose the memory budget. Returns the budget \[bytes\].
pub(crate) fn budget(ui: &mut Ui, session: &mut Session) -> u64 {
    let budget = session.gpu().memory_budget();
    let limit = session.gpu().memory_limit();
    let shown = match limit {
        Some(bytes) => figures::bytes(bytes),
        None => format!("{} (automatic)", figures::bytes(budget.bytes)),
    };
    let mut chosen = limit;
    let list = egui::ComboBox::from_id_salt("budget").width(150.0).selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen, None, "Automatic");
        for bytes in BUDGETS.map(|gibibytes| gibibytes << 30) {
            ui.selectable_value(&mut chosen, Some(bytes), figures::bytes(bytes));
        }
    });
    let response = list.response.on_hover_text(format!("Memory budget of a plan: {budget}"));
    response.widget_info(|| WidgetInfo::labeled(WidgetType::ComboBox, true, "Memory budget"));
    session.limit_memory(chosen);
    budget.bytes
}

fn figures_of(
    ui: &Ui,
    columns: &Columns<5>,
    rect: Rect,
    (index, buffer): (BufferId, &Buffer),
    (plan, largest): (&Plan, u64),
) {
    let look = theme::current(ui);
    let figure = |column: usize, align: Align2, text: &str, color: Color32| {
        cell::text(ui, columns.cell(rect, column), align, text, FontId::monospace(11.5), color);
    };
    figure(0, Align2::LEFT_CENTER, &format!("b{index}"), look.faint);
    let name = columns.cell(rect, 1);
    cell::text(ui, name, Align2::LEFT_CENTER, &buffer.label, FontId::proportional(12.5), look.text);
    let bar = columns.cell(rect, 2).shrink2(vec2(0.0, 4.0));
    cell::bar(ui.painter(), bar, buffer.bytes as f32 / largest as f32, look.accent.gamma_multiply(0.3));
    figure(2, Align2::RIGHT_CENTER, &figures::bytes(buffer.bytes), look.text);
    let share = buffer.bytes as f64 / plan.memory.max(1) as f64;
    figure(3, Align2::RIGHT_CENTER, &figures::percent(share), look.dim);
}

/// Paints the lifetimes of the wires in a buffer. Returns the one under the pointer.
fn lives<'a>(
    ui: &Ui,
    strip: Rect,
    buffer: &'a Buffer,
    plan: &Plan,
    session: &Session,
    pointer: Option<egui::Pos2>,
) -> Option<&'a Holding> {
    let look = theme::current(ui);
    let painter = ui.painter();
    painter.rect_filled(strip, 2.0, look.field);
    let count = (plan.invariant.len() + plan.frame.len()).max(1) as f32;
    let x = |dispatch: usize| strip.left() + strip.width() * dispatch as f32 / count;
    let mut found = None;
    for (turn, holding) in buffer.holds.iter().enumerate() {
        let from = holding.first.map_or(strip.left(), x);
        let to = holding.last.map_or(strip.right(), |last| x(last + 1)).max(from + 1.5);
        let rect = Rect::from_min_max(pos2(from, strip.top()), pos2(to.min(strip.right()), strip.bottom()));
        let node = holding.wire.split('.').next().unwrap_or_default();
        let selected = session.here(node).is_some_and(|node| session.selection.contains(node));
        let color = match (selected, turn % 2) {
            (true, _) => look.accent,
            (_, 0) => look.faint,
            _ => look.dim.gamma_multiply(0.55),
        };
        painter.rect_filled(rect, 1.0, color);
        if pointer.is_some_and(|at| rect.x_range().contains(at.x)) {
            found = Some(holding);
        }
    }
    found
}

fn explain(ui: &mut Ui, plan: &Plan, index: BufferId, buffer: &Buffer, found: Option<&Holding>) {
    let look = theme::current(ui);
    let size = figures::bytes(buffer.bytes);
    if let Some((a, b)) = plan.swaps.iter().find(|(a, b)| *a == index || *b == index) {
        let other = if *a == index { b } else { a };
        ui.label(format!("b{index}, {size}; swaps with b{other} after every frame"));
    } else {
        ui.label(format!("b{index}, {size}"));
    }
    const SHOWN: usize = 12;
    for holding in buffer.holds.iter().take(SHOWN) {
        let here = found.is_some_and(|found| std::ptr::eq(found, holding));
        let text = format!("{}  {}", holding.wire, buffers::span(plan, holding));
        ui.label(RichText::new(text).small().color(if here { look.accent } else { look.dim }));
    }
    if let Some(more) = buffer.holds.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        ui.label(RichText::new(format!("and {more} more")).small().color(look.faint));
    }
}
