//! Rows of a name with a widget, and the sections around them.

use eframe::egui::collapsing_header::{CollapsingState, paint_default_icon};
use std::sync::Arc;

use eframe::egui::{
    self, Align, CornerRadius, Event, Galley, Id, Key, KeyboardShortcut, Layout, Modifiers, Pos2, Rect, Response,
    RichText, Sense, TextBuffer, TextStyle, TextWrapMode, Ui, WidgetInfo, WidgetText, WidgetType, vec2,
};

use crate::toolkit::theme;
use crate::toolkit::widget_memory::pressed_elsewhere;

/// Height of a row of one line \[points\].
pub(crate) const HEIGHT: f32 = 22.0;
/// Extra space below the title of a section \[points\].
const BELOW: f32 = 4.0;
/// Size of a frameless button with one symbol \[points\].
pub(crate) const SMALL: f32 = 18.0;
/// Share of the pane that names get, with minimum and maximum width \[points\].
const NAMES: (f32, f32, f32) = (0.36, 84.0, 150.0);

/// The name of a row.
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub doc: &'a str,
    /// The value differs from the default.
    pub changed: bool,
    /// The variant that sets it.
    pub varied: Option<&'a str>,
    /// Gestures that the name reacts to.
    pub sense: Sense,
}

/// A name with its documentation as a tooltip, and a widget.
pub(crate) fn row<R>(ui: &mut Ui, name: &str, doc: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let name = Name { text: name, doc, changed: false, varied: None, sense: Sense::hover() };
    named(ui, &name, |ui, _| ui.horizontal_wrapped(contents).inner)
}

/// Draws a row whose name reacts to gestures.
pub(crate) fn named<R>(ui: &mut Ui, name: &Name<'_>, contents: impl FnOnce(&mut Ui, &Response) -> R) -> R {
    ui.horizontal_top(|ui| {
        let (share, least, most) = NAMES;
        let size = vec2((share * ui.available_width()).clamp(least, most), HEIGHT);
        let (rect, response) = ui.allocate_exact_size(size, name.sense);
        if ui.is_rect_visible(rect) {
            let look = theme::current(ui);
            let lit = name.changed || (response.hovered() && name.sense.interactive());
            let color = if lit { look.text } else { look.dim };
            let color = if ui.is_enabled() { color } else { color.gamma_multiply(0.6) };
            let text = WidgetText::from(name.text);
            let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), rect.width() - 8.0, TextStyle::Body);
            let at = Pos2::new(rect.left() + 6.0, rect.center().y - 0.5 * galley.size().y);
            ui.painter().galley_with_override_text_color(at, galley, color);
            if name.changed || name.varied.is_some() {
                let mark = Rect::from_center_size(Pos2::new(rect.left() + 1.0, rect.center().y), vec2(2.0, 12.0));
                let color = if name.varied.is_some() { look.warning } else { look.accent };
                ui.painter().rect_filled(mark, 1.0, color);
            }
        }
        response.widget_info(|| WidgetInfo::labeled(WidgetType::Label, true, name.text));
        let response = if name.doc.is_empty() { response } else { response.on_hover_text(name.doc) };
        let response = match name.varied {
            Some(variant) => response.on_hover_text(format!("Set by variant {variant}")),
            None => response,
        };
        let width = ui.available_width();
        ui.allocate_ui_with_layout(vec2(width, HEIGHT), Layout::top_down(Align::Min), |ui| {
            ui.set_width(width);
            ui.set_min_height(HEIGHT);
            contents(ui, &response)
        })
        .inner
    })
    .inner
}

/// A frameless button, which keeps its space when it is hidden. `name` is its accessible name.
pub(crate) fn small(ui: &mut Ui, icon: RichText, useful: bool, name: &str, hint: &str) -> bool {
    let sense = if useful { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(SMALL, HEIGHT), sense);
    if !useful {
        return false;
    }
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(WidgetType::Button, enabled, name));
    let galley = WidgetText::from(icon).into_galley(ui, None, f32::INFINITY, TextStyle::Body);
    let at = rect.center() - 0.5 * galley.size();
    let color = ui.style().interact(&response).text_color();
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, CornerRadius::same(4), theme::current(ui).button[0]);
    }
    ui.painter().galley(at, galley, color);
    response.on_hover_text(hint).clicked()
}

/// Secondary text.
pub(crate) fn faint(ui: &Ui, text: impl Into<String>) -> RichText {
    RichText::new(text).small().color(theme::current(ui).faint)
}

/// A text field that takes effect when it loses the focus. Escape cancels.
pub(crate) fn text(
    ui: &mut Ui,
    id: Id,
    current: &str,
    build: impl FnOnce(&mut String) -> egui::TextEdit<'_>,
) -> (Response, Option<String>) {
    edited(ui, id, current, None, build)
}

