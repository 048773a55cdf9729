//! The rows of the dispatches, painted.

use eframe::egui::{
    self, Align, Align2, Color32, FontId, Rect, Response, RichText, Sense, TextStyle, Ui, WidgetInfo, WidgetType, vec2,
};

use super::cell::{self, Columns, ROW};
use super::rows::{self, LISTS, Row, Shape};
use super::state::PlanPane;
use super::{buffers, figures};
use crate::commands::action::{self, Action, Actions};
use crate::gpu::List;
use crate::model::pane::Pane;
use crate::model::session::Session;
use crate::plan::Plan;
use crate::toolkit::theme::{self, Look};

const TITLES: [&str; 10] =
    ["#", "Node", "GPU time [ms]", "Share", "Part", "Stage", "Runs over", "Workgroups", "Memory", "Reads → writes"];
const WIDTHS: [f32; 10] = [54.0, 210.0, 134.0, 66.0, 112.0, 176.0, 216.0, 140.0, 84.0, 360.0];
/// Name of the dispatch table in the stored column widths.
const TABLE: &str = "dispatches";
const NODE: usize = 1;
const TIME: usize = 2;
const STAGE: usize = 5;
const MEMORY: usize = 8;
const BUFFERS: usize = 9;

/// What was chosen for a row.
enum RowAction {
    Turn(usize),
    GoTo(usize),
    Kernel(usize),
    Copy(usize),
    RunTo(usize),
}

/// Everything that rows are painted from.
struct Table<'a> {
    pane: &'a PlanPane,
    plan: &'a Plan,
    session: &'a Session,
    columns: Columns<10>,
    look: &'static Look,
    /// Time of the longest row of the outermost level, whose bar fills the cell \[ms\].
    longest: f64,
}

/// Draws the table.
pub(super) fn show(ui: &mut Ui, pane: &mut PlanPane, session: &mut Session, actions: &mut Actions) {
    let Some(plan) = session.running_simulation().map(|s| s.plan()) else { return };
    let columns = Columns::new(cell::widths(ui, TABLE, WIDTHS), BUFFERS, ui.available_width());
    let longest = pane.rows.rows.iter().zip(&pane.row_ms).filter(|(row, _)| row.depth == 1 && row.list == List::Frame);
    let longest = longest.map(|(_, ms)| *ms).fold(0.0, f64::max);
    ui.spacing_mut().item_spacing.y = 0.0;
    let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let found = pane.found.take();
    let table = Table { pane, plan, session, columns, look: theme::current(ui), longest };
    let (mut action, mut hovered) = (None, None);
    let area = egui::ScrollArea::both().auto_shrink(false).id_salt("dispatches");
    let output = area.show_rows(ui, ROW, pane.rows.rows.len(), |ui, range| {
        let left = ui.max_rect().left_top();
        ui.set_min_width(table.columns.width);
        if let Some(found) = found.filter(|found| !range.contains(found)) {
            let top = left.y + (found as f32 - range.start as f32) * ROW;
            let rect = Rect::from_min_size(egui::pos2(left.x, top), vec2(1.0, ROW));
            ui.scroll_to_rect(rect, Some(Align::Center));
        }
        for index in range.clone() {
            let Some(row) = table.pane.rows.rows.get(index) else { continue };
            let (rect, _) = ui.allocate_exact_size(vec2(table.columns.width, ROW), Sense::hover());
            let response = table.row(ui, rect, row, index);
            if response.hovered() && row.shape != Shape::Section {
                hovered = Some(row.path.clone());
            }
            action = table.clicked_action(ui, &response, rect, row, index).or(action.take());
        }
    });
    let offset = output.state.offset.x;
    let sorted = heading(ui, head, &table, offset);
    session.hover(Pane::Plan, hovered);
    if sorted.is_some_and(|by_time| by_time != pane.by_time) {
        pane.by_time = !pane.by_time;
        pane.stale = true;
    }
    act(ui, pane, (session, actions), action);
}

