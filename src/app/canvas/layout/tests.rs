//! Layouts, and how well every shipped graph reads, as numbers.

use std::path::{Path, PathBuf};

use eframe::egui::{self, Pos2, Rect};

use super::*;
use crate::app::canvas::view;

/// What can be counted on a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Quality {
    nodes: usize,
    wires: usize,
    /// Pairs of nodes of which one covers the other.
    overlaps: usize,
    /// Wires that run behind a node.
    behind: usize,
    /// Crossings of wires of different outputs.
    crossings: usize,
    /// The zoom at which the editor opens it.
    zoom: f32,
}

fn flow(document: &Document, scope: &Scope) -> Flow {
    let signatures = edit::signature::level(document, scope, Library::builtin());
    let level = document.level(scope).unwrap();
    let place = |name: &str| crate::app::canvas::place_on(level, name);
    Flow::new(level, &signatures, place, |name| node_size(&signatures[name]))
}

fn quality(document: &Document, scope: &Scope) -> Quality {
    let flow = flow(document, scope);
    let drawing = Drawing::new(&flow, flow.areas());
    let areas = &drawing.areas;
    let pairs = (0..areas.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let overlaps = pairs.filter(|(a, b)| areas[*a].expand(2.0).intersects(areas[*b])).count();
    let hits = |points: &[Pos2]| {
        let on = |area: &Rect| points.windows(2).any(|p| route::touches(area.shrink(1.0), p[0], p[1]));
        areas.iter().any(on)
    };
    Quality {
        nodes: areas.len(),
        wires: drawing.wires.len(),
        overlaps,
        behind: drawing.points.iter().filter(|points| hits(points)).count(),
        crossings: drawing.crossings(),
        zoom: drawing.zoom(),
    }
}

/// Every shipped graph and library group.
fn shipped() -> Vec<PathBuf> {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs")];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => files.extend(path.extension().is_some_and(|end| end == "ron").then_some(path)),
            }
        }
    }
    files.sort();
    files
}

/// The levels of a document: its root, unless it only holds the group of the library, and the groups in it.
fn levels(document: &Document) -> Vec<Scope> {
    let (mut pending, mut found) = (vec![Scope::default()], Vec::new());
    while let Some(scope) = pending.pop() {
        let nodes = document.level(&scope).unwrap().nodes();
        let groups = nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        pending.extend(groups.map(|(name, _)| scope.inside(name)));
        if nodes.len() > 1 {
            found.push(scope);
        }
    }
    found
}

/// Lays out every level.
fn lay_out(document: &mut Document) {
    for scope in levels(document) {
        let flow = flow(document, &scope);
        let frames: Vec<Rect> =
            document.level(&scope).unwrap().frames().iter().map(crate::app::canvas::frames::area).collect();
        let (places, frames) = arranged(&flow, &frames);
        for (name, at) in flow.names.iter().zip(places) {
            edit::place(document, &scope, name, (at.x, at.y));
        }
        for (index, area) in frames.iter().enumerate() {
            edit::update_frame(document, &scope, index, |frame| {
                (frame.at, frame.size) = (area.min.into(), area.size().into());
            })
            .unwrap();
        }
        edit::round_positions(document, &scope);
    }
}

/// Whether the names of all nodes can be read at a zoom: whole, and in no text below 9 points.
fn legible(painter: &egui::Painter, document: &Document, scope: &Scope, zoom: f32) -> Result<(), String> {
    let flow = flow(document, scope);
    let nodes = document.level(scope).unwrap().nodes();
    for (name, size) in flow.names.iter().zip(&flow.sizes) {
        let counted = nodes.get(name).is_some_and(|node| node.iterations.is_some());
        let (text, whole) = match zoom < view::NAMES {
            true => view::block(painter, name, egui::Color32::WHITE, view::block_room(*size * zoom)),
            false => {
                let room = view::title_room(zoom, counted);
                let line = view::one_line(painter, name, 13.0 * zoom, egui::Color32::WHITE, room);
                let whole = !line.elided;
                (line, whole)
            }
        };
        let smallest = text.job.sections.iter().map(|part| part.format.font_id.size).fold(f32::MAX, f32::min);
        if !whole || smallest < 9.0 {
            return Err(format!("{name} at zoom {zoom}: {smallest} points, whole: {whole}"));
        }
    }
    Ok(())
}

/// Bounds of the crossings in each graph with all its levels: a tenth more than there are now. Graphs without crossings are not listed.
const CROSSINGS: &[(&str, usize)] = &[
    ("curl_noise", 35),
    ("curl_noise_2d", 20),
    ("lib/fluid/advect_conservative", 17),
    ("lib/fluid/advect_maccormack", 10),
    ("lib/fluid/pressure_cg", 27),
    ("lib/fluid/pressure_cg_obstacle", 4),
    ("lib/fluid/pressure_multigrid", 107),
    ("lib/fluid/pressure_multigrid_obstacle", 331),
    ("lib/image/bloom", 2),
    ("lib/liquid/clock", 40),
    ("lib/measure/centroid", 3),
    ("lib/measure/extrema_places", 12),
    ("lib/neighbors/fill", 3),
    ("lib/neighbors/fill_list", 9),
    ("lib/sph/substep", 162),
    ("lib/sph/substep_article", 53),
    ("lib/sph/substep_dfsph", 194),
    ("lib/staggered/advect_conservative", 12),
    ("lib/staggered/advect_maccormack", 10),
    ("lib/staggered/fluid_step", 24),
    ("lib/staggered/fluid_step_obstacle", 111),
    ("lib/two_phase/advect_momentum", 92),
    ("lib/two_phase/advect_plic", 32),
    ("lib/two_phase/advect_spread", 8),
    ("lib/two_phase/correct", 3),
    ("lib/two_phase/correct_sor", 3),
    ("lib/two_phase/masses", 5),
    ("lib/two_phase/pressure_cg", 54),
    ("lib/two_phase/pressure_multigrid", 207),
    ("lib/two_phase/pressure_multigrid_cg", 1721),
    ("lib/two_phase/surface_tension", 6),
    ("lib/two_phase/surface_tension_height", 10),
    ("lib/two_phase/viscous_stress", 5),
    ("lib/water/surface", 43),
    ("lib/water/surface_bilateral", 43),
    ("oil_clock", 149),
    ("sph_water", 74),
    ("stable_fluids", 13),
    ("templates/fluid_2d", 13),
    ("templates/particles", 2),
    ("templates/reaction_diffusion", 2),
    ("templates/smoke_3d", 6),
    ("templates/waves", 2),
    ("unity_fluid", 18),
    ("validation/closed_vortex", 8),
    ("validation/cylinder", 17),
    ("validation/dense_drop", 42),
    ("validation/drop_at_rest", 14),
    ("validation/poiseuille", 4),
    ("validation/shear_layer", 2),
    ("validation/tank_at_rest", 9),
    ("validation/taylor_green", 5),
    ("validation/two_layers", 10),
];

