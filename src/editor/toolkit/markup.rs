//! Messages as the window shows them: a sentence begins with a capital letter, and text between backticks is in monospace.

use eframe::egui::text::LayoutJob;
use eframe::egui::{Color32, FontId, TextFormat, TextStyle, Ui};

/// The parts of a message and whether each is code, which messages put between backticks. A backtick without a partner is text.
fn parts(message: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut rest = message;
    while let Some((before, (code, after))) =
        rest.split_once('`').and_then(|(before, after)| Some((before, after.split_once('`')?)))
    {
        parts.extend([(before, false), (code, true)]);
        rest = after;
    }
    parts.push((rest, false));
    parts.retain(|(text, _)| !text.is_empty());
    parts
}

/// With a capital letter, unless it begins with a name such as `force.radius` or `my_stage`.
fn capitalized(text: &str) -> String {
    let word = text.split(char::is_whitespace).next().unwrap_or_default().trim_end_matches([':', ',', ';']);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '-') => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_string(),
    }
}

/// For places that take text of one style.
pub(crate) fn plain(message: &str) -> String {
    let mut text = String::new();
    for (index, (part, code)) in parts(message).into_iter().enumerate() {
        text += &if index == 0 && !code { capitalized(part) } else { part.to_string() };
    }
    text
}

/// For labels: `mark` stands before it.
pub(crate) fn label(ui: &Ui, mark: &str, message: &str, color: Color32) -> LayoutJob {
    let body = TextStyle::Body.resolve(ui.style());
    let mono = FontId::monospace(body.size * 0.93);
    let mut job = LayoutJob::default();
    // As in a plain label, so that both are aligned on one line.
    let format = |font| TextFormat { valign: ui.text_valign(), ..TextFormat::simple(font, color) };
    job.append(mark, 0.0, format(body.clone()));
    for (index, (part, code)) in parts(message).into_iter().enumerate() {
        let text = if index == 0 && !code { capitalized(part) } else { part.to_string() };
        let font = if code { mono.clone() } else { body.clone() };
        job.append(&text, 0.0, format(font));
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_a_sentence_without_backticks() {
        assert_eq!(plain("there is no node `gone`; remove it"), "There is no node gone; remove it");
        assert_eq!(plain("`x` is bypassed"), "x is bypassed");
        assert_eq!(plain("force.radius: it is 1"), "force.radius: it is 1");
        assert_eq!(plain("it has a lone ` in it"), "It has a lone ` in it");
        assert_eq!(parts("a `b` c"), [("a ", false), ("b", true), (" c", false)]);
    }
}
