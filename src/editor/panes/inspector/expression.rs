//! An expression field: its text, its value, and completion of names.

use std::ops::Range;

use eframe::egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat};
use eframe::egui::{
    self, FontSelection, Id, Label, Modifiers, RichText, Stroke, TextBuffer, TextStyle, Ui, WidgetInfo, WidgetType,
};

use super::numbers::text_from_number;
use crate::expr::{ExprContext, ExprPlace, Expression, FUNCTIONS, Numbers, VARIABLES, gpu_functions};
use crate::graph::formula;
use crate::stage::types::ValueType;
use crate::toolkit::completion::{self, Completed, List, of_name};
use crate::toolkit::theme::{self, Look};
use crate::toolkit::{markup, row};

/// What a text may name, and what becomes of it.
pub(super) enum Rules<'a> {
    /// An expression, which the CPU evaluates. `now` is its value in the running simulation, where that is known.
    Expression { numbers: &'a Numbers, now: Option<&'a [f64]> },
    /// A formula, which the GPU evaluates. `inputs` is what it can name of its stage, where that is known.
    Formula { numbers: &'a Numbers, inputs: Option<&'a Numbers>, result: ValueType },
}

/// Why a text is wrong, in one sentence, and where.
type Wrong = (String, Option<ExprPlace>);

impl Rules<'_> {
    /// The value at the start; nothing for a formula, which has many.
    fn check(&self, text: &str) -> Result<Vec<f64>, Wrong> {
        match self {
            Rules::Expression { numbers, .. } => {
                let number =
                    Expression::parse_with(text, numbers).and_then(|e| e.eval_with(&ExprContext::default(), numbers));
                let number = number.map_err(|error| (error.to_string(), error.place()))?;
                Ok(number.as_slice().to_vec())
            }
            Rules::Formula { numbers, inputs: Some(inputs), result } => {
                formula::check(text, inputs, numbers, *result).map(|()| Vec::new())
            }
            Rules::Formula { inputs: None, .. } => Ok(Vec::new()),
        }
    }

    /// Names with their numbers of components.
    fn names(&self) -> Vec<(&str, usize)> {
        let (Rules::Expression { numbers, .. } | Rules::Formula { numbers, .. }) = self;
        let inputs = if let Rules::Formula { inputs, .. } = self { *inputs } else { None };
        let named_numbers = inputs.into_iter().chain([*numbers]).flatten();
        let named_numbers = named_numbers.map(|(name, number)| (name.as_str(), number.as_slice().len()));
        let variables = VARIABLES.iter().map(|name| (*name, if name.starts_with("mouse") { 2 } else { 1 }));
        named_numbers.chain(variables).chain([("pi", 1), ("tau", 1)]).collect()
    }

    fn functions(&self) -> Vec<&'static str> {
        match self {
            Rules::Expression { .. } => FUNCTIONS.to_vec(),
            Rules::Formula { .. } => gpu_functions().collect(),
        }
    }
}