/// Set to lay out the shipped graphs anew.
const BLESS: &str = "STAGEWRIGHT_BLESS_LAYOUT";

#[test]
fn shipped_graphs_read_as_flow() {
    let context = egui::Context::default();
    crate::app::theme::install(&context);
    // Fonts are there from the first frame on.
    let mut painter = None;
    drop(context.run_ui(egui::RawInput::default(), |ui| painter = Some(ui.painter().clone())));
    let painter = painter.unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs");
    let mut wrong = Vec::new();
    for path in shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut document = Document::parse(&text).unwrap();
        let name = path.strip_prefix(&root).unwrap().with_extension("").to_string_lossy().replace('\\', "/");
        let bless = std::env::var_os(BLESS).is_some();
        if bless {
            lay_out(&mut document);
            std::fs::write(&path, document.to_text()).unwrap();
        }
        let mut crossings = 0;
        for scope in levels(&document) {
            let quality = quality(&document, &scope);
            let place = format!("{name} {}", scope.0.join("/"));
            if quality.overlaps + quality.behind > 0 {
                wrong.push(format!("{place}: {quality:?}"));
            }
            // Library groups with dozens of nodes open at their beginning.
            let opened = quality.zoom.max(crate::app::canvas::viewport::READABLE);
            wrong.extend(legible(&painter, &document, &scope, opened).err().map(|error| format!("{place}: {error}")));
            crossings += quality.crossings;
            if bless {
                println!("{place} {quality:?}");
            }
        }
        let bound = CROSSINGS.iter().find(|(graph, _)| *graph == name).map_or(0, |(_, bound)| *bound);
        if crossings > bound {
            wrong.push(format!("{name}: {crossings} crossings, more than {bound}"));
        }
        if !name.starts_with("lib/")
            && quality(&document, &Scope::default()).zoom < crate::app::canvas::viewport::READABLE
        {
            wrong.push(format!("{name} does not fit"));
        }
    }
    assert!(wrong.is_empty(), "{}\nrun this test with {BLESS}=1 to lay out all graphs anew", wrong.join("\n"));
}

#[test]
fn nodes_come_after_what_they_read_and_do_not_overlap() {
    let mut document = crate::edit::fixture::fluid();
    let signatures = edit::signature::level(&document, &crate::document::Scope::default(), Library::builtin());
    document.nodes.values_mut().for_each(|node| node.at = (0.0, 0.0));
    place_new(&mut document, &Scope::default(), &signatures);
    for (name, node) in &document.nodes {
        let forward = !matches!(node.kind, NodeKind::State(_));
        for link in node.inputs.values().filter(|_| forward) {
            // To the right, or in a band further down.
            let from = document.nodes[&link.node].at;
            assert!(from.0 < node.at.0 || from.1 < node.at.1, "{name} <- {link}");
        }
        for (other, second) in document.nodes.iter().filter(|(other, _)| *other > name) {
            let apart = (node.at.0 - second.at.0).abs() >= node_size(&signatures[name]).x
                || (node.at.1 - second.at.1).abs()
                    >= node_size(&signatures[name]).y.min(node_size(&signatures[other]).y);
            assert!(apart, "{name} covers {other}");
        }
    }
}

#[test]
fn a_placed_node_stays_and_the_others_come_below() {
    let text = r#"(nodes: {"a": (number: 1, at: (0, 90)), "b": (number: 1), "c": (number: 1)})"#;
    let mut document = Document::parse(text).unwrap();
    let signatures = edit::signature::level(&document, &crate::document::Scope::default(), Library::builtin());
    place_new(&mut document, &Scope::default(), &signatures);
    assert_eq!(document.nodes["a"].at, (0.0, 90.0));
    assert!(document.nodes["b"].at.1 > 90.0 && document.nodes["b"].at != document.nodes["c"].at);
    let before = document.clone();
    place_new(&mut document, &Scope::default(), &signatures);
    assert_eq!(document, before);
}

#[test]
fn a_cycle_is_placed_too() {
    let text = r#"(nodes: {"a": (stage: "x", inputs: {"i": "b.o"}), "b": (stage: "x", inputs: {"i": "a.o"})})"#;
    let document = Document::parse(text).unwrap();
    let signatures = edit::signature::level(&document, &crate::document::Scope::default(), Library::builtin());
    let level = document.level(&Scope::default()).unwrap();
    let flow = Flow::new(level, &signatures, |_| Vec2::ZERO, |name| node_size(&signatures[name]));
    let places = arranged(&flow, &[]).0;
    assert_ne!(places[0], places[1]);
}
