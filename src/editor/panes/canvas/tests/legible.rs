//! Whether the text of all shipped graphs can be read where the editor opens them.

use eframe::egui::{self, Color32, Painter, Rect};

use crate::document::{Document, Scope};
use crate::model::layout;
use crate::model::layout::fixture::{flow, levels, opening_zoom, overlaps, shipped};
use crate::panes::canvas::{frames, text, view, viewport};
use crate::toolkit::theme;

/// The graphs of the published articles, whose steps have frames.
const ARTICLES: &[&str] = &[
    "curl_noise",
    "curl_noise_2d",
    "curl_wake_3d",
    "oil_clock",
    "smoke_particles_3d",
    "sph_water",
    "stable_fluids",
    "unity_fluid",
];

/// Whether all text on nodes can be read at a zoom: names whole, rows of ports apart, and nothing below 9 points. Returns the smallest
/// size of a name \[points\].
fn legible(painter: &Painter, document: &Document, scope: &Scope, zoom: f32) -> Result<f32, String> {
    if zoom >= view::NAMES && text::text_size(13.0, zoom) > layout::PORT * zoom {
        return Err(format!("names of ports cover each other at zoom {zoom}"));
    }
    let mut least = f32::MAX;
    let flow = flow(document, scope);
    let nodes = document.level(scope).unwrap().nodes();
    for (name, size) in flow.names.iter().zip(&flow.sizes) {
        let counted = nodes.get(name).is_some_and(|node| node.iterations.is_some());
        let (text, whole) = match zoom < view::NAMES {
            true => text::block(painter, name, Color32::WHITE, text::block_room(*size * zoom, zoom)),
            false => {
                let room = view::title_room(zoom, counted);
                let line = text::one_line(painter, name, 13.0 * zoom, Color32::WHITE, room);
                let whole = !line.elided;
                (line, whole)
            }
        };
        let smallest = text.job.sections.iter().map(|part| part.format.font_id.size).fold(f32::MAX, f32::min);
        if !whole || smallest < 9.0 {
            return Err(format!("{name} at zoom {zoom}: {smallest} points, whole: {whole}"));
        }
        least = least.min(smallest);
    }
    Ok(least)
}

/// Whether frames are apart, each node is wholly in a frame or wholly outside of all, and titles are whole and above the nodes at a zoom.
/// Returns the number of nodes outside of frames.
fn framed_well(painter: &Painter, document: &Document, scope: &Scope, zoom: f32) -> Result<usize, String> {
    let frames = document.level(scope).unwrap().frames();
    let areas: Vec<Rect> = frames.iter().map(layout::frame_area).collect();
    if let [(a, b), ..] = overlaps(&areas)[..] {
        return Err(format!("frame {} covers frame {}", frames[a].title, frames[b].title));
    }
    let mut outside = 0;
    let flow = flow(document, scope);
    for (name, node) in flow.names.iter().zip(flow.areas()) {
        let Some(index) = areas.iter().position(|area| area.intersects(node)) else {
            outside += 1;
            continue;
        };
        let head = frames::head(areas[index] * zoom, zoom);
        if !areas[index].contains_rect(node) || head.bottom() > zoom * node.top() {
            return Err(format!("{name} is not below the title of {}", frames[index].title));
        }
    }
    let titles = frames.iter().zip(&areas).map(|(frame, area)| {
        let head = frames::head(*area * zoom, zoom);
        (frame, frames::title(painter, &frame.title, Color32::WHITE, head, zoom))
    });
    match titles.into_iter().find(|(_, title)| title.elided) {
        Some((frame, _)) => Err(format!("the title {} is cut at zoom {zoom}", frame.title)),
        None => Ok(outside),
    }
}

#[test]
fn shipped_graphs_can_be_read() {
    let context = egui::Context::default();
    theme::install(&context);
    // Fonts are there from the first frame on.
    let mut painter = None;
    drop(context.run_ui(egui::RawInput::default(), |ui| painter = Some(ui.painter().clone())));
    let painter = painter.unwrap();
    let mut wrong = Vec::new();
    for (name, path) in shipped() {
        let document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for scope in levels(&document) {
            let place = format!("{name} {}", scope.0.join("/"));
            // Library groups with dozens of nodes open at their beginning.
            let zoom = opening_zoom(&document, &scope).max(viewport::READABLE);
            let framed = framed_well(&painter, &document, &scope, zoom);
            let loose = *framed.as_ref().unwrap_or(&0);
            if ARTICLES.contains(&name.as_str()) && scope == Scope::default() && loose > 0 {
                wrong.push(format!("{name}: {loose} nodes are in no frame"));
            }
            let text = legible(&painter, &document, &scope, zoom);
            wrong.extend(framed.err().into_iter().chain(text.err()).map(|error| format!("{place}: {error}")));
        }
        if !name.starts_with("lib/") && opening_zoom(&document, &Scope::default()) < viewport::READABLE {
            wrong.push(format!("{name} does not fit"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