/// A text field for an expression, with its value or its error below it. Returns the text if it was changed and applied.
pub(super) fn field(ui: &mut Ui, id: Id, label: &str, current: &str, rules: &Rules<'_>) -> Option<String> {
    let list_id = id.with("names");
    let mut list = ui.data(|data| data.get_temp::<List>(list_id)).unwrap_or_default();
    if list.is_open() && ui.memory(|memory| memory.has_focus(id)) {
        keys(ui, id, current, &mut list);
    }
    let writing = |ui: &Ui| ui.data(|data| data.get_temp::<String>(id));
    let before = writing(ui);
    let wrong = rules.check(before.as_deref().unwrap_or(current)).err();
    let look = theme::current(ui);
    let mut layouter = |ui: &Ui, buffer: &dyn TextBuffer, width: f32| {
        let job = job(ui, buffer.as_str(), wrong.as_ref(), look, width);
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let (response, typed) = row::lines(ui, id, current, &mut layouter, |text| {
        let field = egui::TextEdit::multiline(text).desired_rows(1).desired_width(f32::INFINITY);
        field.font(egui::TextStyle::Monospace).lock_focus(list.is_open())
    });
    response.widget_info(|| WidgetInfo::labeled(WidgetType::TextEdit, true, label));
    let writing = writing(ui);
    if response.has_focus() && response.changed() {
        list = writing.as_ref().map(|text| names(ui, id, text, rules)).unwrap_or_default();
        // The error is underlined in the next frame.
        ui.ctx().request_repaint();
    }
    match rules.check(typed.as_deref().or(writing.as_deref()).unwrap_or(current)) {
        Ok(start) if start.is_empty() => {}
        Ok(start) => {
            let now = if let Rules::Expression { now, .. } = rules { *now } else { None };
            let shown = now.filter(|_| writing.is_none()).unwrap_or(&start);
            let shown = RichText::new(format!("= {}", text_from_numbers(shown))).monospace().small().color(look.dim);
            let shown = ui.add(Label::new(shown).truncate());
            shown.on_hover_text("Value in the current frame, or at time 0 if nothing runs");
        }
        Err((error, _)) => {
            drop(ui.add(Label::new(RichText::new(markup::plain(&error)).small().color(look.error)).wrap()))
        }
    }
    let completed = list.show(&response, response.rect, typed.as_deref().or(writing.as_deref()).unwrap_or(current));
    let typed = if completed.is_some() { None } else { typed };
    completed.into_iter().for_each(|completed| put(ui, id, completed));
    ui.data_mut(|data| match list.is_open() {
        false => data.remove::<List>(list_id),
        true => drop(data.insert_temp(list_id, list)),
    });
    typed
}

/// The text with the word at the place of its error underlined.
fn job(ui: &Ui, text: &str, wrong: Option<&Wrong>, look: &Look, width: f32) -> LayoutJob {
    let font = FontSelection::from(TextStyle::Monospace).resolve(ui.style());
    let plain = TextFormat::simple(font.clone(), look.accent);
    let marked = TextFormat { underline: Stroke::new(1.5, look.error), ..TextFormat::simple(font, look.error) };
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    let range = wrong.and_then(|(_, place)| place.map(|place| word_at(text, place))).unwrap_or_default();
    for (part, format) in [(0..range.start, plain.clone()), (range.clone(), marked), (range.end..text.len(), plain)] {
        job.append(text.get(part).unwrap_or_default(), 0.0, format);
    }
    job
}

/// The bytes of the word at a place; of the last character where the place is behind the text.
fn word_at(text: &str, place: ExprPlace) -> Range<usize> {
    let line: usize = text.split_inclusive('\n').take(place.line - 1).map(str::len).sum();
    let rest = text.get(line..).unwrap_or_default();
    let start = line + rest.char_indices().nth(place.column - 1).map_or(rest.len(), |(at, _)| at);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.get(start..).and_then(|rest| rest.chars().next()) {
        None => text.char_indices().next_back().map_or(0, |(at, _)| at)..text.len(),
        Some(first) if !word(first) => start..start + first.len_utf8(),
        Some(_) => start..start + text.get(start..).and_then(|r| r.find(|c| !word(c))).unwrap_or(text.len() - start),
    }
}

fn text_from_numbers(values: &[f64]) -> String {
    let short = |value: &f64| {
        let size = value.abs();
        let plain = size == 0.0 || (1e-3..1e6).contains(&size);
        if plain { text_from_number(format!("{value:.4}").parse().unwrap_or(*value)) } else { format!("{value:.3e}") }
    };
    let parts: Vec<String> = values.iter().map(short).collect();
    match parts.as_slice() {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    }
}

/// Applies the keys of an open list.
fn keys(ui: &Ui, id: Id, current: &str, list: &mut List) {
    for key in completion::KEYS {
        if list.is_open() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            let text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| current.to_string());
            list.press(key, &text).into_iter().for_each(|completed| put(ui, id, completed));
        }
    }
}

/// Makes a completed text the one that is being written.
fn put(ui: &Ui, id: Id, Completed { text, caret }: Completed) {
    let mut state = egui::TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(caret))));
    state.store(ui.ctx(), id);
    ui.data_mut(|data| data.insert_temp(id, text));
}

