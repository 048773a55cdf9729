//! The statistics below the images, and both values under the pointer.

use eframe::egui::{self, RichText, Ui, vec2};

use super::pane::ComparePane;
use crate::panes::view::ticks::number;
use crate::sim::compare::{ComparedElement, Comparison};
use crate::sim::wire_view::Sample;
use crate::toolkit::{markup, theme};

/// Draws them.
pub(super) fn show(ui: &mut Ui, pane: &ComparePane) {
    let Some(measured) = &pane.measured else { return };
    let look = theme::current(ui);
    let frames = match (measured.a.frame, measured.b.frame) {
        (a, b) if a == b => format!("frame {a}"),
        (a, b) => format!("A: frame {a}, B: frame {b}"),
    };
    let found = match &measured.found {
        Ok(found) => found,
        Err(sentence) => {
            let text = markup::label(ui, "", sentence, look.error);
            ui.add(egui::Label::new(text).wrap());
            return;
        }
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
        ui.label(RichText::new(frames).small().color(look.dim));
        for (name, value, hint) in figures(found) {
            ui.label(RichText::new(name).small().color(look.faint)).on_hover_text(hint);
            ui.label(RichText::new(value).monospace());
        }
        if let Some((low, high)) = pane.colors {
            ui.label(RichText::new("colours").small().color(look.faint))
                .on_hover_text("Values of the first and the last colour");
            ui.label(RichText::new(format!("{}\u{a0}to\u{a0}{}", number(low), number(high))).monospace());
        }
        if let Some((a, b)) = pane.times() {
            let name = RichText::new("GPU A, B").small().color(look.faint);
            ui.label(name).on_hover_text("GPU time of a frame of each graph, the mean of the last frames");
            ui.label(RichText::new(format!("{a:.2}\u{a0}ms,\u{a0}{b:.2}\u{a0}ms")).monospace());
        }
    });
    let most = match &found.statistics.place {
        Some(place) => format!("max at {}", place_text(place)),
        None => "A and B are equal, number by number".into(),
    };
    ui.label(RichText::new(most).monospace().color(look.dim));
    if let Some(text) = not_finite(found) {
        ui.label(RichText::new(text).monospace().color(look.error));
    }
    for remark in found.remarks.iter().chain(&pane.remark) {
        ui.add(egui::Label::new(markup::label(ui, "", remark, look.warning)).wrap());
    }
    let text = match &pane.picked {
        None => "Point at an image to read both values".to_string(),
        Some(sample) => under_pointer(found, sample),
    };
    ui.label(RichText::new(text).monospace().color(look.dim));
}

/// The norms: name, value, meaning.
fn figures(found: &Comparison) -> Vec<(&'static str, String, &'static str)> {
    let statistics = &found.statistics;
    let mean: Vec<String> = statistics.mean.iter().map(|mean| number(*mean)).collect();
    vec![
        ("max |A − B|", number(statistics.max), "The greatest difference; its place is marked"),
        ("L1", number(statistics.l1), "The mean of |A − B|"),
        ("L2", number(statistics.l2), "The root mean square of A − B"),
        ("L2 / |B|", number(statistics.relative), "The same divided by the root mean square of B"),
        ("mean A − B", mean.join(" "), "The mean of A − B, of each component"),
        (
            "differ",
            format!("{} of {}", statistics.differing, statistics.count),
            "Cells, faces or particles where A and B differ at all",
        ),
    ]
}

/// A place with both values.
fn place_text(place: &ComparedElement) -> String {
    format!("{place}:  A {}   B {}", numbers(&place.a), numbers(&place.b))
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(" ")
}

/// What is not finite on one side or both.
fn not_finite(found: &Comparison) -> Option<String> {
    let odd = &found.statistics.not_finite;
    let counts = format!("NaN or infinite: {} only in A, {} only in B, {} in both", odd.only_a, odd.only_b, odd.both);
    let first = odd.first.as_ref().map(|place| format!("; first at {}", place_text(place))).unwrap_or_default();
    (odd.only_a + odd.only_b + odd.both > 0).then(|| counts + &first)
}

/// Text with the values of both sides at an element of the difference.
fn under_pointer(found: &Comparison, sample: &Sample) -> String {
    let element = sample.index as usize;
    let (a, b) = (found.a.numbers(element), found.b.numbers(element));
    let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    let place = ComparedElement { index: sample.index, cell: sample.cell, dim: found.a.dim(), axis: None, a, b };
    format!("{}   A − B {}", place_text(&place), numbers(&difference))
}