fn act(ui: &Ui, pane: &mut PlanPane, (session, actions): (&mut Session, &mut Actions), action: Option<RowAction>) {
    let row = |index: usize| pane.rows.rows.get(index);
    match action {
        None => {}
        Some(RowAction::Turn(index)) => {
            if let Some(fold) = row(index).map(|row| row.fold) {
                if !pane.turned.remove(&fold) {
                    pane.turned.insert(fold);
                }
                pane.stale = true;
            }
        }
        Some(RowAction::GoTo(index)) => {
            if let Some(path) = row(index).map(|row| row.path.clone()) {
                actions.extend(action::go_to(session, &path));
                pane.selection = session.selection.nodes.clone();
            }
        }
        Some(RowAction::Kernel(index)) => {
            let Some(plan) = session.running_simulation().map(|s| s.plan()) else { return };
            let first = row(index).and_then(|row| Some((row, *pane.rows.items(row).first()?)));
            let dispatch = first.and_then(|(row, first)| rows::dispatches(plan, row.list).get(first));
            actions.extend(dispatch.map(|dispatch| Action::ShowKernel(dispatch.kernel)));
        }
        Some(RowAction::RunTo(index)) => {
            let first = row(index).and_then(|row| pane.rows.items(row).iter().min().copied());
            actions.extend(first.map(Action::SeekInFrame));
        }
        Some(RowAction::Copy(index)) => {
            let Some(plan) = session.running_simulation().map(|s| s.plan()) else { return };
            if let Some(row) = row(index) {
                let all = rows::dispatches(plan, row.list);
                let lines = pane.rows.items(row).iter().filter_map(|i| all.get(*i)).map(|d| plan.line(d));
                ui.ctx().copy_text(lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
}

/// The column titles. Returns the chosen order: by time (true) or by execution.
fn heading(ui: &mut Ui, head: Rect, table: &Table<'_>, offset: f32) -> Option<bool> {
    let row = head.translate(vec2(-offset, 0.0));
    let painter = ui.painter().with_clip_rect(head.intersect(ui.clip_rect()));
    painter.rect_filled(head, 0.0, table.look.bar);
    let mut chosen = None;
    let small = TextStyle::Small.resolve(ui.style());
    let before = ui.clip_rect();
    ui.set_clip_rect(head.intersect(before));
    for (column, title) in TITLES.iter().enumerate() {
        let cell = table.columns.cell(row, column);
        let by_time = match column {
            0 => Some(false),
            TIME => Some(true),
            _ => None,
        };
        let active = by_time == Some(table.pane.by_time);
        let color = if active { table.look.accent } else { table.look.dim };
        let title = if active { format!("{title} ▾") } else { (*title).to_string() };
        cell::text(ui, cell, align(column), &title, small.clone(), color);
        if let Some(by_time) = by_time {
            let response = ui.interact(cell, ui.id().with(("sort", column)), Sense::click());
            let label = if by_time { "Sort by time" } else { "Sort by order" };
            response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, label));
            if response.on_hover_text(label).on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                chosen = Some(by_time);
            }
        }
    }
    table.columns.grips(ui, row, TABLE, TITLES, WIDTHS);
    ui.set_clip_rect(before);
    chosen
}

fn align(column: usize) -> Align2 {
    if matches!(column, 0 | 2 | 3 | MEMORY) { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER }
}

impl Table<'_> {
    fn row(&self, ui: &mut Ui, rect: Rect, row: &Row, index: usize) -> Response {
        let id = ui.id().with((row.list as usize, row.depth, row.items.start, row.shape == Shape::Dispatch));
        let response = ui.interact(rect, id, Sense::click());
        let selected = row.shape != Shape::Section
            && self.session.here(&row.path).is_some_and(|node| self.session.selection.contains(node));
        let label = if row.name.is_empty() { &row.path } else { &row.name };
        response.widget_info(|| WidgetInfo::selected(WidgetType::SelectableLabel, true, selected, label));
        let next = self.session.debugger().and_then(|debugger| debugger.next()).map(|(at, _)| at);
        let cursor = row.list == List::Frame
            && row.shape != Shape::Section
            && next.is_some_and(|next| self.pane.rows.items(row).contains(&next));
        let near = self.session.hovered().is_some_and(|path| within(&row.path, path));
        let fill = match (selected, near || response.hovered(), row.shape) {
            (true, ..) => self.look.accent.gamma_multiply(0.2),
            (_, true, _) => self.look.button[0],
            (.., Shape::Section) => self.look.bar,
            _ => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, 0.0, fill);
        if cursor {
            let at = rect.left_center() + vec2(9.0, 0.0);
            let corners = vec![at, at - vec2(8.0, 5.0), at - vec2(8.0, -5.0)];
            ui.painter().add(egui::Shape::convex_polygon(corners, self.look.warning, egui::Stroke::NONE));
            ui.painter().hline(rect.x_range(), rect.top(), egui::Stroke::new(1.5, self.look.warning));
        }
        if selected {
            let edge = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
            ui.painter().rect_filled(edge, 0.0, self.look.accent);
        }
        self.name(ui, rect, row, index);
        self.time(ui, rect, row, index);
        let items = self.pane.rows.items(row);
        let Some(facts) = self.pane.facts.get(index) else { return response };
        self.write(ui, rect, MEMORY, &figures::bytes(facts.bytes), true, self.look.dim);
        let color = if row.shape == Shape::Dispatch { self.look.text } else { self.look.dim };
        self.write(ui, rect, 4, &facts.part, false, self.look.dim);
        self.write(ui, rect, STAGE, &facts.stage, false, color);
        self.write(ui, rect, 6, &facts.over, false, color);
        if let Some(first) = items.first().filter(|_| row.shape == Shape::Dispatch) {
            self.bound(ui, rect, row.list, *first);
        }
        response
    }

    /// What was chosen by a click on a row or its menu.
    fn clicked_action(&self, ui: &Ui, response: &Response, rect: Rect, row: &Row, index: usize) -> Option<RowAction> {
        let mut action = None;
        let at = ui.input(|input| input.pointer.latest_pos()).unwrap_or(rect.min);
        let column = self.columns.column_at(rect, at.x);
        let on_triangle = at.x < self.columns.cell(rect, NODE).left() + 12.0 * (row.depth as f32 + 1.0);
        let section = row.shape == Shape::Section;
        if response.double_clicked() || (response.clicked() && (section || on_triangle && row.shape == Shape::Run)) {
            action = (row.shape != Shape::Dispatch).then_some(RowAction::Turn(index));
        } else if response.clicked() && column == Some(STAGE) && row.shape == Shape::Dispatch {
            action = Some(RowAction::Kernel(index));
        } else if response.clicked() {
            action = Some(RowAction::GoTo(index));
        }
        if response.hovered() {
            response.clone().on_hover_ui_at_pointer(|ui| self.explain(ui, row, column));
        }
        if section {
            return action;
        }
        response.context_menu(|ui| {
            for (label, entry) in [
                ("Go to node", RowAction::GoTo(index)),
                ("WGSL of this kernel", RowAction::Kernel(index)),
                ("Copy as text", RowAction::Copy(index)),
                ("Run to this dispatch", RowAction::RunTo(index)),
            ] {
                let debugging = self.session.debugger().is_some() && row.list == List::Frame;
                if matches!(entry, RowAction::RunTo(_)) && !debugging {
                    continue;
                }
                if ui.button(label).clicked() {
                    action = Some(entry);
                }
            }
        });
        action
    }

    fn name(&self, ui: &Ui, rect: Rect, row: &Row, index: usize) {
        let items = self.pane.rows.items(row);
        let number = match (row.shape, items.first()) {
            (Shape::Section, _) | (_, None) => String::new(),
            (_, Some(first)) => (first + 1).to_string(),
        };
        self.write(ui, rect, 0, &number, true, self.look.faint);
        let mut cell = self.columns.cell(rect, NODE);
        cell.min.x += 12.0 * row.depth as f32;
        if row.shape != Shape::Dispatch {
            let mark = Rect::from_min_size(cell.min, vec2(10.0, cell.height()));
            cell::triangle(ui.painter(), mark, row.open, self.look.dim);
        }
        cell.min.x += 13.0;
        let body = TextStyle::Body.resolve(ui.style());
        if row.shape == Shape::Section {
            let count = figures::count(items.len(), "dispatch", "dispatches");
            // A title may extend into the next columns, except the one with the time.
            let parts = [(row.name.as_str(), self.look.bright), (&format!("   {count}"), self.look.dim)];
            cell::sections(ui, cell, Align2::LEFT_CENTER, &parts, body);
            return;
        }
        if let Some(color) = self.pane.facts.get(index).map(|facts| facts.color) {
            let chip = Rect::from_center_size(cell.left_center() + vec2(3.0, 0.0), vec2(4.0, cell.height() - 7.0));
            ui.painter().rect_filled(chip, 1.5, color);
        }
        cell.min.x += 11.0;
        let name = if row.name.is_empty() { &row.path } else { &row.name };
        let repeat = format!("  ×{}", items.len());
        let parts = [(name.as_str(), self.look.text), (repeat.as_str(), self.look.accent)];
        let parts = if row.shape == Shape::Run { &parts[..] } else { &parts[..1] };
        cell::sections(ui, cell, Align2::LEFT_CENTER, parts, body);
    }

    fn time(&self, ui: &Ui, rect: Rect, row: &Row, index: usize) {
        let measured = self.pane.means.get(row.list as usize).is_some_and(|means| !means.is_empty());
        if !measured {
            let text = if row.list == List::Frame { "–" } else { "once" };
            self.write(ui, rect, TIME, text, true, self.look.faint);
            return;
        }
        let ms = self.pane.row_ms.get(index).copied().unwrap_or(0.0);
        let of_frame = row.list == List::Frame && self.pane.total > 0.0;
        let share = if of_frame { ms / self.pane.total } else { 0.0 };
        if of_frame && row.shape != Shape::Section {
            let bar = self.columns.cell(rect, TIME).shrink2(vec2(0.0, 4.0));
            let length = (ms / self.longest.max(1e-9)) as f32;
            let color = self.look.heat((share as f32).sqrt()).gamma_multiply(0.45);
            cell::bar(ui.painter(), bar, length, color);
        }
        self.write(ui, rect, TIME, &figures::ms(ms), true, self.look.text);
        if of_frame {
            let color = if share >= 0.1 { self.look.text } else { self.look.dim };
            self.write(ui, rect, 3, &figures::percent(share), true, color);
        }
    }

    /// The workgroups and bindings of a dispatch.
    fn bound(&self, ui: &Ui, rect: Rect, list: List, index: usize) {
        let Some(dispatch) = rows::dispatches(self.plan, list).get(index) else { return };
        let Some(kernel) = self.plan.kernels.get(dispatch.kernel) else { return };
        let most = if dispatch.indirect.is_some_and(|i| i.living) { "≤ " } else { "" };
        let groups = figures::product(&dispatch.groups);
        let groups = format!("{most}{groups} of {}", figures::product(&kernel.workgroup));
        self.write(ui, rect, 7, &groups, true, self.look.dim);
        let uses = buffers::uses(self.plan, list, index);
        let names = |writes: bool| -> String {
            let names: Vec<&str> = uses.iter().filter(|u| u.writes == writes).map(|u| u.wire.as_str()).collect();
            names.join(", ")
        };
        let (reads, writes) = (names(false), names(true));
        let parts = [(reads.as_str(), self.look.dim), ("  →  ", self.look.faint), (writes.as_str(), self.look.text)];
        let cell = self.columns.cell(rect, BUFFERS);
        cell::sections(ui, cell, Align2::LEFT_CENTER, &parts, TextStyle::Small.resolve(ui.style()));
    }

    fn write(&self, ui: &Ui, row: Rect, column: usize, text: &str, figures: bool, color: Color32) {
        let font = if figures { FontId::monospace(11.5) } else { FontId::proportional(12.0) };
        cell::text(ui, self.columns.cell(row, column), align(column), text, font, color);
    }

    /// The tooltip of a row.
    fn explain(&self, ui: &mut Ui, row: &Row, column: Option<usize>) {
        let items = self.pane.rows.items(row);
        match column {
            Some(TIME | 3) => {
                let Some(times) = self.session.running_simulation().and_then(|s| s.dispatch_times(row.list)) else {
                    ui.label("Not measured: the adapter has no timestamps, or this ran before timing began");
                    return;
                };
                let spread = times.sum(items.iter().copied());
                ui.label(format!(
                    "mean {} ms, min {} ms, max {} ms",
                    figures::ms(spread.mean),
                    figures::ms(spread.min),
                    figures::ms(spread.max)
                ));
                let frames = times.frames().min(30);
                ui.label(format!("over the last {}", figures::count(frames as usize, "run", "runs")));
            }
            Some(MEMORY | BUFFERS) if row.shape == Shape::Dispatch => {
                items.iter().for_each(|item| buffers::list(ui, self.plan, row.list, *item));
            }
            Some(STAGE) if row.shape == Shape::Dispatch => drop(ui.label("Show the WGSL of this kernel")),
            _ => {
                if !row.path.is_empty() {
                    ui.label(&row.path);
                }
                let count = figures::count(items.len(), "dispatch", "dispatches");
                ui.label(RichText::new(format!("{}, {count}", when(row.list))).small().color(self.look.dim));
            }
        }
    }
}

fn when(list: List) -> &'static str {
    match list {
        List::Reset => "when the simulation is reset",
        List::Invariant => "before the first frame, and when one of its parameters changes",
        List::Frame => "in every frame",
    }
}

/// Whether a node is the same as another, or inside it.
fn within(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first row of a selected node.
pub(super) fn first_selected(pane: &PlanPane, session: &Session) -> Option<usize> {
    let selected = |row: &Row| session.here(&row.path).is_some_and(|node| session.selection.contains(node));
    let in_list = |list: List| pane.rows.rows.iter().position(|row| row.list == list && selected(row));
    LISTS.into_iter().rev().find_map(in_list)
}