/// Completions of the name at the cursor.
fn names(ui: &Ui, id: Id, text: &str, rules: &Rules<'_>) -> List {
    let cursor = egui::TextEdit::load_state(ui.ctx(), id).and_then(|state| state.cursor.char_range());
    let to = cursor.map_or(0, |range| range.primary.index.into());
    completions(text, to, rules)
}

fn completions(text: &str, to: usize, rules: &Rules<'_>) -> List {
    let letters: Vec<char> = text.chars().take(to).collect();
    let start = |end: usize| end - letters.iter().take(end).rev().take_while(|c| of_name(**c)).count();
    let word = |range: Range<usize>| letters.get(range).into_iter().flatten().collect::<String>();
    let from = start(to.min(letters.len()));
    let typed = word(from..letters.len());
    let dot = from.checked_sub(1).filter(|before| letters.get(*before) == Some(&'.'));
    let begins = typed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let names = rules.names();
    let all: Vec<&str> = match dot {
        // Components of a vector.
        Some(dot) => {
            let vector = word(start(dot)..dot);
            let len = names.iter().find(|(name, _)| *name == vector).map_or(1, |(_, len)| *len);
            if len > 1 { ["x", "y", "z", "w"].into_iter().take(len).collect() } else { Vec::new() }
        }
        None if begins => names.iter().map(|(name, _)| *name).chain(rules.functions()).collect(),
        None => Vec::new(),
    };
    List::new(all.into_iter().map(String::from), &typed, from..to).unless_complete(&typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, to: usize) -> Vec<String> {
        let numbers = Numbers::from([("tide".to_string(), crate::expr::Number::scalar(2.0))]);
        completions(text, to, &Rules::Expression { numbers: &numbers, now: None }).words().to_vec()
    }

    #[test]
    fn names_are_completed_where_the_cursor_is() {
        assert_eq!(words("2 * ti", 6), ["tide", "time"], "numbers of the graph come first");
        assert_eq!(words("si + time", 2), ["sin(x)", "sinh(x)", "sign(x)"].map(String::from));
        assert!(words("time", 4).is_empty(), "there is nothing left to complete");
        assert!(words("mouse.x", 7).is_empty(), "the component is complete");
        assert_eq!(words("2 * mouse.", 10), ["x", "y"]);
        assert!(words("time.", 5).is_empty(), "a number has no components");
        assert!(words("2", 1).is_empty() && words("", 0).is_empty());
    }

    #[test]
    fn a_formula_is_completed_by_what_the_gpu_knows() {
        let numbers = Numbers::from([("speed".to_string(), crate::expr::Number::scalar(2.0))]);
        let inputs = Numbers::from([("position".to_string(), crate::expr::Number::vector(&[0.5; 3]).unwrap())]);
        let rules = Rules::Formula { numbers: &numbers, inputs: Some(&inputs), result: ValueType::F32 };
        let words = |text: &str| completions(text, text.chars().count(), &rules).words().to_vec();
        assert_eq!(words("1 +\npo"), ["position", "pow(x, y)"]);
        assert_eq!(words("position."), ["x", "y", "z"]);
        assert!(words("rand").is_empty(), "random is computed on the CPU");
        let wrong = |text: &str| rules.check(text).unwrap_err();
        assert_eq!(
            wrong("speed * position").0,
            "a vector of 3 was given for f32; give one number, such as a component or length(v)"
        );
        let (sentence, place) = wrong("speed *\n  positio.x");
        assert!(sentence.contains("(line 2, column 3)") && sentence.contains("position"), "{sentence}");
        assert_eq!(word_at("speed *\n  positio.x", place.unwrap()), 10..17);
        assert_eq!(word_at("1 +", ExprPlace { line: 1, column: 4 }), 2..3, "what is missing is behind the text");
    }

    #[test]
    fn values_are_short() {
        assert_eq!(text_from_numbers(&[0.512_345_678]), "0.5123");
        assert_eq!(text_from_numbers(&[1.0, -0.25]), "(1, -0.25)");
        assert_eq!(text_from_numbers(&[1.234_567e-9]), "1.235e-9");
    }
}
