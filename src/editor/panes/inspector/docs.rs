//! Documentation of a node: text with its equations, and sources.

use eframe::egui::{self, RichText, Ui};

use super::dim_label;
use crate::document::Node;
use crate::document::kind::GROUP;
use crate::edit;
use crate::library::Library;
use crate::stage::Stage;
use crate::toolkit::theme;

/// Documentation of a stage: text with its equations, and sources.
pub(super) fn stage(ui: &mut Ui, stage: &Stage) {
    for part in parts(&stage.header.doc) {
        match part {
            Part::Text(text) => drop(ui.label(text)),
            Part::Equation(equation) => {
                let look = theme::current(ui);
                let frame = egui::Frame::new().fill(look.field).corner_radius(4);
                let equation = RichText::new(equation).monospace().color(look.accent);
                frame.inner_margin(egui::Margin::symmetric(8, 4)).show(ui, |ui| ui.label(equation));
            }
        }
    }
    for source in &stage.header.source {
        ui.label(RichText::new(format!("Source: {source}")).small().color(theme::current(ui).dim));
    }
}

/// A piece of documentation.
#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Equation(String),
}

/// Joins lines of the same text. Headers separate an equation by two spaces.
fn parts(lines: &[String]) -> Vec<Part> {
    let mut parts = Vec::new();
    for line in lines {
        let mut pieces = line.split("  ").map(str::trim).filter(|piece| !piece.is_empty());
        if let Some(piece) = pieces.next() {
            match parts.last_mut() {
                Some(Part::Text(text)) => *text = format!("{text} {piece}"),
                _ => parts.push(Part::Text(piece.to_string())),
            }
        }
        parts.extend(pieces.map(|piece| match is_prose(piece) {
            true => Part::Text(piece.to_string()),
            false => Part::Equation(piece.trim_end_matches(['.', ',', ';']).to_string()),
        }));
    }
    parts
}

/// Whether a piece behind an equation goes on with the sentence: it starts with two words, and nothing in it is equal.
fn is_prose(piece: &str) -> bool {
    let mut words = piece.split_whitespace().map(|word| word.trim_matches([',', '.', ':']));
    let mut is_word =
        |least: usize| words.next().is_some_and(|word| word.len() >= least && word.chars().all(char::is_alphabetic));
    is_word(2) && is_word(1) && !piece.contains('=')
}

/// Documentation of a node that is not a stage.
pub(super) fn host(ui: &mut Ui, node: &Node, library: &Library) {
    let text = match edit::group_of(node, library).map(|group| group.about.as_str()) {
        Some("") => GROUP.doc,
        Some(about) => about,
        None => node.kind.info().doc,
    };
    dim_label(ui, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_one_text_up_to_an_equation() {
        let lines = ["One Jacobi sweep of", "the equation  lap(p) = div(u).", "It converges slowly."].map(String::from);
        let text = |text: &str| Part::Text(text.into());
        let equation = Part::Equation("lap(p) = div(u)".into());
        assert_eq!(parts(&lines), [text("One Jacobi sweep of the equation"), equation, text("It converges slowly.")]);
    }

    #[test]
    fn a_sentence_goes_on_behind_an_equation() {
        let equation = |text: &str| Part::Equation(text.into());
        let lines = ["The ghost value is  2 motion - u,  so that the mean", "is that of the wall."].map(String::from);
        let rest = Part::Text("so that the mean is that of the wall.".into());
        assert_eq!(parts(&lines), [Part::Text("The ghost value is".into()), equation("2 motion - u"), rest]);
        let lines = ["One of  t,  t^2 (3 - 2 t),  w clamped to 0..1,  sum of w = 1.".to_string()];
        let found = parts(&lines);
        let expected = ["t", "t^2 (3 - 2 t)", "w clamped to 0..1", "sum of w = 1"].map(equation);
        assert_eq!(found[1..], expected);
    }
}