/// Lays out a text within a width.
type Layouter<'l> = &'l mut dyn FnMut(&Ui, &dyn TextBuffer, f32) -> Arc<Galley>;

/// Draws a field for several lines: Enter applies the text, Ctrl+Enter and Shift+Enter begin a line.
pub(crate) fn lines(
    ui: &mut Ui,
    id: Id,
    current: &str,
    layouter: Layouter<'_>,
    build: impl FnOnce(&mut String) -> egui::TextEdit<'_>,
) -> (Response, Option<String>) {
    let begins = KeyboardShortcut::new(Modifiers::SHIFT, Key::Enter);
    if ui.memory(|memory| memory.has_focus(id)) {
        ui.input_mut(|input| input.events.iter_mut().for_each(shift_for_ctrl));
    }
    edited(ui, id, current, Some(layouter), |text| build(text).return_key(begins))
}

/// Makes Ctrl+Enter the same as Shift+Enter.
fn shift_for_ctrl(event: &mut Event) {
    if let Event::Key { key: Key::Enter, modifiers, .. } = event
        && modifiers.command
    {
        *modifiers = Modifiers::SHIFT;
    }
}

fn edited(
    ui: &mut Ui,
    id: Id,
    current: &str,
    lines: Option<Layouter<'_>>,
    build: impl FnOnce(&mut String) -> egui::TextEdit<'_>,
) -> (Response, Option<String>) {
    let mut text = ui.data_mut(|data| data.get_temp::<String>(id)).unwrap_or_else(|| current.to_string());
    let several = lines.is_some();
    let mut field = build(&mut text).id(id);
    if let Some(layouter) = lines {
        field = field.layouter(layouter);
    }
    let response = ui.add(field);
    // Only after what was typed before it in the same frame.
    let enter = |event: &Event| matches!(event, Event::Key { key: Key::Enter, pressed: true, modifiers, .. } if modifiers.is_none());
    let applied = several && response.has_focus() && ui.input(|input| input.events.iter().any(enter));
    // A wire that is dragged elsewhere does not take the keyboard away.
    let elsewhere = response.has_focus() && pressed_elsewhere(ui, response.rect);
    if applied || elsewhere {
        response.surrender_focus();
    }
    let left = response.lost_focus() || applied || elsewhere;
    if response.has_focus() && !left {
        ui.data_mut(|data| data.insert_temp(id, text.clone()));
    } else {
        ui.data_mut(|data| data.remove::<String>(id));
    }
    let escaped = ui.input(|input| input.key_pressed(Key::Escape));
    (response, (left && !escaped && text != current).then_some(text))
}

/// A text field that fills a row.
pub(crate) fn text_row(ui: &mut Ui, id: Id, name: &str, doc: &str, current: &str, lines: usize) -> Option<String> {
    row(ui, name, doc, |ui| {
        let (response, typed) = text(ui, id, current, |text| {
            let field = if lines > 1 { egui::TextEdit::multiline(text) } else { egui::TextEdit::singleline(text) };
            field.desired_rows(lines).desired_width(f32::INFINITY)
        });
        response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, format!("param {name}")));
        typed
    })
}

/// The id of a section.
fn section_id(title: &str) -> Id {
    Id::new(("inspector section", title))
}

/// Opens a section that may be folded.
pub(crate) fn open_section(ctx: &egui::Context, title: &str) {
    let mut state = CollapsingState::load_with_default_open(ctx, section_id(title), true);
    state.set_open(true);
    state.store(ctx);
}

/// A collapsible section of the inspector. All sections with this title fold together.
pub(crate) fn section<R>(ui: &mut Ui, title: &str, body: impl FnOnce(&mut Ui) -> R) -> Option<R> {
    ui.add_space(2.0);
    let id = section_id(title);
    let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, true);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
    if response.clicked() {
        state.toggle(ui);
    }
    let look = theme::current(ui);
    let fill = if response.hovered() { look.button[0] } else { look.bar };
    ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
    let icon = Rect::from_center_size(Pos2::new(rect.left() + 10.0, rect.center().y), vec2(8.0, 8.0));
    paint_default_icon(ui, state.openness(ui.ctx()), &response.clone().with_new_rect(icon));
    let text = WidgetText::from(RichText::new(title).strong());
    let galley = text.into_galley(ui, Some(TextWrapMode::Truncate), rect.width() - 30.0, TextStyle::Body);
    let at = Pos2::new(rect.left() + 20.0, rect.center().y - 0.5 * galley.size().y);
    ui.painter().galley_with_override_text_color(at, galley, look.text);
    let open = state.is_open();
    response.widget_info(|| WidgetInfo::selected(WidgetType::CollapsingHeader, true, open, title));
    let body = |ui: &mut Ui| {
        ui.add_space(BELOW);
        body(ui)
    };
    state.show_body_unindented(ui, body).map(|inner| inner.inner)
}
