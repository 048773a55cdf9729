//! Layouts, and how well every shipped graph reads, as numbers.

pub(crate) mod fixture;

use eframe::egui::{self, Pos2, Rect};

use super::layered::first_output;
use super::route::Ends;
use super::score::Drawing;
use super::*;
use fixture::{example, flow, levels, overlaps, shipped};

/// What can be counted on a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Quality {
    nodes: usize,
    wires: usize,
    /// Pairs of nodes of which one covers the other.
    overlaps: usize,
    /// Wires that run behind a node.
    behind: usize,
    /// Wires that pass a node which they do not join nearer than wires may.
    tight: usize,
    /// Crossings of wires of different outputs.
    crossings: usize,
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
    let close = |(ends, points): &(&Ends, &Vec<Pos2>)| {
        let apart = |area: &&Rect| ![ends.from, ends.to].iter().any(|end| area.expand(1.0).contains(*end));
        let near = |area: &Rect| points.windows(2).any(|p| route::touches(area.expand(route::LEAST - 0.5), p[0], p[1]));
        areas.iter().filter(apart).any(near)
    };
    Quality {
        nodes: areas.len(),
        wires: drawing.wires.len(),
        overlaps,
        behind: drawing.points.iter().filter(|points| hits(points)).count(),
        tight: drawing.wires.iter().zip(&drawing.points).filter(close).count(),
        crossings: drawing.crossings(),
    }
}

/// Lays out every level. From nothing: the layout does not depend on the one before, but for what lies in which frame.
fn lay_out(document: &mut Document, from_nothing: bool) {
    for scope in levels(document) {
        let mut flow = flow(document, &scope);
        let mut areas: Vec<Rect> = document.level(&scope).unwrap().frames().iter().map(frame_area).collect();
        let of = framed::members(&flow, &areas);
        if from_nothing {
            flow.at.iter_mut().for_each(|at| *at = Vec2::ZERO);
            areas.iter_mut().for_each(|area| *area = Rect::ZERO);
        }
        let (places, areas) = framed::arranged_as(&flow, &areas, &of);
        for (name, at) in flow.names.iter().zip(places) {
            edit::place(document, &scope, name, (at.x, at.y));
        }
        for (index, area) in areas.iter().enumerate() {
            edit::update_frame(document, &scope, index, |frame| {
                (frame.at, frame.size) = (area.min.into(), area.size().into());
            })
            .unwrap();
        }
        edit::round_positions(document, &scope);
    }
}

/// Bounds of the crossings in each graph with all its levels: a tenth more than there are now. Graphs without crossings are not listed.
/// In those of the articles frames keep the nodes of a step together, which costs some.
const CROSSINGS: &[(&str, usize)] = &[
    ("curl_noise", 71),
    ("curl_noise_2d", 48),
    ("curl_wake_3d", 64),
    ("lib/body/float_sph", 170),
    ("lib/body/float_sph_corrected", 170),
    ("lib/body/rigid", 80),
    ("lib/control/hand", 6),
    ("lib/fluid/advect_conservative", 17),
    ("lib/fluid/advect_maccormack", 13),
    ("lib/fluid/advect_watched", 5),
    ("lib/fluid/balance_parts", 19),
    ("lib/fluid/check_residual", 2),
    ("lib/fluid/diffuse_watched", 5),
    ("lib/fluid/pressure_cg", 29),
    ("lib/fluid/pressure_cg_obstacle", 7),
    ("lib/fluid/pressure_jacobi_watched", 2),
    ("lib/fluid/pressure_multigrid", 107),
    ("lib/fluid/pressure_multigrid_obstacle", 633),
    ("lib/fluid/pressure_sor_watched", 2),
    ("lib/fluid/show_residual", 2),
    ("lib/image/bloom", 2),
    ("lib/image/sharpen", 2),
    ("lib/liquid/clock", 30),
    ("lib/measure/centroid", 3),
    ("lib/measure/extrema_places", 12),
    ("lib/multigrid/descend_3d", 20),
    ("lib/multigrid/level_3d", 20),
    ("lib/neighbors/fill", 3),
    ("lib/neighbors/fill_list", 9),
    ("lib/number/integral", 1),
    ("lib/particles/rate", 1),
    ("lib/sph/substep", 194),
    ("lib/sph/substep_adaptive", 46),
    ("lib/sph/substep_article", 79),
    ("lib/sph/substep_corrected", 214),
    ("lib/sph/substep_dfsph", 227),
    ("lib/sph/substep_dfsph_adaptive", 49),
    ("lib/sph/substep_dfsph_corrected", 192),
    ("lib/staggered/advect_conservative", 12),
    ("lib/staggered/advect_flux", 48),
    ("lib/staggered/advect_maccormack", 9),
    ("lib/staggered/advect_watched", 3),
    ("lib/staggered/fluid_step", 30),
    ("lib/staggered/fluid_step_flux", 27),
    ("lib/staggered/fluid_step_obstacle", 180),
    ("lib/staggered/pressure_projection", 3),
    ("lib/two_phase/advect_momentum", 78),
    ("lib/two_phase/advect_momentum_3d", 100),
    ("lib/two_phase/advect_plic", 32),
    ("lib/two_phase/advect_plic_3d", 48),
    ("lib/two_phase/advect_spread", 13),
    ("lib/two_phase/check_residual", 2),
    ("lib/two_phase/correct", 7),
    ("lib/two_phase/correct_sor", 7),
    ("lib/two_phase/masses", 5),
    ("lib/two_phase/pressure_cg", 80),
    ("lib/two_phase/pressure_multigrid", 300),
    ("lib/two_phase/pressure_multigrid_cg", 2134),
    ("lib/two_phase/pressure_multigrid_cg_3d", 2064),
    ("lib/two_phase/surface_tension", 6),
    ("lib/two_phase/surface_tension_height", 10),
    ("lib/two_phase/viscous_stress", 5),
    ("lib/water/drop_size_varied", 1),
    ("lib/water/surface", 45),
    ("lib/water/surface_bilateral", 45),
    ("lib/water/surface_wipe", 80),
    ("oil_clock", 420),
    ("smoke_particles_3d", 54),
    ("sph_water", 211),
    ("stable_fluids", 13),
    ("templates/fluid_2d", 13),
    ("templates/fluid_2d_accurate", 8),
    ("templates/particles", 2),
    ("templates/patterns", 4),
    ("templates/reaction_diffusion", 4),
    ("templates/smoke_3d", 13),
    ("templates/smoke_flipbook", 31),
    ("templates/waves", 4),
    ("unity_fluid", 10),
    ("validation/ball_at_rest", 17),
    ("validation/bubble_terminal", 46),
    ("validation/closed_vortex", 9),
    ("validation/cylinder", 18),
    ("validation/deforming_ball", 3),
    ("validation/dense_drop", 41),
    ("validation/drop_at_rest", 25),
    ("validation/floating_box", 135),
    ("validation/floating_box_sph", 3),
    ("validation/floating_disc", 4),
    ("validation/heated_cavity", 5),
    ("validation/mirror", 39),
    ("validation/poiseuille", 4),
    ("validation/pressure_solvers", 33),
    ("validation/rising_bubble", 45),
    ("validation/rising_bubble_2d", 39),
    ("validation/shear_layer", 2),
    ("validation/sph_poiseuille", 6),
    ("validation/sph_shear", 4),
    ("validation/sph_standing_wave", 12),
    ("validation/stokes_second", 1),
    ("validation/tank_at_rest", 9),
    ("validation/sunk_body", 10),
    ("validation/taylor_green", 9),
    ("validation/taylor_green_3d", 1),
    ("validation/two_layers", 12),
];

/// Set to lay out the shipped graphs again.
const BLESS: &str = "STAGEWRIGHT_BLESS_LAYOUT";

#[test]
fn shipped_graphs_read_as_flow() {
    let mut wrong = Vec::new();
    for (name, path) in shipped() {
        let mut document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let bless = std::env::var_os(BLESS).is_some();
        if bless {
            lay_out(&mut document, true);
            std::fs::write(&path, document.to_text()).unwrap();
        }
        let mut crossings = 0;
        for scope in levels(&document) {
            let quality = quality(&document, &scope);
            let place = format!("{name} {}", scope.0.join("/"));
            if quality.overlaps + quality.behind + quality.tight > 0 {
                wrong.push(format!("{place}: {quality:?}"));
            }
            crossings += quality.crossings;
            if bless {
                println!("{place} {quality:?}");
            }
        }
        let bound = CROSSINGS.iter().find(|(graph, _)| *graph == name).map_or(0, |(_, bound)| *bound);
        if crossings > bound {
            wrong.push(format!("{name}: {crossings} crossings, more than {bound}"));
        }
    }
    assert!(wrong.is_empty(), "{}\nrun this test with {BLESS}=1 to lay out all graphs again", wrong.join("\n"));
}

#[test]
fn nodes_come_after_what_they_read_and_do_not_overlap() {
    let mut document = stagewright_test_support::fixture::fluid();
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

#[test]
fn laying_out_again_changes_nothing_and_a_small_edit_little() {
    let mut counts = Vec::new();
    for name in ["templates/fluid_2d", "templates/smoke_3d", "unity_fluid"] {
        let mut document = example(name);
        lay_out(&mut document, false);
        let before = document.clone();
        lay_out(&mut document, false);
        assert_eq!(document, before, "{name}");
        let number = Document::parse("(nodes: {\"one_more\": (number: 1)})").unwrap();
        let edits: [&dyn Fn(&mut Document); 3] = [
            &|document| document.nodes.extend(number.nodes.clone()),
            &|document| drop(document.nodes.remove("screen")),
            &|document| drop(document.nodes.values_mut().find_map(|node| node.inputs.remove("pressure"))),
        ];
        for (edit, change) in edits.iter().enumerate() {
            let mut document = before.clone();
            change(&mut document);
            lay_out(&mut document, false);
            // All of it may have moved on by a column.
            let by = |(name, node): (&String, &crate::document::Node)| {
                let was = before.nodes.get(name).map_or(node.at, |node| node.at);
                vec2(node.at.0 - was.0, node.at.1 - was.1)
            };
            let moves: Vec<Vec2> = document.nodes.iter().map(by).collect();
            let together = |by: &Vec2| moves.iter().filter(|other| (**other - *by).abs().max_elem() < 60.0).count();
            let kept = moves.iter().map(together).max().unwrap();
            counts.push((name, edit, kept, moves.len()));
        }
    }
    let [kept, all] = counts.iter().fold([0, 0], |[kept, all], (_, _, some, of)| [kept + some, all + of]);
    assert!(kept * 5 >= all * 3, "{kept} of {all} nodes keep their places: {counts:?}");
}

/// The View shows the first Output on the canvas.
#[test]
fn the_first_output_stays_the_first() {
    let mut document = example("oil_clock");
    let first = |document: &Document| {
        let flow = flow(document, &Scope::default());
        first_output(&flow, &flow.at).map(|node| flow.names[node].clone())
    };
    assert_eq!(first(&document).as_deref(), Some("screen"));
    lay_out(&mut document, false);
    assert_eq!(first(&document).as_deref(), Some("screen"));
    // Any Output can be the first.
    let last = document.nodes["screen_pressure"].at;
    document.nodes.get_mut("screen_pressure").unwrap().at = (last.0, -500.0);
    lay_out(&mut document, false);
    assert_eq!(first(&document).as_deref(), Some("screen_pressure"));
}

#[test]
fn a_frame_keeps_its_nodes_and_no_others() {
    let mut document = example("templates/fluid_2d");
    let scope = Scope::default();
    let names = ["centers", "jet", "stir"].map(String::from).into();
    let size = |_: &str| (200.0, 150.0);
    edit::frame_around(&mut document, &scope, &names, size, "Forces").unwrap();
    // It is the part of them that lies inside.
    let area = frame_area;
    let inside = |document: &Document| {
        let frame = area(&document.frames[0]);
        let flow = flow(document, &scope);
        let areas = flow.names.iter().zip(flow.areas());
        areas.filter(|(_, node)| frame.contains(node.center())).map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let before = inside(&document);
    assert!(before.len() >= 3);
    lay_out(&mut document, false);
    assert_eq!(inside(&document), before);
    let (frame, flow) = (area(&document.frames[0]), flow(&document, &scope));
    for (name, node) in flow.names.iter().zip(flow.areas()) {
        match before.contains(name) {
            true => assert!(frame.contains_rect(node), "{name} sticks out"),
            false => assert!(!frame.intersects(node), "{name} lies in the frame"),
        }
    }
    assert_eq!(overlaps(&flow.areas()), []);
}

#[test]
fn a_node_that_is_inserted_into_any_wire_has_room() {
    let document = example("templates/fluid_2d");
    let scope = Scope::default();
    let ends: Vec<(String, String)> = document
        .nodes
        .iter()
        .flat_map(|(name, node)| node.inputs.keys().map(move |port| (name.clone(), port.clone())))
        .collect();
    for (node, port) in ends {
        let mut document = document.clone();
        let from = document.nodes[&node].inputs[&port].clone();
        let dot = edit::add_reroute_shared(
            &mut document,
            &scope,
            from,
            &[edit::InputEnd { node: node.clone(), port: port.clone() }],
            (7.0, 5.0),
        );
        let dot = dot.unwrap();
        let flow = flow(&document, &scope);
        let places = with_room(&flow, &dot);
        let areas: Vec<Rect> =
            places.iter().zip(&flow.sizes).map(|(at, size)| Rect::from_min_size(at.to_pos2(), *size)).collect();
        assert_eq!(overlaps(&areas), [], "{node}.{port}");
        let index = |name: &str| flow.names.iter().position(|other| other == name).unwrap();
        let wire = flow.hard().find(|wire| wire.to == index(&dot)).unwrap();
        assert!(areas[index(&dot)].left() > areas[wire.from].right(), "{node}.{port}");
    }
}

#[test]
fn nodes_that_grow_cover_no_others() {
    for name in ["stable_fluids", "oil_clock"] {
        let flow = flow(&example(name), &Scope::default());
        let grown: Vec<Vec2> = flow.sizes.iter().map(|size| *size + vec2(0.0, 100.0)).collect();
        assert_eq!(lowered(&flow.at, &flow.sizes, &flow.sizes, &[]).nodes, vec![0.0; grown.len()], "nothing grows");
        let by = lowered(&flow.at, &flow.sizes, &grown, &[]).nodes;
        let areas = flow
            .at
            .iter()
            .zip(&by)
            .zip(&grown)
            .map(|((at, by), size)| Rect::from_min_size((*at + vec2(0.0, *by)).to_pos2(), *size));
        assert_eq!(overlaps(&areas.collect::<Vec<_>>()), [], "{name}");
    }
}

/// Frames get as high as the nodes in them, and what is below a frame moves down with it.
#[test]
fn a_frame_grows_with_its_nodes() {
    let area = |x: f32, y: f32, high: f32| Rect::from_min_size(egui::pos2(x, y), vec2(200.0, high));
    let nodes = [area(0.0, 0.0, 100.0), area(0.0, 200.0, 100.0), area(0.0, 320.0, 80.0), area(0.0, 500.0, 100.0)];
    // Around the second and the third.
    let frames = [Rect::from_min_max(egui::pos2(-24.0, 154.0), egui::pos2(224.0, 420.0))];
    let at: Vec<Vec2> = nodes.iter().map(|node| node.min.to_vec2()).collect();
    let before: Vec<Vec2> = nodes.iter().map(Rect::size).collect();
    let after: Vec<Vec2> = before.iter().map(|size| *size + vec2(0.0, 96.0)).collect();
    let growth = lowered(&at, &before, &after, &frames);
    // The first node and a gap of 22 end at 218; the frame begins there.
    assert_eq!(growth.frames, [64.0]);
    // 196 and a gap of 20 put the third 96 lower in the frame, and its own 96 come on top.
    assert_eq!(growth.higher, [192.0]);
    assert_eq!(growth.nodes[..3], [0.0, 64.0, 160.0]);
    // The frame ends at 420 + 64 + 192.
    assert_eq!(growth.nodes[3], 676.0 + 22.0 - 500.0);
    assert_eq!(lowered(&at, &before, &before, &frames).nodes, [0.0; 4], "nothing grows");
}

/// Wherever a node is put, nothing covers it or what has moved, and what is free stays.
#[test]
fn nodes_move_out_of_the_way() {
    for name in ["stable_fluids", "unity_fluid"] {
        let flow = flow(&example(name), &Scope::default());
        let free = flow.areas();
        for put in 0..free.len() {
            let mut areas = free.clone();
            areas[put] = areas[put].translate(vec2(230.0 - 31.0 * put as f32, 90.0));
            let after = clear_of(&areas, &[put]);
            assert_eq!(after[put], areas[put], "{name}: it stays where it was put");
            // Those that share a point or two do not cover each other.
            let inner = |areas: &[Rect]| areas.iter().map(|area| area.shrink(1.0)).collect::<Vec<_>>();
            assert_eq!(overlaps(&inner(&after)), [], "{name} {put}");
            let covered = |node: &usize| !overlaps(&inner(&[areas[*node], areas[put]])).is_empty();
            let moved = (0..areas.len()).filter(|node| after[*node] != areas[*node]).count();
            assert_eq!(
                moved > 0,
                (0..areas.len()).filter(|node| *node != put).any(|node| covered(&node)),
                "{name} {put}"
            );
        }
    }
}
